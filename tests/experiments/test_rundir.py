"""A run directory: whose it is, what is in its files, and that a damaged part is noticed and made again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from cardkit.spec import Column
from experiments import stores
from experiments.boards import board_results
from experiments.doubts import run_doubts
from experiments.part_files import parquet_bytes
from experiments.replay import replay
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.schema import table_columns
from experiments.spec import RunSpec, make_spec, versions
from experiments.stores import Folder
from experiments.tournament import run
from experiments.verify import verify
from tests.conftest import RunPython
from tests.experiments.helpers import SHORT, contents, rows_of, small_spec, tables_of

SPEC = small_spec("random", "h=heuristic", boards=16, moves=True)
TABLES = ("games", "deals", "moves")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; nobody writes to it."""
    path = tmp_path_factory.mktemp("finished") / "run"
    run(SPEC, path, workers=2)
    return path


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A finished run of one's own."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))


@contextlib.contextmanager
def rights(path: Path, mode: int) -> Iterator[None]:
    """Give a folder these rights, and be a user whom they bind, also where the tests run as root."""
    user = os.geteuid()
    path.chmod(mode if user else mode | mode >> 6)
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        path.chmod(0o700)


def listing(path: Path) -> dict[str, bytes | None]:
    """All files and folders below a path."""
    return {str(file.relative_to(path)): file.read_bytes() if file.is_file() else None for file in path.rglob("*")}


# Whose directory it is


def test_a_new_directory_holds_the_spec_and_the_versions(tmp_path: Path) -> None:
    path = tmp_path / "some" / "where"
    directory = RunDirectory.create(path, SPEC)
    assert (directory.path, directory.spec, directory.tables) == (path, SPEC, TABLES)
    assert directory.finished_parts() == []
    assert directory.missing_parts() == list(range(8))
    assert not directory.is_complete
    data = json.loads((path / "run.json").read_text())
    assert list(data) == ["spec", "repeatable", "versions", "schema", "state"]
    assert data["repeatable"] is True
    assert RunSpec.from_json(data["spec"]) == SPEC
    assert data["versions"] == versions()
    assert list(data["versions"]) == ["hiddenhand", "numba", "numpy", "pyarrow", "kernels", "rows"]
    assert data["state"] == "running"
    assert RunDirectory.open(path).spec == SPEC


def test_tables_are_those_of_the_spec(tmp_path: Path) -> None:
    assert RunDirectory.create(tmp_path / "run", small_spec()).tables == ("games", "deals")


def test_the_same_run_finds_its_directory_again(copy: Path) -> None:
    before = listing(copy)
    for found in (RunDirectory.create(copy, SPEC), RunDirectory.open(copy)):
        assert found.is_complete
        assert found.missing_parts() == []
    assert listing(copy) == before


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"boards": 17}, "its boards is 16, not 17"),
        ({"seed": 1}, "its seed is 0, not 1"),
        ({"moves": False}, "its moves is True, not False"),
        ({"format": "deal"}, "its format is 'game', not 'deal'"),
        ({"seating": "all"}, "its seating is 'rotations', not 'all'"),
        ({"options": SHORT | {"hook": "off"}}, "its hook is 'on', not 'off'"),
        ({"options": SHORT | {"num_players": 4}}, "its num_players is '3', not '4'"),
    ],
)
def test_another_run_is_refused(copy: Path, changes: dict[str, Any], difference: str) -> None:
    other, before = small_spec("random", "h=heuristic", **{"boards": 16, "moves": True} | changes), listing(copy)
    message = f"{str(copy)!r} holds another run ({difference}): choose another folder"
    for refused in (lambda: RunDirectory.create(copy, other), lambda: run(other, copy, workers=1)):
        with pytest.raises(RunError, match=f"^{re.escape(message)}$"):
            refused()
    assert listing(copy) == before


def test_a_run_of_other_bots_is_refused(copy: Path) -> None:
    for bots in (("random", "heuristic"), ("h=heuristic", "random"), ("random", "h=heuristic:epsilon=0.1")):
        with pytest.raises(RunError, match="its bots is "):
            RunDirectory.create(copy, small_spec(*bots, boards=16, moves=True))


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "manifest.json", "games/part-000000.parquet"])
def test_a_folder_with_other_files_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = listing(tmp_path)
    with pytest.raises(RunError, match=f"{re.escape(repr(str(tmp_path)))} holds other files: choose a new or an empty"):
        run(SPEC, tmp_path, workers=1)
    assert listing(tmp_path) == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(RunError, match="holds other files: choose a new or an empty folder"):
        RunDirectory.create(path, SPEC)
    with pytest.raises(RunError, match="is no run directory: expected a folder"):
        RunDirectory.open(path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", [".lock", ".run.json.tmp"])
def test_what_a_run_leaves_that_was_killed_at_once_is_no_other_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert run(SPEC, tmp_path, workers=1).is_complete
    assert not (tmp_path / ".run.json.tmp").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "run"
    with pytest.raises(RunError, match=f"^cannot write to {re.escape(repr(str(path)))}: Not a directory$"):
        RunDirectory.create(path, SPEC)


@pytest.mark.parametrize("mode", [0o000, 0o500], ids=["unreadable", "read-only"])
def test_a_folder_without_rights_is_refused(mode: int) -> None:
    with tempfile.TemporaryDirectory() as name, rights(Path(name), mode):
        path = Path(name)
        for refused in (path, path / "run"):
            with pytest.raises(RunError, match=f"^cannot write to {re.escape(repr(str(refused)))}: Permission denied$"):
                run(SPEC, refused, workers=1)
        with pytest.raises(RunError, match=r"^cannot read .*: Permission denied$|is no run directory"):
            RunDirectory.open(path)


def test_a_table_folder_in_the_way_is_refused(tmp_path: Path) -> None:
    RunDirectory.create(tmp_path, SPEC)
    (tmp_path / "deals").touch()
    with pytest.raises(RunError, match=r"^cannot write to .*: File exists$"):
        run(SPEC, tmp_path, workers=1)


@pytest.mark.parametrize(
    "change", [{"numpy": "1.0"}, {"pyarrow": "9.9.9"}, {"hiddenhand": "0.0.1"}, {"numba": "0.1"}, {"rows": "0"}]
)
def test_a_run_of_other_versions_is_read_and_not_resumed(copy: Path, change: dict[str, str]) -> None:
    data = json.loads((copy / "run.json").read_text())
    data["versions"] |= change
    (copy / "run.json").write_text(json.dumps(data))
    before = listing(copy)
    (written,) = change.items()
    message = re.escape(f"'{written[0]}': '{written[1]}'") + ".*: this is .*, which may give other bytes$"
    found = RunDirectory.open(copy)
    assert len(board_results(found)) == SPEC.boards
    assert list(run_doubts(found, SPEC.boards)) == [
        "other versions wrote this run: it can be read, but neither resumed nor verified"
    ]
    refusals: tuple[Callable[[], object], ...] = (
        lambda: RunDirectory.create(copy, SPEC),
        lambda: run(found.spec, copy, workers=1),
        lambda: list(verify(copy)),
        lambda: list(replay(copy, 0)),
    )
    for refused in refusals:
        with pytest.raises(RunError, match=message):
            refused()
    assert listing(copy) == before


@pytest.mark.parametrize("num_bots", [2, 3])
def test_a_run_of_the_old_schedule_is_read_with_a_warning(tmp_path: Path, num_bots: int) -> None:
    bots = [f"{label}=random" for label in "abc"[:num_bots]]
    spec = make_spec("kronions", bots, preset="mini", options={"num_players": 3}, boards=2)
    run(spec, tmp_path / "run", workers=1)
    data = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(data | {"schema": 2}))
    (said,) = run_doubts(RunDirectory.open(tmp_path / "run"), 2)
    assert ("kept the order of three or more bots round the table" in said) == (num_bots == 3)
    assert ("can be read, but neither resumed" in said) == (num_bots == 2)
    with pytest.raises(RunError, match="which may give other bytes"):
        run(spec, tmp_path / "run", workers=1)


def test_a_run_of_another_schema_is_refused(copy: Path) -> None:
    data = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(data | {"schema": data["schema"] + 1}))
    with pytest.raises(RunError, match="was written by"):
        RunDirectory.open(copy)


def test_a_folder_without_a_run_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(RunError, match=r"is no run directory: expected a folder with run\.json"):
            RunDirectory.open(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is damaged, it is empty: play the run again in another folder"),
        ("\n", "is damaged, it is empty: play the run again in another folder"),
        ("\0" * 512, "is damaged, it is empty: play the run again in another folder"),
        ("{", "is damaged, it is cut, or no JSON: play the run again in another folder"),
        ("\xff", "is damaged, it is cut, or no JSON: play the run again in another folder"),
        ("[" * 100_000, "is damaged, it is cut, or no JSON: play the run again in another folder"),
        ("[]", "does not describe a run: it has no 'schema'"),
        ("null", "does not describe a run: it has no 'schema'"),
        ("{}", "does not describe a run: it has no 'schema'"),
        ('{"schema": 2}', "does not describe a run: it has no 'versions'"),
        ('{"schema": 2, "versions": {}, "state": "running"}', "does not describe a run: it has no 'spec'"),
    ],
)
def test_a_damaged_run_json_is_refused_in_one_sentence(copy: Path, text: str, message: str) -> None:
    (copy / "run.json").write_text(text, encoding="latin-1")
    for use in (RunDirectory.open, lambda path: run(SPEC, path, workers=1)):
        with pytest.raises(RunError, match=rf"^'{re.escape(str(copy))}/run\.json' {re.escape(message)}$"):
            use(copy)


@pytest.mark.parametrize("state", ["compleat", "", None, []])
def test_an_unknown_state_is_named(copy: Path, state: Any) -> None:
    data = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps(data | {"state": state}))
    message = re.escape(f"its state is {state!r}: expected 'running' or 'complete'")
    with pytest.raises(RunError, match=rf"run\.json' does not describe a run: {message}$"):
        RunDirectory.open(copy)


@pytest.mark.parametrize("damage", [b"", b"\0" * 512, b'{"parts": ', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_manifest_is_as_good_as_none(finished: Path, copy: Path, damage: bytes) -> None:
    (copy / "manifest.json").write_bytes(damage)
    assert RunDirectory.open(copy).finished_parts() == []
    assert run(SPEC, copy, workers=1).is_complete
    assert contents(copy) == contents(finished)


def test_a_manifest_that_cannot_be_read_is_not_taken_for_none(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(store: Folder, name: str) -> bytes:
        if name == "manifest.json":
            raise PermissionError(13, "Permission denied")
        return (store.path / name).read_bytes()

    monkeypatch.setattr(Folder, "read", read)
    with pytest.raises(RunError, match=r"^cannot read '.*/manifest\.json': Permission denied$"):
        RunDirectory.open(copy)


# One writer


def test_a_second_writer_is_refused(copy: Path) -> None:
    message = f"{str(copy)!r} is being written by another process: wait for it, or stop it"
    with RunDirectory.create(copy, SPEC).locked(), pytest.raises(RunError, match=f"^{re.escape(message)}$"):
        run(SPEC, copy, workers=1)
    assert run(SPEC, copy, workers=1).is_complete


def test_a_second_writer_is_refused_across_processes(copy: Path, run_python: RunPython) -> None:
    code = """
import sys
from pathlib import Path
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.stores import Folder
from experiments.tournament import run
path = Path(sys.argv[1])
try:
    run(RunDirectory.open(path).spec, path, 1)
except RunError as error:
    print(error)
"""
    with RunDirectory.create(copy, SPEC).locked():
        assert "is being written by another process" in run_python("-c", code, str(copy)).stdout
    assert run_python("-c", code, str(copy)).stdout == ""


def test_a_second_writer_of_a_new_folder_leaves_nothing(tmp_path: Path) -> None:
    """Two commands started at once on a new folder: the later one must not put its spec into the run of the other."""
    with FileLock(tmp_path / ".lock"), pytest.raises(RunError, match="is being written by another process"):
        run(SPEC, tmp_path, workers=1)
    assert list(listing(tmp_path)) == [".lock"]


def test_a_run_made_by_another_process_in_the_meantime_is_found(
    tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Meanwhile(FileLock):
        def acquire(self, *arguments: Any, **keywords: Any) -> Any:
            shutil.copy(finished / "run.json", tmp_path / "run.json")
            return super().acquire(*arguments, **keywords)

    monkeypatch.setattr(stores, "FileLock", Meanwhile)
    with pytest.raises(RunError, match="its boards is 16, not 17"):
        RunDirectory.create(tmp_path, small_spec("random", "h=heuristic", boards=17, moves=True))
    assert (tmp_path / "run.json").read_bytes() == (finished / "run.json").read_bytes()


# Manifest and hashes


def test_the_manifest_names_rows_and_hashes_of_every_file(finished: Path) -> None:
    parts = json.loads((finished / "manifest.json").read_text())["parts"]
    assert list(parts) == [str(part) for part in range(8)]
    for part, entry in parts.items():
        assert list(entry) == list(TABLES)
        for table, found in entry.items():
            file = finished / table / f"part-{int(part):06d}.parquet"
            assert found["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
            assert found["rows"] == pq.read_metadata(file).num_rows
    files = {str(file.relative_to(finished)) for file in finished.rglob("*") if file.is_file()}
    expected = {f"{table}/part-{part:06d}.parquet" for table in TABLES for part in range(8)}
    expected |= {f"timing/part-{part:06d}.json" for part in range(8)} | {"run.json", "manifest.json", ".lock"}
    assert files - {".lock"} == expected - {".lock"}
    assert json.loads((finished / "run.json").read_text())["state"] == "complete"


def test_a_finished_run_can_be_read(finished: Path) -> None:
    directory = RunDirectory.open(finished)
    for table in TABLES:
        found = directory.read(table)
        expected = [row for part in range(8) for row in rows_of(tables_of(SPEC, part)[table])]
        assert directory.num_rows(table) == found.num_rows == len(expected)
        assert rows_of(found) == expected
    assert directory.read("games", ["bot"]).column_names == ["bot"]
    assert directory.play_seconds() > 0
    assert directory.write_seconds() > 0


# Damage


def flip_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def swap(file: Path) -> None:
    shutil.copy(file.with_name("part-000000.parquet"), file)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "bit flipped": flip_bit,
    "truncated": truncate,
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "empty": lambda file: file.write_bytes(b""),
    "missing": lambda file: file.unlink(),
    "another part": swap,
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_part_is_made_again_and_no_other(
    finished: Path, copy: Path, table: str, damage: Callable[[Path], Any]
) -> None:
    damage(copy / table / "part-000003.parquet")
    times = {file: file.stat().st_mtime_ns for file in copy.glob("*/part-*.parquet")}
    assert RunDirectory.open(copy).missing_parts() == [3]
    assert contents(copy) != contents(finished)
    progress: list[tuple[int, int]] = []
    run(SPEC, copy, workers=2, progress=lambda done, total: progress.append((done, total)))
    assert progress == [(14, 16), (16, 16)]
    assert contents(copy) == contents(finished)
    written = {file.name for file, time in times.items() if not file.exists() or file.stat().st_mtime_ns != time}
    assert written <= {"part-000003.parquet"}


@pytest.mark.parametrize("lost", ["manifest.json", "games", "timing", "moves"])
def test_lost_files_and_folders_are_made_again(finished: Path, copy: Path, lost: str) -> None:
    shutil.rmtree(copy / lost) if (copy / lost).is_dir() else (copy / lost).unlink()
    assert run(SPEC, copy, workers=1).is_complete
    assert contents(copy) == contents(finished)


def test_a_part_that_the_manifest_does_not_name_is_made_again(finished: Path, copy: Path) -> None:
    data = json.loads((copy / "manifest.json").read_text())
    del data["parts"]["2"], data["parts"]["7"]
    (copy / "manifest.json").write_text(json.dumps(data))
    truncate(copy / "deals" / "part-000002.parquet")
    assert RunDirectory.open(copy).missing_parts() == [2, 7]
    run(SPEC, copy, workers=1)
    assert contents(copy) == contents(finished)


def test_leftovers_of_a_kill_are_removed(finished: Path, copy: Path) -> None:
    leftovers = [
        ".run.json.tmp",
        ".manifest.json.tmp",
        "games/.part-000001.parquet.tmp",
        "timing/.part-000001.json.tmp",
    ]
    for name in leftovers:
        (copy / name).write_bytes(b"half")
    run(SPEC, copy, workers=1)
    assert not any((copy / name).exists() for name in leftovers)
    assert contents(copy) == contents(finished)


def test_a_file_is_put_in_place_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    order: list[str] = []
    replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        order.append(f"replace {self.name} {self.read_bytes().decode()} over {target.read_bytes().decode()}")
        return replace(self, target)

    sync = os.fsync
    monkeypatch.setattr(Path, "replace", watched)
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("sync"), sync(handle)))
    Folder(tmp_path).write("file", b"new")
    assert order == ["sync", "replace .file.tmp new over old"]
    assert [child.name for child in tmp_path.iterdir()] == ["file"]


# In which order things are written


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is written and removed in folders, in order; a file that is synced has a star."""
    found: list[str] = []
    write, remove = Folder.write, Folder.remove

    def written(self: Folder, name: str, data: bytes, sync: bool = True) -> None:
        write(self, name, data, sync)
        found.append(f"{name}{'*' if sync else ''}")

    def removed(self: Folder, name: str) -> None:
        remove(self, name)
        found.append(f"removed {name}")

    monkeypatch.setattr(Folder, "write", written)
    monkeypatch.setattr(Folder, "remove", removed)
    return found


def test_a_part_is_safe_on_disk_before_the_manifest_names_it(tmp_path: Path, changes: list[str]) -> None:
    directory = RunDirectory.create(tmp_path / "run", SPEC)
    with directory.locked():
        directory.write_part(0, tables_of(SPEC))
        directory.write_timing(0, {})
        directory.mark("complete")
    parts = [f"{table}/part-000000.parquet*" for table in TABLES]
    assert changes == ["run.json*", *parts, "manifest.json*", "timing/part-000000.json", "run.json*"]


def test_the_manifest_forgets_a_part_before_its_files_go(copy: Path, changes: list[str]) -> None:
    directory = RunDirectory.create(copy, SPEC)
    with directory.locked():
        directory.drop_parts(7)
    files = [f"removed {table}/part-000007.parquet" for table in TABLES]
    assert changes == ["manifest.json*", *files, "removed timing/part-000007.json"]
    assert RunDirectory.open(copy).finished_parts() == list(range(7))


def test_parts_of_another_coordinator_are_kept(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another one wrote until the lock was free is no lost part: the manifest is read once it is held."""
    directory = RunDirectory.create(tmp_path / "run", SPEC)

    class Meanwhile(FileLock):
        def acquire(self, *arguments: Any, **keywords: Any) -> Any:
            shutil.copytree(finished, tmp_path / "run", dirs_exist_ok=True)
            return super().acquire(*arguments, **keywords)

    monkeypatch.setattr(stores, "FileLock", Meanwhile)
    with directory.locked():
        assert directory.missing_parts() == []
        directory.write_part(3, tables_of(SPEC, 3))
    assert RunDirectory.open(tmp_path / "run").finished_parts() == list(range(8))
    assert contents(tmp_path / "run") == contents(finished)


@pytest.mark.parametrize("rule", ["", "h>random:effect=0.01"])
def test_a_complete_run_is_running_while_it_is_mended(
    tmp_path: Path, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = small_spec("random", "h=heuristic", boards=16, stop_when=rule)
    path = run(spec, tmp_path / "run", workers=1).path
    truncate(path / "games" / "part-000002.parquet")
    states: list[str] = []
    write_part = RunDirectory.write_part

    def watched(self: RunDirectory, part: int, tables: dict[str, pa.Table]) -> None:
        states.append(json.loads((path / "run.json").read_text())["state"])
        write_part(self, part, tables)

    monkeypatch.setattr(RunDirectory, "write_part", watched)
    run(spec, path, workers=1)
    assert states == ["running"]
    assert RunDirectory.open(path).is_complete


# What is in the files


def columns_of(table: str) -> tuple[Column, ...]:
    return table_columns(SPEC.game_object, table, ("random", "h"))


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_typed_documented_and_never_null(finished: Path, table: str) -> None:
    for part in (0, 7):
        file = pq.ParquetFile(finished / table / f"part-{part:06d}.parquet")
        found = file.read()
        assert found.column_names == [column.name for column in columns_of(table)]
        for field, column in zip(found.schema, columns_of(table), strict=True):
            assert field.metadata[b"meaning"].decode() == column.meaning
            assert field.metadata[b"unit"].decode() == column.unit
            assert column.meaning
            assert column.unit
            assert not field.nullable
            assert found[column.name].null_count == 0
            assert all(file.schema.column(i).max_definition_level == 0 for i in range(len(found.schema)))
            number = pa.from_numpy_dtype(np.dtype(column.type))
            assert field.type == (pa.dictionary(number, pa.string()) if column.categories else number)


def test_the_columns_are_those_of_the_design(finished: Path) -> None:
    names = {table: pq.read_schema(finished / table / "part-000000.parquet").names for table in TABLES}
    seat = ["board", "lineup", "rotation", "game_id", "seat", "bot"]
    assert names["games"] == [*seat, "score", "place", "win_share", "deals", "decisions", "outcome"]
    deal = ["hand", "dealer", "hand_size", "flip", "trump", "bid", "tricks", "points", "total"]
    assert names["deals"] == [*seat, "deal", *deal]
    assert names["moves"] == ["game_id", "deal", "ply", "seat", "phase", "action", "legal"]


@pytest.mark.parametrize("table", TABLES)
def test_dictionaries_hold_all_texts_in_the_order_of_the_spec(finished: Path, table: str) -> None:
    with_categories = [column for column in columns_of(table) if column.categories]
    assert with_categories
    for part in (0, 7):
        found = pq.read_table(finished / table / f"part-{part:06d}.parquet")
        for column in with_categories:
            (chunk,) = found[column.name].chunks
            assert chunk.dictionary.to_pylist() == list(column.categories)
    if table == "games":
        assert next(c.categories for c in with_categories if c.name == "bot") == ("random", "h")


@pytest.mark.parametrize("table", TABLES)
def test_a_file_has_one_row_group_zstd_and_no_pandas_metadata(finished: Path, table: str) -> None:
    for file in sorted((finished / table).iterdir()):
        data = pq.ParquetFile(file)
        assert data.metadata.num_row_groups == 1
        group = data.metadata.row_group(0)
        assert {group.column(i).compression for i in range(group.num_columns)} == {"ZSTD"}
        assert b"pandas" not in (data.metadata.metadata or {})
        assert b"pandas" not in file.read_bytes()
        assert data.metadata.format_version == "2.6"
        assert data.metadata.row_group(0).column(0).is_stats_set


def test_a_folder_reads_as_one_pandas_frame(finished: Path) -> None:
    for table in TABLES:
        frame = pd.read_parquet(finished / table)
        assert len(frame) == RunDirectory.open(finished).num_rows(table)
        assert not frame.isna().to_numpy().any()
        for column in columns_of(table):
            if column.categories:
                assert list(frame[column.name].cat.categories) == list(column.categories)
                assert set(frame[column.name]) <= set(column.categories)
            else:
                assert frame[column.name].dtype == np.dtype(column.type)
    games = pd.read_parquet(finished / "games", columns=["bot", "score"])
    assert games.groupby("bot", observed=True)["score"].count().to_dict() == {"random": 72, "h": 72}


def test_a_part_of_a_finished_run_has_the_bytes_of_its_tables(finished: Path) -> None:
    for table, found in tables_of(SPEC, 5).items():
        assert (finished / table / "part-000005.parquet").read_bytes() == parquet_bytes(found)
