"""`SB3Agent`: a model of Stable-Baselines3 or sb3-contrib as an agent."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_agents._sb3 import draw_all, replace_illegal
from bg_agents.sb3_models import (
    MASK,
    OBSERVATION,
    Model,
    encoder_of,
    model_of,
    one_thread,
)
from bg_env.encoding import Encoder
from bg_env.errors import InvalidOptionError
from bg_env.rules.batch import States, legal_masks

_MOST_ROWS: Final = 256  # asked at once
_LEAST_ROWS: Final = 8  # a single row takes another way through a matrix product


class SB3Agent:
    """A saved or living model: MaskablePPO, PPO, A2C, TRPO, DQN, QR-DQN.

    It makes the single decisions that the model would make in an environment,
    cube and resignation included, with the observation the model was trained on. A
    masked model (MaskablePPO) is given the legal decisions. One without masks chooses
    among all 162; where that is illegal, a random legal decision is made in its
    place, drawn from the game's stream, and counted.

    Models saved by ``model.save`` know what they were trained on if they were trained
    in an environment of this package: it is part of the saved observation space. A
    model of another encoder or of other decision codes is refused.

    A file of a saved model can run code when it is read: take models only from people
    you would take a program from.

    Attributes:
        name: ``"sb3:PATH"``, or ``"sb3:MaskablePPO"`` for a living model.
        encoder: Of its observations.
        is_masked: It is given the legal decisions.
        deterministic: It makes the decision it thinks best.
        decisions: How many decisions it was asked for.
        illegal: How many of them were illegal and replaced.
    """

    def __init__(
        self,
        path: str | Path | Any = None,
        observation: str | Encoder | None = None,
        *,
        deterministic: bool = True,
    ) -> None:
        """Read a model, or share the weights of a living one.

        Args:
            path: A file that ``model.save`` wrote, or a model; what a living one
                learns later shows in the agent's play.
            observation: The encoder it was trained on, where it has no record of it.
            deterministic: False = draw decisions by the model's probabilities, from
                the streams of the games.

        Raises:
            MissingExtraError: The extra [sb3] is not installed.
            InvalidOptionError: No such file, a damaged or foreign one, another
                observation than `observation`, or one that is not there; a recurrent
                model; no probabilities where they are needed.
        """
        if path is None:
            raise InvalidOptionError(
                "Agent 'sb3' needs a saved model: 'sb3:model.zip'."
            )
        model = model_of(path)
        self.encoder = encoder_of(model, observation)
        self.policy = model.policy
        self._shows_mask = model.shows_mask
        asked = inspect.signature(model.policy.predict).parameters
        self.is_masked = "action_masks" in asked
        self.deterministic = deterministic
        saved = isinstance(path, str | Path)
        self.name = f"sb3:{path if saved else type(path).__name__}"
        self.decisions = 0
        self.illegal = 0
        _check_usable(model, deterministic)

    @property
    def illegal_share(self) -> float:
        """The share of decisions that were illegal, 0 before the first."""
        return self.illegal / self.decisions if self.decisions else 0.0

    def act(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One legal decision per game: int64[B].

        Args:
            states: ``STATE_DTYPE[B]``.
            streams: uint64[B], advanced where a decision is drawn.
        """
        masks = legal_masks(states)
        codes = np.empty(len(states), np.int64)
        if self.policy.training:
            self.policy.set_training_mode(False)
        for start in range(0, len(states), _MOST_ROWS):
            part = slice(start, start + _MOST_ROWS)
            scores = self._scores(self.encoder.observe(states[part]), masks[part])
            if self.is_masked:
                scores[masks[part] == 0] = -np.inf
            if self.deterministic:
                codes[part] = scores.argmax(axis=1)
            else:
                best = scores.max(axis=1, keepdims=True)
                draw_all(np.exp(scores - best), streams[part], codes[part])
        self.decisions += len(states)
        self.illegal += replace_illegal(masks, streams, codes)
        return codes

    def _scores(
        self, rows: NDArray[Any], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """float64[B, 162]: log probabilities or values of all decisions."""
        import torch

        count = len(rows)
        seen: Any = _enough(rows)
        if self._shows_mask:
            seen = {OBSERVATION: seen, MASK: _enough(masks)}
        with one_thread(), torch.no_grad():
            inputs, _ = self.policy.obs_to_tensor(seen)
            scores = _scores_of(self.policy, inputs)[:count].cpu().numpy()
        return np.asarray(scores, np.float64)

    def __repr__(self) -> str:
        return f"<SB3Agent {self.name!r} on {self.encoder.id!r}>"


def _check_usable(model: Model, deterministic: bool) -> None:
    if hasattr(model.policy, "lstm_actor"):
        raise InvalidOptionError(
            f"{model.what} is recurrent; an agent decides without a memory."
        )
    if not deterministic and not hasattr(model.policy, "get_distribution"):
        raise InvalidOptionError(
            f"{model.what} has no probabilities to draw from; leave deterministic=True."
        )


def _scores_of(policy: Any, inputs: Any) -> Any:
    """Tensor[B, 162]: what the policy of any algorithm ranks decisions by."""
    if hasattr(policy, "q_net"):
        return policy.q_net(inputs)
    if hasattr(policy, "quantile_net"):
        return policy.quantile_net(inputs).mean(dim=1)
    if not hasattr(policy, "action_net"):
        return policy.get_distribution(inputs).distribution.logits
    features = policy.extract_features(inputs, policy.pi_features_extractor)
    return policy.action_net(policy.mlp_extractor.forward_actor(features))


def _enough(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows, repeated until they are so many that it does not matter how many."""
    if len(rows) >= _LEAST_ROWS:
        return rows
    return np.resize(rows, (_LEAST_ROWS, *rows.shape[1:]))
