"""Duels and hunts: who meets whom, whose turn it is, who wins, and what is left on the table."""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._gathering import num_quests, quest_at
from kosmogonia._symbols import CANCEL, MOST_USES, WIN_HUNT, corner_total, face_of, is_written, seat_of
from kosmogonia.cards import CATEGORIES
from kosmogonia.rules import LONE_SEATS_REST, PULLED_PERSISTS
from kosmogonia.state import (
    BEATEN,
    CARDS_NEWS,
    DUEL,
    HUNT,
    LEFT_WINS,
    NO_FIGHT,
    NONE,
    NOT_BEATEN,
    TIED,
    TO_DUEL,
    TO_END_EFFECTS,
    TO_HARVEST,
    TO_HUNT,
    TO_SPOILS,
    USE,
)


@outlined_kernel
def start_encounter(state, fight, position, corner):
    """Clear what belongs to an encounter; the corner acts first. Modified in place: `state`."""
    state.fight = fight
    state.position = position
    state.corner = corner
    for other in range(2):
        state.uses[other] = 0
        state.symbols_used[other] = 0
        for category in range(CATEGORIES):
            state.bonus[other, category] = 0
    state.passed = 0 if fight == DUEL else 1 << (1 - corner)
    state.queue_size = 0
    state.queue_done = 0
    state.symbol = NONE
    ask_for_use(state, corner)


@kernel
def ask_for_use(state, corner):
    """The corner may use a symbol or pass. Modified in place: `state`."""
    state.corner = corner
    state.actor = seat_of(state, corner)
    state.phase = USE


@kernel
def next_turn(state):
    """The other corner acts if it has not passed, else the same one again [R41, R44]. Modified in place: `state`."""
    corner = int(state.corner)
    if state.uses[corner] >= MOST_USES:
        state.passed |= 1 << corner
    if not has_passed(state, 1 - corner):
        ask_for_use(state, 1 - corner)
    elif not has_passed(state, corner):
        ask_for_use(state, corner)
    else:
        state.phase = TO_END_EFFECTS


@kernel
def has_passed(state, corner):
    """Whether a corner makes no more uses in this encounter."""
    return (state.passed >> corner) & 1 == 1


@kernel
def turn_up(state, side):
    """Turn up the closed cards of a side. Modified in place: `state`."""
    if state.closed & state.lineups[side] != bits.ZERO:
        state.closed &= ~state.lineups[side]
        state.news = CARDS_NEWS


@outlined_kernel
def clear_table(state):
    """Used reinforcement cards go to the discard pile, and nobody fights. Modified in place: `state`."""
    state.discard |= state.table
    state.table = bits.ZERO
    state.fight = NO_FIGHT
    state.in_force = 0
    state.symbol = NONE
    for corner in range(2):
        state.uses[corner] = 0
        state.symbols_used[corner] = 0
        for category in range(CATEGORIES):
            state.bonus[corner, category] = 0
    state.passed = 0
    state.queue_size = 0
    state.queue_done = 0
    state.corner = 0


# Duels


@outlined_kernel
def next_duel(rules, state):
    """Start the next duel, or go on to the Harvest [R38-R40]. Modified in place: `state`."""
    for position in range(num_quests(rules)):
        left = 2 * position
        is_contested = state.owners[left] != NONE and state.owners[left + 1] != NONE
        if not is_contested or (state.fought >> position) & 1 == 1:
            continue
        state.fought |= 1 << position
        turn_up(state, left)
        turn_up(state, left + 1)
        start_encounter(state, DUEL, position, int(state.blue[position]))
        state.in_force = 0
        for category in range(CATEGORIES):
            if is_written(rules, state, category):
                state.in_force |= 1 << category
        return
    state.phase = TO_HARVEST


@kernel
def duel_winner(rules, state):
    """The corner with more excellences; -1 for a tie [R51, R53, R65]."""
    if state.symbol == CANCEL:
        return NONE
    lead = 0
    for category in range(CATEGORIES):
        if (state.in_force >> category) & 1 == 1:
            left = corner_total(rules, state, 0, category)
            right = corner_total(rules, state, 1, category)
            if left != right:
                lead += 1 if left > right else -1
    return NONE if lead == 0 else (0 if lead > 0 else 1)


@outlined_kernel
def finish_duel(rules, state):
    """Compare, and clear away what does not stay for the hunt [R51-R55, R60, R62]. Modified in place: `state`."""
    winner = duel_winner(rules, state)
    state.result = TIED if winner == NONE else LEFT_WINS + winner
    for category in range(CATEGORIES):
        state.totals[0, category] = corner_total(rules, state, 0, category)
        state.totals[1, category] = corner_total(rules, state, 1, category)
    left = 2 * int(state.position)
    leaving = state.moved
    if rules.sym6_persists != PULLED_PERSISTS:
        leaving |= state.pulled
    for corner in range(2):
        side = left + corner
        seat = int(state.owners[side])
        if winner == NONE:
            state.duels_tied[seat] += 1
        elif winner == corner:
            state.duels_won[seat] += 1
        else:
            leaving |= state.lineups[side]
            state.owners[side] = NONE
    for side in range(left, left + 2):
        state.discard |= state.lineups[side] & leaving
        state.lineups[side] &= ~leaving
    state.pulled = bits.ZERO
    state.moved = bits.ZERO
    clear_table(state)
    state.phase = TO_DUEL


# Harvest


@outlined_kernel
def harvest(rules, state):
    """Winners and lone seats take their treasure, Kronos those of empty quests [R69-R71]. In place: `state`."""
    for position in range(num_quests(rules)):
        left = 2 * position
        for side in range(left, left + 2):
            owner = int(state.owners[side])
            other = int(state.owners[side ^ 1])
            if owner != NONE and other == NONE:
                win_treasure(state, owner, side)
            elif owner == NONE and other == NONE:
                lose_treasure(state, side)
    state.phase = TO_HUNT


@kernel
def win_treasure(state, seat, side):
    """The treasure of a side goes to a vault. Modified in place: `state`."""
    state.vaults[seat] |= 1 << int(state.treasures[side])
    state.treasures[side] = NONE
    state.won[seat] += 1


@kernel
def lose_treasure(state, side):
    """The treasure of a side goes to Kronos. Modified in place: `state`."""
    state.treasury |= 1 << int(state.treasures[side])
    state.treasures[side] = NONE


# Hunts


@outlined_kernel
def next_hunt(rules, state):
    """Start the next hunt, the blue banner first, or go on to the Spoils [R72-R76]. Modified in place: `state`."""
    for position in range(num_quests(rules)):
        for turn in range(2):
            corner = int(state.blue[position]) ^ turn
            side = 2 * position + corner
            if state.blue[position] == NONE or state.owners[side] == NONE or (state.hunted >> side) & 1 == 1:
                continue
            state.hunted |= 1 << side
            turn_up(state, side)
            if rules.lone_hunts == LONE_SEATS_REST and (state.fought >> position) & 1 == 0:
                state.discard |= state.lineups[side]
                state.lineups[side] = bits.ZERO
                continue
            state.hunts[int(state.owners[side])] += 1
            start_encounter(state, HUNT, position, corner)
            return
    state.phase = TO_SPOILS


@kernel
def monster_value(rules, state, category):
    """What the monster of this quest must be met with in a category; 0 for nothing [R78]."""
    quest = quest_at(rules, state, int(state.position))
    return rules.cards[0].monsters[quest, face_of(rules, quest), category]


@kernel
def is_monster_beaten(rules, state):
    """Whether the hunter reaches every value of the monster, or symbol 9 has decided [R67, R77, R78]."""
    if state.symbol == WIN_HUNT:
        return True
    for category in range(CATEGORIES):
        value = monster_value(rules, state, category)
        if value > 0 and corner_total(rules, state, int(state.corner), category) < value:
            return False
    return True


@outlined_kernel
def finish_hunt(rules, state):
    """Compare with the monster and clear the side [R77, R79]. Modified in place: `state`."""
    side = 2 * int(state.position) + int(state.corner)
    is_beaten = is_monster_beaten(rules, state)
    state.result = BEATEN if is_beaten else NOT_BEATEN
    for category in range(CATEGORIES):
        state.totals[0, category] = corner_total(rules, state, int(state.corner), category)
        state.totals[1, category] = monster_value(rules, state, category)
    if is_beaten:
        state.beaten |= 1 << side
        state.hunts_won[int(state.owners[side])] += 1
    state.discard |= state.lineups[side]
    state.lineups[side] = bits.ZERO
    state.pulled = bits.ZERO
    clear_table(state)
    state.phase = TO_HUNT


@outlined_kernel
def share_spoils(rules, state):
    """Who has beaten a monster takes a treasure, Kronos takes what is left [R80-R82]. Modified in place: `state`."""
    for side in range(2 * num_quests(rules)):
        if (state.beaten >> side) & 1 == 1:
            is_tie = state.owners[side ^ 1] != NONE
            win_treasure(state, int(state.owners[side]), side if is_tie else side ^ 1)
    for side in range(2 * num_quests(rules)):
        if state.treasures[side] != NONE:
            lose_treasure(state, side)
