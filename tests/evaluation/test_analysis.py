"""Analyses find what search, cube and rollouts find, and say it in words."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from bg_agents.td_agent import TdAgent
from rich.console import Console
from support import ROOT

from bg_env import (
    GameState,
    InvalidNotationError,
    InvalidOptionError,
    InvalidPositionError,
    Position,
    Rules,
    format_gnu_id,
    format_xgid,
    legal_plays,
)
from bg_env.evaluation import CubeAnalysis, PlayAnalysis, analyze
from bg_env.rules.decisions import BEAVER, DOUBLE
from bg_env.search import SearchAgent, cube_decision, equity

CRAWFORD = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10"
START = Position.start()


class Fixed:
    """An evaluator to which all positions are the same."""

    name = "fixed"

    def __init__(self, *chances):
        self.chances = np.array(chances, np.float32)

    def evaluate(self, boards):
        return np.tile(self.chances, (len(boards), 1))


@pytest.fixture(scope="module")
def td():
    return TdAgent()


def game(**details):
    return GameState.from_position(START, **details)


def drawn(result):
    """What people see, 80 columns wide."""
    file = io.StringIO()
    Console(width=80, no_color=True, file=file).print(result.table())
    return file.getvalue()


# --- plays --------------------------------------------------------------------------


def test_plays_come_best_first_with_their_chances_and_differences(td):
    result = analyze(game(dice=(3, 1)), td)
    assert isinstance(result, PlayAnalysis)
    assert result.best.text == "8/5 6/5"
    assert result.legal == len(legal_plays(START, (3, 1)))
    assert len(result.plays) == 5
    behind = [play.behind for play in result.plays]
    assert behind == sorted(behind)
    assert behind[0] == 0
    for play in result.plays:
        assert play.behind == pytest.approx(result.best.equity - play.equity)
        cubeless = float(equity(np.array(play.chances)))
        assert play.cubeless == pytest.approx(cubeless, abs=1e-6)


def test_without_a_cube_equity_is_cubeless_and_the_best_play_the_agent_s(td):
    state = game(dice=(6, 4), rules=Rules(cube=False))
    result = analyze(state, td, plays=99)
    assert len(result.plays) == result.legal
    assert result.best.play == td.best_play(START, (6, 4), rules=state.rules)
    for play in result.plays:
        assert play.equity == pytest.approx(play.cubeless, abs=1e-6)
        assert play.mwc is None


def test_looking_ahead_it_finds_what_the_search_plays(td):
    state = game(dice=(5, 1), rules=Rules(cube=False))
    result = analyze(state, td, plies=1, plays=99)
    assert result.best.play.result == SearchAgent(td, 1).best_play(START, (5, 1)).result
    depths = [play.plies for play in result.plays]
    assert depths[0] == 1
    assert depths == sorted(depths, reverse=True)
    assert min(depths) == 0


def test_in_a_match_equity_is_emg_and_the_chance_to_win_the_match_is_there(td):
    result = analyze(CRAWFORD, td)
    assert result.terms.table == "kazaross-xg2"
    assert 0.7 < result.best.mwc < 0.85  # one point away against three, Crawford
    chances = [play.mwc for play in result.plays]
    assert chances == sorted(chances, reverse=True)


def test_a_play_that_wins_the_game_is_worth_exactly_what_it_wins():
    won = Position.from_points({1: 1}, {6: 15})
    result = analyze(GameState.from_position(won, dice=(2, 1)), Fixed(0.5, 0, 0, 0, 0))
    assert result.best.equity == pytest.approx(2)
    assert result.best.chances == (1, 1, 0, 0, 0)


def test_a_roll_that_cannot_be_played_has_one_play():
    shut = Position.from_points({25: 1, 6: 2}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2})
    state = GameState.from_position(shut, dice=(6, 5))
    result = analyze(state, Fixed(0.5, 0, 0, 0, 0))
    assert result.legal == 1
    assert result.best.text == "(no play)"
    assert "the only play" in drawn(result)


def test_the_rest_of_a_play_is_analysed_too(td):
    state = game(dice=(3, 1))
    state.apply(next(code for code in state.legal_decisions()))
    result = analyze(state, td)
    assert result.to_dict()["dice"] == list(state.dice_left)
    assert result.to_dict()["xgid"] is None


def test_where_all_plays_lose_the_cube_the_better_board_comes_first(td):
    """All plays are cashed by the other, and are worth −1 alike."""
    lost = Position.from_points({25: 2, 6: 1}, {6: 3, 5: 3, 4: 3, 3: 3, 2: 2, 18: 1})
    result = analyze(GameState.from_position(lost, dice=(2, 1)), td, plays=99)
    ranks = [play.cubeless for play in result.plays if play.behind == 0]
    assert ranks == sorted(ranks, reverse=True)


def test_plays_are_rolled_out_with_their_doubt(td):
    result = analyze(game(dice=(3, 1)), td, rollout=36, truncate=2, plays=2)
    assert len(result.plays) == 2
    assert result.best.text == "8/5 6/5"
    assert result.best.trials == 36
    assert result.best.standard_error > 0
    assert result.plays[1].behind_error > 0
    assert "36 trials" in drawn(result)
    again = analyze(game(dice=(3, 1)), td, rollout=36, truncate=2, plays=2)
    assert again.to_dict() == result.to_dict()


# --- the cube -----------------------------------------------------------------------


def test_a_cube_analysis_has_the_equities_of_the_cube_decision(td):
    state = game()
    result = analyze(state, td)
    assert isinstance(result, CubeAnalysis)
    found = cube_decision(td, state.record).equities
    assert result.no_double == pytest.approx(found.no_double[0])
    assert result.double_take == pytest.approx(found.double_take[0])
    assert result.double_pass == 1
    assert result.advice == "No double, take"


def advice(*chances, **details):
    return analyze(game(**details), Fixed(*chances)).advice


@pytest.mark.parametrize(
    ("chances", "details", "words"),
    [
        ((0.5, 0, 0, 0, 0), {}, "No double, take"),
        ((0.74, 0, 0, 0, 0), {}, "Double, take"),
        ((0.68, 0, 0, 0, 0), {"cube": 2, "cube_owner": 0}, "No redouble, take"),
        ((0.77, 0, 0, 0, 0), {"cube": 2, "cube_owner": 0}, "Redouble, take"),
        ((0.85, 0, 0, 0, 0), {}, "Double, pass"),
        ((0.9, 0.7, 0, 0, 0), {}, "Too good to double, pass"),
        ((0.9, 0.7, 0, 0, 0), {"rules": Rules(jacoby=True)}, "Double, pass"),
        ((0.3, 0, 0, 0, 0), {"rules": Rules(beavers=3)}, "No double, beaver"),
        ((0.5, 0, 0, 0, 0), {"cube": 2, "cube_owner": 1},
         "No double: the other player owns the cube"),
        ((0.5, 0, 0, 0, 0), {"rules": Rules(cube=False)},
         "No double: there is no cube"),
        ((0.5, 0, 0, 0, 0), {"rules": Rules(match_length=3), "score": (2, 0)},
         "No double: the Crawford game"),
        ((0.5, 0, 0, 0, 0), {"cube": 64, "cube_owner": 0},
         "No double: the cube is at its highest value"),
        ((0.7, 0, 0, 0, 0), {"doubled": True}, "Take"),
        ((0.85, 0, 0, 0, 0), {"doubled": True}, "Pass"),
        ((0.3, 0, 0, 0, 0), {"doubled": True, "rules": Rules(beavers=3)}, "Beaver"),
        ((0.3, 0, 0, 0, 0), {"doubled": True}, "Take"),
    ],
)  # fmt: skip
def test_advice_says_in_words_what_is_best(chances, details, words):
    assert advice(*chances, **details) == words


def test_a_beaver_may_be_answered_by_a_raccoon():
    """R24: the player on roll is asked, who has more than half the chances."""
    state = game(rules=Rules(beavers=3))
    state.apply(DOUBLE)
    state.apply(BEAVER)
    assert analyze(state, Fixed(0.7, 0, 0, 0, 0)).advice == "Raccoon"
    assert analyze(state, Fixed(0.45, 0, 0, 0, 0)).advice == "Take"
    assert analyze(state, Fixed(0.1, 0, 0, 0, 0)).advice == "Pass"


def test_where_no_double_is_possible_its_equities_are_none(td):
    result = analyze(game(cube=2, cube_owner=1), td)
    assert not result.available
    assert result.double_take is None
    assert "take" not in drawn(result)


def test_the_cube_is_rolled_out_by_the_same_dice(td):
    result = analyze(game(), td, rollout=36, truncate=2)
    assert result.trials == 36
    assert result.gain == pytest.approx(result.double_take - result.no_double)
    assert result.no_double_error > 0
    assert result.advice == "No double, take"
    assert "36 trials" in drawn(result)


def test_a_match_shows_the_chance_to_win_it(td):
    state = game(rules=Rules(match_length=5), score=(2, 1))
    result = analyze(state, td)
    assert 0.5 < result.no_double_mwc < result.double_pass_mwc < 1
    assert "match won" in drawn(result)


# --- forms --------------------------------------------------------------------------


def test_texts_of_all_notations_are_read(td):
    state = game(dice=(3, 1))
    for text in (format_xgid(state), format_gnu_id(state)):
        assert analyze(text, td).best.text == "8/5 6/5"
    assert isinstance(analyze(START.id, td), CubeAnalysis)


def test_agents_are_named_by_text_too():
    assert analyze(CRAWFORD, "td@1ply").terms.agent == "td@1ply"


@pytest.mark.parametrize("details", [{"dice": (3, 1)}, {}], ids=["plays", "cube"])
@pytest.mark.parametrize("rollout", [None, 36])
@pytest.mark.parametrize("length", [0, 7])
def test_results_are_json_and_fit_into_80_columns(td, details, rollout, length):
    rules = Rules(match_length=length)
    truncate = rollout and 1
    result = analyze(
        game(rules=rules, **details), td, rollout=rollout, truncate=truncate
    )
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["schema"] == "bg_env.analysis/1"
    assert values["unit"] == ("emg" if length else "points per cube")
    assert values["xgid"].startswith("XGID=")
    text = drawn(result)
    assert max(map(len, text.splitlines())) <= 80
    assert "td" in text
    assert str(result)


# --- refusals -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("XGID=zzz", "td"), {}, InvalidNotationError, "zzz"),
        ((3, "td"), {}, InvalidOptionError, "not 3"),
        ((CRAWFORD, "random"), {}, InvalidOptionError, "cannot analyse"),
        ((CRAWFORD, object()), {}, InvalidOptionError, "cannot analyse"),
        ((CRAWFORD, "td"), {"plies": 9}, InvalidOptionError, "plies"),
        ((CRAWFORD, "td"), {"plays": 0}, InvalidOptionError, "plays"),
        ((CRAWFORD, "td"), {"truncate": 3}, InvalidOptionError, "rollout=1296"),
        ((CRAWFORD, "td"), {"rollout": 0}, InvalidOptionError, "rollout is"),
        ((GameState.new(), "td"), {}, InvalidPositionError, "opening roll"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_a_sentence(
    arguments, options, error, message
):
    with pytest.raises(error, match=message):
        analyze(*arguments, **options)


def test_a_resignation_that_awaits_its_answer_is_refused():
    """R28."""
    state = game(rules=Rules(resign="offer"))
    state.apply(156)
    with pytest.raises(InvalidPositionError, match="resignation"):
        analyze(state)


# --- documentation ------------------------------------------------------------------


def test_the_snippets_of_the_page_run_and_print_what_they_say(capsys):
    page = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
    names = {}
    for snippet in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(snippet, names)
    printed = capsys.readouterr().out
    said = re.findall(r"^print\(.*\)  # (.*)$", page, re.MULTILINE)
    assert len(said) == 3
    for line in said:
        assert line in printed
