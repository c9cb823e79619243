"""Worlds of Kosmogonia by the million: all are as the rules allow, and the check sees those that are not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kosmogonia import Game
from kosmogonia.state import EQUIP, NOTHING, UNKNOWN
from tests.world_checks import kosmogonia_wrong
from tests.worlds import Sampler, count_illegal, count_other_views, information_sets

Spoil = Callable[[Game, Any, Any, int, random.Random], bool]
FORGOTTEN = {"hands_public": "hidden_after_gather"}
PHASES = ("draft", "challenge_card", "challenge_orient", "deploy_card", "deploy_place", "deploy_orient", "use", "equip",
          "over")  # fmt: skip
DRAWS = 20  # worlds of an information set


@pytest.mark.parametrize("number", [400_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_all_worlds_are_legal(number: int) -> None:
    drawn, illegal, phases = count_illegal("kosmogonia", number)
    assert (drawn >= number, illegal) == (True, 0)
    assert min(phases[phase] for phase in PHASES) > 0


# Worlds spoilt where a view shows nothing; each function says whether it has done so


def champions_of(cards: int) -> list[int]:
    return [card for card in range(48) if int(cards) >> card & 1]


def closed_on_olympus(game: Game, view: Any, seat: int) -> Iterator[tuple[int, int, int]]:
    """Owner, place and moment of the champions that others have sent closed."""
    rounds = {"standard": (0, 1, 2), "variation": (0, 1, 1), "tournament": (0, 0, 0)}[game.option_values()["variant"]]
    for other in range(game.num_players):
        for i in range(3):
            if other != seat and view.olympus[other, i] >= UNKNOWN:
                yield other, i, 1 + 2 * rounds[i]


def send(world: Any, other: int, i: int, card: int) -> None:
    """Exchange a champion on Olympus with one in hand. Modified in place: `world`."""
    world.hands[other] ^= 1 << card | 1 << int(world.olympus[other, i])
    world.olympus[other, i] = card


def send_too_late(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """A champion on Olympus that its seat did not have yet."""
    for other, i, moment in closed_on_olympus(game, view, seat):
        late = [card for card in champions_of(world.hands[other]) if world.since[card] > moment]
        if late:
            send(world, other, i, choices.choice(late))
            return True
    return False


def send_no_god(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """A full team without a god."""
    for other, i, moment in closed_on_olympus(game, view, seat):
        is_only_god = sorted(card < 12 for card in world.olympus[other].tolist()) == [False, False, True]
        if is_only_god and 0 <= world.olympus[other, i] < 12 and min(world.olympus[other]) >= 0:
            mortal = [c for c in champions_of(world.hands[other]) if c >= 12 and world.since[c] <= moment]
            if mortal:
                send(world, other, i, choices.choice(mortal))
                return True
    return False


def deploy_what_is_no_champion_then(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """A closed card at a quest that was stolen later, or is no champion."""
    now = 1 + 2 * int(world.round_number)
    for side in range(8):
        other, covered = int(world.owners[side]), champions_of(int(world.lineups[side]) & int(world.closed))
        if other in (-1, seat) or not covered:
            continue
        hand = int(world.hands[other])
        wrong = [c for c in range(60) if hand >> c & 1 and (c >= 48 or world.since[c] > now)]
        if wrong:
            card = choices.choice(wrong)
            world.hands[other] ^= 1 << card | 1 << covered[0]
            world.lineups[side] ^= 1 << card | 1 << covered[0]
            world.closed ^= 1 << card | 1 << covered[0]
            return True
    return False


def equip_twice(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """A treasure that two champions have, or one that is in another vault."""
    if view.phase != EQUIP:
        return False
    for other in range(game.num_players):
        secret = [i for i in range(3) if other != seat and world.equipped[other, i] != -1]
        held = [i for i in range(18) if int(world.vaults[other]) >> i & 1]
        foreign = [i for i in range(NOTHING) if i not in held]
        if secret:
            i = choices.choice(secret)
            elsewhere = [int(t) for j, t in enumerate(world.equipped[other]) if j != i and 0 <= t < NOTHING]
            world.equipped[other, i] = choices.choice(elsewhere or foreign)
            return True
    return False


def stack_twice(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """A card that lies in a stack and elsewhere."""
    if world.opened >= 12:
        return False
    place = 12 * choices.randrange(5) + choices.randrange(int(world.opened), 12)
    others = [card for card in range(place // 12 * 12, place // 12 * 12 + 12) if card != world.stacks[place]]
    world.stacks[place] = choices.choice(others)
    return True


def gather_too_many(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """More champions from a round than were gathered in it."""
    for other in range(game.num_players):
        for stack in range(4):
            hand = int(world.hands[other]) & ~int(view.hands[other]) & 4095 << 12 * stack
            if other != seat and world.round_number and hand.bit_count() > 1:
                for card in champions_of(hand):
                    world.since[card] = 1 + 2 * world.round_number
                return True
    return False


def exchange_closed(game: Game, view: Any, world: Any, seat: int, choices: random.Random) -> bool:
    """Closed champions on Olympus that two seats have exchanged."""
    places = list(closed_on_olympus(game, view, seat))
    pairs = [(a, b) for a in places for b in places if a[0] < b[0]]
    if not pairs:
        return False
    (one, i, _), (other, j, _) = choices.choice(pairs)
    first, second = int(world.olympus[one, i]), int(world.olympus[other, j])
    world.olympus[one, i], world.olympus[other, j] = second, first
    return bool(first // 12 != second // 12 or game.option_values()["hands_public"] == "recall")


SPOILT: dict[str, tuple[Spoil, dict[str, Any]]] = {
    "sent too late": (send_too_late, {}),
    "sent too late, forgotten": (send_too_late, FORGOTTEN),
    "no god": (send_no_god, {}),
    "no god, forgotten": (send_no_god, {"preset": "tournament", **FORGOTTEN}),
    "no champion then": (deploy_what_is_no_champion_then, {"num_players": 3}),
    "equipped twice": (equip_twice, {"num_players": 2}),
    "a card twice": (stack_twice, {"num_players": 2, "mode": "tactics"}),
    "too many of a round": (gather_too_many, FORGOTTEN),
    "exchanged": (exchange_closed, {}),
}


@pytest.mark.parametrize("what", SPOILT)
def test_worlds_that_are_none_are_noticed(what: str) -> None:
    """Exactly those that were spoilt; most of them look to the seat as the game does."""
    spoil, options = SPOILT[what]
    game = Game(key_limit=99, **options)
    sampler, choices, spoilt, unlike = Sampler(game, DRAWS), random.Random(1), 0, 0
    for record, seat in information_sets(game, 600):
        sampler.ask(record, seat)
        worlds, view = sampler.draw(DRAWS), sampler.records[0]
        assert kosmogonia_wrong(game.rules, sampler.records, seat, DRAWS) == 0
        wrong = sum(spoil(game, view, world, seat, choices) for world in worlds)
        assert kosmogonia_wrong(game.rules, sampler.records, seat, DRAWS) == wrong
        unlike += count_other_views(game.rules, sampler.records, sampler.words, seat, DRAWS)
        spoilt += wrong
    assert spoilt > 100
    assert unlike == 0 or what == "exchanged"
