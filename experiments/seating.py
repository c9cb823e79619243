"""What the seats are worth, and what playing every board in all its seatings is good for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from experiments.boards import Games, read_games, strata_of
from experiments.intervals import Strata
from experiments.means import SHARE
from experiments.rundir import RunDirectory
from experiments.stats import Estimate, estimate


@dataclass(frozen=True)
class SeatEffect:
    """What sitting at a seat brought, over all bots or for one of them: means per game."""

    seat: int
    points: Estimate
    win_share: Estimate


@dataclass(frozen=True)
class RotationGain:
    """How much variance is gone because boards are played in all their seatings.

    Attributes:
        bot: its label, or "first - second" for the difference of two.
        gain: variance of the mean points had each game its own deal, over the variance measured: as many times more
            games it would take for an interval of the same length. Below 1 where repeating deals costs more than
            it brings.
        boards: it was measured on.
    """

    bot: str
    gain: float
    boards: int


def seat_effects(directory: RunDirectory, bot: str | None = None) -> list[SeatEffect]:
    """Points and win share at each seat, of all bots or of one.

    Each bot of a line-up sits at each seat equally often, so that seats are compared with the same bots at them.
    """
    labels = [label for label, _ in directory.spec.bots]
    found: list[tuple[np.ndarray, ...]] = []
    for games in read_games(directory):
        holds = games.bot == labels.index(bot) if bot is not None else np.ones(games.bot.shape, bool)
        sums = [np.where(holds, values, 0).sum(axis=1) for values in (games.score, games.win_share)]
        found.append((*sums, holds.sum(axis=1), games.lineup, directory.spec.round_of(games.board)))
    points, share, sizes, lineup, variant = (np.concatenate(column) for column in zip(*found, strict=True))
    effects = []
    for seat in range(sizes.shape[1]):
        sat = sizes[:, seat] > 0
        strata, own = strata_of(lineup[sat], variant[sat], directory.spec.num_variants), sizes[sat, seat]
        bounds = SHARE if directory.spec.game_object.points_are_shares else None
        of_points = estimate(points[sat, seat] / own, strata, bounds)
        effects.append(SeatEffect(seat, of_points, estimate(share[sat, seat] / own, strata, SHARE)))
    return effects


def rotation_gains(directory: RunDirectory) -> list[RotationGain]:
    """For each bot and each pair, what rotation is worth in this run; those without enough boards are left out.

    Both variances are within line-up, rules and seating, which separate deals would take in turn as well.
    """
    labels = [label for label, _ in directory.spec.bots]
    names = [*labels, *(f"{first} - {second}" for first, second in combinations(labels, 2))]
    found: dict[str, list[tuple[np.ndarray, ...]]] = {name: [] for name in names}
    for games in read_games(directory):
        design = (games.lineup, directory.spec.round_of(games.board))
        values = [_by_game(games, bot) for bot in range(len(labels))]
        values += [first - second for first, second in combinations(values, 2)]
        for name, value in zip(names, values, strict=True):
            sat = ~np.isnan(value[:, 0])
            found[name].append((value[sat], *(column[sat] for column in design)))
    gains = []
    for name, parts in found.items():
        value, lineup, variant = (np.concatenate(column) for column in zip(*parts, strict=True))
        if len(value) > 1:
            strata = strata_of(lineup, variant, directory.spec.num_variants)
            gains.append(RotationGain(name, variance_ratio(value, strata), len(value)))
    return gains


def _by_game(games: Games, bot: int) -> np.ndarray:
    """Mean points of a bot per seat held, shape `(boards, games a board)`; NaN where it does not sit."""
    holds = games.bot == bot
    seats = holds.sum(axis=2)
    found: np.ndarray = np.where(holds, games.score, 0).sum(axis=2) / np.where(seats > 0, seats, np.nan)
    return found


def variance_ratio(values: np.ndarray, strata: Strata) -> float:
    """Variance of games over games a board, by the variance of board means, both within strata and seatings.

    Args:
        values: shape `(boards, games a board)`.
        strata: of the boards.

    Returns:
        The ratio; NaN where boards do not differ.
    """
    boards = np.bincount(strata.of_board)[:, None]
    sums = np.stack([np.bincount(strata.of_board, game) for game in values.T], axis=1)
    rest = values - (sums / boards)[strata.of_board]
    of_board = float((rest.mean(axis=1) ** 2).sum())
    of_game = float((rest**2).sum()) / values.shape[1] ** 2
    return of_game / of_board if of_board > 0 else float("nan")
