"""What a run shows: means and 95 % intervals by board, against scipy, by hand and by simulation."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats as scipy_stats

from experiments.rundir import RunDirectory
from experiments.stats import Estimate, Standing, board_means, differences, estimate, standings
from experiments.tournament import run
from tests.experiments.helpers import small_spec

Game = tuple[int, str, float]  # board, bot, score of one seat in one game


def log_of(games: list[Game], bots: tuple[str, ...] = ("a", "b", "c")) -> Any:
    """What `stats` reads of a run directory, with these rows in its games table; a score of 1 or more is a win."""
    numbers = pa.array([bots.index(bot) for _, bot, _ in games], pa.int16())
    table = pa.table(
        {
            "board": pa.array([board for board, _, _ in games], pa.int32()),
            "bot": pa.DictionaryArray.from_arrays(numbers, pa.array(bots)),
            "score": [score for *_, score in games],
            "win_share": [float(score >= 1) for *_, score in games],
        }
    )
    spec = SimpleNamespace(bots=[(bot, "random") for bot in bots])
    return SimpleNamespace(spec=spec, read=lambda name, columns: {"games": table}[name].select(columns))


def by_bot(log: Any) -> dict[str, Standing]:
    return {standing.bot: standing for standing in standings(log)}


# One estimate


def test_an_interval_by_hand() -> None:
    found = estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    assert found.boards == 4
    assert found.mean == 2.5
    assert found.half_width == pytest.approx(
        3.182446305284263 * (5 / 3 / 4) ** 0.5
    )  # t(3, 97.5 %) x sqrt(variance / n)
    assert (found.low, found.high) == (pytest.approx(0.4457397), pytest.approx(4.5542603))


@pytest.mark.parametrize("count", [2, 3, 5, 10, 31, 200, 5000])
def test_intervals_are_those_of_scipy(count: int) -> None:
    values = np.random.default_rng(count).normal(3, 20, count)
    found = estimate(values)
    low, high = scipy_stats.t.interval(0.95, count - 1, loc=values.mean(), scale=scipy_stats.sem(values))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_equal_boards_leave_no_doubt() -> None:
    assert estimate(np.full(9, 4.0)) == Estimate(4.0, 0.0, 9)


def test_one_board_says_nothing_about_others() -> None:
    found = estimate(np.array([7.0]))
    assert (found.mean, found.low, found.high, found.boards) == (7.0, float("-inf"), float("inf"), 1)


def test_no_board_gives_no_mean() -> None:
    found = estimate(np.array([]))
    assert np.isnan(found.mean)
    assert (found.half_width, found.boards) == (float("inf"), 0)


# The unit is the board


def test_the_value_of_a_bot_on_a_board_is_its_mean_per_seat_held() -> None:
    log = log_of([(0, "a", 1), (0, "a", 2), (0, "b", 9), (0, "a", 6), (1, "a", 5), (1, "b", 0), (1, "b", 4)])
    means = board_means(log)
    assert means["score"].to_dict() == {("a", 0): 3, ("a", 1): 5, ("b", 0): 9, ("b", 1): 2}
    found = by_bot(log)
    assert (found["a"].points.mean, found["b"].points.mean) == (4, 5.5)
    assert [(found[bot].games, found[bot].points.boards) for bot in "ab"] == [(4, 2), (3, 2)]
    assert found["a"].points.half_width == pytest.approx(12.706204736)  # t(1, 97.5 %) x sqrt(2 / 2)
    assert (found["a"].win_share.mean, found["b"].win_share.mean) == (1.0, 0.75)


def test_games_of_a_board_that_are_all_alike_count_once() -> None:
    """Perfect correlation: eight copies of each game must not make the interval any narrower."""
    scores = np.random.default_rng(1).normal(10, 5, 12).tolist()
    once = log_of([(board, "a", score) for board, score in enumerate(scores)])
    often = log_of([(board, "a", score) for board, score in enumerate(scores) for _ in range(8)])
    one, many = by_bot(once)["a"].points, by_bot(often)["a"].points
    assert (many.mean, many.half_width, many.boards) == (pytest.approx(one.mean), pytest.approx(one.half_width), 12)
    assert many.half_width > 2 * estimate(np.repeat(scores, 8)).half_width
    assert by_bot(often)["a"].games == 96


def test_luck_that_cancels_within_a_board_leaves_no_doubt() -> None:
    scores = [(board, "a", 10 + sign * board) for board in range(12) for sign in (1, -1)]
    assert by_bot(log_of(scores))["a"].points == Estimate(10.0, 0.0, 12)


def test_standings_are_ordered_by_points_and_name_all_bots() -> None:
    log = log_of([(board, bot, score) for board in range(3) for bot, score in (("a", 1), ("b", 5), ("c", 3))])
    assert [standing.bot for standing in standings(log)] == ["b", "c", "a"]


def test_bots_that_have_not_played_come_last() -> None:
    log = log_of([(0, "a", -4.0), (0, "c", 2.0)], ("b", "a", "c", "d"))
    found = standings(log)
    assert [standing.bot for standing in found] == ["c", "a", "b", "d"]
    assert [standing.games for standing in found] == [1, 1, 0, 0]
    assert found[-1].points.boards == 0
    pairs = differences(board_means(log), ["a", "b"])
    assert pairs[0][2].boards == 0


# Differences


def test_differences_are_taken_on_common_boards_only() -> None:
    games: list[Game] = [(0, "a", 5), (0, "b", 2), (1, "a", 100), (1, "c", 1), (2, "b", 50), (2, "c", 7)]
    games += [(3, "a", 6), (3, "b", 2), (3, "a", 8), (4, "a", 1), (4, "b", 0)]
    found = {pair[:2]: pair[2] for pair in differences(board_means(log_of(games)), ["a", "b", "c"])}
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    expected = np.array([3.0, 5.0, 1.0])  # boards 0, 3 and 4
    assert found["a", "b"].boards == 3
    assert found["a", "b"].mean == pytest.approx(expected.mean())
    assert found["a", "b"].half_width == pytest.approx(estimate(expected).half_width)
    assert (found["a", "c"].mean, found["a", "c"].boards) == (99, 1)
    assert (found["b", "c"].mean, found["b", "c"].boards) == (43, 1)


def test_the_difference_turns_its_sign_with_the_pair() -> None:
    means = board_means(log_of([(board, bot, 3 * board + (bot == "b")) for board in range(5) for bot in "ab"]))
    ((_, _, forth),) = differences(means, ["a", "b"])
    ((_, _, back),) = differences(means, ["b", "a"])
    assert (forth.mean, back.mean) == (pytest.approx(-1), pytest.approx(1))
    assert forth.half_width == pytest.approx(0)  # what a board is worth to both cancels
    assert differences(means, ["a"]) == []


# Whole runs


def test_the_standings_of_a_run_are_those_of_its_files(tmp_path: Path) -> None:
    spec = small_spec("x=random", "y=heuristic", "z=random", "w=heuristic:epsilon=0.5", boards=40, seed=3)
    directory = run(spec, tmp_path / "run", workers=2)
    games = pd.read_parquet(tmp_path / "run" / "games")
    found = by_bot(directory)
    assert set(found) == {"x", "y", "z", "w"}
    for label, standing in found.items():
        own = games[games["bot"] == label]
        boards = own.groupby("board")["score"].mean()
        assert standing.games == len(own)
        points = estimate(boards.to_numpy())
        assert standing.points.mean == pytest.approx(points.mean)
        assert standing.points.half_width == pytest.approx(points.half_width)
        assert standing.points.boards == own["board"].nunique() == 30  # three of four line-ups
        shares = estimate(own.groupby("board")["win_share"].mean().to_numpy())
        assert standing.win_share.mean == pytest.approx(shares.mean)
        assert standing.win_share.half_width == pytest.approx(shares.half_width)
    for first, second, difference in differences(board_means(directory), ["x", "z", "y"]):
        both = set(games[games["bot"] == first]["board"]) & set(games[games["bot"] == second]["board"])
        assert difference.boards == len(both) == 20
    assert standings(RunDirectory.open(tmp_path / "run")) == standings(directory)


# Coverage: an interval that calls itself 95 % holds the truth in 95 % of all runs


def binomial_band(runs: int) -> tuple[float, float]:
    """Between which counts of successes 99.98 % of all simulations lie, where each succeeds with 95 %."""
    low, high = scipy_stats.binom.ppf([1e-4, 1 - 1e-4], runs, 0.95)
    return float(low), float(high)


@pytest.mark.parametrize("boards", [2, 5, 30])
def test_95_percent_intervals_hold_the_truth_in_95_percent_of_runs(boards: int) -> None:
    values = np.random.default_rng(boards).normal(7, 3, (5000, boards))
    hits = sum(found.low <= 7 <= found.high for found in map(estimate, values))
    low, high = binomial_band(5000)
    assert low <= hits <= high


def test_95_percent_intervals_hold_the_truth_where_games_of_a_board_are_alike() -> None:
    """Ten boards, four games each that share the luck of the board: by games the intervals would hold it in 70 %."""
    rng, hits, naive_hits = np.random.default_rng(6), 0, 0
    for _ in range(400):
        luck = rng.normal(0, 3, 10)
        scores = 20 + luck[:, None] + rng.normal(0, 1, (10, 4))
        log = log_of([(board, "a", score) for board in range(10) for score in scores[board]], ("a",))
        found, naive = by_bot(log)["a"].points, estimate(scores.ravel())
        hits += found.low <= 20 <= found.high
        naive_hits += naive.low <= 20 <= naive.high
    low, high = binomial_band(400)
    assert low <= hits <= high
    assert naive_hits < low
