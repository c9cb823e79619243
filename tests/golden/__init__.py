"""Readable transcripts of whole games: a rule that changes shows as a difference that a person can read."""
