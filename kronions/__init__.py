"""Kronions: trick-taking with exact bids and paradox cards, 2 to 6 players."""

from kronions.game import Game
from kronions.rules import Rules

__all__ = ["Game", "Rules"]
