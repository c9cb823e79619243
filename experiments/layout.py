"""Tables that fit the terminal: nothing in them is ever cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

from experiments.streams import plain

_GAP, _EDGES = 3, 2  # cells between two columns, and at both ends of a line
_NARROWEST = 12  # to which a column of text is folded beside others
_WORD = re.compile(r"\s*\S+")
_PART = re.compile(r"(?<=[,:=/_-])|(?<=\.)(?=\D)")  # where a word that is too long is broken first


def fold(text: str, width: int) -> list[str]:
    """A text in lines of at most so many cells: broken at spaces, long words after signs, and else anywhere."""
    lines = [""]
    for word in _WORD.findall(text):
        if cell_len(lines[-1] + word) <= width:
            lines[-1] += word
            continue
        if lines[-1]:
            lines.append("")
            word = word.lstrip()
        for part in _PART.split(word):
            if cell_len(lines[-1] + part) > width:
                lines += chop_cells(part, width)
            else:
                lines[-1] += part
    return [line for line in lines if line] or [""]


class _Laid(NamedTuple):
    """A column to lay out: its texts or pictures, and the cells that it wants and needs."""

    column: Column
    header: str
    cells: list[Any]
    most: int
    least: int

    @property
    def is_picture(self) -> bool:
        """Whether it shows the figures of others, as bars do."""
        return any(not isinstance(cell, str) for cell in self.cells)

    @property
    def is_interval(self) -> bool:
        """Whether it belongs to the column before it."""
        return self.header.endswith("interval")


class FittedTable(Table):
    """A table that gives way where the terminal is narrow.

    Columns of pictures go first. Then headers and text fold, figures never; then columns that find no room go to a
    further table below, with the first column again.
    """

    def __init__(self, title: str) -> None:
        super().__init__(title=title)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it, in one table or several."""
        encoding = getattr(console.file, "encoding", None)
        columns = [_laid(column, encoding) for column in self.columns]
        if _length(columns, [column.most for column in columns]) > options.max_width:
            columns = [column for column in columns if not column.is_picture]
        for number, block in enumerate(_blocks(columns, options.max_width)):
            table = self._drawn(block, _widths(block, options.max_width))
            table.title = None if number else self.title
            table.box = box.Box(plain(str(box.SIMPLE_HEAD), encoding), ascii=True)  # else rich takes a box with sides
            yield table

    def _drawn(self, columns: Sequence[_Laid], widths: Sequence[int]) -> Table:
        """These columns as a table of their own."""
        table = Table(title_justify="left", pad_edge=False)
        for laid, width in zip(columns, widths, strict=True):
            table.add_column(_folded(laid.header, width), justify=laid.column.justify, width=width, overflow="fold")
        for number, row in enumerate(self.rows):
            cells = (_folded(laid.cells[number], width) for laid, width in zip(columns, widths, strict=True))
            table.add_row(*cells, style=row.style, end_section=row.end_section)
        return table


def _folded(cell: Any, width: int) -> Any:
    return Text("\n".join(fold(cell, width))) if isinstance(cell, str) else cell


def _laid(column: Column, encoding: str | None) -> _Laid:
    """What a column holds, as the stream can write it, and how wide it may and must be."""
    header = plain(str(column.header), encoding)
    cells: list[Any] = [plain(cell, encoding) if isinstance(cell, str) else cell for cell in column.cells]
    widths = [cell_len(cell) if isinstance(cell, str) else cell.width for cell in cells]
    content, words = max(widths, default=0), max(map(cell_len, header.split()), default=0)
    needed = min(content, _NARROWEST) if column.justify == "left" and not column.no_wrap else content
    return _Laid(column, header, cells, max(content, cell_len(header), 1), max(needed, words, 1))


def _length(columns: Sequence[_Laid], widths: Sequence[int]) -> int:
    """The length of a line."""
    return sum(widths) + _GAP * (len(columns) - 1) + _EDGES


def _blocks(columns: Sequence[_Laid], room: int) -> Iterator[list[_Laid]]:
    """The columns in tables that find room, each with the first column; a figure and its interval stay together."""
    groups: list[list[_Laid]] = []
    for column in columns[1:]:
        pair = [*groups[-1], column] if groups and column.is_interval else []
        if pair and _length(named := [columns[0], *pair], [column.least for column in named]) <= room:
            groups[-1] = pair
        else:
            groups.append([column])
    block = [columns[0]]
    for group in groups:
        wider = [*block, *group]
        if len(block) > 1 and _length(wider, [column.least for column in wider]) > room:
            yield block
            block = [columns[0]]
        block += group
    yield block


def _widths(columns: Sequence[_Laid], room: int) -> list[int]:
    """The widths of columns: the widest give way first; below what they need only where nothing else helps."""
    least = [column.least for column in columns]
    if _length(columns, least) > room:
        least = [1] * len(columns)
    widths = [max(column.most, low) for column, low in zip(columns, least, strict=True)]
    while _length(columns, widths) > room:
        free = [number for number, low in enumerate(least) if widths[number] > low]
        if not free:
            break
        widths[max(free, key=lambda number: (widths[number], number))] -= 1
    return widths
