"""Commands of other packages, found by entry points and loaded only when called."""

from __future__ import annotations

import ast
import importlib.util
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

import typer

from bg_env.errors import BgEnvError, InvalidOptionError

ENTRY_POINTS: Final = "bg_env.commands"


def plugin_commands() -> dict[str, EntryPoint]:
    """The entry points of all installed commands, by name; nothing is loaded."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def load_command(point: EntryPoint) -> Any:
    """The command an entry point names: a ``typer.Typer`` or a function.

    Raises:
        InvalidOptionError: It cannot be loaded, or is neither.
        BgEnvError: Raised by the module itself, say for an extra that is missing.
    """
    try:
        target = point.load()
        return _command_of(point.name, target)
    except BgEnvError:
        raise
    except Exception as error:  # whatever a foreign module does must be told in a line
        raise InvalidOptionError(
            f"Command {point.name!r} cannot be loaded from {point.value!r}: "
            f"{type(error).__name__}: {error}"
        ) from error


def _command_of(name: str, target: Any) -> Any:
    app = target
    if not isinstance(target, typer.Typer):
        if not callable(target):
            raise TypeError(f"it is neither a typer.Typer nor a function: {target!r}")
        app = typer.Typer(add_completion=False)
        app.command(name)(target)
    command = typer.main.get_command(app)
    command.name = name
    return command


def description(point: EntryPoint) -> str:
    """What an entry point is for, in a line: read from its source, not imported.

    The first line of the docstring of the class or function or of the ``help=`` of the
    ``typer.Typer``, else of the module.
    """
    try:
        tree = ast.parse(_source_of(point.module).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, ImportError):
        return f"Provided by {point.module}."
    text = _text_about(tree, point.attr) or ast.get_docstring(tree)
    return text.splitlines()[0] if text else f"Provided by {point.module}."


def _text_about(tree: ast.Module, name: str) -> str | None:
    """What the module says of one of its names."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in tree.body:
        if isinstance(node, kinds) and node.name == name:
            return ast.get_docstring(node)
        if isinstance(node, ast.Assign) and _is_named(node.targets, name):
            return _help_of(node.value)
    return None


def _is_named(targets: list[ast.expr], name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _help_of(value: ast.expr) -> str | None:
    """The ``help="…"`` of a call such as ``typer.Typer(help="…")``."""
    for keyword in value.keywords if isinstance(value, ast.Call) else ():
        if keyword.arg == "help" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return None


def _source_of(module: str) -> Path:
    """The file of a module. Finding a top-level package does not import it."""
    package, *rest = module.split(".")
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"No module {package!r}.")
    if not rest:
        return Path(spec.origin)
    folder = Path(spec.origin).parent.joinpath(*rest)
    inside = folder / "__init__.py"
    return inside if inside.is_file() else folder.with_suffix(".py")
