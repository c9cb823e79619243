"""END effects: symbols 1-3 and 10-12 wait for the end of an encounter, and are then aimed one after the other [R49]."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._symbols import FIRST_FACTORS, item_of, lineup, seat_of
from kosmogonia.cards import (
    CATEGORIES,
    MORTALS,
)
from kosmogonia.rules import ITEMS_DOUBLE
from kosmogonia.state import (
    END_CHAMPION,
    END_PERMUTATION,
    KRONOS,
    NONE,
    TO_END_EFFECTS,
    TO_RESULT,
)

FACTORS = np.array([[3, 2, 1], [4, 0, 0], [2, 2, 0]], np.int64)  # of symbols 10, 11, 12 [R56]
PERMUTATIONS = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], np.int64)
LEGAL_PERMUTATIONS = np.array([0b111111, 0b010101, 0b001011], np.uint64)  # of symbols 10, 11, 12


@outlined_kernel
def next_end_effect(state):
    """Ask for the champion of the next END effect that has one; then compare [R49, R50]. Modified in place: `state`."""
    while state.queue_done < state.queue_size:
        entry = int(state.queue[int(state.queue_done)])
        corner = entry >> 4
        if lineup(state, corner) & MORTALS != bits.ZERO:
            state.corner = corner
            state.actor = seat_of(state, corner)
            state.symbol = entry & 15
            state.phase = END_CHAMPION
            return
        state.queue_done += 1
    state.symbol = NONE
    state.phase = TO_RESULT


@kernel
def aim(rules, state, champion):
    """Double a value of a champion, or ask how its factors are spread [R52, R56]. Modified in place: `state`."""
    symbol = int(state.symbol)
    if symbol >= FIRST_FACTORS:
        state.card = champion
        state.phase = END_PERMUTATION
        return
    category = symbol - 1
    gain = int(rules.cards[0].values[champion, category])
    if rules.double_includes_items == ITEMS_DOUBLE and state.fight == KRONOS:
        gain += item_of(rules, state, seat_of(state, int(state.corner)), champion, category)
    _add(state, category, gain)
    _end_effect_done(state)


@kernel
def spread(state, permutation):
    """Give the factors of symbol 10, 11 or 12 to the champion that was chosen. Modified in place: `state`."""
    symbol = int(state.symbol) - FIRST_FACTORS
    for i in range(CATEGORIES):
        _add(state, PERMUTATIONS[permutation, i], FACTORS[symbol, i])
    state.card = NONE
    _end_effect_done(state)


@kernel
def _add(state, category, gain):
    """Add to a total of the corner that acts. Modified in place: `state`."""
    state.bonus[int(state.corner), category] += gain


@kernel
def _end_effect_done(state):
    """Go on to the next END effect. Modified in place: `state`."""
    state.queue_done += 1
    state.phase = TO_END_EFFECTS
