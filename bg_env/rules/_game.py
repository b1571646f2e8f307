"""The two kernels that know the game: which decisions are legal, and apply one.

Both take one record of `STATE_DTYPE`. `apply_decision` changes it in place and does
not check legality: whoever calls it has asked `legal_decisions` before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bg_env._jit import kernel, lowest_bit, record_kernel
from bg_env.rules._bits import blocked_points, occupied_points, sources_of
from bg_env.rules._moves import first_sources, move_checker
from bg_env.rules._random import scrambled, two_dice
from bg_env.rules.decisions import (
    ACCEPT,
    BEAVER,
    CLAIM,
    DOUBLE,
    DROP,
    LAST_MOVE,
    PASS,
    REFUSE,
    RESIGN_BACKGAMMON,
    RESIGN_SINGLE,
    ROLL,
    TAKE,
)
from bg_env.rules.state import (
    BEFORE_ROLL,
    BORNE_OFF,
    CLAIM_MATCH,
    CLAIM_SINGLE,
    CLAIMED,
    CLOCK,
    CLOCK_PER_MATCH,
    CRAWFORD_GAME,
    CRAWFORD_NOT_YET,
    CRAWFORD_OVER,
    CRAWFORD_RULE,
    CUBE_IN_USE,
    DOUBLED,
    DROPPED,
    FLAG_LOSES,
    JACOBY,
    LEAST_WASTE,
    MOVING,
    NO_BACKGAMMON,
    NOBODY,
    NOT_ENDED,
    OPENING,
    OPENING_REROLL,
    OVER,
    RESIGN_IMMEDIATE,
    RESIGN_OFFER,
    RESIGNED,
    SCORE_LIMIT,
    Board,
    Record,
    Records,
)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# Bits of the third value of `legal_decisions`: bit 0 = pass, bit k = code 150 + k.
PASS_BIT = 1
ROLL_BIT = 1 << (ROLL - 150)
DOUBLE_BIT = 1 << (DOUBLE - 150)
TAKE_BIT = 1 << (TAKE - 150)
DROP_BIT = 1 << (DROP - 150)
BEAVER_BIT = 1 << (BEAVER - 150)
ACCEPT_BIT = 1 << (ACCEPT - 150)
REFUSE_BIT = 1 << (REFUSE - 150)
CLAIM_BIT = 1 << (CLAIM - 150)


@record_kernel
def has_option(state: Record, bit: int) -> bool:
    """True when an option bit of `state.options` is set."""
    return bool(np.int64(state.options) & bit != 0)


# --- what is legal ---------------------------------------------------------------


@record_kernel
def may_turn_cube(state: Record, player: int) -> bool:
    """True when the cube may be turned by a player on his turns (R18, R20, R26).

    A dead cube may be turned too.
    """
    owner = int(state.cube_owner)
    return bool(
        has_option(state, CUBE_IN_USE)
        and state.match_length != 1
        and state.crawford != CRAWFORD_GAME
        and owner != 1 - player
        and state.cube * 2 <= state.max_cube
    )


@record_kernel
def may_double(state: Record) -> bool:
    """True when the player on roll may double before he rolls (R19).

    Not before or during the first turn of a game.
    """
    return may_turn_cube(state, int(state.on_roll)) and bool(state.turn > 1)


@record_kernel
def may_beaver(state: Record) -> bool:
    """True when whoever was just doubled may turn the cube at once (R24)."""
    return bool(
        state.match_length == 0
        and state.beavers_made < state.beavers
        and state.cube * 4 <= state.max_cube
    )


@record_kernel
def is_flagged(state: Record, player: int) -> bool:
    """True when a player has used up his reserve (R29)."""
    return has_option(state, CLOCK) and state.reserve[player] <= 0


@record_kernel
def has_moved(state: Record) -> bool:
    """True when part of the roll has been played."""
    if state.roll[0] == state.roll[1]:
        return bool(state.left[0] < 4)
    return bool(state.left[0] + state.left[1] < 2)


@record_kernel
def resignations(state: Record) -> int:
    """Bits of the resignations the player on roll may offer or make (R28)."""
    if has_option(state, RESIGN_IMMEDIATE):
        return 1 << (RESIGN_SINGLE - 150)
    if not has_option(state, RESIGN_OFFER):
        return 0
    highest = 2 if has_option(state, NO_BACKGAMMON) else 3
    bits = 0
    for level in range(int(state.refused) + 1, highest + 1):
        bits |= 1 << (RESIGN_SINGLE - 151 + level)
    return bits


@record_kernel
def playable_sources(state: Record) -> tuple[int, int]:
    """Places from which each die left may be played now: (for roll[0], for roll[1])."""
    a, b = int(state.roll[0]), int(state.roll[1])
    if state.left[0] and state.left[1]:
        least_waste = has_option(state, LEAST_WASTE)
        for_a, for_b, _ = first_sources(state.board, state.words, a, b, least_waste)
        return for_a, for_b
    occupied = occupied_points(state.words, 0)
    blocked = blocked_points(state.words, 1)
    if state.left[0]:
        return sources_of(occupied, blocked, a), 0
    if state.left[1]:
        return 0, sources_of(occupied, blocked, b)
    return 0, 0


@record_kernel
def legal_decisions(state: Record) -> tuple[int, int, int]:
    """Everything the player to act may do now.

    Returns:
        (places from which roll[0] may be moved, the same for roll[1], bits of the
        other decisions: bit 0 = pass, bit k = code 150 + k). Never all 0.
    """
    phase = int(state.phase)
    if phase == OVER:
        return 0, 0, PASS_BIT
    if phase == OPENING:
        return 0, 0, ROLL_BIT
    others = CLAIM_BIT if is_flagged(state, 1 - int(state.to_act)) else 0
    if state.offer > 0:
        return 0, 0, others | ACCEPT_BIT | REFUSE_BIT
    if phase == DOUBLED:
        others |= TAKE_BIT | DROP_BIT
        return 0, 0, others | BEAVER_BIT if may_beaver(state) else others
    if phase == BEFORE_ROLL:
        others |= ROLL_BIT | resignations(state)
        return 0, 0, others | DOUBLE_BIT if may_double(state) else others
    for_a, for_b = playable_sources(state)
    if for_a | for_b == 0:
        others |= PASS_BIT
    if not has_moved(state):
        others |= resignations(state)
    return for_a, for_b, others


@record_kernel
def is_legal_code(state: Record, code: int) -> int:
    """True when a decision code is legal now. Any integer may be asked."""
    for_a, for_b, others = legal_decisions(state)
    return is_among(state, for_a, for_b, others, code)


@record_kernel
def is_among(state: Record, for_a: int, for_b: int, others: int, code: int) -> bool:
    """True when `code` is among the decisions that `legal_decisions` returned."""
    if code == PASS:
        return others & PASS_BIT != 0
    if code < 0 or code > CLAIM:
        return False
    if code > LAST_MOVE:
        return others >> (code - LAST_MOVE) & 1 == 1
    source = (code - 1) // 6 + 1
    die = (code - 1) % 6 + 1
    if die == int(state.roll[0]) and for_a >> source & 1:
        return True
    return die == int(state.roll[1]) and for_b >> source & 1 == 1


# --- the end of a game ----------------------------------------------------------


@record_kernel
def outcome_of_board(state: Record) -> int:
    """1, 2 or 3 for the player in row 0 who has borne off all checkers (R17)."""
    board = state.board
    if board[1, 0] > 0:
        return 1
    for point in range(19, 26):  # the winner's home board and the bar
        if board[1, point] > 0:
            return 3
    return 2


@record_kernel
def is_jacoby_on(state: Record) -> bool:
    """True while gammons count single: no double was taken in a money game (R22)."""
    return bool(
        has_option(state, JACOBY) and state.match_length == 0 and state.cube_turned == 0
    )


@record_kernel
def end_game(
    state: Record, winner: int, level: int, ending: int, by_jacoby: bool
) -> None:
    """Record the result and the score (R17, R21, R22). In place.

    Args:
        state: The game.
        winner: The player who has won.
        level: 1 single, 2 gammon, 3 backgammon.
        ending: How (BORNE_OFF, DROPPED, RESIGNED, CLAIMED).
        by_jacoby: Whether the Jacoby rule touches this way of ending.
    """
    if level == 3 and has_option(state, NO_BACKGAMMON):
        level = 2
    factor = int(state.backgammon_points) if level == 3 else level
    if by_jacoby and is_jacoby_on(state):
        factor = 1
    state.winner = winner
    state.level = level
    state.ending = ending
    state.points = state.cube * factor
    state.score[winner] = min(int(state.score[winner]) + state.points, SCORE_LIMIT)
    state.phase = OVER
    state.offer = 0


@record_kernel
def award_claim(state: Record, winner: int) -> None:
    """End the game for the player whose opponent ran out of time (R29). In place."""
    level = 1 if has_option(state, CLAIM_SINGLE | CLAIM_MATCH) else 2
    end_game(state, winner, level, CLAIMED, True)
    missing = int(state.match_length) - int(state.score[winner])
    if has_option(state, CLAIM_MATCH) and missing > 0:  # the whole match is won
        state.points += missing
        state.score[winner] += missing


@record_kernel
def charge_clock(state: Record, player: int, milliseconds: int) -> None:
    """Take time from a player: turn time first, then the reserve (R29). In place.

    No clock runs before the opening roll, where nobody's decision is awaited.
    """
    if not has_option(state, CLOCK) or state.phase in (OPENING, OVER):
        return
    turn = int(state.turn_time[player]) - milliseconds
    state.turn_time[player] = max(turn, 0)
    if turn < 0:
        state.reserve[player] = max(int(state.reserve[player]) + turn, 0)
    if state.reserve[player] == 0 and has_option(state, FLAG_LOSES):
        award_claim(state, 1 - player)


# --- turns and dice ----------------------------------------------------------------


@record_kernel
def begin_turn(state: Record) -> None:
    """Let the player on roll decide before his roll. In place."""
    player = int(state.on_roll)
    state.turn += 1
    state.to_act = player
    state.phase = BEFORE_ROLL
    state.refused = 0
    state.left[0] = 0
    state.left[1] = 0
    state.turn_time[player] = state.turn_limit


@record_kernel
def swap_sides(state: Record) -> None:
    """Let the other player be on roll: swap the rows of the board. In place."""
    words = state.words
    for i in range(4):
        word = words[0, i]
        words[0, i] = words[1, i]
        words[1, i] = word
    state.on_roll = 1 - state.on_roll


@record_kernel
def pass_turn(state: Record) -> None:
    """End the turn; the other player is on roll (R6, R13). In place."""
    swap_sides(state)
    begin_turn(state)


@record_kernel
def set_roll(state: Record, first: int, second: int) -> None:
    """Lay down the dice of a turn. In place."""
    state.roll[0] = first
    state.roll[1] = second
    state.left[0] = 4 if first == second else 1
    state.left[1] = 0 if first == second else 1
    state.phase = MOVING
    state.refused = 0


@record_kernel
def double_automatically(state: Record) -> None:
    """An opening tie doubles the cube, which stays in the middle (R23). In place."""
    if state.automatic_made < state.automatic_doubles:
        state.automatic_made += 1
        if state.cube * 2 <= state.max_cube:
            state.cube *= 2


@record_kernel
def open_game(state: Record, die_0: int, die_1: int) -> None:
    """One throw of the opening: one die of each player (R5). In place.

    A tie leaves the phase as it is: both roll again.
    """
    if die_0 == die_1:
        double_automatically(state)
        return
    if die_1 > die_0:
        swap_sides(state)
    begin_turn(state)
    if not has_option(state, OPENING_REROLL):
        set_roll(state, die_0, die_1)


@record_kernel
def next_dice(state: Record) -> tuple[int, int]:
    """The next two dice: from the queue if one waits, else from the dice stream."""
    if state.queue_next < state.queue_length:
        throw = int(state.queue[state.queue_next])
        state.queue_next += 1
        return throw >> 3, throw & 7
    state.dice_stream += _GOLDEN
    return two_dice(scrambled(state.dice_stream))


@record_kernel
def throw_dice(state: Record, first: int, second: int) -> None:
    """Use these dice as the roll that is awaited. In place."""
    if state.phase == OPENING:
        open_game(state, first, second)
    else:
        set_roll(state, first, second)


@record_kernel
def roll(state: Record) -> None:
    """Roll: at the opening until the dice differ, else once. In place."""
    while state.phase == OPENING:
        first, second = next_dice(state)
        open_game(state, first, second)
        if state.phase != OPENING:
            return
    first, second = next_dice(state)
    set_roll(state, first, second)


# --- applying a decision ------------------------------------------------------------


@record_kernel
def play_checker(state: Record, code: int) -> None:
    """Move a checker; end the game or the turn if that was the last move. In place."""
    source = (code - 1) // 6 + 1
    die = (code - 1) % 6 + 1
    move_checker(state.board, source, die)
    which = 0 if die == int(state.roll[0]) else 1
    state.left[which] -= 1
    state.refused = 0
    player = int(state.on_roll)
    if state.board[0, 0] == state.checkers[player]:
        end_game(state, player, outcome_of_board(state), BORNE_OFF, True)
        return
    for_a, for_b = playable_sources(state)
    if for_a | for_b == 0:
        pass_turn(state)


@record_kernel
def ask_other(state: Record) -> None:
    """Hand the decision to the other player, who has a turn's time. In place.

    A raccoon answers a beaver in a turn of its own: the time that is paused stays
    that of the double.
    """
    if state.to_act == state.on_roll and state.beavers_made == 0:
        state.paused_time = state.turn_time[int(state.on_roll)]
    state.to_act = 1 - state.to_act
    state.turn_time[int(state.to_act)] = state.turn_limit


@record_kernel
def return_to_asker(state: Record) -> None:
    """Give the decision back to the player on roll, his time as it stood. In place."""
    state.to_act = state.on_roll
    state.turn_time[int(state.on_roll)] = state.paused_time


@record_kernel
def turn_cube(state: Record, code: int) -> None:
    """Double, take, drop or beaver (R19, R20, R24). In place.

    While an offer stands, `cube` is what a drop costs: the value before the last
    turn of the cube. Who beavers has taken the double (R22), as in GNU Backgammon.
    """
    state.refused = 0
    if code == DROP:
        end_game(state, 1 - int(state.to_act), 1, DROPPED, False)
        return
    if code == DOUBLE:
        state.phase = DOUBLED
        state.beavers_made = 0
        ask_other(state)
        return
    state.cube *= 2
    state.cube_turned = 1
    if code == BEAVER:
        state.beavers_made += 1
        ask_other(state)
        return
    state.cube_owner = 1 - state.on_roll
    state.phase = BEFORE_ROLL
    state.beavers_made = 0
    return_to_asker(state)


@record_kernel
def resign(state: Record, code: int) -> None:
    """Offer to resign, or end the game at once under that option (R28). In place."""
    player = int(state.to_act)
    if has_option(state, RESIGN_IMMEDIATE):
        level = 2 if state.board[0, 0] == 0 else 1
        end_game(state, 1 - player, level, RESIGNED, True)
        return
    state.offer = code - RESIGN_SINGLE + 1
    ask_other(state)


@record_kernel
def answer_resignation(state: Record, code: int) -> None:
    """Accept or refuse the pending resignation (R28). In place."""
    if code == ACCEPT:
        end_game(state, int(state.to_act), int(state.offer), RESIGNED, False)
        return
    state.refused = state.offer
    state.offer = 0
    return_to_asker(state)


@record_kernel
def apply_decision(state: Record, code: int) -> None:
    """Carry out a legal decision. In place; not checked.

    On a finished game the only decision, 0, changes nothing.
    """
    if code == PASS:
        if state.phase != OVER:
            pass_turn(state)
    elif code <= LAST_MOVE:
        play_checker(state, code)
    elif code == ROLL:
        roll(state)
    elif code <= BEAVER:
        turn_cube(state, code)
    elif code <= RESIGN_BACKGAMMON:
        resign(state, code)
    elif code == CLAIM:
        award_claim(state, int(state.to_act))
    else:
        answer_resignation(state, code)


# --- games one after the other --------------------------------------------------------


@record_kernel
def is_match_over(state: Record) -> bool:
    """True when the game is over and no further game belongs to it (R25)."""
    if state.phase != OVER:
        return False
    length = int(state.match_length)
    return length == 0 or max(int(state.score[0]), int(state.score[1])) >= length


@record_kernel
def advance_crawford(state: Record) -> None:
    """Settle whether the coming game is the Crawford game (R26). In place."""
    if state.crawford == CRAWFORD_GAME:
        state.crawford = CRAWFORD_OVER
    elif state.crawford == CRAWFORD_NOT_YET and has_option(state, CRAWFORD_RULE):
        leader = max(int(state.score[0]), int(state.score[1]))
        if state.match_length > 1 and leader == int(state.match_length) - 1:
            state.crawford = CRAWFORD_GAME


@record_kernel
def start_game(state: Record, start: Board) -> None:
    """Set up the next game of a match or session. In place; the streams go on.

    Args:
        state: A new record, or one whose game is over.
        start: int8[2, 32], row 0 for player 0.
    """
    board = state.board
    for row in range(2):
        for place in range(32):
            board[row, place] = start[row, place]
    advance_crawford(state)
    state.game += 1
    state.turn = 0
    state.cube = 1
    state.cube_owner = NOBODY
    state.cube_turned = 0
    state.automatic_made = 0
    state.beavers_made = 0
    state.offer = 0
    state.refused = 0
    state.points = 0
    state.winner = NOBODY
    state.level = 0
    state.ending = NOT_ENDED
    state.on_roll = 0
    state.to_act = 0
    state.phase = OPENING
    for i in range(2):
        state.roll[i] = 0
        state.left[i] = 0
        state.turn_time[i] = state.turn_limit
        if state.game == 1 or not has_option(state, CLOCK_PER_MATCH):
            state.reserve[i] = state.reserve_limit


# --- the legal decisions as a mask -----------------------------------------------


@record_kernel
def write_mask(
    state: Record, for_a: int, for_b: int, others: int, mask: NDArray[np.int8]
) -> None:
    """Write what `legal_decisions` returned as int8[162], which must be zero.

    From bit to bit, not point by point: a branch for every point would be guessed
    wrong at each of the few that count, which takes three times as long.
    """
    a, b = int(state.roll[0]), int(state.roll[1])
    while for_a:
        mask[(lowest_bit(for_a) - 1) * 6 + a] = 1
        for_a &= for_a - 1
    while for_b:
        mask[(lowest_bit(for_b) - 1) * 6 + b] = 1
        for_b &= for_b - 1
    while others:
        bit = lowest_bit(others)
        mask[LAST_MOVE + bit if bit else PASS] = 1
        others &= others - 1


@kernel
def write_masks(states: Records, masks: NDArray[np.int8]) -> None:
    """Write the legal decisions of every game to ``masks`` int8[B, 162]. In place."""
    for i in range(states.shape[0]):
        state = states[i]
        for code in range(masks.shape[1]):
            masks[i, code] = 0
        for_a, for_b, others = legal_decisions(state)
        write_mask(state, for_a, for_b, others, masks[i])


# --- one call for many games ----------------------------------------------------------


@kernel
def apply_all(
    states: Records, codes: NDArray[np.int64], legal: NDArray[np.int8]
) -> None:
    """Apply a decision to each game. In place.

    Args:
        states: STATE_DTYPE[B].
        codes: int64[B].
        legal: int8[B], written: 1 where the decision was legal and is applied, 0
            where the game is untouched.
    """
    for i in range(states.shape[0]):
        state = states[i]
        code = int(codes[i])
        legal[i] = 1 if is_legal_code(state, code) else 0
        if legal[i]:
            apply_decision(state, code)


@kernel
def start_all(states: Records, start: Board) -> None:
    """`start_game` for every record of ``states`` STATE_DTYPE[B]. In place."""
    for i in range(states.shape[0]):
        start_game(states[i], start)


@record_kernel
def can_ever_move(state: Record, row: int) -> bool:
    """True when some roll lets the player in a row of the board move."""
    occupied = occupied_points(state.words, row)
    blocked = blocked_points(state.words, 1 - row)
    sources = 0
    for die in range(1, 7):
        sources |= sources_of(occupied, blocked, die)
    return sources != 0


# --- one game of an array: Python cannot hand over a record alone -----------------


@kernel
def is_legal_at(states: Records, i: int, code: int) -> int:
    """`is_legal_code` of game `i`."""
    return is_legal_code(states[i], code)


@kernel
def apply_at(states: Records, i: int, code: int) -> None:
    """`apply_decision` to game `i`. In place, not checked."""
    apply_decision(states[i], code)


@kernel
def charge_at(states: Records, i: int, player: int, milliseconds: int) -> None:
    """`charge_clock` of game `i`. In place."""
    charge_clock(states[i], player, milliseconds)


@kernel
def award_at(states: Records, i: int, winner: int) -> None:
    """`award_claim` in game `i`. In place, not checked."""
    award_claim(states[i], winner)


@kernel
def is_flagged_at(states: Records, i: int, player: int) -> int:
    """`is_flagged` in game `i`."""
    return is_flagged(states[i], player)


@kernel
def throw_at(states: Records, i: int, first: int, second: int) -> None:
    """`throw_dice` in game `i`. In place, not checked."""
    throw_dice(states[i], first, second)


@kernel
def find_match_over(states: Records, over: NDArray[np.bool_]) -> None:
    """Write `is_match_over` of every game to ``over`` bool[B]."""
    for i in range(states.shape[0]):
        over[i] = is_match_over(states[i])


@kernel
def is_blocked_at(states: Records, i: int) -> bool:
    """True when in game `i` neither side can move with any roll, now or ever."""
    return not (can_ever_move(states[i], 0) or can_ever_move(states[i], 1))
