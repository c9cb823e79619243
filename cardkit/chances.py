"""Smooth curves for estimates of chances, from operations that give the same bits on every processor."""

import numpy as np

from cardkit.jit import kernel


@kernel
def weight_of(x):
    """Nearly e to the power x: the 16th power of x / 16 + sqrt(1 + (x / 16)^2)."""
    part = abs(x) / 16.0
    root = part + np.sqrt(1.0 + part * part)
    square = root * root
    fourth = square * square
    weight = fourth * fourth * fourth * fourth
    return weight if x >= 0.0 else 1.0 / weight


@kernel
def odds_of(x):
    """The odds that a lead of x holds, x being 1.6 standard deviations: nearly those under a normal distribution."""
    return weight_of(x * (1.0 + x * x / 58.0))
