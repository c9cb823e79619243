"""Which boards a part file holds: from a fixed table of costs, so that it is the same everywhere.

Where a run has a stop rule, parts end at its looks, so that a look never falls inside a part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from bots import BotSpec
from bots.settings import HEURISTIC, PYTHON, RANDOM
from cardkit.game import Game
from experiments.schedule import Schedule

MOST_PARTS_AT_LEAST = 8  # a run has at least this many parts where its boards allow
_PART_SECONDS = 10.0  # what a part should take
_PART_DECISIONS = 2_000_000  # and no more than this, so that its rows fit in memory
_MICROSECONDS = {RANDOM: 0.03, HEURISTIC: 0.2, PYTHON: 300.0}  # a decision of each kind of bot, roughly


class Parts:
    """The boards of each part: `boards_in_part` of them, and the rest in the last part before each end.

    Args:
        boards_in_part: how many a part holds at most.
        ends: boards after which a part ends, ascending; the last is the number of all boards.
    """

    def __init__(self, boards_in_part: int, ends: Iterable[int]) -> None:
        self._size = boards_in_part
        self._boards = [0, *ends]  # where each stretch begins, and where the last one ends
        self._parts = [0]
        for first, end in pairwise(self._boards):
            self._parts.append(self._parts[-1] - (first - end) // boards_in_part)

    def __len__(self) -> int:
        return self._parts[-1]

    def boards(self, part: int) -> tuple[int, int]:
        """The first board of a part and the one after its last."""
        stretch = min(bisect_right(self._parts, part), len(self._parts) - 1) - 1
        first = self._boards[stretch] + (part - self._parts[stretch]) * self._size
        return first, min(first + self._size, self._boards[stretch + 1])

    def of_board(self, board: int) -> int:
        """The part that a board is in."""
        stretch = bisect_right(self._boards, board) - 1
        return self._parts[stretch] + (board - self._boards[stretch]) // self._size

    def is_last_before_end(self, part: int) -> bool:
        """Whether a part ends at one of the ends."""
        return part + 1 in self._parts


def boards_in_part(game: Game, bots: Sequence[BotSpec], boards: int, format: str, seating: str) -> int:
    """Boards that take about ten seconds, from a fixed table of costs: never from a measurement or the workers."""
    length = game.max_game_length() / game.max_deals()
    decisions = length if format == "deal" else length * game.max_deals()
    decisions *= Schedule(len(bots), game.num_players, seating).games_a_board
    microseconds = decisions * sum(_decision_cost(bot, length) for bot in bots) / len(bots)
    wanted = min(_PART_SECONDS * 1e6 / microseconds, _PART_DECISIONS / decisions, boards // MOST_PARTS_AT_LEAST)
    return max(1, int(wanted))


def _decision_cost(bot: BotSpec, length: float) -> float:
    """Microseconds that a bot takes for a decision, roughly, in a game with so many decisions a deal."""
    if bot.code in _MICROSECONDS:
        return _MICROSECONDS[bot.code]
    settings = bot.values()
    half_a_rollout = _MICROSECONDS[HEURISTIC] * length / 2  # from the middle of a deal
    return settings["time_ms"] * 1000 or settings["iterations"] * half_a_rollout
