"""The chouette as a PettingZoo environment: three and more players at one board."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from bg_env.encoding import Encoder, make_encoder
from bg_env.envs._aec_seats import seats_high, seats_layout, write_seats
from bg_env.envs.actions import code_of
from bg_env.envs.aec import RENDER_MODES, MaskedAEC, News, enforced
from bg_env.envs.settings import DEFAULT_MAX_TURNS
from bg_env.errors import InvalidOptionError
from bg_env.rules.options import Rules
from bg_env.table.chouette import BOX, MEMBER, Chouette, render_chouette


class ChouetteAEC(MaskedAEC):
    """A chouette: one player in the box against a team with its captain (R30–R35).

    ## Action space
    ``Discrete(162)``, the decision codes. 1–150 are moves of the box or the captain.
    151 and 152 answer the question whether to double: 151 no, 152 yes. The captain's
    152 is a proposal, on which every member still in votes in line order; one 151 and
    the captain rolls. With own cubes each member is asked about his, and the box about
    each cube it may turn. 153 and 154 take and drop.

    ## Observation space
    ``observation``: float32, the numbers of the encoder for the game of two between
    the box and a member (a member sees his own game; the box that of the member it is
    asked about, else the captain's; who is out of the game sees the board), then the
    seats (`layout`). ``action_mask``: int8[162]; who is not asked has code 0 alone.

    ## Rewards
    Points × `reward_scale`, at every payment: a drop, and the end of a game (R33).
    They add up to zero at every step.

    ## Episode end
    After `games` games. In the last one a member's episode ends with his own game: when
    he drops, say. Truncated for all when a game lasts longer than `max_turns` turns.

    ## Arguments
    players: How many, three or more.
    rules: A `bg_env.Rules` or the name of a preset: money play, without beavers,
        resigning and clock.
    own_cubes: Each member has a cube of his own (R35).
    games: Games per episode; the seats change after each (R34).
    observation: An encoder or its name.
    reward_scale: A factor on every reward.
    auto_pass: Play rolls and passes that are all a player can decide.
    max_turns: Turns per game after which the episode is truncated.
    render_mode: None, "ansi" or "human" (printed at every step).

    ## Reset options
    ``order``: the number of the player in the box, then the line; without it the
    players roll for their seats (R30). ``dice``: the coming rolls. Others are ignored
    with a warning.

    An illegal action raises `IllegalActionError` and changes nothing.

    ## Version history
    v0: first version; decision codes v1, encoder ``tesauro-v1``.
    """

    metadata = {  # noqa: RUF012
        "name": "chouette_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        players: int = 4,
        *,
        rules: Rules | str | None = None,
        own_cubes: bool = False,
        games: int = 1,
        observation: str | Encoder = "tesauro",
        reward_scale: float = 1.0,
        auto_pass: bool = True,
        max_turns: int = DEFAULT_MAX_TURNS,
        render_mode: str | None = None,
    ) -> None:
        """Check the arguments; `reset` seats the players.

        Raises:
            InvalidOptionError: Fewer than three players, or values that cannot be.
            UnknownNameError: A preset or encoder nobody knows.
        """
        _check_whole("players", players)
        _check_whole("games", games)
        _check_whole("max_turns", max_turns)
        _check_scale(reward_scale)
        encoder = observation
        if not isinstance(encoder, Encoder):
            encoder = make_encoder(observation)  # type: ignore[arg-type]
        self._arguments: dict[str, Any] = {"rules": rules, "own_cubes": own_cubes}
        self._chouette = Chouette(players, **self._arguments)  # checks the rest
        self._encoder = encoder
        self._games, self._max_turns = games, max_turns
        self._scale, self._auto_pass = float(reward_scale), bool(auto_pass)
        self._random: np.random.Generator | None = None
        high = np.concatenate([encoder.high.ravel(), seats_high(players)])
        low = np.zeros(len(high), np.float32)
        low[: encoder.size] = encoder.low.ravel()
        self._set_up(players, Box(low, high.astype(np.float32)), render_mode)

    @property
    def chouette(self) -> Chouette:
        """The chouette under way."""
        return self._chouette

    @property
    def layout(self) -> tuple[tuple[int, int, str], ...]:
        """What stands where in an observation: (start, stop, meaning)."""
        size = self._encoder.size
        seats = seats_layout(len(self.possible_agents))
        own = ((start + size, stop + size, meaning) for start, stop, meaning in seats)
        return (*self._encoder.layout, *own)

    # --- what `MaskedAEC` asks for ----------------------------------------------------

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        known = self._known_options(options, ("order", "dice"))
        generator = self._random
        if seed is not None or generator is None:
            generator, _ = gymnasium.utils.seeding.np_random(seed)
        chouette = Chouette(
            len(self.possible_agents),
            seed=int(generator.integers(2**63)),
            order=known.get("order"),
            **self._arguments,
        )
        if known.get("dice") is not None:
            chouette.set_dice_queue(known["dice"])
        self._random, self._chouette = generator, chouette
        self._go_on()

    def _go_on(self) -> None:
        """Play what needs no decision, up to the cap of turns."""
        chouette = self._chouette
        while self._auto_pass and chouette.turn <= self._max_turns:
            code = chouette.forced_decision()
            if code is None:
                return
            chouette.apply(chouette.asked[0].player, code)

    def _play(self, player: int, action: Any) -> News:
        chouette = self._chouette
        before = chouette.scores
        chouette.apply(player, code_of(action))
        self._go_on()
        is_last = chouette.game >= self._games
        news = News(
            rewards=[
                self._scale * (now - then)
                for now, then in zip(chouette.scores, before, strict=True)
            ],
            finished=self._finished() if is_last else set(),
            truncated=not chouette.is_over and chouette.turn > self._max_turns,
        )
        if chouette.is_over and not is_last:
            chouette.next_game()
            self._go_on()
        return news

    def _finished(self) -> set[int]:
        """The players whose last game is over."""
        chouette = self._chouette
        out = set(chouette.line) - set(chouette.members_in)
        return {*out, chouette.box} if chouette.is_over else out

    def _to_act(self) -> int:
        asked = self._chouette.to_act
        return self._chouette.box if asked is None else asked

    def _observation(self, player: int) -> NDArray[Any]:
        state = self._chouette.state
        member, viewer = player, MEMBER
        if player == state.box:
            about = state.asked[0].members[0] if state.asked else state.captain
            member, viewer = about, BOX
        elif player not in state.members_in and not self._chouette.is_over:
            member = state.box  # the board alone goes on
        record = state.records[member : member + 1]
        numbers = self._encoder.observe(record, [viewer]).reshape(-1)
        left = (self._games - state.game) / self._games
        seats = write_seats(state, player, left)
        return np.concatenate([numbers.astype(np.float32), seats])

    def _mask(self, player: int) -> NDArray[np.int8]:
        return self._chouette.legal_mask(player)

    def _info(self, player: int) -> dict[str, Any]:
        return {"game": self._chouette.game, "score": self._chouette.scores[player]}

    def _text(self) -> str:
        return render_chouette(self._chouette)


raw_env = ChouetteAEC
env = enforced(ChouetteAEC)


def _check_whole(name: str, value: Any) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < 1:
        raise InvalidOptionError(
            f"{name} is a whole number of 1 or more, not {value!r}."
        )


def _check_scale(value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value < float("inf"):
        raise InvalidOptionError(f"reward_scale is a number above 0, not {value!r}.")
