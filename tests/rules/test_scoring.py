"""What a finished game is worth: single, gammon, backgammon, the cube, Jacoby."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from played_games import (
    HOME_ALONE,
    bear_off_last,
    game_at,
    play,
    start_game,
    won_at_once,
)

from bg_env.rules.decisions import ACCEPT, DOUBLE, DROP, PASS, REFUSE, ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.state import BORNE_OFF, CLAIMED, DROPPED, RESIGNED

BOTH = pytest.mark.parametrize("player", [0, 1])

# The loser's checkers in his own numbering; those not named are off.
LOSERS: list[tuple[str, Mapping[int, int], int]] = [
    ("case 22: none off, one on the bar only", {25: 1, 8: 14}, 3),
    ("all on the bar", {25: 15}, 3),
    ("case 24: one on the 24-point", {24: 1, 8: 14}, 3),
    ("on five points of the winner's home", {24: 1, 23: 1, 22: 1, 21: 1, 20: 11}, 3),
    ("one on the 19-point, the edge of the winner's home", {19: 1, 8: 14}, 3),
    ("one on the 18-point, just outside it", {18: 1, 8: 14}, 2),
    ("case 24: all on the 8-point", {8: 15}, 2),
    ("all in his own home, none off", {1: 5, 6: 10}, 2),
    ("all on the 1-point", {1: 15}, 2),
    ("case 23: one off, one on the bar", {25: 1, 8: 13}, 1),
    ("one off, the others in the winner's home", {24: 14}, 1),
    ("one off, all home", {1: 14}, 1),
    ("one left", {25: 1}, 1),
]  # fmt: skip
SINGLE, GAMMON, BACKGAMMON = {1: 14}, {8: 15}, {25: 1, 8: 14}

each_loser = pytest.mark.parametrize(
    ("loser", "level"),
    [pytest.param(loser, level, id=name) for name, loser, level in LOSERS],
)


@BOTH
@each_loser
def test_the_first_to_bear_off_all_checkers_wins(
    player: int, loser: Mapping[int, int], level: int
) -> None:
    """R17, R21, cases 22-24: single, gammon, backgammon = 1, 2, 3 times the cube."""
    state = won_at_once(loser, on_roll=player)
    assert state.is_over
    assert (state.winner, state.ending) == (player, BORNE_OFF)
    assert (state.level, state.points) == (level, level)
    assert state.score == ((level, 0) if player == 0 else (0, level))


@each_loser
def test_a_backgammon_may_count_two(loser: Mapping[int, int], level: int) -> None:
    """R17: backgammon_points=2: still a backgammon, paid as a gammon."""
    state = won_at_once(loser, rules=Rules(backgammon_points=2))
    assert (state.level, state.points) == (level, min(level, 2))


@each_loser
def test_the_timed_game_knows_only_single_and_gammon(
    loser: Mapping[int, int], level: int
) -> None:
    """R17: in `timed` a backgammon is reported as a gammon."""
    state = won_at_once(loser, rules=Rules.preset("timed"))
    assert (state.level, state.points) == (min(level, 2), min(level, 2))


def test_a_game_without_backgammons_pays_a_gammon_whatever_they_would_count() -> None:
    """R17: backgammon=False goes before backgammon_points."""
    state = won_at_once(BACKGAMMON, rules=Rules(backgammon=False, backgammon_points=3))
    assert (state.level, state.points) == (2, 2)


@pytest.mark.parametrize("cube", [1, 2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize(
    ("loser", "level"), [(SINGLE, 1), (GAMMON, 2), (BACKGAMMON, 3)]
)
def test_the_winner_gets_cube_times_level(
    cube: int, loser: Mapping[int, int], level: int
) -> None:
    """R21, case 26: cube 2, gammon: +4 to the winner, nothing to the loser."""
    owner = 1 if cube > 1 else None
    state = won_at_once(loser, cube=cube, cube_owner=owner)
    assert (state.points, state.score) == (cube * level, (cube * level, 0))


def test_the_cube_multiplies_the_points_a_backgammon_counts() -> None:
    """R17, R21: backgammon_points=2 with the cube at 8: 16."""
    rules = Rules(backgammon_points=2)
    state = won_at_once(BACKGAMMON, rules=rules, cube=8, cube_owner=0)
    assert state.points == 16


def test_money_games_add_up_and_each_has_its_own_points() -> None:
    """R21: three games of a session: 2 to player 0, 1 and 3 to player 1."""
    state = won_at_once(GAMMON)
    for points, loser in ((1, SINGLE), (3, BACKGAMMON)):
        assert state.is_match_over
        score = state.score
        state.next_game()
        assert (state.points, state.winner, state.score) == (0, None, score)
        state = won_at_once(loser, on_roll=1, score=score)
        assert state.points == points
    assert state.score == (2, 4)


def test_a_finished_game_has_only_the_pass_and_it_changes_nothing() -> None:
    """R17: code 0 on a finished state."""
    state = won_at_once(GAMMON)
    before = state.record.tobytes()
    assert state.legal_decisions() == [PASS]
    state.apply(PASS)
    assert state.record.tobytes() == before


def test_dice_left_over_when_the_last_checker_is_off_are_not_asked_for() -> None:
    """R17: one checker and 6-6: the other three sixes are not asked for."""
    state = game_at({6: 1}, {1: 1})
    state.set_dice(6, 6)
    play(state, (6, 6))
    assert state.is_over
    assert state.dice_left == ()


# --- Jacoby -------------------------------------------------------------------------

JACOBY = Rules(jacoby=True)


@BOTH
@each_loser
def test_without_a_double_gammons_count_single(
    player: int, loser: Mapping[int, int], level: int
) -> None:
    """R22, case 39: money, Jacoby on, cube never offered: 1 point; the level stays."""
    state = won_at_once(loser, rules=JACOBY, on_roll=player)
    assert (state.points, state.level) == (1, level)


@pytest.mark.parametrize(
    ("loser", "points"), [(SINGLE, 2), (GAMMON, 4), (BACKGAMMON, 6)]
)
def test_after_a_taken_double_they_count_in_full(
    loser: Mapping[int, int], points: int
) -> None:
    """R22, case 39: after an accepted double: gammon 4."""
    state = game_at(HOME_ALONE, loser, rules=JACOBY)
    play(state, DOUBLE, TAKE)
    assert bear_off_last(state).points == points


def test_who_was_doubled_may_win_a_gammon_too() -> None:
    """R22: a double was taken: it does not matter which of the two offered it."""
    state = game_at({8: 15}, {1: 1}, rules=JACOBY)
    play(state, DOUBLE, TAKE)
    state.set_dice(6, 5)
    play(state, (8, 6), (8, 5))
    assert bear_off_last(state).points == 4
    assert state.winner == 1


def test_an_automatic_double_is_no_double_taken() -> None:
    """R22, R23, case 39: cube 2 in the middle: a gammon scores 2 × 1."""
    rules = Rules(jacoby=True, automatic_doubles=1)
    state = GameState.new(rules)
    state.set_dice_queue([(3, 3), (6, 5)])
    state.apply(ROLL)
    assert (state.cube, state.cube_owner) == (2, None)
    built = won_at_once(GAMMON, rules=rules, cube=2)
    assert (built.level, built.points) == (2, 2)


def test_a_double_taken_after_an_automatic_one_ends_jacoby() -> None:
    """R22, R23: 1 → 2 automatically → 4 taken: gammon 8."""
    state = game_at(HOME_ALONE, GAMMON, rules=JACOBY, cube=2)
    play(state, DOUBLE, TAKE)
    assert bear_off_last(state).points == 8


def test_an_owned_cube_has_been_taken() -> None:
    """R22: a position with an owned cube counts gammons in full."""
    state = won_at_once(GAMMON, rules=JACOBY, cube=2, cube_owner=1)
    assert state.points == 4


def test_jacoby_starts_anew_with_each_game() -> None:
    """R22: the double of the last game does not count in this one."""
    state = game_at(HOME_ALONE, SINGLE, rules=Rules(jacoby=True, resign="immediate"))
    play(state, DOUBLE, TAKE)
    bear_off_last(state)
    assert state.points == 2
    state.next_game()
    state.set_dice(6, 5)
    state.apply(156)
    assert (state.level, state.points) == (2, 1)


def test_jacoby_does_not_touch_a_drop() -> None:
    """R20, R22: dropping costs the stake, Jacoby or not."""
    state = play(game_at(HOME_ALONE, GAMMON, rules=JACOBY), DOUBLE, DROP)
    assert (state.points, state.ending) == (1, DROPPED)


def by_resignation(rules: Rules) -> GameState:
    """The player on roll, with nothing off, resigns at once."""
    return play(start_game(rules=rules), 156)


def by_offer(rules: Rules) -> GameState:
    """The player on roll offers a gammon, the other accepts."""
    return play(start_game(rules=rules), 157, ACCEPT)


def by_claim(rules: Rules) -> GameState:
    """The player on roll runs out of time, the other claims."""
    state = start_game(rules=rules)
    state.pass_time(1000)
    state.claim(1)
    return state


@pytest.mark.parametrize(
    ("end", "options", "ending", "with_jacoby"),
    [
        (by_resignation, {"resign": "immediate"}, RESIGNED, 1),
        (by_offer, {"resign": "offer"}, RESIGNED, 2),
        (by_claim, {"clock": Clock()}, CLAIMED, 1),
    ],
)
def test_jacoby_and_the_other_ways_of_ending(
    end: Callable[[Rules], GameState],
    options: dict[str, object],
    ending: int,
    with_jacoby: int,
) -> None:
    """R22, R28, R29: claims and immediate resignations, not accepted offers."""
    for jacoby, points in ((True, with_jacoby), (False, 2)):
        state = end(Rules(jacoby=jacoby, **options))  # type: ignore[arg-type]
        assert (state.winner, state.ending) == (1, ending)
        assert (state.level, state.points) == (2, points)


def test_jacoby_is_ignored_in_a_match() -> None:
    """R22, R27, case 39: a gammon of a match counts 2 without any double."""
    assert won_at_once(GAMMON, rules=Rules(match_length=7)).points == 2


def test_jacoby_is_off_by_default() -> None:
    """R22: and in every preset; without it a gammon counts 2."""
    assert not Rules().jacoby
    assert won_at_once(GAMMON).points == 2


# --- one point of view --------------------------------------------------------------


@BOTH
def test_a_refused_resignation_changes_no_points(player: int) -> None:
    """R21, R28: points come at the end only."""
    state = start_game(rules=Rules(resign="offer"), on_roll=player)
    play(state, 158, REFUSE)
    assert (state.points, state.score, state.winner) == (0, (0, 0), None)
