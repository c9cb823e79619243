"""Search in the real games: the exact expectation, known endings, trees that add up, no leak, all settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import bots
from bots.players import choose
from bots.room import NODE, REVEAL
from bots.trees import _highest_bound, root_of
from cardkit.batch import rollout
from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import determinise, plan_worlds, sensible_mask
from cardkit.worlds import new_worlds
from experiments.games import make_game
from tests.bots.golden_tree import COMMAND, FILE, golden_lines

GAMES = {
    "kronions": make_game("kronions", num_players=3, round_cap=3),
    "truf": make_game("truf", ranks="2,3,Q,K", max_hands=2),
    "kosmogonia": make_game("kosmogonia"),
}
MINI = {
    "kronions of two": make_game("kronions", "mini", num_players=2, only_round=2),
    "kronions of three": make_game("kronions", "mini", num_players=3, only_round=2),
    "truf": make_game("truf", "mini"),
}
SEARCHES = ("mc", "ismcts", "moismcts")
Value = Callable[[State, tuple[int, ...]], float]
ITERATIONS = {"kronions": 100, "truf": 100, "kosmogonia": 24}
every_game = pytest.mark.parametrize("name", GAMES)


def make(text: str, game: Game) -> bots.Bot:
    bot = bots.make(text, game)
    assert isinstance(bot, bots.Bot)
    return bot


def decisions(game: Game, boards: int, seed: int = 3) -> Iterator[State]:
    """The decisions with a choice in some random games."""
    rng = np.random.default_rng(seed)
    for board in range(boards):
        state = game.new_initial_state(seed=seed, board=board)
        while not state.is_terminal():
            if int(sensible_mask(game.rules, state.record)).bit_count() > 1:
                yield state.clone()
            state.apply_action(int(rng.choice(state.legal_actions())))


@cache
def samples(name: str, number: int) -> list[State]:
    """So many decisions of each phase of a game, from anywhere in some games."""
    by_phase: dict[str, list[State]] = {}
    for state in decisions(GAMES[name], 6):
        by_phase.setdefault(state.phase(), []).append(state)
    return [states[i * len(states) // number] for states in by_phase.values() for i in range(min(number, len(states)))]


def answer(bot: bots.Bot, state: State, seed: int) -> int:
    return bot.choose(state, np.random.default_rng(seed))


# The exact expectation


def margins(points: list[float]) -> list[float]:
    """Own points less the mean of the others'."""
    return [own - (sum(points) - own) / (len(points) - 1) for own in points]


def worlds_of(state: State, draws: int) -> list[State]:
    """All worlds behind the view of the seat to move: so many draws that none is missed."""
    game, seat, rng, worlds = state.game, state.current_player(), new_rng(5), new_worlds()
    view = state.view(seat)
    assert plan_worlds(game.rules, view.record, seat, worlds) > 0
    found = {}
    for _ in range(draws):
        records = game.new_records(1)
        records[0] = view.record
        determinise(game.rules, records[0], seat, worlds, rng)
        found[records.tobytes()] = records
    return [State(game, records, seed=0) for records in found.values()]


def after_policy(state: State, actions: tuple[int, ...]) -> float:
    """The margin of the seat to move where it plays some actions, and the policy all the others."""
    seat, played = state.current_player(), state.clone()
    for action in actions:
        played.apply_action(action)
    rollout(state.game.rules, played.record, np.uint64(0), np.uint64(0), True, new_rng(0), new_rng(0))
    return margins(played.returns())[seat]


def after_random(state: State, seat: int) -> float:
    """The average margin of a seat where all that is left is played at random."""
    if state.is_terminal():
        return margins(state.returns())[seat]
    results = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        results.append(after_random(after, seat))
    return sum(results) / len(results)


def check_expectation(
    state: State, settings: str, draws: int, value: Callable[[State, tuple[int, ...]], float]
) -> None:
    """Whether `mc` gives to each of its arms the average over all worlds, within five standard errors."""
    worlds = worlds_of(state, draws)
    for line in bots.thoughts(make(f"mc:iterations=4000,{settings}", state.game), state, 1).lines:
        exact = [value(world, line.actions) for world in worlds]
        five_errors = 5 * (np.std(exact) + line.spread) / line.visits**0.5
        assert abs(line.value - np.mean(exact)) <= five_errors + 1e-9, (state.position_string(), line)


@pytest.mark.parametrize("name", MINI)
def test_mc_finds_the_exact_expectation_of_the_policy(name: str) -> None:
    """At most 90 worlds, so that 900 draws miss one with a chance of 1 in 250."""
    states = list(decisions(MINI[name], 12))
    for state in states[:: len(states) // 8]:
        check_expectation(state, "epsilon=0,sensible=off", 900 if name == "truf" else 150, after_policy)


def test_mc_finds_the_exact_expectation_of_random_play() -> None:
    def value(world: State, actions: tuple[int, ...]) -> float:
        after = world.clone()
        after.apply_action(*actions)
        return after_random(after, world.current_player())

    states = [state for state in decisions(MINI["kronions of two"], 40) if state.record.tricks_done == 0]
    for state in [state for state in states if state.phase() == "play"][:6]:
        check_expectation(state, "rollout=random,sensible=off", 150, value)


# Known endings


def max_n(state: State) -> tuple[list[float], dict[int, list[float]]]:
    """The margins of all seats where all play their best, and those after each action; the first best action counts."""
    if state.is_terminal():
        return margins(state.returns()), {}
    results = {}
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        results[action] = max_n(after)[0]
    return max(results.values(), key=lambda result: result[state.current_player()]), results


def endings(number: int, cards_left: int) -> Iterator[State]:
    """Positions of two seats that know all cards, each with so many cards left and the lead or the reply to it."""
    games = [
        make_game("kronions", num_players=2, num_suits=2, num_ranks=ranks, num_paradox=2, only_round=ranks + 1)
        for ranks in (2, 3, 4)
    ]
    rng, found = np.random.default_rng(11), 0
    for seed in range(10 * number):
        state = games[seed % 3].new_initial_state(seed=seed)
        hand_size = int(state.record.hand_size)
        for _ in range(2 + 2 * (hand_size - cards_left) + int(rng.integers(2))):
            state.apply_action(int(rng.choice(state.legal_actions())))
        if len(state.legal_actions()) > 1:
            yield state
            found += 1
        if found == number:
            return


@pytest.mark.parametrize("number", [150, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("bot", "cards_left"), [("ismcts", 2), ("moismcts", 2), ("ismcts", 3)])
def test_known_endings_are_played_like_max_n(bot: str, cards_left: int, number: int) -> None:
    matters = 0
    for seed, state in enumerate(endings(number if cards_left == 2 else number // 10, cards_left)):
        seat = state.current_player()
        value, results = max_n(state)
        best = {action for action, result in results.items() if result[seat] == value[seat]}
        searcher = make(f"{bot}:iterations={400 if cards_left == 2 else 3000}", state.game)
        assert answer(searcher, state, seed) in best, (state.position_string(), results)
        matters += len(best) < len(results)
    assert matters > number // 60


def test_the_only_action_is_not_searched() -> None:
    game = MINI["kronions of two"]
    state = next(state for state in all_states(game) if len(state.legal_actions()) == 1)
    for kind in SEARCHES:
        bot, rng = make(kind, game), new_rng(7)
        assert choose(game.rules, state.view(state.current_player()).record, bot.settings[0], rng, bot.room) in (
            state.legal_actions()
        )
        assert bot.room
        assert bot.room.counts[0].iterations == 0
        assert rng.tolist() == new_rng(7).tolist()


def all_states(game: Game) -> Iterator[State]:
    for seed in range(20):
        state = game.new_initial_state(seed=seed)
        while not state.is_terminal():
            yield state.clone()
            state.apply_action(state.legal_actions()[0])


# Trees


def test_golden_tree() -> None:
    remedy = f"If the change is meant, run `{COMMAND}`, read the difference and commit it."
    written = FILE.read_text(encoding="utf-8").split("\n")
    found = list(golden_lines())
    first = next((i for i, pair in enumerate(zip(found, written, strict=False)) if pair[0] != pair[1]), None)
    assert first is None, f"line {first + 1} is {found[first]!r}, was {written[first]!r}. {remedy}"
    assert len(found) == len(written), remedy


def test_compiled_and_plain_python_grow_the_golden_tree(run_other_mode: Callable[[str], list[str]]) -> None:
    lines = run_other_mode("from tests.bots.golden_tree import golden_lines; print('\\n'.join(golden_lines()))")
    assert lines == FILE.read_text(encoding="utf-8").split("\n")


def children(bot: bots.Bot, place: int) -> list[int]:
    assert bot.room
    nodes: Any = bot.room.nodes
    found, child = [], int(nodes[place].first)
    while child:
        found.append(child)
        child = int(nodes[child].next)
    return found


def tree_of(bot: bots.Bot, root: int) -> list[tuple[Any, ...]]:
    """Labels from the root, seat, visits and value of every node."""
    assert bot.room
    found, open_nodes = [], [(root, ())]
    while open_nodes:
        place, path = open_nodes.pop()
        node = bot.room.nodes[place]
        found.append((path, int(node.seat), int(node.visits), float(node.value)))
        open_nodes += [(child, (*path, int(bot.room.nodes[child].label))) for child in children(bot, place)]
    return sorted(found)


def test_moismcts_plays_exactly_like_ismcts_where_all_moves_are_public() -> None:
    for game in (GAMES["kronions"], make_game("kronions", num_players=5, only_round=6)):
        for seed, state in enumerate(decisions(game, 2)):
            one, many = (make(f"{kind}:iterations=150", game) for kind in ("ismcts", "moismcts"))
            assert answer(one, state, seed) == answer(many, state, seed)
            assert tree_of(one, 0) == tree_of(many, state.current_player())


@every_game
@pytest.mark.parametrize("kind", ["ismcts", "moismcts"])
def test_visits_add_up_and_nodes_suffice(name: str, kind: str) -> None:
    iterations, game = ITERATIONS[name], GAMES[name]
    bot = make(f"{kind}:iterations={iterations}", game)
    assert bot.room
    num_trees = game.num_players if kind == "moismcts" else 1
    for seed, state in enumerate(samples(name, 3)):
        answer(bot, state, seed)
        if bot.room.counts[0].arms:
            continue
        seat = state.current_player()
        assert bot.room.counts[0].iterations == iterations
        assert bot.room.counts[0].nodes <= (iterations + 1) * num_trees
        for tree in range(num_trees):
            assert bot.room.nodes[tree].visits == iterations
        root = int(root_of(bot.settings[0], seat))
        assert sum(int(bot.room.nodes[child].visits) for child in children(bot, root)) == iterations
        for place in range(int(bot.room.counts[0].nodes)):
            check_node(bot, place, root)


def check_node(bot: bots.Bot, place: int, root: int) -> None:
    """Visits of a node against those of its children: one iteration at most ended there for want of a child."""
    assert bot.room
    nodes: Any = bot.room.nodes
    below = children(bot, place)
    assert sum(int(nodes[child].visits) for child in below) <= nodes[place].visits
    labels = [int(nodes[child].label) for child in below]
    assert len(set(labels)) == len(labels)
    for child in below:
        if place == root:
            assert nodes[child].available >= nodes[child].visits >= 1
        assert (nodes[child].label & REVEAL != 0) == (nodes[child].seat == -1)


def test_a_node_is_small() -> None:
    assert NODE.itemsize <= 32


# The same everywhere, and nothing hidden is used


@every_game
@pytest.mark.parametrize("settings", ["mc", "ismcts", "moismcts", "ismcts:belief=bids", "mc:belief=bids"])
def test_no_leak_and_the_same_again(name: str, settings: str) -> None:
    if "bids" in settings and not GAMES[name].has_bids:
        return
    colon = "," if ":" in settings else ":"
    bot = make(f"{settings}{colon}iterations={ITERATIONS[name]}", GAMES[name])
    changed = 0
    for seed, state in enumerate(samples(name, 3)):
        seat = state.current_player()
        found = answer(bot, state, seed)
        assert found in state.legal_actions()
        assert answer(bot, state.view(seat), seed) == found
        for world in range(3):
            other = state.resample_from_infostate(seat, world)
            changed += other.position_string() != state.position_string()
            assert answer(bot, other, seed) == found, (state.position_string(), other.position_string())
    assert changed > 10


# All settings


@every_game
@pytest.mark.parametrize("kind", SEARCHES)
def test_all_settings_run_and_answer_legally(name: str, kind: str) -> None:
    states = samples(name, 1)
    names = ("utility", "horizon", "rollout", "belief", "sensible")
    for i, values in enumerate(product(*(bots.BOT_KINDS[kind].keys[key].names for key in names))):
        if "bids" in values and not GAMES[name].has_bids:
            continue
        settings = ",".join(f"{key}={value}" for key, value in zip(names, values, strict=True))
        bot = make(f"{kind}:iterations=10,{settings}", GAMES[name])
        state = states[i % len(states)]
        assert answer(bot, state, i) in state.legal_actions(), settings


@every_game
@pytest.mark.parametrize("kind", SEARCHES)
def test_few_iterations_and_short_times(name: str, kind: str) -> None:
    for iterations in (1, 2, 3):
        bot = make(f"{kind}:iterations={iterations}", GAMES[name])
        for seed, state in enumerate(samples(name, 2)):
            assert answer(bot, state, seed) in state.legal_actions()
    bot = make(f"{kind}:time_ms=20", GAMES[name])
    assert bot.room
    for seed, state in enumerate(samples(name, 1)):
        start = time.perf_counter()
        assert answer(bot, state, seed) in state.legal_actions()
        assert time.perf_counter() - start < 5
        assert bot.room.counts[0].iterations > 0


def test_results_far_below_the_first_ones_still_have_a_best_child() -> None:
    """Values are scaled by the range of the first results and may lie far outside; -8 is -4.5 here."""
    room = make("ismcts:iterations=10", MINI["kronions of two"]).room
    assert room
    room.low[1], room.high[1] = 1.0, 3.0
    for place, (label, value) in enumerate([(7, -8.0), (9, -8.5)], start=1):
        node = room.nodes[place]
        node.label, node.value, node.visits, node.available = label, value, 1, 2
        node.next = place + 1 if place == 1 else 0
    labels = np.uint64(1 << 7 | 1 << 9)
    assert _highest_bound(room, 1, labels, 1, 0.7) == 7
    assert _highest_bound(room, 1, np.uint64(1 << 9), 1, 0.7) == 9
