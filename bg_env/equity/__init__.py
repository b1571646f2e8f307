"""What a score is worth: match equity. `bg_env.equity.bearoff`: known races."""

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
