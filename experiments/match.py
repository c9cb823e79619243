"""Playing the games of a part: wholly in compiled code for built-in bots, through `State` where a bot is Python.

Both ways draw the same chance and the same random numbers a bot, and fill in the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from bots.bot import bot_settings, room_for
from bots.players import NO_WORLD, choose
from bots.room import Room
from bots.settings import MONTE_CARLO
from cardkit.batch import draw_until_deal
from cardkit.game import Game
from cardkit.jit import kernel, nanoseconds
from cardkit.rng import RNG_WORDS, bot_stream
from cardkit.verbs import (
    OVER,
    apply,
    deal_row,
    deals_done,
    hide,
    legal_mask,
    new_game,
    outcome,
    places,
    returns,
    to_move,
)
from experiments.schedule import MOST_SEATS
from experiments.schema import DEAL_KEY, GAME_ROW, MOVE_ROW, deal_dtype, part_tables
from experiments.spec import RunSpec
from experiments.table import BotFault, Table, Watch

_LEAST_ROWS = 1 << 15  # rows that the buffers hold at least; they always hold one whole game
_TIMED_GAMES = 64  # one game in so many is timed where bots are quick: looking at the clock takes time itself
_COUNTS = 3  # of filled rows: games, deals, moves
PLAYED, STOPPED, FAULT = 1, 0, -1  # how a game ends in the compiled loop
TO_THE_END = -1  # instead of a number of deals


class Buffers(NamedTuple):
    """Rows that the match loop fills in, and how many of each are filled."""

    games: np.ndarray
    deal_keys: np.ndarray
    deals: np.ndarray
    moves: np.ndarray
    filled: np.ndarray
    spent: np.ndarray  # (bots, 3): nanoseconds and number of decisions timed, and the slowest


class Workspace(NamedTuple):
    """What one game needs: its record, the hidden record shown to a bot, random streams, and room to think."""

    states: np.ndarray
    views: np.ndarray
    rngs: np.ndarray
    chance_rng: np.ndarray
    place: np.ndarray
    points: np.ndarray
    room: Any  # of the bots that search; None where none does


@kernel
def play_games(rules, bots, slots, first, seed, buffers, workspace, stop):
    """Play games from `slots[first]` on until the buffers could not hold another, or `stop[0]` is set.

    Modified in place: `buffers`, `workspace`.

    Returns:
        The index of the first game that was not played; `FAULT` minus it where a bot had no answer in it.
    """
    num_seats = rules.num_players
    for i in range(first, slots.size):
        filled = buffers.filled
        has_room = filled[0] + num_seats <= buffers.games.size
        if stop[0] != 0 or not has_room or filled[1] > filled[3] or filled[2] > filled[4]:
            return i
        ending = play_game(rules, bots, slots[i], i, seed, buffers, workspace, stop)
        if ending != PLAYED:
            return i if ending == STOPPED else FAULT - i
    return slots.size


@kernel
def play_game(rules, bots, slot, index, seed, buffers, workspace, stop):
    """Play one game and append its rows: `PLAYED`, `STOPPED` or `FAULT`. Modified in place: `buffers`, `workspace`."""
    new_game(rules, workspace.states[0])
    ply = play_on(rules, bots, slot, index, seed, TO_THE_END, buffers, workspace, stop)
    if ply < 0:
        return STOPPED if stop[0] != 0 else FAULT
    log_game(rules, workspace.states[0], index, ply, buffers, workspace)
    return PLAYED


@kernel
def play_on(rules, bots, slot, index, seed, deals, buffers, workspace, stop):
    """Play from `workspace.states[0]` on until so many deals are complete (or `TO_THE_END`), and append their rows.

    Modified in place: `buffers`, `workspace`.

    Returns:
        The number of decisions; -1 where `stop[0]` was set or a bot had no answer.
    """
    state = workspace.states[0]
    view = workspace.views[0]
    for seat in range(rules.num_players):
        bot_stream(workspace.rngs[seat], seed, slot.board, slot.lineup, slot.rotation, seat)
    ply = 0
    while deals_done(rules, state) != deals:
        before = deals_done(rules, state)
        draw_until_deal(rules, state, seed, slot.board, workspace.chance_rng)
        if deals_done(rules, state) > before:
            log_deal(rules, state, index, before, buffers)
            continue
        seat = to_move(rules, state)
        if seat == OVER:
            break
        workspace.views[0] = workspace.states[0]
        hide(rules, view, seat)
        bot = bots[slot.bot[seat]]
        is_timed = bot.kind >= MONTE_CARLO or index % _TIMED_GAMES == 0
        start = nanoseconds() if is_timed else 0
        action = choose(rules, view, bot, workspace.rngs[seat], workspace.room)
        if is_timed:
            taken = nanoseconds() - start
            spent = buffers.spent[slot.bot[seat]]
            spent[0] += taken
            spent[1] += 1
            spent[2] = max(spent[2], taken)
        if stop[0] != 0 or action == NO_WORLD:
            return -1
        if buffers.moves.size > 0:
            log_move(rules, state, index, ply, seat, action, buffers)
        apply(rules, state, action)
        ply += 1
        if deals_done(rules, state) > before:
            log_deal(rules, state, index, before, buffers)
    return ply


@kernel
def log_move(rules, state, index, ply, seat, action, buffers):
    """Append a decision that is about to be played. Modified in place: `buffers`."""
    row = buffers.moves[buffers.filled[2]]
    row.slot = index
    row.deal = deals_done(rules, state)
    row.ply = ply
    row.seat = seat
    row.phase = state.phase
    row.action = action
    row.legal = legal_mask(rules, state)
    buffers.filled[2] += 1


@kernel
def log_deal(rules, state, index, deal, buffers):
    """Append the rows of the deal that has just ended. Modified in place: `buffers`."""
    for seat in range(rules.num_players):
        key = buffers.deal_keys[buffers.filled[1]]
        key.slot = index
        key.seat = seat
        key.deal = deal
        deal_row(rules, state, seat, buffers.deals[buffers.filled[1]])
        buffers.filled[1] += 1


@kernel
def log_game(rules, state, index, decisions, buffers, workspace):
    """Append the rows of a game that is over. Modified in place: `buffers`, `workspace`."""
    points = workspace.points
    returns(rules, state, points[0])
    places(rules, state, workspace.place, points[1])
    for seat in range(rules.num_players):
        row = buffers.games[buffers.filled[0]]
        row.slot = index
        row.seat = seat
        row.score = points[0, seat]
        row.place = workspace.place[seat]
        row.win_share = points[1, seat]
        row.deals = deals_done(rules, state)
        row.decisions = decisions
        row.outcome = outcome(rules, state)
        buffers.filled[0] += 1


def new_workspace(game: Game, room: Room | None = None) -> Workspace:
    """What one game at a time needs, with the room of the bots that search."""
    return Workspace(
        states=game.new_records(1),
        views=game.new_records(1),
        rngs=np.zeros((MOST_SEATS, RNG_WORDS), np.uint64),
        chance_rng=np.zeros(RNG_WORDS, np.uint64),
        place=np.zeros(MOST_SEATS, np.int64),
        points=np.zeros((2, MOST_SEATS), np.float64),
        room=room,
    )


def new_buffers(game: Game, num_games: int, has_moves: bool, watch: Watch) -> Buffers:
    """Rows for as many games as fit in some ten thousand rows, and at least one."""
    seats, deals, length = game.num_players, game.max_deals(), game.max_game_length()
    games = max(1, min(num_games, _LEAST_ROWS // (seats * deals)))
    num_moves = games * length if has_moves else 0
    # Behind the three counts of filled rows: how many deals and moves may be filled before a game would not fit.
    filled = np.array([0, 0, 0, (games - 1) * seats * deals, max(0, num_moves - length)], np.int64)
    return Buffers(
        games=np.zeros(games * seats, GAME_ROW).view(np.recarray),
        deal_keys=np.zeros(games * seats * deals, DEAL_KEY).view(np.recarray),
        deals=np.zeros(games * seats * deals, deal_dtype(game)).view(np.recarray),
        moves=np.zeros(num_moves, MOVE_ROW).view(np.recarray),
        filled=filled,
        spent=watch.spent,
    )


class _Rows:
    """The rows of a part, gathered from the buffers."""

    def __init__(self) -> None:
        self.games: list[np.ndarray] = []
        self.keys: list[np.ndarray] = []
        self.deals: list[np.ndarray] = []
        self.moves: list[np.ndarray] = []

    def take(self, buffers: Buffers, indices: np.ndarray | None = None) -> None:
        """Copy the filled rows out of the buffers and empty them; `indices` are the slots that were played."""
        games, deals, moves = buffers.filled[:_COUNTS]
        self.games.append(buffers.games[:games].copy())
        self.keys.append(buffers.deal_keys[:deals].copy())
        self.deals.append(buffers.deals[:deals].copy())
        self.moves.append(buffers.moves[:moves].copy())
        buffers.filled[:_COUNTS] = 0
        if indices is not None:
            for taken in (self.games[-1], self.keys[-1], self.moves[-1]):
                taken["slot"] = indices[taken["slot"]]

    def tables(self, spec: RunSpec, slots: np.ndarray) -> dict[str, Any]:
        """The part's Arrow tables, rows in the order of the games."""
        games, keys, deals, moves = (np.concatenate(rows) for rows in (self.games, self.keys, self.deals, self.moves))
        order = np.argsort(keys["slot"], kind="stable")
        return part_tables(
            spec.game_object,
            tuple(label for label, _ in spec.bots),
            slots,
            games[np.argsort(games["slot"], kind="stable")],
            (keys[order], deals[order]),
            moves[np.argsort(moves["slot"], kind="stable")] if spec.moves else None,
        )


def play_part(spec: RunSpec, part: int, stop: np.ndarray, watch: Watch | None = None) -> dict[str, Any] | None:
    """Play a part: a pure function of spec and part number.

    Args:
        spec: the run.
        part: number of the part.
        stop: `(1,)`; set to 1 from outside, it ends the work early.
        watch: limits the time of Python bots, and takes down how long the bots think.

    Returns:
        The part's Arrow tables by name; None where `stop` was set.

    Raises:
        BotFault: a Python bot failed.
    """
    return play_slots(spec, spec.schedule.games(*spec.boards_of_part(part)), stop, watch)


def play_slots(spec: RunSpec, slots: np.ndarray, stop: np.ndarray, watch: Watch | None = None) -> dict[str, Any] | None:
    """Play some games of a run, records of `GAME_SLOT`; otherwise as `play_part`."""
    rows = _Rows()
    play = _play_in_python if spec.has_python_bots else _play_compiled
    games = games_by_rules(spec)
    for variant, game in enumerate(games):
        indices = np.flatnonzero(slots["board"] % len(games) == variant)
        if len(indices) and not play(spec, game, slots, indices, rows, stop, watch or Watch(spec)):
            return None
    return rows.tables(spec, slots)


def games_by_rules(spec: RunSpec) -> list[Game]:
    """The games that boards play in turn: board b plays entry b modulo their number, in the order of `spec.rounds`."""
    game = spec.game_object
    if spec.format == "game":
        return [game]
    variants, deals = [], game.single_deals()
    for number in spec.rounds:
        variants.append(copy(game))
        variants[-1].rules = deals[number]
    return variants


def game_of_board(spec: RunSpec, board: int) -> Game:
    """The game that a board plays."""
    games = games_by_rules(spec)
    return games[board % len(games)]


def _play_compiled(
    spec: RunSpec, game: Game, slots: np.ndarray, indices: np.ndarray, rows: _Rows, stop: np.ndarray, watch: Watch
) -> bool:
    """Play the games of `indices` in compiled code; False where `stop` was set."""
    chosen = slots[indices].view(np.recarray)
    bots = np.concatenate([bot_settings(bot) for bot in spec.bot_specs]).view(np.recarray)
    workspace = new_workspace(game, room_for(game, bots, stop))
    buffers = new_buffers(game, len(chosen), spec.moves, watch)
    done = 0
    while done < len(chosen):
        done = play_games(game.rules, bots, chosen, done, np.uint64(spec.seed), buffers, workspace, stop)
        if done <= FAULT:
            slot = chosen[FAULT - done]
            where = f"board {slot.board}, rotation {slot.rotation}"
            raise BotFault(f"a bot found no hidden cards that agree with what its seat has seen ({where})")
        rows.take(buffers, indices)
        if stop[0]:
            return False
    return True


def _play_in_python(
    spec: RunSpec, game: Game, slots: np.ndarray, indices: np.ndarray, rows: _Rows, stop: np.ndarray, watch: Watch
) -> bool:
    """Play the games of `indices` through `State`; False where `stop` was set."""
    workspace, buffers = new_workspace(game), new_buffers(game, 1, spec.moves, watch)
    for index in indices:
        if stop[0]:
            return False
        table = Table(spec, game, slots[index], watch)
        while not table.state.is_terminal():
            _log_and_play(table, index, *table.next_action(), buffers)
        log_game(game.rules, table.state.record, index, table.ply, buffers, workspace)
        rows.take(buffers)
    return True


def _log_and_play(table: Table, index: int, seat: int, action: int, buffers: Buffers) -> None:
    """Play an action, and append the rows of the decision and of the deal that it ends. Modified in place: all."""
    rules = table.game.rules
    if table.spec.moves:
        log_move(rules, table.state.record, index, table.ply, seat, action, buffers)
    after, ended_deal = table.play(action)
    if ended_deal is not None:
        log_deal(rules, after, index, ended_deal, buffers)


def play_logged(spec: RunSpec, slots: np.ndarray, actions: Iterable[int]) -> dict[str, Any] | None:
    """The tables of one game in which these actions were taken: everything that follows from them.

    Args:
        spec: the run.
        slots: the game, one record of `GAME_SLOT`.
        actions: in order.

    Returns:
        None where an action is illegal or comes after the end, or the game goes on after the last.
    """
    game = game_of_board(spec, int(slots[0]["board"]))
    table, rows = Table(spec, game, slots[0]), _Rows()
    workspace, buffers = new_workspace(game), new_buffers(game, 1, spec.moves, Watch(spec))
    for action in actions:
        if table.state.is_terminal() or action not in table.state.legal_actions():
            return None
        _log_and_play(table, 0, table.state.current_player(), int(action), buffers)
    if not table.state.is_terminal():
        return None
    log_game(game.rules, table.state.record, 0, table.ply, buffers, workspace)
    rows.take(buffers)
    return rows.tables(spec, slots)
