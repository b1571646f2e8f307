"""Cubeful rollouts: plays and doubles, found by playing on with the cube.

::

    from bg_env.search.rollout_cube import rollout_cube, rollout_cubeful_plays

    state = bg_env.parse_xgid("XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:00:0:0:0:0:10")
    print(rollout_cube(make_agent("td"), state, truncate=8))

`docs/search.md` says how trials are played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator, plays_of_states
from bg_env.equity import MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Play, play_of
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, MOVING
from bg_env.search._cube import DOUBLE_TAKE, NO_DOUBLE, Cubes
from bg_env.search._cube_search import rated_results, result_worths
from bg_env.search._cube_worths import (
    cubes_of_states,
    may_double,
    other_cubes,
    rate_worths,
    turned_cubes,
)
from bg_env.search._rollout_cube import CubePlan
from bg_env.search._rollout_run import Progress, Run, Stop
from bg_env.search.cube import CubeDecision, decide_cube
from bg_env.search.filters import MoveFilter, promising
from bg_env.search.rollout import (
    CANDIDATES,
    TRIALS,
    check_plays,
    check_trials,
    plan_options,
    ranked_plays,
    refuse_confidence,
)
from bg_env.search.rollout_results import PlaysRollout, RolledOut, Rollout

__all__ = ["CubeRollout", "rollout_cube", "rollout_cubeful_plays"]

_NEVER: Final = Stop()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CubeRollout:
    """What a decision about the cube is worth by a rollout.

    Attributes:
        no_double: Playing on with the cube as it is, to the player on roll.
        double_take: A double that is taken; None where he may not double.
        gain: Equity of `double_take` less that of `no_double`, by the same dice.
        gain_error: Its standard error.
        decision: What both players do best by these equities, arrays of one.
        rollout: The trials, no double first.
    """

    no_double: RolledOut
    double_take: RolledOut | None
    gain: float | None
    gain_error: float | None
    decision: CubeDecision
    rollout: Rollout

    def __str__(self) -> str:
        lines = [f"no double: {self.no_double}"]
        if self.double_take is not None:
            lines += [
                f"double, take: {self.double_take}, {self.gain:+.4f} from no double, "
                f"standard error {self.gain_error:.4f}",
                "double, pass: +1.0000",
            ]
        return "\n".join(lines)


def rollout_cube(
    evaluator: Evaluator,
    state: GameState,
    *,
    trials: int = TRIALS,
    seed: int = 0,
    truncate: int | None = None,
    plies: int = 0,
    luck: bool = True,
    bearoff: bool = True,
    stop: Stop = _NEVER,
    progress: Progress | None = None,
    table: MatchEquityTable | None = None,
) -> CubeRollout:
    """Roll out no double and double and take, with the same dice.

    Args:
        evaluator: Chooses plays and doubles of both sides.
        state: Money or match, before the roll of the player who may double; where a
            double is pending it is as before it.
        trials: As for `rollout`.
        seed: As for `rollout`.
        truncate: Turns after which a trial is worth what the formulas of the cube say.
        plies: How deep plays and doubles are looked at, and positions cut short.
        luck: As for `rollout`.
        bearoff: Whether a trial ends where the bear-off tables are exact, its cube
            included: in money play, and where nobody doubles any more.
        stop: When to end early.
        progress: Called every turn.
        table: Match equities; None = the default ones.

    Raises:
        InvalidOptionError: An argument with an impossible value, or a game in which
            no decision about the cube may be due.
    """
    refuse_confidence(stop)
    _check_phase(state, (BEFORE_ROLL, DOUBLED), "before the roll")
    cubes = cubes_of_states(state.record)
    plan = CubePlan(
        evaluator=evaluator,
        **plan_options(plies, truncate, luck, bearoff, seed),
        table=load_table() if table is None else table,
        root=cubes,
        cube_first=False,
    )
    board = np.ascontiguousarray(state.record["board"])
    available = bool(may_double(cubes)[0])
    if available:
        board, cubes = board.repeat(2, axis=0), np.append(cubes, turned_cubes(cubes))
    run = Run(plan, board, check_trials(trials), True, stop, cubes=cubes)
    result = run.result(progress)
    gain, error = result.difference(1, 0) if available else (None, None)
    return CubeRollout(
        no_double=result.positions[0],
        double_take=result.positions[1] if available else None,
        gain=gain,
        gain_error=error,
        decision=_decision(plan, board[:1], result),
        rollout=result,
    )


def _decision(plan: CubePlan, board: NDArray[np.int8], result: Rollout) -> CubeDecision:
    """What follows from the equities rolled out."""
    first, *others = result.positions
    chances = np.clip(np.array([first.chances], np.float32), 0, 1)
    worths = rate_worths(board, chances, plan.root, plan.table)
    middle, half = plan.unit
    worths[0, NO_DOUBLE] = middle + half * first.equity
    for doubled in others:
        worths[0, DOUBLE_TAKE] = middle + half * doubled.equity
    return decide_cube(worths, plan.root)


def rollout_cubeful_plays(
    evaluator: Evaluator,
    state: GameState,
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
    table: MatchEquityTable | None = None,
) -> PlaysRollout:
    """Roll out the plays of one roll, with the cube and at the score, and compare them.

    Args:
        evaluator: Chooses plays and doubles of both sides.
        state: Money or match, dice rolled; plays are those of the dice left.
        plays: The plays to compare, or which of all by their cubeful equity.
        trials: As for `rollout`; this and what is not listed here.
        seed: ...
        truncate: As for `rollout_cube`.
        plies: As for `rollout_cube`.
        luck: ...
        bearoff: As for `rollout_cube`.
        paired: As for `rollout_plays`.
        stop: ...
        progress: ...
        table: Match equities; None = the default ones.

    Raises:
        InvalidOptionError: An argument with an impossible value, or a game in which
            there is nothing to play.
    """
    _check_phase(state, (MOVING,), "with a roll to be played")
    cubes = cubes_of_states(state.record)
    plan = CubePlan(
        evaluator=evaluator,
        **plan_options(plies, truncate, luck, bearoff, seed),
        table=load_table() if table is None else table,
        root=other_cubes(cubes),
        cube_first=True,
    )
    chosen = _candidates(plan, state, cubes, plays)
    boards = np.stack([play.result.to_board()[::-1] for play in chosen])
    run = Run(
        plan,
        np.ascontiguousarray(boards),
        check_trials(trials),
        bool(paired),
        stop,
        moved=True,
        cubes=plan.root.repeat(len(chosen)),
    )
    return ranked_plays(chosen, run.result(progress), run.dropped)


def _candidates(
    plan: CubePlan,
    state: GameState,
    cubes: Cubes,
    plays: Sequence[Play] | MoveFilter,
) -> list[Play]:
    every = plays_of_state(state)
    if not isinstance(plays, MoveFilter):
        where = f"the dice left in position {state.position.id}"
        return check_plays(plays, {play.result for play in every}, where)
    boards = np.stack([play.result.to_board() for play in every])
    results = rated_results(plan.evaluator, boards)
    worths = result_worths(results, cubes.repeat(len(every)), plan.table)
    half = plan.unit[1]
    every_one = np.ones(len(every), np.bool_)
    kept = promising(worths / half, every_one, np.array([0, len(every)]), plays)
    return [play for play, passed in zip(every, kept, strict=True) if passed]


def plays_of_state(state: GameState) -> list[Play]:
    """The distinct plays of the dice left; one without moves if there is none."""
    boards, codes, _ = plays_of_states(state.record)
    plays = [play_of(board, some) for board, some in zip(boards, codes, strict=True)]
    return plays or [Play((), state.position)]


def _check_phase(state: GameState, phases: tuple[int, ...], when: str) -> None:
    if not isinstance(state, GameState) or state.phase not in phases or state.offer:
        what = f"one in phase {state.phase}" if isinstance(state, GameState) else state
        raise InvalidOptionError(
            f"This rollout starts from a GameState {when}, not from {what!r}."
        )
