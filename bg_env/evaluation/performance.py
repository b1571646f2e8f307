"""How well recorded games were played: errors of plays and cube, and rates of them.

::

    from bg_env.evaluation import performance_rating
    from bg_env.notation import read_mat

    print(performance_rating(read_mat("match.mat"), "td", plies=1))

``docs/analysis.md`` says what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Evaluator
from bg_env.equity import MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError
from bg_env.evaluation._luck import evaluator_of
from bg_env.evaluation._plays import RatedPlays, rate_plays
from bg_env.evaluation.arena import Progress, check_whole
from bg_env.evaluation.performance_results import (
    CostlyDecision,
    GameRating,
    PerformanceRating,
    PlayerRating,
)
from bg_env.evaluation.recorded import Record, RecordedDecision, recorded_decisions
from bg_env.notation import format_play
from bg_env.rules.batch import States
from bg_env.rules.decisions import BEAVER, DOUBLE, DROP, ROLL, TAKE, decision_name
from bg_env.rules.movegen import play_of
from bg_env.rules.state import BEFORE_ROLL, DOUBLED, MOVING, STATE_DTYPE
from bg_env.search.cube import CubeDecision, cube_decision
from bg_env.search.lookahead import check_plies

__all__ = [
    "CostlyDecision",
    "GameRating",
    "PerformanceRating",
    "PlayerRating",
    "performance_rating",
]

CLOSE: Final = 0.25
WORST: Final = 5
_MOST_WORST: Final = 2**31 - 1
_AT_ONCE: Final = 128  # rolls whose plays are rated together
_SLACK: Final = 1e-9
_SEEN: Final = 0.0005  # a smaller error is shown as 0.000


def performance_rating(
    games: Record | Iterable[Record],
    judge: str | Evaluator = "td",
    *,
    plies: int = 0,
    names: Sequence[str] | None = None,
    close: float = CLOSE,
    worst: int = WORST,
    table: MatchEquityTable | None = None,
    progress: Progress | None = None,
) -> PerformanceRating:
    """Judge the decisions of recorded games, of both players.

    The error of a decision is the equity of the best one less its own, by the judge,
    cube and score included, in units of the cube (EMG in matches).

    Args:
        games: A `Game`, `Match` or `Session` of `bg_env.table`, what `read_mat` read,
            decisions (`RecordedDecision`), or any number of these.
        judge: Agent string or evaluator.
        plies: How deep it looks, in plays and for the cube.
        names: Of player 0 and player 1; None = those of the record.
        close: A roll without a double counts as a decision where a double would have
            cost less than this.
        worst: How many of the worst decisions of each player are given.
        table: Match equities; None = the default ones.
        progress: Called with (decisions judged, decisions to judge).

    Raises:
        UnknownNameError: No agent of that name.
        InvalidOptionError: A judge that rates no positions, an argument that cannot
            be, or a decision that was not legal.
        InvalidNotationError: A match file that the rules do not allow.
    """
    evaluator = evaluator_of(judge, "judge recorded games")
    check_plies(plies)
    if not isinstance(close, Real) or isinstance(close, bool) or not close >= 0:
        raise InvalidOptionError(
            f"Argument close is a number of points, 0 or more, not {close!r}."
        )
    check_whole("worst", worst, 0, _MOST_WORST)
    decisions, recorded = recorded_decisions(games)
    chosen = recorded if names is None else _checked_names(names)
    court = _Court(
        evaluator, int(plies), load_table() if table is None else table, float(close)
    )
    verdicts = court.verdicts(decisions, progress)
    sums = _Sums(verdicts, sorted({one.game for one in decisions}), int(worst))
    spec = judge.strip() if isinstance(judge, str) else str(evaluator.name)
    return PerformanceRating(
        judge=spec,
        plies=int(plies),
        close=float(close),
        match_equities=court.table.name,
        games=len(sums.games),
        players=(sums.player(chosen[0], 0), sums.player(chosen[1], 1)),
    )


def _checked_names(names: Sequence[str]) -> tuple[str, str]:
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InvalidOptionError(f"names are two texts, not {names!r}.")
    return names[0], names[1]


# --- judging --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a decision cost, in units of the cube, and what would have been best."""

    decision: RecordedDecision
    is_play: bool
    counts: bool
    error: float
    played: str
    best: str


_Judge = Callable[[Sequence[RecordedDecision], States], list[_Verdict]]


@dataclass(frozen=True, slots=True)
class _Court:
    """A judge, and what is counted."""

    evaluator: Evaluator
    plies: int
    table: MatchEquityTable
    close: float

    def verdicts(
        self, decisions: Sequence[RecordedDecision], progress: Progress | None
    ) -> list[_Verdict]:
        """On all decisions on plays and on the cube, in their order."""
        found: dict[int, _Verdict] = {}
        parts = list(self._parts(decisions))
        total = sum(len(part) for _, part in parts)
        for judge, part in parts:
            if progress is not None:
                progress(len(found), total)
            some = [decisions[number] for number in part]
            states = np.concatenate(
                [decision.state.record for decision in some], dtype=STATE_DTYPE
            )
            found.update(zip(part, judge(some, states), strict=True))
        return [found[number] for number in sorted(found)]

    def _parts(
        self, decisions: Sequence[RecordedDecision]
    ) -> Iterator[tuple[_Judge, list[int]]]:
        """What is judged together: who judges, and numbers of decisions."""
        for phase, judge in (
            (MOVING, self._plays),
            (BEFORE_ROLL, self._doubles),
            (DOUBLED, self._answers),
        ):
            numbers = [
                number
                for number, decision in enumerate(decisions)
                if _is_judged(decision, phase)
            ]
            for start in range(0, len(numbers), _AT_ONCE):
                yield judge, numbers[start : start + _AT_ONCE]

    def _plays(
        self, decisions: Sequence[RecordedDecision], states: States
    ) -> list[_Verdict]:
        asked = np.stack([decision.board() for decision in decisions])
        rated = rate_plays(self.evaluator, states, self.plies, self.table, asked)
        return [
            self._play(decision, rated, number, asked[number])
            for number, decision in enumerate(decisions)
        ]

    def _play(
        self,
        decision: RecordedDecision,
        rated: RatedPlays,
        number: int,
        asked: NDArray[np.int8],
    ) -> _Verdict:
        rows = np.arange(rated.offsets[number], rated.offsets[number + 1])
        same = (rated.boards[rows] == asked).all(axis=(1, 2))
        if not same.any():
            raise InvalidOptionError(
                f"Game {decision.game}: the play was not legal with dice "
                f"{list(decision.state.dice_left)} in position "
                f"{decision.state.position.id}."
            )
        kept = rows[rated.kept[rows]]
        best = int(kept[np.argmax(rated.ranks[kept])])
        row = int(rows[same.argmax()])
        highest = float(rated.equities[kept].max())
        return _Verdict(
            decision=decision,
            is_play=True,
            counts=len(rows) > 1,
            error=highest - float(rated.equities[row]),
            played=_text_of(decision, rated, row),
            best=_text_of(decision, rated, best),
        )

    def _doubles(
        self, decisions: Sequence[RecordedDecision], states: States
    ) -> list[_Verdict]:
        found = self._cube(states)
        kept, doubled = found.equities.no_double, _doubled(found)
        return [
            self._double(decision, float(kept[i]), float(doubled[i]))
            for i, decision in enumerate(decisions)
        ]

    def _double(
        self, decision: RecordedDecision, kept: float, doubled: float
    ) -> _Verdict:
        has_doubled = decision.codes == (DOUBLE,)
        values = {ROLL: kept, DOUBLE: doubled}
        return _cube_verdict(
            decision, values, counts=has_doubled or kept - doubled < self.close
        )

    def _answers(
        self, decisions: Sequence[RecordedDecision], states: States
    ) -> list[_Verdict]:
        taken = self._cube(states).equities.double_take
        verdicts = []
        for decision, value in zip(decisions, taken.tolist(), strict=True):
            state = decision.state
            own = value if state.to_act == state.on_roll else -value
            values = {TAKE: own, DROP: -1.0}
            if state.is_legal(BEAVER):
                values[BEAVER] = 2 * own
            verdicts.append(_cube_verdict(decision, values, counts=True))
        return verdicts

    def _cube(self, states: States) -> CubeDecision:
        return cube_decision(self.evaluator, states, self.plies, table=self.table)


def _is_judged(decision: RecordedDecision, phase: int) -> bool:
    """True for a play, a double or roll where there may be one, an answer to one."""
    state, codes = decision.state, decision.codes
    if state.phase != phase or state.offer:
        return False
    if phase == BEFORE_ROLL:
        return codes in ((ROLL,), (DOUBLE,)) and state.is_legal(DOUBLE)
    if phase == DOUBLED:
        return codes in ((TAKE,), (DROP,), (BEAVER,))
    return decision.result is not None or all(code < ROLL for code in codes)


def _doubled(found: CubeDecision) -> NDArray[np.float64]:
    """What a double is worth against the best answer: float64[B]."""
    taken = found.equities.double_take
    answered = np.where(found.beaver, 2 * taken, taken)
    least: NDArray[np.float64] = np.minimum(answered, found.equities.double_pass)
    return least


def _cube_verdict(
    decision: RecordedDecision, values: dict[int, float], *, counts: bool
) -> _Verdict:
    chosen = decision.codes[0]
    best = max(values, key=lambda code: values[code])
    error = values[best] - values[chosen]
    return _Verdict(
        decision=decision,
        is_play=False,
        counts=counts,
        error=error if error > _SLACK else 0.0,
        played=_word(chosen),
        best=_word(best),
    )


def _word(code: int) -> str:
    return "no double" if code == ROLL else decision_name(code)


def _text_of(decision: RecordedDecision, rated: RatedPlays, row: int) -> str:
    play = play_of(rated.boards[row], rated.codes[row])
    return format_play(decision.state.position, play.moves)


# --- summing up -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sums:
    """The verdicts of all games, to be summed up by player and game."""

    verdicts: Sequence[_Verdict]
    games: Sequence[int]
    most: int

    def player(self, name: str, player: int) -> PlayerRating:
        """Everything about one player."""
        own = [one for one in self.verdicts if one.decision.state.to_act == player]
        counted = [verdict for verdict in own if verdict.counts]
        plays = [verdict.error for verdict in counted if verdict.is_play]
        cubes = [verdict.error for verdict in counted if not verdict.is_play]
        errors = np.array(plays + cubes)
        spread = float(errors.std(ddof=1)) if len(errors) > 1 else None
        worst = sorted(
            (verdict for verdict in counted if verdict.error >= _SEEN),
            key=lambda verdict: -verdict.error,
        )
        return PlayerRating(
            name=name,
            decisions=len(own),
            plays=sum(verdict.is_play for verdict in own),
            unforced_plays=len(plays),
            counted_cubes=len(cubes),
            play_error=float(sum(plays)),
            cube_error=float(sum(cubes)),
            mean_error_error=None if spread is None else spread / len(errors) ** 0.5,
            moves_of_both=sum(verdict.is_play for verdict in self.verdicts),
            worst=tuple(map(_costly, worst[: self.most])),
            by_game=tuple(_of_game(own, game) for game in self.games),
        )


def _of_game(verdicts: Sequence[_Verdict], game: int) -> GameRating:
    own = [verdict for verdict in verdicts if verdict.decision.game == game]
    counted = [verdict.error for verdict in own if verdict.counts]
    return GameRating(
        game=game,
        decisions=len(own),
        unforced=len(counted),
        total_error=float(sum(counted)),
    )


def _costly(verdict: _Verdict) -> CostlyDecision:
    state = verdict.decision.state
    return CostlyDecision(
        game=verdict.decision.game,
        state=state,
        dice=state.dice,
        played=verdict.played,
        best=verdict.best,
        error=verdict.error,
    )
