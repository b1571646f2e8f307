"""The transitions of a chouette: one function per sentence of R30–R35.

`apply` takes a `ChouetteState` and gives the next one. It changes the records it is
given and does not check: whoever calls it has asked what is legal and made a copy if
he needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bg_env.rules._game import apply_at
from bg_env.rules.decisions import DOUBLE, DROP, ROLL
from bg_env.rules.options import Rules
from bg_env.rules.state import BEFORE_ROLL, OVER
from bg_env.table._chouette_state import (
    BOX,
    ChouetteState,
    Payment,
    Question,
    Stage,
    carry_over,
    new_records,
)

# --- seats -----------------------------------------------------------------------


def roll_order(
    players: Sequence[int], roll_die: Callable[[int], int]
) -> tuple[int, ...]:
    """The order of the players by one die each, the highest first (R30).

    Args:
        players: Who rolls, in this order.
        roll_die: Gives the die that a player rolls. Tied players roll again, for the
            places they tie for; higher places are settled first.
    """
    dice = {player: roll_die(player) for player in players}
    order: tuple[int, ...] = ()
    for die in sorted(set(dice.values()), reverse=True):
        tied = [player for player in players if dice[player] == die]
        order += tuple(tied) if len(tied) == 1 else roll_order(tied, roll_die)
    return order


def first_game(
    order: Sequence[int],
    rules: Rules,
    own_cubes: bool,
    dice: NDArray[np.uint64],
    choices: NDArray[np.uint64],
) -> ChouetteState:
    """A chouette before its first opening roll.

    Args:
        order: The player in the box, then the line.
        rules: The rules of each game.
        own_cubes: Whether each member has a cube of his own (R35).
        dice: uint64[1], the stream of the dice.
        choices: uint64[1], the stream of the agents.
    """
    box, *line = order
    records = new_records(len(order), box, rules)
    records["dice_stream"] = dice[0]
    return ChouetteState(
        rules=rules,
        own_cubes=own_cubes,
        records=records,
        box=box,
        line=tuple(line),
        captain=line[0],
        stage="rolling",
        asked=(Question(box, tuple(line)),),
        scores=(0,) * len(order),
        payments=(),
        game=1,
        team_won=None,
        choices=choices,
    )


def next_order(state: ChouetteState) -> tuple[int, ...]:
    """Box and line of the game after a finished one (R34).

    The team has won: the captain takes the box, the old box goes to the end. It has
    lost: the captain goes to the end, unless all dropped: then he has already moved.
    """
    if state.team_won:
        line = _without(state.line, state.captain)
        return (state.captain, *line, state.box)
    if state.records["phase"][state.box] != OVER:  # nobody was left to play on
        return (state.box, *state.line)
    return (state.box, *_moved_to_end(state.line, state.captain))


def next_game(state: ChouetteState) -> ChouetteState:
    """The next game of the session; everyone is in again (R34)."""
    following = first_game(
        next_order(state),
        state.rules,
        state.own_cubes,
        state.records["dice_stream"][:1],
        state.choices,
    )
    carry_over(state.table()[0], following.records)
    return replace(following, scores=state.scores, game=state.game + 1)


def _without(line: tuple[int, ...], player: int) -> tuple[int, ...]:
    return tuple(member for member in line if member != player)


def _moved_to_end(line: tuple[int, ...], player: int) -> tuple[int, ...]:
    return (*_without(line, player), player)


# --- a decision --------------------------------------------------------------------


def apply(state: ChouetteState, code: int) -> ChouetteState:
    """Carry out a legal decision of the player asked. Changes the records in place."""
    if state.stage == "rolling":
        return _roll(state)
    if state.stage == "doubling":
        return _answer_doubling(state, code)
    if state.stage == "answering":
        return _answer_offer(state, code)
    return _move(state, code)


def _play(state: ChouetteState, members: Sequence[int], code: int) -> None:
    """Apply a decision to the games of these members. In place."""
    for member in members:
        apply_at(state.records, member, code)


def _roll(state: ChouetteState) -> ChouetteState:
    """Roll for all who are still in: their streams are equal, so are their dice."""
    _play(state, (state.box, *state.members_in), ROLL)
    if state.records["phase"][state.box] == BEFORE_ROLL:  # R5: rolled afresh
        return _begin_turn(state)
    return _ask(state, "moving", [Question(state.roller, state.members_in)])


def _move(state: ChouetteState, code: int) -> ChouetteState:
    """A move (or lost roll) of the captain for the whole team, or of the box (R31)."""
    members = state.members_in
    _play(state, (state.box, *members), code)
    phase = state.records["phase"][state.box]
    if phase == OVER:
        return _end(_settle(state, members), team_won=_has_team_won(state))
    return _begin_turn(state) if phase == BEFORE_ROLL else state


def _ask(state: ChouetteState, stage: Stage, asked: list[Question]) -> ChouetteState:
    return replace(state, stage=stage, asked=tuple(asked))


# --- doubling ------------------------------------------------------------------------


def _begin_turn(state: ChouetteState) -> ChouetteState:
    """Ask for doubles where the cube may be turned, else to roll."""
    questions = _doubling_questions(state)
    if questions:
        return _ask(state, "doubling", questions)
    return _ask_to_roll(state)


def _ask_to_roll(state: ChouetteState) -> ChouetteState:
    return _ask(state, "rolling", [Question(state.roller, state.members_in)])


def _doubling_questions(state: ChouetteState) -> list[Question]:
    """Whom to ask for a double.

    One cube (R32): the box, or every member in line order. Own cubes (R35): the box
    about each cube it may turn, or each member about his.
    """
    members = tuple(m for m in state.members_in if state.may_double(m))
    if state.is_box_on_roll:
        return [Question(state.box, group) for group in _groups(state, members)]
    if state.own_cubes:
        return [Question(member, (member,)) for member in members]
    return [Question(member, members) for member in members]


def _groups(state: ChouetteState, members: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The members whose cubes the box decides about at once."""
    if state.own_cubes:
        return [(member,) for member in members]
    return [members] if members else []


def _answer_doubling(state: ChouetteState, code: int) -> ChouetteState:
    """Double or not; with one cube the team must be unanimous (R32, R35)."""
    question, *others = state.asked
    is_vote = not state.own_cubes and not state.is_box_on_roll
    if code == DOUBLE and not (is_vote and others):
        _play(state, question.members, DOUBLE)
    if code == ROLL and is_vote:
        others = []  # one refusal, and the captain rolls
    if others:
        return _ask(state, "doubling", others)
    if state.offered:
        return _ask(state, "answering", _offer_questions(state))
    if question.player == state.roller:
        return _roll(state)
    return _ask_to_roll(state)


def _offer_questions(state: ChouetteState) -> list[Question]:
    """Who answers: each member for himself, in line order, or the box (R32, R35)."""
    members = state.offered
    if state.is_box_on_roll:
        return [Question(member, (member,)) for member in members]
    return [Question(state.box, group) for group in _groups(state, members)]


def _answer_offer(state: ChouetteState, code: int) -> ChouetteState:
    """Take or drop; a drop is paid at once (R32, R33), a captain moves (R34)."""
    question, *others = state.asked
    _play(state, question.members, code)
    if code == DROP:
        state = _settle(state, question.members)
        if question.player == state.captain:
            state = replace(state, line=_moved_to_end(state.line, state.captain))
    if others:
        return _ask(state, "answering", others)
    members = state.members_in
    if not members:
        return _end(state, team_won=not state.is_box_on_roll)
    return _ask_to_roll(replace(state, captain=members[0]))


# --- payments -----------------------------------------------------------------------


def _settle(state: ChouetteState, members: Sequence[int]) -> ChouetteState:
    """Let the loser of each of these finished games pay the winner (R33)."""
    scores = list(state.scores)
    payments = list(state.payments)
    for member in members:
        record = state.records[member]
        points = int(record["points"])
        has_box_won = int(record["winner"]) == BOX
        payer, payee = (member, state.box) if has_box_won else (state.box, member)
        scores[payer] -= points
        scores[payee] += points
        payments.append(Payment(payer, payee, points))
    return replace(state, scores=tuple(scores), payments=tuple(payments))


def _has_team_won(state: ChouetteState) -> bool:
    return int(state.records["winner"][state.box]) != BOX


def _end(state: ChouetteState, *, team_won: bool) -> ChouetteState:
    return replace(state, stage="over", asked=(), team_won=team_won)
