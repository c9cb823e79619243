"""95 % intervals of means over sampled worlds, which may be weighted, skewed, and all alike where something is rare.

A mean is as uncertain as it is where worlds count at random: each with a gamma variate of shape 1 (D. B. Rubin, "The
Bayesian bootstrap" (1981)). One world more is counted at the least value there can be for the lower end, and at the
most for the upper end (N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
nonnegative variable" (2005)): as heavy as the heaviest where no world has reached so far, else half a one of usual
weight, with which the intervals hold the truth in 95 % of runs and not more. For what happens or does not, this lies
within the ends of Clopper and Pearson; for rare events in weighted worlds it is close to M. P. Fay and E. J. Feuer,
"Confidence intervals for directly standardized rates" (1997). Chances of the weighted sums of gamma variates come from
the saddlepoint formula of R. Lugannani and S. Rice (1980), in O. E. Barndorff-Nielsen's form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

QUANTILE = 1.959963984540054  # of the normal distribution, for 2.5 % beyond each end
_STEPS = 60  # at most, of Newton's method kept within bounds
_EXACT = 1e-9  # of the distance from the mean to the edge, and of the tilt
_MORE_SEEN = 0.5  # worlds more at an edge that has been seen: with 1, all intervals hold more than 95 %
_MOST_VALUES = 2048  # different ones; finer differences are rounded
_NEAR = 1e-5  # of its signed root, from a point to the mean: nearer, the formula is 0 / 0


class Grouped(NamedTuple):
    """Worlds in which several quantities were found, those with the same value and weight together.

    Attributes:
        value, weight, number: of the worlds of each group, shape `(quantities, groups)`; a number of 0 fills up.
    """

    value: np.ndarray
    weight: np.ndarray
    number: np.ndarray


def grouped(values: np.ndarray, weights: np.ndarray) -> Grouped:
    """Put equal worlds together.

    Args:
        values: of each quantity in each world, shape `(quantities, worlds)`.
        weights: of the worlds, shape `(worlds,)`; those of weight 0 are left out.
    """
    counts = weights > 0
    values, weights = np.asarray(values, np.float64)[:, counts], np.asarray(weights, np.float64)[counts]
    scale = weights.max()
    distinct, kind = np.unique(weights / scale, return_inverse=True)
    found = []
    for row in values:
        numbers, which = np.unique(row, return_inverse=True)
        if len(numbers) > _MOST_VALUES:
            step = (numbers[-1] - numbers[0]) / _MOST_VALUES
            numbers, which = np.unique(np.rint((row - numbers[0]) / step) * step + numbers[0], return_inverse=True)
        count = np.bincount(which * len(distinct) + kind, minlength=len(numbers) * len(distinct))
        places = np.flatnonzero(count)
        found.append((numbers[places // len(distinct)], distinct[places % len(distinct)], count[places]))
    size = max(len(count) for _, _, count in found)
    padded = ([np.pad(part, (0, size - len(part))) for part in parts] for parts in zip(*found, strict=True))
    return Grouped(*(np.stack(parts) for parts in padded))


def means_of(worlds: Grouped) -> np.ndarray:
    """The weighted mean of each quantity."""
    total = worlds.number * worlds.weight
    return (total * worlds.value).sum(axis=1) / total.sum(axis=1)


def interval_of_means(worlds: Grouped, least: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both ends for the mean of each quantity: 95 % of them hold it, and more where it is rare.

    Args:
        worlds: what was found in them.
        least: that each quantity can be, shape `(quantities,)`.
        most: that each can be.
    """
    return 0.0 - _upper(worlds._replace(value=-worlds.value), -least), _upper(worlds, most)


def _upper(worlds: Grouped, most: np.ndarray) -> np.ndarray:
    """The upper end: only 2.5 % of the means with random counts lie above it, with one world more at the most."""
    edge = np.asarray(most, np.float64)[:, None]
    total = worlds.number * worlds.weight
    is_seen = worlds.value.max(axis=1, initial=-np.inf, where=worlds.number > 0, keepdims=True) >= edge
    usual = ((total * worlds.weight).sum(axis=1) / total.sum(axis=1))[:, None]
    worlds = Grouped(
        np.concatenate([worlds.value, edge], axis=1),
        np.concatenate([worlds.weight, np.where(is_seen, usual, worlds.weight.max(axis=1, keepdims=True))], axis=1),
        np.concatenate([worlds.number, np.where(is_seen, _MORE_SEEN, 1.0)], axis=1),
    )
    low, high = means_of(worlds), edge[:, 0]
    reach, end, tilt = high - low, (low + high) / 2, np.full(len(low), 0.5)
    for _ in range(_STEPS):
        root, slope, tilt = _root_at(worlds, end, tilt)
        is_beyond = root > QUANTILE
        low, high = np.where(is_beyond, low, end), np.where(is_beyond, end, high)
        before = end
        end = _kept_between(low, high, end - _ratio(root - QUANTILE, slope))
        if np.all(np.abs(end - before) <= _EXACT * reach):
            break
    return end


def _root_at(worlds: Grouped, at: np.ndarray, tilt: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How a value above the mean lies in the distribution of random means.

    Returns:
        The normal quantile that belongs to the chance of a random mean below it, its approximate slope in the value,
        and the tilt of the saddlepoint, 0..1, from which the search for that of a near value may start.
    """
    gaps = worlds.weight * (worlds.value - at[:, None])
    most = gaps.max(axis=1, initial=0.0, where=worlds.number > 0)
    scale = np.where(most > 0, most, 1.0)
    gaps = gaps / scale[:, None]
    low, high = np.zeros(len(at)), np.ones(len(at))
    for _ in range(_STEPS):
        parts = 1 / (1 - tilt[:, None] * gaps)
        drift, curve = ((worlds.number * (gaps * parts) ** power).sum(axis=1) for power in (1, 2))
        low, high = np.where(drift > 0, low, tilt), np.where(drift > 0, tilt, high)
        before = tilt
        tilt = _kept_between(low, high, tilt - _ratio(drift, curve))
        if np.all(np.abs(tilt - before) <= _EXACT):
            break
    rest = 1 - tilt[:, None] * gaps
    root = np.sqrt(np.maximum(0.0, 2 * (worlds.number * np.log(rest)).sum(axis=1)))
    rise = tilt * np.sqrt((worlds.number * (gaps / rest) ** 2).sum(axis=1))
    is_far = (root > _NEAR) & (rise > 0)
    safe = np.where(is_far, root, 1.0)
    slope = tilt / scale * (worlds.number * worlds.weight / rest).sum(axis=1) / safe
    return np.where(is_far, root + np.log(np.where(is_far, rise, 1.0) / safe) / safe, root), slope, tilt


def _kept_between(low: np.ndarray, high: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The value where it lies between two others, else their middle."""
    return np.where((low < value) & (value < high), value, (low + high) / 2)


def _ratio(value: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.divide(value, other, out=np.zeros_like(value), where=other > 0)
