"""Tournaments of bots that search: the same bytes for any number of workers, in Python and compiled; time limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.replay import replay
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, make_spec
from experiments.tournament import run
from tests.experiments.helpers import contents, tables_of

SEARCH = ("mc:iterations=20", "ismcts:iterations=30", "moismcts:iterations=30")
BY_BIDS = "ismcts:iterations=40,belief=bids"  # which a game without bids refuses
SHORT = {
    "kronions": {"num_players": 3, "round_cap": 3},
    "truf": {"max_hands": 1},
    "kosmogonia": {"num_players": 2, "variant": "tournament"},
}


def short_spec(game: str, *bots: str, boards: int = 9) -> RunSpec:
    bots = bots or (SEARCH if game == "kosmogonia" else (*SEARCH, BY_BIDS))
    return make_spec(game, bots, options=SHORT[game], boards=boards, seed=3)


@pytest.mark.parametrize("game", SHORT)
def test_bots_that_search_give_the_same_bytes_for_any_number_of_workers(game: str, tmp_path: Path) -> None:
    spec = short_spec(game, boards=9 if game == "kronions" else 2)
    found = [contents(run(spec, tmp_path / str(workers), workers).path) for workers in (1, 2)]
    assert found[0] == found[1]
    assert json.loads(found[0]["run.json"])["repeatable"] is True


def test_the_compiled_loop_and_the_loop_in_python_let_them_answer_the_same() -> None:
    bots = ("ismcts:iterations=30", "mc:iterations=20")
    spec = short_spec("kronions", *bots, boards=4)
    watched = make_spec("kronions", [*bots, "own=tests.baselines.kronions:Baseline"], options=SHORT["kronions"],
                        boards=4, seed=3)  # fmt: skip
    assert not spec.has_python_bots
    assert watched.has_python_bots
    from experiments import match

    compiled = tables_of(spec)
    play = match._play_compiled
    match._play_compiled = match._play_in_python
    try:
        assert tables_of(spec) == compiled
    finally:
        match._play_compiled = play
    assert tables_of(watched)["games"].num_rows > 0


def test_a_run_with_a_time_limit_says_that_it_cannot_be_repeated(tmp_path: Path) -> None:
    spec = make_spec("kronions", ["ismcts:time_ms=1", "heuristic"], options=SHORT["kronions"], boards=2, seed=1)
    assert not spec.is_repeatable
    directory = run(spec, tmp_path / "limited")
    assert json.loads((directory.path / "run.json").read_text())["repeatable"] is False
    with pytest.raises(RunError, match="has a time limit and would not play the same again: expected a run with --mov"):
        list(replay(directory.path, 0))


def test_a_logged_run_with_a_time_limit_can_be_replayed(tmp_path: Path) -> None:
    bots = ["ismcts:time_ms=1", "heuristic"]
    spec = make_spec("kronions", bots, options=SHORT["kronions"], boards=2, seed=1, moves=True)
    assert isinstance(run(spec, tmp_path / "limited"), RunDirectory)
    assert "final: " in list(replay(tmp_path / "limited", 0))[-1]


def test_a_part_with_slow_bots_holds_few_boards() -> None:
    quick = make_spec("truf", ["heuristic", "random"], boards=10_000)
    slow = make_spec("truf", ["ismcts:iterations=1000", "random"], boards=10_000)
    limited = make_spec("truf", ["mc:time_ms=100", "random"], boards=10_000)
    assert quick.boards_in_part > 40
    assert slow.boards_in_part == limited.boards_in_part == 1
