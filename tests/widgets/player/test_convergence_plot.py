"""The convergence plot without a browser: what is kept, what is sent, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bnlab.figures.searches.curve import COLUMNS, Curve
from bnlab.search import Event, Progress, Trace
from bnlab.widgets import ConvergencePlot
from bnlab.widgets.player.convergence_plot import MOST_POINTS

HOSTILE = "<img src=x onerror=alert(1)>"


def trace(scores: list[float], block: int = 1) -> Trace:
    made = Trace()
    for k in range(0, len(scores), block):
        part = scores[k : k + block]
        made.add(Progress(k + len(part), part, max(scores[: k + len(part)])), seconds=0.5)
    return made


def sent(plot: ConvergencePlot, run: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    return {column: np.frombuffer(plot.curves[run][column]) for column in COLUMNS}


def test_a_growing_curve_is_that_of_the_finished_trace() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=3000).tolist()
    made, curve = trace(scores, block=7), Curve()
    for k in range(0, 3000, 7):
        part = scores[k : k + 7]
        curve.add(Progress(k + len(part), part, max(scores[: k + len(part)])), 0.5)
    for column in COLUMNS:
        np.testing.assert_allclose(curve.column(column), Curve.of(made).column(column), rtol=1e-12)
    assert len(curve) == 3000


def test_everything_is_kept_and_at_most_a_thousand_points_are_sent_with_the_peaks() -> None:
    scores = np.sin(np.arange(100_000) / 9)
    scores[54_321], scores[12_345] = 50.0, -50.0
    plot = ConvergencePlot({"chen": trace(scores.tolist(), block=1000)})
    columns = sent(plot)
    assert len(columns["score"]) <= MOST_POINTS
    assert {50.0, -50.0} <= set(columns["score"])
    assert columns["best"].max() == 50.0
    assert columns["iteration"][[0, -1]].tolist() == [1.0, 100_000.0]
    assert plot.to_frame().score.tolist() == scores.tolist()


def test_a_zoom_sends_the_points_of_its_range() -> None:
    plot = ConvergencePlot({"chen": trace(np.arange(100_000.0).tolist(), block=1000)})
    plot.x_range = [500.0, 600.0]
    columns = sent(plot)
    assert columns["iteration"][[0, -1]].tolist() == [499.0, 601.0]
    assert len(columns["iteration"]) == 103
    plot.by = "seconds"
    assert plot.x_range is None
    plot.x_range = [1.0, 1.001]
    assert sent(plot)["seconds"][0] <= 1.0 <= 1.001 <= sent(plot)["seconds"][-1]


def test_a_followed_curve_shows_what_is_new_when_it_is_refreshed() -> None:
    plot = ConvergencePlot(truth=-1.0)
    curve = plot.follow("chen", Curve(["A", "B"]))
    plot.refresh()
    assert plot.curves[0]["points"] == 0
    curve.add(Progress(2, (-9.0, -7.0), -7.0, (Event(2, "converged", 0, 1),)), 0.5)
    plot.refresh()
    assert plot.curves[0]["points"] == 2
    event = {"mark": "permanent", "kind": "converged", "u": "A", "v": "B", "text": "permanent edge A → B"}
    assert plot.marks["chen"] == [event | {"iteration": 2.0, "seconds": 0.5, "score": -7.0}]
    permanent = next(trace for trace in plot.figure().data if trace.name == "chen, permanent edge")
    assert list(permanent.customdata) == ["A → B"]
    assert plot.description == "chen: 2 iterations, best -7.00"
    assert plot.baselines == {"true network": -1.0}


def test_several_runs_and_seeds_have_names_and_colours_of_their_own() -> None:
    plot = ConvergencePlot({"chen": [trace([-3.0]), trace([-4.0])], "k2": trace([-5.0])})
    assert [curve["name"] for curve in plot.curves] == ["chen, seed 0", "chen, seed 1", "k2"]
    assert len({curve["colour"] for curve in plot.curves}) == 3
    assert plot.focus == "chen, seed 0"


@pytest.mark.parametrize("ends", [[2.0, 1.0], [1.0], [0.0, float("inf")], [float("nan"), 1.0]])
def test_a_range_that_cannot_be_is_refused(ends: list[float]) -> None:
    plot = ConvergencePlot({"k2": trace([-5.0])})
    with pytest.raises(ValueError, match="from less than to"):
        plot.x_range = ends
    assert plot.x_range is None


def test_a_baseline_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite score"):
        ConvergencePlot(baselines={"k2": float("nan")})


def test_figure_and_frame_tell_the_same() -> None:
    plot = ConvergencePlot({"k2": trace([-5.0, -3.0, -4.0])}, baselines={"tree": -3.5})
    figure = plot.figure()
    assert list(figure.data[0].y) == plot.to_frame().score.tolist() == [-5.0, -3.0, -4.0]
    assert figure.layout.annotations[0].text == "tree"


def test_the_still_form_is_a_picture_with_words() -> None:
    bundle, _ = ConvergencePlot({HOSTILE: trace([-5.0, -3.0])})._repr_mimebundle_()
    assert bundle["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    assert bundle["text/plain"] == f"ConvergencePlot({HOSTILE}: 2 iterations, best -3.00)"
    assert HOSTILE not in bundle["text/html"]
    empty, _ = ConvergencePlot()._repr_mimebundle_()
    assert empty["text/plain"] == "ConvergencePlot()"
