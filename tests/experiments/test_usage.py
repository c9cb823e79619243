"""What the command line says to words it does not understand, and to run directories that somebody edited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from cardkit.spec import InvalidText
from experiments.cli import main
from experiments.match import play_part
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.schedule import Schedule
from experiments.tournament import run
from tests.experiments.helpers import small_spec

USAGE = [
    ("tournament kronions --workers 0", "'--workers'"),
    ("tournament kronions --players x", "'x' is not a valid integer"),
    ("tournament kronions --boards 1.5", "'1.5' is not a valid integer"),
    ("tournament", "Missing argument 'GAME'"),
    ("tournamnt kronions", "Did you mean 'tournament'?"),
    ("tournament kronions --bots random", "--bot"),
    ("replay somewhere", "Missing option '--game-id'"),
    ("replay somewhere --game-id x", "'x' is not a valid integer"),
    ("bench kronions --against x", "'openspiel'"),
]


@pytest.mark.parametrize(("words", "message"), USAGE)
def test_words_it_does_not_understand_get_one_line(words: str, message: str) -> None:
    result = CliRunner().invoke(main, words.split())
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("tournament kronions --bot random --out", "--out"),
        ("tournament kosmogonia --bot random --cards", "--cards"),
        ("tournament kronions --bot random --cluster", "--cluster"),
        ("tournament kronions --bot random --config", "--config"),
        ("resume", "DIRECTORY"),
        ("report", "DIRECTORY"),
        ("report run --out", "--out"),
        ("verify", "DIRECTORY"),
        ("replay --game-id 0", "DIRECTORY"),
        ("cards check", "DIRECTORY"),
        ("cards measure", "[DIRECTORY]"),
        ("bench kronions --json", "--json"),
    ],
)
def test_an_empty_place_is_refused(words: str, name: str, empty_folder: Path) -> None:
    """A variable of the shell that is not set must not mean the default folder, or this one."""
    result = CliRunner().invoke(main, [*words.split(), ""])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: Invalid value for '{name}': it is empty, expected a path or an address. ")
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize("key", ["out", "cards", "cluster"])
def test_an_empty_place_in_a_configuration_is_refused(key: str, empty_folder: Path) -> None:
    Path("run.toml").write_text(f'bot = ["random"]\n{key} = ""\n')
    result = CliRunner().invoke(main, ["tournament", "kosmogonia", "--config", "run.toml"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "it is empty, expected a path or an address." in result.stderr
    assert [file.name for file in empty_folder.iterdir()] == ["run.toml"]


def test_no_run_is_written_to_an_empty_address(empty_folder: Path) -> None:
    with pytest.raises(InvalidText, match=r"^cannot use '' for a run: expected a folder or an address$"):
        run(small_spec(), "", workers=1)
    assert list(empty_folder.iterdir()) == []


def test_a_bench_does_not_write_to_a_folder(empty_folder: Path) -> None:
    result = CliRunner().invoke(main, ["bench", "kronions", "--json", str(empty_folder)])
    assert (result.exit_code, result.stderr) == (2, f"Error: cannot write {str(empty_folder)!r}: it is a folder\n")


def test_the_end_of_a_file_is_not_taken_for_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise EOFError("a file that is cut")

    monkeypatch.setattr(main.commands["bots"], "callback", fail)
    result = CliRunner().invoke(main, ["bots"])
    assert isinstance(result.exception, EOFError)
    assert result.exit_code == 1


def test_without_a_command_the_help_is_shown() -> None:
    result = CliRunner().invoke(main, [])
    assert result.exit_code == 2
    assert "tournament" in result.stderr


EDITS: list[tuple[str, Any]] = [
    ("seed", -1), ("seed", 5), ("seating", "q"), ("format", "deal"), ("bots", []), ("bots", [["a", "nobody"]]),
    ("boards_in_part", 0), ("boards_in_part", 5), ("boards", "x"), ("options", 3), ("moves", 1), ("game", "chess"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), EDITS)
def test_an_edited_spec_is_refused_in_one_line(tmp_path: Path, key: str, value: Any) -> None:
    run(small_spec(), tmp_path / "run", workers=1)
    file = tmp_path / "run" / "run.json"
    data = json.loads(file.read_text())
    data["spec"][key] = value
    file.write_text(json.dumps(data))
    result = CliRunner().invoke(main, ["resume", str(tmp_path / "run")])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("manifest", ["{}", "[]", '{"parts": []}', '{"parts": {"0": {}}}', '{"parts": {"99": 1}}'])
def test_a_manifest_of_another_form_counts_for_nothing(tmp_path: Path, manifest: str) -> None:
    directory = run(small_spec(), tmp_path / "run", workers=1)
    before = (tmp_path / "run" / "manifest.json").read_bytes()
    data = json.loads(manifest)
    if isinstance(data, dict) and data.get("parts"):
        data["spec"] = directory.spec.hash()
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(data))
    run(small_spec(), tmp_path / "run", workers=1)
    assert (tmp_path / "run" / "manifest.json").read_bytes() == before


def test_a_damaged_timing_is_left_out(tmp_path: Path) -> None:
    run(small_spec(), tmp_path / "run", workers=1)
    for file, text in zip(
        sorted((tmp_path / "run" / "timing").iterdir()), ("", "[]", '{"play_seconds": "x"}'), strict=False
    ):
        file.write_text(text)
    assert CliRunner().invoke(main, ["resume", str(tmp_path / "run")]).exit_code == 0


def test_the_manifest_is_read_again_under_the_lock(tmp_path: Path) -> None:
    late = RunDirectory.create(tmp_path / "run", small_spec())
    run(small_spec(), tmp_path / "run", workers=1)
    with late.locked():
        assert late.missing_parts() == []


def test_repairing_a_complete_run_marks_it_as_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(small_spec(), tmp_path / "run", workers=1)
    (tmp_path / "run" / "games" / "part-000000.parquet").unlink()
    states = []

    def watched(*arguments: Any) -> Any:
        states.append(json.loads((tmp_path / "run" / "run.json").read_text())["state"])
        return play_part(*arguments)

    monkeypatch.setattr("experiments.tournament.play_part", watched)
    run(small_spec(), tmp_path / "run", workers=1)
    assert states == ["running"]


def test_replay_refuses_a_bot_that_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = "class Bot:\n    def __init__(self, game):\n        pass\n\n"
    source += "    def choose(self, view, rng):\n        return view.legal_actions()[0]\n"
    (tmp_path / "changing_bot.py").write_text(source)
    run(small_spec("b=changing_bot:Bot", boards=1), tmp_path / "run", workers=1)
    (tmp_path / "changing_bot.py").write_text(source.replace("[0]", "[-1]"))
    result = CliRunner().invoke(main, ["replay", str(tmp_path / "run"), "--game-id", "0"])
    assert result.exit_code == 2
    assert "has changed since this run began" in result.stderr
    assert result.stdout == ""


def test_line_ups_that_come_round_with_the_rounds_meet_every_round() -> None:
    schedule = Schedule(4, 4, num_variants=14)
    met = {(schedule.lineup_of_board(board), board % 14) for board in range(6 * 14)}
    assert len(met) == 6 * 14
    slots = schedule.games(60, 80)
    assert [int(lineup) for lineup in slots["lineup"][:: schedule.games_a_board]] == [
        schedule.lineup_of_board(board) for board in range(60, 80)
    ]


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **keywords: Any) -> None:
        raise OSError(28, "No space left on device")

    directory = RunDirectory.create(tmp_path / "run", small_spec())
    tables = play_part(small_spec(), 0, np.zeros(1, np.int64))
    assert tables is not None
    monkeypatch.setattr("experiments.stores.Folder.write", full)
    with directory.locked(), pytest.raises(RunError, match=r"cannot write to .*: No space left on device"):
        directory.write_part(0, tables)
