"""Searches play legal actions only."""

from __future__ import annotations

from tests.conftest import RunPython

FEWEST = {"kronions": 5_000, "truf": 15_000, "kosmogonia": 5_000}


def test_every_action_in_a_search_is_legal_in_its_world(run_python: RunPython) -> None:
    lines = run_python("-m", "tests.bots.legal_search", NUMBA_DISABLE_JIT="1").stdout.split("\n")
    played = {name: int(number) for name, number in (line.split() for line in lines if line)}
    assert played.keys() == FEWEST.keys()
    assert all(played[name] >= fewest for name, fewest in FEWEST.items()), played
