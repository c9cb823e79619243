"""What can vary: the options of Kronions, their codes in the kernels, and the presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cardkit.spec import InvalidRules, Option, Preset, choice, integer

MAX_SEATS = 6
MAX_ROUNDS = 29

RANDOM_DEALER = -1
FIXED = 1  # rotate_deal
FLIP_IF_POSSIBLE = 1  # last_round_trump
REDRAW, DEALER_NAMES = 1, 2  # paradox_flip
HOOK_OFF = 1  # hook
LEFT_LEADS = 1  # first_leader
FREES_TRICK = 1  # future_led
ONLY_WHEN_VOID = 1  # paradox_when_able_to_follow
LAST_PAST, NOBODY = 1, 2  # all_past
TRICKS_PLUS_BONUS = 1  # scoring
ZEROS_MADE = 1  # tie_zero_count
SEAT_ORDER = 1  # tie_final


class RoundCap(Option):
    """An integer, a word, or a table from numbers of players to integers [R6]."""

    def read(self, value: Any, num_players: int) -> Any:
        """The cap for the number of players; entries for other numbers are not looked at."""
        pairs = self._pairs(value)
        if pairs is None:
            return super().read(value, num_players)
        table: dict[str, Any] = {}
        for players, entry in pairs:
            if not str(players).isdecimal() or str(players) in table:
                raise self.error(value)
            table[str(players)] = entry
        if str(num_players) not in table:
            raise InvalidRules(f"option {self.name!r} has no entry for {num_players} players in {value!r}")
        return self.number(table[str(num_players)], value)

    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{super().allowed()} or a table such as 4:10,5:8"

    def _pairs(self, value: Any) -> list[tuple[Any, Any]] | None:
        """The entries of a table; None where the value is none."""
        if isinstance(value, Mapping):
            return list(value.items())
        if not isinstance(value, str) or ":" not in value:
            return None
        pairs = [tuple(pair.split(":")) for pair in value.split(",")]
        if any(len(pair) != 2 for pair in pairs):
            raise self.error(value)
        return pairs  # type: ignore[return-value]


class RoundSizes(Option):
    """A word that stands for no list, or a list of integers; the code is an array filled up with zeros [R7]."""

    def read(self, value: Any, num_players: int) -> Any:
        """The sizes as an int64 array, `(MAX_ROUNDS,)`."""
        sizes = np.zeros(MAX_ROUNDS, np.int64)
        if isinstance(value, str) and value in self.words:
            return sizes
        entries = value.split(",") if isinstance(value, str) else value
        if not isinstance(entries, (list, tuple, range, np.ndarray)) or not 1 <= len(entries) <= MAX_ROUNDS:
            raise self.error(value)
        sizes[: len(entries)] = [self.number(entry, value) for entry in entries]
        return sizes

    def show(self, code: Any) -> str:
        """The sizes with commas, or the word for none."""
        return ",".join(str(size) for size in code if size) or next(iter(self.words))

    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{', '.join(self.words)} or a list of 1 to {MAX_ROUNDS} integers {self.low}..{self.high}"


OPTIONS: tuple[Option, ...] = (
    integer("num_players", "R1", "number of seats", 2, MAX_SEATS),
    integer("num_suits", "R2", "how many of Chrono, Nova, Void, Flux are in the deck", 1, 4),
    integer("num_ranks", "R2", "highest rank in each suit", 1, 13),
    integer("num_paradox", "R2", "number of paradox cards", 0, 6),
    RoundCap("round_cap", "R6", "hand size of the last round", {"max": 0}, 1, MAX_ROUNDS),
    RoundSizes("round_sizes", "R7", "hand sizes of all rounds instead of 1, 2, 3, ...", {"rising": 0}, 1, MAX_ROUNDS),
    integer("only_round", "R7b", "play this round of the series alone", 1, MAX_ROUNDS, none=0),
    integer("first_dealer", "R8", "who deals the first round", 0, MAX_SEATS - 1, random=RANDOM_DEALER),
    choice("rotate_deal", "R9", "where the deal goes after a round", "left", "fixed"),
    choice("last_round_trump", "R14", "whether the last round may have a trump", "none", "flip_if_possible"),
    choice("paradox_flip", "R16", "what a turned-up paradox card means", "no_trump", "redraw", "dealer_names"),
    choice("hook", "R20", "whether the last bid may not make the bids add up to the hand size", "on", "off"),
    choice("first_leader", "R22", "who leads the first trick", "dealer", "left"),
    choice("future_led", "R25", "what an early Future does to the led suit", "first_suited", "frees_trick"),
    choice(
        "paradox_when_able_to_follow",
        "R26",
        "when a paradox card may be played instead of the led suit",
        "always",
        "only_when_void",
    ),
    choice("all_past", "R38", "who wins a trick of Pasts only", "first", "last", "nobody"),
    integer("score_base", "R39", "points for an exact bid before the bid itself is added", 0, 1000),
    choice("scoring", "R41", "what a round is worth", "all_or_nothing", "tricks_plus_bonus"),
    choice("tie_zero_count", "R44", "which zero bids break a tie of totals", "bids", "made"),
    choice("tie_final", "R45", "what happens when zero bids tie too", "shared", "seat_order"),
)


class Rules(NamedTuple):
    """The options as the kernels see them: codes, in the order of `OPTIONS`, which documents them."""

    num_players: int = 4
    num_suits: int = 4
    num_ranks: int = 13
    num_paradox: int = 6
    round_cap: int = 0
    round_sizes: np.ndarray = np.zeros(MAX_ROUNDS, np.int64)
    only_round: int = 0
    first_dealer: int = RANDOM_DEALER
    rotate_deal: int = 0
    last_round_trump: int = 0
    paradox_flip: int = 0
    hook: int = 0
    first_leader: int = 0
    future_led: int = 0
    paradox_when_able_to_follow: int = 0
    all_past: int = 0
    score_base: int = 10
    scoring: int = 0
    tie_zero_count: int = 0
    tie_final: int = 0


def deck_size(rules: Rules) -> int:
    """How many cards the deck has [R2]."""
    return rules.num_suits * rules.num_ranks + rules.num_paradox


def series_cap(rules: Rules) -> int:
    """Hand size of the last round of the rising series [R6]."""
    return rules.round_cap or deck_size(rules) // rules.num_players


def hand_sizes(rules: Rules) -> list[int]:
    """Hand sizes of all rounds of a game, in order [R6, R7, R7b]."""
    listed = [int(size) for size in rules.round_sizes if size]
    if listed:
        return listed
    return [rules.only_round] if rules.only_round else list(range(1, series_cap(rules) + 1))


def check(rules: Rules) -> None:
    """Refuse options that do not fit together.

    Raises:
        InvalidRules: names the options and what is allowed.
    """
    players, deck = rules.num_players, deck_size(rules)
    if deck < players:
        raise InvalidRules(
            f"a deck of {deck} cards (num_suits x num_ranks + num_paradox) is too small for {players} players"
        )
    largest = deck // players
    if rules.first_dealer >= players:
        raise InvalidRules(f"first_dealer {rules.first_dealer} is no seat: expected 0..{players - 1} or random")
    if rules.round_sizes[0]:
        if rules.only_round:
            raise InvalidRules(
                f"only_round={rules.only_round} and round_sizes={hand_sizes(rules)} contradict each other: set one"
            )
        if max(hand_sizes(rules)) > largest:
            raise InvalidRules(
                f"round_sizes {hand_sizes(rules)} cannot be dealt: "
                f"{deck} cards give {players} players at most {largest} each"
            )
        return
    if rules.round_cap > largest:
        raise InvalidRules(
            f"round_cap {rules.round_cap} cannot be dealt: {deck} cards give {players} players at most {largest} each"
        )
    if rules.only_round > series_cap(rules):
        raise InvalidRules(
            f"only_round {rules.only_round} is not in the series: expected 1..{series_cap(rules)} for {players} players"
        )


def _standard(given: dict[str, Any]) -> dict[str, Any]:
    """The game as specified: nothing is changed."""
    return given


def _oh_hell(given: dict[str, Any]) -> dict[str, Any]:
    """One deal without paradox cards, for comparison with other Oh Hell programs; adds the option `hand_size`."""
    fixed = {
        "num_paradox": 0,
        "first_leader": "left",
        "last_round_trump": "flip_if_possible",
        "scoring": "tricks_plus_bonus",
    }
    given = fixed | given
    hand_size = given.pop("hand_size", None)
    sizes = given.get("round_sizes", "rising")
    if not isinstance(sizes, str) or sizes != "rising":
        if hand_size is not None:
            raise InvalidRules(
                f"hand_size={hand_size!r} and round_sizes={given['round_sizes']!r} contradict each other: set one"
            )
        return given
    counts = {}
    for option in OPTIONS[:4]:
        counts[option.name] = option.read(given.get(option.name, getattr(Rules(), option.name)), 0)
    deck, players = deck_size(Rules(**counts)), counts["num_players"]
    largest = (deck - 1) // players  # a card must be left to turn up
    if largest < 1:
        raise InvalidRules(f"preset 'oh_hell' turns a card up: {deck} cards are too few for {players} players")
    size = largest if hand_size is None else integer("hand_size", "R7", "", 1, largest).read(hand_size, 0)
    return {**given, "round_sizes": [size]}


def _mini(given: dict[str, Any]) -> dict[str, Any]:
    """Seven cards for two or three players, small enough to list every game."""
    given = {"num_players": 2, "num_suits": 2, "num_ranks": 3, "num_paradox": 1, "first_dealer": 0} | given
    integer("num_players", "preset 'mini'", "", 2, 3).read(given["num_players"], 0)
    return given


PRESETS = {
    "standard": Preset("the game as specified", _standard),
    "oh_hell": Preset(
        "one deal without paradox cards, as other Oh Hell programs play it; adds hand_size=1..", _oh_hell
    ),
    "mini": Preset("2 suits x 3 ranks + 1 paradox card for 2 or 3 players, small enough to list every game", _mini),
}
