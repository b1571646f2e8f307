"""Two agents play many cubeless games: a small loop for the tests of agents."""

from __future__ import annotations

import numpy as np
from bg_agents import RandomAgent
from numpy.typing import NDArray

from bg_env.agent import Agent, decide, refuse_illegal
from bg_env.rules._drive import apply_sequences, play_all_forced
from bg_env.rules.batch import States, apply_decisions, new_states, seed_states
from bg_env.rules.options import Rules
from bg_env.rules.state import OVER, STATE_DTYPE

MAX_TURNS = 2000


def play_pairs(
    first: Agent, second: Agent, pairs: int, *, seed: int = 1, start: str = "standard"
) -> NDArray[np.int64]:
    """Points of `first`: int64[2, pairs], as player 0 and, same dice, as player 1."""
    rules = Rules(cube=False, start=start)
    states = new_states(2 * pairs, rules)
    for half in (states[:pairs], states[pairs:]):
        seed_states(half, seed)
    seat = np.repeat([0, 1], pairs)  # of the first agent
    play_out(states, seat, (first, second))
    won = states["winner"] == seat
    points = np.where(won, states["points"], -states["points"])
    return points.reshape(2, pairs)


def play_out(
    states: States, seat: NDArray[np.int64], agents: tuple[Agent, Agent]
) -> None:
    """Play all games to the end, agents[0] for player `seat`. In place."""
    while (states["phase"] != OVER).any():
        for agent, player in zip(agents, (seat, 1 - seat), strict=True):
            play_all_forced(states, MAX_TURNS, np.zeros(len(states), np.int64))
            assert (states["turn"] <= MAX_TURNS).all(), "a game did not come to an end"
            acting = (states["phase"] != OVER) & (states["to_act"] == player)
            step(states, np.flatnonzero(acting), agent)


def step(states: States, games: NDArray[np.int64], agent: Agent) -> None:
    """One decision or whole play of `agent` in some games. In place."""
    if not len(games):
        return
    part = states[games]
    streams = part["choice_stream"].copy()
    codes = decide(agent, part, streams)
    before = part.copy()
    illegal = np.zeros(len(part), np.int8)
    apply_sequences(part, codes, illegal)
    refuse_illegal(agent, before, codes, illegal)
    part["choice_stream"] = streams
    states[games] = part


def states_on_the_way(
    start: str = "standard", *, games: int = 24, decisions: int = 120, seed: int = 5
) -> States:
    """States of random games in which a checker is to be moved, many in mid-turn."""
    states = new_states(games, Rules(cube=False, start=start))
    seed_states(states, seed)
    agent = RandomAgent()
    kept = []
    for number in range(decisions):
        play_all_forced(states, MAX_TURNS, np.zeros(games, np.int64))
        going = states["phase"] != OVER
        if number % 3 == 0:
            kept.append(states[going].copy())
        streams = states["choice_stream"].copy()
        apply_decisions(states, agent.act(states, streams))
        states["choice_stream"] = streams
    return np.concatenate(kept, dtype=STATE_DTYPE)
