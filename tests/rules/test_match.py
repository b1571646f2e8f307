"""Match play: the length, the Crawford game, and what belongs to money play only."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import pytest
from played_games import bear_off_last, bytes_of, game_at, play, start_game

from bg_env.errors import IllegalActionError, InvalidOptionError
from bg_env.notation import parse_xgid
from bg_env.rules.decisions import DOUBLE, DROP, PASS, ROLL, TAKE
from bg_env.rules.game import GameState
from bg_env.rules.options import PRESETS, Rules
from bg_env.rules.state import BEFORE_ROLL, DROPPED, JACOBY, MOVING, OPENING

BOTH = pytest.mark.parametrize("player", [0, 1])
SINGLE, GAMMON = {1: 14}, {8: 15}
CRAWFORD_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:{turn}:00:4:2:1:5:10"


def match_state(
    length: int,
    score: tuple[int, int],
    *,
    crawford: bool | None = None,
    with_crawford: bool = True,
    on_roll: int = 0,
) -> GameState:
    """A game of a match at this score, the roll to come."""
    rules = Rules(match_length=length, crawford=with_crawford)
    return start_game(rules=rules, score=score, crawford=crawford, on_roll=on_roll)


def win_game(state: GameState, winner: int, points: int = 1) -> None:
    """End this game: `winner` wins so many points (1 or 2) on the board; go on."""
    opponent: Mapping[int, int] = SINGLE if points == 1 else GAMMON
    board = game_at({1: 1}, opponent).record["board"]
    record = state.record
    record["board"], record["on_roll"], record["to_act"] = board, winner, winner
    record["phase"], record["turn"] = BEFORE_ROLL, 2
    bear_off_last(state)
    assert state.points == points * state.cube


def may_double(state: GameState) -> tuple[bool, bool]:
    """Whether player 0, and player 1, may double at his turn of the next game."""
    answers = []
    for player in (0, 1):
        trial = state.clone()
        trial.next_game()
        trial.set_dice(*((1, 6) if player == 0 else (6, 1)))
        while trial.phase == MOVING:
            trial.apply(trial.legal_decisions()[0])
        assert trial.on_roll == player
        answers.append(trial.is_legal(DOUBLE))
    return answers[0], answers[1]


# --- how long a match is -----------------------------------------------------------


@pytest.mark.parametrize("length", [1, 3, 5, 7, 9, 11, 13, 25])
def test_whoever_reaches_the_length_wins_the_match(length: int) -> None:
    """R25: single games: it takes exactly N wins of one side."""
    state = GameState.new(Rules(match_length=length))
    for game in range(1, length + 1):
        win_game(state, 1)
        assert state.score == (0, game)
        assert state.is_match_over is (game == length)
        if game < length:
            state.next_game()


def test_a_match_goes_on_until_somebody_has_enough() -> None:
    """R25, case 28: 7-point match, 5-3, the leader wins a single game: 6-3, goes on."""
    state = game_at({1: 1}, SINGLE, rules=Rules(match_length=7), score=(5, 3))
    bear_off_last(state)
    assert state.score == (6, 3)
    assert not state.is_match_over
    state.next_game()
    assert state.phase == OPENING
    assert state.score == (6, 3)


@BOTH
def test_points_beyond_the_length_end_the_match_too(player: int) -> None:
    """R25: N or more: 6-6 in a match to 7, gammon with the cube at 4."""
    rules = Rules(match_length=7)
    state = game_at(
        {1: 1}, GAMMON, rules=rules, score=(6, 6), cube=4, cube_owner=0, on_roll=player
    )
    bear_off_last(state)
    assert state.points == 8
    assert state.is_match_over
    assert state.winner == player
    assert max(state.score) >= 7


def test_no_game_follows_the_last_of_a_match() -> None:
    """R25: nor does a next game begin before this one is over."""
    state = game_at({1: 1}, SINGLE, rules=Rules(match_length=3), score=(2, 2))
    with pytest.raises(IllegalActionError, match="over"):
        state.next_game()
    bear_off_last(state)
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match=r"match to 3 is over at \(3, 2\)"):
        state.next_game()
    assert bytes_of(state) == before
    assert state.legal_decisions() == [PASS]


@pytest.mark.parametrize("length", [2, 4, 10, 64])
def test_an_even_length_is_accepted_with_a_warning(length: int) -> None:
    """R25: any N ≥ 1 is accepted, an even N with a warning."""
    with pytest.warns(UserWarning, match=f"match to {length}"):
        assert Rules(match_length=length).match_length == length


@pytest.mark.parametrize("length", [1, 3, 5, 7, 21, 32767])
def test_an_odd_length_is_accepted_without_one(length: int) -> None:
    """R25: and every preset that is a match has an odd one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Rules(match_length=length).match_length == length
    for preset in PRESETS.values():
        assert not preset.get("match_length") or preset["match_length"] % 2 == 1


@pytest.mark.filterwarnings("ignore:A match to")
def test_a_match_to_two_has_a_crawford_game() -> None:
    """R25, R26: N − 1 = 1: the second game."""
    state = GameState.new(Rules(match_length=2))
    win_game(state, 0)
    state.next_game()
    assert state.crawford


@pytest.mark.parametrize("name", ["match", "us-tournament"])
@pytest.mark.parametrize("length", [0, None, -1, 40_000, 2.5, "7", True])
def test_a_match_preset_needs_a_length(name: str, length: object) -> None:
    """R25: 0, no number, negative, too long: refused, and the value is named."""
    with pytest.raises(InvalidOptionError, match=str(length)):
        Rules.preset(name, match_length=length)


# --- one-point matches -------------------------------------------------------------


@BOTH
def test_a_one_point_match_has_no_cube(player: int) -> None:
    """R26, case 37: no cube decision ever, no Crawford game, one win is enough."""
    state = match_state(1, (0, 0), on_roll=player)
    assert state.legal_decisions() == [ROLL]
    assert not state.crawford
    fresh = GameState.new(Rules(match_length=1))
    assert not fresh.crawford
    win_game(fresh, player, points=2)
    assert fresh.is_match_over


def test_an_xgid_of_a_one_point_match_has_no_cube() -> None:
    """R26, case 37: the position of the case, rolled and before the roll."""
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{roll}:0:0:0:1:10"
    rolled = parse_xgid(text.format(roll="31"))
    assert (rolled.match_length, rolled.crawford) == (1, False)
    assert not rolled.is_legal(DOUBLE)
    assert parse_xgid(text.format(roll="00")).legal_decisions() == [ROLL]


# --- the Crawford game -------------------------------------------------------------


@BOTH
def test_the_crawford_game_is_one_game(player: int) -> None:
    """R26, case 35: 3-2, 4-2 Crawford, 4-3 doubles again, 4-4 no second one."""
    leader, trailer = player, 1 - player
    score = (3, 2) if leader == 0 else (2, 3)
    state = match_state(5, score)
    assert not state.crawford
    win_game(state, leader)
    assert may_double(state) == (False, False)
    state.next_game()
    assert state.crawford
    for _ in range(2):  # to 4-3, then to 4-4
        win_game(state, trailer)
        assert may_double(state) == (True, True)
        state.next_game()
        assert not state.crawford
    assert state.score == (4, 4)


@BOTH
@pytest.mark.parametrize("length", [3, 5, 7, 11])
def test_a_match_has_its_crawford_game_when_a_player_is_one_point_short(
    player: int, length: int
) -> None:
    """R26: from 0-0, single games of one side: game N is the Crawford game."""
    state = GameState.new(Rules(match_length=length))
    crawford_games = []
    for game in range(1, length + 1):
        crawford_games.append(state.crawford)
        win_game(state, player)
        if game < length:
            state.next_game()
    assert crawford_games == [False] * (length - 1) + [True]


def test_a_leap_over_match_point_skips_the_crawford_game() -> None:
    """R26: exactly N − 1 points: 3-0 and a gammon with the cube at 1 end 5-0."""
    state = match_state(5, (3, 0))
    win_game(state, 0, points=2)
    assert state.is_match_over
    state = match_state(5, (2, 3))
    win_game(state, 0)  # 3-3
    state.next_game()
    assert not state.crawford
    win_game(state, 1)  # 3-4
    state.next_game()
    assert state.crawford


@pytest.mark.parametrize("turn", [1, -1])
def test_neither_side_may_double_in_the_crawford_game(turn: int) -> None:
    """R26, case 36: the mask has the roll only, for the leader and the trailer."""
    state = parse_xgid(CRAWFORD_XGID.format(turn=turn))
    assert state.crawford
    assert state.on_roll == (0 if turn == 1 else 1)
    assert state.legal_decisions() == [ROLL]
    before = bytes_of(state)
    with pytest.raises(IllegalActionError, match="152"):
        state.apply(DOUBLE)
    assert bytes_of(state) == before


@BOTH
def test_the_trailer_may_double_after_the_crawford_game(player: int) -> None:
    """R26: post-Crawford the cube is back for both, from the second turn on."""
    state = match_state(5, (4, 2), crawford=False, on_roll=player)
    assert not state.crawford
    assert state.is_legal(DOUBLE)
    play(state, DOUBLE, DROP)
    assert state.ending == DROPPED
    assert state.points == 1


@BOTH
def test_the_crawford_rule_can_be_turned_off(player: int) -> None:
    """R26: crawford=False: no game without the cube."""
    state = match_state(5, (4, 2), with_crawford=False, on_roll=player)
    assert not state.crawford
    assert state.is_legal(DOUBLE)
    won = match_state(5, (3, 2), with_crawford=False)
    win_game(won, 0)
    assert may_double(won) == (True, True)


@pytest.mark.parametrize(
    ("length", "score", "said", "is_crawford"),
    [
        (5, (4, 2), None, True),
        (5, (4, 2), True, True),
        (5, (4, 2), False, False),
        (5, (4, 4), None, False),
        (5, (3, 3), None, False),
        (5, (0, 4), None, True),
        (1, (0, 0), None, False),
        (0, (4, 2), None, False),
    ],
)
def test_the_crawford_game_of_a_score(
    length: int, score: tuple[int, int], said: bool | None, is_crawford: bool
) -> None:
    """R26: built from a score, match point is the Crawford game unless told."""
    assert match_state(length, score, crawford=said).crawford is is_crawford


@pytest.mark.parametrize(
    ("length", "score"), [(5, (3, 2)), (5, (4, 4)), (1, (0, 0)), (0, (0, 0))]
)
def test_a_crawford_game_needs_one_player_at_match_point(
    length: int, score: tuple[int, int]
) -> None:
    """R26: said of another score it is refused, and the score is named."""
    with pytest.raises(InvalidOptionError, match=str(score[0])):
        match_state(length, score, crawford=True)
    with pytest.raises(InvalidOptionError, match="crawford=False"):
        match_state(5, (4, 2), crawford=True, with_crawford=False)


@pytest.mark.parametrize(
    ("length", "score", "cube"), [(1, (0, 0), 2), (5, (4, 2), 4), (5, (0, 4), 64)]
)
def test_no_cube_stands_turned_in_a_game_without_it(
    length: int, score: tuple[int, int], cube: int
) -> None:
    """R26: a turned cube in a Crawford game or one-point match is refused."""
    rules = Rules(match_length=length)
    for owner in (0, None):
        with pytest.raises(InvalidOptionError, match=str(cube)):
            start_game(rules=rules, score=score, cube=cube, cube_owner=owner)


# --- scores that cannot be ---------------------------------------------------------


@pytest.mark.parametrize(
    "score", [(5, 0), (0, 7), (-1, 0), (0, -3), (1.5, 0), (1, 2, 3), ("4", 0)]
)
def test_a_score_that_a_match_cannot_have_is_refused(score: tuple[int, int]) -> None:
    """R25: at or beyond N, negative, no two whole numbers."""
    with pytest.raises(InvalidOptionError, match="score") as caught:
        match_state(5, score)
    assert repr(score) in str(caught.value)


def test_a_refused_score_leaves_the_state_untouched() -> None:
    """R25: set_score checks before it writes."""
    state = match_state(5, (1, 2))
    before = bytes_of(state)
    for score in ((5, 0), (-1, 0)):
        with pytest.raises(InvalidOptionError):
            state.set_score(score)
    with pytest.raises(InvalidOptionError):
        state.set_score((1, 2), crawford=True)
    assert bytes_of(state) == before


# --- money play only ---------------------------------------------------------------


@pytest.mark.parametrize(
    "option", [{"jacoby": True}, {"automatic_doubles": 1}, {"beavers": 3}]
)
@pytest.mark.parametrize("name", ["match", "us-tournament"])
def test_money_options_are_refused_in_a_match(
    name: str, option: dict[str, int]
) -> None:
    """R27: Jacoby, automatic doubles and beavers do not apply; the option is named."""
    (key, value) = next(iter(option.items()))
    with pytest.raises(InvalidOptionError, match=f"{key}={value!r}"):
        Rules.preset(name, **option)
    assert getattr(Rules(**option), key) == value  # type: ignore[arg-type]


def test_an_opening_tie_of_a_match_doubles_nothing() -> None:
    """R27: the cube of a match starts at 1 whatever was rolled."""
    state = GameState.new(Rules(match_length=7))
    state.set_dice_queue([(4, 4), (2, 2), (6, 5)])
    state.apply(ROLL)
    assert (state.cube, state.cube_owner) == (1, None)


def test_gammons_of_a_match_count_without_a_double() -> None:
    """R27, R22: no Jacoby in a match."""
    state = match_state(7, (0, 0))
    state.record["options"] |= JACOBY  # what no rules can say
    win_game(state, 1, points=2)
    assert state.score == (0, 2)
    assert play(match_state(7, (0, 0)), DOUBLE, TAKE).cube == 2
