"""A frozen player of twenty lines: bids its expected tricks, plays the cheapest winner or the highest loser."""

from typing import Any

import numpy as np

from cardkit.state import State


class Baseline:
    """Knows the order of cards and how many tricks it still needs, and nothing else."""

    def __init__(self, game: Any) -> None:
        self.seats = game.num_players

    def choose(self, view: State, rng: np.random.Generator) -> int:
        record, legal = view.record, view.legal_actions()
        seat, trump, led = int(record.actor), int(record.trump), int(record.led_suit) if record.trick_size else -1
        if view.phase() == "bid":
            hand = int(record.hands[seat])
            cards = [card for card in range(52) if hand >> card & 1]
            chances = [((card % 13 + 1) / 13) ** (self.seats - 1) for card in cards]
            wins = [0.25 + 0.75 * p if card // 13 == trump else 0.8 * p for card, p in zip(cards, chances, strict=True)]
            expected = sum(wins) + (hand >> 52).bit_count()
            return min(legal, key=lambda bid: (abs(bid - expected), bid))
        if view.phase() == "name_trump":
            return legal[0]

        def power(card: int) -> int:
            if card >= 52:
                return 28 if card == 52 else 1
            return (15 if card // 13 == trump else 2 if led in (-1, card // 13) else 0) + card % 13 * (
                card // 13 == trump or led in (-1, card // 13)
            )

        best = int(record.power) if record.trick_size else 0
        winners = [card for card in legal if power(card) > best]
        losers = [card for card in legal if power(card) <= best]
        if record.bids[seat] > record.tricks[seat]:
            return min(winners or losers, key=power)
        return max(losers, key=lambda card: (power(card), card % 13)) if losers else min(winners, key=power)
