"""`State.resample_from_infostate`: worlds that a seat cannot tell from the true one, from a state or from its view."""

from __future__ import annotations

import random
from importlib.metadata import entry_points
from typing import Any

import numpy as np
import pytest

from cardkit.game import Game
from cardkit.state import State

CLASSES: dict[str, type[Game]] = {point.name: point.load() for point in sorted(entry_points(group="hiddenhand.games"))}
OPTIONS: dict[str, dict[str, Any]] = {"kronions": {"only_round": 10}, "truf": {"max_hands": 1}}  # soon over
every_game = pytest.mark.parametrize("name", CLASSES)


def content(state: State) -> bytes:
    """All fields of a state's record, without the gaps between them."""
    record = state.record
    return b"".join(np.asarray(record[field]).tobytes() for field in record.dtype.names)


def positions(name: str, number: int = 3) -> list[State]:
    """Positions in the first half of random games."""
    found = []
    for seed in range(number):
        state, choices = CLASSES[name](**OPTIONS.get(name, {})).new_initial_state(seed=seed), random.Random(seed)
        for _ in range(10 * seed):
            state.apply_action(choices.choice(state.legal_actions()))
        found.append(state)
    return found


@every_game
def test_a_seed_gives_one_world_and_others_give_others(name: str) -> None:
    for state in positions(name):
        for seat in range(state.game.num_players):
            worlds = [content(state.resample_from_infostate(seat, seed)) for seed in range(8)]
            assert worlds == [content(state.resample_from_infostate(seat, seed)) for seed in range(8)]
            assert len(set(worlds)) == 8
            assert content(state) not in worlds


@every_game
def test_a_view_gives_the_worlds_of_its_state(name: str) -> None:
    for state in positions(name):
        for seat in range(state.game.num_players):
            before, view = content(state), state.view(seat)
            shown = content(view)
            for seed in (0, 7, 2**64 - 1):
                ours, theirs = (one.resample_from_infostate(seat, seed) for one in (state, view))
                assert content(ours) == content(theirs)
                assert ours.serialize() == theirs.serialize()
                assert content(ours.view(seat)) == shown
            assert (content(state), content(view)) == (before, shown), "neither is changed"


@every_game
def test_a_world_is_a_full_state_with_the_history_of_its_seat(name: str) -> None:
    for state in positions(name):
        for seat in range(state.game.num_players):
            world = state.resample_from_infostate(seat, 5)
            assert (world.observer, world.seed, world.board, world.game) == (None, 5, 0, state.game)
            for other in range(state.game.num_players):
                assert world.history(other) == (state.history(seat) if other == seat else [])
            assert world.information_state_string(seat) == state.information_state_string(seat)
            world.history(seat).clear()
            assert world.history(seat) == state.history(seat)


@every_game
def test_a_world_can_be_played_to_its_end_and_its_seed_is_its_chance(name: str) -> None:
    for state in positions(name):
        seat, before, histories = state.current_player(), content(state), state.history(0)
        worlds = [state.resample_from_infostate(seat, 9) for _ in range(2)]
        choices = random.Random(1)
        while not worlds[0].is_terminal():
            action = choices.choice(worlds[0].legal_actions())
            for world in worlds:
                world.apply_action(action)
            assert content(worlds[0]) == content(worlds[1])
        assert worlds[0].returns() == worlds[1].returns()
        assert (content(state), state.history(0)) == (before, histories)


@every_game
def test_a_game_that_is_over_hides_nothing_that_was_dealt(name: str) -> None:
    state, choices = CLASSES[name](**OPTIONS.get(name, {})).new_initial_state(seed=3), random.Random(3)
    while not state.is_terminal():
        state.apply_action(choices.choice(state.legal_actions()))
    for seat in range(state.game.num_players):
        world = state.resample_from_infostate(seat, 4)
        assert world.is_terminal()
        assert world.returns() == state.returns()


@every_game
@pytest.mark.parametrize("seat", [-1, 100, 1.5, "0", [0], True])
def test_there_is_no_such_seat(name: str, seat: Any) -> None:
    state = CLASSES[name]().new_initial_state(seed=1)
    with pytest.raises(ValueError, match=r"seat .*: expected an integer 0\.\."):
        state.resample_from_infostate(seat, 1)


@every_game
@pytest.mark.parametrize("seed", [-1, 2**64, None, 1.5, "0"])
def test_there_is_no_such_seed(name: str, seed: Any) -> None:
    state = CLASSES[name]().new_initial_state(seed=1)
    with pytest.raises(ValueError, match=r"seed .*: expected an integer 0\.\."):
        state.resample_from_infostate(0, seed)


@every_game
def test_a_view_knows_nothing_of_other_seats(name: str) -> None:
    view = CLASSES[name]().new_initial_state(seed=1).view(1)
    with pytest.raises(ValueError, match="seat 0: this is the view of seat 1"):
        view.resample_from_infostate(0, 1)


def test_a_view_that_nothing_agrees_with_is_refused() -> None:
    game = CLASSES["kronions"](num_players=2, only_round=2, num_suits=1, num_ranks=5, num_paradox=0)
    state = game.new_initial_state(seed=1)
    state.record.voids[0] = state.record.voids[1] = 1  # nobody may hold the only suit
    with pytest.raises(ValueError, match="no hidden cards agree with what seat 0 sees"):
        state.resample_from_infostate(0, seed=1)
