"""Who knows what."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.worlds import draw_world, make_plan
from kronions._dealing import SUITED, deck_mask, next_seat
from kronions._tricks import suit_mask
from kronions.cards import PARADOX


@kernel
def hide(rules, state, seat):
    """Leave of every other hand only what has been played; the stock is in no field. Modified in place: `state`."""
    for other in range(rules.num_players):
        if other != seat:
            shown = bits.below(int(state.paradox_played[other])) << np.uint64(PARADOX)
            state.hands[other] = (state.hands[other] & state.played) | shown


@kernel
def plan_worlds(rules, state, seat, worlds):
    """Prepare the worlds that a seat can still believe in: who holds which unseen card, and the stock [R25-R28].

    Slots are the other seats and, last, the stock; classes are the suits, from which void seats are shut out, and the
    paradox cards, which prove nothing. Modified in place: `worlds`.
    """
    num_players = rules.num_players
    everybody = bits.below(num_players + 1)
    unseen = deck_mask(rules) & ~state.played & ~state.hands[seat]
    paradox = rules.num_paradox - bits.count(state.hands[seat] >> np.uint64(PARADOX)) - int(state.turned_up)
    if 0 <= state.flip < PARADOX:
        unseen &= ~bits.bit(state.flip)
        paradox += 1  # the last card turned up was none
    left = bits.count(unseen)
    for other in range(num_players):
        if other != seat:
            paradox -= int(state.paradox_played[other])
    left += paradox
    for other in range(num_players):
        worlds.sizes[other] = num_held(rules, state, other) if other != seat else 0
        left -= worlds.sizes[other]
    worlds.sizes[num_players] = left
    for suit in range(rules.num_suits):
        worlds.cards[suit] = unseen & suit_mask(suit)
        worlds.slots[suit] = everybody
        for other in range(num_players):
            if (int(state.voids[other]) >> suit) & 1 == 1:
                worlds.slots[suit] &= ~bits.bit(other)
    worlds.cards[rules.num_suits] = bits.below(paradox) << np.uint64(PARADOX)
    worlds.slots[rules.num_suits] = everybody
    return make_plan(worlds.plan, rules.num_suits + 1, worlds.cards, worlds.slots, num_players + 1, worlds.sizes)


@kernel
def num_held(rules, state, seat):
    """How many cards a seat still holds."""
    held = int(state.hand_size) - int(state.tricks_done)
    player = int(state.leader)
    for _ in range(int(state.trick_size)):
        if player == seat:
            held -= 1
        player = next_seat(rules, player)
    return held


@kernel
def determinise(rules, state, seat, worlds, rng):
    """Fill the other hands of a view with a world, all equally likely. Modified in place: `state`, `worlds`, `rng`."""
    draw_world(worlds.plan, rng, worlds.dealt)
    for other in range(rules.num_players):
        if other != seat:
            dealt = worlds.dealt[other]
            copies = int(state.paradox_played[other]) + bits.count(dealt >> np.uint64(PARADOX))
            suited = (state.hands[other] | dealt) & SUITED
            state.hands[other] = suited | (bits.below(copies) << np.uint64(PARADOX))
