"""Over the board (R38): what may be left, what may be called, and how long."""

from __future__ import annotations

import pytest
from table_games import (
    CLOSED,
    HandTime,
    Places,
    at_start,
    changed,
    everything,
    table,
)

from bg_env.errors import (
    IllegalActionError,
    InvalidNotationError,
    InvalidPositionError,
)
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.table import Game, Match

START = Position.start()
WRONG = changed(START, {8: -1, 4: 1, 6: -1, 5: 1})  # 8/4 6/5 with 3-1
RIGHT = changed(START, {8: -1, 5: 2, 6: -1})
BLOTS = Position.from_points({13: 2, 6: 2, 25: 1}, {16: 1, 20: 1, 8: 2, 3: 1, 1: 1})


def left_wrong() -> Game:
    """Player 0 has left an illegal position with 3-1."""
    game = at_start(otb=True, dice=(3, 1))
    game.leave(WRONG)
    return game


# --- what may be left ---------------------------------------------------------------

MAY_BE_LEFT: dict[str, tuple[Position, Places, Places]] = {
    "a legal play": (START, {8: -1, 5: 2, 6: -1}, {}),
    "too many pips": (START, {24: -1, 2: 1}, {}),
    "nothing moved": (START, {}, {}),
    "backwards": (START, {6: -1, 9: 1}, {}),
    "every checker moved": (START, {24: -2, 13: -5, 8: -3, 6: -5, 3: 15}, {}),
    "one borne off": (START, {6: -1, 0: 1}, {}),
    "from the board to the bar": (START, {6: -1, 25: 1}, {}),
    "the checker on the bar stays": (BLOTS, {13: -1, 12: 1}, {}),
    "a hit": (BLOTS, {13: -1, 9: 1}, {16: -1, 25: 1}),
    "hit and gone on": (BLOTS, {13: -1, 8: 1}, {16: -1, 25: 1}),
    "two hits with one checker": (BLOTS, {13: -1, 5: 1}, {16: -1, 20: -1, 25: 2}),
    "four hits": (BLOTS, {13: -2, 6: -1, 9: 1, 5: 1, 22: 1},
                  {16: -1, 20: -1, 3: -1, 25: 3}),
}  # fmt: skip


@pytest.mark.parametrize("case", MAY_BE_LEFT)
@pytest.mark.parametrize("on_roll", [0, 1])
def test_r38_the_mover_may_leave_any_position_of_his_own_checkers(
    case: str, on_roll: int
) -> None:
    """R38: hits included, every checker kept; the turn passes."""
    before, own, other = MAY_BE_LEFT[case]
    left = changed(before, own, other)
    details = {"dice": (3, 1), "on_roll": on_roll}
    game = Game.from_position(before, details=details, over_the_board=True)
    text = str(game.leave(left))
    assert text == f"player {on_roll}: 31: leaves position {left.id}"
    assert game.on_roll == 1 - on_roll
    assert game.state.position_of(on_roll) == left
    assert game.legal() == ["roll", "double"]
    game.roll()


MAY_NOT_BE_LEFT: dict[str, tuple[Position, Places, Places, str]] = {
    "an opposing point moved": (START, {}, {6: -2, 5: 2}, "own checkers only"),
    "an opposing blot moved": (BLOTS, {}, {16: -1, 15: 1}, "own checkers only"),
    "one of two hit": (BLOTS, {}, {8: -1, 25: 1}, "own checkers only"),
    "a point of two hit": (BLOTS, {13: -1, 17: 1}, {8: -2, 25: 2}, "own checkers only"),
    "a blot borne off": (BLOTS, {}, {16: -1, 0: 1}, "own checkers only"),
    "one put back from off": (BLOTS, {}, {0: -1, 25: 1}, "own checkers only"),
    "an own checker missing": (START, {6: -1}, {}, "14, 15"),
    "an own checker too many": (Position.from_points({6: 2}, {6: 2}, checkers=2),
                                {6: 1}, {}, "3, 2"),
    "a hit checker missing": (BLOTS, {13: -1, 9: 1}, {16: -1}, "every checker stays"),
}  # fmt: skip


@pytest.mark.parametrize("case", MAY_NOT_BE_LEFT)
def test_r38_other_positions_are_refused(case: str) -> None:
    """R38: one sentence, nothing changed."""
    before, own, other, says = MAY_NOT_BE_LEFT[case]
    game = Game.from_position(before, details={"dice": (3, 1)}, over_the_board=True)
    untouched = everything(game)
    with pytest.raises(InvalidPositionError, match=says) as caught:
        game.leave(changed(before, own, other))
    assert "\n" not in str(caught.value)
    assert everything(game) == untouched


def test_r38_no_point_holds_both_colours() -> None:
    """R38: that is no position at all."""
    with pytest.raises(InvalidPositionError, match="one colour only"):
        changed(START, {6: -1, 1: 1})


def test_r38_a_position_is_left_by_its_id_too() -> None:
    """R38."""
    game = at_start(otb=True, dice=(3, 1))
    game.do(f"leave {WRONG.id}")
    assert game.state.position_of(0) == WRONG
    with pytest.raises(InvalidNotationError, match="position id"):
        at_start(otb=True, dice=(3, 1)).leave("nonsense")
    with pytest.raises(InvalidPositionError, match="or its id"):
        at_start(otb=True, dice=(3, 1)).leave(3)  # type: ignore[arg-type]


def test_r38_open_moves_count_for_nothing_in_what_is_left() -> None:
    """R38: also a hit on the way, if the position does not show it."""
    game = Game.from_position(BLOTS, details={"dice": (4, 1)}, over_the_board=True)
    game.move("bar/24")
    game.leave(BLOTS)
    assert game.state.position_of(0) == BLOTS
    assert game.moves == ()


@pytest.mark.parametrize("moment", ["before the roll", "double", "resignation"])
def test_r38_without_a_roll_nothing_is_left(moment: str) -> None:
    """R38: one sentence, nothing changed."""
    rules = Rules(resign="offer")
    game = at_start(otb=True, rules=rules)
    if moment == "double":
        game.double()
    if moment == "resignation":
        game.roll()
        game.resign()
    before = everything(game)
    with pytest.raises(IllegalActionError, match="who has rolled"):
        game.leave(WRONG)
    assert everything(game) == before


def test_r38_without_the_option_nothing_illegal_is_left_or_called() -> None:
    """R38: off by default."""
    game = at_start(dice=(3, 1))
    before = everything(game)
    with pytest.raises(IllegalActionError, match="over_the_board=True"):
        game.leave(WRONG)
    with pytest.raises(IllegalActionError, match="over_the_board=True"):
        game.call_illegal()
    assert everything(game) == before


# --- calls --------------------------------------------------------------------------


@pytest.mark.parametrize("caller", [0, 1, None])
def test_r38_a_right_call_puts_the_position_back_with_the_same_roll(
    caller: int | None,
) -> None:
    """R38: any player may call."""
    game = left_wrong()
    event = game.call_illegal(caller)
    assert event.upheld
    who = 1 if caller is None else caller
    assert str(event) == (
        f"player {who} calls the play illegal: it was, and 31 is played again"
    )
    assert (game.on_roll, game.dice, game.position) == (0, (3, 1), START)
    assert len(game.plays()) == 16
    game.play("8/5 6/5", confirm=True)
    assert game.state.position_of(0) == RIGHT


def test_r38_after_a_right_call_the_roll_is_played_legally() -> None:
    """R38: US rules; the next play may be illegal again, and called."""
    game = left_wrong()
    game.call_illegal()
    before = everything(game)
    with pytest.raises(IllegalActionError, match="legally"):
        game.leave(WRONG)
    assert everything(game) == before
    game.play("24/20", confirm=True)
    game.roll((3, 1))
    game.leave(changed(game.position, {8: -1, 3: 1}))
    assert game.call_illegal().upheld


@pytest.mark.parametrize("how", ["left", "played"])
def test_r38_a_wrong_call_changes_nothing(how: str) -> None:
    """R38: neither the game nor the right to call."""
    game = at_start(otb=True, dice=(3, 1))
    if how == "left":
        game.leave(RIGHT)
    else:
        game.play("8/5 6/5", confirm=True)
    before = game.state
    assert game.call_illegal().upheld is False
    assert game.state == before
    assert game.log[-1] == "player 1 calls the play illegal: it was legal"
    assert game.call_illegal(0).upheld is False
    assert game.legal() == ["roll", "double"]


def test_r38_what_is_not_called_before_the_next_roll_stands() -> None:
    """R38: however obvious; one sentence, nothing changed."""
    game = left_wrong()
    game.roll((6, 5))
    before = everything(game)
    with pytest.raises(IllegalActionError, match=r"until the next roll.*\.$"):
        game.call_illegal()
    assert everything(game) == before
    assert game.state.position_of(0) == WRONG
    game.play("24/13", confirm=True)
    assert game.call_illegal().upheld is False


def test_r38_before_any_play_there_is_nothing_to_call() -> None:
    """R38."""
    for game in (at_start(otb=True), Game(seed=1, over_the_board=True)):
        before = everything(game)
        with pytest.raises(IllegalActionError, match="no play to call"):
            game.call_illegal()
        assert everything(game) == before


@pytest.mark.parametrize(
    "answers", [("double",), ("double", "take"), ("double", "drop")]
)
def test_r38_a_double_is_no_roll_and_does_not_end_the_right(
    answers: tuple[str, ...],
) -> None:
    """R38: the cube goes back to where it was with the position."""
    game = left_wrong()
    for text in answers:
        game.do(text)
    assert game.call_illegal().upheld
    assert (game.cube, game.cube_owner, game.is_over) == (1, None, False)
    assert (game.on_roll, game.to_act, game.dice) == (0, 0, (3, 1))


def test_r38_after_a_double_a_wrong_call_leaves_it_pending() -> None:
    """R38: nothing changes."""
    game = at_start(otb=True, dice=(3, 1))
    game.play("8/5 6/5", confirm=True)
    game.double()
    game.call_illegal(0)
    assert game.legal() == ["take", "drop"]


@pytest.mark.parametrize(
    ("opponent", "points"),
    [({6: 1, 5: 5}, 1), ({13: 15}, 2), ({24: 15}, 3), ({25: 1, 13: 14}, 3),
     ({24: 2, 23: 3, 22: 4, 21: 5, 20: 1}, 3)],
)  # fmt: skip
def test_r38_the_last_play_may_be_called_until_the_result_is_accepted(
    opponent: Places, points: int
) -> None:
    """R38: 6/off with 3-1; the score goes back too."""
    game = table({6: 1}, opponent, otb=True, dice=(3, 1))
    left = changed(game.position, {6: -1, 0: 1})
    game.leave(left)
    assert (game.is_over, game.winner, game.points) == (True, 0, points)
    assert game.score == (points, 0)
    assert game.state.position_of(0) == left
    assert game.legal() == ["accept result"]
    assert game.call_illegal(1).upheld
    assert not game.is_over
    assert game.score == (0, 0)
    game.play(game.plays()[0], confirm=True)


def test_r38_an_accepted_result_stands() -> None:
    """R38: one sentence, nothing changed."""
    game = table({6: 1}, {24: 15}, otb=True, dice=(3, 1))
    game.leave(changed(game.position, {6: -1, 0: 1}))
    assert str(game.accept_result()) == "The result is accepted"
    before = everything(game)
    with pytest.raises(IllegalActionError, match="until its result is accepted"):
        game.call_illegal(1)
    with pytest.raises(IllegalActionError, match="stands already"):
        game.accept_result()
    assert everything(game) == before
    assert game.legal() == []


def test_r38_the_next_game_accepts_the_result() -> None:
    """R38."""
    match = Match(5, seed=1, over_the_board=True)
    first = match.game
    first.roll((3, 1))
    first.leave(WRONG)
    first.double()
    first.drop()
    match.next_game()
    with pytest.raises(IllegalActionError, match="no play to call"):
        first.call_illegal()
    assert first.history[-1].kind == "accept result"


def test_r38_a_game_goes_on_whatever_was_left() -> None:
    """R38: a checker on the bar that did not enter has to enter next time."""
    game = table({25: 1, 6: 5}, CLOSED, otb=True, dice=(6, 5))
    game.leave(changed(game.position, {25: -1, 1: 1, 6: 0}, {24: 0}))
    assert game.on_roll == 1


# --- with the clock and with rolls out of turn --------------------------------------


def test_r38_a_call_puts_no_time_back() -> None:
    """R38 and R29: the reserve only falls; the mover's turn goes on where it stood."""
    time = HandTime()
    game = Game.from_position(
        START,
        details={"rules": Rules(clock=Clock()), "dice": (3, 1)},
        over_the_board=True,
        time_source=time,
    )
    time.passes(15)
    game.leave(WRONG)
    time.passes(21)
    game.call_illegal()
    assert game.times(0) == (0, 86)
    assert game.times(1)[1] == 80


def test_r38_a_game_ended_by_the_clock_is_not_called_back() -> None:
    """R38 and R29."""
    time = HandTime()
    game = Game.from_position(
        START,
        details={"rules": Rules(clock=Clock()), "dice": (3, 1)},
        over_the_board=True,
        time_source=time,
    )
    time.passes(200)
    game.leave(WRONG)
    game.claim()
    before = everything(game)
    with pytest.raises(IllegalActionError, match="ended by the clock"):
        game.call_illegal()
    assert everything(game) == before


def test_r38_who_rolls_out_of_turn_gives_up_the_call() -> None:
    """R38 and R37: a roll that stands is the next roll."""
    game = table({6: 3, 5: 2}, {6: 1, 1: 4}, otb=True, dice=(6, 3))
    assert game.roll_out_of_turn((5, 2)).upheld
    game.leave(changed(game.position, {6: -3, 0: 3}))
    assert game.dice == (5, 2)
    with pytest.raises(IllegalActionError, match="no play to call"):
        game.call_illegal()


def test_r38_least_waste_is_part_of_the_law() -> None:
    """R38 and R16: 6/3 3/off wastes a pip that 6/2 3/off does not."""
    details = {"dice": (4, 3), "rules": Rules(least_waste=True)}
    position = Position.from_points({6: 1, 3: 1}, {1: 15})
    game = Game.from_position(position, details=details, over_the_board=True)
    game.leave(changed(position, {6: -1, 0: 1}))
    assert game.call_illegal().upheld
