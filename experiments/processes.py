"""Worker processes for bots that are Python: spawned, ended while they are busy, and never left behind."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from cardkit.cache import spare_folder
from experiments.guests import IDLE, NOTE, UNASKED, note, sit_at
from experiments.terminal import nothing_to_stdout, show_warnings_plainly

_SAFE_PATH, _OURS = "PYTHONSAFEPATH", "hiddenhand"  # Python's variable, for which any text will do
_starting = threading.Lock()  # for that variable
_LOOK_SECONDS = 1.0
_RETURN_SECONDS = 5.0  # for a process that has answered to end by itself


@contextlib.contextmanager
def starts_apart() -> Iterator[None]:
    """Start processes so that Python looks for no modules in the current folder, where a user's `random.py` may lie.

    They begin with `be_started_apart`.
    """
    if os.environ.get(_SAFE_PATH):
        yield
        return
    os.environ[_SAFE_PATH] = _OURS
    try:
        yield
    finally:
        os.environ.pop(_SAFE_PATH, None)


def be_started_apart() -> None:
    """Let processes that are started from this one look for modules as ever."""
    if os.environ.get(_SAFE_PATH) == _OURS:
        del os.environ[_SAFE_PATH]


class ProcessDied(Exception):
    """A process ended by itself or was killed.

    Attributes:
        asked: what it was about to ask a bot (`guests.NOTE`); None where it had not asked any.
        is_idle: it died before it took the call, which then has nothing to do with it.
    """

    def __init__(self, asked: dict[str, int] | None, is_idle: bool) -> None:
        super().__init__("a process died")
        self.asked, self.is_idle = asked, is_idle


class Processes(ThreadPoolExecutor):
    """Spawned worker processes, which can be ended while they are busy.

    Each has a thread here that hands it calls, and nothing in common with the others: no queue, no lock. So one that
    dies, at whatever it is, ends its own call alone, and a new one takes the next.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers, thread_name_prefix="process")
        self._mine = threading.local()  # the process of each thread
        self._living: set[_Process] = set()
        self._lock = threading.Lock()  # for `_living` and `_is_ended`
        self._is_ended = False
        with contextlib.suppress(OSError):  # no place for temporary files
            spare_folder()  # which they share

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Hand a call to a process; its future raises `ProcessDied` where that does not survive it.

        Raises:
            RuntimeError: after `shutdown`.
        """
        return super().submit(self._answer, function, arguments, keywords)

    def _answer(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        call = pickle.dumps((function, arguments, keywords))
        process = self._own_process()
        try:
            answer = process.ask(call)
        except (EOFError, OSError) as error:
            del self._mine.process
            process.end(0)
            with self._lock:
                self._living.discard(process)
                if self._is_ended:
                    raise CancelledError from None
            raise ProcessDied(*process.last_note()) from error
        is_result, value = pickle.loads(answer)
        if not is_result:
            raise value
        return value

    def _own_process(self) -> _Process:
        with self._lock:
            if self._is_ended:
                raise CancelledError
            if not hasattr(self._mine, "process"):
                self._mine.process = _Process()
                self._living.add(self._mine.process)
            return self._mine.process

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: when they have answered, or at once where outstanding calls are cancelled."""
        if cancel_futures:
            with self._lock:
                self._is_ended = True
                for process in self._living:
                    process.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            while self._living:
                self._living.pop().end(_RETURN_SECONDS)


@contextlib.contextmanager
def one_process() -> Iterator[Processes]:
    """A new process, which ends with the block, whatever it is at."""
    processes = Processes(1)
    try:
        yield processes
    finally:
        processes.shutdown(cancel_futures=True)


class _Process:
    """A worker process, and the pipe and the shared memory that lead to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._desk = context.RawArray("q", len(NOTE))
        self._process = context.Process(target=_serve, args=(theirs, self._desk), daemon=True)
        with _starting, starts_apart():
            if hasattr(signal, "pthread_sigmask"):  # inherited: a Ctrl-C must not find it at its imports
                resource_tracker.ensure_running()  # its start would unblock the signal again
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            self._process.start()
        theirs.close()

    def ask(self, call: bytes) -> bytes:
        """Have it make a call, pickled; what came of it, pickled.

        Raises:
            EOFError, OSError: it died.
        """
        self._desk[NOTE.index("bot")] = IDLE
        self._pipe.send_bytes(call)
        while not self._pipe.poll(_LOOK_SECONDS):
            # Something may still keep the pipe open. What it sent before it died is still read.
            if not self._process.is_alive() and not self._pipe.poll():
                raise EOFError
        return self._pipe.recv_bytes()

    def last_note(self) -> tuple[dict[str, int] | None, bool]:
        """What it was about to ask a bot, if any, and whether it had not taken the last call."""
        last = dict(zip(NOTE, self._desk, strict=True))
        return (last if last["bot"] >= 0 else None), last["bot"] == IDLE

    def kill(self) -> None:
        """End it at once; who waits for its answer is told."""
        self._process.kill()

    def end(self, seconds: float) -> None:
        """Close its pipe, at which it ends, or end it after so many seconds."""
        self._pipe.close()
        self._process.join(seconds)
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, desk: Any) -> None:
    """Answer calls until the coordinator closes the pipe, or is gone, however that went. Ctrl-C is for that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing_to_stdout()
    show_warnings_plainly()
    be_started_apart()
    multiprocessing.current_process().daemon = False  # or a bot could have no processes of its own
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if hasattr(os, "register_at_fork"):  # a bot's own child must neither answer nor keep the pipe open
        os.register_at_fork(after_in_child=pipe.close)
        os.set_inheritable(pipe.fileno(), False)
    sit_at(np.frombuffer(desk, np.int64))
    with contextlib.suppress(EOFError, OSError):
        while True:
            call = pipe.recv_bytes()
            note(UNASKED)
            pipe.send_bytes(_outcome(call))


def _outcome(call: bytes) -> bytes:
    """Make a call; whether it came to a result, and that or the error, with where it came from in its notes."""
    try:
        function, arguments, keywords = pickle.loads(call)
        return pickle.dumps((True, function(*arguments, **keywords)))
    except BaseException as error:
        error.add_note(f"in a worker process:\n{''.join(traceback.format_exception(error))}")
        try:
            answer = pickle.dumps((False, error))
            pickle.loads(answer)  # fails for some that can be written
            return answer
        except Exception:
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
