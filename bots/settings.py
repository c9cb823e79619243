"""The settings of a built-in bot as the kernels read them."""

import numpy as np

RANDOM, HEURISTIC, PYTHON, MONTE_CARLO, ISMCTS, MOISMCTS = range(6)  # kinds; from MONTE_CARLO on they search

BY_POLICY, AT_RANDOM = range(2)  # rollout
MARGIN, POINTS, WIN = range(3)  # utility
THE_DEAL, THE_GAME = range(2)  # horizon
UNIFORM, BIDS = range(2)  # belief
SENSIBLE, ALL = range(2)  # sensible

BOT = np.dtype(
    [
        ("kind", "i8"),  # PYTHON for a bot that is not a kernel
        (
            "epsilon",
            "f8",
        ),  # chance of a random legal action: of the bot itself, or in the rollouts of one that searches
        ("iterations", "i8"),  # most of them for a decision
        ("time_ms", "f8"),  # milliseconds for a decision; 0 no limit
        ("exploration", "f8"),
        ("rollout", "i8"),
        ("utility", "i8"),
        ("horizon", "i8"),
        ("belief", "i8"),
        ("sensible", "i8"),
    ]
)
