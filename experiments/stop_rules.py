"""How a stop rule is written: `A>B`, or `A>B:effect=0.1,alpha=0.05,beta=0.05`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from cardkit.spec import InvalidText, nearest

_FORM = "expected A>B or A>B:effect=0.1,alpha=0.05,beta=0.05 with the labels of two bots"
_LIMITS = {"effect": (0.01, 10.0), "alpha": (1e-6, 0.5), "beta": (1e-6, 0.5)}
FIRST_LOOKS = (100, 125, 160, 200, 250, 315, 400, 500, 630, 800)  # then ten times as many, and so on
LOOKS_IN_WORDS = (
    f"after {', '.join(map(str, FIRST_LOOKS[:-1]))} and {FIRST_LOOKS[-1]} boards, after ten times as many and so on, "
    f"and after the last one"
)


@dataclass(frozen=True)
class StopRule:
    """When to stop: as soon as the boards tell `first` better than `second` by `effect` from not better at all.

    Attributes:
        first, second: labels of two bots.
        effect: the mean difference in points of H1, in standard deviations of the board differences; H0 is 0.
        alpha: how often a difference of 0 or less is taken for one of `effect` or more, at most.
        beta: how often a difference of `effect` or more is taken for 0 or less, at most.
    """

    first: str
    second: str
    effect: float = 0.1
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def low(self) -> float:
        """The log-likelihood ratio at which H0 is accepted (Wald's bound)."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def __str__(self) -> str:
        return f"{self.first}>{self.second}:effect={self.effect:g},alpha={self.alpha:g},beta={self.beta:g}"


def look_boards(boards: int) -> Iterator[int]:
    """After how many boards of a run its stop rule is looked at: each time a quarter more, and once all are played.

    The looks are the same for every run, whatever the most that it may play: renard numbers (ISO 3), ten to a decade.
    """
    scale = 1
    while FIRST_LOOKS[0] * scale < boards:
        yield from (look * scale for look in FIRST_LOOKS if look * scale < boards)
        scale *= 10
    yield boards


def parse_stop_rule(text: str, labels: list[str]) -> StopRule:
    """The rule in a text such as `a>b` or `a>b:effect=0.2,alpha=0.01`.

    Raises:
        InvalidText: not of this form, a bot that is not in the run, or a value that is not allowed.
    """
    longest_first = sorted(labels, key=len, reverse=True)  # a label may hold a colon
    first = next((label for label in longest_first if text.startswith(f"{label}>")), None)
    if ">" not in text:
        raise InvalidText(f"stop rule {text!r}: {_FORM}")
    if first is None:
        named = text.partition(">")[0]
        raise InvalidText(f"stop rule {text!r}: no bot {named!r}{nearest(named, labels)}")
    rest = text[len(first) + 1 :]
    second = next((label for label in longest_first if rest == label or rest.startswith(f"{label}:")), None)
    if second is None:
        named = rest.partition(":")[0]
        raise InvalidText(f"stop rule {text!r}: no bot {named!r}{nearest(named, labels)}")
    if first == second:
        raise InvalidText(f"stop rule {text!r} compares {first!r} with itself: {_FORM}")
    return StopRule(first, second, **_settings(rest[len(second) :], text))


def _settings(keys: str, text: str) -> dict[str, float]:
    """The settings behind the colon."""
    found: dict[str, float] = {}
    for pair in keys[1:].split(",") if keys else []:
        key, _, value = pair.partition("=")
        if key not in _LIMITS:
            raise InvalidText(f"stop rule {text!r} has the key {key!r}{nearest(key, list(_LIMITS))}")
        low, high = _LIMITS[key]
        try:
            found[key] = float(value)
        except ValueError:
            found[key] = math.nan
        if not low <= found[key] <= high:
            raise InvalidText(f"stop rule {text!r}: {key} {value!r}: expected a number {low:g}..{high:g}")
    return found
