"""The rule-based player in positions where one answer is clearly right.

Each is as the seat to move sees it. The answer leads every other by more than three standard errors of the share of
wins, whether all go on as the policy does or with 30 % random choices.
"""

from __future__ import annotations

import pytest

from cardkit.rng import new_rng
from cardkit.verbs import policy
from kosmogonia import Game

# The position and the right answer, by what a good player would say.
POSITIONS = {
    "a card that Kronos is beaten with is kept in a hunt": (
        "phase=use hands=G8.E9.D6.D10.R11|G7.E1.D7|R3.R9|G3.D9.R8 "
        "gathered=G8.E3.D8.T1.R11|G7.E1.D4.T9.R10|G4.E5.D9.T4.R3|G3.E11.D3.T7.R7 "
        "lineups=-|-|-|-|E11.D3.T0|E5.T4.T5|-|- "
        "discard=G0.G2.G5.G10.G11.E0.E2.E3.E4.E7.E8.D0.D1.D4.D5.D8.D11.T1.T2.T3.T6.T7.T8.T9.T10.T11.R0.R1.R2."
        "R4.R5.R6.R7.R10 "
        "treasury=0.3.5.9.11 vaults=8.10|1.12|4.6.7.15|2 totals=0,0,0,0,16,14 "
        "since=1,1,3,5,5,3,1,5,5,1,3,3,1,5,1,5,1,5,1,3,3,3,3,5,1,1,2,5,5,3,1,3,5,6,3,3,3,5,3,3,5,1,1,5,3,5,1,1 "
        "olympus=G9.?*.?*|E6.?*.?*|G1.E10*.G4*|G6.D2.?* treasures=13,-1,-1,14,16,17,-1,-1 "
        "owners=-1,1,2,-1,3,2,-1,-1 blue=0,0,1,-1 queue=27,19,0,0,0,0,0,0 citadels=3,2,0,1 deployed=3,3,4,4 "
        "duels_won=0,1,1,0 duels_tied=0,0,1,1 hunts=0,1,2,0 hunts_won=0,1,0,0 won=0,1,1,0 hunted=38 beaten=2 "
        "passed=1 ended=15 citadels_used=14 actor=2 corner=1 fight=2 position=2 fought=7 round_number=2 "
        "opened=12 finder=1 first_player=2 draws=5 rounds_done=2 result=5 observer=2",
        "pass",
    ),
    "a card that Kronos is beaten with is kept in a hunt with another hand": (
        "phase=use hands=E6.D3.D10.T7.R7|G10.E10.D0.D6.T3.R8.R11|R1|G1.G8.R0.R5 "
        "gathered=G5.E6.D5.T7.R7|G10.E4.D6.T8.R11|G4.E9.D8.T2.R1|G1.E7.D3.T1.R0 "
        "lineups=G11.D8.T2|T1.T10|E9.T0|-|G5.E0.D5|-|-|- "
        "discard=G2.G3.E1.E2.E3.E4.E7.E8.E11.D1.D2.D4.D7.D9.D11.T4.T5.T6.T8.T9.T11.R2.R3.R4.R6.R10 table=R9 "
        "treasury=2.6.7.9.10.11 vaults=3.16|-|4.5.8.14|0.1 totals=18,16,8,11,11,4 symbols_used=1024,0 "
        "since=1,5,3,3,5,5,1,1,3,1,5,3,3,1,1,1,5,3,5,5,1,5,3,3,2,1,1,6,3,5,5,1,5,3,3,3,1,5,5,3,3,3,1,5,5,1,1,3 "
        "olympus=G9.?*.?*|G0.?*.?*|G6.E5*.G4*|G7.?*.?* treasures=13,12,-1,15,-1,17,-1,-1 "
        "owners=2,3,2,-1,0,-1,-1,-1 blue=0,1,1,-1 queue=10,27,0,0,0,0,0,0 citadels=1,2,0,3 deployed=3,3,5,5 "
        "duels_won=1,0,1,0 duels_tied=0,0,1,1 hunts=0,0,1,0 won=1,0,1,0 uses=1,0 hunted=1 passed=2 ended=15 "
        "citadels_used=13 queue_size=1 actor=2 fight=2 fought=7 round_number=2 opened=12 finder=1 "
        "first_player=2 draws=5 rounds_done=2 observer=2",
        "pass",
    ),
    "the last champion completes the team": (
        "phase=challenge_card "
        "hands=G0.G4.E0.E6.D1.D5.D11.T11.R8|G3.E4.E10.E11.D3.T0.R5.R9.R11|G6.E3.D4.T5.T9.R1.R4.R7|G9.E2.E5."
        "D2.D7.D9.T1.T10.R0.R2.R10 "
        "gathered=G4.E0.D11.T11.R8|G3.E11.D3.T0.R11|G6.E3.D4.T5.R4|G9.E5.D7.T10.R0 "
        "discard=G5.G7.G8.E1.E7.E8.E9.D0.D8.D10.T2.T3.T4.T6.T7.T8.R3.R6 treasury=3.8.9.10.11 "
        "vaults=-|2|0.1.6.7|4.5 totals=9,9,10,17,14,0 "
        "since=3,1,1,5,5,1,5,3,3,5,1,3,5,1,3,5,1,5,3,1,1,3,3,5,1,3,3,5,5,4,1,5,1,1,3,5,5,3,1,3,3,5,1,1,1,3,5,5 "
        "olympus=G1.?*.?*|G10.?*.?*|D6.G11*.-|G2.?*.?* treasures=13,12,14,15,17,16,-1,-1 citadels=3,2,1,0 "
        "actor=2 position=1 round_number=2 opened=12 finder=2 first_player=3 draws=1 rounds_done=2 news=5 "
        "observer=2",
        "Achilles",
    ),
    "the last champion is a god": (
        "phase=challenge_card "
        "hands=G6.G8.E10.D1.T6.T7.R1.R2|G0.G11.E1.D5.D10.T0.T9.R3.R6.R7|G4.E0.D4.D7.T5.R4.R5|G2.G5.E6.E11.D3."
        "T2.R11 "
        "gathered=G8.E10.D1.T6.R2|G0.E1.D5.T0.R6|G4.E0.D4.T5.R5|G5.E11.D3.T2.R11 "
        "discard=E2.E3.E4.E5.E7.E8.E9.D0.D2.D6.D8.D9.D11.T1.T3.T4.T8.T10.T11.R0.R8.R9.R10 treasury=10.11 "
        "vaults=4.8|5|2.3.6.7|0.1.9 totals=19,22,8,17,14,0 "
        "since=5,1,3,1,5,5,3,3,5,1,1,3,5,5,1,1,3,3,3,3,1,1,5,5,1,5,3,5,5,5,1,3,1,1,3,3,5,1,5,1,3,5,5,1,3,3,3,1 "
        "olympus=G10.?*.-|G9.?*.-|G1.G7*.-|G3.?*.- treasures=13,12,15,14,16,17,-1,-1 queue=27,28,0,0,0,0,0,0 "
        "citadels=3,1,0,2 actor=2 position=1 round_number=2 opened=12 finder=1 first_player=2 draws=1 "
        "rounds_done=2 news=6 observer=2",
        "Athena",
    ),
    "cards are kept in a duel": (
        "phase=use hands=G2.E7.R1|R7.R9|G1.G4.E4.R5.R8|G9.G11.D7.R3.R10 "
        "gathered=G0.E7.D3.T5.R2|G5.E2.D11.T1.R11|G1.E6.D0.T8.R8|G9.E8.D2.T9.R3 "
        "lineups=G0.T0.T11|-|T1|-|E6.D0.T8|G5.E2|-|- "
        "discard=G8.E0.E1.E3.E8.E9.E10.E11.D1.D2.D3.D4.D5.D6.D8.D9.D10.T2.T3.T4.T5.T6.T7.T9.T10.R0.R2.R4.R6.R11 "
        "treasury=6.9.10.11 vaults=0.1.7|4.5|8|2.3 totals=3,8,9,14,8,0 "
        "since=5,5,3,1,3,5,1,1,3,5,1,3,1,3,5,1,3,3,5,5,5,3,1,1,5,3,5,5,1,3,3,3,1,1,1,5,1,5,3,1,1,5,3,1,5,5,3,3 "
        "olympus=G10.?*.?*|G6.E5*.D11*|G7.?*.?*|G3.?*.?* treasures=13,12,15,14,16,17,-1,-1 "
        "owners=0,-1,1,-1,2,1,-1,-1 blue=0,0,1,-1 queue=12,11,0,0,0,0,0,0 citadels=0,1,2,3 deployed=5,3,3,3 "
        "duels_won=1,1,0,0 ended=15 citadels_used=3 in_force=3 actor=1 corner=1 fight=1 position=2 fought=7 "
        "round_number=2 opened=12 finder=0 first_player=0 draws=4 rounds_done=2 result=1 news=5 observer=1",
        "pass",
    ),
    "the citadel is used in a duel": (
        "phase=use hands=G2.G8.E9.D7.D8.T9.R6.R8|G0.E5.D5.D10.T10.R1.R11|R5.R7|G10.E0.E11.T4.R0.R10 "
        "gathered=G8.E9.D8.T9.R8|G11.E5.D3.T10.R1|G1.E1.D10.T6.R4|G10.E0.D0.T4.R10 "
        "lineups=G11.D3|E4.T0|E1.T6|D0|E10|G5|-|- closed=E1 "
        "discard=E2.E3.E6.E7.E8.D1.D2.D4.D6.D9.D11.T1.T2.T3.T5.T7.T8.T11.R2.R3.R9 table=R4 moved=T0 "
        "treasury=1.5.7.8.9.10.11 vaults=0|4|-|2.3.6 totals=9,11,6,17,14,0 symbols_used=16,32 "
        "since=3,5,3,1,1,3,3,1,5,1,5,5,5,5,1,1,3,5,1,1,3,5,3,3,5,1,3,5,1,4,1,3,5,3,6,1,3,3,1,3,5,1,5,3,1,5,5,1 "
        "hidden=0,0,0,0,0,0,0,0,5,5,5,5,0,0,0,0 olympus=G7.?*.?*|G9.?*.?*|G4.G6*.G1*|G3.?*.?* "
        "treasures=13,12,15,14,16,17,-1,-1 owners=1,2,2,3,0,3,-1,-1 blue=0,0,1,-1 queue=10,27,0,0,0,0,0,0 "
        "citadels=3,1,2,0 deployed=3,3,4,4 uses=1,1 passed=1 ended=15 citadels_used=2 in_force=5 actor=2 "
        "corner=1 fight=1 fought=1 round_number=2 opened=12 finder=2 first_player=3 draws=5 rounds_done=2 "
        "observer=2",
        "citadel 2",
    ),
    "a card is used in a hunt": (
        "phase=use hands=E6.T4|G3.E8.T2.R7|E11.D6.R5|G0.E5.R0.R8 "
        "gathered=G4.E10.D10.T4.R2|G2.E8.D6.T2.R7|G11.E11.D2.T9.R5|G1.E5.D1.T7.R0 "
        "lineups=-|-|-|-|-|D2.D9.T9|-|- "
        "discard=G1.G2.G4.G5.G9.G10.E1.E2.E3.E4.E7.E10.D0.D1.D3.D4.D5.D7.D8.D10.D11.T0.T1.T3.T5.T6.T7.T8.T10."
        "T11.R1.R2.R3.R4.R6.R9.R10.R11 "
        "treasury=11 vaults=10.12.14|2.3|0.1.8.9|4.5.6.7 totals=3,14,8,16,14,0 "
        "since=3,5,5,3,5,1,1,1,1,3,3,5,3,3,1,3,1,5,3,1,5,1,5,5,1,5,5,3,3,1,6,1,3,4,5,1,3,1,5,3,5,3,1,5,3,5,1,1 "
        "olympus=G8.?*.?*|E9.?*.?*|G7.E0*.G11*|G6.?*.?* treasures=-1,13,15,-1,17,16,-1,-1 "
        "owners=0,-1,-1,0,1,2,-1,-1 blue=1,0,0,-1 queue=12,10,0,0,0,0,0,0 citadels=0,2,1,3 deployed=4,3,3,4 "
        "duels_won=2,0,0,0 duels_tied=0,1,1,0 hunts=2,1,1,0 hunts_won=1,0,0,0 won=2,0,0,0 hunted=57 beaten=1 "
        "passed=1 ended=15 citadels_used=15 actor=2 corner=1 fight=2 position=2 fought=7 round_number=2 "
        "opened=12 finder=2 first_player=3 draws=5 rounds_done=2 result=5 observer=2",
        "Orpheus",
    ),
    "the side that can be won": (
        "phase=deploy_place "
        "hands=G2.E7.D3.T0.T5.T11.R0.R1.R2|E2.E5.D11.R7.R9.R11|E4.E6.R5.R8|G9.G11.D2.D7.T9.R3.R6.R10 "
        "gathered=G0.E7.D3.T5.R2|G5.E2.D11.T1.R11|G1.E6.D0.T8.R8|G9.E8.D2.T9.R3 "
        "lineups=G0|E8|T1|-|D0.T8|G5|-|- closed=D0 "
        "discard=G8.E0.E1.E3.E9.E10.E11.D1.D4.D5.D6.D8.D9.D10.T2.T3.T4.T6.T7.T10.R4 treasury=6.9.10.11 "
        "vaults=0.1.7|4.5|8|2.3 totals=7,12,6,17,14,0 "
        "since=5,5,3,1,3,5,1,1,3,5,1,3,1,3,5,1,3,3,5,5,5,3,1,1,5,3,5,5,1,3,3,3,1,1,1,5,1,5,3,1,1,5,3,1,5,5,3,3 "
        "hidden=5,5,5,0,0,0,0,0,0,0,5,0,0,0,0,0 olympus=G10.?*.?*|G6.?*.?*|G7.G4*.G1*|G3.?*.?* "
        "treasures=13,12,15,14,16,17,-1,-1 owners=0,3,1,-1,2,1,-1,-1 blue=0,0,1,-1 citadels=0,1,2,3 "
        "deployed=3,3,2,2 actor=2 position=1 card=18 round_number=2 opened=12 finder=0 first_player=0 draws=3 "
        "rounds_done=2 observer=2",
        "quest 3 left",
    ),
    "the side of the first quest": (
        "phase=deploy_place "
        "hands=E2.D1.D5.D10.T7.R4.R6.R7|G8.G11.E11.D3.D8.T0.R3.R5.R9|D6.T9.R0|G6.G9.D0.T3.T8.R1.R8.R10 "
        "gathered=G1.E2.D10.T7.R6|G8.E11.D8.T0.R3|G3.E5.D6.T9.R0|G9.E10.D0.T3.R8 "
        "lineups=T11|E5.E8|-|-|E10|G1|-|- closed=E8 "
        "discard=G0.G5.E0.E1.E3.E4.E6.E7.D2.D4.D7.D9.D11.T1.T2.T4.T5.T6.T10.R2.R11 treasury=0.7.10.11 "
        "vaults=4.5.6|1|2.3.8.9|- totals=18,15,10,17,14,0 "
        "since=3,5,1,5,3,1,3,1,5,5,1,3,3,3,5,1,1,5,1,3,3,1,5,5,5,1,3,2,1,3,5,3,5,1,5,3,5,1,1,5,3,1,3,5,1,5,3,3 "
        "hidden=5,5,0,0,0,0,0,0,5,5,5,5,0,0,0,0 olympus=G2.?*.?*|E9.?*.?*|G7.G4*.G3*|G10.?*.?* "
        "treasures=13,12,15,14,17,16,-1,-1 owners=1,2,-1,-1,3,0,-1,-1 blue=0,-1,0,-1 queue=12,0,0,0,0,0,0,0 "
        "citadels=0,1,2,3 deployed=3,3,2,3 actor=2 position=1 card=45 round_number=2 opened=12 finder=2 "
        "first_player=3 draws=1 rounds_done=2 observer=2",
        "quest 1 right",
    ),
    "the champion that adds most": (
        "phase=deploy_card "
        "hands=E2.D10.R4.R6.R7|G8.G11.E11.D3.D8.T0.R3.R5.R9|G3.G4.E8.D6.T9.R0|G6.G9.D0.T3.T8.R1.R8.R10 "
        "gathered=G1.E2.D10.T7.R6|G8.E11.D8.T0.R3|G3.E5.D6.T9.R0|G9.E10.D0.T3.R8 "
        "lineups=T11|E5|-|-|E10|G1.T7|-|- closed=T7 "
        "discard=G0.G5.E0.E1.E3.E4.E6.E7.D2.D4.D7.D9.D11.T1.T2.T4.T5.T6.T10.R2.R11 treasury=0.7.10.11 "
        "vaults=4.5.6|1|2.3.8.9|- totals=18,15,10,17,14,0 "
        "since=3,5,1,5,3,1,3,1,5,5,1,3,3,3,5,1,1,5,1,3,3,1,5,5,5,1,3,2,1,3,5,3,5,1,5,3,5,1,1,5,3,1,3,5,1,5,3,3 "
        "hidden=5,0,5,0,0,0,0,0,5,5,0,0,0,0,0,0 olympus=G2.D5*.D1*|E9.?*.?*|G7.?*.?*|G10.?*.?* "
        "treasures=13,12,15,14,17,16,-1,-1 owners=1,2,-1,-1,3,0,-1,-1 blue=0,-1,0,-1 queue=12,0,0,0,0,0,0,0 "
        "citadels=0,1,2,3 deployed=2,2,2,3 position=1 round_number=2 opened=12 finder=2 first_player=3 "
        "draws=1 rounds_done=2 news=5 observer=0",
        "Minoas",
    ),
    "the item that is missing": (
        "phase=equip hands=R1|D9.R7|R0.R4.R6|T1.R5.R9 "
        "gathered=G2.E9.D8.T2.R1|G0.E4.D0.T9.R2|G8.E0.D2.T4.R4|G5.E8.D7.T1.R5 "
        "discard=G0.G1.G2.G5.G9.G10.E0.E1.E2.E3.E4.E5.E7.E8.E9.D0.D1.D2.D3.D4.D6.D7.D10.D11.T0.T2.T3.T4.T5."
        "T6.T7.T8.T10.T11.R2.R3.R8.R10.R11 "
        "treasury=3.11.12.13.15 vaults=6.7|2.14|4.5.8.9|0.1.10.16.17 totals=19,15,12,16,14,0 "
        "since=5,3,5,1,1,5,1,1,5,3,3,3,5,1,3,3,5,1,3,1,5,5,3,1,5,3,5,3,1,3,1,5,5,6,1,2,3,5,5,3,5,1,1,3,1,5,1,3 "
        "olympus=G3.E6.D8|G4.E11.T9|G6.D5.G8|G7.G11.E10 equipped=19,19,19,19,19,19,19,19,19,0,1,-1 "
        "blue=1,0,1,-1 queue=12,3,0,0,0,0,0,0 citadels=1,3,0,2 deployed=4,4,3,3 duels_won=0,1,0,1 "
        "duels_tied=1,1,0,0 hunts=1,2,0,1 hunts_won=0,0,0,1 won=0,1,0,2 hunted=27 beaten=16 ended=15 actor=3 "
        "position=2 fought=7 round_number=2 opened=12 finder=3 first_player=0 draws=3 rounds_done=2 "
        "observer=3",
        "17 Ash of Pelion",
    ),
    "an item beside cards in hand": (
        "phase=equip hands=R0.R10|R5.R6.R9|D6.R1.R11|D2.T10.R7 "
        "gathered=G3.E1.D5.T8.R8|G7.E0.D1.T5.R6|G5.E3.D2.T6.R11|G11.E6.D7.T10.R3 "
        "discard=G3.G7.G8.G10.G11.E0.E1.E2.E3.E4.E5.E7.E8.E9.D0.D3.D4.D7.D8.D9.D10.D11.T0.T1.T2.T3.T4.T5.T6."
        "T7.T8.T9.T11.R2.R3.R4.R8 "
        "treasury=11.13.14.17 vaults=2.3.6.7.15|4.5.12|0.10|1.8.9.16 totals=9,19,12,16,14,0 "
        "since=1,1,1,5,3,5,3,5,3,1,3,5,5,5,1,5,3,3,5,1,3,1,1,3,3,5,6,1,3,5,3,5,1,3,1,1,3,1,3,1,3,5,5,1,5,1,5,3 "
        "olympus=G2.G6.D5|G9.G4.D1|G0.E11.G5|G1.E10.E6 equipped=3,6,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1 "
        "blue=0,0,0,-1 queue=2,26,0,0,0,0,0,0 citadels=1,2,3,0 deployed=3,3,3,3 duels_won=0,1,0,1 "
        "duels_tied=1,1,0,0 hunts=1,2,0,1 hunts_won=1,0,0,0 won=1,1,0,1 hunted=46 beaten=4 ended=15 "
        "position=2 fought=7 round_number=2 opened=12 finder=1 first_player=2 draws=3 rounds_done=2 "
        "observer=0",
        "15 Palm of Leto",
    ),
    "the factors where points are missing": (
        "phase=end_permutation hands=R0.R8.R10|G4.D1.R5.R6.R9|G5.E11.D2.D6.T6.R1.R11|G11.E6.E10.D7.T10.R3.R7 "
        "gathered=G3.E1.D5.T8.R8|G7.E0.D1.T5.R6|G5.E3.D2.T6.R11|G11.E6.D7.T10.R3 "
        "lineups=-|G7|E1.T8|E0.T5|E3|D9|-|- "
        "discard=G3.G8.G10.E2.E4.E5.E7.E8.E9.D0.D3.D4.D8.D10.D11.T0.T1.T2.T3.T4.T7.T9.T11.R2.R4 treasury=11 "
        "vaults=2.3.6.7|4.5|0.10|1.8.9 totals=4,6,2,7,3,6 symbols_used=2048,1024 "
        "since=1,1,1,5,3,5,3,5,3,1,3,5,5,5,1,5,3,3,5,1,3,1,1,3,3,5,5,1,3,5,3,5,1,3,1,1,3,1,3,1,3,5,5,1,5,1,5,3 "
        "hidden=0,0,0,0,0,0,0,0,5,5,5,5,0,0,0,0 olympus=G2.G6*.D5*|G9.?*.?*|G0.?*.?*|G1.?*.?* "
        "treasures=13,12,15,14,17,16,-1,-1 owners=-1,1,0,1,2,3,-1,-1 blue=0,0,0,-1 queue=11,26,0,0,0,0,0,0 "
        "citadels=1,2,3,0 deployed=3,3,3,3 duels_won=0,1,0,0 uses=1,1 passed=3 ended=15 citadels_used=3 "
        "in_force=6 queue_size=2 fight=1 position=1 fought=3 symbol=11 card=13 round_number=2 opened=12 "
        "finder=1 first_player=2 draws=1 rounds_done=2 observer=0",
        "Cunning Fist Awe",
    ),
    "the card that beats Kronos": (
        "phase=use hands=E9.D8|D5.D10.T10|R7|- "
        "gathered=G8.E9.D8.T9.R8|G11.E5.D3.T10.R1|G1.E1.D10.T6.R4|G10.E0.D0.T4.R10 "
        "discard=G5.G11.E0.E1.E2.E3.E4.E6.E7.E10.D0.D1.D2.D3.D4.D6.D7.D9.D11.T0.T1.T2.T3.T4.T5.T6.T7.T8.T9."
        "T11.R0.R1.R2.R3.R4.R6.R8.R9.R10.R11 "
        "table=R5 pulled=E8 treasury=1.5.7.8.9.10.11.13.15 vaults=0.16.17|4|12|2.3.6.14 "
        "totals=20,18,21,24,16,23 symbols_used=64,0 "
        "since=3,5,3,1,1,3,3,1,5,1,5,5,5,5,1,1,3,5,1,1,3,5,3,3,5,1,3,5,1,4,1,3,5,3,6,1,3,3,1,3,5,1,5,3,1,5,5,1 "
        "olympus=G7.G2.G8|G9.G0.E5|G4.G6.G1|G3.E11.G10 equipped=0,16,17,4,18,18,12,18,18,2,3,6 blue=0,0,1,-1 "
        "queue=2,12,0,0,0,0,0,0 citadels=3,1,2,0 challengers=0,3,1,2 deployed=3,3,4,4 duels_won=1,0,1,1 "
        "hunts=1,0,1,1 hunts_won=1,0,0,0 won=2,0,1,1 uses=1,0 hunted=26 beaten=16 passed=2 ended=15 actor=2 "
        "fight=3 position=3 fought=7 round_number=2 opened=12 finder=2 first_player=3 draws=7 drawn=20 "
        "rounds_done=2 news=5 observer=2",
        "Eris",
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_the_policy_finds_the_right_answer(name: str) -> None:
    position, right = POSITIONS[name]
    state = Game().position(position)
    assert state.action_to_string(int(policy(state.game.rules, state.record, new_rng(1)))) == right
