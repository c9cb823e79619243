"""The sensible actions: never none, legal, what a seat can know, the policy's choice among them, and nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import apply, legal_mask, policy, sensible_mask
from tests.endings import Solver, actions_of, walk
from truf import Game
from truf.cards import BID_VALUE, COURTS
from truf.rules import hand_size
from truf.state import CHOOSE_HIGH, CHOOSE_LOW, DECLINE, DONE, LOWER

GAMES: dict[str, dict[str, Any]] = {
    "standard": {"max_hands": 2},
    "classic": {"preset": "classic", "max_hands": 2},
    "mini": {"preset": "mini"},
    "small": {"ranks": "2,5,K,A", "max_hands": 4, "facedown": "ruffs_only", "direction": "alternate",
              "redeal": "pagat", "ace_play": "low", "sum13_amount": "any", "sum13_decline": "neutral",
              "sum13_floor": "negative", "nil_basis": "original"},
    "open": {"num_suits": 3, "ranks": "2,3,J,A", "max_hands": 4, "facedown": "none", "padding": "forbidden",
             "unlock": "any_discard", "mixed_tie": "above_spades", "bid_cap": 3, "sum13_amount": "0",
             "sum13_decline": "high"},
    "any_shift": {"ranks": "2,3,4,A", "max_hands": 6, "sum13_amount": "any", "ace_play": "low", "max_bid_cards": 2},
    "one_suit": {"preset": "mini", "num_suits": 1, "max_hands": 3},
    "high_cards": {"ranks": "9,10", "num_suits": 4, "max_hands": 3},
}  # fmt: skip
every_game = pytest.mark.parametrize("options", GAMES.values(), ids=GAMES)


def strength(game: Game, card: int) -> int:
    """The order of the cards of a suit in play [R5]."""
    return -1 if game.rules.ace_play and card % 13 == 12 else card % 13


def beaten_by(game: Game, state: State, card: int) -> list[int]:
    """The cards of the suit above one that its holder cannot rule out to lie between: unseen, or winning the trick."""
    record, seat = state.view(state.current_player()).record, state.current_player()
    ranks = [rank for rank in range(13) if game.rules.ranks >> rank & 1]
    suit = [13 * (card // 13) + rank for rank in ranks]
    gone = int(record.played) | int(record.hands[seat])
    trick = [byte - 1 for byte in int(record.trick).to_bytes(8, "little") if byte] if record.trick_size else []
    led = (trick[0] // 13 if trick[0] < 52 else trick[0] - 52) if trick else -1
    seen = [c for c in trick if c < 52 and c // 13 in (led, int(record.truf))]
    if seen:
        best = max(seen, key=lambda c: (c // 13 == record.truf, strength(game, c)))
        gone &= ~(1 << best)
    return [c for c in suit if not gone >> c & 1 and strength(game, c) > strength(game, card)]


@every_game
def test_sensible_actions_are_legal_known_to_the_seat_and_hold_the_policys_choice(options: dict[str, Any]) -> None:
    game, rng = Game(**options), new_rng(1)
    for seed in range(8):
        for state in walk(game, seed, is_policy=seed % 2 == 0):
            legal, mask = int(legal_mask(game.rules, state.record)), int(sensible_mask(game.rules, state.record))
            assert mask
            assert not mask & ~legal
            assert mask == int(sensible_mask(game.rules, state.view(state.current_player()).record)), state
            chosen = int(policy(game.rules, state.record, rng))
            if state.phase() == "play":
                groups = {(card // 13, len(beaten_by(game, state, card))) for card in actions_of(mask)}
                assert (chosen // 13, len(beaten_by(game, state, chosen))) in groups
                assert mask >> chosen & 1 or game.rules.ace_play, state  # the ace is the lowest card, not number
            elif state.phase() == "shift" or (
                state.phase() == "bid" and state.record.laid[state.current_player()] == 0
            ):
                assert mask >> chosen & 1, state


@every_game
def test_one_card_of_each_run_is_kept(options: dict[str, Any]) -> None:
    game = Game(**options)
    for seed in range(6):
        for state in walk(game, seed + 10, is_policy=seed % 2 == 0):
            if state.phase() == "play":
                kept = actions_of(sensible_mask(game.rules, state.record))
                lowest: dict[tuple[int, int], int] = {}
                for card in sorted(state.legal_actions(), key=lambda card: strength(game, card)):
                    lowest.setdefault((card // 13, len(beaten_by(game, state, card))), card)
                assert kept == sorted(lowest.values()), state


# Bids


def whole_bids(game: Game, state: State) -> list[tuple[int, ...]]:
    """All bids that sensible actions lead to, by laying them card by card."""
    seat, found = state.current_player(), []

    def lay_on(record: Any, laid: tuple[int, ...]) -> None:
        records = game.new_records(1)
        for action in actions_of(sensible_mask(game.rules, record)):
            assert int(legal_mask(game.rules, record)) >> action & 1
            if action == DONE:
                found.append(laid)
                continue
            records[0] = record
            apply(game.rules, records[0], action)
            lay_on(records[0].copy(), (*laid, action))

    record = state.record
    assert record.laid[seat] == 0
    start = game.new_records(1)
    start[0] = record
    lay_on(start[0], ())
    return found


def class_of(bid: tuple[int, ...]) -> tuple[int, int, bool]:
    """Value, truf (or -1), and whether it is a single card."""
    suits = {card // 13 for card in bid}
    return sum(int(BID_VALUE[card % 13]) for card in bid), suits.pop() if len(suits) == 1 else -1, len(bid) == 1


def all_bids(game: Game, hand: list[int]) -> Iterator[tuple[int, ...]]:
    """Every legal bid of a hand up to the hand size in value, and all single cards [R9-R14]."""
    rules, size = game.rules, hand_size(game.rules)
    for number in range(1, min(len(hand), rules.max_bid_cards or 13) + 1):
        for bid in combinations(hand, number):
            has_court = any(int(COURTS) >> card & 1 for card in bid)
            is_padded = number > 1 and has_court and rules.padding
            if not is_padded and (number == 1 or class_of(bid)[0] <= size):
                yield bid


@every_game
def test_every_class_of_bids_is_represented_by_as_few_cards_as_possible(options: dict[str, Any]) -> None:
    game = Game(**options)
    for seed in range(12 if hand_size(game.rules) > 6 else 40):
        state = game.new_initial_state(seed=100 + seed)
        hand = actions_of(state.record.hands[0])
        bids = whole_bids(game, state)
        assert len(set(bids)) == len(bids)
        fewest: dict[tuple[int, int, bool], int] = {}
        for bid in all_bids(game, hand):
            fewest[class_of(bid)] = min(len(bid), fewest.get(class_of(bid), 99))
        expected = {c for c in fewest if c[2] or (c[0], c[1], True) not in fewest}
        found = {class_of(bid) for bid in bids}
        assert found == expected, (hand, found ^ expected)
        for kind in found:
            numbers = sorted(len(bid) for bid in bids if class_of(bid) == kind)
            assert numbers[0] == fewest[kind]
        by_class = [class_of(bid) for bid in bids if not class_of(bid)[2]]
        assert len(by_class) - len(set(by_class)) <= 1, "the policy's bid at most comes twice"


def test_a_hand_has_some_thirty_whole_bids() -> None:
    game = Game(max_hands=1)
    numbers = sorted(len(whole_bids(game, game.new_initial_state(seed=seed))) for seed in range(100))
    assert (numbers[0] >= 20, 30 <= numbers[50] <= 40, numbers[-1] <= 60) == (True, True, True), numbers


@pytest.mark.parametrize("name", ["standard", "any_shift", "mini"])
def test_the_policys_whole_bid_is_a_representative(name: str) -> None:
    game, rng = Game(**GAMES[name]), new_rng(1)
    for seed in range(40):
        state = game.new_initial_state(seed=seed)
        bids, laid = whole_bids(game, state), []
        while (action := int(policy(game.rules, state.record, rng))) != DONE:
            laid.append(action)
            state.apply_action(action)
        assert tuple(laid) in bids


def test_a_nil_is_offered_in_every_suit_with_a_court_and_the_lowest_court_is_laid() -> None:
    game = Game(max_hands=1)
    for seed in range(30):
        state = game.new_initial_state(seed=seed)
        hand = actions_of(state.record.hands[0])
        nils = [bid[0] for bid in whole_bids(game, state) if class_of(bid)[0] == 0 and len(bid) == 1]
        courts = [card for card in hand if int(COURTS) >> card & 1]
        assert nils == [min(c for c in courts if c // 13 == suit) for suit in sorted({c // 13 for c in courts})]


# Shifts


def at_shift(game: Game, seed: int) -> State | None:
    """A hand in which every seat lays its card of least value, if the bids then add up to the hand size."""
    state = game.new_initial_state(seed=seed)
    while state.phase() == "bid":
        legal = state.legal_actions()
        state.apply_action(DONE if DONE in legal else min(legal, key=lambda card: int(BID_VALUE[card % 13])))
    return state if state.phase() == "shift" else None


def test_shifts_that_leave_the_same_bids_are_offered_once() -> None:
    game, found = Game(ranks="2,3,4,A", sum13_amount="any", max_hands=1), 0
    for state in filter(None, (at_shift(game, seed) for seed in range(200))):
        found += 1
        kept = actions_of(sensible_mask(game.rules, state.record))
        bids = np.array(state.record.final_bids, int)
        after = [tuple(np.maximum(bids - (action - LOWER + 1), 0)) for action in kept if action >= LOWER]
        assert len(set(after)) == len(after)
        assert tuple(np.zeros(4)) in after
    assert found > 10


def test_declining_with_a_mode_is_choosing_that_mode() -> None:
    for word, cut in (("high", CHOOSE_HIGH), ("low", CHOOSE_LOW), ("neutral", None)):
        game = Game(ranks="2,3,4,A", sum13_amount="0", sum13_decline=word, max_hands=1)
        state = next(filter(None, (at_shift(game, seed) for seed in range(200))))
        assert actions_of(sensible_mask(game.rules, state.record)) == [
            action for action in (DECLINE, CHOOSE_HIGH, CHOOSE_LOW) if action != cut
        ]


# Nothing is lost


ENDINGS: dict[str, dict[str, Any]] = {
    "two_suits": {"num_suits": 2, "ranks": "2,3,4,8,J,A"},
    "ace_low": {"num_suits": 2, "ranks": "2,3,4,8,J,A", "ace_play": "low", "facedown": "ruffs_only"},
    "open": {"num_suits": 1, "ranks": "2,3,4,5,6,7,J,Q,K,A,9,10", "facedown": "none"},
    "discard": {"num_suits": 4, "ranks": "2,J,A", "unlock": "any_discard", "direction": "alternate"},
}


@pytest.mark.parametrize("options", ENDINGS.values(), ids=ENDINGS)
def test_nothing_is_lost_in_endings_with_open_cards(options: dict[str, Any]) -> None:
    """Every play left out has the same value as one that is kept, with all plays and with kept ones only after it."""
    game, merged = Game(max_hands=2, **options), 0
    for seed in range(8):
        for state in walk(game, seed, is_policy=seed % 2 == 0):
            left = hand_size(game.rules) - int(state.record.tricks_done)
            if state.phase() != "play" or left > 2 or len(state.legal_actions()) == 1:
                continue
            solver, kept = Solver(game, state), actions_of(sensible_mask(game.rules, state.record))
            values = solver.children(0, is_sensible=False)
            for action, value in values.items():
                same = [other for other in kept if other // 13 == action // 13]
                assert action in kept or value in [values[other] for other in same], (state, action)
                merged += action not in kept
            assert solver.value(0, is_sensible=False) == solver.value(0, is_sensible=True), state
    assert merged


def test_cards_with_only_played_ones_between_are_one_choice() -> None:
    """The 9 and 10 of diamonds are gone, the queen is unseen: 8D and JD are alike. So are 4C and 5C."""
    game = Game(max_hands=1)
    line = (
        "phase=play hand=1 totals=0,0,0,0 hands=3C.JC.4H.10S,QC.2H.5H.AH,4C.5C.8D.JD.5S,JH.KH.QS.AS "
        "laid=JC.2D,QC.3D,2C.AD.8H,2S.3S played=7C.9C.AC.2D.9D.6H.10H.6S.8S,6C.8C.3D.4D.6D.9H.QH.7S.KS,"
        "2C.KC.5D.10D.AD.8H.4S.9S,10C.7D.QD.KD.3H.7H.2S.3S.JS final=2,3,11,5 mode=HIGH sets=2,1,3,2 "
        "voids=D,-,-,C unlocked=0 leader=3 trick=7H,6H,QH actor=2"
    )
    state = game.position(line)
    kept = actions_of(sensible_mask(game.rules, state.record))
    assert [state.action_to_string(action) for action in kept] == ["4C", "8D", "5S"]
