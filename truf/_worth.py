"""What cards are worth: the sets that they will probably take, and the points that follow from those."""

from cardkit import bits
from cardkit.jit import kernel
from truf._bidding import suit_mask
from truf.cards import ACE, RANKS
from truf.rules import ACE_LOW, SEATS
from truf.state import NONE

WORST = -1e9  # less than any choice is worth

# What a card is worth: 1 / (1 + a x higher + b x higher^2), `higher` being the higher cards of its suit with others.
_TRUF_FADES, _TRUF_FADES_FASTER = 0.08, 0.12
_SIDE_FADES, _SIDE_FADES_FASTER = 0.17, 0.34
_RUFFED = 1.86  # with a truf, a side suit card loses this / (1 + cards of its suit with each other seat)
_NO_TRUF = 0.79  # share of its worth that a card keeps where there is no truf: its suit must be led
_LONG_TRUF = 0.42  # sets for each truf beyond a quarter of the hand and one

# A nil: chance that a card wins is d / (1 + h x higher^2), times c for each lower card of its suit held with it.
_NIL_DANGER, _NIL_HIGHER, _NIL_COVER = 0.535, 0.32, 0.475


@kernel
def above(rules, cards, card):
    """Those of some cards that beat a card in its suit [R5]."""
    same = cards & suit_mask(card // RANKS)
    if rules.ace_play != ACE_LOW:
        return same & ~bits.below(card)
    ace = bits.bit(card // RANKS * RANKS + ACE)
    return same & ~ace & ~bits.below(card) if card % RANKS != ACE else same


@kernel
def card_worth(rules, card, unseen, truf):
    """Chance that a card takes a trick that is still to come."""
    suit = card // RANKS
    if suit == truf:
        higher = bits.count(above(rules, unseen, card))
        return 1.0 / (1.0 + _TRUF_FADES * higher + _TRUF_FADES_FASTER * higher * higher)
    worth = side_worth(rules, card, unseen)
    if truf == NONE:
        return worth * _NO_TRUF
    length = bits.count(unseen & suit_mask(suit)) / (SEATS - 1)
    return worth * max(0.0, 1.0 - _RUFFED / (1.0 + length))


@kernel
def side_worth(rules, card, unseen):
    """Chance that a card takes a trick in which its suit is led and nobody ruffs."""
    higher = bits.count(above(rules, unseen, card))
    return 1.0 / (1.0 + _SIDE_FADES * higher + _SIDE_FADES_FASTER * higher * higher)


@kernel
def hand_worth(rules, cards, unseen, truf):
    """Sets that the cards are worth with a truf, and their spread (a variance)."""
    sets = 0.0
    spread = 0.0
    rest = cards
    while rest != bits.ZERO:
        worth = card_worth(rules, bits.lowest(rest), unseen, truf)
        sets += worth
        spread += worth * (1.0 - worth)
        rest = bits.without_lowest(rest)
    return sets + long_truf(cards, truf), spread


@kernel
def long_truf(cards, truf):
    """Sets that a long truf suit brings beyond the worth of its cards."""
    if truf == NONE:
        return 0.0
    return _LONG_TRUF * max(0.0, bits.count(cards & suit_mask(truf)) - 0.25 * bits.count(cards) - 1.0)


@kernel
def points(needed, left, sets, spread, bonus, extra, missing, miss):
    """Points to expect where so many sets are needed and the cards left are worth so many.

    `bonus` is paid for the exact number, `extra` and `missing` are lost for each set over and under it.
    """
    if needed < 0:
        return extra * (needed - max(0.0, sets) * miss)
    if needed > left:
        return -missing * (needed - left + max(0.0, left - sets) * miss)
    gap = sets - needed
    cost = extra * gap if gap > 0 else -missing * gap
    return bonus / (1.0 + gap * gap / spread) - miss * cost


@kernel
def nil_chance(rules, hand, unseen):
    """Chance that no card of the hand takes a trick."""
    chance = 1.0
    rest = hand
    while rest != bits.ZERO:
        card = bits.lowest(rest)
        rest = bits.without_lowest(rest)
        higher = bits.count(above(rules, unseen, card))
        danger = _NIL_DANGER / (1.0 + _NIL_HIGHER * higher * higher)
        mine = hand & suit_mask(card // RANKS) & ~bits.bit(card)
        for _ in range(bits.count(mine & ~above(rules, mine, card))):
            danger *= _NIL_COVER
        chance *= 1.0 - danger
    return chance
