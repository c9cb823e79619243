"""The built-in bots as kernels. They are asked on hidden records only, so they cannot cheat."""

from bots.arms import best_arm, halve_arms, is_secret_bid, list_arms, monte_carlo
from bots.playouts import actions_of
from bots.room import VIEW
from bots.settings import MONTE_CARLO, RANDOM
from bots.trees import grow_trees, most_visited, root_of
from cardkit import bits
from cardkit.batch import random_action
from cardkit.jit import kernel, nanoseconds, outlined_kernel
from cardkit.rng import uniform
from cardkit.verbs import deals_done, plan_worlds, policy, to_move

NO_WORLD = -1  # the answer of a search where no world agrees with the view


@kernel
def choose(rules, view, bot, rng, room):
    """The action of a built-in bot for the seat to move, from its hidden record. Modified in place: `rng`, `room`.

    Bots that search need a room; where it is None, only the others are compiled.
    """
    if room is not None:  # on its own: numba leaves the branch out by the type of `room`
        is_search = bot.kind >= MONTE_CARLO
        if is_search:
            return search(rules, view, bot, rng, room)
    if bot.kind == RANDOM or (bot.epsilon > 0.0 and uniform(rng) < bot.epsilon):
        return random_action(rules, view, rng)
    return policy(rules, view, rng)


@outlined_kernel
def search(rules, view, bot, rng, room):
    """The action that a search finds best, or `NO_WORLD`; the only one is not searched. In place: `rng`, `room`."""
    actions = actions_of(rules, view, bot)
    if bits.without_lowest(actions) == bits.ZERO:
        return bits.lowest(actions)
    return think(rules, view, bot, rng, room)


@outlined_kernel
def think(rules, view, bot, rng, room):
    """Search, and leave what was found in `room`: arms, or a tree. Modified in place: `rng`, `room`."""
    seat = to_move(rules, view)
    counts = room.counts[0]
    counts.nodes = counts.arms = counts.iterations = counts.picked = counts.drawn = 0
    counts.effective = 0.0
    counts.actions = actions_of(rules, view, bot)
    counts.deals = deals_done(rules, view)
    counts.deadline = nanoseconds() + int(bot.time_ms * 1e6) if bot.time_ms > 0.0 else 0
    room.records[VIEW] = view
    if plan_worlds(rules, room.records[VIEW], seat, room.worlds) <= 0.0:
        return NO_WORLD
    is_flat = bot.kind == MONTE_CARLO
    if is_flat or is_secret_bid(rules, view, seat):
        list_arms(rules, room, bot, seat, rng)
        if is_flat:
            monte_carlo(rules, room, bot, seat, rng)
        else:
            halve_arms(rules, room, bot, seat, rng)
        return int(room.arms[best_arm(room)].actions[0])
    grow_trees(rules, room, bot, seat, rng)
    return most_visited(room, root_of(bot, seat))
