"""What can vary: the options of Truf, their codes in the kernels, and the presets."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardkit.spec import InvalidRules, Option, Preset, choice, integer
from truf.cards import BID_VALUE, RANK_NAMES, RANKS

SEATS = 4
ALL_RANKS = (1 << RANKS) - 1
MOST_POINTS = 10_000  # highest target

WHOLE_HAND = 0  # max_bid_cards
ACE_LOW = 1  # ace_play
NO_PADDING = 1  # padding
MIXED_ABOVE_SPADES, MIXED_STRONGEST_SUIT = 1, 2  # mixed_tie
MUST_SHIFT, DECLINE_HIGH, DECLINE_LOW, DECLINE_NEUTRAL = 0, 1, 2, 3  # sum13_decline
ANY_AMOUNT, NO_AMOUNT = 1, 2  # sum13_amount
NEGATIVE = 1  # sum13_floor
NIL_ORIGINAL, NIL_BOTH = 1, 2  # nil_basis
ANY_DISCARD = 1  # unlock
RUFFS_ONLY, FACE_UP = 1, 2  # facedown
ALTERNATE = 1  # direction
PAGAT = 1  # redeal
SHARED = 1  # tie


class _Ranks(Option):
    """The option that lists the ranks in the deck; its code is a set of rank numbers."""

    def read(self, value: Any, num_players: int) -> Any:
        """The set of ranks in a list of names, or in their text."""
        if isinstance(value, str) and value == "all":
            return ALL_RANKS
        names = value.split(",") if isinstance(value, str) else value
        try:
            names = [str(name).strip().upper() for name in names]
        except TypeError:
            raise self.error(value) from None
        if not names or len(set(names)) < len(names) or any(name not in RANK_NAMES for name in names):
            raise self.error(value)
        return sum(1 << RANK_NAMES.index(name) for name in names)

    def show(self, code: Any) -> str:
        """The names of the ranks, lowest first."""
        names = [name for rank, name in enumerate(RANK_NAMES) if int(code) >> rank & 1]
        return "all" if len(names) == RANKS else ",".join(names)

    def allowed(self) -> str:
        """The allowed values in words."""
        return f"all, or different ones of {','.join(RANK_NAMES)}"


OPTIONS: tuple[Option, ...] = (
    integer("num_players", "R1", "number of seats", SEATS, SEATS),
    integer("num_suits", "R1", "how many suits are in the deck, the strongest of S, H, D, C", 1, 4),
    _Ranks("ranks", "R1", "the ranks in the deck"),
    integer("max_bid_cards", "R9", "most cards a seat may lay for its bid", 1, RANKS, hand=WHOLE_HAND),
    choice("ace_play", "R5", "where the ace stands in play", "high", "low"),
    choice("padding", "R14", "whether J, Q, K may be laid beside other cards", "allowed", "forbidden"),
    integer("bid_cap", "R13", "highest bid: none, or the hand size", 1, RANKS, none=0),
    choice("mixed_tie", "R19", "where a bid of several suits stands in a tie", "below_clubs", "above_spades",
           "strongest_card_suit"),
    choice("sum13_decline", "R24", "whether the top bidder may leave the bids, and how the hand then counts", "no",
           "high", "low", "neutral"),
    choice("sum13_amount", "R25", "by how much the top bidder shifts all bids", "1", "any", "0"),
    choice("sum13_floor", "R27", "whether a lowered bid stops at 0", "clamp", "negative"),
    choice("nil_basis", "R31", "which bid makes a nil", "final", "original", "both"),
    choice("unlock", "R35", "what unlocks truf", "truf_played", "any_discard"),
    choice("facedown", "R37", "which truf cards are played face down", "all_truf", "ruffs_only", "none"),
    choice("direction", "R3", "turn order of the hands", "clockwise", "alternate"),
    choice("redeal", "R4", "whether freak hands are dealt again", "none", "pagat"),
    integer("nil_bonus", "R46", "points for a nil that is made", -1000, 1000),
    integer("nil_fail", "R46", "points for a nil that fails, before the penalty for its sets", -1000, 1000),
    integer("target", "R49", "points that end the game", 1, MOST_POINTS),
    choice("tie", "R50", "what happens when the leaders tie at the target", "extra_hand", "shared"),
    integer("max_hands", "R51", "hands after which the game ends anyway", 1, 10_000),
)  # fmt: skip


class Rules(NamedTuple):
    """The options as the kernels see them: codes, in the order of `OPTIONS`, which documents them."""

    num_players: int = SEATS
    num_suits: int = 4
    ranks: int = ALL_RANKS
    max_bid_cards: int = WHOLE_HAND
    ace_play: int = 0
    padding: int = 0
    bid_cap: int = 0
    mixed_tie: int = 0
    sum13_decline: int = 0
    sum13_amount: int = 0
    sum13_floor: int = 0
    nil_basis: int = 0
    unlock: int = 0
    facedown: int = 0
    direction: int = 0
    redeal: int = 0
    nil_bonus: int = 10
    nil_fail: int = -10
    target: int = 100
    tie: int = 0
    max_hands: int = 200


def rank_numbers(rules: Rules) -> list[int]:
    """The ranks in the deck, lowest first."""
    return [rank for rank in range(RANKS) if rules.ranks >> rank & 1]


def hand_size(rules: Rules) -> int:
    """Cards a seat is dealt, which is also the number of tricks and the threshold for the sum of bids."""
    return rules.num_suits * len(rank_numbers(rules)) // SEATS


def check(rules: Rules) -> None:
    """Refuse options that do not fit together.

    Raises:
        InvalidRules: names the options and what is allowed.
    """
    ranks = rank_numbers(rules)
    cards, size = rules.num_suits * len(ranks), hand_size(rules)
    deck = f"num_suits={rules.num_suits} with ranks={OPTIONS[2].show(rules.ranks)}"
    if cards % SEATS:
        raise InvalidRules(
            f"num_suits={rules.num_suits} and {len(ranks)} ranks make {cards} cards: expected a multiple of 4"
        )
    if rules.max_bid_cards > size:
        raise InvalidRules(
            f"max_bid_cards={rules.max_bid_cards} and {deck} contradict each other: a hand has {size} cards [R9]"
        )
    if rules.bid_cap:
        if rules.bid_cap != size:
            raise InvalidRules(
                f"bid_cap={rules.bid_cap} and {deck} contradict each other: expected none or {size} [R13]"
            )
        largest = max(int(BID_VALUE[rank]) for rank in ranks)
        if largest > size:
            raise InvalidRules(f"bid_cap={size} and {deck} contradict each other: a card is worth {largest} [R13]")
    if rules.redeal == PAGAT:
        high = rules.num_suits * sum(rank >= RANK_NAMES.index("J") for rank in ranks)
        if size < 2 or high < SEATS or cards - high < SEATS:
            counts = f"{size} cards a hand, {cards - high} of 2-10 and {high} of A, K, Q, J"
            raise InvalidRules(
                f"redeal=pagat and {deck} contradict each other: expected at least 2, 4 and 4, got {counts} [R4]"
            )


def _standard(given: dict[str, Any]) -> dict[str, Any]:
    """The game as specified: nothing is changed."""
    return given


def _classic(given: dict[str, Any]) -> dict[str, Any]:
    """The older game, in which a bid is a single card."""
    return {"max_bid_cards": 1} | given


def _mini(given: dict[str, Any]) -> dict[str, Any]:
    """Eight cards and one hand, small enough to list every game."""
    return {"num_suits": 2, "ranks": ["2", "Q", "K", "A"], "max_hands": 1} | given


PRESETS = {
    "standard": Preset("the game as specified", _standard),
    "classic": Preset("a bid is a single card, as in the older game", _classic),
    "mini": Preset("2 suits x 4 ranks and one hand, small enough to list every game", _mini),
}
