"""What the tests of the environment share: making, driving and judging it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest
import reference

from bg_env import BackgammonEnv, GameState
from bg_env._jit import DISABLED
from bg_env.rules.decisions import DECISIONS, move_code
from bg_env.rules.state import LEAST_WASTE, MOVING

IDS = ("Backgammon-v0", "Backgammon-Cubeless-v0", "Backgammon-Match-v0")
MONEY, CUBELESS, MATCH = IDS

PASS, ROLL, DOUBLE, TAKE, DROP, BEAVER = 0, 151, 152, 153, 154, 155
RESIGN_SINGLE, RESIGN_GAMMON, RESIGN_BACKGAMMON = 156, 157, 158
ACCEPT, REFUSE, CLAIM = 159, 160, 161

START = {24: 2, 13: 5, 8: 3, 6: 5}
STARTING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
CASE_44 = "XGID=-A-Bb-DBB---bBa---bcbbaA-A:0:0:-1:00:4:0:0:0:8"

LAST = {3: 1}  # a last checker, and the action that bears it off with a six
OFF = [move_code(3, 6)]

Info = dict[str, Any]

compiled_only = pytest.mark.skipif(
    DISABLED, reason="so many steps would take hours without compiled kernels"
)


# --- making -------------------------------------------------------------------------


def make(name: str = CUBELESS, **keywords: Any) -> BackgammonEnv:
    """The environment of an id, without wrappers.

    Its first reset needs no seed to be the same in every run of the tests.
    """
    env = gymnasium.make(name, **keywords).unwrapped
    assert isinstance(env, BackgammonEnv)
    env.np_random = np.random.default_rng(20)
    return env


def xgid(
    upper: Mapping[int, int],
    lower: Mapping[int, int],
    *,
    turn: int = 1,
    dice: str = "00",
    cube: int = 0,
    owner: int = 0,
    score: tuple[int, int] = (0, 0),
    rules: int = 0,
    length: int = 0,
) -> str:
    """An XGID from {point: count} of both sides, each in its own numbering.

    `turn` and `owner` are 1 for upper case (player 0), −1 for lower case; 25 is the
    bar; `cube` is a power of two.
    """
    places = ["-"] * 26
    for point, count in upper.items():
        places[point] = chr(ord("A") + count - 1)
    for point, count in lower.items():
        places[25 - point] = chr(ord("a") + count - 1)
    fields = (cube, owner, turn, dice, *score, rules, length, 10)
    return f"XGID={''.join(places)}:" + ":".join(str(field) for field in fields)


def swapped(upper: Mapping[int, int], lower: Mapping[int, int], **fields: Any) -> str:
    """The XGID of the same game with the names of the players exchanged."""
    first, second = fields.pop("score", (0, 0))
    signs = {name: -fields.pop(name, 1 if name == "turn" else 0) for name in (
        "turn", "owner"
    )}  # fmt: skip
    return xgid(lower, upper, score=(second, first), **signs, **fields)


def last_move(
    loser: Mapping[int, int],
    *,
    winner: int = 0,
    cube: int = 0,
    owner: int = 0,
    **more: Any,
) -> str:
    """The XGID of a winner who is to bear off his last checker with 6-5."""
    sides = (LAST, loser) if winner == 0 else (loser, LAST)
    turn = 1 if winner == 0 else -1
    return xgid(*sides, turn=turn, dice="65", cube=cube, owner=owner, **more)


# --- opponents ----------------------------------------------------------------------


def lowest(observation: np.ndarray, mask: np.ndarray) -> int:
    """The legal decision with the lowest code."""
    return int(np.flatnonzero(mask)[0])


def preferring(*codes: int) -> Callable[[np.ndarray, np.ndarray], int]:
    """A function opponent that takes the first of these that is legal, else the lowest.

    A code may be named more than once.
    """

    def prefer(observation: np.ndarray, mask: np.ndarray) -> int:
        wanted = [code for code in codes if mask[code]]
        return wanted[0] if wanted else lowest(observation, mask)

    return prefer


OPPONENTS: dict[str, Any] = {
    "self": "self",
    "random": "random",
    "pubeval": "pubeval",
    "function": lowest,
}


# --- driving ------------------------------------------------------------------------


def codes_of(mask: np.ndarray) -> list[int]:
    """The decisions that a mask shows."""
    return np.flatnonzero(mask).tolist()


def any_of(mask: np.ndarray, rng: np.random.Generator) -> int:
    """One of the decisions that a mask shows."""
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(len(legal))])


def moves(*played: tuple[int, int]) -> list[int]:
    """The codes of (source, die) moves."""
    return [move_code(source, die) for source, die in played]


Step = tuple[np.ndarray, float, bool, bool, Info]


def random_steps(
    env: gymnasium.Env[Any, Any], count: int, seed: int = 1
) -> Iterator[Step]:
    """So many random legal steps, one game after the other; each reset is shown too."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    yield observation, 0.0, False, False, info
    for _ in range(count):
        action = any_of(info["action_mask"], rng)
        observation, reward, terminated, truncated, info = env.step(action)
        yield observation, float(reward), terminated, truncated, info
        if terminated or truncated:
            observation, info = env.reset()
            yield observation, 0.0, False, False, info


def play_on(env: BackgammonEnv, info: Info, seed: int = 1) -> Step:
    """Random legal steps to the end of the episode; the last step."""
    rng = np.random.default_rng(seed)
    while True:
        step = env.step(any_of(info["action_mask"], rng))
        info = step[4]
        if step[2] or step[3]:
            return step


def play_codes(env: BackgammonEnv, codes: Iterable[int]) -> Step:
    """Step through these decisions, each of which must be shown; the last step."""
    step = None
    for code in codes:
        shown = codes_of(env.action_masks())
        assert code in shown, f"{env.action_text(code)} is not among {shown}"
        step = env.step(code)
    assert step is not None
    return step


def replay(env: BackgammonEnv, info: Info, count: int, seed: int = 1) -> list[bytes]:
    """What `count` random steps bring, to compare two environments; resets included."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(count):
        observation, reward, terminated, truncated, info = env.step(
            any_of(info["action_mask"], rng)
        )
        seen.append(observation.tobytes() + bytes(info["action_mask"]))
        seen.append(repr((reward, terminated, truncated, info["rewards"])).encode())
        if terminated or truncated:
            observation, info = env.reset()
            seen.append(observation.tobytes() + bytes(info["action_mask"]))
    return seen


# --- judging ------------------------------------------------------------------------


def record_bytes(env: BackgammonEnv) -> bytes:
    """The whole record of the running game."""
    return env.state.record.tobytes()


def codes_by_reference(state: GameState) -> set[int] | None:
    """The moves that the slow rule book allows; None outside the start of a play."""
    position = (state.position.mover, state.position.opponent)
    dice = state.dice_left
    whole = len(dice) == (4 if len(set(dice)) == 1 else 2)
    if state.phase != MOVING or state.offer or not whole:
        return None
    least_waste = bool(int(state.record["options"][0]) & LEAST_WASTE)
    first = reference.first_moves(position, state.dice or (), least_waste)
    return {move_code(source, die) for source, die in first}


def check_mask(env: BackgammonEnv, mask: np.ndarray) -> None:
    """The mask is exact, fresh, of the right kind and never empty (CASES 53 to 55)."""
    assert mask.dtype == np.int8
    assert mask.shape == (DECISIONS,)
    fresh = env.action_masks()
    assert fresh.dtype == np.bool_
    assert fresh.shape == (DECISIONS,)
    np.testing.assert_array_equal(mask, fresh)
    assert codes_of(mask) == env.state.legal_decisions()
    assert mask.any()
