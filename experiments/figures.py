"""The plots of a report, as SVG that takes its colours from the page and keeps its text as text.

matplotlib draws with stand-ins for colours, which become the page's CSS variables: so one drawing serves a light and a
dark page. Equal figures give equal bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from math import ceil, floor, isfinite, log10
from typing import Any, NamedTuple
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

WIDTH = 380  # pixels, as are all sizes here: what a telephone shows without shrinking the text
MOST_SERIES = 8  # lines in one plot that can still be told apart
MARKERS = "os^DvPX*"
_TEXT = 12
_ROW = 36  # a bot's label above its interval
_LABEL_LENGTH = 44

# Stand-ins for the page's colours; each series has its own.
_VARIABLES = {"#0000a1": "--ink", "#0000a2": "--muted", "#0000a3": "--grid", "#0000a4": "--accent"} | {
    f"#0000b{i}": f"--series-{i}" for i in range(MOST_SERIES)
}
_INK, _MUTED, _GRID, _ACCENT, *_SERIES = _VARIABLES
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "hiddenhand", "text.parse_math": False, "font.size": _TEXT,
    "font.family": "DejaVu Sans", "figure.dpi": 72, "axes.edgecolor": _MUTED, "axes.labelcolor": _INK,
    "text.color": _INK, "xtick.color": _MUTED, "ytick.color": _MUTED, "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK, "grid.color": _GRID, "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.facecolor": "none", "figure.facecolor": "none",
    "axes.formatter.useoffset": False, "axes.formatter.limits": (-9, 9), "xtick.major.size": 3, "ytick.major.size": 0,
}  # fmt: skip
_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"


class Point(NamedTuple):
    """A value at a place on the x axis with its interval, which may be infinite."""

    x: float
    mean: float
    low: float
    high: float


def interval_plot(
    name: str,
    rows: Sequence[tuple[str, float, float, float]],
    title: str,
    is_percent: bool = False,
    is_log: bool = False,
) -> str:
    """A row for each bot: label, mean and interval.

    Args:
        name: of the drawing, for its ids.
        rows: label, mean and ends of the interval; NaN and infinite ones are not drawn.
        title: what the numbers are.
        is_percent: whether they are shares.
        is_log: whether they are on a log scale.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _axes(WIDTH, _ROW * len(rows) + 52, left=20, bottom=46, top=4)
        for row, (label, mean, low, high) in enumerate(rows):
            if isfinite(mean):
                if isfinite(low) and isfinite(high):
                    axes.plot([low, high], [row, row], color=_ACCENT, linewidth=2, solid_capstyle="butt", marker="|")
                axes.plot([mean], [row], color=_ACCENT, marker="o", markersize=6)
            axes.text(0, row - 0.34, _short(label), transform=axes.get_yaxis_transform(), va="center")
        axes.set_ylim(len(rows) - 0.5, -0.72)
        axes.yaxis.set_major_locator(NullLocator())
        axes.spines["left"].set_visible(False)
        if is_log:
            _log_axis(axes, [mean for _, mean, *_ in rows])
        else:
            axes.margins(x=0.08)
            _number_axis(axes.xaxis, is_percent)
        axes.set_xlabel(title)
        return _svg(figure, name, title)


def line_plot(
    name: str,
    series: Mapping[int, Sequence[Point]],
    x_label: str,
    title: str,
    categories: Sequence[str] = (),
    is_percent: bool = False,
    has_zero: bool = False,
) -> str:
    """Lines with intervals, each in the colour and with the marker of its series.

    Args:
        name: of the drawing, for its ids.
        series: points by the number of the series.
        x_label: what is on the x axis.
        title: what the numbers are.
        categories: names of the places on the x axis where they are no numbers; the points are then not joined.
        is_percent: whether the values are shares.
        has_zero: whether the y axis goes down to 0.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _axes(WIDTH, 260, left=52, bottom=46, top=8)
        for place, (number, points) in enumerate(series.items()):
            shift = (place - (len(series) - 1) / 2) * (0.5 / max(1, len(series)) if categories else 0.04)
            _draw_series(axes, number, points, shift, is_joined=not categories)
        if categories:
            axes.set_xlim(-0.5, len(categories) - 0.5)
            axes.xaxis.set_major_locator(FixedLocator(range(len(categories))))
            axes.set_xticklabels(categories)
        else:
            _number_axis(axes.xaxis, is_whole=True)
        if has_zero:
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        _number_axis(axes.yaxis, is_percent)
        axes.set_xlabel(x_label)
        return _svg(figure, name, f"{title} by {x_label}")


def _draw_series(axes: Axes, number: int, points: Sequence[Point], shift: float, is_joined: bool) -> None:
    colour, marker = _SERIES[number], MARKERS[number]
    shown = [point for point in points if isfinite(point.mean)]
    for point in shown:
        if isfinite(point.low) and isfinite(point.high):
            axes.plot([point.x + shift] * 2, [point.low, point.high], color=colour, linewidth=1.2)
    axes.plot(
        [point.x + shift for point in shown],
        [point.mean for point in shown],
        color=colour,
        marker=marker,
        markersize=5.5,
        linewidth=1.5 if is_joined else 0,
    )


def calibration_plot(
    name: str, bids: Sequence[tuple[int, float, float, float, float]], most: int, labels: tuple[str, str], title: str
) -> str:
    """What was won for each bid of one bot: the mean as a dot whose area is how often it was bid, and a bar.

    Args:
        name: of the drawing, for its ids.
        bids: bid, its share of the deals, mean won, and the ends of the bar that holds 80 % of the deals.
        most: both axes go up to it.
        labels: of the x and y axes.
        title: of the drawing.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _axes(300, 280, left=44, bottom=46, top=8)
        axes.plot([0, most], [0, most], color=_MUTED, linewidth=1, dashes=(4, 3))
        largest = max((share for _, share, *_ in bids), default=1.0)
        for bid, share, mean, low, high in bids:
            axes.plot([bid, bid], [low, high], color=_ACCENT, linewidth=1.5, alpha=0.55)
            size = max(3.0, 13 * (share / largest) ** 0.5)
            axes.plot([bid], [mean], color=_ACCENT, marker="o", markersize=size, markeredgewidth=0)
        room = 0.6
        axes.set(xlim=(-room, most + room), ylim=(-room, most + room), xlabel=labels[0], ylabel=labels[1])
        for axis in (axes.xaxis, axes.yaxis):
            _number_axis(axis, is_whole=True)
        return _svg(figure, name, title)


def share_plot(name: str, shares: Mapping[str, float], title: str) -> str:
    """A bar for each share of a whole."""
    with mpl.rc_context(_STYLE):
        figure, axes = _axes(WIDTH, _ROW * len(shares) + 52, left=20, bottom=46, top=4)
        for row, (label, share) in enumerate(shares.items()):
            axes.barh(row + 0.12, share, height=0.34, color=_ACCENT)
            axes.text(0, row - 0.32, label, transform=axes.get_yaxis_transform(), va="center")
        axes.set_ylim(len(shares) - 0.5, -0.72)
        axes.set_xlim(0, 1)
        axes.yaxis.set_major_locator(NullLocator())
        _number_axis(axes.xaxis, is_percent=True)
        axes.set_xlabel(title)
        return _svg(figure, name, title)


def _axes(width: int, height: int, left: int, bottom: int, top: int) -> tuple[Figure, Axes]:
    """Axes that fill a figure but for margins in pixels."""
    figure = Figure(figsize=(width / 72, height / 72))
    right = 20
    place = (left / width, bottom / height, (width - left - right) / width, (height - bottom - top) / height)
    return figure, figure.add_axes(place)


def _number_axis(axis: Any, is_percent: bool = False, is_whole: bool = False) -> None:
    axis.set_major_locator(MaxNLocator(5, integer=is_whole))
    if is_percent:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.6g} %".replace("-", "\N{MINUS SIGN}")))


def _log_axis(axes: Axes, values: Sequence[float]) -> None:
    """A log scale over whole powers of ten, labelled with plain numbers."""
    first, last = floor(log10(min(values))), ceil(log10(max(values)))
    axes.set_xscale("log")
    axes.set_xlim(10.0**first * 0.8, 10.0 ** max(last, first + 1) * 1.25)
    powers = range(first, max(last, first + 1) + 1, max(1, (last - first) // 4))
    axes.xaxis.set_major_locator(FixedLocator([10.0**power for power in powers]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _short(label: str) -> str:
    return label if len(label) <= _LABEL_LENGTH else label[: _LABEL_LENGTH - 1] + "…"


def _svg(figure: Figure, name: str, title: str) -> str:
    """The drawing as an element of a page: no colours of its own, ids that no other drawing has, nothing else."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font for measuring lacks: the page has its own fonts
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = file.getvalue().decode()
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    root = ElementTree.fromstring(text)
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    _rename_ids(root, name)
    size = root.attrib["viewBox"].split()[2]
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "style": f"max-width:{size}px",
        "role": "img",
        "aria-label": title,
    }
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _rename_ids(root: ElementTree.Element, name: str) -> None:
    """Put the name of the drawing before every id that something refers to; drop the others."""
    used = set(re.findall(r"#([\w-]+)", " ".join(value for node in root.iter() for value in node.attrib.values())))
    for node in root.iter():
        if node.attrib.get("id") in used:
            node.set("id", f"{name}-{node.attrib['id']}")
        else:
            node.attrib.pop("id", None)
        link = node.attrib.pop(_LINK, None)
        if link:
            node.set("href", f"#{name}-{link[1:]}")
        for key, value in node.attrib.items():
            if "url(#" in value:
                node.set(key, value.replace("url(#", f"url(#{name}-"))
