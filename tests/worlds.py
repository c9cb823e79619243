"""What the tests of worlds share: positions, draws, and what every world must keep, in compiled loops.

`python -m tests.worlds GAME NUMBER` draws that many worlds of a game, counts those that are none, and takes the time.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from cardkit.batch import draw_chance, random_action
from cardkit.game import Game
from cardkit.jit import kernel
from cardkit.rng import RNG_WORDS, new_rng, uniform
from cardkit.verbs import OVER, apply, determinise, hide, likelihood, new_game, plan_worlds, policy, to_move
from cardkit.worlds import MAX_SLOTS, TOO_LARGE, Plan, Worlds, new_worlds
from tests.world_checks import WRONG

World = tuple[int, ...]
BLOCK = 1000  # worlds of one information set at a time
DRAWS_A_WORLD, FEWEST_DRAWS = 60, 2000  # fewer draws of two worlds would make p-values too coarse to add up
LEVEL = 1e-3

FORGOTTEN = {"hands_public": "hidden_after_gather"}
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {
    "kronions": [
        *({"num_players": players} for players in range(2, 7)),
        {"num_players": 3, "paradox_when_able_to_follow": "only_when_void", "paradox_flip": "redraw"},
        {"num_players": 5, "paradox_flip": "dealer_names", "future_led": "frees_trick", "hook": "off"},
        {"preset": "oh_hell", "num_players": 4},
    ],
    "truf": [
        {"max_hands": 2},
        {"preset": "classic", "max_hands": 2},
        {"facedown": "ruffs_only", "unlock": "any_discard", "direction": "alternate", "max_hands": 2},
        {"redeal": "pagat", "max_hands": 2},
        {"redeal": "pagat", "ranks": "2,3,K,A", "max_hands": 2},
        {"facedown": "none", "padding": "forbidden", "bid_cap": 13, "max_hands": 2},
    ],
    "kosmogonia": [
        {"key_limit": 99},
        {"key_limit": 99, **FORGOTTEN},
        {"num_players": 3, "mode": "tactics", "closed_shows_stack": "yes", "key_limit": 99},
        {"num_players": 3, "mode": "tactics", "key_limit": 99, **FORGOTTEN},
        {"preset": "variation2-destiny-hard", "key_limit": 99},
        {"preset": "variation2-tactics-easy", "closed_shows_stack": "yes", "key_limit": 99, **FORGOTTEN},
        {"preset": "tournament", "key_limit": 99},
        {"preset": "tournament-tactics", "tourn_discard": "may_hold_one", "key_limit": 99, **FORGOTTEN},
    ],
}


def words_of(records: Any) -> np.ndarray:
    """The memory of some records as words, `(records, words)` uint64: copies and compares fast."""
    return np.asarray(records).view(np.uint64).reshape(len(records), -1)


# Positions


@kernel
def _sample_positions(rules, states, words, board, is_policy, share, rng, chance_rng):
    """Fill the records from 1 on with a share of the decisions of games, which record 0 plays, and with their ends."""
    filled = 1
    while True:
        new_game(rules, states[0])
        while True:
            draw_chance(rules, states[0], np.uint64(17), board, chance_rng)
            is_over = to_move(rules, states[0]) == OVER
            if is_over or uniform(rng) < share:
                for k in range(words.shape[1]):
                    words[filled, k] = words[0, k]
                filled += 1
                if filled == words.shape[0]:
                    return
            if is_over:
                break
            is_sensible = is_policy and uniform(rng) < 0.9
            action = policy(rules, states[0], rng) if is_sensible else random_action(rules, states[0], rng)
            apply(rules, states[0], action)
        board += np.uint64(1)


def sample_positions(game: Game, number: int, is_policy: bool, share: float = 0.1) -> Any:
    """Random positions, records of full states; of play by the policy nine decisions in ten are its own."""
    records = game.new_records(number + 1)
    rng, chance_rng = new_rng(number), np.zeros(RNG_WORDS, np.uint64)
    _sample_positions(game.rules, records, words_of(records), np.uint64(0), is_policy, share, rng, chance_rng)
    return records[1:]


# Draws


@kernel
def draw_many(rules, states, words, seat, worlds, rng, number):
    """Fill the records 1 to `number` with worlds of the view in record 0. Modified in place: all but `seat`."""
    for i in range(1, number + 1):
        for k in range(words.shape[1]):
            words[i, k] = words[0, k]
        determinise(rules, states[i], seat, worlds, rng)


@kernel
def count_other_views(rules, states, words, seat, number):
    """Hide the records 1 to `number` again; returns how many differ from the view in record 0."""
    others = 0
    for i in range(1, number + 1):
        hide(rules, states[i], seat)
        for k in range(words.shape[1]):
            if words[i, k] != words[0, k]:
                others += 1
                break
    return others


@kernel
def weigh_many(rules, states, seat, number, out):
    """Fill `out` with the likelihoods of the records 1 to `number`; returns their sum."""
    total = 0.0
    for i in range(number):
        out[i] = likelihood(rules, states[i + 1], seat)
        total += out[i]
    return total


class Sampler:
    """Worlds of one information set after the other, in records that are used again.

    Attributes:
        records: the view, then the worlds that were drawn last.
    """

    def __init__(self, game: Game, size: int = BLOCK, seed: int = 1) -> None:
        self.game, self.seat, self.worlds, self.rng = game, 0, new_worlds(), new_rng(seed)
        self.records: Any = game.new_records(size + 1)
        self.words = words_of(self.records)

    def ask(self, record: Any, seat: int) -> float:
        """Look at a full state with the eyes of a seat; returns the number of worlds."""
        self.seat = seat
        self.records[0] = record
        hide(self.game.rules, self.records[0], seat)
        number = float(plan_worlds(self.game.rules, self.records[0], seat, self.worlds))
        assert number not in (0.0, TOO_LARGE), f"seat {seat} believes in {number} worlds of {record}"
        return number

    def draw(self, number: int) -> Any:
        """So many worlds, records that the next call overwrites."""
        draw_many(self.game.rules, self.records, self.words, self.seat, self.worlds, self.rng, number)
        return self.records[1 : number + 1]

    def count(self, number: int, fields: tuple[str, ...]) -> Counter[World]:
        """How often each world comes in so many draws, by some fields."""
        counts: Counter[World] = Counter()
        while number > 0:
            block = self.draw(min(number, len(self.records) - 1))
            columns = [np.asarray(block[field], np.uint64).reshape(len(block), -1) for field in fields]
            for row, times in zip(*np.unique(np.hstack(columns), axis=0, return_counts=True), strict=True):
                counts[tuple(row.tolist())] += int(times)
            number -= len(block)
        return counts

    def weigh(self, number: int) -> np.ndarray:
        """The likelihoods of the worlds that were drawn last, `(number,)`."""
        out = np.zeros(number)
        weigh_many(self.game.rules, self.records, self.seat, number, out)
        return out

    def count_wrong(self, number: int) -> int:
        """How many of the worlds that were drawn last are none; they are hidden afterwards."""
        wrong = int(WRONG[self.game.name](self.game.rules, self.records, self.seat, number))
        return wrong + int(count_other_views(self.game.rules, self.records, self.words, self.seat, number))


# Information sets


class InfoSet(NamedTuple):
    """A position, who looks, and all worlds."""

    position: Any
    seat: int
    worlds: Counter[World]
    num_deals: int  # in how many ways the unseen cards can lie, whatever has been shown


class Lister(NamedTuple):
    """How the information sets of a game are found.

    Attributes:
        positions: of a set of options and a board.
        num_deals: of a position and a seat.
        worlds: of a set of options, a position and a seat.
    """

    positions: Callable[[str, int], Iterable[Any]]
    num_deals: Callable[[Any, int], int]
    worlds: Callable[[str, Any, int], Counter[World]]


def info_sets(lister: Lister, names: list[str], number: int, most_deals: int) -> Iterator[InfoSet]:
    """So many information sets of each of some options that can be listed and have more than one world."""
    for name in names:
        found, board, choices = 0, 0, random.Random(name)
        while found < number:
            of_board = 0
            for position in lister.positions(name, board):
                seat = choices.randrange(position.state.game.num_players)
                num_deals = lister.num_deals(position, seat)
                if of_board == 3 or found == number or not 1 < num_deals <= most_deals or choices.random() < 0.6:
                    continue
                worlds = lister.worlds(name, position, seat)
                if len(worlds) > 1:
                    found, of_board = found + 1, of_board + 1
                    yield InfoSet(position, seat, worlds, num_deals)
            board += 1


def deals(cards: tuple[int, ...], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to take hands of these sizes from different things; the rest stays where it is."""
    if not sizes:
        yield []
        return
    for hand in itertools.combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in hand)
        yield from ([hand, *others] for others in deals(rest, sizes[1:]))


def check_view_alone(game: Game, positions: Iterable[Any]) -> None:
    """In every world of a seat the plan is the same, and so are the worlds that one stream draws from it."""
    choices, ours, theirs = random.Random(1), Sampler(game, 3), Sampler(game, 3)
    for position in positions:
        seat = choices.randrange(game.num_players)
        number = ours.ask(position.state.record, seat)
        world = ours.draw(1)[0].copy()
        assert theirs.ask(world, seat) == number
        ours.rng[:] = theirs.rng[:] = np.array([3, 5], np.uint64)
        assert ours.draw(3).tobytes() == theirs.draw(3).tobytes()
        assert ours.rng.tolist() == theirs.rng.tolist()
        assert (ours.rng.tolist() != [3, 5]) == (number > 1)


# Are they alike?


def p_value(counts: Counter[World], listed: Counter[World]) -> float:
    """The chi-square test of draws against the number of physical worlds that each listed world stands for."""
    drawn, total = counts.total(), listed.total()
    assert set(counts) <= set(listed), f"no such world: {set(counts) - set(listed)}"
    assert set(counts) == set(listed), f"worlds that never come: {set(listed) - set(counts)}"
    worlds = sorted(listed)
    expected = [drawn * listed[world] / total for world in worlds]
    return float(stats.chisquare([counts[world] for world in worlds], expected).pvalue)


def num_draws(listed: Counter[World]) -> int:
    """How often to draw for the chi-square test."""
    return max(FEWEST_DRAWS, DRAWS_A_WORLD * listed.total())


def are_uniform(values: list[float]) -> bool:
    """Bonferroni's correction, where the smallest of n p-values counts n-fold, and that they are spread evenly."""
    return min(values) * len(values) > LEVEL and float(stats.kstest(values, "uniform").pvalue) > LEVEL


class SlotBySlot(Sampler):
    """Wrong on purpose: the slots take random cards that they may hold one after the other; dead ends start again."""

    def __init__(self, game: Game, beliefs: ModuleType, patch: pytest.MonkeyPatch) -> None:
        super().__init__(game)
        self.choices = random.Random(1)
        patch.setattr(beliefs, "draw_world", self.deal)
        for name, found in list(vars(beliefs).items()):
            if name.startswith("_") and hasattr(found, "py_func"):
                patch.setattr(beliefs, name, found.py_func)  # they would call the real one
        self.determinise = getattr(beliefs.determinise, "py_func", beliefs.determinise)

    def ask(self, record: Any, seat: int) -> float:
        """As ever, without classes of an earlier information set."""
        self.worlds.cards[:] = 0
        return super().ask(record, seat)

    def draw(self, number: int) -> Any:
        """So many worlds of the wrong distribution, slowly."""
        for i in range(1, number + 1):
            self.words[i] = self.words[0]
            self.determinise(self.game.rules, self.records[i], self.seat, self.worlds, self.rng)
        return self.records[1 : number + 1]

    def deal(self, plan: Plan, rng: Any, out: Any) -> None:
        """Take the place of `draw_world`."""
        while not self._deal_once(self.worlds, out):
            pass

    def _deal_once(self, worlds: Worlds, out: Any) -> bool:
        taken = 0
        for slot in range(MAX_SLOTS):
            classes = zip(worlds.cards.tolist(), worlds.slots.tolist(), strict=True)
            able = sum(cards for cards, slots in classes if slots >> slot & 1) & ~taken
            cards = [1 << card for card in range(64) if able >> card & 1]
            if self._size(slot) > len(cards):
                return False
            out[slot] = sum(self.choices.sample(cards, self._size(slot)))
            taken |= int(out[slot])
        return True

    def _size(self, slot: int) -> int:
        return int(self.worlds.sizes[slot])


# Many


def games(name: str) -> list[Game]:
    """A game under its configurations."""
    (point,) = entry_points(group="hiddenhand.games", name=name)
    return [point.load()(**options) for options in CONFIGURATIONS[name]]


def information_sets(game: Game, number: int) -> Iterator[tuple[Any, int]]:
    """So many positions of random and of heuristic play in turn, and the seats in turn."""
    halves = [sample_positions(game, -(-number // 2), is_policy) for is_policy in (False, True)]
    for i in range(number):
        yield halves[i % 2][i // 2], i // 2 % game.num_players


def count_illegal(name: str, number: int) -> tuple[int, int, Counter[str]]:
    """Draw at least so many worlds of a game; returns those drawn, those that are none, and the phases met."""
    drawn = illegal = 0
    phases: Counter[str] = Counter()
    for game in games(name):
        sampler = Sampler(game)
        for record, seat in information_sets(game, -(-number // (BLOCK * len(CONFIGURATIONS[name])))):
            sampler.ask(record, seat)
            sampler.draw(BLOCK)
            illegal += sampler.count_wrong(BLOCK)
            drawn += BLOCK
            phases[game.phases[record.phase]] += 1
    return drawn, illegal, phases


def main(name: str, number: int) -> None:
    """Write how many worlds were drawn and how many of them are none."""
    start = time.perf_counter()
    drawn, illegal, phases = count_illegal(name, number)
    seconds = time.perf_counter() - start
    sys.stdout.write(f"{name}: {drawn} worlds, {illegal} illegal, {seconds:.1f} s, {dict(phases)}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
