"""Players: random, heuristic, and a user's own. Written once for all games, over the verbs of `cardkit.verbs`."""

from bots.bot import Bot, PythonBot, make
from bots.specs import BOT_KINDS, BotSpec, parse_bots

__all__ = ["BOT_KINDS", "Bot", "BotSpec", "PythonBot", "make", "parse_bots"]
