"""What happened at the table: one `Event` for each thing done, in words too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from bg_env.notation.plays import format_play
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move
from bg_env.rules.position import Position
from bg_env.rules.state import CLAIMED, OPENING

Kind = Literal[
    "roll",
    "play",
    "leave",
    "double",
    "take",
    "drop",
    "beaver",
    "resign",
    "accept",
    "refuse",
    "claim",
    "time",
    "roll out of turn",
    "call",
    "accept result",
]
KINDS: Final[tuple[str, ...]] = get_args(Kind)
LEVELS: Final = ("", "a single game", "a gammon", "a backgammon")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Event:
    """One thing done by a player, and all that is needed to do it again."""

    kind: Kind
    """What was done; a play is an event once it is final."""
    player: int
    """Who did it."""
    dice: tuple[int, int] | None = None
    """The roll that was made or played; None after a tie or an opening re-roll."""
    by_hand: bool = False
    """The dice were thrown by hand and given, not drawn from the game's stream."""
    moves: tuple[Move, ...] = ()
    """The moves of a play."""
    left: Position | None = None
    """The position left over the board, the mover's side first (R38)."""
    level: int = 0
    """Of a resignation: 1 single, 2 gammon, 3 backgammon."""
    upheld: bool | None = None
    """Whether a call was right (R38), whether a roll out of turn stands (R37)."""
    elapsed: float = 0.0
    """Seconds that went from the clock of the player to act."""
    drawn: int | None = None
    """Where an agent who drew random numbers left the game's stream of choices."""
    text: str = ""
    """In words, with the players' names."""

    def asked(self) -> Event:
        """The event as it was asked for: nothing that came of it, no words."""
        throws = self.kind in ("roll", "roll out of turn") and self.by_hand
        return Event(
            kind=self.kind,
            player=self.player,
            dice=self.dice if throws else None,
            by_hand=throws,
            moves=self.moves if self.kind == "play" else (),
            left=self.left if self.kind == "leave" else None,
            level=self.level if self.kind == "resign" else 0,
            elapsed=self.elapsed,
            drawn=self.drawn,
        )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Event {self.kind}: {self.text}>"


@dataclass(frozen=True, slots=True)
class _Scene:
    """An event with the game before and after it."""

    event: Event
    before: GameState
    after: GameState
    names: tuple[str, str]

    def says(self, verb: str) -> str:
        """The player's name and a verb, as in "gnubg doubles", "You double"."""
        return does(self.names[self.event.player], verb)


def does(name: str, verb: str) -> str:
    """A name and what he does; the verb is given as for a third person.

    >>> does("gnubg", "takes"), does("You", "takes"), does("You", "is out of time")
    ('gnubg takes', 'You take', 'You are out of time')
    """
    if name != "You":
        return f"{name} {verb}"
    first, _, rest = verb.partition(" ")
    plain = "are" if first == "is" else first.removesuffix("s")
    return f"You {plain} {rest}".rstrip()


def describe(
    event: Event, before: GameState, after: GameState, names: tuple[str, str]
) -> str:
    """An event in words: ``"You: 31: 8/5 6/5"``, ``"gnubg doubles to 2"``.

    Args:
        event: Done already: with its dice, and whether it was upheld.
        before: The game before it.
        after: The game after it.
        names: Of player 0 and player 1.
    """
    scene = _Scene(event, before, after, names)
    on_time = after.is_over and not before.is_over and after.ending == CLAIMED
    if on_time and not (event.kind == "claim" and after.winner == event.player):
        words = does(names[before.to_act], "is out of time")
    else:
        words = _WORDS[event.kind](scene)
    return f"{words}{_result(before, after, names)}"


def _result(before: GameState, after: GameState, names: tuple[str, str]) -> str:
    """What the winner has won, if the game ended with this event."""
    if before.is_over or not after.is_over:
        return ""
    points = f"{after.points} point{'' if after.points == 1 else 's'}"
    match = " and the match" if after.match_length and after.is_match_over else ""
    winner = names[after.winner or 0]
    return f"; {does(winner, 'wins')} {LEVELS[after.level]}, {points}{match}"


def dice_text(dice: tuple[int, int] | None) -> str:
    """The larger die first: ``"31"``."""
    return "".join(map(str, sorted(dice or (), reverse=True)))


def _roll(scene: _Scene) -> str:
    if scene.before.phase != OPENING:
        return f"{scene.says('rolls')} {dice_text(scene.event.dice)}"
    if scene.after.phase == OPENING:
        return f"Opening roll: a tie, the cube is at {scene.after.cube}"
    first = scene.names[scene.after.on_roll]
    if scene.event.dice is None:
        return f"Opening roll: {does(first, 'begins')}"
    return f"Opening roll: {does(first, 'begins')} with {dice_text(scene.event.dice)}"


def _play(scene: _Scene) -> str:
    played = format_play(scene.before.position, scene.event.moves)
    name = scene.names[scene.event.player]
    return f"{name}: {dice_text(scene.event.dice)}: {played}"


def _leave(scene: _Scene) -> str:
    left = scene.event.left.id if scene.event.left else ""
    name = scene.names[scene.event.player]
    return f"{name}: {dice_text(scene.event.dice)}: leaves position {left}"


def _double(scene: _Scene) -> str:
    return f"{scene.says('doubles')} to {2 * scene.after.cube}"


def _beaver(scene: _Scene) -> str:
    verb = "beavers" if scene.after.beavers_made == 1 else "raccoons"
    return f"{scene.says(verb)} to {2 * scene.after.cube}"


def _resign(scene: _Scene) -> str:
    if scene.after.is_over:
        return scene.says("resigns")
    return f"{scene.says('offers to resign')} {LEVELS[scene.event.level]}"


def _out_of_turn(scene: _Scene) -> str:
    verdict = "it stands" if scene.event.upheld else "it is void"
    rolled = dice_text(scene.event.dice)
    return f"{scene.says('rolls')} {rolled} out of turn: {verdict}"


def _call(scene: _Scene) -> str:
    verdict = "it was legal"
    if scene.event.upheld:
        verdict = f"it was, and {dice_text(scene.after.dice)} is played again"
    return f"{scene.says('calls the play illegal')}: {verdict}"


_WORDS: Final[Mapping[str, Callable[[_Scene], str]]] = MappingProxyType(
    {
        "roll": _roll,
        "play": _play,
        "leave": _leave,
        "double": _double,
        "take": lambda scene: scene.says("takes"),
        "drop": lambda scene: scene.says("drops"),
        "beaver": _beaver,
        "resign": _resign,
        "accept": lambda scene: scene.says("accepts"),
        "refuse": lambda scene: scene.says("refuses"),
        "claim": lambda scene: scene.says("claims on time"),
        "time": lambda scene: "Time passes",
        "roll out of turn": _out_of_turn,
        "call": _call,
        "accept result": lambda scene: "The result is accepted",
    }
)
