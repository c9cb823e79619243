"""The heuristic is a real player: it beats random play and a frozen baseline with intervals that do not overlap."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from experiments.boards import board_results
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, make_spec
from experiments.stats import compare, outcomes, standings
from tests.experiments.helpers import BASELINE, tables_of

TRUF_BASELINE = "tests.baselines.truf:Baseline"
KOSMOGONIA_BASELINE = "tests.baselines.kosmogonia:Baseline"
# Boards: full games of two are long, and the baseline plays them in Python.
OPPONENTS = {"random": {2: 40, 4: 60, 6: 60}, BASELINE: {2: 6, 4: 10, 6: 10}}


def played(spec: RunSpec, path: Path) -> RunDirectory:
    """A run played in this process, which spares the start of workers."""
    directory = RunDirectory.create(path, spec)
    with directory.locked():
        for part in range(spec.num_parts):
            directory.write_part(part, tables_of(spec, part))
    return directory


@pytest.mark.parametrize("num_players", [2, 4, 6])
@pytest.mark.parametrize("opponent", OPPONENTS, ids=["random", "baseline"])
def test_the_heuristic_beats(opponent: str, num_players: int, tmp_path: Path) -> None:
    bots, boards = ("heuristic", f"other={opponent}"), OPPONENTS[opponent][num_players]
    spec = make_spec("kronions", bots, options={"num_players": num_players}, boards=boards, seed=20)
    directory = played(spec, tmp_path / "run")
    first, second = standings(directory)
    assert first.bot == "heuristic"
    assert first.points.boards == second.points.boards == boards
    assert first.points.low > second.points.high
    assert first.win_share.low > second.win_share.high
    (pair,) = compare(board_results(directory), ["heuristic", "other"])
    assert pair.points.low > 0
    deals = pd.read_parquet(tmp_path / "run" / "deals")
    exact = (deals["bid"] == deals["tricks"]).groupby(deals["bot"], observed=True).mean()
    assert exact["heuristic"] > exact["other"] + 0.1


@pytest.mark.parametrize(("opponent", "boards"), [("random", 40), (TRUF_BASELINE, 40)], ids=["random", "baseline"])
def test_the_heuristic_beats_in_single_hands_of_truf(opponent: str, boards: int, tmp_path: Path) -> None:
    spec = make_spec("truf", ("heuristic", f"other={opponent}"), boards=boards, seed=20, format="deal")
    directory = played(spec, tmp_path / "run")
    first, second = standings(directory)
    assert first.bot == "heuristic"
    assert first.points.boards == second.points.boards == boards
    assert first.points.low > second.points.high
    assert first.win_share.low > second.win_share.high
    (pair,) = compare(board_results(directory), ["heuristic", "other"])
    assert pair.points.low > 0


@pytest.mark.parametrize("preset", ["standard", "variation3", "variation2", "tournament"])
@pytest.mark.parametrize("opponent", ["random", KOSMOGONIA_BASELINE], ids=["random", "baseline"])
def test_the_heuristic_beats_in_kosmogonia(opponent: str, preset: str, tmp_path: Path) -> None:
    boards = 300 if opponent == "random" else 60
    spec = make_spec("kosmogonia", ("heuristic", f"other={opponent}"), preset=preset, boards=boards, seed=20)
    directory = played(spec, tmp_path / "run")
    first, second = standings(directory)
    assert first.bot == "heuristic"
    assert first.points.boards == second.points.boards == boards
    assert first.points.low > second.points.high
    assert first.win_share.low > second.win_share.high
    ended = outcomes(directory)
    assert list(ended) == ["win", "lost_keys", "lost_final"]
    assert sum(ended.values()) == directory.num_rows("games") // spec.game_object.num_players
