"""Tables in narrow terminals and outside UTF-8: nothing is cut, pictures go first, then columns fold and move below."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import termios
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.bar import Bar
from rich.console import Console

from experiments import bench, bidding, tables, thinking
from experiments.bid_values import bid_values
from experiments.card_sets import CardFigures
from experiments.compliance import Check
from experiments.games import make_game
from experiments.layout import FittedTable, fold
from experiments.measuring import Figure, Label
from experiments.tournament import run
from tests.conftest import ROOT
from tests.experiments.helpers import small_spec
from tests.experiments.test_thinking import KRONIONS, PLAY

WIDTHS = (40, 64, 80, 100)
FIGURE = re.compile(r"-?\d+\.\d+")
POSITION = f"bot 'x' took longer than its 5 ms for a move (board 1, rotation 0, seat 0, position {PLAY})"
LONG = "heuristic:epsilon=0.25"
Show = Callable[[Console], object]


def at_width(show: Show, width: int, encoding: str = "utf-8") -> str:
    """What is printed on a terminal so wide."""
    data = io.BytesIO()
    with io.TextIOWrapper(data, encoding=encoding, write_through=True) as file:
        show(Console(file=file, width=width, highlight=False, markup=False, emoji=False))
        return data.getvalue().decode(encoding)


def check_whole(show: Show) -> None:
    """Nothing is lost or too long at any width: every letter is there, and figures are in one piece."""
    wide = at_width(show, 10_000)
    letters, figures = Counter(re.sub(r"[\s─█▉▊▋▌▍▎▏▐▕]", "", wide)), Counter(FIGURE.findall(wide))
    for width in WIDTHS:
        narrow = at_width(show, width)
        assert max(map(len, narrow.splitlines())) <= width
        assert not letters - Counter(narrow)
        assert "…" not in narrow
        assert not figures - Counter(FIGURE.findall(narrow))


_print = Console.print


def print_folded(out: Console, *texts: object, soft_wrap: bool = False) -> None:
    """Print a text that is left to the terminal to break as one that is not."""
    _print(out, *texts)


# Every table of the program


def test_the_tables_of_bots_and_rules_are_whole() -> None:
    check_whole(tables.show_bots)
    for game in ("kronions", "truf", "kosmogonia"):
        check_whole(lambda out, game=game: tables.show_rules(out, make_game(game), "standard"))  # type: ignore[misc]


def test_the_standings_of_a_run_are_whole(tmp_path: Path) -> None:
    directory = run(small_spec(LONG, f"{'long-' * 12}label=random", "moismcts:iterations=20"), tmp_path / "run", 1)
    check_whole(lambda out: tables.show_standings(out, directory))


def test_the_tables_of_checks_card_sets_and_benchmarks_are_whole() -> None:
    checks = [Check("legal answers, no errors, in time", False, POSITION), Check("strength", None, "-")]
    check_whole(lambda out: tables.show_checks(out, "mybots.deep:Careful:depth=3,width=17", "kronions", checks))
    names = [f"variation3-destiny-{word}" for word in ("easy", "medium", "hard")]
    shares = dict.fromkeys(names, (0.1, 0.2, 0.3, 0.4))
    cards = CardFigures({"name": "Äther", "origin": "supplied", "hash": "0" * 16}, 10, 1, shares)
    check_whole(lambda out: tables.show_card_figures(out, cards))
    label = Label("section", "what is measured in many words", "simulations/s")
    found = [Figure(label, 2e6, 1e6, 3e6), Figure(label._replace(threads=2), 3.5e6, 3e6, 4e6)]
    check_whole(lambda out: bench.show_figures(out, "title", found))


def test_the_tables_of_bids_and_thoughts_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    kronions, truf = make_game("kronions", num_players=4), make_game("truf", max_bid_cards=2)
    hand = "AS, KS, 10S, 5S, 3S, KH, 9H, 2H, AD, 4D, QC, 7C, 3C"
    for found in (
        bid_values(kronions, "Nova 13, Nova 12, Void 2", 2, [1], "Nova", worlds=22),
        bid_values(truf, hand, worlds=10),
    ):

        def show(out: Console, found: object = found) -> None:
            monkeypatch.setattr(bidding, "console", lambda: out)
            bidding.print_table(found, shows_all=False)  # type: ignore[arg-type]

        title, _, rest = at_width(show, 10_000).partition("\n")
        assert "█" in rest
        assert all(at_width(show, width).startswith(f"{title}\n") for width in WIDTHS)  # the terminal breaks it
        monkeypatch.setattr(Console, "print", print_folded)
        check_whole(show)
        monkeypatch.undo()

    def think(out: Console) -> None:
        monkeypatch.setattr(thinking, "console", lambda: out)
        thinking.think(make_game("kronions", only_round="8"), PLAY, "ismcts:iterations=100", 0, False)

    assert KRONIONS[-1] == PLAY
    check_whole(think)


# What gives way


def standings(*names: str) -> FittedTable:
    """A table of a name, a figure with its interval, and a count."""
    table = tables.plain_table("", "bot", "points a game", "95 % interval", "seats held")
    for name in names:
        table.add_row(name, "85.75", "85.31 .. 86.19", "8000")
    return table


@pytest.mark.parametrize("width", range(20, 101))
def test_names_and_figures_are_in_one_piece_at_any_width(width: int) -> None:
    text = at_width(lambda out: out.print(standings("heuristic", "random")), width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("heuristic", "random", "85.75", "85.31", "86.19", "8000"):
        assert len(re.findall(rf"(?<!\S){re.escape(word)}(?!\S)", text)) >= 1 + (word[0] in "8")
    if width >= 2 + len("heuristic") + 3 + len("85.31 .. 86.19"):
        assert text.count("85.31 .. 86.19") == 2


def test_an_interval_stays_beside_its_figure() -> None:
    for width in range(40, 60):
        text = at_width(lambda out: out.print(standings("heuristic", "random")), width)
        assert len(re.findall(r"heuristic +85\.75 +85\.31 \.\. 86\.19", text)) == 1, width


def test_bars_go_before_anything_folds() -> None:
    table = tables.plain_table("", "bid", "points", "made %")
    table.add_column("")
    table.add_row("bid 2", "9.82 ± 2.10", "81.8 (61.0 .. 92.8)", Bar(10.0, 0.0, 10.0, width=16))
    needed = 2 + len("bid 2") + 3 + len("9.82 ± 2.10") + 3 + len("81.8 (61.0 .. 92.8)")
    line = "bid 2   9.82 ± 2.10   81.8 (61.0 .. 92.8)"
    assert f"{line}   {'█' * 16}" in at_width(lambda out: out.print(table), needed + 3 + 16)
    for width in range(needed, needed + 3 + 16):
        text = at_width(lambda out: out.print(table), width)
        assert line in text
        assert "█" not in text


def test_text_folds_at_words_then_at_signs_then_anywhere() -> None:
    assert fold("plays every action out", 12) == ["plays every", "action out"]
    assert fold("heuristic:epsilon=0.25", 12) == ["heuristic:", "epsilon=0.25"]
    assert fold("mc:iterations=1000,rollout=random", 16) == ["mc:iterations=", "1000,rollout=", "random"]
    assert fold("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]
    assert fold("  indented by two", 11) == ["  indented", "by two"]
    assert fold("", 5) == [""]
    assert fold("版版版版", 4) == ["版版", "版版"]  # two cells each


def test_rows_keep_their_sections_and_words_between_colons_are_no_pictures() -> None:
    assert "mine:ghost:cat:depth=2" in at_width(lambda out: out.print(standings("mine:ghost:cat:depth=2")), 100)
    assert not tables.console()._emoji
    table = tables.plain_table("", "what", "here")
    table.add_row("a", "1.0")
    table.add_section()
    table.add_row("b", "2.0")
    assert re.search(r"a +1\.0 *\n *\n +b +2\.0", at_width(lambda out: out.print(table), 100))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437"])
def test_tables_outside_utf8_are_drawn_in_ascii_and_keep_their_columns(encoding: str) -> None:
    table = tables.plain_table("", "bid", "points")
    for name, points in (("bid 2", "9.82 ± 2.10"), ("bid 11", "19.82 ± 2.10"), ("→", "-")):
        table.add_row(name, points)
    lines = [line.rstrip() for line in at_width(lambda out: out.print(table), 100, encoding).splitlines()]
    assert lines[1:-1] == [
        " bid             points",
        " ----------------------",
        " bid 2     9.82 +- 2.10",
        " bid 11   19.82 +- 2.10",
        " \\u2192               -",
    ]


# On a real terminal


def on_a_terminal(columns: int, *words: str) -> str:
    """The standard output of a command on a terminal so wide, without colours."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, columns))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", *words],
        cwd=ROOT,
        env=environment | {"TERM": "xterm"},
        stdout=follower,
        stderr=subprocess.DEVNULL,
    )
    os.close(follower)
    data = b""
    try:
        while found := os.read(leader, 4096):
            data += found
    except OSError:  # the command has ended
        pass
    os.close(leader)
    assert process.wait(timeout=60) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode()).replace("\r\n", "\n")


def test_bids_on_a_terminal_of_64_columns() -> None:
    text = on_a_terminal(
        64, "bids", "kronions", "--hand", "N13,N12,V2,paradox", "--players", "4", "--seat", "2", "--trump", "Nova",
        "--bids", "1", "--worlds", "20",
    )  # fmt: skip
    figure = r"\d+\.\d+ \(\d+\.\d+ \.\. \d+\.\d+\)"
    for columns in (rf"{figure} +{figure}", rf"(?:-|{figure})"):  # points and made, and below them behind
        rows = re.findall(rf"^ (bid \d) +{columns} *$", text, re.MULTILINE)
        assert sorted(rows) == [f"bid {bid}" for bid in range(5)]
    assert "█" not in text
