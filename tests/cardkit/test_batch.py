"""What a batch promises beyond the contract of the games: copies, its own random actions, and refusals."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from cardkit.spec import IllegalAction
from kronions import Game

GAME = Game(num_players=3, round_cap=2)


@pytest.mark.parametrize(
    "clone", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))], ids=["deep", "pickle"]
)
def test_a_copy_steps_on_by_itself(clone: Any) -> None:
    original, copied = GAME.new_batch(5, seed=1), clone(GAME.new_batch(5, seed=1))
    while not original.is_terminal().all():
        actions = original.random_actions()
        assert np.array_equal(original.step(actions), copied.step(actions))
        assert np.array_equal(copied.legal_masks(), original.legal_masks())
    assert copied.is_terminal().all()


def test_the_masks_that_step_returns_cannot_be_written() -> None:
    batch = GAME.new_batch(2, seed=1)
    masks = batch.step(batch.random_actions())
    with pytest.raises(ValueError, match="read-only"):
        masks[0] = 0


def test_random_actions_go_on_with_their_stream() -> None:
    game = Game(num_players=2, only_round=20)
    batch = game.new_batch(1, seed=5)
    words = {bytes(batch._actions_rng)}
    for _ in range(10):
        batch.step(batch.random_actions())
        words.add(bytes(batch._actions_rng))
    assert len(words) == 11
    again = game.new_batch(1, seed=5)
    assert again.random_actions().tolist() == game.new_batch(1, seed=5).random_actions().tolist()


@pytest.mark.parametrize("size", [0, -1, 2.5, "x", None, True])
def test_a_size_that_is_none_is_refused(size: Any) -> None:
    with pytest.raises(ValueError, match=f"size {size!r}: expected an integer"):
        GAME.new_batch(size)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed .*: expected an integer"):
        GAME.new_batch(2, seed=seed)
    with pytest.raises(ValueError, match=r"seed .*: expected an integer"):
        GAME.new_batch(2).rollout("random", seed=seed)


def test_an_action_beyond_int64_is_quoted_as_it_is() -> None:
    with pytest.raises(IllegalAction, match=f"illegal action {2**64 - 1} in game 0"):
        GAME.new_batch(1).step(np.array([2**64 - 1], np.uint64))
