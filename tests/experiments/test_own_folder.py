"""A user's folder: files named like the library's, bots that print, and bots that have processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.processes import one_process
from tests.conftest import ROOT, RunPython
from tests.experiments.running import PATIENCE

LOUD = """
import atexit, os
from .helper import K
def shout(where):
    print("noise", where)
    os.write(1, b"noise file 1\\n")
    os.system("echo noise of a child")
shout("import")
atexit.register(shout, "end")
class Bot:
    def __init__(self, game):
        shout("init")
    def choose(self, view, rng):
        shout("choose")
        return view.legal_actions()[K]
"""
# Modules that Python, we and what we build on import at once, late, or in worker processes only.
SHADOWS = """
bisect click fsspec heapq json llvmlite logging matplotlib multiprocessing numba numpy pandas pickle pyarrow queue
random rich scipy select signal socket statistics struct tempfile threading types
"""
POSITION = (
    "phase=play round=1 dealer=1 size=3 flip=C11 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=1,0,1,0 won=0,0,0,0 "
    "voids=-,-,-,- hands=C2.V2.F2,?,?,? played=-,N10,N5,N11 leader=1 trick=N10,N5,N11 actor=0"
)
GAME = ["--players", "3", "--rule", "round_cap=2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of a bot, beside files named like modules of Python and of libraries."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_folder_bots").mkdir()
    for name, text in (("__init__", ""), ("helper", "K = 0"), ("loud", LOUD)):
        (folder / "own_folder_bots" / f"{name}.py").write_text(text)
    for name in SHADOWS.split():
        (folder / f"{name}.py").write_text("X = 1")
    (folder / "bin").mkdir()
    (folder / "bin" / "hiddenhand").write_text(
        "from experiments.cli import main\nif __name__ == '__main__':\n    main()"
    )
    return folder


def command(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of the installed command, started in the folder."""
    done = subprocess.run(
        [sys.executable, folder / "bin" / "hiddenhand", *arguments],
        cwd=folder,
        env=os.environ | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_files_named_like_modules_and_prints_of_a_bot_spoil_nothing(folder: Path) -> None:
    bots = ["--bot", "x=own_folder_bots.loud:Bot", "--bot", "heuristic"]
    commands = {
        "kronions, 3 players, 2 boards": ["tournament", "kronions", *bots, *GAME, "--boards", "2", "--out", "run"],
        "run.json: kronions, 2 bots": ["verify", "run"],
        "own_folder_bots.loud:Bot in kronions": [
            "check-bot", "own_folder_bots.loud:Bot", "--game", "kronions", *GAME, "--boards", "1",
        ],
    }  # fmt: skip
    for start, arguments in commands.items():
        code, out, errors = command(folder, *arguments)
        assert code == 0, errors
        assert out.startswith(start)
        assert "noise" not in out
        assert {"noise import", "noise init", "noise choose", "noise file 1", "noise of a child"} <= set(
            errors.splitlines()
        )
    (folder / "run" / "manifest.json").unlink()
    code, out, errors = command(folder, "resume", "run")
    assert (code, "noise" in out, "noise choose" in errors) == (0, False, True), errors


@pytest.mark.parametrize(
    "arguments",
    [
        ["think", "kronions", "--rule", "only_round=3", "--state", POSITION],
        ["bids", "kronions", "--hand", "N13,N12", "--players", "3", "--seat", "1", "--trump", "Nova"],
    ],
)
def test_a_bot_that_is_refused_does_not_print_into_the_output(folder: Path, arguments: list[str]) -> None:
    code, out, errors = command(folder, *arguments, "--bot", "own_folder_bots.loud:Bot")
    assert (code, out) == (2, ""), errors
    assert "noise init" in errors
    assert "is not a built-in one" in errors


def test_a_worker_process_may_have_processes_and_prints_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with one_process() as process:
        assert process.submit(eval, "__import__('multiprocessing').Pool(1).map(abs, [-3])").result() == [3]
        spawned = "__import__('multiprocessing').get_context('spawn').Pool(1).map(abs, [-3])"
        assert process.submit(eval, spawned).result() == [3]
        process.submit(print, "noise", flush=True).result()
        process.submit(os.system, "echo noise of a child").result()
        assert process.submit(os.getenv, "PYTHONSAFEPATH").result() == os.environ.get("PYTHONSAFEPATH")
    out, errors = capfd.readouterr()
    assert out == ""
    assert errors.splitlines() == ["noise", "noise of a child"]


PROCESSES = """
from experiments.processes import Processes
if __name__ == "__main__":
    use = "__import__('cardkit.rng', fromlist=['mix']).{}(__import__('numpy').uint64(1))"
    hits = "sum(__import__('cardkit.rng', fromlist=['mix']).mix.stats.cache_hits.values())"
    for _ in range(2):
        workers = Processes(1)
        workers.submit(eval, use.format("mix")).result()
        print(workers.submit(eval, hits).result())
        workers.shutdown()
"""


def test_worker_processes_warn_once_and_share_what_cannot_be_kept(tmp_path: Path, run_python: RunPython) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "script.py").write_text(PROCESSES)
    cache = tmp_path / "script.py"  # a file, where no folder can be
    settings = {"HIDDENHAND_CACHE": str(cache), "TMPDIR": str(tmp_path / "temporary")}
    done = run_python("-W", "always", str(tmp_path / "script.py"), **settings)
    assert done.stdout.splitlines() == ["0", "1"]
    assert done.stderr.splitlines() == [
        f"Warning: cannot write compiled code to {cache}/hiddenhand (Not a directory): the next start compiles it again"
    ]
    assert not list((tmp_path / "temporary").iterdir())


def test_modules_are_found_though_a_bot_went_to_a_folder_that_is_gone(tmp_path: Path) -> None:
    code = (
        "import os; from bots.bot import CurrentFolder; CurrentFolder.search('bot'); "
        "os.rmdir(os.getcwd()); import filelock, not_there"
    )
    (tmp_path / "gone").mkdir()
    command, settings = [sys.executable, "-c", code], os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path / "gone", env=settings, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'not_there'"
