"""Flat Monte Carlo: every arm is played out in the same worlds with the same random numbers (search without a tree).

An arm is an action; where a bid is laid in secret, all its actions up to the last. `mc` gives every arm the same number
of worlds. Secret bids of the tree searches, many arms for few iterations, are found by sequential halving.

Sources: M. L. Ginsberg, "GIB: Imperfect information in a computationally challenging game" (2001), section 2, for
Monte Carlo over sampled deals; Z. Karnin, T. Koren and O. Somekh, "Almost optimal exploration in multi-armed bandits"
(2013), for sequential halving.
"""

from bots.playouts import actions_of, evaluate, is_at_horizon, is_secret, next_world, play_out, world_number
from bots.room import MOST_ARMS, MOST_LAID, SAVED, VIEW, WORLD
from cardkit import bits
from cardkit.jit import kernel, nanoseconds, outlined_kernel
from cardkit.rng import next_word, seed_rng
from cardkit.verbs import apply, to_move


@kernel
def is_secret_bid(rules, state, seat):
    """Whether somebody does not notice that the seat to move decides."""
    is_seen = True
    for other in range(rules.num_players):
        is_seen = is_seen and not is_secret(rules, state, seat, other)
    return not is_seen


@outlined_kernel
def list_arms(rules, room, bot, seat, rng):
    """List the arms of the view; secret bids that would be too many are single actions. Modified in place: `room`."""
    next_world(rules, room, bot, seat, rng, SAVED)
    arms, counts = room.arms, room.counts[0]
    is_whole = is_secret_bid(rules, room.records[SAVED], seat)
    _add_arms(room, actions_of(rules, room.records[VIEW], bot), 0, -1)
    place = 0
    while is_whole and place < counts.arms:
        room.records[WORLD] = room.records[SAVED]
        world = room.records[WORLD]
        _play_arm(rules, world, arms[place])
        goes_on = not is_at_horizon(rules, world, bot, counts.deals) and to_move(rules, world) == seat
        if not goes_on or not is_secret_bid(rules, world, seat):
            place += 1
        elif not _add_arms(room, actions_of(rules, world, bot), arms[place].length, place):
            is_whole = False
            counts.arms = 0
            _add_arms(room, actions_of(rules, room.records[VIEW], bot), 0, -1)


@kernel
def _add_arms(room, mask, length, place):
    """Add an arm for each action of a mask; returns False where they would be too many. Modified in place: `room`.

    The arm at a place goes on with them, and the first takes its place; -1 starts new arms.
    """
    arms, counts = room.arms, room.counts[0]
    if counts.arms + bits.count(mask) > MOST_ARMS or length >= MOST_LAID:
        return False
    is_first = place >= 0
    while mask != bits.ZERO:
        action = bits.lowest(mask)
        mask = bits.without_lowest(mask)
        if is_first:
            arm = arms[place]
            prefix = arms[place]
        else:
            prefix = arms[max(place, 0)]
            arm = arms[counts.arms]
            counts.arms += 1
            for i in range(length):
                arm.actions[i] = prefix.actions[i]
        is_first = False
        arm.actions[length] = action
        arm.length = length + 1
        arm.value = arm.squares = 0.0
        arm.visits = 0
        arm.is_alive = 1
    return True


@kernel
def _play_arm(rules, world, arm):
    """Play the actions of an arm. Modified in place: `world`."""
    for i in range(arm.length):
        apply(rules, world, int(arm.actions[i]))


@outlined_kernel
def try_arms(rules, room, bot, seat, rng, num_worlds, deadline):
    """Play out every arm in the running in so many more worlds, or until the deadline. Modified in place: `room`."""
    records, counts = room.records, room.counts[0]
    for tried in range(num_worlds):
        if room.stop[0] != 0 or (deadline > 0 and tried > 0 and nanoseconds() >= deadline):
            return
        next_world(rules, room, bot, seat, rng, SAVED)
        world = world_number(room, bot)
        word = next_word(rng)
        for i in range(counts.arms):
            arm = room.arms[i]
            if arm.is_alive == 0:
                continue
            records[WORLD] = records[SAVED]
            seed_rng(room.stream, word)
            _play_arm(rules, records[WORLD], arm)
            play_out(rules, records[WORLD], bot, counts.deals, room.stream)
            evaluate(rules, records[WORLD], bot, room)
            arm.value += room.result[seat]
            arm.squares += room.result[seat] * room.result[seat]
            arm.visits += 1
            if counts.iterations < room.rollouts.size:
                kept = room.rollouts[counts.iterations]
                kept.value, kept.world, kept.arm = room.result[seat], world, i
            counts.iterations += 1


@outlined_kernel
def monte_carlo(rules, room, bot, seat, rng):
    """Give every arm the same worlds; `iterations` counts the rollouts of all. Modified in place: `room`, `rng`."""
    try_arms(rules, room, bot, seat, rng, max(1, bot.iterations // room.counts[0].arms), room.counts[0].deadline)


@outlined_kernel
def halve_arms(rules, room, bot, seat, rng):
    """Give all arms a few worlds, the better half as many more, and so on to the last. Modified in place: `room`."""
    counts = room.counts[0]
    alive, rounds = counts.arms, 0
    while 1 << rounds < counts.arms:
        rounds += 1
    start = nanoseconds() if counts.deadline > 0 else 0
    for i in range(rounds):
        deadline = start + (counts.deadline - start) * (i + 1) // rounds if counts.deadline > 0 else 0
        try_arms(rules, room, bot, seat, rng, max(1, bot.iterations // (rounds * alive)), deadline)
        alive = (alive + 1) // 2
        _keep_best(room, alive)


@kernel
def _keep_best(room, kept):
    """Take all but the best arms out of the running. Modified in place: `room`."""
    alive = 0
    for i in range(room.counts[0].arms):
        alive += room.arms[i].is_alive
    while alive > kept:
        worst = -1
        for i in range(room.counts[0].arms):
            if room.arms[i].is_alive != 0 and (worst < 0 or is_better_arm(room.arms[worst], room.arms[i])):
                worst = i
        room.arms[worst].is_alive = 0
        alive -= 1


@kernel
def best_arm(room):
    """The place of the best arm in the running."""
    best = -1
    for i in range(room.counts[0].arms):
        if room.arms[i].is_alive != 0 and (best < 0 or is_better_arm(room.arms[i], room.arms[best])):
            best = i
    return best


@kernel
def is_better_arm(arm, other):
    """Whether an arm has the higher average, or the lower first action where they are equal."""
    ahead = arm.value * other.visits - other.value * arm.visits
    return ahead > 0.0 or (ahead == 0.0 and arm.actions[0] < other.actions[0])
