"""Games for the tests of the state machine: single ones, random ones, mirrored ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bg_env._jit import DISABLED, kernel
from bg_env.envs._step import write_random_codes
from bg_env.rules._game import charge_clock, start_all
from bg_env.rules.batch import (
    apply_decisions,
    find_match_ends,
    legal_masks,
    new_states,
    put_states,
    seed_states,
    take_states,
)
from bg_env.rules.decisions import (
    ACCEPT,
    CLAIM,
    DECISIONS,
    DOUBLE,
    DROP,
    RESIGN_BACKGAMMON,
    RESIGN_SINGLE,
    move_code,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.rules.state import CRAWFORD_GAME, NOBODY, OVER, STATE_DTYPE

Places = Mapping[int, int]

CUBELESS = Rules(cube=False)
needs_compiled = pytest.mark.skipif(
    DISABLED, reason="so many games would take hours without compiled kernels"
)
IS_RASH = np.zeros(DECISIONS, np.bool_)
IS_RASH[[DOUBLE, DROP, ACCEPT, CLAIM]] = True
IS_RASH[RESIGN_SINGLE : RESIGN_BACKGAMMON + 1] = True
HOME_ALONE: Places = {1: 1}  # one checker to bear off with any roll
FAR: Places = {8: 14, 1: 1}  # nothing off, no checker in the winner's home


# --- one game -----------------------------------------------------------------------


def game_at(mover: Places, opponent: Places, **details: Any) -> GameState:
    """A game with these checkers by point (25 = bar) of the player on roll first."""
    return GameState.from_position(Position.from_points(mover, opponent), **details)


def start_game(**details: Any) -> GameState:
    """A game at a later turn from the start position, the roll to come."""
    return GameState.from_position(Position.start(), **details)


def play(state: GameState, *decisions: int | tuple[int, int]) -> GameState:
    """Apply decisions: codes, or moves as (source, die)."""
    for decision in decisions:
        code = decision if isinstance(decision, int) else move_code(*decision)
        state.apply(code)
    return state


def moves_of(state: GameState) -> list[tuple[int, int]]:
    """The legal moves as (source, die), the highest source first."""
    moves = [((c - 1) // 6 + 1, (c - 1) % 6 + 1) for c in state.legal_decisions()]
    legal = state.legal_decisions()
    return sorted((m for m, c in zip(moves, legal, strict=True) if 1 <= c <= 150))[::-1]


def bear_off_last(state: GameState) -> GameState:
    """Let the player on roll bear off his last checker from the 1-point."""
    state.set_dice(2, 1)
    return play(state, (1, 2))


def won_at_once(opponent: Places, **details: Any) -> GameState:
    """A game that the player on roll has just won against these checkers."""
    free = next(point for point in range(1, 7) if not opponent.get(25 - point))
    state = game_at({free: 1}, opponent, **details)
    state.set_dice(free, free)
    return play(state, (free, free))


def timed(clock: Clock | None = None, **options: Any) -> Rules:
    """Money play with the clock of sheet B: 11 s a turn, 90 s in reserve."""
    return Rules(clock=clock or Clock(), **options)


def times(state: GameState, player: int) -> tuple[float, float]:
    """Seconds left of a player's turn and of his reserve."""
    return state.record["turn_time"][0, player] / 1000, state.reserve[player]


def bytes_of(state: GameState) -> bytes:
    """Every byte of the state."""
    return state.record.tobytes()


# --- many games at random -----------------------------------------------------------


@kernel
def charge_all(states: NDArray[Any], milliseconds: NDArray[np.int64]) -> None:
    """Let the clock of each game's player to act run. In place."""
    for i in range(states.shape[0]):
        charge_clock(states[i], int(states[i].to_act), int(milliseconds[i]))


@dataclass
class Played:
    """What became of random games.

    Attributes:
        ends: The record of every finished game, those of a match one by one.
        matches: The record of every finished match, or money game, at its end.
        crawford_games: How many Crawford games each of `matches` had.
        truncated: How many matches or games were cut off by the turn cap.
    """

    ends: list[NDArray[Any]] = field(default_factory=list)
    matches: list[NDArray[Any]] = field(default_factory=list)
    crawford_games: list[NDArray[np.int64]] = field(default_factory=list)
    truncated: int = 0

    def all_ends(self) -> NDArray[Any]:
        """Every finished game in one array."""
        return np.concatenate(self.ends, dtype=STATE_DTYPE)

    def all_matches(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Every finished match, and how many Crawford games it had."""
        matches = np.concatenate(self.matches, dtype=STATE_DTYPE)
        return matches, np.concatenate(self.crawford_games)


class RandomGames:
    """Games of one set of rules, decided at random and checked after each decision.

    A decision that may end the game early (double, drop, resignation, claim) is made
    again 49 times of 50, so that games are long enough to reach every rule.
    """

    def __init__(self, rules: Rules, count: int, seed: int) -> None:
        """Set up `count` games; all their randomness comes from `seed`."""
        self.rules = rules
        self.states = new_states(count, rules)
        seed_states(self.states, seed)
        self.choices: NDArray[np.uint64] = self.states["choice_stream"].copy()
        self.crawford = np.zeros(count, np.int64)
        self.noted = np.zeros(count, np.bool_)
        self.random = np.random.default_rng(seed)
        self.played = Played()

    def run(self, max_turns: int = 1000) -> Played:
        """Play all of them to the end of game or match, or to the turn cap."""
        step = 0
        while len(self.states):
            before = self.states["score"].copy()
            self.decide()
            assert (self.states["score"] >= before).all(), "a score has fallen"
            self.note_ends(before)
            step += 1
            if step % 16 == 0:
                self.check()
                self.sort_out(max_turns)
        return self.played

    def decide(self) -> None:
        """One decision in each game."""
        if self.rules.clock:
            times = self.random.integers(0, 20_000, len(self.states))
            times *= self.random.random(len(self.states)) < 0.2
            charge_all(self.states, times)
        codes = np.zeros(len(self.states), np.int64)
        write_random_codes(self.states, self.choices, codes)
        self.think_over(codes)
        assert apply_decisions(self.states, codes).all(), "a legal decision was refused"

    def think_over(self, codes: NDArray[np.int64]) -> None:
        """Decide again, up to ten times, where a decision is a rash one."""
        calm = self.random.random(len(codes)) < 0.98
        again = np.zeros_like(codes)
        for _ in range(10):
            rash = calm & IS_RASH[codes]
            if not rash.any():
                return
            write_random_codes(self.states, self.choices, again)
            codes[rash] = again[rash]

    def note_ends(self, before: NDArray[np.int32]) -> None:
        """Keep the games that have just ended and begin the next of their match."""
        fresh = np.flatnonzero((self.states["phase"] == OVER) & ~self.noted)
        if not len(fresh):
            return
        ended = take_states(self.states, fresh)
        check_scores(ended, before[fresh])
        self.played.ends.append(ended)
        goes_on = ~find_match_ends(ended)
        following = take_states(ended, np.flatnonzero(goes_on))
        start_all(following, self.rules.start_position.to_board())
        self.crawford[fresh[goes_on]] += following["crawford"] == CRAWFORD_GAME
        put_states(self.states, fresh[goes_on], following)
        self.noted[fresh[~goes_on]] = True

    def check(self) -> None:
        """Checkers conserved and something legal in every game."""
        board = self.states["board"]
        counts = board.sum(axis=2, dtype=np.int64)
        on_roll = self.states["on_roll"][:, None]
        order = np.concatenate([on_roll, 1 - on_roll], axis=1)
        owned = np.take_along_axis(self.states["checkers"], order.astype(np.int64), 1)
        assert (board >= 0).all()
        assert (counts == owned).all(), "checkers were lost or found"
        assert (board[:, :, 26:] == 0).all(), "the padding was written"
        assert ((board[:, 0, 1:25] == 0) | (board[:, 1, 24:0:-1] == 0)).all()
        assert legal_masks(self.states).any(axis=1).all(), "an empty mask"
        assert (self.states["cube"] <= self.states["max_cube"]).all()

    def sort_out(self, max_turns: int) -> None:
        """Put aside what is finished or beyond the cap."""
        done = self.noted
        capped = ~done & (self.states["turn"] > max_turns)
        if done.any():
            self.played.matches.append(take_states(self.states, np.flatnonzero(done)))
            self.played.crawford_games.append(self.crawford[done])
        self.played.truncated += int(capped.sum())
        stays = ~(done | capped)
        self.states = take_states(self.states, np.flatnonzero(stays))
        self.choices = self.choices[stays]
        self.crawford = self.crawford[stays]
        self.noted = self.noted[stays]


def check_scores(ended: NDArray[Any], before: NDArray[np.int32]) -> None:
    """The winner's score has grown by the points, the loser's has not changed."""
    rows = np.arange(len(ended))
    gained = ended["score"].astype(np.int64) - before
    winner = ended["winner"].astype(np.int64)
    assert ((winner == 0) | (winner == 1)).all()
    assert (gained[rows, 1 - winner] == 0).all(), "the loser got points"
    assert (gained[rows, winner] == ended["points"]).all(), "points are not the score"


# --- the other colour ---------------------------------------------------------------

_BY_PLAYER = ("score", "turn_time", "reserve", "checkers")


def mirrored(states: NDArray[Any]) -> NDArray[Any]:
    """The same games with the two players' names exchanged, after the opening roll."""
    other = states.copy()
    for name in ("on_roll", "to_act"):
        other[name] = 1 - states[name]
    for name in ("cube_owner", "winner"):
        nobody = states[name] == NOBODY
        other[name] = np.where(nobody, NOBODY, 1 - states[name])
    for name in _BY_PLAYER:
        other[name] = states[name][:, ::-1]
    return other
