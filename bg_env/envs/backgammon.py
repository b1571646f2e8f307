"""`BackgammonEnv`: backgammon as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from bg_env.encoding import Encoder, RewardSpec
from bg_env.encoding.spaces import observation_space
from bg_env.envs._step import ENDED, NO_SEAT, OPPONENT
from bg_env.envs.actions import code_of, text_of
from bg_env.envs.games import Games, game_results
from bg_env.envs.options import checked_options, record_of_options
from bg_env.envs.settings import (
    DEFAULT_MAX_TURNS,
    SELF,
    Episode,
    IllegalAction,
    Opponent,
    Seat,
    Settings,
    opponent_of,
)
from bg_env.envs.snapshots import Snapshot
from bg_env.rules._random import below
from bg_env.rules.batch import legal_masks, put_states, take_states
from bg_env.rules.decisions import DECISIONS, PASS
from bg_env.rules.game import GameState, queue_dice
from bg_env.rules.options import Rules

_PLACE: Final = np.zeros(1, np.int64)

Observation = NDArray[Any]
Info = dict[str, Any]


class BackgammonEnv(gymnasium.Env[Observation, np.int64]):
    """Backgammon: every decision of the game as one masked action.

    ## Action space
    ``Discrete(162)``, the decision codes of `bg_env.rules.decisions`: 0 pass, 1–150 a
    checker move ``1 + (source - 1) * 6 + (die - 1)`` (source 25 = bar), 151 roll,
    152 double, 153 take, 154 drop, 155 beaver, 156–158 resign, 159 accept,
    160 refuse, 161 claim on time. ``info["action_mask"]`` (int8) and
    ``action_masks()`` (bool) say which are legal; a move is legal only if a complete
    legal turn begins with it.

    ## Observation space
    A ``Box`` of the chosen encoder, float32 ``tesauro`` by default, seen by the player
    to act (against an opponent: by the learner). ``docs/observations.md`` has the
    index tables.

    ## Rewards
    At the end of a game, zero-sum: ``"points"`` (cube × 1, 2 or 3), ``"win"``,
    ``"match"`` or ``"mwc"``. Against an opponent it is the learner's; in self-play that
    of the player who took the action. ``info["rewards"]`` has both players'.

    ## Episode end
    ``terminated``: the game (or match) is over, or an illegal action under
    ``illegal_action="terminate"``. ``truncated``: `max_turns` turns of a game are over.

    ## Arguments
    rules: A `bg_env.Rules` or the name of a preset.
    match_length: Points to play to, instead of or in addition to a preset.
    opponent: "self" (both seats are the learner's), an agent's name, an agent, or
        ``f(observation, action_mask) -> int``.
    seat: "random" (drawn at each reset), 0 or 1: the learner's player.
    observation: An encoder or its name.
    reward: A name or a `RewardSpec`; None = "match" in matches, else "points".
    reward_scale: A factor on every reward.
    illegal_action: "terminate" (the offender loses the most the game can still cost
        him), "raise", "penalize" (−0.1 × scale, state unchanged; after 100 in a row
        as "terminate") or "random_legal".
    auto_pass: Play states whose only legal decision is to pass or to roll.
    max_turns: Turns per game after which the episode is truncated.
    episode: "game" or "match"; None = a match if the rules are of one.
    render_mode: None or "ansi".

    ## Version history
    v0: first version; decision codes v1, encoder ``tesauro-v1``.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules | str | None = None,
        *,
        match_length: int | None = None,
        opponent: Opponent = SELF,
        seat: Seat = "random",
        observation: str | Encoder = "tesauro",
        reward: str | RewardSpec | None = None,
        reward_scale: float = 1.0,
        illegal_action: IllegalAction = "terminate",
        auto_pass: bool = True,
        max_turns: int = DEFAULT_MAX_TURNS,
        episode: Episode | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Check the arguments and set the table; `reset` starts a game.

        Raises:
            InvalidOptionError: A value or combination that cannot be.
            UnknownNameError: A preset, opponent, encoder or render mode nobody knows.
        """
        self.settings = Settings.of(
            rules=rules,
            match_length=match_length,
            opponent=opponent,
            seat=seat,
            observation=observation,
            reward=reward,
            reward_scale=reward_scale,
            illegal_action=illegal_action,
            auto_pass=auto_pass,
            max_turns=max_turns,
            episode=episode,
            render_mode=render_mode,
        )
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(DECISIONS)
        self.observation_space = observation_space(self.settings.encoder)
        self._games = Games(1, self.settings)
        self._started = False
        self._views()

    def _views(self) -> None:
        """Names for what every call reads of the one game, and an empty row."""
        games = self._games
        self._to_act: NDArray[np.int8] = games.states["to_act"]
        self._lost: NDArray[np.int64] = games.steps["lost"]
        self._actor: NDArray[np.int8] = games.steps["actor"]
        self._viewer: NDArray[np.int8] = games.steps["seat"]
        encoder = self.settings.encoder
        self._blank: Observation = np.zeros((1, encoder.size), encoder.dtype)

    # --- Gymnasium ----------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode.

        Args:
            seed: Fixes dice and chance of this and all following episodes. Without
                one the streams go on. (``action_space.seed`` is separate.)
            options: ``xgid`` (player 0 = upper case), ``position_id`` (the learner on
                roll), ``dice`` (list of coming rolls), ``score`` (player 0, player 1),
                ``crawford``, ``next_game`` (go on with the match).

        Returns:
            (observation, info).

        Raises:
            InvalidOptionError: Options that contradict each other or the environment.
            UnknownNameError: An option that does not exist.
            InvalidNotationError: Text that is no XGID or position id.
            InvalidPositionError: A position that cannot be, is over, or never ends.
            (After each of these the episode goes on untouched.)
        """
        games = self._games
        options = checked_options(options)
        on_roll = int(self.settings.seat == 1)  # of a position given by its id
        record, rolls = record_of_options(games, options, on_roll)
        super().reset(seed=seed)
        if seed is not None or not self._started:
            dice, choices = self.np_random.integers(2**64, size=2, dtype=np.uint64)
            streams = (dice, choices)
        else:
            streams = (games.states["dice_stream"][0], games.states["choice_stream"][0])
        record["dice_stream"], record["choice_stream"] = streams
        seats = self._draw_seat(record, options)
        if rolls is not None:
            queue_dice(record, rolls)
        games.forget()
        games.begin(_PLACE, record, seats)
        self._started = True
        return self._observe(), self._info()

    def _draw_seat(
        self, record: NDArray[Any], options: dict[str, Any]
    ) -> NDArray[np.int8]:
        settings = self.settings
        if settings.opponent is None:
            return np.full(1, NO_SEAT, np.int8)
        if settings.seat != "random":
            return np.full(1, settings.seat, np.int8)
        if "next_game" in options:
            return self._viewer.copy()
        if "position_id" in options:
            return record["on_roll"].copy()
        return np.full(1, below(record["choice_stream"], 0, 2), np.int8)

    def step(
        self, action: int | np.int64
    ) -> tuple[Observation, float, bool, bool, Info]:
        """Play one decision, and all that follows up to the next one.

        Returns:
            (observation, reward, terminated, truncated, info).

        Raises:
            ResetNeeded: The episode is over or has not begun.
            IllegalActionError: An action outside the space; or an illegal one under
                ``illegal_action="raise"``. The state is untouched.
            IllegalPlayError: The opponent made an illegal decision.
        """
        games = self._games
        self._check_running()
        games.codes[0] = code_of(action)
        games.step()
        info = self._info()
        player = self._actor[0]
        if self.settings.opponent is not None:
            player = self._viewer[0]
        first, second = games.rewards[0].tolist()
        info["rewards"] = (first, second)
        if games.illegal:
            self._report_illegal(info)
        if games.finished[0]:
            info["games"] = list(games.finished[0])
        terminated, truncated = bool(games.terminated[0]), bool(games.truncated[0])
        if terminated and games.status[0] == ENDED:
            info.update(game_results(games.states)[0])
        reward = second if player else first
        return self._observe(), reward, terminated, truncated, info

    def _report_illegal(self, info: Info) -> None:
        info["illegal_action"] = True
        if self.settings.illegal_action == "random_legal":
            info["played_action"] = int(self._games.codes[0])

    def _observe(self) -> Observation:
        encoder = self.settings.encoder
        out = self._blank.copy()
        encoder.kernel(self._games.states, self._viewer, out)
        return out.reshape(encoder.shape)

    def _info(self) -> Info:
        return {
            "action_mask": self._games.masks()[0],
            "current_player": int(self._to_act[0]),
            "passed": int(self._lost[0]),
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[162]: the legal decisions, computed afresh. Never all False."""
        if self._games.status[0] == OPPONENT:  # he plays when the learner passes
            only_pass = np.zeros(DECISIONS, np.bool_)
            only_pass[PASS] = True
            return only_pass
        mask: NDArray[np.bool_] = legal_masks(self._games.states)[0].astype(np.bool_)
        return mask

    def render(self) -> str | None:
        """The board as text, seen by the learner (self-play: by player 0)."""
        if self.render_mode is None:
            return None
        from bg_env.rendering.ansi import render

        return render(self.state, viewer=max(int(self._viewer[0]), 0))

    # --- beyond Gymnasium -----------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules of this environment."""
        return self.settings.rules

    @property
    def state(self) -> GameState:
        """The running game: an object over the environment's own record, no copy."""
        return GameState(self._games.states, self.settings.rules)

    @property
    def seat(self) -> int | None:
        """The learner's player, None in self-play."""
        return None if self._viewer[0] == NO_SEAT else int(self._viewer[0])

    def set_opponent(self, opponent: Opponent) -> None:
        """Let another opponent answer from the next step on.

        Raises:
            InvalidOptionError: Self-play or not; that is fixed when it is made.
            UnknownNameError: No agent of that name.
        """
        self.settings = self.settings.with_opponent(
            opponent_of(opponent, self.settings.encoder)
        )
        self._games.settings = self.settings

    def action_text(self, action: int) -> str:
        """An action in words, such as ``"24/18*"``, ``"bar/22"``, ``"double"``."""
        return text_of(self.state, code_of(action))

    def chance_outcomes(self) -> list[tuple[tuple[int, int], float]]:
        """The rolls that may come now: `GameState.chance_outcomes`."""
        return self.state.chance_outcomes()

    def set_dice(self, first: int, second: int) -> tuple[Observation, Info]:
        """Lay down this roll where the roll is awaited; returns (observation, info).

        With ``auto_pass=True`` such a state is shown only where there is something
        to decide before the roll. A roll that cannot be played is shown with mask {0}.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            IllegalActionError: No roll is awaited.
            InvalidOptionError: Not dice.
        """
        self._check_running()
        self.state.set_dice(first, second)
        return self._refresh()

    def set_dice_queue(self, rolls: Iterable[tuple[int, int]]) -> None:
        """Fix the coming rolls (at most 256); after them the stream goes on."""
        self.state.set_dice_queue(rolls)

    def pass_time(self, seconds: float) -> tuple[Observation, Info]:
        """Let the clock of the player to act run (R29); returns (observation, info).

        If that ends the game, the next step reports it, whatever its action.

        Raises:
            ResetNeeded: The episode is over or has not begun.
            InvalidOptionError: Less than 0 seconds, or no number.
        """
        self._check_running()
        self.state.pass_time(seconds)
        return self._refresh()

    def _check_running(self) -> None:
        games = self._games
        if not self._started or games.terminated[0] or games.truncated[0]:
            raise ResetNeeded("The episode is over or has not begun; call reset().")

    def _refresh(self) -> tuple[Observation, Info]:
        """Settle a record that was changed from outside a step."""
        self._games.refresh()
        return self._observe(), self._info()

    def get_state(self) -> Snapshot:
        """Everything needed to go on from here, streams included.

        Raises:
            ResetNeeded: No episode has begun yet.
        """
        games = self._games
        if not self._started:
            raise ResetNeeded("There is no state before the first reset().")
        return Snapshot(
            rules=self.rules,
            record=take_states(games.states, _PLACE),
            step=games.steps.copy(),
            penalties=int(games.penalties[0]),
            awaits_first_turn=games.awaits_first_turn,
            ended=(bool(games.terminated[0]), bool(games.truncated[0])),
            generator=self.np_random.bit_generator.state,
        )

    def set_state(self, snapshot: Snapshot) -> tuple[Observation, Info]:
        """Go back to a snapshot of `get_state`; returns (observation, info).

        Raises:
            InvalidOptionError: A snapshot of other rules, or of self-play where
                there is an opponent, or the other way round.
        """
        games = self._games
        snapshot.check(self.settings)
        games.forget()
        games.has_news = True  # penalties may have to be forgotten
        games.interrupted = False
        put_states(games.states, _PLACE, snapshot.record)
        games.steps[:] = snapshot.step
        games.penalties[0] = snapshot.penalties
        games.awaits_first_turn = snapshot.awaits_first_turn
        games.terminated[0], games.truncated[0] = snapshot.ended
        self.np_random.bit_generator.state = snapshot.generator
        self._started = True
        return self._observe(), self._info()

    def clone(self) -> BackgammonEnv:
        """An independent copy that will see the same dice."""
        import copy

        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """All but what `_views` makes anew."""
        views = ("_to_act", "_lost", "_actor", "_viewer", "_blank")
        return {k: v for k, v in self.__dict__.items() if k not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._views()
