"""Ratings on the Elo scale from how every game ended, for any number of bots at a table.

The model is that of Plackett and Luce: the first place goes to a seat with a chance proportional to its bot's worth,
the second to one of the others in the same way, and so on (Luce 1959; Plackett, Applied Statistics 24 (1975)). A rating
is 400 log10 of the worth, so that for two bots it is Elo's: 400 points are odds of 10 to 1.

A tie counts as all its orders in equal parts: the log-likelihood is their average. Between two bots a tie is then
half a win, as in Elo. (Davidson's model, in the R package PlackettLuce by Turner et al., Computational Statistics 35
(2020), gives ties parameters of their own, and two bots the ratio of their wins alone, which is not Elo's.)

Each bot also has one tied game against a bot of rating 0, so that one that always wins has a finite rating and bots
that never meet can be fitted. The fit is Newton's method; intervals come from the sandwich estimator with boards as
clusters (White, Econometrica 50 (1982)), which does not ask the model to be true or the games of a board independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb, log
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from experiments.boards import BoardResults, strata_of, unpack_rankings
from experiments.intervals import t_quantile

ELO = 400 / log(10)  # rating points of one unit of the natural log of worth
FEW_GAMES = 20  # in which a bot was level with another one or ahead of it, for an interval to hold
_MOST_STEPS = 100
_TOLERANCE = 1e-10  # of the log-likelihood, relative


@dataclass(frozen=True)
class Rating:
    """A bot's rating in Elo points with its 95 % interval; 0 is the mean of its group, or the anchor."""

    bot: str
    rating: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratings:
    """Ratings of a run.

    Attributes:
        bots: in the order of the run's bots; those that have not played are left out.
        groups: labels of bots that met, directly or through others; ratings of different groups do not compare.
        one_sided: labels of bots whose rating hangs on the virtual games: some bots, taken together, have won all
            their games against the others in the group (or lost them all), so that no rating is too high for them.
            Their ratings have no interval.
        nearly: labels of bots whose group falls into such sides where games of a kind that came less than
            `FEW_GAMES` times are left out: their intervals are too narrow.
    """

    bots: list[Rating]
    groups: list[list[str]]
    one_sided: list[str]
    nearly: list[str]

    def of(self, label: str) -> Rating | None:
        """The rating of a bot; None where it has not played."""
        return next((rating for rating in self.bots if rating.bot == label), None)


class _Stage(NamedTuple):
    """Rankings in which a place goes to one of the same positions.

    Attributes:
        rows: which rankings.
        positions: in the ranking, of the seats that the place could go to.
        weight: in how many orders of a tie this happens, as a share.
    """

    rows: np.ndarray
    positions: np.ndarray
    weight: float


class _Patterns(NamedTuple):
    """The different rankings of a run.

    Attributes:
        bots: from the first place down, shape `(patterns, seats)`.
        slots: the same as slots of their boards.
        is_tied: whether a position has the place of the one before it.
        of_board: the pattern of each game, shape `(boards, games a board)`.
        counts: games of each pattern.
        stages: all choices of a place.
    """

    bots: np.ndarray
    slots: np.ndarray
    is_tied: np.ndarray
    of_board: np.ndarray
    counts: np.ndarray
    stages: list[_Stage]


def ratings(results: BoardResults, anchor: str | None = None) -> Ratings:
    """Ratings of all bots that have played.

    Args:
        results: of a run, or of some of its parts.
        anchor: the bot whose rating is 0; by default the mean is 0 (in every group of bots that meet).

    Raises:
        ValueError: the anchor has not played.
    """
    patterns = _patterns(results)
    num_bots = len(results.labels)
    played = np.unique(results.bots)
    if anchor is not None and (anchor not in results.labels or results.labels.index(anchor) not in played):
        raise ValueError(f"anchor {anchor!r} has not played: expected one of {[results.labels[i] for i in played]}")
    worth, hessian = fit(patterns, num_bots)
    covariance = _covariance(results, patterns, worth, hessian)
    level = _level_games(patterns, num_bots)
    group_of_bot = _meetings(level)
    centre = np.eye(num_bots)
    for bot in played:
        mates = np.flatnonzero(group_of_bot == group_of_bot[bot])
        is_anchored = anchor is not None and results.labels.index(anchor) in mates
        centre[bot, [results.labels.index(anchor)] if is_anchored else mates] -= 1 if is_anchored else 1 / len(mates)
    found = ELO * centre @ worth
    strata = strata_of(results.lineup, results.variant, results.num_variants)
    freedom = max(len(results) - len(strata.shares), 0)
    errors = ELO * np.sqrt(np.maximum(np.diag(centre @ covariance @ centre.T), 0))
    reach = errors * t_quantile(freedom) if freedom else np.full(num_bots, np.inf)
    groups = [np.flatnonzero(group_of_bot == group) for group in dict.fromkeys(group_of_bot[played])]
    one_sided, nearly = (_with_sides(_sides(level, least), groups) for least in (1, FEW_GAMES))
    reach[one_sided] = np.inf
    return Ratings(
        [Rating(results.labels[i], *map(float, (found[i], found[i] - reach[i], found[i] + reach[i]))) for i in played],
        [[results.labels[i] for i in group] for group in groups],
        [results.labels[i] for i in one_sided],
        [results.labels[i] for i in nearly if i not in one_sided],
    )


def fit(patterns: _Patterns, num_bots: int) -> tuple[np.ndarray, np.ndarray]:
    """The log-worths of the highest likelihood, shape `(bots,)`, and minus its second derivatives there."""
    worth = np.zeros(num_bots)
    likelihood, scores, hessian = _derivatives(patterns, worth)
    for _ in range(_MOST_STEPS):
        gradient = np.bincount(patterns.bots.ravel(), (patterns.counts[:, None] * scores).ravel(), num_bots)
        step = np.linalg.solve(hessian, gradient + _virtual_scores(worth))
        before = likelihood
        while True:
            likelihood, scores, hessian = _derivatives(patterns, worth + step)
            if likelihood >= before - _TOLERANCE * abs(before):
                break
            step = step / 2
        worth = worth + step
        if likelihood - before <= _TOLERANCE * abs(before) and np.abs(step).max() < 1e-6:
            break
    return worth, hessian


def _virtual_scores(worth: np.ndarray) -> np.ndarray:
    """Derivative of the log-likelihood of each bot's virtual game."""
    return 0.5 - 1 / (1 + np.exp(-worth))


def _derivatives(patterns: _Patterns, worth: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Log-likelihood; its derivative in each position of each pattern (of one game); minus its second derivatives."""
    num_bots = len(worth)
    value = float((patterns.counts * worth[patterns.bots].sum(axis=1)).sum())
    scores = np.ones(patterns.bots.shape)
    squares = np.zeros(num_bots * num_bots)
    diagonal = np.zeros(num_bots)
    for rows, positions, weight in patterns.stages:
        bots = patterns.bots[rows[:, None], positions]
        counts = weight * patterns.counts[rows]
        top = worth[bots].max(axis=1)
        worths = np.exp(worth[bots] - top[:, None])
        total = worths.sum(axis=1)
        chances = worths / total[:, None]
        value -= float((counts * (np.log(total) + top)).sum())
        scores[rows[:, None], positions] -= weight * chances
        diagonal += np.bincount(bots.ravel(), (counts[:, None] * chances).ravel(), num_bots)
        pairs = bots[:, :, None] * num_bots + bots[:, None, :]
        products = counts[:, None, None] * chances[:, :, None] * chances[:, None, :]
        squares += np.bincount(pairs.ravel(), products.ravel(), num_bots**2)
    virtual = 1 / (1 + np.exp(-worth))
    value -= float(0.5 * (np.logaddexp(0, worth) + np.logaddexp(0, -worth)).sum())  # far apart, 1 - virtual is 0
    return value, scores, np.diag(diagonal + virtual * (1 - virtual)) - squares.reshape(num_bots, num_bots)


def _covariance(results: BoardResults, patterns: _Patterns, worth: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """The sandwich: of the log-worths, with boards as clusters in their strata, and the virtual games as one more."""
    num_bots, num_slots = len(worth), results.bots.shape[1]
    _, scores, _ = _derivatives(patterns, worth)
    by_slot = np.stack([np.where(patterns.slots == slot, scores, 0).sum(axis=1) for slot in range(num_slots)], axis=1)
    by_board = np.zeros((len(results), num_slots))
    for game in range(patterns.of_board.shape[1]):
        by_board += by_slot[patterns.of_board[:, game]]
    strata, shares = strata_of(results.lineup, results.variant, results.num_variants)
    bots = results.bots.astype(np.int64)
    boards = np.bincount(strata, minlength=len(shares))
    sums = np.bincount((strata[:, None] * num_bots + bots).ravel(), by_board.ravel(), len(boards) * num_bots)
    means = sums.reshape(len(boards), num_bots) / boards[:, None]
    growth = boards / np.maximum(boards - 1, 1)
    within = np.zeros(num_bots**2)
    for one, other in product(range(num_slots), repeat=2):  # slot by slot: all at once would take 400 MB at 10^6 boards
        products = growth[strata] * by_board[:, one] * by_board[:, other]
        within += np.bincount(bots[:, one] * num_bots + bots[:, other], products, num_bots**2)
    between = (means * (growth * boards)[:, None]).T @ means
    lean = (boards - len(results) * shares) @ means  # of a run that ends within a cycle, to what came once more
    virtual = _virtual_scores(worth)
    meat = within.reshape(num_bots, num_bots) - between + np.outer(lean, lean) + np.outer(virtual, virtual)
    bread = np.linalg.inv(hessian)
    found: np.ndarray = bread @ meat @ bread
    return found


def _patterns(results: BoardResults) -> _Patterns:
    """The different rankings, in terms of bots."""
    has_all = len(results.labels) <= results.num_seats  # then a slot is the same bot on every board
    table = np.zeros(len(results), np.int64) if has_all else _tables(results)
    keys, first, of_game, counts = np.unique(
        table[:, None] << 24 | results.rankings, return_index=True, return_inverse=True, return_counts=True
    )
    slots, is_tied = unpack_rankings(keys & (1 << 24) - 1, results.num_seats)
    bots = np.take_along_axis(results.bots[first // results.rankings.shape[1]].astype(np.int64), slots, axis=1)
    return _Patterns(bots, slots, is_tied, of_game.reshape(results.rankings.shape), counts, list(_stages(is_tied)))


def _tables(results: BoardResults) -> np.ndarray:
    """Numbers of the sets of bots that boards have: a line-up's order changes no ranking, and there are many orders."""
    bots = results.bots.astype(np.int64)
    digits = sum(bots[:, slot] * len(results.labels) ** slot for slot in range(bots.shape[1]))
    found: np.ndarray = np.unique(digits, return_inverse=True)[1]
    return found


def _stages(is_tied: np.ndarray) -> list[_Stage]:
    """Every choice of a place: a tie of t seats gives one for every subset of them that may be left."""
    found = []
    num_seats = is_tied.shape[1]
    shapes, shape_of_row = np.unique(is_tied, axis=0, return_inverse=True)
    for number, shape in enumerate(shapes):
        rows = np.flatnonzero(shape_of_row.ravel() == number)
        starts = np.flatnonzero(~shape)
        for start, end in zip(starts, [*starts[1:], num_seats], strict=True):
            for left in range(1, end - start + 1):
                for tied in combinations(range(start, end), left):
                    positions = np.array([*tied, *range(end, num_seats)])
                    found.append(_Stage(rows, positions, 1 / comb(int(end - start), left)))
    return found


def _meetings(level: np.ndarray) -> np.ndarray:
    """For each bot its group: bots that met, directly or through others."""
    return np.asarray(connected_components(level > 0, directed=False)[1])


def _sides(level: np.ndarray, least: int) -> np.ndarray:
    """For each bot its side: bots each of which was level with any other of them or ahead, directly or through others.

    What came in fewer than `least` games between two bots does not count.
    """
    return np.asarray(connected_components(level >= least, directed=True, connection="strong")[1])


def _with_sides(side_of_bot: np.ndarray, groups: list[np.ndarray]) -> list[int]:
    """The bots of groups that fall into sides."""
    return [int(bot) for group in groups for bot in group if len(set(side_of_bot[group])) > 1]


def _level_games(patterns: _Patterns, num_bots: int) -> np.ndarray:
    """In how many games the bot of a row was level with the one of a column or ahead, shape `(bots, bots)`."""
    games = np.zeros((num_bots, num_bots), np.int64)
    for ahead, behind in combinations(range(patterns.bots.shape[1]), 2):
        first, second = patterns.bots[:, ahead], patterns.bots[:, behind]
        np.add.at(games, (first, second), patterns.counts)
        tied = patterns.is_tied[:, ahead + 1 : behind + 1].all(axis=1)
        np.add.at(games, (second[tied], first[tied]), patterns.counts[tied])
    return games
