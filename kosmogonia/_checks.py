"""Whether a record read from a text can be a position of a game: what play relies on, and what people get wrong.

Cards and treasures lie in one place each, numbers fit the stage, and what waits for a decision is there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardkit.spec import require
from kosmogonia import kernels
from kosmogonia._check_marks import check_marks
from kosmogonia._check_worlds import check_worlds
from kosmogonia._gathering import cards_a_stack, must_have_sent, num_quests, num_rounds, num_sent, quest_at
from kosmogonia.cards import (
    ALL_CARDS,
    ALL_CHAMPIONS,
    CARDS,
    GODS,
    IN_STACK,
    STACKS,
    TREASURES,
    cards_to_codes,
)
from kosmogonia.rules import CLOSED_SHOWS_STACK, MOST_SEATS, TACTICS, TOURNAMENT, VARIATION, Rules
from kosmogonia.state import (
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    DUEL,
    END_CHAMPION,
    END_PERMUTATION,
    EQUIP,
    FIRST_PLAYER,
    GAME_OVER,
    HUNT,
    KRONOS,
    MOST_CLOSED,
    NO_FIGHT,
    NONE,
    NOTHING,
    PHASES,
    SIDES,
    SYM7,
    SYM8_CARD,
    SYM8_NUMBER,
    TEAM,
    TOURN_DISCARD,
    UNKNOWN,
    UNSEEN,
    USE,
)

_IN_FIGHT = (USE, SYM7, SYM8_CARD, SYM8_NUMBER, END_CHAMPION, END_PERMUTATION)
_NEEDS_CARD = (CHALLENGE_ORIENT, DEPLOY_PLACE, DEPLOY_ORIENT, END_PERMUTATION, SYM8_NUMBER)
_END_SYMBOLS = (1, 2, 3, 10, 11, 12)
_UNKNOWN_CARD = UNKNOWN + STACKS - 1
_UNKNOWN_BACK = STACKS


def check_position(rules: Rules, state: Any, observer: int | None) -> None:
    """Refuse a record that no game with these rules comes to, as far as play and people rely on it.

    Raises:
        InvalidText: says which word or which rule is wrong.
    """
    _check_seats(rules, state)
    _check_round(rules, state)
    _check_stacks(rules, state, observer)
    seen = _check_cards(rules, state, observer)
    _check_olympus(rules, state)
    _check_sides(rules, state, observer)
    _check_treasures(rules, state)
    _check_fight(rules, state)
    _check_final(rules, state, observer)
    _check_pending(rules, state, observer)
    check_marks(rules, state, observer)
    if observer is not None:
        check_worlds(rules, state, observer, seen)
    is_asked = state.phase != GAME_OVER and observer in (None, int(state.actor))
    require(not is_asked or kernels.legal_mask(rules, state), f"phase={PHASES[state.phase]}: nothing is legal here")


def _check_seats(rules: Rules, state: Any) -> None:
    """No word speaks of a seat that is not there."""
    seats = rules.num_players
    for name in ("actor", "finder", "first_player", "winner"):
        require(state[name] < seats, f"{name}={state[name]}: expected a seat 0..{seats - 1}")
    require((state.owners < seats).all(), f"owners=: expected seats 0..{seats - 1}, or -1")
    for name in ("hands", "gathered", "vaults"):
        require(not state[name][seats:].any(), f"{name}=: there are only {seats} seats")
    for name in ("deployed", "duels_won", "duels_tied", "hunts", "hunts_won", "won", "unseen"):
        require(not np.asarray(state[name])[seats:].any(), f"{name}=: there are only {seats} seats")
    for name in ("citadels", "olympus", "equipped", "challengers"):
        require((np.asarray(state[name])[seats:] == NONE).all(), f"{name}=: there are only {seats} seats")
    require(state.ended >> seats == 0 and state.citadels_used >> seats == 0, "ended= or citadels_used=: no such seat")
    citadels = [int(citadel) for citadel in state.citadels[:seats]]
    require(NONE not in citadels and len(set(citadels)) == seats, "citadels=: every seat has one of its own [R8]")


def _check_round(rules: Rules, state: Any) -> None:
    """Round, gatherings and the cards that have left the stacks fit together [R5, R15]."""
    rounds, phase = int(num_rounds(rules)), int(state.phase)
    require(state.round_number < rounds, f"round_number={state.round_number}: expected 0..{rounds - 1}")
    is_over = phase == GAME_OVER
    require(
        state.rounds_done == state.round_number + is_over,
        f"rounds_done={state.rounds_done}: expected {state.round_number + is_over}",
    )
    gatherings = 2 if rules.variant == VARIATION else 1
    expected = 0 if phase == FIRST_PLAYER or rules.mode != TACTICS else gatherings
    is_right = state.drafts < gatherings if phase == DRAFT else state.drafts == expected
    require(is_right, f"drafts={state.drafts} does not fit phase={PHASES[phase]}")
    number = {FIRST_PLAYER: 0, DRAFT: int(state.drafts) + 1}.get(phase, gatherings)
    opened = (gatherings * int(state.round_number) + number) * int(cards_a_stack(rules)) * rules.num_players
    require(state.opened == opened, f"opened={state.opened}: expected {opened} in this round and phase [R15]")
    is_tournament = rules.variant == TOURNAMENT
    require((state.b_quest != NONE) == is_tournament and (state.b_quest >= 3 or not is_tournament),
            f"b_quest={state.b_quest}: the tournament, and only it, has a quest 3..5 [R6]")  # fmt: skip
    require(state.finder != NONE, "finder=: the crown has been found before any decision [R12]")
    has_first = phase != FIRST_PLAYER or state.round_number > 0
    require((state.first_player != NONE) == has_first, "first_player=: it is chosen after the crown is found [R12]")
    require(phase != FIRST_PLAYER or state.actor == state.finder, "actor=: the finder of the crown chooses [R12]")


def _check_stacks(rules: Rules, state: Any, observer: int | None) -> None:
    """The stacks hold what has not left them; a view does not know their order [R7, R17]."""
    opened, column = int(state.opened), int(cards_a_stack(rules)) * rules.num_players
    known = [int(card) for card in state.stacks if card != UNSEEN]
    require(len(set(known)) == len(known), "stacks=: a card stands there twice")
    for stack in range(STACKS):
        places = [int(card) for card in state.stacks[IN_STACK * stack : IN_STACK * (stack + 1)]]
        closed = places[opened:]
        is_known = [card != UNSEEN for card in closed]
        require(all(is_known) if observer is None else not any(is_known),
                f"stacks=: the {len(closed)} closed cards of a stack are known exactly to nobody's view")  # fmt: skip
        first = opened - column if state.phase == DRAFT else opened
        require(all(card == UNSEEN for card in places[:first]), "stacks=: a card that was dealt lies there")
        there = [card != UNSEEN for card in places[first:opened]]
        require(there == sorted(there, reverse=True), "stacks=: the card opened last leaves its column first [R17]")


def _places(rules: Rules, state: Any) -> list[tuple[str, int]]:
    """Every place with the set of cards that are known to lie there."""
    stacks = sum(1 << int(card) for card in set(map(int, state.stacks)) if card != UNSEEN)
    teams = [int(card) for card in np.ravel(state.olympus) if 0 <= card < CARDS]
    places = [("stacks", stacks), ("discard", int(state.discard)), ("table", int(state.table))]
    places += [("olympus", 1 << card) for card in teams]
    places += [("hands", int(state.hands[seat])) for seat in range(rules.num_players)]
    places += [("lineups", int(state.lineups[side])) for side in range(SIDES)]
    if state.fight == KRONOS:
        places.append(("pulled", int(state.pulled)))
    return places


def _check_cards(rules: Rules, state: Any, observer: int | None) -> int:
    """Every card lies in one place, and in the full state all 60 do [invariant 1]; returns them."""
    seen = 0
    for name, cards in _places(rules, state):
        require(not cards & ~int(ALL_CARDS), f"{name}=: no such card")
        require(not cards & seen, f"{name}=: {cards_to_codes(cards & seen)} lies in two places")
        seen |= cards
    missing = int(ALL_CARDS) & ~seen
    require(observer is not None or not missing, f"{cards_to_codes(missing)} lies nowhere")
    lineups = sum(map(int, state.lineups))
    champions = int(ALL_CHAMPIONS)
    require(not lineups & ~champions, "lineups=: only champions lie at quests")
    require(not int(state.table) & champions, "table=: only reinforcement cards are used")
    require(not int(state.closed) & ~lineups, "closed=: a card that lies at no quest")
    require(not int(state.moved) & ~lineups, "moved=: a card that lies at no quest")
    require(state.fight == KRONOS or not int(state.pulled) & ~lineups, "pulled=: a card that lies at no quest")
    is_view = observer is not None
    require(is_view or not (state.hidden.any() or state.unseen.any()), "hidden= and unseen=: only a view hides cards")
    return seen


def _check_olympus(rules: Rules, state: Any) -> None:
    """Every seat has sent as many as the stage asks for, in order; the first lies open [R23-R26]."""
    phase, seats = int(state.phase), rules.num_players
    before = int(must_have_sent(rules, int(state.round_number) - 1))
    after = int(must_have_sent(rules, int(state.round_number)))
    is_before, is_during = phase in (FIRST_PLAYER, DRAFT), phase in (CHALLENGE_CARD, CHALLENGE_ORIENT)
    turn = (int(state.actor) - max(0, int(state.first_player))) % seats
    for seat in range(seats):
        team = [int(card) for card in state.olympus[seat]]
        number = int(num_sent(state, seat))
        require(all(card == NONE for card in team[number:]), f"olympus=: a gap in the team of seat {seat}")
        place = (seat - max(0, int(state.first_player))) % seats
        low = before if is_before or (is_during and place >= turn) else after
        high = before if is_before or (is_during and place > turn) else after - (is_during and place == turn)
        require(low <= number <= high, f"olympus=: seat {seat} has sent {number}, expected {low}..{high} [R23]")
        closed = int(state.olympus_closed) >> TEAM * seat & 7
        require(not closed & 1 and not closed >> number, f"olympus=: seat {seat} cannot have closed cards there [R25]")
        require(phase != GAME_OVER or not closed or state.outcome == 1, "olympus=: all cards are open in the final")
        for i, card in enumerate(team):
            require(card < UNKNOWN or closed >> i & 1, "olympus=: an open card is known to all")
        is_known = all(card < UNKNOWN for card in team)
        has_god = any(card != NONE and int(GODS) >> card & 1 for card in team if card < UNKNOWN)
        require(number < TEAM or not is_known or has_god, f"olympus=: the team of seat {seat} has no god [R26]")


def _check_sides(rules: Rules, state: Any, observer: int | None) -> None:
    """Who is where, with how many cards [R29-R31, invariant 5]."""
    is_gathering = state.phase in (FIRST_PLAYER, DRAFT, CHALLENGE_CARD, CHALLENGE_ORIENT)
    for side in range(SIDES):
        position, owner, other = side // 2, int(state.owners[side]), int(state.owners[side ^ 1])
        has_cards = bool(state.lineups[side]) or bool(state.hidden[side].any())
        is_there = position < num_quests(rules) and not is_gathering
        require(is_there or (owner == NONE and not has_cards), f"side {side} is not in play in this phase")
        require(owner != NONE or not has_cards, f"lineups=: cards on side {side}, which nobody holds")
        require(owner == NONE or owner != other, f"owners=: seat {owner} is on both sides of a quest [R29]")
        require(owner == NONE or state.blue[position] != NONE, "blue=: somebody came first to that quest [R31]")
        is_own = observer in (None, owner)
        closed = int(state.closed) & int(state.lineups[side])
        require(is_own or not closed, f"closed=: seat {observer} does not see closed cards of others")
        require(not is_own or not state.hidden[side].any(), f"hidden=: nothing is hidden on side {side}")
        backs = [int(back) for back in state.hidden[side] if back]
        is_in_order = backs == sorted(backs) and not any(state.hidden[side][len(backs) :])
        shows_stack = rules.closed_shows_stack == CLOSED_SHOWS_STACK
        require(is_in_order, f"hidden=: expected the backs on side {side} in order, 0 last")
        is_back = all((back < _UNKNOWN_BACK) == shows_stack for back in backs)
        require(is_back, "hidden=: backs show stacks under closed_shows_stack, and only then [R7]")
        number = int(state.lineups[side]).bit_count() + len(backs)
        require(closed.bit_count() <= MOST_CLOSED, f"closed=: more than {MOST_CLOSED} on side {side} [R29, R30]")
        require(number <= 3 or state.phase > TOURN_DISCARD, f"lineups=: more than 3 cards on side {side} [R29]")
        is_open = bool(int(state.lineups[side]) & ~closed)
        require(not has_cards or is_open or number == 0, f"closed=: the first card on side {side} lies open [R30]")
    marks = 2 * int(num_quests(rules))
    require(state.hunted >> marks == 0 and state.beaten >> marks == 0 and not state.beaten & ~state.hunted,
            "hunted= or beaten=: no such side")  # fmt: skip
    require(state.fought >> int(num_quests(rules)) == 0, "fought=: no such quest")
    require(bool(state.card == NONE or state.phase in _NEEDS_CARD), "card=: nothing waits in this phase")
    require(bool(state.place == NONE or state.phase == DEPLOY_ORIENT), "place=: no card waits for its orientation")


def _check_treasures(rules: Rules, state: Any) -> None:
    """Every treasure lies in one place, and those on the board belong to its quests [invariants 2, 8]."""
    seen = 0
    everywhere = [int(state.treasury), *map(int, state.vaults), *(1 << int(t) for t in state.treasures if t != NONE)]
    for treasures in everywhere:
        require(not treasures & seen, "a treasure lies in two places")
        seen |= treasures
    quests, phase = int(num_quests(rules)), int(state.phase)
    allowed = [sorted(map(int, rules.cards[0].quest_treasures[quest_at(rules, state, p)])) for p in range(quests)]
    has_sides = not (rules.mode == TACTICS and phase in (FIRST_PLAYER, DRAFT)) and phase not in (EQUIP, GAME_OVER)
    for side in range(SIDES):
        treasure, position = int(state.treasures[side]), side // 2
        is_duel = phase <= TOURN_DISCARD or state.fight == DUEL
        must_lie = has_sides and state.fight != KRONOS and position < quests and is_duel
        may_lie = has_sides and state.fight != KRONOS and position < quests
        if state.fight == HUNT:
            owner, other = state.owners[side] != NONE, state.owners[side ^ 1] != NONE
            may_lie = must_lie = (may_lie and (owner == other and owner)) or (may_lie and other)
        require(treasure != NONE or not must_lie, f"treasures=: side {side} has its treasure in this phase")
        require(treasure == NONE or may_lie, f"treasures=: no treasure lies on side {side} in this phase")
        require(treasure == NONE or treasure in allowed[position], f"treasures=: {treasure} is not of that quest [R9]")
    played = {int(t) for position in range(quests) for t in allowed[position]}
    later = _later_treasures(rules, state) | (played if phase <= TOURN_DISCARD or state.fight == DUEL else set())
    won = sum(everywhere[: 1 + MOST_SEATS])
    early = [treasure for treasure in range(TREASURES) if won >> treasure & 1 and treasure in later]
    require(not early, f"vaults= or treasury=: treasure {early} has not been won yet")


def _later_treasures(rules: Rules, state: Any) -> set[int]:
    """The treasures of quests that are not played, or only in later rounds."""
    first = {0: 0, VARIATION: 3}.get(rules.variant, 6)
    last = first + 3 * (int(state.round_number) + 1)
    played = {int(state.b_quest), 6, 7, 8} if rules.variant == TOURNAMENT else set(range(first, last))
    return {int(t) for quest in range(9) if quest not in played for t in rules.cards[0].quest_treasures[quest]}


def _check_fight(rules: Rules, state: Any) -> None:
    """Who meets whom, and what waits for the end of the encounter [R41-R50]."""
    is_on = int(state.phase) in _IN_FIGHT
    require((state.fight != NO_FIGHT) == is_on, f"fight={state.fight} does not fit phase={PHASES[state.phase]}")
    used = [int(symbols) & ~0b1111111111110 for symbols in state.symbols_used]
    require(not any(used), "symbols_used=: symbols are 1..12")
    require(state.queue_done <= state.queue_size, "queue_done=: more effects done than there are")
    for i, entry in enumerate(state.queue):
        is_effect = int(entry) & 15 in _END_SYMBOLS
        require(is_effect or i >= state.queue_size, "queue=: an END effect has a symbol 1-3 or 10-12 [R49]")
    if not is_on:
        return
    corner, position, seat = int(state.corner), int(state.position), int(state.actor)
    if state.fight == KRONOS:
        require(corner == 0 and position < rules.num_players, "position=: no such challenger")
        require(seat == state.challengers[position], "actor=: it is another seat's fight with Kronos [R91]")
    else:
        require(position < num_quests(rules), "position=: no such quest")
        require(seat == state.owners[2 * position + corner], "actor=: another seat holds that side")
        both = state.owners[2 * position + 1 - corner] != NONE
        require(state.fight != DUEL or both, "fight=: a duel needs both sides [R39]")
        has_met = bool(state.fought >> position & 1)
        require(has_met or state.fight == HUNT, "fought=: there is a duel at that quest")
        is_hunting = bool(state.hunted >> (2 * position + corner) & 1)
        require(is_hunting or state.fight == DUEL, "hunted=: that side hunts")
        require(
            not state.hidden[2 * position : 2 * position + 2].any(),
            "hidden=: the cards of an encounter are turned up [R40]",
        )
    in_force = int(state.in_force)
    require((state.fight == DUEL) == bool(in_force), "in_force=: a duel, and only it, compares categories")
    require(state.phase not in (SYM7,) or state.fight == DUEL, "phase=sym7: symbol 7 is for duels")
    is_cancelling = state.phase in (SYM8_CARD, SYM8_NUMBER)
    require(not is_cancelling or state.fight == KRONOS, "phase=sym8: a choice against Kronos only")
    if state.phase in (END_CHAMPION, END_PERMUTATION):
        entry = int(state.queue[state.queue_done]) if state.queue_done < state.queue_size else 0
        expected = (entry & 15, entry >> 4)
        require((int(state.symbol), corner) == expected, "symbol=: it is the next END effect of the queue [R49]")
        require(state.phase == END_CHAMPION or state.symbol >= 10, "phase=end_permutation: for symbols 10-12")


def _check_final(rules: Rules, state: Any, observer: int | None) -> None:
    """Equipment, the order of the challengers, and the end [R87-R95]."""
    seats, phase = rules.num_players, int(state.phase)
    asked = [sum(int(item) != NONE for item in team) for team in state.equipped[:seats]]
    reached = state.fight == KRONOS or (phase == GAME_OVER and state.outcome != 1)
    for seat, number in enumerate(asked):
        team = [int(item) for item in state.equipped[seat]]
        require(all(item == NONE for item in team[number:]), f"equipped=: a gap at seat {seat}")
        given = [item for item in team if 0 <= item < NOTHING]
        require(len(set(given)) == len(given), f"equipped=: seat {seat} gives a treasure twice [R87]")
        is_owned = all(int(state.vaults[seat]) >> item & 1 for item in given)
        require(is_owned, f"equipped=: seat {seat} gives what is not in its vault [R87]")
        turn = int(seat > state.actor) - int(seat < state.actor)
        low, high = {1: (0, 0), 0: (0, TEAM - 1), -1: (TEAM, TEAM)}[turn]
        low, high = (low, high) if phase == EQUIP else ((TEAM, TEAM) if reached else (0, 0))
        require(low <= number <= high, f"equipped=: seat {seat} has chosen {number}, expected {low}..{high}")
        is_hidden = phase == EQUIP and observer not in (None, seat)
        is_secret = [item > NOTHING for item in team if item != NONE]
        require(
            all(is_secret) if is_hidden else not any(is_secret), f"equipped=: what seat {seat} chose, as it is known"
        )
    order = [int(seat) for seat in state.challengers[:seats]]
    require(sorted(order) == list(range(seats)) if reached else set(order) == {NONE},
            "challengers=: all seats in their order once equipment is shown [R88-R91]")  # fmt: skip
    is_won = state.winner != NONE
    require(is_won == (phase == GAME_OVER and state.outcome == 0), "winner=: who beat Kronos, in outcome 0 only")
    require(phase == GAME_OVER or state.outcome == 0, "outcome=: the game is not over")
    is_last = state.round_number == num_rounds(rules) - 1
    is_final = phase == EQUIP or reached
    require(is_last or not is_final, "round_number=: the final follows the last round")


def _check_pending(rules: Rules, state: Any, observer: int | None) -> None:
    """What waits for a decision is there."""
    phase, seat, card = int(state.phase), int(state.actor), int(state.card)
    require((card != NONE) == (phase in _NEEDS_CARD), f"card={card} does not fit phase={PHASES[phase]}")
    if phase in (CHALLENGE_ORIENT, DEPLOY_PLACE, DEPLOY_ORIENT):
        is_hidden = observer not in (None, seat)
        is_held = card < UNKNOWN and bool(int(state.hands[seat]) & int(ALL_CHAMPIONS) >> card << card & 1 << card)
        require(card == _UNKNOWN_CARD if is_hidden else is_held, "card=: a champion in the hand of the seat to act")
    if phase == DEPLOY_ORIENT:
        require(int(state.place) != NONE, "place=: the chosen champion waits on a side")
        scratch = np.zeros(1, state.dtype).view(np.recarray)
        scratch[0] = state
        trial: Any = scratch[0]
        trial.phase = DEPLOY_PLACE
        is_free = int(kernels.legal_mask(rules, trial)) >> int(state.place) & 1
        require(observer not in (None, seat) or is_free, f"place={state.place}: the seat may not place there [R29]")
    if phase == END_PERMUTATION:
        require(card < 48, "card=: a champion of the line-up")
    if phase == SYM8_NUMBER:
        is_there = card < TREASURES and int(state.treasury) >> card & 1
        require(is_there, "card=: a treasure of Kronos")
