"""How far the statistics can be trusted, by simulation: the tables of docs/statistics.md.

    python -m tests.coverage                  print all tables (a quarter of an hour)
    python -m tests.coverage coverage         one of them: see TABLES
    python -m tests.coverage --write          put them into docs/statistics.md

The slow tests hold the same simulations to the figures promised.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from experiments.boards import BoardResults, Games, Held, part_games, strata_of
from experiments.intervals import Strata, bounded_interval, mean_interval, spread
from experiments.match import play_part
from experiments.ratings import ratings
from experiments.rundir import RunDirectory
from experiments.schedule import Schedule, seatings
from experiments.seating import rotation_gains
from experiments.spec import RunSpec, make_spec
from experiments.stats import compare
from experiments.tournament import run
from tests.shapes import SHAPES
from tests.stop_coverage import round_table, sequential_table, stopped_table
from tests.twins import neighbour_table

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "statistics.md"
SIZES = (10, 20, 50, 100, 200, 400)  # boards
RUNS = 4_000  # of a cell of the table
MEASURES = ("points", "win share", "rank", "difference", "share difference")
_SCHEDULES = 200  # different ones of a simulation whose line-ups are drawn
_VALUES_AT_ONCE = 4_000_000  # simulated seats of games, which bounds memory


class Scenario(NamedTuple):
    """A simulated game: a seat's points are its bot's skill, the seat's luck on the board and the game's own luck.

    Attributes:
        seats: at the table.
        skills: of the bots.
        shape: of both kinds of luck, which have mean 0 and standard deviation 1.
        grain: points are rounded to its multiples, which makes ties.
        luck: weight of the board's luck; that of the game is 1.
    """

    seats: int
    skills: tuple[float, ...]
    shape: str
    grain: float = 0.25
    luck: float = 1.0

    def __str__(self) -> str:
        skills = " ".join(f"{skill:g}" for skill in self.skills)
        return f"{self.seats} seats, skills {skills}, {self.shape}" + (", many ties" if self.grain > 1 else "")


SCENARIOS = (
    Scenario(2, (0, 0), "normal"),
    Scenario(2, (2.6, 0), "normal", luck=0.5),
    Scenario(2, (1.5, 0), "skew 2"),
    Scenario(3, (0, 0.3, 0.8), "skew 4"),
    Scenario(4, (0, 0.5, 1, 3.2), "skew 2"),
    Scenario(4, (0, 0, 1, 1), "normal", grain=3),
    Scenario(4, (0, 1.2), "skew 2"),
    Scenario(4, (0, 0.5, 1.2), "normal"),
    Scenario(3, (0, 0.5, 1, 1.5, 2), "skew 2"),
    Scenario(5, (0, 0.2, 0.4, 0.6, 3), "normal"),
    Scenario(6, (0, 0, 0.5, 0.5, 1, 2), "skew 4", luck=0.5),
)


def simulate(scenario: Scenario, boards: int, runs: int, rng: np.random.Generator) -> Games:
    """The games of some runs, one after the other: boards are numbered through, `boards` to a run.

    Runs whose line-ups are drawn have up to `_SCHEDULES` different schedules.
    """
    schedules = [Schedule(len(scenario.skills), scenario.seats)]
    if not schedules[0].is_in_turn:
        seeds = rng.integers(1 << 32, size=min(runs, _SCHEDULES))
        schedules = [Schedule(len(scenario.skills), scenario.seats, seed=int(seed)) for seed in seeds]
    lineups = [(one.lineup_of_board(board), one.lineup(board)) for one in schedules for board in range(boards)]
    times = -(-runs // len(schedules))
    bots = np.tile(np.array([seatings(lineup) for _, lineup in lineups]), (times, 1, 1))[: runs * boards]
    draw = SHAPES[scenario.shape]
    luck = scenario.luck * draw(rng, (len(bots), 1, scenario.seats)) + draw(rng, bots.shape)
    score = np.round((np.array(scenario.skills, np.float32)[bots] + luck) / scenario.grain) * scenario.grain
    place = 1 + sum((score[:, :, seat, None] > score).astype(np.int8) for seat in range(scenario.seats))
    won = place == 1
    lineup = np.tile([number for number, _ in lineups], times)[: runs * boards]
    return Games(np.arange(len(bots)), lineup, bots, score, place, won / won.sum(axis=2, keepdims=True))


def samples(scenario: Scenario, boards: int, runs: int, seed: int) -> Iterator[BoardResults]:
    """The results of so many simulated runs, some at a time."""
    rng = np.random.default_rng(seed)
    labels = [f"bot{i}" for i in range(len(scenario.skills))]
    games = Schedule(len(labels), scenario.seats).games_a_board
    at_once = max(1, _VALUES_AT_ONCE // (boards * games * scenario.seats))
    for start in range(0, runs, at_once):
        yield BoardResults.of_games(simulate(scenario, boards, min(at_once, runs - start), rng), labels)


class Figure(NamedTuple):
    """The values of a bot or of a pair, in some runs with as many boards.

    Attributes:
        place: of the figure among those of a scenario.
        measure: one of `MEASURES`.
        values: shape `(runs, boards)`.
        strata: of the boards, the same in all runs.
        bounds: what a mean can be; equal where there are none.
    """

    place: int
    measure: str
    values: np.ndarray
    strata: Strata
    bounds: tuple[float, float]


def figures_of(results: BoardResults, boards: int) -> Iterator[Figure]:
    """Every figure of some runs of so many boards."""
    held = [results.bot(label) for label in results.labels]
    for bot, one in enumerate(held):
        most = float(np.minimum(1, one.games / one.seats).mean())
        values = {measure: one.means(measure) for measure in ("points", "win_share", "rank")}
        limits = {"points": (0.0, 0.0), "win_share": (0.0, most), "rank": (1.0, float(results.num_seats))}
        yield from _by_run(5 * bot, MEASURES[:3], values, limits, one, boards)
        other = held[(bot + 1) % len(held)]
        _, rows, others = np.intersect1d(one.board, other.board, assume_unique=True, return_indices=True)
        one, other = one.at(rows), other.at(others)
        values = {measure: one.means(measure) - other.means(measure) for measure in ("points", "win_share")}
        limits = {"points": (0.0, 0.0), "win_share": (-float(np.minimum(1, other.games / other.seats).mean()), most)}
        yield from _by_run(5 * bot + 3, MEASURES[3:], values, limits, one, boards)


def _by_run(
    place: int,
    names: tuple[str, ...],
    values: dict[str, np.ndarray],
    limits: dict[str, tuple[float, float]],
    held: Held,
    boards: int,
) -> Iterator[Figure]:
    """The figures of runs in which bots sat on equally many boards, for each such number."""
    run = held.board // boards
    counts = np.bincount(run)
    for count in set(counts[counts > 0].tolist()):
        chosen = counts[run] == count
        first = np.flatnonzero(chosen)[:count]  # where line-ups are in turn all runs have the same design
        strata = strata_of(held.lineup[first], held.variant[first])
        for i, (name, measure) in enumerate(zip(names, values, strict=True)):
            yield Figure(place + i, name, values[measure][chosen].reshape(-1, count), strata, limits[measure])


def truths(scenario: Scenario, runs: int = RUNS) -> list[float]:
    """The figures in truth, in the order of `values_of`: means over many runs of 400 boards."""
    cycle = Schedule(len(scenario.skills), scenario.seats).cycle
    boards = cycle * max(1, 400 // cycle)
    sums = np.zeros((2, 5 * len(scenario.skills)))
    for results in samples(scenario, boards, runs, seed=1):
        for figure in figures_of(results, boards):
            sums[:, figure.place] += figure.values.sum(), figure.values.size
    found: list[float] = (sums[0] / sums[1]).tolist()
    return found


def coverage(scenario: Scenario, boards: int, truth: list[float], runs: int = RUNS) -> list[tuple[str, float]]:
    """How often the interval of each figure holds the truth, with the measure of the figure."""
    hits = np.zeros((2, len(truth)))
    for results in samples(scenario, boards, runs, seed=boards):
        for place, _, values, strata, bounds in figures_of(results, boards):
            found = spread(values, strata)
            limited = bounds[1] > bounds[0]
            low, high = bounded_interval(found, values.shape[1], bounds) if limited else mean_interval(found)
            hits[:, place] += np.count_nonzero((low <= truth[place]) & (truth[place] <= high)), len(values)
    return [(MEASURES[place % 5], float(share)) for place, share in enumerate(hits[0] / hits[1])]


def coverage_table() -> Iterator[str]:
    """Coverage by shape and number of boards: the least and the most over the bots and pairs of all scenarios."""
    yield "| luck | boards | points | win share | rank | difference | difference of shares |"
    yield "|---|---|---|---|---|---|---|"
    for shape in SHAPES:
        scenarios = [(scenario, truths(scenario)) for scenario in SCENARIOS if scenario.shape == shape]
        for boards in SIZES:
            found = [pair for scenario, truth in scenarios for pair in coverage(scenario, boards, truth)]
            cells = [[100 * share for name, share in found if name == measure] for measure in MEASURES]
            yield f"| {shape} | {boards} | " + " | ".join(_range(cell) for cell in cells) + " |"


def _range(cell: list[float]) -> str:
    return f"{min(cell):.1f} - {max(cell):.1f}"


def rating_coverage(scenario: Scenario, boards: int, runs: int) -> list[float]:
    """How often the interval of each bot's rating holds the rating that a very long run gives."""
    labels = [f"bot{i}" for i in range(len(scenario.skills))]
    rng = np.random.default_rng(boards)
    many = [BoardResults.of_games(simulate(scenario, boards, 40_000 // boards, rng), labels)]
    truth = ratings(BoardResults.join(many)).bots
    hits = np.zeros(len(labels))
    for _ in range(runs):
        found = ratings(BoardResults.of_games(simulate(scenario, boards, 1, rng), labels)).bots
        hits += [one.low <= real.rating <= one.high for one, real in zip(found, truth, strict=True)]
    return list(hits / runs)


RATED = tuple(SCENARIOS[i] for i in (0, 1, 4, 8))  # even, one-sided, several bots, more bots than seats


def rating_table() -> Iterator[str]:
    """Coverage of ratings by number of boards: the least and the most over the bots."""
    yield "| simulated game | " + " | ".join(f"{boards} boards" for boards in SIZES) + " |"
    yield "|---" * (len(SIZES) + 1) + "|"
    for scenario in RATED:
        cells = [[100 * x for x in rating_coverage(scenario, boards, 500)] for boards in SIZES]
        yield f"| {scenario} | " + " | ".join(_range(cell) for cell in cells) + " |"


def self_play(boards: int, runs: int) -> dict[str, int]:
    """In how many runs one bot under two names seems to differ from itself: real single deals of Kronions."""
    bots = ("a=heuristic:epsilon=0.2", "b=heuristic:epsilon=0.2")
    found = dict.fromkeys(("points", "win share", "rating"), 0)
    for seed in range(runs):
        spec = make_spec("kronions", bots, options={"num_players": 4}, boards=boards, format="deal", seed=seed)
        results = BoardResults.join(list(_played(spec)))
        (pair,) = compare(results)
        found["points"] += not pair.points.low <= 0 <= pair.points.high
        found["win share"] += not pair.win_share.low <= 0 <= pair.win_share.high
        rating = ratings(results).bots[0]
        found["rating"] += not rating.low <= 0 <= rating.high
    return found


def _played(spec: RunSpec) -> Iterator[BoardResults]:
    """The results of a run that is played in memory."""
    labels = [label for label, _ in spec.bots]
    for part in range(spec.num_parts):
        tables = play_part(spec, part, np.zeros(1, np.int64))
        yield BoardResults.of_games(part_games(tables["games"]), labels, spec.rounds)


def self_play_table() -> Iterator[str]:
    """Self-play of one bot under two names."""
    yield "| boards | runs | points differ % | win shares differ % | ratings differ % |"
    yield "|---|---|---|---|---|"
    for boards in (50, 100):
        found = self_play(boards, 2000)
        yield f"| {boards} | 2000 | " + " | ".join(f"{count / 20:.2f}" for count in found.values()) + " |"


ROTATED = (
    ("kronions", 2, "deal", 4000),
    ("kronions", 4, "deal", 4000),
    ("kronions", 4, "game", 2000),
    ("truf", 4, "deal", 2000),
    ("truf", 4, "game", 100),
    ("kosmogonia", 4, "game", 2000),
)


def rotation_table() -> Iterator[str]:
    """What rotation is worth with real bots."""
    yield "| game, seats | format | boards | heuristic | random | epsilon | heuristic - random | heuristic - epsilon |"
    yield "|---|---|---|---|---|---|---|---|"
    bots = ("heuristic", "random", "epsilon=heuristic:epsilon=0.2")
    for game, seats, format, boards in ROTATED:
        options = {} if game == "truf" else {"num_players": seats}
        spec = make_spec(game, bots, options=options, boards=boards, seed=20261130, format=format)
        with tempfile.TemporaryDirectory() as folder:
            run(spec, Path(folder) / "run")
            gains = {gain.bot: gain.gain for gain in rotation_gains(RunDirectory.open(Path(folder) / "run"))}
        shown = (*(spec.bots[i][0] for i in range(3)), "heuristic - random", "heuristic - epsilon")
        yield f"| {game} {seats} | {format} | {boards} | " + " | ".join(f"{gains[name]:.2f}" for name in shown) + " |"


TABLES = {
    "neighbours": neighbour_table,
    "coverage": coverage_table,
    "ratings": rating_table,
    "sequential": sequential_table,
    "rounds": round_table,
    "stopped": stopped_table,
    "selfplay": self_play_table,
    "rotation": rotation_table,
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(TABLES)))
@click.option("--write", "is_write", is_flag=True, help="Put the tables into docs/statistics.md.")
def main(names: tuple[str, ...], is_write: bool) -> None:
    """Measure and print the tables of docs/statistics.md."""
    for name in names or TABLES:
        lines = []
        for line in TABLES[name]():
            click.echo(line)
            lines.append(line)
        if is_write:
            write_section(name, lines)


def write_section(name: str, lines: Sequence[str], document: Path | None = None) -> None:
    """Put lines into a document (docs/statistics.md) between the comments of a table.

    Raises:
        ValueError: the document has no such comments.
    """
    document = document or DOCUMENT
    pattern = re.compile(rf"(<!-- {name}: begin -->\n).*(<!-- {name}: end -->)", re.DOTALL)
    text = "\n".join(lines) + "\n"
    written, count = pattern.subn(lambda found: found.group(1) + text + found.group(2), document.read_text())
    if count != 1:
        raise ValueError(f"{document.name} has {count} places <!-- {name}: begin -->: expected one")
    document.write_text(written)


if __name__ == "__main__":
    main()
