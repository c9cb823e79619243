"""The chance to win: shares that add up, rise with the points, ask for standings only, and are exact at the end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from cardkit.chances import odds_of
from cardkit.rng import new_rng
from cardkit.verbs import places, policy, win_chance
from kronions import Game

GAMES: dict[str, dict[str, Any]] = {
    **{f"standard_{players}": {"num_players": players, "round_cap": 6} for players in range(2, 7)},
    "mini": {"preset": "mini"},
    "no_points": {"score_base": 0, "round_cap": 3},
    "many_points": {"score_base": 1000, "round_cap": 3, "tie_zero_count": "made"},
    "sizes": {"round_sizes": "3,1,2", "num_players": 3, "scoring": "tricks_plus_bonus"},
    "one_round": {"only_round": 5},
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
        while not state.is_terminal():
            chances = chances_of(game, state.record)
            assert sum(chances) == pytest.approx(1.0)
            assert min(chances) >= 0.0
            if choices.random() < 0.1:
                assert chances == chances_of(game, state.view(state.current_player()).record)
            state.apply_action(int(policy(game.rules, state.record, rng)))
        place, share = np.zeros(game.num_players, np.int64), np.zeros(game.num_players)
        places(game.rules, state.record, place, share)
        assert chances_of(game, state.record) == share.tolist()


@every_game
def test_more_points_never_lower_a_chance_and_equal_seats_have_equal_chances(options: dict[str, Any]) -> None:
    game, choices = Game(**options), random.Random(7)
    record, n = game.new_initial_state(seed=1).record.copy(), game.num_players
    assert chances_of(game, record) == pytest.approx([1.0 / n] * n)
    for _ in range(300):
        record.rounds_done = choices.randrange(game.max_deals())
        scale = choices.choice((1, 10, 100, 3000))
        totals = [choices.randrange(scale + 1) for _ in range(n)]
        zeros = [choices.randrange(4) for _ in range(n)]
        record.totals[:n], record.zero_bids[:n] = totals, zeros
        before = chances_of(game, record)
        one, other = choices.sample(range(n), 2)
        for field in (record.totals, record.zero_bids):
            field[[one, other]] = field[[other, one]]
        swapped = chances_of(game, record)
        assert (swapped[one], swapped[other]) == pytest.approx((before[other], before[one]))
        record.totals[:n], record.zero_bids[:n] = totals, zeros
        record.totals[one] += choices.randrange(1, 30)
        assert chances_of(game, record)[one] >= before[one]


def test_a_lead_says_more_the_fewer_rounds_are_left() -> None:
    game = Game()
    record = game.new_initial_state(seed=1).record.copy()
    record.totals[:4] = [30, 20, 20, 20]
    chances = []
    for done in range(14):
        record.rounds_done = done
        chances.append(chances_of(game, record)[0])
    assert chances == sorted(chances)
    assert chances[0] < 0.4 < 0.6 < chances[-1]


def test_odds_are_those_of_a_normal_distribution_nearly() -> None:
    """Phi(z) for z = 0, 0.5 .. 3, and 1.6 z as the lead."""
    normal = [0.5, 0.69146, 0.84134, 0.93319, 0.97725, 0.99379, 0.99865]
    for i, expected in enumerate(normal):
        for sign in (-1.0, 1.0):
            odds = float(odds_of(sign * 1.5976 * i / 2))
            assert odds / (1.0 + odds) == pytest.approx(expected if sign > 0 else 1.0 - expected, abs=0.002)
