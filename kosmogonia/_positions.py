"""Positions as one line of text: written, read, and checked against the rules.

A position is one line of `key=value` words, one a field of the record; a word whose value is that of a new game is left
out. Lists of cards use `.`, lists of numbers `,`, and a field with one entry a seat or side uses `|` between them:

    phase=deploy_card hands=G0.E5.R3|... lineups=E1.D2|-|G4|... closed=D2 owners=0,-1,2,... vaults=0.3|-|...

`stacks` holds the known cards of each stack, top first, aligned to its end, `?` for one that is not known; `olympus`
marks closed cards with `*`, and one that cannot be seen is `?*`, or `?E*` where its back shows the stack. `observer`
says whose view it is; then the hands of the others are all that does not lie face up.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cardkit.spec import read_number, read_words, require
from kosmogonia import kernels
from kosmogonia._card_files import standin
from kosmogonia._checks import check_position
from kosmogonia.cards import (
    CARDS,
    CHAMPIONS,
    IN_STACK,
    STACK_LETTERS,
    STACKS,
    TREASURES,
    card_code,
    cards_to_codes,
    code_to_card,
    codes_to_cards,
)
from kosmogonia.rules import Rules
from kosmogonia.state import (
    FIRST_PLAYER,
    NONE,
    OUTCOMES,
    PHASES,
    RESULTS,
    SECRET,
    STATE,
    TEAM,
    UNKNOWN,
    UNSEEN,
)

_NO_CARDS = "-"
_HIDDEN = "?"
_CLOSED = "*"
_SEATS, _SYMBOLS = 3, 12
_MOST_DRAWS = 48  # thefts and pulls: every use of a game may make one, and what it pulls another


class _Word(NamedTuple):
    """How a field is written: as sets of cards, as sets of treasures, or as numbers `low..high`."""

    kind: str
    low: int = 0
    high: int = 0


_CARDS, _TREASURES = _Word("cards"), _Word("treasures")
_WORDS = {
    "hands": _CARDS, "gathered": _CARDS, "lineups": _CARDS, "closed": _CARDS, "discard": _CARDS, "table": _CARDS,
    "pulled": _CARDS, "moved": _CARDS, "drafted": _CARDS, "treasury": _TREASURES, "vaults": _TREASURES,
    "bonus": _Word("numbers", 0, 99), "cancelled": _Word("numbers", 0, 9), "totals": _Word("numbers", 0, 9999),
    "symbols_used": _Word("numbers", 0, 8190), "stacks": _Word("stacks"),
    "since": _Word("numbers", 0, 6), "hidden": _Word("numbers", 0, STACKS), "kept": _Word("numbers", 0, 255),
    "unseen": _Word("numbers", 0, _SYMBOLS),
    "olympus": _Word("olympus"), "equipped": _Word("numbers", NONE, SECRET),
    "treasures": _Word("numbers", NONE, TREASURES - 1), "owners": _Word("numbers", NONE, _SEATS),
    "blue": _Word("numbers", NONE, 1), "queue": _Word("numbers", 0, 28), "citadels": _Word("numbers", NONE, 3),
    "challengers": _Word("numbers", NONE, _SEATS), "deployed": _Word("numbers", 0, _SYMBOLS),
    "duels_won": _Word("numbers", 0, 4), "duels_tied": _Word("numbers", 0, 4), "hunts": _Word("numbers", 0, 4),
    "hunts_won": _Word("numbers", 0, 4), "won": _Word("numbers", 0, 8), "uses": _Word("numbers", 0, 3),
    "hunted": _Word("numbers", 0, 255), "beaten": _Word("numbers", 0, 255), "passed": _Word("numbers", 0, 3),
    "ended": _Word("numbers", 0, 15), "citadels_used": _Word("numbers", 0, 15), "in_force": _Word("numbers", 0, 7),
    "queue_size": _Word("numbers", 0, 8), "queue_done": _Word("numbers", 0, 8), "phase": _Word("phase"),
    "actor": _Word("numbers", 0, _SEATS), "corner": _Word("numbers", 0, 1), "fight": _Word("numbers", 0, 3),
    "position": _Word("numbers", 0, _SEATS), "fought": _Word("numbers", 0, 15),
    "symbol": _Word("numbers", NONE, _SYMBOLS), "card": _Word("numbers", NONE, UNKNOWN + STACKS - 1),
    "place": _Word("numbers", NONE, 7), "round_number": _Word("numbers", 0, 2), "drafts": _Word("numbers", 0, 2),
    "opened": _Word("numbers", 0, IN_STACK), "b_quest": _Word("numbers", NONE, 5),
    "finder": _Word("numbers", NONE, _SEATS), "first_player": _Word("numbers", NONE, _SEATS),
    "draws": _Word("numbers", 0, _MOST_DRAWS), "drawn": _Word("numbers", NONE, CARDS - 1),
    "rounds_done": _Word("numbers", 0, 3), "winner": _Word("numbers", NONE, _SEATS),
    "outcome": _Word("numbers", 0, len(OUTCOMES) - 1), "result": _Word("numbers", 0, len(RESULTS)),
    "news": _Word("numbers", 0, 7),
}  # fmt: skip
_OBSERVER = "observer"


def write_position(rules: Rules, state: Any, observer: int | None) -> str:
    """The position as one line that `read_position` turns into the same record."""
    words = {name: _write(state, name) for name in _WORDS}
    start = _start_words()
    shown = {"phase": words["phase"]} | {name: word for name, word in words.items() if word != start[name]}
    shown |= {} if observer is None else {_OBSERVER: str(observer)}
    return " ".join(f"{name}={word}" for name, word in shown.items())


@cache
def _start_words() -> dict[str, str]:
    """The words of a new game, which are left out."""
    record = np.zeros(1, STATE).view(np.recarray)
    kernels.new_game(Rules(cards=standin().table), record[0])
    return {name: _write(record[0], name) for name in _WORDS}


def _write(state: Any, name: str) -> str:
    kind, value = _WORDS[name].kind, state[name]
    entries = np.atleast_1d(value)
    if kind == "cards":
        return "|".join(cards_to_codes(cards) for cards in entries)
    if kind == "treasures":
        return "|".join(_numbers_of(treasures) for treasures in entries)
    if kind == "stacks":
        return "|".join(_write_stack(entries[IN_STACK * s : IN_STACK * (s + 1)]) for s in range(STACKS))
    if kind == "olympus":
        closed = int(state.olympus_closed)
        return "|".join(
            ".".join(_write_sent(int(card), closed >> TEAM * seat + i & 1) for i, card in enumerate(team))
            for seat, team in enumerate(value)
        )
    return PHASES[value] if kind == "phase" else ",".join(str(int(number)) for number in entries.ravel())


def _numbers_of(mask: Any) -> str:
    return ".".join(str(i) for i in range(TREASURES) if int(mask) >> i & 1) or _NO_CARDS


def _write_stack(cards: np.ndarray) -> str:
    known = [i for i, card in enumerate(cards) if card != UNSEEN]
    first = known[0] if known else IN_STACK
    return ".".join(_HIDDEN if card == UNSEEN else card_code(int(card)) for card in cards[first:]) or _NO_CARDS


def _write_sent(card: int, is_closed: int) -> str:
    if card == NONE:
        return _NO_CARDS
    stack = STACK_LETTERS[card - UNKNOWN] if card in range(UNKNOWN, UNKNOWN + STACKS - 1) else ""
    name = f"{_HIDDEN}{stack}" if card >= UNKNOWN else card_code(card)
    return name + _CLOSED * is_closed


def read_position(rules: Rules, text: str) -> tuple[np.ndarray, int | None]:
    """The record of a position, `(1,)` of `STATE`, and the observer of a view.

    Raises:
        InvalidText: not a position of a game with these rules; says which word or which rule is wrong.
    """
    words = read_words(text, (*_WORDS, _OBSERVER), {**_start_words(), _OBSERVER: _NO_CARDS})
    record = np.zeros(1, STATE).view(np.recarray)
    state: Any = record[0]
    for name in _WORDS:
        _read(state, name, words[name])
    seats = rules.num_players
    observer = None if words[_OBSERVER] == _NO_CARDS else read_number(_OBSERVER, words[_OBSERVER], 0, seats - 1)
    check_position(rules, state, observer)
    return record, observer


def _read(state: Any, name: str, text: str) -> None:
    """Fill in a field from its word."""
    word, value = _WORDS[name], state[name]
    if word.kind == "phase":
        allowed = PHASES[FIRST_PLAYER:]
        require(text in allowed, f"phase={text!r}: expected one of {', '.join(allowed)}")
        state[name] = PHASES.index(text)
        return
    shape = np.shape(value)
    separator = "," if word.kind == "numbers" else "|"
    count = {"stacks": STACKS, "olympus": len(np.atleast_1d(value))}.get(word.kind, int(np.prod(shape, initial=1)))
    entries = text.split(separator)
    require(len(entries) == count, f"{name}={text!r}: expected {count} entries with {separator!r} between them")
    if word.kind == "stacks":
        state[name] = [place for stack, entry in enumerate(entries) for place in _read_stack(name, stack, entry)]
    elif word.kind == "olympus":
        state[name] = [_read_team(name, entry) for entry in entries]
        marks = [sent.endswith(_CLOSED) for team in entries for sent in team.split(".")]
        state.olympus_closed = sum(1 << i for i, is_closed in enumerate(marks) if is_closed)
    else:
        readers = {"cards": codes_to_cards, "treasures": _read_treasures}
        numbers = [
            readers[word.kind](entry) if word.kind in readers else read_number(name, entry, word.low, word.high)
            for entry in entries
        ]
        state[name] = np.array(numbers, STATE[name].base).reshape(shape) if shape else numbers[0]


def _read_treasures(text: str) -> int:
    numbers = [] if text == _NO_CARDS else [read_number("treasures", t, 0, TREASURES - 1) for t in text.split(".")]
    require(len(set(numbers)) == len(numbers), f"{text!r} names a treasure twice")
    return sum(1 << number for number in numbers)


def _read_stack(name: str, stack: int, text: str) -> list[int]:
    words = [] if text == _NO_CARDS else text.split(".")
    require(len(words) <= IN_STACK, f"{name}: {text!r} has more than {IN_STACK} cards")
    cards = [UNSEEN if word == _HIDDEN else code_to_card(word) for word in words]
    wrong = [card_code(card) for card in cards if card != UNSEEN and card // IN_STACK != stack]
    require(not wrong, f"{name}: {', '.join(wrong)} is not of stack {STACK_LETTERS[stack]}")
    return [UNSEEN] * (IN_STACK - len(cards)) + cards


def _read_team(name: str, text: str) -> list[int]:
    words = text.split(".")
    require(len(words) == TEAM, f"{name}: {text!r} has not {TEAM} entries")
    return [_read_sent(name, word.removesuffix(_CLOSED)) for word in words]


def _read_sent(name: str, word: str) -> int:
    if word == _NO_CARDS:
        return NONE
    if word.startswith(_HIDDEN):
        letters = STACK_LETTERS[: STACKS - 1]
        require(word[1:] == "" or (len(word) == 2 and word[1] in letters), f"{name}: {word!r} is no card")
        return UNKNOWN + (letters.index(word[1]) if word[1:] else STACKS - 1)
    card = code_to_card(word)
    require(card < CHAMPIONS, f"{name}: {word!r} is no champion")
    return card
