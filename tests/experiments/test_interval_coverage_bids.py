"""The intervals of `bids` and `think` hold the truth in 93 to 97 % of runs by real play, of rare bids in more."""

from __future__ import annotations

import pytest

from tests.experiments.test_stats_coverage import binomial_band
from tests.interval_coverage_bids import ASKED, FOUR, RARE, THOUGHT, Question, bid_coverage, think_coverage

RUNS = 200


def check_bids(question: Question, belief: str, worlds: int, runs: int) -> None:
    """Whether the share of intervals that hold is in the band, of each bid; many close bids flatter the best."""
    least, most = binomial_band(runs, 0.93)[0] / runs, binomial_band(runs, 0.97)[1] / runs
    for held in bid_coverage(question, belief, worlds, runs):
        assert min(held.points, held.made) >= least, held
        if held.behind is not None and question.game.name != "truf":
            assert held.behind >= least, held
        if RARE <= held.chance <= 1 - RARE:
            assert max(held.points, held.made) <= most, held


def test_bids_in_short() -> None:
    check_bids(FOUR._replace(worlds=6_000), "uniform", 55, 100)
    check_bids(FOUR._replace(worlds=6_000), "bids", 110, 50)


@pytest.mark.slow
@pytest.mark.parametrize(("question", "belief", "worlds"), ASKED, ids=lambda value: getattr(value, "name", value))
def test_bids(question: Question, belief: str, worlds: int) -> None:
    check_bids(question, belief, worlds, min(RUNS, question.worlds // (worlds + 12)))


@pytest.mark.slow
@pytest.mark.parametrize(("position", "bot"), THOUGHT)
def test_flat_search(position: str, bot: str) -> None:
    least, most = binomial_band(RUNS, 0.93)[0] / RUNS, binomial_band(RUNS, 0.97)[1] / RUNS
    assert all(least <= share <= most for share in think_coverage(position, bot, RUNS)), bot
