"""The series of rounds, and what chance does in one: hands and the card turned up."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, stack_bytes
from cardkit.rng import integer
from kronions.cards import PARADOX, RANKS, SUITED_CARDS
from kronions.rules import DEALER_NAMES, FIXED, FLIP_IF_POSSIBLE, MAX_ROUNDS, REDRAW
from kronions.state import BID, FLIP, NAME_TRUMP, NO_BID, NONE

SUITED = np.uint64((1 << SUITED_CARDS) - 1)


@kernel
def num_rounds(rules):
    """How many rounds a game has [R6, R7, R7b]."""
    if rules.round_sizes[0] > 0:
        listed = 0
        while listed < MAX_ROUNDS and rules.round_sizes[listed] > 0:
            listed += 1
        return listed
    if rules.only_round > 0:
        return 1
    return series_cap(rules)


@kernel
def series_cap(rules):
    """Hand size of the last round of the rising series [R6]."""
    if rules.round_cap > 0:
        return rules.round_cap
    return (rules.num_suits * rules.num_ranks + rules.num_paradox) // rules.num_players


@kernel
def hand_size_of_round(rules, round_index):
    """Cards dealt to each seat in a round, counted from 0."""
    if rules.round_sizes[0] > 0:
        return rules.round_sizes[round_index]
    if rules.only_round > 0:
        return rules.only_round
    return round_index + 1


@kernel
def has_flip(rules, state):
    """Whether a card is turned up in the round just dealt [R13, R14]."""
    left = rules.num_suits * rules.num_ranks + rules.num_paradox - rules.num_players * state.hand_size
    is_last = state.rounds_done + 1 == num_rounds(rules)
    if rules.only_round > 0:
        is_last = rules.only_round == series_cap(rules)
    return left > 0 and (not is_last or rules.last_round_trump == FLIP_IF_POSSIBLE)


@kernel
def deck_mask(rules):
    """All suited cards of the deck [R2]."""
    deck = bits.ZERO
    for suit in range(rules.num_suits):
        deck |= bits.below(rules.num_ranks) << np.uint64(suit * RANKS)
    return deck


@kernel
def next_seat(rules, seat):
    """The left neighbour [R5]."""
    return seat + 1 if seat + 1 < rules.num_players else 0


@kernel
def deal_cards(rules, state, rng):
    """Shuffle all cards and give every seat its hand [R6, R9, R10, R12]: a partial Fisher-Yates shuffle."""
    if state.rounds_done > 0 and rules.rotate_deal != FIXED:
        state.dealer = next_seat(rules, int(state.dealer))
    clear_round(rules, state)
    hand_size = int(hand_size_of_round(rules, int(state.rounds_done)))
    state.hand_size = hand_size
    deck = stack_bytes()
    left = 0
    for suit in range(rules.num_suits):
        for rank in range(rules.num_ranks):
            deck[left] = suit * RANKS + rank
            left += 1
    for copy in range(rules.num_paradox):
        deck[left] = PARADOX + copy
        left += 1
    for seat in range(rules.num_players):
        hand = bits.ZERO
        for _ in range(hand_size):
            place = integer(rng, left)
            left -= 1
            hand |= bits.bit(deck[place])
            deck[place] = deck[left]
        state.hands[seat] = _alike(hand)
    if has_flip(rules, state):
        state.phase = FLIP
    else:
        start_bidding(rules, state)


@kernel
def clear_round(rules, state):
    """Put away everything that belongs to one round. Modified in place: `state`."""
    for seat in range(state.hands.size):
        state.hands[seat] = bits.ZERO
        state.bids[seat] = NO_BID
        state.tricks[seat] = 0
        state.voids[seat] = 0
        state.paradox_played[seat] = 0
    state.played = bits.ZERO
    state.trick = bits.ZERO
    state.leader = 0
    state.actor = 0
    state.trump = NONE
    state.flip = NONE
    state.turned_up = 0
    state.tricks_done = 0
    state.trick_size = 0
    state.led_suit = NONE
    state.power = 0
    state.winner = 0


@kernel
def _alike(hand):
    """The hand with its k paradox cards in the lowest k places [R4]."""
    copies = bits.count(hand >> np.uint64(PARADOX))
    return (hand & SUITED) | (((bits.ONE << np.uint64(copies)) - bits.ONE) << np.uint64(PARADOX))


@kernel
def turn_up(rules, state, rng):
    """Turn up one stock card, uniformly, and act on it [R13, R16]."""
    dealt = bits.ZERO
    paradox = rules.num_paradox - state.turned_up
    for seat in range(rules.num_players):
        dealt |= state.hands[seat] & SUITED
        paradox -= bits.count(state.hands[seat] >> np.uint64(PARADOX))
    stock = deck_mask(rules) & ~dealt
    suited = bits.count(stock)
    place = integer(rng, suited + paradox)
    state.turned_up += 1
    if place < suited:
        card = bits.select(stock, place)
        state.flip = card
        state.trump = card // RANKS
    else:
        state.flip = PARADOX
        if rules.paradox_flip == DEALER_NAMES:
            state.phase = NAME_TRUMP
            state.actor = state.dealer
            return
        if rules.paradox_flip == REDRAW and suited + paradox > 1:
            return
    start_bidding(rules, state)


@kernel
def start_bidding(rules, state):
    """The dealer's left neighbour bids first [R18]."""
    state.phase = BID
    state.actor = next_seat(rules, int(state.dealer))
