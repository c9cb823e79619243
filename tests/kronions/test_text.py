"""Texts of actions, positions and whole states round-trip, and what is wrong is refused with a word that helps."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardkit.spec import IllegalAction, InvalidText
from cardkit.state import State
from cardkit.verbs import Event
from kronions import Game
from kronions.cards import CARD_NAMES, PLAY_NAMES, SHORT_PLAY_NAMES, SUIT_NAMES
from kronions.state import BID, NAME_TRUMP, PHASES, PLAY
from kronions.text import action_to_string, string_to_action

Options = dict[str, Any]

OPTION_SETS: dict[str, Options] = {
    "standard": {"num_players": 4, "round_sizes": [1, 5, 14]},
    "oh_hell": {"preset": "oh_hell", "num_players": 5, "hand_size": 4},
    "mini": {"preset": "mini", "num_players": 3},
    "redraw": {"num_players": 2, "num_suits": 3, "num_ranks": 2, "paradox_flip": "redraw", "round_cap": 4},
    "dealer_names": {"num_players": 3, "num_ranks": 2, "paradox_flip": "dealer_names", "all_past": "nobody"},
    "frees_trick": {"num_players": 6, "num_ranks": 3, "future_led": "frees_trick", "round_sizes": [1, 3]},
    "only_when_void": {"num_players": 3, "paradox_when_able_to_follow": "only_when_void", "round_cap": 4},
    "last_past": {"num_players": 2, "num_suits": 1, "num_ranks": 4, "all_past": "last", "first_leader": "left"},
    "hook_off": {"num_players": 3, "hook": "off", "last_round_trump": "flip_if_possible", "round_cap": 3},
}
GAMES = {name: Game(**options) for name, options in OPTION_SETS.items()}


def states_of(game: Game, seed: int) -> Iterator[State]:
    """All positions of a random game, the end too; the state is played on, so copy what you keep."""
    state, choices = game.new_initial_state(seed=seed), random.Random(seed)
    while not state.is_terminal():
        yield state
        state.apply_action(choices.choice(state.legal_actions()))
    yield state


def some_states(name: str, num_games: int, share: float) -> Iterator[State]:
    """Copies of a share of the positions of some random games, and of their ends."""
    choices = random.Random(name)
    for seed in range(num_games):
        for state in states_of(GAMES[name], seed):
            if state.is_terminal() or choices.random() < share:
                yield state.clone()


# Actions


@pytest.mark.parametrize(("phase", "num_actions"), [(NAME_TRUMP, 4), (BID, 30), (PLAY, 54)])
def test_actions_round_trip_in_every_phase(phase: int, num_actions: int) -> None:
    rules = Game().rules
    texts = [action_to_string(rules, phase, action) for action in range(num_actions)]
    assert len(set(texts)) == num_actions
    for action, text in enumerate(texts):
        for spelling in (text, text.upper(), text.lower(), f"  {text} ".replace(" ", "   ")):
            assert string_to_action(rules, phase, spelling) == action


@pytest.mark.parametrize("name", OPTION_SETS)
def test_legal_actions_round_trip_along_games(name: str) -> None:
    phases = set()
    for state in some_states(name, 6, 0.3):
        phases.add(state.phase())
        for action in state.legal_actions():
            assert state.string_to_action(state.action_to_string(action)) == action
    assert phases == {"bid", "play", "over"} | ({"name_trump"} if name == "dealer_names" else set())


SPELLINGS = [
    *((NAME_TRUMP, text, 2) for text in ("name Void", "void", " Name  void ")),
    *((BID, text, 12) for text in ("bid 12", "12", " Bid   12", "012")),
    *((PLAY, text, 19) for text in ("Nova 7", "N7", "n7", "  nova   7 ")),
    *((PLAY, text, 52) for text in ("Future", "Fut", "future")),
    *((PLAY, text, 53) for text in ("Past", "past")),
]


@pytest.mark.parametrize(("phase", "text", "action"), SPELLINGS)
def test_spellings_of_an_action(phase: int, text: str, action: int) -> None:
    assert string_to_action(Game().rules, phase, text) == action


def test_names_of_cards_are_those_of_the_rules() -> None:
    assert SUIT_NAMES == ("Chrono", "Nova", "Void", "Flux")
    assert (*CARD_NAMES, "Future", "Past") == PLAY_NAMES
    assert [SHORT_PLAY_NAMES[card] for card in (0, 12, 13, 51, 52, 53)] == ["C1", "C13", "N1", "F13", "Fut", "Past"]


NO_ACTIONS = [
    *(
        ("bid", text, InvalidText, "is no bid")
        for text in ("", "bid", "three", "-1", "1.5", "bid bid 1", "²", "Nova 7")
    ),
    ("bid", "9" * 5000, ValueError, "bid|illegal"),
    ("bid", "5", IllegalAction, "illegal action '5' for seat 2: expected one of bid 0, bid 1, bid 2"),
    ("bid", "99", IllegalAction, "expected one of bid 0"),
    *(
        ("play", text, InvalidText, "is no card or declaration")
        for text in ("", "N14", "N0", "Nova", "7", "P", "x" * 999)
    ),
    ("play", "Nova 8", IllegalAction, "illegal action 'Nova 8' for seat 1: expected one of Chrono 5, Nova 7"),
    ("play", "Past", IllegalAction, "illegal action 'Past'"),
    *(("name_trump", text, InvalidText, "is no suit") for text in ("", "name", "no trump", "Vold", "N7")),
    ("name_trump", "Vold", InvalidText, "did you mean 'void'"),
    ("name_trump", "Void", IllegalAction, "expected one of name Chrono, name Nova$"),
]
POSITIONS_TO_ACT = {
    "bid": ("phase=bid round=1 dealer=1 size=2 flip=- up=0 trump=- totals=0,0,0 zeros=0,0,0 bids=-,-,- won=0,0,0 "
            "voids=-,-,- hands=C5.N7,C1.P,F1.F2 played=-,-,- leader=0 trick=- actor=2", {}),
    "play": ("phase=play round=1 dealer=1 size=2 flip=- up=0 trump=- totals=0,0,0 zeros=0,0,0 bids=0,0,0 won=0,0,0 "
             "voids=-,-,- hands=C9.P,C5.N7,F1.F2 played=-,-,- leader=0 trick=- actor=1", {}),
    "name_trump": ("phase=name_trump round=1 dealer=1 size=2 flip=P up=1 trump=- totals=0,0,0 zeros=0,0,0 bids=-,-,- "
                   "won=0,0,0 voids=-,-,- hands=C9.P,C5.N7,N1.N2 played=-,-,- leader=0 trick=- actor=1",
                   {"num_suits": 2, "paradox_flip": "dealer_names", "last_round_trump": "flip_if_possible"}),
}  # fmt: skip


@pytest.mark.parametrize(("phase", "text", "error", "message"), NO_ACTIONS)
def test_texts_that_are_no_action_here(phase: str, text: str, error: type[Exception], message: str) -> None:
    line, options = POSITIONS_TO_ACT[phase]
    state = Game(num_players=3, round_sizes=[2], **options).position(line)
    assert state.phase() == phase
    with pytest.raises(error, match=message) as caught:
        state.string_to_action(text)
    assert isinstance(caught.value, (InvalidText, IllegalAction))


# Positions


@pytest.mark.parametrize("name", OPTION_SETS)
def test_positions_round_trip(name: str) -> None:
    game, count = GAMES[name], 0
    for state in some_states(name, 10, 0.3):
        again = game.position(state.position_string())
        assert again.record.tobytes() == state.record.tobytes(), state
        assert again.position_string() == state.position_string()
        assert again.legal_actions() == state.legal_actions()
        assert again.observer is None
        count += 1
    assert count > 25


@pytest.mark.parametrize("name", OPTION_SETS)
def test_views_round_trip(name: str) -> None:
    game = GAMES[name]
    for state in some_states(name, 4, 0.1):
        for seat in range(game.num_players):
            view = state.view(seat)
            again = game.position(view.position_string())
            assert again.record.tobytes() == view.record.tobytes()
            assert again.position_string() == view.position_string()
            assert (again.observer, again.seed) == (seat, None)
            assert again.view(seat).position_string() == view.position_string()


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_drawn_view_names_no_hidden_card(name: str) -> None:
    for state in some_states(name, 3, 0.1):
        for seat in range(GAMES[name].num_players):
            drawn = str(state.view(seat)).splitlines()
            rows = drawn[2 : 2 + GAMES[name].num_players]
            assert [row.endswith("hidden") for row in rows] == [other != seat for other in range(len(rows))]
            assert rows[seat] == str(state).splitlines()[2 + seat]


GOOD = (
    "phase=play round=2 dealer=1 size=4 flip=N4 up=1 trump=N totals=10,0,10 zeros=1,1,1 bids=0,2,4 won=0,1,0 "
    "voids=F,-,F hands=C13.N2.V9,C10.P,C1.N5.V8 played=V7,V13.F13,V11 leader=1 trick=V13 actor=2"
)
GOOD_BID = (
    "phase=bid round=2 dealer=1 size=4 flip=N4 up=1 trump=N totals=10,0,10 zeros=1,1,1 bids=3,-,1 won=0,0,0 "
    "voids=-,-,- hands=C13.N2.V7.V9,C10.V13.F13.P,C1.N5.V8.V11 played=-,-,- leader=0 trick=- actor=1"
)
GOOD_LEAD = (
    "phase=play round=2 dealer=1 size=4 flip=N4 up=1 trump=N totals=10,0,10 zeros=1,1,1 bids=0,2,4 won=0,1,0 "
    "voids=F,-,F hands=C13.N2.V9,C10.V13.P,C1.N5.V8 played=V7,F13,V11 leader=1 trick=F13,V11,V7 actor=1"
)
GOOD_OVER = (
    "phase=over round=3 dealer=2 size=1 flip=- up=0 trump=- totals=10,12,10 zeros=2,1,1 bids=0,1,1 won=1,0,0 "
    "voids=-,F,- hands=-,-,- played=F9,P,F3 leader=2 trick=F3,F9,Past actor=0"
)
SIZES = [2, 4, 1]

# What is replaced in a good position, with what, and a word of the error.
BAD = [
    (GOOD, "phase=play", "phase=plays", "phase='plays': expected one of name_trump, bid, play, over"),
    (GOOD, "phase=play", "phase=flip", "phase='flip'"),
    (GOOD, "phase=play", "phase=bid", "does not go with 3 bids"),
    (GOOD, "phase=play", "phase=over", "expected round=3"),
    (GOOD, "phase=play", "phase=name_trump", "name_trump"),
    (GOOD, "phase=play ", "", "lacks phase"),
    (GOOD, "phase=play", "phase", "'phase' is no word of a position"),
    (GOOD, "phase=play", "phase=", "'phase=' is no word of a position"),
    (GOOD, "phase=play", "phase=play phase=play", "'phase' stands twice"),
    (GOOD, "hands=", "hand=", "unknown word 'hand' in a position; did you mean 'hands'"),
    (GOOD, "round=2", "round=4", r"round='4': expected 1\.\.3"),
    (GOOD, "round=2", "round=0", r"round='0': expected 1\.\.3"),
    (GOOD, "round=2", "round=two", "round='two'"),
    (GOOD, "round=2", "round=1", "size='4': expected 2"),
    (GOOD, "round=2", "round=3", "size='4': expected 1"),
    (GOOD, "dealer=1", "dealer=3", r"dealer='3': expected 0\.\.2"),
    (GOOD, "size=4", "size=3", r"size='3': expected 4\.\.4"),
    (GOOD, "flip=N4", "flip=-", "flip=-"),
    (GOOD, "flip=N4 up=1 trump=N", "flip=- up=0 trump=-", "R13"),
    (GOOD, "flip=N4", "flip=N4.N6", "expected one card"),
    (GOOD, "flip=N4", "flip=X4", "'X4' is no card"),
    (GOOD, "flip=N4", "flip=N14", "'N14' is no card"),
    (GOOD, "flip=N4", "flip=N2", "N2 lies in two places"),
    (GOOD, "flip=N4", "flip=C4", "trump=N does not follow from flip=C4: expected C"),
    (GOOD, "flip=N4", "flip=P", "trump=N does not follow from flip=P"),
    (GOOD, "up=1", "up=0", "contradict"),
    (GOOD, "up=1", "up=2", "redraw"),
    (GOOD, "up=1", "up=99", r"up='99': expected 0\.\.7"),
    (GOOD, "trump=N", "trump=C", "trump=C does not follow from flip=N4"),
    (GOOD, "trump=N", "trump=-", "trump=- does not follow"),
    (GOOD, "trump=N", "trump=X", "trump='X': expected - or one of C, N, V, F"),
    (GOOD, "trump=N", "trump=NV", "trump='NV'"),
    (GOOD, "totals=10,0,10", "totals=10,0", "expected 3 entries"),
    (GOOD, "totals=10,0,10", "totals=10,0,-10", "totals='-10'"),
    (GOOD, "totals=10,0,10", "totals=10,0,15", r"totals='15': expected 0\.\.14"),
    (GOOD, "zeros=1,1,1", "zeros=1,1,2", r"zeros='2': expected 0\.\.1"),
    (GOOD, "bids=0,2,4", "bids=0,2,5", r"bids='5': expected 0\.\.4"),
    (GOOD, "bids=0,2,4", "bids=0,2,2", "hook forbids"),
    (GOOD, "bids=0,2,4", "bids=0,-,4", "does not go with 2 bids"),
    (GOOD, "won=0,1,0", "won=0,1,1", "won= adds up to 2, but 1"),
    (GOOD, "won=0,1,0", "won=0,0,0", "won= adds up to 0, but 1"),
    (GOOD, "voids=F,-,F", "voids=F,-,X", "'X' is no suit letter"),
    (GOOD, "voids=F,-,F", "voids=FV,-,F", "is void in FV"),
    (GOOD, "C13.N2.V9", "C13.N2", "seat 0 holds 2 cards: expected 3"),
    (GOOD, "C13.N2.V9", "C13.N2.V9.V10", "seat 0 holds 4 cards: expected 3"),
    (GOOD, "C13.N2.V9", "C13.C13.V9", "'C13' is named twice"),
    (GOOD, "C13.N2.V9", "C13.N2.C10", "C10 lies in two places"),
    (GOOD, "C13.N2.V9", "C13.N2.V7", "V7 lies in two places"),
    (GOOD, "C13.N2.V9", "C13..V9", "'' is no card"),
    (GOOD, "C13.N2.V9", "C13.N2.Past", "'Past' is no card"),
    (GOOD, "C13.N2.V9", "?", "expected all hands or exactly one shown"),
    (GOOD, "C13.N2.V9,C10.P,C1.N5.V8", "?,?,?", "expected all hands or exactly one shown"),
    (GOOD, "C13.N2.V9,C10.P,C1.N5.V8", "P.P.P,P.P,P.P.N5", "7 paradox cards"),
    (GOOD, "C13.N2.V9,C10.P,C1.N5.V8", "?,?,C1.N5", "seat 2 holds 2 cards: expected 3"),
    (GOOD, "played=V7", "played=-", "whole tricks"),
    (GOOD, "played=V7", "played=V7.C2", "whole tricks"),
    (GOOD, "played=V7", "played=" + ".".join(["P"] * 7), "paradox"),
    (GOOD, "played=V7", "played=" + ".".join(["P"] * 130), "paradox"),
    (GOOD, "leader=1", "leader=0", "seat"),
    (GOOD, "leader=1", "leader=x", r"leader='x': expected 0\.\.2"),
    (GOOD, "trick=V13", "trick=-", "whole tricks"),
    (GOOD, "trick=V13", "trick=V7", "V7 is in trick= but not in played= of seat 1"),
    (GOOD, "trick=V13", "trick=Fut", "Fut is in trick= but not in played= of seat 1"),
    (GOOD, "trick=V13", "trick=V13,V11,V7,V9", "expected at most 3 cards"),
    (GOOD, "trick=V13", "trick=P", "'P' is no card or declaration"),
    (GOOD, "actor=2", "actor=0", "actor=0: expected 2"),
    (GOOD, "actor=2", "actor=3", r"actor='3': expected 0\.\.2"),
    (GOOD, "played=V7,V13.F13,V11", "played=V7.V11,V13.F13,-", "seat 2 has played 0 cards: expected 1"),
    (GOOD_LEAD, "actor=1", "actor=0", "actor=0: expected 1, who leads next"),
    (GOOD_LEAD, "trick=F13,V11,V7", "trick=F13,V11", "whole tricks"),
    (GOOD_BID, "phase=bid", "phase=play", "does not go with 2 bids"),
    (GOOD_BID, "bids=3,-,1", "bids=3,1,-", "clockwise"),
    (GOOD_BID, "actor=1", "actor=2", "actor=2: expected 1"),
    (GOOD_BID, "bids=3,-,1", "bids=-,-,1", "actor=1: expected 0"),
    (GOOD_BID, "trick=-", "trick=V7", "trick"),
    (GOOD_OVER, "round=3", "round=2", "expected round=3"),
    (GOOD_OVER, "phase=over", "phase=play", "1 of 1 tricks are complete"),
    (GOOD_OVER, "played=F9,P,F3", "played=-,-,-", "played"),
    (GOOD_OVER, "trick=F3,F9,Past", "trick=-", "trick"),
]  # fmt: skip


@pytest.mark.parametrize("text", [GOOD, GOOD_BID, GOOD_LEAD, GOOD_OVER])
def test_the_positions_that_are_spoilt_below_are_good(text: str) -> None:
    state = Game(num_players=3, round_sizes=SIZES).position(text)
    assert state.position_string() == text


@pytest.mark.parametrize(("good", "old", "new", "message"), BAD, ids=[f"{old}->{new[:30]}" for _, old, new, _ in BAD])
def test_bad_positions_say_what_is_wrong(good: str, old: str, new: str, message: str) -> None:
    assert good.count(old) == 1
    with pytest.raises(InvalidText, match=message):
        Game(num_players=3, round_sizes=SIZES).position(good.replace(old, new))


MINI = ("phase=bid round=1 dealer=0 size=1 flip=C1 up=1 trump=C totals=0,0 zeros=0,0 bids=-,- won=0,0 voids=-,- "
        "hands=C2,C3 played=-,- leader=0 trick=- actor=1")  # fmt: skip
FOUR_EACH = {"num_paradox": 3, "round_sizes": [4, 1], "paradox_flip": "redraw"}
BAD_MINI = [
    ("phase=bid", "phase=name_trump", {}, "needs paradox_flip=dealer_names"),
    ("phase=bid", "phase=name_trump", {"paradox_flip": "dealer_names"}, "needs .* flip=P"),
    ("size=1 flip=C1 up=1", "size=4 flip=C1 up=2", FOUR_EACH, "only 1 cards are left"),
    ("hands=C2,C3", "hands=C2,C4", {}, "C4 is not in the deck"),
    ("hands=C2,C3", "hands=C2,V1", {}, "V1 is not in the deck"),
    ("hands=C2,C3", "hands=P,P", {}, "2 paradox cards"),
    ("hands=C2,C3", "hands=?,P", {"num_paradox": 0}, "paradox"),
    ("flip=C1 up=1 trump=C", "flip=C4 up=1 trump=C", {}, "C4"),
    ("flip=C1 up=1 trump=C", "flip=V1 up=1 trump=V", {}, "V"),
    ("flip=C1 up=1 trump=C", "flip=P up=1 trump=-", {"num_paradox": 0}, "paradox"),
    ("flip=C1 up=1 trump=C", "flip=P up=1 trump=-", {"paradox_flip": "redraw"}, "redraw"),
    ("flip=C1 up=1 trump=C", "flip=P up=1 trump=-", {"paradox_flip": "dealer_names"}, "trump=- does not follow"),
    ("flip=C1 up=1 trump=C", "flip=C1 up=3 trump=C", {"paradox_flip": "redraw"}, "up"),
]


@pytest.mark.parametrize(("old", "new", "options", "message"), BAD_MINI, ids=[entry[1] for entry in BAD_MINI])
def test_positions_that_a_small_deck_does_not_allow(old: str, new: str, options: Options, message: str) -> None:
    assert Game("mini").position(MINI).position_string() == MINI
    with pytest.raises(InvalidText, match=message):
        Game("mini", **options).position(MINI.replace(old, new))


@pytest.mark.parametrize("number", [-1, 2**64, 0.5])
@pytest.mark.parametrize("name", ["seed", "board"])
def test_a_position_takes_only_seeds_and_boards_in_range(name: str, number: Any) -> None:
    keywords: dict[str, Any] = {"seed": 1} | {name: number}
    with pytest.raises(ValueError, match=rf"{name} .*: expected an integer 0\.\."):
        Game("mini").position(MINI, **keywords)


# Fuzzing

LINES = {
    name: [s.position_string() for s in some_states(name, 3, 0.3)]
    + [s.view(0).position_string() for s in some_states(name, 1, 0.1)]
    for name in OPTION_SETS
}
CHARACTERS = "0123456789CNVFP?-=,. tu"


@st.composite
def spoilt_positions(draw: Callable[..., Any]) -> tuple[str, str]:
    """The name of a game, and one of its position lines after one to three edits."""
    name = draw(st.sampled_from(sorted(LINES)))
    words = draw(st.sampled_from(LINES[name])).split()
    for _ in range(draw(st.integers(1, 3))):
        i = draw(st.integers(0, len(words) - 1))
        kind = draw(st.sampled_from(["value", "value", "entry", "character", "append", "remove"]))
        if kind == "value":  # the word as another position has it
            words[i] = draw(st.sampled_from(LINES[name])).split()[i % 17]
        elif kind == "remove":
            del words[i]
            words = words or ["phase=bid"]
        elif kind == "append":
            words[i] += draw(st.sampled_from(CHARACTERS))
        elif kind == "entry":  # one entry of a list in another seat's place
            key, _, value = words[i].partition("=")
            words[i] = f"{key}={','.join(draw(st.permutations(value.split(','))))}"
        else:
            place = draw(st.integers(0, len(words[i]) - 1))
            cut = draw(st.integers(0, 1))
            words[i] = words[i][:place] + draw(st.sampled_from(CHARACTERS)) + words[i][place + cut :]
    return name, " ".join(words)


def check_readable(game: Game, text: str) -> bool:
    """Whether the text is a position; then it must round-trip, have a legal action, and be playable to the end."""
    try:
        state = game.position(text, seed=1)
    except InvalidText:
        return False
    again = game.position(state.position_string(), seed=1)
    assert again.position_string() == state.position_string()
    assert again.record.tobytes() == state.record.tobytes()
    if state.observer is not None:
        return True
    for _ in range(game.max_game_length()):
        if state.is_terminal():
            break
        state.apply_action(state.legal_actions()[-1])
    assert state.is_terminal()
    return True


def test_a_spoilt_position_is_refused_or_a_position() -> None:
    seen: Counter[bool] = Counter()

    @settings(derandomize=True, max_examples=1500, deadline=None, database=None)
    @given(spoilt_positions())
    def check(spoilt: tuple[str, str]) -> None:
        name, text = spoilt
        seen[check_readable(GAMES[name], text)] += 1

    check()
    assert min(seen[True], seen[False]) > 200


@settings(derandomize=True, max_examples=300, deadline=None, database=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_refused_or_a_position(text: str) -> None:
    assert not check_readable(GAMES["mini"], text)
    assert not check_readable(GAMES["mini"], MINI.replace("C1", text.replace("C1", "") or "x", 1))


# Whole states


def play_on(state: State, seed: int) -> list[str]:
    """Play to the end at random; all positions on the way."""
    choices, lines = random.Random(seed), [state.position_string()]
    while not state.is_terminal():
        state.apply_action(choices.choice(state.legal_actions()))
        lines.append(state.position_string())
    return lines


COPIES: dict[str, Callable[[State], State]] = {
    "serialize": lambda state: state.game.deserialize(state.serialize()),
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "clone": lambda state: state.clone(),
}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("name", OPTION_SETS)
def test_copies_keep_history_and_future_chance(name: str, copy: str) -> None:
    seats = range(GAMES[name].num_players)
    for i, state in enumerate(some_states(name, 4, 0.06)):
        again = COPIES[copy](state)
        assert again.game == state.game
        assert (again.seed, again.board, again.observer) == (state.seed, state.board, None)
        assert again.record.tobytes() == state.record.tobytes()
        assert [again.history(seat) for seat in seats] == [state.history(seat) for seat in seats]
        assert all(isinstance(event, Event) for event in again.history(0))
        before = state.serialize()
        assert play_on(again, i) == play_on(state.clone(), i)  # the deals to come too
        assert state.serialize() == before


@pytest.mark.parametrize("copy", COPIES)
def test_copies_of_views_keep_history_and_have_no_future(copy: str) -> None:
    for name in ("mini", "dealer_names"):
        for state in some_states(name, 2, 0.2):
            for seat in range(GAMES[name].num_players):
                view = state.view(seat)
                again = COPIES[copy](view)
                assert (again.seed, again.observer) == (None, seat)
                assert again.information_state_string(seat) == state.information_state_string(seat)
                with pytest.raises(IllegalAction, match="cannot be played on"):
                    again.apply_action(0)


def test_pickled_games_are_equal() -> None:
    for game in GAMES.values():
        again = pickle.loads(pickle.dumps(game))
        assert again == game
        assert hash(again) == hash(game)
        assert again.option_values() == game.option_values()
    assert len(set(GAMES.values())) == len(GAMES)


def test_another_seed_or_board_is_another_future() -> None:
    lines = [play_on(Game().new_initial_state(seed=seed, board=board), 0) for seed, board in ((1, 0), (2, 0), (1, 1))]
    assert lines[0] != lines[1] != lines[2] != lines[0]
    assert play_on(Game().new_initial_state(seed=1, board=1), 0) == lines[2]


def serialized(**changes: Any) -> str:
    """A serialised state of `mini` with some of its entries replaced."""
    state = Game("mini").new_initial_state(seed=3)
    return json.dumps(json.loads(state.serialize()) | changes)


# No state at all; and an entry of a state, its wrong value, and a word of the error.
NO_STATES = ["", "[]", "5", "null", '"text"', "{}", serialized()[:-1], serialized()[:80]]
WRONG_ENTRIES: list[tuple[str, Any, str]] = [
    ("game", "truf", "a state of .*truf.* cannot be read by a game of .*kronions"),
    ("version", 0, "a state of .* 0, .* cannot be read"),
    *(("rules", rules, "a state of .* cannot be read") for rules in ({}, {"num_players": "3"}, None)),
    ("position", "phase=bid", "a position lacks round"),
    *(("position", position, "kronions") for position in (None, 5, [])),
    *(("seed", seed, "seed") for seed in (-1, 2**64, 1.0, 0.0, "1", "", None, [], [1])),
    *(("board", board, "board") for board in (-1, 2**64, 0.5, "", None, [])),
    *(("histories", histories, "histories") for histories in ([], [[]], [[], [], []])),
    *(("histories", histories, "kronions") for histories in (None, 5, [5, 5], [[[0, "bid"]], []], [[5], []])),
    *(("histories", [[event], []], "kronions") for event in ([0, "bid", "x", 0], ["a", "b", "c", "d"])),
]


@pytest.mark.parametrize("text", NO_STATES)
def test_texts_that_are_no_state(text: str) -> None:
    with pytest.raises(InvalidText, match="is no serialised kronions state"):
        Game("mini").deserialize(text)


@pytest.mark.parametrize(("key", "value", "message"), WRONG_ENTRIES, ids=[f"{k}={v!r}" for k, v, _ in WRONG_ENTRIES])
def test_states_with_a_wrong_entry(key: str, value: Any, message: str) -> None:
    assert Game("mini").deserialize(serialized()).seed == 3
    with pytest.raises(InvalidText, match=message):
        Game("mini").deserialize(serialized(**{key: value}))


def test_every_entry_of_a_serialised_state_is_needed() -> None:
    whole = json.loads(serialized())
    assert sorted(whole) == ["board", "data", "game", "histories", "position", "rules", "seed", "version"]
    for key in whole:
        text = json.dumps({other: value for other, value in whole.items() if other != key})
        with pytest.raises(InvalidText, match=f"'{key}'"):
            Game("mini").deserialize(text)


def test_phases_of_positions_are_those_with_a_decision_or_the_end() -> None:
    seen = {line.split()[0].removeprefix("phase=") for lines in LINES.values() for line in lines}
    assert seen == {"name_trump", "bid", "play", "over"} < set(PHASES)
