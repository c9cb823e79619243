"""`hiddenhand report`: a run as one HTML file that needs nothing else, and summary.json with all its figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from errno import EISDIR
from math import isfinite
from os import strerror
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from experiments.deal_figures import BidFigures, Calibration, Calibrations, Course
from experiments.deal_figures import Figure as DealFigure
from experiments.figures import MARKERS, MOST_SERIES, Point, calibration_plot, interval_plot, line_plot, share_plot
from experiments.run_store import RunError
from experiments.rundir import RUN_FILES, RunDirectory
from experiments.stats import Difference, Estimate
from experiments.summary import Summary, summarise, summary_json

REPORT, SUMMARY = "report.html", "summary.json"
MOST_PANELS = 12  # bots with a calibration plot of their own
RARE = 0.002  # a bid of fewer of a bot's deals is in no plot
_GLYPHS = dict(zip(MARKERS, "●■▲◆▼✚✖★", strict=True))  # the same shapes as text
_MOST_DIGITS = 2


class Plot(NamedTuple):
    """A drawing, its title, and a line below it."""

    caption: str
    svg: str
    note: str = ""


class Cell(NamedTuple):
    """A bot compared with another: the first one's points minus the second one's."""

    estimate: Estimate | None  # None for a bot with itself, or one that it never met
    is_same_bot: bool = False

    @property
    def verdict(self) -> str:
        """Whether the interval lies above 0, below it, or holds it."""
        if self.estimate is None:
            return "none"
        return "better" if self.estimate.low > 0 else "worse" if self.estimate.high < 0 else "open"

    @property
    def sign(self) -> str:
        """The verdict for those who see no colours."""
        return {"better": "▲", "worse": "▼", "open": "≈", "none": ""}[self.verdict]


def write_report(place: Path | str, out: Path | str | None = None) -> list[str]:
    """Write the report of a run and its summary.

    Args:
        place: the run directory, or its address.
        out: a file for the page; the summary goes beside it. By default both go into the run directory.

    Returns:
        Where they are.

    Raises:
        RunError: no run, nothing finished in it, a damaged part, or a place that cannot be written.
    """
    directory = RunDirectory.open(place)
    found = summarise(directory)
    page, data = report_html(found).encode(), summary_json(found)
    if out is None:
        for name, content in ((SUMMARY, data), (REPORT, page)):
            directory.write_extra(name, content)
        return [f"{str(directory.path).rstrip('/')}/{name}" for name in (REPORT, SUMMARY)]
    if not Path(out).name or "\0" in str(out):
        raise RunError(f"cannot write the report to {str(out)!r}: expected the name of a file")
    files = Path(out), Path(out).with_suffix(".json")
    if files[1].name in RUN_FILES:
        raise RunError(f"cannot write the report to {str(out)!r}: {files[1].name} is a file of runs, take another name")
    if files[0] == files[1]:
        raise RunError(f"cannot write the report to {str(out)!r}: expected a name that does not end in .json")
    _write_both(files, (page, data))
    return [str(file) for file in files]


def _write_both(files: tuple[Path, Path], contents: tuple[bytes, bytes]) -> None:
    """Put both files in place, or neither: whole under other names first.

    Raises:
        RunError: one of them cannot be written.
    """
    new = [file.with_name(f".{file.name}.tmp") for file in files]
    doing = files[0]
    try:
        for doing, temporary, content in zip(files, new, contents, strict=True):
            if doing.is_dir():
                raise IsADirectoryError(EISDIR, strerror(EISDIR))
            temporary.write_bytes(content)
        for doing, temporary in zip(files, new, strict=True):
            temporary.replace(doing)
    except OSError as error:
        raise RunError(f"cannot write {str(doing)!r}: {error.strerror}") from None
    finally:
        for temporary in new:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def report_html(found: Summary) -> str:
    """The page."""
    loader = PackageLoader("experiments", ".")
    page = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    page.filters.update(duration=duration, count=lambda mean: f"{mean:,.0f}" if mean >= 100 else f"{mean:.1f}")
    bots = [standing.bot for standing in found.standings]
    self_tests = _self_tests(found)
    matrix = _matrix(found.differences, found.self_tests, bots)
    return page.get_template("report.html.jinja").render(
        found=found,
        unit="deal" if found.spec.format == "deal" else "game",
        rows=_standing_rows(found),
        plots=_standing_plots(found),
        matrix=matrix,
        matrix_digits=_digits([cell.estimate for row in matrix.values() for cell in row if cell.estimate]),
        shown=shown,
        self_tests=self_tests,
        self_test_rows=[[*row[:3], "yes" if row[3] else "no"] for row in self_tests],
        legend=_legend(bots),
        seat_plots=_seat_plots(found),
        seat_rows=_seat_rows(found),
        deal_plots=_deal_plots(found.deals, bots),
        is_calibrated=isinstance(found.deals, Calibrations),
        ending_plot=_ending_plot(found),
        time_plot=_time_plot(found),
    ) + "\n"  # fmt: skip


# Numbers


def _digits(estimates: Iterable[Estimate], scale: float = 1.0) -> int:
    """Decimals that a column takes so that the shortest interval has two digits, but no more than two."""
    known = [estimate.decimals(scale) for estimate in estimates if estimate.has_interval]
    return min(_MOST_DIGITS, max(known)) if known else _MOST_DIGITS


def shown(estimate: Estimate, digits: int, scale: float = 1.0) -> tuple[str, str]:
    """The mean and its interval as text, "-" for what the boards do not give; more digits where it is very short."""
    digits = max(digits, estimate.decimals(scale))
    mean = _number(scale * estimate.mean, digits) if estimate.boards else "-"
    ends = (_number(scale * end, digits) for end in (estimate.low, estimate.high))
    return mean, " .. ".join(ends) if estimate.has_interval else "-"


def _number(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}".replace("-", "−")


def duration(seconds: float | None) -> str:
    """A time with three digits and a fitting unit."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


# Standings


def _standing_rows(found: Summary) -> list[list[str]]:
    """The table of standings: points, win share, rank and rating, each with its interval, and seats held."""
    columns = [[bot.bot] for bot in found.standings]
    for measure, scale in (("points", 1.0), ("win_share", 100.0), ("rank", 1.0)):
        estimates: list[Estimate] = [getattr(bot, measure) for bot in found.standings]
        digits = _digits(estimates, scale)
        for row, estimate in zip(columns, estimates, strict=True):
            row += shown(estimate, digits, scale)
    for row, bot in zip(columns, found.standings, strict=True):
        rating = bot.rating
        ends = [_number(end, 0) for end in (rating.low, rating.high) if isfinite(end)] if rating else []
        row += [_number(rating.rating, 0) if rating else "-", " .. ".join(ends) or "-", f"{bot.games}"]
    return columns


def _standing_plots(found: Summary) -> list[Plot]:
    unit = "deal" if found.spec.format == "deal" else "game"
    points = [(bot.bot, bot.points.mean, bot.points.low, bot.points.high) for bot in found.standings]
    shares = [(bot.bot, bot.win_share.mean, bot.win_share.low, bot.win_share.high) for bot in found.standings]
    ratings = [
        (bot.bot, bot.rating.rating, bot.rating.low, bot.rating.high) for bot in found.standings if bot.rating
    ]  # fmt: skip
    plots = [
        Plot("Points", interval_plot("points", points, f"points a {unit}")),
        Plot("Win share", interval_plot("shares", shares, "share of the win per seat held", is_percent=True)),
    ]
    if len(ratings) > 1:
        plots.append(Plot("Rating", interval_plot("ratings", ratings, "rating on the Elo scale, mean 0")))
    return plots


def _matrix(pairs: Sequence[Difference], same: Sequence[tuple[str, str]], bots: Sequence[str]) -> dict[str, list[Cell]]:
    """For each bot its differences to all bots, in order."""
    cells: dict[tuple[str, str], Cell] = {}
    for pair in pairs:
        found = pair.points
        is_same = (pair.first, pair.second) in same or (pair.second, pair.first) in same
        if found.boards:
            turned = replace(found, mean=-found.mean, low=-found.high, high=-found.low, skewness=-found.skewness)
            cells[pair.first, pair.second] = Cell(found, is_same)
            cells[pair.second, pair.first] = Cell(turned, is_same)
    return {bot: [cells.get((bot, other), Cell(None)) for other in bots] for bot in bots} if len(bots) > 1 else {}


def _self_tests(found: Summary) -> list[tuple[str, str, str, bool]]:
    """Pairs of one bot under two names: the pair, its difference, the interval, and whether this holds 0."""
    labels = {frozenset(pair) for pair in found.self_tests}
    pairs = [p for p in found.differences if {p.first, p.second} in labels and p.points.boards > 1]
    digits = _digits([pair.points for pair in pairs])
    return [(f"{pair.first} − {pair.second}", *shown(pair.points, digits), _holds_zero(pair.points)) for pair in pairs]


def _holds_zero(found: Estimate) -> bool:
    """Whether an interval holds 0; where boards are all alike there is none, and it is their value that counts."""
    return found.low <= 0 <= found.high if found.has_interval else found.mean == 0


# Seats, endings, times


def _seat_rows(found: Summary) -> list[list[str]]:
    points = [seat.points for seat in found.seats]
    shares = [seat.win_share for seat in found.seats]
    rows = zip(points, shares, strict=True)
    sizes = _digits(points), _digits(shares, 100)
    return [[f"{n}", *shown(p, sizes[0]), *shown(s, sizes[1], 100)] for n, (p, s) in enumerate(rows)]


def _seat_plots(found: Summary) -> list[Plot]:
    names = [f"{seat.seat}" for seat in found.seats]
    plots = []
    for measure, caption, is_percent in (("points", "Points by seat", False), ("win_share", "Win share by seat", True)):
        points = [_point(seat.seat, getattr(seat, measure)) for seat in found.seats]
        plots.append(Plot(caption, line_plot(f"seat-{measure}", {0: points}, "seat", caption, names, is_percent)))
    return plots


def _ending_plot(found: Summary) -> Plot | None:
    """How games ended, where there is more than one way."""
    if len(found.endings.outcomes) < 2 or found.spec.format == "deal":
        return None
    shares = {
        f"{name}: {count} of {found.endings.games}": count / found.endings.games
        for name, count in found.endings.outcomes.items()
    }
    return Plot("", share_plot("endings", shares, "share of the games"))


def _time_plot(found: Summary) -> Plot | None:
    """Times on a log scale, as bots differ by orders of magnitude."""
    rows = [
        (f"{duration(time.seconds)}: {label}", time.seconds * 1e6, float("nan"), float("nan"))
        for label, time in found.timing.items()
        if time.seconds
    ]
    return Plot("", interval_plot("times", rows, "microseconds a move, log scale", is_log=True)) if rows else None


def _point(place: float, estimate: Estimate) -> Point:
    return Point(place, estimate.mean, estimate.low, estimate.high)


# The game's own picture


def _legend(bots: Sequence[str]) -> list[tuple[int, str, str]]:
    """Number, marker and label of the series of line plots: the first few bots of the standings."""
    return [(number, _GLYPHS[MARKERS[number]], bot) for number, bot in enumerate(bots[:MOST_SERIES])]


def _deal_plots(deals: Calibrations | list[Course], bots: Sequence[str]) -> list[Plot]:
    order = {bot: number for number, bot in enumerate(bots)}
    if not isinstance(deals, Calibrations):
        return [_course_plot(course, order) for course in deals]
    found = sorted(deals.bots, key=lambda bot: order[bot.bot])
    most = max(max(bid.counts) for bot in found for bid in bot.bids)
    panels = [_calibration_panel(deals, bot, number, most) for number, bot in enumerate(found[:MOST_PANELS])]
    return [*panels, *_bid_plots(deals, found[:MOST_SERIES], most)]


def _calibration_panel(deals: Calibrations, bot: Calibration, number: int, most: int) -> Plot:
    total = bot.exact.deals
    common = [bid for bid in bot.bids if 0 <= bid.bid <= most and bid.won.deals >= RARE * total]
    rows = [(b.bid, b.won.deals / total, b.won.value.mean, *_middle(b)) for b in common]
    title = f"{deals.won} won by {_words(deals.bid)}, {bot.bot}"
    svg = calibration_plot(f"bids-{number}", rows, most, (_words(deals.bid), f"{deals.won} won"), title)
    exact, under, over = (f"{100 * share.value.mean:.1f} %" for share in (bot.exact, bot.under, bot.over))
    note = f"exact {exact}, too few {under}, too many {over}"
    too_high = sum(bid.won.deals for bid in bot.bids if bid.bid > most) / total
    return Plot(bot.bot, svg, note + (f"; {100 * too_high:.1f} % bid more than {most}" if too_high >= RARE else ""))


def _middle(bid: BidFigures) -> tuple[float, float]:
    """Between which numbers of tricks the middle 80 % of the deals of a bid lie."""
    ends = []
    for share in (0.1, 0.9):
        left = share * bid.won.deals
        for won, count in bid.counts.items():
            left -= count
            if left <= 0:
                ends.append(float(won))
                break
    return ends[0], ends[-1]


def _bid_plots(deals: Calibrations, bots: Sequence[Calibration], most: int) -> list[Plot]:
    """The exact share by hand size or mode, and points by bid."""
    names = list(dict.fromkeys(name for bot in bots for name in bot.by))
    is_number = all(name.isdigit() for name in names)
    exact = {
        number: [_point(int(name) if is_number else names.index(name), bot.by[name].value) for name in bot.by]
        for number, bot in enumerate(bots)
    }
    points = {
        number: [_point(b.bid, b.points.value) for b in bot.bids if _is_plotted(b.points, bot, b.bid, most)]
        for number, bot in enumerate(bots)
    }
    categories = () if is_number else names
    by, bid = _words(deals.by), _words(deals.bid)
    return [
        Plot(f"Exact bids by {by}", line_plot("exact", exact, by, "exact bids", categories, is_percent=True)),
        Plot(f"Points a deal by {bid}", line_plot("bid-points", points, bid, "points a deal")),
    ]


def _is_plotted(figure: DealFigure, bot: Calibration, bid: int, most: int) -> bool:
    return 0 <= bid <= most and figure.deals >= RARE * bot.exact.deals


def _course_plot(course: Course, order: dict[str, int]) -> Plot:
    series = {
        order[bot]: [_point(deal + 1, figure.value) for deal, figure in deals.items()]
        for bot, deals in course.bots.items()
        if order[bot] < MOST_SERIES
    }
    name = _words(course.column)
    svg = line_plot(f"course-{course.column}", dict(sorted(series.items())), "round", name, has_zero=True)
    return Plot(name, svg, course.meaning)


def _words(column: str) -> str:
    return column.replace("_", " ")
