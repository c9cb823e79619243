"""The rule-based player finds what one good reason decides, where play-outs say that one answer is right.

In each, flat search finds the answer better than every other by more than three standard errors, where all go on by the
policy and where three actions of ten are random.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from cardkit.rng import new_rng
from cardkit.verbs import policy
from kronions import Game


class Position(NamedTuple):
    """A decision, the options of its game, and the answer that is right."""

    options: dict[str, Any]
    line: str
    right: str


POSITIONS: dict[str, Position] = {
    "last_chance_with_a_low_trump": Position(
        {"only_round": 3},
        "phase=play round=1 dealer=1 size=3 flip=C11 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=1,0,1,0 "
        "won=0,0,0,0 voids=-,-,-,- hands=C2.V2.F2,?,?,? played=-,N10,N5,N11 leader=1 trick=N10,N5,N11 actor=0",
        "Chrono 2",
    ),
    "last_chance_in_third_place": Position(
        {"only_round": 6},
        "phase=play round=1 dealer=3 size=6 flip=C1 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=1,1,2,1 "
        "won=0,2,1,0 voids=V,C,V,V hands=?,?,?,C11.F1.F2 "
        "played=C5.N2.V5,N12.V2.V13.F10,C12.N6.V1.F6,C2.N7.V12 leader=1 trick=N12,N6 actor=3",
        "Chrono 11",
    ),
    "last_chance_with_the_future": Position(
        {},
        "phase=play round=10 dealer=0 size=10 flip=C13 up=1 trump=C totals=79,79,75,69 zeros=2,3,4,2 "
        "bids=1,1,3,4 won=2,0,3,3 voids=V,CF,C,CN hands=?,?,?,F10.P "
        "played=C3.C8.C10.N2.N8.N10.V9.F1.F8,C5.N1.N3.N6.N9.N11.V2.V3.F4,C11.N4.N5.N12.N13.V7.V10.F2.F11,"
        "C12.V1.V6.V8.V11.V13.F6.F12 "
        "leader=0 trick=C10,N11,N13 actor=3",
        "Future",
    ),
    "last_chance_with_the_future_on_lead": Position(
        {"only_round": 7},
        "phase=play round=1 dealer=0 size=7 flip=F12 up=1 trump=F totals=0,0,0,0 zeros=0,0,0,0 bids=5,6,1,3 "
        "won=3,0,0,2 voids=F,N,F,N hands=?,?,?,V8.P "
        "played=C12.N3.N4.N12.P,C8.C11.V6.F1.F3,C2.C4.N9.N10.F5,C9.N6.F8.F10.F11 leader=3 trick=F8,N3,F1,C4 "
        "actor=3",
        "Future",
    ),
    "paradox_kept_for_the_last_trick": Position(
        {},
        "phase=play round=13 dealer=2 size=13 flip=P up=1 trump=- totals=85,111,66,49 zeros=4,3,3,2 "
        "bids=3,4,3,2 won=6,3,1,1 voids=-,CN,C,- hands=?,?,?,N7.P "
        "played=C3.C5.C6.N4.N5.N10.V8.F7.F9.P.P,C4.C8.C12.C13.N12.V2.V9.F1.F6.F12.P,"
        "C7.N3.N6.N8.N11.N13.V1.V4.V11.F3.F4.P,C1.C2.C10.C11.N1.N2.N9.V5.V12.F2.F13 "
        "leader=2 trick=V11 actor=3",
        "Nova 7",
    ),
    "paradox_kept_cheap_trump_wins": Position(
        {},
        "phase=play round=5 dealer=3 size=5 flip=V11 up=1 trump=V totals=43,30,32,10 zeros=1,3,1,2 "
        "bids=1,2,2,1 won=1,0,1,1 voids=-,NF,CN,C hands=?,?,V4.P,? "
        "played=C3.N10.F3.F13,C11.V5.V13.F1,V2.V7.F7,N1.V6.F4.F8 leader=3 trick=F4,F3,V13 actor=2",
        "Void 4",
    ),
    "paradox_kept_side_card_wins": Position(
        {"only_round": 13},
        "phase=play round=1 dealer=1 size=13 flip=C5 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=8,7,2,4 "
        "won=2,2,1,3 voids=-,V,-,V hands=?,?,?,N10.F7.F8.P.P "
        "played=C9.C11.N3.N13.V2.V9.F9.P.P,C3.N1.N9.N11.V5.V8.F11.F12.P,C7.C8.N2.N12.V1.V3.V6.F3.F10,"
        "C1.C6.C13.N5.V4.V11.F5.F6 "
        "leader=0 trick=N3,N11,N2 actor=3",
        "Nova 10",
    ),
    "paradox_kept_two_needed": Position(
        {"only_round": 13},
        "phase=play round=1 dealer=0 size=13 flip=V4 up=1 trump=V totals=0,0,0,0 zeros=0,0,0,0 bids=8,8,3,3 "
        "won=3,3,1,3 voids=-,-,NV,NV hands=?,?,C12.P.P,? "
        "played=N2.N7.N9.V1.V8.V12.F1.F3.P.P,C2.C7.N5.N6.N10.N12.V9.V10.V13.F5.F8,"
        "C3.C10.N4.N8.V2.V3.F2.F9.F12.F13,C1.C5.C6.C13.N11.N13.V6.V11.F4.P "
        "leader=1 trick=C7 actor=2",
        "Chrono 12",
    ),
    "dangerous_trump_goes_under_a_higher_one": Position(
        {},
        "phase=play round=5 dealer=2 size=5 flip=V7 up=1 trump=V totals=31,0,43,0 zeros=2,0,2,1 bids=1,2,2,4 "
        "won=1,0,1,0 voids=N,-,C,N hands=V10.F4.P,?,?,? played=C4.V3,C11.P,N7.N13.V5,C6.V11.F13 leader=2 "
        "trick=N7,V11 actor=0",
        "Void 10",
    ),
    "dangerous_trump_goes_under_a_future": Position(
        {"only_round": 5},
        "phase=play round=1 dealer=2 size=5 flip=V4 up=1 trump=V totals=0,0,0,0 zeros=0,0,0,0 bids=1,2,2,1 "
        "won=1,0,1,1 voids=N,NV,F,- hands=?,?,?,N2.V12 played=N5.V2.V9.F3,F6.F9.F10.P,C2.N6.N7.V13,N4.N12.V5 "
        "leader=0 trick=F3,Fut,C2 actor=3",
        "Void 12",
    ),
    "dangerous_card_goes_under_a_higher_one": Position(
        {"only_round": 8},
        "phase=play round=1 dealer=0 size=8 flip=V3 up=1 trump=V totals=0,0,0,0 zeros=0,0,0,0 bids=2,8,1,0 "
        "won=1,1,0,0 voids=-,-,-,- hands=?,?,?,C6.N2.V5.V10.F4.P played=C13.V11.F12,V1.F8.P,C3.V13.F9,C8.F3 "
        "leader=0 trick=V11,V1,V13 actor=3",
        "Void 10",
    ),
    "bid_made_past_is_spared": Position(
        {"only_round": 14},
        "phase=play round=1 dealer=1 size=14 flip=- up=0 trump=- totals=0,0,0,0 zeros=0,0,0,0 bids=6,7,5,2 "
        "won=0,3,5,2 voids=N,N,CV,N hands=?,?,?,V3.V12.F5.P "
        "played=C1.C10.N2.N6.V1.V13.F10.F13.P.P,C4.C5.C11.N4.N5.N8.N9.V5.F9.P,"
        "C2.C13.N1.N7.N10.N11.N13.V8.F6.F8.P,C3.C6.C7.C9.N3.N12.V2.V10.V11.F1 "
        "leader=2 trick=Past actor=3",
        "Void 3",
    ),
    "best_card_is_led_first": Position(
        {"num_players": 3, "only_round": 14},
        "phase=play round=1 dealer=2 size=14 flip=F12 up=1 trump=F totals=0,0,0 zeros=0,0,0 bids=3,5,5 "
        "won=1,3,2 voids=-,-,F hands=?,?,C2.C7.C12.N4.N6.V3.P.P "
        "played=C10.N7.V2.F3.F4.F10,C13.N2.V6.F1.F6.F13,C11.N11.V1.V13.F9.F11 leader=1 trick=N2,N11,N7 "
        "actor=2",
        "Chrono 12",
    ),
    "winner_taken_two_needed": Position(
        {"num_players": 5, "only_round": 10},
        "phase=play round=1 dealer=1 size=10 flip=P up=1 trump=- totals=0,0,0,0,0 zeros=0,0,0,0,0 "
        "bids=2,2,3,2,0 won=0,2,3,2,0 voids=N,-,-,C,- hands=F1.F5.P,?,?,?,? "
        "played=C2.C7.C11.V6.V10.F10.F12,C9.C10.N5.N7.V3.V8.F13,C5.C12.N3.N13.V2.V11.F7.P,"
        "C13.N1.N2.N12.V7.F4.F11.P,C1.C8.N4.N8.V4.V9.F3.F8 "
        "leader=2 trick=Past,F4,F3 actor=0",
        "Flux 5",
    ),
    "one_needed_high_card_of_four": Position(
        {"only_round": 6},
        "phase=play round=1 dealer=3 size=6 flip=C3 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=1,2,1,1 "
        "won=0,1,0,1 voids=V,-,-,- hands=?,?,N4.N13.F4.F13,? played=C2.F3,C1.N8.V11,C5.V8,C13.V6 leader=1 "
        "trick=N8 actor=2",
        "Nova 13",
    ),
    "middle_card_wins_where_many_are_needed": Position(
        {},
        "phase=play round=14 dealer=3 size=14 flip=- up=0 trump=- totals=98,115,102,36 zeros=5,4,2,3 "
        "bids=5,4,1,3 won=0,4,0,0 voids=-,-,-,- hands=C12.N10.N11.N13.V1.V11.F8.P.P.P,?,?,? "
        "played=C4.C5.N1.F4,C6.C10.N5.V4.F7,C3.C8.N4.V3.F3,C1.C7.N3.V2.F5 leader=1 trick=V4,V3,V2 actor=0",
        "Void 11",
    ),
    "bid_two_cards_without_trump": Position(
        {},
        "phase=bid round=2 dealer=0 size=2 flip=P up=1 trump=- totals=10,0,10,11 zeros=1,0,1,0 bids=-,0,-,- "
        "won=0,0,0,0 voids=-,-,-,- hands=?,?,V8.V11,? played=-,-,-,- leader=0 trick=- actor=2",
        "bid 0",
    ),
    "bid_three_paradox_cards": Position(
        {"only_round": 12},
        "phase=bid round=1 dealer=3 size=12 flip=F9 up=1 trump=F totals=0,0,0,0 zeros=0,0,0,0 bids=4,3,1,- "
        "won=0,0,0,0 voids=-,-,-,- hands=?,?,?,C4.C10.C13.N5.N8.N11.V9.F6.F13.P.P.P played=-,-,-,- leader=0 "
        "trick=- actor=3",
        "bid 5",
    ),
}


@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_the_policy_finds(position: Position) -> None:
    game = Game(**position.options)
    view = game.position(position.line)
    action = int(policy(game.rules, view.record, new_rng()))
    assert view.action_to_string(action) == position.right
