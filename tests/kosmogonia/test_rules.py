"""Every clause of the rules, R1 to R96, as a small position with its result; `v14` in a name or id is test vector 14.

Cards get made-up numbers and are named by them: "E3/7/2" is a card of stack 2 (G, E, D, T are stacks 1 to 4) with
Fist 3, Awe 7 and Cunning 2, "D5" one of stack 3 with 5 in all of them, and "10" a reinforcement card with symbol 10.
In a duel seat 0 is blue and on the left, seat 1 red and on the right.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardkit import verbs
from cardkit.rng import chance_stream
from cardkit.spec import IllegalAction, InvalidRules, columns_dtype
from cardkit.state import State
from cardkit.verbs import CHANCE, OVER
from kosmogonia import Game
from kosmogonia._card_files import standin
from kosmogonia._encounters import monster_value
from kosmogonia._final import key_limit, keys_of, kronos_total
from kosmogonia._show import quest_name
from kosmogonia._symbols import corner_total
from kosmogonia.kernels import _advance, new_game
from kosmogonia.rules import OPTIONS, PRESETS, VARIANTS
from kosmogonia.state import (
    CITADEL,
    DUEL,
    END,
    GAME_OVER,
    HUNT,
    KRONOS,
    NONE,
    NOTHING,
    OUTCOMES,
    PASS,
    RESULTS,
    TO_CHALLENGE,
    TO_DEPLOYMENT,
    TO_DUEL,
    TO_FINAL,
    UNKNOWN,
    UNSEEN,
)

Options = dict[str, Any]
Triple = tuple[int, int, int]
ZERO: Triple = (0, 0, 0)
FIST, AWE, CUNNING = range(3)
OPEN, CLOSED = 0, 1
LAST_ROUND = {"standard": 2, "variation": 1, "tournament": 0}
SENT = {"standard": (0, 1, 2, 3), "variation": (0, 1, 3), "tournament": (0, 3)}  # to Olympus before round 0, 1, ...
GATHERED = {"standard": 1, "variation": 2, "tournament": 3}  # cards of each stack a seat gets in a round
SETTINGS: dict[str, Options] = {
    "standard": {"num_players": 4},
    "variation3": {"num_players": 3},
    "variation2": {"num_players": 2},
    "tournament": {"variant": "tournament", "num_players": 2},
}
ALL_SYMBOLS = " ".join(str(symbol) for symbol in range(1, 13))


# Writing positions


class Cards:
    """A card set whose cards get their numbers as a test names them; what is not named is 0, monsters have 60.

    Attributes:
        table: the `CARD_SET` record.
        names: the card of each name, the first of it.
    """

    def __init__(self) -> None:
        self.table = standin().table.copy()
        row = self.table[0]
        for column in ("values", "keys", "items", "factors"):
            row[column][:] = 0
        row["monsters"][:] = 60 * row["categories"]
        self.free = [list(range(12 * stack, 12 * stack + 12)) for stack in range(5)]
        self.names: dict[str, int] = {}

    def card(self, word: str) -> int:
        """A new card of this name."""
        stack = "GEDT".find(word[0])
        card = self.free[stack].pop(0)
        if stack == -1:
            self.table[0]["symbols"][card - 48] = int(word)
        else:
            numbers = [int(number) for number in word[1:].split("/")]
            self.table[0]["values"][card] = numbers * 3 if len(numbers) == 1 else numbers
        self.names.setdefault(word, card)
        return card

    def mask(self, text: str) -> int:
        """New cards of these names."""
        return sum(1 << self.card(word.removesuffix("*")) for word in text.split())

    def spare(self, stack: int) -> int:
        """A card that nobody has named."""
        return self.free[stack].pop()

    def quest(self, quest: int, force: str, monster: Triple | None = None) -> None:
        """Both faces of a quest have these categories, and this monster or one that nobody beats."""
        there = [int(letter in force) for letter in "FAC"]
        self.table[0]["categories"][quest] = there
        self.table[0]["monsters"][quest] = monster or [60 * category for category in there]

    def treasure(self, number: int, keys: int = 0, item: Triple = ZERO, factor: Triple = ZERO) -> int:
        """A treasure with these numbers; those of quest q are 2 q and 2 q + 1."""
        row = self.table[0]
        row["keys"][number], row["items"][number], row["factors"][number] = keys, item, factor
        return number

    def citadels(self, text: str) -> None:
        """The symbols of the citadels of the first seats, such as "1 2 3|4 5 6"."""
        for number, symbols in enumerate(text.split("|")):
            self.table[0]["citadels"][number] = [int(symbol) for symbol in symbols.split()]

    def game(self, **options: Any) -> Game:
        """A game with these cards, in which nobody reaches the key limit."""
        return Game(cards=replace(standin(), source="made up", table=self.table), **{"key_limit": 99} | options)


class Scene:
    """A position of a game with made-up cards: `scene["E5"]` is the card of that name."""

    def __init__(self, cards: Cards, state: State) -> None:
        self.cards, self.state = cards, state

    def __getitem__(self, name: str) -> int:
        return self.cards.names[name]

    @property
    def record(self) -> Any:
        """The record of the state."""
        return self.state.record

    def where(self) -> tuple[str, int]:
        """Phase and seat to move."""
        return self.state.phase(), self.state.current_player()

    def encounter(self) -> tuple[str, int, int]:
        """Which kind of encounter is on, at which position, and who acts."""
        kind = ("none", "duel", "hunt", "Kronos")[self.record.fight]
        return kind, int(self.record.position), self.state.current_player()

    def result(self) -> str:
        """How the encounter ended that the last action has ended."""
        return RESULTS[self.record.result - 1]

    def symbols(self) -> dict[int, int]:
        """The symbol of each use that the seat to move may make."""
        table, seat = self.cards.table[0], self.state.current_player()
        uses = [action for action in self.state.legal_actions() if action != PASS]
        citadel = table["citadels"][self.record.citadels[seat]]
        return {use: int(table["symbols"][use] if use < CITADEL else citadel[use - CITADEL]) for use in uses}

    def offered(self) -> list[int]:
        """The symbols that the seat to move may use, ascending."""
        assert self.state.phase() == "use"
        assert PASS in self.state.legal_actions()
        return sorted(self.symbols().values())

    def legal(self) -> list[int | str]:
        """The legal actions; a champion by its name."""
        has_cards = self.state.phase() in ("challenge_card", "deploy_card", "tourn_discard", "end_champion")
        names = {card: name for name, card in self.cards.names.items() if has_cards and card < 48}
        return [names.get(action, action) for action in self.state.legal_actions()]

    def do(self, *actions: int | str) -> Scene:
        """Make these decisions; a champion is given by its name."""
        for action in actions:
            self.state.apply_action(self[action] if isinstance(action, str) else action)
        return self

    def use(self, *symbols: int, draws: str = "") -> Scene:
        """The seats to move use these symbols in turn, or pass; the last one draws this card."""
        for i, symbol in enumerate(symbols):
            assert self.state.phase() == "use", self.where()
            action = PASS if symbol == PASS else next(a for a, s in self.symbols().items() if s == symbol)
            if draws and i == len(symbols) - 1:
                trials = (self._trial(action, board) for board in range(300))
                self.state = next(trial for trial in trials if trial.record.drawn == self[draws])
            else:
                self.state.apply_action(action)
        return self

    def _trial(self, action: int, board: int) -> State:
        trial = self.state.clone()
        trial.board = board
        trial.apply_action(action)
        return trial

    def draws(self, symbol: int, number: int = 300) -> Counter[str]:
        """How often each card is drawn, if the seat to move uses the symbol in so many games."""
        action = next(a for a, s in self.symbols().items() if s == symbol)
        names = {card: name for name, card in self.cards.names.items()}
        return Counter(names[int(self._trial(action, board).record.drawn)] for board in range(number))

    def finish(self) -> Scene:
        """All pass until this encounter is over or an END effect waits."""
        kind, position, seat = self.encounter()
        while self.state.phase() == "use" and self.encounter()[:2] == (kind, position):
            if kind == "hunt" and self.state.current_player() != seat:
                break
            self.state.apply_action(PASS)
        return self

    def named(self, cards: Any) -> set[str]:
        """Which of the named cards are among these."""
        return {name for name, card in self.cards.names.items() if int(cards) >> card & 1}

    def totals(self, corner: int = 0) -> Triple:
        """What a side has in the encounter that is on."""
        fist, awe, cunning = (int(corner_total(self.state.game.rules, self.record, corner, i)) for i in range(3))
        return fist, awe, cunning

    def kronos(self) -> Triple:
        """What Kronos has."""
        fist, awe, cunning = (int(kronos_total(self.state.game.rules, self.record, i)) for i in range(3))
        return fist, awe, cunning

    def in_force(self) -> str:
        """The letters of the categories in force."""
        return "".join(letter for i, letter in enumerate("FAC") if self.record.in_force >> i & 1)


def entries(text: str, number: int) -> list[str]:
    """Parts that are separated by `|`, filled up with empty ones."""
    parts = text.split("|")
    return parts + [""] * (number - len(parts))


def begin(
    stage: int,
    cards: Cards | None = None,
    *,
    sides: str = "",
    hands: str = "",
    pile: str = "",
    teams: str = "",
    vaults: Sequence[Sequence[int]] = (),
    treasury: Sequence[int] = (),
    round_number: int | None = None,
    first_player: int = 0,
    blue: str = "",
    spare: str = "hand",
    citadels: str = "",
    **options: Any,
) -> Scene:
    """The position at the start of a stage, without what happens by itself.

    Args:
        stage: one of the stages of `state.py`.
        cards: the card set so far.
        sides: line-ups such as "0 E5 T3*|1 D4" (seat, then cards; `*` is closed), those of quest p at 2 p and 2 p + 1.
        hands: cards by name, those of the seats separated by `|`.
        pile: cards by name.
        teams: who is on Olympus, as above; what is missing is filled up.
        vaults: treasures of the seats.
        treasury: treasures of Kronos.
        round_number: 0 is the first; by default the last one.
        first_player: of this round.
        blue: the side that came first to each quest, such as "0011"; by default left if it is occupied.
        spare: where cards lie that have been dealt and are not named: the "hand" of the last seat, or the "pile".
        citadels: symbols of the first citadels; without them all are used.
        **options: of the rules.
    """
    cards = cards or Cards()
    if citadels:
        cards.citadels(citadels)
    plain = Game(**options)
    record, seats = plain.new_records(1)[0], plain.num_players
    variant = VARIANTS[plain.rules.variant]
    number = LAST_ROUND[variant] if round_number is None else round_number
    new_game(plain.rules, record)
    record.round_number = record.rounds_done = number
    record.opened = (number + 1) * GATHERED[variant] * seats
    record.first_player = record.finder = first_player
    record.b_quest = 4 if variant == "tournament" else NONE
    record.citadels[:seats] = range(seats)
    record.citadels_used = 0 if citadels else (1 << seats) - 1
    for side, text in enumerate(entries(sides, 8)):
        if text:
            place_side(cards, record, side, text)
    for seat, text in enumerate(entries(hands, seats)):
        record.hands[seat] = cards.mask(text)
        if stage == TO_CHALLENGE and not text:
            new = [cards.spare(stack) for stack in range(5) for _ in range(GATHERED[variant])]
            record.hands[seat] = sum(1 << card for card in new)
    record.discard = cards.mask(pile)
    num_sent = SENT[variant][number + (stage != TO_CHALLENGE)]
    for seat, text in enumerate(entries(teams, seats)):
        send_team(cards, record, seat, text, num_sent)
    for position in range(4):
        owned = [record.owners[2 * position + side] != NONE for side in range(2)]
        is_right = blue[position] == "1" if position < len(blue) else owned == [False, True]
        record.blue[position] = int(is_right) if any(owned) else NONE
    lay_out(cards, variant, record, stage)
    for seat, treasures in enumerate(vaults):
        record.vaults[seat] = sum(1 << treasure for treasure in treasures)
    record.treasury = sum(1 << treasure for treasure in treasures_in(treasury))
    spare_cards(cards, record, None if spare == "pile" or seats == 2 else seats - 1)
    gather(record, seats, GATHERED[variant])
    record.ended = (1 << seats) - 1 if stage in (TO_DUEL, TO_FINAL) else 0
    record.phase, game = stage, cards.game(**options)
    while record.phase > GAME_OVER:
        _advance(game.rules, record)
    state = State(game, np.array([record], game.state_dtype).view(np.recarray), seed=1)
    state._draw_chance()
    return Scene(cards, readable(state))


def treasures_in(treasury: Sequence[int]) -> Sequence[int]:
    """The treasures, each once."""
    assert len(set(treasury)) == len(treasury)
    return treasury


def place_side(cards: Cards, record: Any, side: int, text: str) -> None:
    """Lay a line-up such as "0 E5 T3*"."""
    seat, *words = text.split()
    record.owners[side] = int(seat)
    record.deployed[int(seat)] += len(words)
    for word in words:
        mask = cards.mask(word)
        record.lineups[side] |= mask
        record.closed |= mask if word.endswith("*") else 0


def send_team(cards: Cards, record: Any, seat: int, text: str, number: int) -> None:
    """Send a team such as "G1 E2*", filled up to this number, the god first."""
    words = text.split()
    team = [cards.card(word.removesuffix("*")) for word in words]
    while len(team) < number:
        has_god = any(card < 12 for card in team)
        longest = max((1, 2, 3), key=lambda stack: len(cards.free[stack]))
        team.append(cards.spare(longest if has_god else 0))
    record.olympus[seat, : len(team)] = team
    for i, word in enumerate(words):
        record.olympus_closed |= int(word.endswith("*")) << 3 * seat + i


def lay_out(cards: Cards, variant: str, record: Any, stage: int) -> None:
    """Lay the treasures to the quests of the round, the first copy left."""
    if stage == TO_FINAL:
        return
    first = {"standard": 0, "variation": 3, "tournament": 6}[variant]
    quests = [first + 3 * int(record.round_number) + position for position in range(3)]
    quests += [4] if record.b_quest != NONE else []
    for position, quest in enumerate(quests):
        record.treasures[2 * position : 2 * position + 2] = cards.table[0]["quest_treasures"][quest]


def spare_cards(cards: Cards, record: Any, seat: int | None) -> None:
    """Leave in the stacks what is not dealt, and put what is dealt but not named into a hand or the pile."""
    opened = int(record.opened)
    for stack, free in enumerate(cards.free):
        assert len(free) >= 12 - opened, "more cards are named than dealt"
        left = [free.pop() for _ in range(12 - opened)]
        record.stacks[12 * stack + opened : 12 * stack + 12] = left
        mask = sum(1 << card for card in free)
        if seat is None:
            record.discard |= mask
        else:
            record.hands[seat] |= mask
    in_stacks = {int(card) for card in record.stacks if card != UNSEEN}
    for card in range(48):
        record.since[card] = 0 if card in in_stacks else 1


def gather(record: Any, seats: int, each: int) -> None:
    """Say which cards the seats have gathered in this round: their own, as far as they have that many of a stack."""
    in_stacks = {int(card) for card in record.stacks if card != UNSEEN}
    free = [[card for card in range(12 * stack, 12 * stack + 12) if card not in in_stacks] for stack in range(5)]
    for seat in range(seats):
        own = int(record.hands[seat]) | sum(int(record.lineups[side]) for side in np.flatnonzero(record.owners == seat))
        for cards in free:
            cards.sort(key=lambda card: own >> card & 1)
            record.gathered[seat] |= sum(1 << cards.pop() for _ in range(each))


def readable(state: State) -> State:
    """The state, whose position line reads back as it is."""
    again = state.game.position(state.position_string(), seed=1)
    assert again.position_string() == state.position_string()
    return state


def first_quest(options: Options, round_number: int | None) -> int:
    """The quest in position 1."""
    variant = options.get("variant", "variation" if options.get("num_players", 4) < 4 else "standard")
    number = LAST_ROUND[variant] if round_number is None else round_number
    return {"standard": 0, "variation": 3, "tournament": 6}[variant] + 3 * number


def duel(
    blue: str,
    red: str,
    force: str = "F",
    *,
    hands: str = "",
    pile: str = "",
    monster: Triple | None = None,
    round_number: int | None = None,
    **others: Any,
) -> Scene:
    """A duel at the first quest: seat 0, blue, on the left and seat 1, red, on the right."""
    cards = Cards()
    cards.quest(first_quest(others, round_number), force, monster)
    sides = f"0 {blue}|1 {red}"
    return begin(TO_DUEL, cards, sides=sides, hands=hands, pile=pile, round_number=round_number, **others)


def hunt(lineup: str, force: str = "F", *, hand: str = "", monster: Triple | None = None, **others: Any) -> Scene:
    """The hunt of seat 0, alone on the left of the first quest."""
    cards = Cards()
    cards.quest(first_quest(others, others.get("round_number")), force, monster)
    return begin(TO_DUEL, cards, sides=f"0 {lineup}", hands=hand, **others)


def deploying(sides: str, hands: str, **others: Any) -> Scene:
    """The deployment; seats that are given no hand have no champions."""
    return begin(TO_DEPLOYMENT, sides=sides, hands=hands, spare="pile", **others)


def final(cards: Cards | None = None, **others: Any) -> Scene:
    """The first equip decision; with equal keys and vaults the seats challenge in the order 1, 0, 3, 2."""
    return begin(TO_FINAL, cards, **{"first_player": 2} | others)


def fight(team: str, hand: str = "", factors: Sequence[Triple] = ((0, 1, 0),), **others: Any) -> Scene:
    """Seat 1 with a god, worth nothing, and two more champions challenges Kronos, who owns treasures with factors."""
    cards = Cards()
    treasury = [cards.treasure(number, factor=factor) for number, factor in enumerate(factors)]
    return equip_nothing(final(cards, teams=f"|G0 {team}", hands=f"|{hand}", treasury=treasury, **others))


def equip_nothing(scene: Scene) -> Scene:
    """All seats equip nothing from here on."""
    while scene.state.phase() == "equip":
        scene.do(NOTHING)
    return scene


# Playing


def play_to(state: State, *phases: str, seed: int = 0, avoid: Sequence[int] = ()) -> State:
    """Play at random, without these actions where there is a choice, to one of these phases or the end."""
    choices = random.Random(seed)
    while state.phase() not in phases and not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(choices.choice([action for action in legal if action not in avoid] or legal))
    return state


def random_states(game: Game, number: int, seed: int = 0) -> Iterator[State]:
    """All states of some random games; the state is played on, so copy what you keep."""
    for board in range(number):
        state, choices = game.new_initial_state(seed=seed, board=board), random.Random(board)
        while not state.is_terminal():
            yield state
            state.apply_action(choices.choice(state.legal_actions()))
        yield state


def ordered(**options: Any) -> State:
    """The first decision of a game in which every stack holds its cards in rising order, the lowest on top."""
    state = Game(**options).new_initial_state(seed=0)
    state.record.stacks[:] = range(60)
    return state


def about(counts: Counter[Any], outcomes: int, total: int) -> bool:
    """Whether all outcomes have come, each about equally often (five standard deviations)."""
    expected = total / outcomes
    return len(counts) == outcomes and all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


# 2.1 Set-up


@pytest.mark.parametrize(
    ("options", "variant", "players"),
    [
        ({}, "standard", 4),
        ({"num_players": 4}, "standard", 4),
        ({"num_players": 3}, "variation", 3),
        ({"num_players": "2"}, "variation", 2),
        ({"variant": "standard"}, "standard", 4),
        ({"variant": "variation", "num_players": 2}, "variation", 2),
        ({"variant": "tournament"}, "tournament", 2),
    ],
)
def test_option_variant_r1_follows_from_the_seats(options: Options, variant: str, players: int) -> None:
    values = Game(**options).option_values()
    assert (values["variant"], values["num_players"]) == (variant, str(players))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, "'num_players' cannot be 1: expected 2..4 [R1]"),
        ({"num_players": 5}, "'num_players' cannot be 5"),
        ({"variant": "solo"}, "'variant' cannot be 'solo': expected standard, variation, tournament [R1]"),
        ({"variant": "standard", "num_players": 2}, "variant=standard is not for num_players=2: expected 4 [R1]"),
        ({"variant": "variation", "num_players": 4}, "variant=variation is not for num_players=4: expected 2 or 3"),
        ({"variant": "tournament", "num_players": 3}, "variant=tournament is not for num_players=3: expected 2 [R1]"),
        ({"variant": "variation"}, "variant=variation does not say how many play"),
    ],
)
def test_option_num_players_r1_two_to_four_seats(options: Options, message: str) -> None:
    with pytest.raises(InvalidRules, match=re.escape(message)):
        Game(**options)


FACES: list[tuple[str, Options, int, tuple[int, ...], int]] = [
    ("standard easy A", {"difficulty": "easy"}, 0, (1, 1, 1), 13),
    ("standard easy C", {"difficulty": "easy"}, 2, (1, 1, 1), 13),
    ("v49 standard medium A", {}, 0, (1, 1, 1), 13),
    ("standard medium B", {}, 1, (2, 2, 2), 13),
    ("standard medium C", {}, 2, (2, 2, 2), 13),
    ("standard hard A", {"difficulty": "hard"}, 0, (2, 2, 2), 15),
    ("standard hard C", {"difficulty": "hard"}, 2, (2, 2, 2), 15),
    ("v49 variation medium", {"num_players": 3}, 0, (2, 2, 2), 13),
    ("v49 variation easy", {"num_players": 2, "difficulty": "easy"}, 0, (1, 1, 1), 13),
    ("v49 variation hard", {"num_players": 3, "difficulty": "hard"}, 1, (2, 2, 2), 15),
    ("tournament easy", {"variant": "tournament", "difficulty": "easy"}, 0, (1, 1, 1, 1), 13),
    ("tournament medium", {"variant": "tournament"}, 0, (2, 2, 2, 2), 13),
    ("tournament hard", {"variant": "tournament", "difficulty": "hard"}, 0, (2, 2, 2, 2), 15),
]


@pytest.mark.parametrize(("name", "options", "number", "categories", "base"), FACES, ids=[face[0] for face in FACES])
def test_option_difficulty_r2_r3_faces_v49(
    name: str, options: Options, number: int, categories: tuple[int, ...], base: int
) -> None:
    scene = begin(TO_CHALLENGE, hands="G1 E1 D1", round_number=number, **options)
    lines = str(scene.state).splitlines()
    assert lines[1].startswith(f"Kronos has {base}/{base}/{base} ")
    shown = [line.split(": ")[1].split(",")[0].split(" and ") for line in lines if line.startswith("quest ")]
    assert tuple(map(len, shown)) == categories


def test_r4_a_face_has_one_category_or_two_and_never_three() -> None:
    assert standin().table[0]["categories"].sum(axis=2).tolist() == [[1, 2]] * 9
    assert duel("E1", "D1", "AC").in_force() == "AC"
    assert duel("E1", "D1", "C").in_force() == "C"


@pytest.mark.parametrize(
    ("setting", "rounds"),
    [
        ("standard", ("Phaistos Marathon Ithaca", "Delphi Thebes Troy", "Lake Lerna Delos Pelion")),
        ("variation3", ("Delphi Thebes Troy", "Lake Lerna Delos Pelion")),
        ("variation2", ("Delphi Thebes Troy", "Lake Lerna Delos Pelion")),
        ("tournament", ("Lake Lerna Delos Pelion Thebes",)),
    ],
)
def test_r5_v80_rounds_and_quests_from_olympus_down(setting: str, rounds: tuple[str, ...]) -> None:
    game = Game(**SETTINGS[setting])
    assert game.max_deals() == len(rounds)
    for number, names in enumerate(rounds):
        scene = begin(TO_CHALLENGE, hands="G1 E1 D1", round_number=number, **SETTINGS[setting])
        shown = [quest_name(game.rules, scene.record, p) for p in range(4 if setting == "tournament" else 3)]
        assert " ".join(shown) == names


def test_r6_the_tournaments_b_quest_is_drawn_at_set_up_and_shown() -> None:
    game = Game("tournament")
    drawn = Counter(int(quest) for quest in game.new_batch(900, seed=1).states.b_quest)
    assert about(drawn, 3, 900)
    assert set(drawn) == {3, 4, 5}
    for mode in ("destiny", "tactics"):
        state = Game("tournament", mode=mode).new_initial_state(seed=2)
        assert [event.phase for event in state.history(1)][:3] == ["citadels", "stacks", "b_quest"]
        assert state.view(1).record.b_quest == state.record.b_quest


def test_r7_every_stack_is_shuffled_uniformly() -> None:
    stacks = Game(num_players=2).new_batch(1200, seed=3).states.stacks
    for stack, place in itertools.product(range(5), (0, 5, 11)):
        assert about(Counter(stacks[:, 12 * stack + place].tolist()), 12, 1200)
    assert (np.sort(stacks, axis=1) == range(60)).all()
    assert (stacks // 12 == np.repeat(range(5), 12)).all()


def test_option_closed_shows_stack_r7_shows_the_back_of_closed_cards() -> None:
    backs = {}
    for value in ("no", "yes"):
        scene = deploying("0 E1 T2*", "D9|D1", teams="G1|G2|G3|G4", round_number=0, closed_shows_stack=value)
        view = scene.state.view(1).record
        backs[value] = view.hidden[0].tolist()
        assert scene.named(view.lineups[0]) == {"E1"}
    assert backs == {"no": [5, 0], "yes": [4, 0]}
    sent = [final_card(value) for value in ("no", "yes")]
    assert sent == [UNKNOWN + 4, UNKNOWN + 2]


def final_card(closed_shows_stack: str) -> int:
    """How another seat sees a Defender that lies closed on Olympus."""
    teams = "G1 D9*|G2 E9|G3 E8|G4 E7"
    scene = deploying("", "D1|D2", teams=teams, round_number=1, closed_shows_stack=closed_shows_stack)
    return int(scene.state.view(1).record.olympus[0, 1])


@pytest.mark.parametrize(("players", "assignments"), [(2, 12), (3, 24), (4, 24)])
def test_r8_citadels_are_different_random_and_public(players: int, assignments: int) -> None:
    game = Game(num_players=players)
    citadels = game.new_batch(2400, seed=4).states.citadels
    assert about(Counter(map(tuple, citadels[:, :players].tolist())), assignments, 2400)
    assert all(len(set(row)) == players for row in citadels[:, :players].tolist())
    state = game.new_initial_state(seed=1)
    assert all((state.view(seat).record.citadels == state.record.citadels).all() for seat in range(players))
    assert "Sparta" in "".join(str(Game().new_initial_state(seed=1).view(3)))


def test_r9_the_treasures_of_a_quest_go_to_its_sides_at_random_and_open() -> None:
    states = Game().new_batch(900, seed=5).states
    for position in range(3):
        pairs = Counter(map(tuple, states.treasures[:, 2 * position : 2 * position + 2].tolist()))
        assert set(pairs) == {(2 * position, 2 * position + 1), (2 * position + 1, 2 * position)}
        assert about(pairs, 2, 900)
    together = Counter(map(tuple, (states.treasures[:, [0, 2, 4]] % 2).tolist()))
    assert about(together, 8, 900)
    state = Game().new_initial_state(seed=1)
    assert all((state.view(seat).record.treasures == state.record.treasures).all() for seat in range(4))


STAGES = {
    "destiny": ["sides", "crown", "first_player", "challenge", "deploy"],
    "tactics": ["crown", "first_player", "draft", "sides", "challenge", "deploy"],
}


@pytest.mark.parametrize("mode", STAGES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_option_mode_r10_r11_the_order_of_stages_and_when_treasures_are_laid_out(setting: str, mode: str) -> None:
    game = Game(**SETTINGS[setting], mode=mode, key_limit=99)
    for seed in range(3):
        state = play_to(game.new_initial_state(seed=seed), seed=seed)
        phases = [event.phase.split("_")[0] if event.seat >= 0 else event.phase for event in state.history(0)]
        phases = [{"first": "first_player"}.get(phase, phase) for phase in phases]
        seen = [phase for phase, _ in itertools.groupby(phases)]
        seen = [p for p, _ in itertools.groupby("use" if p in ENCOUNTER_PHASES else p for p in seen)]
        start = ["citadels", "stacks"] + ["b_quest"] * (setting == "tournament")
        one_round = STAGES[mode] + ["tourn"] * (setting == "tournament") + ["use"]
        assert seen == start + one_round * game.max_deals() + ["equip", "use"]


ENCOUNTER_PHASES = ("use", "sym7", "sym8", "end", "steal", "pull")


def test_r10_which_quests_come_is_known_before_their_treasures_are_laid_out() -> None:
    state = Game(mode="tactics").new_initial_state(seed=1)
    assert (state.record.treasures == NONE).all()
    shown = [line for line in str(state.view(2)).splitlines() if line.startswith("quest ")]
    assert [line.split(": ")[0] for line in shown] == ["quest 1 Phaistos", "quest 2 Marathon", "quest 3 Ithaca"]


# 2.2 Starting stage


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r12_the_crown_is_dealt_at_random_and_its_finder_chooses(players: int) -> None:
    game = Game(num_players=players)
    states = game.new_batch(900, seed=6).states
    assert about(Counter(states.finder.tolist()), players, 900)
    assert (states.actor == states.finder).all()
    state = game.new_initial_state(seed=3)
    assert state.phase() == "first_player"
    assert state.current_player() == state.record.finder
    assert state.legal_actions() == list(range(players)), "the finder may choose themselves"
    state.apply_action(players - 1)
    assert state.record.first_player == players - 1


@pytest.mark.parametrize(("players", "legal"), [(2, [0]), (3, [0, 2]), (4, [0, 2, 3])])
def test_r13_v50_nobody_is_first_player_twice_in_a_row(players: int, legal: list[int]) -> None:
    state = Game(num_players=players, key_limit=99).new_initial_state(seed=1)
    state.apply_action(1)
    play_to(state, "first_player")
    state.record.finder = state.record.actor = 0
    assert readable(state).legal_actions() == legal
    state.record.finder = state.record.actor = 1
    assert readable(state).legal_actions() == legal, "the ban is on the first player, not on the finder"


@pytest.mark.parametrize("first", range(3))
def test_r14_turn_order_governs_draft_challenge_and_deployment(first: int) -> None:
    state = ordered(num_players=3, mode="tactics")
    state.apply_action(first)
    order = [(first + turn) % 3 for turn in range(3)]
    for phase, rounds, decisions in (("draft", 10, 1), ("challenge_card", 1, 2), ("deploy_card", 2, 3)):
        assert state.phase() == phase
        actors = []
        for _ in range(rounds * 3):
            actors.append(state.current_player())
            for _ in range(decisions):
                state.apply_action(state.legal_actions()[0])
        assert actors == order * rounds


def test_r14_turn_order_governs_the_discard_of_the_tournament() -> None:
    for first in range(2):
        state = Game("tournament").new_initial_state(seed=1)
        state.apply_action(first)
        play_to(state, "tourn_discard")
        actors = []
        while state.phase() == "tourn_discard":
            actors.append(state.current_player())
            state.apply_action(state.legal_actions()[0])
        assert actors == [first, 1 - first]


# 2.3 Gathering


@pytest.mark.parametrize("mode", ["destiny", "tactics"])
@pytest.mark.parametrize(
    ("setting", "each", "left"),
    [("standard", 1, 0), ("variation3", 2, 0), ("variation2", 2, 4), ("tournament", 3, 6)],
)
def test_r15_v52_cards_gathered_a_round_and_left_in_the_end(setting: str, each: int, left: int, mode: str) -> None:
    game = Game(**SETTINGS[setting], mode=mode, key_limit=99)
    state = game.new_initial_state(seed=1)
    for _ in range(game.max_deals()):
        play_to(state, "challenge_card")
        for seat in range(game.num_players):
            gathered = int(state.record.gathered[seat])
            assert [(gathered >> 12 * stack & 4095).bit_count() for stack in range(5)] == [each] * 5
        play_to(state, "deploy_card")
    in_stacks = [card for card in state.record.stacks.tolist() if card != UNSEEN]
    assert [sum(card // 12 == stack for card in in_stacks) for stack in range(5)] == [left] * 5


@pytest.mark.parametrize("first", range(3))
def test_r16_v78_destiny_deals_in_seat_order_whoever_is_first_player(first: int) -> None:
    state = ordered(num_players=3)
    state.apply_action(first)
    for seat in range(3):
        cards = [12 * stack + card for stack in range(5) for card in (seat, 3 + seat)]
        assert int(state.record.hands[seat]) == sum(1 << card for card in cards)
    assert state.current_player() == first


def drafting(**options: Any) -> State:
    """The first pick of a draft of rising stacks, with seat 0 as the first player."""
    state = ordered(mode="tactics", **options)
    state.apply_action(0)
    return state


def test_r17_r18_v51_only_the_card_opened_last_may_be_taken_and_one_of_each_stack() -> None:
    state = drafting(num_players=3)
    assert state.record.stacks[24:27].tolist() == [24, 25, 26]
    assert state.legal_actions() == [0, 1, 2, 3, 4]
    state.apply_action(2)
    assert int(state.record.hands[0]) == 1 << 26
    assert (state.current_player(), state.legal_actions()) == (1, [0, 1, 2, 3, 4])
    state.apply_action(2)
    assert int(state.record.hands[1]) == 1 << 25
    state.apply_action(0)
    assert (state.current_player(), state.legal_actions()) == (0, [0, 1, 3, 4])
    state.apply_action(0)
    assert state.legal_actions() == [0, 1, 3, 4]
    state.apply_action(4)
    assert (state.current_player(), state.legal_actions()) == (2, [1, 2, 3, 4])
    state.apply_action(2)
    assert int(state.record.hands[2]) == 1 << 2 | 1 << 24
    assert state.record.stacks[24:27].tolist() == [UNSEEN] * 3


@pytest.mark.parametrize("setting", SETTINGS)
def test_r18_r19_a_draft_can_always_be_completed(setting: str) -> None:
    game = Game(**SETTINGS[setting], mode="tactics")
    each = 3 if setting == "tournament" else 1
    for seed in range(40):
        state, choices = game.new_initial_state(seed=seed), random.Random(seed)
        state.apply_action(state.legal_actions()[0])
        while state.phase() == "draft":
            seat, record = state.current_player(), state.record
            most, legal = each * (int(record.drafts) + 1), state.legal_actions()
            held = [(int(record.gathered[seat]) >> 12 * stack & 4095).bit_count() for stack in range(5)]
            assert legal == [stack for stack in range(5) if held[stack] < most], "a column never runs dry"
            state.apply_action(choices.choice(legal))


@pytest.mark.parametrize("players", [2, 3])
def test_r20_the_variation_drafts_twice_with_the_same_first_player(players: int) -> None:
    state = drafting(num_players=players)
    for pick in range(5 * players):
        assert state.current_player() == pick % players
        assert state.record.opened == players, "the second layout is opened after the first draft"
        state.apply_action(state.legal_actions()[0])
    assert [int(hand).bit_count() for hand in state.record.hands[:players]] == [5] * players
    assert (state.phase(), state.current_player(), int(state.record.opened)) == ("draft", 0, 2 * players)
    assert state.record.stacks[:12].tolist()[: 2 * players] == [UNSEEN] * players + list(range(players, 2 * players))


def test_r21_the_tournament_deals_three_top_cards_seat_by_seat_and_drafts_from_columns_of_six() -> None:
    state = ordered(variant="tournament")
    state.apply_action(1)
    for seat in range(2):
        cards = [12 * stack + 3 * seat + i for stack in range(5) for i in range(3)]
        assert int(state.record.hands[seat]) == sum(1 << card for card in cards)
    state = drafting(variant="tournament")
    assert state.record.opened == 6
    for pick in range(30):
        assert (state.phase(), state.current_player()) == ("draft", pick % 2)
        state.apply_action(state.legal_actions()[0])
    assert state.phase() == "challenge_card"
    hands = [int(hand) for hand in state.record.hands[:2]]
    assert [[(hand >> 12 * stack & 4095).bit_count() for stack in range(5)] for hand in hands] == [[3] * 5] * 2


def test_r20_r21_the_variation_deals_two_passes_of_one_card() -> None:
    state = ordered(num_players=2)
    state.apply_action(0)
    assert [int(hand) & 4095 for hand in state.record.hands[:2]] == [0b0101, 0b1010]


def test_option_hands_public_r22_everybody_remembers_what_was_gathered_or_nobody() -> None:
    for mode in ("destiny", "tactics"):
        for value, is_known in (("recall", True), ("hidden_after_gather", False)):
            state = Game(hands_public=value, mode=mode).new_initial_state(seed=1)
            if mode == "tactics":
                play_to(state, "draft")
                state.apply_action(0)
                seat = int(state.record.first_player)
                view = state.view((seat + 1) % 4).record
                assert view.hands[seat] == state.record.hands[seat], "new cards are open until the gathering ends"
            play_to(state, "challenge_card")
            view = state.view(0).record
            assert view.hands[0] == state.record.hands[0]
            assert bool(view.hands[1] == state.record.hands[1]) == is_known
            assert view.unseen[1].tolist() == [0 if is_known else 1] * 5


# 2.4 Challenge


@pytest.mark.parametrize(
    ("setting", "sent"), [("standard", (1, 1, 1)), ("variation3", (1, 2)), ("variation2", (1, 2)), ("tournament", (3,))]
)
def test_r23_champions_sent_in_each_round(setting: str, sent: tuple[int, ...]) -> None:
    game = Game(**SETTINGS[setting], key_limit=99)
    state = game.new_initial_state(seed=1)
    for number in range(len(sent)):
        play_to(state, "challenge_card")
        assert all(action < 48 for action in state.legal_actions()), "only champions"
        play_to(state, "deploy_card")
        on_olympus = (state.record.olympus[: game.num_players] != NONE).sum(axis=1)
        assert on_olympus.tolist() == [sum(sent[: number + 1])] * game.num_players
        play_to(state, "use", "first_player")


def test_r24_v79_a_seat_sends_all_its_cards_before_the_next() -> None:
    hands = "G1 E1 T1|G2 E2 T2|G3 E3 T3"
    scene = begin(TO_CHALLENGE, hands=hands, num_players=3, first_player=2, spare="pile")
    assert scene.legal() == ["G3", "E3", "T3"], "in any order"
    senders = []
    while scene.state.phase().startswith("challenge"):
        senders.append(scene.where())
        scene.do(scene.state.legal_actions()[0])
    assert senders == [(f"challenge_{part}", seat) for seat in (2, 2, 0, 0, 1, 1) for part in ("card", "orient")]


def test_r25_v55_the_first_card_of_a_seat_on_olympus_lies_open() -> None:
    state = play_to(Game("tournament").new_initial_state(seed=1), "challenge_card")
    for turn in range(2):
        seat = state.current_player()
        for number in range(3):
            state.apply_action(state.legal_actions()[0])
            assert state.legal_actions() == ([OPEN] if number == 0 else [OPEN, CLOSED])
            state.apply_action(CLOSED if number == 2 else OPEN)
        assert int(state.record.olympus_closed) >> 3 * seat & 7 == 0b100, turn


@pytest.mark.parametrize(
    ("team", "round_number", "legal"),
    [
        ("E9 D9", 2, ["G1"]),
        ("G9 D9", 2, ["G1", "E1", "T1"]),
        ("E9 G9*", 2, ["G1", "E1", "T1"]),
        ("E9", 1, ["G1", "E1", "T1"]),
        ("", 0, ["G1", "E1", "T1"]),
    ],
)
def test_r26_v53_the_last_card_of_a_team_without_a_god_is_one(team: str, round_number: int, legal: list[str]) -> None:
    scene = begin(TO_CHALLENGE, hands="G1 E1 T1 10", teams=team, round_number=round_number, spare="pile")
    assert scene.legal() == legal


@pytest.mark.parametrize(("first", "then"), [("E1", ["G1", "G2"]), ("G2", ["G1", "E1", "T1", "T2"])])
def test_r26_v54_of_two_cards_the_second_must_be_a_god(first: str, then: list[str]) -> None:
    scene = begin(TO_CHALLENGE, hands="G1 G2 E1 T1 T2|G3 E3", teams="E9|E8", num_players=2)
    assert scene.legal() == ["G1", "G2", "E1", "T1", "T2"]
    assert scene.do(first, CLOSED).where() == ("challenge_card", 0)
    assert scene.legal() == then


@pytest.mark.parametrize("setting", SETTINGS)
def test_r27_cards_on_olympus_stay_there(setting: str) -> None:
    teams: list[list[int]] = []
    for state in random_states(Game(**SETTINGS[setting], key_limit=99), 3):
        if state.phase() == "first_player" and state.record.round_number == 0:
            teams = [[] for _ in range(state.game.num_players)]
        for seat, team in enumerate(teams):
            now = [int(card) for card in state.record.olympus[seat] if card != NONE]
            assert now[: len(team)] == team
            teams[seat] = now
            lying = int(np.bitwise_or.reduce(state.record.lineups)) | int(state.record.discard)
            assert not any(lying >> card & 1 for card in now)


# 2.5 Deployment


def test_r28_one_champion_a_turn_and_seats_that_have_ended_are_skipped() -> None:
    scene = deploying("", "E1 E2 E3 E4|D1 D2|T1|", teams="G1|G2|G3|G4", round_number=1)
    assert scene.legal() == ["E1", "E2", "E3", "E4"]
    scene.do("E1", 0, OPEN)
    assert scene.where() == ("deploy_card", 1)
    scene.do("D1", 1, OPEN)
    assert scene.where() == ("deploy_card", 2)
    scene.do("T1", 2, OPEN)  # its last champion; seat 3 has none
    assert scene.where() == ("deploy_card", 0)
    scene.do("E2", 0, OPEN)
    assert scene.do(END).where() == ("deploy_card", 0)
    scene.do("E3", 4, OPEN)
    assert scene.where() == ("deploy_card", 0)
    scene.do("E4", 4, CLOSED)
    assert scene.encounter() == ("duel", 0, 0)


def legal_sides(scene: Scene, card: str) -> list[int]:
    """Where the seat to move may place a champion."""
    return Scene(scene.cards, scene.state.clone()).do(card).state.legal_actions()


def test_r29_v56_one_owner_a_side_three_cards_and_no_seat_on_both_sides() -> None:
    scene = deploying("0 E1 E2", "E3 E4 E5|D1", round_number=1)
    assert legal_sides(scene, "E3") == [0, 2, 3, 4, 5]
    scene.do("E3", 0, CLOSED)
    assert legal_sides(scene, "D1") == [1, 2, 3, 4, 5]
    scene.do("D1", 1, OPEN)
    assert legal_sides(scene, "E4") == [2, 3, 4, 5], "three cards lie there"


def test_r29_the_first_placement_of_a_seat_is_always_possible() -> None:
    for taken in itertools.permutations(range(6), 3):
        words = {side: f"{seat} E{seat}" for seat, side in enumerate(taken)}
        sides = "|".join(words.get(side, "") for side in range(6))
        scene = deploying(sides, "|||D1", round_number=0, first_player=3)
        assert legal_sides(scene, "D1") == [side for side in range(6) if side not in taken]


def test_r30_v57_the_first_card_on_a_side_lies_open() -> None:
    scene = deploying("", "E1 E2 E3|D1", round_number=1)
    assert scene.do("E1", 0).legal() == [OPEN]
    scene.do(OPEN, "D1", 1)
    assert scene.legal() == [OPEN]
    scene.do(OPEN, "E2", 0)
    assert scene.legal() == [OPEN, CLOSED]
    scene.do(CLOSED)
    assert scene.named(scene.record.lineups[0]) == {"E1", "E2"}
    assert scene.named(scene.record.closed) == {"E2"}


def test_r30_v58_a_place_is_twice_the_position_plus_the_side() -> None:
    scene = deploying("", "E1|D1", round_number=1).do("E1", 5, OPEN)
    assert scene.named(scene.record.lineups[5]) == {"E1"}
    assert quest_name(scene.state.game.rules, scene.record, 2) == "Troy"


@pytest.mark.parametrize("first", [0, 1])
def test_r31_r43_v77_who_comes_first_to_a_quest_has_the_blue_banner_and_acts_first(first: int) -> None:
    scene = deploying("", "E1|D1", first_player=first)
    card, other = ("E1", "D1") if first == 0 else ("D1", "E1")
    scene.do(card, 1, OPEN, other, 0, OPEN)
    assert scene.record.owners[:2].tolist() == [1 - first, first]
    assert scene.record.blue[0] == 1
    assert scene.encounter() == ("duel", 0, first)


def test_option_banner_limit_r32_v63_leaves_three_quests() -> None:
    sides = "0 E1||0 E2|||0 E3"
    for limit, places in (("none", [0, 2, 5, 6, 7]), (4, [0, 2, 5])):
        scene = deploying(sides, "D1 D2|D3", variant="tournament", banner_limit=limit)
        assert legal_sides(scene, "D1") == places
    game = Game("tournament", banner_limit=4)
    for seed in range(10):
        state = play_to(game.new_initial_state(seed=seed), "tourn_discard", seed=seed)
        for seat in range(2):
            own = state.record.lineups[state.record.owners == seat]
            assert [int(cards).bit_count() for cards in own] == [3, 3, 3], "9 places are just enough"


def test_r33_v59_a_seat_may_end_once_it_has_a_champion_at_a_quest() -> None:
    scene = deploying("", "E1 E2|D1 D2", round_number=0)
    assert scene.legal() == ["E1", "E2"]
    scene.do("E1", 0, OPEN, "D1", 1, OPEN)
    assert scene.legal() == ["E2", END]
    assert scene.do(END).where() == ("deploy_card", 1)
    scene.do("D2", 1, OPEN)
    assert scene.encounter()[0] == "duel", "END is final for the stage"
    assert scene.named(scene.record.hands[0]) == {"E2"}, "the remaining cards stay in hand"


def test_r34_r35_v60_the_last_round_knows_no_voluntary_end() -> None:
    sides = "0 E1 E2 E3||" + "0 D1 D2 D3|1 E4 E5 E6|" + "|1 T1 T2"
    scene = deploying(sides, "D4 D5 D6 D7|T3 T4")
    turns = [("D4", 4), ("T3", 5), ("D5", 4), ("T4", 1), ("D6", 4)]
    for card, side in turns:
        assert END not in scene.legal()
        assert side in legal_sides(scene, card)
        scene.do(card, side, OPEN)
    assert scene.named(scene.record.hands[0]) == {"D7"}, "no legal side: it stays in hand"
    assert scene.encounter()[0] == "duel"


@pytest.mark.parametrize(
    ("setting", "number", "may_end"),
    [
        ("standard", 0, True),
        ("standard", 1, True),
        ("standard", 2, False),
        ("variation3", 0, True),
        ("variation2", 1, False),
        ("tournament", 0, False),
    ],
)
def test_r33_r35_rounds_in_which_a_seat_may_end(setting: str, number: int, may_end: bool) -> None:
    scene = deploying("0 E1", "E2 E3|D1", round_number=number, **SETTINGS[setting])
    assert (END in scene.legal()) == may_end


def test_r36_v61_the_tournament_discards_one_of_three_reinforcement_cards() -> None:
    state = play_to(Game("tournament").new_initial_state(seed=1), "tourn_discard")
    for seat in (state.current_player(), 1 - state.current_player()):
        assert state.record.deployed[seat] == 9
        assert len(state.legal_actions()) == 3
        assert all(action >= 48 for action in state.legal_actions())
        card = state.legal_actions()[1]
        state.apply_action(card)
        assert int(state.record.hands[seat]).bit_count() == 2
        assert int(state.view(1 - seat).record.discard) >> card & 1, "face up"
    assert int(state.record.discard).bit_count() == 2


def test_option_tourn_discard_r36_v62_may_hold_a_champion_back() -> None:
    for value in ("after_full_deploy", "may_hold_one"):
        sides = "0 E1 E2 E3||0 D1 D2 D3|||1 T1 T2 T3"
        for hand, may_end in (("T4", True), ("T4 T5", False)):
            scene = deploying(sides, f"{hand} 1 2 3|T6 4 5 6", variant="tournament", tourn_discard=value)
            assert (END in scene.legal()) == (may_end and value == "may_hold_one")
        scene = deploying(sides, "T4 1 2 3|T6 4 5 6", variant="tournament", tourn_discard=value)
        if value == "may_hold_one":
            scene.do(END, "T6", 1, OPEN)
            assert scene.legal() == ["T4"]
            assert scene.named(scene.do("T4").record.discard) == {"T4"}
            assert len(scene.legal()) == 3
        else:
            scene.do("T4", 4, OPEN, "T6", 1, OPEN)
            assert scene.legal() == [scene["1"], scene["2"], scene["3"]]


def test_r37_at_most_three_cards_are_deployed_but_symbols_may_add_more() -> None:
    scene = duel("E1 E2 E3", "T4", hands="5 6", pile="D5")
    scene.use(5, draws="T4").use(PASS).use(6, draws="D5")
    assert scene.named(scene.record.lineups[0]) == {"E1", "E2", "E3", "T4", "D5"}


# 2.6 Duels


def three_quests(round_number: int = 0) -> Scene:
    """Duels at quests 1 and 3, seat 2 alone at quest 2, closed cards everywhere."""
    cards = Cards()
    for position in range(3):
        cards.quest(3 * round_number + position, "F")
    sides = "0 E1 E2*|1 D1|2 T1 T2*||1 D3|0 E3 E4*"
    return begin(TO_DUEL, cards, sides=sides, round_number=round_number, blue="001")


def test_r38_r39_duels_from_olympus_down_where_both_sides_are_occupied_then_hunts() -> None:
    scene, seen = three_quests(), []
    while scene.state.phase() == "use":
        seen.append(scene.encounter())
        scene.finish()
    # Seat 1 wins no duel: E1 + E2 beat D1, and D3 loses to E3 + E4.
    assert seen == [("duel", 0, 0), ("duel", 2, 0), ("hunt", 0, 0), ("hunt", 1, 2), ("hunt", 2, 0)]


def test_r40_v88_an_ambush_turns_up_the_cards_of_one_quest_and_a_hunt_those_of_a_lone_seat() -> None:
    scene = three_quests()

    def seen_by_3() -> set[str]:
        return scene.named(np.bitwise_or.reduce(scene.state.view(3).record.lineups))

    assert seen_by_3() == {"E1", "E2", "D1", "T1", "D3", "E3"}
    scene.finish()
    assert scene.encounter() == ("duel", 2, 0)
    assert {"E3", "E4"} <= seen_by_3()
    scene.finish()
    assert scene.encounter() == ("hunt", 0, 0)
    assert "T2" not in seen_by_3()
    scene.finish()
    assert scene.encounter() == ("hunt", 1, 2)
    assert "T2" in seen_by_3()


def test_r41_r42_v14_uses_alternate_are_optional_and_a_pass_is_final() -> None:
    scene = duel("E5", "D5", hands="1|2 3 10")
    assert PASS in scene.state.legal_actions()
    assert scene.use(PASS, 2).where() == ("use", 1)
    assert scene.use(3).where() == ("use", 1)
    assert scene.use(PASS).where() == ("end_champion", 1)
    scene = duel("E5", "D5", hands="1 2|3 10")
    seats = [scene.use(symbol).state.current_player() for symbol in (1, 3, 2, 10)]
    assert seats == [1, 0, 1, 0]


def test_r43_blue_begins_wherever_it_lies() -> None:
    cards = Cards()
    cards.quest(6, "F")
    assert begin(TO_DUEL, cards, sides="0 E5|1 D5", blue="1").encounter() == ("duel", 0, 1)
    assert duel("E5", "D5").encounter() == ("duel", 0, 0)


def test_r44_v13_three_uses_are_a_pass() -> None:
    scene = duel("E5", "D5", hands="1 2 10|1 2 10 11", citadels="3 4 5|7 8 9").use(1, 1, 2, 2, 3)
    assert scene.where() == ("use", 1)
    assert scene.offered() == [7, 8, 10, 11]
    assert scene.use(10).where() == ("end_champion", 0), "red has used three symbols too"


def test_r44_a_seat_with_nothing_to_use_decides_to_pass_for_good() -> None:
    scene = duel("E5", "D5", hands="10 6|5", pile="T5").use(10)
    assert (scene.where(), scene.offered()) == (("use", 1), [])
    scene.use(PASS).use(6, draws="T5")
    assert scene.named(scene.record.lineups[0]) == {"E5", "T5"}, "now red could take over a Thornbearer"
    assert scene.where() == ("use", 0)
    assert scene.use(PASS).where() == ("end_champion", 0)


def test_r45_v82_a_symbol_activated_through_symbol_6_is_a_use() -> None:
    scene = duel("E5", "D4", hands="1 6 2|", pile="10").use(1, PASS).use(6, draws="10")
    assert scene.where() == ("end_champion", 0), "the third use: blue has passed"
    assert scene.named(scene.record.table) == {"1", "6", "10"}


@pytest.mark.parametrize("counts", ["yes", "no"])
def test_option_count_sym6_chain_r45_r63_v30_no_use_left_for_a_pulled_symbol(counts: str) -> None:
    scene = duel("E5", "D4", hands="2 3 6|", pile="1", count_sym6_chain=counts)
    scene.use(2, PASS, 3).use(6, draws="1")
    assert ("1" in scene.named(scene.record.discard)) == (counts == "yes")
    waiting = [int(entry) & 15 for entry in scene.record.queue[: scene.record.queue_size]]
    assert waiting == [2, 3] + [1] * (counts == "no")
    assert scene.where() == ("end_champion", 0)


def test_option_count_sym6_chain_r45_leaves_the_third_use() -> None:
    for counts, where in (("yes", ("end_champion", 0)), ("no", ("use", 0))):
        scene = duel("E5", "D4", hands="1 6 2|", pile="10", count_sym6_chain=counts)
        assert scene.use(1, PASS).use(6, draws="10").where() == where


def test_r46_v15_a_symbol_once_an_encounter_from_card_or_citadel() -> None:
    scene = duel("E5", "D4", hands="2|1", citadels="2 3 10|7 8 9")
    assert scene.offered() == [2, 2, 3, 10]
    scene.do(scene["2"] - 48).use(PASS)
    assert scene.offered() == [3, 10]
    scene.use(PASS).do("E5")
    assert scene.encounter() == ("hunt", 0, 0)
    assert scene.offered() == [2, 3, 10]


def test_r46_the_ban_is_for_the_whole_duel_not_for_a_category() -> None:
    scene = duel("E5", "D5", "AC", hands="2 2|").use(2, PASS)
    assert scene.offered() == []


def test_r46_v16_both_duellists_may_use_the_same_symbol() -> None:
    scene = duel("E5", "D5", hands="2|", citadels="7 8 9|2 3 4").use(2)
    assert scene.offered() == [2, 3]
    scene.use(2)
    assert [int(entry) for entry in scene.record.queue[:2]] == [2, 2 + 16]


def test_r47_one_symbol_of_a_citadel_is_used() -> None:
    scene = duel("E5", "D5", citadels="1 2 3|4 5 6").use(1, PASS)
    assert scene.offered() == []


def test_r47_v17_standard_citadels_are_restored_at_the_end_of_the_round() -> None:
    cards = Cards()
    for quest in range(3):
        cards.quest(quest, "F")
    sides = "0 E5|1 D4|0 E6|2 D6|0 E7"
    scene = begin(TO_DUEL, cards, sides=sides, round_number=0, citadels="1 2 3", spare="pile")
    assert scene.offered() == [1, 2, 3]
    scene.use(1).finish().do("E5")
    uses = 0
    while scene.state.phase() == "use":
        if scene.state.current_player() == 0:
            assert scene.offered() == []
            uses += 1
        scene.do(PASS)
    assert uses == 4, "one more duel and three hunts"
    assert scene.where()[0] == "first_player"
    assert scene.record.citadels_used == 0


@pytest.mark.parametrize("options", [{"num_players": 3, "round_number": 0}, {"variant": "tournament"}], ids=str)
def test_r47_v18_in_other_variants_a_citadel_is_used_once_a_game(options: Options) -> None:
    for seed in range(5):
        scene = duel("E5", "D4", hands="|", citadels="1 2 3|4 5 6|7 8 9", **options).use(1).finish().do("E5")
        choices = random.Random(seed)
        while not scene.state.is_terminal():
            if scene.state.phase() == "use" and scene.state.current_player() == 0:
                assert not {12, 13, 14} & set(scene.state.legal_actions())
            scene.do(choices.choice(scene.state.legal_actions()))
        assert scene.record.citadels_used & 1


@pytest.mark.parametrize("blanks", ["no", "yes"])
def test_r47_v19_no_citadel_against_kronos(blanks: str) -> None:
    scene = equip_nothing(final(hands="", spare="pile", citadels="1 2 9", allow_null_symbols=blanks))
    for seat in (1, 0, 3, 2):
        assert scene.encounter()[::2] == ("Kronos", seat)
        assert scene.offered() == []
        scene.use(PASS)
    assert scene.state.is_terminal()


PLAYABLE = {
    "duel": [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12],
    "hunt": [1, 2, 3, 6, 9, 10, 11, 12],
    "Kronos": [1, 2, 3, 6, 8, 9, 10, 11, 12],
}


def everything_in_hand(kind: str, **options: Any) -> Scene:
    """An encounter in which the seat to move has all twelve symbols and a target for each."""
    if kind == "duel":
        return duel("E5", "E6 D5 T5", hands=ALL_SYMBOLS, pile="E1", **options)
    if kind == "hunt":
        return hunt("E5", hand=ALL_SYMBOLS, pile="E1", **options)
    return fight("E1 T1", ALL_SYMBOLS, pile="E2", **options)


@pytest.mark.parametrize("kind", PLAYABLE)
def test_option_allow_null_symbols_r48_r56_v20_what_is_playable_where(kind: str) -> None:
    assert everything_in_hand(kind).encounter()[0] == kind
    assert everything_in_hand(kind).offered() == PLAYABLE[kind]
    assert everything_in_hand(kind, allow_null_symbols="yes").offered() == list(range(1, 13))


@pytest.mark.parametrize(("kind", "symbol"), [("duel", 9), ("hunt", 8), ("hunt", 4), ("Kronos", 7), ("Kronos", 5)])
def test_option_allow_null_symbols_r48_a_blank_is_a_use_and_does_nothing(kind: str, symbol: int) -> None:
    scene = everything_in_hand(kind, allow_null_symbols="yes")
    seat, corner = scene.state.current_player(), int(scene.record.corner)
    before = [int(scene.record.hands[seat]), scene.record.lineups.tolist(), int(scene.record.discard), scene.totals()]
    scene.use(symbol)
    card = 1 << scene[str(symbol)]
    after = [int(scene.record.hands[seat]) | card, scene.record.lineups.tolist(), int(scene.record.discard)]
    assert [*after, scene.totals()] == before
    assert int(scene.record.table) == card
    assert (scene.record.uses[corner], scene.record.queue_size) == (1, 0)
    if kind == "duel":
        scene.use(PASS)
    assert symbol not in scene.offered(), "it is used [R46]"


@pytest.mark.parametrize("kind", ["duel", "hunt"])
def test_option_allow_null_symbols_r48_blanks_of_empty_piles_and_line_ups_of_gods(kind: str) -> None:
    options = {"allow_null_symbols": "yes"}
    scene = duel("G5", "G6", hands="6 1", **options) if kind == "duel" else hunt("G5", hand="6 1", **options)
    assert scene.offered() == [1, 6]
    for symbol in (6, 1):
        scene.use(symbol)
        assert scene.state.phase() == "use"
        assert scene.record.queue_size == 0
        if kind == "duel" and symbol == 6:
            scene.use(PASS)


def test_r49_v21_end_effects_in_the_order_of_use_each_with_its_target() -> None:
    scene = duel("E1 D2", "E3 T4", hands="10 11|2").use(10, 2, 11, PASS, PASS)
    asked = []
    while scene.state.phase() != "use":
        asked.append((*scene.where(), int(scene.record.symbol)))
        scene.do(scene.state.legal_actions()[-1])
    first, then = "end_champion", "end_permutation"
    assert asked == [(first, 0, 10), (then, 0, 10), (first, 1, 2), (first, 0, 11), (then, 0, 11)]


def test_r49_targets_are_the_line_up_at_the_end() -> None:
    scene = duel("E1", "T8 D9", hands="1 5 6|3", pile="D2").use(1, 3).use(5, draws="T8")
    scene.use(PASS).use(6, draws="D2")
    assert scene.where() == ("end_champion", 0)
    assert scene.legal() == ["E1", "D2", "T8"]
    assert scene.do("T8").where() == ("end_champion", 1)
    assert scene.legal() == ["D9"]
    scene.do("D9")
    assert scene.record.totals[:, FIST].tolist() == [1 + 2 * 8 + 2, 9]
    assert scene.result() == "left wins"


def test_r50_an_end_effect_without_a_champion_is_lost() -> None:
    scene = duel("G1 D5", "E3", hands="11 2|4").use(11).use(4, draws="D5")
    assert scene.offered() == [], "a line-up of gods"
    scene.finish()
    assert scene.result() == "right wins"
    assert scene.record.totals[:, FIST].tolist() == [1, 3]
    assert scene.named(scene.record.hands[1]) == {"D5"}


# 2.6 Comparing

COMPARISONS = [
    ("v1", "AC", "E0/8/5 D0/6/3", "E0/9/4 D0/6/4", "right wins"),
    ("v2", "AC", "E0/8/5 D0/4/4", "E0/9/5 D0/1/6", "tie"),
    ("v3", "AC", "E0/8/5 D0/4/4", "E0/6/5 D0/6/4", "tie"),
    ("v4 tie", "F", "E6 D6", "E10/0/0 D2/0/0", "tie"),
    ("v4 first", "F", "E6/0/0 D6/0/0", "E9 D2", "left wins"),
    ("v5", "A", "E9/2/9", "G0/3/0", "right wins"),
    ("2-0", "AC", "E0/5/5", "E9/4/4", "left wins"),
    ("1-1", "FC", "E5/0/4", "E4/9/5", "tie"),
    ("0-1", "FA", "E5/4/9", "E5/5/0", "right wins"),
    ("printed example", "AC", "G2/8/5 E1/6/3", "E4/4/3 D3/5/3 G4/6/2", "right wins"),
]


@pytest.mark.parametrize(("name", "force", "blue", "red", "result"), COMPARISONS, ids=[case[0] for case in COMPARISONS])
def test_r51_r53_v1_v2_v3_v4_v5_more_excellences_win(name: str, force: str, blue: str, red: str, result: str) -> None:
    scene = duel(blue, red, force).finish()
    assert scene.result() == result
    hunters = []
    while scene.encounter()[0] == "hunt":
        hunters.append(scene.state.current_player())
        scene.finish()
    assert hunters == {"left wins": [0], "right wins": [1], "tie": [0, 1]}[result]


@pytest.mark.parametrize(("target", "result"), [("E3/7/2", "left wins"), ("D1/4/4", "right wins")])
def test_r52_v6_doubling_the_awe(target: str, result: str) -> None:
    scene = duel("E3/7/2 D1/4/4", "E0/9/0 D0/8/0", "A", hands="2").use(2, PASS, PASS)
    assert scene.where() == ("end_champion", 0)
    assert scene.legal() == ["E3/7/2", "D1/4/4"]
    assert scene.do(target).result() == result


@pytest.mark.parametrize("order", [(2, 10), (10, 2)])
def test_r52_v7_doubling_takes_the_printed_value_in_any_order(order: tuple[int, int]) -> None:
    scene = duel("E3/7/2", "E0/9/0", "A", hands="2 10").use(order[0], PASS, order[1], PASS)
    for symbol in order:
        scene.do("E3/7/2")
        if symbol == 10:
            scene.do(2)  # Awe, Fist, Cunning
    assert scene.record.totals[0].tolist() == [3 + 2, 7 * 2 + 3, 2 + 1]


@pytest.mark.parametrize(("includes", "total"), [("no", 14), ("yes", 16)])
def test_option_double_includes_items_r52_v68(includes: str, total: int) -> None:
    for missing in (0, 1):
        cards = Cards()
        cards.table[0]["bases"][0] = (0, total + missing, 0)
        item = cards.treasure(6, item=(0, 2, 0))
        scene = final(cards, teams="|G0 D0 E0/6/0", hands="|2", vaults=[[], [item]], double_includes_items=includes)
        scene.do(*[NOTHING] * 5, item)
        equip_nothing(scene)
        assert scene.totals() == (0, 8, 0)
        scene.use(2, PASS).do("E0/6/0")
        assert scene.result() == ("not beaten" if missing else "beaten")


def test_r54_v89_the_loser_is_gone_and_the_winner_stays() -> None:
    scene = duel("E4 D1", "E9", hands="1").use(1, PASS, PASS).do("D1")
    assert scene.result() == "right wins"
    assert scene.record.owners[:2].tolist() == [NONE, 1]
    assert scene.named(scene.record.discard) == {"E4", "D1", "1"}
    assert scene.named(scene.record.lineups[1]) == {"E9"}
    assert scene.encounter() == ("hunt", 0, 1)
    assert scene.finish().where()[0] == "equip", "the loser does not hunt"


def test_r54_after_a_tie_both_line_ups_stay() -> None:
    scene = duel("E5", "D5", hands="2|3").use(2, 3, PASS, PASS).do("E5", "D5")
    assert scene.result() == "tie"
    assert scene.named(scene.record.lineups[0] | scene.record.lineups[1]) == {"E5", "D5"}
    assert scene.named(scene.record.discard) == {"2", "3"}
    assert scene.record.owners[:2].tolist() == [0, 1]


def test_r55_effects_expire_with_the_duel() -> None:
    scene = duel("E5", "E6", hands="1 7 11|", monster=(10, 0, 0)).use(1, PASS, 7).do(1).use(11).do("E5", "E5", 2)
    assert scene.record.totals.tolist() == [[10, 9, 5], [6, 6, 6]]
    assert scene.result() == "left wins"
    assert scene.encounter() == ("hunt", 0, 0)
    assert scene.totals() == (5, 5, 5)
    assert (scene.record.uses.tolist(), scene.record.symbols_used.tolist()) == ([0, 0], [0, 0])
    assert scene.finish().result() == "not beaten"


# 2.7 Symbols


def test_r56_r57_v9_legal_permutations_and_what_they_give() -> None:
    factors = {10: (3, 2, 1), 11: (4, 0, 0), 12: (2, 2, 0)}
    for symbol, legal in ((10, [0, 1, 2, 3, 4, 5]), (11, [0, 2, 4]), (12, [0, 1, 3])):
        found = {}
        for number, order in enumerate(itertools.permutations((FIST, AWE, CUNNING))):
            bonus = [0, 0, 0]
            for category, factor in zip(order, factors[symbol], strict=True):
                bonus[category] = factor
            found.setdefault(tuple(bonus), number)
            scene = hunt("E5", hand=str(symbol)).use(symbol, PASS).do("E5")
            assert scene.where() == ("end_permutation", 0)
            assert scene.legal() == legal
            if number in legal:
                scene.do(number)
                assert scene.record.totals[0].tolist() == [5 + added for added in bonus]
        assert sorted(found.values()) == legal, "the lowest number of equal results"


def test_r53_v8_permutation_1() -> None:
    scene = duel("E10/0/9", "E6/0/6 D6/0/5", "FC", hands="10").use(10, PASS, PASS).do("E10/0/9", 1)
    assert scene.record.totals[:, [FIST, CUNNING]].tolist() == [[13, 11], [12, 11]]
    assert scene.result() == "left wins"


def test_r57_v10_symbol_12_with_permutation_3() -> None:
    scene = duel("E5", "E5/6/6", "AC", hands="12").use(12, PASS, PASS).do("E5", 3)
    assert scene.record.totals[0].tolist() == [5, 7, 7]


def test_r58_v11_gods_are_never_a_target() -> None:
    hands = "1 2 3 10 11 12|1 2 3 10 11 12"
    assert duel("G5 G6", "E5", hands=hands).offered() == []
    assert duel("G5 G6", "E5", hands=hands).use(PASS).offered() == [1, 2, 3, 10, 11, 12]
    scene = duel("G5 E6 D7 T8", "E5", hands="1").use(1, PASS, PASS)
    assert scene.legal() == ["E6", "D7", "T8"]


def test_r58_v12_a_category_that_is_not_in_force_may_be_doubled() -> None:
    scene = duel("E9/4/9", "E0/5/0", "A", hands="1")
    assert scene.offered() == [1]
    assert scene.use(1, PASS, PASS).do("E9/4/9").result() == "right wins"


@pytest.mark.parametrize(("victim", "left"), [("D6", 5), ("D3", 8)])
def test_r59_v22_a_stolen_card_is_in_hand_and_can_be_deployed_from_the_next_round_on(victim: str, left: int) -> None:
    scene = duel("D5 T4", "D6 D3 G2", hands="4", round_number=1)
    assert about(scene.draws(4), 2, 300)
    assert set(scene.draws(4)) == {"D6", "D3"}
    scene.use(4, draws=victim)
    assert (scene.totals(0)[FIST], scene.totals(1)[FIST]) == (9, left)
    assert victim in scene.named(scene.record.hands[0])
    assert scene.finish().result() == "left wins"
    play_to(scene.state, "challenge_card", avoid=range(16))
    while scene.state.current_player() != 0:
        scene.do(scene.state.legal_actions()[0])
    assert victim in scene.legal(), "also to Olympus"
    while scene.where() != ("deploy_card", 0):
        scene.do(next(action for action in scene.state.legal_actions() if action != scene[victim]))
    assert victim in scene.legal()


def test_r56_v23_symbols_4_and_5_need_a_card_of_their_stack() -> None:
    scene = duel("D5 T5", "G5 E5", hands="4 5|4 5")
    assert scene.offered() == []
    assert scene.use(PASS).offered() == [4, 5]


def test_r59_v24_an_empty_line_up_ties_by_symbol_8_and_hunts_with_nothing() -> None:
    scene = duel("D5", "D6", hands="4|8").use(4, draws="D6")
    assert scene.totals(1) == ZERO
    scene.use(8)
    assert scene.result() == "tie"
    assert scene.finish().encounter() == ("hunt", 0, 1)
    assert scene.totals(1) == ZERO
    assert scene.finish().result() == "not beaten"
    assert scene.named(scene.record.hands[0]) == {"D6"}


def taken_over(**options: Any) -> Scene:
    """Vector 25 after blue's symbol 5."""
    scene = duel("E4 D4 E4", "T8 D5", hands="5|5", **options).use(5, draws="T8")
    assert (scene.totals(0)[FIST], scene.totals(1)[FIST]) == (20, 5)
    assert int(scene.record.lineups[0]).bit_count() == 4
    return scene


def test_r60_v25_symbol_5_moves_a_card_until_the_end_of_the_duel() -> None:
    scene = taken_over().finish()
    assert scene.result() == "left wins"
    assert {"T8", "D5", "5"} <= scene.named(scene.record.discard)
    assert scene.encounter() == ("hunt", 0, 0)
    assert scene.totals() == (12, 12, 12)


def test_r60_v26_a_card_may_be_moved_back() -> None:
    scene = taken_over().use(5, draws="T8")
    assert (scene.totals(0)[FIST], scene.totals(1)[FIST]) == (12, 13)
    assert scene.finish().result() == "right wins"
    assert "T8" in scene.named(scene.record.discard)
    assert scene.encounter() == ("hunt", 0, 1)
    assert scene.named(scene.record.lineups[1]) == {"D5"}


def test_r61_v27_gods_are_never_pulled() -> None:
    assert duel("E5", "D5", hands="6", pile="G1 G2 G3").offered() == []
    assert duel("E5", "D5", hands="6").offered() == []
    scene = duel("E5", "D5", hands="6", pile="G1 G2 T2 E1 9")
    assert scene.offered() == [6]
    drawn = scene.draws(6, 600)
    assert set(drawn) == {"T2", "E1", "9"}
    assert about(drawn, 3, 600)


def test_r63_v28_a_pulled_symbol_that_is_not_playable_stays_in_the_pile() -> None:
    for blanks in ("no", "yes"):
        scene = duel("E5", "D5", hands="6", pile="G1 G2 G3 E4 9", allow_null_symbols=blanks)
        assert set(scene.draws(6, 60)) == {"E4", "9"}
        assert scene.use(6, draws="9").where() == ("use", 1)
        assert "9" in scene.named(scene.record.discard), "a pulled symbol is never a blank"
        assert scene.record.uses[0] == 1
        assert int(scene.record.symbols_used[0]) == 1 << 6


def test_r63_v29_a_pulled_symbol_9_wins_the_hunt() -> None:
    scene = hunt("E5", hand="6", pile="G1 G2 G3 E4 9").use(6, draws="9")
    assert scene.result() == "beaten"
    assert {"6", "9", "E5"} <= scene.named(scene.record.discard)


@pytest.mark.parametrize("kind", ["duel", "hunt"])
def test_r63_v31_a_pulled_symbol_that_was_used_before_stays_and_there_is_no_second_draw(kind: str) -> None:
    for first, hand, pile in (([1], "1 6", "1 G1"), ([], "6 1", "6 G1")):
        scene = duel("E5", "D4", hands=hand, pile=pile) if kind == "duel" else hunt("E5", hand=hand, pile=pile)
        scene.use(*first)
        if kind == "duel" and first:
            scene.use(PASS)
        lying = int(scene.record.discard)
        scene.use(6)
        assert int(scene.record.discard) == lying
        assert scene.record.uses[0] == len(first) + 1
        assert scene.state.phase() == "use"


@pytest.mark.parametrize("persists", ["no", "yes"])
def test_option_sym6_persists_r62_v32_a_pulled_champion_leaves_after_the_duel_or_hunts(persists: str) -> None:
    scene = duel("E5", "D4", hands="6", pile="E9", sym6_persists=persists).use(6, draws="E9")
    assert scene.totals()[FIST] == 14
    scene.finish()
    assert scene.encounter() == ("hunt", 0, 0)
    assert scene.named(scene.record.lineups[0]) == ({"E5", "E9"} if persists == "yes" else {"E5"})
    assert ("E9" in scene.named(scene.record.discard)) == (persists == "no")
    scene.finish()
    assert {"E5", "E9"} <= scene.named(scene.record.discard)


def test_r62_a_pulled_champion_is_stolen_for_good_and_may_be_a_target() -> None:
    for persists in ("no", "yes"):
        scene = duel("E1", "E2", hands="6 1|4", pile="D3", sym6_persists=persists)
        scene.use(6, draws="D3").use(4, draws="D3")
        readable(scene.state)
        scene.use(1, PASS, PASS)
        assert scene.legal() == ["E1"]
        scene.do("E1")
        assert scene.named(scene.record.hands[1]) == {"D3"}
    scene = duel("E1", "E2", hands="6 1", pile="D3").use(6, draws="D3").use(PASS, 1, PASS)
    assert scene.legal() == ["E1", "D3"]


def test_r60_v87_a_pulled_card_that_symbol_5_moved_is_discarded() -> None:
    for is_moved in (False, True):
        scene = duel("E5", "E6" if is_moved else "E4", hands="6|5", pile="T5", sym6_persists="yes")
        scene.use(6, draws="T5")
        if is_moved:
            scene.use(5, draws="T5")
        scene.finish()
        winner = 1 if is_moved else 0
        assert scene.encounter() == ("hunt", 0, winner)
        assert ("T5" in scene.named(scene.record.discard)) == is_moved
        assert ("T5" in scene.named(scene.record.lineups[winner])) == (not is_moved)


def test_r61_v33_cards_of_this_duel_are_not_in_the_pile_yet() -> None:
    scene = duel("E5", "D4", hands="10 6|11 6", pile="T1").use(10, 11)
    assert scene.draws(6, 40) == {"T1": 40}
    scene.use(6, draws="T1")
    assert scene.offered() == [], "the pile is empty now"
    assert scene.use(PASS, PASS).where() == ("end_champion", 0)


@pytest.mark.parametrize(("choice", "force"), [(1, "A"), (2, "C")])
def test_r64_v34_symbol_7_replaces_the_only_category(choice: int, force: str) -> None:
    scene = duel("E9/0/0", "E0/1/1", "F", hands="7").use(7)
    assert scene.where() == ("sym7", 0)
    assert scene.legal() == [1, 2]
    assert scene.do(choice).in_force() == force
    assert scene.finish().result() == "right wins"


@pytest.mark.parametrize(("choice", "force"), [(3, "FC"), (6, "FA")])
def test_r64_v35_symbol_7_replaces_one_of_two_categories(choice: int, force: str) -> None:
    scene = duel("E9/0/0", "D0", "AC", hands="7").use(7)
    assert scene.legal() == [3, 6]
    assert scene.do(choice).in_force() == force
    assert scene.finish().result() == "left wins"


def test_r64_v36_a_second_symbol_7() -> None:
    scene = duel("E5", "D5", "F", hands="7|7").use(7).do(1).use(7)
    assert scene.legal() == [5]
    assert scene.do(5).in_force() == "C"
    assert duel("E5", "D5", "AC", hands="7|7 1").use(7).do(3).offered() == [1]


def test_r64_r78_v37_the_hunt_is_not_affected_by_symbol_7() -> None:
    scene = duel("E8/9/0", "E9/0/0", "F", hands="7", monster=(8, 0, 0)).use(7).do(1).finish()
    assert scene.result() == "left wins"
    assert scene.finish().result() == "beaten"
    assert scene.record.totals.tolist() == [[8, 9, 0], [8, 0, 0]]


def test_r65_v38_symbol_8_ends_the_duel_as_a_tie_at_once() -> None:
    scene = duel("E5", "T8 D6", hands="4 10 5|1 2 8").use(4, draws="D6").use(1, 10, 2).use(5, draws="T8").use(8)
    assert scene.result() == "tie"
    assert scene.record.totals.tolist() == [[13] * 3, [0] * 3], "the waiting effects are lost"
    assert scene.encounter() == ("hunt", 0, 0)
    assert scene.named(scene.record.hands[0]) == {"D6"}
    assert scene.named(scene.record.discard) == {"4", "10", "5", "1", "2", "8", "T8"}
    assert scene.named(scene.record.lineups[0]) == {"E5"}
    assert scene.finish().encounter() == ("hunt", 0, 1)
    assert scene.named(scene.record.lineups[1]) == set()


@pytest.mark.parametrize(("team", "wins"), [("E10/10/10 D3/4/3", True), ("E10/10/10 D3/3/3", False)])
def test_r66_v66_symbol_8_cancels_a_card_for_this_fight(team: str, wins: bool) -> None:
    scene = fight(team, "8", factors=[(0, 2, 0), (0, 1, 0), ZERO])
    assert scene.kronos() == (13, 16, 13)
    assert scene.use(8).where() == ("sym8_card", 1)
    assert scene.legal() == [0, 1], "cards with a factor"
    assert scene.do(0).kronos() == (13, 14, 13)
    scene.use(PASS)
    assert scene.result() == ("beaten" if wins else "not beaten")
    if not wins:
        assert scene.encounter() == ("Kronos", 1, 0)
        assert scene.kronos() == (13, 16, 13)


@pytest.mark.parametrize("factors", [(), (ZERO,)])
def test_r56_v67_symbol_8_needs_a_treasure_with_a_factor(factors: Sequence[Triple]) -> None:
    assert fight("E1 D1", "8", factors=factors).offered() == []


def test_option_sym8_scope_r66_cancels_a_card_or_one_number() -> None:
    factors: list[Triple] = [(2, 0, 3), (0, 1, 0)]
    card = fight("E1 D1", "8", factors=factors).use(8).do(0)
    assert (card.where(), card.kronos()) == (("use", 1), (13, 14, 13))
    number = fight("E1 D1", "8", factors=factors, sym8_scope="number").use(8).do(0)
    assert (number.where(), number.legal()) == (("sym8_number", 1), [FIST, CUNNING])
    assert (number.do(CUNNING).kronos(), number.where()) == ((15, 14, 13), ("use", 1))


def test_r67_v39_symbol_9_wins_a_hunt_with_nothing() -> None:
    scene = hunt("E0", hand="9").use(9)
    assert scene.result() == "beaten"
    assert int(scene.record.vaults[0]).bit_count() == 2


def test_r67_v86_effects_that_wait_are_lost_when_symbol_9_wins_the_hunt() -> None:
    scene = hunt("E0", hand="10 9").use(10, 9)
    assert scene.result() == "beaten"
    assert scene.where()[0] == "equip"


def test_r67_symbol_9_ends_the_own_hunt_only() -> None:
    scene = duel("E5", "D5", hands="9").finish().use(9)
    assert scene.result() == "beaten"
    assert scene.encounter() == ("hunt", 0, 1)


def test_r67_v65_against_kronos_symbol_9_adds_one_to_the_challenger() -> None:
    scene = fight("E6 D6/7/6", "9").use(9)
    assert (scene.totals(), scene.kronos()) == ((13, 14, 13), (13, 14, 13))
    assert scene.use(PASS).result() == "beaten"


def test_r68_in_a_duel_of_one_category_one_number_counts() -> None:
    for permutation, result in ((0, "left wins"), (1, "left wins"), (2, "tie"), (4, "tie"), (3, "right wins")):
        scene = duel("E5/0/0", "E7/9/9", "F", hands="10").use(10, PASS, PASS).do("E5/0/0", permutation)
        assert scene.result() == result


def test_r52_r56_v83_two_bonuses_on_one_champion() -> None:
    scene = hunt("E5", hand="10 11").use(10, 11, PASS).do("E5", 0, "E5", 0)
    assert scene.record.totals[0].tolist() == [12, 7, 6]


# 2.8 Harvest, 2.9 hunt, 2.10 spoils


def test_r69_winners_and_lone_seats_take_the_treasure_of_their_side() -> None:
    scene = three_quests().finish().finish()
    assert scene.encounter() == ("hunt", 0, 0)
    assert [int(vault) for vault in scene.record.vaults] == [1 << 0 | 1 << 5, 0, 1 << 2, 0]
    assert scene.record.treasures[:6].tolist() == [NONE, 1, NONE, 3, 4, NONE], "the beaten side's stays [R71]"


def test_r70_v45_treasures_of_a_quest_without_seats_go_to_kronos_at_the_harvest() -> None:
    scene = hunt("E5")
    assert scene.encounter() == ("hunt", 0, 0)
    assert scene.record.treasures[:6].tolist() == [NONE, 13, NONE, NONE, NONE, NONE]
    assert int(scene.record.treasury) == 0b1111 << 14


def test_r71_after_a_tie_both_treasures_stay_until_the_spoils() -> None:
    scene = duel("E5", "D5").finish()
    assert scene.record.treasures[:2].tolist() == [12, 13]
    assert [int(vault) for vault in scene.record.vaults] == [0] * 4


LONE = [
    ("v41 beaten", "yes", (5, 0, 0), {12, 13}, True),
    ("v41 not beaten", "yes", None, {12}, True),
    ("v41 no hunt", "no", (5, 0, 0), {12}, False),
]


@pytest.mark.parametrize(("name", "value", "monster", "vault", "hunts"), LONE, ids=[case[0] for case in LONE])
def test_option_lone_hunts_r72_r80_v41_a_lone_seat(
    name: str, value: str, monster: Triple | None, vault: set[int], hunts: bool
) -> None:
    scene = hunt("E5 D1*", monster=monster, lone_hunts=value)
    if hunts:
        assert scene.encounter() == ("hunt", 0, 0)
        scene.finish()
    assert scene.where()[0] == "equip"
    assert {t for t in range(18) if int(scene.record.vaults[0]) >> t & 1} == vault
    assert (int(scene.record.treasury) >> 13 & 1 == 1) == (13 not in vault)
    assert scene.named(scene.record.discard) == {"E5", "D1"}
    assert scene.record.hunts[0] == hunts


def test_r73_a_hunt_takes_place_without_reinforcements() -> None:
    scene = hunt("E5", monster=(5, 0, 0))
    assert (scene.where(), scene.legal()) == (("use", 0), [PASS])
    assert scene.do(PASS).result() == "beaten"


@pytest.mark.parametrize("blue", [0, 1])
def test_r74_r75_tied_seats_hunt_one_after_the_other_blue_first(blue: int) -> None:
    cards = Cards()
    cards.quest(6, "F")
    scene = begin(TO_DUEL, cards, sides="0 E5|1 D5", blue=str(blue)).finish()
    assert scene.encounter() == ("hunt", 0, blue)
    assert scene.finish().encounter() == ("hunt", 0, 1 - blue)


def test_r75_v46_the_line_up_that_hunted_first_is_in_the_pile() -> None:
    scene = duel("E4", "D4", hands="|6", pile="G1").finish().finish()
    assert scene.encounter() == ("hunt", 0, 1)
    assert scene.draws(6, 30) == {"E4": 30}


def test_r76_up_to_three_uses_in_a_hunt_and_the_citadel() -> None:
    scene = hunt("E5", hand="1 2 3 10", citadels="11 12 9").use(1)
    assert scene.offered() == [2, 3, 9, 10, 11, 12]
    assert scene.use(11).offered() == [2, 3, 10]
    assert scene.use(2).where() == ("end_champion", 0), "the third use is a pass"


@pytest.mark.parametrize(
    ("lineup", "result"),
    [
        ("E0/8/5 D0/7/4", "beaten"),
        ("E10/10/4 D10/10/4", "not beaten"),
        ("E10/10/5 D10/4/5", "not beaten"),
        ("E0/9/9 D0/9/9", "beaten"),
    ],
)
def test_r77_v40_at_least_every_value_of_the_monster(lineup: str, result: str) -> None:
    assert hunt(lineup, "AC", monster=(0, 15, 9)).finish().result() == result


def test_r78_v84_the_monster_has_categories_of_its_own() -> None:
    scene = duel("E8/1/0", "E9/0/0", "A", monster=(8, 0, 0))
    assert scene.in_force() == "A"
    assert scene.finish().result() == "left wins"
    assert [int(monster_value(scene.state.game.rules, scene.record, c)) for c in range(3)] == [8, 0, 0]
    assert scene.finish().result() == "beaten"


def test_r79_after_the_hunt_all_cards_are_discarded() -> None:
    scene = hunt("E5", hand="6 1", pile="D3").use(6, draws="D3").use(1, PASS).do("D3")
    assert scene.named(scene.record.discard) == {"E5", "D3", "6", "1"}
    assert int(np.bitwise_or.reduce(scene.record.lineups)) == 0


SPOILS = [
    ("won and beaten", "E6", "D5", (6, 0, 0), "", {12, 13}, set()),
    ("v42 won, not beaten", "E6", "D5", None, "", {12}, set()),
    ("lost", "E5", "D6", (6, 0, 0), "", set(), {12, 13}),
    ("v44 tie, both beat it", "E5", "D5", (5, 0, 0), "", {12}, {13}),
    ("v43 tie, blue beats it", "E5", "D5", (9, 0, 0), "11", {12}, set()),
    ("tie, nobody beats it", "E5", "D5", None, "", set(), set()),
]


@pytest.mark.parametrize(
    ("name", "blue", "red", "monster", "hand", "first", "second"), SPOILS, ids=[case[0] for case in SPOILS]
)
def test_r80_r81_r82_v42_v43_v44_spoils(
    name: str, blue: str, red: str, monster: Triple | None, hand: str, first: set[int], second: set[int]
) -> None:
    scene = duel(blue, red, hands=hand, monster=monster).finish()
    if hand:
        scene.use(11, PASS).do(blue, 0)
    while scene.state.phase() == "use":
        scene.finish()
    vaults = [{t for t in range(18) if int(vault) >> t & 1} for vault in scene.record.vaults]
    assert vaults[:2] == [first, second]
    treasury = {t for t in range(18) if int(scene.record.treasury) >> t & 1}
    assert treasury == {12, 13, 14, 15, 16, 17} - first - second
    assert scene.record.treasures.tolist() == [NONE] * 8


def kronos_with_keys(keys: int, round_number: int, limit: int | str) -> State:
    """The state after a round at whose end Kronos has so many keys."""
    cards = Cards()
    cards.quest(3 * round_number, "F")
    cards.treasure(0, keys=9)
    cards.treasure(6 * round_number + 1, keys=keys - 9)  # opposite to the lone seat
    cards.table[0]["limits"][0] = [12, 1, 1, 1]
    sides = "0 E5"
    scene = begin(TO_DUEL, cards, sides=sides, treasury=[0], round_number=round_number, key_limit=limit).finish()
    assert keys_of(scene.state.game.rules, scene.record.treasury) == keys
    return scene.state


@pytest.mark.parametrize(("keys", "is_lost"), [(11, False), (12, True), (13, True)])
@pytest.mark.parametrize("limit", ["data", 12])
def test_r83_v47_all_lose_at_the_key_limit(keys: int, is_lost: bool, limit: int | str) -> None:
    state = kronos_with_keys(keys, 1, limit)
    assert state.phase() == ("over" if is_lost else "first_player")
    if is_lost:
        assert OUTCOMES[state.record.outcome] == "lost_keys"
        assert state.returns() == [0] * 4


@pytest.mark.parametrize(("keys", "is_lost"), [(11, False), (12, True)])
def test_r83_v48_the_limit_is_tested_before_the_final(keys: int, is_lost: bool) -> None:
    state = kronos_with_keys(keys, 2, "data")
    assert state.phase() == ("over" if is_lost else "equip")
    assert not is_lost or OUTCOMES[state.record.outcome] == "lost_keys"


def test_option_key_limit_r83_overrides_the_table() -> None:
    assert kronos_with_keys(11, 1, 11).is_terminal()
    assert not kronos_with_keys(13, 1, 14).is_terminal()


def test_r83_v81_the_limit_goes_by_face_and_setting() -> None:
    cards = Cards()
    cards.table[0]["limits"][:] = np.arange(8).reshape(2, 4) + 100
    for number, options in enumerate(SETTINGS.values()):
        for face, difficulty in ((0, "easy"), (0, "medium"), (1, "hard")):
            rules = cards.game(**options, difficulty=difficulty, key_limit="data").rules
            assert key_limit(rules) == 100 + 4 * face + number
    assert key_limit(Game(num_players=3, difficulty="hard").rules) == standin().table[0]["limits"][1, 1]


# 2.11 End of round


def test_r84_hands_and_vaults_are_kept() -> None:
    scene = duel("E5", "D4", hands="1 E9|2 D9", round_number=0).finish().finish()
    assert scene.where()[0] == "first_player"
    assert [scene.named(hand) for hand in scene.record.hands[:2]] == [{"1", "E9"}, {"2", "D9"}]
    assert int(scene.record.vaults[0]) == 1
    assert scene.record.owners.tolist() == [NONE] * 8
    assert sorted(scene.record.treasures[:6].tolist()) == [6, 7, 8, 9, 10, 11], "the next quests"


@pytest.mark.parametrize(
    ("options", "used"), [({}, 0), ({"num_players": 3}, 1), ({"variant": "tournament"}, 1)], ids=str
)
def test_r84_the_last_round_too_restores_the_citadels_of_the_standard_game(options: Options, used: int) -> None:
    scene = duel("E5", "D4", hands="|", citadels="1 2 3|4 5 6", key_limit=99, **options).use(1).finish().do("E5")
    assert scene.record.citadels_used == 1
    while scene.state.phase() == "use":
        scene.do(PASS)
    assert scene.where() == ("equip", 0)
    assert scene.record.citadels_used == used


def test_r83_r84_a_game_that_the_key_limit_ends_restores_no_citadel() -> None:
    cards = Cards()
    cards.quest(6, "F")
    treasury = [cards.treasure(0, keys=9)]
    scene = begin(TO_DUEL, cards, sides="0 E5|1 D4", citadels="1 2 3|4 5 6", treasury=treasury, key_limit=9)
    scene.use(1).finish().do("E5").finish()
    assert scene.state.is_terminal()
    assert scene.record.citadels_used == 1


@pytest.mark.parametrize("setting", SETTINGS)
def test_r85_discarded_cards_come_back_only_through_symbol_6_and_gods_never(setting: str) -> None:
    lying, draws, pulled = 0, 0, 0
    for state in random_states(Game(**SETTINGS[setting], key_limit=99), 8):
        record = state.record
        if record.round_number == 0 and state.phase() in ("first_player", "draft"):
            lying = draws = 0
        gone = lying & ~int(record.discard)
        assert not gone or (record.draws > draws and gone.bit_count() == 1 and gone >= 1 << 12)
        pulled += bool(gone)
        lying, draws = int(record.discard), int(record.draws)
    assert pulled > 3


# 2.12 Final


def test_r86_all_cards_on_olympus_are_turned_up() -> None:
    scene = final(teams="G1 E1* D1*|G2 E2* D2|G3 E3* D3*|G4 E4 D4*")
    assert scene.record.olympus_closed == 0
    view = scene.state.view(0).record
    assert (view.olympus == scene.record.olympus).all()


def test_r87_v85_a_treasure_is_given_once_and_nothing_may_be_given() -> None:
    scene = final(vaults=[[3, 5], [7]])
    assert scene.legal() == [3, 5, NOTHING]
    assert scene.do(3).legal() == [5, NOTHING]
    assert scene.do(NOTHING).legal() == [5, NOTHING]
    assert scene.do(5).where() == ("equip", 1)
    assert scene.legal() == [7, NOTHING]
    assert [int(vault) for vault in scene.record.vaults[:2]] == [1 << 3 | 1 << 5, 1 << 7]


def test_r87_equipment_is_secret_until_all_are_done() -> None:
    scene = final(vaults=[[3, 5], [7]]).do(3, NOTHING)
    assert scene.state.view(0).record.equipped[0].tolist() == [3, NOTHING, NONE]
    hidden = scene.state.view(1).record.equipped[0].tolist()
    assert hidden == [19, 19, NONE]
    equip_nothing(scene)
    assert scene.state.view(1).record.equipped[0].tolist() == [3, NOTHING, NOTHING]


def test_r88_r89_r90_v69_the_order_of_the_challengers() -> None:
    cards = Cards()
    vaults, numbers = [], iter(range(18))
    for keys, count in ((4, 3), (4, 5), (6, 2), (4, 3)):
        vaults.append([next(numbers) for _ in range(count)])
        cards.treasure(vaults[-1][0], keys=keys)
    scene = final(cards, vaults=vaults, first_player=1)
    for vault in vaults:
        scene.do(vault[0], NOTHING, NOTHING)
    assert scene.record.challengers.tolist() == [2, 1, 0, 3]
    seats = []
    while not scene.state.is_terminal():
        seats.append(scene.state.current_player())
        scene.use(PASS)
    assert seats == [2, 1, 0, 3]


@pytest.mark.parametrize("first", range(4))
def test_r90_who_played_last_in_the_last_round_challenges_first(first: int) -> None:
    order = [(first - turn) % 4 for turn in (1, 2, 3, 4)]
    assert equip_nothing(final(first_player=first)).record.challengers.tolist() == order


def test_r88_v70_keys_in_the_vault_do_not_count() -> None:
    cards = Cards()
    vaults = [[cards.treasure(0, keys=2), cards.treasure(1, keys=7)], [cards.treasure(2, keys=3)]]
    scene = final(cards, vaults=vaults, first_player=2).do(0, NOTHING, NOTHING, NOTHING, 2, NOTHING)
    assert equip_nothing(scene).record.challengers[:2].tolist() == [1, 0]


def test_r91_r94_every_seat_challenges_until_one_wins() -> None:
    teams = "G0 E10 D10|G0 E1 D1|G0 E10 D9|G0 E1 D2"
    scene = equip_nothing(final(teams=teams))
    assert scene.encounter() == ("Kronos", 0, 1)
    assert scene.legal() == [PASS], "a challenge cannot be declined"
    assert scene.use(PASS).encounter() == ("Kronos", 1, 0)
    scene.use(PASS)
    assert scene.state.is_terminal()
    assert (int(scene.record.winner), OUTCOMES[scene.record.outcome]) == (0, "win")


KRONOS_FIGHTS = [
    ("v64 wins", "E10 D3/4/3", "beaten"),
    ("v64 fails", "E10/7/10 D10/6/10", "not beaten"),
    ("one short in Cunning", "E10/10/9 D3/4/3", "not beaten"),
]


@pytest.mark.parametrize(("name", "team", "result"), KRONOS_FIGHTS, ids=[case[0] for case in KRONOS_FIGHTS])
def test_r92_v64_at_least_kronos_in_all_three_categories(name: str, team: str, result: str) -> None:
    scene = fight(team)
    assert scene.kronos() == (13, 14, 13)
    assert scene.use(PASS).result() == result


def test_r92_items_are_added_and_only_the_challenger_acts() -> None:
    cards = Cards()
    item = cards.treasure(3, item=(3, 2, 1))
    scene = final(cards, teams="|G1 E1 D1", hands="1|2 3 10 11", vaults=[[], [item]])
    equip_nothing(scene.do(*[NOTHING] * 3, item))
    assert scene.totals() == (6, 5, 4)
    assert scene.offered() == [2, 3, 10, 11]
    scene.use(2, 10)
    assert scene.where() == ("use", 1)
    assert scene.use(3).where() == ("end_champion", 1), "three uses"
    assert scene.legal() == ["E1", "D1"], "no gods [R58]"


def test_r93_v71_cards_of_a_failed_fight_go_to_the_pile_and_the_team_stays() -> None:
    scene = equip_nothing(final(teams="G0 E1 D1|G2 E2 D2", hands="6 1|6 2", pile="E5", first_player=1, num_players=2))
    assert scene.encounter() == ("Kronos", 0, 0)
    scene.use(6, draws="E5")
    assert scene.totals()[FIST] == 7
    scene.use(1, PASS)
    assert scene.legal() == ["E5", "E1", "D1"]
    scene.do("E5")
    assert scene.encounter() == ("Kronos", 1, 1)
    lying = scene.named(scene.record.discard)
    assert {"E5", "6", "1"} <= lying
    assert not {"G0", "E1", "D1"} & lying


def test_r94_r95_v72_all_fail() -> None:
    scene = equip_nothing(final())
    for _ in range(4):
        scene.use(PASS)
    assert scene.state.is_terminal()
    assert OUTCOMES[scene.record.outcome] == "lost_final"
    assert scene.state.returns() == [0] * 4
    assert scene.state.places() == ([1] * 4, [0] * 4)


def test_r95_the_winner_gets_one_and_the_others_nothing() -> None:
    scene = fight("E10 D10").use(PASS)
    assert scene.state.returns() == [0, 1, 0, 0]
    assert scene.state.places() == ([2, 1, 2, 2], [0, 1, 0, 0])
    state = kronos_with_keys(12, 2, 12)
    assert (state.returns(), state.places()) == ([0] * 4, ([1] * 4, [0] * 4))


# 2.13


def test_r96_illegal_choices_are_refused_and_change_nothing() -> None:
    scenes = [
        duel("E5", "D5", hands="1 9"),
        duel("E5", "D5", hands="7").use(7),
        duel("E5", "D5", hands="11").use(11, PASS, PASS).do("E5"),
        fight("E1 D1", "8").use(8),
        deploying("0 E1 E2", "E3|D1", round_number=1),
        final(vaults=[[3]]).do(3),
        begin(TO_CHALLENGE, hands="G1 E1", teams="E9 D9"),
    ]
    for scene in scenes:
        before, legal = scene.record.tobytes(), scene.state.legal_actions()
        for action in range(-1, 65):
            if action not in legal:
                with pytest.raises(IllegalAction):
                    scene.state.apply_action(action)
        assert scene.record.tobytes() == before


# Option `cards`


def test_option_cards_the_numbers_of_the_set_decide() -> None:
    assert duel("E5", "D4").finish().result() == "left wins"
    assert duel("E5", "D6").finish().result() == "right wins"
    game = Cards().game()
    assert game.option_values()["cards"] == "made up"
    assert Game().option_values()["cards"] == "standin"
    with pytest.raises(InvalidRules, match="no card set in 'nowhere'"):
        Game(cards="nowhere")


# 4 Who knows what


def worlds(view: State, seat: int) -> set[tuple[int, ...]]:
    """What can lie in the closed places of another seat, those on Olympus first [section 4 of the rules]."""
    record, variant = view.record, VARIANTS[view.game.rules.variant]
    now = int(record.round_number)
    places: list[tuple[int, int]] = []  # round in which it was filled, stack or 4
    for i, card in enumerate(record.olympus[seat].tolist()):
        if card >= UNKNOWN:
            places.append((next(r for r in range(3) if SENT[variant][r + 1] > i), card - UNKNOWN))
    on_olympus = len(places)
    for side in np.flatnonzero(record.owners == seat):
        places += [(now, int(back) - 1) for back in record.hidden[side] if back]
    pool = [card for card in range(48) if int(record.hands[seat]) >> card & 1]
    team = record.olympus[seat].tolist()
    found = set()
    for cards in itertools.permutations(pool, len(places)):
        is_held = all(record.since[card] <= 1 + 2 * number for card, (number, _) in zip(cards, places, strict=True))
        is_back = all(stack in (4, card // 12) for card, (_, stack) in zip(cards, places, strict=True))
        gods = [card for card in (*team, *cards[:on_olympus]) if 0 <= card < 12]
        if is_held and is_back and (NONE in team or gods):
            found.add(cards)
    return found


def closed_pool(team: str, round_number: int, **options: Any) -> Scene:
    """Seat 1 has a pool G1 E1 D1 T1: E1 closed at a quest, two in its hand, and what its team holds closed."""
    teams = f"G8|{team}|G7|G6"
    return deploying("1 T9 E1*", "|D1 T1", teams=teams, round_number=round_number, first_player=1, **options)


def test_v73_twelve_worlds_of_a_pool_of_four() -> None:
    scene = closed_pool("E9 G1*", 1)
    pool = {scene[name] for name in ("G1", "E1", "D1", "T1")}
    found = worlds(scene.state.view(0), 1)
    assert found == set(itertools.permutations(pool, 2))
    assert len(found) == 12


def test_v74_after_the_last_challenge_a_closed_card_must_be_the_god() -> None:
    scene = closed_pool("E9 D9 G1*", 2)
    found = worlds(scene.state.view(0), 1)
    assert found == {(scene["G1"], scene[name]) for name in ("E1", "D1", "T1")}
    assert len(worlds(closed_pool("G9 D9 G1*", 2).state.view(0), 1)) == 12


@pytest.mark.parametrize(("value", "number"), [("no", 9), ("yes", 1)])
def test_v75_a_card_gathered_later_cannot_lie_there(value: str, number: int) -> None:
    scene = closed_pool("G9 G1* D9", 2, closed_shows_stack=value)
    scene.record.since[scene["T1"]] = 5  # gathered in this round, a round after the card on Olympus was sent
    found = worlds(scene.state.view(0), 1)
    assert len(found) == number
    assert {olympus for olympus, _ in found} <= {scene[name] for name in ("G1", "E1", "D1")}


def test_v76_the_end_of_a_seat_proves_nothing() -> None:
    scene = deploying("1 T9 E1*", "E8|D1 T1", teams="G9|E9 G1*|G8|G7", round_number=1, first_player=1)
    before = worlds(scene.state.view(0), 1)
    assert len(before) == 12
    assert scene.do(END).where() == ("deploy_card", 0)
    assert worlds(scene.state.view(0), 1) == before


# 6 Invariants


ROWS = ("first", "draft", "challenge", "deploy", "uses", "pass", "equip", "tourn")
MOST = {  # invariant 11 by part
    "standard": (3, 60, 24, 152, 72, 40, 12, 0),
    "variation3": (2, 60, 18, 111, 45, 27, 9, 0),
    "variation2": (2, 40, 12, 98, 30, 26, 6, 0),
    "tournament": (1, 30, 12, 54, 24, 18, 6, 2),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_max_game_length_is_the_sum_of_its_parts(setting: str) -> None:
    draft = MOST[setting][ROWS.index("draft")]
    assert Game(**SETTINGS[setting]).max_game_length() == sum(MOST[setting]) - draft
    assert Game(**SETTINGS[setting], mode="tactics").max_game_length() == sum(MOST[setting])
    assert [Game(name).max_game_length() for name in ("standard", "tournament-tactics")] == [303, 147]


def part_of(phase: str, action: int) -> str:
    """The row of the table of invariant 11 that a decision belongs to."""
    if phase == "use":
        return "pass" if action == PASS else "uses"
    word = phase.partition("_")[0]
    return word if word in ROWS else "uses"


EXTRA: list[Options] = [
    {},
    {"mode": "tactics", "difficulty": "hard", "allow_null_symbols": "yes", "sym6_persists": "yes"},
    {"count_sym6_chain": "no", "allow_null_symbols": "yes", "lone_hunts": "no", "sym8_scope": "number"},
]


@pytest.mark.parametrize("extra", EXTRA, ids=["default", "tactics", "chain"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_invariants_hold_along_random_games(setting: str, extra: Options) -> None:
    game = Game(**SETTINGS[setting] | extra, key_limit=99)
    for board in range(2):
        state, choices = game.new_initial_state(seed=9, board=board), random.Random(board)
        counts: Counter[str] = Counter()
        while not state.is_terminal():
            check_invariants(state)
            legal = state.legal_actions()
            wanted = [action for action in legal if action not in (PASS, END)] if board % 2 else legal
            action = choices.choice(wanted or legal)
            counts[part_of(state.phase(), action)] += 1
            state.apply_action(action)
        check_invariants(state)
        assert all(number <= MOST[setting][ROWS.index(part)] for part, number in counts.items()), counts


def check_invariants(state: State) -> None:
    """Cards and treasures are conserved, and what is at a quest, on Olympus or used fits the rules."""
    record, seats = state.record, state.game.num_players
    variant = VARIANTS[state.game.rules.variant]
    lineups = [int(cards) for cards in record.lineups]
    teams = [1 << int(card) for card in record.olympus.ravel() if card != NONE]
    places = [1 << int(card) for card in record.stacks if card != UNSEEN] + teams + lineups
    places += [*map(int, record.hands), int(record.discard), int(record.table)]
    places += [int(record.pulled)] if record.fight == KRONOS else []
    assert sum(places) == 2**60 - 1, "60 cards, each once [1]"
    treasures = [int(record.treasury), *map(int, record.vaults), *(1 << int(t) for t in record.treasures if t != NONE)]
    assert sum(treasures).bit_count() == sum(mask.bit_count() for mask in treasures), "each treasure once [2]"
    if state.phase() in ("equip", "over"):
        assert sum(treasures).bit_count() == {"standard": 18, "variation": 12, "tournament": 8}[variant]
        assert (record.olympus[:seats] != NONE).all()
        assert ((record.olympus[:seats] < 12).any(axis=1)).all(), "a god in every team [4]"
        assert not any(lineups), "no card lies at a quest [8]"
    assert all(card < 1 << 48 for card in teams + lineups), "champions only [4, 5]"
    owners = record.owners.tolist()
    assert all(owner == NONE or owner != owners[side ^ 1] for side, owner in enumerate(owners)), "[5]"
    if state.phase().startswith("deploy"):
        assert all(cards.bit_count() <= 3 for cards in lineups)
        assert all(bool(cards) == (owner != NONE) for cards, owner in zip(lineups, owners, strict=True))
    if state.game.rules.count_sym6_chain == 0:
        assert all(record.uses <= 3), "[7]"
    assert all(int(symbols).bit_count() >= uses for symbols, uses in zip(record.symbols_used, record.uses, strict=True))
    assert record.winner == NONE or OUTCOMES[record.outcome] == "win", "[9]"


# Rows of rounds


class Facts:
    """What happened in a round, collected from the records before and after each event."""

    COUNTS = ("olympus", "deployed", "duels_won", "duels_tied", "hunts", "hunts_won", "treasures", "equipped")

    def __init__(self, seats: int) -> None:
        self.hand = [0] * seats
        self.columns = {name: [0] * seats for name in self.COUNTS}
        self.first_player = -1

    def watch(self, phase: str, action: int, before: Any, after: Any, seats: int) -> None:
        """Note what an event did."""
        in_stacks = sum(1 << int(card) for card in before.stacks if card != UNSEEN)
        for seat in range(seats):
            self.hand[seat] |= int(after.hands[seat]) & ~int(before.hands[seat]) & in_stacks
            won = int(after.vaults[seat]).bit_count() - int(before.vaults[seat]).bit_count()
            self.columns["treasures"][seat] += won
            sent = int((after.olympus[seat] != NONE).sum() - (before.olympus[seat] != NONE).sum())
            self.columns["olympus"][seat] += sent
        actor = int(before.actor)
        if phase == "first_player":
            self.first_player = action
        self.columns["deployed"][actor] += phase == "deploy_orient"
        self.columns["equipped"][actor] += phase == "equip" and action != NOTHING
        if after.result and before.fight == DUEL:
            self.duel(before, int(after.result))
        elif after.result and before.fight == HUNT:
            self.columns["hunts"][actor] += 1
            self.columns["hunts_won"][actor] += RESULTS[after.result - 1] == "beaten"

    def duel(self, before: Any, result: int) -> None:
        """Note how a duel ended."""
        pair = before.owners[2 * before.position : 2 * before.position + 2].tolist()
        match RESULTS[result - 1]:
            case "tie":
                for seat in pair:
                    self.columns["duels_tied"][seat] += 1
            case won:
                self.columns["duels_won"][pair[won == "right wins"]] += 1


def keys_on(treasures: int) -> int:
    """Keys of a set of treasures of the stand-in."""
    return sum(int(standin().table[0]["keys"][treasure]) for treasure in range(18) if treasures >> treasure & 1)


@pytest.mark.parametrize("mode", ["destiny", "tactics"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_rows_of_rounds_say_what_happened(setting: str, mode: str) -> None:
    seen: Counter[str] = Counter()
    for board in range(4):
        game = Game(**SETTINGS[setting], mode=mode, key_limit="data" if board % 2 else 99)
        rows = list(rows_of(game, board, seen))
        assert len(rows) <= game.max_deals()
        assert [row[0]["round"] for row in rows] == list(range(len(rows)))
    assert min(seen[name] for name in ("duels_won", "duels_tied", "hunts", "hunts_won", "treasures")) > 0
    assert seen["equipped"] > 0


def rows_of(game: Game, board: int, seen: Counter[str]) -> Iterator[list[Any]]:
    """The rows of each round of a random game, compared with what happened."""
    rules, records, rng, choices = game.rules, game.new_records(1), np.zeros(2, np.uint64), random.Random(board)
    record, facts, done, seats = records[0], Facts(game.num_players), 0, range(game.num_players)
    verbs.new_game(rules, record)
    while (seat := verbs.to_move(rules, record)) != OVER:
        before, phase, action = records.copy()[0], game.phases[record.phase], -1
        if seat == CHANCE:
            chance_stream(rng, np.uint64(1), np.uint64(board), verbs.chance_event(rules, record))
            verbs.chance(rules, record, rng)
        else:
            mask = int(verbs.legal_mask(rules, record))
            action = choices.choice([action for action in range(64) if mask >> action & 1])
            verbs.apply(rules, record, action)
        facts.watch(phase, action, before, record, len(seats))
        if verbs.deals_done(rules, record) == done:
            continue
        rows = []
        for seat in seats:
            row = np.zeros(1, columns_dtype(game.deal_columns)).view(np.recarray)
            verbs.deal_row(rules, record, seat, row[0])
            counts = {name: facts.columns[name][seat] for name in facts.COUNTS}
            expected = counts.copy()
            expected |= {"hand": facts.hand[seat], "round": done, "first_player": facts.first_player}
            expected |= {"keys": keys_on(int(record.vaults[seat])), "kronos_keys": keys_on(int(record.treasury))}
            assert {name: int(row[0][name]) for name in row.dtype.names} == expected
            seen.update(counts)
            rows.append(row[0])
        yield rows
        facts, done = Facts(game.num_players), done + 1


def test_rows_of_a_round_that_is_played_by_hand() -> None:
    cards = Cards()
    cards.quest(6, "F", (7, 0, 0))
    for treasure in range(12, 18):
        cards.treasure(treasure, keys=treasure - 11)
    scene = begin(TO_DUEL, cards, sides="0 E5 D1|1 E6||1 T2", hands="11", vaults=[[], [0]])
    scene.use(11, PASS, PASS).do("E5", 0)  # seat 0 wins with 10 against 6
    scene.finish().finish()  # it does not beat the monster, nor does seat 1 at the second quest
    scene.do(*[NOTHING] * 3, 0, 14 + 1, NOTHING)
    equip_nothing(scene)
    while not scene.state.is_terminal():
        scene.use(PASS)
    rows = np.zeros(2, columns_dtype(Game.deal_columns)).view(np.recarray)
    for seat in range(2):
        verbs.deal_row(scene.state.game.rules, scene.record, seat, rows[seat])
    common = {"round": 2, "first_player": 0, "olympus": 1, "kronos_keys": 2 + 3 + 5 + 6}
    expected = [
        {"deployed": 2, "duels_won": 1, "hunts": 1, "treasures": 1, "keys": 1, "equipped": 0},
        {"deployed": 2, "duels_won": 0, "hunts": 1, "treasures": 1, "keys": 4, "equipped": 2},
    ]
    for seat, own in enumerate(expected):
        found = {name: int(rows[seat][name]) for name in rows.dtype.names}
        assert found == common | own | {"hand": int(scene.record.gathered[seat]), "duels_tied": 0, "hunts_won": 0}


# 8 Presets

FULL_NAMES = [
    f"{setting}-{mode}-{difficulty}"
    for setting in SETTINGS
    for mode in ("destiny", "tactics")
    for difficulty in ("easy", "medium", "hard")
]


def test_presets_are_listed_by_their_full_names() -> None:
    assert sorted(PRESETS) == sorted([*FULL_NAMES, "standard", "variation", "tournament"])
    assert len(PRESETS) == 27


@pytest.mark.parametrize("name", FULL_NAMES)
def test_a_preset_sets_what_its_name_says(name: str) -> None:
    setting, mode, difficulty = name.split("-")
    game = Game(name)
    assert game == Game(**SETTINGS[setting], mode=mode, difficulty=difficulty)
    changed = {"num_players", "variant", "mode", "difficulty"}
    assert set(game.changed_options()) <= changed


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("standard", "standard-destiny-medium"),
        ("standard-hard", "standard-destiny-hard"),
        ("standard-tactics", "standard-tactics-medium"),
        ("variation3", "variation3-destiny-medium"),
        ("variation2-easy", "variation2-destiny-easy"),
        ("tournament", "tournament-destiny-medium"),
        ("tournament-tactics", "tournament-tactics-medium"),
        ("tournament-hard", "tournament-destiny-hard"),
    ],
)
def test_parts_of_a_presets_name_may_be_left_out(short: str, full: str) -> None:
    assert short in PRESETS
    assert Game(short) == Game(full)


@pytest.mark.parametrize("players", [2, 3])
def test_variation_alone_goes_by_the_number_of_players(players: int) -> None:
    assert Game("variation", num_players=players) == Game(f"variation{players}")
    assert Game("variation-tactics-hard", num_players=players) == Game(f"variation{players}-tactics-hard")
    assert Game(num_players=players) == Game(f"variation{players}")
    with pytest.raises(InvalidRules, match="does not say how many play"):
        Game("variation-tactics")


@pytest.mark.parametrize(
    "name",
    ["", "standard-", "standard-medium-destiny", "standard-tactics-tactics", "standard4", "variation4", "hard", None, 3,
     "tactics", "standard-destiny-medium-", "standard_hard", "Standard", "standard-hard-hard", "-standard"],
)  # fmt: skip
def test_other_names_are_no_preset(name: Any) -> None:
    with pytest.raises(InvalidRules, match="unknown preset"):
        Game(name)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("standard-hard", {"num_players": 3}),
        ("variation2", {"num_players": 3}),
        ("variation", {"num_players": 4}),
        ("tournament-easy", {"variant": "variation"}),
        ("variation3-tactics", {"variant": "standard"}),
        ("tournament", {"num_players": 3}),
    ],
)
def test_options_against_a_preset_are_refused(name: str, options: Options) -> None:
    with pytest.raises(InvalidRules):
        Game(name, **options)


def test_other_options_may_be_added_to_a_preset() -> None:
    assert Game("standard-tactics", difficulty="hard") == Game("standard-tactics-hard")
    assert Game("tournament", banner_limit="4", num_players=2).changed_options()["banner_limit"] == "4"


def test_single_rounds_decide_nothing_and_are_refused() -> None:
    for preset in PRESETS:
        if preset != "variation":
            with pytest.raises(InvalidRules, match="a round of kosmogonia alone decides nothing: expected format game"):
                Game(preset).single_deals()


# All of it is covered


def names_of_tests() -> list[str]:
    """The names of all tests of this file, read from the source."""
    return re.findall(r"^def (test_\w+)", Path(__file__).read_text(), re.MULTILINE)


def test_every_clause_has_a_test() -> None:
    words = {word for name in names_of_tests() for word in name.split("_")}
    assert [number for number in range(1, 97) if f"r{number}" not in words] == []


def test_every_option_has_a_test() -> None:
    names = names_of_tests()
    missing = [o.name for o in OPTIONS if not any(name.startswith(f"test_option_{o.name}_") for name in names)]
    assert missing == []


def test_every_vector_has_a_test() -> None:
    found = {int(number) for name in names_of_tests() for number in re.findall(r"_v(\d+)(?=_|$)", name)}
    assert [number for number in range(1, 90) if number not in found] == []
