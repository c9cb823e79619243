"""Worker processes for bots that are Python: spawned, ended while they are busy, and never left behind."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
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
        self._is_broken = False  # the pool has seen a death
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Hand a call to a process; its future raises `ProcessDied` where that does not survive it."""
        number, future = next(self._numbers), Future[Any]()
        self._calls[number] = future
        try:
            inner = self._pool.schedule(_call, args=(number, function, arguments, keywords))
        except RuntimeError:  # the pool is broken already
            self._is_broken = True
        else:
            inner.add_done_callback(lambda inner: self._answer(number, inner))
        return future

    def _answer(self, number: int, inner: Future[Any]) -> None:
        """Hand on what a call came to. Which of the calls a death belongs to, `_watch` finds out."""
        error = None if inner.cancelled() else inner.exception()
        if isinstance(error, ProcessExpired | BrokenProcessPool):
            self._is_broken = True
            return
        future = self._calls.pop(number, None)
        if future is None:
            return
        if inner.cancelled():
            future.cancel()
        elif error:
            future.set_exception(error)
        else:
            future.set_result(inner.result())

    def _watch(self) -> None:
        """End the calls of processes that are gone: seen twice, since one may just be starting, or have answered."""
        missing: set[int] = set()
        was_broken = False
        while not self._is_over.wait(_LOOK_SECONDS):
            living = {process.pid for process in multiprocessing.active_children()}
            notes = {note["call"]: note for note in last_notes(self._desk) if note["process"] not in living}
            lost = [number for number in missing if number in notes and number in self._calls]
            for number in lost:
                self._end(number, ProcessDied(notes[number] if notes[number]["bot"] >= 0 else None, is_idle=False))
            if was_broken and not lost:
                for number in list(self._calls):
                    self._end(number, ProcessDied(None, is_idle=True))
            missing, was_broken = set(notes), self._is_broken

    def _end(self, number: int, error: ProcessDied) -> None:
        if future := self._calls.pop(number, None):
            future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: at once where outstanding calls are cancelled."""
        self._pool.stop() if cancel_futures else self._pool.close()
        if wait:
            self._pool.join()
        self._is_over.set()


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
