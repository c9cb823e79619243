"""Reading and checking the CSV files of a card set: every error names file, row, column, value and what is allowed."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardkit.spec import InvalidRules, nearest
from kosmogonia.cards import (
    CARD_SET,
    CATEGORY_NAMES,
    CHAMPIONS,
    FACES,
    IN_STACK,
    KRONOS_FACES,
    NAME_BYTES,
    QUEST_IDS,
    SETTINGS,
    STANDIN,
    STANDIN_FOLDER,
    SYMBOLS,
    CardSet,
)

MOST_BYTES = 1_000_000  # of a file
_CATEGORY_KEYS = tuple(name.lower() for name in CATEGORY_NAMES)
_NOTHING = "-"


class _Field(NamedTuple):
    """What may stand in a column: a number `low..high`, one of some words, or a name (or any text)."""

    low: int = 0
    high: int = -1
    words: tuple[str, ...] = ()
    is_name: bool = True

    def read(self, text: str) -> tuple[Any, str]:
        """The value, and what is wrong with it or an empty text."""
        if self.high >= self.low:
            if not re.fullmatch(r"-?[0-9]{1,9}", text):
                return None, f'value "{_shown(text)}" is not an integer in {self.low}..{self.high}'
            is_inside = self.low <= int(text) <= self.high
            return int(text), "" if is_inside else f"value {int(text)} is outside {self.low}..{self.high}"
        if self.words:
            return text, "" if text in self.words else f'value "{_shown(text)}" is not one of {", ".join(self.words)}'
        is_printable = text.isprintable() and (not self.is_name or (text and len(text.encode()) <= NAME_BYTES))
        allowed = f"a name of 1..{NAME_BYTES} bytes" if self.is_name else "printable text"
        return text, "" if is_printable else f'value "{_shown(text)}" is not allowed, allowed is {allowed}'


def _shown(text: str) -> str:
    """A value on one line, and not endless."""
    return text.encode("unicode_escape").decode()[:60]


def _numbers(prefix: str, low: int, high: int) -> dict[str, _Field]:
    return {f"{prefix}{key}": _Field(low, high) for key in _CATEGORY_KEYS}


_NAME = _Field()
FILES: Mapping[str, Mapping[str, _Field]] = {
    "set.csv": {
        "name": _NAME,
        "origin": _Field(words=("invented", "supplied")),
        "note": _Field(is_name=False),
    },
    "champions.csv": {"id": _Field(0, 47), "name": _NAME, "stack": _Field(1, 4), **_numbers("", 0, 10)},
    "reinforcements.csv": {"id": _Field(0, 11), "name": _NAME, "symbol": _Field(1, SYMBOLS)},
    "quests.csv": {
        "quest": _Field(words=QUEST_IDS),
        "name": _NAME,
        "face": _Field(words=FACES),
        **_numbers("", 0, 1),
        **_numbers("monster_", 0, 60),
    },
    "treasures.csv": {
        "id": _Field(0, 17),
        "quest": _Field(words=QUEST_IDS),
        "copy": _Field(1, 2),
        "name": _NAME,
        "keys": _Field(0, 9),
        **_numbers("item_", 0, 10),
        **_numbers("factor_", 0, 9),
    },
    "citadels.csv": {
        "id": _Field(0, 3),
        "name": _NAME,
        **{f"symbol_{place}": _Field(1, SYMBOLS) for place in (1, 2, 3)},
    },
    "kronos.csv": {"face": _Field(words=("13", "15")), **_numbers("base_", 0, 99)},
    "key_limits.csv": {
        "face": _Field(words=("13", "15")),
        "setting": _Field(words=SETTINGS),
        "limit": _Field(1, 999_999),
    },
}
# Which rows a file must have: the columns that tell them apart, and all their values.
_KEYS: Mapping[str, tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]] = {
    "champions.csv": (("id",), tuple((i,) for i in range(CHAMPIONS))),
    "reinforcements.csv": (("id",), tuple((i,) for i in range(IN_STACK))),
    "quests.csv": (("quest", "face"), tuple((quest, face) for quest in QUEST_IDS for face in FACES)),
    "treasures.csv": (("quest", "copy"), tuple((quest, copy) for quest in QUEST_IDS for copy in (1, 2))),
    "citadels.csv": (("id",), tuple((i,) for i in range(4))),
    "kronos.csv": (("face",), tuple((str(face),) for face in KRONOS_FACES)),
    "key_limits.csv": (("face", "setting"), tuple((str(f), s) for f in KRONOS_FACES for s in SETTINGS)),
}
_UNIQUE = {
    "champions.csv": ("name",),
    "reinforcements.csv": ("name",),
    "treasures.csv": ("id",),
    "citadels.csv": ("name",),
}

Row = dict[str, Any]  # values by column; "row" is its number


class Found(NamedTuple):
    """What a look at a folder found: the rows of each file, and all that is wrong or unusual, one line each."""

    rows: dict[str, list[Row]]
    errors: list[str]
    warnings: list[str]


def _line(file: str, row: Any, column: str, what: str) -> str:
    return f"{file}: row {row}, column {column}: {what}"


def check_folder(folder: Path) -> Found:
    """Read a card set and find everything that is wrong with it."""
    found = Found({}, [], [])
    for file in FILES:
        found.rows[file] = _read_file(folder, file, found.errors)
    for file in FILES:
        _check_rows(file, found)
    for file, check in _CHECKS.items():
        check(file, found)
    if not found.errors:
        _find_warnings(found)
    return found


def _read_file(folder: Path, file: str, errors: list[str]) -> list[Row]:
    """The rows of a file with their values; what cannot be read is an error, and its row is left out."""
    text = _file_text(folder / file)
    if isinstance(text, OSError):
        errors.append(_line(file, _NOTHING, _NOTHING, f"the file cannot be read ({text.strerror or text})"))
        return []
    fields = FILES[file]
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except csv.Error as error:
        errors.append(_line(file, _NOTHING, _NOTHING, f"the file is no CSV table ({error})"))
        return []
    header = [word.strip() for word in lines[0]] if lines else []
    wrong = [f'the column "{_shown(name)}" is unknown{nearest(name, fields)}' for name in header if name not in fields]
    wrong += [f"the column is missing, expected {', '.join(fields)}" for name in fields if name not in header]
    wrong += ["the column stands there twice" for name, times in Counter(header).items() if times > 1]
    names = [_shown(name) for name in header if name not in fields]
    names += [name for name in fields if name not in header]
    names += [_shown(name) for name, times in Counter(header).items() if times > 1]
    errors.extend(_line(file, _NOTHING, name, what) for name, what in zip(names, wrong, strict=True))
    return [] if wrong else _read_rows(file, header, lines[1:], errors)


def _read_rows(file: str, header: list[str], lines: list[list[str]], errors: list[str]) -> list[Row]:
    rows = []
    for number, line in enumerate(lines, start=1):
        if len(line) != len(header):
            errors.append(_line(file, number, _NOTHING, f"value {len(line)} fields, allowed exactly {len(header)}"))
            continue
        row: Row = {"row": number}
        wrong = []
        for column, text in zip(header, line, strict=True):
            row[column], fault = FILES[file][column].read(text.strip())
            wrong += [_line(file, number, column, fault)] if fault else []
        errors.extend(wrong)
        rows += [] if wrong else [row]
    return rows


def _file_text(path: Path) -> str | OSError:
    """The text of a file; the error where it is missing, no file, too long or no text."""
    try:
        if not path.exists():
            return OSError("it is missing")
        if not path.is_file():
            return OSError("it is no file")
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            return OSError(f"it is longer than {MOST_BYTES:,} bytes")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return OSError("it is not UTF-8 text")
    except OSError as error:
        return error


def _check_rows(file: str, found: Found) -> None:
    """Every row that must be there is there once; names and numbers are unique."""
    rows, errors = found.rows[file], found.errors
    has_faults = any(line.startswith(f"{file}:") for line in errors)  # then a row that is missing may be one of them
    columns, wanted = _KEYS.get(file, ((), ()))
    for unique in [columns, *((name,) for name in _UNIQUE.get(file, ()))]:
        first: dict[tuple[Any, ...], int] = {}
        for row in rows if unique else []:
            key = tuple(str(row[column]).casefold() for column in unique)
            if key in first:
                shown = " ".join(str(row[column]) for column in unique)
                value = f'value "{shown}"' if unique == ("name",) else f"value {shown}"
                what = f"{value} already used in row {first[key]}, allowed once"
                errors.append(_line(file, row["row"], unique[-1], what))
            first.setdefault(key, row["row"])
    if file == "set.csv":
        if not has_faults and len(rows) != 1:
            errors.append(_line(file, _NOTHING, _NOTHING, f"value {len(rows)} rows, allowed exactly 1"))
        return
    there = {tuple(row[column] for column in columns) for row in rows}
    for key in [] if has_faults else wanted:
        if key not in there:
            rest = [f"{column} {value}" for column, value in zip(columns[:-1], key[:-1], strict=True)]
            of = f" for {' '.join(rest)}" if rest else ""
            errors.append(_line(file, _NOTHING, columns[-1], f"value {key[-1]} missing{of}, allowed exactly one row"))


def _check_champions(file: str, found: Found) -> None:
    rows, errors = found.rows[file], found.errors
    for row in rows:
        low = IN_STACK * (row["stack"] - 1)
        if not low <= row["id"] < low + IN_STACK:
            what = f"value {row['id']} is not of stack {row['stack']}, allowed {low}..{low + IN_STACK - 1}"
            errors.append(_line(file, row["row"], "id", what))
    if any(line.startswith(f"{file}: row {row['row']},") for row in rows for line in errors):
        return
    counts = Counter(row["stack"] for row in rows)
    for stack in (1, 2, 3, 4) if rows else ():
        if counts[stack] != IN_STACK and not any(line.startswith(file) and "row -" not in line for line in errors):
            what = f"value {counts[stack]} rows for stack {stack}, allowed exactly {IN_STACK}"
            errors.append(_line(file, _NOTHING, "stack", what))


def _check_reinforcements(file: str, found: Found) -> None:
    taken = {row["name"].casefold(): row["row"] for row in found.rows["champions.csv"]}
    for row in found.rows[file]:
        name = row["name"]
        if name.casefold() in taken:
            where = f"row {taken[name.casefold()]} of champions.csv"
            what = f'value "{name}" already used in {where}, allowed once'
            found.errors.append(_line(file, row["row"], "name", what))


def _check_quests(file: str, found: Found) -> None:
    first_name: dict[str, Row] = {}
    for row in found.rows[file]:
        number = sum(row[key] for key in _CATEGORY_KEYS)
        allowed = 1 + FACES.index(row["face"])
        if number != allowed:
            what = f"value {row['face']} with {number} categories, allowed exactly {allowed}"
            found.errors.append(_line(file, row["row"], "face", what))
        if not any(row[f"monster_{key}"] for key in _CATEGORY_KEYS):
            what = "value 0 in all three categories, allowed at least one above 0"
            found.errors.append(_line(file, row["row"], "monster_fist", what))
        other = first_name.setdefault(row["quest"], row)
        if row["name"] != other["name"]:
            what = f'value "{row["name"]}" differs from row {other["row"]}, allowed "{other["name"]}"'
            found.errors.append(_line(file, row["row"], "name", what))


def _check_citadels(file: str, found: Found) -> None:
    for row in found.rows[file]:
        symbols = [row[f"symbol_{place}"] for place in (1, 2, 3)]
        for place in (1, 2):
            if symbols[place] in symbols[:place]:
                what = f"value {symbols[place]} stands twice in the row, allowed once"
                found.errors.append(_line(file, row["row"], f"symbol_{place + 1}", what))


_CHECKS: Mapping[str, Callable[[str, Found], None]] = {
    "champions.csv": _check_champions,
    "reinforcements.csv": _check_reinforcements,
    "quests.csv": _check_quests,
    "citadels.csv": _check_citadels,
}


def _three(row: Row, prefix: str = "") -> list[int]:
    return [row[f"{prefix}{key}"] for key in _CATEGORY_KEYS]


_EXAMPLE = (({"Aphrodite", "Harmony"}, (14, 8)), ({"Minoas", "Jason", "Demetra"}, (15, 8)))  # Awe and Cunning


def _find_warnings(found: Found) -> None:
    """What the shipped set keeps and another set need not: each is one line."""
    rows, warnings = found.rows, found.warnings
    values = {row["name"]: _three(row) for row in rows["champions.csv"]}
    for names, expected in _EXAMPLE:
        totals = tuple(sum(values[name][i] for name in names) for i in (1, 2)) if names <= set(values) else None
        if totals != expected:
            shown = "missing" if totals is None else f"Awe {totals[0]} and Cunning {totals[1]}"
            example = f"the printed example has Awe {expected[0]} and Cunning {expected[1]}"
            what = f"value {shown} for {' + '.join(sorted(names))}, {example}"
            warnings.append(_line("champions.csv", _NOTHING, "awe", what))
    symbols = Counter(row["symbol"] for row in rows["reinforcements.csv"])
    warnings += [
        _line("reinforcements.csv", _NOTHING, "symbol", f"value {symbol} on {symbols[symbol]} cards, usual is 1")
        for symbol in range(1, SYMBOLS + 1)
        if symbols[symbol] != 1
    ]
    on_citadels = Counter(row[f"symbol_{place}"] for row in rows["citadels.csv"] for place in (1, 2, 3))
    warnings += [
        _line("citadels.csv", _NOTHING, "symbol_1", f"value {symbol} on {on_citadels[symbol]} citadels, usual is 1")
        for symbol in range(1, SYMBOLS + 1)
        if on_citadels[symbol] != 1
    ]
    for row in rows["treasures.csv"]:
        factors = sum(factor > 0 for factor in _three(row, "factor_"))
        if factors != 1:
            what = f"value {factors} factors above 0, usual is 1"
            warnings.append(_line("treasures.csv", row["row"], "factor_fist", what))
    for row in rows["quests.csv"]:
        if [value > 0 for value in _three(row, "monster_")] != [value > 0 for value in _three(row)]:
            what = "value above 0 in other categories than the face has, usual are the same"
            warnings.append(_line("quests.csv", row["row"], "monster_fist", what))
    for row in rows["key_limits.csv"]:
        most = _keys_in_play(rows["treasures.csv"], row["setting"])
        if row["limit"] > most:
            what = f"value {row['limit']} is above the {most} keys in play, so that it is never reached"
            warnings.append(_line("key_limits.csv", row["row"], "limit", what))


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
    folder = STANDIN_FOLDER if source == STANDIN else Path(source)
    found = check_folder(folder)
    if found.errors:
        more = len(found.errors) - 1
        rest = f" (and {more} more: see 'hiddenhand cards check {source}')" if more else ""
        raise InvalidRules(f"no valid card set in {source!r}: {found.errors[0]}{rest}")
    table = _table(found.rows)
    about = found.rows["set.csv"][0]
    digest = hashlib.sha256(table.tobytes()).hexdigest()[:16]
    return CardSet(about["name"], about["origin"], about["note"], source, digest, table, tuple(found.warnings))


@cache
def standin() -> CardSet:
    """The invented set that is shipped."""
    return load_card_set(STANDIN)


def _table(rows: dict[str, list[Row]]) -> np.ndarray:
    """The one `CARD_SET` record of checked rows."""
    table = np.zeros(1, CARD_SET)
    record = table[0]
    for row in rows["champions.csv"]:
        record["values"][row["id"]] = _three(row)
        _write_name(record["card_names"][row["id"]], row["name"])
    for row in rows["reinforcements.csv"]:
        record["symbols"][row["id"]] = row["symbol"]
        _write_name(record["card_names"][CHAMPIONS + row["id"]], row["name"])
    for row in rows["citadels.csv"]:
        record["citadels"][row["id"]] = [row[f"symbol_{place}"] for place in (1, 2, 3)]
        _write_name(record["citadel_names"][row["id"]], row["name"])
    for row in rows["quests.csv"]:
        place = QUEST_IDS.index(row["quest"]), FACES.index(row["face"])
        record["categories"][place], record["monsters"][place] = _three(row), _three(row, "monster_")
        _write_name(record["quest_names"][place[0]], row["name"])
    for row in rows["treasures.csv"]:
        treasure = row["id"]
        record["quest_treasures"][QUEST_IDS.index(row["quest"]), row["copy"] - 1] = treasure
        record["keys"][treasure] = row["keys"]
        record["items"][treasure], record["factors"][treasure] = _three(row, "item_"), _three(row, "factor_")
        _write_name(record["treasure_names"][treasure], row["name"])
    for row in rows["kronos.csv"]:
        record["bases"][KRONOS_FACES.index(int(row["face"]))] = _three(row, "base_")
    for row in rows["key_limits.csv"]:
        record["limits"][KRONOS_FACES.index(int(row["face"])), SETTINGS.index(row["setting"])] = row["limit"]
    return table.view(np.recarray)


def _write_name(place: np.ndarray, name: str) -> None:
    data = name.encode()
    place[: len(data)] = np.frombuffer(data, np.uint8)
