"""How many boards a part file holds: from a fixed table of costs, so that it is the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from bots import BotSpec
from bots.settings import HEURISTIC, PYTHON, RANDOM
from cardkit.game import Game
from experiments.schedule import Schedule

MOST_PARTS_AT_LEAST = 8  # a run has at least this many parts where its boards allow
_PART_SECONDS = 10.0  # what a part should take
_PART_DECISIONS = 2_000_000  # and no more than this, so that its rows fit in memory
_MICROSECONDS = {RANDOM: 0.03, HEURISTIC: 0.2, PYTHON: 300.0}  # a decision of each kind of bot, roughly


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
