"""One trick: what a seat holds and may play, what a card shows, and who wins."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from kronions._dealing import SUITED, next_seat
from kronions._scoring import score_round
from kronions.cards import FUTURE, PARADOX, PAST, RANKS
from kronions.rules import FREES_TRICK, LAST_PAST, NOBODY, ONLY_WHEN_VOID
from kronions.state import FREED, FUTURE_POWER, LED_POWER, NONE, PAST_POWER, TRUMP_POWER

SUIT = np.uint64((1 << RANKS) - 1)  # the cards of suit 0
DECLARATIONS = np.uint64(1 << FUTURE | 1 << PAST)


@kernel
def held_suited(state, seat):
    """The suited cards a seat still holds."""
    return state.hands[seat] & SUITED & ~state.played


@kernel
def held_paradox(state, seat):
    """How many paradox cards a seat still holds."""
    return bits.count(state.hands[seat] >> np.uint64(PARADOX)) - int(state.paradox_played[seat])


@kernel
def suit_mask(suit):
    """All cards of a suit."""
    return SUIT << np.uint64(suit * RANKS)


@kernel
def legal_plays(rules, state):
    """Follow suit or play a paradox card; anything when void or while no suit is led [R24-R28]."""
    seat = int(state.actor)
    suited = held_suited(state, seat)
    declarations = DECLARATIONS if held_paradox(state, seat) > 0 else bits.ZERO
    if state.trick_size > 0 and state.led_suit >= 0:  # until the next lead it is that of the last trick
        following = suited & suit_mask(int(state.led_suit))
        if following != bits.ZERO:
            if rules.paradox_when_able_to_follow == ONLY_WHEN_VOID:
                return following
            return following | declarations
    return suited | declarations


@kernel
def play(rules, state, action):
    """Play a card to the trick, and finish the trick and the round where it is the last one."""
    seat = int(state.actor)
    if state.trick_size == 0:
        state.leader = seat
        state.trick = bits.ZERO
        state.led_suit = NONE
        state.power = 0
    power = _lay_down(rules, state, seat, action)
    if power > state.power or (power == PAST_POWER and state.power == PAST_POWER and rules.all_past == LAST_PAST):
        state.power = power
        state.winner = seat
    state.trick |= np.uint64(action + 1) << np.uint64(8 * state.trick_size)
    state.trick_size += 1
    if state.trick_size < rules.num_players:
        state.actor = next_seat(rules, seat)
    else:
        _finish_trick(rules, state)


@kernel
def _lay_down(rules, state, seat, action):
    """Take the card from the hand, note what it shows, and return its power [R25, R31-R37]."""
    led = int(state.led_suit)
    if action >= FUTURE:
        state.paradox_played[seat] += 1
        if led >= 0 and rules.paradox_when_able_to_follow == ONLY_WHEN_VOID:
            state.voids[seat] |= np.uint8(1 << led)
        if action == PAST:
            return PAST_POWER
        if led == NONE and rules.future_led == FREES_TRICK:
            state.led_suit = FREED
        return FUTURE_POWER
    state.played |= bits.bit(action)
    suit = action // RANKS
    rank = action - suit * RANKS
    if led == NONE:
        state.led_suit = suit
    elif led >= 0 and suit != led:
        state.voids[seat] |= np.uint8(1 << led)
    if suit == state.trump:
        return TRUMP_POWER + rank
    return LED_POWER + rank if suit == state.led_suit else 0


@kernel
def _finish_trick(rules, state):
    """The winner takes the trick and leads; a trick of Pasts only may go to nobody [R23, R32-R38]."""
    state.trick_size = 0
    state.tricks_done += 1
    if state.power == PAST_POWER and rules.all_past == NOBODY:
        state.winner = NONE
        state.actor = state.leader
    else:
        state.tricks[state.winner] += 1
        state.actor = state.winner
    if state.tricks_done == state.hand_size:
        score_round(rules, state)
