"""The luck of simulated games and boards, from normal to strongly skewed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
SHAPES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.standard_normal(shape, np.float32),
    "skew 2": lambda rng, shape: rng.standard_exponential(shape, np.float32) - 1,
    "skew 4": lambda rng, shape: 2 * rng.standard_gamma(0.25, shape, np.float32) - 0.5,
}

# Board differences with mean 0 and standard deviation 1.
GAPS: dict[str, Draw] = {
    **SHAPES,
    "skew -2": lambda rng, shape: -SHAPES["skew 2"](rng, shape),
    "skew -4": lambda rng, shape: -SHAPES["skew 4"](rng, shape),
    "-1, 0 or 1": lambda rng, shape: rng.choice([-1, 1, 0, 0, 0], shape) / np.sqrt(0.4),
}
