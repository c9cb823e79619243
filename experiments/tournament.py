"""Running a tournament: parts go to workers, finished parts come back to the one writer."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
from pebble import ProcessExpired, ProcessPool

from experiments.match import play_part
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, check_data, check_sources

_PARTS_AHEAD = 2  # parts a worker may have waiting, so that finished tables do not pile up in memory


class WorkerDied(Exception):
    """A worker process ended by itself or was killed; what was finished is kept."""


Progress = Callable[[int, int], None]  # boards done, boards in all


def run(spec: RunSpec, path: Path | str, workers: int | None = None, progress: Progress | None = None) -> RunDirectory:
    """Play the run, or what is missing of it, in a directory.

    The files do not depend on the number of workers, nor on how often the run was stopped and taken up again.

    Args:
        spec: the run.
        path: its directory, new or holding this run; a folder, or an address that fsspec knows.
        workers: threads (processes where a bot is Python); by default one a core.
        progress: called with the number of boards finished and the number in all.

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
        if missing:
            check_sources(spec)
            directory.mark("running")
            _play(directory, missing, workers or os.cpu_count() or 1, progress or (lambda done, total: None))
        directory.mark("complete")
    return directory


def _play(directory: RunDirectory, missing: list[int], workers: int, progress: Progress) -> None:
    spec = directory.spec
    stop = np.zeros(1, np.int64)
    done = spec.boards - sum(_num_boards(spec, part) for part in missing)
    progress(done, spec.boards)
    executor = _executor(spec, min(workers, len(missing)))
    try:
        with ThreadPoolExecutor(1, thread_name_prefix="writer") as writer:
            for part in _finished(executor, writer, directory, missing, workers, stop):
                done += _num_boards(spec, part)
                progress(done, spec.boards)
    finally:
        stop[0] = 1
        executor.shutdown(wait=True, cancel_futures=True)


def _executor(spec: RunSpec, workers: int) -> Executor:
    """Threads, since kernels run outside the interpreter lock; spawned processes where a bot is Python."""
    return _Processes(workers) if spec.has_python_bots else ThreadPoolExecutor(workers, thread_name_prefix="worker")


class _Processes(Executor):
    """Spawned worker processes, which can be ended while they are busy."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(workers, context=context, initializer=_die_with_parent)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        return self._pool.schedule(function, args=arguments, kwargs=keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.stop() if cancel_futures else self._pool.close()
        if wait:
            self._pool.join()


def _die_with_parent() -> None:
    """End this worker process when its coordinator is gone, however it went; Ctrl-C is for the coordinator."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _finished(
    executor: Executor, writer: Executor, directory: RunDirectory, missing: list[int], workers: int, stop: np.ndarray
) -> Any:
    """Keep the workers busy, hand what they finish to the writer, and yield each part once it is on disk."""
    spec, waiting = directory.spec, iter(missing)
    shared_stop = None if spec.has_python_bots else stop
    playing: dict[Future[Any], int] = {}
    writing: dict[Future[Any], int] = {}
    while True:
        while len(playing) + len(writing) < workers * _PARTS_AHEAD:
            part = next(waiting, None)
            if part is None:
                break
            playing[executor.submit(_timed_part, spec, part, shared_stop)] = part
        if not playing and not writing:
            return
        ended, _ = wait([*playing, *writing], return_when=FIRST_COMPLETED)
        for future in ended:
            if future in writing:
                future.result()
                yield writing.pop(future)
            else:
                part = playing.pop(future)
                try:
                    tables, seconds = future.result()
                except ProcessExpired as error:
                    raise WorkerDied(_last_words(spec, part, error)) from error
                writing[writer.submit(_timed_write, directory, part, tables, seconds)] = part


def _last_words(spec: RunSpec, part: int, error: Exception) -> str:
    """What is known of a worker process that died: the boards it was at, and whose code ran in it."""
    first, end = spec.boards_of_part(part)
    own = ", ".join(repr(bot.label) for bot in spec.bot_specs if bot.is_python)
    return f"a worker process died at one of the boards {first}..{end - 1}, with the bots {own} in it: {error}"


def _timed_part(spec: RunSpec, part: int, stop: np.ndarray | None) -> tuple[Any, float]:
    """Play a part; the tables, and the seconds it took."""
    start = time.perf_counter()
    return play_part(spec, part, np.zeros(1, np.int64) if stop is None else stop), time.perf_counter() - start


def _timed_write(directory: RunDirectory, part: int, tables: dict[str, Any], play_seconds: float) -> None:
    """Write a part, and how long playing and writing took."""
    start = time.perf_counter()
    directory.write_part(part, tables)
    write_seconds = time.perf_counter() - start
    directory.write_timing(part, {"play_seconds": round(play_seconds, 6), "write_seconds": round(write_seconds, 6)})


def _num_boards(spec: RunSpec, part: int) -> int:
    first, end = spec.boards_of_part(part)
    return end - first
