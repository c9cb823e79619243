"""Broken kernels are noticed: one line of a copy of the packages is replaced, and the comparison must see it.

The copies run in plain Python (`NUMBA_DISABLE_JIT=1`), so the unbroken copy also shows that plain kernels agree
with the reference.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("cardkit", "kronions")
GAMES = 600  # the broken copies stop at the first difference

COMPARE = f"""
import sys
import kronions
assert kronions.__file__.startswith(sys.argv[1]), kronions.__file__
from tests.kronions.test_reference import compare_small_games
try:
    print("no difference in", sum(compare_small_games({GAMES}).values()), "branches")
except AssertionError as error:
    print(error)
    sys.exit(7)
"""


class Mutation(NamedTuple):
    """One line of the kernels, what it is replaced with, and a word of the difference it must make."""

    line: str
    replacement: str
    difference: str


# fmt: off
MUTATIONS = {
    "r9_the_deal_never_passes": Mutation(
        "if state.rounds_done > 0 and rules.rotate_deal != FIXED:", "if False:", "dealer"),
    "r14_trump_in_the_last_round": Mutation(
        "return left > 0 and (not is_last or rules.last_round_trump == FLIP_IF_POSSIBLE)", "return left > 0", "phases"),
    "r16_a_paradox_flip_is_redrawn_only_once": Mutation(
        "if rules.paradox_flip == REDRAW and suited + paradox > 1:",
        "if rules.paradox_flip == REDRAW and suited + paradox > 1 and state.turned_up == 1:", "phases"),
    "r20_hook_ignored": Mutation(
        "return mask & ~bits.bit(forbidden) if forbidden >= 0 else mask", "return mask", "legal actions"),
    "r22_left_always_leads": Mutation(
        "if rules.first_leader != LEFT_LEADS:", "if False:", "to_move"),
    "r23_the_leader_leads_again": Mutation(
        "state.actor = state.winner", "state.actor = state.leader", "to_move"),
    "r24_the_leader_follows_the_trick_before": Mutation(
        "if state.trick_size > 0 and state.led_suit >= 0:", "if state.led_suit >= 0:", "legal actions"),
    "r25_a_freed_trick_is_not_free": Mutation(
        "if led == NONE and rules.future_led == FREES_TRICK:", "if False:", "led suit"),
    "r26_paradox_cards_must_follow": Mutation(
        "return following | declarations", "return following", "legal actions"),
    "r32_the_last_future_wins": Mutation(
        "if power > state.power or", "if power > state.power or power == FUTURE_POWER or", "winner"),
    "r33_lower_trumps_win": Mutation(
        "return TRUMP_POWER + rank", "return TRUMP_POWER + RANKS - 1 - rank", "winner"),
    "r34_discards_win": Mutation(
        "return LED_POWER + rank if suit == state.led_suit else 0", "return LED_POWER + rank", "winner"),
    "r38_the_last_past_wins": Mutation(
        "state.power == PAST_POWER and rules.all_past == LAST_PAST", "state.power == PAST_POWER", "winner"),
    "r39_the_bid_is_not_paid": Mutation(
        "return rules.score_base + bid if tricks == bid else 0", "return rules.score_base if tricks == bid else 0",
        "totals"),
    "r44_missed_zero_bids_always_count": Mutation(
        "if state.bids[seat] == 0 and (rules.tie_zero_count != ZEROS_MADE or state.tricks[seat] == 0):",
        "if state.bids[seat] == 0:", "zero bids"),
    "r45_seat_order_from_the_wrong_end": Mutation(
        "return rules.tie_final == SEAT_ORDER and seat < other",
        "return rules.tie_final == SEAT_ORDER and seat > other", "places"),
    "a_discard_shows_no_void": Mutation(
        "elif led >= 0 and suit != led:", "elif False:", "voids"),
}
# fmt: on


def compare_copy(folder: Path, mutation: Mutation | None) -> tuple[int, str]:
    """Exit code and output of the comparison on a copy of the packages in which one line is replaced."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    if mutation is not None:
        counts = {path: path.read_text().count(mutation.line) for path in (folder / "kronions").glob("*.py")}
        assert sum(counts.values()) == 1, f"{mutation.line!r} must stand once in the package: change this test"
        (source,) = (path for path, count in counts.items() if count)
        source.write_text(source.read_text().replace(mutation.line, mutation.replacement))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    command = [sys.executable, "-W", "error", "-B", "-c", COMPARE, str(folder)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_unbroken_copy_agrees_in_plain_python(tmp_path: Path) -> None:
    code, output = compare_copy(tmp_path, None)
    assert (code, output[:13]) == (0, "no difference"), output


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_kernel_differs_from_the_reference(name: str, tmp_path: Path) -> None:
    code, output = compare_copy(tmp_path, MUTATIONS[name])
    assert code == 7, output
    what = output.partition("from the reference")[0]
    assert MUTATIONS[name].difference in what, output
