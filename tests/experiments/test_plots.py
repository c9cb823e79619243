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


def test_the_sign_of_a_few_equal_numbers_is_not_told() -> None:
    table = plots.table_of({"few": -np.ones(4), "more": -np.ones(10)}, "group", "points")
    assert [plots.sign(line, "points") for _, line in table.iterrows()] == [0, -1]


def test_a_mean_in_words_has_its_interval() -> None:
    assert plots.in_words(TABLE.iloc[0], "points", "points", digits=1) == "4.0 points (3.0 to 5.5)"


def test_every_series_has_colour_marker_and_line_of_its_own() -> None:
    assert len(set(plots.COLOURS)) == len(set(plots.MARKERS)) == len(set(plots.LINES)) == len(plots.COLOURS)


def test_a_table_of_numbers_has_their_means_and_intervals() -> None:
    table = plots.table_of({"same": np.ones(20), "some": [1, 2, 3], "none": []}, "group", "points")
    assert table["group"].tolist() == ["same", "some", "none"]
    assert table["boards"].tolist() == [20, 3, 0]
    assert table[["points", "points_low", "points_high"]].iloc[0].tolist() == [1, 1, 1]
    assert table["points_high"].iloc[1] == pytest.approx(2 + 4.302653 / 3**0.5)
    assert plots.well_known(table, "points")["group"].tolist() == ["same"]


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
