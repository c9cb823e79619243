"""Every clause of the rules, R1 to R48, as a small position with its result; `v14` in an id is test vector 14.

Positions are position lines; `position` fills in the words that a line leaves out. A, B, C, D are seats 0, 1, 2, 3.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config
from scipy.stats import chisquare

from cardkit import bits
from cardkit.jit import kernel
from cardkit.rng import new_rng
from cardkit.spec import IllegalAction, InvalidRules
from cardkit.state import State
from cardkit.verbs import CHANCE, apply, chance, deal_value, legal_mask, new_game, to_move
from kronions import Game
from kronions.cards import CARD_NAMES, PLAY_NAMES, RANKS, SHORT_PLAY_NAMES, SUIT_LETTERS
from kronions.rules import OPTIONS, hand_sizes
from kronions.state import BID, DEAL_CARDS, FLIP, NONE, PHASES, PLAY

FREES_TRICK = {"future_led": "frees_trick"}
ONLY_WHEN_VOID = {"paradox_when_able_to_follow": "only_when_void"}
ALWAYS_FLIP = {"last_round_trump": "flip_if_possible"}
SUITED = (1 << 52) - 1
IS_COMPILED = not config.DISABLE_JIT


# Writing positions


def num_cards(text: str) -> int:
    """How many cards a text such as "C3.P" names."""
    return 0 if text in "-?" else len(text.split("."))


def position(text: str, **options: Any) -> State:
    """The state of a position line; missing words say: one round, seat 0 deals and leads, all bid 0, nothing played.

    A flip card sets the trump suit, and turns the option on that the only round has one.
    """
    words = dict(word.split("=", 1) for word in text.split())
    seats = len(words["hands"].split(","))
    noughts, blanks = ",".join(["0"] * seats), ",".join(["-"] * seats)
    played = words.get("played", blanks).split(",")
    size = max(num_cards(h) + num_cards(p) for h, p in zip(words["hands"].split(","), played, strict=True))
    flip = words.get("flip", "-")
    given = {"num_players": seats, "round_sizes": [size]} | (ALWAYS_FLIP if flip != "-" else {}) | options
    trump = flip[0] if flip[0] in SUIT_LETTERS else "-"
    line = {
        "phase": "play", "round": "1", "dealer": "0", "size": str(size), "flip": flip, "up": str(int(flip != "-")),
        "trump": trump, "totals": noughts, "zeros": noughts, "bids": noughts, "won": noughts, "voids": blanks,
        "played": blanks, "leader": "0", "trick": "-", "actor": "0",
    } | words  # fmt: skip
    return Game(**given).position(" ".join(f"{key}={value}" for key, value in line.items()), seed=1)


def play(state: State, actions: str) -> State:
    """Play the actions of a text, such as "N5 Past"; the state itself, changed."""
    for word in actions.split():
        state.apply_action(state.string_to_action(word))
    return state


def legal(state: State) -> str:
    """The legal actions as a text, such as "N3 Fut Past" or "0 2 3"."""
    if state.phase() == "play":
        return " ".join(SHORT_PLAY_NAMES[action] for action in state.legal_actions())
    return " ".join(map(str, state.legal_actions()))


def trick_of_one_card(plays: str, flip: str = "-", **options: Any) -> State:
    """The end of a round of one card in which these cards are played."""
    hands = ",".join("P" if word in ("Fut", "Past") else word for word in plays.split())
    return play(position(f"hands={hands} flip={flip}", **options), plays)


def winner_of(plays: str, flip: str = "-", **options: Any) -> int:
    """Index of the play that takes the trick; -1 if nobody does."""
    state = trick_of_one_card(plays, flip, **options)
    won = state.record.tricks[: state.game.num_players].tolist()
    winner = int(state.record.winner)
    assert won == [int(seat == winner) for seat in range(len(won))]
    return winner


def seats_to_act(state: State, num_decisions: int) -> list[int]:
    """Who acts in the next decisions, if everybody makes the lowest choice."""
    seats = []
    for _ in range(num_decisions):
        seats.append(state.current_player())
        state.apply_action(state.legal_actions()[0])
    return seats


def to_phase(state: State, *phases: str) -> State:
    """Make lowest choices until a phase; the state itself, changed."""
    while state.phase() not in phases:
        state.apply_action(state.legal_actions()[0])
    return state


def rounds_of(game: Game, seed: int = 0) -> Iterator[State]:
    """The first decision of every round of a game."""
    state = game.new_initial_state(seed=seed)
    yield state.clone()
    while not state.is_terminal():
        before = int(state.record.rounds_done)
        state.apply_action(state.legal_actions()[0])
        if state.record.rounds_done > before and not state.is_terminal():
            yield state.clone()


def before_the_flip(hands: list[str], **options: Any) -> Any:
    """A record that has dealt these hands in round 1, seat 0 dealing, and is about to turn a card up."""
    game = Game(num_players=len(hands), round_sizes=[num_cards(hands[0])] * 2, first_dealer=0, **options)
    state = game.new_records(1)[0]
    new_game(game.rules, state)
    assert state.phase == DEAL_CARDS
    chance(game.rules, state, new_rng(0))
    assert state.phase == FLIP
    for seat, hand in enumerate(hands):
        cards = [SHORT_PLAY_NAMES.index(card) for card in hand.split(".") if card != "P"]
        state.hands[seat] = sum(1 << card for card in cards) | ((1 << hand.split(".").count("P")) - 1) << 52
    return game, state


# 2.1 Components and seats


def test_r1_two_to_six_players_each_for_themselves() -> None:
    for players in range(2, 7):
        state = to_phase(Game(num_players=players, only_round=1).new_initial_state(seed=1), "over")
        assert len(state.returns()) == players
        assert sum(state.places()[1]) == pytest.approx(1)
    for players in (1, 7):
        with pytest.raises(InvalidRules, match=r"num_players.*2\.\.6"):
            Game(num_players=players)


def test_option_num_players_sets_the_seats() -> None:
    assert Game().num_players == 4
    assert Game(num_players=6).new_initial_state(seed=1).record.bids[:6].tolist() == [-1] * 6


def dealt_cards(**options: Any) -> Counter[str]:
    """How often each card name is dealt in a round that deals the whole deck."""
    record = Game(**options).new_initial_state(seed=5).record
    names = [SHORT_PLAY_NAMES[c] if c < 52 else "P" for hand in record.hands for c in range(58) if int(hand) >> c & 1]
    return Counter(names)


def test_r2_the_deck_is_4_suits_of_13_ranks_and_6_paradox_cards() -> None:
    suited = {f"{letter}{rank}": 1 for letter in "CNVF" for rank in range(1, 14)}
    assert dealt_cards(num_players=2, only_round=29) == suited | {"P": 6}
    with pytest.raises(InvalidRules, match=r"3 cards .* too small for 4 players"):
        Game(num_players=4, num_suits=1, num_ranks=2, num_paradox=1)


@pytest.mark.parametrize("suits", [1, 2, 3])
def test_option_num_suits_takes_the_first_suits(suits: int) -> None:
    dealt = dealt_cards(num_players=2, num_suits=suits, num_paradox=2 - suits % 2, only_round=(13 * suits + 2) // 2)
    assert {name[0] for name in dealt} == {*"CNV"[:suits], "P"}
    assert {name[0] for name in dealt_cards(num_players=2, only_round=29)} == {*"CNVFP"}


def test_option_num_ranks_takes_the_lowest_ranks() -> None:
    dealt = dealt_cards(num_players=2, num_ranks=5, num_paradox=0, only_round=10)
    assert {name[1:] for name in dealt} == {"1", "2", "3", "4", "5"}


@pytest.mark.parametrize("copies", [0, 2, 4, 6])
def test_option_num_paradox_sets_the_copies(copies: int) -> None:
    assert dealt_cards(num_players=2, num_paradox=copies, only_round=26 + copies // 2)["P"] == copies


@pytest.mark.parametrize("rank", range(1, 13))
def test_r3_the_next_rank_up_wins_and_13_beats_1(rank: int) -> None:
    assert winner_of(f"N{rank} N{rank + 1}") == 1
    assert winner_of(f"N{rank + 1} N{rank}") == 0
    assert winner_of("N1 N13") == 1


def test_r4_paradox_cards_cannot_be_told_apart() -> None:
    state = position("hands=C1.P.P.P,C2.C3.C4.C5")
    assert legal(state) == "C1 Fut Past"
    play(state, "Past C2")
    assert state.position_string().split()[12] == "hands=C1.P.P,C3.C4.C5"
    assert legal(state) == "C3 C4 C5"
    assert legal(play(state, "C3")) == "C1 Fut Past"
    record = Game(num_players=2, only_round=29).new_initial_state(seed=1).record
    for hand in map(int, record.hands[:2]):  # whichever copies were dealt: the lowest places
        assert hand >> 52 in {(1 << copies) - 1 for copies in range(7)}
    assert sum((int(hand) >> 52).bit_count() for hand in record.hands) == 6


def test_r5_bidding_play_and_dealing_go_to_the_left() -> None:
    state = Game(num_players=5, first_dealer=3, round_sizes=[1, 1]).new_initial_state(seed=1)
    assert seats_to_act(state, 5) == [4, 0, 1, 2, 3]
    assert seats_to_act(state, 5) == [3, 4, 0, 1, 2]
    assert state.record.dealer == 4


# 2.2 Rounds and dealer


@pytest.mark.parametrize(("players", "cap"), [(2, 29), (3, 19), (4, 14), (5, 11), (6, 9)], ids=lambda n: f"v28_{n}")
def test_r6_hand_sizes_rise_from_1_to_the_cap(players: int, cap: int) -> None:
    sizes = [int(state.record.hand_size) for state in rounds_of(Game(num_players=players))]
    assert sizes == list(range(1, cap + 1))


@pytest.mark.parametrize(
    ("cap", "rounds"),
    [("max", 19), (5, 5), ("7", 7), ({3: 4}, 4), ({2: 29, 3: 19, 9: 99}, 19), ("2:9,3:6", 6)],
    ids=str,
)
def test_option_round_cap_ends_the_series(cap: Any, rounds: int) -> None:
    assert hand_sizes(Game(num_players=3, round_cap=cap).rules) == list(range(1, rounds + 1))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"num_players": 3, "round_cap": 20}, id="v28_too_many_cards"),
        {"num_players": 3, "round_cap": {3: 20}},
        {"round_cap": 0},
        {"round_cap": {3: 4}},
        {"round_cap": {4: 0}},
        {"round_cap": "4:x"},
        {"round_cap": 2.5},
    ],
    ids=str,
)
def test_r6_a_cap_that_cannot_be_dealt_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidRules, match="round_cap"):
        Game(**options)


def test_r7_a_list_replaces_the_series_and_its_last_entry_is_the_last_round() -> None:
    states = list(rounds_of(Game(num_players=3, round_sizes=[3, 1, 2], num_paradox=0)))
    assert [int(state.record.hand_size) for state in states] == [3, 1, 2]
    assert [state.record.trump != NONE for state in states] == [True, True, False]
    assert hand_sizes(Game(round_sizes="2,5").rules) == [2, 5]


@pytest.mark.parametrize("sizes", [[], [0], [15], [1] * 30, [1, -1], "1,x", 3, [True], [1.5]], ids=str)
def test_r7_a_list_that_cannot_be_dealt_is_refused(sizes: Any) -> None:
    with pytest.raises(InvalidRules, match="round_sizes"):
        Game(num_players=4, round_sizes=sizes)


def test_option_round_sizes_ignores_the_cap() -> None:
    assert hand_sizes(Game(num_players=4, round_cap=2).rules) == [1, 2]
    assert hand_sizes(Game(num_players=4, round_cap=29, round_sizes=[14] * 29).rules) == [14] * 29


@pytest.mark.parametrize(("size", "has_trump"), [(1, True), (13, True), (14, False)])
def test_option_only_round_r7b_plays_one_round_with_trump_as_in_the_full_game(size: int, has_trump: bool) -> None:
    (state,) = rounds_of(Game(num_players=4, only_round=size, paradox_flip="redraw"))
    assert (state.record.hand_size, state.record.trump != NONE) == (size, has_trump)
    assert to_phase(state, "over").record.rounds_done == 1
    assert sum(state.places()[1]) == pytest.approx(1)


def test_r7b_the_round_must_be_in_the_series() -> None:
    (state,) = rounds_of(Game(num_players=4, only_round=3, round_cap=3))
    assert state.record.turned_up == 0
    for options in ({"only_round": 15}, {"only_round": 4, "round_cap": 3}, {"only_round": 2, "round_sizes": [2]}):
        with pytest.raises(InvalidRules, match="only_round"):
            Game(num_players=4, **options)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_r8_every_seat_is_as_likely_to_deal_first(players: int) -> None:
    dealers = Game(num_players=players, round_cap=1).new_batch(3000, seed=8).states.dealer
    assert chisquare(np.bincount(dealers, minlength=players)).pvalue > 0.01


def test_option_first_dealer_chooses_a_seat() -> None:
    for seat in range(4):
        assert {int(dealer) for dealer in Game(first_dealer=seat).new_batch(50).states.dealer} == {seat}
    with pytest.raises(InvalidRules, match="first_dealer"):
        Game(num_players=4, first_dealer=4)


V31 = [("dealer", [2, 0, 1, 2], [0, 1, 2, 0], [2, 0, 1, 2]), ("left", [2, 0, 1, 2], [0, 1, 2, 0], [0, 1, 2, 0])]


@pytest.mark.parametrize(("rule", "dealers", "bidders", "leaders"), V31, ids=["v31", "v31_left"])
def test_r9_r18_r22_dealers_bidders_and_leaders_of_four_rounds(
    rule: str, dealers: list[int], bidders: list[int], leaders: list[int]
) -> None:
    states = list(rounds_of(Game(num_players=3, first_dealer=2, first_leader=rule, round_cap=4)))
    assert [int(state.record.dealer) for state in states] == dealers
    assert [state.current_player() for state in states] == bidders
    assert [to_phase(state, "play").current_player() for state in states] == leaders


def test_option_rotate_deal_fixed_keeps_the_dealer() -> None:
    for rule, dealers in (("left", [1, 2, 0]), ("fixed", [1, 1, 1])):
        states = rounds_of(Game(num_players=3, first_dealer=1, rotate_deal=rule, round_cap=3))
        assert [int(state.record.dealer) for state in states] == dealers


def test_r10_all_cards_are_shuffled_together_before_every_round() -> None:
    states = list(rounds_of(Game(num_players=2, round_sizes=[29, 29, 29])))
    hands = [tuple(map(int, state.record.hands[:2])) for state in states]
    for one, other in hands:
        assert (one | other) & SUITED == SUITED
        assert (one >> 52).bit_count() + (other >> 52).bit_count() == 6
    assert len(set(hands)) == 3
    for state in states:  # nothing but the scores is carried over
        assert not state.record.played
        assert not state.record.trick
        assert not state.record.voids.any()
        assert not state.record.paradox_played.any()
        assert not state.record.tricks.any()


def test_r11_two_players_use_the_same_clauses() -> None:
    state = Game(num_players=2, first_dealer=0, only_round=29).new_initial_state(seed=1)
    assert state.current_player() == 1
    play(state, "20")
    assert legal(state) == " ".join(str(bid) for bid in range(30) if bid != 9)
    hands = [int(hand) for hand in state.record.hands[:2]]
    assert hands[0] & SUITED == ~hands[1] & SUITED


# 2.3 Deal and trump


def test_r12_each_seat_gets_h_cards_that_only_it_sees() -> None:
    state = Game(num_players=4, only_round=5).new_initial_state(seed=3)
    hands = state.position_string().split("hands=")[1].split()[0].split(",")
    assert [num_cards(hand) for hand in hands] == [5] * 4
    for seat in range(4):
        shown = state.view(seat).position_string().split("hands=")[1].split()[0].split(",")
        assert shown == [hand if other == seat else "?" for other, hand in enumerate(hands)]


def test_r12_r13_every_deal_and_flip_is_equally_likely() -> None:
    states = Game("mini", only_round=1).new_batch(8400, seed=4).states  # v42: 210 deals
    deals = Counter(zip(states.hands[:, 0].tolist(), states.hands[:, 1].tolist(), states.flip.tolist(), strict=True))
    assert len(deals) == 210
    assert chisquare(list(deals.values())).pvalue > 0.01


def test_r13_a_card_turned_up_fixes_trump_in_every_round_but_the_last() -> None:
    for seed in range(5):
        states = list(rounds_of(Game(num_players=3, num_paradox=0), seed))
        for state in states[:-1]:
            record = state.record
            assert record.turned_up == 1
            assert record.trump == record.flip // RANKS
            assert not any(int(hand) >> int(record.flip) & 1 for hand in record.hands)
        assert (states[-1].record.turned_up, states[-1].record.trump) == (0, NONE)


def test_r13_no_trump_if_no_card_is_left_to_turn_up() -> None:
    first, _ = rounds_of(Game(num_players=2, round_sizes=[29, 1]))
    assert (first.record.turned_up, first.record.flip, first.record.trump) == (0, NONE, NONE)


@pytest.mark.parametrize("options", [{}, {"round_cap": 3}, {"round_sizes": [2, 3]}], ids=str)
def test_r14_no_trump_in_the_last_round(options: dict[str, Any]) -> None:
    *earlier, last = rounds_of(Game(num_players=4, **options))
    assert {int(state.record.turned_up) for state in earlier} == {1}
    assert (last.record.turned_up, last.record.trump) == (0, NONE)


@pytest.mark.parametrize(
    ("rule", "shown", "hidden"),
    [pytest.param("none", 0, 2, id="v29"), pytest.param("flip_if_possible", 1, 1, id="v29_flip_if_possible")],
)
def test_option_last_round_trump_turns_a_card_up_if_one_is_left(rule: str, shown: int, hidden: int) -> None:
    for options in ({"only_round": 14}, {"round_sizes": [14]}):
        record = Game(num_players=4, last_round_trump=rule, **options).new_initial_state(seed=1).record
        assert sum(int(hand).bit_count() for hand in record.hands) == 56
        assert (record.turned_up, record.trump != NONE) == (shown, shown == 1)
        assert 58 - 56 - record.turned_up == hidden
    record = Game(num_players=2, last_round_trump=rule, only_round=29).new_initial_state(seed=1).record
    assert (record.turned_up, record.trump) == (0, NONE)


def test_r15_the_flip_card_stays_visible_and_out_of_play() -> None:
    game = Game(num_players=3, only_round=6, num_paradox=0)
    state = game.new_initial_state(seed=1)
    flip = int(state.record.flip)
    while not state.is_terminal():
        assert state.record.flip == flip
        assert all(state.view(seat).record.flip == flip for seat in range(3))
        assert state.phase() == "bid" or flip not in state.legal_actions()
        state.apply_action(state.legal_actions()[-1])


def hands_that_leave_p_p_f9() -> list[str]:
    """Eleven cards for each of five seats; the stock is P, P and Flux 9."""
    cards = [name for name in SHORT_PLAY_NAMES[:52] if name != "F9"] + ["P"] * 4
    return [".".join(cards[seat::5]) for seat in range(5)]


def turn_up(seed: int, **options: Any) -> tuple[Any, Any]:
    """The game and its record after the flips of vector 30's position, drawn from a seed."""
    game, state = before_the_flip(hands_that_leave_p_p_f9(), **options)
    rng = new_rng(seed)
    while to_move(game.rules, state) == CHANCE:
        chance(game.rules, state, rng)
    return game, state


@cache
def seed_of_p_p_f9() -> int:
    """A seed whose flips are P, P and F9, if there are so many."""
    return next((seed for seed in range(99) if turn_up(seed, paradox_flip="redraw")[1].turned_up == 3), 0)


def test_r16_a_paradox_flip_means_no_trump() -> None:  # v30
    _, state = turn_up(seed_of_p_p_f9())
    assert (state.flip, state.turned_up, state.trump, PHASES[state.phase]) == (52, 1, NONE, "bid")


def test_option_paradox_flip_redraw_turns_up_cards_until_one_is_suited() -> None:  # v30
    _, state = turn_up(seed_of_p_p_f9(), paradox_flip="redraw")
    assert (SHORT_PLAY_NAMES[state.flip], state.turned_up, state.trump, PHASES[state.phase]) == ("F9", 3, 3, "bid")
    counts = Counter(int(turn_up(seed, paradox_flip="redraw")[1].turned_up) for seed in range(300))
    assert chisquare([counts[1], counts[2], counts[3]]).pvalue > 0.01  # F9 is equally likely to be at any place


def test_option_paradox_flip_redraw_ends_without_trump_when_the_stock_is_empty() -> None:
    hands = [".".join(SHORT_PLAY_NAMES[seat:52:4]) for seat in range(4)]
    game, state = before_the_flip(hands, num_paradox=2, paradox_flip="redraw")
    for turned_up in (1, 2):
        chance(game.rules, state, new_rng(turned_up))
        assert (state.flip, state.turned_up, state.trump) == (52, turned_up, NONE)
    assert PHASES[state.phase] == "bid"


def test_option_paradox_flip_dealer_names_lets_the_dealer_name_trump() -> None:  # v30
    game, state = turn_up(seed_of_p_p_f9(), paradox_flip="dealer_names")
    assert (state.flip, state.turned_up, state.trump) == (52, 1, NONE)
    assert (PHASES[state.phase], to_move(game.rules, state)) == ("name_trump", 0)
    assert int(legal_mask(game.rules, state)) == 0b1111  # "no trump" cannot be named
    apply(game.rules, state, 2)
    assert (state.trump, PHASES[state.phase], to_move(game.rules, state)) == (2, "bid", 1)
    state = position("phase=name_trump hands=C1,C2 bids=-,- flip=P", num_suits=2, paradox_flip="dealer_names")
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["name Chrono", "name Nova"]


def test_r17_the_rest_of_the_stock_is_never_shown() -> None:
    state = Game(num_players=3, only_round=4).new_initial_state(seed=2)
    dealt = int(np.bitwise_or.reduce(state.record.hands))
    public = dealt | 1 << int(state.record.flip)
    names = {name for name in SHORT_PLAY_NAMES[:52] if not public >> SHORT_PLAY_NAMES.index(name) & 1}
    while not state.is_terminal():
        assert not names & set(re.split(r"[ =,.]", state.position_string()))
        state.apply_action(state.legal_actions()[0])
    assert int(state.record.played) == dealt & SUITED


# 2.4 Bidding


def dealers_bids(size: int, others: list[int], **options: Any) -> str:
    """What the dealer, seat 0, may bid after the others' bids."""
    players = len(others) + 1
    game = Game(num_players=players, round_sizes=[size], first_dealer=0, **options)
    return legal(play(game.new_initial_state(seed=1), " ".join(map(str, others))))


def test_r18_the_dealer_bids_last() -> None:
    state = Game(num_players=4, first_dealer=2, only_round=3).new_initial_state(seed=1)
    assert seats_to_act(state, 4) == [3, 0, 1, 2]
    assert state.phase() == "play"


def test_r19_a_bid_is_0_to_h_once_and_open() -> None:
    state = Game(num_players=3, first_dealer=0, only_round=4).new_initial_state(seed=1)
    for i, bid in enumerate((4, 0)):
        assert legal(state) == "0 1 2 3 4"
        seat = state.current_player()
        state.apply_action(bid)
        assert [int(state.view(other).record.bids[seat]) for other in range(3)] == [bid] * 3
        assert np.count_nonzero(state.record.bids[:3] >= 0) == i + 1
    state.apply_action(4)
    assert (state.phase(), state.record.bids[:3].tolist()) == ("play", [4, 4, 0])


V22_TO_27 = [
    pytest.param(4, [1, 1, 1], "0 2 3 4", id="v22"),
    pytest.param(1, [0, 1, 0], "1", id="v23"),
    pytest.param(1, [0, 0, 0], "0", id="v24"),
    pytest.param(1, [1, 1, 0], "0 1", id="v25"),
    pytest.param(5, [2], "0 1 2 4 5", id="v26"),
    pytest.param(3, [3, 2, 0], "0 1 2 3", id="v27"),
]


@pytest.mark.parametrize(("size", "others", "bids"), V22_TO_27)
def test_r20_the_dealer_may_not_make_the_bids_add_up(size: int, others: list[int], bids: str) -> None:
    assert dealers_bids(size, others) == bids


@pytest.mark.parametrize(("size", "others", "bids"), V22_TO_27)
def test_option_hook_off_frees_the_dealer(size: int, others: list[int], bids: str) -> None:
    assert dealers_bids(size, others, hook="off") == " ".join(map(str, range(size + 1)))


def test_r20_nobody_but_the_dealer_is_restricted() -> None:
    state = Game(num_players=3, first_dealer=0, only_round=2).new_initial_state(seed=1)
    for seat in (1, 2):
        assert (state.current_player(), legal(state)) == (seat, "0 1 2")
        state.apply_action(1)


def test_r21_one_bid_at_most_is_forbidden_and_one_is_left() -> None:
    for size in (1, 2, 3):
        for others in itertools.product(range(size + 1), repeat=2):
            left = [bid for bid in range(size + 1) if bid != size - sum(others)]
            assert dealers_bids(size, list(others)) == " ".join(map(str, left)) != ""


# 2.5 Play


@pytest.mark.parametrize(("rule", "leader"), [("dealer", 2), ("left", 0)])
def test_option_first_leader_r22_the_dealer_leads_or_the_left_neighbour(rule: str, leader: int) -> None:
    state = Game(num_players=3, first_dealer=2, only_round=2, first_leader=rule).new_initial_state(seed=1)
    assert seats_to_act(state, 3) == [0, 1, 2]  # the bidding order does not change
    assert seats_to_act(state, 3) == [(leader + i) % 3 for i in range(3)]


def test_r23_play_goes_clockwise_and_the_winner_leads_next() -> None:
    state = position("hands=C1.C2,C9.C8,C3.C4,C5.C6")
    assert seats_to_act(state, 4) == [0, 1, 2, 3]
    assert (state.current_player(), state.record.winner) == (1, 1)
    assert seats_to_act(play(state, "C9"), 3) == [2, 3, 0]


R24_LEADS = [
    pytest.param("hands=C5.N1.F2.P,C1.C2.C3.C4", "", "C5 N1 F2 Fut Past", id="first_trick"),
    pytest.param("hands=C5.C6.N1.P,C1.C2.C3.C4", "C6 C1", "C5 N1 Fut Past", id="holding_the_suit_led_before"),
    pytest.param("hands=C5.C6.P,C1.C2.C3", "Fut C1", "C5 C6", id="after_a_future"),
    pytest.param("hands=C5.N1.P,C1.V2.N2", "C5 C1", "N1 Fut Past", id="void_in_the_suit_led_before"),
    pytest.param("hands=C5.C6.N1,C1.C2.C3,C7.N4.F2", "C5 C1 C7", "N4 F2", id="another_seat_leads"),
    pytest.param("hands=C5.C6.N1,C1.C2.C3,C7.C8.F2", "C5 C1 C7", "C8 F2", id="another_seat_may_lead_another_suit"),
]


@pytest.mark.parametrize("options", [{}, ONLY_WHEN_VOID], ids=str)
@pytest.mark.parametrize(("text", "plays", "expected"), R24_LEADS)
def test_r24_the_leader_may_play_any_card(text: str, plays: str, expected: str, options: dict[str, Any]) -> None:
    state = position(text, **options)
    assert legal(play(state, plays)) == expected
    again = state.game.position(state.position_string())
    assert legal(again) == expected


R25_LED_SUITS = [
    pytest.param("Past Past C4 N13", "C", id="v02"),
    pytest.param("Past Fut N13 N12", "N", id="v09"),
    pytest.param("Past F3 N13 N12", "F", id="v10"),
    pytest.param("Fut Fut Past V1", "V", id="after_three_paradox_cards"),
    pytest.param("Past Past Past Past", "-", id="none"),
]


@pytest.mark.parametrize(("plays", "suit"), R25_LED_SUITS)
def test_r25_the_first_suited_card_sets_the_led_suit(plays: str, suit: str) -> None:
    led = int(trick_of_one_card(plays).record.led_suit)
    assert (SUIT_LETTERS[led] if led >= 0 else "-") == suit


V18_TO_20 = [
    pytest.param("hands=P.C1.F1,C2.N7.F2,C8.N1.P", "Fut C2", "C8 Fut Past", "C8 N1 Fut Past", id="v18"),
    pytest.param("hands=P.C1,C2.N7,F8.N1", "Past", "C2 N7", "C2 N7", id="v19"),
    pytest.param("hands=P.C1,C2.N7,F8.N1", "Past N7", "N1", "N1", id="v19_then_nova"),
    pytest.param("hands=P.C1,P.N7,C8.N1,C3.N2", "Past Fut", "C8 N1", "C8 N1", id="v20"),
    pytest.param("hands=P.C1,P.N7,C8.N1,C3.N2", "Past Fut N1", "N2", "C3 N2", id="v20_then_nova"),
    pytest.param("hands=P.C1,P.C2,N13.C3,N12.C5", "Past Fut N13", "N12", "C5 N12", id="v09_d_must_follow"),
    pytest.param("hands=C9.C1,P.N7,C8.N1,C3.N2", "C9 Fut", "C8", "C8", id="a_future_after_a_suited_card_frees_nothing"),
]


@pytest.mark.parametrize(("text", "plays", "first_suited", "freed"), V18_TO_20)
def test_option_future_led_r25_frees_trick(text: str, plays: str, first_suited: str, freed: str) -> None:
    assert legal(play(position(text), plays)) == first_suited
    assert legal(play(position(text, **FREES_TRICK), plays)) == freed


LEGAL_PLAYS = [
    pytest.param("hands=F1.F2.F3,N3.C5.P.P played=N9,- trick=N9", "N3 Fut Past", "N3", id="v14"),
    pytest.param("hands=F2.F3,C5.F1.P played=N9,- trick=N9", "C5 F1 Fut Past", "C5 F1 Fut Past", id="v15"),
    pytest.param("hands=F2,P.P played=V9,- trick=V9 flip=V1", "Fut Past", "Fut Past", id="v16"),
    pytest.param("hands=F2,V2.N13 played=V9,- trick=V9 flip=V1", "V2", "V2", id="v17"),
    pytest.param("hands=F2,N3.P played=P,- trick=Past", "N3 Fut Past", "N3 Fut Past", id="v21"),
]


@pytest.mark.parametrize(("text", "always", "only_when_void"), LEGAL_PLAYS)
def test_r26_r27_r28_r31_what_seat_1_may_play(text: str, always: str, only_when_void: str) -> None:
    assert legal(position(f"{text} actor=1")) == always
    assert legal(position(f"{text} actor=1", **ONLY_WHEN_VOID)) == only_when_void


def test_option_paradox_when_able_to_follow_r26_only_when_void() -> None:
    text = "hands=F1,N3.P played=N9,- trick=N9 actor=1"
    assert legal(position(text)) == "N3 Fut Past"
    assert legal(position(text, **ONLY_WHEN_VOID)) == "N3"
    assert legal(position(text.replace("N3.P", "C3.P"), **ONLY_WHEN_VOID)) == "C3 Fut Past"


def test_r26_a_seat_that_holds_the_led_suit_must_follow_or_play_a_paradox_card() -> None:
    state = position("hands=C4.F1.F2.F4,C5.C9.N2.P,C1.C2.C3.F3")
    assert legal(play(state, "C4")) == "C5 C9 Fut Past"
    assert legal(play(state, "Past")) == "C1 C2 C3"


def test_r27_a_void_seat_may_play_any_card() -> None:
    state = position("hands=C4.F1.F2,N5.V9.P,F3.F4.F5 flip=V1")
    assert legal(play(state, "C4")) == "N5 V9 Fut Past"


def test_r28_any_card_while_no_suit_is_led() -> None:
    for options in ({}, ONLY_WHEN_VOID):
        state = position("hands=P.F1.F2,P.N5.N6,C5.N9.P", **options)
        assert legal(play(state, "Past")) == "N5 N6 Fut Past"
        assert legal(play(state, "Fut")) == "C5 N9 Fut Past"


def test_r29_nobody_has_to_trump_or_to_beat() -> None:
    state = position("hands=C4.F1,V5.N2,C3.C9 flip=V1")
    assert legal(play(state, "C4")) == "N2 V5"  # void, holds a trump
    assert legal(play(state, "V5")) == "C3 C9"


def test_r30_a_declaration_is_made_at_the_play_public_and_final() -> None:
    state = position("hands=P.C1,P.C2,C3.C4")
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["Chrono 1", "Future", "Past"]
    play(state, "Fut Past C3")
    for seat in range(3):
        assert "trick=Fut,Past,C3" in state.view(seat).position_string()
    assert state.record.winner == 0


def test_r31_a_paradox_card_has_no_suit() -> None:
    state = position("hands=P.F1.F2,V5.N2.P,V9.P.P flip=V1")
    assert legal(play(state, "Fut")) == "N2 V5 Fut Past"  # a Future is not a card of the trump suit
    assert legal(play(state, "N2")) == "V9 Fut Past"
    assert legal(play(position("hands=V9.F1,P.P,V2.P flip=V1"), "V9")) == "Fut Past"  # a led trump does not force it
    assert legal(play(position("hands=V9.F1,P.P,V2.P flip=V1", **ONLY_WHEN_VOID), "V9")) == "Fut Past"


# 2.6 Who wins a trick

WINNERS = {
    "r32": [
        ("v03", "N9 V13 Fut Fut", "V1", 2),
        ("v12", "Fut N13 N12 N11", "N1", 0),
        ("v13", "V13 Fut C13 Past", "C1", 1),
    ],
    "r33": [
        ("v01", "N5 V2 Past N13", "V1", 1),
        ("v06", "N4 N11 C13 N2", "N1", 1),
        ("v10", "Past F3 N13 N12", "F1", 1),
        ("v11", "V13 Past N1 V12", "N2", 2),
    ],
    "r34": [("v05", "C3 N13 C9 V13", "-", 2), ("v02", "Past Past C4 N13", "F1", 2)],
    "r35": [("v07", "F2 C13 N13 V13", "-", 0), ("after_a_past", "Past F2 C13 N13", "-", 1)],
    "r36": [("v09", "Past Fut N13 N12", "-", 1), ("led", "Fut Fut N13 N12", "-", 0)],
    "r37": [
        ("v08", "Past Past V1 Past", "-", 2),
        ("last", "Past Past Past C1", "-", 3),
        ("led", "C1 Past Past Past", "F1", 0),
    ],
}


def winners(clause: str) -> Any:
    """The tricks of a clause, as parameters."""
    return pytest.mark.parametrize(
        ("plays", "flip", "winner"), [pytest.param(*values, id=name) for name, *values in WINNERS[clause]]
    )


@winners("r32")
def test_r32_the_first_future_wins(plays: str, flip: str, winner: int) -> None:
    assert winner_of(plays, flip) == winner


@winners("r33")
def test_r33_the_highest_trump_wins(plays: str, flip: str, winner: int) -> None:
    assert winner_of(plays, flip) == winner


@winners("r34")
def test_r34_the_highest_card_of_the_led_suit_wins(plays: str, flip: str, winner: int) -> None:
    assert winner_of(plays, flip) == winner


@winners("r35")
def test_r35_a_discard_never_wins(plays: str, flip: str, winner: int) -> None:
    assert winner_of(plays, flip) == winner


@winners("r36")
def test_r36_a_future_wins_without_trump_too(plays: str, flip: str, winner: int) -> None:
    assert winner_of(plays, flip) == winner


@winners("r37")
def test_r37_one_suited_card_beats_all_pasts(plays: str, flip: str, winner: int) -> None:
    assert winner_of(plays, flip) == winner


V04 = [
    pytest.param("first", 0, 0, id="v04_first"),
    pytest.param("last", 3, 3, id="v04_last"),
    pytest.param("nobody", NONE, 0, id="v04_nobody"),
]


@pytest.mark.parametrize(("rule", "winner", "next_leader"), V04)
def test_option_all_past_r38_who_takes_a_trick_of_pasts(rule: str, winner: int, next_leader: int) -> None:
    assert winner_of("Past Past Past Past", all_past=rule) == winner
    state = play(position("hands=P.C1,P.C2,P.C3,P.C4", all_past=rule), "Past Past Past Past")
    assert (state.record.winner, state.current_player()) == (winner, next_leader)


def test_r38_the_leader_wins_a_trick_of_pasts() -> None:
    state = play(position("dealer=2 leader=2 actor=2 hands=P.C1,P.C2,P.C3,P.C4"), "Past Past Past Past")
    assert (state.current_player(), state.record.tricks[:4].tolist()) == (2, [0, 0, 1, 0])


# 2.7 Scoring a round


def points_of(bid: int, tricks: int, **options: Any) -> int:
    """What a bid and a number of tricks are worth."""
    game = Game(**options)
    record, points = game.new_records(1)[0], np.zeros(game.num_players)
    record.bids[:], record.tricks[:] = bid, tricks
    deal_value(game.rules, record, points)
    return int(points[0])


V32 = [(5, 4, 0), (5, 5, 15), (5, 6, 0), (0, 0, 10), (0, 1, 0)]
V33 = [(3, 3, 13), (3, 2, 2), (0, 0, 10), (0, 4, 4)]


@pytest.mark.parametrize(("bid", "tricks", "points"), V32, ids=lambda n: f"v32_{n}")
def test_r39_r40_ten_and_the_bid_if_exact_and_nothing_if_not(bid: int, tricks: int, points: int) -> None:
    assert points_of(bid, tricks) == points


@pytest.mark.parametrize(("bid", "tricks", "points"), V33, ids=lambda n: f"v33_{n}")
def test_option_scoring_r41_tricks_plus_bonus(bid: int, tricks: int, points: int) -> None:
    assert points_of(bid, tricks, scoring="tricks_plus_bonus") == points
    assert points_of(bid, tricks) == (10 + bid if bid == tricks else 0)


@pytest.mark.parametrize("base", [0, 3, 1000])
def test_option_score_base_replaces_the_ten(base: int) -> None:
    assert points_of(5, 5, score_base=base) == base + 5
    assert points_of(5, 4, score_base=base) == 0
    assert points_of(2, 2, score_base=base, scoring="tricks_plus_bonus") == base + 2
    for wrong in (-1, 1001):
        with pytest.raises(InvalidRules, match="score_base"):
            Game(score_base=wrong)


def test_r42_points_are_added_to_public_totals() -> None:
    text = "round=2 size=1 hands=C1,C2,C3 bids=0,0,0 totals=11,0,10 zeros=0,1,1 flip=V1"
    state = position(text, round_sizes=[1, 1, 1])
    assert state.returns() == [11, 0, 10]
    play(state, "C1 C2 C3")
    assert state.returns() == [21, 10, 10]
    assert [state.view(seat).record.totals[:3].tolist() for seat in range(3)] == [[21, 10, 10]] * 3


# 2.8 End of the game


def end(totals: str, zeros: str, **options: Any) -> tuple[list[int], list[float]]:
    """Places and shares after 29 rounds of one card."""
    seats = totals.count(",") + 1
    cards = ",".join(f"C{rank}" for rank in range(1, seats + 1))
    text = f"phase=over round=29 hands={','.join('-' * seats)} played={cards} trick={cards}"
    text += f" won={','.join(['0'] * (seats - 1) + ['1'])} totals={totals} zeros={zeros}"
    state = position(text, round_sizes=[1] * 29, **options)
    assert state.is_terminal()
    assert state.returns() == [float(total) for total in totals.split(",")]
    return state.places()


def test_r43_the_highest_total_wins_after_the_last_round() -> None:
    assert end("60,71,45,0", "9,0,9,0") == ([2, 1, 3, 4], [0, 1, 0, 0])
    state = to_phase(Game(num_players=2, round_cap=2).new_initial_state(seed=1), "over")
    assert (state.record.rounds_done, state.legal_actions()) == (2, [])


def test_r44_a_tie_goes_to_the_seat_with_more_zero_bids() -> None:  # v34
    assert end("60,60,45", "3,5,9") == ([2, 1, 3], [0, 1, 0])


def test_r45_seats_still_tied_share_the_win() -> None:  # v35
    assert end("60,60", "4,4") == ([1, 1], [0.5, 0.5])


def test_option_tie_final_seat_order_puts_the_lower_seat_ahead() -> None:  # v35
    assert end("60,60", "4,4", tie_final="seat_order") == ([1, 2], [1, 0])
    assert end("60,60,60", "4,5,5", tie_final="seat_order") == ([3, 1, 2], [0, 1, 0])


def test_option_tie_zero_count_made_counts_only_zero_bids_that_were_made() -> None:
    for rule, zeros in (("bids", [1, 1, 1]), ("made", [1, 1, 0])):
        state = play(position("hands=C1,C2,C3", tie_zero_count=rule), "C1 C2 C3")
        assert state.record.zero_bids[:3].tolist() == zeros
    assert end("60,60", "4,1", tie_zero_count="made") == ([1, 2], [1, 0])  # v35: 4 and 4 zero bids, made 4 and 1


def test_r46_the_ladder_orders_the_lower_places_too() -> None:
    assert end("50,50,45", "2,2,9") == ([1, 1, 3], [0.5, 0.5, 0])
    assert end("45,50,45,45,50,1", "3,1,4,3,0,0") == ([4, 1, 3, 4, 2, 6], [0, 1, 0, 0, 0, 0])


def test_r47_all_totals_zero_are_decided_by_the_ladder() -> None:  # v36
    assert end("0,0,0", "1,0,0") == ([1, 2, 2], [1, 0, 0])
    assert end("0,0,0", "0,0,0", tie_zero_count="made") == ([1, 1, 1], [pytest.approx(1 / 3)] * 3)


def test_r48_illegal_choices_are_refused_and_change_nothing() -> None:
    state = play(position("hands=N4.F1.P,N5.C9.P flip=V1"), "N4")
    before, history = state.serialize(), state.history(0)
    for action in (-1, 0, 8, 16, 54, 99, 2**70, True, "N5", 17.0, None):
        with pytest.raises(IllegalAction, match=r"illegal action .* seat 1: expected one of"):
            state.apply_action(action)  # type: ignore[arg-type]
        assert (state.serialize(), state.history(0)) == (before, history)
    play(state, "N5 C9 F1 Past Past")
    assert state.is_terminal()
    with pytest.raises(IllegalAction, match="the game is over"):
        state.apply_action(0)


# 3 Decision points


def test_v37_choice_numbers() -> None:
    assert [SHORT_PLAY_NAMES.index(name) for name in ("C1", "F13", "Fut", "Past", "V7")] == [0, 51, 52, 53, 32]
    assert [PLAY_NAMES[number] for number in (0, 51, 52, 53, 32)] == ["Chrono 1", "Flux 13", "Future", "Past", "Void 7"]
    assert len(CARD_NAMES) == 52


def test_a_decision_has_at_most_30_choices() -> None:
    (state,) = rounds_of(Game(num_players=2, only_round=29))
    assert len(state.legal_actions()) == 30
    rest = ".".join([*SHORT_PLAY_NAMES[28:52], *["P"] * 5])
    assert len(position(f"hands={'.'.join([*SHORT_PLAY_NAMES[:28], 'P'])},{rest}").legal_actions()) == 30


# 4 Who knows what


V38 = [
    pytest.param("C5", "N", "N", id="v38_suited"),
    pytest.param("Past", "-", "N", id="v38_past"),
    pytest.param("N1", "-", "-", id="v38_follows"),
]


@pytest.mark.parametrize(("card", "voids", "only_when_void"), V38)
def test_voids_that_a_play_proves(card: str, voids: str, only_when_void: str) -> None:
    hand = {"C5": "C5.P", "Past": "C9.P", "N1": "N1.P"}[card]
    for options, expected in (({}, voids), (ONLY_WHEN_VOID, only_when_void)):
        state = play(position(f"hands=N4.F1,{hand},F2.F3", **options), f"N4 {card}")
        assert f"voids=-,{expected},-" in state.position_string()
        assert f"voids=-,{expected},-" in state.view(2).position_string()


@pytest.mark.parametrize("options", [{}, ONLY_WHEN_VOID], ids=str)
def test_a_trick_without_a_led_suit_proves_no_void(options: dict[str, Any]) -> None:
    state = play(position("hands=P.F1,P.F2,C1.F3", **options), "Past Fut C1")
    assert "voids=-,-,-" in state.position_string()
    state = play(position("hands=P.F1,N3.F2,C1.F3", **options, **FREES_TRICK), "Fut N3 C1")
    assert "voids=-,-,-" in state.position_string()


def worlds(view: State) -> Iterator[list[tuple[int, ...]]]:
    """Every physical world of a view: the cards of each other seat; the rest is the hidden stock."""
    rules, state, seat = view.game.rules, view.record, view.observer
    deck = [suit * RANKS + rank for suit in range(rules.num_suits) for rank in range(rules.num_ranks)]
    seen = int(np.bitwise_or.reduce(state.hands)) & SUITED | (1 << int(state.flip) if 0 <= state.flip < 52 else 0)
    shown = sum((int(hand) >> 52).bit_count() for hand in state.hands) + int(state.turned_up) - (0 <= state.flip < 52)
    unseen = [card for card in deck if not seen >> card & 1] + list(range(52 + shown, 52 + rules.num_paradox))
    others = [other for other in range(rules.num_players) if other != seat]
    left = [int(state.hand_size) - int(state.hands[other]).bit_count() for other in others]

    def fill(index: int, rest: list[int]) -> Iterator[list[tuple[int, ...]]]:
        if index == len(others):
            yield []
            return
        void = int(state.voids[others[index]])
        allowed = [card for card in rest if card >= 52 or not void >> card // RANKS & 1]
        for hand in itertools.combinations(allowed, left[index]):
            for tail in fill(index + 1, [card for card in rest if card not in hand]):
                yield [hand, *tail]

    return fill(0, unseen)


def test_v39_the_last_round_of_two_has_one_world() -> None:
    state = Game(num_players=2, first_dealer=0, only_round=29).new_initial_state(seed=1)
    (world,) = worlds(state.view(1))
    hand = int(state.record.hands[0])
    assert [card for card in world[0] if card < 52] == [card for card in range(52) if hand >> card & 1]
    assert len(world[0]) == 29


def test_v40_mini_has_six_worlds_at_the_first_bid() -> None:
    for seed in range(20):
        state = Game("mini", only_round=2).new_initial_state(seed=seed)
        found = list(worlds(state.view(1)))
        assert len(found) == len(set(map(tuple, found))) == math.comb(4, 2)


def test_v41_a_void_leaves_one_world() -> None:
    text = "phase=bid round=2 size=2 hands=?,C2.N1 flip=N3 bids=-,- actor=1 voids={},-".format
    game = {"num_suits": 2, "num_ranks": 3, "num_paradox": 1, "round_sizes": [1, 2, 1]}
    assert len(list(worlds(position(text("-"), **game)))) == 6  # C1, C3, N2, P are unseen
    (world,) = worlds(position(text("C"), **game))
    assert world == [(SHORT_PLAY_NAMES.index("N2"), 52)]


# 7 Exhaustive counts


@kernel
def count_lines(rules, work, masks, stop, tricks):  # type: ignore[no-untyped-def]
    """How many ways lead from `work[0]` to a phase, or to the end of the round; adds up the tricks won there."""
    lines = 0
    depth = 0
    masks[0] = legal_mask(rules, work[0])
    while depth >= 0:
        if masks[depth] == bits.ZERO:
            depth -= 1
            continue
        action = bits.lowest(masks[depth])
        masks[depth] = bits.without_lowest(masks[depth])
        work[depth + 1] = work[depth]
        apply(rules, work[depth + 1], action)
        if work[depth + 1].phase == stop or to_move(rules, work[depth + 1]) < 0:
            lines += 1
            for seat in range(rules.num_players):
                tricks[seat] += work[depth + 1].tricks[seat]
        else:
            depth += 1
            masks[depth] = legal_mask(rules, work[depth])
    return lines


def deals(rules: Any, size: int, flips: bool) -> Iterator[tuple[list[int], int]]:
    """All physical deals: the cards of each seat as bit masks, and the card turned up (-1 none)."""
    deck = [suit * RANKS + rank for suit in range(rules.num_suits) for rank in range(rules.num_ranks)]
    deck += list(range(52, 52 + rules.num_paradox))

    def fill(seats: int, rest: list[int]) -> Iterator[tuple[list[int], int]]:
        if seats == 0:
            yield from (([], card) for card in (rest if flips else [NONE]))
            return
        for hand in itertools.combinations(rest, size):
            for hands, flip in fill(seats - 1, [card for card in rest if card not in hand]):
                yield [sum(1 << card for card in hand), *hands], flip

    return fill(rules.num_players, deck)


class Counts:
    """The numbers of deals, bid sequences, play lines and histories of a round, and the tricks won by each seat."""

    def __init__(self, players: int, size: int, flips: bool, **options: Any) -> None:
        game = Game("mini", num_players=players, only_round=size, **options)
        self._rules = game.rules
        self._work, self._masks = game.new_records(32), np.zeros(32, np.uint64)
        self.deals = self.lines = self.histories = 0
        self.bids: set[int] = set()
        self.tricks = np.zeros(players, np.int64)
        new_game(self._rules, self._work[0])
        for hands, flip in deals(self._rules, size, flips):
            self._add_deal(size, hands, flip)
        if not IS_COMPILED:  # minutes in plain Python; the plays do not depend on the bids
            self.histories = self.lines * max(self.bids)

    def _add_deal(self, size: int, hands: list[int], flip: int) -> None:
        state, dropped = self._work[0], np.zeros(6, np.int64)
        state.phase, state.hand_size, state.actor, state.flip = BID, size, 1, min(flip, 52)
        state.trump = flip // RANKS if 0 <= flip < 52 else NONE
        state.turned_up = int(flip >= 0)
        state.bids[:] = -1
        for seat, hand in enumerate(hands):
            state.hands[seat] = hand & SUITED | ((1 << (hand >> 52).bit_count()) - 1) << 52
        self.deals += 1
        self.bids.add(count_lines(self._rules, self._work, self._masks, PLAY, dropped))
        if IS_COMPILED:
            self.histories += count_lines(self._rules, self._work, self._masks, -1, dropped)
        state.phase, state.actor = PLAY, 0 if self._rules.first_leader == 0 else 1
        state.bids[: len(hands)] = 0
        self.lines += count_lines(self._rules, self._work, self._masks, -1, self.tricks)


V42_TO_46 = [
    pytest.param(2, 1, True, 210, 2, [270, 270, 270], 540, [144, 126], id="v42"),
    pytest.param(2, 2, True, 630, 6, [3420, 3132, 3420], 20520, [3582, 3258], id="v43"),
    pytest.param(2, 3, False, 140, 12, [5616, 4536, 5616], 67392, [9324, 7524], id="v44"),
    pytest.param(3, 1, True, 840, 5, [1200, 1200, 1200], 6000, [436, 382, 382], id="v45"),
    pytest.param(3, 2, False, 630, 21, [6120, 5256, 6336], 128520, [5052, 3774, 3414], id="v46"),
]


@pytest.mark.parametrize(("players", "size", "flips", "deals", "bids", "lines", "histories", "tricks"), V42_TO_46)
def test_exhaustive_counts_of_mini(
    players: int, size: int, flips: bool, deals: int, bids: int, lines: list[int], histories: int, tricks: list[int]
) -> None:
    counts = Counts(players, size, flips)
    assert (counts.deals, counts.bids, counts.lines, counts.tricks.tolist()) == (deals, {bids}, lines[0], tricks)
    assert counts.histories == histories
    assert Counts(players, size, flips, **ONLY_WHEN_VOID).lines == lines[1]
    assert Counts(players, size, flips, **FREES_TRICK).lines == lines[2]


@pytest.mark.parametrize(
    ("rule", "tricks"),
    [
        pytest.param("first", [120, 88], id="v47_first"),
        pytest.param("last", [112, 96], id="v47_last"),
        pytest.param("nobody", [112, 88], id="v47_nobody"),
    ],
)
def test_exhaustive_counts_with_two_paradox_cards(rule: str, tricks: list[int]) -> None:
    counts = Counts(2, 1, True, num_ranks=2, num_paradox=2, all_past=rule)
    assert (counts.deals, counts.bids, counts.lines, counts.tricks.tolist()) == (120, {2}, 208, tricks)
    assert counts.histories == 416


@pytest.mark.parametrize(
    ("leader", "tricks"),
    [pytest.param("dealer", [540, 468], id="v48"), pytest.param("left", [468, 540], id="v48_left")],
)
def test_exhaustive_counts_without_paradox_cards(leader: str, tricks: list[int]) -> None:
    counts = Counts(2, 2, True, num_paradox=0, first_leader=leader)
    assert (counts.deals, counts.bids, counts.lines, counts.tricks.tolist()) == (180, {6}, 504, tricks)
    assert counts.histories == 3024


# 8 Presets


def test_preset_oh_hell_is_one_deal_with_trump_and_left_leading() -> None:
    for players, size in ((2, 25), (3, 17), (4, 12), (5, 10), (6, 8)):
        state = Game("oh_hell", num_players=players).new_initial_state(seed=1)
        assert (state.record.hand_size, state.record.turned_up, state.record.trump != NONE) == (size, 1, True)
        dealer = int(state.record.dealer)
        assert to_phase(state, "play").current_player() == (dealer + 1) % players
    with pytest.raises(InvalidRules, match="hand_size"):
        Game("oh_hell", num_players=4, hand_size=13)


def test_preset_mini_is_for_two_or_three() -> None:
    assert [hand_sizes(Game("mini", num_players=players).rules) for players in (2, 3)] == [[1, 2, 3], [1, 2]]
    for players in (4, 5, 6):
        with pytest.raises(InvalidRules, match=r"2\.\.3"):
            Game("mini", num_players=players)


# All of it is covered


def names_of_tests() -> list[str]:
    """The names of all tests of this folder, read from the sources."""
    sources = sorted(Path(__file__).parent.glob("test_*.py"))
    return [name for path in sources for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)]


def test_every_clause_has_a_test() -> None:
    words = {word for name in names_of_tests() for word in name.split("_")}
    clauses = ["r7b", *(f"r{number}" for number in range(1, 49))]
    assert [clause for clause in clauses if clause not in words] == []


def test_every_option_has_a_test() -> None:
    names = names_of_tests()
    missing = [o.name for o in OPTIONS if not any(name.startswith(f"test_option_{o.name}_") for name in names)]
    assert missing == []


def test_every_vector_has_a_test() -> None:
    source = Path(__file__).read_text()
    found = {int(number) for number in re.findall(r"\bv(\d\d)(?![0-9A-Z])", source)}
    found |= {int(number) for number in re.findall(r"_v(\d\d)_", source)}
    assert [number for number in range(1, 49) if number not in found] == []
