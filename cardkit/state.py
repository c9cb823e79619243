"""`State`: a position of any game, with OpenSpiel's names. It checks what it is asked and speaks in words."""

from __future__ import annotations

import json
import threading
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from cardkit.batch import news_for_all, seen_by_all
from cardkit.rng import RNG_WORDS, chance_stream, new_rng
from cardkit.spec import IllegalAction, checked_number, checked_text
from cardkit.verbs import (
    CHANCE,
    OVER,
    Event,
    apply,
    chance,
    chance_event,
    determinise,
    hide,
    legal_mask,
    places,
    plan_worlds,
    returns,
    to_move,
)
from cardkit.worlds import Worlds, new_worlds

if TYPE_CHECKING:
    from cardkit.game import Game


_OF_THREAD = threading.local()


def _worlds() -> Worlds:
    """Room for worlds as new, made once a thread: making it takes longer than anything done in it."""
    if not hasattr(_OF_THREAD, "worlds"):
        _OF_THREAD.worlds = new_worlds()
    found: Worlds = _OF_THREAD.worlds
    found.rng[:] = new_rng()
    return found


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

    def resample_from_infostate(self, seat: int, seed: int) -> State:
        """A full state that the seat cannot tell from this one: its view, the rest filled in with a world.

        All worlds that the rules leave possible are equally likely; the histories of the other seats are not known.

        Args:
            seat: who looks.
            seed: of the world, and of the chance that follows.

        Raises:
            ValueError: a bad seat or seed, or no hidden cards agree with the view.
        """
        seed = checked_number("seed", seed, 2**64 - 1)
        view = self.view(seat)
        records, worlds = view._records.copy(), _worlds()
        if plan_worlds(self.game.rules, records[0], seat, worlds) <= 0.0:
            raise ValueError(f"no hidden cards agree with what seat {seat} sees: {view.position_string()}")
        determinise(self.game.rules, records[0], seat, worlds, new_rng(seed))
        state = State(self.game, records, seed)
        state._histories[seat] = view.history(seat)
        return state

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
                "data": game.data(),
                "seed": self.seed,
                "board": self.board,
                "position": self.position_string(),
                "histories": self._histories,
            }
        )

    def __copy__(self) -> State:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        """Whether two states are alike in all that `serialize` writes. As a state changes, it is no key of a dict."""
        if not isinstance(other, State):
            return NotImplemented
        return self._identity() == other._identity()

    __hash__ = None  # type: ignore[assignment]

    def _identity(self) -> tuple[Any, ...]:
        return self.game, self.seed, self.board, self.observer, self._histories, self.position_string()

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
