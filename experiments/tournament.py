"""Running a tournament: parts go to workers, finished parts come back to the one writer."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np

from experiments.match import play_part
from experiments.processes import ProcessDied, Processes
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, check_data, check_sources
from experiments.stopping import Stopping
from experiments.table import Watch

_PARTS_AHEAD = 2  # parts a worker may have waiting, so that finished tables do not pile up in memory
_LOOK_SECONDS = 0.5  # after which it is looked again how many workers there are, and for Ctrl-C


class WorkerDied(Exception):
    """A worker process ended by itself or was killed; what was finished is kept."""


class Elastic(Executor):
    """An executor whose workers come and go: another machine's, say."""

    def room(self, spec: RunSpec) -> int:
        """How many parts may be outstanding now, at least one."""
        raise NotImplementedError


Progress = Callable[[int, int], None]  # boards done, boards in all


def run(
    spec: RunSpec,
    path: Path | str,
    workers: int | Elastic | None = None,
    progress: Progress | None = None,
    move_limit: float = 0.0,
) -> RunDirectory:
    """Play the run, or what is missing of it, in a directory.

    The files do not depend on the number of workers, nor on how often the run was stopped and taken up again.

    Args:
        spec: the run.
        path: its directory, new or holding this run; a folder, or an address that fsspec knows.
        workers: threads (processes where a bot is Python), by default one a core; or a cluster (`experiments.cluster`).
        progress: called with the number of boards finished and the number in all.
        move_limit: milliseconds that a Python bot has for a decision; 0 is no limit. A limit ends a run, it never
            changes what is in it.

    Raises:
        RunError: the directory cannot be used.
        InvalidText: the file of a Python bot, or the card set, has changed since the run began.
        BotFault: a bot failed; the parts finished so far stay.
        WorkerDied: a worker process was killed; the parts finished so far stay.
        KeyboardInterrupt: on Ctrl-C; the parts finished so far stay.
    """
    check_data(spec)
    directory = RunDirectory.create(path, spec)
    with directory.locked():
        missing = directory.missing_parts()
        stopping = Stopping(directory)
        if missing and not stopping.is_decided:
            check_sources(spec)
            directory.mark("running")
            workers = workers or os.cpu_count() or 1
            _play(directory, missing, stopping, workers, progress or (lambda done, total: None), move_limit)
        directory.drop_parts(stopping.end)
        directory.mark("complete")
    return directory


def _play(
    directory: RunDirectory,
    missing: list[int],
    stopping: Stopping,
    workers: int | Elastic,
    progress: Progress,
    move_limit: float,
) -> None:
    spec = directory.spec
    stop = np.zeros(1, np.int64)
    done = spec.boards - sum(_num_boards(spec, part) for part in missing)
    progress(done, spec.boards)
    executor = workers if isinstance(workers, Elastic) else _executor(spec, min(workers, len(missing)))
    waits = True
    try:
        with ThreadPoolExecutor(1, thread_name_prefix="writer") as writer:
            for part in _finished(executor, writer, directory, missing, workers, stop, move_limit):
                done += _num_boards(spec, part)
                progress(done, spec.boards)
                stopping.look()
                if stopping.is_decided:
                    return
    except KeyboardInterrupt:
        waits = spec.has_python_bots  # processes are killed; a thread that compiles would take up to 15 s to end
        raise
    finally:
        stop[0] = 1
        executor.shutdown(wait=waits, cancel_futures=True)


def _executor(spec: RunSpec, workers: int) -> Executor:
    """Threads, since kernels run outside the interpreter lock; spawned processes where a bot is Python."""
    return Processes(workers) if spec.has_python_bots else ThreadPoolExecutor(workers, thread_name_prefix="worker")


def _finished(
    executor: Executor,
    writer: Executor,
    directory: RunDirectory,
    missing: list[int],
    workers: int | Elastic,
    stop: np.ndarray,
    move_limit: float,
) -> Any:
    """Keep the workers busy, hand what they finish to the writer, and yield each part once it is on disk."""
    spec, waiting = directory.spec, iter(missing)
    shared_stop = None if spec.has_python_bots or isinstance(workers, Elastic) else stop
    playing: dict[Future[Any], int] = {}
    writing: dict[Future[Any], int] = {}
    while True:
        room = workers.room(spec) if isinstance(workers, Elastic) else workers * _PARTS_AHEAD
        while len(playing) + len(writing) < room:
            part = next(waiting, None)
            if part is None:
                break
            playing[executor.submit(_timed_part, spec, part, shared_stop, move_limit)] = part
        if not playing and not writing:
            return
        with _signals_later():
            ended, _ = wait([*playing, *writing], _LOOK_SECONDS, FIRST_COMPLETED)
        for future in ended:
            if future in writing:
                future.result()
                yield writing.pop(future)
            else:
                part = playing.pop(future)
                try:
                    tables, timing = future.result()
                except ProcessDied as error:
                    raise WorkerDied(last_words(spec, part, error)) from error
                writing[writer.submit(_timed_write, directory, part, tables, timing)] = part


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Hold back the handlers of SIGINT and SIGTERM: an exception in the midst of `wait` leaves its futures locked."""
    came: list[int] = []
    held = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        held = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in held:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def last_words(spec: RunSpec, part: int, error: ProcessDied) -> str:
    """What is known of a worker process that died: whom it was asking, or the boards it was at and whose code ran."""
    if error.is_idle:
        return "a worker process died while it waited for boards to play"
    if asked := error.asked:
        return (
            f"a worker process died when bot {spec.bots[asked['bot']][0]!r} was to move (board {asked['board']}, "
            f"rotation {asked['rotation']}, seat {asked['seat']}, decision {asked['decision']})"
        )
    first, end = spec.boards_of_part(part)
    own = ", ".join(repr(bot.label) for bot in spec.bot_specs if bot.is_python)
    return f"a worker process died at one of the boards {first}..{end - 1}, with the bots {own} in it"


def _timed_part(spec: RunSpec, part: int, stop: np.ndarray | None, move_limit: float) -> tuple[Any, dict[str, Any]]:
    """Play a part; the tables, and how long it and the bots took."""
    start = time.perf_counter()
    watch = Watch(spec, move_limit)
    tables = play_part(spec, part, np.zeros(1, np.int64) if stop is None else stop, watch)
    seconds = round(time.perf_counter() - start, 6)
    return tables, {"play_seconds": seconds, "bots": dict(zip(dict(spec.bots), watch.spent.tolist(), strict=True))}


def _timed_write(directory: RunDirectory, part: int, tables: dict[str, Any], timing: dict[str, Any]) -> None:
    """Write a part, and how long playing and writing took."""
    start = time.perf_counter()
    directory.write_part(part, tables)
    directory.write_timing(part, timing | {"write_seconds": round(time.perf_counter() - start, 6)})


def _num_boards(spec: RunSpec, part: int) -> int:
    first, end = spec.boards_of_part(part)
    return end - first
