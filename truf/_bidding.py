"""Dealing, laying bid cards, the ladder that finds the top bidder, and the shift of a sum that equals the hand size."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, stack_bytes
from cardkit.rng import integer
from truf.cards import ACE, BID_VALUE, COURTS, HIGH_CARDS, LOW_CARDS, RANKS, SUITS
from truf.rules import (
    ACE_LOW,
    ANY_AMOUNT,
    DECLINE_HIGH,
    DECLINE_LOW,
    MIXED_ABOVE_SPADES,
    MIXED_STRONGEST_SUIT,
    MUST_SHIFT,
    NEGATIVE,
    NO_AMOUNT,
    NO_PADDING,
    PAGAT,
    SEATS,
)
from truf.state import (
    BID,
    CHOOSE_HIGH,
    CHOOSE_LOW,
    DECLINE,
    DONE,
    HIGH,
    LOW,
    LOWER,
    NEUTRAL,
    NONE,
    PLAY,
    RAISE,
    SHIFT,
    UNSETTLED,
)

SUIT = np.uint64((1 << RANKS) - 1)  # the cards of suit 0


@kernel
def suit_mask(suit):
    """All cards of a suit."""
    return SUIT << np.uint64(suit * RANKS)


@kernel
def hand_size(rules):
    """Cards a seat is dealt: also the number of tricks, and the threshold for the sum of bids [R1, R21]."""
    return rules.num_suits * bits.count(np.uint64(rules.ranks)) // SEATS


@kernel
def deck_mask(rules):
    """All cards of the game."""
    deck = bits.ZERO
    for suit in range(SUITS - rules.num_suits, SUITS):
        deck |= np.uint64(rules.ranks) << np.uint64(suit * RANKS)
    return deck


@kernel
def clear_hand(state):
    """Put away everything that belongs to one hand. Modified in place: `state`."""
    for seat in range(SEATS):
        state.hands[seat] = bits.ZERO
        state.laid[seat] = bits.ZERO
        state.final_bids[seat] = 0
        state.sets[seat] = 0
        state.voids[seat] = 0
    state.played = bits.ZERO
    state.trick = bits.ZERO
    state.actor = 0
    state.leader = 0
    state.top_bidder = NONE
    state.truf = NONE
    state.mode = UNSETTLED
    state.unlocked = 0
    state.tricks_done = 0
    state.trick_size = 0
    state.winner = NONE


@kernel
def deal_hands(rules, state, rng):
    """Deal the whole pack, again while a freak hand must not stand [R1, R4]. Modified in place: `state`, `rng`."""
    clear_hand(state)
    state.phase = BID
    while True:
        _shuffle(rules, state, rng)
        has_freak = False
        for seat in range(SEATS):
            has_freak = has_freak or is_freak(state.hands[seat])
        if rules.redeal != PAGAT or not has_freak:
            return


@kernel
def is_freak(hand):
    """Whether a hand is made only of 2-10, or only of A, K, Q, J [R4]."""
    return hand & HIGH_CARDS == bits.ZERO or hand & LOW_CARDS == bits.ZERO


@kernel
def _shuffle(rules, state, rng):
    """A partial Fisher-Yates shuffle; the last seat gets what is left."""
    deck = stack_bytes()
    left = 0
    for suit in range(SUITS - rules.num_suits, SUITS):
        ranks = np.uint64(rules.ranks)
        while ranks != bits.ZERO:
            deck[left] = suit * RANKS + bits.lowest(ranks)
            ranks = bits.without_lowest(ranks)
            left += 1
    size = left // SEATS
    for seat in range(SEATS):
        hand = bits.ZERO
        for _ in range(size):
            place = integer(rng, left) if seat < SEATS - 1 else left - 1
            left -= 1
            hand |= bits.bit(deck[place])
            deck[place] = deck[left]
        state.hands[seat] = hand


@kernel
def bid_value(cards):
    """The sum of the bid values of a set of cards [R6, R10]."""
    value = 0
    while cards != bits.ZERO:
        value += BID_VALUE[bits.lowest(cards) % RANKS]
        cards = bits.without_lowest(cards)
    return value


@kernel
def legal_lays(rules, state):
    """The cards that may be laid next, and DONE once one lies [R8-R14]."""
    seat = int(state.actor)
    laid = state.laid[seat]
    if laid == bits.ZERO:
        return state.hands[seat]
    done = bits.bit(DONE)
    most = rules.max_bid_cards if rules.max_bid_cards > 0 else RANKS
    if bits.count(laid) >= most:
        return done
    more = state.hands[seat] & ~bits.below(bits.highest(laid) + 1)
    if rules.padding == NO_PADDING:
        more = bits.ZERO if laid & COURTS != bits.ZERO else more & ~COURTS
    if rules.bid_cap > 0:
        more = _worth_at_most(more, rules.bid_cap - bid_value(laid))
    return more | done


@kernel
def _worth_at_most(cards, value):
    """The cards with a bid value of no more than that."""
    kept = bits.ZERO
    while cards != bits.ZERO:
        card = bits.lowest(cards)
        if BID_VALUE[card % RANKS] <= value:
            kept |= bits.bit(card)
        cards = bits.without_lowest(cards)
    return kept


@kernel
def lay(rules, state, action):
    """Lay a bid card, or finish the bid; after the fourth bid all are revealed [R8]. Modified in place: `state`."""
    if action != DONE:
        state.laid[int(state.actor)] |= bits.bit(action)
    elif state.actor < SEATS - 1:
        state.actor += 1
    else:
        _reveal(rules, state)


@kernel
def _reveal(rules, state):
    """Find top bidder, truf and mode [R18-R23]. Modified in place: `state`."""
    best = -1
    total = 0
    for seat in range(SEATS):
        value = bid_value(state.laid[seat])
        state.final_bids[seat] = value
        total += value
        rung = ladder_rung(rules, state.laid[seat])
        if rung > best:
            best = rung
            state.top_bidder = seat
    state.truf = truf_of(state.laid[int(state.top_bidder)])
    state.actor = state.top_bidder
    threshold = hand_size(rules)
    if total == threshold:
        state.phase = SHIFT
    else:
        state.mode = HIGH if total > threshold else LOW
        state.phase = PLAY


@kernel
def truf_of(laid):
    """The suit of laid cards that share one, else -1 [R18]."""
    suit = bits.lowest(laid) // RANKS
    return suit if laid & ~suit_mask(suit) == bits.ZERO else NONE


@kernel
def ladder_rung(rules, laid):
    """A number that orders bids as the ladder does [R19]: value, single card, suit class, strongest suit, best rank."""
    strongest = bits.highest(laid) // RANKS
    suit_class = strongest + 1
    if truf_of(laid) == NONE and rules.mixed_tie != MIXED_STRONGEST_SUIT:
        suit_class = SUITS + 1 if rules.mixed_tie == MIXED_ABOVE_SPADES else 0
    in_suit = laid & suit_mask(strongest)
    rank = 0
    while in_suit != bits.ZERO:
        rank = max(rank, play_rank(rules, bits.lowest(in_suit) % RANKS))
        in_suit = bits.without_lowest(in_suit)
    is_single = 1 if bits.count(laid) == 1 else 0
    return (((bid_value(laid) * 2 + is_single) * 8 + suit_class) * 4 + strongest) * 16 + rank


@kernel
def play_rank(rules, rank):
    """0..12, higher beats lower in a suit [R5]."""
    if rules.ace_play == ACE_LOW:
        return 0 if rank == ACE else rank + 1
    return rank


@kernel
def legal_shifts(rules, state):
    """What the top bidder may do about a sum that equals the hand size [R24, R25]."""
    if rules.sum13_amount == NO_AMOUNT:
        mask = bits.bit(CHOOSE_HIGH) | bits.bit(CHOOSE_LOW)
    else:
        amounts = hand_size(rules) if rules.sum13_amount == ANY_AMOUNT else 1
        mask = (bits.below(amounts) << np.uint64(RAISE)) | (bits.below(amounts) << np.uint64(LOWER))
    return mask if rules.sum13_decline == MUST_SHIFT else mask | bits.bit(DECLINE)


@kernel
def shift(rules, state, action):
    """Shift all bids by one amount, or choose a mode; then play begins [R23-R31]. Modified in place: `state`."""
    change = 0
    if action == DECLINE:
        is_high = rules.sum13_decline == DECLINE_HIGH
        state.mode = HIGH if is_high else (LOW if rules.sum13_decline == DECLINE_LOW else NEUTRAL)
    elif action >= CHOOSE_HIGH:
        state.mode = HIGH if action == CHOOSE_HIGH else LOW
    elif action >= LOWER:
        state.mode = LOW
        change = LOWER - 1 - action
    else:
        state.mode = HIGH
        change = action + 1
    for seat in range(SEATS):
        bid = int(state.final_bids[seat]) + change
        state.final_bids[seat] = bid if bid >= 0 or rules.sum13_floor == NEGATIVE else 0
    state.phase = PLAY
