"""Fixtures of commands: one that starts them, and an empty folder for them to run in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.experiments.pausing import PAUSE
from tests.experiments.running import Start, end_all


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A function that starts `hiddenhand *arguments`, with a `pause` of `PAUSING`; what is left ends with the test.

    The process leads a group of its own, to which its worker processes belong. Bots may lie in `tmp_path`.
    """
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, pause: float = 0.0) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", *arguments],
            cwd=ROOT,
            env=os.environ | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(tmp_path), PAUSE: str(pause)},
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    end_all(started)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of its own, in which the test runs."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
