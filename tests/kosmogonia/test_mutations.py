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
PACKAGES = ("cardkit", "kosmogonia")
GAMES = "240"  # the broken copies stop at the first difference
UNBROKEN_GAMES = {"set_up": 16, "duels": 80, "final": 80}

COMPARE = """
import sys
import kosmogonia
assert kosmogonia.__file__.startswith(sys.argv[1]), kosmogonia.__file__
from tests.kosmogonia.test_reference import compare_first_games
try:
    for start, number, player in zip(*[iter(sys.argv[2:])] * 3):
        print("no difference in", sum(compare_first_games(start, int(number), player).values()), "branches")
except AssertionError as error:
    print(error)
    sys.exit(7)
"""


class Mutation(NamedTuple):
    """One line of the kernels, what it is replaced with, a word of the difference it must make, and in which games.

    Where the line seldom matters, `player` says in whose games it does.
    """

    line: str
    replacement: str
    difference: str
    start: str = "duels"
    player: str = ""


# fmt: off
MUTATIONS = {
    # set-up, gathering, Olympus
    "r6_the_b_quest_is_a_c_quest": Mutation(
        "state.b_quest = FIRST_B + integer(rng, QUESTS // 3)", "state.b_quest = FIRST_C + integer(rng, QUESTS // 3)",
        "what b_quest drew", "set_up"),
    "r5_the_variation_starts_with_a": Mutation(
        "3 * int(state.round_number) + FIRST_B", "3 * int(state.round_number)", "treasures", "set_up"),
    "r10_the_crown_comes_first_in_destiny": Mutation(
        "return DRAW_CROWN if rules.mode == TACTICS else DRAW_SIDES", "return DRAW_CROWN", "", "set_up"),
    "r13_first_player_again": Mutation(
        "return seats & ~bits.bit(state.first_player) if state.first_player != NONE else seats", "return seats",
        "legal actions", "set_up"),
    "r15_two_cards_of_each_stack": Mutation(
        "return 3 if rules.variant == TOURNAMENT else 1", "return 2 if rules.variant == TOURNAMENT else 1", "",
        "set_up"),
    "r17_the_first_opened_is_free": Mutation(
        "place = IN_STACK * stack + int(state.opened) - 1\n    while place >= first and state.stacks[place] == UNSEEN:"
        "\n        place -= 1",
        "place = first\n    while place < IN_STACK * stack + int(state.opened) and state.stacks[place] == UNSEEN:"
        "\n        place += 1",
        "hands", "set_up"),
    "r18_two_cards_of_a_stack": Mutation(
        "if has_room and top_of_column(", "if top_of_column(", "legal actions", "set_up"),
    "r20_one_draft_in_the_variation": Mutation(
        "elif state.drafts < gatherings:", "elif state.drafts < 1:", "", "set_up"),
    "r16_one_deal_in_the_variation": Mutation(
        "for _ in range(gatherings):", "for _ in range(1):", "hands", "set_up"),
    "r23_one_champion_in_each_round": Mutation(
        "return TEAM if rounds == num_rounds(rules) - 1 else 1", "return min(TEAM, rounds + 1)", "", "set_up"),
    "r25_the_first_may_lie_closed": Mutation(
        "return bits.ONE if num_sent(state, int(state.actor)) == 0 else bits.below(2)", "return bits.below(2)",
        "legal actions", "set_up"),
    "r26_teams_without_a_god": Mutation(
        "return champions & GODS if is_last and not has_god(state, seat) else champions", "return champions",
        "legal actions", "set_up"),
    # deployment
    "r28_the_last_seat_deploys_first": Mutation(
        "state.actor = state.first_player - 1 if state.first_player > 0 else rules.num_players - 1",
        "state.actor = state.first_player", "", "set_up"),
    "r29_four_cards_on_a_side": Mutation(
        "if bits.count(state.lineups[side]) >= MOST_DEPLOYED:", "if bits.count(state.lineups[side]) > MOST_DEPLOYED:",
        "legal actions", "set_up"),
    "r29_both_sides_of_a_quest": Mutation(
        "return has_room | free & ~opposite", "return has_room | free", "legal actions", "set_up"),
    "r30_no_card_lies_closed": Mutation(
        "return bits.ONE if state.lineups[int(state.place)] == bits.ZERO else bits.below(2)", "return bits.ONE",
        "legal actions", "set_up"),
    "r31_blue_comes_last": Mutation(
        "if state.blue[side // 2] == NONE:", "if True:", "blue", "set_up"),
    "r32_banners_have_no_limit": Mutation(
        "if rules.banner_limit == FOUR_BANNERS and bits.count(own) >= QUEST_BANNERS:", "if False:",
        "legal actions", "set_up"),
    "r33_an_end_before_the_first_card": Mutation(
        "may_end = state.deployed[seat] > 0", "may_end = True", "legal actions", "set_up"),
    "r35_an_end_in_the_last_round": Mutation(
        "may_end = may_end and may_hold_one and bits.count(champions) == 1", "may_end = may_end and True",
        "legal actions", "set_up"),
    "r36_any_card_is_discarded": Mutation(
        "return champions if champions != bits.ZERO else hand & ALL_CARDS", "return hand & ALL_CARDS",
        "legal actions", "set_up"),
    # duels
    "r40_no_ambush": Mutation(
        "turn_up(state, left + 1)", "pass", "closed"),
    "r41_the_same_seat_goes_on": Mutation(
        "if not has_passed(state, 1 - corner):", "if has_passed(state, corner) and not has_passed(state, 1 - corner):",
        ""),
    "r44_four_uses": Mutation(
        "if state.uses[corner] >= MOST_USES:", "if state.uses[corner] > MOST_USES:", ""),
    "r43_red_begins": Mutation(
        "start_encounter(state, DUEL, position, int(state.blue[position]))",
        "start_encounter(state, DUEL, position, 1 - int(state.blue[position]))", ""),
    "r51_all_categories_count": Mutation(
        "if (state.in_force >> category) & 1 == 1:\n            left =", "if True:\n            left =", ""),
    "r53_equal_totals_win": Mutation(
        "if left != right:", "if True:", ""),
    "r54_the_loser_stays": Mutation(
        "leaving |= state.lineups[side]\n            state.owners", "state.owners", "lineups"),
    "r54_the_losers_banner_stays": Mutation(
        "            state.owners[side] = NONE\n    for side in range(left, left + 2):",
        "    for side in range(left, left + 2):", ""),
    "r55_bonuses_stay": Mutation(
        "        for category in range(CATEGORIES):\n            state.bonus[corner, category] = 0\n    state.passed",
        "        pass\n    state.passed", "bonus"),
    # uses
    "r45_pulled_symbols_are_free": Mutation(
        "    if is_counted:\n        state.uses[corner] += 1", "    pass", "uses"),
    "r46_a_symbol_twice": Mutation(
        "return is_open and not is_used(state, symbol, corner)", "return is_open", "legal actions"),
    "r46_blanks_may_be_repeated": Mutation(
        "    state.symbols_used[corner] |= 1 << symbol\n    if is_effective:\n        _activate",
        "    if is_effective:\n        state.symbols_used[corner] |= 1 << symbol\n        _activate", ""),
    "r47_the_citadel_again_and_again": Mutation(
        "state.citadels_used |= 1 << seat", "pass", "citadels_used"),
    "r47_the_citadel_against_kronos": Mutation(
        "if state.fight != KRONOS and (state.citadels_used >> seat) & 1 == 0:",
        "if (state.citadels_used >> seat) & 1 == 0:", "legal actions", "final"),
    "r47_never_restored": Mutation(
        "if rules.variant == STANDARD:\n        state.citadels_used", "if False:\n        state.citadels_used",
        "citadels_used"),
    "r84_not_restored_after_the_last_round": Mutation(
        "if rules.variant == STANDARD:\n        state.citadels_used",
        "if rules.variant == STANDARD and not is_last_round(rules, state):\n        state.citadels_used",
        "citadels_used"),
    "r48_blanks_for_all": Mutation(
        "is_open = rules.allow_null_symbols == NULL_SYMBOLS or is_playable(rules, state, symbol, corner)",
        "is_open = True", "legal actions"),
    "r49_the_last_effect_first": Mutation(
        "entry = int(state.queue[int(state.queue_done)])",
        "entry = int(state.queue[int(state.queue_size) - 1 - int(state.queue_done)])", ""),
    "r50_no_effect_is_lost": Mutation(
        "if lineup(state, corner) & MORTALS != bits.ZERO:\n            state.corner",
        "if True:\n            state.corner", "", "duels", "instant"),
    "r52_items_double": Mutation(
        "KRONOS:\n        gain += item_of(rules, state, seat_of(state, int(state.corner)), champion, category)",
        "KRONOS or True:\n        gain += item_of(rules, state, seat_of(state, int(state.corner)), champion, category)",
        "", "final", "late"),
    "r52_items_count_for_nothing": Mutation(
        "total += rules.cards[0].items[int(state.equipped[seat, i]), category]\n    return total",
        "pass\n    return total", "", "final"),
    # symbols
    "symbol_1_2_3_double_the_next_category": Mutation(
        "category = symbol - 1", "category = symbol % 3", ""),  # bonus or totals
    "symbol_4_steals_thornbearers": Mutation(
        "there = state.lineups[victim] & (DEFENDERS if is_theft else THORNBEARERS)",
        "there = state.lineups[victim] & (THORNBEARERS | DEFENDERS)", "what steal drew"),
    "symbol_4_is_never_playable": Mutation(
        "return lineup(state, 1 - corner) & DEFENDERS != bits.ZERO", "return False", ""),
    "symbol_5_stays_for_the_hunt": Mutation(
        "leaving = state.moved", "leaving = bits.ZERO", ""),
    "symbol_4_leaves_the_card_pulled": Mutation(
        "state.pulled &= ~bits.bit(card)", "pass", "pulled", "duels", "instant"),
    "symbol_4_takes_a_card_as_if_gathered": Mutation(
        "state.since[card] = 2 + 2 *", "state.since[card] = 1 + 2 *", "since"),
    "symbol_5_takes_the_card_to_hand": Mutation(
        "state.lineups[victim ^ 1] |= bits.bit(card)", "state.hands[int(state.actor)] |= bits.bit(card)", "hands"),
    "symbol_5_comes_from_the_own_side": Mutation(
        "return lineup(state, 1 - corner) & THORNBEARERS != bits.ZERO",
        "return lineup(state, corner) & THORNBEARERS != bits.ZERO", ""),
    "symbol_6_pulls_gods": Mutation(
        "there = state.discard & ~GODS", "there = state.discard", "what pull drew"),
    "symbol_6_finds_what_was_just_used": Mutation(
        "state.table |= bits.bit(CHAMPIONS + action)", "state.discard |= bits.bit(CHAMPIONS + action)", "discard"),
    "symbol_6_pulls_nobody_into_the_line_up": Mutation(
        "state.lineups[2 * int(state.position) + corner] |= bits.bit(card)", "pass", "lineups"),
    "symbol_6_pulls_what_is_not_playable": Mutation(
        "if not has_use or is_used(state, symbol, corner) or not is_playable(rules, state, symbol, corner):",
        "if not has_use or is_used(state, symbol, corner):", ""),
    "symbol_6_pulls_what_is_used": Mutation(
        "if not has_use or is_used(state, symbol, corner) or not is_playable(rules, state, symbol, corner):",
        "if not has_use or not is_playable(rules, state, symbol, corner):", ""),
    "symbol_6_pulls_a_fourth_use": Mutation(
        "has_use = not is_counted or state.uses[corner] < MOST_USES", "has_use = True", "", "final",
        "late puller"),
    "symbol_6_never_persists": Mutation(
        "if rules.sym6_persists != PULLED_PERSISTS:", "if True:", ""),
    "symbol_7_adds_a_written_category": Mutation(
        "if (state.in_force >> added) & 1 == 1 or is_written(rules, state, added):",
        "if (state.in_force >> added) & 1 == 1:", "legal actions"),
    "symbol_7_only_removes": Mutation(
        " | (1 << (action % 3))\n    state.phase", "\n    state.phase", "in_force"),
    "symbol_8_lets_the_duel_go_on": Mutation(
        "    if state.symbol == CANCEL:\n        return NONE", "    pass", ""),
    "symbol_8_lets_effects_wait": Mutation(
        "state.queue_done = state.queue_size\n        state.phase = TO_RESULT", "state.passed = 3", ""),
    "symbol_8_cancels_every_factor": Mutation(
        "if rules.sym8_scope == ONE_NUMBER:", "if False:", "", "final"),
    "symbol_8_cancels_for_the_next_fight": Mutation(
        "        state.cancelled[category] = 0\n    seat = ", "    seat = ", "cancelled", "final"),
    "symbol_9_wins_no_hunt": Mutation(
        "if state.symbol == WIN_HUNT:", "if False:", ""),
    "symbol_9_in_a_duel": Mutation(
        "return state.fight != DUEL", "return True", ""),
    "symbol_9_adds_2_against_kronos": Mutation(
        "state.bonus[corner, category] += 1", "state.bonus[corner, category] += 2", "bonus", "final"),
    "symbol_10_gives_another_permutation": Mutation(
        "[1, 2, 0], [2, 0, 1]", "[2, 0, 1], [1, 2, 0]", ""),  # bonus or totals
    "symbol_11_has_six_permutations": Mutation(
        "0b010101", "0b111111", "legal actions"),
    "symbol_12_is_worth_less": Mutation(
        "[2, 2, 0]]", "[2, 1, 0]]", ""),  # bonus or totals
    # harvest, hunts, spoils
    "r69_the_loser_harvests_too": Mutation(
        "if owner != NONE and other == NONE:", "if owner != NONE:", ""),
    "r70_nobody_takes_the_treasures": Mutation(
        "elif owner == NONE and other == NONE:", "elif False:", ""),
    "r72_lone_seats_always_hunt": Mutation(
        "if rules.lone_hunts == LONE_SEATS_REST and", "if False and", ""),
    "r72_kronos_need_not_wait_for_the_spoils": Mutation(
        "state.lineups[side] = bits.ZERO\n                continue",
        "state.lineups[side] = bits.ZERO\n                lose_treasure(state, side ^ 1)\n                continue",
        "treasur"),
    "r75_red_hunts_first": Mutation(
        "corner = int(state.blue[position]) ^ turn", "corner = 1 - int(state.blue[position]) ^ turn", ""),
    "r77_more_than_the_monster": Mutation(
        "if value > 0 and corner_total(rules, state, int(state.corner), category) < value:",
        "if value > 0 and corner_total(rules, state, int(state.corner), category) <= value:", ""),
    "r79_hunters_stay": Mutation(
        "    state.discard |= state.lineups[side]\n    state.lineups[side] = bits.ZERO\n    state.pulled",
        "    state.pulled", ""),
    "r81_a_tie_takes_the_opposite_treasure": Mutation(
        "side if is_tie else side ^ 1", "side ^ 1", ""),
    "r83_the_limit_must_be_passed": Mutation(
        "if keys_of(rules, state.treasury) >= key_limit(rules):",
        "if keys_of(rules, state.treasury) > key_limit(rules):", ""),
    # final, results
    "r2_kronos_has_one_face": Mutation(
        "return 1 if rules.difficulty == HARD else 0", "return 0", "totals", "final"),
    "r87_a_treasure_for_all_champions": Mutation(
        "mask &= ~bits.bit(state.equipped[seat, i])", "pass", "legal actions", "final"),
    "r88_r89_treasures_before_keys": Mutation(
        "(equipped_keys(rules, state, seat) * 32 + bits.count(state.vaults[seat])) * 8 + turn",
        "(equipped_keys(rules, state, seat) + bits.count(state.vaults[seat]) * 128) * 8 + turn", "", "final"),
    "r90_the_first_in_turn_order_first": Mutation(
        "* 32 + bits.count(state.vaults[seat])) * 8 + turn", "* 32 + bits.count(state.vaults[seat])) * 8 - turn", "",
        "final"),
    "r92_more_than_kronos": Mutation(
        "corner_total(rules, state, 0, category) >= kronos_total",
        "corner_total(rules, state, 0, category) > kronos_total", "", "final"),
    "r92_two_categories_are_enough": Mutation(
        "for category in range(CATEGORIES):\n        is_won = is_won and",
        "for category in range(2):\n        is_won = is_won and", "", "final"),
    "r93_used_cards_vanish": Mutation(
        "state.discard |= state.table\n", "pass\n", "", "final"),
    "r95_the_winner_is_second": Mutation(
        "place[seat] = 1 if is_winner or state.winner == NONE else 2", "place[seat] = 1", "places", "final"),
    "row_hunts_are_those_won": Mutation(
        "row.hunts = state.hunts[seat]", "row.hunts = state.hunts_won[seat]", "row of seat"),
    "row_kronos_keys_of_the_seat": Mutation(
        "row.kronos_keys = keys_of(rules, state.treasury)", "row.kronos_keys = row.keys", "row of seat"),
    # who knows what
    "s4_closed_cards_are_seen": Mutation(
        "if state.owners[side] == other and covered != bits.ZERO:", "if False:", "that seat"),
    "s4_equipment_is_seen": Mutation(
        "if state.phase == EQUIP and state.equipped[other, i] != NONE:", "if False:", "that seat", "final"),
    "s4_stacks_are_seen": Mutation(
        "state.stacks[IN_STACK * stack + place] = UNSEEN", "pass", "stacks that seat", "set_up"),
    "s4_the_chosen_card_is_seen": Mutation(
        "if is_choosing and state.actor == other:", "if False:", "card that seat", "set_up"),
    "s4_gathered_cards_are_remembered": Mutation(
        "forgotten = state.hands[other] & ~named", "forgotten = bits.ZERO", "unseen that seat"),
    "s4_the_second_draft_shows_the_first": Mutation(
        "state.gathered[other] &= state.drafted", "pass", "hands that seat", "set_up"),
    "s4_thefts_are_forgotten": Mutation(
        "stolen |= bits.bit(card)", "pass", "that seat"),
    "s4_a_choice_is_seen": Mutation(
        "return SOMETHING if is_secret and action != END else action", "return action", "what is seen", "set_up"),
}
# fmt: on


def compare_copy(folder: Path, mutation: Mutation | None) -> tuple[int, str]:
    """Exit code and output of the comparison on a copy of the packages in which one line is replaced."""
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    games = [(start, str(number), "") for start, number in UNBROKEN_GAMES.items()]
    if mutation is not None:
        games = [(mutation.start, GAMES, mutation.player)]
        texts = {path: path.read_text() for path in (folder / "kosmogonia").glob("*.py")}
        counts = {path: text.count(mutation.line) for path, text in texts.items() if "from cardkit.jit" in text}
        assert sum(counts.values()) == 1, f"{mutation.line!r} must stand once in the kernels: change this test"
        (source,) = (path for path, count in counts.items() if count)
        source.write_text(texts[source].replace(mutation.line, mutation.replacement))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    words = [word for entry in games for word in entry]
    command = [sys.executable, "-W", "error", "-B", "-c", COMPARE, str(folder), *words]
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
    what, separator, _ = output.partition(" differs from the reference")
    assert separator, output
    assert MUTATIONS[name].difference in what, output
