"""Small tournaments of real games, and the intervals that are printed for them: what `interval_coverage` counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pandas as pd

from experiments import analysis
from experiments.boards import BoardResults, board_results
from experiments.ratings import ratings
from experiments.seating import seat_effects
from experiments.spec import RunSpec, make_spec
from experiments.stats import Estimate, compare, same_bots, standings
from experiments.stopping import Stopping
from tests.memory_run import MemoryRun

AFTER = " after "  # between a measure and what the stop rule said of the runs that it is counted in


class Figure(NamedTuple):
    """A figure that a run shows with an interval.

    Attributes:
        measure: what is measured, such as "points".
        of: of what, such as a bot.
        mean, low, high: the figure and the ends of its interval.
        boards: it is of.
        is_rough: whether its interval is said to be rough beside it, in frames; elsewhere warnings say so.
    """

    measure: str
    of: str
    mean: float
    low: float
    high: float
    boards: int
    is_rough: bool | None = None


def tournament_figures(run: MemoryRun) -> Iterator[Figure]:
    """Standings, differences, ratings and seat effects."""
    results = board_results(run)
    rated = ratings(results)
    for bot in standings(run, results, rated):
        for measure, value in (("points", bot.points), ("win share", bot.win_share), ("rank", bot.rank)):
            yield _figure(measure, bot.bot, value)
        if bot.rating is not None and len(results.labels) > 1:
            rating = bot.rating
            yield Figure("rating", bot.bot, rating.rating, rating.low, rating.high, bot.points.boards)
    yield from _differences(results)
    for seat in seat_effects(run):
        yield _figure("seat points", f"seat {seat.seat}", seat.points)
        yield _figure("seat share", f"seat {seat.seat}", seat.win_share)


def _differences(results: BoardResults) -> Iterator[Figure]:
    for pair in compare(results):
        yield _figure("difference", f"{pair.first} - {pair.second}", pair.points)
        yield _figure("share difference", f"{pair.first} - {pair.second}", pair.win_share)


def _figure(measure: str, of: str, value: Estimate) -> Figure:
    return Figure(measure, of, value.mean, value.low, value.high, value.boards)


def stopped_figures(run: MemoryRun) -> Iterator[Figure]:
    """Differences, among all runs and among those of which the stop rule said the same."""
    decision = Stopping(run).decision if run.spec.stop_when else None
    verdict = decision.accepted or "no verdict" if decision else ""
    for figure in _differences(board_results(run)):
        yield figure
        if verdict:
            yield figure._replace(measure=f"{figure.measure}{AFTER}{verdict}")


def frame_figures(*names: str) -> Callable[[MemoryRun], Iterator[Figure]]:
    """A reader of frames of `experiments.analysis`, by the names of their functions."""

    def read(run: MemoryRun) -> Iterator[Figure]:
        for name in names:
            yield from of_frame(name, FRAMES.get(name, getattr(analysis, name))(run))

    return read


FRAMES: dict[str, Callable[[MemoryRun], pd.DataFrame]] = {
    "endings": lambda run: analysis.endings({"run": run}),
    "hook_effect": lambda run: analysis.hook_effect(run, without_hook(run)),
}


def without_hook(run: MemoryRun) -> MemoryRun:
    """The same boards played without the hook."""
    options = run.spec.options | {"hook": "off"}
    return MemoryRun(replace(run.spec, options=options))


def of_frame(name: str, frame: pd.DataFrame) -> Iterator[Figure]:
    """The figures of a frame: a measure has columns `_low` and `_high` beside its own."""
    measures = [column.removesuffix("_low") for column in frame.columns if column.endswith("_low")]
    ends = {f"{measure}{end}" for measure in measures for end in ("", "_low", "_high")}
    keys = [column for column in frame.columns if column not in ends | {"rows", "boards", "rough"}]
    for line in frame.to_dict("records"):
        of = ", ".join(f"{key} {line[key]}" for key in keys)
        for measure in measures:
            ends_of = (line[f"{measure}_low"], line[f"{measure}_high"])
            is_rough = measure in line["rough"].split(", ")
            yield Figure(f"{name}: {measure}", of, line[measure], *ends_of, line["boards"], is_rough)


def zero_in_truth(spec: RunSpec) -> set[tuple[str, str]]:
    """Measure and pair of the differences of one bot under two names."""
    pairs = [pair for one, other in same_bots(spec) for pair in ((one, other), (other, one))]
    return {(measure, f"{one} - {other}") for one, other in pairs for measure in ("difference", "share difference")}


@dataclass(frozen=True, eq=False)
class Case:
    """Tournaments that differ in their seed and in how many boards they have.

    Attributes:
        name: in the tables.
        game, bots, rules, format, seating, stop_when, moves: of the run.
        players: at the table; 0 where the game leaves no choice.
        boards: how many boards a tournament has, one row of a table for each; the most where a stop rule ends it.
        runs: how many tournaments.
        truth: at least how many boards the long run has.
        read: the figures of a run.
        warns: whether figures are printed with the warnings of the run; frames of analyses say it themselves.
    """

    name: str
    game: str
    bots: tuple[str, ...]
    boards: tuple[int, ...]
    players: int = 0
    rules: Mapping[str, Any] = field(default_factory=dict)
    format: str = "game"
    seating: str = "rotations"
    stop_when: str = ""
    moves: bool = False
    runs: int = 600
    truth: int = 40_000
    read: Callable[[MemoryRun], Iterator[Figure]] = tournament_figures
    warns: bool = True

    def spec(self, boards: int) -> RunSpec:
        """A run of so many boards."""
        options = {**self.rules, **({"num_players": self.players} if self.players else {})}
        return make_spec(
            self.game, self.bots, options=options, boards=boards, format=self.format, seating=self.seating,
            stop_when=self.stop_when, moves=self.moves,
        )  # fmt: skip


TWO = ("random", "heuristic")
TWINS = ("random", "twin1=heuristic", "twin2=heuristic")
THREE = ("random", "heuristic", "weaker=heuristic:epsilon=0.2")
FIVE = (*THREE, "twin1=heuristic:epsilon=0.5", "twin2=heuristic:epsilon=0.5")
SHORT = {"max_hands": 4}
_KRONIONS = ("bid_calibration", "make_rates", "seat_effects", "zero_bids", "trump_effect", "paradox_cards",
             "value_by_strength")  # fmt: skip
_TRUF = ("bid_calibration", "make_rates", "seat_effects", "nil_success", "mode_effect", "sum_choice", "revealing",
         "tie_breaks")  # fmt: skip
_KOSMOGONIA = ("seat_effects", "deployment", "item_or_key", "endings", "olympus_choices")

TOURNAMENTS = (
    Case("kronions deal, 2 seats, 2 bots", "kronions", TWO, (5, 7, 10, 20, 50, 100, 200), 2, format="deal"),
    Case("kronions deal, 3 seats, 3 bots", "kronions", THREE, (5, 10, 20, 50, 200), 3, format="deal"),
    Case("kronions deal, 3 seats, twins", "kronions", TWINS, (10, 50, 200), 3, format="deal"),
    Case("kronions deal, 4 seats, 2 bots", "kronions", TWO, (5, 10, 50, 200), 4, format="deal"),
    Case("kronions deal, 4 seats, 5 bots", "kronions", FIVE, (10, 50, 200), 4, format="deal"),
    Case("truf deal, 2 bots", "truf", TWO, (5, 7, 10, 20, 50, 200), format="deal"),
    Case("truf deal, 3 bots", "truf", THREE, (10, 50, 200), format="deal"),
    Case("truf deal, twins", "truf", TWINS, (10, 50, 200), format="deal"),
    Case("truf deal, 5 bots", "truf", FIVE, (10, 50, 200), format="deal"),
    Case("kronions game, 2 seats, 2 bots", "kronions", TWO, (5, 10, 20, 50, 200), 2),
    Case("kronions game, 3 seats, twins", "kronions", TWINS, (10, 50, 200), 3),
    Case("kronions game, 4 seats, 5 bots", "kronions", FIVE, (10, 50, 200), 4),
    Case("truf game of 4 hands, 2 bots", "truf", TWO, (5, 20, 50), rules=SHORT, runs=400, truth=10_000),
    Case("kosmogonia, 2 seats, 2 bots", "kosmogonia", TWO, (10, 50, 200), 2),
    Case("kosmogonia, 3 seats, twins", "kosmogonia", TWINS, (10, 50, 200), 3),
    Case("kosmogonia, 4 seats, 2 bots", "kosmogonia", TWO, (5, 10, 60, 200), 4),
    Case("kosmogonia, 4 seats, 5 bots", "kosmogonia", FIVE, (10, 50, 200), 4),
)  # fmt: skip
_ONE_ROUND = {"only_round": 4}
STOPS = (
    Case(
        "twins", "kronions", ("first=heuristic:epsilon=0.2", "second=heuristic:epsilon=0.2"), (4000,), 3, _ONE_ROUND,
        stop_when="first>second", runs=400, truth=200_000, read=stopped_figures,
    ),
    Case(
        "a true difference near the effect", "kronions",
        ("first=heuristic:epsilon=0.2", "second=heuristic:epsilon=0.245"), (4000,), 3, _ONE_ROUND,
        stop_when="first>second", runs=400, truth=200_000, read=stopped_figures,
    ),
    Case(
        "a large difference", "kronions", ("first=heuristic", "second=random"), (1000,), 2, _ONE_ROUND,
        stop_when="first>second", runs=400, truth=100_000, read=stopped_figures,
    ),
)  # fmt: skip
FRAME_CASES = (
    Case(
        "kronions, 4 seats", "kronions", TWO, (20, 100), 4, runs=400, truth=10_000,
        read=frame_figures(*_KRONIONS), warns=False,
    ),
    Case(
        "kronions, with and without the hook", "kronions", ("heuristic",), (20, 100), 3, {"only_round": 4},
        runs=400, truth=20_000, read=frame_figures("hook_effect"), warns=False,
    ),
    Case(
        "truf deal", "truf", TWO, (50, 200), format="deal", runs=400, truth=40_000,
        read=frame_figures(*_TRUF), warns=False,
    ),
    Case(
        "kosmogonia, 3 seats", "kosmogonia", TWO, (20, 100), 3, moves=True, runs=400, truth=10_000,
        read=frame_figures(*_KOSMOGONIA), warns=False,
    ),
)  # fmt: skip
CASES = {"tournaments": TOURNAMENTS, "stops": STOPS, "frames": FRAME_CASES}
