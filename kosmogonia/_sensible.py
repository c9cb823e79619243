"""Which legal actions are worth searching: one of those that come to the same, and no use that changes nothing."""

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._end_effects import FACTORS, LEGAL_PERMUTATIONS, PERMUTATIONS
from kosmogonia._final import legal_equipment, num_equipped
from kosmogonia._gathering import is_last_round
from kosmogonia._margins import counted_categories, doubled_value, margins_of, waiting_symbols
from kosmogonia._symbols import (
    CANCEL,
    FIRST_FACTORS,
    PULL,
    REPLACE,
    STEAL,
    WIN_HUNT,
    is_playable,
    legal_cancels,
    legal_uses,
    lineup,
    symbol_of,
)
from kosmogonia._uses import aim_best
from kosmogonia.cards import ALL_CHAMPIONS, CATEGORIES, IN_STACK, MORTALS, TREASURES
from kosmogonia.kernels import legal_mask
from kosmogonia.rules import ITEMS_DOUBLE, PULLED_PERSISTS
from kosmogonia.state import (
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    CITADEL,
    CLOSED,
    DEPLOY_CARD,
    DEPLOY_PLACE,
    DUEL,
    END_CHAMPION,
    END_PERMUTATION,
    EQUIP,
    KRONOS,
    NONE,
    NOTHING,
    PASS,
    SYM8_CARD,
    USE,
)


@kernel
def sensible_mask(rules, state):
    """The legal actions worth searching, never none.

    What is cut comes to the same as what is kept, or is never better for the encounter, with these exceptions, which
    are heuristic: champions go to Olympus closed where they may; a use that cannot change the result is cut although it
    would also change what lies in the discard pile. Placements, orientations at quests and the draft are not cut, but
    for exact copies.
    """
    phase = int(state.phase)
    if phase == USE:
        return _sensible_uses(rules, state)
    if phase == END_CHAMPION:
        return bits.bit(aim_best(rules, state))
    if phase == END_PERMUTATION:
        return _sensible_permutations(rules, state)
    legal = legal_mask(rules, state)
    if phase in (DEPLOY_CARD, CHALLENGE_CARD):
        return _without_copies(rules, legal)
    if phase == CHALLENGE_ORIENT:
        return bits.bit(CLOSED) if bits.has(legal, CLOSED) else legal
    if phase == DEPLOY_PLACE:
        return _without_mirrored_sides(rules, state, legal)
    if phase == SYM8_CARD:
        return _sensible_cancels(rules, state)
    return _sensible_equipment(rules, state) if phase == EQUIP else legal


# Cards, sides and treasures that are copies of others


@outlined_kernel
def _without_copies(rules, legal):
    """Legal actions without champions that have a copy of lower number: the same stack and values."""
    values = rules.cards[0].values
    kept = legal
    left = legal & ALL_CHAMPIONS
    while left != bits.ZERO:
        card = bits.lowest(left)
        left = bits.without_lowest(left)
        others = left & bits.below(IN_STACK * (card // IN_STACK + 1))
        while others != bits.ZERO:
            other = bits.lowest(others)
            others = bits.without_lowest(others)
            is_copy = values[card, 0] == values[other, 0] and values[card, 1] == values[other, 1]
            if is_copy and values[card, 2] == values[other, 2]:
                kept &= ~bits.bit(other)
    return kept


@kernel
def _without_mirrored_sides(rules, state, legal):
    """Legal sides without the right one of an empty quest whose two treasures have the same numbers."""
    for side in range(0, 8, 2):
        is_empty = bits.has(legal, side) and bits.has(legal, side + 1)
        if is_empty and state.owners[side] == NONE and state.owners[side + 1] == NONE:
            left = int(state.treasures[side])
            right = int(state.treasures[side + 1])
            if _has_same_item(rules, left, right) and _same_factors(rules, left, right):
                legal &= ~bits.bit(side + 1)
    return legal


@kernel
def _has_same_item(rules, one, other):
    """Whether two treasures have the same keys and the same item."""
    cards = rules.cards[0]
    is_same = cards.keys[one] == cards.keys[other]
    for category in range(CATEGORIES):
        is_same = is_same and cards.items[one, category] == cards.items[other, category]
    return is_same


@kernel
def _same_factors(rules, one, other):
    """Whether two treasures have the same factors."""
    return _has_more_factors(rules, one, other) and _has_more_factors(rules, other, one)


@kernel
def _has_more_factors(rules, one, other):
    """Whether a treasure has at least the factors of another."""
    factors = rules.cards[0].factors
    has_more = True
    for category in range(CATEGORIES):
        has_more = has_more and factors[one, category] >= factors[other, category]
    return has_more


@outlined_kernel
def _sensible_equipment(rules, state):
    """Treasures with equal numbers once, in rising order with nothing last: any order comes to the same.

    Where doubling takes the item too, it matters which champion has which treasure, and the order is free.
    """
    legal = legal_equipment(state)
    seat = int(state.actor)
    number = num_equipped(state, seat)
    if rules.double_includes_items != ITEMS_DOUBLE and number > 0:
        before = int(state.equipped[seat, number - 1])
        legal &= ~bits.below(before + 1) | bits.bit(NOTHING)
    kept = legal
    for treasure in range(1, TREASURES):
        for other in range(treasure):
            if bits.has(kept, treasure) and bits.has(kept, other) and _has_same_item(rules, treasure, other):
                kept &= ~bits.bit(treasure)
    return kept


@outlined_kernel
def _sensible_cancels(rules, state):
    """Treasures of Kronos of which none has all the factors of another and more, and one of those that are equal."""
    kept = legal_cancels(rules, state)
    for treasure in range(TREASURES):
        for other in range(TREASURES):
            is_pair = treasure != other and bits.has(kept, treasure) and bits.has(kept, other)
            if is_pair and _has_more_factors(rules, other, treasure):
                is_equal = _has_more_factors(rules, treasure, other)
                kept &= ~bits.bit(max(treasure, other) if is_equal else treasure)
    return kept


# END effects


@outlined_kernel
def _sensible_permutations(rules, state):
    """The ways to spread factors of which none gives as much in all categories that count, and one of equal ones."""
    symbol = int(state.symbol) - FIRST_FACTORS
    counted = counted_categories(rules, state)
    legal = LEGAL_PERMUTATIONS[symbol]
    kept = legal
    for one in range(6):
        for other in range(6):
            if one == other or not bits.has(kept, one) or not bits.has(kept, other):
                continue
            if _gives_more(symbol, other, one, counted) and not (
                one < other and _gives_more(symbol, one, other, counted)
            ):
                kept &= ~bits.bit(one)
    return kept


@kernel
def _gives_more(symbol, one, other, counted):
    """Whether a way to spread factors gives at least as much as another in every category that counts."""
    gives_more = True
    for category in range(CATEGORIES):
        if (counted >> category) & 1 == 1:
            gives_more = gives_more and _given(symbol, one, category) >= _given(symbol, other, category)
    return gives_more


@kernel
def _given(symbol, permutation, category):
    """What a category gets."""
    for i in range(CATEGORIES):
        if PERMUTATIONS[permutation, i] == category:
            return FACTORS[symbol, i]
    return 0


# Uses


@outlined_kernel
def _sensible_uses(rules, state):
    """PASS, and the uses that can change something.

    Cut are: blanks; a second card with the same symbol; in a hunt and against Kronos all where enough is there already,
    or where even all symbols together would not be enough, and doublings of a category that is reached or does not
    count; in a duel, once the other seat has passed, all but thefts (and pulls that persist) where the duel is won
    whatever still waits, and doublings of a category that is not compared and cannot come to be.
    """
    legal = legal_uses(rules, state)
    if legal == bits.bit(PASS):
        return legal
    useful, symbols = _playable(rules, state, legal)
    if state.fight == DUEL:
        if (state.passed >> (1 - int(state.corner))) & 1 == 0:
            return useful | bits.bit(PASS)
        wanted = _wanted_in_duel(rules, state, symbols)
    else:
        wanted = _wanted_to_reach(rules, state, symbols)
    left = useful
    while left != bits.ZERO:
        action = bits.lowest(left)
        left = bits.without_lowest(left)
        if (wanted >> symbol_of(rules, state, int(state.actor), action)) & 1 == 0:
            useful &= ~bits.bit(action)
    return useful | bits.bit(PASS)


@kernel
def _playable(rules, state, legal):
    """The uses that can do something, each symbol from one card at most, and their symbols as bits."""
    useful = bits.ZERO
    symbols = 0
    left = legal & ~bits.bit(PASS)
    while left != bits.ZERO:
        action = bits.lowest(left)
        left = bits.without_lowest(left)
        symbol = symbol_of(rules, state, int(state.actor), action)
        is_copy = action < CITADEL and (symbols >> symbol) & 1 == 1
        if not is_copy and is_playable(rules, state, symbol, int(state.corner)):
            useful |= bits.bit(action)
            symbols |= 1 << symbol
    return useful, symbols


@kernel
def _wanted_to_reach(rules, state, symbols):
    """The symbols, of those that can be used, that can help to reach what the monster or Kronos has."""
    counted = counted_categories(rules, state)
    margins = margins_of(rules, state)
    waiting = waiting_symbols(state, int(state.corner))
    wanted = 0
    is_open = (symbols >> PULL) & 1 == 1 or (state.fight != KRONOS and (symbols >> WIN_HUNT) & 1 == 1)
    for category in range(CATEGORIES):
        margin = margins[0] if category == 0 else (margins[1] if category == 1 else margins[2])
        if (counted >> category) & 1 == 0 or margin >= 0.0:
            continue
        if not is_open and margin + _most_gain(rules, state, symbols | waiting, category) < 0.0:
            return 0
        wanted |= 1 << (category + 1)
    if wanted == 0:
        return 0
    return symbols & (wanted | ~0b1110)


@kernel
def _most_gain(rules, state, symbols, category):
    """No less than what some symbols can add in a category, pulls and hunts won by symbol 9 apart."""
    corner = int(state.corner)
    gain = 0
    if (symbols >> (category + 1)) & 1 == 1:
        left = lineup(state, corner) & MORTALS
        while left != bits.ZERO:
            gain = max(gain, doubled_value(rules, state, corner, bits.lowest(left), category))
            left = bits.without_lowest(left)
    for symbol in range(FIRST_FACTORS, FIRST_FACTORS + 3):
        if (symbols >> symbol) & 1 == 1:
            gain += FACTORS[symbol - FIRST_FACTORS, 0]
    if (symbols >> WIN_HUNT) & 1 == 1:
        gain += 1
    if (symbols >> CANCEL) & 1 == 1:
        most = 0
        for treasure in range(TREASURES):
            if (state.treasury >> treasure) & 1 == 1:
                most = max(most, int(rules.cards[0].factors[treasure, category]))
        gain += most
    return gain


@kernel
def _wanted_in_duel(rules, state, symbols):
    """The symbols, of those that can be used, that can still matter once the other seat has passed."""
    can_replace = (symbols >> REPLACE) & 1 == 1 or (symbols >> PULL) & 1 == 1
    if _is_duel_won(rules, state):
        wanted = 0
        if not is_last_round(rules, state):
            wanted |= 1 << STEAL
        if rules.sym6_persists == PULLED_PERSISTS:
            wanted |= 1 << PULL
        return symbols & wanted
    if can_replace:
        return symbols
    return symbols & ~(~int(state.in_force) << 1 & 0b1110)


@kernel
def _is_duel_won(rules, state):
    """Whether the seat that acts leads the duel and nothing of the other one waits."""
    if waiting_symbols(state, 1 - int(state.corner)) != 0:
        return False
    margins = margins_of(rules, state)
    lead = 0
    for category in range(CATEGORIES):
        margin = margins[0] if category == 0 else (margins[1] if category == 1 else margins[2])
        if (int(state.in_force) >> category) & 1 == 1 and margin != 0.0:
            lead += 1 if margin > 0.0 else -1
    return lead > 0
