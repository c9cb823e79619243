"""How a position or an action is written and read.

An action reads "Nova 7", "Future", "Past", "bid 3" or "name Void"; "N7", "Fut", "3" and "Void" are understood too.

A position line is described in `_positions.py`; `draw` shows a position to people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardkit.spec import InvalidText, nearest
from kronions._positions import held, read_position, trick_actions, write_position
from kronions.cards import CARD_NAMES, PARADOX, PLAY_NAMES, SUIT_NAMES, hand_in_words, string_to_play
from kronions.rules import Rules, hand_sizes
from kronions.state import BID, DEAL_CARDS, GAME_OVER, NAME_TRUMP, NO_BID, NONE, PHASES, PLAY

__all__ = [
    "action_to_string", "bid_text", "bidding_text", "comment", "draw", "hand_text", "read_position",
    "string_to_action", "write_position",
]  # fmt: skip


def action_to_string(rules: Rules, phase: int, action: int) -> str:
    """The action in words, such as "Nova 7", "bid 3" or "name Void".

    Raises:
        InvalidText: no action of the phase has that number.
    """
    if phase == BID:
        return f"bid {action}"
    names = [f"name {suit}" for suit in SUIT_NAMES] if phase == NAME_TRUMP else PLAY_NAMES
    if action >= len(names):
        raise InvalidText(f"action {action} is none of phase {PHASES[phase]!r}: expected 0..{len(names) - 1}")
    return names[action]


def string_to_action(rules: Rules, phase: int, text: str) -> int:
    """The action that a text names in a phase.

    Raises:
        InvalidText: the text names no action of this phase.
    """
    word = " ".join(text.lower().split())
    if phase == BID:
        number = word.removeprefix("bid ")
        if number.isdecimal() and number.isascii() and len(number) < 4:
            return int(number)
        raise InvalidText(f"{text!r} is no bid: expected a number of tricks such as 'bid 2'")
    if phase == PLAY:
        return string_to_play(text)
    suits = {name.lower(): suit for suit, name in enumerate(SUIT_NAMES)}
    name = word.removeprefix("name ")
    if name not in suits:
        raise InvalidText(f"{text!r} is no suit{nearest(name, suits)}")
    return suits[name]


def draw(rules: Rules, state: Any, observer: int | None) -> str:
    """The position for people, several lines; hands an observer cannot see are not shown."""
    sizes = hand_sizes(rules)
    is_scored = state.phase in (DEAL_CARDS, GAME_OVER)
    title = f"round {int(state.rounds_done) + (not is_scored)} of {len(sizes)}, {_plural(state.hand_size, 'card')} each"
    lines = [f"Kronions, {title}, dealer seat {state.dealer}; {_trump_in_words(state)}"]
    lines.append("seat  bid  won  total  zero bids  hand")
    for seat in range(rules.num_players):
        bid = "-" if state.bids[seat] == NO_BID else str(state.bids[seat])
        hand = "hidden" if observer not in (None, seat) else hand_in_words(*held(state, seat))
        numbers = f"{seat:>4} {bid:>4} {state.tricks[seat]:>4} {state.totals[seat]:>6} {state.zero_bids[seat]:>10}"
        lines.append(f"{numbers}  {hand}")
    if state.phase in (PLAY, DEAL_CARDS, GAME_OVER):
        lines.append(_trick_in_words(rules, state))
    doing = {NAME_TRUMP: f"seat {state.actor} to name trump", BID: f"seat {state.actor} to bid"}
    doing |= {PLAY: f"seat {state.actor} to play", DEAL_CARDS: "the round is over", GAME_OVER: "the game is over"}
    lines.append(doing[int(state.phase)])
    return "\n".join(lines)


def bid_text(actions: Sequence[int]) -> str:
    """A bid in words, such as "bid 3"."""
    return f"bid {actions[0]}"


def hand_text(mask: int) -> str:
    """A hand as `bid_views` reads it, such as "Nova 7, paradox", from its bit mask as in the run files."""
    suited = [name for card, name in enumerate(CARD_NAMES) if mask >> card & 1]
    return ", ".join(suited + ["paradox"] * (mask >> PARADOX).bit_count())


def bidding_text(rules: Rules, states: Sequence[Any]) -> str:
    """What a seat sees before it bids, in words, where any of some cards may be the one turned up."""
    state = states[0]
    trump = _trump_in_words(state) if len(states) == 1 else f"trump {SUIT_NAMES[state.trump]}"
    order = [(int(state.dealer) + 1 + i) % rules.num_players for i in range(rules.num_players)]
    bids = ", ".join(f"seat {seat} {state.bids[seat]}" for seat in order if state.bids[seat] != NO_BID)
    return f"{trump}, dealer seat {state.dealer}, bids: {bids or 'none yet'}"


def comment(rules: Rules, state: Any) -> str:
    """What the last action brought about, for a replay: who took the trick; empty where nothing was decided."""
    if state.phase == PLAY and state.tricks_done == 0 and not state.trick:
        return (
            f"bids: {sum(int(state.bids[s]) for s in range(rules.num_players))} for {_plural(state.hand_size, 'trick')}"
        )
    if (state.phase < PLAY and state.phase != DEAL_CARDS) or state.trick_size:
        return ""
    if state.winner == NONE:
        return f"nobody takes trick {state.tricks_done}"
    bid, won = state.bids[state.winner], state.tricks[state.winner]
    return f"seat {state.winner} takes trick {state.tricks_done} and has {won} (bid {bid})"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _trump_in_words(state: Any) -> str:
    trump = "no trump" if state.trump == NONE else f"trump {SUIT_NAMES[state.trump]}"
    if state.flip == NONE:
        return trump
    turned = "a paradox card" if state.flip == PARADOX else CARD_NAMES[state.flip]
    return f"{turned} turned up, {trump}"


def _trick_in_words(rules: Rules, state: Any) -> str:
    actions = trick_actions(state)
    if not actions:
        return "no card has been played"
    plays = [f"seat {(int(state.leader) + i) % rules.num_players} {PLAY_NAMES[a]}" for i, a in enumerate(actions)]
    if state.trick_size:
        return f"trick {state.tricks_done + 1}: {', '.join(plays)}"
    winner = "nobody takes it" if state.winner == NONE else f"seat {state.winner} takes it"
    return f"trick {state.tricks_done}: {', '.join(plays)}; {winner}"
