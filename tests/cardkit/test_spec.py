"""How options are read, shown and refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from cardkit.spec import (
    Column,
    IllegalAction,
    InvalidRules,
    InvalidText,
    Option,
    choice,
    columns_dtype,
    integer,
    nearest,
    read_options,
)
from kronions.rules import RoundCap, RoundSizes

PLAYERS = integer("num_players", "R1", "number of seats", 2, 6)
HOOK = choice("hook", "R20", "whether the last bid is restricted", "on", "off", "half")
BONUS = integer("bonus", "R3", "points", -5, 1000)
CAP = RoundCap("cap", "R6", "hand size of the last round", {"max": 0}, 1, 29)
SIZES = RoundSizes("sizes", "R7", "hand sizes", {"rising": 0}, 1, 29)
DEALER = integer("dealer", "R8", "who deals first", 0, 5, random=-1)
OPTIONS = (PLAYERS, HOOK, BONUS, CAP, SIZES, DEALER)


def sizes(*entries: int) -> list[int]:
    return [*entries, *[0] * (29 - len(entries))]


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        (HOOK, "on", 0),
        (HOOK, "off", 1),
        (HOOK, "half", 2),
        (PLAYERS, 2, 2),
        (PLAYERS, "6", 6),
        (PLAYERS, np.int64(3), 3),
        (PLAYERS, np.uint8(3), 3),
        (BONUS, -5, -5),
        (BONUS, "-5", -5),
        (BONUS, 1000, 1000),
        (DEALER, "random", -1),
        (DEALER, "0", 0),
        (DEALER, 5, 5),
        (CAP, "max", 0),
        (CAP, 7, 7),
        (CAP, {4: 7, 5: 9}, 7),
        (CAP, {"4": "7"}, 7),
        (CAP, "4:7,5:9", 7),
        (CAP, "3:99,4:7", 7),  # entries for other numbers of players are not checked [R7]
    ],
)
def test_value_is_read_as_its_code(option: Option, value: Any, code: int) -> None:
    read = option.read(value, 4)
    assert read == code
    assert type(read) is int


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        ("rising", []),
        ([3, 1, 2], [3, 1, 2]),
        ((29,), [29]),
        ("5", [5]),
        ("5,1,29,7", [5, 1, 29, 7]),
        (["5", 1], [5, 1]),
        (np.array([4, 4]), [4, 4]),
        (range(1, 5), [1, 2, 3, 4]),
    ],
)
def test_list_is_read_as_an_array_filled_up_with_zeros(value: Any, entries: list[int]) -> None:
    read = SIZES.read(value, 4)
    assert read.dtype == np.int64
    assert read.tolist() == sizes(*entries)
    assert read.flags.c_contiguous  # other arrays would compile every kernel again
    assert read.flags.writeable


NO_NUMBERS = [True, False, 2.0, 2.5, None, "two", "", "2.0", "0x2", [2], {}, b"2", np.bool_(True), np.float64(2)]


@pytest.mark.parametrize("value", [*NO_NUMBERS, 1, 7, -2, "1", "7", 10**30], ids=repr)
def test_values_outside_a_range_are_refused(value: Any) -> None:
    with pytest.raises(InvalidRules, match=re.escape(f"option 'num_players' cannot be {value!r}: expected 2..6 [R1]")):
        PLAYERS.read(value, 4)


@pytest.mark.parametrize("value", [*NO_NUMBERS, 0, 1, "0", "On", "on ", "offf"], ids=repr)
def test_words_are_the_only_values_of_a_choice(value: Any) -> None:
    with pytest.raises(
        InvalidRules, match=re.escape(f"option 'hook' cannot be {value!r}: expected on, off, half [R20]")
    ):
        HOOK.read(value, 4)


BAD_CAPS = [True, 0, -1, 30, 1.0, None, "most", ["max"], [7]]
BAD_TABLES = [{4: "max"}, {4: 0}, "4:30", "4:", ":4", "4:1:2", {4: None}, {"x": 7}]


@pytest.mark.parametrize("value", [*BAD_CAPS, *BAD_TABLES], ids=repr)
def test_values_outside_words_range_and_table_are_refused(value: Any) -> None:
    expected = f"option 'cap' cannot be {value!r}: expected max or 1..29 or a table such as 4:10,5:8 [R6]"
    with pytest.raises(InvalidRules, match=re.escape(expected)):
        CAP.read(value, 4)


@pytest.mark.parametrize("value", [{}, {3: 7}, "5:8", "3:1,5:8"], ids=repr)
def test_a_table_needs_an_entry_for_the_number_of_players(value: Any) -> None:
    with pytest.raises(InvalidRules, match=re.escape(f"option 'cap' has no entry for 4 players in {value!r}")):
        CAP.read(value, 4)


BAD_LISTS = [3, None, True, [], [1] * 30, [0], [30], [1.0], [True], ["rising"]]
BAD_LIST_TEXTS = ["", ",".join("1" * 30), "1,0", "1;2", "1,,2", "falling"]


@pytest.mark.parametrize("value", [*BAD_LISTS, *BAD_LIST_TEXTS], ids=repr)
def test_bad_lists_are_refused_and_quoted_whole(value: Any) -> None:
    expected = f"option 'sizes' cannot be {value!r}: expected rising or a list of 1 to 29 integers 1..29 [R7]"
    with pytest.raises(InvalidRules, match=re.escape(expected)):
        SIZES.read(value, 4)


@pytest.mark.parametrize("option", [HOOK, CAP, PLAYERS], ids=lambda option: option.name)
def test_a_table_is_only_for_options_by_players(option: Option) -> None:
    given = {4: "on"} if option is HOOK else {4: 4}
    if isinstance(option, RoundCap):
        assert option.read(given, 4) == 4
    else:
        with pytest.raises(InvalidRules):
            option.read(given, 4)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        (HOOK, ["on", "off", "half"]),
        (PLAYERS, ["2", "6"]),
        (BONUS, ["-5", "0", "1000"]),
        (CAP, ["max", "1", "29"]),
        (DEALER, ["random", "0", "5"]),
        (SIZES, ["rising", "1", "3,1,2", "1,2,3,4"]),
    ],
    ids=lambda value: value.name if isinstance(value, Option) else "",
)
def test_show_and_read_are_inverse(option: Option, values: list[str]) -> None:
    assert [option.show(option.read(value, 4)) for value in values] == values


def test_read_options_fills_in_the_defaults() -> None:
    defaults = {"num_players": 4, "hook": 0, "bonus": 10, "cap": 0, "sizes": np.zeros(4, np.int64), "dealer": -1}
    codes = read_options(OPTIONS, {"hook": "off", "sizes": "2,3"}, defaults)
    assert codes.pop("sizes").tolist() == sizes(2, 3)
    assert codes == {"num_players": 4, "hook": 1, "bonus": 10, "cap": 0, "dealer": -1}
    assert defaults["hook"] == 0


def test_read_options_reads_tables_for_the_players_given() -> None:
    defaults = dict.fromkeys(("num_players", "hook", "bonus", "cap", "sizes", "dealer"), 0) | {"num_players": 4}
    table = {4: 7, 5: 9}
    assert read_options(OPTIONS, {"cap": table}, defaults)["cap"] == 7
    assert read_options(OPTIONS, {"cap": table, "num_players": "5"}, defaults)["cap"] == 9
    with pytest.raises(InvalidRules, match="no entry for 6 players"):
        read_options(OPTIONS, {"cap": table, "num_players": 6}, defaults)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hok", "did you mean 'hook'?"),
        ("num_player", "did you mean 'num_players'?"),
        ("zzz", "expected one of num_players, hook, bonus, cap, sizes, dealer"),
    ],
)
def test_unknown_option_names_the_nearest_one(name: str, hint: str) -> None:
    with pytest.raises(InvalidRules, match=re.escape(f"unknown option {name!r}; {hint}")):
        read_options(OPTIONS, {name: 1}, {"num_players": 4})


def test_nearest_is_a_hint_or_the_list_of_all_names() -> None:
    assert nearest("hok", iter(["hook", "honk"])) == "; did you mean 'hook'?"
    assert nearest("x", iter(["hook", "cap"])) == "; expected one of hook, cap"


def test_allowed_values_in_words() -> None:
    assert {option.name: option.allowed() for option in OPTIONS} == {
        "num_players": "2..6",
        "hook": "on, off, half",
        "bonus": "-5..1000",
        "cap": "max or 1..29 or a table such as 4:10,5:8",
        "sizes": "rising or a list of 1 to 29 integers 1..29",
        "dealer": "random or 0..5",
    }


def test_errors_are_value_errors() -> None:
    assert all(issubclass(error, ValueError) for error in (IllegalAction, InvalidRules, InvalidText))


def test_columns_make_an_aligned_record() -> None:
    dtype = columns_dtype(
        [Column("bid", "i1", "tricks", "tricks bid"), Column("hand", "u8", "bit mask", "cards", ("a",))]
    )
    assert dtype.names == ("bid", "hand")
    assert [dtype[name] for name in dtype.names] == [np.dtype("i1"), np.dtype("u8")]
    assert dtype.isalignedstruct
