"""How likely each seat is to win the game, from what stands after a deal."""

import numpy as np

from cardkit.chances import odds_of
from cardkit.jit import kernel, stack_bytes
from truf._bidding import hand_size
from truf.kernels import places
from truf.rules import SEATS
from truf.state import GAME_OVER

# Fitted by `python -m experiments.win_chances truf --fit`: the lead in points that counts as 1 in `odds_of` when one
# hand of 13 cards is left, and how many distances to the target do where that decides sooner than `max_hands`.
FITTED = np.array([6.045, 3.057])
_FULL_HAND = 13.0


@kernel
def win_chance(rules, state, out):
    """Fill `out[seat]` with each seat's share of the win, from the totals, target and hands left; exact at the end."""
    chances(rules, state, FITTED, out)


@kernel
def chances(rules, state, fitted, out):
    """Fill `out[seat]` with shares of the win under some coefficients, in place of `FITTED`.

    A seat that leads wins if the lead holds for the hands that are left: up to `max_hands`, or fewer where the highest
    total is near the target, which a seat that moves s points a hand reaches in about (distance / s)^2 hands.
    """
    if state.phase == GAME_OVER:
        places(rules, state, stack_bytes(), out)
        return
    highest = int(state.totals[0])
    for seat in range(SEATS):
        highest = max(highest, int(state.totals[seat]))
    points = fitted[0] * hand_size(rules) / _FULL_HAND
    distance = fitted[1] * max(1.0, float(rules.target - highest))
    by_hands = points * points * max(1.0, float(rules.max_hands - state.hands_done))
    by_target = points * points + distance * distance
    scale = 1.0 / np.sqrt(by_hands * by_target / (by_hands + by_target))
    whole = 0.0
    for seat in range(SEATS):
        chance = 1.0
        for other in range(SEATS):
            odds = odds_of(scale * (float(state.totals[seat]) - float(state.totals[other])))
            chance *= odds / (1.0 + odds)
        out[seat] = chance
        whole += chance
    for seat in range(SEATS):
        out[seat] /= whole


@kernel
def chances_of_all(rules, states, fitted, out):
    """Fill `out[i, seat]` with the chances in many records, for the script that fits the coefficients."""
    for i in range(states.size):
        chances(rules, states[i], fitted, out[i])
