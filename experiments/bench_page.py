"""The figures of a `hiddenhand bench --against openspiel --json FILE` as tables in docs/benchmarks.md.

python -m experiments.bench_page FILE
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from cardkit.spec import InvalidRules
from experiments.commands import CONTEXT, Command, plain_errors
from experiments.measuring import machine_in_words, show_number

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"


def write_part(document: Path, mark: str, text: str) -> None:
    """Put a text between the marks of a document, `<!-- mark: begin -->` and `<!-- mark: end -->`.

    Raises:
        InvalidRules: it has no such marks.
    """
    marks = rf"(<!-- {mark}: begin -->\n).*(<!-- {mark}: end -->)"
    new, number = re.subn(
        marks, lambda found: found.group(1) + text + found.group(2), document.read_text(), flags=re.DOTALL
    )
    if not number:
        raise InvalidRules(
            f"{document.name} has no place for this: '<!-- {mark}: begin -->' and '<!-- {mark}: end -->'"
        )
    document.write_text(new)


def measured_where(found: Mapping[str, Any]) -> str:
    """Machine and versions of what was measured, as a line."""
    busy = f", load {found['machine']['load']:.1f}"
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return f"{machine_in_words(found['machine'])}{busy}; {versions}"


def tables(data: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the tables: one beside other libraries, and one a game."""
    yield f"`hiddenhand bench --against openspiel` took {data['seconds']:.0f} seconds on {measured_where(data)}."
    yield from ("", "### Beside other libraries", "")
    yield from ("| what | here | there | ratio (lowest .. highest) | unit |", "|---|---|---|---|---|")
    for one in data["against"]:
        here, there = (_rounded(one[side]["value"]) for side in ("here", "there"))
        yield f"| {one['what']} | {here} | {there} | {_cell(one['ratio'])} | {one['there']['unit']} |"
    for name, game in data["games"].items():
        yield from ("", f"### {name.capitalize()}", "")
        yield from _game_table(game["figures"])
    yield ""


def _game_table(figures: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of a game's table."""
    more = {(one["section"], one["what"], one["unit"]): one for one in figures if one["threads"] > 1}
    section = ""
    yield from ("| what | one thread (lowest .. highest) | two threads | unit |", "|---|---|---|---|")
    for one in figures:
        if one["threads"] > 1:
            continue
        if one["section"] != section:
            section = one["section"]
            yield f"| **{section}** | | | |"
        two = more.get((section, one["what"], one["unit"]))
        yield f"| {one['what']} | {_cell(one)} | {_cell(two)} | {one['unit']} |"


def _cell(found: Mapping[str, Any] | None) -> str:
    """A figure and its range; nothing for none."""
    if found is None:
        return ""
    value = _rounded(found["value"])
    return (
        value if found["low"] == found["high"] else f"{value} ({_rounded(found['low'])} .. {_rounded(found['high'])})"
    )


def _rounded(value: float) -> str:
    """A number with three digits."""
    return show_number(float(f"{value:.3g}"))


@click.command(cls=Command, context_settings=CONTEXT)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def main(file: Path) -> None:
    """Put the figures of a bench into docs/benchmarks.md."""
    with plain_errors():
        try:
            data = json.loads(file.read_text())
            text = "\n".join(tables(data))
        except (ValueError, KeyError, TypeError):
            raise InvalidRules(f"{str(file)!r} holds no figures of 'hiddenhand bench --against openspiel'") from None
        write_part(DOCUMENT, "bench", text)


if __name__ == "__main__":
    main()
