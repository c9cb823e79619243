"""Intervals of real tournaments and analyses hold the truth in 93 to 97 % of seeds, or it is said what they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binom

from experiments import analysis
from experiments.boards import board_results
from experiments.seating import seat_effects
from experiments.spec import make_spec
from experiments.stats import compare, standings
from experiments.summary import summarise
from experiments.tournament import run
from tests import coverage, interval_coverage
from tests.experiments.helpers import small_spec
from tests.interval_cases import CASES, FRAME_CASES, Case, Figure, frame_figures
from tests.interval_counts import BAND, Count, Row, is_about, long_run, measure, said_of, truths
from tests.interval_coverage import Kept, outside_table, tournament_table
from tests.memory_run import MemoryRun, with_seed

TINY = Case("tiny", "kronions", ("random", "heuristic"), (40,), 2, {"only_round": 2}, runs=200, truth=8000)
ROWS = {f"{case.name}, {boards} boards": (case, boards) for cases in CASES.values() for case in cases
        for boards in case.boards}  # fmt: skip
FEW = "fewer than 50 boards for random: intervals of points may hold the truth less often"
LONG = "intervals of win shares near their bounds, or of few boards, are longer than need be: heuristic"
HELD = (
    "kronions deal, 2 seats, 2 bots, 7 boards",
    "kronions deal, 2 seats, 2 bots, 50 boards",
    "kronions deal, 3 seats, twins, 200 boards",
    "kronions deal, 4 seats, 5 bots, 50 boards",
    "truf deal, 2 bots, 50 boards",
    "truf deal, 5 bots, 200 boards",
    "kronions game, 3 seats, twins, 200 boards",
    "kosmogonia, 2 seats, 2 bots, 50 boards",
    "kosmogonia, 3 seats, twins, 200 boards",
    "twins, 4000 boards",
    "a large difference, 1000 boards",
)


def is_within(count: Count) -> bool:
    """Whether 93 to 97 % give such a count in all but one of 5,000 cases."""
    low = binom.ppf(1e-4, count.shown, BAND[0])
    high = binom.ppf(1 - 1e-4, count.shown, max(BAND[1], count.usual / count.shown))
    return bool(count.is_sure or low <= count.held <= high)


@pytest.mark.slow
@pytest.mark.parametrize("name", HELD)
def test_intervals_of_real_tournaments_hold_the_truth_or_say_what_they_are(name: str) -> None:
    row = measure(*ROWS[name])
    assert not [count for count in row.counts if not is_within(count) and not count.is_announced]


@pytest.mark.slow
@pytest.mark.parametrize("case", FRAME_CASES, ids=lambda case: case.name)
def test_intervals_of_analyses_hold_the_truth_or_are_called_rough(case: Case) -> None:
    row = measure(case, max(case.boards))
    assert [count for count in row.counts if count.boards >= 50 and not count.heard]
    assert not [count for count in row.counts if not is_within(count) and not count.is_announced]


# The measurement itself


def test_a_run_in_memory_shows_what_a_run_on_disk_does(tmp_path: Path) -> None:
    spec = small_spec("random", "heuristic", "e=heuristic:epsilon=0.5", boards=24)
    on_disk, in_memory = run(spec, tmp_path / "run"), MemoryRun(spec)
    assert standings(in_memory) == standings(on_disk)
    assert seat_effects(in_memory) == seat_effects(on_disk)
    pd.testing.assert_frame_equal(analysis.bid_calibration(in_memory), analysis.bid_calibration(on_disk))
    assert summarise(in_memory).warnings == summarise(on_disk).warnings


def test_a_run_in_memory_ends_where_its_stop_rule_says(tmp_path: Path) -> None:
    spec = small_spec(boards=2000, stop_when="heuristic>random")
    on_disk, in_memory = run(spec, tmp_path / "run"), MemoryRun(spec)
    assert in_memory.finished_parts() == on_disk.finished_parts()
    assert 0 < len(board_results(in_memory)) < 2000
    found = summarise(in_memory)
    assert found.stop_rule == summarise(on_disk).stop_rule != ""
    is_said = found.stop_rule in said_of(in_memory)
    assert is_said is ("interval" in found.stop_rule), "a verdict alone is no warning about intervals"


def test_tables_that_are_not_kept_are_played_again() -> None:
    spec = small_spec(boards=6)
    found = MemoryRun(spec, ("games",))
    assert found.read("deals") == MemoryRun(spec).read("deals")
    assert found.read("games", ["score"]).column_names == ["score"]


def test_another_seed_is_all_that_changes() -> None:
    spec = small_spec(boards=8)
    assert with_seed(spec, 5) == small_spec(boards=8, seed=5)
    assert with_seed(spec, 5, 9).boards == 9
    stopping = small_spec(boards=8, stop_when="heuristic>random")
    assert with_seed(stopping, 0, stop_when="") == spec


def drawn(scale: float, size: int = 600) -> Count:
    """A count of intervals of a mean of 0, so many times as long as they should be."""
    count = Count("points", "random", 0.0, False)
    for mean in np.random.default_rng(1).standard_normal(size):
        count.add(Figure("points", "random", mean, mean - 1.96 * scale, mean + 1.96 * scale, 50))
    return count


@pytest.mark.parametrize(("scale", "is_outside"), [(0.7, True), (1.0, False), (1.5, True)])
def test_intervals_of_another_length_are_outside(scale: float, is_outside: bool) -> None:
    count = drawn(scale)
    assert (count.shown, count.held + count.below + count.above, count.boards) == (600, 600, 50)
    assert count.is_outside is is_outside
    assert is_within(count) is not is_outside
    low, high = count.limits
    assert low < count.share < high
    row = Row("tiny", 50, 600, 0.0, [count], {})
    assert len(list(outside_table([row]))) == 2 + is_outside
    assert ("!" in list(tournament_table([row]))[-1]) is is_outside


def test_what_cannot_be_otherwise_is_not_outside() -> None:
    count = replace(drawn(9.0), is_sure=True)
    assert count.share == 1
    assert not count.is_outside


def test_a_figure_that_is_nearly_always_the_same_may_be_held_more_often() -> None:
    count = replace(drawn(9.0), usual=599)
    assert not count.is_outside
    assert replace(count, usual=560).is_outside


def test_limits_of_all_and_nothing() -> None:
    assert Count("points", "a", 0.0, False, shown=10, held=10).limits[1] == 1
    assert Count("points", "a", 0.0, False, shown=10, held=0).limits[0] == 0


@pytest.mark.parametrize(
    ("sentence", "measure", "of", "is_meant"),
    [
        (FEW, "points", "random", True),
        (FEW, "points", "heuristic", False),
        (FEW, "rank", "random", False),
        ("fewer than 50 boards for random and 4 more: intervals of points", "points", "heuristic", True),
        ("fewer than 50 boards for random: intervals of points", "difference", "random - heuristic", True),
        ("one side won every game, so that ratings lie at least this far apart: random", "rating", "random", True),
        ("the rounds 8 to 29 were never played", "rank", "heuristic", True),
        ("intervals of random are too narrow; one that allows for it is 1 .. 2 points", "win share", "random", True),
        (LONG, "win share", "heuristic", True),
        (LONG, "share difference", "random - heuristic", True),
        (LONG, "seat share", "seat 1", False),
        (LONG, "rank", "heuristic", False),
        (LONG.replace("heuristic", "seat 1"), "seat share", "seat 1", True),
        (LONG.replace("heuristic", "seat 1"), "seat share", "seat 0", False),
        (LONG.replace("heuristic", "seat 1"), "win share", "heuristic", False),
        (LONG.replace("heuristic", "seat 1 and 2 more"), "seat share", "seat 0", True),
        (LONG.replace("heuristic", "seat 1 and 2 more"), "win share", "heuristic", False),
    ],
)  # fmt: skip
def test_warnings_belong_to_the_figures_that_they_name(sentence: str, measure: str, of: str, is_meant: bool) -> None:
    spec = make_spec("kronions", ("random", "heuristic"))
    assert is_about(sentence, Figure(measure, of, 0, 0, 0, 9), spec) is is_meant


def test_a_short_measurement() -> None:
    row = measure(TINY, 40)
    assert {count.measure for count in row.counts} == set(interval_coverage._COLUMNS)
    assert all(count.shown == 200 and count.listened == 10 for count in row.counts)
    assert all(is_within(count) for count in row.counts)
    assert {count.of for count in row.counts if count.is_announced and count.measure == "points"} == {
        "random",
        "heuristic",
    }


def test_the_truth_of_one_bot_under_two_names_is_no_difference() -> None:
    case = replace(TINY, bots=("a=heuristic", "b=heuristic"), truth=100)
    truth = truths(case)
    assert truth["difference", "a - b"][0] == 0
    assert truth["points", "a"][0] > 0


def test_the_truth_has_all_rounds_equally_often() -> None:
    spec = long_run(Case("rounds", "kronions", ("a=random", "b=random"), (5,), 6, format="deal", truth=100))
    boards = np.bincount(board_results(MemoryRun(spec)).variant)
    assert len(boards) == spec.num_variants
    assert boards.min() == boards.max() > 0
    assert boards.sum() >= 100


def test_frames_give_a_figure_for_each_measure_of_a_group() -> None:
    found = list(frame_figures("zero_bids", "endings")(MemoryRun(small_spec(boards=6))))
    frame = analysis.zero_bids(MemoryRun(small_spec(boards=6)))
    assert len([figure for figure in found if figure.measure.startswith("zero_bids")]) == 2 * len(frame)
    assert all(figure.low <= figure.mean <= figure.high for figure in found)
    first = frame.iloc[0]
    of = f"hand_size {first['hand_size']}, is_zero {first['is_zero']}"
    ends = first[["exact", "exact_low", "exact_high", "boards"]]
    assert Figure("zero_bids: exact", of, *ends, True) in found


def test_finished_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def fake(case: Case, boards: int, scale: float) -> Row:
        asked.append(scale)
        return Row(case.name, boards, 1, 0.0, [drawn(1.0, 9)], {"a warning": 3})

    monkeypatch.setattr(interval_coverage, "measure", fake)
    file = tmp_path / "rows.json"
    first = Kept(file).row(TINY, 40, 1.0)
    assert Kept(file).row(TINY, 40, 1.0) == first
    assert asked == [1.0]
    Kept(file).row(TINY, 40, 0.5)
    Kept(file).row(replace(TINY, players=3), 40, 0.5)
    assert asked == [1.0, 0.5, 0.5]


def test_tables_go_between_their_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "statistics.md"
    document.write_text("a\n<!-- real stops: begin -->\nold\n<!-- real stops: end -->\nb\n")
    monkeypatch.setattr(coverage, "DOCUMENT", document)
    coverage.write_section("real stops", ["new", "lines"])
    assert document.read_text() == "a\n<!-- real stops: begin -->\nnew\nlines\n<!-- real stops: end -->\nb\n"
    with pytest.raises(ValueError, match="0 places <!-- real frames: begin -->"):
        coverage.write_section("real frames", ["new"])


def test_differences_of_cases_are_those_of_compare() -> None:
    found = MemoryRun(TINY.spec(40))
    (pair,) = compare(board_results(found))
    figures = {figure[:2]: figure for figure in TINY.read(found)}
    assert figures["difference", "random - heuristic"].mean == pair.points.mean
    assert figures["share difference", "random - heuristic"].low == pair.win_share.low


def test_the_command_measures_what_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(case: Case, boards: int, scale: float) -> Row:
        return Row(case.name, boards, 600, 0.0, [drawn(0.7)], {})

    monkeypatch.setattr(interval_coverage, "measure", fake)
    done = CliRunner().invoke(interval_coverage.main, ["--only", "truf deal, 2 bots", "--boards", "50"])
    assert done.exit_code == 0
    assert "| truf deal, 2 bots | 50 | points of random |" in done.stdout
    for wrong, words in (
        (["--only", "bridge"], "no case of bridge"),
        (["--only", "truf", "--write"], "leave out --only"),
    ):
        refused = CliRunner().invoke(interval_coverage.main, wrong)
        assert (refused.exit_code, words in refused.stderr) == (2, True)
