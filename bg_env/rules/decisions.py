"""Decision codes: every choice of the game as one integer, version 1.

==========  ============================================================
code        decision
==========  ============================================================
0           pass / no-op (no move is possible, or the game is over)
1–150       move a checker: ``1 + (source - 1) * 6 + (die - 1)``
            with source 1..25 (25 = bar) and die 1..6
151         roll
152         double
153         take
154         drop
155         beaver (or raccoon)
156–158     resign a single game, a gammon, a backgammon
            (with ``resign="immediate"`` only 156)
159         accept a resignation
160         refuse a resignation
161         claim on time
==========  ============================================================

A move is (source, die), not (source, target): two dice can bear off the same
checker, and then the target says too little. Any change of these numbers bumps
`CODES_VERSION`.
"""

from __future__ import annotations

from typing import Final

CODES_VERSION: Final = 1
DECISIONS: Final = 162

PASS: Final = 0
FIRST_MOVE: Final = 1
LAST_MOVE: Final = 150
ROLL: Final = 151
DOUBLE: Final = 152
TAKE: Final = 153
DROP: Final = 154
BEAVER: Final = 155
RESIGN_SINGLE: Final = 156
RESIGN_GAMMON: Final = 157
RESIGN_BACKGAMMON: Final = 158
ACCEPT: Final = 159
REFUSE: Final = 160
CLAIM: Final = 161

_NAMES: Final = {
    PASS: "pass",
    ROLL: "roll",
    DOUBLE: "double",
    TAKE: "take",
    DROP: "drop",
    BEAVER: "beaver",
    RESIGN_SINGLE: "resign single",
    RESIGN_GAMMON: "resign gammon",
    RESIGN_BACKGAMMON: "resign backgammon",
    ACCEPT: "accept",
    REFUSE: "refuse",
    CLAIM: "claim",
}


def is_move(code: int) -> bool:
    """True when the code moves a checker."""
    return FIRST_MOVE <= code <= LAST_MOVE


def move_code(source: int, die: int) -> int:
    """The code of moving one checker from `source` (1..25, 25 = bar) by `die`.

    >>> move_code(25, 6), move_code(1, 1)
    (150, 1)
    """
    if not (1 <= source <= 25 and 1 <= die <= 6):
        raise ValueError(
            f"A move needs a source of 1..25 and a die of 1..6, "
            f"not source={source!r}, die={die!r}."
        )
    return 1 + (source - 1) * 6 + (die - 1)


def move_of(code: int) -> tuple[int, int]:
    """The (source, die) of a move code.

    >>> move_of(150)
    (25, 6)
    """
    if not is_move(code):
        raise ValueError(f"Code {code!r} is not a move; moves are 1..150.")
    return (code - 1) // 6 + 1, (code - 1) % 6 + 1


def decision_name(code: int) -> str:
    """A decision in words: ``"8/5"``, ``"bar/22"``, ``"6/off"``, ``"double"`` ….

    >>> decision_name(152), decision_name(move_code(25, 3))
    ('double', 'bar/22')
    """
    if is_move(code):
        source, die = move_of(code)
        start = "bar" if source == 25 else str(source)
        end = str(source - die) if source > die else "off"
        return f"{start}/{end}"
    if code not in _NAMES:
        raise ValueError(f"Decision codes are 0..{DECISIONS - 1}, not {code!r}.")
    return _NAMES[code]
