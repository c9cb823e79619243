"""The reference engine against every test vector of `rules/kronions.md`, section 7, and its section 6."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from .kronions import (
    ALL_BRANCHES,
    CHANCE,
    ENUMS,
    OVER,
    PAST,
    Reference,
    deck_of,
    is_freed,
    is_paradox,
    ladder,
    led_suit_of,
    legal_bids,
    legal_plays,
    round_score,
    suit_of,
    trick_winner,
)

SUITS = "CNVF"
FIXED = {"last_round_trump": "flip_if_possible", "first_dealer": 0}
MINI = {"num_suits": 2, "num_ranks": 3, "num_paradox": 1, "first_dealer": 0}
OH_HELL = {
    "num_paradox": 0,
    "first_leader": "left",
    "last_round_trump": "flip_if_possible",
    "scoring": "tricks_plus_bonus",
}


def suit(text: str) -> int | None:
    """The suit number of a suit letter, None for `-` (no trump, no led suit)."""
    return None if text == "-" else SUITS.index(text)


def choices(text: str) -> list[int]:
    """Choice numbers of cards in the notation of the rules."""
    special = {"Fut": 52, "Past": 53}
    return [
        special[word] if word in special else 13 * SUITS.index(word[0]) + int(word[1:]) - 1 for word in text.split()
    ]


def cards(*texts: str) -> list[list[int]]:
    """Hands of physical cards; the P are numbered from 52 on, hand after hand."""
    copies = itertools.count(52)
    return [[next(copies) if word == "P" else choices(word)[0] for word in text.split()] for text in texts]


def deal(game: Reference, hands: list[list[int]], turned_up: list[int] | None = None) -> None:
    """Start a round with these hands and these cards on top of the stock."""
    first = turned_up or []
    used = {card for hand in hands for card in hand} | set(first)
    game.start_round(None, hands, first + [card for card in game.deck() if card not in used])


def deal_any(game: Reference, rng: random.Random | None = None) -> None:
    """Start the next round with a deal at random, or card by card in the order of the deck."""
    deck = game.deck()
    dealer = 0
    if rng is not None:
        rng.shuffle(deck)
        dealer = rng.randrange(game.num_players)
    size = game.round_sizes()[game.round_number]
    hands = [deck[seat * size : (seat + 1) * size] for seat in range(game.num_players)]
    drawn = dealer if game.round_number == 0 and game.options["first_dealer"] == "random" else None
    game.start_round(drawn, hands, deck[game.num_players * size :])


def bid_anything(game: Reference) -> None:
    """Make the lowest legal bid for every seat."""
    while game.phase() == "bid":
        game.apply(game.legal_actions()[0])


# ---------------------------------------------------------------------------------------- trick winner

TRICKS = [
    pytest.param("V", "N5 V2 Past N13", 1, id="v01_r33_trump_beats_led_suit"),
    pytest.param("F", "Past Past C4 N13", 2, id="v02_r25_led_suit_after_pasts"),
    pytest.param("V", "N9 V13 Fut Fut", 2, id="v03_r32_first_future"),
    pytest.param("-", "Past Past Past Past", 0, id="v04_r38_all_past_goes_to_the_first"),
    pytest.param("-", "C3 N13 C9 V13", 2, id="v05_r34_highest_of_led_suit"),
    pytest.param("N", "N4 N11 C13 N2", 1, id="v06_r33_trump_is_led"),
    pytest.param("-", "F2 C13 N13 V13", 0, id="v07_r35_discards_never_win"),
    pytest.param("-", "Past Past V1 Past", 2, id="v08_r37_one_suited_card_beats_pasts"),
    pytest.param("-", "Past Fut N13 N12", 1, id="v09_r36_future_without_trump"),
    pytest.param("F", "Past F3 N13 N12", 1, id="v10_r33_trump_led_after_past"),
    pytest.param("N", "V13 Past N1 V12", 2, id="v11_r33_lowest_trump"),
    pytest.param("N", "Fut N13 N12 N11", 0, id="v12_r32_future_beats_trumps"),
    pytest.param("C", "V13 Fut C13 Past", 1, id="v13_r32_future_beats_highest_trump"),
]


@pytest.mark.parametrize(("trump", "plays", "winner"), TRICKS)
def test_trick_winner(trump: str, plays: str, winner: int) -> None:
    assert trick_winner(choices(plays), suit(trump), {}) == winner


@pytest.mark.parametrize(("trump", "plays", "winner"), TRICKS)
def test_trick_winner_in_a_game_of_one_card(trump: str, plays: str, winner: int) -> None:
    game = Reference(round_sizes=[1], **FIXED)
    hands = cards(*plays.replace("Fut", "P").replace("Past", "P").split())
    dealt = [hand[0] for hand in hands]
    in_trump = [card for card in game.deck() if suit_of(card) == suit(trump) and card not in dealt]
    deal(game, hands, in_trump[:1])
    assert game.trump == suit(trump)
    bid_anything(game)
    for action in choices(plays):
        game.apply(action)
    assert game.trick_winners == [winner]
    assert game.tricks == [int(seat == winner) for seat in range(4)]
    assert game.leader == winner
    assert game.to_move() == OVER


@pytest.mark.parametrize(("rule", "winner"), [("first", 0), ("last", 3), ("nobody", None)])
def test_v04_r38_all_past(rule: str, winner: int | None) -> None:
    assert trick_winner(choices("Past Past Past Past"), None, {"all_past": rule}) == winner
    game = Reference(round_sizes=[2], all_past=rule, first_dealer=0)
    deal(game, cards("P C1", "P C2", "P C3", "P C4"))
    bid_anything(game)
    for _ in range(4):
        game.apply(PAST)
    assert game.leader == game.to_move() == (0 if winner is None else winner)
    assert game.tricks == [int(seat == winner) for seat in range(4)]
    assert game.trick_winners == [winner]


@pytest.mark.parametrize(
    ("plays", "led"),
    [
        pytest.param("Past Past C4 N13", "C", id="v02"),
        pytest.param("N4 N11 C13 N2", "N", id="v06"),
        pytest.param("Past Fut N13", "N", id="v09"),
        pytest.param("Past F3 N13 N12", "F", id="v10"),
        pytest.param("Past Past Past", "-", id="v04"),
    ],
)
def test_r25_led_suit(plays: str, led: str) -> None:
    assert led_suit_of(choices(plays), {}) == suit(led)


def test_v09_last_seat_had_to_follow_nova_if_able() -> None:
    assert legal_plays(cards("N12 C1")[0], choices("Past Fut N13"), {}) == choices("N12")


# ---------------------------------------------------------------------------------------- legal plays

ONLY_WHEN_VOID = {"paradox_when_able_to_follow": "only_when_void"}
FREES_TRICK = {"future_led": "frees_trick"}


@pytest.mark.parametrize(
    ("options", "trick", "hand", "legal"),
    [
        pytest.param({}, "N9", "N3 C5 P P", "N3 Fut Past", id="v14_r26_paradox_always"),
        pytest.param(ONLY_WHEN_VOID, "N9", "N3 C5 P P", "N3", id="v14_r26_only_when_void"),
        pytest.param({}, "N9", "C5 F1 P", "C5 F1 Fut Past", id="v15_r27_void"),
        pytest.param(ONLY_WHEN_VOID, "N9", "C5 F1 P", "C5 F1 Fut Past", id="v15_r27_void_only_when_void"),
        pytest.param({}, "V9", "P P", "Fut Past", id="v16_r31_paradox_cards_only"),
        pytest.param(ONLY_WHEN_VOID, "V9", "P P", "Fut Past", id="v16_r31_only_when_void"),
        pytest.param({}, "V9", "V2 N13", "V2", id="v17_r26_must_follow"),
        pytest.param({}, "Fut", "C2 N7", "C2 N7", id="v18_r28_nothing_led_by_future"),
        pytest.param({}, "Fut C2", "C8 N1 P", "C8 Fut Past", id="v18_r25_first_suited"),
        pytest.param(FREES_TRICK, "Fut C2", "C8 N1 P", "C8 N1 Fut Past", id="v18_r25_frees_trick"),
        pytest.param({}, "Past", "C2 N7", "C2 N7", id="v19_r28_nothing_led_by_past"),
        pytest.param({}, "Past N7", "C8 N1", "N1", id="v19_r25_follow_after_past"),
        pytest.param(FREES_TRICK, "Past N7", "C8 N1", "N1", id="v19_r25_past_frees_nothing"),
        pytest.param(FREES_TRICK, "N7 Fut", "C8 N1", "N1", id="r25_late_future_frees_nothing"),
        pytest.param({}, "Past Fut", "C8 N1", "C8 N1", id="v20_r28_seat_after_future"),
        pytest.param(FREES_TRICK, "Past Fut", "C8 N1", "C8 N1", id="v20_r25_seat_after_future"),
        pytest.param({}, "Past Fut C8", "C3 N2", "C3", id="v20_r25_last_seat_follows"),
        pytest.param(FREES_TRICK, "Past Fut C8", "C3 N2", "C3 N2", id="v20_r25_last_seat_free"),
        pytest.param(ONLY_WHEN_VOID, "Past", "N3 P", "N3 Fut Past", id="v21_r28_only_when_void"),
        pytest.param(ONLY_WHEN_VOID, "", "N3 P", "N3 Fut Past", id="r24_leader_only_when_void"),
    ],
)
def test_legal_plays(options: dict[str, Any], trick: str, hand: str, legal: str) -> None:
    assert legal_plays(cards(hand)[0], choices(trick), options) == choices(legal)


# ---------------------------------------------------------------------------------------- bids

BIDS = [
    pytest.param(4, [1, 1, 1], [0, 2, 3, 4], id="v22"),
    pytest.param(1, [0, 1, 0], [1], id="v23"),
    pytest.param(1, [0, 0, 0], [0], id="v24"),
    pytest.param(1, [1, 1, 0], [0, 1], id="v25"),
    pytest.param(5, [2], [0, 1, 2, 4, 5], id="v26"),
    pytest.param(3, [3, 2, 0], [0, 1, 2, 3], id="v27"),
]


@pytest.mark.parametrize(("size", "others", "legal"), BIDS)
def test_r20_hook(size: int, others: list[int], legal: list[int]) -> None:
    assert legal_bids(size, others, {"num_players": len(others) + 1}) == legal


@pytest.mark.parametrize(("size", "others", "legal"), BIDS)
def test_r20_hook_off(size: int, others: list[int], legal: list[int]) -> None:
    options = {"num_players": len(others) + 1, "hook": "off"}
    assert legal_bids(size, others, options) == list(range(size + 1))


@pytest.mark.parametrize(("size", "others", "legal"), BIDS)
def test_r18_dealer_bids_last_under_the_hook(size: int, others: list[int], legal: list[int]) -> None:
    game = Reference(num_players=len(others) + 1, round_sizes=[size], first_dealer=1)
    deal_any(game)
    for bid in others:
        assert game.to_move() != 1
        assert game.legal_actions() == list(range(size + 1))
        game.apply(bid)
    assert game.to_move() == 1
    assert game.legal_actions() == legal


# ---------------------------------------------------------------------------------------- rounds, trump


@pytest.mark.parametrize(("players", "cap"), [(2, 29), (3, 19), (4, 14), (5, 11), (6, 9)])
def test_v28_r6_caps(players: int, cap: int) -> None:
    assert Reference(num_players=players).round_sizes() == list(range(1, cap + 1))


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 3, "round_cap": 20},
        {"num_players": 3, "round_cap": 0},
        {"num_players": 3, "round_cap": {4: 5}},
        {"num_players": 7},
        {"round_sizes": []},
        {"round_sizes": [1, 15]},
        {"round_sizes": [1] * 30},
        {"only_round": 15},
        {"round_cap": 5, "only_round": 6},
        {"first_dealer": 4},
        {"score_base": -1},
        {"hook": "maybe"},
        {"num_suits": 1, "num_ranks": 1, "num_paradox": 2},
        {"nonsense": 1},
    ],
)
def test_v28_refused_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Reference(**options)


def test_r6_table_needs_only_the_entry_in_use() -> None:
    assert Reference(num_players=3, round_cap={3: 2, 4: 99}).round_sizes() == [1, 2]


@pytest.mark.parametrize("full_game", [False, True])
@pytest.mark.parametrize(("rule", "shown", "hidden"), [("none", 0, 2), ("flip_if_possible", 1, 1)])
def test_v29_r14_last_round(rule: str, shown: int, hidden: int, full_game: bool) -> None:
    options = {} if full_game else {"only_round": 14}
    game = Reference(last_round_trump=rule, first_dealer=0, **options)
    while game.round_number < len(game.round_sizes()):
        deal_any(game, random.Random(1))
        while game.phase() != "deal" and game.hand_size < 14:
            game.apply(game.legal_actions()[0])
    assert sum(len(hand) for hand in game.hands) == 56
    assert (len(game.turned_up), len(game.stock)) == (shown, hidden)
    if rule == "none":
        assert game.trump is None
        assert game.flip is None


@pytest.mark.parametrize(
    ("rule", "trump", "shown", "flip"),
    [
        ("no_trump", "-", [52], 52),
        ("redraw", "F", [52, 53, 47], 47),
        ("dealer_names", "V", [52], 52),
    ],
)
def test_v30_r16_paradox_flip(rule: str, trump: str, shown: list[int], flip: int) -> None:
    game = Reference(round_sizes=[2, 1], paradox_flip=rule, first_dealer=0)
    deal(game, cards("C1 C2", "C3 C4", "C5 C6", "C7 C8"), [52, 53, 47])
    if rule == "dealer_names":
        assert (game.phase(), game.to_move(), game.trump) == ("name_trump", 0, None)
        assert game.legal_actions() == [0, 1, 2, 3]
        game.apply(2)
    assert (game.phase(), game.to_move()) == ("bid", 1)
    assert (game.trump, game.turned_up, game.flip) == (suit(trump), shown, flip)
    assert not set(game.stock) & set(shown)


def test_r16_redraw_until_the_stock_is_empty() -> None:
    game = Reference(num_players=2, num_suits=1, num_ranks=2, paradox_flip="redraw", round_sizes=[1, 1])
    game.start_round(1, [[0], [1]], [57, 53, 52, 54, 56, 55])
    assert (game.trump, game.flip, game.stock) == (None, 55, [])
    assert game.turned_up == [57, 53, 52, 54, 56, 55]


def test_r13_no_card_left_before_the_last_round() -> None:
    game = Reference(num_players=2, round_sizes=[29, 1], first_dealer=0)
    deal_any(game)
    assert (game.trump, game.flip, game.turned_up, game.phase()) == (None, None, [], "bid")


@pytest.mark.parametrize(
    ("options", "flipped"),
    [
        ({"only_round": 5}, True),
        ({"only_round": 14}, False),
        ({"only_round": 5, "round_cap": 5}, False),
        ({"round_sizes": [5]}, False),
        ({"round_sizes": [5, 5]}, True),
    ],
)
def test_r7b_only_the_last_round_of_the_series_has_no_flip(options: dict[str, Any], flipped: bool) -> None:
    game = Reference(first_dealer=0, **options)
    deal_any(game)
    assert bool(game.turned_up) == flipped


@pytest.mark.parametrize(("rule", "leaders"), [("dealer", [2, 0, 1, 2]), ("left", [0, 1, 2, 0])])
def test_v31_r9_r18_r22_dealers_bidders_leaders(rule: str, leaders: list[int]) -> None:
    game = Reference(num_players=3, first_leader=rule, round_cap=4)
    seen: list[list[int]] = [[], [], []]
    for round_number in range(4):
        used = game.deck()
        size = round_number + 1
        hands = [used[seat * size : (seat + 1) * size] for seat in range(3)]
        game.start_round(2 if round_number == 0 else None, hands, used[3 * size :])
        assert game.dealer is not None
        seen[0].append(game.dealer)
        seen[1].append(game.to_move())
        bid_anything(game)
        seen[2].append(game.to_move())
        while game.phase() == "play":
            game.apply(game.legal_actions()[0])
    assert game.to_move() == OVER
    assert seen == [[2, 0, 1, 2], [0, 1, 2, 0], leaders]


def test_r9_fixed_dealer() -> None:
    game = Reference(num_players=3, rotate_deal="fixed", round_cap=3, first_dealer=1)
    for _ in range(3):
        deal_any(game)
        assert game.dealer == 1
        while game.phase() in ("bid", "play"):
            game.apply(game.legal_actions()[0])


# ---------------------------------------------------------------------------------------- score and end


@pytest.mark.parametrize(
    ("scoring", "bid", "tricks", "points"),
    [
        pytest.param("all_or_nothing", 5, 4, 0, id="v32_r40_one_short"),
        pytest.param("all_or_nothing", 5, 5, 15, id="v32_r39_exact"),
        pytest.param("all_or_nothing", 5, 6, 0, id="v32_r40_one_over"),
        pytest.param("all_or_nothing", 0, 0, 10, id="v32_r39_zero_bid_made"),
        pytest.param("all_or_nothing", 0, 1, 0, id="v32_r40_zero_bid_missed"),
        pytest.param("tricks_plus_bonus", 3, 3, 13, id="v33_r41_exact"),
        pytest.param("tricks_plus_bonus", 3, 2, 2, id="v33_r41_missed"),
        pytest.param("tricks_plus_bonus", 0, 0, 10, id="v33_r41_zero_bid_made"),
        pytest.param("tricks_plus_bonus", 0, 4, 4, id="v33_r41_zero_bid_missed"),
    ],
)
def test_round_score(scoring: str, bid: int, tricks: int, points: int) -> None:
    assert round_score(bid, tricks, {"scoring": scoring}) == points


def test_r39_score_base_replaces_the_ten() -> None:
    assert round_score(2, 2, {"score_base": 3}) == 5
    assert round_score(2, 2, {"score_base": 3, "scoring": "tricks_plus_bonus"}) == 5


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("options", "totals", "zeros", "places", "shares"),
    [
        pytest.param({}, [60, 60, 45], [3, 5, 9], [2, 1, 3], [0, 1, 0], id="v34_r44_zero_bids"),
        pytest.param({}, [60, 60], [4, 4], [1, 1], [HALF, HALF], id="v35_r45_shared"),
        pytest.param({"tie_zero_count": "made"}, [60, 60], [4, 1], [1, 2], [1, 0], id="v35_r44_made"),
        pytest.param({"tie_final": "seat_order"}, [60, 60], [4, 4], [1, 2], [1, 0], id="v35_r45_seat_order"),
        pytest.param({}, [0, 0, 0], [1, 0, 0], [1, 2, 2], [1, 0, 0], id="v36_r47_all_zero"),
        pytest.param({"tie_zero_count": "made"}, [0, 0, 0], [0, 0, 0], [1, 1, 1], [THIRD] * 3, id="v36_r44_made"),
        pytest.param({}, [9, 9, 5], [0, 0, 0], [1, 1, 3], [HALF, HALF, 0], id="r46_places_1_1_3"),
    ],
)
def test_ladder(
    options: dict[str, Any], totals: list[int], zeros: list[int], places: list[int], shares: list[Fraction]
) -> None:
    assert ladder(totals, zeros, options) == (places, shares)


@pytest.mark.parametrize(("rule", "counts"), [("bids", [1, 1]), ("made", [1, 0])])
def test_v35_v36_r44_missed_zero_bids(rule: str, counts: list[int]) -> None:
    game = Reference(num_players=2, round_sizes=[1], first_dealer=1, tie_zero_count=rule)
    deal(game, cards("C1", "C2"))
    for action in [0, 0, *choices("C2 C1")]:
        game.apply(action)
    assert (game.tricks, game.returns(), game.zero_counts) == ([0, 1], [10, 0], counts)


def test_v37_choice_numbers() -> None:
    assert choices("C1 F13 Fut Past V7") == [0, 51, 52, 53, 32]
    assert legal_plays([57, 0, 51, 32], [], {}) == [0, 32, 51, 52, 53]


# ---------------------------------------------------------------------------------------- knowledge


@pytest.mark.parametrize(
    ("options", "hand", "play", "voids"),
    [
        pytest.param({}, "C5 C6", "C5", {1}, id="v38_suited_discard"),
        pytest.param({}, "C5 P", "Past", set(), id="v38_past_proves_nothing"),
        pytest.param({}, "C5 P", "Fut", set(), id="v38_future_proves_nothing"),
        pytest.param({}, "N1 C5", "N1", set(), id="v38_following_proves_nothing"),
        pytest.param(ONLY_WHEN_VOID, "N1 C5", "N1", set(), id="v38_only_when_void_following"),
        pytest.param(ONLY_WHEN_VOID, "C5 P", "Past", {1}, id="v38_only_when_void_past"),
        pytest.param(ONLY_WHEN_VOID, "C5 P", "Fut", {1}, id="v38_only_when_void_future"),
        pytest.param(ONLY_WHEN_VOID, "C5 C6", "C5", {1}, id="v38_only_when_void_suited_discard"),
    ],
)
def test_voids(options: dict[str, Any], hand: str, play: str, voids: set[int]) -> None:
    game = Reference(num_players=3, round_sizes=[2], first_dealer=0, **options)
    deal(game, cards("N9 C1", hand, "F1 F2"))
    bid_anything(game)
    game.apply(choices("N9")[0])
    game.apply(choices(play)[0])
    assert game.voids == [set(), voids, set()]


def worlds_of(unseen: list[int], sizes: list[int], voids: list[set[int]]) -> Iterator[list[set[int]]]:
    """Every way to give the other seats their numbers of unseen cards; the rest is the hidden stock."""
    if not sizes:
        yield []
        return
    possible = [card for card in unseen if suit_of(card) not in voids[0]]
    for hand in itertools.combinations(possible, sizes[0]):
        rest = [card for card in unseen if card not in hand]
        for others in worlds_of(rest, sizes[1:], voids[1:]):
            yield [set(hand), *others]


def worlds_for(game: Reference, seat: int) -> list[list[set[int]]]:
    """The worlds the seat holds possible before the first card is played."""
    seen = game.hands[seat] + game.turned_up
    others = [other for other in range(game.num_players) if other != seat]
    unseen = [card for card in game.deck() if card not in seen]
    sizes = [len(game.hands[other]) for other in others]
    return list(worlds_of(unseen, sizes, [game.voids[other] for other in others]))


def test_v39_last_round_of_two_has_one_world() -> None:
    game = Reference(num_players=2, only_round=29, first_dealer=0)
    deal_any(game, random.Random(39))
    assert worlds_for(game, 1) == [[set(game.hands[0])]]


def test_v40_mini_has_six_worlds() -> None:
    game = Reference(num_players=2, only_round=2, **MINI)
    deal_any(game, random.Random(40))
    assert (game.to_move(), len(game.turned_up), len(game.stock)) == (1, 1, 2)
    worlds = worlds_for(game, 1)
    assert len(worlds) == 6
    assert [set(game.hands[0])] in worlds


def test_v41_void_leaves_one_world() -> None:
    (unseen,) = cards("C1 C3 N2 P")
    assert list(worlds_of(unseen, [2], [{0}])) == [[set(cards("N2 P")[0])]]


# ---------------------------------------------------------------------------------------- exhaustive counts


def every_deal(options: dict[str, Any], size: int, flip: bool) -> Iterator[Reference]:
    """A game after each possible deal: hands as sets, plus the flip card."""
    deck = deck_of(options)
    for hands in worlds_of(deck, [size] * options["num_players"], [set()] * options["num_players"]):
        rest = [card for card in deck if not any(card in hand for hand in hands)]
        for first in rest if flip else rest[:1]:
            game = Reference(**options)
            stock = [first] + [card for card in rest if card != first]
            game.start_round(None, [sorted(hand) for hand in hands], stock)
            yield game


def finished_phases(game: Reference, phase: str) -> Iterator[Reference]:
    """The positions at the end of every line of choices in this phase."""
    if game.phase() != phase:
        yield game
        return
    for action in game.legal_actions():
        child = copy.deepcopy(game)
        child.apply(action)
        yield from finished_phases(child, phase)


def count_lines(options: dict[str, Any], size: int, flip: bool = True) -> tuple[int, int, int, list[int]]:
    """Deals, bid sequences, play lines, and tricks won by each seat over all play lines.

    Play does not depend on the bids: every deal is played out after one bidding only.
    """
    deals = bid_sequences = lines = 0
    tricks = [0] * options["num_players"]
    for game in every_deal(options, size, flip):
        assert bool(game.turned_up) == flip
        if deals == 0:
            bid_sequences = sum(1 for _ in finished_phases(game, "bid"))
        deals += 1
        bid_anything(game)
        for end in finished_phases(game, "play"):
            assert end.to_move() == OVER
            lines += 1
            tricks = [sum(pair) for pair in zip(tricks, end.tricks, strict=True)]
    return deals, bid_sequences, lines, tricks


V42_TO_46 = [
    pytest.param(2, 1, True, 210, 2, [270, 270, 270], 540, [144, 126], id="v42"),
    pytest.param(2, 2, True, 630, 6, [3420, 3132, 3420], 20520, [3582, 3258], id="v43"),
    pytest.param(2, 3, False, 140, 12, [5616, 4536, 5616], 67392, [9324, 7524], id="v44"),
    pytest.param(3, 1, True, 840, 5, [1200, 1200, 1200], 6000, [436, 382, 382], id="v45"),
    pytest.param(3, 2, False, 630, 21, [6120, 5256, 6336], 128520, [5052, 3774, 3414], id="v46"),
]


@pytest.mark.parametrize(("players", "size", "flip", "deals", "bids", "lines", "histories", "tricks"), V42_TO_46)
def test_v42_to_v46_mini_counts(
    players: int,
    size: int,
    flip: bool,
    deals: int,
    bids: int,
    lines: list[int],
    histories: int,
    tricks: list[int],
) -> None:
    options = {**MINI, "num_players": players, "only_round": size}
    assert count_lines(options, size, flip) == (deals, bids, lines[0], tricks)
    assert lines[0] * bids == histories
    for variant, expected in ((ONLY_WHEN_VOID, lines[1]), (FREES_TRICK, lines[2])):
        assert count_lines({**options, **variant}, size, flip)[2] == expected


def test_v42_histories_walked_in_full() -> None:
    options = {**MINI, "num_players": 2, "only_round": 1}
    histories = sum(
        sum(1 for _ in finished_phases(bidden, "play"))
        for game in every_deal(options, 1, flip=True)
        for bidden in finished_phases(game, "bid")
    )
    assert histories == 540


@pytest.mark.parametrize(("rule", "tricks"), [("first", [120, 88]), ("last", [112, 96]), ("nobody", [112, 88])])
def test_v47_r38_all_past_counts(rule: str, tricks: list[int]) -> None:
    options = {**MINI, "num_players": 2, "num_ranks": 2, "num_paradox": 2, "only_round": 1, "all_past": rule}
    assert count_lines(options, 1) == (120, 2, 208, tricks)
    assert 208 * 2 == 416


@pytest.mark.parametrize(("leader", "tricks"), [("dealer", [540, 468]), ("left", [468, 540])])
def test_v48_plain_trick_engine_counts(leader: str, tricks: list[int]) -> None:
    options = {**MINI, "num_players": 2, "num_paradox": 0, "only_round": 2, "first_leader": leader}
    assert count_lines(options, 2) == (180, 6, 504, tricks)
    assert 504 * 6 == 3024


# ---------------------------------------------------------------------------------------- invariants


def random_options(rng: random.Random) -> dict[str, Any]:
    """Options of a small game, every value of every enum possible."""
    options: dict[str, Any] = {key: rng.choice(texts) for key, texts in ENUMS.items()}
    options["num_players"] = players = rng.randint(2, 6)
    options["num_suits"] = rng.randint(1, 4)
    options["num_ranks"] = rng.randint(2, 6)
    options["num_paradox"] = rng.randint(0 if options["num_suits"] * options["num_ranks"] >= players else 6, 6)
    options["first_dealer"] = rng.choice(["random", rng.randrange(players)])
    options["score_base"] = rng.choice([0, 1, 10])
    most = len(deck_of(options)) // players
    cap = rng.randint(1, min(most, 4))
    options["round_cap"] = rng.choice(["max", cap, {players: cap}])
    kind = rng.choice(["rising", "list", "one"])
    if kind == "list":
        options["round_sizes"] = [rng.choice([most, rng.randint(1, most)]) for _ in range(rng.randint(1, 3))]
    if kind == "one":
        options["only_round"] = rng.randint(1, most if options["round_cap"] == "max" else cap)
    return options


def check_cards(game: Reference, played: list[int]) -> None:
    """Invariant 1: each card is in exactly one place."""
    held = [card for hand in game.hands for card in hand]
    assert sorted(held + played + game.turned_up + game.stock) == game.deck()


def check_refusals(game: Reference, rng: random.Random) -> None:
    """Illegal choices raise and change nothing [R48]."""
    before = copy.deepcopy(vars(game))
    with pytest.raises(ValueError, match="illegal action"):
        game.apply(rng.choice([action for action in range(-5, 60) if action not in game.legal_actions()]))
    assert vars(game) == before


def play_round(game: Reference, rng: random.Random, played: list[int], all_past_tricks: list[int]) -> int:
    """Play the dealt round at random and check section 6 at every step; the number of decisions."""
    decisions = 0
    while game.phase() not in ("deal", "over"):
        check_cards(game, played)
        if rng.random() < 0.02:
            check_refusals(game, rng)
        if game.phase() == "play" and not game.trick:
            assert {len(hand) for hand in game.hands} == {game.hand_size - len(game.trick_winners)}
        legal = game.legal_actions()
        assert legal == sorted(set(legal)) != []
        seat, phase, done = game.to_move(), game.phase(), len(game.trick_winners)
        pasts = [action for _, action in game.trick].count(PAST)
        held = list(game.hands[seat])
        action = rng.choice(legal)
        game.apply(action)
        decisions += 1
        if phase == "play":
            (gone,) = set(held) - set(game.hands[seat])
            assert gone == (min(filter(is_paradox, held)) if is_paradox(action) else action)
            played.append(gone)
            if len(game.trick_winners) > done and pasts == game.num_players - 1 and action == PAST:
                all_past_tricks.append(done)
        for other in range(game.num_players):  # what is proven is true
            assert not {suit_of(card) for card in game.hands[other]} & game.voids[other]
    return decisions


def check_scores(game: Reference, all_past_tricks: int) -> None:
    """Invariants 3 to 5 after a round."""
    options, size = game.options, game.hand_size
    bids = [bid for bid in game.bids if bid is not None]
    assert len(bids) == game.num_players
    assert len(game.trick_winners) == size
    unclaimed = all_past_tricks if options["all_past"] == "nobody" else 0
    assert sum(game.tricks) == size - unclaimed
    assert game.trick_winners.count(None) == unclaimed
    exact = [bid == tricks for bid, tricks in zip(bids, game.tricks, strict=True)]
    if options["hook"] == "on":
        assert sum(bids) != size
        if options["all_past"] != "nobody":
            assert not all(exact)
            if options["scoring"] == "all_or_nothing":
                assert sum(game.round_points) <= options["score_base"] * (game.num_players - 1) + size
    for seat, points in enumerate(game.round_points):
        bonus = options["score_base"] if exact[seat] else 0
        if options["scoring"] == "all_or_nothing":
            assert points == (bonus + bids[seat] if exact[seat] else 0)
        else:
            assert points == bonus + game.tricks[seat]


def play_game(game: Reference, rng: random.Random) -> tuple[int, int]:
    """Play a whole game at random under the checks; the numbers of decisions and of rounds with a flip."""
    decisions = flips = 0
    totals = [0] * game.num_players
    for round_number, size in enumerate(game.round_sizes(), start=1):
        assert (game.phase(), game.to_move(), game.legal_actions()) == ("deal", CHANCE, [])
        deal_any(game, rng)
        assert (game.round_number, game.hand_size) == (round_number, size)
        flips += int(bool(game.turned_up))
        naming = int(game.phase() == "name_trump")
        played: list[int] = []
        all_past_tricks: list[int] = []
        made = play_round(game, rng, played, all_past_tricks)
        assert made == naming + game.num_players * (size + 1)
        assert len(played) == game.num_players * size
        decisions += made
        check_scores(game, len(all_past_tricks))
        totals = [sum(pair) for pair in zip(totals, game.round_points, strict=True)]
    assert (game.phase(), game.to_move(), game.legal_actions()) == ("over", OVER, [])
    assert game.returns() == totals
    assert sum(game.places()[1]) == 1
    return decisions, flips


@pytest.mark.parametrize(
    ("players", "cap", "tricks", "decisions", "most_points", "paradox_flips"),
    [
        (2, 29, 435, 928, 725, 2.9),
        (3, 19, 190, 627, 380, 1.9),
        (4, 14, 105, 476, 245, 1.3),
        (5, 11, 66, 385, 176, 1.0),
        (6, 9, 45, 324, 135, 0.8),
    ],
)
def test_invariants_6_and_7_of_the_standard_game(
    players: int, cap: int, tricks: int, decisions: int, most_points: int, paradox_flips: float
) -> None:
    for seed in range(3):
        game = Reference(num_players=players)
        assert play_game(game, random.Random(seed)) == (decisions, cap - 1)
        assert sum(game.round_sizes()) == tricks
        assert max(game.returns()) <= most_points == sum(10 + size for size in game.round_sizes())
    assert round((cap - 1) * 6 / 58, 1) == paradox_flips


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_oh_hell_preset_always_turns_up_a_trump(players: int) -> None:
    size = (52 - 1) // players
    game = Reference(num_players=players, round_sizes=[size], **OH_HELL)
    assert play_game(game, random.Random(players)) == (players * (size + 1), 1)
    assert game.trump is not None
    assert game.branches["R22 left leads"] == 1


def test_invariants_and_coverage_in_random_games() -> None:
    branches: Counter[str] = Counter()
    for seed in range(600):
        rng = random.Random(seed)
        game = Reference(**random_options(rng))
        play_game(game, rng)
        branches += game.branches
    assert set(branches) <= set(ALL_BRANCHES)
    assert [key for key in ALL_BRANCHES if branches[key] < 5] == []


def test_mini_reaches_everything_but_what_needs_two_paradox_cards() -> None:
    branches: Counter[str] = Counter()
    for seed in range(400):
        rng = random.Random(seed)
        enums = {key: rng.choice(texts) for key, texts in ENUMS.items()}
        game = Reference(num_players=rng.choice([2, 3]), **MINI, **enums)
        play_game(game, rng)
        branches += game.branches
    need_two_paradox_cards = {
        "R4 one of several paradox cards",
        "R16 redraw several",
        "R32 several futures",
        "R38 all past first",
        "R38 all past last",
        "R38 all past nobody",
    }
    need_other_settings = {
        "R6 cap number",
        "R6 cap table",
        "R7 round sizes list",
        "R7b only round",
        "R7b only round is the last",
        "R8 random dealer",
        "R13 no card left",
        "R14 flip impossible",  # 7 cards for 2 or 3 seats always leave one
    }
    assert set(ALL_BRANCHES) - set(branches) == need_two_paradox_cards | need_other_settings


def test_start_round_refuses_wrong_cards_and_dealers() -> None:
    game = Reference(num_players=2, **MINI)
    good = [[0], [1]], [2, 13, 14, 15, 52]
    bad = [
        (0, *good),
        (None, [[0], [1, 2]], [13, 14, 15, 52]),
        (None, [[0], [0]], good[1]),
        (None, [[0], [1]], good[1][1:]),
        (None, [[0]], [1, *good[1]]),
    ]
    for dealer, hands, stock in bad:
        with pytest.raises(ValueError, match=r"\w"):
            game.start_round(dealer, hands, stock)
    game.start_round(None, *good)
    with pytest.raises(ValueError, match="no deal is due"):
        game.start_round(None, *good)


def test_r25_freed_trick_needs_the_option() -> None:
    assert is_freed(choices("Past Fut"), FREES_TRICK)
    assert not is_freed(choices("Past Fut"), {})
