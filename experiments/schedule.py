"""Who sits where on which board: line-ups, seatings and game numbers, all computed from the spec alone.

A board is one fixed source of chance; it plays one line-up in all its distinct seatings, so that every bot of the
line-up meets the same cards in the same seats.
"""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, gcd, lcm

import numpy as np

from cardkit.spec import InvalidRules

MOST_SEATS = 6
MOST_LINEUPS = 100_000
MOST_SEATS_FOR_ALL = 4
SEATINGS = ("rotations", "all")

# One game to play: where its chance comes from and which bot sits at which seat.
GAME_SLOT = np.dtype(
    [
        ("game_id", "i8"),
        ("board", "i8"),
        ("lineup", "i4"),
        ("rotation", "i4"),
        ("bot", "i4", (MOST_SEATS,)),  # index into the run's bots; -1 no seat
    ],
    align=True,
)


def lineups(num_bots: int, num_seats: int) -> list[tuple[int, ...]]:
    """The line-ups that boards take in turn, each a bot index a seat.

    With no more bots than seats, line-up j puts bot (i + j) mod k at seat i, so that uneven shares even out over the
    boards; with more bots, every combination of as many bots as there are seats.
    """
    if num_bots > num_seats:
        if comb(num_bots, num_seats) > MOST_LINEUPS:
            raise InvalidRules(
                f"{num_bots} bots at {num_seats} seats make more than {MOST_LINEUPS:,} line-ups: too many"
            )
        return list(combinations(range(num_bots), num_seats))
    return [tuple((seat + j) % num_bots for seat in range(num_seats)) for j in range(num_bots)]


def seatings(lineup: tuple[int, ...], seating: str = "rotations") -> list[tuple[int, ...]]:
    """The distinct ways in which a line-up sits down: all its rotations, or all its permutations (up to four seats)."""
    if seating == "all":
        if len(lineup) > MOST_SEATS_FOR_ALL:
            raise InvalidRules(f"seating 'all' is for up to {MOST_SEATS_FOR_ALL} seats, got {len(lineup)}")
        return list(dict.fromkeys(permutations(lineup)))
    turned = [lineup[-shift:] + lineup[:-shift] if shift else lineup for shift in range(len(lineup))]
    return list(dict.fromkeys(turned))


class Schedule:
    """All games of a run, numbered board by board.

    Board b plays line-up b mod L. Where boards also take `num_variants` rules in turn and bots do not share the seats
    evenly, every block of boards in which both have come round moves the line-ups on by one; otherwise a line-up would
    meet some of the rules only.
    """

    def __init__(self, num_bots: int, num_seats: int, seating: str = "rotations", num_variants: int = 1) -> None:
        self.seats = [seatings(lineup, seating) for lineup in lineups(num_bots, num_seats)]
        self.games_a_board = len(self.seats[0])  # the same for every line-up: they differ in who sits, not in how often
        has_clash = num_seats % num_bots != 0 and gcd(len(self.seats), num_variants) > 1
        self._block = lcm(len(self.seats), num_variants) if has_clash else 0

    def lineup_of_board(self, board: int) -> int:
        """The line-up that a board plays."""
        moved = board // self._block if self._block else 0
        return (board + moved) % len(self.seats)

    def first_game(self, board: int) -> int:
        """The number of a board's first game, which is also how many games come before that board."""
        return board * self.games_a_board

    def board_of_game(self, game_id: int) -> int:
        """The board that a game belongs to."""
        return game_id // self.games_a_board

    def games(self, first_board: int, end_board: int) -> np.ndarray:
        """The games of boards `first_board .. end_board - 1` in order, records of `GAME_SLOT`."""
        by_board = np.zeros((end_board - first_board, self.games_a_board), GAME_SLOT)
        by_board["bot"] = -1
        for board, games in zip(range(first_board, end_board), by_board, strict=True):
            lineup = self.lineup_of_board(board)
            games["board"], games["lineup"] = board, lineup
            games["rotation"] = np.arange(self.games_a_board)
            games["bot"][:, : len(self.seats[lineup][0])] = self.seats[lineup]
        slots = by_board.ravel()
        slots["game_id"] = self.first_game(first_board) + np.arange(len(slots))
        return slots
