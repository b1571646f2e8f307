"""Section A: positions on which public programs went wrong, and the right plays.

Each case is an XGID (upper case on roll), and all plays that differ in their result,
as moves (source, die). The numbers are those of the list of cases.
"""

from dataclasses import dataclass

from bg_env.rules.position import Position

Moves = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Case:
    """One position, one roll, and what may be played."""

    number: int
    board: str
    dice: tuple[int, int]
    plays: tuple[Moves, ...]
    """One sequence for each distinct result; () = too many to list."""
    first: tuple[tuple[int, int], ...] | None = None
    """Moves a turn may begin with; None = not listed."""

    @property
    def position(self) -> Position:
        """The position, seen by upper case."""
        return position_of_letters(self.board)


def position_of_letters(board: str) -> Position:
    """The checkers of the first field of an XGID, upper case on roll.

    Character 1..24 is that point of upper case, 25 his bar, 0 the opponent's bar.
    """
    mover: dict[int, int] = {}
    opponent: dict[int, int] = {}
    for place, letter in enumerate(board):
        if letter.isupper():
            mover[place] = ord(letter) - ord("A") + 1
        elif letter.islower():
            opponent[25 - place] = ord(letter) - ord("a") + 1
    return Position.from_points(mover, opponent)


CASES = (
    Case(
        1,
        "----b-M-A-------b-cdd---A-",
        (6, 2),
        plays=(((8, 6), (24, 2)),),
        first=((8, 6), (24, 2)),
    ),
    Case(
        2,
        "---M--e--d--A--c--c------A",
        (4, 3),
        plays=(((25, 3), (12, 4)),),
        first=((25, 3),),
    ),
    Case(
        3,
        "--c-N-d----A-----d----d---",
        (4, 1),
        plays=(((11, 4), (4, 1)),),
        first=((4, 1), (11, 4)),
    ),
    Case(
        4,
        "-N-----------de---c-A---c-",
        (4, 3),
        plays=(((20, 4),),),
        first=((20, 4),),
    ),
    Case(
        6,
        "---EH--------c--b-c--cd-B-",
        (6, 3),
        plays=(((4, 3),),),
        first=((4, 3),),
    ),
    Case(
        8,
        "--A--A-------------bcccbb-",
        (4, 2),
        plays=(((5, 4), (2, 2)), ((5, 2), (3, 4))),
        first=((2, 2), (5, 2), (5, 4)),
    ),
    Case(
        9,
        "----AA-------------bcccbb-",
        (6, 4),
        plays=(((5, 6), (4, 4)), ((5, 4), (4, 6))),
        first=((4, 4), (5, 4), (5, 6)),
    ),
    Case(
        10,
        "----A--------------bcccbb-",
        (6, 2),
        plays=(((4, 2), (2, 6)),),
        first=((4, 2),),
    ),
    Case(
        12,
        "------E-C---bE---c-cbb-c-B",
        (6, 3),
        plays=(((25, 3),),),
        first=((25, 3),),
    ),
    Case(
        13,
        "-D-----------------bcccbb-",
        (1, 1),
        plays=(((1, 1),) * 4,),
        first=((1, 1),),
    ),
    Case(
        14,
        "-bA--bF-C-a-bB---cad--B--A",
        (5, 5),
        plays=(),
        first=((25, 5),),
    ),
    Case(
        16,
        "-bL----------C-----cccbb--",
        (6, 6),
        plays=(((13, 6),) * 3,),
        first=((13, 6),),
    ),
    Case(
        17,
        "------E-E----D-----cccbbbA",
        (1, 1),
        plays=((),),
        first=(),
    ),
)
BY_NUMBER = {case.number: case for case in CASES}
