"""How a position or an action is written and read.

An action reads "lay 5S", "done", "raise 1", "lower 2", "decline", "HIGH", "LOW" or "10S"; a bare card may be laid too.

A position line is described in `_positions.py`; `draw` shows a position to people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardkit.spec import InvalidText, nearest
from truf._bidding import bid_value, hand_size
from truf._positions import card_to_string, held_cards, read_position, trick_cards, write_position
from truf._tricks import is_face_down, next_seat, suit_of
from truf.cards import CARD_NAMES, SUIT_NAMES, cards_to_string, hand_in_words, string_to_card
from truf.rules import SEATS, Rules
from truf.state import BID, DEAL_HANDS, DONE, GAME_OVER, LOWER, MODES, NONE, PHASES, PLAY, SHIFT, UNSETTLED

__all__ = [
    "action_to_string", "bid_text", "bidding_text", "comment", "draw", "hand_text", "read_position",
    "string_to_action", "write_position",
]  # fmt: skip

_SHIFT_NAMES = (
    *(f"raise {i + 1}" for i in range(LOWER)), *(f"lower {i + 1}" for i in range(LOWER)), "decline", "HIGH", "LOW",
)  # fmt: skip


def action_to_string(rules: Rules, phase: int, action: int) -> str:
    """The action in words, such as "lay 5S", "done", "raise 1" or "10S".

    Raises:
        InvalidText: no action of the phase has that number.
    """
    names = {SHIFT: _SHIFT_NAMES, BID: (*(f"lay {name}" for name in CARD_NAMES), "done")}.get(phase, CARD_NAMES)
    if action >= len(names):
        raise InvalidText(f"action {action} is none of phase {PHASES[phase]!r}: expected 0..{len(names) - 1}")
    return names[action]


def string_to_action(rules: Rules, phase: int, text: str) -> int:
    """The action that a text names in a phase.

    Raises:
        InvalidText: the text names no action of this phase.
    """
    word = " ".join(text.lower().split())
    if phase == SHIFT:
        names = {name.lower(): action for action, name in enumerate(_SHIFT_NAMES)}
        if word not in names:
            raise InvalidText(f"{text!r} is no shift{nearest(word, names)}")
        return names[word]
    if phase == BID:
        return DONE if word == "done" else string_to_card(word.removeprefix("lay "))
    return string_to_card(word)


def draw(rules: Rules, state: Any, observer: int | None) -> str:
    """The position for people, several lines; what an observer cannot see is not shown."""
    is_scored = state.phase in (DEAL_HANDS, GAME_OVER)
    number = int(state.hands_done) + (not is_scored)
    lines = [f"Truf, hand {number}, {int(hand_size(rules))} cards each; {_truf_in_words(state)}"]
    lines.append("seat  bid  counts  sets   total  laid             hand")
    for seat in range(SEATS):
        lines.append(_seat_line(state, seat, observer))
    if state.phase in (PLAY, DEAL_HANDS, GAME_OVER):
        lines.append(_trick_in_words(rules, state, observer))
    doing = {BID: f"seat {state.actor} to lay bid cards", SHIFT: f"seat {state.actor} to shift all bids up or down"}
    doing |= {PLAY: f"seat {state.actor} to play", DEAL_HANDS: "the hand is over", GAME_OVER: "the game is over"}
    lines.append(doing[int(state.phase)])
    return "\n".join(lines)


def _seat_line(state: Any, seat: int, observer: int | None) -> str:
    is_hidden = observer not in (None, seat)
    is_secret = state.phase == BID and is_hidden
    laid = "hidden" if is_secret else cards_to_string(state.laid[seat], "+")
    bid = "-" if state.phase == BID else str(int(bid_value(state.laid[seat])))
    counts = "-" if state.mode == UNSETTLED else str(state.final_bids[seat])
    hand = hand_in_words(held_cards(state, seat))
    if is_hidden:
        hand = "hidden" if hand == "no cards" else f"hidden, with {hand}"
    numbers = f"{seat:>4} {bid:>4} {counts:>7} {state.sets[seat]:>5} {state.totals[seat]:>7}"
    return f"{numbers}  {laid:<15}  {hand}"


def _truf_in_words(state: Any) -> str:
    if state.phase == BID:
        return "bids are being laid"
    truf = "no truf" if state.truf == NONE else f"{SUIT_NAMES[state.truf]} are truf"
    locked = "" if state.truf == NONE else " (unlocked)" if state.unlocked else " (locked)"
    mode = "" if state.mode == UNSETTLED else f", {MODES[state.mode]}"
    return f"seat {state.top_bidder} has bid highest, {truf}{locked}{mode}"


def _trick_in_words(rules: Rules, state: Any, observer: int | None) -> str:
    cards = trick_cards(state)
    if not cards:
        return "no card has been played"
    led, seat, plays = suit_of(cards[0]), int(state.leader), []
    for card in cards:
        covered = state.trick_size and is_face_down(rules, state, suit_of(card), led)
        plays.append(f"seat {seat} {card_to_string(card)}" + (" face down" if covered else ""))
        seat = int(next_seat(rules, state, seat))
    if state.trick_size:
        return f"trick {state.tricks_done + 1}: {', '.join(plays)}"
    return f"trick {state.tricks_done}: {', '.join(plays)}; seat {state.winner} takes it"


def bid_text(actions: Sequence[int]) -> str:
    """The cards laid for a bid, such as "5S, KH"."""
    return ", ".join(CARD_NAMES[card] for card in actions if card != DONE)


def hand_text(mask: int) -> str:
    """A hand as `bid_views` reads it, such as "3C, KD", from its bit mask as in the run files."""
    return cards_to_string(mask, ", ")


def bidding_text(rules: Rules, states: Sequence[Any]) -> str:
    """What a seat sees before it bids beside its hand: nothing."""
    return ""


def comment(rules: Rules, state: Any) -> str:
    """What the last action brought about, for a replay: truf and mode, or who took the trick; else empty."""
    if state.phase == SHIFT or (state.phase == PLAY and not state.trick):
        bids = ", ".join(cards_to_string(cards, "+") for cards in state.laid)
        return f"bids {bids}: {_truf_in_words(state)}"
    if state.phase == BID or state.trick_size:
        return ""
    final, won = state.final_bids[state.winner], state.sets[state.winner]
    return f"seat {state.winner} takes trick {state.tricks_done} and has {won} (bid {final})"
