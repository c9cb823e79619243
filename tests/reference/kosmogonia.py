"""Plain-Python Kosmogonia, written clause by clause from `rules/kosmogonia.md` and never from the kernels.

Everything is a number, as in section 3 of the rules:

    card       0..47 champion 12 * (stack - 1) + index; 48..59 = 48 + reinforcement id 0..11
    quest      0..8 for A1, A2, A3, B1, ..., C3; its position in the round 0..3, side 0 left, 1 right
    treasure   0..17
    category   0 Fist, 1 Awe, 2 Cunning

The flow of the game is a chain of generators: each yields an `Ask` (a decision or a chance point) and receives the
answer. What needs no answer happens between two yields. The driver answers through `apply` and `apply_chance`.
"""

from __future__ import annotations

import csv
import itertools
import random
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

CHANCE = -1
OVER = -4
TIE = -1  # in `duel_results`
CARDS_PER_STACK = 12
FIRST_REINFORCEMENT = 48
QUESTS = ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3")
CATEGORIES = ("fist", "awe", "cunning")
GODS, DEFENDERS, THORNBEARERS, REINFORCEMENTS = 1, 3, 4, 5
MOST_USES = 3  # [R45]
FIRST_CITADEL_USE, PASS = 12, 15
END = 63
NOTHING = 18
END_SYMBOLS = (1, 2, 3, 10, 11, 12)  # [R49]
FACTORS = {10: (3, 2, 1), 11: (4, 0, 0), 12: (2, 2, 0)}
PERMUTATIONS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))  # category of each factor
KINDS = ("duel", "hunt", "kronos")
PLAYABLE = {  # [R56]
    "duel": (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12),
    "hunt": (1, 2, 3, 6, 9, 10, 11, 12),
    "kronos": (1, 2, 3, 6, 8, 9, 10, 11, 12),
}
BLANKS = {  # symbols that can be unplayable at a use; at the final the pile always holds something to pull
    "duel": (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12),
    "hunt": (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12),
    "kronos": (1, 2, 3, 4, 5, 7, 8, 10, 11, 12),
}

# fmt: off
PLAYERS = {"standard": (4,), "variation": (2, 3), "tournament": (2,)}  # [R1]
ENUMS: dict[str, tuple[str, ...]] = {  # the default comes first
    "mode": ("destiny", "tactics"),
    "difficulty": ("medium", "easy", "hard"),
    "hands_public": ("recall", "hidden_after_gather"),
    "closed_shows_stack": ("no", "yes"),
    "banner_limit": ("none", "4"),
    "tourn_discard": ("after_full_deploy", "may_hold_one"),
    "count_sym6_chain": ("yes", "no"),
    "allow_null_symbols": ("no", "yes"),
    "double_includes_items": ("no", "yes"),
    "sym6_persists": ("no", "yes"),
    "sym8_scope": ("card", "number"),
    "lone_hunts": ("yes", "no"),
}
STAGES = (  # [R11]
    "starting", "gathering", "challenge", "deployment", "duels", "harvest", "hunts", "spoils", "end_of_round",
)
REPEATED_SYMBOL_BRANCHES = (  # only with a supplied set that prints a symbol on two reinforcement cards
    "R46 repeat refused kronos", "sym 6 already used kronos",
)
ALL_BRANCHES: tuple[str, ...] = (
    *(f"sym {symbol} {kind}" for kind in KINDS for symbol in PLAYABLE[kind]),
    *(f"sym 6 pulled {symbol} {kind}" for kind in KINDS for symbol in PLAYABLE[kind] if symbol != 6),
    *(f"sym 6 {what} {kind}" for kind in KINDS
      for what in ("champion", "already used", "not playable", "no use left")),
    *(f"null {symbol} {kind}" for kind in KINDS for symbol in BLANKS[kind]),
    *(f"R44 {what} {kind}" for kind in KINDS for what in ("third use", "pass", "pass only")),
    *(f"R46 repeat refused {kind}" for kind in KINDS),
    *(f"R45 more than three uses {kind}" for kind in KINDS),
    *(f"R49 {what} {kind}" for kind in KINDS for what in ("one END effect", "several END effects")),
    *(f"R52 doubled {symbol} {kind}" for kind in KINDS for symbol in (1, 2, 3)),
    *(f"R56 permutation {permutation} of symbol {symbol}" for symbol, several in
      ((10, range(6)), (11, (0, 2, 4)), (12, (0, 1, 3))) for permutation in several),
    "R2 one category", "R2 both categories", "R2 Kronos 13", "R2 Kronos 15",
    "R12 finder plays first", "R12 finder chooses another", "R13 a seat is barred", "R13 forced",
    "R16 one card of each stack", "R16 second deal", "R21 three cards of each stack",
    "R17 column", "R17 not the last opened", "R18 no second card", "R20 second layout", "R21 column of six",
    "R25 first card", "R25 open", "R25 closed",
    "R26 god enforced", "R26 god sent before",
    "R29 full side", "R29 other seat's side", "R29 opposite own side",
    "R30 first card", "R30 open", "R30 closed", "R31 blue", "R31 red",
    "R32 banner limit forbids", "R33 voluntary END", "R33 nothing placed yet",
    "R34 no champion left", "R34 no legal side", "R35 END refused",
    "R36 reinforcement discarded", "R36 may hold one", "R36 held champion discarded",
    "R39 nobody", "R39 lone", "R40 ambush", "R40 lone turned up", "R41 goes on alone",
    "R47 citadel duel", "R47 citadel hunt", "R47 citadel used before", "R47 citadel restored",
    "R50 END effect lost",
    "R53 won 1-0", "R53 won 2-0", "R53 tied 1-1", "R53 tied 0-0", "R54 blue lost", "R54 red lost",
    "R59 one stack-3 card", "R59 random stack-3 card", "R59 empty line-up in a duel", "R59 stolen card played later",
    "R59 stolen in the last round", "R59 empty line-up hunts",
    "R60 one stack-4 card", "R60 random stack-4 card", "R60 more than three cards", "R60 moved back",
    "R62 pulled returns", "R62 persists", "R62 persists, loser", "R62 pulled stolen by 4", "R62 pulled moved by 5",
    "R62 persists, moved by 5", "R62 more than three cards",
    "R64 one category", "R64 two categories", "R64 second symbol 7",
    "R65 duel ended", "R65 END effects cancelled", "R65 thefts stand", "R65 moved card discarded",
    "R66 card", "R66 number", "R67 hunt won at once", "R67 END effects lost", "R67 Kronos plus one",
    "R69 winner", "R69 lone", "R70 nobody", "R71 loser's treasure stays", "R71 tie",
    "R72 winner hunts", "R72 tied seat hunts", "R72 lone seat hunts", "R72 lone seat may not hunt", "R75 blue then red",
    "R77 beaten", "R77 not beaten", "R77 exactly the value",
    "R80 winner takes both", "R80 lone takes both", "R81 tie, both", "R81 tie, one", "R82 tie, nobody",
    "R82 winner, opposite to Kronos", "R82 lone, opposite to Kronos",
    "R83 below", "R83 equal", "R83 above", "R83 after the last round",
    "R87 equipped", "R87 nothing", "R87 empty vault",
    "R88 keys decide", "R89 treasures decide", "R90 turn order decides",
    "R52 item counts", "R52 doubled item",
    "R92 won", "R92 won exactly", "R92 failed", "R93 cards of a failed fight", "R94 won before the last challenger",
    "R94 won by the last challenger", "R95 win", "R95 lost_keys", "R95 lost_final",
)
# fmt: on

Triple = tuple[int, int, int]
PUBLIC = (  # attributes that everybody sees; everything in an encounter is public
    "round",
    "rounds_done",
    "rows",
    "citadels",
    "citadel_used",
    "columns",
    "new_cards",
    "b_quest",
    "crown",
    "first_player",
    "turn_order",
    "gathering",
    "ended",
    "discard",
    "vaults",
    "treasury",
    "box",
    "quests",
    "board",
    "banners",
    "duel_results",
    "hunt_results",
    "current",
    "challenge_order",
    "outcome",
    "winner",
)


class Ask(NamedTuple):
    """One decision or chance point: who answers, its name, and the possible answers."""

    seat: int
    phase: str
    choices: list[Any]  # empty for the stack orders, which are too many


Flow = Generator[Ask, Any, None]


def require(condition: bool, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


# ---------------------------------------------------------------------------------------- options


def check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of section 5 with their defaults filled in; raises ValueError for anything else."""
    known = {"variant", "num_players", "key_limit", *ENUMS}
    for key in options:
        require(key in known, f"unknown option {key!r}: expected one of {sorted(known)}")
    variant, players = options.get("variant"), options.get("num_players")
    require(not isinstance(players, bool), "num_players must be a number")
    if variant is None:  # section 8
        players = 4 if players is None else players
        variant = {4: "standard", 2: "variation", 3: "variation"}.get(players)
    require(variant in PLAYERS, f"variant must be one of {sorted(PLAYERS)}, with 2, 3 or 4 players")
    assert isinstance(variant, str)
    if players is None:
        require(len(PLAYERS[variant]) == 1, "variation needs num_players, 2 or 3")
        players = PLAYERS[variant][0]
    require(players in PLAYERS[variant], f"num_players must be from {PLAYERS[variant]} in {variant}")
    limit = options.get("key_limit", "data")
    is_number = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1
    require(limit == "data" or is_number, "key_limit must be data or an integer of at least 1")
    full: dict[str, Any] = {"variant": variant, "num_players": players, "key_limit": limit}
    for key, texts in ENUMS.items():
        full[key] = str(options.get(key, texts[0]))
        require(full[key] in texts, f"{key} must be one of {texts}")
    return full


# ---------------------------------------------------------------------------------------- cards


class Treasure(NamedTuple):
    """One treasure card: its quest 0..8, copy 1 or 2, keys, item and factor."""

    quest: int
    copy: int
    keys: int
    item: Triple
    factor: Triple


@dataclass
class CardSet:
    """The numbers on all cards [section 9.1]; lists are in the order of the ids."""

    champions: list[tuple[int, Triple]]  # 48 of (stack, values)
    reinforcements: list[int]  # 12 symbols
    quests: dict[tuple[int, str], tuple[tuple[bool, bool, bool], Triple]]  # (quest, face): (categories, monster)
    treasures: list[Treasure]
    citadels: list[Triple]
    base: dict[int, Triple]  # by the face of Kronos
    limits: dict[tuple[int, str], int]  # by the face of Kronos and the setting


def triple(row: Mapping[str, str], prefix: str = "") -> Triple:
    """The three numbers of the columns fist, awe and cunning with this prefix."""
    fist, awe, cunning = (int(row[prefix + category]) for category in CATEGORIES)
    return fist, awe, cunning


def read_table(directory: Path | str, name: str) -> list[dict[str, str]]:
    """The rows of one file of the set, in the order of their ids if they have ids."""
    with (Path(directory) / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return sorted(csv.DictReader(file), key=lambda row: int(row.get("id", 0)))


def read_card_set(directory: Path | str) -> CardSet:
    """The card set in a directory of tables [section 9.1]; the tables are taken to be valid."""
    quests = {}
    for row in read_table(directory, "quests"):
        fist, awe, cunning = (number == 1 for number in triple(row))
        quests[QUESTS.index(row["quest"]), row["face"]] = ((fist, awe, cunning), triple(row, "monster_"))
    treasures = []
    for row in read_table(directory, "treasures"):
        quest, copy, keys = QUESTS.index(row["quest"]), int(row["copy"]), int(row["keys"])
        treasures.append(Treasure(quest, copy, keys, triple(row, "item_"), triple(row, "factor_")))
    citadels = read_table(directory, "citadels")
    return CardSet(
        champions=[(int(row["stack"]), triple(row)) for row in read_table(directory, "champions")],
        reinforcements=[int(row["symbol"]) for row in read_table(directory, "reinforcements")],
        quests=quests,
        treasures=treasures,
        citadels=[(int(row["symbol_1"]), int(row["symbol_2"]), int(row["symbol_3"])) for row in citadels],
        base={int(row["face"]): triple(row, "base_") for row in read_table(directory, "kronos")},
        limits={(int(r["face"]), r["setting"]): int(r["limit"]) for r in read_table(directory, "key_limits")},
    )


def made_up_set(seed: int = 0, repeated_symbols: bool = False) -> CardSet:
    """A valid set with invented numbers; `repeated_symbols` draws the reinforcement symbols with repetition."""
    rng = random.Random(seed)

    def numbers(most: int) -> Triple:
        return rng.randint(0, most), rng.randint(0, most), rng.randint(0, most)

    quests = {}
    for quest, (face, count) in itertools.product(range(9), (("one", 1), ("both", 2))):
        written = rng.sample(range(3), count)
        fist, awe, cunning = (category in written for category in range(3))
        monster = [rng.randint(5, 20) if category in written else 0 for category in range(3)]
        quests[quest, face] = ((fist, awe, cunning), (monster[0], monster[1], monster[2]))
    symbols = rng.sample(range(1, 13), 12)
    treasures = [
        Treasure(quest, copy, rng.randint(0, 4), numbers(4), numbers(1)) for quest in range(9) for copy in (1, 2)
    ]
    rng.shuffle(treasures)
    return CardSet(
        champions=[(card // CARDS_PER_STACK + 1, numbers(10)) for card in range(FIRST_REINFORCEMENT)],
        reinforcements=rng.choices(range(1, 13), k=12) if repeated_symbols else rng.sample(range(1, 13), 12),
        quests=quests,
        treasures=treasures,
        citadels=[(symbols[3 * i], symbols[3 * i + 1], symbols[3 * i + 2]) for i in range(4)],
        base={13: (13, 13, 13), 15: (15, 15, 15)},
        limits={
            (face, setting): limit
            for face in (13, 15)
            for setting, limit in (("standard4", 20), ("variation3", 14), ("variation2", 14), ("tournament2", 10))
        },
    )


def stack_of(card: int) -> int:
    """The stack 1..5 of a card number."""
    return card // CARDS_PER_STACK + 1


def is_champion(card: int) -> bool:
    """Whether the card is of stacks 1-4."""
    return card < FIRST_REINFORCEMENT


def is_target(card: int) -> bool:
    """Whether the card is a champion of stacks 2-4, the possible targets of END effects [R58]."""
    return is_champion(card) and stack_of(card) != GODS


def legal_permutations(symbol: int) -> list[int]:
    """The permutations of a symbol 10-12, the lowest number of equal results only [section 3]."""
    results = [bonus_of(symbol, number) for number in range(6)]
    return [number for number in range(6) if results[number] not in results[:number]]


def bonus_of(symbol: int, permutation: int) -> list[int]:
    """What a symbol 10-12 adds to Fist, Awe and Cunning [section 3]."""
    bonus = [0, 0, 0]
    for category, factor in zip(PERMUTATIONS[permutation], FACTORS[symbol], strict=True):
        bonus[category] = factor
    return bonus


# ---------------------------------------------------------------------------------------- records


@dataclass
class Side:
    """One side of a quest: its owner, who stays when a theft empties it, and the cards as (card, is_open)."""

    owner: int | None = None
    cards: list[tuple[int, bool]] = field(default_factory=list)

    def numbers(self) -> list[int]:
        """The card numbers."""
        return [card for card, _ in self.cards]

    def remove(self, card: int) -> None:
        """Take one card away."""
        self.cards = [entry for entry in self.cards if entry[0] != card]

    def turn_up(self) -> bool:
        """Turn all cards up; whether one was closed."""
        had_closed = not all(is_open for _, is_open in self.cards)
        self.cards = [(card, True) for card in self.numbers()]
        return had_closed

    def clear(self) -> list[int]:
        """Empty the side and return its cards."""
        leaving = self.numbers()
        self.owner, self.cards = None, []
        return leaving


@dataclass
class Encounter:
    """The state of one duel, hunt or Kronos fight."""

    kind: str
    position: int  # of the quest, -1 against Kronos
    seats: tuple[int, ...]  # in the order of their turns
    categories: list[bool]  # in force
    uses: dict[int, list[tuple[int, str]]] = field(default_factory=dict)  # (symbol, card | citadel | pulled)
    passed: set[int] = field(default_factory=set)
    end_queue: list[tuple[int, int]] = field(default_factory=list)  # (user, symbol); the first one is being decided
    doubled: set[tuple[int, int]] = field(default_factory=set)  # (card, category)
    bonuses: dict[int, list[int]] = field(default_factory=dict)
    pulled: list[int] = field(default_factory=list)  # champions pulled by symbol 6
    used: list[int] = field(default_factory=list)  # reinforcement cards on the table, pulled ones included
    moved: set[int] = field(default_factory=set)  # by symbol 5
    stolen: set[int] = field(default_factory=set)  # by symbol 4
    cancelled: set[tuple[int, int]] = field(default_factory=set)  # (treasure, category), by symbol 8
    plus_one: bool = False  # symbol 9 against Kronos
    ended: bool = False  # by symbol 8 or 9


@dataclass
class Row:
    """What a seat did in one round; `equipped` belongs to the last round."""

    olympus: int = 0
    deployed: int = 0
    duels_won: int = 0
    duels_tied: int = 0
    hunts_won: int = 0
    treasures: int = 0
    keys: int = 0
    kronos_keys: int = 0
    equipped: int = 0


class Reference:
    """One game of Kosmogonia in progress, mutated by `apply` and `apply_chance`.

    All attributes without an underscore may be read. Rounds count from 1 (0 during set-up), gatherings from 1.
    A card that is chosen but not yet placed is `pending` and still in the hand. `box` holds every treasure that is
    not on the board, in a vault or in the treasury.

    Raises:
        ValueError: for options outside section 5 of the rules.
    """

    def __init__(self, cards: CardSet, **options: Any) -> None:
        self.options = check_options(options)
        self.cards = cards
        self.branches: Counter[str] = Counter()
        self.variant: str = self.options["variant"]
        self.num_seats: int = self.options["num_players"]
        self.seats = range(self.num_seats)
        self.num_rounds = {"standard": 3, "variation": 2, "tournament": 1}[self.variant]  # [R5]
        self.kronos_face = 15 if self.options["difficulty"] == "hard" else 13  # [R2]
        self.round = 0
        self.rounds_done = 0
        self.rows: list[list[Row]] = []
        self.citadels: list[int] = []
        self.citadel_used = [False for _ in self.seats]
        self.stacks: list[list[int]] = [[] for _ in range(5)]  # top first
        self.columns: list[list[int]] = [[] for _ in range(5)]  # in the order of opening
        self.b_quest: int | None = None
        self.crown: int | None = None
        self.first_player: int | None = None
        self.turn_order: list[int] = []
        self.gathering = 0
        self.gathered: list[dict[int, int]] = [{} for _ in self.seats]  # card: number of its gathering
        self.new_cards: list[set[int]] = [set() for _ in self.seats]
        self.hands: list[set[int]] = [set() for _ in self.seats]
        self.stolen: list[set[int]] = [set() for _ in self.seats]  # cards a symbol 4 ever brought the seat
        self.olympus: list[list[tuple[int, bool]]] = [[] for _ in self.seats]
        self.pending: tuple[int, int, int | None] | None = None  # seat, card, place (None on the way to Olympus)
        self.ended: set[int] = set()  # seats that have ended their deployment
        self.discard: set[int] = set()
        self.vaults: list[set[int]] = [set() for _ in self.seats]
        self.treasury: set[int] = set()
        self.box: set[int] = set(range(18))
        self.current: Encounter | None = None
        self.equipped: list[list[int | None]] = [[] for _ in self.seats]  # in sending order
        self.equipment_shown = False
        self.challenge_order: list[int] = []
        self.fights_failed: list[int] = []
        self.outcome: str | None = None
        self.winner: int | None = None
        self.clock = 0  # counts what happens to cards, for the moments of section 4
        self.owned_since: list[dict[int, int]] = [{} for _ in self.seats]
        self.placed_at: dict[int, int] = {}
        self._clear_round()
        self._begin("set_up")

    # ------------------------------------------------------------------------------------ for the driver

    def to_move(self) -> int:
        """The seat to decide, CHANCE, or OVER."""
        return OVER if self._ask is None else self._ask.seat

    def phase(self) -> str:
        """The name of the decision or chance point, or over."""
        return "over" if self._ask is None else self._ask.phase

    def encounter(self) -> tuple[str, int | None, tuple[int, ...]] | None:
        """The kind, quest position and acting seats of the current encounter."""
        if self.current is None:
            return None
        position = None if self.current.kind == "kronos" else self.current.position
        return self.current.kind, position, self.current.seats

    def legal_actions(self) -> list[int]:
        """The choices of the seat to move, ascending; none at chance and at the end."""
        return [] if self._ask is None or self._ask.seat == CHANCE else list(self._ask.choices)

    def chance_outcomes(self) -> list[Any]:
        """The equally likely outcomes; empty for the stack orders, at decisions and at the end."""
        return list(self._ask.choices) if self._ask is not None and self._ask.seat == CHANCE else []

    def apply(self, action: int) -> None:
        """Carry out the choice of the seat to move; raises ValueError if it is not legal, nothing has changed then."""
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"illegal action {action!r} for seat {self.to_move()}: expected one of {legal}")
        self._answer(action)

    def apply_chance(self, outcome: Any) -> None:
        """Carry out a chance outcome; raises ValueError if it is none of this chance point."""
        require(self.to_move() == CHANCE, f"no chance is due in phase {self.phase()!r}")
        if isinstance(outcome, Sequence):
            outcome = [list(part) if isinstance(part, Sequence) else part for part in outcome]
        possible = outcome in self.chance_outcomes()
        if self.phase() == "stacks":
            own = [list(range(CARDS_PER_STACK * stack, CARDS_PER_STACK * (stack + 1))) for stack in range(5)]
            possible = isinstance(outcome, list) and all(isinstance(part, list) for part in outcome)
            possible = possible and [sorted(part) for part in outcome] == own
        require(possible, f"impossible outcome {outcome!r} of {self.phase()}")
        self._answer(outcome)

    def results(self) -> tuple[str | None, list[float]]:
        """The outcome (None before the end) and the payoff of each seat [R95]."""
        return self.outcome, [1.0 if seat == self.winner else 0.0 for seat in self.seats]

    def seen(self, action: int, observer: int) -> int | None:
        """The action of the seat to move as the observer sees it, None if hidden [section 3, last column]."""
        hidden = {"challenge_card": True, "deploy_card": action != END, "equip": True}.get(self.phase(), False)
        return None if hidden and self.to_move() != observer else action

    # ------------------------------------------------------------------------------------ machinery

    def _begin(self, stage: str) -> None:
        """Start the flow at a stage of the current round, at set_up or at the final."""
        self._ask: Ask | None = None
        self._flow = self._play(stage)
        self._answer(None)

    def _answer(self, answer: Any) -> None:
        """Give the flow its answer and take the next question."""
        try:
            self._ask = self._flow.send(answer)
        except StopIteration:
            self._ask = None

    def _note(self, key: str) -> None:
        """Count a branch."""
        self.branches[key] += 1

    def _tick(self) -> int:
        """The next moment."""
        self.clock += 1
        return self.clock

    def _play(self, stage: str) -> Flow:
        """The game from this stage on [R11]."""
        if stage == "set_up":
            yield from self._set_up()
            stage = "starting"
        while self.rounds_done < self.num_rounds:
            for name in STAGES[STAGES.index(stage) :]:
                yield from getattr(self, f"_{name}")()
                if self.outcome is not None:
                    return
            stage = "starting"
        yield from self._final()

    def _clear_round(self) -> None:
        """Nothing lies on the board."""
        self.quests: list[int] = []
        self.board: list[list[int | None]] = []  # treasures by position and side
        self.sides: list[list[Side]] = []
        self.banners: list[list[int]] = []  # seats in the order they came, blue first
        self.holders: list[list[int | None]] = []  # seats by position and side when the duels begin
        self.duel_results: list[int | None] = []  # winner or TIE; None without a duel
        self.hunt_results: dict[tuple[int, int], bool] = {}  # (position, seat): monster beaten

    # ------------------------------------------------------------------------------------ set-up and gathering

    def _set_up(self) -> Flow:
        """Citadels, stack orders and the tournament's B quest [R6]-[R8]."""
        self.citadels = yield Ask(
            CHANCE, "citadels", [list(p) for p in itertools.permutations(range(4), self.num_seats)]
        )
        self.stacks = yield Ask(CHANCE, "stacks", [])
        if self.variant == "tournament":
            self.b_quest = yield Ask(CHANCE, "b_quest", [3, 4, 5])

    def quests_of_round(self, number: int) -> list[int]:
        """The quests of a round, position by position [R5]."""
        if self.variant == "tournament":
            assert self.b_quest is not None
            return [6, 7, 8, self.b_quest]
        first = 3 * (number - 1 if self.variant == "standard" else number)
        return [first, first + 1, first + 2]

    def face_of(self, quest: int) -> str:
        """Which face of a quest is used [R2], [R3]."""
        difficulty = self.options["difficulty"]
        return "one" if difficulty == "easy" or (difficulty == "medium" and quest < 3) else "both"

    def categories_of(self, position: int) -> tuple[bool, bool, bool]:
        """The categories written on the quest at this position."""
        return self.cards.quests[self.quests[position], self.face_of(self.quests[position])][0]

    def monster_of(self, position: int) -> Triple:
        """The values of the monster at this position, 0 for none [R78]."""
        return self.cards.quests[self.quests[position], self.face_of(self.quests[position])][1]

    def open_round(self, number: int) -> None:
        """Make room for the quests of a round."""
        self._clear_round()
        self.round = number
        self.quests = self.quests_of_round(number)
        self.board = [[None, None] for _ in self.quests]
        self.sides = [[Side(), Side()] for _ in self.quests]
        self.banners = [[] for _ in self.quests]
        self.duel_results = [None for _ in self.quests]
        self.rows.append([Row() for _ in self.seats])
        for quest in self.quests:
            self._note("R2 one category" if self.face_of(quest) == "one" else "R2 both categories")

    def lay_treasures(self, sides: Sequence[int]) -> None:
        """Put the treasures of the round on the board; 0 lays copy 1 of the quest on the left [R9]."""
        for position, quest in enumerate(self.quests):
            copies = [t for number in (1, 2) for t in range(18) if self.cards.treasures[t][:2] == (quest, number)]
            self.board[position] = [copies[sides[position]], copies[1 - sides[position]]]
            self.box -= set(copies)

    def _draw_sides(self) -> Flow:
        """A fair coin for each quest of the round [R9], [R10]."""
        outcomes = [list(coins) for coins in itertools.product((0, 1), repeat=len(self.quests))]
        self.lay_treasures((yield Ask(CHANCE, "sides", outcomes)))

    def _starting(self) -> Flow:
        """The crown, and the first player [R10], [R12]-[R14]."""
        self.open_round(self.rounds_done + 1)
        if self.options["mode"] == "destiny":
            yield from self._draw_sides()
        self.crown = yield Ask(CHANCE, "crown", list(self.seats))
        assert self.crown is not None
        choices = [seat for seat in self.seats if seat != self.first_player]
        first = yield Ask(self.crown, "first_player", choices)
        self._note("R12 finder plays first" if first == self.crown else "R12 finder chooses another")
        if self.first_player is not None:
            self._note("R13 forced" if len(choices) == 1 else "R13 a seat is barred")
        self.first_player = first
        self.turn_order = [(first + step) % self.num_seats for step in self.seats]

    def _gathering(self) -> Flow:
        """One or two gatherings [R15]-[R22]."""
        each = 3 if self.variant == "tournament" else 1
        for number in range(2 if self.variant == "variation" else 1):
            self.gathering += 1
            if self.options["mode"] == "tactics":
                self._note("R20 second layout" if number else "R21 column of six" if each == 3 else "R17 column")
                yield from self._draft(each)
            else:
                keys = ("R16 one card of each stack", "R16 second deal")
                self._note("R21 three cards of each stack" if each == 3 else keys[number])
                self._deal(each)
            self._take_in_new_cards()
        if self.options["mode"] == "tactics":
            yield from self._draw_sides()

    def _deal(self, each: int) -> None:
        """Destiny: cards from the tops of the stacks, seat by seat [R16], [R21]."""
        for seat in self.seats:
            for stack in self.stacks:
                self.new_cards[seat].update(stack[:each])
                del stack[:each]

    def _draft(self, each: int) -> Flow:
        """Tactics: open the columns, then take one card per turn [R17]-[R21]."""
        for number, stack in enumerate(self.stacks):
            self.columns[number] = stack[: each * self.num_seats]
            del stack[: each * self.num_seats]
        for _ in range(5 * each):
            for seat in self.turn_order:
                yield from self._draft_one(seat, each)

    def _draft_one(self, seat: int, each: int) -> Flow:
        """One seat takes the card opened last and not yet taken of a stack it may still take from [R17], [R18]."""
        taken = Counter(stack_of(card) - 1 for card in self.new_cards[seat])
        choices = [stack for stack in range(5) if self.columns[stack] and taken[stack] < each]
        if any(self.columns[stack] and taken[stack] == each for stack in range(5)):
            self._note("R18 no second card")
        if any(len(self.columns[stack]) > 1 for stack in choices):
            self._note("R17 not the last opened")
        stack = yield Ask(seat, "draft", choices)
        self.new_cards[seat].add(self.columns[stack].pop())

    def _take_in_new_cards(self) -> None:
        """The gathering ends: new cards go to the hands [R22]."""
        moment = self._tick()
        for seat in self.seats:
            for card in self.new_cards[seat]:
                self.hands[seat].add(card)
                self.gathered[seat][card] = self.gathering
                self.owned_since[seat][card] = moment
            self.new_cards[seat] = set()

    # ------------------------------------------------------------------------------------ Olympus and deployment

    def champions_in_hand(self, seat: int) -> list[int]:
        """The champions a seat holds, ascending."""
        return sorted(card for card in self.hands[seat] if is_champion(card))

    def _place(self, seat: int, card: int) -> None:
        """The pending card leaves the hand."""
        self.hands[seat].remove(card)
        self.placed_at[card] = self._tick()
        self.pending = None
        if card in self.stolen[seat]:
            self._note("R59 stolen card played later")

    def _challenge(self) -> Flow:
        """Every seat in turn sends its champions to Olympus [R23]-[R26]."""
        number = {"standard": 1, "variation": self.round, "tournament": 3}[self.variant]
        for seat in self.turn_order:
            for remaining in range(number, 0, -1):
                yield from self._send_one(seat, remaining)

    def _send_one(self, seat: int, remaining: int) -> Flow:
        """One card is sent; the last of a team without a god must be a god [R25], [R26]."""
        choices = self.champions_in_hand(seat)
        if self.round == self.num_rounds and remaining == 1:
            gods = [card for card in choices if stack_of(card) == GODS]
            if any(stack_of(card) == GODS for card, _ in self.olympus[seat]):
                self._note("R26 god sent before")
            else:
                self._note("R26 god enforced")
                choices = gods
        card = yield Ask(seat, "challenge_card", choices)
        self.pending = (seat, card, None)
        is_first = not self.olympus[seat]
        closed = yield Ask(seat, "challenge_orient", [0] if is_first else [0, 1])
        self._note("R25 first card" if is_first else "R25 closed" if closed else "R25 open")
        self._place(seat, card)
        self.olympus[seat].append((card, closed == 0))
        self.rows[-1][seat].olympus += 1

    def _is_legal_side(self, seat: int, position: int, side: int, counting: bool = False) -> bool:
        """Whether the seat may place a card on this side [R29], [R32]."""
        own, opposite = self.sides[position][side], self.sides[position][1 - side]
        reason = None
        if own.cards and own.owner != seat:
            reason = "R29 other seat's side"
        elif len(own.cards) >= 3:
            reason = "R29 full side"
        elif opposite.cards and opposite.owner == seat:
            reason = "R29 opposite own side"
        elif not own.cards and self.options["banner_limit"] == "4" and sum(seat in at for at in self.banners) >= 3:
            reason = "R32 banner limit forbids"
        if reason is not None and counting:
            self._note(reason)
        return reason is None

    def legal_places(self, seat: int, counting: bool = False) -> list[int]:
        """The numbers 2 * position + side of the sides where the seat may place a card."""
        places = range(2 * len(self.quests))
        return [place for place in places if self._is_legal_side(seat, place // 2, place % 2, counting)]

    def _may_end(self, seat: int) -> bool:
        """Whether the seat may end its deployment of its own will [R33], [R35], [R36]."""
        if not any(side.owner == seat for pair in self.sides for side in pair):
            self._note("R33 nothing placed yet")
            return False
        if self.round < self.num_rounds:
            return True
        may_hold_one = self.variant == "tournament" and self.options["tourn_discard"] == "may_hold_one"
        if may_hold_one and len(self.champions_in_hand(seat)) == 1:
            self._note("R36 may hold one")
            return True
        self._note("R35 END refused")
        return False

    def _deployment(self) -> Flow:
        """One champion per turn until all seats have ended, then the tournament's discard [R28]-[R37]."""
        self.ended = set()
        while len(self.ended) < self.num_seats:
            for seat in self.turn_order:
                if seat not in self.ended:
                    yield from self._deploy_one(seat)
        if self.variant == "tournament":
            for seat in self.turn_order:
                yield from self._discard_one(seat)

    def _deploy_one(self, seat: int) -> Flow:
        """One seat places a champion, or ends [R28]-[R35]."""
        champions = self.champions_in_hand(seat)
        if not champions or not self.legal_places(seat):
            self._note("R34 no legal side" if champions else "R34 no champion left")
            self.ended.add(seat)
            return
        choices = [*champions, END] if self._may_end(seat) else champions
        card = yield Ask(seat, "deploy_card", choices)
        if card == END:
            self._note("R33 voluntary END")
            self.ended.add(seat)
            return
        self.pending = (seat, card, None)
        place = yield Ask(seat, "deploy_place", self.legal_places(seat, counting=True))
        self.pending = (seat, card, place)
        side = self.sides[place // 2][place % 2]
        is_first = not side.cards
        closed = yield Ask(seat, "deploy_orient", [0] if is_first else [0, 1])
        self._note("R30 first card" if is_first else "R30 closed" if closed else "R30 open")
        self._place(seat, card)
        if is_first:  # [R31]
            self._note("R31 red" if self.banners[place // 2] else "R31 blue")
            self.banners[place // 2].append(seat)
            side.owner = seat
        side.cards.append((card, closed == 0))
        self.rows[-1][seat].deployed += 1

    def _discard_one(self, seat: int) -> Flow:
        """The held champion, or else a reinforcement card, face up [R36]."""
        champions = self.champions_in_hand(seat)
        card = yield Ask(seat, "tourn_discard", champions or sorted(self.hands[seat]))
        self._note("R36 held champion discarded" if champions else "R36 reinforcement discarded")
        self.hands[seat].remove(card)
        self.discard.add(card)

    # ------------------------------------------------------------------------------------ uses

    @property
    def enc(self) -> Encounter:
        """The current duel, hunt or Kronos fight."""
        assert self.current is not None
        return self.current

    def side_of(self, seat: int) -> Side:
        """The seat's side of the quest of the current duel or hunt."""
        return next(side for side in self.sides[self.enc.position] if side.owner == seat)

    def line_up(self, seat: int) -> list[int]:
        """The line-up of a seat in the current duel or hunt, its team with pulled cards against Kronos."""
        if self.enc.kind == "kronos":
            return [*[card for card, _ in self.olympus[seat]], *self.enc.pulled]
        return self.side_of(seat).numbers()

    def _opponent(self, seat: int) -> int:
        """The other duellist."""
        return next(other for other in self.enc.seats if other != seat)

    def opposing(self, seat: int, stack: int) -> list[int]:
        """The cards of a stack in the opposing line-up, ascending; none outside a duel."""
        if self.enc.kind != "duel":
            return []
        return sorted(card for card in self.line_up(self._opponent(seat)) if stack_of(card) == stack)

    def pile(self) -> list[int]:
        """The cards of the discard pile that symbol 6 may pull, ascending [R61]."""
        return sorted(card for card in self.discard if stack_of(card) != GODS)

    def replacements(self) -> list[int]:
        """The choices of symbol 7: 3 * category in force + category neither written nor in force [R64]."""
        if self.enc.kind != "duel":
            return []
        written, in_force = self.categories_of(self.enc.position), self.enc.categories
        new = [category for category in range(3) if not written[category] and not in_force[category]]
        return [3 * old + added for old in range(3) if in_force[old] for added in new]

    def treasures_with_factors(self) -> list[int]:
        """The treasury cards with a factor other than 0, ascending."""
        return sorted(treasure for treasure in self.treasury if any(self.cards.treasures[treasure].factor))

    def is_playable(self, seat: int, symbol: int) -> bool:
        """Whether the symbol has a possible effect here, last column of the table [R56]."""
        kind = self.enc.kind
        if symbol in END_SYMBOLS:
            return any(is_target(card) for card in self.line_up(seat))
        if symbol == 4:
            return bool(self.opposing(seat, DEFENDERS))
        if symbol == 5:
            return bool(self.opposing(seat, THORNBEARERS))
        if symbol == 6:
            return bool(self.pile())
        if symbol == 7:
            return bool(self.replacements())
        if symbol == 8:
            return kind == "duel" or (kind == "kronos" and bool(self.treasures_with_factors()))
        return kind != "duel"

    def uses_left(self, seat: int) -> int:
        """How many uses the seat has left in this encounter [R45]."""
        chain_counts = self.options["count_sym6_chain"] == "yes"
        return MOST_USES - sum(1 for _, source in self.enc.uses[seat] if source != "pulled" or chain_counts)

    def has_activated(self, seat: int, symbol: int) -> bool:
        """Whether the seat has activated the symbol in this encounter [R46]."""
        return any(symbol == used for used, _ in self.enc.uses[seat])

    def symbols_at_hand(self, seat: int) -> dict[int, int]:
        """The symbol of every use number the seat could choose but for R46 and R48 [R45], [R47]."""
        ids = sorted(card - FIRST_REINFORCEMENT for card in self.hands[seat] if not is_champion(card))
        symbols = {number: self.cards.reinforcements[number] for number in ids}
        if self.enc.kind != "kronos" and not self.citadel_used[seat]:
            for place, symbol in enumerate(self.cards.citadels[self.citadels[seat]]):
                symbols[FIRST_CITADEL_USE + place] = symbol
        return symbols

    def legal_uses(self, seat: int) -> list[int]:
        """The use numbers without PASS [R46]-[R48]."""
        may_be_blank = self.options["allow_null_symbols"] == "yes"
        numbers = []
        for number, symbol in self.symbols_at_hand(seat).items():
            if not self.has_activated(seat, symbol) and (may_be_blank or self.is_playable(seat, symbol)):
                numbers.append(number)
        return numbers

    def _uses(self) -> Flow:
        """The seats use symbols in turn until all have passed or a symbol ends the encounter [R41]-[R45]."""
        enc = self.enc
        for seat in itertools.cycle(enc.seats):
            if enc.ended or len(enc.passed) == len(enc.seats):
                return
            if seat not in enc.passed:
                if enc.passed:
                    self._note("R41 goes on alone")
                yield from self._use(seat)

    def _use(self, seat: int) -> Flow:
        """One use or the pass of a seat [R41], [R44], [R47]."""
        enc, at_hand = self.enc, self.symbols_at_hand(seat)
        choices = self.legal_uses(seat)
        if any(self.has_activated(seat, symbol) for symbol in at_hand.values()):
            self._note(f"R46 repeat refused {enc.kind}")
        if enc.kind != "kronos" and self.citadel_used[seat]:
            self._note("R47 citadel used before")
        action = yield Ask(seat, "use", [*choices, PASS])
        if action == PASS:
            self._note(f"R44 {'pass' if choices else 'pass only'} {enc.kind}")
            enc.passed.add(seat)
            return
        if action < FIRST_CITADEL_USE:
            self.hands[seat].remove(FIRST_REINFORCEMENT + action)
            enc.used.append(FIRST_REINFORCEMENT + action)
        else:
            self._note(f"R47 citadel {enc.kind}")
            self.citadel_used[seat] = True
        yield from self._activate(seat, at_hand[action], "card" if action < FIRST_CITADEL_USE else "citadel")
        if self.uses_left(seat) == 0 and not enc.ended:
            self._note(f"R44 third use {enc.kind}")
            enc.passed.add(seat)

    def _activate(self, seat: int, symbol: int, source: str) -> Flow:
        """A symbol takes effect at once, or waits for the end, or is a blank [R48], [R49]."""
        enc = self.enc
        enc.uses[seat].append((symbol, source))
        if len(enc.uses[seat]) > MOST_USES:
            self._note(f"R45 more than three uses {enc.kind}")
        if not self.is_playable(seat, symbol):
            self._note(f"null {symbol} {enc.kind}")
            return
        self._note(f"sym {symbol} {enc.kind}")
        if symbol in END_SYMBOLS:
            enc.end_queue.append((seat, symbol))
        elif symbol == 4:
            yield from self._steal(seat)
        elif symbol == 5:
            yield from self._move(seat)
        elif symbol == 6:
            yield from self._pull(seat)
        elif symbol == 7:
            yield from self._replace(seat)
        elif symbol == 8 and enc.kind == "kronos":
            yield from self._cancel(seat)
        elif symbol == 9 and enc.kind == "kronos":  # [R67]
            self._note("R67 Kronos plus one")
            enc.plus_one = True
        else:  # 8 in a duel [R65], 9 in a hunt [R67]
            enc.ended = True

    def _steal(self, seat: int) -> Flow:
        """Symbol 4: a stack-3 card of the opponent comes into the hand [R59]."""
        enc, cards = self.enc, self.opposing(seat, DEFENDERS)
        self._note("R59 one stack-3 card" if len(cards) == 1 else "R59 random stack-3 card")
        card = yield Ask(CHANCE, "steal", cards)
        victim = self._opponent(seat)
        self.side_of(victim).remove(card)
        self.hands[seat].add(card)
        self.stolen[seat].add(card)
        self.owned_since[seat][card] = self._tick()
        enc.stolen.add(card)
        if card in enc.pulled:  # [R62]
            self._note("R62 pulled stolen by 4")
        if self.round == self.num_rounds:
            self._note("R59 stolen in the last round")
        if not self.line_up(victim):
            self._note("R59 empty line-up in a duel")

    def _move(self, seat: int) -> Flow:
        """Symbol 5: a stack-4 card of the opponent changes sides for this duel [R60]."""
        enc, cards = self.enc, self.opposing(seat, THORNBEARERS)
        self._note("R60 one stack-4 card" if len(cards) == 1 else "R60 random stack-4 card")
        card = yield Ask(CHANCE, "steal", cards)
        self.side_of(self._opponent(seat)).remove(card)
        self.side_of(seat).cards.append((card, True))
        if card in enc.moved:
            self._note("R60 moved back")
        if card in enc.pulled:
            self._note("R62 pulled moved by 5")
        if len(self.line_up(seat)) > 3:
            self._note("R60 more than three cards")
        enc.moved.add(card)

    def _pull(self, seat: int) -> Flow:
        """Symbol 6: a random card of the discard pile joins or is activated [R61]-[R63]."""
        enc = self.enc
        card = yield Ask(CHANCE, "pull", self.pile())
        if is_champion(card):
            self._note(f"sym 6 champion {enc.kind}")
            self.discard.remove(card)
            enc.pulled.append(card)
            if enc.kind != "kronos":
                self.side_of(seat).cards.append((card, True))
            if len(self.line_up(seat)) > 3:
                self._note("R62 more than three cards")
            return
        symbol = self.cards.reinforcements[card - FIRST_REINFORCEMENT]
        if self.has_activated(seat, symbol):
            self._note(f"sym 6 already used {enc.kind}")
        elif not self.is_playable(seat, symbol):
            self._note(f"sym 6 not playable {enc.kind}")
        elif self.options["count_sym6_chain"] == "yes" and self.uses_left(seat) == 0:
            self._note(f"sym 6 no use left {enc.kind}")
        else:
            self._note(f"sym 6 pulled {symbol} {enc.kind}")
            self.discard.remove(card)
            enc.used.append(card)
            yield from self._activate(seat, symbol, "pulled")

    def _replace(self, seat: int) -> Flow:
        """Symbol 7: another category in force [R64]."""
        enc = self.enc
        written = self.categories_of(enc.position)
        self._note("R64 one category" if sum(written) == 1 else "R64 two categories")
        if enc.categories != list(written):
            self._note("R64 second symbol 7")
        choice = yield Ask(seat, "sym7", self.replacements())
        enc.categories[choice // 3] = False
        enc.categories[choice % 3] = True

    def _cancel(self, seat: int) -> Flow:
        """Symbol 8 against Kronos: a treasure card loses its factors, or one of them [R66]."""
        enc = self.enc
        treasure = yield Ask(seat, "sym8_card", self.treasures_with_factors())
        factor = self.cards.treasures[treasure].factor
        categories = [category for category in range(3) if factor[category] != 0]
        self._note(f"R66 {self.options['sym8_scope']}")
        if self.options["sym8_scope"] == "number":
            categories = [(yield Ask(seat, "sym8_number", categories))]
        enc.cancelled.update((treasure, category) for category in categories)

    def _end_effects(self) -> Flow:
        """The waiting effects in the order of use; the users choose now [R49], [R50]."""
        enc = self.enc
        if enc.end_queue:
            self._note(f"R49 {'one END effect' if len(enc.end_queue) == 1 else 'several END effects'} {enc.kind}")
        while enc.end_queue:
            seat, symbol = enc.end_queue[0]
            targets = sorted(card for card in self.line_up(seat) if is_target(card))
            if targets:
                card = yield Ask(seat, "end_champion", targets)
                if symbol in FACTORS:
                    permutation = yield Ask(seat, "end_permutation", legal_permutations(symbol))
                    self._note(f"R56 permutation {permutation} of symbol {symbol}")
                    old, new = enc.bonuses.get(card, [0, 0, 0]), bonus_of(symbol, permutation)
                    enc.bonuses[card] = [old[category] + new[category] for category in range(3)]
                else:
                    self._note(f"R52 doubled {symbol} {enc.kind}")
                    enc.doubled.add((card, symbol - 1))
            else:
                self._note("R50 END effect lost")
            enc.end_queue.pop(0)

    def total(self, seat: int, category: int) -> int:
        """The total of a line-up or team in a category of the current encounter [R52]."""
        enc = self.enc
        total = 1 if enc.plus_one else 0
        for card in self.line_up(seat):
            printed, item = self.cards.champions[card][1][category], self.item_of(seat, card)[category]
            total += printed + item + enc.bonuses.get(card, [0, 0, 0])[category]
            if (card, category) in enc.doubled:
                total += printed
                if self.options["double_includes_items"] == "yes":
                    total += item
                    if item > 0:
                        self._note("R52 doubled item")
        return total

    def item_of(self, seat: int, card: int) -> Triple:
        """The item of a champion of the team, in the Kronos fight only [R52]."""
        if self.enc.kind == "kronos":
            for (champion, _), treasure in zip(self.olympus[seat], self.equipped[seat], strict=True):
                if champion == card and treasure is not None:
                    return self.cards.treasures[treasure].item
        return (0, 0, 0)

    def _open_encounter(self, kind: str, position: int, seats: Sequence[int], force: Iterable[bool]) -> None:
        """Begin a duel, hunt or Kronos fight."""
        self.current = Encounter(kind, position, tuple(seats), list(force), uses={seat: [] for seat in seats})

    # ------------------------------------------------------------------------------------ duels

    def _duels(self) -> Flow:
        """All duels of the round, quest by quest [R38], [R39]."""
        self.holders = [[side.owner for side in pair] for pair in self.sides]
        for position, holders in enumerate(self.holders):
            if None in holders:
                self._note("R39 nobody" if holders == [None, None] else "R39 lone")
            else:
                yield from self._duel(position)

    def _duel(self, position: int) -> Flow:
        """One duel [R40]-[R54]."""
        had_closed = [side.turn_up() for side in self.sides[position]]
        if any(had_closed):
            self._note("R40 ambush")
        self._open_encounter("duel", position, self.banners[position], self.categories_of(position))
        enc = self.enc
        yield from self._uses()
        if enc.ended:
            self._note_symbol_8(enc)
            result = TIE
        else:
            yield from self._end_effects()
            result = self._compare()
        self.duel_results[position] = result
        self._leave_duel(position, result)

    def _note_symbol_8(self, enc: Encounter) -> None:
        """Count what a symbol 8 did to other effects [R65]."""
        self._note("R65 duel ended")
        if enc.end_queue:
            self._note("R65 END effects cancelled")
        if enc.stolen:
            self._note("R65 thefts stand")
        if enc.moved:
            self._note("R65 moved card discarded")

    def _compare(self) -> int:
        """The duellist with more excellences, or TIE [R51], [R53]."""
        enc = self.enc
        blue, red = enc.seats
        won = [0, 0]
        for category in range(3):
            if enc.categories[category]:
                difference = self.total(blue, category) - self.total(red, category)
                won[0] += difference > 0
                won[1] += difference < 0
        self._note(f"R53 {'tied' if won[0] == won[1] else 'won'} {max(won)}-{min(won)}")
        return TIE if won[0] == won[1] else blue if won[0] > won[1] else red

    def _leave_duel(self, position: int, result: int) -> None:
        """Cards used, moved and pulled leave, and the loser with all its cards [R54], [R60], [R62]."""
        enc = self.enc
        persists = self.options["sym6_persists"] == "yes"
        self.discard.update(enc.used)
        for side in self.sides[position]:
            lost = result not in (TIE, side.owner)
            for card in side.numbers():
                if card in enc.pulled:
                    why = "persists, moved by 5" if card in enc.moved else "persists, loser" if lost else "persists"
                    self._note(f"R62 {why}" if persists else "R62 pulled returns")
                if card in enc.moved or (card in enc.pulled and not persists):
                    side.remove(card)
                    self.discard.add(card)
        for seat in enc.seats:
            if result == TIE:
                self.rows[-1][seat].duels_tied += 1
            elif result == seat:
                self.rows[-1][seat].duels_won += 1
            else:
                self._note("R54 blue lost" if seat == enc.seats[0] else "R54 red lost")
                self.discard.update(self.side_of(seat).clear())
                self.banners[position].remove(seat)
        self.current = None

    # ------------------------------------------------------------------------------------ harvest, hunts, spoils

    def _take(self, position: int, side: int, seat: int | None) -> None:
        """A treasure goes into a vault, or to Kronos (None)."""
        treasure = self.board[position][side]
        assert treasure is not None
        self.board[position][side] = None
        if seat is None:
            self.treasury.add(treasure)
        else:
            self.vaults[seat].add(treasure)
            self.rows[-1][seat].treasures += 1

    def winner_at(self, position: int) -> int | None:
        """The duel winner or lone seat of a quest; None after a tie or without anybody."""
        if self.duel_results[position] is None:
            return next((seat for seat in self.holders[position] if seat is not None), None)
        return None if self.duel_results[position] == TIE else self.duel_results[position]

    def _harvest(self) -> Flow:
        """Winners and lone seats take the treasure of their side, Kronos those of empty quests [R69]-[R71]."""
        for position, holders in enumerate(self.holders):
            winner = self.winner_at(position)
            if winner is not None:
                is_lone = self.duel_results[position] is None
                self._note("R69 lone" if is_lone else "R69 winner")
                if not is_lone:
                    self._note("R71 loser's treasure stays")
                self._take(position, holders.index(winner), winner)
            elif holders == [None, None]:
                self._note("R70 nobody")
                self._take(position, 0, None)
                self._take(position, 1, None)
            else:
                self._note("R71 tie")
        yield from ()

    def _hunts(self) -> Flow:
        """All hunts of the round, quest by quest, after a tie blue first [R72]-[R75]."""
        for position, result in enumerate(self.duel_results):
            if result == TIE:
                self._note("R75 blue then red")
            for seat in list(self.banners[position]):
                if result is None and self.options["lone_hunts"] == "no":
                    self._note("R72 lone seat may not hunt")
                    self._leave_quest(position, seat)
                    continue
                who = "lone seat" if result is None else "tied seat" if result == TIE else "winner"
                self._note(f"R72 {who} hunts")
                yield from self._hunt(position, seat)

    def _hunt(self, position: int, seat: int) -> Flow:
        """One hunt [R40], [R76]-[R79]."""
        monster = self.monster_of(position)
        self._open_encounter("hunt", position, [seat], [value > 0 for value in monster])
        enc = self.enc
        if self.side_of(seat).turn_up():
            self._note("R40 lone turned up")
        if not self.line_up(seat):
            self._note("R59 empty line-up hunts")
        yield from self._uses()
        if enc.ended:
            self._note("R67 hunt won at once")
            if enc.end_queue:
                self._note("R67 END effects lost")
            beaten = True
        else:
            yield from self._end_effects()
            margins = [self.total(seat, category) - monster[category] for category in range(3) if monster[category]]
            beaten = all(margin >= 0 for margin in margins)
            self._note("R77 beaten" if beaten else "R77 not beaten")
            if beaten and 0 in margins:
                self._note("R77 exactly the value")
        self.hunt_results[position, seat] = beaten
        self.rows[-1][seat].hunts_won += beaten
        self.discard.update(enc.used)
        self.current = None
        self._leave_quest(position, seat)

    def _leave_quest(self, position: int, seat: int) -> None:
        """The line-up goes to the discard pile and the banner returns [R79]."""
        side = next(side for side in self.sides[position] if side.owner == seat)
        self.discard.update(side.clear())
        self.banners[position].remove(seat)

    def _spoils(self) -> Flow:
        """Who beat the monster takes a second or the own treasure, Kronos the rest; then the limit [R80]-[R83]."""
        for (position, seat), beaten in self.hunt_results.items():
            if beaten:
                own = self.holders[position].index(seat)
                self._take(position, own if self.duel_results[position] == TIE else 1 - own, seat)
        for position in range(len(self.quests)):
            self._note_spoils(position)
            for side in (0, 1):
                if self.board[position][side] is not None:
                    self._take(position, side, None)
        kronos_keys = self.keys_of(self.treasury)
        for seat in self.seats:
            self.rows[-1][seat].keys = self.keys_of(self.vaults[seat])
            self.rows[-1][seat].kronos_keys = kronos_keys
        self.rounds_done += 1
        limit = self.key_limit()
        self._note("R83 below" if kronos_keys < limit else "R83 equal" if kronos_keys == limit else "R83 above")
        if kronos_keys >= limit:
            if self.rounds_done == self.num_rounds:
                self._note("R83 after the last round")
            self._finish("lost_keys")
        yield from ()

    def _note_spoils(self, position: int) -> None:
        """Count the row of the table of R82."""
        left = sum(1 for treasure in self.board[position] if treasure is not None)
        result = self.duel_results[position]
        if result == TIE:
            self._note(("R81 tie, both", "R81 tie, one", "R82 tie, nobody")[left])
        elif self.holders[position] != [None, None]:
            who = "lone" if result is None else "winner"
            self._note(f"R82 {who}, opposite to Kronos" if left else f"R80 {who} takes both")

    def keys_of(self, treasures: Iterable[int]) -> int:
        """The keys on some treasures."""
        return sum(self.cards.treasures[treasure].keys for treasure in treasures)

    def key_limit(self) -> int:
        """The limit of Kronos' keys [R83]."""
        if self.options["key_limit"] != "data":
            return int(self.options["key_limit"])
        return self.cards.limits[self.kronos_face, f"{self.variant}{self.num_seats}"]

    def _end_of_round(self) -> Flow:
        """The quests leave the game; the standard game restores the citadels [R47], [R84]."""
        self._clear_round()
        if self.variant == "standard":
            if any(self.citadel_used):
                self._note("R47 citadel restored")
            self.citadel_used = [False for _ in self.seats]
        yield from ()

    # ------------------------------------------------------------------------------------ final

    def _final(self) -> Flow:
        """Reveal, equip, compare keys, challenge Kronos one after the other [R86]-[R94]."""
        self._note(f"R2 Kronos {self.kronos_face}")
        self.olympus = [[(card, True) for card, _ in team] for team in self.olympus]
        for seat in self.seats:
            for _ in self.olympus[seat]:
                yield from self._equip_one(seat)
        self.equipment_shown = True
        for seat in self.seats:
            self.rows[-1][seat].equipped = sum(1 for treasure in self.equipped[seat] if treasure is not None)
        self.challenge_order = sorted(self.seats, key=self._precedence)
        self._note_order()
        for seat in self.challenge_order:
            yield from self._fight(seat)
            if self.winner is not None:
                return
        self._finish("lost_final")

    def _equip_one(self, seat: int) -> Flow:
        """The next champion of the team gets a treasure or nothing [R87]."""
        choices = sorted(self.vaults[seat] - {treasure for treasure in self.equipped[seat] if treasure is not None})
        treasure = yield Ask(seat, "equip", [*choices, NOTHING])
        self._note("R87 equipped" if treasure != NOTHING else "R87 nothing" if choices else "R87 empty vault")
        self.equipped[seat].append(None if treasure == NOTHING else treasure)

    def equipped_keys(self, seat: int) -> int:
        """The keys on the equipped treasures of a seat [R88]."""
        return self.keys_of(treasure for treasure in self.equipped[seat] if treasure is not None)

    def _precedence(self, seat: int) -> Triple:
        """Smaller challenges earlier: keys, then treasures, then the later seat of the turn order [R88]-[R90]."""
        return -self.equipped_keys(seat), -len(self.vaults[seat]), -self.turn_order.index(seat)

    def _note_order(self) -> None:
        """Count what decided between neighbours in the challenge order."""
        for first, second in itertools.pairwise(self.challenge_order):
            better, worse = self._precedence(first), self._precedence(second)
            keys = ("R88 keys decide", "R89 treasures decide", "R90 turn order decides")
            self._note(next(key for key, one, two in zip(keys, better, worse, strict=True) if one != two))

    def kronos_value(self, category: int) -> int:
        """What a challenger has to reach: base and factors, less those cancelled in this fight [R66], [R92]."""
        cancelled = self.current.cancelled if self.current is not None else set()
        value = self.cards.base[self.kronos_face][category]
        for treasure in self.treasury:
            if (treasure, category) not in cancelled:
                value += self.cards.treasures[treasure].factor[category]
        return value

    def _fight(self, seat: int) -> Flow:
        """One seat challenges Kronos [R92]-[R94]."""
        self._open_encounter("kronos", -1, [seat], [True, True, True])
        enc = self.enc
        yield from self._uses()
        yield from self._end_effects()
        margins = [self.total(seat, category) - self.kronos_value(category) for category in range(3)]
        if any(treasure is not None and any(self.cards.treasures[treasure].item) for treasure in self.equipped[seat]):
            self._note("R52 item counts")
        if min(margins) >= 0:
            self._note("R92 won exactly" if 0 in margins else "R92 won")
            is_last = seat == self.challenge_order[-1]
            self._note("R94 won by the last challenger" if is_last else "R94 won before the last challenger")
            self.winner = seat
            self._finish("win")
            return  # the cards of the winning fight stay on the table
        self._note("R92 failed")
        self.fights_failed.append(seat)
        if enc.used or enc.pulled:
            self._note("R93 cards of a failed fight")
        self.discard.update(enc.used, enc.pulled)
        self.current = None

    def _finish(self, outcome: str) -> None:
        """The game is over [R95]."""
        self._note(f"R95 {outcome}")
        self.outcome = outcome

    # ------------------------------------------------------------------------------------ knowledge

    def closed_places(self, seat: int) -> dict[tuple[Any, ...], int]:
        """The closed cards of a seat by place; a pending card counts as one more closed place [section 4]."""
        places: dict[tuple[Any, ...], int] = {}
        for index, (card, is_open) in enumerate(self.olympus[seat]):
            if not is_open:
                places["olympus", index] = card
        for position, pair in enumerate(self.sides):
            for number, side in enumerate(pair):
                for index, (card, is_open) in enumerate(side.cards):
                    if side.owner == seat and not is_open:
                        places["quest", position, number, index] = card
        if self.pending is not None and self.pending[0] == seat:
            places["pending",] = self.pending[1]
        return places

    def pool(self, seat: int) -> set[int]:
        """P(seat): its champions that do not lie face up, in the hand or closed [section 4]."""
        return {*self.champions_in_hand(seat), *self.closed_places(seat).values()}

    def _shown(self, cards: Iterable[tuple[int, bool]], owner: int | None, observer: int) -> list[int | None]:
        """Cards as the observer sees them: a hidden one is None, or minus its stack if that shows."""
        shows_stack = self.options["closed_shows_stack"] == "yes"
        hidden = [-stack_of(card) if shows_stack else None for card, _ in cards]
        return [c if is_open or owner == observer else h for (c, is_open), h in zip(cards, hidden, strict=True)]

    def known(self, observer: int) -> dict[str, Any]:
        """Everything the observer can see, as plain values [section 4]."""
        recalls = self.options["hands_public"] == "recall"
        others = [seat for seat in self.seats if seat != observer]
        facts = {name: getattr(self, name) for name in PUBLIC}
        facts["to_move"], facts["phase"], facts["encounter"] = self.to_move(), self.phase(), self.encounter()
        facts["hand"] = self.hands[observer]
        facts["gathered"] = self.gathered[observer]
        facts["hand_sizes"] = [len(hand) for hand in self.hands]
        facts["stack_sizes"] = [len(stack) for stack in self.stacks]
        facts["sides"] = [
            [(side.owner, self._shown(side.cards, side.owner, observer)) for side in pair] for pair in self.sides
        ]
        facts["olympus"] = [self._shown(self.olympus[seat], seat, observer) for seat in self.seats]
        facts["stolen"] = [self.stolen[seat] & self.pool(seat) for seat in self.seats]
        facts["equipped"] = [
            list(given) if seat == observer or self.equipment_shown else [None] * len(given)
            for seat, given in enumerate(self.equipped)
        ]
        if self.pending is not None:
            seat, card, place = self.pending
            facts["pending"] = (seat, card if seat == observer else None, place)
        if recalls:
            facts["pools"] = {seat: self.pool(seat) for seat in others}
            facts["reinforcements"] = [{card for card in hand if not is_champion(card)} for hand in self.hands]
            facts["stacks"] = [set(stack) for stack in self.stacks]
            facts["gathered_by_all"] = self.gathered
            facts["owned_since"] = [
                {card: self.owned_since[seat][card] for card in self.pool(seat)} for seat in self.seats
            ]
        return facts

    # ------------------------------------------------------------------------------------ made-up positions

    @classmethod
    def made_up(cls, cards: CardSet, stage: str, position: Mapping[str, Any], **options: Any) -> Reference:
        """A game that begins at a stage of `STAGES`, or at the final, from this position.

        The keys are `round` (1; the last one for the final), `sides` as {(position, side): (owner, [card or (card,
        is_open)])} whose order gives the banners, and any attribute: hands, olympus, discard, vaults, treasury,
        citadels, citadel_used, turn_order, b_quest, stacks and so on. Cards not mentioned are in the stacks.
        """
        game = cls(cards, **options)
        fields = dict(position)
        sides, number = fields.pop("sides", {}), fields.pop("round", game.num_rounds if stage == "final" else 1)
        game.b_quest = fields.pop("b_quest", 3 if game.variant == "tournament" else None)
        game.citadels, game.turn_order, game.first_player = list(game.seats), list(game.seats), 0
        game.open_round(number)
        game.rounds_done = number if stage == "final" else number - 1
        for name, value in fields.items():
            require(hasattr(game, name), f"unknown field {name!r} of a made-up position")
            setattr(game, name, value)
        game.hands = [set(hand) for hand in game.hands]
        game.discard, game.treasury = set(game.discard), set(game.treasury)
        game.vaults = [set(vault) for vault in game.vaults]
        game.box -= game.treasury.union(*game.vaults)
        if stage in STAGES[STAGES.index("challenge") :]:
            game.lay_treasures([0] * len(game.quests))
        for (place, side), (owner, line_up) in sides.items():
            entries = [(card, True) if isinstance(card, int) else card for card in line_up]
            game.sides[place][side] = Side(owner, entries)
            game.banners[place].append(owner)
        game._stock_the_rest("stacks" in fields)
        game._begin(stage)
        return game

    def _stock_the_rest(self, stacks_are_given: bool) -> None:
        """Cards that lie nowhere go to the stacks; every moment is 0."""
        lying = self.discard.union(*self.hands, *([card for card, _ in team] for team in self.olympus))
        lying |= {card for pair in self.sides for side in pair for card in side.numbers()}
        if not stacks_are_given:
            for card in range(60):
                if card not in lying:
                    self.stacks[stack_of(card) - 1].append(card)
        for seat in self.seats:
            owned = [*self.hands[seat], *self.closed_places(seat).values()]
            self.owned_since[seat] = dict.fromkeys(owned, 0)
            self.placed_at.update(dict.fromkeys(self.closed_places(seat).values(), 0))


# ---------------------------------------------------------------------------------------- worlds


def worlds(game: Reference, observer: int) -> list[dict[tuple[Any, ...], int | None]]:
    """All assignments of the other seats' hidden places under `hands_public=recall`, each once [section 4].

    A world is {(seat, *place): card} with the places of `closed_places`, and before the equipment is shown
    {(seat, "equip", index): treasure or None}. What is not assigned of a pool is the hand.
    """
    per_seat = [
        [{**cards, **gear} for cards in seat_worlds(game, seat) for gear in equip_worlds(game, seat)]
        for seat in game.seats
        if seat != observer
    ]
    return [dict(item for part in parts for item in part.items()) for parts in itertools.product(*per_seat)]


def seat_worlds(game: Reference, seat: int) -> list[dict[tuple[Any, ...], int | None]]:
    """The assignments of one seat's closed places: points 1-3 of section 4."""
    places = game.closed_places(seat)
    found: list[dict[tuple[Any, ...], int | None]] = []
    for cards in itertools.permutations(sorted(game.pool(seat)), len(places)):
        lying = dict(zip(places, cards, strict=True))
        fits = all(could_lie(game, seat, card, truth) for card, truth in zip(cards, places.values(), strict=True))
        if fits and team_has_god(game, seat, lying):
            found.append({(seat, *place): card for place, card in lying.items()})
    return found


def could_lie(game: Reference, seat: int, card: int, truth: int) -> bool:
    """Whether the card could lie where `truth` lies: held at that moment, and of its stack if that shows."""
    shows_stack = game.options["closed_shows_stack"] == "yes"
    is_pending = game.pending is not None and game.pending[1] == truth
    moment = game.clock if is_pending else game.placed_at[truth]
    if shows_stack and not is_pending and stack_of(card) != stack_of(truth):
        return False
    return game.owned_since[seat][card] <= moment


def team_has_god(game: Reference, seat: int, lying: Mapping[tuple[Any, ...], int]) -> bool:
    """Whether a complete team, the card on its way included, would hold a god; True if it is incomplete."""
    team = [lying.get(("olympus", index), card) for index, (card, _) in enumerate(game.olympus[seat])]
    if game.phase() == "challenge_orient" and ("pending",) in lying:
        team.append(lying["pending",])
    return len(team) < 3 or any(stack_of(card) == GODS for card in team)


def equip_worlds(game: Reference, seat: int) -> list[dict[tuple[Any, ...], int | None]]:
    """The legal choices for the equip decisions made so far, before they are shown."""
    if game.equipment_shown:
        return [{}]
    found = []
    choices: list[int | None] = [*sorted(game.vaults[seat]), None]
    for given in itertools.product(choices, repeat=len(game.equipped[seat])):
        treasures = [treasure for treasure in given if treasure is not None]
        if len(set(treasures)) == len(treasures):
            found.append({(seat, "equip", index): treasure for index, treasure in enumerate(given)})
    return found
