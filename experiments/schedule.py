"""Who sits where on which board: line-ups, seatings and game numbers, all computed from the spec alone.

A board is one fixed source of chance; it plays one line-up in all its distinct seatings, so that every bot of the
line-up meets the same cards in the same seats. Rotations keep the order of the bots round the table, and who sits
behind a weak bot gains; so boards take all orders, and which board has which is drawn from the seed: whatever the order
in which the bots are named, the schedule has the same distribution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import combinations, permutations
from math import comb, factorial, gcd, lcm

import numpy as np

from cardkit.spec import InvalidRules

MOST_SEATS = 6
MOST_IN_TURN = 6  # line-ups; of more of them every board draws one, which takes fewer boards to be even
MOST_LINEUPS = 2**31 - 1  # so that their numbers fit the files
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


def num_lineups(num_bots: int, num_seats: int, seating: str = "rotations") -> int:
    """How many line-ups there are: the length of `lineups`, for any number of bots."""
    if num_bots <= num_seats:
        return len(lineups(num_bots, num_seats, seating))
    return comb(num_bots, num_seats) * (factorial(num_seats - 1) if seating == "rotations" else 1)


def lineups(num_bots: int, num_seats: int, seating: str = "rotations") -> list[tuple[int, ...]]:
    """All line-ups, each a bot index a seat.

    With no more bots than seats, they are all that permuting the bots makes of "bot i mod k at seat i"; with more
    bots, all orders of every combination of as many bots as there are seats. Of those with the same seatings there is
    one. Two bots have both of theirs, though at an even number of seats these are rotations of each other.
    """
    if num_bots > num_seats:
        found = combinations(range(num_bots), num_seats)
        if seating == "all":
            return list(found)
        return [(first, *others) for first, *rest in found for others in permutations(rest)]
    orders = permutations(range(num_bots))
    arranged = [tuple(order[seat % num_bots] for seat in range(num_seats)) for order in orders]
    if num_bots == 2:
        return arranged
    return list(dict.fromkeys(min(seatings(lineup, seating)) for lineup in arranged))


def lineup_number(bots: Sequence[int], num_bots: int, seating: str = "rotations") -> int:
    """Where the line-up with the seatings of `bots`, all different, stands in `lineups` for more bots than seats."""
    ordered = sorted(bots)
    before = [0, *(bot + 1 for bot in ordered)]
    number = sum(
        comb(num_bots - 1 - other, len(bots) - 1 - place)
        for place, bot in enumerate(ordered)
        for other in range(before[place], bot)
    )
    if seating == "all":
        return number
    first = bots.index(ordered[0])
    rest, others = ordered[1:], [*bots[first + 1 :], *bots[:first]]
    for bot in others:
        number = number * len(rest) + rest.index(bot)
        rest.remove(bot)
    return number


def seatings(lineup: tuple[int, ...], seating: str = "rotations") -> list[tuple[int, ...]]:
    """The distinct ways in which a line-up sits down: all its rotations, or all its permutations (up to four seats)."""
    if seating == "all":
        if len(lineup) > MOST_SEATS_FOR_ALL:
            raise InvalidRules(f"seating 'all' is for up to {MOST_SEATS_FOR_ALL} seats, got {len(lineup)}")
        return list(dict.fromkeys(permutations(lineup)))
    turned = [lineup[-shift:] + lineup[:-shift] if shift else lineup for shift in range(len(lineup))]
    return list(dict.fromkeys(turned))


def drawn(*key: object) -> int:
    """A number below 2^128 that follows from the key alone, on every machine and with every version of Python."""
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=16).digest())


def shuffled(items: Iterable[int], *key: object) -> list[int]:
    """The items in an order that follows from the key alone."""
    return sorted(items, key=lambda item: drawn(*key, item))


def spread_rounds(count: int, seed: int) -> list[int]:
    """The order in which boards take `count` rounds: a few boards are spread over all of them.

    Steps of the golden section (Weyl's sequence) from a round drawn from the seed: any run of them leaves no wide gap.
    """
    step = min((step for step in range(1, count + 1) if gcd(step, count) == 1), key=lambda n: abs(n / count - 0.618))
    start = drawn(seed, "round") % count
    return [(start + step * board) % count for board in range(count)]


class Schedule:
    """All games of a run, numbered board by board.

    Up to `MOST_IN_TURN` line-ups are taken in turn, in an order drawn from the seed (two bots: as they stand). Where
    boards also take `num_variants` rules in turn, every block of boards in which both have come round moves the
    line-ups on by one; otherwise a line-up would meet some of the rules only.

    Of more line-ups each board draws one from the seed. Where there are more bots than seats, bots are shuffled and
    dealt to tables like cards, the next shuffle going on where the last one ended, so that after every `cycle` boards
    each bot has sat as often as any other; and each table is shuffled again.
    """

    def __init__(
        self, num_bots: int, num_seats: int, seating: str = "rotations", num_variants: int = 1, seed: int = 0
    ) -> None:
        self._shape = num_bots, num_seats, seating
        self._seed = seed
        count = num_lineups(num_bots, num_seats, seating)
        if count > MOST_LINEUPS:
            raise InvalidRules(
                f"{num_bots} bots at {num_seats} seats make more than {MOST_LINEUPS:,} line-ups: too many"
            )
        self.is_in_turn = count <= MOST_IN_TURN
        is_listed = self.is_in_turn or num_bots <= num_seats
        self._lineups = lineups(num_bots, num_seats, seating) if is_listed else []
        self._order = list(range(count)) if num_bots == 2 else shuffled(range(len(self._lineups)), seed, "line-up")
        self._block = lcm(count, num_variants) if self.is_in_turn and gcd(count, num_variants) > 1 else 0
        self._deal = num_bots // gcd(num_bots, num_seats) if num_bots > num_seats else 1
        self._dealt: tuple[int, list[tuple[int, ...]]] = -1, []  # the last deal; one object, as threads share it
        self.games_a_board = len(seatings(self.lineup(0), seating))  # the same for every line-up

    @property
    def cycle(self) -> int:
        """After so many boards all line-ups have come equally often, or all bots, where there are more than seats.

        1 where line-ups of no more bots than seats are drawn: these are even on average only.
        """
        return len(self._lineups) if self.is_in_turn else self._deal

    def lineup_of_board(self, board: int) -> int:
        """The number of the line-up that a board plays: its place in `lineups`."""
        if self.is_in_turn:
            moved = board // self._block if self._block else 0
            return self._order[(board + moved) % len(self._order)]
        if self._lineups:
            return drawn(self._seed, "line-up of board", board) % len(self._lineups)
        num_bots, _, seating = self._shape
        return lineup_number(self.lineup(board), num_bots, seating)

    def lineup(self, board: int) -> tuple[int, ...]:
        """The line-up that a board plays, a bot index a seat in its first seating."""
        if self._lineups:
            return self._lineups[self.lineup_of_board(board)]
        deal, table = divmod(board, self._deal)
        dealt = self._dealt
        if dealt[0] != deal:
            dealt = self._dealt = deal, self._deal_tables(deal)
        return dealt[1][table]

    def _deal_tables(self, deal: int) -> list[tuple[int, ...]]:
        """The line-ups of a whole deal: tables of different bots, each bot at equally many of them."""
        num_bots, num_seats, _ = self._shape
        bots: list[int] = []
        while not bots or len(bots) % num_seats:
            seated = bots[len(bots) - len(bots) % num_seats :]
            fresh = shuffled(set(range(num_bots)) - set(seated), self._seed, deal, len(bots))
            here = num_seats - len(seated)
            bots += fresh[:here] + shuffled([*fresh[here:], *seated], self._seed, deal, len(bots), "rest")
        tables = [bots[first : first + num_seats] for first in range(0, len(bots), num_seats)]
        return [tuple(shuffled(table, self._seed, deal, i, "table")) for i, table in enumerate(tables)]

    def first_game(self, board: int) -> int:
        """The number of a board's first game, which is also how many games come before that board."""
        return board * self.games_a_board

    def board_of_game(self, game_id: int) -> int:
        """The board that a game belongs to."""
        return game_id // self.games_a_board

    def games(self, first_board: int, end_board: int) -> np.ndarray:
        """The games of boards `first_board .. end_board - 1` in order, records of `GAME_SLOT`."""
        _, num_seats, seating = self._shape
        by_board = np.zeros((end_board - first_board, self.games_a_board), GAME_SLOT)
        by_board["bot"] = -1
        for board, games in zip(range(first_board, end_board), by_board, strict=True):
            games["board"], games["lineup"] = board, self.lineup_of_board(board)
            games["rotation"] = np.arange(self.games_a_board)
            games["bot"][:, :num_seats] = seatings(self.lineup(board), seating)
        slots = by_board.ravel()
        slots["game_id"] = self.first_game(first_board) + np.arange(len(slots))
        return slots
