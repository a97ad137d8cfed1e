"""Convergence of searches: curves, bands, events, and what is thinned when they are drawn."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from bnlab.figures import convergence_bands, convergence_data, convergence_figure, convergence_picture
from bnlab.figures.searches.curve import event_mark, thinned
from bnlab.search import Event, Progress, Trace


def trace(*scores: float, events: tuple[Event, ...] = ()) -> Trace:
    made = Trace()
    for k, score in enumerate(scores, 1):
        mine = tuple(event for event in events if event.iteration == k)
        made.add(Progress(k, (score,), max(scores[:k]), mine), seconds=0.5)
    return made


def test_a_step_of_many_iterations_is_spread_over_its_time() -> None:
    made = Trace()
    made.add(Progress(2, (-9.0, -7.0), -7.0), 1.0)
    made.add(Progress(6, (-8.0, -6.0, -7.0, -7.5), -6.0), 4.0)
    frame = convergence_data(made).curves
    assert frame.iteration.tolist() == [1, 2, 3, 4, 5, 6]
    assert frame.seconds.tolist() == [0.5, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert frame.best.tolist() == [-9.0, -7.0, -7.0, -6.0, -6.0, -6.0]


def test_a_resumed_trace_keeps_its_iterations_and_the_better_graph_from_before() -> None:
    made = Trace()
    made.add(Progress(101, (-9.0,), -3.0), 1.0)
    made.add(Progress(102, (-8.0,), -3.0), 1.0)
    frame = convergence_data(made).curves
    assert frame.iteration.tolist() == [101, 102]
    assert frame.best.tolist() == [-3.0, -3.0]


def test_bands_are_quantiles_over_seeds_and_ended_runs_keep_their_last_value() -> None:
    data = convergence_data({"chen": [trace(-4, -2), trace(-8, -6, -4), trace(-9, -9, -9)], "k2": trace(-5)})
    bands = convergence_bands(data.curves, points=3)
    assert bands.run.tolist() == ["chen"] * 3
    assert bands.seeds.tolist() == [3] * 3
    assert bands.iteration.tolist() == [1, 2, 3]
    assert bands["median"].tolist() == [-8.0, -6.0, -4.0]
    np.testing.assert_allclose(bands.low, np.quantile([[-4, -8, -9], [-2, -6, -9], [-2, -4, -9]], 0.1, axis=1))
    np.testing.assert_allclose(bands.high, np.quantile([[-4, -8, -9], [-2, -6, -9], [-2, -4, -9]], 0.9, axis=1))


def test_permanent_edges_and_new_starts_are_marked_and_named() -> None:
    events = (Event(1, "instance"), Event(2, "converged", 0, 1), Event(2, "converged", 1, 1), Event(3, "add", 0, 1))
    data = convergence_data({"chen": trace(-3, -2, -1, events=events)}, names=["A", "B"])
    assert data.events[["mark", "iteration", "score", "u", "v"]].to_numpy().tolist() == [
        ["restart", 1, -3.0, "", ""],
        ["permanent", 2, -2.0, "A", "B"],
    ]
    assert event_mark(Event(1, "stuck")) is None


@pytest.mark.parametrize("most", [4, 50, 401])
def test_thinning_keeps_ends_and_peaks_and_its_bound(most: int) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=10_007).cumsum()
    values[7_777], values[1_234] = 1e6, -1e6
    kept = thinned(values, most)
    assert len(kept) <= most
    assert {0, 1_234, 7_777, 10_006} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()
    assert values[kept].max() == values.max()
    assert values[kept].min() == values.min()


def test_a_short_curve_is_drawn_whole_and_a_bound_below_four_is_refused() -> None:
    assert thinned(np.arange(5.0), 5).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="at least 4"):
        thinned(np.arange(5.0), 3)


def test_the_figure_has_a_line_and_a_best_line_a_run_and_every_baseline() -> None:
    data = convergence_data({"climb": trace(-3, -1, -2)}, {"K2": -1.5}, truth=-0.5)
    figure = convergence_figure(data)
    keys = ["Thin: score of the iteration", "Thick: best so far"]
    assert [line.name for line in figure.data] == ["climb, score", "climb", "climb", *keys]
    assert [list(line.y) for line in figure.data[:3]] == [[-3, -1, -2], [-3, -1, -1], [-1]], "score, best, its end"
    assert [note.text for note in figure.layout.annotations] == ["True network", "K2"]
    assert [shape.y0 for shape in figure.layout.shapes] == [-0.5, -1.5]
    assert list(convergence_figure(data, by="seconds").data[0].x) == [0.5, 1.0, 1.5]


def test_what_the_figure_draws_is_thinned_and_what_the_data_hold_is_not() -> None:
    data = convergence_data(trace(*np.sin(np.arange(5000.0))))
    assert len(data.curves) == 5000
    assert max(len(line.x) for line in convergence_figure(data, most=300).data) <= 300


def test_several_seeds_are_one_band_with_its_median() -> None:
    figure = convergence_figure(convergence_data({"chen": [trace(-3, -1), trace(-5, -2)]}))
    assert [line.name for line in figure.data] == ["chen, 10 to 90 %", "chen, median of 2"]


@pytest.mark.parametrize(("option", "value"), [("by", "hours"), ("of", "worst")])
def test_unknown_axes_are_refused(option: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{option}='{value}'"):
        convergence_figure(convergence_data(trace(-1.0)), **{option: value})


def test_no_traces_are_refused() -> None:
    with pytest.raises(ValueError, match="no traces"):
        convergence_data({})


def test_the_still_picture_says_where_runs_ended_and_holds_their_points() -> None:
    picture = convergence_picture(convergence_data({"climb": trace(-3, -1, -2)}, {"K2": -1.5}))
    assert picture.alt == "Convergence: score in nats, climb: 3 iterations, best -1.00; K2: -1.50"
    root = ElementTree.fromstring(picture.svg)
    lines = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
    assert [len(line.attrib["points"].split()) for line in lines] == [3, 5, 2, 2, 2], "score, steps of the best, legend"


def test_a_trace_without_points_makes_an_empty_picture() -> None:
    assert convergence_picture(convergence_data({"climb": Trace()})).alt == "Convergence: score in nats, nothing yet"


def test_stored_curves_without_upper_bounds_are_drawn() -> None:
    whole = convergence_data({"climb": trace(-9.0, -7.0)})
    stored = whole._replace(curves=whole.curves.drop(columns="bound"))
    assert convergence_figure(stored).to_dict() == convergence_figure(whole).to_dict()
    assert convergence_picture(stored) == convergence_picture(whole)


def test_loose_first_bounds_do_not_set_the_axis() -> None:
    trace = Trace()
    for i, gap in enumerate([6441.0, 1800.0, 447.0, 250.0, 40.0, 0.0], start=1):
        trace.add(Progress(i, (-22_038.0,), -22_038.0, bound=-22_038.0 + gap))
    axis = convergence_figure(convergence_data({"exact": trace})).layout.yaxis
    low, high = axis.range
    assert low < -22_038.0
    assert 250 < high + 22_038.0 < 1800
    assert axis.title.text == "Score in nats<br>(looser bounds are cut off)"
