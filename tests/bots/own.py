"""Bots of one's own for the tests: modules written to a temporary folder."""

from __future__ import annotations

from itertools import count
from pathlib import Path

_NUMBERS = count()

# Classes that play or fail in all the ways that a user's can.
SOURCE = '''
"""Bots for tests."""
import sys

class First:
    """Plays the lowest legal action."""
    def __init__(self, game, **keys):
        self.game, self.keys = game, keys
    def choose(self, view, rng):
        return view.legal_actions()[0]

class Shuffled(First):
    """Plays a random legal action."""
    def choose(self, view, rng):
        return rng.choice(view.legal_actions())

class NoChoose:
    def __init__(self, game):
        pass

class CannotBuild(First):
    def __init__(self, game):
        raise RuntimeError("no luck today")

class Async(First):
    async def choose(self, view, rng):
        return 0

class AsyncInit(First):
    async def __init__(self, game):
        pass

class Promises(First):
    def choose(self, view, rng):
        async def answer():
            return 0
        return answer()

class Raises(First):
    def choose(self, view, rng):
        raise KeyError("lost")

class RaisesLines(First):
    def choose(self, view, rng):
        raise ValueError("one\\ntwo\\nthree")

class Exits(First):
    def choose(self, view, rng):
        sys.exit(0)

class Illegal(First):
    def choose(self, view, rng):
        return 63

class Negative(First):
    def choose(self, view, rng):
        return -1

class Huge(First):
    def choose(self, view, rng):
        return 2**70

class Text(First):
    def choose(self, view, rng):
        return "0"

class Float(First):
    def choose(self, view, rng):
        return 0.0

class Bool(First):
    def choose(self, view, rng):
        return view.legal_actions()[0] == 0

class Nothing(First):
    def choose(self, view, rng):
        return None

class Late(First):
    """Fails in the third game that it is made for."""
    made = 0
    def __init__(self, game):
        Late.made += 1
        self.number = Late.made
    def choose(self, view, rng):
        if self.number >= 3 and view.phase() == "play":
            raise OverflowError("enough")
        return view.legal_actions()[0]
'''


def write_bots(folder: Path, source: str = SOURCE) -> str:
    """Write a module into a folder; its name, which no other test uses."""
    name = f"own_bots_{next(_NUMBERS)}"
    (folder / f"{name}.py").write_text(source)
    return name
