"""Exactly uniform deals of unseen cards where some cards may go to some slots only.

A *slot* is a place for a number of cards (a seat's hand, the stock, a card that lies face down), a *class* a set of
cards allowed in the same slots. `make_plan` prepares one information set, `draw_world` draws worlds from it.

Classes allowed in the same slots are joined, and so are slots open to the same classes, under the last of them, their
*lead*. How many cards of each class go to each lead is a matrix, which stands for the product of its classes'
multinomials many worlds. Matrices may be too many to list, so the plan is a graph: its levels are the cells of the
matrix, class after class; a node is the room that is left before a cell, whatever matrix led there; an edge is a number
of cards for the cell and knows how many worlds lie behind it. A draw follows one path by these weights and deals on the
way: no rejection, no repair, no dead end. While no seat is known to be void the plan is one path, the draw a shuffle.
"""

from math import comb
from typing import Any, NamedTuple

import numpy as np

from cardkit import bits
from cardkit.jit import kernel, outlined_kernel, wrapping_kernel
from cardkit.rng import integer, mix, new_rng, uniform

MAX_SLOTS, MAX_CLASSES, MAX_CARDS = 8, 8, 64
TOO_LARGE = -1.0
BINOMIAL = np.array([[comb(n, k) for k in range(MAX_CARDS + 1)] for n in range(MAX_CARDS + 1)], np.float64)

# A node as a word: bits 7s .. 7s + 6 the room left in lead s, bits 56 .. 62 the cells left. The word 0 is a full deal.
FIELD, LEVEL = np.uint64(127), np.uint64(56)
EACH = np.uint64(sum(1 << 7 * slot for slot in range(MAX_SLOTS)))
ROOT, NOBODY = 1, 0  # numbers of nodes; 0 is an empty place of the hash table
NUM_SLOTS, NUM_CELLS, NUM_NODES, NUM_EDGES = range(4)  # places in `Plan.sizes`

# slot: cards it holds; room: of all slots it leads; later: cards of later classes that may go to it
SLOT = np.dtype([(name, "i8") for name in ("lead", "cards", "room", "later")])
# cell: cards of its class; others: fields of the class's next cells; later: as above; behind: cards of later classes
CELL = np.dtype([("cards", "u8"), ("others", "u8"), ("slot", "i8"), ("later", "i8"), ("behind", "i8")])
# node: worlds behind it; edges: its first one; place: in the hash table
NODE = np.dtype([("word", "u8"), ("worlds", "f8"), ("edges", "i4"), ("place", "i4")])
# edge: upto: worlds behind it and behind the edges before it; node: where it leads; count: cards for the cell
EDGE = np.dtype([("upto", "f8"), ("node", "i4"), ("count", "i4")])


class Plan(NamedTuple):
    """What `make_plan` has found out about one information set."""

    sizes: Any  # (4,) int64: how much of the other arrays is in use
    slots: Any
    cells: Any  # pairs of a class and a lead it may go to; dealt from the last to the first
    nodes: Any  # level by level
    edges: Any  # node by node
    table: Any  # hash table of the nodes, int32


def new_plan(max_nodes: int = 500_000) -> Plan:
    """An empty workspace: 100 bytes a node, which the system hands out as they are used.

    The worst void seats found for the 58 cards and 6 seats of Kronions take 240,000 nodes; most questions take 5.
    """
    num_nodes, num_edges = max_nodes + MAX_CARDS + 2, 4 * max_nodes + MAX_CARDS + 2
    lengths = ((SLOT, MAX_SLOTS), (CELL, MAX_SLOTS * MAX_CLASSES), (NODE, num_nodes), (EDGE, num_edges))
    slots, cells, nodes, edges = (np.zeros(n, dtype).view(np.recarray) for dtype, n in lengths)
    table = np.zeros(1 << (2 * num_nodes - 1).bit_length(), np.int32)
    return Plan(np.zeros(4, np.int64), slots, cells, nodes, edges, table)


class Worlds(NamedTuple):
    """Room for the worlds of one information set: the plan, its arguments, and the cards dealt to each slot."""

    plan: Plan
    cards: Any  # (8,) uint64, of each class
    slots: Any  # (8,) uint64, open to each class
    sizes: Any  # (8,) int64, of each slot
    dealt: Any  # (8,) uint64, to each slot
    rng: Any  # a stream for what a plan has to try out


def new_worlds() -> Worlds:
    """Room for one information set at a time: what the verbs `plan_worlds` and `determinise` work with."""
    cards, slots, dealt = (np.zeros(MAX_SLOTS, np.uint64) for _ in range(3))
    return Worlds(new_plan(), cards, slots, np.zeros(MAX_SLOTS, np.int64), dealt, new_rng())


@outlined_kernel
def make_plan(plan, num_classes, class_cards, class_slots, num_slots, slot_sizes):
    """Prepare the worlds that fill every slot and put every card in one of its class's slots.

    Args:
        plan: modified in place; what it held before is gone.
        num_classes: how many entries of the next two count, at most 8.
        class_cards: uint64, disjoint masks with as many cards as fit in the slots.
        class_slots: uint64, bit s: slot s may hold cards of the class.
        num_slots: how many entries of the next count, at most 8.
        slot_sizes: int64, cards in each slot. Draws are fastest where the largest slot is the last.

    Returns:
        The number of worlds, a float; 0.0 if there is none, `TOO_LARGE` if the plan has too few nodes: then draw none.
    """
    leads, splits = _join_slots(plan, num_classes, class_cards, class_slots, num_slots, slot_sizes)
    num_cards = _make_cells(plan, leads, num_classes, class_cards, class_slots)
    word = np.uint64(plan.sizes[NUM_CELLS]) << LEVEL
    for slot in range(num_slots):
        word |= np.uint64(plan.slots[slot].room) << np.uint64(7 * slot)
    if _total(word) != num_cards:
        return 0.0
    return splits * _count_worlds(plan) if _make_graph(plan, word) else TOO_LARGE


@kernel
def _join_slots(plan, num_classes, class_cards, class_slots, num_slots, slot_sizes):
    """Find the leads; returns those with cards, and in how many ways theirs can be split. Modified in place: `plan`."""
    plan.sizes[NUM_SLOTS] = num_slots
    leads, splits = bits.ZERO, 1.0
    for slot in range(num_slots - 1, -1, -1):
        alike = bits.below(num_slots)
        for k in range(num_classes):
            if class_cards[k] != bits.ZERO:
                alike &= class_slots[k] if bits.has(class_slots[k], slot) else ~class_slots[k]
        here, lead = plan.slots[slot], plan.slots[bits.highest(alike)]
        here.lead, here.cards, here.room, here.later = bits.highest(alike), slot_sizes[slot], 0, 0
        lead.room += slot_sizes[slot]
        splits *= BINOMIAL[lead.room, slot_sizes[slot]]
        if slot_sizes[slot] > 0:
            leads |= bits.bit(here.lead)
    return leads, splits


@kernel
def _make_cells(plan, leads, num_classes, class_cards, class_slots):
    """List the cells; returns the number of cards, or -1 where some have no slot. Modified in place: `plan`."""
    end = num_cards = 0
    joined = bits.ZERO
    for k in range(num_classes - 1, -1, -1):
        cards = others = bits.ZERO
        slots = class_slots[k] & leads
        for other in range(num_classes):
            if class_slots[other] & leads == slots and not bits.has(joined, other):
                joined |= bits.bit(other)
                cards |= class_cards[other]
        if cards == bits.ZERO:
            continue
        if slots == bits.ZERO:
            return -1
        while slots != bits.ZERO:
            slot = bits.highest(slots)
            slots ^= bits.bit(slot)
            cell = plan.cells[end]
            cell.cards, cell.others, cell.slot = cards, others, slot
            cell.later, cell.behind = plan.slots[slot].later, num_cards
            plan.slots[slot].later += bits.count(cards)
            others |= FIELD << np.uint64(7 * slot)
            end += 1
        num_cards += bits.count(cards)
    plan.sizes[NUM_CELLS] = end
    return num_cards


@kernel
def _make_graph(plan, word):
    """Find all nodes and edges from the root's word; returns whether there was room. Modified in place: `plan`."""
    sizes, nodes, edges = plan.sizes, plan.nodes, plan.edges
    for node in range(ROOT, sizes[NUM_NODES]):
        plan.table[nodes[node].place] = NOBODY
    sizes[NUM_NODES], sizes[NUM_EDGES] = ROOT, 0
    node = _node(plan, word)
    while node < sizes[NUM_NODES] and nodes[node].word != bits.ZERO:
        if sizes[NUM_NODES] + MAX_CARDS + 1 >= nodes.size or sizes[NUM_EDGES] + MAX_CARDS >= edges.size:
            return False
        word = nodes[node].word
        nodes[node].edges = sizes[NUM_EDGES]
        cell = plan.cells[np.int64(word >> LEVEL) - 1]
        place = np.uint64(7 * cell.slot)
        left, room = _total(word) - cell.behind, np.int64(word >> place & FIELD)
        for count in range(max(0, left - _total(word & cell.others), room - cell.later), min(left, room) + 1):
            edge = edges[sizes[NUM_EDGES]]
            edge.count = count
            edge.node = _node(plan, word - (bits.ONE << LEVEL) - (np.uint64(count) << place))
            sizes[NUM_EDGES] += 1
        node += 1
    nodes[node].edges = sizes[NUM_EDGES]
    return True


@wrapping_kernel
def _total(word):
    """The room in all leads: the top field of the product, where all fields come together."""
    return np.int64((word * EACH) >> np.uint64(49) & FIELD)


@kernel
def _node(plan, word):
    """The node of a word, new if there was none. Modified in place: `plan`."""
    place = np.int64(mix(word) & np.uint64(plan.table.size - 1))
    while plan.table[place] != NOBODY:
        node = np.int64(plan.table[place])
        if plan.nodes[node].word == word:
            return node
        place = np.int64(place + 1 if place + 1 < plan.table.size else 0)
    node = plan.sizes[NUM_NODES]
    plan.sizes[NUM_NODES] += 1
    plan.table[place] = node
    plan.nodes[node].word, plan.nodes[node].place = word, place
    return node


@kernel
def _count_worlds(plan):
    """Weigh all edges, last node first; returns the worlds behind the root. Modified in place: `plan`."""
    nodes = plan.nodes
    last = plan.sizes[NUM_NODES] - 1
    nodes[last].worlds = 1.0 if nodes[last].word == bits.ZERO else 0.0
    for node in range(last - 1, ROOT - 1, -1):
        word, worlds = nodes[node].word, 0.0
        left = _total(word) - plan.cells[np.int64(word >> LEVEL) - 1].behind
        for i in range(nodes[node].edges, nodes[node + 1].edges):
            edge = plan.edges[i]
            worlds += BINOMIAL[left, edge.count] * nodes[edge.node].worlds
            edge.upto = worlds
        nodes[node].worlds = worlds
    return nodes[ROOT].worlds


@kernel
def draw_world(plan, rng, out):
    """Draw a world, uniformly among all that `make_plan` has found: `out[slot]` becomes the mask of the slot's cards.

    Modified in place: `rng`, `out`. The plan stays as it is.
    """
    for slot in range(plan.sizes[NUM_SLOTS]):
        out[slot] = bits.ZERO
    dealt = bits.ZERO
    node = np.int64(ROOT)
    for level in range(plan.sizes[NUM_CELLS] - 1, -1, -1):
        cell = plan.cells[level]
        edge = np.int64(plan.nodes[node].edges)
        if edge + 1 < plan.nodes[node + 1].edges:
            target = uniform(rng) * plan.nodes[node].worlds  # rounds to less than the worlds, which end the loop
            while target >= plan.edges[edge].upto:
                edge += 1
        node = np.int64(plan.edges[edge].node)
        taken = _random_cards(cell.cards & ~dealt, np.int64(plan.edges[edge].count), rng)
        dealt |= taken
        out[cell.slot] |= taken
    for slot in range(plan.sizes[NUM_SLOTS]):
        lead = plan.slots[slot].lead
        if lead != slot:
            out[slot] = _random_cards(out[lead], plan.slots[slot].cards, rng)
            out[lead] ^= out[slot]


@kernel
def _random_cards(cards, wanted, rng):
    """A uniformly random subset of `wanted` of the cards: picks those to take, or those to leave if they are fewer."""
    size = bits.count(cards)
    few = min(wanted, size - wanted)
    rest = cards
    for picked in range(few):
        rest ^= bits.bit(bits.select(rest, integer(rng, size - picked)))
    return cards ^ rest if few == wanted else rest
