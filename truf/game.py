"""The front door: `Game` for Truf, and the registration of its kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from cardkit.game import Game as BaseGame
from cardkit.spec import InvalidText
from cardkit.state import State
from cardkit.verbs import VERBS, register
from truf import _likelihood, _sensible, _winning, beliefs, kernels, policy, text
from truf._bidding import bid_value, truf_of
from truf._questions import bid_position
from truf._scoring import hand_points
from truf.cards import BID_VALUE, SUIT_NAMES
from truf.rules import MOST_POINTS, OPTIONS, PRESETS, SEATS, WHOLE_HAND, Rules, check, hand_size, rank_numbers
from truf.state import DEAL_COLUMNS, DONE, HIGH, LOW, NONE, NUM_ACTIONS, OUTCOMES, PHASES, STATE

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

    def bid_views(
        self,
        hand: str | int,
        seat: int = 0,
        bids: Sequence[int] = (),
        trump: str | None = None,
        flip: str | None = None,
    ) -> list[State]:
        """The view of a seat that is to bid, as seat 0: before the reveal all seats are alike (see the base class)."""
        if not 0 <= seat < SEATS:
            raise InvalidText(f"seat {seat}: expected 0..{SEATS - 1}")
        if len(bids) or trump is not None or flip is not None:
            raise InvalidText("truf is bid in secret and the bids decide the trump: expected no bids, trump or flip")
        return [self.position(bid_position(self.rules, hand))]

    def bid_of(self, actions: Sequence[int]) -> tuple[int, str]:
        """The value of the laid cards, and the suit they call as trump; "NO TRUF" for cards of several suits."""
        laid = np.uint64(sum(1 << card for card in actions if card != DONE))
        suit = int(truf_of(laid))
        return int(bid_value(laid)), "NO TRUF" if suit == NONE else SUIT_NAMES[suit]

    def points_of_bid(self, actions: Sequence[int], num_cards: int) -> tuple[int, int]:
        """The least and the most points by mode, shift and sets won (see the base class)."""
        bid, _ = self.bid_of(actions)
        plays = product((bid - 1, bid, bid + 1), range(num_cards + 1), (HIGH, LOW))
        points = [hand_points(self.rules, bid, final, sets, mode) for final, sets, mode in plays]
        return min(points), max(points)
