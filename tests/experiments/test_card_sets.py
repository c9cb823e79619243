"""Card sets at the command line: checked, measured, named in runs, and never exchanged under a run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from experiments.card_sets import CardFigures, measure
from experiments.cli import main
from kosmogonia.cards import STANDIN_FOLDER

TOURNAMENT = ("tournament", "kosmogonia", "--bot", "random", "--bot", "heuristic", "--players", "2", "--boards", "2")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture
def own_set(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    shutil.copytree(STANDIN_FOLDER, folder)
    (folder / "set.csv").write_text("name,origin,note\nPrinted,supplied,made for a test\n")
    return folder


def change(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))


def test_a_valid_set_is_said_to_be_valid(own_set: Path) -> None:
    result = run("cards", "check", str(own_set))
    assert result.exit_code == 0
    assert result.output == f"{own_set}: card set 'Printed' (supplied) is valid\n"


def test_all_errors_and_warnings_are_listed(own_set: Path) -> None:
    change(own_set, "champions.csv", "Jason", "Hermes")
    change(own_set, "kronos.csv", "13,13,13,13", "13,13,100,13")
    result = run("cards", "check", str(own_set))
    assert result.exit_code == 2
    first, second, last = result.output.splitlines()
    assert first == 'error: champions.csv: row 25, column name: value "Hermes" already used in row 1, allowed once'
    assert second == "error: kronos.csv: row 1, column base_awe: value 100 is outside 0..99"
    assert last == f"{own_set}: no valid card set, 2 errors"


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_another_separator_is_one_line(own_set: Path, sign: str, name: str) -> None:
    files = sorted(own_set.glob("*.csv"))
    for file in files:
        file.write_text(file.read_text().replace(",", sign))
    result = run("cards", "check", str(own_set))
    line = f"set.csv: row -, column -: the columns are separated by {name}, allowed are commas; so in 7 more files"
    assert (result.exit_code, len(files)) == (2, 8)
    assert result.output == f"error: {line}\n{own_set}: no valid card set, 1 error\n"
    played = run("tournament", "kosmogonia", "--bot", "random", "--cards", str(own_set))
    assert played.output == f"Error: no valid card set in {str(own_set)!r}: {line}\n"


def test_another_separator_in_one_file_hides_no_other_error(own_set: Path) -> None:
    kronos = own_set / "kronos.csv"
    kronos.write_text(kronos.read_text().replace(",", ";"))
    change(own_set, "champions.csv", "Jason", "Hermes")
    lines = run("cards", "check", str(own_set)).output.splitlines()
    assert [line.split(":")[1] for line in lines[:2]] == [" champions.csv", " kronos.csv"]
    assert lines[1].endswith("the columns are separated by semicolons, allowed are commas")
    assert len(lines) == 3


def test_a_folder_that_is_none_lists_what_is_missing(tmp_path: Path) -> None:
    result = run("cards", "check", str(tmp_path / "nowhere"))
    assert result.exit_code == 2
    assert result.output == f"{tmp_path / 'nowhere'}: there is no such folder\n"
    assert "Traceback" not in result.output


def test_a_wrong_set_stops_a_tournament_before_anything_is_written(own_set: Path, tmp_path: Path) -> None:
    change(own_set, "kronos.csv", "13,13,13,13", "13,13,100,13")
    result = run(*TOURNAMENT, "--cards", str(own_set), "--out", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: no valid card set in '{own_set}': kronos.csv: row 1, column base_awe")
    assert len(result.output.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_the_set_is_named_in_the_run_and_in_every_report(own_set: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shown = run(*TOURNAMENT, "--cards", str(own_set), "--out", str(path)).output
    spec = json.loads((path / "run.json").read_text())["spec"]
    assert spec["data"]["name"] == "Printed"
    assert spec["data"]["origin"] == "supplied"
    assert re.fullmatch("[0-9a-f]{16}", spec["data"]["hash"])
    assert spec["options"]["cards"] == str(own_set)
    assert f"card set 'Printed' (supplied, {spec['data']['hash']}): results hold for it only" in shown
    assert "card set 'Printed' (supplied" in run("replay", str(path), "--game-id", "0").output


def test_the_shipped_set_is_labelled_invented(tmp_path: Path) -> None:
    shown = run(*TOURNAMENT, "--out", str(tmp_path / "run")).output
    assert "card set 'Stand-in' (invented, " in shown
    assert json.loads((tmp_path / "run" / "run.json").read_text())["spec"]["data"]["origin"] == "invented"


@pytest.mark.parametrize("words", [("resume",), ("replay", "--game-id", "0")])
def test_a_run_refuses_another_set(own_set: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "run"
    assert run(*TOURNAMENT, "--cards", str(own_set), "--out", str(path)).exit_code == 0
    change(own_set, "treasures.csv", ",Labrys,2,", ",Labrys,3,")
    result = run(words[0], str(path), *words[1:])
    assert result.exit_code == 2
    assert "this run was played with card set 'Printed'" in result.output
    assert len(result.output.splitlines()) == 1


def test_a_run_whose_set_is_gone_says_so(own_set: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    assert run(*TOURNAMENT, "--cards", str(own_set), "--out", str(path)).exit_code == 0
    shutil.rmtree(own_set)
    result = run("resume", str(path))
    assert result.exit_code == 2
    assert "no card set in" in result.output
    assert len(result.output.splitlines()) == 1


def test_cards_are_given_once(own_set: Path, tmp_path: Path) -> None:
    words = ("--cards", str(own_set), "--rule", f"cards={own_set}", "--out", str(tmp_path / "run"))
    assert "give one" in run(*TOURNAMENT, *words).output
    other = run("tournament", "truf", "--bot", "random", "--cards", str(own_set), "--out", str(tmp_path / "run"))
    assert other.exit_code == 2
    assert "unknown option 'cards'" in other.output


def test_a_round_alone_is_refused(tmp_path: Path) -> None:
    result = run(*TOURNAMENT, "--format", "deal", "--out", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert result.output == "Error: a round of kosmogonia alone decides nothing: expected format game\n"


def test_measure_plays_every_setting(own_set: Path) -> None:
    result = run("cards", "measure", str(own_set), "--games", "20")
    assert result.exit_code == 0, result.output
    assert "card set 'Printed' (supplied" in result.output
    rows = [line for line in result.output.splitlines() if re.match(r" ?(standard|variation|tournament)", line)]
    assert len(rows) == 24
    assert run("cards", "measure", "nowhere").exit_code == 2


def test_shares_of_a_measurement_add_up() -> None:
    found = measure("standin", 30, 3)
    assert len(found.shares) == 24
    for won, keys, lost, hunts in found.shares.values():
        assert won + keys + lost == pytest.approx(1)
        assert 0 <= hunts <= 1
    assert measure("standin", 30, 3) == found
    harder = {f"standard-destiny-{word}": (share, 0.0, 0.0, 0.0) for word, share in (("easy", 0.5), ("hard", 0.2))}
    for medium, is_ordered in ((0.4, True), (0.6, False), (0.1, False)):
        shares = harder | {"standard-destiny-medium": (medium, 0.0, 0.0, 0.0)}
        assert CardFigures({}, 1, 0, shares).is_ordered() == is_ordered
