"""A play is final when the dice are picked up (R36); whole turns are taken back too."""

from __future__ import annotations

import random

import pytest
from table_games import at_start, everything, play_at_random, table

from bg_env.errors import IllegalActionError, IllegalPlayError
from bg_env.rules.movegen import Move
from bg_env.rules.options import Rules
from bg_env.table import Game


def test_r36_a_play_is_final_when_it_is_confirmed_not_before() -> None:
    """R36: after the last move the turn has not passed."""
    game = at_start(dice=(3, 1))
    game.play("8/5 6/5")
    assert game.is_complete
    assert game.to_act == game.on_roll == 0
    assert game.history == ()
    assert game.state == game.start
    game.confirm()
    assert game.to_act == game.on_roll == 1
    assert game.log == ["player 0: 31: 8/5 6/5"]


def test_r36_single_moves_are_taken_back_one_by_one() -> None:
    """R36: the last first, hits undone, dice back."""
    game = table({13: 2, 6: 2}, {16: 1, 1: 1}, dice=(4, 1))
    untouched = everything(game)
    game.move("13/9*")
    one_move = everything(game)
    game.move("9/8")
    assert game.is_complete
    assert game.take_back() == Move(9, 1)
    assert everything(game) == one_move
    assert game.dice_left == (1,)
    assert game.take_back() == Move(13, 4)
    assert everything(game) == untouched
    with pytest.raises(IllegalActionError, match="No move can be taken back"):
        game.take_back()


@pytest.mark.parametrize(
    ("first", "second"),
    [("8/5", "6/5"), ("24/23", "13/10"), ("6/3", "24/23"), ("13/10", "10/9")],
)
def test_r36_another_play_can_be_made_instead(first: str, second: str) -> None:
    """R36: nothing of what was taken back remains."""
    game = at_start(dice=(3, 1))
    game.play("24/20")
    game.take_back()
    game.take_back()
    game.move(first).move(second).confirm()
    straight = at_start(dice=(3, 1))
    straight.play(f"{first} {second}", confirm=True)
    assert game.state == straight.state
    assert game.log == straight.log


def test_r36_the_winning_play_can_be_taken_back_too() -> None:
    """R36: the game is over when the dice are picked up."""
    game = table({1: 1}, {23: 15}, dice=(2, 1))
    game.play("1/off")
    assert not game.is_over
    game.take_back()
    assert game.position.mover[1] == 1


def test_r36_a_play_that_is_not_complete_cannot_be_confirmed() -> None:
    """R36 and R11: all dice that can be played."""
    game = at_start(dice=(6, 6))
    game.move("24/18(2)")
    before = everything(game)
    with pytest.raises(IllegalPlayError, match="leaves 6 6 to be played"):
        game.confirm()
    with pytest.raises(IllegalPlayError, match="does not complete"):
        game.play("13/7")
    assert everything(game) == before


def test_a_final_play_is_taken_back_with_its_whole_turn() -> None:
    game = at_start(rules=Rules())
    begin = everything(game)
    game.double()
    game.take()
    game.roll((3, 1))
    game.play("8/5 6/5", confirm=True)
    second = everything(game)
    game.roll((6, 2))
    game.move("24/18")
    game.undo()
    assert everything(game) == second
    game.undo()
    assert everything(game) == begin
    with pytest.raises(IllegalActionError, match="nothing was done"):
        game.undo()


def test_after_taking_back_the_same_dice_come_again() -> None:
    game = Game(seed=11)
    rolls = []
    for _ in range(2):
        game.roll()
        game.play(game.plays()[0], confirm=True)
        game.roll()
        rolls.append(game.dice)
        game.undo()
        game.undo()
        assert game.history == ()
    assert rolls[0] == rolls[1]


def test_the_end_of_a_game_is_taken_back() -> None:
    game = at_start()
    game.double()
    game.drop()
    game.undo()
    assert (game.is_over, game.score, game.legal()) == (
        False,
        (0, 0),
        ["roll", "double"],
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_game_taken_back_turn_by_turn_returns_to_its_start(seed: int) -> None:
    game = Game(Rules(beavers=3, resign="offer"), seed=seed)
    play_at_random(game, random.Random(seed), steps=150)
    while game.history:
        before = len(game.history)
        game.undo()
        assert len(game.history) < before
    assert game.state == game.start
