"""Rollouts: what a position is worth, found by playing it on many times.

::

    from bg_env.search import rollout, rollout_plays

    td = make_agent("td")
    print(rollout(td, Position.start()))
    print(rollout_plays(td, Position.start(), (3, 1), truncate=10))

`docs/search.md` says how trials are played and how sure their mean is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.errors import InvalidOptionError
from bg_env.rules.movegen import Play, check_dice, check_position, legal_plays
from bg_env.rules.position import Position
from bg_env.search._rollout_dice import THROWS
from bg_env.search._rollout_run import Progress, Run, Stop, check_whole
from bg_env.search._rollout_trials import LONGEST, TrialPlan
from bg_env.search.filters import MoveFilter, promising
from bg_env.search.lookahead import check_boards, check_plies
from bg_env.search.rollout_results import PlaysRollout, RolledOut, RolledPlay, Rollout
from bg_env.search.rolls import equity, rate_results

__all__ = [
    "CANDIDATES",
    "TRIALS",
    "PlaysRollout",
    "Progress",
    "RolledOut",
    "RolledPlay",
    "Rollout",
    "Stop",
    "rollout",
    "rollout_plays",
]

TRIALS: Final = 1296
"""Trials of each position unless told otherwise: every pair of first throws once."""
CANDIDATES: Final = MoveFilter(most=5, within=0.12)
"""The plays that `rollout_plays` rolls out when it is not told which."""

_MOST_TRIALS: Final = 2**32  # what a lane of dice has room for
_NEVER: Final = Stop()


def rollout(
    evaluator: Evaluator,
    positions: Position | Sequence[Position] | NDArray[np.int8],
    *,
    trials: int = TRIALS,
    seed: int = 0,
    truncate: int | None = None,
    plies: int = 0,
    luck: bool = True,
    bearoff: bool = True,
    paired: bool = True,
    stop: Stop = _NEVER,
    progress: Progress | None = None,
) -> Rollout:
    """Play positions on, many times, and say what they are worth.

    Cubeless: all games are played to the end for single wins, gammons and backgammons.
    The same call gives the same result, unless seconds end it. A KeyboardInterrupt
    (Ctrl-C) ends it with the waves of trials finished so far; before the first is
    finished, there is nothing to keep, and it goes through.

    Args:
        evaluator: Chooses the plays of both sides.
        positions: One or more, seen by the player on roll, who has yet to roll; or
            boards int8[B, 2, 32], row 0 on roll.
        trials: How often each is played, 36 times at least; best a multiple of 1,296.
        seed: 0 to 2**64 − 1, fixes the dice.
        truncate: Turns after which the evaluator says what a trial is worth; None =
            trials are played to the end (or 1,000 turns).
        plies: How deep the plays are looked at, with `default_filters`, and the
            positions where trials are cut short.
        luck: Whether the luck of every roll is taken off, by the evaluator itself.
        bearoff: Whether a trial ends where the bear-off tables are exact: both sides
            with six checkers or fewer, all at home.
        paired: Whether trials of the same number have the same dice in all positions.
        stop: When to end early.
        progress: Called every turn.

    Raises:
        InvalidOptionError: An argument with an impossible value.
        InvalidPositionError: No `Position`.
    """
    boards = _boards_of(positions)
    refuse_confidence(stop)
    options = plan_options(plies, truncate, luck, bearoff, seed)
    plan = TrialPlan(evaluator=evaluator, **options)
    run = Run(plan, boards, check_trials(trials), bool(paired), stop)
    return run.result(progress)


def rollout_plays(
    evaluator: Evaluator,
    position: Position,
    dice: tuple[int, int],
    *,
    plays: Sequence[Play] | MoveFilter = CANDIDATES,
    trials: int = TRIALS,
    seed: int = 0,
    truncate: int | None = None,
    plies: int = 0,
    luck: bool = True,
    bearoff: bool = True,
    paired: bool = True,
    stop: Stop = _NEVER,
    progress: Progress | None = None,
) -> PlaysRollout:
    """Roll out the plays of one roll and compare them.

    Args:
        evaluator: As for `rollout`; this and what is not listed here.
        position: Seen by the player who has rolled.
        dice: The roll.
        plays: The plays to compare, or which of all by what the evaluator says.
        trials: ...
        seed: ...
        truncate: Turns after the play.
        plies: ...
        luck: ...
        bearoff: ...
        paired: Whether trials of the same number have the same dice after all plays:
            differences are then surer by far.
        stop: ...
        progress: ...

    Raises:
        InvalidOptionError: An argument with an impossible value.
        InvalidPositionError: No `Position`.
    """
    options = plan_options(plies, truncate, luck, bearoff, seed)
    plan = TrialPlan(evaluator=evaluator, **options)
    chosen = _candidates(evaluator, position, dice, plays)
    boards = np.stack([play.result.to_board() for play in chosen])
    following = np.ascontiguousarray(boards[:, ::-1])
    run = Run(plan, following, check_trials(trials), bool(paired), stop, moved=True)
    return ranked_plays(chosen, run.result(progress), run.dropped)


def _candidates(
    evaluator: Evaluator,
    position: Position,
    dice: tuple[int, int],
    plays: Sequence[Play] | MoveFilter,
) -> list[Play]:
    check_position(position)
    if isinstance(plays, MoveFilter):
        found = legal_plays(position, check_dice(dice))
        boards = np.stack([play.result.to_board() for play in found])
        equities = equity(rate_results(evaluator, boards))
        every = np.ones(len(found), np.bool_)
        kept = promising(equities, every, np.array([0, len(found)]), plays)
        return [play for play, passed in zip(found, kept, strict=True) if passed]
    legal = {play.result for play in legal_plays(position, check_dice(dice))}
    where = f"roll {list(dice)} in position {position.id}"
    return check_plays(plays, legal, where)


def check_plays(plays: Sequence[Play], legal: set[Position], where: str) -> list[Play]:
    """The plays as a list.

    Raises:
        InvalidOptionError: None at all, or one that leads to no legal result.
    """
    for play in plays:
        if not isinstance(play, Play) or play.result not in legal:
            raise InvalidOptionError(
                f"A play to roll out is a legal Play of {where}, unlike {play!r}."
            )
    if not plays:
        raise InvalidOptionError(f"There must be a play to roll out, not {plays!r}.")
    return list(plays)


def ranked_plays(
    plays: Sequence[Play], result: Rollout, dropped: NDArray[np.bool_]
) -> PlaysRollout:
    """The plays with what they are worth, the best first, those dropped last."""
    order = sorted(
        range(len(plays)), key=lambda i: (dropped[i], -result.positions[i].equity)
    )
    rolled = [
        RolledPlay(
            plays[i],
            result.positions[i],
            *result.difference(order[0], i),
            bool(dropped[i]),
        )
        for i in order
    ]
    return PlaysRollout(tuple(rolled), result)


# --- arguments ------------------------------------------------------------------------


def plan_options(
    plies: int, truncate: int | None, luck: bool, bearoff: bool, seed: int
) -> dict[str, Any]:
    """The options of a `TrialPlan`, checked.

    Raises:
        InvalidOptionError: One with an impossible value.
    """
    if truncate is not None:
        check_whole("truncate", truncate, 1)
    check_whole("seed", seed, 0)
    if seed >= 2**64:
        raise InvalidOptionError(f"A seed is at most 2**64 − 1, not {seed!r}.")
    return {
        "plies": check_plies(plies),
        "truncate": LONGEST if truncate is None else min(int(truncate), LONGEST),
        "luck": bool(luck),
        "bearoff": bool(bearoff),
        "seed": int(seed),
    }


def refuse_confidence(stop: Stop) -> None:
    """Refuse a stop that compares plays, where there are none.

    Raises:
        InvalidOptionError: It has a confidence.
    """
    if stop.confidence is not None:
        raise InvalidOptionError(
            f"Stop(confidence={stop.confidence!r}) compares the plays of one roll: use "
            f"rollout_plays, or leave it out."
        )


def check_trials(trials: int) -> int:
    """How many trials, as an int.

    Raises:
        InvalidOptionError: Not a whole number of 36 to 2**32.
    """
    check_whole("trials", trials, THROWS)
    if trials > _MOST_TRIALS:
        raise InvalidOptionError(f"A rollout has at most 2**32 trials, not {trials!r}.")
    return int(trials)


def _boards_of(
    positions: Position | Sequence[Position] | NDArray[np.int8],
) -> NDArray[np.int8]:
    if isinstance(positions, np.ndarray):
        boards = check_boards(positions)
    else:
        several = [positions] if isinstance(positions, Position) else list(positions)
        for position in several:
            check_position(position)
        boards = np.zeros((len(several), 2, 32), np.int8)
        for number, position in enumerate(several):
            boards[number] = position.to_board()
    if not len(boards):
        raise InvalidOptionError("There must be a position to roll out, not none.")
    return boards
