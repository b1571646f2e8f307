"""The networks as players of the full game: `td`, `td-small`, `td-strong` and more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bg_agents.cube_nets import CubeNet
from bg_agents.nets import Net
from bg_agents.td_agent import TdAgent
from bg_env.search.cube import place_equities
from bg_env.search.cube_agent import CubePlayer
from bg_env.search.learnt_cube import CubeRater, LearntCube
from bg_env.search.lookahead import SearchAgent, check_plies
from bg_env.search.races import ExactRaces


class NetPlayer(CubePlayer):
    """A network that plays checkers and cube, at any score, looking ahead or not.

    Attributes:
        net: The network.
        plies: How many rolls it looks ahead.
    """

    def __init__(
        self,
        agent: TdAgent,
        plies: int = 0,
        *,
        exact: bool = False,
        cube: CubeRater | None = None,
    ) -> None:
        """Let a network play the cube too.

        Args:
            agent: The network, not looking ahead.
            plies: How far to look ahead with checkers and cube, 0 to 4.
            exact: Whether it knows bear-offs by the tables.
            cube: What has learnt the cube of money play; None = Janowski's formulas.

        Raises:
            InvalidOptionError: Another depth.
        """
        self.net, self.plies = agent.net, check_plies(plies)
        flat = ExactRaces(agent) if exact else agent
        name = f"{agent.name}@{plies}ply" if plies else agent.name
        self._deep = SearchAgent(flat, plies) if plies else flat
        super().__init__(
            flat if cube is None else LearntCube(flat, cube),
            cubeless=self._deep,
            plies=plies,
            play_plies=plies,
            name=name,
        )

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """The five chances of the player on roll, before his roll: float32[B, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self._deep.evaluate(boards)

    def roll_chances(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What each of the 21 rolls is worth to the player on roll: float32[B, 21, 5].

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return self._deep.roll_chances(boards)

    def roll_results(
        self, boards: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What each roll is worth, and what its play leads to, as `TdAgent` says."""
        return self._deep.roll_results(boards)


class CubeNetPlayer(NetPlayer):
    """A network that plays, with a cube that another has learnt where money is played.

    It has learnt the cube for others, too: analyses, cube decisions and rollouts that
    are given this player use its equities.
    """

    def __init__(self, agent: TdAgent, cube: CubeRater, plies: int = 0) -> None:
        """Put them together.

        Args:
            agent: The network that plays, not looking ahead; it knows bear-offs.
            cube: What has learnt the cube.
            plies: How far to look ahead with checkers and cube, 0 to 4.

        Raises:
            InvalidOptionError: Another depth.
        """
        super().__init__(agent, plies, exact=True, cube=cube)

    def cube_equities(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """What positions are worth, looking ahead as it does: float32[B, 4].

        Without a double now, for a cube of 1 in the middle, his own, the other's, in
        the middle by the Jacoby rule.

        Args:
            boards: int8[B, 2, 32], row 0 on roll.
        """
        return place_equities(self.evaluator, boards, self.plies, self.table)


def td(path: str | Path | None = None, plies: int = 0) -> NetPlayer:
    """What a minute of training brings, or the network of a file.

    Args:
        path: What ``bg-env train`` wrote; None = the network that comes along.
        plies: How far to look ahead.

    Raises:
        InvalidOptionError: No such file, not such a file, or another depth.
    """
    return NetPlayer(TdAgent(path), plies)


def td_small(plies: int = 0) -> NetPlayer:
    """What ten minutes of training bring: far better than `td`."""
    return _shipped("td-small", plies)


def td_strong(plies: int = 0) -> NetPlayer:
    """The strongest network that comes along."""
    return _shipped("td-strong", plies)


def td_cube(path: str | Path | CubeNet | None = None, plies: int = 0) -> CubeNetPlayer:
    """`td-strong` with a cube of money play learnt by self-play.

    In matches it turns the cube as `td-strong`.

    Args:
        path: What ``bg-env train cube`` wrote, or a `CubeNet`; None = what comes along.
        plies: How far to look ahead.

    Raises:
        InvalidOptionError: No such file, not such a file, or another depth.
    """
    agent = TdAgent(Net.shipped("td-strong"))
    agent.name = "td-cube"
    if path is None:
        cube = CubeNet.shipped("td-cube")
    elif isinstance(path, CubeNet):
        cube = path
    else:
        cube = CubeNet.load(path)
        agent.name = f"td-cube:{path}"
    return CubeNetPlayer(agent, cube, plies)


def _shipped(name: str, plies: int) -> NetPlayer:
    agent = TdAgent(Net.shipped(name))
    agent.name = name
    return NetPlayer(agent, plies, exact=True)
