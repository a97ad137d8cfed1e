"""Charts of causal effects and of what matters for a target."""

from __future__ import annotations

import pytest

from bnlab.analysis import cross_validate
from bnlab.figures import (
    calibration_figure,
    effects_data,
    effects_figure,
    relevance_figure,
    roc_figure,
    still,
    tornado_data,
    tornado_figure,
)
from bnlab.graphs import Dag
from bnlab.networks import asia, effects_over_graphs, possible_effects, sensitivity, what_matters

NET = asia()
CONTRAST = {"to": "yes", "reference": "no", "of": "yes"}


def test_bars_are_sorted_and_the_markov_blanket_has_its_own_colour() -> None:
    frame = what_matters(NET, "lung", {"dysp": "yes"})
    figure = relevance_figure(frame, "lung")
    bars = {name: value for trace in figure.data for name, value in zip(trace.y, trace.x, strict=True)}
    assert bars == frame.share.to_dict()
    assert list(figure.layout.yaxis.categoryarray) == frame.sort_values("share").index.tolist()
    assert {trace.name: set(trace.y) for trace in figure.data}["In the Markov blanket"] == {"either", "smoke", "tub"}
    assert "either says most" in figure.layout.title.text
    assert len(relevance_figure(frame, "lung", most=2).data[0].y) <= 2
    assert "either" in still(figure).alt


def test_effects_have_their_range_their_values_and_what_is_known() -> None:
    data = NET.sample(2000, seed=1).select(["smoke", "bronc"])
    graphs = [Dag(data.names, edges) for edges in ([("smoke", "bronc")],) * 3 + ([("bronc", "smoke")],)]
    over = effects_over_graphs(graphs, data, "smoke", "bronc", **CONTRAST)
    given = {"class": possible_effects(NET, "smoke", "bronc", **CONTRAST), "graphs": over, "one": 0.25}
    found = effects_data(given, true={"class": 0.3})
    rows = found.rows.set_index("row")
    assert rows.loc["class", ["low", "high", "true"]].tolist() == pytest.approx([0.0, 0.3, 0.3])
    assert rows["mean"].isna().tolist() == [True, False, True]
    assert rows.loc["graphs", "mean"] == pytest.approx(over.effect.mean())
    assert found.values[found.values.row == "graphs"].share.tolist() == [0.25, 0.75]
    figure = effects_figure(given, true={"class": 0.3})
    assert list(figure.layout.yaxis.categoryarray) == ["one", "graphs", "class"]
    assert [trace.name for trace in figure.data if trace.mode == "markers"] == [
        "Possible effect",
        "Mean over graphs",
        "Known effect",
    ]
    assert "Known effect" in still(figure).alt


@pytest.mark.parametrize(("effects", "true", "message"), [({}, None, "no effect"), ({"a": 1.0}, {"b": 1.0}, "'b'")])
def test_effects_that_are_of_no_row_are_refused(effects: dict, true: dict | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        effects_data(effects, true=true)


def test_a_tornado_chart_has_the_probabilities_that_move_a_query_most() -> None:
    data = tornado_data(NET, "lung", "yes", {"xray": "yes"}, change=0.05, most=5)
    assert data.query == "P(lung = yes | xray = yes)"
    assert data.now == pytest.approx(NET.marginal("lung", {"xray": "yes"})[0])
    frame = sensitivity(NET, "lung", "yes", {"xray": "yes"}, change=0.05)
    lengths = (frame.at_high - frame.at_low).abs().sort_values(ascending=False)
    assert (data.bars.at_high - data.bars.at_low).abs().tolist() == pytest.approx(lengths.head(5).tolist())
    figure = tornado_figure(data)
    assert [trace.name for trace in figure.data] == ["Lowered", "Raised"]
    assert list(figure.data[1].x) == pytest.approx((data.bars.at_high - data.now).tolist())
    assert list(figure.layout.yaxis.categoryarray) == data.bars.label.tolist()[::-1]
    assert "Raised" in still(figure).alt


def test_curves_of_held_out_predictions_have_a_line_for_each_learner_and_the_diagonal() -> None:
    graphs = {"<full>": NET.dag, "none": Dag(NET.names, [()] * 8)}
    found = cross_validate(NET.sample(300, seed=2), graphs, target="dysp", folds=3)
    roc, bins = found.roc("yes"), found.calibration("yes")
    curves, calibrated = roc_figure(roc), calibration_figure(bins)
    assert [trace.name for trace in curves.data] == ["Chance", "&lt;full&gt;", "none"]
    assert list(curves.data[1].x) == roc[roc.learner == "<full>"].false_positive_rate.tolist()
    assert curves.layout.title.text == "ROC of dysp = yes"
    own = bins[bins.learner == "<full>"]
    assert list(calibrated.data[1].y) == own.observed.tolist()
    assert list(calibrated.data[1].error_y.array) == pytest.approx((own.high - own.observed).tolist())
    assert "none" in still(calibrated).alt
    assert "none" in still(curves).alt
