"""Baseline agents of known strength, found by name through `bg_env.agent.make_agent`.

=============  =======================================================
name           how it plays
=============  =======================================================
``random``     any of the distinct results of the roll, equally likely
``pip-race``   greedy: safe, then hitting, then home
``pubeval``    Tesauro's linear benchmark player of 1993
=============  =======================================================

All choose among whole plays, have no cube policy (they never double and always
take), and make the same decision for a game alone as in any batch.
"""

from bg_agents.pip_race import PipRaceAgent
from bg_agents.pubeval import PubevalAgent
from bg_agents.random_agent import RandomAgent

__all__ = ["PipRaceAgent", "PubevalAgent", "RandomAgent"]
