"""No leak: what a seat is shown does not change when the hidden cards are exchanged for others that are possible.

The other worlds are dealt here in plain Python, straight from section 4 of the rules: the unseen cards go at random to
the other seats, under the voids that they have shown, and the rest is the hidden stock.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardkit.rng import RNG_WORDS, bot_stream, chance_stream, new_rng
from cardkit.state import State
from cardkit.verbs import CHANCE, OVER, apply, chance, chance_event, hide, legal_mask, new_game, news, policy, to_move
from kronions import Game
from kronions.cards import PARADOX, RANKS
from kronions.state import DEAL_CARDS, FLIP, NONE, PHASES
from tests.kronions.test_reference import Options, random_options

SUITED = (1 << PARADOX) - 1
SEED = 4096
TRIES = 50  # deals under the voids before a position is given up
SMALL_PARTS, GAMES_A_PART = 8, 16

PRESETS: dict[str, Options] = {
    **{f"standard_{players}": {"num_players": players} for players in range(2, 7)},
    **{f"oh_hell_{players}": {"preset": "oh_hell", "num_players": players} for players in range(2, 7)},
    "mini_2": {"preset": "mini"},
    "mini_3": {"preset": "mini", "num_players": 3},
    "only_when_void": {"paradox_when_able_to_follow": "only_when_void", "round_cap": 6},
    "dealer_names": {"num_players": 5, "paradox_flip": "dealer_names", "num_ranks": 4},
}


class Position(NamedTuple):
    """A state, the state at the first decision of its round, and the actions between them."""

    state: State
    start: State
    actions: tuple[int, ...]


# Playing and dealing other worlds


def positions(game: Game, board: int, is_policy: bool, share: float) -> Iterator[Position]:
    """A share of the positions of one game, chosen at random, and its end."""
    state, choices = game.new_initial_state(seed=SEED, board=board), random.Random(board)
    rng = np.zeros(RNG_WORDS, np.uint64)
    bot_stream(rng, np.uint64(SEED), np.uint64(board), 0, 0, 0)
    start, actions = state.clone(), []
    while not state.is_terminal():
        if choices.random() < share or state.phase() == "name_trump":
            yield Position(state.clone(), start, tuple(actions))
        legal = state.legal_actions()
        action = int(policy(game.rules, state.record, rng)) if is_policy else choices.choice(legal)
        rounds_done = int(state.record.rounds_done)
        state.apply_action(action)
        actions.append(action)
        if state.record.rounds_done > rounds_done and not state.is_terminal():
            start, actions = state.clone(), []
    yield Position(state, start, tuple(actions))


def held_by_others(record: Any, seat: int, num_players: int) -> dict[int, int]:
    """How many cards each other seat still holds: those dealt less those played, paradox cards too."""
    held = {}
    for other in range(num_players):
        hand = int(record.hands[other])
        dealt = (hand & SUITED & ~int(record.played)).bit_count() + (hand >> PARADOX).bit_count()
        held[other] = dealt - int(record.paradox_played[other])
    del held[seat]
    return held


def unseen_cards(rules: Any, record: Any, seat: int) -> list[int]:
    """The cards that the seat does not see: not in its hand, not played, not turned up. All paradox cards are 52."""
    seen = int(record.hands[seat]) | int(record.played)
    suited = [RANKS * suit + rank for suit in range(rules.num_suits) for rank in range(rules.num_ranks)]
    flip = int(record.flip)
    paradox = rules.num_paradox - (int(record.hands[seat]) >> PARADOX).bit_count()
    paradox -= sum(int(record.paradox_played[other]) for other in range(rules.num_players) if other != seat)
    paradox -= int(record.turned_up) - int(0 <= flip < PARADOX)
    return [card for card in suited if not seen >> card & 1 and card != flip] + [PARADOX] * paradox


def other_hands(rules: Any, record: Any, seat: int, choices: random.Random) -> list[int] | None:
    """The dealt hands of another world of the seat, as the record keeps them; None if no deal fits the voids."""
    held = held_by_others(record, seat, rules.num_players)
    for _ in range(TRIES):
        rest = unseen_cards(rules, record, seat)
        choices.shuffle(rest)
        hands = [int(hand) for hand in record.hands]
        for other in sorted(held, key=lambda other: -int(record.voids[other]).bit_count()):
            void = int(record.voids[other])
            allowed = [card for card in rest if card == PARADOX or not void >> card // RANKS & 1][: held[other]]
            if len(allowed) < held[other]:
                break
            for card in allowed:
                rest.remove(card)
            copies = allowed.count(PARADOX) + int(record.paradox_played[other])
            suited = sum(1 << card for card in allowed if card != PARADOX)
            hands[other] = int(record.hands[other]) & int(record.played) | suited | ((1 << copies) - 1) << PARADOX
        else:
            return hands
    return None


def replay(position: Position, hands: list[int]) -> State:
    """The world in which these hands were dealt and the same things happened; every action was legal in it."""
    world = position.start.clone()
    world.record.hands[:] = np.array(hands, np.uint64)
    for action in position.actions:
        assert world.legal_mask() >> action & 1, f"{action} could not be played in {world!r}"
        world.apply_action(action)
    return world


def just_dealt(start: State) -> Any:
    """The record as it was between the deal and the flip."""
    record = start.clone().record
    if record.turned_up:
        record.phase, record.turned_up, record.flip, record.trump, record.actor = FLIP, 0, NONE, NONE, 0
    return record


# What a seat is shown


Hide = Callable[[Any, Any, int], None]


def shown(state: State, seat: int, hide_: Hide = hide) -> bytes:
    """The record that the seat gets to see."""
    record = state.clone().record
    hide_(state.game.rules, record, seat)
    return bytes(record.tobytes())


def policy_answer(rules: Any, record: Any, seed: int) -> tuple[int, list[int]]:
    """What the policy plays with a random stream, and what it leaves of the stream."""
    rng = new_rng(seed)
    return int(policy(rules, record, rng)), rng.tolist()


def check_seat(position: Position, seat: int, choices: random.Random, hide_: Hide = hide) -> str:
    """Compare what the seat is shown in the position with what it is shown in another world of the seat.

    Returns:
        "other" if the world differs from the true one, "same" if not, "none" if no deal was found.

    Raises:
        AssertionError: the seat can tell the worlds apart.
    """
    state, rules = position.state, position.state.game.rules
    hands = other_hands(rules, state.record, seat, choices)
    if hands is None:
        return "none"
    world = replay(position, hands)
    where = f"seat {seat} in {state!r} and {world!r}"
    assert shown(world, seat, hide_) == shown(state, seat, hide_), where
    assert world.information_state_string(seat) == state.information_state_string(seat), where
    assert world.history(seat) == state.history(seat), where
    ours, theirs = just_dealt(position.start), just_dealt(position.start)
    theirs.hands[:] = np.array(hands, np.uint64)
    assert news(rules, theirs, seat) == news(rules, ours, seat), where
    if state.current_player() == seat:
        view = state.view(seat)
        assert world.legal_actions() == view.legal_actions() == state.legal_actions(), where
        seed = choices.randrange(2**32)
        answers = [policy_answer(rules, one.record, seed) for one in (state, view, world)]
        assert answers[0] == answers[1] == answers[2], where
    return "other" if hands != [int(hand) for hand in state.record.hands] else "same"


def check_positions(options: Options, boards: range, share: float, hide_: Hide = hide) -> Counter[str]:
    """Check every seat of a share of the positions, odd boards played by the policy; counts what was checked."""
    game, choices = Game(**options), random.Random(boards.start)
    done: Counter[str] = Counter()
    for board in boards:
        for position in positions(game, board, board % 2 == 1, share):
            for seat in range(game.num_players):
                done[check_seat(position, seat, choices, hide_)] += 1
            done[position.state.phase()] += 1
            done["voids"] += int(position.state.record.voids.any())
    return done


# The tests


@pytest.mark.parametrize("name", PRESETS)
def test_no_seat_is_shown_anything_of_the_hidden_cards(name: str) -> None:
    options = PRESETS[name]
    boards, share = (range(12), 0.5) if name.startswith("mini") else (range(6), 0.15)
    if name.startswith("standard"):
        boards, share = range(2), 0.06  # some hundred decisions a game
    done = check_positions(options, boards, share)
    assert done["other"] > 50
    assert done["none"] < 0.02 * done["other"]
    assert min(done["bid"], done["play"], done["over"]) > 0
    assert done["voids"] > 10
    assert (done["name_trump"] > 0) == (name == "dealer_names")


@pytest.mark.parametrize("part", range(SMALL_PARTS))
def test_no_seat_is_shown_anything_under_any_options(part: int) -> None:
    done: Counter[str] = Counter()
    for i in range(GAMES_A_PART):
        first = 1000 * part + 2 * i
        done += check_positions(random_options(random.Random(first)), range(first, first + 2), 0.15)
    assert done["other"] > 150
    assert done["none"] < 0.02 * done["other"]
    assert min(done["bid"], done["play"], done["over"]) > 0


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_no_leak_while_chance_is_pending(players: int) -> None:
    game, choices, rng = Game(num_players=players, round_cap=4), random.Random(1), new_rng(1)
    rules, records = game.rules, game.new_records(3)
    state, phases = records[0], Counter[str]()
    new_game(rules, state)
    while to_move(rules, state) != OVER:
        if to_move(rules, state) != CHANCE:
            mask = int(legal_mask(rules, state))
            apply(rules, state, choices.choice([action for action in range(54) if mask >> action & 1]))
            continue
        phases[PHASES[state.phase]] += 1
        for seat in range(players):
            hands = other_hands(rules, state, seat, choices) if state.phase == FLIP else state.hands
            assert hands is not None
            records[1:] = records[0]
            records[2].hands[:] = np.array(hands, np.uint64)
            hide(rules, records[1], seat)
            hide(rules, records[2], seat)
            assert records[1].tobytes() == records[2].tobytes()
            if state.phase == DEAL_CARDS:  # all cards have been played: nothing is hidden
                assert records[1].tobytes() == records[0].tobytes()
        chance_stream(rng, np.uint64(SEED), np.uint64(players), chance_event(rules, state))
        chance(rules, state, rng)
    assert phases == {"first_dealer": 1, "deal": 4, "flip": 3}


def keep_everything(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that hides nothing."""


def keep_one_other_hand(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that forgets the seat to the left."""
    left = (seat + 1) % rules.num_players
    hand = int(state.hands[left])
    hide(rules, state, seat)
    state.hands[left] = hand


def keep_paradox_cards(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that shows how many paradox cards the others were dealt."""
    copies = [int(hand) >> PARADOX << PARADOX for hand in state.hands]
    hide(rules, state, seat)
    for other in range(rules.num_players):
        state.hands[other] |= np.uint64(copies[other])


@pytest.mark.parametrize("leaky", [keep_everything, keep_one_other_hand, keep_paradox_cards])
def test_a_leak_is_noticed(leaky: Hide) -> None:
    with pytest.raises(AssertionError, match="seat"):
        check_positions({"num_players": 3, "round_cap": 4}, range(4), 0.5, leaky)


def peek(rules: Any, state: Any, rng: Any) -> int:
    """A policy that looks at the hand to its left."""
    mask = int(legal_mask(rules, state))
    hand = int(state.hands[(int(state.actor) + 1) % rules.num_players])
    return mask.bit_length() - 1 if hand % 5 else (mask & -mask).bit_length() - 1


def test_a_policy_that_peeks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "policy", peek)
    with pytest.raises(AssertionError, match="seat"):
        check_positions({"num_players": 3, "round_cap": 4}, range(0, 4, 2), 0.5)


# What a seat does see


def a_position(phase: str, seed: int = 1) -> Position:
    """A position of three players in the middle of a phase."""
    game = Game(num_players=3, first_dealer=0, round_sizes=[5, 5], num_paradox=2)
    found = [p for p in positions(game, seed, False, 1.0) if p.state.phase() == phase and p.actions]
    return found[len(found) // 2]


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("phase", ["bid", "play"])
def test_another_own_hand_is_another_view(phase: str, seat: int) -> None:
    position = a_position(phase)
    state, world = position.state, position.state.clone()
    hand = int(state.record.hands[seat])
    held = hand & ~int(state.record.played)
    mine = [card for card in range(PARADOX) if held >> card & 1]
    unseen = next(c for c in unseen_cards(state.game.rules, state.record, seat) if c < PARADOX and not hand >> c & 1)
    world.record.hands[seat] = hand ^ 1 << mine[0] ^ 1 << unseen
    assert shown(world, seat) != shown(state, seat)
    assert world.information_state_string(seat) != state.information_state_string(seat)
    deal = just_dealt(position.start)
    before = news(state.game.rules, deal, seat)
    deal.hands[seat] = world.record.hands[seat]
    assert news(state.game.rules, deal, seat) != before


@pytest.mark.parametrize("phase", ["bid", "play"])
def test_another_bid_or_card_is_another_view_for_everybody(phase: str) -> None:
    for seed in range(10):
        state = a_position(phase, seed).state
        children = []
        for action in state.legal_actions():
            children.append(state.clone())
            children[-1].apply_action(action)
        for seat in range(3):
            views = {shown(child, seat) for child in children}
            texts = {child.information_state_string(seat) for child in children}
            histories = {tuple(child.history(seat)) for child in children}
            assert len(views) == len(texts) == len(histories) == len(children)


@pytest.mark.parametrize("field", [name for name in Game.state_dtype.names or () if name != "hands"])
def test_everything_but_the_hands_is_public(field: str) -> None:
    state = a_position("play").state
    for seat in range(3):
        world = state.clone()
        world.record[field] = world.record[field] + 1
        assert shown(world, seat) != shown(state, seat)


def test_a_view_shows_no_other_hand_and_no_future() -> None:
    state = a_position("play").state
    for seat in range(3):
        view = state.view(seat)
        assert view.seed is None
        for other in range(3):
            held = int(view.record.hands[other]) & ~int(view.record.played) & SUITED
            own = int(state.record.hands[seat]) & ~int(state.record.played) & SUITED
            assert held == (own if other == seat else 0)
