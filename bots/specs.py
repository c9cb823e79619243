"""How a bot is written: `[label=]name[:key=value,...]` or `[label=]module.path:Class[:key=value,...]`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bots.settings import HEURISTIC, ISMCTS, MOISMCTS, MONTE_CARLO, PYTHON, RANDOM
from cardkit.spec import InvalidText, nearest

_NOT_IN_LABELS = re.compile(r"[^A-Za-z0-9_.+-]")
_LONGEST_LABEL = 100
_FORM = "expected [label=]name[:key=value,...] or [label=]module.path:Class[:key=value,...]"


class Key(NamedTuple):
    """A setting of a bot: a number, or one of a few names, whose code is their order.

    Attributes:
        default: as text; empty where there is none.
        meaning: one line.
        low, high: of a number.
        names: the names; empty for a number.
        is_whole: whether the number is an integer.
    """

    default: str
    meaning: str
    low: float = 0.0
    high: float = 0.0
    names: tuple[str, ...] = ()
    is_whole: bool = False

    def read(self, text: str) -> float | None:
        """The number or the code that a text stands for; None if it is not allowed."""
        if self.names:
            return float(self.names.index(text)) if text in self.names else None
        is_plain = text.isascii() and "_" not in text and (text.isdigit() or not self.is_whole)
        try:
            number = float(text) if is_plain else self.low - 1
        except ValueError:
            return None
        return number if self.low <= number <= self.high else None

    def allowed(self) -> str:
        """The allowed values in words."""
        return " or ".join(self.names) if self.names else f"{self.low:.7g}..{self.high:.7g}"


class BotKind(NamedTuple):
    """A built-in bot: its code in the kernels, what it does, and its keys."""

    code: int
    meaning: str
    keys: dict[str, Key]


MOST_ITERATIONS = 1_000_000
_NO_LIMIT = 2**50  # rollouts, where time is the limit
_EPSILON = Key("0", "chance of a random legal action instead", high=1.0)
_SEARCH = {
    "iterations": Key("1000", "rollouts for a decision; flat search has one an action at least", 1, MOST_ITERATIONS,
                      is_whole=True),
    "time_ms": Key("", "milliseconds for a decision, instead of iterations: then a run cannot be repeated exactly",
                   1, 3_600_000),
    "rollout": Key("heuristic", "who plays a rollout", names=("heuristic", "random")),
    "epsilon": Key("0.1", "chance of a random action in a rollout by the heuristic", high=1.0),
    "utility": Key("margin", "what is worth having: points more than the others have on average, points, or the win",
                   names=("margin", "points", "win")),
    "horizon": Key("deal", "how far a rollout goes: to the end of the deal, or of the game", names=("deal", "game")),
    "belief": Key("uniform", "which worlds: all alike, or those more often in which the bids seen make sense",
                  names=("uniform", "bids")),
    "sensible": Key("on", "whether actions that come to the same, or can only lose, are left out", names=("on", "off")),
}  # fmt: skip
_TREE = {**_SEARCH, "exploration": Key("0.7", "weight of actions tried seldom, for values of 0..1", high=100.0)}

BOT_KINDS = {
    "random": BotKind(RANDOM, "plays a uniformly random legal action", {}),
    "heuristic": BotKind(HEURISTIC, "plays by the game's own rules of thumb, without search", {"epsilon": _EPSILON}),
    "mc": BotKind(MONTE_CARLO, "plays every action out in the same random worlds and takes the best average", _SEARCH),
    "ismcts": BotKind(ISMCTS, "searches one tree of what it sees itself, in random worlds", _TREE),
    "moismcts": BotKind(MOISMCTS, "searches a tree for each seat, of what that seat sees, in random worlds", _TREE),
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
        keys = BOT_KINDS[self.name].keys
        given = {name: self.keys.get(name, key.default) for name, key in keys.items()}
        limited = {"iterations": float(_NO_LIMIT)} if given.get("time_ms") else {}
        return {name: keys[name].read(text) or 0.0 for name, text in given.items()} | limited

    @property
    def is_repeatable(self) -> bool:
        """Whether it always answers the same: not where its time is limited."""
        return self.is_python or "time_ms" not in self.keys

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
    if equals:
        _check_label(text, label)
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
    _check_together(text, spec.keys)
    return spec


def _check_label(text: str, label: str) -> None:
    """Refuse a label that cannot be, and say which rule it breaks."""
    strange = _NOT_IN_LABELS.search(label)
    if not label:
        raise InvalidText(f"bot {text!r} has an empty label: expected a label before the =, or no =")
    if strange:
        allowed = "expected letters of a-z and A-Z, digits and _ . + -"
        raise InvalidText(f"bot {text!r} has the label {label!r} with {strange.group()!r} in it: {allowed}")
    if label[0] in ".+-":
        first = "expected a letter, a digit or _ at its beginning"
        raise InvalidText(f"bot {text!r} has the label {label!r} that begins with {label[0]!r}: {first}")
    if len(label) > _LONGEST_LABEL:
        start = f"{label[:20]}..."
        raise InvalidText(
            f"a bot has the label {start!r} of {len(label)} characters: expected {_LONGEST_LABEL} at most"
        )


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
    if known[key].read(value) is None:
        raise InvalidText(f"bot {name!r} cannot have {key}={value}: expected {known[key].allowed()}")


def _check_together(text: str, keys: Mapping[str, str]) -> None:
    """Refuse keys that contradict each other."""
    if "iterations" in keys and "time_ms" in keys:
        raise InvalidText(f"bot {text!r} has iterations and time_ms: expected one of them")
    if keys.get("rollout") == "random" and "epsilon" in keys:
        raise InvalidText(f"bot {text!r} has rollout=random and epsilon: expected epsilon with rollout=heuristic only")


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
