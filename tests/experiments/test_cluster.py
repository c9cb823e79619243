"""Runs on a Dask cluster: the bytes of a local run, whatever happens to the workers; and runs in other stores."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fsspec
import pytest
from click.testing import CliRunner

from experiments import cluster
from experiments.cli import main
from experiments.cluster import Cluster, ClusterError, open_cluster, play_here
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, versions
from experiments.table import BotFault
from experiments.tournament import WorkerDied, _timed_part, run
from tests.bots.own import write_bots
from tests.conftest import ROOT
from tests.experiments.helpers import contents, small_spec
from tests.experiments.pausing import PAUSE
from tests.experiments.running import PATIENCE, PAUSING, end_all, group_of, living, parts_done, wait_for

TINY = {"num_players": 2, "round_cap": 1}
COMPILED = small_spec("random", "heuristic", "h=heuristic:epsilon=0.5", boards=41, seed=7, moves=True)
PYTHON = small_spec(PAUSING, "random", boards=15, seed=11, moves=True)
PAUSES = 0.01  # seconds a decision: a part is one board and takes about half a second

Start = Callable[..., "subprocess.Popen[bytes]"]

BOTS = """
import os, signal, time
class First:
    def __init__(self, game):
        pass
    def choose(self, view, rng):
        return view.legal_actions()[0]
class Odd(Exception):
    "Cannot be sent to another process."
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")
        self.three = lambda: 3
class Raises(First):
    def choose(self, view, rng):
        raise Odd(1, 2)
class Dies(First):
    def choose(self, view, rng):
        time.sleep(1)  # Dask does not start a worker again that dies while it starts
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A function that starts `python *arguments` in a group of its own; what is left ends with the test.

    Keywords: environment variables. Output goes to `tmp_path`: a pipe that nobody reads would fill up.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        ours = {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(ROOT), PAUSE: str(PAUSES)}
        with (tmp_path / f"{len(started)}.out").open("wb") as out, (tmp_path / f"{len(started)}.err").open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=os.environ | ours | environment,
                start_new_session=True,
                stdout=out,
                stderr=err,
            )
        started.append(process)
        return process

    yield start
    end_all(started)


def start_scheduler(tmp_path: Path, start: Start) -> tuple[subprocess.Popen[bytes], str]:
    """A scheduler on loopback, and its address."""
    file = tmp_path / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    process = start("-m", "distributed.cli.dask_scheduler", *options, "--dashboard-address", "127.0.0.1:0")
    wait_for(lambda: file.exists() and file.read_text().endswith("}"), "a scheduler")
    return process, str(json.loads(file.read_text())["address"])


def start_worker(start: Start, address: str, *before: str) -> subprocess.Popen[bytes]:
    """A worker with one thread that nobody starts again."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
    return start(*(before or ("-m", "distributed.cli.dask_worker")), address, *options)


@contextmanager
def going_on(spec: RunSpec, path: Path, crew: Cluster) -> Iterator[Any]:
    """A run on a thread of its own; the future of its directory."""
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(run, spec, path, crew)


# Workers that come and go


def test_workers_die_and_join_and_the_bytes_are_those_of_a_local_run(tmp_path: Path, start: Start) -> None:
    path, told = tmp_path / "run", list[str]()
    _, address = start_scheduler(tmp_path, start)
    first = start_worker(start, address)
    with open_cluster(address, told.append) as crew, going_on(PYTHON, path, crew) as directory:
        wait_for(lambda: len(parts_done(path)) >= 2, "two parts")
        first.kill()
        wait_for(lambda: f"{address}: no worker: waiting for one" in told, "the run to miss its worker")
        assert not directory.done()
        start_worker(start, address)
        start_worker(start, address)
        wait_for(lambda: f"{address}: a worker has joined" in told, "a worker to join")
        wait_for(lambda: len(parts_done(path)) >= 5 and crew.room(PYTHON) == 2, "another worker to join")
        assert len(parts_done(path)) < PYTHON.num_parts, "never interrupted in the middle"
        assert directory.result(timeout=PATIENCE).is_complete
    run(PYTHON, tmp_path / "local", workers=2)
    assert contents(path) == contents(tmp_path / "local")


def test_a_scheduler_that_dies_ends_the_run_and_finished_parts_stay(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "run"
    scheduler, address = start_scheduler(tmp_path, start)
    start_worker(start, address)
    with open_cluster(address, connect_seconds=5.0) as crew, going_on(PYTHON, path, crew) as result:
        wait_for(lambda: parts_done(path), "a part")
        scheduler.kill()
        with pytest.raises(ClusterError, match=f"the scheduler at {address} is gone; what is finished is kept"):
            result.result(timeout=PATIENCE)
    directory = RunDirectory.open(path)
    assert 0 < len(directory.finished_parts()) < PYTHON.num_parts
    assert all(directory.is_valid(part) for part in directory.finished_parts())


def test_as_many_parts_are_out_as_the_workers_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    told, threads = list[str](), dict[str, int]()

    class Client:
        def nthreads(self) -> dict[str, int]:
            return threads

    crew = Cluster(Client(), "here", told.append)
    assert (crew.room(COMPILED), told) == (1, ["here: no worker: waiting for one"])
    assert (crew.room(COMPILED), len(told)) == (1, 1)
    threads.update(one=1, four=4)
    assert (crew.room(COMPILED), told[1:]) == (10, ["here: a worker has joined"])
    assert crew.room(PYTHON) == 5
    for error in (OSError("no connection"), RuntimeError("closed"), AttributeError("no scheduler")):
        monkeypatch.setattr(Client, "nthreads", lambda self: (_ for _ in ()).throw(error))  # noqa: B023
        assert (crew.room(COMPILED), len(told)) == (1, 2)


class There:
    """What Dask's client gives for a task: a future that fails with an error, if there is one, or has an answer."""

    def __init__(self, status: str, error: Exception | None) -> None:
        self.status, self._error = status, error

    async def result(self) -> tuple[str, int]:
        if self._error:
            raise self._error
        return "part", 7

    def release(self) -> None:
        pass


def answer_of(*outcomes: There, status: str = "running") -> Any:
    """What a part comes to with these outcomes of its tasks, one after the other."""
    tasks = iter(outcomes)
    client = SimpleNamespace(status=status, submit=lambda *arguments, **keywords: next(tasks))
    return asyncio.run(Cluster(client, "here", lambda sentence: None)._answer(COMPILED, 0, b""))


def test_a_part_whose_answer_is_lost_on_the_way_is_sent_again() -> None:
    lost = There("finished", OSError("connection closed")), There("cancelled", CancelledError())
    assert answer_of(*lost, There("finished", None)) == 7
    with pytest.raises(OSError, match=r"^no space left$"):
        answer_of(There("error", OSError("no space left")))


def test_nothing_is_sent_where_the_scheduler_is_gone() -> None:
    with pytest.raises(ClusterError, match=r"^the scheduler at here is gone; what is finished is kept$"):
        answer_of(status="closing")


def test_local_workers_that_stay_away_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        def nthreads(self) -> dict[str, int]:
            return {}

    monkeypatch.setattr(cluster, "RETURN_SECONDS", -1.0)
    away, here = (Cluster(Client(), address, lambda sentence: None) for address in ("far:1", "local:1"))
    assert [away.room(COMPILED) for _ in range(3)] == [1, 1, 1]
    assert here.room(COMPILED) == 1
    with pytest.raises(ClusterError, match=r"^all workers of local:1 have died; what is finished is kept$"):
        here.room(COMPILED)


# local:N


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A module of Python bots that worker processes find too."""
    folder = tmp_path_factory.mktemp("bots")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield write_bots(folder, BOTS)


@pytest.fixture(scope="module")
def local(bots: str) -> Iterator[Cluster]:
    """Two worker processes."""
    with open_cluster("local:2") as crew:
        yield crew
        wait_for(lambda: crew.room(PYTHON) == 2, "the workers")  # one that only just starts is slow to end


def test_worker_processes_give_the_bytes_of_threads(tmp_path: Path, local: Cluster) -> None:
    seen: list[tuple[int, int]] = []
    run(COMPILED, tmp_path / "threads", workers=2)
    run(COMPILED, tmp_path / "cluster", local, lambda done, total: seen.append((done, total)))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")
    assert (seen[0], seen[-1], len(seen)) == ((0, 41), (41, 41), COMPILED.num_parts + 1)


def test_python_bots_play_in_worker_processes(tmp_path: Path, local: Cluster, bots: str) -> None:
    spec = small_spec(f"{bots}:First", "random", options=TINY)
    run(spec, tmp_path / "processes", workers=1)
    run(spec, tmp_path / "cluster", local)
    assert contents(tmp_path / "cluster") == contents(tmp_path / "processes")


def test_a_bots_fault_ends_the_run_though_its_exception_cannot_travel(
    tmp_path: Path, local: Cluster, bots: str
) -> None:
    spec = small_spec(f"bad={bots}:Raises", options=TINY)
    with pytest.raises(BotFault, match=r"bot 'bad' raised Odd: 1 and 2 \(board \d, rotation 0, seat \d, decision 0"):
        run(spec, tmp_path / "run", local)
    assert RunDirectory.open(tmp_path / "run").finished_parts() == []


def test_a_part_that_takes_down_five_workers_is_given_up(tmp_path: Path, local: Cluster, bots: str) -> None:
    spec = small_spec(f"bad={bots}:Dies", options=TINY)
    message = r"5 workers died at the boards (\d)\.\.\1, with the bots 'bad' in them; what is finished is kept"
    with pytest.raises(WorkerDied, match=message):
        run(spec, tmp_path / "run", local)
    assert RunDirectory.open(tmp_path / "run").finished_parts() == []


def test_workers_of_other_versions_are_refused(tmp_path: Path, local: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_own_versions", lambda: versions() | {"numba": "0.1"})
    found = rf"the worker at tcp://\S+ does not play this run: it has numba {versions()['numba']}, the coordinator 0\.1"
    with pytest.raises(ClusterError, match=f"^{found}$"):
        run(COMPILED, tmp_path / "run", local)
    assert RunDirectory.open(tmp_path / "run").finished_parts() == []


def test_a_run_that_ends_while_an_answer_is_fetched_spoils_no_other(tmp_path: Path, local: Cluster) -> None:
    client, run_here = local._client, partial(asyncio.run_coroutine_threadsafe, loop=local._client.loop.asyncio_loop)
    fetches = [run_here(client._gather_semaphore.acquire()) for _ in range(5)]  # all that Dask makes at a time
    assert all(fetch.result(PATIENCE) for fetch in fetches)
    answers = [local.submit(_timed_part, COMPILED, part, None, 0.0) for part in range(2)]
    wait_for(lambda: client._gather_future is not None, "an answer")
    local.shutdown()
    assert all(answer.cancelled() for answer in answers)
    for _ in fetches:
        client.loop.asyncio_loop.call_soon_threadsafe(client._gather_semaphore.release)
    assert run(COMPILED, tmp_path / "run", local).is_complete


def test_the_command_plays_and_resumes_on_a_cluster(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole", tmp_path / "run"
    command = shlex.split("tournament kronions --bot random --bot heuristic --players 3 --rule round_cap=3 --boards 8")
    runner = CliRunner()
    assert runner.invoke(main, [*command, "--out", str(whole)]).exit_code == 0
    done = runner.invoke(main, [*command, "--out", str(path), "--cluster", "local:1"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert contents(path) == contents(whole)
    (path / "games" / "part-000003.parquet").unlink()
    done = runner.invoke(main, ["resume", str(path), "--cluster", "local:1"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert contents(path) == contents(whole)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_ctrl_c_ends_a_run_on_a_cluster(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "run"
    command = f"tournament kronions --bot {PAUSING} --bot random --players 3 --rule round_cap=3 --boards 100".split()
    process = start("-m", "experiments.cli", *command, "--out", str(path), "--cluster", "local:2")
    wait_for(lambda: parts_done(path) or process.poll() is not None, "a part")
    workers = group_of(process)
    assert len(workers) >= 2
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the coordinator and its workers
    assert process.wait(timeout=PATIENCE) == 130
    said = f"stopped; what is finished is kept: go on with 'hiddenhand resume {path}'\n"
    assert ((tmp_path / "0.out").read_text(), (tmp_path / "0.err").read_text()) == ("", said)
    wait_for(lambda: not living(workers), "the workers to end")
    directory = RunDirectory.open(path)
    assert 0 < len(directory.finished_parts()) < 100
    assert all(directory.is_valid(part) for part in directory.finished_parts())


# Clusters that cannot be used


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("local:0", "cannot use cluster 'local:0': expected local:N with a number of worker processes"),
        ("local:many", "cannot use cluster 'local:many': expected local:N with a number of worker processes"),
        ("host", "cannot use cluster 'host': expected host:port, tcp://host:port, tls://host:port or local:N"),
        ("ftp://host:1", "cannot use cluster 'ftp://host:1': expected host:port, tcp"),
        ("", "Invalid value for '--cluster': it is empty, expected a path or an address."),
        ("tls://127.0.0.1:9", "cannot use cluster 'tls://127.0.0.1:9': Dask's configuration names no certificates"),
    ],
)
def test_an_address_of_another_form_is_refused(tmp_path: Path, address: str, message: str) -> None:
    command = ["tournament", "kronions", "--bot", "random", "--out", str(tmp_path / "run"), "--cluster", address]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: {message}")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens at the first address, somebody who says nothing at the second."""
    with socket.socket() as silent, socket.socket() as closed:
        for end in (silent, closed):
            end.bind(("127.0.0.1", 0))
        silent.listen()
        for end in (silent, closed):
            address = f"tcp://127.0.0.1:{end.getsockname()[1]}"
            with pytest.raises(ClusterError, match=f"^no Dask scheduler answers at '{address}' within 0.5 seconds "):  # noqa: SIM117
                with open_cluster(address, connect_seconds=0.5):
                    pass


def test_a_worker_is_no_scheduler(local: Cluster) -> None:
    address = next(iter(local._client.nthreads()))
    with pytest.raises(ClusterError, match=f"there is no scheduler at '{address}' but a worker"):  # noqa: SIM117
        with open_cluster(address):
            pass


def test_workers_and_a_cluster_exclude_each_other(tmp_path: Path) -> None:
    command = ["tournament", "kronions", "--bot", "random", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(main, [*command, "--workers", "2", "--cluster", "local:2"])
    assert (done.exit_code, done.stderr) == (2, "Error: --workers 2 and --cluster local:2: give one\n")
    assert not (tmp_path / "run").exists()


def test_without_dask_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    command = ["tournament", "kronions", "--bot", "random", "--out", str(tmp_path / "run"), "--cluster", "local:1"]
    done = CliRunner().invoke(main, command)
    assert (done.exit_code, done.stderr) == (2, "Error: a cluster needs Dask: pip install 'hiddenhand[dask]'\n")


def test_a_worker_without_this_library_is_refused(tmp_path: Path, start: Start) -> None:
    _, address = start_scheduler(tmp_path, start)
    without = "import sys; sys.modules['experiments'] = None; from distributed.cli.dask_worker import main; main()"
    start_worker(start, address, "-c", without)
    message = f"^a worker at {address} has no hiddenhand of this version: "
    with open_cluster(address) as crew, pytest.raises(ClusterError, match=message):
        run(COMPILED, tmp_path / "run", crew)


# What a worker checks, in this process


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Callable[[RunSpec], tuple[str, Any]]:
    """A function that plays a part as a worker does that has just been started."""
    monkeypatch.setattr(cluster, "_loaded", {})
    monkeypatch.setattr(cluster, "_own_address", lambda: "here")
    return lambda spec: play_here(versions(), spec.to_json(), pickle.dumps((part_alone, 3, [], {})))


def part_alone(spec: RunSpec, part: int) -> int:
    """In place of playing."""
    return part


def test_a_worker_checks_every_version(here: Callable[[RunSpec], tuple[str, Any]]) -> None:
    assert here(COMPILED) == ("part", 3)
    for name in versions():
        kind, sentence = play_here(versions() | {name: "other"}, {}, b"")
        assert (kind, sentence.endswith(f"it has {name} {versions()[name]}, the coordinator other")) == (
            "refusal",
            True,
        )


def test_a_worker_checks_its_file_of_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Callable[[RunSpec], tuple[str, Any]]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = write_bots(tmp_path, BOTS)
    file, told = tmp_path / f"{name}.py", "the worker at here does not play this run: "
    before = small_spec(f"me={name}:First", options=TINY)
    assert here(before) == ("part", 3)
    file.write_text(file.read_text() + "\n# changed\n")
    assert here(before) == (
        "refusal",
        f"{told}the file of bot 'me' has changed since this run began: choose another folder",
    )
    after = small_spec(f"me={name}:First", options=TINY)
    assert here(after) == ("refusal", f"{told}it has loaded an earlier file of {name!r}: restart it")


def test_a_worker_that_had_another_file_of_a_bot_is_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Callable[[RunSpec], tuple[str, Any]]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = write_bots(tmp_path, BOTS)
    spec = small_spec(f"me={name}:First", options=TINY)
    file = tmp_path / f"{name}.py"
    right = file.read_text()
    file.write_text(right + "\n# another\n")
    assert here(spec)[0] == "refusal"
    file.write_text(right)
    kind, sentence = here(spec)
    assert kind == "refusal"
    assert re.search("it has loaded an earlier file of .* restart it", sentence)


# Where the files go


def in_memory(path: str) -> dict[str, bytes]:
    """As `contents`, of an address in memory."""
    system = fsspec.filesystem("memory")
    names = {name.removeprefix(f"/{path}/"): name for name in system.find(f"/{path}")}
    return {name: system.cat_file(full) for name, full in names.items() if "timing/" not in name}


def test_a_run_in_another_store_has_the_bytes_of_one_in_a_folder(tmp_path: Path) -> None:
    run(COMPILED, tmp_path / "folder", workers=2)
    expected = contents(tmp_path / "folder")
    assert run(COMPILED, "memory://one", workers=2).is_complete
    assert in_memory("one") == expected
    assert run(COMPILED, f"file://{tmp_path}/file", workers=2).is_complete
    assert contents(tmp_path / "file") == expected


def test_a_run_in_another_store_is_resumed_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(COMPILED, tmp_path / "folder", workers=2)
    expected, system = contents(tmp_path / "folder"), fsspec.filesystem("memory")
    for address in ("memory://two", f"file://{tmp_path}/file"):
        with monkeypatch.context() as patch:
            patch.setattr("experiments.tournament._num_boards", stopping_after(6))
            with pytest.raises(KeyboardInterrupt):
                run(COMPILED, address, workers=1)
        done = len(RunDirectory.open(address).finished_parts())
        assert 0 < done < COMPILED.num_parts
        run(RunDirectory.open(address).spec, address, workers=1)
    system.pipe_file("/two/games/part-000002.parquet", b"damaged")
    system.rm("/two/deals/part-000004.parquet")
    run(COMPILED, "memory://two", workers=1)
    assert in_memory("two") == expected
    assert contents(tmp_path / "file") == expected


def stopping_after(calls: int) -> Callable[[RunSpec, int], int]:
    """In place of `_num_boards`: Ctrl-C in the middle. It is called once a missing part, and for each that is done."""
    count = 0

    def num_boards(spec: RunSpec, part: int) -> int:
        nonlocal count
        count += 1
        if count > spec.num_parts + calls:
            raise KeyboardInterrupt
        return 1

    return num_boards


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_commands_accept_addresses(tmp_path: Path, kind: str) -> None:
    address = f"{kind}://{tmp_path}/run"
    runner = CliRunner()
    command = shlex.split("tournament kronions --bot random --bot heuristic --players 2 --rule round_cap=1 --boards 8")
    made = runner.invoke(main, [*command, "--out", address])
    assert (made.exit_code, made.stderr) == (0, "")
    assert f"rows in {address}/games" in made.stdout
    for command in (["resume", address], ["verify", address], ["replay", address, "--game-id", "3"]):
        done = runner.invoke(main, command)
        assert (done.exit_code, done.stderr) == (0, ""), command
    fsspec.filesystem(kind).rm(f"{tmp_path}/run/games/part-000002.parquet")
    assert runner.invoke(main, ["verify", address]).exit_code == 1
    assert runner.invoke(main, ["resume", address]).exit_code == 0
    assert runner.invoke(main, ["verify", address]).exit_code == 0
    other = runner.invoke(main, [*command, "--seed", "1", "--out", address])
    assert other.exit_code == 2
    unknown = runner.invoke(main, ["resume", "nowhere://run"])
    assert (unknown.exit_code, unknown.stderr.count("\n")) == (2, 1)
