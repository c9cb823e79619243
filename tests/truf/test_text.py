"""Texts of actions, positions and whole states round-trip, and what is wrong is refused with a word that helps."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from cardkit.spec import IllegalAction, InvalidText
from cardkit.state import State
from cardkit.verbs import Event
from truf import Game
from truf._positions import KEYS
from truf.state import BID, DONE, PLAY, SHIFT
from truf.text import action_to_string, string_to_action

Options = dict[str, Any]

SMALL: Options = {"ranks": ["2", "5", "J", "A"], "max_hands": 3}
OPTION_SETS: dict[str, Options] = {
    "standard": {"max_hands": 1},
    "classic": {"preset": "classic", "max_hands": 1},
    "mini": {"preset": "mini", "max_hands": 2},
    **{f"{face}-{way}": SMALL | {"facedown": face, "direction": way}
       for face in ("all_truf", "ruffs_only", "none") for way in ("clockwise", "alternate")},
    "pagat": SMALL | {"redeal": "pagat", "ace_play": "low", "unlock": "any_discard", "mixed_tie": "above_spades"},
    "shifts": SMALL | {"sum13_amount": "any", "sum13_floor": "negative", "sum13_decline": "neutral",
                       "padding": "forbidden"},
    "modes": {"ranks": ["2", "Q", "K", "A"], "max_hands": 4, "sum13_amount": "0"},
}  # fmt: skip
GAMES = {name: Game(**options) for name, options in OPTION_SETS.items()}


def content(state: State) -> bytes:
    """All fields of the record, without the gap at its end."""
    return b"".join(np.asarray(state.record[field]).tobytes() for field in state.record.dtype.names)


def random_action(state: State, choices: random.Random) -> int:
    """A legal action; half of the bids end with each card, so that they are short."""
    legal = state.legal_actions()
    is_short = state.phase() == "bid" and DONE in legal and choices.random() < 0.5
    return DONE if is_short else choices.choice(legal)


def states_of(game: Game, seed: int) -> Iterator[State]:
    """All positions of a random game, the end too; the state is played on, so copy what you keep."""
    state, choices = game.new_initial_state(seed=seed), random.Random(seed)
    while not state.is_terminal():
        yield state
        state.apply_action(random_action(state, choices))
    yield state


def some_states(name: str, num_games: int, share: float) -> Iterator[State]:
    """Copies of a share of the positions of some random games, of all shifts and of the ends."""
    choices = random.Random(name)
    for seed in range(num_games):
        for state in states_of(GAMES[name], seed):
            if state.is_terminal() or state.phase() == "shift" or choices.random() < share:
                yield state.clone()


# Actions


@pytest.mark.parametrize(("phase", "num_actions"), [(BID, 53), (SHIFT, 29), (PLAY, 52)])
def test_actions_round_trip_in_every_phase(phase: int, num_actions: int) -> None:
    rules = Game().rules
    texts = [action_to_string(rules, phase, action) for action in range(num_actions)]
    assert len(set(texts)) == num_actions
    for action, text in enumerate(texts):
        for spelling in (text, text.upper(), text.lower(), f"  {text} ".replace(" ", "   ")):
            assert string_to_action(rules, phase, spelling) == action


def test_words_of_actions_are_those_of_the_rules() -> None:
    rules = Game().rules
    assert [action_to_string(rules, BID, action) for action in (0, 51, 52)] == ["lay 2C", "lay AS", "done"]
    shifts = [action_to_string(rules, SHIFT, action) for action in (0, 12, 13, 25, 26, 27, 28)]
    assert shifts == ["raise 1", "raise 13", "lower 1", "lower 13", "decline", "HIGH", "LOW"]
    assert [action_to_string(rules, PLAY, action) for action in (8, 12, 13, 37, 51)] == ["10C", "AC", "2D", "KH", "AS"]
    assert string_to_action(rules, BID, "5s") == string_to_action(rules, BID, "lay 5S") == 42


@pytest.mark.parametrize("name", OPTION_SETS)
def test_legal_actions_round_trip_along_games(name: str) -> None:
    phases = set()
    for state in some_states(name, 12, 0.3):
        phases.add(state.phase())
        texts = [state.action_to_string(action) for action in state.legal_actions()]
        assert [state.string_to_action(text) for text in texts] == state.legal_actions()
    assert {"bid", "play", "over"} <= phases
    assert phases <= {"bid", "shift", "play", "over"}


GOOD = (
    "phase=play hand=3 totals=-13,-9,0,-2 hands=5D.JD.AH,AD.JS,2C.2H,5H.AS laid=JD,JS,2H.JH,2S "
    "played=JC,2D.5S,5C.JH,AC.2S final=0,0,1,1 mode=LOW sets=0,1,0,0 voids=-,C,D,D unlocked=1 leader=1 "
    "trick=2D,JH,2S actor=0"
)
GOOD_VIEW = (
    "phase=play hand=3 totals=-13,-9,0,-2 hands=?,AD.JS,?,? laid=JD,JS,2H.JH,2S "
    "played=JC,2D.5S,5C.JH,AC final=0,0,1,1 mode=LOW sets=0,1,0,0 voids=-,C,D,D unlocked=1 leader=1 "
    "trick=2D,JH,S* actor=0"
)
GOOD_LEAD = (
    "phase=play hand=3 totals=-13,-9,0,-2 hands=5D.AH,AD.JS,2C.2H,5H.AS laid=JD,JS,2H.JH,2S "
    "played=JC.JD,2D.5S,5C.JH,AC.2S final=0,0,1,1 mode=LOW sets=0,1,0,1 voids=-,C,D,D unlocked=1 leader=1 "
    "trick=2D,JH,2S,JD actor=3"
)
GOOD_SHIFT = (
    "phase=shift hand=3 totals=-13,-9,0,-2 hands=JC.5D.JD.AH,2D.AD.5S.JS,2C.5C.2H.JH,AC.5H.2S.AS "
    "laid=JD,JS,2H.JH,2S played=-,-,-,- final=0,0,2,2 mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 "
    "trick=- actor=3"
)
GOOD_BID = (
    "phase=bid hand=1 totals=0,0,0,0 hands=AC.2D.JD.5S,JC.5D.AD.AH,2C.5H.JS.AS,5C.2H.JH.2S laid=2D,AH,AS,- "
    "played=-,-,-,- final=0,0,0,0 mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor=2"
)
GOOD_BID_VIEW = (
    "phase=bid hand=1 totals=0,0,0,0 hands=?,JC.5D.AD.AH,?,? laid=?,AH,?,? "
    "played=-,-,-,- final=0,0,0,0 mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor=2"
)
GOOD_OVER = (
    "phase=over hand=3 totals=-6,1,-20,-18 hands=-,-,-,- laid=JS,AC.AS,JH,AD.5H "
    "played=5D.JD.2H.JS,2C.5C.AC.AS,JH.AH.2S.5S,JC.2D.AD.5H final=0,2,0,6 mode=HIGH sets=0,2,2,0 "
    "voids=CH,H,C,HS unlocked=0 leader=1 trick=AC,2S,JC,5D actor=1"
)
GOODS = [GOOD, GOOD_VIEW, GOOD_LEAD, GOOD_SHIFT, GOOD_BID, GOOD_BID_VIEW, GOOD_OVER]

NO_ACTIONS = [
    *((GOOD_BID, text, InvalidText, "is no card") for text in ("", "lay", "lay lay AS", "lay 1S", "DON", "pass", "5")),
    (GOOD_BID, "raise 1", InvalidText, "is no card"),
    (GOOD_BID, "lay 5H", IllegalAction, "illegal action 'lay 5H' for seat 2: expected one of done$"),
    (GOOD_BID, "AC", IllegalAction, "illegal action 'AC' for seat 2"),
    *((GOOD_SHIFT, text, InvalidText, "is no shift") for text in ("", "raise", "raise 0", "lower 14", "2S", "done")),
    (GOOD_SHIFT, "rais 1", InvalidText, "did you mean 'raise 1'"),
    (GOOD_SHIFT, "raise 2", IllegalAction, "for seat 3: expected one of raise 1, lower 1$"),
    (GOOD_SHIFT, "decline", IllegalAction, "expected one of raise 1, lower 1$"),
    *((GOOD, text, InvalidText, "is no card") for text in ("", "done", "lay 5D", "11S", "S*", "D*", "x" * 999)),
    (GOOD, "AH", IllegalAction, "illegal action 'AH' for seat 0: expected one of 5D, JD$"),
    (GOOD, "2S", IllegalAction, "illegal action '2S' for seat 0"),
    (GOOD_VIEW, "AD", IllegalAction, "does not know"),
]


@pytest.mark.parametrize(("line", "text", "error", "message"), NO_ACTIONS)
def test_texts_that_are_no_action_here(line: str, text: str, error: type[Exception], message: str) -> None:
    state = Game(**SMALL).position(line)
    with pytest.raises(error, match=message) as caught:
        state.string_to_action(text)
    assert isinstance(caught.value, (InvalidText, IllegalAction))


# Positions


@pytest.mark.parametrize("name", OPTION_SETS)
def test_positions_and_views_round_trip(name: str) -> None:
    game, count = GAMES[name], Counter[str]()
    for state in some_states(
        name, 24 if name == "mini" else 8, {"standard": 0.08, "classic": 0.08, "mini": 0.2}.get(name, 0.12)
    ):
        for one in (state, *(state.view(seat) for seat in range(4))):
            again = game.position(one.position_string())
            assert content(again) == content(one), one
            assert again.position_string() == one.position_string()
            assert again.observer == one.observer
            assert (again.seed is None) == (one.observer is not None)
            assert str(again) == str(one)
            if one.observer in (None, one.current_player()):
                assert again.legal_actions() == one.legal_actions()
        count[state.phase()] += 1
        count["covered"] += "*" in "".join(state.view(seat).position_string() for seat in range(4))
    assert min(count["bid"], count["play"], count["over"]) > 2
    assert count["shift"] > 0 or name in ("standard", "classic")
    assert (count["covered"] > 0) == ("none" not in name)


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_drawn_view_names_no_hidden_card(name: str) -> None:
    for state in some_states(name, 3, 0.15):
        for seat in range(4):
            rows, known = str(state.view(seat)).splitlines()[2:6], str(state).splitlines()[2:6]
            assert ["hidden" in row for row in rows] == [other != seat for other in range(4)]
            assert rows[seat] == known[seat]
            if state.phase() == "bid":
                assert all(row.split()[5:] == ["hidden", "hidden"] or row == rows[seat] for row in rows), rows


def test_the_drawn_trick_names_the_seats_that_played() -> None:
    """Also the last trick of a hand that is played counter-clockwise, seen at the end of a game of two hands [R3]."""
    game = Game(**SMALL | {"direction": "alternate", "max_hands": 2, "facedown": "none"})
    for seed in range(5):
        plays: list[str] = []
        for state in states_of(game, seed):
            if state.record.trick_size == 0 and state.phase() != "over":
                plays = []
            drawn = next((line for line in str(state).splitlines() if line.startswith("trick ")), "")
            if state.record.trick_size:
                plays = drawn.split(": ")[1].split(", ")
        assert drawn.split(": ")[1].split("; ")[0].split(", ")[:3] == plays


# What is replaced in a good position, with what, and a word of the error.
BAD = [
    (GOOD, "phase=play", "phase=plays", "phase='plays': expected one of bid, shift, play, over"),
    (GOOD, "phase=play", "phase=deal", "phase='deal'"),
    (GOOD, "phase=play", "phase=bid", "the laid cards give"),
    (GOOD, "phase=play", "phase=shift", "the laid cards give"),
    (GOOD, "phase=play", "phase=over", "1 of 4 tricks are complete in phase=over"),
    (GOOD, "phase=play ", "", "lacks phase"),
    (GOOD, "phase=play", "phase", "'phase' is no word of a position"),
    (GOOD, "phase=play", "phase=play phase=play", "'phase' stands twice"),
    (GOOD, "hands=", "hand2=", "unknown word 'hand2' in a position; did you mean 'hand"),
    (GOOD, "hand=3", "hand=4", r"hand='4': expected 1\.\.3"),
    (GOOD, "hand=3", "hand=0", r"hand='0': expected 1\.\.3"),
    (GOOD, "hand=3", "hand=x", "hand='x'"),
    (GOOD, "totals=-13,-9,0,-2", "totals=-13,-9,0", "expected 4 entries"),
    (GOOD, "totals=-13,-9,0,-2", "totals=-13,-9,0,1.5", "totals='1.5'"),
    (GOOD, "totals=-13,-9,0,-2", "totals=-13,-9,0,99999999", "totals='99999999'"),
    (GOOD, "5D.JD.AH,", "5D.JD,", "seat 0 holds 2 cards: expected 3"),
    (GOOD, "5D.JD.AH,", "5D.JD.AH.2C,", "2C lies in two places"),
    (GOOD, "5D.JD.AH,", "5D.JD.JD,", "'JD' is named twice"),
    (GOOD, "5D.JD.AH,", "5D.JD.3H,", "3H is not in the deck"),
    (GOOD, "5D.JD.AH,", "5D.JD.S*,", r"'S\*' is no card"),
    (GOOD, "5D.JD.AH,", "5D.JD.1H,", "'1H' is no card"),
    (GOOD, "5D.JD.AH,AD.JS,2C.2H,5H.AS", "?,?,?,?", "expected all hands or exactly one shown"),
    (GOOD, "5D.JD.AH,AD.JS,", "?,AD.JS,", "expected all hands or exactly one shown"),
    (GOOD, "5D.JD.AH,AD.JS,2C.2H,5H.AS", "JD.2C.AH,AD.JS,5D.2H,5H.AS", "seat 2 holds a suit in which"),
    (GOOD, "laid=JD", "laid=?", "only hidden bids before the reveal are"),
    (GOOD, "laid=JD", "laid=-", "every seat lays at least one card"),
    (GOOD, "laid=JD", "laid=5S", "seat 0 laid 5S, which it does not have"),
    (GOOD, "laid=JD", "laid=5D", "the laid cards give"),
    (GOOD, "played=JC", "played=-", "seat 0 has played 0 cards|whole tricks"),
    (GOOD, "played=JC", "played=JC.JD", "seat 0 holds a card it has played"),
    (GOOD, "final=0,0,1,1", "final=0,0,2,2", "the laid cards give"),
    (GOOD, "final=0,0,1,1", "final=0,0,x,1", "final='x'"),
    (GOOD, "mode=LOW", "mode=HIGH", "the laid cards give"),
    (GOOD, "mode=LOW", "mode=low", "mode='low': expected one of HIGH, LOW, neutral, none"),
    (GOOD, "sets=0,1,0,0", "sets=0,0,0,0", "sets= adds up to 0, but 1"),
    (GOOD, "sets=0,1,0,0", "sets=0,5,0,0", r"sets='5': expected 0\.\.4"),
    (GOOD, "voids=-,C,D,D", "voids=-,C,X,D", "'X' is no suit letter"),
    (GOOD, "voids=-,C,D,D", "voids=D,C,D,D", "seat 0 holds a suit in which voids= says it is void"),
    (GOOD, "unlocked=1", "unlocked=0", "truf has been played"),
    (GOOD, "unlocked=1", "unlocked=2", r"unlocked='2': expected 0\.\.1"),
    (GOOD, "leader=1", "leader=0", "2D is in trick= but not in played= of seat 0"),
    (GOOD, "leader=1", "leader=4", r"leader='4': expected 0\.\.3"),
    (GOOD, "trick=2D,JH,2S", "trick=2D,JH,S*", r"S\* is|'S\*' is no card"),
    (GOOD, "trick=2D,JH,2S", "trick=2D,JH", "whole tricks"),
    (GOOD, "trick=2D,JH,2S", "trick=-", "whole tricks"),
    (GOOD, "trick=2D,JH,2S", "trick=2D,JH,2S,JD,AH", "expected at most 4 cards"),
    (GOOD, "trick=2D,JH,2S", "trick=5S,JH,2S,JC", "seat|whole tricks|actor"),
    (GOOD, "actor=0", "actor=1", "actor=1: expected 0"),
    (GOOD, "actor=0", "actor=-1", r"actor='-1': expected 0\.\.3"),
    (GOOD_VIEW, "trick=2D,JH,S*", "trick=2D,JH,D*", r"'D\*' is no card"),
    (GOOD_VIEW, "trick=2D,JH,S*", "trick=S*,JH,S*", r"'S\*' is no card"),
    (GOOD_VIEW, "trick=2D,JH,S*", "trick=2D,JH,2S", "2S is in trick= but not in played= of seat 3"),
    (GOOD_VIEW, "?,AD.JS,?,?", "?,JS,?,?", "seat 1 holds 1 cards: expected 2"),
    (GOOD_VIEW, "?,AD.JS,?,?", "?,AD.JD,?,?", "JD lies in two places|seat 1 laid JS"),
    (GOOD_LEAD, "actor=3", "actor=1", "actor=1: expected 3"),
    (GOOD_LEAD, "trick=2D,JH,2S,JD", "trick=2D,JH,2S", "whole tricks"),
    (GOOD_SHIFT, "actor=3", "actor=2", "actor=2: expected 3"),
    (GOOD_SHIFT, "phase=shift", "phase=play", "phase=play does not follow from the laid cards"),
    (GOOD_SHIFT, "final=0,0,2,2", "final=0,0,1,1", "the laid cards give"),
    (GOOD_SHIFT, "trick=-", "trick=JC", "JC is in trick= but not in played="),
    (GOOD_BID, "laid=2D,AH,AS,-", "laid=2D,AH,AS,5C", "seat 3 has laid cards, but seat 2 is still bidding"),
    (GOOD_BID, "laid=2D,AH,AS,-", "laid=2D,AH,?,-", "only hidden bids before the reveal"),
    (GOOD_BID, "played=-,-,-,-", "played=AC,JC,2C,5C", "expected|seat"),
    (GOOD_BID, "mode=none", "mode=LOW", "the laid cards give"),
    (GOOD_BID_VIEW, "laid=?,AH,?,?", "laid=2D,AH,?,?", "only hidden bids before the reveal"),
    (GOOD_OVER, "phase=over", "phase=play", "4 of 4 tricks are complete in phase=play"),
    (GOOD_OVER, "trick=AC,2S,JC,5D", "trick=-", "trick= must show"),
]


@pytest.mark.parametrize("text", GOODS)
def test_the_positions_that_are_spoilt_below_are_good(text: str) -> None:
    state = Game(**SMALL).position(text)
    assert state.position_string() == text


@pytest.mark.parametrize(("good", "old", "new", "message"), BAD, ids=[f"{old}->{new[:30]}" for _, old, new, _ in BAD])
def test_bad_positions_say_what_is_wrong(good: str, old: str, new: str, message: str) -> None:
    assert good.count(old) == 1
    with pytest.raises(InvalidText, match=message):
        Game(**SMALL).position(good.replace(old, new))


BAD_RULES: list[tuple[str, str, str, Options, str]] = [
    (GOOD_BID, "laid=2D,AH,AS,-", "laid=2D.5S,AH,AS,-", {"max_bid_cards": 1}, "seat 0 may not lay 2D.5S"),
    (GOOD_BID, "laid=2D,AH,AS,-", "laid=2D.JD,AH,AS,-", {"padding": "forbidden"}, "seat 0 may not lay 2D.JD"),
    (GOOD_BID, "laid=2D,AH,AS,-", "laid=2D.5S,AH,AS,-", {"bid_cap": 4}, "cap|may not lay|worth"),
    (GOOD, "hand=3", "hand=2", {"direction": "alternate"}, "JH is in trick= but not in played= of seat 0"),
    (GOOD_VIEW, "hand=3", "hand=1", {"facedown": "none"}, "S"),  # nothing lies face down [R37]
]


@pytest.mark.parametrize(("good", "old", "new", "options", "message"), BAD_RULES)
def test_positions_that_other_rules_do_not_allow(good: str, old: str, new: str, options: Options, message: str) -> None:
    assert Game(**SMALL).position(good.replace(old, new))
    if "bid_cap" in options:  # cards worth 5 need a deck without them
        options = options | {"ranks": ["2", "3", "4", "J"]}
        good, new = good.replace("5", "3").replace("A", "4"), new.replace("5", "3").replace("A", "4")
        old = old.replace("A", "4")
    with pytest.raises(InvalidText, match=message):
        Game(**SMALL | options).position(good.replace(old, new))


UNREACHABLE = [
    (GOOD_BID, "laid=2D,AH,AS,-", "laid=-,AH,AS,-", "R8|seat 0"),
    (GOOD_BID_VIEW, "laid=?,AH,?,?", "laid=?,-,?,?", "R8|seat 1"),
    (GOOD_BID_VIEW, "actor=2", "actor=3", "actor"),  # a view of seat 1 that is done shows seat 2 to act [R12]
    (GOOD_VIEW, "AC final=0,0,1,1", "AC.2S final=0,0,1,1", "S"),
    (GOOD_OVER, "hand=3", "hand=2", "hand"),  # two of three hands, and nobody has reached the target [R49]
]


@pytest.mark.parametrize(("good", "old", "new", "message"), UNREACHABLE)
def test_positions_that_no_game_reaches_are_refused(good: str, old: str, new: str, message: str) -> None:
    assert good.count(old) == 1
    text = good.replace(old, new)
    if good is GOOD_VIEW:  # the rank of a face-down card of another seat is shown
        text = text.replace("S*", "2S")
    with pytest.raises(InvalidText, match=message):
        Game(**SMALL).position(text)


# Fuzzing

LINES = {
    name: [state.position_string() for state in some_states(name, 3, 0.3)]
    + [state.view(seed % 4).position_string() for seed, state in enumerate(some_states(name, 2, 0.2))]
    for name in OPTION_SETS
}
CHARACTERS = "0123456789CDHSJQKA?*-=,. tu"


def spoilt(choices: random.Random, lines: list[str]) -> str:
    """One of the lines after one to three edits."""
    words = choices.choice(lines).split()
    for _ in range(choices.randint(1, 3)):
        i = choices.randrange(len(words))
        key, _, value = words[i].partition("=")
        match choices.choice(["value", "value", "entries", "number", "character", "remove"]):
            case "value":  # the word as another position has it
                words[i] = (
                    next(word for word in choices.choice(lines).split() if word.startswith(f"{key}="))
                    if key in KEYS
                    else ""
                )
            case "entries":  # the entries of a list in another order
                entries = value.split(",")
                words[i] = f"{key}={','.join(choices.sample(entries, len(entries)))}"
            case "number":
                words[i] = f"{key}={','.join(str(choices.randint(-1, 4)) for _ in value.split(','))}"
            case "character":
                place = choices.randrange(len(words[i]) + 1)
                words[i] = words[i][:place] + choices.choice(CHARACTERS) + words[i][place + choices.randint(0, 1) :]
            case "remove" if choices.random() < 0.1:
                words[i] = ""
        words = [word if "=" in word else f"{key}=" for word in words]
    return " ".join(words)


def check_readable(game: Game, text: str) -> str:
    """Whether the text is a position, a view or none; it must read back equal, and be playable to the end."""
    try:
        state = game.position(text, seed=1)
    except InvalidText:
        return "none"
    again = game.position(state.position_string(), seed=1)
    assert again.position_string() == state.position_string()
    assert content(again) == content(state)
    assert str(again)
    if state.observer is not None:
        return "view"
    for seat in range(4):
        view = game.position(state.view(seat).position_string())
        assert content(view) == content(state.view(seat)), f"view of {seat} in {text}"
    for _ in range(game.max_game_length()):
        if state.is_terminal():
            break
        assert state.legal_actions(), text
        state.apply_action(state.legal_actions()[-1])
    assert state.is_terminal()
    return "position"


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_spoilt_position_is_refused_or_a_position(name: str) -> None:
    choices, seen = random.Random(f"spoilt {name}"), Counter[str]()
    for _ in range(200):
        seen[check_readable(GAMES[name], spoilt(choices, LINES[name]))] += 1
    assert seen["none"] > 40
    assert seen["position"] > 15
    assert seen["view"] > 5


# Whole states


def play_on(state: State, seed: int) -> list[str]:
    """Play to the end at random; all positions on the way."""
    choices, lines = random.Random(seed), [state.position_string()]
    while not state.is_terminal():
        state.apply_action(random_action(state, choices))
        lines.append(state.position_string())
    return lines


COPIES: dict[str, Callable[[State], State]] = {
    "serialize": lambda state: state.game.deserialize(state.serialize()),
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "clone": lambda state: state.clone(),
}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("name", OPTION_SETS)
def test_copies_keep_history_and_the_next_deal(name: str, copy: str) -> None:
    for i, state in enumerate(some_states(name, 2, 0.04)):
        again = COPIES[copy](state)
        assert again.game == state.game
        assert (again.seed, again.board, again.observer) == (state.seed, state.board, None)
        assert content(again) == content(state)
        assert [again.history(seat) for seat in range(4)] == [state.history(seat) for seat in range(4)]
        assert all(isinstance(event, Event) for event in again.history(0))
        before = state.serialize()
        assert play_on(again, i) == play_on(state.clone(), i)  # the deals to come too
        assert state.serialize() == before
        for seat in range(4):
            view = COPIES[copy](state.view(seat))
            assert (view.seed, view.observer) == (None, seat)
            assert view.information_state_string(seat) == state.information_state_string(seat)
            assert content(view) == content(state.view(seat))


def test_another_seed_or_board_is_another_future() -> None:
    game = Game(**SMALL)
    lines = [play_on(game.new_initial_state(seed=seed, board=board), 0) for seed, board in ((1, 0), (2, 0), (1, 1))]
    assert lines[0] != lines[1] != lines[2] != lines[0]
    assert play_on(game.new_initial_state(seed=1, board=1), 0) == lines[2]


def test_a_state_of_other_rules_is_refused() -> None:
    text = Game(**SMALL).new_initial_state(seed=1).serialize()
    assert Game(**SMALL).deserialize(text).seed == 1
    for changes in ({"game": "kronions"}, {"version": 0}, {"rules": {}}, {"seed": -1}, {"histories": [[]]}):
        with pytest.raises(InvalidText):
            Game(**SMALL).deserialize(json.dumps(json.loads(text) | changes))
    with pytest.raises(InvalidText, match="cannot be read by a game of"):
        Game(**SMALL | {"facedown": "none"}).deserialize(text)
    with pytest.raises(InvalidText, match="seat 0 holds 4 cards: expected 13"):
        Game().deserialize(text)
