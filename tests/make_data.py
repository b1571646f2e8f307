"""Write the data files of the rule tests anew: ``python tests/make_data.py``.

``move_kinds.jsonl`` holds positions in which one hard rule binds, a dozen or more of
each kind, with what `reference` says of them. The ``*_sample.jsonl`` files are rows
of the oracle corpora, so that a checkout without these tests the rules too.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import random_positions
import reference
import support

from bg_env.rules.position import Position

PER_KIND = 12
MOST_RESULTS = 12  # keeps the rows short
SEED = 20

Row = dict[str, Any]


class Case:
    """A position and a roll with all that the reference says of them."""

    def __init__(self, position: Position, dice: tuple[int, int]) -> None:
        """Ask the reference once."""
        self.position = position
        self.dice = dice
        self.pair = support.as_reference(position)
        self.sequences = reference.legal_sequences(self.pair, dice)
        self.first = reference.first_moves(self.pair, dice)
        self.results = reference.legal_results(self.pair, dice)
        self.alone = {
            (source, die)
            for die in set(dice)
            for source in reference.single_moves(self.pair, die)
        }

    @property
    def used(self) -> int:
        """How many dice a legal turn plays."""
        return len(self.sequences[0])

    @property
    def is_double(self) -> bool:
        """Both dice show the same."""
        return self.dice[0] == self.dice[1]

    @property
    def playable(self) -> set[int]:
        """The dice that some checker can play at once, R11 not asked."""
        return {die for _, die in self.alone}

    @property
    def at_bar(self) -> int:
        """Checkers of the mover on the bar."""
        return self.position.mover[25]

    @property
    def has_both_used(self) -> bool:
        """Two different dice, both played."""
        return not self.is_double and self.used == 2

    @property
    def is_home(self) -> bool:
        """All of the mover's checkers are in his home board."""
        return reference.is_all_home(self.position.mover)


def move_kills_the_other_die(case: Case) -> bool:
    """A checker could move, but then the other die could not be played (R11)."""
    spoiled = case.alone - case.first
    return case.has_both_used and not case.at_bar and bool(spoiled)


def entering_kills_the_other_die(case: Case) -> bool:
    """One of the two dice may not be used to enter (R11, R12)."""
    spoiled = case.alone - case.first
    return case.has_both_used and case.at_bar == 1 and bool(spoiled)


def either_die_never_both(case: Case) -> bool:
    """Each die can be played, not both: the larger is compulsory (R11)."""
    single = not case.is_double and case.used == 1
    return single and len(case.playable) == 2


def only_the_smaller(case: Case) -> bool:
    """Only the smaller die has a move, the larger is lost (R11)."""
    return not case.is_double and case.playable == {min(case.dice)} and case.used == 1


def only_the_larger(case: Case) -> bool:
    """Only the larger die has a move, the smaller is lost (R11)."""
    return not case.is_double and case.playable == {max(case.dice)} and case.used == 1


def one_order_only(case: Case) -> bool:
    """One die has no move at first, but has one after the other (R11)."""
    return case.has_both_used and len(case.playable) == 1


def die_lifts_a_lower_checker(case: Case) -> bool:
    """A die larger than the highest point bears off from there (R15)."""
    lifted = any(source < die for source, die in case.first)
    return case.has_both_used and case.is_home and lifted


def higher_checker_forbids_bearing_off(case: Case) -> bool:
    """All home, a die finds its point empty and a blocked checker above (R15)."""
    mover = case.position.mover
    return case.is_home and any(
        mover[die] == 0
        and any(mover[die + 1 : 7])
        and any(mover[1:die])
        and not any(played == die for _, played in case.alone)
        for die in case.dice
    )


def both_dice_bear_off_one_checker(case: Case) -> bool:
    """Two different dice can bear off the same checker."""
    a, b = case.dice
    return not case.is_double and any(
        (point, a) in case.first and (point, b) in case.first
        for point in range(1, min(a, b) + 1)
    )


def last_checker_uses_both_dice(case: Case) -> bool:
    """The last checker may not be borne off at once: both dice must be played (R11)."""
    at_once = {(source, die) for source, die in case.alone if source <= die}
    last = sum(case.position.mover[1:]) == 1
    return last and bool(at_once - case.first)


def some_enter_some_stay(case: Case) -> bool:
    """Of several checkers on the bar some enter, the rest of the roll is lost (R12)."""
    return 0 < case.used < case.at_bar


def enters_then_plays_on(case: Case) -> bool:
    """All enter, and with dice left any checker moves (R12)."""
    return case.at_bar > 0 and case.used > case.at_bar and not case.is_double


def double_ends_the_game(case: Case) -> bool:
    """A double bears off all that is left, in fewer than four moves or in four."""
    wins = any(not any(mover[1:]) for mover, _ in case.results)
    return case.is_double and wins


def double_from_the_bar_hits(case: Case) -> bool:
    """A double enters and hits on the way (R8, R10)."""
    hits = any(after[25] > case.position.opponent[25] for _, after in case.results)
    return case.is_double and case.at_bar > 0 and case.used == 4 and hits


def double_played_once(case: Case) -> bool:
    """Of four moves only one is possible (R8, R11)."""
    return case.is_double and case.used == 1


def double_played_twice(case: Case) -> bool:
    """Of four moves only two are possible."""
    return case.is_double and case.used == 2


def double_played_three_times(case: Case) -> bool:
    """Of four moves only three are possible."""
    return case.is_double and case.used == 3


def nothing_is_playable(case: Case) -> bool:
    """Checkers on the bar or not, no die can be played (R13)."""
    return case.used == 0


def least_waste_binds(case: Case) -> bool:
    """R16 forbids a play that R11 allows."""
    thrifty = reference.legal_results(case.pair, case.dice, least_waste=True)
    return len(thrifty) < len(case.results)


def least_waste_yields_to_both_dice(case: Case) -> bool:
    """One die alone would waste less than any play of both, but both must be (R16)."""
    least = min(reference.waste(sequence) for sequence in case.sequences)
    spoiled = case.alone - case.first
    return case.has_both_used and any(
        reference.waste((move,)) < least for move in spoiled
    )


def least_waste_keeps_the_larger_die(case: Case) -> bool:
    """The larger die is compulsory though the smaller would waste less (R16)."""
    if not either_die_never_both(case):
        return False
    smaller = [(move,) for move in case.alone if move[1] == min(case.dice)]
    least = min(reference.waste(sequence) for sequence in case.sequences)
    return min(map(reference.waste, smaller)) < least


KINDS: tuple[Callable[[Case], bool], ...] = (
    move_kills_the_other_die,
    entering_kills_the_other_die,
    either_die_never_both,
    only_the_smaller,
    only_the_larger,
    one_order_only,
    die_lifts_a_lower_checker,
    higher_checker_forbids_bearing_off,
    both_dice_bear_off_one_checker,
    last_checker_uses_both_dice,
    some_enter_some_stay,
    enters_then_plays_on,
    double_ends_the_game,
    double_from_the_bar_hits,
    double_played_once,
    double_played_twice,
    double_played_three_times,
    nothing_is_playable,
    least_waste_binds,
    least_waste_yields_to_both_dice,
    least_waste_keeps_the_larger_die,
)


def row_of(kind: str, case: Case) -> Row:
    """What is written of a case."""
    thrifty = reference.legal_results(case.pair, case.dice, least_waste=True)
    checkers = case.position.checkers[0]
    return {
        "kind": kind,
        "id": case.position.id,
        "checkers": checkers,
        "dice": list(case.dice),
        "used": case.used,
        "first": sorted(list(move) for move in case.first),
        "after": sorted(reference.position_id(result) for result in case.results),
        "after_least_waste": sorted(reference.position_id(after) for after in thrifty),
    }


def candidates() -> Iterator[tuple[Position, tuple[int, int]]]:
    """Positions of all kinds, then many more of the last few moves of a game."""
    yield from random_positions.many_with_rolls(30_000, SEED)
    yield from random_positions.many_with_rolls(
        200_000, SEED, random_positions.ENDINGS, random_positions.NON_DOUBLES
    )


def move_kinds() -> list[Row]:
    """`PER_KIND` rows of each kind."""
    found: dict[str, list[Row]] = {kind.__name__: [] for kind in KINDS}
    open_kinds = list(KINDS)
    for position, dice in candidates():
        case = Case(position, dice)
        if len(case.results) > MOST_RESULTS:
            continue
        for kind in [kind for kind in open_kinds if kind(case)]:
            rows = found[kind.__name__]
            rows.append(row_of(kind.__name__, case))
            if len(rows) == PER_KIND:
                open_kinds.remove(kind)
        if not open_kinds:
            break
    for kind in open_kinds:
        print(f"only {len(found[kind.__name__])} rows of kind {kind.__name__!r}")
    return [row for rows in found.values() for row in rows]


def legal_sample() -> list[Row]:
    """Every tag at least a dozen times, every source at least fifteen times."""
    wanted: dict[str, int] = {}
    chosen = []
    for row in _oracle("legal"):
        names = [*row["tags"], row["src"]]
        if any(wanted.get(name, 0) < 15 for name in names):
            chosen.append(row)
            for name in names:
                wanted[name] = wanted.get(name, 0) + 1
    keys = ("id", "x", "o", "dice", "src", "tags", "n_dice", "n_after", "sha", "first")
    return [{key: row[key] for key in keys} for row in chosen]


def hard_sample() -> list[Row]:
    """Twenty rows of each tag."""
    taken: dict[str, int] = {}
    chosen = []
    for row in _oracle("hard"):
        taken[row["tag"]] = taken.get(row["tag"], 0) + 1
        if taken[row["tag"]] <= 20:
            chosen.append(row)
    keys = ("id", "x", "o", "dice", "tag", "n_dice", "n_after", "sha", "first")
    return [{key: row[key] for key in keys} for row in chosen]


def play_sample() -> list[Row]:
    """Forty rows of strong and twenty of random play, with not many plays each.

    Of what each row says of a play the place and the deepest value are kept.
    """
    wanted = {"strong": 40, "random": 20}
    chosen = []
    for row in _oracle("play"):
        if len(row["plays"]) <= MOST_RESULTS and wanted[row["src"]]:
            wanted[row["src"]] -= 1
            plays = [play[:2] for play in row["plays"]]
            chosen.append({"id": row["id"], "dice": row["dice"], "plays": plays})
    return chosen


def _oracle(name: str) -> list[Row]:
    path = support.ORACLE / f"{name}_public.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _write(name: str, rows: Iterable[Row]) -> None:
    path = support.DATA / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, separators=(",", ":")) + "\n")


def main() -> None:
    """Write all files whose sources are at hand."""
    _write("move_kinds", move_kinds())
    if support.ORACLE.exists():
        _write("legal_sample", legal_sample())
        _write("hard_sample", hard_sample())
        _write("play_sample", play_sample())


if __name__ == "__main__":
    main()
