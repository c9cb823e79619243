"""No leak: what a seat is shown does not change when what it cannot know is exchanged for something else possible.

The other worlds are made here in plain Python, straight from section 4 of the rules. After the reveal the unseen cards
go at random to the other seats, under voids and exposed cards, and a card that lies face down becomes some truf card of
its player. Before the reveal other seats also lay other cards, any number of them, and have come as far as they like.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardkit.rng import RNG_WORDS, bot_stream, new_rng
from cardkit.state import State
from cardkit.verbs import apply, hide, legal_mask, policy
from truf import Game
from truf.state import BID, DEAL_HANDS, DONE, PLAY

Options = dict[str, Any]
SEED = 512
TRIES = 200  # random deals before a position is given up

SMALL: Options = {"ranks": ["2", "5", "J", "A"], "max_hands": 3}
OPTIONS: dict[str, Options] = {
    "standard": {"max_hands": 1},
    "classic": {"preset": "classic", "max_hands": 1},
    "mini": {"preset": "mini", "max_hands": 3},
    "small": SMALL,
    "two_suits": {"num_suits": 2, "ranks": ["2", "3", "4", "7", "J", "Q", "K", "A"], "max_hands": 2},
    "ruffs_only": SMALL | {"facedown": "ruffs_only", "sum13_amount": "any", "sum13_floor": "negative"},
    "face_up": SMALL | {"facedown": "none", "unlock": "any_discard", "padding": "forbidden"},
    "alternate": SMALL
    | {"ranks": ["2", "Q", "K", "A"], "direction": "alternate", "ace_play": "low", "sum13_amount": "0"},
    "pagat": SMALL | {"redeal": "pagat", "direction": "alternate", "max_bid_cards": 2, "sum13_decline": "neutral"},
}
FACE_DOWN_KINDS = {"all_truf": True, "ruffs_only": True, "none": False}


class Position(NamedTuple):
    """A state, the state at the first decision of its hand, and the actions between them."""

    state: State
    start: State
    actions: tuple[int, ...]


def positions(game: Game, board: int, is_policy: bool, share: float) -> Iterator[Position]:
    """A share of the positions of one game, chosen at random, every shift, and the end."""
    state, choices = game.new_initial_state(seed=SEED, board=board), random.Random(board)
    rng = np.zeros(RNG_WORDS, np.uint64)
    bot_stream(rng, np.uint64(SEED), np.uint64(board), 0, 0, 0)
    start, actions = state.clone(), []
    while not state.is_terminal():
        if choices.random() < share or state.phase() == "shift":
            yield Position(state.clone(), start, tuple(actions))
        action = int(policy(game.rules, state.record, rng)) if is_policy else random_action(state, choices)
        hands_done = int(state.record.hands_done)
        state.apply_action(action)
        actions.append(action)
        if state.record.hands_done > hands_done and not state.is_terminal():
            start, actions = state.clone(), []
    yield Position(state, start, tuple(actions))


def random_action(state: State, choices: random.Random) -> int:
    """A legal action; half of the bids end with each card, so that they are short."""
    legal = state.legal_actions()
    is_short = state.phase() == "bid" and DONE in legal and choices.random() < 0.5
    return DONE if is_short else choices.choice(legal)


# Other worlds, in plain Python


class Seen(NamedTuple):
    """What a seat knows of another seat after the reveal, found from the public actions of the hand."""

    open_cards: set[int]  # played, and seen
    pinned: set[int]  # exposed and not seen played
    covered: int  # cards that lie face down in this trick
    held: int


def suit_name(card: int) -> int:
    return card // 13


def lies_face_down(rules: Any, truf: int, card: int, led: int) -> bool:
    """R37: with all_truf every truf card, with ruffs_only that to another led suit, else none."""
    if suit_name(card) != truf or rules.facedown == 2:
        return False
    return rules.facedown == 0 or led != truf


def cards_of(mask: int) -> set[int]:
    return {card for card in range(52) if int(mask) >> card & 1}


def current_trick(state: State) -> list[tuple[int, int]]:
    """Seat and card of what has been played to the trick that is not complete."""
    record = state.record
    step = -1 if state.game.rules.direction == 1 and record.hands_done % 2 else 1
    cards = [byte - 1 for byte in int(record.trick).to_bytes(8, "little") if byte][: int(record.trick_size)]
    return [((int(record.leader) + step * i) % 4, card) for i, card in enumerate(cards)]


def seen_of(state: State, other: int) -> Seen:
    """What everybody else knows of a seat."""
    record, rules = state.record, state.game.rules
    trick = current_trick(state)
    covered = {
        card
        for seat, card in trick
        if seat == other and lies_face_down(rules, int(record.truf), card, suit_name(trick[0][1]))
    }
    dealt, played = cards_of(record.hands[other]), cards_of(record.played)
    open_cards = dealt & played - covered
    held = len(dealt) - len(open_cards) - len(covered)
    return Seen(open_cards, cards_of(record.laid[other]) - open_cards, len(covered), held)


def deck_of(rules: Any) -> set[int]:
    return {13 * suit + rank for suit in range(4 - rules.num_suits, 4) for rank in range(13) if rules.ranks >> rank & 1}


def is_freak(cards: set[int]) -> bool:
    return len({card % 13 >= 9 for card in cards}) == 1


class World(NamedTuple):
    """Dealt hands, and the card that each seat has played face down to the current trick, if it is another one."""

    hands: list[set[int]]
    covered: dict[int, int]


def world_after_reveal(state: State, seat: int, choices: random.Random) -> World | None:
    """Another world of a seat when the bids are known; None if no random deal fits."""
    record, rules = state.record, state.game.rules
    others = {other: seen_of(state, other) for other in range(4) if other != seat}
    own = cards_of(record.hands[seat])
    pool = deck_of(rules) - own
    for seen in others.values():
        pool -= seen.open_cards | seen.pinned
    for _ in range(TRIES):
        rest = sorted(pool)
        choices.shuffle(rest)
        hands, covered = [own] * 4, {}
        for other in sorted(others, key=lambda other: -int(record.voids[other]).bit_count()):
            seen, void = others[other], int(record.voids[other])
            size = seen.held + seen.covered - len(seen.pinned)
            pinned_truf = [card for card in sorted(seen.pinned) if suit_name(card) == record.truf]
            free = [card for card in rest if not void >> suit_name(card) & 1]
            if seen.covered:
                free_truf = [card for card in free if suit_name(card) == record.truf]
                candidates = pinned_truf + (free_truf if size else [])
                if not candidates:
                    break
                covered[other] = choices.choice(candidates)
                if covered[other] in free_truf:
                    free.remove(covered[other])
                    free.insert(0, covered[other])
            if len(free) < size:
                break
            for card in free[:size]:
                rest.remove(card)
            hands[other] = seen.open_cards | seen.pinned | set(free[:size])
        else:
            if not rest and not (rules.redeal == 1 and any(map(is_freak, hands))):
                return World(hands, covered)
    return None


def world_of_bidders(state: State, seat: int, choices: random.Random) -> World | None:
    """Another deal before the reveal: nothing of the other hands is known."""
    own, rules = cards_of(state.record.hands[seat]), state.game.rules
    for _ in range(TRIES):
        rest = sorted(deck_of(rules) - own)
        choices.shuffle(rest)
        hands = [own if other == seat else {rest.pop() for _ in own} for other in range(4)]
        if not (rules.redeal == 1 and any(map(is_freak, hands))):
            return World(hands, {})
    return None


def deal_again(start: State, hands: list[set[int]]) -> State:
    """The start of a hand in which these hands were dealt."""
    world = start.clone()
    world.record.hands[:] = np.array([sum(1 << card for card in hand) for hand in hands], np.uint64)
    return world


def replay(position: Position, world: World) -> State:
    """The world after the same things happened, as far as others saw them; every action was legal in it."""
    again, state = deal_again(position.start, world.hands), position.state
    instead = {card: world.covered[seat] for seat, card in current_trick(state) if seat in world.covered}
    for number, action in enumerate(position.actions):
        is_in_trick = number >= len(position.actions) - int(state.record.trick_size)
        card = instead.get(action, action) if is_in_trick else action
        assert again.legal_mask() >> card & 1, f"{card} could not be played in {again!r}"
        again.apply_action(card)
    return again


def bid_again(position: Position, seat: int, world: World, choices: random.Random) -> State:
    """The world in which the other seats bid as they like; it is the seat's turn exactly where it was."""
    again, state = deal_again(position.start, world.hands), position.state
    actor, own_cards = int(state.record.actor), sorted(cards_of(state.record.laid[seat]))
    if actor == seat:
        until = seat
    else:
        until = choices.randrange(seat) if actor < seat else choices.randrange(seat + 1, 4)
    while again.current_player() < until:
        if again.current_player() == seat:
            for card in (*own_cards, DONE):
                again.apply_action(card)
        else:
            again.apply_action(random_action(again, choices))
    if actor == seat:
        for card in own_cards:
            again.apply_action(card)
    else:
        for _ in range(choices.randrange(3)):
            action = random_action(again, choices)
            if action != DONE:
                again.apply_action(action)
    assert again.phase() == "bid"
    return again


# What a seat is shown

Hide = Callable[[Any, Any, int], None]


def content(record: Any) -> bytes:
    """All fields of a record, without the gap at its end."""
    return b"".join(np.asarray(record[field]).tobytes() for field in record.dtype.names)


def shown(state: State, seat: int, hide_: Hide = hide) -> bytes:
    """The record that the seat gets to see."""
    record = state.clone().record
    hide_(state.game.rules, record, seat)
    return content(record)


def policy_answer(rules: Any, record: Any, seed: int) -> tuple[int, list[int]]:
    """What the policy plays with a random stream, and what it leaves of the stream."""
    rng = new_rng(seed)
    return int(policy(rules, record, rng)), rng.tolist()


def another_world(position: Position, seat: int, choices: random.Random) -> State | None:
    """A world that the seat cannot tell from the true one."""
    if position.state.record.phase == BID:
        world = world_of_bidders(position.state, seat, choices)
        return bid_again(position, seat, world, choices) if world else None
    world = world_after_reveal(position.state, seat, choices)
    return replay(position, world) if world else None


def check_seat(position: Position, seat: int, choices: random.Random, hide_: Hide | None = hide) -> str:
    """Compare what the seat is shown in the position, or its policy plays, with another world of the seat.

    Without a `hide_` the policy is asked.

    Returns:
        "other" if the world differs from the true one, "same" if not, "none" if none was found.

    Raises:
        AssertionError: the seat can tell the worlds apart.
    """
    state, rules = position.state, position.state.game.rules
    world = another_world(position, seat, choices)
    if world is None:
        return "none"
    where = f"seat {seat} in {state!r} and {world!r}"
    kind = "same" if content(world.record) == content(state.record) else "other"
    if hide_ is None:
        records, seed = [one.record for one in (state, state.view(seat), world)], choices.randrange(2**32)
        answers = [policy_answer(rules, record, seed) for record in records]
        assert all(answer == answers[0] for answer in answers), f"policy of {where}: {answers}"
        return kind
    assert shown(world, seat, hide_) == shown(state, seat, hide_), where
    assert world.information_state_string(seat) == state.information_state_string(seat), where
    assert world.history(seat) == state.history(seat), where
    ours, theirs = state.view(seat), world.view(seat)
    assert (ours.serialize(), str(ours), repr(ours)) == (theirs.serialize(), str(theirs), repr(theirs)), where
    assert (ours.phase(), ours.current_player()) == (theirs.phase(), theirs.current_player()), where
    assert (state.current_player() == seat) == (world.current_player() == seat) == (ours.current_player() == seat)
    if state.current_player() == seat:
        assert world.legal_actions() == ours.legal_actions() == state.legal_actions(), where
    return kind


def check_positions(options: Options, boards: range, share: float, hide_: Hide | None = hide) -> Counter[str]:
    """Check every seat of a share of the positions, odd boards played by the policy; counts what was checked.

    Without a `hide_` the policy is asked, of the seat to move.
    """
    game, choices = Game(**options), random.Random(boards.start)
    done: Counter[str] = Counter()
    for board in boards:
        for position in positions(game, board, board % 2 == 1, share):
            record = position.state.record
            for seat in range(4):
                done["covered"] += record.phase == PLAY and seen_of(position.state, seat).covered
                if hide_ is not None or seat == position.state.current_player():
                    done[check_seat(position, seat, choices, hide_)] += 1
            done[position.state.phase()] += 1
            done["voids"] += int(record.voids.any())
    return done


# The tests


@pytest.mark.parametrize("name", OPTIONS)
def test_no_seat_is_shown_anything_of_what_it_cannot_know(name: str) -> None:
    options = OPTIONS[name]
    is_long = name in ("standard", "classic")
    done = check_positions(options, range(4) if is_long else range(14), 0.1 if is_long else 0.08)
    assert done["other"] > 50
    assert done["none"] < 0.02 * done["other"]
    assert min(done["bid"], done["play"], done["over"], done["voids"]) > 1
    assert is_long or done["shift"] > 0
    assert (done["covered"] > 0) == FACE_DOWN_KINDS[str(options.get("facedown", "all_truf"))]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_policy_knows_only_what_its_seat_knows(name: str) -> None:
    is_long = name in ("standard", "classic")
    done = check_positions(OPTIONS[name], range(6 if is_long else 24), 0.2, None)
    assert done["other"] > 50
    assert min(done["bid"], done["play"], done["voids"]) > 5


@pytest.mark.parametrize("seat", range(4))
def test_a_seat_that_waits_does_not_notice_any_bid(seat: int) -> None:
    """Every pair of ways to come as far as the reveal allows looks alike, and has no history."""
    choices = random.Random(seat)
    for board in range(10):
        state = Game().new_initial_state(seed=SEED, board=board)
        looks: dict[str, set[str]] = {"before": set(), "after": set()}
        while state.phase() == "bid":
            actor = state.current_player()
            if actor != seat:
                text = f"{state.information_state_string(seat)} {state.view(seat).serialize()} {state.view(seat)!s}"
                looks["before" if actor < seat else "after"].add(f"{text} {len(state.history(seat))}")
            state.apply_action(random_action(state, choices))
        assert (len(looks["before"]), len(looks["after"])) == (int(seat > 0), int(seat < 3))


@pytest.mark.parametrize("seat", range(4))
def test_nothing_is_hidden_while_a_deal_is_pending(seat: int) -> None:
    game, choices = Game(**SMALL), random.Random(seat)
    records = game.new_records(2)
    records[0] = game.new_initial_state(seed=SEED).record
    while records[0].phase != DEAL_HANDS:
        mask = int(legal_mask(game.rules, records[0]))
        apply(game.rules, records[0], choices.choice(sorted(cards_of(mask) | ({DONE} if mask >> DONE & 1 else set()))))
    records[1] = records[0]
    hide(game.rules, records[1], seat)
    assert content(records[1]) == content(records[0])


# Leaks that the check must notice


def keep_everything(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that hides nothing."""


def keeping(*fields: str) -> Hide:
    """A `hide` that forgets these fields."""

    def leaky(rules: Any, state: Any, seat: int) -> None:
        kept = {field: np.copy(state[field]) for field in fields}
        hide(rules, state, seat)
        for field, value in kept.items():
            state[field] = value

    return leaky


def keep_number_laid(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that shows only how many cards have been laid before the reveal."""
    number = sum(int(cards).bit_count() for other, cards in enumerate(state.laid) if other != seat)
    hide(rules, state, seat)
    if state.phase == BID:
        state.winner = number


def keep_strongest_covered(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that shows whether the last card face down is a high one."""
    size, trick = int(state.trick_size), int(state.trick)
    hide(rules, state, seat)
    if state.phase == PLAY and size and int(state.trick) != trick:
        state.winner = int((trick >> 8 * (size - 1) & 255) % 13 > 6)


def keep_one_other_hand(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that forgets the seat to the left."""
    hand = int(state.hands[(seat + 1) % 4])
    hide(rules, state, seat)
    state.hands[(seat + 1) % 4] = hand


LEAKS: dict[str, Hide] = {
    "everything": keep_everything,
    "hands": keeping("hands"),
    "one hand": keep_one_other_hand,
    "laid cards": keeping("laid"),
    "number laid": keep_number_laid,
    "actor": keeping("actor"),
    "face-down card in the trick": keeping("trick"),
    "face-down card among the played": keeping("played"),
    "height of a face-down card": keep_strongest_covered,
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_noticed(leak: str) -> None:
    with pytest.raises(AssertionError, match="seat"):
        check_positions(SMALL, range(8), 0.7, LEAKS[leak])


def peek_at_hand(rules: Any, state: Any, rng: Any) -> int:
    """A policy that looks at the hand to its left."""
    mask = int(legal_mask(rules, state))
    hand = int(state.hands[(int(state.actor) + 1) % 4])
    return mask.bit_length() - 1 if hand % 5 else (mask & -mask).bit_length() - 1


def peek_at_bids(rules: Any, state: Any, rng: Any) -> int:
    """A policy that counts the cards laid before it."""
    mask = int(legal_mask(rules, state))
    number = sum(int(cards).bit_count() for cards in state.laid) if state.phase == BID else 0
    return mask.bit_length() - 1 if number % 2 else (mask & -mask).bit_length() - 1


@pytest.mark.parametrize("peek", [peek_at_hand, peek_at_bids])
def test_a_policy_that_peeks_is_noticed(peek: Callable[..., int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "policy", peek)
    with pytest.raises(AssertionError, match="policy of seat"):
        check_positions(SMALL, range(0, 8, 2), 0.7, None)


# What a seat does see


def a_position(phase: str, seed: int = 1, options: Options = SMALL) -> State:
    """A position in the middle of a phase."""
    found = [p.state for p in positions(Game(**options), seed, False, 1.0) if p.state.phase() == phase]
    return found[len(found) // 2]


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("phase", ["bid", "play"])
def test_another_own_hand_is_another_view(phase: str, seat: int) -> None:
    state = a_position(phase)
    world = state.clone()
    held = cards_of(state.record.hands[seat]) - cards_of(state.record.played)
    strange = deck_of(state.game.rules) - cards_of(state.record.hands[seat]) - cards_of(state.record.played)
    world.record.hands[seat] = int(state.record.hands[seat]) ^ 1 << min(held) ^ 1 << min(strange)
    assert shown(world, seat) != shown(state, seat)
    assert world.information_state_string(seat) != state.information_state_string(seat)


@pytest.mark.parametrize("facedown", FACE_DOWN_KINDS)
def test_only_the_rank_of_a_face_down_card_is_hidden(facedown: str) -> None:
    """The children of a position look alike to another seat exactly where they are two truf cards face down."""
    counts: Counter[str] = Counter()
    for board in range(30):
        for position in positions(Game(**SMALL | {"facedown": facedown}), board, False, 0.3):
            state, rules = position.state, position.state.game.rules
            if state.phase() != "play" or state.record.trick_size == 3:
                continue
            legal, actor = state.legal_actions(), state.current_player()
            children = [state.clone() for _ in legal]
            for child, card in zip(children, legal, strict=True):
                child.apply_action(card)
            trick, truf = current_trick(state), int(state.record.truf)
            kinds = set()
            for card in legal:
                led = suit_name(trick[0][1]) if trick else suit_name(card)
                kinds.add(f"suit {card // 13}" if lies_face_down(rules, truf, card, led) else str(card))
            counts["hidden"] += len(legal) - len(kinds)
            for seat in range(4):
                number = len(legal) if seat == actor else len(kinds)
                assert len({child.information_state_string(seat) for child in children}) == number
                assert len({tuple(child.history(seat)) for child in children}) == number
    assert (counts["hidden"] > 0) == FACE_DOWN_KINDS[facedown]
