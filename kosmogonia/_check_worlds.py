"""The last check of a view: there is a world that it can be the view of, or drawing one would never end."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardkit.spec import require
from kosmogonia._gathering import cards_a_round, kept_of, must_have_sent, num_sent
from kosmogonia.cards import ALL_CARDS, CHAMPIONS, GOD, IN_STACK, REINFORCEMENT, STACKS
from kosmogonia.rules import HIDDEN_AFTER_GATHER, Rules
from kosmogonia.state import (
    CHALLENGE_ORIENT,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    SIDES,
    TEAM,
    UNKNOWN,
    UNKNOWN_STACK,
)


class _Place(NamedTuple):
    """A closed place: when it was filled, as in `since`, what its back shows, and whether it is on Olympus."""

    moment: int
    back: int
    is_sent: bool


def check_worlds(rules: Rules, state: Any, observer: int, seen: int) -> None:
    """Refuse a view that no world fills; `seen` are the cards that lie at a known place.

    Raises:
        InvalidText: says which cards do not fit.
    """
    for stack in range(STACKS):
        missing = (int(ALL_CARDS) & ~seen) >> stack * IN_STACK & (1 << IN_STACK) - 1
        hidden = IN_STACK - int(state.opened) + int(state.unseen[:, stack].sum())
        require(missing.bit_count() == hidden, f"unseen= or stacks=: {missing.bit_count()} cards of stack {stack} are "
                f"not seen, expected {hidden}")  # fmt: skip
    for seat in range(rules.num_players):
        is_full = seat == observer or _can_be_filled(rules, state, seat)
        require(is_full, f"hands= or since=: no champions of seat {seat} fit its closed places")


def _can_be_filled(rules: Rules, state: Any, seat: int) -> bool:
    """Whether champions fit the closed places, the oldest first, one of them a god where the team needs one."""
    left = _champions(rules, state, seat)
    team = [int(card) for card in state.olympus[seat]]
    is_waiting = state.phase == CHALLENGE_ORIENT and state.actor == seat
    needs_god = num_sent(state, seat) + is_waiting == TEAM and not any(0 <= card < IN_STACK for card in team)
    for place in _places(rules, state, seat):
        fitting = [
            (stack, since) for stack, since in left if since <= place.moment and place.back in (stack, UNKNOWN_STACK)
        ]
        if not fitting:
            return False
        gods = [champion for champion in fitting if champion[0] == GOD]
        takes_god = needs_god and place.is_sent and bool(gods)
        left.remove(gods[0] if takes_god else fitting[-1])
        needs_god = needs_god and not takes_god
    return not needs_god


def _places(rules: Rules, state: Any, seat: int) -> list[_Place]:
    """The closed places of a seat, the oldest first; a champion that waits for its place is one more."""
    now = 1 + 2 * int(state.round_number)
    rounds = [min(r for r in range(3) if must_have_sent(rules, r) > i or r == state.round_number) for i in range(TEAM)]
    sent = [(i, int(card) - UNKNOWN) for i, card in enumerate(state.olympus[seat]) if card >= UNKNOWN]
    places = [_Place(1 + 2 * rounds[i], back, True) for i, back in sent]
    for side in range(SIDES):
        if state.owners[side] == seat:
            places += [_Place(now, int(back) - 1, False) for back in state.hidden[side] if back]
    if state.phase in (CHALLENGE_ORIENT, DEPLOY_PLACE, DEPLOY_ORIENT) and state.actor == seat:
        places.append(_Place(now, UNKNOWN_STACK, state.phase == CHALLENGE_ORIENT))
    return places


def _champions(rules: Rules, state: Any, seat: int) -> list[tuple[int, int]]:
    """Stack and `since` of the champions of a seat; those that are only counted came as early as they may have."""
    hand = int(state.hands[seat])
    champions = [(card // IN_STACK, int(state.since[card])) for card in range(CHAMPIONS) if hand >> card & 1]
    if rules.hands_public != HIDDEN_AFTER_GATHER:
        return champions
    a_round = int(cards_a_round(rules))
    now = int(state.round_number)
    for stack in range(REINFORCEMENT):
        most = [min(int(kept_of(state, past, seat, stack)), a_round * (past + 1)) for past in range(now)]
        for i in range(int(state.unseen[seat, stack])):
            came = min((past for past in range(now) if most[past] > i), default=now)
            champions.append((stack, 1 + 2 * came))
    return champions
