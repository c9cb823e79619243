"""Frozen players that the heuristic of each game must beat."""
