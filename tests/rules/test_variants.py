"""Board and starts: the standard one, the variants, and any position by id."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from played_games import RandomGames, game_at, needs_compiled, play

from bg_env.errors import (
    InvalidNotationError,
    InvalidOptionError,
    InvalidPositionError,
    UnknownNameError,
)
from bg_env.rules.batch import new_states
from bg_env.rules.decisions import ROLL
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import STARTS, Position

START_POINTS: dict[str, Mapping[int, int]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "hypergammon": {24: 1, 23: 1, 22: 1},
    "longgammon": {24: 15},
}
BOTH = pytest.mark.parametrize("player", [0, 1])


def points_of(side: tuple[int, ...]) -> dict[int, int]:
    """Checkers by point, without those off."""
    return {point: side[point] for point in range(1, 26) if side[point]}


@pytest.mark.parametrize("name", START_POINTS)
@BOTH
def test_each_variant_starts_from_its_own_points(name: str, player: int) -> None:
    """R1, R4: the same for both players, each in his own numbering; nothing is off."""
    state = GameState.new(Rules(start=name))
    side = state.position_of(player).mover
    assert points_of(side) == START_POINTS[name]
    assert side[0] == 0
    assert set(STARTS) == set(START_POINTS)


def test_the_standard_start_has_15_checkers_and_167_pips_a_side() -> None:
    """R1: 2 on 24, 5 on 13, 3 on 8, 5 on 6; the opponent's point is 25 − p."""
    state = GameState.new()
    assert state.position.checkers == (15, 15)
    assert state.position.pips == (167, 167)
    occupied = {25 - point for point in points_of(state.position.opponent)}
    assert occupied == {1, 12, 17, 19}


@pytest.mark.parametrize(
    ("name", "checkers", "pips"),
    [("standard", 15, 167), ("nackgammon", 15, 194), ("hypergammon", 3, 69),
     ("longgammon", 15, 360)],
)  # fmt: skip
def test_all_means_the_checkers_of_the_variant(
    name: str, checkers: int, pips: int
) -> None:
    """R4: the number each side owns."""
    state = GameState.new(Rules(start=name))
    assert state.position.checkers == (checkers, checkers)
    assert state.position.pips == (pips, pips)
    assert state.record["checkers"][0].tolist() == [checkers, checkers]


@pytest.mark.parametrize(
    ("loser", "level"),
    [({24: 1, 5: 2}, 3), ({25: 3}, 3), ({5: 3}, 2), ({19: 1, 1: 2}, 3),
     ({18: 1, 1: 2}, 2), ({5: 2}, 1), ({25: 1}, 1), ({24: 1, 22: 1}, 1)],
)  # fmt: skip
@BOTH
def test_hypergammon_is_won_with_three_checkers(
    player: int, loser: Mapping[int, int], level: int
) -> None:
    """R4, R17: "all" and "none off" use the variant's number of checkers."""
    position = Position.from_points({2: 1}, loser, checkers=3)
    state = GameState.from_position(
        position, rules=Rules(start="hypergammon"), on_roll=player
    )
    assert state.position.mover[0] == 2
    state.set_dice(2, 2)
    play(state, (2, 2))
    assert (state.winner, state.level, state.points) == (player, level, level)


@pytest.mark.parametrize("checkers", [1, 2, 7, 14, 15])
def test_any_number_of_checkers_can_be_played_out(checkers: int) -> None:
    """R4, R17: the last checker off ends the game, not the fifteenth."""
    position = Position.from_points({1: checkers}, {1: checkers}, checkers=checkers)
    state = GameState.from_position(position, rules=Rules(cube=False))
    borne_off = 0
    while not state.is_over:
        state.set_dice(1, 1)
        player = state.on_roll
        while state.on_roll == player and not state.is_over:
            play(state, (1, 1))
            borne_off += player == 0
    assert borne_off == checkers
    assert (state.winner, state.level) == (0, 2 if checkers <= 4 else 1)


def test_sides_may_own_different_numbers_of_checkers() -> None:
    """R4: each player's own number counts, whoever he is."""
    mover = Position.from_points({1: 2}, {1: 1}, checkers=2).mover
    opponent = Position.from_points({1: 1}, {6: 5}, checkers=5).opponent
    for player in (0, 1):
        state = GameState.from_position(Position(mover, opponent), on_roll=player)
        state.set_dice(1, 1)
        play(state, (1, 1))
        assert not state.is_over
        play(state, (1, 1))
        assert (state.winner, state.level) == (player, 2)


def test_a_game_starts_from_any_position_by_id() -> None:
    """R4: the mover's side of the id belongs to player 0, in every game."""
    position = Position.from_points({6: 5, 8: 10}, {24: 2, 13: 13})
    rules = Rules(start=position.id, resign="immediate")
    state = GameState.new(rules)
    for _ in range(2):
        assert state.position_of(0) == position
        assert state.position_of(1) == position.swapped()
        state.set_dice(1, 2)
        assert state.on_roll == 1
        assert state.position == position.swapped()
        state.apply(156)
        state.next_game()


@pytest.mark.parametrize("throw", [(6, 1), (1, 6)])
def test_checkers_of_an_uneven_start_stay_with_their_player(
    throw: tuple[int, int],
) -> None:
    """R4, R5: whoever wins the opening roll moves his own side."""
    position = Position.from_points({6: 3}, {4: 2})
    state = GameState.new(Rules(start=position.id))
    state.set_dice(*throw)
    mine = position if state.on_roll == 0 else position.swapped()
    assert state.position == mine
    assert state.record["checkers"][0].tolist() == [15, 15]


@needs_compiled
@pytest.mark.parametrize("name", ["hypergammon", "longgammon", "nackgammon"])
def test_random_games_of_variants_conserve_the_checkers(name: str) -> None:
    """R2, R4: none is lost, stacks of any height included."""
    played = RandomGames(Rules(start=name, cube=False), 100, seed=4).run()
    ends = played.all_ends()
    assert (ends["checkers"] == sum(START_POINTS[name].values())).all()
    assert len(ends) + played.truncated == 100


def test_a_match_of_a_variant_starts_each_game_from_it() -> None:
    """R4, R6: next_game sets up the variant again."""
    rules = Rules(start="hypergammon", match_length=5, resign="immediate")
    state = GameState.new(rules)
    for _ in range(2):
        assert state.position == Position.start("hypergammon")
        state.set_dice(6, 5)
        state.apply(156)
        assert state.points == 2
        state.next_game()


# --- starts that cannot be ----------------------------------------------------------


@pytest.mark.parametrize("start", ["chess", "", "4HPwATDgc/ABM", 5, None, ["standard"]])
def test_an_unknown_start_is_refused(start: object) -> None:
    """R4: neither a variant nor 14 characters of an id: the value is named."""
    with pytest.raises(InvalidOptionError) as caught:
        Rules(start=start)  # type: ignore[arg-type]
    assert repr(start) in str(caught.value)


@pytest.mark.parametrize("start", ["4HPwATDgc/ABM!", "//////////////"])
def test_a_damaged_id_is_refused(start: str) -> None:
    """R4: text that is no position."""
    with pytest.raises((InvalidNotationError, InvalidPositionError)):
        Rules(start=start)


@pytest.mark.parametrize(
    "position",
    [
        Position.from_points({}, {1: 2}),
        Position.from_points({1: 2}, {}),
    ],
)
def test_a_game_that_is_over_is_no_start(position: Position) -> None:
    """R4, R17: one side has borne off all: refused as a start and as a position."""
    with pytest.raises(InvalidOptionError, match="over") as caught:
        Rules(start=position.id)
    assert position.id in str(caught.value)
    with pytest.raises(InvalidPositionError, match="over"):
        GameState.from_position(position)


def test_a_game_in_which_nobody_can_ever_move_is_refused() -> None:
    """R4, R12: both on the bar against closed boards."""
    closed = dict.fromkeys(range(1, 7), 2)
    position = Position.from_points({25: 1, **closed}, {25: 1, **closed})
    with pytest.raises(InvalidPositionError, match="no end") as caught:
        GameState.from_position(position)
    assert position.id in str(caught.value)
    with pytest.raises(InvalidPositionError, match="no end"):
        GameState.new(Rules(start=position.id))
    with pytest.raises(InvalidPositionError, match="no end"):
        new_states(3, Rules(start=position.id))


def test_one_closed_board_is_played() -> None:
    """R12, R13: the other side can move, so the game goes on."""
    closed = dict.fromkeys(range(1, 7), 2)
    state = game_at({25: 1, 1: 5}, {8: 3, **closed})
    state.apply(ROLL)
    assert state.legal_decisions() == [0]


@pytest.mark.parametrize("name", ["Standard", "backgammon", "hyper"])
def test_an_unknown_variant_names_the_known_ones(name: str) -> None:
    """R4: with the nearest name."""
    with pytest.raises(UnknownNameError, match=name) as caught:
        Position.start(name)
    assert all(known in str(caught.value) for known in START_POINTS)


# --- the two sides ------------------------------------------------------------------


@BOTH
def test_either_seat_can_be_shown_and_showing_changes_nothing(player: int) -> None:
    """R3: `position_of` gives any player's view; rules and numbering stay."""
    state = game_at({25: 1, 6: 3}, {13: 4, 1: 1}, on_roll=player, cube=2, cube_owner=0)
    before = state.record.tobytes()
    own, other = state.position_of(player), state.position_of(1 - player)
    assert own == state.position
    assert other == own.swapped()
    assert (own.mover, own.opponent) == (other.opponent, other.mover)
    assert state.record.tobytes() == before
    assert state.legal_decisions() == state.clone().legal_decisions()


def test_stacks_of_any_height_are_played() -> None:
    """R2: fifteen checkers on one point, each by moves forward only."""
    state = game_at({7: 14, 8: 1}, {1: 1}, dice=(1, 1))
    assert state.legal_decisions() == [(7 - 1) * 6 + 1, (8 - 1) * 6 + 1]
    play(state, (8, 1))
    assert state.position.mover[7] == 15
    side = np.array(state.position.mover)
    assert side.sum() == 15
