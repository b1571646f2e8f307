"""Saved models of Stable-Baselines3: read, checked, and matched with an encoder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bg_env.encoding import Encoder, encoder_names, make_encoder
from bg_env.encoding.spaces import observation_space, record_of
from bg_env.errors import InvalidOptionError, MissingExtraError, UnknownNameError
from bg_env.rules.decisions import CODES_VERSION, DECISIONS

OBSERVATION: Final = "observation"
MASK: Final = "action_mask"  # as `bg_env.envs.wrappers.DictObservation` names them

# What asking a model does not need, and what may not be readable elsewhere.
_NOT_READ: Final = dict.fromkeys(
    (
        "clip_range",
        "clip_range_vf",
        "ep_info_buffer",
        "ep_success_buffer",
        "exploration_schedule",
        "learning_rate",
        "lr_schedule",
        "replay_buffer_class",
        "rollout_buffer_class",
        "train_freq",
    )
)


@dataclass(frozen=True, eq=False)
class Model:
    """What asking a model takes.

    Attributes:
        what: "The model 'ppo.zip'", for messages.
        policy: A ``stable_baselines3.common.policies.BasePolicy``.
        observation_space: That it was trained on.
        action_space: The same.
        last_observations: float or int[N, K] that it saw last, None if not known.
    """

    what: str
    policy: Any
    observation_space: Any
    action_space: Any
    last_observations: Any = None

    @property
    def shows_mask(self) -> bool:
        """Its observations are a ``Dict`` of observation and action mask."""
        spaces = getattr(self.observation_space, "spaces", None)
        return isinstance(spaces, Mapping) and set(spaces) == {OBSERVATION, MASK}

    @property
    def encoded_space(self) -> Any:
        """The space of what an encoder writes of its observations."""
        space = self.observation_space
        return space[OBSERVATION] if self.shows_mask else space


def model_of(source: Any) -> Model:
    """A model from a file, or one that lives in this process.

    Raises:
        MissingExtraError: Stable-Baselines3 is not installed.
        InvalidOptionError: No such file, not such a file, or a damaged one.
    """
    _check_installed()
    if isinstance(source, str | Path):
        return _read(_existing(Path(source)))
    policy = getattr(source, "policy", None)
    if policy is None or not hasattr(source, "observation_space"):
        raise InvalidOptionError(
            f"A model is the path of a saved one or a model of Stable-Baselines3, "
            f"not {source!r}."
        )
    return Model(
        what=f"The {type(source).__name__} model",
        policy=policy,
        observation_space=source.observation_space,
        action_space=source.action_space,
        last_observations=getattr(source, "_last_obs", None),
    )


def _check_installed() -> None:
    try:
        import stable_baselines3  # noqa: F401
    except ImportError:
        raise MissingExtraError.of("stable-baselines3", "sb3") from None


def _existing(path: Path) -> Path:
    """The file meant: Stable-Baselines3 adds ``.zip`` to names without an ending."""
    for candidate in (path, path.with_name(f"{path.name}.zip")):
        if candidate.is_file():
            return candidate
    raise InvalidOptionError(f"There is no saved model {str(path)!r}.")


def _read(path: Path) -> Model:
    what = f"The model {str(path)!r}"
    try:
        return _model_of_parts(what, *_parts_of(path))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "sb3_contrib":
            raise MissingExtraError.of("sb3-contrib", "sb3") from None
        raise InvalidOptionError(
            f"{what} needs the module {error.name!r}, which is not installed."
        ) from None
    except Exception as error:  # unpickling a foreign file can raise anything
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InvalidOptionError(
            f"{what} is no whole file of a saved Stable-Baselines3 model: {reason}"
        ) from None


def _parts_of(path: Path) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """(attributes, weights by name) of a file."""
    from stable_baselines3.common.save_util import load_from_zip_file

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of attributes that are not needed here
        data, weights, _ = load_from_zip_file(
            path, custom_objects=_NOT_READ, device="cpu"
        )
    found = data or {}
    for name in ("policy_class", "policy_kwargs", "observation_space", "action_space"):
        if name not in found:
            raise ValueError(f"it has no {name!r}")
    if "policy" not in weights:
        raise ValueError("it has no weights of a policy")
    return found, weights


def _model_of_parts(
    what: str, data: Mapping[str, Any], weights: Mapping[str, Any]
) -> Model:
    keywords = dict(data["policy_kwargs"])
    keywords.pop("device", None)
    if data.get("use_sde"):
        keywords["use_sde"] = True
    spaces = data["observation_space"], data["action_space"]
    with one_thread(), _unchanged_chance():  # it begins with random weights
        policy = data["policy_class"](*spaces, _no_learning, **keywords)
    policy.load_state_dict(weights["policy"])
    policy.set_training_mode(False)
    return Model(what, policy, *spaces, data.get("_last_obs"))


def _no_learning(_: float) -> float:
    """The learning rate of a policy that is only asked."""
    return 0.0


def _unchanged_chance() -> AbstractContextManager[Any]:
    """Leave torch's global generator as it was."""
    import torch

    return torch.random.fork_rng(devices=[])


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch work with one thread: more wait for each other on a busy machine."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


# --- what it was trained on -----------------------------------------------------------


def encoder_of(model: Model, observation: str | Encoder | None) -> Encoder:
    """The encoder a model was trained on.

    Args:
        model: The model.
        observation: Its encoder where it has no record of it; None = as recorded, or
            the one whose bounds fit.

    Raises:
        InvalidOptionError: Another encoder or version than the one it was trained on,
            one that is not there any more, or other decision codes.
    """
    _check_actions(model)
    recorded = _recorded(model)
    if observation is not None:
        encoder = observation
        if not isinstance(encoder, Encoder):
            encoder = make_encoder(encoder)
        if recorded not in (None, encoder.id):
            raise InvalidOptionError(
                f"{model.what} was trained on observation {recorded!r}, "
                f"not on {encoder.id!r}."
            )
    elif recorded is not None:
        encoder = _encoder_by_id(model, recorded)
    else:
        encoder = _encoder_that_fits(model)
    if not _fits(model.encoded_space, encoder):
        raise InvalidOptionError(
            f"{model.what} observes {_short(model.encoded_space)}, not what the "
            f"encoder {encoder.id!r} writes: {_short(observation_space(encoder))}."
        )
    _check_observations(model, encoder)
    return encoder


def _check_actions(model: Model) -> None:
    import gymnasium

    if model.action_space != gymnasium.spaces.Discrete(DECISIONS):
        raise InvalidOptionError(
            f"{model.what} acts in {_short(model.action_space)}, not in the "
            f"{DECISIONS} decisions of backgammon."
        )


def _recorded(model: Model) -> str | None:
    """The id of the encoder that the model's own record names."""
    record = record_of(model.encoded_space)
    if record is None:
        return None
    codes = record.get("decision_codes")
    if codes != CODES_VERSION:
        raise InvalidOptionError(
            f"{model.what} was trained on version {codes!r} of the decision codes; "
            f"this is version {CODES_VERSION}."
        )
    return str(record.get("observation"))


def _encoder_by_id(model: Model, name: str) -> Encoder:
    try:
        return make_encoder(name)
    except UnknownNameError:
        known = ", ".join(make_encoder(each).id for each in encoder_names())
        raise InvalidOptionError(
            f"{model.what} was trained on observation {name!r}, which is not here "
            f"(known: {known}); register that encoder or train the model anew."
        ) from None


def _encoder_that_fits(model: Model) -> Encoder:
    """The only encoder with the bounds of a model that has no record."""
    space = model.encoded_space
    known = [make_encoder(name) for name in encoder_names()]
    fitting = [encoder for encoder in known if _fits(space, encoder)]
    if len(fitting) != 1:
        found = ", ".join(encoder.id for encoder in fitting) or "none"
        raise InvalidOptionError(
            f"{model.what} does not say on which observation it was trained, and of "
            f"the known encoders {found} fits {_short(space)}; name it with "
            f"SB3Agent(..., observation=...)."
        )
    return fitting[0]


def _fits(space: Any, encoder: Encoder) -> bool:
    import gymnasium

    if not isinstance(space, gymnasium.spaces.Box) or space.dtype != encoder.dtype:
        return False
    wanted = observation_space(encoder)
    same = np.array_equal(space.low, wanted.low)
    return same and np.array_equal(space.high, wanted.high)


def _check_observations(model: Model, encoder: Encoder) -> None:
    """Refuse a model that saw other numbers than the encoder's: normalised ones."""
    seen = model.last_observations
    if not isinstance(seen, np.ndarray) or seen.shape[1:] != encoder.shape:
        return
    space = observation_space(encoder)
    if (seen < space.low).any() or (seen > space.high).any():
        raise InvalidOptionError(
            f"{model.what} was trained on numbers outside the bounds of "
            f"{encoder.id!r}, as VecNormalize makes them; train it without "
            f"normalised observations."
        )


def _short(space: Any) -> str:
    """A space in a few words: the bounds of a Box are long."""
    shape = getattr(space, "shape", None)
    if shape:
        return f"{type(space).__name__} {space.dtype}{list(shape)}"
    return repr(space)
