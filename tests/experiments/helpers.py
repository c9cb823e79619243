"""Small runs, and what is compared between runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from click.testing import CliRunner, Result

from experiments.cli import main
from experiments.match import play_part
from experiments.spec import RunSpec, make_spec

BASELINE = "tests.baselines.kronions:Baseline"
SHORT = {"num_players": 3, "round_cap": 3}


def small_spec(*bots: str, boards: int = 8, **changes: Any) -> RunSpec:
    """A spec of short games; `random` and `heuristic` where no bots are named."""
    return make_spec("kronions", bots or ("random", "heuristic"), **{"boards": boards, "options": SHORT} | changes)


def tables_of(spec: RunSpec, part: int = 0) -> dict[str, pa.Table]:
    """The tables of a part."""
    tables = play_part(spec, part, np.zeros(1, np.int64))
    assert tables is not None
    return tables


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a table; texts instead of dictionary numbers."""
    return list(table.to_pylist())


def contents(path: Path) -> dict[str, bytes]:
    """Every file that must be the same for equal runs, by its path in the run directory."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    names = {str(file.relative_to(path)): file for file in files}
    return {name: file.read_bytes() for name, file in names.items() if name != ".lock" and "timing/" not in name}


def invoke(*arguments: str, columns: int = 100) -> Result:
    """A command of `hiddenhand` in this process, on a terminal so wide."""
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(main, arguments)


def output(*arguments: str, columns: int = 100) -> str:
    """The output of a command that succeeds without a word on stderr."""
    result = invoke(*arguments, columns=columns)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return str(result.stdout)
