"""Worker processes for bots that are Python: spawned, ended while they are busy, and never left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from pebble import ProcessExpired, ProcessPool

from experiments.guests import DESK_WORDS, last_note, sit_at


class Processes(Executor):
    """Spawned worker processes, which can be ended while they are busy."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._desk = context.RawArray("q", DESK_WORDS)
        self._pool = ProcessPool(workers, context=context, initializer=_begin, initargs=(self._desk,))

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Hand a call to a process: `ProcessExpired` where it dies in it, `BrokenProcessPool` where one died idle."""
        try:
            return self._pool.schedule(function, args=arguments, kwargs=keywords)
        except RuntimeError as error:  # the pool is broken already
            broken: Future[Any] = Future()
            broken.set_exception(BrokenProcessPool(str(error)))
            return broken

    def last_note(self, error: ProcessExpired) -> dict[str, int] | None:
        """What a process that died was about to ask a bot; None where it died before."""
        return last_note(self._desk, error.pid) if error.pid else None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: at once where outstanding calls are cancelled."""
        self._pool.stop() if cancel_futures else self._pool.close()
        if wait:
            self._pool.join()


def _begin(desk: Any) -> None:
    """End this worker process when its coordinator is gone, however it went; Ctrl-C is for the coordinator."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave = os._exit
    os._exit = lambda status: leave(status or 1)  # the pool waits for ever for the answer of a process that ends with 0
    sit_at(desk)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
