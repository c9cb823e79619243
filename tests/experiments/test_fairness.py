"""All seatings of a board meet the same chance in all games: cards, stacks, citadels, sides, crowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from experiments.match import game_of_board
from experiments.spec import RunSpec, make_spec
from experiments.table import Table

BOTS = ("random", "h=heuristic", "e=heuristic:epsilon=0.3")


def chance_in_truf(record: Any) -> dict[str, Any]:
    """The cards that were dealt, at the first decision of a hand."""
    return {"hands": record["hands"].tolist()}


def chance_in_kosmogonia(record: Any) -> dict[str, Any]:
    """What was drawn, at the first decision of a round. The first also shows the order of the stacks and the crown."""
    found = {"citadels": record["citadels"].tolist(), "treasures": record["treasures"].tolist()}
    if record["rounds_done"] == 0:
        found |= {name: record[name].tolist() for name in ("stacks", "finder", "first_player", "b_quest")}
    return found


CASES: dict[str, tuple[str, str, dict[str, Any], Callable[[Any], dict[str, Any]]]] = {
    "truf": ("truf", "standard", {"max_hands": 4}, chance_in_truf),
    "kosmogonia": ("kosmogonia", "standard", {"num_players": 4}, chance_in_kosmogonia),
    "three": ("kosmogonia", "standard", {"num_players": 3}, chance_in_kosmogonia),
    "two": ("kosmogonia", "standard", {"num_players": 2}, chance_in_kosmogonia),
    "tournament": ("kosmogonia", "tournament", {}, chance_in_kosmogonia),
}


def chances(spec: RunSpec, slot: Any, read: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """What chance did in a game, deal by deal."""
    table = Table(spec, game_of_board(spec, int(slot["board"])), slot)
    found, starts = [], True
    while not table.state.is_terminal():
        if starts:
            found.append(read(table.state.record))
        starts = table.play(table.next_action()[1])[1] is not None
    return found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seating", ["rotations", "all"])
def test_all_seatings_of_a_board_meet_the_same_chance(case: str, seating: str) -> None:
    name, preset, options, read = CASES[case]
    spec = make_spec(name, BOTS, preset=preset, options=options, boards=6, seed=9, seating=seating)
    by_board = []
    for board in range(2 if seating == "all" else 6):
        games = [chances(spec, slot, read) for slot in spec.schedule.games(board, board + 1)]
        longest = max(games, key=len)
        assert len(games) > 1
        for found in games:
            assert found == longest[: len(found)]  # one game may end earlier than another
        by_board.append(longest)
    assert len({repr(found[0]) for found in by_board}) == len(by_board), "boards must differ"
