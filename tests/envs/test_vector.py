"""The vector environment: game for game and key for key as single environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from bg_env import (
    BackgammonEnv,
    IllegalActionError,
    InvalidOptionError,
    Rules,
    UnknownNameError,
)
from bg_env.envs import BackgammonVectorEnv

NEXT, SAME, OFF = (
    AutoresetMode.NEXT_STEP,
    AutoresetMode.SAME_STEP,
    AutoresetMode.DISABLED,
)

SETTINGS = {
    "cubeless": {"rules": "cubeless"},
    "money": {"rules": "standard"},
    "money against pubeval": {"rules": "standard", "opponent": "pubeval"},
    "money against random, second seat": {
        "rules": "standard", "opponent": "random", "seat": 1, "observation": "raw",
    },
    "matches against random": {
        "match_length": 3, "opponent": "random", "observation": "raw",
    },
    "games of a match by chance": {
        "match_length": 5, "episode": "game", "reward": "mwc", "observation": "raw",
    },
    "all passes shown, capped": {
        "rules": "standard", "auto_pass": False, "max_turns": 20,
        "opponent": "random", "observation": "raw",
    },
    "beavers and resigning": {
        "rules": Rules(beavers=2, jacoby=True, automatic_doubles=1, resign="offer"),
        "observation": "raw",
    },
    "timed": {"rules": "timed", "observation": "raw"},
    "hypergammon": {
        "rules": Rules(start="hypergammon", cube=False), "observation": "planes",
    },
}  # fmt: skip


def singles_as_vector(count, mode, keywords):
    """Gymnasium's own vector environment of single ones."""
    return gymnasium.vector.SyncVectorEnv(
        [lambda: BackgammonEnv(**keywords) for _ in range(count)], autoreset_mode=mode
    )


def same_values(name, mine, theirs):
    if name == "rewards":  # tuples in single environments, an array here
        theirs = [pair if pair is not None else (0.0, 0.0) for pair in theirs]
        np.testing.assert_array_equal(mine, np.array(theirs, np.float64))
    elif isinstance(mine, dict):
        assert set(mine) == set(theirs), name
        for key in mine:
            same_values(key, mine[key], theirs[key])
    elif mine.dtype == object:
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(one, other)
    else:
        assert mine.dtype == theirs.dtype, name
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


def same_infos(mine, theirs):
    assert set(mine) == set(theirs)
    for name in mine:
        same_values(name, mine[name], theirs[name])


def random_actions(rng, masks):
    noise = rng.random(masks.shape) * (masks != 0)
    return noise.argmax(axis=1)


def play_both(keywords, mode, *, count=4, steps=250, illegal=0.0, seed=17):
    vector = BackgammonVectorEnv(count, autoreset_mode=mode, **keywords)
    singles = singles_as_vector(count, mode, keywords)
    mine, told = vector.reset(seed=seed)
    theirs, said = singles.reset(seed=seed)
    rng = np.random.default_rng(seed)
    episodes = 0
    for _ in range(steps):
        np.testing.assert_array_equal(mine, theirs)
        same_infos(told, said)
        actions = random_actions(rng, told["action_mask"])
        wrong = rng.random(count) < illegal
        actions[wrong] = rng.integers(0, 162, wrong.sum())
        step, other = vector.step(actions), singles.step(actions)
        for one, two in zip(step[1:4], other[1:4], strict=True):
            np.testing.assert_array_equal(one, two)
            assert one.dtype == two.dtype
        mine, told, theirs, said = step[0], step[4], other[0], other[4]
        ended = step[2] | step[3]
        episodes += int(ended.sum())
        if mode == OFF and ended.any():
            options = {"reset_mask": ended}
            mine, told = vector.reset(options=dict(options))
            theirs, said = singles.reset(options=dict(options))
            told = {**told, "action_mask": vector.action_masks().astype(np.int8)}
            masks = [env.action_masks() for env in singles.envs]
            said = {**said, "action_mask": np.array(masks).astype(np.int8)}
    return episodes


@pytest.mark.parametrize("mode", [NEXT, SAME, OFF])
@pytest.mark.parametrize("name", SETTINGS)
def test_each_game_equals_a_single_environment_key_for_key(name, mode):
    keywords = SETTINGS[name]
    steps = 60 if "opponent" in keywords else 250
    play_both(keywords, mode, steps=steps)


@pytest.mark.heavy
@pytest.mark.parametrize("mode", [NEXT, SAME, OFF])
@pytest.mark.parametrize("name", SETTINGS)
def test_thousands_of_games_equal_single_environments(name, mode):
    play_both(SETTINGS[name], mode, count=16, steps=2500, seed=5)


@pytest.mark.parametrize("mode", [NEXT, SAME])
@pytest.mark.parametrize("policy", ["terminate", "penalize", "random_legal"])
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_illegal_actions_are_treated_as_in_single_environments(policy, opponent, mode):
    keywords = {"illegal_action": policy, "opponent": opponent, "observation": "raw"}
    assert play_both(keywords, mode, steps=120, illegal=0.3) >= 0


def test_an_illegal_action_raises_under_raise():
    vector = BackgammonVectorEnv(3, illegal_action="raise")
    _, infos = vector.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    actions[1] = 152
    with pytest.raises(IllegalActionError, match=r"152 \(double\) is not legal"):
        vector.step(actions)


@pytest.mark.parametrize("count", [1, 3, 40])
def test_a_game_does_not_depend_on_the_others(count):
    def play(envs, seeds, steps=150):
        vector = BackgammonVectorEnv(envs, opponent="random", observation="raw")
        observations, infos = vector.reset(seed=seeds)
        seen = [observations]
        for _ in range(steps):
            observations, *_, infos = vector.step(infos["action_mask"].argmax(axis=1))
            seen.append(observations)
        return np.array(seen)

    together = play(count, list(range(count)))
    backward = play(count, list(range(count))[::-1])
    np.testing.assert_array_equal(together, backward[:, ::-1])
    np.testing.assert_array_equal(together[:, :1], play(1, [0]))


def test_threads_change_nothing():
    results = []
    for parallel in (False, True):
        vector = BackgammonVectorEnv(50, parallel=parallel)
        _, infos = vector.reset(seed=1)
        rng = np.random.default_rng(0)
        for _ in range(100):
            *rest, infos = vector.step(random_actions(rng, infos["action_mask"]))
        results.append((rest[0], vector.states.tobytes()))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]


def test_made_by_gymnasium_by_its_id():
    vector = gymnasium.make_vec(
        "Backgammon-v0", num_envs=7, vectorization_mode="vector_entry_point"
    )
    assert isinstance(vector.unwrapped, BackgammonVectorEnv)
    observations, infos = vector.reset(seed=3)
    assert observations in vector.observation_space
    assert infos["action_mask"].dtype == np.int8
    actions = infos["action_mask"].argmax(axis=1)
    assert actions in vector.action_space
    step = vector.step(actions)
    assert step[1].dtype == np.float64
    assert vector.metadata["autoreset_mode"] == NEXT


# --- arrays ------------------------------------------------------------------------


def test_copies_belong_to_the_caller():
    vector = BackgammonVectorEnv(4)
    first, infos = vector.reset(seed=0)
    kept, mask = first.copy(), infos["action_mask"].copy()
    for _ in range(4):
        *_, later = vector.step(vector.action_masks().argmax(axis=1))
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(infos["action_mask"], mask)
    assert later["action_mask"] is not infos["action_mask"]


def test_without_copies_two_arrays_take_turns():
    vector = BackgammonVectorEnv(4, copy=False)
    arrays = [vector.reset(seed=0)[0]]
    for _ in range(5):
        arrays.append(vector.step(vector.action_masks().argmax(axis=1))[0])
    assert arrays[2] is arrays[0]
    assert arrays[3] is arrays[1]
    assert arrays[0] is not arrays[1]


def test_without_copies_the_numbers_are_the_same():
    for one, other in zip(*(_observed(copy) for copy in (True, False)), strict=True):
        np.testing.assert_array_equal(one, other)


def _observed(copy):
    vector = BackgammonVectorEnv(4, copy=copy)
    yield vector.reset(seed=2)[0].copy()
    for _ in range(30):
        yield vector.step(vector.action_masks().argmax(axis=1))[0].copy()


# --- whole plays --------------------------------------------------------------------


def test_a_whole_play_equals_its_single_moves():
    whole, single = (BackgammonVectorEnv(20, observation="raw") for _ in range(2))
    whole.reset(seed=9)
    single.reset(seed=9)
    rng = np.random.default_rng(1)
    for _ in range(40):
        _, codes, offsets = whole.afterstates()
        plays = np.zeros((20, 4), np.int64)
        plays[:, 0] = whole.action_masks().argmax(axis=1)
        some = np.flatnonzero(np.diff(offsets))
        chosen = offsets[some] + rng.integers(0, np.diff(offsets)[some])
        plays[some] = codes[chosen]
        seen = whole.step_plays(plays)[0]
        for game in range(20):
            for code in plays[game][plays[game] > 0] if plays[game].any() else [0]:
                actions = single.action_masks().argmax(axis=1)
                _one_game(single, game, int(code), actions)
        np.testing.assert_array_equal(seen, single._observe())


def _one_game(vector, game, code, _):
    """Step one game of a vector environment alone, by its own single environment."""
    env = BackgammonEnv(observation="raw")
    env.reset(seed=0)
    env._games.states[:] = vector._games.states[game : game + 1]
    env._games.steps[:] = vector._games.steps[game : game + 1]
    env.step(code)
    vector._games.states[game : game + 1] = env._games.states
    vector._games.steps[game : game + 1] = env._games.steps


def test_a_play_that_is_not_legal_moves_nothing():
    vector = BackgammonVectorEnv(3)
    vector.reset(seed=0)
    before = vector.states.tobytes()
    _, codes, offsets = vector.afterstates()
    plays = codes[offsets[:-1]].astype(np.int64)
    plays[2] = [plays[2][0], plays[2][0], plays[2][0], plays[2][0]]
    with pytest.raises(IllegalActionError, match="game 2 is not legal"):
        vector.step_plays(plays)
    assert vector.states.tobytes() == before
    with pytest.raises(IllegalActionError, match="Plays are int"):
        vector.step_plays(plays[:, :2])


# --- bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "error", "named"),
    [
        ({"num_envs": 0}, InvalidOptionError, "not 0"),
        ({"num_envs": 2.5}, InvalidOptionError, "2.5"),
        ({"num_envs": -3}, InvalidOptionError, "-3"),
        ({"autoreset_mode": "later"}, InvalidOptionError, "'later'"),
        ({"opponent": "gnu"}, UnknownNameError, "'gnu'"),
        ({"observation": "pixels"}, UnknownNameError, "'pixels'"),
        ({"seat": 0}, InvalidOptionError, "seat=0"),
    ],
)
def test_impossible_arguments_are_refused_with_their_value(keywords, error, named):
    with pytest.raises(error) as caught:
        BackgammonVectorEnv(**{"num_envs": 2, **keywords})
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "actions",
    [
        [0, 1],
        [0, 1, 162],
        [-1, 0, 0],
        [0.0, 1.0, 2.0],
        [[0], [1], [2]],
        ["a", "b", "c"],
    ],
)
def test_impossible_actions_leave_all_games_untouched(actions):
    vector = BackgammonVectorEnv(3)
    vector.reset(seed=0)
    before = vector.states.tobytes()
    with pytest.raises(IllegalActionError):
        vector.step(np.array(actions))
    assert vector.states.tobytes() == before


@pytest.mark.parametrize(
    "options",
    [
        {"reset_mask": np.array([True])},
        {"reset_mask": np.array([False, False])},
        {"reset_mask": np.array([1, 0])},
        {"score": (1, 1)},
        {"wind": 3},
    ],
)
def test_impossible_reset_options_are_refused(options):
    vector = BackgammonVectorEnv(2)
    vector.reset(seed=0)
    before = vector.states.tobytes()
    with pytest.raises((InvalidOptionError, UnknownNameError)):
        vector.reset(options=options)
    assert vector.states.tobytes() == before


def test_a_step_before_the_first_reset_and_after_an_end_is_refused():
    vector = BackgammonVectorEnv(2, autoreset_mode="DISABLED")
    with pytest.raises(ResetNeeded):
        vector.step(np.zeros(2, np.int64))
    vector.reset(seed=0)
    vector.step(np.full(2, 152))  # illegal: both episodes end
    with pytest.raises(ResetNeeded, match=r"\[0, 1\]"):
        vector.step(np.zeros(2, np.int64))
    vector.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeeded, match=r"\[1\]"):
        vector.step(np.zeros(2, np.int64))


def test_reset_options_are_those_of_a_single_environment():
    keywords = {"match_length": 5, "opponent": "random", "observation": "raw"}
    for options in ({"score": (2, 4)}, {"dice": [(6, 1), (3, 3)]}):
        vector = BackgammonVectorEnv(3, **keywords)
        singles = singles_as_vector(3, NEXT, keywords)
        mine, told = vector.reset(seed=4, options=dict(options))
        theirs, said = singles.reset(seed=4, options=dict(options))
        np.testing.assert_array_equal(mine, theirs)
        same_infos(told, said)


def test_another_opponent_answers_from_the_next_step():
    vector = BackgammonVectorEnv(3, opponent="random")
    vector.reset(seed=0)
    vector.set_opponent("pubeval")
    assert vector.settings.opponent.name == "pubeval"
    with pytest.raises(InvalidOptionError, match="Self-play or an opponent"):
        vector.set_opponent("self")


def test_boards_are_drawn_for_every_game():
    vector = BackgammonVectorEnv(3, render_mode="ansi")
    vector.reset(seed=0)
    assert len(vector.render()) == 3
    assert BackgammonVectorEnv(2).render() is None
