"""How likely a world makes the bids that have been seen."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from truf._bidding import bid_value, truf_of
from truf.policy import plan_bid
from truf.rules import SEATS
from truf.state import BID

# Of a bid so many sets from the policy's, against the policy's own bid. Fitted to 1,200 bids of a field in which half
# follow the policy and half the frozen baseline of the tests; the last holds for all larger distances, and between a
# nil and another bid.
FIT = np.array([1.0, 0.1, 0.06, 0.03, 0.02])
OTHER_TRUF = 0.15  # where the bid would call another truf than the policy's


@kernel
def likelihood(rules, state, seat):
    """How likely, up to a factor, a world makes the bids that the seat has seen of the others; 1 before the reveal.

    The policy bids by its hand alone, and lays no card that is not in it: it is asked for each whole hand.
    """
    fit = 1.0
    if state.phase == BID:
        return fit
    for other in range(SEATS):
        if other != seat and state.laid[other] != bits.ZERO:
            fit *= _bid_fit(rules, state.hands[other], state.laid[other])
    return fit


@kernel
def _bid_fit(rules, hand, laid):
    """How well the cards laid fit what the policy would lay from the hand: bid value, nil or not, and truf."""
    plan = plan_bid(rules, hand)
    planned, bid = bid_value(plan), bid_value(laid)
    distance = abs(planned - bid) if (planned == 0) == (bid == 0) else FIT.size
    fit = FIT[min(distance, FIT.size - 1)]
    return fit if truf_of(plan) == truf_of(laid) else fit * OTHER_TRUF
