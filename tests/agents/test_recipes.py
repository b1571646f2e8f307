"""Recipe files: stages one after the other, each done once."""

from __future__ import annotations

import numpy as np
import pytest
from bg_agents.cube_nets import CubeNet
from bg_agents.nets import Net
from bg_agents.runs import NET
from bg_agents.stages import read_stages, recipe_names
from command_runner import run

from bg_env import InvalidOptionError, UnknownNameError

TWO_STAGES = """
[[stage]]
name = "first"
kind = "td"
hidden = 6
expert = true
classes = 3
games = 200
seed = 1

[[stage]]
name = "last"
kind = "exact"
start = ["first", "first"]
games = 96
batch = 64
buffer = 2000
keep = 0.2
"""


@pytest.fixture
def two_stages(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(TWO_STAGES)
    return path


def test_all_stages_run_and_start_from_earlier_ones(two_stages, tmp_path):
    out = tmp_path / "runs"
    result = run("train", "recipe", str(two_stages), "--out", str(out))
    assert result.exit_code == 0, result.stderr
    assert f"td:{out / 'last' / NET}" in result.stdout
    assert Net.load(out / "first" / NET).hidden == 6
    net = Net.load(out / "last" / NET)
    assert (net.hidden, net.classes) == (12, 3)
    assert net.notes["games"] == 96
    assert net.notes["recipe"]["keep"] == 0.2


def test_a_sieve_stage_gives_its_sieve_to_the_network_of_an_earlier_one(tmp_path):
    path = tmp_path / "sieve.toml"
    path.write_text(
        TWO_STAGES.split('[[stage]]\nname = "last"')[0]
        + "[[stage]]\nname = 'sieve'\nkind = 'sieve'\nstart = ['first']\n"
        "games = 10\nhidden = 8\nkeep = 0.3\nmost = 7\n"
    )
    out = tmp_path / "runs"
    for _ in range(2):  # the second time all is done
        result = run("train", "recipe", str(path), "--out", str(out))
        assert result.exit_code == 0, result.stderr
    net, first = Net.load(out / "sieve" / NET), Net.load(out / "first" / NET)
    np.testing.assert_array_equal(net.w1, first.w1)
    assert net.sieve.hidden == 8
    assert (net.keep, net.most) == (0.3, 7)
    assert net.notes["recipe"] == first.notes["recipe"]
    assert net.notes["sieve"]["games"] == 10
    assert first.sieve is None


def test_a_stage_that_is_done_is_not_done_again(two_stages, tmp_path):
    out = tmp_path / "runs"
    run("train", "recipe", str(two_stages), "--out", str(out))
    (out / "last" / NET).unlink()
    before = (out / "first" / NET).read_bytes()
    result = run("train", "recipe", str(two_stages), "--out", str(out))
    assert result.exit_code == 0, result.stderr
    assert "Stage first" not in result.stdout
    assert (out / "first" / NET).read_bytes() == before
    assert (out / "last" / NET).exists()


def test_a_folder_with_another_training_is_refused(two_stages, tmp_path):
    out = str(tmp_path / "runs")
    assert run("train", "recipe", str(two_stages), "--out", out).exit_code == 0
    again = run("train", "recipe", str(two_stages), "--out", out)
    assert "were done before" in again.stdout
    other = run("train", "recipe", str(two_stages), "--out", out, "--hurry", "2")
    assert other.exit_code == 2
    assert "games=200 and not 100; name another --out" in other.stderr


@pytest.mark.parametrize("name", recipe_names())
def test_the_recipe_of_each_shipped_network_runs_in_little(name, tmp_path):
    games = sum(stage.settings["games"] for stage in read_stages(name))
    result = run("train", "recipe", name, "--out", str(tmp_path), "--hurry", str(games))
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("name", recipe_names())
def test_the_recipe_of_a_shipped_network_is_the_one_in_its_notes(name):
    stages = read_stages(name)
    cube = stages[-1].kind == "cube"
    notes = CubeNet.shipped(name).notes if cube else Net.shipped(name).notes
    for stage in stages[-2:]:
        kept = notes["sieve"] if stage.kind == "sieve" else notes
        for setting, value in stage.settings.items():
            if setting != "start":
                assert kept["recipe"][setting] == value
    assert stages[-1].plays_as or stages[-1].kind == "sieve"


def test_going_on_refuses_options_that_would_change_nothing(tmp_path):
    out = tmp_path / "run"
    first = run("train", "td", "--games", "200", "--hidden", "4", "--out", str(out))
    assert first.exit_code == 0, first.stderr
    again = ("train", "td", "--resume", "--out", str(out))
    refused = run(*again, "--rate", "0.1")
    assert refused.exit_code == 2
    assert "leave --rate out" in refused.stderr
    longer = run(*again, "--games", "400")
    assert longer.exit_code == 0, longer.stderr
    assert "400 games" in longer.stdout


def test_a_cube_is_learnt_by_a_network_that_comes_along(tmp_path):
    out = tmp_path / "runs"
    result = run("train", "recipe", "td-cube", "--out", str(out), "--hurry", "50000")
    assert result.exit_code == 0, result.stderr
    net = CubeNet.load(out / "cube" / NET)
    assert net.hidden == Net.shipped("td-strong").hidden
    assert f"td-cube:{out / 'cube' / NET}" in result.stdout
    assert "--rules standard" in result.stdout


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "no recipe file"),
        ("stage = 3", "no recipe file"),
        ("[[stage]]\nname = 'a'", "kind"),
        ("[[stage]]\nname = 'a'\nkind = 'magic'", "'magic'"),
        ("not toml at all", "no recipe file"),
    ],
)
def test_bad_recipe_files_are_refused_in_one_sentence(text, named, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidOptionError, match="stage") as caught:
        read_stages(str(path))
    assert named in str(caught.value)


def test_unknown_settings_and_names_are_refused(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[[stage]]\nname = 'a'\nkind = 'td'\nlayers = 3\ngames = 5")
    with pytest.raises(InvalidOptionError, match="layers"):
        read_stages(str(path))[0].trainer(tmp_path)
    with pytest.raises(UnknownNameError, match="td"):
        read_stages("td-weak")
    result = run("train", "recipe", "td", "--out", str(tmp_path), "--hurry", "0")
    assert result.exit_code == 2


def test_the_command_line_trains_on_exact_targets_and_resumes(tmp_path):
    start = tmp_path / "start.npz"
    Net.random(4, 0, expert=True).save(start)
    out = str(tmp_path / "run")
    arguments = ["--start", str(start), "--games", "96", "--threads", "1"]
    first = run("train", "exact", *arguments, "--out", out)
    assert first.exit_code == 0, first.stderr
    longer = run("train", "exact", "--resume", "--games", "144", "--out", out)
    assert longer.exit_code == 0, longer.stderr
    assert "144 games" in longer.stdout
    without = run("train", "exact", "--out", str(tmp_path / "other"))
    assert without.exit_code == 2
    assert "give its file" in without.stderr
