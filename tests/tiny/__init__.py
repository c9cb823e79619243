"""Tiny games with known answers, registered through the same protocol as the real ones.

`python -m tests.tiny.main SEEDS` lets bots play them, in a process of its own, and writes what they did as JSON:
registering a game from outside the packages would make all others compile anew in the same process.
"""
