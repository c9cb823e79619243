"""Games walked through, and endings with open cards solved exactly: shared by the tests of sensible actions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import apply, deal_value, deals_done, legal_mask, policy, sensible_mask, to_move


def actions_of(mask: Any) -> list[int]:
    return [action for action in range(64) if int(mask) >> action & 1]


def walk(game: Game, seed: int, is_policy: bool, most: int = 10_000) -> Iterator[State]:
    """The decisions of a random game, or of one by the policy with some random choices; the same object throughout."""
    state, choices, rng = game.new_initial_state(seed=seed), random.Random(seed), new_rng(seed)
    while not state.is_terminal() and most:
        yield state
        is_random = not is_policy or choices.random() < 0.1
        state.apply_action(
            choices.choice(state.legal_actions()) if is_random else int(policy(game.rules, state.record, rng))
        )
        most -= 1


class Solver:
    """Minimax of a deal with open cards, for every seat against all others at once."""

    def __init__(self, game: Game, state: State) -> None:
        """Start from a state."""
        self.rules, self.seats = game.rules, range(game.num_players)
        self.records = game.new_records(40)
        self.records[0] = state.record
        self.deals = int(deals_done(self.rules, self.records[0]))
        self.points = np.zeros(game.num_players)

    def children(self, depth: int, is_sensible: bool) -> dict[int, tuple[float, ...]]:
        """The value of every action at a depth."""
        record = self.records[depth]
        mask = sensible_mask(self.rules, record) if is_sensible else legal_mask(self.rules, record)
        values = {}
        for action in actions_of(mask):
            self.records[depth + 1] = self.records[depth]
            apply(self.rules, self.records[depth + 1], action)
            values[action] = self.value(depth + 1, is_sensible)
        return values

    def value(self, depth: int, is_sensible: bool) -> tuple[float, ...]:
        """Own points minus those of the others that each seat gets for certain."""
        record = self.records[depth]
        if int(deals_done(self.rules, record)) > self.deals:
            deal_value(self.rules, record, self.points)
            return tuple(float(2 * points - self.points.sum()) for points in self.points)
        mover = int(to_move(self.rules, record))
        values = list(self.children(depth, is_sensible).values())
        return tuple((max if seat == mover else min)(value[seat] for value in values) for seat in self.seats)
