"""What every world of a view must keep, written from the rules and compiled: no line is shared with the samplers.

A check gets a view and a record that is said to be one of its worlds. `WRONG` counts those that are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from kosmogonia.rules import HIDDEN_AFTER_GATHER, TOURNAMENT, VARIATION
from kosmogonia.state import CHALLENGE_ORIENT, DEPLOY_ORIENT, DEPLOY_PLACE, DRAFT, EQUIP, NOTHING, SECRET, UNKNOWN

HONOURS = np.uint64(sum(0b1111 << 13 * suit + 9 for suit in range(4)))  # J, Q, K, A of Truf
SUITED = np.uint64(2**52 - 1)
SUIT = np.uint64(2**13 - 1)
STACK = np.uint64(2**12 - 1)
SIXTY = np.uint64(2**60 - 1)
CHAMPIONS = np.uint64(2**48 - 1)


# Kronions and Truf


@kernel
def kronions_wrong(rules, states, seat, number):
    """How many of the records 1 to `number` are no worlds of the view in record 0."""
    wrong = 0
    for i in range(1, number + 1):
        if not _is_kronions_world(rules, states[0], states[i], seat):
            wrong += 1
    return wrong


@kernel
def _is_kronions_world(rules, view, state, seat):
    """Each card once, hands of the right size with the cards seen, no suit in which a seat is void."""
    seen = np.uint64(0)
    paradox = int(view.turned_up)
    if view.flip >= 0 and view.flip < 52:
        seen = np.uint64(1) << np.uint64(view.flip)
        paradox -= 1
    for player in range(rules.num_players):
        hand = state.hands[player]
        copies = bits.count(hand >> np.uint64(52))
        suited = hand & SUITED
        held = suited & ~state.played
        if suited & seen != bits.ZERO or hand >> np.uint64(52) != bits.below(copies):
            return False
        if bits.count(hand) != bits.count(view.hands[seat]) or copies < view.paradox_played[player]:
            return False
        if suited & state.played != view.hands[player] & SUITED & view.played:
            return False
        for suit in range(4):
            cards = SUIT << np.uint64(13 * suit)
            if (int(view.voids[player]) >> suit) & 1 == 1 and held & cards != bits.ZERO:
                return False
            if suit >= rules.num_suits and suited & cards != bits.ZERO:
                return False
            if suited & cards & ~(bits.below(rules.num_ranks) << np.uint64(13 * suit)) != bits.ZERO:
                return False
        seen |= suited
        paradox += copies
    return paradox <= rules.num_paradox and state.hands[seat] == view.hands[seat]


@kernel
def truf_wrong(rules, states, seat, number):
    """How many of the records 1 to `number` are no worlds of the view in record 0."""
    wrong = 0
    for i in range(1, number + 1):
        if not _is_truf_world(rules, states[0], states[i], seat):
            wrong += 1
    return wrong


@kernel
def _is_truf_world(rules, view, state, seat):
    """The whole pack dealt evenly, cards seen and exposed where they were seen, no void broken, no freak [R4]."""
    seen = np.uint64(0)
    size = bits.count(view.hands[seat])
    for player in range(4):
        hand = state.hands[player]
        held = hand & ~state.played
        if hand & seen != bits.ZERO or bits.count(hand) != size or state.laid[player] & ~hand != bits.ZERO:
            return False
        if player != seat and hand & view.played != view.hands[player] & view.played:
            return False
        if rules.redeal == 1 and size > 0 and (hand & HONOURS == bits.ZERO or hand & ~HONOURS == bits.ZERO):
            return False
        for suit in range(4):
            if (int(view.voids[player]) >> suit) & 1 == 1 and held & (SUIT << np.uint64(13 * suit)) != bits.ZERO:
                return False
        if state.phase == 1:
            if (state.laid[player] != bits.ZERO) != (player < state.actor) and player != state.actor:
                return False
        elif state.laid[player] != view.laid[player]:
            return False
        seen |= hand
    if bits.count(seen) != 4 * size or state.hands[seat] != view.hands[seat]:
        return False
    return _is_trick_filled(rules, view, state)


@kernel
def _is_trick_filled(rules, view, state):
    """The trick with a rank of the right suit, held by the right seat, where the view has none; nothing else played."""
    turned = np.uint64(0)
    step = 3 if rules.direction == 1 and state.hands_done % 2 == 1 else 1
    for i in range(state.trick_size):
        shown = int((view.trick >> np.uint64(8 * i)) & np.uint64(255)) - 1
        card = int((state.trick >> np.uint64(8 * i)) & np.uint64(255)) - 1
        player = (int(state.leader) + step * i) % 4
        if card < 0 or card >= 52 or not bits.has(state.hands[player], card) or not bits.has(state.played, card):
            return False
        if shown >= 52:
            turned |= bits.bit(card)
        if card != shown and card // 13 + 52 != shown:
            return False
    return state.played == view.played | turned and bits.count(turned & view.played) == 0


# Kosmogonia: "Who knows what" and the invariants of rules/kosmogonia.md


@kernel
def kosmogonia_wrong(rules, states, seat, number):
    """How many of the records 1 to `number` are no worlds of the view in record 0."""
    wrong = 0
    for i in range(1, number + 1):
        if not _is_kosmogonia_world(rules, states[0], states[i], seat):
            wrong += 1
    return wrong


@kernel
def _is_kosmogonia_world(rules, view, state, seat):
    """Each card in one place; the others with cards and equipment that they may have, closed where they may lie."""
    if not _is_each_card_once(view, state) or not _are_sides_filled(view, state, seat):
        return False
    for other in range(rules.num_players):
        if other == seat:
            if state.hands[seat] != view.hands[seat]:
                return False
        elif (
            not _has_what_it_may_have(rules, view, state, other)
            or not _is_team_filled(rules, view, state, other)
            or not _is_equipment_filled(view, state, other)
        ):
            return False
    return _are_moments_kept(rules, view, state, seat)


@kernel
def _is_each_card_once(view, state):
    """All 60 cards, each in one place; what is closed in a stack is of that stack, what is open in it is as seen."""
    everywhere = state.discard | state.table
    number = bits.count(state.discard) + bits.count(state.table)
    alone = state.pulled
    for side in range(8):
        everywhere |= state.lineups[side]
        number += bits.count(state.lineups[side])
        alone &= ~state.lineups[side]
    everywhere |= alone
    number += bits.count(alone)
    for seat in range(4):
        everywhere |= state.hands[seat]
        number += bits.count(state.hands[seat])
        for i in range(3):
            if state.olympus[seat, i] >= 48:
                return False
            if state.olympus[seat, i] >= 0:
                everywhere |= bits.bit(state.olympus[seat, i])
                number += 1
    for place in range(60):
        card = int(state.stacks[place])
        if place % 12 < view.opened and card != view.stacks[place]:
            return False
        if card < 60:
            everywhere |= bits.bit(card)
            number += 1
        if place % 12 >= view.opened and card // 12 != place // 12:
            return False
    return number == 60 and everywhere == SIXTY


@kernel
def _pool(view, state, seat):
    """What a seat has that does not lie face up: its hand and its closed cards."""
    pool = state.hands[seat]
    for side in range(8):
        if view.owners[side] == seat:
            pool |= state.lineups[side] & state.closed
    for i in range(3):
        if view.olympus[seat, i] >= UNKNOWN:
            pool |= bits.bit(state.olympus[seat, i])
    return pool


@kernel
def _of_stack(cards, stack):
    """How many cards are of a stack."""
    return bits.count(cards & (STACK << np.uint64(12 * stack)))


@kernel
def _has_what_it_may_have(rules, view, state, seat):
    """The cards that are known to be with a seat, and as many others of each stack as it is known to have."""
    pool = _pool(view, state, seat)
    if view.hands[seat] & ~pool != bits.ZERO:
        return False
    if rules.hands_public != HIDDEN_AFTER_GATHER and (
        pool != view.hands[seat] or view.gathered[seat] != state.gathered[seat]
    ):
        return False
    for stack in range(5):
        if _of_stack(pool, stack) != _of_stack(view.hands[seat], stack) + view.unseen[seat, stack]:
            return False
    return True


@kernel
def _can_lie(state, card, moment, back):
    """Whether a card may lie closed where one was laid at a moment: a champion that was there, of the stack shown."""
    is_champion = card < 48 and not bits.has(state.drafted, card)
    return is_champion and state.since[card] <= moment and (back == 4 or back == card // 12)


@kernel
def _is_team_filled(rules, view, state, seat):
    """Champions that the seat had when they were sent, one of three a god; one that is chosen is in hand."""
    now = 1 + 2 * int(view.round_number)
    is_choosing = view.phase == CHALLENGE_ORIENT or view.phase == DEPLOY_PLACE or view.phase == DEPLOY_ORIENT
    number = gods = 0
    for i in range(3):
        card, shown = int(state.olympus[seat, i]), int(view.olympus[seat, i])
        moment = 1 if rules.variant == TOURNAMENT else 1 + 2 * i
        if rules.variant == VARIATION:
            moment = min(moment, 3)
        if shown >= UNKNOWN and (card < 0 or not _can_lie(state, card, moment, shown - UNKNOWN)):
            return False
        if shown < UNKNOWN and card != shown:
            return False
        number += card >= 0
        gods += card >= 0 and card < 12
    if is_choosing and view.actor == seat:
        card = int(state.card)
        if card < 0 or not bits.has(state.hands[seat], card) or not _can_lie(state, card, now, 4):
            return False
        if view.phase == CHALLENGE_ORIENT:
            number += 1
            gods += card < 12
    return number < 3 or gods > 0


@kernel
def _are_sides_filled(view, state, seat):
    """The open cards as they lie, and on the sides of others as many closed ones as there are, with their backs."""
    for side in range(8):
        covered = state.lineups[side] & state.closed
        if view.owners[side] == seat:
            if state.lineups[side] != view.lineups[side] or covered != view.lineups[side] & view.closed:
                return False
            continue
        backs = 0
        for i in range(2):
            back = int(view.hidden[side, i]) - 1
            alike = 0
            for j in range(2):
                alike += view.hidden[side, j] == view.hidden[side, i]
            if back >= 0 and back < 4 and _of_stack(covered, back) != alike:
                return False
            backs += back >= 0
        if bits.count(covered) != backs or state.lineups[side] & ~covered != view.lineups[side]:
            return False
        while covered != bits.ZERO:
            if not _can_lie(state, bits.lowest(covered), 1 + 2 * int(view.round_number), 4):
                return False
            covered = bits.without_lowest(covered)
    return True


@kernel
def _is_equipment_filled(view, state, seat):
    """Where the view has a secret, nothing or a treasure of the vault, each once."""
    given = 0
    for i in range(3):
        treasure = int(state.equipped[seat, i])
        if view.phase != EQUIP or view.equipped[seat, i] != SECRET:
            if treasure != view.equipped[seat, i]:
                return False
        elif treasure != NOTHING:
            if treasure < 0 or treasure >= 18 or ((int(view.vaults[seat]) & ~given) >> treasure) & 1 == 0:
                return False
            given |= 1 << treasure
    return True


@kernel
def _are_moments_kept(rules, view, state, seat):
    """When a champion came is as in the view, but where others have gathered what nobody remembers."""
    forgotten = bits.ZERO
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        for other in range(rules.num_players):
            if other != seat:
                unnamed = _pool(view, state, other) & ~view.hands[other] & CHAMPIONS
                forgotten |= unnamed
                if not _could_be_gathered(rules, view, state, other, unnamed):
                    return False
    other_moments = bits.ZERO
    for card in range(48):
        if state.since[card] != view.since[card]:
            other_moments |= bits.bit(card)
    return other_moments & ~forgotten == bits.ZERO


@kernel
def _could_be_gathered(rules, view, state, seat, champions):
    """No more champions from a round than were gathered in it, nor from the rounds up to one than it left unseen."""
    a_gathering = 3 if rules.variant == TOURNAMENT else 1
    now = int(view.round_number)
    is_draft = view.phase == DRAFT
    earlier = state.gathered[seat] & ~state.drafted  # in the draft of this round that is done
    for stack in range(4):
        so_far = 0
        for past in range(now + 1):
            of_round = bits.ZERO
            for card in range(12 * stack, 12 * stack + 12):
                if bits.has(champions, card) and state.since[card] == 1 + 2 * past:
                    of_round |= bits.bit(card)
            gatherings = 2 if rules.variant == VARIATION else 1
            if is_draft and past == now:
                gatherings = int(view.drafts)
                if of_round != earlier & (STACK << np.uint64(12 * stack)):
                    return False
            so_far += bits.count(of_round)
            if bits.count(of_round) > a_gathering * gatherings:
                return False
            if past < now and so_far > (int(view.kept[past, seat]) >> (2 * stack)) & 3:
                return False
        if so_far != _of_stack(champions, stack):
            return False
    return not is_draft or (
        earlier & ~state.hands[seat] == bits.ZERO and _of_stack(earlier, 4) == a_gathering * view.drafts
    )


WRONG: dict[str, Any] = {"kronions": kronions_wrong, "truf": truf_wrong, "kosmogonia": kosmogonia_wrong}
