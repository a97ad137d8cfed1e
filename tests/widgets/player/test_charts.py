"""The convergence plot without a browser: what is kept, what is sent, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from bnlab.figures import convergence_figure
from bnlab.figures.plotly_svg.values import listed
from bnlab.figures.searches.curve import Curve
from bnlab.search import Event, Progress, Trace
from bnlab.widgets import ConvergencePlot
from bnlab.widgets.player.charts import MOST_POINTS

HOSTILE = "<img src=x onerror=alert(1)>"


def trace(scores: list[float], block: int = 1) -> Trace:
    made = Trace()
    for k in range(0, len(scores), block):
        part = scores[k : k + block]
        made.add(Progress(k + len(part), part, max(scores[: k + len(part)])), seconds=0.5)
    return made


def sent(plot: ConvergencePlot, name: str = "chen, score") -> tuple[list[float], list[float]]:
    """Points that the page is given of one trace."""
    trace = next(trace for trace in plot.figure["data"] if trace["name"] == name)
    return listed(trace["x"]), listed(trace["y"])


def test_everything_is_kept_and_at_most_five_hundred_points_are_sent_with_the_peaks() -> None:
    scores = np.sin(np.arange(100_000) / 9)
    scores[54_321], scores[12_345] = 50.0, -50.0
    plot = ConvergencePlot({"chen": trace(scores.tolist(), block=1000)})
    iterations, drawn = sent(plot)
    assert len(drawn) <= MOST_POINTS
    assert {50.0, -50.0} <= set(drawn)
    assert (iterations[0], iterations[-1]) == (1.0, 100_000.0)
    iterations, best = sent(plot, "chen")
    assert (iterations[-1], best[-1]) == (100_000.0, 50.0)
    assert best == sorted(set(best)) + [50.0], "each step of the best once, and its end"
    assert plot.to_frame().score.tolist() == scores.tolist()


def test_the_axis_follows_the_best_scores_and_leaves_outliers_below() -> None:
    scores = np.r_[-1e12, np.linspace(-1200.0, -1000.0, 400)]
    scores[300] = -1e9
    plot = ConvergencePlot({"chen": trace(scores.tolist())}, baselines={"near": -980.0, "far": -5e6})
    low, high = plot.figure["layout"]["yaxis"]["range"]
    assert -1260 < low < -1200
    assert -980 < high < -900
    assert "outliers below are cut off" in plot.figure["layout"]["yaxis"]["title"]["text"]
    assert [note["text"] for note in plot.figure["layout"]["annotations"]] == ["near"]
    assert plot.to_frame().score.min() == -1e12
    assert "outliers below" in plot.picture().svg
    plain = ConvergencePlot({"chen": trace([-1200.0, -1000.0, -1100.0])})
    assert plain.figure["layout"]["xaxis"]["tickvals"] == [*range(9)], "there is no iteration between two"
    assert "tickvals" not in plot.figure["layout"]["xaxis"]
    assert all("dtick" not in one.figure["layout"]["xaxis"] for one in (plain, plot)), "ticks of any range are few"
    assert plain.figure["layout"]["yaxis"]["title"]["text"] == "Score in nats"
    low, high = plain.figure["layout"]["yaxis"]["range"]
    assert low < -1200 < -1000 < high


def test_a_zoom_sends_the_points_of_its_range() -> None:
    plot = ConvergencePlot({"chen": trace(np.arange(100_000.0).tolist(), block=1000)})
    plot.x_range = [500.0, 600.0]
    assert sent(plot)[0] == list(range(499, 602))
    assert plot.figure["layout"]["xaxis"]["range"] == [500.0, 600.0]
    plot.by = "seconds"
    assert plot.x_range is None
    plot.x_range = [1.0, 1.001]
    seconds = sent(plot)[0]
    assert seconds[0] <= 1.0 <= 1.001 <= seconds[-1]


def test_a_followed_curve_shows_what_is_new_when_it_is_refreshed() -> None:
    plot = ConvergencePlot(truth=-1.0)
    curve = plot.follow("chen", Curve(["A", "B"]))
    plot.refresh()
    assert sent(plot) == ([], [])
    curve.add(Progress(2, (-9.0, -7.0), -7.0, (Event(2, "converged", 0, 1),)), 0.5)
    plot.refresh()
    assert sent(plot) == ([1.0, 2.0], [-9.0, -7.0])
    for figure in (plot.figure, convergence_figure(plot.data()).to_plotly_json()):
        permanent = next(trace for trace in figure["data"] if trace["name"] == "chen, permanent edge")
        assert [list(permanent[key]) for key in ("x", "y", "customdata")] == [[2.0], [-7.0], ["A → B"]]
    assert plot.description == "Convergence, score in nats against iteration. chen: 2 iterations, best -7.00"
    assert plot.figure["layout"]["annotations"][0]["text"] == "True network"


def test_the_legend_explains_the_marks_of_all_runs_together() -> None:
    plot = ConvergencePlot()
    for run in ("slow", "fast"):
        marks = (Event(2, "converged", 0, 1), Event(2, "restart"))
        plot.follow(run, Curve(["A", "B"])).add(Progress(2, (-9.0, -7.0), -7.0, marks), 0.5)
    plot.refresh()
    for figure in (plot.figure, convergence_figure(plot.data()).to_plotly_json()):
        entries = [trace for trace in figure["data"] if trace["showlegend"]]
        words = ["slow", "fast", "Permanent edge", "New start", "Thin: score of the iteration", "Thick: best so far"]
        assert [entry["name"] for entry in entries] == words
        for entry in entries[2:4]:
            group = [trace for trace in figure["data"] if trace["legendgroup"] == entry["legendgroup"]]
            assert len(group) == 3
            assert {trace["visible"] for trace in group} == {entry["visible"]}


def test_points_far_from_the_mouse_have_labels_only_where_points_are_few() -> None:
    distances = []
    for points in (2, 400):
        trace = Trace()
        trace.add(Progress(points, tuple(map(float, range(points))), points - 1.0), 1.0)
        distances.append(ConvergencePlot({"climb": trace}).figure["layout"]["hoverdistance"])
    assert distances == [400, 20]


def test_a_click_and_the_slider_move_the_cursor_to_a_past_moment() -> None:
    plot = ConvergencePlot({"chen": trace([-5.0, -4.0, -3.0, -2.0])}, truth=-1.0)
    assert plot.end == 4
    plot.moment = 2
    assert plot.figure["layout"]["shapes"][-1]["x0"] == 2
    plot.by = "seconds"
    assert plot.figure["layout"]["shapes"][-1]["x0"] == 1.0
    for _ in range(2):
        plot.moment = None
        assert len(plot.figure["layout"]["shapes"]) == 1
        plot.set_state(
            {"clicked": {"trace": "chen", "trace_index": 0, "index": 2, "x": 1.5, "y": -3.0, "customdata": None}}
        )
        assert plot.moment == 3


def test_several_runs_have_names_and_colours_of_their_own() -> None:
    plot = ConvergencePlot({"chen": trace([-3.0]), "boss": trace([-4.0]), "k2": trace([-5.0])})
    ends = [one for one in plot.figure["data"] if one["showlegend"]]
    assert [one["name"] for one in ends[:3]] == ["chen", "boss", "k2"]
    assert len({(one["marker"]["color"], one["marker"]["symbol"]) for one in ends[:3]}) == 3
    assert [one["name"] for one in ends[3:]] == ["Thin: score of the iteration", "Thick: best so far"]
    plot.moment = 0
    assert plot.figure["data"][-1]["name"] == "Iteration shown"
    assert plot.focus == "chen"


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
    figure = convergence_figure(plot.data())
    assert list(figure.data[0].y) == plot.to_frame().score.tolist() == [-5.0, -3.0, -4.0]
    assert figure.layout.annotations[0].text == "tree"


def test_the_still_form_is_a_picture_with_words() -> None:
    bundle, _ = ConvergencePlot({HOSTILE: trace([-5.0, -3.0])})._repr_mimebundle_()
    assert bundle["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    assert bundle["text/plain"] == f"ConvergencePlot({HOSTILE}: 2 iterations, best -3.00)"
    assert HOSTILE not in bundle["text/html"]
    empty, _ = ConvergencePlot()._repr_mimebundle_()
    assert empty["text/plain"] == "ConvergencePlot()"
