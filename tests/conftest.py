"""What several test files share: running Python in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

ROOT = Path(__file__).resolve().parent.parent
OTHER_MODE = "0" if numba.config.DISABLE_JIT else "1"  # NUMBA_DISABLE_JIT for the mode that this process is not in

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # tests begun with & in a script; Ctrl-C is among what is tested
    signal.signal(signal.SIGINT, signal.default_int_handler)

RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run_python() -> RunPython:
    """A function that runs `python *arguments` and fails the test, with its output, where the process fails.

    Keywords: `cwd` (the project by default, whose packages are then imported), and environment variables; compiled
    unless `NUMBA_DISABLE_JIT` says otherwise. Warnings are errors unless the arguments say otherwise.
    """

    def run(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
        ours = {"NUMBA_DISABLE_JIT": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
        variables = os.environ | ours | environment
        done = subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            cwd=cwd,
            env=variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{arguments} failed:\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture(scope="session")
def run_other_mode(run_python: RunPython) -> Callable[[str], list[str]]:
    """A function that runs a line of Python in the other mode, plain or compiled, and gives its output lines."""

    def run(code: str) -> list[str]:
        return run_python("-c", code, NUMBA_DISABLE_JIT=OTHER_MODE).stdout.splitlines()

    return run
