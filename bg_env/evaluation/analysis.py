"""What a position holds: the best plays of a roll, or the decision about the cube.

::

    from bg_env.evaluation import analyze

    print(analyze("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"))

``docs/analysis.md`` says what the figures are.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bg_env.agent import Evaluator
from bg_env.equity import MatchEquityTable, load_table
from bg_env.errors import InvalidOptionError, InvalidPositionError
from bg_env.evaluation._luck import evaluator_of
from bg_env.evaluation._plays import RatedPlays, rate_plays, units
from bg_env.evaluation.analysis_results import (
    CubeAnalysis,
    PlayAnalysis,
    RatedPlay,
    Terms,
)
from bg_env.evaluation.arena import Progress, check_whole
from bg_env.notation import format_play
from bg_env.notation.reading import parse_state
from bg_env.rules import state as fields
from bg_env.rules.game import GameState
from bg_env.rules.movegen import play_of
from bg_env.search._cube_worths import may_beaver
from bg_env.search.cube import CubeDecision, cube_decision, cubes_of_states
from bg_env.search.lookahead import check_plies, lookahead_chances
from bg_env.search.rollout_cube import (
    CubeRollout,
    rollout_cube,
    rollout_cubeful_plays,
)
from bg_env.search.rollout_results import PlaysRollout
from bg_env.search.rolls import equity

__all__ = ["CubeAnalysis", "PlayAnalysis", "RatedPlay", "analyze"]

PLAYS: Final = 5
_MOST_PLAYS: Final = 2**31 - 1
_TRIALS: Final = (36, 2**32)
_SLACK: Final = 1e-9
_NOTHING_TO_DECIDE: Final = {
    fields.OPENING: "its opening roll is not made yet",
    fields.OVER: "it is over",
}


def analyze(
    state: GameState | str,
    agent: str | Evaluator = "td",
    *,
    plies: int = 0,
    rollout: int | None = None,
    plays: int = PLAYS,
    truncate: int | None = None,
    seed: int = 0,
    table: MatchEquityTable | None = None,
    progress: Progress | None = None,
) -> PlayAnalysis | CubeAnalysis:
    """Find the best plays of a roll, or what to do about the cube before it.

    Cube and score count in all equities, where they count in the game.

    Args:
        state: The game, or its XGID, GNU position:match id, or position id.
        agent: Who judges: an agent string, or anything with `name` and
            ``evaluate(boards)``.
        plies: Rolls looked ahead by this project's search, on top of what the agent
            does itself ("gnubg@2ply").
        rollout: How many trials are played of each play, or of no double and double and
            take; None = no rollout. `plies` then is the depth of their plays.
        plays: How many of the best plays are given, and rolled out.
        truncate: Turns after which trials are cut short; None = to the end.
        seed: Of the rollout's dice.
        table: Match equities; None = the default ones.
        progress: Called during a rollout with (trials over, trials asked for).

    Raises:
        UnknownNameError: No agent of that name.
        InvalidOptionError: It rates no positions, or an argument that cannot be.
        InvalidNotationError: Text that is no position.
        InvalidPositionError: A game in which nothing of this is to be decided.
    """
    game = parse_state(state) if isinstance(state, str) else state
    _check_decides(game)
    judge = evaluator_of(agent, "analyse positions")
    if rollout is not None:
        check_whole("rollout", rollout, *_TRIALS)
    elif truncate is not None:
        raise InvalidOptionError(
            f"truncate={truncate!r} cuts the trials of a rollout short; say how many "
            f"there are, rollout=1296, or leave it out."
        )
    name = agent.strip() if isinstance(agent, str) else str(judge.name)
    analysis = _Analysis(
        game=game,
        judge=judge,
        name=name,
        plies=check_plies(plies),
        table=load_table() if table is None else table,
        most=_check_plays(plays),
        truncate=truncate,
    )
    options = {"truncate": truncate, "seed": seed, "progress": progress}
    return analysis.result(rollout, options)


def _check_decides(game: Any) -> None:
    if not isinstance(game, GameState):
        raise InvalidOptionError(
            f"What is analysed is a GameState or its XGID or ids as text, not {game!r}."
        )
    why = _NOTHING_TO_DECIDE.get(game.phase)
    if game.offer:
        why = "a resignation awaits an answer"
    if why:
        raise InvalidPositionError(
            f"In a game whose position is {game.position.id} there is no play and no "
            f"double to analyse: {why}."
        )


def _check_plays(plays: Any) -> int:
    check_whole("plays", plays, 1, _MOST_PLAYS)
    return int(plays)


class _Analysis:
    """One analysis: who judges what, and how."""

    def __init__(
        self,
        *,
        game: GameState,
        judge: Evaluator,
        name: str,
        plies: int,
        table: MatchEquityTable,
        most: int,
        truncate: int | None,
    ) -> None:
        self.game, self.judge, self.name = game, judge, name
        self.plies, self.table, self.most = plies, table, most
        self.truncate = truncate
        self.cubes = cubes_of_states(game.record)
        middle, half = units(self.cubes, table)
        self.middle, self.half = float(middle[0]), float(half[0])

    def result(
        self, trials: int | None, options: dict[str, Any]
    ) -> PlayAnalysis | CubeAnalysis:
        """Analyse; options are those of a rollout."""
        if self.game.phase != fields.MOVING:
            return self._cube(trials, options)
        depth = 0 if trials else self.plies
        rated = rate_plays(self.judge, self.game.record, depth, self.table)
        if trials is None:
            return self._plays(rated)
        return self._rolled_plays(rated, trials, options)

    @property
    def terms(self) -> Terms:
        """What the equities are."""
        is_match = bool(self.cubes["is_match"][0])
        return Terms(
            agent=self.name,
            plies=self.plies,
            is_match=is_match,
            is_cubeful=is_match or bool(self.cubes["in_use"][0]),
            table=self.table.name if is_match else None,
            truncate=self.truncate,
        )

    def mwc(self, value: float) -> float | None:
        """An equity as the chance to win the match; None for money."""
        is_match = bool(self.cubes["is_match"][0])
        return self.middle + self.half * value if is_match else None

    # --- plays ------------------------------------------------------------------------

    def _plays(self, rated: RatedPlays) -> PlayAnalysis:
        order = np.lexsort((-rated.ranks, ~rated.kept))
        best = float(rated.equities[order[0]])
        return PlayAnalysis(
            state=self.game,
            terms=self.terms,
            legal=len(order),
            plays=tuple(
                self._play(rated, row, best) for row in order[: self.most].tolist()
            ),
        )

    def _play(self, rated: RatedPlays, row: int, best: float) -> RatedPlay:
        play = play_of(rated.boards[row], rated.codes[row])
        worth = float(rated.equities[row])
        return RatedPlay(
            play=play,
            text=format_play(self.game.position, play.moves),
            chances=tuple(rated.chances[row].tolist()),
            cubeless=float(equity(rated.chances[row])),
            equity=worth,
            behind=max(best - worth, 0.0),
            mwc=self.mwc(worth),
            plies=int(rated.plies[row]),
        )

    def _rolled_plays(
        self, rated: RatedPlays, trials: int, options: dict[str, Any]
    ) -> PlayAnalysis:
        order = np.argsort(-rated.ranks, kind="stable")[: self.most].tolist()
        chosen = [play_of(rated.boards[row], rated.codes[row]) for row in order]
        result = rollout_cubeful_plays(
            self.judge,
            self.game,
            plays=chosen,
            trials=trials,
            plies=self.plies,
            table=self.table,
            **options,
        )
        return PlayAnalysis(
            state=self.game,
            terms=self.terms,
            legal=len(rated.ranks),
            plays=self._rolled(result),
            interrupted=result.rollout.interrupted,
        )

    def _rolled(self, result: PlaysRollout) -> tuple[RatedPlay, ...]:
        return tuple(
            RatedPlay(
                play=rolled.play,
                text=format_play(self.game.position, rolled.play.moves),
                chances=rolled.worth.chances,
                cubeless=rolled.worth.cubeless,
                equity=rolled.worth.equity,
                behind=rolled.behind,
                mwc=self.mwc(rolled.worth.equity),
                plies=self.plies,
                standard_error=rolled.worth.standard_error,
                behind_error=rolled.behind_error,
                trials=rolled.worth.trials,
            )
            for rolled in result.plays
        )

    # --- the cube ---------------------------------------------------------------------

    def _cube(self, trials: int | None, options: dict[str, Any]) -> CubeAnalysis:
        if trials is not None:
            result = rollout_cube(
                self.judge,
                self.game,
                trials=trials,
                plies=self.plies,
                table=self.table,
                **options,
            )
            chances = result.no_double.chances
            return self._decided(result.decision, chances, _of_rollout(result))
        board = np.ascontiguousarray(self.game.record["board"])
        row = lookahead_chances(self.judge, board, self.plies)[0]
        decision = cube_decision(
            self.judge, self.game.record, self.plies, table=self.table
        )
        return self._decided(decision, tuple(row.tolist()), {})

    def _decided(
        self,
        decision: CubeDecision,
        chances: tuple[float, ...],
        rolled: dict[str, Any],
    ) -> CubeAnalysis:
        equities = decision.equities
        available = bool(decision.available[0])
        no_double = float(equities.no_double[0])
        taken = float(equities.double_take[0]) if available else None
        return CubeAnalysis(
            state=self.game,
            terms=self.terms,
            chances=chances,
            cubeless=float(equity(np.array(chances))),
            available=available,
            no_double=no_double,
            double_take=taken,
            double_pass=float(equities.double_pass[0]) if available else None,
            no_double_mwc=self.mwc(no_double),
            double_take_mwc=None if taken is None else self.mwc(taken),
            double_pass_mwc=self.mwc(1.0) if available else None,
            advice=self._advice(decision),
            **rolled,
        )

    def _advice(self, decision: CubeDecision) -> str:
        if self.game.phase == fields.DOUBLED:
            return self._answer(decision)
        if not decision.available[0]:
            return f"No double: {self._hindrance()}"
        answer = "take" if decision.take[0] else "pass"
        if decision.beaver[0]:
            answer = "beaver"
        return f"{self._call(decision)}, {answer}"

    def _call(self, decision: CubeDecision) -> str:
        word = "double" if self.game.cube_owner is None else "redouble"
        if decision.double[0]:
            return word.capitalize()
        kept = float(decision.equities.no_double[0])
        taken = float(decision.equities.double_take[0])
        answered = min(2 * taken if decision.beaver[0] else taken, 1.0)
        if kept <= answered + _SLACK:
            return f"Optional {word}"
        return f"Too good to {word}" if kept > 1 + _SLACK else f"No {word}"

    def _hindrance(self) -> str:
        """Why the player on roll may not double."""
        game = self.game
        if not game.rules.cube or game.match_length == 1:
            return "there is no cube"
        if game.crawford:
            return "the Crawford game"
        if game.cube_owner == 1 - game.on_roll:
            return "the other player owns the cube"
        return "the cube is at its highest value"

    def _answer(self, decision: CubeDecision) -> str:
        """What the player who is asked does: take, pass, or turn the cube again."""
        game = self.game
        mine = game.to_act == game.on_roll  # after a beaver
        taken = float(decision.equities.double_take[0]) * (1 if mine else -1)
        more = game.beavers_made < game.rules.beavers and may_beaver(self.cubes)[0]
        if more and taken > _SLACK:
            return "Raccoon" if mine else "Beaver"
        return "Take" if taken >= -1 - _SLACK else "Pass"


def _of_rollout(result: CubeRollout) -> dict[str, Any]:
    """What a rollout adds to the analysis of a cube."""
    doubled = result.double_take
    return {
        "no_double_error": result.no_double.standard_error,
        "double_take_error": None if doubled is None else doubled.standard_error,
        "gain": result.gain,
        "gain_error": result.gain_error,
        "trials": result.no_double.trials,
        "interrupted": result.rollout.interrupted,
    }
