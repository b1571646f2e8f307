"""The door to numba: fresh results, one compiler at a time, plain Python when asked.

Most of it is tried on a package of a few kernels, written to a temporary folder and
compiled there by interpreters of their own.
"""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from support import ROOT, clean_environment, run_python

from bg_env import _jit
from bg_env._jit import fast_kernel, interpreted, kernel
from bg_env.rules._random import next_number, scrambled

LOW = """
from bg_env._jit import kernel
from little.numbers import (
    FACTOR,
)


@kernel
def times(number):
    return number * FACTOR
"""
MIDDLE = """
from bg_env._jit import kernel
from little.low.products import times


@kernel
def total(values):
    result = 0
    for i in range(values.shape[0]):
        result += times(values[i])
    return result
"""
TOP = """
from bg_env._jit import kernel
from little.middle import total


@kernel
def total_and_one(values):
    return total(values) + 1
"""
RUN = """
import numpy as np
from little.low.products import times
from little.middle import total
from little.top import total_and_one

result = total_and_one(np.arange(4))
kernels = (times, total, total_and_one)
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels)
print(result, misses)
"""


needs_compiler = pytest.mark.skipif(
    _jit.DISABLED, reason="kernels are plain Python in this run"
)


@pytest.fixture
def little(tmp_path):
    """A package of three kernels, each in a module of its own, and a constant."""
    package = tmp_path / "little"
    (package / "low").mkdir(parents=True)
    for folder in (package, package / "low"):
        (folder / "__init__.py").write_text("")
    (package / "numbers.py").write_text("FACTOR = 2\n")
    (package / "low" / "products.py").write_text(LOW)
    (package / "middle.py").write_text(MIDDLE)
    (package / "top.py").write_text(TOP)
    return tmp_path


def variables(folder, **more):
    """The environment that finds the little package and keeps its cache apart."""
    cache = str(folder / "cache")
    return {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": cache, **more}


def run(folder, code=RUN, **more):
    """Standard output of `code` in a fresh interpreter."""
    done = run_python("-c", code, **variables(folder, **more))
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def replace(path, old, new):
    """Edit a file without changing its size or its time stamp."""
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    text = path.read_text()
    assert old in text
    assert len(old) == len(new)
    path.write_text(text.replace(old, new))
    os.utime(path, ns=times)


# --- stale entries ----------------------------------------------------------------


def test_an_edit_in_any_module_a_kernel_calls_gives_the_new_result(little):
    assert run(little) == ["13", "3"]
    assert run(little) == ["13", "0"], "nothing is compiled twice"
    replace(little / "little" / "low" / "products.py", "number * F", "number + F")
    assert run(little) == ["15", "3"], "a helper two modules away was edited"
    replace(little / "little" / "numbers.py", "FACTOR = 2", "FACTOR = 9")
    assert run(little) == ["43", "3"], "a constant three modules away was edited"


def test_an_edit_in_a_caller_leaves_what_it_calls_in_the_cache(little):
    assert run(little) == ["13", "3"]
    replace(little / "little" / "top.py", "+ 1", "+ 5")
    assert run(little) == ["17", "1"]


def test_code_that_checks_bounds_is_not_served_to_those_who_did_not_ask(tmp_path):
    (tmp_path / "reading.py").write_text(
        "from bg_env._jit import kernel\n\n\n"
        "@kernel\ndef read(values, i):\n    return values[i]\n"
    )
    code = (
        "import numpy as np\nfrom reading import read\n"
        "try:\n    read(np.arange(9)[:3], 3)\n    print('unchecked')\n"
        "except IndexError:\n    print('checked')\n"
    )
    asked = ("0", "1", "1", "0")
    found = [run(tmp_path, code, NUMBA_BOUNDSCHECK=flag)[0] for flag in asked]
    assert found == ["unchecked", "checked", "checked", "unchecked"]


# --- one compiler at a time ----------------------------------------------------------


def test_of_two_cold_workers_the_second_does_not_compile(little):
    meet = f"""
import pathlib, sys, time
here = pathlib.Path({str(little)!r})
import bg_env._jit
(here / sys.argv[1]).touch()
while not ((here / "one").exists() and (here / "two").exists()):
    time.sleep(0.01)
"""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", meet + RUN, name],
            cwd=ROOT,
            env={**clean_environment(), **variables(little)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    results = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [result for result, _ in results] == ["13", "13"]
    assert sum(int(misses) for _, misses in results) == 3, "each kernel once"


def test_two_threads_with_a_cold_cache_do_not_wait_for_each_other_for_ever(little):
    code = """
import faulthandler, threading
import numpy as np
from little.low.products import times
from little.top import total_and_one

faulthandler.dump_traceback_later(60, exit=True)
together = threading.Barrier(2)
results = [0, 0]

def work(i, ask, argument):
    together.wait()
    results[i] = ask(argument)

# one compiles in the outer folder and needs the inner, the other the inner alone
threads = [
    threading.Thread(target=work, args=(0, total_and_one, np.arange(4))),
    threading.Thread(target=work, args=(1, times, 5.0)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*results)
"""
    assert run(little, code) == ["13", "10.0"]


def stderr_on_a_terminal(folder):
    """What the little package writes to a terminal as standard error."""
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=ROOT,
            env={**clean_environment(), **variables(folder)},
            stdout=subprocess.PIPE,
            stderr=theirs,
            timeout=120,
            check=True,
        )
        os.write(theirs, b"(end)\n")
        shown = b""
        while not shown.rstrip().endswith(b"(end)"):
            shown += os.read(ours, 4096)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stdout.split()[0] == b"13"
    return shown.decode().replace("\r", "").removesuffix("(end)\n")


def test_a_terminal_is_told_once_that_first_use_compiles(little):
    shown = stderr_on_a_terminal(little)
    assert shown.count("\n") == 1, shown
    assert "compiling its kernels for first use" in shown
    assert "bg-env warmup" in shown
    assert stderr_on_a_terminal(little) == "", "a warm cache has nothing to say"


def test_a_file_or_pipe_is_not_told(little):
    done = run_python("-c", RUN, **variables(little))
    assert (done.returncode, done.stderr) == (0, "")


# --- without a cache ------------------------------------------------------------------


def made_of_text():
    """A function without a source file: numba finds no folder to keep it in."""
    names = {}
    exec("def add_one(number):\n    return number + 1\n", names)
    return names["add_one"]


@needs_compiler
def test_a_kernel_without_a_folder_for_its_code_works_with_one_warning(monkeypatch):
    monkeypatch.setattr(_jit, "_warned", [])
    with pytest.warns(RuntimeWarning, match="cannot keep compiled kernels"):
        assert kernel(made_of_text())(3) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernel(made_of_text())(4) == 5


@needs_compiler
def test_a_numba_with_another_cache_is_used_without_cache_and_one_warning(monkeypatch):
    def unknown(dispatcher, source):
        raise AttributeError("_cache_file")

    monkeypatch.setattr(_jit, "_warned", [])
    monkeypatch.setattr(_jit, "_stamp", unknown)

    def add_two(number):
        return number + 2

    with pytest.warns(RuntimeWarning, match="_cache_file") as caught:
        results = [kernel(add_two)(number) for number in (3, 4)]
    assert results == [5, 6]
    assert len(caught) == 1


# --- plain Python ------------------------------------------------------------------


def test_an_interpreted_kernel_wraps_around_as_the_compiled_one_does():
    for seed in (0, 1, 2**63, 2**64 - 1):
        compiled, plain = np.array([seed], np.uint64), np.array([seed], np.uint64)
        for _ in range(5):  # warnings are errors here
            one = next_number(compiled, 0)
            two = interpreted(next_number)(plain, 0)
            assert int(one) == int(two)
            assert compiled == plain
        number = np.uint64(seed)
        assert int(scrambled(number)) == int(interpreted(scrambled)(number))


def test_splitmix64_gives_its_published_numbers():
    # the first outputs for seed 1234567, of the authors' reference code
    stream = np.array([1234567], np.uint64)
    assert [int(next_number(stream, 0)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_with_the_compiler_off_kernels_are_plain_python(little):
    code = (
        "import numpy as np\n"
        "from little.top import total_and_one\n"
        "print(total_and_one(np.arange(4)), hasattr(total_and_one, 'signatures'))\n"
    )
    assert run(little, code, NUMBA_DISABLE_JIT="1") == ["13", "False"]
    assert not (little / "cache").exists()


# --- one version of each kernel -----------------------------------------------------


@kernel
def _add(number, other):
    return number + other


@kernel
def _add_in_many_ways(small, flags):
    """Calls a kernel with a constant, with narrow and with wide integers."""
    total = _add(1, 2)
    total += _add(small[0], small[1])
    total += _add(int(small[0]), 7)
    return total + _add(flags, small[1])


@needs_compiler
def test_integers_of_all_widths_and_constants_share_one_version_of_a_kernel():
    assert _add_in_many_ways(np.array([100, 100], np.int8), 5) == 3 + 200 + 107 + 105
    assert len(_add.signatures) == 1


def test_a_kernel_has_the_name_and_docstring_of_its_function():
    assert _add_in_many_ways.__name__ == "_add_in_many_ways"
    assert "narrow" in interpreted(_add_in_many_ways).__doc__


@kernel
def _plus(one, other):
    return one + other


@fast_kernel
def _plus_in_a_hurry(one, other):
    return _plus(one, other) + other


@pytest.mark.skipif(_jit.DISABLED, reason="there is no machine code without the JIT")
def test_a_kernel_first_called_by_a_fast_one_still_rounds_in_order():
    """Or what it gives would depend on who has compiled it first."""
    _plus_in_a_hurry(np.float32(1), np.float32(2))
    (code,) = _plus.inspect_llvm().values()
    assert "fadd" in code
    assert "fadd fast" not in code
