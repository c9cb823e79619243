"""Whole runs: the same bytes for any number of workers, after real kills, and after a stop at every single write."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import random
import re
import signal
import subprocess
import threading
import time
from concurrent.futures import CancelledError
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from cardkit.spec import InvalidText
from experiments import tournament
from experiments.processes import ProcessDied, Processes, one_process
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec
from experiments.table import BotFault
from experiments.tournament import WorkerDied, run
from tests.bots.own import write_bots
from tests.experiments.helpers import contents, small_spec
from tests.experiments.running import (
    PAUSING,
    Start,
    finish,
    group_of,
    kill,
    living,
    parts_done,
    wait_for,
    wait_for_parts,
)

COMPILED = small_spec("random", "heuristic", "h=heuristic:epsilon=0.5", boards=41, seed=7, moves=True)
PYTHON = small_spec(PAUSING, "random", boards=15, seed=11, moves=True)
PYTHON_ARGUMENTS = (
    f"tournament kronions --bot {PAUSING} --bot random --boards 15 --seed 11 --moves --players 3 --rule round_cap=3"
).split()
PAUSES = 0.01  # seconds a decision: a part is one board and takes about half a second


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the run with a Python bot, played by two workers without a break."""
    path = tmp_path_factory.mktemp("uninterrupted") / "run"
    run(PYTHON, path, workers=2)
    return contents(path)


# The number of workers


@pytest.mark.parametrize("workers", [2, 8])
def test_built_in_bots_give_the_same_bytes_for_any_number_of_workers(tmp_path: Path, workers: int) -> None:
    run(COMPILED, tmp_path / "one", workers=1)
    run(COMPILED, tmp_path / "more", workers=workers)
    expected = contents(tmp_path / "one")
    assert len(expected) == 2 + 3 * COMPILED.num_parts
    assert contents(tmp_path / "more") == expected


def test_a_python_bot_gives_the_same_bytes_for_any_number_of_workers(
    tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    """One worker here, two in `uninterrupted`; eight go on after the kill below, with nearly the whole run."""
    directory = run(PYTHON, tmp_path / "run", workers=1)
    assert directory.is_complete
    assert len(uninterrupted) == 2 + 3 * 15
    assert contents(tmp_path / "run") == uninterrupted


def test_every_number_of_workers_is_fine_and_progress_counts_boards(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    run(COMPILED, tmp_path / "run", workers=None, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 41)
    assert seen[-1] == (41, 41)
    assert len(seen) == COMPILED.num_parts + 1
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


# Kills


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("workers", "kills"), [(1, ["early", 2, 3]), (2, ["early", 3, 5]), (8, [1])], ids=["1", "2", "8"]
)
def test_a_killed_run_is_finished_to_the_same_bytes(
    tmp_path: Path, start: Start, uninterrupted: dict[str, bytes], workers: int, kills: list[Any]
) -> None:
    """Real SIGKILLs: early, anywhere in the start of the program, and after some more parts and a random while."""
    rng, path, options = random.Random(workers), tmp_path / "run", ["--workers", str(workers)]
    done_at: list[int] = []
    for more_parts in kills:
        before = len(parts_done(path))
        is_new = not (path / "run.json").exists()
        arguments = [*PYTHON_ARGUMENTS, "--out", str(path)] if is_new else ["resume", str(path)]
        process = start(*arguments, *options, pause=PAUSES)
        if more_parts == "early":
            time.sleep(rng.uniform(0.0, 1.5))
        else:
            wait_for_parts(process, path, before + more_parts)
            time.sleep(rng.uniform(0.0, 0.2))
            assert len(group_of(process)) >= workers, "the workers are seen"
        left = kill(process)
        wait_for(lambda pids=left: not living(pids), "the workers to die with their coordinator")
        done_at.append(len(parts_done(path)))
    assert any(0 < done < 15 for done in done_at), f"never interrupted in the middle: {done_at}"
    code, out, errors = finish(start("resume", str(path), *options))
    assert (code, errors) == (0, "")
    assert "Pausing" in out
    assert contents(path) == uninterrupted


def start_sleeper(tmp_path: Path, start: Start) -> tuple[subprocess.Popen[str], Path]:
    """A run with a finished part, in which a worker is busy with a move that never ends."""
    source = f"""
import time
from pathlib import Path
class Sleeper:
    made = 0
    def __init__(self, game):
        Sleeper.made += 1
    def choose(self, view, rng):
        if Sleeper.made > 2:
            Path({str(tmp_path / "asleep")!r}).touch()
            time.sleep(3600)
        return view.legal_actions()[0]
"""
    bot, path = f"{write_bots(tmp_path, source)}:Sleeper", tmp_path / "run"
    tournament = ["tournament", "kronions", "--bot", bot, "--players", "2", "--rule", "round_cap=1", "--boards", "8"]
    process = start(*tournament, "--workers", "2", "--out", str(path))
    wait_for_parts(process, path, 1)
    wait_for((tmp_path / "asleep").exists, "a busy worker")
    return process, path


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_workers_die_with_their_coordinator_in_the_middle_of_a_move(tmp_path: Path, start: Start) -> None:
    process, path = start_sleeper(tmp_path, start)
    left = kill(process)
    assert len(left) >= 2
    wait_for(lambda: not living(left), "the workers to die with their coordinator")
    assert 0 < len(parts_done(path)) < 8


class Killed(BaseException):
    """Stands for a kill: nothing that the run does afterwards may change its directory."""


@pytest.mark.parametrize("moment", ["half written", "not renamed", "renamed"])
def test_a_run_stopped_at_any_single_write_is_finished_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    spec = small_spec("random", boards=8, options={"num_players": 2, "round_cap": 1})
    run(spec, tmp_path / "whole", workers=1)
    expected, replace = contents(tmp_path / "whole"), Path.replace
    num_writes = 2 + 4 * 8  # run.json twice; games, deals, manifest and timing of each part
    stops = 0
    points = [*range(1, 7), *range(15, 19), *range(31, num_writes + 1)]  # the first, a middle and the last part
    for last in points:
        path, count = tmp_path / f"run-{last}", 0

        def stopping(self: Path, target: Path, last: int = last) -> Path:
            nonlocal count
            count += 1
            if count < last:
                return replace(self, target)
            if count == last and moment == "renamed":
                replace(self, target)
            elif count == last and moment == "half written":
                self.write_bytes(self.read_bytes()[: self.stat().st_size // 2])
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", stopping)
            try:
                run(spec, path, workers=1)
            except Killed:
                stops += 1
        run(spec, path, workers=1)
        assert contents(path) == expected, f"stopped at write {last}"
    assert stops == len(points)
    assert count == num_writes


# Ctrl-C


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_ctrl_c_ends_a_run_at_once_and_says_how_to_go_on(tmp_path: Path, start: Start) -> None:
    process, path = start_sleeper(tmp_path, start)
    workers = group_of(process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the coordinator and its workers
    code, out, errors = finish(process)
    assert code == 130
    assert errors == f"stopped; what is finished is kept: go on with 'hiddenhand resume {path}'\n"
    assert out == ""
    wait_for(lambda: not living(workers), "the workers to end")
    directory = RunDirectory.open(path)
    assert 0 < len(directory.finished_parts()) < 8
    assert set(directory.missing_parts()) == set(range(8)) - set(directory.finished_parts())


def test_ctrl_c_ends_compiled_games(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "run"
    process = start("tournament", "kronions", "--bot", "random", "--boards", "100000000", "--out", str(path))
    wait_for_parts(process, path, 1)
    process.send_signal(signal.SIGINT)
    code, out, errors = finish(process)
    assert (code, out) == (130, "")
    assert errors == f"stopped; what is finished is kept: go on with 'hiddenhand resume {path}'\n"
    directory = RunDirectory.open(path)
    assert directory.finished_parts()
    assert all(directory.is_valid(part) for part in directory.finished_parts())


# Faults


def test_a_faulty_bot_ends_the_run_and_finished_parts_stay(tmp_path: Path, start: Start) -> None:
    """The bot fails in the seventh game of its process: boards of two games, a part a board, so in part 3."""
    source = """
class Late:
    made = 0
    def __init__(self, game):
        Late.made += 1
    def choose(self, view, rng):
        return view.legal_actions()[0] if Late.made < 7 else 99
"""
    bot, path = f"late={write_bots(tmp_path, source)}:Late", tmp_path / "run"
    tournament = ["tournament", "kronions", "--bot", bot, "--bot", "random", "--players", "2", "--boards", "8"]
    rules = ["--rule", "round_cap=2", "--rule", "hook=off"]
    process = start(*tournament, *rules, "--workers", "1", "--out", str(path))
    code, out, errors = finish(process)
    assert (code, out) == (1, "")
    fault = r"^Error: bot 'late' answered with the illegal action 99: expected one of \[0, 1\] "
    assert re.search(fault + r"\(board 3, rotation 0, seat \d, decision \d, position phase=bid .*\)\n$", errors)
    assert errors.count("\n") == 1
    directory = RunDirectory.open(path)
    assert directory.finished_parts() == [0, 1, 2]
    assert all(directory.is_valid(part) for part in range(3))
    assert json.loads((path / "run.json").read_text())["state"] == "running"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("Raises", BotFault, "bot 'bad' raised KeyError: 'lost' .board "),
        ("Exits", BotFault, "bot 'bad' raised SystemExit: 0 .board "),
        (
            "Dies",
            WorkerDied,
            r"a worker process died when bot 'bad' was to move \(board 0, rotation 0, seat \d, decision",
        ),
        (
            "Leaves",
            WorkerDied,
            r"a worker process died when bot 'bad' was to move \(board 0, rotation 0, seat \d, decision",
        ),
        ("Waits", BotFault, "bot 'bad' took longer than its 200 ms for a move .board "),
        ("Stubborn", BotFault, "bot 'bad' took longer than its 200 ms for a move .board "),
        ("Computes", BotFault, "bot 'bad' took longer than its 200 ms for a move .board "),
        (
            "DiesEarly",
            WorkerDied,
            r"a worker process died when bot 'bad' was to move \(board 0, rotation 0, seat \d, decision",
        ),
        (
            "DiesLater",
            WorkerDied,
            r"a worker process died when bot 'bad' was to move \(board 1, rotation 0, seat \d, decision 0\)",
        ),
    ],
)
def test_however_a_bot_fails_the_run_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception], message: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = """
import ctypes, multiprocessing, os, signal, sys, time
class Raises:
    def __init__(self, game):
        pass
    def choose(self, view, rng):
        raise KeyError("lost")
class Exits(Raises):
    def choose(self, view, rng):
        sys.exit(0)
class Dies(Raises):
    def choose(self, view, rng):
        os.kill(os.getpid(), signal.SIGKILL)
class DiesEarly(Raises):
    def __init__(self, game):
        if multiprocessing.parent_process():
            os._exit(0)
class DiesLater(Raises):
    made = 0
    def __init__(self, game):
        DiesLater.made += multiprocessing.parent_process() is not None
        if DiesLater.made == 3:
            os._exit(1)
    def choose(self, view, rng):
        return view.legal_actions()[0]
class Leaves(Raises):
    def choose(self, view, rng):
        ctypes.CDLL(None)._exit(0)
class Waits(Raises):
    def choose(self, view, rng):
        time.sleep(3600)
class Stubborn(Raises):
    def choose(self, view, rng):
        start = time.monotonic()
        while time.monotonic() < start + 1:
            try:
                time.sleep(1)
            except BaseException:
                pass
        return view.legal_actions()[0]
class Computes(Raises):
    def choose(self, view, rng):
        while True:
            pass
"""
    spec = small_spec(f"bad={write_bots(tmp_path, source)}:{name}", options={"num_players": 2, "round_cap": 1})
    with pytest.raises(error, match=message) as found:
        run(spec, tmp_path / "run", workers=1, move_limit=200 if "200 ms" in message else 60_000)
    assert "\n" not in str(found.value)
    assert RunDirectory.open(tmp_path / "run").finished_parts() in ([], [0] if name == "DiesLater" else [])


def test_a_run_is_not_finished_with_another_bot_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = write_bots(tmp_path)
    spec = small_spec(f"me={name}:First", options={"num_players": 2, "round_cap": 1})
    path = tmp_path / "run"
    run(spec, path, workers=1)
    before = contents(path)
    file = tmp_path / f"{name}.py"
    file.write_text(file.read_text().replace("[0]", "[-1]"))
    assert run(RunDirectory.open(path).spec, path, workers=1).is_complete, "a finished run can always be shown"
    (path / "games" / "part-000003.parquet").unlink()
    with pytest.raises(InvalidText, match=r"the file of bot 'me' has changed since this run began"):
        run(RunDirectory.open(path).spec, path, workers=1)
    file.write_text(file.read_text().replace("[-1]", "[0]"))
    run(RunDirectory.open(path).spec, path, workers=1)
    assert contents(path) == before


def test_nothing_is_played_again_in_a_finished_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(COMPILED, tmp_path / "run", workers=2)
    files = {file: file.stat().st_mtime_ns for file in (tmp_path / "run").rglob("*") if file.name != ".lock"}

    def play(spec: RunSpec, part: int, stop: Any) -> None:
        raise AssertionError(f"part {part} is played again")

    monkeypatch.setattr("experiments.tournament.play_part", play)
    assert run(COMPILED, tmp_path / "run", workers=2).is_complete
    assert {file: file.stat().st_mtime_ns for file in files} == files


def test_a_worker_process_that_dies_idle_ends_the_run_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Processes(1)
    try:
        for _ in range(3):
            _kill_idle(pool)
            error = pool.submit(os.getpid).exception(60)
            assert isinstance(error, ProcessDied)
            assert (error.asked, error.is_idle) == (None, True)
        _kill_idle(pool)
        monkeypatch.setattr(tournament, "_executor", lambda spec, workers: pool)
        spec = small_spec("random", "own=tests.baselines.kronions:Baseline", boards=2)
        with pytest.raises(WorkerDied, match="a worker process died while it waited for boards to play"):
            run(spec, tmp_path / "run")
    finally:
        pool.shutdown(cancel_futures=True)


def _kill_idle(pool: Processes) -> None:
    """Kill the one process of a pool while it has nothing to do, and wait until it is gone."""
    number = pool.submit(os.getpid).result(60)
    os.kill(number, signal.SIGKILL)
    for process in multiprocessing.active_children():
        if process.pid == number:
            process.join(60)


@pytest.mark.parametrize("end", ["os._exit(0)", "os._exit(1)", "os.kill(os.getpid(), 9)", "ctypes.string_at(0)"])
def test_the_call_that_a_process_died_in_is_found_among_others(end: str) -> None:
    pool = Processes(2)
    try:
        busy = pool.submit(time.sleep, 3600)
        assert pool.submit(abs, -1).result(60) == 1
        for _ in range(3):
            error = pool.submit(exec, f"import ctypes, os; {end}").exception(60)
            assert isinstance(error, ProcessDied)
            assert (error.asked, error.is_idle) == (None, False)
        time.sleep(0.5)
        assert not busy.done(), "it has nothing to do with that"
    finally:
        pool.shutdown(cancel_futures=True)
    assert isinstance(busy.exception(0), CancelledError)


def test_processes_end_with_their_calls_done_and_take_none_afterwards() -> None:
    with Processes(1) as pool:
        calls = [pool.submit(abs, -i) for i in range(5)]
    assert not multiprocessing.active_children()
    assert [call.result(0) for call in calls] == list(range(5))
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(abs, 1)
    with Processes(1) as pool:
        assert isinstance(pool.submit(os._exit, 0).exception(60), ProcessDied)
    assert not multiprocessing.active_children()


def test_what_cannot_be_pickled_and_what_is_raised_come_back_as_errors() -> None:
    with Processes(1) as pool:
        with pytest.raises((AttributeError, pickle.PicklingError)):
            pool.submit(lambda: None).result(60)
        with pytest.raises(TypeError, match="cannot pickle"):
            pool.submit(threading.Lock).result(60)
        with pytest.raises(ZeroDivisionError) as found:
            pool.submit(divmod, 1, 0).result(60)
        assert "in a worker process:\nTraceback" in found.value.__notes__[0]
        with pytest.raises(SystemExit):
            pool.submit(exec, "raise SystemExit(3)").result(60)
        assert pool.submit(len, b"x" * 10_000_000).result(60) == 10_000_000
        assert len(pool.submit(bytes, 10_000_000).result(60)) == 10_000_000


class Worded(Exception):
    """An error that can be written by pickle and not read again, as those with arguments of their own are."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} {where}")


def _raise_worded() -> None:
    raise Worded("lost", "here")


def test_an_error_that_cannot_be_read_again_comes_back_in_words() -> None:
    with Processes(1) as pool, pytest.raises(RuntimeError, match="Worded: lost here"):
        pool.submit(_raise_worded).result(60)


@pytest.mark.parametrize("fork", ["os.fork()", "ctypes.PyDLL(None).fork()", "os.system('sleep 3600 & exit 1') and 1"])
def test_a_child_of_a_dead_process_does_not_hide_its_death(tmp_path: Path, fork: str) -> None:
    """It may keep the dead one's end of the pipe open."""
    file = tmp_path / "group"
    code = f"""
import ctypes, os, pathlib, time
os.setpgid(0, 0)
pathlib.Path({str(file)!r}).write_text(str(os.getpid()))
if {fork}:
    os._exit(1)
time.sleep(3600)
"""
    pool = Processes(1)
    try:
        assert isinstance(pool.submit(exec, code).exception(60), ProcessDied)
        os.killpg(int(file.read_text()), signal.SIGKILL)  # raises where no child is left
    finally:
        pool.shutdown(cancel_futures=True)


def _fork() -> str:
    return "parent" if os.fork() else "child"


def test_a_child_that_a_call_forked_does_not_answer_too() -> None:
    with Processes(1) as pool:
        assert pool.submit(_fork).result(60) == "parent"
        time.sleep(0.5)
        assert pool.submit(abs, -1).result(60) == 1


@pytest.mark.parametrize("child", ["os.fork() or (time.sleep(3600), os._exit(0))", "os.system('sleep 3600 &')"])
def test_a_death_in_the_midst_of_an_answer_is_found_though_a_child_lives(
    child: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Connection.recv_bytes
    with Processes(1) as pool:
        number = pool.submit(os.getpid).result(60)
        pool.submit(exec, f"import os, time; os.setpgid(0, 0); {child}").result(60)

        def killing(pipe: Any) -> bytes:
            os.kill(number, signal.SIGKILL)
            return real(pipe)

        monkeypatch.setattr(Connection, "recv_bytes", killing)
        try:
            assert isinstance(pool.submit(bytes, 10_000_000).exception(60), ProcessDied)
        finally:
            os.killpg(number, signal.SIGKILL)


def test_a_busy_process_is_gone_after_the_shutdown() -> None:
    """Not even a zombie is left."""
    pool = Processes(1)
    number = pool.submit(os.getpid).result(60)
    busy = pool.submit(time.sleep, 3600)
    wait_for(busy.running, "the call to begin")
    pool.shutdown(cancel_futures=True)
    with pytest.raises(ChildProcessError):
        os.waitpid(number, os.WNOHANG)


def test_one_process_ends_with_its_block_though_it_is_busy() -> None:
    with one_process() as process:
        busy = process.submit(time.sleep, 120)
        wait_for(busy.running, "the call to begin")
    assert isinstance(busy.exception(0), CancelledError)
    assert not multiprocessing.active_children()


def test_ctrl_c_does_not_find_a_process_at_its_imports() -> None:
    """There it would end with a traceback on the terminal."""
    with Processes(1) as pool:
        call = pool.submit(abs, -1)
        wait_for(multiprocessing.active_children, "a process")
        for process in multiprocessing.active_children():
            assert process.pid
            os.kill(process.pid, signal.SIGINT)
        assert call.result(60) == 1


def test_a_death_is_named_though_the_coordinator_looks_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = f"""
import os, tempfile, time
class Dies:
    def __init__(self, game):
        pass
    def choose(self, view, rng):
        time.sleep(0.1)
        tempfile.mkstemp(dir={str(tmp_path)!r}, suffix=".move")
        if len([name for name in os.listdir({str(tmp_path)!r}) if name.endswith(".move")]) >= 12:
            os.kill(os.getpid(), 9)
        return view.legal_actions()[0]
"""
    spec = small_spec(f"bad={write_bots(tmp_path, source)}:Dies", options={"num_players": 2, "round_cap": 1}, boards=9)
    with pytest.raises(WorkerDied, match=r"when bot 'bad' was to move \(board \d, "):
        run(spec, tmp_path / "run", workers=3, progress=lambda done, total: time.sleep(0.5))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_never_breaks_into_the_waiting_for_parts(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it would leave a future locked, and the run would hang."""
    whole, real = [], tournament.wait

    def wait(*arguments: Any) -> Any:
        signal.raise_signal(number)
        whole.append(real(*arguments))
        return whole[-1]

    def terminate(signum: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, terminate)
    try:
        monkeypatch.setattr(tournament, "wait", wait)
        with pytest.raises(KeyboardInterrupt):
            run(small_spec(boards=200), tmp_path / "run")
        assert signal.getsignal(number) is terminate
    finally:
        signal.signal(number, before)
    assert len(whole) == 1
    monkeypatch.setattr(tournament, "wait", real)
    assert run(small_spec(boards=200), tmp_path / "run").is_complete
