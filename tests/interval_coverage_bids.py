"""How often the intervals of `bids` and `think` hold the truth, by real play: tables in docs/analysis.md and search.md.

    python -m tests.interval_coverage_bids                print both tables (about ten minutes of one core)
    python -m tests.interval_coverage_bids bids           one of them: bids, think
    python -m tests.interval_coverage_bids --write        put them into the documents

For `bids` very many worlds are played out once: their means are the truth, and every run takes worlds of its own from
them, as another seed would. For `think` every run is a search with its own seed, and the truth comes from another loop.
The slow tests hold the same measurements to the figures promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

import bots
import kronions
import truf
from bots.arms import _play_arm
from bots.playouts import evaluate, play_out
from bots.room import SAVED, VIEW, WORLD
from cardkit.game import Game
from cardkit.jit import kernel
from cardkit.rng import new_rng
from cardkit.verbs import determinise, likelihood
from experiments.bid_values import Playing, estimated_bids, ways_to_bid
from tests.coverage import write_section

DOCUMENTS = Path(__file__).resolve().parent.parent / "docs"
RARE, HARDLY = 0.02, 0.001  # chances below and, from 1 down, above which a bid is rarely and hardly ever made or missed


class Question(NamedTuple):
    """A hand that is to bid.

    Attributes:
        name: in words.
        game: its game.
        hand, seat, bids, trump: as in `bid_values`.
        worlds: that are played out in all.
    """

    name: str
    game: Game
    hand: str
    seat: int
    bids: tuple[int, ...]
    trump: str | None
    worlds: int


SIX = Question(
    "Kronions, six cards", kronions.Game(), "Nova 13, Void 7, Void 2, C3, F4, F9", 3, (2, 3), "Nova", 302_000
)
FOUR = Question("Kronions, four cards", kronions.Game(), "Nova 13, Nova 12, Void 2, paradox", 2, (1,), "Nova", 154_000)
TRICKS = Question(
    "Kronions, tricks count",
    kronions.Game(scoring="tricks_plus_bonus"),
    "Nova 13, Void 2, F9, C3",
    1,
    (1,),
    "Nova",
    154_000,
)
TRUF = Question("Truf", truf.Game(), "AS, KS, 10S, 5S, 3S, KH, 9H, 2H, AD, 4D, QC, 7C, 3C", 0, (), None, 34_000)
ASKED = (
    (SIX, "uniform", 108), (SIX, "uniform", 2000), (SIX, "bids", 108), (SIX, "bids", 2000), (FOUR, "uniform", 500),
    (FOUR, "bids", 500), (TRICKS, "uniform", 500), (TRUF, "uniform", 100),
)  # fmt: skip
RUNS = 300  # at most
FEWEST_RUNS = 20  # for a share


class Held(NamedTuple):
    """How often the intervals of a bid held the truth.

    Attributes:
        chance: to make the bid, in truth.
        points, made: shares of the runs.
        behind: share of those runs in which it was not the best itself; None where there are fewer than 20 such.
    """

    chance: float
    points: float
    made: float
    behind: float | None


@cache
def played_out(question: Question) -> tuple[Any, list[int], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """All worlds of a question: who plays them, the ways to bid, and what `Playing.play` returns."""
    views = question.game.bid_views(question.hand, question.seat, question.bids, question.trump)
    bot = bots.make("heuristic", question.game)
    assert isinstance(bot, bots.Bot)
    playing = Playing(question.game, views, bot, 20261130, 2)
    ways = ways_to_bid(playing)
    return playing, ways, playing.play(ways, range(question.worlds // len(views) * len(views)))


def bid_coverage(question: Question, belief: str, worlds: int, runs: int = RUNS) -> list[Held]:
    """How often the intervals of each bid hold the truth."""
    playing, ways, (points, made, fits) = played_out(question)
    weights = fits if belief == "bids" else np.ones(len(fits))
    true_points, true_made = (weights @ values / weights.sum() for values in (points, made))
    place = {playing.ways[way]: i for i, way in enumerate(ways)}
    size = -(-worlds // len(playing.views)) * len(playing.views)
    hits, times = np.zeros((len(ways), 3)), np.zeros((len(ways), 3))
    for start in range(0, min(runs, len(weights) // size) * size, size):
        own = slice(start, start + size)
        found = estimated_bids(playing, ways, points[own], made[own], weights[own])
        best = true_points[place[found[0].actions]]
        for value in found:
            i = place[value.actions]
            for k, (estimate, truth) in enumerate(
                ((value.points, true_points[i]), (value.made, true_made[i]), (value.behind, best - true_points[i]))
            ):
                is_asked = k < 2 or value is not found[0]  # the best is behind itself by 0, which is no success
                hits[i, k] += is_asked and estimate.low <= truth <= estimate.high
                times[i, k] += is_asked
    shares = []
    for i in range(len(ways)):
        runs_behind = times[i, 2]
        points_held, made_held = (float(share) for share in hits[i, :2] / times[i, :2])
        behind = float(hits[i, 2] / runs_behind) if runs_behind >= FEWEST_RUNS else None
        shares.append(Held(float(true_made[i]), points_held, made_held, behind))
    return shares


def rarity(chance: float) -> str:
    """In what share of the worlds a bid is made or missed, whichever is rarer, in words."""
    least = min(chance, 1 - chance)
    return "less than 0.1 %" if least < HARDLY else "0.1 to 2 %" if least < RARE else "2 % and more"


def bid_table() -> Iterator[str]:
    """Coverage by question and by how rare making or missing the bid is: the least and the most over the bids."""
    yield "| question | belief | worlds | runs | bids made or missed in | points | made | behind |"
    yield "|---|---|---|---|---|---|---|---|"
    for question, belief, worlds in ASKED:
        runs = min(RUNS, question.worlds // (worlds + 12))
        held = bid_coverage(question, belief, worlds, runs)
        for name in ("2 % and more", "0.1 to 2 %", "less than 0.1 %"):
            own = [one for one in held if rarity(one.chance) == name]
            cells = [
                _range([getattr(one, part) for one in own if getattr(one, part) is not None])
                for part in ("points", "made", "behind")
            ]
            if own:
                yield f"| {question.name} | {belief} | {worlds} | {runs} | {name} | " + " | ".join(cells) + " |"


def _range(shares: Sequence[float]) -> str:
    return f"{100 * min(shares):.1f} - {100 * max(shares):.1f}" if shares else ""


KRONIONS = (
    kronions.Game(only_round=8),
    "phase=play round=1 dealer=1 size=8 flip=C13 up=1 trump=C totals=0,0,0,0 zeros=0,0,0,0 bids=2,3,1,3 won=1,0,0,3 "
    "voids=-,V,-,F hands=?,?,?,N3.N4.N10.V8 played=C5.N12.V3.P,C2.C8.N9.F4,C7.N6.V2.F13,C3.C12.N13.P leader=3 "
    "trick=C12,C5,C8,C7 actor=3",
)


@cache
def truf_position() -> tuple[Game, str]:
    """A hand of Truf in its middle, played sensibly."""
    game = truf.Game()
    state, bot = game.new_initial_state(seed=3), bots.make("heuristic", game)
    rng = np.random.default_rng(3)
    while state.phase() != "play" or len(state.legal_actions()) < 3 or "played=-" in state.position_string():
        state.apply_action(bot.choose(state.view(state.current_player()), rng))
    return game, state.view(state.current_player()).position_string()


THOUGHT = tuple(
    (name, f"mc:iterations={iterations},utility={utility},belief={belief}")
    for name, iterations, utilities in (
        ("kronions", 1000, ("margin", "points", "win")),
        ("kronions", 100, ("margin",)),
        ("truf", 300, ("margin",)),
    )
    for belief in ("uniform", "bids")
    for utility in utilities
)
SEARCHES = 1000


def thinking(name: str, bot_text: str) -> tuple[bots.Bot, Any]:
    """A bot, and the view it thinks about."""
    game, line = KRONIONS if name == "kronions" else truf_position()
    bot = bots.make(bot_text, game)
    assert isinstance(bot, bots.Bot)
    return bot, game.position(line)


@kernel
def play_worlds(rules: Any, room: Any, bot: Any, seat: int, rng: Any, values: Any, weights: Any) -> None:
    """Play every arm out in new worlds, and weigh them by the bids seen. Modified in place: all but `rules`, `bot`."""
    records = room.records
    for i in range(weights.size):
        records[SAVED] = records[VIEW]
        determinise(rules, records[SAVED], seat, room.worlds, rng)
        weights[i] = likelihood(rules, records[SAVED], seat)
        for k in range(values.shape[1]):
            records[WORLD] = records[SAVED]
            _play_arm(rules, records[WORLD], room.arms[k])
            play_out(rules, records[WORLD], bot, room.counts[0].deals, rng)
            evaluate(rules, records[WORLD], bot, room)
            values[i, k] = room.result[seat]


def true_values(name: str, bot_text: str, worlds: int = 100_000) -> dict[tuple[int, ...], float]:
    """What each arm of flat search is worth, in so many worlds that are drawn and weighed one by one."""
    bot, view = thinking(name, bot_text)
    found = bots.thoughts(bot, view)
    assert bot.room
    actions = [tuple(int(a) for a in arm.actions[: arm.length]) for arm in bot.room.arms[: len(found.lines)]]
    values, weights = np.zeros((worlds, len(actions))), np.zeros(worlds)
    play_worlds(bot.game.rules, bot.room, bot.settings[0], found.seat, new_rng(20261130), values, weights)
    if bot.spec.keys.get("belief") != "bids":
        weights[:] = 1
    return dict(zip(actions, (float(x) for x in weights @ values / weights.sum()), strict=True))


def think_coverage(name: str, bot_text: str, runs: int = SEARCHES) -> list[float]:
    """How often the interval of each action holds the truth."""
    truth = true_values(name, bot_text)
    bot, view = thinking(name, bot_text)
    hits = dict.fromkeys(truth, 0)
    for seed in range(1, runs + 1):
        for line in bots.thoughts(bot, view, seed).lines:
            assert line.low is not None
            assert line.high is not None
            hits[line.actions] += line.low <= truth[line.actions] <= line.high
    return [count / runs for count in hits.values()]


def think_table() -> Iterator[str]:
    """Coverage by bot: the least and the most over the actions."""
    yield "| position | bot | runs | interval holds the value |"
    yield "|---|---|---|---|"
    for name, text in THOUGHT:
        yield f"| {name} | `{text}` | {SEARCHES} | {_range(think_coverage(name, text))} |"


TABLES = {"bids": (bid_table, DOCUMENTS / "analysis.md"), "think": (think_table, DOCUMENTS / "search.md")}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(TABLES)))
@click.option("--write", "is_write", is_flag=True, help="Put the tables into the documents.")
def main(names: tuple[str, ...], is_write: bool) -> None:
    """Measure and print how often the intervals of `bids` and `think` hold the truth."""
    for name in names or TABLES:
        table, document = TABLES[name]
        lines = []
        for line in table():
            click.echo(line)
            lines.append(line)
        if is_write:
            write_section(f"coverage of {name}", lines, document)


if __name__ == "__main__":
    main()
