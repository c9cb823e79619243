"""What a game is worth, how it ended, and the row of a finished round."""

from cardkit.jit import kernel
from kosmogonia._final import keys_of
from kosmogonia._gathering import must_have_sent
from kosmogonia._winning import win_chance
from kosmogonia.state import NONE, NOTHING, TEAM


@kernel
def returns(rules, state, out):
    """Fill `out[seat]` with 1 for the seat that beat Kronos, else 0 [R95]."""
    for seat in range(rules.num_players):
        out[seat] = 1.0 if seat == state.winner else 0.0


@kernel
def places(rules, state, place, share):
    """The winner is first and has the whole win, the others are second; where all lose, all are first [R95]."""
    for seat in range(rules.num_players):
        is_winner = seat == state.winner
        place[seat] = 1 if is_winner or state.winner == NONE else 2
        share[seat] = 1.0 if is_winner else 0.0


@kernel
def outcome(rules, state):
    """0 Kronos beaten, 1 lost by the key limit, 2 Kronos unbeaten [R83, R94]."""
    return int(state.outcome)


@kernel
def deals_done(rules, state):
    """How many rounds are complete; the final belongs to the last round."""
    return int(state.rounds_done)


@kernel
def deal_value(rules, state, out):
    """Fill `out[seat]` with what the seat's chance to win stands above an equal share after the last complete round.

    The chance is that of `win_chance`; after the round that ends the game it is the payoff [R95].
    """
    win_chance(rules, state, out)
    for seat in range(rules.num_players):
        out[seat] -= 1.0 / rules.num_players


@kernel
def deal_row(rules, state, seat, row):
    """Write the last complete round of a seat as a row of `DEAL`. Modified in place: `row`."""
    row.hand = state.gathered[seat]
    row.round = state.rounds_done - 1
    row.first_player = state.first_player
    row.olympus = must_have_sent(rules, int(state.rounds_done) - 1) - must_have_sent(rules, int(state.rounds_done) - 2)
    row.deployed = state.deployed[seat]
    row.duels_won = state.duels_won[seat]
    row.duels_tied = state.duels_tied[seat]
    row.hunts = state.hunts[seat]
    row.hunts_won = state.hunts_won[seat]
    row.treasures = state.won[seat]
    row.keys = keys_of(rules, state.vaults[seat])
    row.kronos_keys = keys_of(rules, state.treasury)
    row.equipped = 0
    for i in range(TEAM):
        if 0 <= state.equipped[seat, i] < NOTHING:
            row.equipped += 1
