"""Worlds of Kronions: every one replays, all of them come, equally often; judged by the reference engine.

The lists are right by definition: every way to deal the cards that a seat does not see to the other seats and the
stock is dealt to the reference engine, which plays the round so far again or refuses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import comb
from typing import Any, NamedTuple

import pytest

from cardkit.worlds import MAX_CLASSES, make_plan
from kronions import Game, beliefs
from kronions.cards import PARADOX
from tests import worlds as driver
from tests.kronions.test_beliefs import Position, held_by_others, positions, unseen_cards
from tests.reference.kronions import Reference
from tests.worlds import InfoSet, Sampler, SlotBySlot, World, are_uniform, deals, num_draws, p_value

Options = dict[str, Any]
SUITED = (1 << PARADOX) - 1
MOST_DEALS = 400  # of an information set that is listed
KEY = ("hands",)
MINI: Options = {"num_suits": 2, "num_ranks": 3, "num_paradox": 1, "first_dealer": 0}
OH_HELL: Options = {"num_paradox": 0, "first_leader": "left", "last_round_trump": "flip_if_possible",
                    "scoring": "tricks_plus_bonus"}  # fmt: skip
VOIDS: Options = {"num_suits": 4, "num_ranks": 3}  # few cards of each suit: voids show early

OPTIONS: dict[str, Options] = {
    "2 seats": {"num_players": 2, "round_sizes": [27]},
    "3 seats": {"num_players": 3, "round_sizes": [18, 19]},
    "4 seats": {"num_players": 4, "round_sizes": [14]},
    "5 seats": {"num_players": 5, "round_sizes": [11]},
    "6 seats": {"num_players": 6, "round_sizes": [9]},
    "mini 2": {"num_players": 2, **MINI},
    "mini 3": {"num_players": 3, **MINI},
    "oh hell 3": {"num_players": 3, "round_sizes": [17], **OH_HELL},
    "oh hell 4": {"num_players": 4, "round_sizes": [12], **OH_HELL},
    "voids 3": {"num_players": 3, "num_paradox": 2, "round_sizes": [4, 4], **VOIDS},
    "voids 4": {"num_players": 4, "num_paradox": 0, "round_sizes": [3], **VOIDS},
    "only when void": {"num_players": 3, "num_paradox": 3, "round_sizes": [4, 5], **VOIDS,
                       "paradox_when_able_to_follow": "only_when_void", "hook": "off"},
    "frees trick": {"num_players": 3, "num_paradox": 4, "round_sizes": [5, 4], **VOIDS, "future_led": "frees_trick",
                    "all_past": "nobody", "rotate_deal": "fixed"},
    "redraw": {"num_players": 3, "num_suits": 3, "num_ranks": 3, "num_paradox": 5, "round_sizes": [3, 3, 4],
               "paradox_flip": "redraw", "all_past": "last"},
    "dealer names": {"num_players": 2, "num_suits": 3, "num_ranks": 3, "num_paradox": 5, "round_sizes": [4, 4, 5],
                     "paradox_flip": "dealer_names"},
}  # fmt: skip
SMALL = ["mini 2", "mini 3", "voids 3", "voids 4", "only when void", "frees trick", "redraw", "dealer names"]
TWO_DECKS = ["3 seats", "voids 3"]


# The reference engine as the judge


def previous_dealer(game: Game, record: Any) -> int | None:
    """The dealer of the round before; None in the first round."""
    if record.rounds_done == 0:
        return None
    is_fixed = game.option_values()["rotate_deal"] == "fixed"
    return (int(record.dealer) - (0 if is_fixed else 1)) % game.num_players


def deal_again(options: Options, position: Position, hands: World) -> Reference:
    """The reference engine after the deal, with these hands as the record keeps them, and what was turned up."""
    record, game = position.start.record, position.start.game
    reference = Reference(**options)
    reference.round_number = int(record.rounds_done)
    reference.dealer = previous_dealer(game, record)
    copies = iter(range(PARADOX, PARADOX + 6))
    cards = []
    for hand in hands[: game.num_players]:
        suited = [card for card in range(PARADOX) if hand >> card & 1]
        cards.append(suited + [next(copies) for _ in range((hand >> PARADOX).bit_count())])
    flip, turned_up = int(record.flip), int(record.turned_up)
    top = [next(copies) if number < turned_up - 1 or flip == PARADOX else flip for number in range(turned_up)]
    used = {card for hand in cards for card in hand} | set(top)
    drawn = int(record.dealer) if record.rounds_done == 0 and reference.options["first_dealer"] == "random" else None
    reference.start_round(drawn, cards, top + [card for card in reference.deck() if card not in used])
    return reference


def alike(cards: list[int]) -> list[int]:
    """The cards without the numbers of the paradox cards."""
    return [min(card, PARADOX) for card in cards]


def seen_by(game: Reference, seat: int) -> tuple[Any, ...]:
    """What a seat sees of a round in the reference engine: its hand, and all that is public."""
    table = game.phase(), game.to_move(), game.dealer, game.leader, game.trump, alike(game.turned_up), game.trick
    counts = game.bids, game.tricks, game.voids, game.trick_winners, list(map(len, game.hands))
    return alike(game.hands[seat]), table, counts


def replay(options: Options, position: Position, hands: World) -> Reference | None:
    """The reference engine after the actions of a position with other hands; None where they do not fit."""
    try:
        reference = deal_again(options, position, hands)
        for action in position.actions:
            reference.apply(action)
    except (ValueError, StopIteration):
        return None
    return reference


def is_world(options: Options, position: Position, seat: int, hands: World) -> bool:
    """Whether the round could have gone as it went with these hands, for all that the seat has seen."""
    truth = replay(options, position, tuple(map(int, position.state.record.hands)))
    world = replay(options, position, hands)
    assert truth is not None
    return world is not None and seen_by(world, seat) == seen_by(truth, seat)


# All worlds


class Known(NamedTuple):
    """What a seat can tell at once: the cards it does not see, and how many the others hold."""

    unseen: list[int]  # paradox cards are all 52
    held: dict[int, int]

    def num_deals(self) -> int:
        """In how many ways the unseen cards can lie, whatever has been shown."""
        left, number = len(self.unseen), 1
        for size in self.held.values():
            number *= comb(left, size) if size <= left else 0
            left -= size
        return number


def known(position: Position, seat: int) -> Known:
    rules, record = position.state.game.rules, position.state.record
    return Known(unseen_cards(rules, record, seat), held_by_others(record, seat, rules.num_players))


def list_worlds(options: Options, position: Position, seat: int) -> Counter[World]:
    """Every world as the record keeps it, with the number of physical worlds that it stands for."""
    record, (unseen, held) = position.state.record, known(position, seat)
    candidates: Counter[World] = Counter()
    for deal in deals(tuple(range(len(unseen))), list(held.values())):
        hands = [int(hand) for hand in record.hands]
        for other, places in zip(held, deal, strict=True):
            cards = [unseen[place] for place in places]
            copies = cards.count(PARADOX) + int(record.paradox_played[other])
            suited = sum(1 << card for card in cards if card != PARADOX)
            hands[other] = hands[other] & SUITED & int(record.played) | suited | ((1 << copies) - 1) << PARADOX
        candidates[tuple(hands)] += 1
    return Counter({hands: n for hands, n in candidates.items() if is_world(options, position, seat, hands)})


# Information sets


LISTER = driver.Lister(
    lambda name, board: positions(Game(**OPTIONS[name]), board, board % 2 == 1, 1.0),
    lambda position, seat: known(position, seat).num_deals(),
    lambda name, position, seat: list_worlds(OPTIONS[name], position, seat),
)


def info_sets(names: list[str], number: int, most_deals: int = MOST_DEALS) -> Iterator[InfoSet]:
    """So many information sets of each of some options."""
    return driver.info_sets(LISTER, names, number, most_deals)


def check_counts_and_draws(sets: Iterator[InfoSet], sampler_of: Any) -> tuple[list[float], Counter[str]]:
    """The p-values of the chi-square tests, and of what kind the information sets were."""
    values, kinds, samplers = [], Counter[str](), dict[Game, Sampler]()
    for position, seat, listed, num_deals in sets:
        game = position.state.game
        if game not in samplers:
            samplers[game] = sampler_of(game)
        sampler = samplers[game]
        assert sampler.ask(position.state.record, seat) == listed.total(), f"seat {seat} in {position.state!r}"
        values.append(p_value(sampler.count(num_draws(listed), KEY), listed))
        kinds["sets"] += 1
        kinds["voids"] += listed.total() < num_deals
        kinds["stock"] += len(known(position, seat).unseen) > sum(known(position, seat).held.values())
        kinds["paradox"] += len(set(listed.values())) > 1
        kinds[position.state.phase()] += 1
    return values, kinds


def check_uniform(names: list[str], number: int) -> Counter[str]:
    values, kinds = check_counts_and_draws(info_sets(names, number), Sampler)
    assert are_uniform(values)
    assert min(kinds["voids"], kinds["stock"], kinds["paradox"], kinds["bid"], kinds["play"]) > kinds["sets"] / 20
    return kinds


def test_all_worlds_are_counted_and_come_equally_often() -> None:
    assert check_uniform(list(OPTIONS), 5)["sets"] >= 60


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_all_worlds_of_many_information_sets_come_equally_often(part: int) -> None:
    assert check_uniform(list(OPTIONS)[part::2], 80)["sets"] > 500


def test_dealing_seat_by_seat_fails_the_same_test(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [found for found in info_sets(["voids 4", "voids 3"], 12, 100) if found.worlds.total() < found.num_deals]
    assert len(sets) > 5
    assert are_uniform(check_counts_and_draws(iter(sets), Sampler)[0])
    values, _ = check_counts_and_draws(iter(sets), lambda game: SlotBySlot(game, beliefs, monkeypatch))
    assert min(values) * len(values) < driver.LEVEL


# Positions of any size


@pytest.mark.parametrize("name", OPTIONS)
def test_every_world_replays_in_every_phase_for_every_seat(name: str) -> None:
    options = OPTIONS[name]
    game = Game(**options)
    sampler, done = Sampler(game, 8), Counter[str]()
    for board in range(8 if name in SMALL else 2):
        for position in positions(game, board, board % 2 == 1, 0.15):
            record = position.state.record
            for seat in range(game.num_players):
                assert sampler.ask(record, seat) >= 1
                worlds = sampler.draw(4)
                for hands in worlds.hands.tolist():
                    assert is_world(options, position, seat, tuple(hands)), f"seat {seat} in {position.state!r}"
                    done["other"] += hands != record.hands.tolist()
                assert sampler.count_wrong(4) == 0
            done[position.state.phase()] += 1
    assert done["other"] > 50
    assert min(done["bid"], done["play"], done["over"]) > 0
    assert (done["name_trump"] > 0) == (name == "dealer names")


@pytest.mark.parametrize("name", OPTIONS)
def test_worlds_come_from_the_view_alone(name: str) -> None:
    game = Game(**OPTIONS[name])
    driver.check_view_alone(game, positions(game, 1, True, 0.1))


def test_k39_the_last_round_of_two_seats_has_one_world() -> None:
    game = Game(num_players=2, only_round=29)
    state, sampler = game.new_initial_state(seed=1), Sampler(game, 1)
    assert [sampler.ask(state.record, seat) for seat in range(2)] == [1, 1]
    assert sampler.draw(1)[0].hands.tolist() == state.record.hands.tolist()


def test_k40_the_first_bid_of_mini_has_six_worlds() -> None:
    state = Game("mini", round_sizes=[2, 1]).new_initial_state(seed=1)
    assert state.record.turned_up == 1
    assert Sampler(state.game, 1).ask(state.record, state.current_player()) == 6


# The checks themselves


def ignore_voids(sampler: Sampler) -> None:
    """Make the plan anew as if every slot could hold every card."""
    worlds, slots = sampler.worlds, sampler.game.num_players + 1
    worlds.slots[:] = (1 << slots) - 1
    classes = min(MAX_CLASSES, sampler.game.rules.num_suits + 1)
    assert make_plan(worlds.plan, classes, worlds.cards, worlds.slots, slots, worlds.sizes) > 0


def test_worlds_that_break_voids_are_noticed() -> None:
    game = Game(num_players=4, only_round=12)
    sampler, wrong = Sampler(game, 100), 0
    for record in driver.sample_positions(game, 40, is_policy=False, share=0.2):
        sampler.ask(record, 0)
        assert sampler.count_wrong(len(sampler.draw(100))) == 0
        ignore_voids(sampler)
        wrong += sampler.count_wrong(len(sampler.draw(100)))
    assert wrong > 1000


@pytest.mark.slow
def test_ten_million_worlds_are_all_legal() -> None:
    drawn, illegal, phases = driver.count_illegal("kronions", 10_000_000)
    assert (drawn >= 10_000_000, illegal) == (True, 0)
    assert min(phases["bid"], phases["play"], phases["over"]) > 0
