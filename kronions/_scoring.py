"""What a round is worth, and the ladder that orders the seats."""

from cardkit.jit import kernel
from kronions._dealing import num_rounds
from kronions.rules import SEAT_ORDER, TRICKS_PLUS_BONUS, ZEROS_MADE
from kronions.state import DEAL_CARDS, GAME_OVER


@kernel
def score_round(rules, state):
    """Add the points of the round, and deal again or end the game [R39-R43]."""
    for seat in range(rules.num_players):
        state.totals[seat] += round_points(rules, int(state.bids[seat]), int(state.tricks[seat]))
        if state.bids[seat] == 0 and (rules.tie_zero_count != ZEROS_MADE or state.tricks[seat] == 0):
            state.zero_bids[seat] += 1
    state.rounds_done += 1
    state.phase = GAME_OVER if state.rounds_done == num_rounds(rules) else DEAL_CARDS


@kernel
def round_points(rules, bid, tricks):
    """Points for one round [R39-R41]."""
    if rules.scoring == TRICKS_PLUS_BONUS:
        return tricks + (rules.score_base if tricks == bid else 0)
    return rules.score_base + bid if tricks == bid else 0


@kernel
def is_ahead(rules, state, seat, other):
    """Whether a seat stands before another on the ladder: total, zero bids, then perhaps seat order [R43-R45]."""
    if state.totals[seat] != state.totals[other]:
        return state.totals[seat] > state.totals[other]
    if state.zero_bids[seat] != state.zero_bids[other]:
        return state.zero_bids[seat] > state.zero_bids[other]
    return rules.tie_final == SEAT_ORDER and seat < other
