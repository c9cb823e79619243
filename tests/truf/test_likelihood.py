"""Likelihood of Truf: shown bids are compared with those that the policy would lay from the whole hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import likelihood, policy
from tests.reference.truf import bid_of, truf_of
from tests.truf.test_beliefs import Position, cards_of, positions
from tests.truf.test_worlds import LONG, OPTIONS
from tests.worlds import Sampler
from truf import Game
from truf._likelihood import FIT, OTHER_TRUF


def laid_by_policy(start: State, seat: int) -> list[int]:
    """The cards that the policy lays from the hand of a seat."""
    state = start.clone()
    while state.phase() == "bid":
        state.apply_action(int(policy(state.game.rules, state.record, new_rng())))
    return sorted(cards_of(state.record.laid[seat]))


def expected(position: Position, seat: int) -> float:
    """The likelihood, in plain Python and with the bid values and trufs of the reference engine."""
    fit = 1.0
    for other in range(4):
        laid, plan = sorted(cards_of(position.state.record.laid[other])), laid_by_policy(position.start, other)
        if other == seat or position.state.phase() == "bid":
            continue
        distance = abs(bid_of(laid) - bid_of(plan))
        if (bid_of(laid) == 0) != (bid_of(plan) == 0):
            distance = 4
        fit *= FIT[min(distance, 4)] * (1.0 if truf_of(laid) == truf_of(plan) else OTHER_TRUF)
    return fit


def test_the_table_falls_and_has_a_floor() -> None:
    assert FIT[0] == 1
    assert (np.diff(FIT) < 0).all()
    assert FIT[-1] * OTHER_TRUF > 0.001


@pytest.mark.parametrize("name", OPTIONS)
def test_bids_are_compared_with_what_the_policy_would_lay(name: str) -> None:
    """In every phase, random bids and those of the policy; the record is what it was, later plays change nothing."""
    game, seen = Game(**OPTIONS[name]), set[float]()
    for board in range(2 if name in LONG else 6):
        is_policy = board % 2 == 1
        for position in positions(game, board, is_policy, 0.1):
            record, before = position.state.record, position.state.record.tobytes()
            for seat in range(4):
                found = float(likelihood(game.rules, record, seat))
                assert found == pytest.approx(expected(position, seat), rel=1e-12)
                assert found == 1.0 or not is_policy
                assert record.tobytes() == before
                seen.add(found)
    assert len(seen) > 3
    assert min(seen) > 0


def test_the_own_hand_does_not_matter() -> None:
    game, choices = Game(max_hands=1), random.Random(2)
    for position in positions(game, 2, False, 0.2):
        record, seat = position.state.record, choices.randrange(4)
        found = likelihood(game.rules, record, seat)
        record.hands[seat] = record.laid[seat] = 0
        assert likelihood(game.rules, record, seat) == found


def test_before_any_deal_nothing_is_unlikely() -> None:
    game = Game()
    assert likelihood(game.rules, game.new_records(1)[0], 0) == 1


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("preset", ["standard", "classic"])
def test_the_true_world_weighs_more_than_others(preset: str, noise: float) -> None:
    """Of seats that bid as the policy does, and of seats half of which lay one random card."""
    game, rng, choices = Game(preset, max_hands=1), new_rng(), random.Random(3)
    sampler, true, others = Sampler(game, 200), [], []
    for board in range(60):
        state = game.new_initial_state(seed=5, board=board)
        is_policy = [choices.random() >= noise for _ in range(4)]
        while state.phase() == "bid":
            seat, legal = state.current_player(), state.legal_actions()
            action = int(policy(game.rules, state.record, rng))
            if not is_policy[seat]:
                action = 52 if 52 in legal else choices.choice(legal)
            state.apply_action(action)
        true.append(likelihood(game.rules, state.record, 0))
        sampler.ask(state.record, 0)
        sampler.draw(200)
        others.append(sampler.weigh(200).mean())
    assert np.mean(true) > 2 * np.mean(others)
    assert np.mean(true) == 1 or noise
