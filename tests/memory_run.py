"""A run that lies nowhere: its parts are played, in memory, when they are read.

Everything that takes a run directory and only reads it takes one of these: standings, seat effects, analyses, the
summary, the stop rule. What is played is what `hiddenhand tournament` plays for the same spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from experiments.match import play_slots
from experiments.part_sizes import Parts
from experiments.rundir import TABLES, RunDirectory
from experiments.spec import SCHEMA_VERSION, RunSpec
from experiments.stopping import Stopping

_BOARDS_AT_ONCE = 2000  # of a run without a stop rule, which bounds memory


class MemoryRun(RunDirectory):
    """A run, complete from the start. Where it has a stop rule, no part beyond the last that counts is played.

    Args:
        spec: the run.
        kept: tables that stay in memory once they are played; parts are played again for the others.
    """

    def __init__(self, spec: RunSpec, kept: Sequence[str] = TABLES) -> None:
        self.spec, self.schema, self.written_by = spec, SCHEMA_VERSION, ""
        self._kept = kept
        self._played: dict[int, dict[str, pa.Table]] = {}
        self._parts = spec.parts if spec.stop_when else Parts(_BOARDS_AT_ONCE, [spec.boards])
        self._end = len(self._parts)
        if spec.stop_when:
            self._end = Stopping(self).end

    @property
    def path(self) -> Any:
        """What it is called in messages."""
        return "memory"

    @property
    def state(self) -> str:
        """Always complete."""
        return "complete"

    def finished_parts(self) -> list[int]:
        """All parts."""
        return list(range(self._end))

    def faults(self, part: int) -> list[str]:
        """None: there are no files."""
        return []

    def move_times(self) -> dict[str, tuple[float, int]]:
        """Not taken."""
        return dict.fromkeys(dict(self.spec.bots), (0.0, 0))

    def read_part(
        self, table: str, part: int, columns: list[str] | None = None, filters: list[Any] | None = None
    ) -> pa.Table:
        """The rows of a table in a part, in order."""
        assert filters is None
        found = self._table(table, part)
        return found if columns is None else found.select(columns)

    def dataset(self, table: str) -> Any:
        """What `experiments.run_frames` needs of the table as a dataset: its columns, and one fragment a part."""
        return _Dataset(self, table)

    def _table(self, table: str, part: int) -> pa.Table:
        if table in self._played.get(part, {}):
            return self._played[part][table]
        games = self.spec.schedule.games(*self._parts.boards(part))
        tables = play_slots(self.spec, games, np.zeros(1, np.int64))
        assert tables is not None
        self._played[part] = {name: found for name, found in tables.items() if name in self._kept}
        return tables[table]


class _Dataset:
    """A table of a run as a dataset, one fragment a part."""

    def __init__(self, run: MemoryRun, table: str) -> None:
        self._run, self._table = run, table

    @property
    def schema(self) -> pa.Schema:
        """Of the table."""
        return self._run.read_part(self._table, 0).schema

    def get_fragments(self) -> Iterator[ds.Dataset]:
        """The parts, each a dataset of its own, which reads as a fragment does."""
        return (ds.dataset(self._run.read_part(self._table, part)) for part in self._run.finished_parts())


def with_seed(spec: RunSpec, seed: int, boards: int | None = None, stop_when: str | None = None) -> RunSpec:
    """The same run with another seed; rules and bots are not made again, which would take longer than to play it.

    Args:
        spec: the run.
        seed: its new one.
        boards: how many, by default as many.
        stop_when: its stop rule, by default the same.
    """
    changes: dict[str, Any] = {"seed": seed}
    changes |= {} if boards is None else {"boards": boards}
    changes |= {} if stop_when is None else {"stop_when": stop_when}
    found = replace(spec, **changes)
    found.__dict__.update(game_object=spec.game_object, bot_specs=spec.bot_specs)
    return found
