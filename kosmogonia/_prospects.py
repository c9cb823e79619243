"""Part of the policy: how far a team will be ahead of Kronos in the final, with its treasures and cards."""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._end_effects import FACTORS
from kosmogonia._final import kronos_total
from kosmogonia._gathering import is_last_round
from kosmogonia._margins import plus
from kosmogonia._symbols import CANCEL, FIRST_FACTORS, MOST_USES, WIN_HUNT, printed_total
from kosmogonia.cards import CATEGORIES, CHAMPIONS, MORTALS, TREASURES
from kosmogonia.state import NONE, NOTHING, TEAM

_FAR = 99.0  # margins before the last round, in which nothing is missing yet


@kernel
def missing_points(margins):
    """The points that are missing in all categories together."""
    return max(0.0, -margins[0]) + max(0.0, -margins[1]) + max(0.0, -margins[2])


@kernel
def team_of(state, seat):
    """The champions that a seat has sent to Olympus, in a record that shows them."""
    team = bits.ZERO
    for i in range(TEAM):
        if state.olympus[seat, i] != NONE:
            team |= bits.bit(state.olympus[seat, i])
    return team


@outlined_kernel
def team_margins(rules, state, seat, team):
    """What a team has beyond Kronos, with the items that the seat's champions carry."""
    margins = (0.0, 0.0, 0.0)
    for category in range(CATEGORIES):
        total = printed_total(rules, team, category) - kronos_total(rules, state, category)
        for i in range(TEAM):
            if 0 <= state.equipped[seat, i] < NOTHING:
                total += rules.cards[0].items[int(state.equipped[seat, i]), category]
        margins = plus(margins, category, float(total))
    return margins


@kernel
def with_item(rules, margins, treasure):
    """Margins with the item of a treasure."""
    items = rules.cards[0].items[treasure]
    return margins[0] + items[0], margins[1] + items[1], margins[2] + items[2]


@outlined_kernel
def with_vault(rules, state, seat, margins):
    """Margins with up to three treasures of the vault, each time the one that helps most."""
    vault = np.uint64(state.vaults[seat])
    for _ in range(TEAM):
        best = NONE
        least = missing_points(margins)
        left = vault
        while left != bits.ZERO:
            missing = missing_points(with_item(rules, margins, bits.lowest(left)))
            if missing < least:
                best = bits.lowest(left)
                least = missing
            left = bits.without_lowest(left)
        if best == NONE:
            return margins
        vault &= ~bits.bit(best)
        margins = with_item(rules, margins, best)
    return margins


@outlined_kernel
def with_hand(rules, state, team, margins, hand):
    """Margins with the first three reinforcement cards of a hand that can be counted on, where they help most."""
    cards = hand >> np.uint64(CHAMPIONS)
    uses = 0
    while cards != bits.ZERO and uses < MOST_USES:
        symbol = int(rules.cards[0].symbols[bits.lowest(cards)])
        cards = bits.without_lowest(cards)
        uses += 1
        if symbol <= CATEGORIES:
            margins = plus(margins, symbol - 1, float(_highest(rules, team & MORTALS, symbol - 1)))
        elif symbol == WIN_HUNT:
            margins = (margins[0] + 1.0, margins[1] + 1.0, margins[2] + 1.0)
        elif symbol == CANCEL:
            margins = _without_factors(rules, state, margins)
        elif symbol >= FIRST_FACTORS:
            margins = _with_factors(margins, symbol - FIRST_FACTORS)
        else:
            uses -= 1
    return margins


@kernel
def _highest(rules, champions, category):
    """The highest value of some champions in a category."""
    highest = 0
    while champions != bits.ZERO:
        highest = max(highest, int(rules.cards[0].values[bits.lowest(champions), category]))
        champions = bits.without_lowest(champions)
    return highest


@kernel
def _without_factors(rules, state, margins):
    """Margins once symbol 8 has cancelled the treasure of Kronos that is missed most."""
    best = margins
    for treasure in range(TREASURES):
        if (state.treasury >> treasure) & 1 == 1:
            factors = rules.cards[0].factors[treasure]
            after = (margins[0] + factors[0], margins[1] + factors[1], margins[2] + factors[2])
            if missing_points(after) < missing_points(best):
                best = after
    return best


@kernel
def _with_factors(margins, symbol):
    """Margins with the factors of a symbol 10 to 12, the largest where most is missing."""
    given = 0
    for i in range(CATEGORIES):
        worst = NONE
        for category in range(CATEGORIES):
            if (given >> category) & 1 == 0 and (worst == NONE or margins[category] < margins[worst]):
                worst = category
        margins = plus(margins, worst, float(FACTORS[symbol, i]))
        given |= 1 << worst
    return margins


@outlined_kernel
def prospects(rules, state, seat, hand):
    """What a seat will have beyond Kronos with its team, its vault and these cards; before the last round enough."""
    if not is_last_round(rules, state):
        return _FAR, _FAR, _FAR
    team = team_of(state, seat)
    margins = with_vault(rules, state, seat, team_margins(rules, state, seat, team))
    return with_hand(rules, state, team, margins, hand)
