"""The documents cannot rot: what they say is run, and what there is to say is said."""

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from experiments import analysis, dictionary
from experiments.cli import main
from experiments.games import game_names, make_game
from experiments.schema import COMMON_TABLES
from tests import readme

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = (ROOT / "docs" / "commands.md").read_text()


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in a language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [text for found, text in fenced if found == language]


@pytest.mark.parametrize("shown", readme.SHOWN, ids=lambda shown: shown.mark)
def test_documents_show_the_real_output_of_commands(shown: readme.Shown) -> None:
    text = readme.section(shown)
    assert text in (ROOT / shown.file).read_text(), f"{shown.file} is out of date: run 'make golden'"


def test_readme_python_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = readme.TOURNAMENT.command.replace("--boards 2000", "--boards 20")
    words = [sys.executable, "-m", "experiments.cli", *command.split()[1:]]
    subprocess.run(words, env=environment, check=True, capture_output=True)
    scope: dict[str, object] = {}
    printed = io.StringIO()
    found = blocks("python")
    with contextlib.redirect_stdout(printed):
        for block in found:
            exec(block, scope)
    assert len(found) == 6
    assert "hand_size" in printed.getvalue()


def test_readme_bot_of_ones_own_plays_as_written(tmp_path: Path) -> None:
    bot = next(block for block in blocks("python") if "class Careful" in block)
    (tmp_path / "mybot.py").write_text(bot)
    command = (
        next(block for block in blocks("") if "mybot:Careful" in block).strip().replace("--boards 20", "--boards 2")
    )
    words = [sys.executable, "-m", "experiments.cli", *command.split()[1:], "--rule", "round_cap=2"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "careful" in done.stdout


def test_readme_commands_exist() -> None:
    for name in re.findall(r"hiddenhand ([a-z-]+)", README + COMMANDS):
        assert name in main.commands, f"the documents name a command {name!r} that does not exist"
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for target in re.findall(r"make ([a-z-]+)", README + (ROOT / "CONTRIBUTING.md").read_text()):
        assert target in targets | {"are"}, f"the documents name 'make {target}', which does not exist"


def all_commands(group: click.Group = main, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            assert command.help, f"{name} has no help"
            yield from all_commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def test_every_command_and_option_has_help_and_a_docs_entry() -> None:
    for name, command in all_commands():
        assert command.help, f"{name} has no help"
        assert f"## hiddenhand {name}" in COMMANDS, f"docs/commands.md lacks {name}"
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts[0]} has no help"
                assert f"`{parameter.opts[0]}" in COMMANDS, f"docs/commands.md lacks {parameter.opts[0]} of {name}"


def test_every_analysis_is_in_its_page_and_says_what_it_gives() -> None:
    page = (ROOT / "docs" / "analysis.md").read_text()
    for name in analysis.__all__:
        found = getattr(analysis, name)
        if callable(found) and name[0].islower() and name not in ("frame", "frames", "open_run"):
            assert f"`{name}(" in page, f"docs/analysis.md lacks {name}"
            assert found.__doc__
            assert "Returns:" in found.__doc__ or name == "bid_values", name


def test_data_dictionary_is_the_schema() -> None:
    assert dictionary.PAGE.read_text() == dictionary.page(), "docs/data.md is out of date: run 'make golden'"
    for columns in COMMON_TABLES.values():
        assert all(column.unit and column.meaning for column in columns)


@pytest.mark.parametrize("name", game_names())
def test_every_option_phase_and_preset_is_in_the_games_readme(name: str) -> None:
    text = (ROOT / name / "README.md").read_text()
    game = make_game(name)
    for option in game.options:
        assert re.search(rf"^\| `{option.name}` \| {option.clause} \|", text, re.MULTILINE), f"{name}: {option.name}"
        assert option.meaning, f"{name}: {option.name} has no meaning"
    for preset in game.presets:
        assert f"`{preset}`" in text
    assert f"\n{game.version}. " in text[text.index("## Versions") :]


@pytest.mark.parametrize("name", game_names())
def test_every_clause_cited_in_code_is_in_the_games_readme(name: str) -> None:
    text = (ROOT / name / "README.md").read_text()
    for file in (ROOT / name).glob("*.py"):
        for clause in re.findall(r"\bR\d+b?\b", file.read_text()):
            assert re.search(rf"\b{clause} ", text), f"{file.name} cites {clause}, which {name}/README.md lacks"


def test_changelog_names_the_version() -> None:
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"## {version.group(1)}" in (ROOT / "CHANGELOG.md").read_text()
