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


def parts_of(name: str) -> set[str]:
    """The parts of a preset's name: those of Kosmogonia combine a setting, a mode and a difficulty freely."""
    return set(name.split("-"))


@pytest.mark.parametrize("game", sorted({play.game for play in PLAYTHROUGHS}))
def test_every_part_of_every_preset_has_a_transcript(game: str) -> None:
    plays = [play for play in PLAYTHROUGHS if play.game == game]
    wanted = set().union(*(parts_of(preset) for preset in type(make_game(plays[0])).presets)) - {"variation"}
    assert set().union(*(parts_of(play.preset) for play in plays)) == wanted
