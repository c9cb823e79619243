"""The front door: `Game` for Kronions, and the registration of its kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import ClassVar

from cardkit.game import Game as BaseGame
from cardkit.spec import InvalidRules
from cardkit.state import State
from cardkit.verbs import VERBS, register
from kronions import _likelihood, _sensible, _winning, beliefs, kernels, policy, text
from kronions._questions import bid_positions
from kronions._scoring import round_points
from kronions.rules import MAX_SEATS, OPTIONS, PRESETS, Rules, check, hand_sizes
from kronions.state import DEAL_COLUMNS, NUM_ACTIONS, PHASES, STATE

_ROOMS = (kernels, beliefs, _likelihood, policy, _sensible, _winning)
register(Rules, {verb: next(vars(room)[verb] for room in _ROOMS if verb in vars(room)) for verb in VERBS})


class Game(BaseGame):
    """Kronions for 2 to 6 players. Every rule option is a keyword; `hiddenhand rules kronions` lists them."""

    name = "kronions"
    version = 1
    rules_type = Rules
    options = OPTIONS
    presets = PRESETS
    state_dtype = STATE
    deal_columns = DEAL_COLUMNS
    phases = PHASES
    text: ClassVar[ModuleType] = text
    most_players = MAX_SEATS
    outcomes = ("finished",)
    bench_label = "4 seats x 12 tricks"
    bench_options: ClassVar[Mapping[str, int]] = {"num_players": 4, "only_round": 12}

    check = staticmethod(check)

    def num_distinct_actions(self) -> int:
        """How many action numbers there are: 54."""
        return NUM_ACTIONS

    def max_deals(self) -> int:
        """Most deals in a game: its rounds."""
        return len(hand_sizes(self.rules))

    def single_deals(self) -> list[Rules]:
        """The rules that boards take in turn when each is one deal: every round of the series alone [R7b]."""
        sizes = hand_sizes(self.rules)
        if len(sizes) == 1:
            return [self.rules]
        if self.rules.round_sizes[0]:
            raise InvalidRules(f"single deals need one entry in round_sizes, got {sizes}")
        return [self.rules._replace(only_round=size) for size in sizes]

    def max_game_length(self) -> int:
        """Most decisions in a game: one bid and one card a trick for every seat, and a trump named by the dealer."""
        seats = self.rules.num_players
        return sum(seats * (size + 1) + 1 for size in hand_sizes(self.rules))

    def bid_views(
        self,
        hand: str | int,
        seat: int = 0,
        bids: Sequence[int] = (),
        trump: str | None = None,
        flip: str | None = None,
    ) -> list[State]:
        """The views of a seat that is to bid: one for each card that can be turned up (see the base class)."""
        scratch = self.new_records(1)[0]
        kernels.new_game(self.rules, scratch)
        lines = bid_positions(self.rules, scratch, hand, seat, bids, trump, flip)
        return [self.position(line) for line in lines]

    def bid_of(self, actions: Sequence[int]) -> tuple[int, str]:
        """The tricks bid; a bid calls no suit."""
        return actions[0], ""

    def points_of_bid(self, actions: Sequence[int], num_cards: int) -> tuple[int, int]:
        """The least and the most points that a round can bring by the tricks won (see the base class)."""
        points = [round_points(self.rules, actions[0], tricks) for tricks in range(num_cards + 1)]
        return min(points), max(points)
