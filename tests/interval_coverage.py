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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

import experiments
from cardkit.cache import rules_hash
from experiments.run_frames import bounds_of
from tests.coverage import write_section
from tests.interval_cases import AFTER, CASES, Case
from tests.interval_counts import BAND, Count, Row, measure


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
