"""Set-up, the start of a round, gathering cards, and sending champions to Olympus."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel, stack_bytes
from cardkit.rng import integer
from kosmogonia.cards import ALL_CHAMPIONS, CITADELS, GODS, IN_STACK, QUESTS, REINFORCEMENT, STACK, STACKS
from kosmogonia.rules import MOST_SEATS, STANDARD, TACTICS, TOURNAMENT, VARIATION
from kosmogonia.state import (
    CARDS_NEWS,
    CHALLENGE_CARD,
    CLOSED,
    DRAFT,
    DRAW_B_QUEST,
    DRAW_CROWN,
    DRAW_SIDES,
    DRAW_STACKS,
    FIRST_PLAYER,
    GATHERED_NEWS,
    MOST_QUESTS,
    NONE,
    SIDES,
    TEAM,
    TO_CHALLENGE,
    TO_DEPLOYMENT,
    TO_GATHERING,
    TO_ROUND,
    UNSEEN,
)

FIRST_B, FIRST_C = 3, 6  # quests


@kernel
def num_rounds(rules):
    """Rounds in a game [R5]."""
    return 3 - rules.variant


@kernel
def num_quests(rules):
    """Quests in a round [R5]."""
    return MOST_QUESTS if rules.variant == TOURNAMENT else MOST_QUESTS - 1


@kernel
def quest_at(rules, state, position):
    """The quest at a position of this round; position 0 is nearest Olympus [R5]."""
    if rules.variant == TOURNAMENT:
        return FIRST_C + position if position < MOST_QUESTS - 1 else int(state.b_quest)
    first = 3 * int(state.round_number) if rules.variant == STANDARD else 3 * int(state.round_number) + FIRST_B
    return first + position


@kernel
def is_last_round(rules, state):
    """Whether the final follows this round."""
    return state.round_number == num_rounds(rules) - 1


@kernel
def stack_cards(stack):
    """All cards of a stack, 0 are the gods."""
    return STACK << np.uint64(stack * IN_STACK)


@kernel
def cards_a_stack(rules):
    """Cards of each stack that a seat gets in one gathering [R15]."""
    return 3 if rules.variant == TOURNAMENT else 1


@kernel
def cards_a_round(rules):
    """Cards of each stack that a seat gets in a round [R15]."""
    return cards_a_stack(rules) * (2 if rules.variant == VARIATION else 1)


@kernel
def next_seat(rules, seat):
    """The seat clockwise."""
    return seat + 1 if seat + 1 < rules.num_players else 0


# Set-up


@outlined_kernel
def draw_citadels(rules, state, rng):
    """Give every seat a citadel [R8]. Modified in place: `state`, `rng`."""
    left = stack_bytes()
    for citadel in range(CITADELS):
        left[citadel] = citadel
    for seat in range(rules.num_players):
        place = integer(rng, CITADELS - seat)
        state.citadels[seat] = left[place]
        left[place] = left[CITADELS - seat - 1]
    state.phase = DRAW_STACKS


@outlined_kernel
def draw_stacks(rules, state, rng):
    """Shuffle the five stacks [R7]. Modified in place: `state`, `rng`."""
    for stack in range(STACKS):
        first = IN_STACK * stack
        for place in range(IN_STACK):
            other = integer(rng, place + 1)
            state.stacks[first + place] = state.stacks[first + other]
            state.stacks[first + other] = first + place
    state.phase = DRAW_B_QUEST if rules.variant == TOURNAMENT else TO_ROUND


@kernel
def draw_b_quest(state, rng):
    """Draw the fourth quest of the tournament [R6]. Modified in place: `state`, `rng`."""
    state.b_quest = FIRST_B + integer(rng, QUESTS // 3)
    state.phase = TO_ROUND


@kernel
def first_draw(rules):
    """The phase in which a round starts: the columns of Tactics need the place of the quests [R10]."""
    return DRAW_CROWN if rules.mode == TACTICS else DRAW_SIDES


@outlined_kernel
def clear_round(state):
    """Clear what belongs to a round. Modified in place: `state`."""
    for seat in range(MOST_SEATS):
        state.gathered[seat] = bits.ZERO
        state.deployed[seat] = 0
        state.duels_won[seat] = 0
        state.duels_tied[seat] = 0
        state.hunts[seat] = 0
        state.hunts_won[seat] = 0
        state.won[seat] = 0
    for side in range(SIDES):
        state.owners[side] = NONE
        state.treasures[side] = NONE
    for position in range(MOST_QUESTS):
        state.blue[position] = NONE
    state.fought = 0
    state.hunted = 0
    state.beaten = 0
    state.ended = 0
    state.drafts = 0
    state.finder = NONE


@outlined_kernel
def draw_sides(rules, state, rng):
    """Lay the two treasures of each quest to its sides [R9]. Modified in place: `state`, `rng`."""
    if rules.mode != TACTICS:
        clear_round(state)
    for position in range(num_quests(rules)):
        quest = quest_at(rules, state, position)
        left = integer(rng, 2)
        for side in range(2):
            copy = left if side == 0 else 1 - left
            state.treasures[2 * position + side] = rules.cards[0].quest_treasures[quest, copy]
    state.phase = TO_CHALLENGE if rules.mode == TACTICS else DRAW_CROWN


@kernel
def draw_crown(rules, state, rng):
    """Find who chooses the first player [R12]. Modified in place: `state`, `rng`."""
    if rules.mode == TACTICS:
        clear_round(state)
    state.finder = integer(rng, rules.num_players)
    state.actor = state.finder
    state.phase = FIRST_PLAYER


@kernel
def legal_first_players(rules, state):
    """Nobody plays first in two rounds in a row [R13]."""
    seats = bits.below(rules.num_players)
    return seats & ~bits.bit(state.first_player) if state.first_player != NONE else seats


@kernel
def choose_first_player(state, action):
    """The finder of the crown names who plays first [R12]. Modified in place: `state`."""
    state.first_player = action
    state.phase = TO_GATHERING


# Gathering


@outlined_kernel
def gather(rules, state):
    """Deal all cards of the round, or open the columns of the next draft [R15-R21]. Modified in place: `state`."""
    gatherings = 2 if rules.variant == VARIATION else 1
    if rules.mode != TACTICS:
        for _ in range(gatherings):
            _deal(rules, state)
        state.news = GATHERED_NEWS
        state.phase = TO_CHALLENGE
    elif state.drafts < gatherings:
        state.opened += cards_a_stack(rules) * rules.num_players
        state.actor = state.first_player
        state.news = GATHERED_NEWS
        state.phase = DRAFT
    else:
        state.phase = DRAW_SIDES


@kernel
def _deal(rules, state):
    """Every seat gets its cards from the tops of the stacks, seat by seat [R16, R21]. Modified in place: `state`."""
    number = cards_a_stack(rules)
    for seat in range(rules.num_players):
        for stack in range(STACKS):
            for i in range(number):
                take(state, seat, IN_STACK * stack + int(state.opened) + number * seat + i)
    state.opened += number * rules.num_players


@kernel
def take(state, seat, place):
    """Move a card from a place in the stacks to a hand. Modified in place: `state`."""
    card = state.stacks[place]
    state.stacks[place] = UNSEEN
    state.hands[seat] |= bits.bit(card)
    state.gathered[seat] |= bits.bit(card)
    if bits.has(ALL_CHAMPIONS, card):
        state.since[card] = 1 + 2 * state.round_number


@kernel
def stolen_of(state, cards):
    """The champions among some cards in hand that their owner has stolen."""
    stolen = bits.ZERO
    champions = cards & ALL_CHAMPIONS
    while champions != bits.ZERO:
        card = bits.lowest(champions)
        if state.since[card] > 0 and state.since[card] % 2 == 0:
            stolen |= bits.bit(card)
        champions = bits.without_lowest(champions)
    return stolen


@kernel
def kept_of(state, past, seat, stack):
    """How many champions of a stack that a seat had gathered nobody had seen again by the end of a past round.

    Bits 2 x stack and up of `kept`. It bounds from above how many of those still unseen were gathered by then.
    """
    return (int(state.kept[past, seat]) >> (2 * stack)) & 3


@outlined_kernel
def note_kept(rules, state):
    """Note at the end of a round what everybody has kept unseen, 2 at most by the rules. Modified in place: `state`."""
    for seat in range(rules.num_players):
        unseen = state.hands[seat]
        for i in range(TEAM):
            if (state.olympus_closed >> (TEAM * seat + i)) & 1 == 1:
                unseen |= bits.bit(state.olympus[seat, i])
        unseen &= ~stolen_of(state, unseen)
        kept = 0
        for stack in range(REINFORCEMENT):
            kept |= min(bits.count(unseen & stack_cards(stack)), 3) << (2 * stack)
        state.kept[int(state.round_number), seat] = kept


@kernel
def top_of_column(rules, state, stack):
    """The place of the card of an open column that may be taken, the one opened last; -1 if none is left [R17]."""
    first = IN_STACK * stack + int(state.opened) - cards_a_stack(rules) * rules.num_players
    place = IN_STACK * stack + int(state.opened) - 1
    while place >= first and state.stacks[place] == UNSEEN:
        place -= 1
    return place if place >= first else NONE


@outlined_kernel
def legal_picks(rules, state):
    """The columns from which the seat has not taken all its cards of this draft [R17, R18, R21]."""
    mask = bits.ZERO
    most = cards_a_stack(rules) * (state.drafts + 1)
    for stack in range(STACKS):
        has_room = bits.count(state.gathered[int(state.actor)] & stack_cards(stack)) < most
        if has_room and top_of_column(rules, state, stack) != NONE:
            mask |= bits.bit(stack)
    return mask


@outlined_kernel
def pick(rules, state, stack):
    """Take the card of a column; the draft ends when all have all [R17, R20]. Modified in place: `state`."""
    place = top_of_column(rules, state, stack)
    state.drafted |= bits.bit(state.stacks[place])
    take(state, int(state.actor), place)
    state.actor = next_seat(rules, int(state.actor))
    all_cards = STACKS * cards_a_stack(rules) * (state.drafts + 1)
    if bits.count(state.gathered[int(state.actor)]) == all_cards:
        state.drafts += 1
        state.drafted = bits.ZERO
        state.phase = TO_GATHERING


# Challenge


@kernel
def start_challenge(state):
    """The first player sends champions to Olympus [R24]. Modified in place: `state`."""
    state.actor = state.first_player
    state.phase = CHALLENGE_CARD


@kernel
def num_sent(state, seat):
    """Champions that a seat has sent to Olympus so far."""
    number = 0
    while number < TEAM and state.olympus[seat, number] != NONE:
        number += 1
    return number


@kernel
def must_have_sent(rules, rounds):
    """Champions that a seat has on Olympus after the Challenge of a round, 0 is the first [R23]."""
    if rounds < 0:
        return 0
    if rules.variant == STANDARD:
        return rounds + 1
    return TEAM if rounds == num_rounds(rules) - 1 else 1


@kernel
def has_god(state, seat):
    """Whether a seat has sent a god."""
    has_one = False
    for i in range(TEAM):
        has_one = has_one or 0 <= state.olympus[seat, i] < IN_STACK
    return has_one


@kernel
def legal_sends(rules, state):
    """Champions in hand; only gods where the team would end without one [R23, R26]."""
    seat = int(state.actor)
    champions = state.hands[seat] & ALL_CHAMPIONS
    is_last = is_last_round(rules, state) and num_sent(state, seat) == TEAM - 1
    return champions & GODS if is_last and not has_god(state, seat) else champions


@kernel
def send(rules, state, orientation):
    """Lay the chosen champion on Olympus, open or closed [R24, R25]. Modified in place: `state`."""
    seat = int(state.actor)
    number = num_sent(state, seat)
    state.olympus[seat, number] = state.card
    state.hands[seat] &= ~bits.bit(state.card)
    state.card = NONE
    state.news = CARDS_NEWS
    if orientation == CLOSED:
        state.olympus_closed |= 1 << (TEAM * seat + number)
    state.phase = CHALLENGE_CARD
    if number + 1 == must_have_sent(rules, int(state.round_number)):
        state.actor = next_seat(rules, seat)
        if state.actor == state.first_player:
            state.phase = TO_DEPLOYMENT


@kernel
def legal_challenge_orientations(state):
    """The first card a seat sends in the game lies open [R25]."""
    return bits.ONE if num_sent(state, int(state.actor)) == 0 else bits.below(2)


@kernel
def choose_card(state, action, phase):
    """Choose a champion; what becomes of it is asked in the phase that follows. Modified in place: `state`."""
    state.card = action
    state.phase = phase
