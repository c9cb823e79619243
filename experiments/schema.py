"""The columns of the run files: one table for the writer, the field metadata in the files, and the documentation.

Three tables: `games` has one row a seat a game, `deals` one row a seat a deal, `moves` one row a decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from cardkit.game import Game
from cardkit.spec import Column, columns_dtype
from experiments.schedule import GAME_SLOT

SEAT_COLUMNS = (
    Column("board", "i4", "board", "which board: the source of all chance"),
    Column("lineup", "i4", "line-up", "which line-up of bots plays the board"),
    Column("rotation", "i2", "seating", "which of the line-up's seatings"),
    Column("game_id", "i8", "game", "number of the game in the run"),
    Column("seat", "i1", "seat", "the seat of this row, 0 is the first"),
    Column("bot", "i2", "bot", "label of the bot at the seat"),
)
RESULT_COLUMNS = (
    Column("score", "f8", "points", "final points of the seat"),
    Column("place", "i1", "place", "1 + the number of seats ahead"),
    Column("win_share", "f8", "share", "share of the win, 0..1"),
    Column("deals", "i2", "deals", "deals played in the game"),
    Column("decisions", "i4", "decisions", "decisions in the game, of all seats"),
    Column("outcome", "i1", "outcome", "how the game ended"),
)
DEAL_NUMBER = Column("deal", "i2", "deal", "number of the deal in the game, 0 is the first")
MOVE_COLUMNS = (
    Column("game_id", "i8", "game", "number of the game in the run"),
    DEAL_NUMBER,
    Column("ply", "i4", "decisions", "number of the decision in the game, 0 is the first"),
    Column("seat", "i1", "seat", "who decided"),
    Column("phase", "i1", "phase", "the phase of the decision"),
    Column("action", "i1", "action", "the action taken, a number of its phase"),
    Column("legal", "u8", "bit mask", "the legal actions: bit a for action a"),
)

# The columns that all games have in common, by table.
COMMON_TABLES = {
    "games": (*SEAT_COLUMNS, *RESULT_COLUMNS),
    "deals": (*SEAT_COLUMNS, DEAL_NUMBER),
    "moves": MOVE_COLUMNS,
}

# What the match loop fills in: a table's columns, with the index of the game in the part instead of its slot's columns.
GAME_ROW = np.dtype([("slot", "i4"), ("seat", "i1"), *[(c.name, c.type) for c in RESULT_COLUMNS]], align=True)
DEAL_KEY = np.dtype([("slot", "i4"), ("seat", "i1"), ("deal", "i2")], align=True)
MOVE_ROW = np.dtype([("slot", "i4"), *[(c.name, c.type) for c in MOVE_COLUMNS[1:]]], align=True)


def deal_dtype(game: Game) -> np.dtype:
    """The record of a game's own deal columns."""
    return columns_dtype(game.deal_columns)


def table_columns(game: Game, table: str, bot_labels: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns of `games`, `deals` or `moves`, with the categories of this game and run."""
    categories = {"bot": bot_labels, "phase": game.phases, "outcome": game.outcomes}
    columns = (*COMMON_TABLES[table], *game.deal_columns) if table == "deals" else COMMON_TABLES[table]
    return tuple(c._replace(categories=categories.get(c.name, c.categories)) for c in columns)


def to_arrow(columns: tuple[Column, ...], values: dict[str, np.ndarray]) -> pa.Table:
    """An Arrow table with the columns' types and documentation; categories become dictionaries of strings, in order."""
    arrays = []
    for column in columns:
        array = pa.array(np.ascontiguousarray(values[column.name]).astype(column.type, copy=False))
        if column.categories:
            array = pa.DictionaryArray.from_arrays(array, pa.array(column.categories, pa.string()))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=arrow_schema(columns))


def arrow_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """The types of columns in a file, with their documentation."""
    return pa.schema([pa.field(c.name, _arrow_type(c), nullable=False, metadata=_metadata(c)) for c in columns])


def _arrow_type(column: Column) -> pa.DataType:
    number = pa.from_numpy_dtype(np.dtype(column.type))
    return pa.dictionary(number, pa.string()) if column.categories else number


def _metadata(column: Column) -> dict[str, str]:
    return {"unit": column.unit, "meaning": column.meaning}


def part_tables(
    game: Game,
    bot_labels: tuple[str, ...],
    slots: np.ndarray,
    games: np.ndarray,
    deals: tuple[np.ndarray, np.ndarray],
    moves: np.ndarray | None,
) -> dict[str, pa.Table]:
    """The tables of one part from what the match loop filled in.

    Args:
        game: the game.
        bot_labels: labels of the run's bots, in spec order.
        slots: the games of the part, `GAME_SLOT`.
        games: `GAME_ROW` rows in the order of the slots.
        deals: keys (`DEAL_KEY`) and rows (the game's deal columns), in the order of the slots.
        moves: `MOVE_ROW` rows, or None where moves are not logged.
    """
    keys, rows = deals
    values: dict[str, dict[str, np.ndarray]] = {
        "games": _slot_values(slots, games) | _fields(games),
        "deals": _slot_values(slots, keys) | _fields(keys) | _fields(rows),
    }
    if moves is not None:
        values["moves"] = {"game_id": slots["game_id"][moves["slot"]]} | _fields(moves)
    return {table: to_arrow(table_columns(game, table, bot_labels), found) for table, found in values.items()}


def _slot_values(slots: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """The columns that come from a row's game: board, line-up, rotation, number and bot."""
    own = slots[rows["slot"]]
    names: tuple[str, ...] = GAME_SLOT.names or ()
    return {name: own[name] for name in names if name != "bot"} | {"bot": own["bot"][np.arange(len(own)), rows["seat"]]}


def _fields(rows: Any) -> dict[str, np.ndarray]:
    return {name: rows[name] for name in rows.dtype.names}
