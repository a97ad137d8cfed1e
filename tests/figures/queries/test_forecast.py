"""Forecasts of networks over time, and their slices side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnlab.data import Variable
from bnlab.dynamic import Beliefs
from bnlab.figures import forecast_data, forecast_figure, network_picture, slices_layout, still
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork
from bnlab.widgets import NetworkGraph

BP = Variable("bp", ("low", "mid", "<b>high</b>"))
AHEAD = Beliefs((BP,), (2, 3), {"bp": np.array([[0.05, 0.15, 0.8], [0.3, 0.4, 0.3]])})
HISTORY = pd.DataFrame({"bp": ["mid", None]})


def test_a_forecast_has_what_was_observed_and_central_intervals() -> None:
    data = forecast_data(AHEAD, "bp", HISTORY, level=0.6)
    assert data.observed.to_numpy().tolist() == [[0, 1]]
    # At most a fifth of the probability is outside on each side.
    assert data.interval.to_numpy().tolist() == [[2, 1, 2, 2], [3, 0, 1, 2]]
    assert data.probabilities.probability.tolist() == [0.05, 0.15, 0.8, 0.3, 0.4, 0.3]
    assert len(forecast_data(AHEAD, "bp").observed) == 0


def test_the_figure_draws_the_states_that_are_probable_enough() -> None:
    never = Beliefs((BP,), (2,), {"bp": np.array([[0.0, 0.25, 0.75]])})
    figure = forecast_figure(forecast_data(never, "bp", HISTORY))
    by_name = {trace.name: trace for trace in figure.data}
    assert list(by_name["Probability"].y) == [1, 2]
    small, large = by_name["Probability"].marker.size
    assert large**2 / small**2 == pytest.approx(3)
    assert list(by_name["Observed"].x) == [0]
    assert "<b>" not in still(figure).svg


@pytest.mark.parametrize(
    ("name", "level", "message"),
    [("pb", 0.8, "'pb': known names: bp"), ("bp", 1.0, "between 0 and 1"), ("bp", 0, "level=0")],
)
def test_wrong_forecasts_are_refused(name: str, level: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        forecast_data(AHEAD, name, level=level)


def test_an_unknown_state_of_the_history_is_refused() -> None:
    with pytest.raises(ValueError, match="no state 'none'"):
        forecast_data(AHEAD, "bp", pd.DataFrame({"bp": ["none"]}))


DAG = Dag(["sex", "a[t-1]", "b[t-1]", "a[t]", "b[t]"], [(), (), (), (0, 1, 2), (3,)])


@pytest.mark.parametrize("bars", [False, True])
def test_the_past_is_on_the_left_and_static_variables_are_above(bars: bool) -> None:
    cpts = [np.full((2,) * (len(p) + 1), 0.5) for p in DAG.parents]
    net = BayesianNetwork(DAG, [Variable(name, ("no", "yes")) for name in DAG.names], cpts)
    layout = slices_layout(net, bars=bars)
    at = dict(zip(DAG.names, layout.centres.tolist(), strict=True))
    for name in "ab":
        assert at[f"{name}[t-1]"][0] < at[f"{name}[t]"][0]
        assert at[f"{name}[t-1]"][1] == at[f"{name}[t]"][1] > at["sex"][1]
    assert max(at["a[t-1]"][0], at["b[t-1]"][0]) < min(at["a[t]"][0], at["b[t]"][0])
    for i in range(5):
        for j in range(i):
            apart = np.abs(layout.centres[i] - layout.centres[j]) - (layout.sizes[i] + layout.sizes[j]) / 2
            assert apart.max() > 0, "no two nodes overlap"
    assert "sex" in network_picture(DAG, layout=slices_layout(DAG)).svg
    widget = NetworkGraph(net, bars=bars)
    assert {node["name"]: [node["x"], node["y"]] for node in widget.view.nodes} == at
    assert {node["name"]: node["h"] for node in widget.view.nodes}["sex"] == layout.sizes[0, 1]


def test_an_unrolled_network_has_a_column_a_slice_and_other_graphs_have_none() -> None:
    unrolled = Dag(["x[0]", "x[1]", "x[2]"], [(), (0,), (1,)])
    assert len(set(slices_layout(unrolled).centres[:, 0])) == 3
    with pytest.raises(ValueError, match="no node of x, y has a time"):
        slices_layout(Dag("xy", [(), ()]))
