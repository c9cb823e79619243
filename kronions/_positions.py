"""Positions as one line of text: written, read, and checked against the rules.

A position is one line of `key=value` words; a list has one entry a seat:

    phase=play round=3 dealer=2 size=3 flip=N4 up=1 trump=N totals=23,0,15,12 zeros=1,0,0,2 bids=1,0,2,1
    won=0,1,0,0 voids=-,CN,-,- hands=C3.P,?,?,? played=N7,C5,F2.P,V1 leader=1 trick=C5,Past actor=3

`hands` are the cards still held (`-` none, `?` hidden), `played` those played in this round, P is a paradox card,
`trick` the current trick (or the last one, if it is complete) in playing order from `leader`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardkit.spec import read_entries, read_number, read_words, require
from kronions import kernels
from kronions._dealing import deck_mask, has_flip
from kronions._tricks import held_paradox, held_suited
from kronions.cards import (
    FUTURE,
    PARADOX,
    RANKS,
    SHORT_PLAY_NAMES,
    SUIT_LETTERS,
    cards_to_string,
    string_to_cards,
    string_to_play,
)
from kronions.rules import DEALER_NAMES, HOOK_OFF, LEFT_LEADS, NOBODY, REDRAW, Rules, deck_size, hand_sizes
from kronions.state import BID, GAME_OVER, NAME_TRUMP, NO_BID, NONE, PHASES, PLAY, STATE

# The words of a position, in writing order.
KEYS = (
    *("phase", "round", "dealer", "size", "flip", "up", "trump", "totals", "zeros", "bids", "won", "voids"),
    *("hands", "played", "leader", "trick", "actor"),
)
_HIDDEN = "?"
_EMPTY = "-"
_SUIT_OF_LETTER = {letter: suit for suit, letter in enumerate(SUIT_LETTERS)}


def held(state: Any, seat: int) -> tuple[int, int]:
    return int(held_suited(state, seat)), int(held_paradox(state, seat))


def trick_actions(state: Any) -> list[int]:
    """The actions in `trick`, in playing order."""
    return [byte - 1 for byte in int(state.trick).to_bytes(8, "little") if byte]


def write_position(rules: Rules, state: Any, observer: int | None) -> str:
    """The position as one line that `read_position` turns into the same record."""
    n = rules.num_players
    seats = range(n)
    played = [
        cards_to_string(int(state.hands[s]) & int(state.played) & (2**PARADOX - 1), state.paradox_played[s])
        for s in seats
    ]
    hands = [_HIDDEN if observer not in (None, s) else cards_to_string(*held(state, s)) for s in seats]
    voids = ["".join(SUIT_LETTERS[i] for i in range(4) if state.voids[s] >> i & 1) or _EMPTY for s in seats]
    bids = [_EMPTY if state.bids[s] == NO_BID else str(state.bids[s]) for s in seats]
    flip = _EMPTY if state.flip == NONE else "P" if state.flip == PARADOX else SHORT_PLAY_NAMES[state.flip]
    round_number = int(state.rounds_done) + (state.phase != GAME_OVER)
    values = (
        PHASES[state.phase], round_number, state.dealer, state.hand_size, flip, state.turned_up,
        _EMPTY if state.trump == NONE else SUIT_LETTERS[state.trump],
        *(",".join(map(str, values)) for values in (state.totals[:n], state.zero_bids[:n], bids, state.tricks[:n])),
        ",".join(voids), ",".join(hands), ",".join(played), state.leader,
        ",".join(SHORT_PLAY_NAMES[action] for action in trick_actions(state)) or _EMPTY, state.actor,
    )  # fmt: skip
    return " ".join(f"{key}={value}" for key, value in zip(KEYS, values, strict=True))


def read_position(rules: Rules, text: str) -> tuple[np.ndarray, int | None]:
    """The record of a position, `(1,)` of `STATE`, and the observer where the other hands are hidden.

    Raises:
        InvalidText: not a position of a game with these rules; says which word or which rule is wrong.
    """
    words = read_words(text, KEYS)
    record = np.zeros(1, STATE).view(np.recarray)
    state: Any = record[0]
    kernels.new_game(rules, state)
    _read_table_state(rules, words, state)
    observer = _read_cards(rules, words, state)
    _read_trick(rules, words, state)
    _check_cards(rules, state, observer)
    _check_play(rules, state)
    return record, observer


def _read_table_state(rules: Rules, words: dict[str, str], state: Any) -> None:
    """Everything but the cards: round, trump, scores, bids and voids."""
    last_seat, sizes = rules.num_players - 1, hand_sizes(rules)
    phases = {PHASES[phase]: phase for phase in (NAME_TRUMP, BID, PLAY, GAME_OVER)}
    require(words["phase"] in phases, f"phase={words['phase']!r}: expected one of {', '.join(phases)}")
    state.phase = phases[words["phase"]]
    round_number = read_number("round", words["round"], 1, len(sizes))
    is_over = state.phase == GAME_OVER
    require(not is_over or round_number == len(sizes), f"phase=over: expected round={len(sizes)}")
    state.rounds_done = round_number - (not is_over)
    state.hand_size = read_number("size", words["size"], sizes[round_number - 1], sizes[round_number - 1])
    for key in ("dealer", "leader", "actor"):
        setattr(state, key, read_number(key, words[key], 0, last_seat))
    most = int(state.rounds_done) * (rules.score_base + max(sizes))
    numbers = ("totals", state.totals, most), ("zeros", state.zero_bids, int(state.rounds_done))
    for key, field, high in (*numbers, ("won", state.tricks, int(state.hand_size))):
        for seat, entry in enumerate(read_entries(words, key, rules.num_players)):
            field[seat] = read_number(key, entry, 0, int(high))
    bids, voids = (read_entries(words, key, rules.num_players) for key in ("bids", "voids"))
    for seat in range(rules.num_players):
        bid = bids[seat]
        state.bids[seat] = NO_BID if bid == _EMPTY else read_number("bids", bid, 0, int(state.hand_size))
        for letter in voids[seat].replace(_EMPTY, ""):
            require(
                letter in SUIT_LETTERS[: rules.num_suits], f"voids={words['voids']!r}: {letter!r} is no suit letter"
            )
            state.voids[seat] |= np.uint8(1 << _SUIT_OF_LETTER[letter])
    _read_trump(rules, words, state)


def _read_trump(rules: Rules, words: dict[str, str], state: Any) -> None:
    flip, trump, letters = words["flip"], words["trump"], SUIT_LETTERS[: rules.num_suits]
    state.turned_up = read_number("up", words["up"], 0, rules.num_paradox + 1)
    require((flip == _EMPTY) == (state.turned_up == 0), f"flip={flip} and up={state.turned_up} contradict each other")
    require(
        trump == _EMPTY or (trump in letters and len(trump) == 1),
        f"trump={trump!r}: expected - or one of {', '.join(letters)}",
    )
    state.trump = NONE if trump == _EMPTY else _SUIT_OF_LETTER[trump]
    if flip != _EMPTY:
        cards, paradox = string_to_cards(flip)
        require(cards.bit_count() + paradox == 1, f"flip={flip!r}: expected one card")
        state.flip = PARADOX if paradox else cards.bit_length() - 1
    is_named = rules.paradox_flip == DEALER_NAMES and state.flip == PARADOX and state.phase != NAME_TRUMP
    suited_flip = state.flip not in (NONE, PARADOX)
    expected = letters if is_named else SUIT_LETTERS[state.flip // RANKS] if suited_flip else _EMPTY
    require(trump in expected, f"trump={trump} does not follow from flip={flip}: expected {' or '.join(expected)}")
    left = deck_size(rules) - rules.num_players * int(state.hand_size)
    scratch = _scratch(state)
    scratch.rounds_done -= state.phase == GAME_OVER
    require(
        bool(has_flip(rules, scratch)) == (flip != _EMPTY),
        f"flip={flip}: not what this round turns up [R13, R14]",
    )
    passed_over = int(state.turned_up) - suited_flip
    require(state.turned_up <= left, f"up={state.turned_up}: only {left} cards are left undealt")
    can_pass = rules.paradox_flip == REDRAW or passed_over <= (not suited_flip)
    require(can_pass, f"flip={flip} and up={state.turned_up}: only paradox_flip=redraw turns up more cards")
    is_redrawn = rules.paradox_flip == REDRAW and state.flip == PARADOX
    require(
        not is_redrawn or state.turned_up == left, f"flip=P and up={state.turned_up}: {left} cards could be redrawn"
    )


def _scratch(state: Any) -> Any:
    """A copy of the record to try something on."""
    copy = np.zeros(1, STATE).view(np.recarray)
    copy[0] = state
    return copy[0]


def _read_cards(rules: Rules, words: dict[str, str], state: Any) -> int | None:
    """Fill in hands and played cards; returns the observer."""
    hands, played = read_entries(words, "hands", rules.num_players), read_entries(words, "played", rules.num_players)
    shown = [seat for seat, hand in enumerate(hands) if hand != _HIDDEN]
    is_view = len(shown) < rules.num_players
    require(len(shown) == 1 or not is_view, f"hands={words['hands']!r}: expected all hands or exactly one shown")
    seen = 0 if state.flip in (NONE, PARADOX) else 1 << int(state.flip)
    deck = int(deck_mask(rules))
    require(not seen & ~deck, f"flip={words['flip']} is not in the deck of these rules")
    for seat in range(rules.num_players):
        laid, laid_paradox = string_to_cards(played[seat])
        held, held_paradox = (0, 0) if hands[seat] == _HIDDEN else string_to_cards(hands[seat])
        for cards in (laid, held):
            require(not cards & seen, f"{cards_to_string(cards & seen, 0)} lies in two places")
            require(not cards & ~deck, f"{cards_to_string(cards & ~deck, 0)} is not in the deck of these rules")
            seen |= cards
        require(
            held_paradox + laid_paradox <= rules.num_paradox,
            f"seat {seat} has more than {rules.num_paradox} paradox cards",
        )
        paradox = (1 << held_paradox + laid_paradox) - 1
        state.hands[seat] = np.uint64(held | laid | paradox << PARADOX)
        state.played |= np.uint64(laid)
        state.paradox_played[seat] = laid_paradox
        if hands[seat] != _HIDDEN:
            require(not any(state.voids[seat] >> s & 1 and held >> RANKS * s & 2**RANKS - 1 for s in range(4)),
                     f"seat {seat} holds {hands[seat]} but is void in {words['voids'].split(',')[seat]}")  # fmt: skip
    return shown[0] if is_view else None


def _read_trick(rules: Rules, words: dict[str, str], state: Any) -> None:
    """Fill in the trick, and find its led suit and its winner by playing it again."""
    texts = [] if words["trick"] == _EMPTY else words["trick"].split(",")
    actions = [string_to_play(text) for text in texts]
    require(len(actions) <= rules.num_players, f"trick={words['trick']!r}: expected at most {rules.num_players} cards")
    scratch = _scratch(state)
    scratch.led_suit, scratch.power, scratch.trick_size, scratch.tricks_done = NONE, 0, 0, -9
    scratch.trick, scratch.actor, scratch.hand_size, scratch.phase = 0, state.leader, 100, PLAY
    for action in actions:
        kernels.apply(rules, scratch, action)
    for field in ("trick", "led_suit", "power", "winner", "trick_size"):
        setattr(state, field, getattr(scratch, field))
    counts = [
        (int(state.hands[s]) & int(state.played)).bit_count() + int(state.paradox_played[s])
        for s in range(rules.num_players)
    ]
    tricks_done = (sum(counts) - int(state.trick_size)) // rules.num_players
    require(
        sum(counts) - state.trick_size == tricks_done * rules.num_players,
        "the cards in played= do not make whole tricks",
    )
    state.tricks_done = tricks_done
    for offset in range(rules.num_players):
        seat = (int(state.leader) + offset) % rules.num_players
        expected = tricks_done + (offset < state.trick_size)
        require(counts[seat] == expected, f"seat {seat} has played {counts[seat]} cards: expected {expected}")
        if offset < len(actions):
            action = actions[offset]
            laid = int(state.hands[seat]) & int(state.played)
            is_there = state.paradox_played[seat] if action >= FUTURE else laid >> action & 1
            require(is_there, f"{texts[offset]} is in trick= but not in played= of seat {seat}")
    require(bool(actions) == (sum(counts) > 0), "trick= must show the current or the last trick once a card is played")
    if actions and not state.trick_size:
        state.leader = scratch.leader
        require(
            state.actor == scratch.actor or state.phase == GAME_OVER,
            f"actor={state.actor}: expected {scratch.actor}, who leads next",
        )


def _check_cards(rules: Rules, state: Any, observer: int | None) -> None:
    """Every shown hand has its size, and there are not too many paradox cards [invariants 1 and 2]."""
    paradox = int(state.turned_up) - (state.flip not in (NONE, PARADOX))
    for seat in range(rules.num_players):
        paradox += (int(state.hands[seat]) >> PARADOX).bit_count()
        held = int(held_suited(state, seat)).bit_count() + int(held_paradox(state, seat))
        in_trick = (seat - int(state.leader)) % rules.num_players < state.trick_size
        expected = int(state.hand_size) - int(state.tricks_done) - in_trick
        if observer in (None, seat):
            require(held == expected, f"seat {seat} holds {held} cards: expected {expected}")
    require(
        paradox <= rules.num_paradox,
        f"{paradox} paradox cards lie in hands and on the table: there are {rules.num_paradox}",
    )


def _check_play(rules: Rules, state: Any) -> None:
    """Bids, tricks and the seat to act fit the phase [R18-R23, invariant 3]."""
    players, dealer = rules.num_players, int(state.dealer)
    bids = [int(state.bids[(dealer + 1 + i) % players]) for i in range(players)]
    num_bids = sum(bid != NO_BID for bid in bids)
    require(
        all((bid != NO_BID) == (i < num_bids) for i, bid in enumerate(bids)),
        "bids= do not go clockwise from the dealer's left",
    )
    is_complete = num_bids == players
    hooked = is_complete and rules.hook != HOOK_OFF and sum(bids) == state.hand_size
    require(not hooked, f"the bids add up to {state.hand_size}, which the hook forbids [R20]")
    require(
        is_complete == (state.phase in (PLAY, GAME_OVER)),
        f"phase={PHASES[state.phase]} does not go with {num_bids} bids",
    )
    won, done = sum(int(state.tricks[seat]) for seat in range(players)), int(state.tricks_done)
    require(
        won == done or (won < done and rules.all_past == NOBODY),
        f"won= adds up to {won}, but {done} tricks are complete",
    )
    require(
        (done == state.hand_size) == (state.phase == GAME_OVER),
        f"{done} of {state.hand_size} tricks are complete in phase={PHASES[state.phase]}",
    )
    if state.phase == NAME_TRUMP:
        may_name = rules.paradox_flip == DEALER_NAMES and state.flip == PARADOX and num_bids == 0
        require(may_name, "phase=name_trump needs paradox_flip=dealer_names, flip=P and no bids")
    expected = _expected_actor(rules, state, num_bids)
    require(expected in (None, int(state.actor)), f"actor={state.actor}: expected {expected}")


def _expected_actor(rules: Rules, state: Any, num_bids: int) -> int | None:
    """The seat that must act, or None where `_read_trick` has checked it."""
    dealer = int(state.dealer)
    if state.phase == NAME_TRUMP:
        return dealer
    if state.phase == BID:
        return (dealer + 1 + num_bids) % rules.num_players
    if state.phase == PLAY and state.trick_size:
        return (int(state.leader) + int(state.trick_size)) % rules.num_players
    if state.phase == PLAY and state.tricks_done == 0:
        return (dealer + (rules.first_leader == LEFT_LEADS)) % rules.num_players
    return None
