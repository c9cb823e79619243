"""A sensible quick player: the rule-based choice, used as a bot and to play games out.

It bids the number of sets its hand is worth under the truf it would call, or a nil where no card is likely to win, with
as few cards as make the number; it plays its cards
for the points that the sets won and missed would give (`_playing.py`). The fitted numbers
come from a random coordinate search that maximised points a hand against a simple player and earlier versions of this.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from truf._bidding import deck_mask, hand_size, legal_lays, legal_shifts, suit_mask
from truf._playing import choose_card
from truf._scoring import is_nil
from truf._worth import WORST, hand_worth, nil_chance, points
from truf.cards import ACE, COURTS, RANKS, SUITS
from truf.rules import NO_PADDING
from truf.state import BID, DECLINE, DONE, LOWER, NONE, SHIFT

# What a bid is worth.
_BID_SCALE, _BID_SHIFT = 1.14, -0.48  # sets that the hand takes, against the worth of its cards
_BID_SPREAD = 0.15  # variance of the sets taken, a card of the hand
_BID_STEEPNESS, _BID_SOFTNESS, _BID_MISS = 0.53, 1.77, 0.9
_OTHERS_BID, _SUM_SPREAD = 1.0, 1.1  # sum of the other bids and width of all, in hand sizes: HIGH or LOW
_TOP_FROM, _TOP_OVER = 4.3, 1.07  # a bid of the first never calls truf, one higher by the second always does
_SHIFT_MISS = 0.01

_NIL_GAIN, _NIL_LOSS = 1.6, 19.0  # points that a nil made or failed is worth beyond what the rules pay

_NUMBERS = np.uint64(0x1FF)  # the ranks 2 to 10 of a suit
_VALUE_OF_TWO = np.uint64(2)


@kernel
def policy(rules, state, rng):
    """The rule-based choice of the seat to move; reads only what that seat knows. Uses no randomness."""
    if state.phase == BID:
        return _choose_lay(rules, state)
    if state.phase == SHIFT:
        return choose_shift(rules, state)
    return choose_card(rules, state)


# Bidding


@kernel
def _choose_lay(rules, state):
    """The next card of the planned bid; DONE when it lies, or when something else does."""
    laid = state.laid[int(state.actor)]
    legal = legal_lays(rules, state)
    plan = plan_bid(rules, state.hands[int(state.actor)])
    left = plan & ~laid & legal
    if laid & ~plan == bits.ZERO and left != bits.ZERO:
        return bits.lowest(left)
    return DONE if bits.has(legal, DONE) else bits.lowest(legal)


@kernel
def plan_bid(rules, hand):
    """The cards to lay for the most valuable bid of a hand."""
    unseen = deck_mask(rules) & ~hand
    size = int(hand_size(rules))
    plan = bits.bit(bits.lowest(hand))
    best = WORST
    if hand & COURTS != bits.ZERO:
        best = _nil_points(rules, hand, unseen)
        plan = _nil_card(hand)
    others_call = hand_worth(rules, hand, unseen, NONE)[0]
    for truf in range(NONE, SUITS):
        own_call = others_call if truf == NONE else hand_worth(rules, hand, unseen, truf)[0]
        for bid in range(1, size + 1):
            cards = _cards_for(rules, hand, bid, truf)
            if cards == bits.ZERO:
                continue
            top = min(1.0, max(0.0, (bid - _TOP_FROM) / _TOP_OVER))
            sets = top * own_call + (1.0 - top) * others_call
            value = _bid_points(bid, size, sets, _BID_MISS)
            if value > best:
                best = value
                plan = cards
    return plan


@kernel
def _bid_points(bid, size, worth, miss):
    """Points to expect from a bid by a hand of some worth, with the mode that the sum of bids will probably give."""
    sets = _BID_SCALE * worth + _BID_SHIFT
    spread = (_BID_SPREAD * size + _BID_SOFTNESS) / _BID_STEEPNESS
    high = min(1.0, max(0.0, 0.5 + (bid + _OTHERS_BID * size - size) / (_SUM_SPREAD * size)))  # chance that it is HIGH
    return points(bid, size, sets, spread, float(bid), 2.0 - high, 1.0 + high, miss)


@kernel
def _nil_points(rules, hand, unseen):
    """Points to expect from a nil."""
    chance = nil_chance(rules, hand, unseen)
    return (rules.nil_bonus + _NIL_GAIN) * chance + (rules.nil_fail - _NIL_LOSS) * (1.0 - chance)


@kernel
def _nil_card(hand):
    """The lowest court card of the longest suit that has one: it can be ducked best."""
    best = 0
    length = -1
    courts = hand & COURTS
    while courts != bits.ZERO:
        card = bits.lowest(courts)
        courts = bits.without_lowest(courts)
        count = bits.count(hand & suit_mask(card // RANKS))
        if count > length:
            length = count
            best = card
    return bits.bit(best)


@kernel
def _cards_for(rules, hand, bid, truf):
    """The fewest cards, three at most, that bid a number and call a truf (or none: two suits); empty where none do."""
    if truf == NONE:
        return _two_suits_for(rules, hand, bid)
    values = _values_of(hand, truf)
    if bits.has(values, bid):
        return _card_of(truf, bid)
    if rules.max_bid_cards == 1:
        return bits.ZERO
    first = _first_of_pair(values, values, bid, (bid + 1) // 2)
    if first > 0:
        return _card_of(truf, first) | _card_of(truf, bid - first)
    if rules.max_bid_cards == 2:
        return bits.ZERO
    lows = values & bits.below(bid // 3)
    while lows != bits.ZERO:
        low = bits.lowest(lows)
        rest = bid - low
        middle = _first_of_pair(values & ~bits.below(low + 1), values, rest, (rest + 1) // 2)
        if middle > 0:
            return _card_of(truf, low) | _card_of(truf, middle) | _card_of(truf, rest - middle)
        lows = bits.without_lowest(lows)
    return bits.ZERO


@kernel
def _two_suits_for(rules, hand, bid):
    """Two cards of different suits that bid a number, so that nothing is truf: with a court, or adding up."""
    if rules.max_bid_cards == 1:
        return bits.ZERO
    for first in range(SUITS):
        values = _values_of(hand, first)
        courts = hand & COURTS & ~suit_mask(first)
        if bits.has(values, bid) and courts != bits.ZERO and rules.padding != NO_PADDING:
            return _card_of(first, bid) | bits.bit(bits.lowest(courts))
        for second in range(SUITS):
            value = _first_of_pair(values, _values_of(hand, second), bid, bid) if first != second else 0
            if value > 0:
                return _card_of(first, value) | _card_of(second, bid - value)
    return bits.ZERO


@kernel
def _values_of(hand, suit):
    """The bid values 1..10 that a hand has in a suit: bit v for value v [R6]."""
    ranks = hand >> np.uint64(suit * RANKS)
    return (ranks & _NUMBERS) << _VALUE_OF_TWO | (ranks >> np.uint64(ACE) & bits.ONE) << bits.ONE


@kernel
def _card_of(suit, value):
    """The card of a suit with a bid value 1..10 [R6]."""
    return bits.bit(suit * RANKS + (ACE if value == 1 else value - 2))


@kernel
def _first_of_pair(firsts, seconds, bid, end):
    """The lowest of some values under `end` that makes a bid with one of `seconds`; 0 where none does."""
    rest = firsts & bits.below(end)
    while rest != bits.ZERO:
        value = bits.lowest(rest)
        if bits.has(seconds, bid - value):
            return value
        rest = bits.without_lowest(rest)
    return 0


@kernel
def choose_shift(rules, state):
    """The shift after which the own bid fits the hand best."""
    seat = int(state.actor)
    hand = state.hands[seat]
    size = int(hand_size(rules))
    unseen = deck_mask(rules) & ~hand
    worth = hand_worth(rules, hand, unseen, int(state.truf))[0]
    revealed = int(state.final_bids[seat])
    best = 0
    best_value = WORST
    legal = legal_shifts(rules, state)
    while legal != bits.ZERO:
        action = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        change = 0
        if action < DECLINE:
            change = action + 1 if action < LOWER else LOWER - 1 - action
        bid = max(0, revealed + change)
        value = _bid_points(bid, size, worth, _SHIFT_MISS)
        if is_nil(rules, revealed, bid):
            value = _nil_points(rules, hand, unseen)
        if value > best_value:
            best_value = value
            best = action
    return best
