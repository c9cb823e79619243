"""Questions about a bid: what a seat sees that is to bid with a given hand, as a position line."""

from __future__ import annotations

from cardkit.spec import read_mask, require
from truf._bidding import deck_mask, hand_size, is_freak
from truf.cards import cards_to_string, string_to_cards
from truf.rules import PAGAT, Rules


def bid_position(rules: Rules, hand: str | int) -> str:
    """The position line of seat 0 before it bids: all seats are alike, and none knows a bid of another [R2, R12].

    Args:
        rules: the rules.
        hand: cards such as "10S, KH, AD", or their bit mask.

    Raises:
        InvalidText: a hand that nobody can be dealt.
    """
    cards = read_mask(hand)
    if cards is None:
        text = str(hand)
        cards = string_to_cards(text, separator="," if "," in text else "." if "." in text else ",")
    foreign = cards & ~int(deck_mask(rules))
    require(not foreign, f"{cards_to_string(foreign, ', ')}: not in the deck of these rules")
    size = int(hand_size(rules))
    require(cards.bit_count() == size, f"a hand of {cards.bit_count()} cards: expected {size}")
    is_redealt = rules.redeal == PAGAT and bool(is_freak(cards))
    require(not is_redealt, "with redeal=pagat such a hand is dealt anew: expected cards of both 2-10 and A, K, Q, J")
    return (
        f"phase=bid hand=1 totals=0,0,0,0 hands={cards_to_string(cards)},?,?,? laid=-,?,?,? played=-,-,-,- "
        "final=0,0,0,0 mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor=0"
    )
