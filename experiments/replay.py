"""A logged game, drawn move by move: from the logged moves, or by letting the bots play the board again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardkit.spec import InvalidRules
from experiments.match import game_of_board
from experiments.run_store import RunError
from experiments.rundir import RunDirectory
from experiments.spec import check_data, check_sources, data_in_words
from experiments.table import Table


def replay(path: Path | str, game_id: int, deal: int | None = None) -> Iterator[str]:
    """The lines of a replay.

    Args:
        path: the run directory.
        game_id: number of the game in the run.
        deal: number of the deal to show, 0 is the first; all deals without it.

    Raises:
        RunError: no such run or game, its part is not finished, or the bots play differently now.
    """
    directory = RunDirectory.open(path)
    directory.check_versions()
    spec, schedule = directory.spec, directory.spec.schedule
    num_games = schedule.first_game(spec.boards)
    if not 0 <= game_id < num_games:
        raise RunError(f"game {game_id} is not in this run: expected 0..{num_games - 1}")
    board = schedule.board_of_game(game_id)
    part = spec.parts.of_board(board)
    if part in directory.finished_parts() and not directory.is_valid(part):
        raise RunError(f"part {part} of this run is damaged: make it again with 'hiddenhand resume {path}'")
    finished = directory.finished_parts()
    if spec.stop_when and directory.is_complete and finished and part > finished[-1]:
        played = schedule.first_game(spec.boards_of_part(finished[-1])[1])
        raise RunError(f"game {game_id} is not in this run, which its stop rule ended: expected 0..{played - 1}")
    if part not in finished:
        raise RunError(f"game {game_id} has not been played yet: finish the run with 'hiddenhand resume {path}'")
    if not spec.is_repeatable and not spec.moves:
        raise RunError(
            "a bot of this run has a time limit and would not play the same again: expected a run with --moves"
        )
    slots = schedule.games(board, board + 1)
    check_data(spec) if spec.moves else check_sources(spec)
    slot = slots[game_id - schedule.first_game(board)]
    table = Table(spec, game_of_board(spec, board), slot)
    if deal is not None and not 0 <= deal < table.game.max_deals():
        raise InvalidRules(f"deal {deal}: expected 0..{table.game.max_deals() - 1}")
    logged = _logged_actions(directory, part, game_id) if spec.moves else None
    yield f"game {game_id}: board {board}, line-up {slot['lineup']}, rotation {slot['rotation']}"
    yield from [data_in_words(spec.data)] if spec.data else []
    yield from (f"seat {seat} {label}" for seat, label in enumerate(table.labels))
    yield from _deals(table, logged, deal)
    _check_scores(directory, part, game_id, table)
    yield _final_line(table)


def _deals(table: Table, logged: list[int] | None, shown_deal: int | None) -> Iterator[str]:
    """Every position at the start of a deal, every move, and every position at the end of a deal."""
    deal, starts = 0, True
    width = max(len(label) for label in table.labels)
    while not table.state.is_terminal():
        is_shown = shown_deal in (None, deal)
        if starts and is_shown:
            yield f"\n{table.state}\n"
        seat, action = table.next_action(None if logged is None else logged[table.ply])
        words = table.state.action_to_string(action)
        after, number = table.play(action)
        note = table.game.text.comment(table.game.rules, table.state.record if number is None else after)
        if is_shown:
            yield f"  seat {seat} {table.labels[seat]:<{width}}  {words:<12} {note}".rstrip()
        starts = number is not None
        if starts:
            deal += 1
            if is_shown:
                yield f"\n{table.game.text.draw(table.game.rules, after, None)}"


def _logged_actions(directory: RunDirectory, part: int, game_id: int) -> list[int]:
    """The actions of a game in order, from the moves table."""
    rows = directory.read_part("moves", part, ["ply", "action"], [("game_id", "==", game_id)])
    return [int(action) for action in rows.sort_by("ply")["action"].to_pylist()]


def _check_scores(directory: RunDirectory, part: int, game_id: int, table: Table) -> None:
    """The replay must end as the log says."""
    rows = directory.read_part("games", part, ["seat", "score"], [("game_id", "==", game_id)])
    logged = rows.sort_by("seat")["score"].to_pylist()
    if logged != table.state.returns():
        raise RunError(f"game {game_id} ended with {table.state.returns()} in the replay, but {logged} is logged")


def _final_line(table: Table) -> str:
    places, _ = table.state.places()
    scores: list[Any] = [int(score) if score == int(score) else score for score in table.state.returns()]
    ladder = sorted(range(len(places)), key=lambda seat: places[seat])
    return "\nfinal: " + ", ".join(f"{places[s]}. seat {s} {table.labels[s]} {scores[s]}" for s in ladder)
