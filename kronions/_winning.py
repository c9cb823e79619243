"""How likely each seat is to win the game, from what stands after a deal."""

import numpy as np

from cardkit.chances import odds_of
from cardkit.jit import kernel, stack_bytes
from kronions._dealing import hand_size_of_round, num_rounds
from kronions.kernels import places
from kronions.state import GAME_OVER

# Fitted by `python -m experiments.win_chances kronions --fit`, over 2 to 6 seats. The lead in points that counts as 1
# in `odds_of` when one round is left: for each point of `score_base`, and for each trick of a seat's equal part of the
# round. What more zero bids are worth, in points.
FITTED = np.array([0.9143, 0.09173, 0.2631])


@kernel
def win_chance(rules, state, out):
    """Fill `out[seat]` with each seat's share of the win, from the totals and the rounds left; exact at the end."""
    chances(rules, state, FITTED, out)


@kernel
def chances(rules, state, fitted, out):
    """Fill `out[seat]` with shares of the win under some coefficients, in place of `FITTED`."""
    if state.phase == GAME_OVER:
        places(rules, state, stack_bytes(), out)
        return
    spread = 0.0
    for i in range(int(state.rounds_done), num_rounds(rules)):
        points = fitted[0] * rules.score_base + fitted[1] * hand_size_of_round(rules, i) / rules.num_players
        spread += 0.01 + points * points
    scale = 1.0 / np.sqrt(spread)
    whole = 0.0
    for seat in range(rules.num_players):
        chance = 1.0
        for other in range(rules.num_players):
            lead = float(state.totals[seat]) - float(state.totals[other])
            zeros = float(state.zero_bids[seat]) - float(state.zero_bids[other])
            lead += fitted[2] * zeros / (1.0 + abs(zeros))
            odds = odds_of(scale * lead)
            chance *= odds / (1.0 + odds)
        out[seat] = chance
        whole += chance
    for seat in range(rules.num_players):
        out[seat] /= whole


@kernel
def chances_of_all(rules, states, fitted, out):
    """Fill `out[i, seat]` with the chances in many records, for the script that fits the coefficients."""
    for i in range(states.size):
        chances(rules, states[i], fitted, out[i])
