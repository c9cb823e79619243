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
PACKAGES = ("cardkit", "truf")
GAMES = 400  # the broken copies stop at the first difference

COMPARE = f"""
import sys
import truf
assert truf.__file__.startswith(sys.argv[1]), truf.__file__
from tests.truf.test_reference import compare_small_games
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
    "r3_every_hand_is_clockwise": Mutation(
        "if rules.direction == ALTERNATE and hand % 2 == 1:", "if False:", "to_move"),
    "r4_freak_hands_stand": Mutation(
        "if rules.redeal != PAGAT or not has_freak:", "if True:", "the deal"),
    "r5_the_low_ace_is_high": Mutation(
        "return 0 if rank == ACE else rank + 1", "return rank", ""),  # trick winner, or step 5 of the ladder
    "r9_cards_are_laid_in_any_order": Mutation(
        "more = state.hands[seat] & ~bits.below(bits.highest(laid) + 1)", "more = state.hands[seat] & ~laid",
        "legal actions"),
    "r13_the_cap_is_one_lower": Mutation(
        "more = _worth_at_most(more, rules.bid_cap - bid_value(laid))",
        "more = _worth_at_most(more, rules.bid_cap - 1 - bid_value(laid))", "legal actions"),
    "r14_padding_beside_numbers": Mutation(
        "more = bits.ZERO if laid & COURTS != bits.ZERO else more & ~COURTS",
        "more = bits.ZERO if laid & COURTS != bits.ZERO else more", "legal actions"),
    "r19_step_1_the_lowest_bid_wins": Mutation(
        "if rung > best:", "if rung < best or best == -1:", "top bidder"),
    "r19_step_2_single_cards_lose": Mutation(
        "is_single = 1 if bits.count(laid) == 1 else 0", "is_single = 0 if bits.count(laid) == 1 else 1",
        "top bidder"),
    "r7_r19_step_3_suits_in_reverse": Mutation(
        "suit_class = strongest + 1", "suit_class = SUITS - strongest", "top bidder"),
    "r19_step_3_mixed_bids_rise": Mutation(
        "suit_class = SUITS + 1 if rules.mixed_tie == MIXED_ABOVE_SPADES else 0",
        "suit_class = 0 if rules.mixed_tie == MIXED_ABOVE_SPADES else SUITS + 1", "top bidder"),
    "r19_step_5_the_lowest_rank_counts": Mutation(
        "rank = max(rank, play_rank(rules, bits.lowest(in_suit) % RANKS))",
        "rank = max(rank, 12 - play_rank(rules, bits.lowest(in_suit) % RANKS))", "top bidder"),
    "r18_mixed_bids_call_truf": Mutation(
        "return suit if laid & ~suit_mask(suit) == bits.ZERO else NONE", "return suit", ""),  # truf or ladder
    "r21_high_and_low_are_swapped": Mutation(
        "state.mode = HIGH if total > threshold else LOW", "state.mode = LOW if total > threshold else HIGH", "mode"),
    "r23_no_shift": Mutation(
        "if total == threshold:", "if False:", "phase"),
    "r25_any_amount_stops_short": Mutation(
        "amounts = hand_size(rules) if rules.sum13_amount == ANY_AMOUNT else 1", "amounts = 1", "legal actions"),
    "r27_the_floor_is_ignored": Mutation(
        "state.final_bids[seat] = bid if bid >= 0 or rules.sum13_floor == NEGATIVE else 0",
        "state.final_bids[seat] = bid", "final bids"),
    "r33_the_lock_is_ignored": Mutation(
        "if state.truf != NONE and state.unlocked == 0:", "if False:", "legal actions"),
    "r35_discards_unlock_nothing": Mutation(
        "if has_discard and rules.unlock == ANY_DISCARD and state.truf != NONE:", "if False:", "unlocked"),
    "r36_nobody_must_follow": Mutation(
        "return following if following != bits.ZERO else cards", "return cards", "legal actions"),
    "r37_ruffs_only_covers_all": Mutation(
        "return rules.facedown != RUFFS_ONLY or suit != led", "return True", "what is seen"),
    "r39_the_last_card_stays_covered": Mutation(
        "is_last = state.trick_size == SEATS - 1", "is_last = False", "what is seen"),
    "r40_truf_is_one_more_suit": Mutation(
        "return TRUF_POWER + rank", "return rank if suit == led else 0", "trick winner"),
    "r40_discards_win": Mutation(
        "return rank if suit == led else 0", "return rank", "trick winner"),
    "r40_the_first_leader_wins_on": Mutation(
        "state.actor = state.winner", "state.actor = state.leader", "to_move"),
    "r44_missing_sets_are_cheap_in_high": Mutation(
        "missing = 2 if mode == HIGH else 1", "missing = 1", "totals"),
    "r45_extra_sets_are_cheap_in_low": Mutation(
        "extra = 2 if mode == LOW else 1", "extra = 1", "totals"),
    "r31_the_original_bid_makes_no_nil": Mutation(
        "return revealed == 0", "return final == 0", "totals"),
    "r46_sets_of_a_failed_nil_are_free": Mutation(
        "return rules.nil_bonus if sets == 0 else rules.nil_fail - extra * sets",
        "return rules.nil_bonus if sets == 0 else rules.nil_fail", "totals"),
    "r49_the_target_must_be_passed": Mutation(
        "return highest >= rules.target and", "return highest > rules.target and", "phase"),
    "r50_a_tie_at_the_target_wins": Mutation(
        "(count == 1 or rules.tie == SHARED)", "True", "phase"),
    "r51_one_hand_too_many": Mutation(
        "state.hands_done >= rules.max_hands else", "state.hands_done > rules.max_hands else", "phase"),
    "r52_places_the_wrong_way_round": Mutation(
        "if state.totals[other] > state.totals[seat]:", "if state.totals[other] < state.totals[seat]:", "places"),
    "s4_a_locked_truf_lead_shows_nothing": Mutation(
        "if suit == state.truf and state.unlocked == 0:", "if False:", "voids"),
    "s4_a_discard_shows_no_void": Mutation(
        "elif suit != led_suit(state):", "elif False:", "voids"),
}
# fmt: on


def compare_copy(folder: Path, mutation: Mutation | None) -> tuple[int, str]:
    """Exit code and output of the comparison on a copy of the packages in which one line is replaced."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    if mutation is not None:
        counts = {path: path.read_text().count(mutation.line) for path in (folder / "truf").glob("*.py")}
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
    what, separator, _ = output.partition(" from the reference")
    assert separator, output
    assert MUTATIONS[name].difference in what, output
