"""Results as values, JSON, tables and lines of text."""

from __future__ import annotations

import dataclasses
import io
import json
import re

import numpy as np
import pytest
from arena_agents import AnyDecision, AnyPlay, FirstPlay, Interrupting, LastPlay
from rich.console import Console
from support import ROOT

from bg_env.evaluation import Outcomes, Wins, evaluate, summary_table
from bg_env.evaluation.results import SCHEMA, describe_rules
from bg_env.rules.options import Clock, Rules

PAGE = ROOT / "docs" / "evaluation.md"


def printed(renderable, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def plain():
    return evaluate(FirstPlay(), LastPlay(), games=40)


@pytest.fixture(scope="module")
def match():
    rules = Rules(match_length=3, resign="offer")
    return evaluate(AnyDecision(), AnyPlay(), games=12, rules=rules)


@pytest.fixture(scope="module")
def single():
    return evaluate(FirstPlay(), LastPlay(), games=1)


@pytest.fixture(scope="module")
def nothing():
    return evaluate(Interrupting(1), LastPlay(), games=100)


class EvenChances:
    """Thinks that every position is as good as any other."""

    name = "even"

    def evaluate(self, boards):
        return np.full((len(boards), 5), (0.5, 0, 0, 0, 0), np.float32)


@pytest.fixture(scope="module")
def lucky():
    return evaluate(FirstPlay(), LastPlay(), games=4, luck=EvenChances())


@pytest.fixture(scope="module", params=["plain", "match", "single", "nothing", "lucky"])
def any_result(request):
    return request.getfixturevalue(request.param)


# --- JSON -----------------------------------------------------------------------------


def test_json_has_no_nan_and_comes_back_as_it_was(any_result):
    values = any_result.to_dict()
    text = json.dumps(values, allow_nan=False)
    assert "NaN" not in text
    back = json.loads(text)
    assert back["schema"] == SCHEMA
    assert back["points_per_game"] == any_result.points_per_game
    assert Rules(**back["rules"]) == any_result.rules


def test_json_fields_are_those_the_page_documents(any_result):
    page = PAGE.read_text(encoding="utf-8")
    section = page.split("\n## JSON")[1].split("\n## ")[0]
    documented = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert documented == list(any_result.to_dict())


def test_the_page_names_the_schema_in_use():
    assert f"`{SCHEMA}`" in PAGE.read_text(encoding="utf-8")


def test_outcomes_and_endings_add_up_to_the_games(any_result):
    won, lost = any_result.outcomes.won.total, any_result.outcomes.lost.total
    assert won + lost == any_result.played
    assert sum(dataclasses.astuple(any_result.endings)) == any_result.played


def test_drops_are_a_kind_of_their_own():
    assert Wins(1, 2, 3, 4).total == 10
    outcomes = Outcomes(won=Wins(drops=2), lost=Wins())
    assert (outcomes.won.singles, outcomes.won.total) == (0, 2)


def test_equality_is_of_what_was_measured_not_of_the_time(plain):
    assert dataclasses.replace(plain, seconds=99.0) == plain
    assert dataclasses.replace(plain, played=39) != plain


def test_json_of_luck_has_all_that_was_measured_and_is_null_without(plain, lucky):
    values = lucky.to_dict()["luck_adjusted"]
    assert list(values) == [
        "evaluator", "points_per_game", "standard_error", "interval", "mean_luck"
    ]  # fmt: skip
    assert values["evaluator"] == "even"
    assert plain.to_dict()["luck_adjusted"] is None


# --- for people -----------------------------------------------------------------------


def test_the_table_fits_in_80_columns_and_says_no_nan(any_result):
    text = printed(any_result.table())
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "nan" not in text.lower().split()
    assert "Points per game" in text


def test_the_table_of_a_match_shows_matches_and_points(match):
    text = printed(match.table())
    assert f"{match.matches.won} of 12" in text
    assert "Share of matches won" in text
    assert "match to 3 with the cube" in text
    assert "by a drop" in text


def test_luck_takes_two_rows_and_a_part_of_the_line(plain, lucky):
    text = printed(lucky.table())
    assert re.search(
        r"Without luck +[+-]\d\.\d{3}, standard error \d\.\d{3}, 95 %", text
    )
    assert re.search(r"Luck per game +[+-]\d\.\d{3} by even", text)
    assert "without luck" in str(lucky)
    assert "luck" not in printed(plain.table()).lower() + str(plain)


def test_the_table_of_cubeless_games_shows_no_drops(plain):
    assert "drop" not in printed(plain.table())


def test_unknown_figures_are_na(single, nothing):
    assert "standard error n/a" in str(single)
    assert re.search(r"Standard error +n/a", printed(single.table()))
    assert "n/a points per game" in str(nothing)
    assert re.search(r"Won by first +n/a", printed(nothing.table()))


def test_truncated_and_interrupted_are_told():
    capped = evaluate(FirstPlay(), LastPlay(), games=4, max_turns=2)
    assert "4 truncated" in str(capped)
    assert "4 games of more than 2 turns" in printed(capped.table())
    stopped = dataclasses.replace(capped, interrupted=True)
    assert "interrupted" in str(stopped)
    assert "4 games were asked for" in printed(stopped.table())


def test_agents_of_one_name_are_told_apart():
    text = printed(evaluate(FirstPlay(), FirstPlay(), games=4).table())
    assert "Won by first agent" in text
    assert "Won by second agent" in text


def test_names_are_shown_as_they_are_and_never_as_markup(plain):
    odd = dataclasses.replace(plain, a="td:[bold]x.npz", b="[/]")
    assert "td:[bold]x.npz against [/]" in printed(odd.table())
    assert "td:[bold]x.npz" in printed(summary_table([odd]), width=100)


def test_the_line_of_text_has_mean_and_error(plain, match):
    assert re.fullmatch(
        r"first against last: [+-]\d\.\d{3} points per game, "
        r"standard error \d\.\d{3} \(40 games\)",
        str(plain),
    )
    assert "of 12 matches won" in str(match)


def test_the_summary_has_a_line_for_each_and_fits_in_80_columns(plain, nothing):
    text = printed(summary_table([plain, nothing, plain]))
    assert text.count("against last") == 3
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "n/a" in text


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Rules(), "money with the cube"),
        (Rules(cube=False), "cubeless money"),
        (Rules(match_length=1), "match to 1"),
        (Rules(match_length=7), "match to 7 with the cube"),
        (Rules(match_length=7, cube=False), "match to 7, no cube"),
        (Rules(jacoby=True, beavers=3), "money with the cube, jacoby=True, beavers=3"),
        (Rules(cube=False, start="nackgammon"), "cubeless money, start=nackgammon"),
        (Rules(max_cube=None), "money with the cube, max_cube=None"),
        (
            Rules(clock=Clock()),
            "money with the cube, clock of 11 s a turn and 90 s a game, then a gammon "
            "may be claimed",
        ),
        (
            Rules.preset("us-tournament", match_length=5),
            "match to 5 with the cube, clock of 12 s a turn and 600 s a match, then "
            "the match is lost",
        ),
        (
            Rules(cube=False, clock=Clock(reserve_seconds=0.5, award="single")),
            "cubeless money, clock of 11 s a turn and 0.5 s a game, then a single game "
            "may be claimed",
        ),
    ],
)
def test_rules_are_described_by_what_differs(rules, words):
    assert describe_rules(rules) == words
