"""A little of everything the rule kernels do, as hashes to compare between modes.

``python tests/rules/kernel_workout.py`` prints them; a test runs it with bounds
checked and with the compiler off, and wants the same numbers as in compiled code.
"""

import hashlib
import json
import sys

import numpy as np
from support import boards_of, data_rows, position_of_row, rolls_of

from bg_env._jit import DISABLED
from bg_env.agent import plays_of_states, simple_answers
from bg_env.rules._drive import play_all_forced
from bg_env.rules.batch import (
    apply_decisions,
    find_match_ends,
    legal_masks,
    new_states,
    seed_states,
)
from bg_env.rules.game import GameState
from bg_env.rules.movegen import legal_moves, perft, plays_of_boards
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position

RULES = {
    "money": Rules(jacoby=True, beavers=3, automatic_doubles=2, resign="offer"),
    "match": Rules(match_length=3, resign="offer"),
    "timed": Rules.preset("timed"),
    "clock": Rules(
        match_length=5,
        clock=Clock(turn_seconds=1, reserve_seconds=2, flag="loses", award="single"),
    ),
    "hypergammon": Rules(start="hypergammon", cube=False, opening_reroll=True),
}
GAMES = 24
DECISIONS_EACH = 160


def digest(*arrays):
    """A short hash of the bytes of arrays."""
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()[:16]


def plays_of_samples(least_waste):
    """All plays of every position of the samples."""
    rows = data_rows("legal_sample") + data_rows("hard_sample")
    boards = boards_of([position_of_row(row) for row in rows])
    return digest(*plays_of_boards(boards, rolls_of(rows), least_waste=least_waste))


def first_moves_of_samples():
    """The first moves of every third position of the samples, by least waste."""
    rules = Rules(least_waste=True)
    found = [
        [
            list(move)
            for move in legal_moves(
                position_of_row(row), tuple(row["dice"]), rules=rules
            )
        ]
        for row in data_rows("hard_sample")[::3]
    ]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]


def random_games(rules):
    """Games by random decisions under some rules, and what was seen on the way."""
    states = new_states(GAMES, rules)
    seed_states(states, 77)
    rng = np.random.default_rng(5)
    seen = []
    for step in range(DECISIONS_EACH):
        masks = legal_masks(states)
        codes = (rng.random(masks.shape) * masks).argmax(axis=1)
        seen.append(digest(masks, codes, apply_decisions(states, codes)))
        if step % 20 == 0:
            seen.append(digest(*plays_of_states(states), simple_answers(states)))
    seen.append(digest(find_match_ends(states), states))
    lost = np.zeros(GAMES, np.int64)
    play_all_forced(states, 1000, lost)
    return digest(states, lost, *[np.frombuffer(s.encode(), np.uint8) for s in seen])


def one_game_with_a_clock():
    """A match of single decisions through `GameState`, each taking its time."""
    game = GameState.new(RULES["clock"], seed=3)
    rng = np.random.default_rng(6)
    for _ in range(150):
        if game.is_over:
            if game.is_match_over:
                break
            game.next_game()
        code = int(rng.choice(game.legal_decisions()))
        game.apply(code, elapsed=float(rng.random()))
    return digest(game.record)


def workout():
    """Everything, by name."""
    found = {f"games {name}": random_games(rules) for name, rules in RULES.items()}
    found["plays"] = plays_of_samples(False)
    found["plays least waste"] = plays_of_samples(True)
    found["first moves"] = first_moves_of_samples()
    found["clock"] = one_game_with_a_clock()
    found["perft"] = perft(Position.start(), 1)
    return found


if __name__ == "__main__":
    json.dump({"interpreted": DISABLED, **workout()}, sys.stdout)
