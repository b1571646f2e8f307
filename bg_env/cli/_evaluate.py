"""``bg-env evaluate``: one agent against another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bg_env.errors import InvalidOptionError

if TYPE_CHECKING:
    from bg_env.rules.options import Rules


def evaluate(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="The agent to measure: pubeval, td, td:FILE …"
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    games: Annotated[
        int, typer.Option(help="How many games; with match rules, how many matches.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Fixes dice and choices.")] = 0,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A rules preset: cubeless (default), standard, match, timed, "
            "household, us-tournament.",
        ),
    ] = None,
    match_length: Annotated[
        int | None,
        typer.Option(metavar="N", help="Points of a match; alone, means rules match."),
    ] = None,
    paired: Annotated[
        bool,
        typer.Option("--paired/--unpaired", help="Play the same dice from both seats."),
    ] = True,
    cube: Annotated[
        bool | None,
        typer.Option(
            "--cube/--no-cube",
            help="Use the doubling cube.",
            show_default="as the rules",
        ),
    ] = None,
    max_turns: Annotated[
        int, typer.Option(help="Leave out games that last longer.")
    ] = 1000,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the result as JSON; - is stdout, table on stderr.",
        ),
    ] = None,
) -> None:
    """Play A against B, print what A wins with its standard error.

    Ctrl-C stops early and prints what has been measured.
    """
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import evaluate as play
    from bg_env.evaluation.progress import ProgressBar

    chosen = rules_of(rules, match_length, cube)
    with JsonTarget(json) as target:
        with ProgressBar() as bar:
            result = play(
                a,
                b,
                games=games,
                seed=seed,
                paired=paired,
                rules=chosen,
                max_turns=max_turns,
                progress=bar.task(f"{a} against {b}"),
            )
        try:
            target.write(result.to_dict())
        finally:
            show(result.table(), stderr=target.is_stdout)
    if result.interrupted:
        raise KeyboardInterrupt


def rules_of(name: str | None, match_length: int | None, cube: bool | None) -> Rules:
    """The rules that the options describe.

    Raises:
        UnknownNameError: No preset of that name.
        InvalidOptionError: Options that contradict each other.
    """
    from bg_env.evaluation.arena import DEFAULT_RULES
    from bg_env.rules.options import Rules

    changes: dict[str, Any] = {}
    if match_length is not None:
        if match_length < 1:
            raise InvalidOptionError(
                f"A match is to 1 point or more, not {match_length!r}; leave "
                f"--match-length out for money play."
            )
        changes["match_length"] = match_length
    if cube is not None:
        changes["cube"] = cube
    default = DEFAULT_RULES if match_length is None else "match"
    return Rules.preset(default if name is None else name, **changes)
