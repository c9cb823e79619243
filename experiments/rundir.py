"""A run directory: who may write it, what is in it, and how a part gets there whole or not at all.

    run.json                     the spec, the versions that decide its bytes, whether the run is complete, and whether
                                 the same spec gives the same bytes: not where a bot has a time limit
    manifest.json                every finished part: rows and SHA-256 of each of its files
    games/part-000000.parquet    and deals/, and moves/ where moves are logged
    timing/                      how long the parts took; the only files that differ between equal runs

A part counts once the manifest names it; all others are played again, which gives the same bytes. How a file gets into
place whole, and how a second writer is kept out, is a matter of the store (`experiments.stores`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from cardkit.spec import InvalidText, nearest
from experiments.part_files import UNREADABLE, file_entry, file_faults, is_file_entry, parquet_bytes, read_parquet
from experiments.run_store import Damaged, RunError, json_bytes, lock, read_json, shown, usable
from experiments.spec import READABLE_SCHEMAS, SCHEMA_VERSION, RunSpec, check_sources, versions
from experiments.stores import LOCK, Store, store_at

RUN_FILES = ("run.json", "manifest.json")
_EARLY_FILES = (LOCK, ".run.json.tmp")  # what a run leaves that was killed before it wrote run.json
STATES = ("running", "complete")
TABLES = ("games", "deals", "moves")


class RunDirectory:
    """One run on disk. Only the coordinator of a run writes, and only while it holds the lock.

    Attributes:
        spec: of the run.
        written_by: the versions that wrote it, and the schema; empty where they are these.
        schema: of its files.
    """

    def __init__(self, store: Store, spec: RunSpec, written_by: str = "", schema: int = SCHEMA_VERSION) -> None:
        self._store, self.spec, self.written_by, self.schema = store, spec, written_by, schema
        self._parts: dict[int, dict[str, Any]] = {}
        self._read_manifest()

    def _read_manifest(self) -> None:
        """Find the finished parts; an entry of another form counts as not finished, a damaged file as missing.

        Raises:
            RunError: the manifest is of another spec than run.json.
        """
        found: Any = {}
        with usable(self._store, "read", "manifest.json"), contextlib.suppress(Damaged):
            if self._store.exists("manifest.json"):
                found = read_json(self._store, "manifest.json")
        parts = found.get("parts") if isinstance(found, dict) else None
        if parts and found.get("spec") != self.spec.hash():
            raise RunError(f"manifest.json and run.json in {str(self.path)!r} are of different runs: one was changed")
        numbers = {str(part): part for part in range(self.spec.num_parts)}
        self._parts = {
            numbers[name]: entry
            for name, entry in (parts.items() if isinstance(parts, dict) else ())
            if name in numbers and isinstance(entry, dict) and all(is_file_entry(entry.get(t)) for t in self.tables)
        }

    @property
    def path(self) -> Any:
        """Where it lies: a `Path`, or the address of another store as text."""
        return self._store.path

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of the run."""
        return TABLES if self.spec.moves else TABLES[:2]

    @staticmethod
    def open(place: Path | str) -> RunDirectory:
        """The run at a place: a folder, or an address that fsspec knows. One of other versions can be read only.

        Raises:
            RunError: there is none, or its files have another form.
            InvalidText: an address that fsspec does not know.
        """
        store = store_at(place)
        with usable(store, "read"):
            if not store.exists("run.json"):
                raise RunError(f"{str(place)!r} is no run directory: expected a folder with run.json")
        try:
            data = read_json(store, "run.json")
            for name in ("schema", "versions", "state", "spec"):
                if not isinstance(data, dict) or name not in data:
                    raise InvalidText(f"it has no {name!r}")
            schema, written = data["schema"], data["versions"]
            is_current = (schema, written) == (SCHEMA_VERSION, versions())
            by = "" if is_current else f"{written}, schema {schema}"
            if schema not in READABLE_SCHEMAS:
                raise RunError(f"{str(place)!r} was written by {by}: expected schema {SCHEMA_VERSION}")
            if data["state"] not in STATES:
                raise InvalidText(f"its state is {data['state']!r}: expected 'running' or 'complete'")
            return RunDirectory(store, RunSpec.from_json(data["spec"], schema, is_current), by, schema)
        except InvalidText as error:
            raise RunError(f"{shown(store, 'run.json')} does not describe a run: {error}") from None

    @staticmethod
    def create(place: Path | str, spec: RunSpec) -> RunDirectory:
        """The directory for a run: a new one, or the one that already holds this run.

        Raises:
            RunError: it holds another run or other files, or cannot be written; nothing is changed then.
            InvalidText: an address that fsspec does not know.
        """
        store = store_at(place)
        with usable(store, "write to"):
            has_run = store.exists("run.json")
            has_others = not store.can_hold(_EARLY_FILES)
        if has_run:
            found = RunDirectory.open(place)
            found.check_versions()
            if found.spec != spec:
                check_sources(found.spec)
                raise RunError(
                    f"{str(place)!r} holds another run ({_difference(found.spec, spec)}): choose another folder"
                )
            return found
        if has_others:
            raise RunError(f"{str(place)!r} holds other files: choose a new or an empty folder")
        with lock(store):
            if store.exists("run.json"):  # another process was quicker
                return RunDirectory.create(place, spec)
            directory = RunDirectory(store, spec)
            directory._write_run("running")
        return directory

    def check_versions(self) -> None:
        """Refuse to play in a run, or to play it again, with other versions than it was begun with.

        Raises:
            RunError: other versions wrote it.
        """
        if self.written_by:
            here = f"{versions()}, schema {SCHEMA_VERSION}"
            raise RunError(
                f"{str(self.path)!r} was written by {self.written_by}: this is {here}, which may give other bytes"
            )

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the directory, make its folders, and read the manifest anew.

        Raises:
            RunError: another process holds it, or the directory cannot be written.
        """
        with lock(self._store):
            with usable(self._store, "write to"):
                self._store.prepare((*self.tables, "timing"))
            self._read_manifest()  # another process may have written since this one looked
            yield

    def _write_run(self, state: str) -> None:
        data = {
            "spec": self.spec.to_json(),
            "repeatable": self.spec.is_repeatable,
            "versions": versions(),
            "schema": SCHEMA_VERSION,
            "state": state,
        }
        self._write("run.json", json_bytes(data))

    def _write(self, name: str, data: bytes, sync: bool = True) -> None:
        with usable(self._store, "write to", name):
            self._store.write(name, data, sync)

    def write_extra(self, name: str, data: bytes) -> None:
        """Put a file of something else than the run's own beside its files, such as a report; in place whole.

        Raises:
            RunError: the directory cannot be written.
        """
        self._write(name, data)

    @property
    def is_complete(self) -> bool:
        """Whether the run has come to its end."""
        return self.state == "complete"

    @property
    def state(self) -> str:
        """What run.json says: "running" or "complete"."""
        return str(read_json(self._store, "run.json")["state"])

    def finished_parts(self) -> list[int]:
        """The parts that the manifest names, ascending."""
        return sorted(self._parts)

    def missing_parts(self) -> list[int]:
        """The parts still to play: not in the manifest, or with a file that is not what the manifest says."""
        for part in self.finished_parts():
            if not self.is_valid(part):
                del self._parts[part]
        return [part for part in range(self.spec.num_parts) if part not in self._parts]

    def is_valid(self, part: int) -> bool:
        """Whether the files of a finished part are what the manifest says, and hold the games of the part's boards."""
        return not self.faults(part)

    def faults(self, part: int) -> list[str]:
        """What is wrong with the files of a finished part, in words."""
        try:
            files = {table: self._store.read(self.part_file(table, part)) for table in self.tables}
        except OSError:
            return ["is damaged or gone"]
        entry = self._parts[part]
        found = (file_faults(self.spec, part, table, data, entry[table]) for table, data in files.items())
        return list(dict.fromkeys(fault for faults in found for fault in faults))

    def unlisted_files(self) -> list[str]:
        """What lies in the folders of the tables and is no file of a finished part."""
        listed = {self.part_file(table, part) for table in self.tables for part in self._parts}
        with usable(self._store, "read"):
            return [name for table in TABLES for name in self._store.files(table) if name not in listed]

    @staticmethod
    def part_file(table: str, part: int) -> str:
        """The file of a table of a part."""
        return f"{table}/part-{part:06d}.parquet"

    def write_part(self, part: int, tables: dict[str, pa.Table]) -> None:
        """Write the files of a part, then the manifest that names them."""
        entry = {}
        for name, table in tables.items():
            data = parquet_bytes(table)
            self._write(self.part_file(name, part), data)
            entry[name] = file_entry(data, table.num_rows)
        self._parts[part] = entry
        self._write_manifest()

    def drop_parts(self, end: int) -> None:
        """Forget the parts from `end` on: first in the manifest, then their files; and files that are no part's."""
        if any(part >= end for part in self._parts):
            self._parts = {part: entry for part, entry in self._parts.items() if part < end}
            self._write_manifest()
        for name in self.unlisted_files():
            self._remove(name)
        with usable(self._store, "read"):
            late = [name for name in self._store.files("timing") if name >= f"timing/part-{end:06d}.json"]
        for name in late:
            self._remove(name)

    def _remove(self, name: str) -> None:
        with usable(self._store, "delete", name):
            self._store.remove(name)

    def _write_manifest(self) -> None:
        parts = {str(finished): self._parts[finished] for finished in sorted(self._parts)}
        self._write("manifest.json", json_bytes({"spec": self.spec.hash(), "parts": parts}))

    def write_timing(self, part: int, timing: dict[str, Any]) -> None:
        """Note how long a part took; these files differ between equal runs."""
        self._write(f"timing/part-{part:06d}.json", json_bytes(timing), sync=False)

    def play_seconds(self) -> float:
        """Seconds that playing the parts took, added up over the workers."""
        return sum(timing["play_seconds"] for timing in self._timings())

    def write_seconds(self) -> float:
        """Seconds that the writer's thread spent on the parts."""
        return sum(timing["write_seconds"] for timing in self._timings())

    def move_times(self) -> dict[str, tuple[float, int]]:
        """Mean seconds of a move and how many moves were timed, by bot."""
        sums = dict.fromkeys(dict(self.spec.bots), (0.0, 0))
        for timing in self._timings():
            for label, (spent, moves, _) in timing["bots"].items():
                sums[label] = sums[label][0] + spent / 1e9, sums[label][1] + moves
        return {label: (seconds / moves if moves else 0.0, moves) for label, (seconds, moves) in sums.items()}

    def _timings(self) -> list[dict[str, Any]]:
        found = []
        for file in self._store.files("timing"):
            with contextlib.suppress(RunError, KeyError, TypeError, ValueError):  # a damaged one is left out
                timing = read_json(self._store, file)
                bots = {}
                for label, _ in self.spec.bots:
                    spent, moves, longest = map(int, timing["bots"][label])
                    bots[label] = spent, moves, longest
                found.append({name: float(timing[name]) for name in ("play_seconds", "write_seconds")} | {"bots": bots})
        return found

    def mark(self, state: str) -> None:
        """Note in run.json whether the run is "running" or "complete"."""
        if self.state != state:
            self._write_run(state)

    def rows_of_part(self, table: str, part: int) -> int:
        """How many rows of a table a finished part has, as the manifest says."""
        return int(self._parts[part][table]["rows"])

    def num_rows(self, table: str) -> int:
        """How many rows of a table are finished."""
        return sum(self.rows_of_part(table, part) for part in self._parts)

    def size(self, table: str) -> int:
        """Bytes of the finished parts of a table."""
        return sum(len(self._store.read(self.part_file(table, part))) for part in self.finished_parts())

    def read_part(
        self, table: str, part: int, columns: list[str] | None = None, filters: list[Any] | None = None
    ) -> pa.Table:
        """The rows of a table in a finished part, in order."""
        with usable(self._store, "read", self.part_file(table, part)):
            data = self._store.read(self.part_file(table, part))
        try:
            return read_parquet(data, columns, filters)
        except UNREADABLE:
            raise RunError(
                f"{shown(self._store, self.part_file(table, part))} is no part of a run: "
                f"make it again with 'hiddenhand resume'"
            ) from None

    def read(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """The finished rows of a table, in order."""
        return pa.concat_tables([self.read_part(table, part, columns) for part in self.finished_parts()])

    def dataset(self, table: str) -> ds.Dataset:
        """The finished rows of a table as a `pyarrow.dataset.Dataset`, one fragment a part: nothing is read yet.

        Raises:
            RunError: there is no such table in the run, or no part is finished.
        """
        if table not in self.tables:
            hint = "; expected a run with --moves" if table == "moves" else nearest(table, self.tables)
            raise RunError(f"no table {table!r} in {str(self.path)!r}{hint}")
        files = [self._store.for_arrow(self.part_file(table, part)) for part in self.finished_parts()]
        if not files:
            raise RunError(f"no part of {str(self.path)!r} is finished: there is nothing to read")
        return ds.dataset([path for _, path in files], format="parquet", filesystem=files[0][0])


def _difference(old: RunSpec, new: RunSpec) -> str:
    """The first thing in which two specs differ, in words."""
    before, after = old.to_json(), new.to_json()
    name = next(name for name in before if before[name] != after[name])
    if isinstance(before[name], dict):
        before, after = before[name], after[name]
        name = next(key for key in {**before, **after} if before.get(key) != after.get(key))
    return f"its {name} is {before.get(name)!r}, not {after.get(name)!r}"
