"""Reports: their figures are those of the statistics, their page is whole and needs nothing from elsewhere."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fsspec
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from experiments import run_commands
from experiments.boards import board_results
from experiments.cli import main
from experiments.deal_figures import Calibrations, deal_figures
from experiments.means import Means
from experiments.ratings import ratings
from experiments.report import REPORT, SUMMARY, duration, shown, write_report
from experiments.run_frames import mean_by
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.seating import seat_effects
from experiments.spec import RunSpec, command_of, make_spec
from experiments.stats import Estimate, compare, estimate, outcomes, standings
from experiments.stopping import Stopping
from experiments.summary import endings, summarise, summary_json
from experiments.tournament import run
from tests.experiments.helpers import contents, small_spec, tables_of

BOTS = ("random", "heuristic", "two=heuristic")
SHORT_TRUF = {"max_hands": 4, "target": 30}
SPECS: dict[str, Callable[[], RunSpec]] = {
    "kronions": lambda: small_spec(*BOTS, boards=60),
    "deals": lambda: small_spec(*BOTS, boards=60, format="deal"),
    "truf": lambda: make_spec("truf", BOTS, boards=60, options=SHORT_TRUF),
    "hands": lambda: make_spec("truf", BOTS, boards=16, format="deal"),
    "kosmogonia": lambda: make_spec("kosmogonia", BOTS, boards=16),
    "lonely": lambda: small_spec("heuristic", boards=9),
    "crowd": lambda: small_spec(*["heuristic"] * 9, "random", boards=120),
    "one_board": lambda: small_spec(boards=1),
}
every_run = pytest.mark.parametrize("name", SPECS)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunDirectory]:
    """A function that gives a run by name, with its report; it is played once."""
    played: dict[str, RunDirectory] = {}

    def get(name: str) -> RunDirectory:
        if name not in played:
            played[name] = run(SPECS[name](), tmp_path_factory.mktemp("runs") / name, workers=1)
            write_report(played[name].path)
        return played[name]

    return get


Runs = Callable[[str], RunDirectory]


def summary_of(directory: RunDirectory) -> dict[str, Any]:
    return dict(json.loads((directory.path / SUMMARY).read_text()))


def page_of(directory: RunDirectory) -> str:
    return str((directory.path / REPORT).read_text())


def tree_of(page: str) -> ElementTree.Element:
    """The page as a tree; raises where a tag is not closed."""
    return ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))


def plain(found: Estimate) -> dict[str, Any]:
    values = {name: getattr(found, name) for name in ("mean", "low", "high", "boards", "skewness", "is_long")}
    return {name: value if np.isfinite(value) else None for name, value in values.items()}


def report(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


# The figures


@every_run
def test_the_summary_has_the_figures_of_the_statistics(runs: Runs, name: str) -> None:
    directory = runs(name)
    found, spec = summary_of(directory), directory.spec
    results = board_results(directory)
    rated = ratings(results)
    for mine, standing in zip(found["standings"], standings(directory), strict=True):
        assert (mine["bot"], mine["games"]) == (standing.bot, standing.games)
        assert all(mine[measure] == plain(getattr(standing, measure)) for measure in ("points", "win_share", "rank"))
        assert standing.rating is not None
        assert mine["rating"]["rating"] == standing.rating.rating
    order = [standing["bot"] for standing in found["standings"]]
    pairs = [(pair.first, pair.second, plain(pair.points)) for pair in compare(results, order)]
    assert [(pair["first"], pair["second"], pair["points"]) for pair in found["differences"]] == pairs
    assert found["ratings"]["groups"] == rated.groups
    assert [seat["points"] for seat in found["seats"]] == [plain(seat.points) for seat in seat_effects(directory)]
    assert found["endings"]["outcomes"] == outcomes(directory)
    assert {bot: (t["seconds"] or 0.0, t["moves"]) for bot, t in found["timing"].items()} == directory.move_times()
    assert RunSpec.from_json(found["spec"]) == spec
    assert (found["command"], found["boards"], found["is_complete"]) == (command_of(spec), spec.boards, True)


@every_run
def test_endings_are_those_of_pandas(runs: Runs, name: str) -> None:
    directory = runs(name)
    games = directory.read("games").to_pandas()
    by_game = games.groupby("game_id")
    found = endings(directory)
    assert found.games == by_game.ngroups == sum(found.outcomes.values())
    assert found.shared == (by_game["win_share"].max().between(0, 1, inclusive="neither")).sum()
    assert found.without_winner == (by_game["win_share"].max() == 0).sum()
    for column in ("deals", "decisions"):
        lengths, length = by_game[column].first(), getattr(found, column)
        assert (length.least, length.mean, length.most) == (lengths.min(), lengths.mean(), lengths.max())


@pytest.mark.parametrize(("name", "bid", "won", "by"), [
    ("kronions", "bid", "tricks", "hand_size"), ("deals", "bid", "tricks", "hand_size"),
    ("truf", "final_bid", "sets", "mode"), ("lonely", "bid", "tricks", "hand_size"),
])  # fmt: skip
def test_bids_are_those_of_pandas(runs: Runs, name: str, bid: str, won: str, by: str) -> None:
    directory = runs(name)
    deals = directory.read("deals").to_pandas()
    found = deal_figures(directory)
    assert isinstance(found, Calibrations)
    assert (found.bid, found.won, found.by) == (bid, won, by)
    for bot in found.bots:
        own = deals[deals["bot"] == bot.bot]
        for share, holds in ((bot.exact, own[won] == own[bid]), (bot.under, own[won] < own[bid])):
            assert (share.deals, share.value.mean) == (len(own), pytest.approx(holds.mean()))
        assert bot.exact.value.mean + bot.under.value.mean + bot.over.value.mean == pytest.approx(1)
        groups = own.groupby(bid)
        assert [of_bid.bid for of_bid in bot.bids] == sorted(groups.groups)
        for of_bid in bot.bids:
            rows = groups.get_group(of_bid.bid)
            assert of_bid.won.value.mean == pytest.approx(rows[won].mean())
            assert of_bid.points.value.mean == pytest.approx(rows["points"].mean())
            assert of_bid.counts == rows[won].value_counts().sort_index().to_dict()
        exact = (own[won] == own[bid]).groupby(own[by].astype(str)).mean()
        assert {key: share.value.mean for key, share in bot.by.items()} == pytest.approx(exact.to_dict())


def test_rounds_are_those_of_pandas(runs: Runs) -> None:
    directory = runs("kosmogonia")
    deals = directory.read("deals").to_pandas()
    courses = deal_figures(directory)
    assert isinstance(courses, list)
    names = {course.column for course in courses}
    assert {"hunts", "hunts_won", "treasures", "keys", "kronos_keys"} <= names
    assert not {"hand", "first_player", "round"} & names
    for course in courses:
        means = deals.groupby(["bot", "deal"], observed=True)[course.column].mean()
        found = {(bot, deal): f.value.mean for bot, of_bot in course.bots.items() for deal, f in of_bot.items()}
        assert found == pytest.approx(means.to_dict())


def test_the_unit_of_a_mean_over_deals_is_the_board() -> None:
    """With equally many deals a board it is the interval of the board means, in any number of parts."""
    values = np.random.default_rng(4).normal(2, 3, (30, 5))
    means = Means(["bot", "bid"], {"a": None, "b": None})
    for boards in (range(10), range(10, 30)):
        chosen = values[list(boards)].ravel()
        rows = {"board": np.repeat(boards, 5), "bot": "x", "bid": -7, "a": chosen * 0, "b": chosen}
        means.add(pd.DataFrame(rows))
    expected = estimate(values.mean(axis=1))
    ((key, group),) = means.groups().items()
    found = group.values["b"]
    assert (key, group.rows, found.boards) == (("x", -7), 150, 30)
    ends = (expected.mean, expected.low, expected.high)
    assert (found.mean, found.low, found.high) == pytest.approx(ends)
    (line,) = means.frame().to_dict("records")
    assert (line["bot"], line["bid"], line["rows"], line["boards"]) == ("x", -7, 150, 30)
    assert (line["b"], line["b_low"], line["b_high"]) == pytest.approx(ends)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3])
def test_boards_that_are_all_alike_give_no_interval_of_a_mean_over_deals(value: float) -> None:
    means = Means(["bot"], {"points": None, "share": (0.0, 1.0)})
    for boards in (range(10), range(10, 37)):
        means.add(pd.DataFrame({"board": np.repeat(boards, 7), "bot": "x", "points": value, "share": 0.0}))
    (line,) = means.frame().to_dict("records")
    assert (line["points"], line["points_low"], line["points_high"]) == (pytest.approx(value), -np.inf, np.inf)
    assert line["share_low"] == 0 < line["share_high"] < 0.2


def test_points_of_kosmogonia_have_the_intervals_of_win_shares(runs: Runs) -> None:
    found = summary_of(runs("kosmogonia"))
    for figures in (*found["standings"], *found["differences"], *found["seats"]):
        assert figures["points"] == figures["win_share"]
    both = mean_by(runs("kosmogonia"), "bot", ["score", "win_share"], table="games")
    for end in ("", "_low", "_high"):
        assert both[f"score{end}"].tolist() == both[f"win_share{end}"].tolist()
    points = summary_of(runs("truf"))["standings"][0]
    assert points["points"] != points["win_share"]


def test_what_one_board_does_not_tell_is_null(runs: Runs) -> None:
    directory = runs("one_board")
    assert summary_of(directory)["standings"][0]["points"]["low"] is None
    assert "Infinity" not in (directory.path / SUMMARY).read_text()
    assert "inf" not in re.findall(r"<td>(.*?)</td>", page_of(directory))


# The page


@every_run
def test_the_page_is_whole_and_needs_nothing_from_elsewhere(runs: Runs, name: str) -> None:
    page = page_of(runs(name))
    nodes = list(tree_of(page).iter())
    tags = {node.tag.rpartition("}")[2] for node in nodes}
    assert not tags & {"script", "link", "img", "image", "iframe", "object", "embed", "metadata"}
    ids = [node.attrib["id"] for node in nodes if "id" in node.attrib]
    assert len(ids) == len(set(ids))
    links = [value for node in nodes for key, value in node.attrib.items() if key.rpartition("}")[2] in ("href", "src")]
    links += re.findall(r"url\(([^)]*)\)", page)
    assert links
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert set(re.findall(r"\w+://[^\s\"')<]*", page)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in page


@every_run
def test_the_page_shows_every_section_and_bot(runs: Runs, name: str) -> None:
    directory = runs(name)
    page = page_of(directory)
    sections = re.findall(r'<section id="(\w+)">', page)
    has_pairs = len(directory.spec.bots) > 1
    assert sections == ["standings", *["differences"] * has_pairs, "seats", "deals", "endings", "timing", "repeat"]
    for label, _ in directory.spec.bots:
        assert f"<td>{label}</td>" in page
    (shown_command,) = tree_of(page).iter("pre")
    assert "".join(shown_command.itertext()) == command_of(directory.spec)
    assert "prefers-color-scheme: dark" in page
    assert page.count("<svg") == page.count('role="img"') >= 6
    colours = set(re.findall(r"#[0-9a-f]{6}\b", "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))))
    assert not colours, "drawings take their colours from the page"
    assert all(plot.count("<text") > 2 for plot in re.findall(r"<svg.*?</svg>", page, re.DOTALL))


def test_the_same_run_gives_the_same_report(runs: Runs) -> None:
    directory = runs("kronions")
    before = [(directory.path / name).read_bytes() for name in (REPORT, SUMMARY)]
    write_report(directory.path)
    assert [(directory.path / name).read_bytes() for name in (REPORT, SUMMARY)] == before


def test_differences_are_told_without_colours_and_self_tests_are_marked(runs: Runs) -> None:
    page = page_of(runs("kronions"))
    assert re.search(r'<td class="better">▲ ', page)
    assert re.search(r'<td class="worse">▼ −', page)
    assert page.count("<small>the same bot</small>") == 2
    pair = next(
        p for p in summary_of(runs("kronions"))["differences"] if {p["first"], p["second"]} <= {"heuristic", "two"}
    )
    holds = pair["points"]["low"] <= 0 <= pair["points"]["high"]
    assert re.search(rf"<td>{pair['first']} − {pair['second']}</td>.*<td>{'yes' if holds else 'no'}</td>", page)
    assert f"95 of 100 of which hold 0. Here {int(holds)} of 1 do." in page
    assert summary_of(runs("kronions"))["self_tests"] == [["heuristic", "two"]]


def test_the_page_says_what_to_think_of_the_run(runs: Runs) -> None:
    assert "results hold for it only" in page_of(runs("kosmogonia"))
    assert "fewer than 50 boards" in page_of(runs("lonely"))
    assert any(word in page_of(runs("truf")) for word in ("skewed", "one side won")) or (
        'class="warnings"' not in page_of(runs("truf"))
    )
    assert "and 2 more in summary.json" in page_of(runs("crowd"))
    assert "Of 45 pairs" in page_of(runs("crowd"))


def test_the_page_has_the_line_of_the_stop_rule(tmp_path: Path) -> None:
    directory = run(small_spec(boards=800, stop_when="heuristic>random"), tmp_path / "run", workers=1)
    write_report(directory.path)
    decision = Stopping(directory).decision
    assert decision is not None
    assert summary_of(directory)["stop_rule"] == str(decision)
    assert "heuristic - random is nearer to the effect than to 0 after" in page_of(directory)
    assert "It looks after 100, 125, 160" in page_of(directory)
    found = summary_of(directory)
    assert found["decision"]["accepted"] == "H1"
    assert 0 < found["decision"]["low"] < found["decision"]["high"]
    (warning,) = (line for line in found["warnings"] if line.startswith("the stop rule ended this run by its results"))
    assert warning in page_of(directory)
    assert f"{found['decision']['low']:.2f} .. {found['decision']['high']:.2f} points" in warning
    assert f"{decision.boards} of 800 boards were played" in page_of(directory)
    assert "not finished" not in page_of(directory)


@pytest.mark.parametrize(("value", "digits", "expected"), [
    (Estimate(85.751, 85.31, 86.19, 9), 2, ("85.75", "85.31 .. 86.19")),
    (Estimate(-0.001, -1.5, 1.5, 9), 1, ("0.0", "−1.5 .. 1.5")),
    (Estimate(0.1712, 0.1700, 0.1724, 9), 2, ("0.1712", "0.1700 .. 0.1724")),
    (Estimate(3.0, -np.inf, np.inf, 1), 0, ("3", "-")),
    (Estimate(3.0, -np.inf, np.inf, 9), 0, ("3", "-")),
    (Estimate(np.nan, -np.inf, np.inf, 0), 0, ("-", "-")),
])  # fmt: skip
def test_numbers_as_they_are_shown(value: Estimate, digits: int, expected: tuple[str, str]) -> None:
    assert shown(value, digits) == expected


@pytest.mark.parametrize(("seconds", "expected"), [
    (None, "-"), (4.46e-8, "44.6 ns"), (2.5e-6, "2.5 µs"), (0.139, "139 ms"), (2.0, "2 s"),
])  # fmt: skip
def test_times_as_they_are_shown(seconds: float | None, expected: str) -> None:
    assert duration(seconds) == expected


# The files


def test_a_run_that_is_not_finished_gives_first_results_and_goes_on(tmp_path: Path) -> None:
    spec = small_spec(*BOTS, boards=16)
    directory = RunDirectory.create(tmp_path / "run", spec)
    result = report(directory.path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has no finished part yet" in result.stderr
    with directory.locked():
        directory.write_part(0, tables_of(spec, 0))
    assert report(directory.path).exit_code == 0
    line = f"the run is not finished: these are the first results, of {spec.boards_in_part} of 16 boards"
    assert line in page_of(directory)
    assert not summary_of(directory)["is_complete"]
    run(spec, directory.path, workers=1)
    run(spec, tmp_path / "other", workers=1)
    ours = {name: data for name, data in contents(directory.path).items() if name not in (REPORT, SUMMARY)}
    assert ours == contents(tmp_path / "other")


def test_the_command_says_where_the_files_are(runs: Runs) -> None:
    path = runs("kronions").path
    result = report(path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"wrote {path}/report.html\nwrote {path}/summary.json\n"


def test_out_writes_elsewhere(runs: Runs, tmp_path: Path) -> None:
    directory = runs("kronions")
    result = report(directory.path, "--out", tmp_path / "a.html")
    assert result.stdout == f"wrote {tmp_path}/a.html\nwrote {tmp_path}/a.json\n"
    assert (tmp_path / "a.html").read_text() == page_of(directory)
    assert json.loads((tmp_path / "a.json").read_text()) == summary_of(directory)
    for out, message in ((tmp_path / "no" / "a.html", "cannot write"), (tmp_path / "a.json", "does not end in .json")):
        result = report(directory.path, "--out", out)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert message in result.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run.html", "run.json is a file of runs"),
        ("manifest.html", "manifest.json is a file of runs"),
        ("run", "run.json is a file of runs"),
    ],
)
def test_out_never_overwrites_the_files_of_a_run(runs: Runs, name: str, message: str) -> None:
    directory = runs("kronions")
    before = contents(directory.path)
    result = report(directory.path, "--out", directory.path / name)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert message in result.stderr
    assert contents(directory.path) == before


@pytest.mark.parametrize(
    ("out", "expected"),
    [(".", "expected the name of a file"), ("/", "expected the name of a file"), ("", "it is empty, expected a path")],
)
def test_out_is_the_name_of_a_file(runs: Runs, out: str, expected: str) -> None:
    result = report(runs("kronions").path, "--out", out)
    assert (result.exit_code, result.stdout) == (2, "")
    assert expected in result.stderr


@pytest.mark.parametrize("in_the_way", ["page.html", "page.json"])
@pytest.mark.parametrize("exists", [True, False])
def test_a_report_is_written_as_a_whole_or_not_at_all(
    runs: Runs, tmp_path: Path, in_the_way: str, exists: bool
) -> None:
    for name in ("page.html", "page.json"):
        if name == in_the_way:
            (tmp_path / name).mkdir()
        elif exists:
            (tmp_path / name).write_text("the one before")
    before = {file.name: file.is_file() and file.read_text() for file in tmp_path.iterdir()}
    result = report(runs("kronions").path, "--out", tmp_path / "page.html")
    assert result.stderr == f"Error: cannot write '{tmp_path / in_the_way}': Is a directory\n"
    assert (result.exit_code, result.stdout) == (2, "")
    assert {file.name: file.is_file() and file.read_text() for file in tmp_path.iterdir()} == before
    (tmp_path / in_the_way).rmdir()
    assert report(runs("kronions").path, "--out", tmp_path / "page.html").exit_code == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["page.html", "page.json"]


def test_a_damaged_part_is_one_line(tmp_path: Path) -> None:
    directory = run(small_spec(), tmp_path / "run", workers=1)
    part = directory.path / directory.part_file("deals", 2)
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(RunError, match=r"part 2 .* is damaged: mend it with 'hiddenhand resume'"):
        write_report(directory.path)
    assert not (directory.path / REPORT).exists()


def test_a_report_of_a_run_at_an_address() -> None:
    place = "memory://reports/run"
    run(small_spec(), place, workers=1)
    assert write_report(place) == [f"{place}/report.html", f"{place}/summary.json"]
    page = fsspec.filesystem("memory").cat_file("/reports/run/report.html").decode()
    assert tree_of(page).find("body") is not None


def test_only_one_part_is_read_at_a_time(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = runs("kronions")
    monkeypatch.setattr(RunDirectory, "read", None)  # the one method that reads all parts
    assert summary_json(summarise(directory)) == (directory.path / SUMMARY).read_bytes()


# The command that repeats a run


@pytest.mark.parametrize("spec", [
    small_spec(boards=5, seed=9),
    small_spec("random", "heuristic", "heuristic", "b=heuristic:epsilon=0.1", "heuristic:epsilon=0.1", moves=True),
    small_spec("random", "x=random", seating="all", format="deal", stop_when="x>random:effect=0.2"),
    make_spec("kronions", ["mc:iterations=9", "h=heuristic"], preset="oh_hell", boards=3),
    make_spec("kronions", ["random"], options={"num_players": 6, "round_sizes": "3,2,1"}, boards=3),
    make_spec("truf", ["random"], preset="mini", boards=3),
    make_spec("truf", ["random"], preset="classic", boards=3),
    make_spec("kosmogonia", ["random", "heuristic"], options={"num_players": 3, "variant": "variation"}, boards=3),
    make_spec("kosmogonia", ["random", "heuristic"], preset="tournament", boards=3),
], ids=command_of)  # fmt: skip
def test_the_command_of_a_run_makes_its_spec(spec: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RunSpec] = []
    monkeypatch.setattr(run_commands, "_run", lambda spec, *others: made.append(spec))
    words = shlex.split(command_of(spec))
    assert words[:2] == ["hiddenhand", "tournament"]
    result = CliRunner().invoke(main, words[1:])
    assert result.exit_code == 0, result.output
    assert [found.hash() for found in made] == [spec.hash()]


def test_a_run_json_repeats_bots_with_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels that were made from the specification cannot be written as labels."""
    spec = small_spec("heuristic:epsilon=0.1", "random", "random", boards=3)
    directory = RunDirectory.create(tmp_path / "run", spec)
    made: list[RunSpec] = []
    monkeypatch.setattr(run_commands, "_run", lambda spec, *others: made.append(spec))
    result = CliRunner().invoke(main, ["tournament", "--config", str(directory.path / "run.json")])
    assert (result.exit_code, made) == (0, [spec]), result.output


def test_the_files_open_in_pandas_with_a_report_beside_them(runs: Runs) -> None:
    path = runs("kronions").path
    assert len(pd.read_parquet(path / "games")) == runs("kronions").num_rows("games")
