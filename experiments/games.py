"""The games that are installed, found through the entry-point group `hiddenhand.games`."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from cardkit.game import Game
from cardkit.spec import InvalidRules, nearest


def game_names() -> list[str]:
    """Names of all installed games, sorted."""
    return sorted(entry.name for entry in entry_points(group="hiddenhand.games"))


def game_class(name: str) -> type[Game]:
    """The `Game` class of an installed game.

    Raises:
        InvalidRules: no such game.
    """
    for entry in entry_points(group="hiddenhand.games"):
        if entry.name == name:
            return entry.load()  # type: ignore[no-any-return]
    raise InvalidRules(f"unknown game {name!r}{nearest(name, game_names())}")


def make_game(name: str, preset: str = "standard", **options: Any) -> Game:
    """An installed game with the given options."""
    return game_class(name)(preset, **options)
