"""The plots and tables of docs/benchmarks.md, in small: they say what was measured, where and how."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cardkit.spec import InvalidRules
from experiments import bench_page, scaling
from experiments.games import game_names
from experiments.measuring import SMALL, Scale
from experiments.scaling import STUDIES, Study
from experiments.scaling_plots import Panel, Plot, Series, draw

LINES = [Series("up", [(1, 10.0, 9.0, 12.0), (10, 20.0, 19.0, 22.0)]), Series("flat", [(1, 5.0, 5.0, 5.0)])]
PLOT = Plot([Panel("microseconds", LINES), Panel("MB", LINES[:1], is_log=False)], "boards", is_log_x=True)
PAGE = (
    "before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\n<!-- scaling: begin -->\n<!-- scaling: end -->\nafter\n"
)
WHERE = {
    "machine": {"processor": "a processor", "cores": 2, "system": "Linux", "python": "3.11.7", "load": 0.5},
    "versions": {"numba": "0.68"},
}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A document and folders of the test's own."""
    document = tmp_path / "benchmarks.md"
    document.write_text(PAGE)
    for module in (scaling, bench_page):
        monkeypatch.setattr(module, "DOCUMENT", document)
    monkeypatch.setattr(scaling, "FOLDER", tmp_path / "plots")
    monkeypatch.setattr(scaling, "DATA", tmp_path / "plots" / "scaling.json")
    return document


def is_ordered(plot: Plot) -> bool:
    points = [point for panel in plot.panels for series in panel.series for point in series.points]
    return bool(points) and all(0 < low <= middle <= high for _, middle, low, high in points)


# Drawing


def test_equal_plots_give_equal_drawings_with_all_labels() -> None:
    text = draw(PLOT, "a title")
    assert text == draw(Plot.from_json(json.loads(json.dumps(PLOT.to_json()))), "a title")
    for label in ("microseconds", "MB", "boards", "up", "flat", "a title", "10"):
        assert label in text
    assert not re.search(r"\d{4}-\d\d-\d\d", text), "no date"


def test_lines_differ_in_colour_and_in_marker() -> None:
    lines = [Series(str(i), [(1, 1.0, 1.0, 1.0), (2, 2.0, 2.0, 2.0)]) for i in range(5)]
    text = draw(Plot([Panel("s", lines)], "x", is_log_x=False), "t")
    colours = set(re.findall(r"stroke: (#[0-9a-f]{6}); stroke-width: 1.6", text))
    assert len(colours) == 5


# Measuring


def test_deals_of_several_sizes_are_measured() -> None:
    games = {size: scaling.make_game("kronions", "oh_hell", num_players=4, hand_size=size) for size in (1, 3)}
    plot = scaling._deal_costs(games, "tricks", SMALL)
    assert is_ordered(plot)
    (panel,) = plot.panels
    assert len(panel.series) == 5
    assert all([point[0] for point in series.points] == [1, 3] for series in panel.series)


@pytest.mark.parametrize("measure", [scaling.batch_sizes, scaling.iterations])
def test_batches_and_searches_of_every_game_are_measured(measure: Any) -> None:
    plot = measure(SMALL)
    assert is_ordered(plot)
    assert [series.name.split(",")[0] for series in plot.panels[0].series] == game_names()


def test_workers_are_compared_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "_boards_a_second", lambda spec, number: 10.0 * number**0.5)
    for series in scaling.workers(SMALL).panels[0].series[:2]:
        assert [point[1] for point in series.points] == pytest.approx([1, 2**0.5, 3**0.5, 2])


def test_a_whole_command_has_seconds_and_megabytes() -> None:
    scaling._whole_command(5)  # which may have to compile
    seconds, megabytes = scaling._whole_command(5)
    assert 0.1 < seconds < 300
    assert 100 < megabytes < 500, "its own alone"


# Documents


def test_studies_are_measured_drawn_and_written(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Scale] = []

    def measure(scale: Scale) -> Plot:
        asked.append(scale)
        return PLOT

    monkeypatch.setattr(scaling, "STUDIES", {"a": Study("A title", "What it shows.", measure)})
    scaling.measure_and_draw(("a",), False, SMALL)
    text = page.read_text()
    assert len(asked) == 1
    assert "### A title\n\nWhat it shows.\n\n![A title: cost by boards](plots/a.svg)\n" in text
    assert re.search(r"`python -m experiments.scaling --only a`, .*\d core.*, Python 3.*; hiddenhand .*numba ", text)
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    drawing = (page.parent / "plots" / "a.svg").read_bytes()
    (page.parent / "plots" / "a.svg").unlink()
    scaling.measure_and_draw((), True, SMALL)
    assert len(asked) == 1, "drawn again without measuring"
    assert (page.parent / "plots" / "a.svg").read_bytes() == drawing
    assert page.read_text() == text


def test_the_work_of_a_study_is_not_taken_for_other_programs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = [0.5]

    def measure(scale: Scale) -> Plot:
        load[0] += 3.0
        return PLOT

    monkeypatch.setattr(scaling, "machine", lambda: WHERE["machine"] | {"load": load[0]})
    monkeypatch.setattr(scaling, "STUDIES", {name: Study(name, "It shows.", measure, True) for name in ("a", "b")})
    scaling.measure_and_draw(("a", "b"), False, SMALL)
    assert [one["machine"]["load"] for one in json.loads(scaling.DATA.read_text()).values()] == [0.5, 0.5]
    assert "other programs" not in page.read_text()


def test_what_other_programs_spoil_is_said(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = WHERE | {"plot": PLOT.to_json()}
    for is_wall, load, text in (
        (False, 9.0, "It shows.\n"),
        (True, 0.5, "It shows. By the clock on the wall.\n"),
        (True, 9.0, "It shows. By the clock on the wall; other programs are busy here (load 9.0)"),
    ):
        monkeypatch.setattr(scaling, "STUDIES", {"a": Study("A title", "It shows.", lambda _: PLOT, is_wall)})
        assert text in scaling.section({"a": found | {"machine": WHERE["machine"] | {"load": load}}})


def test_the_tables_of_a_bench_come_into_the_document(page: Path, tmp_path: Path) -> None:
    def one(what: str, value: float, threads: int = 1) -> dict[str, Any]:
        numbers = {"value": value, "low": value / 2, "high": value * 2}
        return {"section": "play", "what": what, "unit": "deals/s", "threads": threads, **numbers}

    here, there, ratio = one("x", 12345.0), one("x", 10.0), one("x", 1234.5)
    data = WHERE | {
        "seconds": 12.3,
        "games": {"truf": {"figures": [one("deals", 1234567.0), one("deals", 2e6, 2)]}},
        "against": [{"what": "deals", "here": here, "there": there, "ratio": ratio}],
    }
    (tmp_path / "figures.json").write_text(json.dumps(data))
    result = CliRunner().invoke(bench_page.main, [str(tmp_path / "figures.json")])
    assert result.exit_code == 0, result.output
    text = page.read_text()
    assert "took 12 seconds on a processor, 2 cores, Linux, Python 3.11.7, load 0.5; numba 0.68." in text
    assert "| deals | 12,300 | 10 | 1,230 (617 .. 2,470) | deals/s |" in text
    assert "| deals | 1,230,000 (617,000 .. 2,470,000) | 2,000,000 (1,000,000 .. 4,000,000) | deals/s |" in text
    assert "old" not in text


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"machine": {}}'])
def test_other_files_are_one_line_of_error(text: str, page: Path, tmp_path: Path) -> None:
    (tmp_path / "figures.json").write_text(text)
    result = CliRunner().invoke(bench_page.main, [str(tmp_path / "figures.json")])
    assert result.exit_code == 2
    assert result.stderr.endswith("holds no figures of 'hiddenhand bench --against openspiel'\n")
    assert page.read_text() == PAGE


def test_the_document_shows_every_study_that_was_kept() -> None:
    data = json.loads(scaling.DATA.read_text())
    assert list(data) == list(STUDIES)
    assert scaling.section(data) in scaling.DOCUMENT.read_text()
    for name, study in STUDIES.items():
        assert study.title in (scaling.FOLDER / f"{name}.svg").read_text()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"workers": {}}', '{"workers": {"plot": {"panels": []}}}', '{"other": {}}']
)
def test_a_damaged_file_of_measurements_is_one_line_of_error(text: str, page: Path) -> None:
    scaling.DATA.parent.mkdir()
    scaling.DATA.write_text(text)
    result = CliRunner().invoke(scaling.main, ["--draw"])
    assert result.exit_code == 2
    assert result.stderr == ("Error: scaling.json does not hold what was measured: delete it, and measure again\n")
    assert page.read_text() == PAGE


def test_a_document_without_a_place_is_left_alone(page: Path) -> None:
    page.write_text("no marks")
    with pytest.raises(InvalidRules, match=r"benchmarks\.md has no place for this: '<!-- bench: begin -->' and"):
        bench_page.write_part(page, "bench", "text")
    assert page.read_text() == "no marks"


def test_small_differences_have_several_ticks() -> None:
    points = [(x, y, y, y) for x, y in ((1, 6.0), (2, 9.0), (3, 18.0))]
    text = draw(Plot([Panel("s", [Series("a", points)])], "x", is_log_x=False), "t")
    assert all(f"<!-- {label} -->" in text for label in ("8", "10", "15"))
