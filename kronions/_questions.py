"""Questions about a bid: what a seat sees that is to bid with a given hand, as position lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardkit.spec import InvalidText, nearest, read_mask, require
from kronions._dealing import deck_mask, has_flip
from kronions.cards import PARADOX, RANKS, SHORT_PLAY_NAMES, SUIT_LETTERS, SUIT_NAMES, cards_to_string, string_to_cards
from kronions.rules import DEALER_NAMES, REDRAW, Rules, hand_sizes

_NO_TRUMP = _NO_FLIP = "none"  # as in the run files
_EMPTY = "-"


def bid_positions(
    rules: Rules, scratch: Any, hand: str | int, seat: int, bids: Sequence[int], trump: str | None, flip: str | None
) -> list[str]:
    """The position lines that a seat with this hand can be in, all equally likely: one for each card turned up.

    Args:
        rules: the rules.
        scratch: a record to try things on.
        hand: cards such as "Nova 13, V2, paradox", or their bit mask.
        seat: who is to bid.
        bids: the bids made before, the first from the dealer's left.
        trump: a suit, or "none"; without `flip`, any unseen card of the suit may be the one turned up.
        flip: the card turned up; None or "none" where it is not known, or none is.

    Raises:
        InvalidText: a hand that nobody can hold in this round, or bids or cards that contradict each other.
    """
    cards, paradox = _read_hand(rules, hand)
    size, sizes = cards.bit_count() + paradox, hand_sizes(rules)
    require(size in sizes, f"a hand of {size} cards: expected one of the rounds' sizes {', '.join(map(str, sizes))}")
    round_index, last_seat = sizes.index(size), rules.num_players - 1
    require(0 <= seat <= last_seat, f"seat {seat}: expected 0..{last_seat}")
    require(len(bids) <= last_seat, f"{len(bids)} bids before this one: expected at most {last_seat}, one a seat")
    for bid in bids:
        require(0 <= bid <= size, f"bid {bid}: expected 0..{size}, as many as there are tricks")
    scratch.hand_size, scratch.rounds_done = size, round_index
    turned_up = _turned_up(rules, cards, paradox, trump, flip, bool(has_flip(rules, scratch)))
    dealer = (seat - 1 - len(bids)) % rules.num_players
    own_bids = [_EMPTY] * rules.num_players
    for i, bid in enumerate(bids):
        own_bids[(dealer + 1 + i) % rules.num_players] = str(bid)
    hands = ["?"] * rules.num_players
    hands[seat] = cards_to_string(cards, paradox)
    zeros, none = ",".join("0" * rules.num_players), ",".join(_EMPTY * rules.num_players)
    return [
        f"phase=bid round={round_index + 1} dealer={dealer} size={size} {shown} totals={zeros} zeros={zeros} "
        f"bids={','.join(own_bids)} won={zeros} voids={none} hands={','.join(hands)} played={none} leader={dealer} "
        f"trick={_EMPTY} actor={seat}"
        for shown in turned_up
    ]


def _read_hand(rules: Rules, hand: str | int) -> tuple[int, int]:
    """The suited cards of a hand and how many paradox cards it has."""
    mask = read_mask(hand)
    if mask is None:
        text = str(hand)
        cards, paradox = string_to_cards(text, separator="," if "," in text else "." if "." in text else ",")
    else:
        cards, paradox = mask & (1 << PARADOX) - 1, (mask >> PARADOX).bit_count()
        is_lowest = mask >> PARADOX == (1 << paradox) - 1
        require(is_lowest, f"hand {hand}: expected bits 0-51, and the lowest k of 52-57 for k paradox cards")
    foreign = cards & ~int(deck_mask(rules))
    require(not foreign, f"{cards_to_string(foreign, 0, ', ')}: not in the deck of these rules")
    has_too_many = paradox > rules.num_paradox
    require(not has_too_many, f"{paradox} paradox cards: there are {rules.num_paradox}")
    return cards, paradox


def _turned_up(
    rules: Rules, cards: int, paradox: int, trump: str | None, flip: str | None, is_turned: bool
) -> list[str]:
    """The words for the card turned up, how many were, and the trump; one text for each card that it can be."""
    suit = _read_suit(rules, trump)
    flip = None if flip is not None and flip.strip().lower() == _NO_FLIP else flip
    if not is_turned:
        is_free = suit in (None, _NO_TRUMP) and flip is None
        require(is_free, "no card is turned up in this round, which has no trump: expected no trump and no flip")
        return [f"flip={_EMPTY} up=0 trump={_EMPTY}"]
    if flip is not None:
        card, is_paradox = string_to_cards(flip)
        require(card.bit_count() + is_paradox == 1, f"flip {flip!r}: expected one card, such as 'Nova 4' or 'paradox'")
        return [_shown(rules, cards, paradox, PARADOX if is_paradox else card.bit_length() - 1, suit)]
    if suit is None:
        raise InvalidText("the trump is missing: expected a suit, or none where a paradox card is turned up")
    if suit == _NO_TRUMP:
        return [_shown(rules, cards, paradox, PARADOX, suit)]
    first = RANKS * SUIT_NAMES.index(suit)
    left = int(deck_mask(rules)) & ~cards
    unseen = [card for card in range(first, first + RANKS) if left >> card & 1]
    require(unseen, f"trump {suit}: the hand has all of its cards, so that none can be turned up")
    return [_shown(rules, cards, paradox, card, suit) for card in unseen]


def _read_suit(rules: Rules, trump: str | None) -> str | None:
    """The name of a suit of the deck or "none"; None where nothing is given."""
    if trump is None:
        return None
    names = {name.lower(): name for name in (*SUIT_NAMES[: rules.num_suits], _NO_TRUMP)}
    word = trump.strip().lower()
    require(word in names, f"trump {trump!r}{nearest(word, names)}")
    return names[word]


def _shown(rules: Rules, cards: int, paradox: int, flip: int, suit: str | None) -> str:
    """The words for one card turned up."""
    if flip == PARADOX:
        is_left = paradox < rules.num_paradox
        require(is_left, f"a paradox card turned up: the hand has all {rules.num_paradox} of them")
        require(rules.paradox_flip != REDRAW, "with paradox_flip=redraw another card follows a paradox card")
        is_named = rules.paradox_flip == DEALER_NAMES
        require(
            (suit in SUIT_NAMES) if is_named else suit in (None, _NO_TRUMP),
            f"trump {suit or 'missing'}: a paradox card turned up "
            + ("lets the dealer name a suit: expected that" if is_named else "means that there is none"),
        )
        letter = SUIT_LETTERS[SUIT_NAMES.index(suit)] if is_named and suit else _EMPTY
        return f"flip=P up=1 trump={letter}"
    name = SHORT_PLAY_NAMES[flip]
    require(not cards >> flip & 1, f"{name} is turned up: it cannot be in the hand as well")
    require(int(deck_mask(rules)) >> flip & 1, f"{name}: not in the deck of these rules")
    own = SUIT_NAMES[flip // RANKS]
    require(suit in (None, own), f"trump {suit}: {name} turned up makes it {own}")
    return f"flip={name} up=1 trump={SUIT_LETTERS[flip // RANKS]}"
