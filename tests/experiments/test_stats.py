"""What a run shows: results by board, means and 95 % intervals, against scipy, pandas and by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats as scipy_stats

from experiments.boards import (
    LEAST_IN_STRATUM,
    BoardResults,
    Games,
    board_results,
    part_games,
    read_games,
    strata_of,
    unpack_rankings,
)
from experiments.doubts import doubts, rank_doubts, seat_doubts
from experiments.intervals import Strata, bounded_interval, one_stratum, spread
from experiments.rundir import RunDirectory
from experiments.schedule import MOST_IN_TURN, Schedule, spread_rounds
from experiments.seating import SeatEffect, rotation_gains, seat_effects, variance_ratio
from experiments.spec import RunSpec
from experiments.stats import (
    FEW_BOARDS,
    Difference,
    Estimate,
    Standing,
    compare,
    estimate,
    outcomes,
    same_bots,
    standings,
)
from experiments.tables import console, show_standings, with_interval
from experiments.tournament import run
from tests.experiments.helpers import small_spec, tables_of

LABELS = ("a", "b", "c")


def games_of(bots: list[list[list[int]]], score: list[list[list[float]]], first_board: int = 0) -> Games:
    """Games by board, game and seat; most points win, ties share."""
    points = np.array(score, float)
    place = 1 + (points[..., None, :] > points[..., :, None]).sum(axis=-1)
    won = place == 1
    boards = first_board + np.arange(len(points))
    share = won / won.sum(axis=-1, keepdims=True)
    return Games(boards, np.zeros(len(boards), np.int32), np.array(bots), points, place, share)


def duels(gaps: list[float], first_board: int = 0) -> BoardResults:
    """Boards of two bots, one seating: the second has no points, the first so many."""
    games = games_of([[[0, 1]]] * len(gaps), [[[gap, 0.0]] for gap in gaps], first_board)
    return BoardResults.of_games(games, ("a", "b"))


def test_points_that_are_shares_of_the_win_have_the_interval_of_shares() -> None:
    games = games_of([[[0, 1]]] * 60, [[[1.0, 0.0]]] * 60)
    games = games._replace(win_share=games.score)
    plain = BoardResults.of_games(games, ("a", "b"))
    (pair,) = compare(plain)
    assert not pair.points.has_interval
    (pair,) = compare(BoardResults.join([replace(plain, points_are_shares=True)]))
    assert pair.points == pair.win_share
    assert -1 < pair.points.low < pair.points.high <= 1


# One estimate


def test_an_interval_by_hand() -> None:
    found = estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (found.boards, found.mean) == (4, 2.5)
    # t(3, 97.5 %) x sqrt(variance / n)
    assert found.half_width == pytest.approx(3.182446305284263 * (5 / 3 / 4) ** 0.5)
    assert (found.low, found.high) == (pytest.approx(0.4457397), pytest.approx(4.5542603))


@pytest.mark.parametrize("count", [2, 3, 5, 10, 31, 200, 5000])
def test_intervals_are_those_of_scipy(count: int) -> None:
    values = np.random.default_rng(count).normal(3, 20, count)
    found = estimate(values)
    low, high = scipy_stats.t.interval(0.95, count - 1, loc=values.mean(), scale=scipy_stats.sem(values))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.skewness == pytest.approx(scipy_stats.skew(values))


def test_differences_between_strata_widen_no_interval() -> None:
    values = np.random.default_rng(2).normal(0, 1, 60)
    number = np.arange(60) % 3
    strata = Strata(number, np.full(3, 1 / 3))
    shifted = estimate(values + 100 * number, strata)
    assert shifted.half_width == pytest.approx(estimate(values, strata).half_width)
    assert shifted.half_width < estimate(values + 100 * number).half_width / 50
    variance = sum(20 * values[number == i].var(ddof=1) for i in range(3)) / 60**2  # by the book
    assert spread(values, strata).variance == pytest.approx(variance)
    assert spread(values, strata).freedom == 57


def test_one_board_says_nothing_about_others() -> None:
    found = estimate(np.array([7.0]))
    assert (found.mean, found.low, found.high, found.boards) == (7.0, float("-inf"), float("inf"), 1)
    bounded = estimate(np.array([0.3]), bounds=(0, 1))
    assert (bounded.mean, bounded.low, bounded.high) == (0.3, 0, 1)


def test_no_board_gives_no_mean() -> None:
    found = estimate(np.array([]))
    assert np.isnan(found.mean)
    assert (found.half_width, found.boards) == (float("inf"), 0)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e9])
@pytest.mark.parametrize("strata", [one_stratum(60), Strata(np.arange(60) % 3, np.full(3, 1 / 3))])
def test_boards_that_are_all_alike_give_no_interval_of_points(value: float, strata: Strata) -> None:
    found = estimate(value * (1 + strata.of_board), strata)
    assert found.mean == pytest.approx(value * (1 + strata.of_board.mean()))
    assert (found.low, found.high, found.has_interval) == (-np.inf, np.inf, False)
    assert with_interval(found) == (f"{found.mean:.2f}", "-")
    assert estimate(np.append(value + np.zeros(59), value + 1.0)).has_interval


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("count", [2, 10, 1000])
def test_equal_boards_leave_some_doubt_about_a_share(value: float, count: int) -> None:
    found = estimate(np.full(count, value), bounds=(0, 1))
    assert 0 <= found.low <= value <= found.high <= 1
    assert 0.001 / count < found.high - found.low < 8 / count + 0.01


@pytest.mark.parametrize("boards", [50, 200])
@pytest.mark.parametrize("chance", [0.1, 0.3, 1.0, 3.0])
def test_a_rare_event_does_not_exclude_a_chance_at_which_it_may_come(boards: int, chance: float) -> None:
    """With Wilson's interval alone 0.1 events a run are held in 86 to 90 % of runs."""
    values = (np.random.default_rng(boards).random((4000, boards)) < chance / boards) * 1.0
    low, high = bounded_interval(spread(values, one_stratum(boards)), boards, (0, 1))
    assert np.mean((low <= chance / boards) & (chance / boards <= high)) > 0.94


def test_a_share_of_boards_that_are_won_or_lost_has_nearly_wilsons_interval() -> None:
    values = np.repeat([0.0, 1.0], [370, 30])
    found = estimate(values, bounds=(0, 1))
    low, high = scipy_stats.binomtest(30, 400).proportion_ci(method="wilson")
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))


def test_bounded_intervals_scale_with_their_bounds() -> None:
    values = np.random.default_rng(4).uniform(0, 1, 30)
    one = bounded_interval(spread(values, one_stratum(30)), 30, (0, 1))
    other = bounded_interval(spread(3 * values - 2, one_stratum(30)), 30, (-2, 1))
    assert other == pytest.approx(3 * np.array(one) - 2)


def test_few_or_skewed_boards_make_rough_intervals() -> None:
    rng = np.random.default_rng(5)
    assert estimate(rng.normal(0, 1, FEW_BOARDS - 1)).is_rough
    assert not estimate(rng.normal(0, 1, FEW_BOARDS)).is_rough
    assert estimate((np.arange(400) < 2) * 1.0).is_rough  # skewness 14


# Results by board


def test_the_value_of_a_bot_on_a_board_is_its_mean_per_seat_held() -> None:
    bots = [[[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[1, 0, 1], [1, 1, 0], [0, 1, 1]]]
    score = [[[1, 9, 2], [6, 0, 3], [5, 5, 5]], [[0, 5, 4], [0, 0, 0], [2, 1, 1]]]
    results = BoardResults.of_games(games_of(bots, score), ("a", "b"))
    a, b = results.bot("a"), results.bot("b")
    assert (a.seats.tolist(), b.seats.tolist()) == ([6, 3], [3, 6])
    assert a.totals["points"].tolist() == [1 + 2 + 6 + 0 + 5 + 5, 5 + 0 + 2]
    assert a.means("points").tolist() == [pytest.approx(19 / 6), pytest.approx(7 / 3)]
    assert b.totals["win_share"].tolist() == [1 + 0 + 1 / 3, pytest.approx(2 / 3)]
    assert a.totals["rank"].tolist() == [3 + 2 + 1 + 3 + 1 + 1, 1 + 1 + 1]


def test_more_bots_than_seats_sit_on_some_boards_only() -> None:
    games = games_of([[[0, 1]], [[0, 2]], [[2, 1]]], [[[1, 2]], [[3, 4]], [[5, 6]]])
    results = BoardResults.of_games(games, LABELS)
    assert [results.bot(label).board.tolist() for label in LABELS] == [[0, 1], [0, 2], [1, 2]]
    assert [results.bot(label).means("points").tolist() for label in LABELS] == [[1, 3], [2, 6], [4, 5]]
    pairs = compare(results)
    assert [(pair.first, pair.second, pair.points.boards) for pair in pairs] == [
        ("a", "b", 1), ("a", "c", 1), ("b", "c", 1),
    ]  # fmt: skip
    assert [pair.points.mean for pair in pairs] == [-1, -1, 1]


def test_rankings_keep_order_and_ties() -> None:
    bots = [[[2, 0, 1], [1, 2, 0]]]
    results = BoardResults.of_games(games_of(bots, [[[7, 7, 9], [1, 1, 1]]]), LABELS)
    slots, tied = unpack_rankings(results.rankings[0], 3)
    found = {(tuple(map(int, s)), tuple(map(bool, t))) for s, t in zip(slots, tied, strict=True)}
    assert found == {((1, 0, 2), (False, False, True)), ((0, 1, 2), (False, True, True))}


def test_parts_join_in_any_order_and_count_once() -> None:
    first, second = duels([1, 2, 3]), duels([4, 5], first_board=3)
    one, other = BoardResults.join([first, second]), BoardResults.join([second, first])
    for name in BoardResults.__dataclass_fields__:
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert one.bot("a").means("points").tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="a board is in two parts"):
        BoardResults.join([first, first])
    with pytest.raises(ValueError, match="no results"):
        BoardResults.join([])


def test_rows_may_come_in_any_order() -> None:
    table = tables_of(small_spec("random", "heuristic", "x=random", "y=random", boards=6))["games"]
    mixed = table.take(pa.array(np.random.default_rng(1).permutation(len(table))))
    for one, other in zip(part_games(table), part_games(mixed), strict=True):
        assert np.array_equal(one, other)


def test_strata_are_as_fine_as_boards_allow() -> None:
    board = np.arange(12 * LEAST_IN_STRATUM)
    lineup, variant = board % 3, board % 4
    found = strata_of(lineup, variant, 4)
    assert len(np.unique(found.of_board)) == 12
    assert found.shares == pytest.approx(np.full(12, 1 / 12))
    rounds = strata_of(lineup[:-1], variant[:-1], 4)  # one board less: of rounds alone
    assert np.array_equal(rounds.of_board, variant[:-1])
    few = slice(3 * LEAST_IN_STRATUM)
    assert len(strata_of(lineup[few], np.zeros_like(variant[few])).shares) == 3
    assert strata_of(lineup[: LEAST_IN_STRATUM - 1], variant[: LEAST_IN_STRATUM - 1], 4).shares.tolist() == [1]
    assert len(strata_of(lineup[:0], variant[:0], 4).of_board) == 0


def test_neighbouring_rounds_are_one_stratum_where_boards_are_few() -> None:
    variant = np.array(spread_rounds(29, 3))[np.arange(29)]
    found = strata_of(np.zeros(29, np.int64), variant, 29)
    assert len(found.shares) == 7
    assert found.shares.sum() == pytest.approx(1)
    for stratum, share in enumerate(found.shares):
        rounds = np.sort(variant[found.of_board == stratum])
        assert share == pytest.approx(len(rounds) / 29)
        assert np.all(np.diff(rounds) == 1)


def test_line_ups_that_are_drawn_are_chance() -> None:
    lineup = np.tile([0, 1, MOST_IN_TURN], 20)
    assert strata_of(lineup, np.zeros(60, np.int64)).shares.tolist() == [1]


def test_strata_count_by_their_share_where_a_run_ends_within_a_cycle() -> None:
    strata = Strata(np.array([0, 1, 0, 1, 0]), np.array([0.5, 0.5]))
    values = np.array([1.0, 10.0, 2.0, 12.0, 3.0])
    found = spread(values, strata)
    assert found.mean == pytest.approx((2 + 11) / 2)
    assert found.variance == pytest.approx((1.0 / 3 + 2.0 / 2) / 4)
    assert found.freedom == 3


# Differences


def test_the_difference_turns_its_sign_with_the_pair() -> None:
    results = duels([1.0, 2.0, 4.0])
    (forth,), (back,) = compare(results, ["a", "b"]), compare(results, ["b", "a"])
    assert (forth.points.mean, back.points.mean) == (pytest.approx(7 / 3), pytest.approx(-7 / 3))
    assert (forth.points.low, forth.win_share.high) == (-back.points.high, -back.win_share.low)
    assert forth.points == estimate(np.array([1.0, 2.0, 4.0]))
    assert compare(results, ["a"]) == []


def test_games_of_a_board_that_are_all_alike_count_once() -> None:
    """Perfect correlation: eight copies of each game must not make the interval any narrower."""
    scores = np.random.default_rng(1).normal(10, 5, 12)
    once, often = (
        BoardResults.of_games(games_of([[[0, 1]] * n] * 12, [[[score, 0]] * n for score in scores]), ("a", "b"))
        for n in (1, 8)
    )
    assert compare(once) == compare(often)


def test_a_share_of_several_seats_has_a_bound_of_its_own() -> None:
    """A bot at two of four seats wins half a game per seat at most."""
    results = BoardResults.of_games(
        games_of([[[0, 1, 0, 1], [1, 0, 1, 0]]] * 9, [[[4, 1, 3, 1], [1, 4, 1, 3]]] * 9), ("a", "b")
    )
    (pair,) = compare(results)
    assert pair.win_share.mean == pair.win_share.high == 0.5
    assert 0 < pair.win_share.low < 0.5


@pytest.mark.parametrize(("seats", "boards", "truth"), [(3, 7, 3 / 4), (3, 9, 3 / 4), (5, 9, 5 / 12)])
def test_a_bot_that_always_wins_is_within_its_interval_where_it_has_sat_too_often(
    seats: int, boards: int, truth: float
) -> None:
    """Odd numbers of boards give the first of two bots more than half of the seats."""
    slots = Schedule(2, seats).games(0, boards)
    bots = slots["bot"][:, :seats].reshape(boards, -1, seats)
    score = np.where(bots == 0, 10.0 - np.arange(seats), 0.0)
    games = games_of(bots.tolist(), score.tolist())
    results = BoardResults.of_games(games._replace(lineup=slots["lineup"].reshape(boards, -1)[:, 0]), ("a", "b"))
    (pair,) = compare(results)
    assert pair.win_share.low <= pair.win_share.mean <= pair.win_share.high
    assert pair.win_share.high == pytest.approx(truth, abs=1e-6)


# Whole runs


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    spec = small_spec("x=random", "y=heuristic", "z=random", "w=heuristic:epsilon=0.5", boards=40, seed=3)
    return run(spec, tmp_path_factory.mktemp("runs") / "run", workers=2)


def test_the_standings_of_a_run_are_those_of_its_files(directory: RunDirectory) -> None:
    games = pd.read_parquet(directory.path / "games")
    found = {standing.bot: standing for standing in standings(directory)}
    assert set(found) == {"x", "y", "z", "w"}
    for label, standing in found.items():
        own = games[games["bot"] == label]
        boards = own.groupby("board")[["score", "win_share", "place"]].mean()
        lineup = own.groupby("board")["lineup"].first().to_numpy()
        strata = strata_of(lineup, np.zeros(len(lineup), np.int64))
        assert standing.games == len(own)
        assert standing.points == estimate(boards["score"].to_numpy(), strata)
        assert standing.points.boards == own["board"].nunique() == 30  # three bots of four at a table
        assert standing.win_share.mean == pytest.approx(boards["win_share"].mean())
        assert standing.rank.mean == pytest.approx(boards["place"].mean())
        assert standing.rating is not None
    assert [s.points.mean for s in standings(directory)] == sorted(
        (s.points.mean for s in found.values()), reverse=True
    )


def test_drawn_line_ups_make_no_strata_for_the_bots_named_first(tmp_path: Path) -> None:
    """Four bots at three seats have eight line-ups; the first bot sits in numbers 0 to 5 only."""
    spec = small_spec("a=random", "b=random", "c=random", "d=random", boards=120)
    results = board_results(run(spec, tmp_path / "run", workers=1))
    for label in results.labels:
        assert results.bot(label).strata.shares.tolist() == [1]


def test_differences_of_a_run_are_taken_on_common_boards(directory: RunDirectory) -> None:
    games = directory.read("games").to_pandas()
    means = games.groupby(["bot", "board"], observed=True)[["score", "win_share"]].mean()
    for pair in compare(board_results(directory), ["x", "z", "y"]):
        gaps = (means.xs(pair.first, level="bot") - means.xs(pair.second, level="bot")).dropna()
        assert pair.points.boards == len(gaps) == 20
        assert pair.points.mean == pytest.approx(gaps["score"].mean())
        assert pair.win_share.mean == pytest.approx(gaps["win_share"].mean())


def test_results_fold_over_a_prefix_of_parts(directory: RunDirectory) -> None:
    parts = directory.finished_parts()
    prefix = board_results(directory, parts[:3])
    assert len(prefix) == 3 * directory.spec.boards_in_part
    rest = board_results(directory, parts[3:])
    whole, joined = board_results(directory), BoardResults.join([rest, prefix])
    for name in BoardResults.__dataclass_fields__:
        assert np.array_equal(getattr(whole, name), getattr(joined, name))


def test_bots_that_have_not_played_come_last(tmp_path: Path) -> None:
    spec = small_spec(*(f"{label}=random" for label in "abcde"), boards=1)
    found = standings(run(spec, tmp_path / "run", workers=1))
    assert [standing.games for standing in found] == [3, 3, 3, 0, 0]
    assert found[-1].rating is None
    assert found[-1].points.boards == 0


def test_outcomes_count_games(directory: RunDirectory) -> None:
    assert outcomes(directory) == {"finished": directory.num_rows("games") // 3}


# Seats and seatings


def test_seat_effects_are_means_at_the_seat(directory: RunDirectory) -> None:
    games = pd.read_parquet(directory.path / "games")
    for bot, own in (("y", games[games["bot"] == "y"]), (None, games)):
        for effect in seat_effects(directory, bot):
            at = own[own["seat"] == effect.seat].groupby("board")
            assert effect.points.mean == pytest.approx(at["score"].mean().mean())
            assert effect.win_share.mean == pytest.approx(at["win_share"].mean().mean())
            assert effect.points.low < effect.points.mean < effect.points.high


def test_rotation_gains_are_ratios_of_variances_within_strata(directory: RunDirectory) -> None:
    games = pd.read_parquet(directory.path / "games")
    gains = {gain.bot: gain for gain in rotation_gains(directory)}
    assert len(gains) == 4 + 6
    table = games[games["bot"] == "y"].pivot(index=["lineup", "board"], columns="rotation", values="score")
    rest = table - table.mean()  # line-ups are drawn: all boards are one stratum
    expected = (rest**2).to_numpy().sum() / 9 / (rest.mean(axis=1) ** 2).sum()
    assert gains["y"].gain == pytest.approx(expected)
    assert gains["y"].boards == 30
    assert gains["x - z"].boards == 20


def test_games_without_anything_in_common_gain_nothing_from_rotation() -> None:
    rng = np.random.default_rng(3)
    noise, strata = rng.normal(0, 1, (20_000, 4)), one_stratum(20_000)
    assert variance_ratio(noise, strata) == pytest.approx(1, abs=0.03)
    swing = rng.normal(0, 1, (20_000, 1)) * np.array([[1, -1, 1, -1]])  # luck that goes round
    assert variance_ratio(noise + swing, strata) == pytest.approx(2, abs=0.06)
    assert variance_ratio(noise + rng.normal(0, 1, (20_000, 1)), strata) == pytest.approx(2 / 5, abs=0.02)
    assert np.isnan(variance_ratio(np.ones((5, 2)), one_stratum(5)))


# One bot under two names


@pytest.mark.parametrize(
    ("bots", "expected"),
    [
        (("a=random", "b=random", "heuristic"), [("a", "b")]),
        (("a=heuristic", "b=heuristic:epsilon=0", "c=heuristic:epsilon=0.1"), [("a", "b")]),
        (("a=ismcts", "b=ismcts:iterations=1000", "c=mc"), [("a", "b")]),
        (("random", "heuristic"), []),
    ],
)
def test_the_same_bot_is_known_under_two_names(bots: tuple[str, ...], expected: list[tuple[str, str]]) -> None:
    assert same_bots(small_spec(*bots)) == expected


def shown(spec: RunSpec, path: Path) -> str:
    directory = run(spec, path, workers=1)
    out = console()
    with out.capture() as captured:
        show_standings(out, directory)
    return " ".join(captured.get().split())


def test_standings_mark_self_play_few_boards_and_one_sided_ratings(tmp_path: Path) -> None:
    text = shown(small_spec("a=random", "b=random", "heuristic"), tmp_path / "one")
    assert "(the same bot)" in text
    assert "the same bot twice is a check of the intervals: 95 of 100 such rows hold 0" in text
    assert "0 in truth" not in text
    assert "fewer than 50 boards for" in text
    spec = small_spec("a=random", "b=heuristic", boards=60, options={"num_players": 2})
    text = shown(spec, tmp_path / "two")
    assert "the same bot" not in text
    assert "fewer than" not in text
    bots = [f"{label}=random" for label in "ab"]
    text = shown(small_spec(*bots, boards=1, options={"num_players": 2, "round_cap": 1}), tmp_path / "three")
    assert "one side won every game, so that ratings lie at least this far apart: a, b" in text


def test_warnings_name_what_is_near_its_bounds() -> None:
    near, far = (estimate(np.array(values), bounds=(0, 1)) for values in ([0.0] * 99 + [1.0], [0.0, 1.0] * 50))
    assert (near.is_long, far.is_long) == (True, False)
    points = estimate(np.arange(100.0))
    bots = [Standing("a", points, near, far, None, 100), Standing("b", points, far, near, None, 100)]
    assert list(doubts(bots, [Difference("a", "b", points, near)])) == [
        "intervals of win shares near their bounds, or of few boards, are longer than need be: a, a - b"
    ]
    assert list(rank_doubts(bots)) == [
        "intervals of ranks near their bounds, or of few boards, are longer than need be: b"
    ]
    assert list(seat_doubts([SeatEffect(0, near, near), SeatEffect(1, far, far)])) == [
        "intervals of points and win shares near their bounds, or of few boards, are longer than need be: seat 0"
    ]
    assert not list(seat_doubts([SeatEffect(1, points, far)]))
    few = estimate(np.arange(49.0))
    assert list(seat_doubts([SeatEffect(1, few, far)])) == [
        "fewer than 50 boards for seat 1: intervals of points may hold the truth less often"
    ]


def test_a_mean_without_bounds_or_of_one_board_is_never_called_longer_than_need_be() -> None:
    assert not estimate(np.array([0.0] * 99 + [1.0])).is_long
    assert not estimate(np.ones(1), bounds=(0, 1)).is_long
    assert estimate(np.ones(9), bounds=(0, 1)).is_long


@pytest.mark.parametrize(
    ("values", "is_long"),
    [
        ([0.5] * 99 + [0.6], True),  # boards that hardly differ: the doubt is most of the variance
        ([0.4] * 99 + [0.9], True),
        ([0.45, 0.55] * 50, False),  # as little, but symmetric: Student's, without the doubt
        ([0.0] * 80 + [1.0] * 20, False),  # all or nothing, 20 events
        ([0.0] * 93 + [1.0] * 7, True),  # 7 events
        ([0.0] * 91 + [1.0] * 9, False),
    ],
)
def test_intervals_are_longer_than_need_be_for_little_variance_or_few_events(
    values: list[float], is_long: bool
) -> None:
    assert estimate(np.array(values), bounds=(0, 1)).is_long is is_long


def test_standings_in_the_terminal_name_ranks_near_their_bounds(tmp_path: Path) -> None:
    bots = ("random", "heuristic")
    text = shown(small_spec(*bots, boards=60, options={"num_players": 2}), tmp_path / "run")
    assert "mean rank" in text
    assert "intervals of ranks near their bounds, or of few boards, are longer than need be: heuristic, random" in text


def test_games_are_read_part_by_part(directory: RunDirectory) -> None:
    assert [len(games.board) for games in read_games(directory, [1, 2])] == [directory.spec.boards_in_part] * 2


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert with_interval(Estimate(-0.001, -0.4, 0.004, 100)) == ("0.00", "-0.40 .. 0.00")
    assert with_interval(Estimate(-0.00001, -0.004, 0.0, 100), 100) == ("0.00", "-0.40 .. 0.00")
    assert with_interval(Estimate(-0.006, -0.2, 0.0, 100)) == ("-0.01", "-0.20 .. 0.00")


@pytest.mark.parametrize(("mean", "low", "high", "scale", "expected"), [
    (0.1712, 0.1700, 0.1724, 1, ("0.1712", "0.1700 .. 0.1724")),
    (0.1712, 0.1700, 0.1724, 100, ("17.12", "17.00 .. 17.24")),
    (0.0, 0.0, 0.00031, 100, ("0.000", "0.000 .. 0.031")),
    (512.3, 300.0, 724.6, 1, ("512.30", "300.00 .. 724.60")),
])  # fmt: skip
def test_tables_show_two_digits_of_half_an_interval(
    mean: float, low: float, high: float, scale: int, expected: tuple[str, str]
) -> None:
    assert with_interval(Estimate(mean, low, high, 100), scale) == expected
