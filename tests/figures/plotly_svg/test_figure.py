"""Plotly figures as static SVG: every figure of the package is drawn, at the right places, and nothing is left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import bnlab
from bnlab import figures
from bnlab.data import Variable
from bnlab.dynamic import Beliefs
from bnlab.figures import still
from bnlab.figures.picture import Picture
from bnlab.networks import what_matters
from bnlab.papers.base.forest import forest_figure
from bnlab.papers.base.strips import results_data, strips_figure, sweep_figure
from bnlab.papers.carvalho2007.rank_chart import mean_ranks_data, mean_ranks_figure
from bnlab.papers.carvalho2009.accuracy import accuracy_data, accuracy_figure, seeds_data, seeds_figure
from bnlab.papers.studies.calibration_chart import reliability_figure
from bnlab.papers.studies.missing_values_chart import missing_values_figure
from bnlab.papers.villanueva2012.charts import (
    cost_data,
    cost_figure,
    hybrid_data,
    hybrid_figure,
    sensitivity_data,
    sensitivity_figure,
)
from bnlab.search import Event, Policies, Progress, Trace
from tests.figures.read_picture import SVG, parsed, texts

HOSTILE = "<img src=x onerror=alert(1)>"
RNG = np.random.default_rng(1)


def trace(n: int, start: float) -> Trace:
    made = Trace()
    scores = (start / np.arange(1, n + 1)).tolist()
    made.add(Progress(n, scores, max(scores), (Event(n // 2, "converged", 0, 1), Event(3, "instance"))), 1.5)
    return made


def convergence() -> Any:
    data = figures.convergence_data(
        {HOSTILE: trace(3000, -900.0), "several": [trace(50, -500.0), trace(80, -700.0)]},
        {"K2": -200.0, HOSTILE: -300.0},
        truth=-1.0,
        names=[HOSTILE, "B"],
    )
    return figures.convergence_figure(data, by="seconds")


def forecast() -> Any:
    ahead = Beliefs((Variable("x", ("a", HOSTILE)),), (2, 3), {"x": np.array([[0.2, 0.8], [0.5, 0.5]])})
    data = figures.forecast_data(ahead, "x", pd.DataFrame({"x": ["a", HOSTILE]}))
    return figures.forecast_figure(data, title=HOSTILE)


def policies(*names: str) -> Any:
    tau = RNG.dirichlet(np.ones(4), 4)
    state = Policies(tau, np.arange(4) < 3, np.arange(16).reshape(4, 4) == 1)  # A -> b is settled
    data = figures.policies_data(state, [HOSTILE, "b", "c", "d"])
    return figures.policies_figure(dict.fromkeys(names, data) or data)


def accuracies() -> tuple[pd.DataFrame, pd.DataFrame]:
    names = [(d, s) for d in ("letter", HOSTILE) for s in ("LL", "K2")]
    published = pd.DataFrame(names, columns=["dataset", "score"]).assign(accuracy=[78.0, 82.0, 93.0, 92.0])
    records = pd.concat([published.assign(seed=seed) for seed in range(5)]).assign(n_test=500)
    return records.assign(accuracy=RNG.uniform(0.7, 0.99, len(records))), published.assign(
        half_width=2.0, half_width_95=2.0
    )


def skeletons() -> pd.DataFrame:
    rows = product(("Alarm", HOSTILE), (1, 4), (500, 5000), (1, 2), ("hpc", "own"))
    made = pd.DataFrame(rows, columns=["network", "copies", "rows", "version", "algorithm"])
    made = made.assign(origin=["MMHC" if c == 1 else "own" for c in made.copies], variables=10 * made.copies)
    numbers = {"sn": 0.5 + made.version / 10, "sp": 0.9 - made.version / 10, "nsc": made.variables * made.rows}
    return made.assign(reading="as printed", cpu=0.1, **numbers)


def hybrid() -> Any:
    rows = product(("A", HOSTILE), ("unrestricted", "opthpc"), (500, 1000), (1, 2))
    made = pd.DataFrame(rows, columns=["network", "restriction", "rows", "version"])
    made = made.assign(seconds=made.rows / 1000 * made.version, shd_cpdag=made.version, gap=-1.0, sn=0.5, sp=0.5)
    return hybrid_figure(hybrid_data(made.assign(copies=1, search="k2", score="bdeu")))


def forest() -> Any:
    reruns = product(("iris", HOSTILE), (("LL", 91.0, True), ("K2", 80.0, False)))
    rows = [(g, i, 90.0, 88.0, 92.0, r, 3, r - 1, r + 1, inside) for g, (i, r, inside) in reruns]
    columns = ["group", "item", "published", "low", "high", "rerun", "runs", "least", "greatest", "inside"]
    table = pd.DataFrame(rows, columns=columns).assign(difference=0.0, text="1", note="n")
    table["inside"] = pd.Series([row[-1] for row in rows], dtype=object)
    return forest_figure(table, title=HOSTILE, unit=HOSTILE, selected=("iris", "LL"))


def scores(kind: str) -> Any:
    totals = pd.DataFrame(RNG.normal(size=(3, 4)) * 100, index=[0.1, 1.0, 20.0], columns=["a", HOSTILE, "c", "d"])
    if kind == "ess":
        return figures.ess_figure(figures.ess_data(totals), ess=2.0)
    if kind == "rows":
        return figures.rows_figure(figures.differences_data(totals.set_axis([10, 100, 1000]).T).T, "BIC", n_rows=100)
    if kind == "differences":
        return figures.differences_figure(figures.differences_data(totals.T, HOSTILE), HOSTILE)
    data = figures.contributions_data(totals.set_axis(["x", HOSTILE, "z"]), HOSTILE)
    return figures.contributions_figure(data, HOSTILE, HOSTILE, hovered="x")


def small_tables() -> dict[str, Callable[[], Any]]:
    runs = pd.DataFrame({"run": ["x", "x", "y"], "seed": [0, 1, 0], "gap": [3.0, 1.0, 20.0]})
    sweep = pd.DataFrame({"parameter": ["b", "b", "Q"], "value": [1e-3, 1e-4, 500.0], "gap": [2.0, 0.1, 1.0]})
    ranks = pd.DataFrame({"a": [9.0, 7.0] * 5, "b": [8.0] * 10, "c": [7.0, 9.0] * 5})
    return {
        "strips": lambda: strips_figure(results_data(runs, {"gap": "found"}), published={"printed": 2.0}),
        "log strips": lambda: strips_figure(results_data(runs, {"gap": "found"}), published={"p": 2.0}, least=0.1),
        "sweep": lambda: sweep_figure(
            results_data(sweep.assign(seed=0), {"gap": "found"}, ("parameter", "value")),
            settings={"b": 1e-3},
            published=0.5,
        ),
        "mean ranks": lambda: mean_ranks_figure(mean_ranks_data({"one": ranks, HOSTILE: ranks})),
    }


def confidence(kind: str) -> Any:
    net = bnlab.load_network("cancer")
    sampled = bnlab.edge_probabilities(net.sample(200, seed=1), "mcmc", draws=20, chains=2, moves=2)
    if kind == "chains":
        return figures.chains_figure(sampled)
    if kind == "methods":
        return figures.methods_figure({"one": sampled, HOSTILE: sampled}, truth=net)
    if kind == "effects":
        return figures.effects_figure({"one": 0.2, HOSTILE: 0.5})
    if kind == "tornado":
        return figures.tornado_figure(figures.tornado_data(net, "Cancer", "True"))
    if kind == "relevance":
        return figures.relevance_figure(what_matters(net, "Cancer"), "Cancer")
    if kind == "reliability":
        points = {"method": ["exact", HOSTILE], "rows": 100, "count": 10, "given": 0.1, "observed": 0.2}
        return reliability_figure(pd.DataFrame({**points, "low": 0.1, "high": 0.4}))
    return figures.probabilities_figure(sampled, truth=net.dag)


def held_out(kind: str) -> Any:
    table = bnlab.load_network("cancer").sample(300, seed=2)
    found = bnlab.cross_validate(table, {"tree": "chow-liu", HOSTILE: "hill-climbing"}, target="Smoker", folds=2)
    return (
        figures.roc_figure(found.roc("True"))
        if kind == "roc"
        else figures.calibration_figure(found.calibration("True"))
    )


FIGURES: dict[str, Callable[[], Any]] = {
    **small_tables(),
    "forecast": forecast,
    "convergence": convergence,
    "policies": policies,
    "policies of moments": lambda: policies("begin", "middle", "end", HOSTILE),
    "accuracy": lambda: accuracy_figure(accuracy_data(*accuracies())),
    "seeds": lambda: seeds_figure(seeds_data(*accuracies())),
    "sensitivity": lambda: sensitivity_figure(sensitivity_data(skeletons().query("copies == 1"))),
    "cost": lambda: cost_figure(cost_data(skeletons())),
    "hybrid": hybrid,
    "forest": forest,
    "gaps": lambda: figures.gaps_figure(pd.DataFrame({HOSTILE: [None, 1, 1], "b": [None, None, 2], "c": [1, 2, 3]})),
    "missing values": lambda: missing_values_figure(
        pd.DataFrame(
            product(("mcar", "mnar"), ("EM", HOSTILE), (0.1, 0.2)), columns=["mechanism", "method", "share"]
        ).assign(loss=[0.1, 0.2, 0.3, 0.4] * 2)
    ),
    **{
        kind: lambda kind=kind: confidence(kind)  # type: ignore[misc]
        for kind in ("chains", "methods", "effects", "relevance", "tornado", "reliability", "probabilities")
    },
    **{kind: lambda kind=kind: held_out(kind) for kind in ("roc", "calibration")},  # type: ignore[misc]
    **{kind: lambda kind=kind: scores(kind) for kind in ("ess", "rows", "differences", "contributions")},  # type: ignore[misc]
}


def test_every_figure_of_the_package_is_in_this_test() -> None:
    public = {name for name in figures.__all__ if name.endswith("_figure")}
    built = {f"{name}_figure" for name in FIGURES}
    assert public <= built


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_drawn_whole_within_the_picture_and_its_names_stay_text(name: str) -> None:
    figure = FIGURES[name]()
    picture = still(figure)
    root = parsed(picture)
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    assert "nan" not in picture.svg
    assert "<img" not in picture.svg
    if name != "forest":  # whose points name their rows to the board; its own test looks at what is shown
        figure.update_traces(legendgroup=None)  # is not shown
        assert not re.search(r"(<|\\u003c)img", figure.to_json()), "plotly would take it for a tag"
    assert "rgba" not in picture.svg, "viewers of SVG know opacity, but not all know rgba"
    for element in root.iter(f"{SVG}text"):
        x, y = float(element.attrib["x"]), float(element.attrib["y"])
        long = 0.0 if "transform" in element.attrib else float(element.attrib.get("textLength", 8))
        begin = x - {"start": 0, "middle": long / 2, "end": long}[element.attrib["text-anchor"]]
        assert begin >= -1, element.text
        assert begin + long <= width + 1, element.text
        assert 0 < y <= height, element.text
    shown = [trace for trace in figure.data if trace.name and trace.showlegend is not False]
    if len(figure.data) > 1 and figure.layout.showlegend is not False:
        for trace_ in (one for one in shown if one.visible in (None, True)):
            assert re.sub("<[^>]*>", "", trace_.name).replace("&lt;", "<").replace("&gt;", ">") in texts(picture)


def plain_figure(**layout: Any) -> dict[str, Any]:
    points = {"type": "scatter", "x": [1, 2, 10], "y": [3.0, None, 5.0], "mode": "lines+markers"}
    return {"data": [points], "layout": layout}


def circles(picture: Picture) -> list[tuple[float, float]]:
    return [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in parsed(picture).iter(f"{SVG}circle")]


def test_points_lie_where_the_axes_say() -> None:
    margin = {"l": 100, "r": 60, "t": 50, "b": 100}
    axes = {"xaxis": {"range": [0, 10]}, "yaxis": {"range": [0, 10]}}
    assert circles(still(plain_figure(height=450, margin=margin, **axes))) == [(170.0, 260.0), (800.0, 200.0)]
    log = {**axes, "xaxis": {"type": "log", "range": [0, 1]}}
    assert circles(still(plain_figure(height=450, margin=margin, **log)))[0] == (100.0, 260.0)
    turned = {**axes, "yaxis": {"range": [10, 0]}}
    assert circles(still(plain_figure(height=450, margin=margin, **turned)))[0] == (170.0, 140.0)


def test_many_equal_markers_are_one_path() -> None:
    values = RNG.normal(size=5000).tolist()
    picture = still({"data": [{"type": "scatter", "y": values, "mode": "markers"}], "layout": {}})
    (path,) = (path.attrib["d"] for path in parsed(picture).iter(f"{SVG}path"))
    assert path.count("h0") == 5000
    assert len(picture.svg) < 100_000


def test_a_gap_in_the_values_is_a_gap_in_the_line() -> None:
    assert not list(parsed(still(plain_figure())).iter(f"{SVG}polyline"))


def test_a_gap_in_the_values_has_no_text() -> None:
    trace_ = {"type": "scatter", "x": [1, 2, 3], "y": [1, None, 2], "mode": "text", "text": ["first", "gap", "last"]}
    assert {"first", "last"} < set(texts(still({"data": [trace_], "layout": {}}))) - {"gap"}


def test_arrays_of_plotly_in_base64_are_read() -> None:
    figure = go.Figure(go.Scatter(x=np.array([1.0, 2.0]), y=np.array([3.0, 4.0]), mode="markers"))
    packed = {"data": [{"type": "scatter", "mode": "markers", **figure.to_dict()["data"][0]}], "layout": {}}
    assert "bdata" in str(packed)
    assert circles(still(packed)) == circles(still(figure))


def test_a_heat_map_without_places_is_drawn_at_whole_numbers() -> None:
    cells = {"type": "heatmap", "z": [[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]], "colorscale": [[0, "#ffffff"], [1, "#ffffff"]]}
    placed = {**cells, "x": [0, 1, 2], "y": [0, 1]}
    assert still({"data": [cells], "layout": {}}).svg == still({"data": [placed], "layout": {}}).svg


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"data": [{"type": "pie"}], "layout": {}}, "type 'pie'"),
        ({"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": {"barmode": "stack"}}, "barmode='stack'"),
        ({"data": [{"type": "bar", "x": [1], "y": [2], "marker": {"pattern": {"shape": "~"}}}]}, "bar pattern '~'"),
        (plain_figure(xaxis={"type": "date"}), "type 'date'"),
        (plain_figure(shapes=[{"type": "path"}]), "type 'path'"),
        (plain_figure(annotations=[{"text": "a", "x": 1, "y": 1}]), "showarrow=False"),
        ({"data": [{"x": [1, 2], "y": [1, 2], "line": {"shape": "spline"}}], "layout": {}}, "shape 'spline'"),
        ({"data": [{"x": [1], "y": [1], "marker": {"symbol": "asterisk"}}], "layout": {}}, "symbol 'asterisk'"),
        ({"data": [{"x": [1, 2], "y": [1, 2], "fill": "tozeroy"}], "layout": {}}, "fill='tozeroy'"),
        ({"data": [{"type": "heatmap", "z": [[1]], "x": [0], "y": [0], "colorscale": "Viridis"}]}, "colorscale"),
    ],
)
def test_what_is_not_drawn_is_an_error_that_names_it(figure: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        still(figure)


def test_a_click_in_the_legend_is_not_needed_to_see_what_is_drawn() -> None:
    hidden = {"type": "scatter", "x": [1], "y": [1], "name": "concealed", "visible": "legendonly"}
    shown = {"type": "scatter", "x": [1], "y": [1], "name": "shown"}
    picture = still({"data": [hidden, shown, shown], "layout": {}})
    assert "concealed" not in picture.svg
    assert texts(picture).count("shown") == 2


def test_ticks_are_written_as_the_axis_says() -> None:
    powers = plain_figure(xaxis={"type": "log", "range": [-1, 3], "dtick": 1, "exponentformat": "power"})
    assert {"10⁻¹", "10³"} <= set(texts(still(powers)))
    thousands = plain_figure(yaxis={"range": [-2000, 0], "separatethousands": True})
    assert "−1,500" in texts(still(thousands))
    shares = plain_figure(yaxis={"range": [0, 1], "tickformat": ".0%"})
    assert "40%" in texts(still(shares))
    names = plain_figure(xaxis={"tickvals": [1, 10], "ticktext": ["first", "last"]})
    assert [text for text in texts(still(names)) if text.isalpha()] == ["first", "last"]


def test_labels_that_would_overlap_are_turned() -> None:
    many = [f"category {i}" for i in range(20)]
    picture = still({"data": [{"type": "scatter", "x": many, "y": list(range(20))}], "layout": {}})
    turned = [element for element in parsed(picture).iter(f"{SVG}text") if (element.text or "").startswith("category")]
    assert len(turned) == 20
    assert all("rotate(" in element.attrib["transform"] for element in turned)


def test_a_legend_of_many_lines_pushes_the_plot_down() -> None:
    runs = {f"a search with a name that is rather long, number {i}": trace(20, -100.0 - i) for i in range(4)}
    picture = still(figures.convergence_figure(figures.convergence_data(runs), title="Convergence"))
    root = parsed(picture)
    top = min(float(panel.attrib["y"]) for panel in root.iter(f"{SVG}svg") if "y" in panel.attrib)
    names = [float(text.attrib["y"]) for text in root.iter(f"{SVG}text") if re.search(r"number \d$", text.text or "")]
    title = next(float(text.attrib["y"]) for text in root.iter(f"{SVG}text") if text.text == "Convergence")
    assert len(names) == 4
    assert title < min(names) < max(names) < top
