"""An interval that calls itself 95 % holds the truth in 95 % of all runs: by simulation, and by real self-play."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from tests.coverage import SCENARIOS, Scenario, coverage, self_play, truths

SHORT = Scenario(4, (0, 0.5, 1, 3.2), "skew 2")


def binomial_band(runs: int, chance: float) -> tuple[float, float]:
    """Between which counts of successes 99.98 % of all simulations lie."""
    low, high = binom.ppf([1e-4, 1 - 1e-4], runs, chance)
    return float(low), float(high)


def test_intervals_hold_the_truth_in_a_short_simulation() -> None:
    low, high = binomial_band(1000, 0.95)
    for measure, share in coverage(SHORT, 200, truths(SHORT, runs=1000), runs=1000):
        assert low - 5 <= 1000 * share <= high + 5, measure


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_intervals_of_400_boards_hold_the_truth_in_94_to_96_percent_of_10000_runs(scenario: Scenario) -> None:
    """Up to 97 % with more bots than seats: these are dealt to tables evenly, which boards alone do not show."""
    found = coverage(scenario, 400, truths(scenario, runs=10_000), runs=10_000)
    is_dealt = len(scenario.skills) > scenario.seats
    most = {measure: 0.97 if is_dealt and measure in ("win share", "rank") else 0.96 for measure, _ in found}
    assert all(0.94 <= share <= most[measure] for measure, share in found), found


@pytest.mark.slow
def test_win_shares_of_the_simulation_reach_from_5_to_95_percent() -> None:
    shares = np.concatenate(
        [truths(scenario)[1::5] for scenario in SCENARIOS if len(scenario.skills) == scenario.seats]
    )
    assert shares.min() < 0.055
    assert shares.max() > 0.945


@pytest.mark.slow
@pytest.mark.parametrize("boards", [50, 100])
def test_self_play_shows_a_difference_in_5_percent_of_runs(boards: int) -> None:
    low, high = binomial_band(2000, 0.05)
    for measure, count in self_play(boards, 2000).items():
        assert low <= count <= high, measure


def test_self_play_in_short() -> None:
    low, high = binomial_band(100, 0.05)
    assert all(low <= count <= high for count in self_play(50, 100).values())
