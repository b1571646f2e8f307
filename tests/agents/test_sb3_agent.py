"""`SB3Agent`: models of Stable-Baselines3 and sb3-contrib in the arena."""

from __future__ import annotations

import copy
import io
import json
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from bg_agents.sb3_agent import SB3Agent
from support import run_python

from bg_env import BackgammonEnv, make_agent, make_encoder
from bg_env.encoding import Encoder, encoder_names, register_encoder
from bg_env.encoding.spaces import RECORD, observation_space, record_of
from bg_env.envs.wrappers import DictObservation
from bg_env.errors import InvalidOptionError, MissingExtraError, UnknownNameError
from bg_env.evaluation import evaluate
from bg_env.rules.batch import legal_masks, take_states
from bg_env.rules.options import Rules
from bg_env.testing import check_agent
from bg_env.testing._states import states_of

sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

ENV_ID = "bg_env:Backgammon-Cubeless-v0"
TINY: dict[str, Any] = {"policy_kwargs": {"net_arch": [16]}, "device": "cpu", "seed": 3}
ROLLOUT: dict[str, Any] = {"n_steps": 32, "batch_size": 32, "n_epochs": 1}
REPLAY: dict[str, Any] = {"buffer_size": 100, "learning_starts": 20, "batch_size": 8}

MAKERS: dict[str, Callable[[Any], Any]] = {
    "MaskablePPO": lambda env: contrib.MaskablePPO("MlpPolicy", env, **ROLLOUT, **TINY),
    "PPO": lambda env: sb3.PPO("MlpPolicy", env, **ROLLOUT, **TINY),
    "A2C": lambda env: sb3.A2C("MlpPolicy", env, n_steps=16, **TINY),
    "TRPO": lambda env: contrib.TRPO(
        "MlpPolicy", env, n_steps=32, batch_size=32, **TINY
    ),
    "DQN": lambda env: sb3.DQN("MlpPolicy", env, **REPLAY, **TINY),
    "QRDQN": lambda env: contrib.QRDQN("MlpPolicy", env, **REPLAY, **TINY),
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def game(**keywords: Any) -> gymnasium.Env:
    chosen = {"opponent": "random", **keywords}
    return gymnasium.make(ENV_ID, **chosen)


def model_of(kind: str = "MaskablePPO", **keywords: Any) -> Any:
    return MAKERS[kind](game(**keywords))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A MaskablePPO that has learned for a moment, saved as its users save it."""
    path = tmp_path_factory.mktemp("models") / "ppo.zip"
    model = model_of()
    model.learn(64)
    model.save(path)
    return path


def rewritten(source: Path, target: Path, change: Callable[[dict[str, Any]], None]):
    """A copy of a saved model with other entries in its ``data``."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "data":
                data = json.loads(content)
                change(data)
                content = json.dumps(data).encode()
            new.writestr(name, content)
    return target


def with_record(record: Any, kind: str = "MaskablePPO") -> Any:
    """A model whose observation space has another record."""
    model = model_of(kind)
    model.observation_space = copy.deepcopy(model.observation_space)
    setattr(model.observation_space, RECORD, record)
    return model


# --- plays --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MAKERS)
def test_a_saved_model_of_every_algorithm_plays_and_keeps_to_the_contract(
    kind: str, tmp_path: Path
) -> None:
    model = model_of(kind)
    model.learn(64)
    model.save(tmp_path / "model.zip")
    agent = SB3Agent(tmp_path / "model.zip")
    assert agent.encoder.id == "tesauro-v1"
    assert agent.is_masked == (kind == "MaskablePPO")
    check_agent(agent, rules=["cubeless", "match"], games=1)


@pytest.mark.parametrize("kind", ["MaskablePPO", "PPO", "DQN"])
def test_it_decides_what_the_model_predicts(kind: str) -> None:
    model = model_of(kind)
    states = states_of(Rules(cube=False), games=6, seed=1)
    rows = make_encoder("tesauro").observe(states)
    masks = legal_masks(states)
    keywords = {"action_masks": masks.astype(bool)} if kind == "MaskablePPO" else {}
    predicted, _ = model.predict(rows, deterministic=True, **keywords)
    agent = SB3Agent(model)
    codes = agent.act(states, states["choice_stream"].copy())
    legal = masks[np.arange(len(states)), predicted] == 1
    assert codes[legal].tolist() == predicted[legal].tolist()
    assert agent.illegal == (~legal).sum()
    assert agent.decisions == len(states)


def test_a_saved_model_is_the_agent_sb3_with_a_path(saved: Path) -> None:
    """As in ``bg-env evaluate sb3:model.zip random``."""
    agent = make_agent(f"sb3:{saved}")
    assert isinstance(agent, SB3Agent)
    assert agent.name == f"sb3:{saved}"
    result = evaluate(f"sb3:{saved}", "random", games=4, seed=1)
    assert result.played == 4


def test_the_ending_zip_may_be_left_out_as_in_saving(saved: Path) -> None:
    assert SB3Agent(saved.with_suffix("")).encoder.id == "tesauro-v1"


def test_a_model_that_was_saved_and_one_that_lives_decide_alike(saved: Path) -> None:
    living = SB3Agent(contrib.MaskablePPO.load(saved, device="cpu"))
    states = states_of(Rules(), games=6, seed=1)
    streams = states["choice_stream"]
    first = SB3Agent(saved).act(states, streams.copy())
    assert first.tolist() == living.act(states, streams.copy()).tolist()
    assert living.name == "sb3:MaskablePPO"


def test_what_a_living_model_learns_shows_in_its_play() -> None:
    model = model_of()
    agent = SB3Agent(model)
    states = states_of(Rules(cube=False), games=6, seed=1)
    before = agent.act(states, states["choice_stream"].copy())
    with torch.no_grad():
        for weights in model.policy.action_net.parameters():
            weights.mul_(-1)
    after = agent.act(states, states["choice_stream"].copy())
    assert before.tolist() != after.tolist()


def test_a_masked_model_never_chooses_illegally(saved: Path) -> None:
    agent = SB3Agent(saved)
    states = states_of(Rules(resign="offer"), games=8, seed=2)
    agent.act(states, states["choice_stream"].copy())
    assert agent.illegal == 0
    assert agent.illegal_share == 0.0


def test_illegal_choices_are_replaced_from_the_stream_of_their_game() -> None:
    """Each game draws for itself, and only where it must."""
    agent = SB3Agent(model_of("DQN"))
    states = states_of(Rules(cube=False), games=8, seed=2)
    streams = states["choice_stream"].copy()
    codes = agent.act(states, streams)
    masks = legal_masks(states)
    assert masks[np.arange(len(states)), codes].all()
    drawn = streams != states["choice_stream"]
    assert drawn.sum() == agent.illegal > 0
    assert agent.illegal_share == agent.illegal / len(states)
    other = states["choice_stream"] + np.uint64(99)
    again = agent.act(states, other)
    assert again[~drawn].tolist() == codes[~drawn].tolist()
    assert again[drawn].tolist() != codes[drawn].tolist()


def test_replaced_decisions_are_spread_over_all_legal_ones() -> None:
    agent = SB3Agent(model_of("DQN"))
    opening = states_of(Rules(cube=False), games=1, seed=2)
    moving = np.flatnonzero(legal_masks(opening).sum(axis=1) >= 5)[:1]
    states = take_states(opening, np.repeat(moving, 4000))
    streams = np.random.default_rng(1).integers(2**64, size=4000, dtype=np.uint64)
    codes = agent.act(states, streams)
    assert agent.illegal == 4000
    found, counts = np.unique(codes, return_counts=True)
    assert found.tolist() == np.flatnonzero(legal_masks(states[:1])[0]).tolist()
    wanted = 4000 / len(found)
    assert (abs(counts - wanted) < 5 * np.sqrt(wanted)).all()


def test_drawing_decisions_follows_the_probabilities_and_the_streams(
    saved: Path,
) -> None:
    agent = SB3Agent(saved, deterministic=False)
    opening = states_of(Rules(cube=False), games=1, seed=2)
    states = take_states(opening, np.zeros(4000, np.int64))
    streams = np.random.default_rng(1).integers(2**64, size=4000, dtype=np.uint64)
    before = streams.copy()
    codes = agent.act(states, streams)
    assert (streams != before).all()
    assert agent.illegal == 0
    rows = torch.as_tensor(agent.encoder.observe(states[:1]))
    masks = legal_masks(states[:1]).astype(bool)
    with torch.no_grad():
        chances = agent.policy.get_distribution(rows, action_masks=masks)
    expected = chances.distribution.probs[0].numpy()
    shares = np.bincount(codes, minlength=162) / 4000
    assert abs(shares - expected).max() < 0.04
    check_agent(agent, rules="cubeless", games=1)


def test_it_plays_inside_an_environment_as_the_opponent(saved: Path) -> None:
    """As in self-play against a pool of past selves."""
    env = game(opponent=SB3Agent(saved))
    _, info = env.reset(seed=4)
    env.unwrapped.set_opponent(f"sb3:{saved}")
    env.action_space.seed(4)
    for _ in range(60):
        action = env.action_space.sample(mask=info["action_mask"])
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()


@pytest.mark.parametrize("name", encoder_names())
def test_a_model_of_every_observation_plays(name: str, tmp_path: Path) -> None:
    model = model_of(observation=name)
    model.save(tmp_path / "model.zip")
    agent = SB3Agent(tmp_path / "model.zip")
    assert agent.encoder is make_encoder(name)
    check_agent(agent, rules="cubeless", games=0)


def test_a_model_of_observation_and_mask_in_one_plays(tmp_path: Path) -> None:
    model = contrib.MaskablePPO(
        "MultiInputPolicy", DictObservation(game()), **ROLLOUT, **TINY
    )
    model.save(tmp_path / "model.zip")
    agent = SB3Agent(tmp_path / "model.zip")
    assert agent.encoder.id == "tesauro-v1"
    check_agent(agent, rules="cubeless", games=0)
    states = states_of(Rules(cube=False), games=4, seed=1)
    masks = legal_masks(states)
    seen = {"observation": agent.encoder.observe(states), "action_mask": masks}
    predicted, _ = model.predict(
        seen, deterministic=True, action_masks=masks.astype(bool)
    )
    codes = agent.act(states, states["choice_stream"].copy())
    assert codes.tolist() == predicted.tolist()


def test_reading_and_asking_leave_torch_as_it_was(saved: Path) -> None:
    states = states_of(Rules(cube=False), games=2, seed=1)
    torch.set_num_threads(2)
    before = torch.get_rng_state()
    agent = SB3Agent(saved)
    agent.act(states, states["choice_stream"].copy())
    assert torch.get_num_threads() == 2
    assert torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), before)


# --- what it was trained on -----------------------------------------------------------


def test_the_observation_space_of_an_environment_says_what_it_is() -> None:
    record = record_of(game().observation_space)
    assert record is not None
    assert record["observation"] == "tesauro-v1"
    assert record["decision_codes"] == 1
    assert record["version"]
    plain = gymnasium.spaces.Box(0, 1, (3,))
    assert record_of(plain) is None
    tesauro = make_encoder("tesauro")
    space = observation_space(tesauro)
    assert space == gymnasium.spaces.Box(tesauro.low, tesauro.high, dtype=np.float32)


def test_the_record_is_in_the_file_that_save_writes(saved: Path) -> None:
    model = contrib.MaskablePPO.load(saved, device="cpu")
    record = record_of(model.observation_space)
    assert record is not None
    assert record["observation"] == "tesauro-v1"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"observation": "tesauro-v0", "decision_codes": 1},
            "observation 'tesauro-v0', which is not here .*tesauro-v1",
        ),
        (
            {"observation": "mine-v7", "decision_codes": 1},
            "observation 'mine-v7', which is not here",
        ),
        (
            {"observation": "raw-v1", "decision_codes": 1},
            r"observes Box float32\[237\], not what the encoder 'raw-v1' writes",
        ),
        (
            {"observation": "tesauro-v1", "decision_codes": 0},
            "version 0 of the decision codes; this is version 1",
        ),
        ({}, "version None of the decision codes"),
    ],
)
def test_a_model_of_another_version_is_refused_by_name(
    record: dict[str, Any], message: str, tmp_path: Path
) -> None:
    model = with_record(record)
    model.save(tmp_path / "old.zip")
    for source in (model, tmp_path / "old.zip"):
        with pytest.raises(InvalidOptionError, match=message):
            SB3Agent(source)


def test_a_model_of_an_encoder_of_ones_own_plays_where_it_is_registered() -> None:
    tesauro = make_encoder("tesauro")
    mine = Encoder(
        "sb3-test",
        3,
        tesauro.low.copy(),
        tesauro.high + 1,
        tesauro.layout,
        tesauro.kernel,
    )
    model = model_of(observation=mine)
    with pytest.raises(InvalidOptionError, match="observation 'sb3-test-v3', which"):
        SB3Agent(model)
    assert SB3Agent(model, observation=mine).encoder is mine
    register_encoder(mine)
    assert SB3Agent(model).encoder is mine


def test_another_observation_than_the_recorded_one_is_refused() -> None:
    model = model_of()
    message = "was trained on observation 'tesauro-v1', not on 'raw-v1'"
    with pytest.raises(InvalidOptionError, match=message):
        SB3Agent(model, observation="raw")
    assert SB3Agent(model, observation="tesauro-v1").encoder.id == "tesauro-v1"
    with pytest.raises(UnknownNameError, match="tesaur0"):
        SB3Agent(model, observation="tesaur0")


def test_without_a_record_the_bounds_tell_the_encoder() -> None:
    for name in ("tesauro", "raw"):
        model = model_of(observation=name)
        delattr(model.observation_space, RECORD)
        assert SB3Agent(model).encoder is make_encoder(name)
        assert SB3Agent(model, observation=name).encoder is make_encoder(name)


def test_without_a_record_bounds_that_fit_none_are_refused() -> None:
    class Foreign(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(-1, 1, (237,), np.float32)
        action_space = gymnasium.spaces.Discrete(162)

        def reset(self, **_: Any) -> Any:
            return self.observation_space.sample(), {}

        def step(self, _: Any) -> Any:
            return self.observation_space.sample(), 0.0, False, False, {}

    model = MAKERS["PPO"](Foreign())
    message = r"does not say on which observation .*none fits Box float32\[237\]"
    with pytest.raises(InvalidOptionError, match=message):
        SB3Agent(model)
    with pytest.raises(InvalidOptionError, match="not what the encoder 'tesauro-v1'"):
        SB3Agent(model, observation="tesauro")


def test_a_model_of_other_actions_is_refused() -> None:
    model = sb3.PPO("MlpPolicy", "CartPole-v1", **ROLLOUT, **TINY)
    with pytest.raises(InvalidOptionError, match="not in the 162 decisions"):
        SB3Agent(model)


def test_a_model_of_normalised_observations_is_refused(tmp_path: Path) -> None:
    """Its bounds are those of the encoder, its numbers are not."""
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    model = MAKERS["MaskablePPO"](VecNormalize(DummyVecEnv([game])))
    model.learn(64)
    model.save(tmp_path / "model.zip")
    for source in (model, tmp_path / "model.zip"):
        with pytest.raises(InvalidOptionError, match="as VecNormalize makes them"):
            SB3Agent(source)


def test_a_recurrent_model_is_refused(tmp_path: Path) -> None:
    model = contrib.RecurrentPPO(
        "MlpLstmPolicy",
        game(),
        **ROLLOUT,
        device="cpu",
        policy_kwargs={"net_arch": [8], "lstm_hidden_size": 8},
    )
    model.save(tmp_path / "model.zip")
    for source in (model, tmp_path / "model.zip"):
        with pytest.raises(InvalidOptionError, match="is recurrent"):
            SB3Agent(source)


def test_values_are_no_probabilities_to_draw_from() -> None:
    with pytest.raises(InvalidOptionError, match="no probabilities to draw from"):
        SB3Agent(model_of("DQN"), deterministic=False)


# --- files that are none --------------------------------------------------------------


def test_the_name_alone_is_not_enough() -> None:
    with pytest.raises(InvalidOptionError, match=r"'sb3:model\.zip'"):
        make_agent("sb3")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidOptionError, match=r"There is no saved model '.*no\.zip'"
    ):
        SB3Agent(tmp_path / "no.zip")
    with pytest.raises(InvalidOptionError, match="There is no saved model"):
        SB3Agent(tmp_path)


def test_something_else_is_no_model() -> None:
    with pytest.raises(InvalidOptionError, match="A model is the path of a saved one"):
        SB3Agent(7)


def zip_of(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


FOREIGN = {
    "empty": b"",
    "text": b"these are no weights",
    "another zip": zip_of(readme=b"hello"),
    "broken json": zip_of(data=b"{broken"),
    "empty json": zip_of(data=b"{}"),
    "json list": zip_of(data=b"[1, 2]"),
    "no weights": zip_of(data=b'{"policy_class": 1, "policy_kwargs": {}}'),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_file_is_one_clear_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign.zip"
    path.write_bytes(content)
    with pytest.raises(InvalidOptionError, match="no whole file of a saved") as caught:
        SB3Agent(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_one_clear_sentence(
    saved: Path, share: float, tmp_path: Path
) -> None:
    content = saved.read_bytes()
    path = tmp_path / "short.zip"
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InvalidOptionError, match="no whole file of a saved"):
        SB3Agent(path)


def test_a_file_with_a_flipped_bit_never_plays_as_if_whole(
    saved: Path, tmp_path: Path
) -> None:
    """Zip archives have a checksum of each part."""
    content = bytearray(saved.read_bytes())
    with zipfile.ZipFile(saved) as archive:
        weights = archive.getinfo("policy.pth")
    content[weights.header_offset + 2000] ^= 1
    path = tmp_path / "flipped.zip"
    path.write_bytes(bytes(content))
    with pytest.raises(InvalidOptionError, match="no whole file of a saved"):
        SB3Agent(path)


@pytest.mark.parametrize(
    "part", ["policy_class", "policy_kwargs", "observation_space", "action_space"]
)
def test_a_file_without_one_of_its_parts_names_the_part(
    saved: Path, part: str, tmp_path: Path
) -> None:
    path = rewritten(saved, tmp_path / "part.zip", lambda data: data.pop(part))
    with pytest.raises(InvalidOptionError, match=f"it has no '{part}'"):
        SB3Agent(path)


def test_reading_a_model_warns_of_nothing(saved: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SB3Agent(saved)


# --- without the extra ----------------------------------------------------------------


def test_without_stable_baselines_the_extra_is_named(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(MissingExtraError, match=r"\[sb3\]"):
        SB3Agent(saved)


def test_without_sb3_contrib_its_models_name_the_extra(saved: Path) -> None:
    """In a fresh interpreter: the pickled policy class imports sb3_contrib."""
    program = (
        "import sys\n"
        "sys.modules['sb3_contrib'] = None\n"
        "from bg_env import make_agent\n"
        "try:\n"
        f"    make_agent('sb3:{saved}')\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    result = run_python("-c", program)
    assert "MissingExtraError 'sb3-contrib' is not installed" in result.stdout


def test_importing_the_agent_loads_no_torch() -> None:
    program = (
        "import sys, bg_agents.sb3_agent\n"
        "late = {'torch', 'stable_baselines3', 'sb3_contrib'} & set(sys.modules)\n"
        "print(late)\n"
    )
    assert run_python("-c", program).stdout.strip() == "set()"


# --- the environment as Stable-Baselines3 makes it ------------------------------------


@pytest.mark.filterwarnings("ignore:.*render_mode='rgb_array':UserWarning")
def test_stable_baselines_makes_the_environment_by_its_id() -> None:
    """It asks for a render mode that is not there, and does without it."""
    from stable_baselines3.common.env_util import make_vec_env

    games = make_vec_env(
        "Backgammon-Cubeless-v0", 2, env_kwargs={"opponent": "random"}, seed=1
    )
    assert games.reset().shape == (2, 237)
    model = contrib.MaskablePPO("MlpPolicy", "Backgammon-Cubeless-v0", **ROLLOUT)
    assert record_of(model.observation_space) == record_of(games.observation_space)


def test_an_unknown_render_mode_is_still_an_error() -> None:
    with pytest.raises(InvalidOptionError, match="render_mode is one of"):
        BackgammonEnv(render_mode="cinema")
    with pytest.raises(TypeError):
        BackgammonEnv(render_mode="cinema")
