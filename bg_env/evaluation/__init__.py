"""Measuring agents: the arena, its statistics and reports."""

from bg_env.evaluation.arena import evaluate
from bg_env.evaluation.results import (
    Endings,
    EvaluationResult,
    MatchWins,
    Outcomes,
    Wins,
    summary_table,
)

__all__ = [
    "Endings",
    "EvaluationResult",
    "MatchWins",
    "Outcomes",
    "Wins",
    "evaluate",
    "summary_table",
]
