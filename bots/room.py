"""The room in which a bot thinks: records, tree, worlds and tables, all made once and used for every decision."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from bots.settings import ISMCTS, MOISMCTS
from cardkit.game import Game
from cardkit.rng import RNG_WORDS
from cardkit.worlds import Worlds, new_worlds

MOST_SEATS = 8
VIEW, WORLD, SAVED, POOL = range(4)  # places in `Room.records`; the pool of weighted worlds goes on from there
POOL_SIZE = 256
SAMPLES = 64  # results from which the scale of the values is taken
MOST_ARMS = 256
MOST_LAID = 15  # actions in an arm
DEPTH = 64  # nodes on a path; deeper in a tree nothing is remembered
NUM_LOGS = 1024
MOST_NODES = 1_000_000  # of a tree

# A node of a tree: a child of the decision, draw or reveal above it. Children are a list, first to next.
NODE = np.dtype(
    [
        ("value", "f8"),  # sum of the results of the seat that moved here
        ("first", "i4"),  # its first child; 0 none
        ("next", "i4"),  # the next child of the same parent; 0 none
        ("visits", "i4"),
        ("available", "i4"),  # how often the action could have been chosen; of a reveal its parent
        ("label", "u4"),  # the action as the owner of the tree sees it, or `REVEAL` | a hash of what was shown
        ("seat", "i1"),  # who moved here; -1 nobody: a reveal
        ("phase", "i1"),  # in which
    ],
    align=True,
)
REVEAL = np.uint32(1 << 31)

# An arm of flat search: an action, or all the actions of a secret bid.
ARM = np.dtype(
    [
        ("value", "f8"),  # sum of the results of the seat that thinks
        ("squares", "f8"),  # sum of their squares
        ("visits", "i8"),
        ("actions", "u1", (MOST_LAID,)),
        ("length", "i1"),
        ("is_alive", "i1"),  # whether it is still in the running
    ],
    align=True,
)

# A rollout of flat search, kept for those who want to know how uncertain its average is.
ROLLOUT = np.dtype(
    [
        ("value", "f8"),  # the result of the seat that thinks
        ("world", "i8"),  # number of the world; the same one may be picked from the pool again
        ("arm", "i8"),
    ],
    align=True,
)

# What a search has counted.
COUNTS = np.dtype(
    [
        ("actions", "u8"),  # searched at the root
        ("nodes", "i8"),  # of all trees
        ("reveals", "i8"),  # entries of `Room.reveals`, of this search and earlier ones
        ("arms", "i8"),
        ("iterations", "i8"),
        ("deals", "i8"),  # complete at the root
        ("deadline", "i8"),  # nanoseconds; 0 none
        ("picked", "i8"),  # worlds taken from the pool since it was filled
        ("effective", "f8"),  # sum of the effective sample sizes of all pools
        ("drawn", "i8"),  # worlds drawn for them
    ],
    align=True,
)


class Room(NamedTuple):
    """Workspace of one thread."""

    records: Any  # of the game
    worlds: Worlds
    nodes: Any
    reveals: Any  # hash table of the reveals among the nodes, int32; twice as long as they are and more
    paths: Any  # (MOST_SEATS, DEPTH) int32: the nodes that an iteration passes in each tree
    lengths: Any  # (MOST_SEATS,) int64: how many; negative where the tree has been left
    arms: Any
    rollouts: Any  # of flat search: the first so many are kept, of a bot that plays none
    squares: Any  # (64,) float64: sum of squared results by action at the root
    counts: Any
    result: Any  # (MOST_SEATS,) float64: of the last iteration
    low: Any  # (MOST_SEATS,) float64: results that count as 0
    high: Any  # (MOST_SEATS,) float64: results that count as 1
    samples: Any  # (MOST_SEATS, SAMPLES) float64
    place: Any  # (MOST_SEATS,) int64
    weights: Any  # (POOL_SIZE,) float64
    picks: Any  # (POOL_SIZE,) int32
    stream: Any  # random numbers that all arms share
    logs: Any  # (NUM_LOGS,) float64: natural logarithms
    stop: Any  # (1,) int64: set from outside, it ends a search early


def new_room(game: Game, settings: Iterable[Any], stop: Any = None) -> Room:
    """A room in which all bots with these settings can think, one after the other.

    Args:
        game: what they play.
        settings: records of `BOT`.
        stop: `(1,)` int64; set to another number than 0, it ends a search early, whose answer is then of no use.
    """
    trees = [bot for bot in settings if bot.kind in (ISMCTS, MOISMCTS)]
    seats = [game.num_players if bot.kind == MOISMCTS else 1 for bot in trees]
    sizes = [(min(int(bot.iterations), MOST_NODES) + 1) * n for bot, n in zip(trees, seats, strict=True)]
    num_nodes = max([1, *sizes]) + MOST_SEATS
    return Room(
        records=game.new_records(POOL + POOL_SIZE),
        worlds=new_worlds(),
        nodes=np.zeros(num_nodes, NODE).view(np.recarray),
        reveals=np.zeros(1 << (2 * num_nodes - 1).bit_length(), np.int32),
        paths=np.zeros((MOST_SEATS, DEPTH), np.int32),
        lengths=np.zeros(MOST_SEATS, np.int64),
        arms=np.zeros(MOST_ARMS, ARM).view(np.recarray),
        rollouts=np.zeros(0, ROLLOUT).view(np.recarray),
        squares=np.zeros(64, np.float64),
        counts=np.zeros(1, COUNTS).view(np.recarray),
        result=np.zeros(MOST_SEATS, np.float64),
        low=np.zeros(MOST_SEATS, np.float64),
        high=np.zeros(MOST_SEATS, np.float64),
        samples=np.zeros((MOST_SEATS, SAMPLES), np.float64),
        place=np.zeros(MOST_SEATS, np.int64),
        weights=np.zeros(POOL_SIZE, np.float64),
        picks=np.zeros(POOL_SIZE, np.int32),
        stream=np.zeros(RNG_WORDS, np.uint64),
        logs=_logarithms(),
        stop=np.zeros(1, np.int64) if stop is None else stop,
    )


@cache
def _logarithms() -> np.ndarray:
    """Logarithms of 0 (as of 1) and the counts after it, rounded once: the same on every processor."""
    return np.array([0.0] + [float(Decimal(n).ln()) for n in range(1, NUM_LOGS)])
