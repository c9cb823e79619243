"""Part of the policy: how far a corner of an encounter is ahead, and how far it would be with some symbols.

A corner's *margins* are what it has beyond the other corner, the monster or Kronos, a category each. Symbols that are
used or still wait are tried by adding to the margins what they can be expected to bring.
"""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._end_effects import FACTORS
from kosmogonia._final import kronos_total
from kosmogonia._gathering import quest_at
from kosmogonia._symbols import (
    CANCEL,
    FIRST_FACTORS,
    PULL,
    STEAL,
    TAKE_OVER,
    WIN_HUNT,
    corner_total,
    face_of,
    item_of,
    legal_cancels,
    lineup,
    printed_total,
    seat_of,
)
from kosmogonia.cards import CATEGORIES, DEFENDERS, MORTALS, THORNBEARERS, TREASURES
from kosmogonia.rules import ITEMS_DOUBLE
from kosmogonia.state import DUEL, KRONOS, NONE

_PULLED = 1.86  # points in a category that a card from the discard pile brings
_ALWAYS = 1000.0  # margins of a hunt that symbol 9 has won


@kernel
def _sign(x):
    """-1, 0 or 1."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)


@kernel
def plus(margins, category, points):
    """Margins with points added in one category."""
    return (
        margins[0] + (points if category == 0 else 0.0),
        margins[1] + (points if category == 1 else 0.0),
        margins[2] + (points if category == 2 else 0.0),
    )


@kernel
def _target(rules, state, category):
    """What the other corner, the monster or Kronos has in a category."""
    if state.fight == DUEL:
        return corner_total(rules, state, 1 - int(state.corner), category)
    if state.fight == KRONOS:
        return kronos_total(rules, state, category)
    quest = quest_at(rules, state, int(state.position))
    return int(rules.cards[0].monsters[quest, face_of(rules, quest), category])


@kernel
def margins_of(rules, state):
    """The margins of the corner that acts, as the cards lie."""
    corner = int(state.corner)
    return (
        float(corner_total(rules, state, corner, 0) - _target(rules, state, 0)),
        float(corner_total(rules, state, corner, 1) - _target(rules, state, 1)),
        float(corner_total(rules, state, corner, 2) - _target(rules, state, 2)),
    )


@kernel
def counted_categories(rules, state):
    """The categories that count in this encounter, as bits."""
    if state.fight == DUEL:
        return int(state.in_force)
    if state.fight == KRONOS:
        return 7
    mask = 0
    for category in range(CATEGORIES):
        if _target(rules, state, category) > 0:
            mask |= 1 << category
    return mask


@kernel
def score_of(state, margins, counted):
    """How well the margins do: the lead in categories in a duel, minus the missing points elsewhere."""
    score = 0.0
    for category in range(CATEGORIES):
        if (counted >> category) & 1 == 1:
            score += _sign(margins[category]) if state.fight == DUEL else min(0.0, margins[category])
    return score


@kernel
def _best_category(state, margins, counted, points, taken):
    """Where points help most."""
    best = NONE
    best_gain = -1.0
    for category in range(CATEGORIES):
        if (counted >> category) & 1 == 0 or (taken >> category) & 1 == 1:
            continue
        margin = margins[category]
        gain = _sign(margin + points) - _sign(margin) if state.fight == DUEL else min(points, max(0.0, -margin))
        if gain > best_gain:
            best = category
            best_gain = gain
    return best


@kernel
def _best_value(rules, state, corner, category):
    """The highest printed value of a category among the champions that END effects can aim at."""
    left = lineup(state, corner) & MORTALS
    best = 0
    while left != bits.ZERO:
        best = max(best, doubled_value(rules, state, corner, bits.lowest(left), category))
        left = bits.without_lowest(left)
    return best


@kernel
def doubled_value(rules, state, corner, champion, category):
    """What doubling a champion adds [R52]."""
    value = int(rules.cards[0].values[champion, category])
    if rules.double_includes_items == ITEMS_DOUBLE and state.fight == KRONOS:
        value += item_of(rules, state, seat_of(state, corner), champion, category)
    return value


@outlined_kernel
def margins_after(rules, state, corner, symbols, margins, counted):
    """The margins of a corner once some symbols (bit s for symbol s) have done what they can be expected to do."""
    for category in range(CATEGORIES):
        if (symbols >> (category + 1)) & 1 == 1:
            margins = plus(margins, category, float(_best_value(rules, state, corner, category)))
    if (symbols >> WIN_HUNT) & 1 == 1:
        gain = 1.0 if state.fight == KRONOS else _ALWAYS
        margins = (margins[0] + gain, margins[1] + gain, margins[2] + gain)
    if (symbols >> PULL) & 1 == 1:
        margins = (margins[0] + _PULLED, margins[1] + _PULLED, margins[2] + _PULLED)
    if state.fight == DUEL:
        margins = _after_theft(rules, state, corner, symbols, margins)
    elif (symbols >> CANCEL) & 1 == 1:
        treasure = best_cancel(rules, state, margins)
        for category in range(CATEGORIES):
            margins = plus(margins, category, float(rules.cards[0].factors[treasure, category]))
    for symbol in range(FIRST_FACTORS, FIRST_FACTORS + 3):
        if (symbols >> symbol) & 1 == 1:
            taken = 0
            for i in range(CATEGORIES):
                points = float(FACTORS[symbol - FIRST_FACTORS, i])
                category = _best_category(state, margins, counted, points, taken)
                if category != NONE and points > 0.0:
                    margins = plus(margins, category, points)
                    taken |= 1 << category
    return margins


@kernel
def _after_theft(rules, state, corner, symbols, margins):
    """The margins after symbols 4 and 5: a card of the other corner goes, or changes sides."""
    for symbol in range(STEAL, TAKE_OVER + 1):
        there = lineup(state, 1 - corner) & (DEFENDERS if symbol == STEAL else THORNBEARERS)
        if (symbols >> symbol) & 1 == 1 and there != bits.ZERO:
            times = float(symbol - STEAL + 1) / bits.count(there)
            for category in range(CATEGORIES):
                margins = plus(margins, category, times * printed_total(rules, there, category))
    return margins


@kernel
def waiting_symbols(state, corner):
    """The END effects of a corner that wait, as symbol bits."""
    symbols = 0
    for i in range(int(state.queue_done), int(state.queue_size)):
        entry = int(state.queue[i])
        if entry >> 4 == corner:
            symbols |= 1 << (entry & 15)
    return symbols


@outlined_kernel
def expected_margins(rules, state, counted):
    """The margins of the corner that acts, once the other corner's waiting effects have come."""
    margins = margins_of(rules, state)
    if state.fight != DUEL:
        return margins
    other = 1 - int(state.corner)
    theirs = (-margins[0], -margins[1], -margins[2])
    theirs = margins_after(rules, state, other, waiting_symbols(state, other), theirs, counted)
    return (-theirs[0], -theirs[1], -theirs[2])


@outlined_kernel
def best_cancel(rules, state, margins):
    """The treasure of Kronos whose factors are missed most."""
    legal = legal_cancels(rules, state)
    best = bits.lowest(legal)
    best_gain = -1.0
    while legal != bits.ZERO:
        treasure = bits.lowest(legal)
        legal = bits.without_lowest(legal)
        gain = 0.0
        for category in range(CATEGORIES):
            factor = float(rules.cards[0].factors[treasure, category])
            gain += min(factor, max(0.0, -margins[category])) + 0.001 * factor
        if gain > best_gain:
            best = treasure
            best_gain = gain
    return best if best < TREASURES else 0
