"""The command line: help, standings, replays, and one plain line for everything that users can get wrong."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bots import BOT_KINDS
from experiments.cli import main
from experiments.games import game_class, make_game
from experiments.match import game_of_board
from experiments.part_files import parquet_bytes
from experiments.rundir import RunDirectory
from experiments.spec import make_spec
from experiments.stats import standings
from experiments.table import Table
from experiments.tournament import run
from tests.bots.own import write_bots
from tests.conftest import ROOT, RunPython
from tests.experiments.helpers import BASELINE, contents, invoke, output, rows_of, small_spec

SHORT = ["tournament", "kronions", "--players", "3", "--rule", "round_cap=3", "--boards", "9"]
TWO = ["--bot", "random", "--bot", "heuristic"]


pytestmark = pytest.mark.usefixtures("empty_folder")


def files_below(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


# Help


@pytest.mark.parametrize(("name", "command"), [("", main), *main.commands.items()])
def test_every_command_and_option_has_help(name: str, command: click.Command) -> None:
    words = [name] if name else []
    text = " ".join(output(*words, "--help").split())
    assert text == " ".join(output(*words, "-h").split())
    assert command.help
    assert " ".join(command.help.split())[:60] in text
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"
            assert max(parameter.opts, key=len) in text
            assert " ".join(parameter.help.split()) in text
        else:
            assert str(parameter.make_metavar(click.Context(command))) in text


def test_the_commands_are_those_of_the_design() -> None:
    assert list(main.commands) == [
        "tournament", "resume", "report", "verify", "replay", "rules", "bots", "think", "bids", "check-bot", "cards",
        "bench",
    ]  # fmt: skip
    assert main.list_commands(click.Context(main)) == list(main.commands)


def test_the_command_is_called_hiddenhand_and_knows_its_version() -> None:
    (script,) = entry_points(group="console_scripts", name="hiddenhand")
    assert script.load() is main
    assert re.fullmatch(r".*, version \d+\.\d+\.\d+\n", output("--version"))


@pytest.mark.parametrize("words", [[], ["tournament"], ["replay"], ["bench"]])
def test_help_imports_nothing_heavy(words: list[str], run_python: RunPython) -> None:
    code = f"""
import sys
from experiments.cli import main
main({[*words, "--help"]!r}, standalone_mode=False)
print([name for name in ("numba", "pandas", "pyarrow", "scipy", "matplotlib") if name in sys.modules])
"""
    assert run_python("-c", code).stdout.splitlines()[-1] == "[]"


# What users can get wrong

BAD_TOURNAMENTS: list[tuple[str, str]] = [
    # the game, its preset and its rules
    ("kronoins --bot random", "unknown game 'kronoins'; did you mean 'kronions'?"),
    ("chess --bot random", "unknown game 'chess'; expected one of "),
    ("kronions --bot random --preset stadnard", "unknown preset 'stadnard'; did you mean 'standard'?"),
    ("kronions --bot random --preset xyz", "unknown preset 'xyz'; expected one of standard, oh_hell, mini"),
    ("kronions --bot random --rule hok=on", "unknown option 'hok'; did you mean 'hook'?"),
    ("kronions --bot random --rule hook=onn", "option 'hook' cannot be 'onn': expected on, off [R20]"),
    ("kronions --bot random --rule hook", "rule 'hook': expected KEY=VALUE, such as hook=off"),
    ("kronions --bot random --rule =on", "rule '=on': expected KEY=VALUE, such as hook=off"),
    ("kronions --bot random --rule hook=", "rule 'hook=': expected KEY=VALUE, such as hook=off"),
    ("kronions --bot random --rule hook=on --rule hook=off", "rule 'hook' is given twice"),
    ("kronions --bot random --rule score_base=-1", "option 'score_base' cannot be '-1': expected 0..1000 [R39]"),
    ("kronions --bot random --rule score_base=ten", "option 'score_base' cannot be 'ten': expected 0..1000 [R39]"),
    ("kronions --bot random --rule round_sizes=3,x", "option 'round_sizes' cannot be '3,x': expected rising or a list"),
    ("kronions --bot random --rule round_cap=5:3", "option 'round_cap' has no entry for 4 players in '5:3'"),
    ("kronions --bot random --rule round_cap=4:3:2", "option 'round_cap' cannot be '4:3:2': expected max or 1..29"),
    ("kronions --bot random --preset oh_hell --rule hand_size=x", "option 'hand_size' cannot be 'x': expected 1..12"),
    # seats
    ("kronions --bot random --players 1", "option 'num_players' cannot be '1': expected 2..6 [R1]"),
    ("kronions --bot random --players 7", "option 'num_players' cannot be '7': expected 2..6 [R1]"),
    ("kronions --bot random --players -4", "option 'num_players' cannot be '-4': expected 2..6 [R1]"),
    ("kronions --bot random --players 4 --rule num_players=5", "--players 4 and --rule num_players=5: give one"),
    ("kronions --bot random --preset mini --players 4", "option 'num_players' cannot be '4': expected 2..3"),
    # deals that no deck allows
    ("kronions --bot random --rule round_cap=15", "round_cap 15 cannot be dealt: 58 cards give 4 players at most 14"),
    ("kronions --bot random --rule round_cap=0", "option 'round_cap' cannot be '0': expected max or 1..29"),
    ("kronions --bot random --rule only_round=15", "only_round 15 is not in the series: expected 1..14 for 4 players"),
    ("kronions --bot random --rule round_sizes=1,20", "round_sizes [1, 20] cannot be dealt"),
    (
        "kronions --bot random --players 6 --rule num_suits=1 --rule num_ranks=1 --rule num_paradox=0",
        "a deck of 1 cards",
    ),
    ("kronions --bot random --preset oh_hell --rule hand_size=13", "option 'hand_size' cannot be '13': expected 1..12"),
    # bots
    ("kronions", "no bots: expected at least one, such as --bot heuristic"),
    ("kronions --bot randm", "unknown bot 'randm'; did you mean 'random'?"),
    ("kronions --bot x", "unknown bot 'x'; expected one of random, heuristic, mc, ismcts, moismcts, module.path:Class"),
    ("kronions --bot heuristic:epsilom=1", "bot 'heuristic' has no key 'epsilom'; did you mean 'epsilon'?"),
    ("kronions --bot heuristic:epsilon=2", "bot 'heuristic' cannot have epsilon=2: expected 0..1"),
    ("kronions --bot heuristic:epsilon=nan", "bot 'heuristic' cannot have epsilon=nan: expected 0..1"),
    ("kronions --bot a=random --bot a=heuristic", "2 bots have the label 'a': expected different ones"),
    (
        "kronions --bot no_such:Bot",
        "bot 'no_such:Bot' cannot be loaded: ModuleNotFoundError: No module named 'no_such'",
    ),
    (f"kronions --bot {BASELINE[:-1]}", f"bot '{BASELINE[:-1]}' cannot be loaded: AttributeError: module"),
    (f"kronions --bot {BASELINE}:depth=3", f"bot '{BASELINE}:depth=3' cannot be built: TypeError:"),
    ("kronions --bot json:JSONDecoder", "bot 'json:JSONDecoder' has no method choose(view, rng)"),
    # the run
    ("kronions --bot random --boards 0", "boards 0: expected 1..1000000000"),
    ("kronions --bot random --boards -5", "boards -5: expected 1..1000000000"),
    ("kronions --bot random --boards 1000000001", "boards 1000000001: expected 1..1000000000"),
    ("kronions --bot random --seed -1", "seed -1: expected 0..18446744073709551615"),
    ("kronions --bot random --seed 18446744073709551616", "seed 18446744073709551616: expected 0..184467440737095516"),
    ("kronions --bot random --format deals", "unknown format 'deals'; did you mean 'deal'?"),
    ("kronions --bot random --format deal --rule round_sizes=2,3", "single deals need one entry in round_sizes"),
    ("kronions --bot random --seating rotation", "unknown seating 'rotation'; did you mean 'rotations'?"),
    ("kronions --bot random --seating all --players 5", "seating 'all' is for up to 4 seats, got 5"),
]
BAD_COMMANDS: list[tuple[str, str]] = [
    *((f"tournament {arguments}", message) for arguments, message in BAD_TOURNAMENTS),
    *((f"tournament {arguments} --out run", message) for arguments, message in BAD_TOURNAMENTS[::7]),
    ("rules kronoins", "unknown game 'kronoins'; did you mean 'kronions'?"),
    ("rules kronions --preset ohhell", "unknown preset 'ohhell'; did you mean 'oh_hell'?"),
    ("resume nowhere", "'nowhere' is no run directory: expected a folder with run.json"),
    ("resume .", "'.' is no run directory: expected a folder with run.json"),
    ("replay nowhere --game-id 0", "'nowhere' is no run directory: expected a folder with run.json"),
    ("bench kronoins", "unknown game 'kronoins'; did you mean 'kronions'?"),
    ("bench kronions --json no/such/file.json", "cannot write 'no/such/file.json': there is no folder 'no/such'"),
    ("tournament kronions --bot random --out /dev/null/run", "cannot write to '/dev/null/run': Not a directory"),
    ("tournament kronions --bot random --out /dev/null", "'/dev/null' holds other files: choose a new or an empty"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_COMMANDS)
def test_bad_input_gets_one_line_and_leaves_nothing(arguments: str, message: str, empty_folder: Path) -> None:
    result = invoke(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("tornament", "No such command 'tornament'. Did you mean 'tournament'?"),
        ("tournament", "Missing argument 'GAME'."),
        (
            "tournament kronions --bot random --boards many",
            "Invalid value for '--boards': 'many' is not a valid integer.",
        ),
        (
            "tournament kronions --bot random --boards 1.5",
            "Invalid value for '--boards': '1.5' is not a valid integer.",
        ),
        ("tournament kronions --bot random --seed x", "Invalid value for '--seed': 'x' is not a valid integer."),
        (
            "tournament kronions --bot random --players four",
            "Invalid value for '--players': 'four' is not a valid integer.",
        ),
        ("tournament kronions --bot random --workers 0", "Invalid value for '--workers': 0 is not in the range x>=1."),
        ("tournament kronions --bot random --bords 3", "No such option '--bords'. (Did you mean one of: '--boards'"),
        ("tournament kronions --bot", "Option '--bot' requires an argument."),
        ("tournament kronions extra --bot random", "Got unexpected extra argument (extra)"),
        ("resume", "Missing argument 'DIRECTORY'."),
        ("resume . --workers -1", "Invalid value for '--workers': -1 is not in the range x>=1."),
        ("replay .", "Missing option '--game-id'."),
        ("replay . --game-id x", "Invalid value for '--game-id': 'x' is not a valid integer."),
        ("bench kronions --against pgx", "Invalid value for '--against': 'pgx' is not 'openspiel'."),
    ],
)
def test_bad_words_get_one_line_of_error(arguments: str, message: str, empty_folder: Path) -> None:
    result = invoke(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1
    assert list(empty_folder.iterdir()) == []


@pytest.mark.parametrize("script", ["bench_page", "counts", "ladder", "openspiel", "ratchet", "scaling", "win_chances"])
def test_bad_words_for_a_script_get_one_line_of_error(script: str) -> None:
    result = CliRunner().invoke(import_module(f"experiments.{script}").main, ["--nope"], prog_name=script)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: No such option '--nope'.")
    assert result.stderr.endswith(f"(see '{script} --help')\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        "tournament kronoins --bot random",
        "tournament kronions --bot no_such:Bot",
        "resume nowhere",
        "rules kronions --preset x",
    ],
)
def test_bad_input_in_a_process_of_its_own(arguments: str, empty_folder: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "experiments.cli", *arguments.split()],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (process.returncode, process.stdout) == (2, "")
    assert re.fullmatch(r"Error: [^\n]+\n", process.stderr)
    assert list(empty_folder.iterdir()) == []


def test_a_folder_with_other_files_or_another_run_is_refused_and_kept(empty_folder: Path) -> None:
    (empty_folder / "mine").mkdir()
    (empty_folder / "mine" / "notes.txt").write_text("mine")
    output(*SHORT, *TWO, "--out", "run")
    before = files_below(empty_folder)
    for arguments, message in (
        ([*SHORT, *TWO, "--out", "mine"], "'mine' holds other files: choose a new or an empty folder"),
        (
            [*SHORT, *TWO, "--out", "mine/notes.txt"],
            "'mine/notes.txt' holds other files: choose a new or an empty folder",
        ),
        ([*SHORT, *TWO, "--out", "mine/notes.txt/run"], "cannot write to 'mine/notes.txt/run': Not a directory"),
        (
            [*SHORT, *TWO, "--out", "run", "--seed", "1"],
            "'run' holds another run (its seed is 0, not 1): choose another",
        ),
        (["resume", "mine"], "'mine' is no run directory: expected a folder with run.json"),
    ):
        result = invoke(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"Error: {message}")
        assert result.stderr.count("\n") == 1
        assert files_below(empty_folder) == before


def test_an_error_of_several_lines_becomes_one(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(empty_folder)
    name = write_bots(empty_folder, "raise ImportError('one\\ntwo\\n\\n  three')\n")
    result = invoke(*SHORT, "--bot", f"{name}:Bot")
    assert result.exit_code == 2
    assert result.stderr == f"Error: bot '{name}:Bot' cannot be loaded: ImportError: one two three\n"


# Tournaments


def numbers_in(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*\.?\d*", text)]


def test_a_tournament_shows_standings_differences_and_where_the_files_are(empty_folder: Path) -> None:
    text = output(*SHORT, *TWO, "--seed", "5", "--out", "run", "--moves")
    assert text.startswith("kronions, 3 players, 9 boards, seed 5")
    directory = RunDirectory.open(empty_folder / "run")
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    found = standings(directory)
    order = [line.split()[0] for line in text.splitlines() if line.strip().startswith(("random ", "heuristic "))]
    assert order[:2] == [standing.bot for standing in found]
    for standing in found:
        line = next(line for line in text.splitlines() if line.strip().startswith(f"{standing.bot}  "))
        points, share = standing.points, standing.win_share
        shown = [points.mean, points.low, points.high, 100 * share.mean, 100 * share.low, 100 * share.high]
        assert numbers_in(line) == [*(pytest.approx(value, abs=0.005) for value in shown), standing.games]
    assert f"{found[0].bot} - {found[1].bot}" in text
    for table, rows in (("games", 9 * 3 * 3), ("deals", 9 * 3 * 3 * 3), ("moves", 9 * 3 * 3 * 9)):
        assert f"{rows:,} rows in run/{table}" in text
        assert directory.num_rows(table) == rows
    assert "Parquet" in lines


def test_the_same_command_shows_the_standings_again_or_goes_on(empty_folder: Path) -> None:
    command = [*SHORT, *TWO, "--out", "run"]
    first, files = output(*command), contents(empty_folder / "run")
    assert output(*command) == first
    assert output("resume", "run") == first
    (empty_folder / "run" / "games" / "part-000002.parquet").unlink()
    data = json.loads((empty_folder / "run" / "manifest.json").read_text())
    del data["parts"]["6"]
    (empty_folder / "run" / "manifest.json").write_text(json.dumps(data))
    standings_of = first.partition("writing them")[0]
    assert output(*command, "--workers", "3").partition("writing them")[0] == standings_of
    assert contents(empty_folder / "run") == files


def test_without_out_a_run_goes_to_a_folder_named_after_game_and_spec(empty_folder: Path) -> None:
    text = output(*SHORT, *TWO)
    spec = make_spec("kronions", ["random", "heuristic"], options={"num_players": 3, "round_cap": 3}, boards=9)
    assert [path.name for path in (empty_folder / "runs").iterdir()] == [f"kronions-{spec.hash()[:8]}"]
    assert f"runs/kronions-{spec.hash()[:8]}/games" in text
    output(*SHORT, *TWO, "--seed", "1")
    assert len(list((empty_folder / "runs").iterdir())) == 2
    assert output(*SHORT, *TWO) == text


def test_every_option_reaches_the_spec(empty_folder: Path) -> None:
    options = "--players 2 --boards 11 --seed 3 --preset mini --rule num_ranks=2 --rule score_base=5 --format deal"
    bots = "--bot a=random --bot b=heuristic:epsilon=0.5"
    output(*f"tournament kronions {bots} {options} --seating all --moves --workers 2 --out run".split())
    expected = make_spec(
        "kronions",
        ["a=random", "b=heuristic:epsilon=0.5"],
        preset="mini",
        options={"num_players": 2, "num_ranks": 2, "score_base": 5},
        boards=11,
        seed=3,
        format="deal",
        seating="all",
        moves=True,
    )
    assert RunDirectory.open(empty_folder / "run").spec == expected


def test_a_run_too_short_for_its_lineups_shows_the_bots_that_did_not_play(empty_folder: Path) -> None:
    bots = [word for label in "abcd" for word in ("--bot", f"{label}=random")]
    text = output("tournament", "kronions", *bots, "--players", "2", "--boards", "1", "--rule", "round_cap=1")
    lines = [next(line for line in text.splitlines() if line.startswith(f" {label} ")) for label in "abcd"]
    assert sorted(line.split()[-1] for line in lines) == ["0", "0", "2", "2"]  # the seed draws who plays
    assert "nan" not in text
    assert "inf" not in text


def test_long_labels_are_shown_whole() -> None:
    labels = ["a_label_that_is_much_longer_than_a_column_of_the_table_can_be_" + letter for letter in "xy"]
    text = output(*SHORT, *(word for label in labels for word in ("--bot", f"{label}=random")))
    assert "…" not in text
    cells = "".join(line.split("  ")[0].strip() for line in text.partition("difference")[0].splitlines())
    for label in labels:
        assert label in cells


def test_one_bot_alone_has_no_differences() -> None:
    assert "difference" not in output(*SHORT, "--bot", "random")


def test_a_faulty_bot_gives_one_line_and_exit_code_1(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(empty_folder)
    name = write_bots(empty_folder)
    result = invoke(*SHORT, "--bot", f"bad={name}:RaisesLines", "--out", "run")
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(r"Error: bot 'bad' raised ValueError: one two three \(board \d, [^\n]*\)\n", result.stderr)


def test_ctrl_c_gives_exit_code_130_and_says_how_to_go_on(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process; with real signals in test_tournament.py."""

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    def leave(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr("experiments.tournament.run", interrupted)
    monkeypatch.setattr("os._exit", leave)
    result = invoke(*SHORT, *TWO, "--out", "some/where")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "stopped before the run began: there is nothing to go on with\n"
    (empty_folder / "some" / "where").mkdir(parents=True)
    (empty_folder / "some" / "where" / "run.json").touch()
    result = invoke(*SHORT, *TWO, "--out", "some/where")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "stopped; what is finished is kept: go on with 'hiddenhand resume some/where'\n"


# Rules and bots


@pytest.mark.parametrize("preset", ["standard", "oh_hell", "mini"])
def test_rules_shows_every_option_with_its_value_and_every_preset(preset: str) -> None:
    text = output("rules", "kronions", "--preset", preset, columns=400)
    game = make_game("kronions", preset)
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    for option in game.options:
        cells = re.split(r"\s{2,}", rows[option.name].strip())
        assert cells == [
            option.name,
            game.option_values()[option.name],
            option.allowed(),
            option.clause,
            option.meaning,
        ]
    for name, found in game.presets.items():
        assert found.meaning in rows[name]


def test_rules_fits_a_narrow_terminal() -> None:
    text = output("rules", "kronions")
    assert max(map(len, text.splitlines())) <= 100
    for option in game_class("kronions").options:
        assert re.search(rf"^ {option.name} ", text, re.MULTILINE)


def test_bots_shows_every_bot_and_every_key() -> None:
    text = output("bots", columns=400)
    assert text.startswith("bots: --bot [label=]name[:key=value,...]")
    cells = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]
    for name, kind in BOT_KINDS.items():
        assert [name, kind.meaning, ", ".join(kind.keys) or "none"] in cells
        for key, found in kind.keys.items():
            default = found.default or "none"
            (row,) = [row for row in cells if row[:4] == [key, default, found.allowed(), found.meaning]]
            assert name in row[4].split(", ")
    assert "choose(view, rng)" in text


def test_bots_fits_a_narrow_terminal() -> None:
    assert max(map(len, output("bots").splitlines())) <= 100


# Replays


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two equal runs, `with` and `without` a log of moves; the Python bot plays at random, from its own stream."""
    path = tmp_path_factory.mktemp("logged")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path)
        bots = ["heuristic", "random", f"own={write_bots(path)}:Shuffled"]
        for name, moves in (("with", True), ("without", False)):
            run(small_spec(*bots, boards=8, seed=2, moves=moves), path / name, workers=2)
    return path


@pytest.fixture
def own_bots(logged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(logged)


@pytest.mark.usefixtures("own_bots")
@pytest.mark.parametrize("game_id", [0, 1, 5, 23])
def test_a_replay_from_the_log_and_one_by_the_bots_are_the_same(logged: Path, game_id: int) -> None:
    texts = [output("replay", str(logged / name), "--game-id", str(game_id)) for name in ("with", "without")]
    assert texts[0] == texts[1]


@pytest.mark.usefixtures("own_bots")
def test_a_replay_shows_every_move_and_the_end(logged: Path) -> None:
    directory, game_id = RunDirectory.open(logged / "with"), 7
    text = output("replay", str(logged / "with"), "--game-id", str(game_id))
    spec = directory.spec
    board = spec.schedule.board_of_game(game_id)
    slot = spec.schedule.games(board, board + 1)[game_id - spec.schedule.first_game(board)]
    table = Table(spec, game_of_board(spec, board), slot)
    assert text.startswith(f"game 7: board {board}, line-up {slot['lineup']}, rotation {slot['rotation']}\nseat 0 ")
    moves = [row for row in rows_of(directory.read("moves")) if row["game_id"] == game_id]
    shown = re.findall(r"^  seat (\d) (\S+) +(.*)$", text, re.MULTILINE)
    assert len(shown) == len(moves) == 3 * (1 + 1 + 1 + 2 + 1 + 3)
    for move, (seat, label, words) in zip(moves, shown, strict=True):
        assert (int(seat), label) == (move["seat"], table.labels[move["seat"]])
        assert words.startswith(table.state.action_to_string(move["action"]))
        table.play(move["action"])
    rows = {row["seat"]: row for row in rows_of(directory.read("games")) if row["game_id"] == game_id}
    final = ", ".join(
        f"{row['place']}. seat {seat} {row['bot']} {row['score']:.0f}"
        for seat, row in sorted(rows.items(), key=lambda item: (item[1]["place"], item[0]))
    )
    assert text.endswith(f"\nfinal: {final}\n")
    assert [line for line in text.splitlines() if line.startswith("Kronions, round")][::2] == [
        line for line in text.splitlines() if line.startswith("Kronions, round")
    ][1::2], "every deal is drawn at its start and at its end"


@pytest.mark.usefixtures("own_bots")
@pytest.mark.parametrize("deal", [0, 1, 2])
def test_a_replay_can_show_one_deal(logged: Path, deal: int) -> None:
    whole = output("replay", str(logged / "with"), "--game-id", "3")
    text = output("replay", str(logged / "with"), "--game-id", "3", "--deal", str(deal))
    assert set(re.findall(r"Kronions, round (\d) of 3", text)) == {str(deal + 1)}
    body = text.partition("\n\n")[2]
    assert body.rpartition("\nfinal: ")[0].rstrip() in whole
    assert body.rpartition("final: ")[2] == whole.rpartition("final: ")[2]
    assert len(re.findall(r"^  seat", text, re.MULTILINE)) == 3 * (deal + 2)


@pytest.mark.usefixtures("own_bots")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--game-id 24", "game 24 is not in this run: expected 0..23"),
        ("--game-id -1", "game -1 is not in this run: expected 0..23"),
        ("--game-id 0 --deal 3", "deal 3: expected 0..2"),
        ("--game-id 0 --deal -1", "deal -1: expected 0..2"),
    ],
)
def test_a_replay_of_a_game_or_deal_that_is_not_there_is_refused(logged: Path, words: str, message: str) -> None:
    for name in ("with", "without"):
        result = invoke("replay", str(logged / name), *words.split())
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")


@pytest.mark.usefixtures("own_bots")
def test_a_replay_of_a_game_that_is_not_played_yet_says_so(logged: Path, empty_folder: Path) -> None:
    shutil.copytree(logged / "with", "run")
    data = json.loads(Path("run/manifest.json").read_text())
    del data["parts"]["0"]
    Path("run/manifest.json").write_text(json.dumps(data))
    result = invoke("replay", "run", "--game-id", "0")
    message = "game 0 has not been played yet: finish the run with 'hiddenhand resume run'"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")
    output("replay", "run", "--game-id", "3")


@pytest.mark.usefixtures("own_bots")
@pytest.mark.parametrize("damage", ["missing", "tampered"])
@pytest.mark.parametrize("table", ["games", "moves"])
def test_a_replay_from_a_damaged_file_is_refused(logged: Path, empty_folder: Path, damage: str, table: str) -> None:
    shutil.copytree(logged / "with", "run")
    file = Path(f"run/{table}/part-000000.parquet")
    file.unlink() if damage == "missing" else file.write_bytes(file.read_bytes() + b"\0")
    result = invoke("replay", "run", "--game-id", "0")
    message = "part 0 of this run is damaged: make it again with 'hiddenhand resume run'"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")


@pytest.mark.usefixtures("own_bots")
@pytest.mark.parametrize("name", ["with", "without"])
def test_a_replay_notices_a_score_that_was_tampered_with(logged: Path, empty_folder: Path, name: str) -> None:
    """The score of one seat is raised, and the hash in the manifest made to fit."""
    shutil.copytree(logged / name, "run")
    file = Path("run/games/part-000000.parquet")
    games = pq.read_table(file)
    scores = games["score"].to_numpy().copy()
    scores[4] += 1
    field = games.schema.field("score")
    data = parquet_bytes(games.set_column(games.schema.get_field_index("score"), field, pa.array(scores)))
    file.write_bytes(data)
    manifest = json.loads(Path("run/manifest.json").read_text())
    manifest["parts"]["0"]["games"]["sha256"] = hashlib.sha256(data).hexdigest()
    Path("run/manifest.json").write_text(json.dumps(manifest))
    assert invoke("replay", "run", "--game-id", "0").exit_code == 0
    result = invoke("replay", "run", "--game-id", "1")
    assert result.exit_code == 2
    assert re.fullmatch(r"Error: game 1 ended with \[.*\] in the replay, but \[.*\] is logged\n", result.stderr)
    assert "final:" not in result.stdout


# Truf

BAD_TRUF: list[tuple[str, str]] = [
    ("--rule max_hands=0", "option 'max_hands' cannot be '0': expected 1..10000 [R51]"),
    ("--rule target=0", "option 'target' cannot be '0': expected 1..10000 [R49]"),
    ("--rule bid_cap=12", "bid_cap=12 and num_suits=4 with ranks=all contradict each other: expected none or 13 [R13]"),
    (
        "--rule redeal=pagat --rule ranks=J,Q,K,A",
        "redeal=pagat and num_suits=4 with ranks=J,Q,K,A contradict each other: expected at least 2, 4 and 4, got",
    ),
    ("--rule num_suits=3 --rule ranks=2,3,4,5,6", "num_suits=3 and 5 ranks make 15 cards: expected a multiple of 4"),
    ("--rule ranks=2,2", "option 'ranks' cannot be '2,2': expected all, or different ones of 2,3,4,5,6,7,8,9,10,J"),
    ("--rule num_players=3", "option 'num_players' cannot be '3': expected 4 [R1]"),
    ("--players 3", "option 'num_players' cannot be '3': expected 4 [R1]"),
    ("--rule facedwn=none", "unknown option 'facedwn'; did you mean 'facedown'?"),
    ("--rule facedown=all", "option 'facedown' cannot be 'all': expected all_truf, ruffs_only, none [R37]"),
    ("--preset clasic", "unknown preset 'clasic'; did you mean 'classic'?"),
    (
        "--preset mini --rule max_bid_cards=3",
        "max_bid_cards=3 and num_suits=2 with ranks=2,Q,K,A contradict each other: a hand has 2 cards [R9]",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_TRUF)
def test_bad_rules_of_truf_get_one_line_and_leave_nothing(arguments: str, message: str, empty_folder: Path) -> None:
    test_bad_input_gets_one_line_and_leaves_nothing(f"tournament truf --bot random {arguments}", message, empty_folder)


@pytest.mark.parametrize("preset", ["standard", "classic", "mini"])
def test_rules_shows_the_options_of_truf(preset: str) -> None:
    text = output("rules", "truf", "--preset", preset, columns=400)
    game = make_game("truf", preset)
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    for option in game.options:
        cells = re.split(r"\s{2,}", rows[option.name].strip())
        value = game.option_values()[option.name]
        assert cells == [option.name, value, option.allowed(), option.clause, option.meaning]
    for name, found in game.presets.items():
        assert found.meaning in rows[name]


def test_a_tournament_of_truf_and_its_replay(empty_folder: Path) -> None:
    words = ["truf", *TWO, "--boards", "2", "--rule", "max_hands=2"]
    text = output("tournament", *words, "--moves", "--out", "with")
    assert text.startswith("truf, 4 players, 2 boards, seed 0")
    directory = RunDirectory.open(empty_folder / "with")
    num_games = directory.num_rows("games") // 4
    assert directory.num_rows("deals") == num_games * 4 * 2
    output("tournament", *words, "--out", "without")
    for game_id in (0, num_games - 1):
        shown = [output("replay", name, "--game-id", str(game_id)) for name in ("with", "without")]
        assert shown[0] == shown[1]
        moves = [row for row in rows_of(directory.read("moves")) if row["game_id"] == game_id]
        assert len(re.findall(r"^  seat \d ", shown[0], re.MULTILINE)) == len(moves) > 2 * (8 + 52)
        assert set(re.findall(r"Truf, hand (\d)", shown[0])) == {"1", "2"}
        assert len(re.findall(r"seat \d takes trick \d+ and has", shown[0])) >= 2 * 12
        rows = {row["seat"]: row for row in rows_of(directory.read("games")) if row["game_id"] == game_id}
        final = ", ".join(
            f"{row['place']}. seat {seat} {row['bot']} {row['score']:.0f}"
            for seat, row in sorted(rows.items(), key=lambda item: (item[1]["place"], item[0]))
        )
        assert shown[0].endswith(f"\nfinal: {final}\n")
        one = output("replay", "with", "--game-id", str(game_id), "--deal", "1")
        assert set(re.findall(r"Truf, hand (\d)", one)) == {"2"}
