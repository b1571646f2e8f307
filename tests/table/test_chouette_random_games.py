"""Many games of a chouette at random: what must hold after every decision."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from chouette_play import RandomPlayer
from slow_chouette import Ledger

from bg_env.agent import Agent, make_agent
from bg_env.rules.batch import legal_masks
from bg_env.rules.chance import draw_below
from bg_env.rules.decisions import DOUBLE, DROP
from bg_env.rules.options import Rules
from bg_env.table.chouette import Chouette, ChouetteSession, play_sessions

BOTH_CUBES = pytest.mark.parametrize("own_cubes", [False, True])
MOST_DECISIONS = 5000  # of one game; more would be a dead end
OUTCOMES = {"dropped": 0, "single": 1, "gammon": 2, "backgammon": 3}


def check(chouette: Chouette) -> None:
    """What holds at every moment (R33, R34) of any chouette."""
    state = chouette.state
    players = list(range(len(chouette.names)))
    assert sum(chouette.scores) == 0
    assert sorted((chouette.box, *chouette.line)) == players
    members_in = chouette.members_in
    for question in chouette.asked:
        assert question.player == chouette.box or question.player in members_in
        assert question.members
        assert set(question.members) <= set(members_in)
    if chouette.stage != "answering" and members_in:
        assert chouette.captain == members_in[0]
    boards = state.records["board"][[chouette.box, *members_in]]
    assert (boards == boards[0]).all()
    if not chouette.own_cubes and chouette.stage != "answering":
        assert len({chouette.cube_of(member) for member in members_in}) <= 1
    for player in players:
        legal = chouette.legal_decisions(player)
        assert bool(legal) == (player == chouette.to_act)
    assert chouette.is_over == (chouette.to_act is None)


class Checked:
    """A function that checks before it lets another decide."""

    def __init__(self, seed: int, **chances: float) -> None:
        self.player = RandomPlayer(seed, **chances)

    def __call__(self, chouette: Chouette, player: int) -> int:
        """A decision of the player asked."""
        check(chouette)
        assert len(chouette.history) < MOST_DECISIONS
        return self.player(chouette, player)


def play_checked(count: int, games: int, own_cubes: bool, seed: int) -> Counter[str]:
    """Games of random players in a row, each followed by the slow ledger.

    Returns:
        How often each outcome and each winner came up.
    """
    rules = Rules(jacoby=seed % 2 == 1, automatic_doubles=seed % 3)
    chouette = Chouette(count, rules=rules, own_cubes=own_cubes, seed=seed)
    decide = Checked(seed, double=0.1 + 0.4 * (seed % 2))
    seen: Counter[str] = Counter()
    for _ in range(games):
        before, seats = chouette.scores, (chouette.box, *chouette.line)
        while not chouette.is_over:
            chouette.apply(chouette.to_act, decide(chouette, chouette.to_act))
        check(chouette)
        ties = int(chouette.state.records["automatic_made"].max())
        compare(chouette, seats, before, ties)
        seen[chouette.result.outcome] += 1
        seen[chouette.result.winner] += 1
        chouette.next_game()
    return seen


def compare(
    chouette: Chouette, seats: tuple[int, ...], before: tuple[int, ...], ties: int
) -> None:
    """Payments and seats are those of the slow ledger (R32 to R35)."""
    ledger = Ledger(seats, own_cubes=chouette.own_cubes, jacoby=chouette.rules.jacoby)
    ledger.cube = dict.fromkeys(ledger.cube, 2**ties)
    ledger.follow(chouette.history)
    result = chouette.result
    level = OUTCOMES[result.outcome]
    following = ledger.end(level, team_won=bool(chouette.team_won))
    changes = [now - then for now, then in zip(chouette.scores, before, strict=True)]
    assert changes == [ledger.changes[player] for player in range(len(before))]
    assert tuple(changes) == result.changes
    assert chouette.next_order == tuple(following)


@BOTH_CUBES
@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_random_games_add_up_and_keep_their_seats(count: int, own_cubes: bool) -> None:
    """R32, R33, R34, R35: after every decision, and against a slow ledger."""
    seen: Counter[str] = Counter()
    for seed in range(4):
        seen += play_checked(count, 8, own_cubes, seed)
    assert seen["box"]
    assert seen["team"]
    assert seen["dropped"]


@pytest.mark.heavy
@BOTH_CUBES
@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_ten_thousand_random_games_add_up(count: int, own_cubes: bool) -> None:
    """R30 to R35: a thousand games for each number of players and kind of cube."""
    seen: Counter[str] = Counter()
    for seed in range(10):
        seen += play_checked(count, 100, own_cubes, seed)
    assert all(seen[outcome] for outcome in OUTCOMES), seen


class WithCube:
    """An agent's plays; doubles, takes and drops from its random numbers."""

    name = "with cube"

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def act(self, states: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """One time in five a double or a drop where the agent has none."""
        codes = self.agent.act(states, streams)
        rare = draw_below(streams, 5) == 0
        masks = legal_masks(states)
        for code in (DOUBLE, DROP):
            codes[rare & (masks[:, code] == 1)] = code
        return codes


def play_agents(name: str, sessions: int, games: int) -> Counter[str]:
    """Sessions of three to seven players side by side, checked at the end of games."""
    agent, cube = make_agent(name), WithCube(make_agent(name))
    tables = [
        ChouetteSession(
            [
                agent if seed % 2 and number % 3 else cube
                for number in range(3 + seed % 5)
            ],
            own_cubes=seed // 10 % 2 == 1,
            seed=seed,
        )
        for seed in range(sessions)
    ]
    play_sessions(tables, games)
    seen: Counter[str] = Counter()
    for table in tables:
        check(table.chouette)
        assert len(table.sheet.games) == games
        assert table.sheet.totals == settled(table.chouette)
        seen += Counter(row.outcome for row in table.sheet.games)
    return seen


def settled(chouette: Chouette) -> tuple[int, ...]:
    """The scores before the game under way."""
    scores = list(chouette.scores)
    for payer, payee, points in chouette.payments:
        scores[payer] += points
        scores[payee] -= points
    return tuple(scores)


@pytest.mark.parametrize("name", ["random", "td"])
def test_agents_play_whole_sessions(name: str) -> None:
    """R31 to R35: some of them with doubles and drops."""
    seen = play_agents(name, 20, 3)
    assert seen.total() == 60
    assert set(seen) <= set(OUTCOMES)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["random", "td"])
def test_ten_thousand_games_of_agents_come_to_an_end(name: str) -> None:
    """R31 to R35: three to seven players, both kinds of cube."""
    seen = play_agents(name, 1000, 10)
    assert seen.total() == 10_000
    assert set(seen) == set(OUTCOMES)


# --- sessions -----------------------------------------------------------------------


def test_a_session_is_the_same_alone_and_among_others() -> None:
    """Agents draw from the stream of each chouette alone."""

    def table(seed: int) -> ChouetteSession:
        return ChouetteSession([agent] * 4, seed=seed)

    agent = make_agent("random")
    together = [table(seed) for seed in range(5)]
    play_sessions(together, 2)
    for seed, session in enumerate(together):
        alone = table(seed)
        alone.play(1)
        alone.play(1)
        assert alone.sheet == session.sheet


def test_a_session_depends_on_its_seed_alone() -> None:
    sheets = [ChouetteSession(["random"] * 3, seed=4).play(3) for _ in range(2)]
    assert sheets[0] == sheets[1]
    assert sheets[0] != ChouetteSession(["random"] * 3, seed=5).play(3)


def test_the_dice_of_all_records_stay_the_same() -> None:
    """Who is still in sees the rolls of the table."""
    chouette = Chouette(5, own_cubes=True, seed=8)
    decide = RandomPlayer(8)
    while not chouette.is_over:
        records = chouette.state.records[[chouette.box, *chouette.members_in]]
        assert len(set(records["dice_stream"].tolist())) == 1
        assert (records["roll"] == records["roll"][0]).all()
        chouette.apply(chouette.to_act, decide(chouette, chouette.to_act))
