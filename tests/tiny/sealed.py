"""Sealed: secret bids, then a coin that is hidden, guessed at and turned up, and a claim which coin it was.

Every seat is dealt one of six cards. In turn all lay tokens worth 1, 2, 4 in secret, until they are done; then the bids
are shown. The highest, the first of equals, wins twice its card less its bid. The next seat wagers 1 or 2 that it can
guess the coin; the winner hides coin 0 or 1; the guess is made openly, the coin turned up, and the guesser claims
which coin it was: 3 points if that is right.

    bid     0, 1, 2 lay the token 1, 2 or 4; it has a higher number than the one laid before     3 done
    wager   1, 2     hide 0, 1, which others see as 2     guess 0, 1     claim 0, 1
"""

from typing import NamedTuple

import numpy as np

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import absorb, integer, short_hash
from cardkit.verbs import CHANCE, OVER
from tests.tiny.common import TinyGame, register_game

DEAL, BID, WAGER, HIDE, GUESS, CLAIM, GAME_OVER = range(7)
NUM_CARDS, NUM_TOKENS = 6, 3
DONE, COVERED = 3, 2
NOT_SEEN = -1
STATE = np.dtype(
    [
        ("scores", "f8", (4,)),
        ("cards", "i1", (4,)),  # -1 not seen
        ("bids", "i1", (4,)),  # sum of the tokens, which is the set of them
        ("actor", "i1"),
        ("winner", "i1"),
        ("wager", "i1"),
        ("coin", "i1"),  # -1 not seen
        ("guess", "i1"),
        ("phase", "u1"),
    ],
    align=True,
)


class SealedRules(NamedTuple):
    """How many play."""

    num_players: int = 2
    claim_points: int = 3


@kernel
def new_game(rules, state):
    """Before the deal. Modified in place: `state`."""
    for seat in range(4):
        state.scores[seat] = 0.0
        state.cards[seat] = NOT_SEEN
        state.bids[seat] = 0
    state.actor = state.winner = state.wager = state.guess = 0
    state.coin = NOT_SEEN
    state.phase = DEAL


@kernel
def to_move(rules, state):
    """The seat to act, `CHANCE` or `OVER`."""
    if state.phase == DEAL:
        return CHANCE
    return OVER if state.phase == GAME_OVER else int(state.actor)


@kernel
def chance(rules, state, rng):
    """Deal the cards. Modified in place: `state`, `rng`."""
    _deal_unseen(rules, state, rng)
    state.phase = BID


@kernel
def _deal_unseen(rules, state, rng):
    """Give every seat whose card is not seen one of the others. Modified in place: `state`, `rng`."""
    left = bits.below(NUM_CARDS)
    for seat in range(rules.num_players):
        if state.cards[seat] != NOT_SEEN:
            left ^= bits.bit(int(state.cards[seat]))
    for seat in range(rules.num_players):
        if state.cards[seat] == NOT_SEEN:
            state.cards[seat] = bits.select(left, integer(rng, bits.count(left)))
            left ^= bits.bit(int(state.cards[seat]))


@kernel
def legal_mask(rules, state):
    """The legal actions of the seat to move."""
    if state.phase == BID:
        laid = int(state.bids[state.actor])
        return bits.below(DONE + 1) & ~bits.below(bits.highest(np.uint64(laid)) + 1)
    return np.uint64(6) if state.phase == WAGER else np.uint64(3)


@kernel
def apply(rules, state, action):
    """Lay a token, wager, hide, guess or claim. Modified in place: `state`."""
    if state.phase == BID:
        _lay(rules, state, action)
    elif state.phase == WAGER:
        state.wager = action
        state.actor = state.winner
        state.phase = HIDE
    elif state.phase == HIDE:
        state.coin = action
        state.actor = (int(state.winner) + 1) % rules.num_players
        state.phase = GUESS
    elif state.phase == GUESS:
        state.guess = action
        state.phase = CLAIM
    else:
        _score(rules, state, action)


@kernel
def _lay(rules, state, action):
    """Lay a token; after the last bid find the highest. Modified in place: `state`."""
    if action != DONE:
        state.bids[state.actor] += 1 << action
        return
    state.actor += 1
    if state.actor < rules.num_players:
        return
    for seat in range(rules.num_players):
        if state.bids[seat] > state.bids[state.winner]:
            state.winner = seat
    state.actor = (int(state.winner) + 1) % rules.num_players
    state.phase = WAGER


@kernel
def _score(rules, state, claim):
    """End the game. Modified in place: `state`."""
    winner, guesser = int(state.winner), int(state.actor)
    wager = int(state.wager) if state.guess == state.coin else -int(state.wager)
    state.scores[winner] += 2 * int(state.cards[winner]) - int(state.bids[winner]) - wager
    state.scores[guesser] += wager + (rules.claim_points if claim == state.coin else 0)
    state.phase = GAME_OVER


@kernel
def hide(rules, state, seat):
    """Cover the other cards, the bids of others before the end of the bidding, and the coin. In place: `state`."""
    for other in range(rules.num_players):
        if other != seat:
            state.cards[other] = NOT_SEEN
            if state.phase == BID:
                state.bids[other] = 0
    if state.phase == GUESS and seat != state.winner:
        state.coin = NOT_SEEN


@kernel
def plan_worlds(rules, state, seat, worlds):
    """How many ways there are to deal the other cards; the coin doubles them."""
    number = 1.0
    for i in range(rules.num_players - 1):
        number *= NUM_CARDS - 1 - i
    return 2.0 * number if state.phase == GUESS else number


@kernel
def determinise(rules, state, seat, worlds, rng):
    """Deal the cards, let the seats before this one bid by the policy, and hide a coin. In place: `state`, `rng`."""
    _deal_unseen(rules, state, rng)
    if state.phase == BID:
        for other in range(int(state.actor)):
            if other != seat:
                state.bids[other] = state.cards[other]
    if state.phase == GUESS and state.coin == NOT_SEEN:
        state.coin = integer(rng, 2)


@kernel
def likelihood(rules, state, seat):
    """Bids that are the card are likely."""
    likely = 1.0
    for other in range(rules.num_players):
        if other != seat and state.phase > BID:
            likely *= 0.9 if state.bids[other] == state.cards[other] else 0.1
    return likely


@kernel
def seen_as(rules, state, action, observer):
    """Nobody else notices a bid; of the coin it is seen that it is there."""
    if observer == state.actor:
        return action
    if state.phase == BID:
        return -1
    return COVERED if state.phase == HIDE else action


@kernel
def news(rules, state, observer):
    """One's own card, all bids, and the coin to those who have not hidden it."""
    if state.phase == BID:
        is_first = state.actor == 0 and state.bids[0] == 0
        return short_hash(absorb(np.uint64(1), int(state.cards[observer]))) if is_first else 0
    if state.phase == WAGER:
        bids = np.uint64(2)
        for seat in range(rules.num_players):
            bids = absorb(bids, int(state.bids[seat]))
        return short_hash(bids)
    is_shown = state.phase == CLAIM and observer != state.winner
    return short_hash(absorb(np.uint64(3), int(state.coin))) if is_shown else 0


@kernel
def policy(rules, state, rng):
    """Bid the card, wager 1, hide the coin that the card's number says, guess 0, and claim what was seen."""
    if state.phase == BID:
        wanted = np.uint64(int(state.cards[state.actor])) & legal_mask(rules, state) & bits.below(NUM_TOKENS)
        return bits.lowest(wanted) if wanted != bits.ZERO else DONE
    if state.phase == WAGER:
        return 1
    if state.phase == HIDE:
        return int(state.cards[state.actor]) % 2
    return int(state.coin) if state.phase == CLAIM else 0


register_game(SealedRules, globals())


class Sealed(TinyGame):
    """Secret bids and a hidden coin."""

    name = "sealed"
    rules_type = SealedRules
    state_dtype = STATE
    phases = ("deal", "bid", "wager", "hide", "guess", "claim", "over")
