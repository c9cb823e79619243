"""The chance to win: shares that add up, rise with the points, ask for standings only, and are exact at the end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.verbs import places, policy, win_chance
from truf import Game

GAMES: dict[str, dict[str, Any]] = {
    "standard": {"max_hands": 3},
    "long": {"max_hands": 10_000, "target": 10_000},
    "mini": {"preset": "mini"},
    "target": {"ranks": "2,5,K,A", "max_hands": 8, "target": 3},
    "shared": {"ranks": "2,5,K,A", "max_hands": 8, "target": 1, "tie": "shared"},
}
every_game = pytest.mark.parametrize("options", GAMES.values(), ids=GAMES)


def chances_of(game: Game, record: Any) -> list[float]:
    out = np.full(game.num_players, np.nan)
    win_chance(game.rules, record, out)
    return [float(chance) for chance in out]


@every_game
def test_chances_add_up_are_the_same_in_a_view_and_exact_at_the_end(options: dict[str, Any]) -> None:
    game, rng = Game(**options), new_rng(1)
    for seed in range(5):
        state, choices = game.new_initial_state(seed=seed), random.Random(seed)
        for _ in range(300):
            if state.is_terminal():
                place, share = np.zeros(4, np.int64), np.zeros(4)
                places(game.rules, state.record, place, share)
                assert chances_of(game, state.record) == share.tolist()
                break
            chances = chances_of(game, state.record)
            assert sum(chances) == pytest.approx(1.0)
            assert min(chances) >= 0.0
            if choices.random() < 0.1:
                assert chances == chances_of(game, state.view(state.current_player()).record)
            state.apply_action(int(policy(game.rules, state.record, rng)))


@every_game
def test_more_points_never_lower_a_chance_and_equal_seats_have_equal_chances(options: dict[str, Any]) -> None:
    game, choices = Game(**options), random.Random(7)
    record = game.new_initial_state(seed=1).record.copy()
    assert chances_of(game, record) == pytest.approx([0.25] * 4)
    for _ in range(2000):
        record.hands_done = choices.randrange(min(game.max_deals(), 30_000))
        scale = choices.choice((3, 20, 120, 3000))
        totals = [choices.randrange(-scale, scale) for _ in range(4)]
        record.totals[:] = totals
        before = chances_of(game, record)
        one, other = choices.sample(range(4), 2)
        record.totals[[one, other]] = record.totals[[other, one]]
        swapped = chances_of(game, record)
        assert (swapped[one], swapped[other]) == pytest.approx((before[other], before[one]))
        record.totals[:] = totals
        record.totals[one] += choices.randrange(1, 15)
        assert chances_of(game, record)[one] >= before[one] - 1e-12, (totals, one)


def test_a_lead_says_more_near_the_target_and_near_the_last_hand() -> None:
    game = Game()
    record = game.new_initial_state(seed=1).record.copy()

    def leader(hands_done: int, totals: list[int]) -> float:
        record.hands_done, record.totals[:] = hands_done, totals
        return chances_of(game, record)[0]

    assert leader(10, [20, 10, 10, 10]) < leader(150, [20, 10, 10, 10]) < leader(199, [20, 10, 10, 10])
    assert leader(10, [20, 10, 10, 10]) < leader(10, [60, 50, 50, 50]) < leader(10, [98, 88, 88, 88])
