"""A sensible quick player: the rule-based choice, used as a bot and to play games out.

It bids the number of sets its hand is worth under the truf it would call, or a nil where no card is likely to win, with
as few cards as make the number; it plays for the points that the sets won and missed would give. The fitted numbers
come from a random coordinate search that maximised points a hand against a simple player and earlier versions of this.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from truf._bidding import bid_value, deck_mask, hand_size, legal_lays, legal_shifts, suit_mask
from truf._scoring import is_nil
from truf._tricks import covered_cards, held, led_suit, legal_plays, next_seat, power, trick_card
from truf.cards import ACE, COURTS, RANKS, SUITS
from truf.rules import ACE_LOW, NO_PADDING, SEATS
from truf.state import BID, DECLINE, DONE, FACE_DOWN, HIGH, LOW, LOWER, NONE, SHIFT

# What a card is worth: 1 / (1 + a x higher + b x higher^2), `higher` being the higher cards of its suit with others.
_TRUF_FADES, _TRUF_FADES_FASTER = 0.08, 0.12
_SIDE_FADES, _SIDE_FADES_FASTER = 0.17, 0.34
_RUFFED = 1.86  # with a truf, a side suit card loses this / (1 + cards of its suit with each other seat)
_NO_TRUF = 0.79  # share of its worth that a card keeps where there is no truf: its suit must be led
_LONG_TRUF = 0.42  # sets for each truf beyond a quarter of the hand and one

# What a bid is worth.
_BID_SCALE, _BID_SHIFT = 1.14, -0.48  # sets that the hand takes, against the worth of its cards
_BID_SPREAD = 0.15  # variance of the sets taken, a card of the hand
_BID_STEEPNESS, _BID_SOFTNESS, _BID_MISS = 0.53, 1.77, 0.9
_OTHERS_BID, _SUM_SPREAD = 1.0, 1.1  # sum of the other bids and width of all, in hand sizes: HIGH or LOW
_TOP_FROM, _TOP_OVER = 4.3, 1.07  # a bid of the first never calls truf, one higher by the second always does
_SHIFT_MISS = 0.01

# A nil: chance that a card wins is d / (1 + h x higher^2), times c for each lower card of its suit held with it.
_NIL_DANGER, _NIL_HIGHER, _NIL_COVER = 0.535, 0.32, 0.475
_NIL_GAIN, _NIL_LOSS = 1.6, 19.0  # points that a nil made or failed is worth beyond what the rules pay

_NUMBERS = np.uint64(0x1FF)  # the ranks 2 to 10 of a suit
_VALUE_OF_TWO = np.uint64(2)

_WORST = -1e9  # less than any choice is worth

# Play.
_PLAY_STEEPNESS, _PLAY_SOFTNESS, _PLAY_MISS = 0.01, 1.65, 0.01
_PRESSURE = 0.5  # for each trick a seat that nobody wants any more
_BEATS = 0.35  # chance that a later seat which could beat a card does


@kernel
def policy(rules, state, rng):
    """The rule-based choice of the seat to move; reads only what that seat knows. Uses no randomness."""
    if state.phase == BID:
        return _choose_lay(rules, state)
    if state.phase == SHIFT:
        return choose_shift(rules, state)
    return _choose_card(rules, state)


# What the hand is worth


@kernel
def _above(rules, cards, card):
    """Those of some cards that beat a card in its suit [R5]."""
    same = cards & suit_mask(card // RANKS)
    if rules.ace_play != ACE_LOW:
        return same & ~bits.below(card)
    ace = bits.bit(card // RANKS * RANKS + ACE)
    return same & ~ace & ~bits.below(card) if card % RANKS != ACE else same


@kernel
def _worth(rules, card, unseen, truf):
    """Chance that a card takes a trick that is still to come."""
    suit = card // RANKS
    higher = bits.count(_above(rules, unseen, card))
    if suit == truf:
        return 1.0 / (1.0 + _TRUF_FADES * higher + _TRUF_FADES_FASTER * higher * higher)
    worth = 1.0 / (1.0 + _SIDE_FADES * higher + _SIDE_FADES_FASTER * higher * higher)
    if truf == NONE:
        return worth * _NO_TRUF
    length = bits.count(unseen & suit_mask(suit)) / (SEATS - 1)
    return worth * max(0.0, 1.0 - _RUFFED / (1.0 + length))


@kernel
def _hand_worth(rules, cards, unseen, truf):
    """Sets that the cards are worth with a truf, and their spread (a variance)."""
    sets = 0.0
    spread = 0.0
    rest = cards
    while rest != bits.ZERO:
        worth = _worth(rules, bits.lowest(rest), unseen, truf)
        sets += worth
        spread += worth * (1.0 - worth)
        rest = bits.without_lowest(rest)
    if truf != NONE:
        sets += _LONG_TRUF * max(0.0, bits.count(cards & suit_mask(truf)) - 0.25 * bits.count(cards) - 1.0)
    return sets, spread


@kernel
def _points(needed, left, sets, spread, bonus, extra, missing, miss):
    """Points to expect where so many sets are needed and the cards left are worth so many.

    `bonus` is paid for the exact number, `extra` and `missing` are lost for each set over and under it.
    """
    if needed < 0:
        return extra * (needed - max(0.0, sets) * miss)
    if needed > left:
        return -missing * (needed - left + max(0.0, left - sets) * miss)
    gap = sets - needed
    cost = extra * gap if gap > 0 else -missing * gap
    return bonus / (1.0 + gap * gap / spread) - miss * cost


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
    best = _WORST
    if hand & COURTS != bits.ZERO:
        best = _nil_points(rules, hand, unseen)
        plan = _nil_card(hand)
    others_call = _hand_worth(rules, hand, unseen, NONE)[0]
    for truf in range(NONE, SUITS):
        own_call = others_call if truf == NONE else _hand_worth(rules, hand, unseen, truf)[0]
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
    return _points(bid, size, sets, spread, float(bid), 2.0 - high, 1.0 + high, miss)


@kernel
def _nil_points(rules, hand, unseen):
    """Points to expect from a nil."""
    chance = _nil_chance(rules, hand, unseen)
    return (rules.nil_bonus + _NIL_GAIN) * chance + (rules.nil_fail - _NIL_LOSS) * (1.0 - chance)


@kernel
def _nil_chance(rules, hand, unseen):
    """Chance that no card of the hand takes a trick."""
    chance = 1.0
    rest = hand
    while rest != bits.ZERO:
        card = bits.lowest(rest)
        rest = bits.without_lowest(rest)
        higher = bits.count(_above(rules, unseen, card))
        danger = _NIL_DANGER / (1.0 + _NIL_HIGHER * higher * higher)
        mine = hand & suit_mask(card // RANKS) & ~bits.bit(card)
        for _ in range(bits.count(mine & ~_above(rules, mine, card))):
            danger *= _NIL_COVER
        chance *= 1.0 - danger
    return chance


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
    worth = _hand_worth(rules, hand, unseen, int(state.truf))[0]
    revealed = int(state.final_bids[seat])
    best = 0
    best_value = _WORST
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


# Play


@kernel
def _choose_card(rules, state):
    """The legal card with the most points to expect, whether it wins or not."""
    seat = int(state.actor)
    covered = covered_cards(rules, state, seat)
    unseen = deck_mask(rules) & ~state.hands[seat] & ~(state.played & ~covered)
    truf = int(state.truf)
    sets, spread = _hand_worth(rules, held(state, seat), unseen, truf)
    left = int(hand_size(rules)) - int(state.tricks_done)
    wanted = 0
    for other in range(SEATS):
        wanted += max(0, int(state.final_bids[other]) - int(state.sets[other]))
    sets += _PRESSURE * (left - wanted) / SEATS
    bid = int(state.final_bids[seat])
    bonus = float(bid)
    if is_nil(rules, bid_value(state.laid[seat]), bid):
        bid = 0
        bonus = float(rules.nil_bonus - rules.nil_fail)
    needed = bid - int(state.sets[seat])
    extra = 2.0 if state.mode == LOW else 1.0
    missing = 2.0 if state.mode == HIGH else 1.0
    best = 0
    best_value = _WORST
    legal = legal_plays(rules, state)
    while legal != bits.ZERO:
        card = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        win = _win_chance(rules, state, seat, card, unseen, covered)
        worth = _worth(rules, card, unseen, truf)
        rest = sets - worth
        soft = (spread - worth * (1.0 - worth) + _PLAY_SOFTNESS) / _PLAY_STEEPNESS
        value = win * _points(needed - 1, left - 1, rest, soft, bonus, extra, missing, _PLAY_MISS)
        value += (1.0 - win) * _points(needed, left - 1, rest, soft, bonus, extra, missing, _PLAY_MISS)
        if value > best_value:
            best_value = value
            best = card
    return best


@kernel
def _win_chance(rules, state, seat, card, unseen, covered):
    """Chance that a card takes the trick it is played to; cards face down count by what they may be."""
    suit = card // RANKS
    led = suit if state.trick_size == 0 else led_suit(state)
    strength = power(rules, state, card, led)
    if strength == 0:
        return 0.0
    chance = 1.0
    for i in range(int(state.trick_size)):
        other_card = trick_card(state, i)
        if other_card < FACE_DOWN and not bits.has(covered, other_card):
            if power(rules, state, other_card, led) > strength:
                return 0.0
        elif suit != state.truf:
            return 0.0
        else:
            hidden = unseen & suit_mask(suit)
            chance *= 1.0 - bits.count(_above(rules, hidden, card)) / max(1, bits.count(hidden))
    other = seat
    for _ in range(SEATS - 1 - int(state.trick_size)):
        other = next_seat(rules, state, other)
        chance *= 1.0 - _BEATS * _can_beat(rules, state, other, card, led, unseen)
    return chance


@kernel
def _can_beat(rules, state, other, card, led, unseen):
    """Chance that a later seat holds a card that beats this one and that it may play; its shown bid cards are known."""
    suit = card // RANKS
    following = unseen & suit_mask(led)
    count = bits.count(following) / (SEATS - 1)
    short = 0.0 if state.laid[other] & following != bits.ZERO else 1.0 / (1.0 + count + count * count)
    if (int(state.voids[other]) >> led) & 1 == 1:
        short = 1.0
    in_suit = _chance_to_hold(state, other, _above(rules, unseen, card))
    if suit != led:
        return short * in_suit
    beats = in_suit if short < 1.0 else 0.0
    if state.truf != NONE and suit != state.truf and (int(state.voids[other]) >> int(state.truf)) & 1 == 0:
        beats += (1.0 - beats) * short * _chance_to_hold(state, other, unseen & suit_mask(int(state.truf)))
    return beats


@kernel
def _chance_to_hold(state, other, cards):
    """Chance that a seat holds one of some unseen cards."""
    if state.laid[other] & cards != bits.ZERO:
        return 1.0
    count = bits.count(cards) / (SEATS - 1)
    return count / (1.0 + count)
