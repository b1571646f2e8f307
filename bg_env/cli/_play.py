"""``bg-env play``: a person plays an agent in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bg_env.cli._options import given_option
from bg_env.errors import InvalidOptionError

if TYPE_CHECKING:
    from bg_env.cli._play_talk import TableTalk
    from bg_env.rules.options import Clock, Rules

# Options that say how a match begins.
_OF_THE_BEGINNING: Final = (
    "match_length",
    "money",
    "rules",
    "clock",
    "seed",
    "save",
)
_USUAL_LENGTH: Final = 5

_AgentName = Annotated[
    str | None,
    typer.Argument(metavar="AGENT", help="The opponent: pubeval, td, td:FILE …"),
]
_MatchLength = Annotated[
    int | None,
    typer.Option(metavar="N", help="Points of the match.", show_default="5"),
]
_Money = Annotated[
    bool, typer.Option("--money", help="Games for money, as many as you like.")
]
_RulesName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A rules preset: match, standard, cubeless, timed, household, "
        "us-tournament.",
    ),
]
_ClockName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Play by a clock: timed, us-tournament."),
]
_Seed = Annotated[
    int | None, typer.Option(help="Fixes the dice.", show_default="other dice")
]
_Home = Annotated[
    str | None,
    typer.Option(
        help="The side of your home board: right, left, or alternate by games.",
        show_default="right",
    ),
]
_HandDice = Annotated[
    bool | None,
    typer.Option(
        "--hand-dice/--no-hand-dice",
        help="Throw dice by hand, for both sides, and type the rolls.",
        show_default="no",
    ),
]
_Hints = Annotated[
    str | None,
    typer.Option(metavar="AGENT", help="Who gives hints.", show_default="td"),
]
_Save = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Keep the match in this new file."),
]
_Resume = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Go on with the match of a file."),
]


def play(
    ctx: typer.Context,
    agent: _AgentName = None,
    match_length: _MatchLength = None,
    money: _Money = False,
    rules: _RulesName = None,
    clock: _ClockName = None,
    seed: _Seed = None,
    home: _Home = None,
    hand_dice: _HandDice = None,
    hints: _Hints = None,
    save: _Save = None,
    resume: _Resume = None,
) -> None:
    """Play a match with the cube against AGENT; type help at the prompt.

    The match is kept after all that is done in it: --resume goes on where it was left.
    """
    changes: dict[str, Any] = {"home": home, "hand_dice": hand_dice, "hints": hints}
    changes = {name: value for name, value in changes.items() if value is not None}
    if resume is not None:
        _refuse_beginnings(ctx)
        talk = _resumed(resume, agent, changes)
    else:
        chosen = rules_of(rules, match_length, money, clock)
        talk = _begun(agent, chosen, seed, save, changes)
    talk.run()


def _begun(
    agent: str | None,
    rules: Rules,
    seed: int | None,
    save: str | None,
    changes: dict[str, Any],
) -> TableTalk:
    """A new match at a new table."""
    from bg_env.agent import make_agent
    from bg_env.cli._play_files import Keeper, Settings
    from bg_env.cli._play_talk import TableTalk
    from bg_env.cli._play_terminal import Terminal
    from bg_env.table import Match, Session

    if agent is None:
        raise InvalidOptionError(_who_is_missing())
    opponent = make_agent(agent)
    settings = Settings(agent=agent, **{"hints": "td", **changes})
    adviser = make_agent(settings.hints) if "hints" in changes else None
    kind = Match if rules.match_length else Session
    table = kind(
        rules,
        seed=seed,
        players=(None, opponent),
        names=("You", opponent.name[:20]),
    )
    keeper = Keeper.new(save)
    if save is not None:
        keeper.keep(table, settings)  # an impossible place is refused at once
    return TableTalk(table, settings, Terminal(), keeper, adviser)


def _who_is_missing() -> str:
    from bg_env.cli._play_files import unfinished

    found = unfinished()
    more = f" (the last one: bg-env play --resume {found[0]})" if found else ""
    return (
        f"Say whom to play, as in `bg-env play pubeval`, or go on with a match by "
        f"--resume FILE{more}."
    )


def _resumed(path: str, agent: str | None, changes: dict[str, Any]) -> TableTalk:
    """The table of a file, with the opponent of then or another one."""
    from dataclasses import replace
    from pathlib import Path

    from bg_env.agent import make_agent
    from bg_env.cli._play_files import (
        Keeper,
        Settings,
        is_of_program,
        load_table,
        read_settings,
    )
    from bg_env.cli._play_talk import TableTalk
    from bg_env.cli._play_terminal import Terminal

    settings = read_settings(path)
    if settings is None and agent is None:
        raise InvalidOptionError(
            f"The file {path!r} does not say who the opponent was; name one: "
            f"bg-env play AGENT --resume {path}"
        )
    if settings is None:
        settings = Settings(agent=str(agent), hints="td")
    settings = replace(settings, agent=agent or settings.agent, **changes)
    adviser = make_agent(settings.hints) if "hints" in changes else None
    table = load_table(path, (None, make_agent(settings.agent)))
    keeper = Keeper(Path(path), is_own=not is_of_program(Path(path)))
    return TableTalk(table, settings, Terminal(), keeper, adviser)


def _refuse_beginnings(ctx: typer.Context) -> None:
    """Refuse, beside --resume, options of a match that begins.

    Raises:
        InvalidOptionError: Names the option.
    """
    option = given_option(ctx, _OF_THE_BEGINNING)
    if option is not None:
        raise InvalidOptionError(
            f"--resume goes on with a match as it is; leave {option} out."
        )


def rules_of(
    name: str | None, match_length: int | None, money: bool, clock: str | None
) -> Rules:
    """The rules that the options describe, with offers to resign.

    Raises:
        UnknownNameError: No preset or clock of that name.
        InvalidOptionError: Options that contradict each other.
    """
    from dataclasses import fields

    from bg_env.rules.options import Rules, quiet_rules

    changes = _length_of(name, match_length, money)
    preset = name or ("standard" if money else "match")
    chosen = Rules.preset(preset, **changes)
    if money and chosen.match_length:
        raise InvalidOptionError(
            f"--money is no match, but the preset {name!r} is one; leave one of the "
            f"two out."
        )
    options = {field.name: getattr(chosen, field.name) for field in fields(Rules)}
    if clock is not None:
        options["clock"] = _clock_of(clock, chosen)
    return quiet_rules(**{**options, "resign": chosen.resign or "offer"})


def _clock_of(name: str, rules: Rules) -> Clock:
    """The clock of a preset, for these rules."""
    from bg_env.table import clock_preset

    clock = clock_preset(name, rules.match_length or _USUAL_LENGTH)
    if clock.award == "match" and not rules.match_length:
        raise InvalidOptionError(
            f"--clock {name} needs a match, which is lost when its time is over; for "
            f"money play there is --clock timed."
        )
    return clock


def _length_of(
    name: str | None, match_length: int | None, money: bool
) -> dict[str, Any]:
    """The length of the match as an option of rules, {} where the preset says it."""
    if match_length is None:
        return {} if name is not None or money else {"match_length": _USUAL_LENGTH}
    if money:
        raise InvalidOptionError(
            f"--money is no match, so --match-length {match_length} has no meaning; "
            f"leave one of the two out."
        )
    if match_length < 1:
        raise InvalidOptionError(
            f"A match is to 1 point or more, not {match_length!r}; for money play "
            f"there is --money."
        )
    return {"match_length": match_length}
