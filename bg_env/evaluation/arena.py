"""The arena: two agents over thousands of games at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from bg_env.agent import Agent, Evaluator, make_agent
from bg_env.errors import EngineError, InvalidOptionError
from bg_env.evaluation._luck import LUCK_SCALE, LuckMeter
from bg_env.evaluation._timing import TimeSource, Timing
from bg_env.evaluation._wave import Plan, Tally, play_wave
from bg_env.evaluation.results import (
    Endings,
    EvaluationResult,
    LuckAdjusted,
    MatchWins,
    Outcomes,
    Wins,
    describe_rules,
)
from bg_env.evaluation.time_results import AgentTime, TimeUse
from bg_env.rules.batch import new_states
from bg_env.rules.options import Rules

Progress = Callable[[int, int], None]
"""Called with (units that are over, units asked for)."""

DEFAULT_RULES: Final = "cubeless"
_BATCH: Final = 2048
_FIRST_WAVE: Final = 32  # small, so that an early interrupt finds something measured
_MOST_TURNS: Final = 2**31 - 2  # the room of the turn count, and one to see the cap


def evaluate(
    a: str | Agent,
    b: str | Agent,
    *,
    games: int = 10_000,
    seed: int = 0,
    paired: bool = True,
    rules: Rules | str | None = None,
    max_turns: int = 1000,
    progress: Progress | None = None,
    batch_size: int = _BATCH,
    luck: str | Evaluator | None = None,
    timed: bool | TimeSource = False,
    claims: bool = True,
) -> EvaluationResult:
    """Play `a` against `b` and measure what `a` wins.

    Agent a is player 0 in even games and player 1 in odd ones. When paired, games
    2k and 2k + 1 have the same dice, so that luck cancels; the standard error is
    then that of the pair means. All randomness comes from (seed, game index), so
    the result is the same for every `batch_size`.

    With match rules the unit is a whole match: `games` matches are played, and the
    result has the share of matches won beside the points per game.

    Games are played in waves, each to its end. A KeyboardInterrupt (Ctrl-C) ends the
    evaluation cleanly with the waves finished so far and ``interrupted=True``, an
    engine of others that fails with its error in ``stopped_by``. The wave under way
    counts nowhere: of its games the short ones are over first, and to count those
    would favour them.

    With `luck` the result has, beside the raw figures, those of the same games without
    the luck of their rolls: a mean that is as right, whatever the evaluator, and the
    surer the better it is.

    The clock of the rules runs only when `timed` (R29): the time of each call of an
    agent, divided by the games in that call, is charged to each of those games before
    the decision. With ``batch_size=1`` every decision is a call of its own. What was
    won then depends on the machine, and the same call may give another result.

    Args:
        a: Agent string (``NAME[:PATH][@Nply]``) or agent that is measured.
        b: Its opponent.
        games: How many games, with match rules how many matches. An odd number
            leaves the last one without a partner.
        seed: 0 to 2**64 − 1.
        paired: Whether two games each share their dice.
        rules: What is played, or the name of a preset; None = cubeless money.
        max_turns: A game that goes on after so many turns is left out of all
            figures, its match with it, and counted as truncated.
        progress: Called often with (units that are over, units asked for).
        batch_size: Most games at once; when paired, rounded up to whole pairs.
        luck: Agent string or `Evaluator` that says what each roll was worth, or None.
            Money games only.
        timed: Whether agents are charged for their time; a function that returns
            seconds instead of `time.perf_counter` means True.
        claims: When timed: claim for an agent as soon as its opponent's flag has
            fallen, whoever is to act. An agent with ``claims_on_time = True`` is left
            to claim (code 161) when it decides, and with False every agent is.

    Raises:
        UnknownNameError: No agent or preset of that name.
        InvalidOptionError: An argument with an impossible value, or an agent for
            `luck` that rates no positions.
        InvalidPositionError: A start position in which nobody can ever move.
        IllegalPlayError: An agent made an illegal decision.
    """
    check_whole("games", games, 1, 2**62)
    check_whole("seed", seed, 0, 2**64 - 1)
    check_whole("max_turns", max_turns, 1, _MOST_TURNS)
    check_whole("batch_size", batch_size, 1, 2**30)
    if not isinstance(paired, bool):
        raise InvalidOptionError(f"Argument paired is True or False, not {paired!r}.")
    chosen = _checked_rules(rules)
    agents = make_agent(a), make_agent(b)
    plan = Plan(
        agents=agents,
        rules=chosen,
        seed=int(seed),
        paired=paired,
        max_turns=int(max_turns),
        luck=None if luck is None else LuckMeter(luck, chosen),
        timing=_timing(timed, claims, agents, chosen, int(batch_size)),
    )
    names = _name(a), _name(b)
    started = time.perf_counter()
    tally, stop = _play(plan, int(games), int(batch_size), progress)
    seconds = time.perf_counter() - started
    return _result(plan, names, int(games), tally, stop, seconds)


def _timing(
    timed: bool | TimeSource,
    claims: bool,
    agents: tuple[Agent, Agent],
    rules: Rules,
    batch_size: int,
) -> Timing | None:
    """How the clock runs, None when it does not.

    Raises:
        InvalidOptionError: An argument with an impossible value, or no clock to run.
    """
    if not isinstance(timed, bool) and not callable(timed):
        raise InvalidOptionError(
            f"Argument timed is True, False or a function that returns seconds, "
            f"not {timed!r}."
        )
    if not isinstance(claims, bool):
        raise InvalidOptionError(f"Argument claims is True or False, not {claims!r}.")
    if timed is False:
        return None
    if rules.clock is None:
        raise InvalidOptionError(
            f"To play timed takes rules with a clock, such as the presets 'timed' and "
            f"'us-tournament', not {describe_rules(rules)}."
        )
    a, b = (claims and not getattr(agent, "claims_on_time", False) for agent in agents)
    source = time.perf_counter if timed is True else timed
    return Timing(source, (a, b), batch_size)


def _play(
    plan: Plan, games: int, batch_size: int, progress: Progress | None
) -> tuple[Tally, BaseException | None]:
    """The sums over all finished waves, and what stopped them early, if anything.

    Raises:
        EngineError: An engine failed before the first wave was finished.
    """
    tally = Tally()
    try:
        for first, count in _waves(games, batch_size, plan.paired):

            def tick(over: int, before: int = first) -> None:
                if progress is not None:
                    progress(before + over, games)

            tally = tally.plus(play_wave(plan, first, count, tick))
    except KeyboardInterrupt as interrupt:
        return tally, interrupt
    except EngineError as error:
        if not tally.points.n:
            raise
        return tally, error
    return tally, None


def _waves(games: int, batch_size: int, paired: bool) -> Iterator[tuple[int, int]]:
    """(index of the first unit, count) of each wave; they double up to the batch."""
    largest = batch_size + batch_size % 2 if paired else batch_size
    first, size = 0, min(_FIRST_WAVE, largest)
    while first < games:
        count = min(size, games - first)
        yield first, count
        first += count
        size = min(2 * size, largest)


def _result(
    plan: Plan,
    names: tuple[str, str],
    games: int,
    tally: Tally,
    stop: BaseException | None,
    seconds: float,
) -> EvaluationResult:
    points = tally.points.estimate()
    return EvaluationResult(
        a=names[0],
        b=names[1],
        games=games,
        seed=plan.seed,
        paired=plan.paired,
        rules=plan.rules,
        max_turns=plan.max_turns,
        played=points.count,
        truncated=tally.truncated,
        points_per_game=points.mean,
        standard_error=points.standard_error,
        interval=points.interval,
        luck_adjusted=_luck_adjusted(plan.luck, tally),
        matches=_match_wins(tally) if plan.rules.match_length else None,
        outcomes=Outcomes(won=Wins(*tally.kinds[:4]), lost=Wins(*tally.kinds[4:])),
        endings=Endings(*tally.endings),
        time_use=_time_use(plan.timing, tally),
        turns_per_game=_ratio(tally.turns, points.count),
        first_mover_win_share=_ratio(tally.first_wins, points.count),
        interrupted=isinstance(stop, KeyboardInterrupt),
        stopped_by=str(stop) if isinstance(stop, EngineError) else None,
        seconds=seconds,
    )


def _time_use(timing: Timing | None, tally: Tally) -> TimeUse | None:
    if timing is None:
        return None
    a, b = (_agent_time(timing, tally, which) for which in (0, 1))
    return TimeUse(a=a, b=b, batch_size=timing.most)


def _agent_time(timing: Timing, tally: Tally, which: int) -> AgentTime:
    count, seconds = tally.times.decisions[which], tally.times.seconds[which]
    return AgentTime(
        seconds=seconds,
        decisions=count,
        seconds_per_decision=seconds / count if count else None,
        longest_decision=tally.times.longest[which] if count else None,
        flag_falls=tally.times.falls[which],
        won_on_time=tally.on_time[which],
        lost_on_time=tally.on_time[1 - which],
        arena_claims=timing.claims[which],
    )


def _luck_adjusted(meter: LuckMeter | None, tally: Tally) -> LuckAdjusted | None:
    if meter is None:
        return None
    points = tally.adjusted.estimate(LUCK_SCALE)
    raw = tally.points
    return LuckAdjusted(
        evaluator=meter.name,
        points_per_game=points.mean,
        standard_error=points.standard_error,
        interval=points.interval,
        mean_luck=_ratio(raw.x * LUCK_SCALE - tally.adjusted.x, raw.n * LUCK_SCALE),
    )


def _match_wins(tally: Tally) -> MatchWins:
    share = tally.matches.estimate()
    interval = None
    if share.interval:
        low, high = share.interval
        interval = (max(low, 0.0), min(high, 1.0))
    return MatchWins(
        won=tally.matches.x,
        lost=tally.matches.n - tally.matches.x,
        share=share.mean,
        standard_error=share.standard_error,
        interval=interval,
    )


def _ratio(total: int, count: int) -> float | None:
    return total / count if count else None


def _checked_rules(rules: Rules | str | None) -> Rules:
    """The rules meant, with a start position from which a game can end."""
    if rules is None or isinstance(rules, str):
        rules = Rules.preset(DEFAULT_RULES if rules is None else rules)
    if not isinstance(rules, Rules):
        raise InvalidOptionError(
            f"Argument rules is a bg_env.Rules, the name of a preset or None, "
            f"not {rules!r}."
        )
    new_states(1, rules)
    return rules


def _name(agent: str | Agent) -> str:
    return agent.strip() if isinstance(agent, str) else str(agent.name)


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    """Refuse an argument that is no whole number from `low` to `high`.

    Raises:
        InvalidOptionError: Names the argument and its limit.
    """
    good = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        limit = f"{low} or more" if not good or value < low else f"at most {high}"
        raise InvalidOptionError(
            f"Argument {name} is a whole number, {limit}, not {value!r}."
        )
