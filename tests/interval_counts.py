"""Counting how often the intervals of many tournaments hold what a long run gives, for `tests.interval_coverage`."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Any

from scipy.stats import beta

from experiments.doubts import run_doubts
from experiments.rundir import TABLES
from experiments.spec import RunSpec
from experiments.summary import summarise
from tests.interval_cases import AFTER, CASES, Case, Figure, zero_in_truth
from tests.memory_run import MemoryRun, with_seed

BAND = (0.93, 0.97)
TRUTH_SEED = 2**40
LISTENED = 10  # tournaments of a row whose warnings are read, and as many of each verdict of a stop rule
LEAST_SHOWN = 0.25  # of the tournaments that have to show a figure, so that it is counted
_ROUNDING = 1e-9

Key = tuple[str, str]  # measure, and of what
Truths = dict[Key, tuple[float, bool]]


@dataclass
class Count:
    """How often the intervals of one figure held the truth.

    Attributes:
        measure, of: the figure.
        truth: what the long run says.
        is_sure: whether the long run never met another value, so that every interval holds it.
        boards: it is of in a tournament, on average.
        shown: tournaments that show an interval for it.
        held, below, above: in how many the truth is in it, below it, above it.
        usual: how many show the commonest value; an interval that holds the truth there does so at least as often.
        heard: tournaments that say something about its interval, of those that were listened to.
        listened: how many of those show it.
    """

    measure: str
    of: str
    truth: float
    is_sure: bool
    boards: float = 0.0
    shown: int = 0
    held: int = 0
    below: int = 0
    above: int = 0
    usual: int = 0
    heard: int = 0
    listened: int = 0

    @property
    def share(self) -> float:
        """How often the truth was in the interval."""
        return self.held / self.shown

    @property
    def limits(self) -> tuple[float, float]:
        """95 % interval of the share (Clopper and Pearson)."""
        missed = self.shown - self.held
        low = float(beta.ppf(0.025, self.held, missed + 1)) if self.held else 0.0
        return low, float(beta.ppf(0.975, self.held + 1, missed)) if missed else 1.0

    @property
    def is_outside(self) -> bool:
        """Whether the share is outside 93 to 97 %, and by more than chance."""
        low, high = self.limits
        return not self.is_sure and (high < BAND[0] or low > max(BAND[1], self.usual / self.shown))

    @property
    def is_announced(self) -> bool:
        """Whether nearly all tournaments that show the figure say something about its interval."""
        return self.heard >= 0.9 * self.listened > 0

    def add(self, figure: Figure) -> None:
        """Count the interval of one tournament. Modified in place."""
        slack = _ROUNDING * max(1.0, abs(self.truth))
        self.boards = (self.boards * self.shown + figure.boards) / (self.shown + 1)
        self.shown += 1
        self.below += int(self.truth < figure.low - slack)
        self.above += int(self.truth > figure.high + slack)
        self.held = self.shown - self.below - self.above


@dataclass
class Row:
    """What was measured of a case with one number of boards.

    Attributes:
        case, boards: which.
        runs: how many tournaments.
        seconds: of the processor that it took.
        counts: its figures.
        said: warnings of the tournaments that were listened to, and how many said so; numbers may differ between them.
    """

    case: str
    boards: int
    runs: int
    seconds: float
    counts: list[Count]
    said: dict[str, int]

    @staticmethod
    def from_json(data: dict[str, Any]) -> Row:
        """The row that `asdict` gave."""
        return Row(**{**data, "counts": [Count(**count) for count in data["counts"]]})


class Tally:
    """What has been counted of the tournaments of a case.

    Args:
        spec: of one of them.
        truth: what the long run says (`truths`).
    """

    def __init__(self, spec: RunSpec, truth: Truths) -> None:
        self._spec, self._truth = spec, truth
        self._counts: dict[Key, Count] = {}
        self._values: defaultdict[Key, Counter[float]] = defaultdict(Counter)
        self._examples: dict[str, str] = {}
        self.said: Counter[str] = Counter()

    def add(self, figures: Iterable[Figure], warnings: Sequence[str] | None) -> None:
        """Count a tournament; no warnings where it was not listened to. Modified in place."""
        for figure in figures:
            if not is_shown(figure) or _key(figure) not in self._truth:
                continue
            count = self._counts.setdefault(figure[:2], Count(*figure[:2], *self._truth[_key(figure)]))
            count.add(figure)
            self._values[figure[:2]][round(figure.mean, 9)] += 1
            if figure.is_rough is not None:
                count.listened += 1
                count.heard += figure.is_rough
            elif warnings is not None and count.listened < LISTENED:
                count.listened += 1
                count.heard += any(is_about(sentence, figure, self._spec) for sentence in warnings)
        for sentence in warnings or ():
            self.said[self._examples.setdefault(re.sub(r"[\d.]+", "#", sentence), sentence)] += 1

    def counts(self, least: float) -> list[Count]:
        """Figures that so many tournaments show; those of runs that a stop rule tells apart, however few these are."""
        for key, count in self._counts.items():
            count.usual = max(self._values[key].values())
        return [count for count in self._counts.values() if count.shown >= least or AFTER in count.measure]


def measure(case: Case, boards: int, scale: float = 1.0) -> Row:
    """Play the tournaments of a case and count."""
    start = time.process_time()
    spec, runs = case.spec(boards), max(1, round(case.runs * scale))
    tally = Tally(spec, truths(case))
    listened: Counter[str] = Counter()
    for seed in range(runs):
        run = MemoryRun(with_seed(spec, seed))
        figures = list(case.read(run))
        verdict = next((figure.measure for figure in figures if AFTER in figure.measure), "")
        listened[verdict] += 1
        tally.add(figures, list(said_of(run)) if case.warns and listened[verdict] <= LISTENED else None)
    seconds = round(time.process_time() - start, 1)
    return Row(case.name, boards, runs, seconds, tally.counts(LEAST_SHOWN * runs), dict(tally.said))


def is_shown(figure: Figure) -> bool:
    """Whether a figure has an interval: not for one board."""
    return figure.boards > 1 and isfinite(figure.low) and isfinite(figure.high)


def _key(figure: Figure) -> Key:
    return figure.measure.partition(AFTER)[0], figure.of


@cache
def truths(case: Case) -> Truths:
    """What a long run says of each figure, and whether it is sure; differences of one bot with itself are 0."""
    spec = long_run(case)
    run = MemoryRun(spec, ("games",) if case in CASES["tournaments"] else TABLES)
    zero = zero_in_truth(spec)
    return {
        _key(figure): (0.0 if _key(figure) in zero else figure.mean, _is_sure(figure))
        for figure in case.read(run)
        if figure.boards > 1
    }


def long_run(case: Case) -> RunSpec:
    """A run that has every round, and with no more bots than seats every line-up in it, equally often."""
    spec = case.spec(max(case.boards))
    cycle = spec.num_variants * len(spec.bots)
    return with_seed(spec, TRUTH_SEED, -(-case.truth // cycle) * cycle, stop_when="")


def _is_sure(figure: Figure) -> bool:
    """Whether a long run never met another value: its interval ends at the figure, or is nothing but it."""
    return figure.low == figure.mean or figure.high == figure.mean


def said_of(run: MemoryRun) -> Iterator[str]:
    """What the summary of a run says about its intervals.

    Not what limits the run as a whole, such as its card set; nor the verdict of a stop rule, unless it names intervals.
    """
    found = summarise(run)
    whole = set(run_doubts(run, found.boards))
    yield from (sentence for sentence in found.warnings if sentence not in whole)
    if "interval" in found.stop_rule:
        yield found.stop_rule


_WORDS = {"points": "points", "seat points": "points", "difference": "points", "win share": "win share",
          "share difference": "win share", "seat share": "win share", "rank": "rank", "rating": "rating"}  # fmt: skip


def is_about(sentence: str, figure: Figure, spec: RunSpec) -> bool:
    """Whether a warning is about a figure: it names its measure, or none; and one of its bots or its seat, or none.

    One that names some of many is about all bots, or all seats; what is offered after a semicolon limits it to nothing.
    """
    named = {word for word in _WORDS.values() if word in sentence.partition(";")[0]}
    labels = [*(label for label, _ in spec.bots), *(f"seat {seat}" for seat in range(spec.game_object.num_players))]
    subjects = [label for label in labels if re.search(rf"\b{re.escape(label)}\b", sentence)]
    own = [label for label in labels if label in figure.of]
    is_measure = not named or _WORDS.get(_key(figure)[0], figure.measure) in named
    are_alike = " more" in sentence and ("seat " in sentence) == figure.of.startswith("seat ")
    return is_measure and (not subjects or not own or are_alike or bool(set(own) & set(subjects)))
