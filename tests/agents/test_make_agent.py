"""Baseline agents by name: `make_agent` and the entry points."""

from __future__ import annotations

import bg_agents
import pytest

from bg_env.agent import PlayingAgent, agent_names, make_agent
from bg_env.errors import InvalidOptionError, UnknownNameError

AGENTS = {
    "random": bg_agents.RandomAgent,
    "pip-race": bg_agents.PipRaceAgent,
    "pubeval": bg_agents.PubevalAgent,
}


@pytest.mark.parametrize(("name", "kind"), AGENTS.items())
def test_a_baseline_agent_is_made_by_its_name(name: str, kind: type) -> None:
    agent = make_agent(name)
    assert type(agent) is kind
    assert agent.name == name
    assert isinstance(agent, PlayingAgent)
    assert make_agent(agent) is agent


def test_the_names_of_all_baseline_agents_are_listed() -> None:
    assert set(AGENTS) <= set(agent_names())


def test_the_package_exports_its_agents_and_nothing_else() -> None:
    assert set(bg_agents.__all__) == {kind.__name__ for kind in AGENTS.values()}
    assert all(hasattr(bg_agents, name) for name in bg_agents.__all__)


@pytest.mark.parametrize(
    ("spec", "hint"), [("pubevall", "'pubeval'"), ("randon@2ply", "'random'")]
)
def test_an_unknown_name_is_refused_with_the_nearest_one(spec: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean {hint}"):
        make_agent(spec)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize(
    ("rest", "reason"),
    [(":weights.npz", "no path"), ("@2ply", "no plies"), (":a.npz@1ply", "no path")],
)
def test_a_path_or_depth_is_refused_by_agents_that_take_none(
    name: str, rest: str, reason: str
) -> None:
    with pytest.raises(InvalidOptionError, match=reason):
        make_agent(name + rest)


@pytest.mark.parametrize("spec", ["", "@2ply", "pubeval@ply", "pubeval@twoply", ":x"])
def test_what_is_no_agent_string_is_refused(spec: str) -> None:
    with pytest.raises(InvalidOptionError, match=r"NAME\[:PATH\]\[@Nply\]"):
        make_agent(spec)
