"""``bg-env warmup``: compile all kernels ahead of their first use."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import entry_points
from typing import Final

import typer

from bg_env.cli._errors import tell
from bg_env.errors import BgEnvError

_OWN_AGENTS: Final = "bg_agents"
_STEPS: Final = 20


def warmup() -> None:
    """Compile everything now, so that nothing waits for it later.

    Compiled code and bear-off tables are kept on disk; a second run takes seconds.
    """
    begun = time.perf_counter()
    for name, run in _tasks():
        started = time.perf_counter()
        try:
            run()
        except BgEnvError as error:
            tell(f"warning: {name} left out: {error}")
            continue
        typer.echo(f"{name:<36}{time.perf_counter() - started:6.1f} s")
    typer.echo(f"{'all':<36}{time.perf_counter() - begun:6.1f} s")


def _tasks() -> Iterator[tuple[str, Callable[[], None]]]:
    """What to run once, by name."""
    yield "rules", _warm_rules
    yield "bear-off tables", _warm_bearoff
    for point in entry_points(group="bg_env.agents"):
        if point.module.partition(".")[0] == _OWN_AGENTS:
            yield f"agent {point.name}", partial(_warm_agent, point.name)
    yield from _environment_tasks()
    for point in entry_points(group="bg_env.warmups"):
        yield point.name, point.load()


def _warm_rules() -> None:
    from bg_env.notation import format_play
    from bg_env.rules.game import GameState
    from bg_env.rules.movegen import legal_moves, legal_plays, perft
    from bg_env.rules.position import Position

    start = Position.start()
    format_play(start, legal_plays(start, (3, 1))[0].moves)
    legal_moves(start, (3, 1))
    perft(start, 1)
    state = GameState.new()
    while not state.is_over and state.turn < _STEPS:
        state.apply(state.legal_decisions()[0])


def _warm_bearoff() -> None:
    from bg_env.equity import bearoff

    bearoff.warm_up()


def _warm_agent(name: str) -> None:
    from bg_env.agent import PlayingAgent, make_agent
    from bg_env.evaluation import evaluate
    from bg_env.rules.game import GameState
    from bg_env.rules.position import Position

    evaluate(name, name, games=2)
    agent = make_agent(name)
    state = GameState.from_position(Position.start(), dice=(3, 1))
    agent.act(state.record, state.record["choice_stream"].copy())
    if isinstance(agent, PlayingAgent):
        agent.plays(state.record, state.record["choice_stream"].copy())
    if hasattr(agent, "evaluate"):  # it gives chances, and may play the cube by them
        evaluate(name, name, games=2, rules="standard", luck=name)


def _environment_tasks() -> Iterator[tuple[str, Callable[[], None]]]:
    from bg_env.encoding import encoder_names
    from bg_env.envs.registration import IDS, register_envs

    register_envs()
    for name in IDS:
        for observation in encoder_names():
            yield f"{name} {observation}", partial(_warm_env, name, observation)


def _warm_env(name: str, observation: str) -> None:
    import gymnasium

    for opponent in ("self", "random"):
        env = gymnasium.make(name, observation=observation, opponent=opponent)
        _, info = env.reset(seed=0)
        for _ in range(_STEPS):
            _, _, terminated, truncated, info = env.step(
                int(info["action_mask"].argmax())
            )
            if terminated or truncated:
                _, info = env.reset()
        env.close()
