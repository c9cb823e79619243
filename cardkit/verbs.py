"""The verbs every game provides, and the dispatch that finds a game's own kernel for them.

A generic kernel (a rollout, a search, a match loop) is written once and calls these stubs. numba resolves a stub while
it compiles, by the *type of `rules`*, so that a call costs what a direct call costs and the compiled caller is found
again in the disk cache. In plain Python a stub looks its kernel up in the same table.

A game hands its kernels over with one call of `register`. Their first arguments are always `rules, state`: the
game's `Rules` (a NamedTuple of ints and arrays) and one record of its `STATE` dtype, which must have a field `phase`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from numba.extending import overload

from cardkit.jit import PART, add_sources

CHANCE = -1  # to_move: a chance event is pending
OVER = -4  # to_move: the game is over (OpenSpiel's terminal player)


class Event(NamedTuple):
    """One step of a game as an observer saw it.

    Attributes:
        seat: who acted; -1 for chance.
        phase: name of the phase.
        action: the action as seen; -1 for chance, and for a hidden decision that brought news.
        news: hash of what else was shown; 0 is nothing.
    """

    seat: int
    phase: str
    action: int
    news: int


def read_event(words: list[Any]) -> Event:
    """The event of a serialised history, or a `TypeError`."""
    event = Event(*words)
    is_event = [type(word) for word in event] == [int, str, int, int] and -1 <= event.action < 64 and event.news >= 0
    if not is_event:
        raise TypeError(f"{words} is no event")
    return event


VERBS: dict[str, inspect.Signature] = {}
_kernels_of_rules: dict[type, dict[str, Any]] = {}


def register(rules_type: type, kernels: dict[str, Any]) -> None:
    """Make a game's kernels the ones that the verbs call for its `Rules`.

    Raises:
        ValueError: a verb is missing or unknown, has other arguments, or another class of equal name and fields is
            registered, for which numba would silently run the first game's kernels.
    """
    if set(kernels) != set(VERBS):
        raise ValueError(f"a game registers exactly the verbs {sorted(VERBS)}, got {sorted(kernels)}")
    for name, signature in VERBS.items():
        found = inspect.signature(getattr(kernels[name], "py_func", kernels[name]))
        if list(found.parameters) != list(signature.parameters):
            raise ValueError(f"verb {name!r} takes {signature}, the kernel of {rules_type.__name__} takes {found}")
    for other in _kernels_of_rules:
        same = other.__name__ == rules_type.__name__ and other._fields == rules_type._fields  # type: ignore[attr-defined]
        if same and other is not rules_type:
            raise ValueError(
                f"{rules_type.__module__}.{rules_type.__name__} has the name and the fields of {other.__module__}'s"
            )
    _kernels_of_rules[rules_type] = dict(kernels)
    source = getattr(sys.modules[rules_type.__module__], "__file__", None)
    if source:
        add_sources(Path(source).parent)


def _verb(stub: Callable[..., Any]) -> Callable[..., Any]:
    """Turn a documented signature into a verb that dispatches on the type of its first argument."""
    name = stub.__name__
    VERBS[name] = inspect.signature(stub)

    def call(*arguments: Any) -> Any:
        return _kernels_of_rules[type(arguments[0])][name](*arguments)

    def resolve(*arguments: Any) -> Any:
        rules_type = getattr(arguments[0], "instance_class", None)  # numba's type of a NamedTuple knows its class
        return _kernels_of_rules[rules_type][name].py_func if rules_type in _kernels_of_rules else None

    call.__name__, call.__doc__ = name, stub.__doc__
    overload(call, jit_options=PART, strict=False)(resolve)
    return call


@_verb
def new_game(rules, state):
    """Reset the record to the start of a game; the first node is usually a chance node. Modified in place: `state`."""


@_verb
def to_move(rules, state):
    """The seat to act, or `CHANCE`, or `OVER`."""


@_verb
def chance_event(rules, state):
    """The pending chance event as one number: deal, kind and ordinal; the caller derives its random stream from it."""


@_verb
def chance(rules, state, rng):
    """Draw the pending chance event. Modified in place: `state`, `rng`."""


@_verb
def legal_mask(rules, state):
    """The legal actions of the seat to move as a uint64: bit a is set where action a (0..63 in its phase) is legal."""


@_verb
def apply(rules, state, action):
    """Play a legal action; trusts its caller; deterministic. Modified in place: `state`."""


@_verb
def returns(rules, state, out):
    """Fill `out[seat]` with the final payoff in points."""


@_verb
def places(rules, state, place, share):
    """Fill `place[seat]` (1 is first) and `share[seat]` (of the win; adds up to 1, or to 0 where all lose)."""


@_verb
def outcome(rules, state):
    """How a game that is over has ended, as an index into the game's `outcomes`."""


@_verb
def deals_done(rules, state):
    """How many deals (rounds, hands) are complete."""


@_verb
def deal_value(rules, state, out):
    """Fill `out[seat]` with what the last complete deal was worth to each seat, in points."""


@_verb
def deal_row(rules, state, seat, row):
    """Write the last complete deal of a seat into a record of the game's `DEAL` dtype. Modified in place: `row`."""


@_verb
def hide(rules, state, seat):
    """Erase from the record everything that the seat may not know. Modified in place: `state`."""


@_verb
def plan_worlds(rules, state, seat, worlds):
    """Prepare all worlds that agree with a view of the seat; 0 where there is none. Modified in place: `worlds`."""


@_verb
def determinise(rules, state, seat, worlds, rng):
    """Fill what a view hides with one of the worlds of `plan_worlds`, all alike. Modified in place: `state`, `rng`."""


@_verb
def likelihood(rules, state, seat):
    """How likely, up to a factor, a world makes the bids and placements that the seat has seen of the others."""


@_verb
def seen_as(rules, state, action, observer):
    """A legal action, about to be played, as the observer sees it; -1 where the observer does not notice a decision."""


@_verb
def news(rules, state, observer):
    """A 32-bit hash of what the last event showed this observer beyond the action itself; 0 is nothing."""


@_verb
def win_chance(rules, state, out):
    """Fill `out[seat]` with an estimate of each seat's share of the win as a deal has ended; exact at the end."""


@_verb
def sensible_mask(rules, state):
    """The legal actions worth searching, never none: one of those that come to the same, none that is dominated."""


@_verb
def policy(rules, state, rng):
    """The rule-based choice of the seat to move; reads only what that seat knows. Modified in place: `rng`."""
