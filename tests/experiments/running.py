"""Real runs in processes of their own: started, watched in /proc, killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

PATIENCE = 300.0  # seconds that anything may take on a machine that is busy with other things
PAUSING = "tests.experiments.pausing:Pausing"

Start = Callable[..., "subprocess.Popen[str]"]


def wait_for(is_true: Callable[[], Any], what: str) -> None:
    """Poll until something holds."""
    end = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.002)


def wait_for_parts(process: subprocess.Popen[str], path: Path, parts: int) -> None:
    """Poll until a run that goes on has finished so many parts."""
    wait_for(lambda: len(parts_done(path)) >= parts or process.poll() is not None, f"{parts} parts")
    assert process.poll() is None, finish(process)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a process that ends by itself."""
    out, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, out, errors


def parts_done(path: Path) -> list[int]:
    """The parts that the manifest names; it is replaced as a whole, so it can be read at any time."""
    file = path / "manifest.json"
    return [int(part) for part in json.loads(file.read_text())["parts"]] if file.exists() else []


# Processes, by /proc


def status_of(pid: int) -> tuple[str, int, int] | None:
    """State, parent and group of a process; None where there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return fields[0], int(fields[1]), int(fields[2])


def group_of(leader: subprocess.Popen[Any]) -> set[int]:
    """All processes of the leader's group but itself: its workers."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return {pid for pid in pids if pid != leader.pid and (found := status_of(pid)) and found[2] == leader.pid}


def living(pids: set[int]) -> set[int]:
    """Those that still run; one that is dead but not yet reaped does not."""
    return {pid for pid in pids if (found := status_of(pid)) and found[0] not in "ZX"}


def end_all(started: Iterable[subprocess.Popen[Any]]) -> None:
    """End processes that lead groups of their own, with all that is left of their groups."""
    for process in started:
        if process.poll() is None or living(group_of(process)):
            with contextlib.suppress(ProcessLookupError):  # they have just ended
                os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


def kill(process: subprocess.Popen[str]) -> set[int]:
    """SIGKILL for the coordinator alone; the processes of its group at that moment."""
    workers = group_of(process)
    process.kill()
    process.wait(timeout=PATIENCE)
    return workers
