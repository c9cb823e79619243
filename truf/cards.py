"""Which number is which card.

    card = 13 x suit + rank

              rank   0  1  2  3  4  5  6  7   8   9  10  11  12
                     2  3  4  5  6  7  8  9  10   J   Q   K   A
        C Clubs      0  1  2  3  4  5  6  7   8   9  10  11  12
        D Diamonds  13 14 ...                                25
        H Hearts    26 27 ...                                38
        S Spades    39 40 ...                                51

    bid value        2  3  4  5  6  7  8  9  10   0   0   0   1      [R6]

Suits rise in the order C, D, H, S, which matters for bid ties only [R7]. Smaller decks use the same numbers.
"""

from __future__ import annotations

import numpy as np

from cardkit.spec import InvalidText

SUIT_NAMES = ("Clubs", "Diamonds", "Hearts", "Spades")
SUIT_LETTERS = "CDHS"
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
RANKS = 13
SUITS = 4
CARDS = RANKS * SUITS
ACE = 12

BID_VALUE = np.array([2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 1], np.int64)  # of a rank [R6]
COURTS = np.uint64(sum(0b0111000000000 << RANKS * suit for suit in range(SUITS)))  # J, Q, K
HIGH_CARDS = np.uint64(sum(0b1111000000000 << RANKS * suit for suit in range(SUITS)))  # J, Q, K, A
LOW_CARDS = np.uint64(sum(0b0000111111111 << RANKS * suit for suit in range(SUITS)))  # 2 .. 10

CARD_NAMES = tuple(rank + letter for letter in SUIT_LETTERS for rank in RANK_NAMES)
_CARD_OF_TEXT = {name: card for card, name in enumerate(CARD_NAMES)}
_EMPTY = "-"


def string_to_card(text: str) -> int:
    """The number of a card such as "10S" or "kh".

    Raises:
        InvalidText: no card.
    """
    name = text.strip().upper()
    if name not in _CARD_OF_TEXT:
        raise InvalidText(f"{text!r} is no card; expected rank and suit, such as '10S', 'KH' or 'AD'")
    return _CARD_OF_TEXT[name]


def cards_to_string(cards: int, separator: str = ".") -> str:
    """Short names of a set of cards, such as "3C.KD"; "-" for none."""
    return separator.join(CARD_NAMES[card] for card in range(CARDS) if int(cards) >> card & 1) or _EMPTY


def string_to_cards(text: str, separator: str = ".") -> int:
    """The set of cards in a text such as "3C.KD".

    Raises:
        InvalidText: an unknown card, or a card named twice.
    """
    cards = 0
    for word in [] if text == _EMPTY else text.split(separator):
        card = string_to_card(word)
        if cards >> card & 1:
            raise InvalidText(f"card {word!r} is named twice in {text!r}")
        cards |= 1 << card
    return cards


def hand_in_words(cards: int) -> str:
    """A hand for people, strongest suit first, such as "S A 10 3, H K"."""
    groups = []
    for suit in reversed(range(SUITS)):
        ranks = [RANK_NAMES[rank] for rank in reversed(range(RANKS)) if int(cards) >> (RANKS * suit + rank) & 1]
        groups += [f"{SUIT_LETTERS[suit]} {' '.join(ranks)}"] if ranks else []
    return ", ".join(groups) or "no cards"
