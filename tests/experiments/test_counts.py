"""Counting what kernels execute: the file of cachegrind, how arguments are handed over, and a loop that is known."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cardkit.spec import InvalidRules
from experiments import counts
from experiments.loops import reference_loop
from tests.conftest import ROOT

FILE = """desc: I1 cache: 32768 B
cmd: python
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim
fl=/x/dictobject.c
fn=lookup
7 1000 0 0 1 1 0 0 0 0 9 9 9 9
fl=/x/kronions/kernels.py
fn=_ZN8kronions7kernels5applyB3v42B48abcE
12 10 0 0 3 1 0 2 0 0 4 2 1 1
13 5 0 0 0 0 0 0 0 0 0 0 0 0
fn=_ZN5numba7builtinE
12 1 0 0 0 0 0 0 0 0 0 0 0 0
summary: 1016 0 0 4 2 0 2 0 0 13 11 10 10
"""
LOOP = """
import numpy as np
from experiments import counts
from experiments.loops import reference_loop
found = counts.count(reference_loop, lambda: (np.uint64(1), 10_000))
has_lines = any(file.endswith("loops.py") for file, line in found.lines)
print(found.answer, *found.total.astype(int), int(has_lines), *found.functions)
"""


def test_only_compiled_python_is_counted() -> None:
    found = counts.read_counts(FILE)
    assert list(found.functions) == ["kronions.kernels.apply", "numba.builtin"]
    executed = dict(zip(counts.EVENTS, found.functions["kronions.kernels.apply"].tolist(), strict=True))
    assert executed == {"Ir": 15, "Bc": 4, "Bcm": 2, "Bi": 1, "Bim": 1, "Dr": 3, "Dw": 2, "D1mr": 1, "D1mw": 0}
    assert {line: numbers[0] for (_, line), numbers in found.lines.items()} == {12: 11, 13: 5}
    assert found.total[0] == 16


def test_arguments_are_what_compiled_code_takes() -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    record = np.zeros(1, [("x", "u2"), ("y", "u2")])[0]
    words = list(counts._words((7, (True, 0.5), array, record, np.uint64(3))))
    assert words == [7, True, 0.5, 0, 0, 6, 4, array.tobytes(), 2, 3, 12, 4, bytes(4), 3]
    assert [type(word) for word in words[:3]] == [int, bool, float]


@pytest.mark.skipif(not all(map(shutil.which, counts.TOOLS)), reason="needs valgrind and a C compiler")
@pytest.mark.parametrize("debug", ["0", "1"])
def test_a_loop_executes_what_it_says(debug: str, tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_DEBUGINFO": debug, "HIDDENHAND_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", LOOP], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer, *numbers, has_lines, name = done.stdout.split()
    assert has_lines == debug
    assert int(answer) == reference_loop(np.uint64(1), 10_000)
    assert name == "experiments.loops.reference_loop"
    executed = dict(zip(counts.EVENTS, map(int, numbers), strict=True))
    assert 10 <= executed["Ir"] / 10_000 <= 20, "three shifts and xors, and a count of bits: one instruction for LLVM"
    assert executed["Bc"] / 10_000 <= 1.01
    assert executed["Bcm"] < 100, "its only branch is the end of the loop"


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts.shutil, "which", lambda tool: None if tool == "valgrind" else f"/bin/{tool}")
    with pytest.raises(InvalidRules, match=r"^counting needs the programs valgrind, nm, cc: valgrind not found$"):
        counts.count(reference_loop, lambda: (np.uint64(1), 1))


def test_an_unknown_player_is_one_line_of_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDENHAND_COUNTING", "1")
    result = CliRunner().invoke(counts.main, ["kronions", "nobody"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "nobody" in result.stderr


def test_tables_show_what_one_of_them_takes(capsys: pytest.CaptureFixture[str]) -> None:
    counts.show(counts.read_counts(FILE), 2, "deals", 1)
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "kronions.kernels.apply 7.50 2.00 1.00 0.50 0.50 2.50 0.50" in shown
    assert "kronions/kernels.py:12 5.50 2.00 1.00 0.50 0.50 2.50 0.50" in shown
