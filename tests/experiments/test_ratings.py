"""Ratings: Elo for two, Plackett-Luce for more, ties as all their orders, intervals by board, always finite."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from scipy.optimize import minimize

from experiments.boards import BoardResults, Games
from experiments.doubts import rating_doubts
from experiments.ratings import ELO, FEW_GAMES, _patterns, ratings
from experiments.schedule import MOST_IN_TURN
from tests.coverage import SCENARIOS, Scenario, rating_coverage

Table = list[tuple[tuple[int, ...], tuple[int, ...]]]  # games: the bots by seat, and their places


def results_of(games: Table, labels: str, games_a_board: int = 1) -> BoardResults:
    """Boards of games in order, so many each, all in line-up 0 (or one for each set of bots, with more bots)."""
    bots = np.array([bots for bots, _ in games]).reshape(-1, games_a_board, len(games[0][0]))
    place = np.array([place for _, place in games]).reshape(bots.shape)
    sets = {key: number for number, key in enumerate(sorted({tuple(sorted(b)) for b in bots[:, 0].tolist()}))}
    lineup = np.array([sets[tuple(sorted(b))] for b in bots[:, 0].tolist()])
    share = (place == 1) / (place == 1).sum(axis=2, keepdims=True)
    return BoardResults.of_games(Games(np.arange(len(bots)), lineup, bots, -1.0 * place, place, share), tuple(labels))


def log_likelihood(worth: np.ndarray, games: Table) -> float:
    """By the definition: over all orders of the seats that the places allow; and a virtual tie with worth 0 a bot."""
    total = 0.0
    for bots, place in games:
        orders = [o for o in permutations(range(len(bots))) if all(place[i] <= place[j] for i, j in pairwise(o))]
        for order in orders:
            w = np.exp(worth[[bots[seat] for seat in order]])
            total += sum(np.log(w[i] / w[i:].sum()) for i in range(len(w))) / len(orders)
    return total + float((0.5 * worth - np.log1p(np.exp(worth))).sum())


RANDOM = np.random.default_rng(8)


def random_games(seats: int, bots: int, count: int, most_places: int) -> Table:
    games = []
    for _ in range(count):
        level = RANDOM.integers(0, most_places, seats)
        who = RANDOM.permutation(bots)[:seats] if bots >= seats else np.arange(seats) % bots
        games.append((tuple(map(int, who)), tuple(int(1 + (level < x).sum()) for x in level)))
    return games


@pytest.mark.parametrize(
    ("seats", "bots", "most_places"),
    [(2, 2, 2), (3, 3, 9), (3, 2, 3), (4, 3, 2), (4, 4, 3), (3, 5, 3), (2, 5, 2), (6, 6, 3)],
)
def test_the_fit_is_the_highest_likelihood(seats: int, bots: int, most_places: int) -> None:
    games = random_games(seats, bots, 8 if seats == 6 else 24, most_places)
    found = minimize(lambda worth: -log_likelihood(worth, games), np.zeros(bots), tol=1e-10).x
    rated = ratings(results_of(games, "abcdef"[:bots])).bots
    assert [one.rating for one in rated] == pytest.approx(list(ELO * (found - found.mean())), abs=0.02)


@pytest.mark.parametrize(("won", "tied", "lost"), [(700, 0, 300), (500, 300, 200), (900, 0, 100), (100, 800, 100)])
def test_two_bots_differ_by_elos_formula(won: int, tied: int, lost: int) -> None:
    games: Table = [((0, 1), (1, 2))] * won + [((0, 1), (1, 1))] * tied + [((0, 1), (2, 1))] * lost
    a, b = ratings(results_of(games * 20, "ab")).bots
    score = (won + tied / 2) / (won + tied + lost)
    assert a.rating - b.rating == pytest.approx(400 * np.log10(score / (1 - score)), abs=0.1)
    assert a.rating == pytest.approx(-b.rating)


def test_intervals_of_two_are_those_of_the_log_odds_by_board() -> None:
    """Boards of two games: the delta method on the scores of the boards."""
    rng = np.random.default_rng(4)
    wins = rng.choice([0, 1, 2], 3000, p=[0.1, 0.3, 0.6])
    games: Table = [((0, 1), (1, 2) if game < n else (2, 1)) for n in wins for game in (0, 1)]
    rated = ratings(results_of(games, "ab", games_a_board=2), anchor="b")
    score = wins.mean() / 2
    error = (wins / 2).std(ddof=1) / np.sqrt(3000) / (score * (1 - score))
    (a, b) = rated.bots
    assert (a.high - a.low) / 2 == pytest.approx(1.9608 * ELO * error, rel=0.01)
    assert (b.rating, b.low, b.high) == (0, 0, 0)


def test_copies_of_games_on_a_board_make_no_interval_shorter() -> None:
    games = random_games(3, 3, 60, 9)
    once = ratings(results_of(games, "abc")).bots
    often = ratings(results_of([game for game in games for _ in range(50)], "abc", games_a_board=50)).bots
    for one, other in zip(once, often, strict=True):
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.15)  # the virtual games weigh less


def test_a_bot_that_always_wins_has_a_finite_rating_and_is_named() -> None:
    rated = ratings(results_of([((0, 1), (1, 2))] * 400, "ab"))
    a, b = rated.bots
    assert 500 < a.rating - b.rating < 3000
    assert (a.low, a.high) == (b.low, b.high) == (-np.inf, np.inf)  # no interval could say how far apart they are
    assert rated.one_sided == ["a", "b"]
    rated = ratings(results_of([((0, 1), (1, 2))] * 399 + [((0, 1), (1, 1))], "ab"))
    assert rated.one_sided == []
    assert rated.bots[0].low < rated.bots[0].rating < rated.bots[0].high < np.inf


def upsets(number: int) -> Table:
    """Games of a weak bot 2, of which it was level with another one or ahead in so many."""
    lost: Table = [((0, 1, 2), (1, 2, 3)), ((1, 0, 2), (1, 2, 3))]
    return lost * 200 + [((0, 1, 2), (2, 3, 1)), ((0, 1, 2), (1, 2, 2))] * (number // 2)


def test_ratings_that_hang_on_few_games_are_named() -> None:
    """Of bot 2 in the group, and with it of all: the mean of the ratings is 0."""
    assert ratings(results_of(upsets(FEW_GAMES), "abc")).nearly == []
    rated = ratings(results_of(upsets(FEW_GAMES - 2), "abc"))
    assert (rated.nearly, rated.one_sided) == (["a", "b", "c"], [])
    said = "one side won all but fewer than 20 games: intervals of ratings may hold the truth less often: a, b, c"
    assert list(rating_doubts(rated)) == [said]
    rated = ratings(results_of(upsets(0), "abc"))
    assert (rated.nearly, rated.one_sided) == ([], ["a", "b", "c"])


def test_intervals_of_ratings_hold_where_the_weaker_bot_wins_just_often_enough() -> None:
    """One board is two games; ratings that are named, or have no interval, are left out."""
    rng, held = np.random.default_rng(5), []
    chance = 0.01
    truth = ELO * np.log((1 - chance) / chance) / 2
    for _ in range(600):
        won = rng.random(2 * 1500) < chance
        rated = ratings(results_of([((0, 1), (2, 1) if upset else (1, 2)) for upset in won], "ab", games_a_board=2))
        if not rated.nearly:
            held.append(rated.bots[0].low <= truth <= rated.bots[0].high)
    assert len(held) > 400
    assert 0.93 <= np.mean(held) <= 0.97


def test_a_long_ladder_of_bots_that_always_win_is_fitted() -> None:
    """Worths beyond exp(37), where 1 - 1 / (1 + exp(-worth)) is 0."""
    ladder = "abcdefghijklmnopqrst"
    games: Table = [((i, j), (1, 2)) for i, j in combinations(range(len(ladder)), 2)] * 300
    found = [one.rating for one in ratings(results_of(games, ladder)).bots]
    assert np.isfinite(found).all()
    assert found == sorted(found, reverse=True)
    assert found == pytest.approx([-rating for rating in reversed(found)], abs=0.1)


def test_bots_that_never_meet_are_in_groups_of_their_own() -> None:
    games: Table = [((0, 1), (1, 2)), ((0, 1), (2, 1)), ((0, 1), (1, 2)), ((2, 3), (1, 2)), ((2, 3), (1, 1))] * 10
    rated = ratings(results_of(games, "abcd"))
    assert rated.groups == [["a", "b"], ["c", "d"]]
    values = [one.rating for one in rated.bots]
    assert values[0] == pytest.approx(-values[1])
    assert values[2] == pytest.approx(-values[3])
    anchored = ratings(results_of(games, "abcd"), anchor="d")
    assert anchored.of("d") is not None
    assert anchored.of("d").rating == 0  # type: ignore[union-attr]
    assert anchored.of("a").rating == pytest.approx(values[0])  # type: ignore[union-attr]


def test_orders_of_the_same_bots_make_no_more_rankings() -> None:
    """There are 120 orders of six seats: each with rankings of its own would take twenty times as long."""
    orders = [order for table in combinations(range(4), 3) for order in permutations(table)]
    results = results_of([(bots, tuple(sorted(bots).index(bot) + 1 for bot in bots)) for bots in orders], "abcd")
    drawn = replace(results, lineup=np.arange(MOST_IN_TURN, MOST_IN_TURN + len(orders), dtype=np.int32))
    assert len(_patterns(drawn).counts) == 4
    assert [one.rating for one in ratings(drawn).bots] == [one.rating for one in ratings(results).bots]


def test_an_anchor_must_have_played() -> None:
    with pytest.raises(ValueError, match=r"anchor 'c' has not played: expected one of \['a', 'b'\]"):
        ratings(results_of([((0, 1), (1, 2))] * 9, "abc"), anchor="c")


def test_one_board_gives_ratings_without_intervals() -> None:
    a, _ = ratings(results_of([((0, 1), (1, 2))], "ab")).bots
    assert a.rating > 0
    assert (a.low, a.high) == (-np.inf, np.inf)


def test_ratings_of_ten_bots_are_recovered() -> None:
    rng = np.random.default_rng(2)
    worth = np.linspace(-1, 1, 10)
    games: Table = []
    for board in range(6000):
        bots = rng.permutation(10)[:3] if board else np.array([0, 1, 2])
        order = np.argsort(-(worth[bots] + rng.gumbel(size=3)))  # Plackett-Luce
        place = np.empty(3, int)
        place[order] = [1, 2, 3]
        games.append((tuple(map(int, bots)), tuple(map(int, place))))
    rated = ratings(results_of(games, "abcdefghij")).bots
    inside = [one.low < ELO * real < one.high for one, real in zip(rated, worth, strict=True)]
    assert sum(inside) >= 8
    assert max(one.high - one.low for one in rated) < 50


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_intervals_of_ratings_hold_in_95_percent_of_runs(scenario: Scenario) -> None:
    for share in rating_coverage(scenario, 400, 2000):
        assert 0.93 < share < 0.97  # four standard errors of the simulation to each side
