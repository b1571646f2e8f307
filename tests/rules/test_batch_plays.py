"""Plays and masks of many positions at once: equal to one at a time, in any batch."""

import numpy as np
import pytest
import random_positions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import positions, rolls
from support import CUBELESS, as_reference, boards_of, played

from bg_env.agent import plays_of_states
from bg_env.errors import InvalidOptionError
from bg_env.rules._plays import write_all_plays, write_plays
from bg_env.rules.batch import (
    apply_decisions,
    legal_masks,
    new_states,
    seed_states,
)
from bg_env.rules.decisions import PASS, move_of
from bg_env.rules.game import GameState
from bg_env.rules.movegen import (
    MOST_PLAYS,
    PlayBuffers,
    legal_plays,
    play_of,
    plays_of_boards,
)
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.rules.state import MOVING, OVER, STATE_DTYPE

# Fifteen blots with room before each: more plays of 1-1 than any other position.
WIDE_OPEN = Position.from_points(
    dict.fromkeys([*range(2, 24, 2), 1, 24, 19, 21], 1), {}
)
WIDE_OPEN = Position(WIDE_OPEN.mover, Position.from_points({}, {25: 15}).opponent)


def batch_of(pairs):
    """Boards and rolls of (position, roll) pairs."""
    places = [position for position, _ in pairs]
    return boards_of(places), np.array([dice for _, dice in pairs], np.int8)


def plays_of_row(batch, i):
    """The (board bytes, codes) of the plays of row i."""
    boards, codes, offsets = batch
    part = slice(offsets[i], offsets[i + 1])
    return [
        (board.tobytes(), tuple(row))
        for board, row in zip(boards[part], codes[part].tolist(), strict=True)
    ]


@pytest.mark.parametrize("least_waste", [False, True])
def test_a_batch_has_the_plays_of_each_position_alone(least_waste):
    pairs = random_positions.many_with_rolls(1500, 21)
    rules = Rules(least_waste=least_waste)
    batch = plays_of_boards(*batch_of(pairs), least_waste=least_waste)
    for i, (position, dice) in enumerate(pairs):
        alone = [
            play for play in legal_plays(position, dice, rules=rules) if play.moves
        ]
        found = plays_of_row(batch, i)
        assert [play.result.to_board().tobytes() for play in alone] == [
            board for board, _ in found
        ]
        for play, (_, codes) in zip(alone, found, strict=True):
            moves = tuple(tuple(move) for move in play.moves)
            assert moves == tuple(move_of(code) for code in codes if code)


def test_the_moves_of_every_play_lead_to_its_board():
    pairs = random_positions.many_with_rolls(1000, 22)
    boards, codes, offsets = plays_of_boards(*batch_of(pairs))
    owner = np.repeat(np.arange(len(pairs)), np.diff(offsets))
    for board, row, i in zip(boards, codes.tolist(), owner, strict=True):
        moves = [move_of(code) for code in row if code]
        after = played(pairs[i][0], moves)
        assert board.tobytes() == after.to_board().tobytes()


def test_the_codes_of_a_play_come_first_and_zeros_last():
    pairs = random_positions.many_with_rolls(500, 23)
    _, codes, _ = plays_of_boards(*batch_of(pairs))
    assert ((codes[:, :-1] > 0) | (codes[:, 1:] == 0)).all()
    assert (codes[:, 0] > 0).all()


def test_the_place_in_the_batch_does_not_matter():
    pairs = random_positions.many_with_rolls(400, 24)
    forward = plays_of_boards(*batch_of(pairs))
    backward = plays_of_boards(*batch_of(pairs[::-1]))
    for i in range(len(pairs)):
        assert plays_of_row(forward, i) == plays_of_row(backward, len(pairs) - 1 - i)


def test_an_empty_batch_has_no_plays():
    boards, codes, offsets = plays_of_boards(
        np.zeros((0, 2, 32), np.int8), np.zeros((0, 2), np.int8)
    )
    assert len(boards) == len(codes) == 0
    assert offsets.tolist() == [0]


def test_positions_without_a_move_have_no_plays_between_others_that_have():
    closed = Position.from_points({25: 1}, dict.fromkeys(range(1, 7), 2))
    pairs = [(Position.start(), (3, 1)), (closed, (6, 6)), (Position.start(), (6, 5))]
    _, _, offsets = plays_of_boards(*batch_of(pairs))
    assert np.diff(offsets).tolist() == [16, 0, 7]


def test_boards_that_are_a_view_or_of_another_type_are_read_as_they_are():
    pairs = random_positions.many_with_rolls(60, 25)
    boards, dice = batch_of(pairs)
    plain = plays_of_boards(boards, dice)
    wide = np.zeros((120, 2, 32), np.int64)
    wide[::2] = boards
    for other in (wide[::2], np.asfortranarray(boards)):
        again = plays_of_boards(other, dice)
        for one, two in zip(plain, again, strict=True):
            assert np.array_equal(one, two)


def test_the_boards_asked_are_left_as_they_were():
    boards, dice = batch_of(random_positions.many_with_rolls(200, 26))
    before = boards.copy()
    plays_of_boards(boards, dice)
    assert np.array_equal(boards, before)


# --- room for the plays -------------------------------------------------------------


def test_the_most_plays_fit_in_the_buffers():
    # four moves of fifteen checkers: at most C(18, 4) = 3060 results
    number = len(legal_plays(WIDE_OPEN, (1, 1)))
    assert 1000 < number <= 3060 < MOST_PLAYS


def test_a_batch_of_wide_open_positions_gets_more_room():
    count = 30
    number = len(legal_plays(WIDE_OPEN, (1, 1)))
    assert number * count > MOST_PLAYS + 32 * count, "or the first buffers were enough"
    _, _, offsets = plays_of_boards(*batch_of([(WIDE_OPEN, (1, 1))] * count))
    assert np.diff(offsets).tolist() == [number] * count


def _write(position, dice, size, least_waste=False):
    buffers = PlayBuffers(size)
    board = position.to_board()
    left = np.array([4, 0] if dice[0] == dice[1] else [1, 1], np.int8)
    return write_plays(
        board,
        board.view(np.uint64),
        np.array(dice, np.int8),
        left,
        least_waste,
        buffers.arrays,
        buffers.scratch,
    )


def test_the_kernel_says_when_its_buffer_is_full():
    for position, dice in [
        *random_positions.many_with_rolls(200, 27),
        (Position.start(), (3, 1)),
        (Position.start(), (1, 1)),
    ]:
        number = _write(position, dice, MOST_PLAYS)
        assert _write(position, dice, number) == number
        for size in {number - 1, number // 2, 0} - {-1, number}:
            assert _write(position, dice, size) == -1


def test_the_kernel_for_many_says_when_its_buffer_is_full():
    boards, dice = batch_of([(Position.start(), (3, 1)), (Position.start(), (2, 1))])
    for size, expected in ((31, 31), (30, -1), (16, -1), (15, -1), (0, -1)):
        buffers = PlayBuffers(size)
        total = write_all_plays(
            boards,
            boards.view(np.uint64),
            dice,
            False,
            buffers.arrays,
            buffers.scratch,
            np.zeros(3, np.int64),
        )
        assert total == expected


def test_used_buffers_give_the_same_plays_as_fresh_ones():
    buffers = PlayBuffers()
    for position, dice in random_positions.many_with_rolls(300, 28):
        board = position.to_board()
        left = np.array([4, 0] if dice[0] == dice[1] else [1, 1], np.int8)
        roll = np.array(dice, np.int8)
        words = board.view(np.uint64)
        number = write_plays(
            board, words, roll, left, False, buffers.arrays, buffers.scratch
        )
        results = [play_of(buffers.boards[i], buffers.codes[i]) for i in range(number)]
        assert (results or legal_plays(position, dice)) == legal_plays(position, dice)


# --- the dice left -------------------------------------------------------------------


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(positions(), rolls, st.randoms(use_true_random=False))
def test_plays_of_the_dice_left_are_those_the_masks_lead_to(position, dice, rng):
    state = GameState.from_position(position, rules=CUBELESS, dice=dice)
    while state.phase == MOVING and state.on_roll == 0:
        boards, codes, offsets = plays_of_states(state.record)
        assert offsets.tolist() == [0, len(boards)]
        legal = state.legal_decisions()
        if legal == [PASS]:
            assert len(boards) == 0
            return
        # a first move may be shared by plays, but none begins otherwise
        assert set(codes[:, 0].tolist()) <= set(legal)
        ends = {after.tobytes() for after in boards}
        assert len(ends) == len(boards)
        state.apply(rng.choice(legal))
        if state.phase != MOVING:
            board = state.position_of(0) if state.phase != OVER else state.position
            assert board.to_board().tobytes() in ends


def test_states_that_await_something_else_have_no_plays():
    states = new_states(3, Rules())
    seed_states(states, 1)
    states[1] = GameState.from_position(Position.start(), dice=(3, 1)).record[0]
    _, _, offsets = plays_of_states(states)
    assert np.diff(offsets).tolist() == [0, 16, 0]


# --- masks and decisions of a batch ---------------------------------------------


def random_states(count, seed):
    """States in the middle of turns, by random decisions."""
    rng = np.random.default_rng(seed)
    states = new_states(count, Rules(beavers=2, resign="offer"))
    seed_states(states, seed)
    for _ in range(int(rng.integers(20, 120))):
        masks = legal_masks(states)
        codes = (rng.random(masks.shape) * masks).argmax(axis=1)
        assert apply_decisions(states, codes).all()
    return states


@pytest.mark.parametrize("seed", range(5))
def test_masks_of_a_batch_are_those_of_each_game(seed):
    states = random_states(200, seed)
    masks = legal_masks(states)
    assert masks.dtype == np.int8
    assert set(np.unique(masks).tolist()) == {0, 1}
    assert masks.any(axis=1).all(), "a mask is never all false"
    for i in range(len(states)):
        game = GameState(states[i : i + 1].copy(), Rules())
        assert game.legal_decisions() == np.flatnonzero(masks[i]).tolist()
        for code in (0, 1, 77, 150, 151, 161):
            assert game.is_legal(code) == bool(masks[i, code])


def test_decisions_of_a_batch_are_those_of_each_game():
    states = random_states(300, 7)
    masks = legal_masks(states)
    codes = masks[:, ::-1].argmax(axis=1)
    codes = 161 - codes
    after = states.copy()
    assert apply_decisions(after, codes).all()
    for i in range(len(states)):
        game = GameState(states[i : i + 1].copy(), Rules())
        game.apply(int(codes[i]))
        assert game.record.tobytes() == after[i : i + 1].tobytes()


@pytest.mark.parametrize("code", [-1, -(2**62), 162, 1000, 2**62])
def test_codes_outside_the_table_change_nothing(code):
    states = random_states(50, 8)
    after = states.copy()
    assert not apply_decisions(after, np.full(50, code)).any()
    assert after.tobytes() == states.tobytes()


def test_an_illegal_decision_leaves_its_game_and_only_its_game_as_it_was():
    states = random_states(100, 9)
    masks = legal_masks(states)
    codes = masks.argmax(axis=1)
    illegal = np.arange(100) % 3 == 0
    codes[illegal] = (1 - masks[illegal]).argmax(axis=1)
    after = states.copy()
    applied = apply_decisions(after, codes)
    assert applied.tolist() == (~illegal).astype(int).tolist()
    assert after[illegal].tobytes() == states[illegal].tobytes()


def test_states_of_another_layout_are_refused():
    # np.concatenate gives the overlapping fields of records a place of their own
    states = random_states(4, 10)
    joined = np.concatenate([states, states])
    assert joined.dtype != STATE_DTYPE
    for ask in (
        lambda: legal_masks(joined),
        lambda: apply_decisions(joined, np.zeros(8, np.int64)),
        lambda: plays_of_states(joined),
    ):
        with pytest.raises(InvalidOptionError, match="STATE_DTYPE"):
            ask()


def test_a_position_asked_in_two_ways_has_one_answer():
    for position, dice in random_positions.many_with_rolls(200, 29):
        one = {as_reference(play.result) for play in legal_plays(position, dice)}
        state = GameState.from_position(position, rules=CUBELESS, dice=dice)
        boards, _, _ = plays_of_states(state.record)
        two = {as_reference(Position.from_board(board)) for board in boards}
        assert (two or {as_reference(position)}) == one
