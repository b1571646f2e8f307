"""The chouette rule by rule: seats, captain, votes, takes and drops, payments."""

from __future__ import annotations

import numpy as np
import pytest
from chouette_play import (
    BOX_FIRST,
    LETTERS,
    TEAM_FIRST,
    asked,
    begin,
    finish_turn,
    letters,
    paid,
    race,
    say,
    scores,
    seated,
    seats,
)

from bg_env.errors import IllegalActionError, InvalidOptionError, UnknownNameError
from bg_env.rules.decisions import DOUBLE, DROP, PASS, ROLL, TAKE, is_move
from bg_env.rules.options import Clock, Rules
from bg_env.table.chouette import Chouette, render_chouette, roll_order

EIGHT = race({1: 8}, {1: 8})
GAMMON = race({6: 15}, {1: 4})  # the box bears nothing off with 2-1
BOTH_CUBES = pytest.mark.parametrize("own_cubes", [False, True])


def number(letter: str) -> int:
    """The player of a letter."""
    return LETTERS.index(letter)


# --- seats: R30 ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "order"),
    [
        ([3, 6, 5, 1], [1, 2, 0, 3]),
        ([6, 6, 2, 1, 3, 4], [1, 0, 2, 3]),  # the two sixes again: 3 and 4
        ([2, 5, 2, 2, 4, 1, 6], [1, 3, 0, 2]),  # three twos again, for the last places
        ([4, 4, 4, 4, 1, 1, 6, 6, 2, 5, 3, 3, 1, 2], [3, 2, 1, 0]),
    ],
)
def test_the_players_roll_for_their_seats(dice: list[int], order: list[int]) -> None:
    """R30: the tied players alone roll again, for the places they tie for."""
    rolled = iter(dice)
    assert roll_order(range(4), lambda player: next(rolled)) == tuple(order)
    assert next(rolled, None) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_highest_die_is_in_the_box_and_the_next_is_captain(seed: int) -> None:
    """R30: the throws are there to be looked at, and say the order."""
    chouette = Chouette(5, seed=seed)
    throws: dict[int, list[int]] = {player: [] for player in range(5)}
    for player, die in chouette.order_throws:
        assert 1 <= die <= 6
        throws[player].append(die)
    order = sorted(throws, key=lambda player: throws[player], reverse=True)
    assert (chouette.box, *chouette.line) == tuple(order)
    assert chouette.captain == order[1]


def test_every_player_is_as_often_in_the_box() -> None:
    """R30: each of three has a third of the seats, within four standard errors."""
    boxes = np.bincount([Chouette(3, seed=seed).box for seed in range(3000)])
    assert np.all(np.abs(boxes - 1000) < 4 * np.sqrt(3000 * 2 / 9))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"players": 2}, "three or more players, not 2"),
        ({"players": ["Ann", "Bob"]}, "three or more players, not 2"),
        ({"players": 0}, "not 0"),
        ({"players": True}, "not True"),
        ({"players": "Ann"}, "not 'Ann'"),
        ({"players": ["Ann", "Bob", "Ann"]}, "a name of his own"),
        ({"rules": Rules(match_length=7)}, "leave match_length=7 out"),
        ({"rules": Rules(beavers=1)}, "leave beavers=1 out"),
        ({"rules": Rules(resign="offer")}, "leave resign='offer' out"),
        ({"rules": Rules(clock=Clock())}, "leave clock="),
        ({"rules": 3}, "not 3"),
        ({"own_cubes": 1}, "not 1"),
        ({"own_cubes": True, "rules": "cubeless"}, "needs the cube"),
        ({"seed": 1.5}, "not 1.5"),
        ({"order": [0, 1, 2]}, "not [0, 1, 2]"),
        ({"order": [0, 1, 2, 2]}, "not [0, 1, 2, 2]"),
        ({"order": 7}, "not 7"),
    ],
)
def test_what_cannot_be_a_chouette_is_refused(
    arguments: dict[str, object], words: str
) -> None:
    """R30: three and more players; R24 and R28 are off, money play only."""
    with pytest.raises(InvalidOptionError) as caught:
        Chouette(**arguments)  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="standrd"):
        Chouette(3, rules="standrd")


# --- the captain: R31 ---------------------------------------------------------------


def test_the_captain_alone_moves() -> None:
    """R31: every other member, and the box, is refused and nothing changes."""
    chouette = seated("XABC", EIGHT, BOX_FIRST)
    chouette.apply(number("A"), ROLL)
    assert chouette.stage == "moving"
    legal = chouette.legal_decisions(number("A"))
    assert all(is_move(code) for code in legal)
    before = chouette.state.copy()
    for letter in "XBC":
        assert chouette.legal_decisions(number(letter)) == []
        with pytest.raises(IllegalActionError, match=r"asked is player 1 \(A\)"):
            chouette.apply(number(letter), legal[0])
    assert_untouched(chouette, before)
    finish_turn(chouette)
    assert {event.player for event in chouette.history if is_move(event.decision)} == {
        number("X"),
        number("A"),
    }


def test_advice_has_no_effect() -> None:
    """R31: members still in may advise the one who decides; it is only shown."""
    chouette = seated("XABC", EIGHT, BOX_FIRST)
    before = chouette.state.copy()
    assert letters(chouette.advisers) == "BC"
    chouette.advise(number("C"), "double!")
    assert chouette.advice == [(number("C"), "double!")]
    assert_untouched(chouette, before)
    for letter in "XA":
        with pytest.raises(IllegalActionError, match="cannot advise"):
            chouette.advise(number(letter), "roll")
    say(chouette, "A roll")
    assert chouette.advice == []
    assert chouette.advisers == ()  # the box decides alone


def test_who_has_dropped_gives_no_advice() -> None:
    """R31, R32: out of this game means no advice either."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A take, B drop, C take, X roll")
    assert letters(chouette.advisers) == "C"
    with pytest.raises(IllegalActionError, match=r"2 \(B\) cannot advise"):
        chouette.advise(number("B"), "double")


# --- one cube: R32 ------------------------------------------------------------------


def test_a_team_double_needs_every_vote() -> None:
    """R32: asked in line order; with the last yes the box is doubled."""
    chouette = seated("XABC", EIGHT, BOX_FIRST)
    for letter in "ABC":
        assert asked(chouette) == f"{letter} about ABC"
        assert chouette.legal_decisions(number(letter)) == [ROLL, DOUBLE]
        assert chouette.cube_of(number(letter)) == (1, "middle")
        say(chouette, f"{letter} double")
    assert asked(chouette) == "X about ABC"
    assert chouette.legal_decisions(number("X")) == [TAKE, DROP]
    say(chouette, "X take")
    assert [chouette.cube_of(number(letter)) for letter in "ABC"] == [(2, "box")] * 3
    assert asked(chouette) == "A about ABC"
    assert chouette.legal_decisions(number("A")) == [ROLL]


@pytest.mark.parametrize("votes", ["A double, B no", "A double, B double, C no"])
def test_one_refusal_and_the_captain_rolls(votes: str) -> None:
    """R32: nobody else is asked, the cube stays, no member can double any more."""
    chouette = seated("XABC", EIGHT, BOX_FIRST)
    say(chouette, votes)
    assert (chouette.stage, chouette.to_act) == ("rolling", number("A"))
    assert chouette.legal_decisions(number("A")) == [ROLL]
    assert chouette.cube_of(number("A")) == (1, "middle")


def test_only_the_captain_can_propose() -> None:
    """R32: his roll ends the matter, and rolls."""
    chouette = seated("XABC", EIGHT, BOX_FIRST)
    with pytest.raises(IllegalActionError, match="not asked now"):
        chouette.apply(number("B"), DOUBLE)
    chouette.apply(number("A"), ROLL)
    assert (chouette.stage, chouette.dice) == ("moving", (2, 1))


def test_a_single_member_still_in_needs_no_other_vote() -> None:
    """R32: who is out does not vote."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A drop, B take, C drop, X roll")
    assert [question.player for question in chouette.asked] == [number("B")]
    say(chouette, "B double")
    assert asked(chouette) == "X about B"


def test_a_vote_by_someone_who_has_dropped_is_refused() -> None:
    """R32: one clear sentence, and nothing has changed."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A drop, B take, C take, X roll, B double")
    assert letters([chouette.to_act]) == "C"
    before = chouette.state.copy()
    with pytest.raises(IllegalActionError) as caught:
        chouette.apply(number("A"), DOUBLE)
    assert str(caught.value) == (
        "Player 1 (A) is out of this game, so 'double' is not his to decide; asked "
        "now is player 3 (C)."
    )
    assert_untouched(chouette, before)


def test_members_answer_a_double_in_line_order_each_for_himself() -> None:
    """R32: the captain too; the cube turns once for all takers."""
    chouette = seated("XABCD", EIGHT, TEAM_FIRST)
    say(chouette, "X double")
    order = [question.player for question in chouette.asked]
    assert letters(order) == "ABCD"
    say(chouette, "A take, B drop, C take, D take")
    assert letters(chouette.members_in) == "ACD"
    assert [chouette.cube_of(number(x)) for x in "ACD"] == [(2, "team")] * 3
    assert asked(chouette) == "X about ACD"  # to roll


def test_a_drop_is_paid_at_once_without_a_multiplier() -> None:
    """R32, R33: the cube as before the offer, though a gammon is near."""
    chouette = seated("XABC", race({1: 4}, {6: 15}), BOX_FIRST)
    say(chouette, "A roll")
    say(chouette, "X double, A drop")
    assert paid(chouette) == ["A pays X 1"]
    assert scores(chouette) == {"X": 1, "A": -1, "B": 0, "C": 0}
    say(chouette, "B take, C take, X roll")
    assert chouette.result.outcome == "gammon"
    assert paid(chouette)[1:] == ["B pays X 4", "C pays X 4"]


def test_if_the_captain_drops_the_first_taker_is_captain() -> None:
    """R32: others who dropped between them keep their places (R34)."""
    chouette = seated("XABCD", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A drop, B drop, C take, D take")
    assert seats(chouette) == "X BCDA"
    assert letters([chouette.captain]) == "C"
    say(chouette, "X roll")
    assert letters([chouette.to_act]) == "C"


def test_if_all_drop_the_game_is_over_and_the_box_has_won() -> None:
    """R32, R34: the captain has moved to the end, the box stays."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A drop, B drop, C drop")
    assert chouette.is_over
    assert chouette.team_won is False
    assert chouette.result.outcome == "dropped"
    assert scores(chouette) == {"X": 3, "A": -1, "B": -1, "C": -1}
    chouette.next_game()
    assert seats(chouette) == "X BCA"


def test_a_double_is_possible_from_the_second_turn_on() -> None:
    """R19, R32: never before or in the first turn."""
    chouette = Chouette(4, seed=2)
    chouette.apply(chouette.to_act, ROLL)
    assert chouette.turn == 1
    finish_turn(chouette)
    assert (chouette.turn, chouette.stage) == (2, "doubling")


def test_after_an_opening_that_is_rolled_afresh_nobody_doubles() -> None:
    """R5, R19: the winner of the opening roll only rolls."""
    chouette = Chouette(4, rules=Rules(opening_reroll=True), seed=2)
    chouette.apply(chouette.to_act, ROLL)
    assert (chouette.turn, chouette.stage) == (1, "rolling")
    chouette.apply(chouette.to_act, ROLL)
    assert chouette.stage == "moving"


def test_the_cube_stops_at_its_ceiling() -> None:
    """R18, R32: with max_cube=2 one double is all there is."""
    chouette = seated("XABC", race({1: 8}, {1: 8}, max_cube=2), BOX_FIRST)
    say(chouette, "A double, B double, C double, X take, A roll")
    assert (chouette.stage, chouette.to_act) == ("rolling", number("X"))


def test_without_the_cube_everybody_plays_for_the_game() -> None:
    """R18, R33: rolls only; 1, 2 or 3 points a member."""
    chouette = seated("XABC", race({6: 15}, {1: 4}, cube=False), TEAM_FIRST)
    say(chouette, "X roll, A roll")
    assert paid(chouette) == ["X pays A 2", "X pays B 2", "X pays C 2"]


@BOTH_CUBES
@pytest.mark.parametrize(("limit", "cube"), [(1, 2), (2, 4), (3, 4)])
def test_opening_ties_double_every_cube(limit: int, cube: int, own_cubes: bool) -> None:
    """R23, R30: of two ties as many as the option counts, none of them owned."""
    rules = race({1: 8}, {1: 8}, automatic_doubles=limit)
    chouette = Chouette(4, rules=rules, own_cubes=own_cubes, order=[0, 1, 2, 3])
    chouette.set_dice_queue([(3, 3), (6, 6), (2, 1)])
    chouette.apply(0, ROLL)
    assert [chouette.cube_of(member) for member in (1, 2, 3)] == [(cube, "middle")] * 3
    assert chouette.game_of(0).cube == 1  # the board itself has no cube


# --- payments: R33, R22 -------------------------------------------------------------


def test_each_member_is_paid_by_the_box_if_the_team_wins() -> None:
    """R33: cube × 2 for a gammon, to everyone still in."""
    chouette = seated("XABC", GAMMON, TEAM_FIRST)
    say(chouette, "X double, A take, B drop, C take, X roll")
    say(chouette, "A roll")
    assert paid(chouette) == ["B pays X 1", "X pays A 4", "X pays C 4"]
    assert scores(chouette) == {"X": -7, "A": 4, "B": -1, "C": 4}


def test_each_member_pays_the_box_if_it_wins() -> None:
    """R33: a backgammon is three times the cube."""
    chouette = seated("XABC", race({1: 4}, {23: 2, 6: 13}), BOX_FIRST)
    say(chouette, "A roll, X roll")
    assert chouette.result.outcome == "backgammon"
    assert scores(chouette) == {"X": 9, "A": -3, "B": -3, "C": -3}


def test_a_box_that_drops_pays_everyone_still_in() -> None:
    """R32, R33: the cube before the offer; the team has won."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A take, B drop, C take, X roll")
    say(chouette, "A double, C double, X drop")
    assert paid(chouette) == ["B pays X 1", "X pays A 2", "X pays C 2"]
    assert chouette.team_won is True
    chouette.next_game()
    assert seats(chouette) == "A BCX"


def test_jacoby_counts_gammons_once_a_double_was_taken() -> None:
    """R22, R33: with one cube for all who are in, or for none."""
    rules = race({6: 15}, {1: 4}, jacoby=True)
    plain = seated("XABC", rules, TEAM_FIRST)
    say(plain, "X roll, A roll")
    assert scores(plain) == {"X": -3, "A": 1, "B": 1, "C": 1}
    doubled = seated("XABC", rules, TEAM_FIRST)
    say(doubled, "X double, A take, B take, C drop, X roll, A roll")
    assert scores(doubled) == {"X": -7, "A": 4, "B": 4, "C": -1}


# --- own cubes: R35 -----------------------------------------------------------------


def test_with_own_cubes_each_member_decides_alone_about_his() -> None:
    """R35: all are asked in line order, then the box answers each offer alone."""
    chouette = seated("XABC", EIGHT, BOX_FIRST, own_cubes=True)
    assert asked(chouette) == "A about A"
    say(chouette, "A no, B double, C double")
    assert [letters(question.members) for question in chouette.asked] == ["B", "C"]
    assert letters([chouette.to_act]) == "X"
    say(chouette, "X take, X drop")
    cubes = [chouette.cube_of(number(letter)) for letter in "ABC"]
    assert cubes == [(1, "middle"), (2, "box"), (1, "middle")]
    assert letters(chouette.members_in) == "AB"
    assert paid(chouette) == ["X pays C 1"]
    assert (chouette.stage, letters([chouette.to_act])) == ("rolling", "A")


def test_with_own_cubes_the_box_doubles_any_set_it_may_turn() -> None:
    """R35: it is asked about one after the other; a drop settles one game."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST, own_cubes=True)
    say(chouette, "X double, X no, X double, A drop, C take")
    assert seats(chouette) == "X BCA"
    assert letters([chouette.captain]) == "B"
    assert paid(chouette) == ["A pays X 1"]
    say(chouette, "X roll, B no, C no, B roll")
    # the box may turn B's cube in the middle, not C's, which C owns
    assert [letters(question.members) for question in chouette.asked] == ["B"]


def test_with_own_cubes_everyone_dropping_is_as_with_one_cube() -> None:
    """R34, R35: the captain alone has moved, the box stays."""
    chouette = seated("XABCD", EIGHT, TEAM_FIRST, own_cubes=True)
    say(chouette, "X double, X double, X double, X double")
    say(chouette, "A drop, B drop, C drop, D drop")
    assert chouette.team_won is False
    assert scores(chouette) == {"X": 4, "A": -1, "B": -1, "C": -1, "D": -1}
    chouette.next_game()
    assert seats(chouette) == "X BCDA"


def test_with_own_cubes_a_box_that_drops_everything_is_as_with_one_cube() -> None:
    """R34, R35: who was captain when the doubles were offered takes the box."""
    chouette = seated("XABC", EIGHT, BOX_FIRST, own_cubes=True)
    say(chouette, "A double, B double, C double, X drop, X drop, X drop")
    assert chouette.team_won is True
    assert scores(chouette) == {"X": -3, "A": 1, "B": 1, "C": 1}
    chouette.next_game()
    assert seats(chouette) == "A BCX"


def test_with_own_cubes_jacoby_looks_at_each_game_alone() -> None:
    """R22, R35: the cube of one member says nothing about the others."""
    rules = race({6: 15}, {1: 4}, jacoby=True)
    chouette = seated("XABC", rules, TEAM_FIRST, own_cubes=True)
    say(chouette, "X no, X double, X no, B take, X roll, A no, B no, C no, A roll")
    assert scores(chouette) == {"X": -6, "A": 1, "B": 4, "C": 1}


# --- asked, copied, refused ---------------------------------------------------------


def assert_untouched(chouette: Chouette, before: object) -> None:
    """Records, stream and everything else are as they were."""
    now = chouette.state
    for name, value in vars(before).items():
        if isinstance(value, np.ndarray):
            assert value.tobytes() == getattr(now, name).tobytes(), name
        else:
            assert value == getattr(now, name), name


def test_a_decision_that_is_not_legal_is_refused() -> None:
    """One sentence with what is legal; nothing has changed."""
    chouette = seated("XABC", EIGHT, BOX_FIRST)
    before = chouette.state.copy()
    for player, code, words in [
        (1, TAKE, "legal: 151 (roll), 152 (double)"),
        (1, 162, "0 to 161, not 162"),
        (1, "roll", "not 'roll'"),
        (0, ROLL, "Player 0 (X) is not asked now"),
    ]:
        with pytest.raises(IllegalActionError) as caught:
            chouette.apply(player, code)  # type: ignore[arg-type]
        assert words in str(caught.value)
    with pytest.raises(InvalidOptionError, match="0 to 3, not 4"):
        chouette.apply(4, ROLL)
    with pytest.raises(InvalidOptionError, match="not True"):
        chouette.legal_decisions(True)
    with pytest.raises(InvalidOptionError, match="queue holds"):
        chouette.set_dice_queue([(1, 2)] * 257)
    assert_untouched(chouette, before)


def test_a_finished_game_wants_the_next_one() -> None:
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    for wanted in (lambda: chouette.next_game(), lambda: chouette.result,
                   lambda: chouette.next_order):  # fmt: skip
        with pytest.raises(IllegalActionError, match="until game 1 is over"):
            wanted()
    say(chouette, "X double, A drop, B drop, C drop")
    assert chouette.to_act is None
    assert chouette.asked == ()
    assert chouette.legal_decisions(0) == []
    assert chouette.next_order == (0, 2, 3, 1)
    with pytest.raises(IllegalActionError, match="Game 1 is over; call next_game"):
        chouette.apply(0, ROLL)
    with pytest.raises(IllegalActionError, match="Game 1 is over"):
        chouette.state_asked()
    chouette.next_game()
    assert (chouette.game, chouette.history, chouette.payments) == (2, [], ())
    begin(chouette, BOX_FIRST)


@BOTH_CUBES
def test_a_copy_goes_its_own_way_with_the_same_dice(own_cubes: bool) -> None:
    chouette = Chouette(4, own_cubes=own_cubes, seed=11)
    chouette.play_forced()
    finish_turn(chouette)
    copy = chouette.clone()
    before = copy.state.copy()
    for one in (chouette, copy):
        while not one.is_over:
            player = one.to_act
            one.apply(player, one.legal_decisions(player)[0])
        one.next_game()
        if one is chouette:
            assert_untouched(copy, before)
    assert chouette.history == copy.history
    assert_untouched(chouette, copy.state)


def test_what_is_forced_is_played() -> None:
    """Rolls and lost rolls; a decision stops it."""
    chouette = Chouette(3, seed=5)
    assert chouette.forced_decision() == ROLL
    assert chouette.play_forced() == 1
    assert chouette.forced_decision() is None
    assert PASS not in chouette.legal_decisions(chouette.to_act)


def test_the_events_of_a_game_are_kept() -> None:
    """Who decided what for whom, and the rolls."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A take, B drop, C take, X roll")
    events = [tuple(event) for event in chouette.history if event.decision > 150]
    assert events == [
        (0, ROLL, (1, 2, 3), (1, 2)),
        (0, DOUBLE, (1, 2, 3), None),
        (1, TAKE, (1,), None),
        (2, DROP, (2,), None),
        (3, TAKE, (3,), None),
        (0, ROLL, (1, 3), (2, 1)),
    ]


def test_the_state_asked_is_that_of_the_member_concerned() -> None:
    """R32: whose cube it is, who has doubled, who is to answer."""
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A drop")
    state = chouette.state_asked()
    assert (state.to_act, state.cube, state.legal_decisions()) == (1, 1, [TAKE, DROP])
    state.apply(TAKE)
    assert chouette.cube_of(number("B")) == (1, "middle")  # it was a copy


# --- as text ------------------------------------------------------------------------


def test_the_picture_shows_board_seats_cubes_and_scores() -> None:
    chouette = seated("XABC", EIGHT, TEAM_FIRST)
    say(chouette, "X double, A drop")
    text = render_chouette(chouette)
    assert max(map(len, text.splitlines())) <= 78
    assert text.splitlines()[-5:] == [
        "box      X                            +1",
        "line     B                            +0  cube 1 middle",
        "line     C                            +0  cube 1 middle",
        "captain  A                            -1  out",
        "answering: asked is B",
    ]
    say(chouette, "B drop, C drop")
    assert render_chouette(chouette, viewer=0).endswith("game 1 is over: box wins")
    own = seated("XABC", EIGHT, TEAM_FIRST, own_cubes=True)
    assert render_chouette(own).endswith("doubling: asked is X, cube of A")
    assert "Chouette game 1: box X, line A B C, doubling" in repr(own)
