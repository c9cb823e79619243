"""One game in progress, move by move, where a bot is Python or somebody wants to watch."""

from __future__ import annotations

import contextlib
import multiprocessing
import operator
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from bots.bot import bot_settings, room_for
from bots.players import NO_WORLD, choose
from bots.room import Room
from cardkit.batch import draw_until_deal
from cardkit.game import Game
from cardkit.rng import RNG_WORDS, bot_stream
from cardkit.verbs import apply, deals_done
from experiments.guests import Guest, OverTime, note
from experiments.spec import RunSpec


class BotFault(Exception):
    """A bot raised an error, or gave an illegal answer or none in time; the message says which, where and what."""


class Watch:
    """How long the bots of a run take, and may take.

    Attributes:
        spent: `(bots, 3)` int64: for each bot of the run, nanoseconds and number of the decisions that were timed, and
            nanoseconds of the slowest.
        limit_ms: milliseconds that a Python bot has for a decision; 0 is no limit.
    """

    def __init__(self, spec: RunSpec, limit_ms: float = 0.0) -> None:
        self.spent = np.zeros((len(spec.bots), 3), np.int64)
        self.limit_ms = limit_ms


def _shown(text_of: Callable[[Any], str], value: Any) -> str:
    """The text of something that a user's class made, whatever its methods do."""
    try:
        return text_of(value)
    except BaseException:
        return f"<{type(value).__name__}>"


class Table:
    """One game in progress, move by move: built-in bots as in the compiled loop, a user's bots through their `choose`.

    Attributes:
        state: the position.
        ply: decisions played.
        labels: the bot's label at each seat.
    """

    def __init__(self, spec: RunSpec, game: Game, slot: Any, watch: Watch | None = None) -> None:
        self._watch = watch or Watch(spec)
        self.spec, self.game, self.slot = spec, game, slot
        self.state = game.new_initial_state(spec.seed, int(slot["board"]))
        self.ply = 0
        self._seated = [spec.bot_specs[bot] for bot in slot["bot"][: game.num_players]]
        self.labels = [bot.label for bot in self._seated]
        self._rngs = np.zeros((game.num_players, RNG_WORDS), np.uint64)
        for seat in range(game.num_players):
            numbers = [np.uint64(slot[name]) for name in ("board", "lineup", "rotation")]
            bot_stream(self._rngs[seat], np.uint64(spec.seed), *numbers, np.uint64(seat))
        self._guests: dict[int, Guest] = {}
        self._settings = [bot_settings(bot) for bot in self._seated]

    @cached_property
    def _room(self) -> Room | None:
        """Where its bots think; a replay of logged moves needs none."""
        return room_for(self.game, np.concatenate(self._settings).view(np.recarray))

    def next_action(self, logged: int | None = None) -> tuple[int, int]:
        """The seat to move and the action of its bot, or the logged one.

        Raises:
            BotFault: a Python bot raised an error, answered with an illegal action, or took too long.
        """
        seat = self.state.current_player()
        if logged is not None:
            return seat, logged
        return seat, self._asked(seat)

    @contextlib.contextmanager
    def _timed(self, seat: int) -> Iterator[None]:
        """Take down how long the bot at a seat thinks."""
        start = time.perf_counter_ns()
        yield
        spent, taken = self._watch.spent[int(self.slot["bot"][seat])], time.perf_counter_ns() - start
        spent[:] = spent[0] + taken, spent[1] + 1, max(spent[2], taken)

    def _asked(self, seat: int) -> int:
        """The answer of the bot at a seat."""
        view, bot = self.state.view(seat), self._seated[seat]
        if not bot.is_python:
            settings = self._settings[seat][0]
            with self._timed(seat):
                action = int(choose(self.game.rules, view.record, settings, self._rngs[seat], self._room))
            if action == NO_WORLD:
                raise self._fault(seat, "found no hidden cards that agree with what its seat has seen")
            return action
        legal = self.state.legal_actions()
        try:
            note(int(self.slot["bot"][seat]), int(self.slot["board"]), int(self.slot["rotation"]), seat, self.ply)
            if seat not in self._guests:
                self._guests[seat] = Guest(bot, self.game, self._rngs[seat])
            with self._timed(seat):
                answer = self._guests[seat].choose(view, self._watch.limit_ms)
            action = -1 if isinstance(answer, bool) or not hasattr(answer, "__index__") else operator.index(answer)
        except OverTime:
            raise self._fault(seat, f"took longer than its {self._watch.limit_ms:g} ms for a move") from None
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and multiprocessing.parent_process() is None:
                raise  # a person's Ctrl-C; worker processes do not get it
            raise self._fault(seat, f"raised {type(error).__name__}: {_shown(str, error)}") from error
        if action not in legal:
            raise self._fault(seat, f"answered with the illegal action {_shown(repr, answer)}: expected one of {legal}")
        return action

    def play(self, action: int) -> tuple[Any, int | None]:
        """Play an action; the record after it, or after the draw that ended a deal, and the deal that ended or None."""
        rules = self.game.rules
        before = deals_done(rules, self.state.record)
        after = self.game.new_records(1)
        after[0] = self.state.record
        apply(rules, after[0], action)
        if deals_done(rules, after[0]) == before:
            rng = np.zeros(RNG_WORDS, np.uint64)
            draw_until_deal(rules, after[0], np.uint64(self.state.seed or 0), np.uint64(self.state.board), rng)
        self.state.apply_action(action)
        self.ply += 1
        return after[0], before if deals_done(rules, after[0]) > before else None

    def _fault(self, seat: int, what: str) -> BotFault:
        slot, label = self.slot, self.labels[seat]
        one_line = " ".join(what.split())
        return BotFault(
            f"bot {label!r} {one_line} (board {slot['board']}, rotation {slot['rotation']}, seat {seat}, "
            f"decision {self.ply}, position {self.state.position_string()})"
        )
