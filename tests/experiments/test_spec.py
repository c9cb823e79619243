"""What a run is: its spec, its hash, its parts, and every value that is refused."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardkit.spec import InvalidText
from experiments.spec import MAX_BOARDS, ROW_FILES, RunSpec, make_spec, rows_hash, versions
from tests.bots.own import SOURCE, write_bots
from tests.conftest import ROOT
from tests.experiments.helpers import BASELINE, small_spec

SEEDED = settings(derandomize=True, database=None, deadline=None)

# Written by hand, so that its hash stays what it is when a game gets new options.
BY_HAND = RunSpec(
    game="kronions",
    options={"num_players": "3", "round_cap": "max"},
    bots=(("a", "random"), ("b", "mine:Clever:depth=3")),
    sources={"b": "0123"},
    data={"name": "cards", "hash": "4567"},
    boards=10,
    seed=2**64 - 1,
    format="game",
    seating="rotations",
    moves=False,
    stop_when="",
    boards_in_part=1,
)
CHANGES: dict[str, Any] = {
    "game": "truf",
    "options": {"num_players": "3", "round_cap": "9"},
    "bots": (("b", "mine:Clever:depth=3"), ("a", "random")),
    "sources": {"b": "0124"},
    "data": {},
    "boards": 11,
    "seed": 0,
    "format": "deal",
    "seating": "all",
    "moves": True,
    "stop_when": "a>b:effect=0.1,alpha=0.05,beta=0.05",
    "boards_in_part": 2,
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(tmp_path)
    return write_bots(tmp_path)


# Round trips and hash


@pytest.mark.parametrize(
    "spec",
    [
        small_spec(),
        small_spec(BASELINE, f"x={BASELINE}", "heuristic:epsilon=0.5", moves=True, format="deal", seating="all"),
        make_spec("kronions", ["random"], preset="oh_hell", options={"num_players": 6}, seed=2**64 - 1),
        make_spec("kronions", ["random"], options={"round_sizes": [3, 1, 2], "first_dealer": 2}),
    ],
    ids=["built-in bots", "own bots", "preset", "lists"],
)
def test_a_spec_survives_json(spec: RunSpec) -> None:
    read = RunSpec.from_json(json.loads(json.dumps(spec.to_json())))
    assert read == spec
    assert read.hash() == spec.hash()


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        "spec",
        None,
        {name: value for name, value in BY_HAND.to_json().items() if name != "seed"},
        BY_HAND.to_json() | {"speed": 3},
        BY_HAND.to_json() | {"bots": None},
        BY_HAND.to_json() | {"bots": ["random"]},
        BY_HAND.to_json() | {"bots": [["a", "random", 3]]},
    ],
)
def test_other_data_is_no_spec(data: Any) -> None:
    with pytest.raises(InvalidText, match="not the spec of a run: "):
        RunSpec.from_json(data)


def test_the_hash_is_the_same_on_every_machine() -> None:
    assert BY_HAND.hash() == "afe9fcb41ccf948fc50429591513f3567b7abe9d196828f3288b245b26cf75d9"


def test_the_hash_does_not_depend_on_the_order_of_options() -> None:
    turned = dataclasses.replace(BY_HAND, options=dict(reversed(BY_HAND.options.items())))
    assert turned.hash() == BY_HAND.hash()


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(RunSpec)])
def test_every_field_changes_the_hash(name: str) -> None:
    changed = dataclasses.replace(BY_HAND, **{name: CHANGES[name]})
    assert changed != BY_HAND
    assert changed.hash() != BY_HAND.hash()


def test_equal_runs_have_equal_specs_however_they_are_written() -> None:
    spec = make_spec("kronions", ["random", "heuristic"], options={"num_players": 4, "hook": "on"}, seed=0)
    assert spec == make_spec("kronions", iter(["random", "heuristic"]), preset="standard", boards=1000)
    assert spec.options["round_cap"] == "max"
    assert spec.bots == (("random", "random"), ("heuristic", "heuristic"))
    assert spec.sources == {}


def test_a_changed_file_of_an_own_bot_is_another_run(own: str, tmp_path: Path) -> None:
    spec = small_spec("random", f"me={own}:First")
    assert list(spec.sources) == ["me"]
    assert small_spec("random", f"me={own}:First") == spec
    (tmp_path / f"{own}.py").write_text(SOURCE + "\n# other tactics\n")
    changed = small_spec("random", f"me={own}:First")
    assert changed.sources != spec.sources
    assert changed.hash() != spec.hash()


def test_a_spec_knows_its_game_bots_and_schedule(own: str) -> None:
    spec = small_spec("x=random", f"{own}:First:a=1", f"{own}:First:a=1")
    assert spec.game_object.num_players == 3
    assert [bot.label for bot in spec.bot_specs] == ["x", f"{own}:First:a=1#1", f"{own}:First:a=1#2"]
    assert spec.bot_specs[2].keys == {"a": "1"}
    assert spec.has_python_bots
    assert not small_spec().has_python_bots
    assert len(spec.schedule.games(0, 1)) == 3


# Parts


@SEEDED
@given(boards=st.integers(1, MAX_BOARDS), python=st.booleans(), is_deal=st.booleans())
def test_parts_cover_all_boards_once(boards: int, python: bool, is_deal: bool) -> None:
    bots = ("random", BASELINE) if python else ("random", "heuristic")
    spec = small_spec(*bots, boards=boards, format="deal" if is_deal else "game")
    ranges = [spec.boards_of_part(part) for part in (0, 1, spec.num_parts // 2, spec.num_parts - 1)]
    assert ranges[0][0] == 0
    assert ranges[-1][1] == boards
    for part, (first, end) in zip((0, 1, spec.num_parts // 2, spec.num_parts - 1), ranges, strict=True):
        if part < spec.num_parts:
            assert 0 < end - first <= spec.boards_in_part
            assert first == (spec.boards_of_part(part - 1)[1] if part else 0)


@pytest.mark.parametrize("boards", [*range(1, 40), 63, 64, 65, 100, 1000, 12345])
def test_a_run_has_eight_parts_where_its_boards_allow(boards: int) -> None:
    for bots in (("random",), ("random", BASELINE)):
        spec = small_spec(*bots, boards=boards)
        parts = [spec.boards_of_part(part) for part in range(spec.num_parts)]
        assert [board for first, end in parts for board in range(first, end)] == list(range(boards))
        assert len(parts) >= min(8, boards)


@pytest.mark.parametrize("format_", ["game", "deal"])
@pytest.mark.parametrize("bots", [("random",), ("random", "heuristic"), (BASELINE,)])
def test_a_part_is_some_seconds_of_work(bots: tuple[str, ...], format_: str) -> None:
    spec = make_spec("kronions", bots, boards=MAX_BOARDS, format=format_)
    game, games = spec.game_object, len(spec.schedule.games(0, 12)) / 12
    decisions = spec.boards_in_part * games * game.max_game_length() / (game.max_deals() if format_ == "deal" else 1)
    assert decisions <= 2_000_000
    cost = {"random": 0.03e-6, "heuristic": 0.2e-6, BASELINE: 300e-6}
    seconds = decisions * sum(cost[bot] for bot in bots) / len(bots)
    assert 5 < seconds <= 10 or decisions > 1_900_000


# Bad values


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "kronoins"}, "unknown game 'kronoins'; did you mean 'kronions'?"),
        ({"game": ""}, "unknown game ''; expected one of "),
        ({"preset": "stnadard"}, "unknown preset 'stnadard'; did you mean 'standard'?"),
        ({"bots": []}, "no bots: expected at least one, such as --bot heuristic"),
        ({"bots": ["random", "heurstic"]}, "unknown bot 'heurstic'; did you mean 'heuristic'?"),
        ({"bots": ["a=random", "a=random"]}, "2 bots have the label 'a': expected different ones"),
        ({"bots": ["no_such:Bot"]}, "bot 'no_such:Bot' cannot be loaded: ModuleNotFoundError: No module named"),
        ({"bots": [f"{BASELINE}:depth=3"]}, f"bot '{BASELINE}:depth=3' cannot be built: TypeError"),
        ({"bots": ["random"] * 999}, "999 bots at 4 seats make more than 2,147,483,647 line-ups: too many"),
        ({"options": {"hok": "on"}}, "unknown option 'hok'; did you mean 'hook'?"),
        ({"options": {"hook": "onn"}}, "option 'hook' cannot be 'onn': expected on, off [R20]"),
        ({"options": {"num_players": 1}}, "option 'num_players' cannot be 1: expected 2..6 [R1]"),
        ({"options": {"num_players": "7"}}, "option 'num_players' cannot be '7': expected 2..6 [R1]"),
        ({"options": {"round_cap": 15}}, "round_cap 15 cannot be dealt: 58 cards give 4 players at most 14 each"),
        ({"options": {"only_round": 15}}, "only_round 15 is not in the series: expected 1..14 for 4 players"),
        ({"options": {"round_sizes": [3, 15]}}, "round_sizes [3, 15] cannot be dealt"),
        ({"boards": 0}, "boards 0: expected 1..1000000000"),
        ({"boards": -1}, "boards -1: expected 1..1000000000"),
        ({"boards": MAX_BOARDS + 1}, "boards 1000000001: expected 1..1000000000"),
        ({"seed": -1}, "seed -1: expected 0..18446744073709551615"),
        ({"seed": 2**64}, "seed 18446744073709551616: expected 0..18446744073709551615"),
        ({"format": "deals"}, "unknown format 'deals'; did you mean 'deal'?"),
        ({"format": "x"}, "unknown format 'x'; expected one of game, deal"),
        ({"seating": "rotation"}, "unknown seating 'rotation'; did you mean 'rotations'?"),
        ({"seating": "all", "options": {"num_players": 5}}, "seating 'all' is for up to 4 seats, got 5"),
        ({"format": "deal", "options": {"round_sizes": [2, 3]}}, "single deals need one entry in round_sizes"),
    ],
)
def test_a_bad_value_is_refused_in_one_sentence(changes: dict[str, Any], message: str) -> None:
    arguments = {"game": "kronions", "bots": ["random", "heuristic"]} | changes
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        make_spec(arguments.pop("game"), arguments.pop("bots"), **arguments)
    assert "\n" not in str(error.value)


def test_an_own_bot_that_cannot_be_built_is_refused_at_once(own: str) -> None:
    for name, message in (("NoChoose", "has no method choose"), ("CannotBuild", "cannot be built: RuntimeError")):
        with pytest.raises(InvalidText, match=message):
            small_spec("random", f"{own}:{name}")


@pytest.mark.parametrize("name", ROW_FILES)
def test_every_source_that_decides_bytes_is_in_the_versions_of_a_run(tmp_path: Path, name: str) -> None:
    for folder in ("same", "edited"):
        (tmp_path / folder).mkdir()
        for file in ROW_FILES:
            shutil.copy(ROOT / "experiments" / file, tmp_path / folder / file)
    with (tmp_path / "edited" / name).open("a") as edited:
        edited.write("# an edit")
    assert rows_hash(tmp_path / "same") == rows_hash() == versions()["rows"]
    assert rows_hash(tmp_path / "edited") != rows_hash()
