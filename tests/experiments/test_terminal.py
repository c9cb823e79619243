"""Streams and signals of commands: Ctrl-C is answered at once, and nothing else is taken for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from experiments import tournament
from experiments.commands import INTERRUPTED, Command
from tests.conftest import ROOT, RunPython
from tests.experiments.helpers import small_spec
from tests.experiments.running import PATIENCE

# The main thread in C code that no signal interrupts, as when LLVM compiles.
DEAF = """
import ctypes, signal, sys
import click
from experiments.commands import Command
@click.command(cls=Command)
def deaf():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    ctypes.CDLL(None).sleep(100000)
deaf()
"""


def test_ctrl_c_ends_a_command_that_python_cannot_interrupt() -> None:
    command = [sys.executable, "-c", DEAF]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=PATIENCE) == ("", "\n")
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED


def test_an_interrupted_run_does_not_wait_for_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be compiling; what they come back with is not wanted any more."""
    goes_on, has_ended = threading.Event(), threading.Event()

    def compile_long(*arguments: Any) -> None:
        goes_on.wait(PATIENCE)
        has_ended.set()

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "_timed_part", compile_long)
    monkeypatch.setattr(tournament, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tournament.run(small_spec(), tmp_path / "run", workers=1)
    assert not has_ended.is_set()
    goes_on.set()
    assert has_ended.wait(PATIENCE)


def test_the_end_of_a_file_is_not_taken_for_ctrl_c() -> None:
    @click.command(cls=Command)
    def read() -> None:
        raise EOFError("ran out of input")

    found = CliRunner().invoke(read, [])
    assert isinstance(found.exception, EOFError)
    assert found.exit_code == 1


def test_a_closed_standard_output_is_left_alone(run_python: RunPython) -> None:
    code = "import os, sys; os.close(1); from experiments.cli import main; main(['cards', 'check', 'standin'])"
    script = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {code!r}]).returncode > 2)"
    run_python("-c", script)


def test_results_keep_the_encoding_that_was_asked_for() -> None:
    code = "import sys, experiments.terminal as terminal\nwith terminal.results_apart(): print('é', sys.stdout.errors)"
    settings = os.environ | {"PYTHONIOENCODING": "latin-1:replace", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout == "é replace\n".encode("latin-1")
