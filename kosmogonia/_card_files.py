"""Reading and checking the CSV files of a card set: every error names file, row, column, value and what is allowed."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple

from cardkit.spec import InvalidRules, nearest
from kosmogonia.cards import (
    ACTION_WORDS,
    CATEGORY_KEYS,
    CHAMPIONS,
    FACES,
    FILES,
    IN_STACK,
    QUEST_IDS,
    STANDIN,
    STANDIN_FOLDER,
    SYMBOLS,
    CardSet,
    card_code,
    card_table,
    is_code,
    name_key,
    quoted,
    three,
)

MOST_BYTES = 100_000  # of a file; the largest of a usual set has 3,000
MOST_COLUMNS = 100
_NAME = ("name",)
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # what programs put between columns instead of commas
_SEPARATED = "the columns are separated by"
# Columns whose values differ in each row of a file; the first tell its rows apart, and all their values must be there.
_UNIQUE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "champions.csv": (("id",), _NAME),
    "reinforcements.csv": (("id",), _NAME),
    "quests.csv": (("quest", "face"),),
    "treasures.csv": (("quest", "copy"), ("id",)),
    "citadels.csv": (("id",), _NAME),
    "kronos.csv": (("face",),),
    "key_limits.csv": (("face", "setting"),),
}

Row = dict[str, Any]  # values by column, without those that are wrong; "row" is its number, from 1


class Found(NamedTuple):
    """What a look at a folder found: the rows of each file, and all that is wrong or unusual, one line each."""

    rows: dict[str, list[Row]]
    errors: list[str]
    warnings: list[str]


class _Fault(NamedTuple):
    """Something wrong or unusual; row 0 is the file as a whole."""

    file: str
    row: int
    column: str
    what: str

    def place(self) -> tuple[int, ...]:
        """What orders faults: file, row, column."""
        columns = list(FILES[self.file])
        column = columns.index(self.column) if self.column in columns else -1
        return list(FILES).index(self.file), self.row, column


def _lines(faults: list[_Fault]) -> list[str]:
    in_order = sorted(faults, key=_Fault.place)
    return [f"{file}: row {row or '-'}, column {column}: {what}" for file, row, column, what in in_order]


class _Table(NamedTuple):
    """A file: the columns of its header, "" for one that cannot be read, and its rows."""

    columns: tuple[str, ...]
    rows: list[Row]


def check_folder(folder: Path) -> Found:
    """Read a card set and find everything that is wrong with it."""
    faults: list[_Fault] = []
    tables = {file: _read_file(folder, file, faults) for file in FILES}
    faults = _separators_once(faults)
    rows = {file: table.rows for file, table in tables.items()}
    for file, table in tables.items():
        faults += _check_rows(file, table)
    for check in (_check_champions, _check_card_names, _check_quests, _check_citadels):
        faults += check(rows)
    unusual = [] if faults else [fault for find in _UNUSUAL for fault in find(rows)]
    return Found(rows, _lines(faults), _lines(unusual))


def _read_file(folder: Path, file: str, faults: list[_Fault]) -> _Table:
    """A file with its values; adds what cannot be read to `faults`."""
    try:
        text = _file_text(folder / file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        faults.append(_Fault(file, 0, "-", f"the file cannot be read ({reason})"))
        return _Table((), [])
    lines, broken = _csv_lines(text)
    header = [name.strip(" \t") for name in lines[0]] if lines else []
    if not lines and broken:
        faults.append(_Fault(file, 0, "-", broken))
        return _Table((), [])
    separator = next((name for sign, name in _SEPARATORS.items() if len(header) == 1 and sign in header[0]), "")
    if separator:
        faults.append(_Fault(file, 0, "-", f"{_SEPARATED} {separator}, allowed are commas"))
        return _Table((), [])
    if len(header) > MOST_COLUMNS:
        faults.append(_Fault(file, 0, "-", f"value {len(header)} columns, allowed exactly {len(FILES[file])}"))
        return _Table((), [])
    faults += _check_header(file, header)
    columns = tuple(name if name in FILES[file] and header.count(name) == 1 else "" for name in header)
    rows = [_read_row(file, number, columns, cells, faults) for number, cells in enumerate(lines[1:], start=1)]
    if broken:
        rows.append({"row": len(lines)})
        faults.append(_Fault(file, len(lines), "-", broken))
    return _Table(columns, rows)


def _separators_once(faults: list[_Fault]) -> list[_Fault]:
    """The faults with one line for each separator: a program has put the same into all files."""
    files: dict[str, list[_Fault]] = {}
    for fault in faults:
        if fault.what.startswith(_SEPARATED):
            files.setdefault(fault.what, []).append(fault)
    told = [
        first._replace(what=f"{first.what}; so in {len(more)} more files" if more else first.what)
        for first, *more in files.values()
    ]
    return [fault for fault in faults if fault.what not in files] + told


def _file_text(path: Path) -> str:
    """The text of a file.

    Raises:
        OSError, ValueError: it is missing, no file, too long or no text.
    """
    try:
        if not S_ISREG(path.stat().st_mode):  # a pipe would keep us waiting
            raise OSError("it is no file")
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise OSError(f"it is longer than {MOST_BYTES:,} bytes")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise OSError("it is missing") from None
    except UnicodeDecodeError:
        raise OSError("it is not UTF-8 text") from None


def _csv_lines(text: str) -> tuple[list[list[str]], str]:
    """The cells of all lines that are not blank, and why the next line cannot be read or an empty text."""
    lines = []
    try:
        for line in csv.reader(io.StringIO(text, newline=""), strict=True):
            if any(cell.strip() for cell in line):
                lines.append(line)
    except csv.Error as error:
        return lines, f"this and what follows is no CSV table ({error})"
    return lines, ""


def _check_header(file: str, header: list[str]) -> Iterator[_Fault]:
    fields = FILES[file]
    for name in dict.fromkeys(header):
        if name not in fields:
            yield _Fault(file, 0, "-", f"value {quoted(name)} is an unknown column{nearest(name, fields)}")
        elif header.count(name) > 1:
            yield _Fault(file, 0, name, f"value {header.count(name)} columns of this name, allowed exactly one")
    for name in fields:
        if name not in header:
            yield _Fault(file, 0, name, "value missing in the first line, allowed exactly one column of this name")


def _read_row(file: str, number: int, columns: tuple[str, ...], cells: list[str], faults: list[_Fault]) -> Row:
    """The values of a row; adds what is wrong with the others to `faults`."""
    row: Row = {"row": number}
    if len(cells) != len(columns):
        faults.append(_Fault(file, number, "-", f"value {len(cells)} fields, allowed exactly {len(columns)}"))
        return row  # its cells may belong to other columns
    for column, cell in zip(columns, cells, strict=True):
        value, fault = FILES[file][column].read(cell) if column else (None, "")
        if fault:
            faults.append(_Fault(file, number, column, fault))
        elif column:
            row[column] = value
    return row


def _check_rows(file: str, table: _Table) -> Iterator[_Fault]:
    """Every row that must be there is there, and once; names and numbers are used once."""
    if file == "set.csv":
        if table.columns and len(table.rows) != 1:
            yield _Fault(file, 0, "-", f"value {len(table.rows)} rows, allowed exactly 1")
        return
    for unique in _UNIQUE[file]:
        yield from _check_once(file, table.rows, unique)
    columns = _UNIQUE[file][0]
    there = {tuple(row.get(column) for column in columns) for row in table.rows}
    if not set(columns) <= set(table.columns) or any(None in key for key in there):
        return  # a row that is missing may be one that cannot be read
    for key in product(*(FILES[file][column].values() for column in columns)):
        if key not in there:
            of = "".join(f" for {column} {value}" for column, value in zip(columns[:-1], key[:-1], strict=True))
            yield _Fault(file, 0, columns[-1], f"value {key[-1]} missing{of}, allowed exactly one row")


def _check_once(file: str, rows: list[Row], columns: tuple[str, ...]) -> Iterator[_Fault]:
    first: dict[tuple[Any, ...], int] = {}
    for row in rows:
        values = [row.get(column) for column in columns]
        if None in values:
            continue
        key = (name_key(row["name"]),) if columns == _NAME else tuple(values)
        if first.setdefault(key, row["row"]) != row["row"]:
            value = quoted(row["name"]) if columns == _NAME else values[-1]
            of = "".join(f" for {column} {row[column]}" for column in columns[:-1])
            what = f"value {value}{of} already used in row {first[key]}, allowed once"
            yield _Fault(file, row["row"], columns[-1], what)


def _check_champions(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    file = "champions.csv"
    for row in _with(rows[file], "id", "stack"):
        low = IN_STACK * (row["stack"] - 1)
        if not low <= row["id"] < low + IN_STACK:
            what = f"value {row['id']} is not of stack {row['stack']}, allowed {low}..{low + IN_STACK - 1}"
            yield _Fault(file, row["row"], "id", what)
    counts = Counter(row.get("stack") for row in rows[file])
    for stack in (1, 2, 3, 4) if rows[file] and None not in counts else ():
        if counts[stack] != IN_STACK:
            what = f"value {counts[stack]} rows for stack {stack}, allowed exactly {IN_STACK}"
            yield _Fault(file, 0, "stack", what)


def _check_card_names(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    """A name belongs to one card only, and is no short text of another and no action."""
    champions = {name_key(row["name"]): row["row"] for row in reversed(_with(rows["champions.csv"], "name"))}
    for file, first_card in (("champions.csv", 0), ("reinforcements.csv", CHAMPIONS)):
        for row in _with(rows[file], "name"):
            key, value = name_key(row["name"]), f"value {quoted(row['name'])}"
            if first_card and key in champions:
                what = f"{value} already used in row {champions[key]} of champions.csv, allowed once"
                yield _Fault(file, row["row"], "name", what)
            if is_code(key) and "id" in row and key.upper() != card_code(first_card + row["id"]):
                what = f"{value} is the short text of another card, allowed is any other name"
                yield _Fault(file, row["row"], "name", what)
            if key in ACTION_WORDS:
                yield _Fault(file, row["row"], "name", f"{value} is the word of an action, allowed is any other name")


def _check_quests(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    file, names = "quests.csv", dict[str, Row]()
    for row in _with(rows[file], "face", *CATEGORY_KEYS):
        number, allowed = sum(three(row)), 1 + FACES.index(row["face"])
        if number != allowed:
            what = f"value {row['face']} with {number} categories, allowed exactly {allowed}"
            yield _Fault(file, row["row"], "face", what)
    for row in _with(rows[file], *(f"monster_{key}" for key in CATEGORY_KEYS)):
        if not any(three(row, "monster_")):
            what = "value 0 in all three categories, allowed is at least one above 0"
            yield _Fault(file, row["row"], "monster_fist", what)
    for row in _with(rows[file], "quest", "name"):
        other = names.setdefault(row["quest"], row)
        if row["name"] != other["name"]:
            what = f"value {quoted(row['name'])} differs from row {other['row']}, allowed {quoted(other['name'])}"
            yield _Fault(file, row["row"], "name", what)


def _check_citadels(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    for row in rows["citadels.csv"]:
        symbols = [row.get(f"symbol_{place}") for place in (1, 2, 3)]
        for place in (1, 2):
            if symbols[place] is not None and symbols[place] in symbols[:place]:
                what = f"value {symbols[place]} stands twice in the row, allowed once"
                yield _Fault("citadels.csv", row["row"], f"symbol_{place + 1}", what)


def _with(rows: list[Row], *columns: str) -> list[Row]:
    """The rows that have a value in all these columns."""
    return [row for row in rows if all(column in row for column in columns)]


_EXAMPLE = ((("Aphrodite", "Harmony"), (14, 8)), (("Minoas", "Jason", "Demetra"), (15, 8)))  # Awe and Cunning


def _unusual_values(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    values = {name_key(row["name"]): three(row) for row in rows["champions.csv"]}
    for names, expected in _EXAMPLE:
        found = [values[name_key(name)][1:] for name in names if name_key(name) in values]
        totals = tuple(map(sum, zip(*found, strict=True)))
        if len(found) < len(names) or totals != expected:
            shown = "missing" if len(found) < len(names) else f"Awe {totals[0]} and Cunning {totals[1]}"
            usual = f"the printed example has Awe {expected[0]} and Cunning {expected[1]}"
            yield _Fault("champions.csv", 0, "awe", f"value {shown} for {' + '.join(names)}, {usual}")


def _unusual_symbols(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    for file, columns in (("reinforcements.csv", ["symbol"]), ("citadels.csv", [f"symbol_{i}" for i in (1, 2, 3)])):
        counts = Counter(row[column] for row in rows[file] for column in columns)
        for symbol in range(1, SYMBOLS + 1):
            if counts[symbol] != 1:
                what = f"value {symbol} on {counts[symbol]} {file.removesuffix('.csv')}, usual is 1"
                yield _Fault(file, 0, columns[0], what)


def _unusual_factors(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    for row in rows["treasures.csv"]:
        factors = sum(factor > 0 for factor in three(row, "factor_"))
        if factors != 1:
            yield _Fault("treasures.csv", row["row"], "factor_fist", f"value {factors} factors above 0, usual is 1")


def _unusual_monsters(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    for row in rows["quests.csv"]:
        if [value > 0 for value in three(row, "monster_")] != [value > 0 for value in three(row)]:
            what = "value above 0 in other categories than the face has, usual are the same"
            yield _Fault("quests.csv", row["row"], "monster_fist", what)


def _unusual_limits(rows: dict[str, list[Row]]) -> Iterator[_Fault]:
    for row in rows["key_limits.csv"]:
        most = _keys_in_play(rows["treasures.csv"], row["setting"])
        if row["limit"] > most:
            what = f"value {row['limit']} is never reached, usual is at most {most}, the sum of keys in play"
            yield _Fault("key_limits.csv", row["row"], "limit", what)


_UNUSUAL = (_unusual_values, _unusual_symbols, _unusual_factors, _unusual_monsters, _unusual_limits)


def _keys_in_play(treasures: list[Row], setting: str) -> int:
    """Keys of all treasures of a setting; in the tournament with the B quest of the fewest keys."""
    keys = Counter[str]()
    for row in treasures:
        keys[row["quest"]] += row["keys"]
    groups = {letter: [keys[quest] for quest in QUEST_IDS if quest[0] == letter] for letter in "ABC"}
    b_keys = min(groups["B"]) if setting == "tournament2" else sum(groups["B"])
    return sum(groups["C"]) + b_keys + (sum(groups["A"]) if setting == "standard4" else 0)


def load_card_set(source: str) -> CardSet:
    """The card set in a folder, or the one that is shipped.

    Args:
        source: "standin", or the path of a folder with the eight files.

    Raises:
        InvalidRules: the folder holds no valid card set; names the first error and how many there are.
    """
    if source != STANDIN and not os.path.isdir(source):  # noqa: PTH112  Path.is_dir raises for some paths
        raise InvalidRules(f"no card set in {source!r}: expected {STANDIN!r} or a folder with {', '.join(FILES)}")
    found = check_folder(STANDIN_FOLDER if source == STANDIN else Path(source))
    if found.errors:
        more = len(found.errors) - 1
        rest = f" (and {more} more: see hiddenhand cards check {source!r})" if more else ""
        raise InvalidRules(f"no valid card set in {source!r}: {found.errors[0]}{rest}")
    table = card_table(found.rows)
    table.flags.writeable = False  # all games of this process share it; each copies it for its rules
    about = found.rows["set.csv"][0]
    digest = hashlib.sha256(table.tobytes()).hexdigest()[:16]
    return CardSet(about["name"], about["origin"], about["note"], source, digest, table, tuple(found.warnings))


@cache
def standin() -> CardSet:
    """The invented set that is shipped."""
    return load_card_set(STANDIN)
