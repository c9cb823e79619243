"""The reference engine against every test vector of `rules/kosmogonia.md`, section 7, its invariants and options."""

from __future__ import annotations

import copy
import csv
import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .kosmogonia import (
    ALL_BRANCHES,
    BLANKS,
    CATEGORIES,
    CHANCE,
    END,
    END_SYMBOLS,
    ENUMS,
    NOTHING,
    OVER,
    PASS,
    PLAYABLE,
    QUESTS,
    REPEATED_SYMBOL_BRANCHES,
    TIE,
    CardSet,
    Reference,
    Row,
    Treasure,
    Triple,
    bonus_of,
    check_options,
    is_champion,
    legal_permutations,
    made_up_set,
    read_card_set,
    seat_worlds,
    stack_of,
    worlds,
)

Options = dict[str, Any]
SETTINGS = (("standard", 4), ("variation", 3), ("variation", 2), ("tournament", 2))
FIST, AWE, CUNNING = range(3)
LETTERS = "FAC"
UNREACHABLE_MONSTER = 60
ZERO = (0, 0, 0)


class Table:
    """A card set whose cards get their numbers as a test names them.

    A word is a champion, its stack letter G, E, D or T with Fist/Awe/Cunning or one number for all three, or a
    reinforcement card, its symbol. `names` holds the number of the first card with each name.
    """

    def __init__(self) -> None:
        self.cards = made_up_set(1)
        self.cards.treasures = [Treasure(quest, number, 0, ZERO, ZERO) for quest in range(9) for number in (1, 2)]
        self.cards.citadels = [(1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)]
        self.free = [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)]
        self.names: dict[str, int] = {}

    def card(self, word: str) -> int:
        """A new card of this name."""
        stack = "GEDT".find(word[0])
        card = self.free[stack].pop(0)
        if stack == -1:
            self.cards.reinforcements[card - 48] = int(word)
        else:
            values = [int(number) for number in word[1:].split("/")]
            fist, awe, cunning = values * 3 if len(values) == 1 else values
            self.cards.champions[card] = (stack + 1, (fist, awe, cunning))
        self.names.setdefault(word, card)
        return card

    def words(self, text: str) -> list[int]:
        """New cards of these names."""
        return [self.card(word) for word in text.split()]

    def hands(self, text: str) -> list[list[int]]:
        """The new cards of every seat, separated by `|`."""
        return [self.words(part) for part in text.split("|")]

    def quest(self, quest: int, force: str, monster: Triple | None = None) -> None:
        """Both faces of a quest have these categories, and a monster nobody beats if none is given."""
        fist, awe, cunning = (letter in force for letter in LETTERS)
        strong = [UNREACHABLE_MONSTER if letter in force else 0 for letter in LETTERS]
        for face in ("one", "both"):
            values = monster or (strong[0], strong[1], strong[2])
            self.cards.quests[quest, face] = ((fist, awe, cunning), values)

    def treasure(self, number: int, keys: int = 0, item: Triple = ZERO, factor: Triple = ZERO) -> int:
        """A treasure, 2 * quest + copy - 1, with these numbers."""
        self.cards.treasures[number] = Treasure(number // 2, number % 2 + 1, keys, item, factor)
        return number

    def citadel(self, number: int, text: str) -> None:
        """The three symbols of a citadel."""
        first, second, third = (int(word) for word in text.split())
        self.cards.citadels[number] = (first, second, third)


def two_seats(options: Options) -> Options:
    """Variation for two players with a limit nobody reaches, unless stated."""
    return {"num_players": 2, "key_limit": 99, **options}


def duel(
    blue: str,
    red: str,
    force: str = "F",
    *,
    hands: str = "|",
    pile: str = "",
    monster: Triple | None = None,
    citadels: str = "",
    **options: Any,
) -> tuple[Reference, dict[str, int]]:
    """A duel of seat 0 (blue, left) and seat 1 (red, right) at the first quest of a game for two.

    `citadels` gives the symbols of the two citadels; without it they are used already.
    """
    table = Table()
    full = two_seats(options)
    table.quest(6 if full.get("variant") == "tournament" else 3, force, monster)
    for number, symbols in enumerate(citadels.split("|") if citadels else []):
        table.citadel(number, symbols)
    position = {
        "sides": {(0, 0): (0, table.words(blue)), (0, 1): (1, table.words(red))},
        "hands": table.hands(hands),
        "discard": table.words(pile),
        "citadel_used": [not citadels, not citadels],
    }
    return Reference.made_up(table.cards, "duels", position, **full), table.names


def hunt(
    line_up: str, force: str = "F", *, hand: str = "", pile: str = "", monster: Triple | None = None, **options: Any
) -> tuple[Reference, dict[str, int]]:
    """The hunt of seat 0, alone on the left of the first quest of a game for two; its citadel is used."""
    table = Table()
    table.quest(3, force, monster)
    position = {
        "sides": {(0, 0): (0, table.words(line_up))},
        "hands": [table.words(hand), []],
        "discard": table.words(pile),
        "citadel_used": [True, True],
    }
    return Reference.made_up(table.cards, "duels", position, **two_seats(options)), table.names


def final(
    table: Table,
    teams: str,
    *,
    hands: str = "|",
    pile: str = "",
    treasury: Sequence[int] = (),
    vaults: Sequence[Sequence[int]] = ((), ()),
    turn_order: Sequence[int] | None = None,
    **options: Any,
) -> Reference:
    """A game at the first equip decision; the teams are separated by `|`."""
    position: dict[str, Any] = {
        "olympus": [[(card, index == 0) for index, card in enumerate(team)] for team in table.hands(teams)],
        "hands": table.hands(hands),
        "discard": table.words(pile),
        "treasury": treasury,
        "vaults": vaults,
    }
    if turn_order is not None:
        position["turn_order"] = list(turn_order)
    return Reference.made_up(table.cards, "final", position, **two_seats(options))


def symbols_offered(game: Reference) -> list[int]:
    """The symbols the seat to move may use."""
    at_hand = game.symbols_at_hand(game.to_move())
    return sorted(at_hand[action] for action in game.legal_actions() if action != PASS)


def use(game: Reference, *symbols: int) -> None:
    """The seats to move use these symbols; PASS passes."""
    for symbol in symbols:
        assert game.phase() == "use"
        at_hand = game.symbols_at_hand(game.to_move())
        legal = game.legal_actions()
        game.apply(PASS if symbol == PASS else next(action for action in legal if at_hand.get(action) == symbol))


def pass_all(game: Reference) -> None:
    """Everybody passes for the rest of this encounter."""
    here = game.encounter()
    while game.phase() == "use" and game.encounter() == here:
        game.apply(PASS)


def answer(game: Reference, *actions: int) -> None:
    """Make these decisions."""
    for action in actions:
        game.apply(action)


def chance_of(game: Reference, rng: random.Random) -> Any:
    """A random outcome of the chance point."""
    if game.phase() == "stacks":
        return [rng.sample(range(12 * stack, 12 * stack + 12), 12) for stack in range(5)]
    return rng.choice(game.chance_outcomes())


def step(game: Reference, rng: random.Random, choose: Callable[[Reference, random.Random], int]) -> None:
    """One decision or chance point."""
    if game.to_move() == CHANCE:
        game.apply_chance(chance_of(game, rng))
    else:
        game.apply(choose(game, rng))


def at_random(game: Reference, rng: random.Random) -> int:
    """Any legal action."""
    return rng.choice(game.legal_actions())


def run_until(game: Reference, *phases: str, seed: int = 0) -> None:
    """Play at random, without using symbols, until one of these phases or the end."""
    rng = random.Random(seed)
    while game.phase() not in (*phases, "over"):
        step(game, rng, lambda game, rng: PASS if game.phase() == "use" else at_random(game, rng))


def started(cards: CardSet | None = None, seed: int = 0, **options: Any) -> Reference:
    """A game whose set-up is over: the first chance point of round 1 is due."""
    game, rng = Reference(cards or made_up_set(), **options), random.Random(seed)
    while game.phase() in ("citadels", "stacks", "b_quest"):
        game.apply_chance(chance_of(game, rng))
    return game


def split(total: int) -> tuple[int, int]:
    """A total of at most 20 as two values of at most 10."""
    return total - total // 2, total // 2


def two_cards(fist: int, awe: int, cunning: int) -> str:
    """Two champions with these totals."""
    parts = [split(total) for total in (fist, awe, cunning)]
    return " ".join(stack + "/".join(str(part[index]) for part in parts) for index, stack in enumerate("ED"))


# ---------------------------------------------------------------------------------------- comparing

COMPARISONS = [
    pytest.param("AC", two_cards(0, 14, 8), two_cards(0, 15, 8), 1, "won 1-0", id="vector_1"),
    pytest.param("AC", two_cards(0, 12, 9), two_cards(0, 10, 11), TIE, "tied 1-1", id="vector_2"),
    pytest.param("AC", two_cards(0, 12, 9), two_cards(0, 12, 9), TIE, "tied 0-0", id="vector_3"),
    pytest.param("F", two_cards(12, 0, 0), two_cards(12, 9, 9), TIE, "tied 0-0", id="vector_4_tie"),
    pytest.param("F", two_cards(12, 0, 0), two_cards(11, 9, 9), 0, "won 1-0", id="vector_4_first"),
    pytest.param("A", "E9/2/9", "G0/3/0", 1, "won 1-0", id="vector_5"),
    pytest.param("AC", "E0/5/5", "E9/4/4", 0, "won 2-0", id="both_categories"),
]


@pytest.mark.parametrize(("force", "blue", "red", "result", "how"), COMPARISONS)
def test_comparing(force: str, blue: str, red: str, result: int, how: str) -> None:
    game, _ = duel(blue, red, force)
    assert game.encounter() == ("duel", 0, (0, 1))
    pass_all(game)
    assert game.duel_results[0] == result
    assert game.branches[f"R53 {how}"] == 1
    hunters = [] if game.encounter() is None else [0, 1] if result == TIE else [result]
    for seat in hunters:
        assert game.encounter() == ("hunt", 0, (seat,))
        pass_all(game)
    assert game.encounter() is None


@pytest.mark.parametrize(("target", "winner"), [("E3/7/2", 0), ("D1/4/4", 1)])
def test_vector_06_doubling_the_awe(target: str, winner: int) -> None:
    game, names = duel("E3/7/2 D1/4/4", "E0/9/0 D0/8/0", "A", hands="2|")
    use(game, 2)
    pass_all(game)
    assert (game.phase(), game.to_move()) == ("end_champion", 0)
    assert game.legal_actions() == [names["E3/7/2"], names["D1/4/4"]]
    game.apply(names[target])
    assert game.duel_results[0] == winner


@pytest.mark.parametrize("order", [(2, 10), (10, 2)])
@pytest.mark.parametrize(("red", "winner"), [("E0/9/0 D0/7/0", 0), ("E0/9/0 D0/8/0", TIE), ("E0/9/0 D0/9/0", 1)])
def test_vector_07_doubling_takes_the_printed_value_in_any_order(order: tuple[int, int], red: str, winner: int) -> None:
    game, names = duel("E3/7/2", red, "A", hands="2 10|")
    use(game, order[0], PASS, order[1], PASS)
    for symbol in order:
        game.apply(names["E3/7/2"])
        if symbol == 10:
            game.apply(2)  # +3 Awe
    assert game.duel_results[0] == winner


def test_vector_08_permutation_1() -> None:
    game, names = duel("E10/0/9", "E6/0/6 D6/0/5", "FC", hands="10|")
    use(game, 10, PASS, PASS)
    answer(game, names["E10/0/9"], 1)
    assert game.duel_results[0] == 0
    assert game.branches["R53 won 1-0"] == 1


@pytest.mark.parametrize(("symbol", "legal"), [(10, [0, 1, 2, 3, 4, 5]), (11, [0, 2, 4]), (12, [0, 1, 3])])
def test_vector_09_legal_permutations(symbol: int, legal: list[int]) -> None:
    game, names = duel("E5", "E5", hands=f"{symbol}|")
    use(game, symbol, PASS, PASS)
    game.apply(names["E5"])
    assert game.phase() == "end_permutation"
    assert game.legal_actions() == legal == legal_permutations(symbol)
    assert len({tuple(bonus_of(symbol, number)) for number in legal}) == len(legal)
    assert {tuple(bonus_of(symbol, n)) for n in range(6)} == {tuple(bonus_of(symbol, n)) for n in legal}


def test_vector_10_symbol_12_permutation_3() -> None:
    assert bonus_of(12, 3) == [0, 2, 2]
    game, names = duel("E5/5/5", "E5/6/6", "AC", hands="12|")
    use(game, 12, PASS, PASS)
    answer(game, names["E5/5/5"], 3)
    assert game.branches["R53 won 2-0"] == 1


def test_bonuses_of_all_permutations() -> None:
    assert [bonus_of(10, n) for n in range(6)] == [[3, 2, 1], [3, 1, 2], [2, 3, 1], [1, 3, 2], [2, 1, 3], [1, 2, 3]]
    assert [bonus_of(11, n) for n in (0, 2, 4)] == [[4, 0, 0], [0, 4, 0], [0, 0, 4]]
    assert [bonus_of(12, n) for n in (0, 1, 3)] == [[2, 2, 0], [2, 0, 2], [0, 2, 2]]


def test_vector_11_gods_only_cannot_use_end_symbols() -> None:
    game, _ = duel("G5 G6", "E5", hands="1 2 3 10 11 12|1 2 3 10 11 12")
    assert game.legal_actions() == [PASS]
    game.apply(PASS)
    assert symbols_offered(game) == [1, 2, 3, 10, 11, 12]


def test_vector_12_symbol_of_a_category_not_in_force() -> None:
    game, names = duel("E9/4/9", "E0/5/0", "A", hands="1|")
    assert symbols_offered(game) == [1]
    use(game, 1, PASS, PASS)
    game.apply(names["E9/4/9"])
    assert game.duel_results[0] == 1


# ---------------------------------------------------------------------------------------- uses


def test_vector_13_three_uses_pass_automatically() -> None:
    game, _ = duel("E5", "E5", hands="1 2 10|1 2 10 11", citadels="3 4 5|7 8 9")
    use(game, 1, 1, 2, 2, 3)
    assert (game.to_move(), symbols_offered(game)) == (1, [7, 8, 10, 11])
    assert game.enc.passed == {0}
    assert [source for _, source in game.enc.uses[0]] == ["card", "card", "citadel"]
    use(game, 10)
    assert game.phase() == "end_champion"  # red has used three symbols too


def test_vector_14_red_goes_on_alone() -> None:
    game, _ = duel("E5", "E5", hands="1|2 3 10")
    use(game, PASS, 2)
    assert game.to_move() == 1
    use(game, 3)
    assert game.to_move() == 1
    use(game, PASS)
    assert (game.phase(), game.to_move()) == ("end_champion", 1)


def test_vector_15_same_symbol_from_card_and_citadel() -> None:
    game, names = duel("E5", "E4", hands="2|1", citadels="2 3 10|7 8 9")
    assert symbols_offered(game) == [2, 2, 3, 10]
    game.apply(names["2"] - 48)
    use(game, PASS)
    assert symbols_offered(game) == [3, 10]
    use(game, PASS)
    game.apply(names["E5"])
    assert game.encounter() == ("hunt", 0, (0,))
    assert symbols_offered(game) == [2, 3, 10]


def test_vector_16_both_may_use_the_same_symbol() -> None:
    game, _ = duel("E5", "E5", hands="2|", citadels="7 8 9|2 3 4")
    use(game, 2)
    assert symbols_offered(game) == [2, 3]
    use(game, 2)
    assert game.enc.end_queue == [(0, 2), (1, 2)]


def test_vector_17_standard_citadel_once_a_round() -> None:
    table = Table()
    for quest in range(3):
        table.quest(quest, "F")
    table.citadel(0, "1 2 3")
    sides = {
        (0, 0): (0, table.words("E5")),
        (0, 1): (1, table.words("E4")),
        (1, 0): (0, table.words("E5")),
        (1, 1): (2, table.words("E5")),
        (2, 0): (0, table.words("E5")),
    }
    hands = table.hands("G1 E1 D1 T1|G1 E1 D1 T1|G1 E1 D1 T1|G1 E1 D1 T1")
    game = Reference.made_up(table.cards, "duels", {"sides": sides, "hands": hands}, key_limit=99)
    assert symbols_offered(game) == [1, 2, 3]
    use(game, 1)
    pass_all(game)
    game.apply(table.names["E5"])
    own = 0
    while game.phase() != "sides":
        if game.phase() == "use" and game.to_move() == 0:
            assert game.legal_actions() == [PASS]
            own += 1
        game.apply(PASS)
    assert own == 4  # one more duel, three hunts
    assert game.citadel_used == [False] * 4
    assert game.branches["R47 citadel restored"] == 1


@pytest.mark.parametrize(("variant", "rounds"), [("variation", 2), ("tournament", 1)])
def test_vector_18_citadel_once_a_game(variant: str, rounds: int) -> None:
    game, names = duel("E5", "E4", hands="|", citadels="1 2 3|4 5 6", variant=variant)
    use(game, 1)
    pass_all(game)
    game.apply(names["E5"])
    assert game.citadel_used == [True, False]
    while game.phase() != "over" and game.phase() != "equip":
        if game.phase() == "use" and game.to_move() == 0:
            assert all(action not in (12, 13, 14) for action in game.legal_actions())
        step(game, random.Random(3), at_random)
    assert game.num_rounds == rounds
    assert game.citadel_used[0]


def test_vector_19_no_citadel_against_kronos() -> None:
    table = Table()
    table.citadel(0, "1 2 9")
    for blanks in ("no", "yes"):
        game = final(table, "G1 E1 D1|G1 E1 D1", allow_null_symbols=blanks)
        answer(game, *[NOTHING] * 6)
        assert game.encounter() == ("kronos", None, (1,))  # seat 1 came later in the turn order
        for _ in range(2):
            assert game.legal_actions() == [PASS]
            game.apply(PASS)
        assert game.outcome == "lost_final"


ALL_SYMBOLS = " ".join(str(symbol) for symbol in range(1, 13))


@pytest.mark.parametrize("blanks", ["no", "yes"])
def test_vector_20_what_is_playable_where(blanks: str) -> None:
    table = Table()
    treasure = table.treasure(4, factor=(0, 1, 0))
    fight = final(table, "G1 E1 T1|G1 E1 T1", hands=f"|{ALL_SYMBOLS}", pile="E1", treasury=[treasure],
                  allow_null_symbols=blanks)  # fmt: skip
    answer(fight, *[NOTHING] * 6)
    games = {
        "duel": duel("E5", "E5 D5 T5", hands=f"{ALL_SYMBOLS}|", pile="E1", allow_null_symbols=blanks)[0],
        "hunt": hunt("E5", hand=ALL_SYMBOLS, pile="E1", allow_null_symbols=blanks)[0],
        "kronos": fight,
    }
    assert PLAYABLE["duel"] == tuple(symbol for symbol in range(1, 13) if symbol != 9)
    assert PLAYABLE["hunt"] == tuple(symbol for symbol in range(1, 13) if symbol not in (4, 5, 7, 8))
    assert PLAYABLE["kronos"] == tuple(symbol for symbol in range(1, 13) if symbol not in (4, 5, 7))
    for kind, game in games.items():
        expected = list(PLAYABLE[kind]) if blanks == "no" else list(range(1, 13))
        assert symbols_offered(game) == expected
    if blanks == "yes":
        blank = {"duel": 9, "hunt": 8, "kronos": 7}
        for kind, game in games.items():
            user, before = game.to_move(), copy.deepcopy((game.discard, game.sides, game.hands))
            before[2][user].remove(next(c for c in game.hands[user] if c > 47 and symbol_of(game, c) == blank[kind]))
            use(game, blank[kind])
            assert (game.discard, game.sides, game.hands) == before
            assert game.enc.uses[user] == [(blank[kind], "card")]
            assert game.uses_left(user) == 2
            assert game.branches[f"null {blank[kind]} {kind}"] == 1


def symbol_of(game: Reference, card: int) -> int:
    """The symbol of a reinforcement card."""
    return game.cards.reinforcements[card - 48]


def test_vector_21_end_effects_in_the_order_of_use() -> None:
    game, _ = duel("E1 D2", "E3 T4", hands="10 11|2")
    use(game, 10, 2, 11, PASS, PASS)
    asked = []
    while game.phase() in ("end_champion", "end_permutation"):
        asked.append((game.to_move(), game.phase(), game.enc.end_queue[0][1]))
        game.apply(game.legal_actions()[0])
    champion, permutation = "end_champion", "end_permutation"
    assert asked == [(0, champion, 10), (0, permutation, 10), (1, champion, 2), (0, champion, 11), (0, permutation, 11)]


# ---------------------------------------------------------------------------------------- symbols 4-9


@pytest.mark.parametrize(("victim", "left"), [("D6", 5), ("D3", 8)])
def test_vector_22_symbol_4(victim: str, left: int) -> None:
    game, names = duel("D5 T4", "D6 D3 G2", hands="4|")
    use(game, 4)
    assert (game.to_move(), game.phase()) == (CHANCE, "steal")
    assert game.chance_outcomes() == [names["D6"], names["D3"]]
    game.apply_chance(names[victim])
    assert (game.total(0, FIST), game.total(1, FIST)) == (9, left)
    assert names[victim] in game.hands[0]
    pass_all(game)
    assert game.duel_results[0] == 0
    assert names[victim] in game.hands[0] - game.discard
    run_until(game, "challenge_card")
    while game.to_move() != 0:
        game.apply(game.legal_actions()[0])
    assert names[victim] in game.legal_actions()
    while game.phase() != "deploy_card" or game.to_move() != 0:
        game.apply(next(a for a in game.legal_actions() if a != names[victim]))
    assert names[victim] in game.legal_actions()


def test_vector_23_symbol_4_needs_a_stack_3_card() -> None:
    game, _ = duel("D5 T5", "G5 E5", hands="4 5|4 5")
    assert symbols_offered(game) == []
    use(game, PASS)
    assert symbols_offered(game) == [4, 5]


def test_vector_24_empty_line_up_ties_by_symbol_8() -> None:
    game, names = duel("D5", "D6", hands="4|8")
    use(game, 4)
    assert game.chance_outcomes() == [names["D6"]]
    game.apply_chance(names["D6"])
    assert game.total(1, FIST) == 0
    use(game, 8)
    assert game.duel_results[0] == TIE
    assert game.encounter() == ("hunt", 0, (0,))
    use(game, PASS)
    assert game.encounter() == ("hunt", 0, (1,))
    assert [game.total(1, category) for category in range(3)] == [0, 0, 0]
    use(game, PASS)
    assert names["D6"] in game.hands[0]
    assert game.rows[0] == [Row(duels_tied=1), Row(duels_tied=1)]


def stolen_thornbearer(**options: Any) -> tuple[Reference, dict[str, int]]:
    """Vector 25 after blue's symbol 5."""
    game, names = duel("E4 D4 E4", "T8 D5", hands="5|5", **options)
    use(game, 5)
    assert game.chance_outcomes() == [names["T8"]]
    game.apply_chance(names["T8"])
    assert (game.total(0, FIST), game.total(1, FIST)) == (20, 5)
    assert len(game.line_up(0)) == 4
    return game, names


def test_vector_25_symbol_5() -> None:
    game, names = stolen_thornbearer()
    pass_all(game)
    assert game.duel_results[0] == 0
    assert names["T8"] in game.discard
    assert game.encounter() == ("hunt", 0, (0,))
    assert game.total(0, FIST) == 12


def test_vector_26_moved_back() -> None:
    game, names = stolen_thornbearer()
    use(game, 5)
    assert game.chance_outcomes() == [names["T8"]]
    game.apply_chance(names["T8"])
    assert (game.total(0, FIST), game.total(1, FIST)) == (12, 13)
    pass_all(game)
    assert game.duel_results[0] == 1
    assert game.encounter() == ("hunt", 0, (1,))
    assert names["T8"] in game.discard
    assert game.line_up(1) == [names["D5"]]


def test_vector_27_gods_only_in_the_pile() -> None:
    assert symbols_offered(duel("E5", "E5", hands="6|", pile="G1 G2 G3")[0]) == []
    assert symbols_offered(duel("E5", "E5", hands="6|", pile="")[0]) == []
    assert symbols_offered(duel("E5", "E5", hands="6|", pile="G1 T2")[0]) == [6]


def test_vector_28_pulled_symbol_not_playable() -> None:
    game, names = duel("E5", "E5", hands="6|", pile="G1 G2 G3 E4 9")
    use(game, 6)
    assert game.phase() == "pull"
    assert game.chance_outcomes() == [names["E4"], names["9"]]
    game.apply_chance(names["9"])
    assert names["9"] in game.discard
    assert game.uses_left(0) == 2
    assert game.to_move() == 1
    assert game.enc.uses[0] == [(6, "card")]


def test_vector_29_pulled_symbol_9_wins_the_hunt() -> None:
    game, names = hunt("E5", hand="6", pile="G1 G2 G3 E4 9")
    use(game, 6)
    assert game.chance_outcomes() == [names["E4"], names["9"]]
    game.apply_chance(names["9"])
    assert game.rows[-2 if game.rounds_done else -1][0].hunts_won == 1
    assert {names["6"], names["9"]} <= game.discard


@pytest.mark.parametrize("counts", ["yes", "no"])
def test_vector_30_no_use_left_for_the_pulled_symbol(counts: str) -> None:
    game, names = duel("E5", "E4", hands="2 3 6|", pile="1", count_sym6_chain=counts)
    use(game, 2, PASS, 3, 6)
    game.apply_chance(names["1"])
    assert (names["1"] in game.discard) == (counts == "yes")
    queue = [(0, 2), (0, 3)] + ([(0, 1)] if counts == "no" else [])
    assert game.enc.end_queue == queue
    assert game.phase() == "end_champion"


@pytest.mark.parametrize("kind", ["duel", "hunt"])
def test_vector_31_pulled_symbol_used_before(kind: str) -> None:
    if kind == "duel":
        game, _ = duel("E5", "E4", hands="1 6|", pile="1")
        use(game, 1, PASS, 6)
    else:
        game, _ = hunt("E5", hand="1 6", pile="1")
        use(game, 1, 6)
    pulled = game.chance_outcomes()
    game.apply_chance(pulled[0])
    assert pulled[0] in game.discard
    assert game.enc.uses[0] == [(1, "card"), (6, "card")]
    assert (game.phase(), game.to_move()) == ("use", 0)
    assert game.branches[f"sym 6 already used {kind}"] == 1


def test_pulled_symbol_6_is_always_used_before() -> None:
    game, _ = duel("E5", "E4", hands="6|", pile="6")
    use(game, 6)
    (pulled,) = game.chance_outcomes()
    game.apply_chance(pulled)
    assert pulled in game.discard
    assert game.branches["sym 6 already used duel"] == 1


@pytest.mark.parametrize("persists", ["no", "yes"])
def test_vector_32_pulled_champion_leaves_after_the_duel(persists: str) -> None:
    game, names = duel("E5", "E4", hands="6|", pile="E9", sym6_persists=persists)
    use(game, 6)
    game.apply_chance(names["E9"])
    assert game.total(0, FIST) == 14
    pass_all(game)
    assert game.encounter() == ("hunt", 0, (0,))
    assert game.line_up(0) == [names["E5"], *([names["E9"]] if persists == "yes" else [])]
    assert (names["E9"] in game.discard) == (persists == "no")
    use(game, PASS)
    assert {names["E5"], names["E9"]} <= game.discard


def test_vector_33_cards_of_this_duel_are_not_in_the_pile() -> None:
    game, names = duel("E5", "E4", hands="10 6|11 6", pile="T1")
    use(game, 10, 11, 6)
    assert game.chance_outcomes() == [names["T1"]]
    game.apply_chance(names["T1"])
    assert symbols_offered(game) == []  # the pile is empty now
    use(game, PASS, PASS)
    assert game.phase() == "end_champion"


@pytest.mark.parametrize("choice", [1, 2])
def test_vector_34_symbol_7_on_one_category(choice: int) -> None:
    game, _ = duel("E9/0/0", "E0/1/1", "F", hands="7|")
    use(game, 7)
    assert (game.phase(), game.legal_actions()) == ("sym7", [1, 2])
    game.apply(choice)
    assert game.enc.categories == [False, choice == 1, choice == 2]
    pass_all(game)
    assert game.duel_results[0] == 1


@pytest.mark.parametrize(("choice", "categories"), [(3, [True, False, True]), (6, [True, True, False])])
def test_vector_35_symbol_7_on_two_categories(choice: int, categories: list[bool]) -> None:
    game, _ = duel("E9/0/0", "E0/0/0", "AC", hands="7|")
    use(game, 7)
    assert game.legal_actions() == [3, 6]
    game.apply(choice)
    assert game.enc.categories == categories
    pass_all(game)
    assert game.branches["R53 won 1-0"] == 1


def test_vector_36_second_symbol_7() -> None:
    game, _ = duel("E5", "E5", "F", hands="7|7")
    use(game, 7)
    game.apply(1)
    use(game, 7)
    assert game.legal_actions() == [5]
    game.apply(5)
    assert game.enc.categories == [False, False, True]
    game, _ = duel("E5", "E5", "AC", hands="7|7 1")
    use(game, 7)
    game.apply(3)
    assert symbols_offered(game) == [1]


def test_vector_37_symbol_7_does_not_change_the_hunt() -> None:
    game, _ = duel("E8/9/0", "E9/0/0", "F", hands="7|", monster=(8, 0, 0))
    use(game, 7)
    game.apply(1)
    pass_all(game)
    assert game.duel_results[0] == 0
    assert game.enc.categories == [True, False, False]
    use(game, PASS)
    assert game.branches["R77 exactly the value"] == 1


def test_vector_38_symbol_8_ends_the_duel_at_once() -> None:
    game, names = duel("E5", "T8 D6", hands="4 10 5|1 2 8")
    use(game, 4)
    game.apply_chance(names["D6"])
    use(game, 1, 10, 2, 5)
    game.apply_chance(names["T8"])
    use(game, 8)
    assert game.duel_results[0] == TIE
    assert game.encounter() == ("hunt", 0, (0,))
    assert not any(game.branches[f"R52 doubled {symbol} duel"] for symbol in (1, 2, 3))
    assert not any(game.branches[f"R56 permutation {n} of symbol 10"] for n in range(6))
    assert names["T8"] in game.discard
    assert names["D6"] in game.hands[0]
    assert {names[symbol] for symbol in ("4", "10", "5", "1", "2", "8")} <= game.discard
    assert game.line_up(0) == [names["E5"]]
    use(game, PASS)
    assert game.encounter() == ("hunt", 0, (1,))
    assert game.line_up(1) == []


def test_vector_39_symbol_9_wins_a_hunt_with_total_0() -> None:
    game, _ = hunt("E0", hand="9")
    use(game, 9)
    assert game.branches["R67 hunt won at once"] == 1
    assert game.branches["R80 lone takes both"] == 1
    assert game.rows[0][0].hunts_won == 1


def test_r50_end_effect_without_a_target_is_lost() -> None:
    game, names = duel("G1 D5", "E3", hands="11 2|4")
    use(game, 11, 4)
    game.apply_chance(names["D5"])
    assert symbols_offered(game) == []
    pass_all(game)
    assert game.duel_results[0] == 1
    assert game.branches["R50 END effect lost"] == 1
    assert names["D5"] in game.hands[1]


def test_r49_targets_are_the_line_up_at_the_end() -> None:
    game, names = duel("E1", "T8 D9", hands="1|3")
    use(game, 1, 3)
    pass_all(game)
    assert game.legal_actions() == [names["E1"]]
    game, names = duel("E1", "T8 D9", hands="1 5 6|3", pile="D2")
    use(game, 1, 3, 5)
    game.apply_chance(names["T8"])
    use(game, PASS, 6)
    game.apply_chance(names["D2"])
    assert (game.phase(), game.to_move()) == ("end_champion", 0)
    assert game.legal_actions() == sorted(names[name] for name in ("E1", "T8", "D2"))
    game.apply(names["T8"])
    assert game.to_move() == 1
    assert game.legal_actions() == [names["D9"]]
    game.apply(names["D9"])
    assert game.duel_results[0] == 0  # 1 + 2 * 8 + 2 against 9
    assert {names["T8"], names["D2"]} <= game.discard
    assert game.line_up(0) == [names["E1"]]


def test_r62_pulled_champion_stolen_by_symbol_4_stays_with_the_thief() -> None:
    for persists in ("no", "yes"):
        game, names = duel("E1", "E1", hands="6|4", pile="D2", sym6_persists=persists)
        use(game, 6)
        game.apply_chance(names["D2"])
        use(game, 4)
        game.apply_chance(names["D2"])
        pass_all(game)
        pass_all(game)
        pass_all(game)
        assert names["D2"] in game.hands[1] - game.discard


def test_r55_effects_expire_before_the_hunt() -> None:
    game, names = duel("E5", "E6", hands="1 11 12|", monster=(10, 0, 0))
    use(game, 1, PASS, 11, PASS)
    answer(game, names["E5"], names["E5"], 0)
    assert game.duel_results[0] == 0
    assert game.total(0, FIST) == 5
    assert game.enc.uses == {0: []}
    use(game, PASS)
    assert game.rows[0][0].hunts_won == 0


def test_r93_team_stays_and_the_pile_grows_for_the_next_challenger() -> None:
    game = fight_of(team_of(1, 1, 1), "1 2")
    use(game, 1, 2, PASS)
    target = game.legal_actions()[0]
    answer(game, target, target)
    assert (game.to_move(), len(game.discard), len(game.olympus[1])) == (0, 2, 3)


# ---------------------------------------------------------------------------------------- harvest to key limit


@pytest.mark.parametrize(("totals", "beaten"), [((0, 15, 9), True), ((20, 20, 8), False), ((0, 14, 20), False)])
def test_vector_40_every_value_of_the_monster(totals: Triple, beaten: bool) -> None:
    game, _ = hunt(two_cards(*totals), "AC", monster=(0, 15, 9))
    use(game, PASS)
    assert game.branches["R77 beaten"] == beaten
    assert game.rows[0][0].hunts_won == beaten


@pytest.mark.parametrize(
    ("beaten", "hunts", "own", "both"),
    [(True, "yes", 1, True), (False, "yes", 1, False), (True, "no", 1, False)],
)
def test_vector_41_lone_seat(beaten: bool, hunts: str, own: int, both: bool) -> None:
    game, names = hunt("E5", monster=(5, 0, 0) if beaten else None, lone_hunts=hunts)
    if hunts == "yes":
        use(game, PASS)
    assert game.rounds_done == 1
    assert game.vaults == [{6, 7} if both else {6}, set()]
    assert (7 in game.treasury) == (not both)
    assert names["E5"] in game.discard
    assert game.rows[0][0] == Row(hunts_won=int(both), treasures=own + both)


def test_vector_42_duel_won_but_monster_not_beaten() -> None:
    game, _ = duel("E4", "E5")
    pass_all(game)
    use(game, PASS)
    assert game.vaults == [set(), {7}]
    assert game.treasury == {6, 8, 9, 10, 11}
    assert game.rows[0] == [Row(), Row(duels_won=1, treasures=1)]


def test_duel_won_and_monster_beaten() -> None:
    game, _ = duel("E4", "E5", monster=(5, 0, 0))
    pass_all(game)
    assert game.vaults == [set(), {7}]
    assert game.board[0] == [6, None]
    use(game, PASS)
    assert game.vaults == [set(), {6, 7}]
    assert game.rows[0] == [Row(), Row(duels_won=1, hunts_won=1, treasures=2)]


def test_vector_43_tie_and_blue_beats_the_monster() -> None:
    game, names = duel("E5", "E5", hands="11|", monster=(9, 0, 0))
    pass_all(game)
    assert game.board[0] == [6, 7]
    assert game.treasury == {8, 9, 10, 11}  # quests without seats, at the Harvest
    use(game, 11, PASS)
    answer(game, names["E5"], 0)
    assert game.hunt_results == {(0, 0): True}
    use(game, PASS)
    assert game.vaults == [{6}, set()]
    assert 7 in game.treasury
    assert game.branches["R81 tie, one"] == 1


def test_vector_44_tie_and_both_beat_the_monster() -> None:
    game, _ = duel("E5", "E5", monster=(5, 0, 0))
    pass_all(game)
    use(game, PASS, PASS)
    assert game.vaults == [{6}, {7}]
    assert game.rows[0] == [Row(duels_tied=1, hunts_won=1, treasures=1)] * 2


def test_vector_45_quest_without_seats() -> None:
    game, _ = hunt("E5")
    assert game.encounter() == ("hunt", 0, (0,))
    assert game.board == [[None, 7], [None, None], [None, None]]
    assert game.treasury == {8, 9, 10, 11}


def test_vector_46_blue_line_up_is_in_the_pile_for_red() -> None:
    game, names = duel("E4", "D4", hands="|6", pile="G1")
    pass_all(game)
    use(game, PASS)
    assert game.encounter() == ("hunt", 0, (1,))
    use(game, 6)
    assert game.chance_outcomes() == [names["E4"]]


def kronos_with_keys(keys: int, round_number: int, limit: Any) -> Reference:
    """A round in which nobody was deployed has ended with these keys in the treasury."""
    table = Table()
    quest = 3 * round_number
    table.treasure(0, keys=keys - 5)
    table.treasure(2 * quest, keys=2)
    table.treasure(2 * quest + 3, keys=3)
    table.cards.limits[13, "variation2"] = 12
    teams = table.hands("G1 E1 D1|G1 E1 D1") if round_number == 2 else [[], []]
    position: dict[str, Any] = {
        "round": round_number,
        "treasury": {0},
        "olympus": [[(card, True) for card in team] for team in teams],
    }
    return Reference.made_up(table.cards, "duels", position, num_players=2, key_limit=limit)


@pytest.mark.parametrize(("keys", "lost"), [(11, False), (12, True), (13, True)])
@pytest.mark.parametrize("limit", ["data", 12])
def test_vector_47_key_limit(keys: int, lost: bool, limit: Any) -> None:
    game = kronos_with_keys(keys, 1, limit)
    assert game.rows[0][0].kronos_keys == keys
    assert game.rounds_done == 1
    assert game.results() == ("lost_keys" if lost else None, [0.0, 0.0])
    assert game.phase() == ("over" if lost else "sides")


@pytest.mark.parametrize(("keys", "lost"), [(11, False), (12, True)])
def test_vector_48_key_limit_before_the_final(keys: int, lost: bool) -> None:
    game = kronos_with_keys(keys, 2, "data")
    assert game.phase() == ("over" if lost else "equip")
    assert game.results() == ("lost_keys" if lost else None, [0.0, 0.0])


# ---------------------------------------------------------------------------------------- set-up and gathering

FACES = [
    pytest.param({"num_players": 2}, 3, "both", 13, id="vector_49_variation_medium"),
    pytest.param({"num_players": 3, "difficulty": "easy"}, 3, "one", 13, id="vector_49_variation_easy"),
    pytest.param({"num_players": 2, "difficulty": "hard"}, 3, "both", 15, id="vector_49_variation_hard"),
    pytest.param({}, 1, "one", 13, id="vector_49_standard_A2"),
    pytest.param({}, 4, "both", 13, id="standard_B2"),
    pytest.param({"difficulty": "hard"}, 1, "both", 15, id="standard_hard"),
    pytest.param({"variant": "tournament"}, 8, "both", 13, id="tournament_medium"),
    pytest.param({"variant": "tournament", "difficulty": "easy"}, 5, "one", 13, id="tournament_easy"),
]


@pytest.mark.parametrize(("options", "quest", "face", "kronos"), FACES)
def test_faces(options: Options, quest: int, face: str, kronos: int) -> None:
    cards = made_up_set(2)
    game = Reference(cards, **options)
    assert (game.face_of(quest), game.kronos_face) == (face, kronos)
    game.quests = [quest]
    assert sum(game.categories_of(0)) == {"one": 1, "both": 2}[face]


@pytest.mark.parametrize(("players", "legal"), [(2, [0]), (3, [0, 2]), (4, [0, 2, 3])])
def test_vector_50_first_player(players: int, legal: list[int]) -> None:
    position = {"round": 2, "first_player": 1, "gathering": 1}
    game = Reference.made_up(made_up_set(), "starting", position, num_players=players)
    game.apply_chance([0, 0, 0])
    assert game.phase() == "crown"
    assert game.chance_outcomes() == list(range(players))
    game.apply_chance(0)
    assert (game.phase(), game.to_move(), game.legal_actions()) == ("first_player", 0, legal)
    game.apply(legal[-1])
    assert game.turn_order == [(legal[-1] + seat) % players for seat in range(players)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_first_round_has_a_free_choice(players: int) -> None:
    game = started(num_players=players)
    game.apply_chance([0, 1, 0])
    game.apply_chance(players - 1)
    assert (game.to_move(), game.legal_actions()) == (players - 1, list(range(players)))


def test_vector_51_columns() -> None:
    position = {"stacks": [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)]}
    game = Reference.made_up(made_up_set(), "gathering", position, num_players=3, mode="tactics")
    assert game.columns[2] == [24, 25, 26]
    assert game.legal_actions() == [0, 1, 2, 3, 4]
    game.apply(2)
    assert game.new_cards == [{26}, set(), set()]
    assert game.columns[2] == [24, 25]
    game.apply(2)
    game.apply(0)
    assert (game.to_move(), game.legal_actions()) == (0, [0, 1, 3, 4])
    game.apply(0)
    assert game.legal_actions() == [0, 1, 3, 4]
    game.apply(4)
    game.apply(2)
    assert game.new_cards == [{26, 1}, {25, 50}, {2, 24}]
    assert game.legal_actions() == [1, 3, 4]
    assert all(not hand for hand in game.hands)


@pytest.mark.parametrize(("variant", "players", "left"), [(*s, n) for s, n in zip(SETTINGS, (0, 0, 4, 6), strict=True)])
@pytest.mark.parametrize("mode", ["destiny", "tactics"])
def test_vector_52_cards_left(variant: str, players: int, left: int, mode: str) -> None:
    game = started(variant=variant, num_players=players, mode=mode, key_limit=99)
    run_until(game, "equip")
    assert [len(stack) for stack in game.stacks] == [left] * 5


def test_tournament_destiny_deals_three_top_cards_seat_by_seat() -> None:
    position = {"stacks": [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)], "turn_order": [1, 0]}
    game = Reference.made_up(made_up_set(), "gathering", position, variant="tournament")
    assert [sorted(hand)[:6] for hand in game.hands] == [[0, 1, 2, 12, 13, 14], [3, 4, 5, 15, 16, 17]]


def test_variation_destiny_deals_two_passes() -> None:
    position = {"stacks": [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)], "turn_order": [1, 0]}
    game = Reference.made_up(made_up_set(), "gathering", position, num_players=2)
    assert [sorted(hand)[:4] for hand in game.hands] == [[0, 2, 12, 14], [1, 3, 13, 15]]
    assert (game.gathered[0][0], game.gathered[0][2], game.gathering) == (1, 2, 2)


def test_second_draft_is_opened_after_the_first_with_the_same_first_player() -> None:
    position = {"stacks": [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)], "turn_order": [1, 2, 0]}
    game = Reference.made_up(made_up_set(), "gathering", position, num_players=3, mode="tactics")
    for pick in range(15):
        assert game.to_move() == (1, 2, 0)[pick % 3]
        assert all(len(stack) == 9 for stack in game.stacks)
        game.apply(game.legal_actions()[0])
    assert [len(hand) for hand in game.hands] == [5, 5, 5]
    assert game.columns[0] == [3, 4, 5]
    assert (game.to_move(), game.phase()) == (1, "draft")


# ---------------------------------------------------------------------------------------- challenge, deployment


def test_vector_53_god_enforced_in_the_last_challenge() -> None:
    for team, number, legal in (("E9 D9", 3, ["G1"]), ("G9 D9", 3, ["G1", "E1", "T1"]), ("E9", 2, ["G1", "E1", "T1"])):
        table = Table()
        hands = table.hands("G1 E1 T1|G2|G2|G2")
        olympus = [[(card, True) for card in cards] for cards in table.hands("|".join([team] * 4))]
        game = Reference.made_up(table.cards, "challenge", {"round": number, "hands": hands, "olympus": olympus})
        assert game.legal_actions() == [table.names[name] for name in legal]


@pytest.mark.parametrize(("first", "then"), [("E1", ["G1", "G2"]), ("G2", ["G1", "E1", "T1", "T2"])])
def test_vector_54_second_of_two_cards_must_be_a_god(first: str, then: list[str]) -> None:
    table = Table()
    teams = [[(table.card("E9"), True)], [(table.card("E9"), True)]]
    position = {"round": 2, "hands": table.hands("G1 G2 E1 T1 T2|G1"), "olympus": teams}
    game = Reference.made_up(table.cards, "challenge", position, num_players=2)
    assert game.legal_actions() == sorted(game.hands[0])
    answer(game, table.names[first], 1)
    assert (game.phase(), game.to_move()) == ("challenge_card", 0)
    assert game.legal_actions() == sorted(table.names[name] for name in then)


def test_vector_55_first_card_on_olympus_lies_open() -> None:
    game = started(variant="tournament")
    run_until(game, "challenge_card")
    game.apply(game.legal_actions()[0])
    assert (game.phase(), game.legal_actions()) == ("challenge_orient", [0])
    game.apply(0)
    for _ in range(2):
        game.apply(game.legal_actions()[0])
        assert game.legal_actions() == [0, 1]
        game.apply(1)
    assert [is_open for _, is_open in game.olympus[game.turn_order[0]]] == [True, False, False]


def deploying(
    sides: Mapping[tuple[int, int], tuple[int, str]], hands: str, round_number: int = 1, **options: Any
) -> tuple[Reference, dict[str, int]]:
    """A game at the start of a deployment in which some cards lie already."""
    table = Table()
    position = {
        "round": round_number,
        "sides": {place: (owner, table.words(text)) for place, (owner, text) in sides.items()},
        "hands": table.hands(hands),
    }
    return Reference.made_up(table.cards, "deployment", position, **two_seats(options)), table.names


def test_vector_56_legal_sides() -> None:
    game, _ = deploying({(0, 0): (0, "E1 E2")}, "E3 E4 E5|D1")
    assert game.legal_places(0) == [0, 2, 3, 4, 5]
    assert game.legal_places(1) == [1, 2, 3, 4, 5]
    answer(game, game.legal_actions()[0], 0, 1)
    assert game.legal_places(0) == [2, 3, 4, 5]
    assert len(game.sides[0][0].cards) == 3


def test_vector_57_first_card_on_a_side_lies_open() -> None:
    game, names = deploying({}, "E1 E2 E3|D1")
    answer(game, names["E1"], 0)
    assert (game.phase(), game.legal_actions()) == ("deploy_orient", [0])
    answer(game, 0, names["D1"], 1, 0, names["E2"], 0)
    assert game.legal_actions() == [0, 1]
    game.apply(1)
    assert game.sides[0][0].cards == [(names["E1"], True), (names["E2"], False)]


def test_vector_58_number_of_a_place() -> None:
    game, names = deploying({}, "E1|D1")
    answer(game, names["E1"], 5, 0)
    assert game.sides[2][1].cards == [(names["E1"], True)]


def test_vector_59_voluntary_end() -> None:
    game, names = deploying({}, "E1 E2|D1 D2")
    assert END not in game.legal_actions()
    answer(game, names["E1"], 0, 0, names["D1"], 1, 0)
    assert game.legal_actions() == [names["E2"], END]
    game.apply(END)
    assert (game.to_move(), game.ended) == (1, {0})
    game.apply(END)
    assert game.hands == [{names["E2"]}, {names["D2"]}]


def test_vector_60_last_round() -> None:
    full = {(0, 0): (0, "E1 E2 E3"), (1, 1): (1, "D1 D2 D3"), (2, 0): (0, "E4 E5 E6"), (2, 1): (1, "D4 D5 D6")}
    game, names = deploying(full, "T1 T2 T3 T4|T5 T6", round_number=2)
    for turn, (own, other) in enumerate((("T1", "T5"), ("T2", "T6"), ("T3", None))):
        assert game.legal_places(0) == [2]
        assert END not in game.legal_actions()
        answer(game, names[own], 2, min(turn, 1))
        if other is not None:
            assert END not in game.legal_actions()
            answer(game, names[other], 1, 0)
    assert names["T4"] in game.hands[0]
    assert game.encounter() == ("duel", 0, (0, 1))
    assert game.branches["R34 no legal side"] == 1
    assert game.branches["R33 voluntary END"] == 0


def tournament_until_discard(**options: Any) -> Reference:
    """A tournament just before its first discard, everybody placing as many cards as possible."""
    game = started(variant="tournament", **options)
    rng = random.Random(4)
    while game.phase() != "tourn_discard":
        step(game, rng, lambda game, rng: rng.choice([a for a in game.legal_actions() if a != END]))
    return game


def test_vector_61_tournament_discard() -> None:
    game = tournament_until_discard()
    assert game.to_move() == game.turn_order[0]
    for seat in game.turn_order:
        assert game.rows[0][seat].deployed == 9
        assert len(game.legal_actions()) == 3
        assert all(action >= 48 for action in game.legal_actions())
        game.apply(game.legal_actions()[1])
        assert len(game.hands[seat]) == 2
    assert len(game.discard) == 2


def test_vector_62_may_hold_one() -> None:
    game = started(variant="tournament", tourn_discard="may_hold_one")
    rng = random.Random(4)
    while game.phase() != "tourn_discard":
        if game.phase() == "deploy_card":
            left = len(game.champions_in_hand(game.to_move()))
            assert (END in game.legal_actions()) == (left == 1)
            if left == 1 and game.to_move() == 0:
                game.apply(END)
                continue
        step(game, rng, lambda game, rng: rng.choice([a for a in game.legal_actions() if a != END]))
    for seat in game.turn_order:
        held = game.champions_in_hand(seat)
        assert len(held) == (1 if seat == 0 else 0)
        assert game.legal_actions() == (held or sorted(game.hands[seat]))
        game.apply(game.legal_actions()[0])
    assert game.champions_in_hand(0) == []


def test_vector_63_banner_limit() -> None:
    game = tournament_until_discard(banner_limit="4")
    for seat in (0, 1):
        own = [side for pair in game.sides for side in pair if side.owner == seat]
        assert [len(side.cards) for side in own] == [3, 3, 3]
    sides = {(0, 0): (0, "E1"), (1, 0): (0, "E2"), (2, 1): (0, "E3")}
    for limit, more in (("none", [6, 7]), ("4", [])):
        game, _ = deploying(sides, "D1 D2|D3", variant="tournament", banner_limit=limit)
        assert game.legal_places(0) == [0, 2, 5, *more]


# ---------------------------------------------------------------------------------------- final


def fight_of(team: str, hand: str = "", factors: Sequence[Triple] = ((0, 1, 0),), **options: Any) -> Reference:
    """Seat 1 challenges Kronos (base 13-13-13, these factors) first; all equipment refused."""
    table = Table()
    treasury = [table.treasure(number, factor=factor) for number, factor in enumerate(factors)]
    game = final(table, f"G0 E0 D0|{team}", hands=f"|{hand}", treasury=treasury, **options)
    answer(game, *[NOTHING] * 6)
    return game


def team_of(fist: int, awe: int, cunning: int) -> str:
    """A team with these totals and a god without any values."""
    return f"G0 {two_cards(fist, awe, cunning)}"


@pytest.mark.parametrize(("totals", "wins"), [((13, 14, 13), True), ((20, 13, 20), False), ((13, 14, 12), False)])
def test_vector_64_kronos_and_a_factor(totals: Triple, wins: bool) -> None:
    game = fight_of(team_of(*totals))
    assert [game.kronos_value(category) for category in range(3)] == [13, 14, 13]
    assert [game.total(1, category) for category in range(3)] == list(totals)
    use(game, PASS)
    assert game.results() == (("win", [0.0, 1.0]) if wins else (None, [0.0, 0.0]))
    assert game.encounter() == ("kronos", None, (1 if wins else 0,))


def test_vector_65_symbol_9_against_kronos() -> None:
    game = fight_of(team_of(12, 13, 12), "9")
    use(game, 9)
    assert [game.total(1, category) for category in range(3)] == [13, 14, 13]
    assert [game.kronos_value(category) for category in range(3)] == [13, 14, 13]
    use(game, PASS)
    assert (game.outcome, game.winner) == ("win", 1)


@pytest.mark.parametrize(("totals", "wins"), [((13, 14, 13), True), ((13, 13, 13), False)])
def test_vector_66_symbol_8_against_kronos(totals: Triple, wins: bool) -> None:
    game = fight_of(team_of(*totals), "8", factors=[(0, 2, 0), (0, 1, 0), ZERO])
    assert [game.kronos_value(category) for category in range(3)] == [13, 16, 13]
    use(game, 8)
    assert (game.phase(), game.legal_actions()) == ("sym8_card", [0, 1])
    game.apply(0)
    assert [game.kronos_value(category) for category in range(3)] == [13, 14, 13]
    use(game, PASS)
    assert (game.outcome == "win") == wins
    if not wins:
        assert game.to_move() == 0
        assert [game.kronos_value(category) for category in range(3)] == [13, 16, 13]


@pytest.mark.parametrize("factors", [(), (ZERO,)])
def test_vector_67_symbol_8_needs_a_factor(factors: Sequence[Triple]) -> None:
    game = fight_of(team_of(1, 1, 1), "8", factors=factors)
    assert game.legal_actions() == [PASS]


@pytest.mark.parametrize(("includes", "total"), [("no", 14), ("yes", 16)])
def test_vector_68_doubling_and_items(includes: str, total: int) -> None:
    for missing, wins in ((0, True), (1, False)):
        table = Table()
        table.cards.base[13] = (0, total + missing, 0)
        item = table.treasure(6, item=(0, 2, 0))
        game = final(table, "G0 E0 D0|G0 D0 E0/6/0", hands="|2", vaults=[[], [item]], double_includes_items=includes)
        answer(game, *[NOTHING] * 5, item)
        assert game.to_move() == 1
        assert game.total(1, AWE) == 8
        use(game, 2, PASS)
        game.apply(table.names["E0/6/0"])
        assert (game.outcome == "win") == wins


def test_vector_69_challenge_order() -> None:
    table = Table()
    keys = {0: (4,), 1: (4,), 2: (6,), 3: (4,)}
    counts = (3, 5, 2, 3)
    numbers = iter(range(18))
    vaults = []
    for seat in range(4):
        own = [next(numbers) for _ in range(counts[seat])]
        table.treasure(own[0], keys=keys[seat][0])
        vaults.append(own)
    game = final(table, "|".join(["G0 E0 D0"] * 4), hands="|||", vaults=vaults, turn_order=[1, 2, 3, 0], num_players=4)
    for seat in range(4):
        answer(game, vaults[seat][0], NOTHING, NOTHING)
    assert game.challenge_order == [2, 1, 0, 3]
    answer(game, *[PASS] * 4)
    assert game.fights_failed == [2, 1, 0, 3]


def test_vector_70_keys_in_the_vault_do_not_count() -> None:
    table = Table()
    vaults = [[table.treasure(0, keys=2), table.treasure(1, keys=7)], [table.treasure(2, keys=3)]]
    game = final(table, "G0 E0 D0|G0 E0 D0", vaults=vaults)
    answer(game, 0, NOTHING, NOTHING, NOTHING, 2, NOTHING)
    assert game.challenge_order == [1, 0]


def test_vector_71_cards_of_a_failed_fight() -> None:
    table = Table()
    game = final(table, "G0 E1 D1|G0 E1 D1", hands="6 1|6", pile="E5", turn_order=[1, 0])
    answer(game, *[NOTHING] * 6)
    assert game.to_move() == 0
    use(game, 6)
    game.apply_chance(table.names["E5"])
    assert game.total(0, FIST) == 7
    use(game, 1, PASS)
    assert table.names["E5"] in game.legal_actions()
    game.apply(table.names["E5"])
    assert game.to_move() == 1
    assert game.discard == {table.names["E5"], table.names["6"], table.names["1"]}
    use(game, 6)
    assert game.chance_outcomes() == sorted(game.discard)
    assert not any(card in game.discard for card, _ in game.olympus[0])


def test_vector_72_all_fail() -> None:
    game = fight_of(team_of(1, 1, 1))
    use(game, PASS, PASS)
    assert game.results() == ("lost_final", [0.0, 0.0])
    assert (game.phase(), game.to_move(), game.legal_actions()) == ("over", OVER, [])


def test_first_success_ends_the_game() -> None:
    game = fight_of(team_of(20, 20, 20))
    use(game, PASS)
    assert game.results() == ("win", [0.0, 1.0])
    assert game.fights_failed == []


# ---------------------------------------------------------------------------------------- knowledge


def closed_pool(round_number: int, team: str = "E9 D9") -> tuple[Reference, dict[str, int]]:
    """Seat 1 has a pool G1 E1 D1 T1: the god closed on Olympus, E1 closed at a quest, two in the hand."""
    table = Table()
    hands = table.hands("|D1 T1||")
    olympus = [(card, True) for card in table.words(team)[: round_number - 1]] + [(table.card("G1"), False)]
    sides = {(0, 0): (1, [table.card("T9"), (table.card("E1"), False)])}
    position = {"round": round_number, "hands": hands, "olympus": [[], olympus, [], []], "sides": sides}
    return Reference.made_up(table.cards, "deployment", position), table.names


def lying(game: Reference, observer: int = 0) -> set[tuple[Any, ...]]:
    """The distinct worlds, the cards in the order of the places."""
    found = worlds(game, observer)
    distinct = {tuple(world[place] for place in sorted(world, key=str)) for world in found}
    assert len(distinct) == len(found)
    return distinct


def test_vector_73_worlds_of_a_pool_of_four() -> None:
    game, names = closed_pool(2)
    assert game.pool(1) == {names[name] for name in ("G1", "E1", "D1", "T1")}
    found = lying(game)
    assert len(found) == 12
    assert found == set(itertools.permutations(game.pool(1), 2))


def test_vector_74_worlds_after_the_last_challenge() -> None:
    game, names = closed_pool(3)
    rest = {names[name] for name in ("E1", "D1", "T1")}
    assert lying(game) == {(names["G1"], card) for card in rest}
    game, _ = closed_pool(3, "G9 D9")
    assert len(lying(game)) == 12


def test_vector_75_worlds_with_a_card_gathered_later() -> None:
    game, names = closed_pool(2)
    game.owned_since[1][names["T1"]] = 1
    game.placed_at[names["E1"]] = 2
    found = lying(game)
    assert len(found) == 9
    assert {olympus for olympus, _ in found} == {names[name] for name in ("G1", "E1", "D1")}
    game.options["closed_shows_stack"] = "yes"
    assert lying(game) == {(names["G1"], names["E1"])}


def test_vector_76_end_proves_nothing() -> None:
    game, _ = closed_pool(2)
    assert (game.to_move(), game.phase()) == (1, "deploy_card")
    before = lying(game)
    game.apply(END)
    assert game.phase() != "deploy_card"  # seats without champions have ended
    game2, _ = closed_pool(2)
    assert lying(game2) == before


def test_world_of_a_card_on_its_way() -> None:
    game, names = closed_pool(2)
    game.apply(names["D1"])
    assert len(lying(game)) == 4 * 3 * 2
    assert game.known(0)["pending"] == (1, None, None)
    assert game.known(1)["pending"] == (1, names["D1"], None)
    game.apply(0)
    game.apply(0)
    assert game.pool(1) == {names[name] for name in ("G1", "E1", "T1")}
    assert len(lying(game)) == 3 * 2


def test_worlds_of_secret_equipment() -> None:
    table = Table()
    game = final(table, "G0 E0 D0|G0 E0 D0", vaults=[[0, 1], [2]])
    assert worlds(game, 1) == [{}]
    game.apply(0)
    game.apply(1)
    assert worlds(game, 0) == [{}]
    assert len(worlds(game, 1)) == 3 * 3 - 2  # no treasure twice
    assert game.known(1)["equipped"] == [[None, None], []]
    assert game.known(0)["equipped"] == [[0, 1], []]
    assert game.known(1)["rows"] == [[Row(), Row()]]
    assert game.seen(NOTHING, 1) is None
    answer(game, *[NOTHING] * 4)
    assert worlds(game, 1) == [{}]
    assert game.known(1)["equipped"] == [[0, 1, None], [None] * 3]


# ---------------------------------------------------------------------------------------- more


@pytest.mark.parametrize("first", [0, 1])
def test_vector_77_who_came_first_is_blue(first: int) -> None:
    table = Table()
    position = {
        "round": 2,
        "hands": table.hands("E1|D1"),
        "turn_order": [first, 1 - first],
        "olympus": [[(card, True)] for card in table.words("G1 G1")],
    }
    game = Reference.made_up(table.cards, "deployment", position, **two_seats({}))
    answer(game, table.names["ED"[first] + "1"], 1, 0, table.names["DE"[first] + "1"], 0, 0)
    assert game.sides[0][1].owner == first
    assert game.banners[0] == [first, 1 - first]
    assert game.encounter() == ("duel", 0, (first, 1 - first))
    assert game.to_move() == first


def test_vector_78_destiny_deals_in_seat_order() -> None:
    stacks = [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)]
    game = Reference.made_up(
        made_up_set(), "gathering", {"stacks": stacks, "turn_order": [2, 0, 1], "first_player": 2}, num_players=3
    )
    for seat in range(3):
        assert sorted(game.hands[seat]) == [12 * stack + card for stack in range(5) for card in (seat, seat + 3)]
        assert game.gathered[seat][seat] == 1


def test_vector_79_consecutive_sending() -> None:
    table = Table()
    teams = [[(table.card("E9"), True)] for _ in range(3)]
    hands = table.hands("G1 E1 T1|G1 E1 T1|G1 E1 T1")
    game = Reference.made_up(
        table.cards, "challenge", {"round": 2, "turn_order": [2, 0, 1], "hands": hands, "olympus": teams}, num_players=3
    )
    senders = []
    while game.phase() in ("challenge_card", "challenge_orient"):
        if game.phase() == "challenge_card":
            senders.append(game.to_move())
        game.apply(game.legal_actions()[0])
    assert senders == [2, 2, 0, 0, 1, 1]


@pytest.mark.parametrize(("variant", "numbers"), [("standard", (1, 1, 1)), ("variation", (1, 2)), ("tournament", (3,))])
def test_number_of_cards_sent(variant: str, numbers: tuple[int, ...]) -> None:
    game = started(variant=variant, num_players=4 if variant == "standard" else 2, key_limit=99)
    run_until(game, "equip")
    assert [[row.olympus for row in rows] for rows in game.rows] == [[n] * game.num_seats for n in numbers]


def test_vector_80_quests_of_the_rounds() -> None:
    names = [QUESTS[quest] for quest in Reference(made_up_set()).quests_of_round(2)]
    assert names == ["B1", "B2", "B3"]
    game = Reference(made_up_set(), variant="tournament")
    game.apply_chance([3, 1])
    game.apply_chance([list(range(12 * stack, 12 * stack + 12)) for stack in range(5)])
    assert (game.phase(), game.chance_outcomes()) == ("b_quest", [3, 4, 5])
    game.apply_chance(4)
    assert game.quests == [6, 7, 8, 4]
    assert game.phase() == "sides"
    assert Reference(made_up_set(), num_players=3).quests_of_round(1) == [3, 4, 5]
    assert Reference(made_up_set(), num_players=3).quests_of_round(2) == [6, 7, 8]


def test_vector_81_key_limit_of_the_setting() -> None:
    cards = made_up_set()
    cards.limits = {(f, s): 10 * f + n for f in (13, 15)
                    for n, s in enumerate(("standard4", "variation3", "variation2", "tournament2"))}  # fmt: skip
    assert Reference(cards, num_players=3, difficulty="hard").key_limit() == 151
    for number, (variant, players) in enumerate(SETTINGS):
        assert Reference(cards, variant=variant, num_players=players).key_limit() == 130 + number


def test_vector_82_pulled_symbol_is_the_third_use() -> None:
    game, names = duel("E5", "E4", hands="1 6 2|", pile="10")
    use(game, 1, PASS, 6)
    game.apply_chance(names["10"])
    assert game.phase() == "end_champion"
    assert game.enc.uses[0] == [(1, "card"), (6, "card"), (10, "pulled")]
    assert game.enc.passed == {0, 1}
    assert names["10"] not in game.discard


@pytest.mark.parametrize(
    ("monster", "beaten"), [((12, 7, 6), True), ((13, 7, 6), False), ((12, 8, 6), False), ((12, 7, 7), False)]
)
def test_vector_83_two_bonuses_on_one_champion(monster: Triple, beaten: bool) -> None:
    game, names = hunt("E5", "FAC", hand="10 11", monster=monster)
    use(game, 10, 11, PASS)
    answer(game, names["E5"], 0, names["E5"], 0)
    assert game.rows[0][0].hunts_won == beaten


def test_vector_84_monster_with_a_category_of_its_own() -> None:
    game, _ = duel("E8/1/0", "E9/0/0", "A", monster=(8, 0, 0))
    pass_all(game)
    assert game.duel_results[0] == 0
    assert game.enc.categories == [True, False, False]
    use(game, PASS)
    assert game.rows[0][0].hunts_won == 1


def test_vector_85_a_treasure_is_given_once() -> None:
    table = Table()
    game = final(table, "G0 E0 D0|G0 E0 D0", vaults=[[3, 5], [7]])
    assert game.legal_actions() == [3, 5, NOTHING]
    game.apply(3)
    assert game.legal_actions() == [5, NOTHING]
    game.apply(NOTHING)
    assert game.legal_actions() == [5, NOTHING]
    game.apply(5)
    assert (game.to_move(), game.legal_actions()) == (1, [7, NOTHING])
    assert game.vaults[0] == {3, 5}
    assert game.rows[-1][0].equipped == 0  # a secret until all are done
    answer(game, *[NOTHING] * 3)
    assert [row.equipped for row in game.rows[-1]] == [2, 0]


def test_vector_86_symbol_9_loses_waiting_effects() -> None:
    game, _ = hunt("E0", hand="10 9")
    use(game, 10, 9)
    assert game.rows[0][0].hunts_won == 1
    assert game.branches["R67 END effects lost"] == 1
    assert game.phase() == "sides"


def test_vector_87_persisting_card_moved_by_5() -> None:
    for pusher in (0, 1):
        game, names = duel("E5", "E5", hands="6|5", pile="T5", sym6_persists="yes")
        use(game, 6)
        game.apply_chance(names["T5"])
        if pusher:
            use(game, 5)
            game.apply_chance(names["T5"])
        pass_all(game)
        assert game.duel_results[0] == pusher
        assert (names["T5"] in game.discard) == bool(pusher)
        assert (names["T5"] in game.line_up(pusher)) == (not pusher)


def test_vector_88_ambush_of_one_quest_only() -> None:
    table = Table()
    for quest in (3, 4):
        table.quest(quest, "F")
    sides = {
        (0, 0): (0, [table.card("E1"), (table.card("E2"), False)]),
        (0, 1): (1, [table.card("D1")]),
        (1, 0): (0, [table.card("E3"), (table.card("E4"), False)]),
        (1, 1): (1, [table.card("D3")]),
        (2, 1): (1, [table.card("D4"), (table.card("D5"), False)]),
    }
    game = Reference.made_up(table.cards, "duels", {"sides": sides, "citadel_used": [True, True]}, **two_seats({}))
    assert game.encounter() == ("duel", 0, (0, 1))
    assert game.known(1)["sides"][0][0] == (0, [table.names["E1"], table.names["E2"]])
    assert game.known(1)["sides"][1][0] == (0, [table.names["E3"], None])
    pass_all(game)
    assert game.known(1)["sides"][1][0] == (0, [table.names["E3"], table.names["E4"]])
    pass_all(game)
    while game.encounter() != ("hunt", 2, (1,)):
        assert game.known(0)["sides"][2][1] == (1, [table.names["D4"], None])
        pass_all(game)
    assert game.known(0)["sides"][2][1] == (1, [table.names["D4"], table.names["D5"]])


def test_vector_89_the_loser_leaves_the_quest() -> None:
    game, names = duel("E4 D1", "E9", hands="1|")
    use(game, 1, PASS, PASS)
    game.apply(names["D1"])
    assert game.duel_results[0] == 1
    assert game.sides[0][0].owner is None
    assert game.sides[0][0].cards == []
    assert game.banners[0] == [1]
    assert {names["E4"], names["D1"], names["1"]} <= game.discard
    assert game.encounter() == ("hunt", 0, (1,))
    use(game, PASS)
    assert game.branches["R72 winner hunts"] == 1
    assert game.phase() == "sides"


# ---------------------------------------------------------------------------------------- options

OPTION_TESTS = {
    "variant": "test_vector_80_quests_of_the_rounds",
    "num_players": "test_vector_52_cards_left",
    "mode": "test_option_mode",
    "difficulty": "test_faces",
    "hands_public": "test_option_hands_public",
    "closed_shows_stack": "test_option_closed_shows_stack",
    "banner_limit": "test_vector_63_banner_limit",
    "tourn_discard": "test_vector_62_may_hold_one",
    "count_sym6_chain": "test_vector_30_no_use_left_for_the_pulled_symbol",
    "allow_null_symbols": "test_vector_20_what_is_playable_where",
    "double_includes_items": "test_vector_68_doubling_and_items",
    "sym6_persists": "test_vector_32_pulled_champion_leaves_after_the_duel",
    "sym8_scope": "test_option_sym8_scope",
    "lone_hunts": "test_vector_41_lone_seat",
    "key_limit": "test_vector_47_key_limit",
}


def test_every_option_is_shown_to_change_something() -> None:
    assert set(OPTION_TESTS) == set(check_options({}))
    assert all(callable(globals()[name]) for name in OPTION_TESTS.values())


@pytest.mark.parametrize(
    ("options", "variant", "players"),
    [
        ({}, "standard", 4),
        ({"num_players": 3}, "variation", 3),
        ({"num_players": 2}, "variation", 2),
        ({"variant": "standard"}, "standard", 4),
        ({"variant": "tournament"}, "tournament", 2),
        ({"variant": "variation", "num_players": 3}, "variation", 3),
        ({"banner_limit": 4}, "standard", 4),
    ],
)
def test_default_options(options: Options, variant: str, players: int) -> None:
    full = check_options(options)
    assert (full["variant"], full["num_players"]) == (variant, players)
    assert all(full[key] == texts[0] for key, texts in ENUMS.items() if key not in options)


WRONG_OPTIONS: list[Options] = [
    {"variant": "variation"},
    {"variant": "solo"},
    {"num_players": 1},
    {"num_players": 5},
    {"num_players": True},
    {"variant": "standard", "num_players": 3},
    {"variant": "variation", "num_players": 4},
    {"variant": "tournament", "num_players": 3},
    {"key_limit": 0},
    {"key_limit": -3},
    {"key_limit": True},
    {"key_limit": "12"},
    {"banner_limit": 3},
    {"level": "easy"},
    *({key: "maybe"} for key in ENUMS),
]


@pytest.mark.parametrize("options", WRONG_OPTIONS, ids=str)
def test_wrong_options_are_refused(options: Options) -> None:
    with pytest.raises(ValueError):
        Reference(made_up_set(), **options)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_option_mode(players: int) -> None:
    phases = {"destiny": ["sides", "crown", "first_player", "challenge_card"], "tactics": ["crown", "first_player"]}
    for mode, first in phases.items():
        game, rng = started(num_players=players, mode=mode), random.Random(1)
        seen = []
        while game.phase() != "challenge_card":
            seen.append(game.phase())
            step(game, rng, at_random)
        seen.append(game.phase())
        picks = 5 * players * (1 if players == 4 else 2)
        assert seen == first + (["draft"] * picks + ["sides", "challenge_card"] if mode == "tactics" else [])


def test_option_hands_public() -> None:
    for hands_public in ("recall", "hidden_after_gather"):
        game = started(num_players=2, hands_public=hands_public)
        run_until(game, "deploy_card")
        facts = game.known(0)
        recalled = {"pools", "reinforcements", "stacks", "gathered_by_all", "owned_since"}
        assert recalled & set(facts) == (recalled if hands_public == "recall" else set())
        assert facts["hand"] == game.hands[0]
        assert facts["hand_sizes"] == [len(hand) for hand in game.hands]


def test_hidden_hands_leave_no_trace() -> None:
    for seed in range(20):
        game, rng = started(seed=seed, num_players=2, hands_public="hidden_after_gather"), random.Random(seed)
        for _ in range(rng.randint(10, 60)):
            step(game, rng, at_random)
        if game.phase() == "over" or not game.hands[1]:
            continue
        before = copy.deepcopy(game.known(0))
        own = rng.choice(sorted(game.hands[1]))
        stack = game.stacks[stack_of(own) - 1]
        if not stack or own in game.stolen[1] or (game.pending is not None and game.pending[1] == own):
            continue
        game.hands[1].symmetric_difference_update({own, stack[0]})
        stack[0] = own
        assert game.known(0) == before
        assert game.known(1) != before


def test_option_closed_shows_stack() -> None:
    for shows, expected in (("no", None), ("yes", -2)):
        table = Table()
        sides = {(0, 0): (1, [table.card("D1"), (table.card("E1"), False)])}
        position = {"sides": sides, "hands": table.hands("T1|T1 E2 G1")}
        game = Reference.made_up(table.cards, "deployment", position, num_players=2, closed_shows_stack=shows)
        assert game.known(0)["sides"][0][0] == (1, [table.names["D1"], expected])
        assert game.known(1)["sides"][0][0] == (1, [table.names["D1"], table.names["E1"]])
        assert len(worlds(game, 0)) == (4 if shows == "no" else 2)


def test_option_sym8_scope() -> None:
    for scope, values in (("card", [13, 14, 13]), ("number", [15, 14, 13])):
        game = fight_of(team_of(14, 14, 14), "8", factors=[(2, 3, 0), (0, 1, 0)], sym8_scope=scope)
        assert [game.kronos_value(category) for category in range(3)] == [15, 17, 13]
        use(game, 8)
        game.apply(0)
        if scope == "number":
            assert (game.phase(), game.legal_actions()) == ("sym8_number", [FIST, AWE])
            game.apply(AWE)
        assert [game.kronos_value(category) for category in range(3)] == values
        use(game, PASS)
        assert (game.outcome == "win") == (scope == "card")


# ---------------------------------------------------------------------------------------- random games

Check = Callable[[Reference], None]
MORE_USES = {"duel": 0.6, "hunt": 0.6, "kronos": 0.95}
SAVER = {"duel": 0.1, "hunt": 0.1, "kronos": 0.95}
Style = Mapping[str, float]


def chooser(style: Style) -> Callable[[Reference, random.Random], int]:
    """A policy that uses symbols with these probabilities and otherwise chooses at random."""

    def choose(game: Reference, rng: random.Random) -> int:
        legal = game.legal_actions()
        if game.phase() == "use" and len(legal) > 1:
            return rng.choice(legal[:-1]) if rng.random() < style[game.enc.kind] else PASS
        if game.phase() == "deploy_card" and rng.random() < 0.8 and len(legal) > 1:
            return rng.choice([action for action in legal if action != END])
        return rng.choice(legal)

    return choose


def random_options(rng: random.Random) -> Options:
    """Random values of the options that do not name the setting."""
    options: Options = {key: rng.choice(texts) for key, texts in ENUMS.items() if key not in ("mode", "difficulty")}
    return {**options, "key_limit": rng.choice(["data", 1, 8, 99, 99])}


def play_out(
    game: Reference, rng: random.Random, style: Style, check: Check | None = None, rounds: int = 3
) -> list[tuple[str, int]]:
    """Play until these rounds are done, and if they are all to the end; the decisions as (phase, action)."""
    choose, decisions = chooser(style), []
    while game.phase() != "over" and (game.rounds_done < rounds or game.rounds_done == game.num_rounds):
        if check is not None:
            check(game)
        if game.to_move() == CHANCE:
            game.apply_chance(chance_of(game, rng))
            continue
        action = choose(game, rng)
        decisions.append((game.phase(), action))
        game.apply(action)
    if check is not None:
        check(game)
    return decisions


class Watch:
    """Checks the invariants of section 6 at every node of one game."""

    def __init__(self) -> None:
        self.rounds_done = 0
        self.treasury: set[int] = set()
        self.encounters: list[tuple[int, Any]] = []  # (round, encounter)
        self.dealt = 0

    def __call__(self, game: Reference) -> None:
        self.cards_and_treasures(game)
        self.actions(game)
        if game.phase() == "draft":
            self.columns(game)
        if game.phase() == "challenge_card" and game.gathering > self.dealt:
            self.gathering(game)
        if game.phase() in ("deploy_card", "deploy_place", "deploy_orient"):
            self.deployment(game)
        if game.rounds_done > self.rounds_done:
            self.new_round(game)
        if game.current is not None:
            self.encounter(game)
        if game.phase() == "equip":
            self.olympus(game)
        if game.phase() == "over":
            self.over(game)

    def cards_and_treasures(self, game: Reference) -> None:
        """Invariants 1, 2, 8 and 10."""
        where: Counter[int] = Counter(game.discard)
        for group in (*game.stacks, *game.columns, *game.hands, *game.new_cards):
            where.update(group)
        closed: set[int] = set()
        for entries in (*game.olympus, *(side.cards for pair in game.sides for side in pair)):
            where.update(card for card, _ in entries)
            closed.update(card for card, is_open in entries if not is_open)
        if game.current is not None:
            where.update(game.current.used)
            where.update(game.current.pulled if game.current.kind == "kronos" else [])
        if game.phase() not in ("citadels", "stacks"):
            assert where == Counter(range(60))
        assert not closed & game.discard
        treasures = Counter(treasure for pair in game.board for treasure in pair if treasure is not None)
        for pile in (game.box, game.treasury, *game.vaults):
            treasures.update(pile)
        assert treasures == Counter(range(18))
        assert self.treasury <= game.treasury
        self.treasury = set(game.treasury)

    def actions(self, game: Reference) -> None:
        """Legal actions are ascending and there are some."""
        legal = game.legal_actions()
        assert legal == sorted(set(legal))
        assert bool(legal) == (game.to_move() not in (CHANCE, OVER))
        most = {"first_player": 4, "draft": 5, "deploy_card": 49, "deploy_place": 8, "use": 16, "sym7": 2, "equip": 19}
        assert len(legal) <= most.get(game.phase(), 48)
        if game.to_move() == CHANCE and game.phase() != "stacks":
            assert game.chance_outcomes()

    def columns(self, game: Reference) -> None:
        """A draft can be completed: columns hold what the seats may still take [R19]."""
        each = 3 if game.variant == "tournament" else 1
        for stack in range(5):
            taken = [sum(1 for card in cards if stack_of(card) == stack + 1) for cards in game.new_cards]
            assert all(number <= each for number in taken)
            assert len(game.columns[stack]) == sum(each - number for number in taken)

    def gathering(self, game: Reference) -> None:
        """Invariant 3."""
        self.dealt = game.gathering
        expected = {"standard": 1, "variation": 1, "tournament": 3}[game.variant]
        for cards in game.gathered:
            for number in range(1, game.gathering + 1):
                stacks = Counter(stack_of(card) for card, when in cards.items() if when == number)
                assert stacks == Counter(dict.fromkeys(range(1, 6), expected))

    def deployment(self, game: Reference) -> None:
        """Invariants 5 and 6."""
        most = 12 if game.variant == "tournament" else 9
        for pair in game.sides:
            owners = [side.owner for side in pair if side.owner is not None]
            assert len(set(owners)) == len(owners)
            assert all(len(side.cards) <= 3 and (side.owner is None) == (not side.cards) for side in pair)
            assert all(is_champion(card) for side in pair for card in side.numbers())
            assert all(side.cards[0][1] for side in pair if side.cards)
        for seat in game.seats:
            assert sum(len(side.cards) for pair in game.sides for side in pair if side.owner == seat) <= most
        if game.pending is None and not any(game.banners):
            bounds = {"standard": [(3, 3), (3, 5), (3, 7)], "variation": [(7, 7), (6, 12)], "tournament": [(9, 9)]}
            low, high = bounds[game.variant][game.round - 1]
            for seat in game.seats:
                assert low <= len(game.champions_in_hand(seat)) <= high + len(game.stolen[seat])

    def new_round(self, game: Reference) -> None:
        """Invariant 8."""
        self.rounds_done = game.rounds_done
        assert all(treasure is None for pair in game.board for treasure in pair)
        assert all(side.owner is None and not side.cards for pair in game.sides for side in pair)
        assert not any(game.banners)
        for row, vault in zip(game.rows[game.rounds_done - 1], game.vaults, strict=True):
            assert (row.keys, row.kronos_keys) == (game.keys_of(vault), game.keys_of(game.treasury))

    def encounter(self, game: Reference) -> None:
        """Invariant 7, and the order of the encounters [R38], [R74], [R75]."""
        enc = game.enc
        if not any(enc is other for _, other in self.encounters):
            self.encounters.append((game.round, enc))
        for seat, uses in enc.uses.items():
            chain = game.options["count_sym6_chain"] == "yes"
            assert sum(1 for _, source in uses if chain or source != "pulled") <= 3
            assert len({symbol for symbol, _ in uses}) == len(uses)
            assert sum(1 for _, source in uses if source == "citadel") <= (enc.kind != "kronos")
            citadels = [
                number
                for number, other in self.encounters
                for _, source in other.uses.get(seat, [])
                if source == "citadel" and (number == game.round or game.variant != "standard")
            ]
            assert len(citadels) <= 1
        if enc.kind == "hunt" and game.duel_results[enc.position] == TIE:
            hunted = [other.seats[0] for n, other in self.encounters if n == game.round and other.kind == "hunt"
                      and other.position == enc.position]  # fmt: skip
            duellists = next(other.seats for n, other in self.encounters if n == game.round and other.kind == "duel"
                             and other.position == enc.position)  # fmt: skip
            assert hunted == list(duellists)[: len(hunted)]
        order = [(n, ("duel", "hunt", "kronos").index(e.kind), e.position) for n, e in self.encounters]
        assert order == sorted(order)

    def olympus(self, game: Reference) -> None:
        """Invariants 2 and 4."""
        assert len(game.box) == {"standard": 0, "variation": 6, "tournament": 10}[game.variant]
        for team in game.olympus:
            assert len(team) == 3
            assert all(is_champion(card) and is_open for card, is_open in team)
            assert any(stack_of(card) == 1 for card, _ in team)

    def over(self, game: Reference) -> None:
        """Invariant 9."""
        outcome, returns = game.results()
        assert outcome in ("win", "lost_keys", "lost_final")
        assert returns == [float(outcome == "win" and seat == game.winner) for seat in game.seats]
        assert (outcome == "win") == (game.winner is not None)
        for seat in game.seats:
            rows = [of_round[seat] for of_round in game.rows]
            assert sum(row.treasures for row in rows) == len(game.vaults[seat])
            assert sum(row.olympus for row in rows) == len(game.olympus[seat])
            assert [row.equipped for row in rows[:-1]] == [0] * (len(rows) - 1)
            assert rows[-1].equipped == sum(1 for given in game.equipped[seat] if given is not None)
            assert all(row.duels_won + row.duels_tied <= len(game.quests_of_round(1)) for row in rows)
        assert len(game.rows) == game.rounds_done
        if outcome == "lost_keys":
            assert game.challenge_order == []
            assert game.keys_of(game.treasury) >= game.key_limit()
        else:
            assert game.keys_of(game.treasury) < game.key_limit()
            assert game.rounds_done == game.num_rounds
            assert game.challenge_order[: len(game.fights_failed)] == game.fights_failed


BOUNDS = {  # invariant 11
    ("standard", 4): {"first_player": 3, "draft": 60, "challenge": 24, "deploy": 152, "tourn_discard": 0,
                      "use": 72, "pass": 40, "equip": 12},
    ("variation", 3): {"first_player": 2, "draft": 60, "challenge": 18, "deploy": 111, "tourn_discard": 0,
                       "use": 45, "pass": 27, "equip": 9},
    ("variation", 2): {"first_player": 2, "draft": 40, "challenge": 12, "deploy": 98, "tourn_discard": 0,
                       "use": 30, "pass": 26, "equip": 6},
    ("tournament", 2): {"first_player": 1, "draft": 30, "challenge": 12, "deploy": 54, "tourn_discard": 2,
                        "use": 24, "pass": 18, "equip": 6},
}  # fmt: skip
SUMS = {("standard", 4): 363, ("variation", 3): 272, ("variation", 2): 214, ("tournament", 2): 147}


def part_of(phase: str, action: int) -> str:
    """The row of the table of invariant 11."""
    if phase == "use":
        return "pass" if action == PASS else "use"
    if phase.startswith(("sym", "end_")):
        return "use"
    return phase.split("_")[0] if phase.startswith(("challenge", "deploy")) else phase


def test_sums_of_the_bounds() -> None:
    destiny = [303, 212, 174, 117]
    for (setting, bounds), without_draft in zip(BOUNDS.items(), destiny, strict=True):
        assert sum(bounds.values()) == SUMS[setting]
        assert sum(bounds.values()) - bounds["draft"] == without_draft


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
@pytest.mark.parametrize("mode", ["destiny", "tactics"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_invariants(setting: tuple[str, int], mode: str, difficulty: str) -> None:
    for seed in range(20):
        rng = random.Random(f"{setting} {mode} {difficulty} {seed}")
        options = random_options(rng) if seed % 4 else {"key_limit": rng.choice(["data", 99])}
        game = Reference(
            made_up_set(seed, repeated_symbols=seed % 3 == 1),
            variant=setting[0], num_players=setting[1], mode=mode, difficulty=difficulty, **options,
        )  # fmt: skip
        decisions = play_out(game, rng, MORE_USES if seed % 2 else SAVER, Watch())
        parts = Counter(part_of(phase, action) for phase, action in decisions)
        assert all(number <= BOUNDS[setting][part] for part, number in parts.items())
        assert parts["draft"] in ((0,) if mode == "destiny" else range(BOUNDS[setting]["draft"] + 1))


def test_same_answers_same_game() -> None:
    for seed in range(8):
        games = []
        for _ in range(2):
            rng = random.Random(seed)
            game = Reference(made_up_set(seed), num_players=2 + seed % 3, **random_options(rng))
            games.append((play_out(game, rng, MORE_USES), game.branches, game.known(0)))
        assert games[0] == games[1]


def snapshot(game: Reference) -> dict[str, Any]:
    """A copy of everything but the flow."""
    return copy.deepcopy({key: value for key, value in vars(game).items() if key != "_flow"})


def test_illegal_answers_raise_and_change_nothing() -> None:
    for seed in range(6):
        rng = random.Random(seed)
        game = Reference(
            made_up_set(seed), num_players=2 + seed % 3, mode=("destiny", "tactics")[seed % 2], key_limit=99
        )
        choose = chooser(MORE_USES)
        while game.phase() != "over":
            before = snapshot(game)
            legal = game.legal_actions()
            for action in range(-4, 66):
                if action not in legal:
                    with pytest.raises(ValueError):
                        game.apply(action)
            for outcome in (-1, 60, [], [0], [[]], [list(range(60))], *([] if game.to_move() == CHANCE else [0, 1])):
                with pytest.raises(ValueError):
                    game.apply_chance(outcome)
            assert snapshot(game) == before
            for _ in range(rng.randint(1, 12)):
                if game.phase() != "over":
                    step(game, rng, choose)


def test_stack_orders_must_be_permutations_of_the_stacks() -> None:
    game = Reference(made_up_set())
    game.apply_chance((3, 0, 1, 2))
    assert game.citadels == [3, 0, 1, 2]
    right = [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)]
    for wrong in (right[:4], [right[1], right[0], *right[2:]], [right[0][:11], *right[1:]], [[0] * 12, *right[1:]]):
        with pytest.raises(ValueError):
            game.apply_chance(wrong)
    game.apply_chance(right)
    assert game.phase() == "sides"
    assert len(game.chance_outcomes()) == 8


def test_chance_outcomes_at_set_up() -> None:
    for (variant, players), citadels in zip(SETTINGS, (24, 24, 12, 12), strict=True):
        game = Reference(made_up_set(), variant=variant, num_players=players)
        outcomes = game.chance_outcomes()
        assert len({tuple(outcome) for outcome in outcomes}) == citadels
        assert all(len(set(outcome)) == players for outcome in outcomes)


def test_treasure_sides() -> None:
    cards = made_up_set(3)
    game = started(cards, variant="tournament")
    game.apply_chance([0, 1, 1, 0])
    for position, left in enumerate((1, 2, 2, 1)):
        pair = [cards.treasures[treasure or 0] for treasure in game.board[position]]
        assert [treasure.copy for treasure in pair] == [left, 3 - left]
        assert {treasure.quest for treasure in pair} == {game.quests[position]}


# ---------------------------------------------------------------------------------------- all branches


def random_encounters(seed: int) -> Reference:
    """A made-up round of duels and hunts with many reinforcement cards and small line-ups."""
    rng = random.Random(seed)
    champions, symbols = list(range(48)), list(range(48, 60))
    rng.shuffle(champions)
    rng.shuffle(symbols)
    sides: dict[tuple[int, int], tuple[int, list[int]]] = {}
    for position in range(3):
        places = rng.choice([[], [0], [1], [0, 1], [1, 0], [0, 1]])
        seats = rng.sample(range(4), len(places))
        for side, seat in zip(places, seats, strict=True):
            sides[position, side] = (seat, [champions.pop() for _ in range(rng.randint(1, 3))])
    hands = [[symbols.pop() for _ in range(rng.randint(0, 3))] for _ in range(4)]
    discard = rng.sample(champions, rng.choice([0, 0, 1, 3])) + (symbols if rng.random() < 0.7 else [])
    number = rng.randint(1, 3)
    fields: dict[str, Any] = {"round": number, "sides": sides, "hands": hands, "discard": discard}
    if number == 3:
        fields["olympus"] = [[(card, True)] for card in rng.sample([c for c in champions if c not in discard], 4)]
    options = {**random_options(rng), "key_limit": 99}
    return Reference.made_up(made_up_set(seed, seed % 5 == 0), "duels", fields, **options)


def random_final(seed: int) -> Reference:
    """A made-up final with many reinforcement cards, teams of gods at times, and a random pile."""
    rng = random.Random(seed)
    rest = list(range(12, 48))
    rng.shuffle(rest)
    gods, symbols = rng.sample(range(12), 12), rng.sample(range(48, 60), 12)
    teams = [[gods.pop() if n == 0 or rng.random() < 0.3 else rest.pop() for n in range(3)] for _ in range(2)]
    hands = [[symbols.pop() for _ in range(rng.randint(2, 5))] for _ in range(2)]
    treasures = rng.sample(range(18), 12)
    cut = rng.choice([0, 6])
    position = {
        "olympus": [[(card, True) for card in team] for team in teams],
        "hands": hands,
        "discard": symbols + rest[: rng.randint(0, 2)],
        "treasury": treasures[:cut],
        "vaults": [treasures[cut : cut + 3], treasures[cut + 3 :]],
    }
    cards = made_up_set(seed, seed % 5 == 0)
    cards.base[13] = (10, 10, 10)
    return Reference.made_up(cards, "final", position, num_players=2, **random_options(rng))


@cache
def all_counts() -> Counter[str]:
    """The branches of many games and made-up positions, and of one that is too rare for them."""
    rare, _ = hunt("E5", hand="6", allow_null_symbols="yes")
    use(rare, 6)
    counts: Counter[str] = rare.branches.copy()
    for seed in range(6000):
        rng = random.Random(seed)
        kind = seed % 3
        if kind == 0:
            variant, players = SETTINGS[seed // 3 % 4]
            options = {
                **random_options(rng),
                "mode": rng.choice(ENUMS["mode"]),
                "difficulty": rng.choice(ENUMS["difficulty"]),
            }
            game = Reference(made_up_set(seed), variant=variant, num_players=players, **options)
        else:
            game = random_encounters(seed) if kind == 1 else random_final(seed)
        play_out(game, rng, MORE_USES, rounds=game.round if kind == 1 else 3)
        counts += game.branches
    return counts


@pytest.mark.parametrize("branch", ALL_BRANCHES)
def test_branch_is_reached(branch: str) -> None:
    assert all_counts()[branch] > 0


def test_only_known_branches_are_counted() -> None:
    assert set(all_counts()) <= set(ALL_BRANCHES)
    assert len(set(ALL_BRANCHES)) == len(ALL_BRANCHES)
    assert set(REPEATED_SYMBOL_BRANCHES) <= set(ALL_BRANCHES)


# ---------------------------------------------------------------------------------------- who sees what

Entry = tuple[bool, str, int, Any]  # whether chance, phase, seat, answer


def recorded(cards: CardSet, options: Options, rng: random.Random, length: int) -> tuple[Reference, list[Entry]]:
    """A game after some answers, and these."""
    game = Reference(cards, **options)
    log: list[Entry] = []
    choose = chooser(MORE_USES)
    while game.phase() != "over" and len(log) < length:
        is_chance = game.to_move() == CHANCE
        given = chance_of(game, rng) if is_chance else choose(game, rng)
        if game.phase() in ("challenge_orient", "deploy_orient"):
            given = game.legal_actions()[-1]  # closed whenever it is allowed
        log.append((is_chance, game.phase(), game.to_move(), given))
        (game.apply_chance if is_chance else game.apply)(given)
    return game, log


def replay(game: Reference, log: Sequence[Entry], observer: int) -> list[Any] | None:
    """What the observer sees of the answers, and knows at the end; None if an answer is not legal."""
    seen: list[Any] = []
    for is_chance, phase, seat, given in log:
        if (game.phase(), game.to_move()) != (phase, seat):
            return None
        if is_chance:
            if phase != "stacks" and given not in game.chance_outcomes():
                return None
            game.apply_chance(given)
            seen.append(None if phase == "stacks" else given)
        else:
            if given not in game.legal_actions():
                return None
            seen.append(game.seen(given, observer))
            game.apply(given)
    return [seen, game.known(observer)]


def changed(log: Sequence[Entry], swaps: Mapping[int, int]) -> list[Entry]:
    """The log with other cards chosen at these places of the log."""
    return [(*entry[:3], swaps.get(index, entry[3])) for index, entry in enumerate(log)]


def check_worlds(game: Reference, log: Sequence[Entry], cards: CardSet, options: Options, most: int) -> int:
    """`worlds` are exactly the assignments of one seat's closed cards that replay to the same observations."""
    checked = 0
    for seat in game.seats[1:]:
        places, pool = game.closed_places(seat), sorted(game.pool(seat))
        choices = list(itertools.permutations(pool, len(places)))
        if not places or len(choices) > most:
            continue
        chosen_at = {
            entry[3]: index
            for index, entry in enumerate(log)
            if entry[2] == seat and entry[1] in ("challenge_card", "deploy_card")
        }
        truth = replay(Reference(cards, **options), log, 0)
        assert truth is not None
        possible = set()
        for choice in choices:
            swaps = {chosen_at[card]: other for card, other in zip(places.values(), choice, strict=True)}
            if replay(Reference(cards, **options), changed(log, swaps), 0) == truth:
                possible.add(choice)
        found = {tuple(world[seat, *place] for place in places) for world in seat_worlds(game, seat)}
        assert found == possible
        assert tuple(places.values()) in found
        checked += len(choices)
    return checked


REPLAYED = [
    pytest.param({"num_players": 4}, (60, 90, 130, 180, 230), 24, id="standard"),
    pytest.param({"num_players": 4, "closed_shows_stack": "yes"}, (90, 150, 190), 8, id="standard_stacks_shown"),
    pytest.param({"num_players": 3, "mode": "tactics"}, (90, 140, 190, 220), 16, id="variation3"),
    pytest.param({"num_players": 2}, (20, 50, 80, 110), 24, id="variation2"),
    pytest.param({"variant": "tournament"}, (10, 14, 16, 22), 24, id="tournament"),
]


@pytest.mark.parametrize(("options", "lengths", "games"), REPLAYED)
def test_worlds_are_those_that_replay_to_the_same_observations(
    options: Options, lengths: Sequence[int], games: int
) -> None:
    checked = 0
    for seed in range(games):
        rng = random.Random(seed)
        cards = made_up_set(seed)
        full = {**options, "key_limit": 99}
        game, log = recorded(cards, full, rng, rng.choice(lengths) + rng.randint(-4, 4))
        checked += check_worlds(game, log, cards, full, most=400)
    assert checked > 200


def test_worlds_are_products_over_the_seats_and_look_alike() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        cards = made_up_set(seed)
        game, _ = recorded(cards, {"num_players": 3, "key_limit": 99}, rng, rng.randint(60, 90))
        sizes = [len(seat_worlds(game, seat)) for seat in (1, 2)]
        if game.phase() == "over" or sizes[0] * sizes[1] > 20_000:
            continue
        found = worlds(game, 0)
        assert len(found) == sizes[0] * sizes[1]
        for world in rng.sample(found, min(5, len(found))):
            before = copy.deepcopy(game.known(0))
            become(game, world)
            assert game.known(0) == before


def become(game: Reference, world: Mapping[tuple[Any, ...], int | None]) -> None:
    """Put the cards of a world into the closed places. Modified in place."""
    for seat in game.seats:
        pool, places = game.pool(seat), game.closed_places(seat)
        cards = {place: world[seat, *place] for place in places if (seat, *place) in world}
        if not cards:
            continue
        lying = set()
        for place, card in cards.items():
            assert card is not None
            if place[0] == "olympus":
                game.olympus[seat][place[1]] = (card, False)
            elif place[0] == "quest":
                game.sides[place[1]][place[2]].cards[place[3]] = (card, False)
            else:
                assert game.pending is not None
                game.pending = (seat, card, game.pending[2])
                continue  # it is still in the hand
            lying.add(card)
        game.hands[seat] = {card for card in game.hands[seat] if not is_champion(card)} | (pool - lying)


def test_stack_orders_leave_no_trace() -> None:
    game, rng = started(num_players=2), random.Random(2)
    for _ in range(30):
        step(game, rng, at_random)
    before = copy.deepcopy([game.known(seat) for seat in game.seats])
    assert all(game.stacks)
    for stack in game.stacks:
        rng.shuffle(stack)
    assert [game.known(seat) for seat in game.seats] == before


def test_what_an_observer_sees_of_actions() -> None:
    hidden: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        variant, players = SETTINGS[seed % 4]
        game = Reference(made_up_set(seed), variant=variant, num_players=players, mode="tactics", key_limit=99)
        choose = chooser(MORE_USES)
        while game.phase() != "over":
            if game.to_move() == CHANCE:
                game.apply_chance(chance_of(game, rng))
                continue
            action, mover, phase = choose(game, rng), game.to_move(), game.phase()
            for observer in game.seats:
                sees = game.seen(action, observer)
                assert sees == (action if observer == mover else sees)
                if observer != mover:
                    assert sees in (None, action)
                    name = "END" if phase == "deploy_card" and action == END else phase
                    (hidden if sees is None else shown)[name] += 1
            game.apply(action)
    assert set(hidden) == {"challenge_card", "deploy_card", "equip"}
    public = {"first_player", "draft", "challenge_orient", "END", "deploy_place", "deploy_orient", "tourn_discard"}
    assert public | {"use", "sym7", "sym8_card", "end_champion", "end_permutation"} == set(shown)


def test_everybody_knows_a_stolen_card() -> None:
    game, names = duel("D5 T4", "D6 G2", hands="4|", hands_public="hidden_after_gather")
    use(game, 4)
    game.apply_chance(names["D6"])
    assert game.known(1)["stolen"] == [{names["D6"]}, set()]
    game.hands[0].remove(names["D6"])
    game.sides[2][0].cards.append((names["D6"], True))
    assert game.known(1)["stolen"] == [set(), set()]  # it lies face up now


# ---------------------------------------------------------------------------------------- tables and numbers


def test_card_set_is_read_in_any_order_of_rows(tmp_path: Path) -> None:
    cards, rng = made_up_set(5), random.Random(5)
    cards.base, cards.limits[15, "tournament2"] = {13: (13, 14, 15), 15: (15, 15, 17)}, 7
    tables: dict[str, list[dict[str, Any]]] = {
        "set": [{"name": "made up", "origin": "invented", "note": ""}],
        "champions": [
            {"id": number, "name": f"c{number}", "stack": stack, **values(numbers)}
            for number, (stack, numbers) in enumerate(cards.champions)
        ],
        "reinforcements": [{"id": i, "name": f"r{i}", "symbol": s} for i, s in enumerate(cards.reinforcements)],
        "quests": [
            {"quest": QUESTS[quest], "name": f"q{quest}", "face": face, **values(force), **values(monster, "monster_")}
            for (quest, face), (force, monster) in cards.quests.items()
        ],
        "treasures": [
            {"id": i, "quest": QUESTS[t.quest], "copy": t.copy, "name": f"t{i}", "keys": t.keys,
             **values(t.item, "item_"), **values(t.factor, "factor_")}
            for i, t in enumerate(cards.treasures)
        ],
        "citadels": [
            {"id": i, "name": f"s{i}", **{f"symbol_{n + 1}": symbol for n, symbol in enumerate(symbols)}}
            for i, symbols in enumerate(cards.citadels)
        ],
        "kronos": [{"face": face, **values(base, "base_")} for face, base in cards.base.items()],
        "key_limits": [{"face": f, "setting": s, "limit": limit} for (f, s), limit in cards.limits.items()],
    }  # fmt: skip
    for name, rows in tables.items():
        rng.shuffle(rows)
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    assert read_card_set(tmp_path) == cards


def values(numbers: Sequence[int], prefix: str = "") -> dict[str, int]:
    """The columns of a triple."""
    return {prefix + category: int(number) for category, number in zip(CATEGORIES, numbers, strict=True)}


def test_blank_symbols_are_those_of_the_table() -> None:
    for kind, symbols in BLANKS.items():
        assert set(range(1, 13)) - set(PLAYABLE[kind]) <= set(symbols)
    assert {symbol for kind in PLAYABLE for symbol in PLAYABLE[kind]} == set(range(1, 13))
    assert set(END_SYMBOLS) == {1, 2, 3, 10, 11, 12}


def test_every_vector_of_section_7_is_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert {int(number) for number in re.findall("vector" + r"_0*(\d+)", text)} == set(range(1, 90))
