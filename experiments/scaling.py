"""How costs grow: with hand size, seats, iterations, batch size, workers and boards; the plots of docs/benchmarks.md.

    python -m experiments.scaling                      measure everything (ten minutes) and write plots and document
    python -m experiments.scaling --only hand-size     measure some, and write their plots

What is drawn is kept as docs/plots/scaling.json: `--draw` draws it again without measuring. Equal figures give equal
drawings.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from cardkit.spec import InvalidRules
from experiments.bench_page import DOCUMENT, measured_where, write_part
from experiments.benches import play_case, search_case, step_case, world_case
from experiments.commands import CONTEXT, Command, plain_errors
from experiments.games import game_names, make_game
from experiments.measuring import FULL, Scale, busy_note, figures, machine
from experiments.scaling_plots import Panel, Plot, Series, draw
from experiments.spec import make_spec, versions
from experiments.tournament import run

FOLDER = DOCUMENT.parent / "plots"
DATA = FOLDER / "scaling.json"
_HAND_SIZE, _SEATS, _ITERATIONS = 8, 4, 2_000
_RATE = "/s"
_PEAK_MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
sys.stdout.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""
_WORKERS = (1, 2, 3, 4)
_BOTS = ("heuristic", "e=heuristic:epsilon=0.05")
_BOARDS_COMMAND = ("tournament", "kronions", "--bot", _BOTS[0], "--bot", _BOTS[1], "--format", "deal")


@dataclass(frozen=True)
class Study:
    """Something that costs depend on.

    Attributes:
        title: of the section in the document.
        says: what the drawing shows.
        measure: makes the drawing.
        is_wall: whether it is timed by the clock on the wall, and spoiled by other programs.
    """

    title: str
    says: str
    measure: Callable[[Scale], Plot]
    is_wall: bool = False


def _times(case: Any, scale: Scale) -> tuple[float, float, float]:
    """Microseconds of what a case gives as its last rate: median, lowest, highest."""
    found = figures([case], scale)[-1]
    assert found.label.unit.endswith(_RATE)
    return 1e6 / found.value, 1e6 / found.high, 1e6 / found.low


def _deal_costs(games: Mapping[int, Any], x_label: str, scale: Scale) -> Plot:
    """What a decision, a world and a simulation cost in deals of several sizes."""
    cases: dict[str, Callable[[Any], Any]] = {
        "a simulation of ismcts": lambda game: search_case(game, "ismcts", _ITERATIONS, 1, scale),
        "the same, random rollouts": lambda game: search_case(game, "ismcts:rollout=random", _ITERATIONS, 1, scale),
        "a world, halfway": lambda game: world_case(game, "halfway", 1, scale),
        "a heuristic decision": lambda game: play_case(game, "heuristic", 1, scale),
        "a random decision": lambda game: play_case(game, "random", 1, scale),
    }
    series = [
        Series(name, [(x, *_times(case(game), scale)) for x, game in games.items()]) for name, case in cases.items()
    ]
    return Plot([Panel("microseconds each", series)], x_label, is_log_x=False)


def hand_sizes(scale: Scale) -> Plot:
    """Kronions, 4 seats, deals of 1 to 12 tricks."""
    games = {size: make_game("kronions", "oh_hell", num_players=_SEATS, hand_size=size) for size in range(1, 13)}
    return _deal_costs(games, "tricks of a deal (4 seats)", scale)


def seats(scale: Scale) -> Plot:
    """Kronions, 2 to 6 seats, deals of 8 tricks."""
    games = {n: make_game("kronions", "oh_hell", num_players=n, hand_size=_HAND_SIZE) for n in range(2, 7)}
    return _deal_costs(games, f"seats ({_HAND_SIZE} tricks)", scale)


def iterations(scale: Scale) -> Plot:
    """Searches of 20 to 200,000 iterations from the first decision of a deal that leaves a choice."""
    most = 100 * max(scale.iterations[-1] // 200, 2)
    numbers = [n for n in (20, 100, 500, 2_000, 10_000, 50_000, 200_000) if n <= most * 20]
    series = []
    for name in game_names():
        game = make_game(name, **make_game(name).bench_options)
        found = [(n, *_times(search_case(game, "ismcts", n, 1, scale), scale)) for n in numbers if _fits(name, n)]
        series.append(Series(f"{name}, ismcts", found))
    return Plot([Panel("microseconds a simulation", series)], "iterations of a decision", is_log_x=True)


def _fits(name: str, number: int) -> bool:
    """Whether a search of so many iterations takes seconds at most."""
    return name == "kronions" or number <= 50_000


def batch_sizes(scale: Scale) -> Plot:
    """`batch.step` from Python with batches of 1 to 65,536 games."""
    sizes = [4**power for power in range(9) if 4**power <= scale.step_sizes[-1]]
    series = []
    for name in game_names():
        game = make_game(name, **make_game(name).bench_options)
        series.append(Series(name, [(size, *_times(step_case(game, size, 1, scale), scale)) for size in sizes]))
    return Plot([Panel("microseconds a decision", series)], "games in the batch", is_log_x=True)


def workers(scale: Scale) -> Plot:
    """Tournaments of bots that search and of some that do not, with 1 to 4 workers."""
    series = []
    for name, bots, boards in (
        ("mc:iterations=200", ["mc:iterations=200", "heuristic"], scale.rows // 1000),
        ("heuristic", list(_BOTS), scale.rows // 10),
    ):
        spec = make_spec("kronions", bots, options={"num_players": _SEATS}, format="deal", boards=max(8, boards))
        _boards_a_second(spec, 1)  # what is not compiled yet is now
        rounds = [[_boards_a_second(spec, number) for number in _WORKERS] for _ in range(max(2, scale.runs))]
        ratios = [sorted(one[i] / one[0] for one in rounds) for i in range(len(_WORKERS))]
        points = [(n, found[len(found) // 2], found[0], found[-1]) for n, found in zip(_WORKERS, ratios, strict=True)]
        series.append(Series(name, points))
    cores = machine()["cores"]
    series.append(Series(f"no loss, {cores} cores", [(n, *[float(min(n, cores))] * 3) for n in _WORKERS]))
    return Plot([Panel("times one worker", series, is_log=False)], "workers", is_log_x=False)


def _boards_a_second(spec: Any, number: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run(spec, Path(folder) / "run", workers=number)
        return float(spec.boards / (time.perf_counter() - start))


def boards(scale: Scale) -> Plot:
    """Whole commands: a tournament of single deals of two heuristic bots, two workers."""
    seconds: list[tuple[float, ...]] = []
    megabytes: list[tuple[float, ...]] = []
    for number in (100, 1_000, 10_000, 100_000, 1_000_000):
        if number > max(100, 4 * scale.rows):
            break
        found = [_whole_command(number) for _ in range(scale.runs if number < 1_000_000 else 1)]
        for points, place in ((seconds, 0), (megabytes, 1)):
            values = sorted(one[place] for one in found)
            points.append((number, values[len(values) // 2], values[0], values[-1]))
    panels = [Panel("seconds", [Series("whole command", seconds)]),
              Panel("peak memory, MB", [Series("whole command", megabytes)], is_log=False)]  # fmt: skip
    return Plot(panels, "boards", is_log_x=True)


def _whole_command(number: int) -> tuple[float, float]:
    """Seconds and peak memory in MB of a tournament in a process of its own.

    It is started by a process between, since Linux counts the memory of who starts a process as the process's own.
    """
    words = [sys.executable, "-m", "experiments.cli", *_BOARDS_COMMAND]
    with tempfile.TemporaryDirectory() as folder:
        options = ["--boards", str(number), "--workers", "2", "--out", str(Path(folder) / "run")]
        between = [sys.executable, "-c", _PEAK_MEMORY, *words, *options]
        start = time.perf_counter()
        kilobytes = int(subprocess.run(between, check=True, capture_output=True, text=True).stdout)
        return time.perf_counter() - start, kilobytes / 1000


STUDIES = {
    "hand-size": Study(
        "Hand size",
        "Kronions (preset `oh_hell`) with 4 seats; searches of 2,000 iterations.",
        hand_sizes,
    ),
    "seats": Study("Seats", "The same with 2 to 6 seats and 8 tricks.", seats),
    "iterations": Study(
        "Iterations",
        "From the first decision of a deal with a choice.",
        iterations,
    ),
    "batch-size": Study(
        "Batch size",
        "`batch.step` from Python with masks, the first 128 decisions of a game: a batch shares what a call costs.",
        batch_sizes,
    ),
    "workers": Study("Workers", "Single deals of Kronions with 4 seats, files written.", workers, is_wall=True),
    "boards": Study(
        "Boards",
        f"Whole commands: `hiddenhand {' '.join(_BOARDS_COMMAND)} --workers 2 --boards N`.",
        boards,
        is_wall=True,
    ),
}


def section(data: Mapping[str, Any]) -> str:
    """The part of the document that shows what was measured."""
    lines = []
    for name, study in STUDIES.items():
        if name in data:
            found = data[name]
            image = f"![{study.title}: cost by {found['plot']['x_label']}](plots/{name}.svg)"
            command = f"`python -m experiments.scaling --only {name}`"
            note = busy_note(found["machine"]) if study.is_wall else ""
            says = (
                f"{study.says} By the clock on the wall{'; ' if note else ''}{note}." if study.is_wall else study.says
            )
            lines += [f"### {study.title}", "", says, "", image, "", f"{command}, {measured_where(found)}.", ""]
    return "\n".join(lines)


@click.command(cls=Command, context_settings=CONTEXT)
@click.option("--only", type=click.Choice(list(STUDIES)), multiple=True, help="Measure this, and keep the rest.")
@click.option("--draw", "is_drawing", is_flag=True, help="Measure nothing: draw again what was measured.")
def main(only: tuple[str, ...], is_drawing: bool) -> None:
    """Measure how costs grow, and write the plots of docs/benchmarks.md."""
    with plain_errors():
        measure_and_draw(only or tuple(STUDIES), is_drawing, FULL)


def _kept() -> dict[str, Any]:
    """What was measured before, by study.

    Raises:
        InvalidRules: the file holds something else.
    """
    if not DATA.is_file():
        return {}
    try:
        data: dict[str, Any] = json.loads(DATA.read_text())
        if all(name in STUDIES and Plot.from_json(found["plot"]).panels for name, found in data.items()):
            return data
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise InvalidRules(f"{DATA.name} does not hold what was measured: delete it, and measure again")


def measure_and_draw(names: tuple[str, ...], is_drawing: bool, scale: Scale) -> None:
    """Measure studies, unless they are only drawn, and write data, plots and document.

    How busy the machine is, is looked at before: afterwards it would be the studies themselves.
    """
    FOLDER.mkdir(exist_ok=True)
    where = machine()
    data = _kept()
    if not is_drawing:
        for name in names:
            plot = STUDIES[name].measure(replace(scale, patience=scale.patience / 3))
            data[name] = {"machine": where, "versions": versions(), "plot": plot.to_json()}
            DATA.write_text(json.dumps(data) + "\n")
            click.echo(f"measured: {name}")
    for name, found in data.items():
        (FOLDER / f"{name}.svg").write_text(draw(Plot.from_json(found["plot"]), STUDIES[name].title))
    write_part(DOCUMENT, "scaling", section(data))


if __name__ == "__main__":
    main()
