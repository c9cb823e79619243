"""A sensible quick player."""

from cardkit.batch import random_action
from cardkit.jit import kernel


@kernel
def policy(rules, state, rng):
    """Placeholder while the rest is built."""
    return random_action(rules, state, rng)
