"""How a game declares itself: its options, the columns of its run files, and the errors users meet."""

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


class Option(NamedTuple):
    """One option of a game: what it may be set to, and the code that the kernels see.

    A value is one of `words` (each stands for a code), an integer `low..high`, or both. With `length`, a list
    of up to that many integers, stored as an int64 array filled up with zeros; the word then stands for the empty list.
    With `by_players`, also a table from player counts to values.
    """

    name: str
    clause: str
    meaning: str
    words: Mapping[str, int] = {}
    low: int | None = None
    high: int | None = None
    length: int = 0
    by_players: bool = False

    def read(self, value: Any, num_players: int) -> Any:
        """The code of a value given in Python or as text.

        Raises:
            InvalidRules: not an allowed value.
        """
        if isinstance(value, str) and value in self.words:
            return self._list([]) if self.length else self.words[value]
        if self.by_players and (isinstance(value, Mapping) or (isinstance(value, str) and ":" in value)):
            return self._read_table(value, num_players)
        if self.length:
            return self._read_list(value)
        return self._integer(value, value)

    def show(self, code: Any) -> str:
        """The text of a code, as `read` takes it."""
        if self.length:
            entries = [str(entry) for entry in code if entry]
            return ",".join(entries) if entries else next(iter(self.words))
        by_code = {number: word for word, number in self.words.items()}
        return by_code.get(int(code), str(int(code)))

    def allowed(self) -> str:
        """The allowed values in words."""
        span = "" if self.low is None else f"{self.low}..{self.high}"
        if self.length:
            span = f"a list of 1 to {self.length} integers {span}"
        table = ["a table such as 4:10,5:8"] if self.by_players else []
        return " or ".join([", ".join(self.words)] * bool(self.words) + [span] * bool(span) + table)

    def _integer(self, value: Any, quoted: Any) -> int:
        try:
            number = int(value) if isinstance(value, str) else index(value)
        except (TypeError, ValueError):
            raise self._error(quoted) from None
        if isinstance(value, bool) or self.low is None or self.high is None or not self.low <= number <= self.high:
            raise self._error(quoted)
        return number

    def _read_list(self, value: Any) -> np.ndarray:
        entries = value.split(",") if isinstance(value, str) else value
        try:
            entries = list(entries)
        except TypeError:
            raise self._error(value) from None
        if not 1 <= len(entries) <= self.length:
            raise self._error(value)
        return self._list([self._integer(entry, value) for entry in entries])

    def _list(self, entries: list[int]) -> np.ndarray:
        array = np.zeros(self.length, np.int64)
        array[: len(entries)] = entries
        return array

    def _read_table(self, value: Any, num_players: int) -> int:
        try:
            pairs = value.items() if isinstance(value, Mapping) else [pair.split(":") for pair in value.split(",")]
            table = {int(players): entry for players, entry in pairs}
        except ValueError:
            raise self._error(value) from None
        if num_players not in table:
            raise InvalidRules(f"option {self.name!r} has no entry for {num_players} players in {value!r}")
        return self._integer(table[num_players], value)

    def _error(self, value: Any) -> InvalidRules:
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
