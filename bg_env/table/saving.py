"""Games, matches and sessions as JSON: written whole, checked through when read.

One file holds the rules, the names and for each game its start, its history and the
state it has come to. Whoever reads it plays the history again and compares.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from bg_env._files import write_whole
from bg_env.errors import BgEnvError, InvalidNotationError, InvalidOptionError
from bg_env.rules import state as fields
from bg_env.rules.batch import new_states
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move
from bg_env.rules.options import Clock, Rules, quiet_rules
from bg_env.rules.position import Position
from bg_env.table.history import KINDS, Event

SCHEMA: Final = "bg_env.table"
VERSION: Final = 1

Data = dict[str, Any]

_PLACES: Final = 26
_NUMBERS: Final = re.compile(r"\[\n[-0-9,\s]+\]")  # a list of numbers, over many lines
_STREAMS: Final = ("dice_stream", "choice_stream")
# What a record holds besides board, rules, streams and queue, and its limits.
_LIMITS: Final[dict[str, tuple[int, int]]] = {
    "checkers": (1, 15),
    "game": (1, 2**31 - 1),
    "turn": (0, 2**31 - 1),
    "phase": (fields.OPENING, fields.OVER),
    "on_roll": (0, 1),
    "to_act": (0, 1),
    "roll": (0, 6),
    "left": (0, 4),
    "cube": (1, fields.CUBE_LIMIT),
    "cube_owner": (fields.NOBODY, 1),
    "cube_turned": (0, 1),
    "beavers_made": (0, 127),
    "automatic_made": (0, 127),
    "score": (0, fields.SCORE_LIMIT),
    "crawford": (fields.CRAWFORD_NOT_YET, fields.CRAWFORD_OVER),
    "offer": (0, 3),
    "refused": (0, 3),
    "turn_time": (0, 10**9),
    "reserve": (0, 10**9),
    "paused_time": (0, 10**9),
    "winner": (fields.NOBODY, 1),
    "level": (0, 3),
    "ending": (fields.NOT_ENDED, fields.CLAIMED),
    "points": (0, 2**50),
    "queue_next": (0, fields.QUEUE_SIZE),
}


# --- files --------------------------------------------------------------------------


def write_data(path: str | Path, data: Data) -> None:
    """Write JSON; the file is whole or the old one.

    Raises:
        InvalidOptionError: It cannot be written.
    """
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    text = _NUMBERS.sub(lambda found: " ".join(found[0].split()), text)
    write_whole(path, lambda file: file.write(f"{text}\n".encode()))


def read_data(path: str | Path) -> Data:
    """The JSON of a file.

    Raises:
        InvalidOptionError: It cannot be read.
        InvalidNotationError: No JSON object.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise InvalidOptionError(
            f"The file {str(path)!r} cannot be read: {error.strerror or error}."
        ) from None
    with damage(f"The file {str(path)!r}"):
        return mapping(_json_of(raw))


def _json_of(raw: bytes) -> Any:
    """The JSON of a file's bytes."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise ValueError("it is no text") from None
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"it is no JSON from line {error.lineno}, column {error.colno} on"
        ) from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


@contextlib.contextmanager
def damage(what: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence: `what` is damaged.

    Raises:
        InvalidNotationError: In place of any error about values.
    """
    try:
        yield
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        BgEnvError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        if isinstance(error, KeyError):
            reason = f"{reason} is missing"
        raise InvalidNotationError(
            f"{what} is no saved game, or damaged: {reason or type(error).__name__}."
        ) from None


def header(kind: str, rules: Rules, names: tuple[str, str], otb: bool) -> Data:
    """What a file begins with."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "kind": kind,
        "names": list(names),
        "over_the_board": otb,
        "rules": rules_to_data(rules),
    }


def check_header(data: Data, kind: str) -> tuple[Rules, tuple[str, str], bool]:
    """Rules, names and over the board, from a file of that kind."""
    for name, right in (("schema", SCHEMA), ("version", VERSION), ("kind", kind)):
        if data[name] != right or isinstance(data[name], bool):
            raise ValueError(f"{name} is {data[name]!r} where {right!r} is expected")
    names = data["names"]
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ValueError(f"names are two texts, not {names!r}")
    first, second = names
    return rules_of_data(data["rules"]), (first, second), flag(data["over_the_board"])


class Opened(NamedTuple):
    """The beginning of a saved file."""

    state: GameState
    """What its first game begins from."""
    options: dict[str, Any]
    """`names` and `over_the_board`, as a table takes them."""
    games: list[Data]
    """All its games, at least one."""


@contextlib.contextmanager
def opened(path: str | Path, kind: str) -> Iterator[Opened]:
    """Begin to read a file of that kind; whatever goes wrong inside is its damage.

    Raises:
        InvalidOptionError: It cannot be read.
        InvalidNotationError: It is no such file, or damaged.
    """
    data = read_data(path)
    with damage(f"The file {str(path)!r}"):
        rules, names, otb = check_header(data, kind)
        first, *others = map(mapping, items(data["games"]))
        options = {"names": names, "over_the_board": otb}
        yield Opened(state_of_data(first["start"], rules), options, [first, *others])


# --- values -------------------------------------------------------------------------


def whole(value: Any, low: int, high: int) -> int:
    """A whole number between limits."""
    good = isinstance(value, int) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        raise ValueError(f"{value!r} is no whole number of {low} to {high}")
    return int(value)


def flag(value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def seconds(value: Any) -> float:
    """A time that can have passed."""
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not 0 <= value <= 1_000_000:
        raise ValueError(f"{value!r} is no time in seconds")
    return float(value)


def mapping(value: Any) -> Data:
    """A JSON object."""
    if not isinstance(value, dict):
        raise ValueError(f"an object is expected, not {_short(value)}")
    return value


def items(value: Any) -> list[Any]:
    """A JSON array."""
    if not isinstance(value, list):
        raise ValueError(f"a list is expected, not {_short(value)}")
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _stream(value: Any) -> int:
    """A stream's state, in JSON as hexadecimal text: JavaScript has no such number."""
    if not isinstance(value, str) or not value.startswith("0x"):
        raise ValueError(f"{value!r} is no stream such as '0x1f'")
    return whole(int(value, 16), 0, 2**64 - 1)


def _roll(value: Any) -> tuple[int, int]:
    first, second = items(value)
    return whole(first, 1, 6), whole(second, 1, 6)


def _sides(value: Any) -> list[list[int]]:
    """Counts of two sides, 26 places each."""
    first, second = items(value)
    sides = [[whole(count, 0, 15) for count in items(side)] for side in (first, second)]
    if any(len(side) != _PLACES for side in sides):
        raise ValueError(f"a side has {_PLACES} counts")
    return sides


# --- rules --------------------------------------------------------------------------


def rules_to_data(rules: Rules) -> Data:
    """All options; the clock as an object or null."""
    return dataclasses.asdict(rules)


def rules_of_data(data: Any) -> Rules:
    """The rules that `rules_to_data` wrote."""
    options = dict(mapping(data))
    names = {field.name for field in dataclasses.fields(Rules)}
    if set(options) != names:
        raise ValueError(f"rules differ in {sorted(names ^ set(options))}")
    clock = options.pop("clock")
    return quiet_rules(**options, clock=None if clock is None else Clock(**clock))


# --- states -------------------------------------------------------------------------


def state_to_data(state: GameState) -> Data:
    """Everything that the rules do not fix."""
    record = state.record[0]
    data: Data = {"board": record["board"][:, :_PLACES].tolist()}
    data |= {name: record[name].tolist() for name in _LIMITS}
    data |= {name: hex(int(record[name])) for name in _STREAMS}
    data["queue"] = record["queue"][: int(record["queue_length"])].tolist()
    return data


def is_state(state: GameState, data: Any) -> bool:
    """True when `state_to_data` writes exactly this of a state."""
    own, other = (json.dumps(d, sort_keys=True) for d in (state_to_data(state), data))
    return own == other


def state_of_data(data: Any, rules: Rules) -> GameState:
    """The state that `state_to_data` wrote, checked: a game can begin from it."""
    data = mapping(data)
    record = new_states(1, rules)
    record["board"][0, :, :_PLACES] = _sides(data["board"])
    for name, (low, high) in _LIMITS.items():
        shape = record[name][0].shape
        values = items(data[name]) if shape else [data[name]]
        if len(values) != (shape[0] if shape else 1):
            raise ValueError(f"{name} is {data[name]!r}")
        numbers = [whole(value, low, high) for value in values]
        record[name] = numbers if shape else numbers[0]
    for name in _STREAMS:
        record[name] = _stream(data[name])
    queue = [whole(throw, 9, 54) for throw in items(data["queue"])]
    record["queue"][0, : len(queue)] = queue
    record["queue_length"] = len(queue)
    state = GameState(record, rules)
    check_state(state)
    return state


def check_state(state: GameState) -> None:
    """Refuse a state that no game begins from: contradictions, a roll half played.

    Raises:
        InvalidPositionError: Checkers that cannot stand so.
        InvalidOptionError: Anything else.
    """
    record = state.record[0]
    position = state.position
    own = record["checkers"].tolist()
    problem = ""
    if position.checkers != (own[state.on_roll], own[1 - state.on_roll]):
        problem = f"{position.checkers} checkers of {own}"
    elif not any(position.mover[1:]) or not any(position.opponent[1:]):
        problem = f"a side has borne off all checkers in {position.id}"
    else:
        problem = (
            _phase_problem(state) or _cube_problem(state) or _number_problem(state)
        )
    if problem:
        raise InvalidOptionError(f"No game begins from this state: {problem}.")


def _phase_problem(state: GameState) -> str:
    """What is wrong with phase, dice and who is to act, or ""."""
    record = state.record[0]
    first, second = record["roll"].tolist()
    left = record["left"].tolist()
    unplayed = [0, 0]
    if state.phase == fields.MOVING:
        unplayed = [4, 0] if first == second else [1, 1]
    if state.is_over:
        return "the game is over"
    if left != unplayed:
        return f"of the roll {first}-{second} it has {left} left"
    if state.phase == fields.MOVING and 0 in (first, second):
        return f"{first}-{second} is no roll"
    answers = state.phase == fields.DOUBLED or state.offer > 0
    if state.to_act != state.on_roll and not answers:
        return f"player {state.to_act} is to act and has nothing to answer"
    wrong_phase = (fields.DOUBLED, fields.OPENING)
    if state.offer and (state.phase in wrong_phase or state.to_act == state.on_roll):
        return "a resignation is pending where none can be"
    is_asker = state.to_act == state.on_roll
    if state.phase == fields.DOUBLED and is_asker != bool(state.beavers_made % 2):
        return f"player {state.to_act} is to answer his own double"
    return ""


def _cube_problem(state: GameState) -> str:
    """What is wrong with the cube, or ""."""
    record = state.record[0]
    if state.cube & (state.cube - 1) or state.cube > int(record["max_cube"]):
        return f"the cube is at {state.cube}"
    if state.beavers_made > int(record["beavers"]):
        return f"{state.beavers_made} beavers were made"
    if state.beavers_made and state.phase != fields.DOUBLED:
        return "beavers were made without a double"
    return ""


def _number_problem(state: GameState) -> str:
    """What is wrong with score, result, times and queue, or ""."""
    record = state.record[0]
    if state.match_length and max(state.score) >= state.match_length:
        return f"the match is over at {state.score}"
    result = [int(record[name]) for name in ("winner", "level", "ending", "points")]
    if result != [fields.NOBODY, 0, 0, 0]:
        return "it has a result already"
    times = [*record["turn_time"].tolist(), int(record["paused_time"])]
    if max(times) > int(record["turn_limit"]):
        return "more time is left for a turn than the clock gives"
    if max(record["reserve"].tolist()) > int(record["reserve_limit"]):
        return "more time is in reserve than the clock gives"
    queue = record["queue"][: int(record["queue_length"])].tolist()
    if int(record["queue_next"]) > len(queue):
        return "its queue of dice is shorter than what was taken from it"
    if any(not (1 <= throw >> 3 <= 6 and 1 <= throw & 7 <= 6) for throw in queue):
        return "its queue holds dice that are none"
    return ""


# --- events -------------------------------------------------------------------------


def event_to_data(event: Event) -> Data:
    """An event without what is as usual; the text is for people and not read back."""
    data: Data = {"kind": event.kind, "player": event.player, "text": event.text}
    if event.dice is not None:
        data["dice"] = list(event.dice)
    if event.by_hand:
        data["by_hand"] = True
    if event.kind == "play":
        data["moves"] = [list(move) for move in event.moves]
    if event.left is not None:
        data["left"] = [list(event.left.mover), list(event.left.opponent)]
    if event.level:
        data["level"] = event.level
    if event.upheld is not None:
        data["upheld"] = event.upheld
    if event.elapsed:
        data["elapsed"] = event.elapsed
    if event.drawn is not None:
        data["drawn"] = hex(event.drawn)
    return data


def event_of_data(data: Any) -> Event:
    """The event that `event_to_data` wrote, with all that came of it."""
    data = mapping(data)
    if data["kind"] not in KINDS:
        raise ValueError(f"nobody knows events of kind {_short(data['kind'])}")
    sides = _sides(data["left"]) if "left" in data else None
    if (data["kind"] == "leave") != (sides is not None):
        raise ValueError(f"an event {data['kind']!r} with left={_short(sides)}")
    resigns = data["kind"] == "resign"
    return Event(
        kind=data["kind"],
        player=whole(data["player"], 0, 1),
        dice=_roll(data["dice"]) if "dice" in data else None,
        by_hand=flag(data.get("by_hand", False)),
        moves=moves_of_data(data.get("moves", [])),
        left=Position(tuple(sides[0]), tuple(sides[1])) if sides else None,
        level=whole(data["level"], 1, 3) if resigns else 0,
        upheld=flag(data["upheld"]) if "upheld" in data else None,
        elapsed=seconds(data.get("elapsed", 0.0)),
        drawn=_stream(data["drawn"]) if "drawn" in data else None,
    )


def moves_of_data(data: Any) -> tuple[Move, ...]:
    """Moves as written: ``[[8, 3], [6, 1]]``, source and die."""
    moves = []
    for move in items(data):
        source, die = items(move)
        moves.append(Move(whole(source, 1, fields.BAR), whole(die, 1, 6)))
    return tuple(moves)
