"""The sensible actions: never none, legal, what a seat can know, the policy's choice among them, and nothing lost."""

from __future__ import annotations

from typing import Any

import pytest

from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import legal_mask, policy, sensible_mask
from kronions import Game
from kronions._sensible import BID_WINDOW
from tests.endings import Solver, actions_of, walk

GAMES: dict[str, dict[str, Any]] = {
    **{f"standard_{players}": {"num_players": players} for players in range(2, 7)},
    "oh_hell": {"preset": "oh_hell", "num_players": 3},
    "mini": {"preset": "mini"},
    "mini_3": {"preset": "mini", "num_players": 3},
    "small_suits": {"num_players": 3, "num_ranks": 5, "num_suits": 3, "num_paradox": 3, "future_led": "frees_trick",
                    "all_past": "last", "paradox_flip": "dealer_names"},
    "only_when_void": {"num_players": 4, "paradox_when_able_to_follow": "only_when_void", "round_cap": 8,
                       "paradox_flip": "redraw", "all_past": "nobody"},
}  # fmt: skip
every_game = pytest.mark.parametrize("options", GAMES.values(), ids=GAMES)


@every_game
def test_sensible_actions_are_legal_known_to_the_seat_and_hold_the_policys_choice(options: dict[str, Any]) -> None:
    game, rng = Game(**options), new_rng(1)
    for seed in range(4):
        for state in walk(game, seed, is_policy=seed % 2 == 0, most=400):
            legal, mask = int(legal_mask(game.rules, state.record)), int(sensible_mask(game.rules, state.record))
            assert mask
            assert not mask & ~legal
            assert mask >> int(policy(game.rules, state.record, rng)) & 1, state
            assert mask == int(sensible_mask(game.rules, state.view(state.current_player()).record)), state


def slow_groups(state: State) -> list[int]:
    """What should be kept of the suited cards: the lowest of each run, from the cards by name and in plain loops."""
    record, rules, seat = state.record, state.game.rules, state.current_player()
    legal = [action for action in state.legal_actions() if action < 52]
    flip = int(record.flip)
    out = {card for card in range(52) if int(record.played) >> card & 1} | {flip}
    trick = [byte - 1 for byte in int(record.trick).to_bytes(8, "little") if byte] if record.trick_size else []
    power, out_of_way = int(record.power), set(out)
    for card in trick:  # the card that takes the trick so far
        is_trump = card // 13 == record.trump
        if card < 52 and power == (15 if is_trump else 2) + card % 13 and (is_trump or card // 13 == record.led_suit):
            out_of_way.discard(card)
    hand = {card for card in range(52) if int(record.hands[seat]) >> card & 1}
    kept = []
    for card in legal:
        below = [c for c in range(card // 13 * 13, card) if c not in out_of_way and c % 13 < rules.num_ranks]
        if not below or below[-1] not in hand:
            kept.append(card)
    return kept


@every_game
def test_one_card_of_each_run_is_kept(options: dict[str, Any]) -> None:
    game, merged = Game(**options), 0
    for seed in range(3):
        for state in walk(game, seed + 10, is_policy=seed % 2 == 0, most=400):
            if state.phase() == "play":
                mask = int(sensible_mask(game.rules, state.record)) & (1 << 52) - 1
                assert actions_of(mask) == slow_groups(state), state
                merged += len([a for a in state.legal_actions() if a < 52]) - len(actions_of(mask))
    assert merged


@every_game
def test_bids_lie_around_the_policys(options: dict[str, Any]) -> None:
    game, rng = Game(**options), new_rng(1)
    for state in walk(game, 5, is_policy=True):
        if state.phase() == "bid":
            chosen = int(policy(game.rules, state.record, rng))
            near = [bid for bid in state.legal_actions() if abs(bid - chosen) <= BID_WINDOW]
            assert actions_of(sensible_mask(game.rules, state.record)) == near
        elif state.phase() == "name_trump":
            assert actions_of(sensible_mask(game.rules, state.record)) == state.legal_actions()


ENDINGS: dict[str, dict[str, Any]] = {
    "two": {"num_players": 2, "only_round": 6, "num_suits": 2, "num_ranks": 7, "num_paradox": 3},
    "three": {"num_players": 3, "only_round": 5, "num_suits": 2, "num_ranks": 8, "num_paradox": 2},
    "three_freed": {"num_players": 3, "only_round": 4, "num_suits": 2, "num_ranks": 6, "num_paradox": 4,
                    "future_led": "frees_trick", "all_past": "last"},
    "three_void": {"num_players": 3, "only_round": 4, "num_suits": 2, "num_ranks": 6, "num_paradox": 4,
                   "paradox_when_able_to_follow": "only_when_void", "all_past": "nobody"},
    "four": {"num_players": 4, "only_round": 3, "num_suits": 1, "num_ranks": 12, "num_paradox": 3},
}  # fmt: skip


@pytest.mark.parametrize("options", ENDINGS.values(), ids=ENDINGS)
def test_nothing_is_lost_in_endings_with_open_cards(options: dict[str, Any]) -> None:
    """Every play left out has the same value as one that is kept, with all plays and with kept ones only after it."""
    game, most, merged = Game(**options), 2 if options["num_players"] > 2 else 3, 0
    for seed in range(12):
        for state in walk(game, seed, is_policy=seed % 2 == 0):
            left = int(state.record.hand_size) - int(state.record.tricks_done)
            if state.phase() != "play" or left > most or len(state.legal_actions()) == 1:
                continue
            solver, kept = Solver(game, state), actions_of(sensible_mask(game.rules, state.record))
            values = solver.children(0, is_sensible=False)
            for action, value in values.items():
                same = [other for other in kept if other >= 52 or action >= 52 or other // 13 == action // 13]
                assert action in kept or value in [values[other] for other in same], (state, action)
                merged += action not in kept
            assert solver.value(0, is_sensible=False) == solver.value(0, is_sensible=True), state
    assert merged


def test_under_a_future_that_leads_future_and_past_are_one_choice() -> None:
    """F9 is in the trick but does not take it: F8 and F10 are alike; F7 and F11 are unseen."""
    game = Game(num_players=3, round_cap=6)
    line = (
        "phase=play round=6 dealer=2 size=6 flip=- up=0 trump=- totals=23,23,22 zeros=2,2,1 bids=4,2,4 won=0,0,1 "
        "voids=N,-,- hands=C8.C10.V6.F4,F6.F8.F10.F12.P,C1.C11.N12.F13 played=V5.F9,P,N2.P leader=2 trick=Fut,F9 "
        "actor=1"
    )
    state = game.position(line)
    kept = actions_of(sensible_mask(game.rules, state.record))
    assert [state.action_to_string(action) for action in kept] == ["Flux 6", "Flux 8", "Flux 12", "Future"]
