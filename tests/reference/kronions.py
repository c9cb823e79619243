"""Plain-Python Kronions, written clause by clause from `rules/kronions.md` and never from the kernels.

Cards and choices are numbers, as in section 3 of the rules:

    0..51    suited card 13 * suit + (rank - 1); suits 0 Chrono, 1 Nova, 2 Void, 3 Flux; ranks 1..13
    52..57   in hands, deals and flips: the physical paradox cards
    52, 53   as choices: one paradox card declared Future, declared Past
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

CHANCE = -1
OVER = -4
FUTURE = 52
PAST = 53
FIRST_PARADOX = 52
CARDS_PER_SUIT = 13
MAX_ROUNDS = 29

Options = Mapping[str, Any]
Branches = Counter[str]

# fmt: off
RANGES: dict[str, tuple[int, int]] = {  # [R1], [R2]
    "num_players": (2, 6), "num_suits": (1, 4), "num_ranks": (1, 13), "num_paradox": (0, 6),
}
ENUMS: dict[str, tuple[str, ...]] = {  # the default comes first
    "rotate_deal": ("left", "fixed"),
    "last_round_trump": ("none", "flip_if_possible"),
    "paradox_flip": ("no_trump", "redraw", "dealer_names"),
    "hook": ("on", "off"),
    "first_leader": ("dealer", "left"),
    "future_led": ("first_suited", "frees_trick"),
    "paradox_when_able_to_follow": ("always", "only_when_void"),
    "all_past": ("first", "last", "nobody"),
    "scoring": ("all_or_nothing", "tricks_plus_bonus"),
    "tie_zero_count": ("bids", "made"),
    "tie_final": ("shared", "seat_order"),
}
DEFAULTS: dict[str, Any] = {
    "num_players": 4, "num_suits": 4, "num_ranks": 13, "num_paradox": 6,
    "round_cap": "max", "round_sizes": "rising", "only_round": "none", "first_dealer": "random",
    "score_base": 10, **{key: texts[0] for key, texts in ENUMS.items()},
}
ALL_BRANCHES: tuple[str, ...] = (
    "R4 one of several paradox cards",
    "R6 cap max", "R6 cap number", "R6 cap table", "R7 round sizes list",
    "R7b only round", "R7b only round is the last",
    "R8 random dealer", "R8 chosen dealer", "R9 deal passes left", "R9 fixed dealer",
    "R13 suited flip", "R13 no card left",
    "R14 last round none", "R14 cards left in last round", "R14 flip if possible", "R14 flip impossible",
    "R16 no_trump", "R16 redraw", "R16 redraw several", "R16 redraw exhausted", "R16 dealer_names",
    "R19 free bid", "R20 hook forbids", "R20 hook off", "R21 hook forbids nothing",
    "R22 dealer leads", "R22 left leads", "R23 winner leads", "R24 leader plays anything",
    "R25 led suit by leader", "R25 led suit after paradox", "R25 led suit after future", "R25 frees trick",
    "R26 must follow suit", "R26 follow suit or paradox", "R26 paradox while able to follow",
    "R26 only when void forbids paradox",
    "R27 void plays anything", "R28 no led suit yet", "R30 declared Future", "R30 declared Past",
    "R31 paradox cards only",
    "R32 first future wins", "R32 several futures", "R33 trump wins", "R33 trump led wins",
    "R34 led suit wins", "R35 off-suit discarded never wins", "R36 future without trump",
    "R37 past with suited wins", "R38 all past first", "R38 all past last", "R38 all past nobody",
    "void proven by suited discard", "void proven by paradox", "paradox proves nothing",
    "freed trick proves nothing",
    "R39 exact", "R39 zero bid made", "R40 missed",
    "R41 tricks plus bonus exact", "R41 tricks plus bonus missed",
    "R43 higher total", "R44 tie by zero bids", "R44 tie by zero bids made",
    "R45 shared", "R45 seat order", "R46 lower place shared", "R47 all totals zero",
)
# fmt: on


def note(branches: Branches | None, key: str) -> None:
    """Count that the branch was taken, if anybody counts. Modified in place."""
    if branches is not None:
        branches[key] += 1


def read(options: Options, key: str) -> Any:
    """The value of an option, or its default of section 5."""
    return options.get(key, DEFAULTS[key])


def require(condition: bool, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def check_options(options: Options) -> None:
    """Refuse options outside section 5 with a ValueError."""
    for key in options:
        require(key in DEFAULTS, f"unknown option {key!r}: expected one of {sorted(DEFAULTS)}")
    for key, (low, high) in RANGES.items():
        require(read(options, key) in range(low, high + 1), f"{key} must be from {low} to {high}")
    for key, texts in ENUMS.items():
        require(read(options, key) in texts, f"{key} must be one of {texts}")
    players = read(options, "num_players")
    most = len(deck_of(options)) // players
    require(most >= 1, "the deck must have at least one card for each player")
    dealer = read(options, "first_dealer")
    require(dealer == "random" or dealer in range(players), "first_dealer must be random or a seat")
    require(read(options, "score_base") >= 0, "score_base must not be negative")
    sizes, only = read(options, "round_sizes"), read(options, "only_round")
    if sizes != "rising":
        require(1 <= len(sizes) <= MAX_ROUNDS, f"round_sizes must have from 1 to {MAX_ROUNDS} entries")
        require(all(1 <= size <= most for size in sizes), f"round_sizes must be from 1 to {most}")
        require(only == "none", "only_round needs the rising series")
        return
    cap = read(options, "round_cap")
    require(not isinstance(cap, dict) or players in cap, f"round_cap has no entry for {players} players")
    require(1 <= cap_of(options) <= most, f"round_cap must be from 1 to {most}")
    require(only == "none" or 1 <= only <= cap_of(options), "only_round must be from 1 to the cap")


def deck_of(options: Options) -> list[int]:
    """The physical cards of the configured deck, ascending [R2]."""
    deck = []
    for suit in range(read(options, "num_suits")):
        for rank in range(1, read(options, "num_ranks") + 1):
            deck.append(CARDS_PER_SUIT * suit + rank - 1)
    for copy in range(read(options, "num_paradox")):
        deck.append(FIRST_PARADOX + copy)
    return deck


def cap_of(options: Options) -> int:
    """The hand size of the last round of the rising series [R6]."""
    cap, players = read(options, "round_cap"), read(options, "num_players")
    if cap == "max":
        return len(deck_of(options)) // int(players)
    return int(cap[players] if isinstance(cap, dict) else cap)


def round_sizes_of(options: Options, branches: Branches | None = None) -> list[int]:
    """The hand sizes of all rounds of the game [R6], [R7], [R7b]."""
    if read(options, "round_sizes") != "rising":
        note(branches, "R7 round sizes list")
        return list(read(options, "round_sizes"))
    cap = read(options, "round_cap")
    kind = "max" if cap == "max" else "table" if isinstance(cap, dict) else "number"
    note(branches, f"R6 cap {kind}")
    if read(options, "only_round") != "none":
        note(branches, "R7b only round")
        return [read(options, "only_round")]
    return list(range(1, cap_of(options) + 1))


def is_paradox(card: int) -> bool:
    """Whether the physical card or choice is a paradox card."""
    return card >= FIRST_PARADOX


def suit_of(card: int) -> int | None:
    """The suit; a paradox card has none, even after its declaration [R31]."""
    return None if is_paradox(card) else card // CARDS_PER_SUIT


def rank_of(card: int) -> int:
    """The rank of a suited card, 13 high and 1 low [R3]."""
    return card % CARDS_PER_SUIT + 1


def legal_bids(
    hand_size: int, earlier_bids: Sequence[int], options: Options, branches: Branches | None = None
) -> list[int]:
    """The bids open to the next bidder: 0..h [R19], the last bidder under the hook [R20], [R21]."""
    bids = list(range(hand_size + 1))
    if len(earlier_bids) < read(options, "num_players") - 1:
        note(branches, "R19 free bid")
        return bids
    if read(options, "hook") == "off":
        note(branches, "R20 hook off")
        return bids
    forbidden = hand_size - sum(earlier_bids)
    if forbidden not in bids:
        note(branches, "R21 hook forbids nothing")
        return bids
    note(branches, "R20 hook forbids")
    bids.remove(forbidden)
    return bids


def is_freed(trick_actions: Sequence[int], options: Options) -> bool:
    """Whether a Future as first card other than a Past freed the trick [R25, frees_trick]."""
    others = [action for action in trick_actions if action != PAST]
    return read(options, "future_led") == "frees_trick" and others[:1] == [FUTURE]


def led_suit_of(trick_actions: Sequence[int], options: Options) -> int | None:
    """The suit of the first suited card of the trick, None if there is none or it is free [R25]."""
    if is_freed(trick_actions, options):
        return None
    for action in trick_actions:
        if not is_paradox(action):
            return suit_of(action)
    return None


def play_choices(hand: Sequence[int]) -> list[int]:
    """Every choice in hand, ascending: suited cards, and both declarations of any paradox card [R4]."""
    choices = sorted(card for card in hand if not is_paradox(card))
    if any(is_paradox(card) for card in hand):
        choices += [FUTURE, PAST]
    return choices


def legal_plays(
    hand: Sequence[int], trick_actions: Sequence[int], options: Options, branches: Branches | None = None
) -> list[int]:
    """The choices open to a seat with this hand after these plays of the trick, ascending [R24]-[R29]."""
    choices = play_choices(hand)
    if not trick_actions:
        note(branches, "R24 leader plays anything")
        return choices
    led = led_suit_of(trick_actions, options)
    if led is None:
        note(branches, "R25 frees trick" if is_freed(trick_actions, options) else "R28 no led suit yet")
        return choices
    following = [choice for choice in choices if suit_of(choice) == led]
    paradoxes = [choice for choice in choices if is_paradox(choice)]
    if not following:
        note(branches, "R27 void plays anything")
        if paradoxes == choices:
            note(branches, "R31 paradox cards only")
        return choices
    if not paradoxes:
        note(branches, "R26 must follow suit")
        return following
    if read(options, "paradox_when_able_to_follow") == "only_when_void":
        note(branches, "R26 only when void forbids paradox")
        return following
    note(branches, "R26 follow suit or paradox")
    return following + paradoxes


def trick_winner(
    plays: Sequence[int], trump: int | None, options: Options, branches: Branches | None = None
) -> int | None:
    """The index of the winning play, None if nobody takes the trick [R32]-[R38]."""
    if FUTURE in plays:
        note(branches, "R32 first future wins")
        if plays.count(FUTURE) > 1:
            note(branches, "R32 several futures")
        if trump is None:
            note(branches, "R36 future without trump")
        return plays.index(FUTURE)
    suited = [action for action in plays if action != PAST]
    if not suited:
        rule = read(options, "all_past")
        note(branches, f"R38 all past {rule}")
        return None if rule == "nobody" else 0 if rule == "first" else len(plays) - 1
    if len(suited) < len(plays):
        note(branches, "R37 past with suited wins")
    led = led_suit_of(plays, options)
    if any(suit_of(action) not in (trump, led) for action in suited):
        note(branches, "R35 off-suit discarded never wins")
    trumps = [action for action in suited if trump is not None and suit_of(action) == trump]
    if trumps:
        note(branches, "R33 trump led wins" if led == trump else "R33 trump wins")
        return plays.index(max(trumps, key=rank_of))
    note(branches, "R34 led suit wins")
    return plays.index(max((action for action in suited if suit_of(action) == led), key=rank_of))


def round_score(bid: int, tricks: int, options: Options, branches: Branches | None = None) -> int:
    """The points of one seat for one round [R39]-[R41]."""
    base: int = read(options, "score_base")
    if read(options, "scoring") == "tricks_plus_bonus":
        note(branches, "R41 tricks plus bonus exact" if tricks == bid else "R41 tricks plus bonus missed")
        return tricks + base if tricks == bid else tricks
    if tricks != bid:
        note(branches, "R40 missed")
        return 0
    note(branches, "R39 zero bid made" if bid == 0 else "R39 exact")
    return base + bid


def counts_as_zero(bid: int, tricks: int, options: Options) -> bool:
    """Whether the tie rule counts this bid: every bid of 0, or only those made [R44]."""
    return bid == 0 and (read(options, "tie_zero_count") == "bids" or tricks == 0)


def is_ahead(one: tuple[int, int, int], other: tuple[int, int, int], options: Options) -> str | None:
    """The rule by which one (total, zero bids, seat) is ahead of the other, None if it is not [R43]-[R45]."""
    if one[0] != other[0]:
        return "R43 higher total" if one[0] > other[0] else None
    if one[1] != other[1]:
        made = " made" if read(options, "tie_zero_count") == "made" else ""
        return "R44 tie by zero bids" + made if one[1] > other[1] else None
    return "R45 seat order" if read(options, "tie_final") == "seat_order" and one[2] < other[2] else None


def ladder(
    totals: Sequence[int], zero_counts: Sequence[int], options: Options, branches: Branches | None = None
) -> tuple[list[int], list[Fraction]]:
    """The place and the share of the win of each seat [R43]-[R47]; counts one branch a pair ahead."""
    standing = [(totals[seat], zero_counts[seat], seat) for seat in range(len(totals))]
    places = []
    for one in standing:
        rules = [rule for other in standing if (rule := is_ahead(other, one, options)) is not None]
        for rule in rules:
            note(branches, rule)
        places.append(1 + len(rules))
    winners = places.count(1)
    if winners > 1:
        note(branches, "R45 shared")
    if any(places.count(place) > 1 for place in places if place > 1):
        note(branches, "R46 lower place shared")
    if not any(totals):
        note(branches, "R47 all totals zero")
    return places, [Fraction(1, winners) if place == 1 else Fraction(0) for place in places]


class Reference:
    """One game of Kronions in progress, mutated by `start_round` and `apply`.

    Before the first round `round_number` and `hand_size` are 0 and `dealer` is None. `leader` leads the
    current trick, during the bidding the first trick, after a round the trick that would come next.

    Raises:
        ValueError: for options outside section 5 of the rules.
    """

    def __init__(self, **options: Any) -> None:
        check_options(options)
        self.options: dict[str, Any] = {**DEFAULTS, **options}
        self.branches: Branches = Counter()
        self.num_players: int = self.options["num_players"]
        self.dealer: int | None = None
        self.leader: int | None = None
        self.hand_size = 0
        self.round_number = 0
        self.stock: list[int] = []  # the hidden stock: neither dealt nor turned up [R17]
        self.hands: list[list[int]] = [[] for _ in range(self.num_players)]
        self.totals = [0] * self.num_players
        self.zero_counts = [0] * self.num_players
        self.round_points: list[int] = []
        self._clear_round()
        self._phase = "deal"
        round_sizes_of(self.options, self.branches)

    def _clear_round(self) -> None:
        """Forget everything of the last round but the scores [R10]."""
        self.trump: int | None = None
        self.flip: int | None = None
        self.turned_up: list[int] = []
        self.bids: list[int | None] = [None] * self.num_players
        self.tricks = [0] * self.num_players
        self.trick: list[tuple[int, int]] = []
        self.voids: list[set[int]] = [set() for _ in range(self.num_players)]
        self.trick_winners: list[int | None] = []

    def phase(self) -> str:
        """One of deal, name_trump, bid, play, over."""
        return self._phase

    def to_move(self) -> int:
        """The seat to act, CHANCE before a deal, OVER at the end."""
        if self._phase == "deal":
            return CHANCE
        if self._phase == "over":
            return OVER
        if self._phase == "name_trump":
            return self._dealer()
        if self._phase == "bid":  # [R18]: the dealer's left neighbour first, the dealer last
            return self._left_of(self._dealer() + len(self._known_bids()))
        assert self.leader is not None
        return (self.leader + len(self.trick)) % self.num_players  # [R23]

    def legal_actions(self) -> list[int]:
        """The choice numbers open to the seat to move, ascending; none at chance and at the end."""
        return self._legal_actions(None)

    @property
    def led_suit(self) -> int | None:
        """The suit to follow in the current trick, None if there is none [R25]."""
        return led_suit_of(self._trick_actions(), self.options)

    def deck(self) -> list[int]:
        """The physical cards of the configured deck, ascending [R2]."""
        return deck_of(self.options)

    def round_sizes(self) -> list[int]:
        """The hand sizes of all rounds of this game [R6], [R7], [R7b]."""
        return round_sizes_of(self.options)

    def places(self) -> tuple[list[int], list[Fraction]]:
        """The place and the share of the win of each seat, by the totals so far [R43]-[R47]."""
        return ladder(self.totals, self.zero_counts, self.options)

    def returns(self) -> list[int]:
        """The payoff of each seat: its total [R46]."""
        return list(self.totals)

    def start_round(self, first_dealer: int | None, hands: list[list[int]], stock: list[int]) -> None:
        """Deal the next round and turn up what is to be turned up.

        `first_dealer` is the drawn seat (first round under `first_dealer=random`) or None; `stock` holds the
        undealt cards in the order in which they would be turned up. Raises ValueError if they do not fit.
        """
        require(self._phase == "deal", f"no deal is due in phase {self._phase!r}")
        hand_size = self.round_sizes()[self.round_number]
        require(len(hands) == self.num_players, f"expected {self.num_players} hands")
        require(all(len(hand) == hand_size for hand in hands), f"expected {hand_size} cards in each hand")
        dealt = [card for hand in hands for card in hand]
        require(sorted(dealt + stock) == self.deck(), "hands and stock must be exactly the deck")
        self.dealer = self._next_dealer(first_dealer)
        self.round_number += 1
        self.hand_size = hand_size
        self.hands = [sorted(hand) for hand in hands]
        self.stock = list(stock)
        self._clear_round()
        self.leader = self._first_leader()
        self._phase = "bid"
        self._fix_trump()

    def _next_dealer(self, drawn: int | None) -> int:
        """The dealer of the round about to start [R8], [R9]."""
        chosen = self.options["first_dealer"]
        if self.dealer is None and chosen == "random":
            if drawn is None or drawn not in range(self.num_players):
                raise ValueError(f"first dealer {drawn!r} must be a seat: it is drawn in this round")
            note(self.branches, "R8 random dealer")
            return drawn
        require(drawn is None, f"first dealer {drawn!r} must be None: the dealer is not drawn here")
        if self.dealer is None:
            note(self.branches, "R8 chosen dealer")
            return int(chosen)
        if self.options["rotate_deal"] == "fixed":
            note(self.branches, "R9 fixed dealer")
            return self.dealer
        note(self.branches, "R9 deal passes left")
        return self._left_of(self.dealer)

    def _first_leader(self) -> int:
        """The seat that leads the first trick of the round [R22]."""
        if self.options["first_leader"] == "left":
            note(self.branches, "R22 left leads")
            return self._left_of(self._dealer())
        note(self.branches, "R22 dealer leads")
        return self._dealer()

    def _is_last_round(self) -> bool:
        """Whether this is the last round of the series, of which `only_round` may be one [R7], [R7b]."""
        if self.options["only_round"] != "none":
            return self.hand_size == cap_of(self.options)
        return self.round_number == len(self.round_sizes())

    def _fix_trump(self) -> None:
        """Turn up stock cards and fix trump, or ask the dealer for it [R13]-[R16]."""
        last = self._is_last_round()
        if last and self.options["only_round"] != "none":
            note(self.branches, "R7b only round is the last")
        if last and self.options["last_round_trump"] == "none":
            note(self.branches, "R14 last round none")
            if self.stock:
                note(self.branches, "R14 cards left in last round")
            return
        if not self.stock:
            note(self.branches, "R14 flip impossible" if last else "R13 no card left")
            return
        if last:
            note(self.branches, "R14 flip if possible")
        self._turn_up()
        if is_paradox(self.turned_up[-1]):
            self._paradox_flipped()
        else:
            note(self.branches, "R13 suited flip")
        self.flip = self.turned_up[-1]
        self.trump = suit_of(self.flip)

    def _turn_up(self) -> None:
        """Turn up the next card of the stock, out of play from now on [R13], [R15]."""
        self.turned_up.append(self.stock.pop(0))

    def _paradox_flipped(self) -> None:
        """A paradox card was turned up: no trump, draw again, or let the dealer name trump [R16]."""
        rule = self.options["paradox_flip"]
        note(self.branches, f"R16 {rule}")
        if rule == "dealer_names":
            self._phase = "name_trump"
        if rule != "redraw":
            return
        while self.stock and is_paradox(self.turned_up[-1]):
            self._turn_up()
        if is_paradox(self.turned_up[-1]):
            note(self.branches, "R16 redraw exhausted")
        elif len(self.turned_up) > 2:
            note(self.branches, "R16 redraw several")

    def apply(self, action: int) -> None:
        """Carry out the choice of the seat to move.

        Raises:
            ValueError: if the action is not legal [R48]; nothing has changed then.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"illegal action {action!r} for seat {self.to_move()}: expected one of {legal}")
        self._legal_actions(self.branches)
        if self._phase == "name_trump":
            self.trump = action
            self._phase = "bid"
        elif self._phase == "bid":
            self._bid(action)
        else:
            self._play(action)

    def _legal_actions(self, branches: Branches | None) -> list[int]:
        """The legal actions, counting the branches that allow or forbid them if asked to."""
        if self._phase == "name_trump":
            return list(range(self.options["num_suits"]))  # [R16]: "no trump" cannot be named
        if self._phase == "bid":
            return legal_bids(self.hand_size, self._known_bids(), self.options, branches)
        if self._phase == "play":
            return legal_plays(self.hands[self.to_move()], self._trick_actions(), self.options, branches)
        return []

    def _bid(self, bid: int) -> None:
        """Record the bid; the dealer's ends the bidding [R18], [R19]."""
        self.bids[self.to_move()] = bid
        if None not in self.bids:
            self._phase = "play"

    def _play(self, action: int) -> None:
        """Put one card into the trick and take in the trick when it is complete [R23], [R30]."""
        seat = self.to_move()
        self._prove_void(seat, action)
        self._remove_card(seat, action)
        led_before = self.led_suit
        self.trick.append((seat, action))
        if led_before is None and self.led_suit is not None:
            self._note_led_suit()
        if len(self.trick) == self.num_players:
            self._finish_trick()

    def _prove_void(self, seat: int, action: int) -> None:
        """Record what the play, judged before it is made, proves to everybody [section 4, points 1-3]."""
        led = self.led_suit
        if led is None:
            if is_freed(self._trick_actions(), self.options) and not is_paradox(action):
                note(self.branches, "freed trick proves nothing")
            return
        if not is_paradox(action):
            if suit_of(action) != led:
                note(self.branches, "void proven by suited discard")
                self.voids[seat].add(led)
            return
        if self.options["paradox_when_able_to_follow"] == "only_when_void":
            note(self.branches, "void proven by paradox")
            self.voids[seat].add(led)
            return
        note(self.branches, "paradox proves nothing")
        if any(suit_of(card) == led for card in self.hands[seat]):
            note(self.branches, "R26 paradox while able to follow")

    def _remove_card(self, seat: int, action: int) -> None:
        """Take the played card out of the hand: of several paradox cards the lowest [R4]."""
        if not is_paradox(action):
            self.hands[seat].remove(action)
            return
        note(self.branches, "R30 declared Future" if action == FUTURE else "R30 declared Past")
        paradoxes = [card for card in self.hands[seat] if is_paradox(card)]
        if len(paradoxes) > 1:
            note(self.branches, "R4 one of several paradox cards")
        self.hands[seat].remove(min(paradoxes))

    def _note_led_suit(self) -> None:
        """Count how the last play came to set the led suit [R25]."""
        earlier = self._trick_actions()[:-1]
        note(self.branches, "R25 led suit after paradox" if earlier else "R25 led suit by leader")
        if FUTURE in earlier:
            note(self.branches, "R25 led suit after future")

    def _finish_trick(self) -> None:
        """Give the trick to its winner, who leads the next one [R23], [R38]."""
        index = trick_winner(self._trick_actions(), self.trump, self.options, self.branches)
        winner = None if index is None else self.trick[index][0]
        self.trick_winners.append(winner)
        if winner is not None:  # otherwise its leader leads again
            note(self.branches, "R23 winner leads")
            self.tricks[winner] += 1
            self.leader = winner
        self.trick = []
        if not any(self.hands):
            self._finish_round()

    def _finish_round(self) -> None:
        """Score the round and end the game after the last one [R39]-[R44]."""
        self.round_points = []
        for seat, (bid, tricks) in enumerate(zip(self._known_bids(), self.tricks, strict=True)):
            self.round_points.append(round_score(bid, tricks, self.options, self.branches))
            self.totals[seat] += self.round_points[seat]
            self.zero_counts[seat] += int(counts_as_zero(bid, tricks, self.options))
        self._phase = "deal"
        if self.round_number == len(self.round_sizes()):
            self._phase = "over"
            ladder(self.totals, self.zero_counts, self.options, self.branches)

    def _dealer(self) -> int:
        """The dealer, once there is one."""
        assert self.dealer is not None
        return self.dealer

    def _left_of(self, seat: int) -> int:
        """The next seat clockwise [R5]."""
        return (seat + 1) % self.num_players

    def _trick_actions(self) -> list[int]:
        """The choices of the current trick in the order of play."""
        return [action for _, action in self.trick]

    def _known_bids(self) -> list[int]:
        """The bids made so far, in seat order: the hook needs only their number and sum [R20]."""
        return [bid for bid in self.bids if bid is not None]
