"""The built-in bots as kernels. They are asked on hidden records only, so they cannot cheat."""

import numpy as np

from cardkit.batch import random_action
from cardkit.jit import kernel
from cardkit.rng import uniform
from cardkit.verbs import policy

RANDOM, HEURISTIC, PYTHON = range(3)

# The settings of one bot, as `choose` reads them.
BOT = np.dtype(
    [
        ("kind", "i8"),  # RANDOM, HEURISTIC, or PYTHON for a bot that is not a kernel
        ("epsilon", "f8"),  # chance of a random legal action instead of the bot's choice, 0..1
    ]
)


@kernel
def choose(rules, view, bot, rng):
    """The action of a built-in bot for the seat to move, from its hidden record. Modified in place: `rng`."""
    if bot.kind == RANDOM or (bot.epsilon > 0.0 and uniform(rng) < bot.epsilon):
        return random_action(rules, view, rng)
    return policy(rules, view, rng)
