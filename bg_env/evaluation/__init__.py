"""Measuring agents: the arena, its statistics and reports, and error rates."""

from bg_env.evaluation.arena import evaluate
from bg_env.evaluation.error_rate import ErrorRate, Mistake, Rate, error_rate
from bg_env.evaluation.judged import (
    JudgedPosition,
    JudgedPositions,
    judge,
    load_judged,
)
from bg_env.evaluation.results import (
    Endings,
    EvaluationResult,
    LuckAdjusted,
    MatchWins,
    Outcomes,
    Wins,
    summary_table,
)

__all__ = [
    "Endings",
    "ErrorRate",
    "EvaluationResult",
    "JudgedPosition",
    "JudgedPositions",
    "LuckAdjusted",
    "MatchWins",
    "Mistake",
    "Outcomes",
    "Rate",
    "Wins",
    "error_rate",
    "evaluate",
    "judge",
    "load_judged",
    "summary_table",
]
