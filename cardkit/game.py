"""`Game` and `State`: one class each for all games, with OpenSpiel's names. They check and speak in words."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from operator import index
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from cardkit.batch import Batch, news_for_all, seen_by_all
from cardkit.rng import RNG_WORDS, chance_stream
from cardkit.spec import (
    Column,
    IllegalAction,
    InvalidRules,
    InvalidText,
    Option,
    Preset,
    checked_number,
    checked_text,
    nearest,
    read_options,
)
from cardkit.verbs import (
    CHANCE,
    OVER,
    Event,
    apply,
    chance,
    chance_event,
    hide,
    legal_mask,
    new_game,
    places,
    read_event,
    returns,
    to_move,
)

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
            written = data["game"], data["version"], data["rules"]
            histories = [[read_event(event) for event in history] for history in data["histories"]]
            records, observer = self.text.read_position(self.rules, str.strip(data["position"]))
            seed, board = data["seed"], data["board"]
        except InvalidText:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidText(
                f"{text[:60]!r} is no serialised {self.name} state: {type(error).__name__} {error}"
            ) from None
        expected = self.name, self.version, self.changed_options()
        if written != expected:
            raise InvalidText(f"a state of {written} cannot be read by a game of {expected}")
        numbers = [board, seed] if observer is None else [board, board if seed is None else -1]
        is_number = all(type(number) is int and 0 <= number <= MAX_SEED for number in numbers)
        if not is_number or len(histories) != (1 if observer is not None else self.num_players):
            raise InvalidText(f"seed, board or histories of a serialised {self.name} state do not fit its position")
        return State(self, records, seed, board, observer, histories)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.option_values() == other.option_values()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.name, *self.option_values().values()))

    def __repr__(self) -> str:
        return f"{self.name}.Game({', '.join(f'{name}={value!r}' for name, value in self.changed_options().items())})"


class State:
    """A position in a game, at a decision or at the end: chance is drawn by itself.

    A *view* (see `view`) is what one seat knows; it can be read but not played on.

    Attributes:
        game: the game it belongs to.
        record: the raw record, one row of `game.state_dtype`.
        seed, board: where its chance comes from; a view has no seed, so that nobody can look ahead.
        observer: the seat whose view this is; None for the full state.
    """

    def __init__(
        self,
        game: Game,
        records: Any,
        seed: int | None,
        board: int = 0,
        observer: int | None = None,
        histories: list[list[Event]] | None = None,
    ) -> None:
        self.game, self.seed, self.board, self.observer = game, seed, board, observer
        self._records = records
        num_histories = game.num_players if observer is None else 1
        self._histories: list[list[Event]] = histories or [[] for _ in range(num_histories)]

    @property
    def record(self) -> Any:
        """The raw record, whose fields read as attributes."""
        return self._records[0]

    def current_player(self) -> int:
        """The seat to move; -4 at the end."""
        return int(to_move(self.game.rules, self.record))

    def phase(self) -> str:
        """The name of the current phase."""
        return self.game.phases[self.record.phase]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == OVER

    def legal_mask(self) -> int:
        """The legal actions as bits: bit a for action a; 0 at the end.

        Raises:
            IllegalAction: asked of a view while another seat is to move.
        """
        seat = self.current_player()
        if self.observer not in (None, seat) and seat != OVER:
            raise IllegalAction(f"the view of seat {self.observer} does not know what seat {seat} may do")
        return int(legal_mask(self.game.rules, self.record)) if seat != OVER else 0

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty at the end."""
        mask = self.legal_mask()
        return [action for action in range(mask.bit_length()) if mask >> action & 1]

    def apply_action(self, action: int) -> None:
        """Play an action, and draw the chance events that follow.

        Raises:
            IllegalAction: the action is not legal here, the game is over, or this is a view; nothing has changed.
        """
        if self.observer is not None:
            raise IllegalAction(f"the view of seat {self.observer} cannot be played on: play on the state it came from")
        try:
            number = -1 if isinstance(action, bool) else index(action)
        except TypeError:
            number = -1
        if not 0 <= number < 64 or not self.legal_mask() >> number & 1:
            if self.is_terminal():
                raise IllegalAction(f"illegal action {action!r}: the game is over")
            raise IllegalAction(
                f"illegal action {action!r} for seat {self.current_player()}: "
                f"expected one of {self.legal_actions()} in {self.position_string()}"
            )
        seat, phase = self.current_player(), self.phase()
        seen = np.zeros(self.game.num_players, np.int64)
        seen_by_all(self.game.rules, self.record, number, seen)
        apply(self.game.rules, self.record, number)
        self._remember(seat, phase, seen)
        self._draw_chance()

    def _draw_chance(self) -> None:
        """Draw the pending chance events, each from its own stream."""
        rules, rng = self.game.rules, np.zeros(RNG_WORDS, np.uint64)
        unseen = np.full(self.game.num_players, -1, np.int64)
        assert self.seed is not None
        while to_move(rules, self.record) == CHANCE:
            phase = self.phase()
            chance_stream(rng, np.uint64(self.seed), np.uint64(self.board), chance_event(rules, self.record))
            chance(rules, self.record, rng)
            self._remember(CHANCE, phase, unseen)

    def _remember(self, seat: int, phase: str, seen: np.ndarray) -> None:
        """Append the event that has just happened to the history of every seat that noticed it."""
        shown = np.zeros(self.game.num_players, np.int64)
        news_for_all(self.game.rules, self.record, shown)
        for history, action, new in zip(self._histories, seen.tolist(), shown.tolist(), strict=True):
            if action != -1 or new or seat == CHANCE:
                history.append(Event(seat, phase, action, new))

    def returns(self) -> list[float]:
        """The payoff of every seat in points; before the end the points so far."""
        out = np.zeros(self.game.num_players, np.float64)
        returns(self.game.rules, self.record, out)
        return [float(points) for points in out]

    def places(self) -> tuple[list[int], list[float]]:
        """Place (1 is first) and share of the win of every seat, as the totals stand."""
        place, share = np.zeros(self.game.num_players, np.int64), np.zeros(self.game.num_players, np.float64)
        places(self.game.rules, self.record, place, share)
        return place.tolist(), share.tolist()

    def clone(self) -> State:
        """An independent copy."""
        histories = [history.copy() for history in self._histories]
        return State(self.game, self._records.copy(), self.seed, self.board, self.observer, histories)

    def view(self, seat: int) -> State:
        """What a seat knows: a state with everything else gone. This is what a bot gets.

        Raises:
            ValueError: no such seat, or this is the view of another seat.
        """
        self._check_observer(seat)
        if self.observer is not None:
            return self.clone()
        records = self._records.copy()
        hide(self.game.rules, records[0], seat)
        return State(self.game, records, None, 0, seat, [self._histories[seat].copy()])

    def history(self, seat: int) -> list[Event]:
        """Everything the seat has seen happen, in order: with the view, perfect recall."""
        self._check_observer(seat)
        return list(self._histories[0 if self.observer is not None else seat])

    def _check_observer(self, seat: int) -> None:
        checked_number("seat", seat, self.game.num_players - 1)
        if self.observer not in (None, seat):
            raise ValueError(f"seat {seat!r}: this is the view of seat {self.observer}, which knows nothing else")

    def information_state_string(self, seat: int | None = None) -> str:
        """A text that is equal for two states exactly where the seat cannot tell them apart.

        It is the seat's view as a position line, then everything that the seat has seen happen.
        """
        if seat is None and self.is_terminal():
            raise ValueError("the game is over and no seat is to move: name the seat")
        seat = self.current_player() if seat is None else seat
        view = self.view(seat)
        return f"seat {seat}; {view.position_string()}; " + " ".join(
            f"{event.phase}:{event.seat}:{event.action}:{event.news:x}" for event in self.history(seat)
        )

    def action_to_string(self, action: int) -> str:
        """The action in words, as this phase reads it.

        Raises:
            InvalidText: no action of this phase has that number.
        """
        number = checked_number("action", action, self.game.num_distinct_actions() - 1)
        return str(self.game.text.action_to_string(self.game.rules, int(self.record.phase), number))

    def string_to_action(self, text: str) -> int:
        """The action that a text names in this phase.

        Raises:
            InvalidText: the text names no action.
            IllegalAction: it names one that is not legal here.
        """
        action = int(self.game.text.string_to_action(self.game.rules, int(self.record.phase), checked_text(text)))
        if action > 63 or not self.legal_mask() >> action & 1:
            legal = ", ".join(self.action_to_string(a) for a in self.legal_actions())
            raise IllegalAction(f"illegal action {text!r} for seat {self.current_player()}: expected one of {legal}")
        return action

    def position_string(self) -> str:
        """The position as one line; `game.position` reads it."""
        return str(self.game.text.write_position(self.game.rules, self.record, self.observer))

    def serialize(self) -> str:
        """The whole state as one line of JSON; `game.deserialize` reads it."""
        game = self.game
        return json.dumps(
            {
                "game": game.name,
                "version": game.version,
                "rules": game.changed_options(),
                "seed": self.seed,
                "board": self.board,
                "position": self.position_string(),
                "histories": self._histories,
            }
        )

    def __str__(self) -> str:
        return str(self.game.text.draw(self.game.rules, self.record, self.observer))

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.position_string()}>"

    def __getstate__(self) -> tuple[Any, ...]:
        records = np.asarray(self._records).view(self.game.state_dtype)
        return self.game, records, self.seed, self.board, self.observer, self._histories

    def __setstate__(self, saved: tuple[Any, ...]) -> None:
        game, records, *rest = saved
        self.__init__(game, records.view(np.recarray), *rest)  # type: ignore[misc]
