"""`hiddenhand check-bot`: what it finds in bots that do something wrong, and that good ones pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from experiments.cli import main

SOURCE = """
import os, random, time

class Good:
    def __init__(self, game):
        pass
    def choose(self, view, rng):
        return int(rng.choice(view.legal_actions()))

class Chance(Good):
    def choose(self, view, rng):
        return random.choice(view.legal_actions())

class Counts(Good):
    moves = 0
    def choose(self, view, rng):
        Counts.moves += 1
        return view.legal_actions()[Counts.moves % len(view.legal_actions())]

class Slow(Good):
    def choose(self, view, rng):
        time.sleep(60)

class Illegal(Good):
    def choose(self, view, rng):
        return 63

class Raises(Good):
    def choose(self, view, rng):
        raise KeyError("lost")

class Brackets(Good):
    def choose(self, view, rng):
        raise KeyError("[/x] and [bold]")

class Dies(Good):
    def choose(self, view, rng):
        os.abort()

class DiesWhenBuilt(Good):
    def __init__(self, game):
        os._exit(0)

class Faults(Good):
    def __init__(self, game):
        os.kill(os.getpid(), 11)

class SlowToBuild(Good):
    def __init__(self, game):
        time.sleep(60)

class TakesItsTime(Good):
    def __init__(self, game):
        time.sleep(0.03)

class CannotBeBuilt(Good):
    def __init__(self, game):
        raise KeyError("lost")
"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    (tmp_path / "guest_bots.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def invoke(name: str, *more: str) -> Result:
        rules = ["--game", "kronions", "--players", "2", "--rule", "round_cap=3", "--boards", "3"]
        return CliRunner().invoke(main, ["check-bot", f"guest_bots:{name}", *rules, *more])

    return invoke


def test_a_good_bot_passes(check) -> None:  # type: ignore[no-untyped-def]
    result = check("Good")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "FAILED" not in result.stdout
    assert result.stdout.count(" ok ") == 4
    assert "ms the slowest" in result.stdout


@pytest.mark.parametrize("name", ["Chance", "Counts"])
def test_answers_that_do_not_come_from_view_and_rng_are_found(check, name: str) -> None:  # type: ignore[no-untyped-def]
    result = check(name)
    assert result.exit_code == 1
    assert "the same answers to the same seed   FAILED" in result.stdout
    assert result.stdout.count("FAILED") == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Slow", "took longer than its 150 ms for a move"),
        ("Illegal", "answered with the illegal action 63"),
        ("Raises", "raised KeyError: 'lost'"),
        ("Brackets", "raised KeyError: '[/x] and [bold]'"),
        ("Dies", "a worker process died when bot 'bot' was to move"),
        ("DiesWhenBuilt", "a worker process died when bot 'bot' was to move (board 0, rotation 0,"),
        ("Faults", "a worker process died when bot 'bot' was to move (board 0, rotation 0,"),
        ("SlowToBuild", "took longer than its 150 ms for a move"),
        ("CannotBeBuilt", "cannot be built: KeyError: 'lost'"),
    ],
)
def test_faults_are_named(check, name: str, words: str) -> None:  # type: ignore[no-untyped-def]
    result = check(name, "--move-limit", "150" if name.startswith("Slow") else "60000")
    assert result.exit_code == 1
    assert words in " ".join(result.stdout.split())
    assert "not seen, as it did not get so far" in result.stdout


def test_a_module_that_ends_its_process_is_named(check, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "guest_bots.py").write_text("import os\nos._exit(0)")
    result = check("Good")
    assert result.exit_code == 1
    assert "its process died while it was loaded" in " ".join(result.stdout.split())


def test_the_time_to_build_a_bot_counts(check) -> None:  # type: ignore[no-untyped-def]
    result = check("TakesItsTime")
    assert result.exit_code == 0
    slowest = re.search(r"([\d.]+) ms the slowest", " ".join(result.stdout.split()))
    assert slowest is not None
    assert float(slowest.group(1)) >= 30


def test_a_label_may_be_given() -> None:
    result = CliRunner().invoke(main, ["check-bot", "x=heuristic", "--game", "kronions", "--preset", "mini"])
    assert (result.exit_code, result.stderr) == (0, "")


def test_built_in_bots_pass() -> None:
    result = CliRunner().invoke(main, ["check-bot", "mc:iterations=20", "--game", "kronions", "--preset", "mini"])
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody:Class", "--game", "kronions"], "cannot be loaded"),
        (["random", "--game", "chess"], "unknown game 'chess'"),
        (["random"], "Missing option '--game'"),
        (["random", "--game", "kronions", "--move-limit", "0"], "Invalid value for '--move-limit'"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["check-bot", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
