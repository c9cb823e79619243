"""`Game`: one class for all games, with OpenSpiel's names. It checks what it is given and speaks in words."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from copy import copy
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from cardkit.batch import Batch
from cardkit.spec import (
    Column,
    InvalidRules,
    InvalidText,
    Option,
    Preset,
    checked_number,
    checked_text,
    nearest,
    read_options,
)
from cardkit.state import State
from cardkit.verbs import new_game, read_event

MAX_SEED = 2**64 - 1


class Game:
    """A game with fixed rules; states and batches come from it. A game package subclasses it with data only.

    Args:
        preset: a named set of options.
        **options: any rule option by name.

    Raises:
        InvalidRules: an unknown preset or option, a value that is not allowed, or options that do not fit together.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    rules_type: ClassVar[Any]
    options: ClassVar[tuple[Option, ...]]
    presets: ClassVar[Mapping[str, Preset]]
    state_dtype: ClassVar[np.dtype]
    deal_columns: ClassVar[tuple[Column, ...]]
    phases: ClassVar[tuple[str, ...]]
    text: ClassVar[ModuleType]
    most_players: ClassVar[int]
    outcomes: ClassVar[tuple[str, ...]]
    bench_label: ClassVar[str]
    bench_options: ClassVar[Mapping[str, Any]]
    bench_unit: ClassVar[str] = "deals"
    deal_value_unit: ClassVar[str] = "points"
    points_are_shares: ClassVar[bool] = False  # of the win: 0..1 for each seat
    has_bids: ClassVar[bool] = True

    def __init__(self, preset: str = "standard", **options: Any) -> None:
        if not isinstance(preset, str) or preset not in self.presets:
            raise InvalidRules(f"unknown preset {preset!r}{nearest(str(preset), self.presets)}")
        given = self.presets[preset].expand(dict(options))
        defaults = self.rules_type()._asdict()
        self.rules = self.rules_type(**read_options(self.options, given, defaults))
        self.check(self.rules)

    @staticmethod
    def check(rules: Any) -> None:
        """Refuse options that do not fit together."""
        raise NotImplementedError

    def num_distinct_actions(self) -> int:
        """How many action numbers there are; an action is 0 .. this - 1."""
        raise NotImplementedError

    def max_game_length(self) -> int:
        """The most decisions that a game can have."""
        raise NotImplementedError

    def max_deals(self) -> int:
        """The most deals (rounds, hands) that a game can have."""
        raise NotImplementedError

    def single_deals(self) -> list[Any]:
        """The rules that boards take in turn when each is one deal: board b plays by entry b modulo their number.

        Raises:
            InvalidRules: a deal alone decides nothing in this game, or under these rules.
        """
        raise NotImplementedError

    def bid_views(
        self,
        hand: str | int,
        seat: int = 0,
        bids: Sequence[int] = (),
        trump: str | None = None,
        flip: str | None = None,
    ) -> list[State]:
        """What a seat can see that is to bid with a given hand: views, all equally likely.

        Args:
            hand: its cards, as text with commas or as the bit mask of the run files.
            seat: who it is.
            bids: the bids made before, in the order in which they were made.
            trump: name of the trump suit, where one is known before the bidding.
            flip: the card turned up, where one is.

        Raises:
            InvalidText: a hand, bids or cards that cannot be.
            InvalidRules: the game has no bids.
        """
        raise InvalidRules(f"{self.name} has no bids")

    def bid_of(self, actions: Sequence[int]) -> tuple[int, str]:
        """The number that a seat bids by these actions, and the suit it calls by them; "" where bids call none."""
        raise InvalidRules(f"{self.name} has no bids")

    def points_of_bid(self, actions: Sequence[int], num_cards: int) -> tuple[int, int]:
        """The least and the most points that a deal can bring a hand of so many cards that bids by these actions."""
        raise InvalidRules(f"{self.name} has no bids")

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return int(self.rules.num_players)

    def option_values(self) -> dict[str, str]:
        """All options with their values as text; `Game(**values)` gives an equal game."""
        return {option.name: option.show(self.option_code(option.name)) for option in self.options}

    def option_code(self, name: str) -> Any:
        """The code of an option, as its `Option` shows it."""
        return getattr(self.rules, name)

    def changed_options(self) -> dict[str, str]:
        """The options that differ from the game's defaults, as text."""
        defaults = self.rules_type()
        values = self.option_values()
        return {o.name: values[o.name] for o in self.options if values[o.name] != o.show(getattr(defaults, o.name))}

    def data(self) -> dict[str, str]:
        """What the game has read from files: name, origin and hash of its card set; empty where it reads none."""
        return {}

    def copy(self) -> Game:
        """A game of its own with equal rules: what is done to its arrays changes nothing else."""
        other = copy(self)
        other.rules = type(self.rules)(*(copy(value) for value in self.rules))
        return other

    def new_records(self, size: int) -> Any:
        """Empty records, `(size,)`, whose fields read as attributes."""
        return np.zeros(size, self.state_dtype).view(np.recarray)

    def new_initial_state(self, seed: int | None = None, board: int = 0) -> State:
        """The first decision of a game.

        Args:
            seed: of all chance; without one a fresh seed is drawn, which `state.seed` tells.
            board: which of the seed's boards: a tournament with this seed deals the same on its board of this number.
        """
        seed = secrets.randbits(64) if seed is None else checked_number("seed", seed, MAX_SEED)
        state = State(self, self.new_records(1), seed, checked_number("board", board, MAX_SEED))
        new_game(self.rules, state.record)
        state._draw_chance()
        return state

    def new_batch(self, size: int, seed: int = 0) -> Batch:
        """A batch of games; game i is board i of the seed."""
        return Batch(self, size, seed)

    def position(self, text: str, seed: int | None = None, board: int = 0) -> State:
        """The state that a position line describes; its history is empty. Hidden hands make it a view.

        Raises:
            InvalidText: not a position of this game.
        """
        records, observer = self.text.read_position(self.rules, checked_text(text))
        seed = secrets.randbits(64) if seed is None else checked_number("seed", seed, MAX_SEED)
        board = checked_number("board", board, MAX_SEED)
        return State(self, records, None if observer is not None else seed, board, observer)

    def deserialize(self, text: str) -> State:
        """The state that `State.serialize` wrote.

        Raises:
            InvalidText: not such a text, or one of another game, version or rules.
        """
        try:
            data = json.loads(checked_text(text))
            written = data["game"], data["version"], data["rules"], data["data"]
            histories = [[read_event(event) for event in history] for history in data["histories"]]
            records, observer = self.text.read_position(self.rules, str.strip(data["position"]))
            seed, board = data["seed"], data["board"]
        except InvalidText:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidText(
                f"{text[:60]!r} is no serialised {self.name} state: {type(error).__name__} {error}"
            ) from None
        expected = self.name, self.version, self.changed_options(), self.data()
        if written != expected:
            raise InvalidText(f"a state of {written} cannot be read by a game of {expected}")
        numbers = [board, seed] if observer is None else [board, board if seed is None else -1]
        is_number = all(type(number) is int and 0 <= number <= MAX_SEED for number in numbers)
        if not is_number or len(histories) != (1 if observer is not None else self.num_players):
            raise InvalidText(f"seed, board or histories of a serialised {self.name} state do not fit its position")
        return State(self, records, seed, board, observer, histories)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity() == other._identity()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[str, ...]:
        return (self.name, *self.option_values().values(), *self.data().values())

    def __repr__(self) -> str:
        return f"{self.name}.Game({', '.join(f'{name}={value!r}' for name, value in self.changed_options().items())})"
