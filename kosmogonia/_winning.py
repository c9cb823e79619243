"""How likely each seat is to win the game, from what stands after a deal."""

from cardkit.jit import kernel


@kernel
def win_chance(rules, state, out):
    """Fill `out[seat]` with each seat's share of the win."""
    for seat in range(rules.num_players):
        out[seat] = 1.0 / rules.num_players
