"""Runs as pandas frames: read lazily, part by part, only the columns and rows that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from cardkit.spec import InvalidText, nearest
from experiments.means import SHARE, Bounds, Means
from experiments.rundir import RunDirectory

Run = RunDirectory | Path | str
Names = Sequence[str] | str
Change = Callable[[pd.DataFrame], pd.DataFrame]

_SHARES = {"exact", "under", "over", "made", "win_share", "beaten", "is_zero", "share"}


def open_run(run: Run) -> RunDirectory:
    """A run directory, or the one at a place.

    Raises:
        RunError: there is none.
    """
    return run if isinstance(run, RunDirectory) else RunDirectory.open(run)


def frames(run: Run, table: str, columns: Sequence[str] | None = None, where: Any = None) -> Iterator[pd.DataFrame]:
    """The rows of a table as frames, a part at a time: all deals of a board are in one part.

    Args:
        run: a run directory, or where it lies.
        table: "games", "deals" or "moves".
        columns: those to read, all by default.
        where: which rows, an expression such as `pyarrow.dataset.field("bid") == 0`.

    Raises:
        RunError: no such run or table, or no part is finished.
    """
    for fragment in open_run(run).dataset(table).get_fragments():
        yield fragment.to_table(columns=None if columns is None else list(columns), filter=where).to_pandas()


def frame(run: Run, table: str, columns: Sequence[str] | None = None, where: Any = None) -> pd.DataFrame:
    """The rows of a table in one frame (see `frames`)."""
    return pd.concat(list(frames(run, table, columns, where)), ignore_index=True)


def mean_by(
    run: Run,
    keys: Names,
    measures: Names,
    columns: Names = (),
    change: Change | None = None,
    where: Any = None,
    table: str = "deals",
) -> pd.DataFrame:
    """Means of measures by group, with 95 % intervals whose unit is the board.

    Args:
        run: a run directory, or where it lies.
        keys: columns by whose values rows are grouped.
        measures: columns to average.
        columns: of the files, further ones that `change` needs.
        change: adds columns to each part's rows, or leaves rows out.
        where: which rows are read (see `frames`).
        table: of which table.

    Returns:
        A line a group: the keys, `rows`, `boards`, and each measure with `_low` and `_high`; rows of no board are none.

    Raises:
        InvalidText: neither the files nor `change` have a column of that name.
    """
    found = open_run(run)
    keys, measures, columns = names_of(keys), names_of(measures), names_of(columns)
    in_files = set(found.dataset(table).schema.names)
    wanted = [name for name in dict.fromkeys(["board", *keys, *measures, *columns]) if name in in_files]
    has_shares = found.spec.game_object.points_are_shares
    means = Means(keys, {name: SHARE if has_shares and name == "score" else bounds_of(name) for name in measures})
    for rows in frames(found, table, wanted, where):
        changed = change(rows) if change else rows
        for name in (*keys, *measures):
            if name not in changed:
                raise InvalidText(f"no column {name!r}{nearest(name, sorted(in_files.union(changed.columns)))}")
        means.add(changed)
    return means.frame()


def names_of(names: Names) -> list[str]:
    """Names of columns, each once; one alone may stand without a list."""
    return list(dict.fromkeys([names] if isinstance(names, str) else names))


def bounds_of(measure: str) -> Bounds | None:
    """What a mean can be at least and at most: 0 and 1 for shares."""
    return SHARE if measure in _SHARES else None


def check_game(run: Run, *names: str) -> RunDirectory:
    """The run, which is of one of these games.

    Raises:
        InvalidText: it is of another game.
    """
    found = open_run(run)
    if found.spec.game not in names:
        raise InvalidText(f"{str(found.path)!r} is a run of {found.spec.game}: expected one of {' or '.join(names)}")
    return found


def check_pair(run: Run, other: Run, option: str) -> tuple[RunDirectory, RunDirectory]:
    """Two runs that differ in one rule option and nothing else, so that their boards see the same chance.

    Raises:
        InvalidText: they differ in something else, or not at all, or one has boards that the other has not yet.
    """
    found = open_run(run), open_run(other)
    specs = [(d.spec.game, d.spec.bots, d.spec.boards, d.spec.seed, d.spec.format, d.spec.seating) for d in found]
    rules: list[Mapping[str, str]] = [directory.spec.options for directory in found]
    changed = sorted(name for name in rules[0] if rules[0][name] != rules[1].get(name))
    if specs[0] != specs[1] or changed != [option]:
        what = ", ".join(changed) if specs[0] == specs[1] and changed else "nothing" if not changed else "more"
        raise InvalidText(
            f"{str(found[0].path)!r} and {str(found[1].path)!r} differ in {what}: expected runs of the same game, "
            f"bots, boards, seed, format and seating that differ in {option} alone"
        )
    if found[0].finished_parts() != found[1].finished_parts():
        names = " and ".join(repr(str(directory.path)) for directory in found)
        raise InvalidText(f"{names} have not played the same boards: expected runs that are finished")
    return found
