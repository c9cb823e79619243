"""Let bots play the tiny games, and write what they did as one line of JSON: `python -m tests.tiny.main SEEDS`.

With SEEDS 0 only trees are written, few enough for plain Python.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import bots
from cardkit.state import State
from tests.bots.golden_tree import tree_lines
from tests.tiny.coins import Coins
from tests.tiny.common import TinyGame
from tests.tiny.kuhn import BET, BETTING, PASS, Kuhn
from tests.tiny.sealed import BID, CLAIM, GUESS, HIDE, WAGER, Sealed

KUHN_BOTS = ("ismcts:iterations=1000", "moismcts:iterations=1000", "mc:iterations=1000")
HISTORIES = ("", "0", "1", "01")
ROWS = {  # by number of seats; no choice in them is a tie
    2: ([14, 1, 9, 1, 10, 5, 3, 6, 4, 20], [17, 2, 5, 10, 14, 2, 1, 12, 17, 20]),
    3: ([11, 5, 22, 7, 3, 14, 30, 7, 21, 21], [15, 9, 6, 12, 14, 24, 19, 11, 21, 18]),
}
HEAPS = (5, 6, 7, 9, 10, 11)
TREES = ("ismcts", "moismcts")


def make(text: str, game: TinyGame) -> bots.Bot:
    bot = bots.make(text, game)
    assert isinstance(bot, bots.Bot)
    return bot


def position(game: TinyGame, phase: int, seed: int = 0, **fields: Any) -> State:
    """A state of a game with these fields in its record."""
    state = game.new_initial_state(seed=seed)
    state.record.phase = phase
    for name, value in fields.items():
        if np.ndim(value):
            getattr(state.record, name)[: len(value)] = value
        else:
            setattr(state.record, name, value)
    return state


def seeds_of(number: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in range(number)]


def play_kuhn(num_seeds: int) -> dict[str, Any]:
    """How often each bot passes and bets, by card and history."""
    game, found = Kuhn(), {}
    for text in KUHN_BOTS:
        bot, counts = make(text, game), {}
        for card in range(3):
            for history in HISTORIES:
                other = (card + 1) % 3
                state = position(game, BETTING, cards=[other, card] if len(history) == 1 else [card, other])
                for action in history:
                    state.apply_action(int(action))
                answers = [bot.choose(state, rng) for rng in seeds_of(num_seeds)]
                counts[f"{card}:{history}"] = [answers.count(PASS), answers.count(BET)]
        found[text] = counts
    return found


def play_coins(num_seeds: int) -> list[dict[str, Any]]:
    """What bots choose in rows of coins, with the averages of their root's children."""
    found = []
    for num_players, rows in ROWS.items():
        for row in rows:
            for taken in range(len(row) - 1):
                game = Coins(num_players, row[taken:])
                for kind in TREES:
                    bot = make(f"{kind}:iterations=4000,utility=points,rollout=random", game)
                    state = game.new_initial_state(seed=0)
                    answers = [bot.choose(state, rng) for rng in seeds_of(num_seeds)]
                    lines = bots.thoughts(bot, state, 1).lines
                    means = {line.actions[0]: [line.visits, line.value] for line in lines}
                    found.append({"players": num_players, "row": row[taken:], "answers": answers, "means": means})
    return found


def play_nim(num_seeds: int) -> list[dict[str, Any]]:
    """What bots choose where taking the last coin wins."""
    found = []
    for heap in HEAPS:
        game = Coins(2, [0.0] * (heap - 1) + [1.0])
        for kind in TREES:
            for utility in ("margin", "points", "win"):
                bot = make(f"{kind}:iterations=1000,utility={utility}", game)
                answers = [bot.choose(game.new_initial_state(seed=0), rng) for rng in seeds_of(num_seeds)]
                found.append({"heap": heap, "bot": bot.spec.text, "answers": answers})
    return found


def lines_of(bot: bots.Bot, state: State, seed: int) -> list[Any]:
    thoughts = bots.thoughts(bot, state, seed)
    lines = [[line.actions, [line.visits, line.value, line.spread]] for line in thoughts.lines]
    return [thoughts.answer, lines]


def bid_sealed() -> list[dict[str, Any]]:
    """The arms of secret bids, whole or begun, of the first and the second seat."""
    found = []
    flat = "mc:iterations=16000,epsilon=0,utility=points"
    halving = [f"{kind}:iterations=16000,epsilon=0,utility=points" for kind in TREES]
    game = Sealed()
    for text in (flat, *halving, f"{flat},belief=bids"):
        bot = make(text, game)
        for seat in (0, 1):
            for card in range(6):
                for laid in (0, 1):
                    bids = [laid, 0] if seat == 0 else [(card + 1) % 6, laid]
                    state = position(game, BID, actor=seat, bids=bids)
                    state.record.cards[seat], state.record.cards[1 - seat] = card, (card + 1) % 6
                    answer, lines = lines_of(bot, state, 3)
                    asked = {"bot": text, "seat": seat, "card": card, "laid": laid}
                    found.append(asked | {"answer": answer, "lines": lines})
    return found


def tables() -> dict[str, tuple[TinyGame, State]]:
    """Positions in which trees are written out."""
    sealed, three = Sealed(), Sealed(num_players=3)
    bid = {"bids": [4, 2], "cards": [5, 2], "winner": 0}
    begun = {"bids": [1, 4, 2], "cards": [1, 5, 2], "winner": 1}
    return {
        "kuhn": (Kuhn(), position(Kuhn(), BETTING, cards=[1, 2])),
        "coins": (Coins(3, ROWS[3][0]), Coins(3, ROWS[3][0]).new_initial_state(seed=0)),
        "wager": (sealed, position(sealed, WAGER, actor=1, **bid)),
        "hide": (sealed, position(sealed, HIDE, actor=0, wager=2, **bid)),
        "guess": (sealed, position(sealed, GUESS, actor=1, wager=2, coin=1, **bid)),
        "claim": (sealed, position(sealed, CLAIM, actor=1, wager=2, coin=1, **bid)),
        "wager of three": (three, position(three, WAGER, actor=2, **begun)),
        "hide of three": (three, position(three, HIDE, actor=1, wager=1, **begun)),
    }


def write_trees(iterations: int, belief: str = "uniform") -> dict[str, list[str]]:
    """The trees of both searches in these positions."""
    found = {}
    for name, (game, state) in tables().items():
        for kind in TREES:
            bot = make(f"{kind}:iterations={iterations},belief={belief}", game)
            view = state.view(state.current_player())
            found[f"{kind} {name}"] = list(tree_lines(bot, view, 5))
    return found


def other_worlds(num_seeds: int) -> int:
    """How many answers change where the hidden cards and the coin do."""
    changed = 0
    for game, state in tables().values():
        seat = state.current_player()
        for kind in (*TREES, "mc"):
            bot = make(f"{kind}:iterations=50", game)
            for seed in range(num_seeds):
                other = state.resample_from_infostate(seat, seed)
                answers = [bot.choose(asked, np.random.default_rng(seed)) for asked in (state, other)]
                changed += answers[0] != answers[1]
    return changed


def main(num_seeds: int) -> None:
    """Write what the tests ask for."""
    found: dict[str, Any] = {"trees": write_trees(40), "trees of bids": write_trees(20, "bids")}
    if num_seeds:
        found["kuhn"] = play_kuhn(num_seeds)
        found["coins"] = play_coins(max(3, num_seeds // 100))
        found["nim"] = play_nim(num_seeds)
        found["bids"] = bid_sealed()
        found["many"] = write_trees(3000)
        found["changed"] = other_worlds(5)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
