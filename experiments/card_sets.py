"""Card sets of Kosmogonia: checking a folder, and measuring how the games of a set end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.spec import make_spec
from experiments.tournament import run
from kosmogonia._card_files import check_folder
from kosmogonia.cards import STANDIN, STANDIN_FOLDER
from kosmogonia.rules import PRESETS

AIMS = "at medium Kronos beaten 40-70, key limit 5-25, hunts won 40-60; * misses its aim"
_SPANS = ((0.4, 0.7), (0.05, 0.25), None, (0.4, 0.6))  # of the four shares, at medium
_GAME = "kosmogonia"
_DIFFICULTIES = ("easy", "medium", "hard")


def check_lines(folder: Path) -> tuple[list[str], bool]:
    """All errors and warnings of a card set, one a line, and whether it is valid."""
    if str(folder) == STANDIN:
        folder = STANDIN_FOLDER
    if not folder.is_dir():
        return [f"{folder}: there is no such folder"], False
    found = check_folder(folder)
    lines = [f"error: {line}" for line in found.errors] + [f"warning: {line}" for line in found.warnings]
    if found.errors:
        number = "1 error" if len(found.errors) == 1 else f"{len(found.errors)} errors"
        return [*lines, f"{folder}: no valid card set, {number}"], False
    about = found.rows["set.csv"][0]
    return [*lines, f"{folder}: card set {about['name']!r} ({about['origin']}) is valid"], True


@dataclass(frozen=True)
class CardFigures:
    """How the games of a card set end when every seat plays the heuristic.

    Attributes:
        data: name, origin and hash of the set.
        games: of each setting.
        shares: by setting, the shares of games in which Kronos was beaten, the key limit was reached and Kronos was
            not beaten, and the share of hunts that were won.
    """

    data: dict[str, str]
    games: int
    seed: int
    shares: dict[str, tuple[float, float, float, float]]

    @property
    def aims(self) -> str:
        """What a lively set aims at, in words."""
        return AIMS

    def rows(self) -> Iterator[list[str]]:
        """The settings with their shares in percent, marked where they miss their aim."""
        for name, shares in self.shares.items():
            spans = _SPANS if name.endswith("medium") else (None,) * len(shares)
            misses = [span and not span[0] <= share <= span[1] for share, span in zip(shares, spans, strict=True)]
            yield [name, *(f"{100 * share:.1f}{'*' if m else ''}" for share, m in zip(shares, misses, strict=True))]

    def is_ordered(self) -> bool:
        """Whether Kronos is beaten no more often in a harder setting."""
        settings = {name.rsplit("-", 1)[0] for name in self.shares}
        beaten = [[self.shares[f"{setting}-{word}"][0] for word in _DIFFICULTIES] for setting in settings]
        return all(easy >= medium >= hard for easy, medium, hard in beaten)


def measure(source: str, games: int, seed: int) -> CardFigures:
    """Play every setting of a card set.

    Args:
        source: "standin" or a folder.
        games: of each setting.
        seed: of all chance.

    Raises:
        InvalidRules: no valid card set.
    """
    shares, data = {}, {}
    for preset in (name for name in PRESETS if name.endswith(_DIFFICULTIES)):
        spec = make_spec(_GAME, ["heuristic"], preset=preset, options={"cards": source}, boards=games, seed=seed)
        data = spec.data
        with tempfile.TemporaryDirectory() as folder:
            directory = run(spec, Path(folder) / "run")
            ended = directory.read("games", ["seat", "outcome"]).to_pandas()
            hunts = directory.read("deals", ["hunts", "hunts_won"]).to_pandas().sum()
        counts = ended[ended["seat"] == 0]["outcome"].value_counts(normalize=True)
        ends = [float(counts.get(name, 0.0)) for name in spec.game_object.outcomes]
        shares[preset] = (ends[0], ends[1], ends[2], float(hunts["hunts_won"] / max(1, hunts["hunts"])))
    return CardFigures(data, games, seed, shares)
