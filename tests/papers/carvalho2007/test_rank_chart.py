"""Mean ranks and the bars that join classifiers."""

import pandas as pd
import pytest

from bnlab.papers.carvalho2007.rank_chart import mean_ranks_data, mean_ranks_figure


@pytest.fixture
def tables():
    clear = pd.DataFrame({"a": [9.0] * 10, "b": [8.0] * 10, "c": [7.0] * 10})
    mixed = pd.DataFrame({"a": [9.0, 7.0] * 5, "b": [8.0] * 10, "c": [7.0, 9.0] * 5})
    return {"clear": clear, "mix<ed": mixed}


def test_only_classifiers_within_the_critical_difference_are_joined(tables):
    data = mean_ranks_data(tables)
    assert data.ranks.loc["clear"].tolist() == [1, 2, 3]
    assert data.ranks.loc["mix<ed"].tolist() == [2, 2, 2]
    assert data.difference == pytest.approx(2.343 * (3 * 4 / (6 * 10)) ** 0.5, abs=1e-3)
    near = tables["clear"].assign(b=[9.5, *[8.0] * 8, 6.0])
    bars = mean_ranks_data({"near": near}).groups
    assert bars[["best", "worst"]].to_numpy().tolist() == [[1.1, 2.0], [2.0, 2.9]]
    assert mean_ranks_data({"clear": tables["clear"]}).groups[["best", "worst"]].to_numpy().tolist() == [
        [1.0, 2.0],
        [2.0, 3.0],
    ]


def test_tables_of_other_shapes_are_refused(tables):
    with pytest.raises(ValueError, match=r"\(9, 3\)"):
        mean_ranks_data({**tables, "short": tables["clear"].head(9)})


def test_the_figure_has_a_row_a_table_and_escapes_names(tables):
    figure = mean_ranks_figure(mean_ranks_data(tables))
    points = [trace for trace in figure.data if trace.mode == "markers+text"]
    assert [trace.text[0] for trace in points] == ["a", "b", "c"]
    assert points[0].x.tolist() == [1, 2]
    assert list(points[0].y) == [1, 0]
    assert figure.layout.yaxis.ticktext == ("clear", "mix&lt;ed")
    assert "10 data sets" in figure.layout.title.text
