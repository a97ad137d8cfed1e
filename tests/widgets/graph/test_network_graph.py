"""The interactive network without a browser: traits, edits, evidence, exports, still form."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.data import Table, Variable
from bnlab.figures.graphs.drawing import MARKED_PAPER
from bnlab.graphs import Dag, Knowledge, Pdag, essential_graph, member, skeleton
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.networks import BayesianNetwork, Dirichlet, InfluenceDiagram, fit, marginal, read_bif
from bnlab.networks.query.relevance import what_matters
from bnlab.networks.query.sensitivity import sensitivity
from bnlab.scores import score
from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph import exports
from bnlab.widgets.graph.page import page
from bnlab.widgets.graph.requests import message_of
from tests.widgets.graph.acting import ask, control, press


@pytest.fixture
def graph(asia: BayesianNetwork, table: Table) -> NetworkGraph:
    return NetworkGraph(asia, table)


@pytest.mark.parametrize("kind", ["dag", "network", "networkx", "pairs"])
def test_whatever_stands_for_a_graph_is_taken(asia: BayesianNetwork, kind: str) -> None:
    given = {"dag": asia.dag, "network": asia, "networkx": asia.dag.to_networkx(), "pairs": list(asia.dag.edges)}[kind]
    widget = NetworkGraph(given)
    assert set(widget.graph.edges) == set(asia.dag.edges)
    assert len(widget.view.nodes) == 8


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(TypeError, match=r"is not a directed graph.*load_network"):
        NetworkGraph("asia")


def test_other_columns_of_the_data_are_left_out(asia: BayesianNetwork, table: Table) -> None:
    part = Dag.from_edges(["lung", "smoke"], [("smoke", "lung")])
    widget = NetworkGraph(part, table)
    expected = score(part, table.select(["lung", "smoke"]), "k2")
    assert widget.scores().loc["k2", "after"] == pytest.approx(expected)
    turned = table.select(table.names[::-1])
    assert NetworkGraph(asia, turned).scores().loc["bic", "after"] == pytest.approx(score(asia.dag, table, "bic"))


def test_data_without_a_node_are_refused(asia: BayesianNetwork, table: Table) -> None:
    with pytest.raises(ValueError, match="no variable is called 'tub'"):
        NetworkGraph(asia.dag, table.select(["asia", "lung"]))


def test_an_edit_in_the_page_changes_graph_picture_and_scores(graph: NetworkGraph, table: Table) -> None:
    start = graph.graph
    seen: list[Dag] = []
    graph.observe(lambda change: seen.append(change["new"]), "graph")
    ask(graph, type="edit", action="delete", u="asia", v="tub")
    ask(graph, type="edit", action="reverse", u="smoke", v="bronc")
    assert [len(dag.edges) for dag in seen] == [7, 7]
    assert ("bronc", "smoke") in graph.graph.edges
    assert {(e["u"], e["v"]) for e in graph.view.edges} == set(graph.graph.edges)
    frame = graph.scores()
    for name in frame.index:
        assert frame.loc[name, "start"] == pytest.approx(score(start, table, name))
        assert frame.loc[name, "before"] == pytest.approx(score(seen[0], table, name))
        assert frame.loc[name, "after"] == pytest.approx(score(seen[1], table, name))
    assert np.allclose(frame.difference, frame.after - frame.before)
    assert np.allclose(frame.since_start, frame.after - frame.start)
    assert graph.status.startswith("reverse smoke → bronc · BIC/MDL ")


def test_an_edge_shows_what_it_would_do_while_it_is_drawn(graph: NetworkGraph, table: Table) -> None:
    def tried(u: str | None, v: str | None) -> dict[str, Any]:
        ask(graph, type="try", u=u, v=v)
        return dict(graph.view.tried)

    for kind in ("bic", "bdeu"):
        graph.score = kind
        for u, v in (("tub", "bronc"), ("smoke", "xray"), ("dysp", "xray")):
            gain = score([*graph.graph.edges, (u, v)], table, kind) - score(graph.graph, table, kind)
            found = tried(u, v)
            number = float(found["text"].split()[-1].replace("−", "-").replace(",", ""))
            assert number == pytest.approx(gain, abs=0.06)
            assert found["sign"] == np.sign(gain)
    assert tried("dysp", "asia")["text"] == "would close asia → tub → either → dysp → asia"
    assert tried("smoke", "lung") == {"u": "smoke", "v": "lung", "text": "this edge is there already", "sign": -1}
    assert tried("lung", "smoke")["text"] == "smoke → lung is there already; reverse it instead"
    graph.knowledge = Knowledge(forbidden=[("tub", "bronc")])
    assert tried("tub", "bronc")["text"] == "Knowledge: 'tub' → 'bronc' is forbidden"
    assert len(graph.graph.edges) == 8, "nothing was added"
    assert tried(None, None) == {}
    graph.editable = False
    assert tried("tub", "bronc") == {}, "it cannot be edited"


def test_a_click_on_a_state_is_asked_for_where_states_are_shown(asia: BayesianNetwork) -> None:
    words = "Click a state"

    def status(graph: Any, **options: Any) -> str:
        return NetworkGraph(graph, selected_node="lung", **options).status

    assert words in status(asia)
    assert words in status(asia, bars=False), "in the details"
    assert words not in status(asia, bars=False, details=False)
    assert words not in status(asia.dag)


def test_a_graph_that_code_assigns_can_be_undone(graph: NetworkGraph, asia: BayesianNetwork) -> None:
    graph.graph = Dag.empty(asia.names)
    assert graph.view.edges == []
    graph.undo()
    assert graph.graph == asia.dag
    with pytest.raises(ValueError, match="other variables"):
        graph.graph = Dag.empty(["A", "B"])
    assert graph.graph == asia.dag


def test_posteriors_are_exact_and_shown_before_and_after(graph: NetworkGraph, asia: BayesianNetwork) -> None:
    ask(graph, type="evidence", node="xray", state=0)
    graph.observe_state("smoke", "no")
    assert graph.evidence == {"xray": "yes", "smoke": "no"}
    found = graph.marginals()
    bars = {node["name"]: node["bars"] for node in graph.view.nodes}
    for name in ("asia", "tub", "lung", "bronc", "either", "dysp"):
        exact = marginal(asia, name, graph.evidence)
        assert found.loc[name, "after"].to_numpy() == pytest.approx(exact, abs=1e-12)
        assert found.loc[name, "before"].to_numpy() == pytest.approx(marginal(asia, name), abs=1e-12)
        assert bars[name]["p"] == pytest.approx(exact)
        assert bars[name]["before"] == pytest.approx(marginal(asia, name))
    assert bars["xray"]["set"] == 0
    assert {node["name"] for node in graph.view.nodes if node["kind"] == "evidence"} == {"xray", "smoke"}
    expected = float(marginal(asia, ["xray", "smoke"])[0, 1])
    assert graph.status == f"Given xray = yes, smoke = no (probability {expected:.4g})."
    press(graph, "clear")
    assert graph.evidence == {}
    assert (graph.marginals().before == graph.marginals().after).all()


@pytest.mark.parametrize(("p", "before"), [(0.7, "yes"), (0.01, {"yes": 0.2, "no": 1.0})])
def test_a_state_gets_the_likelihood_with_which_it_has_a_probability(
    graph: NetworkGraph, asia: BayesianNetwork, p: float, before: Any
) -> None:
    graph.evidence = {"dysp": "yes", "lung": before}
    ask(graph, type="weigh", node="lung", state=0, p=p)
    assert graph.marginals().loc["lung", "after"].to_numpy() == pytest.approx([p, 1 - p], abs=1e-12)
    # Jeffrey's rule: the mixture of what follows from each state.
    parts = [asia.marginal("smoke", {"dysp": "yes", "lung": state}) for state in ("yes", "no")]
    expected = p * parts[0] + (1 - p) * parts[1]
    assert graph.marginals().loc["smoke", "after"].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert graph.status.startswith("Given dysp = yes, lung with the likelihoods yes: ")
    graph.selected_node = "lung"
    assert [row["observed"] for row in page(graph.state)["details"]["states"]] == [False, False]
    assert {node["bars"]["set"] for node in graph.view.nodes if node["name"] == "lung"} == {None}
    graph.evidence = {"lung": "yes"}
    ask(graph, type="weigh", node="either", state=1, p=0.5)
    assert graph.status == "Not done: either = no has probability 0 whatever its likelihood."
    assert graph.evidence == {"lung": "yes"}


def test_a_state_is_set_or_observed_and_one_replaces_the_other(graph: NetworkGraph, asia: BayesianNetwork) -> None:
    ask(graph, type="evidence", node="dysp", state=0)
    ask(graph, type="do", node="xray", state=0)
    assert (graph.evidence, graph.do) == ({"dysp": "yes"}, {"xray": "yes"})
    expected = asia.marginal("lung", {"dysp": "yes"}, do={"xray": "yes"})
    assert graph.marginals().loc["lung", "after"].to_numpy() == pytest.approx(expected)
    kinds = {node["name"]: node["kind"] for node in graph.view.nodes}
    assert (kinds["dysp"], kinds["xray"], kinds["lung"]) == ("evidence", "intervention", "")
    assert graph.status.endswith("after do(xray = yes)).")
    graph.selected_node = "xray"
    assert [row["done"] for row in page(graph.state)["details"]["states"]] == [True, False]
    with pytest.raises(ValueError, match="both set by `do` and observed"):
        graph.evidence = {"xray": "yes"}


def test_what_matters_for_a_node_follows_evidence_and_interventions(graph: NetworkGraph, asia: BayesianNetwork) -> None:
    graph.selected_node = "lung"
    press(graph, "matters", False)
    assert "matters" not in page(graph.state)["details"]
    assert page(graph.state)["details"]["can_matter"]
    graph.inspector._handle_custom_msg({"type": "control", "id": "matters", "value": True}, [])
    ask(graph, type="evidence", node="dysp", state=0)
    ask(graph, type="do", node="smoke", state=0)
    expected = what_matters(asia.do({"smoke": "yes"}), "lung", {"dysp": "yes"}).drop(index="smoke")
    rows = page(graph.state)["details"]["matters"]
    assert [row["name"] for row in rows] == list(expected.index)
    assert [row["values"][0] for row in rows] == pytest.approx(list(expected["information"]))
    graph.selected_node = "dysp"
    assert page(graph.state)["details"]["matters"] == []
    assert "observed or set" in page(graph.state)["details"]["matters_note"]


def test_evidence_less_probable_than_a_float_is_told_with_its_exponent() -> None:
    names = ["C", *(f"x{i}" for i in range(400))]
    variables = [Variable(name, ("a", "b")) for name in names]
    leaf = [[0.01, 0.99], [0.01, 0.99]]
    widget = NetworkGraph(BayesianNetwork(Dag(names, [(), *[(0,)] * 400]), variables, [[0.5, 0.5], *[leaf] * 400]))
    widget.evidence = dict.fromkeys(names[1:101], "a")
    assert widget.status.endswith("(probability 1e-200).")
    widget.evidence = dict.fromkeys(names[1:], "a")
    assert widget.status.endswith("(probability 1.000e-800).")


def test_impossible_evidence_is_explained_and_not_taken(graph: NetworkGraph) -> None:
    graph.evidence = {"lung": "yes"}
    before = graph.marginals()
    ask(graph, type="evidence", node="either", state=1)
    assert graph.status.startswith("Not done: lung = yes and either = no have probability 0 together")
    assert graph.evidence == {"lung": "yes"}
    assert graph.marginals().equals(before)
    with pytest.raises(ValueError, match="no state 'maybe'"):
        graph.observe_state("xray", "maybe")


@pytest.mark.parametrize("change", [lambda widget, net: widget.undo(), NetworkGraph.switch])
def test_evidence_that_a_change_makes_impossible_is_cleared_in_words(change: Any) -> None:
    variables = [Variable(name, ("a", "b")) for name in "XY"]
    net = BayesianNetwork(Dag.from_edges("XY", [("X", "Y")]), variables, [[0.5, 0.5], [[1, 0], [0, 1]]])
    widget = NetworkGraph(net)
    widget.edit("delete", "X", "Y")
    widget.evidence = {"X": "a", "Y": "b"}
    change(widget, net)
    assert widget.evidence == {}
    assert widget.status.startswith("Evidence cleared: X = a and Y = b have probability 0 together")
    assert (widget.marginals().before == widget.marginals().after).all()


def test_a_dag_with_data_is_fitted_and_follows_edits(asia: BayesianNetwork, table: Table) -> None:
    widget = NetworkGraph(asia.dag, table)
    widget.edit("delete", "bronc", "dysp")
    assert widget.network == fit(widget.graph, table, Dirichlet(1.0))
    widget.evidence = {"dysp": "yes"}
    exact = marginal(widget.network, "lung", {"dysp": "yes"})
    assert widget.marginals().loc["lung", "after"].to_numpy() == pytest.approx(exact)


def test_a_dag_alone_has_no_probabilities_and_says_so(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia.dag)
    assert widget.network is None
    assert widget.scores().empty
    for ask_for in (widget.marginals, partial(widget.offer, "bif"), partial(widget.observe_state, "lung", "yes")):
        with pytest.raises(ValueError, match="give a BayesianNetwork"):
            ask_for()
    widget.selected_node = "lung"
    assert not widget.inspector.content["can_matter"]
    widget.edit("delete", "asia", "tub")
    assert [control["id"] for control in widget.view.toolbar["save"]] == ["html", "graphml", "python"]


def test_a_click_on_a_node_shows_all_about_it(graph: NetworkGraph, table: Table) -> None:
    graph.view.selected = ["dysp"]
    assert graph.selected_node == "dysp"
    shown = page(graph.state)["details"]
    assert shown["title"] == "dysp"
    counts = np.bincount(table.column("dysp"), minlength=2)
    assert [state["count"] for state in shown["states"]] == [f"{n:,}" for n in counts]
    assert shown["cpt"]["parents"] == ["bronc", "either"]
    assert len(shown["cpt"]["rows"]) == 4
    assert "score" not in str(shown).lower(), "scores are shown as differences after an edit"
    assert shown["around"][0] == ["Parents", ["bronc", "either"]]


def test_a_click_on_an_edge_shows_what_it_is_worth(graph: NetworkGraph, table: Table) -> None:
    graph.view.set_trait("selected_edge", ["smoke", "lung"])
    assert (graph.selected_edge, graph.selected_node) == (("smoke", "lung"), None)
    shown = page(graph.state)["details"]
    assert shown["title"] == "smoke → lung"
    fewer = Dag.from_edges(graph.graph.names, [e for e in graph.graph.edges if e != ("smoke", "lung")])
    change = score(fewer, table, "k2") - score(graph.graph, table, "k2")
    assert next(row for row in shown["removal"] if row["label"] == "K2")["change"] == f"{change:+,.2f}".replace(
        "-", "−"
    )
    graph.dispatch(message_of({"type": "edit", "action": "delete", "u": "smoke", "v": "lung"}))
    assert (graph.graph, graph.selected_edge) == (fewer, None)
    assert page(graph.state)["details"]["kind"] == "none"


def test_scores_are_shown_only_after_an_edit(graph: NetworkGraph) -> None:
    assert page(graph.state)["scores"]["rows"] == []
    graph.edit("delete", "asia", "tub")
    difference = graph.scores().loc["bic", "difference"]
    row = next(row for row in page(graph.state)["scores"]["rows"] if row["label"] == "BIC/MDL")
    assert row["last"] == f"{difference:+,.2f}".replace("-", "−")
    graph.undo()
    assert page(graph.state)["scores"]["rows"] == []


def undirected(widget: NetworkGraph) -> set[frozenset[str]]:
    return {frozenset((edge["u"], edge["v"])) for edge in widget.view.edges if not edge["directed"]}


def test_a_learned_graph_is_shown_as_what_the_data_can_say(table: Table) -> None:
    learned = bnlab.learn(table, "hill-climbing")
    expected = set(map(frozenset, essential_graph(learned).undirected_edges))
    assert 0 < len(expected) < len(learned.edges)
    for widget in (NetworkGraph(learned), NetworkGraph(learned, table), NetworkGraph(fit(learned, table))):
        assert undirected(widget) == expected
        assert widget.view.legend[0]["label"] == "Direction not decided"
        assert set(map(frozenset, widget.to_frame().query("not directed")[["u", "v"]].to_numpy())) == expected
        press(widget, "show_essential", value=False)
        assert undirected(widget) == set()
        assert widget.to_frame().directed.all()
    classes = bnlab.learn(table, "ges")
    assert undirected(NetworkGraph(fit(classes, table))) == set(map(frozenset, classes.undirected_edges))
    for known in (member(learned), Dag(learned.names, learned.parents), fit(member(learned), table)):
        assert undirected(NetworkGraph(known, table)) == set(), "its directions were chosen"


def test_an_edit_of_a_learned_graph_works_at_once_and_undo_shows_its_class(table: Table) -> None:
    learned = bnlab.learn(table, "hill-climbing")
    widget = NetworkGraph(learned, table)
    expected = undirected(widget)
    assert widget.view.editable
    u, v = sorted(learned.undecided)[0]
    for drawn in [edge for edge in widget.view.edges if not edge["directed"]]:  # as the keys do, which see no direction
        ask(widget, type="edit", action="delete", u=drawn["u"], v=drawn["v"])
        assert {frozenset(edge) for edge in learned.edges} - {frozenset(edge) for edge in widget.graph.edges} == {
            frozenset((drawn["u"], drawn["v"]))
        }
        press(widget, "undo")
    ask(widget, type="edit", action="reverse", u=u, v=v)
    assert (v, u) in widget.graph.edges
    assert undirected(widget) == set()
    press(widget, "undo")
    assert widget.graph == learned
    assert undirected(widget) == expected
    widget.set_table(u, widget.network.cpt(u)[..., ::-1])
    assert undirected(widget) == expected, "no edge was changed"


def test_another_learned_graph_is_shown_as_the_user_has_decided(table: Table, asia: BayesianNetwork) -> None:
    trees = [bnlab.learn(table, "chow-liu", root=root) for root in ("lung", "xray")]
    widget = NetworkGraph(trees[0])
    assert len(undirected(widget)) == 7, "the root of a tree is a convention"
    widget.switch(asia)
    assert undirected(widget) == set()
    widget.switch(trees[1])
    assert len(undirected(widget)) == 7
    widget.show_essential = False
    widget.switch(trees[0])
    assert undirected(widget) == set(), "the user asked for one member"
    widget.graph = bnlab.learn(table, "ckg", k=1)
    assert widget.show_essential


def test_knowledge_and_interventions_direct_the_edges_of_a_learned_graph(asia: BayesianNetwork) -> None:
    small = asia.sample(2000, seed=3).select(["smoke", "lung", "bronc"])
    known = Knowledge(tiers=[["smoke"], ["lung", "bronc"]])
    learned = bnlab.learn(small, "hill-climbing", knowledge=known)
    assert undirected(NetworkGraph(bnlab.learn(small, "hill-climbing"))) == {
        frozenset(("smoke", "lung")),
        frozenset(("smoke", "bronc")),
    }
    for widget in (NetworkGraph(learned), NetworkGraph(learned, show_essential=True)):
        assert undirected(widget) == set()
    set_rows = [asia.do({"smoke": state}).sample(500, seed=k) for k, state in enumerate(("yes", "no"))]
    frame = pd.concat([small.to_pandas(), *(part.select(small.names).to_pandas() for part in set_rows)])
    data = bnlab.load_data(frame.assign(set=[""] * 2000 + ["smoke"] * 1000), interventions="set")
    found = bnlab.learn(data, "hill-climbing")
    assert ("smoke", "bronc") in found.edges
    assert undirected(NetworkGraph(found)) == undirected(NetworkGraph(fit(found, data))) == set()


def test_edges_are_compared_with_the_true_network(asia: BayesianNetwork, table: Table) -> None:
    names = asia.names
    kept = [edge for edge in asia.dag.edges if edge not in (("asia", "tub"), ("smoke", "lung"))]
    other = Dag.from_edges(names, [("lung", "smoke"), *kept, ("asia", "xray")])
    widget = NetworkGraph(other, table, truth=asia)
    assert widget.compare
    kinds = {(e["u"], e["v"]): e["kind"] for e in widget.view.edges}
    assert kinds["asia", "xray"] == "extra"
    assert kinds["asia", "tub"] == "missing"
    frame = widget.to_frame().set_index(["u", "v"])
    assert frame.loc[("lung", "smoke"), "class"] == "reversed"
    assert set(frame.index) == set(other.edges)
    widget.selected_edge = ("asia", "tub")
    assert page(widget.state)["details"]["subtitle"] == "only in the true network"
    assert page(widget.state)["details"]["actions"] == ["add"]
    widget.compare = False
    assert widget.selected_edge is None
    assert {e["kind"] for e in widget.view.edges} == {"plain"}


def test_two_learned_networks_are_compared_without_the_words_of_a_true_one(asia: BayesianNetwork) -> None:
    other = Dag(asia.names, [*asia.dag.edges[1:], ("asia", "xray")])
    widget = NetworkGraph(other, reference={"tree": asia.dag})
    assert {edge["kind"] for edge in widget.view.edges} == {"in both", "only here", "only there"}
    assert set(widget.to_frame()["class"]) == {"in both", "only here"}
    assert control(widget, "compare")["tip"] == "Mark edges that differ from tree"
    for edge, words in {("tub", "either"): "also in tree", ("asia", "xray"): "not in tree"}.items():
        widget.selected_edge = edge
        assert page(widget.state)["details"]["subtitle"] == words
    widget.selected_edge = ("asia", "tub")
    assert page(widget.state)["details"]["subtitle"] == "only in tree"
    shown = [widget.view.picture().svg, widget.view.toolbar, page(widget.state)["details"], widget.view.legend]
    assert not re.search(r"\b(true|[Ee]xtra|[Mm]issing)\b|'True'", str(shown))
    unnamed = NetworkGraph(other, reference=asia.dag)
    assert [entry["label"] for entry in unnamed.view.legend] == ["In both", "Only here", "Only in the reference"]


@pytest.mark.parametrize("kind", ["gain", "mutual-information", "p-value"])
def test_strong_edges_are_drawn_stronger(graph: NetworkGraph, kind: str) -> None:
    graph.strength = kind
    drawn = {(e["u"], e["v"]): e["strength"] for e in graph.view.edges}
    assert drawn["bronc", "dysp"] > drawn["asia", "tub"]
    frame = graph.to_frame().set_index(["u", "v"])
    column = {"gain": "gain", "mutual-information": "mutual_information", "p-value": "p_value"}[kind]
    assert (frame.strength == frame[column]).all()


def test_strengths_of_the_readers_own(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia, strengths=dict.fromkeys(asia.dag.edges[:2], 0.5))
    assert widget.strength == "given"
    assert widget.to_frame().strength.notna().sum() == 2
    widget.edit("delete", *asia.dag.edges[0])
    assert widget.to_frame().strength.notna().sum() == 1


@pytest.fixture(scope="module")
def probable() -> EdgeConfidence:
    return bnlab.edge_probabilities(bnlab.load_network("cancer").sample(300, seed=1), method="exact")


def test_the_threshold_changes_the_consensus_graph_and_one_undo_takes_it_back(probable: EdgeConfidence) -> None:
    widget = NetworkGraph(probable)
    assert widget.graph == probable.consensus()
    assert widget.threshold == probable.threshold
    for threshold in (0.9, 0.2, 0.1):
        press(widget, "threshold", 100 * threshold)
        assert widget.graph == probable.consensus(threshold)
        assert {(e["u"], e["v"]) for e in widget.view.edges} == set(widget.graph.edges)
    widget.undo()
    assert widget.graph == probable.consensus()
    assert [one["id"] for one in widget.view.toolbar["below"]] == ["threshold"]
    assert control(widget, "threshold")["value"] == 10
    press(widget, "threshold", 150)
    assert widget.status.startswith("Not done: threshold=1.5")
    with pytest.raises(ValueError, match="give NetworkGraph an EdgeConfidence"):
        NetworkGraph(widget.graph).threshold = 0.5


@pytest.mark.parametrize("method", ["exact", "mcmc", "bootstrap"])
def test_edges_show_their_probability_and_the_share_of_their_direction(method: str) -> None:
    data = bnlab.load_network("cancer").sample(300, seed=1)
    few: dict[str, Any] = {"mcmc": {"draws": 100}, "bootstrap": {"replicates": 10}}.get(method, {})
    found = bnlab.edge_probabilities(data, method=method, **few)
    widget = NetworkGraph(found, data, threshold=0.05)
    assert widget.strength == "probability"
    arcs = found.to_frame()
    for edge in widget.view.edges:
        u, v = edge["u"], edge["v"]
        joined = arcs.loc[u, v] + arcs.loc[v, u]
        assert edge["strength"] == pytest.approx(joined)
        assert edge["label"] == f"{joined:.0%}"
        assert edge["share"] == pytest.approx(arcs.loc[u, v] / joined)
    widget.selected_edge = widget.graph.edges[0]
    u, v = widget.graph.edges[0]
    assert page(widget.state)["details"]["confidence"][0]["value"] == f"{arcs.loc[u, v] + arcs.loc[v, u]:.1%}"
    press(widget, "labels", False)
    assert {edge["label"] for edge in widget.view.edges} == {""}


def test_a_setting_of_the_toolbar_is_a_trait(graph: NetworkGraph) -> None:
    press(graph, "bars", False)
    assert not graph.bars
    assert all(node["bars"] is None for node in graph.view.nodes)
    press(graph, "score", "k2")
    assert (graph.score, control(graph, "score")["value"]) == ("k2", "k2")
    graph.view.highlight = "ancestors"
    assert graph.highlight == "ancestors"


def test_files_hold_the_network(graph: NetworkGraph, asia: BayesianNetwork, tmp_path: Path) -> None:
    graph.save(tmp_path / "a.bif")
    assert read_bif(tmp_path / "a.bif") == asia
    graph.save(tmp_path / "a.graphml")
    assert set(nx.read_graphml(tmp_path / "a.graphml").edges) == set(asia.dag.edges)
    graph.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match="the suffix selects the format"):
        graph.save(tmp_path / "a.png")


@pytest.mark.parametrize("kind", ["html", "bif", "graphml", "python"])
def test_the_page_is_sent_the_file_that_is_asked_for(
    graph: NetworkGraph, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(graph.view, "send", sent.append)
    press(graph, kind)
    graph.save(path := tmp_path / exports.FILES[kind].name)
    assert [(m["type"], m["text"], m["name"]) for m in sent] == [("file", path.read_text("utf-8"), path.name)]
    assert graph.status == f"Saved as {sent[0]['name']}."


@pytest.mark.parametrize("kind", ["skeleton", "essential"])
def test_a_partly_directed_graph_is_only_looked_at(asia: BayesianNetwork, kind: str) -> None:
    pdag = skeleton(asia.dag) if kind == "skeleton" else essential_graph(asia.dag)
    widget = NetworkGraph(pdag, truth=asia)
    assert not widget.view.editable
    widget.selected_node = "either"
    assert page(widget.state)["details"]["around"]
    assert {edge["kind"] for edge in widget.view.edges} == {"true"}
    edge = widget.view.edges[0]
    widget.selected_edge = (edge["u"], edge["v"])
    assert len(widget.to_frame()) == 8
    space: dict[str, Any] = {}
    exec(widget.to_code(), space)
    assert space["pdag"] == pdag
    with pytest.raises(ValueError, match="a partially directed graph is only shown here"):
        widget.edit("delete", "asia", "tub")


def test_an_influence_diagram_is_only_looked_at() -> None:
    diagram = InfluenceDiagram(["Rain"], ["Take"], ["U"], [("Rain", "U"), ("Take", "U")], {"Take": ("yes", "no")})
    widget = NetworkGraph(diagram)
    assert {node["name"]: node["shape"] for node in widget.view.nodes} == {
        "Rain": "oval",
        "Take": "box",
        "U": "diamond",
    }
    widget.selected_node = "Take"
    assert page(widget.state)["details"]["subtitle"] == "decision node: yes, no"
    assert len(widget.to_frame()) == 2
    space: dict[str, Any] = {}
    exec(widget.to_code(), space)
    assert space["diagram"] == diagram
    with pytest.raises(ValueError, match="an influence diagram is only shown here"):
        widget.undo()


def test_the_still_form_has_the_picture_and_the_scores(graph: NetworkGraph) -> None:
    bundle = graph._repr_mimebundle_()
    html = bundle["text/html"]
    assert html.count('<img src="data:image/svg+xml;base64,') == 1
    assert "BIC/MDL" in html
    assert "since the start" not in html
    graph.edit("delete", "asia", "tub")
    assert "since the start" in graph._repr_mimebundle_()["text/html"]
    assert bundle["text/plain"] == "NetworkGraph(8 nodes, 8 edges, 18 free parameters, 2,000 rows)"


def test_the_still_form_marks_and_tells_evidence_whatever_is_selected(graph: NetworkGraph) -> None:
    graph.selected_node = "lung"
    assert graph.view.picture().svg.count(MARKED_PAPER) == 1
    graph.observe_state("xray", "yes")
    graph.observe_state("dysp", "no")
    assert graph.view.picture().svg.count(MARKED_PAPER) == 2
    assert "Given xray = yes, dysp = no" in graph._repr_mimebundle_()["text/html"]


def test_all_that_goes_to_the_page_is_json(graph: NetworkGraph) -> None:
    graph.evidence = {"lung": "yes"}
    graph.strength = "gain"
    for selected in ({"selected_node": "either"}, {"selected_edge": ("tub", "either")}):
        for name, value in selected.items():
            graph.set_trait(name, value)
        for part in (graph.view, graph.inspector):
            json.dumps(
                {k: v for k, v in part.get_state().items() if k not in ("_esm", "_modules", "_css", "layout")},
                allow_nan=False,
            )


def test_probabilities_of_a_network_too_large_for_exact_inference_are_estimated(
    asia: BayesianNetwork, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnlab.networks.propagation.MAX_TREE_CELLS", 10)
    widget = NetworkGraph(asia, table)
    assert "Exact inference" in widget.status
    widget.selected_node = "lung"
    widget.edit("delete", "asia", "tub")
    assert len(widget.graph.edges) == 7
    assert any("standard errors of at most 0.0" in note for note in page(widget.state)["details"]["notes"])
    widget.observe_state("lung", "yes")
    assert widget.evidence == {"lung": "yes"}


def test_an_edge_confidence_labels_the_edges_of_a_given_graph_in_percent() -> None:
    dag = Dag.from_edges("XYZ", [("X", "Y"), ("Y", "Z")])
    arcs = np.array([[0.0, 0.5, 0.1], [0.25, 0.0, 0.3], [0.0, 0.0, 0.0]])
    found = EdgeConfidence(("X", "Y", "Z"), arcs, 20)
    widget = NetworkGraph(dag, strengths=found)
    assert widget.graph == dag
    assert [edge["label"] for edge in widget.view.edges] == ["75%", "30%"]
    assert [edge["share"] for edge in widget.view.edges] == pytest.approx([2 / 3, 1.0])
    assert control(widget, "threshold") is None
    widget.switch(found)
    assert widget.threshold == found.threshold
    widget.switch(dag)
    assert (widget.threshold, widget.strength) == (None, "none")
    with pytest.raises(ValueError, match="on other variables"):
        NetworkGraph(Dag.empty("AB"), strengths=found)


def test_undecided_edges_have_a_mark_in_the_legend_and_a_class_shows_one_member(asia: BayesianNetwork) -> None:
    pdag = essential_graph(asia.dag)
    widget = NetworkGraph(pdag)
    open_edges = {edge for edge, kind in kinds_of(widget).items() if kind == "direction not decided"}
    assert open_edges == set(pdag.undirected_edges)
    assert widget.view.legend == [{"kind": "direction not decided", "label": "Direction not decided"}]
    widget.selected_edge = next(iter(open_edges))
    assert widget.inspector.content["subtitle"] == "The data do not decide its direction"
    assert "direction not decided" in widget.view.picture().svg
    press(widget, "show_class", value=False)
    assert {(edge["u"], edge["v"]) for edge in widget.view.edges} == set(member(pdag).edges)
    assert (widget.view.legend, widget.graph, widget.editable) == ([], pdag, False)
    widget.show_member = False
    assert set(kinds_of(widget)) == {*pdag.directed_edges, *pdag.undirected_edges}
    widget.switch(asia)
    assert control(widget, "show_class") is None
    with pytest.raises(ValueError, match="only an equivalence class"):
        widget.show_member = True


def test_a_class_without_a_member_and_a_skeleton_are_shown_as_they_are() -> None:
    square = Pdag("ABCD", undirected=[(0, 1), (1, 2), (2, 3), (0, 3)])  # any directions make a further v-structure
    assert control(NetworkGraph(square), "show_class") is None
    assert set(kinds_of(NetworkGraph(square)).values()) == {"plain"}
    chain = NetworkGraph(Dag.from_edges("XYZ", [("X", "Y"), ("Y", "Z")]), show_essential=True)
    assert set(kinds_of(chain).values()) == {"direction not decided"}


def kinds_of(widget: NetworkGraph) -> dict[tuple[str, str], str]:
    return {(edge["u"], edge["v"]): edge["kind"] for edge in widget.view.edges}


def test_the_inspector_lists_the_probabilities_that_move_a_state(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia, evidence={"xray": "yes"}, sensitivity=True, selected_node="lung")
    shown = widget.inspector.content["sensitivity"]
    assert (shown["query"], shown["states"]) == ("P(lung = yes | xray = yes)", ["yes", "no"])
    first = sensitivity(asia, "lung", "yes", {"xray": "yes"}).iloc[0]
    assert shown["rows"][0]["label"] == "P(xray = yes | either = no)"
    assert shown["rows"][0]["ends"] == pytest.approx(sorted((first.at_low, first.at_high)))
    widget.inspector._handle_custom_msg({"type": "target", "state": 1}, [])
    assert widget.inspector.content["sensitivity"]["query"] == "P(lung = no | xray = yes)"
    widget.selected_node = "bronc"
    assert widget.inspector.content["sensitivity"]["query"] == "P(bronc = yes | xray = yes)"
    widget.selected_node = "xray"
    assert "its probability is fixed" in widget.inspector.content["sensitivity"]["note"]
    with pytest.raises(ValueError, match="give a BayesianNetwork"):
        NetworkGraph([("a", "b")], sensitivity=True)


def test_the_states_that_are_most_probable_together_are_marked_and_listed(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia, bars=True, explanation=True, evidence={"xray": "yes", "dysp": "yes"})
    found = asia.most_probable(widget.evidence)
    states, second = found.states, found.runner_up.states
    shown = widget.inspector.content
    assert (shown["kind"], [row["state"] for row in shown["explanation"]]) == ("explanation", list(states.values()))
    others = [second[name] if second[name] != state else "" for name, state in states.items()]
    assert [row["other"] for row in shown["explanation"]] == others
    assert f"{found.probability:.3g}" in shown["notes"][0]
    best = {node["name"]: node["bars"].get("best") for node in widget.view.nodes}
    assert best == {v.name: v.code(states[v.name]) if v.name in states else None for v in asia.variables}
    assert [entry["kind"] for entry in widget.view.legend] == ["before", "best"]
    widget.selected_node = "lung"
    assert widget.inspector.content["kind"] == "node"
    press(widget, "explanation", value=False)
    assert {node["bars"].get("best") for node in widget.view.nodes} == {None}
    assert [entry["kind"] for entry in widget.view.legend] == ["before"]
    with pytest.raises(ValueError, match="give a BayesianNetwork"):
        NetworkGraph([("a", "b")], explanation=True)


def test_marimo_shows_the_live_picture_beside_the_live_details(
    asia: BayesianNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own package is not needed here: it shows a widget as an element, and takes HTML with such elements."""
    package = ModuleType("marimo")
    package.as_html = lambda widget: SimpleNamespace(text=f"<live-{type(widget).__name__}>")  # type: ignore[attr-defined]
    package.Html = str  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "marimo", package)
    html = NetworkGraph(asia)._display_()
    assert re.findall(r"<live-\w+>", html) == ["<live-GraphView>", "<live-NodeInspector>"]
