"""Coins in a row: seats in turn take 1, 2 or 3 coins from the left and keep what they are worth. Nothing is hidden.

With worthless coins but the last, it is the game of Nim with one heap: the seat that takes the last coin wins.
"""

from typing import NamedTuple

import numpy as np

from cardkit.jit import kernel
from cardkit.verbs import OVER
from tests.tiny.common import TinyGame, register_game

MOST_COINS = 24
MOST_TAKEN = 3
STATE = np.dtype(
    [("scores", "f8", (4,)), ("taken", "i8"), ("actor", "i8"), ("phase", "u1")],
    align=True,
)


class CoinRules(NamedTuple):
    """The row."""

    num_players: int = 2
    num_coins: int = 1
    coin_values: np.ndarray = np.ones(MOST_COINS)


@kernel
def new_game(rules, state):
    """All coins are there. Modified in place: `state`."""
    for seat in range(rules.num_players):
        state.scores[seat] = 0.0
    state.taken = state.actor = state.phase = 0


@kernel
def to_move(rules, state):
    """The seat to act, or `OVER`."""
    return int(state.actor) if state.taken < rules.num_coins else OVER


@kernel
def chance(rules, state, rng):
    """Never asked."""


@kernel
def legal_mask(rules, state):
    """Bits 1 to 3, as far as there are coins."""
    left = rules.num_coins - state.taken
    return (np.uint64(1) << np.uint64(min(left, MOST_TAKEN) + 1)) - np.uint64(2)


@kernel
def apply(rules, state, action):
    """Take some coins. Modified in place: `state`."""
    for _ in range(action):
        state.scores[state.actor] += rules.coin_values[state.taken]
        state.taken += 1
    state.actor = (state.actor + 1) % rules.num_players
    state.phase = 1 if state.taken == rules.num_coins else 0


@kernel
def hide(rules, state, seat):
    """Nothing is hidden."""


@kernel
def plan_worlds(rules, state, seat, worlds):
    """There is one world."""
    return 1.0


@kernel
def determinise(rules, state, seat, worlds, rng):
    """Nothing is hidden."""


@kernel
def policy(rules, state, rng):
    """Take one coin."""
    return 1


register_game(CoinRules, globals())


class Coins(TinyGame):
    """Coins in a row."""

    name = "coins"
    rules_type = CoinRules
    state_dtype = STATE
    phases = ("taking", "over")

    def __init__(self, num_players: int, values: list[float]) -> None:
        row = np.zeros(MOST_COINS)
        row[: len(values)] = values
        super().__init__(num_players=num_players, num_coins=len(values), coin_values=row)
