"""Stopping a run early: a sequential test whether one bot takes more points than another.

A generalised sequential probability ratio test (GSPRT: Li, Liu and Ying, Sequential Analysis 33 (2014)), as chess
engines are tested by Fishtest and fastchess: one observation a board, not a game, and the effect in units of the
boards' standard deviation (their normalized Elo), so that it means the same in every game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.boards import BoardResults, strata_of
from experiments.intervals import Strata, spread
from experiments.stop_rules import StopRule

MIN_BOARDS = 100  # before a decision: with fewer, skewed boards double the stated error rates (docs/statistics.md)
_MOST_STUDENTS_T = 3.0  # up to where the correction for skewness holds


@dataclass(frozen=True)
class Decision:
    """What the boards so far say.

    Attributes:
        rule: the test.
        boards: on which both bots sat.
        llr: log-likelihood ratio of H1 to H0.
        accepted: "H1" (the first bot is better by the effect), "H0" (it is not better), or "" for neither as yet.
    """

    rule: StopRule
    boards: int
    llr: float
    accepted: str

    def __str__(self) -> str:
        verdict = {"H1": "is better", "H0": "is not better", "": "undecided"}[self.accepted]
        words = f"{self.rule.first} {verdict}" if self.accepted else verdict
        bounds = f"bounds {self.rule.low:.2f} and {self.rule.high:.2f}"
        return f"{self.rule}: {words} after {self.boards} boards (LLR {self.llr:.2f}, {bounds})"


class SequentialTest:
    """The test of one run, fed with the results of its parts in order."""

    def __init__(self, rule: StopRule) -> None:
        self.rule = rule
        self._gaps: list[np.ndarray] = []
        self._designs: list[np.ndarray] = []

    def add(self, part: BoardResults) -> Decision:
        """Count the boards of the next part; what all boards so far say."""
        first, second = part.bot(self.rule.first), part.bot(self.rule.second)
        _, rows, others = np.intersect1d(first.board, second.board, assume_unique=True, return_indices=True)
        first, second = first.at(rows), second.at(others)
        self._gaps.append(first.means("points") - second.means("points"))
        self._designs.append(np.stack([first.lineup, first.variant.astype(np.int32)]))
        lineup, variant = np.concatenate(self._designs, axis=1)
        return decide(self.rule, np.concatenate(self._gaps), strata_of(lineup, variant, part.num_variants))


def decide(rule: StopRule, gaps: np.ndarray, strata: Strata) -> Decision:
    """What board differences say: the test at one look.

    Args:
        rule: the test.
        gaps: difference of the two bots in points on each board, shape `(boards,)`.
        strata: of the boards.
    """
    count = len(gaps)
    if count < 2:
        return Decision(rule, count, 0.0, "")
    found = spread(gaps, strata)
    mean = corrected_mean(count, found.mean, found.variance * count, found.skewness)
    llr = float(log_likelihood_ratio(count, mean, found.variance * count, rule.effect))
    accepted = "H1" if llr >= rule.high else "H0" if llr <= rule.low else ""
    return Decision(rule, count, llr, accepted if count >= MIN_BOARDS else "")


def corrected_mean(
    boards: int | np.ndarray, mean: np.ndarray, variance: np.ndarray, skewness: np.ndarray
) -> np.ndarray:
    """The mean that normal observations would have for the same evidence against 0 (Johnson, JASA 73 (1978)).

    The mean and the standard deviation of skewed observations rise together, which makes Student's t lean to one side.

    Args:
        boards: how many observations.
        mean: of them.
        variance: of one observation.
        skewness: of one observation.
    """
    square = np.minimum(boards * mean**2 / np.where(variance > 0, variance, 1), _MOST_STUDENTS_T**2)
    found: np.ndarray = mean + np.sqrt(variance) * skewness * (1 + 2 * square) / (6 * boards)
    return found


def log_likelihood_ratio(boards: int | np.ndarray, mean: np.ndarray, variance: np.ndarray, effect: float) -> np.ndarray:
    """Log-likelihood ratio of "the mean is `effect` standard deviations" to "the mean is 0" for normal observations.

    The standard deviation is unknown: each hypothesis takes the one that makes the observations likeliest, which has a
    closed form. Near both hypotheses it is `boards * effect * (mean / sd - effect / 2)`; unlike this it stays
    finite where all boards are alike.

    Args:
        boards: how many observations.
        mean: of them.
        variance: of one observation.
        effect: in standard deviations.
    """
    square = variance + mean**2
    scale = np.where(square > 0, square, 1.0)  # all boards 0: any scale will do
    location = mean / np.sqrt(scale)
    deviation = (np.sqrt((effect * location) ** 2 + 4) - effect * location) / 2  # in units of the root mean square
    fit = np.log(deviation) + 0.5 / deviation**2 - effect * location / deviation + effect**2 / 2
    llr: np.ndarray = boards * (0.5 - fit)
    return np.where(square > 0, llr, -boards * effect**2 / 2)
