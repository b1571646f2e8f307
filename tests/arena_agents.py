"""Tiny agents, and an arena of one game at a time to check the real one against."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bg_env.agent import Agent, PlayChooser, decide
from bg_env.rules.batch import new_states, seed_states
from bg_env.rules.decisions import FIRST_MOVE, LAST_MOVE, RESIGN_SINGLE, ROLL
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.state import OPENING


class FirstPlay(PlayChooser):
    """Always the first play of the list: no chance in it."""

    name = "first"

    def choose(self, states, boards, offsets, streams):
        return offsets[:-1].copy()


class LastPlay(PlayChooser):
    """Always the last play of the list."""

    name = "last"

    def choose(self, states, boards, offsets, streams):
        return offsets[1:] - 1


class AnyPlay(PlayChooser):
    """A play drawn from the game's own stream."""

    name = "any"

    def choose(self, states, boards, offsets, streams):
        streams += np.uint64(0x9E3779B97F4A7C15)
        counts = np.diff(offsets).astype(np.uint64)
        return offsets[:-1] + ((streams >> np.uint64(33)) % counts).astype(np.int64)


class AnyDecision:
    """Any legal decision: cube, resignations and moves, drawn from the stream."""

    name = "anything"

    def act(self, states, streams):
        codes = np.zeros(len(states), np.int64)
        streams += np.uint64(0x9E3779B97F4A7C15)
        for i in range(len(states)):
            game = GameState(states[i : i + 1], Rules())
            codes[i] = self.pick(game.legal_decisions(), int(streams[i]) >> 33)
        return codes

    def pick(self, legal, number):
        """Resigns seldom, so that games are not all over at once."""
        kept = [code for code in legal if code < RESIGN_SINGLE] or legal
        choices = legal if number % 16 == 0 else kept
        return choices[number // 16 % len(choices)]


class OneMove:
    """Decides move by move, never by whole plays; always the highest legal move."""

    name = "one move"

    def act(self, states, streams):
        codes = np.zeros(len(states), np.int64)
        for i in range(len(states)):
            legal = GameState(states[i : i + 1], Rules()).legal_decisions()
            moves = [code for code in legal if FIRST_MOVE <= code <= LAST_MOVE]
            codes[i] = moves[-1] if moves else (ROLL if ROLL in legal else legal[0])
        return codes


class Interrupting(FirstPlay):
    """Plays on for a number of calls; then somebody presses Ctrl-C."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def choose(self, states, boards, offsets, streams):
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return super().choose(states, boards, offsets, streams)


# --- one game at a time --------------------------------------------------------------


@dataclass
class Games:
    """What agent a did in a list of units, one entry per game."""

    nets: list[list[int]] = field(default_factory=list)  # of each unit, game by game
    levels: list[int] = field(default_factory=list)
    endings: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    won: list[bool] = field(default_factory=list)
    first_won: list[bool] = field(default_factory=list)


def play_one_by_one(
    a: Agent, b: Agent, rules: Rules, *, units: int, seed: int, paired: bool
) -> Games:
    """Play units through `GameState`, one after the other."""
    games = Games()
    for number in range(units):
        state = GameState(seeded_record(rules, number, seed, paired), rules)
        nets: list[int] = []
        while True:
            play_game(state, (a, b), number % 2, games, nets)
            if state.is_match_over:
                break
            state.next_game()
        games.nets.append(nets)
    return games


def seeded_record(rules: Rules, number: int, seed: int, paired: bool):
    """One record: choices by the game's number, dice by that of its pair."""
    record, other = new_states(1, rules), new_states(1, rules)
    seed_states(record, seed, number)
    seed_states(other, seed, number // 2 if paired else number)
    record["dice_stream"] = other["dice_stream"]
    return record


def play_game(
    state: GameState, agents: tuple[Agent, Agent], seat: int, games: Games, nets
) -> None:
    """Play one game to its end and write it down."""
    first = None
    while not state.is_over:
        if first is None and state.phase != OPENING:
            first = state.on_roll
        legal = state.legal_decisions()
        if legal in ([0], [ROLL]):
            state.apply(legal[0])
            continue
        agent = agents[0] if state.to_act == seat else agents[1]
        streams = state.record["choice_stream"].copy()
        codes = decide(agent, state.record.copy(), streams)[0]
        state.record["choice_stream"] = streams
        for k, code in enumerate(codes.tolist()):
            if k == 0 or code:
                state.apply(code)
    won = state.winner == seat
    nets.append(state.points if won else -state.points)
    games.levels.append(state.level)
    games.endings.append(state.ending)
    games.turns.append(state.turn)
    games.won.append(won)
    games.first_won.append(state.winner == first)
