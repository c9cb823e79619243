"""What the deals of a run show: bids against what was won, or how the rounds went, read part by part.

Every figure is a mean over deals with a 95 % interval whose unit is the board. All deals of a board are in one part, so
that a few sums a figure are all there is to keep, however long the run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from experiments.boards import numbers
from experiments.intervals import Spread, bounded_interval, mean_interval
from experiments.rundir import RunDirectory
from experiments.stats import Estimate

# Columns of a bid, of what was won, and of what to tell deals apart by: the first that a game has are its picture.
CALIBRATIONS = (("bid", "tricks", "hand_size"), ("final_bid", "sets", "mode"))
_NOT_COUNTED = ("bit mask", "seat", "round", "flag")  # units of columns that have no mean
_SHARE = (0.0, 1.0)
_KEY_BITS = 16  # of a packed group, for its key; keys are -32768..32767
_GROUP_BITS = 32


@dataclass(frozen=True)
class Figure:
    """A mean over deals.

    Attributes:
        deals: how many, a seat's deal counting as one.
        value: the mean, with the board as the unit of its interval.
    """

    deals: int
    value: Estimate


@dataclass(frozen=True)
class BidFigures:
    """What became of the deals with one bid: how many tricks were won how often, and the means."""

    bid: int
    won: Figure
    exact: Figure
    points: Figure
    counts: dict[int, int]


@dataclass(frozen=True)
class Calibration:
    """How one bot bids. Shares of its deals; `by` has the exact share for each hand size, mode or the like."""

    bot: str
    exact: Figure
    under: Figure
    over: Figure
    bids: list[BidFigures]
    by: dict[str, Figure]


@dataclass(frozen=True)
class Calibrations:
    """Bids against what was won: the columns they are of, and the bots that have played."""

    bid: str
    won: str
    by: str
    bots: list[Calibration]


@dataclass(frozen=True)
class Course:
    """Means of one column by deal, for each bot that has played: the first deal is 0."""

    column: str
    unit: str
    meaning: str
    bots: dict[str, dict[int, Figure]]


@dataclass
class Means:
    """Means of some measures in some groups of deals, with the sums that their intervals take."""

    names: Sequence[str]
    _sums: dict[int, np.ndarray] = field(default_factory=dict)  # boards, n, n^2, then y, y^2, y n of each measure

    def add(self, board: np.ndarray, bot: np.ndarray, key: np.ndarray, values: Sequence[np.ndarray]) -> None:
        """Count the deals of some boards, none of which was or will be given again."""
        group = bot.astype(np.int64) << _KEY_BITS | (key.astype(np.int64) + (1 << _KEY_BITS - 1))
        cells, cell_of_row = np.unique(board.astype(np.int64) << _GROUP_BITS | group, return_inverse=True)
        counts = np.bincount(cell_of_row).astype(float)
        columns = [np.ones(len(cells)), counts, counts**2]
        for value in values:
            total = np.bincount(cell_of_row, value)
            columns += [total, total**2, total * counts]
        groups, group_of_cell = np.unique(cells & (1 << _GROUP_BITS) - 1, return_inverse=True)
        sums = np.stack([np.bincount(group_of_cell, column) for column in columns], axis=1)
        for code, row in zip(groups.tolist(), sums, strict=True):
            self._sums[code] = self._sums.get(code, 0) + row

    def keys(self, bot: int) -> list[int]:
        """The keys that a bot has deals of, ascending."""
        half = 1 << _KEY_BITS - 1
        return sorted((code & 2 * half - 1) - half for code in self._sums if code >> _KEY_BITS == bot)

    def figure(self, bot: int, key: int, name: str, bounds: tuple[float, float] | None = None) -> Figure:
        """One mean. The variance is that of a ratio of board sums (Cochran, section 6.4)."""
        row = self._sums[bot << _KEY_BITS | (key + (1 << _KEY_BITS - 1))]
        first = 3 + 3 * list(self.names).index(name)
        boards, deals, squares = int(row[0]), row[1], row[2]
        total, total_squares, products = row[first : first + 3]
        mean = total / deals
        rest = max(0.0, total_squares - 2 * mean * products + mean**2 * squares)
        variance = rest * boards / (boards - 1) / deals**2 if boards > 1 else np.nan
        found = Spread(np.asarray(mean), np.asarray(variance), boards - 1, np.zeros(()))
        low, high = mean_interval(found) if bounds is None else bounded_interval(found, boards, bounds)
        return Figure(int(deals), Estimate(float(mean), float(low), float(high), boards))


def deal_figures(directory: RunDirectory) -> Calibrations | list[Course]:
    """The game's own picture: bids against what was won where there are bids, else how the deals of a game went."""
    names = {column.name for column in directory.spec.game_object.deal_columns}
    for columns in CALIBRATIONS:
        if names.issuperset(columns):
            return _calibrations(directory, *columns)
    return _courses(directory)


def _calibrations(directory: RunDirectory, bid: str, won: str, by: str) -> Calibrations:
    measures = ("won", "exact", "under", "over", "points")
    by_bid, by_key, overall = Means(measures), Means(measures), Means(measures)
    counts: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for table in _parts(directory, [bid, won, by, "points"]):
        board, bot, bids, wins, key, points = (numbers(table, n) for n in ("board", "bot", bid, won, by, "points"))
        values = [wins, wins == bids, wins < bids, wins > bids, points]
        for means, group in ((by_bid, bids), (by_key, key), (overall, np.zeros(len(bids), np.int64))):
            means.add(board, bot, group, values)
        cells, sizes = np.unique(np.stack([bot, bids, wins]).astype(np.int64), axis=1, return_counts=True)
        for (b, value, tricks), size in zip(cells.T.tolist(), sizes.tolist(), strict=True):
            counts[b, value][tricks] += size
    categories = next(c for c in directory.spec.game_object.deal_columns if c.name == by).categories
    found = []
    for bot, label in enumerate(dict(directory.spec.bots)):
        if overall.keys(bot):
            exact, under, over = (overall.figure(bot, 0, name, _SHARE) for name in ("exact", "under", "over"))
            exact_by = {
                categories[k] if categories else str(k): by_key.figure(bot, k, "exact", _SHARE)
                for k in by_key.keys(bot)
            }
            bids_of_bot = [_bid_figures(by_bid, bot, value, counts[bot, value]) for value in by_bid.keys(bot)]
            found.append(Calibration(label, exact, under, over, bids_of_bot, exact_by))
    return Calibrations(bid, won, by, found)


def _bid_figures(means: Means, bot: int, bid: int, counts: Counter[int]) -> BidFigures:
    won, points = means.figure(bot, bid, "won"), means.figure(bot, bid, "points")
    return BidFigures(bid, won, means.figure(bot, bid, "exact", _SHARE), points, dict(sorted(counts.items())))


def _courses(directory: RunDirectory) -> list[Course]:
    columns = [c for c in directory.spec.game_object.deal_columns if not c.categories and c.unit not in _NOT_COUNTED]
    means = Means([column.name for column in columns])
    for table in _parts(directory, ["deal", *means.names]):
        values = [numbers(table, name) for name in means.names]
        means.add(numbers(table, "board"), numbers(table, "bot"), numbers(table, "deal"), values)
    bots = {label: bot for bot, label in enumerate(dict(directory.spec.bots)) if means.keys(bot)}
    found = []
    for column in columns:
        of_bots = {
            label: {deal: means.figure(bot, deal, column.name) for deal in means.keys(bot)}
            for label, bot in bots.items()
        }
        found.append(Course(column.name, column.unit, column.meaning, of_bots))
    return found


def _parts(directory: RunDirectory, columns: list[str]) -> Iterable[pa.Table]:
    """The deals of the finished parts, one part at a time."""
    for part in directory.finished_parts():
        yield directory.read_part("deals", part, ["board", "bot", *columns])
