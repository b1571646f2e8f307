"""Plays as text: ``24/18*/13``, ``bar/22``, ``8/5(2)``, ``6/off``.

A word names the places of one checker: where it starts, where it hits on the way
(marked ``*``), where it ends. ``(2)`` says that two checkers do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from bg_env.errors import IllegalPlayError, InvalidNotationError
from bg_env.notation._play_text import Journey, PlayText, read_play_text
from bg_env.rules.decisions import is_move, move_of
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move, Play, legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import BAR, MOVING, OFF

NO_PLAY: Final = "(no play)"

_STANDARD: Final = Rules()
_MOST_SHOWN: Final = 6


def format_play(position: Position, moves: Sequence[Move]) -> str:
    """The usual text of moves, the whole of a play or its beginning.

    Moves of one checker are merged, hits on its way shown, the highest source comes
    first, and what is done twice is counted. No moves at all: ``"(no play)"``.

    Args:
        position: Before the moves, seen by the player who makes them.
        moves: In an order in which they can be made. Of their legality is checked
            only that a checker is there and not two opposing ones where it lands.

    Raises:
        IllegalPlayError: A move without a checker, or onto a point that is held.

    >>> format_play(Position.start(), [Move(13, 5), Move(8, 3)])
    '13/5'
    """
    if not moves:
        return NO_PLAY
    unmarked = _points_hit_by(position, moves)
    words = []
    for journey, same in groupby(_journeys_of(moves)):
        times = len(list(same))
        word = _word_of(journey, unmarked)
        words.append(f"{word}({times})" if times > 1 else word)
    return " ".join(words)


def parse_play(
    text: str,
    position: Position,
    dice: tuple[int, int],
    *,
    rules: Rules = _STANDARD,
) -> Play:
    """The legal play that a text names.

    Words in any order, single or merged moves, hits without ``*``, 25 for bar and 0
    for off, capitals, ``8-5``, commas, and a "pass" at the end for dice that cannot
    be played are all read. Text that names only a part of the moves is enough if
    exactly one legal play contains them. If a reading makes exactly the hits that
    are marked, that one is meant: ``24/13`` goes round a blot it could hit.

    Args:
        text: The play; ``"(no play)"``, "pass", "-", "cannot move" or "dance" if
            nothing can be played.
        position: Seen by the player on roll.
        dice: His roll.
        rules: Only `least_waste` matters here.

    Raises:
        InvalidNotationError: Not the text of a play, or of more than one legal play.
        IllegalPlayError: Not legal with this roll, or not the whole of a play.
        InvalidOptionError: Dice that are none.

    >>> parse_play("6/5, 8/5", Position.start(), (3, 1)).moves
    (Move(source=8, die=3), Move(source=6, die=1))
    """
    said = read_play_text(text)
    plays = legal_plays(position, dice, rules=rules)
    where = f"{text!r} with {dice[0]}-{dice[1]} in position {position.id}"
    if not said.journeys or not plays[0].moves:
        return _nothing_played(said, position, plays, where)
    turn = _Turn(position, dice, rules, len(plays[0].moves))
    whole = turn.results(said.journeys)
    found = whole or turn.results(said.journeys, incomplete=True)
    meant = _meant(position, found, said.hits, exactly=bool(whole))
    chosen = [play for play in plays if play.result in meant]
    if len(chosen) == 1 and (whole or not said.says_pass):
        return chosen[0]
    if found and not chosen:
        raise IllegalPlayError(f"{where} is not legal: it marks a hit where none is.")
    raise _refusal(position, chosen or plays, where, len(chosen), bool(whole))


def parse_moves(
    text: str,
    position: Position,
    dice: tuple[int, int],
    *,
    rules: Rules = _STANDARD,
) -> tuple[Move, ...]:
    """The moves that a text names, be they a whole play or only its beginning.

    A text such as ``bar/10*`` with 5-5 names three moves and leaves one to be made.
    What is read, arguments and errors are those of `parse_play`, but that nothing
    need be complete. Where more than one die bears a checker off, it is the smallest.

    >>> parse_moves("13/8", Position.start(), (5, 5))
    (Move(source=13, die=5),)
    """
    said = read_play_text(text)
    plays = legal_plays(position, dice, rules=rules)
    where = f"{text!r} with {dice[0]}-{dice[1]} in position {position.id}"
    if not said.journeys or not plays[0].moves:
        return _nothing_played(said, position, plays, where).moves
    turn = _Turn(position, dice, rules, len(plays[0].moves))
    beginnings = turn.beginnings(said.journeys)
    meant = _meant(position, beginnings, said.hits, exactly=True)
    if len(meant) == 1:
        return beginnings[meant[0]]
    if beginnings and not meant:
        raise IllegalPlayError(f"{where} is not legal: it marks a hit where none is.")
    chosen = [Play(beginnings[result], result) for result in meant]
    raise _refusal(position, chosen or plays, where, len(chosen), whole=True)


def _nothing_played(
    said: PlayText, position: Position, plays: list[Play], where: str
) -> Play:
    """The empty play, where text and roll agree that it is the one."""
    if plays[0].moves:
        raise IllegalPlayError(
            f"{where} is not legal: a move is possible, "
            f"as in {_listed(position, plays)}."
        )
    if said.journeys:
        raise IllegalPlayError(f"{where} is not legal: no move is; say {NO_PLAY!r}.")
    return plays[0]


def _meant(
    position: Position,
    results: Iterable[Position],
    marked: frozenset[int],
    *,
    exactly: bool,
) -> list[Position]:
    """The results with all hits that are marked; if `exactly`, rather no others."""
    fitting = [result for result in results if marked <= _hits(position, result)]
    exact = [result for result in fitting if marked == _hits(position, result)]
    return (exactly and exact) or fitting


def _hits(position: Position, result: Position) -> frozenset[int]:
    """The points where a play hit a blot (R10)."""
    return frozenset(
        BAR - point
        for point in range(1, BAR)
        if position.opponent[point] == 1 and not result.opponent[point]
    )


def _refusal(
    position: Position, plays: list[Play], where: str, fitting: int, whole: bool
) -> Exception:
    """Why a text does not name one play: it fits none, or several, or is short."""
    listed = _listed(position, plays)
    if not fitting:
        return IllegalPlayError(f"{where} is not legal; legal is {listed}.")
    if whole:
        return InvalidNotationError(f"{where} can mean {listed}; say which.")
    return IllegalPlayError(
        f"{where} is incomplete: more dice can be played, as in {listed} "
        f"(bg_env.parse_moves reads a beginning)."
    )


def _listed(position: Position, plays: list[Play]) -> str:
    """Some plays as text."""
    texts = [repr(format_play(position, play.moves)) for play in plays]
    more = len(texts) - _MOST_SHOWN
    shown = " or ".join(texts[:_MOST_SHOWN])
    return f"{shown} or one of {more} more" if more > 0 else shown


# --- reading -----------------------------------------------------------------------


class _Turn:
    """All ways to make the journeys of a text with a roll.

    Which move may come next is asked of the rules at every step, so nothing illegal
    is ever found.
    """

    def __init__(
        self, position: Position, dice: tuple[int, int], rules: Rules, moves: int
    ) -> None:
        """Begin a turn in which `moves` moves must be made."""
        self._start = GameState.from_position(
            position, rules=Rules(least_waste=rules.least_waste), dice=dice
        )
        self._moves = moves
        self._seen: set[tuple[object, ...]] = set()

    def results(
        self, journeys: tuple[Journey, ...], *, incomplete: bool = False
    ) -> list[Position]:
        """The ends of the turns that make these journeys and, if `incomplete`, more."""
        spare = self._moves - sum(len(journey) - 1 for journey in journeys)
        self._seen.clear()
        ends = self._ends(self._start, journeys, spare if incomplete else 0)
        return list(dict.fromkeys(ends)) if spare >= 0 else []

    def _ends(
        self, state: GameState, journeys: tuple[Journey, ...], spare: int
    ) -> Iterator[Position]:
        """The ends reached from here with at most `spare` moves beside the journeys."""
        if state.phase != MOVING:
            if not journeys:
                yield state.position_of(0)
            return
        key = (state.record["board"].tobytes(), state.dice_left, journeys, spare)
        if key in self._seen:
            return
        self._seen.add(key)
        for code in filter(is_move, state.legal_decisions()):
            after = _after_move(journeys, Move(*move_of(code)))
            if spare or after:
                longer = state.clone()
                longer.apply(code)
                for remaining in after:
                    yield from self._ends(longer, remaining, spare)
                if spare:
                    yield from self._ends(longer, journeys, spare - 1)

    def beginnings(
        self, journeys: tuple[Journey, ...]
    ) -> dict[Position, tuple[Move, ...]]:
        """Where these journeys lead, and moves that make them, no others beside."""
        found: dict[Position, tuple[Move, ...]] = {}
        self._begin(self._start, journeys, (), found)
        return found

    def _begin(
        self,
        state: GameState,
        journeys: tuple[Journey, ...],
        made: tuple[Move, ...],
        found: dict[Position, tuple[Move, ...]],
    ) -> None:
        if not journeys:
            found.setdefault(state.position_of(0), made)
            return
        for code in filter(is_move, state.legal_decisions()):
            move = Move(*move_of(code))
            for remaining in _after_move(journeys, move):
                longer = state.clone()
                longer.apply(code)
                self._begin(longer, remaining, (*made, move), found)


def _after_move(journeys: tuple[Journey, ...], move: Move) -> set[tuple[Journey, ...]]:
    """What is left of the journeys if the move is part of one of them."""
    left = set()
    for index, (here, stop, *later) in enumerate(journeys):
        if here != move.source or move.target < stop:
            continue
        rest = (move.target, stop, *later) if move.target > stop else (stop, *later)
        others = journeys[:index] + journeys[index + 1 :]
        left.add(tuple(sorted((*others, rest) if len(rest) > 1 else others)))
    return left


# --- writing -----------------------------------------------------------------------


def _points_hit_by(position: Position, moves: Sequence[Move]) -> set[int]:
    """The points on which these moves hit a blot (R10)."""
    side = list(position.mover)
    hit = set()
    for move in moves:
        target = move.target
        opposing = position.opponent[BAR - target] if target != OFF else 0
        if not side[move.source] or opposing > 1:
            why = "the point is held" if side[move.source] else "no checker is there"
            raise IllegalPlayError(
                f"Move {_word_of((move.source, target), set())} cannot be made in "
                f"position {position.id}: {why}."
            )
        side[move.source] -= 1
        side[target] += 1
        if opposing:
            hit.add(target)
    return hit


def _journeys_of(moves: Sequence[Move]) -> list[Journey]:
    """The moves with those of one checker merged, the highest source first."""
    journeys: list[Journey] = []
    for move in sorted(moves, key=lambda move: (-move.source, move.die)):
        for index, journey in enumerate(journeys):
            if journey[-1] == move.source:
                journeys[index] = (*journey, move.target)
                break
        else:
            journeys.append((move.source, move.target))
    return sorted(journeys, reverse=True)


def _word_of(journey: Journey, unmarked: set[int]) -> str:
    """One checker's word; each hit is marked where its point is first named.

    Args:
        journey: All places it comes to.
        unmarked: The points hit that no word has named yet. Changed in place.
    """
    places = [_name_of(journey[0])]
    for place in journey[1:]:
        is_hit = place in unmarked
        if is_hit or place == journey[-1]:
            places.append(_name_of(place) + "*" * is_hit)
        unmarked.discard(place)
    return "/".join(places)


def _name_of(place: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(place, str(place))
