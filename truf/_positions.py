"""Positions as one line of text: written, read, and checked against the rules.

A position is one line of `key=value` words; a list has one entry a seat:

    phase=play hand=3 totals=12,-4,0,7 hands=5C.KH,?,?,? laid=5S,3D.4S,AH,QC played=2C,7D,-,- final=5,7,1,0
    mode=none sets=0,0,0,0 voids=-,-,H,- unlocked=0 leader=1 trick=7D,D* actor=3

`hands` are the cards still held (`-` none, `?` hidden), `laid` the bid cards (`?` before the reveal), `played` those
played in this hand, `trick` the current trick (or the last, if it is complete) from `leader` on; `D*` lies face down.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardkit import bits
from cardkit.spec import read_entries, read_number, read_words, require
from truf import kernels
from truf._bidding import deck_mask, hand_size, is_freak, lay, legal_shifts, shift
from truf._scoring import has_winner
from truf._tricks import is_face_down, next_seat, power, suit_of, trick_card
from truf.cards import CARD_NAMES, RANKS, SUIT_LETTERS, SUITS, cards_to_string, string_to_card, string_to_cards
from truf.rules import ANY_DISCARD, PAGAT, SEATS, Rules
from truf.state import BID, DONE, FACE_DOWN, GAME_OVER, MODES, NONE, PHASES, PLAY, SHIFT, STATE

# The words of a position, in writing order.
KEYS = (
    *("phase", "hand", "totals", "hands", "laid", "played", "final", "mode", "sets", "voids", "unlocked", "leader"),
    *("trick", "actor"),
)
_HIDDEN = "?"
_EMPTY = "-"
_MOST_POINTS = 11_000_000  # no total of 10,000 hands is larger: a hand gives at most 1,000 or takes 1,026


def held_cards(state: Any, seat: int) -> int:
    """The cards a seat still holds."""
    return int(state.hands[seat]) & ~int(state.played)


def trick_cards(state: Any) -> list[int]:
    """The cards in `trick`, in playing order; 52 + suit is one whose rank is hidden."""
    return [byte - 1 for byte in int(state.trick).to_bytes(8, "little") if byte]


def card_to_string(card: int) -> str:
    """The name of a card, "D*" for a diamond that lies face down."""
    return CARD_NAMES[card] if card < FACE_DOWN else f"{SUIT_LETTERS[card - FACE_DOWN]}*"


def write_position(rules: Rules, state: Any, observer: int | None) -> str:
    """The position as one line that `read_position` turns into the same record."""
    seats = range(SEATS)
    hidden = [observer not in (None, seat) for seat in seats]
    is_secret = state.phase == BID
    voids = ["".join(SUIT_LETTERS[suit] for suit in range(SUITS) if state.voids[s] >> suit & 1) for s in seats]
    lists = (
        state.totals,
        [_HIDDEN if hidden[s] else cards_to_string(held_cards(state, s)) for s in seats],
        [_HIDDEN if hidden[s] and is_secret else cards_to_string(state.laid[s]) for s in seats],
        [cards_to_string(int(state.hands[s]) & int(state.played)) for s in seats],
        state.final_bids,
    )
    values = (
        PHASES[state.phase], int(state.hands_done) + (state.phase != GAME_OVER),
        *(",".join(map(str, entries)) for entries in lists), MODES[state.mode], ",".join(map(str, state.sets)),
        ",".join(void or _EMPTY for void in voids), state.unlocked, state.leader,
        ",".join(map(card_to_string, trick_cards(state))) or _EMPTY, state.actor,
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
    observer = _read_cards(rules, words, state)
    _read_bidding(rules, words, state)
    _read_table(rules, words, state)
    _read_trick(rules, words, state, observer)
    _check(rules, state, observer)
    return record, observer


def _numbers(words: dict[str, str], key: str, low: int, high: int) -> list[int]:
    return [read_number(key, entry, low, high) for entry in read_entries(words, key, SEATS)]


def _read_cards(rules: Rules, words: dict[str, str], state: Any) -> int | None:
    """Fill in phase, hands, laid and played cards; returns the observer."""
    phases = {PHASES[phase]: phase for phase in (BID, SHIFT, PLAY, GAME_OVER)}
    require(words["phase"] in phases, f"phase={words['phase']!r}: expected one of {', '.join(phases)}")
    state.phase = phases[words["phase"]]
    hands, laid, played = (
        read_entries(words, "hands", SEATS),
        read_entries(words, "laid", SEATS),
        read_entries(words, "played", SEATS),
    )
    shown = [seat for seat, hand in enumerate(hands) if hand != _HIDDEN]
    is_view = len(shown) < SEATS
    require(len(shown) == 1 or not is_view, f"hands={words['hands']!r}: expected all hands or exactly one shown")
    deck = int(deck_mask(rules))
    seen = 0
    for seat in range(SEATS):
        is_secret = is_view and seat not in shown and state.phase == BID
        require(
            (laid[seat] == _HIDDEN) == is_secret, f"laid={words['laid']!r}: only hidden bids before the reveal are ?"
        )
        gone = string_to_cards(played[seat])
        bid = 0 if laid[seat] == _HIDDEN else string_to_cards(laid[seat])
        owned = (bid if hands[seat] == _HIDDEN else string_to_cards(hands[seat])) | gone
        require(
            not gone & string_to_cards(hands[seat].replace(_HIDDEN, _EMPTY)), f"seat {seat} holds a card it has played"
        )
        require(not bid & ~owned, f"seat {seat} laid {cards_to_string(bid & ~owned)}, which it does not have")
        require(not owned & seen, f"{cards_to_string(owned & seen)} lies in two places")
        require(not owned & ~deck, f"{cards_to_string(owned & ~deck)} is not in the deck of these rules")
        seen |= owned
        state.hands[seat], state.laid[seat] = np.uint64(owned), np.uint64(bid)
        state.played |= np.uint64(gone)
    return shown[0] if is_view else None


def _read_bidding(rules: Rules, words: dict[str, str], state: Any) -> None:
    """Find top bidder, truf, final bids and mode by revealing the bids again [R18-R31]."""
    phase, finals, mode = int(state.phase), _numbers(words, "final", -RANKS, 128), words["mode"]
    require(mode in MODES, f"mode={mode!r}: expected one of {', '.join(MODES)}")
    if phase != BID:
        require(all(int(cards) for cards in state.laid), "laid=: every seat lays at least one card [R8]")
        state.phase, state.actor = BID, SEATS - 1
        lay(rules, state, DONE)
    if phase in (PLAY, GAME_OVER) and state.phase == SHIFT:
        _find_shift(rules, state, finals, mode)
    found = [int(bid) for bid in state.final_bids], MODES[state.mode]
    require(
        found == (finals, mode), f"final={words['final']} and mode={mode}: the laid cards give {found[0]} {found[1]}"
    )
    is_settled = phase in (PLAY, GAME_OVER) and state.phase == PLAY
    require(is_settled or phase == state.phase, f"phase={words['phase']} does not follow from the laid cards")
    state.phase = phase


def _find_shift(rules: Rules, state: Any, finals: list[int], mode: str) -> None:
    """Make the shift that leads to the given bids and mode, if there is one."""
    for action in range(64):
        if int(legal_shifts(rules, state)) >> action & 1:
            scratch = np.zeros(1, STATE).view(np.recarray)
            scratch[0] = state
            shift(rules, scratch[0], action)
            if [int(bid) for bid in scratch[0].final_bids] == finals and MODES[scratch[0].mode] == mode:
                shift(rules, state, action)
                return


def _read_table(rules: Rules, words: dict[str, str], state: Any) -> None:
    """Numbers on the table: hand, totals, sets, voids, seats."""
    is_over = state.phase == GAME_OVER
    state.hands_done = read_number("hand", words["hand"], 1, rules.max_hands) - (not is_over)
    size = int(hand_size(rules))
    for seat, (total, sets) in enumerate(
        zip(_numbers(words, "totals", -_MOST_POINTS, _MOST_POINTS), _numbers(words, "sets", 0, size), strict=True)
    ):
        state.totals[seat], state.sets[seat] = total, sets
    for seat, void in enumerate(read_entries(words, "voids", SEATS)):
        for letter in void.replace(_EMPTY, ""):
            require(letter in SUIT_LETTERS, f"voids={words['voids']!r}: {letter!r} is no suit letter")
            state.voids[seat] |= np.uint8(1 << SUIT_LETTERS.index(letter))
    state.unlocked = read_number("unlocked", words["unlocked"], 0, 1)
    state.leader = read_number("leader", words["leader"], 0, SEATS - 1)
    state.actor = read_number("actor", words["actor"], 0, SEATS - 1)


def _read_trick(rules: Rules, words: dict[str, str], state: Any, observer: int | None) -> None:
    """Fill in the trick and how many are done, and find who took a complete one."""
    texts = [] if words["trick"] == _EMPTY else words["trick"].split(",")
    require(len(texts) <= SEATS, f"trick={words['trick']!r}: expected at most {SEATS} cards")
    seat = int(state.leader)
    cards: list[int] = []
    for text in texts:
        covered = f"{SUIT_LETTERS[int(state.truf)]}*" if state.truf != NONE else None
        led = cards[0] if cards else FACE_DOWN + int(state.truf) if text == covered else string_to_card(text)
        lies_hidden = observer not in (None, seat) and len(texts) < SEATS
        is_covered = text == covered and lies_hidden and is_face_down(rules, state, int(state.truf), suit_of(led))
        card = FACE_DOWN + int(state.truf) if is_covered else string_to_card(text)
        laid = int(state.hands[seat]) & int(state.played)
        require(is_covered or laid >> card & 1, f"{text} is in trick= but not in played= of seat {seat}")
        is_open = is_covered or not lies_hidden or not is_face_down(rules, state, suit_of(card), suit_of(led))
        require(is_open, f"{text} lies face down: its rank is not known to seat {observer}, expected {covered}")
        cards.append(card)
        seat = int(next_seat(rules, state, seat))
    state.trick = np.uint64(sum(card + 1 << 8 * i for i, card in enumerate(cards)))
    state.trick_size = len(cards) % SEATS
    num_covered = sum(card >= FACE_DOWN for card in cards)
    num_played = int(state.played).bit_count() + num_covered - int(state.trick_size)
    require(num_played % SEATS == 0, "the cards in played= do not make whole tricks")
    state.tricks_done = num_played // SEATS
    require(bool(cards) == (num_played + int(state.trick_size) > 0), "trick= must show the current or the last trick")
    if len(cards) == SEATS:
        led = suit_of(cards[0])
        strongest = max(range(SEATS), key=lambda i: int(power(rules, state, cards[i], led)))
        seat = int(state.leader)
        for _ in range(strongest):
            seat = int(next_seat(rules, state, seat))
        state.winner = seat


def _check(rules: Rules, state: Any, observer: int | None) -> None:
    """Hands have their sizes, sets add up, voids hold, and the right seat acts [invariants 1, 2, 6]."""
    size, seat, in_trick = int(hand_size(rules)), int(state.leader), set()
    covered = {}
    for i in range(int(state.trick_size)):
        in_trick.add(seat)
        covered[seat] = trick_card(state, i) >= FACE_DOWN
        seat = int(next_seat(rules, state, seat))
    expected_actor = seat if state.trick_size else int(state.winner)
    for seat in range(SEATS):
        played = (int(state.hands[seat]) & int(state.played)).bit_count() + covered.get(seat, False)
        expected = int(state.tricks_done) + (seat in in_trick)
        require(played == expected, f"seat {seat} has played {played} cards: expected {expected}")
        held = held_cards(state, seat)
        if observer in (None, seat):
            require(
                held.bit_count() == size - expected,
                f"seat {seat} holds {held.bit_count()} cards: expected {size - expected}",
            )
        require(not any(state.voids[seat] >> suit & 1 and held >> RANKS * suit & 2**RANKS - 1 for suit in range(SUITS)),
                 f"seat {seat} holds a suit in which voids= says it is void")  # fmt: skip
        _check_bid(rules, state, seat)
    won, done = sum(int(sets) for sets in state.sets), int(state.tricks_done)
    require(won == done, f"sets= adds up to {won}, but {done} tricks are complete")
    require(
        (done == size) == (state.phase == GAME_OVER),
        f"{done} of {size} tricks are complete in phase={PHASES[state.phase]}",
    )
    is_truf_out = state.truf != NONE and int(state.played) >> RANKS * int(state.truf) & 2**RANKS - 1
    require(state.unlocked or not is_truf_out, "unlocked=0, but truf has been played [R35]")
    if state.phase == SHIFT or (state.phase == PLAY and not state.trick):
        expected_actor = int(state.top_bidder)
    if state.phase in (SHIFT, PLAY):
        require(state.actor == expected_actor, f"actor={state.actor}: expected {expected_actor}")
    require(state.phase != BID or not state.trick, "phase=bid: no card has been played yet")
    if state.phase == BID:
        _check_turn(state, observer)
    _check_marks(rules, state, observer)
    is_end = has_winner(rules, state) or state.hands_done >= rules.max_hands
    require(is_end or state.phase != GAME_OVER, f"phase=over hand={state.hands_done}: nobody has won yet [R49-R51]")


def _check_marks(rules: Rules, state: Any, observer: int | None) -> None:
    """What the table shows beside the cards follows from the cards and the rules [R4, R32-R36, R49]."""
    is_over, has_play = state.phase == GAME_OVER, bool(state.trick)
    require(is_over or not has_winner(rules, state), "totals=: somebody has won already [R49]")
    require(has_play or state.leader == 0 or state.phase == PLAY, "leader=: expected 0 before a card is led")
    is_first = state.tricks_done == (state.trick_size == 0)
    require(
        not has_play or not is_first or state.leader == state.top_bidder, "leader=: the top bidder leads first [R32]"
    )
    require(
        state.trick_size or not has_play or state.sets[state.winner], f"sets=: seat {state.winner} took the last trick"
    )
    for seat in range(SEATS):
        void = int(state.voids[seat])
        require(has_play or not void, "voids=: nothing is shown before a card is played")
    truf_played = state.truf != NONE and int(state.played) >> RANKS * int(state.truf) & 2**RANKS - 1
    covered = any(card >= FACE_DOWN for card in trick_cards(state))
    may_unlock = truf_played or covered or (rules.unlock == ANY_DISCARD and state.tricks_done and state.truf != NONE)
    require(may_unlock or not state.unlocked, "unlocked=1, but nothing has unlocked truf [R35]")
    if rules.redeal == PAGAT and observer is None:
        require(
            not any(is_freak(state.hands[seat]) for seat in range(SEATS)), "hands=: a freak hand is dealt again [R4]"
        )


def _check_turn(state: Any, observer: int | None) -> None:
    """Seats that have bid have laid a card; a view does not tell whose turn it is elsewhere [R8, R12]."""
    actor = int(state.actor)
    for seat in range(SEATS):
        if observer in (None, seat):
            has_bid = bool(state.laid[seat])
            require(has_bid or seat >= actor or observer is not None, f"seat {seat} has bid without a card [R8]")
            require(not has_bid or seat <= actor, f"seat {seat} has laid cards, but seat {actor} is still bidding")
    if observer is not None and actor != observer:
        expected = observer + 1 if state.laid[observer] else 0
        require(actor == expected, f"actor={actor}: seat {observer} does not see who bids, expected {expected}")


def _check_bid(rules: Rules, state: Any, seat: int) -> None:
    """The laid cards of a seat can be laid one after the other [R8-R14]."""
    scratch = np.zeros(1, STATE).view(np.recarray)
    trial: Any = scratch[0]
    trial.phase, trial.actor, trial.hands[seat] = BID, seat, state.hands[seat]
    cards = int(state.laid[seat])
    for card in range(DONE):
        if cards >> card & 1:
            require(
                bits.has(kernels.legal_mask(rules, trial), card), f"seat {seat} may not lay {cards_to_string(cards)}"
            )
            trial.laid[seat] |= bits.bit(card)
