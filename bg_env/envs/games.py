"""`Games`: the table of one or many games, with the opponents sitting at it.

Every environment is a face of this class. It owns the records, calls the step kernel,
lets opponents answer, counts rewards, and sets up the next game of a match.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent, decide, refuse_illegal
from bg_env.encoding import rewards, worst_loss
from bg_env.envs._endings import ENDINGS, OUTCOMES
from bg_env.envs._restart import restart_some
from bg_env.envs._step import (
    CAPPED,
    DONE,
    ENDED,
    LEARNER,
    NO_SEAT,
    OPPONENT,
    PLAY,
    PLAY_AS_SHOWN,
    PLAY_RANDOM,
    REFUSE_ILLEGAL,
    REFUSED,
    STEP_DTYPE,
    settle_all,
    step_all,
    step_all_parallel,
    write_shown_masks,
)
from bg_env.envs.settings import MOST_PENALTIES, PENALTY, Settings
from bg_env.errors import IllegalActionError
from bg_env.rules._drive import apply_sequences
from bg_env.rules._game import PASS_BIT, start_all
from bg_env.rules.batch import (
    States,
    find_match_ends,
    new_states,
    put_states,
    take_states,
)
from bg_env.rules.decisions import DECISIONS, PASS
from bg_env.rules.game import GameState

_NONE: Final = np.zeros(0, np.int64)
_STEP_BYTES: Final = np.dtype((np.void, STEP_DTYPE.itemsize))  # copied as a whole


class Games:
    """`count` games and what each of them waits for.

    Attributes:
        settings: How they are played.
        states: ``STATE_DTYPE[B]``, the records.
        steps: ``STEP_DTYPE[B]``: action, legal decisions and status beside each record.
        rewards: float64[B, 2] by player, of the last step: zeros where there is no
            news. A new array whenever something new comes in.
        terminated: bool[B], after the last step.
        truncated: bool[B], after the last step.
        finished: In episodes of a match: what `game_results` says of each game that
            ended in the last step.
        reported: Places with something in `finished`.
        penalties: int64[B], illegal actions in a row.
        awaits_first_turn: Some learner can only watch the opponent's coming turn.
        illegal: How many actions of the last step were illegal.
        news: int64[N], places where the last step was more than a plain decision.
        has_news: The next step has to forget what the last one left behind.
        interrupted: An opponent's error broke the last step off; the next one goes
            on with it and reports what both brought.
        parallel: Step on several threads.
        mode: How the step kernel knows what is legal: afresh, or by what was shown
            (`as_shown`), where nobody changes the records from outside.
    """

    def __init__(
        self,
        count: int,
        settings: Settings,
        *,
        parallel: bool = False,
        as_shown: bool = False,
    ) -> None:
        """Games before their opening roll. `begin` starts them."""
        self.settings = settings
        start = settings.rules.start_position
        self.start, self.checkers = start.to_board(), start.checkers
        self.fresh = new_states(1, settings.rules)
        self.states: States = np.repeat(self.fresh, count)
        self.steps: NDArray[Any] = np.zeros(count, STEP_DTYPE)
        self.steps["seat"] = NO_SEAT
        self._views()
        self.awaits_first_turn = False
        self.illegal = 0
        self.news = _NONE
        self.has_news = False
        self.interrupted = False
        self.rewards = np.zeros((count, 2), np.float64)
        self.terminated = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self.finished: list[list[dict[str, Any]]] = [[] for _ in range(count)]
        self.reported: list[int] = []
        self.parallel = parallel
        self.mode = PLAY_AS_SHOWN if as_shown else PLAY
        self.penalties = np.zeros(count, np.int64)
        self.policy = (
            PLAY_RANDOM if settings.illegal_action == "random_legal" else REFUSE_ILLEGAL
        )

    def _views(self) -> None:
        """Names for the two fields of `steps` that every step reads, and the whole."""
        self.status: NDArray[np.int8] = self.steps["status"]
        self.codes: NDArray[np.int64] = self.steps["code"]
        self._step_bytes: NDArray[Any] = self.steps.view(_STEP_BYTES)

    def __getstate__(self) -> dict[str, Any]:
        """All but the views, which belong to the array they look at."""
        views = ("status", "codes", "_step_bytes")
        return {k: v for k, v in self.__dict__.items() if k not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._views()

    # --- starting ---------------------------------------------------------------

    def begin(self, part: NDArray[np.int64], records: States, seats: Any) -> None:
        """Put games on the table and play up to the learner's first decision.

        An episode cannot end here: if the opponent wins before the learner decides
        anything, his turn is taken back and the learner is shown mask {0}; the
        opponent plays (the same dice) in the first step.

        Args:
            part: int64[N], places at the table.
            records: ``STATE_DTYPE[N]``.
            seats: int8[N], the learner's player, −1 in self-play.
        """
        put_states(self.states, part, records)
        steps = np.zeros(len(part), STEP_DTYPE)
        steps["seat"] = seats
        self._step_bytes[part] = steps.view(_STEP_BYTES)
        self._begin_counts(part)
        self._settle(part, at_reset=True)
        waiting = part[self.status[part] == OPPONENT]
        if len(waiting):
            self._play_first_turn(waiting)
        self.awaits_first_turn = bool((self.status == OPPONENT).any())

    def _begin_counts(self, part: NDArray[np.int64]) -> None:
        """What an episode has not yet brought."""
        self.terminated[part] = False
        self.truncated[part] = False
        self.penalties[part] = 0
        self.awaits_first_turn = self.interrupted = False

    def restart(self, part: NDArray[np.int64]) -> None:
        """Begin episodes of self-play whose streams go on: `begin`, but faster."""
        auto_pass, max_turns = self.settings.auto_pass, self.settings.max_turns
        restart_some(self.states, self.steps, part, self.fresh, auto_pass, max_turns)
        self._begin_counts(part)

    def _play_first_turn(self, waiting: NDArray[np.int64]) -> None:
        """Let opponents who begin play, unless that would end the episode."""
        before = take_states(self.states, waiting)
        todo = waiting
        while len(todo):
            self._answer(todo, at_reset=True)
            todo = todo[self.status[todo] == OPPONENT]
        early = np.flatnonzero(self.status[waiting] != LEARNER)
        put_states(self.states, waiting[early], take_states(before, early))
        self._show_pass(waiting[early])

    def _show_pass(self, part: NDArray[np.int64]) -> None:
        """Let the learner's only decision be to watch the opponent's turn."""
        self.awaits_first_turn |= len(part) > 0
        self.status[part] = OPPONENT
        self.steps["for_a"][part] = self.steps["for_b"][part] = 0
        self.steps["others"][part] = PASS_BIT

    def _settle(self, part: NDArray[np.int64], *, at_reset: bool) -> None:
        states = take_states(self.states, part)
        steps = self._step_bytes[part].view(STEP_DTYPE)
        settle_all(
            states, steps, self.settings.auto_pass, self.settings.max_turns, at_reset
        )
        put_states(self.states, part, states)
        self._step_bytes[part] = steps.view(_STEP_BYTES)

    def masks(self) -> NDArray[np.int8]:
        """What is shown as legal in every game: a new int8[B, 162]."""
        masks = np.zeros((len(self.states), DECISIONS), np.int8)
        write_shown_masks(self.states, self.steps, masks)
        return masks

    def show_again(self, part: NDArray[np.int64]) -> None:
        """Write status and legality of games whose turns have gone on, in place."""
        self._settle(part, at_reset=False)

    def refresh(self) -> None:
        """Settle all games after their records were changed from outside a step.

        As at a reset, the learner's own lost roll is shown, not played: what comes
        after it belongs to a step.
        """
        everything = np.arange(len(self.states))
        self.steps["lost"] = 0
        self._settle(everything, at_reset=True)
        self.awaits_first_turn = False
        self._show_pass(everything[self.status == OPPONENT])

    # --- a step -----------------------------------------------------------------

    def step(self) -> None:
        """Play ``steps["code"]`` of all games, each up to the next decision.

        Raises:
            IllegalActionError: Under ``illegal_action="raise"``; that game is
                untouched.
        """
        if self.awaits_first_turn:  # the opponent's turn comes before the learner's
            self._step_some(np.flatnonzero(self.status == OPPONENT))
            return
        self.illegal = self._play(self.states, self.steps)
        news = self._news()
        if self.has_news:
            self.forget()
        if self.illegal or len(news):
            self._carry_on(news)

    def _news(self) -> NDArray[np.int64]:
        """Places where more than a plain decision of the learner has happened."""
        places: NDArray[np.int64] = self.status.nonzero()[0]
        if len(places):
            places = places[self.status[places] != DONE]
        return places

    def _play(self, states: States, steps: NDArray[Any]) -> int:
        """Play and settle; the number of illegal actions."""
        auto_pass, max_turns = self.settings.auto_pass, self.settings.max_turns
        step = step_all_parallel if self.parallel else step_all
        return step(states, steps, self.mode, self.policy, auto_pass, max_turns)

    def forget(self) -> None:
        """Forget rewards, endings and penalties of the step before."""
        self.rewards = np.zeros(self.rewards.shape)
        self.news = _NONE
        for place in self.reported:
            self.finished[place].clear()
        self.reported.clear()
        counts = self.settings.illegal_action == "penalize"
        if counts:
            self.penalties[self.steps["illegal"] == 0] = 0
        self.has_news = counts  # the next step looks at the penalties that are left

    def _step_some(self, early: NDArray[np.int64]) -> None:
        """A step where some learners can only watch the opponent's coming turn."""
        rest = np.setdiff1d(np.arange(len(self.states)), early)
        self.illegal = 0
        if len(rest):
            states, steps = take_states(self.states, rest), self.steps[rest]
            self.illegal = self._play(states, steps)
            put_states(self.states, rest, states)
            self.steps[rest] = steps
        refused = self._watch(early)
        if not self.interrupted:
            self.forget()
        self.interrupted = False
        self.awaits_first_turn = len(refused) > 0
        try:
            self._carry_on(self._news())
        finally:
            self.status[refused] = OPPONENT

    def _watch(self, early: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take the action of learners whose only decision is to pass.

        Returns:
            int64[N], the places whose action is refused.
        """
        steps = self.steps
        steps["lost"][early] = 0
        steps["actor"][early] = steps["seat"][early]
        steps["illegal"][early] = steps["code"][early] != PASS
        wrong: NDArray[np.int64] = early[steps["code"][early] != PASS]
        self.illegal += len(wrong)
        if self.policy == PLAY_RANDOM:
            steps["code"][wrong] = PASS
            return wrong[:0]
        self.status[wrong] = REFUSED
        return wrong

    def _carry_on(self, part: NDArray[np.int64]) -> None:
        """What follows the learner's action: results, next games, the opponent."""
        self.has_news = True
        self.news = np.union1d(self.news, part) if len(self.news) else part
        self._punish(part[self.status[part] == REFUSED])
        todo = part
        while len(todo):
            status = self.status[todo]
            ended = status == ENDED
            self._collect(todo[ended])
            if self.settings.episode == "game" and ended.all():
                return
            self.truncated[todo[status == CAPPED]] = True
            waiting = todo[status == OPPONENT]
            again = todo[ended & ~self.terminated[todo]]
            if len(waiting):
                self._answer(waiting, at_reset=False)
            todo = np.concatenate([waiting, again])

    def _collect(self, ended: NDArray[np.int64]) -> None:
        """Count finished games; end the episode or set up the next game."""
        if not len(ended):
            return
        states = take_states(self.states, ended)
        self.rewards[ended] += rewards(states, self.settings.reward)
        if self.settings.episode == "game":
            self.terminated[ended] = True
            return
        for place, result in zip(ended.tolist(), game_results(states), strict=True):
            self.finished[place].append(result)
            self.reported.append(place)
        over = find_match_ends(states)
        self.terminated[ended[over]] = True
        more = ended[~over]
        if len(more):
            states = take_states(self.states, more)
            states["checkers"] = self.checkers
            start_all(states, self.start)
            put_states(self.states, more, states)
            self._settle(more, at_reset=False)

    def _answer(self, waiting: NDArray[np.int64], *, at_reset: bool) -> None:
        """Let the opponent decide in some games, then settle them.

        If he fails, the learner can only let him try again: the next step asks anew.
        """
        agent = self.settings.opponent
        assert agent is not None  # nobody waits for an opponent in self-play
        try:
            after = answered(agent, take_states(self.states, waiting))
        except BaseException:
            self._show_pass(waiting)
            self.interrupted = True
            raise
        put_states(self.states, waiting, after)
        self._settle(waiting, at_reset=at_reset)

    # --- illegal actions ----------------------------------------------------------

    def _punish(self, refused: NDArray[np.int64]) -> None:
        """Give actions that were illegal and not replaced their due."""
        if not len(refused):
            return
        settings = self.settings
        self.status[refused] = LEARNER
        if settings.illegal_action == "raise":
            raise IllegalActionError(self._refusal(int(refused[0])))
        self.penalties[refused] += 1
        ends = self.penalties[refused] >= MOST_PENALTIES
        ends |= settings.illegal_action == "terminate"
        self.terminated[refused[ends]] = True
        offender = self.steps["actor"][refused]
        states = take_states(self.states, refused)
        states["to_act"] = offender  # not so before the opponent's first turn
        worst = worst_loss(states, settings.reward)
        penalty = np.where(ends, worst, PENALTY * settings.reward.scale)
        self.rewards[refused, offender] = -penalty
        self.rewards[refused, 1 - offender] = penalty

    def _refusal(self, place: int) -> str:
        state = GameState(self.states[place : place + 1], self.settings.rules)
        return state.refusal(int(self.steps["code"][place]))


def answered(agent: Agent, states: States) -> States:
    """The games after `agent` has decided in each: a play, or one other decision.

    Raises:
        IllegalPlayError: The agent chose something illegal.
    """
    streams = states["choice_stream"].copy()
    after = take_states(states, np.arange(len(states)))
    codes = decide(agent, states, streams)
    after["choice_stream"] = streams
    illegal = np.zeros(len(states), np.int8)
    apply_sequences(after, codes, illegal)
    refuse_illegal(agent, states, codes, illegal)
    return after


def game_results(states: States) -> list[dict[str, Any]]:
    """What finished records say: winner, outcome, points, cube, score, ending."""
    names = ("winner", "level", "points", "cube", "score", "ending", "turn")
    rows = zip(*(states[name].tolist() for name in names), strict=True)
    return [
        {
            "winner": winner,
            "outcome": OUTCOMES[level],
            "points": points,
            "cube": cube,
            "score": tuple(score),
            "ending": ENDINGS[ending],
            "turns": turns,
        }
        for winner, level, points, cube, score, ending, turns in rows
    ]
