"""What can vary: the options of Kosmogonia, their codes in the kernels, and the presets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from os import PathLike, fspath
from typing import Any, NamedTuple

from cardkit.spec import InvalidRules, Option, Preset, choice, integer
from kosmogonia._card_files import load_card_set
from kosmogonia.cards import STANDIN, CardSet

MOST_SEATS = 4

STANDARD, VARIATION, TOURNAMENT = 0, 1, 2  # variant
TACTICS = 1  # mode
MEDIUM, EASY, HARD = 0, 1, 2  # difficulty
HIDDEN_AFTER_GATHER = 1  # hands_public
CLOSED_SHOWS_STACK = 1  # closed_shows_stack
FOUR_BANNERS = 4  # banner_limit
MAY_HOLD_ONE = 1  # tourn_discard
PULLED_NOT_COUNTED = 1  # count_sym6_chain
NULL_SYMBOLS = 1  # allow_null_symbols
ITEMS_DOUBLE = 1  # double_includes_items
PULLED_PERSISTS = 1  # sym6_persists
ONE_NUMBER = 1  # sym8_scope
LONE_SEATS_REST = 1  # lone_hunts
FROM_CARDS = 0  # key_limit


MODES = ("destiny", "tactics")  # by code, as the next
DIFFICULTIES = ("medium", "easy", "hard")


class _Cards(Option):
    """The option that names a card set; its code is the set, or None for the one that is shipped."""

    def read(self, value: Any, num_players: int) -> Any:
        """The card set of a folder; the set itself passes through."""
        if isinstance(value, CardSet):
            return value
        if not isinstance(value, str | PathLike) or not str(value):
            raise self.error(value)
        return None if value == STANDIN else load_card_set(fspath(value))

    def show(self, code: Any) -> str:
        """The folder of a set, or "standin"."""
        return STANDIN if code is None else str(code.source)

    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{STANDIN}, or a folder with a card set"


OPTIONS: tuple[Option, ...] = (
    integer("num_players", "R1", "number of seats", 2, MOST_SEATS),
    choice("variant", "R1", "standard for 4 seats, variation for 2 or 3, tournament for 2; by itself from the seats",
           "standard", "variation", "tournament"),
    choice("mode", "R16", "how cards are gathered: dealt, or drafted from open columns", *MODES),
    choice("difficulty", "R2", "which printed faces of Kronos and the quests are used", *DIFFICULTIES),
    choice("hands_public", "R22", "whether everybody remembers what the others have gathered", "recall",
           "hidden_after_gather"),
    choice("closed_shows_stack", "R7", "whether the back of a closed card shows its stack", "no", "yes"),
    integer("banner_limit", "R32", "banners of a citadel: none is no limit, 4 leaves three for quests", 4, 4, none=0),
    choice("tourn_discard", "R36", "whether a champion may be held back for the discard of the tournament",
           "after_full_deploy", "may_hold_one"),
    choice("count_sym6_chain", "R45", "whether a symbol activated through symbol 6 counts as a use", "yes", "no"),
    choice("allow_null_symbols", "R48", "whether a symbol may be used where it can do nothing", "no", "yes"),
    choice("double_includes_items", "R52", "whether doubling takes the item of a champion too", "no", "yes"),
    choice("sym6_persists", "R62", "whether a champion pulled in a duel stays for the hunt", "no", "yes"),
    choice("sym8_scope", "R66", "what symbol 8 cancels of a treasure of Kronos: all its factors or one number",
           "card", "number"),
    choice("lone_hunts", "R72", "whether a seat alone at a quest hunts its monster", "yes", "no"),
    integer("key_limit", "R83", "keys in Kronos' treasury at which all lose; data: as the card set says", 1, 999_999,
            data=FROM_CARDS),
    _Cards("cards", "C1-C7", "the card set"),
)  # fmt: skip


class Rules(NamedTuple):
    """The options as the kernels see them: codes, in the order of `OPTIONS`, which documents them.

    In the rules of a `Game`, `cards` is the table of its card set, an array of one `CARD_SET` record.
    """

    num_players: int = MOST_SEATS
    variant: int = STANDARD
    mode: int = 0
    difficulty: int = MEDIUM
    hands_public: int = 0
    closed_shows_stack: int = 0
    banner_limit: int = 0
    tourn_discard: int = 0
    count_sym6_chain: int = 0
    allow_null_symbols: int = 0
    double_includes_items: int = 0
    sym6_persists: int = 0
    sym8_scope: int = 0
    lone_hunts: int = 0
    key_limit: int = FROM_CARDS
    cards: Any = None


VARIANTS = ("standard", "variation", "tournament")
ROUNDS = (3, 2, 1)  # of each variant
SEATS_OF_VARIANT = ((4,), (2, 3), (2,))


def check(rules: Rules) -> None:
    """Refuse options that do not fit together.

    Raises:
        InvalidRules: names the options and what is allowed.
    """
    seats = SEATS_OF_VARIANT[rules.variant]
    if rules.num_players not in seats:
        variant, allowed = VARIANTS[rules.variant], " or ".join(map(str, seats))
        raise InvalidRules(f"variant={variant} is not for num_players={rules.num_players}: expected {allowed} [R1]")


def _fill_in(given: dict[str, Any], fixed: dict[str, Any]) -> dict[str, Any]:
    """The given options with those of a preset, and the variant and the number of seats as they follow."""
    options = fixed | given
    for name, value in fixed.items():
        if name in ("num_players", "variant") and str(options[name]) != str(value):
            raise InvalidRules(f"option {name!r} cannot be {options[name]!r} in this preset: expected {value} [R1]")
    seats = str(options.get("num_players", ""))
    if "variant" not in options:
        options["variant"] = "variation" if seats in ("2", "3") else "standard"
    elif not seats and options["variant"] == "variation":
        raise InvalidRules("variant=variation does not say how many play: give num_players, 2 or 3 [R1]")
    elif not seats and options["variant"] == "tournament":
        options["num_players"] = 2
    return options


class _Presets(dict[str, Preset]):
    """The presets by name. Full names are listed; `tournament-hard`, with a part left out, is found too."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and _parts(name) is not None)

    def __missing__(self, name: str) -> Preset:
        parts = _parts(name)
        if parts is None:
            raise KeyError(name)
        return _preset(parts)


_SETTINGS: dict[str, dict[str, Any]] = {
    "standard": {"variant": "standard", "num_players": 4},
    "variation3": {"variant": "variation", "num_players": 3},
    "variation2": {"variant": "variation", "num_players": 2},
    "tournament": {"variant": "tournament", "num_players": 2},
    "variation": {"variant": "variation"},
}
_SEATS_IN_WORDS = {
    "standard": 4,
    "variation3": 3,
    "variation2": 2,
    "tournament": 2,
}


def _parts(name: str) -> dict[str, Any] | None:
    """The options that a preset's name spells out, whichever of its later parts are left out; None if none does."""
    setting, *rest = name.split("-")
    options = [("mode" if word in MODES else "difficulty", word) for word in rest]
    is_known = setting in _SETTINGS and all(word in MODES + DIFFICULTIES for word in rest)
    in_order = [name for name, _ in options] in ([], ["mode"], ["difficulty"], ["mode", "difficulty"])
    return _SETTINGS[setting] | dict(options) if is_known and in_order else None


def _preset(options: dict[str, Any]) -> Preset:
    words = [str(options[key]) for key in ("variant", "mode", "difficulty") if key in options]
    return Preset(" ".join(words), lambda given: _fill_in(given, options))


def _all_presets() -> Iterator[tuple[str, Preset]]:
    yield "standard", Preset("the game as specified; the variant follows from the number of seats",
                             lambda given: _fill_in(given, {}))  # fmt: skip
    yield "variation", Preset("the variation for 2 or 3 players", lambda given: _fill_in(given, _SETTINGS["variation"]))
    yield "tournament", Preset("two players, one round", lambda given: _fill_in(given, _SETTINGS["tournament"]))
    for setting, mode, difficulty in product(_SEATS_IN_WORDS, MODES, ("easy", "medium", "hard")):
        options = _SETTINGS[setting] | {"mode": mode, "difficulty": difficulty}
        meaning = f"{_SETTINGS[setting]['variant']}, {_SEATS_IN_WORDS[setting]} players, {mode}, {difficulty}"
        yield f"{setting}-{mode}-{difficulty}", Preset(meaning, lambda given, o=options: _fill_in(given, o))  # type: ignore[misc]


PRESETS = _Presets(_all_presets())
