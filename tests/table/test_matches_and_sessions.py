"""Matches and sessions: games one after the other, score, Crawford, score sheet."""

from __future__ import annotations

from typing import Any

import pytest

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.table import Match, Session, SheetRow
from bg_env.table.series import Series


def lose(series: Series, loser: int) -> None:
    """Let a player lose one point: after the opening he is doubled and drops."""
    game = series.game
    game.roll((1, 6) if loser == 0 else (6, 1))
    game.play("13/7 8/7", confirm=True)
    while game.to_act == 1 - loser and "double" not in game.legal():
        game.do("roll")
        game.play(game.plays()[0], confirm=True)
    if game.on_roll == loser:
        game.do("roll")
        game.play(game.plays()[0], confirm=True)
    game.double()
    game.drop()


def lose_without_cube(series: Series, loser: int) -> None:
    """Let a player lose one point by resigning."""
    game = series.game
    game.roll((6, 1) if loser == 0 else (1, 6))
    game.resign()
    game.accept()


def test_a_match_is_played_to_its_points() -> None:
    """R25, R26: one Crawford game, then the cube is back."""
    match = Match(Rules(match_length=3, resign="offer"), seed=1)
    assert (match.length, match.is_over, match.winner) == (3, False, None)
    lose(match, 0)
    assert match.score == (0, 1)
    assert not match.is_crawford
    match.next_game()
    lose(match, 0)
    match.next_game()
    assert match.is_crawford
    lose_without_cube(match, 1)
    match.next_game()
    assert not match.is_crawford
    lose(match, 1)
    assert match.score == (2, 2)
    match.next_game()
    lose(match, 0)
    assert (match.is_over, match.winner, match.score) == (True, 1, (2, 3))
    assert match.game.log[-1].endswith("1 point and the match")
    assert len(match.games) == 5
    with pytest.raises(IllegalActionError, match="match to 3 is over"):
        match.next_game()
    assert len(match.games) == 5


def test_a_game_must_be_over_before_the_next() -> None:
    for series in (Match(5, seed=1), Session(seed=1)):
        with pytest.raises(IllegalActionError, match="needs this one to be over"):
            series.do("next game")
        assert len(series.games) == 1


def test_a_session_has_a_score_sheet() -> None:
    session = Session(Rules(resign="offer"), seed=1, names=("You", "Bea"))
    lose(session, 1)
    session.do("next game")
    session.game.roll((6, 1))
    session.do("resign gammon")
    session.do("accept")
    session.do("next game")
    assert session.sheet == [
        SheetRow(1, 0, 1, 1, 1, (1, 0)),
        SheetRow(2, 1, 2, 1, 2, (1, 2)),
    ]
    assert session.score == (1, 2)
    assert session.balance == -1
    assert not session.is_over
    lines = session.sheet_text().splitlines()
    assert len(lines) == 3
    assert lines[2].split() == [
        "2",
        "Bea",
        "2",
        "1,",
        "2",
        "(a",
        "gammon,",
        "cube",
        "1)",
    ]


def test_the_log_has_all_games_under_their_headings() -> None:
    session = Session(seed=1, names=("You", "Bea"))
    lose(session, 1)
    session.next_game()
    session.game.roll((6, 1))
    assert session.log[0] == "Game 1, You 0, Bea 0"
    assert session.log[-2:] == [
        "Game 2, You 1, Bea 0",
        "Opening roll: You begin with 61",
    ]


def test_taking_back_goes_into_the_game_before() -> None:
    session = Session(seed=1)
    lose(session, 1)
    log = session.log
    session.next_game()
    session.game.roll((3, 1))
    session.do("undo")
    assert len(session.games) == 2
    session.undo()
    assert len(session.games) == 1
    assert session.score == (0, 0)
    session.do("double")
    session.do("drop")
    assert session.log == log


def test_taking_back_an_accepted_result_over_the_board() -> None:
    session = Session(seed=1, over_the_board=True)
    lose(session, 1)
    session.next_game()
    assert session.games[0].history[-1].kind == "accept result"
    session.undo()
    assert len(session.games) == 1
    assert not session.game.is_over


def test_agents_play_a_match_to_its_end() -> None:
    match = Match(3, seed=2, players=("random", "pubeval"))
    match.advance()
    assert match.game.is_over
    assert len(match.games) == 1
    match.advance(games=True)
    assert match.is_over
    assert max(match.score) >= 3


def test_a_person_is_waited_for_in_every_game() -> None:
    session = Session(seed=2, players=("pubeval", None), names=("it", "You"))
    done = session.advance(games=True)
    assert done
    assert session.game.to_act == 1
    session.ask("random")
    assert session.do("roll") is not None or session.game.to_act == 0


def test_two_agents_in_a_session_stop_after_each_game() -> None:
    session = Session("cubeless", seed=2, players=("random", "random"))
    session.advance(games=True)
    assert session.game.is_over
    assert len(session.games) == 1


def test_a_match_goes_on_from_a_state() -> None:
    rules = Rules(match_length=7)
    state = GameState.from_position(Position.start(), rules=rules, score=(6, 2))
    match = Match(state=state)
    assert match.score == (6, 2)
    assert match.is_crawford
    assert repr(match) == match.show()


@pytest.mark.parametrize(
    ("kind", "rules", "says"),
    [
        (Match, "standard", "match_length"),
        (Match, Rules(), "Session"),
        (Match, 0, "match_length"),
        (Match, -3, "match_length"),
        (Session, "match", "Match"),
        (Session, Rules(match_length=5), "a match to 5"),
    ],
)
def test_a_match_needs_a_length_and_a_session_none(
    kind: Any, rules: Any, says: str
) -> None:
    with pytest.raises(InvalidOptionError, match=says):
        kind(rules)
