"""``bg-env analyze``: the best plays of a position, the cube, or recorded games."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bg_env.cli._options import given_option
from bg_env.errors import BgEnvError, InvalidOptionError

if TYPE_CHECKING:
    from bg_env.rules.game import GameState

# Options that mean nothing for games, and nothing for a position.
_OF_A_POSITION: Final = ("rollout", "truncate", "plays", "seed")
_OF_GAMES: Final = ("worst",)

_What = Annotated[
    str,
    typer.Argument(
        metavar="TEXT|FILE",
        help="An XGID, a position id, POSITIONID:MATCHID; or a file of games: .mat, or "
        "as play saves them.",
    ),
]
_AgentName = Annotated[str, typer.Option(help="Who judges: td, td:FILE, gnubg@2ply …")]
_Plies = Annotated[
    int, typer.Option(help="Rolls looked ahead, besides what the agent does.")
]
_Rollout = Annotated[
    int | None,
    typer.Option(metavar="TRIALS", help="Play each choice on, so often (1296, say)."),
]
_Truncate = Annotated[
    int | None,
    typer.Option(
        metavar="TURNS",
        help="Cut the trials of a rollout short.",
        show_default="to the end",
    ),
]
_Plays = Annotated[int, typer.Option(help="How many of the best plays.")]
_Worst = Annotated[
    int, typer.Option(help="Of games: how many of the worst decisions of each player.")
]
_Seed = Annotated[int, typer.Option(help="Fixes the dice of a rollout.")]
_Json = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Write the result as JSON; - is stdout, all else on stderr.",
    ),
]


def analyze(
    ctx: typer.Context,
    text: _What,
    agent: _AgentName = "td",
    plies: _Plies = 0,
    rollout: _Rollout = None,
    truncate: _Truncate = None,
    plays: _Plays = 5,
    worst: _Worst = 5,
    seed: _Seed = 0,
    json: _Json = None,
) -> None:
    """Find the best plays of a roll or, before the roll, what to do about the cube.

    Cube and score count as far as the game has them. Ctrl-C ends a rollout early.

    Of a file of games: how well each player has played, by game, and what cost most.
    """
    options: dict[str, Any] = {"plies": plies}
    what = _meant(text)
    if isinstance(what, Path):
        _refuse(ctx, _OF_A_POSITION, "is for a position, not for a file of games")
        _rate(what, agent, {**options, "worst": worst}, json)
        return
    _refuse(ctx, _OF_GAMES, "is for a file of games, not for a position")
    options |= {"rollout": rollout, "truncate": truncate, "plays": plays, "seed": seed}
    _study(what, agent, options, json)


def _meant(text: str) -> GameState | Path:
    """The position that a text describes, else the file of that name.

    Raises:
        BgEnvError: It is neither: what is wrong with the position, or that there is no
            such file where the text can be nothing else.
    """
    from bg_env.notation.reading import parse_state

    try:
        return parse_state(text)
    except BgEnvError:
        path = Path(text)
        with contextlib.suppress(OSError, ValueError):  # what can be no name
            if text and path.exists():
                return path
        if path.suffix and ":" not in text:
            raise InvalidOptionError(f"There is no file {text!r} of games.") from None
        raise


def _refuse(ctx: typer.Context, names: tuple[str, ...], why: str) -> None:
    """Refuse options that mean nothing here.

    Raises:
        InvalidOptionError: Names the first that was given.
    """
    option = given_option(ctx, names)
    if option is not None:
        raise InvalidOptionError(f"{option} {why}; leave it out.")


def _study(
    state: GameState, agent: str, options: dict[str, Any], json: str | None
) -> None:
    """Analyse a position, draw it, show and write what was found."""
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import analyze as study
    from bg_env.evaluation.progress import ProgressBar

    with JsonTarget(json) as target:
        with ProgressBar() as bar:
            result = study(state, agent, progress=bar.task("Trials"), **options)
        try:
            target.write(result.to_dict())
        finally:
            _draw(state, to_stderr=target.is_stdout)
            show(result.table(), stderr=target.is_stdout)
    if result.interrupted:
        raise KeyboardInterrupt


def _rate(path: Path, agent: str, options: dict[str, Any], json: str | None) -> None:
    """Rate the games of a file, show and write what was found.

    Raises:
        InvalidOptionError: Nothing in it could be judged.
    """
    from bg_env.cli._output import JsonTarget, show
    from bg_env.evaluation import performance_rating, read_games
    from bg_env.evaluation.progress import ProgressBar

    with JsonTarget(json) as target:
        games = read_games(path)
        with ProgressBar() as bar:
            report = bar.task("Decisions")
            rating = performance_rating(games, agent, progress=report, **options)
        if not any(player.decisions for player in rating.players):
            raise InvalidOptionError(
                f"The file {str(path)!r} has no play and no double yet; there is "
                f"nothing to judge."
            )
        try:
            target.write(rating.to_dict())
        finally:
            show(rating.table(), stderr=target.is_stdout)


def _draw(state: GameState, *, to_stderr: bool) -> None:
    """Draw the position, seen by the player on roll: his numbers are those of plays."""
    from bg_env.cli._output import look
    from bg_env.rendering import ansi

    seen = look(stderr=to_stderr)
    drawing = ansi.render(
        state, viewer=state.on_roll, unicode=seen.unicode, color=seen.color
    )
    typer.echo(drawing, err=to_stderr, color=True)
