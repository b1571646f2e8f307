"""Games of a chouette worked by hand: who is asked, who pays whom, who sits where."""

from __future__ import annotations

from chouette_play import (
    BOX_FIRST,
    TEAM_FIRST,
    asked,
    begin,
    letters,
    paid,
    race,
    say,
    scores,
    seated,
    seats,
)

# Two checkers are borne off by each roll of 2-1.
SHORT = race({1: 6}, {1: 4})  # the box first: its third roll is the last
EIGHT = race({1: 8}, {1: 8})


def test_the_example_of_r34_when_the_team_loses() -> None:
    """R34: box X, line A B C D; A and D drop, B plays; X stays, line C D A B."""
    chouette = seated("XABCD", race({1: 4}, {1: 6}), BOX_FIRST)
    say(chouette, "A roll")
    say(chouette, "X double, A drop, B take, C take, D drop")
    assert seats(chouette) == "X BCDA"
    assert letters(chouette.members_in) == "BC"
    assert letters([chouette.captain]) == "B"
    assert paid(chouette) == ["A pays X 1", "D pays X 1"]
    say(chouette, "X roll")
    assert chouette.team_won is False
    assert paid(chouette)[2:] == ["B pays X 2", "C pays X 2"]
    assert scores(chouette) == {"X": 6, "A": -1, "B": -2, "C": -2, "D": -1}
    chouette.next_game()
    assert seats(chouette) == "X CDAB"
    assert letters(chouette.members_in) == "CDAB"


def test_the_example_of_r34_when_the_team_wins() -> None:
    """R34: the same, but B wins: box B, line C D A X."""
    chouette = seated("XABCD", SHORT, BOX_FIRST)
    say(chouette, "A roll")
    say(chouette, "X double, A drop, B take, C take, D drop, X roll")
    assert asked(chouette) == "B about BC"
    say(chouette, "B roll")
    assert chouette.team_won is True
    assert scores(chouette) == {"X": -2, "A": -1, "B": 2, "C": 2, "D": -1}
    chouette.next_game()
    assert seats(chouette) == "B CDAX"


def test_three_games_with_one_cube() -> None:
    """R32, R33, R34: a refused vote, three drops in two rounds, a dropping box.

    Eight checkers each, the box first: turns are X, team, X, team, X, team, X.
    """
    chouette = seated("XABCD", EIGHT, BOX_FIRST)
    say(chouette, "A double, B double, C no")
    assert asked(chouette) == "A about ABCD"  # only to roll
    assert chouette.stage == "rolling"
    say(chouette, "A roll")

    # The cube at 1: A and C pay 1 each, A goes to the end.
    say(chouette, "X double, A drop, B take, C drop, D take")
    assert paid(chouette) == ["A pays X 1", "C pays X 1"]
    assert seats(chouette) == "X BCDA"
    say(chouette, "X roll")

    # The team owns the cube at 2; only B and D vote.
    assert asked(chouette) == "B about BD"
    say(chouette, "B double, D double, X take, B roll")
    assert chouette.cube_of(1 + LINE.index("B")) == (4, "box")

    # At 4: B pays 4 and goes to the end; C, who is out, is not captain: D is.
    say(chouette, "X double, B drop, D take")
    assert paid(chouette)[2:] == ["B pays X 4"]
    assert seats(chouette) == "X CDAB"
    assert letters([chouette.captain]) == "D"
    say(chouette, "X roll, D roll, X roll")

    # X has won, D pays the cube of 8, and goes to the end.
    assert paid(chouette)[3:] == ["D pays X 8"]
    assert scores(chouette) == {"X": 14, "A": -1, "B": -4, "C": -1, "D": -8}
    assert chouette.result.captain == 1 + LINE.index("D")
    chouette.next_game()
    assert seats(chouette) == "X CABD"

    # The second game: the box drops against all, C takes the box.
    begin(chouette, TEAM_FIRST)
    say(chouette, "X roll")
    say(chouette, "C double, A double, B double, D double, X drop")
    assert chouette.team_won is True
    assert paid(chouette) == [f"X pays {letter} 1" for letter in "CABD"]
    assert scores(chouette) == {"X": 10, "A": 0, "B": -3, "C": 0, "D": -7}
    chouette.next_game()
    assert seats(chouette) == "C ABDX"

    # The third: all drop. A has moved to the end, the others keep their places.
    begin(chouette, TEAM_FIRST)
    say(chouette, "C double, A drop, B drop, D drop, X drop")
    assert chouette.team_won is False
    assert seats(chouette) == "C BDXA"
    assert scores(chouette) == {"X": 9, "A": -1, "B": -4, "C": 4, "D": -8}
    chouette.next_game()
    assert seats(chouette) == "C BDXA"


LINE = "ABCD"


def test_own_cubes_with_a_gammon_under_jacoby() -> None:
    """R35, R22, R33: a gammon counts for A, who was doubled, and not for B.

    The box has all 15 checkers on its 6 point, from where 2-1 bears nothing off; the
    team six on its 1 point. The team first: turns are team, X, team, X, team.
    """
    rules = race({6: 15}, {1: 6}, jacoby=True)
    chouette = seated("XABC", rules, TEAM_FIRST, own_cubes=True)
    assert asked(chouette) == "X about A"
    say(chouette, "X double")
    assert asked(chouette) == "X about B"
    say(chouette, "X no, X double")
    assert [letters(question.members) for question in chouette.asked] == ["A", "C"]
    say(chouette, "A take, C drop")
    assert paid(chouette) == ["C pays X 1"]
    say(chouette, "X roll")
    assert [chouette.cube_of(member) for member in (1, 2)] == [
        (2, "team"),
        (1, "middle"),
    ]

    say(chouette, "A double, B no, X take, A roll")
    assert chouette.cube_of(1) == (4, "box")

    say(chouette, "X no, X roll")  # about A's cube, then B's: no double, so it rolls
    assert asked(chouette) == "B about B"  # A may not turn the box's cube
    say(chouette, "B no, A roll")

    assert chouette.result.outcome == "gammon"
    assert paid(chouette)[1:] == ["X pays A 8", "X pays B 1"]
    assert scores(chouette) == {"X": -8, "A": 8, "B": 1, "C": -1}
    chouette.next_game()
    assert seats(chouette) == "A BCX"


def test_own_cubes_until_nobody_is_left() -> None:
    """R34, R35: captains leave by winning, by dropping, and as the last one.

    Eight checkers each, the box first.
    """
    chouette = seated("XABCD", EIGHT, BOX_FIRST, own_cubes=True)
    say(chouette, "A double, B double, C no, D no")
    assert asked(chouette) == "X about A"
    say(chouette, "X drop, X take")
    # A has won his game, is out, and keeps his place; B is captain.
    assert paid(chouette) == ["X pays A 1"]
    assert seats(chouette) == "X ABCD"
    assert letters([chouette.captain]) == "B"
    say(chouette, "B roll")

    say(chouette, "X double, X double, X double")
    say(chouette, "B drop, C take, D drop")
    # B, the captain, goes to the end; D keeps his place.
    assert paid(chouette)[1:] == ["B pays X 2", "D pays X 1"]
    assert seats(chouette) == "X ACDB"
    assert letters([chouette.captain]) == "C"
    say(chouette, "X roll")

    say(chouette, "C double, X drop")
    # Nobody is left, and the last captain has won his game: so has the team.
    assert paid(chouette)[3:] == ["X pays C 2"]
    assert chouette.team_won is True
    assert chouette.result.outcome == "dropped"
    assert scores(chouette) == {"X": 0, "A": 1, "B": -2, "C": 2, "D": -1}
    chouette.next_game()
    assert seats(chouette) == "C ADBX"
