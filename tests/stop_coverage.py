"""How far runs with a stop rule can be trusted, by simulation: tables that tests/coverage.py writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from experiments.boards import strata_of
from experiments.intervals import Spread
from experiments.sequential import are_enough, corrected_mean, decide, interval_at_any_look, log_likelihood_ratio
from experiments.stop_rules import StopRule, look_boards
from tests.shapes import GAPS

_MOST_EFFECTS = 40  # boards of a simulated run, for each 1 / effect^2: enough to decide nearly all
_LEAST_BOARDS = 2000  # of a simulated run: strongly skewed boards have to be many
_FEW_RUNS = 50  # with fewer, a share says little


class Ended(NamedTuple):
    """How simulated runs ended, one entry a run.

    Attributes:
        accepted: "H1", "H0", or "" for neither.
        boards: how many were played.
        mean: difference that the run shows.
        printed: ends of its interval as the table of differences has it.
        at_any_look: ends of the interval that allows for the looks.
    """

    accepted: np.ndarray
    boards: np.ndarray
    mean: np.ndarray
    printed: tuple[np.ndarray, np.ndarray]
    at_any_look: tuple[np.ndarray, np.ndarray]


def sequential_runs(rule: StopRule, gaps: np.ndarray) -> Ended:
    """The test on many runs at once, shape `(runs, boards)`, at the looks of runs of so many boards."""
    count = np.array(list(look_boards(gaps.shape[1])))
    first = np.concatenate([[0], count[:-1]])
    sums = (np.add.reduceat(gaps**power, first, axis=1).cumsum(axis=1) for power in (1, 2, 3))
    mean, square, cube = (total / count for total in sums)
    moment = np.maximum(square - mean**2, 1e-12)
    skewness = (cube - 3 * mean * square + 2 * mean**3) / moment**1.5
    variance = moment * count / (count - 1)
    llr = log_likelihood_ratio(count, corrected_mean(count, mean, variance, skewness), variance, rule.effect)
    decided = ((llr >= rule.high) | (llr <= rule.low)) & are_enough(count, skewness)
    at = np.arange(len(gaps)), np.where(decided.any(axis=1), decided.argmax(axis=1), len(count) - 1)
    accepted = np.where(~decided[at], "", np.where(llr[at] > 0, "H1", "H0"))
    found = Spread(mean[at], variance[at] / count[at[1]], count[at[1]] - 1, skewness[at])
    reach = stdtrit(found.freedom, 0.975) * np.sqrt(found.variance)
    printed = found.mean - reach, found.mean + reach
    return Ended(
        accepted, count[at[1]], found.mean, printed, interval_at_any_look(found, count[at[1]], rule.effect)
    )  # fmt: skip


def sequential_ends(rule: StopRule, shape: str, truth: float, runs: int) -> Ended:
    """How runs end in which the true difference is so many times the effect."""
    rng = np.random.default_rng(7)
    boards = max(_LEAST_BOARDS, int(_MOST_EFFECTS / rule.effect**2))
    drawn = (GAPS[shape](rng, (500, boards)).astype(np.float64) for _ in range(0, runs, 500))
    found = [sequential_runs(rule, gaps + truth * rule.effect) for gaps in drawn]
    accepted, many, mean = (np.concatenate([getattr(one, name) for one in found]) for name in Ended._fields[:3])
    printed, any_look = (np.concatenate([getattr(one, name) for one in found], axis=1) for name in Ended._fields[3:])
    return Ended(accepted, many, mean, (printed[0], printed[1]), (any_look[0], any_look[1]))


def sequential_errors(rule: StopRule, shape: str, runs: int) -> tuple[float, float]:
    """How often H1 is accepted at no difference, and H0 at the effect."""
    none, some = (sequential_ends(rule, shape, truth, runs).accepted for truth in (0.0, 1.0))
    return float(np.mean(none == "H1")), float(np.mean(some == "H0"))


def sequential_table() -> Iterator[str]:
    """Error rates of the sequential test."""
    yield "| differences | effect | false H1 % | false H0 % | undecided % | boards at 0 | boards at the effect |"
    yield "|---|---|---|---|---|---|---|"
    for effect in (0.1, 0.3):
        for shape in GAPS:
            none, some = (sequential_ends(StopRule("a", "b", effect), shape, truth, 4000) for truth in (0.0, 1.0))
            false = f"{100 * np.mean(none.accepted == 'H1'):.1f} | {100 * np.mean(some.accepted == 'H0'):.1f}"
            open_ = 100 * max(np.mean(ends.accepted == "") for ends in (none, some))
            boards = f"{none.boards.mean():.0f} | {some.boards.mean():.0f}"
            yield f"| {shape} | {effect} | {false} | {open_:.1f} | {boards} |"


class StoppedFigures(NamedTuple):
    """What runs that a rule may end show: shares of intervals that hold the truth, and how far the difference leans.

    Attributes:
        printed: of the interval in the table of differences, in all runs.
        printed_of_h1: the same in the runs that accept H1; NaN where these are few.
        at_any_look: of the interval that allows for stopping, in all runs.
        mean_of_h1: the mean difference of the runs that accept H1, in effects; NaN where these are few.
        length: median length of the interval that allows for stopping, in lengths of the printed one.
    """

    printed: float
    printed_of_h1: float
    at_any_look: float
    mean_of_h1: float
    length: float


def stopped_figures(rule: StopRule, shape: str, truth: float, runs: int) -> StoppedFigures:
    """What runs show in which the true difference is so many times the effect."""
    ends = sequential_ends(rule, shape, truth, runs)
    real = truth * rule.effect
    printed, at_any_look = ((low <= real) & (real <= high) for low, high in (ends.printed, ends.at_any_look))
    is_h1 = ends.accepted == "H1"
    of_h1 = (float(printed[is_h1].mean()), float(ends.mean[is_h1].mean()) / rule.effect)
    printed_of_h1, mean_of_h1 = of_h1 if is_h1.sum() >= _FEW_RUNS else (np.nan, np.nan)
    lengths = (ends.at_any_look[1] - ends.at_any_look[0]) / (ends.printed[1] - ends.printed[0])
    return StoppedFigures(
        float(printed.mean()), printed_of_h1, float(at_any_look.mean()), mean_of_h1, float(np.median(lengths))
    )


STOPPED_AT = (0.0, 0.5, 0.8, 1.0, 2.0)  # true differences, in effects


def stopped_table() -> Iterator[str]:
    """Intervals and differences of runs that a stop rule may end, by the true difference."""
    yield (
        "| differences | true | printed holds % | in runs nearer to the effect % | allowing holds % | times as long |"
        + (" shown in runs nearer to the effect |")
    )
    yield "|---|---|---|---|---|---|---|"
    for shape in ("normal", "skew 2", "skew -2", "skew 4", "skew -4"):
        for truth in STOPPED_AT:
            found = stopped_figures(StopRule("a", "b"), shape, truth, 4000)
            shares = f"{100 * found.printed:.1f} | {100 * found.printed_of_h1:.1f} | {100 * found.at_any_look:.1f}"
            yield f"| {shape} | {truth:g} | {shares} | {found.length:.2f} | {found.mean_of_h1:.2f} |"


ROUNDS = 14  # as in Kronions for four


def round_errors(rule: StopRule, slope: float, runs: int) -> tuple[float, float]:
    """Rate of false H1 at no difference and of false H0 at the effect, where boards take rounds in turn.

    The difference falls in even steps from `slope` in the first round to its opposite in the last one, in standard
    deviations of the boards of a round.
    """
    rng = np.random.default_rng(7)
    round_of_board = np.arange(int(40 / rule.effect**2)) % ROUNDS
    no_lineup = np.zeros_like(round_of_board)
    found = {"H1": np.zeros(2), "H0": np.zeros(2), "": np.zeros(2)}
    for _ in range(runs):
        drawn = np.linspace(slope, -slope, ROUNDS)[round_of_board] + rng.standard_normal(len(round_of_board))
        for i, gaps in enumerate((drawn, drawn + rule.effect)):
            looks = (
                decide(rule, gaps[:n], strata_of(no_lineup[:n], round_of_board[:n], ROUNDS)).accepted
                for n in look_boards(len(gaps))
            )
            found[next(filter(None, looks), "")][i] += 1
    return float(found["H1"][0] / runs), float(1 - found["H1"][1] / runs)


def round_table() -> Iterator[str]:
    """Error rates of the sequential test where differences are not the same in all rounds."""
    yield "| first and last round | effect | false H1 % | false H0 % |"
    yield "|---|---|---|---|"
    for slope in (0, 0.5, 1, 2, 4):
        errors = round_errors(StopRule("a", "b", 0.2), slope, 4000)
        yield f"| +{slope:g} and -{slope:g} | 0.2 | {100 * errors[0]:.1f} | {100 * errors[1]:.1f} |"
