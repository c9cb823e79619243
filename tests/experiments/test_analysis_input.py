"""What is given to analyses: columns of frames as they are, names of columns, and runs that do not go together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cardkit.spec import InvalidText
from experiments import analysis
from experiments.rundir import RunDirectory
from experiments.spec import RunSpec, make_spec
from experiments.tournament import run
from kronions.rules import Rules as KronionsRules
from truf.rules import Rules as TrufRules


@pytest.fixture(scope="module")
def deals(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    spec = make_spec("kronions", ["a=random", "b=random"], options={"round_cap": 3}, boards=9, format="deal")
    return run(spec, tmp_path_factory.mktemp("runs") / "deals")


def test_one_name_may_stand_without_a_list(deals: RunDirectory) -> None:
    pd.testing.assert_frame_equal(analysis.bid_calibration(deals, "bot"), analysis.bid_calibration(deals, ["bot"]))
    pd.testing.assert_frame_equal(analysis.seat_effects(deals, "bot"), analysis.seat_effects(deals, ["bot"]))
    pd.testing.assert_frame_equal(
        analysis.mean_by(deals, "bot", "points"), analysis.mean_by(deals, ["bot"], ["points"])
    )
    assert analysis.bid_calibration(deals, ["bid"]).columns.is_unique


def test_columns_that_there_are_not_are_named(deals: RunDirectory, tmp_path: Path) -> None:
    with pytest.raises(InvalidText, match="no column 'pionts'; did you mean 'points'"):
        analysis.mean_by(deals, "bot", "pionts")
    with pytest.raises(InvalidText, match=r"no column 'nothing'; expected one of .*hand_size"):
        analysis.bid_calibration(deals, "nothing")
    hands = run(make_spec("truf", ["random"], boards=8, format="deal"), tmp_path / "hands")
    with pytest.raises(InvalidText, match="hands have no feature 'cuorts'; did you mean 'courts'"):
        analysis.nil_success(hands, "cuorts")


def test_columns_of_a_frame_are_hands(deals: RunDirectory) -> None:
    rows = analysis.frame(deals, "deals")
    rows = rows[rows["seat"] == 2]  # whose index is not 0, 1, 2 ...
    assert {"none"} < set(rows["trump"])
    trumps = rows["trump"].cat.codes.to_numpy().astype(int)
    masks = rows["hand"].to_numpy()
    expected = analysis.kronions_hands(KronionsRules(), masks, np.where(trumps == 4, -1, trumps))
    pd.testing.assert_frame_equal(
        analysis.kronions_hands(KronionsRules(), rows["hand"], rows["trump"].cat.codes), expected
    )
    pd.testing.assert_frame_equal(
        analysis.truf_hands(TrufRules(), rows["hand"]), analysis.truf_hands(TrufRules(), masks.tolist())
    )


def test_runs_that_do_not_make_a_pair_are_refused(tmp_path: Path) -> None:
    def spec(hook: str) -> RunSpec:
        return make_spec("kronions", ["random"], options={"round_cap": 3, "hook": hook}, boards=16, format="deal")

    hooked, free = (run(spec(hook), tmp_path / hook) for hook in ("on", "off"))
    assert analysis.hook_effect(hooked, free)["boards"].sum() == 2 * 16
    with pytest.raises(InvalidText, match="has hook=off: expected the run with hook=on first"):
        analysis.hook_effect(free, hooked)
    half = RunDirectory.create(tmp_path / "half", free.spec)
    with half.locked():
        for part in range(3):
            half.write_part(part, {name: free.read_part(name, part) for name in free.tables})
    with pytest.raises(InvalidText, match="have not played the same boards: expected runs that are finished"):
        analysis.hook_effect(hooked, half)
