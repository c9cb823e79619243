"""Who sits where on which board: line-ups, seatings and game numbers, by hand and as properties."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardkit.spec import InvalidRules
from experiments.schedule import MOST_LINEUPS, Schedule, lineups, seatings

SEEDED = settings(derandomize=True, database=None, deadline=None)
BOTS, SEATS = st.integers(1, 9), st.integers(2, 6)


def seats_of(slots: np.ndarray, num_seats: int) -> list[tuple[int, ...]]:
    return [tuple(int(bot) for bot in slot["bot"][:num_seats]) for slot in slots]


# By hand


@pytest.mark.parametrize(
    ("num_bots", "num_seats", "expected"),
    [
        (1, 2, [(0, 0)]),
        (1, 6, [(0, 0, 0, 0, 0, 0)]),
        (2, 2, [(0, 1), (1, 0)]),
        (2, 3, [(0, 1, 0), (1, 0, 1)]),
        (2, 4, [(0, 1, 0, 1), (1, 0, 1, 0)]),
        (2, 5, [(0, 1, 0, 1, 0), (1, 0, 1, 0, 1)]),
        (3, 4, [(0, 1, 2, 0), (1, 2, 0, 1), (2, 0, 1, 2)]),
        (4, 4, [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]),
        (4, 6, [(0, 1, 2, 3, 0, 1), (1, 2, 3, 0, 1, 2), (2, 3, 0, 1, 2, 3), (3, 0, 1, 2, 3, 0)]),
        (3, 2, [(0, 1), (0, 2), (1, 2)]),
        (4, 3, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]),
        (5, 4, [(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 3, 4), (0, 2, 3, 4), (1, 2, 3, 4)]),
    ],
)
def test_lineups(num_bots: int, num_seats: int, expected: list[tuple[int, ...]]) -> None:
    assert lineups(num_bots, num_seats) == expected


@pytest.mark.parametrize(
    ("lineup", "seating", "expected"),
    [
        ((0, 0), "rotations", [(0, 0)]),
        ((0, 1), "rotations", [(0, 1), (1, 0)]),
        ((0, 1, 0), "rotations", [(0, 1, 0), (0, 0, 1), (1, 0, 0)]),
        ((0, 1, 0, 1), "rotations", [(0, 1, 0, 1), (1, 0, 1, 0)]),
        ((0, 1, 2, 0), "rotations", [(0, 1, 2, 0), (0, 0, 1, 2), (2, 0, 0, 1), (1, 2, 0, 0)]),
        ((0, 1, 2, 3), "rotations", [(0, 1, 2, 3), (3, 0, 1, 2), (2, 3, 0, 1), (1, 2, 3, 0)]),
        ((0, 1, 2, 0, 1, 2), "rotations", [(0, 1, 2, 0, 1, 2), (2, 0, 1, 2, 0, 1), (1, 2, 0, 1, 2, 0)]),
        ((0, 1), "all", [(0, 1), (1, 0)]),
        ((0, 1, 0), "all", [(0, 1, 0), (0, 0, 1), (1, 0, 0)]),
        ((0, 1, 2), "all", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]),
        ((0, 0, 0, 0), "all", [(0, 0, 0, 0)]),
    ],
)
def test_seatings(lineup: tuple[int, ...], seating: str, expected: list[tuple[int, ...]]) -> None:
    assert seatings(lineup, seating) == expected


def test_the_games_of_two_bots_at_three_seats() -> None:
    slots = Schedule(2, 3).games(0, 3)
    assert slots["game_id"].tolist() == list(range(9))
    assert slots["board"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert slots["lineup"].tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0]
    assert slots["rotation"].tolist() == [0, 1, 2] * 3
    first, second = [(0, 1, 0), (0, 0, 1), (1, 0, 0)], [(1, 0, 1), (1, 1, 0), (0, 1, 1)]
    assert seats_of(slots, 3) == first + second + first
    assert (slots["bot"][:, 3:] == -1).all()


def test_the_games_of_three_bots_at_two_seats() -> None:
    slots = Schedule(3, 2).games(1, 5)
    assert slots["game_id"].tolist() == list(range(2, 10))
    assert slots["lineup"].tolist() == [1, 1, 2, 2, 0, 0, 1, 1]
    assert seats_of(slots, 2) == [(0, 2), (2, 0), (1, 2), (2, 1), (0, 1), (1, 0), (0, 2), (2, 0)]


@pytest.mark.parametrize("num_seats", [5, 6])
def test_all_seatings_are_for_up_to_four_seats(num_seats: int) -> None:
    with pytest.raises(InvalidRules, match=f"seating 'all' is for up to 4 seats, got {num_seats}"):
        Schedule(1, num_seats, "all")


@pytest.mark.parametrize(("num_bots", "num_seats"), [(100, 4), (25, 6)])
def test_more_lineups_than_anybody_can_play_are_refused(num_bots: int, num_seats: int) -> None:
    assert comb(num_bots, num_seats) > MOST_LINEUPS
    with pytest.raises(InvalidRules, match=f"{num_bots} bots at {num_seats} seats make more than 100,000 line-ups"):
        Schedule(num_bots, num_seats)


# Properties


@SEEDED
@given(BOTS, SEATS)
def test_lineups_are_as_many_as_bots_or_combinations(num_bots: int, num_seats: int) -> None:
    found = lineups(num_bots, num_seats)
    if num_bots > num_seats:
        assert found == sorted(combinations(range(num_bots), num_seats))
        return
    assert len(found) == num_bots
    for j, lineup in enumerate(found):
        assert lineup == tuple((i + j) % num_bots for i in range(num_seats))


@SEEDED
@given(BOTS, SEATS, st.integers(0, 40), st.sampled_from(["rotations", "all"]))
def test_the_seatings_of_a_board_are_all_and_distinct(num_bots: int, num_seats: int, board: int, seating: str) -> None:
    num_seats = min(num_seats, 4) if seating == "all" else num_seats
    seats = seats_of(Schedule(num_bots, num_seats, seating).games(board, board + 1), num_seats)
    assert len(set(seats)) == len(seats)
    if seating == "rotations":
        assert set(seats) == {seats[0][i:] + seats[0][:i] for i in range(num_seats)}
    else:
        same = np.prod([factorial(count) for count in Counter(seats[0]).values()])
        assert len(seats) == factorial(num_seats) // same
        assert all(sorted(way) == sorted(seats[0]) for way in seats)


@SEEDED
@given(BOTS, SEATS, st.integers(0, 40), st.sampled_from(["rotations", "all"]))
def test_every_bot_of_a_board_holds_every_seat_equally_often(
    num_bots: int, num_seats: int, board: int, seating: str
) -> None:
    num_seats = min(num_seats, 4) if seating == "all" else num_seats
    seats = np.array(seats_of(Schedule(num_bots, num_seats, seating).games(board, board + 1), num_seats))
    for bot in range(num_bots):
        assert len(set((seats == bot).sum(axis=0).tolist())) == 1
    if num_bots <= num_seats:
        assert set(seats.ravel().tolist()) == set(range(num_bots))


@SEEDED
@given(BOTS, SEATS)
def test_over_a_cycle_of_boards_every_bot_holds_every_seat_equally_often(num_bots: int, num_seats: int) -> None:
    schedule = Schedule(num_bots, num_seats)
    num_boards = len(lineups(num_bots, num_seats))
    seats = np.array(seats_of(schedule.games(0, num_boards), num_seats))
    counts = {(bot, seat): int((seats[:, seat] == bot).sum()) for bot in range(num_bots) for seat in range(num_seats)}
    assert len(set(counts.values())) == 1
    assert seats_of(schedule.games(num_boards, 2 * num_boards), num_seats) == [tuple(row) for row in seats.tolist()]


@SEEDED
@given(BOTS, SEATS, st.integers(1, 16))
def test_every_bot_holds_every_share_of_seats_in_every_round(num_bots: int, num_seats: int, rounds: int) -> None:
    """Three bots at four seats in six rounds: the one with two seats must not be the same in a round each time."""
    schedule = Schedule(num_bots, num_seats, num_variants=rounds)
    slots = schedule.games(0, len(schedule.seats) * rounds)
    held = np.zeros((rounds, num_bots, num_seats + 1), np.int64)
    seats = slots["bot"][:, :num_seats]
    for bot in range(num_bots):
        np.add.at(held, (slots["board"] % rounds, bot, (seats == bot).sum(axis=1)), 1)
    assert (held == held[0, 0]).all()


@SEEDED
@given(BOTS, SEATS, st.lists(st.integers(0, 30), min_size=2, max_size=5))
def test_consecutive_ranges_make_up_the_whole(num_bots: int, num_seats: int, cuts: list[int]) -> None:
    schedule, cuts = Schedule(num_bots, num_seats), sorted(cuts)
    whole = schedule.games(cuts[0], cuts[-1])
    pieces = [schedule.games(first, end) for first, end in pairwise(cuts)]
    assert (np.concatenate(pieces) == whole).all()
    assert sum(map(len, pieces)) == len(whole)
    assert whole["game_id"].tolist() == list(range(schedule.first_game(cuts[0]), schedule.first_game(cuts[-1])))


@SEEDED
@given(BOTS, SEATS, st.integers(0, 60), st.sampled_from(["rotations", "all"]))
def test_a_game_number_leads_back_to_its_board(num_bots: int, num_seats: int, board: int, seating: str) -> None:
    schedule = Schedule(num_bots, min(num_seats, 4) if seating == "all" else num_seats, seating)
    slots = schedule.games(board, board + 1)
    assert [schedule.board_of_game(int(game)) for game in slots["game_id"]] == [board] * len(slots)
    assert schedule.first_game(board) == slots["game_id"][0] == len(schedule.games(0, board))


def test_numbers_of_far_away_boards_are_exact() -> None:
    schedule, board = Schedule(3, 4), 10**9 - 1
    assert schedule.first_game(board) == 4 * board
    assert schedule.board_of_game(4 * board + 3) == board
    assert schedule.games(board, board + 1)["game_id"].tolist() == [4 * board + i for i in range(4)]
