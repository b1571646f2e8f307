"""The mask inside the observation, and shaped rewards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from env_play import (
    CUBELESS,
    MATCH,
    MONEY,
    any_of,
    make,
    random_steps,
    xgid,
)
from gymnasium.utils.env_checker import check_env

from bg_env import BackgammonEnv, GameState, Position, Rules
from bg_env.envs.wrappers import (
    DictObservation,
    PotentialShaping,
    pip_potential,
)
from bg_env.errors import InvalidOptionError
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, legal_plays
from bg_env.rules.state import BEFORE_ROLL

ROLL = 151


class Leader:
    """An evaluator that gives whoever leads in pips more chances."""

    name = "leader"

    def evaluate(self, boards: np.ndarray) -> np.ndarray:
        """Chances float32[B, 5] of boards int8[B, 2, 32]."""
        pips = boards[:, :, :26].astype(int) @ np.arange(26)
        lead = (pips[:, 1] - pips[:, 0]) / 400
        chances = np.zeros((len(boards), 5), np.float32)
        chances[:, 0] = 0.5 + lead / 2
        chances[:, 1] = 0.1 + lead / 10
        chances[:, 3] = 0.1 - lead / 10
        return chances


def odd_potential(state: GameState) -> float:
    """Something that has nothing to do with who wins; as player 0 sees it."""
    mover, opponent = (sum(n * p**2 for p, n in enumerate(side)) for side in (
        state.position.mover, state.position.opponent
    ))  # fmt: skip
    value = np.sin(mover) - np.sin(opponent) + sum(state.dice_left) / 7
    return float(-value if state.on_roll else value)


POTENTIALS: dict[str, Any] = {
    "pips": "pips",
    "evaluator": Leader(),
    "function": odd_potential,
}


# --- observation and mask -------------------------------------------------------


@pytest.mark.parametrize("observation", ["tesauro", "planes"])
def test_the_mask_is_in_the_observation(observation: str) -> None:
    env = DictObservation(make(MONEY, observation=observation, opponent="random"))
    inner = env.unwrapped
    for seen, _, _, _, info in random_steps(env, 500):
        assert env.observation_space.contains(seen)
        np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
        assert seen["observation"].shape == inner.observation_space.shape
        np.testing.assert_array_equal(env.action_masks(), inner.action_masks())


def test_the_observation_inside_is_the_one_without_the_wrapper() -> None:
    env, plain = DictObservation(make()), make()
    for (seen, *_), (observation, *_) in zip(
        random_steps(env, 300), random_steps(plain, 300), strict=True
    ):
        np.testing.assert_array_equal(seen["observation"], observation)


def test_writing_to_the_mask_of_an_observation_changes_nothing_else() -> None:
    env = DictObservation(make())
    seen, info = env.reset(seed=1)
    seen["action_mask"][:] = 0
    assert info["action_mask"].any()
    assert env.action_masks().any()


def test_what_the_inner_environment_returns_can_be_put_into_the_same_form() -> None:
    env = DictObservation(make())
    seen, info = env.reset(seed=1)
    snapshot = env.unwrapped.get_state()
    env.step(any_of(info["action_mask"], np.random.default_rng(1)))
    again = env.with_mask(*env.unwrapped.set_state(snapshot))
    assert env.observation_space.contains(again)
    np.testing.assert_array_equal(again["observation"], seen["observation"])
    np.testing.assert_array_equal(again["action_mask"], seen["action_mask"])


WRAPPERS: dict[str, Callable[[Any], gymnasium.Env[Any, Any]]] = {
    "dict": DictObservation,
    "shaping": PotentialShaping,
    "both": lambda env: DictObservation(PotentialShaping(env)),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_gymnasiums_own_checker_finds_nothing_in_a_wrapped_environment(
    wrapper: str, opponent: str
) -> None:
    """But that it is wrapped, of which it always warns."""
    env = WRAPPERS[wrapper](make(CUBELESS, opponent=opponent))
    with pytest.warns(UserWarning, match="different from the unwrapped"):
        check_env(env)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_stable_baselines_own_checker_finds_nothing_in_a_wrapped_environment(
    wrapper: str,
) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(WRAPPERS[wrapper](gymnasium.make(CUBELESS)))


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_masks_are_reached_through_more_wrappers(wrapper: str) -> None:
    env = gymnasium.wrappers.TimeLimit(WRAPPERS[wrapper](make()), 50)
    env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    np.testing.assert_array_equal(masks, env.unwrapped.action_masks())


@pytest.mark.parametrize("wrapper", [DictObservation, PotentialShaping])
def test_other_environments_are_refused(wrapper: Any) -> None:
    with pytest.raises(InvalidOptionError, match="for environments of backgammon"):
        wrapper(gymnasium.make("CartPole-v1"))


def test_a_wrapped_environment_is_made_again_from_its_spec() -> None:
    env = PotentialShaping(gymnasium.make(CUBELESS), "pips", gamma=0.9, scale=2)
    again = gymnasium.make(DictObservation(env).spec)
    assert isinstance(again, DictObservation)
    assert isinstance(again.env, PotentialShaping)
    assert (again.env.gamma, again.env.scale) == (0.9, 2)


# --- potentials -----------------------------------------------------------------


def test_pips_are_player_0s_lead_whoever_is_on_roll() -> None:
    position = Position.from_points({6: 2}, {24: 1})
    for on_roll, lead in ((0, 12), (1, -12)):
        state = GameState.from_position(position, on_roll=on_roll)
        assert pip_potential(state) == pytest.approx(lead / 100)


def test_an_evaluators_potential_is_player_0s_equity() -> None:
    chances = np.array([[0.6, 0.2, 0.05, 0.1, 0.01]], np.float32)

    class Fixed:
        name = "fixed"

        def evaluate(self, boards: np.ndarray) -> np.ndarray:
            assert boards.shape == (1, 2, 32)
            return chances

    env = PotentialShaping(make(), Fixed(), scale=3)
    equity = 0.2 + 0.2 + 0.05 - 0.1 - 0.01
    for turn, sign in ((1, 1), (-1, -1)):
        text = xgid({6: 2, 8: 1}, {6: 2, 13: 1}, turn=turn, dice="21")
        env.reset(options={"xgid": text})
        assert env.potential() == pytest.approx(3 * sign * equity, abs=1e-6)


@pytest.mark.parametrize("potential", [None, 3, "pip", Leader, float])
def test_what_is_no_potential_is_refused(potential: Any) -> None:
    with pytest.raises(InvalidOptionError, match="potential is 'pips'"):
        PotentialShaping(make(), potential)


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"gamma": 0}, "gamma is more than 0"),
        ({"gamma": 1.01}, "gamma is more than 0"),
        ({"gamma": "1"}, "gamma is a finite number"),
        ({"scale": float("nan")}, "scale is a finite number"),
        ({"scale": True}, "scale is a finite number"),
    ],
)
def test_numbers_that_cannot_be_are_refused(
    keywords: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidOptionError, match=words):
        PotentialShaping(make(), **keywords)


def test_a_potential_that_is_no_number_is_refused() -> None:
    env = PotentialShaping(make(), lambda state: float("inf"))
    _, info = env.reset(seed=1)
    with pytest.raises(InvalidOptionError, match="finite number, not inf"):
        env.step(any_of(info["action_mask"], np.random.default_rng(1)))


# --- the reward -----------------------------------------------------------------


@pytest.mark.parametrize("gamma", [1.0, 0.95])
@pytest.mark.parametrize("potential", POTENTIALS)
@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("name", [MONEY, MATCH])
def test_every_reward_changes_by_the_difference_of_potentials(
    name: str, opponent: str, potential: str, gamma: float
) -> None:
    """Of the player rewarded, before and after; both players' rewards add up to 0."""
    plain = make(name, opponent=opponent)
    env = PotentialShaping(
        make(name, opponent=opponent), POTENTIALS[potential], gamma=gamma, scale=0.7
    )
    before, player = 0.0, 0
    steps = zip(random_steps(env, 400), random_steps(plain, 400), strict=True)
    fresh = True
    for (_, reward, terminated, _, info), (_, bare, *_) in steps:
        after = 0.0 if terminated else env.potential()
        if fresh:
            assert "shaping" not in info, "a reset"
        else:
            added = (gamma * after - before) * (-1 if player else 1)
            assert reward == pytest.approx(bare + added)
            assert info["shaping"] == pytest.approx(added)
            assert reward == info["rewards"][player]
            assert sum(info["rewards"]) == pytest.approx(0, abs=1e-12)
        fresh = terminated
        before, seat = env.potential(), env.unwrapped.seat
        player = info["current_player"] if seat is None else seat


@pytest.mark.parametrize("opponent", ["self", "random", "pubeval"])
def test_over_an_episode_shaping_adds_up_to_minus_the_first_potential(
    opponent: str,
) -> None:
    env = PotentialShaping(make(opponent=opponent), odd_potential)
    rng = np.random.default_rng(4)
    env.reset(seed=4)
    for _ in range(10):
        _, info = env.reset()
        first, total, terminated = env.potential(), 0.0, False
        while not terminated:
            _, _, terminated, _, info = env.step(any_of(info["action_mask"], rng))
            total += info["rewards"][0]
        points = info["points"] * (1 if info["winner"] == 0 else -1)
        assert total == pytest.approx(points - first)


def test_a_truncated_episode_keeps_its_last_potential() -> None:
    env = PotentialShaping(make(max_turns=8), "pips")
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    first, total, truncated = env.potential(), 0.0, False
    while not truncated:
        _, _, terminated, truncated, info = env.step(any_of(info["action_mask"], rng))
        assert not terminated
        total += info["rewards"][0]
    assert env.potential() != 0
    assert total == pytest.approx(env.potential() - first)


def test_an_illegal_action_that_ends_the_episode_leaves_no_potential() -> None:
    env = PotentialShaping(make(CUBELESS), "pips")
    _, info = env.reset(seed=1)
    player, before = info["current_player"], env.potential()
    _, reward, terminated, _, info = env.step(ROLL)
    assert terminated
    assert info["illegal_action"]
    assert reward == pytest.approx(-3 - (-before if player else before))


def test_a_state_set_from_outside_is_where_the_next_step_starts() -> None:
    env = PotentialShaping(make(), "pips")
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    snapshot, action = env.unwrapped.get_state(), any_of(info["action_mask"], rng)
    reward = env.step(action)[1]
    for _ in range(5):
        _, _, _, _, info = env.step(any_of(env.unwrapped.action_masks(), rng))
    env.unwrapped.set_state(snapshot)
    assert env.step(action)[1] == reward


# --- the best policy stays ------------------------------------------------------

# Each side has at most two checkers left on its 1- to 4-points and has borne one off: a
# race that both play to the end, small enough to be solved through the environment
# itself, action by action and roll by roll.
RACE = Rules(start="hypergammon", cube=False)

Node = tuple[bytes, ...]


class Solver:
    """Best play by values of the player to act, from the rewards of an environment."""

    def __init__(self, env: gymnasium.Env[Any, Any], gamma: float) -> None:
        """Solve by the rewards of this environment, discounted by `gamma`."""
        self.env = env
        inner = env.unwrapped
        assert isinstance(inner, BackgammonEnv)
        self.inner = inner
        self.gamma = gamma
        self.values: dict[Node, float] = {}
        self.potentials: dict[Node, float] = {}
        self.best: dict[Node, frozenset[int]] = {}
        self.choices = 0  # states where some action is not the best

    def node(self) -> Node:
        """What tells states apart, seen by the player on roll."""
        record = self.inner.state.record
        dice = sorted(self.inner.state.dice_left)
        phase = [int(record["phase"][0])]
        return record["board"].tobytes(), bytes(dice), bytes(phase)

    def value(self) -> float:
        """Of the state the environment stands in, for the player to act."""
        node = self.node()
        if node not in self.values:
            if isinstance(self.env, PotentialShaping):
                sign = -1 if self.inner.state.to_act else 1
                self.potentials[node] = sign * self.env.potential()
            snapshot = self.inner.get_state()
            if self.inner.state.phase == BEFORE_ROLL:
                self.values[node] = self._value_of_rolls(snapshot)
            else:
                self.values[node] = self._value_of_actions(node, snapshot)
        return self.values[node]

    def _value_of_rolls(self, snapshot: Any) -> float:
        total = 0.0
        for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
            self.inner.set_state(snapshot)
            self.inner.set_dice_queue([roll])
            total += ways / 36 * self._value_of(ROLL)
        return total

    def _value_of_actions(self, node: Node, snapshot: Any) -> float:
        worth = {}
        for action in np.flatnonzero(self.inner.action_masks()).tolist():
            self.inner.set_state(snapshot)
            worth[action] = self._value_of(action)
        best = max(worth.values())
        self.best[node] = frozenset(a for a in worth if worth[a] > best - 1e-9)
        self.choices += len(self.best[node]) < len(worth)
        return best

    def _value_of(self, action: int) -> float:
        actor = self.inner.state.to_act
        _, reward, terminated, _, _ = self.env.step(action)
        if terminated:
            return float(reward)
        sign = 1 if self.inner.state.to_act == actor else -1
        return float(reward) + self.gamma * sign * self.value()


def solved(wrap: Callable[[Any], Any], gamma: float) -> Solver:
    """The race from two checkers a side on the 4-point, by the rewards of a wrapper."""
    solver = Solver(wrap(BackgammonEnv(RACE, auto_pass=False)), gamma)
    solver.env.reset(options={"xgid": xgid({4: 2}, {4: 2})})
    solver.value()
    return solver


@pytest.fixture(scope="module", params=[1.0, 0.9])
def unshaped(request: pytest.FixtureRequest) -> Solver:
    """The race solved without shaping."""
    return solved(lambda env: env, request.param)


@pytest.mark.parametrize("potential", POTENTIALS)
def test_shaping_leaves_the_best_policy_of_a_race_as_it_is(
    unshaped: Solver, potential: str
) -> None:
    """The same actions are best in every state, and V′ = V − Φ."""
    gamma = unshaped.gamma
    shaped = solved(
        lambda env: PotentialShaping(env, POTENTIALS[potential], gamma=gamma), gamma
    )
    assert unshaped.choices > 100
    assert shaped.best == unshaped.best
    for node, value in unshaped.values.items():
        expected = value - shaped.potentials[node]
        assert shaped.values[node] == pytest.approx(expected, abs=1e-9)
    assert any(shaped.potentials.values())


class Dawdling(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Pays one point for each action that bears no checker off."""

    def step(self, action: Any) -> Any:
        """Step, and pay."""
        state = self.unwrapped.state  # type: ignore[attr-defined]
        off = state.record["board"][0, :, 0].sum()
        seen, reward, terminated, truncated, info = self.env.step(action)
        paid = float(state.record["board"][0, :, 0].sum() == off)
        return seen, float(reward) + paid, terminated, truncated, info


def test_a_reward_that_is_no_difference_of_potentials_does_change_the_policy(
    unshaped: Solver,
) -> None:
    """So the test above could fail."""
    paid = solved(Dawdling, unshaped.gamma)
    assert paid.best.keys() == unshaped.best.keys()
    assert any(paid.best[node] != best for node, best in unshaped.best.items())


def win_chance(position: Position, known: dict[Position, float]) -> float:
    """Of the player on roll before his roll, by whole plays."""
    if position not in known:
        total = 0.0
        for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
            chances = [
                1.0
                if not any(play.result.mover[1:])
                else 1 - win_chance(play.result.swapped(), known)
                for play in legal_plays(position, roll)
            ]
            total += ways / 36 * max(chances)
        known[position] = total
    return known[position]


def test_the_race_is_worth_the_same_by_whole_plays() -> None:
    """The environment's values, undiscounted, are those of `legal_plays`."""
    solver = solved(lambda env: env, 1.0)
    known: dict[Position, float] = {}
    seen = 0
    for (board, _, phase), value in solver.values.items():
        if phase == bytes([BEFORE_ROLL]):
            row = np.frombuffer(board, np.int8).reshape(2, 32)
            chance = win_chance(Position.from_board(row), known)
            assert value == pytest.approx(2 * chance - 1)
            seen += 1
    assert seen > 50
