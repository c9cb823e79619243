"""Is a run what it says it is? Every part against the manifest and the spec, and a sample of games played again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from experiments.match import play_logged, play_slots
from experiments.rundir import RunDirectory
from experiments.spec import check_data, check_sources
from experiments.stopping import Stopping


class Damaged(Exception):
    """A run is not what it says it is; the message lists what is wrong."""


def verify(place: Path | str, sample: int = 20, seed: int = 0) -> Iterator[str]:
    """Check a run, and say what was checked.

    Args:
        place: the run directory.
        sample: how many of its games, spread at random, are played again and compared in all tables.
        seed: which games.

    Yields:
        One line for each thing that was found in order.

    Raises:
        RunError: no run, another version's, or one that cannot be read.
        InvalidText: the file of a Python bot, or the card set, has changed since.
        Damaged: something is wrong.
    """
    directory = RunDirectory.open(place)
    directory.check_versions()
    spec = directory.spec
    finished = directory.finished_parts()
    yield f"run.json: {spec.game}, {len(spec.bots)} bots, {spec.boards} boards, spec {spec.hash()[:8]}"
    wrong = [f"part {part} {fault}" for part in finished for fault in directory.faults(part)]
    stopping = None if wrong else Stopping(directory)
    end = stopping.end if stopping else spec.num_parts
    if directory.is_complete and not wrong and finished != list(range(end)):
        wrong.append(f"the run is said to be complete, but has {len(finished)} parts instead of {end}")
    wrong += _unlisted(directory)
    if wrong:
        raise Damaged(f"{'; '.join(wrong)}: mend it with 'hiddenhand resume {place}'")
    yield f"parts: {len(finished)} of {end} finished, each with the hash and the rows it should have"
    if stopping and stopping.decision:
        yield f"stop rule: {stopping.decision}"
    if sample and finished:
        yield _replayed(directory, finished, sample, seed)


def _unlisted(directory: RunDirectory) -> Iterator[str]:
    """Files that belong to no part; a run that was stopped may have files of parts that are still to be played."""
    parts = range(0 if directory.is_complete else directory.spec.num_parts)
    to_come = {directory.part_file(table, part) for table in directory.tables for part in parts}
    for name in directory.unlisted_files():
        if name not in to_come:
            yield f"{name} is no part of the run"


def _replayed(directory: RunDirectory, finished: list[int], sample: int, seed: int) -> str:
    """Play a sample of games again and compare; what was done, in words."""
    spec = directory.spec
    if not spec.is_repeatable and not spec.moves:
        return "games: not played again, as a bot has a time limit and no moves are logged"
    check_data(spec) if spec.moves and not spec.is_repeatable else check_sources(spec)
    chances = np.random.default_rng(seed)
    boards = np.concatenate([np.arange(*spec.boards_of_part(part)) for part in finished])
    boards = np.sort(chances.choice(boards, min(sample, len(boards)), replace=False))
    wrong = []
    for board in boards.tolist():
        slots = spec.schedule.games(board, board + 1)
        slot = slots[int(chances.integers(len(slots)))]
        if not (_is_replayed if spec.is_repeatable else _follows_its_moves)(directory, slot):
            wrong.append(f"game {slot['game_id']}")
    if wrong:
        raise Damaged(f"{', '.join(wrong)} of {len(boards)} came out otherwise when played again")
    how = "played again by its bots" if spec.is_repeatable else "played again from the logged moves"
    return f"games: {len(boards)} of them {how}, with the same rows in all tables"


def _rows(directory: RunDirectory, table: str, game_id: int) -> pa.Table:
    spec = directory.spec
    part = spec.parts.of_board(spec.schedule.board_of_game(game_id))
    return directory.read_part(table, part, filters=[("game_id", "==", game_id)])


def _is_replayed(directory: RunDirectory, slot: np.void) -> bool:
    """Whether the bots play a game again as it is logged."""
    tables = play_slots(directory.spec, np.array([slot]), np.zeros(1, np.int64))
    return _are_logged(directory, slot, tables)


def _follows_its_moves(directory: RunDirectory, slot: np.void) -> bool:
    """Whether the logged moves of a game are legal and lead to all that is logged of it."""
    moves = _rows(directory, "moves", int(slot["game_id"]))["action"].to_pylist()
    return _are_logged(directory, slot, play_logged(directory.spec, np.array([slot]), moves))


def _are_logged(directory: RunDirectory, slot: np.void, tables: dict[str, pa.Table] | None) -> bool:
    """Whether the rows of a game are those in the files."""
    found = tables or {}
    return bool(found) and all(
        found[name].equals(_rows(directory, name, int(slot["game_id"]))) for name in directory.tables
    )
