"""What runs say about the games: functions from run directories to tidy frames.

    from experiments import analysis
    analysis.bid_calibration("runs/first")

Every function takes a run directory (or its path), reads only the columns it needs, part by part, and gives a frame
with one line a group: the keys, `rows` (a seat's deal counts as one), `boards`, and each measure with the ends of its
95 % interval, `_low` and `_high`, whose unit is the board. Points are those of one deal; `exact`, `made` and other
shares are 0..1. What bots did is observed: hands that are bid high differ from hands that are bid low. `bid_values`
compares bids of the same hand instead.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from experiments.bid_values import BidValue, BidValues, bid_values
from experiments.hands import kronions_hands, truf_hands
from experiments.kosmogonia_analysis import deployment, endings, item_or_key, olympus_choices
from experiments.kronions_analysis import hook_effect, paradox_cards, trump_effect, value_by_strength, zero_bids
from experiments.run_frames import Names, Run, check_game, frame, frames, mean_by, names_of, open_run
from experiments.truf_analysis import mode_effect, nil_success, revealing, sum_choice, tie_breaks

__all__ = [
    "BidValue", "BidValues", "Run", "bid_calibration", "bid_values", "deployment", "endings", "frame", "frames",
    "hook_effect", "item_or_key", "kronions_hands", "make_rates", "mean_by", "mode_effect", "nil_success",
    "olympus_choices", "open_run", "paradox_cards", "revealing", "seat_effects", "sum_choice", "tie_breaks",
    "truf_hands", "trump_effect", "value_by_strength", "zero_bids",
]  # fmt: skip

_BID_COLUMNS = {"kronions": ("bid", "tricks"), "truf": ("final_bid", "sets")}
_FIRST = {"kronions": "dealer", "kosmogonia": "first_player"}  # a column that says where a deal begins


def bid_calibration(run: Run, by: Names = ("bot",)) -> pd.DataFrame:
    """Bids against what was won, in Kronions and Truf.

    Args:
        run: the run.
        by: columns of the deals to tell apart, beside the bid.

    Returns:
        By these and `bid` (tricks or sets, the bid that counts): `won`, tricks or sets; `exact`, `under`, `over` as
        shares; `points` a deal.
    """
    bid, won = _BID_COLUMNS[check_game(run, *_BID_COLUMNS).spec.game]

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        rows = rows.assign(bid=rows[bid], won=rows[won])
        return rows.assign(exact=rows.won == rows.bid, under=rows.won < rows.bid, over=rows.won > rows.bid)

    return mean_by(run, [*names_of(by), "bid"], ["won", "exact", "under", "over", "points"], [bid, won], change)


def make_rates(run: Run) -> pd.DataFrame:
    """How often each bid is made, in Kronions and Truf: a surface.

    Returns:
        What `bid_calibration` gives, by `hand_size` (Kronions) or `mode` (Truf), and `bid`.
    """
    return bid_calibration(run, ["hand_size" if check_game(run, *_BID_COLUMNS).spec.game == "kronions" else "mode"])


def seat_effects(run: Run, by: Names = ()) -> pd.DataFrame:
    """What the place at the table is worth.

    Args:
        run: the run.
        by: further columns to tell apart, such as "bot".

    Returns:
        By these and `position`: in Kronions 1 is the dealer's left, who bids first, and the last is the dealer; in
        Kosmogonia 1 is the first player of the round; in Truf, which has no dealer, the seat + 1. `points` a deal and
        `exact` bids where there are bids; `keys` and `treasures` a round in Kosmogonia.
    """
    directory = check_game(run, "kronions", "truf", "kosmogonia")
    game, seats = directory.spec.game, directory.spec.game_object.num_players
    first = _FIRST.get(game)
    pair = _BID_COLUMNS.get(game)

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        begins: Any = rows[first].astype(int) + (game == "kronions") if first else 0
        rows = rows.assign(position=(rows["seat"].astype(int) - begins) % seats + 1)
        return rows.assign(exact=rows[pair[0]] == rows[pair[1]]) if pair else rows

    measures = ["points", "exact"] if pair else ["keys", "treasures"]
    columns = ["seat", *([first] if first else []), *(pair or ())]
    return mean_by(directory, [*names_of(by), "position"], measures, columns, change)
