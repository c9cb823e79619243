"""Which legal actions are worth searching."""

from cardkit.jit import kernel
from kronions.kernels import legal_mask


@kernel
def sensible_mask(rules, state):
    """The legal actions worth searching, never none."""
    return legal_mask(rules, state)
