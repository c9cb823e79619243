"""Who sits where on which board: line-ups, seatings and game numbers, by hand and as properties."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardkit.spec import InvalidRules
from experiments.schedule import (
    MOST_LINEUPS,
    SEATINGS,
    Schedule,
    lineup_number,
    lineups,
    num_lineups,
    seatings,
    spread_rounds,
)

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
        (3, 3, [(0, 1, 2), (0, 2, 1)]),
        (3, 4, [(0, 0, 1, 2), (0, 0, 2, 1), (0, 2, 1, 1), (0, 1, 1, 2), (0, 1, 2, 2), (0, 2, 2, 1)]),
        (3, 6, [(0, 1, 2, 0, 1, 2), (0, 2, 1, 0, 2, 1)]),
        (4, 4, [(0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 1, 3), (0, 2, 3, 1), (0, 3, 1, 2), (0, 3, 2, 1)]),
        (3, 2, [(0, 1), (0, 2), (1, 2)]),
        (4, 3, [(0, 1, 2), (0, 2, 1), (0, 1, 3), (0, 3, 1), (0, 2, 3), (0, 3, 2), (1, 2, 3), (1, 3, 2)]),
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
    assert slots["lineup"].tolist() == [1, 1, 0, 0, 2, 2, 1, 1]  # in the order that seed 0 draws
    assert seats_of(slots, 2) == [(0, 2), (2, 0), (0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)]


def test_few_line_ups_are_taken_in_turn_in_an_order_drawn_from_the_seed() -> None:
    orders = set()
    for seed in range(200):
        found = [Schedule(4, 4, seed=seed).lineup_of_board(board) for board in range(18)]
        assert found == found[:6] * 3
        assert sorted(found[:6]) == list(range(6))
        orders.add(tuple(found[:6]))
    assert len(orders) > 150


def test_two_bots_take_both_their_line_ups_as_they_stand() -> None:
    for seed in range(5):
        assert [Schedule(2, 5, seed=seed).lineup_of_board(board) for board in range(6)] == [0, 1] * 3


def test_the_line_ups_that_a_seed_draws_are_the_same_for_ever() -> None:
    drawn = [Schedule(6, 6, seed=7).lineup(board) for board in range(3)]
    dealt = [Schedule(9, 4, seed=7).lineup(board) for board in range(5)]
    assert drawn == [(0, 5, 4, 2, 3, 1), (0, 1, 3, 5, 4, 2), (0, 5, 2, 3, 4, 1)]
    assert dealt == [(7, 2, 1, 6), (5, 0, 8, 4), (4, 6, 3, 5), (3, 1, 7, 0), (8, 2, 0, 3)]
    assert spread_rounds(14, 7) == [10, 5, 0, 9, 4, 13, 8, 3, 12, 7, 2, 11, 6, 1]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 13, 14, 15, 18, 29])
def test_a_few_boards_are_spread_over_all_rounds(count: int) -> None:
    starts = set()
    for seed in range(100):
        order = spread_rounds(count, seed)
        assert sorted(order) == list(range(count))
        starts.add(order[0])
        for boards in range(1, count + 1):
            played = sorted(order[:boards])
            gaps = np.diff([*played, played[0] + count])
            assert gaps.max() <= 2.7 * count / boards
    assert starts == set(range(count))


@pytest.mark.parametrize("num_seats", [5, 6])
def test_all_seatings_are_for_up_to_four_seats(num_seats: int) -> None:
    with pytest.raises(InvalidRules, match=f"seating 'all' is for up to 4 seats, got {num_seats}"):
        Schedule(1, num_seats, "all")


@pytest.mark.parametrize(("num_bots", "num_seats"), [(1000, 4), (60, 6)])
def test_more_lineups_than_anybody_can_number_are_refused(num_bots: int, num_seats: int) -> None:
    assert comb(num_bots, num_seats) * factorial(num_seats - 1) > MOST_LINEUPS
    with pytest.raises(InvalidRules, match=f"{num_bots} bots at {num_seats} seats make more than 2,147,483,647 line-"):
        Schedule(num_bots, num_seats)


# By enumeration


@pytest.mark.parametrize("num_bots", range(1, 10))
@pytest.mark.parametrize("num_seats", range(2, 7))
def test_line_ups_are_the_same_whatever_the_bots_are_called(num_bots: int, num_seats: int) -> None:
    """Any two bots can change names: every permutation is made of such changes."""
    found = lineups(num_bots, num_seats)
    distinct = Counter(frozenset(seatings(lineup)) for lineup in found)
    if num_bots != 2:
        assert set(distinct.values()) == {1}
    for first in range(num_bots - 1):
        names = list(range(num_bots))
        names[first], names[first + 1] = first + 1, first
        renamed = (tuple(names[bot] for bot in lineup) for lineup in found)
        assert Counter(frozenset(seatings(lineup)) for lineup in renamed) == distinct


@pytest.mark.parametrize("num_bots", range(1, 10))
@pytest.mark.parametrize("num_seats", range(2, 7))
def test_every_bot_sits_equally_often_at_every_seat_and_behind_every_other(num_bots: int, num_seats: int) -> None:
    """Counts over all line-ups and their seatings do not change under any permutation of the bots."""
    games = np.array([seats for lineup in lineups(num_bots, num_seats) for seats in seatings(lineup)])
    at_seat = np.array([np.bincount(games[:, seat], minlength=num_bots) for seat in range(num_seats)])
    assert (at_seat == at_seat[:, :1]).all()
    pairs = np.bincount((games * num_bots + np.roll(games, 1, axis=1)).ravel(), minlength=num_bots**2)
    behind = pairs.reshape(num_bots, num_bots)
    assert len(set(np.diag(behind).tolist())) == 1
    assert len(set(behind[~np.eye(num_bots, dtype=bool)].tolist())) <= 1


@pytest.mark.parametrize(("num_bots", "num_seats"), [(3, 3), (3, 4), (4, 4), (5, 3), (5, 5), (6, 4), (6, 6), (4, 6)])
@pytest.mark.parametrize("boards", [1, 4])
def test_whatever_the_bots_are_called_the_schedule_has_the_same_distribution(
    num_bots: int, num_seats: int, boards: int
) -> None:
    """Over many seeds, and boards that are no whole cycle: who sits behind whom, with a chi-square test."""
    behind = np.zeros((num_bots, num_bots))
    seeds = 600
    for seed in range(seeds):
        games = Schedule(num_bots, num_seats, seed=seed).games(0, boards)["bot"][:, :num_seats]
        share = np.bincount((games * num_bots + np.roll(games, 1, axis=1)).ravel(), minlength=num_bots**2)
        behind += share.reshape(num_bots, num_bots) / len(games)
    others = behind[~np.eye(num_bots, dtype=bool)]
    spread = (others - others.mean()) ** 2 / others.mean()
    assert spread.sum() < 2.5 * len(others)


# Properties


@SEEDED
@given(BOTS, SEATS, st.sampled_from(SEATINGS))
def test_lineups_are_all_that_permuting_the_bots_leads_to(num_bots: int, num_seats: int, seating: str) -> None:
    num_seats = min(num_seats, 4) if seating == "all" else num_seats
    found = lineups(num_bots, num_seats, seating)
    assert len(found) == num_lineups(num_bots, num_seats, seating)
    if num_bots > num_seats:
        tables = combinations(range(num_bots), num_seats)
        wanted = {min(seatings(order, seating)) for table in tables for order in permutations(table)}
        assert [lineup_number(lineup, num_bots, seating) for lineup in found] == list(range(len(found)))
    else:
        orders = permutations(range(num_bots))
        wanted = {min(seatings(tuple(order[i % num_bots] for i in range(num_seats)), seating)) for order in orders}
    assert {min(seatings(lineup, seating)) for lineup in found} == wanted


@SEEDED
@given(st.integers(3, 12), SEATS, st.integers(0, 99))
def test_dealt_bots_sit_equally_often_after_every_cycle(num_bots: int, num_seats: int, seed: int) -> None:
    schedule = Schedule(num_bots, num_seats, seed=seed)
    for start in (0, schedule.cycle, 7 * schedule.cycle):
        sat = Counter(bot for board in range(schedule.cycle) for bot in schedule.lineup(start + board))
        if num_bots > num_seats:
            assert len(set(sat.values())) == 1
            assert set(sat) == set(range(num_bots))
    for board in range(20):
        lineup, number = schedule.lineup(board), schedule.lineup_of_board(board)
        assert len(set(lineup)) == min(num_bots, num_seats)
        assert 0 <= number < num_lineups(num_bots, num_seats)
        if num_lineups(num_bots, num_seats) <= 10_000:
            assert set(seatings(lineups(num_bots, num_seats)[number])) == set(seatings(lineup))


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
@given(BOTS, SEATS, st.integers(0, 99))
def test_over_a_cycle_of_boards_every_bot_holds_every_seat_equally_often(
    num_bots: int, num_seats: int, seed: int
) -> None:
    schedule = Schedule(num_bots, num_seats, seed=seed)
    seats = np.array(seats_of(schedule.games(0, schedule.cycle), num_seats))
    counts = {(bot, seat): int((seats[:, seat] == bot).sum()) for bot in range(num_bots) for seat in range(num_seats)}
    if schedule.is_in_turn or num_bots > num_seats:
        assert len(set(counts.values())) == 1
    if schedule.is_in_turn:
        again = seats_of(schedule.games(schedule.cycle, 2 * schedule.cycle), num_seats)
        assert again == [tuple(row) for row in seats.tolist()]


@SEEDED
@given(BOTS, SEATS, st.integers(1, 16))
def test_every_line_up_taken_in_turn_meets_every_round_equally_often(
    num_bots: int, num_seats: int, rounds: int
) -> None:
    """Three bots at four seats in six rounds: the one with two seats must not be the same in a round each time."""
    schedule = Schedule(num_bots, num_seats, num_variants=rounds)
    if schedule.is_in_turn:
        met = Counter((schedule.lineup_of_board(board), board % rounds) for board in range(schedule.cycle * rounds))
        assert len(met) == schedule.cycle * rounds


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
