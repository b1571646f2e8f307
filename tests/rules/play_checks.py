"""Checks of one position and one roll against the reference, for several modules."""

import reference
from support import (
    as_reference,
    first_moves_by_reference,
    played,
    results_by_reference,
)

from bg_env.rules.decisions import PASS, move_code, move_of
from bg_env.rules.game import GameState
from bg_env.rules.movegen import legal_moves, legal_plays
from bg_env.rules.options import Rules
from bg_env.rules.state import MOVING


def results_of(position, dice, **options):
    """The results as the reference writes them, each play checked on the way."""
    found = set()
    for play in legal_plays(position, dice, **options):
        assert played(position, play.moves) == play.result
        found.add(as_reference(play.result))
    return found


def check_plays(position, dice, *, least_waste=False):
    """R7-R16: same results, no result twice, same first moves."""
    rules = Rules(cube=False, least_waste=least_waste)
    where = f"{position!r} {dice} least_waste={least_waste}"
    found = results_of(position, dice, rules=rules)
    assert len(found) == len(legal_plays(position, dice, rules=rules)), where
    wanted = results_by_reference(position, dice, least_waste=least_waste)
    assert found == wanted, where
    moves = legal_moves(position, dice, rules=rules)
    first = first_moves_by_reference(position, dice, least_waste=least_waste)
    assert moves == first, where


def check_masks_along_all_turns(position, dice, *, least_waste=False, on_roll=0):
    """Each mask on the way holds the moves with which legal turns go on, no others.

    The legal turns are whole sequences of the reference: it remembers how a turn
    began. The state knows only the board and the dice left, and must say the same.
    """
    sequences = reference.legal_sequences(as_reference(position), dice, least_waste)
    tree = {}
    for sequence in sequences:
        node = tree
        for move in sequence:
            node = node.setdefault(move, {})
    rules = Rules(cube=False, least_waste=least_waste)
    state = GameState.from_position(position, rules=rules, on_roll=on_roll, dice=dice)
    _check_node(state, tree, on_roll, (position, dice))


def _check_node(state, node, player, where):
    codes = state.legal_decisions()
    assert codes == (sorted(move_code(*move) for move in node) or [PASS]), where
    for code in codes:
        after = state.clone()
        after.apply(code)
        rest = node[move_of(code)] if code else {}
        if rest:
            assert (after.phase, after.on_roll) == (MOVING, player), where
            _check_node(after, rest, player, where)
        else:
            assert after.phase != MOVING, where
            has_won = not any(after.position_of(player).mover[1:])
            assert after.is_over == has_won, where
            assert after.winner == (player if has_won else None), where
            assert after.on_roll == (player if has_won else 1 - player), where


def sequences_are_few(position, dice, limit=400):
    """True when the whole tree of a roll can be walked quickly."""
    return len(reference.legal_sequences(as_reference(position), dice)) <= limit
