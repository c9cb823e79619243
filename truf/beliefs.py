"""Who knows what."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from truf._tricks import BYTE, covered_cards, suit_of, trick_card
from truf.rules import SEATS
from truf.state import BID, FACE_DOWN


@kernel
def hide(rules, state, seat):
    """Leave of every other hand what has been seen of it: shown bid cards and open plays. Modified in place: `state`.

    While bids are laid, nobody else's cards, their number or whose turn it is can be seen: a seat that waits is shown
    that seat 0 acts, one that is done that its neighbour acts [R12]. A card that lies face down becomes 52 + its suit.
    """
    if state.phase == BID:
        for other in range(SEATS):
            if other != seat:
                state.hands[other] = bits.ZERO
                state.laid[other] = bits.ZERO
        if seat > state.actor:
            state.actor = 0
        elif seat < state.actor:
            state.actor = seat + 1
        return
    _cover_trick(rules, state, seat)
    for other in range(SEATS):
        if other != seat:
            state.hands[other] = (state.hands[other] & state.played) | state.laid[other]


@kernel
def _cover_trick(rules, state, seat):
    """Take back the ranks of the cards that lie face down before a seat. Modified in place: `state`."""
    covered = covered_cards(rules, state, seat)
    state.played &= ~covered
    for i in range(int(state.trick_size)):
        card = trick_card(state, i)
        if card < FACE_DOWN and bits.has(covered, card):
            place = np.uint64(8 * i)
            state.trick = (state.trick & ~(BYTE << place)) | (np.uint64(FACE_DOWN + suit_of(card) + 1) << place)
