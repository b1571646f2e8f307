"""Every position of the oracle corpora: results and first moves, 0 differences.

Each is asked three times: the plays of the fast generator, the objects people use,
and the game itself, with player 1 on roll and every decision followed to the end of
the turn.
"""

import pytest
import reference
from support import (
    as_reference,
    boards_of,
    data_rows,
    dice_of_row,
    grouped,
    ids_of_boards,
    oracle_rows,
    position_of_row,
    rolls_of,
    sha_of,
    states_of_rows,
    turn_ends,
)

from bg_env import _jit
from bg_env.rules.batch import legal_masks
from bg_env.rules.decisions import PASS, move_code
from bg_env.rules.movegen import Move, legal_moves, legal_plays, plays_of_boards

SAMPLES = ("legal_sample", "hard_sample")
CHUNK = 2000


def differences(rows, results):
    """The rows whose results are not those of the corpus."""
    wrong = []
    for row, ids in zip(rows, results, strict=True):
        good = len(ids) == len(set(ids)) == row["n_after"] and sha_of(ids) == row["sha"]
        if not good or ("after" in row and sorted(ids) != row["after"]):
            wrong.append((row["id"], row["dice"]))
    return wrong


def check_batches(rows):
    """All rows at once through the batch of the play generator."""
    boards = boards_of([position_of_row(row) for row in rows])
    results, codes, offsets = plays_of_boards(boards, rolls_of(rows))
    ids = ids_of_boards(results)
    bounds = offsets.tolist()
    by_row = [ids[bounds[i] : bounds[i + 1]] for i in range(len(rows))]
    assert differences(rows, by_row) == []
    used = (codes > 0).sum(axis=1)
    for i, row in enumerate(rows):
        assert set(used[bounds[i] : bounds[i + 1]].tolist()) <= {row["n_dice"]}, row


def check_objects(rows):
    """Row by row through `legal_plays` and `legal_moves`."""
    for row in rows:
        position, dice = position_of_row(row), dice_of_row(row)
        plays = legal_plays(position, dice)
        assert {len(play.moves) for play in plays} == {row["n_dice"]}, row["id"]
        ids = [play.result.id for play in plays if play.moves]
        assert differences([row], [ids]) == []
        first = [Move(*move) for move in row["first"]]
        assert legal_moves(position, dice) == first, row["id"]


def check_states(rows, on_roll):
    """Masks of the start of the turn, and all ends of it, through the game itself.

    Without the compiler a twentieth of the rows must do.
    """
    rows = rows[::20] if _jit.DISABLED else rows
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        states = states_of_rows(part, on_roll=on_roll)
        check_masks(part, legal_masks(states))
        numbers, boards = turn_ends(states)
        results = grouped(numbers, ids_of_boards(boards), len(part))
        for row, ids in zip(part, results, strict=True):
            if row["n_after"] == 0:
                assert ids == [row["id"]], "a turn without a move changes nothing"
                ids.clear()
        assert differences(part, results) == []


def check_masks(rows, masks):
    """Exactly the first moves, or the pass alone."""
    for row, mask in zip(rows, masks, strict=True):
        codes = [move_code(*move) for move in row["first"]] or [PASS]
        assert mask.nonzero()[0].tolist() == sorted(codes), row["id"]


# --- samples, always ------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_has_its_plays_in_the_generator(name):
    check_batches(data_rows(name))
    check_objects(data_rows(name))


@pytest.mark.parametrize("on_roll", [0, 1])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_has_its_plays_in_the_game(name, on_roll):
    check_states(data_rows(name), on_roll)


def test_the_reference_agrees_with_the_samples():
    for row in data_rows("legal_sample") + data_rows("hard_sample"):
        pair = as_reference(position_of_row(row))
        found = reference.legal_results(pair, row["dice"])
        ids = [reference.position_id(result) for result in found]
        assert differences([row], [ids if row["n_dice"] else []]) == []
        first = sorted(list(move) for move in reference.first_moves(pair, row["dice"]))
        assert first == row["first"], row["id"]


def test_the_legal_sample_holds_every_kind_of_position():
    tags = {tag for row in data_rows("legal_sample") for tag in row["tags"]}
    assert tags >= {
        "no_move",
        "bar",
        "bar2+",
        "opp_bar",
        "bearoff",
        "contact_bearoff",
        "race",
        "double",
        "partial1",
        "partial2",
        "partial3",
        "forced_larger",
        "only_larger",
        "only_smaller",
        "kill",
        "order",
        "wins",
        "forced",
        "many",
    }


# --- the corpora, where they are at hand ----------------------------------------------


@pytest.mark.parametrize("name", ["legal", "hard"])
def test_every_position_has_its_plays_in_the_batched_generator(name):
    check_batches(oracle_rows(name))


def test_every_hard_position_has_its_plays_and_first_moves_as_objects():
    check_objects(oracle_rows("hard"))


def test_every_legal_position_has_its_plays_and_first_moves_as_objects():
    check_objects(oracle_rows("legal"))


@pytest.mark.parametrize("name", ["legal", "hard"])
def test_every_position_has_its_mask_and_turn_ends_in_the_game_of_player_1(name):
    check_states(oracle_rows(name), on_roll=1)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["legal", "hard"])
def test_every_position_has_its_mask_and_turn_ends_in_the_game_of_player_0(name):
    check_states(oracle_rows(name), on_roll=0)


def test_the_last_checker_uses_both_dice_where_another_program_needs_one():
    # R11; the 94 known positions, all of this kind
    for row in oracle_rows("disagreements"):
        position = position_of_row(row)
        plays = legal_plays(position, dice_of_row(row))
        assert {len(play.moves) for play in plays} == {row["n_dice"]} == {2}, row
        assert not {play.result.id for play in plays} & set(row["extra_in_bgsage"])
        assert sum(position.mover[1:]) == 1
