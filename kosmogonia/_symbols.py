"""The twelve symbols: when they can be used and what they do, in duels, hunts and against Kronos."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from cardkit.rng import integer
from kosmogonia._gathering import quest_at
from kosmogonia.cards import (
    ALL_CHAMPIONS,
    CATEGORIES,
    CHAMPIONS,
    DEFENDERS,
    GODS,
    MORTALS,
    THORNBEARERS,
    TREASURES,
)
from kosmogonia.rules import EASY, HARD, NULL_SYMBOLS, ONE_NUMBER, PULLED_NOT_COUNTED
from kosmogonia.state import (
    CARDS_NEWS,
    CITADEL,
    DRAW_PULL,
    DRAW_STEAL,
    DUEL,
    HUNT,
    KRONOS,
    NONE,
    NOTHING,
    PASS,
    SYM7,
    SYM8_CARD,
    SYM8_NUMBER,
    TEAM,
    TO_RESULT,
    TO_TURN,
)

MOST_USES = 3
STEAL, TAKE_OVER, PULL, REPLACE, CANCEL, WIN_HUNT = 4, 5, 6, 7, 8, 9
FIRST_FACTORS = 10  # symbols 10 to 12 add factors


@kernel
def seat_of(state, corner):
    """The seat at a corner of the encounter."""
    if state.fight == KRONOS:
        return int(state.challengers[int(state.position)])
    return int(state.owners[2 * int(state.position) + corner])


@outlined_kernel
def lineup(state, corner):
    """The champions of a corner: a line-up, or a team with what symbol 6 has pulled."""
    if state.fight != KRONOS:
        return state.lineups[2 * int(state.position) + corner]
    champions = state.pulled
    seat = seat_of(state, corner)
    for i in range(TEAM):
        champions |= bits.bit(state.olympus[seat, i])
    return champions


@kernel
def face_of(rules, quest):
    """Which face of a quest is used: 0 one category, 1 both [R2]."""
    if rules.difficulty == EASY:
        return 0
    return 1 if rules.difficulty == HARD or quest >= 3 else 0


@kernel
def is_written(rules, state, category):
    """Whether a category is written on the quest of this duel."""
    quest = quest_at(rules, state, int(state.position))
    return rules.cards[0].categories[quest, face_of(rules, quest), category] != 0


@outlined_kernel
def legal_replacements(rules, state):
    """3 x a category in force + one that is neither written on the quest nor in force [R64]."""
    mask = bits.ZERO
    for added in range(CATEGORIES):
        if (state.in_force >> added) & 1 == 1 or is_written(rules, state, added):
            continue
        for removed in range(CATEGORIES):
            if (state.in_force >> removed) & 1 == 1:
                mask |= bits.bit(3 * removed + added)
    return mask


@kernel
def has_factor(rules, treasure):
    """Whether a treasure strengthens Kronos."""
    factors = rules.cards[0].factors[treasure]
    return factors[0] + factors[1] + factors[2] > 0


@outlined_kernel
def legal_cancels(rules, state):
    """Treasures of Kronos with a factor [R66]."""
    mask = bits.ZERO
    for treasure in range(TREASURES):
        if (state.treasury >> treasure) & 1 == 1 and has_factor(rules, treasure):
            mask |= bits.bit(treasure)
    return mask


@outlined_kernel
def is_playable(rules, state, symbol, corner):
    """Whether a symbol can do something in this encounter [R48, R56]."""
    if symbol < STEAL or symbol >= FIRST_FACTORS:
        return lineup(state, corner) & MORTALS != bits.ZERO
    if symbol == PULL:
        return state.discard & ~GODS != bits.ZERO
    if symbol == WIN_HUNT:
        return state.fight != DUEL
    if state.fight == KRONOS:
        return symbol == CANCEL and legal_cancels(rules, state) != bits.ZERO
    if state.fight != DUEL:
        return False
    if symbol == STEAL:
        return lineup(state, 1 - corner) & DEFENDERS != bits.ZERO
    if symbol == TAKE_OVER:
        return lineup(state, 1 - corner) & THORNBEARERS != bits.ZERO
    return symbol == CANCEL or legal_replacements(rules, state) != bits.ZERO


@kernel
def is_used(state, symbol, corner):
    """Whether the corner has activated the symbol in this encounter [R46]."""
    return (int(state.symbols_used[corner]) >> symbol) & 1 == 1


@kernel
def can_use(rules, state, symbol, corner):
    """Whether the corner may use a symbol that it has at hand."""
    is_open = rules.allow_null_symbols == NULL_SYMBOLS or is_playable(rules, state, symbol, corner)
    return is_open and not is_used(state, symbol, corner)


@kernel
def symbol_of(rules, state, seat, action):
    """The symbol of a reinforcement card or of the seat's citadel."""
    if action < CITADEL:
        return int(rules.cards[0].symbols[action])
    return int(rules.cards[0].citadels[int(state.citadels[seat]), action - CITADEL])


@outlined_kernel
def legal_uses(rules, state):
    """Reinforcement cards in hand, the citadel's symbols and PASS [R41-R48]."""
    seat = int(state.actor)
    corner = int(state.corner)
    mask = bits.bit(PASS)
    cards = state.hands[seat] >> np.uint64(CHAMPIONS)
    while cards != bits.ZERO:
        card = bits.lowest(cards)
        if can_use(rules, state, symbol_of(rules, state, seat, card), corner):
            mask |= bits.bit(card)
        cards = bits.without_lowest(cards)
    if state.fight != KRONOS and (state.citadels_used >> seat) & 1 == 0:
        for action in range(CITADEL, PASS):
            if can_use(rules, state, symbol_of(rules, state, seat, action), corner):
                mask |= bits.bit(action)
    return mask


@outlined_kernel
def use(rules, state, action):
    """Pass, or use a reinforcement card or the citadel [R41-R49]. Modified in place: `state`."""
    seat = int(state.actor)
    corner = int(state.corner)
    state.phase = TO_TURN
    if action == PASS:
        state.passed |= 1 << corner
        return
    symbol = symbol_of(rules, state, seat, action)
    if action < CITADEL:
        state.hands[seat] &= ~bits.bit(CHAMPIONS + action)
        state.table |= bits.bit(CHAMPIONS + action)
    else:
        state.citadels_used |= 1 << seat
    state.uses[corner] += 1
    is_effective = is_playable(rules, state, symbol, corner)
    state.symbols_used[corner] |= 1 << symbol
    if is_effective:
        _activate(state, symbol, corner)


@outlined_kernel
def _activate(state, symbol, corner):
    """Let a symbol do what it does, or ask for what it needs [R56]. Modified in place: `state`."""
    if symbol < STEAL or symbol >= FIRST_FACTORS:
        state.queue[int(state.queue_size)] = symbol + 16 * corner
        state.queue_size += 1
    elif symbol <= TAKE_OVER:
        state.symbol = symbol
        state.phase = DRAW_STEAL
    elif symbol == PULL:
        state.symbol = symbol
        state.phase = DRAW_PULL
    elif symbol == REPLACE:
        state.phase = SYM7
    elif symbol == CANCEL and state.fight == KRONOS:
        state.phase = SYM8_CARD
    elif symbol == CANCEL or state.fight == HUNT:  # the duel ends as a tie, or the hunt is won: nothing waits any more
        state.symbol = symbol
        state.queue_done = state.queue_size
        state.phase = TO_RESULT
    else:
        for category in range(CATEGORIES):
            state.bonus[corner, category] += 1


@outlined_kernel
def draw_steal(state, rng):
    """A random Defender joins the user's hand, or a Thornbearer its line-up [R59, R60]. In place: `state`, `rng`."""
    corner = int(state.corner)
    victim = 2 * int(state.position) + 1 - corner
    is_theft = state.symbol == STEAL
    there = state.lineups[victim] & (DEFENDERS if is_theft else THORNBEARERS)
    card = bits.select(there, integer(rng, bits.count(there)))
    state.lineups[victim] &= ~bits.bit(card)
    if is_theft:
        state.hands[int(state.actor)] |= bits.bit(card)
        state.since[card] = 2 + 2 * state.round_number
        state.pulled &= ~bits.bit(card)
    else:
        state.lineups[victim ^ 1] |= bits.bit(card)
        state.moved |= bits.bit(card)
    _drawn(state, card)


@kernel
def _drawn(state, card):
    """Note a card that chance has drawn in an encounter. Modified in place: `state`."""
    state.drawn = card
    state.draws += 1
    state.symbol = NONE
    state.news = CARDS_NEWS
    state.phase = TO_TURN


@outlined_kernel
def draw_pull(rules, state, rng):
    """A random card of the discard pile joins the line-up or is activated [R61-R63]. Modified: `state`, `rng`."""
    corner = int(state.corner)
    there = state.discard & ~GODS
    card = bits.select(there, integer(rng, bits.count(there)))
    _drawn(state, card)
    if bits.has(ALL_CHAMPIONS, card):
        state.discard &= ~bits.bit(card)
        state.pulled |= bits.bit(card)
        if state.fight != KRONOS:
            state.lineups[2 * int(state.position) + corner] |= bits.bit(card)
        return
    symbol = int(rules.cards[0].symbols[card - CHAMPIONS])
    is_counted = rules.count_sym6_chain != PULLED_NOT_COUNTED
    has_use = not is_counted or state.uses[corner] < MOST_USES
    if not has_use or is_used(state, symbol, corner) or not is_playable(rules, state, symbol, corner):
        return
    state.discard &= ~bits.bit(card)
    state.table |= bits.bit(card)
    state.symbols_used[corner] |= 1 << symbol
    if is_counted:
        state.uses[corner] += 1
    _activate(state, symbol, corner)


@kernel
def replace_category(state, action):
    """Symbol 7 [R64]. Modified in place: `state`."""
    state.in_force = (int(state.in_force) & ~(1 << (action // 3))) | (1 << (action % 3))
    state.phase = TO_TURN


@kernel
def cancel_treasure(rules, state, treasure):
    """Symbol 8 against Kronos: a treasure, and which of its numbers where only one counts [R66]. In place: `state`."""
    if rules.sym8_scope == ONE_NUMBER:
        state.card = treasure
        state.phase = SYM8_NUMBER
        return
    for category in range(CATEGORIES):
        state.cancelled[category] += rules.cards[0].factors[treasure, category]
    state.phase = TO_TURN


@kernel
def legal_numbers(rules, state):
    """The categories in which the chosen treasure has a factor [R66]."""
    mask = bits.ZERO
    for category in range(CATEGORIES):
        if rules.cards[0].factors[int(state.card), category] > 0:
            mask |= bits.bit(category)
    return mask


@kernel
def cancel_number(rules, state, category):
    """Cancel one factor of the chosen treasure [R66]. Modified in place: `state`."""
    state.cancelled[category] += rules.cards[0].factors[int(state.card), category]
    state.card = NONE
    state.phase = TO_TURN


# Totals


@kernel
def item_of(rules, state, seat, champion, category):
    """What the item of an equipped champion adds; 0 for others [R52]."""
    for i in range(TEAM):
        if state.olympus[seat, i] == champion and 0 <= state.equipped[seat, i] < NOTHING:
            return int(rules.cards[0].items[int(state.equipped[seat, i]), category])
    return 0


@kernel
def printed_total(rules, cards, category):
    """Sum of the printed values of champions."""
    total = 0
    while cards != bits.ZERO:
        total += rules.cards[0].values[bits.lowest(cards), category]
        cards = bits.without_lowest(cards)
    return total


@outlined_kernel
def corner_total(rules, state, corner, category):
    """What a corner of the encounter has in a category [R52]."""
    total = printed_total(rules, lineup(state, corner), category) + int(state.bonus[corner, category])
    if state.fight == KRONOS:
        seat = seat_of(state, corner)
        for i in range(TEAM):
            if 0 <= state.equipped[seat, i] < NOTHING:
                total += rules.cards[0].items[int(state.equipped[seat, i]), category]
    return total
