"""The one door to numba: compile options, the cache and its lock.

`kernel` compiles a function with ``cache=True, error_model="numpy"``. Two things
are added to numba's cache:

* **Stale entries.** numba keys an entry by its own source file only, and would serve
  old machine code after an edit in a module that the kernel calls. Here the key
  also holds a hash of every project module that the kernel's module imports,
  directly or not. Code that checks bounds (``NUMBA_BOUNDSCHECK=1``) is kept apart.
* **One compiler at a time.** Parallel workers with a cold cache wait for the first
  one at a file lock instead of each compiling the same kernels.

With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from filelock import FileLock
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic, overload

prange: Any = numba.prange

_Function = TypeVar("_Function", bound=Callable[..., Any])

_config: Any = numba.config
DISABLED: Final = bool(_config.DISABLE_JIT)
_IMPORT: Final = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)|import\s+([\w.]+))",
    re.MULTILINE,
)
_told: list[bool] = []
_warned: list[bool] = []


def kernel(function: _Function) -> _Function:
    """Compile `function` in nopython mode, cached on disk. Raises nothing itself."""
    return cast(_Function, _compiled(function, {}))


def record_kernel(function: _Function) -> _Function:
    """As `kernel`, for a function of one record: only other kernels can call it.

    Without the entry points for Python and C it compiles in two thirds of the time.
    """
    return cast(
        _Function,
        _compiled(function, {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}),
    )


def parallel_kernel(function: _Function) -> _Function:
    """As `kernel`, with ``prange`` spread over threads. Opt-in: slow when busy."""
    return cast(_Function, _compiled(function, {"parallel": True}))


def fast_kernel(function: _Function) -> _Function:
    """As `kernel`, with fastmath: for the floats of networks, never for rules."""
    return cast(_Function, _compiled(function, {"fastmath": True}))


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plain Python of a kernel, to step through or compare with the compiled."""
    return _quiet(getattr(function, "py_func", function))


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    if DISABLED:
        return _quiet(function)
    # said in any case: what is not said is taken over from the kernel that calls
    options = {"fastmath": False, **options}
    compile_by = functools.partial(
        numba.njit, error_model="numpy", nogil=True, **options
    )
    try:
        dispatcher: Any = compile_by(cache=True)(function)
        _stamp(dispatcher, Path(function.__code__.co_filename))
        _lock(dispatcher)
    except (AttributeError, RuntimeError) as error:
        _warn(error)
        dispatcher = compile_by()(function)
    _widen(dispatcher)
    return dispatcher


def _warn(error: Exception) -> None:
    """Say once that nothing is kept: numba's ways are unknown, or no folder is."""
    if not _warned:
        _warned.append(True)
        warnings.warn(
            f"bg_env cannot keep compiled kernels with numba {numba.__version__} "
            f"({error}) and compiles them at every start; NUMBA_CACHE_DIR names a "
            f"folder to keep them in.",
            RuntimeWarning,
            stacklevel=4,
        )


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let plain Python do what compiled code does.

    Unsigned integers wrap around without a warning, and the fields of a record are
    its attributes.
    """

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*map(_with_attributes, arguments))

    return call


def _with_attributes(argument: Any) -> Any:
    if isinstance(argument, np.ndarray) and argument.dtype.names:
        return argument.view(np.recarray)
    return argument


# --- stale entries ------------------------------------------------------------


def _stamp(dispatcher: Any, source: Path) -> None:
    """Add to numba's stamp the sources, and whether code that checks bounds is due."""
    cache_file = dispatcher._cache._cache_file
    checked = bool(_config.BOUNDSCHECK)
    cache_file._source_stamp = (*cache_file._source_stamp, source_hash(source), checked)


def source_hash(source: Path) -> str:
    """Hash of a module and of all modules of its project that it imports."""
    digest = hashlib.sha256()
    for path in sorted(_closure(source)):
        digest.update(_text_of(path).encode())
    return digest.hexdigest()


def _closure(source: Path) -> set[Path]:
    found: set[Path] = set()
    todo = [source]
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo.extend(_imports_of(path))
    return found


@functools.cache
def _imports_of(path: Path) -> tuple[Path, ...]:
    """Project modules named in the import statements of one file."""
    modules: list[str] = []
    for origin, names, plain in _IMPORT.findall(_text_of(path)):
        modules.append(origin or plain)
        for name in re.findall(r"\w+", names):
            modules.append(f"{origin}.{name}")
    files = (_file_of(module, path) for module in modules)
    return tuple(file for file in files if file is not None)


def _file_of(module: str, importer: Path) -> Path | None:
    """The file of an absolute module name under the importer's or our own root."""
    for root in (_root_of(importer), Path(__file__).parent.parent):
        file = root.joinpath(*module.split(".")).with_suffix(".py")
        if _exists(file):
            return file
    return None


@functools.cache
def _root_of(path: Path) -> Path:
    """The folder that holds the outermost package of a file."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


@functools.cache
def _exists(file: Path) -> bool:
    return file.is_file()


@functools.cache
def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


# --- one version of each kernel --------------------------------------------------


def _widen(dispatcher: Any) -> None:
    """Compile one version for all calls from other kernels.

    numba would compile another one for every constant and every width of integer
    that is handed over; here constants lose their value and integers become int64.
    """
    template_of = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        wide = {name: _wide(kind) for name, kind in kws.items()}
        return template_of(tuple(map(_wide, args)), wide)

    dispatcher.get_call_template = get_call_template


def _wide(kind: Any) -> Any:
    types: Any = numba.types
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer) and kind.signed:
        return types.int64
    return kind


# --- one compiler at a time ----------------------------------------------------


def _lock(dispatcher: Any) -> None:
    compile_now = dispatcher.compile

    def compile_locked(signature: Any) -> Any:
        if _is_ready(dispatcher, signature):
            return compile_now(signature)
        # numba's own lock first: two threads would else wait for each other's
        with global_compiler_lock, _file_lock(dispatcher._cache._cache_path):
            if not _is_cached(dispatcher, signature):
                _tell()
            return compile_now(signature)

    dispatcher.compile = compile_locked


def _is_ready(dispatcher: Any, signature: Any) -> bool:
    known = signature in dispatcher.overloads if isinstance(signature, tuple) else False
    return known or _is_cached(dispatcher, signature)


def _is_cached(dispatcher: Any, signature: Any) -> bool:
    cache = dispatcher._cache
    key = cache._index_key(signature, dispatcher.targetctx.codegen())
    return key in cache._cache_file._load_index()


@functools.cache
def _file_lock(folder: str) -> FileLock:
    """The lock of one cache folder; this process may take it again while it has it."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    return FileLock(str(Path(folder) / "bg_env_compile.lock"))


def _tell() -> None:
    if not _told and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(
            "bg_env: compiling its kernels for first use, about ten seconds "
            "(`bg-env warmup` does it ahead).\n"
        )
    _told.append(True)


# --- bit scans -------------------------------------------------------------------


def lowest_bit(bits: int) -> int:
    """Index of the lowest set bit. `bits` must not be 0."""
    number = int(bits)
    return (number & -number).bit_length() - 1


def highest_bit(bits: int) -> int:
    """Index of the highest set bit. `bits` must not be 0."""
    return int(bits).bit_length() - 1


def count_bits(bits: int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


def _bit_intrinsic(build: Callable[[Any, Any], Any]) -> Any:
    def typed(typingctx: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return build(builder, args[0])

        return numba.types.int64(numba.types.int64), generate

    return intrinsic(typed)


def _zeros_flag(builder: Any) -> Any:
    from llvmlite import ir

    return ir.Constant(ir.IntType(1), 1)


_trailing = _bit_intrinsic(lambda b, x: b.cttz(x, _zeros_flag(b)))
_leading = _bit_intrinsic(lambda b, x: b.ctlz(x, _zeros_flag(b)))
_count = _bit_intrinsic(lambda b, x: b.ctpop(x))


@overload(lowest_bit)
def _lowest_bit(bits: int) -> Any:
    def implementation(bits: int) -> Any:
        return _trailing(np.int64(bits))

    return implementation


@overload(highest_bit)
def _highest_bit(bits: int) -> Any:
    def implementation(bits: int) -> Any:
        return 63 - _leading(np.int64(bits))

    return implementation


@overload(count_bits)
def _count_bits(bits: int) -> Any:
    def implementation(bits: int) -> Any:
        return _count(np.int64(bits))

    return implementation
