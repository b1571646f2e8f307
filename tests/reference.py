"""The rule book as slow, plain code: the judge of the fast play generator.

Written from the text of rules R7 to R17 alone, with the standard library alone, and
sharing nothing with the package it judges. It plays every order of the dice with every
checker that may move, and only then asks the rules which of these plays are legal.

A *side* is 26 counts in its owner's own numbering: index 0 holds the checkers borne
off, 1 to 24 the points, 25 the bar. A *position* is the pair (mover, opponent). The
mover's point p and the opponent's point 25 - p are the same place. Counts are never
checked; a position that cannot arise gives an answer without meaning.

A *move* is (source, die) with 25 for the bar; a *sequence* is the moves of one play in
the order in which they are made.
"""

import base64
from collections.abc import Callable, Hashable, Iterable
from itertools import permutations
from typing import NamedTuple

Side = tuple[int, ...]
Position = tuple[Side, Side]
Move = tuple[int, int]
Sequence = tuple[Move, ...]

OFF = 0
HOME = range(1, 7)
POINTS = range(1, 25)
BAR = 25

_ID_BYTES = 10
_ID_LENGTH = 14


def _start_side() -> Side:
    """Return 2 on 24, 5 on 13, 3 on 8 and 5 on 6 (R1)."""
    checkers = {24: 2, 13: 5, 8: 3, 6: 5}
    return tuple(checkers.get(index, 0) for index in range(26))


START: Position = (_start_side(), _start_side())


# --- One move: one checker by one die ------------------------------------------------


def opposite(point: int) -> int:
    """Return the number the other player has for `point` (R1)."""
    return 25 - point


def is_open(position: Position, point: int) -> bool:
    """A checker may land unless two or more opposing checkers are there (R9)."""
    _, opponent = position
    return opponent[opposite(point)] <= 1


def has_checker_on_bar(side: Side) -> bool:
    """Such a side must enter before any other move (R12)."""
    return side[BAR] > 0


def is_all_home(side: Side) -> bool:
    """All checkers still in play are in the home board, none on the bar (R14)."""
    in_play = sum(side[1:])
    return sum(side[point] for point in HOME) == in_play


def has_checker_above(side: Side, point: int) -> bool:
    """A checker stands on a higher point or on the bar (R15)."""
    return sum(side[point + 1 :]) > 0


def may_bear_off(side: Side, source: int, die: int) -> bool:
    """A die bears off from exactly its point, or else from the highest one (R14, R15).

    The second needs the die to be larger than the highest occupied point; then no
    checker stands on the die's own point or above it.
    """
    if not is_all_home(side):
        return False
    if source == die:
        return True
    return source < die and not has_checker_above(side, source)


def may_move(position: Position, source: int, die: int) -> bool:
    """One checker may go from `source` by `die` at this moment (R9, R12, R14, R15).

    Says nothing of the rest of the roll: that is R11.
    """
    mover, _ = position
    if mover[source] == 0:
        return False
    if has_checker_on_bar(mover) and source != BAR:
        return False
    if source - die >= 1:
        return is_open(position, source - die)
    return may_bear_off(mover, source, die)


def single_moves(position: Position, die: int) -> list[int]:
    """Return the sources from which one checker may move by `die` now, highest first.

    Rules R9, R12, R14 and R15; the bar is source 25.

    >>> single_moves(START, 5)
    [13, 8]
    """
    sources = (BAR, *reversed(POINTS))
    return [source for source in sources if may_move(position, source, die)]


def _carry(side: Side, source: int, target: int) -> Side:
    """Move one checker of `side` from index to index; its total is unchanged."""
    counts = list(side)
    counts[source] -= 1
    counts[target] += 1
    return tuple(counts)


def make_move(position: Position, source: int, die: int) -> Position:
    """Return the position after one checker moved forward by `die` (R2).

    A blot on the landing point goes to its owner's bar (R10). A checker that passes
    point 1 is borne off (R14). Whether the move is legal is not checked.
    """
    mover, opponent = position
    target = max(source - die, OFF)
    if target != OFF and opponent[opposite(target)] == 1:
        opponent = _carry(opponent, opposite(target), BAR)
    return _carry(mover, source, target), opponent


# --- Waste and pips ------------------------------------------------------------------


def pips(side: Side) -> int:
    """Return the pips `side` still needs to bear off all its checkers (R2, bar 25)."""
    return sum(index * count for index, count in enumerate(side))


def waste(sequence: Sequence) -> int:
    """Return the sum of (die - point) over the bear-offs of a play (R16).

    >>> waste(((6, 3), (3, 4)))
    1
    """
    bear_offs = [(source, die) for source, die in sequence if source - die <= 0]
    return sum(die - source for source, die in bear_offs)


# --- Every way to play a roll --------------------------------------------------------


class _Play(NamedTuple):
    """A play as far as it has gone: where it stands and how it came there."""

    position: Position
    sequence: Sequence


_Key = Callable[[_Play], Hashable]


def dice_to_play(dice: Iterable[int]) -> tuple[int, ...]:
    """Return one number for each move: two, or four of a double (R7, R8).

    Raises:
        ValueError: `dice` is not two numbers from 1 to 6.
    """
    roll = tuple(dice)
    if len(roll) != 2 or not all(1 <= die <= 6 for die in roll):
        raise ValueError(f"a roll is two numbers from 1 to 6, not {roll!r}")
    first, second = roll
    return (first,) * 4 if first == second else roll


def _one_move_further(play: _Play, die: int) -> list[_Play]:
    """Return `play` continued by `die` in every possible way."""
    return [
        _Play(
            make_move(play.position, source, die),
            (*play.sequence, (source, die)),
        )
        for source in single_moves(play.position, die)
    ]


def _play_in_order(position: Position, order: Iterable[int], key: _Key) -> list[_Play]:
    """Play the dice in this order; a play ends at the first die it cannot use.

    Plays with the same `key` after the same number of dice go on as one.
    """
    ended: list[_Play] = []
    active = [_Play(position, ())]
    for die in order:
        longer: dict[Hashable, _Play] = {}
        for play in active:
            continued = _one_move_further(play, die)
            if not continued:
                ended.append(play)
            for further in continued:
                longer.setdefault(key(further), further)
        active = list(longer.values())
    return ended + active


def _play_in_all_orders(
    position: Position, dice: tuple[int, ...], key: _Key
) -> list[_Play]:
    """Play the dice in each order, the legality of whole plays not yet asked (R7)."""
    orders = sorted(set(permutations(dice)), reverse=True)
    return [play for order in orders for play in _play_in_order(position, order, key)]


# --- Which of them are legal ---------------------------------------------------------


def _with_most_dice(plays: list[_Play]) -> list[_Play]:
    """As many dice as possible must be played (R11)."""
    most = max(len(play.sequence) for play in plays)
    return [play for play in plays if len(play.sequence) == most]


def _with_larger_die(plays: list[_Play], dice: tuple[int, ...]) -> list[_Play]:
    """If either die can be played but not both, the larger; else the one (R11).

    `plays` all use the same number of dice.
    """
    if len(dice) != 2 or len(plays[0].sequence) != 1:
        return plays
    playable = {play.sequence[0][1] for play in plays}
    return [play for play in plays if play.sequence[0][1] == max(playable)]


def _with_least_waste(plays: list[_Play], dice: tuple[int, ...]) -> list[_Play]:
    """If the legal plays use all the dice, those that waste least stay legal (R16).

    `plays` are the plays left by R11.
    """
    if len(plays[0].sequence) < len(dice):
        return plays
    least = min(waste(play.sequence) for play in plays)
    return [play for play in plays if waste(play.sequence) == least]


def _legal_plays(
    position: Position, dice: Iterable[int], least_waste: bool, key: _Key
) -> list[_Play]:
    """Return the plays that R11, then on request R16, leave; never an empty list."""
    numbers = dice_to_play(dice)
    plays = _play_in_all_orders(position, numbers, key)
    plays = _with_larger_die(_with_most_dice(plays), numbers)
    return _with_least_waste(plays, numbers) if least_waste else plays


def _by_sequence(play: _Play) -> Hashable:
    """Keep every sequence apart."""
    return play.sequence


def _by_position(play: _Play) -> Hashable:
    """Keep one play for each position reached; waste apart, as R16 looks at it."""
    return play.position, waste(play.sequence)


def _by_first_move(play: _Play) -> Hashable:
    """Keep one play for each first move and position reached."""
    return play.sequence[0], _by_position(play)


def legal_sequences(
    position: Position, dice: Iterable[int], least_waste: bool = False
) -> list[Sequence]:
    """Return every sequence of moves that is a complete legal play (R7 to R16).

    Nothing is merged: two orders of the same moves are two sequences. Nothing playable
    gives `[()]`, the pass (R13).

    Args:
        position: (mover, opponent).
        dice: The roll, in either order.
        least_waste: Whether R16 holds.
    """
    plays = _legal_plays(position, dice, least_waste, _by_sequence)
    return list(dict.fromkeys(play.sequence for play in plays))


def legal_results(
    position: Position, dice: Iterable[int], least_waste: bool = False
) -> dict[Position, Sequence]:
    """Return each distinct position a legal play can leave, with one such play.

    Positions are not flipped: the player who moved is still first. Nothing playable
    gives `{position: ()}` (R13). Arguments as in `legal_sequences`.

    >>> len(legal_results(START, (3, 1)))
    16
    """
    results: dict[Position, Sequence] = {}
    for play in _legal_plays(position, dice, least_waste, _by_position):
        results.setdefault(play.position, play.sequence)
    return results


def first_moves(
    position: Position, dice: Iterable[int], least_waste: bool = False
) -> set[Move]:
    """Return the moves that begin a legal play; none if nothing is playable (R11, R16).

    Arguments as in `legal_sequences`.
    """
    plays = _legal_plays(position, dice, least_waste, _by_first_move)
    return {play.sequence[0] for play in plays if play.sequence}


# --- The end of the game -------------------------------------------------------------


def has_checker_in_winners_home_or_on_bar(loser_side: Side) -> bool:
    """The loser has a checker in the winner's home board or on the bar (R17)."""
    in_winners_home = sum(loser_side[opposite(point)] for point in HOME)
    return in_winners_home > 0 or loser_side[BAR] > 0


def outcome(winner_side: Side, loser_side: Side) -> int:
    """Return 1 for a single game, 2 for a gammon, 3 for a backgammon (R17).

    Raises:
        ValueError: `winner_side` has not borne off all its checkers.
    """
    if sum(winner_side[1:]) > 0:
        raise ValueError(f"the winner has all checkers off, not {winner_side!r}")
    if loser_side[OFF] > 0:
        return 1
    return 3 if has_checker_in_winners_home_or_on_bar(loser_side) else 2


# --- Position ids --------------------------------------------------------------------


def position_id(position: Position) -> str:
    """Return the 14 characters of the GNU Backgammon position id.

    First the opponent, then the mover: points 1 to 24 and the bar, each count as that
    many ones and a zero, the first bit the lowest.

    >>> position_id(START)
    '4HPwATDgc/ABMA'
    """
    mover, opponent = position
    bits = "".join("1" * count + "0" for count in opponent[1:] + mover[1:])
    number = int(bits[::-1], 2)
    return base64.b64encode(number.to_bytes(_ID_BYTES, "little")).decode()[:_ID_LENGTH]


def _decode_bits(text: str) -> str:
    """Return the 80 bits of a position id, the first bit first."""
    number = int.from_bytes(base64.b64decode(text + "==", validate=True), "little")
    return f"{number:080b}"[::-1]


def _side_from_counts(counts: list[int], checkers: int) -> Side:
    """Return the side with these 25 counts; the checkers it lacks are off."""
    return (checkers - sum(counts), *counts)


def position_from_id(text: str, checkers: int = 15) -> Position:
    """Return the position with this id, for sides of `checkers` checkers (R4).

    Raises:
        ValueError: `text` is no position id, or a side has more than `checkers`.
    """
    runs = _decode_bits(text).split("0")[:50]
    counts = [len(run) for run in runs]
    opponent = _side_from_counts(counts[:25], checkers)
    mover = _side_from_counts(counts[25:], checkers)
    position = (mover, opponent)
    has_too_many = min(mover[OFF], opponent[OFF]) < 0
    if len(runs) < 50 or has_too_many or position_id(position) != text:
        raise ValueError(f"no position id for sides of {checkers} checkers: {text!r}")
    return position
