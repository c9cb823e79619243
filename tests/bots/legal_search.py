"""Searches in which every action that is played, in trees, arms and rollouts, is checked to be legal in its world.

`NUMBA_DISABLE_JIT=1 python -m tests.bots.legal_search` runs in plain Python, where a verb looks its kernel up at every
call, so that a check can take the place of `apply`. It writes how many actions were played in each game.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

from cardkit import verbs
from cardkit.game import Game
from cardkit.state import State
from experiments.games import make_game
from tests.bots.test_search import GAMES, SEARCHES, answer, make, samples

SETTINGS = ("", "sensible=off", "rollout=random,sensible=off", "belief=bids,utility=win", "horizon=game")
ITERATIONS = {"kronions": 60, "truf": 60, "kosmogonia": 8}
NILS = make_game("truf", ranks="2,3,4,Q,K,A", max_hands=2)
NIL_POSITIONS = (  # the results lie so far apart that no child seemed good enough, and 64 was played
    (
        "ismcts:iterations=150",
        "phase=play hand=1 totals=0,0,0,0 hands=?,?,3C.2H.QH.AH,? laid=AC,AD,AH,KS played=AC.4D.3S,4C.KD.AD,KC.3D,"
        "2D.4H.KS final=1,1,1,0 mode=LOW sets=0,1,0,1 voids=-,S,-,C unlocked=1 leader=3 trick=KS,3S,KD actor=2",
    ),
    (
        "ismcts:iterations=150,rollout=random",
        "phase=play hand=1 totals=0,0,0,0 hands=?,?,QC.KS.AS,? laid=AD,KD,AH,QH played=AC.AD.3H,KC.4D.QD,4C.KH.AH,"
        "2C.3D.4H final=1,0,1,0 mode=LOW sets=1,0,2,0 voids=-,H,D,- unlocked=1 leader=2 trick=AH,4H,3H,4D actor=2",
    ),
)


def check_actions(game: Game) -> list[int]:
    """Make the verb `apply` of a game check its action; returns a list of how many it has played."""
    kernels: dict[str, Any] = verbs._kernels_of_rules[type(game.rules)]
    trusting, played = kernels["apply"], [0]

    def checked(rules: Any, record: Any, action: int) -> None:
        mask = int(kernels["legal_mask"](rules, record))
        assert 0 <= action < 64, f"{action} is no action"
        assert mask >> int(action) & 1, f"{action} is not legal in phase {game.phases[record.phase]} of {record}"
        played[0] += 1
        trusting(rules, record, action)

    kernels["apply"] = checked
    return played


def search(text: str, state: State, seed: int) -> None:
    """Let a bot think; what goes wrong says where."""
    try:
        answer(make(text, state.game), state, seed)
    except Exception as error:
        error.add_note(f"{text} with seed {seed} at {state.position_string()}")
        raise


def main() -> None:
    """Search in all games."""
    states = {name: samples(name, 3) for name in GAMES}
    for name, game in GAMES.items():
        played = check_actions(game)
        for i, (kind, settings) in enumerate(product(SEARCHES, SETTINGS)):
            if not game.has_bids:
                settings = settings.replace("belief=bids,", "")
            text = f"{kind}:iterations={ITERATIONS[name]}{settings and ','}{settings}"
            search(text, states[name][i % len(states[name])], i)
        if name == "truf":
            for text, position in NIL_POSITIONS:
                search(text, NILS.position(position), 0)
        sys.stdout.write(f"{name} {played[0]}\n")


if __name__ == "__main__":
    main()
