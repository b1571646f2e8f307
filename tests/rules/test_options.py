"""Rules, presets and clocks: their values, and what is refused with which words."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from played_games import bytes_of, game_at, start_game

from bg_env.errors import (
    BgEnvError,
    IllegalActionError,
    InvalidOptionError,
    UnknownNameError,
)
from bg_env.rules import state as fields
from bg_env.rules.batch import apply_decisions, legal_masks, new_states, seed_states
from bg_env.rules.game import GameState
from bg_env.rules.options import PRESETS, Clock, Rules

DEFAULTS: dict[str, Any] = {
    "match_length": 0, "cube": True, "max_cube": 64, "jacoby": False,
    "automatic_doubles": 0, "beavers": 0, "crawford": True, "backgammon_points": 3,
    "backgammon": True, "least_waste": False, "resign": None,
    "opening_reroll": False, "clock": None, "start": "standard",
}  # fmt: skip
US_CLOCK = Clock(
    turn_seconds=12, reserve_seconds=840, renewed="match", flag="loses", award="match"
)
PRESET_VALUES: dict[str, dict[str, Any]] = {
    "standard": {},
    "match": {"match_length": 7},
    "timed": {
        "cube": False, "backgammon_points": 2, "backgammon": False,
        "least_waste": True, "resign": "immediate", "clock": Clock(),
    },
    "household": {"cube": False},
    "cubeless": {"cube": False},
    "us-tournament": {"match_length": 7, "clock": US_CLOCK},
}  # fmt: skip


# --- values -------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_standard_game() -> None:
    """R17, R18, R22-R24: sheet A money play, cube to 64, 1/2/3, R22-R24 off."""
    assert dataclasses.asdict(Rules()) == DEFAULTS
    assert Rules.preset("standard") == Rules()


@pytest.mark.parametrize("name", PRESET_VALUES)
def test_each_preset_has_its_values(name: str) -> None:
    """R16-R29: the presets of the rule sheets, field by field."""
    rules = Rules.preset(name)
    changed = {
        field.name: getattr(rules, field.name)
        for field in dataclasses.fields(rules)
        if getattr(rules, field.name) != DEFAULTS[field.name]
    }
    assert changed == PRESET_VALUES[name]
    assert set(PRESETS) == set(PRESET_VALUES)


def test_single_options_of_a_preset_can_be_changed() -> None:
    """R5, R18, R25: household with the cube, to N points, with a reroll."""
    rules = Rules.preset("household", cube=True, match_length=5, opening_reroll=True)
    assert (rules.cube, rules.match_length, rules.opening_reroll) == (True, 5, True)
    assert Rules.preset("us-tournament", clock=None).clock is None
    assert Rules.preset("match", max_cube=None).max_cube is None


def test_rules_and_clocks_are_frozen_values() -> None:
    """Equal if all options are, usable as a key, never changed in a game."""
    assert Rules(beavers=3) == Rules(beavers=3)
    assert len({Rules(), Rules.preset("standard"), Rules(jacoby=True)}) == 2
    for value, name in ((Rules(), "jacoby"), (Clock(), "flag")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, True)


@pytest.mark.parametrize(
    ("rules", "bits"),
    [
        (Rules(cube=False, crawford=False), 0),
        (Rules(), fields.CUBE_IN_USE | fields.CRAWFORD_RULE),
        (
            Rules(jacoby=True, least_waste=True, resign="offer", opening_reroll=True),
            1 | 4 | fields.JACOBY | fields.LEAST_WASTE | fields.RESIGN_OFFER
            | fields.OPENING_REROLL,
        ),
        (
            Rules.preset("timed"),
            fields.CRAWFORD_RULE | fields.LEAST_WASTE | fields.RESIGN_IMMEDIATE
            | fields.CLOCK | fields.NO_BACKGAMMON,
        ),
        (
            Rules.preset("us-tournament"),
            1 | 4 | fields.CLOCK | fields.CLOCK_PER_MATCH | fields.FLAG_LOSES
            | fields.CLAIM_MATCH,
        ),
        (
            Rules(clock=Clock(award="single")),
            1 | 4 | fields.CLOCK | fields.CLAIM_SINGLE,
        ),
    ],
)  # fmt: skip
def test_the_record_carries_every_option(rules: Rules, bits: int) -> None:
    """R16-R29: yes-or-no options as bits, the others as fields of their own."""
    record = new_states(2, rules)
    assert record["options"].tolist() == [bits] * 2
    assert (record["match_length"] == rules.match_length).all()
    assert (record["max_cube"] == (rules.max_cube or fields.CUBE_LIMIT)).all()
    assert (record["beavers"] == rules.beavers).all()
    assert (record["backgammon_points"] == rules.backgammon_points).all()


# --- impossible values --------------------------------------------------------------

IMPOSSIBLE: list[tuple[str, Any]] = [
    ("match_length", -1), ("match_length", 32768), ("match_length", 7.0),
    ("match_length", "7"), ("match_length", True), ("match_length", None),
    ("max_cube", 0), ("max_cube", 3), ("max_cube", -2), ("max_cube", 63),
    ("max_cube", 2**31), ("max_cube", 64.0), ("max_cube", "64"), ("max_cube", True),
    ("automatic_doubles", -1), ("automatic_doubles", 31), ("automatic_doubles", 0.5),
    ("automatic_doubles", True),
    ("beavers", -3), ("beavers", 31), ("beavers", "yes"), ("beavers", True),
    ("backgammon_points", 1), ("backgammon_points", 4), ("backgammon_points", None),
    ("resign", "never"), ("resign", True), ("resign", 1), ("resign", ["offer"]),
    ("cube", 1), ("cube", None), ("cube", "yes"), ("jacoby", 1), ("jacoby", "off"),
    ("crawford", 0), ("crawford", None), ("backgammon", 2), ("least_waste", "on"),
    ("opening_reroll", 1), ("clock", 11), ("clock", True), ("clock", "11+90"),
    ("start", "chess"), ("start", 7), ("start", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), IMPOSSIBLE)
def test_an_impossible_option_is_refused_in_one_clear_sentence(
    name: str, value: Any
) -> None:
    """R4-R29: option and value are named; nothing is guessed."""
    with pytest.raises(InvalidOptionError) as caught:
        Rules(**{name: value})
    check_sentence(str(caught.value), name, value)


def check_sentence(message: str, *named: Any) -> None:
    """One line that ends as a sentence and contains what was wrong."""
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 300
    for value in named:
        assert (value if isinstance(value, str) else repr(value)) in message


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"jacoby": True, "match_length": 7}, ("jacoby=True", "match to 7")),
        ({"beavers": 3, "match_length": 5}, ("beavers=3", "match to 5")),
        ({"automatic_doubles": 2, "match_length": 1}, ("automatic_doubles=2",)),
        ({"jacoby": True, "cube": False}, ("jacoby=True", "cube=True")),
        ({"beavers": 1, "cube": False}, ("beavers=1", "cube=True")),
        ({"automatic_doubles": 1, "cube": False}, ("automatic_doubles=1",)),
        ({"clock": Clock(award="match")}, ("award='match'", "match_length is 0")),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    options: dict[str, Any], named: tuple[str, ...]
) -> None:
    """R22-R24, R27, R29: money options in a match or without a cube."""
    with pytest.raises(InvalidOptionError) as caught:
        Rules(**options)
    check_sentence(str(caught.value), *named)


@pytest.mark.parametrize(
    ("name", "value"),
    [("turn_seconds", -1), ("turn_seconds", "11"), ("turn_seconds", None),
     ("turn_seconds", 2e6), ("turn_seconds", float("nan")), ("turn_seconds", True),
     ("reserve_seconds", -0.5), ("reserve_seconds", 0), ("reserve_seconds", 0.0004),
     ("reserve_seconds", float("inf")), ("renewed", "never"), ("renewed", True),
     ("flag", "falls"), ("flag", None), ("award", "backgammon"), ("award", 2)],
)  # fmt: skip
def test_an_impossible_clock_is_refused(name: str, value: Any) -> None:
    """R29: the value is named; a reserve is at least a millisecond."""
    with pytest.raises(InvalidOptionError) as caught:
        Clock(**{name: value})
    check_sentence(str(caught.value), name, value)


def test_a_clock_without_turn_time_and_one_with_a_millisecond_are_possible() -> None:
    """R29: the ends of what a clock can be."""
    state = start_game(rules=Rules(clock=Clock(turn_seconds=0, reserve_seconds=0.001)))
    assert state.reserve == (0.001, 0.001)
    assert state.legal_decisions() == [151, 152]


def test_unknown_presets_and_options_name_the_known_ones() -> None:
    """With the nearest name."""
    with pytest.raises(UnknownNameError, match="'standart'") as caught:
        Rules.preset("standart")
    assert "Did you mean 'standard'?" in str(caught.value)
    with pytest.raises(UnknownNameError, match="'jacobi'") as caught:
        Rules.preset("standard", jacobi=True)
    assert "Did you mean 'jacoby'?" in str(caught.value)
    with pytest.raises(TypeError, match="jacobi"):
        Rules(jacobi=True)  # type: ignore[call-arg]


# --- impossible states --------------------------------------------------------------


@pytest.mark.parametrize(
    ("details", "named"),
    [
        ({"on_roll": 2}, ("on_roll", "2")),
        ({"on_roll": True}, ("on_roll", "True")),
        ({"on_roll": None}, ("on_roll", "None")),
        ({"cube": 3}, ("3",)),
        ({"cube": 0}, ("0",)),
        ({"cube": -2}, ("-2",)),
        ({"cube": 2.0, "cube_owner": 0}, ("2.0",)),
        ({"cube": 128, "cube_owner": 0}, ("64", "128")),
        ({"cube": 1, "cube_owner": 0}, ("player 0",)),
        ({"cube": 2, "cube_owner": 2}, ("cube_owner", "2")),
        ({"cube": 2, "rules": Rules(cube=False)}, ("without the cube", "2")),
        ({"dice": (0, 3)}, ("(0, 3)",)),
        ({"dice": (3, 7)}, ("(3, 7)",)),
        ({"dice": (3,)}, ("(3,)",)),
        ({"dice": 31}, ("31",)),
        ({"score": (-1, 0)}, ("(-1, 0)",)),
        ({"score": 5}, ("5",)),
        ({"score": "50"}, ("'50'",)),
        ({"score": (0, 2**31)}, (str(2**31),)),
        ({"crawford": True}, ("Crawford", "match to 0")),
    ],
)
def test_an_impossible_state_is_refused(
    details: dict[str, Any], named: tuple[str, ...]
) -> None:
    """R5, R18, R19, R25, R26: the value is named."""
    with pytest.raises(InvalidOptionError) as caught:
        start_game(**details)
    check_sentence(str(caught.value), *named)


# --- illegal decisions --------------------------------------------------------------


@pytest.mark.parametrize(
    "code", [-1, 162, 1000, -(2**70), 2**70, 1.5, "roll", None, (24, 6)]
)
def test_a_decision_outside_the_table_is_refused(code: Any) -> None:
    """R6: not 0 to 161, or no whole number: named, state untouched."""
    state = start_game(dice=(6, 5))
    before = bytes_of(state)
    for act in (state.apply, state.is_legal):
        with pytest.raises(IllegalActionError) as caught:
            act(code)
        check_sentence(str(caught.value), code)
    assert bytes_of(state) == before


@pytest.mark.parametrize("seed", range(6))
def test_every_illegal_code_of_a_state_is_refused_and_changes_nothing(
    seed: int,
) -> None:
    """R7-R29: all 162 codes at many moments of a game with every option."""
    rules = Rules(beavers=2, jacoby=True, resign="offer", clock=Clock())
    rng = np.random.default_rng(seed)
    state = GameState.new(rules, seed=seed)
    for _ in range(60):
        legal = state.legal_decisions()
        before = bytes_of(state)
        for code in set(range(162)) - set(legal):
            assert not state.is_legal(code)
            with pytest.raises(IllegalActionError, match=str(code)):
                state.apply(code)
        assert bytes_of(state) == before
        state.apply(int(rng.choice(legal)), elapsed=float(rng.integers(0, 9)))


def test_the_words_of_a_refusal_name_decision_player_and_position() -> None:
    """R11: what was asked, by whom, where, and what is legal instead."""
    state = game_at({4: 1}, {1: 2}, dice=(6, 2))
    with pytest.raises(IllegalActionError) as caught:
        state.apply((4 - 1) * 6 + 6)
    assert isinstance(caught.value, BgEnvError)
    check_sentence(
        str(caught.value), "24 (4/off)", "player 0", state.position.id, "20 (4/2)"
    )


def test_in_a_batch_only_the_games_with_an_illegal_decision_stay_untouched() -> None:
    """R6: any integer may be given; 1 and 0 say what was done."""
    states = new_states(5, Rules())
    seed_states(states, 1)
    before = states.copy()
    codes = np.array([151, 0, 152, -(2**62), 2**62])
    assert apply_decisions(states, codes).tolist() == [1, 0, 0, 0, 0]
    assert states[1:].tobytes() == before[1:].tobytes()
    assert states[:1].tobytes() != before[:1].tobytes()
    assert (legal_masks(states[1:])[:, 151] == 1).all()


@pytest.mark.parametrize("player", [2, -1, None, "0", True])
def test_only_players_0_and_1_exist(player: Any) -> None:
    """R1: in `claim` and `position_of` too."""
    state = start_game(rules=Rules(clock=Clock()))
    before = bytes_of(state)
    for act in (state.claim, state.position_of):
        with pytest.raises(InvalidOptionError) as caught:
            act(player)
        check_sentence(str(caught.value), repr(player))
    assert bytes_of(state) == before
