"""The page about the environment says what the code does."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from env_play import MATCH, make, random_steps

from bg_env import BackgammonEnv, RewardSpec, agent_names
from bg_env.envs.games import ENDINGS, OUTCOMES
from bg_env.envs.options import OPTIONS
from bg_env.envs.registration import IDS
from bg_env.envs.settings import ILLEGAL_ACTIONS, MOST_PENALTIES, PENALTY
from bg_env.rules.decisions import decision_name

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environment.md"


def text() -> str:
    return PAGE.read_text(encoding="utf-8")


def tables() -> list[list[list[str]]]:
    """The rows of every table, without head and rule; code marks taken off."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text(), flags=re.M)
    return [
        [
            [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
            for line in block.splitlines()[2:]
        ]
        for block in blocks
    ]


def table_with(first: str) -> dict[str, list[str]]:
    """The table whose first row begins so, by the first cell."""
    for rows in tables():
        if rows[0][0] == first:
            return {row[0]: row[1:] for row in rows}
    raise AssertionError(f"no table begins with {first!r}")


def snippets() -> list[str]:
    return re.findall(r"```python\n(.*?)```", text(), flags=re.S)


def test_the_snippets_run_one_after_the_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names: dict[str, Any] = {}
    for snippet in snippets():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(snippet, PAGE.name, "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "27"
    assert len(lines) == 2


def test_the_ids_and_their_rules_are_all_there() -> None:
    table = table_with("Backgammon-v0")
    assert list(table) == list(IDS)
    for name, (rules, episode, reward) in table.items():
        assert IDS[name]["rules"] in rules
        env = make(name)
        assert env.settings.episode in episode
        assert ("points" in reward) == (env.settings.reward.kind == "points")


def test_the_keywords_and_their_defaults_are_those_of_the_class() -> None:
    table = table_with("rules")
    signature = inspect.signature(BackgammonEnv.__init__)
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    assert list(table) == [parameter.name for parameter in parameters]
    for parameter in parameters:
        default = repr(parameter.default).replace("'", '"')
        assert table[parameter.name][0] == default


def test_the_actions_are_the_decision_codes() -> None:
    table = table_with("0")
    codes = [int(code) for row in table for code in row.split("–")]
    assert codes == [0, 1, 150, *range(151, 157), 158, 159, 160, 161]
    for row, (meaning,) in table.items():
        first = int(row.split("–")[0])
        word = "move" if first == 1 else decision_name(first).split()[0]
        assert word in meaning


def test_the_reset_options_are_all_there() -> None:
    assert tuple(table_with("xgid")) == OPTIONS


def test_the_policies_are_all_there() -> None:
    table = table_with('"terminate"')
    assert [name.strip('"') for name in table] == list(ILLEGAL_ACTIONS)
    assert str(PENALTY) in table['"penalize"'][2]
    assert MOST_PENALTIES == 100
    assert "hundredth" in table['"penalize"'][1]


def test_the_rewards_are_all_there() -> None:
    for name in table_with('"points"'):
        RewardSpec(name.strip('"'))
    assert len(table_with('"points"')) == 4
    RewardSpec("points", weights=(1, 2, 2))


def test_the_agents_that_are_named_exist() -> None:
    for name in re.findall(r'"([a-z-]+)"', table_with('"self"')["a name"][0]):
        assert name in agent_names()


def test_the_info_has_these_keys_and_no_others() -> None:
    table = table_with("action_mask")
    seen: set[str] = set()
    env = make(MATCH, opponent="random")
    for _, _, _, _, info in random_steps(env, 3000):
        seen |= set(info)
        for game in info.get("games", []):
            assert game["outcome"] in OUTCOMES[1:]
            assert game["ending"] in ENDINGS[1:]
            assert set(game) == set(list(table)[5:12])
    env = make(MATCH, illegal_action="random_legal")
    env.reset(seed=1)
    seen |= set(env.step(160)[4])
    assert seen == set(table)


def test_outcomes_and_endings_are_named() -> None:
    table = table_with("action_mask")
    for name, words in (("outcome", OUTCOMES), ("ending", ENDINGS)):
        for word in words[1:]:
            assert f'"{word}"' in table[name][1]


def test_the_methods_beyond_gymnasium_are_all_there() -> None:
    table = table_with("state")
    named = {
        re.match(r"\w+", part.strip()).group()
        for row in table
        for part in row.split(",")
    }
    own = {
        name
        for name in vars(BackgammonEnv)
        if not name.startswith("_") and not hasattr(gymnasium.Env, name)
    }
    assert own - {"action_masks"} <= named | {"b"}
    assert named - own <= {"b"}
