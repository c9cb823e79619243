"""The rule-based player follows the options that decide what a bid is worth, and the front door's bounds are exact."""

from __future__ import annotations

from typing import Any

import pytest

from cardkit.rng import new_rng
from cardkit.spec import InvalidText
from cardkit.verbs import policy
from truf import Game
from truf.cards import COURTS
from truf.state import BID, DONE


def bids(deals: int = 150, **options: Any) -> list[list[int]]:
    """The cards that the policy lays, seat by seat, over some deals."""
    game = Game(max_hands=1, **options)
    rng = new_rng(1)
    found = []
    for seed in range(deals):
        state = game.new_initial_state(seed=seed)
        laid: list[int] = []
        while state.record.phase == BID:
            action = int(policy(game.rules, state.record, rng))
            if action == DONE:
                found.append(laid)
                laid = []
            else:
                laid.append(action)
            state.apply_action(action)
    return found


def num_nils(found: list[list[int]]) -> int:
    return sum(all(int(COURTS) >> card & 1 for card in laid) for laid in found)


def test_policy_bids_nil_by_what_it_pays() -> None:
    default = num_nils(bids())
    assert num_nils(bids(nil_bonus=-1000)) == 0
    assert num_nils(bids(nil_fail=-1000)) < default < num_nils(bids(nil_bonus=100))


def test_policy_pads_for_no_truf_only_where_that_is_allowed() -> None:
    def padded(found: list[list[int]]) -> int:
        return sum(len(laid) == 2 and sum(int(COURTS) >> card & 1 for card in laid) == 1 for laid in found)

    assert padded(bids()) > 0
    assert padded(bids(padding="forbidden")) == 0


def test_policy_plays_for_no_set_where_the_revealed_bid_makes_the_nil() -> None:
    line = (
        "phase=play hand=1 totals=0,0,0,0 hands=AS.2H,KS.KH,QS.QH,2S.AH laid=AS,KS,QS,AH played=-,-,-,- "
        "final={finals} mode=HIGH sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor={actor}"
    )
    game = Game("mini", nil_basis="original")
    state = game.position(line.format(finals="2,1,1,2", actor=0))
    state.apply_action(state.string_to_action("2H"))
    assert state.current_player() == 1
    assert state.action_to_string(int(policy(game.rules, state.record, new_rng(1)))) == "KH"


def test_longest_games_are_as_long_as_the_rules_allow() -> None:
    assert Game().max_game_length() == 200 * 108
    assert Game("classic").max_game_length() == 200 * 61
    assert Game("mini").max_game_length() == 4 * 3 + 8


def test_the_whole_hand_is_no_limit() -> None:
    assert Game(max_bid_cards=13) == Game()
    assert Game("mini", max_bid_cards=2) == Game("mini")


@pytest.mark.parametrize(("phase", "action"), [(1, 53), (2, 29), (2, 52), (3, 52)])
def test_numbers_that_are_no_action_have_no_text(phase: int, action: int) -> None:
    game = Game()
    with pytest.raises(InvalidText, match=rf"action {action} is none of phase"):
        game.text.action_to_string(game.rules, phase, action)


START = (
    "phase=play hand=1 totals=0,0,0,0 hands=AS.2H,KS.KH,QS.QH,2S.AH laid=AS,KS,QS,AH played=-,-,-,- final=1,0,0,1 "
    "mode=none sets=0,0,0,0 voids=-,-,-,- unlocked=0 leader=0 trick=- actor=0"
)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("voids=-,-", "voids=-,H", "voids="),
        ("unlocked=0", "unlocked=1", "unlocked=1"),
        ("totals=0", "totals=150", "totals"),
    ],
)
def test_marks_that_nothing_has_caused_are_refused(old: str, new: str, word: str) -> None:
    game = Game("mini", sum13_decline="neutral")
    good = START.replace("mode=none", "mode=neutral")
    game.position(good)
    with pytest.raises(InvalidText, match=word):
        game.position(good.replace(old, new, 1))
