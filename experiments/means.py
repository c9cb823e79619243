"""Means of some measures in groups of rows, with 95 % intervals whose unit is the board, fed part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.intervals import LEAST_BOARDS, Spread, board_interval
from experiments.stats import FEW_BOARDS, Estimate

SHARE = (0.0, 1.0)
Bounds = tuple[float, float]
FEW_EVENTS = 5  # boards that are, or are not, what a share counts
_DECIDES = ("exact", "made")  # shares that points hang on
_ROUNDING = 1e-12  # of a sum of squares: what boards that are all alike may seem to differ by


@dataclass(frozen=True)
class Group:
    """What is known of one group.

    Attributes:
        rows: how many it has, a seat's deal counting as one.
        values: the mean of each measure.
    """

    rows: int
    values: dict[str, Estimate]


class Means:
    """Means by group, from a few sums a group, however many rows there are.

    Args:
        keys: columns by whose values rows are grouped.
        measures: columns to average, each with what a mean can be at least and at most; None where that is not known.
    """

    def __init__(self, keys: Sequence[str], measures: Mapping[str, Bounds | None]) -> None:
        self.keys, self.measures = list(keys), dict(measures)
        self._sums: list[pd.DataFrame] = []

    def add(self, rows: pd.DataFrame) -> None:
        """Count the rows of some boards, none of which was or will be given again; they have a column `board`."""
        if rows.empty:
            return
        names = list(self.measures)
        cells = rows.groupby(["board", *self.keys], observed=True, sort=False)[names].agg("sum").astype(float)
        counts = rows.groupby(["board", *self.keys], observed=True, sort=False).size().to_numpy(float)
        columns = {"boards": np.ones(len(cells)), "rows": counts, "squares": counts**2}
        for name in names:
            total = cells[name].to_numpy()
            columns |= {f"{name} y": total, f"{name} yy": total**2, f"{name} yn": total * counts}
        index: Any = cells.index
        sums = pd.DataFrame(columns, index=index.droplevel("board"))
        self._sums.append(sums.groupby(level=self.keys, observed=True).sum())

    def groups(self) -> dict[tuple[Any, ...], Group]:
        """What is known of every group, in the order of the keys."""
        if not self._sums:
            return {}
        sums = pd.concat(self._sums).groupby(level=self.keys, observed=True, sort=True).sum()
        keys = [key if isinstance(key, tuple) else (key,) for key in sums.index]
        return {
            tuple(part.item() if isinstance(part, np.generic) else part for part in key): Group(
                int(row["rows"]), {name: self._estimate(row, name) for name in self.measures}
            )
            for key, row in zip(keys, sums.to_dict("records"), strict=True)
        }

    def _estimate(self, row: Mapping[Any, Any], name: str) -> Estimate:
        """One mean. The variance is that of a ratio of board sums (Cochran, section 6.4)."""
        boards, count = int(row["boards"]), row["rows"]
        mean = row[f"{name} y"] / count
        rest = row[f"{name} yy"] - 2 * mean * row[f"{name} yn"] + mean**2 * row["squares"]
        rest = rest if rest > _ROUNDING * row[f"{name} yy"] else 0.0
        variance = rest * boards / (boards - 1) / count**2 if boards > 1 else np.nan
        found = Spread(np.asarray(mean), np.asarray(variance), boards - 1, np.full((), np.nan))
        bounds = self.measures[name]
        if bounds is None and boards < LEAST_BOARDS:
            return Estimate(float(mean), -np.inf, np.inf, boards)
        low, high = board_interval(found, boards, bounds)
        return Estimate(float(mean), float(low), float(high), boards)

    def frame(self) -> pd.DataFrame:
        """A tidy table: keys, `rows`, `boards`, each measure with its interval's ends `_low` and `_high`, and `rough`.

        `rough` names the measures whose intervals may hold the truth in less or more than 95 % of runs: all of fewer
        than 50 boards, shares of fewer than 5 boards or of all but so few, and points that hang on such a share.
        """
        lines = []
        for key, group in self.groups().items():
            line = dict(zip(self.keys, key, strict=True)) | {"rows": group.rows}
            for name, value in group.values.items():
                line |= {"boards": value.boards, name: value.mean, f"{name}_low": value.low, f"{name}_high": value.high}
            lines.append(line | {"rough": ", ".join(self._rough(group))})
        columns = [column for name in self.measures for column in (name, f"{name}_low", f"{name}_high")]
        return pd.DataFrame(lines, columns=[*self.keys, "rows", "boards", *columns, "rough"])

    def _rough(self, group: Group) -> list[str]:
        """Measures of a group whose intervals are rough."""
        rare = [
            name
            for name, value in group.values.items()
            if self.measures[name] is not None and value.boards * min(value.mean, 1 - value.mean) < FEW_EVENTS
        ]
        points_hang_on_it = not set(rare).isdisjoint(_DECIDES)
        return [
            name
            for name, value in group.values.items()
            if value.boards < FEW_BOARDS or name in rare or (points_hang_on_it and self.measures[name] is None)
        ]
