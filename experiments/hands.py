"""What a hand is like: features of many hands at once, from the bit masks in the run files."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from kronions.cards import PARADOX
from kronions.rules import Rules as KronionsRules
from kronions.rules import deck_size
from truf.cards import BID_VALUE, COURTS, SUITS
from truf.rules import ACE_LOW
from truf.rules import Rules as TrufRules

_RANKS = 13
_NO_TRUMP = 4  # the code of "none" in the column `trump`
_SUIT = np.uint64((1 << _RANKS) - 1)


def kronions_hands(rules: KronionsRules, hands: ArrayLike, trumps: ArrayLike) -> pd.DataFrame:
    """Features of Kronions hands.

    Args:
        rules: the rules by which they were dealt.
        hands: bit masks as in the run files, shape `(hands,)`: an array or a column.
        trumps: the trump suit of each, 0..3; for none -1, or 4 as the codes of the column `trump`.

    Returns:
        One line a hand: `cards`, `paradox` and `trumps` count cards, `longest` the cards of the longest suit, `voids`
        the suits of the deck without a card; `strength` is an index, the tricks to expect if each card were led once
        against one random unseen card from every other seat: a paradox card counts as 1, any other card takes the trick
        where no higher card of its suit and no trump meets it. In play a hand takes fewer.
    """
    hands, trumps = np.asarray(hands, np.uint64), np.asarray(trumps, int)
    trumps = np.where(trumps == _NO_TRUMP, -1, trumps)
    lengths = _lengths(hands)[:, : rules.num_suits]
    paradox = np.bitwise_count(hands >> np.uint64(PARADOX)).astype(int)
    cards = lengths.sum(axis=1) + paradox
    unseen = deck_size(rules) - cards
    of_trump = np.where(trumps >= 0, lengths[np.arange(len(hands)), np.maximum(trumps, 0)], 0)
    other_trumps = np.where(trumps >= 0, rules.num_ranks - of_trump, 0)
    strength = paradox.astype(float)
    for suit in range(rules.num_suits):
        for rank in range(rules.num_ranks):
            held, above = _held(hands, suit, rank), _above(hands, suit, rank)
            beaters = rules.num_ranks - 1 - rank - above + np.where(trumps == suit, 0, other_trumps)
            strength += held * _survives(beaters, unseen, rules.num_players - 1)
    return pd.DataFrame(
        {
            "cards": cards,
            "paradox": paradox,
            "trumps": of_trump,
            "longest": lengths.max(axis=1),
            "voids": (lengths == 0).sum(axis=1),
            "strength": strength,
        }
    )


def truf_hands(rules: TrufRules, hands: ArrayLike) -> pd.DataFrame:
    """Features of Truf hands.

    Args:
        rules: the rules by which they were dealt; features are those of a full pack.
        hands: bit masks as in the run files, shape `(hands,)`: an array or a column.

    Returns:
        One line a hand: `shape` the lengths of its suits from the longest down, such as "5-4-3-1", `longest` and
        `voids` as numbers, `courts` its J, Q, K, `high` its A, K, Q, `most` what all its cards bid together; `strength`
        is an index, the sets to expect without truf if each card were led once against one random unseen card from
        every other seat: a card takes the set where no higher card of its suit meets it. It averages 9 of 13.
    """
    hands = np.asarray(hands, np.uint64)
    lengths = _lengths(hands)
    ordered = -np.sort(-lengths, axis=1)
    shape = pd.Series(map("-".join, ordered.astype(str).tolist()), dtype="object")
    order = [12, *range(12)] if rules.ace_play == ACE_LOW else list(range(_RANKS))  # ranks from the lowest up
    strength, high, most = np.zeros(len(hands)), np.zeros(len(hands), int), np.zeros(len(hands), int)
    for suit in range(SUITS):
        above = np.zeros(len(hands), int)
        for place, rank in reversed(list(enumerate(order))):
            held = _held(hands, suit, rank)
            strength += held * _survives(_RANKS - 1 - place - above, np.full(len(hands), 39), 3)
            above = above + held
            high += held * (rank >= 10)
            most += held * int(BID_VALUE[rank])
    return pd.DataFrame(
        {
            "shape": shape,
            "longest": lengths.max(axis=1),
            "voids": (lengths == 0).sum(axis=1),
            "courts": np.bitwise_count(hands & COURTS).astype(int),
            "high": high,
            "most": most,
            "strength": strength,
        }
    )


def _lengths(hands: np.ndarray) -> np.ndarray:
    """Cards in each suit, shape `(hands, 4)`."""
    suits = [np.bitwise_count(hands >> np.uint64(_RANKS * suit) & _SUIT) for suit in range(4)]
    return np.stack(suits, axis=1).astype(int)


def _held(hands: np.ndarray, suit: int, rank: int) -> np.ndarray:
    """1 where a hand has the card, else 0."""
    return (hands >> np.uint64(_RANKS * suit + rank) & np.uint64(1)).astype(int)


def _above(hands: np.ndarray, suit: int, rank: int) -> np.ndarray:
    """How many cards of the suit above a rank a hand has."""
    higher = (1 << _RANKS) - (2 << rank)
    return np.bitwise_count(hands >> np.uint64(_RANKS * suit) & np.uint64(higher)).astype(int)


def _survives(beaters: np.ndarray, unseen: np.ndarray, others: int) -> np.ndarray:
    """Chance that so many different unseen cards, drawn at random, hold none of the beaters."""
    chance = np.ones(len(beaters))
    for drawn in range(others):
        chance *= np.clip((unseen - beaters - drawn) / np.maximum(unseen - drawn, 1), 0, 1)
    return chance
