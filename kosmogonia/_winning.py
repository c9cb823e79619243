"""How likely each seat is to win the game, from what stands after a round."""

import numpy as np

from cardkit import bits
from cardkit.chances import weight_of
from cardkit.jit import kernel, outlined_kernel
from kosmogonia._final import key_limit, keys_of, kronos_face
from kosmogonia._gathering import num_rounds
from kosmogonia.cards import CATEGORIES, CHAMPIONS, TREASURES
from kosmogonia.rules import MOST_SEATS, TOURNAMENT
from kosmogonia.state import EQUIP, GAME_OVER, NONE, TEAM, UNKNOWN

# Fitted by `python -m experiments.win_chances kosmogonia --boards 6000 --fit`, for the cards that are shipped.
# A seat's logarithmic weight: for each key in its vault, for each point that it will miss against Kronos, for each
# reinforcement card; points in a category that a champion not yet sent will have, and that Kronos gains in a round
# still to come; how much less all this says for each round still to come. The weight of nobody: for the share of the
# key limit that is reached, for each round still to come, and with 4 seats, 3, 2 and in the tournament.
FITTED = np.array([0.442, 0.2735, 0.9624, 8.119, 3.371, 0.9428, 2.084, -0.02277, 1.708, -1.017, 0.4531, 1.109])
_NOBODY = 8  # the first of the last four


@kernel
def win_chance(rules, state, out):
    """Fill `out[seat]` with the chance of each seat to beat Kronos; together the chance that anybody does.

    From the keys and items in the vaults, the teams, Kronos' treasury and the rounds left; exact at the end.
    """
    chances(rules, state, FITTED, out)


@outlined_kernel
def chances(rules, state, fitted, out):
    """Fill `out[seat]` with chances to win under some coefficients, in place of `FITTED`.

    Each seat and nobody have a weight, and win by their shares of all weights.
    """
    if state.phase == GAME_OVER:
        for seat in range(rules.num_players):
            out[seat] = 1.0 if seat == state.winner else 0.0
        return
    is_final = state.phase == EQUIP or state.challengers[0] != NONE
    rounds_left = 0 if is_final else num_rounds(rules) - int(state.rounds_done)
    reached = float(keys_of(rules, state.treasury)) / key_limit(rules)
    setting = 3 if rules.variant == TOURNAMENT else MOST_SEATS - rules.num_players
    whole = weight_of(fitted[6] * reached + fitted[7] * rounds_left + fitted[_NOBODY + setting])
    fading = 1.0 / (1.0 + abs(fitted[5]) * rounds_left)
    for seat in range(rules.num_players):
        cards = bits.count(state.hands[seat] >> np.uint64(CHAMPIONS))
        weight = fitted[0] * keys_of(rules, state.vaults[seat]) + fitted[2] * cards
        for category in range(CATEGORIES):
            missing = _missing(rules, state, seat, category, fitted[3]) + fitted[4] * rounds_left
            weight -= fitted[1] * max(0.0, missing)
        out[seat] = weight_of(fading * weight)
        whole += out[seat]
    for seat in range(rules.num_players):
        out[seat] /= whole


@kernel
def _missing(rules, state, seat, category, mean):
    """Points that a seat lacks against Kronos in a category, with a mean for each champion that it has yet to send."""
    cards = rules.cards[0]
    missing = float(cards.bases[kronos_face(rules), category])
    for treasure in range(TREASURES):
        if (state.treasury >> treasure) & 1 == 1:
            missing += cards.factors[treasure, category]
        if (state.vaults[seat] >> treasure) & 1 == 1:
            missing -= cards.items[treasure, category]
    for i in range(TEAM):
        champion = int(state.olympus[seat, i])
        missing -= cards.values[champion, category] if 0 <= champion < UNKNOWN else mean
    return missing


@kernel
def chances_of_all(rules, states, fitted, out):
    """Fill `out[i, seat]` with the chances in many records, for the script that fits the coefficients."""
    for i in range(states.size):
        chances(rules, states[i], fitted, out[i])
