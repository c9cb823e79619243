"""Standard output and errors: full disks, closed pipes, and encodings that do not know every sign."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.bid_values import bid_values
from experiments.bidding import print_json
from experiments.cli import main
from experiments.games import make_game
from experiments.streams import plain
from experiments.tournament import run
from tests.conftest import ROOT
from tests.experiments.helpers import small_spec
from tests.experiments.test_thinking import KRONIONS

BIDS = "bids kronions --hand N13,V2 --players 3 --trump Nova --worlds 20"
COMMANDS = [
    "--help", "--version", "tournament --help", "bots", "rules truf", "cards check standin", BIDS, f"{BIDS} --json",
    "tournament kronions --players 3 --rule round_cap=3 --boards 8 --bot random --bot heuristic --out run",
    "resume run", "report run", "verify run --sample 1", "replay run --game-id 0",
]  # fmt: skip
CASES = [
    *((words, "utf-8") for words in COMMANDS),
    *((words, "ascii") for words in COMMANDS[:3]),
]  # which click would write past us
ENCODINGS = ["ascii", "latin-1", "cp1252", "cp437"]
NO_SPACE = "Error: cannot write to the standard output: No space left on device\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run."""
    path = tmp_path_factory.mktemp("streams")
    run(small_spec(), path / "run", workers=1)
    return path


@pytest.fixture(autouse=True)
def _in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def answer(words: str, stream: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command that writes to a stream."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as left:
            main(words.split(), prog_name="hiddenhand")
    code = left.value.code
    assert isinstance(code, int)
    return code


@pytest.mark.parametrize(("words", "encoding"), CASES)
def test_an_output_that_takes_no_more_is_one_line(
    words: str, encoding: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = open("/dev/full", "w", encoding=encoding)  # noqa: PTH123, SIM115
    assert answer(words, stream, monkeypatch) == 2
    assert capsys.readouterr() == ("", NO_SPACE)
    stream.close()  # nothing is left in it that cannot be written


@pytest.mark.parametrize(("words", "encoding"), CASES)
def test_an_output_that_nobody_reads_ends_the_command_in_silence(
    words: str, encoding: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stream = open(writer, "w", encoding=encoding)  # noqa: PTH123, SIM115
    assert answer(words, stream, monkeypatch) == 141
    assert capsys.readouterr() == ("", "")
    stream.close()


@pytest.mark.parametrize(
    ("shell", "code", "errors"),
    [
        ("$HH bots > /dev/full", 2, NO_SPACE),
        ("$HH bots > /dev/full 2>&1", 2, ""),
        ("$HH bots | true", 141, ""),
        ("$HH rules --help | true", 141, ""),
        ("$HH nope 2> /dev/full", 2, ""),
        ("$HH nope 2>&-", 2, ""),
        ("$HH bots >&-", 0, ""),
    ],
)
def test_whole_processes_end_without_a_word_too_many(shell: str, code: int, errors: str) -> None:
    """Python writes what is left in its streams once more when it ends; that must not fail."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HH": f"{sys.executable} -m experiments.cli"}
    script = f"set -o pipefail; {shell}"
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, errors)


# Encodings


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_bids_and_standings_outside_utf8(
    encoding: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (BIDS, " ".join(COMMANDS[9:10]), "bots", "rules kronions"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        assert answer(words, stream, monkeypatch) == 0
        assert capsys.readouterr() == ("", "")
        text = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
        assert text.isascii()
        assert "------" in text
        assert "###" in text or words != BIDS
    think = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", think)
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*KRONIONS, "--bot", "mc:iterations=50"])


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["tournament", "é…"], "unknown game '\\xe9...'; expected one of"),
        (["tournament", "kronions", "--bot", "é=random"], "has the label '\\xe9' with '\\xe9' in it"),
        (["resume", "tä\udcff"], "'t\\xe4\\udcff' is no run directory"),
        (["tournamé"], "No such command 'tournam\\xe9'."),
        (["bots", "--é"], "No such option '--\\xe9'."),
    ],
)
def test_errors_show_words_of_users_as_well_as_they_can(
    words: list[str], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(SystemExit, match=r"^2$"):
        main(words)
    assert shown in stream.buffer.getvalue().decode("ascii")  # type: ignore[attr-defined]


def test_names_of_files_that_are_no_text_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, shown in (("utf-8", "é\\udcff.html"), ("ascii", "\\xe9\\udcff.html")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        assert answer("report run --out é\udcff.html", stream, monkeypatch) == 0
        assert f"wrote {shown}\n" in stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert Path("é\udcff.html").is_file()


def test_json_outside_utf8_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    found = bid_values(make_game("kronions", num_players=3), "N13, V2", trump="Nova", worlds=10)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    print_json(replace(found, hand="é±"))
    stream.flush()
    assert json.loads(stream.buffer.getvalue())["hand"] == "é±"  # type: ignore[attr-defined]


def test_a_text_is_written_as_well_as_an_encoding_can() -> None:
    assert plain("Café ± █▌ …", "utf-8") == "Café ± █▌ …"
    assert plain("Café ± █▌ …", None) == "Café ± █▌ …"
    assert plain("Café ± █▌ …", "latin-1") == "Café +- ## ..."
    assert plain("Café ± █▌ …", "ascii") == "Caf\\xe9 +- ## ..."
    assert plain("a\udcff", "utf-8") == "a\\udcff"
    assert plain("a\udcff", "utf-8", "surrogateescape") == "a\udcff"  # the locale "C" gives names back as they are
