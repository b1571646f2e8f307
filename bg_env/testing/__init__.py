"""Checks of agents, encoders and evaluators: what a user runs on his own work.

Each check returns nothing when all is well and raises one `ConformanceError` with one
sentence when something is not::

    from bg_env.testing import check_agent

    def test_my_agent_keeps_to_the_contract():
        check_agent(MyAgent())
"""

from bg_env.testing._checks import ConformanceError
from bg_env.testing.agents import check_agent
from bg_env.testing.encoders import check_encoder
from bg_env.testing.evaluators import check_evaluator

__all__ = ["ConformanceError", "check_agent", "check_encoder", "check_evaluator"]
