"""Who knows what."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from truf._tricks import BYTE, is_face_down, next_seat, suit_of, trick_card
from truf.rules import SEATS
from truf.state import BID, FACE_DOWN, PLAY


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
    """Take back the ranks of the cards that lie face down before other seats. Modified in place: `state`."""
    if state.phase != PLAY or state.trick_size == 0:
        return
    led = suit_of(trick_card(state, 0))
    player = int(state.leader)
    for i in range(int(state.trick_size)):
        card = trick_card(state, i)
        if player != seat and card < FACE_DOWN and is_face_down(rules, state, suit_of(card), led):
            state.played &= ~bits.bit(card)
            place = np.uint64(8 * i)
            state.trick = (state.trick & ~(BYTE << place)) | (np.uint64(FACE_DOWN + suit_of(card) + 1) << place)
        player = next_seat(rules, state, player)
