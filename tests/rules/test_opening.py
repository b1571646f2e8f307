"""The opening roll, the first turn and how the turns follow (R5, R6, R23)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from played_games import game_at, mirrored, needs_compiled, play, start_game

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules.batch import apply_decisions, new_states, seed_states
from bg_env.rules.decisions import DOUBLE, PASS, ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.state import BEFORE_ROLL, MOVING, OPENING

ALL_THROWS = [(a, b) for a in range(1, 7) for b in range(1, 7)]
DIFFERENT = [(a, b) for a, b in ALL_THROWS if a != b]
REROLL = Rules(opening_reroll=True)


# --- who begins ---------------------------------------------------------------------


@pytest.mark.parametrize("throw", DIFFERENT)
def test_the_higher_die_begins_and_plays_both_dice(throw: tuple[int, int]) -> None:
    """R5: one die each; the higher plays first with both dice."""
    state = GameState.new()
    state.set_dice(*throw)
    assert state.on_roll == state.to_act == (0 if throw[0] > throw[1] else 1)
    assert state.phase == MOVING
    assert state.dice == throw
    assert state.dice_left == tuple(sorted(throw, reverse=True))
    assert state.turn == 1


@pytest.mark.parametrize("throw", DIFFERENT)
def test_the_opening_treats_both_players_alike(throw: tuple[int, int]) -> None:
    """R5: with the dice exchanged the other player has the same first turn."""
    state, other = GameState.new(), GameState.new()
    state.set_dice(*throw)
    other.set_dice(*throw[::-1])
    assert state.legal_decisions() == other.legal_decisions()
    expected = mirrored(state.record)
    expected["roll"] = expected["roll"][:, ::-1]
    assert expected.tobytes() == other.record.tobytes()


def test_before_the_opening_roll_there_is_nothing_but_to_roll() -> None:
    """R5, R19, R28: no double, no resignation, no move before the opening roll."""
    rules = Rules(jacoby=True, beavers=3, resign="offer")
    state = GameState.new(rules)
    assert state.phase == OPENING
    assert state.legal_decisions() == [ROLL]
    assert state.dice is None
    assert state.dice_left == ()
    assert state.turn == 0


def test_ties_are_rolled_again() -> None:
    """R5: three ties, then 2-5: player 1 begins with 2 and 5."""
    state = GameState.new()
    state.set_dice_queue([(3, 3), (6, 6), (1, 1), (2, 5)])
    state.apply(ROLL)
    assert state.dice == (2, 5)
    assert state.on_roll == 1
    assert state.cube == 1


@needs_compiled
def test_first_rolls_are_never_doubles_and_thirty_ones_are_equally_likely() -> None:
    """R5: 30 ordered rolls at 1/30; each side begins in half of the games."""
    states = new_states(30_000, Rules(cube=False))
    seed_states(states, 5)
    assert apply_decisions(states, np.full(len(states), ROLL)).all()
    counts = Counter(map(tuple, states["roll"].tolist()))
    assert set(counts) == set(DIFFERENT)
    # 1,000 expected of each, standard deviation 31
    assert max(abs(count - 1000) for count in counts.values()) < 160
    assert abs((states["on_roll"] == 0).mean() - 0.5) < 0.015


# --- the winner rolls afresh --------------------------------------------------------


@pytest.mark.parametrize("throw", DIFFERENT)
def test_with_opening_reroll_the_winner_rolls_both_dice_afresh(
    throw: tuple[int, int],
) -> None:
    """R5: opening_reroll; R19: still no double in that first turn."""
    state = GameState.new(REROLL)
    state.set_dice(*throw)
    assert state.on_roll == (0 if throw[0] > throw[1] else 1)
    assert state.phase == BEFORE_ROLL
    assert state.turn == 1
    assert state.legal_decisions() == [ROLL]
    state.set_dice(4, 4)
    assert state.dice_left == (4, 4, 4, 4)


def test_after_a_reroll_the_second_player_may_double_at_once() -> None:
    """R19: only the first turn of the game is without a double."""
    state = GameState.new(REROLL)
    state.set_dice(6, 1)
    state.set_dice(3, 1)
    play(state, (8, 3), (6, 1))
    assert state.turn == 2
    assert state.is_legal(DOUBLE)


@needs_compiled
def test_first_turns_after_a_reroll_have_doubles_in_a_sixth() -> None:
    """R5: the 36 rolls of the first turn are equally likely with opening_reroll."""
    states = new_states(18_000, REROLL)
    seed_states(states, 6)
    for _ in range(2):
        assert apply_decisions(states, np.full(len(states), ROLL)).all()
    assert (states["turn"] == 1).all()
    counts = Counter(map(tuple, states["roll"].tolist()))
    assert set(counts) == set(ALL_THROWS)
    assert max(abs(count - 500) for count in counts.values()) < 120
    assert abs((states["on_roll"] == 0).mean() - 0.5) < 0.015


def test_without_the_option_the_opening_dice_are_played() -> None:
    """R5: opening_reroll is off by default and in every preset."""
    for name in ("standard", "match", "timed", "household", "us-tournament"):
        assert not Rules.preset(name).opening_reroll
    assert Rules.preset("household", opening_reroll=True).opening_reroll


# --- ties that double the cube ------------------------------------------------------

TIES = [(1, 1), (2, 2), (3, 3), (4, 4)]


@pytest.mark.parametrize(
    ("automatic", "ties", "cube"),
    [(0, 3, 1), (1, 0, 1), (1, 1, 2), (1, 3, 2), (2, 1, 2), (2, 2, 4), (2, 4, 4),
     (3, 3, 8), (30, 4, 16)],
)  # fmt: skip
def test_each_of_the_first_ties_doubles_the_cube(
    automatic: int, ties: int, cube: int
) -> None:
    """R23: n of them count, the cube stays in the middle, every tie is rerolled."""
    state = GameState.new(Rules(automatic_doubles=automatic))
    state.set_dice_queue([*TIES[:ties], (6, 5)])
    state.apply(ROLL)
    assert state.cube == cube
    assert state.cube_owner is None
    assert state.dice == (6, 5)


@pytest.mark.parametrize(("max_cube", "cube"), [(1, 1), (2, 2), (4, 4), (None, 16)])
def test_automatic_doubles_stop_at_the_highest_cube(
    max_cube: int | None, cube: int
) -> None:
    """R18, R23: never above max_cube."""
    state = GameState.new(Rules(automatic_doubles=4, max_cube=max_cube))
    state.set_dice_queue([*TIES, (6, 5)])
    state.apply(ROLL)
    assert state.cube == cube


def test_the_count_of_ties_starts_anew_each_game() -> None:
    """R23: automatic_doubles=1, a tie before each of two games: 2 and 2, not 1."""
    state = GameState.new(Rules(automatic_doubles=1, resign="immediate"))
    for _ in range(2):
        state.set_dice_queue([(5, 5), (4, 4), (6, 1)])
        state.apply(ROLL)
        assert state.cube == 2
        state.apply(156)
        assert state.points == 4  # nothing borne off: a gammon with the cube at 2
        state.next_game()
        assert state.cube == 1


def test_after_an_automatic_double_either_player_may_double() -> None:
    """R19, R23: nobody owns the cube, so both may turn it later."""
    for throw in ((6, 1), (1, 6)):
        state = GameState.new(Rules(automatic_doubles=1))
        state.set_dice_queue([(2, 2), throw])
        state.apply(ROLL)
        second = 1 - state.on_roll
        play(state, (13, 6), (8, 1))
        assert state.on_roll == second
        play(state, DOUBLE, TAKE)
        assert (state.cube, state.cube_owner) == (4, 1 - second)


def test_a_tie_laid_down_by_hand_counts_while_ties_count() -> None:
    """R23: set_dice takes a tie only as long as it would double the cube."""
    state = GameState.new(Rules(automatic_doubles=1))
    state.set_dice(4, 4)
    assert (state.phase, state.cube) == (OPENING, 2)
    before = state.record.tobytes()
    with pytest.raises(InvalidOptionError, match=r"\(4, 4\)"):
        state.set_dice(4, 4)
    assert state.record.tobytes() == before


# --- the turns that follow ----------------------------------------------------------


def test_players_alternate_and_roll_two_dice() -> None:
    """R6: after each turn the other player is on roll."""
    state = GameState.new(Rules(cube=False), seed=6)
    state.apply(ROLL)
    turns = [state.on_roll]
    while len(turns) < 20:
        turn = state.turn
        while state.turn == turn:
            state.apply(state.legal_decisions()[0])
        turns.append(state.on_roll)
        assert state.phase == BEFORE_ROLL
        state.apply(ROLL)
        assert len(state.dice_left) == (4 if len(set(state.dice or ())) == 1 else 2)
    assert all(turns[i] != turns[i + 1] for i in range(19))


@pytest.mark.parametrize("throw", [(6, 1), (1, 6)])
def test_every_game_of_a_match_begins_with_an_opening_roll(
    throw: tuple[int, int],
) -> None:
    """R6, R5: the winner of a game has no right to begin the next."""
    state = GameState.new(Rules(match_length=5, resign="immediate"))
    fresh = state.clone()
    state.set_dice(5, 6)
    state.apply(156)
    state.next_game()
    assert state.phase == OPENING
    assert state.legal_decisions() == [ROLL]
    for name in ("board", "cube", "cube_owner", "on_roll", "to_act", "turn", "roll",
                 "left", "offer", "refused", "points", "winner", "level",
                 "ending"):  # fmt: skip
        assert np.array_equal(state.record[name], fresh.record[name]), name
    with pytest.raises(IllegalActionError):
        state.apply(DOUBLE)
    state.set_dice(*throw)
    assert state.on_roll == (0 if throw[0] > throw[1] else 1)
    assert not state.is_legal(DOUBLE)


def test_a_lost_roll_passes_the_turn_too() -> None:
    """R6, R13: the player who could not move is followed by the other."""
    closed = {point: 2 for point in (1, 2, 3, 4, 5, 6)}
    state = game_at({25: 1, 6: 5}, closed, on_roll=1)
    state.set_dice(6, 5)
    assert state.legal_decisions() == [PASS]
    state.apply(PASS)
    assert (state.on_roll, state.phase) == (0, BEFORE_ROLL)


def test_the_board_is_that_of_the_player_on_roll_after_each_turn() -> None:
    """R1, R6: when the turn passes, each side keeps its own numbering."""
    state = start_game()
    state.set_dice(3, 1)
    play(state, (8, 3), (6, 1))
    assert state.position.mover == state.position_of(1).mover
    assert state.position_of(0).mover[5] == 2
    assert state.position.opponent[5] == 2
