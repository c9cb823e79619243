"""The ratchet on made-up numbers: what is slower, what is said of it, and what is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cardkit.spec import InvalidRules
from experiments import ratchet
from experiments.measuring import FULL, SMALL, Case, Label, Scale, machine
from experiments.ratchet import FASTER, GONE, NEW, SAME, SLOWER, Change, changes, costs_now, read_kept, write_kept

KEPT = {"same": 10.0, "slower": 10.0, "faster": 10.0, "gone": 10.0}
NOW = {"same": 11.4, "slower": 11.6, "faster": 8.6, "new": 3.0}


@pytest.mark.parametrize(
    ("kept", "now", "verdict"),
    [
        (10.0, 10.0, SAME),
        (10.0, 11.5, SAME),
        (10.0, 11.51, SLOWER),
        (10.0, 8.7, SAME),
        (10.0, 8.69, FASTER),
        (None, 1.0, NEW),
        (1.0, None, GONE),
    ],
)
def test_more_than_15_percent_is_slower(kept: float | None, now: float | None, verdict: str) -> None:
    assert Change("x", kept, now).verdict == verdict


def test_changes_are_in_the_order_of_measuring_and_forget_nothing() -> None:
    found = {change.name: change.verdict for change in changes(KEPT, NOW)}
    assert list(found) == ["same", "slower", "faster", "new", "gone"]
    assert found == {"same": SAME, "slower": SLOWER, "faster": FASTER, "new": NEW, "gone": GONE}


def test_a_cost_is_in_steps_of_the_reference_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate of 50 a second is 0.02 seconds each: 20 steps of 0.001 seconds."""
    monkeypatch.setattr(ratchet, "enough", lambda action, seconds: 1)
    monkeypatch.setattr(ratchet, "seconds_of", lambda action: 1.0)  # for 1000 steps
    rates = iter([1.0, 50.0, 40.0, 100.0])  # the first warms up
    case = Case((Label("", "x", "games/s"),), lambda repeat: (next(rates),))
    assert ratchet.costs_of({"x": case}, SMALL, 3) == {"x": pytest.approx(20.0)}


def test_what_looks_slower_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Case((), lambda repeat: ())
    measured: list[list[str]] = []
    answers = iter([{"a": 20.0, "b": 20.0, "c": 10.0}, {"a": 10.5, "b": 19.0}, {"b": 21.0}])

    def costs(cases: Any, scale: Scale, repeats: int) -> Mapping[str, float]:
        measured.append(list(cases))
        return next(answers)

    monkeypatch.setattr(ratchet, "main_cases", lambda scale: {name: lambda: nothing for name in "abc"})
    monkeypatch.setattr(ratchet, "costs_of", costs)
    monkeypatch.setattr(ratchet, "in_process_of_its_own", lambda action, *arguments: action(*arguments))
    assert costs_now({"a": 10.0, "b": 10.0, "c": 10.0}) == {"a": 10.5, "b": 19.0, "c": 10.0}
    assert measured == [["a", "b", "c"], ["a", "b"], ["b"]]
    answers = iter([{"a": 4.0, "b": 20.0, "c": 10.0}])
    assert costs_now({"c": 10.0}) == {"a": 4.0, "b": 20.0, "c": 10.0}, "nothing looks slower"


def test_the_lowest_costs_of_several_processes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([{"a": 4.0, "b": 2.0}, {"a": 3.0, "b": 3.0}, {"a": 5.0, "b": 2.5}])
    monkeypatch.setattr(ratchet, "in_process_of_its_own", lambda action: next(answers))
    assert ratchet.lowest_costs() == {"a": 3.0, "b": 2.0}


def test_a_process_of_its_own_is_another_one_each_time() -> None:
    assert len({os.getpid(), *(ratchet.in_process_of_its_own(os.getpid) for _ in range(2))}) == 3


def test_a_measuring_process_that_is_killed_is_one_line_of_error() -> None:
    with pytest.raises(InvalidRules, match="the process that measures was killed"):
        ratchet.in_process_of_its_own(os._exit, 1)


@pytest.mark.parametrize(("now", "code"), [({"same": 11.0}, 0), ({"same": 11.0, "slower": 12.0}, 1)])
def test_the_command_names_what_is_slower(
    now: dict[str, float], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ratchet.json"
    file.write_text(json.dumps({"machine": {"processor": "an old one"}, "costs": {"same": 10.0, "slower": 10.0}}))
    monkeypatch.setattr(ratchet, "KEPT", file)
    monkeypatch.setattr(ratchet, "costs_now", lambda kept: now)
    result = CliRunner(env={"COLUMNS": "120"}).invoke(ratchet.main, [])
    assert result.exit_code == code, result.output
    assert "kept on another processor (an old one)" in result.stdout
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "same 10 11 1.10" in lines
    assert ("slower 10 12 1.20 slower" in lines) == bool(code)
    assert ("slower by more than 15%: slower" in lines) == bool(code)
    assert ("nothing takes more than 15% more time than kept" in lines) == (not code)


def test_what_is_kept_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ratchet.json"
    monkeypatch.setattr(ratchet, "KEPT", file)
    monkeypatch.setattr(ratchet, "lowest_costs", lambda: {"a": 12.345678, "b": 1234567.0})
    result = CliRunner().invoke(ratchet.main, ["--keep"])
    assert result.exit_code == 0, result.output
    assert read_kept(file)["costs"] == {"a": 12.35, "b": 1235000.0}
    assert read_kept(file)["machine"]["processor"] == machine()["processor"]
    assert [path.name for path in tmp_path.iterdir()] == ["ratchet.json"]


def test_costs_that_cannot_be_kept_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(InvalidRules, match=r"cannot write '.*taken': "):
        write_kept(tmp_path / "taken", {"a": 1.0})
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"machine": {}}',
        '{"machine": {}, "costs": {}}',
        '{"machine": {}, "costs": {"a": 0}}',
        '{"machine": {}, "costs": {"a": "x"}}',
    ],
)
def test_a_damaged_file_is_one_line_of_error(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ratchet.json"
    file.write_text(text)
    monkeypatch.setattr(ratchet, "KEPT", file)
    result = CliRunner().invoke(ratchet.main, [])
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: ratchet.json does not hold costs above 0 by name: 'make bench-keep' measures them\n"
    )
    file.unlink()
    with pytest.raises(InvalidRules, match=r"cannot read ratchet.json: .*; 'make bench-keep' measures it"):
        read_kept(file)


def test_the_main_figures_of_every_game_can_be_measured(tmp_path: Path) -> None:
    costs = ratchet.costs_of({name: make() for name, make in ratchet.main_cases(SMALL).items()}, SMALL, 1)
    assert len(costs) == 21
    assert all(cost > 0 for cost in costs.values())
    write_kept(tmp_path / "ratchet.json", costs)
    assert not [change for change in changes(read_kept(tmp_path / "ratchet.json")["costs"], costs) if change.verdict]


def test_the_file_in_the_repository_has_the_main_figures() -> None:
    kept = read_kept(ratchet.KEPT)["costs"]
    assert list(kept) == list(ratchet.main_cases(FULL))
