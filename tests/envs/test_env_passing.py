"""Forced passes and rolls: who plays them, where they are shown, how they are told."""

from __future__ import annotations

import numpy as np
import pytest
from env_play import (
    CUBELESS,
    DOUBLE,
    DROP,
    MONEY,
    PASS,
    ROLL,
    START,
    TAKE,
    check_mask,
    codes_of,
    lowest,
    make,
    moves,
    play_codes,
    play_on,
    preferring,
    random_steps,
    xgid,
)

from bg_env import Rules
from bg_env.rules.batch import legal_masks
from bg_env.rules.decisions import move_code

ALL_ROLLS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]

# Upper case is closed out: on the bar against six points (CASE 17).
CLOSED_OUT = "XGID=------E-E----D-----cccbbbA:0:0:{turn}:{dice}:0:0:0:0:10"

# Lower case bears off his last checker with any roll; upper case has borne off none.
ABOUT_TO_LOSE = ({8: 15}, {1: 1})
# The same, but upper case has borne off all but four.
ABOUT_TO_LOSE_ONE = ({8: 4}, {1: 1})


def closed_out(turn: int = 1, dice: str = "00") -> str:
    return CLOSED_OUT.format(turn=turn, dice=dice)


# --- what auto_pass means -----------------------------------------------------------


@pytest.mark.parametrize("roll", ALL_ROLLS)
@pytest.mark.parametrize("auto_pass", [True, False])
def test_the_closed_out_player_can_only_pass_case_17(
    auto_pass: bool, roll: tuple[int, int]
) -> None:
    """A reset stops there even with `auto_pass`; the roll passes with the action 0."""
    env = make(CUBELESS, auto_pass=auto_pass)
    _, info = env.reset(options={"xgid": closed_out(dice=f"{roll[0]}{roll[1]}")})
    assert codes_of(info["action_mask"]) == [PASS]
    assert info["current_player"] == 0
    _, reward, terminated, truncated, info = env.step(PASS)
    assert info["current_player"] == 1
    assert (reward, terminated, truncated) == (0.0, False, False)
    check_mask(env, info["action_mask"])


def test_without_auto_pass_every_roll_and_every_lost_roll_is_a_step_case_17() -> None:
    env = make(CUBELESS, auto_pass=False)
    _, info = env.reset(options={"xgid": closed_out(), "dice": [(6, 5), (2, 1)]})
    assert codes_of(info["action_mask"]) == [ROLL]
    _, _, _, _, info = env.step(ROLL)
    assert env.state.dice == (6, 5)
    assert codes_of(info["action_mask"]) == [PASS]
    _, _, _, _, info = env.step(PASS)
    assert info["passed"] == 0, "the player passed himself"
    assert info["current_player"] == 1
    assert codes_of(info["action_mask"]) == [ROLL]
    _, _, _, _, info = env.step(ROLL)
    assert env.state.dice == (2, 1)


def test_with_auto_pass_the_lost_roll_is_only_reported_case_17() -> None:
    """Lower case plays, upper case loses his 6-5, lower case is asked again."""
    env = make(CUBELESS)
    # lower case plays 4-3 from his 14-point; his home stays closed
    text = xgid({25: 1, 7: 14}, {**dict.fromkeys(range(1, 7), 2), 14: 3}, turn=-1)
    _, info = env.reset(options={"xgid": text, "dice": [(4, 3), (6, 5), (2, 1)]})
    assert info["current_player"] == 1
    _, _, _, _, info = play_codes(env, moves((14, 4), (14, 3)))
    assert info["passed"] == 1
    assert info["current_player"] == 1
    assert env.state.dice == (2, 1)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponents_lost_roll_is_counted_too(seat: int) -> None:
    for auto_pass in (True, False):
        env = make(CUBELESS, opponent="random", seat=seat, auto_pass=auto_pass)
        home = {**dict.fromkeys(range(1, 7), 2), 14: 3}
        out = {25: 1, 7: 14}
        sides = (home, out) if seat == 0 else (out, home)
        text = xgid(*sides, turn=1 if seat == 0 else -1, dice="43")
        _, info = env.reset(options={"xgid": text})
        assert info["passed"] == 0
        _, _, _, _, info = play_codes(env, moves((14, 4), (14, 3)))
        assert info["passed"] == 1
        assert (codes_of(info["action_mask"]) == [ROLL]) is not auto_pass


def test_lost_rolls_are_counted_from_one_step_to_the_next() -> None:
    """The sum of `passed` is the number of rolls nobody could play."""
    env = make(CUBELESS, auto_pass=True)
    shown = make(CUBELESS, auto_pass=False)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=21)
    _, other = shown.reset(seed=21)
    counted = lost = 0
    for _ in range(5000):
        while codes_of(other["action_mask"]) in ([PASS], [ROLL]):
            was_pass = codes_of(other["action_mask"]) == [PASS]
            _, _, _, _, other = shown.step(PASS if was_pass else ROLL)
            lost += was_pass
            assert other["passed"] == 0
        counted += info["passed"]
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"])
        legal = codes_of(info["action_mask"])
        action = legal[rng.integers(len(legal))]
        _, _, terminated, _, info = env.step(action)
        _, _, ended, _, other = shown.step(action)
        assert terminated == ended
        if terminated:
            break
    assert counted == lost > 0


def test_a_single_legal_move_is_always_asked() -> None:
    """CASE 16: three sixes are one move each, and each is a step."""
    env = make(CUBELESS)
    text = "XGID=-bL----------C-----cccbb--:0:0:1:66:0:0:0:0:10"
    _, info = env.reset(options={"xgid": text, "dice": [(2, 1)]})
    for left in (4, 3, 2):
        assert env.state.dice_left == (6,) * left
        assert codes_of(info["action_mask"]) == moves((13, 6))
        _, _, _, _, info = env.step(move_code(13, 6))
        check_mask(env, info["action_mask"])
    assert info["current_player"] == 1
    assert info["passed"] == 0, "a die was lost, not a roll"


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("XGID=---EH--------c--b-c--cd-B-:0:0:1:63:0:0:0:0:10", [(4, 3)]),
        ("XGID=------E-C---bE---c-cbb-c-B:0:0:1:63:0:0:0:0:10", [(25, 3)]),
        ("XGID=-N-----------de---c-A---c-:0:0:1:43:0:0:0:0:10", [(20, 4)]),
    ],
)
def test_a_die_that_cannot_be_played_ends_the_turn_cases_4_6_12(
    text: str, results: list[tuple[int, int]]
) -> None:
    env = make(CUBELESS)
    _, info = env.reset(options={"xgid": text})
    assert codes_of(info["action_mask"]) == moves(*results)
    _, _, _, _, info = env.step(codes_of(info["action_mask"])[0])
    assert info["current_player"] == 1


def test_four_ones_bear_off_the_last_four_checkers_case_13() -> None:
    env = make(CUBELESS)
    text = "XGID=-D-----------------bcccbb-:0:0:1:11:0:0:0:0:10"
    _, info = env.reset(options={"xgid": text})
    for left in (4, 3, 2, 1):
        assert info["current_player"] == 0
        assert env.state.dice_left == (1,) * left
        assert codes_of(info["action_mask"]) == moves((1, 1))
        _, reward, terminated, _, info = env.step(move_code(1, 1))
    assert terminated
    assert reward == 2.0  # lower case has borne off none
    assert info["outcome"] == "gammon"


@pytest.mark.parametrize("auto_pass", [True, False])
def test_a_closed_out_player_is_still_asked_to_double(auto_pass: bool) -> None:
    """R19 and CASE 17: with the cube, roll or double comes before the lost roll."""
    env = make(MONEY, auto_pass=auto_pass)
    _, info = env.reset(options={"xgid": closed_out(), "dice": [(3, 2)]})
    assert codes_of(info["action_mask"]) == [ROLL, DOUBLE]
    _, _, _, _, info = env.step(DOUBLE)
    assert codes_of(info["action_mask"]) == [TAKE, DROP]
    assert info["current_player"] == 1
    _, _, _, _, info = env.step(TAKE)
    assert info["current_player"] == (1 if auto_pass else 0)
    if auto_pass:  # only the taker may turn the cube now: the roll came by itself
        assert info["passed"] == 1
        assert codes_of(info["action_mask"]) == [ROLL, DOUBLE]


def test_a_closed_out_opponent_is_asked_to_double_too() -> None:
    env = make(MONEY, seat=1, opponent=preferring(DOUBLE))
    _, info = env.reset(options={"xgid": closed_out()})
    assert codes_of(info["action_mask"]) == [TAKE, DROP]
    assert env.state.on_roll == 0


def test_long_runs_of_lost_rolls_are_played_in_one_step() -> None:
    """A player shut out for many turns: the other one bears in, step after step."""
    env = make(CUBELESS, opponent="random", seat=1)
    total = 0
    text = xgid({25: 1, 7: 14}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 24: 3}, turn=-1)
    _, info = env.reset(seed=4, options={"xgid": text})
    while set(env.state.position_of(1).mover[1:7]) == {2}:
        mask = info["action_mask"]
        keeps = [code for code in codes_of(mask) if (code - 1) // 6 + 1 > 6]
        if not keeps:
            break
        _, _, _, _, info = env.step(keeps[0])
        total += info["passed"]
    assert total >= 3


# --- at a reset ---------------------------------------------------------------------


def start_is_blocked(rules: Rules, seat: int, seed: int) -> tuple[bool, bool]:
    """Whether the learner's first roll is lost, and whether it is shown so."""
    env = make(MONEY, rules=rules, opponent="random", seat=seat)
    _, info = env.reset(seed=seed)
    state = env.state
    lost = state.legal_decisions() == [PASS]
    return lost, codes_of(info["action_mask"]) == [PASS]


def test_a_reset_never_plays_past_the_learners_first_turn() -> None:
    """Whatever is rolled, the learner's own first turn is his."""
    rules = Rules(cube=False, start="4HPwATDgc/ABMA")
    blocked = Rules(cube=False, start=_blocked_start())
    seen = set()
    for chosen in (rules, blocked):
        for seed in range(60):
            for seat in (0, 1):
                lost, shown = start_is_blocked(chosen, seat, seed)
                assert lost == shown
                seen.add(lost)
    assert seen == {True, False}


def _blocked_start() -> str:
    """A start where many rolls cannot be played: on the bar against five points."""
    from bg_env import Position

    side = {25: 2, 6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 8: 3}
    return Position.from_points(side, side).id


@pytest.mark.parametrize("opponent", ["self", "random", lowest])
def test_a_reset_stops_at_a_first_roll_that_is_lost(opponent: object) -> None:
    env = make(CUBELESS, opponent=opponent)
    _, info = env.reset(options={"position_id": _closed_id()})
    assert codes_of(info["action_mask"]) == [PASS]
    assert info["passed"] == 0
    assert env.state.dice is not None, "the roll is made and shown"
    dice, on_roll = env.state.dice, env.state.on_roll
    assert env.state.on_roll == (env.seat or 0)
    env.step(PASS)
    assert (env.state.dice, env.state.on_roll) != (dice, on_roll)


def _closed_id() -> str:
    from bg_env import Position

    home = {**dict.fromkeys(range(1, 7), 2), 14: 3}
    return Position.from_points({25: 1, 7: 14}, home).id


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponents_lost_first_roll_is_played_at_the_reset(seat: int) -> None:
    env = make(CUBELESS, opponent="random", seat=1 - seat)
    sides = ({25: 1, 7: 14}, {**dict.fromkeys(range(1, 7), 2), 14: 3})
    text = xgid(*(sides if seat == 0 else sides[::-1]), turn=1 if seat == 0 else -1)
    _, info = env.reset(options={"xgid": text, "dice": [(6, 4), (2, 1)]})
    assert info["passed"] == 1
    assert env.state.on_roll == 1 - seat
    assert env.state.dice == (2, 1)
    assert not info["action_mask"][PASS]


# --- an episode cannot end inside reset ---------------------------------------------


@pytest.mark.parametrize("opponent", ["random", "pubeval", lowest])
@pytest.mark.parametrize("dice", ["21", "00"])
@pytest.mark.parametrize("name", [CUBELESS, MONEY])
def test_an_opponent_who_wins_at_once_does_so_in_the_first_step(
    name: str, dice: str, opponent: object
) -> None:
    env = make(name, opponent=opponent, seat=0)
    text = xgid(*ABOUT_TO_LOSE, turn=-1, dice=dice)
    observation, info = env.reset(seed=3, options={"xgid": text})
    assert codes_of(info["action_mask"]) == [PASS]
    assert codes_of(env.action_masks()) == [PASS]
    assert env.observation_space.contains(observation)
    assert not env.state.is_over
    _, reward, terminated, truncated, info = env.step(PASS)
    assert (reward, terminated, truncated) == (-2.0, True, False)
    assert info["rewards"] == (-2.0, 2.0)
    assert info["winner"] == 1
    assert info["outcome"] == "gammon"
    assert codes_of(info["action_mask"]) == [PASS]
    assert codes_of(env.action_masks()) == [PASS]


def test_the_undone_first_turn_is_played_with_the_same_dice() -> None:
    """One checker on the 2-point and one on the 6: about half of the rolls win."""
    outcomes = set()
    for seed in range(40):
        text = xgid({8: 15}, {6: 1, 2: 1}, turn=-1)
        env = make(CUBELESS, opponent="pubeval", seat=0)
        _, info = env.reset(seed=seed, options={"xgid": text})
        dice = env.state.dice
        early = codes_of(info["action_mask"]) == [PASS] and env.state.on_roll == 1
        outcomes.add(early)
        if early:
            wins = sum(dice) >= 8 or dice[0] == dice[1] or 6 in dice
            assert wins, f"{dice} does not bear off two checkers"
            _, reward, terminated, _, info = env.step(PASS)
            assert (reward, terminated) == (-2.0, True)
    assert outcomes == {True, False}


def test_the_first_turn_is_undone_only_back_to_the_opponents_first_decision() -> None:
    """He doubles: the learner decides that at the reset, so nothing ends there."""
    env = make(MONEY, opponent=preferring(DOUBLE), seat=0)
    text = xgid(*ABOUT_TO_LOSE, turn=-1)
    _, info = env.reset(options={"xgid": text})
    assert codes_of(info["action_mask"]) == [TAKE, DROP]
    _, reward, terminated, _, info = env.step(DROP)
    assert (reward, terminated) == (-1.0, True)


def test_an_opponent_who_drops_at_once_does_so_in_the_first_step() -> None:
    """The XGID says that the learner has doubled; the answer comes with step(0)."""
    env = make(MONEY, opponent=preferring(DROP), seat=0)
    _, info = env.reset(options={"xgid": xgid(START, START, dice="D")})
    assert codes_of(info["action_mask"]) == [PASS]
    _, reward, terminated, _, info = env.step(PASS)
    assert (reward, terminated) == (1.0, True)
    assert info["ending"] == "dropped"


def test_a_new_reset_forgets_that_a_first_turn_was_awaited() -> None:
    env = make(CUBELESS, opponent="random", seat=0)
    text = xgid(*ABOUT_TO_LOSE, turn=-1)
    env.reset(options={"xgid": text})
    _, info = env.reset(seed=5)
    check_mask(env, info["action_mask"])
    fresh = make(CUBELESS, opponent="random", seat=0)
    _, expected = fresh.reset(seed=5)
    np.testing.assert_array_equal(info["action_mask"], expected["action_mask"])
    last, first = play_on(env, info), play_on(fresh, expected)
    assert last[1] == first[1]
    assert last[4]["turns"] == first[4]["turns"]


def test_the_mask_of_the_record_is_the_opponents_while_his_turn_is_awaited() -> None:
    """The record stands before the opponent's decision: the learner only waits."""
    env = make(CUBELESS, opponent="random", seat=0)
    env.reset(options={"xgid": xgid(*ABOUT_TO_LOSE, turn=-1, dice="21")})
    assert env.state.to_act == 1
    assert codes_of(legal_masks(env.state.record)[0]) == moves((1, 2))


@pytest.mark.parametrize("opponent", ["random", "pubeval"])
def test_no_reset_of_random_positions_ends_an_episode(opponent: str) -> None:
    """Near the end of games, both sides, all rolls: `reset` always asks the learner."""
    env = make(CUBELESS, opponent=opponent)
    rng = np.random.default_rng(2)
    env.reset(seed=2)
    for _ in range(300):
        upper = {int(p): 1 for p in rng.choice(np.arange(1, 7), 2, replace=False)}
        lower = {int(p): 1 for p in rng.choice(np.arange(1, 7), 2, replace=False)}
        text = xgid(upper, lower, turn=int(rng.choice([1, -1])))
        _, info = env.reset(options={"xgid": text})
        assert not env.state.is_over
        assert info["action_mask"].any()
        _, reward, terminated, _, _ = play_on(env, info)
        assert terminated
        assert abs(reward) == 1.0


def test_random_steps_of_every_id_are_never_asked_a_forced_decision() -> None:
    for opponent in ("self", "random"):
        env = make(CUBELESS, opponent=opponent)
        fresh = True
        for _, _, terminated, _, info in random_steps(env, 3000, seed=11):
            codes = codes_of(info["action_mask"])
            if not terminated and not fresh:
                assert codes not in ([PASS], [ROLL])
            fresh = terminated
