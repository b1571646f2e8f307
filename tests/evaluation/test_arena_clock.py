"""The arena on the clock (R29): what is charged, who is flagged, who claims."""

from __future__ import annotations

import dataclasses
import io
import json

import numpy as np
import pytest
from arena_agents import AnyDecision, AnyPlay, FirstPlay, LastPlay, seeded_record
from command_runner import run
from rich.console import Console
from support import DATA

from bg_env import agent as agents_by_name
from bg_env.agent import decide
from bg_env.errors import IllegalPlayError, InvalidOptionError
from bg_env.evaluation import evaluate
from bg_env.rules.decisions import CLAIM, ROLL
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules

TIMED = Rules.preset("timed")
TOURNAMENT = Rules.preset("us-tournament", match_length=3)
NEVER_RENEWED = Rules(match_length=3, clock=Clock(reserve_seconds=200, renewed="match"))
SHORT = Clock(turn_seconds=0, reserve_seconds=0.01)


class FakeTime:
    """A source of time that passes only where an agent lets it."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Thinking:
    """Decides as another agent, taking so many seconds for each game of a call."""

    def __init__(self, agent, source, seconds):
        self.name = agent.name
        self.agent, self.source, self.seconds = agent, source, seconds
        self.calls = []
        if hasattr(agent, "claims_on_time"):
            self.claims_on_time = agent.claims_on_time

    def act(self, states, streams):
        self.think(len(states))
        return self.agent.act(states, streams)

    def think(self, games):
        self.calls.append(games)
        self.source.now += self.seconds * games


class ThinkingOfPlays(Thinking):
    """The same with whole plays."""

    def plays(self, states, streams):
        self.think(len(states))
        return self.agent.plays(states, streams)


class TakingAll(ThinkingOfPlays):
    """Takes so many seconds for a call, however many games there are."""

    def think(self, games):
        self.calls.append(games)
        self.source.now += self.seconds


class Claiming:
    """Claims on time wherever it decides, else plays as `FirstPlay`."""

    name = "claiming"
    claims_on_time = True

    def act(self, states, streams):
        codes = FirstPlay().act(states, streams)
        for i in range(len(states)):
            if GameState(states[i : i + 1], Rules()).is_legal(CLAIM):
                codes[i] = CLAIM
        return codes


class Forgiving(FirstPlay):
    """Decides about claims itself and never makes one."""

    name = "forgiving"
    claims_on_time = True


def thinking(agent, source, seconds):
    kind = ThinkingOfPlays if hasattr(agent, "plays") else Thinking
    return kind(agent, source, seconds)


def timed(a, b, seconds, **options):
    """Play two agents that think for so long, in a time of their own."""
    source = FakeTime()
    pair = [thinking(x, source, s) for x, s in zip((a, b), seconds, strict=True)]
    return evaluate(*pair, **{"games": 6, "timed": source, "rules": TIMED, **options})


def printed(result):
    console = Console(file=io.StringIO(), width=80)
    console.print(result.table())
    return console.file.getvalue()


# --- the same as one game at a time ---------------------------------------------------


@dataclasses.dataclass
class ByHand:
    """What agent a did in games played one by one; pairs are (of a, of b)."""

    net: int = 0
    games: int = 0
    turns: int = 0
    claimed: int = 0
    decisions: list[int] = dataclasses.field(default_factory=lambda: [0, 0])
    falls: list[int] = dataclasses.field(default_factory=lambda: [0, 0])
    won_on_time: list[int] = dataclasses.field(default_factory=lambda: [0, 0])


def play_by_hand(agents, seconds, rules, units=6, seed=0):
    """Units played through `GameState`; whoever may claim, claims at once."""
    sums = ByHand()
    for number in range(units):
        seat = number % 2
        state = GameState(seeded_record(rules, number, seed, paired=True), rules)
        while True:
            while not state.is_over:
                decide_by_hand(state, agents, seconds, seat, sums)
            sums.net += state.points if state.winner == seat else -state.points
            sums.games += 1
            sums.turns += state.turn
            if state.ending == 4:
                sums.claimed += 1
                sums.won_on_time[0 if state.winner == seat else 1] += 1
            if state.is_match_over:
                break
            state.next_game()
    return sums


def decide_by_hand(state, agents, seconds, seat, sums):
    legal = state.legal_decisions()
    if legal in ([0], [ROLL]):
        state.apply(legal[0])
        return
    if claim_by_hand(state):
        return
    player = state.to_act
    who = 0 if player == seat else 1
    streams = state.record["choice_stream"].copy()
    codes = decide(agents[who], state.record.copy(), streams)[0]
    state.record["choice_stream"] = streams
    had_time = state.reserve[player] > 0
    state.pass_time(seconds[who])
    sums.decisions[who] += 1
    sums.falls[who] += had_time and state.reserve[player] == 0
    if state.is_over or claim_by_hand(state):
        return
    for k, code in enumerate(codes.tolist()):
        if k == 0 or code:
            state.apply(code)


def claim_by_hand(state):
    for player in (1 - state.to_act, state.to_act):
        if state.reserve[1 - player] == 0:
            state.claim(player)
            return True
    return False


@pytest.mark.parametrize(
    ("a", "b", "seconds", "rules"),
    [
        (FirstPlay(), LastPlay(), (20.0, 0.5), TIMED),
        (AnyPlay(), AnyPlay(), (9.0, 9.25), TIMED),
        (AnyDecision(), AnyPlay(), (13.0, 16.0), TIMED),
        (AnyPlay(), LastPlay(), (30.0, 28.0), TOURNAMENT),
        (AnyPlay(), LastPlay(), (20.0, 1.0), NEVER_RENEWED),
        (
            AnyDecision(),
            AnyDecision(),
            (4.0, 4.5),
            Rules(
                beavers=2, jacoby=True, clock=Clock(turn_seconds=2, reserve_seconds=9)
            ),
        ),
    ],
    ids=["one slow", "two slow", "resigning", "tournament", "never renewed", "cube"],
)
def test_the_arena_charges_what_single_games_are_charged(a, b, seconds, rules):
    """R29: time first, then claims, then the decision."""
    games = play_by_hand((a, b), seconds, rules)
    result = timed(a, b, seconds, rules=rules)
    use = result.time_use
    assert result.played == games.games
    assert result.points_per_game == pytest.approx(games.net / games.games)
    assert result.turns_per_game == pytest.approx(games.turns / games.games)
    assert result.endings.claimed == games.claimed > 0
    for i, side in enumerate((use.a, use.b)):
        assert side.decisions == games.decisions[i]
        assert side.seconds == games.decisions[i] * seconds[i]
        assert side.seconds_per_decision == side.longest_decision == seconds[i]
        assert side.flag_falls == games.falls[i]
        assert side.won_on_time == games.won_on_time[i]
        assert side.lost_on_time == games.won_on_time[1 - i]


# --- how the time of a call is shared -------------------------------------------------


def test_the_time_of_a_call_is_divided_over_its_games():
    source = FakeTime()
    a = TakingAll(FirstPlay(), source, 1.0)
    b = TakingAll(LastPlay(), source, 0.25)
    use = evaluate(a, b, games=8, rules=TIMED, timed=source).time_use
    assert use.a.decisions == sum(a.calls)
    assert use.a.seconds == pytest.approx(len(a.calls))
    assert use.b.seconds == pytest.approx(len(b.calls) / 4)
    assert use.a.longest_decision == 1 / min(a.calls)
    assert use.batch_size == 2048
    assert max(a.calls) > 1


def test_at_batch_size_1_every_decision_is_a_call_of_its_own():
    source = FakeTime()
    a = TakingAll(FirstPlay(), source, 0.5)
    options = {"games": 4, "rules": TIMED, "timed": source, "batch_size": 1}
    use = evaluate(a, LastPlay(), **options).time_use
    assert set(a.calls) == {1}
    assert use.a.seconds_per_decision == use.a.longest_decision == 0.5
    assert (use.batch_size, use.b.seconds) == (1, 0.0)


def test_whole_plays_do_not_pay_for_other_decisions():
    """The call that plays is another than the call that doubles."""

    class SlowPlays(ThinkingOfPlays):
        def act(self, states, streams):
            return self.agent.act(states, streams)

    source = FakeTime()
    slow = SlowPlays(FirstPlay(), source, 1.0)
    use = evaluate(slow, LastPlay(), games=6, rules=TIMED, timed=source).time_use
    assert use.a.seconds == sum(slow.calls) < use.a.decisions
    assert use.a.longest_decision == 1.0


def test_less_than_a_millisecond_is_not_lost():
    """39 decisions of 1 / 4096 s make 9.5 ms, which is 10 ms to the nearest."""
    rules = Rules(cube=False, resign="immediate", clock=SHORT)
    result = timed(FirstPlay(), LastPlay(), (2**-12, 0.0), rules=rules)
    use = result.time_use
    assert result.endings.claimed == 6
    assert use.a.decisions == 6 * 39
    assert use.a.flag_falls == use.a.lost_on_time == use.b.won_on_time == 6
    assert use.b.flag_falls == 0


# --- claims ---------------------------------------------------------------------------


def test_without_a_claim_a_flagged_agent_plays_on():
    slow = (200.0, 0.0)
    claimed = timed(FirstPlay(), LastPlay(), slow)
    played = timed(FirstPlay(), LastPlay(), slow, claims=False)
    on_the_board = evaluate(FirstPlay(), LastPlay(), games=6, rules=TIMED)
    assert claimed.endings.claimed == claimed.outcomes.lost.gammons == 6
    assert played.endings == on_the_board.endings
    assert played.time_use.a.flag_falls == 6
    assert played.time_use.a.lost_on_time == 0
    assert not played.time_use.b.arena_claims


def test_an_agent_may_claim_by_itself_when_it_decides():
    result = timed(Claiming(), LastPlay(), (0.0, 200.0))
    use = result.time_use
    assert (use.a.arena_claims, use.b.arena_claims) == (False, True)
    assert use.a.won_on_time == use.b.lost_on_time == result.endings.claimed == 6
    assert use.a.decisions >= 6


def test_the_arena_does_not_claim_for_an_agent_that_decides_about_claims():
    result = timed(Forgiving(), LastPlay(), (0.0, 200.0))
    assert result.endings.claimed == 0
    assert result.time_use.b.flag_falls == 6


def test_a_game_won_on_the_board_before_the_flag_falls_stands():
    result = timed(FirstPlay(), LastPlay(), (1.0, 1.0))
    assert result.endings.claimed == 0
    assert result.endings.borne_off == 6


# --- what stays as it was -------------------------------------------------------------


def test_agents_are_not_charged_unless_it_is_asked_for():
    slow = timed(FirstPlay(), LastPlay(), (900.0, 900.0), timed=False)
    assert slow == evaluate(FirstPlay(), LastPlay(), games=6, rules=TIMED)
    assert slow.time_use is None
    assert slow.to_dict()["time_use"] is None
    assert "time" not in str(slow)
    assert "Clock" not in printed(slow)


def test_with_time_enough_the_games_are_the_same():
    for rules in (TIMED, TOURNAMENT):
        on_time = timed(AnyPlay(), LastPlay(), (0.5, 0.25), rules=rules)
        plain = evaluate(AnyPlay(), LastPlay(), games=6, rules=rules)
        assert dataclasses.replace(on_time, time_use=None) == plain


def test_results_are_equal_when_counts_are_whatever_the_seconds():
    one, other = (timed(FirstPlay(), LastPlay(), (s, 0.0)) for s in (0.5, 1.0))
    assert one == other
    assert one != timed(FirstPlay(), LastPlay(), (200.0, 0.0))


def test_time_is_that_of_the_machine_when_no_source_is_given():
    use = evaluate(FirstPlay(), LastPlay(), games=2, rules=TIMED, timed=True).time_use
    assert use.a.seconds > 0
    assert use.a.longest_decision >= use.a.seconds_per_decision


def test_truncated_games_count_nowhere():
    result = timed(FirstPlay(), LastPlay(), (1.0, 1.0), max_turns=1)
    assert result.truncated == 6
    assert result.time_use.a.decisions == result.time_use.b.seconds == 0
    assert result.time_use.a.longest_decision is None
    assert "n/a" in printed(result)
    json.dumps(result.to_dict(), allow_nan=False)


# --- for people and as JSON -----------------------------------------------------------


def test_table_and_line_say_what_was_lost_on_time():
    result = timed(FirstPlay(), LastPlay(), (200.0, 0.25))
    text = printed(result)
    assert "Clock of first         " in text
    assert "a decision 200.0 s, at most 200.0 s" in text
    assert "a decision 250 ms, at most 250 ms" in text
    assert "6 games, 6 flag falls" in text
    assert "0 games, 0 flag falls" in text
    assert "0 won and 6 lost on time" in str(result)
    assert max(map(len, text.splitlines())) <= 80


def test_json_has_the_clocks_of_both_agents():
    use = timed(FirstPlay(), LastPlay(), (200.0, 0.25)).to_dict()["time_use"]
    assert list(use) == ["a", "b", "batch_size"]
    assert use["a"] == {
        "seconds": 200.0 * use["a"]["decisions"],
        "decisions": 6,
        "seconds_per_decision": 200.0,
        "longest_decision": 200.0,
        "flag_falls": 6,
        "won_on_time": 0,
        "lost_on_time": 6,
        "arena_claims": True,
    }


def test_luck_is_measured_on_the_clock_too():
    class Even:
        name = "even"

        def evaluate(self, boards):
            return np.full((len(boards), 5), (0.5, 0, 0, 0, 0), np.float32)

    slow = (20.0, 0.0)
    lucky = timed(FirstPlay(), LastPlay(), slow, games=2, luck=Even())
    plain = timed(FirstPlay(), LastPlay(), slow, games=2)
    assert lucky.luck_adjusted is not None
    assert dataclasses.replace(lucky, luck_adjusted=None) == plain


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timed": True}, "rules with a clock, .* not cubeless money"),
        ({"timed": True, "rules": "match"}, "rules with a clock, .* not match to 7"),
        ({"timed": 3, "rules": "timed"}, "timed is True, False or a function"),
        ({"timed": None, "rules": "timed"}, "timed is True, False or a function"),
        ({"claims": "yes"}, "claims is True or False, not 'yes'"),
    ],
)
def test_impossible_arguments_are_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        evaluate(FirstPlay(), LastPlay(), games=2, **options)


@pytest.mark.parametrize("step", [-1.0, float("nan"), float("inf")])
def test_a_time_that_falls_is_refused(step):
    with pytest.raises(InvalidOptionError, match="seconds that never fall"):
        timed(FirstPlay(), LastPlay(), (step, 0.0))


def test_an_illegal_decision_is_refused_though_the_flag_has_fallen():
    class Passing(FirstPlay):
        def plays(self, states, streams):
            return np.zeros((len(states), 4), np.int16)

    with pytest.raises(IllegalPlayError, match="illegal decision"):
        timed(Passing(), LastPlay(), (5000.0, 0.0), rules=TOURNAMENT)


# --- on the command line --------------------------------------------------------------


@pytest.fixture
def known_agents(monkeypatch):
    """Agents that play fast, forgotten after the test."""
    monkeypatch.setattr(agents_by_name, "_registered", {})
    agents_by_name.register_agent("first", FirstPlay)
    agents_by_name.register_agent("last", LastPlay)


def test_the_command_plays_on_the_clock(known_agents, tmp_path):
    path = tmp_path / "result.json"
    result = run(
        "evaluate", "first", "last", "--games", "2", "--rules", "timed", "--timed",
        "--batch-size", "1", "--json", str(path),
    )  # fmt: skip
    assert result.exit_code == 0
    assert "Lost on time by first" in result.stdout
    use = json.loads(path.read_text())["time_use"]
    assert use["batch_size"] == 1
    assert use["a"]["seconds"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["first", "last", "--timed"], "rules with a clock"),
        (["first", "last", "--batch-size", "0"], "--batch-size"),
        (["first", "--timed", "--error-rate", str(DATA / "play_sample.jsonl")],
         "leave the option --timed out"),
    ],
)  # fmt: skip
def test_the_command_refuses_in_one_sentence(known_agents, arguments, message):
    result = run("evaluate", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
