"""Playing a part: compiled and Python loops agree, the rows are what a replay gives, and a bot's fault is named."""

from __future__ import annotations

import gc
import importlib
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cardkit.rng import bot_stream
from cardkit.state import State
from cardkit.verbs import apply
from experiments import match
from experiments.match import game_of_board, games_by_rules, play_part
from experiments.part_files import parquet_bytes
from experiments.spec import RunSpec, make_spec
from experiments.table import BotFault
from kronions.cards import CARD_NAMES, SUIT_NAMES
from tests.bots.own import write_bots
from tests.conftest import RunPython
from tests.experiments.helpers import BASELINE, rows_of, small_spec, tables_of

FOUR = ["random", "heuristic", "h=heuristic:epsilon=0.3", "r=random"]
SPECS = {
    "2 players, moves": make_spec(
        "kronions", FOUR[:2], options={"num_players": 2, "round_cap": 9}, boards=8, moves=True
    ),
    "3 players, more bots than seats": make_spec(
        "kronions", FOUR, options={"num_players": 3, "round_cap": 5}, boards=30, seed=3
    ),
    "4 players, all seatings, moves": make_spec(
        "kronions", FOUR[:3], options={"round_cap": 4}, boards=8, seed=2**64 - 1, seating="all", moves=True
    ),
    "5 players, uneven line-up": make_spec(
        "kronions", FOUR[:2], options={"num_players": 5, "paradox_flip": "redraw", "all_past": "nobody"}, boards=8
    ),
    "6 players, trump named, moves": make_spec(
        "kronions",
        FOUR[:3],
        options={"num_players": 6, "paradox_flip": "dealer_names", "num_ranks": 4, "num_paradox": 6},
        boards=16,
        seed=4,
        moves=True,
    ),
    "single deals, 3 players, moves": make_spec(
        "kronions", FOUR[:2], options={"num_players": 3, "round_cap": 6}, boards=80, format="deal", moves=True
    ),
    "single deals, 6 players": make_spec(
        "kronions",
        FOUR[:1],
        options={"num_players": 6, "last_round_trump": "flip_if_possible"},
        boards=72,
        format="deal",
    ),
    "oh_hell, moves": make_spec("kronions", FOUR[:2], preset="oh_hell", boards=16, moves=True),
    "oh_hell, single deals": make_spec("kronions", FOUR[:2], preset="oh_hell", boards=16, format="deal"),
    "mini": make_spec("kronions", FOUR[:2], preset="mini", boards=40, seed=8),
    "mini, moves": make_spec("kronions", FOUR[:3], preset="mini", options={"num_players": 3}, boards=40, moves=True),
    "listed rounds": make_spec("kronions", FOUR[:2], options={"round_sizes": [4, 1, 4], "first_dealer": 2}, boards=16),
}
WITH_MOVES = {name: spec for name, spec in SPECS.items() if spec.moves}


def last_part(spec: RunSpec) -> int:
    """A part whose boards and games do not count from 0."""
    return spec.num_parts - 1


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(tmp_path)
    return write_bots(tmp_path)


def assert_equal(found: dict[str, pa.Table], expected: dict[str, pa.Table]) -> None:
    assert list(found) == list(expected)
    for name, table in expected.items():
        assert found[name].schema.equals(table.schema, check_metadata=True)
        assert rows_of(found[name]) == rows_of(table), name


def count_games_taken(monkeypatch: pytest.MonkeyPatch, stop: Any = None, last: int = 0) -> list[int]:
    """Note how many games are in the buffers whenever they are emptied; set `stop` the `last`-th time."""
    taken: list[int] = []
    take = match._Rows.take

    def counting(self: Any, buffers: Any, indices: Any = None) -> None:
        taken.append(int(buffers.filled[0]) // 3)
        take(self, buffers, indices)
        if len(taken) == last:
            stop[0] = 1

    monkeypatch.setattr(match._Rows, "take", counting)
    return taken


# Two loops, one result


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_compiled_and_python_loops_give_equal_tables(spec: RunSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    part = last_part(spec)
    compiled = tables_of(spec, part)
    assert list(compiled) == (["games", "deals", "moves"] if spec.moves else ["games", "deals"])
    assert all(table.num_rows for table in compiled.values())
    monkeypatch.setattr(match, "_play_compiled", match._play_in_python)
    assert_equal(tables_of(spec, part), compiled)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_part_played_twice_gives_equal_tables(spec: RunSpec) -> None:
    assert_equal(tables_of(spec, 1), tables_of(spec, 1))


@pytest.mark.parametrize("least_rows", [1, 50, 333])
@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_the_size_of_the_buffers_changes_nothing(
    spec: RunSpec, least_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = tables_of(spec, 1)
    monkeypatch.setattr(match, "_LEAST_ROWS", least_rows)
    assert_equal(tables_of(spec, 1), expected)


def test_small_buffers_are_emptied_several_times(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = count_games_taken(monkeypatch)
    monkeypatch.setattr(match, "_LEAST_ROWS", 20)
    tables_of(small_spec("random", boards=64))
    assert taken == [2, 2, 2, 2]  # 8 boards in one seating; 3 seats x 3 deals a game, so that 20 rows hold two


def test_a_python_bot_with_the_choices_of_a_built_in_bot_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = write_bots(
        tmp_path,
        """
import bots
class Same:
    def __init__(self, game):
        self.bot = bots.make("heuristic", game)
    def choose(self, view, rng):
        return self.bot.choose(view, rng)
""",
    )
    first, second = (
        tables_of(small_spec(f"a={bot}", "heuristic", "b=random", boards=16, moves=True), 1)
        for bot in ("heuristic", f"{name}:Same")
    )
    assert_equal(first, second)
    assert {table: parquet_bytes(first[table]) for table in first} == {
        table: parquet_bytes(second[table]) for table in second
    }


def test_the_compiled_loop_asks_bots_about_hidden_records_only(run_python: RunPython) -> None:
    """In plain Python, where the loop can be watched: hiding what a bot is shown once more changes nothing."""
    code = """
from cardkit.verbs import hide, to_move
from experiments import match
from tests.experiments.helpers import small_spec, tables_of

choose, asked = match.choose, []

def watching(rules, view, bot, rng, room):
    before = view.tobytes()
    hide(rules, view, to_move(rules, view))
    assert view.tobytes() == before, "a bot sees the cards of others"
    asked.append(int(bot.kind))
    return choose(rules, view, bot, rng, room)

match.choose = watching
tables_of(small_spec())
print(len(asked), len(set(asked)))
"""
    decisions = 3 * 3 * (1 + 1 + 1 + 2 + 1 + 3)  # three seatings and seats; a bid and a card a trick
    assert run_python("-c", code, NUMBA_DISABLE_JIT="1").stdout.split() == [str(decisions), "2"]


# The rows are what a replay gives


def replayed(spec: RunSpec, slot: Any, actions: list[int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]], State]:
    """Play logged actions through `State`: the deals and moves rows that they should give, and the end."""
    game = game_of_board(spec, int(slot["board"]))
    state = game.new_initial_state(spec.seed, int(slot["board"]))
    key = {"board": slot["board"], "lineup": slot["lineup"], "rotation": slot["rotation"], "game_id": slot["game_id"]}
    deals: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    for ply, action in enumerate(actions):
        record, phase, seat, deal = state.record, state.phase(), state.current_player(), int(state.record.rounds_done)
        assert action in state.legal_actions()
        move = {"game_id": slot["game_id"], "deal": deal, "ply": ply, "seat": seat, "phase": phase, "action": action}
        moves.append(move | {"legal": state.legal_mask()})
        hands, before = [int(hand) for hand in record.hands], state.returns()
        after = game.new_records(1)
        after[0] = record
        apply(game.rules, after[0], action)
        round_is = {
            "dealer": int(record.dealer),
            "hand_size": int(record.hand_size),
            "flip": {-1: "none", 52: "paradox"}.get(int(record.flip)) or CARD_NAMES[record.flip],
            "trump": "none" if record.trump < 0 else SUIT_NAMES[record.trump],
        }
        state.apply_action(action)
        if state.record.rounds_done == deal:
            continue
        for seat in range(game.num_players):
            bot = spec.bots[slot["bot"][seat]][0]
            tricks, total = int(after[0].tricks[seat]), int(state.returns()[seat])
            own = {"hand": hands[seat], "bid": int(after[0].bids[seat]), "tricks": tricks, "total": total}
            row = key | {"seat": seat, "bot": bot, "deal": deal} | round_is | own
            deals.append(row | {"points": total - int(before[seat])})
    return deals, moves, state


@pytest.mark.parametrize("spec", WITH_MOVES.values(), ids=WITH_MOVES)
def test_rows_are_those_of_a_replay_of_the_logged_moves(spec: RunSpec) -> None:
    part = last_part(spec)
    tables = tables_of(spec, part)
    games, deals, moves = (rows_of(tables[name]) for name in ("games", "deals", "moves"))
    found_games, found_deals, found_moves = [], [], []
    logged = {game_id: list(rows) for game_id, rows in groupby(moves, lambda row: row["game_id"])}
    for slot in spec.schedule.games(*spec.boards_of_part(part)):
        own_deals, own_moves, state = replayed(spec, slot, [row["action"] for row in logged[slot["game_id"]]])
        assert state.is_terminal()
        found_deals += own_deals
        found_moves += own_moves
        place, share = state.places()
        for seat, score in enumerate(state.returns()):
            key = {name: slot[name] for name in ("board", "lineup", "rotation", "game_id")}
            result = {"score": score, "place": place[seat], "win_share": share[seat], "outcome": "finished"}
            counts = {"deals": len(own_deals) // len(place), "decisions": len(own_moves)}
            found_games.append(key | {"seat": seat, "bot": spec.bots[slot["bot"][seat]][0]} | result | counts)
    assert games == found_games
    assert deals == found_deals
    assert moves == found_moves


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_rows_add_up(spec: RunSpec) -> None:
    tables = tables_of(spec, 1)
    games, deals = rows_of(tables["games"]), rows_of(tables["deals"])
    first, end = spec.boards_of_part(1)
    assert sorted({row["board"] for row in games}) == list(range(first, end))
    points = {(row["game_id"], row["seat"]): 0.0 for row in games}
    for row in deals:
        assert row["hand"].bit_count() == row["hand_size"]
        assert 0 <= row["tricks"] <= row["hand_size"]
        points[row["game_id"], row["seat"]] += row["points"]
        assert row["total"] == points[row["game_id"], row["seat"]]
    assert [row["score"] for row in games] == list(points.values())
    for _, own in groupby(games, lambda row: row["game_id"]):
        rows = list(own)
        assert sum(row["win_share"] for row in rows) == pytest.approx(1)
        assert [row["seat"] for row in rows] == list(range(spec.game_object.num_players))
        assert min(row["place"] for row in rows) == 1
        assert {row["place"] == 1 for row in rows if row["win_share"] > 0} == {True}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_all_seatings_of_a_board_see_the_same_chance(spec: RunSpec) -> None:
    deals = rows_of(tables_of(spec, 1)["deals"])
    shown: dict[tuple[int, int, int], set[tuple[Any, ...]]] = {}
    for row in deals:
        chance = tuple(row[name] for name in ("hand", "dealer", "hand_size", "flip"))
        shown.setdefault((row["board"], row["deal"], row["seat"]), set()).add(chance)
    assert {len(found) for found in shown.values()} == {1}
    seatings = len(spec.schedule.games(*spec.boards_of_part(1)))
    assert len(deals) == len(shown) * seatings / len(range(*spec.boards_of_part(1)))
    assert len({next(iter(found))[0] for found in shown.values()}) > 4, "boards and deals must differ"


def test_boards_and_seeds_give_different_cards_and_lineups_the_same() -> None:
    def hands(**changes: Any) -> list[int]:
        return list(tables_of(small_spec(**changes))["deals"]["hand"].to_pylist())

    assert hands(seed=1) != hands(seed=2)
    one, two = tables_of(small_spec("random", seed=1)), tables_of(small_spec("heuristic", seed=1))
    assert one["deals"]["hand"] == two["deals"]["hand"]
    assert one["deals"]["bid"] != two["deals"]["bid"]


def test_no_seat_plays_by_the_random_numbers_of_another() -> None:
    """Equal bots at all seats, equal cards: what they do must still differ between seats, boards and rotations."""
    spec = make_spec("kronions", ["a=random", "b=random"], options={"num_players": 2, "only_round": 10}, boards=64)
    bids = [row["bid"] for row in rows_of(tables_of(spec)["deals"])]
    pairs = list(zip(bids[::2], bids[1::2], strict=True))
    assert len(set(pairs)) > len(pairs) // 2


# Single deals


def test_boards_of_single_deals_take_the_rounds_in_the_order_of_the_spec() -> None:
    spec = make_spec("kronions", ["random"], options={"num_players": 3, "round_cap": 5}, boards=64, format="deal")
    rows = [row for part in range(spec.num_parts) for row in rows_of(tables_of(spec, part)["deals"])]
    assert sorted(spec.rounds) == [0, 1, 2, 3, 4]
    assert [row["hand_size"] for row in rows[::3]] == [1 + spec.rounds[board % 5] for board in range(64)]
    assert [row["hand_size"] for row in rows[::3]] == (1 + spec.round_of(np.arange(64))).tolist()
    assert {row["deal"] for row in rows} == {0}
    assert {row["board"] for row in rows} == set(range(64))


@pytest.mark.parametrize(
    "options", [{}, {"last_round_trump": "flip_if_possible", "num_players": 5}, {"num_players": 2}]
)
def test_a_single_deal_has_the_trump_that_its_round_has_in_the_full_game(options: dict[str, Any]) -> None:
    full = make_spec("kronions", ["random"], options=options, boards=64, seed=5)
    single = make_spec("kronions", ["random"], options=options, boards=64 * 14, seed=5, format="deal")
    flips = {}
    for name, spec in (("full", full), ("single", single)):
        rows = rows_of(tables_of(spec, 1)["deals"])
        flips[name] = {(row["hand_size"], row["flip"] == "none") for row in rows}
        assert all(row["trump"] == "none" for row in rows if row["flip"] in ("none", "paradox"))
    assert flips["single"] == flips["full"]
    assert {size for size, _ in flips["full"]} == set(range(1, full.game_object.max_deals() + 1))
    last = [has_none for size, has_none in flips["full"] if size == full.game_object.max_deals()]
    assert last == ["last_round_trump" not in options or 58 % options["num_players"] == 0]


def test_single_deals_of_one_round_are_that_round() -> None:
    spec = make_spec("kronions", ["random"], options={"only_round": 7}, boards=16, format="deal")
    assert {row["hand_size"] for row in rows_of(tables_of(spec)["deals"])} == {7}
    assert len(games_by_rules(spec)) == 1
    spec = make_spec("kronions", ["random"], options={"round_sizes": [6]}, boards=16, format="deal")
    assert {row["hand_size"] for row in rows_of(tables_of(spec)["deals"])} == {6}


# Stopping


def test_stop_set_before_ends_both_loops_at_once(own: str) -> None:
    for spec in (small_spec(), small_spec(f"{own}:Raises")):
        assert play_part(spec, 0, np.ones(1, np.int64)) is None


def test_stop_set_on_the_way_ends_the_compiled_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = np.zeros(1, np.int64)
    taken = count_games_taken(monkeypatch, stop, last=2)
    monkeypatch.setattr(match, "_LEAST_ROWS", 20)
    assert play_part(small_spec("random", boards=64), 0, stop) is None
    assert taken == [2, 2]


def test_stop_set_on_the_way_ends_the_python_loop(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = np.zeros(1, np.int64)
    taken = count_games_taken(monkeypatch, stop, last=3)
    assert play_part(small_spec(f"{own}:First", boards=64), 0, stop) is None
    assert taken == [1, 1, 1]


# Faults of a bot


def position_of(spec: RunSpec, message: str) -> State:
    """The position that a fault names; it reads back."""
    found = re.search(r"position (.*)\)$", message)
    assert found
    assert message.count("phase=") == 1, "the position is there once"
    return spec.game_object.position(found.group(1))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Raises", "raised KeyError: 'lost'"),
        ("RaisesLines", "raised ValueError: one two three"),
        ("Exits", "raised SystemExit: 0"),
        ("Illegal", "answered with the illegal action 63: expected one of [0, 1]"),
        ("Negative", "answered with the illegal action -1: expected one of [0, 1]"),
        ("Huge", f"answered with the illegal action {2**70}: expected one of [0, 1]"),
        ("Text", "answered with the illegal action '0': expected one of [0, 1]"),
        ("Float", "answered with the illegal action 0.0: expected one of [0, 1]"),
        ("Bool", "answered with the illegal action True: expected one of [0, 1]"),
        ("Nothing", "answered with the illegal action None: expected one of [0, 1]"),
    ],
)
def test_a_fault_names_bot_board_seat_and_position(own: str, name: str, what: str) -> None:
    options = {"num_players": 2, "round_cap": 2, "first_dealer": 1}
    spec = small_spec(f"bad={own}:{name}", "random", boards=16, options=options)
    assert spec.boards_of_part(3) == (6, 8)
    with pytest.raises(BotFault) as error:
        play_part(spec, 3, np.zeros(1, np.int64))
    message = str(error.value)
    assert message.startswith(f"bot 'bad' {what} (board 6, rotation 0, seat 0, decision 0, position ")
    assert "\n" not in message
    expected = spec.game_object.new_initial_state(spec.seed, 6)
    assert position_of(spec, message).position_string() == expected.position_string()


def test_an_answer_that_is_to_be_awaited_is_a_fault_and_no_warning(own: str) -> None:
    """Python warns of it when it is deleted, which is an error in these tests."""
    spec = small_spec(f"bad={own}:Promises", "random", boards=1)
    with pytest.raises(BotFault, match="answered with the illegal action <coroutine object"):
        play_part(spec, 0, np.zeros(1, np.int64))
    gc.collect()


def test_a_fault_in_the_middle_of_a_game_names_the_position_at_that_moment(own: str) -> None:
    options = {"num_players": 2, "round_cap": 2, "first_dealer": 0}
    spec = small_spec(f"bad={own}:Late", "random", boards=64, options=options)
    play_part(small_spec("random", boards=64, options=options), 0, np.zeros(1, np.int64))
    message = r"bot 'bad' raised OverflowError: enough \(board 0, rotation 1, seat 1, decision 3, "
    with pytest.raises(BotFault, match=message) as error:  # made for the spec, then for the games 0 and 1
        play_part(spec, 0, np.zeros(1, np.int64))
    state = position_of(spec, str(error.value))
    assert (state.phase(), state.current_player(), int(state.record.trick_size)) == ("play", 1, 1)


def test_a_bot_that_cannot_be_built_for_a_game_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = (
        "made = []\nclass Bot:\n    def __init__(self, game):\n        made.append(1)\n        1 / (4 - len(made))\n"
    )
    source += "    def choose(self, view, rng):\n        return view.legal_actions()[0]\n"
    spec = small_spec(f"b={write_bots(tmp_path, source)}:Bot")
    with pytest.raises(
        BotFault,
        match=r"bot 'b' raised InvalidText: bot '.*' cannot be built: ZeroDivisionError: .*\(board 0, rotation 0, s",
    ):
        play_part(spec, 0, np.zeros(1, np.int64))


@pytest.mark.parametrize("answer", ["np.int64(a)", "np.uint8(a)", "int(a)"])
def test_any_integer_is_an_answer(answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = "import numpy as np\nclass Bot:\n    def __init__(self, game):\n        pass\n"
    source += f"    def choose(self, view, rng):\n        a = view.legal_actions()[-1]\n        return {answer}\n"
    tables = tables_of(small_spec(f"b={write_bots(tmp_path, source)}:Bot", moves=True))
    for row in rows_of(tables["moves"]):
        assert row["action"] == row["legal"].bit_length() - 1


def test_a_python_bot_sees_its_view_and_draws_from_a_stream_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = """
SEEN = []
class Bot:
    def __init__(self, game):
        self.is_first = True
    def choose(self, view, rng):
        draw = float(rng.random()) if self.is_first else None
        self.is_first = False
        SEEN.append((view.observer, view.current_player(), view.seed, view.information_state_string(), draw))
        return view.legal_actions()[0]
"""
    module = importlib.import_module(write_bots(tmp_path, source))
    spec = small_spec(f"a={module.__name__}:Bot", f"b={module.__name__}:Bot", boards=8)
    seen: list[Any] = module.SEEN
    for part in range(2):
        tables_of(spec, part)
    assert all(observer == seat and seed is None for observer, seat, seed, _, _ in seen)
    draws = [draw for *_, draw in seen if draw is not None]
    assert len(draws) == len(set(draws)) == 2 * 3 * 3  # a board a part, three seatings, three seats
    first = seen.copy()
    seen.clear()
    for part in range(2):
        tables_of(spec, part)
    assert seen == first


def test_the_baseline_plays_whole_games() -> None:
    spec = small_spec(BASELINE, "random", boards=4)
    tables = [tables_of(spec, part) for part in range(spec.num_parts)]
    assert sum(found["games"].num_rows for found in tables) == 4 * 3 * 3


BOTS_THAT_REACH_OUT = """
class Rules:
    def __init__(self, game):
        game.rules = game.rules._replace(score_base=500)

    def choose(self, view, rng):
        view.game.rules = view.game.rules._replace(score_base=500)
        return view.legal_actions()[0]

class Plain:
    def __init__(self, game):
        pass

    def choose(self, view, rng):
        return view.legal_actions()[0]

class Shy(Exception):
    def __str__(self):
        raise ValueError("no text")

class Raises(Plain):
    def choose(self, view, rng):
        raise Shy

class Quits(Plain):
    def choose(self, view, rng):
        raise GeneratorExit

class Odd:
    def __index__(self):
        return 60

    def __repr__(self):
        raise ValueError("no text")

class Answers(Plain):
    def choose(self, view, rng):
        return Odd()
"""


def test_a_bot_that_changes_the_rules_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = write_bots(tmp_path, BOTS_THAT_REACH_OUT)
    meddled = tables_of(small_spec(f"b={module}:Rules"))
    plain = tables_of(small_spec(f"b={module}:Plain"))
    assert meddled == plain


@pytest.mark.parametrize(
    ("name", "message"),
    [("Raises", "raised Shy: <Shy> "), ("Quits", "raised GeneratorExit: "), ("Answers", "illegal action <Odd>: ")],
)
def test_faults_without_a_text_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spec = small_spec(f"b={write_bots(tmp_path, BOTS_THAT_REACH_OUT)}:{name}")
    with pytest.raises(BotFault, match=f"bot 'b' .*{message}.*board 0"):
        play_part(spec, 0, np.zeros(1, np.int64))


def test_a_bots_generator_does_not_lead_back_to_its_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = """
seen = []
class Bot:
    def __init__(self, game):
        pass

    def choose(self, view, rng):
        seen.append(rng.bit_generator.seed_seq.entropy)
        return view.legal_actions()[0]
"""
    module = write_bots(tmp_path, source)
    spec = small_spec(f"b={module}:Bot")
    play_part(spec, 0, np.zeros(1, np.int64))
    slot = spec.schedule.games(0, 1)[0]
    stream = np.zeros(2, np.uint64)
    words = {int(word) for seat in range(6) for word in bot_words(spec.seed, slot, seat, stream)}
    entropy = __import__(module).seen[0]
    assert isinstance(entropy, int)
    assert all(entropy >> 64 * i & (2**64 - 1) not in words for i in range(4))


def bot_words(seed: int, slot: Any, seat: int, stream: np.ndarray) -> np.ndarray:
    bot_stream(stream, np.uint64(seed), slot["board"], slot["lineup"], slot["rotation"], seat)
    return stream.copy()
