"""Whole games at random under every preset and option: what is true of all of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from played_games import Played, RandomGames, mirrored, needs_compiled

from bg_env._jit import DISABLED
from bg_env.envs._step import write_random_codes
from bg_env.rules.batch import apply_decisions, legal_masks, new_states, seed_states
from bg_env.rules.game import GameState
from bg_env.rules.options import PRESETS, Clock, Rules
from bg_env.rules.state import (
    BORNE_OFF,
    CLAIMED,
    DROPPED,
    OVER,
    RESIGNED,
)

EVERY_MONEY_OPTION = Rules(
    jacoby=True,
    beavers=3,
    automatic_doubles=2,
    resign="offer",
    least_waste=True,
    opening_reroll=True,
    clock=Clock(),
    max_cube=None,
)
SHORT_CLOCK = Clock(turn_seconds=5, reserve_seconds=20, renewed="match")
VARIANTS: dict[str, Rules] = {
    **{name: Rules.preset(name) for name in PRESETS},
    "household with reroll": Rules.preset("household", opening_reroll=True),
    "household to 5": Rules.preset("household", match_length=5, cube=True),
    "match to 1": Rules.preset("match", match_length=1),
    "match to 3": Rules.preset("match", match_length=3),
    "match without Crawford": Rules.preset("match", match_length=3, crawford=False),
    "match with resigning": Rules.preset("match", resign="offer", match_length=5),
    "match with a clock": Rules.preset("match", match_length=3, clock=SHORT_CLOCK),
    "match claimed whole": Rules.preset(
        "match", clock=Clock(reserve_seconds=30, award="match")
    ),
    "jacoby": Rules(jacoby=True),
    "beavers": Rules(beavers=3),
    "automatic doubles": Rules(automatic_doubles=2),
    "resignations offered": Rules(resign="offer"),
    "resignations immediate": Rules(resign="immediate"),
    "least waste": Rules(least_waste=True),
    "no limit of the cube": Rules(max_cube=None),
    "no backgammons": Rules(backgammon=False),
    "losing on time": Rules(clock=Clock(reserve_seconds=10, flag="loses")),
    "nackgammon": Rules(start="nackgammon"),
    "hypergammon": Rules(start="hypergammon"),
    "longgammon": Rules(start="longgammon"),
    "a position id": Rules(start="4HPkATDgc/ABMA"),
    "every money option": EVERY_MONEY_OPTION,
}

SOME = 2 if DISABLED else 500
MANY = 10_000


@pytest.mark.parametrize("name", VARIANTS)
def test_random_games_under_every_preset_end_and_add_up(name: str) -> None:
    """R1, R17, R21, R25: no error, no lost checker, points to the winner alone."""
    check_games(VARIANTS[name], play_all(VARIANTS[name], SOME), SOME)


@needs_compiled
@pytest.mark.heavy
@pytest.mark.parametrize("name", VARIANTS)
def test_ten_thousand_random_games_under_every_preset(name: str) -> None:
    """R1, R17, R21, R25: as above, in full numbers."""
    check_games(VARIANTS[name], play_all(VARIANTS[name], MANY), MANY)


def play_all(rules: Rules, count: int) -> Played:
    """Random games; `RandomGames` itself checks every decision and every score."""
    return RandomGames(rules, count, seed=20_240).run(max_turns=1000)


def check_games(rules: Rules, played: Played, count: int) -> None:
    """What holds of all finished games and matches of `rules`."""
    ends, (matches, crawford_games) = played.all_ends(), played.all_matches()
    assert len(matches) + played.truncated == count
    assert played.truncated <= count // 500  # longgammon at random can be so long
    check_endings(rules, ends)
    if not rules.match_length:
        assert len(ends) == len(matches)
        return
    assert (matches["score"].max(axis=1) >= rules.match_length).all()
    assert (matches["score"].min(axis=1) < rules.match_length).all()
    check_crawford(rules, ends, crawford_games)


def check_endings(rules: Rules, ends: np.ndarray) -> None:
    """Points, levels and cubes are those that the rules know."""
    borne_off = ends[ends["ending"] == BORNE_OFF]
    winners = borne_off["board"][:, 0, 0]
    own = borne_off["checkers"][np.arange(len(borne_off)), borne_off["winner"]]
    assert (winners == own).all()
    loser_off = borne_off["board"][:, 1, 0]
    assert ((borne_off["level"] == 1) == (loser_off > 0)).all()
    assert (ends["level"] >= 1).all()
    assert (ends["level"] <= (3 if rules.backgammon else 2)).all()
    dropped = ends[ends["ending"] == DROPPED]
    assert (dropped["points"] == dropped["cube"]).all()
    if not rules.cube:
        assert (ends["cube"] == 1).all()
        assert not len(dropped)
    if rules.clock is None:
        assert not (ends["ending"] == CLAIMED).any()
    if rules.resign is None:
        assert not (ends["ending"] == RESIGNED).any()


def check_crawford(rules: Rules, ends: np.ndarray, games: np.ndarray) -> None:
    """R26: one Crawford game per match at most, without the cube, none if off."""
    crawford = ends[ends["crawford"] == 1]
    assert (crawford["cube"] == 1).all()
    assert (games <= 1).all()
    if rules.crawford and rules.match_length > 1:
        assert games.sum() > 0 or len(games) < 100
        assert (crawford["ending"] != DROPPED).all()
    else:
        assert games.sum() == 0


@needs_compiled
def test_matches_have_a_crawford_game_exactly_if_they_come_to_match_point() -> None:
    """R26: exactly one in each match in which a player comes to N − 1 points."""
    rules = Rules.preset("match", match_length=3)
    states = new_states(300, rules)
    seed_states(states, 26)
    for index in range(len(states)):
        state = GameState(states[index : index + 1], rules)
        came_to_match_point, crawford_games = False, 0
        choices = np.full(1, index, np.uint64)
        codes = np.zeros(1, np.int64)
        while True:
            while not state.is_over:
                write_random_codes(state.record, choices, codes)
                state.apply(int(codes[0]))
            if state.is_match_over:
                break
            came_to_match_point |= max(state.score) == 2
            state.next_game()
            crawford_games += state.crawford
        assert crawford_games == int(came_to_match_point)


@needs_compiled
def test_one_in_six_games_begins_with_an_automatic_double() -> None:
    """R23: automatic_doubles=1, 10,000 games: 1/6 of them start with the cube at 2."""
    states = new_states(MANY, Rules(automatic_doubles=1))
    seed_states(states, 23)
    assert apply_decisions(states, np.full(MANY, 151)).all()
    assert abs((states["cube"] == 2).mean() - 1 / 6) < 0.01
    assert (states["cube"] <= 2).all()
    assert (states["cube_owner"] == -1).all()


@needs_compiled
def test_two_automatic_doubles_come_in_one_of_36_games() -> None:
    """R23: with n = 2 the cube starts at 2 in 5/36, at 4 in 1/36 of the games."""
    states = new_states(MANY, Rules(automatic_doubles=2))
    seed_states(states, 24)
    apply_decisions(states, np.full(MANY, 151))
    shares = {cube: n / MANY for cube, n in Counter(states["cube"].tolist()).items()}
    assert shares.keys() == {1, 2, 4}
    assert shares[1] == pytest.approx(5 / 6, abs=0.015)
    assert shares[2] == pytest.approx(5 / 36, abs=0.015)
    assert shares[4] == pytest.approx(1 / 36, abs=0.007)


@pytest.mark.parametrize(
    "name", ["cubeless", "every money option", "match to 3", "timed", "us-tournament"]
)
def test_exchanging_the_players_mirrors_every_mask_and_result(name: str) -> None:
    """R1: nothing depends on who is player 0: same dice, same masks, same points."""
    states = new_states(5 if DISABLED else 200, VARIANTS[name])
    seed_states(states, 7)
    apply_decisions(states, np.full(len(states), 151))
    others = mirrored(states)
    choices = np.arange(len(states), dtype=np.uint64)
    codes = np.zeros(len(states), np.int64)
    for _ in range(250):
        assert np.array_equal(legal_masks(states), legal_masks(others))
        write_random_codes(states, choices, codes)
        assert apply_decisions(states, codes).all()
        assert apply_decisions(others, codes).all()
        assert mirrored(states).tobytes() == others.tobytes()
    assert (states["phase"] == OVER).any()


@pytest.mark.parametrize("name", ["standard", "every money option", "match to 3"])
def test_a_copy_in_the_middle_goes_on_identically(name: str) -> None:
    """R6: the record is the whole game: a copy of it has the same future, dice too."""
    states = new_states(5 if DISABLED else 100, VARIANTS[name])
    seed_states(states, 8)
    choices = np.arange(len(states), dtype=np.uint64)
    codes = np.zeros(len(states), np.int64)
    for _ in range(40):
        write_random_codes(states, choices, codes)
        apply_decisions(states, codes)
    copies = states.copy()
    for _ in range(100):
        write_random_codes(states, choices, codes)
        apply_decisions(states, codes)
        apply_decisions(copies, codes)
    assert states.tobytes() == copies.tobytes()


def test_a_game_is_the_same_alone_and_anywhere_in_a_batch() -> None:
    """R6: dice come from seed and index of the game alone."""
    together = new_states(20, Rules())
    seed_states(together, 99)
    alone = new_states(1, Rules())
    seed_states(alone, 99, first_index=13)
    apply_decisions(together, np.full(20, 151))
    apply_decisions(alone, np.full(1, 151))
    assert together[13:14].tobytes() == alone.tobytes()
    assert len({record.tobytes() for record in together}) == 20
