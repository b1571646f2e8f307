"""The options of `reset`: what each one does, and that refused ones do nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from env_play import (
    CASE_44,
    CUBELESS,
    DOUBLE,
    DROP,
    MONEY,
    PASS,
    ROLL,
    START,
    STARTING,
    TAKE,
    any_of,
    check_mask,
    codes_of,
    make,
    moves,
    play_codes,
    play_on,
    record_bytes,
    xgid,
)

from bg_env import (
    InvalidPositionError,
    Position,
    Rules,
    parse_xgid,
)

# --- xgid ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        STARTING,
        CASE_44,
        "XGID=----b-M-A-------b-cdd---A-:0:0:1:62:0:0:0:0:10",
        "XGID=-bA--bF-C-a-bB---cad--B--A:1:1:-1:55:0:0:0:0:10",
        "XGID=--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8",
        "XGID=-b----E-C---eE---c-e----B-:2:-1:1:D:0:0:0:0:10".replace(":2:-1", ":2:1"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"seed": 3}])
def test_an_xgid_is_the_state_it_says(text: str, options: dict[str, int]) -> None:
    env = make(MONEY, auto_pass=False)
    observation, info = env.reset(options={"xgid": text}, **options)
    said, state = parse_xgid(text), env.state
    assert state.position == said.position
    assert state.on_roll == said.on_roll
    assert state.to_act == said.to_act
    assert state.dice == said.dice
    assert state.phase == said.phase
    assert (state.cube, state.cube_owner) == (said.cube, said.cube_owner)
    assert state.score == said.score
    assert state.legal_decisions() == codes_of(info["action_mask"])
    seen = env.settings.encoder.observe(state.record, [state.to_act])[0]
    np.testing.assert_array_equal(observation, seen)


def test_with_turn_minus_one_lower_case_is_to_act_case_44() -> None:
    env = make(MONEY)
    _, info = env.reset(options={"xgid": CASE_44})
    assert info["current_player"] == 1
    assert env.state.score == (4, 0)
    assert env.state.position_of(0).mover[25] == 1


def test_score_and_crawford_of_an_xgid_case_45() -> None:
    env = make(MONEY, match_length=5)
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"
    env.reset(options={"xgid": text})
    assert env.state.score == (4, 2)
    assert env.state.crawford
    env.reset(options={"xgid": text.replace(":1:5:10", ":0:5:10")})
    assert not env.state.crawford, "0 in field 8 at match point is post-Crawford"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("turn", [1, -1])
def test_player_0_is_upper_case_and_the_opponent_moves_first_if_on_roll(
    turn: int, seat: int
) -> None:
    env = make(CUBELESS, opponent="pubeval", seat=seat)
    text = xgid(START, START, turn=turn, dice="31")
    _, info = env.reset(options={"xgid": text})
    on_roll = 0 if turn == 1 else 1
    assert info["current_player"] == seat
    if on_roll == seat:
        assert env.state.dice == (3, 1)
    else:  # pubeval made its 5-point
        assert env.state.position_of(on_roll).mover[5] == 2


def test_a_random_seat_with_an_xgid_is_either_player() -> None:
    env = make(CUBELESS, opponent="pubeval")
    env.reset(seed=1)
    seats = set()
    for _ in range(40):
        env.reset(options={"xgid": STARTING})
        seats.add(env.seat)
    assert seats == {0, 1}


@pytest.mark.parametrize("roll", ["D", "B"])
def test_a_pending_double_or_beaver_of_an_xgid_is_answered(roll: str) -> None:
    env = make(MONEY, rules=Rules(beavers=3))
    text = xgid(START, START, dice=roll, rules=2)
    _, info = env.reset(options={"xgid": text})
    assert info["current_player"] == (1 if roll == "D" else 0)
    assert codes_of(info["action_mask"]) == [TAKE, DROP, 155]
    reward = play_codes(env, [DROP])[1]
    assert reward == (-1.0 if roll == "D" else -2.0)


def test_hypergammon_xgids_have_three_checkers_a_side() -> None:
    """The other twelve never existed: nothing borne off is a gammon (R4)."""
    env = make(CUBELESS, rules=Rules(cube=False, start="hypergammon"))
    env.reset(options={"xgid": xgid({3: 1}, {10: 3}, dice="65")})
    assert env.state.position.checkers == (3, 3)
    assert env.state.position.mover[0] == 2
    _, reward, terminated, _, info = play_codes(env, moves((3, 6)))
    assert (reward, terminated) == (2.0, True)
    assert info["outcome"] == "gammon"
    with pytest.raises(InvalidPositionError, match="a side has 3"):
        env.reset(options={"xgid": STARTING})


# --- position_id --------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_a_position_id_has_the_learner_on_roll(opponent: str) -> None:
    position = Position.from_points({6: 5, 8: 3, 3: 2}, {25: 1, 13: 5, 6: 4})
    for seat in ("random", 0, 1):
        if opponent == "self" and seat != "random":
            continue
        env = make(MONEY, opponent=opponent, seat=seat)
        _, info = env.reset(seed=3, options={"position_id": position.id})
        learner = 1 if seat == 1 else 0
        assert env.state.on_roll == learner
        assert info["current_player"] == learner
        assert env.seat == (None if opponent == "self" else learner)
        assert env.state.position == position
        assert codes_of(info["action_mask"]) == [ROLL, DOUBLE]


def test_a_position_id_of_a_variant_counts_its_checkers() -> None:
    env = make(CUBELESS, rules=Rules(cube=False, start="hypergammon"))
    position = Position.from_points({3: 1}, {10: 3}, checkers=3)
    env.reset(options={"position_id": position.id, "dice": [(6, 5)]})
    assert env.state.position == position
    assert play_codes(env, moves((3, 6)))[1] == 2.0


def test_a_position_id_goes_with_a_score() -> None:
    env = make(MONEY, match_length=5)
    env.reset(options={"position_id": Position.start().id, "score": (4, 1)})
    assert env.state.score == (4, 1)
    assert env.state.crawford
    options = {"position_id": Position.start().id, "score": (4, 1), "crawford": False}
    _, info = env.reset(options=options)
    assert not env.state.crawford
    assert info["action_mask"][DOUBLE]


# --- dice ---------------------------------------------------------------------------


def test_the_dice_queue_gives_the_coming_rolls_and_then_the_stream_goes_on() -> None:
    env = make(CUBELESS)
    dice = [(3, 1), (6, 6), (2, 1), (5, 4)]
    _, info = env.reset(seed=1, options={"dice": dice})
    rolls = [env.state.dice]
    rng = np.random.default_rng(1)
    for _ in range(40):
        turn = env.state.turn
        _, _, _, _, info = env.step(any_of(info["action_mask"], rng))
        if env.state.turn != turn:
            rolls.append(env.state.dice)
    assert rolls[:4] == dice
    assert len(set(rolls[4:])) > 3


def test_the_first_throw_of_the_queue_is_the_opening_one() -> None:
    """Die of player 0, die of player 1; ties are thrown again (R5)."""
    env = make(CUBELESS)
    _, info = env.reset(options={"dice": [(2, 2), (5, 5), (1, 4), (6, 6)]})
    assert env.state.dice == (1, 4)
    assert info["current_player"] == 1
    _, info = env.reset(options={"dice": [(4, 1)]})
    assert info["current_player"] == 0


def test_a_queue_is_forgotten_by_the_next_reset() -> None:
    env = make(CUBELESS)
    for options in (None, {}, {"xgid": STARTING}, {"score": None}):
        env.reset(seed=3, options={"dice": [(6, 5)] * 50})
        _, info = env.reset(seed=3, options=options)
        fresh = make(CUBELESS)
        _, other = fresh.reset(seed=3, options=options)
        assert env.state == fresh.state
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])


def test_a_queue_is_forgotten_by_the_next_game_too() -> None:
    env = make(CUBELESS)
    env.reset(options={"xgid": xgid({3: 1}, {8: 15}, dice="65"), "dice": [(6, 5)] * 9})
    play_codes(env, moves((3, 6)))
    starts = set()
    for _ in range(8):
        env.reset(options={"next_game": True})
        starts.add((env.state.on_roll, env.state.dice))
        env.reset(
            options={"xgid": xgid({3: 1}, {8: 15}, dice="65"), "dice": [(6, 5)] * 9}
        )
        play_codes(env, moves((3, 6)))
    assert len(starts) > 3


def test_the_queue_may_be_any_iterable_of_pairs() -> None:
    env = make(CUBELESS)
    for dice in (
        [(3, 1)],
        ((3, 1),),
        [[3, 1]],
        np.array([[3, 1]]),
        iter([(3, 1)]),
        ((a, b) for a, b in [(3, 1)]),
    ):
        env.reset(options={"dice": dice})
        assert env.state.dice == (3, 1)


# --- score and Crawford -------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "crawford", "expected"),
    [
        ((0, 0), None, False),
        ((3, 2), None, False),
        ((4, 2), None, True),
        ((4, 2), True, True),
        ((4, 2), False, False),
        ((4, 4), None, False),
        ([0, 4], None, True),
        (np.array([4, 0]), np.True_, True),
        (None, False, False),
    ],
)
def test_a_score_and_its_crawford_game(
    score: Any, crawford: Any, expected: bool
) -> None:
    env = make(MONEY, match_length=5, opponent="random")
    _, info = env.reset(seed=1, options={"score": score, "crawford": crawford})
    assert env.state.score == (tuple(score) if score is not None else (0, 0))
    assert env.state.crawford is expected
    check_mask(env, info["action_mask"])
    assert play_on(env, info)[2]


def test_none_and_false_say_nothing() -> None:
    first, second = make(MONEY), make(MONEY)
    _, info = first.reset(seed=1, options=dict.fromkeys(("xgid", "dice", "score")))
    _, other = second.reset(seed=1, options={"next_game": False})
    assert first.state == second.state
    np.testing.assert_array_equal(info["action_mask"], other["action_mask"])


def test_sixteen_checkers_leave_the_old_position_in_place_case_47() -> None:
    env = make(MONEY)
    env.reset(options={"xgid": CASE_44})
    before = record_bytes(env)
    text = "XGID=-b----E-C---eE---c-e----BA:0:0:1:31:0:0:0:0:10"
    with pytest.raises(InvalidPositionError, match="16"):
        env.reset(options={"xgid": text})
    assert record_bytes(env) == before


def test_a_learner_whose_given_roll_is_lost_may_only_pass() -> None:
    env = make(MONEY)
    text = "XGID=------E-E----D-----cccbbbA:0:0:1:65:0:0:0:0:10"
    _, info = env.reset(options={"xgid": text})
    assert codes_of(info["action_mask"]) == [PASS]
    _, _, _, _, info = env.step(PASS)
    assert codes_of(info["action_mask"]) == [ROLL, DOUBLE]
    assert info["current_player"] == 1
