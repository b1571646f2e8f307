"""A roll made before the opponent's play is final (R37)."""

from __future__ import annotations

import pytest
from table_games import CLOSED, Places, at_start, everything, table

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.table import Game
from bg_env.table.overboard import both_bear_off

START = {24: 2, 13: 5, 8: 3, 6: 5}
STANDS = {
    "both bear off": ({6: 3, 5: 2}, {6: 1, 1: 4}, (6, 3)),
    "both bear off, a double": ({6: 6}, {3: 2}, (2, 2)),
    "the roll is lost": ({25: 1, 6: 5}, CLOSED, (6, 5)),
    "one play only": ({24: 1}, {9: 14, 2: 1}, (6, 5)),
    "both orders lead to one position": ({13: 1}, {22: 1, 1: 1}, (2, 1)),
}
VOID = {
    "the start position": (START, START, (3, 1)),
    "one side has a checker outside": ({7: 1, 6: 3, 1: 2}, {6: 1, 1: 4}, (6, 3)),
    "the other side has one outside": ({6: 3, 1: 2}, {7: 1, 1: 4}, (2, 1)),
    "the other side has one on the bar": ({6: 3, 1: 2}, {25: 1, 1: 4}, (2, 1)),
    "a race with a choice": ({10: 3, 7: 2}, {10: 1, 1: 4}, (6, 3)),
}  # fmt: skip


@pytest.mark.parametrize("case", STANDS)
def test_r37_a_roll_out_of_turn_stands(case: str) -> None:
    """R37: both bear off without contact, or the play is wholly forced."""
    mover, opponent, dice = STANDS[case]
    game = table(mover, opponent, dice=dice)
    event = game.roll_out_of_turn((5, 2))
    assert event.upheld
    assert str(event) == "player 1 rolls 52 out of turn: it stands"
    game.play(game.plays()[0], confirm=True)
    assert game.on_roll == 1
    assert game.dice == (5, 2)


@pytest.mark.parametrize("case", VOID)
def test_r37_else_it_is_void_and_made_again(case: str) -> None:
    """R37: after the play the roll is awaited, and a double too."""
    mover, opponent, dice = VOID[case]
    game = table(mover, opponent, dice=dice)
    event = game.roll_out_of_turn((5, 2))
    assert event.upheld is False
    assert str(event) == "player 1 rolls 52 out of turn: it is void"
    game.play(game.plays()[0], confirm=True)
    assert game.dice is None
    assert game.legal()[:2] == ["roll", "double"]


def test_r37_a_void_roll_is_made_again_with_other_dice() -> None:
    """R37: nobody knows the next roll of the game's own dice."""
    plain, early = at_start(dice=(3, 1), seed=5), at_start(dice=(3, 1), seed=5)
    void = early.roll_out_of_turn()
    for game in (plain, early):
        game.play("8/5 6/5", confirm=True)
        game.roll()
    assert void.dice == plain.dice
    assert early.state != plain.state
    early.play(early.plays()[0], confirm=True)
    plain.play(plain.plays()[0], confirm=True)
    plain.roll()
    assert early.history[2].dice == plain.dice


def test_r37_open_moves_stay_on_the_board() -> None:
    """R37: the mover goes on as if nothing had happened."""
    game = at_start(dice=(3, 1))
    game.move("8/5")
    position = game.position
    game.roll_out_of_turn()
    assert game.position == position
    assert game.take_back().source == 8


def test_r37_after_a_roll_that_stands_nobody_doubles() -> None:
    """R37 and R19: he has rolled."""
    game = table(*STANDS["both bear off"][:2], dice=(6, 3))
    game.roll_out_of_turn((5, 2))
    game.play(game.plays()[0], confirm=True)
    assert "double" not in game.legal()
    with pytest.raises(IllegalActionError):
        game.double()


def test_r37_a_game_that_ends_with_the_play_needs_no_further_roll() -> None:
    """R37: the roll that stood is forgotten."""
    game = table({1: 1}, {1: 2}, dice=(6, 3))
    assert game.roll_out_of_turn().upheld
    game.play("1/off", confirm=True)
    assert game.is_over
    assert game.dice is None


@pytest.mark.parametrize("phase", ["to roll", "double pending", "resignation pending"])
def test_r37_before_the_opponent_has_rolled_every_roll_is_void(phase: str) -> None:
    """R37: there is no play yet, forced or not."""
    game = table({6: 3}, {5: 3}, rules=Rules(resign="offer"))
    if phase == "double pending":
        game.double()
    elif phase == "resignation pending":
        game.resign()
    assert game.roll_out_of_turn((6, 6)).upheld is False


def test_r37_the_roll_that_stands_is_made_once() -> None:
    """R37: no second one."""
    game = table({6: 3, 5: 2}, {6: 1, 1: 4}, dice=(6, 3))
    game.roll_out_of_turn((1, 1))
    before = everything(game)
    with pytest.raises(IllegalActionError, match="has rolled"):
        game.roll_out_of_turn((6, 6))
    assert everything(game) == before


def test_r37_bad_dice_and_moments_without_a_turn_are_refused() -> None:
    """R37: one sentence, nothing changed."""
    game = at_start(dice=(3, 1))
    before = everything(game)
    with pytest.raises(InvalidOptionError, match="two dice"):
        game.roll_out_of_turn((0, 7))
    assert everything(game) == before
    opening = Game(seed=1)
    with pytest.raises(IllegalActionError, match="needs a turn"):
        opening.roll_out_of_turn()
    over = at_start()
    over.double()
    over.drop()
    with pytest.raises(IllegalActionError, match="needs a turn"):
        over.roll_out_of_turn()


@pytest.mark.parametrize(
    ("mover", "opponent", "expected"),
    [
        ({6: 15}, {6: 15}, True),
        ({1: 1}, {1: 1}, True),
        ({7: 1}, {1: 1}, False),
        ({1: 1}, {7: 1}, False),
        ({25: 1}, {1: 1}, False),
        ({24: 15}, {24: 15}, False),
    ],
)
def test_bearing_off_without_contact_is_all_checkers_at_home(
    mover: Places, opponent: Places, expected: bool
) -> None:
    """R37: of both sides."""
    assert both_bear_off(Position.from_points(mover, opponent)) is expected
