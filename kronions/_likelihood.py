"""How likely a world makes the bids that have been seen."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, stack_bytes
from kronions._dealing import next_seat
from kronions.policy import choose_bid
from kronions.rules import MAX_SEATS
from kronions.state import BID, NO_BID

# Of a bid so many tricks from the policy's, against the policy's own bid. Fitted to 1,200 bids of a field in which half
# follow the policy and half the frozen baseline of the tests, 2 to 6 seats; the last holds for all larger distances.
FIT = np.array([1.0, 0.19, 0.07, 0.02, 0.01])


@kernel
def likelihood(rules, state, seat):
    """How likely, up to a factor, a world makes the bids that the seat has seen of the others.

    The record goes back to the bidding, where the policy is asked for each bid with the hand dealt and the bids before
    it, and is then put right again: afterwards it is what it was.
    """
    phase, actor, played = int(state.phase), int(state.actor), state.played
    tricks_done, trick_size = int(state.tricks_done), int(state.trick_size)
    kept = stack_bytes()  # bids + 1, then paradox cards played
    for other in range(rules.num_players):
        kept[other] = state.bids[other] + 1
        kept[MAX_SEATS + other] = state.paradox_played[other]
        state.bids[other] = NO_BID
        state.paradox_played[other] = 0
    state.phase, state.played, state.tricks_done, state.trick_size = BID, bits.ZERO, 0, 0
    fit = _bidding_fit(rules, state, seat, kept)
    state.phase, state.actor, state.played = phase, actor, played
    state.tricks_done, state.trick_size = tricks_done, trick_size
    for other in range(rules.num_players):
        state.paradox_played[other] = kept[MAX_SEATS + other]
    return fit


@kernel
def _bidding_fit(rules, state, seat, kept):
    """Make the bids that were made once more; returns how well those of the others fit. Modified in place: `state`."""
    fit = 1.0
    bidder = next_seat(rules, int(state.dealer))
    for _ in range(rules.num_players):
        bid = int(kept[bidder]) - 1
        if bid == NO_BID:
            break
        if bidder != seat:
            state.actor = bidder
            fit *= FIT[min(abs(choose_bid(rules, state) - bid), FIT.size - 1)]
        state.bids[bidder] = bid
        bidder = next_seat(rules, bidder)
    return fit
