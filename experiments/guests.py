"""Bots that are a user's own classes: asked with a time limit; one that takes its process down is known by its note.

Python is no sandbox. What is kept apart is what an honest mistake would spoil: the rules, the random numbers, the run.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import inspect
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import cache
from types import FrameType
from typing import IO, Any

import numpy as np

from bots import BotSpec, make
from bots.bot import PythonBot, load_class
from cardkit.game import Game
from cardkit.state import State
from experiments.terminal import aside

NOTE = ("bot", "board", "rotation", "seat", "decision")  # words of a note
IDLE, UNASKED = -2, -1  # in place of a bot: at no call; none asked yet
_LEAST_GRACE = 5.0  # seconds after the limit until a process that does not come back is ended, at least

_desk: np.ndarray | None = None  # where this process notes whom it is about to ask; None where nobody reads it


class OverTime(BaseException):
    """A bot has not answered in time. No `Exception`: a bot that catches those does not catch this one."""


class Guest:
    """A user's bot at a table. It has a `Game` of its own, so that what it does to its rules changes nothing else.

    Its class is loaded here and built with its first answer, within the time that it has for that.
    """

    def __init__(self, bot: BotSpec, game: Game, stream: np.ndarray) -> None:
        with aside():
            load_class(bot)  # imports are no part of a move
        self._spec, self._game = bot, game.copy()
        self._bot: PythonBot | None = None
        # A one-way hash: the numbers a bot draws do not lead back to the seed of the run.
        self._rng = np.random.default_rng(int.from_bytes(hashlib.sha256(stream.tobytes()).digest()))

    def choose(self, view: State, limit_ms: float) -> Any:
        """Its answer, of whatever kind.

        Args:
            view: what its seat knows.
            limit_ms: milliseconds; 0 is no limit.

        Raises:
            OverTime: it took longer.
        """
        view.game = self._game
        with aside(), _time_limit(limit_ms / 1000):
            if self._bot is None:
                self._bot = make(self._spec, self._game)
            answer = self._bot.choose(view, self._rng)
        if inspect.iscoroutine(answer):
            answer.close()  # Python would complain that nobody has awaited it
        return answer


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """End what runs inside after so many seconds; 0 is no limit.

    In the main thread Python code is interrupted. Code that is not (compiled, or in another thread) is found too slow
    when it comes back; should it never do so, the process is ended.
    """
    if seconds <= 0:
        yield
        return
    has_alarm = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    start = time.perf_counter()
    before = signal.signal(signal.SIGALRM, _ring) if has_alarm else None
    faulthandler.dump_traceback_later(max(2 * seconds, seconds + _LEAST_GRACE), exit=True, file=_nowhere())
    try:
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()
    if time.perf_counter() - start > seconds:
        raise OverTime


@cache
def _nowhere() -> IO[str]:
    """Where the traceback of an ended process goes, opened once and not for every move."""
    return open(os.devnull, "w")  # noqa: PTH123


def _ring(number: int, frame: FrameType | None) -> None:
    raise OverTime


def sit_at(desk: np.ndarray) -> None:
    """Use shared memory, an integer for each word of `NOTE`, for this process's notes."""
    global _desk
    _desk = desk


def note(bot: int, board: int = 0, rotation: int = 0, seat: int = 0, decision: int = 0) -> None:
    """Note what this process is about to ask, in case it does not survive the answer."""
    if _desk is not None:
        _desk[:] = bot, board, rotation, seat, decision
