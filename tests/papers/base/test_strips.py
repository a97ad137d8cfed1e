"""Results of many seeds: strips of dots, a dot a seed, and sweeps of parameters as small multiples."""

import pandas as pd
import pytest

from bnlab.papers.base.strips import results_data, strips_figure, sweep_figure

BY = ("parameter", "value")


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
    data = results_data(records, {"gap": "decided", "best": "best"})
    assert len(data.points) == 7
    summary = data.summary.set_index(["run", "series"])
    assert summary.loc[("c", "decided"), ["low", "median", "high"]].tolist() == [-0.5, 9.75, 20.0]
    assert summary.loc[("c", "best"), "seeds"] == 1


def test_a_missing_column_is_named(records):
    with pytest.raises(ValueError, match="lack the columns shd; they have run"):
        results_data(records, {"shd": "distance"})


def test_the_figure_draws_every_dot_and_the_published_line(records):
    figure = strips_figure(results_data(records, {"gap": "decided"}), published={"printed": 20})
    dots, medians = figure.data
    assert dots.x.tolist() == [3.0, 1.0, -0.5, 20.0]
    assert medians.x.tolist() == [2.0, 9.75]
    assert figure.layout.shapes[0].x0 == 20
    assert figure.layout.yaxis.ticktext == ("a&lt;b", "c")
    assert dots.text[0] == "a&lt;b, decided<br>Seed 0: 3"


def test_a_reported_number_is_a_line_in_the_strip_of_its_run(records):
    figure = strips_figure(results_data(records, {"gap": "decided"}), reported={"c": 5.0, "a<b": 2.0})
    reported = figure.data[-1]
    assert (reported.name, *reported.x, *reported.y) == ("Reported", 5.0, 2.0, 1, 0)
    assert reported.text[0] == "c, reported: 5"


def test_small_values_lie_at_the_foot_of_a_logarithmic_axis(records):
    figure = strips_figure(results_data(records, {"gap": "decided"}), least=0.1, runs=["c"])
    assert figure.data[0].x.tolist() == [0.1, 20.0]
    assert figure.layout.xaxis.type == "log"
    assert figure.data[0].text[0].endswith("Seed 0: -0.5")


@pytest.fixture
def sweep():
    return pd.DataFrame(
        {
            "parameter": ["beta", "beta", "beta", "Q"],
            "value": [1e-3, 1e-3, 1e-4, 500.0],
            "seed": [0, 1, 0, 0],
            "gap": [2.0, 4.0, 0.0, 1.0],
        }
    )


def test_medians_are_over_the_seeds_of_one_value(sweep):
    data = results_data(sweep, {"gap": "decided"}, BY)
    medians = data.summary.set_index(["parameter", "value"])["median"]
    assert medians.to_dict() == {("beta", 1e-3): 3.0, ("beta", 1e-4): 0.0, ("Q", 500.0): 1.0}
    assert data.points.result.tolist() == [2.0, 4.0, 0.0, 1.0]


def test_a_panel_a_parameter_with_its_setting_and_the_published_result(sweep):
    figure = sweep_figure(
        results_data(sweep, {"gap": "decided"}, BY), settings={"beta": 1e-3}, published=0.11, least=0.01
    )
    assert [note.text for note in figure.layout.annotations] == ["beta", "Q"]
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert lines[0].x.tolist() == [1e-4, 1e-3]
    assert lines[0].y.tolist() == [0.01, 3.0]
    assert [trace.showlegend for trace in lines] == [True, False]
    vertical = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1]
    horizontal = [shape for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert (len(vertical), len(horizontal)) == (1, 2)
    assert {figure.layout.xaxis.type, figure.layout.yaxis2.type} == {"log"}
