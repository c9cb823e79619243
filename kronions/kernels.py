"""The verbs of Kronions: what is legal, what happens, when it ends and what it is worth.

Dealing, tricks and scoring have closets of their own: `_dealing.py`, `_tricks.py`, `_scoring.py`.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import absorb, integer, short_hash
from cardkit.verbs import CHANCE, OVER
from kronions._dealing import clear_round, deal_cards, next_seat, start_bidding, turn_up
from kronions._scoring import is_ahead, round_points
from kronions._tricks import legal_plays, play
from kronions.cards import PARADOX
from kronions.rules import HOOK_OFF, LEFT_LEADS, RANDOM_DEALER
from kronions.state import BID, DEAL_CARDS, FIRST_DEALER, FLIP, GAME_OVER, NAME_TRUMP, NO_BID, NONE, PLAY


@kernel
def new_game(rules, state):
    """Empty the record; the first node draws the dealer, or deals. Modified in place: `state`."""
    for seat in range(state.hands.size):
        state.totals[seat] = 0
        state.zero_bids[seat] = 0
    clear_round(rules, state)
    state.rounds_done = 0
    state.hand_size = 0
    state.dealer = 0 if rules.first_dealer == RANDOM_DEALER else rules.first_dealer
    state.phase = FIRST_DEALER if rules.first_dealer == RANDOM_DEALER else DEAL_CARDS


@kernel
def to_move(rules, state):
    """The seat to act, `CHANCE` or `OVER`."""
    if state.phase <= FLIP:
        return CHANCE
    return OVER if state.phase == GAME_OVER else int(state.actor)


@kernel
def chance_event(rules, state):
    """The pending chance event: round x 256 + kind x 64 + cards already turned up."""
    return int(state.rounds_done) * 256 + int(state.phase) * 64 + int(state.turned_up)


@kernel
def chance(rules, state, rng):
    """Draw the first dealer, the hands or the next card turned up. Modified in place: `state`, `rng`."""
    if state.phase == FIRST_DEALER:
        state.dealer = integer(rng, rules.num_players)
        state.phase = DEAL_CARDS
    elif state.phase == DEAL_CARDS:
        deal_cards(rules, state, rng)
    else:
        turn_up(rules, state, rng)


@kernel
def legal_mask(rules, state):
    """The legal actions of the seat to move; empty at a chance node and at the end."""
    if state.phase == PLAY:
        return legal_plays(rules, state)
    if state.phase == BID:
        return _legal_bids(rules, state)
    if state.phase == NAME_TRUMP:
        return bits.below(rules.num_suits)
    return bits.ZERO


@kernel
def _legal_bids(rules, state):
    """0 to the hand size; the hook takes one bid from the dealer [R19-R21]."""
    hand_size = int(state.hand_size)
    mask = bits.below(hand_size + 1)
    if state.actor != state.dealer or rules.hook == HOOK_OFF:
        return mask
    forbidden = hand_size
    for seat in range(rules.num_players):
        if seat != state.dealer:
            forbidden -= int(state.bids[seat])
    return mask & ~bits.bit(forbidden) if forbidden >= 0 else mask


@kernel
def apply(rules, state, action):
    """Name trump, bid or play a card. Modified in place: `state`."""
    if state.phase == PLAY:
        play(rules, state, action)
    elif state.phase == BID:
        _bid(rules, state, action)
    else:
        state.trump = action
        start_bidding(rules, state)


@kernel
def _bid(rules, state, tricks):
    """Bid openly, once; after the dealer's bid the first trick is led [R18, R22]."""
    seat = int(state.actor)
    state.bids[seat] = tricks
    state.actor = next_seat(rules, seat)
    if seat == state.dealer:
        state.phase = PLAY
        if rules.first_leader != LEFT_LEADS:
            state.actor = seat


@kernel
def returns(rules, state, out):
    """Fill `out[seat]` with the totals [R46]."""
    for seat in range(rules.num_players):
        out[seat] = state.totals[seat]


@kernel
def places(rules, state, place, share):
    """Fill `place[seat]` with 1 + the seats ahead, and `share[seat]` with the share of the win [R45, R46]."""
    first = 0
    for seat in range(rules.num_players):
        place[seat] = 1
        for other in range(rules.num_players):
            if is_ahead(rules, state, other, seat):
                place[seat] += 1
        if place[seat] == 1:
            first += 1
    for seat in range(rules.num_players):
        share[seat] = 1.0 / first if place[seat] == 1 else 0.0


@kernel
def outcome(rules, state):
    """Every game is played to its last round [R43]."""
    return 0


@kernel
def deals_done(rules, state):
    """How many rounds are complete."""
    return int(state.rounds_done)


@kernel
def deal_value(rules, state, out):
    """Fill `out[seat]` with the points of the last complete round."""
    for seat in range(rules.num_players):
        out[seat] = round_points(rules, int(state.bids[seat]), int(state.tricks[seat]))


@kernel
def deal_row(rules, state, seat, row):
    """Write the last complete round of a seat as a row of `DEAL`. Modified in place: `row`."""
    row.hand = state.hands[seat]
    row.dealer = state.dealer
    row.hand_size = state.hand_size
    row.flip = state.flip if state.flip != NONE else PARADOX + 1
    row.trump = state.trump if state.trump != NONE else 4
    row.bid = state.bids[seat]
    row.tricks = state.tricks[seat]
    row.points = round_points(rules, int(state.bids[seat]), int(state.tricks[seat]))
    row.total = state.totals[seat]


@kernel
def seen_as(rules, state, action, observer):
    """Every decision is public: the action itself."""
    return action


@kernel
def news(rules, state, observer):
    """After a chance event: a hash of the dealer, the new hand or the card turned up; 0 after every decision."""
    if state.phase == DEAL_CARDS and state.rounds_done == 0 and rules.first_dealer == RANDOM_DEALER:
        return short_hash(absorb(np.uint64(1), int(state.dealer)))
    if state.phase < FLIP or state.phase > BID or not _nobody_has_bid(rules, state):
        return 0
    if state.turned_up == 0:
        return short_hash(absorb(np.uint64(2), state.hands[observer]))
    if state.phase == BID and state.flip == PARADOX and state.trump != NONE:
        return 0  # the dealer has just named trump
    return short_hash(absorb(np.uint64(3), int(state.flip) + 64 * int(state.turned_up)))


@kernel
def _nobody_has_bid(rules, state):
    """Whether the bidding has not begun."""
    return state.bids[next_seat(rules, int(state.dealer))] == NO_BID
