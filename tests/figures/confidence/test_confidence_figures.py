"""Charts of probabilities of edges: what they draw, and that still pictures draw the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.figures import (
    chains_data,
    chains_figure,
    methods_data,
    methods_figure,
    probabilities_figure,
    still,
)
from bnlab.graphs import Dag
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.papers import reliability_figure

NET = bnlab.load_network("cancer")
DATA = NET.sample(500, seed=1)
HOSTILE = "<img src=x onerror=alert(1)>"
ARCS = np.array([[0, 0.7, 0], [0.2, 0, 0.9], [0, 0.1, 0]])


@pytest.fixture(scope="module")
def sampled() -> EdgeConfidence:
    return bnlab.edge_probabilities(DATA, "mcmc", draws=60, chains=2, moves=5)


def test_the_heat_map_has_the_parents_in_rows_in_the_order_of_the_consensus_graph() -> None:
    found = EdgeConfidence(("C", "A", "B"), np.array([[0, 0, 0.1], [0, 0, 0.7], [0.9, 0.2, 0]]), 0, "exact")
    figure = probabilities_figure(found, truth=Dag(["A", "B", "C"], [("A", "B")]))
    assert list(figure.layout.xaxis.ticktext) == list(figure.layout.yaxis.ticktext) == ["A", "B", "C"]
    assert [list(row) for row in figure.data[0].z] == [[None, 0.7, 0.0], [0.2, None, 0.9], [0.0, 0.1, None]]
    assert figure.data[0].customdata[0][1] == "A → B<br>Probability 0.700"
    assert (list(figure.data[1].x), list(figure.data[1].y)) == ([1], [0])
    assert len(probabilities_figure(found).data) == 1


def test_sampled_probabilities_show_their_errors(sampled: EdgeConfidence) -> None:
    labels = np.array(probabilities_figure(sampled).data[0].customdata).ravel()
    assert sum("±" in label for label in labels) == (sampled.errors > 0).sum()
    assert "Probability of each edge" in still(probabilities_figure(sampled)).alt


def test_other_variables_are_refused() -> None:
    with pytest.raises(ValueError, match="it lacks 'C'"):
        probabilities_figure(EdgeConfidence(("A", "B", "C"), ARCS, 0, "exact"), truth=Dag(["A", "B"], []))


def test_the_chains_are_drawn_with_their_burn_in_and_r_hat(sampled: EdgeConfidence) -> None:
    data = chains_data(sampled)
    assert len(data.scores) == 2 * 100
    assert data.scores[data.scores.kept].draw.min() == 41
    assert data.r_hat.draw.iloc[-1] == 100
    assert data.r_hat.r_hat.iloc[-1] == sampled.diagnostics["r_hat"]
    figure = chains_figure(sampled)
    assert [trace.name for trace in figure.data] == ["Chain 1", "Chain 2", "Split R-hat"]
    assert list(figure.data[1].y) == data.scores[data.scores.chain == 2].score.tolist()
    assert figure.layout.shapes[0].x1 == 40
    low, high = figure.layout.yaxis.range
    assert low < data.scores[data.scores.kept].score.min() < data.scores.score.max() < high
    assert "Split R-hat" in still(figure).alt
    with pytest.raises(ValueError, match="'exact' runs no Markov chains"):
        chains_figure(bnlab.edge_probabilities(DATA))


def test_two_methods_share_a_chart(sampled: EdgeConfidence) -> None:
    exact = bnlab.edge_probabilities(DATA)
    methods = {"exact": exact, HOSTILE: sampled}
    data = methods_data(methods, truth=NET)
    frame = exact.to_frame()
    assert [frame.loc[u, v] for u, v in zip(data.parent, data.child, strict=True)] == data.exact.tolist()
    assert sorted(zip(data.parent[data.true], data.child[data.true], strict=True)) == sorted(NET.dag.edges)
    figure = methods_figure(methods, truth=NET)
    assert len(figure.data[1].x) == len(NET.dag.edges)
    assert not np.any(figure.data[1].error_x.array)
    assert "<img" not in figure.to_json()
    assert "<img" not in still(figure).svg
    with pytest.raises(ValueError, match="1 methods"):
        methods_data({"exact": exact})


def test_the_reliability_diagram_has_a_panel_a_value_and_a_diagonal() -> None:
    points = pd.DataFrame(
        {
            "method": ["exact", "exact", "mcmc"],
            "rows": [100, 1000, 100],
            "count": [10, 100, 1],
            "given": [0.1, 0.5, 0.9],
            "observed": [0.2, 0.5, 1.0],
            "low": [0.1, 0.4, 0.2],
            "high": [0.4, 0.6, 1.0],
        }
    )
    figure = reliability_figure(points, panel="rows", labels={"exact": "Exact"})
    assert [note.text for note in figure.layout.annotations] == ["100 rows", "1,000 rows"]
    assert [trace.name for trace in figure.data] == ["Exact", "mcmc", "Exact"]
    assert len(figure.layout.shapes) == 2
    assert [trace.marker.size[0] for trace in figure.data] == [pytest.approx(9.5), 5.0, 14.0]
    assert still(figure).svg.count("M") > 3
    assert len(reliability_figure(points).layout.annotations) == 0
    with pytest.raises(ValueError, match="lack the columns high"):
        reliability_figure(points.drop(columns="high"))
