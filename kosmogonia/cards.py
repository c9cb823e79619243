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

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from cardkit.spec import InvalidText, checked_text, nearest

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
CATEGORY_KEYS = ("fist", "awe", "cunning")  # in the columns of files
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

NAME_BYTES = 64
SHOWN = 60  # characters of a value in a message
NOT_IN_NAMES = '"=[]'  # quotes in messages, the words of a position line, the mark-up of tables
ACTION_WORDS = ("end", "pass", "citadel 1", "citadel 2", "citadel 3")  # no card is called so: actions are (`text.py`)
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


def is_code(text: str) -> bool:
    """Whether a text is the short text of a card, whatever the case of its letter."""
    return text.upper() in _cards_by_code()


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


def name_key(text: str) -> str:
    """What two names share that are the same to people: case, spacing and the form of letters do not count."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def name_to_card(table: np.ndarray, text: str) -> int:
    """The card with a name or short text, whatever the case of its letters.

    Raises:
        InvalidText: no card of this set.
    """
    key = name_key(checked_text(text))
    if is_code(key):
        return code_to_card(key.upper())
    names = [card_name(table, card) for card in range(CARDS)]
    keys = {name_key(name): card for card, name in enumerate(names)}
    if key not in keys:
        raise InvalidText(f"{text!r} is no card{nearest(text.title(), names)}")
    return keys[key]


def in_words(numbers: Iterable[Any]) -> str:
    """Three numbers a category, such as "3/7/2"."""
    return "/".join(str(int(number)) for number in numbers)


def card_table(rows: dict[str, list[dict[str, Any]]]) -> np.ndarray:
    """The one `CARD_SET` record of the checked rows of all files."""
    table = np.zeros(1, CARD_SET)
    record = table[0]
    for row in rows["champions.csv"]:
        record["values"][row["id"]] = three(row)
        _write_name(record["card_names"][row["id"]], row["name"])
    for row in rows["reinforcements.csv"]:
        record["symbols"][row["id"]] = row["symbol"]
        _write_name(record["card_names"][CHAMPIONS + row["id"]], row["name"])
    for row in rows["citadels.csv"]:
        record["citadels"][row["id"]] = [row[f"symbol_{place}"] for place in (1, 2, 3)]
        _write_name(record["citadel_names"][row["id"]], row["name"])
    for row in rows["quests.csv"]:
        place = QUEST_IDS.index(row["quest"]), FACES.index(row["face"])
        record["categories"][place], record["monsters"][place] = three(row), three(row, "monster_")
        _write_name(record["quest_names"][place[0]], row["name"])
    for row in rows["treasures.csv"]:
        treasure = row["id"]
        record["quest_treasures"][QUEST_IDS.index(row["quest"]), row["copy"] - 1] = treasure
        record["keys"][treasure] = row["keys"]
        record["items"][treasure], record["factors"][treasure] = three(row, "item_"), three(row, "factor_")
        _write_name(record["treasure_names"][treasure], row["name"])
    for row in rows["kronos.csv"]:
        record["bases"][KRONOS_FACES.index(int(row["face"]))] = three(row, "base_")
    for row in rows["key_limits.csv"]:
        record["limits"][KRONOS_FACES.index(int(row["face"])), SETTINGS.index(row["setting"])] = row["limit"]
    return table.view(np.recarray)


def three(row: dict[str, Any], prefix: str = "") -> list[int]:
    """The numbers of the columns fist, awe and cunning with this prefix."""
    return [row[f"{prefix}{key}"] for key in CATEGORY_KEYS]


def _write_name(place: np.ndarray, name: str) -> None:
    data = name.encode()
    place[: len(data)] = np.frombuffer(data, np.uint8)


class Field(NamedTuple):
    """What may stand in a column: a number `low..high`, one of some words, or a name (or any text)."""

    low: int = 0
    high: int = -1
    words: tuple[str, ...] = ()
    is_name: bool = True

    def values(self) -> Iterable[Any]:
        """All values of a column of numbers or words."""
        return self.words or range(self.low, self.high + 1)

    def read(self, cell: str) -> tuple[Any, str]:
        """The value, and what is wrong with it or an empty text."""
        text = cell.strip(" \t")
        if self.high >= self.low:
            if not re.fullmatch(r"-?[0-9]{1,9}", text):
                return None, f"value {quoted(text)} is not an integer in {self.low}..{self.high}"
            is_inside = self.low <= int(text) <= self.high
            return int(text), "" if is_inside else f"value {int(text)} is outside {self.low}..{self.high}"
        if self.words:
            return text, "" if text in self.words else f"value {quoted(text)} is not one of {', '.join(self.words)}"
        return _read_name(text) if self.is_name else _read_note(cell)


def _read_name(text: str) -> tuple[str, str]:
    name = normalize("NFC", re.sub(" +", " ", text))
    is_plain = name.isprintable() and not set(name) & set(NOT_IN_NAMES)
    if is_plain and any(letter.isalnum() for letter in name) and len(name.encode()) <= NAME_BYTES:
        return name, ""
    allowed = f"1..{NAME_BYTES} bytes of printable text with a letter or digit and without {' '.join(NOT_IN_NAMES)}"
    return name, f"value {quoted(text)} is no name, allowed are {allowed}"


def _read_note(cell: str) -> tuple[str, str]:
    note = " ".join(cell.split())
    return note, "" if note.isprintable() else f"value {quoted(note)} is no note, allowed is printable text"


def quoted(text: str) -> str:
    """A value in quotes, on one line that a terminal can show, and not endless."""
    shown = (letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:SHOWN])
    return f'"{"".join(shown)}{"..." if len(text) > SHOWN else ""}"'


def _numbers(prefix: str, low: int, high: int) -> dict[str, Field]:
    return {f"{prefix}{key}": Field(low, high) for key in CATEGORY_KEYS}


_TEXT, _FACE = Field(), Field(words=tuple(map(str, KRONOS_FACES)))
FILES: Mapping[str, Mapping[str, Field]] = {
    "set.csv": {"name": _TEXT, "origin": Field(words=("invented", "supplied")), "note": Field(is_name=False)},
    "champions.csv": {"id": Field(0, 47), "name": _TEXT, "stack": Field(1, 4), **_numbers("", 0, 10)},
    "reinforcements.csv": {"id": Field(0, 11), "name": _TEXT, "symbol": Field(1, SYMBOLS)},
    "quests.csv": {
        "quest": Field(words=QUEST_IDS),
        "name": _TEXT,
        "face": Field(words=FACES),
        **_numbers("", 0, 1),
        **_numbers("monster_", 0, 60),
    },
    "treasures.csv": {
        "id": Field(0, 17),
        "quest": Field(words=QUEST_IDS),
        "copy": Field(1, 2),
        "name": _TEXT,
        "keys": Field(0, 9),
        **_numbers("item_", 0, 10),
        **_numbers("factor_", 0, 9),
    },
    "citadels.csv": {"id": Field(0, 3), "name": _TEXT, **{f"symbol_{i}": Field(1, SYMBOLS) for i in (1, 2, 3)}},
    "kronos.csv": {"face": _FACE, **_numbers("base_", 0, 99)},
    "key_limits.csv": {"face": _FACE, "setting": Field(words=SETTINGS), "limit": Field(1, 999_999)},
}
