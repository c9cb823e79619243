"""What has become slower: the main figures against a fixed loop, and against what was kept in `ratchet.json`.

    python -m experiments.ratchet            measure and compare; exit code 1 where something takes 15 % more time
    python -m experiments.ratchet --keep     measure and keep

A *cost* is the processor time that one decision, world or simulation takes, in steps of `loops.reference_loop`, which
is timed just before each repeat. So a slower machine, or one that is busy, changes both, and the cost little; what
differs between processors (caches, branch prediction) it does not take out: keep anew on another model. What looks
slower is measured again, in other processes, before it is called slower: the lowest of three counts, as is kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np

from cardkit.spec import InvalidRules
from experiments.benches import play_case, search_case, step_case, world_case
from experiments.commands import CONTEXT, FAULT, Command, plain_errors
from experiments.games import game_names, make_game
from experiments.loops import reference_loop
from experiments.measuring import (
    FULL,
    Case,
    Scale,
    enough,
    machine,
    machine_in_words,
    seconds_of,
    show_number,
    write_json,
)
from experiments.processes import ProcessDied, one_process
from experiments.spec import versions
from experiments.tables import console, plain_table

KEPT = Path(__file__).resolve().parent / "ratchet.json"
MOST = 1.15  # times the cost that was kept
REPEATS = 9
PROCESSES = 3  # that are measured where costs are kept
SAME, SLOWER, FASTER, NEW, GONE = "", "slower", "faster", "new", "no longer measured"
_SEED = np.uint64(88172645463325252)
_STEPS = 1000
_STEP_SIZE, _ITERATIONS = 16_384, 2_000
_BOTS = ("ismcts:rollout=random", "ismcts", "moismcts")


@dataclass(frozen=True)
class Change:
    """How a cost compares with the one that was kept.

    Attributes:
        name: what it is the cost of.
        kept, now: steps of the reference loop; None where it was not kept, or is no longer measured.
    """

    name: str
    kept: float | None
    now: float | None

    @property
    def ratio(self) -> float | None:
        """The cost now to the cost kept: 1.2 takes 20 % more time."""
        return self.now / self.kept if self.now is not None and self.kept is not None else None

    @property
    def verdict(self) -> str:
        """In a word what has become of it."""
        if self.ratio is None:
            return NEW if self.kept is None else GONE
        if self.ratio > MOST:
            return SLOWER
        return FASTER if self.ratio < 1 / MOST else SAME


def changes(kept: Mapping[str, float], now: Mapping[str, float]) -> list[Change]:
    """Every cost that was kept or is measured, in the order of measuring; what is gone comes last."""
    names = [*now, *(name for name in kept if name not in now)]
    return [Change(name, kept.get(name), now.get(name)) for name in names]


def read_kept(file: Path) -> dict[str, Any]:
    """What was kept: `machine` and `costs` by name.

    Raises:
        InvalidRules: there is no such file, or it holds something else.
    """
    try:
        data = json.loads(file.read_text())
        costs = data["costs"]
        are_costs = bool(costs) and all(isfinite(cost) and cost > 0 for cost in costs.values())
        if are_costs and isinstance(data["machine"], dict):
            return dict(data)
    except OSError as error:
        raise InvalidRules(f"cannot read {file.name}: {error.strerror}; 'make bench-keep' measures it") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise InvalidRules(f"{file.name} does not hold costs above 0 by name: 'make bench-keep' measures them")


def write_kept(file: Path, costs: Mapping[str, float]) -> None:
    """Keep costs, with the machine and the versions that they were measured with.

    Raises:
        InvalidRules: the file cannot be written.
    """
    rounded = {name: float(f"{cost:.4g}") for name, cost in costs.items()}
    write_json(file, {"machine": machine(), "versions": versions(), "costs": rounded})


def main_cases(scale: Scale) -> dict[str, Callable[[], Case]]:
    """What makes the main figures of every game, by name; each gives a rate as its last number."""
    found: dict[str, Callable[[], Case]] = {}
    size, iterations = min(_STEP_SIZE, scale.step_sizes[-1]), min(_ITERATIONS, scale.iterations[-1])
    for name in game_names():
        game = make_game(name, **make_game(name).bench_options)
        found |= {
            f"{name}: a random decision": partial(play_case, game, "random", 1, scale),
            f"{name}: a heuristic decision": partial(play_case, game, "heuristic", 1, scale),
            f"{name}: a decision of batch.step, {size:,} games": partial(step_case, game, size, 1, scale),
            f"{name}: a world, halfway in a deal": partial(world_case, game, "halfway", 1, scale),
        }
        for bot in _BOTS:
            found[f"{name}: a simulation of {bot}"] = partial(search_case, game, bot, iterations, 1, scale)
    return found


def costs_of(cases: Mapping[str, Case], scale: Scale, repeats: int) -> dict[str, float]:
    """The cost of each case, in steps of the reference loop timed just before: medians over the repeats."""
    loops = enough(lambda times: reference_loop(_SEED, _STEPS * times), scale.seconds / 2)
    reference = Case((), lambda _: (seconds_of(lambda: reference_loop(_SEED, _STEPS * loops)) / (_STEPS * loops),))
    found: dict[str, list[float]] = {name: [] for name in cases}
    for repeat in range(-1, repeats):  # the first warms up
        for name, case in cases.items():
            (step,) = reference.measured(0)
            rate = case.measured(max(0, repeat))[-1]
            if repeat >= 0:
                found[name].append(1 / rate / step)
    return {name: median(values) for name, values in found.items()}


def costs_now(kept: Mapping[str, float]) -> dict[str, float]:
    """The costs now; what looks slower than kept is measured once or twice more, and the lowest cost counts."""
    now = dict(in_process_of_its_own(main_costs))
    for _ in range(PROCESSES - 1):
        if suspects := [one.name for one in changes(kept, now) if one.verdict == SLOWER]:
            now |= {name: min(cost, now[name]) for name, cost in in_process_of_its_own(main_costs, suspects).items()}
    return now


def lowest_costs() -> dict[str, float]:
    """The lowest cost of each case in several processes: what is kept too high would hide what becomes slower."""
    found = [in_process_of_its_own(main_costs) for _ in range(PROCESSES)]
    return {name: min(costs[name] for costs in found) for name in found[0]}


def main_costs(names: Iterable[str] | None = None) -> dict[str, float]:
    """The costs of the main figures, or of those with these names."""
    makers = main_cases(FULL)
    return costs_of({name: makers[name]() for name in (makers if names is None else names)}, FULL, REPEATS)


def in_process_of_its_own(action: Callable[..., Any], *arguments: Any) -> Any:
    """The answer of a function in a new process.

    Where its memory lies makes a tenth more or less of a search's time, and does not change while it lives.

    Raises:
        InvalidRules: the process was killed.
    """
    with one_process() as process:
        try:
            return process.submit(action, *arguments).result()
        except ProcessDied:
            raise InvalidRules("the process that measures was killed") from None


def show_changes(found: Iterable[Change], kept_on: Mapping[str, Any]) -> bool:
    """Print a table of all costs, and what has become slower. Whether nothing has."""
    found, out, here = list(found), console(), machine()
    table = plain_table("costs, in steps of the reference loop", "what", "kept", "now", "now / kept", "")
    for change in found:
        numbers = (show_number(value) if value is not None else "-" for value in (change.kept, change.now))
        ratio = f"{change.ratio:.2f}" if change.ratio is not None else "-"
        table.add_row(change.name, *numbers, ratio, change.verdict)
    out.print(table)
    if kept_on.get("processor") != here["processor"]:
        out.print(f"kept on another processor ({kept_on.get('processor')}): costs may differ by themselves")
    slower = [change.name for change in found if change.verdict == SLOWER]
    if not slower:
        out.print(f"nothing takes more than {MOST - 1:.0%} more time than kept")
    for name in slower:
        out.print(f"slower by more than {MOST - 1:.0%}: {name}")
    return not slower


@click.command(cls=Command, context_settings=CONTEXT)
@click.option("--keep", "is_keeping", is_flag=True, help="Keep what is measured now.")
def main(is_keeping: bool) -> None:
    """Measure the main figures against a fixed loop, and say what takes over 15 % more time than was kept."""
    with plain_errors():
        console().print(machine_in_words(machine()))
        if is_keeping:
            found = lowest_costs()
            write_kept(KEPT, found)
            console().print(f"kept {len(found)} costs in {KEPT.name}")
            return
        kept = read_kept(KEPT)
        is_fine = show_changes(changes(kept["costs"], costs_now(kept["costs"])), kept["machine"])
    sys.exit(0 if is_fine else FAULT)


if __name__ == "__main__":
    main()
