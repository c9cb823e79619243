"""What the statistics keep of a run: a few numbers a board and bot, read from the games part by part.

All seatings of a board see the same chance, so the board is the unit of every interval. 10^6 boards of four bots take
about 120 MB here, and only one part's games are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from experiments.intervals import Strata, one_stratum
from experiments.rundir import RunDirectory
from experiments.schedule import MOST_IN_TURN

COLUMNS = ["board", "lineup", "game_id", "seat", "bot", "score", "place", "win_share"]
MEASURES = ("points", "win_share", "rank")
LEAST_IN_STRATUM = 4  # boards; with fewer, strata are coarser, which makes intervals wider and never too short
_SLOT_BITS = 4  # of a ranking, for each seat: 3 for the bot, 1 for a tie with the seat before


class Games(NamedTuple):
    """The games of some boards, seat by seat.

    Attributes:
        board, lineup: shape `(boards,)`.
        bot: index into the run's bots, shape `(boards, games a board, seats)`, as are the next ones.
        score: points.
        place: 1 + the number of seats ahead.
        win_share: 0..1.
    """

    board: np.ndarray
    lineup: np.ndarray
    bot: np.ndarray
    score: np.ndarray
    place: np.ndarray
    win_share: np.ndarray


class Held(NamedTuple):
    """What one bot did on the boards where it sat.

    Attributes:
        board: numbers of the boards, ascending, shape `(boards,)`.
        totals: sums over the seats it held on the board, by measure, each of shape `(boards,)`.
        seats: how many seats it held on the board, over all seatings.
        games: how many games a board has.
        lineup, variant: who played the board, and by which of the rules that boards take in turn.
        num_variants: how many rules that are.
    """

    board: np.ndarray
    totals: dict[str, np.ndarray]
    seats: np.ndarray
    games: int
    lineup: np.ndarray
    variant: np.ndarray
    num_variants: int

    @property
    def strata(self) -> Strata:
        """Which boards are alike by design: `strata_of`."""
        return strata_of(self.lineup, self.variant, self.num_variants)

    def means(self, measure: str) -> np.ndarray:
        """The value of each board: the mean per seat held."""
        found: np.ndarray = self.totals[measure] / self.seats
        return found

    def at(self, rows: np.ndarray) -> Held:
        """The same on some of the boards."""
        totals = {measure: values[rows] for measure, values in self.totals.items()}
        design = self.lineup[rows], self.variant[rows], self.num_variants
        return Held(self.board[rows], totals, self.seats[rows], self.games, *design)


@dataclass(frozen=True)
class BoardResults:
    """Results by board and bot. A slot is a bot that sits on a board; slots are in the order of the run's bots.

    Attributes:
        labels: of the run's bots.
        num_seats: at a table.
        num_variants: how many rules the boards take in turn.
        board, lineup, variant: number of the board, who played it, and which of the rules that boards take in turn.
        bots: index of the bot in a slot, shape `(boards, slots)`, as are the next four.
        seats: how many seats the bot held on the board, over all seatings.
        points, win_share, rank: sums over these seats.
        rankings: how each game ended, shape `(boards, games a board)`, sorted: from the first place down, four bits a
            seat, the lowest first: the slot, plus 8 where the seat has the place of the seat before it.
        points_are_shares: whether points are shares of the win, so that they have its bounds.
    """

    labels: tuple[str, ...]
    num_seats: int
    num_variants: int
    board: np.ndarray
    lineup: np.ndarray
    variant: np.ndarray
    bots: np.ndarray
    seats: np.ndarray
    points: np.ndarray
    win_share: np.ndarray
    rank: np.ndarray
    rankings: np.ndarray
    points_are_shares: bool = False

    @staticmethod
    def of_games(games: Games, labels: Sequence[str], rounds: Sequence[int] | np.ndarray = (0,)) -> BoardResults:
        """Fold the games of some boards, which take the `rounds` in this order (`RunSpec.rounds`)."""
        bots = _slots(games.bot, len(labels))
        holds = [games.bot == bots[:, None, None, slot] for slot in range(bots.shape[1])]

        def added_up(values: np.ndarray) -> np.ndarray:
            return np.stack([np.where(held, values, 0).sum(axis=(1, 2)) for held in holds], axis=1)

        return BoardResults(
            labels=tuple(labels),
            num_seats=games.bot.shape[2],
            num_variants=len(rounds),
            board=games.board.astype(np.int32),
            lineup=games.lineup.astype(np.int32),
            variant=np.asarray(rounds, np.int16)[games.board % len(rounds)],
            bots=bots.astype(np.int16),
            seats=np.stack([held.sum(axis=(1, 2)) for held in holds], axis=1).astype(np.int16),
            points=added_up(games.score),
            win_share=added_up(games.win_share),
            rank=added_up(games.place).astype(np.int32),
            rankings=_rankings(games, bots),
        )

    @staticmethod
    def join(parts: Sequence[BoardResults]) -> BoardResults:
        """The results of several parts, whatever their order.

        Raises:
            ValueError: there are none, or a board is in two of them.
        """
        if not parts:
            raise ValueError("no results to join")
        board = np.concatenate([part.board for part in parts])
        order = np.argsort(board, kind="stable")
        if np.any(np.diff(board[order]) == 0):
            raise ValueError("a board is in two parts: each may be counted once")
        arrays = [name for name, value in vars(parts[0]).items() if isinstance(value, np.ndarray)]
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])[order] for name in arrays
        }
        return replace(parts[0], **joined)

    def __len__(self) -> int:
        return len(self.board)

    def bot(self, label: str) -> Held:
        """What one bot did."""
        rows, slots = np.nonzero(self.bots == self.labels.index(label))
        totals = {measure: getattr(self, measure)[rows, slots] for measure in MEASURES}
        design = self.lineup[rows], self.variant[rows], self.num_variants
        return Held(self.board[rows], totals, self.seats[rows, slots], self.rankings.shape[1], *design)


def part_games(table: pa.Table) -> Games:
    """The games in (some rows of) a run's `games` table: whole boards, in any order of rows."""
    columns = {name: numbers(table, name) for name in COLUMNS}
    order = np.lexsort((columns["seat"], columns["game_id"]))
    num_seats = int(columns["seat"].max()) + 1
    ordered = {name: values[order].reshape(-1, num_seats) for name, values in columns.items()}
    games_a_board = int(np.count_nonzero(ordered["board"][:, 0] == ordered["board"][0, 0]))
    shaped = {name: values.reshape(-1, games_a_board, num_seats) for name, values in ordered.items()}
    by_board = (shaped[name][:, 0, 0] for name in ("board", "lineup"))
    return Games(*by_board, *(shaped[name] for name in ("bot", "score", "place", "win_share")))


def numbers(table: pa.Table, name: str) -> Any:
    """The values of a column; of a dictionary such as the bots, their numbers in its order."""
    chunk = table.column(name).combine_chunks()
    return (chunk.indices if pa.types.is_dictionary(chunk.type) else chunk).to_numpy()


def read_games(directory: RunDirectory, parts: Iterable[int] | None = None) -> Iterable[Games]:
    """The games of the finished parts (or of some of them), one part at a time.

    Line-ups that are drawn are chance and make no strata, and all have number 0 here: of those that one bot or two have
    played, the highest number does not tell whether they are.
    """
    is_in_turn = directory.spec.schedule.is_in_turn
    for part in directory.finished_parts() if parts is None else parts:
        games = part_games(directory.read_part("games", part, COLUMNS))
        yield games if is_in_turn else games._replace(lineup=np.zeros_like(games.lineup))


def board_results(directory: RunDirectory, parts: Iterable[int] | None = None) -> BoardResults:
    """The results of a run's finished parts, or of some of them."""
    labels = [label for label, _ in directory.spec.bots]
    rounds = directory.spec.rounds
    found = BoardResults.join([BoardResults.of_games(g, labels, rounds) for g in read_games(directory, parts)])
    return replace(found, points_are_shares=directory.spec.game_object.points_are_shares)


def strata_of(lineup: np.ndarray, variant: np.ndarray, num_variants: int = 1) -> Strata:
    """Strata of boards by line-up and rules, or what of it leaves enough boards in each.

    Boards take line-ups and rules in turn, so that differences between these are no chance and belong in no interval.
    Where boards are few, neighbouring rules (rounds with nearly as many cards) are one stratum; line-ups that are
    dealt are chance.

    Args:
        lineup: number of each board's line-up.
        variant: number of each board's rules.
        num_variants: how many rules there are.
    """
    in_turn = lineup if lineup.max(initial=0) < MOST_IN_TURN else np.zeros_like(lineup)
    used, place = np.unique(in_turn, return_inverse=True)
    for groups in range(num_variants if len(lineup) else 0, 0, -1):
        group = np.arange(num_variants) * groups // num_variants
        for number, count in ((place, len(used)), (0, 1)):
            of_board = number * groups + group[variant]
            if np.bincount(of_board, minlength=count * groups).min() >= LEAST_IN_STRATUM:
                return Strata(of_board, np.tile(np.bincount(group) / num_variants, count) / count)
    return one_stratum(len(lineup))


def unpack_rankings(codes: np.ndarray, num_seats: int) -> tuple[np.ndarray, np.ndarray]:
    """The slots from the first place down, and which of them are tied with the one before, shape `(n, num_seats)`."""
    digits = codes[:, None] >> (_SLOT_BITS * np.arange(num_seats)) & 15
    return digits & 7, digits >= 8


def _slots(bot: np.ndarray, num_bots: int) -> np.ndarray:
    """The bots of each board, ascending, shape `(boards, slots)`: all of them, or as many as there are seats."""
    boards, _, num_seats = bot.shape
    if num_bots <= num_seats:
        return np.broadcast_to(np.arange(num_bots), (boards, num_bots))
    return np.sort(bot[:, 0, :], axis=1)


def _rankings(games: Games, bots: np.ndarray) -> np.ndarray:
    """The codes of `BoardResults.rankings`."""
    slot = sum((games.bot > bots[:, None, None, i]).astype(np.int32) for i in range(bots.shape[1]))
    ranked = np.sort(games.place.astype(np.int32) * 8 + slot, axis=2)
    is_tied = np.zeros(ranked.shape, np.int32)
    is_tied[..., 1:] = ranked[..., 1:] >> 3 == ranked[..., :-1] >> 3
    digits = (ranked & 7 | is_tied << 3) << (_SLOT_BITS * np.arange(ranked.shape[2], dtype=np.int32))
    return np.sort(digits.sum(axis=2).astype(np.int32), axis=1)
