"""The front door: `Game` for Kosmogonia, and the registration of its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar

from cardkit.game import Game as BaseGame
from cardkit.spec import InvalidRules
from cardkit.verbs import VERBS, register
from kosmogonia import _likelihood, _scoring, _sensible, _winning, _worlds, beliefs, kernels, policy, text
from kosmogonia._card_files import standin
from kosmogonia.cards import CardSet
from kosmogonia.rules import (
    MOST_SEATS,
    OPTIONS,
    PRESETS,
    ROUNDS,
    STANDARD,
    TACTICS,
    TOURNAMENT,
    VARIATION,
    Rules,
    check,
)
from kosmogonia.state import DEAL_COLUMNS, NUM_ACTIONS, OUTCOMES, PHASES, STATE

_ROOMS = (kernels, _scoring, beliefs, _worlds, _likelihood, policy, _sensible, _winning)
register(Rules, {verb: next(vars(room)[verb] for room in _ROOMS if verb in vars(room)) for verb in VERBS})


# Most decisions of a game in Destiny, and of its drafts in Tactics.
_MOST_DECISIONS = {
    (STANDARD, 4): (303, 60),
    (VARIATION, 3): (212, 60),
    (VARIATION, 2): (174, 40),
    (TOURNAMENT, 2): (117, 30),
}


class Game(BaseGame):
    """Kosmogonia for 2 to 4 players. Every rule option is a keyword; `hiddenhand rules kosmogonia` lists them.

    Attributes:
        card_set: the numbers on the cards; the set that is shipped is invented.
    """

    name = "kosmogonia"
    version = 1
    rules_type = Rules
    options = OPTIONS
    presets = PRESETS
    state_dtype = STATE
    deal_columns = DEAL_COLUMNS
    phases = PHASES
    text: ClassVar[ModuleType] = text
    most_players = MOST_SEATS
    outcomes = OUTCOMES
    deal_value_unit = "share of the win"
    points_are_shares = True
    has_bids = False
    bench_label = "4 players"
    bench_options: ClassVar[Mapping[str, int]] = {}
    bench_unit = "games"

    check = staticmethod(check)

    def __init__(self, preset: str = "standard", **options: Any) -> None:
        super().__init__(preset, **options)
        self.card_set: CardSet = self.rules.cards or standin()
        self._cards = self.rules.cards
        self.rules = self.rules._replace(cards=self.card_set.table.copy())

    def option_code(self, name: str) -> Any:
        """The code of an option; of the card set the set itself."""
        return self._cards if name == "cards" else super().option_code(name)

    def data(self) -> dict[str, str]:
        """Name, origin ("invented" or "supplied") and hash of the card set."""
        return {"name": self.card_set.name, "origin": self.card_set.origin, "hash": self.card_set.digest}

    def num_distinct_actions(self) -> int:
        """How many action numbers there are: 64."""
        return NUM_ACTIONS

    def max_deals(self) -> int:
        """Most rounds in a game [R5]."""
        return ROUNDS[self.rules.variant]

    def single_deals(self) -> list[Rules]:
        """A round alone decides nothing: always refused.

        Raises:
            InvalidRules: always.
        """
        raise InvalidRules("a round of kosmogonia alone decides nothing: expected format game")

    def max_game_length(self) -> int:
        """Most decisions in a game, counted part by part in README.md."""
        length, draft = _MOST_DECISIONS[self.rules.variant, self.num_players]
        return length + (draft if self.rules.mode == TACTICS else 0)
