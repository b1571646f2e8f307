"""Error rates: what they are made of, what they name, and which files they refuse."""

from __future__ import annotations

import gzip
import io
import json
import re

import numpy as np
import pytest
from arena_agents import AnyPlay, FirstPlay, LastPlay, OneMove
from rich.console import Console
from support import DATA, ORACLE, ROOT, data_rows

from bg_env._jit import DISABLED
from bg_env.agent import PlayChooser
from bg_env.errors import (
    IllegalPlayError,
    InvalidOptionError,
    InvalidPositionError,
    UnknownNameError,
)
from bg_env.evaluation import (
    JudgedPosition,
    JudgedPositions,
    Rate,
    error_rate,
    judge,
    load_judged,
)
from bg_env.evaluation.error_rate import ERROR_SCHEMA
from bg_env.rules.batch import apply_decisions, legal_masks
from bg_env.rules.decisions import ROLL
from bg_env.rules.movegen import legal_plays
from bg_env.rules.position import Position

PAGE = ROOT / "docs" / "evaluation.md"
SAMPLE = DATA / "play_sample.jsonl"
START = Position.start()
FORCED = Position.from_points({13: 1}, {24: 2, 7: 2, 8: 2})
CLOSED_OUT = Position.from_points({25: 1, 6: 14}, {p: 2 for p in range(1, 7)})
ROW = data_rows("play_sample")[0]


class Pips:
    """Rates by pips alone: the fewer, the surer to win."""

    name = "pips"

    def evaluate(self, boards):
        points = np.arange(1, 26)
        mine, yours = (boards[:, row, 1:26] @ points for row in (0, 1))
        chances = np.zeros((len(boards), 5), np.float32)
        chances[:, 0] = 0.5 + (yours - mine) / 1000
        return chances


class Best(PlayChooser):
    """Plays what the candidates of the sample say is best."""

    name = "best"

    def __init__(self, judged):
        self.values = {
            (entry.position, result): value
            for entry in judged
            for result, value in entry.candidates.items()
        }

    def choose(self, states, boards, offsets, streams):
        chosen = np.zeros(len(states), np.int64)
        for i, state in enumerate(states):
            before = Position.from_board(state["board"])
            part = range(offsets[i], offsets[i + 1])
            results = {k: Position.from_board(boards[k]) for k in part}
            chosen[i] = max(part, key=lambda k: self.values[before, results[k]])
        return chosen


@pytest.fixture(scope="module")
def sample():
    return load_judged(SAMPLE)


def printed(renderable):
    console = Console(file=io.StringIO(), width=80)
    console.print(renderable)
    return console.file.getvalue()


# --- figures --------------------------------------------------------------------------


def test_one_total_makes_three_figures_and_each_says_how_it_came_about():
    both = "moves of both sides, forced ones too"
    rates = [
        Rate("PR", 0.40, "unforced decisions", 10, 500),
        Rate("GNU rate", 0.40, "unforced decisions", 10, 1000),
        Rate("Snowie rate", 0.40, both, 30, 1000),
    ]
    assert [round(rate.value, 1) for rate in rates] == [20.0, 40.0, 13.3]
    assert str(rates[0]) == "PR 20.0 (500 × 0.400 points / 10 unforced decisions)"
    assert str(rates[2]) == f"Snowie rate 13.3 (1000 × 0.400 points / 30 {both})"


def test_a_rate_over_nothing_is_na():
    assert Rate("PR", 0.0, "unforced decisions", 0, 500).value is None
    assert "n/a" in str(Rate("PR", 0.0, "unforced decisions", 0, 500))


@pytest.mark.parametrize("agent", [FirstPlay(), LastPlay()])
def test_errors_are_equity_of_the_best_play_less_that_of_the_play_made(sample, agent):
    errors = []
    for entry in sample:
        result = agent.best_play(entry.position, entry.dice).result
        errors.append(max(entry.candidates.values()) - entry.candidates[result])
    rate = error_rate(agent, sample)
    assert (rate.decisions, rate.unforced) == (60, 60)
    assert rate.total_error == pytest.approx(sum(errors))
    assert rate.mean_error == pytest.approx(1000 * np.mean(errors))
    assert rate.pr == pytest.approx(500 * np.mean(errors))
    assert rate.standard_error == pytest.approx(1000 * np.std(errors, ddof=1) / 60**0.5)
    assert rate.best_share == pytest.approx(np.mean(np.array(errors) == 0))
    worst = [mistake.error for mistake in rate.worst]
    assert worst == pytest.approx([1000 * e for e in sorted(errors)[:-11:-1]])


def test_the_best_plays_make_no_error(sample):
    rate = error_rate(Best(sample), sample)
    assert (rate.pr, rate.mean_error, rate.standard_error) == (0, 0, 0)
    assert rate.best_share == 1
    assert rate.worst == ()
    assert "Worst" not in printed(rate.table())


def test_move_by_move_or_whole_plays_cost_the_same(sample):
    class MoveByMove:
        name = "move by move"

        def act(self, states, streams):
            return FirstPlay().act(states, streams)

    class Whole(FirstPlay):
        """The play that comes of deciding again after each move."""

        name = "move by move"

        def plays(self, states, streams):
            chosen = super().plays(states, streams)
            chosen[:, 1:] = 0
            return chosen

    assert error_rate(MoveByMove(), sample) == error_rate(Whole(), sample)
    assert error_rate(OneMove(), sample).decisions == 60


def test_chance_is_that_of_the_seed(sample):
    rates = [error_rate(AnyPlay(), sample, seed=seed) for seed in (4, 4, 5)]
    assert rates[0] == rates[1]
    assert rates[0].total_error != rates[2].total_error


def test_forced_decisions_count_but_are_not_asked_and_not_in_the_divisor(sample):
    class Never(FirstPlay):
        def choose(self, states, boards, offsets, streams):
            raise AssertionError("nobody decides here")

    forced = judge(Pips(), [(CLOSED_OUT, (6, 5)), (FORCED, (6, 5))])
    assert [len(entry.candidates) for entry in forced] == [1, 1]
    rate = error_rate(Never(), forced)
    assert (rate.decisions, rate.unforced, rate.pr) == (2, 0, None)
    assert "n/a" in str(rate)
    assert "n/a" in printed(rate.table())
    both = JudgedPositions("both", [*forced, *sample])
    one, other = error_rate(FirstPlay(), both), error_rate(FirstPlay(), sample)
    assert (one.decisions, one.unforced, one.pr) == (62, 60, other.pr)


def test_a_worst_decision_says_where_what_and_what_instead(sample):
    mistake = error_rate(LastPlay(), sample).worst[0]
    entry = next(entry for entry in sample if entry.position == mistake.position)
    played = LastPlay().best_play(entry.position, entry.dice).result
    assert mistake.error == pytest.approx(
        1000 * (entry.best - entry.candidates[played])
    )
    assert mistake.played != mistake.best
    text = printed(error_rate(LastPlay(), sample).table())
    assert mistake.position.id in text
    assert mistake.best.split()[0] in text


# --- shown ----------------------------------------------------------------------------


def test_judge_divisor_and_factor_are_always_shown(sample):
    rate = error_rate(FirstPlay(), sample)
    for text in (printed(rate.table()), str(rate)):
        assert "play_sample.jsonl" in text
        assert "/ 60 unforced decisions" in text
        assert "500 × " in text
    values = rate.to_dict()
    assert (values["divisor"], values["factor"]) == ("unforced decisions", 500)
    assert values["judge"] == "play_sample.jsonl"
    assert max(len(line) for line in printed(rate.table()).splitlines()) <= 80


def test_json_comes_back_as_it_was_and_is_what_the_page_documents(sample):
    values = error_rate(FirstPlay(), sample).to_dict()
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    page = PAGE.read_text(encoding="utf-8")
    section = page.split("## Error rate")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(values)
    assert f"`{ERROR_SCHEMA}`" in section


# --- judged by an evaluator -----------------------------------------------------------


def test_an_evaluator_judges_every_legal_play():
    judged = judge(Pips(), [(START, (3, 1)), (START, (6, 6))])
    assert judged.judge == "pips"
    entry = judged.positions[0]
    assert len(entry.candidates) == 16
    for result, value in entry.candidates.items():
        chances = Pips().evaluate(result.swapped().to_board()[None])[0]
        assert value == pytest.approx(-(2 * chances[0] - 1), abs=1e-6)


@pytest.mark.parametrize(
    ("loser", "points"),
    [({6: 13}, 1), ({6: 15}, 2), ({24: 1, 6: 14}, 3), ({25: 1, 6: 14}, 3)],
)
def test_plays_that_end_the_game_are_judged_exactly(loser, points):
    position = Position.from_points({2: 1}, loser)
    judged = judge(Pips(), [(position, (6, 6))])
    assert list(judged.positions[0].candidates.values()) == [points]


def test_an_agent_that_judges_makes_no_error_of_its_own(sample):
    positions = [(entry.position, entry.dice) for entry in sample]
    rate = error_rate("td", judge("td", positions))
    assert rate.judge == "td"
    assert rate.pr == pytest.approx(0, abs=0.01)


def test_a_roll_that_plays_nothing_has_the_position_as_its_only_candidate():
    judged = judge(Pips(), [(CLOSED_OUT, (6, 5))])
    assert list(judged.positions[0].candidates) == [CLOSED_OUT]


# --- files ----------------------------------------------------------------------------


def test_a_file_says_what_its_lines_say(sample):
    assert len(sample) == 60
    assert sample.judge == "play_sample.jsonl"
    for row, entry in zip(data_rows("play_sample"), sample, strict=True):
        assert entry.position.id == row["id"]
        assert list(entry.dice) == row["dice"]
        values = {result.id: value for result, value in entry.candidates.items()}
        assert values == dict(row["plays"])
        assert entry.best == row["plays"][0][1]


def test_a_packed_file_and_empty_lines_change_nothing(sample, tmp_path):
    path = tmp_path / "sample.gz"
    lines = SAMPLE.read_text(encoding="utf-8").replace("\n", "\n\n")
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.write(lines)
    packed = load_judged(path, judge="play_sample.jsonl")
    assert packed == sample


def changed(**fields):
    return json.dumps({**ROW, **fields})


def without(key):
    return json.dumps({name: value for name, value in ROW.items() if name != key})


FIRST, SECOND = ROW["plays"][0], ROW["plays"][1]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "is no JSON: '{'"),
        ("\x00\x1b[31m", r"is no JSON: '\x00\x1b[31m'"),
        ("[1, 2]", "is no JSON object"),
        ("[" * 100_000, "is no JSON"),
        (without("id"), "has no 'id'"),
        (without("dice"), "has no 'dice'"),
        (without("plays"), "has no 'plays'"),
        (changed(id="4HPwATDgc/ABM"), "A position id is 14 characters"),
        (changed(id=7), "A position id is 14 characters"),
        (changed(dice=[7, 1]), "two dice of 1 to 6, such as (3, 1), not [7, 1]"),
        (changed(dice=[3]), "not [3]"),
        (changed(dice="31"), "not '31'"),
        (changed(plays=7), "A play is [position id after it, equity], not 7"),
        (changed(plays=[]), "legal plays of roll"),
        (changed(plays=[["4HPwATDgc/ABMA"]]), "A play is [position id after it"),
        (changed(plays=[["nonsense", 0.1]]), "A position id is 14 characters"),
        (changed(plays=ROW["plays"][1:]), f"{FIRST[0]} is missing"),
        (changed(plays=[*ROW["plays"], FIRST]), f"{FIRST[0]} is judged twice"),
        (
            changed(plays=[*ROW["plays"], ["4HPwATDgc/ABMA", 0.1]]),
            "Candidate 4HPwATDgc/ABMA is no result of a legal play",
        ),
        (
            changed(plays=[[FIRST[0], float("nan")], *ROW["plays"][1:]]),
            "is a number of points, not nan",
        ),
        (changed(plays=[[FIRST[0], 10**400], *ROW["plays"][1:]]), "is a number of"),
        (changed(plays=[[FIRST[0], "0.1"], *ROW["plays"][1:]]), "not '0.1'"),
        (changed(plays=[[FIRST[0], True], *ROW["plays"][1:]]), "not True"),
    ],
)
def test_a_line_that_is_wrong_is_refused_with_its_number(line, words, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidOptionError) as raised:
        load_judged(path)
    assert str(raised.value).startswith(f"Line 2 of {str(path)!r}")
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_cut_short_is_refused_with_the_line_it_goes_to(tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(SAMPLE.read_bytes())[:-20])
    with pytest.raises(InvalidOptionError, match=r"is damaged after line \d+"):
        load_judged(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "has no judged positions"), (b"\n \n", "no judged"), (b"\xff\n", "no text")],
)
def test_a_file_of_nothing_or_of_bytes_is_refused(content, words, tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidOptionError, match=words):
        load_judged(path)


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere.jsonl", "There is no file"), (".", "cannot be read"), ("a\0b", "null")],
)
def test_a_file_that_cannot_be_read_is_refused(name, words, tmp_path):
    with pytest.raises(InvalidOptionError, match=words):
        load_judged(tmp_path / name)


# --- refusals -------------------------------------------------------------------------


def test_what_nobody_has_judged_is_refused(sample):
    with pytest.raises(InvalidOptionError, match=r"load_judged.*not list"):
        error_rate(FirstPlay(), [START])
    with pytest.raises(InvalidOptionError, match="has judged no position"):
        judge(Pips(), [])
    with pytest.raises(InvalidOptionError, match="JudgedPosition objects"):
        JudgedPositions("me", [START])
    with pytest.raises(UnknownNameError, match="nobody"):
        error_rate("nobody", sample)
    with pytest.raises(InvalidOptionError, match="seed is a whole number"):
        error_rate(FirstPlay(), sample, seed=-1)
    with pytest.raises(InvalidOptionError, match="'pubeval' cannot judge plays"):
        judge("pubeval", [(START, (3, 1))])


def test_positions_that_cannot_be_judged_are_refused():
    over = Position.from_points({}, {1: 2})
    with pytest.raises(InvalidPositionError, match="The game is over"):
        JudgedPosition(over, (3, 1), {over: 1.0})
    with pytest.raises(InvalidPositionError, match="such as Position"):
        judge(Pips(), [(START.id, (3, 1))])
    with pytest.raises(InvalidOptionError, match="two dice"):
        judge(Pips(), [(START, (0, 1))])
    some = {legal_plays(START, (3, 1))[0].result: 0.1}
    with pytest.raises(InvalidOptionError, match=r"Of the 16 legal plays .* only 1"):
        JudgedPosition(START, (3, 1), some)


def test_an_agent_that_plays_illegally_is_refused(sample):
    class Passing(FirstPlay):
        name = "passing"

        def plays(self, states, streams):
            return np.zeros((len(states), 4), np.int16)

    with pytest.raises(IllegalPlayError, match="'passing' made an illegal decision"):
        error_rate(Passing(), sample)


def test_an_agent_that_plays_on_after_its_turn_is_refused():
    class PlayingOn(FirstPlay):
        name = "playing on"

        def plays(self, states, streams):
            chosen = super().plays(states, streams)
            chosen[:, 2] = ROLL  # the opponent's roll, and then a move of his
            after = states.copy()
            for codes in chosen[:, :3].T:
                apply_decisions(after, codes)
            chosen[:, 3] = legal_masks(after)[:, 1:].argmax(axis=1) + 1
            return chosen

    position = Position.from_points({10: 1, 4: 1}, {24: 15})
    judged = judge(Pips(), [(position, (2, 1))])
    with pytest.raises(IllegalPlayError, match="made an illegal decision: number 2"):
        error_rate(PlayingOn(), judged)


# --- the whole corpus -----------------------------------------------------------------


@pytest.mark.skipif(DISABLED, reason="a thousand positions need the JIT")
def test_the_whole_corpus_is_read_and_any_play_costs_more_than_a_careful_one():
    path = ORACLE / "play_public.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the oracle corpus {path.name} is not beside this checkout")
    judged = load_judged(path)
    assert len(judged) == 1000
    rates = [error_rate(name, judged) for name in ("random", "pubeval")]
    assert [rate.unforced for rate in rates] == [1000, 1000]
    assert rates[0].pr > 2 * rates[1].pr > 10
    assert rates[1].best_share > 0.4
