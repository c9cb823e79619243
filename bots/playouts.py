"""What every search does: draw a world, play it out to the horizon, and see what that is worth."""

from bots.room import POOL, POOL_SIZE, VIEW
from bots.settings import ALL, AT_RANDOM, BIDS, MARGIN, THE_DEAL, WIN
from cardkit import bits
from cardkit.batch import random_action
from cardkit.jit import kernel, outlined_kernel
from cardkit.rng import integer, uniform
from cardkit.verbs import (
    CHANCE,
    OVER,
    apply,
    chance,
    deal_value,
    deals_done,
    determinise,
    legal_mask,
    likelihood,
    places,
    policy,
    returns,
    seen_as,
    sensible_mask,
    to_move,
    win_chance,
)


@kernel
def actions_of(rules, state, bot):
    """The actions that a bot searches."""
    return legal_mask(rules, state) if bot.sensible == ALL else sensible_mask(rules, state)


@kernel
def is_at_horizon(rules, state, bot, deals):
    """Whether a search that began after so many complete deals looks no further."""
    return to_move(rules, state) == OVER or (bot.horizon == THE_DEAL and deals_done(rules, state) > deals)


@kernel
def is_secret(rules, state, mover, seat):
    """Whether a seat does not notice that another one is to decide, such as a bid that is laid in secret."""
    return mover != seat and seen_as(rules, state, bits.lowest(legal_mask(rules, state)), seat) == -1


@outlined_kernel
def play_out(rules, state, bot, deals, rng):
    """Play to the horizon: by the game's policy with a few random actions, or at random. In place: `state`, `rng`."""
    while not is_at_horizon(rules, state, bot, deals):
        if to_move(rules, state) == CHANCE:
            chance(rules, state, rng)
        elif bot.rollout == AT_RANDOM or (bot.epsilon > 0.0 and uniform(rng) < bot.epsilon):
            apply(rules, state, random_action(rules, state, rng))
        else:
            apply(rules, state, policy(rules, state, rng))


@outlined_kernel
def evaluate(rules, state, bot, room):
    """Fill `room.result` with what a position at the horizon is worth to each seat."""
    result = room.result
    if bot.utility == WIN:
        if to_move(rules, state) == OVER:
            places(rules, state, room.place, result)
        else:
            win_chance(rules, state, result)
        return
    if bot.horizon == THE_DEAL:
        deal_value(rules, state, result)
    else:
        returns(rules, state, result)
    if bot.utility == MARGIN:
        total = 0.0
        for seat in range(rules.num_players):
            total += result[seat]
        others = rules.num_players - 1
        for seat in range(rules.num_players):
            result[seat] -= (total - result[seat]) / others


@outlined_kernel
def next_world(rules, room, bot, seat, rng, place):
    """Put a world that agrees with the view into a place of `room.records`. Modified in place: `room`, `rng`."""
    records = room.records
    if bot.belief != BIDS:
        records[place] = records[VIEW]
        determinise(rules, records[place], seat, room.worlds, rng)
        return
    counts = room.counts[0]
    if counts.picked == 0:
        _fill_pool(rules, room, seat, rng)
    records[place] = records[POOL + room.picks[counts.picked]]
    counts.picked = counts.picked + 1 if counts.picked + 1 < POOL_SIZE else 0


@kernel
def world_number(room, bot):
    """A number for the world drawn last, which is that of no other: not of one in another pool either."""
    counts = room.counts[0]
    if bot.belief != BIDS:
        return int(counts.iterations)  # of the first rollout in it
    last = counts.picked - 1 if counts.picked > 0 else POOL_SIZE - 1
    return int(counts.drawn + room.picks[last])


@outlined_kernel
def _fill_pool(rules, room, seat, rng):
    """Draw uniform worlds, weigh them, and pick from them with little variance. Modified in place: `room`, `rng`.

    Source: systematic resampling, as in J. Carpenter, P. Clifford and P. Fearnhead, "Improved particle filter for
    nonlinear problems" (1999).
    """
    records, weights, counts = room.records, room.weights, room.counts[0]
    total = squares = 0.0
    for i in range(POOL_SIZE):
        records[POOL + i] = records[VIEW]
        determinise(rules, records[POOL + i], seat, room.worlds, rng)
        weights[i] = likelihood(rules, records[POOL + i], seat)
        total += weights[i]
        squares += weights[i] * weights[i]
    counts.drawn += POOL_SIZE
    counts.effective += total * total / squares
    step = total / POOL_SIZE
    target = step * uniform(rng)
    passed, world = weights[0], 0
    for i in range(POOL_SIZE):
        while passed <= target and world + 1 < POOL_SIZE:
            world += 1
            passed += weights[world]
        room.picks[i] = world
        target += step
    for i in range(POOL_SIZE - 1, 0, -1):  # a search that ends early sees worlds from the whole pool
        other = integer(rng, i + 1)
        room.picks[i], room.picks[other] = room.picks[other], room.picks[i]
