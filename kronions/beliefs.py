"""Who knows what."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from kronions.cards import PARADOX


@kernel
def hide(rules, state, seat):
    """Leave of every other hand only what has been played; the stock is in no field. Modified in place: `state`."""
    for other in range(rules.num_players):
        if other != seat:
            shown = bits.below(int(state.paradox_played[other])) << np.uint64(PARADOX)
            state.hands[other] = (state.hands[other] & state.played) | shown
