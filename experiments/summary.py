"""All figures of a run in one place: what `hiddenhand report` shows, and writes to summary.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np

from experiments.boards import board_results, numbers
from experiments.deal_figures import Calibrations, Course, deal_figures
from experiments.doubts import doubts, rank_doubts, rating_doubts, run_doubts, seat_doubts, stop_doubts
from experiments.ratings import Ratings, ratings
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.seating import SeatEffect, seat_effects
from experiments.sequential import Decision
from experiments.spec import RunSpec, command_of, versions
from experiments.stats import Difference, Standing, compare, outcomes, same_bots, standings
from experiments.stopping import Stopping


@dataclass(frozen=True)
class Length:
    """How long games were: the shortest, the mean and the longest."""

    least: int
    mean: float
    most: int


@dataclass(frozen=True)
class Endings:
    """How games ended.

    Attributes:
        games: how many.
        outcomes: games that ended in each way, in the order of the game's `outcomes`.
        shared: games whose win is shared.
        without_winner: games that all seats lost.
        deals, decisions: their lengths.
    """

    games: int
    outcomes: dict[str, int]
    shared: int
    without_winner: int
    deals: Length
    decisions: Length


@dataclass(frozen=True)
class MoveTime:
    """Mean seconds of a bot's move (None where none was timed), and how many moves were timed."""

    seconds: float | None
    moves: int


@dataclass(frozen=True)
class Summary:
    """All figures of a run.

    Attributes:
        spec, command, versions: what was played, and how to play it again.
        is_complete: whether the run has come to its end.
        boards: played so far.
        self_tests: pairs of labels of one bot: a check of the intervals, 95 of 100 of which hold 0.
        stop_rule: what the sequential test says in words; empty where the run has none, or has not come to a look.
        decision: the same in numbers; None where there is none.
        warnings: what to think of the figures, one sentence each.
        deals: bids against what was won, or how the rounds of the game went.
    """

    spec: RunSpec
    command: str
    versions: dict[str, str]
    is_complete: bool
    boards: int
    standings: list[Standing]
    differences: list[Difference]
    self_tests: list[tuple[str, str]]
    ratings: Ratings
    seats: list[SeatEffect]
    endings: Endings
    deals: Calibrations | list[Course]
    timing: dict[str, MoveTime]
    stop_rule: str
    decision: Decision | None
    warnings: list[str]


def summarise(directory: RunDirectory) -> Summary:
    """All figures of the finished parts of a run.

    Raises:
        RunError: no part is finished, or one is damaged.
    """
    spec, finished = directory.spec, directory.finished_parts()
    if not finished:
        raise RunError(f"{str(directory.path)!r} has no finished part yet: go on with 'hiddenhand resume'")
    damaged = [part for part in finished if not directory.is_valid(part)]
    if damaged:
        raise RunError(f"part {damaged[0]} in {str(directory.path)!r} is damaged: mend it with 'hiddenhand resume'")
    results = board_results(directory)
    rated = ratings(results)
    found = standings(directory, results, rated)
    pairs = compare(results, [standing.bot for standing in found])
    decision = Stopping(directory).decision
    seats = seat_effects(directory)
    return Summary(
        spec=spec,
        command=command_of(spec),
        versions=versions(),
        is_complete=directory.is_complete,
        boards=len(results),
        standings=found,
        differences=pairs,
        self_tests=same_bots(spec),
        ratings=rated,
        seats=seats,
        endings=endings(directory),
        deals=deal_figures(directory),
        timing=_move_times(directory),
        stop_rule=str(decision or ""),
        decision=decision,
        warnings=[
            *_warnings(directory, len(results)),
            *stop_doubts(decision),
            *doubts(found, pairs),
            *rank_doubts(found),
            *seat_doubts(seats),
            *rating_doubts(rated),
        ],
    )


def _warnings(directory: RunDirectory, boards: int) -> list[str]:
    """What to think of the run as a whole."""
    spec, found = directory.spec, []
    if not directory.is_complete:
        found.append(f"the run is not finished: these are the first results, of {boards} of {spec.boards} boards")
    return [*found, *run_doubts(directory, boards)]


def _move_times(directory: RunDirectory) -> dict[str, MoveTime]:
    times = directory.move_times()
    return {label: MoveTime(seconds if moves else None, moves) for label, (seconds, moves) in times.items()}


def endings(directory: RunDirectory) -> Endings:
    """How the games of the finished parts ended, and how long they were."""
    ended = outcomes(directory)
    shared = without_winner = 0
    lengths: dict[str, list[tuple[int, int, int]]] = {"deals": [], "decisions": []}
    for part in directory.finished_parts():
        table = directory.read_part("games", part, ["seat", "win_share", *lengths])
        is_first = numbers(table, "seat") == 0
        share = numbers(table, "win_share").reshape(np.count_nonzero(is_first), -1)
        shared += int(np.count_nonzero(((share > 0) & (share < 1)).any(axis=1)))
        without_winner += int(np.count_nonzero((share == 0).all(axis=1)))
        for name, found in lengths.items():
            values = numbers(table, name)[is_first]
            found.append((int(values.min()), int(values.sum()), int(values.max())))
    games = sum(ended.values())
    return Endings(
        games, ended, shared, without_winner, *(_length(lengths[name], games) for name in ("deals", "decisions"))
    )


def _length(parts: list[tuple[int, int, int]], games: int) -> Length:
    least, total, most = zip(*parts, strict=True)
    return Length(min(least), sum(total) / games, max(most))


def summary_json(found: Summary) -> bytes:
    """The figures as JSON; what too few boards do not give, such as the interval of one board, is null."""
    return (json.dumps(_plain(found), indent=1, allow_nan=False) + "\n").encode()


def _plain(value: Any) -> Any:
    """The value as JSON knows it."""
    if isinstance(value, RunSpec):
        return value.to_json()
    if is_dataclass(value):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value
