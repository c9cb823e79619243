"""Runs that a stop rule ends: after the same part however they are played, with nothing of what lies beyond it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cardkit.spec import InvalidText
from experiments.boards import board_results
from experiments.cli import main
from experiments.intervals import Strata
from experiments.report import report_html
from experiments.rundir import RunDirectory
from experiments.sequential import Decision, decide
from experiments.spec import RunSpec, make_spec
from experiments.stop_rules import StopRule, look_boards
from experiments.stopping import Stopping
from experiments.summary import summarise
from experiments.tournament import run
from tests.experiments.helpers import contents

RULE = "h>random:effect=0.5"
BOTS = ("random", "h=heuristic")


def spec_of(stop_when: str = RULE, boards: int = 2000) -> RunSpec:
    return make_spec("kronions", BOTS, options={"num_players": 2}, boards=boards, format="deal", stop_when=stop_when)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = run(spec_of(), tmp_path_factory.mktemp("stopped") / "run", workers=1).path
    return path


def test_it_ends_with_the_first_look_that_decides(stopped: Path, tmp_path: Path) -> None:
    directory = RunDirectory.open(stopped)
    whole = run(spec_of(""), tmp_path / "whole", workers=2)
    results = board_results(whole)
    decisions = {}
    rule = Stopping(directory)._test.rule  # type: ignore[union-attr]
    for look in look_boards(2000):
        one, other = (results.bot(bot).at(np.arange(look)) for bot in ("h", "random"))
        decisions[look] = decide(rule, one.means("points") - other.means("points"), one.strata)
    first = next(look for look, decision in decisions.items() if decision.accepted)
    assert directory.is_complete
    assert len(board_results(directory)) == first < 2000
    assert directory.spec.boards_of_part(directory.finished_parts()[-1])[1] == first
    for table in directory.tables:
        rows = directory.read(table)
        assert rows.equals(whole.read(table).slice(0, len(rows)))


@pytest.mark.parametrize("boards", [600, 2000, 1_000_000])
def test_where_it_ends_does_not_depend_on_the_most_that_may_be_played(
    stopped: Path, tmp_path: Path, boards: int
) -> None:
    directory = run(spec_of(boards=boards), tmp_path / "run", workers=2)
    expected = RunDirectory.open(stopped)
    assert directory.read("deals").equals(expected.read("deals"))
    assert Stopping(directory).decision == Stopping(expected).decision


@pytest.mark.parametrize("boards", [1, 64, 100, 1300, 54_321, 10**9])
@pytest.mark.parametrize("bot", ["h=heuristic", "h=mc:iterations=1000"])
def test_parts_end_at_looks(boards: int, bot: str) -> None:
    spec = make_spec("kronions", ("random", bot), boards=boards, stop_when="h>random")
    looks = list(look_boards(boards))
    ends = {look: spec.parts.of_board(look - 1) for look in looks}
    for look, part in ends.items():
        assert spec.boards_of_part(part)[1] == look
        assert spec.parts.is_last_before_end(part)
    assert ends[boards] == spec.num_parts - 1
    some = {0, 1, 5, spec.num_parts // 2, spec.num_parts - 1}
    for part in (part for part in some if part < spec.num_parts):
        first, end = spec.boards_of_part(part)
        assert 0 < end - first <= spec.boards_in_part
        assert spec.parts.of_board(first) == spec.parts.of_board(end - 1) == part
        assert first == (spec.boards_of_part(part - 1)[1] if part else 0)
        assert spec.parts.is_last_before_end(part) == (end in looks)


def test_it_looks_at_the_scheduled_boards_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six parts a look: a decision between looks, of which there would be many more, does not count."""
    seen = []

    def watched(rule: StopRule, gaps: np.ndarray, strata: Strata) -> Decision:
        seen.append(len(gaps))
        return decide(rule, gaps, strata)

    monkeypatch.setattr("experiments.sequential.decide", watched)
    monkeypatch.setattr("experiments.spec.boards_in_part", lambda *arguments: 17)
    run(spec_of("h>random:effect=0.01", boards=260), tmp_path / "run", workers=2)
    assert seen == [100, 125, 160, 200, 250, 260]


@pytest.mark.parametrize("workers", [2, 8])
def test_the_same_bytes_for_any_number_of_workers(stopped: Path, tmp_path: Path, workers: int) -> None:
    run(spec_of(), tmp_path / "run", workers=workers)
    assert contents(tmp_path / "run") == contents(stopped)
    assert {file.name for file in (tmp_path / "run" / "timing").iterdir()} == {
        f"part-{part:06d}.json" for part in RunDirectory.open(stopped).finished_parts()
    }


def test_a_stopped_run_is_not_played_on(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.tournament.play_part", lambda *arguments: pytest.fail("played"))
    assert run(spec_of(), stopped, workers=2).is_complete


def test_a_lost_part_is_played_again_and_later_ones_are_dropped(stopped: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(stopped, copy)
    (copy / "games" / "part-000000.parquet").unlink()
    end = len(RunDirectory.open(stopped).finished_parts())
    for table in ("games", "deals"):  # what a killed coordinator had played beyond the end
        (copy / table / f"part-{end + 2:06d}.parquet").write_bytes(b"beyond")
    run(spec_of(), copy, workers=2)
    assert contents(copy) == contents(stopped)


def test_a_rule_that_is_never_decided_plays_all_boards(tmp_path: Path) -> None:
    directory = run(spec_of("h>random:effect=0.01", boards=64), tmp_path / "run", workers=2)
    assert len(directory.finished_parts()) == directory.spec.num_parts
    decision = Stopping(directory).decision
    assert decision is not None
    assert (decision.accepted, decision.boards) == ("", 64)


def test_the_rule_is_part_of_the_spec_in_full() -> None:
    assert spec_of().stop_when == "h>random:effect=0.5,alpha=0.05,beta=0.05"
    assert RunSpec.from_json(spec_of().to_json()) == spec_of()
    assert spec_of().hash() != spec_of("").hash()
    with pytest.raises(InvalidText, match="its stop rule is not written in full"):
        RunSpec.from_json(spec_of().to_json() | {"stop_when": "h>random"})


def test_the_commands_say_why_a_run_ended(stopped: Path) -> None:
    shown = CliRunner().invoke(main, ["resume", str(stopped)])
    assert "stop rule h>random:effect=0.5" in shown.stdout
    played = len(board_results(RunDirectory.open(stopped)))
    assert f"kronions, 2 players, {played} of 2000 boards, seed 0" in shown.stdout
    assert "h - random is nearer to the effect than to 0" in " ".join(shown.stdout.split())
    assert "the stop rule looks after 100, 125, 160, 200, 250, 315, 400, 500, 630 and 800" in shown.stdout
    assert "the stop rule ended this run by its results" in shown.stdout
    checked = CliRunner().invoke(main, ["verify", str(stopped)])
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert "h - random is nearer to the effect than to 0 after" in checked.stdout


def test_a_replay_of_a_game_beyond_the_end_says_where_the_run_ended(stopped: Path) -> None:
    games = RunDirectory.open(stopped).num_rows("games") // 2
    for game in (games, 3999):
        shown = CliRunner().invoke(main, ["replay", str(stopped), "--game-id", str(game)])
        message = f"game {game} is not in this run, which its stop rule ended: expected 0..{games - 1}"
        assert (shown.exit_code, shown.stderr) == (2, f"Error: {message}\n")
    assert CliRunner().invoke(main, ["replay", str(stopped), "--game-id", str(games - 1)]).exit_code == 0


def test_a_bad_rule_is_one_line(tmp_path: Path) -> None:
    command = ["tournament", "kronions", "--bot", "random", "--bot", "heuristic", "--out", str(tmp_path / "run")]
    for rule, message in (
        ("random", "expected A>B"),
        ("random>heuristc", "no bot 'heuristc'; did you mean 'heuristic'?"),
        ("random>heuristic:effect=0", "effect '0': expected a number 0.01..10"),
    ):
        result = CliRunner().invoke(main, [*command, "--stop-when", rule])
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_run_of_the_old_schedule_says_that_its_stop_rule_ended_it(stopped: Path, tmp_path: Path) -> None:
    """Schema 2 looked after every part, of one size, and took the rounds as they stand."""
    whole = run(spec_of("", boards=400), tmp_path / "old", workers=1)
    data = json.loads((whole.path / "run.json").read_text())
    data["schema"], data["spec"]["stop_when"] = 2, RunDirectory.open(stopped).spec.stop_when
    (whole.path / "run.json").write_text(json.dumps(data))
    parts = json.loads((whole.path / "manifest.json").read_text())["parts"]
    kept = {name: entry for name, entry in parts.items() if int(name) < 3}
    old = RunSpec.from_json(data["spec"], schema=2)
    (whole.path / "manifest.json").write_text(json.dumps({"spec": old.hash(), "parts": kept}))
    assert [old.boards_of_part(part) for part in (0, 1, 7)] == [(0, 50), (50, 100), (350, 400)]
    assert old.rounds.tolist() == list(range(29))
    found = summarise(RunDirectory.open(whole.path))
    assert found.boards == 150
    assert "is nearer to the effect than to 0 after" in found.stop_rule
    assert any("the stop rule ended this run by its results" in line for line in found.warnings)
    assert "It looks after every 50 boards, and after the last one." in report_html(found)
