"""Plots for notebooks: what is drawn is what the table says, and sentences say no more than the interval."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer

from experiments import plots

TABLE = pd.DataFrame(
    {
        "bid": [0, 1, 2, 3],
        "name": ["a", "b", "c", "d"],
        "boards": [50, 50, 50, plots.LEAST_BOARDS - 1],
        "points": [4.0, -2.0, 0.5, 9.0],
        "points_low": [3.0, -3.0, -np.inf, 8.0],
        "points_high": [5.5, -1.0, np.inf, 10.0],
    }
)


def bars(x: str, **settings: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, means and ends of the intervals that a plot of the table shows."""
    _, (axes,) = plots.panels("what?")
    plots.draw(axes, TABLE, x, "points", **settings)  # type: ignore[arg-type]
    (container,) = (found for found in axes.containers if isinstance(found, ErrorbarContainer))
    line, _, (ends,) = container.lines
    assert line is not None
    places, means = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    return places, means, np.array([segment[:, 1] for segment in ends.get_segments()])


def test_points_and_intervals_are_those_of_the_table() -> None:
    places, means, ends = bars("bid", scale=10)
    assert places.tolist() == [0, 1], "an infinite interval and one of few boards are left out"
    assert means.tolist() == [40, -20]
    assert ends.tolist() == [[30, 55], [-30, -10]]


def test_points_of_categories_can_stand_beside_their_place() -> None:
    assert bars("name", shift=0.125, is_joined=False)[0].tolist() == [0.125, 1.125]


def test_panels_have_the_title_and_their_names() -> None:
    figure, axes = plots.panels("what?", ["one", "two"])
    assert figure.get_suptitle() == "what?"
    assert [one.get_title() for one in axes] == ["one", "two"]
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(("row", "expected"), [(0, 1), (1, -1), (2, 0)])
def test_the_sign_is_told_only_where_the_interval_tells(row: int, expected: int) -> None:
    assert plots.sign(TABLE.iloc[row], "points") == expected


def test_the_sign_of_equal_numbers_is_not_told_where_nothing_bounds_them() -> None:
    free = plots.table_of({"few": -np.ones(4), "more": -np.ones(10)}, "group", "points")
    bounded = plots.table_of({"few": -np.ones(4), "more": -np.ones(10)}, "group", "points", (-1, 1))
    assert [plots.sign(line, "points") for _, line in free.iterrows()] == [0, 0]
    assert [plots.sign(line, "points") for _, line in bounded.iterrows()] == [0, -1]


@pytest.mark.parametrize(("boards", "quantiles"), [(11, (2.228139, 3.581406)), (None, (1.959964, 2.807034))])
def test_an_interval_of_ten_verdicts_is_wider(boards: int | None, quantiles: tuple[float, float]) -> None:
    """Student's quantiles for 0.05 and 0.005, of 10 degrees of freedom and of a normal distribution, from a table."""
    alone, of_ten = quantiles
    for error, single, listed in ((0.99 / of_ten, 1, 1), (1.01 / of_ten, 1, 0), (1.01 / alone, 0, 0)):
        line = {"gap": -1.0, "gap_low": -1 - alone * error, "gap_high": -1 + alone * error}
        line |= {} if boards is None else {"boards": boards}
        assert (plots.sign(line, "gap"), plots.sign(line, "gap", 10)) == (-single, -listed)
        assert plots.sign(line, "gap", 0) == -single


def test_a_list_rarely_has_a_verdict_that_chance_made() -> None:
    rng = np.random.default_rng(1)
    told = {1: 0, 20: 0}
    for _ in range(400):
        table = plots.table_of(dict(enumerate(rng.normal(size=(20, 30)))), "size", "gain")
        for of in told:
            told[of] += any(map(len, plots.clear(table, "size", "gain", of)))
    assert told[1] > 200, "20 intervals of 95 % leave one out in 64 % of lists"
    assert told[20] <= 400 * 0.05 + 3 * (400 * 0.05 * 0.95) ** 0.5


def test_a_list_names_what_is_above_and_below_and_counts_what_has_an_interval() -> None:
    table = pd.DataFrame({"bid": [3, 1, 2, 7], "boards": [50, 50, 50, 9], "gain": [5.0, -5.0, 1.0, 9.0]})
    table = table.assign(gain_low=table["gain"] - 0.9, gain_high=table["gain"] + 0.9)
    assert plots.clear(table, "bid", "gain") == ([3], [1]), "2 is clear alone, and not as one of three"
    assert plots.clear(table, "bid", "gain", 1) == ([3, 2], [1])
    assert plots.allowance(3) == "verdicts allow for the 3 comparisons of the list"
    assert [plots.allowance(of) for of in (0, 1)] == ["too few for a list", "a single comparison"]


@pytest.mark.parametrize(
    ("signs", "expected"), [([1, 1, 1], 1), ([-1, -1], -1), ([1, 0, 1], 0), ([1, -1, 1], 0), ([0, 0], 0), ([], 0)]
)
def test_seeds_agree_where_all_tell_the_same(signs: list[int], expected: int) -> None:
    assert plots.agreed(iter(signs)) == expected


def of_seeds(*means: float) -> pd.DataFrame:
    """Numbers of three seeds with these means, each known to ±0.4."""
    values = np.concatenate([mean + np.tile([-1.0, 1.0], 12) for mean in means])
    return plots.by_seed(values, np.repeat([2, 102, 202], 24), "gap")


WORDS = {1: "more", -1: "less", 0: "no clear difference"}


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ((1, 1.5, 2), "more, on each of 3 seeds"),
        ((-1, -0.5, -2), "less, on each of 3 seeds"),
        ((0.1, -0.2, 0.2), "no clear difference"),
        ((3, 2, 0.1), "no clear difference (the interval of all leaves out 0, but those of 3 seeds do not agree)"),
        ((3, 2, -1), "no clear difference (the interval of all leaves out 0, but those of 3 seeds do not agree)"),
        ((2, -2, 0), "no clear difference"),
    ],
)
def test_a_finding_in_words_has_held_on_every_seed(means: tuple[float, ...], expected: str) -> None:
    assert plots.verdict(of_seeds(*means), "gap", WORDS) == expected


def test_a_table_by_seed_begins_with_all_together() -> None:
    table = of_seeds(1, 2, 6)
    assert table["seed"].tolist() == ["all", "2", "102", "202"]
    assert table["gap"].tolist() == [3, 1, 2, 6]
    assert table["boards"].tolist() == [72, 24, 24, 24]


def test_a_difference_of_independent_groups_has_welchs_variance() -> None:
    one, other = pd.Series([1.0, 2.0, 4.0, 9.0]), pd.Series([3.0, 5.0, 4.0, 0.0], index=[4, 5, 6, 7])
    found = plots.difference(one, other, "gap")
    error = (one.var() / 4 + other.var() / 4) ** 0.5
    assert found["gap"] == 1
    assert [found["gap_low"], found["gap_high"]] == pytest.approx([1 - 3.182446 * error, 1 + 3.182446 * error])


def test_a_difference_counts_boards_and_what_hangs_together_on_them() -> None:
    rng = np.random.default_rng(2)
    common = np.repeat(rng.normal(size=200), 2)
    boards = np.repeat(np.arange(200), 2)
    one, other = (pd.Series(common + 0.1 * rng.normal(size=400), index=boards) for _ in range(2))
    found = plots.difference(one, other, "gap")
    paired = plots.table_of({0: (one - other).groupby(level=0).mean()}, "k", "gap").iloc[0]
    assert found["boards"] == 200
    assert found["gap_low"] == pytest.approx(paired["gap_low"])
    assert found["gap_high"] == pytest.approx(paired["gap_high"])


def test_a_difference_counts_the_doubt_that_a_group_of_equal_shares_leaves() -> None:
    """None of 34 leaves room for 10.2 % (Wilson), so 11.4 % of many is hardly more, and surely not by 10 %."""
    many = pd.Series(np.repeat([1.0, 0.0], [228, 1772]))
    none = pd.Series(np.zeros(34), index=np.arange(3000, 3034))
    found = plots.difference(many, none, "gap", (0, 1))
    assert found["gap"] == pytest.approx(0.114)
    assert 0 < found["gap_low"] < 0.02
    assert plots.sign(found, "gap", 2) == 0


@pytest.mark.parametrize("shares", [(0.1, 0.02), (0.5, 0.5), (0.02, 0.02)])
def test_intervals_of_differences_of_shares_hold_the_truth(shares: tuple[float, float]) -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        one, other = (
            pd.Series((rng.random(size) < share).astype(float), index=start + np.arange(size))
            for share, size, start in zip(shares, (200, 40), (0, 1000), strict=True)
        )
        found = plots.difference(one, other, "gap", (0, 1))
        held += found["gap_low"] <= shares[0] - shares[1] <= found["gap_high"]
    assert held >= 300 * 0.95 - 3 * (300 * 0.95 * 0.05) ** 0.5


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0]])
def test_a_difference_from_too_few_or_equal_numbers_has_no_interval(values: list[float]) -> None:
    found = plots.difference(pd.Series(values, dtype=float), pd.Series([1.0, 1.0], index=[5, 6]), "gap")
    assert not np.isfinite(found["gap_high"])
    assert plots.sign(found, "gap") == 0


def test_a_mean_in_words_has_its_interval() -> None:
    assert plots.in_words(TABLE.iloc[0], "points", "points", digits=1) == "4.0 points (3.0 to 5.5)"


def test_every_series_has_colour_marker_and_line_of_its_own() -> None:
    assert len(set(plots.COLOURS)) == len(set(plots.MARKERS)) == len(set(plots.LINES)) == len(plots.COLOURS)


def test_a_table_of_numbers_has_their_means_and_intervals() -> None:
    groups = {"even": np.tile([0, 2], 10), "some": [1, 2, 3], "same": np.ones(20), "none": []}
    table = plots.table_of(groups, "group", "points")
    assert table["group"].tolist() == ["even", "some", "same", "none"]
    assert table["boards"].tolist() == [20, 3, 20, 0]
    assert table["points"].tolist()[:3] == [1, 2, 1]
    assert table["points_high"].iloc[1] == pytest.approx(2 + 4.302653 / 3**0.5)
    assert plots.well_known(table, "points")["group"].tolist() == ["even"], "equal numbers have no interval"


@pytest.mark.parametrize(
    ("most", "shown"), [(20, ["1", "2", "5", "10", "20"]), (100_000, ["1", "10", "1,000", "100,000"])]
)
def test_logarithmic_axes_have_plain_numbers(most: int, shown: list[str]) -> None:
    figure, (axes,) = plots.panels("what?")
    axes.plot([1, most], [1, 2])
    plots.log_scale(axes.xaxis)
    figure.draw_without_rendering()
    assert set(shown) <= {label.get_text() for label in axes.get_xticklabels()}
    assert not axes.xaxis.get_minorticklocs().size
