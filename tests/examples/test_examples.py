"""Every example runs, for a few hundred steps."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, clean_environment

EXAMPLES = ROOT / "examples"
FILES = sorted(path.name for path in EXAMPLES.glob("*.py"))

pytestmark = pytest.mark.skipif(
    not FILES, reason="the examples are in the repository and the sdist"
)

PPO = "--envs 2 --rollout 64 --eval-steps 128 --eval-games 4"
# (script, arguments, what it prints among other things)
SMALL = (
    ("random_play.py", "--steps 500", r"500 decisions, \d+ games"),
    (
        "masks_explained.py",
        "--steps 300",
        r"(?s)legal: 22 = 4/off, 28 = 5/1, 30 = 5/off.*player 1 may: take, drop",
    ),
    ("td0_numpy.py", "--games 20 --hidden 10", r"learned from 20 games"),
    ("tabular_tiny.py", "--games 300", r"0\.7500 \(27/36 = 0\.75\)"),
    ("expectimax_one_ply.py", "--games 2", r"one ply against pips, no search: \+"),
    ("evaluate_paired.py", "--games 60", r"pubeval - pubeval, paired +\+0\.000"),
)
LEARNING = (
    (
        "train_maskable_ppo.py",
        f"--steps 300 {PPO} --opponent self --pool-steps 100 --pool-size 2",
        r"final\.zip against random: ",
    ),
    (
        "compare_masking.py",
        "--steps 300 --envs 2 --games 4 --arms 0 2 6",
        r"\| MaskablePPO \| none needed \| 0\.0% \| 0\.0% \|",
    ),
)
WITHOUT_ARGUMENTS = {"ppo_in_eight_lines.py"}


def run_example(script: Path, arguments: str, folder: Path) -> str:
    """What a script prints, run in a folder of its own."""
    finished = subprocess.run(
        [sys.executable, str(script), *arguments.split()],
        cwd=folder,
        env={**clean_environment(), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_every_example_is_run_by_a_test() -> None:
    run = {script for script, _, _ in SMALL + LEARNING} | WITHOUT_ARGUMENTS
    assert run == set(FILES)


@pytest.mark.parametrize(("script", "arguments", "printed"), SMALL)
def test_an_example_runs(
    script: str, arguments: str, printed: str, tmp_path: Path
) -> None:
    assert re.search(printed, run_example(EXAMPLES / script, arguments, tmp_path))


@pytest.mark.parametrize(("script", "arguments", "printed"), LEARNING)
def test_an_example_with_stable_baselines_runs(
    script: str, arguments: str, printed: str, tmp_path: Path
) -> None:
    pytest.importorskip("sb3_contrib")
    assert re.search(printed, run_example(EXAMPLES / script, arguments, tmp_path))


def test_training_leaves_models_and_checkpoints_that_play(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    script = EXAMPLES / "train_maskable_ppo.py"
    printed = run_example(script, f"--steps 300 {PPO}", tmp_path)
    assert re.search(r"final\.zip against pubeval: .* \(20 games\)", printed)
    folder = tmp_path / "runs" / "ppo"
    assert (folder / "final.zip").exists()
    assert (folder / "best_model.zip").exists()
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == [
        f"ppo_{steps}_steps.zip" for steps in (128, 256, 384)
    ]


def test_ppo_takes_eight_lines_and_runs(tmp_path: Path) -> None:
    """With fewer steps, or this would take minutes."""
    pytest.importorskip("sb3_contrib")
    text = (EXAMPLES / "ppo_in_eight_lines.py").read_text(encoding="utf-8")
    code = [line for line in text.splitlines() if line.strip()]
    assert len(code) <= 8
    assert max(map(len, code)) <= 88
    short = re.sub(r"learn\([\d_]+\)", "learn(64)", text)
    short = short.replace("n_steps=256, batch_size=1024", "n_steps=4, batch_size=64")
    assert short.count("learn(64)") == short.count("n_steps=4") == 1
    script = tmp_path / "short.py"
    script.write_text(short, encoding="utf-8")
    run_example(script, "", tmp_path)
    assert (tmp_path / "ppo.zip").exists()


def test_the_page_of_the_examples_names_each() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert sorted(set(re.findall(r"`(\w+\.py)`", page))) == FILES
