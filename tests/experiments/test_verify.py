"""Runs that somebody edited, with hashes to match: `verify` names what is wrong, and `resume` makes it again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from experiments.cli import main
from experiments.part_files import file_entry, parquet_bytes
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.tournament import run
from experiments.verify import Damaged, verify
from tests.experiments.helpers import contents, small_spec

SPEC = small_spec("random", "h=heuristic", boards=16, moves=True)
PART = 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; nobody writes to it."""
    path: Path = run(SPEC, tmp_path_factory.mktemp("finished") / "run", workers=1).path
    return path


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A finished run of one's own."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def put(path: Path, table: str, data: bytes, rows: int | None = None) -> None:
    """Put a file in the place of one of part 3, and its hash and rows into the manifest."""
    file = path / table / f"part-{PART:06d}.parquet"
    file.write_bytes(data)
    manifest = json.loads((path / "manifest.json").read_text())
    entry = manifest["parts"][str(PART)]
    entry[table] = file_entry(data, entry[table]["rows"] if rows is None else rows)
    (path / "manifest.json").write_text(json.dumps(manifest))


def file_of(path: Path, table: str, part: int = PART) -> Path:
    """A file of a part."""
    return path / table / f"part-{part:06d}.parquet"


def without_a_column(data: bytes) -> bytes:
    return parquet_bytes(pq.read_table(pa.BufferReader(data)).drop_columns("game_id"))


def of_another_type(data: bytes) -> bytes:
    table = pq.read_table(pa.BufferReader(data))
    return parquet_bytes(table.set_column(0, table.field(0).name, table.column(0).cast(pa.float64())))


def fault_and_mended(path: Path, finished: Path) -> str:
    """What `verify` says is wrong, which `run` mends."""
    with pytest.raises(Damaged) as damage:
        list(verify(path, sample=0))
    run(SPEC, path, workers=1)
    assert contents(path) == contents(finished)
    assert list(verify(path, sample=0))
    return str(damage.value)


@pytest.mark.parametrize("table", ["games", "deals", "moves"])
def test_a_wrong_number_of_rows_in_the_manifest_is_mended(copy: Path, finished: Path, table: str) -> None:
    put(copy, table, file_of(copy, table).read_bytes(), rows=1)
    found = fault_and_mended(copy, finished)
    assert f"part 3 has another number of rows in {table} than the manifest says: mend it with 'hiddenhand" in found


@pytest.mark.parametrize("table", ["games", "deals", "moves"])
def test_games_of_other_boards_are_played_again(copy: Path, finished: Path, table: str) -> None:
    other = file_of(copy, table, 5)
    put(copy, table, other.read_bytes(), rows=pq.read_metadata(other).num_rows)
    assert f"part 3 does not hold the games of its boards in {table}" in fault_and_mended(copy, finished)


@pytest.mark.parametrize("table", ["games", "deals", "moves"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "has a file in {} that is no Parquet file"),
        (lambda data: b"not what it was", "has a file in {} that is no Parquet file"),
        (lambda data: data[:200] + bytes(100) + data[300:], "has a file in {} that is no Parquet file"),
        (of_another_type, "has other columns in {}"),
        (without_a_column, "has other columns in {}"),
    ],
    ids=["empty", "text", "other bytes", "another type", "a column less"],
)
def test_a_file_of_another_kind_is_one_line_and_made_again(
    copy: Path, finished: Path, table: str, change: Callable[[bytes], bytes], message: str
) -> None:
    put(copy, table, change(file_of(copy, table).read_bytes()))
    assert f"part 3 {message.format(table)}" in fault_and_mended(copy, finished)


def test_a_damaged_run_is_one_line_on_the_command_line(copy: Path, finished: Path) -> None:
    put(copy, "deals", b"text")
    checked = CliRunner().invoke(main, ["verify", str(copy)])
    message = f"part 3 has a file in deals that is no Parquet file: mend it with 'hiddenhand resume {copy}'"
    assert (checked.exit_code, checked.stderr) == (1, f"Error: {message}\n")
    assert CliRunner().invoke(main, ["resume", str(copy)]).exit_code == 0
    assert contents(copy) == contents(finished)
    assert CliRunner().invoke(main, ["verify", str(copy), "--sample", "2"]).exit_code == 0


@pytest.mark.parametrize("table", ["games", "deals"])
def test_a_report_of_a_file_of_another_kind_is_one_line(copy: Path, table: str) -> None:
    for data in (b"text", of_another_type(file_of(copy, table).read_bytes())):
        put(copy, table, data)
        reported = CliRunner().invoke(main, ["report", str(copy)])
        assert (reported.exit_code, reported.stderr.count("\n")) == (2, 1), reported.output
        with pytest.raises(RunError, match=r"part-000003\.parquet' is no part of a run: make it"):
            RunDirectory.open(copy).read_part(table, PART, ["game_id", "deal", "score"])


@pytest.mark.parametrize("name", ["games/part-000008.parquet", "deals/part-000003 (copy).parquet", "moves/notes.txt"])
@pytest.mark.parametrize("is_complete", [True, False])
def test_a_file_that_is_no_part_is_named_and_removed(copy: Path, finished: Path, name: str, is_complete: bool) -> None:
    shutil.copy(file_of(copy, "games"), copy / name)
    if not is_complete:
        RunDirectory.open(copy).mark("running")
    assert f"{name} is no part of the run" in fault_and_mended(copy, finished)


def test_a_part_that_the_manifest_of_a_complete_run_forgot_is_named(copy: Path, finished: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    del manifest["parts"]["7"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    found = fault_and_mended(copy, finished)
    assert "has 7 parts instead of 8" in found
    assert "games/part-000007.parquet is no part of the run" in found


def test_a_part_that_a_kill_left_without_its_manifest_is_no_damage(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    del manifest["parts"]["7"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    RunDirectory.open(copy).mark("running")
    assert CliRunner().invoke(main, ["verify", str(copy), "--sample", "0"]).exit_code == 0


def test_a_folder_in_the_place_of_a_part_is_named(copy: Path) -> None:
    file = file_of(copy, "deals")
    file.unlink()
    file.mkdir()
    resumed = CliRunner().invoke(main, ["resume", str(copy)])
    assert resumed.exit_code == 2
    assert resumed.stderr == f"Error: cannot write to {str(file)!r}: Is a directory\n"


@pytest.mark.parametrize(
    ("table", "column"), [("games", "place"), ("games", "score"), ("deals", "tricks"), ("moves", "legal")]
)
def test_all_rows_that_logged_moves_determine_are_compared(tmp_path: Path, table: str, column: str) -> None:
    """A bot with a time limit is not played again: what its moves lead to must be what is logged."""
    spec = small_spec("random", "m=mc:time_ms=1", boards=1, moves=True)
    path = run(spec, tmp_path / "run", workers=1).path
    checked = CliRunner().invoke(main, ["verify", str(path)])
    assert checked.exit_code == 0, checked.output
    assert "played again from the logged moves, with the same rows in all tables" in checked.stdout
    file = path / table / "part-000000.parquet"
    found = pq.read_table(file)
    index = found.schema.get_field_index(column)
    raised: Any = pc.add(found.column(index), pa.scalar(1, found.column(index).type))
    data = parquet_bytes(found.set_column(index, found.field(index), raised))
    file.write_bytes(data)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["parts"]["0"][table] = file_entry(data, found.num_rows)
    (path / "manifest.json").write_text(json.dumps(manifest))
    checked = CliRunner().invoke(main, ["verify", str(path)])
    assert checked.exit_code == 1
    assert "came out otherwise when played again" in checked.stderr
