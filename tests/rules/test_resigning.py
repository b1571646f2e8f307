"""Resigning: offers that are answered, and resignations that end the game (R28)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from played_games import bytes_of, game_at, play, start_game, won_at_once

from bg_env.errors import IllegalActionError
from bg_env.rules.decisions import (
    ACCEPT,
    DOUBLE,
    PASS,
    REFUSE,
    RESIGN_BACKGAMMON,
    RESIGN_GAMMON,
    RESIGN_SINGLE,
    ROLL,
    TAKE,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import PRESETS, Rules
from bg_env.rules.state import BEFORE_ROLL, MOVING, OPENING, RESIGNED

OFFER = Rules(resign="offer")
AT_ONCE = Rules(resign="immediate")
LEVELS = (RESIGN_SINGLE, RESIGN_GAMMON, RESIGN_BACKGAMMON)
CLOSED = dict.fromkeys(range(1, 7), 2)
BOTH = pytest.mark.parametrize("player", [0, 1])


def resignations(state: GameState) -> list[int]:
    """The levels that may be offered now."""
    return [code - 155 for code in state.legal_decisions() if code in LEVELS]


# --- when ---------------------------------------------------------------------------


def to_roll(rules: Rules) -> GameState:
    """Before the roll."""
    return start_game(rules=rules)


def to_move(rules: Rules) -> GameState:
    """The dice rolled, nothing moved."""
    return start_game(rules=rules, dice=(6, 5))


def to_move_a_double(rules: Rules) -> GameState:
    """A double rolled, nothing moved."""
    return start_game(rules=rules, dice=(2, 2))


def in_a_play(rules: Rules) -> GameState:
    """One of two moves made."""
    return play(to_move(rules), (24, 6))


def in_a_double(rules: Rules) -> GameState:
    """One of four moves made."""
    return play(to_move_a_double(rules), (24, 2))


def blocked(rules: Rules) -> GameState:
    """The dice rolled and nothing to move."""
    return game_at({25: 1, 6: 5}, CLOSED, rules=rules, dice=(6, 5))


def doubled(rules: Rules) -> GameState:
    """A double awaits its answer."""
    return play(start_game(rules=rules), DOUBLE)


def redoubled_taken(rules: Rules) -> GameState:
    """A double was taken; its offerer is about to roll."""
    return play(start_game(rules=rules), DOUBLE, TAKE)


def at_the_opening(rules: Rules) -> GameState:
    """Nobody has rolled."""
    return GameState.new(rules)


def in_the_first_turn(rules: Rules) -> GameState:
    """The opening roll is to be played."""
    state = GameState.new(rules)
    state.set_dice(6, 5)
    return state


def finished(rules: Rules) -> GameState:
    """A game that is over."""
    return won_at_once({1: 14}, rules=rules)


MOMENTS: list[tuple[Callable[[Rules], GameState], bool]] = [
    (to_roll, True),
    (to_move, True),
    (to_move_a_double, True),
    (in_a_play, False),
    (in_a_double, False),
    (blocked, True),
    (doubled, False),
    (redoubled_taken, True),
    (at_the_opening, False),
    (in_the_first_turn, True),
    (finished, False),
]


@pytest.mark.parametrize(("moment", "possible"), MOMENTS)
def test_a_player_resigns_before_his_roll_or_his_first_move(
    moment: Callable[[Rules], GameState], possible: bool
) -> None:
    """R28: not between moves, not while a double awaits an answer."""
    assert resignations(moment(OFFER)) == ([1, 2, 3] if possible else [])
    assert resignations(moment(AT_ONCE)) == ([1] if possible else [])
    assert resignations(moment(Rules())) == []


def test_no_resignation_while_one_awaits_its_answer() -> None:
    """R28: the other accepts or refuses, nothing else."""
    state = play(to_roll(OFFER), RESIGN_SINGLE)
    assert state.legal_decisions() == [ACCEPT, REFUSE]


def test_only_the_preset_of_the_timed_game_resigns() -> None:
    """R28: as a decision it is an option, off unless asked for."""
    named = {name for name in PRESETS if Rules.preset(name).resign}
    assert named == {"timed"}
    assert Rules.preset("timed").resign == "immediate"
    assert Rules().resign is None


# --- an offer -----------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("moment", [to_roll, to_move, blocked])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_opponent_is_asked_and_the_state_underneath_stays(
    moment: Callable[[Rules], GameState], level: int, player: int
) -> None:
    """R28: any level may be offered; whoever it is, row 0 stays with the resigner."""
    state = moment(OFFER) if player == 0 else with_player_one(moment)
    board, phase, dice = state.position, state.phase, state.dice
    state.apply(155 + level)
    assert (state.offer, state.on_roll, state.to_act) == (level, player, 1 - player)
    assert (state.position, state.phase, state.dice) == (board, phase, dice)


def with_player_one(moment: Callable[[Rules], GameState]) -> GameState:
    """The same moment with player 1 on roll."""
    state = moment(OFFER)
    state.record["on_roll"] = state.record["to_act"] = 1
    return state


@BOTH
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("cube", [1, 2, 8])
def test_an_accepted_resignation_pays_level_times_cube(
    player: int, level: int, cube: int
) -> None:
    """R28: whatever stands on the board."""
    owner = player if cube > 1 else None
    state = start_game(rules=OFFER, on_roll=player, cube=cube, cube_owner=owner)
    play(state, 155 + level, ACCEPT)
    assert (state.winner, state.ending) == (1 - player, RESIGNED)
    assert (state.level, state.points) == (level, level * cube)
    assert state.offer == 0
    assert state.legal_decisions() == [PASS]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_jacoby_does_not_touch_an_accepted_resignation(level: int) -> None:
    """R28, R22: as in GNU Backgammon."""
    state = start_game(rules=Rules(resign="offer", jacoby=True))
    assert play(state, 155 + level, ACCEPT).points == level


@pytest.mark.parametrize(("points", "paid"), [(3, 3), (2, 2)])
def test_a_resigned_backgammon_pays_what_a_backgammon_counts(
    points: int, paid: int
) -> None:
    """R28, R17: backgammon_points."""
    rules = Rules(resign="offer", backgammon_points=points)
    assert play(start_game(rules=rules), RESIGN_BACKGAMMON, ACCEPT).points == paid


def test_without_backgammons_none_is_offered() -> None:
    """R28, R17: backgammon=False has two levels."""
    state = start_game(rules=Rules(resign="offer", backgammon=False))
    assert resignations(state) == [1, 2]
    assert resignations(play(state, RESIGN_GAMMON, REFUSE)) == []


@pytest.mark.parametrize("moment", [to_roll, to_move, to_move_a_double, blocked])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_after_a_refusal_the_same_decision_returns_with_higher_levels_only(
    moment: Callable[[Rules], GameState], level: int
) -> None:
    """R28: the resigner decides again as before, but for the levels refused."""
    state = moment(OFFER)
    before = state.legal_decisions()
    play(state, 155 + level, REFUSE)
    assert (state.to_act, state.offer) == (state.on_roll, 0)
    lower = range(RESIGN_SINGLE, 156 + level)
    assert state.legal_decisions() == [c for c in before if c not in lower]


def test_levels_may_be_offered_one_after_the_other() -> None:
    """R28: single refused, gammon refused, backgammon accepted."""
    state = play(to_roll(OFFER), RESIGN_SINGLE, REFUSE, RESIGN_GAMMON, REFUSE)
    assert resignations(state) == [3]
    assert play(state, RESIGN_BACKGAMMON, ACCEPT).points == 3


def test_a_roll_makes_all_levels_possible_again() -> None:
    """R28: until a roll, move or cube action has followed."""
    state = play(to_roll(OFFER), RESIGN_BACKGAMMON, REFUSE)
    assert resignations(state) == []
    state.apply(ROLL)
    assert resignations(state) == [1, 2, 3]


def test_a_cube_action_makes_all_levels_possible_again() -> None:
    """R28: the resigner doubles after the refusal, is taken, may offer anew."""
    state = play(to_roll(OFFER), RESIGN_GAMMON, REFUSE, DOUBLE)
    assert resignations(state) == []
    assert resignations(play(state, TAKE)) == [1, 2, 3]


def test_a_refusal_binds_the_resigner_in_this_turn_only() -> None:
    """R28: neither the opponent nor the resigner's own next turn."""
    state = play(to_move(OFFER), RESIGN_GAMMON, REFUSE)
    assert resignations(state) == [3]
    play(state, (24, 6), (18, 5))
    assert resignations(state) == [1, 2, 3]
    lost = play(blocked(OFFER), RESIGN_BACKGAMMON, REFUSE, PASS)
    assert resignations(lost) == [1, 2, 3]


def test_after_a_refusal_the_turn_goes_on() -> None:
    """R28: roll, move and double are as they were."""
    state = play(to_roll(OFFER), RESIGN_SINGLE, REFUSE)
    assert state.phase == BEFORE_ROLL
    assert state.is_legal(DOUBLE)
    rolled = play(to_move(OFFER), RESIGN_SINGLE, REFUSE)
    assert (rolled.phase, rolled.dice_left) == (MOVING, (6, 5))
    play(rolled, (24, 6))
    assert rolled.record["refused"][0] == 0
    play(rolled, (18, 5))
    assert rolled.on_roll == 1


def test_resigning_once_counts_once() -> None:
    """R28, case 29: match to 5, backgammon resigned at 0-0: 0-3, no second time."""
    state = start_game(rules=Rules(match_length=5, resign="offer"))
    play(state, RESIGN_BACKGAMMON, ACCEPT)
    assert state.score == (0, 3)
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match="158"):
        state.apply(RESIGN_BACKGAMMON)
    assert bytes_of(state) == before
    state.next_game()
    assert (state.score, state.phase) == ((0, 3), OPENING)
    assert state.legal_decisions() == [ROLL]


@pytest.mark.parametrize("code", [ACCEPT, REFUSE])
def test_nothing_is_answered_that_was_not_offered(code: int) -> None:
    """R28: accept and refuse need an offer."""
    for moment, _ in MOMENTS:
        state = moment(OFFER)
        before = bytes_of(state)
        with pytest.raises(IllegalActionError, match=str(code)):
            state.apply(code)
        assert bytes_of(state) == before


# --- at once ------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("board", "level"),
    [({8: 15}, 2), ({8: 14}, 1), ({25: 1, 24: 14}, 2), ({25: 1}, 1), ({1: 15}, 2)],
)
@pytest.mark.parametrize("cube", [1, 4])
def test_an_immediate_resignation_is_a_gammon_or_a_single(
    player: int, board: Mapping[int, int], level: int, cube: int
) -> None:
    """R28: gammon if he has nothing off, else single, never a backgammon; × cube."""
    owner = 1 - player if cube > 1 else None
    state = game_at(
        board, {8: 15}, rules=AT_ONCE, on_roll=player, cube=cube, cube_owner=owner
    )
    play(state, RESIGN_SINGLE)
    assert (state.winner, state.ending) == (1 - player, RESIGNED)
    assert (state.level, state.points) == (level, level * cube)


def test_an_immediate_resignation_counts_the_resigners_own_checkers() -> None:
    """R28: it is the resigner's own checkers off that matter, not the opponent's."""
    for mover, opponent, level in (({2: 14}, {8: 15}, 1), ({2: 15}, {8: 3}, 2)):
        state = game_at(mover, opponent, rules=AT_ONCE, dice=(6, 5))
        assert play(state, RESIGN_SINGLE).level == level


@pytest.mark.parametrize(("jacoby", "taken", "points"), [
    (True, False, 1), (True, True, 4), (False, False, 2), (False, True, 4),
])  # fmt: skip
def test_jacoby_touches_an_immediate_resignation(
    jacoby: bool, taken: bool, points: int
) -> None:
    """R28, R22: gammon of a game without a double taken: cube × 1."""
    state = start_game(rules=Rules(resign="immediate", jacoby=jacoby))
    if taken:
        play(state, DOUBLE, TAKE)
    assert play(state, RESIGN_SINGLE).points == points


def test_an_immediate_resignation_has_one_level() -> None:
    """R28: codes 157 and 158 do not exist under that option."""
    for code in (RESIGN_GAMMON, RESIGN_BACKGAMMON):
        state = to_roll(AT_ONCE)
        before = bytes_of(state)
        with pytest.raises(IllegalActionError, match=str(code)):
            state.apply(code)
        assert bytes_of(state) == before


def test_a_resigned_game_of_a_match_is_followed_by_the_next() -> None:
    """R28, R25: two gammons resigned in a match to 3 end it."""
    state = start_game(rules=Rules(match_length=3, resign="immediate"))
    play(state, RESIGN_SINGLE)
    assert state.score == (0, 2)
    state.next_game()
    assert state.crawford
    state.set_dice(6, 5)
    play(state, RESIGN_SINGLE)
    assert state.score == (0, 4)
    assert state.is_match_over
