"""A game at the table: what may be done, in words, and what it comes to."""

from __future__ import annotations

from typing import Any

import pytest
from table_games import CLOSED, at_start, everything, table

from bg_env.agent import PlayChooser
from bg_env.errors import (
    BgEnvError,
    IllegalActionError,
    IllegalPlayError,
    InvalidNotationError,
    InvalidOptionError,
    UnknownNameError,
)
from bg_env.rules.decisions import DOUBLE, ROLL, move_code
from bg_env.rules.game import GameState
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.table import Game

START = Position.start()
OFFERS = Rules(resign="offer")


def one_sentence(error: BaseException) -> bool:
    """Ends with a full stop and has no line break."""
    text = str(error)
    return text.endswith(".") and "\n" not in text


# --- a game from the beginning ------------------------------------------------------


def test_a_game_begins_with_its_opening_roll_and_goes_on_in_words() -> None:
    game = Game(Rules(), seed=0, names=("You", "Bea"))
    assert game.legal() == ["roll"]
    assert str(game.roll((2, 5))) == "Opening roll: Bea begins with 52"
    assert game.on_roll == game.to_act == 1
    game.play("13/8 13/11")
    assert str(game.confirm()) == "Bea: 52: 13/11 13/8"
    assert game.legal() == ["roll", "double"]
    assert str(game.double()) == "You double to 2"
    assert game.legal() == ["take", "drop"]
    assert str(game.take()) == "Bea takes"
    assert (game.cube, game.cube_owner) == (2, 1)
    assert game.legal() == ["roll"]
    assert str(game.roll((3, 1))) == "You roll 31"
    assert str(game.play("8/5 6/5", confirm=True).history[-1]) == "You: 31: 8/5 6/5"
    assert len(game.log) == 6


def test_legal_moves_and_plays_have_the_names_that_are_read() -> None:
    game = at_start(dice=(3, 1))
    assert game.plays() == sorted(set(game.plays()), key=game.plays().index)
    assert len(game.plays()) == 16
    assert "8/5 6/5" in game.plays()
    assert "24/23" in game.legal()
    assert (
        game.decisions == GameState.from_position(START, dice=(3, 1)).legal_decisions()
    )
    for text in game.plays():
        again = at_start(dice=(3, 1))
        assert again.play(text).legal() == ["confirm", "take back"]


def test_a_hit_is_marked_in_the_names_of_moves() -> None:
    game = table({13: 2, 6: 2}, {16: 1, 1: 1}, dice=(4, 1))
    assert "13/9*" in game.legal()
    assert game.do("13/9*") is None
    assert game.position.opponent[25] == 1


def test_a_tie_of_the_opening_doubles_the_cube() -> None:
    """R23 at the table."""
    game = Game(Rules(automatic_doubles=1), seed=1)
    assert str(game.roll((4, 4))) == "Opening roll: a tie, the cube is at 2"
    assert game.legal() == ["roll"]
    with pytest.raises(InvalidOptionError, match="rolled again"):
        game.roll((4, 4))
    assert str(game.roll((4, 1))) == "Opening roll: player 0 begins with 41"
    assert game.cube == 2


def test_with_the_opening_re_roll_the_winner_rolls_again() -> None:
    """R5 at the table."""
    game = Game(Rules(opening_reroll=True), seed=1, names=("You", "Bea"))
    assert str(game.roll((6, 1))) == "Opening roll: You begin with 61"
    assert game.legal() == ["roll"]
    assert str(game.roll((6, 6))) == "You roll 66"


def test_beavers_and_raccoons_have_their_names() -> None:
    """R24 at the table."""
    game = at_start(rules=Rules(beavers=3))
    texts = [str(game.do(text)) for text in ("double", "beaver", "raccoon", "take")]
    assert texts == [
        "player 0 doubles to 2",
        "player 1 beavers to 4",
        "player 0 raccoons to 8",
        "player 1 takes",
    ]
    assert game.cube == 8


def test_a_drop_ends_the_game_and_says_so() -> None:
    """R20 at the table."""
    game = at_start(cube=2, cube_owner=0)
    game.double()
    text = str(game.do("pass"))
    assert text == "player 1 drops; player 0 wins a single game, 2 points"
    assert (game.is_over, game.winner, game.points) == (True, 0, 2)
    assert game.legal() == []


def test_a_resignation_is_offered_refused_and_accepted() -> None:
    """R28 at the table."""
    game = at_start(rules=OFFERS)
    assert "resign gammon" in game.legal()
    assert str(game.resign()) == "player 0 offers to resign a single game"
    assert game.legal() == ["accept", "refuse"]
    assert str(game.refuse()) == "player 1 refuses"
    assert "resign single" not in game.legal()
    game.do("resign a gammon")
    text = str(game.accept())
    assert text == "player 1 accepts; player 1 wins a gammon, 2 points"


def test_an_immediate_resignation_ends_the_game() -> None:
    """R28, sheet B."""
    game = at_start(rules=Rules(resign="immediate", jacoby=False))
    assert str(game.do("resign")) == (
        "player 0 resigns; player 1 wins a gammon, 2 points"
    )


def test_nobody_resigns_between_moves() -> None:
    """R28: before the first move of a play only."""
    game = at_start(rules=OFFERS, dice=(3, 1))
    assert "resign single" in game.legal()
    game.move("8/5")
    assert "resign single" not in game.legal()
    before = everything(game)
    with pytest.raises(IllegalActionError, match="between moves"):
        game.resign()
    assert everything(game) == before


def test_a_lost_roll_is_confirmed() -> None:
    """R13 at the table."""
    for text in ("confirm", "pass"):
        game = table({25: 1, 6: 5}, CLOSED, dice=(6, 5))
        assert game.plays() == ["(no play)"]
        assert game.legal() == ["confirm"]
        assert str(game.do(text)) == "player 0: 65: (no play)"
        assert game.to_act == 1


def test_a_lost_roll_can_be_played_by_its_name() -> None:
    game = table({25: 1, 6: 5}, CLOSED, dice=(6, 5))
    assert str(game.play("(no play)", confirm=True).history[-1]).endswith("(no play)")


def test_the_last_checker_off_ends_the_game_when_confirmed() -> None:
    game = table({1: 1}, {23: 15}, dice=(2, 1))
    game.move("1/off")
    assert not game.is_over
    assert str(game.confirm()) == (
        "player 0: 21: 1/off; player 0 wins a backgammon, 3 points"
    )


def test_where_either_die_bears_off_the_smaller_is_used() -> None:
    game = table({2: 2, 1: 1}, {13: 15}, dice=(6, 4))
    assert game.legal() == ["2/off"]
    game.move("2/off")
    assert game.dice_left == (6,)


def test_whole_plays_parts_and_rests_are_read() -> None:
    game = at_start(dice=(5, 5))
    game.do("13/8(2)")
    assert game.dice_left == (5, 5)
    game.do("13/3")
    assert game.legal() == ["confirm", "take back"]
    assert str(game.confirm()) == "player 0: 55: 13/3 13/8(2)"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("8/2", IllegalPlayError, "not legal"),
        ("24/18 13/11", IllegalPlayError, "not legal"),
        ("8/5* 6/5", IllegalPlayError, "hit"),
        ("hello", InvalidNotationError, "hello"),
        ("", InvalidNotationError, "Say what to do"),
        (None, InvalidNotationError, "Say what to do"),
        ("pass", IllegalActionError, "Nothing can be passed"),
        ("confirm", IllegalPlayError, "not complete"),
        ("take back", IllegalActionError, "No move can be taken back"),
        ("roll", IllegalActionError, "not legal"),
        ("roll 31", IllegalActionError, "not legal"),
        ("double", IllegalActionError, "not legal"),
        ("take", IllegalActionError, "not legal"),
        ("accept", IllegalActionError, "not legal"),
        ("resign", IllegalActionError, "not legal"),
        ("claim", IllegalActionError, "no clock"),
        ("undo", IllegalActionError, "nothing was done"),
        ("call illegal", IllegalActionError, "over_the_board=True"),
        (f"leave {START.id}", IllegalActionError, "over_the_board=True"),
        ("leave home", InvalidNotationError, "position id"),
        ("accept result", IllegalActionError, "goes on"),
    ],
)
def test_what_is_refused_leaves_the_game_as_it_was(
    text: Any, error: type[BgEnvError], says: str
) -> None:
    game = at_start(dice=(3, 1))
    before = everything(game)
    with pytest.raises(error, match=says) as caught:
        game.do(text)
    assert one_sentence(caught.value)
    assert everything(game) == before


@pytest.mark.parametrize("text", ["8/5", "confirm", "(no play)", "take", "take back"])
def test_before_the_roll_nothing_is_played(text: str) -> None:
    game = at_start()
    before = everything(game)
    with pytest.raises(IllegalActionError):
        game.do(text)
    assert everything(game) == before


def test_a_finished_game_takes_no_more_decisions() -> None:
    game = at_start()
    game.double()
    game.drop()
    before = everything(game)
    for text in ("roll", "double", "8/5", "confirm", "claim", "accept result"):
        with pytest.raises(IllegalActionError):
            game.do(text)
    with pytest.raises(IllegalActionError, match="is over"):
        game.ask("random")
    assert everything(game) == before
    game.undo()
    assert game.legal() == ["roll", "double"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"players": "td"}, "players are two"),
        ({"players": (None,)}, "players are two"),
        ({"names": ("a",)}, "names are two"),
        ({"names": ("a", " ")}, "names are two"),
        ({"names": (1, 2)}, "names are two"),
        ({"over_the_board": 1}, "True or False"),
        ({"rules": 7}, "rules is"),
        ({"rules": "standard", "state": GameState.new()}, "leave out rules"),
        ({"rules": Rules.preset("timed"), "time_source": 3}, "time source"),
    ],
)
def test_a_table_with_impossible_options_is_refused(
    arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidOptionError, match=says) as caught:
        Game(**arguments)
    assert one_sentence(caught.value)


def test_a_game_begins_neither_over_nor_in_the_middle_of_a_roll() -> None:
    state = GameState.from_position(START, dice=(3, 1))
    state.apply(move_code(8, 3))
    with pytest.raises(InvalidOptionError, match="of the roll 3-1"):
        Game(state=state)
    over = GameState.from_position(START)
    over.apply(DOUBLE)
    over.apply(154)
    with pytest.raises(InvalidOptionError, match="is over"):
        Game(state=over)


def test_a_game_begins_from_an_xgid() -> None:
    game = Game.from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10")
    assert game.score == (4, 2)
    assert game.dice == (3, 1)


def test_without_a_seed_every_game_has_other_dice() -> None:
    games = [Game(), Game()]
    assert games[0].start != games[1].start
    assert Game(seed=5).start == Game(seed=5).start


def test_the_state_handed_out_is_a_copy() -> None:
    game = at_start()
    game.state.apply(ROLL)
    game.start.apply(ROLL)
    assert game.dice is None


# --- the picture --------------------------------------------------------------------


def test_the_board_is_drawn_with_open_moves() -> None:
    game = at_start(dice=(3, 1))
    assert repr(game) == game.show()
    assert game.show().endswith("X to play 31")
    game.move("8/5")
    assert game.show().endswith("X plays 31: 8/5, left 1")
    assert "O: player 1" in game.show()
    game.move("6/5")
    assert game.show(unicode=True).endswith("● has played 31: 8/5 6/5, to be confirmed")
    assert game.show(viewer=1, home="left").count("\n") == repr(game).count("\n")
    with pytest.raises(InvalidOptionError, match="viewer"):
        game.show(viewer=2)


# --- agents -------------------------------------------------------------------------


class Cheat:
    """Moves what is not there."""

    name = "cheat"

    def act(self, states: Any, streams: Any) -> Any:
        return [move_code(1, 1)] * len(states)


class OneMove:
    """Gives single moves only, always the first that is legal."""

    name = "one move"

    def act(self, states: Any, streams: Any) -> Any:
        import numpy as np

        from bg_env.rules.batch import legal_masks

        return np.argmax(legal_masks(states)[:, ::-1], axis=1) * -1 + 161


class Doubler(PlayChooser):
    """Doubles whenever he may."""

    name = "doubler"

    def choose(self, states: Any, boards: Any, offsets: Any, streams: Any) -> Any:
        return offsets[:-1]

    def act(self, states: Any, streams: Any) -> Any:
        codes = super().act(states, streams)
        state = GameState(states, Rules())
        if state.is_legal(DOUBLE):
            codes[:] = DOUBLE
        return codes


def test_an_agent_decides_for_the_player_to_act() -> None:
    game = at_start()
    assert game.ask("random").kind == "roll"
    assert game.ask("random").kind == "play"
    assert game.to_act == 1
    assert str(game.ask(Doubler())) == "player 1 doubles to 2"
    assert str(game.ask("pubeval")) == "player 0 takes"


def test_a_random_agent_draws_from_the_game_so_that_it_replays() -> None:
    game = Game(seed=4, players=("random", "random"))
    game.advance()
    assert game.is_over
    again = Game(state=game.start)
    again.replay(game.history)
    assert again.state == game.state
    assert again.history == game.history or again.names != game.names


def test_agents_go_on_until_a_person_is_to_act() -> None:
    game = Game(seed=1, players=(None, "pubeval"), names=("You", "pubeval"))
    assert game.advance() == []
    game.roll((1, 6))
    assert [event.player for event in game.advance()] == [1]
    assert game.to_act == 0
    assert game.log[-1].startswith("pubeval: 61: ")


def test_two_agents_of_one_name_are_told_apart() -> None:
    assert Game(players=("random", "random")).names == ("random 0", "random 1")
    assert Game(players=(None, "random")).names == ("player 0", "random")
    with pytest.raises(UnknownNameError):
        Game(players=(None, "nobody"))


def test_an_agent_that_gives_single_moves_makes_a_whole_play() -> None:
    game = at_start(dice=(5, 5))
    event = game.ask(OneMove())
    assert event.kind == "play"
    assert len(event.moves) == 4


def test_an_illegal_decision_of_an_agent_is_refused_by_name() -> None:
    game = at_start(dice=(3, 1))
    before = everything(game)
    with pytest.raises(IllegalPlayError, match="'cheat'"):
        game.ask(Cheat())
    assert everything(game) == before


def test_an_agent_is_not_asked_in_the_middle_of_a_play() -> None:
    game = at_start(dice=(3, 1))
    game.move("8/5")
    with pytest.raises(IllegalActionError, match="take it back"):
        game.ask("random")


def test_at_a_table_one_may_offer_to_resign_unless_the_rules_say_otherwise() -> None:
    """R28: the default of the rule, for presets; rules that are given stay."""
    assert Game().rules == Game("standard").rules == Rules(resign="offer")
    assert Game("timed").rules == Rules.preset("timed")
    assert Game(Rules()).rules.resign is None
