"""Compiled loops of the benchmarks: apart from `benches.py`, so that an edit there does not drop all compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardkit.jit import kernel, wrapping_kernel
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


@wrapping_kernel
def reference_loop(word: Any, steps: int) -> Any:
    """The measure of `ratchet.py`, which nothing may change: xorshift and a count of set bits, so many times.

    It calls nothing, so that no edit elsewhere makes it faster or slower. Source of the shifts: G. Marsaglia, "Xorshift
    RNGs" (2003).

    Returns:
        How many bits were set in all words together.
    """
    total = np.uint64(0)
    for _ in range(steps):
        word ^= word << np.uint64(13)
        word ^= word >> np.uint64(7)
        word ^= word << np.uint64(17)
        pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
        fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
        bytes_ = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return total
