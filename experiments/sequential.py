"""Stopping a run early: a sequential test whether one bot takes more points than another.

A generalised sequential probability ratio test (GSPRT: Li, Liu and Ying, Sequential Analysis 33 (2014)), as chess
engines are tested by Fishtest and fastchess: one observation a board, not a game, and the effect in units of the
boards' standard deviation (their normalized Elo), so that it means the same in every game.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log, nan

import numpy as np

from experiments.boards import BoardResults, strata_of
from experiments.intervals import BOARDS_FOR_SKEWNESS, CONFIDENCE, Spread, Strata, spread
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
        accepted: "H1" (the difference is nearer to the effect than to 0), "H0" (nearer to 0), or "" for neither as yet.
        effect_points: the effect in points; NaN where it is not known yet.
        low, high: an interval of the difference in points that holds 95 % though its end was chosen by its results;
            infinite where there is none.
    """

    rule: StopRule
    boards: int
    llr: float
    accepted: str
    effect_points: float = nan
    low: float = -inf
    high: float = inf

    def __str__(self) -> str:
        points = f", {self.effect_points:.3g} points" if isfinite(self.effect_points) else ""
        effect = f"{self.rule.effect:g} standard deviations of the boards{points}"
        verdict = {
            "H1": f"{self.pair} is nearer to the effect than to 0",
            "H0": f"{self.pair} is nearer to 0 than to the effect",
            "": "undecided",
        }[self.accepted]
        bounds = f"bounds {self.rule.low:.2f} and {self.rule.high:.2f}"
        of = f" (the effect is {effect}; LLR {self.llr:.2f}, {bounds})"
        return f"{self.rule}: {verdict} after {self.boards} boards with both{of}"

    @property
    def pair(self) -> str:
        """The difference that is tested."""
        return f"{self.rule.first} - {self.rule.second}"


class SequentialTest:
    """The test of one run, fed with the results of its parts in order."""

    def __init__(self, rule: StopRule) -> None:
        self.rule = rule
        self._gaps: list[np.ndarray] = []
        self._designs: list[np.ndarray] = []

    def add(self, part: BoardResults) -> None:
        """Count the boards of the next part."""
        first, second = part.bot(self.rule.first), part.bot(self.rule.second)
        _, rows, others = np.intersect1d(first.board, second.board, assume_unique=True, return_indices=True)
        first, second = first.at(rows), second.at(others)
        self._gaps.append(first.means("points") - second.means("points"))
        self._designs.append(np.stack([first.lineup, first.variant.astype(np.int32)]))
        self._num_variants = part.num_variants

    def look(self) -> Decision:
        """What all boards so far say."""
        lineup, variant = np.concatenate(self._designs, axis=1)
        return decide(self.rule, np.concatenate(self._gaps), strata_of(lineup, variant, self._num_variants))


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
    effect_points = rule.effect * float(np.sqrt(found.variance * count))
    low, high = (float(end) for end in interval_at_any_look(found, count, rule.effect))
    is_enough = bool(are_enough(count, found.skewness))
    return Decision(rule, count, llr, accepted if is_enough else "", effect_points, low, high)


def are_enough(boards: int | np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Whether boards are enough for a decision: with fewer, skewed ones err more often than alpha and beta say."""
    found: np.ndarray = boards >= np.maximum(MIN_BOARDS, BOARDS_FOR_SKEWNESS * skewness**2)
    return found


def interval_at_any_look(found: Spread, boards: int | np.ndarray, effect: float) -> tuple[np.ndarray, np.ndarray]:
    """A 95 % interval of a mean that may be looked at after any number of boards: low, high.

    A confidence sequence: it holds the truth at all looks of 95 % of runs, so also at the one where a run ends,
    whatever ended it. It is that of a normal mixture (Robbins, Annals of Mathematical Statistics 41 (1970); for large
    samples of any shape Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 52 (2024)), whose spread
    is the effect: then it is shortest where a test for that effect ends.

    Args:
        found: what the boards say.
        boards: how many.
        effect: in standard deviations of the boards.
    """
    scale = boards * effect**2
    reach = np.sqrt((1 + 1 / scale) * (np.log1p(scale) - 2 * log(1 - CONFIDENCE)))
    half_width = np.where(found.variance > 0, reach * np.sqrt(found.variance), inf)
    return found.mean - half_width, found.mean + half_width


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
