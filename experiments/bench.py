"""How fast simulators and searches are on this machine, on one core: medians over repeats, after warm-up."""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bots import Bot
from bots.specs import parse_bot
from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.spec import InvalidRules
from cardkit.state import State
from cardkit.verbs import deals_done, policy
from cardkit.worlds import new_worlds
from experiments.games import make_game
from experiments.loops import draw_worlds, plan_again
from experiments.openspiel import search_rates
from experiments.rundir import RunDirectory
from experiments.spec import data_in_words, make_spec, versions
from experiments.tables import console, plain_table
from experiments.tournament import run

REPEATS = 7
BATCH = 16_384
_OPEN_SPIEL_DEALS = 400
_DEAL_ROWS = 448_000  # rows of deals in the run that measures the files
_ITERATIONS = 2_000  # of a search
_SEARCHES = ("ismcts:rollout=random", "ismcts", "moismcts")
_PLANS, _WORLDS = 10_000, 200_000  # in a row


@dataclass(frozen=True)
class Figure:
    """One measured quantity.

    Attributes:
        what: what was measured.
        value: the median.
        low, high: the smallest and the largest of the repeats.
        unit: of the value.
    """

    what: str
    value: float
    low: float
    high: float
    unit: str


def figure(what: str, unit: str, values: list[float]) -> Figure:
    """The figure of repeated measurements."""
    return Figure(what, median(values), min(values), max(values), unit)


def run_bench(game_name: str, against: str | None, json_file: Path | None) -> None:
    """Measure a game and print a table.

    Args:
        game_name: the game.
        against: "openspiel" measures its `oh_hell` side by side, on deals of the same size.
        json_file: also write the figures there.

    Raises:
        InvalidRules: unknown game, one that the other library does not have, or no folder for the file.
    """
    if json_file and not json_file.parent.is_dir():
        raise InvalidRules(f"cannot write {str(json_file)!r}: there is no folder {str(json_file.parent)!r}")
    if against and find_spec("pyspiel") is None:
        raise InvalidRules("openspiel is not installed: pip install 'hiddenhand[bench]'")
    game = make_game(game_name)
    sized = make_game(game_name, **game.bench_options)
    if against and game_name != "kronions":
        raise InvalidRules(f"openspiel has no game like {game_name!r}: expected kronions")
    figures = [*_play_figures(sized, game.bench_label), *_step_figures(sized)]
    figures += [*_world_figures(sized), *_search_figures(sized)]
    if against:
        figures += [*_against_openspiel(), *_search_against_openspiel()]
    figures += [*_file_figures(game), *_start_figures(game_name)]
    figures.append(figure("record", "bytes", [game.state_dtype.itemsize]))
    out = console()
    cards = f", {data_in_words(game.data())}" if game.data() else ""
    table = plain_table(f"bench {game_name}: {_machine()}{cards}", "what", "median", "lowest", "highest", "unit")
    for found in figures:
        table.add_row(found.what, _show(found.value), _show(found.low), _show(found.high), found.unit)
    out.print(table)
    if json_file:
        data = {
            "machine": _machine(),
            "versions": versions(),
            "data": game.data(),
            "figures": [asdict(found) for found in figures],
        }
        json_file.write_text(json.dumps(data, indent=1) + "\n")


def _machine() -> str:
    return f"{platform.machine()}, Python {platform.python_version()}, one core"


def _show(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.3g}"


def _seconds(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _rates(play: Callable[[int], tuple[int, int]]) -> tuple[list[float], list[float]]:
    """Deals and decisions a second of `play(seed) -> (deals, decisions)`, over the repeats."""
    play(0)
    deals, decisions = [], []
    for seed in range(REPEATS):
        start = time.perf_counter()
        counts = play(seed)
        seconds = time.perf_counter() - start
        deals.append(counts[0] / seconds)
        decisions.append(counts[1] / seconds)
    return deals, decisions


def _play_figures(game: Game, label: str) -> list[Figure]:
    """Whole deals at random and by the heuristic: shuffling, bids, play and scoring."""
    figures = []
    for player, size in (("random", 8 * BATCH), ("heuristic", BATCH)):

        def play(seed: int, player: str = player, size: int = size) -> tuple[int, int]:
            return size, game.new_batch(size, seed).rollout(player, seed)

        deals, decisions = _rates(play)
        figures.append(figure(f"{player} {game.bench_unit}, {label}", f"{game.bench_unit}/s", deals))
        figures.append(figure(f"{player} decisions, {label}", "decisions/s", decisions))
    return figures


def _step_figures(game: Game) -> list[Figure]:
    """`batch.step` from Python, legal masks out; choosing the actions is not counted."""

    def steps(seed: int) -> tuple[float, int]:
        batch = game.new_batch(BATCH, seed)
        seconds, decisions = 0.0, 0
        while not batch.is_terminal().all():
            actions = batch.random_actions()
            decisions += int((~batch.is_terminal()).sum())
            start = time.perf_counter()
            batch.step(actions)
            seconds += time.perf_counter() - start
        return seconds, decisions

    steps(0)
    measured = [steps(seed) for seed in range(REPEATS)]
    return [
        figure(f"batch.step, {BATCH:,} games", "decisions/s", [decisions / seconds for seconds, decisions in measured])
    ]


def _views(game: Game, seed: int) -> list[State]:
    """What the seats to move see in the first deal of a board, as the heuristic plays it."""
    state, rng, found = game.new_initial_state(seed), new_rng(seed), []
    while not state.is_terminal() and deals_done(game.rules, state.record) == 0:
        found.append(state.view(state.current_player()))
        state.apply_action(int(policy(game.rules, state.record, rng)))
    return found


def _world_figures(game: Game) -> list[Figure]:
    """Worlds that agree with a view: preparing to draw them, and drawing them."""
    records, worlds = game.new_records(2), new_worlds()

    def measure(seed: int) -> tuple[float, float]:
        views = _views(game, seed)
        view = views[len(views) // 2]
        seat, rng = view.current_player(), new_rng(seed)
        records[0] = view.record
        plans = _seconds(partial(plan_again, game.rules, records, seat, worlds, _PLANS))
        draws = _seconds(partial(draw_worlds, game.rules, records, seat, worlds, rng, _WORLDS))
        return plans / _PLANS * 1e6, _WORLDS / draws

    measure(0)
    measured = [measure(seed) for seed in range(REPEATS)]
    return [
        figure("plan of the worlds, middle of a deal", "microseconds", [microseconds for microseconds, _ in measured]),
        figure("worlds, middle of a deal", "worlds/s", [rate for _, rate in measured]),
    ]


def _search_figures(game: Game) -> list[Figure]:
    """Simulations a second of the bots that search, at the first decision of a deal that leaves a choice."""
    boards = [_views(game, seed) for seed in range(REPEATS)]
    figures = []
    for text in _SEARCHES:
        bot = Bot(parse_bot(f"{text}{',' if ':' in text else ':'}iterations={_ITERATIONS}"), game)
        _search_rate(bot, boards[0])
        rates = [_search_rate(bot, views) for views in boards]
        figures.append(figure(f"{text}, {_ITERATIONS:,} iterations, first decision", "simulations/s", rates))
    return figures


def _search_rate(bot: Bot, views: Iterable[State]) -> float:
    """Simulations a second at the first of some views at which a bot searches."""
    assert bot.room
    counts = bot.room.counts[0]
    counts.iterations = 0
    seconds = 0.0
    for view in views:
        seconds = _seconds(partial(bot.choose, view, np.random.default_rng(0)))
        if counts.iterations:
            break
    return int(counts.iterations) / seconds


def _against_openspiel() -> list[Figure]:
    """OpenSpiel's `oh_hell`, 4 seats x 12 tricks, driven from Python, and ours of that size, in turn."""
    import pyspiel

    theirs = pyspiel.load_game("oh_hell(players=4,num_tricks_fixed=12)")
    ours = make_game("kronions", "oh_hell", num_players=4, hand_size=12)
    ours.new_batch(BATCH, 0).rollout("random", 0)
    rates: list[tuple[float, float]] = []
    for seed in range(REPEATS):
        their_seconds = _seconds(partial(_play_openspiel, theirs, _OPEN_SPIEL_DEALS, seed))
        our_seconds = _seconds(partial(_play_here, ours, 8 * BATCH, seed))
        rates.append((_OPEN_SPIEL_DEALS / their_seconds, 8 * BATCH / our_seconds))
    return [
        figure("oh_hell 4 x 12 here, random deals", "deals/s", [here for _, here in rates]),
        figure("oh_hell 4 x 12 in OpenSpiel from Python", "deals/s", [there for there, _ in rates]),
        figure("ratio, here to OpenSpiel", "times", [here / there for there, here in rates]),
    ]


def _search_against_openspiel() -> list[Figure]:
    """OpenSpiel's ISMCTS bot in C++ and ours, both with random rollouts, at first bids of `oh_hell`, in turn."""
    rates = search_rates(_ITERATIONS, REPEATS)
    what = f"random rollouts, {_ITERATIONS:,} iterations, first bid of oh_hell 4 x 12"
    return [
        figure(f"ismcts here, {what}", "simulations/s", [here for here, _ in rates]),
        figure(f"ISMCTS of OpenSpiel in C++, {what}", "simulations/s", [there for _, there in rates]),
        figure("ratio of the searches, here to OpenSpiel", "times", [here / there for here, there in rates]),
    ]


def _play_here(game: Game, deals: int, seed: int) -> None:
    """Random deals in compiled code."""
    game.new_batch(deals, seed).rollout("random", seed)


def _play_openspiel(game: Any, deals: int, seed: int) -> None:
    """Random deals in OpenSpiel, driven from Python as its examples do."""
    rng = random.Random(seed)
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))


def _file_figures(game: Game) -> list[Figure]:
    """What logging costs: seconds a row on the writer's thread, its share of the run, bytes a row of deals."""
    microseconds, shares, size = [], [], []
    boards = max(8, _DEAL_ROWS // (2 * game.num_players * game.max_deals()))
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(3):
            spec = make_spec(game.name, ["random", "heuristic"], boards=boards, seed=repeat)
            directory = run(spec, Path(folder) / str(repeat), workers=1)
            rows = sum(directory.num_rows(table) for table in directory.tables)
            microseconds.append(directory.write_seconds() / rows * 1e6)
            shares.append(100 * directory.write_seconds() / directory.play_seconds())
            size.append(_bytes_of_deals(directory))
    return [
        figure("writing Parquet, own thread", "microseconds/row", microseconds),
        figure("writing, share of the playing time", "%", shares),
        figure("a row of deals on disk", "bytes", size),
    ]


def _bytes_of_deals(directory: RunDirectory) -> float:
    return directory.size("deals") / directory.num_rows("deals")


def _start_figures(game_name: str) -> list[Figure]:
    """Fresh processes: the help, and a whole small tournament with compiled code from the cache."""
    command = [sys.executable, "-m", "experiments.cli"]
    with tempfile.TemporaryDirectory() as folder:
        play = [*command, "tournament", game_name, "--bot", "random", "--bot", "heuristic", "--boards", "1", "--out"]

        def tournament(number: int) -> float:
            out = [str(Path(folder) / str(number))]
            return _seconds(lambda: subprocess.run([*play, *out], check=True, capture_output=True))

        tournament(-1)
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"HIDDENHAND_CACHE": cache}
            words = [*play, str(Path(folder) / "cold")]
            cold = _seconds(lambda: subprocess.run(words, check=True, capture_output=True, env=environment))
        helps = [
            _seconds(lambda: subprocess.run([*command, "--help"], check=True, capture_output=True)) for _ in range(5)
        ]
        return [
            figure("hiddenhand --help", "seconds", helps),
            figure("a tournament of one board, fresh process", "seconds", [tournament(i) for i in range(3)]),
            figure("the same with nothing compiled yet", "seconds", [cold]),
        ]
