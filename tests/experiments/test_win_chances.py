"""The tool that fits the chances to win: repeatable, its scores are right, and the chances in force predict."""

from __future__ import annotations

import click.testing
import numpy as np
import pytest

from experiments.games import make_game
from experiments.win_chances import SETTINGS, brier, calibration, fit, main, predicted, sample, uniform_brier
from kronions._winning import FITTED


def test_scores_and_tenths() -> None:
    chances = np.array([[0.05, 0.95], [0.35, 0.65], [1.0, 0.0]])
    shares = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    assert brier(chances, shares) == pytest.approx((2 * 0.05**2 + 2 * 0.65**2) / 6)
    assert uniform_brier(shares) == pytest.approx(0.25)
    assert calibration(chances, shares) == [
        (2, pytest.approx(0.025), 0.0),
        (1, pytest.approx(0.35), 1.0),
        (1, pytest.approx(0.65), 0.0),
        (2, pytest.approx(0.975), 1.0),
    ]


def test_samples_are_whole_games_and_repeatable() -> None:
    game = make_game("kronions", num_players=3, round_cap=5)
    drawn, again = (sample(game, 20, 1, 1000) for _ in range(2))
    assert drawn.states.tobytes() == again.states.tobytes()
    assert drawn.shares.tolist() == again.shares.tolist()
    assert drawn.boards.tolist() == [board for board in range(20) for _ in range(4)], "after all rounds but the last"
    assert drawn.states["rounds_done"].tolist() == [1, 2, 3, 4] * 20
    assert np.allclose(drawn.shares.sum(axis=1), 1.0)
    assert set(drawn.half(0).boards) == set(range(0, 20, 2))
    assert len(sample(game, 20, 1, 30).states) == 28, "a game is kept whole or not at all"
    assert len(sample(game, 20, 1, 1000, every=1000).states) == 20 * 5, "and the first decision"


def test_the_chances_in_force_beat_the_uniform_guess_and_fitting_finds_no_much_better_ones() -> None:
    drawn = sample(make_game("kronions"), 100, 5, 10_000)
    score = brier(predicted(drawn, FITTED), drawn.shares)
    assert score < 0.8 * uniform_brier(drawn.shares)
    found = fit([drawn], np.array([3.0, 1.0, 0.0]))
    assert score - 0.002 < brier(predicted(drawn, found), drawn.shares) <= score + 1e-6


def test_the_command_prints_the_same_table_again() -> None:
    runner = click.testing.CliRunner()
    outputs = [runner.invoke(main, ["kronions", "--boards", "4", "--fit"]) for _ in range(2)]
    assert [done.exit_code for done in outputs] == [0, 0]
    assert outputs[0].output == outputs[1].output
    assert outputs[0].output.count("Brier") == len(SETTINGS["kronions"])
    assert runner.invoke(main, ["chess"]).exit_code == 2
