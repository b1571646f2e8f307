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
    DOUBLE,
    DROP,
    RESIGN_BACKGAMMON,
    RESIGN_SINGLE,
)
from bg_env.rules.options import Rules
from bg_env.rules.state import OVER, STATE_DTYPE

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

# Doubling, dropping and resigning are drawn less often, or games would be short.
_LIKING: Final = np.ones(DECISIONS)
_LIKING[[DOUBLE, DROP, BEAVER]] = 0.3
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

    Both streams of each are set anew, different for all.
    """
    rng = np.random.default_rng(seed)
    states = new_states(games, rules)
    seed_states(states, seed)
    kept = []
    for step in range(_STEPS):
        going = np.flatnonzero(states["phase"] != OVER)
        if not len(going):
            break
        states = take_states(states, going)
        mine = np.flatnonzero((np.arange(len(states)) + step) % _EVERY == 0)
        kept.append(take_states(states, mine))
        masks = legal_masks(states)
        apply_decisions(states, _drawn(masks, rng))
    found = np.concatenate(kept, dtype=STATE_DTYPE)
    seed_states(found, seed + 1)
    return found


def _drawn(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A legal decision of each game, drawn by liking: int64[B]."""
    keys = rng.random(masks.shape) * masks * _LIKING
    return keys.argmax(axis=1)
