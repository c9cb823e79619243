"""One trick: what may be played, what lies face down, what a card shows, and who wins."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from truf._bidding import hand_size, play_rank, suit_mask
from truf._scoring import score_hand
from truf.cards import RANKS, SUITS
from truf.rules import ALTERNATE, ANY_DISCARD, FACE_UP, RUFFS_ONLY, SEATS
from truf.state import DEAL_HANDS, FACE_DOWN, GAME_OVER, NONE

BYTE = np.uint64(0xFF)
TRUF_POWER = 16  # added to a truf card's play rank


@kernel
def held(state, seat):
    """The cards a seat still holds."""
    return state.hands[seat] & ~state.played


@kernel
def trick_card(state, i):
    """The i-th card of the trick: 0..51, or 52 + suit where its rank is hidden from the viewer."""
    return int((state.trick >> np.uint64(8 * i)) & BYTE) - 1


@kernel
def suit_of(card):
    """The suit of a card, also of one whose rank is hidden."""
    return card - FACE_DOWN if card >= FACE_DOWN else card // RANKS


@kernel
def led_suit(state):
    """The led suit of the current trick, -1 before the lead [R38]."""
    return suit_of(trick_card(state, 0)) if state.trick_size > 0 else NONE


@kernel
def next_seat(rules, state, seat):
    """Who plays after a seat in this hand [R3]."""
    hand = int(state.hands_done)
    if state.phase == DEAL_HANDS or state.phase == GAME_OVER:
        hand -= 1  # the hand on the table is complete and already counted
    if rules.direction == ALTERNATE and hand % 2 == 1:
        return seat - 1 if seat > 0 else SEATS - 1
    return seat + 1 if seat < SEATS - 1 else 0


@kernel
def legal_plays(rules, state):
    """Follow suit; do not lead truf while it is locked and anything else is held [R33-R36, R41]."""
    cards = held(state, int(state.actor))
    if state.trick_size > 0:
        following = cards & suit_mask(led_suit(state))
        return following if following != bits.ZERO else cards
    if state.truf != NONE and state.unlocked == 0:
        others = cards & ~suit_mask(int(state.truf))
        return others if others != bits.ZERO else cards
    return cards


@kernel
def is_face_down(rules, state, suit, led):
    """Whether a card of a suit lies face down until the trick is complete, in a trick of a led suit [R37, R38]."""
    if suit != state.truf or rules.facedown == FACE_UP:
        return False
    return rules.facedown != RUFFS_ONLY or suit != led


@kernel
def covered_cards(rules, state, seat):
    """The cards of other seats that lie face down before a seat; none where the record already hides them."""
    covered = bits.ZERO
    player = int(state.leader)
    for i in range(int(state.trick_size)):
        card = trick_card(state, i)
        if player != seat and card < FACE_DOWN and is_face_down(rules, state, suit_of(card), led_suit(state)):
            covered |= bits.bit(card)
        player = next_seat(rules, state, player)
    return covered


@kernel
def play(rules, state, card):
    """Play a card, and finish the trick and the hand where it is the last one. Modified in place: `state`."""
    seat = int(state.actor)
    suit = card // RANKS
    if state.trick_size == 0:
        state.leader = seat
        state.trick = bits.ZERO
        state.winner = NONE
        if suit == state.truf and state.unlocked == 0:  # it held nothing else [R34]
            state.voids[seat] |= np.uint8((1 << SUITS) - 1 & ~(1 << suit))
    elif suit != led_suit(state):
        state.voids[seat] |= np.uint8(1 << led_suit(state))
    if suit == state.truf:
        state.unlocked = 1
    state.played |= bits.bit(card)
    state.trick |= np.uint64(card + 1) << np.uint64(8 * state.trick_size)
    state.trick_size += 1
    if state.trick_size < SEATS:
        state.actor = next_seat(rules, state, seat)
    else:
        _finish_trick(rules, state)


@kernel
def power(rules, state, card, led):
    """Higher takes the trick; 0 cannot [R40, R41]."""
    suit = card // RANKS
    rank = 1 + play_rank(rules, card - suit * RANKS)
    if suit == state.truf:
        return TRUF_POWER + rank
    return rank if suit == led else 0


@kernel
def _finish_trick(rules, state):
    """Turn up the cards; the winner takes the trick and leads [R32, R35, R39, R40]. Modified in place: `state`."""
    led = suit_of(trick_card(state, 0))
    seat = int(state.leader)
    best = 0
    has_discard = False
    for i in range(SEATS):
        card = trick_card(state, i)
        strength = power(rules, state, card, led)
        if strength > best:
            best = strength
            state.winner = seat
        has_discard = has_discard or suit_of(card) != led
        seat = next_seat(rules, state, seat)
    if has_discard and rules.unlock == ANY_DISCARD and state.truf != NONE:
        state.unlocked = 1
    state.sets[int(state.winner)] += 1
    state.actor = state.winner
    state.trick_size = 0
    state.tricks_done += 1
    if state.tricks_done == hand_size(rules):
        score_hand(rules, state)
