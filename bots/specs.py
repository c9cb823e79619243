"""How a bot is written: `[label=]name[:key=value,...]` or `[label=]module.path:Class[:key=value,...]`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bots.players import HEURISTIC, PYTHON, RANDOM
from cardkit.spec import InvalidText, nearest

_LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_FORM = "expected [label=]name[:key=value,...] or [label=]module.path:Class[:key=value,...]"


class Key(NamedTuple):
    """A number that a bot can be given."""

    default: float
    low: float
    high: float
    meaning: str


class BotKind(NamedTuple):
    """A built-in bot: its code in the kernels, what it does, and its keys."""

    code: int
    meaning: str
    keys: dict[str, Key]


_EPSILON = Key(0.0, 0.0, 1.0, "chance of a random legal action instead")

BOT_KINDS = {
    "random": BotKind(RANDOM, "plays a uniformly random legal action", {}),
    "heuristic": BotKind(HEURISTIC, "plays by the game's own rules of thumb, without search", {"epsilon": _EPSILON}),
}


@dataclass(frozen=True)
class BotSpec:
    """One bot of a run.

    Attributes:
        label: its name in tables and files, unique in a run.
        name: a key of `BOT_KINDS`, or "module.path:Class".
        keys: its settings as text, as given.
    """

    label: str
    name: str
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def is_python(self) -> bool:
        """Whether it is a user's class and not a kernel."""
        return self.name not in BOT_KINDS

    @property
    def text(self) -> str:
        """The specification without its label."""
        settings = ",".join(f"{key}={value}" for key, value in self.keys.items())
        return f"{self.name}:{settings}" if settings else self.name

    def values(self) -> dict[str, float]:
        """The settings of a built-in bot as numbers, with its defaults."""
        kind = BOT_KINDS[self.name]
        return {name: float(self.keys.get(name, key.default)) for name, key in kind.keys.items()}

    @property
    def code(self) -> int:
        """Its kind in the kernels."""
        return PYTHON if self.is_python else BOT_KINDS[self.name].code


def parse_bot(text: str) -> BotSpec:
    """The bot that a text describes; its label is empty where none is given.

    Raises:
        InvalidText: not of the form, an unknown bot or key, or a value that is not allowed.
    """
    head, _, rest = text.partition(":")
    label, equals, name = head.rpartition("=")
    if equals and not _LABEL.fullmatch(label):
        raise InvalidText(f"bot {text!r} has the label {label!r}: expected letters, digits and _ . + -")
    first = rest.partition(":")[0].partition(",")[0]
    if first.isidentifier() and name not in BOT_KINDS:
        class_name, _, rest = rest.partition(":")
        if not class_name.isidentifier() or not all(part.isidentifier() for part in name.split(".")):
            raise InvalidText(f"bot {text!r} is no class: {_FORM}")
        return BotSpec(label, f"{name}:{class_name}", _parse_keys(text, rest))
    if name not in BOT_KINDS:
        raise InvalidText(f"unknown bot {name!r}{nearest(name, [*BOT_KINDS, 'module.path:Class'])}")
    spec = BotSpec(label, name, _parse_keys(text, rest))
    for key, value in spec.keys.items():
        _check_value(name, key, value)
    return spec


def _parse_keys(text: str, settings: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    for setting in settings.split(",") if settings else []:
        key, equals, value = setting.partition("=")
        if not equals or not key.isidentifier() or not value:
            raise InvalidText(f"bot {text!r} has the setting {setting!r}: {_FORM}")
        if key in keys:
            raise InvalidText(f"bot {text!r} has the key {key!r} twice")
        keys[key] = value
    return keys


def _check_value(name: str, key: str, value: str) -> None:
    known = BOT_KINDS[name].keys
    if key not in known:
        hint = nearest(key, known) if known else ": it has no keys"
        raise InvalidText(f"bot {name!r} has no key {key!r}{hint}")
    low, high = known[key].low, known[key].high
    try:
        number = float(value)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise InvalidText(f"bot {name!r} cannot have {key}={value}: expected {low:g}..{high:g}")


def parse_bots(texts: Iterable[str]) -> list[BotSpec]:
    """The bots of a run, each with a label of its own: equal specifications become `name#1`, `name#2`.

    Raises:
        InvalidText: no bots, a bad specification, or a label given twice.
    """
    specs = [parse_bot(text) for text in texts]
    if not specs:
        raise InvalidText("no bots: expected at least one, such as --bot heuristic")
    counts = Counter(spec.text for spec in specs if not spec.label)
    numbers: Counter[str] = Counter()
    labelled = []
    for spec in specs:
        label = spec.label or spec.text
        if not spec.label and counts[spec.text] > 1:
            numbers[spec.text] += 1
            label = f"{spec.text}#{numbers[spec.text]}"
        labelled.append(replace(spec, label=label))
    for label, count in Counter(spec.label for spec in labelled).items():
        if count > 1:
            raise InvalidText(f"{count} bots have the label {label!r}: expected different ones")
    return labelled
