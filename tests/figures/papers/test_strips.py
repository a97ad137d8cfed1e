"""Strips of dots, a dot a seed."""

import pandas as pd
import pytest

from bnlab.figures.papers.strips import strips_data, strips_figure


@pytest.fixture
def records():
    return pd.DataFrame(
        {
            "run": ["a<b", "a<b", "c", "c"],
            "seed": [0, 1, 0, 1],
            "gap": [3.0, 1.0, -0.5, 20.0],
            "best": [1.0, 1.0, None, 2.0],
        }
    )


def test_values_of_several_columns_become_series(records):
    data = strips_data(records, {"gap": "decided", "best": "best"})
    assert len(data.points) == 7
    summary = data.summary.set_index(["run", "series"])
    assert summary.loc[("c", "decided"), ["low", "median", "high"]].tolist() == [-0.5, 9.75, 20.0]
    assert summary.loc[("c", "best"), "seeds"] == 1


def test_a_missing_column_is_named(records):
    with pytest.raises(ValueError, match="no column 'shd'"):
        strips_data(records, {"shd": "distance"})


def test_the_figure_draws_every_dot_and_the_published_line(records):
    figure = strips_figure(strips_data(records, {"gap": "decided"}), published={"printed": 20})
    dots, medians = figure.data
    assert dots.x.tolist() == [3.0, 1.0, -0.5, 20.0]
    assert medians.x.tolist() == [2.0, 9.75]
    assert figure.layout.shapes[0].x0 == 20
    assert figure.layout.yaxis.ticktext == ("a&lt;b", "c")
    assert "a&lt;b" in dots.customdata[0]


def test_small_values_lie_at_the_foot_of_a_logarithmic_axis(records):
    figure = strips_figure(strips_data(records, {"gap": "decided"}), least=0.1, runs=["c"])
    assert figure.data[0].x.tolist() == [0.1, 20.0]
    assert figure.layout.xaxis.type == "log"
    assert float(figure.data[0].customdata[0][1]) == -0.5
