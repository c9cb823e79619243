"""Fits the coefficients of the verb `win_chance` of a game, and shows how well they predict: a tool of developers.

    python -m experiments.win_chances GAME [--boards 600] [--seed 1] [--fit]

Every setting of the game (numbers of seats, variants) is played to the end by the rule-based player against itself.
The records after all deals but the last of every game, with the shares of the win that the game then gave, are what the
chances are compared with: the Brier score a seat (mean square of chance minus share) beside that of a guess which gives
every seat its average, and a table of predicted and observed shares by tenths. `--fit` looks for coefficients with the
least Brier score first (half of the boards; the scores are over the other half) and prints them: they are then
copied into FITTED of the game's `_winning.py`. The same seed gives the same numbers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click
import numpy as np
from scipy.optimize import minimize

from cardkit.batch import draw_until_deal
from cardkit.game import Game
from cardkit.jit import kernel
from cardkit.rng import RNG_WORDS
from cardkit.verbs import OVER, apply, deals_done, new_game, places, policy, to_move
from experiments.commands import CONTEXT, Command
from experiments.games import make_game

TENTHS = 10
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "kronions": [{"num_players": seats} for seats in range(2, 7)],
    "truf": [{}],
    "kosmogonia": [
        {"num_players": 2, "every": 10_000},
        {"num_players": 3, "every": 10_000},
        {"num_players": 4, "every": 10_000},
        {"preset": "tournament", "every": 10},
    ],
}
STARTS = {
    "kronions": (0.5, 0.5, 0.3),
    "truf": (6.0, 0.5),
    "kosmogonia": (0.17, 0.1, 0.44, 8.1, 5.7, 0.2, 1.3, -0.2, 0.7, 0.7, 0.7, 0.7),
}  # where the search for coefficients begins


class Sample(NamedTuple):
    """What some games of one setting have given.

    Attributes:
        game: the game with its options.
        states: records after a deal, `(n,)`.
        boards: the board of each, `(n,)`.
        shares: the shares of the win in the end, `(n, num_players)`.
    """

    game: Game
    states: np.ndarray
    boards: np.ndarray
    shares: np.ndarray

    def half(self, number: int) -> Sample:
        """Those of the even or of the odd boards, a number of 0 or 1."""
        is_in = self.boards % 2 == number
        return self._replace(states=self.states[is_in], boards=self.boards[is_in], shares=self.shares[is_in])


@kernel
def play_boards(rules, work, seed, boards, every, rngs, kept, board_of, place, shares):
    """Play games by the policy, and keep the records after their deals and how they ended. In place: from `rngs` on.

    Kept are also those before each `every`-th decision of a game, from the first on, where that is not 0.

    Returns:
        The number of records kept.
    """
    state = work[0]
    size = 0
    for board in range(boards):
        first = size
        decisions = 0
        new_game(rules, state)
        while to_move(rules, state) != OVER:
            if size + 2 > kept.size:
                return first
            before = deals_done(rules, state)
            draw_until_deal(rules, state, seed, board, rngs[0])
            if deals_done(rules, state) == before and to_move(rules, state) != OVER:
                if every > 0 and decisions % every == 0:
                    kept[size] = work[0]
                    size += 1
                apply(rules, state, policy(rules, state, rngs[1]))
                decisions += 1
            if deals_done(rules, state) > before and to_move(rules, state) != OVER:
                kept[size] = work[0]
                size += 1
        for i in range(first, size):
            board_of[i] = board
            places(rules, state, place, shares[i])
    return size


def sample(game: Game, boards: int, seed: int, most: int, every: int = 0) -> Sample:
    """Play some boards; at most so many records are kept, of whole games."""
    kept, work = game.new_records(most), game.new_records(1)
    board_of, shares = np.zeros(most, np.int64), np.zeros((most, game.num_players))
    rngs, place = np.zeros((2, RNG_WORDS), np.uint64), np.zeros(game.num_players, np.int64)
    size = play_boards(game.rules, work, np.uint64(seed), boards, every, rngs, kept, board_of, place, shares)
    return Sample(game, kept[:size], board_of[:size], shares[:size])


def predicted(drawn: Sample, fitted: np.ndarray) -> np.ndarray:
    """The chances under some coefficients, `(n, num_players)`."""
    chances = np.zeros_like(drawn.shares)
    module = import_module(f"{drawn.game.name}._winning")
    module.chances_of_all(drawn.game.rules, drawn.states, fitted, chances)
    return chances


def brier(chances: np.ndarray, shares: np.ndarray) -> float:
    """Mean square of chance minus share, a seat."""
    return float(np.mean((chances - shares) ** 2))


def uniform_brier(shares: np.ndarray) -> float:
    """The score of a guess that gives every seat the same: the average share."""
    return brier(np.full_like(shares, shares.mean()), shares)


def fit(samples: list[Sample], start: np.ndarray) -> np.ndarray:
    """The coefficients with the least Brier score, the mean over the settings of its ratio to the uniform guess."""

    def loss(fitted: np.ndarray) -> float:
        ratios = [brier(predicted(drawn, fitted), drawn.shares) / uniform_brier(drawn.shares) for drawn in samples]
        return float(np.mean(ratios))

    steps = np.vstack([start, *(start + step for step in np.diag(0.3 * np.abs(start) + 0.05))])
    options: Any = {"initial_simplex": steps, "maxiter": 400 * len(start), "fatol": 1e-7, "xatol": 1e-4}
    return np.asarray(minimize(loss, start, method="Nelder-Mead", options=options).x)


def calibration(chances: np.ndarray, shares: np.ndarray) -> list[tuple[int, float, float]]:
    """How many chances lie in each tenth of 0..1, their mean, and the mean share that came of them."""
    tenth = np.minimum((chances * TENTHS).astype(int), TENTHS - 1)
    rows = []
    for number in range(TENTHS):
        is_in = tenth == number
        if is_in.any():
            rows.append((int(is_in.sum()), float(chances[is_in].mean()), float(shares[is_in].mean())))
    return rows


def report(drawn: Sample, fitted: np.ndarray) -> str:
    """The scores and the table of one setting."""
    chances = predicted(drawn, fitted)
    words = " ".join(f"{key}={value}" for key, value in drawn.game.changed_options().items())
    score, uniform = brier(chances, drawn.shares), uniform_brier(drawn.shares)
    lines = [
        f"{drawn.game.name} {words or 'standard'}: {len(drawn.states)} records, Brier {score:.4f}, "
        f"uniform {uniform:.4f}, {1 - score / uniform:.1%} less",
        "  records  predicted  observed",
    ]
    lines += [f"  {n:7}      {p:.3f}     {o:.3f}" for n, p, o in calibration(chances, drawn.shares)]
    return "\n".join(lines)


@click.command(cls=Command, context_settings=CONTEXT, help=__doc__)
@click.argument("name", type=click.Choice(sorted(SETTINGS)), metavar="GAME")
@click.option("--boards", default=600, help="Games of each setting.", show_default=True)
@click.option("--seed", default=1, help="Seed of the deals.", show_default=True)
@click.option("--most", default=100_000, help="Records kept of each setting at most.", show_default=True)
@click.option("--fit", "is_fitting", is_flag=True, help="Look for coefficients first.")
def main(name: str, boards: int, seed: int, most: int, is_fitting: bool) -> None:
    """Fit and show the chances to win of one game."""
    samples = []
    for setting in SETTINGS[name]:
        options = {key: value for key, value in setting.items() if key != "every"}
        samples.append(sample(make_game(name, **options), boards, seed, most, setting.get("every", 0)))
    fitted = import_module(f"{name}._winning").FITTED
    if is_fitting:
        fitted = fit([drawn.half(0) for drawn in samples], np.array(STARTS[name]))
        click.echo("FITTED = " + ", ".join(f"{number:.4g}" for number in fitted))
    for drawn in samples:
        click.echo(report(drawn.half(1) if is_fitting else drawn, fitted))


if __name__ == "__main__":
    main()
