"""Our bots at one table with OpenSpiel's, in small: the engines agree, the worlds are ours where they should be."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from cardkit.spec import InvalidRules
from experiments import openspiel
from experiments.games import make_game
from experiments.openspiel import OPPONENTS, EnginesDisagree, Table, TheirBot, head_to_head, our_game, their_game

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install 'hiddenhand[bench]'")

SMALL = {
    "python": replace(OPPONENTS["python"], hand_size=3, iterations=12),
    "cpp": replace(OPPONENTS["cpp"], hand_size=4, iterations=50),
    "cpp-time": replace(OPPONENTS["cpp-time"], hand_size=3, time_ms=1),
}
BOARDS = 3


def played_on(hand_size: int, board: int) -> Table:
    """A table at which half of a deal has been played at random."""
    table, choices = Table(our_game(hand_size), their_game(hand_size), 5, board), random.Random(board)
    for _ in range(4 + 2 * hand_size):
        table.apply(choices.choice(table.legal_actions()))
    return table


def left_over(table: Table) -> set[int]:
    """The cards that nobody holds and nobody sees, in OpenSpiel's numbers."""
    return set(range(52)) - set(table.theirs.history()[2 : 3 + 4 * int(table.ours.record.hand_size)])


def unplayed_hands(world: Any, hand_size: int) -> list[set[int]]:
    """What the seats of an OpenSpiel state hold."""
    history = world.history()
    dealt, played = history[2 : 2 + 4 * hand_size], set(history[7 + 4 * hand_size :])
    return [set(dealt[seat::4]) - played for seat in range(4)]


def broken_voids(table: Table, world: Any) -> int:
    """In how many suits seats hold cards though they have shown themselves void, in an OpenSpiel state."""
    record = table.ours.record
    hands = unplayed_hands(world, int(record.hand_size))
    shown = [[suit for suit in range(4) if int(record.voids[seat]) >> suit & 1] for seat in range(4)]
    return sum(any(card % 4 == suit for card in hands[seat]) for seat in range(4) for suit in shown[seat])


def test_action_numbers_go_both_ways() -> None:
    for phase, actions in ((openspiel.BID, range(13)), (openspiel.BID + 1, range(52))):
        theirs = [openspiel.their_action(phase, action) for action in actions]
        assert [openspiel.our_action(action) for action in theirs] == list(actions)
        assert theirs == [52 + tricks for tricks in range(13)] or sorted(theirs) == list(range(52))


@pytest.mark.parametrize("name", SMALL)
def test_a_match_counts_boards_and_points(name: str) -> None:
    match = head_to_head("ismcts:rollout=random", SMALL[name], BOARDS, seed=3)
    limit = "time_ms=1" if name == "cpp-time" else f"iterations={SMALL[name].iterations}"
    assert match.ours.startswith(f"ismcts:{limit}")
    assert match.difference.boards == BOARDS
    assert match.difference.half_width < 20
    assert match.difference.mean == pytest.approx(match.points[0] - match.points[1])
    assert all(0 < points < 20 for points in match.points)
    assert all(milliseconds > 0 for milliseconds in match.milliseconds)


def test_a_match_with_the_python_bot_can_be_repeated() -> None:
    """The C++ bot answers differently each time: it walks through hash tables in an order that no seed fixes."""
    first, second, other = (head_to_head("heuristic", SMALL["python"], BOARDS, seed) for seed in (4, 4, 5))
    assert (first.difference, first.points) == (second.difference, second.points)
    assert first.points != other.points


def test_a_bot_keeps_its_own_limit() -> None:
    assert openspiel.limited("ismcts:iterations=7", OPPONENTS["cpp-time"]) == "ismcts:iterations=7"
    assert openspiel.limited("ismcts:time_ms=7", OPPONENTS["cpp"]) == "ismcts:time_ms=7"
    assert openspiel.limited("mc", OPPONENTS["cpp-time"]) == "mc:time_ms=10"
    assert openspiel.limited("heuristic", OPPONENTS["cpp"]) == "heuristic"


def test_the_python_bot_searches_our_worlds() -> None:
    """They look the same to the seat, keep voids, and deal out cards of the stock."""
    opponent, hand_size = SMALL["python"], 8
    stock_cards = voids = 0
    for board in range(10):
        table = played_on(hand_size, board)
        seat = table.ours.current_player()
        theirs = TheirBot(opponent, table.ours.game, their_game(hand_size), 10.0, board)
        theirs.look(table)
        voids += sum(int(mask).bit_count() for mask in table.ours.record.voids[:4])
        for _ in range(10):
            world = theirs.world(table.theirs, seat)
            assert world.information_state_string(seat) == table.theirs.information_state_string(seat)
            assert broken_voids(table, world) == 0
            stock_cards += len(left_over(table) & set.union(*unplayed_hands(world, hand_size)))
    assert stock_cards
    assert voids


def test_the_leaks_of_their_own_worlds_are_as_described() -> None:
    """Whoever sees this fail has an OpenSpiel with an honest sampler: say so in `experiments/openspiel.py`."""
    hand_size, broken = 8, 0
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for board in range(10):
        table = played_on(hand_size, board)
        for _ in range(10):
            world = table.theirs.resample_from_infostate(table.theirs.current_player(), sampler)
            assert not left_over(table) & set.union(*unplayed_hands(world, hand_size))
            broken += broken_voids(table, world)
    assert broken


def play_at_random(table: Table, choices: random.Random) -> None:
    """Play a deal to its end on both engines."""
    while actions := table.legal_actions():
        table.apply(choices.choice(actions))


@pytest.mark.parametrize("options", [{"hook": "off"}, {"first_leader": "dealer"}, {"score_base": 9}], ids=str)
def test_other_rules_than_theirs_are_noticed(options: dict[str, Any]) -> None:
    game = make_game("kronions", "oh_hell", num_players=4, hand_size=2, **options)
    tables = [Table(game, their_game(2), 1, board) for board in range(40)]
    with pytest.raises(EnginesDisagree):
        [play_at_random(table, random.Random(0)) for table in tables]


def test_the_command_names_seats_hand_size_and_worlds() -> None:
    words = ["--opponent", "cpp", "--boards", "2", "--hand-size", "2", "--ours", "heuristic"]
    result = CliRunner(env={"COLUMNS": "100"}).invoke(openspiel.main, words)
    assert result.exit_code == 0, result.output
    assert "4 seats x 2 tricks, 44 cards left" in result.stdout
    assert "2 boards of seed 0, each in both rotations of ours, theirs, ours, theirs" in result.stdout
    assert "1,000 iterations a move" in result.stdout
    assert "its worlds are its own, which leak: the stock is known, voids are not kept" in result.stdout
    assert " heuristic " in result.stdout


def test_the_command_says_what_is_wrong_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(openspiel.main, ["--ours", "ismtcs"])
    assert (result.exit_code, result.stderr) == (2, "Error: unknown bot 'ismtcs'; did you mean 'ismcts'?\n")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(InvalidRules, match="openspiel is not installed"):
        openspiel.check_installed()
