"""What a run shows: means a bot with 95 % intervals. The unit is always the board, never the game.

All seatings of a board see the same cards, so its games are not independent; the mean over a board is one observation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from experiments.rundir import RunDirectory

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over boards with its 95 % interval (Student's t): `mean - half_width .. mean + half_width`."""

    mean: float
    half_width: float
    boards: int

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.half_width


@dataclass(frozen=True)
class Standing:
    """A bot's results: points and share of the win a game, per seat held."""

    bot: str
    points: Estimate
    win_share: Estimate
    games: int


def estimate(values: np.ndarray) -> Estimate:
    """Mean and interval of one observation a board; the interval is infinite for a single board."""
    count = len(values)
    if count < 2:
        return Estimate(float(values.mean()) if count else float("nan"), float("inf"), count)
    error = float(values.std(ddof=1) / np.sqrt(count))
    return Estimate(float(values.mean()), float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * error, count)


def board_means(directory: RunDirectory) -> pd.DataFrame:
    """Mean score (points) and win share of each bot on each board, per seat held; indexed by bot and board."""
    games = directory.read("games", ["board", "bot", "score", "win_share"]).to_pandas()
    return games.groupby(["bot", "board"], observed=True)[["score", "win_share"]].mean()


def standings(directory: RunDirectory, means: pd.DataFrame | None = None) -> list[Standing]:
    """All bots of a run, most points first, those that have not played last."""
    means = board_means(directory) if means is None else means
    counts = directory.read("games", ["bot"]).to_pandas()["bot"].value_counts()
    found = []
    for label, _ in directory.spec.bots:
        own = _of_bot(means, label)
        points, share = (estimate(own[column].to_numpy()) for column in ("score", "win_share"))
        found.append(Standing(label, points, share, int(counts[label])))
    return sorted(found, key=lambda standing: -standing.points.mean if standing.games else float("inf"))


def _of_bot(means: pd.DataFrame, label: str) -> pd.DataFrame:
    """The boards of one bot; none where a run is too short for its line-ups."""
    return means[means.index.get_level_values("bot") == label].droplevel("bot")


def differences(means: pd.DataFrame, labels: list[str]) -> list[tuple[str, str, Estimate]]:
    """Difference in points a game of each pair of bots, over the boards where both sat."""
    found = []
    for first, second in combinations(labels, 2):
        gaps = _of_bot(means, first)["score"] - _of_bot(means, second)["score"]  # by board; NaN where one is missing
        found.append((first, second, estimate(gaps.dropna().to_numpy())))
    return found


def outcomes(directory: RunDirectory) -> dict[str, int]:
    """How many games ended in each way, in the order of the game's `outcomes`."""
    ended = directory.read("games", ["seat", "outcome"]).to_pandas()
    counts = ended[ended["seat"] == 0]["outcome"].value_counts()
    return {name: int(counts.get(name, 0)) for name in directory.spec.game_object.outcomes}
