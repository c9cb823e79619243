"""Compiled loops of the benchmarks: apart from `bench.py`, so that an edit there does not drop all compiled code."""

from __future__ import annotations

from typing import Any

from cardkit.jit import kernel
from cardkit.verbs import determinise, plan_worlds


@kernel
def plan_again(rules: Any, records: Any, seat: int, worlds: Any, times: int) -> float:
    """Prepare the worlds of the view in `records[0]` so many times; how many there are. Modified in place: `worlds`."""
    number = 0.0
    for _ in range(times):
        number = plan_worlds(rules, records[0], seat, worlds)
    return number


@kernel
def draw_worlds(rules: Any, records: Any, seat: int, worlds: Any, rng: Any, times: int) -> None:
    """Put so many worlds of the view in `records[0]` into `records[1]`. Modified in place: `worlds` and `rng` too."""
    for _ in range(times):
        records[1] = records[0]
        determinise(rules, records[1], seat, worlds, rng)
