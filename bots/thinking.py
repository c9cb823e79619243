"""What a bot that searches has found in a position, in words."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bots.bot import Bot
from bots.players import NO_WORLD, think
from bots.room import MOST_ARMS, REVEAL, ROLLOUT, Room
from bots.settings import MONTE_CARLO, WIN
from bots.specs import MOST_ITERATIONS
from bots.trees import root_of
from bots.world_means import grouped, interval_of_means
from cardkit.game import MAX_SEED, Game
from cardkit.rng import new_rng
from cardkit.spec import InvalidText, checked_number
from cardkit.state import State

MOST_REPLIES = 3
FEWEST_WORLDS = 10  # that count, for an interval


@dataclass(frozen=True)
class Reply:
    """What another seat, or the same one, did next in the search.

    Attributes:
        seat: who.
        action: in words, as the seat that thinks sees it.
        share: of the visits of the action that it follows, 0..1.
    """

    seat: int
    action: str
    share: float


@dataclass(frozen=True)
class Line:
    """An action that was searched, or all actions of a secret bid.

    Attributes:
        actions: their numbers.
        text: in words.
        visits: how many rollouts began with it.
        value: average result of the seat that thinks, in the unit of the bot's utility.
        spread: standard deviation of the results of single rollouts; None for one rollout.
        low, high: 95 % interval of the average over all worlds, of flat search (`mc`). None where there is none: too
            few worlds count, all rollouts brought the same, or the search chooses by what it has found which rollouts
            it makes. The average in a tree drifts while the tree grows; of whole secret bids found by halving, the
            lucky ones go on. Where few worlds count it may hold the average more often.
        replies: the most common ones; none in a flat search.
    """

    actions: tuple[int, ...]
    text: str
    visits: int
    value: float
    spread: float | None
    low: float | None
    high: float | None
    replies: tuple[Reply, ...]


@dataclass(frozen=True)
class Thoughts:
    """What a bot has found.

    Attributes:
        bot: its specification.
        seat: who is to move.
        answer: the action it would play.
        text: in words.
        lines: what it has searched, the most visited first, then the highest value; empty for a bot without search.
        iterations: rollouts in all.
        effective_worlds: what part of the worlds drawn counts where they are weighted by bids, 0..1; else 1.
    """

    bot: str
    seat: int
    answer: int
    text: str
    lines: tuple[Line, ...]
    iterations: int
    effective_worlds: float


def thoughts(bot: Bot, view: State, seed: int = 0) -> Thoughts:
    """Let a bot think about a position.

    Args:
        bot: a built-in bot.
        view: a view, or a full state, of which only the view of the seat to move is used.
        seed: of the bot's randomness.

    Raises:
        ValueError: a bad seed, the game is over, another seat than the viewer is to move, or no hidden cards agree with
            the view.
    """
    checked_number("seed", seed, MAX_SEED)
    hidden = bot.checked_view(view)
    seat = hidden.current_player()
    if not bot.room:
        answer = bot.choose(hidden, np.random.default_rng(seed))
        return Thoughts(bot.spec.text, seat, answer, hidden.action_to_string(answer), (), 0, 1.0)
    room = _room_that_keeps(bot, bot.room)
    answer = _stoppable(room, think, bot.game.rules, hidden.record, bot.settings[0], new_rng(seed), room)
    if answer == NO_WORLD:
        raise ValueError(f"bot {bot.spec.label!r} cannot move: no hidden cards agree with {hidden.position_string()}")
    counts = room.counts[0]
    lines = _arms(bot, hidden, room) if counts.arms else _children(bot, hidden, seat)
    return Thoughts(
        bot=bot.spec.text,
        seat=seat,
        answer=answer,
        text=hidden.action_to_string(answer),
        lines=tuple(sorted(lines, key=lambda line: (-line.visits, -line.value, line.actions))),
        iterations=int(counts.iterations),
        effective_worlds=float(counts.effective / counts.drawn) if counts.drawn else 1.0,
    )


def _stoppable(room: Room, search: Callable[..., Any], *arguments: Any) -> int:
    """The answer of a search, in a thread of its own: compiled code does not notice Ctrl-C, which stops it."""
    with ThreadPoolExecutor(1) as thread:
        try:
            return int(thread.submit(search, *arguments).result())
        except KeyboardInterrupt:
            room.stop[0] = 1
            raise
        finally:
            thread.shutdown()
            room.stop[0] = 0


def _room_that_keeps(bot: Bot, room: Room) -> Room:
    """The room of a bot, which keeps every rollout of flat search."""
    if bot.settings[0].kind != MONTE_CARLO:
        return room
    most = min(int(bot.settings[0].iterations), MOST_ITERATIONS) + MOST_ARMS
    return room._replace(rollouts=np.zeros(most, ROLLOUT).view(np.recarray))


def _line(
    actions: tuple[int, ...],
    text: str,
    sums: tuple[int, float, float],
    replies: tuple[Reply, ...],
    ends: tuple[float | None, float | None] = (None, None),
) -> Line:
    visits, value, squares = sums
    mean = value / visits if visits else 0.0
    spread = max(0.0, squares - visits * mean * mean) / (visits - 1) if visits > 1 else None
    return Line(actions, text, visits, mean, None if spread is None else spread**0.5, *ends, replies)


def _arms(bot: Bot, view: State, room: Room) -> list[Line]:
    """The arms of a flat search."""
    arms = room.arms[: room.counts[0].arms]
    ends = _ends(bot, room) if bot.settings[0].kind == MONTE_CARLO else [(None, None)] * len(arms)
    lines = []
    for arm, own in zip(arms, ends, strict=True):
        actions = tuple(int(action) for action in arm.actions[: arm.length])
        text = ", ".join(view.action_to_string(action) for action in actions)
        lines.append(_line(actions, text, (int(arm.visits), float(arm.value), float(arm.squares)), (), own))
    return lines


def _ends(bot: Bot, room: Room) -> list[tuple[float | None, float | None]]:
    """Both ends of the interval of each arm, from the rollouts kept; all arms were played out in the same worlds.

    A world that was picked from the pool several times is one observation with so much weight. Where an arm brought the
    same in all worlds, the interval allows for what the other arms brought.
    """
    num_arms = int(room.counts[0].arms)
    kept = room.rollouts[: int(room.counts[0].iterations)]
    kept = kept[: len(kept) // num_arms * num_arms].reshape(-1, num_arms)
    _, world, picks = np.unique(kept.world[:, 0], return_inverse=True, return_counts=True)
    if picks.sum() ** 2 / (picks**2).sum() < FEWEST_WORLDS:
        return [(None, None)] * num_arms
    sums = np.stack([np.bincount(world, values) for values in kept.value.T])
    least, most = (0.0, 1.0) if bot.settings[0].utility == WIN else (kept.value.min(), kept.value.max())
    if least == most:
        return [(None, None)] * num_arms
    means = sums / picks
    low, high = interval_of_means(grouped(means, picks), *_limits(means, least, most))
    shrink = (len(kept) / (room.counts[0].iterations / num_arms)) ** 0.5  # where more were made than are kept
    value = sums.sum(axis=1) / len(kept)
    shift = room.arms.value[:num_arms] / room.arms.visits[:num_arms] - value
    ends = value + shift + shrink * (np.stack([low, high]) - value)
    return [(float(low), float(high)) for low, high in ends.T]


def _limits(values: np.ndarray, least: float, most: float) -> tuple[np.ndarray, np.ndarray]:
    """What each row of values can be: as far as it is seen to reach, or as far as any where it is always the same."""
    low, high = values.min(axis=1), values.max(axis=1)
    return np.where(low < high, low, least), np.where(low < high, high, most)


def _children(bot: Bot, view: State, seat: int) -> list[Line]:
    """The children of the root of the tree of the seat that thinks."""
    assert bot.room
    lines = []
    for place in _children_of(bot, root_of(bot.settings[0], seat)):
        node = bot.room.nodes[place]
        action = int(node.label)
        sums = int(node.visits), float(node.value), float(bot.room.squares[action])
        lines.append(_line((action,), view.action_to_string(action), sums, _replies(bot, place)))
    return lines


def _children_of(bot: Bot, parent: int) -> list[int]:
    """The places of the nodes below a node; those below a reveal in its stead."""
    assert bot.room
    nodes: Any = bot.room.nodes
    found: list[int] = []
    child = int(nodes[parent].first)
    while child:
        found += _children_of(bot, child) if nodes[child].label & REVEAL else [child]
        child = int(nodes[child].next)
    return found


def _replies(bot: Bot, place: int) -> tuple[Reply, ...]:
    """The most common actions that follow a child of the root."""
    assert bot.room
    visits: dict[tuple[int, int, int], int] = {}
    for reply in bot.room.nodes[_children_of(bot, place)]:
        key = int(reply.seat), int(reply.phase), int(reply.label)
        visits[key] = visits.get(key, 0) + int(reply.visits)
    total = int(bot.room.nodes[place].visits)
    best = sorted(visits.items(), key=lambda item: (-item[1], item[0]))[:MOST_REPLIES]
    return tuple(Reply(seat, _in_words(bot.game, phase, label), n / total) for (seat, phase, label), n in best)


def _in_words(game: Game, phase: int, label: int) -> str:
    """An action of a phase as the thinking seat sees it."""
    try:
        return str(game.text.action_to_string(game.rules, phase, label))
    except InvalidText:  # a label that is no action: what lies face down, or is chosen secretly
        return "something hidden"
