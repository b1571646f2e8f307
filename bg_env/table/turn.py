"""The moves made with a roll while the dice still lie on the table (R36)."""

from __future__ import annotations

from collections.abc import Iterator

from bg_env.errors import IllegalPlayError, InvalidNotationError
from bg_env.notation._play_text import Journey, read_play_text
from bg_env.notation.plays import format_play
from bg_env.rules.decisions import PASS, is_move, move_of
from bg_env.rules.game import GameState
from bg_env.rules.movegen import Move
from bg_env.rules.position import Position
from bg_env.rules.state import BAR, MOVING


class OpenTurn:
    """A turn that is not final: moves made on a copy, to be taken back one by one."""

    def __init__(self, state: GameState, codes: tuple[int, ...] = ()) -> None:
        """Begin at a state, whose moves are to be made; then make some moves.

        Raises:
            IllegalActionError: A move that is not legal.
        """
        self._states = [state]
        self._codes: list[int] = []
        for code in codes:
            self.add(code)

    @property
    def start(self) -> GameState:
        """The state before the first move."""
        return self._states[0]

    @property
    def after(self) -> GameState:
        """What the rules make of the moves: after the last the turn has passed."""
        return self._states[-1]

    @property
    def codes(self) -> tuple[int, ...]:
        """Decision codes of the moves made."""
        return tuple(self._codes)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves made."""
        return tuple(Move(*move_of(code)) for code in self._codes)

    @property
    def position(self) -> Position:
        """The checkers as they lie, seen by the player on roll."""
        return self.after.position_of(self.start.on_roll)

    @property
    def is_being_played(self) -> bool:
        """True while checkers are to be moved or a play is to be confirmed."""
        return self.start.phase == MOVING and not self.start.offer

    @property
    def is_complete(self) -> bool:
        """True when no more dice can be played."""
        return self.is_being_played and (
            self._has_passed(self.after) or self.after.is_legal(PASS)
        )

    @property
    def dice_left(self) -> tuple[int, ...]:
        """Dice not yet played; those that cannot be are left too."""
        left = list(self.start.dice_left)
        for move in self.moves:
            left.remove(move.die)
        return tuple(left)

    @property
    def text(self) -> str:
        """The moves made as text."""
        return format_play(self.start.position, self.moves)

    def legal_moves(self) -> list[int]:
        """Codes of the moves that may come next; [] when the play is complete."""
        if self.is_complete:
            return []
        return [code for code in self.after.legal_decisions() if is_move(code)]

    def add(self, code: int) -> None:
        """Make one more move.

        Raises:
            IllegalActionError: Not legal.
        """
        longer = self.after.clone()
        longer.apply(code)
        self._states.append(longer)
        self._codes.append(code)

    def take_back(self) -> Move:
        """Take back the last move and return it. There must be one."""
        self._states.pop()
        return Move(*move_of(self._codes.pop()))

    def read(self, text: str) -> tuple[int, ...]:
        """Codes of the moves that a text names, in an order in which they are legal.

        Raises:
            InvalidNotationError: Not the text of moves, or of different results.
            IllegalPlayError: Not legal after the moves made.
        """
        said = read_play_text(text)
        where = (
            f"{text!r} with {' '.join(map(str, self.dice_left))} left in position "
            f"{self.position.id}"
        )
        found: dict[Position, tuple[int, ...]] = {}
        for codes in self._ways(self.after, said.journeys):
            after = OpenTurn(self.after, codes).position
            found.setdefault(after, codes)
        exact = {
            result: codes
            for result, codes in found.items()
            if _hits(self.position, result) == said.hits
        }
        fitting = exact or {
            result: codes
            for result, codes in found.items()
            if said.hits <= _hits(self.position, result)
        }
        if not said.journeys or not fitting:
            raise IllegalPlayError(f"{where} is not legal; {self._hint()}.")
        if len(fitting) > 1:
            shown = " or ".join(self._text_of(codes) for codes in fitting.values())
            raise InvalidNotationError(f"{where} can mean {shown}; say which.")
        return next(iter(fitting.values()))

    def names(self) -> list[str]:
        """The moves that may come next, as text, each once: ``24/18*``."""
        texts = (self._text_of((code,)) for code in self.legal_moves())
        return list(dict.fromkeys(texts))

    def _hint(self) -> str:
        names = self.names()
        return f"legal moves: {', '.join(names)}" if names else "no move is"

    def _text_of(self, codes: tuple[int, ...]) -> str:
        return format_play(self.position, [Move(*move_of(code)) for code in codes])

    def _has_passed(self, state: GameState) -> bool:
        return state.is_over or state.turn != self.start.turn

    def _ways(
        self, state: GameState, journeys: tuple[Journey, ...]
    ) -> Iterator[tuple[int, ...]]:
        """All sequences of legal moves that make these journeys, and no others."""
        if not journeys:
            yield ()
            return
        if self._has_passed(state):
            return
        for code in filter(is_move, state.legal_decisions()):
            for rest in _rest_after(journeys, Move(*move_of(code))):
                longer = state.clone()
                longer.apply(code)
                for codes in self._ways(longer, rest):
                    yield (code, *codes)


def _rest_after(journeys: tuple[Journey, ...], move: Move) -> set[tuple[Journey, ...]]:
    """What is left of the journeys when the move is part of one of them."""
    left = set()
    for index, (here, stop, *later) in enumerate(journeys):
        if here != move.source or move.target < stop:
            continue
        rest = (stop, *later) if move.target == stop else (move.target, stop, *later)
        others = journeys[:index] + journeys[index + 1 :]
        left.add(tuple(sorted((*others, rest) if len(rest) > 1 else others)))
    return left


def _hits(before: Position, after: Position) -> frozenset[int]:
    """The mover's points on which a blot was hit (R10)."""
    return frozenset(
        BAR - point
        for point in range(1, BAR)
        if before.opponent[point] == 1 and not after.opponent[point]
    )
