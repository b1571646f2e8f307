"""`CubePlayer`: the full game, legal and sensible, whatever rates the positions."""

import numpy as np
import pytest
from bg_agents.td_agent import TdAgent
from cube_positions import FixedChances
from support import ROOT

from bg_env.agent import PlayChooser, make_agent
from bg_env.errors import InvalidOptionError
from bg_env.evaluation import evaluate
from bg_env.rules.decisions import (
    ACCEPT,
    BEAVER,
    CLAIM,
    DOUBLE,
    DROP,
    REFUSE,
    RESIGN_BACKGAMMON,
    RESIGN_GAMMON,
    RESIGN_SINGLE,
    ROLL,
    TAKE,
)
from bg_env.rules.game import GameState
from bg_env.rules.options import Clock, Rules
from bg_env.rules.position import Position
from bg_env.search.cube_agent import CubePlayer, with_cube
from bg_env.testing import check_agent

RICH = Rules(jacoby=True, beavers=3, automatic_doubles=1, resign="offer")
MATCH = Rules(match_length=5, resign="offer")
LATE = Position.from_points({6: 5, 8: 4, 13: 6}, {6: 5, 8: 4, 13: 6})


def player(*chances, **options):
    """A player to whom whoever is on roll has these chances."""
    return CubePlayer(FixedChances(*chances), **options)


def decision(agent, game):
    """What the agent does in one game."""
    return int(agent.act(game.record, np.zeros(1, np.uint64))[0])


def td():
    """A network that plays the full game."""
    return with_cube(TdAgent())


# --- single decisions -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("win", "code"), [(0.4, ROLL), (0.6, ROLL), (0.75, DOUBLE), (0.95, DOUBLE)]
)
def test_it_doubles_when_it_is_far_enough_ahead(win, code):
    game = GameState.from_position(LATE)
    assert decision(player(win, 0, 0, 0, 0), game) == code


def test_it_plays_on_for_a_gammon():
    game = GameState.from_position(LATE)
    assert decision(player(0.95, 0.7, 0, 0, 0), game) == ROLL
    jacoby = GameState.from_position(LATE, rules=RICH)
    assert decision(player(0.95, 0.7, 0, 0, 0), jacoby) == DOUBLE


@pytest.mark.parametrize(("win", "code"), [(0.7, TAKE), (0.85, DROP), (0.4, BEAVER)])
def test_it_answers_a_double_by_its_chances(win, code):
    game = GameState.from_position(LATE, rules=RICH, doubled=True)
    assert decision(player(win, 0, 0, 0, 0), game) == code


def test_without_beavers_a_bad_double_is_taken():
    game = GameState.from_position(LATE, doubled=True)
    assert decision(player(0.4, 0, 0, 0, 0), game) == TAKE


@pytest.mark.parametrize(("win", "code"), [(0.7, BEAVER), (0.45, TAKE), (0.1, DROP)])
def test_it_answers_a_beaver_with_a_raccoon_a_take_or_a_drop(win, code):
    game = GameState.from_position(LATE, rules=RICH, doubled=True)
    game.apply(BEAVER)
    assert game.to_act == game.on_roll
    assert decision(player(win, 0, 0, 0, 0), game) == code


@pytest.mark.parametrize(
    ("chances", "level", "code"),
    [
        ((0.0, 0, 0, 0, 0), RESIGN_SINGLE, ACCEPT),
        ((0.2, 0, 0, 0, 0), RESIGN_SINGLE, ACCEPT),
        ((0.0, 0, 0, 0.5, 0), RESIGN_SINGLE, REFUSE),
        ((0.0, 0, 0, 0.5, 0), RESIGN_GAMMON, ACCEPT),
        ((0.0, 0, 0, 1.0, 0.5), RESIGN_GAMMON, REFUSE),
        ((0.0, 0, 0, 1.0, 0.5), RESIGN_BACKGAMMON, ACCEPT),
    ],
)
def test_it_accepts_a_resignation_that_is_worth_as_much_as_playing_on(
    chances, level, code
):
    rules = Rules(resign="offer")
    game = GameState.from_position(LATE, rules=rules, cube=2, cube_owner=0)
    game.apply(level)
    assert decision(player(*chances), game) == code


def test_a_resignation_after_the_roll_is_weighed_by_the_best_play():
    position = Position.from_points({1: 1}, {1: 1})
    rules = Rules(resign="offer")
    game = GameState.from_position(position, rules=rules, dice=(3, 1))
    game.apply(RESIGN_SINGLE)
    assert decision(player(0.5, 0, 0, 0, 0), game) == ACCEPT
    match = Rules(match_length=3, resign="offer")
    game = GameState.from_position(LATE, rules=match, dice=(3, 1))
    game.apply(RESIGN_SINGLE)
    assert decision(player(0.9, 0.8, 0, 0, 0), game) == REFUSE


def test_it_resigns_what_is_lost_for_certain_and_nothing_else():
    rules = Rules(resign="offer")
    lost = Position.from_points({6: 4, 1: 1}, {1: 1})
    game = GameState.from_position(lost, rules=rules)
    agent = player(0.9, 0, 0, 0, 0)
    assert decision(agent, game) == RESIGN_SINGLE
    game.apply(RESIGN_SINGLE)
    game.apply(REFUSE)
    assert decision(agent, game) == ROLL
    open_game = Position.from_points({6: 4}, {1: 4})
    game = GameState.from_position(open_game, rules=rules)
    assert decision(agent, game) != RESIGN_SINGLE


def test_it_claims_on_time_what_is_worth_more_than_the_game():
    single = Rules(clock=Clock(award="single"), cube=False)
    for chances, code in (((0.6, 0, 0, 0, 0), CLAIM), ((0.99, 0.9, 0.1, 0, 0), ROLL)):
        game = GameState.from_position(LATE, rules=single)
        game.record["reserve"][0, 1 - game.on_roll] = 0
        assert decision(player(*chances), game) == code


# --- plays by cube and score ----------------------------------------------------------


class GammonOrWin:
    """Of whoever is to roll: blots at home make gammons likely and wins rarer."""

    name = "gammon-or-win"

    def evaluate(self, boards):
        """Chances by the number of checkers on the other's 4 point."""
        risky = boards[:, 1, 4] > 0
        sure, wild = (0.45, 0, 0, 0.1, 0), (0.55, 0, 0, 0.4, 0)
        return np.where(risky[:, None], wild, sure).astype(np.float32)


def is_wild(state):
    """Whether the play leaves a checker on the 4 point."""
    streams = np.zeros(1, np.uint64)
    game = GameState(state.copy(), Rules())
    for code in CubePlayer(GammonOrWin()).plays(state, streams)[0]:
        if code:
            game.apply(int(code))
    return game.position_of(0).mover[4] > 0


def test_plays_follow_the_score():
    position = Position.from_points({6: 5, 8: 4, 13: 6}, {6: 5, 8: 4, 13: 6})

    def at(score, **options):
        rules = Rules(match_length=7)
        return GameState.from_position(
            position, rules=rules, dice=(2, 1), score=score, **options
        ).record

    assert is_wild(at((3, 5)))
    assert not is_wild(at((6, 5), crawford=True))


def test_by_jacoby_gammons_are_not_played_for_with_the_cube_in_the_middle():
    middle = GameState.from_position(LATE, rules=Rules(jacoby=True), dice=(2, 1))
    owned = GameState.from_position(
        LATE, rules=Rules(jacoby=True), dice=(2, 1), cube=2, cube_owner=1
    )
    assert is_wild(owned.record)
    assert not is_wild(middle.record)


def test_where_the_other_would_cash_the_better_chance_is_played_for():
    class Counting(FixedChances):
        def evaluate(self, boards):
            chances = super().evaluate(boards)
            chances[:, 0] -= 0.01 * (boards[:, 1, 4] > 0)
            return chances

    game = GameState.from_position(LATE, dice=(2, 1))
    agent = CubePlayer(Counting(0.97, 0, 0, 0, 0))
    for code in agent.plays(game.record, np.zeros(1, np.uint64))[0]:
        if code:
            game.apply(int(code))
    assert game.position_of(0).mover[4] > 0


def test_looking_ahead_finds_plays_too():
    game = GameState.from_position(Position.start(), dice=(3, 1))
    agent = with_cube(make_agent("td"), play_plies=1)
    play = agent.best_play(game.position, (3, 1))
    assert play.result.mover[5] == 2


# --- whole games ----------------------------------------------------------------------


def test_in_cubeless_money_games_it_plays_as_its_evaluator():
    found = evaluate(td(), "td", games=20, rules="cubeless", seed=3)
    assert found.points_per_game == 0


@pytest.mark.parametrize(
    "rules", [Rules(), RICH, MATCH], ids=["money", "rich", "match"]
)
def test_it_plays_whole_games_and_ends_a_good_part_of_them_by_the_cube(rules):
    games = 40 if rules.match_length else 80
    found = evaluate(td(), td(), games=games, rules=rules, seed=5, paired=False)
    dropped = found.endings.dropped / found.played
    assert 0.15 < dropped < 0.8
    assert found.truncated == 0


@pytest.mark.heavy
@pytest.mark.parametrize("rules", [Rules(), RICH], ids=["money", "rich"])
def test_it_plays_500_money_games_legally(rules):
    found = evaluate(td(), td(), games=500, rules=rules, seed=6)
    assert found.played == 500
    assert found.points_per_game == 0  # the same agent, the same dice for both seats
    assert 0.3 < found.endings.dropped / 500 < 0.7


@pytest.mark.heavy
def test_it_plays_60_matches_legally_and_the_cube_wins_matches():
    found = evaluate(td(), td(), games=60, rules=Rules(match_length=7), seed=6)
    assert found.matches.won == found.matches.lost == 30
    with_against_without = evaluate(td(), TdAgent(), games=200, rules="match", seed=7)
    assert with_against_without.matches.won > 110


def test_the_cube_wins_points_from_who_does_not_use_it():
    found = evaluate(td(), TdAgent(), games=200, rules="standard", seed=8)
    assert found.points_per_game > 0.1


def test_it_keeps_to_the_contract_of_agents():
    check_agent(td(), games=4)


def test_with_plays_of_another_it_keeps_to_the_contract():
    pubeval = make_agent("pubeval")
    assert isinstance(pubeval, PlayChooser)
    agent = with_cube(make_agent("td"), chooser=pubeval, name="pubeval+cube")
    assert agent.name == "pubeval+cube"
    check_agent(agent, rules=[Rules(jacoby=True, beavers=1)], games=2)
    position = Position.start()
    for dice in ((3, 1), (6, 4), (5, 5)):
        assert agent.best_play(position, dice) == pubeval.best_play(position, dice)


def test_it_is_an_evaluator_with_the_chances_of_its_own():
    boards = LATE.to_board()[None]
    agent = td()
    assert agent.evaluate(boards).tolist() == make_agent("td").evaluate(boards).tolist()
    assert agent.name == "td"


def test_what_rates_no_positions_is_refused():
    with pytest.raises(InvalidOptionError, match="needs an evaluator, with a method"):
        CubePlayer("td")
    with pytest.raises(InvalidOptionError, match="play_plies is a whole number"):
        player(0.5, 0, 0, 0, 0, play_plies=-1)


def test_the_page_about_the_cube_runs(capsys):
    text = (ROOT / "docs" / "cube.md").read_text(encoding="utf-8")
    snippet = text.split("```python\n")[1].split("```")[0]
    exec(compile(snippet, "docs/cube.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] == "True True 1.0"
