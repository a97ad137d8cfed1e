"""Sweeps of parameters as small multiples."""

import pandas as pd
import pytest

from bnlab.figures.papers.sweeps import sweep_data, sweep_figure


@pytest.fixture
def records():
    return pd.DataFrame(
        {
            "parameter": ["beta", "beta", "beta", "Q"],
            "value": [1e-3, 1e-3, 1e-4, 500.0],
            "seed": [0, 1, 0, 0],
            "gap": [2.0, 4.0, 0.0, 1.0],
        }
    )


def test_medians_are_over_the_seeds_of_one_value(records):
    data = sweep_data(records, {"gap": "decided"})
    medians = data.medians.set_index(["parameter", "value"])["median"]
    assert medians.to_dict() == {("beta", 1e-3): 3.0, ("beta", 1e-4): 0.0, ("Q", 500.0): 1.0}
    assert data.points.result.tolist() == [2.0, 4.0, 0.0, 1.0]


def test_a_missing_column_is_named(records):
    with pytest.raises(ValueError, match="no column 'shd'"):
        sweep_data(records, {"shd": "distance"})


def test_a_panel_a_parameter_with_its_setting_and_the_published_result(records):
    figure = sweep_figure(sweep_data(records, {"gap": "decided"}), settings={"beta": 1e-3}, published=0.11, least=0.01)
    assert [note.text for note in figure.layout.annotations] == ["beta", "Q"]
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert lines[0].x.tolist() == [1e-4, 1e-3]
    assert lines[0].y.tolist() == [0.01, 3.0]
    assert [trace.showlegend for trace in lines] == [True, False]
    vertical = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1]
    horizontal = [shape for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert (len(vertical), len(horizontal)) == (1, 2)
    assert {figure.layout.xaxis.type, figure.layout.yaxis2.type} == {"log"}
