"""Stopping early: the test's form, its sums against plain optimisation, and its error rates by simulation."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from cardkit.spec import InvalidText
from experiments.boards import BoardResults, board_results
from experiments.intervals import Strata, one_stratum
from experiments.sequential import (
    MIN_BOARDS,
    SequentialTest,
    corrected_mean,
    decide,
    log_likelihood_ratio,
)
from experiments.stats import compare, estimate
from experiments.stop_rules import FIRST_LOOKS, StopRule, look_boards, parse_stop_rule
from experiments.tournament import run
from tests.experiments.helpers import small_spec
from tests.shapes import GAPS
from tests.stop_coverage import STOPPED_AT, round_errors, sequential_errors, sequential_runs, stopped_figures

RULE = StopRule("a", "b")


# The text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a>b", StopRule("a", "b")),
        ("b>a", StopRule("b", "a")),
        ("a>b:effect=0.2", StopRule("a", "b", effect=0.2)),
        ("a>b:beta=0.1,alpha=0.01", StopRule("a", "b", alpha=0.01, beta=0.1)),
        ("heuristic:epsilon=0.2>a", StopRule("heuristic:epsilon=0.2", "a")),
        ("heuristic>heuristic:epsilon=0.2:effect=1", StopRule("heuristic", "heuristic:epsilon=0.2", effect=1)),
    ],
)
def test_a_rule_is_read(text: str, expected: StopRule) -> None:
    labels = ["a", "b", "heuristic", "heuristic:epsilon=0.2"]
    assert parse_stop_rule(text, labels) == expected
    assert parse_stop_rule(str(expected), labels) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected A>B or"),
        ("a", "expected A>B or"),
        ("alpha>beto", "no bot 'beto'; did you mean 'beta'"),
        ("alfa>beta", "no bot 'alfa'; did you mean 'alpha'"),
        ("alpha>alpha", "compares 'alpha' with itself"),
        ("alpha>beta:effct=1", "key 'effct'; did you mean 'effect'"),
        ("alpha>beta:effect=0", r"effect '0': expected a number 0.01..10"),
        ("alpha>beta:alpha=0.6", r"alpha '0.6': expected a number 1e-06..0.5"),
        ("alpha>beta:alpha=nan", r"alpha 'nan': expected"),
        ("alpha>beta:", "key ''"),
    ],
)
def test_a_wrong_rule_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidText, match=message):
        parse_stop_rule(text, ["alpha", "beta"])


def test_bounds_are_walds() -> None:
    rule = StopRule("a", "b", alpha=0.01, beta=0.1)
    assert (rule.low, rule.high) == (math.log(0.1 / 0.99), math.log(0.9 / 0.01))


@pytest.mark.parametrize("boards", [1, 99, 100, 101, 125, 999, 1000, 1001, 123_456, 10**9])
def test_looks_do_not_depend_on_the_most_that_may_be_played(boards: int) -> None:
    looks = list(look_boards(boards))
    assert looks[-1] == boards
    assert looks[:-1] == [look for look in look_boards(2 * 10**9) if look < boards]
    assert all(1.2 < later / earlier < 1.3 for earlier, later in pairwise(looks[:-1]))


def test_looks_begin_where_a_decision_can_be() -> None:
    assert FIRST_LOOKS[0] == MIN_BOARDS
    assert list(look_boards(1300)) == [*FIRST_LOOKS, 1000, 1250, 1300]


# The sums


@pytest.mark.parametrize("effect", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("mean", [-3.0, -0.1, 0.0, 0.2, 1.0, 50.0])
def test_the_ratio_is_that_of_the_likeliest_deviations(mean: float, effect: float) -> None:
    values = mean + np.random.default_rng(1).normal(0, 2, 40)

    def best(location: float) -> float:
        def lost(log_sd: float) -> float:
            sd = math.exp(log_sd)
            return float(40 * log_sd + ((values - location * sd) ** 2).sum() / (2 * sd**2))

        return -float(minimize_scalar(lost, bounds=(-8, 8), method="bounded", options={"xatol": 1e-10}).fun)

    found = log_likelihood_ratio(40, values.mean(), values.var(), effect)
    assert float(found) == pytest.approx(best(effect) - best(0), abs=1e-6)


def test_the_ratio_is_near_the_usual_approximation() -> None:
    found = float(log_likelihood_ratio(1000, np.float64(0.07), np.float64(1.0), 0.1))
    assert found == pytest.approx(1000 * 0.1 * (0.07 - 0.05), rel=0.03)


def test_boards_that_are_all_alike_decide_but_stay_finite() -> None:
    strata = one_stratum(MIN_BOARDS)
    same, better, worse = (decide(RULE, np.full(MIN_BOARDS, gap), strata) for gap in (0.0, 1.0, -1.0))
    assert math.isfinite(better.llr)
    assert (better.accepted, worse.accepted) == ("H1", "H0")
    assert same.llr == pytest.approx(-MIN_BOARDS * 0.1**2 / 2)
    assert decide(RULE, np.zeros(1000), one_stratum(1000)).accepted == "H0"


def test_nothing_is_decided_before_enough_boards() -> None:
    gaps = np.full(MIN_BOARDS - 1, 1.0)
    assert decide(RULE, gaps, one_stratum(len(gaps))).accepted == ""
    assert decide(RULE, gaps[:1], one_stratum(1)).llr == 0


def test_skewed_boards_have_to_be_more() -> None:
    few, many = (np.where(np.arange(boards) % 20 < 1, 19.0, -1.5) for boards in (200, 800))
    skewness = 0.9 / math.sqrt(0.05 * 0.95)
    assert 200 < 25 * skewness**2 < 800
    assert [decide(RULE, gaps, one_stratum(len(gaps))).accepted for gaps in (few, many)] == ["", "H0"]


def test_the_correction_leaves_symmetric_boards_alone_and_has_the_sign_of_the_skewness() -> None:
    one = np.float64(1)
    assert corrected_mean(100, 0.2 * one, one, 0 * one) == 0.2
    assert corrected_mean(100, 0.2 * one, one, 2 * one) > 0.2
    assert corrected_mean(100, 0.2 * one, one, -2 * one) < 0.2


def test_strata_count_alike_in_the_middle_of_a_cycle() -> None:
    """Rounds whose differences add up to 0: the one that has come once more says nothing of the mean."""
    rounds = np.arange(7 * 20 + 1) % 7
    strata = Strata(rounds, np.full(7, 1 / 7))
    noise = np.tile([1.0, -1.0], 71)[: len(rounds)]
    plain = decide(RULE, np.linspace(30, -30, 7)[rounds] + noise, strata)
    assert plain.llr == pytest.approx(decide(RULE, noise, strata).llr, abs=1e-9)
    assert plain.accepted == ""


def test_a_run_without_strata_is_tested_on_its_plain_mean() -> None:
    gaps = np.random.default_rng(1).normal(0.3, 2, 150)
    mean, variance = gaps.mean(), gaps.var(ddof=1)
    skewness = ((gaps - mean) ** 3).mean() / gaps.var() ** 1.5
    expected = log_likelihood_ratio(150, corrected_mean(150, mean, variance, skewness), variance, 0.1)
    assert decide(RULE, gaps, one_stratum(150)).llr == pytest.approx(float(expected), rel=1e-12)


def test_a_verdict_in_words() -> None:
    found = decide(RULE, np.full(200, 1.0), one_stratum(200))
    start = "a>b:effect=0.1,alpha=0.05,beta=0.05: a - b is nearer to the effect than to 0 after 200 boards with both ("
    assert str(found).startswith(start)
    assert str(found).endswith(f"LLR {found.llr:.2f}, bounds -2.94 and 2.94)")


def test_a_verdict_says_no_more_than_the_test_has_shown() -> None:
    """A difference between 0 and the effect: "not better" would stand against an interval that lies above 0."""
    gaps = np.random.default_rng(1).normal(3.9, 4.9, 125)
    rule = StopRule("a", "b", effect=2)
    found = decide(rule, gaps, one_stratum(125))
    assert found.accepted == "H0"
    assert estimate(gaps).low > 0
    assert "a - b is nearer to 0 than to the effect after 125 boards" in str(found)
    assert f"the effect is 2 standard deviations of the boards, {2 * gaps.std(ddof=1):.3g} points" in str(found)
    assert "(the effect is 2 standard deviations of the boards; LLR" in str(decide(rule, gaps[:1], one_stratum(1)))


# On a run


def test_the_test_of_a_run_sees_complete_prefixes_of_parts(tmp_path: Path) -> None:
    spec = small_spec("a=random", "b=heuristic", "c=random", "d=random", boards=240, seed=3)
    directory = run(spec, tmp_path / "run", workers=2)
    test = SequentialTest(StopRule("b", "a", effect=0.3))
    looks = []
    for part in directory.finished_parts():
        test.add(board_results(directory, [part]))
        looks.append(test.look())
    for parts, look in enumerate(looks, start=1):
        prefix = board_results(directory, range(parts))
        (pair,) = compare(prefix, ["b", "a"])
        assert look.boards == pair.points.boards
    assert [look.accepted for look in looks][-1] == "H1"
    assert looks[0].accepted == ""
    again = SequentialTest(StopRule("b", "a", effect=0.3))
    parts = [board_results(directory, [part]) for part in directory.finished_parts()]
    again.add(BoardResults.join(parts))
    assert again.look() == looks[-1]


# Error rates


def test_the_simulation_decides_as_the_test_does() -> None:
    rng = np.random.default_rng(3)
    for shape, truth in (("normal", 0.5), ("skew 4", 0.0), ("-1, 0 or 1", 1.0)):
        gaps = GAPS[shape](rng, (5, 2000)).astype(float) + 0.1 * truth
        ends = sequential_runs(RULE, gaps)
        for i, one in enumerate(gaps):
            looks = [decide(RULE, one[:count], one_stratum(count)) for count in look_boards(2000)]
            expected = next((look for look in looks if look.accepted), looks[-1])
            assert (ends.accepted[i], ends.boards[i]) == (expected.accepted, expected.boards)
            assert (ends.at_any_look[0][i], ends.at_any_look[1][i]) == pytest.approx((expected.low, expected.high))
            printed = estimate(one[: expected.boards])
            assert (ends.printed[0][i], ends.printed[1][i]) == pytest.approx((printed.low, printed.high))


@pytest.mark.parametrize("shape", ["normal", "-1, 0 or 1"])
def test_error_rates_hold_in_a_short_simulation(shape: str) -> None:
    false_better, false_worse = sequential_errors(StopRule("a", "b", effect=0.3), shape, 1000)
    assert false_better < 0.05
    assert false_worse < 0.05


@pytest.mark.parametrize("slope", [0, 4])
def test_error_rates_hold_where_rounds_differ_in_a_short_simulation(slope: float) -> None:
    """Before strata counted alike, 12 % of these runs found a difference where rounds differ by 4."""
    false_better, false_worse = round_errors(StopRule("a", "b", effect=0.2), slope, 300)
    assert false_better < 0.05
    assert false_worse < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.5, 1, 2, 4])
def test_error_rates_hold_where_rounds_differ(slope: float) -> None:
    false_better, false_worse = round_errors(StopRule("a", "b", effect=0.2), slope, 2000)
    assert false_better < 0.05
    assert false_worse < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("effect", [0.1, 0.3])
@pytest.mark.parametrize("shape", GAPS)
def test_error_rates_hold(shape: str, effect: float) -> None:
    """Of skewed boards too; with a look before 25 times the squared skewness, 6.6 % at an effect of 0.3 (-4)."""
    false_better, false_worse = sequential_errors(StopRule("a", "b", effect), shape, 10_000)
    assert false_better < 0.05
    assert false_worse < 0.05


# What is shown of runs that a rule has ended


def test_the_interval_for_any_look_is_wider_than_the_printed_one_and_has_the_effect_as_its_scale() -> None:
    gaps = np.random.default_rng(1).normal(1, 2, 400)
    found = decide(RULE, gaps, one_stratum(400))
    printed = estimate(gaps)
    assert found.low < printed.low < printed.high < found.high
    assert 1.5 < (found.high - found.low) / (2 * printed.half_width) < 1.7
    assert (found.low + found.high) / 2 == pytest.approx(gaps.mean())
    assert found.effect_points == pytest.approx(0.1 * gaps.std(ddof=1))
    assert math.isinf(decide(RULE, np.ones(400), one_stratum(400)).high)


def test_intervals_after_a_stop_in_a_short_simulation() -> None:
    found = stopped_figures(RULE, "normal", 0.8, 1000)
    assert found.printed < 0.91
    assert found.at_any_look > 0.98
    assert found.mean_of_h1 > 1.05 * 0.8


@pytest.mark.slow
@pytest.mark.parametrize("truth", STOPPED_AT)
@pytest.mark.parametrize("shape", GAPS)
def test_the_interval_for_any_look_holds_the_truth_of_runs_that_a_rule_may_end(shape: str, truth: float) -> None:
    found = stopped_figures(RULE, shape, truth, 4000)
    assert found.at_any_look > 0.97
    assert 0.82 < found.printed < 0.98
    assert found.length < 1.8
