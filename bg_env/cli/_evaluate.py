"""``bg-env evaluate``: one agent against another, or against a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bg_env.cli._options import given_option
from bg_env.errors import EngineError, InvalidOptionError

if TYPE_CHECKING:
    from bg_env.rules.options import Rules

# Options that mean nothing where no games are played.
_OF_GAMES: Final = (
    "games",
    "rules",
    "match_length",
    "paired",
    "cube",
    "max_turns",
    "luck",
    "timed",
    "batch_size",
)

_A = Annotated[
    str,
    typer.Argument(metavar="A", help="The agent to measure: pubeval, td, td:FILE …"),
]
_B = Annotated[
    str | None,
    typer.Argument(metavar="B", help="Its opponent; none with --error-rate."),
]
_Games = Annotated[
    int, typer.Option(help="How many games; with match rules, how many matches.")
]
_Seed = Annotated[int, typer.Option(help="Fixes dice and choices.")]
_RulesName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A rules preset: cubeless (default), standard, match, timed, "
        "household, us-tournament.",
    ),
]
_MatchLength = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Points of a match; alone, means rules match; with cubeless, a match "
        "without a cube.",
    ),
]
_Paired = Annotated[
    bool,
    typer.Option("--paired/--unpaired", help="Play the same dice from both seats."),
]
_Cube = Annotated[
    bool | None,
    typer.Option(
        "--cube/--no-cube", help="Use the doubling cube.", show_default="as the rules"
    ),
]
_MaxTurns = Annotated[int, typer.Option(help="Leave out games that last longer.")]
_Luck = Annotated[
    str | None,
    typer.Option(
        metavar="AGENT",
        help="Take the luck of the rolls out, as this agent sees it; money games.",
    ),
]
_Timed = Annotated[
    bool,
    typer.Option("--timed", help="Charge agents for their time; rules with a clock."),
]
_BatchSize = Annotated[
    int, typer.Option(help="Most games at once; 1: every decision is timed alone.")
]
_ErrorRate = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Play no games: sum up A's errors in the judged positions of FILE.",
    ),
]
_Json = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Write the result as JSON; - is stdout, table on stderr."
    ),
]


def evaluate(
    ctx: typer.Context,
    a: _A,
    b: _B = None,
    games: _Games = 10_000,
    seed: _Seed = 0,
    rules: _RulesName = None,
    match_length: _MatchLength = None,
    paired: _Paired = True,
    cube: _Cube = None,
    max_turns: _MaxTurns = 1000,
    luck: _Luck = None,
    timed: _Timed = False,
    batch_size: _BatchSize = 2048,
    error_rate: _ErrorRate = None,
    json: _Json = None,
) -> None:
    """Play A against B, print what A wins with its standard error.

    Ctrl-C stops early and prints what has been measured.

    With --error-rate FILE: let A alone play judged rolls, print what its errors cost.
    """
    if error_rate is not None:
        _refuse_games(ctx, b)
        _rate_errors(a, error_rate, seed, json)
        return
    if b is None:
        raise InvalidOptionError(
            f"Agent {a!r} needs an opponent, the argument B, or judged positions, "
            f"--error-rate FILE."
        )
    options = {
        "games": games,
        "seed": seed,
        "paired": paired,
        "rules": rules_of(rules, match_length, cube),
        "max_turns": max_turns,
        "luck": luck,
        "timed": timed,
        "batch_size": batch_size,
    }
    _play(a, b, options, json)


def _play(a: str, b: str, options: dict[str, Any], json: str | None) -> None:
    """Play games, show and write what came out.

    Args:
        a: Agent string.
        b: Agent string of the opponent.
        options: Further arguments of `bg_env.evaluation.evaluate`.
        json: Where to write JSON.
    """
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import evaluate as play
    from bg_env.evaluation.progress import ProgressBar

    with JsonTarget(json) as target:
        with ProgressBar() as bar:
            result = play(a, b, progress=bar.task(f"{a} against {b}"), **options)
        try:
            target.write(result.to_dict())
        finally:
            show(result.table(), stderr=target.is_stdout)
    if result.interrupted:
        raise KeyboardInterrupt
    if result.stopped_by:
        raise EngineError(result.stopped_by)


def _rate_errors(a: str, path: str, seed: int, json: str | None) -> None:
    """Measure the error rate, show and write it."""
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import error_rate, load_judged

    with JsonTarget(json) as target:
        result = error_rate(a, load_judged(path), seed=seed)
        try:
            target.write(result.to_dict())
        finally:
            show(result.table(), stderr=target.is_stdout)


def _refuse_games(ctx: typer.Context, b: str | None) -> None:
    """Refuse, beside --error-rate, an opponent and options of games.

    Raises:
        InvalidOptionError: Names what was given.
    """
    if b is not None:
        raise InvalidOptionError(
            f"--error-rate measures one agent alone; leave the opponent {b!r} out."
        )
    option = given_option(ctx, _OF_GAMES)
    if option is not None:
        raise InvalidOptionError(
            f"--error-rate plays no games; leave the option {option} out."
        )


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
