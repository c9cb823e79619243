"""Bridge in RLCard and in pgx, where installed: random decisions a second, of another game than any of ours.

A deal of bridge has bidding of up to 318 calls, where Kronions has one bid a seat. RLCard is driven from Python. pgx
has the bidding alone, and looks the results up in a table that it would download: it gets a small one of random deals,
which makes no decision faster or slower. It is compiled by jax and takes all cores.
"""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from experiments.measuring import Scale, enough, seconds_of

_STEPS = 64  # of a batch of pgx: as many calls as most random biddings have


def _rlcard(scale: Scale) -> Callable[[int], float]:
    """Random decisions a second of RLCard's bridge, driven from Python."""
    environment: Any = import_module("rlcard").make("bridge")

    def play(deals: int, seed: int) -> int:
        rng, decisions = random.Random(seed), 0
        for _ in range(deals):
            state, _ = environment.reset()
            while not environment.is_over():
                state, _ = environment.step(rng.choice(list(state["legal_actions"])))
                decisions += 1
        return decisions

    deals = enough(lambda times: play(times, 0), scale.seconds)

    def rate(repeat: int) -> float:
        decisions: list[int] = []
        seconds = seconds_of(lambda: decisions.append(play(deals, repeat)))
        return decisions[0] / seconds

    return rate


def _pgx(scale: Scale) -> Callable[[int], float]:
    """Random decisions a second of pgx's bridge bidding: a batch that one compiled loop steps, on all cores."""
    jax: Any = import_module("jax")
    games = 8 * scale.games
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        np.save(Path(folder) / "deals.npy", _bridge_deals(1000))
        environment = import_module("pgx.bridge_bidding").BridgeBidding(str(Path(folder) / "deals.npy"))
    step = jax.vmap(environment.step)

    def one(_: int, carried: Any) -> Any:
        states, key, decisions = carried
        key, choice = jax.random.split(key)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        decisions += (~states.terminated).sum()
        return step(states, jax.random.categorical(choice, logits, axis=1)), key, decisions

    def play(key: Any) -> Any:
        start, key = jax.random.split(key)
        states = jax.vmap(environment.init)(jax.random.split(start, games))
        return jax.lax.fori_loop(0, _STEPS, one, (states, key, 0))[2]

    compiled = jax.jit(play)

    def rate(repeat: int) -> float:
        decisions: list[int] = []
        seconds = seconds_of(lambda: decisions.append(int(compiled(jax.random.PRNGKey(repeat)))))
        return decisions[0] / seconds

    return rate


def _bridge_deals(deals: int) -> np.ndarray:
    """Random deals as pgx's table: who holds each suit's cards, in base 4, and a result that means nothing."""
    rng = np.random.default_rng(0)
    owners = rng.permuted(np.tile(np.arange(52) // 13, (deals, 1)), axis=1).reshape(deals, 4, 13)
    keys = (owners * 4 ** np.arange(12, -1, -1)).sum(axis=2)
    return np.stack([keys, np.zeros_like(keys)]).astype(np.int32)


BRIDGES = {"rlcard": (_rlcard, False), "pgx": (_pgx, True)}  # whether they are timed by the clock on the wall
