"""The contract that every game keeps, for every preset and number of players: what bots and experiments rely on.

Games come from the entry points `hiddenhand.games`. A new game adds its entries to the tables below and no test.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from copy import copy as shallow_copy
from copy import deepcopy
from importlib.metadata import entry_points
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardkit import verbs
from cardkit.batch import rollout
from cardkit.game import Game
from cardkit.rng import chance_stream, new_rng
from cardkit.spec import IllegalAction, InvalidRules, InvalidText, columns_dtype
from cardkit.state import State
from cardkit.verbs import CHANCE, OVER, Event

CLASSES: dict[str, type[Game]] = {point.name: point.load() for point in sorted(entry_points(group="hiddenhand.games"))}

# Option sets that reach what the presets do not: (preset, options).
EXTRA: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "kronions": [
        ("standard", {"num_players": 3, "round_sizes": "3,2,4", "num_suits": 2, "num_ranks": 4, "first_leader": "left",
                      "paradox_flip": "redraw", "all_past": "last", "rotate_deal": "fixed", "tie_final": "seat_order"}),
        ("standard", {"num_players": 4, "round_cap": 3, "num_suits": 3, "num_ranks": 3, "paradox_flip": "dealer_names",
                      "future_led": "frees_trick", "all_past": "nobody", "last_round_trump": "flip_if_possible",
                      "hook": "off", "first_dealer": 2}),
        ("standard", {"num_players": 5, "only_round": 6, "paradox_when_able_to_follow": "only_when_void",
                      "scoring": "tricks_plus_bonus", "score_base": 7, "tie_zero_count": "made"}),
        ("standard", {"num_players": 2, "num_suits": 1, "num_ranks": 1, "num_paradox": 6, "all_past": "nobody"}),
        ("oh_hell", {"num_players": 4, "hand_size": 3}),
        ("mini", {"num_ranks": 2, "num_paradox": 2, "first_dealer": "random"}),
    ],
    "truf": [
        ("standard", {"num_suits": 4, "ranks": "2,5,K,A", "max_hands": 3, "facedown": "ruffs_only",
                      "direction": "alternate", "redeal": "pagat", "ace_play": "low", "sum13_amount": "any",
                      "sum13_decline": "neutral", "sum13_floor": "negative", "nil_basis": "original"}),
        ("standard", {"num_suits": 3, "ranks": "2,3,J,A", "max_hands": 3, "facedown": "none", "padding": "forbidden",
                      "unlock": "any_discard", "mixed_tie": "above_spades", "bid_cap": 3, "sum13_amount": "0"}),
        ("classic", {"max_hands": 2, "target": 1, "tie": "shared", "nil_bonus": -3, "nil_fail": 4}),
        ("mini", {"num_suits": 1, "max_hands": 3, "mixed_tie": "strongest_card_suit", "nil_basis": "both"}),
    ],
    "kosmogonia": [
        ("standard-tactics-hard", {"hands_public": "hidden_after_gather", "closed_shows_stack": "yes", "key_limit": 99,
                                   "sym6_persists": "yes", "sym8_scope": "number", "double_includes_items": "yes"}),
        ("variation2-tactics-easy", {"hands_public": "hidden_after_gather", "allow_null_symbols": "yes",
                                     "lone_hunts": "no"}),
        ("variation3-destiny-medium", {"closed_shows_stack": "yes", "count_sym6_chain": "no", "key_limit": 4}),
        ("tournament", {"banner_limit": 4, "tourn_discard": "may_hold_one", "hands_public": "hidden_after_gather"}),
    ],
}  # fmt: skip

# Shorter games where a preset's are too long to walk through.
SHORT: dict[str, dict[str, Any]] = {"truf": {"max_hands": 2}}

# What a user may get wrong, and what the error must say.
ERRORS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "kronions": [
        ({"preset": "oh-hell"}, "unknown preset 'oh-hell'; did you mean 'oh_hell'?"),
        ({"preset": "chess"}, "unknown preset 'chess'; expected one of standard, oh_hell, mini"),
        ({"players": 4}, "unknown option 'players'; did you mean 'num_players'?"),
        ({"hand_size": 4}, "unknown option 'hand_size'"),
        ({"hook": "onn"}, "option 'hook' cannot be 'onn': expected on, off"),
        ({"paradox_flip": None}, "option 'paradox_flip' cannot be None: expected no_trump, redraw, dealer_names"),
        ({"num_players": 7}, "option 'num_players' cannot be 7: expected 2..6"),
        ({"round_cap": 15}, "round_cap 15 cannot be dealt: 58 cards give 4 players at most 14 each"),
        ({"first_dealer": 4}, "first_dealer 4 is no seat: expected 0..3 or random"),
        ({"preset": "mini", "num_players": 4}, "option 'num_players' cannot be 4: expected 2..3"),
        ({"preset": "oh_hell", "hand_size": 13}, "option 'hand_size' cannot be 13: expected 1..12"),
    ],
    "truf": [
        ({"preset": "clasic"}, "unknown preset 'clasic'; did you mean 'classic'?"),
        ({"facedwon": "none"}, "unknown option 'facedwon'; did you mean 'facedown'?"),
        ({"facedown": "all"}, "option 'facedown' cannot be 'all': expected all_truf, ruffs_only, none"),
        ({"num_players": 3}, "option 'num_players' cannot be 3: expected 4"),
        ({"max_hands": 0}, "option 'max_hands' cannot be 0: expected 1..10000"),
        ({"bid_cap": 12}, "bid_cap=12 and num_suits=4 with ranks=all contradict each other: expected none or 13 [R13]"),
        ({"num_suits": 3, "ranks": "2,3,A"}, "num_suits=3 and 3 ranks make 9 cards: expected a multiple of 4"),
        ({"ranks": []}, "option 'ranks' cannot be []: expected all, or different ones of 2,3"),
        ({"ranks": ["2", "2"]}, "option 'ranks' cannot be ['2', '2']"),
        (
            {"preset": "mini", "max_bid_cards": 3},
            "max_bid_cards=3 and num_suits=2 with ranks=2,Q,K,A contradict each other: a hand has 2 cards [R9]",
        ),
        (
            {"preset": "mini", "redeal": "pagat"},
            "redeal=pagat and num_suits=2 with ranks=2,Q,K,A contradict each other",
        ),
        (
            {"ranks": ["9", "K"], "bid_cap": 2},
            "bid_cap=2 and num_suits=4 with ranks=9,K contradict each other: a card is worth 9",
        ),
    ],
    "kosmogonia": [
        ({"preset": "tournment"}, "unknown preset 'tournment'; did you mean 'tournament'?"),
        ({"preset": "standard-hard-tactics"}, "unknown preset 'standard-hard-tactics'; did you mean"),
        ({"num_players": 5}, "option 'num_players' cannot be 5: expected 2..4"),
        ({"variant": "standard", "num_players": 3}, "variant=standard is not for num_players=3: expected 4 [R1]"),
        ({"variant": "variation"}, "variant=variation does not say how many play: give num_players, 2 or 3 [R1]"),
        ({"preset": "variation"}, "variant=variation does not say how many play: give num_players, 2 or 3 [R1]"),
        (
            {"preset": "tournament", "num_players": 4},
            "option 'num_players' cannot be 4 in this preset: expected 2 [R1]",
        ),
        ({"preset": "standard-tactics", "num_players": 2}, "option 'num_players' cannot be 2 in this preset"),
        ({"dificulty": "hard"}, "unknown option 'dificulty'; did you mean 'difficulty'?"),
        ({"banner_limit": 3}, "option 'banner_limit' cannot be 3: expected none or 4 [R32]"),
        ({"key_limit": 0}, "option 'key_limit' cannot be 0: expected data or 1..999999 [R83]"),
        ({"cards": 5}, "option 'cards' cannot be 5: expected standin, or a folder with a card set [C1-C7]"),
        ({"cards": "nowhere"}, "no card set in 'nowhere': expected 'standin' or a folder with set.csv, champions.csv"),
    ],
}

# What of the rows of a deal may not depend on how anybody plays: these columns; in Kosmogonia, where hands can be
# drafted, what all seats have together.
DEALT: dict[str, Callable[[list[Any]], Any]] = {
    "kronions": lambda rows: [row[["hand", "dealer", "hand_size", "flip"]].tolist() for row in rows],
    "truf": lambda rows: [row["hand"].tolist() for row in rows],
    "kosmogonia": lambda rows: (rows[0]["round"], sum(int(row["hand"]) for row in rows)),
}

# Phases whose decisions the other seats do not notice at all.
SECRET: dict[str, tuple[str, ...]] = {"truf": ("bid",)}


def check_kronions_cards(game: Game, record: Any) -> None:
    """Invariants 1 to 3 of the rules: every card lies in one place, and as many are played as tricks are."""
    rules, suited = game.rules, 2**52 - 1
    seats = range(rules.num_players)
    deck = sum((1 << rules.num_ranks) - 1 << 13 * suit for suit in range(rules.num_suits))
    seen, paradox, num_played = 0, int(record.turned_up) - (0 <= record.flip < 52), 0
    if 0 <= record.flip < 52:
        seen = 1 << int(record.flip)
    for seat in seats:
        hand = int(record.hands[seat])
        assert not hand & suited & seen, "a card lies in two places"
        seen |= hand & suited
        copies = hand >> 52
        assert copies & copies + 1 == 0, "paradox cards take the lowest places [R4]"
        paradox += copies.bit_count()
        assert 0 <= record.paradox_played[seat] <= copies.bit_count()
        num_played += (hand & int(record.played)).bit_count() + int(record.paradox_played[seat])
        assert hand.bit_count() == record.hand_size
    assert not seen & ~deck
    assert not int(record.played) & ~seen
    assert paradox <= rules.num_paradox
    assert num_played == record.tricks_done * rules.num_players + record.trick_size
    won, done = sum(int(record.tricks[seat]) for seat in seats), int(record.tricks_done)
    assert won == done or (won < done and game.option_values()["all_past"] == "nobody")


def check_kronions_view(game: Game, record: Any, seat: int) -> None:
    """Of the other hands a view shows only what has been played."""
    for other in range(game.num_players):
        if other != seat:
            assert int(record.hands[other]) & 2**52 - 1 & ~int(record.played) == 0
            assert (int(record.hands[other]) >> 52).bit_count() == record.paradox_played[other]


def check_truf_cards(game: Game, record: Any) -> None:
    """Invariants 1 and 2 of the rules: the whole pack is dealt, tricks take a card from each seat, sets add up."""
    rules, played, trick = game.rules, int(record.played), int(record.trick)
    deck = sum(rules.ranks << 13 * suit for suit in range(4 - rules.num_suits, 4))
    size, hands = deck.bit_count() // 4, [int(hand) for hand in record.hands]
    assert sum(hands) == deck, "each card once"
    assert [hand.bit_count() for hand in hands] == [size] * 4
    assert all(int(record.laid[seat]) & ~hands[seat] == 0 for seat in range(4))
    assert not played & ~deck
    numbers = sorted((hand & played).bit_count() for hand in hands)
    done, in_trick = int(record.tricks_done), int(record.trick_size)
    assert numbers == [done] * (4 - in_trick) + [done + 1] * in_trick
    assert sum(int(sets) for sets in record.sets) == done
    shown = [byte - 1 for byte in trick.to_bytes(8, "little") if byte]
    assert len(shown) == (in_trick or (4 if done else 0))
    assert all(played >> card & 1 for card in shown)
    assert record.phase != game.phases.index("bid") or not played


def check_truf_view(game: Game, record: Any, seat: int) -> None:
    """Of the other hands a view shows only what has been laid or played openly, and before the reveal nothing."""
    is_bidding = record.phase == game.phases.index("bid")
    for other in range(4):
        if other != seat:
            shown = 0 if is_bidding else int(record.played) | int(record.laid[other])
            assert int(record.hands[other]) & ~shown == 0
            assert not is_bidding or record.laid[other] == 0
    assert not is_bidding or record.actor in (0, seat, seat + 1)


def check_kosmogonia_cards(game: Game, record: Any) -> None:
    """Invariants 1, 2 and 4 of the rules: every card and every treasure lies in one place, Olympus takes champions."""
    in_stacks = [1 << int(card) for card in record.stacks if card != 255]
    teams = [1 << int(card) for card in record.olympus.ravel() if card != -1]
    places = [*in_stacks, *teams, *map(int, record.hands), *map(int, record.lineups), int(record.discard)]
    places += [int(record.table)] + ([int(record.pulled)] if record.fight == 3 else [])
    assert sum(places) == 2**60 - 1, "each of 60 cards once"
    assert all(card < 1 << 48 for card in [*teams, *map(int, record.lineups)]), "champions only"
    assert not record.hidden.any()
    assert not record.unseen.any()
    treasures = [int(record.treasury), *map(int, record.vaults), *(1 << int(t) for t in record.treasures if t != -1)]
    together = sum(treasures)
    assert together.bit_count() == sum(mask.bit_count() for mask in treasures), "no treasure lies twice"
    assert together < 1 << 18
    if record.phase == game.phases.index("equip"):
        assert (
            together.bit_count() == {"standard": 18, "variation": 12, "tournament": 8}[game.option_values()["variant"]]
        )
        assert (record.olympus[: game.num_players] != -1).all()
        assert all(any(0 <= card < 12 for card in team) for team in record.olympus[: game.num_players])


def check_kosmogonia_view(game: Game, record: Any, seat: int) -> None:
    """A view shows no stack, no closed card of another seat, no secret equipment, and under hidden hands no hand."""
    opened = int(record.opened)
    assert all(record.stacks[12 * stack + place] == 255 for stack in range(5) for place in range(opened, 12))
    for other in range(game.num_players):
        if other == seat:
            continue
        for side in range(8):
            if record.owners[side] == other:
                assert not int(record.lineups[side]) & int(record.closed)
        for i, card in enumerate(record.olympus[other]):
            assert card >= 60 or not int(record.olympus_closed) >> 3 * other + i & 1
        if record.phase == game.phases.index("equip"):
            assert all(item in (-1, 19) for item in record.equipped[other])
        if game.option_values()["hands_public"] == "hidden_after_gather" and record.phase != game.phases.index("draft"):
            assert not int(record.hands[other]) & ~(((1 << 12) - 1) << 24), "only stolen Defenders are known"
            assert record.gathered[other] == 0


CONSERVED: dict[str, Callable[[Game, Any], None]] = {
    "kronions": check_kronions_cards,
    "truf": check_truf_cards,
    "kosmogonia": check_kosmogonia_cards,
}
HIDDEN: dict[str, Callable[[Game, Any, int], None]] = {
    "kronions": check_kronions_view,
    "truf": check_truf_view,
    "kosmogonia": check_kosmogonia_view,
}


# Cases


class Case(NamedTuple):
    """A game with its options."""

    name: str
    preset: str
    options: dict[str, Any]

    def make(self) -> Game:
        return CLASSES[self.name](self.preset, **self.options)

    def __str__(self) -> str:
        return "-".join([self.name, self.preset, *(f"{key}={value}" for key, value in self.options.items())])


def accepted_players(name: str, preset: str) -> Iterator[int]:
    for players in range(1, CLASSES[name].most_players + 1):
        try:
            CLASSES[name](preset, num_players=players)
        except InvalidRules:
            continue
        yield players


def all_cases() -> Iterator[Case]:
    for name, game_class in CLASSES.items():
        for preset in game_class.presets:
            short = SHORT.get(name, {})
            yield from (Case(name, preset, {"num_players": n} | short) for n in accepted_players(name, preset))
        yield from (Case(name, preset, options) for preset, options in EXTRA.get(name, []))


CASES = list(all_cases())
every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_game = pytest.mark.parametrize("name", CLASSES)


# Playing


def content(record: Any) -> bytes:
    """All fields of a record, without the gaps between them."""
    return b"".join(np.asarray(record[field]).tobytes() for field in record.dtype.names)


def snapshot(state: State) -> tuple[Any, ...]:
    """Everything that a state holds."""
    seats = range(state.game.num_players) if state.observer is None else [state.observer]
    histories = [state.history(seat) for seat in seats]
    return content(state.record), histories, state.seed, state.board, state.observer, state.game


def walk(game: Game, seed: int = 5, board: int = 3, play: int = 1) -> Iterator[tuple[State, int]]:
    """Play a random game: the state, the same object throughout, and the action that comes next; `OVER` at the end."""
    state, rng = game.new_initial_state(seed, board), random.Random(play)
    while not state.is_terminal():
        action = rng.choice(state.legal_actions())
        yield state, action
        state.apply_action(action)
    yield state, OVER


def some_nodes(game: Game, number: int = 8) -> Iterator[tuple[State, int]]:
    """A few nodes of a random game: the first of each phase, some between and the end."""
    phases: set[str] = set()
    step = max(1, game.max_game_length() // number)
    for index, (state, action) in enumerate(walk(game)):
        if index % step == 1 or state.phase() not in phases or action == OVER:
            phases.add(state.phase())
            yield state, action


def play_on(states: list[State], seed: int, most: int) -> Iterator[list[State]]:
    """Play the same random actions in all states and yield them after each, at most so many."""
    rng = random.Random(seed)
    for _ in range(most):
        if states[0].is_terminal():
            return
        action = rng.choice(states[0].legal_actions())
        for state in states:
            state.apply_action(action)
        yield states


class Deal(NamedTuple):
    """A complete deal, as the verbs tell it before the next chance event."""

    rows: list[Any]
    values: list[float]
    totals: list[float]


def finished_deals(game: Game, board: int = 0, play: int = 1) -> list[Deal]:
    """Play a random game with the verbs alone."""
    rules, records, rng, choice = game.rules, game.new_records(1), np.zeros(2, np.uint64), random.Random(play)
    record, deals, events = records[0], [], set()
    verbs.new_game(rules, record)
    assert verbs.deals_done(rules, record) == 0
    while (seat := verbs.to_move(rules, record)) != OVER:
        if seat == CHANCE:
            event = int(verbs.chance_event(rules, record))
            assert event not in events, "two chance events with one number draw the same"
            events.add(event)
            chance_stream(rng, np.uint64(1), np.uint64(board), event)
            verbs.chance(rules, record, rng)
        else:
            mask = int(verbs.legal_mask(rules, record))
            verbs.apply(rules, record, choice.choice([action for action in range(64) if mask >> action & 1]))
        if verbs.deals_done(rules, record) != len(deals):
            deals.append(finished_deal(game, record))
        assert verbs.deals_done(rules, record) == len(deals)
    return deals


def finished_deal(game: Game, record: Any) -> Deal:
    values, totals = np.full(game.num_players, np.nan), np.full(game.num_players, np.nan)
    verbs.deal_value(game.rules, record, values)
    verbs.returns(game.rules, record, totals)
    rows = []
    for seat in range(game.num_players):
        empty, full = np.zeros(1, columns_dtype(game.deal_columns)), np.zeros(1, columns_dtype(game.deal_columns))
        full.view(np.uint8)[:] = 255
        for row in (empty, full):
            verbs.deal_row(game.rules, record, seat, row.view(np.recarray)[0])
        assert content(empty[0]) == content(full[0]), "deal_row must write every column"
        rows.append(empty[0])
    return Deal(rows, values.tolist(), totals.tolist())


# Moving


@every_case
def test_every_node_offers_a_choice_and_the_end_none(case: Case) -> None:
    game = case.make()
    for state, action in walk(game):
        mask, legal = state.legal_mask(), state.legal_actions()
        assert legal == [number for number in range(64) if mask >> number & 1]
        assert state.is_terminal() == (action == OVER) == (not legal) == (state.current_player() == OVER)
        assert all(number < game.num_distinct_actions() for number in legal)
        assert action == OVER or 0 <= state.current_player() < game.num_players
        assert state.phase() in game.phases


@every_case
def test_games_end_within_max_game_length(case: Case) -> None:
    game, rng, chance_rng = case.make(), new_rng(1), new_rng(2)
    records = game.new_records(1)
    for board in range(30):
        verbs.new_game(game.rules, records[0])
        seeds = np.uint64(1), np.uint64(board)
        assert 0 < rollout(game.rules, records[0], *seeds, board % 2 == 0, rng, chance_rng) <= game.max_game_length()
        assert verbs.to_move(game.rules, records[0]) == OVER


JUNK = (-1, -64, 64, 2**70, True, False, 0.0, 1.5, None, "0", "pass", [], (0,), np.float64(0), np.bool_(True))


@every_case
def test_illegal_actions_are_refused_and_change_nothing(case: Case) -> None:
    for state, _ in some_nodes(case.make(), number=4):
        before, legal = snapshot(state), state.legal_actions()
        for action in (*JUNK, *(number for number in range(64) if number not in legal)):
            with pytest.raises(IllegalAction) as error:
                state.apply_action(action)  # type: ignore[arg-type]
            expected = f" for seat {state.current_player()}: expected one of {legal} in {state.position_string()}"
            assert str(error.value) == f"illegal action {action!r}" + (expected if legal else ": the game is over")
        assert snapshot(state) == before


@every_case
def test_numpy_integers_are_actions(case: Case) -> None:
    state, action = next(walk(case.make()))
    copies = [state.clone() for _ in range(3)]
    for copy, kind in zip(copies, (int, np.int8, np.uint64), strict=True):
        copy.apply_action(kind(action))  # type: ignore[arg-type]
    assert snapshot(copies[0]) == snapshot(copies[1]) == snapshot(copies[2]) != snapshot(state)


@every_case
def test_cards_are_conserved(case: Case) -> None:
    assert case.name in CONSERVED, "say in CONSERVED where the cards of this game are"
    for play in range(2):
        for state, _ in walk(case.make(), seed=play, play=play):
            CONSERVED[case.name](state.game, state.record)


@every_case
def test_policy_is_legal_and_reads_only_what_its_seat_knows(case: Case) -> None:
    game, rng, hidden_rng = case.make(), new_rng(3), new_rng(3)
    state = game.new_initial_state(seed=3)
    while not state.is_terminal():
        view = state.view(state.current_player())
        action = verbs.policy(game.rules, state.record, rng)
        assert action == verbs.policy(game.rules, view.record, hidden_rng)
        state.apply_action(int(action))


# Words


@every_case
def test_actions_round_trip_as_text(case: Case) -> None:
    for state, _ in walk(case.make()):
        texts = {state.action_to_string(action): action for action in state.legal_actions()}
        assert sorted(texts.values()) == state.legal_actions()
        for text, action in texts.items():
            assert state.string_to_action(text) == action


@every_case
def test_positions_round_trip_as_text(case: Case) -> None:
    game = case.make()
    for index, (state, _) in enumerate(walk(game)):
        for one in [state, state.view(index % game.num_players)][: 1 + (index % 3 == 0)]:
            text = one.position_string()
            again = game.position(text, seed=5)
            assert "\n" not in text
            assert content(again.record) == content(one.record), text
            assert again.position_string() == text
            assert (again.observer, again.seed) == (one.observer, 5 if one is state else None)
            assert str(one)
            assert text in repr(one)


@every_case
def test_pickled_and_serialised_states_continue_identically(case: Case) -> None:
    game = case.make()
    for state, _ in some_nodes(game):
        copies = [state.clone(), pickle.loads(pickle.dumps(state)), game.deserialize(state.serialize())]
        assert all(snapshot(copy) == snapshot(state) for copy in copies)
        for first, *others in play_on(copies, seed=4, most=60):
            assert all(snapshot(other) == snapshot(first) for other in others)
        for seat in range(game.num_players):
            view = state.view(seat)
            assert snapshot(pickle.loads(pickle.dumps(view))) == snapshot(view)
            assert snapshot(game.deserialize(view.serialize())) == snapshot(view)


COPIES = [shallow_copy, deepcopy, lambda found: found.clone(), lambda found: pickle.loads(pickle.dumps(found))]


@every_game
@pytest.mark.parametrize("copied", COPIES)
def test_copies_are_equal_and_independent(name: str, copied: Callable[[Any], Any]) -> None:
    game = CLASSES[name]()
    state = game.new_initial_state(seed=3, board=1)
    state.apply_action(state.legal_actions()[0])
    view = state.view(state.current_player())
    assert copied(view) == view != state
    other, before = copied(state), snapshot(state)
    assert other == state
    other.apply_action(other.legal_actions()[-1])
    assert other != state
    assert snapshot(state) == before
    state.apply_action(state.legal_actions()[-1])
    assert other == state


@every_game
def test_states_are_equal_by_content(name: str) -> None:
    game = CLASSES[name]()
    state = game.new_initial_state(seed=3)
    assert state == CLASSES[name]().new_initial_state(seed=3) == game.deserialize(state.serialize())
    assert state != game.new_initial_state(seed=3, board=1)
    assert state != game.position(state.position_string(), seed=4), "chance would go on otherwise"
    assert state != state.position_string()
    assert state in [state.clone()]
    for unhashable in (state, game.new_batch(1)):
        with pytest.raises(TypeError, match="unhashable"):
            hash(unhashable)


@every_game
@pytest.mark.parametrize("copied", COPIES)
def test_copied_batches_are_equal_and_independent(name: str, copied: Callable[[Any], Any]) -> None:
    batch = CLASSES[name]().new_batch(3, seed=3)
    batch.step(batch.random_actions())
    other, before = copied(batch), batch.states.tobytes()
    assert other == batch != CLASSES[name]().new_batch(3, seed=3)
    assert batch != "batch"
    other.step(other.random_actions())
    assert other != batch
    assert batch.states.tobytes() == before
    batch.step(batch.random_actions())
    assert other == batch
    assert other.legal_masks().tolist() == batch.legal_masks().tolist()


@every_game
def test_serialised_states_of_other_rules_are_refused(name: str) -> None:
    games = [case.make() for case in CASES if case.name == name]
    text = games[0].new_initial_state(seed=1).serialize()
    refused = [game for game in games if game != games[0]]
    assert refused
    for game in refused:
        with pytest.raises(InvalidText):
            game.deserialize(text)
    for nonsense in ("", "{}", "[]", "null", text[:-1], text.replace(name, "chess")):
        with pytest.raises(InvalidText):
            games[0].deserialize(nonsense)


# Chance


@every_case
def test_same_seed_same_game_and_other_seed_another(case: Case) -> None:
    game = case.make()
    first, again = ([content(state.record) for state, _ in walk(game, seed=6)] for _ in range(2))
    assert first == again
    starts = [content(game.new_initial_state(seed=seed).record) for seed in range(12)]
    boards = [content(game.new_initial_state(seed=0, board=board).record) for board in range(12)]
    assert len(set(starts)) > 3
    assert len(set(boards)) > 3
    assert starts[0] == boards[0]
    assert starts[1:] != boards[1:]


@every_game
def test_without_a_seed_the_state_tells_the_one_it_drew(name: str) -> None:
    game = CLASSES[name]()
    state = game.new_initial_state()
    assert state.seed != game.new_initial_state().seed
    assert snapshot(game.new_initial_state(seed=state.seed)) == snapshot(state)


@every_case
def test_same_board_same_deals_however_it_is_played(case: Case) -> None:
    game = case.make()
    show = DEALT[case.name]
    dealt = [[show(deal.rows) for deal in finished_deals(game, board=7, play=play)] for play in range(3)]
    common = min(map(len, dealt))
    assert common > 0
    assert dealt[0][:common] == dealt[1][:common] == dealt[2][:common]
    others = [show(finished_deals(game, board=board)[0].rows) for board in range(8)]
    assert any(other != others[0] for other in others)


# Copies and views


@every_case
def test_clones_are_independent(case: Case) -> None:
    for state, _ in some_nodes(case.make(), number=4):
        before, clone = snapshot(state), state.clone()
        for _ in play_on([clone], seed=8, most=30):
            assert snapshot(state) == before
        other, kept = state.clone(), state.clone()
        for _ in play_on([other], seed=8, most=30):
            assert snapshot(kept) == before
        assert snapshot(other) == snapshot(clone)


@every_case
def test_views_hide_and_cannot_be_played_on(case: Case) -> None:
    assert case.name in HIDDEN, "say in HIDDEN what a view of this game may not show"
    for state, action in some_nodes(case.make()):
        game, before = state.game, snapshot(state)
        for seat in range(game.num_players):
            view = state.view(seat)
            HIDDEN[case.name](game, view.record, seat)
            hidden = game.new_records(1)
            hidden[0] = state.record
            for _ in range(2):  # hiding twice is hiding once
                verbs.hide(game.rules, hidden[0], seat)
                assert content(view.record) == content(hidden[0])
            assert (view.seed, view.board, view.observer) == (None, 0, seat)
            seen = snapshot(view)
            for number in (*range(64), action):
                with pytest.raises(IllegalAction, match=f"the view of seat {seat} cannot be played on"):
                    view.apply_action(number)
            assert snapshot(view) == snapshot(view.view(seat)) == snapshot(view.clone()) == seen
            check_view_against_state(view, state, seat)
        assert snapshot(state) == before


@pytest.mark.parametrize("case", CASES, ids=str)
def test_views_of_resampled_worlds_are_the_same(case: Case) -> None:
    for state, action in some_nodes(case.make(), number=6):
        game, before = state.game, snapshot(state)
        for seat in range(game.num_players):
            view, world = state.view(seat), state.resample_from_infostate(seat, seed=1)
            CONSERVED[case.name](game, world.record)
            check_view_against_state(view, world, seat)
            assert content(world.view(seat).record) == content(view.record)
            assert snapshot(view.resample_from_infostate(seat, seed=1)) == snapshot(world)
            assert world.is_terminal() == (action == OVER)
            if state.current_player() in (seat, OVER):
                assert world.legal_actions() == state.legal_actions()
        assert snapshot(state) == before


def check_view_against_state(view: State, state: State, seat: int) -> None:
    """A view knows as much as its seat, and nothing about the others."""
    if state.phase() in SECRET.get(state.game.name, ()):  # it does not know how far the others are
        assert (view.current_player() == seat) == (state.current_player() == seat)
    else:
        assert view.current_player() == state.current_player()
    assert view.history(seat) == state.history(seat)
    assert view.information_state_string(seat) == state.information_state_string(seat)
    if state.current_player() in (seat, OVER):
        assert view.legal_actions() == state.legal_actions()
    else:
        with pytest.raises(IllegalAction, match=f"the view of seat {seat} does not know"):
            view.legal_mask()
    others = [other for other in range(state.game.num_players) if other != seat]
    for ask in (view.view, view.history, view.information_state_string):
        for other in others:
            with pytest.raises(ValueError, match=f"this is the view of seat {seat}"):
                ask(other)


@every_game
@pytest.mark.parametrize("seat", [-1, 100, 1.5, "0", [0]])
def test_there_are_no_other_seats(name: str, seat: Any) -> None:
    state = CLASSES[name]().new_initial_state(seed=1)
    for ask in (state.view, state.history, state.information_state_string):
        with pytest.raises(ValueError, match=r"seat .*: expected an integer 0\.\."):
            ask(seat)


# What was seen


@every_case
def test_every_visible_event_changes_the_information_state(case: Case) -> None:
    game = case.make()
    seats = [0, game.num_players - 1]
    known: dict[int, set[int]] = {seat: set() for seat in seats}
    lengths = dict.fromkeys(seats, 0)
    previous: tuple[int, int] | None = None
    is_secret = False
    for state, action in walk(game):
        for seat in seats:
            history = state.history(seat)
            new, lengths[seat] = history[lengths[seat] :], len(history)
            if not new:
                assert is_secret, "everything but a secret decision is noticed"
                assert previous
                assert previous[0] != seat, "a seat notices its own decisions"
                is_its_turn = state.current_player() == seat
                assert is_its_turn or hash(state.information_state_string(seat)) in known[seat]
                continue
            assert all(isinstance(event, Event) and event.phase in game.phases for event in new)
            text = hash(state.information_state_string(seat))
            if any(event.action >= 0 or event.news for event in new):
                assert text not in known[seat], "a seat cannot forget"
            known[seat].add(text)
            if previous and previous[0] == seat:
                assert (new[0].seat, new[0].action) == previous, "a seat sees its own action as it is"
        if action != OVER:
            assert state.information_state_string() == state.information_state_string(state.current_player())
        previous = state.current_player(), action
        is_secret = state.phase() in SECRET.get(case.name, ())


@every_case
def test_what_was_seen_is_remembered_where_the_position_does_not_tell(case: Case) -> None:
    for state, _ in some_nodes(case.make(), number=4):
        forgetful = state.game.position(state.position_string(), seed=1)
        for seat in range(state.game.num_players):
            assert forgetful.history(seat) == []
            assert forgetful.view(seat).position_string() == state.view(seat).position_string()
            assert forgetful.information_state_string(seat) != state.information_state_string(seat)
            history = state.history(seat).copy()
            state.history(seat).clear()
            assert state.history(seat) == state.view(seat).history(seat) == history
            for place in (0, 2, 3):
                data = json.loads(state.serialize())
                data["histories"][seat][0][place] += 1
                other = state.game.deserialize(json.dumps(data))
                assert other.information_state_string(seat) != state.information_state_string(seat)


# What it is worth


@every_case
def test_returns_and_places_are_consistent(case: Case) -> None:
    for board in range(4):
        for index, (state, action) in enumerate(walk(case.make(), board=board, play=board)):
            if index % 5 and action != OVER:
                continue
            points, (places, shares) = state.returns(), state.places()
            assert len(points) == len(places) == len(shares) == state.game.num_players
            assert places == [1 + sum(other < place for other in places) for place in places]
            winners = [share for place, share in zip(places, shares, strict=True) if place == 1]
            assert len(set(winners)) == 1
            assert sum(shares) == pytest.approx(sum(winners))
            assert sum(shares) == pytest.approx(1) or sum(shares) == 0
            for seat, place in enumerate(places):
                ahead = [other for other, their in enumerate(places) if their < place]
                assert all(points[other] >= points[seat] for other in ahead)


@every_case
def test_deals_add_up_to_the_returns(case: Case) -> None:
    game = case.make()
    names = [column.name for column in game.deal_columns]
    for play in range(3):
        deals = finished_deals(game, board=play, play=play)
        assert 0 < len(deals) <= game.max_deals()
        totals = [0.0] * game.num_players
        for deal in deals:
            assert np.isfinite(deal.values).all()
            if "total" in names:
                totals = [total + value for total, value in zip(totals, deal.values, strict=True)]
                assert [row["total"] for row in deal.rows] == totals == deal.totals
            if "points" in names:
                assert [row["points"] for row in deal.rows] == deal.values
            for column in game.deal_columns:
                codes = [int(row[column.name]) for row in deal.rows]
                assert not column.categories or all(0 <= code < len(column.categories) for code in codes), column.name


@every_case
def test_outcome_is_one_of_the_games_outcomes(case: Case) -> None:
    *_, (state, _) = walk(case.make())
    assert 0 <= verbs.outcome(state.game.rules, state.record) < len(state.game.outcomes)


# Batches


@every_case
def test_a_batch_plays_the_same_games_as_states(case: Case) -> None:
    game, size, rng = case.make(), 2, random.Random(9)
    batch = game.new_batch(size, seed=9)
    states = [game.new_initial_state(seed=9, board=board) for board in range(size)]
    masks = batch.legal_masks()
    while True:
        assert masks.tolist() == batch.legal_masks().tolist() == [state.legal_mask() for state in states]
        assert [content(record) for record in batch.states] == [content(state.record) for state in states]
        assert batch.current_players().tolist() == [state.current_player() for state in states]
        assert batch.is_terminal().tolist() == [state.is_terminal() for state in states]
        assert batch.returns().tolist() == [state.returns() for state in states]
        if batch.is_terminal().all():
            return
        actions = np.full(size, rng.choice([-7, 0, 63, 64, 2**40]))  # finished games ignore theirs
        for board, state in enumerate(states):
            if not state.is_terminal():
                actions[board] = rng.choice(state.legal_actions())
                state.apply_action(actions[board])
        masks = batch.step(actions)


@every_case
def test_arrays_of_a_batch(case: Case) -> None:
    game = case.make()
    batch = game.new_batch(4, seed=10)
    bits = batch.legal_action_mask()
    expected = [
        [bool(int(mask) >> action & 1) for action in range(game.num_distinct_actions())] for mask in batch.legal_masks()
    ]
    assert (bits.dtype, bits.tolist()) == (np.bool_, expected)
    assert (batch.legal_masks().dtype, batch.legal_masks().shape) == (np.uint64, (4,))
    assert (batch.current_players().dtype, batch.current_players().shape) == (np.int64, (4,))
    assert (batch.is_terminal().dtype, batch.is_terminal().shape) == (np.bool_, (4,))
    assert (batch.returns().dtype, batch.returns().shape) == (np.float64, (4, game.num_players))
    assert (batch.states.dtype.names, len(batch.states), len(batch)) == (game.state_dtype.names, 4, 4)
    batch.legal_masks()[:] = 0
    assert batch.legal_masks().all(), "legal_masks gives a copy"


def first_actions(batch: Any) -> np.ndarray:
    return np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in batch.legal_masks()])


@every_case
def test_a_batch_refuses_illegal_actions_as_a_whole(case: Case) -> None:
    batch = case.make().new_batch(3, seed=11)
    for _ in range(6):
        before, masks = batch.states.tobytes(), batch.legal_masks().tolist()
        for place in range(3):
            illegal = next(action for action in range(64) if not masks[place] >> action & 1)
            for action in (illegal, -1, 64, 2**40):
                actions = first_actions(batch)
                actions[place] = action
                with pytest.raises(
                    IllegalAction, match=f"illegal action {action} in game {place} of the batch: expected one"
                ):
                    batch.step(actions)
                assert batch.states.tobytes() == before
                assert batch.legal_masks().tolist() == masks
        if not batch.is_terminal().any():
            batch.step(first_actions(batch))


@every_game
def test_a_batch_takes_one_integer_a_game(name: str) -> None:
    batch = CLASSES[name]().new_batch(2, seed=12)
    before, good = batch.states.tobytes(), first_actions(batch)
    bad: list[Any] = [
        good[:1],
        np.append(good, 0),
        good[:, None],
        good.astype(float),
        good.astype(bool),
        ["a", "b"],
        None,
        0,
        [],
    ]
    for actions in bad:
        with pytest.raises(IllegalAction, match="expected 2 integer actions, got shape"):
            batch.step(actions)
    with pytest.raises(IllegalAction):
        batch.step(np.full(2, 2**64 - 1, np.uint64))
    assert batch.states.tobytes() == before
    after = []
    for actions in (good, good.astype(np.int8), good.astype(np.uint64), good.tolist(), np.repeat(good, 2)[::2]):
        again = CLASSES[name]().new_batch(2, seed=12)
        again.step(actions)
        after.append(again.states.tobytes())
    assert len(set(after)) == 1
    assert after[0] != before


@every_case
@pytest.mark.parametrize("policy", ["random", "heuristic"])
def test_rollout_ends_every_game(case: Case, policy: str) -> None:
    game, ends = case.make(), []
    for _ in range(2):
        batch = game.new_batch(5, seed=13)
        assert 0 < batch.rollout(policy, seed=1) <= 5 * game.max_game_length()
        assert batch.is_terminal().all()
        assert not batch.legal_masks().any()
        assert (batch.current_players() == OVER).all()
        ends.append(batch.states.tobytes())
        assert batch.rollout(policy) == 0
        batch.step(np.full(5, -9))
        assert batch.states.tobytes() == ends[-1]
    assert ends[0] == ends[1]


@every_game
def test_rollouts_depend_on_the_seed_of_the_players(name: str) -> None:
    batches = [CLASSES[name]().new_batch(5, seed=14) for _ in range(2)]
    for seed, batch in enumerate(batches):
        batch.rollout(seed=seed)
    assert batches[0].states.tobytes() != batches[1].states.tobytes()
    with pytest.raises(ValueError, match="unknown rollout policy 'greedy': expected 'random' or 'heuristic'"):
        batches[0].rollout("greedy")


@every_game
def test_sizes_of_a_batch(name: str) -> None:
    game = CLASSES[name]()
    one = game.new_batch(1, seed=15)
    assert content(one.states[0]) == content(game.new_initial_state(seed=15).record)
    one.step(first_actions(one))
    for size in (0, -1):
        with pytest.raises(ValueError, match=f"size {size}: expected an integer"):
            game.new_batch(size)
    for bad in (1.5, None, "3", [2]):
        with pytest.raises((TypeError, ValueError)):
            game.new_batch(bad)  # type: ignore[arg-type]
    for seed in (-1, 2**64, 1.5, "7"):
        for make in (game.new_batch, game.new_initial_state):
            with pytest.raises(ValueError, match=r"seed .*: expected an integer 0\.\."):
                make(*([2] if make == game.new_batch else []), seed=seed)  # type: ignore[operator]


# The Game


@every_case
def test_equal_options_make_equal_games(case: Case) -> None:
    game = case.make()
    again = CLASSES[case.name](**game.option_values())
    named = eval(repr(game), {case.name: sys.modules[CLASSES[case.name].__module__.partition(".")[0]]})
    for other in (again, named, pickle.loads(pickle.dumps(game)), case.make()):
        assert other == game
        assert hash(other) == hash(game)
        assert repr(other) == repr(game)
        assert other.option_values() == game.option_values()
        assert snapshot(other.new_initial_state(seed=1)) == snapshot(game.new_initial_state(seed=1))
    others = [other.make() for other in CASES if other is not case]
    assert all((other == game) == (repr(other) == repr(game)) for other in others)
    assert sum(other != game for other in others) > len(others) / 2
    assert game != case.name
    assert all(isinstance(value, str) for value in game.option_values().values())


@every_game
def test_unknown_names_suggest_the_nearest(name: str) -> None:
    game_class = CLASSES[name]
    for option in game_class.options:
        for wrong in (option.name + "s", option.name[:-1]):
            with pytest.raises(InvalidRules, match=f"unknown option '{wrong}'; did you mean '{option.name}'?"):
                game_class(**{wrong: 1})
    for preset in game_class.presets:
        with pytest.raises(InvalidRules, match=f"unknown preset '{preset}x'; did you mean '{preset}'?"):
            game_class(preset + "x")
    for players in (-1, 0, game_class.most_players + 1):
        with pytest.raises(InvalidRules, match="num_players"):
            game_class(num_players=players)


@pytest.mark.parametrize(("name", "arguments", "message"), [(name, *row) for name in ERRORS for row in ERRORS[name]])
def test_wrong_options_say_what_is_allowed(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRules) as error:
        CLASSES[name](**arguments)
    assert message in str(error.value)


@every_game
def test_options_are_documented(name: str) -> None:
    game_class = CLASSES[name]
    assert [option.name for option in game_class.options] == list(game_class.rules_type._fields)
    assert all(option.clause and option.meaning for option in game_class.options)
    assert all(column.type and column.unit and column.meaning for column in game_class.deal_columns)
    assert all(preset.meaning for preset in game_class.presets.values())
    assert game_class.name == name


# Compiled and plain


def dump(decisions: int = 80) -> list[str]:
    """Games as records, step by step, with all that the verbs say about them: equal in compiled and in plain Python."""
    lines = []
    for case in CASES:
        game = case.make()
        for is_policy in (False, True):
            lines += [f"{case} {step} {text}" for step, text in enumerate(dump_game(game, is_policy, decisions))]
        if game.max_game_length() < 130:
            lines += [f"{case} deals {[content(row).hex() for deal in finished_deals(game) for row in deal.rows]}"]
        batch = game.new_batch(2, seed=17)
        batch.step(first_actions(batch))
        lines.append(f"{case} batch {batch.states.tobytes().hex()} {batch.legal_masks()}")
    return lines


def dump_game(game: Game, is_policy: bool, decisions: int) -> Iterator[str]:
    """The first decisions of a game: the record, what every seat sees of it, and what it is worth."""
    state, rng, choice = game.new_initial_state(seed=16), new_rng(16), random.Random(16)
    seats = range(game.num_players)
    for _ in range(decisions):
        views = [content(state.view(seat).record).hex() for seat in seats]
        histories = [state.history(seat)[-2:] for seat in seats]
        worth = state.returns(), state.places()
        yield f"{content(state.record).hex()} {views} {histories} {state.legal_mask()} {worth}"
        if state.is_terminal():
            return
        policy = int(verbs.policy(game.rules, state.record, rng))
        state.apply_action(policy if is_policy else choice.choice(state.legal_actions()))


def test_compiled_and_plain_agree(run_other_mode: Callable[[str], list[str]]) -> None:
    other = run_other_mode("from tests.test_contract import dump; print('\\n'.join(dump()))")
    here = dump()
    assert len(other) == len(here)
    for their_line, our_line in zip(other, here, strict=True):
        assert their_line == our_line
