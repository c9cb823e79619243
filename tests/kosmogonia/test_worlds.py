"""Worlds are drawn uniformly from all that a seat can believe in, and each agrees with what the seat knows.

The worlds are listed by plain code: those of `recall` by the reference engine, those of hidden hands here, from the
cards, labels and places of section 4 of the rules. Neither shares a line with the sampler.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from math import comb, perm, prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2

from cardkit.jit import kernel
from cardkit.rng import new_rng
from cardkit.spec import InvalidText
from cardkit.verbs import CHANCE, OVER, apply, chance, determinise, hide, legal_mask, plan_worlds, to_move
from cardkit.worlds import new_worlds
from kosmogonia._checks import check_position
from kosmogonia.state import NONE, NOTHING, PHASES
from tests.kosmogonia.test_reference import Case, Table, equipment_in_record, mask_of, padded, sides_of
from tests.reference.kosmogonia import (
    END,
    ENUMS,
    PASS,
    could_lie,
    equip_worlds,
    is_champion,
    stack_of,
    team_has_god,
    worlds,
)
from tests.worlds import deals

Key = tuple[Any, ...]
World = dict[tuple[Any, ...], int | None]
MOST_WORLDS = 150  # of an information set
NUM_SETS = 90  # of each setting: 1,080 in all
MOST_LISTED = 3000  # of one under hidden hands, labels included
EACH = 25  # draws a world
SHARE = 0.04  # of the decisions of a game
ALPHA = 0.001 / 40  # some forty such tests are made here
DEFAULTS = {key: words[0] for key, words in ENUMS.items()} | {"key_limit": 99}
BACKS, HIDDEN = {"closed_shows_stack": "yes"}, {"hands_public": "hidden_after_gather"}
TACTICS = {"mode": "tactics"}
SETTINGS: dict[str, dict[str, Any]] = {
    "standard": {"variant": "standard", "num_players": 4},
    "variation3": {"variant": "variation", "num_players": 3},
    "variation2": {"variant": "variation", "num_players": 2},
    "tournament": {"variant": "tournament", "num_players": 2, "tourn_discard": "may_hold_one"},
}
ALL = {
    f"{name}{words}": options | more
    for name, options in SETTINGS.items()
    for words, more in (("", {}), (" backs", BACKS), (" tactics", TACTICS))
}
FIELDS = ("hands", "lineups", "closed", "olympus", "equipped", "card", "since")


# Information sets


class Game(Table):
    """A game on the compiled and on the reference engine, whose differences other tests look for."""

    def check(self) -> dict[str, Any]:
        """Only note what the reference engine forgets."""
        self._remember()
        return {}

    def _finish_step(self) -> None:
        self._remember()

    def play(self, action: int) -> None:
        """Carry out a legal action on both engines."""
        self.reference.apply(action)
        apply(self.rules, self.state, action)
        self._remember()


class InfoSet(NamedTuple):
    """What a seat knows at a moment of a game, and how often each world should be drawn, by its fields in a record."""

    game: Game
    seat: int
    worlds: Counter[Key]


def games(options: dict[str, Any], first: int) -> Iterator[Game]:
    """Games of random players at each decision, who use what they can.

    On even boards all deploy what they have and lay most cards closed. On odd boards one seat keeps its hand and lays
    all cards closed, the others lay theirs open.
    """
    for board in itertools.count(first):
        game = Game(Case(DEFAULTS | options, 0, board, "random"))
        choices = random.Random(board)
        keeper = board // 2 % len(game.reference.seats) if board % 2 else NONE
        while (seat := to_move(game.rules, game.state)) != OVER:
            if seat == CHANCE:
                game.draw()
                continue
            yield game
            legal = game.reference.legal_actions()
            if game.reference.phase().endswith("orient"):
                is_closed = choices.random() < 0.8 if keeper == NONE else seat == keeper
                game.play(legal[-1] if is_closed else legal[0])
            elif seat == keeper and END in legal:
                game.play(END)
            else:
                game.play(choices.choice([action for action in legal if action not in (PASS, END)] or legal))


def info_sets(options: dict[str, Any], number: int, first: int = 0, wanted: str = "") -> Iterator[InfoSet]:
    """So many information sets with at least two worlds, few enough to be listed, in which something wanted occurs."""
    list_worlds = hidden_worlds if options.get("hands_public") else recall_worlds
    choices = random.Random(first)
    for game in games(options, first):
        if choices.random() > SHARE:
            continue
        for seat in game.seats:
            if wanted and wanted not in what_occurs(game, seat):
                continue
            found = list_worlds(game, seat)
            if len(found) > 1:
                yield InfoSet(game, seat, found)
                number -= 1
            if number == 0:
                return


# Worlds in plain Python


def key_of(game: Game, world: World, hands: dict[int, set[int]], since: dict[int, int]) -> Key:
    """The fields of a record that is this world; `hands` have the closed cards as well, `since` is what changes."""
    reference = game.reference
    lineups = [mask_of(side.numbers()) for side in sides_of(reference)]
    closed = mask_of(card for side in sides_of(reference) for card, is_open in side.cards if not is_open)
    olympus = [padded((card for card, _ in team), NONE, 3) for team in reference.olympus]
    equipped = [equipment_in_record(given) for given in reference.equipped]
    held = {seat: set(cards) for seat, cards in hands.items()}
    waiting = int(game.state.card)
    for seat in hands:
        old = set(reference.closed_places(seat).values())
        lineups = [
            lineup & ~mask_of(old) if side.owner == seat else lineup
            for lineup, side in zip(lineups, sides_of(reference), strict=True)
        ]
        closed &= ~mask_of(old)
    for (seat, kind, *place), card in world.items():
        if kind == "equip":
            equipped[seat][place[0]] = NOTHING if card is None else card
            continue
        assert card is not None
        if kind == "pending":
            waiting = card
            continue
        held[seat].remove(card)
        if kind == "olympus":
            olympus[seat][place[0]] = card
        else:
            lineups[2 * place[0] + place[1]] |= 1 << card
            closed |= 1 << card
    all_hands = [mask_of(held[seat] if seat in held else own_hand(game, seat)) for seat in game.seats]
    moments = [since.get(card, int(moment)) for card, moment in enumerate(game.state.since)]
    return (
        *padded(all_hands, 0),
        *padded(lineups, 0, 8),
        closed,
        *itertools.chain(*padded(olympus, [NONE] * 3)),
        *itertools.chain(*padded(equipped, [NONE] * 3)),
        waiting,
        *moments,
    )


def own_hand(game: Game, seat: int) -> set[int]:
    """The cards that a seat holds, those it has just drafted included."""
    return game.reference.hands[seat] | game.reference.new_cards[seat]


def pool_and_hand(game: Game, seat: int) -> set[int]:
    """Everything of a seat that does not lie face up."""
    return own_hand(game, seat) | set(game.reference.closed_places(seat).values())


def recall_worlds(game: Game, observer: int) -> Counter[Key]:
    """The worlds of the reference engine, each once; none where they are many."""
    reference, bound = game.reference, 1
    others = [seat for seat in game.seats if seat != observer]
    for seat in others:
        bound *= perm(len(reference.pool(seat)), len(reference.closed_places(seat)))
        if not reference.equipment_shown:
            bound *= (len(reference.vaults[seat]) + 1) ** len(reference.equipped[seat])
    if bound > 20 * MOST_WORLDS:
        return Counter()
    hands = {seat: pool_and_hand(game, seat) for seat in others}
    found = worlds(reference, observer)
    return Counter(key_of(game, world, hands, {}) for world in found) if len(found) <= MOST_WORLDS else Counter()


# Worlds of hidden hands in plain Python


class Hidden(NamedTuple):
    """What is known of another seat under hidden hands.

    Attributes:
        named: its cards that are known: stolen, or taken in the draft that goes on.
        counts: how many others of each stack it has.
        gatherings: the round of each card of a stack that it has gathered, in order.
        kept: of each past round, how many of each stack it had unseen at its end.
    """

    named: set[int]
    counts: list[int]
    gatherings: list[int]
    kept: dict[int, list[int]]


def what_is_known(game: Game, seat: int) -> Hidden:
    """What others know of a seat."""
    reference = game.reference
    everything = pool_and_hand(game, seat)
    named = (reference.stolen[seat] & reference.pool(seat)) | reference.new_cards[seat]
    counts = [sum(stack_of(card) == stack for card in everything - named) for stack in range(1, 6)]
    a_gathering = 3 if reference.variant == "tournament" else 1
    a_round = a_gathering * (2 if reference.variant == "variation" else 1)
    number = (60 - sum(map(len, reference.stacks))) // 5 // len(game.seats)
    number -= a_gathering if reference.phase() == "draft" else 0
    kept = {past: seats[seat] for past, seats in game.kept.items()}
    return Hidden(named, counts, [i // a_round for i in range(number)], kept)


def labellings(known: Hidden, cards: list[int]) -> Iterator[dict[int, int]]:
    """All ways in which some champions can have been gathered: the round of each, none of more than there were."""
    by_stack = []
    for stack in range(1, 5):
        own = [card for card in cards if stack_of(card) == stack]
        ways = []
        for slots in itertools.permutations(range(len(known.gatherings)), len(own)):
            rounds = [known.gatherings[slot] for slot in slots]
            if all(sum(r <= past for r in rounds) <= kept[stack - 1] for past, kept in known.kept.items()):
                ways.append(dict(zip(own, rounds, strict=True)))
        by_stack.append(ways)
    for ways in itertools.product(*by_stack):
        yield {card: number for way in ways for card, number in way.items()}


def ways_of_seat(game: Game, seat: int, known: Hidden, dealt: set[int]) -> list[tuple[World, dict[int, int]]]:
    """All labels and closed cards of a seat that was dealt some unseen cards [section 4, points 1 to 3]."""
    reference = game.reference
    places = reference.closed_places(seat)
    champions = sorted(card for card in dealt if is_champion(card))
    pool = champions + sorted(card for card in known.named if is_champion(card))
    found = []
    for rounds in labellings(known, champions):
        for cards in itertools.permutations(pool, len(places)):
            lying = dict(zip(places, cards, strict=True))
            fits = all(
                fits_hidden(game, seat, rounds, card, truth) for card, truth in zip(cards, places.values(), strict=True)
            )
            if fits and team_has_god(reference, seat, lying):
                since = {card: 1 + 2 * number for card, number in rounds.items()}
                world: World = {(seat, *place): card for place, card in lying.items()}
                found += [(world | gear, since) for gear in equip_worlds(reference, seat)]
    return found


def fits_hidden(game: Game, seat: int, rounds: dict[int, int], card: int, truth: int) -> bool:
    """Whether a card that came in a round, or was stolen, can lie where `truth` lies."""
    reference = game.reference
    if card in reference.new_cards[seat]:
        return False
    if card not in rounds:
        return could_lie(reference, seat, card, truth)
    is_pending = reference.pending is not None and reference.pending[1] == truth
    placed = game.round_of_moment[reference.clock if is_pending else reference.placed_at[truth]]
    shows_stack = reference.options["closed_shows_stack"] == "yes" and not is_pending
    return rounds[card] <= placed and (not shows_stack or stack_of(card) == stack_of(truth))


def hidden_worlds(game: Game, observer: int) -> Counter[Key]:
    """All deals, labels and places under hidden hands, reinforcement cards left as they are; none where many.

    Records that differ only in which gathering of a round a card came are one key, that is drawn more often.
    """
    reference = game.reference
    others = [seat for seat in game.seats if seat != observer]
    known = {seat: what_is_known(game, seat) for seat in others}
    if bound_of_hidden(game, known) > MOST_LISTED:
        return Counter()
    by_stack = []
    for stack in range(4):
        free = list(reference.stacks[stack])
        for seat in others:
            unseen = pool_and_hand(game, seat) - known[seat].named
            free += [card for card in unseen if stack_of(card) == stack + 1]
        by_stack.append(list(deals(tuple(sorted(free)), [known[seat].counts[stack] for seat in others])))
    found: Counter[Key] = Counter()
    for dealt in itertools.product(*by_stack):
        hands = {seat: set(known[seat].named) for seat in others}
        ways = []
        for number, seat in enumerate(others):
            unseen = set().union(*(stack[number] for stack in dealt))
            hands[seat] |= unseen | {card for card in pool_and_hand(game, seat) if not is_champion(card)}
            ways.append(ways_of_seat(game, seat, known[seat], unseen))
        base = {card: 0 for card in range(48) if not is_since_known(game, observer, known, card)}
        for parts in itertools.product(*ways):
            world = {place: card for part, _ in parts for place, card in part.items()}
            since = base | {card: moment for _, labels in parts for card, moment in labels.items()}
            found[key_of(game, world, hands, since)] += 1
    return found if len(found) > 1 else Counter()


def is_since_known(game: Game, observer: int, known: dict[int, Hidden], card: int) -> bool:
    """Whether a view says when a champion was gathered: one's own that are not shown, and those that are named."""
    reference = game.reference
    own = pool_and_hand(game, observer) | {card for card, _ in reference.olympus[observer]}
    return card in own or any(card in facts.named for facts in known.values())


def bound_of_hidden(game: Game, known: dict[int, Hidden]) -> int:
    """At most how many worlds there are, labels included."""
    bound = 1
    for stack in range(4):
        free = len(game.reference.stacks[stack]) + sum(facts.counts[stack] for facts in known.values())
        for facts in known.values():
            bound *= comb(free, facts.counts[stack]) * perm(len(facts.gatherings), facts.counts[stack])
            free -= facts.counts[stack]
    places = {seat: len(game.reference.closed_places(seat)) for seat in known}
    bound *= prod(len(equip_worlds(game.reference, seat)) for seat in known)
    return bound * prod(perm(len(game.reference.pool(seat)), number) for seat, number in places.items())


# Drawing


Sampler = Callable[[InfoSet, int], Counter[Key]]


@kernel
def draw_worlds(rules, view, seat, worlds, rng, found, again):  # type: ignore[no-untyped-def]
    """Fill a view with worlds, and hide them again. Modified in place: `worlds`, `rng`, `found`, `again`."""
    plan_worlds(rules, view[0], seat, worlds)
    for i in range(found.size):
        found[i] = view[0]
        determinise(rules, found[i], seat, worlds, rng)
        again[i] = found[i]
        hide(rules, again[i], seat)


WORLDS = new_worlds()


def bytes_of(records: Any, fields: tuple[str, ...]) -> np.ndarray:
    """Some fields of records as bytes, a row a record."""
    parts = [np.ascontiguousarray(np.asarray(records[field])).reshape(len(records), -1) for field in fields]
    return np.concatenate([part.view(np.uint8) for part in parts], axis=1)


def drawn(info: InfoSet, number: int, seed: int, fields: tuple[str, ...] = FIELDS) -> Counter[Key]:
    """How often the sampler draws each world; all of them look to the seat as the game does."""
    game, seat = info.game, info.seat
    found, again, view = (game.game.new_records(size) for size in (number, number, 1))
    view[0] = game.state
    hide(game.rules, view[0], seat)
    draw_worlds(game.rules, view, seat, WORLDS, new_rng(seed), found, again)
    shown, names = bytes_of(view, view.dtype.names), view.dtype.names
    assert (bytes_of(again, names) == shown).all(), f"seat {seat} at {game.fields()}"
    check_position(game.rules, found[0], None)
    rows = np.ascontiguousarray(bytes_of(found, fields))
    _, first, counts = np.unique(rows.view(f"V{rows.shape[1]}"), return_index=True, return_counts=True)
    return Counter({record_key(found[i], fields): int(n) for i, n in zip(first, counts, strict=True)})


def record_key(record: Any, fields: tuple[str, ...]) -> Key:
    """Some fields of a record as plain numbers."""
    return tuple(int(number) for field in fields for number in np.ravel(np.asarray(record[field])))


class Verdict:
    """Chi-square statistics of many information sets: pooled, and the smallest p-value after Holm's correction."""

    def __init__(self) -> None:
        self.statistic, self.freedom, self.number = 0.0, 0, 0
        self.p_values: list[float] = []
        self.missing = 0

    def add(self, expected: Counter[Key], observed: Counter[Key]) -> None:
        """Compare the draws of one information set with its worlds."""
        assert not set(observed) - set(expected), "a world that the rules exclude"
        total, draws = expected.total(), observed.total()
        statistic = sum((observed[key] - draws * n / total) ** 2 / (draws * n / total) for key, n in expected.items())
        self.statistic += statistic
        self.freedom += len(expected) - 1
        self.p_values.append(float(chi2.sf(statistic, len(expected) - 1)))
        self.missing += len(set(expected) - set(observed))

    def p_value(self) -> float:
        """The smaller of the pooled and of the smallest corrected one, times two."""
        pooled = float(chi2.sf(self.statistic, self.freedom))
        return min(1.0, 2 * min(pooled, len(self.p_values) * min(self.p_values)))

    def __str__(self) -> str:
        return f"{len(self.p_values)} sets, {self.freedom} degrees of freedom, p {self.p_value():.4f}, {self.missing=}"


def draw(info: InfoSet, seed: int) -> Counter[Key]:
    """Draws of the sampler, so many for each world."""
    observed = drawn(info, EACH * info.worlds.total(), seed)
    is_forgotten = info.game.reference.options["hands_public"] == "hidden_after_gather"
    return without_reinforcements(observed, info) if is_forgotten else observed


def judge(
    options: dict[str, Any], number: int, first: int = 0, sampler: Sampler = draw, wanted: str = ""
) -> tuple[Verdict, Counter[str]]:
    """Compare a sampler with the listed worlds of so many information sets; counts what occurred in them."""
    verdict, count = Verdict(), Counter[str]()
    for i, info in enumerate(info_sets(options, number, first, wanted)):
        verdict.add(info.worlds, sampler(info, first + i))
        count.update(what_occurs(info.game, info.seat))
    return verdict, count


def without_reinforcements(observed: Counter[Key], info: InfoSet) -> Counter[Key]:
    """The draws with the reinforcement cards that the seats really hold, as the listed worlds have them."""
    champions = (1 << 48) - 1
    truth = [int(hand) & ~champions for hand in info.game.state.hands]
    result: Counter[Key] = Counter()
    for key, number in observed.items():
        hands = [(hand & champions) | held for hand, held in zip(key[:4], truth, strict=True)]
        result[(*hands, *key[4:])] += number
    return result


def what_occurs(game: Game, observer: int) -> Iterator[str]:
    """What makes an information set special."""
    reference = game.reference
    yield reference.phase()
    for seat in game.seats:
        if seat == observer:
            continue
        places = reference.closed_places(seat)
        moments = {game.round_of_moment[reference.placed_at[c]] for p, c in places.items() if p != ("pending",)}
        if len(moments) > 1:
            yield "two rounds"
        if reference.stolen[seat] & reference.pool(seat):
            yield "stolen"
        team = reference.olympus[seat]
        known = what_is_known(game, seat)
        if any(is_bound(known, stack) for stack in range(4)):
            yield "kept few"
        if len(team) == 3 and any(not o for _, o in team) and not any(o and stack_of(c) == 1 for c, o in team):
            yield "needs a god"


def is_bound(known: Hidden, stack: int) -> bool:
    """Whether what a seat had unseen by the end of a past round excludes some labels of a stack."""
    return any(
        kept[stack] < min(known.counts[stack], sum(r <= past for r in known.gatherings))
        for past, kept in known.kept.items()
    )


# Samplers


def fill(info: InfoSet, seat: int, choices: random.Random, is_newest_first: bool, is_mended: bool) -> World:
    """Cards for the closed places of a seat, one place after the other; right if it starts at the oldest, and again."""
    reference = info.game.reference
    places = reference.closed_places(seat)
    moments = {place: reference.placed_at.get(truth, 0) for place, truth in places.items()}
    order = sorted(places, key=lambda place: (place == ("pending",), moments[place]), reverse=is_newest_first)
    while True:
        lying: World = {}
        for place in order:
            left = sorted(reference.pool(seat) - set(lying.values()))
            fitting = [card for card in left if could_lie(reference, seat, card, places[place])]
            if not fitting:
                break
            lying[place] = choices.choice(fitting)
        if len(lying) < len(places):
            continue
        if is_mended and not team_has_god(reference, seat, lying):
            mend(info, seat, choices, lying)
        if team_has_god(reference, seat, lying):
            return {(seat, *place): card for place, card in lying.items()}


def mend(info: InfoSet, seat: int, choices: random.Random, lying: World) -> None:
    """Put a god that is free into a place on Olympus, if one fits there. Modified in place: `lying`."""
    reference = info.game.reference
    places = reference.closed_places(seat)
    gods = [card for card in sorted(reference.pool(seat) - set(lying.values())) if stack_of(card) == 1]
    sent = [place for place in places if place[0] in ("olympus", "pending")]
    ways = [(place, god) for place in sent for god in gods if could_lie(reference, seat, god, places[place])]
    if ways:
        place, god = choices.choice(ways)
        lying[place] = god


def by_hand(is_newest_first: bool = False, is_mended: bool = False) -> Sampler:
    """A sampler in plain Python that fills place after place."""

    def sample(info: InfoSet, seed: int) -> Counter[Key]:
        choices, game = random.Random(seed), info.game
        others = [seat for seat in game.seats if seat != info.seat]
        hands = {seat: pool_and_hand(game, seat) for seat in others}
        observed: Counter[Key] = Counter()
        for _ in range(EACH * info.worlds.total()):
            world: World = {}
            for seat in others:
                world |= fill(info, seat, choices, is_newest_first, is_mended)
                world |= choices.choice(equip_worlds(game.reference, seat))
            observed[key_of(game, world, hands, {})] += 1
        return observed

    return sample


def labels_first(info: InfoSet, seed: int) -> Counter[Key]:
    """A wrong sampler of hidden hands: hands and labels alike, whatever they leave for the places."""
    groups: dict[Key, list[Key]] = {}
    for key in info.worlds:
        groups.setdefault((*all_held(key), *key[-48:]), []).append(key)
    choices = random.Random(seed)
    labelled = list(groups.values())
    weights = [sum(info.worlds[key] for key in keys) / len(keys) for keys in labelled]
    drawn_groups = choices.choices(labelled, weights, k=EACH * info.worlds.total())
    return Counter(choices.choice(keys) for keys in drawn_groups)


def all_held(key: Key) -> Iterator[int]:
    """What each seat holds or has sent, wherever it lies."""
    olympus = key[13:25]
    for seat in range(4):
        yield key[seat] | mask_of({card for card in olympus[3 * seat : 3 * seat + 3] if card != NONE})
    yield sum(key[4:12])


# Tests


@pytest.mark.parametrize("name", ALL)
def test_worlds_are_uniform_and_agree_with_what_is_known(name: str) -> None:
    verdict, count = judge(ALL[name], NUM_SETS)
    assert verdict.missing == 0
    assert verdict.p_value() > ALPHA, f"{name}: {verdict}"
    assert count["equip"] > 0
    assert min(count["challenge_orient"], count["deploy_card"], count["deploy_place"], count["deploy_orient"]) > 0
    assert min(count["stolen"], count["needs a god"]) > 0
    assert count["two rounds"] > 0 or "standard" not in name


@pytest.mark.parametrize("name", ALL)
def test_worlds_of_hidden_hands_are_uniform_and_agree_with_what_is_known(name: str) -> None:
    for wanted in ("",) if "tournament" in name else ("", "kept few"):
        verdict, _ = judge(ALL[name] | HIDDEN, 6, wanted=wanted)
        assert verdict.missing == 0
        assert verdict.p_value() > ALPHA, f"{name}: {verdict}"


@pytest.mark.slow
@pytest.mark.parametrize("hands", ["recall", "hidden_after_gather"])
@pytest.mark.parametrize("name", ALL)
def test_worlds_of_many_more_information_sets_are_uniform(name: str, hands: str) -> None:
    options = ALL[name] | (HIDDEN if hands == "hidden_after_gather" else {})
    verdict, _ = judge(options, 60 if "hands_public" in options else 800, first=5000)
    assert verdict.missing == 0
    assert verdict.p_value() > ALPHA, f"{name}: {verdict}"


WRONG = {
    "newest place first": ("standard", "two rounds", by_hand(is_newest_first=True)),
    "a god put in": ("tournament", "needs a god", by_hand(is_mended=True)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_sampler_is_noticed(what: str) -> None:
    name, wanted, sampler = WRONG[what]
    assert judge(ALL[name], 20, sampler=by_hand(), wanted=wanted)[0].p_value() > ALPHA
    assert judge(ALL[name], 20, wanted=wanted)[0].p_value() > ALPHA
    assert judge(ALL[name], 20, sampler=sampler, wanted=wanted)[0].p_value() < 1e-9


def test_a_wrong_sampler_of_hidden_hands_is_noticed() -> None:
    options = ALL["standard"] | HIDDEN
    assert judge(options, 15, wanted="two rounds")[0].p_value() > ALPHA
    assert judge(options, 15, sampler=labels_first, wanted="two rounds")[0].p_value() < 1e-9


def chi_square(counts: Counter[Key], number: int) -> float:
    """The p-value of counts that should be the same for so many outcomes, all of which occur."""
    assert len(counts) == number
    mean = counts.total() / number
    return float(chi2.sf(sum((count - mean) ** 2 / mean for count in counts.values()), number - 1))


def first_game(options: dict[str, Any], is_wanted: Callable[[Game], bool]) -> Game:
    """The first moment of a game that is wanted."""
    return next(game for game in games(options, 0) if is_wanted(game))


def test_stacks_come_in_any_order() -> None:
    game = first_game(SETTINGS["variation2"], lambda game: game.state.opened == 8)
    counts = drawn(InfoSet(game, 0, Counter()), 24 * 24 * 20, 1, ("stacks",))
    for one, two in itertools.combinations(range(5), 2):
        pairs: Counter[Key] = Counter()
        for key, number in counts.items():
            pairs[key[12 * one + 8 : 12 * one + 12] + key[12 * two + 8 : 12 * two + 12]] += number
        assert chi_square(pairs, 24 * 24) > ALPHA
    full = first_game(SETTINGS["standard"], lambda game: game.state.opened == 4)
    counts = drawn(InfoSet(full, 0, Counter()), 40000, 1, ("stacks",))
    for stack in range(5):
        where: Counter[Key] = Counter()
        for key, number in counts.items():
            for place in range(4, 12):
                where[place, key[12 * stack + place]] += number
        assert chi_square(where, 64) > ALPHA


def test_unseen_reinforcement_cards_are_dealt_alike() -> None:
    game = first_game(SETTINGS["standard"] | HIDDEN, lambda game: game.reference.round == 3 and game.state.opened == 12)
    info = InfoSet(game, 0, Counter())
    truth = [int(hand) >> 48 for hand in game.state.hands]
    free = sum(hand.bit_count() for hand in truth[1:])
    counts: Counter[Key] = Counter()
    for key, number in drawn(info, 30000, 1, ("hands",)).items():
        counts[tuple(hand >> 48 for hand in key[1:])] += number
    number = comb(free, truth[1].bit_count()) * comb(free - truth[1].bit_count(), truth[2].bit_count())
    assert chi_square(counts, number) > ALPHA


@pytest.mark.parametrize("name", ["standard", "variation3", "variation2 tactics", "tournament tactics"])
@pytest.mark.parametrize("hands", ["recall", "hidden_after_gather"])
def test_worlds_can_be_played_to_the_end(name: str, hands: str) -> None:
    """What others gathered in a round is known to a world where it is needed: in the round's second draft."""
    choices, seen = random.Random(name), Counter[str]()
    for game in itertools.islice(games(ALL[name] | {"hands_public": hands}, 7), 0, 300, 23):
        record = game.game.new_records(1)
        record[0] = game.state
        seat = choices.choice(game.seats)
        hide(game.rules, record[0], seat)
        determinise(game.rules, record[0], seat, WORLDS, new_rng(choices.randrange(1000)))
        state, rng = record[0], new_rng(1)
        while (mover := to_move(game.rules, state)) != OVER:
            if mover == CHANCE:
                chance(game.rules, state, rng)
                continue
            if choices.random() < 0.1:
                check_position(game.rules, state, None)
            seen[PHASES[state.phase]] += 1
            legal = int(legal_mask(game.rules, state))
            apply(game.rules, state, choices.choice([action for action in range(64) if legal >> action & 1]))
    assert seen["use"] > 50
    assert seen["draft"] > 50 or "tactics" not in name


def spoil_hand(state: Any) -> None:
    """A reinforcement card of seat 1 lies nowhere."""
    state.hands[1] &= np.uint64((1 << 48) - 1)


def spoil_gods(state: Any) -> None:
    """No god that seat 1 had in time is left."""
    for card in range(12):
        if int(state.hands[1]) >> card & 1:
            state.since[card] = 2 + 2 * state.round_number


def spoil_since(state: Any) -> None:
    """Seat 1 has just stolen all that it has."""
    for card in range(48):
        if int(state.hands[1]) >> card & 1:
            state.since[card] = 2 + 2 * state.round_number


SPOILT = [
    (spoil_hand, "needs a god", r"unseen= or stacks=: . cards of stack 4 are not seen, expected 0"),
    (spoil_gods, "needs a god", "no champions of seat 1 fit"),
    (spoil_since, "two rounds", "no champions of seat 1 fit"),
]


@pytest.mark.parametrize(("spoil", "occurs", "message"), SPOILT)
def test_a_view_without_a_world_is_refused(spoil: Callable[[Any], None], occurs: str, message: str) -> None:
    """Drawing a world of it would never end."""
    game = first_game(ALL["standard"], lambda game: game.state.opened == 12 and is_only_of(game, occurs))
    view = game.game.new_records(1)
    view[0] = game.state
    hide(game.rules, view[0], 0)
    check_position(game.rules, view[0], 0)
    spoil(view[0])
    with pytest.raises(InvalidText, match=message):
        check_position(game.rules, view[0], 0)


def is_only_of(game: Game, occurs: str) -> bool:
    """Whether something occurs at seat 1, and it has a reinforcement card."""
    others = [seat for seat in game.seats if seat != 1]
    known = [set(what_occurs(game, observer)) for observer in others]
    return all(occurs in words for words in known) and any(card >= 48 for card in own_hand(game, 1))
