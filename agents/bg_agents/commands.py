"""Commands of this package: ``bg-env train`` and ``bg-env demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bg_env.cli._options import given_option
from bg_env.errors import BgEnvError, InvalidOptionError, MissingExtraError

if TYPE_CHECKING:
    from bg_agents.runs import Run
    from bg_agents.stages import Stage

train = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Train an agent by self-play, from nothing.",
)

_GOING_ON: Final = ("out", "resume", "seconds", "games")
_OPPONENTS: Final = ("random", "pip-race", "pubeval")


@train.callback()
def _train() -> None:
    """Train an agent by self-play, from nothing."""


_OUT = Annotated[
    Path, typer.Option(help="Folder for checkpoint, network, curve and plot.")
]
_SECONDS = Annotated[float | None, typer.Option(help="Train for so long (default 60).")]
_GAMES = Annotated[
    int | None, typer.Option(help="Train on so many games instead: reproducible.")
]
_RESUME = Annotated[
    bool, typer.Option("--resume", help="Go on with the training in --out.")
]
_STARTS = Annotated[
    list[Path] | None,
    typer.Option(
        "--start",
        help="Network to go on from: a file, or td-small; several are merged.",
    ),
]
_BATCH_SEED = Annotated[int, typer.Option(help="Fixes dice and batches.")]
_RATE = Annotated[float, typer.Option(help="First learning rate.")]
_LAST_RATE = Annotated[float, typer.Option(help="Last learning rate.")]
_LATER = Annotated[float, typer.Option(help="How far corrections run back.")]
_REPLAY = Annotated[int, typer.Option(help="How often a position is learnt from.")]
_THREADS = Annotated[int, typer.Option(help="Threads that play.")]
_WIN_WEIGHT = Annotated[
    float, typer.Option(help="Weight of the winning chance in the loss.")
]


@train.command("td")
def train_td(
    ctx: typer.Context,
    out: _OUT,
    hidden: Annotated[int, typer.Option(help="Hidden units.")] = 80,
    seconds: _SECONDS = None,
    games: _GAMES = None,
    seed: Annotated[int, typer.Option(help="Fixes weights and dice.")] = 0,
    rate: _RATE = 0.1,
    last_rate: _LAST_RATE = 0.004,
    trace: Annotated[float, typer.Option(help="Lambda of TD(lambda).")] = 0.7,
    last_trace: Annotated[
        float | None, typer.Option(help="Lambda after the first third.")
    ] = None,
    expert: Annotated[
        bool, typer.Option("--expert", help="Give it the hand-made features too.")
    ] = False,
    classes: Annotated[
        int, typer.Option(help="Networks by class of position, 1 to 3.")
    ] = 1,
    win_weight: _WIN_WEIGHT = 1.0,
    average: Annotated[
        float, typer.Option(help="Running mean of the weights: 0 = none, 0.9975.")
    ] = 0.0,
    resume: _RESUME = False,
) -> None:
    """TD(lambda): a network learns from the games it plays against itself.

    Ctrl-C saves a checkpoint; --resume goes on from it.
    """
    from bg_agents.training import Recipe, Trainer

    if resume:
        trainer = Trainer.resume(out, **_going_on(ctx))
    else:
        recipe = Recipe(
            hidden=hidden,
            seed=seed,
            seconds=_default_seconds(seconds, games),
            games=games,
            rate=rate,
            last_rate=last_rate,
            trace=trace,
            last_trace=last_trace,
            expert=expert,
            classes=classes,
            win_weight=win_weight,
            average=average,
        )
        trainer = Trainer(recipe, out)
    run_training(trainer, "td", f"TD({trainer.recipe.trace:g})")
    _say_how_to_use(out)


@train.command("exact")
def train_exact(
    ctx: typer.Context,
    out: _OUT,
    start: _STARTS = None,
    seconds: _SECONDS = None,
    games: _GAMES = None,
    seed: _BATCH_SEED = 0,
    rate: _RATE = 3e-4,
    last_rate: _LAST_RATE = 2e-5,
    trace: _LATER = 0.8,
    win_weight: _WIN_WEIGHT = 2.0,
    replay: _REPLAY = 6,
    threads: _THREADS = 2,
    resume: _RESUME = False,
) -> None:
    """Exact targets: a trained network looks at all 21 rolls of each position.

    Ctrl-C saves a checkpoint; --resume goes on from it.
    """
    from bg_agents.exact_training import ExactTrainer
    from bg_agents.recipes import ExactRecipe

    if resume:
        trainer = ExactTrainer.resume(out, **_going_on(ctx))
    else:
        recipe = ExactRecipe(
            start=tuple(map(str, start or ())),
            seed=seed,
            seconds=_default_seconds(seconds, games),
            games=games,
            rate=rate,
            last_rate=last_rate,
            trace=trace,
            win_weight=win_weight,
            replay=replay,
            threads=threads,
        )
        trainer = ExactTrainer(recipe, out)
    run_training(trainer, "exact", f"Exact targets, trace {trainer.recipe.trace:g}")
    _say_how_to_use(out)


@train.command("sieve")
def train_sieve(
    ctx: typer.Context,
    out: _OUT,
    start: Annotated[
        Path | None,
        typer.Option(help="Network that gets a sieve: a file, or td-small."),
    ] = None,
    hidden: Annotated[int, typer.Option(help="Hidden units of the sieve.")] = 48,
    seconds: _SECONDS = None,
    games: _GAMES = None,
    seed: Annotated[int, typer.Option(help="Fixes weights, dice and batches.")] = 0,
    keep: Annotated[
        float, typer.Option(help="How far below the best a play may be.")
    ] = 0.1,
    most: Annotated[int, typer.Option(help="How many plays it keeps at most.")] = 10,
    resume: _RESUME = False,
) -> None:
    """A sieve: rules out plays before a network looks at them, which is fast.

    Ctrl-C saves a checkpoint; --resume goes on from it.
    """
    from bg_agents.recipes import SieveRecipe
    from bg_agents.sieve_training import SieveTrainer

    if resume:
        trainer = SieveTrainer.resume(out, **_going_on(ctx))
    else:
        recipe = SieveRecipe(
            start=() if start is None else (str(start),),
            hidden=hidden,
            seed=seed,
            seconds=_default_seconds(seconds, games),
            games=games,
            keep=keep,
            most=most,
        )
        trainer = SieveTrainer(recipe, out)
    run_training(trainer, "sieve", "Sieve")
    _say_how_to_use(out)


@train.command("cube")
def train_cube(
    ctx: typer.Context,
    out: _OUT,
    start: _STARTS = None,
    seconds: _SECONDS = None,
    games: _GAMES = None,
    seed: _BATCH_SEED = 0,
    rate: _RATE = 3e-4,
    last_rate: _LAST_RATE = 2e-5,
    trace: _LATER = 0.8,
    replay: _REPLAY = 6,
    threads: _THREADS = 2,
    resume: _RESUME = False,
) -> None:
    """The cube: a trained network learns to double and to take, for money.

    Ctrl-C saves a checkpoint; --resume goes on from it.
    """
    from bg_agents.cube_training import CubeTrainer
    from bg_agents.recipes import CubeRecipe

    if resume:
        trainer = CubeTrainer.resume(out, **_going_on(ctx))
    else:
        recipe = CubeRecipe(
            start=tuple(map(str, start or ())),
            seed=seed,
            seconds=_default_seconds(seconds, games),
            games=games,
            rate=rate,
            last_rate=last_rate,
            trace=trace,
            replay=replay,
            threads=threads,
        )
        trainer = CubeTrainer(recipe, out)
    run_training(trainer, "cube", f"The cube, trace {trainer.recipe.trace:g}")
    _say_how_to_use(out, CubeTrainer.plays_as)


@train.command("recipe")
def train_recipe(
    recipe: Annotated[
        str, typer.Argument(help="td-small, td-strong, td-cube, or a recipe file.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the folders of all stages.")],
    hurry: Annotated[
        float, typer.Option(help="Divide the numbers of games by this: a trial.")
    ] = 1.0,
) -> None:
    """The trainings of a recipe file, one after the other.

    Ctrl-C saves a checkpoint; the same command goes on from it.
    """
    from bg_agents.stages import read_stages, run_stages

    if not hurry > 0:
        raise InvalidOptionError(f"Option --hurry is more than 0, not {hurry:g}.")

    ran = []

    def run(stage: Stage, trainer: Run) -> None:
        typer.echo(f"Stage {stage.name} ({stage.kind}):")
        ran.append(stage.name)
        run_training(trainer, "recipe", f"{recipe}: {stage.name}")

    stages = read_stages(recipe)
    last = run_stages(stages, out, run, hurry)
    if not ran:
        typer.echo(f"All stages in {out} were done before.")
    _say_how_to_use(last.parent, stages[-1].plays_as or "td")


def _going_on(ctx: typer.Context) -> dict[str, Any]:
    """What may change when a training goes on: how long it lasts.

    Raises:
        InvalidOptionError: Another option was typed.
    """
    names = [parameter.name or "" for parameter in ctx.command.params]
    option = given_option(ctx, [name for name in names if name not in _GOING_ON])
    if option is not None:
        raise InvalidOptionError(
            f"--resume goes on as the training began; leave {option} out."
        )
    lengths = {name: ctx.params[name] for name in ("seconds", "games")}
    return {name: value for name, value in lengths.items() if value is not None}


def _default_seconds(seconds: float | None, games: int | None) -> float | None:
    return 60.0 if seconds is None and games is None else seconds


def _say_how_to_use(folder: Path, agent: str = "td") -> None:
    rules = " --rules standard" if agent == "td-cube" else ""
    typer.echo(f"Use it: bg-env evaluate {agent}:{folder / 'net.npz'} pubeval{rules}")


def run_training(trainer: Run, command: str, title: str) -> Any:
    """Train with a live line on stderr, then draw the curve where matplotlib is.

    Args:
        trainer: The training.
        command: Of ``bg-env train``, to tell how to go on after Ctrl-C.
        title: Of the plot.
    """
    try:
        with _ProgressLine() as line:
            net = trainer.run(line.report)
    except KeyboardInterrupt:
        again = "the same command goes on"
        if command != "recipe":
            again = f"bg-env train {command} --resume --out {trainer.folder} goes on"
        plays = ""
        if trainer.plays_as:
            place = trainer.folder / "checkpoint.npz"
            plays = f"the checkpoint plays as {trainer.plays_as}:{place}, and "
        typer.echo(f"Stopped after {trainer.games_done:,} games; {plays}{again}.")
        raise
    typer.echo(
        f"{trainer.games_done:,} games in {trainer.seconds_done:.1f} s "
        f"({trainer.games_done / max(trainer.seconds_done, 1e-9):,.0f} games/s), "
        f"weights in {trainer.folder / 'net.npz'}"
    )
    try:
        from bg_agents.plotting import plot_curve

        title = f"{title}, {trainer.net.hidden} hidden units"
        path = trainer.folder / "curve.png"
        plot_curve(trainer.curve, path, title, trainer.drawn, trainer.drawn_as)
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

    def report(self, trainer: Run) -> None:
        """Show where a training stands."""
        speed = trainer.games_done / max(trainer.seconds_done, 1e-9)
        news = f"{trainer.games_done:,} games, {speed:,.0f}/s"
        if trainer.curve:
            news += f", {trainer.drawn} {trainer.curve[-1][trainer.drawn]:+.2g}"
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
    net = run_training(trainer, "td", "TD(0.7)")
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
