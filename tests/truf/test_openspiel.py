"""The trick-taking part beside OpenSpiel's `hearts` and `spades`: same hands, same plays, engines others wrote.

NO TRUF is compared with `hearts` (no passing, hearts may always be led, points allowed in the first trick), Spades as
truf with `spades`. The bidding is not compared: a record is set to the first lead. Two differences are set aside. In
`hearts` the holder of the two of clubs must lead it, so that one lead is imposed and its legal set is not compared. In
OpenSpiel's `spades` trumps stay locked for the whole hand even once one is played, so of our leads only those of a
locked truf are compared and made. Every other legal set must be equal, as must every winner.

OpenSpiel deals card after card to seat 0, 1, 2, ...; `spades` numbers cards as Truf does, `hearts` `4 * rank + suit`.
"""

from __future__ import annotations

import random
from typing import Any

import pyspiel
import pytest

from cardkit.rng import new_rng
from cardkit.verbs import OVER, apply, legal_mask, policy, to_move
from truf import Game
from truf.cards import CARDS, RANKS
from truf.state import HIGH, NONE, PLAY

DEALS = 200  # of each of the two games, by each kind of player
SPADES = 3
TWO_OF_CLUBS = 0
HEARTS_RULES = {"pass_cards": False, "must_break_hearts": False, "no_pts_on_first_trick": False}


class Counts:
    """How much has been compared."""

    def __init__(self) -> None:
        self.legal_sets = self.tricks = self.voids = self.locked_leads = self.ruffed = self.truf_leads = 0


def their_card(name: str, card: int) -> int:
    """OpenSpiel's number of our card."""
    suit, rank = divmod(card, RANKS)
    return 4 * rank + suit if name == "hearts" else card


def first_lead(game: Game, hands: list[list[int]], truf: int, leader: int) -> Any:
    """A record in which these hands are held and the leader is about to lead the first trick."""
    records = game.new_records(1)
    state = records[0]
    for seat, hand in enumerate(hands):
        state.hands[seat] = sum(1 << card for card in hand)
        state.laid[seat] = 1 << hand[0]
        state.final_bids[seat] = 1
    state.phase, state.mode, state.truf, state.winner = PLAY, HIGH, truf, NONE
    state.top_bidder = state.leader = state.actor = leader
    return state


def impose_deal(name: str, hands: list[list[int]]) -> Any:
    """OpenSpiel's state at the first lead with these hands."""
    theirs = pyspiel.load_game(name, HEARTS_RULES if name == "hearts" else {}).new_initial_state()
    if name == "hearts":
        theirs.apply_action(0)  # the passing direction: none
    for i in range(RANKS):
        for hand in hands:
            theirs.apply_action(their_card(name, hand[i]))
    assert not theirs.is_chance_node()
    if name == "spades":
        for _ in range(4):
            theirs.apply_action(CARDS + 1)  # everybody bids 1
    return theirs


def tricks_won(theirs: Any) -> list[int]:
    """The tricks of each seat, which `spades` tells in its text only."""
    lines = str(theirs).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Tricks taken"))
    numbers = next(line for line in lines[start + 1 :] if line.strip()[:1].isdigit())
    return [int(word) for word in numbers.split()][:4]


def cards_of(mask: int) -> list[int]:
    """The card numbers of a bit mask, ascending."""
    return [card for card in range(CARDS) if mask >> card & 1]


def compare_deal(name: str, board: int, is_policy: bool, counts: Counts, truf: int, **options: Any) -> None:
    """Play one hand on both engines.

    Raises:
        AssertionError: at the first difference.
    """
    choices = random.Random(f"{name} {board}")
    deck = list(range(CARDS))
    choices.shuffle(deck)
    hands = [deck[13 * seat : 13 * seat + 13] for seat in range(4)]
    theirs = impose_deal(name, hands)
    game = Game(**{"facedown": "none", "max_hands": 1} | options)
    rules, state = game.rules, first_lead(game, hands, truf, theirs.current_player())
    rng = new_rng(board)
    while (seat := to_move(rules, state)) != OVER:
        where = f"{name}, board {board}"
        assert seat == theirs.current_player(), f"seat to move: {where}"
        mask = int(legal_mask(rules, state))
        legal = [card for card in range(CARDS) if mask >> card & 1]
        is_imposed = name == "hearts" and not state.played
        if is_imposed:
            assert theirs.legal_actions() == [their_card(name, TWO_OF_CLUBS)]
            action = TWO_OF_CLUBS
            assert action in legal
        else:
            if name == "spades" and state.trick_size == 0 and state.unlocked:
                legal = [card for card in legal if card // RANKS != SPADES] or legal  # they never unlock
            expected = theirs.legal_actions()
            assert sorted(their_card(name, card) for card in legal) == expected, f"legal cards: {where}"
            action = int(policy(rules, state, rng)) if is_policy else choices.choice(legal)
            action = action if action in legal else choices.choice(legal)
            counts.legal_sets += 1
        held = int(state.hands[seat]) & ~int(state.played)
        is_lead = state.trick_size == 0
        counts.locked_leads += is_lead and truf != NONE and not state.unlocked and legal != cards_of(held)
        counts.truf_leads += is_lead and action // RANKS == truf
        voids = int(state.voids[seat])
        done = int(state.tricks_done)
        apply(rules, state, action)
        theirs.apply_action(their_card(name, action))
        counts.voids += int(state.voids[seat]) != voids
        counts.ruffed += action // RANKS == truf and not is_lead and int(state.voids[seat]) != voids
        if state.tricks_done > done:
            counts.tricks += 1
            if not theirs.is_terminal():  # their winner is the one who leads
                assert state.winner == theirs.current_player(), f"winner: {where}"
    assert theirs.is_terminal()
    if name == "spades":  # this covers the last trick
        assert state.sets.tolist() == tricks_won(theirs)


def compare_deals(name: str, truf: int | None = None, **options: Any) -> Counts:
    """Play many hands on both engines, at random and by the policy; how much was compared."""
    counts = Counts()
    truf = {"hearts": NONE, "spades": SPADES}[name] if truf is None else truf
    for board in range(2 * DEALS):
        compare_deal(name, board, board % 2 == 1, counts, truf, **options)
    return counts


def test_no_truf_agrees_with_hearts() -> None:
    counts = compare_deals("hearts")
    assert counts.tricks == 2 * DEALS * RANKS
    assert counts.legal_sets == 2 * DEALS * (CARDS - 1)  # without the imposed first lead
    assert counts.voids > 10 * DEALS
    assert counts.locked_leads == counts.ruffed == 0


def test_spades_as_truf_agrees_with_spades() -> None:
    counts = compare_deals("spades")
    assert counts.tricks == 2 * DEALS * RANKS
    assert counts.legal_sets == 2 * DEALS * CARDS
    assert counts.voids > 10 * DEALS
    assert counts.locked_leads > DEALS
    assert counts.ruffed > 2 * DEALS
    assert counts.truf_leads > 20


@pytest.mark.parametrize("facedown", ["all_truf", "ruffs_only"])
def test_face_down_cards_change_neither_legal_cards_nor_winners(facedown: str) -> None:
    assert compare_deals("spades", facedown=facedown).legal_sets == 2 * DEALS * CARDS


@pytest.mark.parametrize("name", ["hearts", "spades"])
def test_other_winners_than_theirs_are_noticed(name: str) -> None:
    with pytest.raises(AssertionError, match="winner"):
        compare_deals(name, ace_play="low")


@pytest.mark.parametrize(("name", "truf"), [("hearts", SPADES), ("spades", NONE), ("spades", SPADES - 1)])
def test_another_truf_than_theirs_is_noticed(name: str, truf: int) -> None:
    with pytest.raises(AssertionError, match=r"legal cards|winner"):
        compare_deals(name, truf)
