"""The command `hiddenhand bench`: measures games, and what people would use instead, and prints tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console

from cardkit.spec import InvalidRules
from experiments.benches import game_figures
from experiments.games import game_names, make_game
from experiments.measuring import (
    FULL,
    THREADS,
    Figure,
    Scale,
    busy_note,
    machine,
    machine_in_words,
    seconds_of,
    show_number,
    write_json,
)
from experiments.rivals import Comparison, comparisons, explanations, rival_versions
from experiments.spec import data_in_words, versions
from experiments.tables import console, plain_table

RIVAL_GAME = "kronions"  # the game that OpenSpiel has
_PREFIXES = ((1e6, 1e6, "million "), (1e4, 1e3, "thousand "))  # from a size on, what to divide by, its name
_NOTE = (
    "median (lowest .. highest) of the repeats after a warm-up; one thread by its processor time, "
    f"{THREADS} threads, files and processes by the clock on the wall"
)


def run_bench(game_name: str | None, against: str | None, json_file: Path | None, scale: Scale = FULL) -> None:
    """Measure games and print a table of each.

    Args:
        game_name: the game; None for all.
        against: "openspiel" measures its `oh_hell` side by side, on deals of the same size, and bridge in other
            libraries where they are installed.
        json_file: also write the figures there.
        scale: how large the measurements are.

    Raises:
        InvalidRules: unknown game, one that the other library does not have, or the file cannot be written.
    """
    _check(game_name, against, json_file)
    games = {name: make_game(name) for name in (game_names() if game_name is None else [game_name])}
    out, where = console(), machine()
    out.print(f"{machine_in_words(where)}\n{_versions_in_words()}\n{_NOTE}")
    out.print(f"{busy_note(where)}\n" if busy_note(where) else "")
    data: dict[str, Any] = {"machine": where, "versions": versions() | rival_versions(), "games": {}}

    def measure_all() -> None:
        for name, game in games.items():
            found = game_figures(game, make_game(name, **game.bench_options), scale)
            cards = f"; {data_in_words(game.data())}" if game.data() else ""
            show_figures(out, f"{name}: {game.bench_label}{cards}", found)
            data["games"][name] = {"data": game.data(), "figures": [one.to_json() for one in found]}
        if against:
            compared = comparisons(scale)
            title = f"{RIVAL_GAME}, preset oh_hell, against OpenSpiel's oh_hell"
            show_comparisons(out, title, compared, explanations(scale))
            data["against"] = [_comparison_json(one) for one in compared]

    data["seconds"] = round(seconds_of(measure_all), 1)
    out.print(f"measured in {data['seconds']:.0f} seconds")
    if json_file:
        write_json(json_file, data)


def _check(game_name: str | None, against: str | None, json_file: Path | None) -> None:
    """Refuse what cannot be measured or written before anything is."""
    if json_file and not json_file.name:
        raise InvalidRules("cannot write the figures: --json needs the name of a file")
    if json_file and json_file.is_dir():
        raise InvalidRules(f"cannot write {str(json_file)!r}: it is a folder")
    if json_file and not json_file.parent.is_dir():
        raise InvalidRules(f"cannot write {str(json_file)!r}: there is no folder {str(json_file.parent)!r}")
    if json_file and not os.access(json_file.parent, os.W_OK):
        raise InvalidRules(f"cannot write {str(json_file)!r}: no permission in the folder {str(json_file.parent)!r}")
    if game_name is not None:
        make_game(game_name)
    if against and find_spec("pyspiel") is None:
        raise InvalidRules("openspiel is not installed: pip install 'hiddenhand[bench]'")
    if against and game_name not in (None, RIVAL_GAME):
        raise InvalidRules(f"openspiel has no game like {game_name!r}: expected {RIVAL_GAME}")


def _versions_in_words() -> str:
    found = versions() | rival_versions()
    return ", ".join(f"{name} {text}" for name, text in found.items())


def _comparison_json(found: Comparison) -> dict[str, Any]:
    """A comparison as plain data."""
    ratio = found.ratio.to_json() if found.ratio else None
    return {"what": found.what, "here": found.here.to_json(), "there": found.there.to_json(), "ratio": ratio}


def show_figures(out: Console, title: str, found: Sequence[Figure]) -> None:
    """Print the figures of a game: a line each, one thread and two beside each other."""
    table = plain_table(title, "what", "one thread", f"{THREADS} threads", "unit")
    by_label = {one.label: one for one in found}
    section = ""
    for label, one in by_label.items():
        if label.threads > 1:
            continue
        if label.section != section:
            table.add_section()
            table.add_row(label.section, style="bold")
            section = label.section
        scale, unit = _unit(one)
        more = by_label.get(label._replace(threads=THREADS))
        table.add_row(f"  {label.what}", _cell(one, scale), _cell(more, scale), unit)
    out.print(table)


def show_comparisons(out: Console, title: str, found: Sequence[Comparison], notes: Iterable[str]) -> None:
    """Print what was measured side by side: medians, and the ratio of pairs with its range."""
    table = plain_table(title, "what", "here", "there", "ratio", "unit")
    for one in found:
        scale, unit = _unit(one.there)
        here, there = (show_number(found.value / scale) for found in (one.here, one.there))
        table.add_row(one.what, here, there, _cell(one.ratio, 1.0), unit)
    out.print(table)
    for note in notes:
        out.print(note)


def _unit(found: Figure) -> tuple[float, str]:
    """What to divide a figure by, and its unit then."""
    unit = found.label.unit
    for size, scale, name in _PREFIXES:
        if found.value >= size and unit.endswith("/s"):
            return scale, f"{name}{unit}"
    return 1.0, unit


def _cell(found: Figure | None, scale: float) -> str:
    """A figure and its range; nothing for none."""
    if found is None:
        return ""
    value = show_number(found.value / scale)
    if found.low == found.high:
        return value
    return f"{value} ({show_number(found.low / scale)} .. {show_number(found.high / scale)})"
