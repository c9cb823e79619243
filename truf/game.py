"""The front door: `Game` for Truf, and the registration of its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar

from cardkit.game import Game as BaseGame
from cardkit.verbs import VERBS, register
from truf import _likelihood, _sensible, _winning, beliefs, kernels, policy, text
from truf.cards import BID_VALUE
from truf.rules import MOST_POINTS, OPTIONS, PRESETS, SEATS, WHOLE_HAND, Rules, check, hand_size, rank_numbers
from truf.state import DEAL_COLUMNS, NUM_ACTIONS, OUTCOMES, PHASES, STATE

_ROOMS = (kernels, beliefs, _likelihood, policy, _sensible, _winning)
register(Rules, {verb: next(vars(room)[verb] for room in _ROOMS if verb in vars(room)) for verb in VERBS})


class Game(BaseGame):
    """Truf for 4 players. Every rule option is a keyword; `hiddenhand rules truf` lists them."""

    name = "truf"
    version = 1
    rules_type = Rules
    options = OPTIONS
    presets = PRESETS
    state_dtype = STATE
    deal_columns = DEAL_COLUMNS
    phases = PHASES
    text: ClassVar[ModuleType] = text
    most_players = SEATS
    outcomes = OUTCOMES
    bench_label = "one hand"
    bench_options: ClassVar[Mapping[str, int]] = {"max_hands": 1}

    check = staticmethod(check)

    def __init__(self, preset: str = "standard", **options: Any) -> None:
        super().__init__(preset, **options)
        if self.rules.max_bid_cards == hand_size(self.rules):  # the same as no limit
            self.rules = self.rules._replace(max_bid_cards=WHOLE_HAND)

    def num_distinct_actions(self) -> int:
        """How many action numbers there are: 53."""
        return NUM_ACTIONS

    def max_deals(self) -> int:
        """Most hands in a game: the cap [R51]."""
        return int(self.rules.max_hands)

    def single_deals(self) -> list[Rules]:
        """The rules of a single hand without a target: the cap is one hand."""
        return [self.rules._replace(max_hands=1, target=MOST_POINTS)]

    def max_game_length(self) -> int:
        """Most decisions in a game: cards laid and DONE, cards played, and a shift where a sum of H leaves room."""
        size = hand_size(self.rules)
        lays = self.rules.max_bid_cards or size
        whole_deck = self.rules.num_suits * sum(int(BID_VALUE[rank]) for rank in rank_numbers(self.rules))
        has_shift = lays < size or whole_deck == size  # if not all cards are laid, the shift takes the place of one
        return self.max_deals() * (SEATS * (lays + 1) + SEATS * size + has_shift)
