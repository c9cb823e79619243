"""Search trees as text, and those that `tests/bots/test_search.py` compares: `golden_tree.txt`.

`python -m tests.bots.golden_tree` writes the file anew; with the argument `show` it only writes the trees out.
A node is a line: its label as the owner of the tree sees it, who moved, visits, how often an action was available, and
the sum of the mover's results; its children stand below it, further in.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bots
from bots.players import think
from bots.room import REVEAL
from bots.settings import MOISMCTS
from cardkit.rng import new_rng
from cardkit.state import State
from experiments.games import make_game

FILE = Path(__file__).with_suffix(".txt")
COMMAND = "python -m tests.bots.golden_tree"


class Golden(NamedTuple):
    """A position of a game, and the bot that looks at it with the stream of a seed."""

    game: str
    options: dict[str, Any]
    position: str
    bot: str
    seed: int


_FOUR_SEATS = (
    "phase=play round=1 dealer=0 size=3 flip=N12 up=1 trump=N totals=0,0,0,0 zeros=0,0,0,0 bids=3,1,2,3 won=0,0,0,0 "
    "voids=-,C,-,- hands=?,?,?,N1.F9.F13 played=C8,N9,C5,- leader=0 trick=C8,N9,C5 actor=3"
)
_THREE_SEATS = (
    "phase=play round=1 dealer=0 size=3 flip=N2 up=1 trump=N totals=0,0,0 zeros=0,0,0 bids=0,3,1 won=0,0,0 "
    "voids=-,-,- hands=C7.N10.N11,?,? played=-,-,- leader=0 trick=- actor=0"
)
_LEAD = (
    "phase=play hand=1 totals=0,0,0,0 hands=?,?,3H.KS,? laid=3S,QC.3D.KD.KH,KS,2S played=2D.QD,3D.KD,2C.QS,2H.QH "
    "final=3,3,0,2 mode=HIGH sets=0,1,1,0 voids=-,-,D,D unlocked=1 leader=1 trick=KD,QS,QH,QD actor=2"
)
_THIRD = (
    "phase=play hand=1 totals=0,0,0,0 hands=?,?,?,3C.QD.KD laid=2H,KS,3H,2S played=2C,QS.KS,QC.3S,2S final=2,0,3,2 "
    "mode=HIGH sets=0,1,0,0 voids=S,-,S,- unlocked=0 leader=1 trick=KS,QC actor=3"
)
_SIXTEEN = {"ranks": "2,3,Q,K", "max_hands": 1}
GOLDEN = (
    Golden("kronions", {"only_round": 3}, _FOUR_SEATS, "ismcts:iterations=60", 1),
    Golden("kronions", {"only_round": 3, "num_players": 3}, _THREE_SEATS, "moismcts:iterations=60,belief=bids", 2),
    Golden("truf", _SIXTEEN, _LEAD, "ismcts:iterations=60,rollout=random", 3),
    Golden("truf", _SIXTEEN, _THIRD, "moismcts:iterations=60", 4),
)


def tree_lines(bot: bots.Bot, view: State, seed: int) -> Iterator[str]:
    """Let a bot think, and write all its trees."""
    answer = int(think(bot.game.rules, view.record, bot.settings[0], new_rng(seed), bot.room))
    yield f"answer {answer}"
    for tree in range(bot.game.num_players if bot.settings[0].kind == MOISMCTS else 1):
        yield from _node_lines(bot.room, tree, 0)


def _node_lines(room: Any, place: int, depth: int) -> Iterator[str]:
    node = room.nodes[place]
    name = "root" if depth == 0 else f"reveal {node.label & ~REVEAL:08x}" if node.label & REVEAL else str(node.label)
    available = "" if node.label & REVEAL else f" available={node.available}"  # a reveal has its parent there
    numbers = f"visits={node.visits}{available} value={round(float(node.value), 12)!r}"
    yield f"{'  ' * depth}{name} seat={node.seat} {numbers}"
    child = int(node.first)
    while child:
        yield from _node_lines(room, child, depth + 1)
        child = int(room.nodes[child].next)


def golden_lines() -> Iterator[str]:
    """The golden file."""
    for golden in GOLDEN:
        game = make_game(golden.game, **golden.options)
        bot = bots.make(golden.bot, game)
        assert isinstance(bot, bots.Bot)
        yield f"{golden.game} {golden.options}, {golden.bot}, seed {golden.seed}"
        yield golden.position
        yield from tree_lines(bot, game.position(golden.position), golden.seed)
        yield ""


if __name__ == "__main__":
    text = "\n".join(golden_lines())
    if sys.argv[1:] == ["show"]:
        sys.stdout.write(text)
    else:
        FILE.write_text(text, encoding="utf-8")
