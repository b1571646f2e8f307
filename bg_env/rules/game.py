"""`GameState`: one game as an object, over the same record and kernels as a batch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bg_env.errors import (
    IllegalActionError,
    InvalidOptionError,
    InvalidPositionError,
)
from bg_env.rules import state as fields
from bg_env.rules._game import (
    apply_at,
    award_at,
    charge_at,
    is_blocked_at,
    is_flagged_at,
    is_legal_at,
    start_all,
    throw_at,
)
from bg_env.rules.batch import (
    find_match_ends,
    legal_masks,
    new_states,
    seed_states,
)
from bg_env.rules.decisions import DECISIONS, DOUBLE, decision_name
from bg_env.rules.movegen import ROLL_WAYS, ROLLS, check_dice, check_position
from bg_env.rules.options import Rules, as_rules
from bg_env.rules.position import Position

_STANDARD: Final = Rules()
_SECONDS_LIMIT: Final = 1_000_000.0


class GameState:
    """Position, turn, roll, cube and score of one game, and what may happen next.

    The players are 0 and 1 for the whole match. `position` is seen by the player
    on roll; `score` and times are by player.

    Attributes:
        record: The record itself, ``STATE_DTYPE[1]``. Changing it is not checked.
        rules: The rules it is played by.
    """

    __slots__ = ("record", "rules")

    def __init__(self, record: NDArray[Any], rules: Rules) -> None:
        """Wrap one record, not copied, not checked. Users want `new`."""
        self.record = record
        self.rules = rules

    @classmethod
    def new(cls, rules: Rules = _STANDARD, *, seed: int = 0) -> GameState:
        """A game before its opening roll; `seed` fixes its dice."""
        rules = as_rules(rules)
        record = new_states(1, rules)
        seed_states(record, seed)
        return cls(record, rules)

    @classmethod
    def from_position(
        cls,
        position: Position,
        *,
        rules: Rules = _STANDARD,
        on_roll: int = 0,
        dice: tuple[int, int] | None = None,
        cube: int = 1,
        cube_owner: int | None = None,
        score: tuple[int, int] = (0, 0),
        crawford: bool | None = None,
        doubled: bool = False,
        beavers_made: int = 0,
        seed: int = 0,
    ) -> GameState:
        """A game in the middle, at the start of a turn.

        Args:
            position: Seen by the player on roll.
            rules: The rules; their `start` is for the games that follow.
            on_roll: Player 0 or 1.
            dice: The roll to be played, or None: he has not rolled yet.
            cube: Value of the cube, before the last turn of it if `doubled`.
            cube_owner: Player 0 or 1, or None: in the middle.
            score: Points of player 0 and player 1.
            crawford: Whether this is the Crawford game. None: it is if the rule is
                in use and exactly one player needs one point.
            doubled: The player on roll has doubled and awaits the answer.
            beavers_made: How many beavers and raccoons have followed that double.
            seed: Fixes the dice to come.

        Raises:
            InvalidPositionError: The game is over or can never end.
            InvalidOptionError: Values that contradict each other or the rules.
        """
        check_position(position)
        state = cls.new(rules, seed=seed)
        rules, record = state.rules, state.record
        _check_player("on_roll", on_roll)
        record["board"] = position.to_board()
        _check_playable(position, record)
        record["checkers"] = position.checkers[:: 1 if on_roll == 0 else -1]
        record["on_roll"] = record["to_act"] = on_roll
        record["phase"] = fields.BEFORE_ROLL
        record["turn"] = 2  # whatever was the first turn lies behind
        state.set_score(score, crawford)
        _set_cube(state, cube, cube_owner)
        if doubled:
            _set_doubled(state, beavers_made)
        elif beavers_made:
            raise InvalidOptionError(
                f"beavers_made={beavers_made!r} needs doubled=True."
            )
        if dice is not None:
            if doubled:
                raise InvalidOptionError(
                    f"A pending double has no dice yet, so dice={dice!r} cannot be."
                )
            state.set_dice(*check_dice(dice))
        return state

    # --- what it is -----------------------------------------------------------

    def _int(self, name: str) -> int:
        return int(self.record[name][0])

    def _pair(self, name: str) -> tuple[int, int]:
        first, second = self.record[name][0].tolist()
        return first, second

    @property
    def position(self) -> Position:
        """The checkers, seen by the player on roll."""
        return Position.from_board(self.record["board"][0])

    def position_of(self, player: int) -> Position:
        """The checkers, seen by a player."""
        _check_player("player", player)
        return self.position if player == self.on_roll else self.position.swapped()

    @property
    def on_roll(self) -> int:
        """The player whose turn it is."""
        return self._int("on_roll")

    @property
    def to_act(self) -> int:
        """The player who decides now."""
        return self._int("to_act")

    @property
    def phase(self) -> int:
        """What is awaited: a phase of `bg_env.rules.state`."""
        return self._int("phase")

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll as rolled, None while there is none."""
        return self._pair("roll") if self.phase == fields.MOVING else None

    @property
    def dice_left(self) -> tuple[int, ...]:
        """The dice not yet played, the larger first: ``(5, 5, 5)``, ``(6, 1)``."""
        if self.phase != fields.MOVING:
            return ()
        (a, b), (times_a, times_b) = self._pair("roll"), self._pair("left")
        return tuple(sorted([a] * times_a + [b] * times_b, reverse=True))

    @property
    def cube(self) -> int:
        """Value of the cube; while a double is pending: what dropping it costs."""
        return self._int("cube")

    @property
    def cube_owner(self) -> int | None:
        """The player who owns the cube, None = in the middle."""
        owner = self._int("cube_owner")
        return None if owner == fields.NOBODY else owner

    @property
    def score(self) -> tuple[int, int]:
        """Points of player 0 and player 1."""
        return self._pair("score")

    @property
    def match_length(self) -> int:
        """Points the match is played to, 0 = money."""
        return self._int("match_length")

    @property
    def crawford(self) -> bool:
        """True in the Crawford game."""
        return self._int("crawford") == fields.CRAWFORD_GAME

    @property
    def offer(self) -> int:
        """Level of the resignation that awaits an answer, 0 = none."""
        return self._int("offer")

    @property
    def beavers_made(self) -> int:
        """Beavers and raccoons of the pending double."""
        return self._int("beavers_made")

    @property
    def turn(self) -> int:
        """Turns begun in this game; the first is 1."""
        return self._int("turn")

    @property
    def winner(self) -> int | None:
        """The player who has won this game, None while it goes on."""
        winner = self._int("winner")
        return None if winner == fields.NOBODY else winner

    @property
    def points(self) -> int:
        """What the winner got for this game, 0 while it goes on."""
        return self._int("points")

    @property
    def level(self) -> int:
        """1 single, 2 gammon, 3 backgammon; 0 while the game goes on."""
        return self._int("level")

    @property
    def ending(self) -> int:
        """How the game ended: a constant of `bg_env.rules.state`."""
        return self._int("ending")

    @property
    def is_over(self) -> bool:
        """True when this game is over."""
        return self.phase == fields.OVER

    @property
    def is_match_over(self) -> bool:
        """True when this game is over and no other belongs to its match."""
        return bool(find_match_ends(self.record)[0])

    @property
    def reserve(self) -> tuple[float, float]:
        """Seconds of reserve left, by player (R29)."""
        first, second = self._pair("reserve")
        return first / 1000, second / 1000

    # --- what may happen ------------------------------------------------------

    def legal_decisions(self) -> list[int]:
        """Codes of all legal decisions, ascending; never empty."""
        return np.flatnonzero(legal_masks(self.record)[0]).tolist()

    def is_legal(self, code: int) -> bool:
        """True when this decision is legal now."""
        return bool(is_legal_at(self.record, 0, _check_code(code)))

    def apply(self, code: int, *, elapsed: float = 0.0) -> None:
        """Carry out a decision of the player to act.

        Args:
            code: A decision code (`bg_env.rules.decisions`).
            elapsed: Seconds he took; his clock runs first, so a player whose time
                ends the game by itself (R29) decides nothing any more.

        Raises:
            IllegalActionError: Not legal now; the state is untouched.
            InvalidOptionError: `elapsed` is negative or no number.
        """
        milliseconds = _check_elapsed(elapsed)
        if not self.is_legal(code):
            raise IllegalActionError(self.refusal(code))
        if milliseconds:
            charge_at(self.record, 0, self.to_act, milliseconds)
            if self.is_over:
                return
        apply_at(self.record, 0, int(code))

    def refusal(self, code: int) -> str:
        """One sentence that says why a decision is not legal now, and what is."""
        legal = self.legal_decisions()
        shown = ", ".join(f"{c} ({decision_name(c)})" for c in legal[:8])
        more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
        return (
            f"Decision {code!r} ({decision_name(code)}) is not legal for player "
            f"{self.to_act} in position {self.position.id}; legal: {shown}{more}."
        )

    def pass_time(self, seconds: float) -> None:
        """Let the clock of the player to act run (R29), without a decision.

        Raises:
            InvalidOptionError: `seconds` is negative or no number.
        """
        charge_at(self.record, 0, self.to_act, _check_elapsed(seconds))

    def claim(self, player: int) -> None:
        """Claim the game because the opponent's time is up (R29); at any moment.

        Raises:
            IllegalActionError: The game is over, there is no clock, or the opponent
                has reserve left; the state is untouched.
        """
        _check_player("player", player)
        other = 1 - player
        if self.is_over:
            raise IllegalActionError("A claim on time needs a game; this one is over.")
        if not is_flagged_at(self.record, 0, other):
            left = f"{self.reserve[other]:g} s of reserve" if self.rules.clock else ""
            raise IllegalActionError(
                f"Player {player} cannot claim: player {other} has "
                f"{left or 'no clock to run out of'}."
            )
        award_at(self.record, 0, player)

    # --- chance ---------------------------------------------------------------

    @property
    def awaits_dice(self) -> bool:
        """True where a roll may come next: `set_dice` and `chance_outcomes` work."""
        waiting = self.phase in (fields.OPENING, fields.BEFORE_ROLL)
        return waiting and not self.offer

    def chance_outcomes(self) -> list[tuple[tuple[int, int], float]]:
        """The rolls that may come and their probabilities; `math.fsum` gives 1.

        At the opening (die of player 0, die of player 1): 30 at 1/30; 36 at 1/36
        while a tie would still double the cube (R23). Else the 21 rolls.

        Raises:
            IllegalActionError: The dice are rolled, or something else is awaited.
        """
        self._check_awaits_dice("chance_outcomes")
        if self.phase == fields.BEFORE_ROLL:
            return [
                (roll, ways / 36) for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True)
            ]
        throws = [(a, b) for a in range(1, 7) for b in range(1, 7)]
        if not self._tie_doubles():
            throws = [(a, b) for a, b in throws if a != b]
        return [(throw, 1 / len(throws)) for throw in throws]

    def _tie_doubles(self) -> bool:
        return self._int("automatic_made") < self.rules.automatic_doubles

    def set_dice(self, first: int, second: int) -> None:
        """Lay down this roll instead of rolling.

        At the opening the first die is player 0's, the second player 1's.

        Raises:
            IllegalActionError: The dice are rolled, or something else is awaited.
            InvalidOptionError: Not dice, or an opening tie that would be rolled again.
        """
        first, second = check_dice((first, second))
        self._check_awaits_dice("set_dice")
        if self.phase == fields.OPENING and first == second and not self._tie_doubles():
            raise InvalidOptionError(
                f"An opening tie ({first}, {second}) is rolled again; "
                f"give two different dice."
            )
        throw_at(self.record, 0, first, second)

    def _check_awaits_dice(self, what: str) -> None:
        if not self.awaits_dice:
            raise IllegalActionError(
                f"{what} needs a state where the roll is awaited; in position "
                f"{self.position.id} it is not (dice {self.dice!r})."
            )

    def set_dice_queue(self, rolls: Iterable[tuple[int, int]]) -> None:
        """Fix the coming rolls; after them the stream goes on. Replaces the queue.

        Raises:
            InvalidOptionError: Not dice, or more than 256 rolls.
        """
        queue_dice(self.record, rolls)

    # --- copies and games that follow --------------------------------------------

    def clone(self) -> GameState:
        """An independent copy, streams included."""
        return GameState(self.record.copy(), self.rules)

    def next_game(self) -> None:
        """Set up the next game of the match or session (R26).

        Raises:
            IllegalActionError: This game is not over, or the match is.
        """
        if not self.is_over:
            raise IllegalActionError("The next game needs this one to be over.")
        if self.match_length and self.is_match_over:
            raise IllegalActionError(
                f"The match to {self.match_length} is over at {self.score}."
            )
        start = self.rules.start_position
        self.record["checkers"] = start.checkers
        start_all(self.record, start.to_board())

    def set_score(self, score: tuple[int, int], crawford: bool | None = None) -> None:
        """Set points and Crawford state, as `from_position` documents them.

        Raises:
            InvalidOptionError: Negative, beyond the match, or no Crawford game.
        """
        length = self.match_length
        pair = isinstance(score, tuple | list | np.ndarray) and len(score) == 2
        good = pair and all(
            isinstance(points, int | np.integer) and points >= 0 for points in score
        )
        if not good or (length and max(score) >= length) or max(score) > 2**30:
            limit = (
                f"0 to {length - 1} in a match to {length}" if length else "from 0 up"
            )
            raise InvalidOptionError(
                f"A score is two whole numbers of points, {limit}, not {score!r}."
            )
        self.record["score"] = score
        self.record["crawford"] = _crawford_state(self.rules, score, crawford)

    def __eq__(self, other: object) -> bool:
        """True when rules, board, roll, cube, score, clock and streams are equal."""
        if not isinstance(other, GameState):
            return NotImplemented
        same = self.record.tobytes() == other.record.tobytes()
        return same and self.rules == other.rules

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        dice = f", dice {self.dice}" if self.dice else ""
        return (
            f"<GameState {self.position.id}: player {self.on_roll} on roll{dice}, "
            f"cube {self.cube}, score {self.score}>"
        )


def queue_dice(record: NDArray[Any], rolls: Iterable[tuple[int, int]]) -> None:
    """Fix the coming rolls of one record ``STATE_DTYPE[1]``, in place.

    Raises:
        InvalidOptionError: Not dice, or more than 256 rolls; nothing is changed.
    """
    if not isinstance(rolls, Iterable):
        raise InvalidOptionError(
            f"A queue is a list of rolls, such as [(3, 1), (6, 6)], not {rolls!r}."
        )
    throws = [check_dice(dice) for dice in rolls]
    if len(throws) > fields.QUEUE_SIZE:
        raise InvalidOptionError(
            f"The queue holds {fields.QUEUE_SIZE} rolls, not {len(throws)}."
        )
    record["queue_next"] = 0
    record["queue_length"] = len(throws)
    record["queue"] = 0
    record["queue"][0, : len(throws)] = [8 * a + b for a, b in throws]


def _check_player(name: str, player: Any) -> None:
    if player not in (0, 1) or isinstance(player, bool):
        raise InvalidOptionError(f"{name} is player 0 or 1, not {player!r}.")


def _check_code(code: Any) -> int:
    if not isinstance(code, int | np.integer) or not 0 <= code < DECISIONS:
        raise IllegalActionError(
            f"A decision is a whole number of 0 to {DECISIONS - 1}, not {code!r}."
        )
    return int(code)


def _check_elapsed(seconds: Any) -> int:
    """Seconds as whole milliseconds."""
    good = isinstance(seconds, int | float | np.integer | np.floating)
    if not good or isinstance(seconds, bool) or not 0 <= seconds <= _SECONDS_LIMIT:
        raise InvalidOptionError(
            f"Elapsed time is 0 to {_SECONDS_LIMIT:g} seconds, not {seconds!r}."
        )
    return round(float(seconds) * 1000)


def _check_playable(position: Position, record: NDArray[Any]) -> None:
    """Refuse a board on which the game is over or never ends."""
    for name, side in (("mover", position.mover), ("opponent", position.opponent)):
        if not any(side[1:]):
            raise InvalidPositionError(
                f"The game is over in position {position.id}: "
                f"the {name} has borne off all checkers."
            )
    if is_blocked_at(record, 0):
        raise InvalidPositionError(
            f"Neither side can ever move in position {position.id}; "
            f"the game has no end."
        )


def _crawford_state(rules: Rules, score: tuple[int, int], crawford: bool | None) -> int:
    """Before, in or after the Crawford game (R26)."""
    length = rules.match_length
    at_match_point = [length > 1 and points == length - 1 for points in score]
    possible = rules.crawford and sum(at_match_point) == 1
    if crawford and not possible:
        raise InvalidOptionError(
            f"There is no Crawford game at {tuple(score)} in a match to {length} "
            f"with crawford={rules.crawford}; leave crawford out."
        )
    if not any(at_match_point) or not rules.crawford:
        return fields.CRAWFORD_NOT_YET
    if possible and crawford is not False:
        return fields.CRAWFORD_GAME
    return fields.CRAWFORD_OVER


def _set_cube(state: GameState, cube: int, owner: int | None) -> None:
    """Put the cube where it stands; an owned cube was doubled and taken (R22)."""
    power = isinstance(cube, int | np.integer) and cube > 0 and cube & (cube - 1) == 0
    if not power or cube > fields.CUBE_LIMIT:
        raise InvalidOptionError(f"The cube is a power of two, not {cube!r}.")
    if owner is not None:
        _check_player("cube_owner", owner)
        if cube == 1:
            raise InvalidOptionError(
                f"A cube of 1 is in the middle; player {owner} cannot own it."
            )
    highest = int(state.record["max_cube"][0])
    if cube > highest:
        raise InvalidOptionError(f"The cube goes to {highest}, not to {cube!r}.")
    if cube > 1 and not _has_cube(state):
        raise InvalidOptionError(
            f"This game is played without the cube, so it cannot stand at {cube!r}."
        )
    state.record["cube"] = cube
    state.record["cube_owner"] = fields.NOBODY if owner is None else owner
    state.record["cube_turned"] = 0 if owner is None else 1


def _has_cube(state: GameState) -> bool:
    """True when the cube is in use in this game (R26)."""
    return state.rules.cube and state.match_length != 1 and not state.crawford


def _set_doubled(state: GameState, beavers_made: int) -> None:
    """Let the double of the player on roll be pending, with that many beavers."""
    record = state.record
    if not state.is_legal(DOUBLE):
        raise InvalidOptionError(
            f"Player {state.on_roll} cannot have doubled: cube {state.cube}, owner "
            f"{state.cube_owner}, score {state.score}, match length "
            f"{state.match_length}."
        )
    highest = int(record["beavers"][0])
    if not isinstance(beavers_made, int) or not 0 <= beavers_made <= highest:
        raise InvalidOptionError(
            f"These rules allow {highest} beavers for one double, not {beavers_made!r}."
        )
    if state.cube >> beavers_made == 0:
        raise InvalidOptionError(
            f"After beavers_made={beavers_made!r} the cube is {2**beavers_made} or "
            f"more before its last turn, not {state.cube}."
        )
    apply_at(record, 0, DOUBLE)
    record["beavers_made"] = beavers_made
    if beavers_made:
        record["cube_turned"] = 1
    if beavers_made % 2:
        record["to_act"] = state.on_roll
