"""The benchmarks: they run, count before they time, and name peers that are missing."""

import dataclasses
import importlib
import json
import types

import numpy as np
import pytest
from typer.testing import CliRunner

from bg_env.cli import app
from bg_env.errors import BgEnvError
from bg_env.evaluation import bench, bench_peers, bench_vector
from bg_env.evaluation.bench_vector import IDS, Count

CUBELESS = "Backgammon-Cubeless-v0"
COLUMNS = {"Environment", "Observation", "Games", "Steps/s", "Turns/s", "Games/s"}


def run_cli(*arguments):
    result = CliRunner().invoke(app, ["bench", *arguments], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("name", IDS)
def test_the_vector_environment_counts_what_single_environments_count(name):
    count = bench_vector.check(name, "raw", steps=200)
    assert count.illegal == 0
    assert count.games > 5
    assert 3200 - count.games <= count.steps <= 3200
    assert count.turns < count.steps


def test_a_wrong_count_is_refused_before_anything_is_timed(monkeypatch):
    def one_more(self):
        return dataclasses.replace(step(self), games=1)

    step = bench_vector.RandomPlay.step
    monkeypatch.setattr(bench_vector.RandomPlay, "step", one_more)
    monkeypatch.setattr(bench_vector, "measure", None)
    with pytest.raises(BgEnvError, match="they should be equal"):
        bench_vector.check(CUBELESS, "raw", steps=20)
    with pytest.raises(BgEnvError, match="they should be equal"):
        bench._vector_steps(0.01)


def test_illegal_actions_are_counted_and_refused(monkeypatch):
    def wrong(states, streams, codes):
        codes[:] = 161

    monkeypatch.setattr(bench_vector, "write_random_codes", wrong)
    with pytest.raises(BgEnvError, match="nothing illegal"):
        bench_vector.check(CUBELESS, "raw", steps=3)
    with pytest.raises(BgEnvError, match=r"illegal actions, which should be 0\."):
        bench_vector.measure(CUBELESS, 4, "raw", 0.001)


@pytest.mark.parametrize("observation", ["raw", "tesauro", "mask only"])
@pytest.mark.parametrize("games", [1, 64])
def test_a_row_has_all_rates(games, observation):
    if observation == "mask only":
        row = bench_vector.measure_kernel(CUBELESS, games, 0.02)
    else:
        row = bench_vector.measure(CUBELESS, games, observation, 0.02)
    assert (row.id, row.games, row.observation) == (CUBELESS, games, observation)
    assert row.steps_per_second > row.turns_per_second > row.games_per_second > 0


def test_time_of_drawing_actions_does_not_count(monkeypatch):
    play = bench_vector.RandomPlay(CUBELESS, 2, "raw")
    clock = iter(range(100))
    draw = bench_vector.write_random_codes

    def slow(states, streams, codes):
        for _ in range(10):
            next(clock)
        draw(states, streams, codes)

    monkeypatch.setattr(bench_vector, "write_random_codes", slow)
    monkeypatch.setattr(
        bench_vector, "time", types.SimpleNamespace(perf_counter=lambda: next(clock))
    )
    play.step()
    play.step()
    assert play.seconds == 2


def test_memory_is_told_per_game():
    memory = bench_vector.memory_per_game("raw", 64)
    more = bench_vector.memory_per_game("raw", 256)
    assert memory["kept"] == pytest.approx(more["kept"], rel=0.01)
    assert memory["kept"] > memory["state"] + memory["step"]
    wide = bench_vector.memory_per_game("tesauro", 64)
    assert wide["returned"] > memory["returned"] > 162


def test_the_vector_table_is_printed_and_written(monkeypatch, tmp_path):
    monkeypatch.setattr(bench_vector, "SIZES", (1, 8))
    monkeypatch.setattr(bench_vector, "IDS", {CUBELESS: IDS[CUBELESS]})
    rows = bench_vector.rows
    monkeypatch.setattr(bench_vector, "rows", lambda scale: rows(scale / 20))
    path = tmp_path / "bench.json"
    printed = run_cli("--vector", "--quick", "--json", str(path))
    assert all(name in printed for name in COLUMNS)
    figures = json.loads(path.read_text())
    assert set(figures) == {"machine", "quick", "vector"}
    assert len(figures["vector"]["rows"]) == 6
    assert set(figures["vector"]["rows"][0]) == {
        "id",
        "games",
        "observation",
        "steps_per_second",
        "turns_per_second",
        "games_per_second",
    }
    assert set(figures["vector"]["memory_per_game"]) == {"raw", "tesauro"}


def test_the_usual_lines_hold_the_vector_environment_with_its_targets(monkeypatch):
    monkeypatch.setattr(bench_vector, "check", lambda name, observation: Count())
    lines = {line.name: line for line in bench._vector_steps(0.01)}
    raw = lines[f"{CUBELESS}, 1,024 games, mask and raw"]
    assert raw.target == "target 5 M"
    assert raw.value > 0
    assert lines[f"{CUBELESS}, 1,024 games, mask and tesauro"].target == "target 1.5 M"
    assert sum(line.unit == "steps/s" for line in lines.values()) == 6
    assert sum(line.unit == "bytes" for line in lines.values()) == 2


# --- peers ------------------------------------------------------------------------


def without(monkeypatch, *missing):
    """Let some modules be missing."""
    load = importlib.import_module

    def import_module(name):
        if name in missing:
            raise ImportError(name)
        return load(name)

    fake = types.SimpleNamespace(import_module=import_module)
    monkeypatch.setattr(bench_peers, "importlib", fake)


def test_missing_peers_are_named_with_the_extra_that_brings_them(monkeypatch, tmp_path):
    without(monkeypatch, "pyspiel", "pgx", "gnubg_nn")
    path = tmp_path / "peers.json"
    printed = run_cli("--peers", "--quick", "--json", str(path))
    for name in ("OpenSpiel", "pgx", "gnubg-nn"):
        assert f"{name} is not installed: pip install 'bg-env[bench]'" in printed
    figures = json.loads(path.read_text())
    assert figures["peers"] == {"missing": ["OpenSpiel", "pgx", "gnubg-nn"]}


def test_peers_that_are_installed_are_compared(monkeypatch):
    without(monkeypatch, "pgx", "gnubg_nn")
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    lines = []
    ours = bench_peers.Rate("bg-env", 3e6, 1e6)
    monkeypatch.setattr(bench_peers, "_ours", lambda observation, scale: ours)
    figures = bench_peers.run(quick=True, report=lines.append)
    assert figures["missing"] == ["pgx", "gnubg-nn"]
    compared = figures["OpenSpiel"]
    rate = compared["peer"]["moves_per_second"]
    assert compared["ratio"] == pytest.approx(
        3e6 / compared["peer"]["moves_per_second"]
    )
    assert rate > compared["peer"]["turns_per_second"] > 0
    assert any(line.startswith("ratio") for line in lines)
    json.dumps(figures)


def test_an_action_of_openspiel_moves_as_many_checkers_as_it_names():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    game = pyspiel.load_game("backgammon")
    rng = np.random.default_rng(1)
    state, seen = game.new_initial_state(), set()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[rng.integers(len(outcomes))][0])
            continue
        action = int(rng.choice(state.legal_actions()))
        text = state.action_to_string(action)
        moved = bench_peers.checkers_moved(action)
        assert (moved < 2) == ("pass" in text.lower()), text
        seen.add(moved)
        state.apply_action(action)
    assert seen >= {0, 2}


def test_other_rules_of_openspiel_are_refused(monkeypatch):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    monkeypatch.setattr(bench_peers, "legal_plays", lambda position, roll: [])
    with pytest.raises(BgEnvError, match="counted 380, which should be 0"):
        bench_peers.check_open_spiel(pyspiel)


def test_pgx_is_counted_where_it_is_installed():
    pgx = pytest.importorskip("pgx", reason="pgx is not installed")
    bench_peers.check_pgx(pgx, 8)
    (rate,) = bench_peers.pgx_rates(pgx, [8], 0.01)
    assert rate.moves_per_second > 0
