"""Intervals of means over worlds: against exact ones where there are any, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom

from bots.world_means import Grouped, grouped, interval_of_means, means_of
from tests.experiments.test_stats_coverage import binomial_band

NONE, ONE = np.zeros(1), np.ones(1)


def interval(values: np.ndarray, weights: np.ndarray | None = None, least: float = 0, most: float = 1) -> list[float]:
    """The ends for one quantity."""
    worlds = grouped(values[None], np.ones(len(values)) if weights is None else weights)
    low, high = interval_of_means(worlds, np.array([least]), np.array([most]))
    return [float(low[0]), float(high[0])]


@pytest.mark.parametrize("worlds", [2, 10, 108, 2000])
@pytest.mark.parametrize("made", [0, 1, 5, -5, -1, -0.5])
def test_what_happens_or_not_has_the_ends_of_clopper_and_pearson(worlds: int, made: float) -> None:
    """With half a world more at an end that has been seen; with one where it has not."""
    count = int(made if made >= 0 else worlds + 1 + 2 * made if made == -0.5 else worlds + made)
    if not 0 <= count <= worlds:
        pytest.skip("so many are not among so few")
    missed = worlds - count
    low = beta.ppf(0.025, count, missed + (0.5 if missed else 1)) if count else 0.0
    high = beta.ppf(0.975, count + (0.5 if count else 1), missed) if missed else 1.0
    assert interval((np.arange(worlds) < count) * 1.0) == pytest.approx([low, high], rel=0.04, abs=0.002)


@pytest.mark.parametrize("worlds", [20, 55, 100, 108, 500])
def test_no_chance_is_held_by_less_than_93_percent_of_all_samples(worlds: int) -> None:
    """Exactly, over all counts there can be; with no world more than are seen some chances would be held by less."""
    made, chances = np.arange(worlds + 1), np.linspace(0.001, 0.999, 999)[:, None]
    numbers = np.stack([worlds - made, made], axis=1)
    seen = Grouped(np.tile([0.0, 1.0], (worlds + 1, 1)), np.ones((worlds + 1, 2)), numbers)
    low, high = interval_of_means(seen, np.zeros(worlds + 1), np.ones(worlds + 1))
    held = (binom.pmf(made, worlds, chances) * ((low <= chances) & (chances <= high))).sum(axis=1)
    assert held.min() >= 0.93
    assert held[20:-20].mean() <= 0.975


def test_what_no_world_of_any_weight_has_shown_may_be_as_heavy_as_the_heaviest() -> None:
    weights = np.where(np.arange(1000) < 100, 1.0, 0.1)
    assert interval(np.zeros(1000), weights) == pytest.approx([0.0, 3.69 / weights.sum()], rel=0.03)
    assert interval(np.ones(1000), weights) == pytest.approx([1 - 3.69 / weights.sum(), 1.0], rel=0.03)


def test_worlds_of_no_weight_say_nothing_and_only_ratios_of_weights_count() -> None:
    values = np.random.default_rng(1).normal(size=60)
    weights = np.random.default_rng(2).integers(1, 4, 60).astype(float)
    found = interval(values, weights, -4, 4)
    assert interval(np.append(values, 99.0), np.append(5 * weights, 0.0), -4, 4) == pytest.approx(found)


def test_many_symmetric_values_have_the_normal_interval() -> None:
    values = np.random.default_rng(1).normal(size=20_000)
    half = 1.96 * values.std() / len(values) ** 0.5
    found = interval(values, None, values.min(), values.max())
    assert found == pytest.approx([values.mean() - half, values.mean() + half], abs=0.02 * half)


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.02, 0.004])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_intervals_hold_the_truth_in_a_simulation(chance: float, is_weighted: bool) -> None:
    """Points of 10 or 0 in 200 worlds; where they are weighted 50 count, and heavier ones bring points less often."""
    rng, runs = np.random.default_rng(3), 1000
    weights = (
        rng.choice([1.0, 0.19, 0.07, 0.02], (runs, 200), p=[0.1, 0.2, 0.3, 0.4])
        if is_weighted
        else np.ones((runs, 200))
    )
    chances = np.where(weights == 1.0, chance / 2, chance)
    values = 10.0 * (rng.random((runs, 200)) < chances)
    expected = np.dot([0.1, 0.038, 0.021, 0.008], [chance / 2, chance, chance, chance]) / 0.167
    truth = 10 * (expected if is_weighted else chance / 2)
    found = [interval(own, weight, 0, 10) for own, weight in zip(values, weights, strict=True)]
    low, high = binomial_band(runs, 0.93)[0], binomial_band(runs, 0.97)[1]
    count = sum(low <= truth <= high for low, high in found)
    assert count >= low
    assert chance < 0.1 or count <= high


def test_values_finer_than_can_be_told_are_rounded() -> None:
    values = np.random.default_rng(1).random((1, 30_000))
    worlds = grouped(values, np.ones(30_000))
    assert worlds.value.shape[1] <= 2049
    assert means_of(worlds) == pytest.approx(values.mean(), abs=1e-5)
