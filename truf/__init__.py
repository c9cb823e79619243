"""Truf: four players bid by laying cards, play truf face down, and race to 100."""

from truf.game import Game
from truf.rules import Rules

__all__ = ["Game", "Rules"]
