"""Cubeful equities: the formulas at their limits, match scores, exact endings."""

import numpy as np
import pytest
from cube_positions import GAMMONISH, chances_of, cubes_of_rows, races
from support import boards_of, data_rows, oracle_rows, position_of_row

from bg_env.equity import load_table
from bg_env.equity.bearoff import bearoff_equities
from bg_env.errors import InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.search.cube import (
    cubeful_equity,
    cubes_of_states,
    decide_cube,
    efficiencies,
    make_cubes,
    other_cubes,
)

TABLE = load_table()


def money(chances, *, efficiency, **cube):
    """The equities of chances for money."""
    cubes = make_cubes(len(chances), **cube)
    return cubeful_equity(chances, cubes, efficiency=efficiency)


def decisions(chances, cubes, efficiency=0.68):
    """The decisions by chances alone."""
    found = cubeful_equity(chances, cubes, efficiency=efficiency)
    return decide_cube(found.worths, cubes)


# --- money ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("efficiency", "point"), [(0, 0.25), (1, 0.2), (0.5, 2 / 9), (0.68, 0.25 / 1.17)]
)
def test_without_gammons_the_take_point_is_a_quarter_to_a_fifth(efficiency, point):
    taker = np.array([point - 1e-4, point + 1e-4])
    found = decisions(chances_of(*(1 - taker)), make_cubes(2), efficiency)
    assert found.take.tolist() == [False, True]


def test_a_dead_cube_is_worth_the_cubeless_equity():
    found = money(chances_of(GAMMONISH), efficiency=0)
    cubeless = 2 * 0.62 - 1 + 0.2 + 0.01 - 0.08 - 0.005
    assert found.no_double[0] == pytest.approx(cubeless, abs=1e-6)
    assert found.double_take[0] == pytest.approx(2 * cubeless, abs=1e-6)
    assert found.double_pass[0] == 1


@pytest.mark.parametrize("owner", [0, 1, -1])
def test_a_live_cube_follows_the_lines_of_janowski(owner):
    p, wins, losses = 0.62, (0.62 + 0.2 + 0.01) / 0.62, (0.38 + 0.085) / 0.38
    drop_p = (losses - 0.5) / (wins + losses + 0.5)
    cash_p = (losses + 1) / (wins + losses + 0.5)
    expected = {
        0: -1 + 2 * (p - drop_p) / (cash_p - drop_p),
        1: -losses + (1 + losses) * p / cash_p,
        -1: -1 + (wins + 1) * (p - drop_p) / (1 - drop_p),
    }
    found = money(chances_of(GAMMONISH), efficiency=1, owner=owner)
    assert found.no_double[0] == pytest.approx(expected[owner], abs=1e-5)


def test_half_a_live_cube_lies_half_way():
    dead, half, live = (
        money(chances_of(GAMMONISH), efficiency=x).no_double[0] for x in (0, 0.5, 1)
    )
    assert half == pytest.approx((dead + live) / 2)


def test_to_own_the_cube_is_worth_more_than_to_share_it_and_that_than_to_face_it():
    chances = chances_of(0.3, 0.5, 0.7, GAMMONISH)
    own, middle, other = (
        money(chances, efficiency=0.68, owner=owner).no_double for owner in (1, 0, -1)
    )
    assert (own > middle).all()
    assert (middle > other).all()


def test_the_two_players_see_the_same():
    chances = chances_of(GAMMONISH)
    seen = chances_of((0.38, 0.08, 0.005, 0.2, 0.01))
    for owner in (-1, 0, 1):
        cubes = make_cubes(1, owner=owner, away=(5, 3), value=2)
        mine = cubeful_equity(chances, cubes, efficiency=0.68).worths[0, 0]
        other = cubeful_equity(seen, other_cubes(cubes), efficiency=0.68).worths[0, 0]
        assert mine + other == pytest.approx(1, abs=1e-6)


def test_at_its_highest_value_a_cube_is_dead():
    found = money(chances_of(0.6), efficiency=1, value=64, owner=1, max_cube=64)
    assert found.no_double[0] == pytest.approx(0.2, abs=1e-6)
    assert not decisions(chances_of(0.7), make_cubes(1, value=64, max_cube=64)).double


def test_the_last_turn_of_the_cube_is_taken_from_a_quarter_on():
    taker = np.array([0.249, 0.251])
    cubes = make_cubes(2, value=32, owner=1, max_cube=64)
    assert decisions(chances_of(*(1 - taker)), cubes, 1).take.tolist() == [False, True]


def test_an_owned_cube_is_turned_later_than_one_in_the_middle():
    chances = chances_of(*np.linspace(0.6, 0.79, 40))
    first = decisions(chances, make_cubes(40)).double
    again = decisions(chances, make_cubes(40, owner=1)).double
    assert 0 < again.sum() < first.sum()
    assert not decisions(chances, make_cubes(40, owner=-1)).double.any()


def test_who_wins_many_gammons_is_too_good_to_double():
    found = decisions(chances_of((0.9, 0.6, 0.02, 0.01, 0)), make_cubes(1))
    assert found.too_good[0]
    assert not found.double[0]
    assert not found.take[0]
    assert found.optimal[0] > 1


# --- Jacoby and beavers ---------------------------------------------------------------


def test_by_jacoby_gammons_count_once_the_cube_is_turned():
    chances = chances_of(GAMMONISH)
    found = money(chances, efficiency=0, jacoby=True)
    assert found.no_double[0] == pytest.approx(0.24, abs=1e-6)
    assert found.double_take[0] == pytest.approx(2 * 0.365, abs=1e-6)
    owned = money(chances, efficiency=0, jacoby=True, owner=1)
    assert owned.no_double[0] == pytest.approx(0.365, abs=1e-6)


def test_by_jacoby_nobody_is_too_good():
    chances = chances_of((0.9, 0.6, 0.02, 0.01, 0), (0.99, 0.98, 0.5, 0, 0))
    found = decisions(chances, make_cubes(2, jacoby=True))
    assert found.double.all()
    assert not found.take.any()


def test_a_double_by_the_underdog_is_beavered_where_beavers_are_played():
    chances = chances_of(0.45, 0.7)
    cubes = make_cubes(2, beavers=1)
    found = decisions(chances, cubes)
    assert found.beaver.tolist() == [True, False]
    assert found.double.tolist() == [False, True]
    assert not decisions(chances, make_cubes(2)).beaver.any()
    highest = make_cubes(2, beavers=1, max_cube=2)
    assert not decisions(chances, highest).beaver.any()


# --- matches --------------------------------------------------------------------------


def test_two_away_each_the_cube_is_turned_for_the_match():
    cubes = make_cubes(2, away=(2, 2))
    found = decisions(chances_of(0.67, 0.69), cubes, 1)
    assert found.take.tolist() == [True, False]
    assert found.equities.worths[:, 1] == pytest.approx([0.67, 0.69], abs=1e-6)
    assert found.equities.worths[0, 2] == pytest.approx(TABLE.mwc(1, 2, False))


def test_equities_of_a_match_are_1_and_minus_1_for_a_single_game():
    cubes = make_cubes(1, away=(4, 7), value=2, owner=1)
    found = cubeful_equity(chances_of(GAMMONISH), cubes, efficiency=0.68)
    worths = found.worths[0]
    assert worths[2] == pytest.approx(TABLE.mwc(2, 7, False))
    assert worths[3] == pytest.approx(TABLE.mwc(4, 5, False))
    share = (worths[0] - worths[3]) / (worths[2] - worths[3])
    assert found.no_double[0] == pytest.approx(2 * share - 1)


def test_the_leader_never_doubles_at_his_last_point_and_a_dead_cube_stays():
    chances = chances_of(*np.linspace(0, 1, 21))
    for away, value, owner in (((1, 5), 1, 0), ((2, 7), 2, 1), ((3, 9), 4, 1)):
        cubes = make_cubes(21, away=away, value=value, owner=owner, crawford_over=True)
        assert not decisions(chances, cubes).double.any()


def test_in_the_crawford_game_nobody_doubles():
    chances = chances_of(*np.linspace(0, 1, 21))
    cubes = make_cubes(21, away=(4, 1), crawford=True)
    found = decisions(chances, cubes)
    assert not found.available.any()
    assert not found.double.any()
    after = TABLE.mwc(3, 1, True)
    assert found.equities.worths[20, 0] == pytest.approx(after)


@pytest.mark.parametrize("away", [2, 3, 4, 5, 8])
def test_after_the_crawford_game_the_trailer_doubles_at_once(away):
    chances = chances_of(0.2, 0.35, 0.5, 0.6, (0.5, 0.13, 0.01, 0.13, 0.01))
    cubes = make_cubes(5, away=(away, 1), crawford_over=True)
    assert decisions(chances, cubes).double.all()


def test_the_leader_has_a_free_drop_at_an_even_score_and_must_take_at_an_odd_one():
    chances = chances_of((0.55, 0.17, 0.01, 0.13, 0.01))
    even = decisions(chances, make_cubes(1, away=(4, 1), crawford_over=True))
    odd = decisions(chances, make_cubes(1, away=(5, 1), crawford_over=True))
    assert not even.take[0]
    assert odd.take[0]


def test_of_a_cube_that_costs_nothing_the_other_makes_use_at_once():
    cubes = make_cubes(1, away=(1, 4), crawford_over=True)
    live = cubeful_equity(chances_of(0.5), cubes, efficiency=1).worths[0, 0]
    found = cubeful_equity(chances_of(0.5), cubes, efficiency=0).worths[0, 0]
    assert found == live


def test_a_score_beyond_the_table_is_played_as_for_money():
    chances = chances_of(GAMMONISH)
    found = cubeful_equity(chances, make_cubes(1, away=(40, 3)), efficiency=0.68)
    same = cubeful_equity(chances, make_cubes(1), efficiency=0.68)
    assert found.worths[0].tolist() == same.worths[0].tolist()


def test_long_matches_come_near_to_money():
    chances = chances_of(0.55, 0.7, GAMMONISH)
    match = cubeful_equity(chances, make_cubes(3, away=(25, 25)), efficiency=0.68)
    same = cubeful_equity(chances, make_cubes(3), efficiency=0.68)
    assert match.no_double == pytest.approx(same.no_double, abs=0.03)
    assert match.double_take == pytest.approx(same.double_take, abs=0.06)


# --- kinds of positions ---------------------------------------------------------------


def test_the_efficiency_goes_by_the_kind_of_position():
    long_race = Position.from_points({10: 10, 8: 5}, {9: 15})
    race = Position.from_points({7: 2, 5: 6, 3: 6, 4: 1}, {9: 5, 2: 10})
    home = Position.from_points({6: 15}, {6: 15})
    boards = boards_of([Position.start(), long_race, race, home])
    found = efficiencies(boards)
    assert found[:, 0] == pytest.approx([0.68, 0.7, 0.6 + 0.1 * 26 / 80, 0.6])
    assert (found == found[:, :1]).all()


FACTS = [  # mover, other, chance in 36, equity of double and take
    ((6,), (1,), 27, 1.0),
    ((5,), (1,), 31, 2 * (2 * 31 / 36 - 1)),
    ((5, 2), (1,), 19, 2 * (2 * 19 / 36 - 1)),
    ((4, 3), (1,), 17, 2 * (2 * 17 / 36 - 1)),
    ((6, 1), (1,), 15, 2 * (2 * 15 / 36 - 1)),
    ((3, 3), (1,), 17, 2 * (2 * 17 / 36 - 1)),
    ((2, 2), (1,), 26, 2 * (2 * 26 / 36 - 1)),
    ((4, 4), (1,), 11, 2 * (2 * 11 / 36 - 1)),
]


@pytest.mark.parametrize(("mover", "other", "ways", "taken"), FACTS)
def test_last_roll_facts_are_exact_whatever_an_evaluator_says(
    mover, other, ways, taken
):
    boards = races((mover, other))
    wrong = chances_of((0.5, 0.2, 0.1, 0.2, 0.1))
    found = cubeful_equity(wrong, make_cubes(1), boards=boards)
    assert found.double_take[0] == pytest.approx(taken, abs=1e-6)
    decision = decide_cube(found.worths, make_cubes(1))
    assert decision.double[0] == (ways > 18)
    assert decision.take[0] == (ways <= 27)


def test_with_a_checker_on_the_5_point_a_take_costs_444_millipoints():
    found = cubeful_equity(chances_of(0.5), make_cubes(1), boards=races(((5,), (1,))))
    assert -found.double_take[0] == pytest.approx(-1.444, abs=1e-3)


def test_two_roll_endings_for_money_are_those_of_the_table():
    rng = np.random.default_rng(1)
    pairs = [(rng.integers(1, 7, 2), rng.integers(1, 7, 3)) for _ in range(50)]
    boards = races(*((a.tolist(), b.tolist()) for a, b in pairs))
    known, exact = bearoff_equities(boards)
    assert known.all()
    for owner, column in ((0, 0), (1, 1), (-1, 2)):
        cubes = make_cubes(50, owner=owner, max_cube=64)
        found = cubeful_equity(np.zeros((50, 5)), cubes, boards=boards)
        assert found.no_double == pytest.approx(exact[:, column], abs=1e-6)
        assert found.double_take == pytest.approx(2 * exact[:, 2], abs=1e-6)


def test_the_short_formula_and_the_table_agree_where_both_know():
    boards = races(((6,), (1,)), ((1,) * 4, (6, 3)), ((1, 1), (6, 6)), ((4, 1), (2,)))
    for owner in (0, 1, -1):
        by_table = make_cubes(4, value=1, owner=owner)
        by_formula = make_cubes(4, value=1, owner=owner, max_cube=4)
        first, second = (
            cubeful_equity(np.zeros((4, 5)), cubes, boards=boards)
            for cubes in (by_table, by_formula)
        )
        assert first.no_double == pytest.approx(second.no_double, abs=1e-6)
        assert first.double_take == pytest.approx(second.double_take, abs=1e-6)


def test_last_rolls_of_a_match_are_exact():
    boards = races(((6,), (1,)))
    cubes = make_cubes(1, away=(3, 4))
    found = cubeful_equity(np.zeros((1, 5)), cubes, boards=boards)
    win, lose = TABLE.mwc(1, 4, False), TABLE.mwc(3, 2, False)
    assert found.worths[0, 1] == pytest.approx(0.75 * win + 0.25 * lose, abs=1e-6)


# --- arrays and states ----------------------------------------------------------------


def test_cubes_are_read_off_states_for_the_player_on_roll():
    rules = Rules(match_length=7)
    game = GameState.from_position(
        Position.start(), rules=rules, on_roll=1, cube=2, cube_owner=1, score=(2, 3)
    )
    cube = cubes_of_states(game.record)[0]
    assert (cube["own_away"], cube["other_away"]) == (4, 5)
    assert (cube["value"], cube["owner"], cube["in_use"]) == (2, 1, 1)
    assert (cube["is_match"], cube["crawford_over"], cube["jacoby"]) == (1, 0, 0)


def test_rules_of_money_games_are_read_off_states():
    rules = Rules(jacoby=True, beavers=2, backgammon=False)
    cube = cubes_of_states(
        GameState.from_position(Position.start(), rules=rules).record
    )
    assert (cube["jacoby"][0], cube["beavers"][0], cube["backgammon"][0]) == (1, 2, 2)
    owned = GameState.from_position(Position.start(), rules=rules, cube=2, cube_owner=0)
    assert cubes_of_states(owned.record)["jacoby"][0] == 0


@pytest.mark.parametrize(
    ("score", "crawford", "in_use", "over"),
    [((4, 2), True, 0, 1), ((4, 2), False, 1, 1), ((3, 2), None, 1, 0)],
)
def test_the_crawford_game_is_read_off_states(score, crawford, in_use, over):
    game = GameState.from_position(
        Position.start(),
        rules=Rules(match_length=5),
        score=score,
        crawford=crawford,
    )
    cube = cubes_of_states(game.record)[0]
    assert (cube["in_use"], cube["crawford_over"]) == (in_use, over)


def test_chances_of_another_shape_are_refused():
    with pytest.raises(InvalidOptionError, match=r"2 cubes need chances .*\[1, 5\]"):
        cubeful_equity(chances_of(0.5), make_cubes(2))


# --- against the judged corpus --------------------------------------------------------


def agreement(rows):
    """Share of clear rows decided rightly, mean regret of all and of gnubg 0-ply."""
    rows = [row for row in rows if row["available"]]
    boards = boards_of([position_of_row(row) for row in rows])
    chances = np.array([row["p2"] for row in rows], np.float32)
    cubes = cubes_of_rows(rows)
    found = decide_cube(cubeful_equity(chances, cubes, boards=boards).worths, cubes)
    right, regrets, others = [], [], []
    for i, row in enumerate(rows):
        judged, other = row["gnubg2"], row["gnubg0"]
        double, take = bool(found.double[i]), bool(found.take[i])
        if row["clear"]:
            right.append((double, take) == (judged["double"], judged["take"]))
        regrets.append(regret(judged, double, take))
        doubled = min(other["dt"], other["dp"])
        others.append(regret(judged, doubled > other["nd"], other["dt"] <= other["dp"]))
    return np.mean(right), np.mean(regrets), np.mean(others)


def regret(judged, double, take):
    """What both decisions together lose, by the judge."""
    doubled = min(judged["dt"], judged["dp"])
    chosen = doubled if double else judged["nd"]
    answered = judged["dt"] if take else judged["dp"]
    return max(judged["nd"], doubled) - chosen + answered - doubled


def test_decisions_by_judged_chances_are_right_on_a_sample():
    share, lost, _ = agreement(data_rows("cube_sample"))
    assert share >= 0.95
    assert lost < 0.005


def test_decisions_by_judged_chances_are_right_on_the_whole_corpus():
    share, lost, lost_by_other = agreement(oracle_rows("cube"))
    assert share >= 0.97
    assert lost < lost_by_other
