"""Recipe files: the trainings, one after the other, that make a network.

A file is TOML with one ``[[stage]]`` each: its ``name`` (a folder), its ``kind``
("td", "exact", "sieve" or "cube") and the settings of `Recipe`, `ExactRecipe`,
`SieveRecipe` or `CubeRecipe`. ``start`` names earlier stages, or a network that comes
with the package.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from bg_agents.cube_training import CubeTrainer
from bg_agents.exact_training import ExactTrainer
from bg_agents.nets import SHIPPED
from bg_agents.recipes import CubeRecipe, ExactRecipe, Recipe, SieveRecipe
from bg_agents.runs import CHECKPOINT, NET, Run
from bg_agents.sieve_training import SieveTrainer
from bg_agents.training import Trainer
from bg_env.errors import InvalidOptionError, UnknownNameError

_KINDS: Final[dict[str, tuple[type[Any], type[Run]]]] = {
    "td": (Recipe, Trainer),
    "exact": (ExactRecipe, ExactTrainer),
    "sieve": (SieveRecipe, SieveTrainer),
    "cube": (CubeRecipe, CubeTrainer),
}


@dataclass(frozen=True)
class Stage:
    """One training of a recipe file: where it lies, its kind, its settings."""

    name: str
    kind: str
    settings: dict[str, Any]

    @property
    def plays_as(self) -> str:
        """The agent that plays its checkpoint, "" if none does."""
        return _KINDS[self.kind][1].plays_as

    def trainer(self, folder: Path, hurry: float = 1.0) -> Run:
        """The training of this stage, new or gone on with.

        Args:
            folder: Where the folders of all stages lie.
            hurry: The number of games is divided by it, for a trial.

        Raises:
            InvalidOptionError: Settings that cannot be.
        """
        recipe_type, trainer_type = _KINDS[self.kind]
        settings = dict(self.settings)
        if "start" in settings:
            names = settings["start"]
            settings["start"] = tuple(_start_file(folder, name) for name in names)
        if hurry != 1 and "games" in settings:
            settings["games"] = max(1, int(settings["games"] / hurry))
        try:
            recipe = recipe_type(**settings)
        except TypeError:
            raise InvalidOptionError(
                f"Stage {self.name!r} of kind {self.kind!r} has settings that there "
                f"are not, among {sorted(self.settings)}."
            ) from None
        if (folder / self.name / CHECKPOINT).exists():
            self._refuse_another(recipe, folder / self.name, trainer_type.net_type)
            return trainer_type.resume(folder / self.name)
        return trainer_type(recipe, folder / self.name)

    def _refuse_another(self, recipe: Any, place: Path, net_type: type[Any]) -> None:
        """Refuse a folder in which another training has been begun.

        Raises:
            InvalidOptionError: It has.
        """
        kept = net_type.load(place / CHECKPOINT).notes.get("recipe", {})
        wanted = json.loads(json.dumps(asdict(recipe)))
        differing = [name for name in wanted if kept.get(name) != wanted[name]]
        if differing:
            name = differing[0]
            raise InvalidOptionError(
                f"The folder {str(place)!r} has another training, with {name}="
                f"{kept.get(name)!r} and not {wanted[name]!r}; name another --out."
            )


def _start_file(folder: Path, name: str) -> str:
    """The file of an earlier stage, or the name of a network that comes along."""
    if name in SHIPPED and not (folder / name).exists():
        return name
    return str(folder / name / NET)


def recipe_names() -> list[str]:
    """The recipe files that come with the package."""
    places = files("bg_agents").joinpath("data", "recipes").iterdir()
    return sorted(p.name[:-5] for p in places if p.name.endswith(".toml"))


def read_stages(recipe: str) -> list[Stage]:
    """The stages of a recipe file.

    Args:
        recipe: A path, or the name of a network that comes with the package.

    Raises:
        UnknownNameError: Neither a file nor such a name.
        InvalidOptionError: Not such a file.
    """
    if recipe in recipe_names():
        place = files("bg_agents").joinpath("data", "recipes", f"{recipe}.toml")
    elif Path(recipe).is_file():
        place = Path(recipe)
    else:
        raise UnknownNameError.of("recipe", recipe, recipe_names())
    try:
        tables = tomllib.loads(place.read_text(encoding="utf-8"))["stage"]
        stages = [
            Stage(table.pop("name"), table.pop("kind"), table) for table in tables
        ]
        bad = [stage.kind for stage in stages if stage.kind not in _KINDS]
    except UnicodeDecodeError:
        raise InvalidOptionError(
            f"{recipe!r} is no recipe file: it is no text."
        ) from None
    except (tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError) as error:
        raise InvalidOptionError(
            f"{recipe!r} is no recipe file: it has one [[stage]] or more, each with "
            f"name and kind ({error or type(error).__name__})."
        ) from None
    if bad:
        raise InvalidOptionError(
            f"A stage is of kind {' or '.join(sorted(_KINDS))}, not {bad[0]!r}."
        )
    return stages


def run_stages(
    stages: list[Stage],
    folder: Path,
    run: Callable[[Stage, Run], None],
    hurry: float = 1.0,
) -> Path:
    """Do all stages that are not done; returns the file of the last network.

    Args:
        stages: In order.
        folder: Each stage has its own folder in it.
        run: Called with a stage that is not done and its training, which it runs.
        hurry: As for `Stage.trainer`.

    Raises:
        InvalidOptionError: The folder has other trainings under these names.
    """
    for stage in stages:
        trainer = stage.trainer(folder, hurry)
        if not (folder / stage.name / NET).exists():
            run(stage, trainer)
    return folder / stages[-1].name / NET
