"""The second half of the checks of a position: cards gathered, marks of the round, and turns in an encounter."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from cardkit.spec import require
from kosmogonia._deploying import legal_sides
from kosmogonia._gathering import (
    cards_a_round,
    cards_a_stack,
    has_god,
    is_last_round,
    kept_of,
    must_have_sent,
    num_quests,
    num_sent,
)
from kosmogonia._symbols import MOST_USES
from kosmogonia.cards import ALL_CHAMPIONS, GODS, IN_STACK, REINFORCEMENT, STACK_NAMES, STACKS, cards_to_codes
from kosmogonia.rules import HIDDEN_AFTER_GATHER, LONE_SEATS_REST, MOST_SEATS, TACTICS, TOURNAMENT, VARIATION, Rules
from kosmogonia.state import (
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    DEPLOY_CARD,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    DUEL,
    END_CHAMPION,
    END_PERMUTATION,
    EQUIP,
    FIRST_PLAYER,
    HUNT,
    KRONOS,
    NO_FIGHT,
    NONE,
    PAST_ROUNDS,
    PHASES,
    SIDES,
    TEAM,
    TOURN_DISCARD,
    UNKNOWN,
    UNSEEN,
    USE,
)

_DEPLOYING = (DEPLOY_CARD, DEPLOY_PLACE, DEPLOY_ORIENT)
_TALLIES = ("duels_won", "duels_tied", "hunts", "hunts_won", "won")


def check_marks(rules: Rules, state: Any, observer: int | None) -> None:
    """Refuse marks that do not fit the stage, each other, or what lies on the table."""
    _check_gathered(rules, state, observer)
    if state.phase == DRAFT:
        _check_draft(rules, state)
    _check_deployment(rules, state, observer)
    _check_hands(rules, state, observer)
    _check_tallies(rules, state)
    _check_turns(state)
    _check_secrets(rules, state, observer)
    _check_kept(rules, state, observer)


def _count(cards: Any, stack: int) -> int:
    return (int(cards) >> IN_STACK * stack & (1 << IN_STACK) - 1).bit_count()


def _check_gathered(rules: Rules, state: Any, observer: int | None) -> None:
    """Every seat has gathered the same number of cards of each stack [R15, invariant 3]."""
    phase, drafted, each = int(state.phase), int(state.drafted), int(cards_a_stack(rules))
    require(phase == DRAFT or not drafted, "drafted=: no draft goes on")
    gatherings = 2 if rules.variant == VARIATION else 1
    complete = {FIRST_PLAYER: 0, DRAFT: int(state.drafts)}.get(phase, gatherings)
    seen = 0
    for seat in range(rules.num_players):
        cards = int(state.gathered[seat])
        require(not cards & seen, f"gathered=: {cards_to_codes(cards & seen)} went to two seats")
        seen |= cards
        forgets = rules.hands_public == HIDDEN_AFTER_GATHER
        is_forgotten = forgets and observer not in (None, seat)
        for stack in range(STACKS):
            earlier = _count(cards & ~drafted, stack)
            expected = 0 if is_forgotten else each * complete
            words = f"{earlier} {STACK_NAMES[stack]} of seat {seat}, expected {expected}"
            is_part = forgets and phase != DRAFT and earlier < expected  # in a world that has filled a view
            require(earlier == expected or is_part, f"gathered=: {words} in this phase [R15]")
            require(_count(cards & drafted, stack) <= each, f"gathered=: seat {seat} has taken too many in this draft")
    require(not drafted & ~seen, "drafted=: a card that nobody has gathered")
    stacks = sum(1 << int(card) for card in set(map(int, state.stacks)) if card != UNSEEN)
    require(not seen & stacks, "gathered=: a card that lies in a stack")


def _check_draft(rules: Rules, state: Any) -> None:
    """Cards are taken one by one, in turn, from the columns [R17, R18]."""
    require(rules.mode == TACTICS, "phase=draft: only Tactics has drafts [R17]")
    seats, drafted = rules.num_players, int(state.drafted)
    turn = (int(state.actor) - int(state.first_player)) % seats
    require(drafted.bit_count() % seats == turn, "actor=: it is not that seat's turn in the draft [R17]")
    for place in range(seats):
        seat = (int(state.first_player) + place) % seats
        number = (int(state.gathered[seat]) & drafted).bit_count()
        expected = drafted.bit_count() // seats + (place < turn)
        require(number == expected, f"drafted=: seat {seat} has taken {number} cards, expected {expected} [R17]")
    column = int(cards_a_stack(rules)) * seats
    for stack in range(STACKS):
        first = IN_STACK * stack + int(state.opened) - column
        taken = sum(int(card) == UNSEEN for card in state.stacks[first : first + column])
        require(taken == _count(drafted, stack), "stacks=: a column lacks other cards than were drafted [R17]")


def _check_deployment(rules: Rules, state: Any, observer: int | None) -> None:
    """Who has ended does not act, and as many champions lie at the quests as were placed [R28-R36]."""
    phase, seat, everybody = int(state.phase), int(state.actor), (1 << rules.num_players) - 1
    require(phase != TOURN_DISCARD or rules.variant == TOURNAMENT, "phase=tourn_discard: of the tournament only [R36]")
    if phase in _DEPLOYING:
        require(not state.ended >> seat & 1, f"ended=: seat {seat} is to act, so it has not ended [R33]")
        is_known = observer in (None, seat)
        has_champion = bool(int(state.hands[seat]) & int(ALL_CHAMPIONS))
        can_place = has_champion and bool(legal_sides(rules, state, seat))
        require(not is_known or can_place, f"actor=: seat {seat} has no champion or no side, so it has ended [R34]")
    else:
        expected = 0 if phase < DEPLOY_CARD else everybody
        require(state.ended == expected, f"ended={state.ended}: expected {expected} in phase={PHASES[phase]}")
    for other in range(rules.num_players):
        placed = sum(
            int(state.lineups[side]).bit_count() + np.count_nonzero(state.hidden[side])
            for side in range(SIDES)
            if state.owners[side] == other
        )
        number, most = int(state.deployed[other]), 3 * int(num_quests(rules))
        is_right = number == placed if phase <= TOURN_DISCARD else number <= most
        require(is_right, f"deployed=: {number} of seat {other}, but {placed} lie at its quests [R28]")


def _check_hands(rules: Rules, state: Any, observer: int | None) -> None:
    """Every seat that is still to send or to discard holds what it takes [R23, R26, R36]."""
    phase, seats, first = int(state.phase), rules.num_players, int(state.first_player)
    is_challenge = phase in (CHALLENGE_CARD, CHALLENGE_ORIENT)
    if observer is not None or not (is_challenge or phase == TOURN_DISCARD):
        return
    for turn in range((int(state.actor) - first) % seats, seats):
        seat = (first + turn) % seats
        hand = int(state.hands[seat])
        if phase == TOURN_DISCARD:
            require(hand, f"hands=: seat {seat} has nothing to discard [R36]")
            continue
        missing = int(must_have_sent(rules, int(state.round_number))) - int(num_sent(state, seat))
        champions = (hand & int(ALL_CHAMPIONS)).bit_count()
        require(champions >= missing, f"hands=: seat {seat} holds {champions} champions to send {missing} [R23]")
        needs_god = is_last_round(rules, state) and missing and not has_god(state, seat)
        require(not needs_god or hand & int(GODS), f"hands=: seat {seat} has no god to send [R26]")


def _check_tallies(rules: Rules, state: Any) -> None:
    """What the seats have fought, hunted and won in this round adds up."""
    is_early = state.phase <= TOURN_DISCARD
    for name in ("fought", "hunted", "beaten", *_TALLIES):
        require(not is_early or not np.any(state[name]), f"{name}=: nobody has fought in this round yet")
    tied, won = int(state.duels_tied.sum()), int(state.duels_won.sum())
    fought = int(state.fought).bit_count() - (state.fight == DUEL)
    require(tied % 2 == 0 and won + tied // 2 == fought, "duels_won= and duels_tied= do not make the duels of fought=")
    for name in ("hunted", "hunts", "hunts_won", "won"):
        is_soon = state.fight == DUEL and bool(np.any(state[name]))
        require(not is_soon, f"{name}=: all duels come before harvest and hunts [R38]")
    for seat in range(rules.num_players):
        hunts, beaten = int(state.hunts[seat]), int(state.hunts_won[seat])
        require(beaten <= hunts <= num_quests(rules), f"hunts= or hunts_won=: too many of seat {seat}")
        require(state.won[seat] <= 2 * num_quests(rules), f"won=: too many treasures of seat {seat}")
        if state.fight == HUNT:
            sides = [side for side in range(SIDES) if state.owners[side] == seat]
            nobody = sum(1 << side for side in range(SIDES) if state.owners[side] == NONE)
            require(not state.hunted & nobody, "hunted=: nobody is on that side")
            rested = rules.lone_hunts == LONE_SEATS_REST
            hunted = [s for s in sides if state.hunted >> s & 1 and (state.fought >> s // 2 & 1 or not rested)]
            require(hunts == len(hunted), f"hunts=: {hunts} of seat {seat}, but hunted= has {len(hunted)}")
            won_by = sum(state.beaten >> side & 1 for side in sides)
            require(beaten == won_by, f"hunts_won=: {beaten} of seat {seat}, but beaten= has {won_by}")


def _check_turns(state: Any) -> None:
    """Uses, passes and waiting effects of an encounter, and none where there is no encounter [R41-R49]."""
    if state.fight == NO_FIGHT:
        require(state.symbol == NONE, "symbol=: there is no encounter")
        for name in ("passed", "uses", "bonus", "symbols_used", "queue_size", "table", "pulled", "moved", "corner"):
            require(not np.any(state[name]), f"{name}=: there is no encounter")
        return
    corner, other = int(state.corner), 1 - int(state.corner)
    passed = [bool(state.passed >> c & 1) for c in (0, 1)]
    if state.fight != DUEL:
        is_alone = passed[other] and not state.uses[other] and not state.symbols_used[other]
        require(is_alone, "passed=: nobody else acts in a hunt or against Kronos, so the other corner has passed")
        require(not state.bonus[other].any(), "bonus=: the other corner is empty")
        require(not int(state.moved), "moved=: symbol 5 is for duels")
    is_end = state.phase in (END_CHAMPION, END_PERMUTATION)
    require(is_end or state.symbol == NONE, "symbol=: no END effect waits for a choice")
    require(passed[corner] == is_end and (passed[other] or not is_end), "passed=: it does not fit the phase")
    if state.phase == USE:
        require(state.uses[corner] < MOST_USES, "uses=: a seat with three uses has passed [R44]")
    require(state.uses[other] < MOST_USES or passed[other], "uses=: a seat with three uses has passed [R44]")
    entries = [int(entry) for entry in state.queue[: state.queue_size]]
    require(len(set(entries)) == len(entries), "queue=: no symbol is activated twice [R46]")
    for entry in entries:
        is_used = entry >> 4 < 2 and int(state.symbols_used[entry >> 4]) >> (entry & 15) & 1
        require(is_used, "queue=: an END effect whose symbol nobody has activated")
    for c in (0, 1):
        symbols = int(state.symbols_used[c]).bit_count()
        require(symbols - 1 <= state.uses[c] <= symbols, "uses=: they do not fit the activated symbols [R45]")


def _check_secrets(rules: Rules, state: Any, observer: int | None) -> None:
    """Only a view has cards that cannot be seen, of other seats; in the final all cards are open [R86]."""
    is_final = state.phase == EQUIP or state.fight == KRONOS
    require(not is_final or not state.olympus_closed, "olympus=: all cards are open in the final")
    require(int(state.olympus_closed) >> TEAM * rules.num_players == 0, "olympus=: a closed card of no seat")
    if state.fight in (DUEL, HUNT):
        left = 2 * int(state.position)
        sides = (left, left + 1) if state.fight == DUEL else (left + int(state.corner),)
        covered = sum(int(state.lineups[side]) for side in sides) & int(state.closed)
        require(not covered, "closed=: the cards of an encounter are turned up [R40]")
    for seat in range(rules.num_players):
        for i in range(TEAM):
            is_unknown = state.olympus[seat, i] >= UNKNOWN
            is_closed = bool(int(state.olympus_closed) >> TEAM * seat + i & 1)
            must_hide = is_closed and observer not in (None, seat)
            require(is_unknown == must_hide, f"olympus=: a closed card of seat {seat} is seen by that seat alone")
    is_choosing = state.phase in (CHALLENGE_ORIENT, DEPLOY_PLACE, DEPLOY_ORIENT)
    require(not is_choosing or state.card != NONE, "card=: a champion waits for its place")


def _check_kept(rules: Rules, state: Any, observer: int | None) -> None:
    """What nobody had seen by the end of a past round covers what is still unseen, and what came since [section 4]."""
    is_forgotten = rules.hands_public == HIDDEN_AFTER_GATHER
    for past in range(PAST_ROUNDS):
        for seat in range(MOST_SEATS):
            is_there = is_forgotten and past < state.round_number and seat < rules.num_players
            require(is_there or not state.kept[past, seat], "kept=: nothing is noted there")
    if not is_forgotten:
        return
    a_round, opened = int(cards_a_round(rules)), int(state.opened)
    slots = opened // rules.num_players - (int(cards_a_stack(rules)) if state.phase == DRAFT else 0)
    for seat, stack in itertools.product(range(rules.num_players), range(REINFORCEMENT)):
        unseen, labels = _num_unseen(state, observer, seat, stack)
        require(unseen <= slots, f"hands=: seat {seat} has gathered {slots} {STACK_NAMES[stack]} only [R15]")
        kept = [int(kept_of(state, past, seat, stack)) for past in range(state.round_number)]
        for past, (before, number) in enumerate(itertools.pairwise([0, *kept])):
            words = f"{number} {STACK_NAMES[stack]} of seat {seat} at the end of round {past}"
            require(number <= before + a_round, f"kept=: {words}, expected {before + a_round} at most")
            late = slots - a_round * (past + 1)
            require(number >= unseen - late, f"kept=: {words}, expected {unseen - late} at least")
            early = sum(label <= past for label in labels)
            require(number >= early, f"kept=: {words}, but {early} of them are unseen now")


def _num_unseen(state: Any, observer: int | None, seat: int, stack: int) -> tuple[int, list[int]]:
    """How many champions of a stack that a seat has gathered are unseen, and in which rounds they came, if known."""
    if observer not in (None, seat):
        return int(state.unseen[seat, stack]), []
    cards = int(state.hands[seat]) & ~int(state.drafted)
    for i, card in enumerate(map(int, state.olympus[seat])):
        cards |= (int(state.olympus_closed) >> TEAM * seat + i & 1) << card if card < UNKNOWN and card != NONE else 0
    for side in range(SIDES):
        cards |= int(state.lineups[side]) & int(state.closed) if state.owners[side] == seat else 0
    there = [card for card in range(stack * IN_STACK, (stack + 1) * IN_STACK) if cards >> card & 1]
    own = [int(state.since[card]) for card in there if state.since[card] % 2 == 1]
    return len(own), [(since - 1) // 2 for since in own]
