"""The state of one game: one record of a structured array.

A batch of games is an array of `STATE_DTYPE`, a record per game, changed in
place. The board comes first and fills one cache line: ``board[row, point]`` is
``int8[2, 32]``; row 0 belongs to the player on roll, row 1 to the other, each in
its owner's own numbering: index 1..24 = points, 25 = bar, 0 = off, 26..31 = padding
that stays zero. The opponent's point is ``25 - p``.

``words`` is the same memory as ``board`` seen as ``uint64[2, 4]``: eight points at
a time. (Joining arrays of this dtype needs ``np.concatenate(..., dtype=STATE_DTYPE)``:
left to itself it repacks the fields, and board and words part.)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

# Phases: what is being waited for. A pending resignation (`offer` > 0) leaves the
# phase underneath as it was.
OPENING: Final = 0  # each player's first die has not been rolled (R5)
BEFORE_ROLL: Final = 1  # the player on roll may roll, and perhaps double
MOVING: Final = 2  # the dice are rolled, moves are being played
DOUBLED: Final = 3  # a double, beaver or raccoon awaits an answer
OVER: Final = 4  # the game is over

# Crawford states (R26).
CRAWFORD_NOT_YET: Final = 0
CRAWFORD_GAME: Final = 1
CRAWFORD_OVER: Final = 2

# How a game ended (`ending`).
NOT_ENDED: Final = 0
BORNE_OFF: Final = 1
DROPPED: Final = 2
RESIGNED: Final = 3
CLAIMED: Final = 4  # on time

# Option bits (`options`).
CUBE_IN_USE: Final = 1
JACOBY: Final = 2
CRAWFORD_RULE: Final = 4
LEAST_WASTE: Final = 8
RESIGN_OFFER: Final = 16
RESIGN_IMMEDIATE: Final = 32
OPENING_REROLL: Final = 64
CLOCK: Final = 128
CLOCK_PER_MATCH: Final = 256  # the reserve is renewed once per match, not per game
FLAG_LOSES: Final = 512  # running out of time loses without a claim
CLAIM_SINGLE: Final = 1024
CLAIM_MATCH: Final = 2048
NO_BACKGAMMON: Final = 4096  # a backgammon is reported (and paid) as a gammon

NOBODY: Final = -1
BAR: Final = 25
OFF: Final = 0
QUEUE_SIZE: Final = 256
CUBE_LIMIT: Final = 2**40  # where "no limit" ends: the field's own room
SCORE_LIMIT: Final = 2**31 - 1  # a score stays there: the field's own room

_FIELDS: Final[list[tuple[str, object, int]]] = [
    # name, dtype, offset
    ("board", ("i1", (2, 32)), 0),
    ("words", ("u8", (2, 4)), 0),
    ("dice_stream", "u8", 64),  # splitmix64 state of the dice
    ("choice_stream", "u8", 72),  # splitmix64 state of everything agents draw
    ("cube", "i8", 80),  # 1, 2, 4 …; while DOUBLED: what a drop costs
    ("max_cube", "i8", 88),
    ("points", "i8", 96),  # what the winner of a finished game got
    ("score", ("i4", (2,)), 104),  # by player; money games add up too
    ("match_length", "i4", 112),  # 0 = money
    ("turn", "i4", 116),  # turns begun in this game; the first is 1
    ("game", "i4", 120),  # games begun in this match or session; the first is 1
    ("options", "u4", 124),
    ("turn_time", ("i4", (2,)), 128),  # by player, milliseconds left of this turn
    ("reserve", ("i4", (2,)), 136),  # by player, milliseconds
    ("turn_limit", "i4", 144),
    ("reserve_limit", "i4", 148),
    ("roll", ("i1", (2,)), 152),  # as rolled; at the opening: die of player 0, 1
    ("left", ("i1", (2,)), 154),  # how often roll[0], roll[1] may still be played
    ("on_roll", "i1", 156),  # the player whose turn it is: board row 0
    ("to_act", "i1", 157),  # the player who decides now
    ("phase", "i1", 158),
    ("cube_owner", "i1", 159),  # -1 = in the middle
    ("crawford", "i1", 160),
    ("offer", "i1", 161),  # level of the pending resignation, 0 = none
    ("refused", "i1", 162),  # highest level refused since the last roll or move
    ("beavers_made", "i1", 163),  # beavers and raccoons of the pending double
    ("cube_turned", "i1", 164),  # 1 once a double was taken in this game (R22)
    ("automatic_made", "i1", 165),  # automatic doubles in this game (R23)
    ("winner", "i1", 166),  # -1 until the game is over
    ("level", "i1", 167),  # 1 single, 2 gammon, 3 backgammon; 0 until over
    ("ending", "i1", 168),
    ("beavers", "i1", 169),  # option: how many one double may bring
    ("automatic_doubles", "i1", 170),  # option: how many one game may bring
    ("backgammon_points", "i1", 171),  # option: 2 or 3
    ("checkers", ("i1", (2,)), 172),  # by player, what "all" means (R4, R17)
    ("queue_next", "i2", 174),
    ("queue_length", "i2", 176),
    ("queue", ("u1", (QUEUE_SIZE,)), 178),  # coming rolls, 8 * die + die
    ("_gap", "u1", 434),
    ("_gap_too", "u1", 435),
    ("paused_time", "i4", 436),  # turn time of the asker while he is answered (R29)
    ("_rest", "u8", 440),  # NumPy copies fields only: with these, every byte
]

STATE_DTYPE: Final = np.dtype(
    {
        "names": [name for name, _, _ in _FIELDS],
        "formats": [kind for _, kind, _ in _FIELDS],
        "offsets": [offset for _, _, offset in _FIELDS],
        "itemsize": 448,
    },
    align=True,
)

# What kernels take, for annotations.
Record = Any  # one record of STATE_DTYPE
Records = NDArray[Any]  # STATE_DTYPE[B]
Board = NDArray[np.int8]  # int8[2, 32], the mover in row 0
Boards = NDArray[np.int8]  # int8[B, 2, 32]
Words = NDArray[np.uint64]  # the same memory, eight places in each uint64
Scratch = tuple[NDArray[np.int64], NDArray[np.uint64]]  # int64[4, 5], uint64[5, 2, 4]
PlayArrays = tuple[Boards, Words, NDArray[np.uint64]]  # boards, words, codes[P]
