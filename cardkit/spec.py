"""How a game declares itself: options, columns of its run files; and how texts are read and refused."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from operator import index
from typing import Any, NamedTuple

import numpy as np


class IllegalAction(ValueError):
    """An action that the rules do not allow here, or a text that names none."""


class InvalidRules(ValueError):
    """An option, an option value or a combination of options that the game does not have."""


class InvalidText(ValueError):
    """A text that is not a position, an action, a card or a bot specification."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint such as `"; did you mean 'hook'?"`, or else the list of all known names."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; expected one of {', '.join(known)}"


def checked_text(value: Any) -> str:
    """A text, or an `InvalidText` that says so."""
    if not isinstance(value, str):
        raise InvalidText(f"expected a text, got {value!r}")
    return value


def checked_number(name: str, value: Any, high: int) -> int:
    """An integer 0..high, or a `ValueError` that says so."""
    try:
        number = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= high:
        raise ValueError(f"{name} {value!r}: expected an integer 0..{high}")
    return number


def read_mask(cards: str | int) -> int | None:
    """The bit mask of a set of cards that is given as one, such as 8192 or "0x2000"; None for other texts.

    Raises:
        InvalidText: more than 64 bits, or below 0.
    """
    try:
        mask = int(cards, 0) if isinstance(cards, str) else index(cards)
    except ValueError:
        return None
    require(0 <= mask < 2**64, f"bit mask {cards}: expected 0 .. 2**64 - 1")
    return mask


def require(condition: Any, message: str) -> None:
    """Raise an `InvalidText` unless the condition holds."""
    if not condition:
        raise InvalidText(message)


def read_words(text: str, keys: Iterable[str], defaults: Mapping[str, str] | None = None) -> dict[str, str]:
    """The `key=value` words of a position line; every key stands in it once, or has a default.

    Raises:
        InvalidText: a word of another form, an unknown, repeated or missing key.
    """
    words: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        require(equals and value, f"{word!r} is no word of a position: expected key=value")
        if key not in keys:  # the hint is costly, so it is made for wrong words only
            raise InvalidText(f"unknown word {key!r} in a position{nearest(key, keys)}")
        require(key not in words, f"the word {key!r} stands twice in a position")
        words[key] = value
    words = {**(defaults or {}), **words}
    missing = [key for key in keys if key not in words]
    require(not missing, f"a position lacks {', '.join(missing)}: expected {' '.join(key + '=' for key in keys)}")
    return words


def read_number(key: str, text: str, low: int, high: int) -> int:
    """The number `low..high` that stands behind a key; an `InvalidText` otherwise."""
    digits = text.removeprefix("-")
    number = int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else low - 1
    require(low <= number <= high, f"{key}={text!r}: expected {low}..{high}")
    return number


def read_entries(words: Mapping[str, str], key: str, count: int) -> list[str]:
    """The entries of a list behind a key, one a seat; an `InvalidText` where there are more or fewer."""
    entries = words[key].split(",")
    require(len(entries) == count, f"{key}={words[key]!r}: expected {count} entries, one a seat")
    return entries


class Option(NamedTuple):
    """One option of a game: what it may be set to, and the code that the kernels see.

    A value is one of `words` (each stands for a code), an integer `low..high`, or either. A game with an option of
    another shape, such as a list, subclasses this and has its own `read`, `show` and `allowed`.
    """

    name: str
    clause: str
    meaning: str
    words: Mapping[str, int] = {}
    low: int | None = None
    high: int | None = None

    def read(self, value: Any, num_players: int) -> Any:
        """The code of a value given in Python or as text.

        Raises:
            InvalidRules: not an allowed value.
        """
        word = "" if isinstance(value, bool) else str(value)
        return self.words[word] if word in self.words else self.number(value, value)

    def show(self, code: Any) -> str:
        """The text of a code, as `read` takes it."""
        by_code = {number: word for word, number in self.words.items()}
        return by_code.get(int(code), str(int(code)))

    def allowed(self) -> str:
        """The allowed values in words."""
        span = "" if self.low is None else f"{self.low}" if self.low == self.high else f"{self.low}..{self.high}"
        return " or ".join([", ".join(self.words)] * bool(self.words) + [span] * bool(span))

    def number(self, value: Any, quoted: Any) -> int:
        """An integer in the range, from a number or its digits; an error quotes the whole value it stands in."""
        try:
            digits = value.removeprefix("-") if isinstance(value, str) else "0"
            number = int(value) if isinstance(value, str) else index(value)
        except (TypeError, ValueError):
            raise self.error(quoted) from None
        is_plain = digits.isascii() and digits.isdecimal() and not isinstance(value, bool)
        if not is_plain or self.low is None or self.high is None or not self.low <= number <= self.high:
            raise self.error(quoted)
        return number

    def error(self, value: Any) -> InvalidRules:
        """What a value that is not allowed raises."""
        return InvalidRules(f"option {self.name!r} cannot be {value!r}: expected {self.allowed()} [{self.clause}]")


def choice(name: str, clause: str, meaning: str, *values: str) -> Option:
    """An option with named values; the first is the default and has code 0."""
    return Option(name, clause, meaning, words={value: code for code, value in enumerate(values)})


def integer(name: str, clause: str, meaning: str, low: int, high: int, **words: int) -> Option:
    """An option that is an integer `low..high`, or one of some words that stand for a code."""
    return Option(name, clause, meaning, words=words, low=low, high=high)


def read_options(options: Iterable[Option], given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The codes of all options: those given, and the defaults for the rest.

    Raises:
        InvalidRules: an unknown option or a value that is not allowed.
    """
    table = {option.name: option for option in options}
    for name in given:
        if name not in table:
            raise InvalidRules(f"unknown option {name!r}{nearest(name, table)}")
    num_players = table["num_players"].read(given.get("num_players", defaults["num_players"]), 0)
    codes = {name: table[name].read(value, num_players) for name, value in given.items()}
    return {name: codes.get(name, defaults[name]) for name in table}


class Preset(NamedTuple):
    """A named set of options; `expand` fills in what the user has not given, and may refuse what does not fit."""

    meaning: str
    expand: Callable[[dict[str, Any]], dict[str, Any]]


class Column(NamedTuple):
    """One column of a run file; with `categories` the stored number is an index into them."""

    name: str
    type: str
    unit: str
    meaning: str
    categories: tuple[str, ...] = ()


def columns_dtype(columns: Iterable[Column]) -> np.dtype:
    """The record that holds one row of these columns."""
    return np.dtype([(column.name, column.type) for column in columns], align=True)
