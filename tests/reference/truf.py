"""Plain-Python Truf, written clause by clause from `rules/truf.md` and never from the kernels.

Cards and choices are numbers, as in section 3 of the rules:

    card        13 * suit + rank index; suits C 0, D 1, H 2, S 3; rank index 0..12 for 2, 3, ..., 10, J, Q, K, A
    bid phase   a card number lays that card; 52 = DONE
    shift       0..12 raise all bids by 1..13; 13..25 lower by 1..13; 26 decline; 27 HIGH, 28 LOW without shift
    play phase  a card number
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

CHANCE = -1
OVER = -4
SEATS = range(4)  # [R1], [R2]
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS_PER_SUIT = len(RANKS)
COURTS = ("J", "Q", "K")
DONE = 52
DECLINE, HIGH_UNSHIFTED, LOW_UNSHIFTED = 26, 27, 28
MAX_SHIFT = 13
HIGH, LOW, NEUTRAL = "HIGH", "LOW", "neutral"
RATES = {HIGH: (1, 2), LOW: (2, 1), NEUTRAL: (1, 1)}  # cost of an extra set, of a missing set [R44], [R45], [R47]
CLAUSE_OF_MODE = {HIGH: "R44 HIGH", LOW: "R45 LOW", NEUTRAL: "R47 neutral"}

Options = Mapping[str, Any]
Branches = Counter[str]

# fmt: off
ENUMS: dict[str, tuple[str, ...]] = {  # the default comes first
    "ace_play": ("high", "low"),
    "padding": ("allowed", "forbidden"),
    "mixed_tie": ("below_clubs", "above_spades", "strongest_card_suit"),
    "sum13_decline": ("no", "high", "low", "neutral"),
    "sum13_amount": ("1", "any", "0"),
    "sum13_floor": ("clamp", "negative"),
    "nil_basis": ("final", "original", "both"),
    "unlock": ("truf_played", "any_discard"),
    "facedown": ("all_truf", "ruffs_only", "none"),
    "direction": ("clockwise", "alternate"),
    "redeal": ("none", "pagat"),
    "tie": ("extra_hand", "shared"),
}
DEFAULTS: dict[str, Any] = {
    "num_suits": 4, "ranks": RANKS, "max_bid_cards": None,  # None: H
    "bid_cap": "none", "nil_bonus": 10, "nil_fail": -10, "target": 100, "max_hands": 200,
    **{key: texts[0] for key, texts in ENUMS.items()},
}
ALL_BRANCHES: tuple[str, ...] = (
    "R3 clockwise", "R3 counter-clockwise",
    "R4 freak hand stands", "R4 freak hand refused", "R4 pagat deal accepted",
    "R5 high ace wins", "R5 low ace loses", "R5 low ace wins alone",
    "R9 one card", "R9 several cards", "R9 limit reached", "R9 no higher card",
    "R13 bid above H", "R13 cap forbids",
    "R14 padded bid", "R14 forbidden beside a number", "R14 forbidden beside a court card",
    "R16 bid of zero", "R16 hand without J, Q, K",
    "R18 truf", "R18 no truf",
    "R19 step 1", "R19 step 2", "R19 step 3", "R19 step 4", "R19 step 5",
    "R19 mixed below clubs", "R19 mixed above spades", "R19 mixed as strongest suit",
    "R20 all bids zero",
    "R21 HIGH", "R21 LOW", "R23 sum is H",
    "R24 must shift", "R24 may decline", "R24 declined high", "R24 declined low", "R24 declined neutral",
    "R25 amount 1", "R25 amount any", "R25 amount 0", "R25 shifted by more than 1",
    "R25 HIGH without shift", "R25 LOW without shift",
    "R27 clamped", "R27 negative", "R28 up", "R28 down", "R29 shift ties the top bid",
    "R31 nil raised", "R31 nil lowered below 0", "R31 lowered to nil",
    "R31 final from 0", "R31 original from 0", "R31 both from 0",
    "R31 final to 0", "R31 original to 0", "R31 both to 0",
    "R31 plain 0 exact", "R31 negative bid",
    "R32 top bidder leads", "R32 winner leads",
    "R33 truf lead forbidden", "R33 no truf to forbid", "R34 only truf led",
    "R35 unlocked by ruff", "R35 unlocked by R34 lead", "R35 unlocked by discard", "R35 discard changes nothing",
    "R35 free lead", "R35 truf led once unlocked",
    "R36 follows", "R36 void", "R36 void ruffs", "R36 void does not ruff",
    "R37 face down led", "R37 face down followed", "R37 face down ruffed",
    "R37 ruffs_only led open", "R37 ruffs_only followed open", "R37 ruffs_only face down ruffed",
    "R37 none led open", "R37 none followed open", "R37 none ruffed open",
    "R39 turned up", "R39 several turned up",
    "R40 ruff wins", "R40 over-ruffed", "R40 truf led wins", "R40 led suit wins", "R40 discard cannot win",
    "R41 no truf", "R41 free lead",
    "R43 exact", "R44 HIGH over", "R44 HIGH under", "R45 LOW over", "R45 LOW under",
    "R47 neutral over", "R47 neutral under",
    "R46 nil made", "R46 nil failed HIGH", "R46 nil failed LOW", "R46 nil failed neutral",
    "R48 negative total",
    "R49 won", "R49 play on", "R50 extra hand", "R50 dropped below target", "R50 shared",
    "R51 capped", "R51 capped while tied at target", "R52 first place shared", "R52 lower place shared",
    "S4 void by not following", "S4 void by locked truf lead", "S4 exposed card played open",
    "S4 exposed card played face down",
)
# fmt: on


def note(branches: Branches | None, key: str) -> None:
    """Count that the branch was taken, if anybody counts. Modified in place."""
    if branches is not None:
        branches[key] += 1


def read(options: Options, key: str) -> Any:
    """The value of an option, or its default of section 5; numbers among the enums become their text."""
    value = options.get(key, DEFAULTS[key])
    return str(value) if key in ENUMS else value


def require(condition: bool, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def is_int(value: Any, low: int | None = None, high: int | None = None) -> bool:
    """Whether the value is a whole number from low to high."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return (low is None or value >= low) and (high is None or value <= high)


def check_options(options: Options) -> None:
    """Refuse options outside section 5 with a ValueError."""
    for key in options:
        require(key in DEFAULTS, f"unknown option {key!r}: expected one of {sorted(DEFAULTS)}")
    for key, texts in ENUMS.items():
        require(read(options, key) in texts, f"{key} must be one of {texts}")
    require(is_int(read(options, "num_suits"), 1, 4), "num_suits must be from 1 to 4")
    ranks = read(options, "ranks")
    require(isinstance(ranks, list | tuple) and len(ranks) > 0, "ranks must be a non-empty list")
    names = [str(rank) for rank in ranks]
    require(all(name in RANKS for name in names), f"ranks must be from {RANKS}")
    require(len(set(names)) == len(names), "ranks must be distinct")
    deck = deck_of(options)
    require(len(deck) % 4 == 0, "num_suits times the number of ranks must be divisible by 4")
    size = hand_size_of(options)
    require(is_int(max_bid_cards_of(options), 1, size), f"max_bid_cards must be from 1 to {size}")
    cap = read(options, "bid_cap")
    require(cap in ("none", "H") or is_int(cap, size, size), f"bid_cap must be none or {size}")
    require(cap == "none" or all(bid_value(card) <= size for card in deck), "a card of the deck is above bid_cap")
    for key in ("nil_bonus", "nil_fail"):
        require(is_int(read(options, key)), f"{key} must be an integer")
    for key in ("target", "max_hands"):
        require(is_int(read(options, key), 1), f"{key} must be an integer of at least 1")
    if read(options, "redeal") == "pagat":  # [R4]
        honours = [card for card in deck if is_honour(card)]
        enough = size >= 2 and len(honours) >= 4 and len(deck) - len(honours) >= 4
        require(enough, "redeal pagat needs hands of 2 cards, four cards of 2-10 and four of A, K, Q, J")


# ---------------------------------------------------------------------------------------- cards


def deck_of(options: Options) -> list[int]:
    """The card numbers of the configured deck, ascending: the strongest suits [section 5]."""
    ranks = [RANKS.index(str(rank)) for rank in read(options, "ranks")]
    return sorted(CARDS_PER_SUIT * suit + rank for suit in suits_of(options) for rank in ranks)


def suits_of(options: Options) -> list[int]:
    """The suits of the configured deck: the strongest ones in the order S, H, D, C [section 5]."""
    return [3, 2, 1, 0][: read(options, "num_suits")]


def hand_size_of(options: Options) -> int:
    """H: the cards per hand, the tricks, and the threshold for the sum of bids [section 5]."""
    return len(deck_of(options)) // 4


def max_bid_cards_of(options: Options) -> int:
    """The most cards a seat may lay [R9]."""
    limit = read(options, "max_bid_cards")
    return hand_size_of(options) if limit is None else limit


def suit_of(card: int) -> int:
    """The suit: C 0, D 1, H 2, S 3, which is also the order of R7."""
    return card // CARDS_PER_SUIT


def rank_name(card: int) -> str:
    """The rank as text, 2 to A."""
    return RANKS[card % CARDS_PER_SUIT]


def play_rank(card: int, options: Options) -> int:
    """The place of the card inside its suit in play: the ace highest or lowest [R5]."""
    if rank_name(card) == "A" and read(options, "ace_play") == "low":
        return -1
    return card % CARDS_PER_SUIT


def bid_value(card: int) -> int:
    """2..10 their number, A = 1, J = Q = K = 0 [R6]."""
    name = rank_name(card)
    if name in COURTS:
        return 0
    return 1 if name == "A" else int(name)


def is_court(card: int) -> bool:
    """Whether the card is a J, Q or K [R14]."""
    return rank_name(card) in COURTS


def is_honour(card: int) -> bool:
    """Whether the card is an A, K, Q or J [R4]."""
    return rank_name(card) in ("A", *COURTS)


def is_freak(hand: Iterable[int]) -> bool:
    """Whether the hand has only cards 2-10, or only A, K, Q, J [R4, pagat]."""
    kinds = {is_honour(card) for card in hand}
    return len(kinds) == 1


# ---------------------------------------------------------------------------------------- bidding


def bid_of(laid: Iterable[int]) -> int:
    """The bid: the sum of the bid values of the laid cards [R10]."""
    return sum(bid_value(card) for card in laid)


def legal_bid_cards(
    hand: Sequence[int], laid: Sequence[int], options: Options, branches: Branches | None = None
) -> list[int]:
    """The choices of a seat that has laid these cards: further cards, and DONE after the first [R9], [section 3]."""
    cards = sorted(card for card in hand if not laid or card > laid[-1])
    if laid and not cards:
        note(branches, "R9 no higher card")
    if cards and len(laid) == max_bid_cards_of(options):
        note(branches, "R9 limit reached")
        cards = []
    if read(options, "bid_cap") != "none":  # [R13]
        below = [card for card in cards if bid_of(laid) + bid_value(card) <= hand_size_of(options)]
        if below != cards:
            note(branches, "R13 cap forbids")
        cards = below
    if laid and read(options, "padding") == "forbidden":  # [R14]: a court card only as the single card of a bid
        allowed = [] if is_court(laid[0]) else [card for card in cards if not is_court(card)]
        if allowed != cards:
            beside = "a court card" if is_court(laid[0]) else "a number"
            note(branches, f"R14 forbidden beside {beside}")
        cards = allowed
    return [*cards, DONE] if laid else cards


def is_one_suit(laid: Iterable[int]) -> bool:
    """Whether all laid cards share one suit [R18]."""
    return len({suit_of(card) for card in laid}) == 1


def strongest_suit(laid: Iterable[int]) -> int:
    """The strongest suit contained in the bid, of a one-suit bid its suit [R19, step 4]."""
    return max(suit_of(card) for card in laid)


def ladder_strength(step: int, laid: Sequence[int], options: Options) -> int:
    """How the bid compares on this step of the ladder: more is better [R19]."""
    if step == 1:
        return bid_of(laid)
    if step == 2:
        return 1 if len(laid) == 1 else 0
    if step == 3 and not is_one_suit(laid):
        places = {"below_clubs": -1, "above_spades": 4, "strongest_card_suit": strongest_suit(laid)}
        return places[read(options, "mixed_tie")]
    if step in (3, 4):
        return strongest_suit(laid)
    return max(play_rank(card, options) for card in laid if suit_of(card) == strongest_suit(laid))


def top_bidder(laids: Sequence[Sequence[int]], options: Options, branches: Branches | None = None) -> tuple[int, int]:
    """The seat that wins the ladder, and the step that left it alone, 1 to 5 [R19]."""
    mixed_keys = {"below_clubs": "below clubs", "above_spades": "above spades"}
    contenders = list(SEATS)
    for step in (1, 2, 3, 4, 5):
        if step == 3 and len({is_one_suit(laids[seat]) for seat in contenders}) == 2:
            note(branches, f"R19 mixed {mixed_keys.get(read(options, 'mixed_tie'), 'as strongest suit')}")
        best = max(ladder_strength(step, laids[seat], options) for seat in contenders)
        contenders = [seat for seat in contenders if ladder_strength(step, laids[seat], options) == best]
        if len(contenders) == 1:
            note(branches, f"R19 step {step}")
            return contenders[0], step
    raise AssertionError("step 5 always decides: no card exists twice")


def truf_of(laid: Sequence[int]) -> int | None:
    """The suit of the top bidder's cards, None (NO TRUF) if they are mixed [R18]."""
    return suit_of(laid[0]) if is_one_suit(laid) else None


# ---------------------------------------------------------------------------------------- the sum of H


def legal_shifts(options: Options, branches: Branches | None = None) -> list[int]:
    """The choices of the top bidder when the bids add up to H [R24], [R25]."""
    amount = read(options, "sum13_amount")
    note(branches, f"R25 amount {amount}")
    most = {"1": 1, "any": hand_size_of(options), "0": 0}[amount]
    choices = list(range(most)) + list(range(MAX_SHIFT, MAX_SHIFT + most))
    if amount == "0":
        choices = [HIGH_UNSHIFTED, LOW_UNSHIFTED]
    may_decline = read(options, "sum13_decline") != "no"
    note(branches, "R24 may decline" if may_decline else "R24 must shift")
    return sorted([*choices, DECLINE]) if may_decline else choices


def shift_of(choice: int) -> int:
    """What the choice adds to every bid [section 3], [R26]."""
    if choice >= DECLINE:
        return 0
    return choice + 1 if choice < MAX_SHIFT else -(choice - MAX_SHIFT + 1)


def mode_of_shift(choice: int, options: Options) -> str:
    """The mode after the choice: up HIGH, down LOW, declining as agreed [R24], [R25], [R28]."""
    if choice == DECLINE:
        return {"high": HIGH, "low": LOW, "neutral": NEUTRAL}[read(options, "sum13_decline")]
    if choice in (HIGH_UNSHIFTED, LOW_UNSHIFTED):
        return HIGH if choice == HIGH_UNSHIFTED else LOW
    return HIGH if shift_of(choice) > 0 else LOW


def shifted_bids(bids: Sequence[int], shift: int, options: Options) -> list[int]:
    """Every bid plus the shift, below 0 becoming 0 unless negative bids are allowed [R26], [R27]."""
    moved = [bid + shift for bid in bids]
    return moved if read(options, "sum13_floor") == "negative" else [max(bid, 0) for bid in moved]


# ---------------------------------------------------------------------------------------- play


def legal_cards(
    hand: Sequence[int], led_suit: int | None, truf: int | None, unlocked: bool, branches: Branches | None = None
) -> list[int]:
    """The cards a seat may play, ascending; `led_suit` None means that it leads [R33]-[R36], [R41]."""
    cards = sorted(hand)
    if led_suit is not None:
        following = [card for card in cards if suit_of(card) == led_suit]
        note(branches, "R36 follows" if following else "R36 void")
        return following or cards
    if truf is None:
        note(branches, "R41 free lead")
        return cards
    if unlocked:
        note(branches, "R35 free lead")
        return cards
    others = [card for card in cards if suit_of(card) != truf]
    if not others:
        note(branches, "R34 only truf led")
        return cards
    note(branches, "R33 truf lead forbidden" if others != cards else "R33 no truf to forbid")
    return others


def is_face_down(card: int, led_suit: int | None, truf: int | None, options: Options) -> bool:
    """Whether the card is laid face down; `led_suit` None means that it is led [R37], [R38], [R41]."""
    if truf is None or suit_of(card) != truf:
        return False
    is_ruff = led_suit is not None and led_suit != truf
    return {"all_truf": True, "ruffs_only": is_ruff, "none": False}[read(options, "facedown")]


def trick_winner(plays: Sequence[int], truf: int | None, options: Options, branches: Branches | None = None) -> int:
    """The index of the winning card: the highest truf, else the highest card of the led suit [R40], [R41]."""
    led = suit_of(plays[0])
    trufs = [card for card in plays if truf is not None and suit_of(card) == truf]
    if truf is None:
        note(branches, "R41 no truf")
    elif not trufs:
        note(branches, "R40 led suit wins")
    else:
        note(branches, "R40 truf led wins" if led == truf else "R40 ruff wins")
        if led != truf and len(trufs) > 1:
            note(branches, "R40 over-ruffed")
    if any(suit_of(card) not in (led, truf) for card in plays):
        note(branches, "R40 discard cannot win")
    rivals = trufs or [card for card in plays if suit_of(card) == led]
    best = max(rivals, key=lambda card: play_rank(card, options))
    note_ace(rivals, best, options, branches)
    return plays.index(best)


def note_ace(rivals: Sequence[int], best: int, options: Options, branches: Branches | None) -> None:
    """Count what the ace did among the cards that could win [R5]."""
    if not any(rank_name(card) == "A" for card in rivals):
        return
    if read(options, "ace_play") == "high":
        note(branches, "R5 high ace wins")
    else:
        note(branches, "R5 low ace wins alone" if rank_name(best) == "A" else "R5 low ace loses")


# ---------------------------------------------------------------------------------------- scoring and end


def is_nil(final_bid: int, original_bid: int, options: Options) -> bool:
    """Whether the seat is scored by R46 [R31]."""
    zeros = {"final": [final_bid], "original": [original_bid], "both": [final_bid, original_bid]}
    return all(bid == 0 for bid in zeros[read(options, "nil_basis")])


def hand_score(
    final_bid: int, original_bid: int, sets: int, mode: str, options: Options, branches: Branches | None = None
) -> int:
    """The points of one seat for one hand [R43]-[R47]."""
    extra_cost, missing_cost = RATES[mode]
    if (original_bid == 0) != (final_bid == 0):
        moved = "from 0" if original_bid == 0 else "to 0"
        note(branches, f"R31 {read(options, 'nil_basis')} {moved}")
    if is_nil(final_bid, original_bid, options):
        if sets == 0:
            note(branches, "R46 nil made")
            return int(read(options, "nil_bonus"))
        note(branches, f"R46 nil failed {mode}")
        return int(read(options, "nil_fail")) - extra_cost * sets
    if final_bid < 0:
        note(branches, "R31 negative bid")
    if sets == final_bid:
        note(branches, "R43 exact" if final_bid > 0 else "R31 plain 0 exact")
        return final_bid
    if sets > final_bid:
        note(branches, f"{CLAUSE_OF_MODE[mode]} over")
        return -extra_cost * (sets - final_bid)
    note(branches, f"{CLAUSE_OF_MODE[mode]} under")
    return -missing_cost * (final_bid - sets)


def outcome(totals: Sequence[int], hand_number: int, options: Options, branches: Branches | None = None) -> str:
    """What follows a scored hand: won, shared, capped or play on [R49]-[R51]."""
    tied_at_target = False
    if max(totals) >= read(options, "target"):
        if list(totals).count(max(totals)) == 1:
            note(branches, "R49 won")
            return "won"
        if read(options, "tie") == "shared":
            note(branches, "R50 shared")
            return "shared"
        tied_at_target = True
    if hand_number >= read(options, "max_hands"):
        note(branches, "R51 capped while tied at target" if tied_at_target else "R51 capped")
        return "capped"
    note(branches, "R50 extra hand" if tied_at_target else "R49 play on")
    return "play on"


def places_of(totals: Sequence[int]) -> tuple[list[int], list[Fraction]]:
    """The place of each seat, 1 + the number of seats ahead, and its share of the win [R50]-[R52]."""
    places = [1 + sum(1 for other in totals if other > total) for total in totals]
    winners = places.count(1)
    return places, [Fraction(1, winners) if place == 1 else Fraction(0) for place in places]


class Reference:
    """One game of Truf in progress, mutated by `start_hand` and `apply`.

    Before the first hand `hand_number` is 0. Laid bid cards stay in `hands` [R15]. `leader` leads the current
    trick, after a hand the trick that would come next; it is None until the reveal. `bids` holds None for every
    seat until all have bid [R12]; `shift_sum` is S of every revealed hand [R21].

    Raises:
        ValueError: for options outside section 5 of the rules.
    """

    def __init__(self, **options: Any) -> None:
        check_options(options)
        self.options: dict[str, Any] = {**DEFAULTS, **options}
        self.branches: Branches = Counter()
        self.hand_size = hand_size_of(self.options)
        self.hand_number = 0
        self.hands: list[list[int]] = [[] for _ in SEATS]
        self.totals = [0 for _ in SEATS]
        self.hand_points: list[int] = []
        self.capped = False
        self._phase = "deal"
        self._clear_hand()

    def _clear_hand(self) -> None:
        """Forget everything of the last hand but the scores."""
        self.laid: list[list[int]] = [[] for _ in SEATS]
        self.bids: list[int | None] = [None for _ in SEATS]
        self.final_bids: list[int] | None = None
        self.top_bidder: int | None = None
        self.truf: int | None = None
        self.mode: str | None = None
        self.shift_sum: int | None = None
        self.sets = [0 for _ in SEATS]
        self.leader: int | None = None
        self.trick: list[tuple[int, int]] = []
        self.face_down: list[bool] = []
        self.unlocked = False
        self.voids: list[set[int]] = [set() for _ in SEATS]
        self.exposed: list[set[int]] = [set() for _ in SEATS]
        self.trick_winners: list[int] = []
        self._bids_done = 0

    def phase(self) -> str:
        """One of deal, bid, shift, play, over."""
        return self._phase

    def to_move(self) -> int:
        """The seat to act, CHANCE before a deal, OVER at the end."""
        if self._phase == "deal":
            return CHANCE
        if self._phase == "over":
            return OVER
        if self._phase == "bid":  # [section 3]: seats 0, 1, 2, 3 in turn, each finishing its bid
            return self._bids_done
        if self._phase == "shift":
            assert self.top_bidder is not None
            return self.top_bidder  # [R23]
        assert self.leader is not None
        return (self.leader + self._step() * len(self.trick)) % 4

    def _step(self) -> int:
        """1 for clockwise, -1 for counter-clockwise: even hands under `alternate` [R3]."""
        return -1 if self.options["direction"] == "alternate" and self.hand_number % 2 == 0 else 1

    def legal_actions(self) -> list[int]:
        """The choice numbers open to the seat to move, ascending; none at chance and at the end."""
        return self._legal_actions(None)

    def _legal_actions(self, branches: Branches | None) -> list[int]:
        """The legal actions, counting the branches that allow or forbid them if asked to."""
        if self._phase == "bid":
            seat = self.to_move()
            return legal_bid_cards(self.hands[seat], self.laid[seat], self.options, branches)
        if self._phase == "shift":
            return legal_shifts(self.options, branches)
        if self._phase == "play":
            return legal_cards(self.hands[self.to_move()], self.led_suit, self.truf, self.unlocked, branches)
        return []

    @property
    def led_suit(self) -> int | None:
        """The suit of the first card of the current trick, face down or not [R38]; None before the lead."""
        return suit_of(self.trick[0][1]) if self.trick else None

    def deck(self) -> list[int]:
        """The card numbers of the configured deck, ascending."""
        return deck_of(self.options)

    def places(self) -> tuple[list[int], list[Fraction]]:
        """The place and the share of the win of each seat, by the totals so far [R49]-[R52]."""
        return places_of(self.totals)

    def returns(self) -> list[int]:
        """The payoff of each seat: its total [R52]."""
        return list(self.totals)

    def start_hand(self, hands: list[list[int]]) -> None:
        """Deal the next hand [R1]; raises ValueError if the hands do not fit or are to be dealt again [R4]."""
        require(self._phase == "deal", f"no deal is due in phase {self._phase!r}")
        require(len(hands) == 4, "expected 4 hands")
        require(all(len(hand) == self.hand_size for hand in hands), f"expected {self.hand_size} cards in each hand")
        require(sorted(card for hand in hands for card in hand) == self.deck(), "the hands must be exactly the deck")
        has_freak = any(is_freak(hand) for hand in hands)
        if self.options["redeal"] == "pagat":
            note(self.branches, "R4 freak hand refused" if has_freak else "R4 pagat deal accepted")
            require(not has_freak, "a freak hand is dealt again under redeal pagat")
        elif has_freak:
            note(self.branches, "R4 freak hand stands")
        self._clear_hand()
        self.hand_number += 1
        self.hands = [sorted(hand) for hand in hands]
        self._phase = "bid"
        note(self.branches, "R3 clockwise" if self._step() == 1 else "R3 counter-clockwise")

    def apply(self, action: int) -> None:
        """Carry out the choice of the seat to move.

        Raises:
            ValueError: if the action is not legal [R53]; nothing has changed then.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"illegal action {action!r} for seat {self.to_move()}: expected one of {legal}")
        self._legal_actions(self.branches)
        {"bid": self._bid, "shift": self._shift, "play": self._play}[self._phase](action)

    def _bid(self, action: int) -> None:
        """Lay one more card, or finish the bid of this seat [R8]."""
        seat = self.to_move()
        if action != DONE:
            self.laid[seat].append(action)
            return
        self._note_bid(seat)
        self._bids_done += 1
        if self._bids_done == 4:
            self._reveal()

    def _note_bid(self, seat: int) -> None:
        """Count what kind of bid the seat has made."""
        laid = self.laid[seat]
        note(self.branches, "R9 one card" if len(laid) == 1 else "R9 several cards")
        if bid_of(laid) > self.hand_size:
            note(self.branches, "R13 bid above H")
        if len(laid) > 1 and any(is_court(card) for card in laid):
            note(self.branches, "R14 padded bid")
        if bid_of(laid) == 0:
            note(self.branches, "R16 bid of zero")
        if not any(is_court(card) for card in self.hands[seat]):
            note(self.branches, "R16 hand without J, Q, K")

    def _reveal(self) -> None:
        """Turn up all bids: the top bidder, truf and the mode follow [R8], [R17]-[R23], [R32]."""
        bids = [bid_of(laid) for laid in self.laid]
        self.bids = list(bids)
        self.exposed = [set(laid) for laid in self.laid]
        self.top_bidder, _ = top_bidder(self.laid, self.options, self.branches)
        self.truf = truf_of(self.laid[self.top_bidder])
        note(self.branches, "R18 no truf" if self.truf is None else "R18 truf")
        if not any(bids):
            note(self.branches, "R20 all bids zero")
        self.leader = self.top_bidder
        self.shift_sum = sum(bids)
        if self.shift_sum == self.hand_size:
            note(self.branches, "R23 sum is H")
            self._phase = "shift"
            return
        mode = HIGH if self.shift_sum > self.hand_size else LOW
        note(self.branches, f"R21 {mode}")
        self._settle(bids, mode)

    def _settle(self, final_bids: list[int], mode: str) -> None:
        """Fix the bids that count for scoring and begin the play [R30], [R31]."""
        self.final_bids = final_bids
        self.mode = mode
        self._phase = "play"

    def _shift(self, choice: int) -> None:
        """Move all bids as the top bidder chose [R23]-[R31]; truf and top bidder stay [R29]."""
        bids, shift = self._known_bids(), shift_of(choice)
        mode = mode_of_shift(choice, self.options)
        final = shifted_bids(bids, shift, self.options)
        self._note_shift(choice, bids, final)
        self._settle(final, mode)

    def _note_shift(self, choice: int, bids: list[int], final: list[int]) -> None:
        """Count what the shift did."""
        shift = shift_of(choice)
        if choice == DECLINE:
            note(self.branches, f"R24 declined {self.options['sum13_decline']}")
        elif shift == 0:
            note(self.branches, f"R25 {mode_of_shift(choice, self.options)} without shift")
        else:
            note(self.branches, "R28 up" if shift > 0 else "R28 down")
        if abs(shift) > 1:
            note(self.branches, "R25 shifted by more than 1")
        if final.count(max(final)) > 1 and bids.count(max(bids)) == 1:
            note(self.branches, "R29 shift ties the top bid")
        for old, new in zip(bids, final, strict=True):
            if new != old + shift:
                note(self.branches, "R27 clamped")
            if new < 0:
                note(self.branches, "R27 negative")
            if old == 0 and new != 0:
                note(self.branches, "R31 nil raised" if new > 0 else "R31 nil lowered below 0")
            if old > 0 and new == 0:
                note(self.branches, "R31 lowered to nil")

    def _play(self, card: int) -> None:
        """Put one card into the trick and take in the trick when it is complete [R32]-[R41]."""
        seat, led = self.to_move(), self.led_suit
        if led is None:
            note(self.branches, "R32 winner leads" if self.trick_winners else "R32 top bidder leads")
        self._prove_void(seat, card)
        self._unlock_by(card)
        hidden = is_face_down(card, led, self.truf, self.options)
        self._note_play(seat, card, hidden)
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        self.face_down.append(hidden)
        if not hidden:
            self.exposed[seat].discard(card)
        if len(self.trick) == 4:
            self._finish_trick()

    def _prove_void(self, seat: int, card: int) -> None:
        """Record what the play, judged before it is made, proves to everybody [section 4, points 1-2]."""
        led = self.led_suit
        if led is not None and suit_of(card) != led:
            note(self.branches, "S4 void by not following")
            self.voids[seat].add(led)
        if led is None and suit_of(card) == self.truf and not self.unlocked:
            note(self.branches, "S4 void by locked truf lead")
            self.voids[seat].update(suit for suit in suits_of(self.options) if suit != self.truf)

    def _unlock_by(self, card: int) -> None:
        """The first truf card played unlocks truf at once [R34], [R35]; in NO TRUF nothing does [R41]."""
        if suit_of(card) != self.truf:
            return
        if not self.unlocked:
            note(self.branches, "R35 unlocked by ruff" if self.trick else "R35 unlocked by R34 lead")
        elif not self.trick:
            note(self.branches, "R35 truf led once unlocked")
        self.unlocked = True

    def _note_play(self, seat: int, card: int, hidden: bool) -> None:
        """Count how truf was used or spared, and what becomes of an exposed card."""
        led, truf = self.led_suit, self.truf
        if card in self.exposed[seat]:
            note(self.branches, f"S4 exposed card played {'face down' if hidden else 'open'}")
        if truf is None:
            return
        if suit_of(card) != truf:
            if led not in (None, suit_of(card)) and any(suit_of(held) == truf for held in self.hands[seat]):
                note(self.branches, "R36 void does not ruff")
            return
        role = "led" if led is None else "followed" if led == truf else "ruffed"
        if role == "ruffed":
            note(self.branches, "R36 void ruffs")
        rule = self.options["facedown"]
        side = "face down " + role if hidden else role + " open"
        note(self.branches, f"R37 {side}" if rule == "all_truf" else f"R37 {rule} {side}")

    def _finish_trick(self) -> None:
        """Turn up the hidden cards and give the trick to its winner, who leads the next [R32], [R39], [R40]."""
        cards = [card for _, card in self.trick]
        if any(self.face_down):
            note(self.branches, "R39 turned up")
        if sum(self.face_down) > 1:
            note(self.branches, "R39 several turned up")
        for seat, card in self.trick:
            self.exposed[seat].discard(card)
        self._unlock_after(cards)
        winner, _ = self.trick[trick_winner(cards, self.truf, self.options, self.branches)]
        self.trick_winners.append(winner)
        self.sets[winner] += 1
        self.leader = winner
        self.trick = []
        self.face_down = []
        if not any(self.hands):
            self._finish_hand()

    def _unlock_after(self, cards: list[int]) -> None:
        """Under `any_discard` a trick with a card not of the led suit unlocks truf [R35]; never in NO TRUF [R41]."""
        if self.truf is None or self.unlocked or all(suit_of(card) == suit_of(cards[0]) for card in cards):
            return
        if self.options["unlock"] == "any_discard":
            note(self.branches, "R35 unlocked by discard")
            self.unlocked = True
        else:
            note(self.branches, "R35 discard changes nothing")

    def _finish_hand(self) -> None:
        """Score the hand and see whether the game ends [R42]-[R51]."""
        assert self.final_bids is not None
        assert self.mode is not None
        was_at_target = max(self.totals) >= self.options["target"]
        bids = self._known_bids()
        self.hand_points = [
            hand_score(self.final_bids[seat], bids[seat], self.sets[seat], self.mode, self.options, self.branches)
            for seat in SEATS
        ]
        for seat in SEATS:
            self.totals[seat] += self.hand_points[seat]
            if self.totals[seat] < 0:
                note(self.branches, "R48 negative total")
        if was_at_target and max(self.totals) < self.options["target"]:
            note(self.branches, "R50 dropped below target")
        verdict = outcome(self.totals, self.hand_number, self.options, self.branches)
        self.capped = verdict == "capped"
        self._phase = "deal" if verdict == "play on" else "over"
        if self._phase == "over":
            self._note_places()

    def _note_places(self) -> None:
        """Count shared places [R52]."""
        places, _ = self.places()
        if places.count(1) > 1:
            note(self.branches, "R52 first place shared")
        if any(places.count(place) > 1 for place in places if place > 1):
            note(self.branches, "R52 lower place shared")

    def _known_bids(self) -> list[int]:
        """The revealed bids of all seats."""
        return [bid for bid in self.bids if bid is not None]
