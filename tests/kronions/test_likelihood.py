"""Likelihood of Kronions: bids are compared with those that the policy makes from the start of the round."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import likelihood, policy
from kronions import Game
from kronions._likelihood import FIT
from tests.kronions.test_beliefs import positions
from tests.kronions.test_worlds import OPTIONS
from tests.worlds import Sampler

LARGE = [name for name in OPTIONS if name.endswith("seats") or name.startswith("oh hell")]


def expected(start: State, actions: tuple[int, ...], seat: int) -> float:
    """The likelihood, in plain Python: the bidding once more, on the true deal, and the policy asked for each bid."""
    state, fit = start.clone(), 1.0
    for action in actions:
        if state.phase() == "play":
            break
        if state.phase() == "bid" and state.current_player() != seat:
            distance = abs(int(policy(state.game.rules, state.record, new_rng())) - action)
            fit *= FIT[min(distance, 4)]
        state.apply_action(action)
    return fit


def test_the_table_falls_and_has_a_floor() -> None:
    assert FIT[0] == 1
    assert (np.diff(FIT) < 0).all()
    assert FIT[-1] >= 0.01


@pytest.mark.parametrize("name", OPTIONS)
def test_bids_are_compared_with_what_the_policy_would_bid(name: str) -> None:
    """In every phase, random bids and those of the policy; the record is what it was, later plays change nothing."""
    game, seen = Game(**OPTIONS[name]), set[float]()
    for board in range(4):
        is_policy = board % 2 == 1
        for position in positions(game, board, is_policy, 0.3):
            record, before = position.state.record, position.state.record.tobytes()
            for seat in range(game.num_players):
                found = float(likelihood(game.rules, record, seat))
                assert found == expected(position.start, position.actions, seat)
                assert found == 1.0 or not is_policy
                assert record.tobytes() == before
                seen.add(found)
    assert len(seen) > 1
    assert min(seen) > 0


def test_a_bid_further_from_the_policys_weighs_less() -> None:
    game, rng = Game(num_players=4, only_round=12, hook="off"), new_rng()
    for board in range(20):
        state = game.new_initial_state(seed=1, board=board)
        while state.phase() == "bid":
            state.apply_action(int(policy(game.rules, state.record, rng)))
        dealer, bid = int(state.record.dealer), int(state.record.bids[state.record.dealer])
        for other in range(13):
            state.record.bids[dealer] = other  # nobody bids after the dealer
            for seat in range(4):
                weight = 1.0 if seat == dealer else FIT[min(abs(other - bid), 4)]
                assert likelihood(game.rules, state.record, seat) == weight


@pytest.mark.parametrize("name", LARGE)
def test_the_own_hand_and_the_stock_do_not_matter(name: str) -> None:
    game, choices = Game(**OPTIONS[name]), random.Random(2)
    for position in positions(game, 2, False, 0.2):
        record, seat = position.state.record, choices.randrange(game.num_players)
        found = likelihood(game.rules, record, seat)
        record.hands[seat] = 0
        assert likelihood(game.rules, record, seat) == found


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_true_world_weighs_more_than_others(players: int, noise: float) -> None:
    """Of seats that bid as the policy does, and of seats half of whose bids are one trick off."""
    game, rng, choices = Game(num_players=players, only_round=36 // players), new_rng(), random.Random(3)
    sampler, true, others = Sampler(game, 200), [], []
    for board in range(60):
        state = game.new_initial_state(seed=5, board=board)
        while state.phase() == "bid":
            bid = int(policy(game.rules, state.record, rng))
            near = [action for action in state.legal_actions() if abs(action - bid) == 1]
            state.apply_action(choices.choice(near) if near and choices.random() < noise else bid)
        true.append(likelihood(game.rules, state.record, 0))
        sampler.ask(state.record, 0)
        sampler.draw(200)
        others.append(sampler.weigh(200).mean())
    assert np.mean(true) > 1.25 * np.mean(others)
    assert np.mean(true) == 1 or noise
