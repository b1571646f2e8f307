"""Who imports whom, what importing costs, and how long files may become."""

import ast
import functools
import importlib
import json
import re
import sys
from pathlib import Path

import pytest
from support import ROOT, run_python

import bg_env

PACKAGE = ROOT / "bg_env"
AGENTS = ROOT / "agents" / "bg_agents"
FILES = sorted(PACKAGE.rglob("*.py"))
AGENT_FILES = sorted(AGENTS.rglob("*.py"))

# Which parts of the package a part may import, besides itself.
BASE = {"errors", "_jit", "_files"}
CORE = BASE | {"rules"}
BEFORE_ENVS = CORE | {"equity", "notation", "agent", "rendering", "encoding", "table"}
EVERYTHING = BEFORE_ENVS | {"search", "envs", "evaluation", "testing", "cli"}
MAY_IMPORT = {
    "errors": set(),
    "_jit": set(),
    "_files": {"errors"},
    "rules": BASE,
    "equity": CORE,
    "notation": CORE,
    "agent": CORE,
    "rendering": CORE | {"notation"},
    "encoding": CORE | {"equity"},
    "table": CORE | {"notation", "rendering", "agent"},
    "search": CORE | {"equity", "agent"},
    "envs": BEFORE_ENVS,
    "evaluation": BEFORE_ENVS | {"envs", "search"},
    "backgammon_v0": {"envs"},
    "chouette_v0": {"envs"},
    "testing": EVERYTHING,
    "cli": EVERYTHING,
    "__init__": EVERYTHING - {"cli", "testing", "evaluation", "search"},
}
# Packages of others that a part may import at all; those not named may none.
MAY_USE = {
    "_jit": {"numpy", "numba", "llvmlite", "filelock"},
    "_files": {"numpy", "filelock"},
    "rules": {"numpy"},
    "equity": {"numpy"},
    "notation": {"numpy"},
    "agent": {"numpy"},
    "search": {"numpy"},
    "encoding": {"numpy", "gymnasium"},
}
# Optional extras and whatever else would make the first import slow.
LATE = {
    "torch",
    "matplotlib",
    "pygame",
    "ray",
    "stable_baselines3",
    "sb3_contrib",
    "pettingzoo",
    "gnubg_nn",
    "bgsage",
    "pyspiel",
    "pandas",
    "rich",
    "typer",
    "click",
    "bg_agents",
    "IPython",
    "pytest",
    "hypothesis",
}


def part_of(path):
    """The part of the package a file belongs to, ``rules`` or ``agent``, say."""
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


def name_of(path):
    """A file's path in the project, for messages."""
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree_of(path):
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def modules_named(node):
    """The modules an import statement names, ``from a import b`` as ``a`` and ``a.b``.

    So that ``from bg_env import rules`` is seen to import the rules.
    """
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def imports_of(path):
    """Every module that a file imports anywhere, inside functions too."""
    return {name for node in ast.walk(tree_of(path)) for name in modules_named(node)}


def parts_imported(path):
    """The parts of the package that a file imports."""
    names = [name.split(".") for name in imports_of(path)]
    parts = {name[1] for name in names if name[0] == "bg_env" and len(name) > 1}
    return {part for part in parts if part in MAY_IMPORT}


def others_imported(path):
    """The packages of others that a file imports."""
    roots = {name.split(".")[0] for name in imports_of(path)}
    return roots - set(sys.stdlib_module_names) - {"bg_env"}


# --- who imports whom -----------------------------------------------------------


def test_every_part_of_the_package_is_in_the_table():
    assert {part_of(path) for path in FILES} <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_part_imports_only_the_parts_below_it(path):
    part = part_of(path)
    assert parts_imported(path) <= MAY_IMPORT[part] | {part}


@pytest.mark.parametrize("part", sorted(MAY_USE))
def test_the_core_uses_few_packages_of_others(part):
    for path in FILES:
        if part_of(path) == part:
            assert others_imported(path) <= MAY_USE[part], name_of(path)


def test_nothing_in_the_package_imports_the_agents():
    # they register by entry points
    for path in FILES:
        assert not {m for m in imports_of(path) if m.split(".")[0] == "bg_agents"}


def test_importing_the_package_by_its_own_top_is_left_to_users():
    # from bg_env import X inside the package would import everything, in a circle
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module == "bg_env":
                modules = {alias.name for alias in node.names}
                assert modules <= set(MAY_IMPORT) | {"__version__"}, name_of(path)


def has_kernels(path):
    """True when a file compiles functions: it takes a decorator from `_jit`."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "bg_env._jit"
        and any(alias.name.endswith("kernel") for alias in node.names)
        for node in ast.walk(tree_of(path))
    )


KERNEL_FILES = [path for path in (*FILES, *AGENT_FILES) if has_kernels(path)]


@pytest.mark.parametrize("path", KERNEL_FILES, ids=name_of)
def test_files_with_kernels_import_in_the_way_the_cache_follows(path):
    # by absolute name, from the module that defines the thing, one per statement;
    # the hash of sources does not look into an __init__.py
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
        if isinstance(node, ast.Import):
            assert len(node.names) == 1, f"two imports in line {node.lineno}"
        for name in modules_named(node)[:1]:
            if name.split(".")[0] in ("bg_env", "bg_agents"):
                _check_defining_module(node, name)


def _check_defining_module(node, name):
    base = PACKAGE.parent if name.startswith("bg_env") else AGENTS.parent
    folder = base.joinpath(*name.split("."))
    if folder.with_suffix(".py").exists():
        return
    for alias in node.names:
        module = folder / f"{alias.name}.py"
        assert module.exists(), f"{name}.{alias.name} comes from an __init__.py"


def test_compile_options_live_behind_one_door():
    allowed = {PACKAGE / "_jit.py"}
    for path in (*FILES, *AGENT_FILES):
        names = {m for m in imports_of(path) if m.split(".")[0] == "numba"}
        calls = re.findall(r"\bn?jit\(", path.read_text(encoding="utf-8"))
        assert path in allowed or not calls, name_of(path)
        # a version number or prange is harmless, a decorator is not
        assert path in allowed or names <= {"numba", "numba.prange"}, name_of(path)


def test_the_rules_know_no_learning():
    for path in FILES:
        if part_of(path) == "rules":
            text = path.read_text(encoding="utf-8").lower()
            for word in ("gymnasium", "observation", "reward"):
                assert word not in text, f"{word!r} in {name_of(path)}"


# --- what importing costs ------------------------------------------------------------


@functools.cache
def modules_loaded_by(statement):
    """The top-level modules in memory after a statement in a fresh interpreter."""
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize("name", sorted(LATE))
def test_importing_the_package_does_not_load(name):
    assert name not in modules_loaded_by("import bg_env")


def test_importing_the_agents_loads_no_optional_package():
    assert not modules_loaded_by("import bg_agents") & (LATE - {"bg_agents"})


def test_importing_the_package_loads_no_more_than_it_depends_on():
    # what gymnasium and numba load themselves is theirs
    base = modules_loaded_by("import gymnasium, numba, filelock")
    own = modules_loaded_by("import bg_env") - base - set(sys.stdlib_module_names)
    assert {name for name in own if not name.startswith("_")} <= {"bg_env"}


def test_making_an_environment_loads_no_optional_package():
    code = (
        "import gymnasium, bg_env; env = gymnasium.make('Backgammon-v0'); "
        "env.reset(seed=1)"
    )
    assert not modules_loaded_by(code) & (LATE - {"bg_agents"})


# --- public names -----------------------------------------------------------------


def test_every_public_name_is_there_and_the_list_is_whole():
    assert len(set(bg_env.__all__)) == len(bg_env.__all__)
    for name in bg_env.__all__:
        assert hasattr(bg_env, name), name
    tree = tree_of(PACKAGE / "__init__.py")
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module.startswith("bg_env")
        for alias in node.names
    }
    # __version__ is made there; register_envs is called and public in bg_env.envs
    assert set(bg_env.__all__) - imported == {"__version__"}
    assert imported - set(bg_env.__all__) <= {"register_envs"}


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.name == "__init__.py"],
    ids=name_of,
)
def test_names_listed_as_public_in_a_package_exist(path):
    module = importlib.import_module(".".join(path.parent.relative_to(ROOT).parts))
    for name in getattr(module, "__all__", []):
        assert hasattr(module, name), name


def test_the_package_says_its_version_and_that_it_is_typed():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{bg_env.__version__}"' in project
    assert (PACKAGE / "py.typed").exists()
    assert (AGENTS / "py.typed").exists()


# --- size ---------------------------------------------------------------------------


def lines_of(path):
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", [*FILES, *AGENT_FILES], ids=name_of)
def test_files_stay_short(path):
    limit = 800 if path in KERNEL_FILES else 600
    assert lines_of(path) <= limit, f"{name_of(path)} should become two files"


def body_lines(function):
    """Lines of a function's body without its docstring."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    if not body:
        return 0
    return body[-1].end_lineno - body[0].lineno + 1


@pytest.mark.parametrize("path", [*FILES, *AGENT_FILES], ids=name_of)
def test_functions_stay_short(path):
    long = [
        (node.name, body_lines(node))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and body_lines(node) > 40
    ]
    assert long == []


@pytest.mark.parametrize("path", [*FILES, *AGENT_FILES], ids=name_of)
def test_modules_begin_with_a_sentence(path):
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(tree_of(path)), name_of(path)


def test_no_two_test_files_have_the_same_name():
    # they are imported by their bare names
    names = [path.name for path in Path(ROOT / "tests").rglob("*.py")]
    assert len(set(names)) == len(names)
