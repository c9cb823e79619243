"""Worlds: which card lies closed where, what others hold and equip, and the order of the stacks, all equally likely.

A closed place takes a champion that its seat had when the place was filled. The sets of cards that fit are nested (or
apart, where backs show stacks), so that filling the places one after the other, the oldest first, is uniform. What
cannot be drawn so is drawn again: a team without a god; under hidden hands a champion that came too late. A god comes
up after as many tries as its seat has champions at most, on average; `_check_worlds.py` refuses views without a world.

Under hidden hands a world also says in which gathering each unseen champion of the others came. The unseen cards of a
stack are alike, so that every deal of them has as many ways to go on: the deal is drawn once, and kept.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel, stack_bytes
from cardkit.rng import integer
from kosmogonia._gathering import cards_a_round, cards_a_stack, kept_of, stack_cards, stolen_of
from kosmogonia.cards import ALL_CARDS, ALL_CHAMPIONS, CARDS, IN_STACK, REINFORCEMENT, STACKS
from kosmogonia.rules import HIDDEN_AFTER_GATHER, MOST_SEATS, STANDARD, TOURNAMENT
from kosmogonia.state import (
    CHALLENGE_ORIENT,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    EQUIP,
    MOST_CLOSED,
    NONE,
    NOTHING,
    SECRET,
    SIDES,
    TEAM,
    UNKNOWN,
    UNKNOWN_STACK,
    UNSEEN,
)


@kernel
def plan_worlds(rules, state, seat, worlds):
    """Nothing to prepare: worlds are drawn place by place. Always 1, since the number of worlds is not counted."""
    return 1.0


@outlined_kernel
def determinise(rules, state, seat, worlds, rng):
    """Fill everything that a view hides with a world, all equally likely. Modified in place: `state`, `rng`."""
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        _deal_unseen(rules, state, rng)
    for other in range(rules.num_players):
        if other != seat:
            _fill_team(rules, state, other, rng)
            _fill_sides(state, other, rng)
            if state.phase == EQUIP:
                _fill_equipment(state, other, rng)
    _shuffle_stacks(state, rng)


# Hidden hands


@outlined_kernel
def _deal_unseen(rules, state, rng):
    """Deal the cards that nobody has shown to the hands they are counted for. Modified in place: `state`, `rng`."""
    unseen = ALL_CARDS & ~_seen(state)
    for stack in range(STACKS):
        left = unseen & stack_cards(stack)
        for other in range(rules.num_players):
            for _ in range(int(state.unseen[other, stack])):
                card = bits.select(left, integer(rng, bits.count(left)))
                left &= ~bits.bit(card)
                state.hands[other] |= bits.bit(card)
            state.unseen[other, stack] = 0


@kernel
def _label(rules, state, other, stack, rng):
    """Draw when a seat gathered each of its unseen champions of a stack, all ways alike. In place: `state`, `rng`.

    A way gives each a slot of its own among the cards of the stack that the seat got. It is drawn again while more of
    them came by the end of a past round than were unseen then.
    """
    a_round = cards_a_round(rules)
    slots = int(state.opened) // rules.num_players - (cards_a_stack(rules) if state.phase == DRAFT else 0)
    gathered = _gathered_before(state, state.hands[other] & stack_cards(stack))
    is_possible = False
    while not is_possible:
        free = bits.below(slots)
        cards = gathered
        while cards != bits.ZERO:
            slot = bits.select(free, integer(rng, bits.count(free)))
            free &= ~bits.bit(slot)
            state.since[bits.lowest(cards)] = 1 + 2 * (slot // a_round)
            cards = bits.without_lowest(cards)
        is_possible = True
        for past in range(int(state.round_number)):
            early = bits.below(a_round * (past + 1)) & bits.below(slots) & ~free
            is_possible = is_possible and bits.count(early) <= kept_of(state, past, other, stack)


@kernel
def _gathered_before(state, cards):
    """Those of some cards in hand that were neither stolen nor taken in a draft that goes on."""
    return cards & ~state.drafted & ~stolen_of(state, cards)


@kernel
def _restore_gathered(state, other, rng):
    """Note what a seat got in the first draft of a round whose second goes on. Modified in place: `state`, `rng`."""
    cards = _gathered_before(state, state.hands[other])
    left = cards & stack_cards(REINFORCEMENT)  # when these came matters to nothing else
    for _ in range(int(state.drafts)):
        card = bits.select(left, integer(rng, bits.count(left)))
        left &= ~bits.bit(card)
        state.gathered[other] |= bits.bit(card)
    champions = cards & ALL_CHAMPIONS
    while champions != bits.ZERO:
        card = bits.lowest(champions)
        if state.since[card] == 1 + 2 * state.round_number:
            state.gathered[other] |= bits.bit(card)
        champions = bits.without_lowest(champions)


# Olympus


@outlined_kernel
def _fill_team(rules, state, other, rng):
    """Draw the champions that a seat has sent to Olympus closed, again until they fit. In place: `state`, `rng`."""
    drawn = stack_bytes()
    while not _draw_team(rules, state, other, drawn, rng):
        pass
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        while not _came_in_time(rules, state, other, drawn, rng):
            while not _draw_team(rules, state, other, drawn, rng):
                pass
        _label_rest(rules, state, other, drawn, rng)
    for i in range(TEAM):
        if state.olympus[other, i] >= UNKNOWN:
            state.olympus[other, i] = drawn[i]
            state.hands[other] &= ~bits.bit(drawn[i])
    if state.phase == CHALLENGE_ORIENT and state.actor == other:
        state.card = drawn[TEAM]


@kernel
def _draw_team(rules, state, other, drawn, rng):
    """Draw the closed champions of a team, and the one that waits, into `drawn`; False where there is no god [R26].

    Under hidden hands those that were gathered may turn out to have come too late.
    """
    is_forgotten = rules.hands_public == HIDDEN_AFTER_GATHER
    is_waiting = state.phase == CHALLENGE_ORIENT and state.actor == other
    left = state.hands[other] & ALL_CHAMPIONS & ~state.drafted
    number = 0
    has_god = False
    for i in range(TEAM + 1):
        if i < TEAM:
            card = int(state.olympus[other, i])
        else:
            card = UNKNOWN + UNKNOWN_STACK if is_waiting else NONE
        if card >= UNKNOWN:
            fitting = _had_by(state, _with_back(left, card - UNKNOWN), _moment(rules, state, i), is_forgotten)
            card = bits.select(fitting, integer(rng, bits.count(fitting)))
            left &= ~bits.bit(card)
            drawn[i] = card
        if card != NONE:
            number += 1
            has_god = has_god or card < IN_STACK
    return number < TEAM or has_god


@kernel
def _came_in_time(rules, state, other, drawn, rng):
    """Label the stacks of champions sent in past rounds; False where one came too late. In place: `state`, `rng`."""
    for i in range(TEAM):
        if _was_sent_before(rules, state, other, i):
            _label(rules, state, other, drawn[i] // IN_STACK, rng)
    for i in range(TEAM):
        if _was_sent_before(rules, state, other, i) and state.since[drawn[i]] > _moment(rules, state, i):
            return False
    return True


@outlined_kernel
def _label_rest(rules, state, other, drawn, rng):
    """Label the other stacks, on which it does not depend whether the team fits. Modified in place: `state`, `rng`."""
    done = bits.ZERO
    for i in range(TEAM):
        if _was_sent_before(rules, state, other, i):
            done |= bits.bit(drawn[i] // IN_STACK)
    for stack in range(REINFORCEMENT):
        if not bits.has(done, stack):
            _label(rules, state, other, stack, rng)
    if state.phase == DRAFT:
        _restore_gathered(state, other, rng)


@kernel
def _was_sent_before(rules, state, other, i):
    """Whether the i-th champion of a team lies closed since a past round."""
    return state.olympus[other, i] >= UNKNOWN and _moment(rules, state, i) < 1 + 2 * state.round_number


@kernel
def _moment(rules, state, i):
    """When the i-th champion of a team is sent, numbered as in `since`; the one that waits is sent now [R23]."""
    if i == TEAM:
        return 1 + 2 * int(state.round_number)
    if rules.variant == TOURNAMENT:
        return 1
    return 1 + 2 * (i if rules.variant == STANDARD else min(i, 1))


@kernel
def _with_back(cards, stack):
    """The champions that a back allows: those of its stack, or all."""
    return cards if stack == UNKNOWN_STACK else cards & stack_cards(stack)


@kernel
def _had_by(state, cards, moment, is_forgotten):
    """Those of some champions that their owner had at a moment, or may have had where gatherings are forgotten."""
    had = bits.ZERO
    while cards != bits.ZERO:
        since = state.since[bits.lowest(cards)]
        if since <= moment or (is_forgotten and since % 2 == 1):
            had |= bits.bit(bits.lowest(cards))
        cards = bits.without_lowest(cards)
    return had


# Quests


@outlined_kernel
def _fill_sides(state, other, rng):
    """Draw a seat's closed champions at quests, then one that waits for its place. In place: `state`, `rng`."""
    is_waiting = (state.phase == DEPLOY_PLACE or state.phase == DEPLOY_ORIENT) and state.actor == other
    left = _had_by(state, state.hands[other] & ALL_CHAMPIONS, 1 + 2 * state.round_number, False)
    for side in range(SIDES):
        for i in range(MOST_CLOSED if state.owners[side] == other else 0):
            if state.hidden[side, i] == 0:
                break
            fitting = _with_back(left, int(state.hidden[side, i]) - 1)
            card = bits.bit(bits.select(fitting, integer(rng, bits.count(fitting))))
            left &= ~card
            state.lineups[side] |= card
            state.closed |= card
            state.hands[other] &= ~card
            state.hidden[side, i] = 0
    if is_waiting:
        state.card = bits.select(left, integer(rng, bits.count(left)))


# Equipment and stacks


@outlined_kernel
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


@outlined_kernel
def _shuffle_stacks(state, rng):
    """Put what is left into the closed part of each stack, in any order. Modified in place: `state`, `rng`."""
    left = ALL_CARDS & ~_seen(state)
    opened = int(state.opened)
    for stack in range(STACKS):
        cards = left & stack_cards(stack)
        first = IN_STACK * stack + opened
        for i in range(IN_STACK - opened):
            place = first + integer(rng, i + 1)
            state.stacks[first + i] = state.stacks[place]
            state.stacks[place] = bits.lowest(cards)
            cards = bits.without_lowest(cards)


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
    if state.phase == DRAFT:
        for place in range(CARDS):
            if state.stacks[place] != UNSEEN:
                seen |= bits.bit(state.stacks[place])
    return seen
