"""What runs of Truf say about bidding (see `experiments.analysis`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow.dataset as ds

from cardkit.spec import InvalidText, nearest
from experiments.hands import truf_hands
from experiments.run_frames import Run, check_game, mean_by
from truf._bidding import hand_size
from truf.cards import BID_VALUE, RANKS, SUITS
from truf.rules import ACE_LOW, MIXED_ABOVE_SPADES, MIXED_STRONGEST_SUIT, SEATS

STEPS = ("bid", "single card", "suit", "strongest suit", "best card")  # the ladder that finds the top bidder [R19]


def nil_success(run: Run, by: str = "high") -> pd.DataFrame:
    """How often nils are made by the shape of the hand: hands whose final bid is 0.

    Args:
        run: the run.
        by: a feature of hands (see `truf_hands`), such as "high", "courts", "longest", "shape".

    Returns:
        By it: `made`, a share; `sets` won; `points` a hand.

    Raises:
        InvalidText: hands have no such feature.
    """
    directory = check_game(run, "truf")
    rules = directory.spec.game_object.rules

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        features = truf_hands(rules, rows["hand"])
        if by not in features:
            raise InvalidText(f"hands have no feature {by!r}{nearest(by, features.columns)}")
        return rows.assign(made=rows["sets"] == 0, **{by: features[by].to_numpy()})

    where = ds.field("final_bid") == 0
    return mean_by(directory, [by], ["made", "sets", "points"], ["hand", "final_bid"], change, where)


def mode_effect(run: Run) -> pd.DataFrame:
    """HIGH and LOW.

    Returns:
        By `mode` and `is_top_bidder`: the final `bid` and the `sets` won, `exact`, `under`, `over` as shares, `points`
        a hand.
    """
    check_game(run, "truf")

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        bid, sets = rows["final_bid"], rows["sets"]
        return rows.assign(bid=bid, exact=sets == bid, under=sets < bid, over=sets > bid)

    measures = ["bid", "sets", "exact", "under", "over", "points"]
    return mean_by(run, ["mode", "is_top_bidder"], measures, ["final_bid"], change)


def sum_choice(run: Run) -> pd.DataFrame:
    """What the top bidder chose where the bids added up to exactly 13, and what it was worth.

    Returns:
        By `choice` ("raise", "lower" or "stay") and `is_top_bidder`: `exact` share, `points` a hand.
    """
    directory = check_game(run, "truf")
    size = int(hand_size(directory.spec.game_object.rules))

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        table = rows.sort_values(["game_id", "deal", "seat"])
        bids = table["bid"].to_numpy().astype(int).reshape(-1, SEATS)
        finals = table["final_bid"].to_numpy().astype(int).reshape(-1, SEATS)
        choice = np.array(["lower", "stay", "raise"])[np.sign(finals.sum(axis=1) - bids.sum(axis=1)) + 1]
        table = table.assign(choice=np.repeat(choice, SEATS), exact=table["sets"] == table["final_bid"])
        return table[np.repeat(bids.sum(axis=1) == size, SEATS)]

    columns = ["game_id", "deal", "seat", "bid", "final_bid", "sets"]
    return mean_by(directory, ["choice", "is_top_bidder"], ["exact", "points"], columns, change)


def revealing(run: Run) -> pd.DataFrame:
    """What showing cards goes along with: equal bids laid with fewer and with more cards.

    Returns:
        By the revealed `bid` and `cards` laid: `exact` share, `points` a hand.
    """
    check_game(run, "truf")

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        cards = np.bitwise_count(rows["bid_cards"].to_numpy()).astype(int)
        return rows.assign(cards=cards, exact=rows["sets"] == rows["final_bid"])

    return mean_by(run, ["bid", "cards"], ["exact", "points"], ["bid_cards", "sets", "final_bid"], change)


def tie_breaks(run: Run) -> pd.DataFrame:
    """Which step of the ladder finds the top bidder, and what winning it is worth.

    Returns:
        By `step` (one of `STEPS`): `points` of the top bidder a hand, and `ahead`, how many more that is than the seats
        with the same bid have on average; 0 where the bid alone decided. A row is a hand.
    """
    directory = check_game(run, "truf")
    rules = directory.spec.game_object.rules

    def change(rows: pd.DataFrame) -> pd.DataFrame:
        table = rows.sort_values(["game_id", "deal", "seat"])
        laid, top, points = (
            table[name].to_numpy().reshape(-1, SEATS) for name in ("bid_cards", "is_top_bidder", "points")
        )
        step, tied = _deciding_steps(rules, laid)
        others = tied & (top == 0)
        own = (points * (top == 1)).sum(axis=1)
        count = others.sum(axis=1)
        theirs = np.where(count > 0, (points * others).sum(axis=1) / np.maximum(count, 1), own)
        board = table["board"].to_numpy()[::SEATS]
        return pd.DataFrame({"board": board, "step": np.array(STEPS)[step], "points": own, "ahead": own - theirs})

    columns = ["game_id", "deal", "seat", "bid_cards", "is_top_bidder"]
    return mean_by(directory, ["step"], ["points", "ahead"], columns, change)


def _deciding_steps(rules: Any, laid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The step of the ladder that leaves one seat, and the seats tied by value, from laid cards `(hands, 4)`."""
    values = np.zeros((len(STEPS), *laid.shape), int)
    lengths = np.stack([np.bitwise_count(_suit(laid, suit)) for suit in range(SUITS)], axis=-1).astype(int)
    for rank in range(RANKS):
        for suit in range(SUITS):
            values[0] += (_suit(laid, suit) >> np.uint64(rank) & np.uint64(1)).astype(int) * int(BID_VALUE[rank])
    values[1] = lengths.sum(axis=-1) == 1
    strongest = SUITS - 1 - np.argmax(lengths[..., ::-1] > 0, axis=-1)
    is_mixed = (lengths > 0).sum(axis=-1) > 1
    class_of_mixed = {MIXED_ABOVE_SPADES: SUITS + 1}.get(int(rules.mixed_tie), 0)
    in_own_class = is_mixed & (rules.mixed_tie != MIXED_STRONGEST_SUIT)
    values[2] = np.where(in_own_class, class_of_mixed, strongest + 1)
    values[3] = strongest
    order = [12, *range(12)] if rules.ace_play == ACE_LOW else list(range(RANKS))
    for suit in range(SUITS):
        for place, rank in enumerate(order):
            has = (strongest == suit) & (_suit(laid, suit) >> np.uint64(rank) & np.uint64(1) > 0)
            values[4] = np.where(has, place, values[4])
    alive = np.ones(laid.shape, bool)
    step = np.full(len(laid), -1)
    tied = alive
    for i, value in enumerate(values):
        best = np.where(alive, value, -1).max(axis=1, keepdims=True)
        alive = alive & (value == best)
        tied = alive if i == 0 else tied
        step = np.where((step < 0) & (alive.sum(axis=1) == 1), i, step)
    return step, tied


def _suit(cards: np.ndarray, suit: int) -> np.ndarray:
    """The ranks that sets of cards have of a suit, as bits."""
    found: np.ndarray = cards >> np.uint64(RANKS * suit) & np.uint64((1 << RANKS) - 1)
    return found
