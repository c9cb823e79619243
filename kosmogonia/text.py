"""How a position or an action is written and read.

An action reads "Jason", "open", "quest 2 left", "END", "pass", "citadel 1", "Fist to Awe", "Cunning Fist Awe" (who
gets the 1st, 2nd and 3rd factor), "5 Labrys" (a treasure), "nothing", "seat 2" or "Gods" (a column of a draft). A card
may be named by its short text too: "D0". A position line is described in `_positions.py`; `draw` shows a position to
people, and `comment` tells what an action brought about.
"""

from __future__ import annotations

import contextlib
from itertools import permutations

from cardkit.spec import InvalidText, nearest
from kosmogonia._positions import read_position, write_position
from kosmogonia._show import comment, draw
from kosmogonia.cards import (
    CATEGORY_NAMES,
    CHAMPIONS,
    STACK_NAMES,
    STACKS,
    TREASURES,
    card_name,
    name_text,
    name_to_card,
)
from kosmogonia.rules import MOST_SEATS, Rules
from kosmogonia.state import (
    CHALLENGE_CARD,
    CHALLENGE_ORIENT,
    CITADEL,
    DEPLOY_CARD,
    DEPLOY_ORIENT,
    DEPLOY_PLACE,
    DRAFT,
    END,
    END_CHAMPION,
    END_PERMUTATION,
    EQUIP,
    FIRST_PLAYER,
    NOTHING,
    PASS,
    PHASES,
    SIDES,
    SYM7,
    SYM8_CARD,
    SYM8_NUMBER,
    TOURN_DISCARD,
    USE,
)

__all__ = ["action_to_string", "comment", "draw", "read_position", "string_to_action", "write_position"]

_ORIENTATIONS = {0: "open", 1: "closed"}
_WORDS: dict[int, dict[int, str]] = {
    FIRST_PLAYER: {seat: f"seat {seat}" for seat in range(MOST_SEATS)},
    DRAFT: {stack: STACK_NAMES[stack] for stack in range(STACKS)},
    CHALLENGE_ORIENT: _ORIENTATIONS,
    DEPLOY_ORIENT: _ORIENTATIONS,
    DEPLOY_PLACE: {side: f"quest {side // 2 + 1} {('left', 'right')[side % 2]}" for side in range(SIDES)},
    SYM7: {3 * a + b: f"{CATEGORY_NAMES[a]} to {CATEGORY_NAMES[b]}" for a in range(3) for b in range(3) if a != b},
    SYM8_NUMBER: dict(enumerate(CATEGORY_NAMES)),
    END_PERMUTATION: {i: " ".join(names) for i, names in enumerate(permutations(CATEGORY_NAMES))},
}


def _words(rules: Rules, phase: int) -> dict[int, str]:
    """All actions of a phase in words."""
    if phase in _WORDS:
        return _WORDS[phase]
    table = rules.cards
    if phase == USE:
        cards = {i: card_name(table, CHAMPIONS + i) for i in range(CITADEL)}
        return cards | {CITADEL + i: f"citadel {i + 1}" for i in range(PASS - CITADEL)} | {PASS: "pass"}
    if phase in (SYM8_CARD, EQUIP):
        treasures = {i: f"{i} {name_text(table, 'treasure_names', i)}" for i in range(TREASURES)}
        return treasures | ({NOTHING: "nothing"} if phase == EQUIP else {})
    number = CHAMPIONS if phase in (CHALLENGE_CARD, DEPLOY_CARD, END_CHAMPION) else 0
    number = len(table[0].card_names) if phase == TOURN_DISCARD else number
    words = {card: card_name(table, card) for card in range(number)}
    return words | ({END: "END"} if phase == DEPLOY_CARD else {})


def action_to_string(rules: Rules, phase: int, action: int) -> str:
    """The action in words.

    Raises:
        InvalidText: no action of the phase has that number.
    """
    words = _words(rules, phase)
    if action not in words:
        numbers = ", ".join(map(str, words)) or "none"
        raise InvalidText(f"action {action} is none of phase {PHASES[phase]!r}: expected one of {numbers}")
    return words[action]


def string_to_action(rules: Rules, phase: int, text: str) -> int:
    """The action that a text names in a phase; a treasure may be named by its number alone.

    Raises:
        InvalidText: the text names no action of this phase.
    """
    word = " ".join(text.split()).casefold()
    words = {name.casefold(): action for action, name in _words(rules, phase).items()}
    if word in words:
        return words[word]
    if phase in (SYM8_CARD, EQUIP) and len(word) < 3 and word.isascii() and word.isdecimal() and int(word) < TREASURES:
        return int(word)
    if phase in (CHALLENGE_CARD, DEPLOY_CARD, END_CHAMPION, TOURN_DISCARD, USE):
        with contextlib.suppress(InvalidText):
            card = name_to_card(rules.cards, word)
            action = card - CHAMPIONS if phase == USE else card
            if action in words.values():
                return action
    raise InvalidText(f"{text!r} is no action of phase {PHASES[phase]!r}{nearest(word, words)}")
