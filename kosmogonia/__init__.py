"""Kosmogonia 2086, Kronos Epilogue: champions, quests, duels and monsters, and a race to beat Kronos."""

from kosmogonia.game import Game

__all__ = ["Game"]
