"""The compiled engine beside the reference engine, move by move on the same deals: they must never differ.

`test_mutations.py` runs `compare_small_games` on broken copies of the package, to show that differences are seen.
"""

from __future__ import annotations

import itertools
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
    outcome,
    places,
    policy,
    returns,
    seen_as,
    to_move,
)
from tests.reference.truf import (
    ALL_BRANCHES,
    DEFAULTS,
    DONE,
    ENUMS,
    RANKS,
    Reference,
    bid_of,
    bid_value,
    is_face_down,
    is_honour,
    suit_of,
)
from truf.game import Game
from truf.rules import OPTIONS
from truf.state import DEAL, MODES, NONE, OUTCOMES, PHASES

Options = dict[str, Any]
Case = tuple[Options, int, str]  # options, board, and who chooses

SEED = 20261
SMALL_GAMES = 2400
FULL_GAMES = 4  # of each kind of player, with the whole pack
DIRECTED_GAMES = 200
PARTS = 8  # of the small games, so that two processes can share them
PLAYERS = ("random", "aiming", "policy", "pairs")
SEATS = range(4)
NO_BRANCH = "R4 freak hand refused"  # the kernels deal again by themselves, so the reference never sees such a deal


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
        self._dealt: list[int] = []
        self._deck_suits = {suit_of(card) for card in self.reference.deck()}
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

    def deal(self) -> None:
        """Deal a hand, and give the reference the same cards."""
        rng = np.zeros(RNG_WORDS, np.uint64)
        event = chance_event(self.rules, self.state)
        self.expect("chance event", event, self.reference.hand_number)
        chance_stream(rng, np.uint64(SEED), np.uint64(self.board), event)
        chance(self.rules, self.state, rng)
        self._dealt = self.fields()["hands"]
        try:
            self.reference.start_hand([cards_of(hand) for hand in self._dealt])
        except ValueError as error:
            raise AssertionError(
                f"the deal differs from the reference: {error!r}; options {self.game.changed_options()}, "
                f"board {self.board}, record {self.fields()}"
            ) from error
        self.check()

    def play(self, action: int) -> None:
        """Carry out a legal action on both engines and compare them."""
        reference = self.reference
        done, seat = len(reference.trick_winners), reference.to_move()
        for observer in SEATS:
            seen = int(seen_as(self.rules, self.state, action, observer))
            self.expect("what is seen", seen, expected_sight(reference, action, is_own=observer == seat))
        reference.apply(action)
        apply(self.rules, self.state, action)
        if len(reference.trick_winners) > done:
            self.expect("trick winner", int(self.state.winner), reference.trick_winners[-1])
        self.check()
        if reference.phase() in ("deal", "over"):
            self.check_scores()

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, compared."""
        mask = int(legal_mask(self.rules, self.state))
        actions = [action for action in range(mask.bit_length()) if mask >> action & 1]
        self.expect("legal actions", actions, self.reference.legal_actions())
        return actions

    def check(self) -> None:
        """Compare everything that both engines know."""
        ours, theirs = compiled_view(self.fields(), self._deck_suits), reference_view(self.reference)
        ours["to_move"] = int(to_move(self.rules, self.state))
        for what, expected in theirs.items():
            self.expect(what, ours[what], expected)

    def check_scores(self) -> None:
        """Compare what a finished hand was worth, and the standing."""
        reference = self.reference
        points, standing = np.zeros(4), np.zeros(4)
        place, share = np.zeros(4, np.int64), np.zeros(4)
        deal_value(self.rules, self.state, points)
        returns(self.rules, self.state, standing)
        places(self.rules, self.state, place, share)
        self.expect("hands done", int(deals_done(self.rules, self.state)), reference.hand_number)
        self.expect("points", points.tolist(), [float(value) for value in reference.hand_points])
        self.expect("returns", standing.tolist(), [float(value) for value in reference.returns()])
        expected_places, expected_shares = reference.places()
        self.expect("places", place.tolist(), expected_places)
        self.expect("shares", share.tolist(), [float(value) for value in expected_shares])
        if reference.phase() == "over":
            capped = OUTCOMES[int(outcome(self.rules, self.state))] == "capped"
            self.expect("capped", capped, reference.capped)
        row = np.zeros(1, DEAL).view(np.recarray)[0]
        for seat in SEATS:
            deal_row(self.rules, self.state, seat, row)
            self.expect(f"row of seat {seat}", row.item(), reference_row(reference, seat, self._dealt[seat]))


def cards_of(hand: int) -> list[int]:
    """The card numbers of a bit mask, ascending."""
    return [card for card in range(hand.bit_length()) if hand >> card & 1]


def mask_of(cards: Iterable[int]) -> int:
    """The bit mask of some numbers."""
    return sum(1 << card for card in cards)


def compiled_view(fields: dict[str, Any], deck_suits: set[int]) -> dict[str, Any]:
    """A record, as `reference_view` shows the other engine."""
    trick = [byte - 1 for byte in fields["trick"].to_bytes(8, "little") if byte] if fields["trick_size"] else []
    return {
        "phase": PHASES[fields["phase"]],
        "hands": [fields["hands"][seat] & ~fields["played"] for seat in SEATS],
        "laid": fields["laid"],
        "top bidder": fields["top_bidder"],
        "truf": fields["truf"],
        "mode": MODES[fields["mode"]],
        "sets": fields["sets"],
        "totals": fields["totals"],
        "unlocked": fields["unlocked"],
        "voids": [[suit for suit in sorted(deck_suits) if void >> suit & 1] for void in fields["voids"]],
        "trick": trick,
        "trick size": fields["trick_size"],
        "tricks done": fields["tricks_done"],
        "final bids": fields["final_bids"],
        "leader": fields["leader"] if trick else fields["actor"],
    }


def reference_view(game: Reference) -> dict[str, Any]:
    """Everything that the reference engine knows, in the numbers of the record."""
    trick = [card for _, card in game.trick]
    view = {
        "phase": game.phase(),
        "hands": [mask_of(hand) for hand in game.hands],
        "laid": [mask_of(laid) for laid in game.laid],
        "top bidder": NONE if game.top_bidder is None else game.top_bidder,
        "truf": NONE if game.truf is None else game.truf,
        "mode": game.mode or "none",
        "sets": game.sets,
        "totals": game.totals,
        "unlocked": int(game.unlocked),
        "voids": [sorted(voids) for voids in game.voids],
        "trick": trick,
        "trick size": len(trick),
        "tricks done": len(game.trick_winners),
        # after the reveal the bids, after the shift those that count
        "final bids": game.final_bids or ([0] * 4 if None in game.bids else game.bids),
        "to_move": game.to_move(),
    }
    if game.phase() == "play":
        view["leader"] = game.leader
    return view


def reference_row(game: Reference, seat: int, dealt: int) -> tuple[int, ...]:
    """The row of a finished hand that the reference engine expects."""
    assert game.final_bids is not None
    assert game.mode is not None
    truf = 4 if game.truf is None else game.truf
    bid = game.bids[seat]
    assert bid is not None
    return (
        *(dealt, truf, MODES.index(game.mode), mask_of(game.laid[seat]), bid, game.final_bids[seat], game.sets[seat]),
        *(game.hand_points[seat], game.totals[seat], int(game.top_bidder == seat)),
    )


def expected_sight(game: Reference, action: int, *, is_own: bool) -> int:
    """What a seat sees of an action about to be made: bids are hidden [R12], of a face-down card the suit [R38]."""
    if is_own or game.phase() == "shift":
        return action
    if game.phase() == "bid":
        return -1
    is_hidden = is_face_down(action, game.led_suit, game.truf, game.options) and len(game.trick) < 3
    return 52 + suit_of(action) if is_hidden else action


# Who chooses


class Chooser:
    """Chooses legal actions: at random, by the policy, aiming at bids of sum H, or bids of two court cards that tie."""

    def __init__(self, player: str, board: int) -> None:
        self._player = player
        self._random = random.Random(f"{player} {board}")
        self._plan: list[int] = []
        self._rng = np.zeros(RNG_WORDS, np.uint64)
        bot_stream(self._rng, np.uint64(SEED), np.uint64(board), 0, 0, 0)

    def choose(self, table: Table, actions: list[int]) -> int:
        """One of the legal actions."""
        if self._player == "policy":
            return int(policy(table.rules, table.state, self._rng))
        if self._player == "aiming" and table.reference.phase() == "bid":
            return self._aim(table.reference, actions)
        if self._player == "pairs" and table.reference.phase() == "bid":
            return self._pair(table.reference, actions)
        return self._random.choice(actions)

    def _aim(self, game: Reference, actions: list[int]) -> int:
        """Short bids of small cards; the last seat completes the sum H where it can."""
        seat = game.to_move()
        if not game.laid[seat]:
            self._plan = []
            missing = game.hand_size - sum(map(bid_of, game.laid))
            if seat == 3 and missing >= 0:
                sets = [cards for n in (1, 2, 3) for cards in itertools.combinations(game.hands[3], n)]
                fitting = [list(cards) for cards in sets if bid_of(cards) == missing]
                self._plan = self._random.choice(fitting) if fitting else []
        if self._plan and self._plan[0] in actions:
            return self._plan.pop(0)
        if DONE in actions and (self._plan or self._random.random() < 0.7):
            return DONE
        cards = [action for action in actions if action != DONE] or actions
        room = game.hand_size - sum(map(bid_of, game.laid))
        small = [card for card in cards if card != DONE and bid_value(card) <= max(room, 0)]
        return self._random.choice(small or cards)

    def _pair(self, game: Reference, actions: list[int]) -> int:
        """Two cards of value 0 where possible, so that steps 3 to 5 of the ladder decide."""
        if DONE in actions and len(game.laid[game.to_move()]) >= 2:
            return DONE
        worthless = [card for card in actions if card != DONE and bid_value(card) == 0]
        return self._random.choice(worthless or actions)


def compare_game(options: Options, board: int, player: str) -> Counter[str]:
    """Play one game on both engines; the branches of the rules that it took.

    Raises:
        AssertionError: at the first difference.
    """
    table, chooser = Table(options, board), Chooser(player, board)
    while (seat := to_move(table.rules, table.state)) != OVER:
        if seat == CHANCE:
            table.expect("legal actions before a deal", int(legal_mask(table.rules, table.state)), 0)
            table.deal()
            continue
        actions = table.legal_actions()
        action = chooser.choose(table, actions)
        assert action in actions, f"{player} plays {action}, expected one of {actions}"
        table.play(action)
    table.expect("legal actions at the end", int(legal_mask(table.rules, table.state)), 0)
    table.expect("the end", table.reference.phase(), "over")
    return table.reference.branches


# What is compared


def random_ranks(rng: random.Random, num_suits: int) -> list[str]:
    """Ranks of a deck that four seats can share, mostly of few cards; often with a low H and cards of low value."""
    step = {1: 4, 2: 2, 3: 4, 4: 1}[num_suits]
    counts = list(range(step, len(RANKS) + 1, step))
    few = [count for count in counts if num_suits * count <= 20] or counts[:1]
    count = rng.choice(rng.choice([few, few, few, few, counts]))
    low = ["A", "2", "3", "J", "Q", "K"]
    pool = low if count <= len(low) and rng.random() < 0.6 else list(RANKS)
    return rng.sample(pool, count)


def random_options(rng: random.Random) -> Options:
    """Valid options of a game of at most some hundred decisions; every value of every option can come."""
    options: Options = {key: rng.choice(words) for key, words in ENUMS.items()}
    suits = options["num_suits"] = rng.choice([1, 2, 3, 4, 4])
    ranks = options["ranks"] = random_ranks(rng, suits)
    size = suits * len(ranks) // 4
    if rng.random() < 0.4:
        options["max_bid_cards"] = rng.randint(1, size)
    if max(bid_value(RANKS.index(rank)) for rank in ranks) <= size and rng.random() < 0.5:
        options["bid_cap"] = size
    honours = suits * sum(is_honour(RANKS.index(rank)) for rank in ranks)
    if size < 2 or not 4 <= honours <= suits * len(ranks) - 4:
        options["redeal"] = "none"
    options["nil_bonus"] = rng.choice([10, 10, 1, 0, -3, 1000, -1000])
    options["nil_fail"] = rng.choice([-10, -10, 0, 4, 1000, -1000])
    options["target"] = rng.choice([1, 1, 2, 3, 100, 10_000])
    options["max_hands"] = rng.randint(1, 8) if size <= 5 else rng.randint(1, 2)
    return options


def small_games(num_games: int, first: int = 0, step: int = 1) -> Iterator[Case]:
    """Options, board and kind of player of some small games."""
    for board in range(first, num_games, step):
        yield random_options(random.Random(SEED + board)), board, PLAYERS[board // PARTS % len(PLAYERS)]


def full_games(player: str) -> Iterator[Case]:
    """Options, board and kind of player of games with the whole pack and some with a capped bid."""
    for board in range(FULL_GAMES):
        yield {"max_hands": 10}, board, player
    yield {"max_hands": 2, "bid_cap": 13}, FULL_GAMES, player
    yield {"max_hands": 2, "max_bid_cards": 1, "redeal": "pagat"}, FULL_GAMES, player


def games_of_every_size() -> Iterator[Case]:
    """Options, board and kind of player of games with every hand size, bid limit and bid cap."""
    for size in range(1, len(RANKS) + 1):
        cheap = sorted(RANKS, key=lambda rank: bid_value(RANKS.index(rank)))[:size]
        for limit in range(1, size + 1):
            options = {"ranks": cheap, "bid_cap": size, "max_bid_cards": limit, "max_hands": 1}
            yield options, size, PLAYERS[limit % len(PLAYERS)]
    yield {"ranks": ["K", "A"], "target": 1, "max_hands": 10_000}, 0, "aiming"  # ends at once or soon


def directed_games(num_games: int) -> Iterator[Case]:
    """Options, board and kind of player of games that reach rare branches: mixed ties, neutral hands, lost targets."""
    for board in range(num_games):
        options: Options = {"mixed_tie": ENUMS["mixed_tie"][board % 3], "max_hands": 6, "target": 1, "nil_bonus": 1}
        if board % 2:
            yield {**options, "ranks": ["2", "J", "Q", "K"]}, board, "pairs"
        else:
            amount = ("any", "0")[board // 2 % 2]
            shift = {"sum13_amount": amount, "sum13_decline": "neutral", "nil_bonus": 10, "target": 100}
            yield {**options, **shift, "ranks": ["A", "2", "3", "K"]}, board, "aiming"


def compare(games: Iterable[Case]) -> Counter[str]:
    """Compare the engines over games; the branches taken.

    Raises:
        AssertionError: at the first difference.
    """
    branches: Counter[str] = Counter()
    for options, board, player in games:
        branches += compare_game(options, board, player)
        branches["games"] += 1
        branches[f"{player} games"] += 1
    return branches


def compare_small_games(num_games: int) -> Counter[str]:
    """Compare the engines over the first small games, and a tenth as many directed ones."""
    return compare([*small_games(num_games), *directed_games(num_games // 10)])


@cache
def compare_full_part(player: str) -> Counter[str]:
    return compare(full_games(player))


@cache
def compare_every_size() -> Counter[str]:
    return compare(games_of_every_size())


@cache
def compare_directed() -> Counter[str]:
    return compare(directed_games(DIRECTED_GAMES))


@cache
def compare_small_part(part: int) -> Counter[str]:
    return compare(small_games(SMALL_GAMES, part, PARTS))


# The tests


@pytest.mark.parametrize("player", PLAYERS)
def test_full_games_agree_with_the_reference(player: str) -> None:
    branches = compare_full_part(player)
    assert branches["games"] == FULL_GAMES + 2
    assert branches["R3 clockwise"] == 10 * FULL_GAMES + 4  # nobody reaches 100 in ten hands


def test_games_of_every_size_agree_with_the_reference() -> None:
    assert compare_every_size()["games"] == 13 * 14 // 2 + 1


def test_directed_games_agree_with_the_reference() -> None:
    assert compare_directed()["games"] == DIRECTED_GAMES


@pytest.mark.parametrize("part", range(PARTS))
def test_small_games_with_random_options_agree_with_the_reference(part: int) -> None:
    assert compare_small_part(part)["games"] == SMALL_GAMES // PARTS


def test_the_comparison_takes_every_branch_of_the_rules() -> None:
    parts = [compare_every_size(), compare_directed()]
    parts += [compare_full_part(player) for player in PLAYERS]
    parts += [compare_small_part(part) for part in range(PARTS)]
    branches = sum(parts, Counter())
    wanted = [key for key in ALL_BRANCHES if key != NO_BRANCH]
    assert len(wanted) == len(ALL_BRANCHES) - 1
    assert {key: branches[key] for key in wanted if branches[key] < 20} == {}
    assert {player: branches[f"{player} games"] for player in PLAYERS if branches[f"{player} games"] < 100} == {}


def values_of(options: Options) -> set[tuple[str, str]]:
    """The option values in use; a list counts as each of its entries."""
    values = {(key, word) for key, word in DEFAULT_WORDS.items() if key not in options}
    for key, value in options.items():
        values |= {(key, str(entry)) for entry in value} if isinstance(value, list) else {(key, str(value))}
    return values


DEFAULT_WORDS = {key: str(value) for key, value in DEFAULTS.items()} | {"max_bid_cards": "hand"}
SPANS: dict[str, Iterable[Any]] = {
    "num_suits": range(1, 5),
    "ranks": RANKS,
    "max_bid_cards": range(1, 14),
    "bid_cap": range(1, 14),
    "nil_bonus": (-1000, 0, 10, 1000),
    "nil_fail": (-1000, -10, 0, 1000),
    "target": (1, 2, 3, 100, 10_000),
    "max_hands": (*range(1, 9), 10_000),
}


def test_the_comparison_sets_every_option_to_every_value() -> None:
    wanted = {(option.name, word) for option in OPTIONS for word in option.words}
    wanted |= {(key, str(value)) for key, values in SPANS.items() for value in values}
    assert {option.name for option in OPTIONS} == {key for key, _ in wanted} | {"num_players"}  # always 4
    seen: set[tuple[str, str]] = set()
    for options, _, _ in [*games_of_every_size(), *small_games(SMALL_GAMES)]:
        seen |= values_of(options)
    assert wanted - seen == set()


NOTICED = [
    ("hands", (1,), 0, "hands"),
    ("laid", (2,), 1, "laid"),
    ("sets", (1,), 1, "sets"),
    ("totals", (2,), 10, "totals"),
    ("voids", (1,), 8, "voids"),
    ("final_bids", (3,), 1, "final bids"),
    ("actor", (), 2, "to_move"),
    ("truf", (), 3, "truf"),
    ("top_bidder", (), 1, "top bidder"),
    ("mode", (), 0, "mode"),
    ("unlocked", (), 1, "unlocked"),
    ("tricks_done", (), 1, "tricks done"),
    ("trick_size", (), 1, "trick size"),
    ("phase", (), 3, "phase"),
]


@pytest.mark.parametrize(("field", "index", "value", "what"), NOTICED)
def test_a_difference_is_noticed(field: str, index: tuple[int, ...], value: int, what: str) -> None:
    table = Table({"max_hands": 3}, 0)
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


def test_a_hidden_rank_that_is_shown_is_noticed() -> None:
    table = Table({"ranks": ["K"], "facedown": "all_truf"}, 0)
    table.deal()
    while table.reference.phase() != "play":
        table.play(table.legal_actions()[0])
    table.rules = table.rules._replace(facedown=2)
    with pytest.raises(AssertionError, match="what is seen differs from the reference"):
        table.play(table.legal_actions()[0])
