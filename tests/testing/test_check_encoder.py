"""`check_encoder`: good encoders pass, and every kind of fault is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bg_env.encoding import Encoder, Part, encoder_names, make_encoder
from bg_env.errors import UnknownNameError
from bg_env.rules.options import Rules
from bg_env.testing import ConformanceError, check_encoder
from bg_env.testing._twins import TWINS

RAW = make_encoder("raw")
CUBELESS = Rules(cube=False)


def changed(change: Callable[[Any, Any, Any], Any], **fields: Any) -> Encoder:
    """`raw`, then something is done to what it has written."""

    def kernel(states: Any, viewers: Any, out: Any) -> None:
        RAW.kernel(states, viewers, out)
        change(states, viewers, out)

    return Encoder(
        name=fields.get("name", "changed"),
        version=fields.get("version", 1),
        low=fields.get("low", RAW.low),
        high=fields.get("high", RAW.high),
        layout=fields.get("layout", RAW.layout),
        kernel=kernel,
    )


def nothing(states: Any, viewers: Any, out: Any) -> None:
    pass


def as_floats(value: float) -> Encoder:
    """One entry, a float that is always the same."""

    def kernel(states: Any, viewers: Any, out: Any) -> None:
        out[:] = value

    return Encoder.from_parts("floats", 1, np.float32, [Part(0, 1, "a float")], kernel)


def hiding(columns: list[int]) -> Encoder:
    """`raw` with some entries always 0."""

    def hide(states: Any, viewers: Any, out: Any) -> None:
        out[:, columns] = 0

    return changed(hide)


def changes_a_state(states: Any, viewers: Any, out: Any) -> None:
    states["turn"][0] += 1


def place_in_the_batch(states: Any, viewers: Any, out: Any) -> None:
    out[:, 59] = 3 * np.arange(len(out)) < len(out)


def size_of_the_batch(states: Any, viewers: Any, out: Any) -> None:
    out[:, 59] = len(out) > 1


def own_generator() -> Callable[[Any, Any, Any], None]:
    rng = np.random.default_rng(1)

    def change(states: Any, viewers: Any, out: Any) -> None:
        out[:, 59] = rng.integers(0, 2, len(out))

    return change


def numpy_s_generator(states: Any, viewers: Any, out: Any) -> None:
    np.random.random()  # noqa: NPY002


def too_high(states: Any, viewers: Any, out: Any) -> None:
    out[3, 26] = 16


def too_low(states: Any, viewers: Any, out: Any) -> None:
    out[3, 0] = -1


def deaf_to_minus_one(states: Any, viewers: Any, out: Any) -> None:
    if len(viewers) and (viewers < 0).all():
        out[:, 60] = 1 - out[:, 60]


def deaf_to_the_player_to_act(states: Any, viewers: Any, out: Any) -> None:
    if len(viewers) == len(states) and (viewers == states["to_act"]).all():
        out[:, 60] = 1 - out[:, 60]


def too_high_for_the_other(states: Any, viewers: Any, out: Any) -> None:
    if len(viewers) == len(states) and (viewers == 1 - states["to_act"]).all():
        out[:, 60] = 2


ROW_FAULTS = (
    (changed(too_high), r"writes 16 at index 26 \(theirs: borne off"),
    (changed(too_low), "writes -1 at index 0"),
    (changed(too_high_for_the_other), "writes 2 at index 60"),
    (as_floats(np.nan), "writes nan at index 0"),
    (as_floats(np.inf), "writes inf at index 0"),
    (changed(changes_a_state), "changes the states"),
    (changed(place_in_the_batch), "in a batch of another order"),
    (changed(size_of_the_batch), "alone"),
    (changed(own_generator()), "in two ways, or not at all"),
    (changed(numpy_s_generator), "draws from NumPy's global generator"),
    (changed(deaf_to_minus_one), "by the player to act, with −1"),
    (changed(deaf_to_the_player_to_act), "by the player to act, with that player"),
)


def leaves_an_entry() -> Encoder:
    def kernel(states: Any, viewers: Any, out: Any) -> None:
        whole = RAW.observe(states, viewers if len(viewers) else None)
        out[:, :59], out[:, 60:] = whole[:, :59], whole[:, 60:]

    return Encoder("gap", 1, RAW.low, RAW.high, RAW.layout, kernel)


HEAD_FAULTS = (
    ({"name": ""}, "needs a name"),
    ({"version": 0}, "has a version of 1 or more, not 0"),
    ({"version": "1"}, "has a version of 1 or more, not '1'"),
    ({"low": RAW.high.copy(), "high": RAW.low.copy()}, "the lowest value 15 above"),
    ({"layout": ((0, 89, " "),)}, "says nothing of the entries from 0"),
    ({"layout": ((0, 9, "a"), (9, 89, "a"))}, "says 'a' of two parts"),
)


@pytest.mark.parametrize("name", encoder_names())
def test_every_shipped_encoder_passes(name: str) -> None:
    check_encoder(name)


@pytest.mark.parametrize(("encoder", "message"), ROW_FAULTS)
def test_a_fault_in_the_rows_is_named(encoder: Encoder, message: str) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_encoder(encoder, rules=CUBELESS)


def test_an_entry_that_is_not_written_is_named() -> None:
    with pytest.raises(
        ConformanceError, match=r"index 59 .*in two ways, or not at all"
    ):
        check_encoder(leaves_an_entry(), rules=CUBELESS)


@pytest.mark.parametrize(("fields", "message"), HEAD_FAULTS)
def test_a_fault_in_name_version_bounds_or_layout_is_named(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConformanceError, match=message):
        check_encoder(changed(nothing, **fields), rules=CUBELESS)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (((0, 9, "a"), (10, 89, "b")), "has 10–89 after index 9"),
        (((0, 88, "a"),), "ends at 88, its size is 89"),
    ],
)
def test_a_layout_that_was_tampered_with_is_named(
    layout: tuple[tuple[int, int, str], ...], message: str
) -> None:
    encoder = changed(nothing)
    object.__setattr__(encoder, "layout", layout)
    with pytest.raises(ConformanceError, match=message):
        check_encoder(encoder, rules=CUBELESS)


# Entries of `raw`; some things show in more than one.
HIDDEN = (
    ([6, 7], "one of his own checkers is on the 7- or the 6-point"),
    ([50, 51], "one of the opponent's checkers is on the bar"),
    ([0, 1], "own checkers is on the 1-point or off"),
    ([*range(52, 58)], "which dice are left"),
    ([*range(52, 59)], "which dice are left"),
    ([58, 59], "whether a double awaits an answer"),
    ([61], "whether a resignation awaits an answer|the level of a resignation"),
    ([64], "the value of the cube"),
    ([65, 66, 67], "who owns the cube"),
    ([73, 74], "the score of the player to act"),
    ([75, 76], "the score of his opponent"),
    ([66, 67, 77], "the Crawford game"),
)


@pytest.mark.parametrize(("columns", "message"), HIDDEN)
def test_what_an_encoder_does_not_show_is_named(
    columns: list[int], message: str
) -> None:
    encoder = hiding(columns)
    with pytest.raises(ConformanceError, match=f"does not show .*({message})"):
        check_encoder(encoder)
    check_encoder(encoder, distinct=False)


def test_a_die_is_told_from_two_of_it() -> None:
    """How many of a double are left must show, not only which face."""

    def squash(states: Any, viewers: Any, out: Any) -> None:
        out[:, 52:58] = out[:, 52:58] > 0

    with pytest.raises(ConformanceError, match="how many dice of a double are left"):
        check_encoder(changed(squash), rules=CUBELESS)


def test_a_checker_that_shows_by_its_absence_elsewhere_shows() -> None:
    check_encoder(hiding([25]))


def test_a_phase_that_the_dice_tell_need_not_be_shown() -> None:
    """Cubeless, no dice left means before the roll."""
    check_encoder(hiding([58]), rules=CUBELESS)


def test_the_score_need_be_shown_only_where_it_matters() -> None:
    check_encoder(hiding([*range(71, 78)]), rules=["cubeless", "standard"])


def test_every_pair_of_twins_occurs() -> None:
    """Else a check would silently check nothing."""
    from bg_env.testing._states import rules_of, states_of

    found = dict.fromkeys((what for what, _ in TWINS), 0)
    for rules in rules_of(None):
        states = states_of(rules, games=10, seed=0)
        for what, change in TWINS:
            found[what] += int(change(states.copy(), rules).sum())
    assert all(found.values()), found


def test_what_is_no_encoder_is_refused() -> None:
    with pytest.raises(ConformanceError, match=r"An encoder is a bg_env.Encoder"):
        check_encoder(np.zeros)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="tesaur0"):
        check_encoder("tesaur0")
