"""What a run is: everything that decides its bytes, and nothing else."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from bots import BotSpec, make, parse_bots
from bots.bot import load_class
from bots.specs import parse_bot
from cardkit.cache import rules_hash
from cardkit.game import MAX_SEED, Game
from cardkit.spec import InvalidRules, InvalidText, nearest
from experiments.games import game_class
from experiments.part_sizes import Parts, boards_in_part
from experiments.schedule import SEATINGS, Schedule, spread_rounds
from experiments.stop_rules import LOOKS_IN_WORDS, look_boards, parse_stop_rule
from experiments.terminal import aside

SCHEMA_VERSION = 3
READABLE_SCHEMAS = (2, SCHEMA_VERSION)  # 2 kept the order of the bots round the table
FORMATS = ("game", "deal")
VERSIONED = ("hiddenhand", "numba", "numpy", "pyarrow")
MAX_BOARDS = 10**9

# What decides the bytes of a run besides kernels: seats, rows, files, how Python bots are asked, where a run stops. Not
# the means and variances that reports share with the stop rule: after a change in these, runs must still be readable.
ROW_FILES = (
    "guests.py",
    "part_files.py",
    "part_sizes.py",
    "schedule.py",
    "schema.py",
    "sequential.py",
    "stop_rules.py",
    "table.py",
)


@dataclass(frozen=True)
class RunSpec:
    """A run. Two runs with equal specs, on equal versions, write equal bytes.

    Attributes:
        game: its name.
        options: all rule options, as text.
        bots: `(label, specification)` pairs, in the order of the files' dictionaries.
        sources: SHA-256 of the file of each Python bot, by label.
        data: name, origin and hash of the card set that the game has read from files; empty where it reads none.
        boards: how many.
        stop_when: the stop rule, written in full; empty where all boards are played.
        boards_in_part: how many a part file holds at most.
    """

    game: str
    options: dict[str, str]
    bots: tuple[tuple[str, str], ...]
    sources: dict[str, str]
    data: dict[str, str]
    boards: int
    seed: int
    format: str
    seating: str
    moves: bool
    stop_when: str
    boards_in_part: int

    @cached_property
    def game_object(self) -> Game:
        """The game with its rules."""
        return game_class(self.game)(**self.options)

    @cached_property
    def bot_specs(self) -> tuple[BotSpec, ...]:
        """The bots."""
        return tuple(replace(parse_bot(text), label=label) for label, text in self.bots)

    @cached_property
    def schedule(self) -> Schedule:
        """Who sits where on which board."""
        return Schedule(len(self.bots), self.game_object.num_players, self.seating, self.num_variants, self.seed)

    @property
    def num_variants(self) -> int:
        """How many rules the boards take in turn: one, or one for each deal of a game."""
        return len(self.game_object.single_deals()) if self.format == "deal" else 1

    @cached_property
    def rounds(self) -> np.ndarray:
        """The order in which boards take the rules, shape `(num_variants,)`: board b has entry b mod its length."""
        return np.array(spread_rounds(self.num_variants, self.seed), np.int16)

    def round_of(self, board: np.ndarray) -> np.ndarray:
        """Number of the rules of each board."""
        found: np.ndarray = self.rounds[board % self.num_variants]
        return found

    @property
    def has_python_bots(self) -> bool:
        """Whether a bot is not a kernel."""
        return any(bot.is_python for bot in self.bot_specs)

    @property
    def is_repeatable(self) -> bool:
        """Whether the spec decides the bytes; a bot with a time limit plays as far as the machine lets it think."""
        return all(bot.is_repeatable for bot in self.bot_specs)

    @cached_property
    def parts(self) -> Parts:
        """Which boards are in which part file."""
        return Parts(self.boards_in_part, look_boards(self.boards) if self.stop_when else [self.boards])

    @cached_property
    def looks(self) -> str:
        """When a stop rule looks at the boards, in words."""
        return LOOKS_IN_WORDS

    @property
    def num_parts(self) -> int:
        """How many part files the run has."""
        return len(self.parts)

    def boards_of_part(self, part: int) -> tuple[int, int]:
        """The first board of a part and the one after its last."""
        return self.parts.boards(part)

    def to_json(self) -> dict[str, Any]:
        """The spec as plain data."""
        return asdict(self) | {"bots": [list(pair) for pair in self.bots]}

    @staticmethod
    def from_json(data: Mapping[str, Any], schema: int = SCHEMA_VERSION, is_current: bool = True) -> RunSpec:
        """The spec that `to_json` gave; of another version, which may have cut parts otherwise, it can be read only.

        Args:
            data: plain data.
            schema: of the run.
            is_current: whether these versions wrote it.

        Raises:
            InvalidText: the data are not a spec.
        """
        try:
            spec = RunSpec(**{**data, "bots": tuple((str(label), str(text)) for label, text in data["bots"])})
            types = [
                type(getattr(spec, name))
                for name in ("boards", "seed", "boards_in_part", "moves", "sources", "data", "stop_when")
            ]
            if types != [int, int, int, bool, dict, dict, str] or not spec.bots:
                raise TypeError("a value has another type")
            if set(spec.data) not in (set(), {"name", "origin", "hash"}):
                raise TypeError("the card set is described otherwise")
            _check(spec.game_object, spec.bot_specs, spec.boards, spec.seed, spec.format, spec.seating)
            wanted = boards_in_part(spec.game_object, spec.bot_specs, spec.boards, spec.format, spec.seating)
            if spec.stop_when != _stop_rule(spec.stop_when, spec.bot_specs):
                raise ValueError("its stop rule is not written in full")
            if (is_current and spec.boards_in_part != wanted) or spec.options != spec.game_object.option_values():
                raise ValueError("its values do not fit together")
            if schema < SCHEMA_VERSION:
                spec._be_of_schema_2()
        except (TypeError, KeyError, ValueError) as error:
            raise InvalidText(f"not the spec of a run: {error}") from None
        return spec

    def _be_of_schema_2(self) -> None:
        """Boards took the rounds as they stand, and a stop rule looked after every part."""
        size = self.boards_in_part
        ends = range(size, self.boards, size) if self.stop_when else ()
        self.__dict__["parts"] = Parts(size, [*ends, self.boards])
        self.__dict__["looks"] = f"after every {size} boards, and after the last one"
        self.__dict__["rounds"] = np.arange(self.num_variants, dtype=np.int16)

    def hash(self) -> str:
        """Hex digest that is equal for equal specs."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()


def make_spec(
    game: str,
    bots: Iterable[str],
    *,
    preset: str = "standard",
    options: Mapping[str, Any] | None = None,
    boards: int = 1000,
    seed: int = 0,
    format: str = "game",
    seating: str = "rotations",
    moves: bool = False,
    stop_when: str = "",
    builds_guests: bool = True,
) -> RunSpec:
    """A checked spec: everything that can be wrong with a run is found here, before anything is written.

    Python bots are built once, to see whether they can be, unless `builds_guests` is False: they may end the process.

    Raises:
        ValueError: names the value that is wrong and what is allowed.
    """
    rules = game_class(game)(preset, **dict(options or {}))
    specs = parse_bots(bots)
    _check(rules, specs, boards, seed, format, seating)
    for bot in specs:
        if bot.is_python and not builds_guests:
            continue
        with aside():
            make(bot, game_class(game)(preset, **dict(options or {})))  # its own, which it may do with as it likes
    spec = RunSpec(
        game=game,
        options=rules.option_values(),
        bots=tuple((bot.label, bot.text) for bot in specs),
        sources={bot.label: _source_hash(bot) for bot in specs if bot.is_python},
        data=rules.data(),
        boards=boards,
        seed=seed,
        format=format,
        seating=seating,
        moves=moves,
        stop_when=_stop_rule(stop_when, specs),
        boards_in_part=boards_in_part(rules, specs, boards, format, seating),
    )
    spec.__dict__["game_object"] = rules  # what was checked is what plays: card sets are not read again
    return spec


def command_of(spec: RunSpec) -> str:
    """The command that repeats a run: it makes an equal spec. Options that are at their defaults are left out."""
    words = ["hiddenhand", "tournament", spec.game]
    for bot in bot_texts(spec.bots):
        words += ["--bot", bot]
    for name, value in _changed_options(spec).items():
        words += ["--players", value] if name == "num_players" else ["--rule", f"{name}={value}"]
    words += ["--boards", str(spec.boards), "--seed", str(spec.seed)]
    for flag, value, default in (
        ("--format", spec.format, FORMATS[0]),
        ("--seating", spec.seating, SEATINGS[0]),
        ("--stop-when", spec.stop_when, ""),
    ):
        words += [flag, value] if value != default else []
    return shlex.join([*words, "--moves"] if spec.moves else words)


def bot_texts(bots: Iterable[Sequence[str]]) -> list[str]:
    """The words that give bots their labels again; those that `parse_bots` made itself cannot be written."""
    return [text if label == text or label.startswith(f"{text}#") else f"{label}={text}" for label, text in bots]


def _changed_options(spec: RunSpec) -> dict[str, str]:
    """The rule options that are not at their defaults; all, where the others would follow from these."""
    defaults = game_class(spec.game)().option_values()
    changed = {name: value for name, value in spec.options.items() if value != defaults[name]}
    try:
        is_enough = game_class(spec.game)(**changed).option_values() == spec.options
    except InvalidRules:
        is_enough = False
    return changed if is_enough else dict(spec.options)


def _check(game: Game, bots: Sequence[BotSpec], boards: int, seed: int, format: str, seating: str) -> None:
    """Refuse values that no run can have."""
    for name, value, allowed in (("format", format, FORMATS), ("seating", seating, SEATINGS)):
        if value not in allowed:
            raise InvalidRules(f"unknown {name} {value!r}{nearest(value, allowed)}")
    for name, number, low, high in (("boards", boards, 1, MAX_BOARDS), ("seed", seed, 0, MAX_SEED)):
        if not low <= number <= high:
            raise InvalidRules(f"{name} {number}: expected {low}..{high}")
    if format == "deal":
        game.single_deals()
    Schedule(len(bots), game.num_players, seating)


def _stop_rule(text: str, bots: Sequence[BotSpec]) -> str:
    """A stop rule with all its values; empty where there is none."""
    return str(parse_stop_rule(text, [bot.label for bot in bots])) if text else ""


def _source_hash(bot: BotSpec) -> str:
    """SHA-256 of the file that defines a Python bot: a run is not resumed with another bot of the same name."""
    with aside():
        module = importlib.util.find_spec(load_class(bot).__module__)
    path = module.origin if module and module.origin else None
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path and Path(path).is_file() else ""


def check_sources(spec: RunSpec) -> None:
    """Refuse to go on with a run whose bots or cards are no longer what they were.

    Raises:
        InvalidText: the file of a Python bot or the card set has changed, or the class of a bot cannot be loaded.
    """
    check_data(spec)
    for bot in spec.bot_specs:
        if bot.is_python and _source_hash(bot) != spec.sources[bot.label]:
            raise InvalidText(f"the file of bot {bot.label!r} has changed since this run began: choose another folder")


def check_data(spec: RunSpec) -> None:
    """Refuse to read a run with other cards than those it was played with.

    Raises:
        InvalidText: the card set has changed.
    """
    found = game_class(spec.game)(**spec.options).data()
    if found != spec.data:
        raise InvalidText(f"this run was played with {data_in_words(spec.data)}, but there is {data_in_words(found)}")


def data_in_words(data: Mapping[str, str]) -> str:
    """The card set of a game in words; empty where it has none."""
    return f"card set {data['name']!r} ({data['origin']}, {data['hash']})" if data else ""


def versions() -> dict[str, str]:
    """Versions of everything that can change a run's bytes, with hashes of the sources that play and write rows."""
    return {name: version(name) for name in VERSIONED} | {"kernels": rules_hash(), "rows": rows_hash()}


@cache
def rows_hash(folder: Path = Path(__file__).parent) -> str:
    """Hash of the sources in `ROW_FILES` (16 hex digits)."""
    texts = [(name, (folder / name).read_bytes()) for name in ROW_FILES]
    return hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
