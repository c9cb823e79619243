"""95 % intervals whose unit is the board: of a mean, and of what lies between two bounds.

All functions take one number a board on the last axis, so that a simulation can ask for thousands of intervals at once.
How often they hold the truth is measured in docs/statistics.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, stdtrit

CONFIDENCE = 0.95
BOARDS_FOR_SKEWNESS = 25  # boards for each squared skewness: Cochran, Sampling Techniques (1977), section 2.15
_NORMAL_QUANTILE = 1.959963984540054
LEAST_BOARDS = 10  # of fewer, Student's interval of skewed values holds 60 to 90 % (docs/statistics.md)
_SYMMETRIC = 100  # boards for each squared skewness: where Student's and Wilson's agree for all or nothing
_ROUNDING = 1e-12  # of a value: what boards that are all alike may seem to differ by
_FEW_EVENTS = 3
_LEAST_EVENTS = 8  # of fewer, intervals hold the truth in up to all runs
_LEAST_SQUARES = 0.55  # variance to which the doubt adds so little that a 95 % interval of it holds 97 %
_DOUBT = 0.125  # half the variance of one more board that is 0 or 1 with even chances


class Strata(NamedTuple):
    """Which boards are alike by design.

    Attributes:
        of_board: the stratum of each board, 0.., shape `(boards,)`.
        shares: what part of the boards each stratum has in a run of whole cycles, shape `(strata,)`; adds up to 1.
    """

    of_board: np.ndarray
    shares: np.ndarray


def one_stratum(boards: int) -> Strata:
    """All boards are alike."""
    return Strata(np.zeros(boards, np.int64), np.ones(1))


class Spread(NamedTuple):
    """A mean over boards and how far chance moves it.

    Attributes:
        mean: of the boards.
        variance: of the mean; NaN where there are too few boards to tell.
        freedom: degrees of freedom of the variance.
        skewness: of the boards; 0 where they are all alike.
    """

    mean: np.ndarray
    variance: np.ndarray
    freedom: float
    skewness: np.ndarray


def spread(values: np.ndarray, strata: Strata) -> Spread:
    """The mean, and its variance within strata (Cochran, Sampling Techniques (1977), section 5.4).

    Each stratum counts by its share: where a run ends within a cycle, the plain mean leans to the strata that have come
    once more.

    Args:
        values: one a board, shape `(..., boards)`.
        strata: of the boards.
    """
    count = len(strata.of_board)
    order = np.argsort(strata.of_board, kind="stable")
    first = np.flatnonzero(np.diff(strata.of_board[order], prepend=-1))
    boards = np.diff(first, append=count)
    weights = count * strata.shares / np.maximum(np.bincount(strata.of_board, minlength=len(strata.shares)), 1)
    values = values * weights[strata.of_board]
    mean = values.mean(axis=-1)
    if boards.min() < 2:
        return Spread(mean, np.full(mean.shape, np.nan), 0, np.zeros(mean.shape))
    rest = values[..., order]
    rest = rest - np.repeat(np.add.reduceat(rest, first, axis=-1) / boards, boards, axis=-1)
    rest = np.where(np.abs(rest) > _ROUNDING * np.abs(values).max(axis=-1, keepdims=True), rest, 0.0)
    squares = np.add.reduceat(rest * rest, first, axis=-1)
    variance = (squares * boards / (boards - 1)).sum(axis=-1) / count**2
    cubes, scale = (rest**3).mean(axis=-1), squares.sum(axis=-1) / count
    skewness = np.where(scale > 0, cubes, 0) / np.where(scale > 0, scale, 1) ** 1.5
    return Spread(mean, variance, count - len(boards), skewness)


def board_interval(found: Spread, boards: float, bounds: tuple[float, float] | None) -> tuple[np.ndarray, np.ndarray]:
    """The interval of a mean over boards: `bounded_interval` where it has bounds, else `mean_interval`: low, high.

    Without bounds, boards that are all alike give none (infinite ends): they show nothing of how far boards differ.
    """
    if bounds is not None:
        return bounded_interval(found, boards, bounds)
    low, high = mean_interval(found)
    return np.where(found.variance > 0, low, -np.inf), np.where(found.variance > 0, high, np.inf)


def mean_interval(found: Spread) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval of a mean: low, high; infinite for too few boards."""
    if found.freedom < 1:
        return np.full(found.mean.shape, -np.inf), np.full(found.mean.shape, np.inf)
    half_width = t_quantile(found.freedom) * np.sqrt(found.variance)
    return found.mean - half_width, found.mean + half_width


def bounded_interval(found: Spread, boards: float, bounds: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """An interval that stays within bounds and is never empty: low, high.

    Student's where boards differ, are nearly symmetric for their number, and it lies within the bounds: such are the
    differences of equal bots.

    Else Wilson's interval of as many trials as give the variance measured between boards, recommended by Franco,
    Little, Louis and Slud for clustered samples (Journal of Survey Statistics and Methodology 7 (2019)). The variance
    counts half a board more, as uncertain as one can be: then equal boards leave some doubt, and the normal quantile
    will do (with Student's, intervals of 10 boards hold 97-99 %).

    Args:
        found: what the boards say; a skewness that is not known is NaN.
        boards: how many; of weighted ones, as many as count.
        bounds: what the mean can be at least and at most.
    """
    low, high = bounds
    if found.freedom < 1:
        return np.full(found.mean.shape, low), np.full(found.mean.shape, high)
    share, _, trials = _as_trials(found, boards, bounds)
    wilson = (low + (high - low) * end for end in _wilson(share, trials))
    student = _student_will_do(found, boards, bounds)
    below, above = (np.where(student, one, other) for one, other in zip(mean_interval(found), wilson, strict=True))
    return below, above


def is_longer(found: Spread, boards: float, bounds: tuple[float, float]) -> np.ndarray:
    """Whether an interval within bounds is longer than need be, so that it holds the truth in more than 97 % of runs.

    Wilson's is where the doubt adds a tenth to its length, and of fewer than 8 events.
    """
    share, squares, trials = _as_trials(found, boards, bounds)
    is_long: np.ndarray = (squares < _LEAST_SQUARES) | (trials * np.minimum(share, 1 - share) < _LEAST_EVENTS)
    return is_long & ~_student_will_do(found, boards, bounds)


def _as_trials(found: Spread, boards: float, bounds: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean as a share of its range, the variance of the sum of shares, and how many trials they are worth."""
    low, high = bounds
    share = np.clip((found.mean - low) / (high - low), 0, 1)
    squares = found.variance * (boards / (high - low)) ** 2  # about boards * share * (1 - share) for all or nothing
    clustering = (squares + _DOUBT) / (boards * share * (1 - share) + _DOUBT)
    return share, squares, boards / clustering


def _student_will_do(found: Spread, boards: float, bounds: tuple[float, float]) -> np.ndarray:
    """Whether the interval of a mean that has bounds is Student's."""
    low, high = mean_interval(found)
    is_symmetric = (found.variance > 0) & (boards >= _SYMMETRIC * found.skewness**2)
    inside: np.ndarray = is_symmetric & (low >= bounds[0]) & (high <= bounds[1])
    return inside


def _wilson(share: np.ndarray, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both ends for a share of 0..1 of so many trials (Wilson, JASA 22 (1927)).

    Of up to three events Poisson's limit is used where it is further out: one event would exclude a chance at which it
    comes in one run of ten (Brown, Cai and DasGupta, Statistical Science 16 (2001), section 4.1).
    """
    weight = _NORMAL_QUANTILE**2 / trials
    middle = (share + weight / 2) / (1 + weight)
    half_width = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    below, above = np.clip(middle - half_width, 0, share), np.clip(middle + half_width, share, 1)
    seen, missed = (np.maximum(trials * part, 1e-9) for part in (share, 1 - share))
    rare, common = (gammaincinv(events, 1 - CONFIDENCE) / trials for events in (seen, missed))
    return (
        np.where(seen <= _FEW_EVENTS, np.minimum(below, rare), below),
        np.where(missed <= _FEW_EVENTS, np.maximum(above, 1 - common), above),
    )


def t_quantile(freedom: float, of: int = 1) -> float:
    """How many standard errors a 95 % interval reaches to each side; one `of` several that shall hold together."""
    return float(stdtrit(freedom, 1 - (1 - CONFIDENCE) / (2 * of)))
