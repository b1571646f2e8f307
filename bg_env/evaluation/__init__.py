"""Measuring agents: the arena, its statistics and reports, and error rates."""

from bg_env.evaluation.analysis import analyze
from bg_env.evaluation.analysis_results import CubeAnalysis, PlayAnalysis, RatedPlay
from bg_env.evaluation.arena import evaluate
from bg_env.evaluation.error_rate import ErrorRate, Mistake, Rate, error_rate
from bg_env.evaluation.judged import (
    JudgedPosition,
    JudgedPositions,
    judge,
    load_judged,
)
from bg_env.evaluation.performance import performance_rating
from bg_env.evaluation.performance_results import (
    CostlyDecision,
    GameRating,
    PerformanceRating,
    PlayerRating,
)
from bg_env.evaluation.recorded import (
    RecordedDecision,
    read_games,
    recorded_decisions,
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
from bg_env.evaluation.time_results import AgentTime, TimeUse

__all__ = [
    "AgentTime",
    "CostlyDecision",
    "CubeAnalysis",
    "Endings",
    "ErrorRate",
    "EvaluationResult",
    "GameRating",
    "JudgedPosition",
    "JudgedPositions",
    "LuckAdjusted",
    "MatchWins",
    "Mistake",
    "Outcomes",
    "PerformanceRating",
    "PlayAnalysis",
    "PlayerRating",
    "Rate",
    "RatedPlay",
    "RecordedDecision",
    "TimeUse",
    "Wins",
    "analyze",
    "error_rate",
    "evaluate",
    "judge",
    "load_judged",
    "performance_rating",
    "read_games",
    "recorded_decisions",
    "summary_table",
]
