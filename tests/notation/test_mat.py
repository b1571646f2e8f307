"""Match files are read, and played again by the rules."""

from __future__ import annotations

import json

import pytest
from support import DATA, ORACLE

from bg_env import InvalidNotationError, Rules
from bg_env.notation import parse_mat, read_mat
from bg_env.rules.decisions import (
    BEAVER,
    DOUBLE,
    DROP,
    PASS,
    ROLL,
    TAKE,
    is_move,
    move_of,
)

CUBE = {DOUBLE: "double", BEAVER: "double", TAKE: "take", DROP: "drop"}
KNOWN = [
    "match1",
    "match3",
    "match5a",
    "match7a",
    "money4_jacoby",
    "special_beaver_drop_resign",
]
HEAD = " 0 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"


def test_names_length_scores_and_results_are_read():
    match = read_mat(DATA / "beaver.mat")
    assert match.length == 0
    assert match.names == ("white", "red")
    assert [game.score for game in match.games] == [(0, 0), (0, 8), (1, 8), (5, 8)]
    assert [game.winner for game in match.games] == [1, 0, 0, 0]
    assert [game.actions[-1].value for game in match.games] == [8, 1, 4, 3]


def test_a_beaver_is_taken_by_whoever_rolls_after_it():
    """R24: the file has no word for the take."""
    steps = read_mat(DATA / "beaver.mat").steps()[0]
    cube = [step for step in steps if step[1][0] in CUBE]
    assert [codes[0] for _, codes in cube] == [DOUBLE, BEAVER, TAKE]
    assert [state.to_act for state, _ in cube] == [1, 0, 1]
    assert steps[-1][0].cube == 4
    assert steps[-1][0].cube_owner == 0


def test_rolls_are_steps_where_a_double_was_possible():
    for state, codes in read_mat(DATA / "match3.mat").steps()[0]:
        assert state.is_legal(codes[0])
        if codes == (ROLL,):
            assert state.is_legal(DOUBLE)


def test_a_game_that_ends_on_the_board_ends_as_the_file_says():
    match = read_mat(DATA / "match3.mat")
    last, codes = match.steps()[0][-1]
    after = last.clone()
    for code in codes:
        after.apply(code)
    assert after.winner == match.games[0].winner == 0
    assert after.points == match.games[0].actions[-1].value == 4


@pytest.mark.parametrize("name", KNOWN)
def test_files_are_read_as_gnu_backgammon_reads_them(name):
    path = ORACLE / "files" / f"{name}.mat"
    if not path.exists():
        pytest.skip(f"the match file {path.name} is not beside this checkout")
    known = json.loads((path.parent / f"{name}.mat.json").read_text())
    match = read_mat(path)
    assert match.length == known["match-info"]["match-length"]
    games = zip(match.games, match.steps(), known["games"], strict=True)
    for game, steps, theirs in games:
        assert game.score == (theirs["info"]["score-X"], theirs["info"]["score-O"])
        assert game.winner == "XO".index(theirs["info"]["winner"])
        mine = [step for step in steps if step[1] != (ROLL,)]
        actions = [a for a in theirs["game"] if a["action"] != "resign"]
        for (state, codes), action in zip(mine, actions, strict=True):
            assert "XO"[state.to_act] == action["player"]
            if action["action"] != "move":
                assert CUBE[codes[0]] == action["action"]
                continue
            assert state.position.id == action["board"]
            assert sorted(state.dice) == sorted(action["dice"])
            assert sum(map(is_move, codes)) == len(action["move"])


def test_the_crawford_game_is_played_once():
    """R26: the second game with a player one point away has a cube."""
    text = (
        " 3 point match\n\n Game 1\n A : 2    B : 0\n"
        "  1) 61: 13/7 8/7\n"
        " Game 2\n A : 2    B : 1\n"
        "  1) 61: 13/7 8/7\n"
    )
    first, second = parse_mat(text).steps()
    assert first[0][0].crawford
    assert not second[0][0].crawford


@pytest.mark.parametrize(
    "play", ["64: 24/14", "64: 24/20, 20/14 ", "64: 24/18 18/14", "64:  24/14"]
)
def test_plays_may_be_written_in_several_ways(play):
    steps = parse_mat(HEAD + f"  1) {play}\n").steps()[0]
    (state, codes), *more = steps
    assert not more
    assert state.to_act == 0
    assert move_of(codes[0])[0] == 24


@pytest.mark.parametrize("nothing", ["", "Cannot Move", "(no play)"])
def test_a_roll_that_cannot_be_played_is_a_pass(nothing):
    rows = (
        "  1) 31: 8/5 6/5                42: 8/4 6/4\n"
        "  2) 62: 24/18 13/11            55: 8/3(2) 6/1*(2)\n"
        f"  3) 66: {nothing}\n"
    )
    steps = parse_mat(HEAD + rows).steps()[0]
    last = steps[-1]
    if last[0].position.mover[25]:
        assert last[1] == (PASS,)


def test_rules_may_be_given():
    steps = parse_mat(HEAD + "  1) 61: 13/7 8/7\n").steps(Rules(jacoby=False))
    assert not steps[0][0][0].rules.jacoby


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("  1) 61: 13/5 8/7\n", "Game 1, line 5: .*not legal"),
        ("  1) 61: 13/7 8/7\n  2) 61: 13/7 8/7\n", "line 6: .*turn of player 1"),
        ("  1) Doubles => 2\n", "line 5: "),
        (
            "  1) 61: 13/7 8/7               Doubles => 2\n"
            "  2)  Drops\n  3) 31: 8/5 6/5\n",
            "line 7: .*over",
        ),
        ("  1) 61: ????\n", "line 5: "),
    ],
)
def test_what_the_rules_do_not_allow_is_refused_with_its_line(rows, message):
    with pytest.raises(InvalidNotationError, match=message):
        parse_mat(HEAD + rows).steps()


@pytest.mark.parametrize("text", ["", "hello", " 5 point match\n", " Game 1\n"])
def test_text_that_is_no_match_is_refused(text):
    with pytest.raises(InvalidNotationError, match="5 point match"):
        parse_mat(text)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidNotationError, match=r"nothing\.mat"):
        read_mat(tmp_path / "nothing.mat")
