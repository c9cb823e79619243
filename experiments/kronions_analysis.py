"""What runs of Kronions say about bidding (see `experiments.analysis`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from cardkit.spec import InvalidText
from experiments.hands import kronions_hands
from experiments.means import Means
from experiments.run_frames import Run, check_game, check_pair, frames, mean_by

_BID = ["hand_size", "bid", "tricks", "points"]


def _with_exact(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(exact=rows["tricks"] == rows["bid"])


def zero_bids(run: Run) -> pd.DataFrame:
    """Zero bids against all others.

    Returns:
        By `hand_size` and `is_zero`: `exact`, the share that was made; `points` a deal.
    """
    check_game(run, "kronions")
    return mean_by(
        run, ["hand_size", "is_zero"], ["exact", "points"], _BID,
        lambda rows: _with_exact(rows).assign(is_zero=rows["bid"] == 0),
    )  # fmt: skip


def trump_effect(run: Run) -> pd.DataFrame:
    """Deals with trump against deals without: a paradox card was turned up, or it is the last round.

    Returns:
        By `hand_size` and `has_trump`: `bid` in tricks, `exact` share, `points` a deal.
    """
    check_game(run, "kronions")
    return mean_by(
        run, ["hand_size", "has_trump"], ["bid", "exact", "points"], [*_BID, "trump"],
        lambda rows: _with_exact(rows).assign(has_trump=rows["trump"] != "none"),
    )  # fmt: skip


def paradox_cards(run: Run) -> pd.DataFrame:
    """What paradox cards in hand go along with.

    Returns:
        By `hand_size` and `paradox`, the number of them: `bid` in tricks, `exact` share, `points` a deal.
    """
    check_game(run, "kronions")
    return mean_by(
        run, ["hand_size", "paradox"], ["bid", "exact", "points"], [*_BID, "hand"],
        lambda rows: _with_exact(rows).assign(paradox=np.bitwise_count(rows["hand"].to_numpy() >> np.uint64(52))),
    )  # fmt: skip


def value_by_strength(run: Run, width: float = 0.5) -> pd.DataFrame:
    """What bids were worth by strength of the hand.

    Args:
        run: the run.
        width: of a class of strength, in tricks (see `kronions_hands`).

    Returns:
        By `hand_size`, `strength` (the middle of its class) and `bid`: `exact` share, `points` a deal.
    """
    directory = check_game(run, "kronions")

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        features = kronions_hands(directory.spec.game_object.rules, rows["hand"], rows["trump"].cat.codes)
        return _with_exact(rows).assign(strength=(np.floor(features["strength"].to_numpy() / width) + 0.5) * width)

    return mean_by(directory, ["hand_size", "strength", "bid"], ["exact", "points"], [*_BID, "hand", "trump"], change)


def hook_effect(hooked: Run, free: Run) -> pd.DataFrame:
    """What the hook costs: the same boards played with `hook=on` and with `hook=off`.

    Args:
        hooked: a run with the hook.
        free: the same run but for `hook=off`.

    Returns:
        By `hand_size` and `is_dealer`: `points` a deal and `exact` share that the hook takes away (free minus hooked),
        from differences of equal boards. A row is a board's difference.

    Raises:
        InvalidText: the runs differ in something else, or stand the other way round.
    """
    pair = check_pair(check_game(hooked, "kronions"), free, "hook")
    if pair[1].spec.options["hook"] != "off":
        raise InvalidText(f"{str(pair[0].path)!r} has hook=off: expected the run with hook=on first")
    means = Means(["hand_size", "is_dealer"], {"points": None, "exact": None})
    keys = ["board", "hand_size", "is_dealer"]
    columns = ["board", "seat", "dealer", *_BID]
    for parts in zip(*(frames(run, "deals", columns) for run in pair), strict=True):
        tables: list[Any] = []
        for rows in parts:
            rows = _with_exact(rows).assign(is_dealer=rows["seat"] == rows["dealer"])
            tables.append(rows.groupby(keys)[["points", "exact"]].mean())
        means.add((tables[1] - tables[0]).dropna().reset_index())
    return means.frame()
