"""What the commands print: tables of standings, rules and bots."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from rich.console import Console

from bots import BOT_KINDS
from bots.specs import Key
from cardkit.game import Game
from experiments.boards import board_results
from experiments.doubts import doubts, rank_doubts, rating_doubts, run_doubts, stop_doubts
from experiments.layout import FittedTable
from experiments.ratings import ratings
from experiments.rundir import RunDirectory
from experiments.spec import data_in_words
from experiments.stats import Difference, Estimate, Standing, compare, outcomes, same_bots, standings
from experiments.stopping import Stopping

if TYPE_CHECKING:
    from experiments.card_sets import CardFigures
    from experiments.compliance import Check


def console() -> Console:
    """Where tables go: the terminal, or plain text of at least 100 columns where there is none."""
    found = Console(highlight=False, markup=False, emoji=False)
    width = _terminal_width() if found.is_terminal else max(100, found.width)
    return Console(highlight=False, markup=False, emoji=False, width=width)


def _terminal_width() -> int | None:
    """The columns of the standard output; None where it does not say, so that rich looks round by itself.

    Rich asks the files 0, 1 and 2, and file 1 is not the standard output here (`experiments.terminal`).
    """
    with contextlib.suppress(AttributeError, OSError, ValueError):
        if "COLUMNS" not in os.environ:
            return os.get_terminal_size(sys.stdout.fileno()).columns
    return None


def _table(title: str, *columns: tuple[str, str]) -> FittedTable:
    table = FittedTable(title)
    for name, justify in columns:
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    return table


def plain_table(title: str, first: str, *others: str) -> FittedTable:
    """A table whose first column is text and whose other columns are numbers."""
    return _table(title, (first, "left"), *((name, "right") for name in others))


def with_interval(estimate: Estimate, scale: int = 1) -> tuple[str, str]:
    """The mean and its interval; "-" for what the boards do not give. Shares are in percent with a scale of 100."""
    digits = max(2, estimate.decimals(scale))
    mean, low, high = (f"{scale * value:z.{digits}f}" for value in (estimate.mean, estimate.low, estimate.high))
    return mean if estimate.boards else "-", f"{low} .. {high}" if estimate.has_interval else "-"


def show_standings(out: Console, directory: RunDirectory) -> None:
    """Print the standings of a run, the differences between its bots, and what to think of them."""
    spec = directory.spec
    results = board_results(directory)
    unit = "deal" if spec.format == "deal" else "game"
    boards = "1 board" if spec.boards == 1 else f"{spec.boards} boards"
    if len(results) < spec.boards:
        boards = f"{len(results)} of {boards}"
    title = f"{spec.game}, {spec.game_object.num_players} players, {boards}, seed {spec.seed}"
    table = _table(
        title, ("bot", "left"), (f"points a {unit}", "right"), ("95 % interval", "right"),
        ("win share %", "right"), ("95 % interval", "right"), ("seats held", "right"),
    )  # fmt: skip
    rated = ratings(results)
    found = standings(directory, results, rated)
    for standing in found:
        shares = with_interval(standing.win_share, 100)
        table.add_row(standing.bot, *with_interval(standing.points), *shares, f"{standing.games}")
    out.print(table)
    if len(found) > 1:
        pairs = compare(results, [standing.bot for standing in found])
        same = same_bots(spec)
        out.print(_differences_table(pairs, same))
        if same:
            out.print("the same bot twice is a check of the intervals: 95 of 100 such rows hold 0")
        out.print(_ratings_table(found))
        for line in (*doubts(found, pairs), *rank_doubts(found), *rating_doubts(rated)):
            out.print(line)
    if len(spec.game_object.outcomes) > 1 and spec.format == "game":
        out.print("games ended by: " + ", ".join(f"{name} {count}" for name, count in outcomes(directory).items()))
    decision = Stopping(directory).decision
    if decision:
        out.print(f"stop rule {decision}")
        for line in stop_doubts(decision):
            out.print(line)
    if spec.stop_when:
        out.print(f"the stop rule looks {spec.looks}")
    for line in run_doubts(directory, len(results)):
        out.print(line)


def _differences_table(pairs: Sequence[Difference], same: Sequence[tuple[str, str]]) -> FittedTable:
    """Differences of bots, by board; those of one bot under two names say so."""
    table = _table(
        "differences, on the boards where both sat", ("bots", "left"), ("points", "right"), ("95 % interval", "right"),
        ("win share %", "right"), ("95 % interval", "right"),
    )  # fmt: skip
    for pair in pairs:
        is_same = (pair.first, pair.second) in same or (pair.second, pair.first) in same
        name = f"{pair.first} - {pair.second}" + (" (the same bot)" if is_same else "")
        table.add_row(name, *with_interval(pair.points), *with_interval(pair.win_share, 100))
    return table


def _ratings_table(found: Sequence[Standing]) -> FittedTable:
    """Ratings and ranks."""
    table = _table(
        "ratings on the Elo scale, mean 0, and ranks", ("bot", "left"), ("rating", "right"),
        ("95 % interval", "right"), ("mean rank", "right"), ("95 % interval", "right"),
    )  # fmt: skip
    for standing in sorted(found, key=lambda standing: -standing.rating.rating if standing.rating else float("inf")):
        rating, shown = standing.rating, ("-", "-")
        if rating is not None:
            is_known = isfinite(rating.low)
            shown = f"{round(rating.rating)}", f"{round(rating.low)} .. {round(rating.high)}" if is_known else "-"
        table.add_row(standing.bot, *shown, *with_interval(standing.rank))
    return table


def show_card_figures(out: Console, found: CardFigures) -> None:
    """Print how the games of a card set end, beside what a lively set aims at."""
    title = f"{data_in_words(found.data)}, {found.games} games a setting, all seats heuristic, seed {found.seed}"
    table = plain_table(title, "setting", "Kronos beaten %", "key limit %", "unbeaten %", "hunts won %")
    for row in found.rows():
        table.add_row(*row)
    out.print(table)
    out.print(f"aims: {found.aims}")
    out.print(f"harder settings are not easier: {'yes' if found.is_ordered() else 'no'}")


def show_checks(out: Console, bot: str, game: str, checks: Sequence[Check]) -> None:
    """Print what a compliance test has found."""
    table = _table(f"{bot} in {game}", ("check", "left"), ("", "left"), ("", "left"))
    words = {True: "ok", False: "FAILED", None: "-"}
    for check in checks:
        table.add_row(check.name, words[check.is_passed], check.detail)
    out.print(table)


def show_rules(out: Console, game: Game, preset: str) -> None:
    """Print the options of a game, their values under a preset, what they may be, their clauses, and the presets."""
    value = "default" if preset == "standard" else preset
    columns = [(name, "left") for name in ("option", value, "allowed", "clause", "meaning")]
    table = _table(f"options of {game.name}", *columns)
    table.columns[0].no_wrap = True  # an option is copied from here
    values = game.option_values()
    for option in game.options:
        table.add_row(option.name, values[option.name], option.allowed(), option.clause, option.meaning)
    out.print(table)
    presets = _table("presets", ("preset", "left"), ("meaning", "left"))
    for name, found in game.presets.items():
        presets.add_row(name, found.meaning)
    out.print(presets)


def show_bots(out: Console) -> None:
    """Print the bots, then the keys, each once."""
    table = _table("bots: --bot [label=]name[:key=value,...]", ("bot", "left"), ("what it does", "left"),
                   ("keys", "left"))  # fmt: skip
    users: dict[tuple[str, Key], list[str]] = {}
    for name, kind in BOT_KINDS.items():
        table.add_row(name, kind.meaning, ", ".join(kind.keys) or "none")
        for key, found in kind.keys.items():
            users.setdefault((key, found), []).append(name)
    table.add_row("module.path:Class", "a class of your own with choose(view, rng)", "any: given to Class(game, ...)")
    out.print(table)
    keys = _table("keys", ("key", "left"), ("default", "left"), ("allowed", "left"), ("meaning", "left"),
                  ("bots", "left"))  # fmt: skip
    for (key, found), names in users.items():
        keys.add_row(key, found.default or "none", found.allowed(), found.meaning, ", ".join(names))
    out.print(keys)
