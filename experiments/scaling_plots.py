"""How `experiments/scaling.py` draws: lines with their ranges as SVG, in colours that the colour-blind tell apart."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

_SERIES_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")  # Okabe and Ito (2008)
_MARKERS = "os^DP"
_WIDTH, _HEIGHT = 5.6, 3.8  # inches, of a panel
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "path", "svg.hashsalt": "hiddenhand", "font.size": 11, "font.family": "DejaVu Sans",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#DDDDDD", "figure.facecolor": "white", "legend.frameon": False, "legend.fontsize": 10,
}  # fmt: skip


@dataclass(frozen=True)
class Series:
    """One line.

    Attributes:
        name: what it is.
        points: x, median, lowest and highest.
    """

    name: str
    points: Sequence[tuple[float, ...]]


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        y_label: what is drawn, with its unit.
        series: the lines.
        is_log: whether the y axis is logarithmic; else it begins at 0.
    """

    y_label: str
    series: Sequence[Series]
    is_log: bool = True


@dataclass(frozen=True)
class Plot:
    """Panels beside each other, with one x axis.

    Attributes:
        panels: from left to right.
        x_label: with its unit.
        is_log_x: whether the x axis is logarithmic.
    """

    panels: Sequence[Panel]
    x_label: str
    is_log_x: bool

    def to_json(self) -> dict[str, Any]:
        """The plot as plain data."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Plot:
        """The plot that `to_json` gave."""
        panels = [
            Panel(panel["y_label"], [Series(**series) for series in panel["series"]], panel["is_log"])
            for panel in data["panels"]
        ]
        return Plot(panels, data["x_label"], data["is_log_x"])


def draw(plot: Plot, title: str) -> str:
    """The drawing as the text of an SVG file; equal plots give equal texts."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH * len(plot.panels) + (1.6 if len(plot.panels) == 1 else 0), _HEIGHT))
        for place, panel in enumerate(plot.panels):
            axes = figure.add_subplot(1, len(plot.panels), place + 1)
            _draw_panel(axes, panel, plot)
        figure.tight_layout()
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Title": title})
    return file.getvalue().decode()


def _draw_panel(axes: Axes, panel: Panel, plot: Plot) -> None:
    for i, series in enumerate(panel.series):
        colour, marker = _SERIES_COLOURS[i % len(_SERIES_COLOURS)], _MARKERS[i % len(_MARKERS)]
        x, middle, low, high = zip(*series.points, strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(x, middle, color=colour, marker=marker, markersize=5, linewidth=1.6, label=series.name)
    xs = sorted({point[0] for series in panel.series for point in series.points})
    if plot.is_log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(xs if len(xs) < 7 else xs[::2]))
    else:
        axes.xaxis.set_major_locator(FixedLocator(xs))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if panel.is_log:
        axes.set_yscale("log")
        bottom, top = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top > 10 * bottom else (1, 1.5, 2, 3, 4, 5, 6, 8)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.set(xlabel=plot.x_label, ylabel=panel.y_label)
    if len(panel.series) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
