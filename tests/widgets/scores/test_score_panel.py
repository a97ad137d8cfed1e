"""The score panel without a browser: numbers, settings, callbacks, still form."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from bnlab import learn
from bnlab.counts import MemorySource
from bnlab.data import Table, Variable
from bnlab.figures.scores.differences import contributions_data, differences_data
from bnlab.figures.scores.symlog import symlog
from bnlab.figures.table import signed
from bnlab.graphs import Dag, skeleton
from bnlab.learners import optimum
from bnlab.networks import BayesianNetwork, Dirichlet, fit, load_network
from bnlab.scores import score
from bnlab.widgets import GraphView, NetworkGraph, ScorePanel
from bnlab.widgets.scores.page import page
from bnlab.widgets.scores.update import Point

LONG = 60.0
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def panel(table: Table, networks: dict[str, Dag]) -> ScorePanel:
    return ScorePanel(table, networks)


def shown(panel: ScorePanel, part: str) -> Any:
    """Part of the page when nothing is computed any more."""
    assert panel.wait(LONG)
    found: Any = {**page(panel.state), **page(panel.state)["charts"]}
    return found[part]


def said(panel: ScorePanel) -> str:
    """Sentence about the distance to the optimum."""
    return str(panel.controls.control("distance")["text"])


def best_of(panel: ScorePanel) -> list[str]:
    """Networks with a star."""
    buttons = shown(panel, "controls")[2]
    return [name for name, one in zip(panel.networks, buttons, strict=True) if one["label"] != name]


def parameters(name: str, ess: float, alpha: float) -> dict[str, float]:
    return {"bdeu": {"ess": ess}, "mit": {"alpha": alpha}}.get(name, {})


@pytest.mark.parametrize(("ess", "alpha"), [(1.0, 0.99), (16.0, 0.9)])
def test_numbers_are_those_of_the_scores(
    panel: ScorePanel, table: Table, networks: dict[str, Dag], ess: float, alpha: float
) -> None:
    panel.ess, panel.alpha = ess, alpha
    frame = panel.to_frame()
    assert list(frame.columns) == ["ll", "aic", "bic", "nml", "mit", "k2", "bdeu"]
    for network, dag in networks.items():
        for name in frame.columns:
            settings = parameters(name, ess, alpha)
            assert frame.loc[network, name] == pytest.approx(score(dag, table, name, **settings), rel=1e-12)
            local = panel.state.content.local(panel.state.settings, name)[network]
            np.testing.assert_allclose(local, score(dag, table, name, per_node=True, **settings), rtol=1e-12)
            assert list(local.index) == list(table.names)


def test_bde_and_bd_appear_with_a_prior(table: Table, networks: dict[str, Dag], asia: BayesianNetwork) -> None:
    prior = fit(Dag.empty(asia.names), table, Dirichlet(1))
    panel = ScorePanel(table, networks, prior=prior, hyper=0.5, ess=3.0)
    assert list(panel.to_frame().columns[-2:]) == ["bde", "bd"]
    assert [label for _, label in shown(panel, "controls")[1][1]["options"]][-3:] == ["BDeu", "BDe", "BD"]
    expected = score(networks["true"], table, "bde", prior_network=prior, ess=3.0)
    assert panel.to_frame().loc["true", "bde"] == pytest.approx(expected, rel=1e-12)
    panel.ess = 8.0
    expected = score(networks["true"], table, "bde", prior_network=prior, ess=8.0)
    assert panel.to_frame().loc["true", "bde"] == pytest.approx(expected, rel=1e-12)
    assert panel.to_frame().loc["fewer", "bd"] == pytest.approx(score(networks["fewer"], table, "bd", hyper=0.5))


def test_charts_show_the_differences_of_the_frame(panel: ScorePanel) -> None:
    panel.reference = "fewer"
    panel.score = "bic"
    frame = differences_data(panel.to_frame(), "fewer")
    for trace in shown(panel, "scores")["figure"]["data"]:
        np.testing.assert_allclose(trace["x"], symlog(frame.loc[trace["name"]]))
    assert frame.loc["fewer"].tolist() == [0.0] * 7
    nodes = {
        trace["name"]: dict(zip(trace["y"], trace["x"], strict=True))
        for trace in shown(panel, "nodes")["figure"]["data"]
    }
    local = panel.state.content.local(panel.state.settings, "bic")
    assert set(nodes) == {"true", "empty"}
    for node, place in nodes["true"].items():
        assert place == pytest.approx(symlog(local.loc[node, "true"] - local.loc[node, "fewer"]))


def test_nodes_are_compared_with_the_best_network_unless_one_is_chosen(panel: ScorePanel) -> None:
    best = panel.to_frame()["bdeu"].idxmax()
    assert f"difference from “{best}”" in shown(panel, "nodes")["figure"]["layout"]["title"]["text"]


def test_the_still_form_has_a_picture_and_the_numbers(panel: ScorePanel) -> None:
    bundle = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/plain"].startswith("ScorePanel(ess=1, alpha=0.99, score='bdeu')\n")
    assert "true" in bundle["text/plain"]
    html = bundle["text/html"]
    pictures = [ElementTree.fromstring(b64decode(data)) for data in re.findall(r"image/svg\+xml;base64,([^\"]+)", html)]
    assert len(pictures) == 2
    texts = {element.text for svg in pictures for element in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"true", "fewer", "empty", "BIC/MDL", "BDeu(1)", "0", "Best network over ess, under BDeu"} <= texts
    assert "“true” is best" in html
    assert html.count("<tr>") == 8 + 3, "seven scores, two log Bayes factors, and their heads"
    assert f"{panel.to_frame().loc['true', 'k2']:,.2f}".replace("-", "−") in html


X_CAUSES_Y, Y_CAUSES_X = [("X", "Y")], [("Y", "X")]


@pytest.fixture
def rain() -> Table:
    """Two variables of which one copies the other four times of five."""
    x = np.arange(100) % 2
    y = np.where(np.arange(100) % 5, x, 1 - x)
    y[0] = 0
    bit = ("0", "1")
    return Table([Variable("X", bit), Variable("Y", bit)], [x, y])


def test_an_undirected_graph_is_scored_as_a_member_of_its_class(rain: Table) -> None:
    panel = ScorePanel(rain, {"class": skeleton(Dag("XY", X_CAUSES_Y)), "Y to X": Y_CAUSES_X})
    scores = panel.to_frame()
    assert scores.loc["class", "bic"] == pytest.approx(scores.loc["Y to X", "bic"], rel=1e-12)


@pytest.mark.parametrize(
    ("networks", "words"),
    [
        ({"a": X_CAUSES_Y, "b": X_CAUSES_Y}, "both networks have the same score, −"),
        ({"a": X_CAUSES_Y, "b": X_CAUSES_Y, "c": []}, "“a” and “b” have the same, best score, −"),
        ({"a": [], "b": [], "c": []}, "all 3 networks have the same score, −"),
        ({"a": X_CAUSES_Y}, "“a” scores −"),
        ({"a": []}, "“a” scores −"),
    ],
)
def test_identical_graphs_one_graph_and_empty_graphs_are_shown(
    rain: Table, networks: dict[str, Any], words: str
) -> None:
    panel = ScorePanel(rain, networks)
    assert words in shown(panel, "sentence")
    best = [name for name in networks if networks[name] or not any(networks.values())]
    assert best_of(panel) == best
    assert shown(panel, "tables").count("★\u00a0") == 7 * len(best)
    assert panel._repr_mimebundle_()["text/html"].count("data:image/svg+xml") == 2
    for chart in ("ess", "scores", "nodes", "rows"):
        panel.figure(chart)  # type: ignore[arg-type]


def test_networks_that_differ_by_rounding_alone_are_all_starred(rain: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = ScorePanel(rain, {"a": X_CAUSES_Y, "b": Y_CAUSES_X, "c": []})
    totals = panel.to_frame()
    totals.loc["b"] = totals.loc["a"] * (1 + 0.9e-9)
    totals.loc["c"] = totals.loc["a"] - 1.1e-9 * totals.loc["a"].abs()
    monkeypatch.setattr(panel.state.content, "totals", lambda settings: totals)
    table = panel.state.content.tables(panel.state.settings).partition("Log Bayes")[0]
    assert table.count("★\u00a0") == 2 * 7
    assert panel.state.content.best(panel.state.settings) == ["a", "b"]
    assert panel.state.content.reference(panel.state.settings) == "a"


def test_networks_without_names_are_numbered(table: Table, asia: BayesianNetwork) -> None:
    learned = learn(table, "chow-liu")
    panel = ScorePanel(table, [asia, learned, []])
    named = ScorePanel(table, {"a": asia, "b": learned, "c": []})
    assert panel.networks == ("network 1", "network 2", "network 3")
    np.testing.assert_array_equal(panel.to_frame(), named.to_frame())
    for one in (asia, asia.dag, asia.dag.to_networkx(), list(asia.dag.edges)):
        alone = ScorePanel(table, one)
        assert alone.networks == ("network 1",)
        np.testing.assert_array_equal(alone.to_frame(), named.to_frame().loc[["a"]])


def test_a_data_frame_is_read_as_load_data_reads_it(table: Table, networks: dict[str, Dag]) -> None:
    frame = table.to_pandas().astype(str)
    panel = ScorePanel(frame, networks)
    np.testing.assert_allclose(panel.to_frame(), ScorePanel(table, networks).to_frame(), rtol=1e-12)
    panel.n_rows = 100
    assert panel.to_frame().loc["true", "bic"] == pytest.approx(score(networks["true"], table.head(100), "bic"))
    with pytest.raises(ValueError, match="columns 'asia' are continuous"):
        ScorePanel(frame.assign(asia=0.5), networks)


def test_columns_in_another_order_score_the_same(table: Table, networks: dict[str, Dag]) -> None:
    turned = ScorePanel(table.select(table.names[::-1]), networks)
    np.testing.assert_allclose(turned.to_frame(), ScorePanel(table, networks).to_frame(), rtol=1e-12)


@pytest.mark.parametrize(
    ("networks", "options", "error", "message"),
    [
        ({"a": "asia"}, {}, TypeError, r"network 'a': 'asia' is not a directed graph.*load_network\('asia'\)"),
        ("asia", {}, TypeError, r"networks='asia': give graphs by their names, such as \{\"true\": net"),
        (3, {}, TypeError, r"networks=3: give graphs"),
        ([], {}, ValueError, r"no networks to score: give at least one, such as \{\"true\": net"),
        ({"a": ["X", "Y"]}, {}, ValueError, r"network 'a': edge 'X': an edge is a pair of names"),
        ({"a": Dag("XZ", [])}, {}, ValueError, r"it lacks 'Y'; it has 'Z', .*table.select\(names\) leaves columns out"),
        ({"a": []}, {"score": 3}, TypeError, r"score=3 is not a name: give a string; known names: aic"),
        ({"a": []}, {"score": "bde"}, ValueError, r"score='bde': it is computed only with a prior network, prior="),
        ({1: []}, {}, TypeError, "network 1"),
        ({"a": []}, {"selected": "b"}, ValueError, r"no network 'b' in the panel"),
        ({"a": []}, {"ess": 0}, ValueError, "greater than 0"),
        ({"a": []}, {"alfa": 0.9}, TypeError, "did you mean 'alpha'"),
    ],
)
def test_mistakes_at_the_entry_are_answered_with_the_way_out(
    rain: Table, networks: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ScorePanel(rain, networks, **options)


def test_frames_and_figures_are_of_the_rows_and_networks_chosen(
    panel: ScorePanel, table: Table, networks: dict[str, Dag]
) -> None:
    panel.n_rows = 300
    panel.selected = ("empty", "true")
    panel.reference = "fewer"
    assert panel.selected == ("true", "empty")
    head = table.head(300)
    expected = {name: score(networks[name], head, "k2") for name in networks}
    assert panel.to_frame()["k2"].to_dict() == pytest.approx({name: expected[name] for name in ("true", "empty")})
    assert panel.state.content.differences(panel.state.settings)["k2"].to_dict() == pytest.approx(
        {name: expected[name] - expected["fewer"] for name in ("true", "empty")}
    )
    assert "the first 300 of 2,000 rows" in shown(panel, "tables")
    for name in ("ess", "scores", "nodes", "rows"):
        assert [trace.name for trace in panel.figure(name).data] == ["true", "empty"]  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean 'ess'"):
        panel.figure("esss")  # type: ignore[arg-type]


def test_log_bayes_factors_are_for_bayesian_scores_only(panel: ScorePanel) -> None:
    panel.reference = "fewer"
    table = shown(panel, "tables").partition("Log Bayes factor")[2]
    assert [label for label in panel.state.content.labels(panel.state.settings) if f">{label}<" in table] == [
        "K2",
        "BDeu(1)",
    ]
    assert signed(differences_data(panel.to_frame(), "fewer").loc["empty", "k2"]) in table
    assert "That is a log Bayes factor" in shown(panel, "sentence")
    panel.score = "bic"
    assert "Bayes factor" not in shown(panel, "sentence")


def test_switches_are_places_where_two_networks_score_the_same(asia: BayesianNetwork) -> None:
    data = asia.sample(1000, seed=4)
    learned = {f"at {ess:g}": learn(data, "hill-climbing", score="bdeu", ess=ess) for ess in (0.1, 10.0, 1000.0)}
    panel = ScorePanel(data, learned)
    switches = panel.switches()
    assert switches["network"].tolist() == list(learned)
    for i, place in enumerate(switches["to"][:-1]):
        panel.ess = place
        one, other = panel.to_frame().loc[switches["network"][i : i + 2], "bdeu"]
        assert one == pytest.approx(other, abs=1e-6)
    assert "“at 0.1” is best up to ess" in shown(panel, "sentence")
    panel.ess = 1e6
    assert panel.switches()["to"].iloc[-1] == pytest.approx(1e6)


def test_counts_have_only_all_rows(table: Table, networks: dict[str, Dag]) -> None:
    panel = ScorePanel(MemorySource(table), networks)
    assert not shown(panel, "controls")[0][2]["enabled"]
    with pytest.raises(ValueError, match="pass a Table"):
        panel.n_rows = 10
    assert panel.state.content.over_rows(panel.state.settings).index.tolist() == [2000]


def test_a_node_hovered_in_a_linked_graph_lights_up_and_the_other_way_round(
    panel: ScorePanel, asia: BayesianNetwork
) -> None:
    graph, view = NetworkGraph(asia), GraphView.from_graph(asia)
    panel.link(graph)
    panel.link(view)
    graph.view.hovered = "lung"
    assert panel.hovered == view.hovered == "lung"
    chart = shown(panel, "nodes")["figure"]
    assert chart["layout"]["shapes"][0]["y0"] == list(chart["data"][0]["y"]).index("lung") - 0.5
    graph.view.hovered = None
    assert panel.hovered is None
    assert "shapes" not in shown(panel, "nodes")["figure"]["layout"]

    panel.dispatch(Point(0))
    first = contributions_data(panel.state.content.local(panel.state.settings, "bdeu"), "true").index[0]
    assert panel.hovered == graph.view.hovered == view.hovered == first
    panel.dispatch(Point(None))
    assert graph.view.hovered is None

    panel.unlink(graph)
    graph.view.hovered = "dysp"
    assert panel.hovered is None
    panel.close()
    view.hovered = "dysp"
    assert panel.hovered is None


def test_a_point_that_is_clicked_chooses_its_score_each_time(panel: ScorePanel) -> None:
    for _ in range(2):
        panel.charts["scores"].set_state({"clicked": {"index": 2, "x": 0.0}})
        assert panel.score == "bic"
        panel.score = "k2"
    first = shown(panel, "nodes")["figure"]["data"][0]["y"][0]
    panel.charts["nodes"].set_state({"hovered": {"index": 0}})
    assert panel.hovered == first
    panel.charts["nodes"].set_state({"hovered": None})
    assert panel.hovered is None


def test_controls_change_the_panel_and_say_what_they_cannot(panel: ScorePanel) -> None:
    def use(id: str, value: Any) -> str:
        panel.controls._handle_custom_msg({"type": "control", "id": id, "value": value}, [])
        return str(panel.controls.control("status")["text"])

    use("network 1", False)
    use("alpha", 0.9)
    assert (panel.selected, panel.alpha) == (("true", "empty"), 0.9)
    use("network 0", False)
    assert "keep at least one" in use("network 2", False)
    assert panel.selected == ("empty",)
    assert "keep at least one" not in use("network 0", True)


def test_nodes_that_the_data_lack_are_let_pass(panel: ScorePanel) -> None:
    view = GraphView.from_graph(Dag.from_edges(["lung", "other"], [("lung", "other")]))
    panel.link(view)
    view.hovered = "lung"
    view.hovered = "other"
    assert (panel.hovered, view.hovered) == (None, "other")
    with pytest.raises(TypeError, match="link a NetworkGraph"):
        panel.link("graph")


def test_distances_to_the_optimum_are_those_of_the_exact_search_and_belong_to_their_settings() -> None:
    table = load_network("asia").sample(500, seed=2)
    learned = learn(table, "branching", score="bic")
    panel = ScorePanel(table, {"tree": learned, "empty": []}, score="bic")
    assert panel.gap_text == ""
    panel.distance_to_optimum()
    assert panel.wait(600)
    best = optimum(table, "bic")
    expected = f"“tree” is {best.gap_text(learned)}; “empty” is {best.gap_text(Dag.empty(table.names))}."
    assert panel.gap_text.endswith(expected)
    assert panel.gap_text.startswith("Under BIC/MDL on 500 rows, among networks with at most 3 parents a variable")
    assert expected in said(panel)
    assert expected in panel._repr_mimebundle_()["text/html"]
    assert panel.controls.control("search") is None
    panel.n_rows = 100
    assert panel.gap_text == said(panel) == ""
