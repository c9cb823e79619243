"""Plots for notebooks: means with 95 % intervals, in colours that all can tell apart, and sentences about them.

    figure, (axes,) = plots.panels("How often is each bid made?")
    plots.draw(axes, table, "bid", "exact", scale=100)
    figure

Tables are those of `experiments.analysis`: a measure has its interval's ends beside it, in `_low` and `_high`.

A sentence says that something is more or less in two ways only, so that chance is rarely told as a finding. A single
verdict needs the same sign on every seed (`by_seed`, `verdict`). Where many are given in a list, intervals are widened
so that all of the list hold together (`sign` with `of`, `clear`).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from experiments.intervals import LEAST_BOARDS, Spread, board_interval, t_quantile
from experiments.stats import estimate

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe and Ito (2008)
MARKERS = "os^DvPX"
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
ENDS = {"": "mean", "_low": "low", "_high": "high"}  # what stands where in a table, and in an `Estimate`
_WIDTH, _DPI = 9.0, 100  # inches, and pixels an inch, which fill a notebook
_STYLE: dict[Any, Any] = {
    "font.size": 11, "axes.titlesize": 11, "figure.titlesize": 13, "axes.grid": True, "grid.color": "#dddddd",
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
}  # fmt: skip


class Drawing(Figure):
    """A figure that a notebook shows as it is, whatever its back end: let it be the last line of a cell."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_DPI)
        return file.getvalue()


def panels(
    title: str, names: Sequence[str] = ("",), height: float = 4.0, is_shared: bool = True
) -> tuple[Drawing, list[Axes]]:
    """A figure as wide as a notebook, with panels side by side.

    Args:
        title: what it asks.
        names: one a panel.
        height: in inches.
        is_shared: whether the panels have one y axis.
    """
    with mpl.rc_context(_STYLE):
        figure = Drawing(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.subplots(1, len(names), sharey=is_shared, squeeze=False)
        figure.suptitle(title)
        for one, name in zip(axes[0], names, strict=True):
            one.set_title(name)
    return figure, list(axes[0])


def draw(
    axes: Axes,
    table: pd.DataFrame,
    x: str,
    measure: str,
    *,
    series: int = 0,
    shift: float = 0.0,
    label: str = "",
    scale: float = 1.0,
    is_joined: bool = True,
) -> None:
    """Means as points and their intervals as bars; what has no interval, or one of too few boards, is left out.

    Args:
        axes: where.
        table: a line a point.
        x: column of the places; texts are categories.
        measure: column of the means, with `_low` and `_high` beside it.
        series: its number, which gives colour, marker and line.
        shift: how far from its place a point stands, so that it does not cover another's.
        label: for the legend.
        scale: what values are multiplied with, such as 100 for per cent.
        is_joined: whether a line joins the points.
    """
    found = well_known(table, measure)
    places, names = _places(table[x])
    at = places[table.index.get_indexer(found.index)] + shift
    mean, low, high = (found[name].to_numpy(float) * scale for name in (measure, f"{measure}_low", f"{measure}_high"))
    axes.errorbar(
        at,
        mean,
        yerr=(np.maximum(mean - low, 0), np.maximum(high - mean, 0)),
        color=COLOURS[series % len(COLOURS)],
        marker=MARKERS[series % len(MARKERS)],
        linestyle=LINES[series % len(LINES)] if is_joined else "none",
        label=label or None,
        capsize=3,
        markersize=6,
        linewidth=1.6,
        elinewidth=1.2,
    )
    if not names and np.all(places == places.round()):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if names:
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.6, len(names) - 0.4)


def log_scale(axis: Axis) -> None:
    """Make an axis, on which everything is drawn, logarithmic, with plain numbers."""
    axes: Any = axis.axes
    name = axis.axis_name  # type: ignore[attr-defined]
    axes.set(**{f"{name}scale": "log"})
    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(LogLocator(subs=(1.0,) if high > 1000 * low else (1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def table_of(
    groups: Mapping[Any, Any], key: str, measure: str, bounds: tuple[float, float] | None = None
) -> pd.DataFrame:
    """A table of means and intervals from numbers that are independent of each other, one array a group.

    Args:
        groups: the numbers of each group.
        key: column for the groups' names.
        measure: column for the means.
        bounds: what a mean can be at least and at most.
    """
    lines = []
    for name, values in groups.items():
        found = estimate(np.asarray(values, float), bounds=bounds)
        ends = {measure: found.mean, f"{measure}_low": found.low, f"{measure}_high": found.high}
        lines.append({key: name, "boards": found.boards} | ends)
    return pd.DataFrame(lines, columns=[key, "boards", measure, f"{measure}_low", f"{measure}_high"])


def well_known(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The lines whose interval of a measure is one: finite, and of enough boards where the table counts boards."""
    ends = table[[measure, f"{measure}_low", f"{measure}_high"]].to_numpy(float)
    is_known = np.isfinite(ends).all(axis=1)
    return table[is_known & (table["boards"] >= LEAST_BOARDS)] if "boards" in table else table[is_known]


def in_words(line: pd.Series | Any, measure: str, unit: str = "", scale: float = 1.0, digits: int = 2) -> str:
    """A mean and its interval, such as "3.21 points (3.02 to 3.40)", from a line of a table."""
    mean, low, high = (float(line[name]) * scale for name in (measure, f"{measure}_low", f"{measure}_high"))
    return f"{mean:.{digits}f}{f' {unit}' if unit else ''} ({low:.{digits}f} to {high:.{digits}f})"


def sign(line: pd.Series | Any, measure: str, of: int = 1) -> int:
    """1 where a mean is above 0 and -1 where it is below; 0 where its interval holds 0, or is of too few boards.

    Args:
        line: of a table.
        measure: column of the mean, with `_low` and `_high` beside it.
        of: how many verdicts are given together. The interval is made so much wider that all of them hold together in
            95 % of cases (Bonferroni); one of a share near its bounds would have to grow more.
    """
    if "boards" in line and line["boards"] < LEAST_BOARDS:
        return 0
    mean, low, high = (float(line[name]) for name in (measure, f"{measure}_low", f"{measure}_high"))
    freedom = float(line["boards"]) - 1 if "boards" in line else np.inf
    wider = t_quantile(freedom, max(of, 1)) / t_quantile(freedom)
    return int(mean - wider * (mean - low) > 0) - int(mean + wider * (high - mean) < 0)


def clear(table: pd.DataFrame, key: str, measure: str, of: int | None = None) -> tuple[list[Any], list[Any]]:
    """Keys of the lines above 0, and of those below: verdicts of `of` in a list, or of all that have an interval."""
    known = well_known(table, measure)
    signs = np.array([sign(line, measure, of or len(known)) for _, line in known.iterrows()], int)
    return known[key][signs > 0].tolist(), known[key][signs < 0].tolist()


def allowance(of: int) -> str:
    """The words that belong under a list of verdicts whose intervals were widened for their number."""
    if of < 2:
        return "too few for a list" if of == 0 else "a single comparison"
    return f"verdicts allow for the {of} comparisons of the list"


def agreed(signs: Iterable[int]) -> int:
    """The sign that all have; 0 where two differ or there is none."""
    found = set(signs)
    return found.pop() if len(found) == 1 else 0


def by_seed(values: Any, seeds: Any, measure: str, bounds: tuple[float, float] | None = None) -> pd.DataFrame:
    """A table for `verdict`: the mean of all numbers in the first line, then that of each seed.

    Args:
        values: independent numbers.
        seeds: the seed that each comes from.
        measure: column for the means.
        bounds: what a mean can be at least and at most.
    """
    values, seeds = np.asarray(values, float), np.asarray(seeds)
    groups = {"all": values} | {str(seed): values[seeds == seed] for seed in np.unique(seeds)}
    return table_of(groups, "seed", measure, bounds)


def verdict(table: pd.DataFrame, measure: str, words: Mapping[int, str]) -> str:
    """What may be said of one finding: the words of a sign only where all seeds together and each alone tell it.

    Args:
        table: a line of all together, then one a seed.
        measure: column of the mean.
        words: for 1, above 0; -1, below; 0, not clear.
    """
    together, *each = (sign(line, measure) for _, line in table.iterrows())
    if found := agreed([together, *each]):
        return f"{words[found]}, on each of {len(each)} seeds"
    doubt = f" (the interval of all leaves out 0, but those of {len(each)} seeds do not agree)"
    return words[0] + (doubt if together else "")


def difference(one: pd.Series, other: pd.Series, measure: str, bounds: tuple[float, float] | None = None) -> pd.Series:
    """The mean of one group minus that of another, with its 95 % interval: a line of a table.

    The interval is made of those of both means and of how they go together over boards (Zou and Donner, Statistics in
    Medicine 27 (2008)), so that a group of equal shares counts with the doubt that is left, not with none.

    Args:
        one: numbers, whose index is their board: what comes from one board may hang together.
        other: the same of the other group.
        measure: column for the difference.
        bounds: what either mean can be at least and at most.
    """
    rests = [((values - values.mean()) / max(len(values), 1)).groupby(level=0).sum() for values in (one, other)]
    ends = [_around(values.mean(), rest, bounds) for values, rest in zip((one, other), rests, strict=True)]
    sizes = float(np.sqrt((rests[0] ** 2).sum() * (rests[1] ** 2).sum()))
    together = float((rests[0] * rests[1]).sum()) / sizes if sizes > 0 else 0.0
    mean = float(one.mean() - other.mean())
    (below, above), (other_below, other_above) = ends
    low, high = (
        np.sqrt(own**2 + others**2 - 2 * together * own * others) if np.isfinite(own + others) else np.inf
        for own, others in ((below, other_above), (above, other_below))
    )
    line = {"boards": min(map(len, rests)), measure: mean, f"{measure}_low": mean - low, f"{measure}_high": mean + high}
    return pd.Series(line)


def _around(mean: float, rest: pd.Series, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """How far the interval of a mean reaches below and above it, from what each board adds to its error."""
    boards = len(rest)
    if boards < 2:
        return np.inf, np.inf
    variance = float((rest**2).sum()) * boards / (boards - 1)
    found = Spread(np.asarray(mean), np.asarray(variance), boards - 1, np.full((), np.nan))
    low, high = board_interval(found, boards, bounds)
    return mean - float(low), float(high) - mean


def _places(values: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Where values stand on an axis, and their names where they are categories."""
    if pd.api.types.is_numeric_dtype(values):
        return values.to_numpy(float), []
    codes, names = pd.factorize(values)
    return codes.astype(float), [str(name) for name in names]
