"""The sensible actions: never none, legal, what a seat can know, the policy's choice among them, and nothing lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cardkit.rng import chance_stream, new_rng
from cardkit.state import State
from cardkit.verbs import CHANCE, apply, chance, chance_event, hide, legal_mask, policy, sensible_mask, to_move
from kosmogonia import Game
from kosmogonia.state import BEATEN, DUEL, END_PERMUTATION, LEFT_WINS, NOTHING, PASS, RIGHT_WINS, TIED, USE
from tests.endings import actions_of

OPEN_LIMIT = {"key_limit": 99}
GAMES: dict[str, dict[str, Any]] = {
    "standard": {"preset": "standard", **OPEN_LIMIT},
    "standard_hard": {"preset": "standard-tactics-hard", "hands_public": "hidden_after_gather", "sym6_persists": "yes",
                      "sym8_scope": "number", "double_includes_items": "yes", **OPEN_LIMIT},
    "variation3": {"preset": "variation3-destiny-medium", "closed_shows_stack": "yes", "count_sym6_chain": "no",
                   **OPEN_LIMIT},
    "variation2": {"preset": "variation2-tactics-easy", "hands_public": "hidden_after_gather",
                   "allow_null_symbols": "yes", "lone_hunts": "no", **OPEN_LIMIT},
    "tournament": {"preset": "tournament", "banner_limit": 4, "tourn_discard": "may_hold_one", **OPEN_LIMIT},
}  # fmt: skip
every_game = pytest.mark.parametrize("options", GAMES.values(), ids=GAMES)
FREE = (USE, END_PERMUTATION)  # the policy's choice may be one that is cut


def walk(game: Game, seed: int, is_policy: bool) -> Iterator[State]:
    """The decisions of a random game, or of one by the policy with some random choices; the same object throughout.

    Random choices seldom pass, so that hands of symbols meet.
    """
    state, choices, rng = game.new_initial_state(seed=seed), random.Random(seed), new_rng(seed)
    while not state.is_terminal():
        yield state
        legal = state.legal_actions()
        if not is_policy or choices.random() < 0.15:
            busy = [action for action in legal if action != PASS or state.phase() != "use"]
            state.apply_action(choices.choice(busy if busy and choices.random() < 0.7 else legal))
        else:
            state.apply_action(int(policy(game.rules, state.record, rng)))


def play_encounter(game: Game, record: Any) -> int:
    """Play on by the policy until the encounter has a result, and return it."""
    rng, draws = new_rng(1), new_rng(2)
    while record.result == 0:
        if to_move(game.rules, record) == CHANCE:
            chance_stream(draws, np.uint64(7), np.uint64(0), chance_event(game.rules, record))
            chance(game.rules, record, draws)
        else:
            apply(game.rules, record, policy(game.rules, record, rng))
    return int(record.result)


def is_out_of_order(state: State, chosen: int) -> bool:
    """Whether a treasure comes before one that the seat, by a random choice, has equipped already."""
    return state.phase() == "equip" and chosen < max(state.record.equipped[state.current_player()])


@every_game
def test_sensible_actions_are_legal_known_to_the_seat_and_hold_the_policys_choice(options: dict[str, Any]) -> None:
    """Where the policy does what changes nothing, the encounter ends as it does with an action that is kept."""
    game, rng = Game(**options), new_rng(1)
    records, phases = game.new_records(2), set()
    for seed in range(12):
        for state in walk(game, seed, is_policy=seed % 2 == 0):
            record, phase = state.record, int(state.record.phase)
            phases.add(phase)
            legal, mask = int(legal_mask(game.rules, record)), int(sensible_mask(game.rules, record))
            assert mask
            assert not mask & ~legal
            records[0] = record
            hide(game.rules, records[0], state.current_player())
            assert mask == int(sensible_mask(game.rules, records[0])), state
            chosen = int(policy(game.rules, record, rng))
            if mask >> chosen & 1 or is_out_of_order(state, chosen):
                continue
            assert phase in FREE, (state, chosen)
            results = []
            for action in (chosen, PASS if phase == USE else actions_of(mask)[0]):
                records[0] = record
                apply(game.rules, records[0], action)
                results.append(play_encounter(game, records[0]))
            assert results[0] == results[1], (state, chosen)
    assert USE in phases


def encounters(game: Game, seeds: int) -> Iterator[State]:
    """Decisions to use a symbol in a hunt, against Kronos, or after the other seat has passed, with some cut."""
    for seed in range(seeds):
        for state in walk(game, seed, is_policy=seed % 2 == 0):
            record = state.record
            is_alone = record.fight != DUEL or int(record.passed) >> (1 - int(record.corner)) & 1
            mask = int(sensible_mask(game.rules, record))
            if state.phase() == "use" and is_alone and mask != int(legal_mask(game.rules, record)):
                yield state


class Solver:
    """The best result of an encounter that one seat can reach alone, over all its choices; chance helps it."""

    def __init__(self, game: Game) -> None:
        """Room for one path."""
        self.rules, self.records, self.rng = game.rules, game.new_records(30), new_rng(1)

    def best(self, depth: int, seat: int, is_sensible: bool) -> int:
        """2 for a win, 1 for a tie, 0 for a loss."""
        record = self.records[depth]
        if record.result != 0:
            winner = {LEFT_WINS: 0, RIGHT_WINS: 1}.get(int(record.result))
            return 1 if record.result == TIED else int(self.corner == winner or record.result == BEATEN) * 2
        mover = int(to_move(self.rules, record))
        if mover == CHANCE:
            found = 0
            for draw in range(4):
                self.records[depth + 1] = self.records[depth]
                chance_stream(self.rng, np.uint64(draw), np.uint64(0), chance_event(self.rules, record))
                chance(self.rules, self.records[depth + 1], self.rng)
                found = max(found, self.best(depth + 1, seat, is_sensible))
            return found
        mask = sensible_mask(self.rules, record) if is_sensible else legal_mask(self.rules, record)
        results = []
        for action in actions_of(mask):
            self.records[depth + 1] = self.records[depth]
            apply(self.rules, self.records[depth + 1], action)
            results.append(self.best(depth + 1, seat, is_sensible))
            if results[-1] == (2 if mover == seat else 0):
                break
        return max(results) if mover == seat else min(results)

    def solve(self, state: State, is_sensible: bool) -> int:
        """The best result for the seat to move."""
        self.records[0], self.corner = state.record, int(state.record.corner)
        return self.best(0, state.current_player(), is_sensible)


@pytest.mark.parametrize("name", ["standard", "variation2", "tournament"])
def test_what_is_cut_never_wins_an_encounter_that_the_rest_does_not(name: str) -> None:
    """Hunts, fights with Kronos and duels after the other seat's pass, solved with all choices and with those kept."""
    game = Game(**GAMES[name])
    solver, solved, results = Solver(game), 0, set[int]()
    for state in encounters(game, 40):
        if len(state.legal_actions()) > 7 or solved == 60:
            continue
        best = solver.solve(state, is_sensible=False)
        assert best == solver.solve(state, is_sensible=True), state
        solved += 1
        results.add(best)
    assert solved > 20
    assert results >= {0, 2}


def test_copies_of_a_champion_are_one_choice_and_other_stacks_another() -> None:
    game = Game("variation2")
    cards = game.rules.cards.copy()
    cards[0].values[:] = 4
    rules = game.rules._replace(cards=cards)
    for state in walk(game, 1, is_policy=True):
        if state.phase() not in ("challenge_card", "deploy_card"):
            continue
        champions = [action for action in state.legal_actions() if action < 48]
        lowest = {card // 12: card for card in reversed(champions)}
        assert [card for card in actions_of(sensible_mask(rules, state.record)) if card < 48] == sorted(lowest.values())
        assert actions_of(sensible_mask(game.rules, state.record)) == state.legal_actions(), "no copies in this set"


def test_every_set_of_treasures_can_be_equipped_in_one_order() -> None:
    game, records, solved = Game(key_limit=99), Game(key_limit=99).new_records(4), 0

    def equipped(depth: int, seat: int, given: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(given) == 3:
            yield tuple(treasure for treasure in given if treasure != NOTHING)
            return
        for action in actions_of(sensible_mask(game.rules, records[depth])):
            records[depth + 1] = records[depth]
            apply(game.rules, records[depth + 1], action)
            yield from equipped(depth + 1, seat, (*given, action))

    for seed in range(10):
        for state in walk(game, seed, is_policy=True):
            seat = state.current_player()
            if state.phase() == "equip" and state.record.equipped[seat, 0] < 0:
                vault = [treasure for treasure in range(NOTHING) if int(state.record.vaults[seat]) >> treasure & 1]
                records[0] = state.record
                found = sorted(equipped(0, seat, ()))
                assert found == sorted(chosen for number in range(4) for chosen in combinations(vault, number))
                solved += len(vault) > 1
    assert solved
