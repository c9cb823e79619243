"""The chance to win: at most 1 together, more with keys, items and champions, less with Kronos', exact at the end."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import deal_value, deals_done, policy, returns, win_chance
from kosmogonia import Game
from kosmogonia.cards import TREASURES

GAMES: dict[str, dict[str, Any]] = {
    "standard": {"preset": "standard"},
    "hard": {"preset": "standard-tactics-hard", "hands_public": "hidden_after_gather", "key_limit": 99},
    "variation3": {"preset": "variation3-destiny-medium", "key_limit": 4},
    "variation2": {"preset": "variation2-tactics-easy"},
    "tournament": {"preset": "tournament"},
}
every_game = pytest.mark.parametrize("options", GAMES.values(), ids=GAMES)


def chances_of(game: Game, record: Any) -> list[float]:
    out = np.full(game.num_players, np.nan)
    win_chance(game.rules, record, out)
    return [float(chance) for chance in out]


def played(game: Game, seed: int, decisions: int) -> State:
    """A game by the policy after some decisions, or its end."""
    state, rng = game.new_initial_state(seed=seed), new_rng(1)
    while decisions and not state.is_terminal():
        state.apply_action(int(policy(game.rules, state.record, rng)))
        decisions -= 1
    return state


@every_game
def test_chances_are_shares_of_at_most_one_and_exact_at_the_end(options: dict[str, Any]) -> None:
    game, rng = Game(**options), new_rng(1)
    for seed in range(4):
        state = game.new_initial_state(seed=seed)
        start = chances_of(game, state.record)
        assert start == pytest.approx([start[0]] * game.num_players)
        while not state.is_terminal():
            for record in (state.record, state.view(state.current_player()).record):
                chances = chances_of(game, record)
                assert min(chances) > 0.0
                assert sum(chances) < 1.0
            state.apply_action(int(policy(game.rules, state.record, rng)))
        payoffs = np.zeros(game.num_players)
        returns(game.rules, state.record, payoffs)
        assert chances_of(game, state.record) == payoffs.tolist()


@every_game
def test_a_treasure_raises_the_chance_of_its_owner_and_lowers_all_where_kronos_has_it(options: dict[str, Any]) -> None:
    game, choices = Game(**options), random.Random(1)
    records = game.new_records(1)
    for seed in range(30):
        state = played(game, seed, choices.randrange(100))
        if state.is_terminal():
            continue
        records[0] = state.record
        record, before = records[0], chances_of(game, state.record)
        taken = int(record.treasury) | sum(int(vault) for vault in record.vaults)
        for treasure in (treasure for treasure in range(TREASURES) if not taken >> treasure & 1):
            seat = choices.randrange(game.num_players)
            record.vaults[seat] |= 1 << treasure
            assert chances_of(game, record)[seat] > before[seat]
            record.vaults[seat] = state.record.vaults[seat]
            record.treasury |= 1 << treasure
            assert sum(chances_of(game, record)) < sum(before)
            record.treasury = state.record.treasury


def test_equal_seats_have_equal_chances() -> None:
    game = Game()
    state = played(game, 3, 60)
    records = game.new_records(1)
    records[0] = state.record
    for field in (records[0].vaults, records[0].hands):
        field[1] = field[0]
    records[0].olympus[1] = records[0].olympus[0]
    chances = chances_of(game, records[0])
    assert chances[0] == chances[1]


@every_game
def test_a_round_is_worth_the_chance_above_an_equal_share(options: dict[str, Any]) -> None:
    game, rng = Game(**options), new_rng(1)
    for seed in range(4):
        state, done = game.new_initial_state(seed=seed), 0
        while not state.is_terminal():
            state.apply_action(int(policy(game.rules, state.record, rng)))
            if int(deals_done(game.rules, state.record)) > done:
                done = int(deals_done(game.rules, state.record))
                values = np.zeros(game.num_players)
                deal_value(game.rules, state.record, values)
                shares = [value + 1.0 / game.num_players for value in values]
                assert shares == pytest.approx(chances_of(game, state.record))
        assert done > 0
