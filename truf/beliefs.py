"""Who knows what."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import seed_rng
from cardkit.worlds import draw_world, make_plan
from truf._bidding import deck_mask, hand_size, is_freak, suit_mask
from truf._tricks import BYTE, covered_cards, next_seat, suit_of, trick_card
from truf.cards import SUITS
from truf.policy import plan_bid
from truf.rules import PAGAT, SEATS
from truf.state import BID, FACE_DOWN

MOST_DEALS = 1_000_000  # in search of one without a freak hand


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


@kernel
def plan_worlds(rules, state, seat, worlds):
    """Prepare the worlds that a seat can still believe in: who holds which unseen card [R12, R15, R17, R36, R38].

    Slots are the hands of the seats (0..3) and, behind them, a card of each that lies face down (4..7). A bid card that
    was shown and not yet seen played belongs to its seat: to the hand, or to the card face down where that may be it.
    Before the reveal the unseen cards are dealt without constraint. Under `redeal=pagat` deals with a freak hand are
    counted too, which `determinise` draws again; 0 where all seem to have one. Modified in place: `worlds`.
    """
    hands = bits.below(SEATS) & ~bits.bit(seat)
    unseen = deck_mask(rules) & ~state.hands[seat] & ~state.played
    num_classes = SUITS
    covered = bits.ZERO
    for other in range(SEATS):
        worlds.sizes[other] = 0
        worlds.sizes[SEATS + other] = 0
        if other == seat:
            continue
        is_covered = _lies_covered(rules, state, other)
        pinned = state.laid[other] & ~state.played
        worlds.sizes[other] = hand_size(rules) - bits.count(state.hands[other] & state.played) - is_covered
        if is_covered == 1:
            covered |= bits.bit(SEATS + other)
            worlds.sizes[SEATS + other] = 1
            worlds.cards[num_classes] = pinned & suit_mask(int(state.truf))
            worlds.slots[num_classes] = bits.bit(other) | bits.bit(SEATS + other)
            worlds.sizes[other] -= bits.count(pinned & ~suit_mask(int(state.truf)))
            num_classes += 1
        else:
            worlds.sizes[other] -= bits.count(pinned)
        unseen &= ~pinned
    for suit in range(SUITS):
        worlds.cards[suit] = unseen & suit_mask(suit)
        worlds.slots[suit] = hands | covered if suit == state.truf else hands
        for other in range(SEATS):
            if (int(state.voids[other]) >> suit) & 1 == 1:
                worlds.slots[suit] &= ~bits.bit(other)
    number = make_plan(worlds.plan, num_classes, worlds.cards, worlds.slots, 2 * SEATS, worlds.sizes)
    return number if number <= 0.0 or rules.redeal != PAGAT or _can_be_dealt(state, worlds) else 0.0


@kernel
def _can_be_dealt(state, worlds):
    """Whether a deal without a freak hand is found, as it is for a view that can occur. Modified in place: `worlds`."""
    seed_rng(worlds.rng, bits.ZERO)
    tries = 1
    while _deals_freak(state, worlds, worlds.rng) and tries < MOST_DEALS:
        tries += 1
    return tries < MOST_DEALS


@kernel
def _deals_freak(state, worlds, rng):
    """Deal the unseen cards to `worlds.dealt`; returns whether a hand is a freak [R4]. Modified in place: `rng`."""
    draw_world(worlds.plan, rng, worlds.dealt)
    has_freak = False
    for other in range(SEATS):
        has_freak = has_freak or is_freak(state.hands[other] | worlds.dealt[other] | worlds.dealt[SEATS + other])
    return has_freak


@kernel
def _lies_covered(rules, state, seat):
    """1 where a seat has a card in the trick whose rank is hidden, else 0."""
    player = int(state.leader)
    for i in range(int(state.trick_size)):
        if player == seat and trick_card(state, i) >= FACE_DOWN:
            return 1
        player = next_seat(rules, state, player)
    return 0


@kernel
def determinise(rules, state, seat, worlds, rng):
    """Fill the other hands, cards that lie face down and secret bids of a view. Modified in place: `state`, `rng`.

    All deals are equally likely; a seat that has bid secretly lays what `policy` would lay from its hand.
    """
    while _deals_freak(state, worlds, rng) and rules.redeal == PAGAT:
        pass
    player = int(state.leader)
    for i in range(int(state.trick_size)):
        if trick_card(state, i) >= FACE_DOWN:
            card = worlds.dealt[SEATS + player]
            place = np.uint64(8 * i)
            state.played |= card
            state.trick = (state.trick & ~(BYTE << place)) | (np.uint64(bits.lowest(card) + 1) << place)
        player = next_seat(rules, state, player)
    for other in range(SEATS):
        state.hands[other] |= worlds.dealt[other] | worlds.dealt[SEATS + other]
    if state.phase == BID:
        for other in range(int(state.actor)):
            if other != seat:
                state.laid[other] = plan_bid(rules, state.hands[other])
