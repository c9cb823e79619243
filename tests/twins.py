"""One bot under two names at a table where it matters who sits before whom: how often a row of such twins holds 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from experiments.boards import BoardResults, Games
from experiments.ratings import ratings
from experiments.schedule import Schedule
from experiments.sequential import SequentialTest
from experiments.stats import Estimate, compare, estimate
from experiments.stop_rules import StopRule

MEASURES = ("points", "win share", "rank")


class Table(NamedTuple):
    """A simulated table: points are the bot's skill, what the one before leaves it, the seat's luck and the game's.

    Attributes:
        seats: at the table.
        skills: of the bots, in standard deviations of the luck of a game; the second and the third are twins.
        leaves: what a bot leaves the one that sits behind it.
    """

    seats: int
    skills: tuple[float, ...]
    leaves: tuple[float, ...]

    def __str__(self) -> str:
        return f"{len(self.skills)} bots, {self.seats} seats"


TABLES = (
    Table(3, (-2, 0, 0), (2, 0, 0)),
    Table(4, (-2, 0, 0), (2, 0, 0)),
    Table(4, (-2, 0, 0, 0.5), (2, 0, 0, -1)),
    Table(4, (-2, 0, 0, 0.5, 0.5), (2, 0, 0, -1, -1)),
    Table(6, (-2, 0, 0, 0.5, 0.5), (2, 0, 0, -1, -1)),
    Table(6, (-2, 0, 0, 0.5, 0.5, 1), (2, 0, 0, -1, -1, 0)),
    Table(4, (-2, 0, 0, 0.5, 0.5, 1, 1, 1, 1), (2, 0, 0, -1, -1, 0, 0, 1, 1)),
)


def tournament(table: Table, boards: int, seed: int) -> BoardResults:
    """The results of one simulated tournament; the seed draws its schedule and its luck."""
    rng = np.random.default_rng(seed)
    slots = Schedule(len(table.skills), table.seats, seed=seed).games(0, boards)
    bots = slots["bot"][:, : table.seats].reshape(boards, -1, table.seats)
    luck = rng.standard_normal((boards, 1, table.seats)) + rng.standard_normal(bots.shape)
    score = np.array(table.skills)[bots] + np.array(table.leaves)[np.roll(bots, 1, axis=2)] + luck
    score = np.round(score * 4) / 4
    place = 1 + sum((score[:, :, seat, None] > score).astype(np.int8) for seat in range(table.seats))
    won = place == 1
    lineup = slots["lineup"].reshape(boards, -1)[:, 0]
    games = Games(np.arange(boards), lineup, bots, score, place, won / won.sum(axis=2, keepdims=True))
    return BoardResults.of_games(games, [f"bot{i}" for i in range(len(table.skills))])


def row(results: BoardResults, first: str, second: str) -> tuple[Estimate, Estimate, Estimate]:
    """The difference of two bots in points, win share and rank."""
    (pair,) = compare(results, [first, second])
    one, other = results.bot(first), results.bot(second)
    _, rows, others = np.intersect1d(one.board, other.board, assume_unique=True, return_indices=True)
    one, other = one.at(rows), other.at(others)
    return pair.points, pair.win_share, estimate(one.means("rank") - other.means("rank"), one.strata)


def holding(found: Sequence[tuple[Estimate, ...]]) -> np.ndarray:
    """In which share of rows the interval holds 0, by measure."""
    return np.mean([[one.low <= 0 <= one.high for one in estimates] for estimates in found], axis=0)


def coverage(table: Table, boards: int, runs: int) -> np.ndarray:
    """In which share of tournaments the row of the twins holds 0, by measure."""
    return holding([row(tournament(table, boards, seed), "bot1", "bot2") for seed in range(runs)])


def rating_coverage(table: Table, boards: int, runs: int) -> np.ndarray:
    """In which share of tournaments the interval of each bot's rating holds that of a long one."""
    truth = ratings(tournament(table, 20_000, 10**6)).bots
    found = (ratings(tournament(table, boards, seed)).bots for seed in range(runs))
    held = [[one.low <= real.rating <= one.high for one, real in zip(bots, truth, strict=True)] for bots in found]
    return np.mean(held, axis=0)


def found_better(table: Table, boards: int, runs: int, look: int = 100) -> float:
    """How often the sequential test takes one of the twins for better, looking after every so many boards."""
    found = 0
    for seed in range(runs):
        test = SequentialTest(StopRule("bot1", "bot2", effect=0.3))
        for part in _parts(tournament(table, boards, seed), look):
            test.add(part)
            accepted = test.look().accepted
            if accepted:
                found += accepted == "H1"
                break
    return found / runs


def _parts(results: BoardResults, size: int) -> Iterator[BoardResults]:
    """The results cut into parts."""
    arrays = {name: value for name, value in vars(results).items() if isinstance(value, np.ndarray)}
    for first in range(0, len(results), size):
        yield replace(results, **{name: value[first : first + size] for name, value in arrays.items()})


def neighbour_table() -> Iterator[str]:
    """Rows of twins that hold 0, of 1,000 tournaments."""
    yield "| table | boards | " + " | ".join(f"{measure} %" for measure in MEASURES) + " |"
    yield "|---|---|---|---|---|"
    for table in TABLES:
        for boards in (25, 51, 100, 203):
            shown = " | ".join(f"{100 * share:.1f}" for share in coverage(table, boards, 1000))
            yield f"| {table} | {boards} | {shown} |"
