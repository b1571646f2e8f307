"""Rewards: terminal, zero-sum, and right under every rule of paying."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from encoding_states import (
    PLAYED_RULES,
    board_of,
    interpreted_result,
    played_states,
    states_of,
)

from bg_env._jit import DISABLED
from bg_env.encoding import RewardSpec, rewards, worst_loss
from bg_env.equity import load_table, state_mwc
from bg_env.errors import InvalidOptionError, UnknownNameError
from bg_env.rules.batch import (
    apply_decisions,
    find_match_ends,
    legal_masks,
    new_states,
    seed_states,
)
from bg_env.rules.decisions import DOUBLE, DROP, TAKE, move_code
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.rules.state import (
    BORNE_OFF,
    CLAIMED,
    CRAWFORD_GAME,
    CRAWFORD_OVER,
    CRAWFORD_RULE,
    CUBE_IN_USE,
    DROPPED,
    JACOBY,
    OVER,
    RESIGN_IMMEDIATE,
    RESIGN_OFFER,
    RESIGNED,
)

TABLE = load_table("kazaross-xg2")
MONEY = Rules()
LAST_CHECKER = {1: 1}
GAMMON = Position.from_points(LAST_CHECKER, {6: 15})
BACKGAMMON = Position.from_points(LAST_CHECKER, {6: 14, 25: 1})
SINGLE = Position.from_points(LAST_CHECKER, {6: 14})


def won(position: Position, **options: Any) -> np.ndarray:
    """The record of a game whose player on roll has just borne off."""
    state = GameState.from_position(position, dice=(6, 5), **options)
    state.apply(move_code(1, 6))
    assert state.is_over
    return state.record


def reward(record: np.ndarray, spec: RewardSpec | None = None) -> list[float]:
    """What player 0 and player 1 get."""
    pair = rewards(record, spec or RewardSpec())
    return pair[0].tolist()


def test_a_gammon_with_the_cube_on_two_pays_four() -> None:
    """CASES 26: +4 and −4 at the same step; the sum is 0."""
    assert reward(won(GAMMON, cube=2, cube_owner=0)) == [4, -4]
    assert reward(won(GAMMON, cube=2, cube_owner=0, on_roll=1)) == [-4, 4]


@pytest.mark.parametrize(
    ("rules", "cube", "turned", "points"),
    [
        (Rules(jacoby=True), 1, False, 1),  # the cube was never offered
        (Rules(jacoby=True), 2, True, 4),  # after an accepted double
        (Rules(jacoby=True, automatic_doubles=1), 2, False, 2),  # automatic only
        (Rules(), 1, False, 2),
        (Rules(match_length=7), 1, False, 2),  # ignored in a match
    ],
)
@pytest.mark.parametrize("weights", [None, (1, 2, 3)])
def test_jacoby_makes_gammons_single_until_a_double_is_taken(
    rules: Rules,
    cube: int,
    turned: bool,
    points: int,
    weights: tuple[int, int, int] | None,
) -> None:
    """CASES 39, R22."""
    record = won(GAMMON, rules=rules, cube=cube, cube_owner=1 if turned else None)
    assert reward(record, RewardSpec(weights=weights)) == [points, -points]


def test_a_match_state_with_the_jacoby_bit_ignores_it() -> None:
    """CASES 39, R27: match play ignores Jacoby."""
    record = won(GAMMON, rules=Rules(match_length=7))
    record["options"] |= JACOBY
    assert reward(record, RewardSpec(weights=(1, 2, 3))) == [2, -2]


@pytest.mark.parametrize(
    ("rules", "position", "points"),
    [
        (MONEY, SINGLE, 1),
        (MONEY, GAMMON, 2),
        (MONEY, BACKGAMMON, 3),
        (Rules(backgammon_points=2), BACKGAMMON, 2),
        (Rules(backgammon=False), BACKGAMMON, 2),
    ],
)
def test_points_are_those_of_the_record(
    rules: Rules, position: Position, points: int
) -> None:
    """R17, R21: cube × 1, 2 or 3."""
    record = won(position, rules=rules, cube=4, cube_owner=1)
    assert reward(record) == [4 * points, -4 * points]


@pytest.mark.parametrize(
    ("rules", "position", "weight"),
    [
        (MONEY, SINGLE, 0.5),
        (MONEY, GAMMON, 1.25),
        (MONEY, BACKGAMMON, 7.0),
        (Rules(backgammon_points=2), BACKGAMMON, 7.0),
        (Rules(backgammon=False), BACKGAMMON, 1.25),
    ],
)
def test_weights_count_instead_of_one_two_three(
    rules: Rules, position: Position, weight: float
) -> None:
    """Weights of single, gammon and backgammon times the cube."""
    record = won(position, rules=rules, cube=4, cube_owner=1)
    spec = RewardSpec(weights=(0.5, 1.25, 7.0))
    assert reward(record, spec) == [4 * weight, -4 * weight]


def test_a_drop_pays_the_cube_before_the_offer() -> None:
    """CASES 32, R20: a redouble to 4 is dropped; 2 points and no gammon."""
    state = GameState.from_position(GAMMON, cube=2, cube_owner=0)
    state.apply(DOUBLE)
    state.apply(DROP)
    assert reward(state.record) == [2, -2]
    assert reward(state.record, RewardSpec(weights=(1.5, 9, 9))) == [3, -3]


@pytest.mark.parametrize(
    ("option", "ending", "weight"),
    [
        (RESIGN_OFFER, RESIGNED, 5.0),  # agreed: R22 does not touch it
        (RESIGN_IMMEDIATE, RESIGNED, 1.0),
        (0, CLAIMED, 1.0),
        (0, BORNE_OFF, 1.0),
        (0, DROPPED, 1.0),
    ],
)
def test_jacoby_with_weights_knows_how_the_game_ended(
    option: int, ending: int, weight: float
) -> None:
    """R22, R28: a gammon that was offered and accepted stays one."""
    record = states_of(
        {"phase": OVER, "winner": 1, "level": 2, "ending": ending}
        | {"options": CUBE_IN_USE | JACOBY | option}
    )
    assert reward(record, RewardSpec(weights=(1, 5, 9))) == [-weight, weight]


def test_win_is_one_whatever_the_level() -> None:
    """Reward "win": ±1 for every game."""
    for position in (SINGLE, GAMMON, BACKGAMMON):
        record = won(position, cube=8, cube_owner=0, on_roll=1)
        assert reward(record, RewardSpec("win")) == [-1, 1]


@pytest.mark.parametrize(
    ("score", "pays"), [((0, 0), 0), ((4, 6), 0), ((5, 6), 1), ((6, 0), 1)]
)
def test_match_pays_at_the_end_of_the_match_only(
    score: tuple[int, int], pays: int
) -> None:
    """Reward "match": other games of it are worth nothing."""
    record = won(GAMMON, rules=Rules(match_length=7), score=score)
    assert reward(record, RewardSpec("match")) == [pays, -pays]


@pytest.mark.parametrize(
    ("score", "crawford", "position", "before", "after"),
    [
        ((0, 0), None, SINGLE, 0.5, TABLE.pre[5, 6]),
        ((3, 2), None, GAMMON, TABLE.pre[3, 4], TABLE.pre[1, 4]),
        # a player comes to match point: the Crawford game is next
        ((5, 2), None, SINGLE, TABLE.pre[1, 4], TABLE.pre[0, 4]),
        # the trailer wins the Crawford game: after it
        (
            (4, 6),
            None,
            SINGLE,
            TABLE.pre[2, 0],
            TABLE.post_crawford_trailer[1],
        ),
        (
            (3, 6),
            False,
            GAMMON,
            TABLE.post_crawford_trailer[3],
            TABLE.post_crawford_trailer[1],
        ),
        ((6, 3), None, SINGLE, TABLE.pre[0, 3], 1.0),
        ((5, 6), False, BACKGAMMON, TABLE.post_crawford_trailer[1], 1.0),
    ],
)
def test_mwc_is_the_change_of_match_winning_chance(
    score: tuple[int, int],
    crawford: bool | None,
    position: Position,
    before: float,
    after: float,
) -> None:
    """CASES 79: by the named table, before and after the game (R26)."""
    rules = Rules(match_length=7)
    record = won(position, rules=rules, score=score, crawford=crawford)
    change = reward(record, RewardSpec("mwc"))
    assert change == pytest.approx([after - before, before - after], abs=1e-7)


@pytest.mark.parametrize(
    "rules", [Rules(match_length=7), Rules(match_length=5, crawford=False)]
)
def test_mwc_of_all_games_adds_up_to_the_match(rules: Rules) -> None:
    """From one half at 0–0 to won or lost, whatever the way of the match."""
    rng = np.random.default_rng(7)
    spec = RewardSpec("mwc")
    for seed in range(2 if DISABLED else 15):
        state = GameState.new(rules, seed=seed)
        total = np.zeros(2)
        while True:
            while not state.is_over:
                state.apply(int(rng.choice(state.legal_decisions())))
            total += rewards(state.record, spec)[0]
            if state.is_match_over:
                break
            chance = state_mwc(state.record, TABLE)
            state.next_game()
            assert state_mwc(state.record, TABLE) == pytest.approx(chance, abs=1e-12)
        sign = 1 if state.winner == 0 else -1
        assert total == pytest.approx([sign / 2, -sign / 2], abs=1e-9)


@pytest.mark.parametrize("kind", ["points", "win", "match", "mwc"])
def test_every_reward_is_zero_sum_and_terminal(kind: Any) -> None:
    """CASES 26: exactly 0 in sum; zeros while a game goes on."""
    states = played_states(games=10, seed=3)
    if kind in ("match", "mwc"):
        states = states[states["match_length"] > 0]
    pairs = rewards(states, RewardSpec(kind, scale=1 / 3))
    assert (pairs.sum(axis=1) == 0).all()
    over = states["phase"] == OVER
    assert 0 < over.sum() < len(states)
    assert not pairs[~over].any()
    won_by = pairs[np.arange(len(states)), states["winner"]]
    assert (won_by[over] >= 0).all()
    if kind in ("points", "win"):
        assert (won_by[over] > 0).all()
    if kind == "mwc":
        assert (np.abs(pairs) <= 1 / 3).all()


def test_scale_is_a_factor_on_everything() -> None:
    """Reward "scale"."""
    assert reward(won(GAMMON), RewardSpec(scale=0.25)) == [0.5, -0.5]
    assert reward(won(GAMMON), RewardSpec("win", scale=3)) == [3, -3]


# --- the worst that may come -----------------------------------------------------

NONE_OFF = board_of({6: 15}, {6: 15})
SOME_OFF = board_of({6: 14}, {6: 15})
CLOCKED = CUBE_IN_USE | CRAWFORD_RULE | 128


@pytest.mark.parametrize(
    ("state", "spec", "loss"),
    [
        ({"board": NONE_OFF}, {}, 3),
        ({"board": SOME_OFF}, {}, 1),
        ({"board": SOME_OFF, "to_act": 1, "phase": 3}, {}, 6),
        ({"board": NONE_OFF, "cube": 4}, {}, 12),
        ({"board": NONE_OFF, "cube": 4, "backgammon_points": 2}, {}, 8),
        ({"board": NONE_OFF, "options": 1 | 4096}, {}, 2),
        ({"board": SOME_OFF, "cube": 2, "phase": 3}, {}, 4),
        ({"board": NONE_OFF, "options": 1 | JACOBY}, {}, 1),
        ({"board": NONE_OFF, "options": 1 | JACOBY, "phase": 3}, {}, 6),
        ({"board": NONE_OFF, "options": 1 | JACOBY, "cube_turned": 1}, {}, 3),
        ({"board": SOME_OFF, "options": CLOCKED}, {}, 2),
        ({"board": SOME_OFF, "options": CLOCKED | 1024}, {}, 1),
        ({"board": NONE_OFF}, {"weights": (1, 2.5, 4)}, 4),
        ({"board": NONE_OFF, "cube": 2}, {"weights": (3, 2, 1)}, 6),
        ({"board": SOME_OFF}, {"weights": (0.5, 2, 3)}, 0.5),
        ({"board": NONE_OFF, "options": 1 | 4096}, {"weights": (1, 5, 9)}, 5),
        ({"board": NONE_OFF}, {"scale": 0.5}, 1.5),
        ({"board": NONE_OFF, "cube": 8}, {"kind": "win"}, 1),
        ({"board": NONE_OFF, "match_length": 5}, {"kind": "match", "scale": 2}, 2),
        ({"board": NONE_OFF, "phase": OVER, "winner": 0}, {}, 0),
        ({"board": NONE_OFF, "phase": OVER, "winner": 0}, {"kind": "win"}, 0),
    ],
)
def test_the_worst_loss_is_the_stake_times_what_can_still_be_lost(
    state: dict[str, Any], spec: dict[str, Any], loss: float
) -> None:
    """A backgammon with nothing borne off, else a single game."""
    assert worst_loss(states_of(state), RewardSpec(**spec)).tolist() == [loss]


@pytest.mark.parametrize(
    ("state", "now", "then"),
    [
        ({"board": SOME_OFF}, TABLE.pre[6, 6], TABLE.pre[6, 5]),
        ({"board": NONE_OFF, "score": (4, 2)}, TABLE.pre[2, 4], TABLE.pre[2, 1]),
        (
            {"board": SOME_OFF, "score": (2, 5), "to_act": 0},
            TABLE.pre[4, 1],
            TABLE.pre[4, 0],
        ),
        (
            {"board": SOME_OFF, "score": (6, 5), "crawford": CRAWFORD_GAME},
            TABLE.pre[0, 1],
            0.5,
        ),
        (
            {"board": SOME_OFF, "score": (6, 3), "crawford": CRAWFORD_OVER, "cube": 2},
            1 - TABLE.post_crawford_trailer[3],
            1 - TABLE.post_crawford_trailer[1],
        ),
        ({"board": NONE_OFF, "score": (3, 5)}, TABLE.pre[3, 1], 0.0),
        # the clock may cost the match
        (
            {"board": SOME_OFF, "score": (4, 1), "options": CLOCKED | 2048},
            TABLE.pre[2, 5],
            0.0,
        ),
    ],
)
@pytest.mark.parametrize("player", [0, 1])
def test_the_worst_loss_of_match_winning_chance(
    state: dict[str, Any], now: float, then: float, player: int
) -> None:
    """The chance now minus the chance after the worst loss (R26)."""
    states = states_of({"match_length": 7, **state})
    states["on_roll"] = states["to_act"] = player
    if player == 1:
        states["score"] = states["score"][:, ::-1]
    loss = worst_loss(states, RewardSpec("mwc"))
    assert loss == pytest.approx([now - then], abs=1e-7)


@pytest.mark.parametrize("rules", [Rules(cube=False), Rules.preset("timed")])
def test_no_game_without_the_cube_costs_more_than_the_worst_loss(rules: Rules) -> None:
    """Whatever follows, the player to act never loses more than it said."""
    games = 2 if DISABLED else 60
    spec = RewardSpec()
    states = new_states(games, rules)
    seed_states(states, 5)
    rng = np.random.default_rng(5)
    most = np.full((games, 2), np.inf)
    everyone = np.arange(games)
    while (states["phase"] != OVER).any():
        running = states["phase"] != OVER
        loss = worst_loss(states, spec)
        player = states["to_act"]
        told = np.minimum(most[everyone, player], loss)
        most[everyone[running], player[running]] = told[running]
        masks = legal_masks(states).astype(bool)
        apply_decisions(states, (rng.random(masks.shape) * masks).argmax(axis=1))
    assert find_match_ends(states).all()
    assert (rewards(states, spec) >= -most).all()


def test_a_pending_double_can_cost_what_it_is_once_taken() -> None:
    """R20: the stake doubles when the double is taken."""
    state = GameState.from_position(GAMMON, doubled=True)
    loss = worst_loss(state.record, RewardSpec())
    state.apply(TAKE)
    state.set_dice(6, 5)
    state.apply(move_code(1, 6))
    assert loss.tolist() == [6.0]
    assert reward(state.record) == [4, -4]  # no backgammon here, but a gammon


# --- what is refused ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "money"}, "Reward kind is one of .* not 'money'"),
        ({"scale": 0}, "above 0, not 0"),
        ({"scale": -1.0}, "above 0, not -1.0"),
        ({"scale": float("nan")}, "not nan"),
        ({"scale": "big"}, "not 'big'"),
        ({"scale": True}, "not True"),
        ({"weights": (1, 2)}, "three numbers"),
        ({"weights": [1, 2, 3]}, "a tuple of three numbers"),
        ({"weights": (1, 2, -3)}, "0 or more"),
        ({"weights": (1, 2, float("inf"))}, "inf"),
        ({"weights": 3}, "not 3"),
        ({"kind": "win", "weights": (1, 2, 3)}, "go with kind 'points' only"),
    ],
)
def test_impossible_rewards_are_refused(options: dict[str, Any], words: str) -> None:
    """The message names the value."""
    with pytest.raises(InvalidOptionError, match=words):
        RewardSpec(**options)


def test_an_unknown_table_is_refused_at_once() -> None:
    """Not only when the first game ends."""
    with pytest.raises(UnknownNameError, match="'nobody'"):
        RewardSpec("mwc", table="nobody")


@pytest.mark.parametrize("kind", ["match", "mwc"])
def test_match_rewards_need_a_match(kind: Any) -> None:
    """Money play has no match to win."""
    spec = RewardSpec(kind)
    spec.check(Rules(match_length=7))
    with pytest.raises(InvalidOptionError, match=f"Reward '{kind}' needs a match"):
        spec.check(MONEY)


def test_mwc_refuses_a_match_longer_than_its_table() -> None:
    """The message names the length and the limit."""
    RewardSpec("mwc").check(Rules(match_length=25))
    RewardSpec("match").check(Rules(match_length=27))
    with pytest.raises(InvalidOptionError, match=r"A match to 27 .* limit is 25"):
        RewardSpec("mwc").check(Rules(match_length=27))


@pytest.mark.parametrize("kind", ["points", "win"])
@pytest.mark.parametrize("rules", PLAYED_RULES)
def test_points_and_win_go_with_all_rules(kind: Any, rules: Rules) -> None:
    """Nothing is refused that can be paid."""
    RewardSpec(kind).check(rules)


def test_a_reward_is_a_value() -> None:
    """Frozen, hashable, equal by its fields, and it survives pickling."""
    spec = RewardSpec("mwc", scale=2.0)
    assert spec == RewardSpec("mwc", scale=2.0)
    assert hash(spec) == hash(RewardSpec("mwc", scale=2.0))
    record = won(GAMMON, rules=Rules(match_length=7))
    before = reward(record, spec)
    assert reward(record, pickle.loads(pickle.dumps(spec))) == before


@pytest.mark.parametrize("function", ["rewards", "worst_loss"])
@pytest.mark.parametrize("kind", ["points", "mwc"])
def test_interpreted_and_compiled_rewards_are_equal(
    function: str, kind: Any, tmp_path: Path
) -> None:
    """The kernels as plain Python give the same numbers."""
    rules = Rules(match_length=5, clock=Clock())
    states = played_states(games=10, seed=2)
    states = states[states["match_length"] == rules.match_length][::7]
    slow = interpreted_result(
        tmp_path, states, f"{function}(states, RewardSpec({kind!r}))"
    )
    compiled = rewards if function == "rewards" else worst_loss
    assert np.allclose(slow, compiled(states, RewardSpec(kind)), rtol=1e-12)
