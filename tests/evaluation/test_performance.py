"""Performance ratings: what recorded decisions cost, and what is divided by what."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from arena_agents import FirstPlay
from bg_agents.td_agent import TdAgent
from rich.console import Console
from support import DATA, ORACLE

from bg_env import (
    GameState,
    InvalidNotationError,
    InvalidOptionError,
    Position,
    Rules,
)
from bg_env.evaluation import (
    RecordedDecision,
    performance_rating,
    read_games,
    recorded_decisions,
)
from bg_env.evaluation.performance_results import PlayerRating
from bg_env.notation import parse_play, read_mat
from bg_env.rules.decisions import (
    BEAVER,
    DOUBLE,
    DROP,
    PASS,
    ROLL,
    TAKE,
    move_code,
)
from bg_env.search import cube_decision
from bg_env.table import Game, Match, Session

START = Position.start()
RACE = Position.from_points({6: 4, 5: 3, 4: 3, 3: 3}, {6: 4, 5: 3, 4: 3, 2: 3})


class Fixed:
    """An evaluator to which all positions are the same."""

    name = "fixed"

    def __init__(self, win):
        self.chances = np.array((win, 0, 0, 0, 0), np.float32)

    def evaluate(self, boards):
        return np.tile(self.chances, (len(boards), 1))


@pytest.fixture(scope="module")
def td():
    return TdAgent()


def game(position=START, **details):
    return GameState.from_position(position, **details)


def played(text, dice, position=START, **details):
    """A play as a decision, by its text."""
    play = parse_play(text, position, dice)
    codes = tuple(move_code(move.source, move.die) for move in play.moves)
    return RecordedDecision(game(position, dice=dice, **details), codes or (PASS,))


def decided(*codes, **details):
    return RecordedDecision(game(**details), codes)


def drawn(result):
    file = io.StringIO()
    Console(width=80, no_color=True, file=file).print(result.table())
    return file.getvalue()


# --- what one decision costs --------------------------------------------------------


def test_the_best_play_costs_nothing_and_another_what_it_is_behind(td):
    cubeless = {"rules": Rules(cube=False)}
    best = performance_rating([played("8/5 6/5", (3, 1), **cubeless)], td).players[0]
    assert best.play_error == 0
    assert best.unforced_plays == 1
    assert best.pr == 0
    other = performance_rating([played("24/20", (3, 1), **cubeless)], td).players[0]
    states = [parse_play(text, START, (3, 1)).result for text in ("8/5 6/5", "24/20")]
    boards = np.stack([state.to_board()[::-1] for state in states])
    win, gammon, backgammon, lost, worst = np.moveaxis(td.evaluate(boards), -1, 0)
    equities = -(2 * win - 1 + gammon + backgammon - lost - worst)
    assert other.play_error == pytest.approx(equities[0] - equities[1], abs=1e-6)
    assert other.pr == pytest.approx(500 * other.play_error)
    assert other.worst[0].played == "24/20"
    assert other.worst[0].best == "8/5 6/5"


def test_a_result_may_be_given_instead_of_moves(td):
    play = parse_play("24/20", START, (3, 1))
    by_result = RecordedDecision(game(dice=(3, 1)), result=play.result)
    by_codes = played("24/20", (3, 1))
    one, other = (
        performance_rating([record], td).players[0].play_error
        for record in (by_result, by_codes)
    )
    assert one == other > 0


def test_a_forced_play_is_a_move_and_no_decision(td):
    shut = Position.from_points({25: 1, 6: 2}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
    state = game(shut, dice=(6, 5))
    mine = performance_rating([RecordedDecision(state, (PASS,))], td).players[0]
    assert (mine.plays, mine.unforced, mine.pr) == (1, 0, None)
    assert mine.moves_of_both == 1


def test_the_play_that_was_made_is_looked_at_as_deep_as_the_best(td):
    """Or a bad play, which the filters rule out, would be rated at another depth."""
    record = [played("13/10 6/5", (3, 1))]
    shallow, deep = (
        performance_rating(record, td, plies=plies).players[0].play_error
        for plies in (0, 1)
    )
    assert deep > 0
    assert deep == pytest.approx(shallow, abs=0.2)


@pytest.mark.parametrize(
    ("win", "code", "cost"),
    [
        (0.5, ROLL, 0),
        (0.85, DOUBLE, 0),
        (0.5, DOUBLE, "no double"),
        (0.85, ROLL, "double"),
    ],
)
def test_a_double_and_a_roll_cost_what_the_cube_says(win, code, cost):
    judge = Fixed(win)
    mine = performance_rating([decided(code)], judge).players[0]
    found = cube_decision(judge, game().record)
    kept, best = float(found.equities.no_double[0]), float(found.optimal[0])
    doubled = min(float(found.equities.double_take[0]), 1)
    known = {0: 0, "no double": kept - doubled, "double": best - kept}[cost]
    assert mine.cube_error == pytest.approx(known)
    assert [costly.best for costly in mine.worst] == ([cost] if cost else [])


@pytest.mark.parametrize(
    ("win", "code", "is_right"),
    [(0.7, TAKE, True), (0.7, DROP, False), (0.85, DROP, True), (0.85, TAKE, False)],
)
def test_an_answer_costs_what_the_taker_loses(win, code, is_right):
    record = decided(code, doubled=True)
    judge = Fixed(win)
    theirs = performance_rating([record], judge).players[1]
    taken = float(cube_decision(judge, record.state.record).equities.double_take[0])
    assert theirs.counted_cubes == 1
    assert theirs.cube_error == pytest.approx(0 if is_right else abs(taken - 1))


def test_a_beaver_counts_twice():
    """R24."""
    rules = Rules(beavers=3)
    judge = Fixed(0.3)
    record = decided(TAKE, doubled=True, rules=rules)
    taken = float(cube_decision(judge, record.state.record).equities.double_take[0])
    theirs = performance_rating([record], judge).players[1]
    assert theirs.cube_error == pytest.approx(-taken)
    assert theirs.worst[0].best == "beaver"
    right = decided(BEAVER, doubled=True, rules=rules)
    assert performance_rating([right], judge).players[1].cube_error == 0


# --- what counts --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("win", "code", "counts"),
    [
        (0.5, ROLL, 0),  # nobody would think of it
        (0.68, ROLL, 1),  # close
        (0.85, ROLL, 1),  # a double was missed
        (0.5, DOUBLE, 1),  # made, so it counts
    ],
)
def test_a_roll_counts_where_a_double_would_have_been_close_or_right(win, code, counts):
    mine = performance_rating([decided(code)], Fixed(win)).players[0]
    assert mine.counted_cubes == counts
    assert mine.decisions == 1


def test_what_is_close_may_be_chosen():
    record = [decided(ROLL)]
    assert performance_rating(record, Fixed(0.5), close=9).players[0].unforced == 1
    assert performance_rating(record, Fixed(0.68), close=0).players[0].unforced == 0


def test_rates_have_their_divisor_and_factor():
    """The same 0.40 points are 20.0, 40.0 and 13.3 (10 decisions, 30 moves)."""
    rating = PlayerRating(
        name="A",
        decisions=20,
        plays=15,
        unforced_plays=8,
        counted_cubes=2,
        play_error=0.3,
        cube_error=0.1,
        mean_error_error=0.01,
        moves_of_both=30,
        worst=(),
    )
    assert [round(rate.value, 1) for rate in rating.rates] == [20, 40, 13.3]
    assert [(rate.divisor, rate.count, rate.factor) for rate in rating.rates] == [
        ("unforced decisions", 10, 500),
        ("unforced decisions", 10, 1000),
        ("moves of both sides", 30, 1000),
    ]
    assert rating.pr == pytest.approx(20)
    assert rating.standard_error == pytest.approx(5)


def test_games_are_summed_up_one_by_one(td):
    session = Session("cubeless", seed=4, players=(td, FirstPlay()))
    session.advance()
    session.next_game()
    session.advance()
    result = performance_rating(session, td)
    for number, player in enumerate(result.players):
        assert [one.game for one in player.by_game] == [1, 2]
        for name in ("decisions", "unforced", "total_error"):
            total = sum(getattr(one, name) for one in player.by_game)
            assert total == pytest.approx(getattr(player, name))
        alone = performance_rating(session.games[0], td).players[number]
        assert player.by_game[0].pr == pytest.approx(alone.pr)
    text = drawn(result)
    assert "Game by game" in text
    assert "Game by game" not in drawn(performance_rating(session.games[0], td))


def test_a_player_without_a_decision_in_a_game_has_no_rate_there(td):
    records = [played("24/20", (3, 1)), played("8/5 6/5", (3, 1), on_roll=1)]
    both = [records[0], RecordedDecision(records[1].state, records[1].codes, game=2)]
    first, second = performance_rating(both, td).players
    assert [one.unforced for one in first.by_game] == [1, 0]
    assert [one.pr for one in second.by_game] == [None, 0]


def test_as_many_of_the_worst_are_given_as_are_asked_for(td):
    record = read_mat(DATA / "match3.mat")
    few, many = (performance_rating(record, td, worst=most) for most in (1, 1000))
    for one, other in zip(few.players, many.players, strict=True):
        assert one.worst[0].error == max(costly.error for costly in other.worst)
        assert sum(costly.error for costly in other.worst) == pytest.approx(
            other.total_error, abs=1e-6
        )
    assert "Worst" not in drawn(performance_rating(record, td, worst=0))


def test_progress_is_told(td):
    told = []
    record = [read_mat(DATA / "match3.mat")] * 6
    performance_rating(record, td, progress=lambda *now: told.append(now))
    assert len(told) > 3
    assert told == sorted(told)
    assert len({total for _, total in told}) == 1
    assert told[0][0] == 0
    assert told[-1][0] < told[-1][1]


# --- where decisions come from ------------------------------------------------------


def test_a_match_file_is_judged_for_both_players(td):
    result = performance_rating(read_mat(DATA / "match3.mat"), td)
    white, red = result.players
    assert (white.name, red.name) == ("white", "red")
    assert white.plays + red.plays == 52
    assert white.moves_of_both == red.moves_of_both == 52
    assert result.games == 1
    assert 0 < red.pr < 60
    assert red.counted_cubes >= 1  # he doubled
    assert white.counted_cubes >= 1  # and was taken


def test_games_at_a_table_are_played_again_and_judged(td):
    match = Match(3, seed=4, players=("td", FirstPlay()), names=("Ann", "Bob"))
    match.advance(games=True)
    result = performance_rating(match, td)
    ann, bob = result.players
    assert (ann.name, bob.name) == ("Ann", "Bob")
    assert result.games == len(match.games)
    assert ann.pr < bob.pr
    plays = sum(e.kind == "play" for g in match.games for e in g.history)
    assert ann.plays + bob.plays == plays == ann.moves_of_both


def test_an_agent_is_perfect_in_its_own_eyes(td):
    session = Session("cubeless", seed=1, players=(td, td))
    session.advance()
    for player in performance_rating(session, td).players:
        assert player.total_error == pytest.approx(0, abs=1e-5)
        assert player.unforced > 10


def test_decisions_of_a_table_are_those_that_were_made():
    table = Game(state=game(), names=("Ann", "Bob"))
    table.double()
    table.take()
    table.roll((3, 1))
    table.play("8/5 6/5", confirm=True)
    table.roll((6, 5))
    table.play("24/13", confirm=True)
    found, names = recorded_decisions(table)
    assert names == ("Ann", "Bob")
    codes = [decision.codes for decision in found]
    assert codes[:2] == [(DOUBLE,), (TAKE,)]
    assert codes[3] == (ROLL,)  # Bob owns the cube; Ann could not double again
    assert [decision.state.to_act for decision in found] == [0, 1, 0, 1, 1]


def test_a_file_is_read_as_what_it_is_whatever_it_is_called(tmp_path):
    path = tmp_path / "file.txt"
    game = Game(seed=1)
    match, session = Match(3, seed=1), Session(seed=1)
    for record in (game, match, session):
        record.save(path)
        assert type(read_games(path)) is type(record)
    text = (DATA / "match3.mat").read_text(encoding="utf-8")
    path.write_text("\ufeff" + text.partition("\n\n")[2], encoding="utf-8")
    assert read_games(path).length == 3
    assert read_games(str(DATA / "match3.mat")).names == ("white", "red")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "holds no recorded games"),
        (b"\x89PNG\r\n\x1a\n\0", "holds no recorded games"),
        (b'{"kind": ["match"]}', "its kind is"),
        (b"{1}", "no JSON from line 1, column 2 on"),
        (b"{\xff", "it is no text"),
    ],
)
def test_a_file_of_no_games_is_refused(content, words, tmp_path):
    path = tmp_path / "file.mat"
    path.write_bytes(content)
    with pytest.raises(InvalidNotationError, match=words) as caught:
        read_games(path)
    assert repr(str(path)) in str(caught.value)


@pytest.mark.parametrize("name", ["nothing.mat", ".", "a\0b"])
def test_a_file_of_games_that_cannot_be_read_is_refused(name, tmp_path):
    with pytest.raises(InvalidOptionError, match="cannot be read"):
        read_games(tmp_path / name)


def test_several_records_are_one(td):
    once, twice = (
        performance_rating([read_mat(DATA / "match3.mat")] * times, td)
        for times in (1, 2)
    )
    assert twice.games == 2
    for one, two in zip(once.players, twice.players, strict=True):
        assert two.pr == pytest.approx(one.pr)
        assert two.unforced == 2 * one.unforced
        assert two.worst[0].error == pytest.approx(one.worst[0].error)


def test_an_illegal_play_left_on_the_board_is_refused(td):
    record = RecordedDecision(game(dice=(3, 1)), result=START)
    with pytest.raises(InvalidOptionError, match="Game 1: the play was not legal"):
        performance_rating([record], td)


@pytest.mark.heavy
def test_the_engine_s_matches_are_played_better_than_those_of_beginners(td):
    """GNU Backgammon's own matches at 0 plies, judged by a network one ply deep."""
    path = ORACLE / "files" / "match5a.mat"
    if not path.exists():
        pytest.skip(f"the match file {path.name} is not beside this checkout")
    for player in performance_rating(read_mat(path), td, plies=1).players:
        assert player.pr < 12


# --- forms and refusals -------------------------------------------------------------


def test_the_rating_is_json_and_shows_how_it_comes_about_in_80_columns(td):
    result = performance_rating(read_mat(DATA / "match3.mat"), td)
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["schema"] == "bg_env.performance/1"
    assert values["match_equities"] == "kazaross-xg2"
    assert values["players"][0]["rates"][2]["divisor"] == "moves of both sides"
    text = drawn(result)
    assert max(map(len, text.splitlines())) <= 80
    assert "500 × error / unforced decisions" in text
    assert "1000 × error / moves of both sides" in text
    assert "Worst decisions of red" in text
    assert result.players[1].worst[0].to_dict()["xgid"] in text
    assert str(result).startswith("white: PR ")


def test_without_any_decision_there_is_no_rating(td):
    result = performance_rating([], td)
    assert [player.pr for player in result.players] == [None, None]
    assert "n/a" in drawn(result)


@pytest.mark.parametrize(
    ("games", "judge", "options", "message"),
    [
        ([], "random", {}, "cannot judge"),
        ([], "td", {"plies": 9}, "plies"),
        ([], "td", {"close": -1}, "close"),
        ([], "td", {"close": "much"}, "close"),
        ([], "td", {"names": ("one",)}, "names"),
        ([], "td", {"worst": -1}, "Argument worst"),
        ([], "td", {"worst": 2.5}, "Argument worst"),
        ([3], "td", {}, "not from 3"),
        ([RecordedDecision(game(dice=(3, 1)), (1,))], "td", {}, "not legal"),
        (
            [RecordedDecision(game(dice=(3, 1)), (move_code(8, 3),))],
            "td",
            {},
            "not the whole",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(games, judge, options, message):
    with pytest.raises(InvalidOptionError, match=message):
        performance_rating(games, judge, **options)
