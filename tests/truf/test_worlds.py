"""Worlds of Truf: every one replays, all of them come, equally often; judged by the reference engine.

The lists are right by definition: every way to deal the cards that a seat has not seen, with every card for each that
lies face down, is dealt to the reference engine, which plays the hand so far again or refuses it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from math import comb
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import policy
from cardkit.worlds import make_plan
from tests import worlds as driver
from tests.reference.truf import Reference, suit_of
from tests.truf import test_beliefs
from tests.truf.test_beliefs import (
    SMALL,
    Position,
    cards_of,
    content,
    current_trick,
    deck_of,
    lies_face_down,
    positions,
    seen_of,
)
from tests.worlds import InfoSet, Sampler, SlotBySlot, World, are_uniform, deals, num_draws, p_value
from truf import Game, beliefs
from truf.state import BID, DONE

Options = dict[str, Any]
MOST_DEALS = 400  # of an information set that is listed
KEY = ("hands", "played", "trick")
PRESETS: dict[str, Options] = {
    "classic": {"max_bid_cards": 1},
    "mini": {"num_suits": 2, "ranks": ["2", "Q", "K", "A"]},
}  # the reference engine knows no presets


def spelled_out(options: Options) -> Options:
    return PRESETS.get(options.get("preset", ""), {}) | {k: v for k, v in options.items() if k != "preset"}


OPTIONS: dict[str, Options] = {
    **{name: spelled_out(options) for name, options in test_beliefs.OPTIONS.items()},
    "pagat bids": {"ranks": ["2", "K"], "redeal": "pagat", "max_hands": 6},
    "pagat four": {"ranks": ["2", "10", "Q", "A"], "redeal": "pagat", "max_hands": 4},
    "capped": SMALL | {"ranks": ["2", "3", "J", "A"], "bid_cap": 4, "padding": "forbidden"},
}
LONG = ("standard", "classic")


# The reference engine as the judge


class Deal(NamedTuple):
    """Dealt hands as the record keeps them, and what each seat has face down in the trick."""

    hands: tuple[int, ...]
    covered: dict[int, int]


def replay(options: Options, position: Position, deal: Deal) -> Reference | None:
    """The reference engine after the actions of a position with another deal; None where it does not fit."""
    state, start = position.state, position.start.record
    reference = Reference(**options)
    reference.hand_number = int(start.hands_done)
    reference.totals = start.totals.tolist()
    size = int(state.record.trick_size)
    actions = list(position.actions)
    for i, (seat, _) in enumerate(current_trick(state)):
        actions[len(actions) - size + i] = deal.covered.get(seat, actions[len(actions) - size + i])
    try:
        reference.start_hand([sorted(cards_of(hand)) for hand in deal.hands])
        for action in actions:
            reference.apply(action)
    except ValueError:
        return None
    return reference


def seen_by(game: Reference, seat: int) -> tuple[Any, ...]:
    """What a seat sees of a hand after the reveal in the reference engine: its cards, and all that is public."""
    trick = [
        (player, "face down", suit_of(card)) if is_hidden and player != seat else (player, "open", card)
        for (player, card), is_hidden in zip(game.trick, game.face_down, strict=True)
    ]
    bids = game.laid, game.bids, game.final_bids, game.top_bidder, game.truf, game.mode
    table = game.phase(), game.to_move(), game.leader, trick, game.unlocked, game.voids, game.exposed
    return game.hands[seat], bids, table, game.sets, game.trick_winners, list(map(len, game.hands))


def is_world(options: Options, position: Position, seat: int, deal: Deal) -> bool:
    """Whether the hand could have gone as it went in this world, for all that the seat has seen."""
    truth = replay(options, position, Deal(tuple(map(int, position.state.record.hands)), {}))
    world = replay(options, position, deal)
    assert truth is not None
    return world is not None and seen_by(world, seat) == seen_by(truth, seat)


def is_deal(options: Options, position: Position, hands: World) -> bool:
    """Whether hands may be dealt."""
    return replay(options, position._replace(state=position.start, actions=()), Deal(hands, {})) is not None


# All worlds


class Known(NamedTuple):
    """What a seat can tell at once: the cards it has not seen, how many of them others have, and how many face down."""

    unseen: list[int]
    seen: dict[int, set[int]]
    sizes: dict[int, int]
    covered: list[int]

    def num_deals(self) -> int:
        """In how many ways the unseen cards can lie, whatever has been shown."""
        left, number = len(self.unseen), 1
        for other, size in self.sizes.items():
            number *= comb(left, size) * (size if other in self.covered else 1)
            left -= size
        return number


def known(state: State, seat: int) -> Known:
    record = state.record
    own, others = cards_of(record.hands[seat]), [other for other in range(4) if other != seat]
    if record.phase == BID:
        unseen = deck_of(state.game.rules) - own
        return Known(sorted(unseen), {other: set() for other in others}, dict.fromkeys(others, len(own)), [])
    parts = {other: seen_of(state, other) for other in others}
    unseen = deck_of(state.game.rules) - own
    for part in parts.values():
        unseen -= part.open_cards
    sizes = {other: part.held + part.covered for other, part in parts.items()}
    covered = [other for other, part in parts.items() if part.covered]
    return Known(sorted(unseen), {other: part.open_cards for other, part in parts.items()}, sizes, covered)


def record_of(state: State, deal: Deal) -> World:
    """The hands, the cards played and the trick of a world as the record keeps them."""
    played, trick = int(state.record.played), int(state.record.trick)
    for i, (seat, card) in enumerate(current_trick(state)):
        if seat in deal.covered:
            played &= ~(1 << card)
            trick ^= (card + 1) << 8 * i
    for i, (seat, _) in enumerate(current_trick(state)):
        if seat in deal.covered:
            played |= 1 << deal.covered[seat]
            trick |= (deal.covered[seat] + 1) << 8 * i
    return (*deal.hands, played, trick)


def list_worlds(options: Options, position: Position, seat: int) -> Counter[World]:
    """Every world as the record keeps it, each once."""
    state, about = position.state, known(position.state, seat)
    worlds: Counter[World] = Counter()
    for dealt in deals(tuple(about.unseen), list(about.sizes.values())):
        hands = [int(hand) for hand in state.record.hands]
        for other, cards in zip(about.sizes, dealt, strict=True):
            hands[other] = sum(1 << card for card in {*cards, *about.seen[other]})
        held = dict(zip(about.sizes, dealt, strict=True))
        for choice in itertools.product(*(held[other] for other in about.covered)):
            deal = Deal(tuple(hands), dict(zip(about.covered, choice, strict=True)))
            if state.record.phase == BID:
                worlds[record_of(state, deal)] += is_deal(options, position, deal.hands)
            else:
                worlds[record_of(state, deal)] += is_world(options, position, seat, deal)
    return +worlds


# Information sets


LISTER = driver.Lister(
    lambda name, board: positions(Game(**OPTIONS[name]), board, board % 2 == 1, 1.0),
    lambda position, seat: known(position.state, seat).num_deals(),
    lambda name, position, seat: list_worlds(OPTIONS[name], position, seat),
)


def info_sets(names: list[str], number: int, most_deals: int = MOST_DEALS) -> Iterator[InfoSet]:
    """So many information sets of each of some options."""
    return driver.info_sets(LISTER, names, number, most_deals)


def check_counts_and_draws(sets: Iterator[InfoSet], sampler_of: Any) -> tuple[list[float], Counter[str]]:
    """The p-values of the chi-square tests, and of what kind the information sets were."""
    values, kinds, samplers = [], Counter[str](), dict[Game, Sampler]()
    for position, seat, listed, num_deals in sets:
        state, game = position.state, position.state.game
        if game not in samplers:
            samplers[game] = sampler_of(game)
        sampler = samplers[game]
        number = sampler.ask(state.record, seat)
        is_pagat = game.option_values()["redeal"] == "pagat"
        assert number == listed.total() or (is_pagat and number > listed.total()), f"seat {seat} in {state!r}"
        values.append(p_value(sampler.count(num_draws(listed), KEY), listed))
        others = [other for other in range(4) if other != seat]
        kinds["sets"] += 1
        kinds["fewer"] += listed.total() < num_deals
        kinds["freaks"] += number > listed.total()
        kinds["voids"] += any(state.record.voids[other] for other in others)
        kinds["pinned"] += state.record.phase != BID and any(seen_of(state, other).pinned for other in others)
        kinds["covered"] += len(known(state, seat).covered) > 0
        kinds[state.phase()] += 1
    return values, kinds


def check_uniform(names: list[str], number: int) -> Counter[str]:
    values, kinds = check_counts_and_draws(info_sets(names, number), Sampler)
    assert are_uniform(values)
    assert min(kinds["voids"], kinds["pinned"], kinds["covered"], kinds["fewer"]) > kinds["sets"] / 20
    assert min(kinds["bid"], kinds["play"], kinds["freaks"]) > 2
    return kinds


def test_all_worlds_are_counted_and_come_equally_often() -> None:
    assert check_uniform(list(OPTIONS), 5)["sets"] >= 60


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_all_worlds_of_many_information_sets_come_equally_often(part: int) -> None:
    names = [*list(OPTIONS)[part::2], "pagat bids"]
    assert check_uniform(sorted(set(names)), 90)["sets"] > 500


def test_dealing_seat_by_seat_fails_the_same_test(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [found for found in info_sets(["small", "two_suits"], 8, 60) if found.position.state.record.voids.any()]
    assert len(sets) > 3
    assert are_uniform(check_counts_and_draws(iter(sets), Sampler)[0])
    values, _ = check_counts_and_draws(iter(sets), lambda game: SlotBySlot(game, beliefs, monkeypatch))
    assert min(values) * len(values) < driver.LEVEL


# Positions of any size


def deal_of(state: State, world: Any, seat: int) -> Deal:
    """A world that was drawn, as the reference engine is told it."""
    rules, trick, covered = state.game.rules, current_trick(state), {}
    for i, (player, card) in enumerate(trick):
        if player != seat and lies_face_down(rules, int(state.record.truf), card, suit_of(trick[0][1])):
            covered[player] = (int(world.trick) >> 8 * i & 255) - 1
    return Deal(tuple(map(int, world.hands)), covered)


def bid_by_policy(position: Position, world: Any, seat: int) -> bytes:
    """The record in which these hands were dealt, the seat has bid as it did, and those before it by the policy."""
    again, own = position.start.clone(), sorted(cards_of(position.state.record.laid[seat]))
    again.record.hands[:] = world.hands
    while again.current_player() < int(world.actor):
        if again.current_player() == seat:
            for card in (*own, DONE):
                again.apply_action(card)
        else:
            again.apply_action(int(policy(again.game.rules, again.record, new_rng())))
    for card in own if again.current_player() == seat else []:
        again.apply_action(card)
    return content(again.record)


def check_replays(options: Options, sampler: Sampler, position: Position, seat: int) -> int:
    """Replay four worlds of a seat; returns how many are not the true one."""
    state, others = position.state, 0
    where = f"seat {seat} in {state!r}"
    assert sampler.ask(state.record, seat) >= 1
    for world in sampler.draw(4):
        others += content(world) != content(state.record)
        if state.record.phase == BID:
            assert is_deal(options, position, tuple(map(int, world.hands))), where
            assert content(world) == bid_by_policy(position, world, seat), where
        else:
            assert is_world(options, position, seat, deal_of(state, world, seat)), where
    assert sampler.count_wrong(4) == 0
    return others


@pytest.mark.parametrize("name", OPTIONS)
def test_every_world_replays_in_every_phase_for_every_seat(name: str) -> None:
    """Before the reveal a world is a deal, in which those who have bid have laid what the policy would."""
    game = Game(**OPTIONS[name])
    sampler, done = Sampler(game, 8), Counter[str]()
    for board in range(3 if name in LONG else 8):
        for position in positions(game, board, board % 2 == 1, 0.15):
            for seat in range(4):
                done["other"] += check_replays(OPTIONS[name], sampler, position, seat)
            done[position.state.phase()] += 1
    assert done["other"] > 50
    assert min(done["bid"], done["play"], done["over"]) > 0


def test_every_world_replays_where_bids_may_be_shifted() -> None:
    sampler, done = Sampler(Game(**SMALL), 8), 0
    for board in range(40):
        for position in positions(sampler.game, board, board % 2 == 1, 0.0):
            if position.state.phase() == "shift":
                done += sum(check_replays(SMALL, sampler, position, seat) for seat in range(4))
    assert done > 20


@pytest.mark.parametrize("name", OPTIONS)
def test_worlds_come_from_the_view_alone(name: str) -> None:
    game = Game(**OPTIONS[name])
    driver.check_view_alone(game, positions(game, 1, True, 0.1))


def test_t56_one_shown_card_each() -> None:
    state = Game("classic").new_initial_state(seed=1)
    while state.phase() == "bid":
        state.apply_action(state.legal_actions()[-1])
    assert Sampler(state.game, 1).ask(state.record, 0) == pytest.approx(3_384_731_762_521_200, rel=1e-12)


# The checks themselves


def ignore_constraints(sampler: Sampler) -> None:
    """Make the plan anew as if every slot could hold every card of the suits and the bid cards."""
    worlds = sampler.worlds
    cards = np.zeros(8, np.uint64)
    cards[0] = sum(set(worlds.cards.tolist()))
    assert make_plan(worlds.plan, 1, cards, np.full(8, 255, np.uint64), 8, worlds.sizes) > 0


def test_worlds_that_break_what_is_known_are_noticed() -> None:
    game = Game(max_hands=1)
    sampler, wrong = Sampler(game, 100), 0
    for record in driver.sample_positions(game, 60, is_policy=False, share=0.2):
        sampler.worlds.cards[:] = 0
        sampler.ask(record, 0)
        assert sampler.count_wrong(len(sampler.draw(100))) == 0
        ignore_constraints(sampler)
        wrong += sampler.count_wrong(len(sampler.draw(100)))
    assert wrong > 1000


@pytest.mark.slow
def test_ten_million_worlds_are_all_legal() -> None:
    drawn, illegal, phases = driver.count_illegal("truf", 10_000_000)
    assert (drawn >= 10_000_000, illegal) == (True, 0)
    assert min(phases["bid"], phases["shift"], phases["play"], phases["over"]) > 0
