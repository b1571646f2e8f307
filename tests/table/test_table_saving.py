"""Saved games: the same state again, and damaged files refused in one sentence."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from table_games import HandTime, at_start, play_at_random

from bg_env.errors import InvalidNotationError, InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.table import Game, Match, Session

RULES = {
    "money": Rules(automatic_doubles=2, beavers=3, jacoby=True, resign="offer"),
    "timed": Rules.preset("timed"),
    "with a clock": Rules(clock=Clock(turn_seconds=2, reserve_seconds=40), beavers=1),
    "match": Rules(match_length=5, resign="offer"),
    "us-tournament": Rules.preset("us-tournament", match_length=3),
    "hypergammon": Rules(start="hypergammon", opening_reroll=True, max_cube=None),
}


def play_series(series: Match | Session, rng: random.Random, time: HandTime) -> None:
    """Play some games at random, ending in the middle of one."""
    for _ in range(rng.randint(1, 3)):
        play_at_random(series.game, rng, time=time)
        if series.is_over or not series.game.is_over:
            return
        series.next_game()
    play_at_random(series.game, rng, time=time, steps=rng.randint(1, 60))


# --- the same again -----------------------------------------------------------------


@pytest.mark.parametrize("over_the_board", [False, True])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_the_history_of_a_random_game_leads_to_its_state(
    name: str, seed: int, over_the_board: bool
) -> None:
    """R29, R36–R38: cube, resigning, taking back, calls, clock and all."""
    rng, time = random.Random(seed), HandTime()
    game = Game(RULES[name], seed=seed, over_the_board=over_the_board, time_source=time)
    play_at_random(game, rng, time=time, steps=rng.randint(50, 400))
    again = Game(state=game.start, over_the_board=over_the_board)
    again.replay(game.history)
    assert again.state == game.state
    assert again.history == game.history
    assert again.legal() == game.legal() or game.moves


@pytest.mark.heavy
@pytest.mark.parametrize("over_the_board", [False, True])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(100, 120))
def test_the_histories_of_many_random_games_lead_to_their_states(
    name: str, seed: int, over_the_board: bool, tmp_path: Path
) -> None:
    """R29, R36–R38: the same, and saved."""
    test_the_history_of_a_random_game_leads_to_its_state(name, seed, over_the_board)
    test_a_saved_series_goes_on_as_if_it_had_not_been_saved(
        name, seed, over_the_board, tmp_path
    )


@pytest.mark.parametrize("over_the_board", [False, True])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(2))
def test_a_saved_series_goes_on_as_if_it_had_not_been_saved(
    name: str, seed: int, over_the_board: bool, tmp_path: Path
) -> None:
    """Open moves, running time and all."""
    rng, time = random.Random(seed), HandTime()
    kind = Match if RULES[name].match_length else Session
    series = kind(
        RULES[name],
        seed=seed,
        names=("Ann", "Bob [\n 1 ]"),
        over_the_board=over_the_board,
        time_source=time,
    )
    play_series(series, rng, time)
    time.passes(1.5)
    path = tmp_path / "series.json"
    series.save(path)
    again = kind.load(path, time_source=time)
    assert [game.state for game in again.games] == [g.state for g in series.games]
    assert again.log == series.log
    assert again.names == series.names
    assert again.game.moves == series.game.moves
    assert repr(again) == repr(series)
    for each in (series, again):
        play_at_random(each.game, random.Random(7), steps=80)
    assert again.log == series.log
    assert again.game.state == series.game.state
    again.save(tmp_path / "again.json")
    series.save(path)
    assert (tmp_path / "again.json").read_text() == path.read_text()


def test_running_time_goes_on_after_loading(tmp_path: Path) -> None:
    """R29: what had passed since the last decision is not given away."""
    time = HandTime()
    game = Game(Rules(clock=Clock()), seed=1, time_source=time)
    game.roll((6, 1))
    game.move("13/7")
    time.passes(5)
    game.save(tmp_path / "game.json")
    time.passes(1000)
    later = HandTime()
    again = Game.load(tmp_path / "game.json", time_source=later)
    later.passes(2)
    assert again.times(0) == (4, 90)
    assert again.dice_left == (1,)


def test_agents_are_given_anew_when_loading(tmp_path: Path) -> None:
    game = Game(seed=3, players=("random", None))
    game.advance()
    game.save(tmp_path / "game.json")
    again = Game.load(tmp_path / "game.json", players=("random", None))
    assert again.names == ("random", "player 1")
    assert again.players[0] is not None


def test_a_game_from_a_pending_double_or_resignation_is_saved(tmp_path: Path) -> None:
    rules = Rules(beavers=3, resign="offer")
    doubled = GameState.from_position(
        Position.start(), rules=rules, doubled=True, beavers_made=1, cube=2
    )
    resigned = GameState.from_position(Position.start(), rules=rules)
    resigned.apply(157)
    for state in (doubled, resigned):
        game = Game(state=state)
        game.save(tmp_path / "game.json")
        assert Game.load(tmp_path / "game.json").state == state


def test_a_queue_of_dice_is_saved(tmp_path: Path) -> None:
    state = GameState.new(seed=2)
    state.set_dice_queue([(6, 1), (5, 5), (3, 2)])
    game = Game(state=state)
    game.roll()
    game.save(tmp_path / "game.json")
    again = Game.load(tmp_path / "game.json")
    assert again.state == game.state
    assert again.dice == (6, 1)


def test_the_file_is_readable(tmp_path: Path) -> None:
    """Names, words, schema and version are in it; lists of numbers on one line."""
    game = Game(seed=7, names=("Zoë", "Bea"))
    game.roll()
    game.play(game.plays()[0], confirm=True)
    game.save(tmp_path / "game.json")
    text = (tmp_path / "game.json").read_text(encoding="utf-8")
    data = json.loads(text)
    assert (data["schema"], data["version"], data["kind"]) == (
        "bg_env.table",
        1,
        "game",
    )
    assert "Zoë" in text
    assert len(text.splitlines()) < 150
    history = data["games"][0]["history"]
    assert [event["text"] for event in history] == game.log


# --- damaged files ------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A match with cube, clock, an illegal play and open moves."""
    rules = Rules(match_length=15, resign="offer", clock=Clock())
    match = Match(rules, seed=1, over_the_board=True, time_source=HandTime())
    match.game.roll((6, 1))
    match.game.play("13/7 8/7", confirm=True)
    for text in ("double", "take", "roll", "resign gammon", "refuse"):
        match.do(text)
    match.game.play(match.game.plays()[0], confirm=True)
    for text in ("double", "drop"):
        match.do(text)
    match.next_game()
    game = match.game
    game.roll((6, 1))
    game.leave(game.position)
    game.call_illegal()
    game.do("13/7")
    match.save(tmp_path / "match.json")
    return tmp_path / "match.json"


def refused(path: Path) -> str:
    """What the refusal of a file says: one sentence that names the file."""
    with pytest.raises(InvalidNotationError) as caught:
        Match.load(path)
    text = str(caught.value)
    assert text.startswith(f"The file {str(path)!r} is no saved game, or damaged: ")
    assert text.endswith(".")
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"schema": NaN}', b"[" * 100_000,
     b'{"schema": "bg_env.table", "version": 1, "kind": "match"}', b"1" * 10_000],
)  # fmt: skip
def test_what_is_no_saved_game_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    refused(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError, match=r"cannot be read: .*\.$"):
        Game.load(tmp_path / "nothing.json")
    with pytest.raises(InvalidOptionError, match="cannot be written"):
        at_start().save(tmp_path / "no" / "such" / "folder.json")


def changed_file(path: Path, *steps: Any) -> Path:
    """The file with the value at the end of these keys replaced by the last step."""
    data = json.loads(path.read_text(encoding="utf-8"))
    *keys, last, value = steps
    part = data
    for key in keys:
        part = part[key]
    part[last] = value
    other = path.with_name("changed.json")
    other.write_text(json.dumps(data), encoding="utf-8")
    return other


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (("version", 2), "version is 2 where 1 is expected"),
        (("schema", "other"), "schema is 'other'"),
        (("kind", "game"), "kind is 'game' where 'match' is expected"),
        (("names", "ab"), "names"),
        (("names", ["a"]), "unpack"),
        (("over_the_board", 1), "neither true nor false"),
        (("over_the_board", False), "over the board"),
        (("rules", "clock", {"turn": 3}), "turn"),
        (("rules", "cube", "yes"), "cube"),
        (("rules", {}), "rules differ in"),
        (("games", []), "unpack"),
        (("games", 1, "start", "score", [0, 4]), "does not follow"),
        (("games", 0, "start", "on_roll", 1), "nothing to answer"),
        (("games", 0, "start", "board", [[0] * 26, [0] * 26]), "0 checkers"),
        (("games", 0, "start", "board", [[0] * 25, [0] * 26]), "26 counts"),
        (("games", 0, "start", "phase", 4), "the game is over"),
        (("games", 0, "start", "phase", 2), "of the roll 0-0"),
        (("games", 0, "start", "left", [1, 1]), "left"),
        (("games", 0, "start", "to_act", 1), "nothing to answer"),
        (("games", 0, "start", "cube", 3), "cube is at 3"),
        (("games", 0, "start", "cube", 128), "cube is at 128"),
        (("games", 0, "start", "score", [15, 0]), "match is over"),
        (("games", 0, "start", "winner", 1), "result"),
        (("games", 0, "start", "reserve", [90_001, 0]), "in reserve"),
        (("games", 0, "start", "turn_time", [12_000, 0]), "for a turn"),
        (("games", 0, "start", "offer", 1), "resignation"),
        (("games", 0, "start", "beavers_made", 1), "beavers"),
        (("games", 0, "start", "queue", [9, 100]), "100"),
        (("games", 0, "start", "queue", [15]), "dice that are none"),
        (("games", 0, "start", "queue_next", 1), "queue"),
        (("games", 0, "start", "dice_stream", "0x1"), "does not"),
        (("games", 0, "start", "dice_stream", 1), "no stream"),
        (("games", 0, "state", "score", [1, 1]), "does not lead to its state"),
        (("games", 0, "history", []), "does not lead to its state"),
        (("games", 0, "history", 0, "kind", "dance"), "dance"),
        (("games", 0, "history", 0, "player", 2), "whole number of 0 to 1"),
        (("games", 0, "history", 0, "dice", [7, 1]), "whole number of 1 to 6"),
        (("games", 0, "history", 0, "elapsed", "3"), "no time"),
        (("games", 0, "history", 0, "upheld", True), "does not come out"),
        (("games", 1, "history", 1, "left", [[1] * 26, [1] * 26]), "15"),
        (("games", 1, "open", [[13, 5]]), "not legal"),
        (("games", 1, "running", -1), "no time"),
    ],
)  # fmt: skip
def test_every_damage_is_named(steps: tuple[Any, ...], says: str, saved: Path) -> None:
    Match.load(saved)
    assert says in refused(changed_file(saved, *steps))


def leaves_of(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values."""
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        return [leaf for key, value in pairs for leaf in leaves_of(value, (*path, key))]
    return [path]


def test_no_change_of_a_value_goes_unnoticed_or_breaks_the_reader(saved: Path) -> None:
    """But those of names, words, and rules and times that did not matter."""
    rng = random.Random(3)
    data = json.loads(saved.read_text(encoding="utf-8"))
    strange = (None, True, -1, 10**30, 0.5, "", "x", [], {}, [1, 2], 3)
    free = {"text", "names", "rules", "running", "turn_time", "paused_time", "refused"}
    paths = [path for path in leaves_of(data) if not free & set(path)]
    for path in rng.sample(paths, 150):
        value = rng.choice(strange)
        part = data
        for key in path:
            part = part[key]
        if value != part or type(value) is not type(part):
            refused(changed_file(saved, *path, value))


def test_a_file_cut_off_anywhere_is_refused(saved: Path) -> None:
    raw = saved.read_bytes()
    path = saved.with_name("cut.json")
    for length in range(0, len(raw) - 2, len(raw) // 25):
        path.write_bytes(raw[:length])
        refused(path)
