"""Chouettes for tests: short bear-offs played with fixed dice, players by letter."""

from __future__ import annotations

import random
from typing import Any

from bg_env.rules.decisions import DOUBLE, DROP, ROLL, TAKE
from bg_env.rules.options import Rules
from bg_env.rules.position import Position
from bg_env.table.chouette import Chouette

LETTERS = "XABCDEFG"
BOX_FIRST, TEAM_FIRST = (2, 1), (1, 2)  # opening: die of the box, die of the captain


def race(box: dict[int, int], team: dict[int, int], **options: Any) -> Rules:
    """Rules of games that start with these checkers; all others are off."""
    return Rules(start=Position.from_points(box, team).id, **options)


def seated(
    players: str, rules: Rules, opening: tuple[int, int], *, own_cubes: bool = False
) -> Chouette:
    """A chouette with the first letter in the box; every roll after the opening is 2-1.

    The opening is rolled and the first turn played.
    """
    chouette = Chouette(
        list(LETTERS[: len(players)]),
        rules=rules,
        own_cubes=own_cubes,
        order=[LETTERS.index(letter) for letter in players],
    )
    begin(chouette, opening)
    return chouette


def begin(chouette: Chouette, opening: tuple[int, int]) -> None:
    """Roll the opening and play the first turn; 2-1 for all rolls to come."""
    chouette.set_dice_queue([opening] + [(2, 1)] * 200)
    chouette.apply(chouette.to_act, ROLL)
    finish_turn(chouette)


def letters(players: Any) -> str:
    """Players as letters: ``(2, 3)`` is "BC"."""
    return "".join(LETTERS[player] for player in players)


def seats(chouette: Chouette) -> str:
    """Box and line: "X ABCD"."""
    return f"{LETTERS[chouette.box]} {letters(chouette.line)}"


def asked(chouette: Chouette) -> str:
    """Who is asked, and by now also about whose cube: "X about A"."""
    question = chouette.asked[0]
    return f"{LETTERS[question.player]} about {letters(question.members)}"


def paid(chouette: Chouette) -> list[str]:
    """The payments of this game: "A pays X 2"."""
    return [
        f"{LETTERS[payer]} pays {LETTERS[payee]} {points}"
        for payer, payee, points in chouette.payments
    ]


def scores(chouette: Chouette) -> dict[str, int]:
    """All scores by letter; checked to add up to 0."""
    assert sum(chouette.scores) == 0
    return dict(zip(LETTERS, chouette.scores, strict=False))


def say(chouette: Chouette, words: str) -> None:
    """Decisions of players one after the other: "A double, B no, X take, A roll".

    "no" refuses a double, "roll" rolls; both are the same code. After a roll the turn
    is played to its end.
    """
    codes = {"double": DOUBLE, "no": ROLL, "roll": ROLL, "take": TAKE, "drop": DROP}
    for phrase in words.split(", "):
        letter, word = phrase.split()
        assert chouette.to_act == LETTERS.index(letter), (phrase, asked(chouette))
        chouette.apply(chouette.to_act, codes[word])
        if word == "roll":
            assert chouette.stage in ("moving", "over"), phrase
            finish_turn(chouette)


def finish_turn(chouette: Chouette) -> None:
    """Play the rest of a turn, the last legal move each time."""
    while chouette.stage == "moving":
        player = chouette.to_act
        chouette.apply(player, chouette.legal_decisions(player)[-1])


class RandomPlayer:
    """A function that decides at random, but doubles and drops only now and then."""

    def __init__(self, seed: int, *, double: float = 0.2, drop: float = 0.3) -> None:
        self.random = random.Random(seed)
        self.chances = {DOUBLE: double, DROP: drop}

    def __call__(self, chouette: Chouette, player: int) -> int:
        """A decision of the player asked."""
        legal = chouette.legal_decisions(player)
        for code, chance in self.chances.items():
            if code in legal:
                other = next(c for c in legal if c != code)
                return code if self.random.random() < chance else other
        return self.random.choice(legal)
