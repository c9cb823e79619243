"""Rounds of Kosmogonia that end inside a chance event are logged like any other."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cardkit.verbs import deals_done
from experiments.games import make_game
from experiments.spec import make_spec
from experiments.table import Table
from tests.experiments.test_strength import played

# Seat 1 pulls with its third use in the last hunt of the round, so that it has passed and the round ends at the draw.
LAST_PULL = (
    "phase=use hands=G10.E5.E7.D0.T9.R5|G4.G5.E0.E1.D10.T3.R6|-|- gathered=G10.G11.E5.E7.D0.D7.T8.T9.R2.R5|"
    "G4.G5.E0.E1.D1.D10.T3.T5.R6.R8|-|- lineups=-|-|-|-|-|G11|-|- discard=D1.D7 table=R2.R8 vaults=7.11|9|-|- "
    "totals=4,3,8,17,14,0 stacks=G1.G2.G7.G3.G9.G0.G6.G8|E6.E11.E4.E9.E8.E3.E10.E2|D8.D4.D9.D3.D6.D2.D5.D11|"
    "T10.T7.T11.T6.T4.T2.T0.T1|R3.R9.R0.R1.R10.R11.R4.R7 since=0,0,0,0,1,1,0,0,0,0,1,1,1,1,0,0,0,1,0,1,0,0,0,0,1,1,0,"
    "0,0,0,0,1,0,0,1,0,0,0,0,1,0,1,0,0,1,1,0,0 olympus=T8.-.-|T5.-.-|-.-.-|-.-.- treasures=6,-1,8,-1,10,-1,-1,-1 "
    "owners=-1,0,-1,1,-1,0,-1,-1 blue=1,1,1,-1 citadels=0,2,-1,-1 deployed=2,1,0,0 duels_won=0,0,0,0 hunts=2,1,0,0 "
    "hunts_won=0,1,0,0 won=2,1,0,0 uses=0,2 symbols_used=0,528 hunted=42 beaten=8 passed=1 ended=3 citadels_used=3 "
    "corner=1 fight=2 position=2 drafts=0 opened=4 finder=0 first_player=0"
)


def test_a_round_that_ends_at_a_draw_is_reported_by_the_table() -> None:
    game = make_game("kosmogonia", "variation2", key_limit=99)
    spec = make_spec("kosmogonia", ["random"], preset="variation2", options={"key_limit": 99}, boards=1)
    table = Table(spec, game, spec.schedule.games(0, 1)[0])
    table.state = game.position(LAST_PULL, seed=20862)
    after, ended = table.play(5)
    assert ended == 0
    assert deals_done(game.rules, after) == 1
    assert np.asarray(after["hunts"]).tolist()[:2] == [2, 1], "the round is told before the next one clears it"


def test_every_round_of_every_game_has_its_rows(tmp_path: Path) -> None:
    spec = make_spec("kosmogonia", ["random"], preset="variation2", options={"key_limit": 99}, boards=6000, seed=1)
    directory = played(spec, tmp_path / "run")
    games = directory.read("games", ["deals"]).to_pandas()
    assert directory.num_rows("deals") == games["deals"].sum()
