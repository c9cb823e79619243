"""The compiled loop behind `bid_values`: every bid is played out in the same worlds with the same random numbers."""

from typing import Any, NamedTuple

import numpy as np

from cardkit.jit import kernel
from cardkit.rng import bot_stream
from cardkit.verbs import apply, deals_done, determinise, likelihood
from experiments.match import play_on


class Bids(NamedTuple):
    """What is played out.

    Attributes:
        actions: of each bid, shape `(bids, most actions)`.
        lengths: how many actions each bid has, `(bids,)`.
        places: which bids are played out in this call, numbers of rows of `actions`.
    """

    actions: np.ndarray
    lengths: np.ndarray
    places: np.ndarray


@kernel
def draw_world(rules: Any, records: Any, seat: int, worlds: Any, seed: Any, world: int, rng: Any) -> float:
    """Put world number so-and-so of the view `records[0]` into `records[1]`; returns its weight by the bids made."""
    bot_stream(rng, seed, world, 0, 0, rules.num_players)
    records[1] = records[0]
    determinise(rules, records[1], seat, worlds, rng)
    return likelihood(rules, records[1], seat)


@kernel
def play_bids(
    rules: Any, bots: Any, slot: Any, records: Any, bids: Any, seed: Any, buffers: Any, workspace: Any, stop: Any
) -> int:
    """Play the world `records[1]` out to the end of its deal, once for every bid; rows are numbered by bid.

    Modified in place: `buffers`, `workspace`.

    Returns:
        How many bids were played out: fewer than there are where `stop[0]` was set or a bot had no answer.
    """
    deals = deals_done(rules, records[1]) + 1
    for i in range(bids.places.size):
        bid = bids.places[i]
        workspace.states[0] = records[1]
        for k in range(bids.lengths[bid]):
            apply(rules, workspace.states[0], bids.actions[bid, k])
        if play_on(rules, bots, slot, i, seed, deals, buffers, workspace, stop) < 0:
            return i
    return bids.places.size
