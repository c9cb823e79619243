"""The compiled engine beside the reference engine, move by move on the same deals: they must never differ.

`test_mutations.py` runs `compare_small_games` on broken copies of the package, to show that differences are seen.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from cardkit.rng import RNG_WORDS, bot_stream, chance_stream
from cardkit.verbs import (
    CHANCE,
    OVER,
    apply,
    chance,
    chance_event,
    deal_row,
    deal_value,
    deals_done,
    legal_mask,
    new_game,
    places,
    policy,
    returns,
    to_move,
)
from kronions.game import Game
from kronions.rules import MAX_ROUNDS, OPTIONS
from kronions.state import DEAL, DEAL_CARDS, FIRST_DEALER, FREED, NONE, PHASES
from tests.reference.kronions import (
    ALL_BRANCHES,
    DEFAULTS,
    ENUMS,
    FIRST_PARADOX,
    RANGES,
    Reference,
    cap_of,
    deck_of,
    is_freed,
    is_paradox,
    trick_winner,
)

Options = dict[str, Any]

SUITED = (1 << 52) - 1
SEED = 20260
FULL_GAMES = 6  # of each number of players, random and by the policy
SMALL_GAMES = 4000
PARTS = 8  # of the small games, so that two processes can share them


# Both engines at one table


class Table:
    """One game on both engines; every step raises AssertionError where they differ."""

    def __init__(self, options: Options, board: int) -> None:
        self.game = Game(**options)
        self.reference = Reference(**options)
        self.board = board
        self.rules = self.game.rules
        records = self.game.new_records(1)
        self.state = records[0]
        self._row = records.view(np.ndarray)[0]  # the same memory; reads ten times as fast
        self._events: set[int] = set()
        self._dealt: list[int] = []
        new_game(self.rules, self.state)

    def fields(self) -> dict[str, Any]:
        """The record as plain Python values."""
        values = zip(self.game.state_dtype.names, self._row.item(), strict=True)
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values}

    def expect(self, what: str, ours: Any, theirs: Any) -> None:
        """Fail unless a value of the compiled engine equals the reference's."""
        if ours != theirs:
            raise AssertionError(
                f"{what} differs from the reference: {ours!r}, expected {theirs!r}; "
                f"options {self.game.changed_options()}, board {self.board}, record {self.fields()}"
            )

    def chance(self, rng: Any) -> str:
        """Draw one chance event; the name of its phase."""
        phase = PHASES[self.state.phase]
        event = chance_event(self.rules, self.state)
        self.expect("repeated chance event", event in self._events, False)
        self._events.add(event)
        chance_stream(rng, np.uint64(SEED), np.uint64(self.board), event)
        chance(self.rules, self.state, rng)
        return phase

    def deal(self) -> None:
        """Draw chance up to the next decision, and give the reference the same dealer, hands and flips."""
        rng = np.zeros(RNG_WORDS, np.uint64)
        dealer, turned_up, phases = None, [], []
        while to_move(self.rules, self.state) == CHANCE:
            phase = self.chance(rng)
            phases.append(phase)
            if phase == "first_dealer":
                dealer = int(self.state.dealer)
            if phase == "flip":
                turned_up.append(int(self.state.flip))
        self._dealt = self.fields()["hands"]
        copies = iter(range(FIRST_PARADOX, FIRST_PARADOX + 6))
        try:
            hands = [[next(copies) if is_paradox(card) else card for card in cards_of(hand)] for hand in self._dealt]
            top = [next(copies) if is_paradox(card) else card for card in turned_up]
            used = {card for hand in hands for card in hand} | set(top)
            rest = [card for card in self.reference.deck() if card not in used]
            self.reference.start_round(dealer, hands[: self.rules.num_players], top + rest)
        except (ValueError, StopIteration) as error:
            raise AssertionError(
                f"the deal differs from the reference: {error!r}; options {self.game.changed_options()}, "
                f"board {self.board}, record {self.fields()}"
            ) from error
        expected = ["first_dealer"] * (dealer is not None) + ["deal"] + ["flip"] * len(self.reference.turned_up)
        self.expect("chance phases", phases, expected)
        self.check()

    def play(self, action: int) -> None:
        """Carry out a legal action on both engines and compare them."""
        done = len(self.reference.trick_winners)
        self.reference.apply(action)
        apply(self.rules, self.state, action)
        if len(self.reference.trick_winners) > done:
            winner = self.reference.trick_winners[-1]
            self.expect("trick winner", int(self.state.winner), NONE if winner is None else winner)
        self.check()
        if self.reference.phase() in ("deal", "over"):
            self.check_scores()

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, compared."""
        mask = int(legal_mask(self.rules, self.state))
        actions = [action for action in range(mask.bit_length()) if mask >> action & 1]
        self.expect("legal actions", actions, self.reference.legal_actions())
        return actions

    def check(self) -> None:
        """Compare everything that both engines know."""
        ours, theirs = compiled_view(self.rules, self.fields()), reference_view(self.reference)
        ours["to_move"] = to_move(self.rules, self.state)
        for what, expected in theirs.items():
            self.expect(what, ours[what], expected)

    def check_scores(self) -> None:
        """Compare what a finished round was worth, and the standing."""
        seats, reference = range(self.rules.num_players), self.reference
        points, standing = np.zeros(len(seats)), np.zeros(len(seats))
        place, share = np.zeros(len(seats), np.int64), np.zeros(len(seats))
        deal_value(self.rules, self.state, points)
        returns(self.rules, self.state, standing)
        places(self.rules, self.state, place, share)
        self.expect("rounds done", deals_done(self.rules, self.state), reference.round_number)
        self.expect("points", points.tolist(), [float(value) for value in reference.round_points])
        self.expect("returns", standing.tolist(), [float(value) for value in reference.returns()])
        expected_places, expected_shares = reference.places()
        self.expect("places", place.tolist(), expected_places)
        self.expect("shares", share.tolist(), [float(value) for value in expected_shares])
        row = np.zeros(1, DEAL).view(np.recarray)[0]
        for seat in seats:
            deal_row(self.rules, self.state, seat, row)
            self.expect(f"row of seat {seat}", row.item(), reference_row(reference, seat, self._dealt[seat]))


def cards_of(hand: int) -> list[int]:
    """The card numbers of a bit mask, ascending."""
    return [card for card in range(hand.bit_length()) if hand >> card & 1]


def compiled_view(rules: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """A record, as `reference_view` shows the other engine."""
    seats = range(rules.num_players)
    phase = PHASES[fields["phase"]]
    trick = [byte - 1 for byte in fields["trick"].to_bytes(8, "little") if byte] if fields["trick_size"] else []
    view = {
        "phase": "deal" if fields["phase"] in (FIRST_DEALER, DEAL_CARDS) else phase,
        "dealer": fields["dealer"],
        "hand size": fields["hand_size"],
        "suited cards": [fields["hands"][seat] & SUITED & ~fields["played"] for seat in seats],
        "paradox cards": [
            (fields["hands"][s] >> FIRST_PARADOX).bit_count() - fields["paradox_played"][s] for s in seats
        ],
        "trump": fields["trump"],
        "flip": fields["flip"],
        "turned up": fields["turned_up"],
        "bids": fields["bids"][: len(seats)],
        "tricks": fields["tricks"][: len(seats)],
        "totals": fields["totals"][: len(seats)],
        "zero bids": fields["zero_bids"][: len(seats)],
        "voids": fields["voids"][: len(seats)],
        "trick": trick,
        "trick size": fields["trick_size"],
        "tricks done": fields["tricks_done"],
    }
    if phase == "play":
        view["leader"] = fields["leader"] if trick else fields["actor"]
        view["led suit"] = fields["led_suit"] if trick else NONE
        view["winner so far"] = fields["winner"] if trick else NONE
    return view


def reference_view(game: Reference) -> dict[str, Any]:
    """Everything that the reference engine knows, in the numbers of the record."""
    trick = [action for _, action in game.trick]
    view = {
        "phase": game.phase(),
        "dealer": game.dealer,
        "to_move": game.to_move(),
        "hand size": game.hand_size,
        "suited cards": [sum(1 << card for card in hand if not is_paradox(card)) for hand in game.hands],
        "paradox cards": [sum(map(is_paradox, hand)) for hand in game.hands],
        "trump": NONE if game.trump is None else game.trump,
        "flip": NONE if game.flip is None else min(game.flip, FIRST_PARADOX),
        "turned up": len(game.turned_up),
        "bids": [-1 if bid is None else bid for bid in game.bids],
        "tricks": game.tricks,
        "totals": game.totals,
        "zero bids": game.zero_counts,
        "voids": [sum(1 << suit for suit in voids) for voids in game.voids],
        "trick": trick,
        "trick size": len(trick),
        "tricks done": len(game.trick_winners),
    }
    if game.phase() == "play":
        freed = is_freed(trick, game.options)
        view["leader"] = game.leader
        view["led suit"] = FREED if freed else NONE if game.led_suit is None else game.led_suit
        options = {**game.options, "all_past": "last" if game.options["all_past"] == "last" else "first"}
        winner = trick_winner(trick, game.trump, options) if trick else None
        view["winner so far"] = NONE if winner is None else game.trick[winner][0]
    return view


def reference_row(game: Reference, seat: int, dealt: int) -> tuple[int, ...]:
    """The row of a finished round that the reference engine expects."""
    flip = 53 if game.flip is None else min(game.flip, FIRST_PARADOX)
    trump, bid = 4 if game.trump is None else game.trump, game.bids[seat]
    assert game.dealer is not None
    assert bid is not None
    points = game.round_points[seat]
    return dealt, game.dealer, game.hand_size, flip, trump, bid, game.tricks[seat], points, game.totals[seat]


def compare_game(options: Options, board: int, is_policy: bool) -> Counter[str]:
    """Play one game on both engines; the branches of the rules that it took.

    Raises:
        AssertionError: at the first difference.
    """
    table, choices = Table(options, board), random.Random(board)
    rng = np.zeros(RNG_WORDS, np.uint64)
    bot_stream(rng, np.uint64(SEED), np.uint64(board), 0, 0, 0)
    while (seat := to_move(table.rules, table.state)) != OVER:
        if seat == CHANCE:
            table.deal()
            continue
        actions = table.legal_actions()
        action = int(policy(table.rules, table.state, rng)) if is_policy else choices.choice(actions)
        assert action in actions, f"the policy plays {action}, expected one of {actions}"
        table.play(action)
    table.expect("legal actions at the end", int(legal_mask(table.rules, table.state)), 0)
    table.expect("the end", table.reference.phase(), "over")
    return table.reference.branches


# What is compared


def random_options(rng: random.Random) -> Options:
    """Valid options of a game of at most some hundred decisions; every value of every option can come."""
    options: Options = {key: rng.choice(words) for key, words in ENUMS.items()}
    players = options["num_players"] = rng.randint(2, 6)
    options["num_suits"] = rng.randint(1, 4)
    options["num_ranks"] = rng.choice([rng.randint(1, 5), rng.randint(1, 13)])
    options["num_paradox"] = rng.randint(0, 6)
    if len(deck_of(options)) < players:
        options["num_paradox"] = 6
    options["first_dealer"] = rng.choice(["random", rng.randrange(players)])
    options["score_base"] = rng.choice([0, 1, 10, 10, 1000])
    most = len(deck_of(options)) // players
    cap = rng.randint(1, min(most, 4))
    others = {n: rng.randint(1, 29) for n in rng.sample(range(2, 7), 2)}  # entries that are not looked at
    options["round_cap"] = rng.choice(["max" if most <= 5 else cap, cap, {**others, players: cap}])
    kind = rng.choice(["rising", "list", "one"])
    if kind == "list":
        options["round_sizes"] = [rng.choice([most, rng.randint(1, most)]) for _ in range(rng.randint(1, 2))]
        options["round_cap"] = rng.choice(["max", rng.randint(1, 29)])  # is ignored [R7]
    if kind == "one":
        options["round_cap"] = rng.choice(["max", options["round_cap"]])
        options["only_round"] = rng.choice([cap_of(options), rng.randint(1, cap_of(options))])
    return options


def small_games(num_games: int, first: int = 0, step: int = 1) -> Iterator[tuple[Options, int, bool]]:
    """Options, board and kind of player of some small games; every second pair is played by the policy."""
    for board in range(first, num_games, step):
        yield random_options(random.Random(SEED + board)), board, board // PARTS % 2 == 1


def full_games(players: int) -> Iterator[tuple[Options, int, bool]]:
    """Options, board and kind of player of some games with the default options."""
    for board in range(2 * FULL_GAMES):
        yield {"num_players": players}, board, board % 2 == 1


def games_of_every_size() -> Iterator[tuple[Options, int, bool]]:
    """Options, board and kind of player of games with every number that the round options allow."""
    for size in range(1, MAX_ROUNDS + 1):
        yield {"num_players": 2, "round_cap": size}, size, size % 2 == 1
        yield {"num_players": 2, "only_round": size}, size, size % 2 == 0
        yield {"num_players": 2, "round_sizes": [size, MAX_ROUNDS + 1 - size]}, size, size % 2 == 1


def compare(games: Iterable[tuple[Options, int, bool]]) -> Counter[str]:
    """Compare the engines over games; the branches taken.

    Raises:
        AssertionError: at the first difference.
    """
    branches: Counter[str] = Counter()
    for options, board, is_policy in games:
        branches += compare_game(options, board, is_policy)
        branches[f"{options['num_players']} players"] += 1
    return branches


def compare_small_games(num_games: int) -> Counter[str]:
    """Compare the engines over the first small games."""
    return compare(small_games(num_games))


@cache
def compare_full_part(players: int) -> Counter[str]:
    return compare(full_games(players))


@cache
def compare_every_size() -> Counter[str]:
    return compare(games_of_every_size())


@cache
def compare_small_part(part: int) -> Counter[str]:
    return compare(small_games(SMALL_GAMES, part, PARTS))


# The tests


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_full_games_agree_with_the_reference(players: int) -> None:
    branches = compare_full_part(players)
    assert branches[f"{players} players"] == 2 * FULL_GAMES
    assert branches["R9 deal passes left"] == 2 * FULL_GAMES * (58 // players - 1)


def test_games_of_every_size_agree_with_the_reference() -> None:
    branches = compare_every_size()
    assert branches["2 players"] == 3 * MAX_ROUNDS
    assert branches["R7b only round is the last"] == 1


@pytest.mark.parametrize("part", range(PARTS))
def test_small_games_with_random_options_agree_with_the_reference(part: int) -> None:
    branches = compare_small_part(part)
    assert sum(branches[f"{players} players"] for players in range(2, 7)) == SMALL_GAMES // PARTS


def test_the_comparison_takes_every_branch_of_the_rules_and_all_numbers_of_players() -> None:
    parts = [compare_every_size()]
    parts += [compare_full_part(players) for players in range(2, 7)]
    parts += [compare_small_part(part) for part in range(PARTS)]
    branches = sum(parts, Counter())
    assert {key: branches[key] for key in ALL_BRANCHES if branches[key] < 20} == {}
    assert [players for players in range(2, 7) if branches[f"{players} players"] < 100] == []


def values_of(options: Options) -> set[tuple[str, str]]:
    """The option values in use; a table counts as "table", a list as each of its numbers."""
    values = {(key, word) for key, word in DEFAULT_WORDS.items() if key not in options}
    for key, value in options.items():
        if isinstance(value, list):
            values |= {(key, str(number)) for number in value}
        else:
            values.add((key, "table" if isinstance(value, dict) else str(value)))
    return values


DEFAULT_WORDS = {key: str(value) for key, value in DEFAULTS.items()}
SPANS = {key: range(low, high + 1) for key, (low, high) in RANGES.items()} | {
    "round_cap": range(1, MAX_ROUNDS + 1),
    "round_sizes": range(1, MAX_ROUNDS + 1),
    "only_round": range(1, MAX_ROUNDS + 1),
    "first_dealer": range(6),
    "score_base": (0, 1, 10, 1000),
}


def test_the_comparison_sets_every_option_to_every_value() -> None:
    wanted = {(option.name, word) for option in OPTIONS for word in option.words} | {("round_cap", "table")}
    wanted |= {(key, str(number)) for key, numbers in SPANS.items() for number in numbers}
    assert {option.name for option in OPTIONS} == {key for key, _ in wanted}
    seen: set[tuple[str, str]] = set()
    for options, _, _ in [*games_of_every_size(), *small_games(SMALL_GAMES)]:
        seen |= values_of(options)
    assert wanted - seen == set()


NOTICED = [
    ("hands", (1,), 0, "suited cards"),
    ("paradox_played", (2,), -1, "paradox cards"),
    ("bids", (1,), 1, "bids"),
    ("tricks", (1,), 1, "tricks"),
    ("totals", (2,), 10, "totals"),
    ("zero_bids", (0,), 1, "zero bids"),
    ("voids", (1,), 4, "voids"),
    ("dealer", (), 1, "dealer"),
    ("actor", (), 2, "to_move"),
    ("trump", (), 3, "trump"),
    ("flip", (), 51, "flip"),
    ("turned_up", (), 2, "turned up"),
    ("tricks_done", (), 1, "tricks done"),
    ("trick_size", (), 1, "trick size"),
    ("phase", (), 5, "phase"),
]


@pytest.mark.parametrize(("field", "index", "value", "what"), NOTICED)
def test_a_difference_is_noticed(field: str, index: tuple[int, ...], value: int, what: str) -> None:
    table = Table({"num_players": 3, "first_dealer": 0, "round_sizes": [3, 3]}, 0)
    table.deal()
    table.check()
    state = table.state
    assert (np.asarray(state[field])[index] if index else state[field]) != value
    if index:
        state[field][index] = value
    else:
        state[field] = value
    with pytest.raises(AssertionError, match=f"{what} differs from the reference"):
        table.check()
