"""A frozen player of twenty lines: the strongest champion to the side with most keys, symbols where it is behind."""

from typing import Any

import numpy as np

from cardkit.state import State


class Baseline:
    """Adds up printed values, and knows nothing of what others may have."""

    def __init__(self, game: Any) -> None:
        self.cards = game.rules.cards[0]

    def choose(self, view: State, rng: np.random.Generator) -> int:
        record, legal, phase = view.record, view.legal_actions(), view.phase()
        values, keys = self.cards["values"], self.cards.keys
        if phase in ("challenge_card", "deploy_card", "end_champion"):
            return max(
                (card for card in legal if card < 48), key=lambda card: int(values[card].sum()), default=legal[0]
            )
        if phase == "deploy_place":
            taken = [int(record.owners[side ^ 1] >= 0) for side in range(8)]
            prize = [int(keys[treasure]) for treasure in record.treasures]
            return max(legal, key=lambda side: (-int(record.lineups[side]).bit_count(), -taken[side], prize[side]))
        if phase in ("sym8_card", "equip"):
            return max(legal, key=lambda t: int(self.cards["items"][t].sum()) if t < 18 else 0)
        return legal[0] if phase != "use" or self.is_behind(record) else legal[-1]

    def is_behind(self, record: Any) -> bool:
        """Whether the line-up in a duel has less than the other; against monsters and Kronos always."""
        sides = [[card for card in range(48) if int(lineup) >> card & 1] for lineup in record.lineups]
        totals = [int(self.cards["values"][cards].sum()) for cards in sides]
        own = 2 * int(record.position) + int(record.corner)
        return bool(record.fight != 1 or totals[own] <= totals[own ^ 1])
