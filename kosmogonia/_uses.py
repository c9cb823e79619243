"""Part of the policy: which symbols to use in a duel, in a hunt and against Kronos, and what to aim them at.

A set of symbols is tried by adding to the margins (`_margins.py`) what they would bring; the cheapest set that changes
the result is used.
"""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._end_effects import FACTORS, LEGAL_PERMUTATIONS, PERMUTATIONS
from kosmogonia._gathering import is_last_round, quest_at
from kosmogonia._margins import (
    best_cancel,
    counted_categories,
    doubled_value,
    expected_margins,
    margins_after,
    margins_of,
    plus,
    score_of,
    waiting_symbols,
)
from kosmogonia._prospects import points_kept, points_of
from kosmogonia._symbols import (
    CANCEL,
    FIRST_FACTORS,
    MOST_USES,
    REPLACE,
    face_of,
    is_playable,
    legal_numbers,
    legal_replacements,
    legal_uses,
    lineup,
    printed_total,
    symbol_of,
)
from kosmogonia.cards import CATEGORIES, MORTALS
from kosmogonia.rules import STANDARD
from kosmogonia.state import CITADEL, DUEL, HUNT, KRONOS, NONE, PASS

# What a treasure is worth: for each key, point of its item, point of its factor, and by itself.
_KEY, _ITEM, _FACTOR, _TREASURE = 2.19, 0.049, 0.038, 0.082
# Treasure value for which a citadel is used: where it can be used each round, and once a game.
_CITADEL_COST, _ONLY_CITADEL_COST = 0.125, 3.75
# Treasure value for which a reinforcement card is used instead of kept for Kronos, by symbol.
_COST_1, _COST_2, _COST_3, _COST_4, _COST_5, _COST_6 = 0.029, 0.186, 0.0, 0.006, 0.1, 3.03
_COST_7, _COST_8, _COST_9, _COST_10, _COST_11, _COST_12 = 0.053, 1.72, 0.405, 3.17, 0.575, 0.911
# Treasure value for each point that would be missing against Kronos without a card, and is not with it.
_NEEDED = 3.0


@kernel
def card_cost(rules, symbol):
    """What a reinforcement card is worth if it is kept."""
    if symbol <= 3:
        return _COST_1 if symbol == 1 else (_COST_2 if symbol == 2 else _COST_3)
    if symbol <= 6:
        return _COST_4 if symbol == 4 else (_COST_5 if symbol == 5 else _COST_6)
    if symbol <= 9:
        return _COST_7 if symbol == 7 else (_COST_8 if symbol == 8 else _COST_9)
    return _COST_10 if symbol == 10 else (_COST_11 if symbol == 11 else _COST_12)


@outlined_kernel
def treasure_value(rules, treasure):
    """What a treasure is worth to its owner, Kronos not having it; 0 for none."""
    if treasure == NONE:
        return 0.0
    cards = rules.cards[0]
    value = _TREASURE + _KEY * cards.keys[treasure]
    for category in range(CATEGORIES):
        value += _ITEM * cards.items[treasure, category] + _FACTOR * cards.factors[treasure, category]
    return value


# Choosing symbols


@outlined_kernel
def choose_use(rules, state):
    """The first use of the best set of symbols, or PASS."""
    legal = _effective(rules, state, legal_uses(rules, state))
    if legal == bits.bit(PASS):
        return PASS
    counted = counted_categories(rules, state)
    margins = expected_margins(rules, state, counted)
    own = waiting_symbols(state, int(state.corner))
    stakes = _stakes(rules, state)
    cards = bits.ZERO if state.fight == KRONOS else legal & bits.below(CITADEL)
    kept = points_kept(rules, state, int(state.actor), cards)
    most = MOST_USES - int(state.uses[int(state.corner)])
    most = min(most, 2) if state.fight == DUEL else most
    best = PASS
    best_worth = -1000.0
    first = legal
    while first != bits.ZERO:
        a = bits.lowest(first)
        second = _with_further(legal, a, most > 1)
        while second != bits.ZERO:
            b = bits.lowest(second)
            third = _with_further(legal, b, most > 2 and b != a)
            while third != bits.ZERO:
                c = bits.lowest(third)
                worth = -1000.0
                symbols, cost = _set_of(rules, state, kept, own, a, b, c)
                if symbols != NONE:
                    worth = _set_worth(rules, state, margins, counted, symbols, stakes) - cost
                if worth > best_worth:
                    best = a
                    best_worth = worth
                third = bits.without_lowest(third)
            second = bits.without_lowest(second)
        first = bits.without_lowest(first)
    return best


@kernel
def _effective(rules, state, legal):
    """The uses that can do something, and PASS: no blanks [R48]."""
    effective = bits.bit(PASS)
    left = legal & ~effective
    while left != bits.ZERO:
        action = bits.lowest(left)
        if is_playable(rules, state, symbol_of(rules, state, int(state.actor), action), int(state.corner)):
            effective |= bits.bit(action)
        left = bits.without_lowest(left)
    return effective


@kernel
def _with_further(legal, action, has_more):
    """The action itself, which stands for no further use, and the legal uses after it."""
    if not has_more or action == PASS:
        return bits.bit(action)
    return legal & ~bits.below(action) & ~bits.bit(PASS)


@kernel
def _set_of(rules, state, kept, waiting, a, b, c):
    """The waiting symbols with those of up to three uses, and what these cost; -1 where they cannot be combined."""
    if a == PASS:
        return waiting, 0.0
    symbols, cost = _added(rules, state, kept, waiting, a)
    if b != a:
        before = symbols
        symbols, more = _added(rules, state, kept, before, b)
        cost += more
        if symbols == before or (a >= CITADEL and b >= CITADEL):
            return NONE, 0.0
    if c != b:
        before = symbols
        symbols, more = _added(rules, state, kept, before, c)
        cost += more
        if symbols == before or (b >= CITADEL and c >= CITADEL):
            return NONE, 0.0
    return symbols, cost


@kernel
def _added(rules, state, kept, symbols, action):
    """Some symbols with that of a further use, and what this use costs."""
    symbol = symbol_of(rules, state, int(state.actor), action)
    return symbols | (1 << symbol), _use_cost(rules, state, kept, symbol, action)


@kernel
def _use_cost(rules, state, kept, symbol, action):
    """Treasure value that a use must bring."""
    if state.fight == KRONOS:
        return 0.001  # nothing is kept any more, but what is not needed is not used
    if action < CITADEL:
        return card_cost(rules, symbol) + _NEEDED * points_of(kept, action)
    if rules.variant == STANDARD or is_last_round(rules, state):
        return _CITADEL_COST
    return _ONLY_CITADEL_COST


@outlined_kernel
def _stakes(rules, state):
    """Treasure values: of the own side, of the other side, and the chance to beat the monster after a duel."""
    if state.fight == KRONOS:
        return 0.0, 0.0, 0.0
    side = 2 * int(state.position) + int(state.corner)
    own = treasure_value(rules, int(state.treasures[side]))
    other = treasure_value(rules, int(state.treasures[side ^ 1]))
    if state.fight == HUNT:
        return own, other, 1.0
    quest = quest_at(rules, state, int(state.position))
    face = face_of(rules, quest)
    chance = 1.0
    for category in range(CATEGORIES):
        value = int(rules.cards[0].monsters[quest, face, category])
        if value > 0:
            gap = printed_total(rules, state.lineups[side], category) - value
            chance *= 1.0 if gap >= 0 else 1.0 / (1.0 - 0.3 * gap)
    return own, other, chance


@outlined_kernel
def _set_worth(rules, state, margins, counted, symbols, stakes):
    """Treasure value to expect with these symbols, those that wait already included."""
    own, other, chance = stakes
    if state.fight == DUEL and (symbols >> CANCEL) & 1 == 1:
        return chance * own
    score = _score_with(rules, state, margins, counted, symbols)
    if state.fight == KRONOS:
        return 10.0 * score
    if state.fight == HUNT:
        prize = own if state.treasures[2 * int(state.position) + int(state.corner)] != NONE else other
        return prize if score >= 0.0 else 0.0
    if score > 0.0:
        return own + chance * other
    return chance * own if score == 0.0 else 0.0


@outlined_kernel
def _score_with(rules, state, margins, counted, symbols):
    """The score with some symbols, symbol 7 with its best replacement."""
    corner = int(state.corner)
    if state.fight != DUEL or (symbols >> REPLACE) & 1 == 0:
        return score_of(state, margins_after(rules, state, corner, symbols, margins, counted), counted)
    best = -9.0
    replacements = legal_replacements(rules, state)
    while replacements != bits.ZERO:
        action = bits.lowest(replacements)
        replacements = bits.without_lowest(replacements)
        after = (counted & ~(1 << (action // 3))) | (1 << (action % 3))
        best = max(best, score_of(state, margins_after(rules, state, corner, symbols, margins, after), after))
    return best


# Aiming them


@outlined_kernel
def replace_best(rules, state):
    """The replacement of a category with the best lead."""
    margins = expected_margins(rules, state, counted_categories(rules, state))
    own = waiting_symbols(state, int(state.corner))
    replacements = legal_replacements(rules, state)
    best = bits.lowest(replacements)
    best_score = -9.0
    while replacements != bits.ZERO:
        action = bits.lowest(replacements)
        replacements = bits.without_lowest(replacements)
        after = (int(state.in_force) & ~(1 << (action // 3))) | (1 << (action % 3))
        score = score_of(state, margins_after(rules, state, int(state.corner), own, margins, after), after)
        if score > best_score:
            best = action
            best_score = score
    return best


@kernel
def cancel_best(rules, state):
    """The treasure to cancel with symbol 8."""
    margins = margins_of(rules, state)
    margins = margins_after(rules, state, int(state.corner), waiting_symbols(state, int(state.corner)), margins, 7)
    return best_cancel(rules, state, margins)


@outlined_kernel
def cancel_number_best(rules, state):
    """The number of the chosen treasure to cancel with symbol 8."""
    margins = margins_of(rules, state)
    margins = margins_after(rules, state, int(state.corner), waiting_symbols(state, int(state.corner)), margins, 7)
    legal = legal_numbers(rules, state)
    best = bits.lowest(legal)
    best_gain = -1.0
    for category in range(CATEGORIES):
        factor = float(rules.cards[0].factors[int(state.card), category])
        gain = min(factor, max(0.0, -margins[category])) + 0.001 * factor
        if bits.has(legal, category) and gain > best_gain:
            best = category
            best_gain = gain
    return best


@outlined_kernel
def aim_best(rules, state):
    """The champion whose value is worth most when doubled; any one for factors."""
    corner = int(state.corner)
    left = lineup(state, corner) & MORTALS
    best = bits.lowest(left)
    if state.symbol >= FIRST_FACTORS:
        return best
    best_value = -1
    while left != bits.ZERO:
        value = doubled_value(rules, state, corner, bits.lowest(left), int(state.symbol) - 1)
        if value > best_value:
            best = bits.lowest(left)
            best_value = value
        left = bits.without_lowest(left)
    return best


@outlined_kernel
def spread_best(rules, state):
    """The order of the factors with the best score, what still waits included."""
    corner = int(state.corner)
    counted = counted_categories(rules, state)
    margins = expected_margins(rules, state, counted)
    symbol = int(state.symbol) - FIRST_FACTORS
    rest = waiting_symbols(state, corner) & ~(1 << int(state.symbol))
    legal = LEGAL_PERMUTATIONS[symbol]
    best = bits.lowest(legal)
    best_score = -1000.0
    for permutation in range(6):
        if not bits.has(legal, permutation):
            continue
        given = margins
        for i in range(CATEGORIES):
            given = plus(given, int(PERMUTATIONS[permutation, i]), float(FACTORS[symbol, i]))
        score = score_of(state, margins_after(rules, state, corner, rest, given, counted), counted)
        if score > best_score:
            best = permutation
            best_score = score
    return best
