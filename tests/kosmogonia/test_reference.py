"""The compiled engine beside the reference engine, move by move on the same draws: they must never differ.

`test_mutations.py` runs `compare_first_games` on broken copies of the package, to show that differences are seen.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardkit.rng import RNG_WORDS, bot_stream, chance_stream
from cardkit.verbs import (
    CHANCE,
    OVER,
    apply,
    chance,
    chance_event,
    deal_row,
    deal_value,
    deals_done,
    hide,
    legal_mask,
    new_game,
    outcome,
    places,
    policy,
    returns,
    seen_as,
    to_move,
    win_chance,
)
from kosmogonia.cards import STANDIN_FOLDER
from kosmogonia.game import Game
from kosmogonia.rules import OPTIONS
from kosmogonia.state import (
    BEATEN,
    DEAL,
    DUEL,
    HUNT,
    KRONOS,
    LEFT_WINS,
    MOST_CLOSED,
    MOST_QUESTS,
    NO_FIGHT,
    NO_RESULT,
    NONE,
    NOT_BEATEN,
    NOTHING,
    OUTCOMES,
    PAST_ROUNDS,
    PHASES,
    SECRET,
    SIDES,
    SOMETHING,
    STATE,
    TIED,
    UNKNOWN,
    UNSEEN,
)
from tests.reference.kosmogonia import (
    ALL_BRANCHES,
    CATEGORIES,
    DEFENDERS,
    END,
    ENUMS,
    FIRST_REINFORCEMENT,
    GODS,
    PASS,
    QUESTS,
    TIE,
    CardSet,
    Encounter,
    Reference,
    Row,
    Side,
    is_champion,
    read_card_set,
    stack_of,
)

Options = dict[str, Any]
Fields = dict[str, Any]

SEED = 20862
NUM_GAMES = {"set_up": 240, "duels": 2400, "final": 2000}  # by where they start
PARTS = {"set_up": 8, "duels": 10, "final": 8}  # so that two processes can share them
ALL_PARTS = [(start, part) for start, number in PARTS.items() for part in range(number)]
CARD_SETS = 25  # 0 is the one that is shipped, the others are made up
INSTANT_SETS = range(13, 19)  # with symbols 4 to 7 only
MOST_SEATS, STACKS, IN_STACK, CARDS, TREASURES = 4, 5, 12, 60, 18
SENT = {"standard": (1, 1, 1), "variation": (1, 2), "tournament": (3,)}  # champions sent to Olympus, by round [R23]
NUM_QUESTS = {"standard": 3, "variation": 3, "tournament": 4}  # of a round [R5]
SETTINGS = (("variation", 2), ("variation", 3), ("tournament", 2), ("standard", 4))
ROUND_SETTINGS = (*SETTINGS, ("variation", 2), ("tournament", 2))  # of made-up rounds: fewer seats are faster
KINDS = {"duel": DUEL, "hunt": HUNT, "kronos": KRONOS}
FIRST_DRAW = 64  # number of the chance event that is the first theft or pull
CHANCE_EVENTS = 8  # numbers of chance events a round
SIX = 6  # the symbol that pulls
UNKNOWN_STACK = 4
FIELDS = [(name, STATE[name].shape != ()) for name in STATE.names]  # and whether it is an array


class Case(NamedTuple):
    """What to compare: a whole game, a round from its duels on, or a final.

    Attributes:
        options: of the game.
        card_set: number of its card set; 0 is the one that is shipped.
        board: seed of everything random.
        player: who plays, see `PLAYERS`; "mixed" gives every seat a player of its own.
        start: "set_up" for a whole game; "duels" or "final" for a made-up position.
    """

    options: Options
    card_set: int
    board: int
    player: str
    start: str = "set_up"


# Card sets


def numbers(rng: random.Random, most: int, *, zeros: float = 0.0) -> list[int]:
    """A number a category, each 0 with an extra probability."""
    return [0 if rng.random() < zeros else rng.randint(0, most) for _ in CATEGORIES]


def by_category(values: Sequence[int], prefix: str = "") -> dict[str, Any]:
    """The columns of three numbers."""
    return {f"{prefix}{category}": value for category, value in zip(CATEGORIES, values, strict=True)}


def quest_rows(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Both faces of the nine quests; some monsters have other categories than their face."""
    for quest in QUESTS:
        for number, face in enumerate(("one", "both"), start=1):
            written = rng.sample(range(3), number)
            fought = written if rng.random() < 0.7 else rng.sample(range(3), rng.randint(1, 3))
            force = by_category([int(category in written) for category in range(3)])
            most = rng.choice([12, 24, 60])
            monster = [rng.randint(1, most) if category in fought else 0 for category in range(3)]
            yield {"quest": quest, "name": quest, "face": face, **force, **by_category(monster, "monster_")}


def treasure_rows(rng: random.Random) -> Iterator[dict[str, Any]]:
    """The treasures in any order; in some sets hardly any has a factor, so that symbol 8 can fail."""
    ids = rng.sample(range(TREASURES), TREASURES)
    zeros = rng.choice([0.5, 0.8, 0.97])
    most_keys = rng.choice([2, 9])
    for quest in QUESTS:
        for number in (1, 2):
            treasure = ids.pop()
            item, factor = numbers(rng, rng.choice([4, 10])), numbers(rng, rng.choice([2, 9]), zeros=zeros)
            about = {"id": treasure, "quest": quest, "copy": number, "name": f"T{treasure}"}
            keys = {"keys": rng.randint(0, most_keys)}
            yield about | keys | by_category(item, "item_") | by_category(factor, "factor_")


def reinforcement_symbols(number: int, rng: random.Random) -> list[int]:
    """Many sixes and many of one more symbol, or some of 4 to 7 only, or of any four, or each symbol once."""
    if number <= 12:
        return [6, 6, 6, 6, number, number, number, *rng.sample(range(1, 13), 5)]
    if number in INSTANT_SETS:
        return rng.choices((4, 5, 6, 7), k=12)
    few = rng.sample(range(1, 13), 4 if number <= 21 else 12)
    return rng.choices(few, k=12) if number <= 21 else few


def card_set_tables(number: int) -> dict[str, list[dict[str, Any]]]:
    """A valid card set with random numbers: the rows of its files."""
    rng = random.Random(f"card set {number}")
    base = rng.choice([4, 13, 20])
    return {
        "set": [{"name": f"random {number}", "origin": "invented", "note": ""}],
        "champions": [
            {"id": card, "name": f"C{card}", "stack": stack_of(card), **by_category(numbers(rng, 10))}
            for card in range(FIRST_REINFORCEMENT)
        ],
        "reinforcements": [
            {"id": i, "name": f"R{i}", "symbol": symbol} for i, symbol in enumerate(reinforcement_symbols(number, rng))
        ],
        "quests": list(quest_rows(rng)),
        "treasures": list(treasure_rows(rng)),
        "citadels": [
            {"id": i, "name": f"K{i}", **{f"symbol_{place}": s for place, s in enumerate(symbols, start=1)}}
            for i, symbols in enumerate(rng.sample(range(1, 13), 3) for _ in range(4))
        ],
        "kronos": [
            {"face": face, **by_category([rng.randint(base - 3, base + 3) for _ in range(3)], "base_")}
            for face in (13, 15)
        ],
        "key_limits": [
            {"face": face, "setting": setting, "limit": rng.randint(3, 40)}
            for face in (13, 15)
            for setting in ("standard4", "variation3", "variation2", "tournament2")
        ],
    }


def write_card_set(folder: Path, tables: Mapping[str, list[dict[str, Any]]]) -> None:
    """Write the files of a card set, the rows in any order."""
    for name, rows in tables.items():
        shuffled = random.Random(name).sample(rows, len(rows))
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(shuffled)


@cache
def card_set(number: int) -> tuple[Any, CardSet]:
    """A card set as both engines have read it; number 0 is the one that is shipped."""
    if number == 0:
        return "standin", read_card_set(STANDIN_FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        write_card_set(Path(folder), card_set_tables(number))
        return Game(cards=folder).card_set, read_card_set(folder)


# Both engines at one table


class Watched(Reference):
    """The reference engine, which also remembers what it has compared, and the pools until the next answer."""

    def __init__(self, cards: CardSet, **options: Any) -> None:
        self._pools: dict[int, set[int]] = {}
        self.totals: dict[tuple[int, int], int] = {}  # by seat and category
        self.kronos: dict[int, int] = {}  # by category
        self.monsters: dict[int, tuple[int, int, int]] = {}  # by position
        super().__init__(cards, **options)

    def total(self, seat: int, category: int) -> int:
        """The total of a line-up or team in a category."""
        self.totals[seat, category] = super().total(seat, category)
        return self.totals[seat, category]

    def kronos_value(self, category: int) -> int:
        """What a challenger has to reach."""
        self.kronos[category] = super().kronos_value(category)
        return self.kronos[category]

    def monster_of(self, position: int) -> tuple[int, int, int]:
        """The values of the monster at a position."""
        self.monsters[position] = super().monster_of(position)
        return self.monsters[position]

    def pool(self, seat: int) -> set[int]:
        """The champions of a seat that do not lie face up."""
        if seat not in self._pools:
            self._pools[seat] = super().pool(seat)
        return self._pools[seat]

    def _answer(self, answer: Any) -> None:
        self._pools.clear()
        super()._answer(answer)


class Table:
    """One game on both engines; every step raises AssertionError where they differ.

    Attributes:
        case, game, rules, state, reference: the game.
        branches: what chance drew where it had two cards to draw from.
        last_seat, last_action: the last decision.
        The others: what the reference engine does not keep as long as the record.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        ours, theirs = card_set(case.card_set)
        self.game = Game(**case.options, cards=ours)
        self.rules = self.game.rules
        self._records = self.game.new_records(2)  # of the game, and of what an observer sees
        self._rows = self._records.view(np.ndarray)  # the same memory; reads ten times as fast
        self.state, self._view = self._records[0], self._records[1]
        self.branches: Counter[str] = Counter()
        self.last_seat = self.last_action = NONE
        self.decisions = self.rounds_done = 0
        self.num_drawn, self.drawn = 0, NONE
        self.round_of_moment: list[int] = []  # by the clock of the reference engine; the first round is 0
        self.hunts: set[tuple[int, int, int]] = set()  # round, position, seat
        self.kept: dict[int, list[list[int]]] = {}  # by past round and seat: unseen champions of its own by stack
        self.blue: dict[tuple[int, int], int] = {}  # side that was taken first, by round and position
        new_game(self.rules, self.state)
        self._first_round = 0
        if case.start == "set_up":
            self.reference = Watched(theirs, **case.options)
        else:
            position = random_position(random.Random(f"position {case.board}"), case, theirs)
            self.reference = Watched.made_up(theirs, case.start, position, **case.options)
            self._set_record()
        self.check()

    def _set_record(self) -> None:
        """Make the record what the reference engine says, in a made-up position."""
        self._first_round = round_of(self.reference)
        self._remember()
        self.rounds_done = finished_rounds(self.reference)
        fields = expected_cards(self, self.fields()) | expected_round(self) | expected_encounter(self)
        for name, value in fields.items():
            self.state[name] = value

    @property
    def seats(self) -> range:
        """All seats."""
        return self.reference.seats

    def fields(self, row: int = 0) -> Fields:
        """A record as plain Python values."""
        values = self._rows[row].item()
        return {
            name: value.tolist() if is_array else value for (name, is_array), value in zip(FIELDS, values, strict=True)
        }

    def expect(self, what: str, ours: Any, theirs: Any) -> None:
        """Fail unless a value of the compiled engine equals the reference's."""
        if ours != theirs:
            raise AssertionError(
                f"{what} differs from the reference: {ours!r}, expected {theirs!r}; {self.case}, phase "
                f"{self.reference.phase()} after {self.decisions} decisions, record {self.fields()}"
            )

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat to move, compared; none at a draw and at the end."""
        actions = numbers_in(int(legal_mask(self.rules, self.state)))
        self.expect("legal actions", actions, self.reference.legal_actions())
        return actions

    def draw(self) -> None:
        """Let the kernels draw, and tell the reference what."""
        game, rng = self.reference, np.zeros(RNG_WORDS, np.uint64)
        event = chance_event(self.rules, self.state)
        phase, outcomes = game.phase(), game.chance_outcomes()
        is_card = phase in ("steal", "pull")
        expected = FIRST_DRAW + self.num_drawn if is_card else CHANCE_EVENTS * round_of(game) + PHASES.index(phase)
        self.expect("chance event", event, expected)
        chance_stream(rng, np.uint64(SEED), np.uint64(self.case.board), event)
        self._start_step()
        chance(self.rules, self.state, rng)
        drawn = outcome_drawn(phase, self.fields(), game)
        try:
            game.apply_chance(drawn)
        except ValueError as error:
            self.expect(f"what {phase} drew", str(error), "an outcome that is possible")
        if is_card:
            self.num_drawn, self.drawn = self.num_drawn + 1, drawn
        if len(outcomes) == 2:
            self.branches[f"{phase} drew {outcomes.index(drawn) + 1} of 2"] += 1
        self._finish_step()

    def play(self, action: int) -> None:
        """Carry out a legal action on both engines and compare them."""
        game = self.reference
        for observer in self.seats:
            seen = game.seen(action, observer)
            ours = int(seen_as(self.rules, self.state, action, observer))
            self.expect("what is seen", ours, SOMETHING if seen is None else seen)
        self.last_seat, self.last_action = game.to_move(), action
        self._start_step()
        game.apply(action)
        apply(self.rules, self.state, action)
        self.decisions += 1
        self._finish_step()

    def _start_step(self) -> None:
        """Note what a decision or a draw may end."""
        self._encounter, self._num_beaten = self.reference.current, num_beaten(self.reference)
        self.drawn = NONE
        self.reference.totals.clear()

    def _finish_step(self) -> None:
        """Compare after a decision or a draw; either can end an encounter, a round and the game."""
        fields = self.check()
        self.check_result(fields, self._encounter, num_beaten(self.reference) > self._num_beaten)
        if finished_rounds(self.reference) > self.rounds_done:
            self.rounds_done += 1
            self.check_round()

    def check(self) -> Fields:
        """Compare everything that both engines know, and what every observer may know; the fields of the record."""
        self._remember()
        self.expect("to_move", int(to_move(self.rules, self.state)), self.reference.to_move())
        self.expect("rounds done", int(deals_done(self.rules, self.state)), finished_rounds(self.reference))
        fields = self.fields()
        theirs = expected_cards(self, fields) | expected_round(self) | expected_encounter(self)
        for name, value in theirs.items():
            self.expect(name, fields[name], value)
        self.expect("END queue", fields["queue"][fields["queue_done"] : fields["queue_size"]], waiting(self.reference))
        self.check_conservation(fields)
        for observer in self.seats:
            self.check_view(fields, observer)
        return fields

    def _remember(self) -> None:
        """Note what the reference engine will forget."""
        game, number = self.reference, round_of(self.reference)
        self.round_of_moment += [number] * (game.clock + 1 - len(self.round_of_moment))
        if self._is_new_round(number):
            own = [game.pool(seat) - game.stolen[seat] for seat in self.seats]
            self.kept[number - 1] = [
                [sum(stack_of(card) == stack for card in cards) for stack in range(1, 5)] for cards in own
            ]
        if game.current is not None and game.current.kind == "hunt":
            self.hunts.add((number, game.current.position, game.current.seats[0]))
        for position, seats in enumerate(game.banners):
            if seats and (number, position) not in self.blue:
                self.blue[number, position] = [side.owner for side in game.sides[position]].index(seats[0])

    def _is_new_round(self, number: int) -> bool:
        """Whether a round has just begun whose past round was seen, under hidden hands."""
        is_forgotten = self.case.options["hands_public"] == "hidden_after_gather"
        return is_forgotten and number > self._first_round and number - 1 not in self.kept

    def check_conservation(self, fields: Fields) -> None:
        """All 60 cards and all 18 treasures are somewhere, each once [invariants 1 and 2]."""
        masks = [*fields["hands"], *fields["lineups"], fields["discard"], fields["table"]]
        masks += [fields["pulled"]] if fields["fight"] == KRONOS else []  # else they lie in the line-ups
        masks += [1 << card for card in fields["stacks"] if card != UNSEEN]
        masks += [1 << card for team in fields["olympus"] for card in team if card != NONE]
        num_cards = 0 if self.reference.phase() in ("citadels", "stacks") else CARDS
        self.expect("cards in the game", *counted(masks, num_cards))
        treasures = [*fields["vaults"], fields["treasury"], mask_of(self.reference.box)]
        treasures += [1 << treasure for treasure in fields["treasures"] if treasure != NONE]
        self.expect("treasures", *counted(treasures, TREASURES))

    def check_view(self, fields: Fields, observer: int) -> None:
        """Compare what is left for an observer."""
        self._records[1] = self._records[0]
        hide(self.rules, self._view, observer)
        ours = self.fields(1)
        theirs = fields | expected_view(self.reference, fields, observer)
        if ours != theirs:
            for name, value in theirs.items():
                self.expect(f"{name} that seat {observer} sees", ours[name], value)

    def check_result(self, fields: Fields, encounter: Encounter | None, is_beaten: bool) -> None:
        """Compare how the encounter that has just ended came out, and the totals that decided it."""
        game = self.reference
        if encounter is None or (encounter is game.current and game.outcome != "win"):
            self.expect("result", fields["result"], NO_RESULT)
            return
        position, corners = encounter.position, list(encounter.seats)
        if encounter.kind == "duel":
            winner, corners = game.duel_results[position], game.holders[position]
            self.expect("result", fields["result"], TIED if winner == TIE else LEFT_WINS + corners.index(winner))
        else:
            has_won = is_beaten if encounter.kind == "hunt" else game.outcome == "win"
            self.expect("result", fields["result"], BEATEN if has_won else NOT_BEATEN)
            met = list(game.monsters[position] if encounter.kind == "hunt" else game.kronos.values())
            self.expect("totals that were met", fields["totals"][1], met)
        for (seat, category), total in game.totals.items():
            self.expect("totals", fields["totals"][corners.index(seat)][category], total)

    def check_round(self) -> None:
        """Compare what a finished round was worth, its rows, and how the game stands."""
        game = self.reference
        how, payoffs = game.results()
        points, values, chances = np.zeros(MOST_SEATS), np.zeros(MOST_SEATS), np.zeros(MOST_SEATS)
        returns(self.rules, self.state, points)
        self.expect("returns", points.tolist(), padded(payoffs, 0.0))
        deal_value(self.rules, self.state, values)
        win_chance(self.rules, self.state, chances)
        expected_chances = chances.tolist() if how is None else padded(payoffs, 0.0)
        above = [chance - 1.0 / len(payoffs) for chance in expected_chances[: len(payoffs)]]
        self.expect("points", values.tolist(), padded(above, 0.0))
        place, share = np.zeros(MOST_SEATS, np.int64), np.zeros(MOST_SEATS)
        places(self.rules, self.state, place, share)
        expected = [1 if how != "win" or payoff == 1.0 else 2 for payoff in payoffs]
        self.expect("places", place.tolist(), padded(expected, 0))
        self.expect("shares", share.tolist(), padded(payoffs, 0.0))
        if how is not None:
            self.expect("outcome", OUTCOMES[int(outcome(self.rules, self.state))], how)
        row = np.zeros(1, DEAL).view(np.recarray)[0]
        for seat in self.seats:
            deal_row(self.rules, self.state, seat, row)
            self.expect(f"row of seat {seat}", row.item(), self._expected_row(seat))

    def _expected_row(self, seat: int) -> tuple[int | None, ...]:
        """The row of the round that has just ended."""
        game, number = self.reference, self.rounds_done - 1
        row = game.rows[number][seat]
        hunts = sum(1 for when, _, who in self.hunts if (when, who) == (number, seat))
        return (
            *(mask_of(gathered_in(game, seat, number)), number, game.first_player, row.olympus, row.deployed),
            *(row.duels_won, row.duels_tied, hunts, row.hunts_won, row.treasures, row.keys, row.kronos_keys),
            row.equipped,
        )


def numbers_in(mask: int) -> list[int]:
    """The numbers in a bit mask, ascending."""
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def counted(masks: list[int], number: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """How many bits some masks have, and which; and the same if each of so many bits is in one of them."""
    union = 0
    for mask in masks:
        union |= mask
    return (sum(map(int.bit_count, masks)), union), (number, (1 << number) - 1)


def mask_of(members: Iterable[int]) -> int:
    """The bit mask of different numbers."""
    return sum(1 << number for number in members)


def padded(values: Iterable[Any], filler: Any, size: int = MOST_SEATS) -> list[Any]:
    """The values of the seats or sides there are, and a filler for the others."""
    found = list(values)
    return [*found, *[filler] * (size - len(found))]


def or_none(number: int | None) -> int:
    """A number as the record holds it: -1 for none."""
    return NONE if number is None else number


def round_of(game: Reference) -> int:
    """The round, 0 is the first; 0 in the set-up too."""
    return max(game.round - 1, 0)


def finished_rounds(game: Reference) -> int:
    """How many rounds are complete; the final belongs to the last round."""
    is_in_final = game.rounds_done == game.num_rounds and game.phase() != "over"
    return game.rounds_done - is_in_final


def has_final_begun(game: Reference) -> bool:
    """Whether the last round has led to the final."""
    return game.rounds_done == game.num_rounds and game.outcome != "lost_keys"


def gathered_in(game: Reference, seat: int, number: int) -> set[int]:
    """The cards that a seat gathered in a round, 0 is the first; those of a draft that goes on count."""
    each = gatherings_a_round(game)
    done = {card for card, when in game.gathered[seat].items() if (when - 1) // each == number}
    return done | game.new_cards[seat] if number == round_of(game) else done


def gatherings_a_round(game: Reference) -> int:
    """How often cards are gathered in a round [R15]."""
    return 2 if game.variant == "variation" else 1


def num_beaten(game: Reference) -> int:
    """Monsters beaten so far."""
    return sum(row.hunts_won for rows in game.rows for row in rows)


def outcome_drawn(phase: str, fields: Fields, game: Reference) -> Any:
    """What the kernels have drawn, as the reference wants to be told."""
    if phase == "citadels":
        return fields["citadels"][: game.num_seats]
    if phase == "stacks":
        return [fields["stacks"][IN_STACK * i : IN_STACK * (i + 1)] for i in range(STACKS)]
    if phase == "sides":
        return [game.cards.treasures[fields["treasures"][2 * i]].copy - 1 for i in range(len(game.quests))]
    return fields[{"b_quest": "b_quest", "crown": "finder", "steal": "drawn", "pull": "drawn"}[phase]]


# What the record must hold


def expected_cards(table: Table, fields: Fields) -> Fields:
    """Where the cards and treasures are."""
    game = table.reference
    sides = sides_of(game)
    used, pulled, moved = cards_on_table(game)
    left = [*used, *pulled] if game.outcome == "win" else []  # the record clears the table of the fight that was won
    return {
        "hands": padded((mask_of(game.hands[seat] | game.new_cards[seat]) for seat in game.seats), 0),
        "lineups": padded((mask_of(side.numbers()) for side in sides), 0, SIDES),
        "closed": mask_of(card for side in sides for card, is_open in side.cards if not is_open),
        "discard": mask_of(game.discard.union(left)),
        "table": 0 if left else mask_of(used),
        "pulled": 0 if left else mask_of(pulled),
        "moved": mask_of(moved),
        "drafted": mask_of(card for new in game.new_cards for card in new),
        "vaults": padded((mask_of(vault) for vault in game.vaults), 0),
        "treasury": mask_of(game.treasury),
        "treasures": padded((or_none(treasure) for pair in game.board for treasure in pair), NONE, SIDES),
        "olympus": padded((padded((card for card, _ in team), NONE, 3) for team in game.olympus), [NONE] * 3),
        "olympus_closed": mask_of(
            3 * seat + i for seat in game.seats for i, (_, is_open) in enumerate(game.olympus[seat]) if not is_open
        ),
        "equipped": padded((equipment_in_record(given) for given in game.equipped), [NONE] * 3),
        "opened": num_opened(game),
        "stacks": [card for number in range(STACKS) for card in expected_stack(game, number)],
        "since": expected_since(table, fields),
        "hidden": [[0] * MOST_CLOSED] * SIDES,
        "kept": expected_kept(table),
        "unseen": [[0] * STACKS] * MOST_SEATS,
    }


def expected_kept(table: Table) -> list[list[int]]:
    """What seats had kept unseen by the end of past rounds: 2 bits a stack."""
    pasts = [table.kept.get(past, []) for past in range(PAST_ROUNDS)]
    return [padded((kept_in_record(numbers) for numbers in seats), 0) for seats in pasts]


def kept_in_record(numbers: list[int]) -> int:
    """How many champions of each stack were unseen; made-up positions may have more than there can be."""
    return sum(min(number, 3) << 2 * stack for stack, number in enumerate(numbers))


def sides_of(game: Reference) -> list[Side]:
    """The sides of the round's quests in the order of the record."""
    return [side for pair in game.sides for side in pair]


def cards_on_table(game: Reference) -> tuple[list[int], set[int], set[int]]:
    """The cards used, pulled and moved in the current encounter."""
    enc = game.current
    return ([], set(), set()) if enc is None else (enc.used, set(enc.pulled) - enc.stolen, enc.moved)


def equipment_in_record(given: Iterable[int | None]) -> list[int]:
    """The treasures of a seat's champions as far as it has been asked."""
    return padded((NOTHING if treasure is None else treasure for treasure in given), NONE, 3)


def num_opened(game: Reference) -> int:
    """How many cards have left each stack."""
    return 0 if game.phase() in ("citadels", "stacks") else IN_STACK - len(game.stacks[0])


def expected_stack(game: Reference, number: int) -> list[int]:
    """A stack in the record; the cards of its open column are where they came from."""
    if game.phase() in ("citadels", "stacks"):
        return [UNSEEN] * IN_STACK
    opened = num_opened(game)
    layout = game.num_seats * (3 if game.variant == "tournament" else 1)
    column = padded(game.columns[number], UNSEEN, min(layout, opened))
    return [*[UNSEEN] * (opened - len(column)), *column, *game.stacks[number]]


def expected_since(table: Table, fields: Fields) -> list[int]:
    """When each seat got the champions that do not lie face up; for the others the record may hold anything."""
    game = table.reference
    since = list(fields["since"])
    for seat in game.seats:
        for card in game.pool(seat):
            number = table.round_of_moment[game.owned_since[seat][card]]
            since[card] = (2 if card in game.stolen[seat] else 1) + 2 * number
        for card in filter(is_champion, game.new_cards[seat]):
            since[card] = 1 + 2 * round_of(game)
    return since


def expected_round(table: Table) -> Fields:
    """How the game and the round stand."""
    game = table.reference
    # Until the first draw of a round the record shows the last one, for its rows.
    is_old = game.phase() == ("crown" if game.options["mode"] == "tactics" else "sides")
    shown = round_of(game) - (is_old and game.round > 1)
    rows = game.rows[shown] if game.rows else [Row() for _ in game.seats]
    hunts = Counter(seat for number, _, seat in table.hunts if number == shown)
    fields = {
        "phase": PHASES.index(game.phase()),
        "round_number": round_of(game),
        "rounds_done": finished_rounds(game),
        "citadels": padded(game.citadels, NONE),
        "b_quest": or_none(game.b_quest),
        "first_player": or_none(game.first_player),
        "winner": or_none(game.winner),
        "outcome": 0 if game.outcome is None else OUTCOMES.index(game.outcome),
        "challengers": padded(game.challenge_order, NONE),
        "gathered": padded((mask_of(gathered_in(game, seat, shown)) for seat in game.seats), 0),
        "deployed": padded((row.deployed for row in rows), 0),
        "duels_won": padded((row.duels_won for row in rows), 0),
        "duels_tied": padded((row.duels_tied for row in rows), 0),
        "hunts": padded((hunts[seat] for seat in game.seats), 0),
        "hunts_won": padded((row.hunts_won for row in rows), 0),
        "won": padded((row.treasures for row in rows), 0),
        "draws": table.num_drawn,
        "drawn": table.drawn,
        "citadels_used": mask_of(seat for seat in game.seats if game.citadel_used[seat]),
    }
    return fields if is_old else fields | expected_board(table)


def expected_board(table: Table) -> Fields:
    """How the gathering, the deployment and the quests of this round stand."""
    game, number = table.reference, round_of(table.reference)
    drafts = max([0, *game.gathered[0].values()]) - gatherings_a_round(game) * number
    fields: Fields = {
        "drafts": max(0, drafts) if game.options["mode"] == "tactics" else 0,
        "finder": NONE if game.phase() == "crown" else or_none(game.crown),
    }
    if has_final_begun(game):
        return fields | {"owners": [NONE] * SIDES}
    is_deploying = game.phase().startswith("deploy") or game.phase() == "tourn_discard"
    hunted = hunted_sides(table)
    owners = [or_none(side.owner) for side in sides_of(game)]
    for side in hunted:  # the record still shows who hunted there
        owners[side] = or_none(game.holders[side // 2][side % 2])
    fought = {position for position, result in enumerate(game.duel_results) if result is not None}
    if game.current is not None and game.current.kind == "duel":
        fought.add(game.current.position)
    beaten = [2 * p + game.holders[p].index(seat) for (p, seat), is_beaten in game.hunt_results.items() if is_beaten]
    return fields | {
        "owners": padded(owners, NONE, SIDES),
        "blue": [table.blue.get((number, position), NONE) for position in range(MOST_QUESTS)],
        "ended": mask_of(game.ended) if is_deploying or game.holders else 0,
        "fought": mask_of(fought),
        "hunted": mask_of(hunted),
        "beaten": mask_of(beaten),
    }


def hunted_sides(table: Table) -> set[int]:
    """The sides of seats that have hunted, that hunt, or that had to rest alone."""
    game, number = table.reference, round_of(table.reference)
    sides = set()
    for position, holders in enumerate(game.holders):
        for i, seat in enumerate(holders):
            rests = None in holders and game.options["lone_hunts"] == "no" and game.sides[position][i].owner is None
            if seat is not None and (rests or (number, position, seat) in table.hunts):
                sides.add(2 * position + i)
    return sides


def expected_encounter(table: Table) -> Fields:
    """The duel, hunt or Kronos fight that goes on, and the choice that is due."""
    game, enc, phase = table.reference, table.reference.current, table.reference.phase()
    fields: Fields = {"card": NONE, "place": NONE, "symbol": NONE}
    if game.to_move() >= 0:
        fields["actor"] = game.to_move()
    if game.pending is not None:
        _, fields["card"], place = game.pending
        fields["place"] = or_none(place)
    if phase in ("end_permutation", "sym8_number"):
        fields["card"] = table.last_action
    if enc is None or game.outcome == "win":
        corners = {"uses": [0, 0], "symbols_used": [0, 0], "bonus": [[0] * 3, [0] * 3]}
        return fields | corners | {"fight": NO_FIGHT, "passed": 0, "in_force": 0, "cancelled": [0] * 3}
    if phase in ("end_champion", "end_permutation"):
        fields["symbol"] = enc.end_queue[0][1]
    elif phase in ("steal", "pull"):
        fields["symbol"] = enc.uses[table.last_seat][-1][0]
    cancelled = [(category, game.cards.treasures[t].factor[category]) for t, category in enc.cancelled]
    seats = [seat_at(game, enc, corner) for corner in range(2)]
    return fields | {
        "fight": KINDS[enc.kind],
        "position": game.challenge_order.index(enc.seats[0]) if enc.kind == "kronos" else enc.position,
        "corner": seats.index(game.to_move() if game.to_move() >= 0 else table.last_seat),
        "uses": [0 if seat is None else 3 - game.uses_left(seat) for seat in seats],
        "symbols_used": [0 if seat is None else mask_of(symbol for symbol, _ in enc.uses[seat]) for seat in seats],
        "bonus": [[0] * 3 if seat is None else expected_bonus(game, enc, seat) for seat in seats],
        "cancelled": [sum(factor for number, factor in cancelled if number == c) for c in range(3)],
        "passed": mask_of(corner for corner, seat in enumerate(seats) if seat is None or seat in enc.passed),
        "in_force": mask_of(c for c in range(3) if enc.categories[c]) if enc.kind == "duel" else 0,
    }


def seat_at(game: Reference, enc: Encounter, corner: int) -> int | None:
    """Who is at a corner of an encounter: the owner of that side, or the challenger at corner 0."""
    if enc.kind == "kronos":
        return enc.seats[0] if corner == 0 else None
    owner = game.sides[enc.position][corner].owner
    return owner if owner in enc.seats else None


def expected_bonus(game: Reference, enc: Encounter, seat: int) -> list[int]:
    """What END effects and symbol 9 have added to the totals of a seat."""
    gains = [int(enc.plus_one)] * 3
    for card in game.line_up(seat):
        printed, item = game.cards.champions[card][1], game.item_of(seat, card)
        for category in range(3):
            gains[category] += enc.bonuses.get(card, [0, 0, 0])[category]
            if (card, category) in enc.doubled:
                item_too = game.options["double_includes_items"] == "yes"
                gains[category] += printed[category] + (item[category] if item_too else 0)
    return gains


def waiting(game: Reference) -> list[int]:
    """The END effects that wait, as the record holds them."""
    enc = game.current
    if enc is None or game.outcome == "win":
        return []
    seats = [seat_at(game, enc, corner) for corner in range(2)]
    return [symbol + 16 * seats.index(seat) for seat, symbol in enc.end_queue]


# What an observer must be left with


def expected_view(game: Reference, fields: Fields, observer: int) -> Fields:
    """The fields of a record that an observer sees differently, from what the reference engine says it knows."""
    facts = game.known(observer)
    shown = [cards for pair in facts["sides"] for _, cards in pair]
    own = [side for side in sides_of(game) if side.owner == observer]
    view: Fields = {
        "lineups": padded((mask_of(card for card in cards if is_seen(card)) for cards in shown), 0, SIDES),
        "hidden": padded(
            (list_of_backs(card for card in cards if not is_seen(card)) for cards in shown), [0] * MOST_CLOSED, SIDES
        ),
        "closed": mask_of(card for side in own for card, is_open in side.cards if not is_open),
        "olympus": padded((team_in_view(team) for team in facts["olympus"]), [NONE] * 3),
        "equipped": padded((equipment_in_view(game, facts, seat, observer) for seat in game.seats), [NONE] * 3),
        "stacks": covered_stacks(fields["stacks"], num_opened(game)),
    }
    if "pending" in facts and facts["pending"][1] is None:
        view["card"] = UNKNOWN + UNKNOWN_STACK
    if game.options["hands_public"] == "hidden_after_gather":
        return view | forgetful_view(game, facts, fields, observer)
    view["hands"] = list(fields["hands"])
    for seat, pool in facts["pools"].items():
        view["hands"][seat] = mask_of(pool | facts["reinforcements"][seat] | facts["new_cards"][seat])
    return view


def covered_stacks(stacks: list[int], opened: int) -> list[int]:
    """The stacks in the record without the cards that have not left them."""
    covered = list(stacks)
    for first in range(0, CARDS, IN_STACK):
        covered[first + opened : first + IN_STACK] = [UNSEEN] * (IN_STACK - opened)
    return covered


def is_seen(card: int | None) -> bool:
    """Whether the reference engine shows a card; else it is None, or minus the stack that its back shows."""
    return card is not None and card >= 0


def list_of_backs(hidden: Iterable[int | None]) -> list[int]:
    """The backs on a side: 1 + stack, counted from 0, and 5 where it is not shown."""
    return padded(sorted(5 if card is None else -card for card in hidden), 0, MOST_CLOSED)


def backs(hidden: Iterable[int | None]) -> list[int]:
    """How many hidden cards there are of each stack, and of an unknown one."""
    counts = [0] * STACKS
    for card in hidden:
        counts[UNKNOWN_STACK if card is None else -card - 1] += 1
    return counts


def team_in_view(team: Iterable[int | None]) -> list[int]:
    """The champions that a seat has sent, as an observer sees them."""
    cards = [UNKNOWN_STACK if card is None else -card - 1 if card < 0 else card - UNKNOWN for card in team]
    return padded((UNKNOWN + card for card in cards), NONE, 3)


def equipment_in_view(game: Reference, facts: Fields, seat: int, observer: int) -> list[int]:
    """The treasures of a seat's champions, as an observer sees them."""
    given = facts["equipped"][seat]
    if seat == observer or game.equipment_shown:
        return equipment_in_record(given)
    assert given == [None] * len(given)
    return padded([SECRET] * len(given), NONE, 3)


def forgetful_view(game: Reference, facts: Fields, fields: Fields, observer: int) -> Fields:
    """The hands under hidden hands: stolen cards and those just taken are named, the others are counted by stack."""
    view: Fields = {name: list(fields[name]) for name in ("hands", "unseen", "gathered")}
    known = facts["hand"] | game.pool(observer) | {card for card, _ in game.olympus[observer]}
    for seat in game.seats:
        if seat != observer:
            named = facts["stolen"][seat] | facts["new_cards"][seat]
            held = game.hands[seat] | game.pool(seat) | facts["new_cards"][seat]
            view["hands"][seat] = mask_of(named)
            view["gathered"][seat] = mask_of(facts["new_cards"][seat])
            view["unseen"][seat] = backs(-stack_of(card) for card in held - named)
            known |= named
    known |= facts["new_cards"][observer]
    since = [moment if card in known else 0 for card, moment in enumerate(fields["since"])]
    return view | {"since": since}


# Who chooses


class Style(NamedTuple):
    """How a player tends to choose; what is not said here it chooses at random."""

    uses: float = 0.9  # how often it uses a symbol where it can
    kinds: tuple[str, ...] = tuple(KINDS)  # the encounters in which it uses symbols
    symbols: tuple[int, ...] = ()  # that it likes best
    last: tuple[int, ...] = ()  # symbols that it keeps for its last use
    place: str = "anywhere"  # contest: where another seat lies; alone: where none does; pile: on its own cards
    ends: float = 0.5  # how often it ends its deployment where it may
    sends: tuple[int, ...] = ()  # stacks that it likes to send to Olympus
    deploys: tuple[int, ...] = ()  # stacks that it likes to deploy
    equips: float = 0.8  # how often it gives a treasure where it has one


INSTANT, LATE = (4, 5, 6, 7, 8, 9), (1, 2, 3, 10, 11, 12)
STYLES: dict[str, Style] = {
    "user": Style(uses=1.0),
    "instant": Style(uses=1.0, symbols=INSTANT, place="contest", deploys=(3, 4)),
    "late": Style(uses=1.0, symbols=LATE),
    "brawler": Style(uses=0.6, place="contest", ends=0.0),
    "saver": Style(uses=1.0, kinds=("kronos",)),
    "feeder": Style(uses=1.0, kinds=("kronos",), place="pile", ends=1.0, symbols=(6, 8, 9), equips=0.3),
    "hunter": Style(uses=1.0, kinds=("hunt", "kronos"), place="alone"),
    "puller": Style(uses=1.0, symbols=(6,), place="contest"),
    "late puller": Style(uses=1.0, last=(6,), place="contest"),
    "hunting puller": Style(uses=1.0, symbols=(6,), kinds=("hunt", "kronos"), place="alone"),
    "late hunting puller": Style(uses=1.0, last=(6,), kinds=("hunt", "kronos"), place="alone"),
    "pious": Style(uses=1.0, sends=(GODS,), deploys=(GODS,), place="contest"),
}
PLAYERS = ("random", *STYLES, "policy", "mixed", "mixed")  # "mixed": every seat is one of the others
ROUND_PLAYERS = {  # of made-up rounds, in which nothing is deployed
    "duels": (
        *("random", "user", "instant", "instant", "late", "hunter", "hunter", "puller", "late puller"),
        *("hunting puller", "hunting puller", "late hunting puller", "late hunting puller", "late hunting puller"),
    ),
    "final": ("random", "user", "instant", "late", "puller", "puller", "late puller", "late puller", "late puller"),
}


class Chooser:
    """Chooses legal actions for all seats of a game: each has a player of its own where the case says "mixed"."""

    def __init__(self, case: Case, num_seats: int) -> None:
        self._random = random.Random(f"{case.player} {case.board}")
        is_mixed = case.player == "mixed"
        self._players = [self._random.choice(PLAYERS[:-2]) if is_mixed else case.player for _ in range(num_seats)]
        self._rng = np.zeros(RNG_WORDS, np.uint64)
        bot_stream(self._rng, np.uint64(SEED), np.uint64(case.board), 0, 0, 0)

    def choose(self, table: Table, actions: list[int]) -> int:
        """One of the legal actions."""
        game = table.reference
        player = self._players[game.to_move()]
        if player == "policy":
            return int(policy(table.rules, table.state, self._rng))
        if player == "random" or len(actions) == 1:
            return self._random.choice(actions)
        return self._random.choice(self._liked(STYLES[player], game, actions) or actions)

    def _liked(self, style: Style, game: Reference, actions: list[int]) -> list[int]:
        """The actions among which the style chooses; any where there are none."""
        phase = game.phase()
        if phase == "use":
            return self._uses(style, game, actions)
        if phase == "deploy_card":
            may_end = END in actions and self._random.random() < style.ends
            cards = [card for card in actions if card != END]
            return [END] if may_end else [card for card in cards if stack_of(card) in style.deploys] or cards
        if phase == "deploy_place":
            return [place for place in actions if is_liked_place(style, game, place)]
        if phase == "challenge_card":
            return [card for card in actions if stack_of(card) in style.sends]
        if phase == "equip" and self._random.random() < style.equips:
            return [treasure for treasure in actions if treasure != NOTHING]
        return []

    def _uses(self, style: Style, game: Reference, actions: list[int]) -> list[int]:
        """The uses that the style likes best here, or the pass."""
        assert game.current is not None
        if game.current.kind not in style.kinds or self._random.random() >= style.uses:
            return [PASS]
        symbols = game.symbols_at_hand(game.to_move())
        uses = [action for action in actions if action != PASS]
        liked = style.symbols
        if style.last:
            is_last = game.uses_left(game.to_move()) == 1
            liked = style.last if is_last else tuple(symbol for symbol in range(1, 13) if symbol not in style.last)
        return [action for action in uses if symbols[action] in liked] or uses


def is_liked_place(style: Style, game: Reference, place: int) -> bool:
    """Whether a side is one that the style looks for."""
    opposite = game.sides[place // 2][1 - place % 2].owner
    if style.place == "contest":
        return opposite is not None
    if style.place == "alone":
        return opposite is None
    return style.place != "pile" or game.sides[place // 2][place % 2].owner is not None


def compare_game(case: Case) -> Counter[str]:
    """Play one game on both engines; the branches of the rules that it took.

    Raises:
        AssertionError: at the first difference.
    """
    table = Table(case)
    chooser = Chooser(case, table.reference.num_seats)
    rounds_before = table.reference.rounds_done
    while (seat := to_move(table.rules, table.state)) != OVER:
        if case.start == "duels" and table.reference.rounds_done > rounds_before:
            break
        actions = table.legal_actions()
        if seat == CHANCE:
            table.draw()
            continue
        action = chooser.choose(table, actions)
        assert action in actions, f"{case.player} plays {action}, expected one of {actions}"
        table.play(action)
    else:
        table.expect("legal actions at the end", table.legal_actions(), [])
        table.expect("the end", table.reference.phase(), "over")
    assert table.decisions <= table.game.max_game_length()
    return table.reference.branches + table.branches


# What is compared


def random_options(rng: random.Random, variant: str, num_players: int) -> Options:
    """Any options of a variant; the key limit is often high, so that games reach the final."""
    options: Options = {key: rng.choice(words) for key, words in ENUMS.items()}
    limits = (rng.randint(60, 300), rng.randint(60, 300), rng.randint(1, 12), "data")
    return options | {"variant": variant, "num_players": num_players, "key_limit": rng.choice(limits)}


def random_position(rng: random.Random, case: Case, cards: CardSet) -> Fields:
    """A made-up round, often the last: few champions in the pile, symbols everywhere, teams of gods at times."""
    variant, seats = case.options["variant"], case.options["num_players"]
    sent = SENT[variant]
    number = len(sent) if case.start == "final" else rng.choice([len(sent), len(sent), rng.randint(1, len(sent))])
    gods, others = rng.sample(range(12), 12), rng.sample(range(12, 48), 36)
    has_gods_only = rng.random() < 0.4
    teams = [
        [gods.pop() if i == 0 or has_gods_only else others.pop() for i in range(sum(sent[:number]))]
        for _ in range(seats)
    ]
    hands, symbols = random_symbols(rng, cards, seats)
    targets = [card for card in others if stack_of(card) >= DEFENDERS][:3]  # of symbols 4 and 5
    pile = rng.choice([[], [], others[:1], targets, *[targets] * (2 * (case.card_set in INSTANT_SETS))])
    others = [card for card in others if card not in pile]
    (rng.choice(hands) if rng.random() < (0.6 if len(pile) > 1 else 0.4) else pile).extend(symbols)
    champions = [others, gods] if rng.random() < 0.5 else [rng.sample([*gods, *others], len(gods) + len(others))]
    sides = {} if case.start == "final" else random_line_ups(rng, case, champions)
    for card in itertools.chain(*champions):
        rng.choice(hands).append(card)
    first, b_quest = rng.randrange(seats), rng.choice([3, 4, 5]) if variant == "tournament" else None
    return random_treasures(rng, case, cards, number, b_quest) | {
        "round": number,
        "citadels": rng.sample(range(4), seats),
        "citadel_used": [rng.random() < 0.3 for _ in range(seats)],
        "b_quest": b_quest,
        "first_player": first,
        "turn_order": [(first + i) % seats for i in range(seats)],
        "hands": hands,
        "olympus": [[(card, i == 0 or rng.random() < 0.5) for i, card in enumerate(team)] for team in teams],
        "sides": sides,
        "discard": pile,
    }


def random_symbols(rng: random.Random, cards: CardSet, seats: int) -> tuple[list[list[int]], list[int]]:
    """Reinforcement cards for every hand, often with a six each as far as there are some; and the other cards."""
    symbols = rng.sample(range(48, 60), 12)
    if rng.random() < 0.7:
        symbols.sort(key=lambda card: cards.reinforcements[card - FIRST_REINFORCEMENT] == SIX)
    hands = [[symbols.pop()] for _ in range(seats)]
    rng.shuffle(symbols)
    for hand in hands:
        hand += [symbols.pop() for _ in range(rng.randint(0, 12 // seats - 1))]
    return hands, symbols


def random_line_ups(rng: random.Random, case: Case, champions: list[list[int]]) -> Fields:
    """Line-ups for most sides, by position and side; each is taken from one of the lists of champions."""
    sides: Fields = {}
    num_quests = NUM_QUESTS[case.options["variant"]]
    num_owners = rng.sample(rng.choice([[2, 2, 2, 2], [2, 2, 1, 0], [1, 1, 1, 2]]), num_quests)
    if case.options["lone_hunts"] == "no":  # else the round can be over at once
        num_owners[rng.randrange(num_quests)] = 2
    for position in range(num_quests):
        owners = rng.sample(range(case.options["num_players"]), num_owners[position])
        for side, owner in zip(rng.sample((0, 1), len(owners)), owners, strict=True):
            source = rng.choice([cards for cards in champions if len(cards) >= 3])
            line_up = [source.pop() for _ in range(rng.choice([1, 1, 2, 3]))]
            sides[position, side] = (owner, [(card, i == 0 or rng.random() < 0.5) for i, card in enumerate(line_up)])
    return sides


def random_treasures(rng: random.Random, case: Case, cards: CardSet, number: int, b_quest: int | None) -> Fields:
    """The treasures of the quests that are over, in the treasury and the vaults; and the rows of the rounds."""
    seats, variant = range(case.options["num_players"]), case.options["variant"]
    over = number if case.start == "final" else number - 1
    quests = [*range(9)][0 if variant == "standard" else 3 :][: 3 * over]
    if variant == "tournament":
        quests = [6, 7, 8, b_quest] if over else []
    treasury, vaults = set(), [set() for _ in seats]
    share = rng.choice([0.0, 0.4, 0.9])
    for treasure in range(TREASURES):
        if cards.treasures[treasure].quest in quests:
            (treasury if rng.random() < share else rng.choice(vaults)).add(treasure)
    rows = [[Row(olympus=num_sent) for _ in seats] for num_sent in SENT[variant][:number]]
    for seat in seats if case.start == "final" else ():
        rows[-1][seat].keys = sum(cards.treasures[treasure].keys for treasure in vaults[seat])
        rows[-1][seat].kronos_keys = sum(cards.treasures[treasure].keys for treasure in treasury)
    return {"treasury": treasury, "vaults": vaults, "rows": rows}


def whole_game(board: int) -> Case:
    """A game with random options, card set and players."""
    rng = random.Random(f"{SEED} {board}")
    options = random_options(rng, *SETTINGS[board % len(SETTINGS)])
    return Case(options, rng.randrange(CARD_SETS), board, rng.choice(PLAYERS))


def made_up_round(start: str, board: int) -> Case:
    """A round from its duels on, or a final, with random options, card set and players."""
    rng = random.Random(f"{SEED} {start} {board}")
    options = random_options(rng, *ROUND_SETTINGS[board % len(ROUND_SETTINGS)])
    player = rng.choice(ROUND_PLAYERS[start])
    sets = INSTANT_SETS if player == "instant" and rng.random() < 0.8 else range(CARD_SETS)
    return Case(options, rng.choice(sets), board, player, start)


def cases(start: str, first: int = 0, step: int = 1) -> Iterator[Case]:
    """The games with a start, or every so many of them."""
    for board in range(first, NUM_GAMES[start], step):
        yield whole_game(board) if start == "set_up" else made_up_round(start, board)


def compare(games: Iterable[Case]) -> Counter[str]:
    """Compare the engines over games; the branches taken.

    Raises:
        AssertionError: at the first difference.
    """
    branches: Counter[str] = Counter()
    for case in games:
        branches += compare_game(case)
        branches["games"] += 1
        branches[f"{case.player} in games"] += 1
    return branches


def compare_first_games(start: str, num_games: int, player: str = "") -> Counter[str]:
    """Compare the engines over the first games with a start, or over those of one player."""
    games = (case for case in cases(start) if player in ("", case.player))
    return compare(itertools.islice(games, num_games))


@cache
def compare_part(start: str, part: int, folder: Path) -> Counter[str]:
    """Compare the engines over a part of the games; once, however many processes share the folder."""
    path = folder / f"{start}-{part}.json"
    if not path.exists():
        branches = compare(cases(start, part, PARTS[start]))
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(branches), encoding="utf-8")
        unfinished.replace(path)
    return Counter(json.loads(path.read_text(encoding="utf-8")))


# The tests


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what the processes of this test run have compared."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kosmogonia_reference"
    shared.mkdir(exist_ok=True)
    return shared


@pytest.mark.parametrize(("start", "part"), ALL_PARTS)
def test_games_agree_with_the_reference(start: str, part: int, folder: Path) -> None:
    assert compare_part(start, part, folder)["games"] == NUM_GAMES[start] // PARTS[start]


@pytest.fixture(scope="module")
def branches(folder: Path) -> Counter[str]:
    """The branches that all games took."""
    return sum((compare_part(start, part, folder) for start, part in ALL_PARTS), Counter())


def test_the_comparison_takes_every_branch_of_the_rules(branches: Counter[str]) -> None:
    assert {key: branches[key] for key in ALL_BRANCHES if branches[key] < 20} == {}
    assert {player: branches[f"{player} in games"] for player in PLAYERS if branches[f"{player} in games"] < 10} == {}


@pytest.mark.parametrize("phase", ["crown", "steal", "pull"])
def test_each_of_two_outcomes_is_drawn_half_the_time(phase: str, branches: Counter[str]) -> None:
    first, second = (branches[f"{phase} drew {i} of 2"] for i in (1, 2))
    assert first + second > 50
    assert abs(first - second) < 4 * (first + second) ** 0.5  # four standard deviations


SPANS: dict[str, Iterable[Any]] = {
    "num_players": (2, 3, 4),
    "variant": NUM_QUESTS,
    "key_limit": ("data", *range(1, 13), "high"),
    "cards": range(CARD_SETS),
}


def test_the_comparison_sets_every_option_to_every_value() -> None:
    wanted = {(key, str(word)) for key, words in (ENUMS | SPANS).items() for word in words}
    assert {option.name for option in OPTIONS} == {key for key, _ in wanted}
    for option in OPTIONS:
        assert {(option.name, word) for word in option.words} <= wanted
    for start in NUM_GAMES:
        seen = set()
        for case in cases(start):
            limit = case.options["key_limit"]
            shown = case.options | {
                "cards": case.card_set,
                "key_limit": limit if limit in SPANS["key_limit"] else "high",
            }
            seen |= {(key, str(value)) for key, value in shown.items()}
        assert wanted - seen == set(), start


def table_at(phase: str, start: str) -> Table:
    """A game that random players have brought to a phase."""
    defaults = {key: words[0] for key, words in ENUMS.items()}
    case = Case(defaults | {"num_players": 2, "variant": "variation", "key_limit": 99}, 1, 3, "random", start)
    table, chooser = Table(case), Chooser(case, 2)
    while table.reference.phase() != phase:
        if table.reference.to_move() == CHANCE:
            table.draw()
        else:
            table.play(chooser.choose(table, table.legal_actions()))
    return table


# Where a field is corrupted; else where the first symbol of a duel may be used.
NOTICED_AT = {
    "queue": ("end_champion", "duels"),
    "challengers": ("use", "final"),
    "equipped": ("use", "final"),
}
NOTICED_AS = {"actor": "to_move", "queue": "END queue", "queue_size": "END queue", "rounds_done": "rounds done"}
ELSEWHERE = ("news", "queue_done", "totals", "result")  # see the mutations for the last two


@pytest.mark.parametrize("field", [name for name, _ in FIELDS if name not in ELSEWHERE])
def test_a_difference_is_noticed(field: str) -> None:
    table = table_at(*NOTICED_AT.get(field, ("use", "duels")))
    table.check()
    table.state[field] = np.asarray(table.state[field]) + 1
    with pytest.raises(AssertionError, match=f"^{NOTICED_AS.get(field, field)} differs from the reference"):
        table.check()


SHOWN = [
    ("deploy_card", "set_up", {"hands_public": 1}, "hands"),
    ("use", "duels", {"hands_public": 1}, "hands"),
    ("use", "duels", {"closed_shows_stack": 1}, "(hidden|olympus)"),
]


@pytest.mark.parametrize(("phase", "start", "changes", "what"), SHOWN)
def test_a_view_that_shows_too_much_or_too_little_is_noticed(
    phase: str, start: str, changes: dict[str, int], what: str
) -> None:
    table = table_at(phase, start)
    table.rules = table.rules._replace(**changes)
    with pytest.raises(AssertionError, match=f"^{what} that seat . sees differs from the reference"):
        table.check()


@pytest.mark.parametrize("phase", ["challenge_card", "deploy_card", "equip"])
def test_a_choice_that_is_shown_is_noticed(phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_at(phase, "set_up")
    monkeypatch.setattr(Watched, "seen", lambda self, action, observer: action)
    with pytest.raises(AssertionError, match=r"^what is seen differs from the reference"):
        table.play(table.legal_actions()[0])


def test_a_lost_card_and_a_second_one_are_noticed() -> None:
    table = table_at("use", "duels")
    fields = table.fields()
    table.check_conservation(fields)
    first, *others = fields["hands"]
    card = first & -first
    for hand, discard in ((first - card, fields["discard"]), (first, fields["discard"] | card)):
        with pytest.raises(AssertionError, match=r"^cards in the game differs from the reference"):
            table.check_conservation(fields | {"hands": [hand, *others], "discard": discard})
