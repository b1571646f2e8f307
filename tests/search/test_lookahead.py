"""Looking ahead is what its definition says, whatever the evaluator and the batch."""

from __future__ import annotations

import numpy as np
import pytest
from bg_agents.td_agent import TdAgent
from random_positions import ENDINGS, many, many_with_rolls
from slow_search import Exact, OnlyEvaluates, Small, points, slow_chances, turned
from support import ROOT

from bg_env import InvalidOptionError, Position, Rules, make_agent
from bg_env.evaluation.error_rate import error_rate
from bg_env.evaluation.judged import load_judged
from bg_env.rules.movegen import ROLL_WAYS, legal_plays, plays_of_boards
from bg_env.search import (
    ROLL_WEIGHTS,
    MoveFilter,
    SearchAgent,
    _distinct,
    _tree,
    default_filters,
    equity,
    lookahead_chances,
    other_view,
    roll_chances,
    roll_results,
)
from bg_env.testing import check_agent, check_evaluator

WIDE = (MoveFilter(3, 0.5), MoveFilter(2, 0.3))


def boards_of(positions):
    return np.stack([position.to_board() for position in positions])


@pytest.fixture(scope="module")
def td():
    return TdAgent()


@pytest.fixture(scope="module")
def small():
    return Small()


@pytest.fixture(scope="module")
def positions():
    return many(30, 11)


# --- values -------------------------------------------------------------------------


def test_no_plies_are_the_evaluator_itself(td, positions):
    boards = boards_of(positions)
    np.testing.assert_array_equal(lookahead_chances(td, boards, 0), td.evaluate(boards))


def test_one_ply_is_the_mean_of_the_rolls(small, positions):
    boards = boards_of(positions)
    expected = np.einsum("r,bro->bo", ROLL_WEIGHTS, roll_chances(small, boards))
    np.testing.assert_allclose(lookahead_chances(small, boards, 1), expected, atol=1e-6)


@pytest.mark.parametrize("place", many(20, 4))
def test_one_ply_is_what_going_through_all_plays_gives(small, place):
    found = lookahead_chances(small, place.to_board()[None], 1)[0]
    np.testing.assert_allclose(found, slow_chances(small, place, 1), atol=1e-6)


@pytest.mark.parametrize("place", [*many(2, 8, ENDINGS), *many(2, 3)])
def test_two_plies_are_what_a_slow_recursion_gives(small, place):
    found = lookahead_chances(small, place.to_board()[None], 2)[0]
    np.testing.assert_allclose(found, slow_chances(small, place, 2), atol=1e-6)


def test_three_plies_of_a_short_ending_are_what_a_slow_recursion_gives():
    place = Position.from_points({3: 1, 2: 1}, {4: 1, 1: 2}, checkers=3)
    found = lookahead_chances(Small(), place.to_board()[None], 3)[0]
    np.testing.assert_allclose(found, slow_chances(Small(), place, 3), atol=1e-6)


@pytest.mark.parametrize("place", many(2, 6, ENDINGS))
def test_filters_choose_replies_as_deep_as_they_are_looked_at(small, place):
    found = lookahead_chances(small, place.to_board()[None], 2, filters=WIDE)[0]
    slow = slow_chances(small, place, 2, WIDE)
    np.testing.assert_allclose(found, slow, atol=1e-6)


def test_a_network_finds_with_its_own_kernel_what_it_says_of_single_plays(td):
    places = [play.result.swapped() for play in legal_plays(Position.start(), (5, 3))]
    boards = boards_of(places)
    for plies in (1, 2):
        quick = lookahead_chances(td, boards[:4], plies)
        slow = lookahead_chances(OnlyEvaluates(td), boards[:4], plies)
        np.testing.assert_allclose(quick, slow, atol=1e-6)


def test_the_plays_of_all_rolls_lead_to_what_they_are_valued_at(td, positions):
    boards = boards_of(positions)
    for evaluator in (td, OnlyEvaluates(td)):
        chances, results = roll_results(evaluator, boards)
        np.testing.assert_array_equal(chances, roll_chances(evaluator, boards))
        after = results.reshape(-1, 2, 32)
        going = after[:, 0, 1:26].any(axis=1)
        following = np.ascontiguousarray(after[going][:, ::-1])
        valued = _tree.nested(chances.reshape(-1, 5)[going])
        rated = other_view(td.evaluate(following))
        np.testing.assert_allclose(rated, valued, atol=1e-5)


def test_a_roll_that_cannot_be_played_leaves_the_position(small):
    # RULES R15: closed out
    place = Position.from_points({25: 1, 6: 2}, {p: 2 for p in range(1, 7)})
    board = place.to_board()[None]
    _, results = roll_results(small, board)
    assert (results == board).all()
    np.testing.assert_allclose(
        lookahead_chances(small, board, 1)[0],
        turned(small.evaluate(board[:, ::-1])[0]),
        atol=1e-6,
    )


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize(
    ("loser", "chances"),
    [
        (({1: 3}, 15), (0, 0, 0, 0, 0)),
        (({8: 15}, 15), (0, 0, 0, 1, 0)),
        (({25: 1, 6: 14}, 15), (0, 0, 0, 1, 1)),
        (({1: 3}, 3), (0, 0, 0, 1, 0)),
    ],
)
def test_a_game_that_is_over_is_valued_exactly_and_not_rolled(
    small, plies, loser, chances
):
    mine, checkers = loser
    board = Position.from_points(mine, {}, checkers=checkers).to_board()[None]
    assert lookahead_chances(small, board, plies)[0].tolist() == list(chances)


def test_plays_that_win_are_not_rolled_on(small):
    # one checker left, every roll bears it off: exact at any depth below
    place = Position.from_points({1: 1}, {6: 15})
    for plies in (1, 2, 3):
        found = lookahead_chances(small, place.to_board()[None], plies)[0]
        assert found.tolist() == [1, 1, 0, 0, 0]
    # CASES 43: a checker on the 6, the other bears off next roll: 27 of 36
    place = Position.from_points({6: 1}, {1: 1})
    found = lookahead_chances(small, place.to_board()[None], 2)[0]
    np.testing.assert_allclose(found, [27 / 36, 0, 0, 0, 0], atol=1e-6)


def test_with_exact_leaves_every_depth_is_exact():
    places = [
        Position.from_points({6: 1, 4: 2}, {5: 2, 2: 1}),
        Position.from_points({3: 4}, {1: 2, 6: 3}),
    ]
    boards = boards_of(places)
    for plies in (1, 2, 3):
        np.testing.assert_allclose(
            lookahead_chances(Exact(), boards, plies),
            Exact().evaluate(boards),
            atol=1e-5,
        )


# --- batches ------------------------------------------------------------------------


@pytest.mark.parametrize("plies", [1, 2])
def test_a_position_has_the_same_value_in_any_batch(td, plies, monkeypatch):
    boards = boards_of(many(12, 21))
    together = lookahead_chances(td, boards, plies)
    twice = np.concatenate([boards, boards[::-1]])
    again = lookahead_chances(td, twice, plies)
    np.testing.assert_array_equal(again, np.concatenate([together, together[::-1]]))
    for i in range(3):
        alone = lookahead_chances(td, boards[i : i + 1], plies)
        np.testing.assert_array_equal(alone[0], together[i])
    monkeypatch.setattr(_tree, "_AT_ONCE", 5)
    np.testing.assert_array_equal(lookahead_chances(td, boards, plies), together)


def test_equal_positions_are_found_even_where_keys_collide(monkeypatch, positions):
    boards = boards_of([*positions, *positions[::2]])
    for factors in (_distinct._FACTORS, np.zeros(8, np.uint64)):
        monkeypatch.setattr(_distinct, "_FACTORS", factors)
        first, kind = _distinct.distinct_boards(boards)
        assert len(first) == len(set(positions))
        np.testing.assert_array_equal(boards[first][kind], boards)


def test_no_boards_have_no_values(td):
    for plies in (0, 1, 2):
        none = np.zeros((0, 2, 32), np.int8)
        assert lookahead_chances(td, none, plies).shape == (0, 5)


# --- agents -------------------------------------------------------------------------


def best_after(evaluator, place, roll, plies, filters):
    """Equity and result of the best play, one at a time."""
    results = [play.result for play in legal_plays(place, roll)]
    worth = [-points(slow_chances(evaluator, r.swapped(), 0)) for r in results]
    ranked = sorted(range(len(results)), key=lambda i: -worth[i])
    kept = [i for i in ranked[: filters[0].most]]
    kept = [i for i in kept if worth[i] >= worth[ranked[0]] - filters[0].within]
    deep = {
        results[i]: -points(slow_chances(evaluator, results[i].swapped(), plies))
        for i in kept
    }
    return deep


@pytest.mark.parametrize(("place", "roll"), many_with_rolls(12, 31))
def test_an_agent_makes_the_best_of_the_plays_that_pass(small, place, roll):
    agent = SearchAgent(small, 1, filters=(MoveFilter(4, 0.4),))
    deep = best_after(small, place, roll, 1, agent.filters)
    chosen = agent.best_play(place, roll).result
    assert deep[chosen] >= max(deep.values()) - 1e-6


def test_an_agent_wins_at_once_where_it_can(small):
    agent = SearchAgent(small, 2)
    play = agent.best_play(Position.from_points({1: 1, 2: 1}, {1: 5, 6: 8}), (2, 1))
    assert not any(play.result.mover[1:])


def test_rated_plays_are_worth_what_their_positions_are(td):
    place = Position.start()
    plays, _, offsets = plays_of_boards(
        place.to_board()[None], np.array([[4, 2]], np.int8)
    )
    chances, kept = SearchAgent(td, 1).rate_plays(plays, offsets)
    assert 1 <= kept.sum() <= 8
    following = np.ascontiguousarray(plays[:, ::-1])
    deep = other_view(lookahead_chances(td, following, 1))
    np.testing.assert_array_equal(chances[kept], deep[kept])
    np.testing.assert_array_equal(
        chances[~kept], other_view(td.evaluate(following))[~kept]
    )


def test_filters_keep_the_best_within_reach(td):
    place = Position.start()
    plays, _, offsets = plays_of_boards(
        place.to_board()[None], np.array([[2, 1]], np.int8)
    )
    first = equity(SearchAgent(td, 0).rate_plays(plays, offsets)[0])
    for most, within in ((1, 9.0), (3, 9.0), (8, 0.0), (8, 0.05), (99, 9.0)):
        agent = SearchAgent(td, 1, filters=[MoveFilter(most, within)])
        _, kept = agent.rate_plays(plays, offsets)
        near = first >= first.max() - within
        assert kept.sum() == min(most, near.sum())
        assert first[kept].min() >= np.sort(first)[::-1][:most].min()
        assert (near | ~kept).all()


def test_a_depth_without_filter_is_passed_over(td):
    filters = (MoveFilter(3, 0.2), None)
    agent = SearchAgent(td, 2, filters=filters)
    place, roll = Position.start(), np.array([[6, 4]], np.int8)
    plays, _, offsets = plays_of_boards(place.to_board()[None], roll)
    chances, kept = agent.rate_plays(plays, offsets)
    following = np.ascontiguousarray(plays[kept][:, ::-1])
    deep = other_view(lookahead_chances(td, following, 2))
    np.testing.assert_array_equal(chances[kept], deep)
    assert kept.sum() == 3


def test_the_rolls_of_an_agent_are_worth_what_its_plays_are(small):
    agent = SearchAgent(small, 1)
    place = many(1, 2)[0]
    chances, results = agent.roll_results(place.to_board()[None])
    for r, roll in enumerate([(1, 1), (2, 1), (2, 2)]):
        chosen = agent.best_play(place, roll).result
        assert Position.from_board(results[0, r]) == chosen
        after = chosen.to_board()[None]
        if any(chosen.mover[1:]):
            rated = agent.evaluate(np.ascontiguousarray(after[:, ::-1]))[0]
            np.testing.assert_allclose(chances[0, r], turned(rated), atol=1e-6)
    assert sum(ROLL_WAYS) == 36


def test_agents_keep_to_their_contracts(td):
    check_evaluator(SearchAgent(td, 1))
    check_agent(SearchAgent(OnlyEvaluates(td), 1), games=1, rules="cubeless")


def test_names_show_the_depth(td):
    assert SearchAgent(td, 2).name == "td@2ply"
    assert SearchAgent(td, 0).name == "td"
    assert make_agent("td@1ply").name == "td@1ply"
    assert make_agent("td@0ply").name == "td"


def test_a_named_agent_plays_as_a_search_on_its_network(td):
    named, search = make_agent("td@1ply"), SearchAgent(td, 1)
    for place, roll in many_with_rolls(10, 5):
        one = named.best_play(place, roll, rules=Rules.preset("cubeless"))
        assert one == search.best_play(place, roll)
    boards = boards_of(many(5, 9))
    np.testing.assert_array_equal(named.evaluate(boards), search.evaluate(boards))
    np.testing.assert_array_equal(
        named.roll_chances(boards[:1]), search.roll_results(boards[:1])[0]
    )


@pytest.mark.heavy
def test_looking_ahead_makes_fewer_errors(td):
    judged = load_judged(ROOT / "tests" / "data" / "play_sample.jsonl")
    alone, ahead = (error_rate(a, judged).mean_error for a in (td, "td@1ply"))
    assert ahead < alone


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize("plies", [-1, 5, 1.5, "1", True, None])
def test_impossible_depths_are_refused(td, plies):
    with pytest.raises(InvalidOptionError, match="0 to 4 whole plies ahead"):
        lookahead_chances(td, boards_of(many(1, 0)), plies)
    with pytest.raises(InvalidOptionError, match="0 to 4 whole plies ahead"):
        SearchAgent(td, plies)


def test_an_agent_string_with_an_impossible_depth_is_refused():
    with pytest.raises(InvalidOptionError, match="0 to 4 whole plies ahead, not 9"):
        make_agent("td@9ply")


def test_impossible_boards_are_refused(td):
    for boards in (np.zeros((2, 32), np.int8), np.zeros((1, 2, 32))):
        with pytest.raises(InvalidOptionError, match=r"int8\[B, 2, 32\], not"):
            lookahead_chances(td, boards, 1)


@pytest.mark.parametrize("most", [0, -1, 1.5, True, None])
def test_a_filter_keeps_a_whole_number_of_plays(most):
    with pytest.raises(InvalidOptionError, match="keeps 1 play or more, not"):
        MoveFilter(most=most)


@pytest.mark.parametrize("within", [-0.1, "0.1", None, True, float("nan")])
def test_a_filter_has_a_reach_in_points(within):
    with pytest.raises(InvalidOptionError, match="within 0 points or more"):
        MoveFilter(within=within)


def test_too_few_filters_and_others_are_refused(td):
    with pytest.raises(InvalidOptionError, match=r"takes 2 filters.*not 1"):
        SearchAgent(td, 2, filters=default_filters(1))
    with pytest.raises(InvalidOptionError, match=r"unlike 0\.16"):
        SearchAgent(td, 1, filters=[0.16])
    with pytest.raises(InvalidOptionError, match="unlike 8"):
        SearchAgent(td, 1, filters=8)


def test_what_is_no_evaluator_is_refused():
    with pytest.raises(InvalidOptionError, match="A search needs an evaluator"):
        SearchAgent(make_agent("random"), 1)
