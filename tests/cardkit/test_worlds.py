"""Uniform worlds: counted exactly, all reached, equally often; against plain Python that deals card by card."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import factorial, prod
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from cardkit.rng import new_rng
from cardkit.worlds import MAX_SLOTS, NUM_CELLS, NUM_NODES, ROOT, TOO_LARGE, Plan, draw_world, make_plan, new_plan

World = tuple[int, ...]  # the mask of every slot
FULL = 2**64 - 1


class Question(NamedTuple):
    """What is known: `cards[k]` may go to `slots[k]`, both masks; `sizes[s]` cards go to slot s."""

    cards: list[int]
    slots: list[int]
    sizes: list[int]


# Plain Python: the worlds of a question, card by card


def positions(mask: int) -> list[int]:
    return [position for position in range(64) if mask >> position & 1]


def slots_of_cards(question: Question) -> Iterator[tuple[int, list[int]]]:
    """Every card with the slots it may go to."""
    for cards, slots in zip(question.cards, question.slots, strict=True):
        for card in positions(cards):
            yield card, [slot for slot in positions(slots) if slot < len(question.sizes)]


def count_worlds(question: Question) -> int:
    """The number of worlds, exactly: ways to deal the cards so far, for every room left."""
    ways = Counter({tuple(question.sizes): 1})
    for _, slots in slots_of_cards(question):
        longer: Counter[World] = Counter()
        for room, number in ways.items():
            for slot in slots:
                if room[slot]:
                    longer[(*room[:slot], room[slot] - 1, *room[slot + 1 :])] += number
        ways = longer
    return ways[(0,) * len(question.sizes)]


def list_worlds(question: Question) -> list[World]:
    """All worlds: every card in every slot it may go to, where the sizes come out right."""
    cards = list(slots_of_cards(question))
    worlds = []
    for places in itertools.product(*(slots for _, slots in cards)):
        if all(places.count(slot) == size for slot, size in enumerate(question.sizes)):
            dealt = zip(cards, places, strict=True)
            world = [0] * len(question.sizes)
            for (card, _), slot in dealt:
                world[slot] |= 1 << card
            worlds.append(tuple(world))
    return worlds


def is_world(question: Question, world: World) -> bool:
    allowed = [0] * len(question.sizes)
    for card, slots in slots_of_cards(question):
        for slot in slots:
            allowed[slot] |= 1 << card
    return (
        [held.bit_count() for held in world] == question.sizes
        and sum(world) == sum(question.cards)
        and all(held & ~mask == 0 for held, mask in zip(world, allowed, strict=True))
    )


def random_question(rng: random.Random, num_slots: int, num_classes: int, num_cards: int) -> Question:
    """A question whose answer is at least one world; tight ones, open ones, empty classes and slots among them."""
    openness = rng.choice([0.2, 0.5, 0.8, 1.0])
    slots = [
        sum(1 << slot for slot in range(num_slots) if rng.random() < openness) or 1 << rng.randrange(num_slots)
        for _ in range(num_classes)
    ]
    cards, sizes = [0] * num_classes, [0] * num_slots
    for card in rng.sample(range(64), num_cards):
        k = rng.randrange(num_classes)
        cards[k] |= 1 << card
        sizes[rng.choice(positions(slots[k]))] += 1
    return Question(cards, slots, sizes)


def listable_questions() -> list[Question]:
    """Questions with few worlds but constraints that bind: at least two classes that differ in their slots."""
    rng, found = random.Random(5), []
    while len(found) < 40:
        question = random_question(rng, rng.randint(2, 5), rng.randint(2, 4), rng.randint(4, 7))
        filled = [mask for mask, cards in zip(question.slots, question.cards, strict=True) if cards]
        if len(set(filled)) > 1 and 6 <= count_worlds(question) <= 250:
            found.append(question)
    return found


LISTABLE = listable_questions()
# Three seats and a stock: seat 0 is void in the first suit, seat 1 in the second, seat 2 in the third.
BIASED = Question([0b111, 0b11 << 8, 0b11 << 16, 0b1 << 24], [0b1110, 0b1101, 0b1011, 0b1111], [2, 2, 2, 2])
# Five seats and a stock, far more matrices than could be listed.
LARGE = Question(
    [0x7F, 0xFC << 8, 0x1FE << 18, 0x7F << 32, 0x3F << 52],
    [0b101110, 0b110101, 0b111010, 0b110011, 0b111111],
    [6, 6, 6, 6, 6, 4],
)


# The module, asked from Python


@pytest.fixture(scope="module")
def plan() -> Plan:
    return new_plan()


def ask(plan: Plan, question: Question) -> float:
    """The number of worlds as the module counts them."""
    cards, slots = (np.array(masks, np.uint64) for masks in question[:2])
    sizes = np.array(question.sizes, np.int64)
    return float(make_plan(plan, len(cards), cards, slots, len(sizes), sizes))


def draw(plan: Plan, question: Question, rng: np.ndarray, number: int) -> list[World]:
    out = np.zeros(MAX_SLOTS, np.uint64)
    drawn = []
    for _ in range(number):
        draw_world(plan, rng, out)
        drawn.append(tuple(out.tolist()[: len(question.sizes)]))
    return drawn


def close(worlds: float, exact: int | Fraction) -> bool:
    return abs(Fraction(worlds) - exact) <= exact * Fraction(1, 10**12)


# Counting


@pytest.mark.parametrize("num_slots", range(1, 9))
def test_worlds_are_counted_exactly(plan: Plan, num_slots: int) -> None:
    rng = random.Random(num_slots)
    for num_classes in range(1, 9):
        for _ in range(60):
            question = random_question(rng, num_slots, num_classes, rng.randint(0, 9))
            exact = count_worlds(question)
            assert exact > 0
            assert close(ask(plan, question), exact), question


def test_impossible_questions_have_no_world(plan: Plan) -> None:
    """Sizes that are dealt afresh fit about half of the time; where they do not, the answer is exactly 0."""
    rng, impossible = random.Random(1), 0
    for _ in range(1500):
        question = random_question(rng, rng.randint(1, 6), rng.randint(1, 6), rng.randint(1, 8))
        sizes = Counter(rng.randrange(len(question.sizes)) for _ in range(sum(question.sizes)))
        question = question._replace(sizes=[sizes[slot] for slot in range(len(question.sizes))])
        exact = count_worlds(question)
        impossible += exact == 0
        assert close(ask(plan, question), exact), question
    assert 300 < impossible < 1200


@pytest.mark.parametrize(
    "question",
    [
        Question([0b11], [0b01], [1, 1]),  # too many for their slot
        Question([0b11], [0b00], [1, 1]),  # nowhere to go
        Question([0b11, 0b100], [0b01, 0], [2, 1]),  # a class with nowhere to go
        Question([0b11], [0b11], [1, 2]),  # fewer cards than room
        Question([0b111], [0b11], [1, 1]),  # more cards than room
        Question([0b11, 0b1100], [0b100, 0b111], [2, 2, 0]),  # only an empty slot is open
        Question([0b1, 0b10, 0b100], [0b001, 0b001, 0b111], [1, 1, 1]),  # two classes for one place
        Question([], [], [1]),
    ],
)
def test_no_world(plan: Plan, question: Question) -> None:
    assert ask(plan, question) == 0 == count_worlds(question)


def test_deals_without_constraints_are_multinomials(plan: Plan) -> None:
    for sizes in ([8] * 8, [64], [0, 13, 0, 13, 13, 13, 12], [1] * 8, [20, 0, 0, 44]):
        cards = 2 ** sum(sizes) - 1
        question = Question([cards & 0x5555555555555555, cards & 0xAAAAAAAAAAAAAAAA], [255, 255], sizes)
        assert close(ask(plan, question), factorial(sum(sizes)) // prod(map(factorial, sizes)))
        assert plan.sizes[NUM_NODES] - ROOT <= 2
        assert is_world(question, draw(plan, question, new_rng(1), 1)[0])


def test_large_questions_are_counted_exactly(plan: Plan) -> None:
    rng = random.Random(4)
    all_but_one = Question([0b111 << 8 * k for k in range(8)], [255 & ~(1 << k) for k in range(8)], [3] * 8)
    for question in (LARGE, all_but_one, *(random_question(rng, 4, 5, 30) for _ in range(10))):
        assert close(ask(plan, question), count_worlds(question)), question


# Matrices: the paths of the graph


def paths(plan: Plan, node: int, level: int) -> Iterator[tuple[dict[tuple[int, int], int], Fraction]]:
    """Every path from a node with the chance to follow it: cards of each (class, lead), and a product of weights."""
    if level < 0:
        yield {}, Fraction(1)
        return
    cell, total, before = plan.cells[level], Fraction(float(plan.nodes[node].worlds)), Fraction(0)
    for i in range(plan.nodes[node].edges, plan.nodes[node + 1].edges):
        edge = plan.edges[i]
        upto = Fraction(float(edge.upto))
        for matrix, chance in paths(plan, int(edge.node), level - 1) if upto > before else ():
            yield {(int(cell.cards), int(cell.slot)): int(edge.count), **matrix}, chance * (upto - before) / total
        before = upto
    assert before == total


def test_paths_are_all_matrices_with_their_exact_chances(plan: Plan) -> None:
    """A matrix has the chance of its multinomials among all worlds; joined slots are split evenly after that."""
    for question in LISTABLE:
        worlds = list_worlds(question)
        assert close(ask(plan, question), len(worlds))
        found = list(paths(plan, ROOT, int(plan.sizes[NUM_CELLS]) - 1))
        keys = sorted({key for matrix, _ in found for key in matrix})
        leads = [int(lead) for lead in plan.slots.lead]
        expected: Counter[World] = Counter()
        for world in worlds:
            of_lead = Counter[int]()
            for slot, held in enumerate(world):
                of_lead[leads[slot]] |= held
            expected[tuple((cards & of_lead[lead]).bit_count() for cards, lead in keys)] += 1
        chances = {tuple(matrix[key] for key in keys): chance for matrix, chance in found}
        assert len(found) == len(chances) == len(expected)
        for matrix, number in expected.items():
            assert close(float(chances[matrix]), Fraction(number, len(worlds)))


def test_what_is_alike_is_joined(plan: Plan) -> None:
    """Seats 1 to 3 are open to all cards and act as one, and so do classes that differ in the empty slot 4 only.

    An empty class, open to seat 2 alone, changes nothing.
    """
    question = Question([0b1, 0b110, 0b1000, 0b10000, 0], [0b1111, 0b1110, 0b11111, 0b11110, 0b100], [1, 1, 1, 2, 0])
    ask(plan, question)
    assert plan.slots.lead.tolist()[:4] == [0, 3, 3, 3]
    cells = plan.cells[: plan.sizes[NUM_CELLS]]
    pairs = sorted(zip(cells.cards.tolist(), cells.slot.tolist(), strict=True))
    assert pairs == [(0b1001, 0), (0b1001, 3), (0b10110, 3)]


def test_few_nodes_are_dead_ends(plan: Plan) -> None:
    worlds = []
    for question in LISTABLE:
        ask(plan, question)
        worlds += plan.nodes.worlds[ROOT : plan.sizes[NUM_NODES]].tolist()
    assert worlds.count(0.0) < len(worlds) / 8


def test_matrices_that_leave_the_same_room_share_a_node(plan: Plan) -> None:
    """Far more matrices than could be listed, in far fewer nodes."""
    ask(plan, LARGE)
    matrices: Counter[int] = Counter({int(plan.sizes[NUM_NODES]) - 1: 1})
    for node in range(int(plan.sizes[NUM_NODES]) - 2, ROOT - 1, -1):
        edges = range(plan.nodes[node].edges, plan.nodes[node + 1].edges)
        matrices[node] = sum(matrices[plan.edges[i].node] for i in edges)
    assert matrices[ROOT] > 1_000_000
    assert plan.sizes[NUM_NODES] < 100_000


def test_a_plan_that_is_too_small_says_so(plan: Plan) -> None:
    """Whatever its size, the count is right or `TOO_LARGE`, and the plan can be used again."""
    rng = random.Random(6)
    for max_nodes in (0, 1, 2, 3, 5, 10, 20, 50, 100):
        small, answers = new_plan(max_nodes), set()
        for _ in range(50):
            question = random_question(rng, 6, 6, rng.choice([0, 1, 30]))
            worlds = ask(small, question)
            assert worlds in (ask(plan, question), TOO_LARGE)
            answers.add(worlds == TOO_LARGE)
        assert answers == {False, True}
    cut = plan._replace(edges=plan.edges[:250])
    plan.edges[250].count = -7
    assert ask(cut, LARGE) == TOO_LARGE
    assert plan.edges[250].count == -7
    assert ask(cut, BIASED) == ask(plan, BIASED) > 0


# Draws


def p_values(sample: Callable[[Question, int], list[World]], questions: list[Question]) -> list[float]:
    """The chi-square test of every question: 60 draws a world against the same number of each listed world."""
    values = []
    for question in questions:
        worlds = list_worlds(question)
        counts = Counter(sample(question, 60 * len(worlds)))
        assert set(counts) <= set(worlds), question
        values.append(float(stats.chisquare([counts[world] for world in worlds]).pvalue))
    return values


def are_uniform(values: list[float]) -> bool:
    """Holm's and Bonferroni's first step at 0.001: the smallest of n p-values counts n-fold."""
    return min(values) * len(values) > 1e-3


def seat_by_seat(question: Question, number: int) -> list[World]:
    """Wrong on purpose: each slot in turn takes random cards that it may hold; dead ends start again."""
    rng, drawn = random.Random(7), []
    cards = dict(slots_of_cards(question))
    while len(drawn) < number:
        left, world = set(cards), []
        for slot, size in enumerate(question.sizes):
            able = sorted(card for card in left if slot in cards[card])
            if len(able) < size:
                break
            taken = rng.sample(able, size)
            left -= set(taken)
            world.append(sum(1 << card for card in taken))
        else:
            drawn.append(tuple(world))
    return drawn


@pytest.fixture(scope="module")
def sample(plan: Plan) -> Callable[[Question, int], list[World]]:
    rng = new_rng(2)

    def drawn(question: Question, number: int) -> list[World]:
        assert ask(plan, question) > 0
        return draw(plan, question, rng, number)

    return drawn


def test_all_worlds_come_equally_often(sample: Callable[[Question, int], list[World]]) -> None:
    values = p_values(sample, [*LISTABLE, BIASED])
    assert are_uniform(values)
    assert stats.kstest(values, "uniform").pvalue > 1e-3


def test_every_world_comes(sample: Callable[[Question, int], list[World]]) -> None:
    for question in LISTABLE:
        worlds = list_worlds(question)
        assert set(sample(question, 40 * len(worlds))) == set(worlds)


def test_dealing_seat_by_seat_fails_the_same_test() -> None:
    assert not are_uniform(p_values(seat_by_seat, LISTABLE))
    assert not are_uniform(p_values(seat_by_seat, [BIASED]))


def test_cards_of_large_questions_are_where_they_should_be(sample: Callable[[Question, int], list[World]]) -> None:
    """Where a card lies has exact chances: the worlds with it dealt there, out of all."""
    drawn, exact, values = sample(LARGE, 20_000), count_worlds(LARGE), []
    for k, cards in enumerate(LARGE.cards):
        card = positions(cards)[k]
        others = [mask & ~(1 << card) for mask in LARGE.cards]
        chances = [
            Fraction(count_worlds(Question(others, LARGE.slots, less)), exact) if LARGE.slots[k] >> slot & 1 else 0
            for slot in range(len(LARGE.sizes))
            for less in [[size - (other == slot) for other, size in enumerate(LARGE.sizes)]]
        ]
        assert sum(chances) == 1
        counts = [sum(world[slot] >> card & 1 for world in drawn) for slot in range(len(LARGE.sizes))]
        expected = [float(chance * len(drawn)) for chance in chances]
        assert not any(count for count, number in zip(counts, expected, strict=True) if number == 0)
        pairs = [(count, number) for count, number in zip(counts, expected, strict=True) if number > 0]
        values.append(float(stats.chisquare(*zip(*pairs, strict=True)).pvalue))
    assert are_uniform(values)


@pytest.mark.parametrize("sizes", [[3, 2, 3], [4, 4], [1, 1, 1, 1, 1], [2, 0, 1, 3], [6, 1], [1, 6]])
def test_deals_without_constraints_are_uniform(
    sample: Callable[[Question, int], list[World]], sizes: list[int]
) -> None:
    cards = sum(1 << 7 * card for card in range(sum(sizes)))  # some in the upper half of the word
    assert are_uniform(p_values(sample, [Question([cards], [0b11111], sizes)]))


def test_consecutive_draws_are_independent(sample: Callable[[Question, int], list[World]]) -> None:
    question = Question([0b111, 0b11000], [0b011, 0b111], [2, 1, 2])
    worlds = list_worlds(question)
    drawn = sample(question, 40_001)
    counts = Counter(itertools.pairwise(drawn))
    assert len(worlds) == 3
    observed = [counts[pair] for pair in itertools.product(worlds, repeat=2)]
    assert stats.chisquare(observed).pvalue > 1e-3


def test_draws_differ_from_call_to_call(plan: Plan) -> None:
    question = Question([2**40 - 1], [0b1111], [10, 10, 10, 10])
    ask(plan, question)
    rng = new_rng(3)
    first = draw(plan, question, rng, 500)
    assert len(set(first)) == 500
    assert not set(first) & set(draw(plan, question, rng, 500))
    assert draw(plan, question, new_rng(3), 500) == first


def test_a_plan_remembers_nothing(plan: Plan) -> None:
    """Asked again after other questions, or in a fresh plan, the same stream gives the same worlds."""
    drawn = []
    for question in LISTABLE * 2:
        worlds = ask(plan, question)
        drawn.append((worlds, draw(plan, question, new_rng(4), 20)))
    fresh = new_plan(1000)
    for question, expected in zip(LISTABLE * 2, drawn, strict=True):
        assert (ask(fresh, question), draw(fresh, question, new_rng(4), 20)) == expected


@pytest.mark.parametrize(
    ("question", "world"),
    [
        (Question([], [], []), ()),
        (Question([], [], [0, 0]), (0, 0)),
        (Question([0, 0], [0b11, 0b01], [0, 0]), (0, 0)),
        (Question([0], [0], [0]), (0,)),
        (Question([FULL], [0b1], [64]), (FULL,)),
        (Question([0xFF, 0xFF00], [0b111, 0b110], [0, 16, 0]), (0, 0xFFFF, 0)),
        (Question([0b11, 0b100], [0b110, 0b010], [0, 1, 2]), (0, 0b100, 0b11)),
        (Question([0b1, 0b10, 0b100, 0b1000], [0b1, 0b11, 0b110, 0b1100], [1, 1, 1, 1]), (1, 2, 4, 8)),
        (Question([1 << 63, 1], [0b10, 0b11], [1, 1]), (1, 1 << 63)),
    ],
)
def test_single_worlds(plan: Plan, question: Question, world: World) -> None:
    assert ask(plan, question) == 1
    assert draw(plan, question, new_rng(5), 3) == [world] * 3


def test_random_draws_are_worlds(plan: Plan) -> None:
    rng, stream = random.Random(8), new_rng(8)
    for _ in range(2000):
        question = random_question(rng, rng.randint(1, 8), rng.randint(1, 8), rng.randint(0, 24))
        ask(plan, question)
        for world in draw(plan, question, stream, 3):
            assert is_world(question, world), question


@pytest.mark.parametrize(("fraction", "end"), [(0, 0), (FULL >> 11, -1)])
def test_extreme_random_floats_choose_the_first_and_the_last_edge(plan: Plan, fraction: int, end: int) -> None:
    """The largest float, 1 - 2**-53, times any number of worlds rounds to less than that number."""
    word = fraction << 11 | 1
    extreme = np.array([0, word >> 17 | word << 47 & FULL], np.uint64)  # gives this word first: see test_rng
    rare_ends = Question([0x3FF, 0x3FF << 10, 0x3FF << 20], [0b011, 0b110, 0b101], [10, 10, 10])  # 3e-8 each
    for question in (*LISTABLE, rare_ends):
        worlds = ask(plan, question)
        assert (1 - 2**-53) * worlds < worlds
        (world,) = draw(plan, question, extreme.copy(), 1)
        assert is_world(question, world)
        cell = plan.cells[plan.sizes[NUM_CELLS] - 1]
        able = [edge for edge in plan.edges[: plan.nodes[ROOT + 1].edges] if plan.nodes[edge.node].worlds > 0]
        joined = sum(held for held, lead in zip(world, plan.slots.lead, strict=False) if lead == cell.slot)
        assert (joined & int(cell.cards)).bit_count() == able[end].count


def test_arguments_and_other_slots_stay_as_they_are(plan: Plan) -> None:
    cards, slots = np.array([0b11, 0b1100, 9], np.uint64), np.array([0b1, 0b11, 9], np.uint64)
    sizes, out = np.array([2, 2, 9], np.int64), np.full(4, 77, np.uint64)
    assert make_plan(plan, 2, cards, slots, 2, sizes) == 1
    draw_world(plan, new_rng(6), out)
    assert out.tolist() == [0b11, 0b1100, 77, 77]
    assert (cards.tolist(), slots.tolist(), sizes.tolist()) == ([0b11, 0b1100, 9], [0b1, 0b11, 9], [2, 2, 9])


# Compiled and plain


def table() -> list[str]:
    """Counts and draws of some questions: what the compiled and the plain run must agree on."""
    rng, stream, plan = random.Random(9), new_rng(9), new_plan(5000)
    questions = [random_question(rng, rng.randint(1, 8), rng.randint(1, 8), rng.randint(0, 14)) for _ in range(60)]
    lines = []
    for question in (*questions, *LISTABLE, BIASED, Question([2**40 - 1], [0b1111], [10, 10, 10, 10])):
        lines.append(ask(plan, question).hex())
        lines += [" ".join(map(str, world)) for world in draw(plan, question, stream, 5)]
    lines += [str(ask(new_plan(10), LARGE)), str(ask(plan, Question([0b11], [0b01], [1, 1])))]
    return lines


def test_compiled_and_plain_agree(run_other_mode: Callable[[str], list[str]]) -> None:
    assert run_other_mode("from tests.cardkit.test_worlds import table; print('\\n'.join(table()))") == table()
