"""Which number is which card.

    suited cards          13 x suit + (rank - 1)

                 rank   1    2    3   ...   13
        Chrono  (C)     0    1    2   ...   12
        Nova    (N)    13   14   15   ...   25
        Void    (V)    26   27   28   ...   38
        Flux    (F)    39   40   41   ...   51

    paradox cards (P)  52 .. 57      identical [R4]: a hand with k of them has the lowest k bits set

As *actions*, 52 plays a paradox card as Future and 53 plays one as Past.
Smaller decks use the same numbers; the missing cards never occur.
"""

from cardkit.spec import InvalidText

SUIT_NAMES = ("Chrono", "Nova", "Void", "Flux")
SUIT_LETTERS = "CNVF"
RANKS = 13
SUITED_CARDS = 52
PARADOX = 52  # the number of any paradox card where copies do not matter, such as a turned-up one
FUTURE = 52  # action: play a paradox card as Future
PAST = 53  # action: play a paradox card as Past

CARD_NAMES = tuple(f"{suit} {rank}" for suit in SUIT_NAMES for rank in range(1, RANKS + 1))
PLAY_NAMES = (*CARD_NAMES, "Future", "Past")
SHORT_PLAY_NAMES = (*(f"{letter}{rank}" for letter in SUIT_LETTERS for rank in range(1, RANKS + 1)), "Fut", "Past")

_PLAY_OF_TEXT = {name.lower(): action for names in (PLAY_NAMES, SHORT_PLAY_NAMES) for action, name in enumerate(names)}
_EMPTY = "-"


def string_to_play(text: str) -> int:
    """The action that a text such as "Nova 7", "N7", "Future" or "Past" names.

    Raises:
        InvalidText: no card or declaration.
    """
    name = " ".join(text.split()).lower()
    if name not in _PLAY_OF_TEXT:
        raise InvalidText(f"{text!r} is no card or declaration; expected such as 'Nova 7', 'N7', 'Future' or 'Past'")
    return _PLAY_OF_TEXT[name]


def cards_to_string(cards: int, num_paradox: int, separator: str = ".") -> str:
    """Short names of a set of suited cards and a number of paradox cards, such as "C3.N7.P"; "-" for none."""
    names = [SHORT_PLAY_NAMES[card] for card in range(PARADOX) if int(cards) >> card & 1] + ["P"] * num_paradox
    return separator.join(names) if names else _EMPTY


def string_to_cards(text: str, separator: str = ".") -> tuple[int, int]:
    """The set of suited cards and the number of paradox cards in a text such as "C3.N7.P".

    Raises:
        InvalidText: an unknown card, or a card named twice.
    """
    cards, paradox = 0, 0
    if text == _EMPTY:
        return cards, paradox
    for word in text.split(separator):
        name = " ".join(word.split()).lower()
        if name in ("p", "paradox"):
            paradox += 1
            continue
        card = _PLAY_OF_TEXT.get(name, FUTURE)
        if card >= FUTURE:
            raise InvalidText(f"{word!r} is no card: expected such as 'N7' or 'P'")
        if cards >> card & 1:
            raise InvalidText(f"card {word!r} is named twice in {text!r}")
        cards |= 1 << card
    return cards, paradox


def hand_in_words(cards: int, num_paradox: int) -> str:
    """A hand for people, suit by suit, such as "Chrono 3 9, Nova 7, 2 paradox"."""
    groups = []
    for suit, name in enumerate(SUIT_NAMES):
        ranks = [str(rank + 1) for rank in range(RANKS) if int(cards) >> (13 * suit + rank) & 1]
        groups += [f"{name} {' '.join(ranks)}"] if ranks else []
    if num_paradox:
        groups.append("paradox" if num_paradox == 1 else f"{num_paradox} paradox")
    return ", ".join(groups) or "no cards"
