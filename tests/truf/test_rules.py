"""Every clause of the rules, R1 to R53, as a small position with its result; `v14` in an id is test vector 14.

A, B, C, D are seats 0, 1, 2, 3. R54 to R56 have no test: they say which texts of the source rules are no rules of this
game (screen labels, the reading of the classic mode, another game with an auction).
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config

from cardkit import bits
from cardkit.jit import kernel
from cardkit.spec import IllegalAction, InvalidRules
from cardkit.state import State
from cardkit.verbs import OVER, apply, legal_mask, new_game, outcome, seen_as, to_move
from truf import Game
from truf._bidding import bid_value, is_freak
from truf._positions import card_to_string, trick_cards
from truf._scoring import hand_points, score_hand
from truf.cards import CARD_NAMES, RANK_NAMES, RANKS, SUIT_LETTERS, cards_to_string, string_to_card, string_to_cards
from truf.rules import OPTIONS, hand_size, rank_numbers
from truf.state import BID, DONE, FACE_DOWN, HIGH, LOW, MODES, NEUTRAL, NONE, OUTCOMES, PLAY

Options = dict[str, Any]
IS_COMPILED = not config.DISABLE_JIT
SEATS = range(4)
THIRTEEN = "6S | 4H | 3D | KC"  # the bids of vector 18, whose sum is 13


# Writing positions


def masks_of(text: str, separator: str = "+") -> list[int]:
    """The cards of four seats, separated by `|`, as bit masks."""
    return [string_to_cards(part.strip(), separator) for part in text.split("|")]


def bidding(hands: Sequence[int], **options: Any) -> State:
    """The first decision of a hand in which the seats hold these cards, filled up from the deck."""
    game = Game(**options)
    ranks, suits = rank_numbers(game.rules), range(4 - game.rules.num_suits, 4)
    rest = [RANKS * suit + rank for suit in suits for rank in ranks]
    rest = [card for card in rest if not any(hand >> card & 1 for hand in hands)]
    random.Random(0).shuffle(rest)
    full = []
    for hand in hands:
        missing = hand_size(game.rules) - hand.bit_count()
        full.append(hand | sum(1 << rest.pop() for _ in range(missing)))
    return game.position(
        f"phase=bid hand=1 totals=0,0,0,0 hands={','.join(map(cards_to_string, full))} laid=-,-,-,- played=-,-,-,- "
        "final=0,0,0,0 mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor=0",
        seed=1,
    )


def lay(state: State, *laids: int) -> State:
    """Make the next bids; the state itself, changed."""
    for laid in laids:
        for card in range(DONE):
            if laid >> card & 1:
                state.apply_action(card)
        state.apply_action(DONE)
    return state


def revealed(bids: str, **options: Any) -> State:
    """The position after these four bids, such as "7S | 3S+4S | 5H+2C | KD"."""
    laids = masks_of(bids)
    return lay(bidding(laids, **options), *laids)


def table(hands: str, truf: str = "-", leader: int = 0, unlocked: int = 0, mode: int = HIGH, **options: Any) -> State:
    """The first lead of a trick in which these cards are left, such as "4D 9D | 2D AS | 2C 3C | 4C 5C"; all bid 1."""
    game = Game(**({"max_hands": 1} | options))
    state = game.new_initial_state(seed=0)
    record = state.record
    for seat, cards in enumerate(masks_of(hands, " ")):
        record.hands[seat], record.laid[seat] = cards, cards & -cards
    record.phase, record.mode, record.unlocked, record.winner = PLAY, mode, unlocked, NONE
    record.truf = NONE if truf == "-" else SUIT_LETTERS.index(truf)
    record.top_bidder = record.leader = record.actor = leader
    record.final_bids[:] = 1
    record.tricks_done = hand_size(game.rules) - int(record.hands[0]).bit_count()
    return state


def play(state: State, text: str) -> State:
    """Play cards, such as "5H 9H"; the state itself, changed."""
    for card in text.split():
        state.apply_action(string_to_card(card))
    return state


def legal(state: State) -> str:
    """The legal cards, such as "4D 2S", and "done"."""
    return " ".join("done" if action == DONE else CARD_NAMES[action] for action in state.legal_actions())


def shown(state: State, card: str) -> str:
    """What the other seats see of a card about to be played: its name, or "D*"."""
    other = (state.current_player() + 1) % 4
    return card_to_string(int(seen_as(state.game.rules, state.record, string_to_card(card), other)))


def winner_of(plays: str, truf: str = "-", **options: Any) -> int:
    """Index of the card that wins a trick, such as "10H KH 2D AC", led by seat 0 who holds nothing else."""
    state = play(table(" | ".join(plays.split()), truf, **options), plays)
    winner = int(state.record.winner)
    assert state.record.sets.tolist() == [int(seat == winner) for seat in SEATS]
    return winner


def points(final: int, sets: int, mode: int, revealed: int | None = None, **options: Any) -> int:
    """What a seat scores for a final bid, sets won and the revealed bid (by default the same)."""
    return int(hand_points(Game(**options).rules, final if revealed is None else revealed, final, sets, mode))


def ended(totals: Sequence[int], hand: int = 1, **options: Any) -> State:
    """The state after a hand has been scored that gave everybody 10 points, with these totals."""
    game = Game(**options)
    records = game.new_records(1)
    record = records[0]
    new_game(game.rules, record)
    for seat in SEATS:
        record.totals[seat] = totals[seat] - 10
        record.laid[seat] = string_to_cards(f"K{SUIT_LETTERS[seat]}")  # a nil that is made
    record.phase, record.mode, record.hands_done = PLAY, HIGH, hand - 1
    score_hand(game.rules, record)
    state = State(game, records, 1)
    assert state.returns() == list(totals)
    return state


def outcome_of(state: State) -> str:
    """How a game that is over has ended."""
    assert state.phase() == "over"
    return OUTCOMES[int(outcome(state.game.rules, state.record))]


def finals(state: State) -> list[int]:
    """The bids that count."""
    return [int(bid) for bid in state.record.final_bids]


def reveal_facts(state: State) -> tuple[int, str, str]:
    """Top bidder, truf and mode."""
    record = state.record
    truf = "-" if record.truf == NONE else SUIT_LETTERS[record.truf]
    return int(record.top_bidder), truf, MODES[record.mode]


def seats_to_act(state: State, num_decisions: int) -> list[int]:
    """Who acts in the next decisions, if everybody makes the lowest choice."""
    seats = []
    for _ in range(num_decisions):
        seats.append(state.current_player())
        state.apply_action(state.legal_actions()[0])
    return seats


def to_phase(state: State, *phases: str) -> State:
    """Make highest choices until a phase; the state itself, changed."""
    while state.phase() not in phases:
        state.apply_action(state.legal_actions()[-1])
    return state


# 2.1 Cards, seats, deal


def test_r1_four_players_get_13_cards_each_that_nobody_else_sees() -> None:
    for seed in range(20):
        state = Game().new_initial_state(seed=seed)
        hands = [int(hand) for hand in state.record.hands]
        assert [hand.bit_count() for hand in hands] == [13] * 4
        assert hands[0] | hands[1] | hands[2] | hands[3] == (1 << 52) - 1
        for seat in SEATS:
            view = [int(hand) for hand in state.view(seat).record.hands]
            assert view == [hands[seat] if other == seat else 0 for other in SEATS]


def test_option_num_players_is_always_4() -> None:
    assert Game(num_players=4).num_players == 4
    for players in (3, 5):
        with pytest.raises(InvalidRules, match="num_players"):
            Game(num_players=players)


def dealt(**options: Any) -> set[str]:
    """The names of all cards that are dealt."""
    hands = Game(**options).new_initial_state(seed=4).record.hands
    return {CARD_NAMES[card] for hand in hands for card in range(52) if int(hand) >> card & 1}


@pytest.mark.parametrize(("suits", "letters"), [(1, "S"), (2, "SH"), (3, "SHD"), (4, "SHDC")])
def test_option_num_suits_takes_the_strongest_suits(suits: int, letters: str) -> None:
    names = dealt(num_suits=suits, ranks=["2", "5", "10", "K"])
    assert names == {rank + letter for rank in ("2", "5", "10", "K") for letter in letters}


def test_option_ranks_sets_the_deck() -> None:
    assert dealt(ranks=["A", 7]) == {rank + letter for rank in "A7" for letter in SUIT_LETTERS}
    assert len(dealt()) == 52
    for ranks in ([], ["A", "A"], ["1"], 7):
        with pytest.raises(InvalidRules, match="ranks"):
            Game(ranks=ranks)
    with pytest.raises(InvalidRules, match="multiple of 4"):
        Game(num_suits=3, ranks=["A", "K"])


@pytest.mark.parametrize("turn", SEATS)
def test_r2_no_seat_has_a_privilege(turn: int) -> None:
    bids = ["3S+4S", "2S+5S", "AD", "JC"]
    state = revealed(" | ".join(bids[-turn:] + bids[:-turn]))
    assert reveal_facts(state) == ((1 + turn) % 4, "S", "HIGH")
    assert state.current_player() == (1 + turn) % 4


def test_option_direction_r3_even_hands_go_round_the_other_way() -> None:
    hands = "2C 3C | 4C 5C | 6C 7C | 9C 8C"
    for direction, number, order in (
        ("clockwise", 1, [2, 3, 0, 1]),
        ("clockwise", 2, [2, 3, 0, 1]),
        ("alternate", 1, [2, 3, 0, 1]),
        ("alternate", 2, [2, 1, 0, 3]),
        ("alternate", 3, [2, 3, 0, 1]),
    ):
        state = table(hands, leader=2, direction=direction, max_hands=9)
        state.record.hands_done = number - 1
        assert seats_to_act(state, 4) == order
        assert state.record.winner == 3  # 8C, whoever plays it


def freak_deals(**options: Any) -> int:
    """How many of 300 deals hold a freak hand."""
    hands = Game(ranks=["2", "K"], **options).new_batch(300, seed=2).states.hands
    return sum(any(bool(is_freak(np.uint64(hand))) for hand in deal) for deal in hands)


def test_option_redeal_r4_pagat_deals_freak_hands_again() -> None:
    assert freak_deals() > 100
    assert freak_deals(redeal="pagat") == 0
    one_of_each, low, high = (np.uint64(string_to_cards(text)) for text in ("2C.JD", "2C.10D", "JC.AD"))
    assert [bool(is_freak(hand)) for hand in (one_of_each, low, high)] == [False, True, True]
    for ranks in (["2", "3"], ["K", "A"], ["K"]):
        with pytest.raises(InvalidRules, match="redeal"):
            Game(ranks=ranks, redeal="pagat")


@pytest.mark.parametrize("rank", range(RANKS - 1))
def test_r5_every_rank_beats_the_one_below_and_the_ace_is_highest(rank: int) -> None:
    below, above = RANK_NAMES[rank], RANK_NAMES[rank + 1]
    assert winner_of(f"{below}H {above}H 2C 3C") == 1
    assert winner_of(f"{above}H {below}H 2C 3C") == 0
    assert winner_of("2H AH 2C 3C") == 1


def test_option_ace_play_low_puts_the_ace_below_2() -> None:
    assert winner_of("2H AH 2C 3C", ace_play="low") == 0
    assert winner_of("AH 2H 2C 3C", ace_play="low") == 1
    assert winner_of("AH 2C 3C 4C", ace_play="low") == 0  # alone it still wins
    assert winner_of("KH AH 2C 3C", ace_play="low") == 0


def test_r6_bid_values() -> None:
    values = {"2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 10, "J": 0, "Q": 0, "K": 0, "A": 1}
    for rank, letter in itertools.product(values, SUIT_LETTERS):
        assert bid_value(np.uint64(string_to_cards(rank + letter))) == values[rank]
    assert bid_value(np.uint64((1 << 13) - 1)) == 55  # [invariant 5]
    assert bid_value(np.uint64((1 << 52) - 1)) == 220


def test_r7_the_suit_order_decides_ties_of_bids_only() -> None:
    assert reveal_facts(revealed("AC | AD | AH | AS")) == (3, "S", "LOW")
    assert reveal_facts(revealed("AC | AD | AH | 2S+KH", ranks=["A", "2", "K"]))[0] == 3  # value comes first
    for first, second in itertools.permutations(SUIT_LETTERS, 2):
        assert winner_of(f"2{first} A{second} K{second} Q{second}") == 0


# 2.2 Bidding


def test_r8_a_bid_is_one_or_more_cards_and_all_bids_are_revealed_at_once() -> None:
    laids = masks_of("7S | 3S+4S | 5H+2C | KD")
    state = bidding(laids)
    for seat in SEATS:
        assert state.current_player() == seat
        assert state.phase() == "bid"
        assert DONE not in state.legal_actions()
        assert (state.record.top_bidder, finals(state), MODES[state.record.mode]) == (NONE, [0] * 4, "none")
        lay(state, laids[seat])
    assert (state.phase(), finals(state)) == ("play", [7, 7, 7, 0])


def test_r9_r11_all_8191_subsets_are_bids_and_each_has_one_sequence() -> None:
    game = Game()
    record = game.new_initial_state(seed=3).record
    rules, found = game.rules, []

    def extend(laid: int) -> None:
        record.laid[0] = laid
        mask = int(legal_mask(rules, record))
        assert bool(mask >> DONE & 1) == (laid != 0)
        if laid:
            found.append(laid)
        for card in range(DONE):
            if mask >> card & 1:
                extend(laid | 1 << card)

    extend(0)
    assert len(found) == len(set(found)) == 8191
    assert all(laid & ~int(record.hands[0]) == 0 for laid in found)
    assert max(laid.bit_count() for laid in found) == 13


V36 = string_to_cards("3C.KD.5S")
V36_DECK: Options = {"ranks": ["3", "5", "K"]}


def test_r9_v36_cards_are_laid_in_rising_order() -> None:
    state = play(bidding([V36, 0, 0, 0], **V36_DECK), "3C")
    assert legal(state) == "KD 5S done"
    assert legal(play(state, "KD")) == "5S done"
    with pytest.raises(IllegalAction):
        state.apply_action(string_to_card("3C"))
    assert legal(play(state, "5S")) == "done"


def test_option_max_bid_cards_v37_ends_a_bid() -> None:
    state = bidding([V36, 0, 0, 0], max_bid_cards=1, **V36_DECK)
    assert legal(state) == "3C KD 5S"
    assert legal(play(state, "3C")) == "done"
    state = play(bidding([V36, 0, 0, 0], max_bid_cards=2, **V36_DECK), "3C")
    assert legal(state) == "KD 5S done"
    assert legal(play(state, "KD")) == "done"
    assert Game("classic").rules.max_bid_cards == 1
    with pytest.raises(InvalidRules, match="max_bid_cards"):
        Game(max_bid_cards=4, **V36_DECK)


def reachable_bids(hand: int, **options: Any) -> set[int]:
    """The values that seat 0 can bid with a hand that fills the deck's hand size."""
    found: set[int] = set()

    def extend(state: State) -> None:
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            if action == DONE:
                found.add(int(bid_value(after.record.laid[0])))
            else:
                extend(after)

    extend(bidding([hand, 0, 0, 0], **options))
    return found


def test_r10_a_bid_is_a_sum_of_laid_cards_and_not_any_number() -> None:
    assert reachable_bids(string_to_cards("2C.5D.9H"), ranks=["2", "5", "9"]) == {2, 5, 7, 9, 11, 14, 16}
    assert finals(revealed("4S+5S+KH | AC+AD | 10C+9C+8C | QC")) == [9, 2, 27, 0]


def test_r12_until_the_reveal_bids_and_their_number_are_secret() -> None:
    hands = masks_of("2S+3S+4S | 5H | 6D | 7C")
    texts = set()
    for first in ("2S", "3S+4S", "2S+3S+4S"):
        state = lay(bidding(hands), masks_of(first)[0], hands[1])
        texts.add(state.information_state_string(2))
        assert state.history(2) == []
        view = state.view(2).position_string()
        assert "laid=?,?,-,?" in view
        assert [int(laid) for laid in state.view(2).record.laid] == [0] * 4
        assert [int(hand).bit_count() for hand in state.view(2).record.hands] == [0, 0, 13, 0]
    assert len(texts) == 1


def test_r12_v60_seat_2_knows_neither_cards_nor_number_before_its_bid() -> None:
    hands = masks_of("2S+3S | 5H+6H | 6D | 7C")
    for first, second in itertools.product(("2S", "2S+3S"), ("5H", "5H+6H")):
        state = lay(bidding(hands), masks_of(first)[0], masks_of(second)[0])
        assert state.current_player() == 2
        assert state.information_state_string(2) == lay(bidding(hands), *hands[:2]).information_state_string(2)
        assert all(seen_as(state.game.rules, state.record, string_to_card("6D"), seat) == -1 for seat in (0, 1, 3))


def test_r13_bids_above_13_are_legal() -> None:
    state = revealed("10S+9S+8S | 10H+4H | KD | KC")
    assert finals(state) == [27, 14, 0, 0]


def test_option_bid_cap_r13_forbids_what_lifts_the_bid_above_it() -> None:
    hand = string_to_cards("5C.9C.4D.AD.KD.7S")
    assert legal(play(bidding([hand, 0, 0, 0], bid_cap=13), "9C")).startswith("4D")
    with pytest.raises(IllegalAction):
        play(bidding([hand, 0, 0, 0], bid_cap=13), "9C 7S")
    assert "7S" in legal(play(bidding([hand, 0, 0, 0]), "9C"))
    full = play(bidding([hand, 0, 0, 0], bid_cap=13), "9C 4D")
    assert not {"AD", "7S"} & set(legal(full).split())
    assert {"KD", "done"} <= set(legal(full).split())
    assert max(reachable_bids(string_to_cards("AC.2C.3C"), ranks=["A", "2", "3"], bid_cap=3)) == 3
    assert max(reachable_bids(string_to_cards("AC.2C.3C"), ranks=["A", "2", "3"])) == 6
    for wrong in ({"bid_cap": 12}, {"bid_cap": 2, "ranks": ["3", "K"]}):
        with pytest.raises(InvalidRules, match="bid_cap"):
            Game(**wrong)


def test_r14_every_laid_card_counts_for_suit_and_number_of_cards() -> None:
    state = revealed("5S+KH | 4D+AD | AH | AC")
    assert (finals(state), reveal_facts(state)[:2]) == ([5, 5, 1, 1], (1, "D"))  # the padded bid has two suits
    assert reveal_facts(revealed("5S+KS | 4D+AD | AH | AC"))[:2] == (0, "S")


def test_option_padding_forbidden_v17_keeps_court_cards_alone() -> None:
    hand = string_to_cards("3S.5S.JS.KS")
    assert {"3S", "5S", "JS", "KS"} <= set(legal(bidding([hand, 0, 0, 0], padding="forbidden")).split())
    assert legal(play(bidding([hand, 0, 0, 0], padding="forbidden"), "5S")) == "done"
    assert legal(play(bidding([hand, 0, 0, 0], padding="forbidden"), "JS")) == "done"
    assert legal(play(bidding([hand, 0, 0, 0], padding="forbidden"), "3S")).split()[0] == "5S"
    assert {"JS", "KS"} <= set(legal(play(bidding([hand, 0, 0, 0]), "5S")).split())
    with pytest.raises(IllegalAction):
        revealed("5S+KS | 5C | AH | AD", padding="forbidden")
    assert reveal_facts(revealed("5S+KS | 5C | AH | AD")) == (1, "C", "LOW")


def test_r15_laid_cards_return_to_the_hand_and_are_played() -> None:
    state = revealed("7S | 3S+4S | 5H+2C | KD")
    assert [int(hand).bit_count() for hand in state.record.hands] == [13] * 4
    record = state.record
    assert all(int(record.laid[seat]) & ~int(record.hands[seat]) == 0 for seat in SEATS)
    to_phase(state, "bid")  # the next hand
    state = play(table("7S | 3S | 5S | KS"), "7S 3S 5S KS")
    assert state.record.winner == 3  # each had laid that card


def test_r16_only_court_cards_make_a_nil() -> None:
    assert 0 not in reachable_bids(string_to_cards("AC.2D.3H"), ranks=["A", "2", "3"])
    assert 0 in reachable_bids(string_to_cards("AC.2D.KH"), ranks=["A", "2", "K"])
    state = bidding([string_to_cards("AC.2D.3H"), 0, 0, 0], ranks=["A", "2", "3"])
    assert DONE not in state.legal_actions()  # there is no pass
    assert finals(revealed("JS+QS+KS+JH | 2S | 3S | 4S"))[0] == 0
    assert math.comb(40, 13) / math.comb(52, 13) == pytest.approx(0.0189, abs=5e-5)


def test_r17_exposed_cards_are_public_until_they_are_played() -> None:
    state = revealed("7S | 3S+4S | 5H+2C | KD")
    for seat, other in itertools.permutations(SEATS, 2):
        view = state.view(seat).record
        assert int(view.hands[other]) == int(view.laid[other]) == int(state.record.laid[other])
    play(state, "7S" if "7S" in legal(state).split() else legal(state).split()[0])
    assert int(state.view(2).record.hands[1]) & string_to_cards("3S.4S") == string_to_cards("3S.4S")


# 2.3 Top bidder and truf


LADDERS = [
    pytest.param("7S | 3S+4S | 5H+2C | KD", 21, "HIGH", 0, "S", {}, id="v01"),
    pytest.param("3S+4S | 2S+5S | AD | JC", 15, "HIGH", 1, "S", {}, id="v02"),
    pytest.param("5S+KH | 5D | AH | QC", 11, "LOW", 1, "D", {}, id="v03"),
    pytest.param("5S+KH | 4S+AH | JD | KC", 10, "LOW", 0, "-", {}, id="v04"),
    pytest.param("3H+4C | 3D+4S | KD | KH", 14, "HIGH", 1, "-", {}, id="v05"),
    pytest.param("3H+4S | 2S+5D | KD | KH", 14, "HIGH", 0, "-", {}, id="v06"),
    pytest.param("6S+2H | AD+7S | 8C | 3C+5C", 32, "HIGH", 2, "C", {}, id="v07"),
    pytest.param("2H+3H | AS+4D | KC | JD", 10, "LOW", 0, "H", {}, id="v08"),
    pytest.param("KS | JS | QH | KD", 0, "LOW", 0, "S", {}, id="v09"),
    pytest.param("KD+QD | JC | KC+KS | JH", 0, "LOW", 3, "H", {}, id="v10"),
    pytest.param("QS+KH | JS+QH | KD | JD", 0, "LOW", 2, "D", {}, id="v11"),
    pytest.param("AS | AH | AD | AC", 4, "LOW", 0, "S", {}, id="v12"),
    pytest.param("9C | 4S+5S | 10H+AD | 2C", 31, "HIGH", 2, "-", {}, id="v13"),
    pytest.param("AS+2S+3S | 2H+4H | QC | JD", 12, "LOW", 0, "S", {}, id="v14"),
    pytest.param("AS+3S | KS+4S | JD | QD", 8, "LOW", 0, "S", {}, id="v15"),
    pytest.param("AS+3S | KS+4S | JD | QD", 8, "LOW", 1, "S", {"ace_play": "low"}, id="v15_ace_low"),
    pytest.param("6S+2H | AD+7S | 3C+5C | JH", 24, "HIGH", 2, "C", {}, id="v16"),
    pytest.param("5S+KS | 5C | AH | AD", 12, "LOW", 1, "C", {}, id="v17"),
]


@pytest.mark.parametrize(("bids", "total", "mode", "top", "truf", "options"), LADDERS)
def test_r18_r19_r20_r21_top_bidder_truf_and_mode(
    bids: str, total: int, mode: str, top: int, truf: str, options: Options
) -> None:
    state = revealed(bids, **options)
    assert sum(finals(state)) == total
    assert reveal_facts(state) == (top, truf, mode)
    assert state.current_player() == top


@pytest.mark.parametrize("rule", ["above_spades", "strongest_card_suit"])
def test_option_mixed_tie_v16_mixed_bids_may_win(rule: str) -> None:
    bids = "6S+2H | AD+7S | 3C+5C | JH"
    assert reveal_facts(revealed(bids))[:2] == (2, "C")
    assert reveal_facts(revealed(bids, mixed_tie=rule))[:2] == (1, "-")


def test_option_mixed_tie_the_two_other_values_differ() -> None:
    bids = "6H+2C | 3S+5S | KC | KD"  # mixed with hearts against spades
    tops = [
        reveal_facts(revealed(bids, mixed_tie=rule))[:2]
        for rule in ("below_clubs", "above_spades", "strongest_card_suit")
    ]
    assert tops == [(1, "S"), (0, "-"), (1, "S")]


def test_r18_truf_is_the_suit_of_the_top_bid_if_it_has_one() -> None:
    assert reveal_facts(revealed("4D+5D | KS | KH | KC"))[:2] == (0, "D")
    assert reveal_facts(revealed("4D+5H | KS | KH | KC"))[:2] == (0, "-")


def test_r19_two_and_more_cards_are_equal_and_the_suit_decides() -> None:
    assert reveal_facts(revealed("2H+4H | AS+2S+3S | QC | JD"))[:2] == (1, "S")


def test_r20_four_zero_bids_still_have_a_top_bidder() -> None:
    assert reveal_facts(revealed("KS+KH | JC | QC+QD | QH+QS")) == (1, "C", "LOW")


# 2.4 Mode, and the sum of exactly 13


@pytest.mark.parametrize(("last", "mode"), [("AC", "HIGH"), ("KC", "none")])
def test_r21_r23_more_than_13_is_high_and_13_lets_the_top_bidder_choose(last: str, mode: str) -> None:
    state = revealed(f"6S | 4H | 3D | {last}")
    assert reveal_facts(state) == (0, "S", mode)
    assert state.phase() == ("play" if mode == "HIGH" else "shift")
    assert reveal_facts(revealed("6S | 4H | 2D | KC"))[2] == "LOW"


def test_r21_the_threshold_of_a_smaller_deck_is_its_hand_size() -> None:
    deck: Options = {"ranks": ["A", "2", "K"]}
    assert revealed("AS | AH | AD | KC", **deck).phase() == "shift"
    assert reveal_facts(revealed("AS | AH | AD | AC", **deck))[2] == "HIGH"
    assert reveal_facts(revealed("AS | AH | KD | KC", **deck))[2] == "LOW"


def test_r22_high_and_low_play_alike() -> None:
    for mode in (HIGH, LOW, NEUTRAL):
        state = table("4D 2S | 3S 2D | 5S 6C | KS AD", "D", mode=mode)
        assert legal(state) == "2S"
        assert play(state, "2S 3S 5S KS").record.winner == 3


def test_r23_v18_the_top_bidder_shifts() -> None:
    state = revealed(THIRTEEN)
    assert (state.phase(), state.current_player(), state.legal_actions()) == ("shift", 0, [0, 13])


SHIFTS = [
    pytest.param(THIRTEEN, 0, [7, 5, 4, 1], "HIGH", {}, id="v19"),
    pytest.param(THIRTEEN, 13, [5, 3, 2, 0], "LOW", {}, id="v20"),
    pytest.param(THIRTEEN, 13, [5, 3, 2, -1], "LOW", {"sum13_floor": "negative"}, id="v20_negative"),
    pytest.param("10S+3S | KH | QD | JC", 13, [12, 0, 0, 0], "LOW", {}, id="v21_lower"),
    pytest.param("10S+3S | KH | QD | JC", 0, [14, 1, 1, 1], "HIGH", {}, id="v21_raise"),
    pytest.param(THIRTEEN, 14, [4, 2, 1, 0], "LOW", {"sum13_amount": "any"}, id="v22"),
    pytest.param(THIRTEEN, 12, [19, 17, 16, 13], "HIGH", {"sum13_amount": "any"}, id="v22_raise_by_13"),
    pytest.param(THIRTEEN, 25, [0, 0, 0, 0], "LOW", {"sum13_amount": "any"}, id="v22_lower_by_13"),
    pytest.param(THIRTEEN, 27, [6, 4, 3, 0], "HIGH", {"sum13_amount": "0"}, id="v23_high"),
    pytest.param(THIRTEEN, 28, [6, 4, 3, 0], "LOW", {"sum13_amount": "0"}, id="v23_low"),
]


@pytest.mark.parametrize(("bids", "choice", "expected", "mode", "options"), SHIFTS)
def test_r25_r26_r28_r29_every_bid_is_shifted_alike(
    bids: str, choice: int, expected: list[int], mode: str, options: Options
) -> None:
    state = revealed(bids, **options)
    top, truf, _ = reveal_facts(state)
    state.apply_action(choice)
    assert finals(state) == expected
    assert reveal_facts(state) == (top, truf, mode)
    assert (state.phase(), state.current_player()) == ("play", top)
    if "sum13_amount" not in options:
        assert sum(expected) != 13


def test_r24_there_is_no_way_around_the_choice() -> None:
    state = revealed(THIRTEEN)
    with pytest.raises(IllegalAction):
        state.apply_action(26)


@pytest.mark.parametrize("word", ["high", "low", "neutral"])
def test_option_sum13_decline_r24_v24_leaves_the_bids(word: str) -> None:
    state = revealed(THIRTEEN, sum13_decline=word)
    assert state.legal_actions() == [0, 13, 26]
    state.apply_action(26)
    assert finals(state) == [6, 4, 3, 0]
    assert reveal_facts(state)[2].lower() == word


def test_option_sum13_amount_r25_v22_v23_sets_the_choices() -> None:
    assert revealed(THIRTEEN).legal_actions() == [0, 13]
    assert revealed(THIRTEEN, sum13_amount="any").legal_actions() == [*range(13), *range(13, 26)]
    assert revealed(THIRTEEN, sum13_amount="0").legal_actions() == [27, 28]
    deck: Options = {"ranks": ["A", "2", "K"], "sum13_amount": "any", "sum13_decline": "low"}
    assert revealed("AS | AH | AD | KC", **deck).legal_actions() == [0, 1, 2, 13, 14, 15, 26]


def test_option_sum13_floor_r27_lets_bids_fall_below_0() -> None:
    for floor, lowest in (("clamp", 0), ("negative", -1)):
        state = revealed(THIRTEEN, sum13_floor=floor)
        state.apply_action(13)
        assert finals(state) == [5, 3, 2, lowest]


def test_r29_a_tie_made_by_the_shift_changes_nothing() -> None:
    state = revealed(THIRTEEN, sum13_amount="any")
    state.apply_action(13 + 5)
    assert finals(state) == [0, 0, 0, 0]
    assert reveal_facts(state) == (0, "S", "LOW")


def test_r30_the_choice_is_public_and_comes_before_the_first_lead() -> None:
    state = revealed(THIRTEEN)
    assert not state.record.trick
    state.apply_action(13)
    assert state.phase() == "play"
    for seat in SEATS:
        event = state.history(seat)[-1]
        assert (event.seat, event.phase, event.action) == (0, "shift", 13)
        assert finals(state.view(seat)) == [5, 3, 2, 0]


NILS = [
    pytest.param(1, 0, LOW, {"final": [10, -14], "original": [0, -4], "both": [0, -4]}, [0, 2], id="v25"),
    pytest.param(0, 1, HIGH, {"final": [1, -2], "both": [1, -2], "original": [-11, 10]}, [1, 0], id="v26"),
    pytest.param(0, -1, LOW, {"final": [-2, -6], "original": [10, -14], "both": [-2, -6]}, [0, 2], id="v27"),
]


@pytest.mark.parametrize(("bid", "final", "mode", "expected", "sets"), NILS)
def test_option_nil_basis_r31_says_which_bid_makes_a_nil(
    bid: int, final: int, mode: int, expected: dict[str, list[int]], sets: list[int]
) -> None:
    for basis, values in expected.items():
        assert [points(final, w, mode, bid, nil_basis=basis) for w in sets] == values, basis


def test_r31_the_final_bid_counts() -> None:
    assert [points(7, w, HIGH, 6) for w in (7, 6)] == [7, -2]


# 2.5 Play


def test_r32_the_top_bidder_leads_and_then_the_winner() -> None:
    assert revealed("KS | JS | QH | 2D").current_player() == 3
    assert revealed("KS | 2S+3H | QH | 2D").current_player() == 1  # also in NO TRUF
    state = play(table("2H 3H | 4H 5H | 9H 6H | 7H 8H", leader=3), "7H 2H 4H 9H")
    assert (state.record.winner, state.current_player()) == (2, 2)


def test_r33_v28_nobody_leads_locked_truf() -> None:
    state = table("4D 9D 2S | 2C 3C 4C | 5C 6C 7C | 8C 9C 10C", "D")
    assert legal(state) == "2S"
    for leader in SEATS:  # not only the top bidder
        hands = ["2C 3C 4C", "5C 6C 7C", "8C 9C 10C"]
        hands.insert(leader, "4D 9D 2S")
        state = table(" | ".join(hands), "D", leader)
        state.record.top_bidder = (leader + 1) % 4
        assert legal(state) == "2S"


def test_r34_v29_only_truf_may_be_led_and_unlocks() -> None:
    state = table("4D 9D | 2D AS | 3D 2C | 3C KD", "D")
    assert legal(state) == "4D 9D"
    assert [shown(state, card) for card in ("4D", "9D")] == ["D*", "D*"]
    play(state, "4D")
    assert state.record.unlocked == 1
    assert (legal(state), shown(state, "2D")) == ("2D", "D*")
    play(state, "2D")
    assert (legal(state), shown(state, "3D")) == ("3D", "D*")


def test_r34_v59_a_locked_truf_lead_shows_three_voids() -> None:
    state = play(table("4D 9D | 2D AS | 3D 2C | 3C KD", "D"), "4D")
    assert [int(void) for void in state.record.voids] == [0b1101, 0, 0, 0]
    unlocked = play(table("4D 9D | 2D AS | 3D 2C | 3C KD", "D", unlocked=1), "4D")
    assert unlocked.record.voids.tolist() == [0, 0, 0, 0]
    no_truf = play(table("4D 9D | 2D AS | 3D 2C | 3C KD"), "4D")
    assert no_truf.record.voids.tolist() == [0, 0, 0, 0]


def test_r35_v30_unlocked_truf_may_be_led() -> None:
    assert legal(table("4D 9D 2S | 2C 3C 4C | 5C 6C 7C | 8C 9C 10C", "D", unlocked=1)) == "4D 9D 2S"


def test_r35_a_ruff_unlocks_at_once() -> None:
    state = table("5H 4D 2S | 9D 3S 4S | 2C 3C 4C | JH 5S 6S", "D")
    play(state, "5H")
    assert state.record.unlocked == 0
    play(state, "9D")
    assert state.record.unlocked == 1
    assert legal(play(state, "2C JH")) == "3S 4S"
    assert state.record.unlocked == 1


@pytest.mark.parametrize(("rule", "unlocked", "leads"), [("truf_played", 0, "4S"), ("any_discard", 1, "3D 4S")])
def test_option_unlock_r35_v35_any_discard_unlocks_from_the_next_trick_on(rule: str, unlocked: int, leads: str) -> None:
    state = table("5H 6H 7H | 9H 8H 10H | 2C 3C 4C | JH 3D 4S", "D", unlock=rule)
    play(state, "5H 9H 2C")
    assert state.record.unlocked == 0
    play(state, "JH")
    assert state.record.unlocked == unlocked
    assert legal(state) == leads


FOLLOWING = [
    pytest.param("3H 9D", "D", "3H", id="v31"),
    pytest.param("9D 4C", "D", "4C 9D", id="v32"),
    pytest.param("4C 5S", "D", "4C 5S", id="no_truf_held"),
]


@pytest.mark.parametrize(("hand", "truf", "expected"), FOLLOWING)
def test_r36_follow_suit_or_play_anything(hand: str, truf: str, expected: str) -> None:
    assert legal(play(table(f"10H KS | {hand} | 2H 3C | 4H 3S", truf), "10H")) == expected


def test_r36_nobody_must_ruff_or_over_ruff() -> None:
    state = play(table("10H KS QS | 9D 2C 3C | 2D JD 4C | 4H 5H 6H", "D"), "10H 9D")
    assert legal(state) == "4C 2D JD"


def test_r36_v40_who_does_not_follow_is_void() -> None:
    state = play(table("5D 2S | 9D 3S | AC 4S | 2D 5S", "D", unlocked=1), "5D 9D AC 2D")
    assert [int(void) for void in state.record.voids] == [0, 0, 0b0010, 0]
    assert state.record.winner == 1


def test_r37_v32_a_ruff_lies_face_down_and_a_discard_open() -> None:
    state = play(table("10H KS | 9D 4C | 2H 3C | 4H 3S", "D"), "10H")
    assert (shown(state, "9D"), shown(state, "4C")) == ("D*", "4C")


def test_r37_v33_truf_led_and_followed_lies_face_down() -> None:
    state = table("4D 9D | 2D AS | 3D 2C | 3C KD", "D")
    assert shown(state, "4D") == "D*"
    assert legal(play(state, "4D")) == "2D"
    assert shown(state, "2D") == "D*"
    state = table("4D 9D | 2D AS | 3D 2C | 3C KD", "D", facedown="ruffs_only")
    assert shown(state, "4D") == "4D"
    assert (legal(play(state, "4D")), shown(state, "2D")) == ("2D", "2D")


@pytest.mark.parametrize(
    ("rule", "led", "followed", "ruffed"),
    [("all_truf", "D*", "D*", "D*"), ("ruffs_only", "4D", "2D", "D*"), ("none", "4D", "2D", "9D")],
)
def test_option_facedown_says_which_truf_is_hidden(rule: str, led: str, followed: str, ruffed: str) -> None:
    state = table("4D 9D | 2D AS | 3D 2C | 3C KD", "D", facedown=rule)
    assert shown(state, "4D") == led
    assert shown(play(state, "4D"), "2D") == followed
    state = play(table("10H KS | 9D 4C | 2H 3C | 4H 3S", "D", facedown=rule), "10H")
    assert shown(state, "9D") == ruffed
    assert card_to_string(trick_cards(play(state, "9D").view(2).record)[1]) == ruffed


def test_r38_the_rank_of_a_face_down_card_is_hidden_and_its_suit_leads() -> None:
    views = set()
    for card in ("4D", "9D"):  # 4D is the exposed card of seat 0, which may be the one that lies there
        state = play(table("4D 9D | 2D AS | 3D 2C | 3C KD", "D"), card)
        assert trick_cards(state.view(0).record) == [string_to_card(card)]
        view = state.view(1)
        assert trick_cards(view.record) == [FACE_DOWN + 1]
        assert not int(view.record.played) >> string_to_card(card) & 1
        assert view.legal_actions() == [string_to_card("2D")]
        views.add(view.position_string())
    assert len(views) == 1


def test_r39_all_cards_are_turned_up_after_the_fourth() -> None:
    state = play(table("5D 2S | 9D 3S | AC 4S | 2D 5S", "D", unlocked=1), "5D 9D AC")
    names = [card_to_string(card) for card in trick_cards(state.view(3).record)]
    assert names == ["D*", "D*", "AC"]
    play(state, "2D")
    for seat in SEATS:
        names = [card_to_string(card) for card in trick_cards(state.view(seat).record)]
        assert names == ["5D", "9D", "AC", "2D"]


TRICKS = [
    pytest.param("10H KH 2D AC", "D", 2, {}, id="v38"),
    pytest.param("10H 2D 9D AH", "D", 2, {}, id="v39"),
    pytest.param("5D 9D AC 2D", "D", 1, {}, id="v40"),
    pytest.param("10H AS AD JH", "-", 3, {}, id="v41"),
    pytest.param("KH AH QH JH", "D", 1, {}, id="v42"),
    pytest.param("KH AH QH JH", "D", 0, {"ace_play": "low"}, id="v42_ace_low"),
    pytest.param("2C AS KH QH", "D", 0, {}, id="v43"),
]


@pytest.mark.parametrize(("plays", "truf", "expected", "options"), TRICKS)
@pytest.mark.parametrize("facedown", ["all_truf", "none"])
def test_r40_the_highest_truf_wins_or_the_highest_card_led(
    plays: str, truf: str, expected: int, options: Options, facedown: str
) -> None:
    assert winner_of(plays, truf, facedown=facedown, **options) == expected


def test_r41_v34_no_truf_has_free_leads_and_nothing_face_down() -> None:
    state = table("4D 9D 2S | 2D 3C 4C | 5C 6C 7C | 8C 9C 10C")
    assert legal(state) == "4D 9D 2S"
    assert [shown(state, card) for card in ("4D", "9D", "2S")] == ["4D", "9D", "2S"]
    play(state, "4D 2D 5C 8C")
    assert (state.record.winner, state.record.unlocked) == (0, 0)
    state = play(table("4D 9D 2S | 2D 3C 4C | 5C 6C 7C | 8C 9C 10C", unlock="any_discard"), "4D 2D 5C 8C")
    assert state.record.unlocked == 0


# 2.6 Scoring


def test_r42_a_hand_is_scored_once_after_its_tricks() -> None:
    state = Game(max_hands=1, ranks=["2", "K", "A"]).new_initial_state(seed=6)
    while not state.is_terminal():
        assert state.returns() == [0] * 4
        state.apply_action(state.legal_actions()[-1])
    record = state.record
    assert sum(record.sets) == record.tricks_done == 3
    scored = [
        points(int(record.final_bids[s]), int(record.sets[s]), int(record.mode), int(bid_value(record.laid[s])))
        for s in SEATS
    ]
    assert state.returns() == scored
    assert any(scored)
    assert ended([17, 3, 10, 0]).returns() == [17, 3, 10, 0]  # it is added to the total


SCORES = [
    pytest.param(4, 4, [4, 4, 4], id="v44"),
    pytest.param(4, 6, [-2, -4, -2], id="v45"),
    pytest.param(4, 2, [-4, -2, -2], id="v46"),
    pytest.param(0, 0, [10, 10, 10], id="v47"),
    pytest.param(0, 3, [-13, -16, -13], id="v48"),
    pytest.param(0, 13, [-23, -36, -23], id="v49"),
    pytest.param(115, 0, [-230, -115, -115], id="v50_115"),
    pytest.param(20, 5, [-30, -15, -15], id="v50_20"),
    pytest.param(13, 13, [13, 13, 13], id="v50_13"),
    pytest.param(1, 0, [-2, -1, -1], id="v50_1"),
]


@pytest.mark.parametrize(("bid", "sets", "expected"), SCORES)
def test_r43_r44_r45_r46_r47_points(bid: int, sets: int, expected: list[int]) -> None:
    assert [points(bid, sets, mode) for mode in (HIGH, LOW, NEUTRAL)] == expected


def test_r47_neutral_is_scored_after_declining() -> None:
    state = revealed(THIRTEEN, sum13_decline="neutral", max_hands=1)
    state.apply_action(26)
    to_phase(state, "over")
    sets = [int(won) for won in state.record.sets]
    assert state.returns() == [points(bid, won, NEUTRAL) for bid, won in zip([6, 4, 3, 0], sets, strict=True)]


def test_option_nil_bonus_is_paid_for_a_nil_that_is_made() -> None:
    assert [points(0, 0, mode, nil_bonus=50) for mode in (HIGH, LOW)] == [50, 50]
    assert points(0, 1, HIGH, nil_bonus=50) == -11
    assert points(0, 0, HIGH, nil_bonus=-3) == -3


def test_option_nil_fail_is_paid_for_a_nil_that_fails() -> None:
    assert [points(0, 3, mode, nil_fail=-50) for mode in (HIGH, LOW, NEUTRAL)] == [-53, -56, -53]
    assert points(0, 0, HIGH, nil_fail=-50) == 10
    assert points(0, 1, HIGH, nil_fail=5) == 4


# 2.7 Winning


def test_r48_totals_may_be_negative() -> None:
    state = ended([-500, -3, 0, 2])
    assert (state.phase(), state.returns()) == ("deal", [-500, -3, 0, 2])


def test_r49_v51_the_highest_total_of_100_or_more_wins() -> None:
    state = ended([104, 101, 20, -5])
    assert outcome_of(state) == "target"
    assert state.places() == ([1, 2, 3, 4], [1, 0, 0, 0])
    assert outcome_of(ended([100, 20, 0, 0])) == "target"


def test_r49_v54_below_100_the_game_goes_on() -> None:
    assert ended([99, 98, 0, 0]).phase() == "deal"


def test_option_target_r49_sets_the_points_that_end_the_game() -> None:
    assert ended([99, 98, 0, 0], target=99).phase() == "over"
    assert ended([104, 101, 20, -5], target=105).phase() == "deal"


def test_r50_v52_a_tie_at_the_top_needs_another_hand() -> None:
    assert ended([104, 104, 20, -5]).phase() == "deal"


def test_option_tie_r50_v52_shared_ends_the_game() -> None:
    state = ended([104, 104, 20, -5], tie="shared")
    assert outcome_of(state) == "target"
    assert state.places()[1] == [0.5, 0.5, 0, 0]
    assert ended([104, 104, 20, -5], tie="extra_hand").phase() == "deal"


def test_r50_v53_after_dropping_below_100_the_game_goes_on() -> None:
    assert ended([98, 96, 22, -7], hand=9).phase() == "deal"


def test_r51_v55_after_200_hands_the_game_is_capped() -> None:
    state = ended([40, 40, 10, -3], hand=200)
    assert outcome_of(state) == "capped"
    assert state.places() == ([1, 1, 3, 4], [0.5, 0.5, 0, 0])
    assert ended([40, 40, 10, -3], hand=199).phase() == "deal"
    assert outcome_of(ended([104, 104, 10, -3], hand=200)) == "capped"
    assert outcome_of(ended([104, 103, 10, -3], hand=200)) == "target"


def test_option_max_hands_r51_caps_the_game() -> None:
    assert outcome_of(ended([40, 40, 10, -3], hand=5, max_hands=5)) == "capped"
    assert ended([40, 40, 10, -3], hand=5, max_hands=6).phase() == "deal"
    assert to_phase(Game(max_hands=3, ranks=["2", "K"]).new_initial_state(seed=1), "over").record.hands_done == 3


def test_r52_equal_totals_share_a_place_and_the_payoff_is_the_total() -> None:
    state = ended([20, 40, 40, 20], hand=200)
    assert state.places() == ([3, 1, 1, 3], [0, 0.5, 0.5, 0])
    assert state.returns() == [20, 40, 40, 20]
    assert ended([7, 7, 7, 7], hand=200).places() == ([1, 1, 1, 1], [0.25] * 4)
    assert ended([9, 9, 9, -7], hand=200).places()[0] == [1, 1, 1, 4]


def test_r53_illegal_choices_are_refused_and_change_nothing() -> None:
    positions = [bidding([0, 0, 0, 0]), revealed(THIRTEEN), table("4D 2S | 2C 3C | 5C 6C | 8C 9C", "D")]
    for state in positions:
        before, actions = state.record.tobytes(), state.legal_actions()
        for action in range(-1, 64):
            if action not in actions:
                with pytest.raises(IllegalAction):
                    state.apply_action(action)
        assert state.record.tobytes() == before


# 4 Who knows what


def worlds(view: State) -> Iterator[tuple[tuple[int | None, int], ...]]:
    """Every world of a view after the reveal: of each other seat the face-down card and the cards it holds."""
    rules, record, observer = view.game.rules, view.record, view.observer
    seen = int(np.bitwise_or.reduce(record.hands))
    unseen = [card for card in range(52) if not seen >> card & 1]
    others = [seat for seat in SEATS if seat != observer]
    covered, seat = set(), int(record.leader)
    for card in trick_cards(record):
        covered |= {seat} if card >= FACE_DOWN else set()
        seat = (seat + 1) % 4

    def of_seat(seat: int, drawn: tuple[int, ...]) -> Iterator[tuple[int | None, int]]:
        pinned = int(record.hands[seat]) & ~int(record.played)
        mine = [card for card in range(52) if pinned >> card & 1 or card in drawn]
        hidden = [card for card in mine if card // RANKS == record.truf] if seat in covered else [None]
        for card in hidden:
            held = [other for other in mine if other != card]
            if not any(record.voids[seat] >> other // RANKS & 1 for other in held):
                yield card, sum(1 << other for other in held)

    def fill(index: int, rest: list[int]) -> Iterator[tuple[tuple[int | None, int], ...]]:
        if index == len(others):
            yield ()
            return
        seat = others[index]
        for drawn in itertools.combinations(rest, hand_size(rules) - int(record.hands[seat]).bit_count()):
            for one in of_seat(seat, drawn):
                for tail in fill(index + 1, [card for card in rest if card not in drawn]):
                    yield (one, *tail)

    return fill(0, unseen)


def test_v56_worlds_before_the_first_lead() -> None:
    view = revealed("KS | JS | QH | KD").view(0).record
    unknown = 52 - int(np.bitwise_or.reduce(view.hands)).bit_count()
    missing = [13 - int(view.hands[seat]).bit_count() for seat in (1, 2, 3)]
    assert (unknown, missing) == (36, [12, 12, 12])
    assert math.factorial(unknown) // math.factorial(12) ** 3 == 3_384_731_762_521_200


def late_trick(exposed: str) -> State:
    """Vectors 57 and 58: North (2) has led JH, East (3) a face-down diamond; South is to act; C's bid card is given."""
    state = table("2C 3C | 9H 3S | JH KD | 5D 4C", "D", 2)
    record = state.record
    left = int(np.bitwise_or.reduce(record.hands))
    rest = [card for card in range(52) if not left >> card & 1]
    for seat in SEATS:
        gone = sum(1 << card for card in rest[11 * seat : 11 * seat + 11])
        record.hands[seat] |= np.uint64(gone)
        record.played |= np.uint64(gone)
        record.laid[seat] = gone & -gone
    if exposed:
        record.laid[2] = string_to_cards(exposed)
    return play(state, "JH 5D")


def test_v57_a_face_down_card_and_a_void_leave_18_worlds() -> None:
    state = late_trick("")
    assert state.current_player() == 0
    found = list(worlds(state.view(0)))
    assert len(found) == len(set(found)) == 18
    assert {CARD_NAMES[world[2][0]] for world in found if world[2][0] is not None} == {"KD", "5D"}


def test_v58_an_exposed_card_leaves_2_worlds() -> None:
    found = list(worlds(late_trick("KD").view(0)))
    assert len(found) == 2
    assert {CARD_NAMES[world[2][0] or 0] for world in found} == {"5D"}
    assert {cards_to_string(world[2][1]) for world in found} == {"4C", "3S"}
    assert {cards_to_string(world[1][1]) for world in found} == {"KD"}


# 7 Exhaustive counts

COMBINATIONS, ABOVE, BELOW, EQUAL, SPADES, HEARTS, NO_TRUF, HISTORIES, FORCED, POINTS = range(10)


@kernel
def count_histories(rules, work, masks, forced, tallies):  # type: ignore[no-untyped-def]
    """Walk all bids, shifts and plays that follow `work[0]` and count them in `tallies`."""
    depth = 0
    forced[0] = 0
    masks[0] = legal_mask(rules, work[0])
    while depth >= 0:
        if masks[depth] == bits.ZERO:
            depth -= 1
            continue
        action = bits.lowest(masks[depth])
        masks[depth] = bits.without_lowest(masks[depth])
        state = work[depth]
        forced[depth + 1] = forced[depth]
        is_lead = state.phase == PLAY and state.trick_size == 0 and state.truf >= 0 and state.unlocked == 0
        if is_lead and action // RANKS == state.truf:
            forced[depth + 1] = 1
        was_bid = state.phase == BID
        work[depth + 1] = state
        apply(rules, work[depth + 1], action)
        after = work[depth + 1]
        if was_bid and after.phase != BID:
            tallies[COMBINATIONS] += 1
            total = 0
            for seat in range(4):
                total += bid_value(after.laid[seat])
            tallies[ABOVE if total > 2 else (BELOW if total < 2 else EQUAL)] += 1
            tallies[SPADES if after.truf == 3 else (HEARTS if after.truf == 2 else NO_TRUF)] += 1
        if to_move(rules, after) == OVER:
            tallies[HISTORIES] += 1
            tallies[FORCED] += forced[depth + 1]
            for seat in range(4):
                tallies[POINTS + seat] += after.totals[seat]
        else:
            depth += 1
            masks[depth] = legal_mask(rules, work[depth])


@pytest.mark.skipif(not IS_COMPILED, reason="a million histories take minutes in plain Python")
def test_preset_mini_all_deals_v61_v62_v63_v64_v65_v66() -> None:
    game = Game("mini")
    work, masks = game.new_records(32), np.zeros(32, np.uint64)
    forced, tallies = np.zeros(32, np.int64), np.zeros(POINTS + 4, np.int64)
    deck = [RANKS * suit + rank for suit in (2, 3) for rank in rank_numbers(game.rules)]
    deals = 0
    for order in itertools.permutations(deck):
        hands = [order[2 * seat : 2 * seat + 2] for seat in SEATS]
        if any(first > second for first, second in hands):
            continue
        new_game(game.rules, work[0])
        work[0].phase = BID
        for seat, hand in enumerate(hands):
            work[0].hands[seat] = sum(1 << card for card in hand)
        deals += 1
        count_histories(game.rules, work, masks, forced, tallies)
    assert (deals, tallies[COMBINATIONS]) == (2520, 204_120)  # v61
    assert tallies[[ABOVE, BELOW, EQUAL]].tolist() == [177_192, 8_064, 18_864]  # v62
    assert tallies[[SPADES, HEARTS, NO_TRUF]].tolist() == [93_600, 64_824, 45_696]  # v63
    assert tallies[HISTORIES] == 1_104_144  # v64
    assert tallies[FORCED] == 646_512  # v65
    assert tallies[POINTS:].tolist() == [-83_892] * 4  # v66


# 8 Presets


def test_preset_mini_has_eight_cards_and_six_worlds() -> None:
    assert dealt(num_suits=2, ranks=["2", "Q", "K", "A"]) == {
        CARD_NAMES[card]
        for hand in Game("mini").new_initial_state(seed=1).record.hands
        for card in range(52)
        if int(hand) >> card & 1
    }
    assert hand_size(Game("mini").rules) == 2
    assert Game("mini").max_game_length() <= 21
    state = revealed("QS | KS | AH | 2H", num_suits=2, ranks=["2", "Q", "K", "A"], max_hands=1)
    view = state.view(0).record
    assert 8 - int(np.bitwise_or.reduce(view.hands)).bit_count() == 3
    assert to_phase(state, "over").record.hands_done == 1


def test_preset_classic_is_one_card() -> None:
    assert Game("classic").changed_options() == {"max_bid_cards": "1"}
    assert Game("standard") == Game()


# All of it is covered


def names_of_tests() -> list[str]:
    """The names of all tests of this file, read from the source."""
    return re.findall(r"^def (test_\w+)", Path(__file__).read_text(), re.MULTILINE)


def test_every_clause_has_a_test() -> None:
    words = {word for name in names_of_tests() for word in name.split("_")}
    assert [number for number in range(1, 54) if f"r{number}" not in words] == []


def test_every_option_has_a_test() -> None:
    names = names_of_tests()
    missing = [o.name for o in OPTIONS if not any(name.startswith(f"test_option_{o.name}_") for name in names)]
    assert missing == []


def test_every_vector_has_a_test() -> None:
    source = Path(__file__).read_text()
    found = {int(number) for number in re.findall(r"\"v(\d\d)[_\"]", source)}
    found |= {int(number) for name in names_of_tests() for number in re.findall(r"_v(\d\d)(?=_|$)", name)}
    assert [number for number in range(1, 67) if number not in found] == []
