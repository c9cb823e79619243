"""Benchmarks in small: everything is measured and shown, and nothing is asserted about speed."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bots
from cardkit.spec import InvalidRules
from experiments import bench, benches, measuring, rivals
from experiments.games import game_names, make_game
from experiments.loops import reference_loop
from experiments.measuring import FULL, SMALL, Case, Figure, Label, at_once, enough, figure, measure
from tests.experiments.helpers import invoke, output

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'hiddenhand[bench]'")

LABEL = Label("section", "what", "games/s")
WORLDS_OF_RIVALS = [f"worlds, middle of {seats}" for seats in ("4 x 12", "5 x 10", "6 x 8")]


pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.fixture(autouse=True)
def timed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would be timed in processes of their own: they are noted here and not run."""
    commands: list[list[str]] = []
    fake = SimpleNamespace(run=lambda command, **keywords: commands.append([str(word) for word in command]))
    monkeypatch.setattr(benches, "subprocess", fake)
    return commands


def small_bench(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What `hiddenhand bench` prints in small."""
    run = bench.run_bench
    monkeypatch.setattr(bench, "run_bench", lambda *words: run(*words, SMALL))
    return output("bench", *arguments, columns=200)


# Measuring


def test_a_figure_is_a_median_with_its_range() -> None:
    assert figure(LABEL, [3.0, 1.0, 2.0, 10.0, 4.0]) == Figure(LABEL, 3.0, 1.0, 10.0, 5)
    assert figure(LABEL, [3.0, 1.0]).to_json() == {
        "section": "section", "what": "what", "unit": "games/s", "threads": 1, "value": 2.0, "low": 1.0, "high": 3.0,
        "repeats": 2,
    }  # fmt: skip


def test_cases_take_turns_and_the_first_round_warms_up() -> None:
    made: list[tuple[str, int]] = []

    def case(name: str) -> Case:
        def run(repeat: int) -> tuple[float, ...]:
            made.append((name, repeat))
            return (float(len(made)),)

        return Case((Label("", name, "games/s"),), run)

    found = measure([case("a"), case("b")], SMALL)
    assert made == [("a", 0), ("b", 0), ("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert {label.what: values for label, values in found.items()} == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_several_threads_are_timed_by_the_wall() -> None:
    game = make_game("kronions", **make_game("kronions").bench_options)
    cases = [benches.play_case(game, "random", threads, SMALL) for threads in (1, 2)]
    cases += [benches.search_case(game, "ismcts", 50, threads, SMALL) for threads in (1, 2)]
    assert [case.is_wall for case in cases] == [False, True, False, True]
    waits = [
        Case((LABEL,), lambda _: (measuring.seconds_of(lambda: time.sleep(0.2)),), is_wall) for is_wall in (False, True)
    ]
    (processor,), (wall,) = (case.measured(0) for case in waits)
    assert processor < 0.1 < 0.2 <= wall


def test_a_busy_machine_is_noticed() -> None:
    assert measuring.busy_note({"load": 0.9, "cores": 2}) == ""
    assert measuring.busy_note({"load": 3.21, "cores": 2}).startswith("other programs are busy here (load 3.2)")


def test_what_takes_long_is_repeated_less(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: next(clock))
    case = Case((LABEL,), lambda repeat: (1.0,))
    found = [measure([case], replace(FULL, patience=patience))[LABEL] for patience in (0.5, 2.5, 1000.0)]
    assert [len(values) for values in found] == [measuring.FEWEST, measuring.FEWEST + 2, FULL.repeats]


def test_processor_time_does_not_count_waiting() -> None:
    with measuring.processor_time():
        assert measuring.seconds_of(lambda: time.sleep(0.2)) < 0.1
    assert measuring.seconds_of(lambda: time.sleep(0.2)) >= 0.2


def test_enough_doubles_until_it_takes_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    clock = iter(np.cumsum([0.0, 1.0, 9.0, 2.0, 9.0, 4.0]).tolist())
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: next(clock))
    assert enough(done.append, 3.0) == 4
    assert done == [1, 1, 2, 4], "once to compile"


def test_enough_gives_up_on_what_takes_no_time() -> None:
    assert enough(lambda times: None, 60.0) == measuring._MOST_TIMES


@pytest.mark.parametrize("number", [1, 2, 3])
def test_jobs_run_at_once_on_threads_of_their_own(number: int) -> None:
    together = threading.Barrier(number, timeout=30)
    threads: list[int] = []

    def job() -> None:
        together.wait()  # a job that waited for another to end would never get through
        threads.append(threading.get_ident())

    assert at_once([job] * number) > 0
    assert len(set(threads)) == number


def test_the_machine_is_named() -> None:
    found = measuring.machine()
    text = measuring.machine_in_words(found)
    assert found["cores"] >= 1
    assert found["processor"] in text
    assert f"{found['cores']} core" in text
    assert re.search(r"Python 3\.\d+\.\d+$", text)


def test_the_reference_loop_is_what_it_was() -> None:
    """It is the measure of everything that was kept: a change of it would shift all ratios."""
    word, total = 88172645463325252, 0
    for _ in range(1000):
        word ^= word << 13 & 2**64 - 1
        word ^= word >> 7
        word ^= word << 17 & 2**64 - 1
        total += word.bit_count()
    assert int(reference_loop(np.uint64(88172645463325252), 1000)) == total


# What is measured of a game


@pytest.mark.parametrize("name", game_names())
def test_everything_is_measured_of_every_game(name: str) -> None:
    game = make_game(name)
    found = benches.game_figures(game, make_game(name, **game.bench_options), SMALL)
    figures = {one.label: one for one in found}
    assert len(figures) == len(found), "labels are different"
    for label, one in figures.items():
        assert 0 <= one.low <= one.value <= one.high, label
        assert one.value > 0 or label.section == benches.START, label  # nothing was run there
    shown = {(label.what, label.threads) for label in figures}
    unit = game.bench_unit
    for threads in (1, 2):
        for what in (f"random {unit}", "random decisions", f"heuristic {unit}", "heuristic decisions"):
            assert (what, threads) in shown
        for bot in benches.SEARCHES:
            assert {(f"{bot}, 50", threads), (f"{bot}, 200", threads)} <= shown
    for what in ("the plan", "drawn"):
        assert {(f"{what}, {when} in a deal", 1) for when in ("early", "halfway", "late")} <= shown
    assert {("1 game", 1), ("16 games", 1)} <= shown
    values = {label.what: one.value for label, one in figures.items()}
    assert values["a record"] == game.state_dtype.itemsize
    assert values["a batch of 1,000,000 games"] == game.state_dtype.itemsize + 8, "MB; a record and a mask a game"


def test_decisions_and_deals_are_of_the_same_games() -> None:
    game = make_game("kronions")
    case = benches.play_case(make_game("kronions", **game.bench_options), "random", 2, SMALL)
    deals, decisions = case.run(0)
    assert decisions / deals == pytest.approx(4 * 13)


def test_views_are_of_one_deal_and_hide_cards() -> None:
    views = benches.views_of_deal(make_game("kronions", num_players=4), 3)
    assert len(views) == 4 * (1 + int(views[0].record.hand_size))
    assert all(view.observer == view.current_player() for view in views)


def test_a_bot_that_never_searches_is_noticed() -> None:
    game = make_game("kronions", num_players=4, only_round=1)
    views = benches.views_of_deal(game, 0)[-4:]  # each seat has one card left
    bot = benches.Bot(benches.parse_bot("ismcts:iterations=10"), game)
    with pytest.raises(ValueError, match="no decision of kronions is searched by 'ismcts:iterations=10'"):
        benches._first_searched(bot, views)


def test_the_first_run_that_writes_files_warms_up(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([(100.0, 1.0), (10.0, 2.0), (10.0, 4.0)])

    def run(spec: Any, path: Path, workers: int) -> Any:
        play, write = next(seconds)
        return SimpleNamespace(
            tables=["deals"], num_rows=lambda table: 1000, size=lambda table: 5000,
            write_seconds=lambda: write, play_seconds=lambda: play,
        )  # fmt: skip

    monkeypatch.setattr(benches, "run", run)
    row, share, size = benches._file_figures(make_game("kronions"), SMALL)
    assert (row.low, row.high, row.repeats) == (2000, 4000, SMALL.runs), "microseconds"
    assert (share.low, share.high, size.value) == (20, 40, 5), "percent, bytes"


def test_the_commands_that_bench_times_are_valid(timed: list[list[str]], empty_folder: Path) -> None:
    benches._start_figures("kronions", SMALL)
    assert {tuple(command[:3]) for command in timed} == {(sys.executable, "-m", "experiments.cli")}
    assert sum(command[3:] == ["--help"] for command in timed) == SMALL.runs + 1, "one to warm up"
    tournaments = [command[3:] for command in timed if command[3] == "tournament"]
    assert len({command[-1] for command in tournaments}) == len(tournaments) == SMALL.runs + 1
    assert invoke(*tournaments[0][:-1], str(empty_folder / "run")).exit_code == 0


# The rivals


@pytest.fixture(scope="module")
def compared() -> dict[str, rivals.Comparison]:
    return {one.what: one for one in rivals.comparisons(SMALL)}


def test_openspiel_is_measured_in_turn(compared: dict[str, rivals.Comparison]) -> None:
    both = ["random deals, both from Python", *(f"{what}, both from Python" for what in WORLDS_OF_RIVALS)]
    searches = [f"{bot}, first bid of 4 x 12" for bot in ("ismcts", "moismcts")]
    deals = [f"random deals of 4 x 12{how}" for how in ("", ", its chance known to be even")]
    expected = {*deals, *both, *searches, *WORLDS_OF_RIVALS}
    broken = {f"{what}, that break a void" for what in WORLDS_OF_RIVALS}
    assert {what for what in compared if "bridge" not in what} == expected | broken
    for what in expected:
        one = compared[what]
        assert one.ratio is not None
        assert 0 < one.ratio.low <= one.ratio.value <= one.ratio.high
        assert one.here.low / one.there.high <= one.ratio.low
        assert one.here.label.unit == one.there.label.unit


def test_our_worlds_break_no_voids_and_theirs_do(compared: dict[str, rivals.Comparison]) -> None:
    found = [compared[f"{what}, that break a void"] for what in WORLDS_OF_RIVALS]
    assert all(one.here.high == 0 for one in found)
    assert any(one.there.high > 0 for one in found)
    assert all(one.ratio is None for one in found)


def test_simulations_that_are_not_made_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    state = make_game("kronions", "oh_hell", num_players=4, hand_size=3).new_initial_state(1)
    bot = bots.make("ismcts:iterations=10", state.game)
    table: Any = SimpleNamespace(ours=state)
    assert rivals._our_rate(bot, [table], SMALL, 0) > 0
    monkeypatch.setattr(bot, "choose", lambda view, rng: 0)  # as where there is one sensible bid
    assert rivals._our_rate(bot, [table], SMALL, 0) == 0


def test_a_broken_void_is_seen() -> None:
    state = make_game("kronions", "oh_hell", num_players=4, hand_size=3).new_initial_state(1)
    state.record.voids[1] = 1 << 2
    suit_2 = 1 << 13 * 2 + 5
    assert not rivals.breaks_a_void(state, [suit_2, 0, suit_2, suit_2])
    assert rivals.breaks_a_void(state, [0, suit_2, 0, 0])
    assert not rivals.breaks_a_void(state, [0, ~(0x1FFF << 26) & 2**52 - 1, 0, 0])


@pytest.mark.parametrize("name", ["rlcard", "pgx"])
def test_bridge_is_measured_where_it_is_installed(name: str) -> None:
    pytest.importorskip(name, reason=f"needs {name}: pip install 'hiddenhand[rivals]'")
    rate = rivals.BRIDGES[name][0](SMALL)
    assert rate(0) > 0


def test_bridge_that_is_not_installed_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "find_spec", lambda name: None)
    lines = rivals.explanations(SMALL)
    for name in ("rlcard", "pgx"):
        assert f"{name}, whose bridge could be measured: not installed" in lines
    assert any("200 iterations, random rollouts" in line for line in lines)


def test_a_library_that_was_built_and_not_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "find_spec", lambda name: name == "pyspiel" or None)
    assert re.fullmatch(r"\d+\.\d+.*", rivals.rival_versions()["open-spiel"])
    monkeypatch.setattr(rivals, "version", lambda name: importlib.metadata.version(f"no-{name}"))
    assert rivals.rival_versions() == {"open-spiel": "of unknown version"}


# The command


def test_bench_shows_and_writes_what_it_measured(monkeypatch: pytest.MonkeyPatch, empty_folder: Path) -> None:
    text = small_bench(monkeypatch, "kronions", "--against", "openspiel", "--json", "figures.json")
    data = json.loads(Path("figures.json").read_text())
    assert list(data) == ["machine", "versions", "games", "against", "seconds"]
    assert data["versions"]["open-spiel"] in text
    assert list(data["games"]) == ["kronions"]
    for found in data["games"]["kronions"]["figures"]:
        assert re.search(rf"^ +{re.escape(found['what'])} ", text, re.MULTILINE)
        assert f" {found['section']} " in text
    for found in data["against"]:
        assert re.search(rf"^ *{re.escape(found['what'])} ", text, re.MULTILINE)
    assert [path.name for path in empty_folder.iterdir()] == ["figures.json"]


def test_bench_without_a_game_measures_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def measured(game: Any, sized: Any, scale: Any) -> list[Figure]:
        asked.append((game.name, sized.name))
        return [Figure(LABEL, 1.0, 1.0, 1.0)]

    monkeypatch.setattr(bench, "game_figures", measured)
    text = small_bench(monkeypatch)
    assert asked == [(name, name) for name in game_names()]
    assert "card set 'Stand-in'" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.00004, "0"),
        (0.000401, "0.000401"),
        (0.01234, "0.0123"),
        (1.5, "1.5"),
        (99.96, "100"),
        (999.6, "1,000"),
        (123456.7, "123,457"),
    ],
)
def test_numbers_have_three_digits_or_all_before_the_point(value: float, text: str) -> None:
    assert bench.show_number(value) == text


def test_a_table_puts_two_threads_beside_one(capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        Figure(LABEL, 2_000_000.0, 1_000_000.0, 3_000_000.0),
        Figure(LABEL._replace(threads=2), 3_500_000.0, 3_000_000.0, 4_000_000.0),
        Figure(Label("section", "more", "worlds/s"), 25_000.0, 9_500.0, 30_000.0),
        Figure(Label("section", "few", "worlds/s"), 9_500.0, 900.0, 20_000.0),
        Figure(Label("section", "size", "bytes"), 120_000.0, 120_000.0, 120_000.0),
    ]
    bench.show_figures(bench.console(), "title", found)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "what 2 (1 .. 3) 3.5 (3 .. 4) million games/s" in lines
    assert "more 25 (9.5 .. 30) thousand worlds/s" in lines
    assert "few 9,500 (900 .. 20,000) worlds/s" in lines
    assert "size 120,000 bytes" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("kronoins", "unknown game 'kronoins'; did you mean 'kronions'?"),
        ("''", "unknown game ''"),
        ("kronions --json ''", "Invalid value for '--json': it is empty, expected a path or an address."),
        ("truf --against openspiel", "openspiel has no game like 'truf': expected kronions"),
        ("kronions --json no/figures.json", "cannot write 'no/figures.json': there is no folder 'no'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_measured(
    arguments: str, message: str, empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "game_figures", lambda *_: pytest.fail("something was measured"))
    result = invoke("bench", *shlex.split(arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1
    assert list(empty_folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.os, "access", lambda path, mode: False)
    result = invoke("bench", "kronions", "--json", "figures.json")
    assert result.exit_code == 2
    assert result.stderr == "Error: cannot write 'figures.json': no permission in the folder '.'\n"


def test_bench_without_openspiel_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    result = invoke("bench", "kronions", "--against", "openspiel")
    assert result.exit_code == 2
    assert result.stderr == "Error: openspiel is not installed: pip install 'hiddenhand[bench]'\n"


def test_a_file_that_cannot_be_written_leaves_nothing(empty_folder: Path) -> None:
    (empty_folder / "taken").mkdir()
    with pytest.raises(InvalidRules, match="cannot write 'taken': "):
        measuring.write_json(Path("taken"), {})
    assert [path.name for path in empty_folder.iterdir()] == ["taken"]
