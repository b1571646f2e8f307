"""``bg-env demo``: a first look in about a minute."""

from __future__ import annotations

from typing import Annotated, Final

import typer

_MATCHES: Final = (("pubeval", "random"), ("pubeval", "pip-race"))
_HINT: Final = """\
Each figure is what pubeval won per game, with its standard error, and who won
how: s = single, g = gammon, b = backgammon. Next:
  bg-env agents                                   which agents there are
  bg-env evaluate pubeval random --games 100000   a closer look, --json saves it
  bg-env evaluate --help                          rules, matches, seeds"""


def demo(
    games: Annotated[int, typer.Option(help="Games of each evaluation.")] = 40_000,
    seed: Annotated[int, typer.Option(help="Fixes dice and choices.")] = 0,
) -> None:
    """Measure pubeval, a classic opponent, against two weaker agents.

    Takes about a minute on a slow core. Ctrl-C prints what has been measured.
    """
    from bg_env.cli._output import show
    from bg_env.evaluation import evaluate, summary_table
    from bg_env.evaluation.progress import ProgressBar

    results = []
    with ProgressBar() as bar:
        for a, b in _MATCHES:
            report = bar.task(f"{a} against {b}")
            result = evaluate(a, b, games=games, seed=seed, progress=report)
            results.append(result)
            if result.interrupted:
                break
    show(summary_table(results))
    if results[-1].interrupted:
        raise KeyboardInterrupt
    typer.echo(_HINT)
