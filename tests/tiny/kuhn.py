"""Kuhn poker: two seats, one of three cards each, one bet.

Actions: 0 check or fold, 1 bet or call. Source: H. W. Kuhn, "A simplified two-person poker" (1950).
"""

from typing import NamedTuple

import numpy as np

from cardkit.jit import kernel
from cardkit.rng import absorb, integer, short_hash
from cardkit.verbs import CHANCE, OVER
from tests.tiny.common import TinyGame, register_game

JACK, QUEEN, KING = range(3)
HIDDEN = -1
PASS, BET = 0, 1
DEAL, BETTING, GAME_OVER = range(3)
STATE = np.dtype(
    [
        ("scores", "f8", (2,)),
        ("cards", "i1", (2,)),  # -1 hidden
        ("bets", "i1", (2,)),  # beyond the stake of 1
        ("moves", "i1"),
        ("actor", "i1"),
        ("phase", "u1"),
    ],
    align=True,
)


class KuhnRules(NamedTuple):
    """Nothing can vary but the stake."""

    num_players: int = 2
    kuhn_stake: int = 1


@kernel
def new_game(rules, state):
    """Before the deal. Modified in place: `state`."""
    for seat in range(2):
        state.scores[seat] = 0.0
        state.cards[seat] = HIDDEN
        state.bets[seat] = 0
    state.moves = state.actor = 0
    state.phase = DEAL


@kernel
def to_move(rules, state):
    """The seat to act, `CHANCE` or `OVER`."""
    if state.phase == BETTING:
        return int(state.actor)
    return CHANCE if state.phase == DEAL else OVER


@kernel
def chance(rules, state, rng):
    """Deal two of the three cards. Modified in place: `state`, `rng`."""
    state.cards[0] = integer(rng, 3)
    state.cards[1] = (int(state.cards[0]) + 1 + integer(rng, 2)) % 3
    state.phase = BETTING


@kernel
def legal_mask(rules, state):
    """Always both."""
    return np.uint64(3) if state.phase == BETTING else np.uint64(0)


@kernel
def apply(rules, state, action):
    """Check, bet, call or fold. Modified in place: `state`."""
    seat = int(state.actor)
    other = 1 - seat
    faces_bet = state.bets[other] > 0
    state.bets[seat] = action
    state.moves += 1
    state.actor = other
    if action == PASS and faces_bet:
        _pay(rules, state, other, rules.kuhn_stake)
    elif (action == BET and faces_bet) or (action == PASS and state.moves == 2):
        winner = 0 if state.cards[0] > state.cards[1] else 1
        _pay(rules, state, winner, rules.kuhn_stake + int(state.bets[0]))


@kernel
def _pay(rules, state, winner, points):
    """End the game. Modified in place: `state`."""
    state.scores[winner] = points
    state.scores[1 - winner] = -points
    state.phase = GAME_OVER


@kernel
def hide(rules, state, seat):
    """Cover the other card. Modified in place: `state`."""
    state.cards[1 - seat] = HIDDEN


@kernel
def plan_worlds(rules, state, seat, worlds):
    """Two cards are left for the other seat."""
    return 2.0


@kernel
def determinise(rules, state, seat, worlds, rng):
    """Give the other seat one of the two cards. Modified in place: `state`, `rng`."""
    state.cards[1 - seat] = (int(state.cards[seat]) + 1 + integer(rng, 2)) % 3


@kernel
def news(rules, state, observer):
    """The deal shows one's own card."""
    is_dealt = state.phase == BETTING and state.moves == 0
    return short_hash(absorb(np.uint64(1), int(state.cards[observer]))) if is_dealt else 0


@kernel
def policy(rules, state, rng):
    """Bet a king, call with a queen."""
    seat = int(state.actor)
    if state.cards[seat] == QUEEN:
        return int(state.bets[1 - seat])
    return BET if state.cards[seat] == KING else PASS


register_game(KuhnRules, globals())


class Kuhn(TinyGame):
    """Kuhn poker."""

    name = "kuhn"
    rules_type = KuhnRules
    state_dtype = STATE
    phases = ("deal", "betting", "over")
