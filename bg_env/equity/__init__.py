"""Match equity: what a score is worth."""

from bg_env.equity.tables import (
    DEFAULT_TABLE,
    MatchEquityTable,
    load_table,
    state_mwc,
    table_names,
)

__all__ = [
    "DEFAULT_TABLE",
    "MatchEquityTable",
    "load_table",
    "state_mwc",
    "table_names",
]
