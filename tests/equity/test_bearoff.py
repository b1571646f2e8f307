"""Bear-off tables: exact against fractions, known chances, gammons, gnubg."""

import json
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
import slow_bearoff as slow
from bearoff_workout import workout
from support import ROOT, oracle_rows, run_python

from bg_env.equity import bearoff
from bg_env.errors import InvalidPositionError

WORKOUT = str(ROOT / "tests" / "equity" / "bearoff_workout.py")
ACES = {1: 4}
DOUBLES = Fraction(1, 6)


def board_of(mine, theirs, checkers=15):
    """One board int8[1, 2, 32] from {point: count} of both sides, the rest off."""
    board = np.zeros((1, 2, 32), np.int8)
    for side, points in enumerate((mine, theirs)):
        for point, count in points.items():
            board[0, side, point] = count
        board[0, side, 0] = checkers - sum(points.values())
    return board


def boards_of_numbers(mine, theirs):
    """Boards int8[B, 2, 32] of 15 checkers from the numbers of both homes."""
    boards = np.zeros((len(mine), 2, 32), np.int8)
    for side, numbers in enumerate((mine, theirs)):
        boards[:, side, 1:7] = bearoff.home_counts(numbers)
        boards[:, side, 0] = 15 - boards[:, side, 1:7].sum(axis=1)
    return boards


def home_of(number):
    """The six counts of a number."""
    return tuple(bearoff.home_counts(number)[0].tolist())


def number_of(home):
    """The number of six counts."""
    return int(bearoff.home_numbers(board_of(dict(enumerate(home, 1)), {}))[0])


def chances_of(mine, theirs, **more):
    """The five chances of one board."""
    known, chances = bearoff.bearoff_chances(board_of(mine, theirs), **more)
    assert known[0]
    return chances[0]


def random_numbers(seed, count, limit):
    """Numbers of positions with a checker left."""
    return np.random.default_rng(seed).integers(1, limit, count)


# --- numbers ------------------------------------------------------------------------


def test_there_are_54264_home_positions_and_924_of_six_checkers():
    assert bearoff.home_positions(15) == 54_264
    assert bearoff.home_positions(6) == 924


def test_number_and_position_go_together_for_all_positions():
    numbers = np.arange(bearoff.home_positions(15))
    boards = boards_of_numbers(numbers, numbers)
    assert (boards >= 0).all()
    for side in range(2):
        assert (bearoff.home_numbers(boards, side=side) == numbers).all()
    assert len(np.unique(boards[:, 0, 1:7], axis=0)) == len(numbers)


def test_positions_are_numbered_by_checkers_then_from_the_one_point_up():
    wanted = slow.homes(4)
    found = bearoff.home_counts(np.arange(bearoff.home_positions(4)))
    assert list(map(tuple, found.tolist())) == wanted


@pytest.mark.parametrize("number", [-1, 54_264])
def test_a_number_no_position_has_is_refused(number):
    with pytest.raises(InvalidPositionError, match=f"0 to 54263, not {number}"):
        bearoff.home_counts([3, number])


def test_more_than_fifteen_checkers_are_refused():
    board = board_of({1: 8, 6: 8}, {1: 1}, checkers=16)
    with pytest.raises(InvalidPositionError, match="at most 15 checkers, not 16"):
        bearoff.home_numbers(board)


@pytest.mark.parametrize(
    "boards", [np.zeros((2, 32), np.int8), np.zeros((1, 2, 32), np.int64)]
)
def test_what_is_no_array_of_boards_is_refused(boards):
    for ask in (
        bearoff.bearoff_chances,
        bearoff.bearoff_equities,
        bearoff.home_numbers,
    ):
        with pytest.raises(InvalidPositionError, match=r"int8\[B, 2, 32\], not int"):
            ask(boards)


# --- one side -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "ways"),
    [
        ({5: 1, 2: 1}, 19),
        ({4: 1, 3: 1}, 17),
        ({6: 1, 1: 1}, 15),
        ({6: 1}, 27),
        ({6: 2}, 4),
        ({1: 2}, 36),
        ({1: 3}, 6),
    ],
)
def test_the_chance_to_be_off_in_one_roll(points, ways):
    number = bearoff.home_numbers(board_of(points, {}))[0]
    assert bearoff.one_sided().rolls[number, 1] == pytest.approx(ways / 36, abs=1e-7)
    exact = chances_of(points, {1: 1})
    assert exact[0] == pytest.approx(ways / 36, abs=1e-7)


def test_rolls_are_exact_for_every_position_of_few_checkers():
    table = bearoff.one_sided()
    for number, home in enumerate(slow.homes(4)):
        mean, chances = slow.rolls(home)
        assert table.mean_rolls[number] == pytest.approx(float(mean), abs=1e-6), home
        row = table.rolls[number]
        assert row[: len(chances)] == pytest.approx(
            list(map(float, chances)), abs=1e-6
        ), home
        assert not row[len(chances) :].any()


def test_rolls_to_the_next_checker_off_are_exact_for_few_checkers():
    table = bearoff.one_sided()
    for number, home in enumerate(slow.homes(4)[1:], 1):
        mean, chances = slow.first(home)
        assert table.mean_first[number] == pytest.approx(float(mean), abs=1e-6), home
        row = table.first[number][: len(chances)]
        assert row == pytest.approx(list(map(float, chances))[: len(row)], abs=1e-6)


def test_the_mean_of_any_position_follows_from_those_one_roll_later():
    table = bearoff.one_sided()
    for number in random_numbers(1, 25, 54_264):
        home = home_of(number)
        rolls = sooner = 1.0
        for dice in slow.DICE:
            left = slow.results(home, dice)
            numbers = [number_of(result) for result in left]
            share = float(slow.weight(dice))
            rolls += share * min(table.mean_rolls[numbers])
            if all(sum(result) == sum(home) for result in left):
                sooner += share * min(table.mean_first[numbers])
        assert table.mean_rolls[number] == pytest.approx(rolls, abs=1e-5), home
        assert table.mean_first[number] == pytest.approx(sooner, abs=1e-5), home


def test_the_chances_of_all_numbers_of_rolls_add_up_to_one_and_give_the_mean():
    table = bearoff.one_sided()
    for chances, mean in (
        (table.rolls, table.mean_rolls),
        (table.first, table.mean_first),
    ):
        chances = chances.astype(np.float64)
        assert (chances >= 0).all()
        assert chances.sum(axis=1) == pytest.approx(1, abs=1e-6)
        means = chances @ np.arange(chances.shape[1])
        assert means[1:] == pytest.approx(mean[1:].astype(np.float64), abs=1e-5)


# --- two sides ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "checkers", [2, pytest.param(3, marks=pytest.mark.heavy)], ids=str
)
def test_every_pair_of_few_checkers_is_exact_with_and_without_the_cube(checkers):
    table = bearoff.two_sided()
    homes = slow.homes(checkers)
    for i, mine in enumerate(homes[1:], 1):
        for j, theirs in enumerate(homes[1:], 1):
            wanted = float(slow.win(mine, theirs))
            assert table.win[i, j] == pytest.approx(wanted, abs=1e-6), (mine, theirs)
            for column, owner in enumerate((None, "me", "them")):
                wanted = float(slow.equity(mine, theirs, owner))
                found = table.equities[i, j, column]
                assert found == pytest.approx(wanted, abs=1e-6), (mine, theirs, owner)


def test_any_pair_follows_from_those_one_roll_later():
    win = bearoff.two_sided().win
    equities = bearoff.two_sided().equities
    mine, theirs = random_numbers(2, (2, 40), 924)
    for i, j in zip(mine, theirs, strict=True):
        wanted = np.zeros(4)
        for dice in slow.DICE:
            left = [number_of(home) for home in slow.results(home_of(i), dice)]
            middle, own, other = equities[j, left].T
            worth = [
                1 - win[j, left],
                -np.maximum(middle, np.minimum(2 * other, 1)),
                -other,
                -np.maximum(own, np.minimum(2 * other, 1)),
            ]
            best = np.max(worth, axis=1) if 0 not in left else 1
            wanted += float(slow.weight(dice)) * best
        assert [win[i, j], *equities[i, j]] == pytest.approx(wanted, abs=1e-5)


def test_with_two_rolls_to_go_each_the_cube_is_turned_and_dropped():
    # he wins at once with doubles, else unless the other throws doubles
    assert chances_of(ACES, ACES)[0] == pytest.approx(
        float(DOUBLES + (1 - DOUBLES) ** 2), abs=1e-7
    )
    known, equities = bearoff.bearoff_equities(board_of(ACES, ACES))
    taken = 2 * float(DOUBLES + (1 - DOUBLES) * (1 - 2 * DOUBLES))
    assert known[0]
    assert 2 * equities[0, 2] == pytest.approx(taken, abs=1e-6)
    assert taken > 1


@pytest.mark.parametrize(
    ("points", "ways", "doubles"),
    [({5: 1, 2: 1}, 19, True), ({4: 1, 3: 1}, 17, False), ({6: 1, 1: 1}, 15, False)],
)
def test_a_last_roll_is_a_double_from_one_half_on(points, ways, doubles):
    _, equities = bearoff.bearoff_equities(board_of(points, {1: 1}))
    assert equities[0] == pytest.approx([2 * ways / 36 - 1] * 3, abs=1e-6)
    middle, _, other = equities[0]
    assert (2 * other > middle) is np.bool_(doubles)


def test_more_pips_never_help_and_owning_the_cube_never_hurts():
    table = bearoff.two_sided()
    middle, own, other = np.moveaxis(table.equities[1:, 1:], 2, 0)
    assert (own >= middle - 1e-6).all()
    assert (middle >= other - 1e-6).all()
    assert ((table.win >= 0) & (table.win <= 1)).all()


def test_one_side_alone_is_close_to_exact():
    mine, theirs = random_numbers(3, (2, 5_000), 924)
    boards = boards_of_numbers(mine, theirs)
    exact = bearoff.bearoff_chances(boards)[1][:, 0]
    boards[:, :, 0] = 0  # nothing off: the table of pairs is not asked
    near = bearoff.bearoff_chances(boards)[1][:, 0]
    assert np.abs(near - exact).max() < 0.02
    assert np.abs(near - exact).mean() < 0.002
    assert (near != exact).any()


# --- boards -------------------------------------------------------------------------


def test_a_checker_outside_either_home_board_is_not_known():
    for side in range(2):
        for place in range(7, 26):
            board = board_of({1: 2}, {2: 2})
            board[0, side, place] = 1
            for has_moved in (False, True):
                known, chances = bearoff.bearoff_chances(board, has_moved=has_moved)
                assert not known[0]
                assert not chances.any()
            known, equities = bearoff.bearoff_equities(board)
            assert not known[0]
            assert not equities.any()


def test_the_gammon_is_won_before_the_first_checker_of_the_other_is_off():
    # all on the six-point bear off with a 6, 5-1, 4-2, 3-3 and 2-2
    fails = Fraction(36 - 11 - 2 - 2 - 2, 36)
    found = chances_of(ACES, {6: 15})
    assert found[0] == 1
    assert found[1] == pytest.approx(float(DOUBLES + (1 - DOUBLES) * fails), abs=1e-6)
    assert not found[2:].any()


def test_the_gammon_is_lost_if_no_checker_is_off_in_time():
    fails = Fraction(36 - 11 - 2 - 2 - 2, 36)
    found = chances_of({6: 15}, {1: 2})
    assert found == pytest.approx([0, 0, 0, float(fails), 0], abs=1e-6)


def test_who_has_borne_off_a_checker_loses_no_gammon():
    assert not chances_of({6: 14}, {1: 2})[1:].any()
    assert not chances_of({1: 1}, {6: 14})[1:].any()


def test_both_with_all_fifteen_on_the_board_are_known():
    found = chances_of({6: 15}, {6: 15})
    assert found[0] > 0.5
    assert (found[[1, 3]] < 0.001).all()


def test_a_finished_game_is_known_from_both_sides():
    assert chances_of({}, {3: 2}).tolist() == [1, 0, 0, 0, 0]
    assert chances_of({}, {6: 15}).tolist() == [1, 1, 0, 0, 0]
    assert chances_of({6: 15}, {}).tolist() == [0, 0, 0, 1, 0]
    assert chances_of({}, {6: 15}, has_moved=True).tolist() == [1, 1, 0, 0, 0]
    assert chances_of({2: 1}, {}, has_moved=True).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("limit", [924, 54_264])
def test_after_a_play_the_chances_are_those_of_the_other_on_roll(limit):
    mine, theirs = random_numbers(4, (2, 2_000), limit)
    boards = boards_of_numbers(mine, theirs)
    after = bearoff.bearoff_chances(boards, has_moved=True)[1]
    win, gammon, far, lost_gammon, lost_far = bearoff.bearoff_chances(boards[:, ::-1])[
        1
    ].T
    flipped = np.stack([1 - win, lost_gammon, lost_far, gammon, far], axis=1)
    assert after == pytest.approx(flipped, abs=1e-6)


@pytest.mark.parametrize("has_moved", [False, True])
def test_chances_are_nested(has_moved):
    boards = boards_of_numbers(*random_numbers(5, (2, 20_000), 54_264))
    boards[::2, 0, 0] = 0
    boards[::3, 1, 0] = 0
    _, chances = bearoff.bearoff_chances(boards, has_moved=has_moved)
    win, gammon, far, lost_gammon, lost_far = chances.T
    assert ((win >= gammon) & (gammon >= far) & (far == 0)).all()
    assert ((1 - win >= lost_gammon) & (lost_gammon >= lost_far)).all()
    assert (lost_far == 0).all()


def test_games_of_three_checkers_are_known_with_gammons():
    board = board_of({1: 1}, {6: 3}, checkers=3)
    found = bearoff.bearoff_chances(board)[1][0]
    assert found.tolist() == [1, 1, 0, 0, 0]


def test_a_board_alone_has_the_chances_it_has_in_a_batch():
    boards = boards_of_numbers(*random_numbers(6, (2, 50), 54_264))
    together = bearoff.bearoff_chances(boards)[1]
    for board, row in zip(boards, together, strict=True):
        assert (bearoff.bearoff_chances(board[None])[1] == row).all()


def test_no_boards_are_no_chances():
    known, chances = bearoff.bearoff_chances(np.zeros((0, 2, 32), np.int8))
    assert known.shape == (0,)
    assert chances.shape == (0, 5)


# --- tables -------------------------------------------------------------------------


@pytest.mark.parametrize("table", [bearoff.one_sided, bearoff.two_sided])
def test_tables_cannot_be_changed_and_travel_as_a_name(table):
    for array in vars(table()).values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    packed = pickle.dumps(table())
    assert len(packed) < 200
    assert pickle.loads(packed) is table()


def test_where_nothing_can_be_kept_the_tables_are_built(tmp_path):
    (tmp_path / "file").write_text("in the way")
    code = (
        "from bg_env.equity import bearoff; bearoff.warm_up(); "
        "print(bearoff.two_sided().win.sum(), bearoff.one_sided().mean_rolls.sum())"
    )
    done = run_python("-c", code, BG_ENV_CACHE=str(tmp_path / "file" / "cache"))
    assert done.returncode == 0, done.stderr
    single, double = bearoff.one_sided(), bearoff.two_sided()
    assert done.stdout.split() == [str(double.win.sum()), str(single.mean_rolls.sum())]


def test_plain_python_builds_and_says_what_compiled_code_does():
    done = run_python(WORKOUT, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found.pop("interpreted") is True
    assert found == workout()


@pytest.mark.heavy
def test_no_kernel_of_bearoffs_leaves_its_arrays(tmp_path):
    done = run_python(WORKOUT, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found.pop("interpreted") is False
    assert found == workout()


# --- documentation ------------------------------------------------------------------


def test_the_snippets_of_the_documentation_run(capsys):
    text = (ROOT / "docs" / "bearoff.md").read_text(encoding="utf-8")
    names = {}
    for snippet in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(snippet, "docs/bearoff.md", "exec"), names)
    printed = capsys.readouterr().out.strip()
    assert f"# {printed}" in text
    assert names["out"][0] == pytest.approx(19 / 36)


# --- another engine -----------------------------------------------------------------


def oracle_boards(rows):
    """Boards int8[B, 2, 32] of corpus rows."""
    boards = np.zeros((len(rows), 2, 32), np.int8)
    for board, row in zip(boards, rows, strict=True):
        board[0, 1:26], board[1, 1:26] = row["x"], row["o"]
        board[:, 0] = 15 - board[:, 1:26].sum(axis=1)
    return boards


def test_gnubg_agrees_on_bear_offs():
    rows = oracle_rows("eval")
    boards = oracle_boards(rows)
    known, chances = bearoff.bearoff_chances(boards)
    exact, _ = bearoff.bearoff_equities(boards)
    off = np.abs(chances - [row["p2"] for row in rows])
    assert known.sum() >= 100
    assert exact.sum() >= 20
    assert off[known].max() < 0.002
    assert off[known].mean() < 0.0002
    assert off[exact].max() < 0.0001  # it stores 16 bits


def test_gnubg_agrees_on_the_cube_in_bear_offs():
    rows = [row for row in oracle_rows("cube") if row["match_length"] == 0]
    known, equities = bearoff.bearoff_equities(oracle_boards(rows))
    assert known.sum() >= 5
    for row, found in zip(rows, equities * known[:, None], strict=True):
        if found.any():
            column = {None: 0, "mover": 1, "opp": 2}[row["cube_owner"]]
            gnubg = row["gnubg2"]
            assert found[column] == pytest.approx(gnubg["nd"], abs=2e-4)
            assert 2 * found[2] == pytest.approx(gnubg["dt"], abs=2e-4)
