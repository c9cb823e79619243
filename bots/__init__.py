"""Players: random, heuristic, Monte Carlo, tree search, and a user's own; written once, over the verbs of all games."""

from bots.bot import Bot, PythonBot, make
from bots.specs import BOT_KINDS, BotSpec, parse_bots
from bots.thinking import Thoughts, thoughts

__all__ = ["BOT_KINDS", "Bot", "BotSpec", "PythonBot", "Thoughts", "make", "parse_bots", "thoughts"]
