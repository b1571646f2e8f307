"""Options of commands: which were typed, and how errors of the library name them.

The library names arguments, in one of the ways that ``bg_env.errors`` lists. Whoever
typed a command knows its options, so those stand in what he reads.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any, Final

from bg_env.errors import InvalidOptionError

_QUOTED: Final = r"(?<!\w)'[^']*'"  # names in it are somebody's text
_VALUE: Final = r"'[^']*'|[-+\w.]*\w"


def given_option(ctx: Any, names: Iterable[str]) -> str | None:
    """The first of these parameters that was typed, as it is written; else None.

    Args:
        ctx: The context of the command.
        names: Of parameters.
    """
    written = {parameter.name: parameter for parameter in ctx.command.params}
    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            parameter = written[name]
            return " or ".join([*parameter.opts, *parameter.secondary_opts])
    return None


def speak_options(command: Any) -> Any:
    """Let a command, and those below it, name options where it refuses arguments.

    Args:
        command: A command or group of typer, which is changed.
    """
    for below in getattr(command, "commands", {}).values():
        speak_options(below)
    run = command.callback
    if run is None:
        return command

    @functools.wraps(run)
    def told(*args: Any, **values: Any) -> Any:
        try:
            return run(*args, **values)
        except InvalidOptionError as error:
            text = in_options(str(error), command.params)
            raise InvalidOptionError(text) from error

    command.callback = told
    return command


def in_options(message: str, parameters: Iterable[Any]) -> str:
    """A message of the library with the options of a command for its arguments.

    ``Argument trials is …``, ``luck='td'``, ``match_length`` and, at the beginning,
    ``home is …`` are arguments; in quotes and where a word is only a word they are not.

    Args:
        message: One sentence.
        parameters: Those of the command.
    """
    options = {
        parameter.name: parameter
        for parameter in parameters
        if parameter.opts and parameter.opts[0].startswith("--")
    }
    if not options:
        return message
    names = "|".join(sorted(options, key=len, reverse=True))
    pattern = (
        rf"{_QUOTED}|(?P<kind>(?:Training option|Argument|Option) )?"
        rf"(?<![\w.-])(?P<name>{names})(?!\w)(?:=(?P<value>{_VALUE}))?(?P<verb> is\b)?"
    )

    def said(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"]
        if name is None:
            return found[0]
        begins = found.start() == 0 and found["verb"]
        if not (found["kind"] or value or begins or "_" in name):
            return found[0]
        lead = "Option " if found["kind"] else ""
        return lead + _written(options[name], value) + (found["verb"] or "")

    return re.sub(pattern, said, message)


def _written(parameter: Any, value: str | None) -> str:
    """An option as it is typed, with its value if it has one."""
    name = str(parameter.opts[0])
    if value is None or value == "True":
        return name
    if value == "False" and parameter.secondary_opts:
        return str(parameter.secondary_opts[0])
    return f"no {name}" if value in ("False", "None") else f"{name} {value}"
