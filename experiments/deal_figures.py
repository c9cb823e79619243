"""What the deals of a run show: bids against what was won, or how the rounds went, read part by part.

Every figure is a mean over deals with a 95 % interval whose unit is the board. All deals of a board are in one part, so
that a few sums a figure are all there is to keep, however long the run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from experiments.means import SHARE, Group, Means
from experiments.rundir import RunDirectory
from experiments.stats import Estimate

# Columns of a bid, of what was won, and of what to tell deals apart by: the first that a game has are its picture.
CALIBRATIONS = (("bid", "tricks", "hand_size"), ("final_bid", "sets", "mode"))
_NOT_COUNTED = ("bit mask", "seat", "round", "flag")  # units of columns that have no mean


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


def deal_figures(directory: RunDirectory) -> Calibrations | list[Course]:
    """The game's own picture: bids against what was won where there are bids, else how the deals of a game went."""
    names = {column.name for column in directory.spec.game_object.deal_columns}
    for columns in CALIBRATIONS:
        if names.issuperset(columns):
            return _calibrations(directory, *columns)
    return _courses(directory)


def _calibrations(directory: RunDirectory, bid: str, won: str, by: str) -> Calibrations:
    measures = {"won": None, "exact": SHARE, "under": SHARE, "over": SHARE, "points": None}
    overall, by_bid, by_key = (Means(keys, measures) for keys in (["bot"], ["bot", "bid"], ["bot", "key"]))
    counts: defaultdict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    for rows in _parts(directory, [bid, won, by, "points"]):
        rows = rows.rename(columns={bid: "bid", won: "won", by: "key"})
        rows = rows.assign(exact=rows.won == rows.bid, under=rows.won < rows.bid, over=rows.won > rows.bid)
        for means in (overall, by_bid, by_key):
            means.add(rows)
        sizes: Any = rows.groupby(["bot", "bid", "won"], observed=True).size()
        for (bot, value, tricks), size in sizes.items():
            counts[bot, value][int(tricks)] += int(size)
    total, bids, keys = overall.groups(), by_bid.groups(), by_key.groups()
    found = []
    for label in (label for label in dict(directory.spec.bots) if (label,) in total):
        exact, under, over = (_figure(total[label,], name) for name in ("exact", "under", "over"))
        of_bids = [
            _bid_figures(group, value, counts[label, value]) for (bot, value), group in bids.items() if bot == label
        ]
        exact_by = {str(key): _figure(group, "exact") for (bot, key), group in keys.items() if bot == label}
        found.append(Calibration(label, exact, under, over, of_bids, exact_by))
    return Calibrations(bid, won, by, found)


def _figure(group: Group, name: str) -> Figure:
    return Figure(group.rows, group.values[name])


def _bid_figures(group: Group, bid: int, counts: Counter[int]) -> BidFigures:
    won, exact, points = (_figure(group, name) for name in ("won", "exact", "points"))
    return BidFigures(bid, won, exact, points, dict(sorted(counts.items())))


def _courses(directory: RunDirectory) -> list[Course]:
    columns = [c for c in directory.spec.game_object.deal_columns if not c.categories and c.unit not in _NOT_COUNTED]
    means = Means(["bot", "deal"], {column.name: None for column in columns})
    for rows in _parts(directory, ["deal", *means.measures]):
        means.add(rows)
    groups = means.groups()
    labels = [label for label in dict(directory.spec.bots) if any(bot == label for bot, _ in groups)]
    found = []
    for column in columns:
        of_bots = {
            label: {deal: _figure(group, column.name) for (bot, deal), group in groups.items() if bot == label}
            for label in labels
        }
        found.append(Course(column.name, column.unit, column.meaning, of_bots))
    return found


def _parts(directory: RunDirectory, columns: list[str]) -> Iterable[Any]:
    """The deals of the finished parts as frames, one part at a time."""
    for part in directory.finished_parts():
        yield directory.read_part("deals", part, ["board", "bot", *columns]).to_pandas()
