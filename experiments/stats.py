"""What a run shows: standings and differences with 95 % intervals. The unit is always the board, never the game.

All seatings of a board see the same cards, so its games are not independent; what a board says is one observation.
docs/statistics.md explains the figures and measures how far the intervals can be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import floor, isfinite, log10

import numpy as np

from experiments.boards import BoardResults, Held, board_results, numbers
from experiments.intervals import BOARDS_FOR_SKEWNESS, Strata, board_interval, is_longer, one_stratum, spread
from experiments.ratings import Rating, Ratings, ratings
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec

FEW_BOARDS = 50  # with fewer, intervals of skewed points are too short (docs/statistics.md)
_MOST_DECIMALS = 9


@dataclass(frozen=True)
class Estimate:
    """A mean over boards with its 95 % interval.

    Attributes:
        mean: NaN where there is no board.
        low, high: ends of the interval; infinite for a single board and for boards that are all alike, but of a
            measure with bounds never beyond these.
        boards: how many it is of.
        skewness: of the boards.
        is_long: whether the interval is longer than 95 % need, as near bounds (`intervals.is_longer`).
    """

    mean: float
    low: float
    high: float
    boards: int
    skewness: float = 0.0
    is_long: bool = False

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    @property
    def is_rough(self) -> bool:
        """Whether boards are too few, or too few for boards as skewed as these, for an interval that holds 95 %."""
        return self.boards < max(FEW_BOARDS, BOARDS_FOR_SKEWNESS * self.skewness**2)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval to show: of more than one board, and not of boards that are all alike."""
        return self.boards > 1 and isfinite(self.half_width)

    def decimals(self, scale: float = 1.0) -> int:
        """Decimals that show two digits of half the interval's length, in units of 1 / scale; 0 without an interval."""
        width = scale * self.half_width
        return min(_MOST_DECIMALS, max(0, 1 - floor(log10(width)))) if self.has_interval and width > 0 else 0


@dataclass(frozen=True)
class Standing:
    """A bot's results.

    Attributes:
        bot: its label.
        points, win_share, rank: mean over boards of its mean per seat held; a rank is 1 + the number of seats ahead.
        rating: on the Elo scale, mean 0; None where it has not played.
        games: seats held, in all games.
    """

    bot: str
    points: Estimate
    win_share: Estimate
    rank: Estimate
    rating: Rating | None
    games: int


@dataclass(frozen=True)
class Difference:
    """Two bots on the boards where both sat: the mean over boards of the first one's value minus the second one's."""

    first: str
    second: str
    points: Estimate
    win_share: Estimate


def estimate(values: np.ndarray, strata: Strata | None = None, bounds: tuple[float, float] | None = None) -> Estimate:
    """Mean and 95 % interval: Student's t, none where boards are all alike, or one within bounds where there are any.

    Args:
        values: one observation a board, shape `(boards,)`.
        strata: of the boards (`experiments.boards.strata_of`); by default all are alike.
        bounds: what the mean can be at least and at most.
    """
    count = len(values)
    if count == 0:
        low, high = bounds or (-np.inf, np.inf)
        return Estimate(float("nan"), low, high, 0)
    found = spread(values, one_stratum(count) if strata is None else strata)
    ends = board_interval(found, count, bounds)
    is_long = count > 1 and bounds is not None and bool(is_longer(found, count, bounds))
    return Estimate(float(found.mean), float(ends[0]), float(ends[1]), count, float(found.skewness), is_long)


def standings(
    directory: RunDirectory, results: BoardResults | None = None, rated: Ratings | None = None
) -> list[Standing]:
    """All bots of a run, most points first, those that have not played last.

    Args:
        directory: of the run.
        results: `board_results(directory)`, where it is at hand.
        rated: `ratings(results)`, where they are at hand.
    """
    results = board_results(directory) if results is None else results
    rated = ratings(results) if rated is None else rated
    found = []
    for label in results.labels:
        held = results.bot(label)
        of_shares = (0.0, _most_share(held, results))
        points = estimate(held.means("points"), held.strata, of_shares if results.points_are_shares else None)
        share = estimate(held.means("win_share"), held.strata, of_shares)
        rank = estimate(held.means("rank"), held.strata, (1.0, float(results.num_seats)))
        found.append(Standing(label, points, share, rank, rated.of(label), int(held.seats.sum())))
    return sorted(found, key=lambda standing: -standing.points.mean if standing.games else float("inf"))


def _most_share(held: Held, results: BoardResults) -> float:
    """The largest mean share of the win per seat: a bot with two seats at the table wins with one of them.

    With the seats that the bot has had, or over whole cycles where that is more: few boards may have given it more
    seats than its share.
    """
    fewest, lucky = divmod(results.num_seats, len(results.labels))  # seats of each bot; how many bots have one more
    if not lucky or not fewest or not len(held.seats):
        return 1 / max(fewest, 1)
    chance = lucky / len(results.labels)
    had = spread(np.minimum(1, held.games / held.seats), held.strata).mean
    return max(float(had), (1 - chance) / fewest + chance / (fewest + 1))


def compare(results: BoardResults, labels: Sequence[str] | None = None) -> list[Difference]:
    """The difference of each pair of bots, in the order of the labels (by default the run's)."""
    held = {label: results.bot(label) for label in labels or results.labels}
    return [_difference(pair, held[pair[0]], held[pair[1]], results) for pair in combinations(held, 2)]


def _difference(pair: tuple[str, str], one: Held, other: Held, results: BoardResults) -> Difference:
    _, rows, others = np.intersect1d(one.board, other.board, assume_unique=True, return_indices=True)
    one, other = one.at(rows), other.at(others)
    points, share = (one.means(measure) - other.means(measure) for measure in ("points", "win_share"))
    bounds = (-_most_share(other, results), _most_share(one, results))
    of_points = estimate(points, one.strata, bounds if results.points_are_shares else None)
    return Difference(*pair, of_points, estimate(share, one.strata, bounds))


def same_bots(spec: RunSpec) -> list[tuple[str, str]]:
    """Pairs of labels under which one bot plays, its defaults written or not: 95 of 100 of their intervals hold 0."""
    found = []
    for first, second in combinations(spec.bot_specs, 2):
        alike = replace(first, label="") == replace(second, label="")
        is_built_in = first.name == second.name and not first.is_python
        if alike or (is_built_in and first.values() == second.values()):
            found.append((first.label, second.label))
    return found


def outcomes(directory: RunDirectory) -> dict[str, int]:
    """How many games ended in each way, in the order of the game's `outcomes`."""
    names = directory.spec.game_object.outcomes
    counts = np.zeros(len(names), np.int64)
    for part in directory.finished_parts():
        table = directory.read_part("games", part, ["seat", "outcome"])
        counts += np.bincount(numbers(table, "outcome")[numbers(table, "seat") == 0], minlength=len(names))
    return dict(zip(names, counts.tolist(), strict=True))
