"""A frozen player of twenty lines: bids its high cards with one card, plays the cheapest winner or highest loser."""

from typing import Any

import numpy as np

from cardkit.state import State


class Baseline:
    """Knows the order of cards and how many sets it still needs, and nothing else."""

    def __init__(self, game: Any) -> None:
        """Needs nothing of the game."""

    def choose(self, view: State, rng: np.random.Generator) -> int:
        record, legal = view.record, view.legal_actions()
        seat = int(record.actor)
        if view.phase() == "bid":
            if 52 in legal:
                return 52
            expected = sum({12: 1.0, 11: 0.7, 10: 0.4, 9: 0.2}.get(card % 13, 0.05) for card in legal)
            values = {card: {12: 1, 11: 0, 10: 0, 9: 0}.get(card % 13, card % 13 + 2) for card in legal}
            return min(legal, key=lambda card: (abs(values[card] - expected), card))
        if view.phase() == "shift":
            return legal[0]
        trick = [byte - 1 for byte in int(record.trick).to_bytes(8, "little") if byte] if record.trick_size else []
        led = (trick[0] - 52 if trick[0] >= 52 else trick[0] // 13) if trick else -1

        def power(card: int) -> int:
            suit, rank = (card - 52, 6) if card >= 52 else (card // 13, card % 13)
            return 14 + rank if suit == record.truf else rank if led in (-1, suit) else -1

        best = max(map(power, trick), default=9)
        winners = [card for card in legal if power(card) > best]
        losers = [card for card in legal if power(card) <= best]
        if record.final_bids[seat] > record.sets[seat]:
            return min(winners or losers, key=power)
        return max(losers, key=lambda card: (power(card), card % 13)) if losers else min(winners, key=power)
