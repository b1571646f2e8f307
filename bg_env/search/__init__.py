"""Looking ahead with any evaluator: rolls, n-ply search, rollouts, the cube."""

from bg_env.search.rolls import ROLL_WEIGHTS, equity, other_view, roll_chances

__all__ = ["ROLL_WEIGHTS", "equity", "other_view", "roll_chances"]
