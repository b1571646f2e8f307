"""Batteries of states that checks run on: random games by several rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import InvalidOptionError
from bg_env.rules.batch import (
    States,
    apply_decisions,
    legal_masks,
    new_states,
    seed_states,
    take_states,
)
from bg_env.rules.decisions import (
    BEAVER,
    DECISIONS,
    DROP,
    RESIGN_BACKGAMMON,
    RESIGN_SINGLE,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.state import DOUBLED, OVER, STATE_DTYPE

RulesChoice = Rules | str | Sequence[Rules | str] | None

# Every kind of decision, variants, least waste, a clock.
_MANY_RULES: Final = (
    Rules(cube=False),
    Rules(jacoby=True, beavers=3, resign="offer"),
    Rules(match_length=5, resign="offer"),
    Rules(cube=False, start="hypergammon"),
    Rules.preset("timed"),
)
_STEPS: Final = 240
_EVERY: Final = 8  # of so many decisions of a game, one state is kept

# Dropping and resigning are drawn less often, or games would be short.
_LIKING: Final = np.ones(DECISIONS)
_LIKING[[DROP, BEAVER]] = 0.5
_LIKING[RESIGN_SINGLE : RESIGN_BACKGAMMON + 1] = 0.1


def rules_of(rules: RulesChoice) -> tuple[Rules, ...]:
    """The rules meant: one or several, by value or name; None = many kinds.

    Raises:
        InvalidOptionError: Neither rules nor the names of presets.
        UnknownNameError: No preset of that name.
    """
    if rules is None:
        return _MANY_RULES
    several = [rules] if isinstance(rules, Rules | str) else list(rules)
    chosen = [Rules.preset(one) if isinstance(one, str) else one for one in several]
    if not chosen or not all(isinstance(one, Rules) for one in chosen):
        raise InvalidOptionError(
            f"rules are bg_env.Rules or names of presets, one or several, "
            f"not {rules!r}."
        )
    return tuple(chosen)


def states_of(rules: Rules, *, games: int, seed: int) -> States:
    """States of unfinished random games, many in the middle of a turn.

    All where a double or a resignation awaits an answer are among them, and of the
    others one of eight. In matches the games begin at all kinds of scores. Both
    streams of each state are set anew, different for all.
    """
    rng = np.random.default_rng(seed)
    states = _first_states(rules, games, rng)
    seed_states(states, seed)
    kept = []
    for step in range(_STEPS):
        going = np.flatnonzero(states["phase"] != OVER)
        if not len(going):
            break
        states = take_states(states, going)
        wanted = (states["phase"] == DOUBLED) | (states["offer"] > 0)
        wanted |= (np.arange(len(states)) + step) % _EVERY == 0
        kept.append(take_states(states, np.flatnonzero(wanted)))
        apply_decisions(states, _drawn(legal_masks(states), rng))
    found = np.concatenate(kept, dtype=STATE_DTYPE)
    seed_states(found, seed + 1)
    return found


def _first_states(rules: Rules, games: int, rng: np.random.Generator) -> States:
    """Games before their opening roll, in a match at drawn scores.

    At match point it is the Crawford game for one half of them, and over for the other.
    """
    states = new_states(games, rules)
    for number in range(games if rules.match_length > 1 else 0):
        game = GameState(states[number : number + 1], rules)
        scores = rng.integers(0, rules.match_length, 2).tolist()
        if number % 2:
            scores[number // 2 % 2] = rules.match_length - 1
        game.set_score((scores[0], scores[1]), None if number % 3 else False)
    return states


def _drawn(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal decision of each game, drawn by liking: int64[B]."""
    keys = rng.random(masks.shape) * masks * _LIKING
    codes: NDArray[np.int64] = keys.argmax(axis=1)
    return codes
