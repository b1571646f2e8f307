"""`BackgammonVectorEnv`: thousands of games behind one Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from bg_env.agent import plays_of_states
from bg_env.encoding import Encoder, RewardSpec
from bg_env.encoding.spaces import observation_space
from bg_env.envs._endings import ending_infos
from bg_env.envs._seats import draw_seats
from bg_env.envs._step import DONE, ENDED, NO_SEAT
from bg_env.envs.games import Games
from bg_env.envs.options import checked_options, records_of_options
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
from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules._drive import apply_sequences
from bg_env.rules.batch import States, put_states, take_states
from bg_env.rules.decisions import DECISIONS
from bg_env.rules.game import queue_dice
from bg_env.rules.options import Rules

_NONE: Final = np.zeros(0, np.int64)
_MOST_ENVS: Final = 2**20

Info = dict[str, Any]
Arrays = NDArray[Any]


class BackgammonVectorEnv(gymnasium.vector.VectorEnv[Arrays, Arrays, Arrays]):
    """Many games of `BackgammonEnv` at once, on the same kernels.

    Env i, seeded with ``s + i``, plays bit for bit the games of a single environment
    seeded so; neither the number of games nor their order matters. All keywords of
    `BackgammonEnv` mean the same here.

    ## Action space
    ``MultiDiscrete`` of 162 for each game; ``infos["action_mask"]`` int8[B, 162].

    ## Observation space
    The batch of the encoder's space: float32[B, 237] by default.

    ## Rewards
    float64[B], as in the single environment; ``infos["rewards"]`` float64[B, 2].

    ## Episode end
    Gymnasium's three autoreset modes, key for key as its own vector environments.

    ## Arguments
    num_envs: Number of games B.
    autoreset_mode: NEXT_STEP (default), SAME_STEP, or DISABLED with
        ``reset(options={"reset_mask": bool[B]})``.
    copy: True: arrays returned are the caller's. False: two sets of arrays take
        turns, valid until the step after next.
    parallel: Step on all cores. Faster on an idle machine, much slower on a busy one.

    ## Version history
    v0: first version.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
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
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        parallel: bool = False,
    ) -> None:
        """Check the arguments and set the tables; `reset` starts the games.

        Raises:
            InvalidOptionError: A value or combination that cannot be.
            UnknownNameError: A preset, opponent or encoder nobody knows.
        """
        _check_count(num_envs)
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
        self.num_envs = int(num_envs)
        self.copy = copy
        self.render_mode = render_mode
        self.autoreset_mode = _mode_of(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        batch = gymnasium.vector.utils.batch_space
        self.single_action_space = gymnasium.spaces.Discrete(DECISIONS)
        self.single_observation_space = observation_space(self.settings.encoder)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self._games = Games(
            self.num_envs, self.settings, parallel=parallel, as_shown=True
        )
        self._done = _NONE  # places whose episode ended in the last step
        self._started = False
        self._stores: list[Arrays] = []

    # --- Gymnasium ------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, Info]:
        """Start episodes in all games, or in those of a ``reset_mask``.

        Args:
            seed: s gives env i the seed s + i; a list is taken as it is. Without one
                the streams of the games go on.
            options: As for `BackgammonEnv.reset`, the same for every game; and
                ``reset_mask`` bool[B]: the games to reset.

        Returns:
            (observations, infos).

        Raises:
            InvalidOptionError: Options or seeds that cannot be; nothing is changed.
        """
        options = dict(options or {})
        part = _part_of(options.pop("reset_mask", None), self.num_envs)
        chosen = checked_options(options)
        seeds = _seeds_of(seed, self.num_envs)
        games = self._games
        on_roll = int(self.settings.seat == 1)
        records = records_of_options(games, chosen, on_roll, part)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._set_streams(records, part, seeds)
        games.forget()
        self._begin(part, records, chosen)
        self._done = np.setdiff1d(self._done, part)
        self._started = True
        return self._observe(), self._reset_info(part)

    def _set_streams(
        self, records: States, part: NDArray[np.int64], seeds: list[int | None]
    ) -> None:
        """Seed the streams as single environments would, or let them go on."""
        fields = ("dice_stream", "choice_stream")
        for name in fields:
            records[name] = self._games.states[name][part]
        for row, place in enumerate(part.tolist()):
            seed = seeds[place]
            if seed is None and self._started:
                continue
            random = self.np_random
            if seed is not None:
                random, _ = gymnasium.utils.seeding.np_random(seed)
            records[fields[0]][row], records[fields[1]][row] = random.integers(
                2**64, size=2, dtype=np.uint64
            )

    def _begin(
        self, part: NDArray[np.int64], records: States, chosen: dict[str, Any]
    ) -> None:
        games, settings = self._games, self.settings
        seats = np.full(len(part), NO_SEAT, np.int8)
        if settings.opponent is not None:
            if settings.seat != "random":
                seats[:] = settings.seat
            elif "next_game" in chosen:
                seats[:] = games.steps["seat"][part]
            elif "position_id" in chosen:
                seats[:] = records["on_roll"]
            else:
                draw_seats(records, seats)
        if "dice" in chosen:
            for row in range(len(part)):
                queue_dice(records[row : row + 1], chosen["dice"])
        games.begin(part, records, seats)

    def _restart(self, part: NDArray[np.int64]) -> None:
        """Autoreset: new episodes whose streams go on."""
        if self.settings.opponent is None:
            self._games.restart(part)
            return
        records = take_states(self._games.fresh, np.zeros(len(part), np.int64))
        for name in ("dice_stream", "choice_stream"):
            records[name] = self._games.states[name][part]
        self._begin(part, records, {})

    def step(
        self, actions: Arrays
    ) -> tuple[Arrays, Arrays, NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Play one decision in every game.

        Args:
            actions: int[B]. In mode NEXT_STEP that of a game whose episode ended in
                the step before is ignored: it is reset.

        Returns:
            (observations, rewards float64[B], terminated bool[B], truncated bool[B],
            infos).

        Raises:
            ResetNeeded: Before the first reset, or games that are over in mode
                DISABLED.
            IllegalActionError: An action outside the space (all games untouched), or
                an illegal one under ``illegal_action="raise"``.
        """
        self._games.codes[:] = self._checked(actions)
        return self._step()

    def _checked(self, actions: Arrays) -> NDArray[np.int64]:
        if not self._started:
            raise ResetNeeded("The games have not begun; call reset().")
        if len(self._done) and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"The episodes of games {self._done[:8].tolist()} are over; reset them "
                f"with options={{'reset_mask': ...}}."
            )
        codes = np.asarray(actions)
        if codes.shape != (self.num_envs,) or codes.dtype.kind not in "iu":
            raise IllegalActionError(
                f"Actions are whole numbers, one for each of {self.num_envs} games, "
                f"not {codes.dtype}{list(codes.shape)}."
            )
        if codes.size and codes.astype(np.uint64).max() >= DECISIONS:  # −1 is large
            wrong = codes[(codes < 0) | (codes >= DECISIONS)][0]
            raise IllegalActionError(
                f"An action is a whole number of 0 to {DECISIONS - 1}, not {wrong!r}."
            )
        return codes

    def _step(
        self,
    ) -> tuple[Arrays, Arrays, NDArray[np.bool_], NDArray[np.bool_], Info]:
        games = self._games
        games.step()
        if len(self._done):
            self._restart(self._done)
        terminated, truncated = games.terminated.copy(), games.truncated.copy()
        ended = games.news[terminated[games.news] | truncated[games.news]]
        infos = self._step_info(self._done)
        rewards = self._rewards()
        if len(ended):
            infos.update(self._end_info(ended))
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                infos = self._reset_same_step(ended, infos)
                ended = _NONE
            else:
                games.status[ended] = DONE
        self._done = ended
        return self._observe(), rewards, terminated, truncated, infos

    def _rewards(self) -> NDArray[np.float64]:
        """float64[B]: the learner's, in self-play that of whoever acted."""
        games, news = self._games, self._games.news
        rewards = np.zeros(self.num_envs)
        if len(news):
            name = "actor" if self.settings.opponent is None else "seat"
            rewards[news] = games.rewards[news, games.steps[name][news]]
        return rewards

    def _observe(self) -> Arrays:
        encoder = self.settings.encoder
        out = self._store()
        flat = out.reshape(self.num_envs, encoder.size)
        encoder.kernel(self._games.states, self._games.steps["seat"], flat)
        return out

    def _store(self) -> Arrays:
        """An array for observations: a new one, or the older of two."""
        encoder = self.settings.encoder
        if self.copy or len(self._stores) < 2:
            store = np.empty((self.num_envs, *encoder.shape), encoder.dtype)
        else:
            store = self._stores.pop(0)
        if not self.copy:
            self._stores.append(store)
        return store

    # --- infos ------------------------------------------------------------------------

    def _state_info(self) -> Info:
        """What both `reset` and `step` tell of all games."""
        games = self._games
        told = np.ones((3, self.num_envs), np.bool_)
        return {
            "action_mask": games.masks(),
            "_action_mask": told[0],
            "current_player": games.states["to_act"].astype(np.int64),
            "_current_player": told[1],
            "passed": games.steps["lost"].copy(),
            "_passed": told[2],
        }

    def _reset_info(self, part: NDArray[np.int64]) -> Info:
        others = np.ones(self.num_envs, np.bool_)
        others[part] = False
        infos = self._state_info()
        for values in infos.values():
            values[others] = 0
        return infos

    def _step_info(self, restarted: NDArray[np.int64]) -> Info:
        games = self._games
        infos = self._state_info()
        stepped = np.ones(self.num_envs, np.bool_)
        stepped[restarted] = False
        if len(restarted) < self.num_envs:
            is_new = games.has_news  # else it was handed out before
            rewards = games.rewards if is_new else np.zeros((self.num_envs, 2))
            infos["rewards"], infos["_rewards"] = rewards, stepped
        if games.illegal:
            infos.update(self._illegal_info(stepped))
        for place in games.reported:
            report = {"games": list(games.finished[place])}
            infos = self._add_info(infos, report, place)
        return infos

    def _illegal_info(self, stepped: NDArray[np.bool_]) -> Info:
        """Which actions were illegal, and what was played instead."""
        games = self._games
        illegal = (games.steps["illegal"] != 0) & stepped
        infos = {"illegal_action": illegal, "_illegal_action": illegal.copy()}
        if self.settings.illegal_action == "random_legal":
            infos["played_action"] = np.where(illegal, games.codes, 0)
            infos["_played_action"] = illegal.copy()
        return infos

    def _end_info(self, ended: NDArray[np.int64]) -> Info:
        """How the games ended that ended an episode, key for key as in one game."""
        games = self._games
        over = ended[games.status[ended] == ENDED]
        return ending_infos(games.states, over) if len(over) else {}

    def _reset_same_step(self, ended: NDArray[np.int64], infos: Info) -> Info:
        """Put what ended into final_obs and final_info, and start new episodes."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        observations = self.settings.encoder.observe(
            take_states(self._games.states, ended), self._games.steps["seat"][ended]
        )
        for place, observation in zip(ended.tolist(), observations, strict=True):
            final_obs[place] = observation
        mask = np.zeros(self.num_envs, np.bool_)
        mask[ended] = True
        final_info = _masked(infos, mask)
        told = _masked(infos, ~mask)
        self._restart(ended)
        told.update(self._state_info())
        return {
            **told,
            "final_obs": final_obs,
            "_final_obs": mask,
            "final_info": final_info,
            "_final_info": mask.copy(),
        }

    # --- beyond Gymnasium -------------------------------------------------------------

    @property
    def states(self) -> States:
        """The records of all games, ``STATE_DTYPE[B]``: no copy, not to be changed."""
        return self._games.states

    @property
    def seats(self) -> NDArray[np.int8]:
        """int8[B]: the learner's player in each game, −1 in self-play."""
        return self._games.steps["seat"].copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[B, 162]: the legal decisions of every game. Never all False in a row."""
        return self._games.masks().view(np.bool_)

    def set_opponent(self, opponent: Opponent) -> None:
        """Let another opponent answer from the next step on.

        Raises:
            InvalidOptionError: Self-play or not; that is fixed when it is made.
            UnknownNameError: No agent of that name.
        """
        agent = opponent_of(opponent, self.settings.encoder)
        self.settings = self.settings.with_opponent(agent)
        self._games.settings = self.settings

    def afterstates(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int64]]:
        """All distinct results of the dice left, of all games in one array.

        Returns:
            (boards int8[P, 2, 32] after each play, the mover still in row 0; decision
            codes int16[P, 4], 0 = no more; offsets int64[B + 1]): the plays of game i
            are rows offsets[i] .. offsets[i + 1] − 1; none where no checker is to be
            moved.
        """
        return plays_of_states(self._games.states)

    def step_plays(
        self, codes: Arrays
    ) -> tuple[Arrays, Arrays, NDArray[np.bool_], NDArray[np.bool_], Info]:
        """A step that takes a whole play per game.

        Args:
            codes: int[B, 4], rows of `afterstates`, or one decision and three zeros.

        Raises:
            IllegalActionError: A sequence that is not legal; all games untouched.
        """
        plays = np.ascontiguousarray(codes, np.int64)
        if plays.shape != (self.num_envs, 4):
            raise IllegalActionError(
                f"Plays are int[{self.num_envs}, 4], not {list(plays.shape)}."
            )
        length = np.maximum((plays != 0).sum(axis=1), 1)
        last = plays[np.arange(self.num_envs), length - 1]
        checked = self._checked(last)
        self._apply_before_last(plays, length)
        self._games.codes[:] = checked
        return self._step()

    def _apply_before_last(
        self, plays: NDArray[np.int64], length: NDArray[np.int64]
    ) -> None:
        """Make all moves but the last of each play; refuse all if one is illegal."""
        part = np.flatnonzero(length > 1)
        part = np.setdiff1d(part, self._done)
        if not len(part):
            return
        begun = plays[part].copy()
        begun[np.arange(len(part)), length[part] - 1] = 0
        states = take_states(self._games.states, part)
        illegal = np.zeros(len(part), np.int8)
        apply_sequences(states, begun, illegal)
        bad = np.flatnonzero(illegal >= 0)
        if len(bad):
            place = int(part[bad[0]])
            raise IllegalActionError(
                f"The play {plays[place].tolist()} of game {place} is not legal; "
                f"no game has moved."
            )
        put_states(self._games.states, part, states)
        self._games.show_again(part)

    def render(self) -> tuple[str, ...] | None:
        """The boards as text, one for each game."""
        if self.render_mode is None:
            return None
        from bg_env.rendering.ansi import render
        from bg_env.rules.game import GameState

        return tuple(
            render(
                GameState(self._games.states[i : i + 1], self.settings.rules),
                viewer=max(int(self._games.steps["seat"][i]), 0),
            )
            for i in range(self.num_envs)
        )


def _masked(infos: Info, mask: NDArray[np.bool_]) -> Info:
    """The part of infos that is about the games of ``mask`` bool[B]."""
    told: Info = {}
    for name, values in infos.items():
        if name.startswith("_") or not isinstance(values, np.ndarray):
            continue
        own = infos[f"_{name}"] & mask
        if own.any():
            values = values.copy()
            values[~own] = None if values.dtype == object else 0
            told[name], told[f"_{name}"] = values, own
    return told


def _check_count(num_envs: Any) -> None:
    good = isinstance(num_envs, int | np.integer) and not isinstance(num_envs, bool)
    if not good or not 1 <= num_envs <= _MOST_ENVS:
        raise InvalidOptionError(
            f"num_envs is a whole number of 1 to {_MOST_ENVS}, not {num_envs!r}."
        )


def _mode_of(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    names = {one.value: one for one in AutoresetMode}
    names |= {one.name: one for one in AutoresetMode}
    if mode not in names:
        listed = ", ".join(one.name for one in AutoresetMode)
        raise InvalidOptionError(f"autoreset_mode is one of {listed}, not {mode!r}.")
    return names[mode]


def _part_of(mask: Any, count: int) -> NDArray[np.int64]:
    if mask is None:
        return np.arange(count)
    mask = np.asarray(mask)
    if mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        raise InvalidOptionError(
            f"reset_mask is bool[{count}] with at least one True, not "
            f"{mask.dtype}{list(mask.shape)}."
        )
    return np.flatnonzero(mask)


def _seeds_of(seed: Any, count: int) -> list[int | None]:
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + i for i in range(count)]
    seeds = list(seed)
    if len(seeds) != count:
        raise InvalidOptionError(
            f"A list of seeds has one for each of {count} games, not {len(seeds)}."
        )
    return seeds
