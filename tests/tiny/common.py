"""What the tiny games share: the verbs that only read scores, and a `Game` without options and texts.

Their records have `scores` (float64, by seat), `actor` and `phase`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from cardkit.game import Game
from cardkit.jit import kernel
from cardkit.verbs import OVER, VERBS, register
from cardkit.verbs import legal_mask as legal_mask_of
from cardkit.verbs import to_move as to_move_of


@kernel
def chance_event(rules, state):
    """There is one chance event at most."""
    return 0


@kernel
def returns(rules, state, out):
    """Fill `out[seat]` with the scores."""
    for seat in range(rules.num_players):
        out[seat] = state.scores[seat]


@kernel
def places(rules, state, place, share):
    """Fill `place[seat]` with 1 + the seats ahead, and `share[seat]` with the share of the win."""
    first = 0
    for seat in range(rules.num_players):
        place[seat] = 1
        for other in range(rules.num_players):
            if state.scores[other] > state.scores[seat]:
                place[seat] += 1
        if place[seat] == 1:
            first += 1
    for seat in range(rules.num_players):
        share[seat] = 1.0 / first if place[seat] == 1 else 0.0


@kernel
def win_chance(rules, state, out):
    """No deal ends before the game."""
    for seat in range(rules.num_players):
        out[seat] = 1.0 / rules.num_players


@kernel
def outcome(rules, state):
    """There is one."""
    return 0


@kernel
def deals_done(rules, state):
    """A game is one deal."""
    return 1 if to_move_of(rules, state) == OVER else 0


@kernel
def deal_row(rules, state, seat, row):
    """Nothing is recorded."""


@kernel
def likelihood(rules, state, seat):
    """All worlds alike."""
    return 1.0


@kernel
def seen_as(rules, state, action, observer):
    """Every decision is public."""
    return action


@kernel
def news(rules, state, observer):
    """Nothing is shown besides."""
    return 0


@kernel
def sensible_mask(rules, state):
    """All legal actions."""
    return legal_mask_of(rules, state)


def register_game(rules_type: Any, kernels: dict[str, Any]) -> None:
    """Register a game's own kernels, and for the other verbs those of this module."""
    shared = globals() | {"deal_value": returns}
    register(rules_type, {verb: kernels[verb] if verb in kernels else shared[verb] for verb in VERBS})


class TinyGame(Game):
    """A game that is made from its rules; a subclass names it, its phases, its `rules_type` and its record."""

    version = 1
    options = ()
    outcomes = ("finished",)
    text: Any = SimpleNamespace(
        action_to_string=lambda rules, phase, action: str(action),
        write_position=lambda rules, record, observer: f"observer={observer} record={record}",
    )

    def __init__(self, **rules: Any) -> None:
        self.rules = self.rules_type(**rules)

    def num_distinct_actions(self) -> int:
        """Any number that fits in a mask."""
        return 64
