"""Runs described in a file: every option of the command, and any run.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from experiments.cli import main, tournament
from experiments.config import KEYS
from experiments.rundir import RunDirectory
from experiments.spec import make_spec
from experiments.tournament import run
from tests.experiments.helpers import contents, small_spec

CONFIG = """
game = "kronions"
bot = ["random", "h=heuristic:epsilon=0.1"]
players = 3
boards = 12
seed = 5
preset = "standard"
rule = { hook = false, round_cap = 2 }
format = "game"
seating = "all"
workers = 2
move-limit = 1000.5
moves = true
stop-when = "h>random:effect=0.3"
"""


def play(tmp_path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["tournament", *arguments, "--out", str(tmp_path / "run")])


def test_every_option_may_stand_in_the_file() -> None:
    options = {parameter.name for parameter in tournament.params if parameter.expose_value}
    assert {name for name, _ in KEYS.values()} == options


def test_a_file_is_the_same_as_the_options(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG)
    assert play(tmp_path, "--config", str(tmp_path / "run.toml")).exit_code == 0
    options = {"num_players": 3, "hook": "off", "round_cap": 2}
    bots = ("random", "h=heuristic:epsilon=0.1")
    expected = make_spec("kronions", bots, options=options, boards=12, seed=5, seating="all", moves=True,
                         stop_when="h>random:effect=0.3")  # fmt: skip
    assert RunDirectory.open(tmp_path / "run").spec == expected


def test_the_command_line_comes_first(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG.replace('"kronions"', '"truf"').replace("players = 3\n", ""))
    arguments = [
        "kronions",
        "--config",
        str(tmp_path / "run.toml"),
        "--boards",
        "8",
        "--bot",
        "random",
        "--bot",
        "h=random",
    ]
    assert play(tmp_path, *arguments).exit_code == 0
    spec = RunDirectory.open(tmp_path / "run").spec
    assert (spec.game, spec.boards, spec.seed) == ("kronions", 8, 5)
    assert spec.bots == (("random", "random"), ("h", "random"))


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("--rule hook=on", {"hook": "on"}),
        ("--rule round_cap=3", {"round_cap": "3"}),
        ("--players 4", {"num_players": "4"}),
        ("--rule num_players=4", {"num_players": "4"}),
        ("--players 4 --rule hook=on", {"num_players": "4", "hook": "on"}),
    ],
)
@pytest.mark.parametrize("filed", ["players = 3", "rule.num_players = 3"])
def test_rules_of_the_command_line_come_first_one_by_one(
    tmp_path: Path, words: str, changed: dict[str, str], filed: str
) -> None:
    bots = "game = 'kronions'\nbot = ['random', 'heuristic']\nboards = 1\n"
    (tmp_path / "run.toml").write_text(f"{bots}{filed}\nrule.hook = false\nrule.round_cap = 2\n")
    found = play(tmp_path, "--config", str(tmp_path / "run.toml"), *words.split())
    assert found.exit_code == 0, found.output
    expected = {"num_players": "3", "hook": "off", "round_cap": "2"} | changed
    options = RunDirectory.open(tmp_path / "run").spec.options
    assert {name: options[name] for name in expected} == expected


def test_players_may_be_given_for_the_run_of_a_run_json(tmp_path: Path) -> None:
    first = run(small_spec(boards=1), tmp_path / "first", workers=1)
    assert play(tmp_path, "--config", str(first.path / "run.json"), "--players", "4").exit_code == 0
    assert RunDirectory.open(tmp_path / "run").spec.options == first.spec.options | {"num_players": "4"}


@pytest.mark.parametrize(
    ("filed", "words", "expected"),
    [
        ("workers = 2", "--cluster local:1", (None, "local:1")),
        ("cluster = 'local:1'", "--workers 2", (2, None)),
        ("workers = 2", "--workers 1", (1, None)),
        ("cluster = 'local:1'", "", (None, "local:1")),
    ],
)
def test_who_plays_is_said_by_the_command_line_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filed: str, words: str, expected: tuple[int | None, str | None]
) -> None:
    asked = []
    monkeypatch.setattr("experiments.run_commands._run", lambda spec, path, *rest: asked.append(rest[:2]))
    (tmp_path / "run.toml").write_text(f"game = 'kronions'\nbot = ['random']\n{filed}")
    assert play(tmp_path, "--config", str(tmp_path / "run.toml"), *words.split()).exit_code == 0
    assert asked == [expected]


@pytest.mark.parametrize("words", ["--players 3 --rule num_players=4", "--workers 2 --cluster local:1"])
def test_two_words_for_one_thing_are_refused(tmp_path: Path, words: str) -> None:
    found = play(tmp_path, "kronions", "--bot", "random", *words.split())
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert "give one" in found.stderr


@pytest.mark.parametrize("game", ["kronions", "truf", "kosmogonia"])
def test_a_run_json_repeats_its_run(tmp_path: Path, game: str) -> None:
    stop_when = "a>h" if game == "truf" else ""
    spec = make_spec(game, ["a=random", "h=heuristic"], boards=9, seed=3, moves=True, stop_when=stop_when)
    first = run(spec, tmp_path / "first", workers=1)
    assert play(tmp_path, "--config", str(first.path / "run.json")).exit_code == 0
    assert contents(tmp_path / "run") == contents(first.path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bords = 5", "has the key 'bords'; did you mean 'boards'?"),
        ("boards = '5'", "has boards = '5': expected an integer"),
        ("boards = true", "has boards = True: expected an integer"),
        ("bot = 'random'", "has bot = 'random': expected a list of texts"),
        ("bot = [1]", "has bot = [1]: expected a list of texts"),
        ("moves = 1", "has moves = 1: expected true or false"),
        ("rule = ['hook=off']", "has rule = ['hook=off']: expected a table"),
        ("move-limit = 'x'", "has move-limit = 'x': expected a number"),
        ("boards = ", "cannot be read as toml: Invalid value"),
        ("boards = 0\nbot = ['random']\ngame = 'kronions'", "boards 0: expected 1.."),
        ("boards = 5", "Missing argument 'GAME'"),
        ('out = "a\\u0000b"', "has out = 'a\\x00b': expected no zero bytes"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    result = play(tmp_path, "--config", str(tmp_path / "run.toml"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "data", [[], {}, {"spec": {}}, {"spec": {"bots": 5}}, {"spec": {"bots": [[1, 2]], "game": "kronions"}}]
)
def test_a_bad_run_json_is_one_line(tmp_path: Path, data: object) -> None:
    (tmp_path / "run.json").write_text(json.dumps(data))
    result = play(tmp_path, "--config", str(tmp_path / "run.json"))
    assert result.exit_code == 2
    assert "is no run.json" in result.stderr
    missing = play(tmp_path, "--config", str(tmp_path / "none.toml"))
    assert (missing.exit_code, missing.stderr.count("\n")) == (2, 1)
    assert "No such file" in missing.stderr
