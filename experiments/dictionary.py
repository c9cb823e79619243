"""The data dictionary: a Markdown page of all columns; `python -m experiments.dictionary` writes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cardkit.spec import Column
from experiments.games import game_names, make_game
from experiments.schema import COMMON_TABLES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "data.md"

_HEAD = """# Data dictionary

A run directory holds three tables as Parquet files, one file a part: `games` (one row a seat a game), `deals` (one row
a seat a deal) and, with `--moves`, `moves` (one row a decision). No column is ever null. Texts are stored as
dictionaries. The same descriptions are in the field metadata of the files. This page is made by
`python -m experiments.dictionary`.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for table, columns in COMMON_TABLES.items():
        parts.append(f"## {table}\n\n{_rows(columns)}")
        if table == "deals":
            for name in game_names():
                parts.append(f"### deals of {name}\n\n{_rows(make_game(name).deal_columns)}")
    return "\n".join(parts)


def _rows(columns: tuple[Column, ...]) -> str:
    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for column in columns:
        kind = "text" if column.categories or column.name in ("bot", "phase", "outcome") else np.dtype(column.type).name
        lines.append(f"| `{column.name}` | {kind} | {column.unit} | {column.meaning} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
