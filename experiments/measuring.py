"""How the benchmarks measure: warmed up, repeated, in turn with what it is compared with, told with a range."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from cardkit.spec import InvalidRules

FEWEST = 3  # repeats of what takes long
THREADS = 2  # where a measurement is made with more than one
_MOST_TIMES = 1 << 20
_clocks: list[Callable[[], float]] = [lambda: time.perf_counter()]


@dataclass(frozen=True)
class Scale:
    """How large the measurements are.

    Attributes:
        repeats: how often each is made after its warm-up.
        seconds: the least that one repeat takes, where the amount of work can be chosen.
        patience: seconds for what is measured in turn: when they are over, fewer repeats will do, but at least
            `FEWEST`.
        games: the fewest that are played to their ends in compiled code.
        step_sizes: games of the batches that are stepped from Python.
        iterations: of the searches.
        rows: of deals, in the run that measures the files.
        runs: how many such runs, and how many fresh processes.
    """

    repeats: int
    seconds: float
    patience: float
    games: int
    step_sizes: tuple[int, ...]
    iterations: tuple[int, ...]
    rows: int
    runs: int


FULL = Scale(7, 0.06, 6.0, 256, (1, 16, 256, 4096, 16_384, 65_536), (200, 2_000, 20_000), 300_000, 3)
SMALL = Scale(2, 0.0, 6.0, 32, (1, 16), (50, 200), 1_000, 2)  # shows that all of it works: for tests


class Label(NamedTuple):
    """What a number is.

    Attributes:
        section: the heading it stands under.
        what: what was measured.
        unit: of the number; where it ends in "/s" more is better.
        threads: how many did the work.
    """

    section: str
    what: str
    unit: str
    threads: int = 1


@dataclass(frozen=True)
class Figure:
    """A measured quantity.

    Attributes:
        label: what it is.
        value: the median of the repeats.
        low, high: the smallest and the largest of them.
        repeats: how many there were.
    """

    label: Label
    value: float
    low: float
    high: float
    repeats: int = 1

    def to_json(self) -> dict[str, Any]:
        """The figure as plain data."""
        return {
            **self.label._asdict(),
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "repeats": self.repeats,
        }


@dataclass(frozen=True)
class Case:
    """Something that can be measured again and again.

    Attributes:
        labels: of the numbers that a repeat gives.
        run: makes repeat i and gives a number for each label; equal i, equal work.
        is_wall: whether it is timed by the clock on the wall: several threads work. Else processor time counts, so that
            a core that others use too looks no slower.
    """

    labels: tuple[Label, ...]
    run: Callable[[int], tuple[float, ...]]
    is_wall: bool = False

    def measured(self, repeat: int) -> tuple[float, ...]:
        """Repeat i, timed by its clock."""
        with nullcontext() if self.is_wall else processor_time():
            return self.run(repeat)


def figure(label: Label, values: Sequence[float]) -> Figure:
    """The figure of repeated measurements."""
    return Figure(label, median(values), min(values), max(values), len(values))


def measure(cases: Iterable[Case], scale: Scale) -> dict[Label, list[float]]:
    """The numbers of all repeats. Each repeat makes all cases in turn, after one round that only warms up.

    What else the machine does then strikes all cases alike, and the i-th numbers of two cases can be divided.
    """
    cases = list(cases)
    found: dict[Label, list[float]] = {label: [] for case in cases for label in case.labels}
    end = time.perf_counter() + scale.patience
    for repeat in range(-1, scale.repeats):
        if repeat >= FEWEST and time.perf_counter() > end:
            break
        for case in cases:
            numbers = case.measured(max(0, repeat))
            if repeat >= 0:
                for label, number in zip(case.labels, numbers, strict=True):
                    found[label].append(number)
    return found


def figures(cases: Iterable[Case], scale: Scale) -> list[Figure]:
    """The figures of cases measured in turn."""
    return [figure(label, values) for label, values in measure(cases, scale).items()]


def seconds_of(action: Callable[[], Any]) -> float:
    """How long an action takes, in seconds by the clock on the wall, but see `processor_time`."""
    clock = _clocks[-1]
    start = clock()
    action()
    return clock() - start


@contextmanager
def processor_time() -> Iterator[None]:
    """Meanwhile `seconds_of` counts the time that this thread has a processor: what else runs then counts little."""
    _clocks.append(time.thread_time)
    try:
        yield
    finally:
        _clocks.pop()


def enough(action: Callable[[int], Any], seconds: float) -> int:
    """How often an action is to be done so that it takes at least so long: a power of two, found by trying.

    There is a limit for what costs nothing, such as a plan of the worlds of Kosmogonia: the compiler removes the loop.
    """
    action(1)  # compiles
    times = 1
    while times < _MOST_TIMES and seconds_of(partial(action, times)) < seconds:
        times *= 2
    return times


def at_once(jobs: Sequence[Callable[[], Any]]) -> float:
    """Do jobs, each on a thread of its own where there are several; seconds until all are done."""
    if len(jobs) == 1:
        return seconds_of(jobs[0])
    with ThreadPoolExecutor(len(jobs)) as pool:
        list(pool.map(lambda number: number, range(len(jobs))))  # the threads have started
        return seconds_of(lambda: list(pool.map(lambda job: job(), jobs)))


def machine() -> dict[str, Any]:
    """What the figures were measured on: processor, cores that this process may use, system, and how busy it was."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return {
        "processor": _processor(),
        "cores": cores,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": round(load, 2),
    }


def _processor() -> str:
    """The model of the processor, with its numbers where the name alone says little."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    fields: dict[str, str] = {}
    for name, _, value in (line.partition(":") for line in lines):
        fields.setdefault(name.strip(), value.strip())
    numbers = f"family {fields.get('cpu family', '?')}, model {fields.get('model', '?')}"
    return f"{fields.get('model name', platform.machine())} ({numbers})"


def busy_note(found: dict[str, Any]) -> str:
    """A warning where other programs had much of the machine; else nothing."""
    if found["load"] < found["cores"] / 2:
        return ""
    return f"other programs are busy here (load {found['load']:.1f}): what is timed by the wall is too slow"


def show_number(value: float) -> str:
    """A number with three digits, or all where it is larger: 0, 0.0123, 1.23, 123, 12,345."""
    if value < 0.00005:
        return "0"
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


def machine_in_words(found: dict[str, Any]) -> str:
    """`machine()` as a line."""
    cores = f"{found['cores']} core{'s' if found['cores'] > 1 else ''}"
    return f"{found['processor']}, {cores}, {found['system']}, Python {found['python']}"


def write_json(file: Path, data: dict[str, Any]) -> None:
    """Write data as JSON, all of it or nothing.

    Raises:
        InvalidRules: the file cannot be written.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps(data, indent=1) + "\n")
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InvalidRules(f"cannot write {str(file)!r}: {error.strerror}") from None
