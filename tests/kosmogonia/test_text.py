"""Texts of actions and positions round-trip, what is wrong is refused with a word that helps, pictures are exact.

The positions in this file are written by hand. In round 1 of the standard game seat s has gathered the cards G, E, D, T
and R number s, the others still lie in the stacks in rising order.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import cardkit.spec
from cardkit import verbs
from cardkit.rng import RNG_WORDS, chance_stream
from cardkit.spec import IllegalAction, InvalidText
from cardkit.state import State
from cardkit.verbs import CHANCE, OVER
from kosmogonia import Game
from kosmogonia._card_files import standin
from kosmogonia.state import (
    CHALLENGE_CARD,
    DEPLOY_CARD,
    DRAW_PULL,
    END_CHAMPION,
    EQUIP,
    FIRST_PLAYER,
    KRONOS,
    NONE,
    PASS,
    PHASES,
    STATE,
    SYM7,
    SYM8_CARD,
    TOURN_DISCARD,
    UNSEEN,
    USE,
)
from kosmogonia.text import action_to_string, comment, string_to_action

Options = dict[str, Any]

OPTION_SETS: dict[str, tuple[str, Options]] = {
    "standard": ("standard", {"key_limit": 99}),
    "tactics": ("standard-tactics-hard", {"hands_public": "hidden_after_gather", "closed_shows_stack": "yes",
                                          "key_limit": 99, "sym6_persists": "yes", "sym8_scope": "number"}),
    "variation2": ("variation2-tactics-easy", {"hands_public": "hidden_after_gather", "lone_hunts": "no",
                                               "allow_null_symbols": "yes"}),
    "variation3": ("variation3", {"closed_shows_stack": "yes", "count_sym6_chain": "no", "key_limit": 30}),
    "tournament": ("tournament", {"banner_limit": 4, "tourn_discard": "may_hold_one", "sym8_scope": "number"}),
}  # fmt: skip
GAMES = {name: Game(preset, **options) for name, (preset, options) in OPTION_SETS.items()}
DECISIONS = PHASES[FIRST_PLAYER:]


@pytest.fixture
def quick_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions are read five times as fast without the hints of messages, which other tests look at."""
    monkeypatch.setattr(cardkit.spec, "nearest", lambda name, known: "")


def content(state: State) -> bytes:
    """All fields of the record, without the gap at its end."""
    return b"".join(np.asarray(state.record[field]).tobytes() for field in state.record.dtype.names)


def states_of(game: Game, seed: int) -> Iterator[State]:
    """All positions of a random game, the end too; the state is played on, so copy what you keep."""
    state, choices = game.new_initial_state(seed=seed), random.Random(seed)
    while not state.is_terminal():
        yield state
        state.apply_action(choices.choice(state.legal_actions()))
    yield state


def some_states(name: str, num_games: int, share: float) -> Iterator[State]:
    """Copies of a share of the positions of some random games, and of those that are rare."""
    choices, seen = random.Random(name), Counter[str]()
    for seed in range(num_games):
        for state in states_of(GAMES[name], seed):
            seen[state.phase()] += 1
            if seen[state.phase()] <= 3 or choices.random() < share:
                yield state.clone()


# Actions

NUM_ACTIONS = {
    "first_player": 4, "draft": 5, "challenge_card": 48, "challenge_orient": 2, "deploy_card": 49, "deploy_place": 8,
    "deploy_orient": 2, "tourn_discard": 60, "use": 16, "sym7": 6, "sym8_card": 18, "sym8_number": 3,
    "end_champion": 48, "end_permutation": 6, "equip": 19, "over": 0,
}  # fmt: skip


def texts_of(rules: Any, phase: int) -> dict[int, str]:
    """The actions of a phase in words."""
    texts = {}
    for action in range(64):
        with contextlib.suppress(InvalidText):
            texts[action] = action_to_string(rules, phase, action)
    return texts


@pytest.mark.parametrize("phase", NUM_ACTIONS)
def test_actions_round_trip_in_every_phase_whatever_case_and_spaces(phase: str) -> None:
    rules, number = Game().rules, PHASES.index(phase)
    texts = texts_of(rules, number)
    for action in set(range(64)) - set(texts):
        with pytest.raises(InvalidText, match=f"^action {action} is none of phase '{phase}': expected one of "):
            action_to_string(rules, number, action)
    assert len(texts) == len(set(texts.values())) == NUM_ACTIONS[phase]
    for action, text in texts.items():
        for spelling in (text, text.upper(), text.lower(), f"\t {text} ".replace(" ", "   ")):
            assert string_to_action(rules, number, spelling) == action


WORDS = [
    ("first_player", {0: "seat 0", 3: "seat 3"}),
    ("draft", {0: "Gods", 1: "Elites", 2: "Defenders", 3: "Thornbearers", 4: "Reinforcements"}),
    ("challenge_card", {0: "Hermes", 12: "Narcissus", 24: "Jason", 36: "Icarus", 47: "Salmoneus"}),
    ("challenge_orient", {0: "open", 1: "closed"}),
    ("deploy_card", {0: "Hermes", 25: "Odysseus", 63: "END"}),
    ("deploy_place", {0: "quest 1 left", 5: "quest 3 right", 7: "quest 4 right"}),
    ("deploy_orient", {0: "open", 1: "closed"}),
    ("tourn_discard", {24: "Jason", 48: "Pythagoras", 59: "Euclid"}),
    ("use", {0: "Pythagoras", 11: "Euclid", 12: "citadel 1", 14: "citadel 3", 15: "pass"}),
    ("sym7", {1: "Fist to Awe", 2: "Fist to Cunning", 3: "Awe to Fist", 5: "Awe to Cunning", 6: "Cunning to Fist",
              7: "Cunning to Awe"}),
    ("sym8_card", {0: "0 Labrys", 8: "8 Sphinx's Riddle", 17: "17 Ash of Pelion"}),
    ("sym8_number", {0: "Fist", 1: "Awe", 2: "Cunning"}),
    ("end_champion", {12: "Narcissus", 47: "Salmoneus"}),
    ("end_permutation", {0: "Fist Awe Cunning", 1: "Fist Cunning Awe", 2: "Awe Fist Cunning", 3: "Awe Cunning Fist",
                         4: "Cunning Fist Awe", 5: "Cunning Awe Fist"}),
    ("equip", {0: "0 Labrys", 17: "17 Ash of Pelion", 18: "nothing"}),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "words"), WORDS, ids=[phase for phase, _ in WORDS])
def test_words_of_actions_are_those_of_the_rules(phase: str, words: dict[int, str]) -> None:
    for action, text in words.items():
        assert action_to_string(Game().rules, PHASES.index(phase), action) == text


SHORT = [
    (CHALLENGE_CARD, "D0", 24), (DEPLOY_CARD, "t11", 47), (DEPLOY_CARD, " g5 ", 5), (END_CHAMPION, "e0", 12),
    (TOURN_DISCARD, "R0", 48), (TOURN_DISCARD, "r11", 59), (TOURN_DISCARD, "D3", 27), (USE, "R0", 0), (USE, "r11", 11),
    (EQUIP, "0", 0), (EQUIP, " 17", 17), (SYM8_CARD, "9", 9),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "text", "action"), SHORT, ids=[f"{PHASES[p]} {text}" for p, text, _ in SHORT])
def test_cards_and_treasures_may_be_named_short(phase: int, text: str, action: int) -> None:
    assert string_to_action(Game().rules, phase, text) == action


@pytest.mark.parametrize("name", OPTION_SETS)
def test_legal_actions_round_trip_along_games(name: str) -> None:
    for state in some_states(name, 4, 0.1):
        texts = [state.action_to_string(action) for action in state.legal_actions()]
        assert [state.string_to_action(text) for text in texts] == state.legal_actions()


# Positions that are written by hand

# The numbers on the cards of these positions: Fist, Awe and Cunning of every champion (a is 10); keys, item and factor
# of every treasure; categories of both faces of every quest.
VALUES = """439 376 285 462 658 a41 575 736 295 872 718 367  194 163 443 941 158 645 537 752 249 346 652 464
            353 438 841 920 076 733 335 552 615 183 246 462  236 129 408 264 830 560 093 714 173 623 362 911"""
TREASURES = """2300100 1012010 1030010 2201001 2003001 1120100 2022030 1040003 1004300
               3310030 2031003 1400300 1500006 3013600 1050060 2023006 2320600 3112060"""
FACES = "F/FC A/FA C/AC A/AC F/FA C/FC F/FC A/AC C/FA"
CITADELS = [[1, 5, 12], [4, 9, 11], [3, 7, 10], [2, 6, 8]]


def fixed_table() -> np.ndarray:
    """The names of the stand-in with the numbers above; monsters have 14, or 15 and then 12."""
    table = standin().table.copy()
    row = table[0]
    row["values"] = [[int(digit, 16) for digit in word] for word in VALUES.split()]
    for treasure, word in enumerate(TREASURES.split()):
        keys, *numbers = map(int, word)
        row["keys"][treasure], row["items"][treasure], row["factors"][treasure] = keys, numbers[:3], numbers[3:]
    for quest, word in enumerate(FACES.split()):
        for face, letters in enumerate(word.split("/")):
            there = [letter in letters for letter in "FAC"]
            row["categories"][quest, face] = there
            strength = iter((15, 12) if face else (14,))
            row["monsters"][quest, face] = [next(strength) if category else 0 for category in there]
    row["symbols"], row["citadels"], row["bases"] = range(1, 13), CITADELS, [[13] * 3, [15] * 3]
    row["limits"] = 11
    return table


CARD_SET = replace(standin(), source="fixed", table=fixed_table())


def stacks(first: int) -> str:
    """The stacks in rising order, from a card on."""
    return "|".join(".".join(f"{letter}{i}" for i in range(first, 12)) or "-" for letter in "GEDTR")


def some(letter: str, first: int, last: int) -> str:
    """Cards of a stack, such as "G4.G5.G6"."""
    return ".".join(f"{letter}{i}" for i in range(first, last + 1))


FIRST = f"phase=first_player stacks={stacks(0)} treasures=0,1,3,2,4,5,-1,-1 citadels=2,0,3,1 actor=2 finder=2"
GATHERED = "gathered=G0.E0.D0.T0.R0|G1.E1.D1.T1.R1|G2.E2.D2.T2.R2|G3.E3.D3.T3.R3"
# Seat 3 was first and has sent T3; seat 0 has chosen D0.
ORIENT = (
    f"phase=challenge_orient hands=G0.E0.D0.T0.R0|G1.E1.D1.T1.R1|G2.E2.D2.T2.R2|G3.E3.D3.R3 {GATHERED} "
    f"stacks={stacks(4)} olympus=-.-.-|-.-.-|-.-.-|T3.-.- treasures=0,1,3,2,4,5,-1,-1 citadels=2,0,3,1 card=24 "
    "opened=4 finder=2 first_player=3"
)
# Seats 0 and 1 at quest 1, seat 3 at quest 2 with E3 closed, seat 2 at quest 3; seat 2 has ended.
BOARD = "treasures=0,1,3,2,4,5,-1,-1 owners=0,1,3,-1,2,-1,-1,-1 blue=0,0,0,-1"
SENT = f"stacks={stacks(4)} olympus=D0.-.-|E1.-.-|G2.-.-|T3.-.-"
ROUND = "opened=4 finder=2 first_player=0"
LYING = "lineups=G0|D1|G3.E3|-|T2|-|-|- closed=E3"
DEPLOY = (
    f"phase=deploy_card hands=E0.T0.R0|G1.T1.R1|E2.D2.R2|D3.R3 {GATHERED} {LYING} {SENT} {BOARD} citadels=2,0,3,1 "
    f"deployed=1,1,1,2 ended=4 {ROUND}"
)
PLACE = DEPLOY.replace("deploy_card", "deploy_place").replace("opened=", "card=12 opened=")
SIDE = DEPLOY.replace("deploy_card", "deploy_orient").replace("opened=", "card=12 place=0 opened=")
# The view of seat 1 on `SIDE`: the stacks, the closed card E3 of seat 3 and the card that seat 0 has chosen are hidden.
VIEW = (
    f"phase=deploy_orient hands=E0.T0.R0|G1.T1.R1|E2.D2.R2|E3.D3.R3 {GATHERED} lineups=G0|D1|G3|-|T2|-|-|- "
    f"hidden={'0,0,' * 2}5,0{',0,0' * 5} olympus=D0.-.-|E1.-.-|G2.-.-|T3.-.- {BOARD} "
    "citadels=2,0,3,1 deployed=1,1,1,2 ended=4 card=64 place=0 opened=4 finder=2 first_player=0 observer=1"
)
# Seat 0 has used its citadel (double Cunning) and Pythagoras (double Fist), seat 1 Asclepius (double Awe).
DUEL = (
    f"phase=use hands=T0|G1.T1|E2.D2.R2|D3.R3 {GATHERED} lineups=G0.E0|D1|G3.E3|-|T2|-|-|- closed=E3 table=R0.R1 "
    f"symbols_used=10,4 {SENT} {BOARD} queue=3,18,1,0,0,0,0,0 citadels=2,0,3,1 deployed=2,1,1,2 uses=2,1 ended=15 "
    f"citadels_used=1 in_force=1 queue_size=3 actor=1 corner=1 fight=1 fought=1 {ROUND}"
)
# Both have passed.
EFFECT = (
    DUEL.replace("phase=use", "phase=end_champion").replace("uses=2,1 ", "uses=2,1 passed=3 ")
    .replace("actor=1 corner=1 ", "").replace("fought=1", "fought=1 symbol=3")
)  # fmt: skip
# Seat 0 has lost; seat 1 hunts, and seats 3 and 2, alone at quests 2 and 3, follow.
HUNT = (
    f"phase=use hands=E0.T0.R0|G1.T1.R1|E2.D2.R2|D3.R3 {GATHERED} lineups=-|D1|G3.E3|-|T2|-|-|- closed=E3 discard=G0 "
    f"vaults=-|1|4|3 {SENT} treasures=0,-1,-1,2,-1,5,-1,-1 owners=-1,1,3,-1,2,-1,-1,-1 blue=0,0,0,-1 "
    "citadels=2,0,3,1 deployed=1,1,1,2 duels_won=0,1,0,0 hunts=0,1,0,0 won=0,1,1,1 hunted=2 passed=1 "
    f"ended=15 citadels_used=2 actor=1 corner=1 fight=2 fought=1 {ROUND}"
)
PILE = ".".join([*(some(letter, 4, 11) for letter in "GED"), some("T", 0, 11), some("R", 0, 4), some("R", 9, 11)])
TEAMS = "olympus=G0.E0.D0|G1.E1.D1|G2.E2.D2|G3.E3.D3"
LAST = "round_number=2 opened=12 finder=2 first_player=0 rounds_done=2"
LAST_GATHERED = "gathered=G4.E4.D4.T4.R5|G5.E5.D5.T5.R8|G6.E6.D6.T6.R9|G7.E7.D7.T7.R6"
TREASURY = "treasury=1.2.3.5.6.7.8.10.11.12.13.14.15.17"
CHOSEN = "9,18,0,4,18,18,-1,-1,-1,-1,-1,-1"
EQUIPPING = (
    f"phase=equip hands=R5.R7|R8|-|R6 {LAST_GATHERED} discard={PILE} {TREASURY} vaults=0.9|4|-|16 {TEAMS} "
    f"equipped={CHOSEN} blue=0,0,-1,-1 citadels=2,0,3,1 ended=15 citadels_used=15 actor=2 {LAST}"
)
SECRET_VIEW = EQUIPPING.replace(CHOSEN, "19,19,19,4,18,18,-1,-1,-1,-1,-1,-1") + " observer=1"
FIGHT = (
    f"phase=use hands=R5.R7|R8|-|R6 {LAST_GATHERED} discard={PILE} {TREASURY} vaults=0.9|4|-|16 {TEAMS} "
    "equipped=9,18,0,4,18,18,18,18,18,16,18,18 blue=0,0,-1,-1 citadels=2,0,3,1 challengers=0,3,1,2 passed=2 "
    f"ended=15 citadels_used=15 fight=3 {LAST}"
)
END = (
    f"phase=over hands=R5.R7|R8|-|R6 {LAST_GATHERED} discard={PILE} {TREASURY} vaults=0.9|4|-|16 {TEAMS} "
    "equipped=9,18,0,4,18,18,18,18,18,16,18,18 blue=0,0,-1,-1 citadels=2,0,3,1 challengers=0,3,1,2 ended=15 "
    "citadels_used=15 position=3 round_number=2 opened=12 finder=2 first_player=0 rounds_done=3 outcome=2"
)
GOODS = {
    "first": FIRST, "orient": ORIENT, "deploy": DEPLOY, "place": PLACE, "side": SIDE, "view": VIEW, "duel": DUEL,
    "effect": EFFECT, "hunt": HUNT, "equip": EQUIPPING, "secret": SECRET_VIEW, "fight": FIGHT, "over": END,
}  # fmt: skip
GAME = Game(key_limit=99, cards=CARD_SET)
# A draft for two in the tournament: seat 0 is to take the first card; a view of seat 1.
DRAFT = (
    f"phase=draft stacks={'|'.join(some(letter, 0, 5) + '.?' * 6 for letter in 'GEDTR')} citadels=2,0,-1,-1 opened=6 "
    "b_quest=4 finder=1 first_player=0 observer=1"
)
DRAFTING = Game("tournament-tactics", cards=CARD_SET)


@pytest.mark.parametrize("name", GOODS)
def test_positions_by_hand_are_read_as_they_are_written(name: str) -> None:
    state = GAME.position(GOODS[name], seed=1)
    assert state.position_string() == GOODS[name]
    assert state.phase() == GOODS[name].split()[0].removeprefix("phase=")
    assert str(state)
    assert (state.observer is None) == ("observer" not in GOODS[name])


def test_a_draft_by_hand_is_read_as_it_is_written() -> None:
    assert DRAFTING.position(DRAFT).position_string() == DRAFT


def test_a_view_by_hand_is_the_view_of_its_position() -> None:
    assert GAME.position(SIDE).view(1).position_string() == VIEW
    assert GAME.position(EQUIPPING).view(1).position_string() == SECRET_VIEW


def test_words_may_stand_in_any_order_and_zeros_be_written() -> None:
    words = DEPLOY.split()
    text = "  ".join([*reversed(words), "round_number=0", "pulled=-", "hunts=0,0,0,0", "winner=-1"])
    assert GAME.position(f"\n{text}\t").position_string() == DEPLOY


@pytest.mark.parametrize("name", OPTION_SETS)
def test_positions_and_views_of_games_round_trip(name: str, quick_reading: None) -> None:
    game, count = GAMES[name], Counter[str]()
    for state in some_states(name, 2 if name == "standard" else 3, 0.02):
        for one in (state, *(state.view(seat) for seat in range(game.num_players))):
            again = game.position(one.position_string())
            assert content(again) == content(one), one
            assert again.position_string() == one.position_string()
            assert again.observer == one.observer
            assert (again.seed is None) == (one.observer is not None)
            assert str(again) == str(one)
            if one.observer in (None, one.current_player()):
                assert again.legal_actions() == one.legal_actions()
        count[state.phase()] += 1
    rare = {"sym7", "sym8_card", "sym8_number", "draft", "tourn_discard"}
    assert set(DECISIONS) - rare <= set(count)
    assert ("draft" in count) == ("tactics" in OPTION_SETS[name][0])
    assert ("tourn_discard" in count) == (name == "tournament")


def test_positions_of_rare_phases_round_trip(quick_reading: None) -> None:
    """Replacing a category, and cancelling one number of a treasure of Kronos, in random games."""
    seen = set()
    for board in range(60):
        state, choices = GAMES["tactics"].new_initial_state(seed=2, board=board), random.Random(board)
        while not state.is_terminal():
            if state.phase() in ("sym7", "sym8_card", "sym8_number"):
                for one in (state, state.view(3)):
                    assert content(GAMES["tactics"].position(one.position_string())) == content(one)
                assert "None" not in str(state)
                seen.add(state.phase())
            state.apply_action(choices.choice(state.legal_actions()))
        if len(seen) == 3:
            return
    raise AssertionError(f"only {seen}")


# Texts that are no action

NO_ACTIONS = [
    (DEPLOY, "", InvalidText, "is no action of phase 'deploy_card'"),
    (DEPLOY, "pass", InvalidText, "is no action of phase 'deploy_card'"),
    (DEPLOY, "END!", InvalidText, "is no action of phase 'deploy_card'"),
    (DEPLOY, "Jasn", InvalidText, "did you mean '[Jj]ason'"),
    (DEPLOY, "edn", InvalidText, "is no action of phase 'deploy_card'; did you mean '(END|end)'"),
    (DEPLOY, "R0", InvalidText, "'R0' is no action of phase 'deploy_card'"),
    (DEPLOY, "Pythagoras", InvalidText, "is no action of phase 'deploy_card'"),
    (DEPLOY, "G12", InvalidText, "'G12' is no"),
    (DEPLOY, "Hermes", IllegalAction, "illegal action 'Hermes' for seat 0: expected one of Narcissus, Icarus, END$"),
    (PLACE, "quest 1", InvalidText, "did you mean 'quest 1 left'"),
    (PLACE, "quest 5 left", InvalidText, "did you mean 'quest . left'"),
    (PLACE, "quest 1 right", IllegalAction, "expected one of quest 1 left, quest 2 right, quest 3 right$"),
    (PLACE, "quest 4 left", IllegalAction, "illegal action 'quest 4 left' for seat 0"),
    (SIDE, "close", InvalidText, "did you mean 'closed'"),
    (ORIENT, "closed", IllegalAction, "illegal action 'closed' for seat 0: expected one of open$"),
    (FIRST, "seat 4", InvalidText, "did you mean 'seat"),
    (FIRST, "2", InvalidText, "expected one of seat 0, seat 1, seat 2, seat 3$"),
    (DUEL, "citadel 4", InvalidText, "did you mean 'citadel"),
    (DUEL, "pas", InvalidText, "'pas' is no action of phase 'use'; did you mean 'pass'"),
    (DUEL, "D0", InvalidText, "'D0' is no action of phase 'use'"),
    (DUEL, "Nike", IllegalAction, "expected one of citadel 1, citadel 3, pass$|expected one of citadel"),
    (EFFECT, "Jason", IllegalAction, "illegal action 'Jason' for seat 0: expected one of Narcissus$"),
    (EQUIPPING, "16", IllegalAction, "illegal action '16' for seat 2: expected one of nothing$"),
    (EQUIPPING, "Labrys", InvalidText, "did you mean '0 [Ll]abrys'"),
    (EQUIPPING, "18", InvalidText, "'18' is no action of phase 'equip'"),
    (EQUIPPING, "9" * 5000, InvalidText, "is no action of phase 'equip'"),
    (FIGHT, "citadel 1", IllegalAction, "illegal action 'citadel 1' for seat 0: expected one of Orpheus, Eris, pass$"),
    (END, "pass", InvalidText, "'pass' is no action of phase 'over'"),
    (VIEW, "open", IllegalAction, "the view of seat 1 does not know what seat 0 may do"),
]


@pytest.mark.parametrize(
    ("line", "text", "error", "message"), NO_ACTIONS, ids=[f"{case[0][6:18]} {case[1][:12]!r}" for case in NO_ACTIONS]
)
def test_texts_that_are_no_action_here(line: str, text: str, error: type[Exception], message: str) -> None:
    with pytest.raises((InvalidText, IllegalAction), match=message) as caught:
        GAME.position(line, seed=1).string_to_action(text)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [None, 3, b"open", ["open"], True])
def test_only_a_text_is_a_text(text: Any) -> None:
    with pytest.raises(InvalidText, match="expected a text, got"):
        GAME.position(DEPLOY, seed=1).string_to_action(text)
    with pytest.raises(InvalidText, match="expected a text, got"):
        GAME.position(text)


# Positions that are none: what is replaced, with what, and a word of the error.

BAD = [
    # words
    (DEPLOY, "phase=deploy_card ", "", "phase='citadels': expected one of first_player"),
    (DEPLOY, "phase=deploy_card", "phase=deploy", "phase='deploy': expected one of first_player, draft, "),
    (DEPLOY, "phase=deploy_card", "phase=steal", "phase='steal': expected one of first_player"),
    (DEPLOY, "phase=deploy_card", "phase", "'phase' is no word of a position: expected key=value"),
    (DEPLOY, "phase=deploy_card", "phase=", "'phase=' is no word of a position"),
    (DEPLOY, "phase=deploy_card", "phase=deploy_card phase=use", "the word 'phase' stands twice"),
    (DEPLOY, "hands=", "hand=", "unknown word 'hand' in a position; did you mean 'hands'"),
    (DEPLOY, "hands=", "Hands=", "unknown word 'Hands'"),
    (DEPLOY, "finder=2", "finder=2 olympus_closed=0", "unknown word 'olympus_closed'"),
    # cards
    (DEPLOY, "E0.T0.R0", "E0.T0.R12", "'R12' is no card: expected a letter of GEDTR and 0..11, such as 'G0'"),
    (DEPLOY, "E0.T0.R0", "E0.T0.r0", "'r0' is no card"),
    (DEPLOY, "E0.T0.R0", "E0.T0.Jason", "'Jason' is no card"),
    (DEPLOY, "E0.T0.R0", "E0..R0", "'' is no card"),
    (DEPLOY, "E0.T0.R0", "E0.T0.E0", "card 'E0' stands twice in 'E0.T0.E0'"),
    (DEPLOY, "E0.T0.R0", "E0.R0", "T0 lies nowhere"),
    (DEPLOY, "E0.T0.R0|", "E0.T0.R0.R1|", "R1 lies in two places"),
    (DEPLOY, "E0.T0.R0|", "E0.T0.R0,", "expected 4 entries with '|' between them"),
    (DEPLOY, "E0.T0.R0|", "", "expected 4 entries"),
    (DEPLOY, "lineups=G0|", "lineups=G0.R0|", "R0 lies in two places|only champions lie at quests"),
    (DEPLOY, "closed=E3", "closed=E0", "a card that lies at no quest"),
    (DEPLOY, "closed=E3", "closed=E3|E0", "expected 1 entries"),
    (DEPLOY, "closed=E3", "closed=G3.E3", "the first card on side 2 lies open"),
    (DEPLOY, "closed=E3", "closed=E3 table=G0", "G0 lies in two places|only reinforcement cards are used"),
    (DEPLOY, "closed=E3", "closed=E3 moved=E0", "moved=: a card that lies at no quest"),
    (DEPLOY, "closed=E3", "closed=E3 pulled=E0", "pulled=: a card that lies at no quest"),
    (DEPLOY, "lineups=G0|D1", "lineups=G0|-", "D1 lies nowhere"),
    (DEPLOY, "lineups=G0|D1|", "lineups=G0|D1|T1|", "expected 8 entries"),
    (DEPLOY, "lineups=G0|D1|G3.E3|-|", "lineups=G0|D1|G3|E3|", "cards on side 3, which nobody holds"),
    # stacks
    (DEPLOY, "stacks=G4.", "stacks=", "are known exactly|lies nowhere"),
    (DEPLOY, "stacks=G4.", "stacks=?.", "the 8 closed cards of a stack are known"),
    (DEPLOY, "stacks=G4.", "stacks=E4.", "E4 is not of stack G"),
    (DEPLOY, "stacks=G4.", "stacks=G0.G4.", "a card that was dealt lies there|two places"),
    (DEPLOY, "stacks=G4.", "stacks=?.?.?.?.?.G4.", "has more than 12 cards"),
    (DEPLOY, "stacks=G4.", "stacks=X4.", "'X4' is no card"),
    (DEPLOY, f"|{some('R', 4, 11)}", "", "expected 5 entries with '|' between them"),
    (DEPLOY, "G4.G5.", "G4.G4.", "G5 lies nowhere|twice"),
    # Olympus
    (DEPLOY, "olympus=D0.-.-", "olympus=D0.-", "'D0.-' has not 3 entries"),
    (DEPLOY, "olympus=D0.-.-", "olympus=R0.-.-", "'R0' is no champion"),
    (DEPLOY, "olympus=D0.-.-", "olympus=-.D0.-", "a gap in the team of seat 0"),
    (DEPLOY, "olympus=D0.-.-", "olympus=D0*.-.-", "seat 0 cannot have closed cards there"),
    (DEPLOY, "olympus=D0.-.-", "olympus=?.-.-", "an open card is known to all|D0 lies nowhere"),
    (DEPLOY, "olympus=D0.-.-", "olympus=?X.-.-", r"'\?X' is no card"),
    (DEPLOY, "olympus=D0.-.-", "olympus=?EE*.-.-", r"'\?EE' is no card"),
    (DEPLOY, "olympus=D0.-.-", "olympus=D0**.-.-", r"'D0\*' is no card"),
    (DEPLOY, "D0.-.-|E1.-.-|", "D0.-.-|-.-.-|", "seat 1 has sent 0, expected 1..1|E1 lies nowhere"),
    (DEPLOY, "D0.-.-|E1.-.-|", "D0.E1.-|-.-.-|", "seat 0 has sent 2, expected 1..1"),
    (END, "G0.E0.D0", "G0.E0*.D0", "all cards are open in the final|closed"),
    (END, "G0.E0.D0", "T0.E0.D0", "the team of seat 0 has no god|lies"),
    # seats
    (DEPLOY, "first_player=0", "first_player=4", r"first_player='4': expected -1..3"),
    (DEPLOY, "first_player=0", "first_player=-1", "it is chosen after the crown is found"),
    (DEPLOY, "finder=2", "finder=x", "finder='x': expected -1..3"),
    (DEPLOY, "finder=2", "finder=-1", "the crown has been found before any decision"),
    (FIRST, "actor=2", "actor=1", "the finder of the crown chooses"),
    (FIRST, "actor=2", "actor=-1", r"actor='-1': expected 0\.\.3"),
    (FIRST, "actor=2", "actor=2.0", "actor='2.0'"),
    (FIRST, "actor=2", "actor=٢", "actor='٢'"),
    (FIRST, "actor=2", "actor=9999999999", "actor='9999999999'"),
    (FIRST, "finder=2", "finder=2 first_player=2", "it is chosen after the crown is found"),
    (DEPLOY, "citadels=2,0,3,1", "citadels=2,0,3,2", "every seat has one of its own"),
    (DEPLOY, "citadels=2,0,3,1", "citadels=2,0,3,-1", "every seat has one of its own"),
    (DEPLOY, "citadels=2,0,3,1", "citadels=2,0,3", "expected 4 entries with ',' between them"),
    (DEPLOY, "citadels=2,0,3,1", "citadels=2,0,3,4", r"citadels='4': expected -1\.\.3"),
    (DEPLOY, "citadels=2,0,3,1 ", "", "every seat has one of its own"),
    # rounds
    (DEPLOY, "opened=4", "opened=5", r"opened=5: expected 4 in this round and phase \[R15\]"),
    (DEPLOY, "opened=4", "opened=13", r"opened='13': expected 0\.\.12"),
    (DEPLOY, "opened=4", "round_number=1 opened=4", "rounds_done=0: expected 1"),
    (DEPLOY, "opened=4", "rounds_done=1 opened=4", "rounds_done=1: expected 0"),
    (DEPLOY, "opened=4", "round_number=3 rounds_done=3 opened=4", r"round_number='3': expected 0\.\.2"),
    (DEPLOY, "opened=4", "drafts=1 opened=4", "drafts=1 does not fit phase=deploy_card"),
    (DEPLOY, "opened=4", "b_quest=4 opened=4", r"the tournament, and only it, has a quest 3\.\.5"),
    (DEPLOY, "deploy_card", "draft", r"seat 0 has sent 1, expected 0\.\.0|does not fit phase=draft"),
    (DEPLOY, "deploy_card", "first_player", "opened=4: expected 0"),
    (DEPLOY, "deploy_card", "use", "fight=0 does not fit phase=use"),
    (DEPLOY, "deploy_card", "equip", "the final follows the last round|treasure|expected"),
    (DEPLOY, "deploy_card", "over", "rounds_done=0: expected 1"),
    (DEPLOY, "deploy_card", "deploy_place", "card=-1 does not fit phase=deploy_place"),
    # sides
    (DEPLOY, "owners=0,1,3,-1,2,-1,-1", "owners=0,1,3,-1,2,-1,1", "side 6|blue=: somebody came first to that quest"),
    (DEPLOY, "owners=0,1,", "owners=0,0,", "seat 0 is on both sides of a quest"),
    (DEPLOY, "owners=0,1,", "owners=0,-1,", "cards on side 1, which nobody holds"),
    (DEPLOY, "owners=0,1,", "owners=0,4,", r"owners='4': expected -1\.\.3"),
    (DEPLOY, "owners=0,1,3,-1,2,-1,-1,-1", "owners=0,1,3", "expected 8 entries"),
    (DEPLOY, "blue=0,0,0,-1", "blue=2,0,0,-1", r"blue='2': expected -1\.\.1"),
    (DEPLOY, "blue=0,0,0,-1", "blue=-1,0,0,-1", "somebody came first to that quest"),
    (DEPLOY, "lineups=G0|D1|G3.E3", "lineups=G0.E0.T0.E2|D1|G3.E3", "lies in two places|more than 3 cards"),
    (DEPLOY.replace("E0.T0.R0|", "R0|").replace("E2.D2.R2", "D2.R2"), "lineups=G0|", "lineups=G0.E0.T0.E2|",
     "more than 3 cards on side 0"),
    (DEPLOY, "ended=4", f"hidden=1,{'0,' * 14}0 ended=4", "only a view hides cards"),
    (DEPLOY, "ended=4", f"unseen=1,{'0,' * 18}0 ended=4", "only a view hides cards"),
    (DEPLOY, "ended=4", "hunted=64 ended=4", "no such side"),
    (DEPLOY, "ended=4", "beaten=1 ended=4", "no such side"),
    (DEPLOY, "ended=4", "fought=8 ended=4", "no such quest"),
    (DEPLOY, "ended=4", "ended=16", r"ended='16': expected 0\.\.15"),
    (DEPLOY, "ended=4", "ended=4 place=0", "no card waits for its orientation"),
    (DEPLOY, "ended=4", "ended=4 card=12", "nothing waits in this phase"),
    (PLACE, "card=12", "card=24", "a champion in the hand of the seat to act"),
    (PLACE, "card=12", "card=48", "a champion in the hand of the seat to act"),
    (PLACE, "card=12", "card=64", "a champion in the hand of the seat to act"),
    (PLACE, "card=12", "card=65", r"card='65': expected -1\.\.64"),
    (PLACE, "card=12", "card=12 place=0", "no card waits for its orientation"),
    (SIDE, "place=0", "place=1", "place=1: the seat may not place there"),
    (SIDE, "place=0", "place=6", "place=6: the seat may not place there"),
    (SIDE, "place=0", "place=8", r"place='8': expected -1\.\.7"),
    (SIDE, "place=0 ", "", "the chosen champion waits on a side"),
    # treasures
    (DEPLOY, "treasures=0,1,3", "treasures=0,0,3", "a treasure lies in two places"),
    (DEPLOY, "treasures=0,1,3", "treasures=0,6,3", "6 is not of that quest"),
    (DEPLOY, "treasures=0,1,3", "treasures=0,18,3", r"treasures='18': expected -1\.\.17"),
    (DEPLOY, "treasures=0,1,3", "treasures=0,-1,3", "side 1 has its treasure in this phase"),
    (DEPLOY, "treasures=0,1,3,2,4,5,-1", "treasures=0,1,3,2,4,5,6", "no treasure lies on side 6"),
    (DEPLOY, "olympus=", "vaults=1|-|-|- olympus=", "a treasure lies in two places"),
    (DEPLOY, "olympus=", "vaults=6|-|-|- olympus=", r"treasure \[6\] has not been won yet"),
    (DEPLOY, "olympus=", "vaults=6.6|-|-|- olympus=", "'6.6' names a treasure twice"),
    (DEPLOY, "olympus=", "vaults=Labrys|-|-|- olympus=", "treasures='Labrys'"),
    (DEPLOY, "olympus=", "treasury=18 olympus=", r"treasures='18': expected 0\.\.17"),
    (EQUIPPING, "olympus=", "treasures=1,-1,-1,-1,-1,-1,-1,-1 olympus=", "no treasure lies on side 0|in two places"),
    # encounters
    (DUEL, "fight=1", "fight=0", "fight=0 does not fit phase=use"),
    (DUEL, "fight=1", "fight=4", r"fight='4': expected 0\.\.3"),
    (DUEL, "fight=1", "fight=3", "no such challenger|another seat's fight|no treasure lies"),
    (DUEL, "fight=1", "fight=2", "that side hunts|compares categories|treasure"),
    (DUEL, "fight=1 fought=1", "fight=1", "there is a duel at that quest"),
    (DUEL, "fight=1", "fight=1 position=1", "another seat holds that side|a duel needs both sides"),
    (DUEL, "fight=1", "fight=1 position=3", "no such quest"),
    (DUEL, "actor=1 corner=1", "actor=0 corner=1", "another seat holds that side"),
    (DUEL, "in_force=1 ", "", "a duel, and only it, compares categories"),
    (DUEL, "in_force=1", "in_force=8", r"in_force='8': expected 0\.\.7"),
    (DUEL, "symbols_used=10,4", "symbols_used=11,4", r"symbols are 1\.\.12"),
    (DUEL, "symbols_used=10,4", "symbols_used=10", "expected 2 entries"),
    (DUEL, "queue=3,18,1", "queue=3,20,1", "an END effect has a symbol 1-3 or 10-12"),
    (DUEL, "queue=3,18,1", "queue=3,99,1", r"queue='99': expected 0\.\.28"),
    (DUEL, "queue_size=3", "queue_size=9", r"queue_size='9': expected 0\.\.8"),
    (DUEL, "queue_size=3", "queue_size=3 queue_done=4", "more effects done than there are"),
    (DUEL, "uses=2,1", "uses=2,4", r"uses='4': expected 0\.\.3"),
    (DUEL, "table=R0.R1", "table=R0.R1.E0", "E0 lies in two places|only reinforcement cards are used"),
    (DUEL, "phase=use", "phase=sym8_card", "a choice against Kronos only"),
    (DUEL, "phase=use", "phase=end_champion", "it is the next END effect of the queue"),
    (EFFECT, "symbol=3", "symbol=2", "it is the next END effect of the queue"),
    (EFFECT, "phase=end_champion", "phase=end_permutation", "card=-1 does not fit|for symbols 10-12"),
    (EFFECT, "queue_size=3", "queue_size=3 queue_done=3", "it is the next END effect of the queue"),
    (HUNT, "hunted=2 ", "", "that side hunts"),
    (HUNT, "fight=2", "fight=2 in_force=1", "a duel, and only it, compares categories"),
    (HUNT, "phase=use", "phase=sym7", "symbol 7 is for duels|nothing is legal"),
    (FIGHT, "challengers=0,3,1,2", "challengers=3,0,1,2", "it is another seat's fight with Kronos"),
    (FIGHT, "challengers=0,3,1,2", "challengers=0,3,1,1", "all seats in their order"),
    (FIGHT, "challengers=0,3,1,2 ", "", "another seat's fight|all seats in their order"),
    (FIGHT, "phase=use", "phase=sym8_number", "card=-1 does not fit phase=sym8_number"),
    # the final
    (EQUIPPING, CHOSEN, "9,18,0,4,18,18,16,-1,-1,-1,-1,-1", "seat 2 gives what is not in its vault"),
    (EQUIPPING, CHOSEN, "9,18,9,4,18,18,-1,-1,-1,-1,-1,-1", "seat 0 gives a treasure twice"),
    (EQUIPPING, CHOSEN, "9,18,0,-1,18,18,-1,-1,-1,-1,-1,-1", "a gap at seat 1"),
    (EQUIPPING, CHOSEN, "9,18,0,4,18,-1,-1,-1,-1,-1,-1,-1", r"seat 1 has chosen 2, expected 3\.\.3"),
    (EQUIPPING, CHOSEN, "9,18,0,4,18,18,-1,-1,-1,18,-1,-1", r"seat 3 has chosen 1, expected 0\.\.0"),
    (EQUIPPING, CHOSEN, "9,18,19,4,18,18,-1,-1,-1,-1,-1,-1", "what seat 0 chose, as it is known"),
    (EQUIPPING, CHOSEN, "9,18,20,4,18,18,-1,-1,-1,-1,-1,-1", r"equipped='20': expected -1\.\.19"),
    (SECRET_VIEW, "19,19,19,4", "9,18,0,4", "what seat 0 chose, as it is known"),
    (FIGHT, "16,18,18", "16,18,-1", r"seat 3 has chosen 2, expected 3\.\.3"),
    (END, "outcome=2", "outcome=0", "who beat Kronos, in outcome 0 only"),
    (END, "outcome=2", "winner=1 outcome=2", "who beat Kronos, in outcome 0 only"),
    (END, "outcome=2", "outcome=3", r"outcome='3': expected 0\.\.2"),
    (END, "outcome=2", "outcome=1", "expected 0..0|all seats in their order"),
    (DEPLOY, "finder=2", "finder=2 outcome=1", "the game is not over"),
    (DEPLOY, "finder=2", "finder=2 winner=1", "who beat Kronos"),
    # views
    (VIEW, "observer=1", "observer=4", r"observer='4': expected 0\.\.3"),
    (VIEW, " observer=1", "", "lies nowhere|known exactly|only a view hides cards"),
    (VIEW, "observer=1", "observer=3", "hidden=|card=|nothing is hidden"),
    (VIEW, "card=64", "card=12", "a champion in the hand of the seat to act"),
    (VIEW, "lineups=G0|D1|G3", "lineups=G0|D1|G3.E3", "E3 lies in two places"),
    (VIEW.replace("E3.D3.R3 g", "D3.R3 closed=E3 g"), "lineups=G0|D1|G3|", "lineups=G0|D1|G3.E3|",
     "does not see closed cards of others"),
    (VIEW, "0,5,0", "0,6,0", r"hidden='6': expected 0\.\.5"),
    (VIEW, "0,5,0", "0,1,0", "backs show stacks under closed_shows_stack"),
    (VIEW, "0,5,0", "0,0,5", "expected the backs on side 2 in order"),
    (VIEW, "0,5,0,0,0", "0,0,0,5,0", "cards on side 3, which nobody holds"),
    (DEPLOY, "ended=4", "ended=4 observer=0", "are known exactly"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("good", "old", "new", "message"), BAD, ids=[f"{old[:24]}->{new[:32]}" for _, old, new, _ in BAD]
)
def test_bad_positions_say_what_is_wrong(good: str, old: str, new: str, message: str) -> None:
    assert good.count(old) == 1
    refuse(GAME, good.replace(old, new), message)


def refuse(game: Game, text: str, message: str) -> None:
    """The text is refused in one sentence with this message in it."""
    with pytest.raises(InvalidText, match=message) as caught:
        game.position(text)
    assert type(caught.value) is InvalidText
    assert re.fullmatch(r"[^\n]+[^.\n]", str(caught.value))


BAD_DRAFTS = [
    ("citadels=", "hands=G5|-|-|- gathered=G5|-|-|- citadels=", "G5|gathered"),
    ("citadels=", "gathered=G5|-|-|- citadels=", "gathered"),
    ("G4.G5.?", "G4.?.?", "column|drafted|gathered"),
    ("G2.G3.G4.G5", "G2.?.G4.G5", "the card opened last leaves its column first"),
    ("G4.G5.?", "G4.G5.G6", "known exactly"),
    ("G3.G4.G5", "G3.G4.G4", "two places|twice"),
    ("b_quest=4", "b_quest=2", r"has a quest 3\.\.5"),
    ("b_quest=4 ", "", "has a quest"),
    ("opened=6", "opened=5", "opened=5: expected 6"),
    ("opened=6", "drafts=1 opened=6", "drafts=1 does not fit phase=draft"),
    ("opened=6", "actor=1 opened=6", "turn|actor"),
    ("citadels=2,0,-1,-1", "citadels=2,0,1,-1", "there are only 2 seats"),
    ("citadels=", "hands=-|-|G5|- citadels=", "there are only 2 seats"),
    ("observer=1", "observer=2", r"observer='2': expected 0\.\.1"),
    ("citadels=", "olympus=-.-.-|-.-.-|-.-.-*|-.-.- citadels=", "olympus"),
    ("finder=1", "finder=2", r"finder=2: expected a seat 0\.\.1"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD_DRAFTS, ids=[f"{old}->{new}" for old, new, _ in BAD_DRAFTS])
def test_bad_drafts_say_what_is_wrong(old: str, new: str, message: str) -> None:
    assert DRAFT.count(old) == 1
    refuse(DRAFTING, DRAFT.replace(old, new), message)


FULL_QUEUE = DUEL.replace("queue=3,18,1,0,0,0,0,0", "queue=3,18,1,2,10,11,12,17")  # beyond its size anything may stand
UNREACHABLE = [
    # A hunter and a challenger act alone: the other corner has passed.
    (HUNT, "passed=1 ", "", "passed"),
    (HUNT, "passed=1", "passed=2", "passed"),
    (FIGHT, "passed=2 ", "", "passed"),
    (DUEL, "uses=2,1", "uses=2,1 passed=2", "passed"),
    (DUEL, "uses=2,1", "uses=2,3", "uses|passed"),
    # There are at most as many END effects as symbols were activated; the record holds eight of them.
    (FULL_QUEUE, "queue_size=3", "queue_size=8", "queue"),
    # Who has ended its deployment does not act, and who acts can place a champion.
    (DEPLOY, "ended=4", "ended=5", "ended"),
    (DEPLOY, "hands=E0.T0.R0|G1.T1.R1|", "hands=R0|G1.E0.T0.T1.R1|", "champion|legal|ended"),
    # Before the duels nobody has fought, hunted or won in this round.
    (FIRST, "actor=2", "gathered=G0|-|-|- actor=2", "gathered"),
    (FIRST, "actor=2", "hunted=1 actor=2", "hunted"),
    (FIRST, "actor=2", "deployed=1,0,0,0 actor=2", "deployed"),
    (DEPLOY, "ended=4", "ended=4 fought=1", "fought"),
    (DEPLOY, "ended=4", "hunted=5 ended=4", "hunted"),
    (DEPLOY, "ended=4", "hunts=1,0,0,0 ended=4", "hunts"),
    (DEPLOY, "ended=4", "won=8,0,0,0 ended=4", "won"),
    (DEPLOY, "deployed=1,1,1,2", "deployed=12,1,1,2", "deployed"),
    (DEPLOY, "ended=4", "ended=4 uses=1,0", "uses"),
    (DEPLOY, "olympus=", "bonus=1,0,0,0,0,0 olympus=", "bonus"),
    (HUNT, "hunts=0,1,0,0", "hunts=0,4,0,0", "hunts"),
    (HUNT, "duels_won=0,1,0,0", "duels_won=0,4,0,0", "duels_won"),
    (DUEL, "fought=1", "fought=1 draws=99", "draws"),
    # Before the hunts nobody has hunted or won a treasure, and at a quest that is fought for no card lies closed.
    (DUEL, "ended=15", "hunts=1,0,0,0 ended=15", "hunts"),
    (DUEL, "ended=15", "won=1,0,0,0 ended=15", "won"),
    (DUEL, "closed=E3", "closed=E0.E3", "closed"),
    # Only the tournament has a discard.
    (DEPLOY, "deploy_card", "tourn_discard", "tourn"),
    # All cards on Olympus are known in the full state, and open in the final.
    (FIGHT, "G0.E0.D0", "G0.E0*.D0", "all cards are open in the final"),
    (EQUIPPING, "G0.E0.D0", "G0.E0*.D0", "all cards are open in the final"),
    (EQUIPPING, f"discard={PILE}", f"discard={PILE}.E0", "E0|olympus"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("good", "old", "new", "message"), UNREACHABLE, ids=[f"{old[:24]}->{new[:32]}" for _, old, new, _ in UNREACHABLE]
)
def test_positions_that_no_game_reaches_are_refused(good: str, old: str, new: str, message: str) -> None:
    assert good.count(old) == 1
    refuse(GAME, good.replace(old, new), message)


def test_a_full_state_with_an_unknown_card_on_olympus_is_refused() -> None:
    line = EQUIPPING.replace("G0.E0.D0", "G0.?*.D0").replace(PILE, f"E0.{PILE}")
    refuse(GAME, line, "olympus")
    refuse(GAME, line.replace("?*", "?E*"), "olympus")


BAD_RULES: list[tuple[str, Options, str]] = [
    (DEPLOY, {"mode": "tactics"}, "drafts=0 does not fit"),
    (DEPLOY, {"num_players": 3}, "there are only 3 seats|opened|expected"),
    (DEPLOY, {"num_players": 2}, "there are only 2 seats|expected"),
    (DEPLOY, {"variant": "tournament"}, "expected|seats"),
    (FIGHT, {"num_players": 3}, "expected|seats"),
]


@pytest.mark.parametrize(("line", "options", "message"), BAD_RULES)
def test_positions_that_other_rules_do_not_allow(line: str, options: Options, message: str) -> None:
    refuse(Game(key_limit=99, cards=CARD_SET, **options), line, message)


# Fuzzing


@cache
def good_lines(name: str) -> list[str]:
    """Positions and views of some random games."""
    return [one.position_string() for state in some_states(name, 3, 0.05) for one in (state, state.view(0))]


NUMBERS = [
    name for name in STATE.names or () if STATE[name].base.itemsize < 4 and name not in ("phase", "stacks", "olympus")
]
CHARACTERS = "0123456789GEDTR?*-=,.| to"


def spoilt(choices: random.Random, lines: list[str]) -> str:
    """One of the lines after one to three edits."""
    words = choices.choice(lines).split()
    for _ in range(choices.choice([1, 1, 2, 3])):
        edit = choices.choice([remove, repeat, borrow, count, exchange, rename, scribble, fill])
        words = edit(choices, words, lines) or ["phase=use"]
    return " ".join(words)


def remove(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """Without a word."""
    gone = choices.randrange(len(words))
    return words[:gone] + words[gone + 1 :]


def repeat(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With a word twice, or an entry of a list."""
    i = choices.randrange(len(words))
    if choices.random() < 0.2:
        return [*words, words[i]]
    parts = re.split(r"([.,|])", words[i])
    j = 2 * choices.randrange((len(parts) + 1) // 2)
    return [*words[:i], "".join([*parts[:j], parts[j], *parts[j:]]), *words[i + 1 :]]


def borrow(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With a word as another position has it."""
    word = choices.choice(choices.choice(lines).split())
    return [other for other in words if other.split("=")[0] != word.split("=")[0]] + [word]


def count(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With another number, also of a card or treasure."""
    i = choices.randrange(len(words))
    numbers = list(re.finditer(r"-?\d+", words[i]))
    if not numbers:
        return words
    number = choices.choice(numbers)
    changed = str(int(number.group()) + choices.choice([-2, -1, 1, 1, 2, 60, 1000]))
    return [*words[:i], words[i][: number.start()] + changed + words[i][number.end() :], *words[i + 1 :]]


def exchange(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With two cards or entries exchanged, in one word or between two."""
    text = " ".join(words)
    places = list(re.finditer(r"(?<=[.,|=])[^.,|= ]+", text))
    near = [place for place in places if place.group()[0] in "GEDTR"] if choices.random() < 0.6 else places
    first, second = sorted(choices.choices(near or places, k=2), key=lambda place: place.start())
    if first.start() == second.start():
        return words
    between = text[first.end() : second.start()]
    return (text[: first.start()] + second.group() + between + first.group() + text[second.end() :]).split()


def rename(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With another card, a card that is marked as closed or hidden, or another phase."""
    if choices.random() < 0.2:
        return [f"phase={choices.choice(PHASES)}", *(word for word in words if not word.startswith("phase="))]
    text = " ".join(words)
    cards = list(re.finditer(r"(?<=[.|=])[GEDTR]\d+\*?", text))
    if not cards:
        return words
    card = choices.choice(cards)
    other = f"{choices.choice('GEDTR')}{choices.randrange(13)}"
    new = choices.choice([other, f"{card.group()}*", "?", "?*", "?E*", "-"])
    return (text[: card.start()] + new + text[card.end() :]).split()


def scribble(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With a character more, less or changed."""
    text = " ".join(words)
    place = choices.randrange(len(text))
    return (text[:place] + choices.choice(CHARACTERS) + text[place + choices.randint(0, 1) :]).split()


def fill(choices: random.Random, words: list[str], lines: list[str]) -> list[str]:
    """With small numbers in a field of numbers."""
    name = choices.choice(NUMBERS)
    size = int(np.prod(STATE[name].shape, initial=1))
    numbers = [choices.randint(-1, 8) if choices.random() < 0.4 else 0 for _ in range(size)]
    return [word for word in words if not word.startswith(f"{name}=")] + [f"{name}={','.join(map(str, numbers))}"]


def places_of(record: Any) -> list[int]:
    """The cards in every place of a full state, as bit masks."""
    masks = [1 << int(card) for card in (*record.stacks, *np.ravel(record.olympus)) if card not in (UNSEEN, NONE)]
    masks += [*map(int, record.hands), *map(int, record.lineups), int(record.discard), int(record.table)]
    return masks + ([int(record.pulled)] if record.fight == KRONOS else [])


def play_out(game: Game, record: Any, choices: random.Random) -> None:
    """Play to the end at random. Modified in place: `record`.

    Raises:
        AssertionError: the game does not end, cards are lost, or a position on the way cannot be read.
    """
    rng, limit = np.zeros(RNG_WORDS, np.uint64), game.max_game_length()
    for decisions in range(limit + 1):
        for _ in range(99):
            seat = verbs.to_move(game.rules, record)
            if seat != CHANCE:
                break
            assert record.phase <= DRAW_PULL, f"nobody is to move: actor {record.actor}"
            chance_stream(rng, np.uint64(1), np.uint64(2), verbs.chance_event(game.rules, record))
            verbs.chance(game.rules, record, rng)
        assert sum(places_of(record)) == 2**60 - 1, "each card once"
        if decisions % 40 == 3 or seat == OVER:
            line = str(game.text.write_position(game.rules, record, None))
            assert game.position(line, seed=1).position_string() == line
        if seat == OVER:
            return
        assert 0 <= seat < game.num_players
        mask = int(verbs.legal_mask(game.rules, record))
        assert mask, f"nothing is legal in {PHASES[record.phase]}"
        verbs.apply(game.rules, record, choices.choice([action for action in range(64) if mask >> action & 1]))
    raise AssertionError(f"no end after {limit} decisions")


def kind_of(game: Game, text: str, choices: random.Random) -> str:
    """Whether a text is "none", a "view" or a "position"; it must then read back equal and be playable to the end."""
    try:
        state = game.position(text, seed=1)
    except InvalidText as error:
        return "none" if re.fullmatch(r"[^\n]+", str(error)) else f"a message that is not one line: {error}"
    assert str(state)
    again = game.position(state.position_string(), seed=1)
    assert content(again) == content(state)
    if state.observer is not None:
        return "view"
    view = state.view(choices.randrange(game.num_players))
    assert str(view)
    assert content(game.position(view.position_string())) == content(view)
    play_out(game, state.record, choices)
    return "position"


def fuzz(name: str, number: int, seed: int = 0) -> tuple[Counter[str], list[str]]:
    """Kinds of so many spoilt lines, and those in which something went wrong."""
    choices, kinds, failed = random.Random(f"{name} {seed}"), Counter[str](), []
    for _ in range(number):
        text = spoilt(choices, good_lines(name))
        try:
            kinds[kind_of(GAMES[name], text, choices)] += 1
        except Exception as error:  # whatever it is, the text is wanted
            failed.append(f"{type(error).__name__} {error}: {text}")
    return kinds, failed


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_spoilt_position_is_refused_or_can_be_played_to_the_end(name: str, quick_reading: None) -> None:
    kinds, failed = fuzz(name, 400)
    assert not failed, f"{len(failed)} of 400:\n" + "\n".join(failed[:4])
    assert set(kinds) == {"none", "position", "view"}
    assert kinds["none"] > 200
    assert kinds["position"] > 10
    assert kinds["view"] > 10


def test_spoilt_positions_keep_within_bounds_in_plain_python(run_python: Callable[..., Any]) -> None:
    code = "from tests.kosmogonia.test_text import OPTION_SETS, fuzz; print([fuzz(n, 24, 1)[1] for n in OPTION_SETS])"
    done = run_python("-c", code, NUMBA_DISABLE_JIT="1")
    assert done.stdout.strip() == str([[]] * len(OPTION_SETS))


# Pictures

QUESTS = """\
quest 1 Phaistos: Fist, monster 14/0/0
  left  Labrys (2 keys, item 3/0/0, Kronos 1/0/0); seat 0 (blue): Hermes G 4/3/9
  right Disc of Phaistos (1 keys, item 0/1/2, Kronos 0/1/0); seat 1 (red): Odysseus D 4/3/8
quest 2 Marathon: Awe, monster 0/14/0
  left  Bronze Greaves (2 keys, item 2/0/1, Kronos 0/0/1); seat 3 (blue): Demetra G 4/6/2, {achilles}
  right Torch of Marathon (1 keys, item 0/3/0, Kronos 0/1/0)
quest 3 Ithaca: Cunning, monster 0/0/14
  left  Bow of Odysseus (2 keys, item 0/0/3, Kronos 0/0/1); seat 2 (blue): Sisyphus T 4/0/8
  right Shroud of Penelope (1 keys, item 1/2/0, Kronos 1/0/0)"""
FULL_QUESTS = QUESTS.format(achilles="Achilles E 9/4/1 closed")
ATHENS = "Athens (double Cunning, replace a category, +3 +2 +1)"
SPARTA = "Sparta (double Fist, take over a Thornbearer, +2 +2)"
ARGOS = "Argos (double Awe, pull from the discard pile, tie the duel or cancel a factor)"
CORINTH = "Corinth (steal a Defender, win the hunt or +1 +1 +1, +4)"
DRAWN_FIRST = f"""\
Kosmogonia, round 1 of 3, destiny, medium
Kronos has 13/13/13 and 0 of 99 keys: no treasure
{re.sub("; seat .*", "", FULL_QUESTS)}
seat 0 {ATHENS}, 0 keys: no treasure
  Olympus: nobody
  hand: no cards
seat 1 {SPARTA}, 0 keys: no treasure
  Olympus: nobody
  hand: no cards
seat 2 {ARGOS}, 0 keys: no treasure
  Olympus: nobody
  hand: no cards
seat 3 {CORINTH}, 0 keys: no treasure
  Olympus: nobody
  hand: no cards
seat 2 has found the crown and names the first player"""
DRAWN_DEPLOY = f"""\
Kosmogonia, round 1 of 3, destiny, medium, seat 0 is first
Kronos has 13/13/13 and 0 of 99 keys: no treasure
{FULL_QUESTS}
seat 0 {ATHENS}, 0 keys: no treasure
  Olympus: Jason D 3/5/3
  hand: Narcissus E 1/9/4, Icarus T 2/3/6, Pythagoras: double Fist
seat 1 {SPARTA}, 0 keys: no treasure
  Olympus: Harmony E 1/6/3
  hand: Hestia G 3/7/6, Arachne T 1/2/9, Asclepius: double Awe
seat 2 {ARGOS}, 0 keys: no treasure
  Olympus: Aphrodite G 2/8/5
  hand: Minoas E 4/4/3, Hector D 8/4/1, Archimedes: double Cunning
seat 3 {CORINTH}, 0 keys: no treasure
  Olympus: Tantalus T 2/6/4
  hand: Ajax D 9/2/0, Daedalus: steal a Defender
seat 0 places a champion at a quest, or ends"""
DRAWN_VIEW = f"""\
Kosmogonia, round 1 of 3, destiny, medium, seat 0 is first
Kronos has 13/13/13 and 0 of 99 keys: no treasure
{QUESTS.format(achilles="a closed card")}
seat 0 {ATHENS}, 0 keys: no treasure
  Olympus: Jason D 3/5/3
  hand and closed cards: Narcissus E 1/9/4, Icarus T 2/3/6, Pythagoras: double Fist
seat 1 {SPARTA}, 0 keys: no treasure
  Olympus: Harmony E 1/6/3
  hand: Hestia G 3/7/6, Arachne T 1/2/9, Asclepius: double Awe
seat 2 {ARGOS}, 0 keys: no treasure
  Olympus: Aphrodite G 2/8/5
  hand and closed cards: Minoas E 4/4/3, Hector D 8/4/1, Archimedes: double Cunning
seat 3 {CORINTH}, 0 keys: no treasure
  Olympus: Tantalus T 2/6/4
  hand and closed cards: Achilles E 9/4/1, Ajax D 9/2/0, Daedalus: steal a Defender
seat 0 lays it open or closed"""
DRAWN_FIGHT = f"""\
Kosmogonia, round 3 of 3, destiny, medium, seat 0 is first
Kronos has 26/30/32 and 22 of 99 keys: Disc of Phaistos, Torch of Marathon, Bronze Greaves, Shroud of Penelope, \
Tripod, Laurel Crown, Sphinx's Riddle, Palladium, Shield of Achilles, Hydra's Venom, Golden Sickle, Lyre of Apollo, \
Palm of Leto, Ash of Pelion
seat 0 {ATHENS.replace(" (", " used (")}, 5 keys: Labrys, Necklace of Harmony
  Olympus: Hermes G 4/3/9 with Necklace of Harmony, Narcissus E 1/9/4, Jason D 3/5/3 with Labrys
  hand: Orpheus: pull from the discard pile, Eris: tie the duel or cancel a factor
seat 1 {SPARTA.replace(" (", " used (")}, 2 keys: Bow of Odysseus
  Olympus: Hestia G 3/7/6 with Bow of Odysseus, Harmony E 1/6/3, Odysseus D 4/3/8
  hand: Nike: win the hunt or +1 +1 +1
seat 2 {ARGOS.replace(" (", " used (")}, 0 keys: no treasure
  Olympus: Aphrodite G 2/8/5, Minoas E 4/4/3, Hector D 8/4/1
  hand: no cards
seat 3 {CORINTH.replace(" (", " used (")}, 2 keys: Spear of Chiron
  Olympus: Demetra G 4/6/2 with Spear of Chiron, Achilles E 9/4/1, Ajax D 9/2/0
  hand: Tiresias: replace a category
seat 0 challenges Kronos: 14/18/16 against 26/30/32
seat 0 uses a symbol or passes"""
DRAWN_OVER = "\n".join([*DRAWN_FIGHT.split("\n")[:-2], "the game is over: Kronos is unbeaten: all lose"])
DRAWN_SECRET = f"""\
seat 0 {ATHENS.replace(" (", " used (")}, 5 keys: Labrys, Necklace of Harmony
  Olympus: Hermes G 4/3/9 with something, Narcissus E 1/9/4 with something, Jason D 3/5/3 with something"""
DRAWN_DRAFT = f"""\
Kosmogonia, round 1 of 1, tactics, medium, seat 0 is first
Kronos has 13/13/13 and 0 of 11 keys: no treasure
quest 1 Lake Lerna: Fist and Cunning, monster 15/0/12
  left  -
  right -
quest 2 Delos: Awe and Cunning, monster 0/15/12
  left  -
  right -
quest 3 Pelion: Fist and Awe, monster 15/12/0
  left  -
  right -
quest 4 Thebes: Fist and Awe, monster 15/12/0
  left  -
  right -
Gods           Hermes G 4/3/9, Hestia G 3/7/6, Aphrodite G 2/8/5, Demetra G 4/6/2, Athena G 6/5/8, Ares G 10/4/1
Elites         Narcissus E 1/9/4, Harmony E 1/6/3, Minoas E 4/4/3, Achilles E 9/4/1, Penelope E 1/5/8, Theseus E 6/4/5
Defenders      Jason D 3/5/3, Odysseus D 4/3/8, Hector D 8/4/1, Ajax D 9/2/0, Nestor D 0/7/6, Diomedes D 7/3/3
Thornbearers   Icarus T 2/3/6, Arachne T 1/2/9, Sisyphus T 4/0/8, Tantalus T 2/6/4, Orion T 8/3/0, Phaethon T 5/6/0
Reinforcements Pythagoras: double Fist, Asclepius: double Awe, Archimedes: double Cunning, Daedalus: steal a Defender, \
Circe: take over a Thornbearer, Orpheus: pull from the discard pile
seat 0 {ATHENS}, 0 keys: no treasure
  Olympus: nobody
  hand and closed cards: no cards
seat 1 {SPARTA}, 0 keys: no treasure
  Olympus: nobody
  hand: no cards
seat 0 takes a card of a column"""


@pytest.mark.parametrize(
    ("line", "drawn"),
    [(FIRST, DRAWN_FIRST), (DEPLOY, DRAWN_DEPLOY), (VIEW, DRAWN_VIEW), (FIGHT, DRAWN_FIGHT), (END, DRAWN_OVER)],
    ids=["first", "deploy", "view", "fight", "over"],
)
def test_pictures_of_positions(line: str, drawn: str) -> None:
    assert str(GAME.position(line, seed=1)) == drawn


def test_the_picture_of_a_draft() -> None:
    assert str(DRAFTING.position(DRAFT)) == DRAWN_DRAFT


def test_the_picture_of_a_view_hides_equipment() -> None:
    drawn = str(GAME.position(SECRET_VIEW))
    assert DRAWN_SECRET in drawn
    assert drawn.endswith("seat 2 equips its next champion")


@pytest.mark.parametrize(
    ("line", "last"),
    [
        (ORIENT, ["seat 0 lays it open or closed"]),
        (PLACE, ["seat 0 chooses a side for it"]),
        (DUEL, ["duel at Phaistos in Fist: seat 0 5/12/13, seat 1 4/3/8", "seat 1 uses a symbol or passes"]),
        (
            EFFECT,
            ["duel at Phaistos in Fist: seat 0 5/12/13, seat 1 4/3/8", "seat 0 chooses a champion for the effect"],
        ),
        (HUNT, ["hunt at Phaistos: seat 1 4/3/8, monster 14/0/0", "seat 1 uses a symbol or passes"]),
    ],
    ids=["orient", "place", "duel", "effect", "hunt"],
)
def test_the_last_lines_of_a_picture_say_what_goes_on(line: str, last: list[str]) -> None:
    drawn = str(GAME.position(line, seed=1)).splitlines()
    assert drawn[-len(last) :] == last
    assert not drawn[-len(last) - 1].startswith(("duel", "hunt", "seat"))


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_drawn_view_names_no_hidden_card(name: str) -> None:
    """Closed cards of others are named as part of their hands only, and not at all where hands are forgotten."""
    game, checked = GAMES[name], 0
    for state in some_states(name, 2, 0.1):
        record = state.record
        for seat in range(game.num_players):
            drawn = str(state.view(seat))
            lines = [line for line in drawn.splitlines() if not line.startswith("  hand")]
            is_mine = [int(record.owners[side]) == seat for side in range(8)]
            hidden = sum(int(record.lineups[side] & record.closed) for side in range(8) if not is_mine[side])
            for other in range(game.num_players):
                for i, card in enumerate(record.olympus[other]):
                    if other != seat and int(record.olympus_closed) >> 3 * other + i & 1:
                        hidden |= 1 << int(card)
            for card in range(48):
                if hidden >> card & 1:
                    checked += 1
                    words = f"{action_to_string(game.rules, CHALLENGE_CARD, card)} {'GEDT'[card // 12]} "
                    assert not any(words in line for line in lines), drawn
    assert checked > 20


# Comments: a position, the actions that follow, and what is said about each of them.

ALL_GATHERED = "; ".join(f"seat {seat} {names}" for seat, names in enumerate([
    "Hermes, Narcissus, Jason, Icarus, Pythagoras", "Hestia, Harmony, Odysseus, Arachne, Asclepius",
    "Aphrodite, Minoas, Hector, Sisyphus, Archimedes", "Demetra, Achilles, Ajax, Tantalus, Daedalus"]))  # fmt: skip
LAST_HUNT = (
    f"phase=use hands=R5.R7|R8|-|R6 {LAST_GATHERED} lineups=T0|-|-|-|-|-|-|- discard={PILE.replace('T0.', '')} "
    f"treasury=1.2.3.5.6.7.8.10.11.14.15.16.17 vaults=0.9|4|12|- {TEAMS} treasures=-1,13,-1,-1,-1,-1,-1,-1 "
    "owners=2,-1,-1,-1,-1,-1,-1,-1 blue=0,-1,-1,-1 citadels=2,0,3,1 deployed=0,0,1,0 hunts=0,0,1,0 won=0,0,1,0 "
    f"hunted=1 passed=2 ended=15 citadels_used=15 actor=2 fight=2 {LAST}"
)
ALL_TREASURES = ".".join(str(treasure) for treasure in range(18) if treasure not in (4, 16))
COMMENTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "gathering and Challenge": (FIRST, [
        ("seat 3", f"gathered: {ALL_GATHERED}"),
        ("Demetra", ""),
        ("open", ""),
        ("Hermes", ""),
        ("open", ""),
        ("Hestia", ""),
        ("open", ""),
        ("Aphrodite", ""),
        ("open", "the Challenge is over, deployment begins"),
        ("Achilles", ""),
    ]),
    "the last hunt": (LAST_HUNT, [
        ("pass", "the final: Hermes G 4/3/9, Narcissus E 1/9/4, Jason D 3/5/3, Hestia G 3/7/6, Harmony E 1/6/3, "
                 "Odysseus D 4/3/8, Aphrodite G 2/8/5, Minoas E 4/4/3, Hector D 8/4/1, Demetra G 4/6/2, "
                 "Achilles E 9/4/1, Ajax D 9/2/0; not beaten: 2/3/6 against 15/0/12"),
        ("nothing", ""),
    ]),
    "deployment and duel": (DEPLOY, [
        ("Narcissus", ""),
        ("quest 1 left", ""),
        ("closed", ""),
        ("END", ""),
        ("END", ""),
        ("END", "duel at Phaistos in Fist: seat 0 5/12/13, seat 1 4/3/8"),
        ("citadel 1", ""),
        ("Asclepius", ""),
        ("pass", ""),
        ("pass", ""),
        ("Narcissus", ""),
        ("Odysseus", "left wins the duel 5/12/17 to 4/6/8; hunt at Phaistos: seat 0 5/12/13, monster 14/0/0"),
        ("pass", "not beaten: 5/12/13 against 14/0/0; hunt at Marathon: seat 3 13/10/3, monster 0/14/0"),
        ("citadel 2", "beaten: 13/10/3 against 0/14/0; hunt at Ithaca: seat 2 4/0/8, monster 0/0/14"),
    ]),
    "a tie and two hunts": (DEPLOY, [
        ("END", ""),
        ("END", ""),
        ("END", "duel at Phaistos in Fist: seat 0 4/3/9, seat 1 4/3/8"),
        ("citadel 2", ""),
        ("Fist to Cunning", ""),
        ("pass", ""),
        ("pass", "left wins the duel 4/3/9 to 4/3/8; hunt at Phaistos: seat 0 4/3/9, monster 14/0/0"),
    ]),
    "the first pass of a duel": (DEPLOY, [
        ("END", ""),
        ("END", ""),
        ("END", "duel at Phaistos in Fist: seat 0 4/3/9, seat 1 4/3/8"),
        ("pass", ""),
        ("pass", "the duel is a tie, 4/3/9 to 4/3/8; hunt at Phaistos: seat 0 4/3/9, monster 14/0/0"),
    ]),
    "a card turned up for a hunt": (DEPLOY, [
        ("END", ""),
        ("END", ""),
        ("END", "duel at Phaistos in Fist: seat 0 4/3/9, seat 1 4/3/8"),
        ("citadel 2", ""),
        ("Fist to Awe", ""),
        ("pass", ""),
        ("pass", "the duel is a tie, 4/3/9 to 4/3/8; hunt at Phaistos: seat 0 4/3/9, monster 14/0/0"),
        ("pass", "not beaten: 4/3/9 against 14/0/0; hunt at Phaistos: seat 1 4/3/8, monster 14/0/0"),
        ("pass", "not beaten: 4/3/8 against 14/0/0; hunt at Marathon: seat 3 13/10/3, monster 0/14/0"),
    ]),
    "equipment": (EQUIPPING, [
        ("nothing", ""),
        ("nothing", ""),
        ("nothing", ""),
        ("16", ""),
        ("nothing", ""),
        ("nothing", "seat 0 challenges Kronos: 14/18/16 against 26/30/32"),
    ]),
    "the final": (FIGHT, [
        ("Eris", ""),
        ("12", ""),
        ("pass", "not beaten: 14/18/16 against 26/30/26; seat 3 challenges Kronos: 25/14/3 against 26/30/32"),
        ("pass", "not beaten: 25/14/3 against 26/30/32; seat 1 challenges Kronos: 8/16/20 against 26/30/32"),
        ("Nike", ""),
        ("pass", "not beaten: 9/17/21 against 26/30/32; seat 2 challenges Kronos: 14/16/9 against 26/30/32"),
        ("pass", "not beaten: 14/16/9 against 26/30/32; Kronos is unbeaten: all lose"),
    ]),
    "a win": (FIGHT.replace(f"{TREASURY} vaults=0.9|", f"vaults={ALL_TREASURES}|"), [
        ("pass", "beaten: 14/18/16 against 13/13/13; Kronos is beaten by seat 0"),
    ]),
    "symbol 8": (DEPLOY.replace("citadels=2,0,3,1", "citadels=2,3,0,1"), [
        ("END", ""),
        ("END", ""),
        ("END", "duel at Phaistos in Fist: seat 0 4/3/9, seat 1 4/3/8"),
        ("citadel 2", ""),
        ("Fist to Awe", ""),
        ("citadel 3", "the duel is a tie, 4/3/9 to 4/3/8; hunt at Phaistos: seat 0 4/3/9, monster 14/0/0"),
    ]),
    "a theft": (DEPLOY.replace("citadels=2,0,3,1", "citadels=1,0,3,2"), [
        ("END", ""),
        ("END", ""),
        ("END", "duel at Phaistos in Fist: seat 0 4/3/9, seat 1 4/3/8"),
        ("citadel 1", "draws Odysseus D 4/3/8"),
        ("pass", ""),
        ("pass", "left wins the duel 4/3/9 to 0/0/0; hunt at Phaistos: seat 0 4/3/9, monster 14/0/0"),
    ]),
    "symbol 9 in a hunt": (HUNT.replace("citadels=2,0,3,1", "citadels=2,1,3,0").replace("citadels_used=2 ", ""), [
        ("citadel 2", "beaten: 4/3/8 against 14/0/0; hunt at Marathon: seat 3 13/10/3, monster 0/14/0"),
    ]),
}  # fmt: skip


def comments_on(line: str, steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The actions with what is said about them."""
    state, said = GAME.position(line, seed=1), []
    for text, _ in steps:
        state.apply_action(state.string_to_action(text))
        said.append((text, comment(GAME.rules, state.record)))
    return said


@pytest.mark.parametrize("name", COMMENTS)
def test_comments_tell_what_an_action_brought_about(name: str) -> None:
    assert comments_on(*COMMENTS[name]) == COMMENTS[name][1]


def all_comments() -> list[str]:
    """The comments above as they are, for the comparison of compiled and plain Python."""
    return [str(comments_on(*case)) for case in COMMENTS.values()]


def test_compiled_and_plain_agree_on_the_positions_above(run_other_mode: Callable[[str], list[str]]) -> None:
    code = "from tests.kosmogonia.test_text import all_comments; print('\\n'.join(all_comments()))"
    assert run_other_mode(code) == all_comments()


def test_a_pulled_card_is_told() -> None:
    line = HUNT.replace("citadels=2,0,3,1", "citadels=2,3,0,1").replace("citadels_used=2 ", "")
    line = line.replace("hands=E0.T0.R0|G1.T1.R1|", "hands=T0|G1.T1|").replace("discard=G0", "discard=G0.E0.R0.R1")
    said = set()
    for board in range(20):
        state = GAME.position(line, seed=1, board=board)
        state.apply_action(state.string_to_action("citadel 2"))
        said.add(comment(GAME.rules, state.record))
    assert said == {"draws Narcissus E 1/9/4", "draws Pythagoras: double Fist", "draws Asclepius: double Awe"}


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_card_is_told_when_it_is_drawn_and_then_only(name: str) -> None:
    game, drawn = GAMES[name], 0
    for board in range(3):
        state, choices = game.new_initial_state(seed=4, board=board), random.Random(board)
        while not state.is_terminal():
            draws, rounds = int(state.record.draws), int(state.record.rounds_done)
            state.apply_action(choices.choice([a for a in state.legal_actions() if a != PASS] or [PASS]))
            if state.record.rounds_done == rounds:  # at the end of a round the next one has begun
                is_told = "draws " in comment(game.rules, state.record)
                assert is_told == (state.record.draws > draws), state
                drawn += is_told
    assert drawn > 3


# Whole states


def play_on(state: State, seed: int) -> list[str]:
    """Play to the end at random; the positions at every tenth decision and at the end."""
    choices, lines, number = random.Random(seed), [state.position_string()], 0
    while not state.is_terminal():
        state.apply_action(choices.choice(state.legal_actions()))
        number += 1
        if number % 10 == 0:
            lines.append(state.position_string())
    return [*lines, state.position_string()]


COPIES: dict[str, Callable[[State], State]] = {
    "serialize": lambda state: state.game.deserialize(state.serialize()),
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "clone": lambda state: state.clone(),
}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("name", OPTION_SETS)
def test_copies_keep_history_and_the_draws_to_come(name: str, copy: str, quick_reading: None) -> None:
    choices = random.Random(name)
    for i, state in enumerate(states_of(GAMES[name], 3)):
        if choices.random() > 0.008 and not state.is_terminal():
            continue
        again, seats = COPIES[copy](state), range(state.game.num_players)
        assert again.game == state.game
        assert (again.seed, again.board, again.observer) == (state.seed, state.board, None)
        assert content(again) == content(state)
        assert [again.history(seat) for seat in seats] == [state.history(seat) for seat in seats]
        assert play_on(again, i) == play_on(state.clone(), i)
        for seat in seats:
            view = COPIES[copy](state.view(seat))
            assert (view.seed, view.observer) == (None, seat)
            assert view.information_state_string(seat) == state.information_state_string(seat)
            assert content(view) == content(state.view(seat))


def test_a_state_of_other_rules_is_refused() -> None:
    text = GAME.position(DEPLOY, seed=1).serialize()
    assert GAME.deserialize(text).seed == 1
    for changes in ({"game": "truf"}, {"version": 0}, {"rules": {}}, {"seed": -1}, {"histories": [[]]}):
        with pytest.raises(InvalidText):
            GAME.deserialize(json.dumps(json.loads(text) | changes))
    with pytest.raises(InvalidText, match="cannot be read by a game of"):
        Game(key_limit=98, cards=CARD_SET).deserialize(text)


def test_every_decision_phase_is_read_somewhere_above() -> None:
    by_hand = {state.split()[0].removeprefix("phase=") for state in (*GOODS.values(), DRAFT)}
    assert by_hand | {"challenge_card", "tourn_discard", "sym7", "sym8_card", "sym8_number", "end_permutation"} == set(
        DECISIONS
    )
    assert {PHASES[SYM7], PHASES[SYM8_CARD]} <= set(DECISIONS)
