"""Commands of this package: ``bg-env train`` and ``bg-env demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bg_env.errors import BgEnvError, InvalidOptionError, MissingExtraError

if TYPE_CHECKING:
    from bg_agents.nets import Net
    from bg_agents.training import Trainer

train = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Train an agent by self-play, from nothing.",
)

_OPPONENTS: Final = ("random", "pip-race", "pubeval")


@train.callback()
def _train() -> None:
    """Train an agent by self-play, from nothing."""


@train.command("td")
def train_td(
    out: Annotated[
        Path, typer.Option(help="Folder for checkpoint, network, curve and plot.")
    ],
    hidden: Annotated[int, typer.Option(help="Hidden units.")] = 80,
    seconds: Annotated[
        float | None, typer.Option(help="Train for so long (default 60).")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Train on so many games instead: reproducible."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Fixes weights and dice.")] = 0,
    rate: Annotated[float, typer.Option(help="First learning rate.")] = 0.1,
    last_rate: Annotated[float, typer.Option(help="Last learning rate.")] = 0.004,
    trace: Annotated[float, typer.Option(help="Lambda of TD(lambda).")] = 0.7,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training in --out.")
    ] = False,
) -> None:
    """TD(lambda): a network on the Tesauro inputs learns from its own games.

    Ctrl-C saves a checkpoint; --resume goes on from it.
    """
    from bg_agents.training import Recipe, Trainer

    if resume:
        wanted = {"seconds": seconds, "games": games}
        changes = {name: value for name, value in wanted.items() if value is not None}
        trainer = Trainer.resume(out, **changes)
    else:
        if seconds is None and games is None:
            seconds = 60.0
        recipe = Recipe(
            hidden=hidden,
            seed=seed,
            seconds=seconds,
            games=games,
            rate=rate,
            last_rate=last_rate,
            trace=trace,
        )
        trainer = Trainer(recipe, out)
    run_training(trainer)
    typer.echo(f"Use it: bg-env evaluate td:{out / 'net.npz'} pubeval")


def run_training(trainer: Trainer) -> Net:
    """Train with a live line on stderr, then draw the curve where matplotlib is."""
    try:
        with _ProgressLine() as line:
            net = trainer.run(line.report)
    except KeyboardInterrupt:
        typer.echo(
            f"Stopped after {trainer.games_done:,} games; the checkpoint plays as "
            f"td:{trainer.folder / 'checkpoint.npz'}, and "
            f"bg-env train td --resume --out {trainer.folder} goes on."
        )
        raise
    typer.echo(
        f"{trainer.games_done:,} games in {trainer.seconds_done:.1f} s "
        f"({trainer.games_done / max(trainer.seconds_done, 1e-9):,.0f} games/s), "
        f"weights in {trainer.folder / 'net.npz'}"
    )
    try:
        from bg_agents.plotting import plot_curve

        title = f"TD({trainer.recipe.trace:g}), {trainer.recipe.hidden} hidden units"
        plot_curve(trainer.curve, trainer.folder / "curve.png", title)
        typer.echo(f"curve in {trainer.folder / 'curve.png'}")
    except MissingExtraError as error:
        typer.echo(f"No plot: {error}", err=True)
    return net


class _ProgressLine:
    """A bar with rate, time left and the last measure, only on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from bg_env.evaluation.progress import is_terminal

        self._progress = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.fields[news]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not is_terminal(),
        )
        self._task = self._progress.add_task("training", total=1.0, news="")

    def report(self, trainer: Trainer) -> None:
        """Show where a training stands."""
        speed = trainer.games_done / max(trainer.seconds_done, 1e-9)
        news = f"{trainer.games_done:,} games, {speed:,.0f}/s"
        if trainer.curve:
            news += f", pubeval {trainer.curve[-1]['pubeval']:+.2f}"
        self._progress.update(self._task, completed=trainer.done, news=news)

    def __enter__(self) -> _ProgressLine:
        self._progress.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._progress.stop()


def demo(
    seconds: Annotated[float, typer.Option(help="How long to train.")] = 60.0,
    games: Annotated[int, typer.Option(help="Games of each evaluation.")] = 5000,
    seed: Annotated[int, typer.Option(help="Fixes weights, dice and choices.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for weights and plot (default: a new bg-env-demo)."),
    ] = None,
) -> None:
    """Train a network from nothing for a minute, then let it play the others.

    Ctrl-C ends cleanly: the training is saved, what has been measured is printed.
    """
    from bg_agents.td_agent import TdAgent
    from bg_agents.training import Recipe, Trainer
    from bg_env.cli._output import show
    from bg_env.evaluation import evaluate, summary_table
    from bg_env.evaluation.progress import ProgressBar

    recipe = Recipe(seconds=seconds, seed=seed)
    if games < 1:
        raise InvalidOptionError(f"An evaluation needs 1 game or more, not {games!r}.")
    folder = out if out is not None else _free_folder(Path("bg-env-demo"))
    trainer = Trainer(recipe, folder)
    typer.echo(f"Learning backgammon from nothing for {seconds:g} s ...")
    net = run_training(trainer)
    agent = TdAgent(net)
    agent.name = "trained"
    results = []
    with ProgressBar() as bar:
        for opponent in _OPPONENTS:
            report = bar.task(f"trained against {opponent}")
            result = evaluate(agent, opponent, games=games, seed=seed, progress=report)
            results.append(result)
            if result.interrupted:
                break
    show(summary_table(results))
    if results[-1].interrupted:
        raise KeyboardInterrupt
    typer.echo(
        f"Next:\n"
        f"  bg-env evaluate td:{folder / 'net.npz'} pubeval --games 100000\n"
        f"  bg-env train td --hidden 256 --seconds 200 --out runs/td256\n"
        f"  bg-env --help"
    )


def _free_folder(wanted: Path) -> Path:
    """`wanted`, or the same with the first number that is not taken."""
    folder, number = wanted, 2
    while folder.exists():
        folder, number = wanted.with_name(f"{wanted.name}-{number}"), number + 1
        if number > 9999:
            raise BgEnvError(f"There are too many folders named {wanted.name!r} here.")
    return folder
