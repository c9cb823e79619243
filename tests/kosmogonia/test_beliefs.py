"""No leak: a seat is shown what section 4 of the rules lets it know, and nothing of it changes in another world.

Other worlds are made by playing a game once more from other stacks: other seats send and deploy other cards where these
lie closed, equip their champions as they like before it is shown, and the stacks go on in another order. Where hands
are forgotten, cards that a seat has not seen since they were gathered take the places of others of their stack.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import hide, news, policy, seen_as
from kosmogonia import Game
from kosmogonia.rules import CLOSED_SHOWS_STACK, HIDDEN_AFTER_GATHER
from kosmogonia.state import (
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    CLOSED,
    DEPLOY_CARD,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    END,
    EQUIP,
    NONE,
    NOTHING,
    OPEN,
    PASS,
    PHASES,
    SECRET,
    SOMETHING,
    TEAM,
    UNKNOWN,
    UNSEEN,
)

Options = dict[str, Any]
SEED = 7
TRIES = 60  # random arrangements of closed cards before the true one is kept
CHOOSING = (CHALLENGE_ORIENT, DEPLOY_PLACE, DEPLOY_ORIENT)
HIDDEN = {"hands_public": "hidden_after_gather"}
BACKS = {"closed_shows_stack": "yes"}
OPTIONS: dict[str, Options] = {
    "standard": {"key_limit": 99},
    "standard backs": {"key_limit": 99, **BACKS},
    "standard hidden": {"key_limit": 99, **HIDDEN},
    "variation3 tactics": {"num_players": 3, "mode": "tactics", "key_limit": 99},
    "variation3 hidden": {"num_players": 3, "key_limit": 99, **HIDDEN, **BACKS},
    "variation2 tactics hidden": {"num_players": 2, "mode": "tactics", "key_limit": 99, **HIDDEN},
    "tournament": {"variant": "tournament", "tourn_discard": "may_hold_one", "key_limit": 99},
    "tournament tactics hidden": {"variant": "tournament", "mode": "tactics", "key_limit": 99, **HIDDEN, **BACKS},
}


class Step(NamedTuple):
    """A decision: its phase, who made it in which round, and what it was."""

    phase: int
    seat: int
    round_number: int
    action: int


class Position(NamedTuple):
    """A state, the decisions that led to it, and the states before some of them, the first among these."""

    state: State
    steps: tuple[Step, ...]
    before: dict[int, State]


def positions(options: Options, board: int, share: float, phase: str = "") -> Iterator[Position]:
    """The first position of each phase in a random game, a share of the others, and the end; or those of one phase.

    Odd boards hardly pass and lay cards closed.
    """
    game, choices, seen = Game(**options), random.Random(board), set[str]()
    state, steps = game.new_initial_state(seed=SEED, board=board), []
    before = {0: state.clone()}
    while not state.is_terminal():
        is_chosen = choices.random() < share or state.phase() not in seen
        seen.add(state.phase())
        if is_chosen and phase in ("", state.phase()):
            yield Position(state.clone(), tuple(steps), before)
        legal = state.legal_actions()
        busy = [action for action in legal if action not in (PASS, END)] if board % 2 else legal
        action = choices.choice(busy or legal)
        if state.phase().endswith("orient") and board % 2:
            action = legal[-1]
        record = state.record
        if record.phase in (CHALLENGE_CARD, DEPLOY_CARD, EQUIP):
            before[len(steps)] = state.clone()
        steps.append(Step(int(record.phase), state.current_player(), int(record.round_number), action))
        state.apply_action(action)
    yield Position(state, tuple(steps), before)


def cards_of(mask: Any) -> set[int]:
    """The cards of a bit mask."""
    return {card for card in range(60) if int(mask) >> card & 1}


def mask_of(cards: set[int]) -> int:
    """The bit mask of some cards."""
    return sum(1 << card for card in cards)


# What lies hidden, in plain Python


class Place(NamedTuple):
    """A place where a card of another seat lies closed: the step that chose the card, and the card."""

    step: int
    card: int
    round_number: int
    is_on_olympus: bool


def closed_cards(record: Any, seat: int) -> set[int]:
    """The cards of a seat that lie closed at quests or on Olympus."""
    at_quests = [int(record.lineups[side]) & int(record.closed) for side in range(8) if record.owners[side] == seat]
    team = {
        int(card) for i, card in enumerate(record.olympus[seat]) if int(record.olympus_closed) >> TEAM * seat + i & 1
    }
    return team.union(*map(cards_of, at_quests))


def hidden_places(position: Position, seat: int) -> list[Place]:
    """The closed places of another seat; a card that waits for its place or orientation is one more."""
    record = position.state.record
    lying = closed_cards(record, seat)
    if record.phase in CHOOSING and record.actor == seat:
        lying.add(int(record.card))
    last = {step.action: number for number, step in enumerate(position.steps)
            if step.seat == seat and step.phase in (CHALLENGE_CARD, DEPLOY_CARD)}  # fmt: skip
    steps = [(last[card], card) for card in sorted(lying)]
    return [
        Place(number, card, position.steps[number].round_number, position.steps[number].phase == CHALLENGE_CARD)
        for number, card in steps
    ]


def pool_of(record: Any, seat: int) -> set[int]:
    """Everything of a seat that does not lie face up: hand and closed cards."""
    return cards_of(record.hands[seat]) | closed_cards(record, seat)


def current_layout(position: Position) -> set[int]:
    """The cards of the columns of the draft that is on, those that have been taken included."""
    rules, record = position.state.game.rules, position.state.record
    number = rules.num_players * (3 if rules.variant == 2 else 1)
    places = [12 * stack + place for stack in range(5) for place in range(record.opened - number, record.opened)]
    return {int(position.before[0].record.stacks[place]) for place in places}


def taken_now(position: Position, seat: int) -> set[int]:
    """The cards that a seat has taken in the draft that is on."""
    record = position.state.record
    return current_layout(position) & cards_of(record.gathered[seat]) if record.phase == DRAFT else set()


def named_cards(position: Position, seat: int) -> set[int]:
    """The cards in the pool of a seat that others still know when hands are forgotten: stolen, or taken just now."""
    record = position.state.record
    pool = pool_of(record, seat)
    stolen = {card for card in pool if card < 48 and record.since[card] > 0 and record.since[card] % 2 == 0}
    return stolen | taken_now(position, seat)


# The view that section 4 describes


def expected_view(position: Position, observer: int) -> dict[str, Any]:
    """The fields of a view that differ from those of the full state, in plain Python."""
    rules, record = position.state.game.rules, position.state.record
    view = {name: np.array(record[name]).tolist() for name in record.dtype.names}
    for place in range(60):
        if place % 12 >= record.opened:
            view["stacks"][place] = UNSEEN
    for seat in range(rules.num_players):
        if seat != observer:
            cover(position, view, seat)
    return view


def back_of(rules: Any, card: int) -> int:
    """What the back of a closed card shows: its stack, or 4."""
    return card // 12 if rules.closed_shows_stack == CLOSED_SHOWS_STACK else 4


def cover(position: Position, view: dict[str, Any], seat: int) -> None:
    """Cover what others do not know of a seat. Modified in place: `view`."""
    rules, record = position.state.game.rules, position.state.record
    pool, closed = pool_of(record, seat), closed_cards(record, seat)
    view["hands"][seat] = mask_of(pool)
    view["closed"] &= ~mask_of(closed)
    for side in range(8):
        hidden = cards_of(view["lineups"][side]) & closed if record.owners[side] == seat else set()
        view["lineups"][side] &= ~mask_of(hidden)
        backs = sorted(1 + back_of(rules, card) for card in hidden)
        view["hidden"][side][: len(backs)] = backs
    for i, card in enumerate(record.olympus[seat].tolist()):
        if card in closed:
            view["olympus"][seat][i] = UNKNOWN + back_of(rules, card)
        if record.phase == EQUIP and record.equipped[seat, i] != NONE:
            view["equipped"][seat][i] = SECRET
    if record.phase in CHOOSING and record.actor == seat:
        view["card"] = UNKNOWN + 4
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        named = named_cards(position, seat)
        view["hands"][seat] = mask_of(named)
        view["gathered"][seat] = mask_of(taken_now(position, seat))
        for card in pool - named:
            view["unseen"][seat][card // 12] += 1
            if card < 48:
                view["since"][card] = 0


@pytest.mark.parametrize("name", OPTIONS)
def test_hide_shows_what_section_4_says(name: str) -> None:
    count: Counter[str] = Counter()
    for board in range(3):
        for position in positions(OPTIONS[name], board, 0.04):
            record, rules = position.state.record, position.state.game.rules
            for observer in range(rules.num_players):
                view, expected = position.state.view(observer).record, expected_view(position, observer)
                if (
                    rules.hands_public == HIDDEN_AFTER_GATHER
                ):  # when open cards of others were gathered may be forgotten
                    known = pool_of(record, observer)
                    known |= set().union(*(named_cards(position, s) for s in range(rules.num_players) if s != observer))
                    for card in range(48):
                        expected["since"][card] = expected["since"][card] if card in known else int(view.since[card])
                        assert view.since[card] in (0, record.since[card])
                found = {field: np.array(view[field]).tolist() for field in view.dtype.names}
                assert found == expected, f"seat {observer} in {position.state!r}"
            count["closed"] += int(record.closed) != 0
            count["sent"] += int(record.olympus_closed) != 0
            count[PHASES[record.phase]] += 1
    assert min(count[key] for key in ("closed", "sent", "equip", "deploy_place", "challenge_orient", "over")) > 0
    assert ("draft" in count) == ("tactics" in name)


def test_in_the_second_draft_of_a_round_the_first_is_forgotten() -> None:
    """New cards are open until their gathering ends [R22]; the variation has two gatherings a round [R15, R20]."""
    for players in (2, 3):
        state = Game(num_players=players, mode="tactics", **HIDDEN).new_initial_state(seed=SEED)
        state.apply_action(0)
        while not (state.record.drafts == 1 and state.current_player() == 1):
            state.apply_action(state.legal_actions()[0])
        view = state.view(1).record
        new = cards_of(state.record.hands[0]) & {int(card) for card in ordered_columns(state)}
        assert cards_of(view.hands[0]) == new
        assert view.unseen[0].tolist() == [1] * 5


def ordered_columns(state: State) -> list[int]:
    """The cards that were opened last, in a game with this seed."""
    start = state.game.new_initial_state(seed=SEED).record
    last, players = int(state.record.opened), state.game.num_players
    return [int(start.stacks[12 * stack + place]) for stack in range(5) for place in range(last - players, last)]


# Other worlds


def another_arrangement(position: Position, seat: int, choices: random.Random) -> dict[int, int]:
    """Other cards for the closed places of a seat, by the steps that chose them [section 4, points 1 to 3]."""
    rules, record = position.state.game.rules, position.state.record
    places = hidden_places(position, seat)
    pool = sorted(card for card in pool_of(record, seat) if card < 48)
    sent = [int(card) for card in record.olympus[seat] if card != NONE]
    closed = closed_cards(record, seat)
    open_gods = [card for card in sent if card < 12 and card not in closed]
    is_complete = len(sent) == TEAM or (
        len(sent) == TEAM - 1 and record.phase == CHALLENGE_ORIENT and record.actor == seat
    )
    for _ in range(TRIES):
        cards = choices.sample(pool, len(places))
        pairs = list(zip(places, cards, strict=True))
        was_held = all(record.since[card] <= 1 + 2 * place.round_number for place, card in pairs)
        backs = all(back_of(rules, card) == back_of(rules, place.card) for place, card in pairs)
        gods = open_gods + [card for place, card in pairs if card < 12 and place.is_on_olympus]
        if was_held and backs and (gods or not is_complete):
            return {place.step: card for place, card in pairs}
    return {place.step: place.card for place in places}


def relabelling(position: Position, observer: int, choices: random.Random) -> dict[int, int]:
    """Cards that an observer who forgets has not seen since they were gathered take each other's places."""
    rules, record = position.state.game.rules, position.state.record
    unknown = {int(card) for place, card in enumerate(record.stacks) if place % 12 >= record.opened}
    for seat in range(rules.num_players):
        if seat != observer:
            unknown |= pool_of(record, seat) - named_cards(position, seat)
    new = {}
    for stack in range(5):
        cards = sorted(card for card in unknown if card // 12 == stack)
        new |= dict(zip(cards, choices.sample(cards, len(cards)), strict=True))
    return new


def another_world(position: Position, observer: int, choices: random.Random) -> State:
    """A world that the observer cannot tell from the true one; every action was legal in it."""
    rules, record = position.state.game.rules, position.state.record
    instead: dict[int, int] = {}
    for seat in range(rules.num_players):
        if seat != observer:
            instead |= another_arrangement(position, seat, choices)
    new: dict[int, int] = {}
    if rules.hands_public == HIDDEN_AFTER_GATHER:
        new = relabelling(position, observer, choices)
    else:
        rest = [place for place in range(60) if place % 12 >= record.opened]
        for stack in range(5):
            cards = [int(record.stacks[place]) for place in rest if place // 12 == stack]
            new |= dict(zip(cards, choices.sample(cards, len(cards)), strict=True))
    number = 0 if rules.hands_public == HIDDEN_AFTER_GATHER else first_change(position, observer, instead)
    again = position.before[number].clone() if number < len(position.steps) else position.state.clone()
    again.record.stacks[:] = [new.get(int(card), int(card)) for card in again.record.stacks]
    for i, step in enumerate(position.steps[number:], start=number):
        action = instead.get(i, step.action)
        if step.phase in (CHALLENGE_CARD, DEPLOY_CARD):
            action = new.get(action, action)
        if step.phase == EQUIP == record.phase and step.seat != observer:
            action = choices.choice(again.legal_actions())
        again.apply_action(action)
    return again


def first_change(position: Position, observer: int, instead: dict[int, int]) -> int:
    """The first step that is another one in a world, or the number of steps."""
    steps, is_equipping = position.steps, position.state.phase() == "equip"
    changes = [i for i, action in instead.items() if action != steps[i].action]
    changes += [i for i, step in enumerate(steps) if is_equipping and step.phase == EQUIP and step.seat != observer]
    return min(changes, default=len(steps))


Hide = Callable[[Any, Any, int], None]


def content(record: Any) -> bytes:
    """All fields of a record, without the gap at its end."""
    return b"".join(np.asarray(record[field]).tobytes() for field in record.dtype.names)


def shown(state: State, seat: int, hide_: Hide = hide) -> bytes:
    """The record that the seat gets to see."""
    record = state.clone().record
    hide_(state.game.rules, record, seat)
    return content(record)


def check_seat(position: Position, seat: int, choices: random.Random, hide_: Hide) -> str:
    """Compare what a seat is shown in a position and in another world.

    Returns:
        Whether the world is the "same" or an "other" one.

    Raises:
        AssertionError: the seat can tell the worlds apart.
    """
    state, world = position.state, another_world(position, seat, choices)
    where = f"seat {seat} in {state!r} and {world!r}"
    assert shown(world, seat, hide_) == shown(state, seat, hide_), where
    ours, theirs = state.view(seat), world.view(seat)
    assert str(ours) == str(theirs), where
    assert world.history(seat) == state.history(seat), where
    assert world.information_state_string(seat) == state.information_state_string(seat), where
    if state.current_player() == seat:
        assert world.legal_actions() == ours.legal_actions() == state.legal_actions(), where
    return "same" if content(world.record) == content(state.record) else "other"


def check_positions(options: Options, boards: range, share: float, hide_: Hide = hide, phase: str = "") -> Counter[str]:
    """Check every seat of a share of the positions, of one phase if it is given; counts what was checked."""
    done: Counter[str] = Counter()
    for board in boards:
        choices = random.Random(board)
        for position in positions(options, board, share, phase):
            for seat in range(position.state.game.num_players):
                done[check_seat(position, seat, choices, hide_)] += 1
            done["closed"] += bool(closed_cards(position.state.record, 0) | closed_cards(position.state.record, 1))
            done[position.state.phase()] += 1
    return done


@pytest.mark.parametrize("name", OPTIONS)
def test_no_seat_is_shown_anything_of_what_it_cannot_know(name: str) -> None:
    done = check_positions(OPTIONS[name], range(2), 0.01)
    assert done["other"] > 30
    assert min(done[key] for key in ("closed", "deploy_card", "use", "equip", "over")) > 0


def test_who_forgets_is_told_nothing_by_its_history_either() -> None:
    """Where hands are forgotten, the columns of a draft that is over are forgotten too [section 4]."""
    for name in ("variation2 tactics hidden", "tournament tactics hidden"):
        choices, compared = random.Random(name), 0
        for position in positions(OPTIONS[name], 1, 0.05):
            state = position.state
            if state.phase() != "draft":
                world = another_world(position, 1, choices)
                assert world.history(1) == state.history(1), f"{state!r} and {world!r}"
                assert world.information_state_string(1) == state.information_state_string(1)
                compared += 1
        assert compared > 3


def policy_answer(rules: Any, record: Any, seed: int) -> tuple[int, list[int]]:
    """What the policy plays with a random stream, and what it leaves of the stream."""
    rng = new_rng(seed)
    return int(policy(rules, record, rng)), rng.tolist()


def check_policy(options: Options, boards: range, share: float) -> int:
    """Ask the policy in positions, their views and other worlds; counts the worlds that were others."""
    others = 0
    for board in boards:
        choices = random.Random(board)
        for position in positions(options, board, share):
            state, seat = position.state, position.state.current_player()
            if seat >= 0:
                world, seed = another_world(position, seat, choices), choices.randrange(2**32)
                records = [one.record for one in (state, state.view(seat), world)]
                answers = [policy_answer(state.game.rules, record, seed) for record in records]
                assert answers[0] == answers[1] == answers[2], f"policy of seat {seat} in {state!r}: {answers}"
                others += content(world.record) != content(state.record)
    return others


@pytest.mark.parametrize("name", OPTIONS)
def test_the_policy_knows_only_what_its_seat_knows(name: str) -> None:
    assert check_policy(OPTIONS[name], range(2), 0.04) > 15


# Leaks that the checks must notice


def keeping(*fields: str) -> Hide:
    """A `hide` that forgets these fields."""

    def leaky(rules: Any, state: Any, seat: int) -> None:
        kept = {field: np.copy(state[field]) for field in fields}
        hide(rules, state, seat)
        for field, value in kept.items():
            state[field] = value

    return leaky


def keep_top_of_a_stack(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that leaves the next card of the gods."""
    place = min(int(state.opened), 11)
    card = state.stacks[place]
    hide(rules, state, seat)
    state.stacks[place] = card


def keep_parity_of_closed(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that shows whether closed cards have even numbers."""
    number = sum(cards_of(state.closed))
    hide(rules, state, seat)
    state.draws = number % 2


def keep_equipped_keys(rules: Any, state: Any, seat: int) -> None:
    """A `hide` that shows how much the others have equipped."""
    number = sum(0 <= int(item) < NOTHING for item in state.equipped.ravel())
    hide(rules, state, seat)
    state.draws = number


LEAKS: dict[str, tuple[str, str, Hide]] = {
    "everything": ("standard", "deploy_card", lambda rules, state, seat: None),
    "stacks": ("standard", "challenge_card", keeping("stacks")),
    "top of a stack": ("standard", "challenge_card", keep_top_of_a_stack),
    "closed cards at quests": ("standard", "deploy_card", keeping("lineups", "closed")),
    "marks of closed cards": ("standard", "deploy_card", keeping("closed")),
    "hands instead of pools": ("standard", "deploy_card", keeping("hands")),
    "closed cards on Olympus": ("standard", "deploy_card", keeping("olympus")),
    "a card on its way": ("standard", "deploy_place", keeping("card")),
    "a card that waits for its orientation": ("standard", "challenge_orient", keeping("card")),
    "equipment": ("standard", "equip", keeping("equipped")),
    "number equipped": ("standard", "equip", keep_equipped_keys),
    "parity of closed cards": ("standard", "deploy_card", keep_parity_of_closed),
    "closed cards behind their backs": ("standard backs", "deploy_card", keeping("lineups", "closed")),
    "forgotten hands": ("standard hidden", "deploy_card", keeping("hands")),
    "forgotten gatherings": ("standard hidden", "challenge_card", keeping("gathered")),
    "when cards were gathered": ("standard hidden", "challenge_card", keeping("since")),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_noticed(leak: str) -> None:
    name, phase, hide_ = LEAKS[leak]
    with pytest.raises(AssertionError, match="seat"):
        check_positions(OPTIONS[name], range(1, 40, 2), 0.3, hide_, phase)


def peek_at_a_hand(rules: Any, state: Any, rng: Any) -> int:
    """A policy that looks at the hand to its left."""
    hand = int(state.hands[(int(state.actor) + 1) % rules.num_players])
    return hand % 3


def peek_at_the_stacks(rules: Any, state: Any, rng: Any) -> int:
    """A policy that looks at the next card of the gods."""
    return int(state.stacks[min(int(state.opened), 11)])


@pytest.mark.parametrize("peek", [peek_at_a_hand, peek_at_the_stacks])
def test_a_policy_that_peeks_is_noticed(peek: Callable[..., int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "policy", peek)
    with pytest.raises(AssertionError, match="policy of seat"):
        check_policy(OPTIONS["standard"], range(1, 5), 0.3)


# What a seat does see


def kinds_seen(state: State, legal: list[int], observer: int) -> int:
    """How many kinds of children another seat tells apart."""
    record = state.record
    match state.phase():
        case "challenge_card":
            return 1
        case "deploy_card":
            return len(legal) if legal == [END] else 1 + (END in legal)
        case "equip":
            is_last = record.actor == state.game.num_players - 1 and record.equipped[record.actor, TEAM - 2] != NONE
            return len(legal) if is_last else 1
    return len(legal)


@pytest.mark.parametrize("name", OPTIONS)
def test_decisions_look_alike_exactly_where_a_card_or_equipment_is_chosen(name: str) -> None:
    count: Counter[str] = Counter()
    for board in range(2):
        for position in positions(OPTIONS[name], board, 0.03):
            state, legal = position.state, position.state.legal_actions()
            children = [state.clone() for _ in legal]
            for child, action in zip(children, legal, strict=True):
                child.apply_action(action)
            for seat in range(state.game.num_players if legal else 0):
                number = len(legal) if seat == state.current_player() else kinds_seen(state, legal, seat)
                assert len({child.information_state_string(seat) for child in children}) == number, state
                assert len({tuple(child.history(seat)) for child in children}) == number, state
            count[state.phase()] += 1
    assert min(count[phase] for phase in ("challenge_card", "deploy_card", "deploy_place", "use", "equip")) > 0


@pytest.mark.parametrize("name", ["standard", "standard backs", "tournament", "tournament tactics hidden"])
def test_a_closed_card_shows_its_back_and_an_open_one_itself(name: str) -> None:
    compared = 0
    for board, phase in product(range(4), ("challenge_card", "deploy_card")):
        for position in positions(OPTIONS[name], board, 0.08, phase):
            state, rules = position.state, position.state.game.rules
            if state.is_terminal():
                continue
            champions = [action for action in state.legal_actions() if action != END]
            for orientation in (OPEN, CLOSED):
                children = [laid(state, card, orientation) for card in champions]
                if not all(child and child.phase() in ("challenge_card", "deploy_card") for child in children):
                    continue
                backs = {card // 12 if rules.closed_shows_stack == CLOSED_SHOWS_STACK else 0 for card in champions}
                kinds = len(champions) if orientation == OPEN else len(backs)
                for seat in range(rules.num_players):
                    number = len(champions) if seat == state.current_player() else kinds
                    texts = {child.information_state_string(seat) for child in children if child}
                    assert len(texts) == number, f"seat {seat} in {state!r}"
                compared += orientation == CLOSED and len(champions) > 1
    assert compared > 3


def laid(state: State, card: int, orientation: int) -> State | None:
    """The state after a champion has been laid somewhere in this way, if that is allowed."""
    after = state.clone()
    after.apply_action(card)
    if after.phase() == "deploy_place":
        sides = after.legal_actions()
        own = [side for side in sides if after.record.owners[side] == after.current_player()]
        after.apply_action((own or sides)[0])
    if not after.legal_mask() >> orientation & 1:
        return None
    after.apply_action(orientation)
    return after


def find(options: Options, phase: str, is_wanted: Callable[[Any], bool] = lambda record: True) -> State:
    """The first state of a phase in some random games that is wanted."""
    for board in range(1, 40):
        for position in positions(options, board, 1.0, phase):
            if position.state.phase() == phase and is_wanted(position.state.record):
                return position.state
    raise AssertionError(f"no such state in phase {phase}")


@pytest.mark.parametrize("name", ["standard", "standard hidden"])
def test_a_seat_knows_its_own_closed_cards(name: str) -> None:
    state = find(OPTIONS[name], "deploy_card", lambda record: bool(record.closed) and bool(record.olympus_closed))
    record = state.record
    for seat in range(4):
        view = state.view(seat).record
        own = [side for side in range(8) if record.owners[side] == seat]
        assert [int(view.lineups[side]) for side in own] == [int(record.lineups[side]) for side in own]
        assert int(view.closed) == int(record.closed) & sum(int(record.lineups[side]) for side in own)
        assert view.olympus[seat].tolist() == record.olympus[seat].tolist()
        assert view.hands[seat] == record.hands[seat]


def exchanged(state: State, first: int, second: int) -> State:
    """The state with two cards exchanged, wherever they lie."""
    world = state.clone()
    record = world.record

    def swap(mask: Any) -> int:
        low, high = int(mask) >> first & 1, int(mask) >> second & 1
        return int(mask) & ~(1 << first | 1 << second) | high << first | low << second

    for field in ("hands", "gathered", "lineups"):
        record[field] = np.array([swap(mask) for mask in record[field]], np.uint64)
    record.closed, record.discard = swap(record.closed), swap(record.discard)
    number = {first: second, second: first}
    record.olympus[:] = [[number.get(int(card), int(card)) for card in team] for team in record.olympus]
    record.stacks[:] = [number.get(int(card), int(card)) for card in record.stacks]
    return world


def test_exchanging_a_closed_card_with_one_of_the_hand_is_noticed_by_its_owner_only() -> None:
    state = find(OPTIONS["standard"], "deploy_card", lambda record: bool(record.closed) and record.round_number == 2)
    record, compared = state.record, 0
    for owner in range(4):
        at_quests = closed_cards(record, owner) - {int(card) for card in record.olympus[owner]}
        held = {card for card in cards_of(record.hands[owner]) if card < 48}
        for closed, other in [(closed, other) for closed in at_quests for other in held]:
            world = exchanged(state, closed, other)
            for seat in range(4):
                is_same = shown(world, seat) == shown(state, seat)
                assert is_same == (seat != owner)
                strings = world.information_state_string(seat), state.information_state_string(seat)
                assert (strings[0] == strings[1]) == (seat != owner)
                compared += 1
    assert compared > 0


def test_exchanging_an_open_card_is_noticed_by_all() -> None:
    state = find(OPTIONS["standard"], "deploy_card", lambda record: record.deployed.min() > 0)
    for side in range(6):
        owner, lying = int(state.record.owners[side]), cards_of(state.record.lineups[side] & ~state.record.closed)
        for card in lying:
            held = [other for other in cards_of(state.record.hands[owner]) if other < 48]
            for other in held[:1]:
                world = exchanged(state, card, other)
                assert all(shown(world, seat) != shown(state, seat) for seat in range(4))


def test_other_hands_are_noticed_when_they_are_remembered() -> None:
    for value, is_noticed in (("recall", True), ("hidden_after_gather", False)):
        state = Game(hands_public=value).new_initial_state(seed=SEED)
        state.apply_action(state.legal_actions()[0])
        mine, next_card = min(cards_of(state.record.hands[1])), int(state.record.stacks[4])
        assert mine // 12 == next_card // 12 == 0
        world = exchanged(state, mine, next_card)
        assert (shown(world, 0) != shown(state, 0)) == is_noticed
        assert shown(world, 1) != shown(state, 1)


def test_the_order_of_the_stacks_is_noticed_by_nobody() -> None:
    state = find(OPTIONS["standard"], "use", lambda record: record.opened == 4)
    world = state.clone()
    for stack in range(5):
        rest = slice(12 * stack + 4, 12 * stack + 12)
        world.record.stacks[rest] = world.record.stacks[rest][::-1].copy()
    assert content(world.record) != content(state.record)
    for seat in range(4):
        assert shown(world, seat) == shown(state, seat)
        assert world.information_state_string(seat) == state.information_state_string(seat)


def test_secret_equipment_is_noticed_by_its_owner_only_until_all_have_chosen() -> None:
    has_choice = lambda record: int(record.actor) == 0 and int(record.vaults[0]).bit_count() > 1  # noqa: E731
    state = find(OPTIONS["standard"], "equip", has_choice)
    worlds = [state.clone(), state.clone()]
    for world, first in zip(worlds, state.legal_actions()[:2], strict=True):
        world.apply_action(first)
    while worlds[0].phase() == "equip":
        for seat in range(4):
            texts = {world.information_state_string(seat) for world in worlds}
            assert len(texts) == (2 if seat == 0 else 1)
            assert len({shown(world, seat) for world in worlds}) == len(texts)
        for world in worlds:
            world.apply_action(NOTHING)
    for seat in range(4):
        assert len({world.information_state_string(seat) for world in worlds}) == 2
        assert len({tuple(world.history(seat)) for world in worlds}) == 2


# Histories


def test_seen_as_hides_champions_on_their_way_and_equipment() -> None:
    seen_phases = set()
    for board in (1, 2):
        for position in positions(OPTIONS["tournament tactics hidden"], board, 0.4):
            state, actor = position.state, position.state.current_player()
            for action in state.legal_actions():
                for observer in range(2):
                    seen = int(seen_as(state.game.rules, state.record, action, observer))
                    is_secret = state.phase() in ("challenge_card", "deploy_card", "equip") and action != END
                    assert seen == (SOMETHING if is_secret and observer != actor else action)
            seen_phases.add(state.phase())
    assert {"draft", "challenge_card", "challenge_orient", "deploy_card", "deploy_place", "deploy_orient", "use",
            "tourn_discard", "equip"} <= seen_phases  # fmt: skip


def test_histories_tell_who_did_what() -> None:
    state = find(OPTIONS["standard"], "over")
    for seat in range(4):
        history = state.history(seat)
        assert [event.phase for event in history[:4]] == ["citadels", "stacks", "sides", "crown"]
        assert all((event.seat == -1) == (event.phase in PHASES[:7]) for event in history)
        secret = [event for event in history if event.action == SOMETHING]
        assert {event.phase for event in secret} == {"challenge_card", "deploy_card", "equip"}
        assert all(event.seat != seat for event in secret)
        own = [event for event in history if event.seat == seat and event.phase == "challenge_card"]
        assert [event.action for event in own] == state.record.olympus[seat].tolist()
        others = [event for event in history if event.seat not in (seat, -1) and event.phase == "challenge_card"]
        assert len(others) == 9
    lengths = {len(state.history(seat)) for seat in range(4)}
    assert len(lengths) == 1, "everybody notices every decision"


def news_of(state: State, seat: int) -> int:
    """What the last event has shown to a seat."""
    return int(news(state.game.rules, state.record, seat))


def test_news_tell_what_an_action_does_not() -> None:
    """Draws, gathered cards, cards that are laid or turned up, and equipment, once all have chosen."""
    with_news: Counter[str] = Counter()
    for board in range(3):
        state, choices = Game(key_limit=99).new_initial_state(seed=SEED, board=board), random.Random(board)
        while not state.is_terminal():
            phase, number = state.phase(), len(state.history(0))
            state.apply_action(choices.choice(state.legal_actions()))
            events = state.history(0)[number:]
            assert all(event.news >= 0 for event in events)
            with_news.update(event.phase for event in events if event.news)
            if phase in ("challenge_card", "deploy_place", "sym7", "sym8_card"):
                assert not events[0].news, "the action says it all"
            if phase in ("challenge_orient", "deploy_orient"):
                assert events[0].news, "a card lies there now"
    assert set(with_news) >= {
        "first_player",
        "challenge_orient",
        "deploy_orient",
        "sides",
        "crown",
        "steal",
        "pull",
        "equip",
    }
    state = Game().new_initial_state(seed=SEED)
    assert {event.phase for event in state.history(0) if event.news} == {"citadels", "sides", "crown"}


def test_news_differ_where_what_is_shown_differs() -> None:
    """Citadels, sides of treasures, who finds the crown, and what is gathered, in games of other seeds."""
    found: dict[str, set[tuple[Any, int]]] = {"citadels": set(), "sides": set(), "crown": set(), "first_player": set()}
    for seed in range(40):
        state = Game().new_initial_state(seed=seed)
        record = state.record
        facts = {
            "citadels": tuple(record.citadels.tolist()),
            "sides": tuple(record.treasures.tolist()),
            "crown": int(record.finder),
        }
        state.apply_action(0)
        facts["first_player"] = tuple(state.record.gathered.tolist())
        for event in state.history(2):
            if event.phase in found:
                found[event.phase].add((facts[event.phase], event.news))
    for pairs in found.values():
        assert len(pairs) == len({fact for fact, _ in pairs}) == len({shown_news for _, shown_news in pairs})
        assert len(pairs) > 3


def test_news_of_a_gathering_tell_who_forgets_its_own_cards_only() -> None:
    for value, is_told in (("recall", True), ("hidden_after_gather", False)):
        state = Game(hands_public=value).new_initial_state(seed=SEED)
        other = exchanged(state, int(state.record.stacks[1]), int(state.record.stacks[4]))  # a god of seat 1
        for one in (state, other):
            one.apply_action(0)
        assert state.record.hands[0] == other.record.hands[0]
        assert state.record.hands[1] != other.record.hands[1]
        assert (news_of(state, 0) != news_of(other, 0)) == is_told
        assert news_of(state, 1) != news_of(other, 1)


def test_a_theft_is_known_to_all_and_remembered() -> None:
    """Who forgets hands still knows a stolen card, wherever its thief has laid it closed."""

    def has_stolen(record: Any) -> bool:
        held = [cards_of(hand) for hand in record.hands]
        return any(card < 48 and record.since[card] % 2 == 0 and record.since[card] for hand in held for card in hand)

    for name in ("standard", "standard hidden"):
        state = find(OPTIONS[name], "challenge_card", has_stolen)
        record = state.record
        thief = next(s for s in range(4) if any(c < 48 and record.since[c] % 2 == 0 for c in cards_of(record.hands[s])))
        stolen = {card for card in cards_of(record.hands[thief]) if card < 48 and record.since[card] % 2 == 0}
        assert all(24 <= card < 36 for card in stolen), "Defenders"
        for seat in range(4):
            assert stolen <= cards_of(state.view(seat).record.hands[thief])


@pytest.mark.parametrize("name", ["standard", "variation3 tactics", "tournament"])
def test_since_tells_when_a_champion_came_into_a_hand(name: str) -> None:
    game, thefts = Game(**OPTIONS[name]), 0
    for board in range(6):
        state, choices = game.new_initial_state(seed=SEED, board=board), random.Random(board)
        while not state.is_terminal():
            before = state.clone().record
            state.apply_action(choices.choice(state.legal_actions()))
            for seat in range(game.num_players):
                for card in cards_of(state.record.hands[seat]) - cards_of(before.hands[seat]):
                    if card < 48:
                        is_stolen = any(int(lineup) >> card & 1 for lineup in before.lineups)
                        assert state.record.since[card] == 1 + 2 * before.round_number + is_stolen
                        thefts += is_stolen
    assert thefts > 0
