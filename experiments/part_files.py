"""The bytes of a part's files: how a table becomes a file, and what is wrong with one that is found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.schema import arrow_schema, table_columns
from experiments.spec import RunSpec

UNREADABLE = (pa.ArrowException, OSError, ValueError)  # what reading something that is no such Parquet file raises
_ZSTD_LEVEL = 3  # level 1 took as many bytes and more time on short tables, level 9 saved nothing


def parquet_bytes(table: pa.Table) -> bytes:
    """The table as a Parquet file: one row group, one chunk a column, so that equal tables give equal bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.combine_chunks(),
        sink,
        row_group_size=max(1, table.num_rows),
        use_dictionary=[field.name for field in table.schema if pa.types.is_dictionary(field.type)],  # 30 % less time
        compression="zstd",
        compression_level=_ZSTD_LEVEL,
        write_statistics=True,
        version="2.6",
    )
    return bytes(sink.getvalue())


def read_parquet(data: bytes, columns: list[str] | None = None, filters: list[Any] | None = None) -> pa.Table:
    """The rows of a Parquet file, read by this thread alone.

    Where Arrow's threads still hold `data`, an object of Python, while the process ends, they abort it ("terminate
    called without an active exception": https://github.com/apache/arrow/issues/34314).

    Args:
        data: the file.
        columns: those to read, all by default.
        filters: which rows, as `pyarrow.parquet.read_table` has them.

    Raises:
        UNREADABLE: it is no Parquet file, or has no such columns.
    """
    file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    if missing := set(columns or ()) - set(file.schema_arrow.names):
        raise pa.ArrowInvalid(f"no columns {missing}")
    if filters is None:
        return file.read(columns, use_threads=False)
    rows = file.read(use_threads=False).filter(pq.filters_to_expression(filters))
    return rows if columns is None else rows.select(columns)


def sha256(data: bytes) -> str:
    """The hash of a file, as the manifest has it."""
    return hashlib.sha256(data).hexdigest()


def file_entry(data: bytes, rows: int) -> dict[str, Any]:
    """What the manifest says of a file."""
    return {"rows": rows, "sha256": sha256(data)}


def is_file_entry(entry: Any) -> bool:
    """Whether the manifest's entry of one file has its form."""
    return isinstance(entry, dict) and type(entry.get("rows")) is int and isinstance(entry.get("sha256"), str)


def file_faults(spec: RunSpec, part: int, table: str, data: bytes, entry: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a file of a part, the first thing only.

    Args:
        spec: the run.
        part: number of the part.
        table: which of its tables.
        data: the file.
        entry: what the manifest says of it.
    """
    if sha256(data) != entry["sha256"]:
        yield "is damaged or gone"
        return
    try:
        found = read_parquet(data)
    except UNREADABLE:
        yield f"has a file in {table} that is no Parquet file"
        return
    labels = tuple(label for label, _ in spec.bots)
    if not found.schema.equals(arrow_schema(table_columns(spec.game_object, table, labels))):
        yield f"has other columns in {table}"
    elif found.num_rows != entry["rows"]:
        yield f"has another number of rows in {table} than the manifest says"
    elif not _holds_its_games(spec, part, table, found):
        yield f"does not hold the games of its boards in {table}"


def _holds_its_games(spec: RunSpec, part: int, table: str, found: pa.Table) -> bool:
    """Whether the rows are of the games that the part's boards play, in order."""
    first, end = (spec.schedule.first_game(board) for board in spec.boards_of_part(part))
    game_id = found["game_id"].to_numpy()
    if table != "games":  # how many rows a game has there depends on how it went
        return bool(np.all(np.diff(game_id) >= 0) and np.all((game_id >= first) & (game_id < end)))
    seats = spec.game_object.num_players
    is_whole = np.array_equal(game_id, np.repeat(np.arange(first, end), seats))
    return is_whole and np.array_equal(found["seat"].to_numpy(), np.tile(np.arange(seats), end - first))
