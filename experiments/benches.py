"""What is measured of each game: play, steps of batches, worlds, searches, log files, start-up and memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bots import Bot, BotSpec
from bots.room import NODE
from bots.specs import parse_bot
from cardkit.game import Game
from cardkit.rng import new_rng
from cardkit.state import State
from cardkit.verbs import deals_done, policy
from cardkit.worlds import new_worlds
from experiments.loops import draw_worlds, plan_again
from experiments.measuring import THREADS, Case, Figure, Label, Scale, at_once, enough, figure, figures, seconds_of
from experiments.spec import make_spec
from experiments.tournament import run

PLAY = "play, compiled"
STEP = "batch.step from Python, with masks"
WORLDS = "worlds of what a seat has seen"
SEARCH = "search, first decision with a choice, iterations"
FILES = "log files"
START = "fresh process, warm cache"
MEMORY = "memory"

SEARCHES = ("ismcts:rollout=random", "ismcts", "moismcts")
TIMES = {"early": 1 / 8, "halfway": 1 / 2, "late": 7 / 8}  # of a deal, as a share of its decisions
_MANY_GAMES = 1_000_000
_STEPS_AT_ONCE = 4096  # games from which a step takes longer than it takes to hand it to a thread
_TIMES_IN_BATCH = 16  # the fewest games so many times make a batch; more make more batches
_MOST_STEPS = 128  # of a batch: a game of Kosmogonia has 2,000 decisions


def game_figures(game: Game, sized: Game, scale: Scale) -> list[Figure]:
    """Everything that is measured of a game.

    Args:
        game: with its standard rules; start-up, log files and memory are those of whole games.
        sized: one deal of it, on which the rest is measured.
        scale: how large the measurements are.
    """
    threads = (1, THREADS)
    play = [play_case(sized, player, n, scale) for player in ("random", "heuristic") for n in threads]
    found = figures(play, scale)
    steps = [(size, n) for size in scale.step_sizes for n in threads if n == 1 or size >= _STEPS_AT_ONCE]
    found += figures((step_case(sized, size, n, scale) for size, n in steps), scale)
    found += figures((world_case(sized, when, n, scale) for when in TIMES for n in threads), scale)
    for iterations in scale.iterations:
        searches = [search_case(sized, text, iterations, n, scale) for text in SEARCHES for n in threads]
        found += figures(searches, scale)
    return [*found, *_file_figures(game, scale), *_start_figures(game.name, scale), *_memory_figures(sized)]


def play_case(game: Game, player: str, threads: int, scale: Scale) -> Case:
    """Whole deals at random or by the heuristic: shuffling, bids, play and scoring."""
    unit = game.bench_unit

    def play(times: int, seed: int = 0) -> int:
        size, batches = scale.games * min(times, _TIMES_IN_BATCH), max(1, times // _TIMES_IN_BATCH)
        return sum(game.new_batch(size, seed + i).rollout(player, seed + i) for i in range(batches))

    times = enough(play, scale.seconds)

    def run(repeat: int) -> tuple[float, float]:
        decisions: list[int] = []
        seeds = [(repeat * threads + thread) * times for thread in range(threads)]
        jobs = [partial(lambda seed: decisions.append(play(times, seed)), seed) for seed in seeds]
        seconds = at_once(jobs)
        return threads * times * scale.games / seconds, sum(decisions) / seconds

    names = (f"{player} {unit}", f"{unit}/s"), (f"{player} decisions", "decisions/s")
    return Case(tuple(Label(PLAY, what, unit, threads) for what, unit in names), run, is_wall=threads > 1)


def step_case(game: Game, size: int, threads: int, scale: Scale) -> Case:
    """Batches stepped with random actions, at most 128 times; choosing the actions is not counted.

    Every thread has batches of its own; the rates of all at the same time are added.
    """

    def steps(batches: int, seed: int = 0) -> float:
        seconds, decisions = 0.0, 0
        for i in range(batches):
            batch = game.new_batch(size, seed + i)
            for _ in range(_MOST_STEPS):
                left = int(np.count_nonzero(~batch.is_terminal()))
                if not left:
                    break
                actions = batch.random_actions()
                decisions += left
                seconds += seconds_of(partial(batch.step, actions))
        return decisions / seconds

    batches = enough(steps, scale.seconds)

    def run(repeat: int) -> tuple[float]:
        rates: list[float] = []
        seeds = [(repeat * threads + thread) * batches for thread in range(threads)]
        at_once([partial(lambda seed: rates.append(steps(batches, seed)), seed) for seed in seeds])
        return (sum(rates),)

    games = "1 game" if size == 1 else f"{size:,} games"
    return Case((Label(STEP, games, "decisions/s", threads),), run, is_wall=threads > 1)


def views_of_deal(game: Game, seed: int) -> list[State]:
    """What the seats to move see in the first deal of a seed, decision by decision, as the heuristic plays it."""
    state, rng, found = game.new_initial_state(seed), new_rng(seed), []
    while not state.is_terminal() and deals_done(game.rules, state.record) == 0:
        found.append(state.view(state.current_player()))
        state.apply_action(int(policy(game.rules, state.record, rng)))
    return found


class WorldsOfView:
    """The worlds of one view, drawn in compiled code.

    Attributes:
        records: the view, and the world drawn last.
    """

    def __init__(self, view: State) -> None:
        self._rules, self._seat = view.game.rules, view.current_player()
        self.records = view.game.new_records(2)
        self.records[0] = view.record
        self._worlds, self._rng = new_worlds(), new_rng(view.board)

    def plan(self, times: int) -> None:
        """Prepare to draw, so many times over."""
        plan_again(self._rules, self.records, self._seat, self._worlds, times)

    def draw(self, times: int) -> None:
        """Draw so many worlds."""
        draw_worlds(self._rules, self.records, self._seat, self._worlds, self._rng, times)


def world_case(game: Game, when: str, threads: int, scale: Scale) -> Case:
    """Preparing to draw the worlds of a view, and drawing them; each repeat looks at another deal.

    Every thread draws the worlds of that deal for itself.
    """
    boards = [views_of_deal(game, seed) for seed in range(scale.repeats)]
    views = [views[int(TIMES[when] * len(views))] for views in boards]
    found = [[WorldsOfView(view) for _ in range(threads)] for view in views]
    plans, draws = enough(found[0][0].plan, scale.seconds / 4), enough(found[0][0].draw, scale.seconds)

    def run(repeat: int) -> tuple[float, float]:
        crew = found[repeat % len(found)]
        planning = at_once([partial(worlds.plan, plans) for worlds in crew])
        drawing = at_once([partial(worlds.draw, draws) for worlds in crew])
        return planning / plans * 1e6, threads * draws / drawing

    names = ("the plan", "microseconds"), ("drawn", "worlds/s")
    labels = tuple(Label(WORLDS, f"{what}, {when} in a deal", unit, threads) for what, unit in names)
    return Case(labels, run, is_wall=threads > 1)


def search_case(game: Game, text: str, iterations: int, threads: int, scale: Scale) -> Case:
    """Simulations a second of a bot; each repeat looks at another deal, every thread has a bot of its own."""
    spec = searching(text, iterations)
    bots = [Bot(spec, game) for _ in range(threads)]
    scout = Bot(replace(spec, keys=spec.keys | {"iterations": "16"}), game)
    views = [_first_searched(scout, views_of_deal(game, seed)) for seed in range(scale.repeats)]

    def search(bot: Bot, view: State, times: int) -> None:
        for i in range(times):
            bot.choose(view, np.random.default_rng(i))

    times = enough(partial(search, bots[0], views[0]), scale.seconds)

    def run(repeat: int) -> tuple[float]:
        view = views[repeat % len(views)]
        seconds = at_once([partial(search, bot, view, times) for bot in bots])
        return (sum(iterations_done(bot) for bot in bots) * times / seconds,)

    label = Label(SEARCH, f"{text}, {iterations:,}", "simulations/s", threads)
    return Case((label,), run, is_wall=threads > 1)


def searching(text: str, iterations: int) -> BotSpec:
    """The specification of a bot that searches, with so many iterations."""
    return parse_bot(f"{text}{',' if ':' in text else ':'}iterations={iterations}")


def iterations_done(bot: Bot) -> int:
    """How many iterations the last search of a bot made."""
    assert bot.room
    return int(bot.room.counts[0].iterations)


def _first_searched(bot: Bot, views: list[State]) -> State:
    """The first of some views at which a bot searches: at others there is only one sensible action."""
    assert bot.room
    for view in views:
        bot.room.counts[0].iterations = 0
        bot.choose(view, np.random.default_rng(0))
        if iterations_done(bot):
            return view
    raise ValueError(f"no decision of {views[0].game.name} is searched by {bot.spec.text!r}")


def _file_figures(game: Game, scale: Scale) -> list[Figure]:
    """What logging costs where it costs most, with bots that do not search: time and bytes of a row.

    The first run warms up: it loads compiled code while it plays.
    """
    microseconds, shares, sizes = [], [], []
    boards = max(8, scale.rows // (2 * game.num_players * game.max_deals()))
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(-1, scale.runs):
            spec = make_spec(game.name, ["random", "heuristic"], boards=boards, seed=max(0, repeat))
            directory = run(spec, Path(folder) / str(repeat), workers=1)
            if repeat < 0:
                continue
            rows = sum(directory.num_rows(table) for table in directory.tables)
            microseconds.append(directory.write_seconds() / rows * 1e6)
            shares.append(100 * directory.write_seconds() / directory.play_seconds())
            sizes.append(directory.size("deals") / directory.num_rows("deals"))
    return [
        figure(Label(FILES, "writing a row, own thread", "microseconds"), microseconds),
        figure(Label(FILES, "writing, share of playing time", "%"), shares),
        figure(Label(FILES, "a row of deals on disk", "bytes"), sizes),
    ]


def _start_figures(game_name: str, scale: Scale) -> list[Figure]:
    """Fresh processes: the help, and a whole small tournament with compiled code from the cache."""
    command = [sys.executable, "-m", "experiments.cli"]
    play = [*command, "tournament", game_name, "--bot", "random", "--bot", "heuristic", "--boards", "1", "--out"]
    with tempfile.TemporaryDirectory() as folder:
        tournaments = [[*play, str(Path(folder) / str(i))] for i in range(scale.runs + 1)]
        times = [_process_seconds(words) for words in tournaments]
        helps = [_process_seconds([*command, "--help"]) for _ in range(scale.runs + 1)]
    return [
        figure(Label(START, "hiddenhand --help", "seconds"), helps[1:]),
        figure(Label(START, "a tournament of one board", "seconds"), times[1:]),
    ]


def _process_seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - start


def _memory_figures(game: Game) -> list[Figure]:
    """Bytes of what there are many of."""
    batch: dict[str, Any] = vars(game.new_batch(1))
    a_game = sum(value.nbytes for value in batch.values() if isinstance(value, np.ndarray) and value.shape == (1,))
    return [
        figure(Label(MEMORY, "a record", "bytes"), [game.state_dtype.itemsize]),
        figure(Label(MEMORY, f"a batch of {_MANY_GAMES:,} games", "MB"), [a_game * _MANY_GAMES / 1e6]),
        figure(Label(MEMORY, "a node of a search tree", "bytes"), [NODE.itemsize]),
    ]
