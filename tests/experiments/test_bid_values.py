"""What bids are worth: against every world and play of small games, whatever the workers, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import kronions
import truf
from cardkit.game import Game
from cardkit.verbs import apply, deal_row, deals_done, legal_mask, likelihood
from experiments.bid_values import BidValues, bid_values
from experiments.schema import deal_dtype
from experiments.stats import Estimate
from tests.experiments.helpers import invoke, output
from tests.reference.kronions import Reference
from truf.state import DONE

ASKED = ["bids", "kronions", "--hand", "Nova 13, Nova 12, Void 2, paradox", "--players", "4", "--seat", "2"]
ASKED += ["--trump", "Nova", "--bids", "1"]
TRUF_HAND = "AS, KS, 10S, 5S, 3S, KH, 9H, 2H, AD, 4D, QC, 7C, 3C"
MINI = {"num_players": 2, "num_suits": 2, "num_ranks": 3, "num_paradox": 1, "first_dealer": 0, "only_round": 2}


# Every world and every play of small games


def at_random(game: Reference, seat: int) -> float:
    """The points that a seat can expect where all play at random."""
    if game.phase() == "over":
        return float(game.round_points[seat])
    values = []
    for action in game.legal_actions():
        after = deepcopy(game)
        after.apply(action)
        values.append(at_random(after, seat))
    return sum(values) / len(values)


def mini_worlds(hand: list[int], flips: list[int]) -> Iterator[tuple[list[list[int]], list[int]]]:
    """Every deal of the small deck in which seat 0, the dealer, has the hand and a card of some is turned up."""
    deck = [0, 1, 2, 13, 14, 15, 52]
    for flip in flips:
        rest = [card for card in deck if card not in (*hand, flip)]
        for other in combinations(rest, 2):
            yield [hand, list(other)], [flip, *(card for card in rest if card not in other)]


@pytest.mark.parametrize("belief", ["uniform", "bids"])
@pytest.mark.parametrize(("hand", "text"), [([13, 52], "Nova 1, paradox"), ([0, 15], "C1, N3"), ([1, 2], "6")])
def test_bids_of_a_small_kronions_are_worth_what_all_its_plays_say(hand: list[int], text: str, belief: str) -> None:
    rules = kronions.Game("mini", only_round=2)
    flips = [card for card in (13, 14, 15) if card not in hand]
    exact = dict.fromkeys((0, 2), 0.0)
    weights = 0.0
    for hands, stock in mini_worlds(hand, flips):
        game = Reference(**MINI)
        game.start_round(None, hands, stock)
        game.apply(1)
        weight = 1.0 if belief == "uniform" else reference_weight(rules, hands, stock[0])
        weights += weight
        assert game.legal_actions() == [0, 2]  # the dealer may not bid 1
        for bid in exact:
            after = deepcopy(game)
            after.apply(bid)
            exact[bid] += weight * at_random(after, 0)
    found = bid_values(rules, text, 0, [1], "Nova", bot="random", belief=belief, worlds=12_000, seed=1)
    assert {value.bid for value in found.bids} == set(exact)
    assert (found.effective < 1) == (belief == "bids")
    for value in found.bids:
        assert abs(value.points.mean - exact[value.bid] / weights) <= 1.5 * value.points.half_width
        assert value.points.half_width < 0.2
        assert value.made.mean == pytest.approx(value.points.mean / (10 + value.bid))


def reference_weight(game: kronions.Game, hands: list[list[int]], flip: int) -> float:
    """How well a deal fits the bid 1 of seat 1, by the verb."""
    cards = [".".join("P" if card == 52 else f"{'CN'[card // 13]}{card % 13 + 1}" for card in hand) for hand in hands]
    line = (
        f"phase=bid round=1 dealer=0 size=2 flip=N{flip - 12} up=1 trump=N totals=0,0 zeros=0,0 bids=-,1 won=0,0 "
        f"voids=-,- hands={cards[0]},{cards[1]} played=-,- leader=0 trick=- actor=0"
    )
    return float(likelihood(game.rules, game.position(line).record, 0))


def kernel_mean(game: truf.Game, records: Any) -> float:
    """The points that seat 0 can expect in a hand where all play at random, over all plays."""
    if deals_done(game.rules, records[0]):
        row = np.zeros(1, deal_dtype(game)).view(np.recarray)
        deal_row(game.rules, records[0], 0, row[0])
        return float(row[0].points)
    mask = int(legal_mask(game.rules, records[0]))
    values = []
    for action in (action for action in range(mask.bit_length()) if mask >> action & 1):
        after = records.copy()
        apply(game.rules, after[0], action)
        values.append(kernel_mean(game, after))
    return sum(values) / len(values)


def test_bids_of_a_small_truf_are_worth_what_all_its_plays_say() -> None:
    game = truf.Game("mini")
    own = 1 << 39 | 1 << 37  # 2S, KH
    found = bid_values(game, own, bot="random", worlds=20_000, seed=1)
    assert {(value.bid, value.suit) for value in found.bids} == {(2, "Spades"), (0, "Hearts"), (2, "NO TRUF")}
    starts = list(truf_worlds(game, own))
    assert len(starts) == 90
    for value in found.bids:
        points = []
        for start in starts:
            records = start.copy()
            for action in value.actions:
                apply(game.rules, records[0], action)
            points.append(kernel_mean(game, records))
        assert abs(value.points.mean - sum(points) / len(points)) <= 1.5 * value.points.half_width
        assert value.points.half_width < 0.15


def truf_worlds(game: truf.Game, own: int) -> Iterator[Any]:
    """Every deal in which seat 0 has a hand, as records."""
    rest = [card for card in (26, 36, 37, 38, 39, 49, 50, 51) if not own >> card & 1]
    for first in combinations(rest, 2):
        for second in combinations([card for card in rest if card not in first], 2):
            third = [card for card in rest if card not in (*first, *second)]
            records = game.new_records(1)
            records[0] = game.bid_views(own)[0].record
            for seat, cards in enumerate((first, second, third), start=1):
                records[0].hands[seat] = np.uint64(sum(1 << card for card in cards))
            yield records


SIX = kronions.Game(), "Nova 13, Void 7, Void 2, C3, F4, F9", 3, [2, 3], "Nova"


@pytest.mark.parametrize("belief", ["uniform", "bids"])
def test_points_are_as_uncertain_as_it_is_to_make_the_bid(belief: str) -> None:
    """In Kronions a bid brings its points or none; a bid that no world has made may be made all the same."""
    found = bid_values(*SIX, belief=belief, worlds=108, seed=1)
    assert min(value.made.mean for value in found.bids) == 0
    for value in found.bids:
        most = 10 + value.bid
        ends = [most * end for end in (value.made.mean, value.made.low, value.made.high)]
        assert [value.points.mean, value.points.low, value.points.high] == pytest.approx(ends)
        assert 0 <= value.points.low < value.points.high
        assert value.points.high > 0.2
        assert value is found.bids[0] or value.behind.low < value.behind.mean < value.behind.high
    assert found.bids[0].behind == Estimate(0.0, 0.0, 0.0, 108)


def test_points_that_all_worlds_agree_on_reach_to_what_a_bid_can_bring() -> None:
    """One trick is made by the highest trump that leads: never missed in any world, and yet not known to be sure."""
    found = bid_values(kronions.Game(), "Nova 13", 1, [], "none", worlds=40, seed=1)
    for value in found.bids:
        assert value.points.low < value.points.high
        assert value.points.low >= 0
        assert value.points.high <= 10 + value.bid


def test_the_points_of_a_bid_reach_as_far_as_its_rules_say() -> None:
    assert kronions.Game().points_of_bid((2,), 6) == (0, 12)
    assert kronions.Game(scoring="tricks_plus_bonus").points_of_bid((2,), 6) == (0, 12)
    assert kronions.Game(scoring="tricks_plus_bonus").points_of_bid((0,), 6) == (1, 10)
    game = truf.Game()
    (view,) = game.bid_views(TRUF_HAND)
    least, most = game.points_of_bid((view.legal_actions()[0], DONE), 13)
    bid, _ = game.bid_of((view.legal_actions()[0], DONE))
    assert most == max(bid + 1, 10 if bid == 0 else 0)
    assert least == min(-2 * (bid + 1), -2 * (13 - (bid - 1)))


@pytest.mark.parametrize("worlds", [2, 12])
def test_few_worlds_that_count_leave_ends_that_can_be(worlds: int) -> None:
    game = kronions.Game("mini", only_round=2)
    found = bid_values(game, "Nova 1, paradox", 0, [1], "Nova", bot="random", belief="bids", worlds=worlds)
    for value in found.bids:
        assert 0 <= value.points.low <= value.points.mean <= value.points.high <= 10 + value.bid
        assert 0 <= value.made.low < value.made.high <= 1


# What is asked and what is shown


def test_the_best_way_to_lay_a_bid_is_shown_and_every_sum_and_suit_is_there() -> None:
    game = truf.Game(max_bid_cards=2)
    found = bid_values(game, TRUF_HAND, worlds=60, seed=3)
    value_of = {"A": 1, "K": 0, "Q": 0}
    cards = [card.strip() for card in TRUF_HAND.split(",")]
    sums = set()
    for laid in (*combinations(cards, 1), *combinations(cards, 2)):
        suits = {card[-1] for card in laid}
        names = {"S": "Spades", "H": "Hearts", "D": "Diamonds", "C": "Clubs"}
        total = sum(value_of.get(card[:-1]) if card[:-1] in value_of else int(card[:-1]) for card in laid)  # type: ignore[misc]
        sums.add((total, names[suits.pop()] if len(suits) == 1 else "NO TRUF"))
    assert {(value.bid, value.suit) for value in found.bids} == sums
    for value in found.bids:
        assert game.bid_of(value.actions) == (value.bid, value.suit)
        assert set(value.text.split(", ")) <= set(cards)
    means = [value.points.mean for value in found.bids]
    assert means == sorted(means, reverse=True)
    assert found.bids[0].behind.mean == 0
    assert all(value.behind.mean == pytest.approx(means[0] - value.points.mean) for value in found.bids)


def strip(found: BidValues) -> Any:
    return [(value.text, value.points, value.made, value.behind) for value in found.bids]


@pytest.mark.parametrize("bot", ["heuristic", "random", "mc:iterations=20"])
def test_any_number_of_workers_finds_the_same(bot: str) -> None:
    game = kronions.Game(num_players=3)
    question = game, "Nova 13, Void 2, paradox", 1, [1, 0], "Nova"
    found = [bid_values(*question, bot=bot, worlds=40, seed=4, workers=workers) for workers in (1, 2, 3)]
    assert strip(found[0]) == strip(found[1]) == strip(found[2])
    assert strip(found[0]) != strip(bid_values(*question, bot=bot, worlds=40, seed=5))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_question_is_what_a_seat_sees_in_a_game(players: int) -> None:
    game, asked = kronions.Game(num_players=players), 0
    state = game.new_initial_state(seed=players)
    ignored = ("totals", "zeros", "leader")
    while not state.is_terminal():
        if state.phase() == "bid":
            seat, record = state.current_player(), state.record
            order = [(int(record.dealer) + 1 + i) % players for i in range(players)]
            bids = [int(record.bids[other]) for other in order[: order.index(seat)]]
            flip = state.position_string().split("flip=")[1].split(" ")[0]
            (view,) = game.bid_views(int(record.hands[seat]), seat, bids, flip=None if flip == "-" else flip)
            words = [
                [word for word in found.position_string().split() if word.split("=")[0] not in ignored]
                for found in (view, state.view(seat))
            ]
            assert words[0] == words[1]
            if flip == "-":  # as in the columns of the last round
                (again,) = game.bid_views(int(record.hands[seat]), seat, bids, trump="none", flip="none")
                assert again.position_string() == view.position_string()
            assert view.legal_actions() == state.legal_actions()
            asked += 1
        state.apply_action(state.legal_actions()[-1 if state.phase() == "bid" else 0])
    assert asked == players * game.max_deals()


def test_a_suit_alone_leaves_its_unseen_cards_to_be_the_one_turned_up() -> None:
    game = kronions.Game(num_players=4)
    views = game.bid_views("Nova 13, Nova 2", 0, [], "nova")
    assert sorted(int(view.record.flip) for view in views) == [13, *range(15, 25)]
    (only,) = game.bid_views("Nova 13, Nova 2", 0, [], "Nova", "Nova 4")
    assert int(only.record.flip) == 16
    (blank,) = game.bid_views("Nova 13, Nova 2", 0, [], "none")
    assert (int(blank.record.flip), int(blank.record.trump)) == (52, -1)
    named = kronions.Game(num_players=4, paradox_flip="dealer_names").bid_views("Nova 13", 0, [], "Void", "paradox")
    assert (int(named[0].record.flip), int(named[0].record.trump)) == (52, 2)


def test_a_table_and_bars() -> None:
    text = output(*ASKED, "--worlds", "110")
    assert text.startswith("kronions, seat 2 bids with Nova 12, Nova 13, Void 2, paradox; trump Nova, dealer seat 0, ")
    for word in (
        "bid 0",
        "bid 4",
        "points",
        "made %",
        "behind",
        " .. ",
        "█",
        "the same 110 worlds",
        "heuristic plays all",
    ):
        assert word in text
    assert text.index("bid 2") < text.index("bid 0")
    weighted = output(*ASKED, "--worlds", "110", "--belief", "bids")
    assert "weighted by the bids made before, " in weighted
    few_count = " ".join(output(*ASKED, "--worlds", "30", "--belief", "bids").split())
    assert "with so few an interval may hold less often" in few_count
    assert "with so few" not in text
    few = output("bids", "truf", "--hand", TRUF_HAND, "--worlds", "20", "--rule", "max_bid_cards=2")
    assert "more with --all" in few
    assert "NO TRUF" in few
    every = output("bids", "truf", "--hand", TRUF_HAND, "--worlds", "20", "--rule", "max_bid_cards=2", "--all")
    assert "more with" not in every
    assert len(every.splitlines()) > len(few.splitlines())


def test_the_hand_that_is_shown_can_be_asked_for() -> None:
    hands: list[tuple[Game, str]] = [
        (kronions.Game(), "paradox, Flux 1, N13, C10, paradox"),
        (truf.Game(), TRUF_HAND),
        (truf.Game("mini"), "2S, KH"),
    ]
    for game, text in hands:
        flip = "V4" if game.name == "kronions" else None
        (asked,) = game.bid_views(text, flip=flip)
        mask = int(asked.record.hands[0])
        shown = game.text.hand_text(mask)
        (again,) = game.bid_views(shown, flip=flip)
        assert int(again.record.hands[0]) == mask


def test_json_says_everything_the_table_says() -> None:
    data = json.loads(output(*ASKED, "--worlds", "110", "--json"))
    assert (data["seat"], data["worlds"], data["effective"], data["bot"]) == (2, 110, 1.0, "heuristic")
    assert data["bids"][0]["bid"] == 2
    assert {line["bid"] for line in data["bids"]} == {0, 1, 2, 3, 4}
    for line in data["bids"]:
        for name in ("points", "made", "behind"):
            assert line[name]["low"] <= line[name]["mean"] <= line[name]["high"]
        assert 0 <= line["made"]["low"] <= line["made"]["high"] <= 1


def test_the_dealer_may_not_make_the_bids_add_up() -> None:
    data = json.loads(
        output(*ASKED[:6], "--seat", "0", "--trump", "Nova", "--bids", "1,1,0", "--worlds", "22", "--json")
    )
    assert {line["bid"] for line in data["bids"]} == {0, 1, 3, 4}
    free = [*ASKED[:6], "--seat", "0", "--trump", "Nova", "--bids", "1,1,0", "--worlds", "22", "--json"]
    data = json.loads(output(*free, "--rule", "hook=off"))
    assert {line["bid"] for line in data["bids"]} == {0, 1, 2, 3, 4}


# What is refused

HAND = ["bids", "kronions", "--hand"]
N4 = ["--trump", "Nova"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*HAND, "Nova 13, N13", *N4], "card ' N13' is named twice"),
        ([*HAND, "Nova 14", *N4], "'Nova 14' is no card"),
        ([*HAND, "", *N4], "'' is no card"),
        ([*HAND, "P,P,P,P,P,P,P", *N4], "7 paradox cards: there are 6"),
        ([*HAND, "N1,N2,N3", "--rule", "num_ranks=2", *N4], "N3: not in the deck of these rules"),
        ([*HAND, "N1", "--rule", "round_sizes=3,5", *N4], "a hand of 1 cards: expected one of the rounds' sizes 3, 5"),
        ([*HAND, ",".join(f"N{i}" for i in range(1, 14)) + ",C1,C2", *N4], "a hand of 15 cards: expected one of the"),
        ([*HAND, "N13"], "the trump is missing: expected a suit, or none where a paradox card is turned up"),
        ([*HAND, "N13", "--trump", "Nov"], "trump 'Nov'; did you mean 'nova'?"),
        ([*HAND, "N13", "--flip", "N13"], "N13 is turned up: it cannot be in the hand as well"),
        ([*HAND, "N13", "--flip", "N12,N11"], "'N12,N11' is no card"),
        ([*HAND, "N13", "--flip", "N4", "--trump", "Void"], "trump Void: N4 turned up makes it Nova"),
        ([*HAND, "N13", "--flip", "P", "--trump", "Void"], "trump Void: a paradox card turned up means that there is"),
        ([*HAND, "P,P,P,P,P,P", "--trump", "none"], "a paradox card turned up: the hand has all 6 of them"),
        ([*HAND, "N13", "--trump", "none", "--rule", "paradox_flip=redraw"], "another card follows a paradox card"),
        ([*HAND, "N13", "--flip", "P", "--rule", "paradox_flip=dealer_names"], "lets the dealer name a suit"),
        ([*HAND, "N13", *N4, "--seat", "4"], "seat 4: expected 0..3"),
        ([*HAND, "N13", *N4, "--seat", "-1"], "seat -1: expected 0..3"),
        ([*HAND, "N13", *N4, "--bids", "0,0,0,0"], "4 bids before this one: expected at most 3, one a seat"),
        ([*HAND, "N13", *N4, "--bids", "2"], "bid 2: expected 0..1, as many as there are tricks"),
        ([*HAND, "N13", *N4, "--bids", "1,,0"], "bids '1,,0': expected numbers with commas, such as 1,0,2"),
        ([*HAND, "N13", *N4, "--bids", "one"], "bids 'one': expected numbers with commas, such as 1,0,2"),
        ([*HAND, "N13", *N4, "--bot", "heuristics"], "unknown bot 'heuristics'"),
        ([*HAND, "N13", *N4, "--bot", "tests.baselines.kronions:Baseline"], "is not a built-in one"),
        ([*HAND, "N13", *N4, "--belief", "bid"], "unknown belief 'bid'; did you mean 'bids'?"),
        ([*HAND, "N13", *N4, "--worlds", "99999999"], "worlds 99999999: expected an integer 0..10000000"),
        ([*HAND, "N13", *N4, "--worlds", "1"], "1 is not in the range x>=2"),
        ([*HAND, str(1 << 64), *N4], "expected 0 .. 2**64 - 1"),
        ([*HAND, str(1 << 53), *N4], "and the lowest k of 52-57 for k paradox cards"),
        ([*HAND, ",".join(f"{s}{r}" for s in "CN" for r in range(1, 8)), *N4], "no card is turned up in this round"),
        ([*HAND, "C1", "--rule", "num_suits=1", "--players", "2", *N4], "trump 'Nova'; expected one of chrono, none"),
        (["bids", "truf", "--hand", "AS"], "a hand of 1 cards: expected 13"),
        (["bids", "truf", "--hand", TRUF_HAND.replace("AS", "KS")], "is named twice"),
        (["bids", "truf", "--hand", TRUF_HAND, "--bids", "3"], "truf is bid in secret"),
        (["bids", "truf", "--hand", TRUF_HAND, "--seat", "4"], "seat 4: expected 0..3"),
        (["bids", "truf", "--hand", "2S,3S", "--preset", "mini"], "3S: not in the deck of these rules"),
        (["bids", "kosmogonia", "--hand", "1"], "kosmogonia has no bids"),
        (["bids", "oh_hell", "--hand", "1"], "unknown game 'oh_hell'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(arguments: Sequence[str], message: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
