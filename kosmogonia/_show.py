"""Positions and events in words, for people: what lies where, who is to do what, and what an action brought about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kosmogonia._final import key_limit, keys_of, kronos_total
from kosmogonia._gathering import num_quests, num_rounds, quest_at, top_of_column
from kosmogonia._symbols import corner_total, face_of, seat_of
from kosmogonia.cards import (
    CARDS,
    CATEGORY_NAMES,
    CHAMPIONS,
    STACK_LETTERS,
    STACK_NAMES,
    STACKS,
    SYMBOL_NAMES,
    TREASURES,
    card_name,
    in_words,
    name_text,
)
from kosmogonia.rules import DIFFICULTIES, MODES, Rules
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
    GAME_OVER,
    GATHERED_NEWS,
    HUNT,
    KRONOS,
    NO_FIGHT,
    NO_RESULT,
    NONE,
    NOTHING,
    RESULTS,
    SIDES_NEWS,
    SYM7,
    SYM8_CARD,
    SYM8_NUMBER,
    TEAM,
    TIED,
    TOURN_DISCARD,
    UNKNOWN,
    USE,
)

_DOING = {
    FIRST_PLAYER: "has found the crown and names the first player", DRAFT: "takes a card of a column",
    CHALLENGE_CARD: "sends a champion to Olympus", CHALLENGE_ORIENT: "lays it open or closed",
    DEPLOY_CARD: "places a champion at a quest, or ends", DEPLOY_PLACE: "chooses a side for it",
    DEPLOY_ORIENT: "lays it open or closed", TOURN_DISCARD: "discards a card", USE: "uses a symbol or passes",
    SYM7: "replaces a category", SYM8_CARD: "cancels a treasure of Kronos", SYM8_NUMBER: "chooses which number",
    END_CHAMPION: "chooses a champion for the effect", END_PERMUTATION: "spreads the factors",
    EQUIP: "equips its next champion",
}  # fmt: skip
_OUTCOMES = ("Kronos is beaten", "the keys of Kronos have reached the limit: all lose", "Kronos is unbeaten: all lose")


def card_in_words(rules: Rules, card: int) -> str:
    """A card with what is printed on it, such as "Jason D 3/5/3" or "Solon: +4"; a hidden one as what is seen of it."""
    if card >= UNKNOWN:
        return f"a closed {STACK_NAMES[card - UNKNOWN][:-1]}" if card < UNKNOWN + STACKS - 1 else "a closed card"
    name = card_name(rules.cards, card)
    if card >= CHAMPIONS:
        return f"{name}: {SYMBOL_NAMES[int(rules.cards[0].symbols[card - CHAMPIONS]) - 1]}"
    return f"{name} {STACK_LETTERS[card // 12]} {in_words(rules.cards[0]['values'][card])}"


def _cards(mask: Any) -> list[int]:
    return [card for card in range(CARDS) if int(mask) >> card & 1]


def _treasures(mask: Any) -> list[int]:
    return [treasure for treasure in range(TREASURES) if int(mask) >> treasure & 1]


def treasure_in_words(rules: Rules, treasure: int) -> str:
    """A treasure with its keys, its item and what it gives Kronos."""
    table = rules.cards[0]
    name = name_text(rules.cards, "treasure_names", treasure)
    numbers = f"{table.keys[treasure]} keys, item {in_words(table['items'][treasure])}"
    return f"{name} ({numbers}, Kronos {in_words(table.factors[treasure])})"


def _treasure_names(rules: Rules, mask: Any) -> str:
    return ", ".join(name_text(rules.cards, "treasure_names", t) for t in _treasures(mask)) or "no treasure"


def draw(rules: Rules, state: Any, observer: int | None) -> str:
    """The position for people, several lines; what an observer cannot see is not shown."""
    lines = [*_heading(rules, state), *_quest_lines(rules, state), *_column_lines(rules, state)]
    for seat in range(rules.num_players):
        lines += _seat_lines(rules, state, seat, observer)
    if state.fight != NO_FIGHT:
        lines.append(_fight_in_words(rules, state))
    if state.phase == GAME_OVER:
        lines.append(f"the game is over: {_outcome_in_words(state)}")
    elif state.phase in _DOING:
        lines.append(f"seat {state.actor} {_DOING[int(state.phase)]}")
    return "\n".join(lines)


def _outcome_in_words(state: Any) -> str:
    return _OUTCOMES[state.outcome] + (f" by seat {state.winner}" if state.winner != NONE else "")


def _heading(rules: Rules, state: Any) -> Iterator[str]:
    mode, difficulty = MODES[rules.mode], DIFFICULTIES[rules.difficulty]
    number = min(int(state.round_number) + 1, int(num_rounds(rules)))
    first = "" if state.first_player == NONE else f", seat {state.first_player} is first"
    yield f"Kosmogonia, round {number} of {num_rounds(rules)}, {mode}, {difficulty}{first}"
    totals = in_words(kronos_total(rules, state, category) for category in range(3))
    keys = f"{keys_of(rules, state.treasury)} of {key_limit(rules)} keys"
    yield f"Kronos has {totals} and {keys}: {_treasure_names(rules, state.treasury)}"


def quest_name(rules: Rules, state: Any, position: int) -> str:
    """The name of the quest at a position."""
    return name_text(rules.cards, "quest_names", int(quest_at(rules, state, position)))


def _quest_lines(rules: Rules, state: Any) -> Iterator[str]:
    """The quests of the round with their monsters, treasures and line-ups, if they are laid out."""
    is_final = state.phase in (EQUIP, GAME_OVER) or state.fight == KRONOS
    for position in range(0 if is_final or state.phase < FIRST_PLAYER else num_quests(rules)):
        quest = int(quest_at(rules, state, position))
        face = int(face_of(rules, quest))
        table = rules.cards[0]
        names = [name for name, there in zip(CATEGORY_NAMES, table.categories[quest, face], strict=True) if there]
        monster = in_words(table.monsters[quest, face])
        yield f"quest {position + 1} {quest_name(rules, state, position)}: {' and '.join(names)}, monster {monster}"
        for side in (2 * position, 2 * position + 1):
            yield f"  {('left ', 'right')[side % 2]} {_side_in_words(rules, state, side)}"


def _side_in_words(rules: Rules, state: Any, side: int) -> str:
    treasure = int(state.treasures[side])
    words = "" if treasure == NONE else treasure_in_words(rules, treasure)
    if state.owners[side] == NONE:
        return words or "-"
    banner = "blue" if state.blue[side // 2] == side % 2 else "red"
    closed = int(state.closed)
    cards = [
        card_in_words(rules, card) + (" closed" if closed >> card & 1 else "") for card in _cards(state.lineups[side])
    ]
    cards += [card_in_words(rules, UNKNOWN + int(back) - 1) for back in state.hidden[side] if back]
    return f"{words}{'; ' if words else ''}seat {state.owners[side]} ({banner}): {', '.join(cards) or 'no card'}"


def _column_lines(rules: Rules, state: Any) -> Iterator[str]:
    """The open columns of a draft; the last card may be taken."""
    for stack in range(STACKS if state.phase == DRAFT else 0):
        last = int(top_of_column(rules, state, stack))
        places = range(12 * stack, last + 1)
        cards = [card_in_words(rules, int(state.stacks[i])) for i in places if state.stacks[i] < CARDS]
        yield f"{STACK_NAMES[stack]:<14} {', '.join(cards) or 'all taken'}"


def _seat_lines(rules: Rules, state: Any, seat: int, observer: int | None) -> Iterator[str]:
    table = rules.cards[0]
    citadel = int(state.citadels[seat])
    if citadel != NONE:
        used = " used" if state.citadels_used >> seat & 1 else ""
        symbols = ", ".join(SYMBOL_NAMES[int(symbol) - 1] for symbol in table.citadels[citadel])
        keys = keys_of(rules, state.vaults[seat])
        name = name_text(rules.cards, "citadel_names", citadel)
        yield f"seat {seat} {name}{used} ({symbols}), {keys} keys: {_treasure_names(rules, state.vaults[seat])}"
    team = [_sent_in_words(rules, state, seat, i) for i in range(TEAM) if state.olympus[seat, i] != NONE]
    yield f"  Olympus: {', '.join(team) or 'nobody'}"
    unseen = [f"{count} unseen {STACK_NAMES[i]}" for i, count in enumerate(state.unseen[seat]) if count]
    hand = [card_in_words(rules, card) for card in _cards(state.hands[seat])] + unseen
    words = "hand" if observer in (None, seat) else "hand and closed cards"
    yield f"  {words}: {', '.join(hand) or 'no cards'}"


def _sent_in_words(rules: Rules, state: Any, seat: int, i: int) -> str:
    words = card_in_words(rules, int(state.olympus[seat, i]))
    is_closed = int(state.olympus_closed) >> TEAM * seat + i & 1 and state.olympus[seat, i] < UNKNOWN
    item = int(state.equipped[seat, i])
    carried = "" if item in (NONE, NOTHING) else " with something" if item > NOTHING else (
        f" with {name_text(rules.cards, 'treasure_names', item)}")  # fmt: skip
    return words + (" closed" if is_closed else "") + carried


def _fight_in_words(rules: Rules, state: Any) -> str:
    """The encounter under way with its totals."""
    corner = int(state.corner)
    totals = [in_words(corner_total(rules, state, c, i) for i in range(3)) for c in _corners(state)]
    if state.fight == DUEL:
        names = [CATEGORY_NAMES[i] for i in range(3) if state.in_force >> i & 1]
        seats = [int(seat_of(state, c)) for c in (0, 1)]
        place = quest_name(rules, state, int(state.position))
        return f"duel at {place} in {' and '.join(names)}: seat {seats[0]} {totals[0]}, seat {seats[1]} {totals[1]}"
    seat = int(seat_of(state, corner))
    if state.fight == HUNT:
        quest = int(quest_at(rules, state, int(state.position)))
        monster = in_words(rules.cards[0].monsters[quest, int(face_of(rules, quest))])
        place = name_text(rules.cards, "quest_names", quest)
        return f"hunt at {place}: seat {seat} {totals[0]}, monster {monster}"
    kronos = in_words(kronos_total(rules, state, category) for category in range(3))
    return f"seat {seat} challenges Kronos: {totals[0]} against {kronos}"


def _corners(state: Any) -> tuple[int, ...]:
    return (0, 1) if state.fight == DUEL else (int(state.corner),)


def comment(rules: Rules, state: Any) -> str:
    """What the last action brought about, for a replay: a result, a card drawn, the next encounter; else empty."""
    parts = [_stage_in_words(rules, state)]
    if state.drawn != NONE:
        parts.append(f"draws {card_in_words(rules, int(state.drawn))}")
    if state.result != NO_RESULT:
        parts.append(_result_in_words(state))
    waiting = 0 if state.fight == DUEL else 1 << 1 - int(state.corner)
    if state.phase == USE and state.passed == waiting and not any(state.uses):
        parts.append(_fight_in_words(rules, state))
    if state.phase == GAME_OVER:
        parts.append(_outcome_in_words(state))
    return "; ".join(part for part in parts if part)


def _stage_in_words(rules: Rules, state: Any) -> str:
    """The stage that the last action has begun, with what was gathered; empty where it goes on."""
    if state.phase == DRAFT and state.news:
        return f"draft {state.drafts + 1}: the columns are opened"
    if state.phase == CHALLENGE_CARD and state.news in (GATHERED_NEWS, SIDES_NEWS):
        hands = [", ".join(card_name(rules.cards, card) for card in _cards(state.gathered[seat]))
                 for seat in range(rules.num_players)]  # fmt: skip
        return "gathered: " + "; ".join(f"seat {seat} {hand}" for seat, hand in enumerate(hands))
    if state.phase == DEPLOY_CARD and not any(state.deployed) and not state.ended:
        return "the Challenge is over, deployment begins"
    if state.phase == EQUIP and not (state.equipped != NONE).any():
        teams = [_sent_in_words(rules, state, seat, i) for seat in range(rules.num_players) for i in range(TEAM)]
        return f"the final: {', '.join(teams)}"
    return ""


def _result_in_words(state: Any) -> str:
    first, second = (in_words(totals) for totals in state.totals)
    if state.result <= TIED:
        return f"{RESULTS[state.result - 1]} the duel {first} to {second}".replace("tie the duel", "the duel is a tie,")
    return f"{RESULTS[state.result - 1]}: {first} against {second}"
