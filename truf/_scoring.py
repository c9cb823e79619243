"""What a hand is worth, and when the game ends."""

from cardkit.jit import kernel
from truf._bidding import bid_value
from truf.rules import NIL_BOTH, NIL_ORIGINAL, SEATS, SHARED
from truf.state import DEAL_HANDS, GAME_OVER, HIGH, LOW


@kernel
def score_hand(rules, state):
    """Add the points of the hand, and deal again or end the game [R42-R51]. Modified in place: `state`."""
    for seat in range(SEATS):
        state.totals[seat] += seat_points(rules, state, seat)
    state.hands_done += 1
    state.phase = GAME_OVER if has_winner(rules, state) or state.hands_done >= rules.max_hands else DEAL_HANDS


@kernel
def seat_points(rules, state, seat):
    """Points of a seat for the hand just played."""
    revealed = bid_value(state.laid[seat])
    return hand_points(rules, revealed, int(state.final_bids[seat]), int(state.sets[seat]), int(state.mode))


@kernel
def is_nil(rules, revealed, final):
    """Whether a bid, before and after the shift, is scored as a nil [R31]."""
    if rules.nil_basis == NIL_ORIGINAL:
        return revealed == 0
    return final == 0 and (rules.nil_basis != NIL_BOTH or revealed == 0)


@kernel
def hand_points(rules, revealed, final, sets, mode):
    """Points for a bid, before and after the shift, and sets won [R43-R47]."""
    extra = 2 if mode == LOW else 1
    missing = 2 if mode == HIGH else 1
    if is_nil(rules, revealed, final):
        return rules.nil_bonus if sets == 0 else rules.nil_fail - extra * sets
    if sets == final:
        return final
    return -extra * (sets - final) if sets > final else -missing * (final - sets)


@kernel
def has_winner(rules, state):
    """Whether the highest total reaches the target, and alone unless ties are shared [R49, R50]."""
    highest = state.totals[0]
    count = 0
    for seat in range(SEATS):
        highest = max(highest, state.totals[seat])
    for seat in range(SEATS):
        if state.totals[seat] == highest:
            count += 1
    return highest >= rules.target and (count == 1 or rules.tie == SHARED)
