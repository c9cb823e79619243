"""Part of the policy: how far a team will be ahead of Kronos in the final, with its treasures and cards.

So it is found which cards are kept for him, and which treasures the team is equipped with.
"""

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._end_effects import FACTORS
from kosmogonia._final import equipped_keys, kronos_total, legal_equipment, num_equipped
from kosmogonia._gathering import is_last_round
from kosmogonia._margins import plus
from kosmogonia._symbols import CANCEL, FIRST_FACTORS, MOST_USES, WIN_HUNT, printed_total
from kosmogonia.cards import CATEGORIES, CHAMPIONS, MORTALS, TREASURES
from kosmogonia.state import NONE, NOTHING, TEAM

_MISSING = 5.0  # keys for which a point that is missing against Kronos is made up
_FIELD_BITS = 5  # twelve fit into a word; a card brings fewer points than 31
_FIELD = (1 << _FIELD_BITS) - 1


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
    """Margins with up to three treasures of the vault, each time the one that helps most, as long as points miss."""
    vault = np.uint64(state.vaults[seat])
    least = missing_points(margins)
    for _ in range(TEAM):
        if least == 0.0:
            return margins
        best = NONE
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
def missing_with_hand(rules, state, team, margins, hand):
    """Points that miss with the first three reinforcement cards of a hand that count, where they help most."""
    cards = hand >> np.uint64(CHAMPIONS)
    missing = missing_points(margins)
    uses = 0
    while cards != bits.ZERO and uses < MOST_USES and missing > 0.0:
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
        missing = missing_points(margins)
    return missing


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
def points_kept(rules, state, seat, cards):
    """Points that a team which can beat Kronos will miss without each of some cards in hand, in fields of a word.

    Nothing misses before the last round.
    """
    kept = bits.ZERO
    hand = state.hands[seat]
    if cards == bits.ZERO or not is_last_round(rules, state):
        return kept
    team = team_of(state, seat)
    margins = with_vault(rules, state, seat, team_margins(rules, state, seat, team))
    if missing_points(margins) == 0.0 or missing_with_hand(rules, state, team, margins, hand) > 0.0:
        return kept
    while cards != bits.ZERO:
        card = bits.lowest(cards)
        cards = bits.without_lowest(cards)
        missing = missing_with_hand(rules, state, team, margins, hand & ~bits.bit(CHAMPIONS + card))
        kept |= np.uint64(min(int(missing), _FIELD)) << np.uint64(_FIELD_BITS * card)
    return kept


@kernel
def points_of(kept, card):
    """The field of a card."""
    return float((kept >> np.uint64(_FIELD_BITS * card)) & np.uint64(_FIELD))


@outlined_kernel
def equip_best(rules, state):
    """The next treasure of the best set: one with which Kronos can be beaten, and of those the one with most keys."""
    seat = int(state.actor)
    team = team_of(state, seat)
    carried = (team, team_margins(rules, state, seat, team), float(equipped_keys(rules, state, seat)))
    left = TEAM - num_equipped(state, seat)
    best = NOTHING
    best_worth = _worth_of(rules, state, seat, carried, -1e9)
    first = legal_equipment(state) & ~bits.bit(NOTHING)
    while first != bits.ZERO:
        a = bits.lowest(first)
        first = bits.without_lowest(first)
        with_a = _carrying(rules, carried, a)
        worth = _worth_of(rules, state, seat, with_a, best_worth)
        second = first if left > 1 else bits.ZERO
        while second != bits.ZERO:
            with_b = _carrying(rules, with_a, bits.lowest(second))
            second = bits.without_lowest(second)
            worth = _worth_of(rules, state, seat, with_b, worth)
            third = second if left > 2 else bits.ZERO
            while third != bits.ZERO:
                worth = _worth_of(rules, state, seat, _carrying(rules, with_b, bits.lowest(third)), worth)
                third = bits.without_lowest(third)
        if worth > best_worth:
            best = a
            best_worth = worth
    return best


@kernel
def _carrying(rules, carried, treasure):
    """A team, its margins against Kronos and its keys, with a further treasure."""
    team, margins, keys = carried
    return team, with_item(rules, margins, treasure), keys + float(rules.cards[0].keys[treasure])


@outlined_kernel
def _worth_of(rules, state, seat, carried, least):
    """What it is worth to have equipped these treasures, or what it is at least worth."""
    team, margins, keys = carried
    if keys <= least:
        return least
    return max(least, keys - _MISSING * missing_with_hand(rules, state, team, margins, state.hands[seat]))
