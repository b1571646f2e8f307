"""The command group: built-in commands, those of other packages, plain errors."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from bg_env.cli._errors import plain_errors
from bg_env.cli._options import speak_options
from bg_env.cli._plugins import description, load_command, plugin_commands


class _NotLoaded(TyperCommand):
    """Stands for a command of another package in the help until it is called."""


class CommandGroup(TyperGroup):
    """Looks commands up, also by entry points, and ends them without tracebacks.

    A built-in command goes before one of another package with the same name.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands, the built-in ones first."""
        own = super().list_commands(ctx)
        return own + sorted(set(plugin_commands()) - set(own))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A built-in command, or what stands for another until it is called."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        point = plugin_commands().get(cmd_name)
        if point is None:
            return None
        return _NotLoaded(cmd_name, help=description(point))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called; loads it and lets it speak of its options."""
        name, command, rest = super().resolve_command(ctx, args)
        if isinstance(command, _NotLoaded):
            command = load_command(plugin_commands()[str(command.name)])
        return name, speak_options(command), rest

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the command line; ``--help`` and ``--version`` happen here."""
        with plain_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an expected error is one line and an exit status."""
        with plain_errors():
            return super().invoke(ctx)
