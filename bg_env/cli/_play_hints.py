"""Hints of ``bg-env play``: what another agent thinks of a decision."""

from __future__ import annotations

from typing import Any, Final

from bg_env.agent import Agent
from bg_env.cli._play_words import wrapped
from bg_env.errors import IllegalActionError
from bg_env.evaluation.analysis import CubeAnalysis, PlayAnalysis, analyze
from bg_env.notation.plays import NO_PLAY, format_play
from bg_env.table import Game
from bg_env.table.asking import event_of_agent
from bg_env.table.history import does

_MOST: Final = 5


def hint(game: Game, agent: Agent, name: str) -> tuple[str, list[str]]:
    """What an agent says of the decision that is due.

    Args:
        game: A person is to act.
        agent: Who is asked.
        name: What to call it.

    Returns:
        (text of at most 80 columns, the plays that are numbered in it).

    Raises:
        IllegalActionError: There is nothing to choose.
    """
    state = game.state
    if game.plays() == [NO_PLAY]:
        raise IllegalActionError("There is nothing to choose: no play is legal.")
    if state.offer or not hasattr(agent, "evaluate"):
        return f"{name} would {_own_decision(game, agent)}.", []
    judge: Any = agent
    analysis = analyze(state, judge, plays=_MOST)
    if isinstance(analysis, PlayAnalysis):
        return _plays_text(analysis, name), [play.text for play in analysis.plays]
    return _cube_text(analysis, name, game.names[state.on_roll]), []


def _own_decision(game: Game, agent: Agent) -> str:
    """What an agent would do itself, as a verb."""
    event = event_of_agent(agent, game.state)
    if event.kind == "play":
        return f"play {format_play(game.state.position, event.moves)}"
    return event.kind


def _plays_text(analysis: PlayAnalysis, name: str) -> str:
    """The best plays: number, equity, loss, chances."""
    width = max(4, *(len(play.text) for play in analysis.plays))
    lines = [
        f"Best of {analysis.legal} plays, says {name}:",
        f"    {'play':<{width}}  equity    loss    win  gammon  lose gammon",
    ]
    for number, play in enumerate(analysis.plays, start=1):
        win, gammon, _, lost, _ = (100 * chance for chance in play.chances)
        lines.append(
            f"{number:>3} {play.text:<{width}}  {play.equity:+.3f}  {play.behind:6.3f}"
            f"  {win:4.1f}%  {gammon:5.1f}%  {lost:10.1f}%"
        )
    return "\n".join(lines)


def _cube_text(analysis: CubeAnalysis, name: str, on_roll: str) -> str:
    """The advice, the equities of the choices, the chances of the player on roll."""
    win, gammon, _, lost, _ = (100 * chance for chance in analysis.chances)
    lines = [f"{name} says: {analysis.advice}."]
    if analysis.double_take is not None and analysis.double_pass is not None:
        lines.append(
            f"Equity of no double {analysis.no_double:+.3f}, double and take "
            f"{analysis.double_take:+.3f}, double and drop {analysis.double_pass:+.3f}."
        )
    loses = "lose" if on_roll == "You" else "loses"
    lines.append(
        f"{does(on_roll, 'wins')} {win:.1f}%, with a gammon {gammon:.1f}%; {loses} a "
        f"gammon {lost:.1f}%."
    )
    return "\n".join(wrapped(line) for line in lines)
