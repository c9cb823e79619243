"""The transcripts in this folder still come out as they are; `make golden` writes them anew."""

from __future__ import annotations

import difflib

import pytest

from tests.golden.write import FOLDER, PLAYTHROUGHS, Playthrough, make_game, transcript

LINES_SHOWN = 60
REMEDY = "If the change is meant, run `make golden` (python -m tests.golden.write), read the difference and commit it."


@pytest.mark.parametrize("play", PLAYTHROUGHS, ids=lambda play: play.file)
def test_playthrough_is_unchanged(play: Playthrough) -> None:
    path = FOLDER / f"{play.file}.txt"
    assert path.is_file(), f"{path.name} is missing. {REMEDY}"
    written = path.read_text(encoding="utf-8").splitlines()
    lines = transcript(play).splitlines()
    if lines != written:
        difference = list(difflib.unified_diff(written, lines, path.name, "this code", lineterm="", n=6))
        more = f"\n... and {len(difference) - LINES_SHOWN} lines more" * (len(difference) > LINES_SHOWN)
        pytest.fail("\n".join(difference[:LINES_SHOWN]) + f"{more}\n\n{REMEDY}", pytrace=False)


def test_every_transcript_has_its_playthrough() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {play.file for play in PLAYTHROUGHS}, REMEDY


def test_every_preset_has_a_transcript() -> None:
    games = {play.game: type(make_game(play)) for play in PLAYTHROUGHS}
    written = {(play.game, play.preset) for play in PLAYTHROUGHS}
    assert {(name, preset) for name, game in games.items() for preset in game.presets} == written
