"""Does a bot of one's own keep to the rules of the house? It is played against `random`, twice, in processes apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bots.specs import parse_bot
from experiments.boards import BoardResults, part_games
from experiments.match import play_slots
from experiments.processes import ProcessDied, Processes, one_process
from experiments.spec import RunSpec, make_spec
from experiments.stats import compare
from experiments.table import BotFault, Watch
from experiments.tournament import last_words

LABEL, OPPONENT = "bot", "random"
ANSWERS, SAME_ANSWERS = "legal answers, no errors, in time", "the same answers to the same seed"


class Check(NamedTuple):
    """One thing that was looked at.

    Attributes:
        name: what is asked of a bot.
        is_passed: whether the bot does it; None where another failure kept it from being seen.
        detail: figures, or what went wrong.
    """

    name: str
    is_passed: bool | None
    detail: str


def check_bot(
    text: str, game: str, preset: str, options: Mapping[str, Any], boards: int, seed: int, move_limit: float
) -> list[Check]:
    """Play a bot against `random` and say whether it can be trusted in a tournament.

    The second time the boards are played in the opposite order, in a new process: a bot that keeps something from one
    game to the next, or draws random numbers from elsewhere than its `rng`, then answers otherwise.

    Args:
        text: its specification.
        game: its name.
        preset: of its rules.
        options: rule options.
        boards: how many, each in all rotations.
        seed: of the boards and of the bots' random numbers.
        move_limit: milliseconds for a move.

    Raises:
        ValueError: a bad specification, game or option; a bot that cannot be loaded.
    """
    bots = (f"{LABEL}={parse_bot(text).text}", OPPONENT)
    rules: dict[str, Any] = {"preset": preset, "options": options, "boards": boards, "seed": seed, "moves": True}
    with one_process() as process:
        try:
            spec: RunSpec = process.submit(make_spec, game, bots, builds_guests=False, **rules).result()
        except ProcessDied:
            return _failed("its process died while it was loaded")
        slots = spec.schedule.games(0, boards)
        fault, played = _played(process, spec, slots, move_limit)
    if played is None:
        return _failed(fault)
    moves, (spent, count, slowest), result = played
    found = [Check(ANSWERS, True, f"{count:,} moves in {len(slots)} games")]
    with one_process() as process:
        fault, again = _played(process, spec, slots[::-1], move_limit)
    same = (False, f"the second time: {fault}") if again is None else _same(moves, again[0])
    found.append(Check(SAME_ANSWERS, *same))
    figures = f"{spent / count / 1e6:,.2f} ms a move, {slowest / 1e6:,.1f} ms the slowest, {move_limit:g} ms allowed"
    return [*found, Check("time", True, figures), Check("strength", True, result)]


def _failed(fault: str) -> list[Check]:
    """What there is to say of a bot that did not come through the first time."""
    return [Check(ANSWERS, False, fault), Check(SAME_ANSWERS, None, "not seen, as it did not get so far")]


def _played(process: Processes, spec: RunSpec, slots: np.ndarray, move_limit: float) -> tuple[str, Any]:
    """What went wrong, or the moves, times and result of the games."""
    try:
        return "", process.submit(_play, spec, slots, move_limit).result()
    except BotFault as error:
        return str(error), None
    except ProcessDied as error:
        return last_words(spec, 0, error), None


def _play(spec: RunSpec, slots: np.ndarray, move_limit: float) -> tuple[Any, list[int], str]:
    """The moves of the bot by game, its times in nanoseconds, and how it did, in words."""
    watch = Watch(spec, move_limit)
    tables = play_slots(spec, slots, np.zeros(1, np.int64), watch)
    assert tables is not None
    moves = tables["moves"].to_pandas()[["game_id", "ply", "seat", "action"]].sort_values(["game_id", "ply"])
    results = BoardResults.of_games(part_games(tables["games"]), [LABEL, OPPONENT])
    (pair,) = compare(results)
    interval = f"{pair.points.low:+.1f} .. {pair.points.high:+.1f}"
    return moves, watch.spent[0].tolist(), f"{pair.points.mean:+.1f} points a game against random ({interval})"


def _same(first: Any, second: Any) -> tuple[bool, str]:
    """Whether two lists of moves are equal, and where they part."""
    first, second = first.reset_index(drop=True), second.reset_index(drop=True)
    if first.equals(second):
        return True, "played again in another process and order of games"
    length = min(len(first), len(second))
    place = int((first[:length] != second[:length]).any(axis=1).to_numpy().argmax())
    row = first.iloc[place]
    return False, f"game {row.game_id} went otherwise from decision {row.ply} on when it was played again"
