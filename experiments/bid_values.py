"""What each bid is worth for a given hand: every bid is played out in the same worlds, and the averages compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import bots
from bots.bot import Bot, room_for
from bots.world_means import grouped, interval_of_means, means_of
from cardkit.game import MAX_SEED, Game
from cardkit.rng import new_rng
from cardkit.spec import InvalidText, checked_number, nearest
from cardkit.state import State
from cardkit.verbs import apply, determinise, legal_mask, plan_worlds, to_move
from cardkit.worlds import new_worlds
from experiments.bid_loop import Bids, draw_world, play_bids
from experiments.match import Buffers, new_workspace
from experiments.schedule import GAME_SLOT
from experiments.schema import DEAL_KEY, GAME_ROW, MOVE_ROW, deal_dtype
from experiments.stats import Estimate
from experiments.terminal import aside

BELIEFS = ("uniform", "bids")
LEAST_WORLDS, MOST_WORLDS = 2, 10_000_000
_FIRST_WORLDS = 2  # worlds in which all ways to make a bid are tried before the better half of them is tried in more
_SELECTING = 1 << 62  # added to the numbers of worlds in which ways to make a bid are compared
_BID_COLUMNS = (("bid", "tricks"), ("final_bid", "sets"))  # what a bid promised and what was won: the first there is


@dataclass(frozen=True)
class BidValue:
    """What one bid is worth, with 95 % intervals.

    Intervals of a bid that is made or missed hardly ever hold the truth more often, as there is no shorter honest end.

    Attributes:
        bid: the number that is bid.
        suit: the trump suit that it calls, "NO TRUF", or "" where bids call none.
        text: in words: the bid, or the cards to lay.
        actions: numbers of the actions that make it.
        points: points to expect from the deal.
        made: chance that exactly the bid is won.
        behind: points that it is worth less than the best bid, from the same worlds; 0 for the best. The best is the
            one that did best in them: where many bids are as good, it was lucky, and the interval holds less often.
    """

    bid: int
    suit: str
    text: str
    actions: tuple[int, ...]
    points: Estimate
    made: Estimate
    behind: Estimate


@dataclass(frozen=True)
class BidValues:
    """The bids of a hand, the most valuable first.

    Attributes:
        game: name of the game.
        seat: who bids.
        hand: its cards, as they may be asked for again.
        seen: what else it sees, in words.
        bot: who plays all seats from the bid on.
        belief: whether worlds count by how well the bids seen fit them.
        worlds: in how many worlds each bid was played out.
        effective: what part of the worlds counts where they are weighted, 0..1; else 1.
        bids: one a bid and suit; of several ways to lay cards for it, the best.
    """

    game: str
    seat: int
    hand: str
    seen: str
    bot: str
    belief: str
    worlds: int
    effective: float
    bids: tuple[BidValue, ...]


def bid_values(
    game: Game,
    hand: str | int,
    seat: int = 0,
    bids: Sequence[int] = (),
    trump: str | None = None,
    flip: str | None = None,
    *,
    bot: str = "heuristic",
    belief: str = "uniform",
    worlds: int = 2_000,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BidValues:
    """What every legal bid is worth to a seat with a given hand.

    In worlds that agree with what the seat sees, every bid is made and a bot plays all seats to the end of the deal.
    All bids meet the same worlds and random numbers. Of several ways to make a bid (the cards laid in Truf) the best is
    found in worlds of its own, so that the choice adds no luck. Any number of workers finds the same.

    Args:
        game: the game, with its rules.
        hand: cards such as "Nova 13, V2, paradox" or "10S, KH", or their bit mask as in the run files.
        seat: who bids; the dealer follows from the number of earlier bids.
        bids: the bids made before, in their order.
        trump: the trump suit or "none", where a card is turned up: any unseen one of it.
        flip: the card turned up, where it is known.
        bot: a built-in bot.
        belief: "uniform" draws all worlds alike; "bids" weights them by how well the earlier bids fit (`likelihood`).
        worlds: how many; the next multiple of the number of cards that may be turned up.
        seed: of all chance.
        workers: threads, by default one a core.
        progress: is told how many worlds of how many have been played.

    Raises:
        InvalidText: a hand, bids or cards that cannot be, a bad bot or belief.
        InvalidRules: the game has no bids.
        ValueError: a bad seed or number of worlds.
    """
    views = game.bid_views(hand, seat, bids, trump, flip)
    player = _checked(game, bot, belief, worlds, seed)
    worlds = -(-worlds // len(views)) * len(views)
    playing = Playing(game, views, player, seed, workers or os.cpu_count() or 1)
    chosen = ways_to_bid(playing)
    points, made, fits = playing.play(chosen, range(worlds), progress)
    weights = _weights(fits, belief)
    found = estimated_bids(playing, chosen, points, made, weights)
    return BidValues(
        game=game.name,
        seat=seat,
        hand=game.text.hand_text(int(views[0].record.hands[views[0].current_player()])),
        seen=game.text.bidding_text(game.rules, [view.record for view in views]),
        bot=player.spec.text,
        belief=belief,
        worlds=worlds,
        effective=_effective(weights) / worlds,
        bids=tuple(found),
    )


def _weights(fits: np.ndarray, belief: str) -> np.ndarray:
    """How much each world counts, from how well the earlier bids fit it."""
    if belief == "bids" and not fits.any():
        raise InvalidText(f"the earlier bids fit none of {len(fits)} worlds: expected more worlds, or belief uniform")
    return fits if belief == "bids" else np.ones(len(fits))


def _checked(game: Game, bot: str, belief: str, worlds: int, seed: int) -> Bot:
    """The bot, where it and the other values are such as can be."""
    with aside():
        player = bots.make(bot, game)
    if not isinstance(player, Bot):
        raise InvalidText(f"bot {bot!r} is not a built-in one: expected one of {', '.join(bots.BOT_KINDS)}")
    if belief not in BELIEFS:
        raise InvalidText(f"unknown belief {belief!r}{nearest(belief, BELIEFS)}")
    checked_number("seed", seed, MAX_SEED)
    if checked_number("worlds", worlds, MOST_WORLDS) < LEAST_WORLDS:
        raise ValueError(f"worlds {worlds}: expected {LEAST_WORLDS}..{MOST_WORLDS}")
    return player


def estimated_bids(
    playing: Playing, ways: Sequence[int], points: np.ndarray, made: np.ndarray, weights: np.ndarray
) -> list[BidValue]:
    """The bids of some ways to bid, the most valuable first, from their points and whether they were made.

    Args:
        playing: knows the ways.
        ways: their numbers.
        points: of each way in each world, shape `(worlds, ways)`.
        made: whether each was made in each world, 1 or 0.
        weights: of the worlds.
    """
    counts = weights > 0
    points, made, weights = points[counts].T, made[counts].T, weights[counts]
    best = int(np.argmax(points @ weights))
    reach = _reach(playing, ways, points, made)
    found = zip(
        (playing.ways[way] for way in ways),
        _estimates(points, weights, *reach),
        _estimates(made, weights, np.zeros(len(ways)), np.ones(len(ways))),
        _estimates(points[best] - points, weights, *_reach_behind(points, made, best, *reach)),
        strict=True,
    )
    bids = [_bid_value(playing.game, *values) for values in found]
    return sorted(bids, key=lambda value: (-value.points.mean, value.bid, value.suit))


def _bid_value(game: Game, way: tuple[int, ...], points: Estimate, made: Estimate, behind: Estimate) -> BidValue:
    bid, suit = game.bid_of(way)
    return BidValue(bid, suit, game.text.bid_text(way), way, points, made, behind)


def _reach(
    playing: Playing, ways: Sequence[int], points: np.ndarray, made: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most points of each bid: those seen, or those that can be, if it was made never or always."""
    can_be = [playing.game.points_of_bid(playing.ways[way], playing.num_cards) for way in ways]
    least, most = np.array(can_be, np.float64).T
    is_seen = _is_seen_both_ways(made)
    return np.where(is_seen, points.min(axis=1), least), np.where(is_seen, points.max(axis=1), most)


def _reach_behind(
    points: np.ndarray, made: np.ndarray, best: int, least: np.ndarray, most: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most that each bid can be behind the best one, from the least and the most points of each."""
    behind = points[best] - points
    low, high = behind.min(axis=1), behind.max(axis=1)
    is_seen = _is_seen_both_ways(made)
    is_seen &= is_seen[best] & (low < high)
    is_seen[best] = True
    return np.where(is_seen, low, least[best] - most), np.where(is_seen, high, most[best] - least)


def _is_seen_both_ways(made: np.ndarray) -> np.ndarray:
    """Which bids were made in some worlds and not in others."""
    return (made.min(axis=1) < 1) & (made.max(axis=1) > 0)  # type: ignore[no-any-return]


def _effective(weights: np.ndarray) -> float:
    """How many worlds of equal weight tell as much as these (Kish, Survey Sampling (1965))."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _estimates(values: np.ndarray, weights: np.ndarray, least: np.ndarray, most: np.ndarray) -> list[Estimate]:
    """The weighted means of quantities over worlds, `(quantities, worlds)`, that reach so far, and their intervals."""
    worlds = grouped(values, weights)
    low, high = interval_of_means(worlds, least, most)
    found = zip(means_of(worlds), low, high, strict=True)
    return [Estimate(float(mean), float(low), float(high), values.shape[1]) for mean, low, high in found]


def _ways(game: Game, view: State) -> list[tuple[int, ...]]:
    """All actions, in order, by which a seat can bid: until another seat is to move or the phase is over."""
    rules, seat, phase = game.rules, view.current_player(), view.record.phase
    records = game.new_records(1)
    records[0] = view.record
    worlds = new_worlds()
    if plan_worlds(rules, records[0], seat, worlds) <= 0.0:
        raise InvalidText(f"no hidden cards agree with {view.position_string()}")
    determinise(rules, records[0], seat, worlds, new_rng())
    complete: list[tuple[int, ...]] = []
    begun: list[tuple[tuple[int, ...], Any]] = [((), records)]
    while begun:
        actions, before = begun.pop()
        mask = int(legal_mask(rules, before[0]))
        for action in range(mask.bit_length()):
            if mask >> action & 1:
                after = before.copy()
                apply(rules, after[0], action)
                goes_on = after[0].phase == phase and to_move(rules, after[0]) == seat
                (begun.append(((*actions, action), after)) if goes_on else complete.append((*actions, action)))
    return sorted(complete)


def ways_to_bid(playing: Playing) -> list[int]:
    """The best way to make each bid: the better half goes on to twice as many worlds, until one is left."""
    bids = [playing.game.bid_of(way) for way in playing.ways]
    groups: dict[tuple[int, str], list[int]] = {}
    for way, bid in enumerate(bids):
        groups.setdefault(bid, []).append(way)
    sums, first, number = np.zeros(len(bids)), _SELECTING, _FIRST_WORLDS
    while open_groups := [group for group in groups.values() if len(group) > 1]:
        tried = sorted(way for group in open_groups for way in group)
        points, _, _ = playing.play(tried, range(first, first + number))
        sums[tried] += points.sum(axis=0)
        first, number = first + number, number * 2
        for group in open_groups:
            group.sort(key=lambda way: (-sums[way], len(playing.ways[way]), way))
            del group[(len(group) + 1) // 2 :]
    return [group[0] for group in groups.values()]


class Playing:
    """Plays bids out in numbered worlds, on some threads.

    Attributes:
        ways: the actions of each way to bid.
        num_cards: in the hand.
    """

    def __init__(self, game: Game, views: Sequence[State], bot: Bot, seed: int, workers: int) -> None:
        self.game, self.views, self.bot, self.seed, self.workers = game, views, bot, seed, workers
        self.ways = ways = _ways(game, views[0])
        self.num_cards = int(views[0].record.hands[views[0].current_player()]).bit_count()
        self._lengths = np.array([len(way) for way in ways], np.int64)
        self._actions = np.zeros((len(ways), int(self._lengths.max())), np.int64)
        for i, way in enumerate(ways):
            self._actions[i, : len(way)] = way
        names = {column.name for column in game.deal_columns}
        self._bid, self._won = next(pair for pair in _BID_COLUMNS if names.issuperset(pair))

    def play(
        self, ways: Sequence[int], worlds: range, progress: Callable[[int, int], None] | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play ways to bid, by number, out in some worlds.

        Returns:
            Points and whether the bid was made, each `(worlds, ways)`, and the weights of the worlds by the bids seen.
        """
        bids = Bids(self._actions, self._lengths, np.array(ways, np.int64))
        points, made = np.zeros((len(worlds), len(ways))), np.zeros((len(worlds), len(ways)))
        weights, stop = np.zeros(len(worlds)), np.zeros(1, np.int64)
        shares = [range(first, len(worlds), self.workers) for first in range(min(self.workers, len(worlds)))]
        done = [0] * len(shares)

        def work(share: int) -> None:
            table = _Thread(self, len(ways), stop)
            for i in shares[share]:
                if stop[0]:
                    return
                weights[i], rows = table.play(bids, worlds[i])
                points[i], made[i] = rows["points"], rows[self._won] == rows[self._bid]
                done[share] += 1
                if progress and share == 0:
                    progress(sum(done), len(worlds))

        with ThreadPoolExecutor(len(shares), thread_name_prefix="bids") as threads:
            try:
                for future in [threads.submit(work, share) for share in range(len(shares))]:
                    future.result()
            except BaseException:
                stop[0] = 1  # compiled code does not notice Ctrl-C
                raise
        return points, made, weights


class _Thread:
    """What one thread needs to play worlds out."""

    def __init__(self, playing: Playing, num_bids: int, stop: np.ndarray) -> None:
        game, settings = playing.game, playing.bot.settings
        self._playing = playing
        self._workspace = new_workspace(game, room_for(game, settings, stop))
        rows = num_bids * game.num_players
        self._buffers = Buffers(
            games=np.zeros(0, GAME_ROW).view(np.recarray),
            deal_keys=np.zeros(rows, DEAL_KEY).view(np.recarray),
            deals=np.zeros(rows, deal_dtype(game)).view(np.recarray),
            moves=np.zeros(0, MOVE_ROW).view(np.recarray),
            filled=np.zeros(5, np.int64),
            spent=np.zeros((1, 3), np.int64),
        )
        self._slot = np.zeros(1, GAME_SLOT).view(np.recarray)
        self._views = []
        for view in playing.views:
            records, worlds = game.new_records(2), new_worlds()
            records[0] = view.record
            plan_worlds(game.rules, records[0], view.current_player(), worlds)
            self._views.append((records, worlds))
        self._rng, self._stop = new_rng(), stop

    def play(self, bids: Bids, world: int) -> tuple[float, Any]:
        """Play some bids out in one world: its weight, and the seat's deal rows, one a bid."""
        game, seat = self._playing.game, self._playing.views[0].current_player()
        records, worlds = self._views[world % len(self._views)]
        seed = np.uint64(self._playing.seed)
        weight = draw_world(game.rules, records, seat, worlds, seed, world, self._rng)
        self._buffers.filled[:] = 0
        self._slot[0].board = world
        arguments = game.rules, self._playing.bot.settings, self._slot[0], records, bids, seed
        played = play_bids(*arguments, self._buffers, self._workspace, self._stop)
        if played < len(bids.places) and not self._stop[0]:
            raise InvalidText(f"bot {self._playing.bot.spec.text!r} found no hidden cards that agree with a position")
        return weight, self._buffers.deals[seat :: game.num_players]
