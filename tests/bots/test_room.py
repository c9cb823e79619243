"""What a search answers does not depend on what its room was used for before."""

from __future__ import annotations

import random
from typing import Any

import pytest

import bots
from bots.room import new_room
from bots.settings import MOISMCTS
from cardkit.state import State
from tests.bots.test_search import GAMES, ITERATIONS, SEARCHES, every_game, make, samples, tree_of


def all_found(bot: bots.Bot, state: State, seed: int) -> tuple[Any, ...]:
    """What a bot answers and counts, and all its trees."""
    found = bots.thoughts(bot, state, seed)
    assert bot.room
    num_trees = bot.game.num_players if bot.settings[0].kind == MOISMCTS else 1
    trees = [tree_of(bot, tree) for tree in range(num_trees if bot.room.counts[0].nodes else 0)]
    return found, trees


@every_game
@pytest.mark.parametrize("more", ["", "belief=bids,utility=win", "rollout=random,sensible=off"])
def test_a_used_room_gives_what_a_fresh_one_gives(name: str, more: str) -> None:
    """All searches share a room, as in a match; every position comes up twice, in any order, with the same stream."""
    game, choices = GAMES[name], random.Random(1)
    if not game.has_bids:
        more = more.replace("belief=bids,", "")
    texts = [f"{kind}:iterations={ITERATIONS[name]}{more and ','}{more}" for kind in SEARCHES]
    cases = [(text, state, seed) for text in texts for seed, state in enumerate(samples(name, 2))]
    fresh = [all_found(make(text, game), state, seed) for text, state, seed in cases]
    searchers = {text: make(text, game) for text in texts}
    room = new_room(game, [bot.settings[0] for bot in searchers.values()])
    for bot in searchers.values():
        bot.room = room
    for i in choices.sample(2 * list(range(len(cases))), 2 * len(cases)):
        text, state, seed = cases[i]
        assert all_found(searchers[text], state, seed) == fresh[i], (text, state.position_string())
