"""What a run survives: random kills, a full disk, damaged files, a vanished folder, a wild clock, SIGTERM."""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.rundir import RunDirectory
from experiments.tournament import run
from tests.conftest import ROOT
from tests.experiments.helpers import contents, small_spec
from tests.experiments.running import (
    PATIENCE,
    PAUSING,
    Start,
    finish,
    group_of,
    kill,
    parts_done,
    wait_for,
    wait_for_parts,
)

in_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
SPEC = small_spec("random", "h=heuristic", boards=40, seed=3, moves=True)
ARGUMENTS = (
    "tournament kronions --bot random --bot h=heuristic --boards 40 --seed 3 --moves --players 3 --rule round_cap=3"
)
PAUSED = small_spec(PAUSING, "random", boards=15, seed=11, moves=True)
PAUSED_ARGUMENTS = (
    f"tournament kronions --bot {PAUSING} --bot random --boards 15 --seed 11 --moves --players 3 --rule round_cap=3"
)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return contents(run(SPEC, tmp_path_factory.mktemp("whole") / "run", workers=1).path)


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return contents(run(PAUSED, tmp_path_factory.mktemp("paused") / "run", workers=2).path)


# Kills, of the coordinator or a worker


def kill_until_finished(path: Path, start: Start, rng: random.Random, kills: int) -> int:
    """Kill the coordinator or one of its workers at random moments, then let it finish; how many kills met a run."""
    hits = 0
    for _ in range(kills):
        arguments = (
            ["resume", str(path)] if (path / "run.json").exists() else [*PAUSED_ARGUMENTS.split(), "--out", str(path)]
        )
        process = start(*arguments, "--workers", str(rng.choice([1, 2, 3])), pause=0.01)
        if rng.random() < 0.3:
            time.sleep(rng.uniform(0, 2))
        else:
            wait_for(lambda: group_of(process) or process.poll() is not None, "a worker")  # noqa: B023
            time.sleep(rng.uniform(0, 1.5))
        if process.poll() is not None:
            assert process.returncode == 0, finish(process)
            break
        workers = group_of(process)
        hits += 1
        if workers and rng.random() < 0.5:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(rng.choice(sorted(workers)), signal.SIGKILL)
            code, _, errors = finish(process)
            assert code in (0, 1), errors  # 0 where the worker had nothing more to do
            assert code == 0 or errors.startswith("Error: a worker process died"), errors
        else:
            kill(process)
    code, _, errors = finish(start("resume", str(path)))
    assert (code, errors) == (0, "")
    return hits


@in_proc
def test_kills_at_random_moments_lose_and_double_nothing(
    tmp_path: Path, start: Start, paused: dict[str, bytes]
) -> None:
    assert kill_until_finished(tmp_path / "run", start, random.Random(1), 5) > 0
    assert contents(tmp_path / "run") == paused


@in_proc
@pytest.mark.slow
def test_a_hundred_kills(tmp_path: Path, start: Start, paused: dict[str, bytes]) -> None:
    hits, runs = 0, 0
    while hits < 100:
        path = tmp_path / f"run{runs}"
        hits += kill_until_finished(path, start, random.Random(runs), min(8, 100 - hits))
        assert contents(path) == paused
        runs += 1


# A full disk


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A folder on a file system with room for some parts only."""
    path = Path(tempfile.mkdtemp())
    mount = shutil.which("mount")
    mounted = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=160k", "tmpfs", path], capture_output=True)
    has_disk = bool(mounted) and mounted.returncode == 0  # type: ignore[union-attr]
    yield path if has_disk else path / "limited"
    if has_disk:
        subprocess.run(["umount", path], check=True)
    shutil.rmtree(path)


def test_a_full_disk_keeps_what_is_finished(small_disk: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    """Without the right to mount one: a limit on the size of files, which fails the writes just as a full disk does."""
    path = small_disk / "run"
    is_limited = small_disk.name == "limited"
    limit = min(len(data) for name, data in expected.items() if name.startswith("moves/")) - 1

    def limit_files() -> None:
        if is_limited:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "experiments.cli", *ARGUMENTS.split(), "--out", str(path)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=limit_files, timeout=PATIENCE)
    assert found.returncode == 2, found.stderr
    assert found.stderr.startswith(f"Error: cannot write to '{path}/")
    assert found.stderr.count("\n") == 1
    kept = RunDirectory.open(path).finished_parts()
    assert len(kept) < SPEC.num_parts
    assert is_limited or kept
    assert all(RunDirectory.open(path).is_valid(part) for part in kept)
    moved = tmp_path / "run"  # where there is room
    shutil.copytree(path, moved)
    run(SPEC, moved, workers=2)
    assert contents(moved) == expected


# Damage


@pytest.mark.parametrize("table", ["games", "deals", "moves"])
@pytest.mark.parametrize("damage", ["truncated", "bit", "empty", "gone", "manifest"])
def test_a_damaged_part_is_found_and_played_again(
    tmp_path: Path, expected: dict[str, bytes], table: str, damage: str
) -> None:
    path = run(SPEC, tmp_path / "run", workers=2).path
    file = path / table / "part-000003.parquet"
    data = bytearray(file.read_bytes())
    if damage == "truncated":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "bit":
        data[len(data) // 3] ^= 4
        file.write_bytes(data)
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "gone":
        file.unlink()
    else:
        (path / "manifest.json").write_bytes((path / "manifest.json").read_bytes()[:100])
    run(SPEC, path, workers=2)
    assert contents(path) == expected


def test_a_directory_that_vanishes_is_one_sentence(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "run"
    process = start(*PAUSED_ARGUMENTS.split(), "--out", str(path), "--workers", "1", pause=0.01)
    wait_for_parts(process, path, 1)
    path.rename(tmp_path / "elsewhere")
    code, out, errors = finish(process)
    assert (code, out) == (2, "")
    assert re.fullmatch(rf"Error: cannot write to '{path}/\S+': No such file or directory\n", errors)
    kept = RunDirectory.open(tmp_path / "elsewhere")
    assert all(kept.is_valid(part) for part in kept.finished_parts())


def test_a_clock_that_jumps_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, bytes]
) -> None:
    clock = random.Random(5)
    monkeypatch.setattr(time, "time", lambda: clock.uniform(-1e9, 4e9))
    monkeypatch.setattr(time, "time_ns", lambda: clock.randrange(4 * 10**18))
    run(SPEC, tmp_path / "run", workers=2)
    assert contents(tmp_path / "run") == expected


# Signals


@in_proc
def test_sigterm_keeps_what_is_finished(tmp_path: Path, start: Start, paused: dict[str, bytes]) -> None:
    path = tmp_path / "run"
    process = start(*PAUSED_ARGUMENTS.split(), "--out", str(path), "--workers", "2", pause=0.01)
    wait_for_parts(process, path, 1)
    process.terminate()
    code, out, errors = finish(process)
    assert (code, out) == (143, "")
    assert errors == f"stopped; what is finished is kept: go on with 'hiddenhand resume {path}'\n"
    assert 0 < len(parts_done(path)) < 15
    assert finish(start("resume", str(path)))[0] == 0
    assert contents(path) == paused
