"""Worker processes for bots that are Python: spawned, ended while they are busy, and never left behind."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from pebble import ProcessExpired, ProcessPool

from experiments.guests import DESK_WORDS, begin_call, last_notes, sit_at

_LOOK_SECONDS = 0.1


class ProcessDied(Exception):
    """A process ended by itself or was killed.

    Attributes:
        asked: what it was about to ask a bot (`guests.NOTE`); None where it had not asked any.
        is_idle: it died between two calls, so that no call is known to have to do with it.
    """

    def __init__(self, asked: dict[str, int] | None, is_idle: bool) -> None:
        super().__init__("a process died")
        self.asked, self.is_idle = asked, is_idle


class Processes(Executor):
    """Spawned worker processes, which can be ended while they are busy.

    The pool alone does not find every death: not that of a process that ends with status 0, nor always that of one
    which dies just after it has taken a call. So each process notes what it is at in shared memory, and a thread looks
    whether those that are at something are still there.
    """

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._desk = context.RawArray("q", DESK_WORDS)
        self._pool = ProcessPool(workers, context=context, initializer=_begin, initargs=(self._desk,))
        self._numbers = itertools.count(1)
        self._calls: dict[int, Future[Any]] = {}  # those without an answer, by number
        self._expired: set[int] = set()  # calls that the pool says a process died in
        self._has_given_up = False  # the pool, as a process died and it does not know in which call
        self._death: ProcessDied | None = None  # the last one found
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch", daemon=True)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Hand a call to a process; its future raises `ProcessDied` where that does not survive it.

        Raises:
            RuntimeError: after `shutdown`.
        """
        if self._is_over.is_set():
            raise RuntimeError("no calls after the shutdown")
        if not self._watcher.is_alive():
            self._watcher.start()
        number, future = next(self._numbers), Future[Any]()
        future.set_running_or_notify_cancel()  # so that it cannot be cancelled
        self._calls[number] = future
        try:
            inner = self._pool.schedule(_call, args=(number, function, arguments, keywords))
        except RuntimeError:
            self._has_given_up = True
            if self._death:
                self._end(number, self._death)
        else:
            inner.add_done_callback(lambda inner: self._answer(number, inner))
        return future

    def _answer(self, number: int, inner: Future[Any]) -> None:
        """Hand on what a call came to. Which of the calls a death belongs to, `_watch` finds out."""
        if inner.cancelled():  # by `shutdown`, which ends the calls
            return
        error = inner.exception()
        if isinstance(error, ProcessExpired):
            self._expired.add(number)
        elif isinstance(error, BrokenProcessPool):
            self._has_given_up = True
        elif future := self._calls.pop(number, None):
            future.set_exception(error) if error else future.set_result(inner.result())

    def _watch(self) -> None:
        """End the calls of processes that are gone: seen twice, since one may just be starting, or have answered.

        What the pool says is looked at before who lives: then every death that it knows of is among those seen.
        """
        missing, expired, has_given_up = set[int](), set[int](), False
        while not self._is_over.wait(_LOOK_SECONDS):
            known = set(self._expired), self._has_given_up
            living = {process.pid for process in multiprocessing.active_children()}
            notes = {note["call"]: note for note in last_notes(self._desk) if note["process"] not in living}
            for number in missing & notes.keys():
                self._end(number, ProcessDied(notes[number] if notes[number]["bot"] >= 0 else None, is_idle=False))
            for number in expired:
                self._end(number, ProcessDied(None, is_idle=False))
            if has_given_up and not self._death:
                for number in list(self._calls):
                    self._end(number, ProcessDied(None, is_idle=True))
            missing, (expired, has_given_up) = set(notes), known

    def _end(self, number: int, error: ProcessDied) -> None:
        """End a call, unless it has ended."""
        if future := self._calls.pop(number, None):
            self._death = error
            future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: when they have answered, or at once where outstanding calls are cancelled or one died."""
        while wait and not cancel_futures and self._calls and not self._death:
            time.sleep(_LOOK_SECONDS)
        try:
            self._pool.stop()
            self._pool.join()
        finally:
            self._is_over.set()
            while self._calls:
                self._calls.popitem()[1].set_exception(CancelledError())


def _call(number: int, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    begin_call(number)
    return function(*arguments, **keywords)


def _begin(desk: Any) -> None:
    """End this worker process when its coordinator is gone, however it went; Ctrl-C is for the coordinator."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sit_at(desk)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
