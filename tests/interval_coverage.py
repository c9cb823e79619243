"""How often the intervals of tournaments and analyses hold the truth, in real games.

    python -m tests.interval_coverage                      all tables (some twenty minutes of one core)
    python -m tests.interval_coverage --only "truf deal"   the cases whose name has these words in it
    python -m tests.interval_coverage --scale 0.1          a tenth of the tournaments
    python -m tests.interval_coverage --out FILE           keep what is measured there, and go on where it was stopped
    python -m tests.interval_coverage --write              put the tables into docs/statistics.md

Many tournaments are played that differ in their seed alone. The truth is what a long run of the same spec with another
seed gives; with `--format deal` it has all rounds equally often. A figure is outside where chance alone would hardly
give what was counted if its intervals held the truth in 93 to 97 % of seeds.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

import click
from scipy.stats import beta

import experiments
from cardkit.jit import rules_hash
from experiments.doubts import run_doubts
from experiments.run_frames import bounds_of
from experiments.rundir import TABLES
from experiments.spec import RunSpec
from experiments.summary import summarise
from tests.coverage import write_section
from tests.interval_cases import AFTER, CASES, Case, Figure, zero_in_truth
from tests.memory_run import MemoryRun, with_seed

BAND = (0.93, 0.97)
TRUTH_SEED = 2**40
LISTENED = 10  # tournaments of a row whose warnings are read
LEAST_SHOWN = 0.25  # of the tournaments that have to show a figure, so that it is counted
_ROUNDING = 1e-9


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
        heard: tournaments with a warning that is about it, of those that were listened to.
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
        return not self.is_sure and (high < BAND[0] or low > BAND[1])

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


def measure(case: Case, boards: int, scale: float = 1.0) -> Row:
    """Play the tournaments of a case and count."""
    start = time.process_time()
    spec = case.spec(boards)
    truth = truths(case)
    runs = max(1, round(case.runs * scale))
    counts: dict[tuple[str, str], Count] = {}
    said: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for seed in range(runs):
        run = MemoryRun(with_seed(spec, seed))
        figures = [figure for figure in case.read(run) if is_shown(figure) and _key(figure) in truth]
        warnings = list(said_of(run)) if case.warns and seed < LISTENED else None
        for figure in figures:
            known, is_sure = truth[_key(figure)]
            count = counts.setdefault(figure[:2], Count(*figure[:2], known, is_sure))
            count.add(figure)
            if warnings is not None:
                count.listened += 1
                count.heard += any(is_about(sentence, figure, spec) for sentence in warnings)
        for sentence in warnings or ():
            said[examples.setdefault(re.sub(r"[\d.]+", "#", sentence), sentence)] += 1
    kept = [count for count in counts.values() if count.shown >= LEAST_SHOWN * runs or AFTER in count.measure]
    return Row(case.name, boards, runs, round(time.process_time() - start, 1), kept, dict(said))


def is_shown(figure: Figure) -> bool:
    """Whether a figure has an interval: not for one board."""
    return figure.boards > 1 and isfinite(figure.low) and isfinite(figure.high)


def _key(figure: Figure) -> tuple[str, str]:
    return figure.measure.partition(AFTER)[0], figure.of


@cache
def truths(case: Case) -> dict[tuple[str, str], tuple[float, bool]]:
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
    """What the summary of a run says about its intervals; not what limits the run as a whole, such as its card set."""
    found = summarise(run)
    whole = set(run_doubts(run.spec))
    yield from (sentence for sentence in (*found.warnings, found.stop_rule) if sentence and sentence not in whole)


_WORDS = {"points": "points", "seat points": "points", "difference": "points", "win share": "win share",
          "share difference": "win share", "seat share": "win share", "rank": "rank", "rating": "rating"}  # fmt: skip


def is_about(sentence: str, figure: Figure, spec: RunSpec) -> bool:
    """Whether a warning is about a figure: it names its measure, or none; and one of its bots, or none, or many."""
    named = {word for word in _WORDS.values() if word in sentence}
    labels = [label for label, _ in spec.bots]
    bots = [label for label in labels if re.search(rf"\b{re.escape(label)}\b", sentence)]
    own = [label for label in labels if label in figure.of]
    is_measure = not named or _WORDS.get(_key(figure)[0], figure.measure) in named
    return is_measure and (not bots or not own or " more" in sentence or bool(set(own) & set(bots)))


# What is kept


def fingerprint(case: Case, boards: int, scale: float) -> str:
    """Hash of what decides a row: the case, the kernels, and all code that plays, counts and warns."""
    folder = Path(experiments.__file__).parent
    sources = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in sorted(folder.glob("*.py"))]
    own = {name: value for name, value in vars(case).items() if name != "read"}
    return hashlib.sha256(repr((rules_hash(), sources, sorted(own.items()), boards, scale)).encode()).hexdigest()[:16]


class Kept:
    """Finished rows in a JSON file; those of another case, scale or code are measured again."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._rows: dict[str, Any] = json.loads(file.read_text()) if file is not None and file.exists() else {}

    def row(self, case: Case, boards: int, scale: float) -> Row:
        """The row, kept or measured now."""
        mark = fingerprint(case, boards, scale)
        name = f"{case.name}, {boards} boards"
        if self._rows.get(name, {}).get("fingerprint") != mark:
            self._rows[name] = {"fingerprint": mark, "row": asdict(measure(case, boards, scale))}
            if self._file is not None:
                temporary = self._file.with_name(f".{self._file.name}.tmp")
                temporary.write_text(json.dumps(self._rows, indent=1) + "\n")
                temporary.replace(self._file)
        return Row.from_json(self._rows[name]["row"])


# Tables

_COLUMNS = ("points", "win share", "rank", "rating", "difference", "share difference", "seat points", "seat share")


def tournament_table(rows: Sequence[Row]) -> Iterator[str]:
    """The least and the most over the bots, pairs or seats; `!` where one of them is outside 93 to 97 %."""
    yield "| game | boards | runs | " + " | ".join(_COLUMNS) + " |"
    yield "|---" * (len(_COLUMNS) + 3) + "|"
    for row in rows:
        cells = (_cell([count for count in row.counts if count.measure == name]) for name in _COLUMNS)
        yield f"| {row.case} | {row.boards} | {row.runs} | " + " | ".join(cells) + " |"


def _cell(counts: Iterable[Count]) -> str:
    found = [count for count in counts if not count.is_sure]
    if not found:
        return "-"
    shares = [100 * count.share for count in found]
    return f"{min(shares):.1f} - {max(shares):.1f}" + (" !" if any(count.is_outside for count in found) else "")


def stop_table(rows: Sequence[Row]) -> Iterator[str]:
    """Differences of runs that a stop rule ended, among all and by what it said."""
    yield "| runs | the stop rule says | runs | boards | points | share |"
    yield "|---|---|---|---|---|---|"
    words = {"": "anything", "H1": "better", "H0": "not better"}
    for row in rows:
        for verdict in dict.fromkeys(count.measure.partition(AFTER)[2] for count in row.counts):
            counts = [count for count in row.counts if count.measure.partition(AFTER)[2] == verdict]
            cells = [_cell(c for c in counts if _column(c) == name) for name in ("difference", "share difference")]
            shown = f"{words.get(verdict, verdict)} | {counts[0].shown} | {counts[0].boards:.0f}"
            yield f"| {row.case} | {shown} | {' | '.join(cells)} |"


def _column(count: Count) -> str:
    return count.measure.partition(AFTER)[0]


def _group(count: Count) -> str:
    """The measure; of a frame, which has many, the frame and whether it is one of its shares or of its other means."""
    frame, _, measure = count.measure.partition(": ")
    return f"{frame}, {'shares' if bounds_of(measure) else 'means'}" if measure else frame


SIZES = ((2, 10), (10, 50), (50, float("inf")))  # boards that a group of a frame has rows on


def frame_table(rows: Sequence[Row]) -> Iterator[str]:
    """Frames of analyses: the least and the most over groups and measures, by how many boards groups are of."""
    sizes = [f"{low} boards or more" if high > 1e9 else f"{low} to {high} boards" for low, high in SIZES]
    yield "| runs | boards | frame | " + " | ".join(f"{size} | outside" for size in sizes) + " |"
    yield "|---" * (2 * len(SIZES) + 3) + "|"
    for row in rows:
        frames: dict[str, list[Count]] = defaultdict(list)
        for count in row.counts:
            frames[_group(count)].append(count)
        for name, counts in frames.items():
            cells = []
            for low, high in SIZES:
                found = [count for count in counts if low <= count.boards < high and not count.is_sure]
                outside = sum(count.is_outside for count in found)
                cells += [_cell(found), f"{outside} of {len(found)}" if found else "-"]
            yield f"| {row.case} | {row.boards} | {name} | " + " | ".join(cells) + " |"


def outside_table(rows: Sequence[Row]) -> Iterator[str]:
    """Figures outside 93 to 97 %: of each row and measure (or frame) the worst, and how many there are."""
    yield "| game | boards | figure | holds % | chance allows | others | what runs say |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        outside: dict[str, list[Count]] = defaultdict(list)
        for count in row.counts:
            if count.is_outside:
                outside[_group(count)].append(count)
        for counts in outside.values():
            worst = max(counts, key=lambda count: abs(count.share - sum(BAND) / 2))
            low, high = (f"{100 * end:.1f}" for end in worst.limits)
            shown = f"{worst.measure} of {worst.of} | {100 * worst.share:.1f} | {low} .. {high}"
            yield f"| {row.case} | {row.boards} | {shown} | {len(counts) - 1} | {_said(counts)} |"


def _said(counts: Sequence[Count]) -> str:
    """Whether runs warn of such figures."""
    number = sum(count.is_announced for count in counts)
    return "a warning" if number == len(counts) else "a warning for some" if number else "nothing"


MAKERS = {"tournaments": tournament_table, "stops": stop_table, "frames": frame_table}


@click.command()
@click.option("--only", multiple=True, metavar="CASE", help="Cases whose name, or table, has these words in it.")
@click.option("--boards", multiple=True, type=int, help="Only with so many boards.")
@click.option("--scale", type=click.FloatRange(0.001), default=1.0, help="Times as many tournaments.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Keep finished rows there.")
@click.option("--write", "is_write", is_flag=True, help="Put the tables into docs/statistics.md.")
def main(only: tuple[str, ...], boards: tuple[int, ...], scale: float, out: Path | None, is_write: bool) -> None:
    """Measure and print how often intervals hold the truth in real games."""
    chosen = [
        (name, case, size)
        for name, cases in CASES.items()
        for case in cases
        for size in case.boards
        if (not only or any(words in f"{name}: {case.name}" for words in only)) and (not boards or size in boards)
    ]
    if not chosen:
        raise click.UsageError(
            f"no case of {', '.join((*only, *map(str, boards)))}: run without --only to see all names"
        )
    if is_write and (only or boards):
        raise click.UsageError("--write puts whole tables into the document: leave out --only and --boards")
    kept = Kept(out)
    rows: dict[str, list[Row]] = {}
    for name, case, size in chosen:
        row = kept.row(case, size, scale)
        rows.setdefault(name, []).append(row)
        click.echo(f"{name}: {case.name}, {size} boards: {row.seconds} s", err=True)
    tables = {name: list(MAKERS[name](found)) for name, found in rows.items()}
    tables["outside"] = list(outside_table([row for found in rows.values() for row in found]))
    for name, lines in tables.items():
        click.echo("\n".join(["", *lines]))
        if is_write:
            write_section(f"real {name}", lines)


if __name__ == "__main__":
    main()
