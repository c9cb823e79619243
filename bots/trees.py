"""Information set Monte Carlo tree search: one tree (`ismcts`), or one a seat (`moismcts`).

An iteration draws a world, descends to a new child, plays out to the horizon and adds the result to all nodes passed.
A tree belongs to a seat; its edges are actions as that seat sees them, and reveals: what it was shown besides. The
seat to move chooses in its own tree, or in the only one. Decisions that the thinking seat does not notice are no
edges; they are made by the game's policy. A tree gains one node an iteration at most; an iteration has left it where
it went on without.

Sources: P. I. Cowling, E. J. Powley and D. Whitehouse, "Information Set Monte Carlo Tree Search" (2012), sections IV
(SO-ISMCTS) and V (MO-ISMCTS); P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time analysis of the multiarmed bandit
problem" (2002) for UCB1; N. Sturtevant, "An analysis of UCT in multi-player games" (2008) for max^n values.
"""

import numpy as np

from bots.playouts import actions_of, evaluate, is_at_horizon, is_secret, next_world, play_out
from bots.room import DEPTH, NUM_LOGS, REVEAL, SAMPLES, WORLD
from bots.settings import BY_POLICY, MOISMCTS
from cardkit import bits
from cardkit.jit import kernel, nanoseconds, outlined_kernel
from cardkit.rng import integer, mix
from cardkit.verbs import CHANCE, apply, chance, news, policy, seen_as, to_move

SLICE = 16  # iterations between two looks at the clock
NO_CHILD = 0
NO_LABEL = -1
LOG_OF_TWO = 0.6931471805599453


@outlined_kernel
def grow_trees(rules, room, bot, seat, rng):
    """Search from the view of a seat. Modified in place: `room`, `rng`."""
    num_trees = rules.num_players if bot.kind == MOISMCTS else 1
    counts = room.counts[0]
    for tree in range(num_trees):
        _clear_node(room.nodes[tree], 0, -1, 0)
    counts.nodes = num_trees
    if 4 * counts.reveals > room.reveals.size:
        room.reveals[:] = 0
        counts.reveals = 0
    for action in range(room.squares.size):
        room.squares[action] = 0.0
    while counts.iterations < bot.iterations:
        is_due = counts.deadline > 0 and counts.iterations % SLICE == 0 and counts.iterations > 0
        if room.stop[0] != 0 or (is_due and nanoseconds() >= counts.deadline):
            return
        next_world(rules, room, bot, seat, rng, WORLD)
        _descend(rules, room, bot, seat, rng)
        play_out(rules, room.records[WORLD], bot, counts.deals, rng)
        evaluate(rules, room.records[WORLD], bot, room)
        _back_up(rules, room, num_trees, root_of(bot, seat), seat)
        counts.iterations += 1


@kernel
def root_of(bot, seat):
    """The tree in which a seat chooses, which is also the number of its root."""
    return seat if bot.kind == MOISMCTS else 0


@kernel
def _clear_node(node, label, seat, phase):
    """A new node without children. Modified in place: `node`."""
    node.value = 0.0
    node.first = NO_CHILD
    node.next = NO_CHILD
    node.visits = 0
    node.available = 0
    node.label = label
    node.seat = seat
    node.phase = phase


@outlined_kernel
def _descend(rules, room, bot, seat, rng):
    """Go down until a seat has to choose in a tree that has been left, or the horizon. Modified in place: `room`."""
    world = room.records[WORLD]
    num_trees = rules.num_players if bot.kind == MOISMCTS else 1
    root = root_of(bot, seat)
    for tree in range(num_trees):
        room.paths[tree, 0] = tree
        room.lengths[tree] = 1
    while not is_at_horizon(rules, world, bot, room.counts[0].deals):
        mover = to_move(rules, world)
        if mover == CHANCE:
            chance(rules, world, rng)
        elif is_secret(rules, world, mover, seat):
            apply(rules, world, policy(rules, world, rng))
        else:
            tree = root_of(bot, mover)
            if room.lengths[tree] < 0:
                return
            is_root = tree == root and room.lengths[tree] == 1
            mask = room.counts[0].actions if is_root else actions_of(rules, world, bot)
            action = _choose(rules, room, bot, tree, seat if num_trees == 1 else mover, mask, rng)
            for other in range(num_trees):
                label = seen_as(rules, world, action, seat if num_trees == 1 else other)
                if label != -1:
                    _go_down(room, other, label, mover, int(world.phase))
            apply(rules, world, action)
        for tree in range(num_trees):
            shown = news(rules, world, seat if num_trees == 1 else tree)
            if shown != 0:
                _go_down(room, tree, int(np.uint32(shown) | REVEAL), -1, int(world.phase))


@kernel
def _go_down(room, tree, label, mover, phase):
    """Pass to the child with a label; where there is none it is added, and the tree is left. Modified: `room`.

    The tree is left without a child where it is too deep, or the nodes are used up: a search with a time limit goes on.
    """
    length = room.lengths[tree]
    if length < 0:
        return
    place = room.paths[tree, length - 1]
    parent = room.nodes[place]
    is_reveal = np.uint32(label) >= REVEAL
    entry = np.int64(0)
    if is_reveal:
        entry = _entry_of(room, place, label)
        child = np.int64(room.reveals[entry])
    else:
        child = np.int64(parent.first)
        while child != NO_CHILD and room.nodes[child].label != label:
            child = np.int64(room.nodes[child].next)
    is_full = length >= DEPTH or (child == NO_CHILD and room.counts[0].nodes >= room.nodes.size)
    if is_full:
        room.lengths[tree] = -length
        return
    if child == NO_CHILD:
        child = np.int64(room.counts[0].nodes)
        room.counts[0].nodes += 1
        _clear_node(room.nodes[child], label, mover, phase)
        room.nodes[child].available = place if is_reveal else 1
        room.nodes[child].next = parent.first
        parent.first = child
        if is_reveal:
            room.reveals[entry] = child
            room.counts[0].reveals += 1
        room.lengths[tree] = -(length + 1)
    else:
        room.lengths[tree] = length + 1
    room.paths[tree, length] = child


@kernel
def _entry_of(room, parent, label):
    """The entry of a reveal below a node in the hash table, or the empty one where it belongs.

    A node may have a reveal for each iteration, such as the cards gathered in a later round: a list of them made
    searches of 20,000 iterations in Kosmogonia three times as slow. Entries of earlier searches match nothing, unless
    they happen to name the node sought.
    """
    last = room.reveals.size - 1
    entry = np.int64(mix(np.uint64(parent) << np.uint64(32) | np.uint64(label)) & np.uint64(last))
    while room.reveals[entry] != 0:
        node = room.nodes[room.reveals[entry]]
        if node.label == label and node.available == parent and room.reveals[entry] < room.counts[0].nodes:
            return entry
        entry = (entry + 1) & last
    return entry


@kernel
def _choose(rules, room, bot, tree, owner, mask, rng):
    """One of some actions of the seat to move: a new one, or a child by UCB1. Modified in place: `room`, `rng`."""
    world = room.records[WORLD]
    mover = to_move(rules, world)
    labels = mask if owner == mover else _labels(rules, world, mask, owner)
    node = room.nodes[room.paths[tree, room.lengths[tree] - 1]]
    untried = labels
    child = np.int64(node.first)
    while child != NO_CHILD:
        here = room.nodes[child]
        if here.label < 64 and bits.has(labels, int(here.label)):
            here.available += 1
            untried &= ~bits.bit(here.label)
        child = np.int64(here.next)
    label = NO_LABEL
    if untried != bits.ZERO:
        label = _new_label(rules, world, bot, labels, untried, int(node.visits), owner, rng)
    if label == NO_LABEL:
        label = _highest_bound(room, np.int64(node.first), labels, mover, bot.exploration)
    return label if owner == mover else _action_seen_as(rules, world, mask, label, owner, rng)


@kernel
def _new_label(rules, world, bot, labels, untried, visits, owner, rng):
    """The label of a new child, or `NO_LABEL` where those that are there come first. Modified in place: `rng`.

    With random rollouts every action gets a child first, in random order. Where the policy plays the rollouts it names
    the first child, and others are added as the visits grow: n visits make room for the square root of n. Otherwise
    most visits of a node deep in the tree would go to actions that nobody would choose.

    Source: progressive widening, as in G. Chaslot and others, "Progressive strategies for Monte-Carlo tree search"
    (2008), with the policy as the only knowledge.
    """
    if bot.rollout == BY_POLICY:
        wanted = seen_as(rules, world, policy(rules, world, rng), owner)
        if bits.has(untried, wanted):
            return wanted
        tried = bits.count(labels & ~untried)
        if tried * tried >= max(1, visits):
            return NO_LABEL
    return bits.select(untried, integer(rng, bits.count(untried)))


@kernel
def _labels(rules, state, mask, owner):
    """The actions of a mask as another seat sees them."""
    labels = bits.ZERO
    while mask != bits.ZERO:
        labels |= bits.bit(seen_as(rules, state, bits.lowest(mask), owner))
        mask = bits.without_lowest(mask)
    return labels


@kernel
def _action_seen_as(rules, state, mask, label, owner, rng):
    """One of the actions that another seat cannot tell apart: the policy's if it is among them, else a random one."""
    alike = bits.ZERO
    while mask != bits.ZERO:
        action = bits.lowest(mask)
        mask = bits.without_lowest(mask)
        if seen_as(rules, state, action, owner) == label:
            alike |= bits.bit(action)
    if bits.without_lowest(alike) == bits.ZERO:
        return bits.lowest(alike)
    wanted = policy(rules, state, rng)
    return wanted if bits.has(alike, wanted) else bits.select(alike, integer(rng, bits.count(alike)))


@kernel
def _highest_bound(room, first, labels, mover, exploration):
    """The label of the available child with the highest UCB1, values scaled to 0..1; the one added last of equals."""
    span = room.high[mover] - room.low[mover]
    scale = 1.0 / span if span > 0.0 else 0.0
    best = 0.0
    label = NO_LABEL
    child = first
    while child != NO_CHILD:
        here = room.nodes[child]
        if here.label < 64 and bits.has(labels, int(here.label)):
            mean = (here.value / here.visits - room.low[mover]) * scale
            bound = mean + exploration * np.sqrt(_log(room, int(here.available)) / here.visits)
            if label == NO_LABEL or bound > best:
                best = bound
                label = int(here.label)
        child = np.int64(here.next)
    return label


@kernel
def _log(room, n):
    """The natural logarithm of a count, to three digits at least."""
    twos = 0
    while n >= NUM_LOGS:
        n >>= 1
        twos += 1
    return room.logs[n] + twos * LOG_OF_TWO


@kernel
def _back_up(rules, room, num_trees, root, seat):
    """Add the result to all nodes passed. Modified in place: `room`."""
    _scale(rules, room)
    nodes, result = room.nodes, room.result
    for tree in range(num_trees):
        nodes[tree].visits += 1
        for i in range(1, abs(room.lengths[tree])):
            node = nodes[room.paths[tree, i]]
            node.visits += 1
            if node.seat >= 0:
                node.value += result[node.seat]
    if abs(room.lengths[root]) > 1:
        label = int(nodes[room.paths[root, 1]].label)
        if label < 64:
            room.squares[label] += result[seat] * result[seat]


@kernel
def _scale(rules, room):
    """Find the range of the first results, which UCB1 takes as 0..1; later ones may lie outside. In place: `room`.

    Results are not clipped to it: a win that was rare among the first would look like a lesser one for ever.
    """
    done = room.counts[0].iterations
    if done >= SAMPLES:
        return
    for seat in range(rules.num_players):
        value = room.result[seat]
        room.samples[seat, done] = value
        room.low[seat] = value if done == 0 else min(room.low[seat], value)
        room.high[seat] = value if done == 0 else max(room.high[seat], value)
        if done == SAMPLES - 1:
            _settle(room, seat)


@kernel
def _settle(room, seat):
    """Take the 5 and 95 % points of the first results as 0 and 1, if they differ. Modified in place: `room`."""
    samples = room.samples[seat]
    for i in range(1, SAMPLES):
        value = samples[i]
        place = i
        while place > 0 and samples[place - 1] > value:
            samples[place] = samples[place - 1]
            place -= 1
        samples[place] = value
    outside = SAMPLES // 20
    if samples[outside] < samples[SAMPLES - 1 - outside]:
        room.low[seat] = samples[outside]
        room.high[seat] = samples[SAMPLES - 1 - outside]


@kernel
def most_visited(room, root):
    """The action of the root's child with most visits; of equals the higher value, then the lower action."""
    best = -1
    child = np.int64(room.nodes[root].first)
    while child != NO_CHILD:
        node = room.nodes[child]
        if node.label < 64 and (best < 0 or _is_better(node, room.nodes[best])):
            best = child
        child = np.int64(node.next)
    return int(room.nodes[best].label)


@kernel
def _is_better(node, other):
    """Whether a node is the better answer."""
    if node.visits != other.visits:
        return node.visits > other.visits
    if node.value != other.value:
        return node.value > other.value
    return node.label < other.label
