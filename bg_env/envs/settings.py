"""The keywords of the environments, checked once and kept as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from bg_env.agent import Agent, make_agent
from bg_env.encoding import Encoder, RewardSpec, make_encoder
from bg_env.envs.opponents import FunctionAgent
from bg_env.errors import InvalidOptionError
from bg_env.rules.options import Rules, as_rules

Opponent = str | Agent | Callable[[NDArray[Any], NDArray[np.int8]], int]
Seat = Literal["random", 0, 1]
IllegalAction = Literal["terminate", "raise", "penalize", "random_legal"]
Episode = Literal["game", "match"]

ILLEGAL_ACTIONS: Final = ("terminate", "raise", "penalize", "random_legal")
SELF: Final = "self"
DEFAULT_MAX_TURNS: Final = 1000
PENALTY: Final = 0.1  # what an illegal action costs under "penalize", before scale
MOST_PENALTIES: Final = 100  # in a row; then the episode ends as under "terminate"


class RenderModeError(InvalidOptionError, TypeError):
    """A render mode that is not there.

    Also a TypeError: Stable-Baselines3 first asks every environment that it makes by
    id for "rgb_array", and on a TypeError makes it without.
    """


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything an environment is told when it is made."""

    rules: Rules
    opponent: Agent | None
    """None = self-play."""
    seat: Seat
    encoder: Encoder
    reward: RewardSpec
    illegal_action: IllegalAction
    auto_pass: bool
    max_turns: int
    episode: Episode

    @classmethod
    def of(
        cls,
        *,
        rules: Rules | str | None,
        match_length: int | None,
        opponent: Opponent,
        seat: Seat,
        observation: str | Encoder,
        reward: str | RewardSpec | None,
        reward_scale: float,
        illegal_action: IllegalAction,
        auto_pass: bool,
        max_turns: int,
        episode: Episode | None,
        render_mode: str | None = None,
    ) -> Settings:
        """Check the keywords of an environment and fill in what follows from others.

        Raises:
            InvalidOptionError: A value or combination that cannot be.
            UnknownNameError: A preset, opponent, encoder or reward nobody knows.
        """
        chosen = rules_of(rules, match_length)
        encoder = observation
        if not isinstance(encoder, Encoder):
            encoder = make_encoder(observation)  # type: ignore[arg-type]
        unit = _episode_of(episode, chosen)
        _check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        _check_choice("seat", seat, ("random", 0, 1))
        _check_choice("auto_pass", auto_pass, (True, False))
        _check_render_mode(render_mode)
        _check_max_turns(max_turns)
        agent = opponent_of(opponent, encoder)
        if agent is None and seat != "random":
            raise InvalidOptionError(
                f"In self-play the learner has both seats, so seat={seat!r} cannot be; "
                f"name an opponent or leave seat out."
            )
        return cls(
            rules=chosen,
            opponent=agent,
            seat=seat,
            encoder=encoder,
            reward=_reward_of(reward, reward_scale, chosen, unit),
            illegal_action=illegal_action,
            auto_pass=bool(auto_pass),
            max_turns=int(max_turns),
            episode=unit,
        )

    def with_opponent(self, agent: Agent | None) -> Settings:
        """The same settings with another opponent.

        Raises:
            InvalidOptionError: It would turn self-play on or off.
        """
        if (agent is None) != (self.opponent is None):
            raise InvalidOptionError(
                "Self-play or an opponent is decided when the environment is made; "
                "an opponent can only be replaced by another."
            )
        return replace(self, opponent=agent)


def rules_of(rules: Rules | str | None, match_length: int | None) -> Rules:
    """Rules from a value or the name of a preset, and perhaps a match length."""
    if isinstance(rules, str):
        changes = {} if match_length is None else {"match_length": match_length}
        return Rules.preset(rules, **changes)
    if rules is None:
        return Rules() if match_length is None else Rules(match_length=match_length)
    rules = as_rules(rules)
    if match_length not in (None, rules.match_length):
        raise InvalidOptionError(
            f"match_length={match_length!r} contradicts rules with match_length="
            f"{rules.match_length}; give one of them."
        )
    return rules


def opponent_of(opponent: Opponent, encoder: Encoder) -> Agent | None:
    """The opponent as an agent, None for self-play.

    Raises:
        InvalidOptionError: Neither a name, an agent nor a function.
        UnknownNameError: No agent of that name.
    """
    if isinstance(opponent, str):
        return None if opponent == SELF else make_agent(opponent)
    if isinstance(opponent, Agent) and not isinstance(opponent, type):
        return opponent
    if callable(opponent) and not isinstance(opponent, type):
        return FunctionAgent(opponent, encoder)
    raise InvalidOptionError(
        f"opponent is an agent's name, {SELF!r}, an agent, or a function "
        f"f(observation, action_mask) -> int, not {opponent!r}."
    )


def _episode_of(episode: Episode | None, rules: Rules) -> Episode:
    if episode is None:
        return "match" if rules.match_length else "game"
    _check_choice("episode", episode, ("game", "match"))
    if episode == "match" and not rules.match_length:
        raise InvalidOptionError(
            "episode='match' needs a match; match_length is 0 (money play)."
        )
    return episode


def _reward_of(
    reward: str | RewardSpec | None, scale: float, rules: Rules, episode: Episode
) -> RewardSpec:
    """The reward; by default points, in an episode of a match who wins it."""
    if isinstance(reward, RewardSpec):
        if scale != 1.0:
            raise InvalidOptionError(
                f"reward_scale={scale!r} goes with the name of a reward; "
                f"a RewardSpec has its own scale."
            )
        spec = reward
    else:
        kind: Any = reward or ("match" if episode == "match" else "points")
        spec = RewardSpec(kind, scale=scale)
    spec.check(rules)
    return spec


def _check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    same_kind = [choice for choice in choices if type(choice) is type(value)]
    if value not in same_kind:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InvalidOptionError(f"{name} is one of {listed}, not {value!r}.")


def _check_render_mode(mode: Any) -> None:
    try:
        _check_choice("render_mode", mode, (None, "ansi"))
    except InvalidOptionError as error:
        raise RenderModeError(str(error)) from None


def _check_max_turns(value: Any) -> None:
    good = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not good or not 1 <= value <= 2**30:
        raise InvalidOptionError(
            f"max_turns is a whole number of 1 or more turns, not {value!r}."
        )
