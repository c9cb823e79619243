"""How likely a world makes the bids that have been seen."""

from cardkit.jit import kernel


@kernel
def likelihood(rules, state, seat):
    """How likely, up to a factor, a world makes what the seat has seen of the others."""
    return 1.0
