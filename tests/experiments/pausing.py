"""The baseline player, thinking for a while where the environment says so: its runs can be stopped in the middle."""

from __future__ import annotations

import os
import time

import numpy as np

from cardkit.state import State
from tests.baselines.kronions import Baseline

PAUSE = "HIDDENHAND_TEST_PAUSE"  # seconds a decision


class Pausing(Baseline):
    def choose(self, view: State, rng: np.random.Generator) -> int:
        time.sleep(float(os.environ.get(PAUSE, "0")))
        return super().choose(view, rng)
