"""The program of an engine's process: ``python worker.py NAME``.

It imports NumPy and one engine, and nothing of this project. On standard input come
requests, int64 (number of positions, plies) and then the boards int8[n, 2, 32], row 0
on roll; on standard output go answers, int64 n and float32[n, 5], or −length and an
error in words. The first answer, n = 0, says that the engine is there. The process
ends with its input, or when the process that started it is gone.
"""

from __future__ import annotations

import gc
import os
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

REQUEST: Final = struct.Struct("<qq")
ANSWER: Final = struct.Struct("<q")
BOARD: Final = 64  # bytes
_WATCH: Final = 2.0  # seconds between two looks whether the parent is there

Rate = Callable[[NDArray[np.int8], int], NDArray[np.float32]]


def gnubg() -> Rate:
    """GNU Backgammon's nets: the players as [opponent, on roll], points 1..24, bar."""
    import gnubg_nn

    probabilities = gnubg_nn.probabilities

    def rate(boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        positions = boards[:, ::-1, 1:26].tolist()
        chances = [probabilities(position, plies) for position in positions]
        return np.array(chances, np.float32).reshape(len(boards), 5)

    return rate


def sage() -> Rate:
    """Open Sage's nets with its bear-off database, which they do not ask themselves.

    They rate positions of the player who has just moved, so that what is handed over
    is the opponent's view and what comes back is turned round. Its points are those
    of that player, with the other's checkers negative and on the bar at 0.
    """
    import bgbot_cpp
    from bgsage.weights import bearoff_db_path, default_weights

    weights = default_weights()
    nets = (
        weights.strategy_type,
        weights.weight_paths_list,
        weights.hidden_sizes_list,
    )
    database = bgbot_cpp.BearoffDB()
    path = bearoff_db_path()
    if path is None or not database.load(path):
        raise FileNotFoundError("Open Sage's bear-off database is missing")
    known: dict[int, Any] = {}

    def strategy(plies: int) -> Any:
        if plies == 0:
            raw = bgbot_cpp.create_strategy(*nets)
            return bgbot_cpp.BearoffStrategy(raw, database)
        deeper = bgbot_cpp.create_multipy(
            *nets, n_plies=plies + 1, parallel_evaluate=False, parallel_threads=1
        )
        bgbot_cpp.multipy_set_bearoff_db(deeper, database)
        return deeper

    def rate(boards: NDArray[np.int8], plies: int) -> NDArray[np.float32]:
        if plies not in known:
            known[plies] = strategy(plies)
        ask = known[plies].evaluate_board
        views = np.zeros((len(boards), 26), np.int8)
        views[:, 1:26] = boards[:, 1, 1:26]
        views[:, 24:0:-1] -= boards[:, 0, 1:25]
        views[:, 0] = boards[:, 0, 25]
        answers = [ask(view, view)["probs"] for view in views.tolist()]
        moved = np.array(answers, np.float32).reshape(len(boards), 5)
        chances = moved[:, [0, 3, 4, 1, 2]]
        chances[:, 0] = 1 - chances[:, 0]
        return chances

    return rate


ENGINES: Final[dict[str, Callable[[], Rate]]] = {"gnubg": gnubg, "sage": sage}


def serve(make: Callable[[], Rate], requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until there are no more requests; an error is an answer too."""
    try:
        rate = make()
    except Exception as error:
        _say(answers, error)
        return
    _write(answers, ANSWER.pack(0))
    while len(head := requests.read(REQUEST.size)) == REQUEST.size:
        count, plies = REQUEST.unpack(head)
        data = requests.read(count * BOARD)
        if len(data) < count * BOARD:
            return
        boards = np.frombuffer(data, np.int8).reshape(count, 2, 32)
        try:
            chances = rate(boards, plies)
        except Exception as error:
            _say(answers, error)
        else:
            _write(answers, ANSWER.pack(count) + chances.tobytes())


def _say(answers: BinaryIO, error: Exception) -> None:
    said = f"{type(error).__name__}: {error}".encode()
    _write(answers, ANSWER.pack(-len(said)) + said)


def _write(answers: BinaryIO, data: bytes) -> None:
    answers.write(data)
    answers.flush()


def _end_with_parent() -> None:
    """End when the parent has gone, though a fork of it may hold the pipe open."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(_WATCH)
    os._exit(0)


def main() -> None:
    """Serve the engine named on the command line."""
    gc.disable()  # going through a batch's many lists takes longer than making them
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an engine prints must not get among the answers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        serve(ENGINES[sys.argv[1]], sys.stdin.buffer, answers)
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
