"""Who knows what."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import absorb, short_hash
from kosmogonia._gathering import stack_cards, stolen_of
from kosmogonia.cards import CARDS, CHAMPIONS, IN_STACK, STACKS
from kosmogonia.rules import CLOSED_SHOWS_STACK, HIDDEN_AFTER_GATHER, MOST_SEATS
from kosmogonia.state import (
    B_QUEST_NEWS,
    CARDS_NEWS,
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    CITADELS_NEWS,
    CROWN_NEWS,
    DEPLOY_CARD,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    END,
    EQUIP,
    EQUIPMENT_NEWS,
    GATHERED_NEWS,
    NO_NEWS,
    NONE,
    SECRET,
    SIDES,
    SIDES_NEWS,
    SOMETHING,
    TEAM,
    UNKNOWN,
    UNKNOWN_STACK,
    UNSEEN,
)


@kernel
def hide(rules, state, seat):
    """Cover what a seat may not know: the stacks, closed cards and equipment of others (README.md, "Who knows what").

    The hand of another seat becomes everything of it that does not lie face up. Under hidden hands only the cards that
    were stolen, and during a draft those just taken, are named; the others are counted by stack. In place: `state`.
    """
    for stack in range(STACKS):
        for place in range(int(state.opened), IN_STACK):
            state.stacks[IN_STACK * stack + place] = UNSEEN
    for other in range(rules.num_players):
        if other != seat:
            _hide_seat(rules, state, other)
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        _forget_gathered(state, seat)


@kernel
def _hide_seat(rules, state, other):
    """Cover the hand, the closed cards and the secret equipment of a seat. Modified in place: `state`."""
    pool = state.hands[other]
    for side in range(SIDES):
        covered = state.lineups[side] & state.closed
        if state.owners[side] == other and covered != bits.ZERO:
            pool |= covered
            state.lineups[side] &= ~covered
            state.closed &= ~covered
            _note_backs(rules, state, side, covered)
    for i in range(TEAM):
        card = int(state.olympus[other, i])
        if 0 <= card < UNKNOWN and (state.olympus_closed >> (TEAM * other + i)) & 1 == 1:
            pool |= bits.bit(card)
            state.olympus[other, i] = UNKNOWN + back_of(rules, card)
        if state.phase == EQUIP and state.equipped[other, i] != NONE:
            state.equipped[other, i] = SECRET
    state.hands[other] = pool
    is_choosing = state.phase == CHALLENGE_ORIENT or state.phase == DEPLOY_PLACE or state.phase == DEPLOY_ORIENT
    if is_choosing and state.actor == other:
        state.card = UNKNOWN + UNKNOWN_STACK


@kernel
def back_of(rules, card):
    """What the back of a closed card shows: its stack, or that it is unknown [R7]."""
    return card // IN_STACK if rules.closed_shows_stack == CLOSED_SHOWS_STACK else UNKNOWN_STACK


@kernel
def _note_backs(rules, state, side, cards):
    """Note what the backs of the closed cards on a side show. Modified in place: `state`."""
    number = 0
    while cards != bits.ZERO:
        state.hidden[side, number] = 1 + back_of(rules, bits.lowest(cards))
        number += 1
        cards = bits.without_lowest(cards)


@kernel
def _forget_gathered(state, seat):
    """Leave of the other hands what was stolen; count the rest by stack [R22]. Modified in place: `state`."""
    known = state.hands[seat] | state.closed
    for i in range(TEAM):
        if state.olympus[seat, i] != NONE:
            known |= bits.bit(state.olympus[seat, i])
    for other in range(MOST_SEATS):
        if other == seat:
            continue
        state.gathered[other] &= state.drafted
        named = stolen_of(state, state.hands[other]) | state.gathered[other]
        forgotten = state.hands[other] & ~named
        for stack in range(STACKS):
            state.unseen[other, stack] += bits.count(forgotten & stack_cards(stack))
        state.hands[other] = named
        known |= named
    for champion in range(CHAMPIONS):
        if not bits.has(known, champion):
            state.since[champion] = 0


@kernel
def seen_as(rules, state, action, observer):
    """A champion that another seat chooses is not seen until it lies, and its equipment not until all have chosen."""
    if observer == state.actor:
        return action
    is_secret = state.phase == CHALLENGE_CARD or state.phase == DEPLOY_CARD or state.phase == EQUIP
    return SOMETHING if is_secret and action != END else action


@kernel
def news(rules, state, observer):
    """A hash of what the last event showed: draws, gathered cards, cards laid or turned up, equipment; otherwise 0."""
    kind = int(state.news)
    if kind == NO_NEWS:
        return 0
    digest = absorb(np.uint64(kind), np.uint64(int(state.drawn) + 1))
    if kind == CARDS_NEWS:
        digest = _cards_hash(rules, state, digest)
    elif kind == GATHERED_NEWS:
        digest = _gathered_hash(rules, state, observer, digest)
    elif kind == EQUIPMENT_NEWS:
        for seat in range(rules.num_players):
            for i in range(TEAM):
                digest = absorb(digest, np.uint64(int(state.equipped[seat, i]) + 1))
    elif kind == CITADELS_NEWS:
        for seat in range(rules.num_players):
            digest = absorb(digest, np.uint64(int(state.citadels[seat])))
    elif kind == SIDES_NEWS:
        for side in range(SIDES):
            digest = absorb(digest, np.uint64(int(state.treasures[side]) + 1))
    elif kind == CROWN_NEWS:
        digest = absorb(digest, np.uint64(int(state.finder)))
    elif kind == B_QUEST_NEWS:
        digest = absorb(digest, np.uint64(int(state.b_quest)))
    return short_hash(digest)


@kernel
def _cards_hash(rules, state, digest):
    """Hash all cards that lie open at quests, on Olympus and in the discard pile, and the backs of the closed ones."""
    for side in range(SIDES):
        digest = absorb(digest, state.lineups[side] & ~state.closed)
        covered = state.lineups[side] & state.closed
        while covered != bits.ZERO:
            digest = absorb(digest, np.uint64(CARDS + back_of(rules, bits.lowest(covered))))
            covered = bits.without_lowest(covered)
    for seat in range(rules.num_players):
        for i in range(TEAM):
            card = int(state.olympus[seat, i])
            is_closed = (state.olympus_closed >> (TEAM * seat + i)) & 1 == 1
            seen = card + 1 if not is_closed else CARDS + 1 + back_of(rules, card)
            digest = absorb(digest, np.uint64(seen))
    return absorb(digest, state.discard)


@kernel
def _gathered_hash(rules, state, observer, digest):
    """Hash what everybody has gathered and the open columns; who forgets it was shown its own cards only."""
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        return absorb(digest, state.gathered[observer])
    for seat in range(rules.num_players):
        digest = absorb(digest, state.gathered[seat])
    for stack in range(STACKS):
        for place in range(int(state.opened)):
            digest = absorb(digest, np.uint64(state.stacks[IN_STACK * stack + place]))
    return digest
