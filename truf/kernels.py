"""The verbs of Truf: what is legal, what happens, when it ends and what it is worth.

Bidding, tricks and scoring have closets of their own: `_bidding.py`, `_tricks.py`, `_scoring.py`.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import absorb, short_hash
from cardkit.verbs import CHANCE, OVER
from truf._bidding import bid_value, clear_hand, deal_hands, hand_size, lay, legal_lays, legal_shifts, shift
from truf._scoring import has_winner, seat_points
from truf._tricks import is_face_down, led_suit, legal_plays, play, suit_of, trick_card
from truf.cards import RANKS, SUITS
from truf.rules import SEATS
from truf.state import BID, DEAL_HANDS, FACE_DOWN, GAME_OVER, NONE, PLAY, SHIFT


@kernel
def new_game(rules, state):
    """Empty the record; the first node deals. Modified in place: `state`."""
    for seat in range(SEATS):
        state.totals[seat] = 0
    clear_hand(state)
    state.hands_done = 0
    state.phase = DEAL_HANDS


@kernel
def to_move(rules, state):
    """The seat to act, `CHANCE` or `OVER`."""
    if state.phase == DEAL_HANDS:
        return CHANCE
    return OVER if state.phase == GAME_OVER else int(state.actor)


@kernel
def chance_event(rules, state):
    """The pending chance event: the number of the hand, since a hand has only its deal."""
    return int(state.hands_done)


@kernel
def chance(rules, state, rng):
    """Deal a hand. Modified in place: `state`, `rng`."""
    deal_hands(rules, state, rng)


@kernel
def legal_mask(rules, state):
    """The legal actions of the seat to move; empty at a chance node and at the end."""
    if state.phase == PLAY:
        return legal_plays(rules, state)
    if state.phase == BID:
        return legal_lays(rules, state)
    return legal_shifts(rules, state) if state.phase == SHIFT else bits.ZERO


@kernel
def apply(rules, state, action):
    """Lay a bid card, shift the bids or play a card. Modified in place: `state`."""
    if state.phase == PLAY:
        play(rules, state, action)
    elif state.phase == BID:
        lay(rules, state, action)
    else:
        shift(rules, state, action)


@kernel
def returns(rules, state, out):
    """Fill `out[seat]` with the totals [R52]."""
    for seat in range(SEATS):
        out[seat] = state.totals[seat]


@kernel
def places(rules, state, place, share):
    """Fill `place[seat]` with 1 + the seats ahead, and `share[seat]` with the share of the win [R49-R52]."""
    first = 0
    for seat in range(SEATS):
        place[seat] = 1
        for other in range(SEATS):
            if state.totals[other] > state.totals[seat]:
                place[seat] += 1
        if place[seat] == 1:
            first += 1
    for seat in range(SEATS):
        share[seat] = 1.0 / first if place[seat] == 1 else 0.0


@kernel
def outcome(rules, state):
    """0 where the target decided, 1 where the game ended at the cap of hands [R49-R51]."""
    return 0 if has_winner(rules, state) else 1


@kernel
def deals_done(rules, state):
    """How many hands are complete."""
    return int(state.hands_done)


@kernel
def deal_value(rules, state, out):
    """Fill `out[seat]` with the points of the last complete hand."""
    for seat in range(SEATS):
        out[seat] = seat_points(rules, state, seat)


@kernel
def deal_row(rules, state, seat, row):
    """Write the last complete hand of a seat as a row of `DEAL`. Modified in place: `row`."""
    row.hand = state.hands[seat]
    row.truf = state.truf if state.truf != NONE else SUITS
    row.mode = state.mode
    row.bid_cards = state.laid[seat]
    row.bid = bid_value(state.laid[seat])
    row.final_bid = state.final_bids[seat]
    row.sets = state.sets[seat]
    row.points = seat_points(rules, state, seat)
    row.total = state.totals[seat]
    row.is_top_bidder = 1 if state.top_bidder == seat else 0


@kernel
def seen_as(rules, state, action, observer):
    """Bid cards are secret until the reveal; of a card played face down others see the suit [R12, R38]."""
    if observer == state.actor or state.phase == SHIFT:
        return action
    if state.phase == BID:
        return -1
    suit = action // RANKS
    led = led_suit(state) if state.trick_size > 0 else suit
    is_last = state.trick_size == SEATS - 1  # it is turned up at once
    return FACE_DOWN + suit if is_face_down(rules, state, suit, led) and not is_last else action


@kernel
def news(rules, state, observer):
    """A hash of the new hand, of the revealed bids, or of the cards turned up after a trick; otherwise 0."""
    if state.phase == BID:
        is_dealt = state.actor == 0 and state.laid[0] == bits.ZERO
        return short_hash(absorb(np.uint64(1), state.hands[observer])) if is_dealt else 0
    if state.phase == SHIFT:
        return _bids_hash(state)
    if state.trick_size > 0 or (state.phase == DEAL_HANDS and state.hands_done == 0):
        return 0
    if state.tricks_done == 0:
        return 0 if _had_shift(rules, state) else _bids_hash(state)
    led = suit_of(trick_card(state, 0))
    for i in range(SEATS - 1):
        if is_face_down(rules, state, suit_of(trick_card(state, i)), led):
            return short_hash(absorb(np.uint64(3), state.trick))
    return 0


@kernel
def _bids_hash(state):
    """A hash of all laid cards."""
    digest = np.uint64(2)
    for seat in range(SEATS):
        digest = absorb(digest, state.laid[seat])
    return short_hash(digest)


@kernel
def _had_shift(rules, state):
    """Whether the revealed bids added up to the hand size, so that the top bidder had a choice."""
    total = 0
    for seat in range(SEATS):
        total += bid_value(state.laid[seat])
    return total == hand_size(rules)
