"""Games and plays as text: position ids, match ids, XGIDs, the words of a play.

Files: `read_mat`.

The position id is `bg_env.rules.position.Position.from_id` and ``.id``.
"""

from bg_env.notation.gnu_id import format_gnu_id, parse_gnu_id
from bg_env.notation.mat import MatMatch, parse_mat, read_mat
from bg_env.notation.match_id import MatchId
from bg_env.notation.plays import NO_PLAY, format_play, parse_moves, parse_play
from bg_env.notation.reading import parse_state
from bg_env.notation.xgid import format_xgid, parse_xgid

__all__ = [
    "NO_PLAY",
    "MatMatch",
    "MatchId",
    "format_gnu_id",
    "format_play",
    "format_xgid",
    "parse_gnu_id",
    "parse_mat",
    "parse_moves",
    "parse_play",
    "parse_state",
    "parse_xgid",
    "read_mat",
]
