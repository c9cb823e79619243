"""Which number is which card, and the card set: what is printed on champions, quests, treasures and boards.

    card = 12 x (stack - 1) + index            as text: the stack's letter and the index, "G0" .. "R11"

        stack 1  G  Gods            0 .. 11        a champion has a value 0..10 a category
        stack 2  E  Elites         12 .. 23        categories: 0 Fist, 1 Awe, 2 Cunning
        stack 3  D  Defenders      24 .. 35
        stack 4  T  Thornbearers   36 .. 47
        stack 5  R  Reinforcements 48 .. 59        has a symbol 1..12 instead of values

    quest    = 0 .. 8   A1 A2 A3  B1 B2 B3  C1 C2 C3
    side     = 2 x position + (0 left, 1 right);   the position of a quest in its round counts from 0, nearest Olympus
    treasure = 0 .. 17

The rules print no numbers, so they come from files (`_card_files.py`); the set that is shipped is invented.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cardkit.spec import InvalidText, nearest

STACKS = 5
IN_STACK = 12
CARDS = STACKS * IN_STACK
CHAMPIONS = 48
REINFORCEMENTS = 12
TREASURES = 18
QUESTS = 9
CITADELS = 4
CATEGORIES = 3
SYMBOLS = 12
GOD, ELITE, DEFENDER, THORNBEARER, REINFORCEMENT = range(STACKS)
QUEST_TREASURES = 2

STACK_LETTERS = "GEDTR"
STACK_NAMES = ("Gods", "Elites", "Defenders", "Thornbearers", "Reinforcements")
CATEGORY_NAMES = ("Fist", "Awe", "Cunning")
QUEST_IDS = ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3")
FACES = ("one", "both")
KRONOS_FACES = (13, 15)
SETTINGS = ("standard4", "variation3", "variation2", "tournament2")
SYMBOL_NAMES = (
    "double Fist", "double Awe", "double Cunning", "steal a Defender", "take over a Thornbearer",
    "pull from the discard pile", "replace a category", "tie the duel or cancel a factor",
    "win the hunt or +1 +1 +1", "+3 +2 +1", "+4", "+2 +2",
)  # fmt: skip

STACK = np.uint64((1 << IN_STACK) - 1)  # the cards of stack 1
GODS = STACK
DEFENDERS = np.uint64(int(STACK) << 24)
THORNBEARERS = np.uint64(int(STACK) << 36)
MORTALS = np.uint64((1 << CHAMPIONS) - 1 & ~int(GODS))  # stacks 2 to 4, which END effects can aim at
ALL_CHAMPIONS = np.uint64((1 << CHAMPIONS) - 1)
ALL_CARDS = np.uint64((1 << CARDS) - 1)

NAME_BYTES = 32
CARD_SET = np.dtype(
    [
        ("values", "i2", (CHAMPIONS, CATEGORIES)),  # printed values of the champions
        ("symbols", "i2", (REINFORCEMENTS,)),  # symbol 1..12 of the reinforcement cards
        ("citadels", "i2", (CITADELS, 3)),  # symbols of the citadels
        ("categories", "i2", (QUESTS, 2, CATEGORIES)),  # 1: written on that face of the quest; faces one, both
        ("monsters", "i2", (QUESTS, 2, CATEGORIES)),  # what the monster of that face must be met with; 0 no value
        ("quest_treasures", "i2", (QUESTS, QUEST_TREASURES)),  # the treasures of a quest
        ("keys", "i2", (TREASURES,)),
        ("items", "i2", (TREASURES, CATEGORIES)),  # added to an equipped champion
        ("factors", "i2", (TREASURES, CATEGORIES)),  # added to Kronos while he owns the treasure
        ("bases", "i2", (2, CATEGORIES)),  # Kronos himself, faces 13 and 15
        ("limits", "i4", (2, len(SETTINGS))),  # keys at which all lose
        ("card_names", "u1", (CARDS, NAME_BYTES)),  # UTF-8, filled up with zeros
        ("quest_names", "u1", (QUESTS, NAME_BYTES)),
        ("treasure_names", "u1", (TREASURES, NAME_BYTES)),
        ("citadel_names", "u1", (CITADELS, NAME_BYTES)),
    ],
    align=True,
)


@dataclass(frozen=True)
class CardSet:
    """A checked card set.

    Attributes:
        name, origin, note: what its files say about it; the origin is "invented" or "supplied".
        source: "standin" for the set that is shipped, else its folder, as it was given.
        digest: hash of everything that is printed on the cards (16 hex digits).
        table: the numbers and names, one `CARD_SET` record.
        warnings: what is unusual about the set.
    """

    name: str
    origin: str
    note: str
    source: str
    digest: str
    table: Any = field(repr=False, compare=False)
    warnings: tuple[str, ...] = field(default=(), repr=False, compare=False)


STANDIN = "standin"
STANDIN_FOLDER = Path(__file__).resolve().parent / "data" / STANDIN


def name_text(table: np.ndarray, column: str, number: int) -> str:
    """A name in a `CARD_SET` record: of a card, quest, treasure or citadel."""
    return bytes(table[0][column][number]).rstrip(b"\0").decode()


def card_code(card: int) -> str:
    """The short text of a card, such as "G0" or "R11"."""
    return f"{STACK_LETTERS[card // IN_STACK]}{card % IN_STACK}"


@cache
def _cards_by_code() -> dict[str, int]:
    return {card_code(card): card for card in range(CARDS)}


def code_to_card(text: str) -> int:
    """The card of a short text.

    Raises:
        InvalidText: no card.
    """
    card = _cards_by_code().get(text)
    if card is None:
        raise InvalidText(f"{text!r} is no card: expected a letter of {STACK_LETTERS} and 0..11, such as 'G0'")
    return card


def cards_to_codes(cards: int) -> str:
    """Short texts of a set of cards, such as "G0.E5"; "-" for none."""
    return ".".join(card_code(card) for card in range(CARDS) if int(cards) >> card & 1) or "-"


def codes_to_cards(text: str) -> int:
    """The set of cards in a text such as "G0.E5".

    Raises:
        InvalidText: an unknown card, or one that stands there twice.
    """
    cards = 0
    for word in [] if text == "-" else text.split("."):
        card = code_to_card(word)
        if cards >> card & 1:
            raise InvalidText(f"card {word!r} stands twice in {text!r}")
        cards |= 1 << card
    return cards


def card_name(table: np.ndarray, card: int) -> str:
    """What a card is called in this set."""
    return name_text(table, "card_names", card)


def name_to_card(table: np.ndarray, text: str) -> int:
    """The card with a name or short text, whatever the case of its letters.

    Raises:
        InvalidText: no card of this set.
    """
    word = " ".join(text.split())
    code = word.upper()
    if code in _cards_by_code():
        return _cards_by_code()[code]
    names = {card_name(table, card).casefold(): card for card in range(CARDS)}
    if word.casefold() not in names:
        raise InvalidText(f"{text!r} is no card{nearest(word.casefold(), names)}")
    return names[word.casefold()]


def in_words(numbers: Any) -> str:
    """Three numbers a category, such as "3/7/2"."""
    return "/".join(str(int(number)) for number in numbers)
