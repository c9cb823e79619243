"""Deployment: who places which champion where, and the discard of the tournament."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._gathering import is_last_round, next_seat, num_quests
from kosmogonia.cards import ALL_CARDS, ALL_CHAMPIONS
from kosmogonia.rules import FOUR_BANNERS, MAY_HOLD_ONE, TOURNAMENT
from kosmogonia.state import (
    CARDS_NEWS,
    CLOSED,
    DEPLOY_CARD,
    END,
    NONE,
    TO_DISCARD,
    TO_DUEL,
    TOURN_DISCARD,
)

MOST_DEPLOYED = 3  # cards on a side [R29]
QUEST_BANNERS = 3  # of four banners one is on Olympus [R32]
_LEFT_SIDES = np.uint64(0x5555555555555555)


@kernel
def start_deployment(rules, state):
    """The first player places first [R28]. Modified in place: `state`."""
    state.actor = state.first_player - 1 if state.first_player > 0 else rules.num_players - 1
    next_deployer(rules, state)


@outlined_kernel
def next_deployer(rules, state):
    """Find the next seat that can place a champion; those that cannot have ended [R28, R34]. In place: `state`."""
    seat = int(state.actor)
    for _ in range(rules.num_players):
        seat = next_seat(rules, seat)
        if has_ended(state, seat):
            continue
        if state.hands[seat] & ALL_CHAMPIONS != bits.ZERO and legal_sides(rules, state, seat) != bits.ZERO:
            state.actor = seat
            state.phase = DEPLOY_CARD
            return
        state.ended |= 1 << seat
    state.phase = TO_DISCARD if rules.variant == TOURNAMENT else TO_DUEL


@kernel
def has_ended(state, seat):
    """Whether a seat deploys no more in this round."""
    return (state.ended >> seat) & 1 == 1


@outlined_kernel
def legal_sides(rules, state, seat):
    """Sides where a seat may place a champion [R29, R32]."""
    own = bits.ZERO
    free = bits.ZERO
    for side in range(2 * num_quests(rules)):  # without branches, which would be chance
        own |= np.uint64(state.owners[side] == seat) << np.uint64(side)
        free |= np.uint64(state.owners[side] == NONE) << np.uint64(side)
    has_room = own
    rest = own
    while rest != bits.ZERO:
        side = bits.lowest(rest)
        rest = bits.without_lowest(rest)
        if bits.count(state.lineups[side]) >= MOST_DEPLOYED:
            has_room &= ~bits.bit(side)
    if rules.banner_limit == FOUR_BANNERS and bits.count(own) >= QUEST_BANNERS:
        return has_room
    opposite = (own & _LEFT_SIDES) << bits.ONE | (own >> bits.ONE) & _LEFT_SIDES
    return has_room | free & ~opposite


@kernel
def legal_deployments(rules, state):
    """Champions in hand, and END where the seat may stop [R33, R35, R36]."""
    seat = int(state.actor)
    champions = state.hands[seat] & ALL_CHAMPIONS
    may_end = state.deployed[seat] > 0
    if is_last_round(rules, state):
        may_hold_one = rules.variant == TOURNAMENT and rules.tourn_discard == MAY_HOLD_ONE
        may_end = may_end and may_hold_one and bits.count(champions) == 1
    return champions | bits.bit(END) if may_end else champions


@kernel
def end_deployment(rules, state):
    """Stop placing champions in this round [R33]. Modified in place: `state`."""
    state.ended |= 1 << int(state.actor)
    next_deployer(rules, state)


@kernel
def legal_deploy_orientations(state):
    """The first card on a side lies open [R30]."""
    return bits.ONE if state.lineups[int(state.place)] == bits.ZERO else bits.below(2)


@outlined_kernel
def deploy(rules, state, orientation):
    """Lay the chosen champion on the chosen side, open or closed [R28-R31]. Modified in place: `state`."""
    side = int(state.place)
    card = bits.bit(state.card)
    seat = int(state.actor)
    if state.blue[side // 2] == NONE:
        state.blue[side // 2] = side % 2
    state.owners[side] = seat
    state.lineups[side] |= card
    state.hands[seat] &= ~card
    if orientation == CLOSED:
        state.closed |= card
    state.deployed[seat] += 1
    state.card = NONE
    state.place = NONE
    state.news = CARDS_NEWS
    next_deployer(rules, state)


@kernel
def start_discard(state):
    """In the tournament every seat discards a card after the deployment [R36]. Modified in place: `state`."""
    state.actor = state.first_player
    state.phase = TOURN_DISCARD


@kernel
def legal_discards(state):
    """The champion that was held back, else a reinforcement card [R36]."""
    hand = state.hands[int(state.actor)]
    champions = hand & ALL_CHAMPIONS
    return champions if champions != bits.ZERO else hand & ALL_CARDS


@kernel
def discard_card(rules, state, card):
    """Discard a card face up; after the last seat the duels begin [R36]. Modified in place: `state`."""
    seat = int(state.actor)
    state.hands[seat] &= ~bits.bit(card)
    state.discard |= bits.bit(card)
    state.actor = next_seat(rules, seat)
    if state.actor == state.first_player:
        state.phase = TO_DUEL
