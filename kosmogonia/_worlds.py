"""Worlds: which card lies closed where, what others hold and equip, and the order of the stacks, all equally likely.

A closed place takes a champion that its seat had when the place was filled. The sets of cards that fit are nested (or
apart, where backs show stacks), so that filling the places one after the other, the oldest first, is uniform. What
cannot be drawn so (a team without a god; a gathering too late for what was put down) is drawn again.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel, stack_bytes
from cardkit.rng import integer
from kosmogonia._gathering import num_sent, stack_cards
from kosmogonia.cards import ALL_CARDS, ALL_CHAMPIONS, CARDS, IN_STACK, STACKS
from kosmogonia.rules import MOST_SEATS, STANDARD, TOURNAMENT
from kosmogonia.state import (
    CHALLENGE_ORIENT,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    EQUIP,
    NONE,
    NOTHING,
    SECRET,
    SIDES,
    TEAM,
    UNKNOWN,
    UNSEEN,
)

UNKNOWN_STACK = 4


@kernel
def plan_worlds(rules, state, seat, worlds):
    """Nothing to prepare: worlds are drawn place by place. Always 1, since the number of worlds is not counted."""
    return 1.0


@outlined_kernel
def determinise(rules, state, seat, worlds, rng):
    """Fill everything that a view hides with a world, all equally likely. Modified in place: `state`, `rng`."""
    for other in range(rules.num_players):
        if other == seat:
            continue
        while not _fill_places(rules, state, other, rng):
            pass
        if state.phase == EQUIP:
            _fill_equipment(state, other, rng)
    _shuffle_stacks(state, rng)


# Closed places


@kernel
def _fill_places(rules, state, other, rng):
    """Draw the champions of a seat's closed places; returns False where they do not fit. In place: `state`, `rng`."""
    is_forgotten = False
    drawn = stack_bytes()
    left = state.hands[other] & ALL_CHAMPIONS
    number = 0
    for i in range(TEAM):
        if state.olympus[other, i] >= UNKNOWN:
            card = _draw_place(
                state, left, int(state.olympus[other, i]) - UNKNOWN, _sent_in(rules, i), is_forgotten, rng
            )
            if card == NONE:
                return False
            left &= ~bits.bit(card)
            drawn[number] = card
            number += 1
    for side in range(SIDES):
        for stack in range(STACKS):
            for _ in range(int(state.hidden[side, stack]) if state.owners[side] == other else 0):
                card = _draw_place(state, left, stack, int(state.round_number), is_forgotten, rng)
                if card == NONE:
                    return False
                left &= ~bits.bit(card)
                drawn[number] = card
                number += 1
    pending = NONE
    if _is_choosing(state, other):
        pending = _draw_place(state, left, UNKNOWN_STACK, int(state.round_number), is_forgotten, rng)
        if pending == NONE:
            return False
    if _lacks_god(rules, state, other, drawn, pending):
        return False
    _lay(state, other, drawn, pending)
    return True


@kernel
def _draw_place(state, left, stack, sent_in, is_forgotten, rng):
    """A champion for a place that was filled in a round, its stack shown or not; -1 where none fits."""
    fitting = left if stack == UNKNOWN_STACK else left & stack_cards(stack)
    if not is_forgotten:
        fitting = _had_by(state, fitting, 1 + 2 * sent_in)
    if fitting == bits.ZERO:
        return NONE
    card = bits.select(fitting, integer(rng, bits.count(fitting)))
    return card if state.since[card] <= 1 + 2 * sent_in else NONE


@kernel
def _had_by(state, cards, moment):
    """Those of some champions that their owner had at a moment, numbered as in `since`."""
    had = bits.ZERO
    while cards != bits.ZERO:
        if state.since[bits.lowest(cards)] <= moment:
            had |= bits.bit(bits.lowest(cards))
        cards = bits.without_lowest(cards)
    return had


@kernel
def _sent_in(rules, i):
    """The round in which the i-th champion of a team is sent [R23]."""
    if rules.variant == TOURNAMENT:
        return 0
    return i if rules.variant == STANDARD else min(i, 1)


@kernel
def _is_choosing(state, other):
    """Whether a seat has chosen a champion that is not yet seen to lie open or closed."""
    is_choice = state.phase == CHALLENGE_ORIENT or state.phase == DEPLOY_PLACE or state.phase == DEPLOY_ORIENT
    return is_choice and state.actor == other


@kernel
def _lacks_god(rules, state, other, drawn, pending):
    """Whether a team would be complete without a god [R26]."""
    number = 0
    has_one = False
    for i in range(TEAM):
        card = int(state.olympus[other, i])
        if card >= UNKNOWN:
            card = int(drawn[number])
            number += 1
        has_one = has_one or 0 <= card < IN_STACK
    sent = num_sent(state, other)
    if state.phase == CHALLENGE_ORIENT and pending != NONE:
        sent += 1
        has_one = has_one or pending < IN_STACK
    return sent == TEAM and not has_one


@kernel
def _lay(state, other, drawn, pending):
    """Lay the champions that were drawn to their places. Modified in place: `state`."""
    number = 0
    for i in range(TEAM):
        if state.olympus[other, i] >= UNKNOWN:
            state.olympus[other, i] = drawn[number]
            state.hands[other] &= ~bits.bit(drawn[number])
            number += 1
    for side in range(SIDES):
        if state.owners[side] != other:
            continue
        for stack in range(STACKS):
            for _ in range(int(state.hidden[side, stack])):
                card = bits.bit(drawn[number])
                number += 1
                state.lineups[side] |= card
                state.closed |= card
                state.hands[other] &= ~card
            state.hidden[side, stack] = 0
    if pending != NONE:
        state.card = pending


# Equipment and stacks


@kernel
def _fill_equipment(state, other, rng):
    """Draw the secret equipment of a seat, all sequences of choices alike [R87]. Modified in place: `state`, `rng`."""
    free = np.uint64(state.vaults[other])
    asked = 0
    for i in range(TEAM):
        if state.equipped[other, i] == SECRET:
            asked += 1
    for i in range(asked):
        rest = asked - i
        if integer(rng, _num_choices(rest, bits.count(free))) < _num_choices(rest - 1, bits.count(free)):
            state.equipped[other, i] = NOTHING
        else:
            treasure = bits.select(free, integer(rng, bits.count(free)))
            free &= ~bits.bit(treasure)
            state.equipped[other, i] = treasure


@kernel
def _num_choices(champions, treasures):
    """In how many ways so many champions can be equipped from so many treasures, nothing included."""
    ways = 1
    if champions > 0:
        ways += champions * treasures
    if champions > 1:
        ways += (3 if champions == 3 else 1) * treasures * (treasures - 1)
    if champions > 2:
        ways += treasures * (treasures - 1) * (treasures - 2)
    return ways


@kernel
def _shuffle_stacks(state, rng):
    """Put what is left into the closed part of each stack, in any order. Modified in place: `state`, `rng`."""
    left = ALL_CARDS & ~_seen(state)
    for stack in range(STACKS):
        cards = left & stack_cards(stack)
        for place in range(int(state.opened), IN_STACK):
            card = bits.select(cards, integer(rng, bits.count(cards)))
            cards &= ~bits.bit(card)
            state.stacks[IN_STACK * stack + place] = card


@kernel
def _seen(state):
    """All cards that lie at a known place: in hands, at quests, on Olympus, used, discarded, in open columns."""
    seen = state.discard | state.table | state.pulled
    for seat in range(MOST_SEATS):
        seen |= state.hands[seat]
        for i in range(TEAM):
            if 0 <= state.olympus[seat, i] < UNKNOWN:
                seen |= bits.bit(state.olympus[seat, i])
    for side in range(SIDES):
        seen |= state.lineups[side]
    for place in range(CARDS):
        if state.stacks[place] != UNSEEN:
            seen |= bits.bit(state.stacks[place])
    return seen
