"""The reference engine against every test vector of `rules/truf.md`, section 7, and its section 6."""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import pytest

from .truf import (
    ALL_BRANCHES,
    CHANCE,
    DONE,
    ENUMS,
    OVER,
    RANKS,
    SEATS,
    Reference,
    bid_of,
    bid_value,
    deck_of,
    hand_score,
    hand_size_of,
    is_face_down,
    is_freak,
    is_honour,
    legal_bid_cards,
    legal_cards,
    legal_shifts,
    mode_of_shift,
    outcome,
    places_of,
    shift_of,
    shifted_bids,
    suit_of,
    top_bidder,
    trick_winner,
    truf_of,
)

Options = dict[str, Any]
SUITS = "CDHS"
C, D, H, S = range(4)
FULL_DECK = list(range(52))
MINI: Options = {"num_suits": 2, "ranks": ["2", "Q", "K", "A"], "max_hands": 1}
CLASSIC: Options = {"max_bid_cards": 1}


def cards(text: str) -> list[int]:
    """Card numbers of cards in the notation of the rules; a `*` for face down is ignored."""
    words = text.replace("*", "").replace(",", " ").replace("+", " ").split()
    return [13 * SUITS.index(word[-1]) + RANKS.index(word[:-1]) for word in words]


def hands_of(text: str) -> list[list[int]]:
    """The cards of four seats, separated by `|`."""
    return [cards(part) for part in text.split("|")]


def complete(given: list[list[int]], deck: list[int], rng: random.Random) -> list[list[int]]:
    """Hands that contain the given cards, filled up at random from the deck."""
    rest = [card for card in deck if not any(card in hand for hand in given)]
    rng.shuffle(rest)
    return [[*hand, *[rest.pop() for _ in range(len(deck) // 4 - len(hand))]] for hand in given]


def lay(game: Reference, laids: Sequence[Sequence[int]]) -> None:
    """Make these four bids."""
    for seat, laid in enumerate(laids):
        assert game.to_move() == seat
        for action in [*sorted(laid), DONE]:
            game.apply(action)


def revealed(text: str, options: Options | None = None, seed: int = 0) -> Reference:
    """A game with the full pack in which the seats have just laid these bids."""
    game = Reference(**(options or {}))
    laids = hands_of(text)
    game.start_hand(complete(laids, game.deck(), random.Random(seed)))
    lay(game, laids)
    return game


def table(hands: str, truf: int | None, leader: int, unlocked: bool = False, **options: Any) -> Reference:
    """A constructed position: these cards are left, everybody has bid 1 and the mode is HIGH."""
    game = Reference(**options)
    game.hand_number = 1
    game.hands = [sorted(hand) for hand in hands_of(hands)]
    game.bids = [1, 1, 1, 1]
    game.final_bids = [1, 1, 1, 1]
    game.mode, game.truf, game.top_bidder, game.leader, game.unlocked = "HIGH", truf, leader, leader, unlocked
    game._phase = "play"
    return game


def play(game: Reference, text: str) -> None:
    """Play these cards in turn."""
    for card in cards(text):
        game.apply(card)


# ---------------------------------------------------------------------------------------- top bidder, truf, mode

ABOVE: Options = {"mixed_tie": "above_spades"}
STRONGEST: Options = {"mixed_tie": "strongest_card_suit"}
LADDERS = [
    pytest.param("7S | 3S+4S | 5H+2C | KD", 21, "HIGH", 0, S, 2, {}, id="v01_r19_step_2"),
    pytest.param("3S+4S | 2S+5S | AD | JC", 15, "HIGH", 1, S, 5, {}, id="v02_r19_step_5"),
    pytest.param("5S+KH | 5D | AH | QC", 11, "LOW", 1, D, 2, {}, id="v03_r19_step_2"),
    pytest.param("5S+KH | 4S+AH | JD | KC", 10, "LOW", 0, None, 5, {}, id="v04_r19_step_5_no_truf"),
    pytest.param("3H+4C | 3D+4S | KD | KH", 14, "HIGH", 1, None, 4, {}, id="v05_r19_step_4"),
    pytest.param("3H+4S | 2S+5D | KD | KH", 14, "HIGH", 0, None, 5, {}, id="v06_r19_step_5_mixed"),
    pytest.param("6S+2H | AD+7S | 8C | 3C+5C", 32, "HIGH", 2, C, 2, {}, id="v07_r19_step_2_clubs"),
    pytest.param("2H+3H | AS+4D | KC | JD", 10, "LOW", 0, H, 3, {}, id="v08_r19_one_suit_beats_mixed"),
    pytest.param("KS | JS | QH | KD", 0, "LOW", 0, S, 5, {}, id="v09_r20_king_above_jack"),
    pytest.param("KD+QD | JC | KC+KS | JH", 0, "LOW", 3, H, 3, {}, id="v10_r20_steps_2_and_3"),
    pytest.param("QS+KH | JS+QH | KD | JD", 0, "LOW", 2, D, 5, {}, id="v11_r20_steps_2_and_5"),
    pytest.param("AS | AH | AD | AC", 4, "LOW", 0, S, 3, {}, id="v12_r7_suit_order"),
    pytest.param("9C | 4S+5S | 10H+AD | 2C", 31, "HIGH", 2, None, 1, {}, id="v13_r19_step_1"),
    pytest.param("AS+2S+3S | 2H+4H | QC | JD", 12, "LOW", 0, S, 3, {}, id="v14_r19_three_cards_equal_two"),
    pytest.param("AS+3S | KS+4S | JD | QD", 8, "LOW", 0, S, 5, {}, id="v15_r5_ace_high"),
    pytest.param("AS+3S | KS+4S | JD | QD", 8, "LOW", 1, S, 5, {"ace_play": "low"}, id="v15_r5_ace_low"),
    pytest.param("6S+2H | AD+7S | 3C+5C | JH", 24, "HIGH", 2, C, 3, {}, id="v16_r19_below_clubs"),
    pytest.param("6S+2H | AD+7S | 3C+5C | JH", 24, "HIGH", 1, None, 5, ABOVE, id="v16_r19_above_spades"),
    pytest.param("6S+2H | AD+7S | 3C+5C | JH", 24, "HIGH", 1, None, 5, STRONGEST, id="v16_r19_strongest_card"),
    pytest.param("5S+KS | 5C | AH | AD", 12, "LOW", 1, C, 2, {}, id="v17_r14_padding_allowed"),
]


@pytest.mark.parametrize(("bids", "total", "mode", "top", "truf", "step", "options"), LADDERS)
def test_top_bidder_truf_and_mode(
    bids: str, total: int, mode: str, top: int, truf: int | None, step: int, options: Options
) -> None:
    laids = hands_of(bids)
    assert top_bidder(laids, options) == (top, step)
    assert truf_of(laids[top]) == truf
    game = revealed(bids, options)
    assert (game.top_bidder, game.truf, game.mode, game.shift_sum) == (top, truf, mode, total)
    assert game.bids == game.final_bids == [bid_of(laid) for laid in laids]
    assert (game.phase(), game.to_move(), game.leader) == ("play", top, top)
    assert game.exposed == [set(laid) for laid in laids]
    assert all(set(laid) <= set(hand) for laid, hand in zip(laids, game.hands, strict=True))
    assert game.branches[f"R19 step {step}"] == 1


@pytest.mark.parametrize(("bids", "total", "mode", "top", "truf", "step", "options"), LADDERS)
def test_invariant_8_any_rotation_of_the_bids_rotates_the_top_bidder(
    bids: str, total: int, mode: str, top: int, truf: int | None, step: int, options: Options
) -> None:
    laids = hands_of(bids)
    for turn in range(4):
        assert top_bidder(laids[turn:] + laids[:turn], options) == ((top - turn) % 4, step)


def test_v17_r14_padding_forbidden() -> None:
    options = {"padding": "forbidden"}
    hand = complete(hands_of("5S KS 3S JC | | |"), FULL_DECK, random.Random(1))[0]
    assert cards("KS")[0] not in legal_bid_cards(hand, cards("5S"), options)
    assert legal_bid_cards(cards("3S 5S KS"), cards("3S"), options) == [*cards("5S"), DONE]
    assert legal_bid_cards(hand, cards("JC"), options) == [DONE]
    assert set(hand) == set(legal_bid_cards(hand, [], options))
    assert cards("KS")[0] in legal_bid_cards(hand, cards("5S"), {})


def test_r13_bid_cap() -> None:
    hand = cards("10C 3C 4C KC 8S")
    assert legal_bid_cards(hand, cards("3C"), {"bid_cap": 13}) == [*cards("4C 10C KC 8S"), DONE]
    assert legal_bid_cards(hand, cards("4C"), {"bid_cap": "H"}) == [*cards("KC 8S"), DONE]
    assert legal_bid_cards(hand, cards("4C"), {}) == [*cards("10C KC 8S"), DONE]


def subsets_by_bidding(hand: list[int], laid: tuple[int, ...], options: Options) -> Iterator[tuple[int, ...]]:
    """Every bid of the hand, reached through the choices of the bid phase."""
    for action in legal_bid_cards(hand, laid, options):
        if action == DONE:
            yield laid
        else:
            yield from subsets_by_bidding(hand, (*laid, action), options)


def test_r11_all_8191_subsets_are_accepted_once() -> None:
    hand = random.Random(11).sample(FULL_DECK, 13)
    bids = Counter(subsets_by_bidding(hand, (), {}))
    assert len(bids) == sum(bids.values()) == 8191
    assert Counter(map(len, bids)) == {size: math.comb(13, size) for size in range(1, 14)}
    assert len(set(subsets_by_bidding(hand, (), CLASSIC))) == 13


@pytest.mark.parametrize("key", ["bid_cap", "padding"])
def test_r13_r14_restricted_subsets_are_exactly_the_legal_ones(key: str) -> None:
    hand = cards("2C 3C JC KC AC 5D QD 10H 4S 9S")
    subsets = [laid for size in range(1, 11) for laid in itertools.combinations(sorted(hand), size)]
    if key == "bid_cap":
        expected = [laid for laid in subsets if bid_of(laid) <= 13]
        options: Options = {"bid_cap": 13}
    else:
        courts = set(cards("JC KC QD"))
        expected = [laid for laid in subsets if len(laid) == 1 or not courts & set(laid)]
        options = {"padding": "forbidden"}
    assert sorted(subsets_by_bidding(hand, (), options)) == sorted(expected)


def test_r16_share_of_hands_that_cannot_bid_nil() -> None:
    assert round(100 * math.comb(40, 13) / math.comb(52, 13), 2) == 1.89


def test_invariant_5_bid_values() -> None:
    values = sorted((bid_value(card) for card in FULL_DECK), reverse=True)
    assert sum(bid_value(card) for card in FULL_DECK if suit_of(card) == S) == 55
    assert sum(values) == 220
    assert sum(values[:13]) == 4 * 10 + 4 * 9 + 4 * 8 + 7 == 115


# ---------------------------------------------------------------------------------------- sum of exactly 13

BIDS_18 = "6S | 4H | 3D | KC"
NEGATIVE: Options = {"sum13_floor": "negative"}
ANY: Options = {"sum13_amount": "any"}


@pytest.mark.parametrize(
    ("options", "legal"),
    [
        pytest.param({}, [0, 13], id="v18_r24_must_shift"),
        pytest.param(ANY, [*range(13), *range(13, 26)], id="v22_r25_any"),
        pytest.param({"sum13_amount": "0"}, [27, 28], id="v23_r25_zero"),
        pytest.param({"sum13_amount": 0}, [27, 28], id="v23_r25_zero_as_int"),
        pytest.param({"sum13_decline": "neutral"}, [0, 13, 26], id="v24_r24_neutral"),
        pytest.param({"sum13_decline": "high"}, [0, 13, 26], id="r24_high"),
        pytest.param({"sum13_decline": "low", **ANY}, [*range(27)], id="r24_any_low"),
        pytest.param({"sum13_decline": "low", "sum13_amount": 0}, [26, 27, 28], id="r24_zero_low"),
    ],
)
def test_legal_shifts(options: Options, legal: list[int]) -> None:
    game = revealed(BIDS_18, options)
    assert (game.phase(), game.to_move(), game.legal_actions()) == ("shift", 0, legal)
    assert (game.shift_sum, game.mode, game.final_bids) == (13, None, None)
    assert (game.bids, game.truf, game.top_bidder) == ([6, 4, 3, 0], S, 0)


@pytest.mark.parametrize(
    ("bids", "options", "choice", "final", "mode"),
    [
        pytest.param(BIDS_18, {}, 0, [7, 5, 4, 1], "HIGH", id="v19_r28_up"),
        pytest.param(BIDS_18, {}, 13, [5, 3, 2, 0], "LOW", id="v20_r27_clamp"),
        pytest.param(BIDS_18, NEGATIVE, 13, [5, 3, 2, -1], "LOW", id="v20_r27_negative"),
        pytest.param("10S+3S | KH | QD | JC", {}, 13, [12, 0, 0, 0], "LOW", id="v21_r28_lower"),
        pytest.param("10S+3S | KH | QD | JC", {}, 0, [14, 1, 1, 1], "HIGH", id="v21_r28_raise"),
        pytest.param(BIDS_18, ANY, 14, [4, 2, 1, 0], "LOW", id="v22_r25_lower_by_2"),
        pytest.param(BIDS_18, ANY, 12, [19, 17, 16, 13], "HIGH", id="r25_raise_by_13"),
        pytest.param(BIDS_18, ANY, 25, [0, 0, 0, 0], "LOW", id="r25_lower_by_13"),
        pytest.param(BIDS_18, {"sum13_amount": "0"}, 27, [6, 4, 3, 0], "HIGH", id="v23_r25_high"),
        pytest.param(BIDS_18, {"sum13_amount": "0"}, 28, [6, 4, 3, 0], "LOW", id="v23_r25_low"),
        pytest.param(BIDS_18, {"sum13_decline": "neutral"}, 26, [6, 4, 3, 0], "neutral", id="v24_r47_neutral"),
        pytest.param(BIDS_18, {"sum13_decline": "high"}, 26, [6, 4, 3, 0], "HIGH", id="r24_declined_high"),
        pytest.param(BIDS_18, {"sum13_decline": "low"}, 26, [6, 4, 3, 0], "LOW", id="r24_declined_low"),
    ],
)
def test_shift(bids: str, options: Options, choice: int, final: list[int], mode: str) -> None:
    game = revealed(bids, options)
    before = (game.bids, game.truf, game.top_bidder)
    game.apply(choice)
    assert (game.final_bids, game.mode) == (final, mode)
    assert (game.bids, game.truf, game.top_bidder) == before
    assert (game.phase(), game.to_move()) == ("play", 0)


def test_v19_v20_r31_nil_follows_the_final_bid() -> None:
    assert hand_score(1, 0, 0, "HIGH", {}) == -2  # v19: seat 3 is no nil
    assert hand_score(0, 0, 0, "LOW", {}) == 10  # v20: seat 3 is nil


@pytest.mark.parametrize(
    ("final", "original", "mode", "points", "by_basis"),
    [
        pytest.param(0, 1, "LOW", [10, -14], {"original": [0, -4], "both": [0, -4]}, id="v25_r31_lowered_to_0"),
        pytest.param(1, 0, "HIGH", [-2, 1], {"both": [-2, 1], "original": [10, -11]}, id="v26_r31_raised_nil"),
        pytest.param(-1, 0, "LOW", [-2, -6], {"original": [10, -14]}, id="v27_r31_negative_nil"),
    ],
)
def test_nil_basis(final: int, original: int, mode: str, points: list[int], by_basis: dict[str, list[int]]) -> None:
    sets = [0, 1] if mode == "HIGH" else [0, 2]
    for basis, expected in {"final": points, **by_basis}.items():
        assert [hand_score(final, original, won, mode, {"nil_basis": basis}) for won in sets] == expected


# ---------------------------------------------------------------------------------------- legal plays


@pytest.mark.parametrize(
    ("hand", "led", "truf", "unlocked", "legal"),
    [
        pytest.param("4D 9D 2S", None, D, False, "2S", id="v28_r33_truf_lead_forbidden"),
        pytest.param("4D 9D", None, D, False, "4D 9D", id="v29_r34_only_truf"),
        pytest.param("4D 9D 2S", None, D, True, "4D 9D 2S", id="v30_r35_unlocked"),
        pytest.param("3H 9D", H, D, False, "3H", id="v31_r36_must_follow"),
        pytest.param("9D 4C", H, D, False, "4C 9D", id="v32_r36_void_plays_anything"),
        pytest.param("2D AS", D, D, True, "2D", id="v33_r38_must_follow_truf"),
        pytest.param("4D 9D 2S", None, None, False, "4D 9D 2S", id="v34_r41_no_truf_leads_anything"),
    ],
)
def test_legal_cards(hand: str, led: int | None, truf: int | None, unlocked: bool, legal: str) -> None:
    assert legal_cards(cards(hand), led, truf, unlocked) == cards(legal)
    others = "KC QC JC" if len(cards(hand)) == 3 else "KC QC"
    if led is None:
        game = table(f"{hand} | {others} | {others} | {others}", truf, 0, unlocked)
    else:
        lead = {H: "5H 2C", D: "5D 2C"}[led]
        game = table(f"{hand} | {others} | {others} | {lead}", truf, 3, unlocked)
        play(game, lead[:2])
    assert (game.to_move(), game.legal_actions()) == (0, cards(legal))


@pytest.mark.parametrize("card", ["4D", "9D"])
def test_v29_r34_forced_truf_lead_is_face_down_and_unlocks(card: str) -> None:
    game = table("4D 9D | 2D AS | KC 5D | QC JC", D, 0)
    play(game, card)
    assert (game.unlocked, game.face_down, game.led_suit) == (True, [True], D)
    assert game.voids[0] == {C, H, S}
    assert game.branches["R35 unlocked by R34 lead"] == 1
    assert game.legal_actions() == cards("2D")
    play(game, "2D")
    assert (game.face_down, game.legal_actions()) == ([True, True], cards("5D"))
    play(game, "5D QC")
    assert (game.trick, game.face_down, game.voids[3]) == ([], [], {D})


def test_v32_r37_ruff_is_face_down_and_discard_is_open() -> None:
    for card, hidden in (("9D", True), ("4C", False)):
        game = table("9D 4C | KC QC | AC JC | 5H 2C", D, 3)
        play(game, "5H")
        play(game, card)
        assert (game.face_down, game.unlocked, game.voids[0]) == ([False, hidden], hidden, {H})


@pytest.mark.parametrize(
    ("rule", "led", "followed", "ruffed"),
    [("all_truf", True, True, True), ("ruffs_only", False, False, True), ("none", False, False, False)],
)
def test_v33_r37_facedown_options(rule: str, led: bool, followed: bool, ruffed: bool) -> None:
    game = table("5D 3H | 2D AS | KD AC | QC JC", D, 0, True, facedown=rule)
    play(game, "5D 2D")
    assert game.face_down == [led, followed]
    assert is_face_down(cards("2D")[0], H, D, {"facedown": rule}) == ruffed
    assert not is_face_down(cards("2D")[0], H, None, {"facedown": rule})
    assert not is_face_down(cards("2C")[0], H, D, {"facedown": rule})


def test_v34_r41_no_truf_nothing_face_down_and_lock_stays() -> None:
    for unlock in ENUMS["unlock"]:
        game = table("4D 2S | 9D 3S | QC JC | AD 5S", None, 0, unlock=unlock)
        for card in cards("4D 9D QC AD"):
            game.apply(card)
            assert not any(game.face_down)
        assert (game.unlocked, game.leader, game.voids[2]) == (False, 3, {D})


@pytest.mark.parametrize(("rule", "unlocked"), [("truf_played", False), ("any_discard", True)])
def test_v35_r35_discard(rule: str, unlocked: bool) -> None:
    game = table("5H 3C 7S | 9H 4C 8S | 2C 6C 9S | JH 4D 2S", D, 0, unlock=rule)
    play(game, "5H 9H 2C")
    assert not game.unlocked
    play(game, "JH")
    assert (game.unlocked, game.leader) == (unlocked, 3)
    assert game.legal_actions() == (cards("4D 2S") if unlocked else cards("2S"))


@pytest.mark.parametrize(
    ("laid", "options", "legal"),
    [
        pytest.param("3C", {}, "KD 5S", id="v36_after_3c"),
        pytest.param("3C KD", {}, "5S", id="v36_after_kd"),
        pytest.param("3C KD 5S", {}, "", id="v36_after_5s"),
        pytest.param("3C", {"max_bid_cards": 1}, "", id="v37_r9_classic"),
    ],
)
def test_bid_phase(laid: str, options: Options, legal: str) -> None:
    game = Reference(ranks=["3", "5", "K"], **options)
    game.start_hand(complete(hands_of("3C KD 5S | | |"), game.deck(), random.Random(0)))
    assert game.legal_actions() == cards("3C KD 5S")
    play(game, laid)
    assert (game.to_move(), game.legal_actions()) == (0, [*cards(legal), DONE])
    with pytest.raises(ValueError, match="illegal action"):
        play(game, "3C")
    game.apply(DONE)
    assert game.to_move() == 1


# ---------------------------------------------------------------------------------------- winner of a trick

TRICKS = [
    pytest.param(D, "10H KH 2D* AC", 2, {}, id="v38_r40_ruff_wins"),
    pytest.param(D, "10H 2D* 9D* AH", 2, {}, id="v39_r40_over_ruff"),
    pytest.param(D, "5D* 9D* AC 2D*", 1, {}, id="v40_r40_truf_led"),
    pytest.param(None, "10H AS AD JH", 3, {}, id="v41_r41_no_truf"),
    pytest.param(D, "KH AH QH JH", 1, {}, id="v42_r5_ace_high"),
    pytest.param(D, "KH AH QH JH", 0, {"ace_play": "low"}, id="v42_r5_ace_low"),
    pytest.param(D, "2C AS KH QH", 0, {}, id="v43_r40_discards_cannot_win"),
]


@pytest.mark.parametrize(("truf", "plays", "winner", "options"), TRICKS)
def test_trick_winner(truf: int | None, plays: str, winner: int, options: Options) -> None:
    assert trick_winner(cards(plays), truf, options) == winner
    for leader in SEATS:
        seats = [(leader + turn) % 4 for turn in range(4)]
        words = plays.split()
        hands = "|".join(words[seats.index(seat)] + " " + f"{seat + 3}S" for seat in SEATS)
        game = table(hands, truf, leader, True, **options)
        for card, word in zip(cards(plays), words, strict=True):
            game.apply(card)
            if game.trick:
                assert game.face_down[-1] == word.endswith("*")
        assert (game.trick_winners, game.leader) == ([seats[winner]], seats[winner])
        assert game.sets == [int(seat == seats[winner]) for seat in SEATS]


def test_v40_point_1_seat_c_is_shown_void_in_diamonds() -> None:
    game = table("5D 3S | 9D 4S | AC 5S | 2D 6S", D, 0, True)
    play(game, "5D 9D AC 2D")
    assert game.voids == [set(), set(), {D}, set()]


# ---------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize(
    ("bid", "sets", "points"),
    [
        pytest.param(4, 4, {"HIGH": 4, "LOW": 4, "neutral": 4}, id="v44_r43_exact"),
        pytest.param(4, 6, {"HIGH": -2, "LOW": -4, "neutral": -2}, id="v45_r44_r45_extra"),
        pytest.param(4, 2, {"HIGH": -4, "LOW": -2, "neutral": -2}, id="v46_r44_r45_missing"),
        pytest.param(0, 0, {"HIGH": 10, "LOW": 10, "neutral": 10}, id="v47_r46_nil_made"),
        pytest.param(0, 3, {"HIGH": -13, "LOW": -16, "neutral": -13}, id="v48_r46_nil_failed"),
        pytest.param(0, 13, {"HIGH": -23, "LOW": -36}, id="v49_r46_nil_failed"),
        pytest.param(115, 0, {"HIGH": -230}, id="v50_r44_most_missing"),
        pytest.param(20, 5, {"HIGH": -30}, id="v50_r44_missing"),
        pytest.param(13, 13, {"HIGH": 13}, id="v50_r43_most_points"),
        pytest.param(1, 0, {"HIGH": -2, "LOW": -1}, id="v50_r45_bid_1"),
    ],
)
def test_hand_score(bid: int, sets: int, points: dict[str, int]) -> None:
    for mode, expected in points.items():
        assert hand_score(bid, bid, sets, mode, {}) == expected


def test_r46_nil_amounts_are_options() -> None:
    options = {"nil_bonus": 7, "nil_fail": 3}
    assert hand_score(0, 0, 0, "LOW", options) == 7
    assert hand_score(0, 0, 2, "LOW", options) == -1


# ---------------------------------------------------------------------------------------- end of the game

LAST_CARDS = "AS | KS | QS | JS"  # seat 0 makes its 1, the others miss theirs in HIGH
LAST_POINTS = [1, -2, -2, -2]


@pytest.mark.parametrize(
    ("number", "totals", "options", "verdict", "places", "shares"),
    [
        pytest.param(9, [104, 101, 20, -5], {}, "won", [1, 2, 3, 4], "1 0 0 0", id="v51_r49_highest_wins"),
        pytest.param(9, [104, 104, 20, -5], {}, "play on", [1, 1, 3, 4], "1/2 1/2 0 0", id="v52_r50_extra"),
        pytest.param(
            9, [104, 104, 20, -5], {"tie": "shared"}, "shared", [1, 1, 3, 4], "1/2 1/2 0 0", id="v52_r50_shared"
        ),
        pytest.param(10, [98, 96, 22, -7], {}, "play on", [1, 2, 3, 4], "1 0 0 0", id="v53_r50_dropped"),
        pytest.param(9, [99, 98, 0, 0], {}, "play on", [1, 2, 3, 3], "1 0 0 0", id="v54_r49_below_100"),
        pytest.param(200, [40, 40, 10, -3], {}, "capped", [1, 1, 3, 4], "1/2 1/2 0 0", id="v55_r51_capped"),
        pytest.param(200, [104, 104, 1, 1], {}, "capped", [1, 1, 3, 3], "1/2 1/2 0 0", id="r51_capped_in_a_tie"),
        pytest.param(200, [104, 103, 1, 1], {}, "won", [1, 2, 3, 3], "1 0 0 0", id="r51_won_in_the_last_hand"),
        pytest.param(7, [30, 29, 1, 1], {"target": 30}, "won", [1, 2, 3, 3], "1 0 0 0", id="r49_target"),
        pytest.param(7, [30, 29, 1, 1], {"max_hands": 7}, "capped", [1, 2, 3, 3], "1 0 0 0", id="r51_max_hands"),
    ],
)
def test_end_of_the_game(
    number: int, totals: list[int], options: Options, verdict: str, places: list[int], shares: str
) -> None:
    assert outcome(totals, number, options) == verdict
    assert places_of(totals) == (places, [Fraction(share) for share in shares.split()])
    game = table(LAST_CARDS, None, 0, **options)
    game.hand_number = number
    game.totals = [total - points for total, points in zip(totals, LAST_POINTS, strict=True)]
    play(game, LAST_CARDS.replace("|", ""))
    assert (game.hand_points, game.returns()) == (LAST_POINTS, totals)
    assert (game.to_move(), game.phase()) == ((CHANCE, "deal") if verdict == "play on" else (OVER, "over"))
    assert game.capped == (verdict == "capped")
    assert game.places() == (places, [Fraction(share) for share in shares.split()])


def test_r52_equal_totals_share_a_place() -> None:
    assert places_of([5, 5, 3, 9])[0] == [2, 2, 4, 1]
    assert places_of([1, 1, 1, 1]) == ([1, 1, 1, 1], [Fraction(1, 4)] * 4)
    assert places_of([7, 7, 7, 0]) == ([1, 1, 1, 4], [Fraction(1, 3)] * 3 + [Fraction(0)])


# ---------------------------------------------------------------------------------------- knowledge

World = tuple[tuple[int, ...], ...]


def assignments(unseen: list[int], needs: list[tuple[int, set[int], set[int]]]) -> Iterator[World]:
    """Every way to give each place its number of cards, with its pinned cards and none of its void suits."""
    if not needs:
        yield ()
        return
    (count, pinned, voids), later = needs[0], needs[1:]
    pinned_later = set().union(*(other for _, other, _ in later))
    free = [card for card in unseen if suit_of(card) not in voids and card not in pinned_later]
    for chosen in itertools.combinations(free, count):
        if pinned <= set(chosen):
            for rest in assignments([card for card in unseen if card not in chosen], later):
                yield (chosen, *rest)


def worlds_for(game: Reference, seat: int, unseen: list[int]) -> list[World]:
    """Every world of section 4 for the seat after the reveal: hidden cards in play order, then hands."""
    others = [other for other in SEATS if other != seat]
    hidden_seats = [
        player for (player, _), down in zip(game.trick, game.face_down, strict=True) if down and player != seat
    ]
    worlds = []
    in_truf = [card for card in unseen if suit_of(card) == game.truf]
    for hidden in itertools.permutations(in_truf, len(hidden_seats)):
        pins = {other: set(game.exposed[other]) for other in others}
        for player, card in zip(hidden_seats, hidden, strict=True):
            pins[player].discard(card)
        if any(card in pins[other] for other in others for card in hidden):
            continue  # an exposed card of another seat
        rest = [card for card in unseen if card not in hidden]
        needs = [(len(game.hands[other]), pins[other], game.voids[other]) for other in others]
        worlds += [(hidden, *hands) for hands in assignments(rest, needs)]
    return worlds


def test_v56_worlds_before_the_first_lead() -> None:
    game = revealed("7S | 3S | 5H | KD")
    unknown = [len(game.hands[seat]) - len(game.exposed[seat]) for seat in (1, 2, 3)]
    assert unknown == [12, 12, 12]
    count = math.factorial(36) // math.factorial(12) ** 3
    assert count == math.comb(36, 12) * math.comb(24, 12) == 3_384_731_762_521_200


def position_57() -> Reference:
    """North leads JH, East ruffs with one of KD and 5D: South to act."""
    game = table("2C 2S | 9H 4C | JH 3S | KD 5D", D, 2)
    play(game, "JH KD")
    assert (game.to_move(), game.face_down, game.voids[3]) == (0, [False, True], {H})
    assert [len(hand) for hand in game.hands] == [2, 2, 1, 1]
    return game


def test_v57_point_3_hidden_card_worlds() -> None:
    worlds = worlds_for(position_57(), 0, cards("KD 5D 9H 4C 3S"))
    assert len(set(worlds)) == len(worlds) == 2 * 3 * 3 == 18
    assert {world[0] for world in worlds} == {(card,) for card in cards("KD 5D")}
    assert not any(cards("9H")[0] in world[3] for world in worlds)


def test_v58_point_3_exposed_card_of_another_seat_is_not_the_hidden_one() -> None:
    game = table("2C 2S | 9H 3S | JH KD | 5D 4C", D, 2)
    game.exposed[2] = set(cards("KD"))
    play(game, "JH 5D")
    worlds = worlds_for(game, 0, cards("KD 5D 9H 4C 3S"))
    assert {(world[0], world[2], world[3]) for world in worlds} == {
        (tuple(cards("5D")), tuple(cards("KD")), tuple(cards(card))) for card in ("4C", "3S")
    }
    assert len(worlds) == 2


def test_point_3_exposed_card_stays_exposed_until_turned_up() -> None:
    game = position_57()
    game.exposed[3] = set(cards("KD"))  # as if East had laid it
    play(game, "2C")
    assert game.exposed[3] == set(cards("KD"))
    play(game, "9H")
    assert game.exposed[3] == set()
    assert game.sets == [0, 0, 0, 1]


def test_v59_point_2_locked_truf_lead_shows_voids() -> None:
    game = table("4D 9D | 2D AS | KC 5D | QC JC", D, 0)
    play(game, "4D")
    assert game.voids == [{C, H, S}, set(), set(), set()]
    free = table("4D 9D | 2D AS | KC 5D | QC JC", D, 0, True)
    play(free, "4D")
    assert free.voids[0] == set()
    no_truf = table("4D 9D | 2D AS | KC 5D | QC JC", None, 0)
    play(no_truf, "4D")
    assert no_truf.voids[0] == set()


def test_v60_r12_bids_are_hidden_until_all_are_done() -> None:
    seen = []
    for laids in ("7S | 3S+KC", "7S+2D | KC"):
        game = Reference()
        game.start_hand(complete(hands_of("7S 2D | 3S KC | |"), FULL_DECK, random.Random(5)))
        for laid in hands_of(laids):
            for action in [*sorted(laid), DONE]:
                game.apply(action)
        public = (game.bids, game.final_bids, game.top_bidder, game.truf, game.mode, game.shift_sum, game.exposed)
        seen.append((game.phase(), game.to_move(), game.legal_actions(), game.hands, public))
    assert seen[0] == seen[1]
    assert seen[0][:2] == ("bid", 2)
    assert seen[0][4] == ([None] * 4, None, None, None, None, None, [set()] * 4)


def test_mini_has_six_worlds_before_the_first_lead() -> None:
    game = Reference(**MINI)
    game.start_hand(hands_of("2S QS | KS AS | 2H QH | KH AH"))
    lay(game, hands_of("2S | KS | 2H | KH"))
    assert len(worlds_for(game, 0, cards("KS AS 2H QH KH AH"))) == math.factorial(3)


# ---------------------------------------------------------------------------------------- mini, all deals


class Counts(NamedTuple):
    """What vectors 61 to 66 count."""

    deals: int
    combinations: int
    sums: dict[str, int]
    trufs: dict[int | None, int]
    histories: int
    forced: int
    points: list[int]


def every_mini_deal() -> Iterator[list[list[int]]]:
    """Every deal of the mini deck."""
    nothing: tuple[int, set[int], set[int]] = (2, set(), set())
    for hands in assignments(deck_of(MINI), [nothing] * 4):
        yield [list(hand) for hand in hands]


@cache
def mini_bids(hand: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every bid of a hand of the mini deck."""
    return tuple(subsets_by_bidding(list(hand), (), MINI))


@cache
def mini_bid(laid: tuple[int, ...]) -> int:
    """The value of a bid of the mini deck."""
    return bid_of(laid)


@cache
def mini_points(final: int, original: int, sets: int, mode: str) -> int:
    """The points of one seat in the mini game."""
    return hand_score(final, original, sets, mode, MINI)


def fork(game: Reference) -> Reference:
    """A copy of the game that can be played on by itself."""
    clone = copy.copy(game)
    for name, value in vars(game).items():
        if isinstance(value, Counter):
            setattr(clone, name, Counter(value))
        if isinstance(value, list):
            setattr(clone, name, [item.copy() if isinstance(item, list | set) else item for item in value])
    return clone


def finished_hands(game: Reference) -> Iterator[Reference]:
    """The positions at the end of every line of choices; the game itself moves on while there is no choice."""
    if game.phase() in ("deal", "over"):
        yield game
        return
    legal = game.legal_actions()
    for action in legal:
        child = fork(game) if len(legal) > 1 else game
        child.apply(action)
        yield from finished_hands(child)


def play_lines(hands: list[list[int]], laids: Sequence[Sequence[int]]) -> Counter[tuple[tuple[int, ...], bool]]:
    """How many lines of play end with these sets, with or without a forced truf lead; bids are given."""
    game = Reference(**MINI)
    game.start_hand(hands)
    lay(game, laids)
    if game.phase() == "shift":
        game.apply(0)
    return Counter((tuple(end.sets), end.branches["R34 only truf led"] > 0) for end in finished_hands(game))


def settled_bids(bids: list[int], size: int) -> list[tuple[list[int], str]]:
    """The final bids and modes that can follow these revealed bids."""
    if sum(bids) != size:
        return [(bids, "HIGH" if sum(bids) > size else "LOW")]
    return [(shifted_bids(bids, shift_of(choice), MINI), mode_of_shift(choice, MINI)) for choice in legal_shifts(MINI)]


def count_deals(deals: list[list[list[int]]]) -> Counts:
    """Every bid, shift and play of these deals; play depends on bids only through top bidder and truf."""
    sums, trufs = Counter[str](), Counter[int | None]()
    histories = forced = 0
    points = [0, 0, 0, 0]
    size = hand_size_of(MINI)
    for hands in deals:
        lines: dict[tuple[int, int | None], Counter[tuple[tuple[int, ...], bool]]] = {}
        for laids in itertools.product(*(mini_bids(tuple(hand)) for hand in hands)):
            top, _ = top_bidder(laids, MINI)
            key = (top, truf_of(laids[top]))
            if key not in lines:
                lines[key] = play_lines(hands, laids)
            bids = [mini_bid(laid) for laid in laids]
            sums["above" if sum(bids) > size else "below" if sum(bids) < size else "equal"] += 1
            trufs[key[1]] += 1
            for final, mode in settled_bids(bids, size):
                for (sets, was_forced), count in lines[key].items():
                    histories += count
                    forced += count * was_forced
                    for seat in SEATS:
                        points[seat] += count * mini_points(final[seat], bids[seat], sets[seat], mode)
    return Counts(len(deals), sum(sums.values()), dict(sums), dict(trufs), histories, forced, points)


@pytest.fixture(scope="module")
def mini_counts() -> Counts:
    return count_deals(list(every_mini_deal()))


def test_v61_deals_and_bid_combinations(mini_counts: Counts) -> None:
    assert (mini_counts.deals, mini_counts.combinations) == (2_520, 204_120)


def test_v62_r21_r23_sums(mini_counts: Counts) -> None:
    assert mini_counts.sums == {"above": 177_192, "below": 8_064, "equal": 18_864}


def test_v63_r18_trufs(mini_counts: Counts) -> None:
    assert mini_counts.trufs == {S: 93_600, H: 64_824, None: 45_696}


def test_v64_histories(mini_counts: Counts) -> None:
    assert mini_counts.histories == 1_104_144


def test_v65_r34_forced_truf_leads(mini_counts: Counts) -> None:
    assert mini_counts.forced == 646_512


def test_v66_r42_points(mini_counts: Counts) -> None:
    assert mini_counts.points == [-83_892] * 4


def test_v64_v66_shared_counts_equal_histories_walked_in_full() -> None:
    deals = random.Random(64).sample(list(every_mini_deal()), 8)
    histories = forced = 0
    points = [0, 0, 0, 0]
    for hands in deals:
        game = Reference(**MINI)
        game.start_hand(hands)
        for end in finished_hands(game):
            histories += 1
            forced += end.branches["R34 only truf led"] > 0
            points = [sum(pair) for pair in zip(points, end.returns(), strict=True)]
            assert (end.to_move(), end.capped, end.hand_points) == (OVER, True, end.totals)
    shared = count_deals(deals)
    assert (shared.histories, shared.forced, shared.points) == (histories, forced, points)


# ---------------------------------------------------------------------------------------- options and errors

REFUSED: list[Options] = [
    {"players": 4},
    {"num_suits": 0},
    {"num_suits": 5},
    {"num_suits": True},
    {"ranks": []},
    {"ranks": ["2", "2"]},
    {"ranks": ["1", "2"]},
    {"ranks": "23"},
    {"num_suits": 3, "ranks": ["2", "3"]},
    {"max_bid_cards": 0},
    {"max_bid_cards": 14},
    {"ranks": ["2", "Q"], "max_bid_cards": 3},
    {"bid_cap": 12},
    {"bid_cap": "13"},
    {"ranks": ["10", "A"], "bid_cap": "H"},
    {"sum13_amount": 2},
    {"mixed_tie": "lowest"},
    {"nil_bonus": 1.5},
    {"target": 0},
    {"max_hands": 0},
    {"redeal": "pagat", "num_suits": 1, "ranks": ["2", "3", "K", "A"]},
    {"redeal": "pagat", "num_suits": 4, "ranks": ["2", "3", "4"]},
    {"redeal": "pagat", "num_suits": 1, "ranks": ["2", "3", "4", "5", "6", "J", "Q", "A"]},
]


@pytest.mark.parametrize("options", REFUSED, ids=str)
def test_section_5_refused_options(options: Options) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Reference(**options)


def test_section_5_defaults_and_spellings() -> None:
    assert Reference().deck() == FULL_DECK
    assert Reference(ranks=[5, "K", "3"]).deck() == cards("3C 5C KC 3D 5D KD 3H 5H KH 3S 5S KS")
    assert Reference(**MINI).deck() == cards("2H QH KH AH 2S QS KS AS")
    for options in ({"sum13_amount": 1}, {"bid_cap": "H"}, {"bid_cap": 13}, {"bid_cap": "none"}, {"redeal": "pagat"}):
        assert Reference(**options).phase() == "deal"


def test_start_hand_refuses_wrong_cards() -> None:
    game = Reference(**MINI)
    good = hands_of("2S QS | KS AS | 2H QH | KH AH")
    for bad in (good[:3], [[*good[0], *good[1]], [], *good[2:]], [good[0], good[0], *good[2:]], [[], *good[1:]]):
        with pytest.raises(ValueError, match=r"\w"):
            game.start_hand(bad)
    assert (game.to_move(), game.legal_actions(), game.hand_number) == (CHANCE, [], 0)
    game.start_hand(good)
    with pytest.raises(ValueError, match="no deal is due"):
        game.start_hand(good)


def test_r4_pagat_refuses_freak_hands() -> None:
    assert [is_freak(cards(text)) for text in ("2S 10S", "AS JH", "2S AS", "10S KS")] == [True, True, False, False]
    game = Reference(redeal="pagat", ranks=["2", "K"])
    with pytest.raises(ValueError, match="freak"):
        game.start_hand(hands_of("2C 2D | KC KD | 2H KH | 2S KS"))
    assert (game.hand_number, game.phase()) == (0, "deal")
    game.start_hand(hands_of("2C KD | KC 2D | 2H KH | 2S KS"))
    assert (game.hand_number, game.phase()) == (1, "bid")


def test_r3_alternate_direction() -> None:
    game = Reference(**{**MINI, "max_hands": 4}, direction="alternate")
    for number in (1, 2, 3, 4):
        game.start_hand(hands_of("2S QS | KS AS | 2H QH | KH AH"))
        lay(game, hands_of("2S | AS | QH | KH"))
        seats = []
        while len(game.trick) < 3:
            seats.append(game.to_move())
            game.apply(game.legal_actions()[0])
        seats.append(game.to_move())
        assert seats == ([0, 1, 2, 3] if number % 2 == 1 else [0, 3, 2, 1])
        while game.phase() == "play":
            game.apply(game.legal_actions()[0])


# ---------------------------------------------------------------------------------------- invariants


def deal_any(game: Reference, rng: random.Random) -> None:
    """Start the next hand with a deal at random, dealing again where the rules say so."""
    while True:
        deck = game.deck()
        rng.shuffle(deck)
        hands = [deck[seat :: len(SEATS)] for seat in SEATS]
        if rng.random() < 0.3:  # sorted by suit or kind, so that rare positions come up
            deck = sorted(deck, key=rng.choice([lambda card: card // 13, is_honour, bid_value]))
            hands = [deck[seat * game.hand_size : (seat + 1) * game.hand_size] for seat in SEATS]
        rng.shuffle(hands)
        try:
            game.start_hand(hands)
        except ValueError:
            assert game.options["redeal"] == "pagat"
            assert any(is_freak(hand) for hand in hands)
            continue
        return


def check_refusals(game: Reference, rng: random.Random) -> None:
    """Illegal choices raise and change nothing [R53]."""
    before = copy.deepcopy(vars(game))
    with pytest.raises(ValueError, match="illegal action"):
        game.apply(rng.choice([action for action in range(-5, 60) if action not in game.legal_actions()]))
    assert vars(game) == before


def check_position(game: Reference, played: list[int]) -> None:
    """Invariants 1, 2 and 6 and the knowledge of section 4 inside a hand."""
    assert sorted(card for hand in game.hands for card in hand) == sorted(set(game.deck()) - set(played))
    assert sum(game.sets) == len(game.trick_winners)
    if game.phase() == "play" and not game.trick:
        assert len({len(hand) for hand in game.hands}) == 1
    if game.truf is None:
        assert not game.unlocked
        assert not any(game.face_down)
    for (_, card), down in zip(game.trick, game.face_down, strict=True):
        assert not down or suit_of(card) == game.truf
    hidden = {card for (_, card), down in zip(game.trick, game.face_down, strict=True) if down}
    for seat in SEATS:
        assert not {suit_of(card) for card in game.hands[seat]} & game.voids[seat]
        held = set(game.hands[seat]) | (hidden & {card for player, card in game.trick if player == seat})
        shown = set(game.laid[seat]) if game.bids[seat] is not None else set()
        assert game.exposed[seat] == shown & held


def choose(game: Reference, rng: random.Random) -> int:
    """A choice at random that ends a bid half of the time."""
    legal = game.legal_actions()
    if game.phase() == "bid" and legal[-1] == DONE and rng.random() < 0.5:
        return DONE
    return rng.choice(legal)


def play_hand(game: Reference, rng: random.Random, refusals: float) -> Counter[str]:
    """Play the dealt hand at random under the checks; the number of decisions of each phase."""
    decisions: Counter[str] = Counter()
    played: list[int] = []
    was_unlocked = False
    while game.phase() not in ("deal", "over"):
        check_position(game, played)
        if rng.random() < refusals:
            check_refusals(game, rng)
        legal = game.legal_actions()
        assert legal == sorted(set(legal)) != []
        assert was_unlocked <= game.unlocked
        was_unlocked = game.unlocked
        phase, action = game.phase(), choose(game, rng)
        game.apply(action)
        decisions[phase] += 1
        if phase == "play":
            played.append(action)
    check_position(game, played)
    return decisions


def check_hand(game: Reference, decisions: Counter[str]) -> None:
    """Invariants 2 to 5 and 7 after a hand."""
    options, size = game.options, game.hand_size
    bids = [bid for bid in game.bids if bid is not None]
    assert game.final_bids is not None
    assert sum(game.sets) == size == len(game.trick_winners)
    assert game.shift_sum == sum(bids)
    assert decisions["shift"] == int(sum(bids) == size)
    assert decisions["bid"] <= 4 * (min(size, options["max_bid_cards"] or size) + 1)
    assert decisions["play"] == 4 * size
    stays = sum(game.final_bids) == size
    assert not stays or str(options["sum13_amount"]) == "0" or options["sum13_decline"] != "no"
    if not stays:
        assert game.mode == ("HIGH" if sum(game.final_bids) > size else "LOW")
        pairs = list(zip(game.final_bids, game.sets, strict=True))
        assert any(bid > won for bid, won in pairs) if game.mode == "HIGH" else any(bid < won for bid, won in pairs)
    if sum(bids) == size:
        assert max(bids) >= -(-size // 4)
        if not stays and str(options["sum13_amount"]) == "1":
            up, floor = game.mode == "HIGH", options["sum13_floor"]
            final = sum(game.final_bids)
            assert final == size + 4 if up else final == size - 4 if floor == "negative" else final <= size - 1
    for seat in SEATS:
        mode = game.mode or ""
        assert game.hand_points[seat] == hand_score(game.final_bids[seat], bids[seat], game.sets[seat], mode, options)


def play_game(game: Reference, rng: random.Random, refusals: float = 0.002) -> int:
    """Play a whole game at random under the checks; the most decisions of a hand."""
    totals = [0, 0, 0, 0]
    most = 0
    while game.phase() != "over":
        assert (game.phase(), game.to_move(), game.legal_actions()) == ("deal", CHANCE, [])
        number = game.hand_number
        deal_any(game, rng)
        assert game.hand_number == number + 1 <= game.options["max_hands"]
        decisions = play_hand(game, rng, refusals)
        check_hand(game, decisions)
        most = max(most, sum(decisions.values()))
        totals = [sum(pair) for pair in zip(totals, game.hand_points, strict=True)]
        assert game.returns() == totals
    assert (game.to_move(), game.legal_actions()) == (OVER, [])
    assert sum(game.places()[1]) == 1
    is_decided = max(totals) >= game.options["target"] and (
        game.options["tie"] == "shared" or totals.count(max(totals)) == 1
    )
    assert game.capped == (not is_decided)
    assert not game.capped or game.hand_number == game.options["max_hands"]
    return most


@pytest.mark.parametrize("seed", range(3))
def test_invariants_of_the_standard_game(seed: int) -> None:
    assert play_game(Reference(max_hands=20), random.Random(seed)) <= 108


def test_invariants_of_the_classic_game() -> None:
    assert play_game(Reference(max_hands=30, **CLASSIC), random.Random(7)) <= 61


def test_invariant_7_hand_with_a_shift_has_at_most_77_decisions() -> None:
    values = sorted(bid_value(card) for card in FULL_DECK)
    most_laid = max(count for count in range(53) if sum(values[:count]) <= 13)
    assert most_laid == 20
    laids = hands_of("JC QC KC JD QD | KD JH QH KH AC | JS QS KS AD AH | AS 2C 2D 2H 3C")
    assert sum(map(len, laids)) == 20
    assert sum(map(bid_of, laids)) == 13
    game = Reference()
    game.start_hand(complete(laids, FULL_DECK, random.Random(3)))
    lay(game, laids)
    assert game.phase() == "shift"
    decisions = 20 + 4 + sum(play_hand(game, random.Random(3), 0).values())
    assert decisions == 20 + 4 + 1 + 52 == 77


def random_options(rng: random.Random) -> Options:
    """Options of a small game, every value of every enum possible, no contradiction."""
    while True:
        options: Options = {key: rng.choice(texts) for key, texts in ENUMS.items()}
        options["num_suits"] = rng.randint(1, 4)
        names = rng.choice([RANKS, ("A", "2", "3", "J", "Q", "K")])  # low cards make sums of H likely
        options["ranks"] = rng.sample(names, rng.randint(1, 6))
        if options["num_suits"] * len(options["ranks"]) % 4:
            continue
        size = hand_size_of(options)
        options["max_bid_cards"] = rng.choice([size, size, rng.randint(1, size)])
        options["bid_cap"] = rng.choice(["none", "none", "H", size])
        options["nil_bonus"], options["nil_fail"] = rng.choice([(10, -10), (5, -3), (0, 2)])
        options["target"], options["max_hands"] = rng.choice([1, 3, 10, 100]), rng.randint(1, 8)
        try:
            Reference(**options)
        except ValueError:
            continue
        return options


def test_invariants_and_coverage_in_random_games() -> None:
    branches: Counter[str] = Counter()
    for seed in range(2000):
        rng = random.Random(seed)
        game = Reference(**random_options(rng))
        play_game(game, rng)
        branches += game.branches
    assert set(branches) <= set(ALL_BRANCHES)
    assert {key: branches[key] for key in ALL_BRANCHES if branches[key] < 5} == {}
