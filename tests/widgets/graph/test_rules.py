"""Background knowledge in the interactive network: rules made, shown and kept, and why an edge is not there."""

from __future__ import annotations

from typing import Any

import pytest

from bnlab import Dag, Knowledge, learn
from bnlab.data import Table
from bnlab.graphs import essential_graph
from bnlab.graphs.equivalence import as_learned
from bnlab.networks import BayesianNetwork
from bnlab.scores import score
from bnlab.widgets import NetworkGraph
from bnlab.widgets.graph.page import page
from bnlab.widgets.graph.rules import rule_against
from tests.widgets.graph.acting import control, press

TIERS = Knowledge(tiers=[["smoke", "asia"], ["lung", "tub", "bronc"], ["xray", "dysp"]])


@pytest.fixture
def graph(asia: BayesianNetwork, table: Table) -> NetworkGraph:
    return NetworkGraph(asia, table)


def ask(widget: NetworkGraph, action: str, u: str, v: str) -> None:
    """Press a button of the inspector."""
    widget.inspector._handle_custom_msg({"type": "edit", "action": action, "u": u, "v": v}, [])


def kinds(widget: NetworkGraph) -> dict[tuple[str, str], str]:
    return {(edge["u"], edge["v"]): edge["kind"] for edge in widget.view.edges}


def why_not(widget: NetworkGraph, u: str, v: str) -> dict[str, Any]:
    widget.view.selected = [u, v]
    content = page(widget.state)["details"]
    assert content["kind"] == "pair"
    found: dict[str, Any] = next(edge for edge in content["absent"] if (edge["u"], edge["v"]) == (u, v))
    return found


def test_an_edge_is_required_forbidden_and_made_free_in_the_inspector(graph: NetworkGraph) -> None:
    seen: list[Any] = []
    graph.observe(lambda change: seen.append(change["new"]), "knowledge")
    graph.selected_edge = ("smoke", "lung")
    assert page(graph.state)["details"]["actions"] == ["reverse", "delete", "require", "forbid"]
    ask(graph, "require", "smoke", "lung")
    assert page(graph.state)["details"]["actions"] == ["reverse", "delete", "forbid", "free"]
    assert page(graph.state)["details"]["rule"] == "Knowledge: This edge is required."
    assert graph.status == "Required: smoke → lung. The graph agrees with the knowledge."
    ask(graph, "free", "smoke", "lung")
    ask(graph, "forbid", "smoke", "lung")
    edge = ("smoke", "lung")
    assert seen == [Knowledge(required=[edge]), Knowledge(), Knowledge(forbidden=[edge])]
    assert "The graph disagrees: edge 'smoke' -> 'lung' is not allowed." in graph.status
    assert kinds(graph)[edge] == "not allowed"
    assert edge in graph.graph.edges


@pytest.mark.parametrize(
    ("knowledge", "edit", "words"),
    [
        (Knowledge(required=[("asia", "tub")]), ("delete", "asia", "tub"), "required edge 'asia' -> 'tub' is missing"),
        (Knowledge(forbidden=[("bronc", "smoke")]), ("reverse", "smoke", "bronc"), "'bronc' -> 'smoke' is forbidden"),
        (TIERS, ("reverse", "bronc", "dysp"), "'dysp' -> 'bronc' leads from tier 3 back to tier 2"),
        (Knowledge(max_parents=2), ("add", "asia", "dysp"), "'dysp' has more than 2 parents"),
    ],
)
def test_an_edit_that_breaks_a_rule_is_refused_and_the_rule_is_named(
    asia: BayesianNetwork, knowledge: Knowledge, edit: tuple[Any, str, str], words: str
) -> None:
    graph = NetworkGraph(asia, knowledge=knowledge)
    ask(graph, *edit)
    assert graph.graph == asia.dag
    assert graph.view.status.startswith(f"Not done: the knowledge forbids this change: {words}. Remove the rule")
    with pytest.raises(ValueError, match="the knowledge forbids this change"):
        graph.edit(*edit)
    graph.knowledge = None
    graph.edit(*edit)
    assert graph.graph != asia.dag


def test_a_graph_that_breaks_a_rule_already_can_still_be_edited_otherwise(asia: BayesianNetwork) -> None:
    graph = NetworkGraph(asia, knowledge=Knowledge(required=[("asia", "lung")], forbidden=[("asia", "tub")]))
    assert "The graph disagrees: required edge 'asia' -> 'lung' is missing; edge 'asia' -> 'tub'" in graph.status
    graph.edit("delete", "bronc", "dysp")
    graph.edit("delete", "asia", "tub")
    graph.edit("add", "asia", "lung")
    assert graph.knowledge.violations(graph.graph) == ()
    with pytest.raises(ValueError, match="required edge 'asia' -> 'lung' is missing"):
        graph.undo()
    with pytest.raises(ValueError, match="'asia' -> 'tub' is forbidden"):
        graph.graph = Dag.from_edges(asia.names, [("asia", "lung"), ("asia", "tub")])


def test_required_edges_are_marked_and_forbidden_ones_are_drawn_on_demand(asia: BayesianNetwork) -> None:
    known = Knowledge(required=[("smoke", "lung")], forbidden=[("asia", "lung"), ("lung", "smoke")])
    graph = NetworkGraph(asia, knowledge=known)
    places = [(node["x"], node["y"]) for node in graph.view.nodes]
    assert places == [(node["x"], node["y"]) for node in NetworkGraph(asia).view.nodes]
    found = kinds(graph)
    assert found["smoke", "lung"] == "required"
    assert (found["asia", "lung"], found["lung", "smoke"]) == ("forbidden", "forbidden")
    forbidden = next(edge for edge in graph.view.edges if edge["v"] == "smoke")
    assert (forbidden["label"], forbidden["points"]) == ("×", [])
    assert [entry["kind"] for entry in graph.view.legend] == ["required", "forbidden"]
    graph.view._handle_custom_msg({"type": "control", "id": "show_knowledge", "value": False}, [])
    assert set(kinds(graph)) == set(asia.dag.edges)
    graph.show_knowledge = True
    graph.show_essential = True
    assert set(kinds(graph).values()) == {"plain", "required", "forbidden", "direction not decided"}
    assert len(kinds(graph)) == len(asia.dag.edges) + 2


def test_a_rule_directs_an_edge_that_the_data_leave_open() -> None:
    graph = NetworkGraph(as_learned(Dag("abc", [("a", "b"), ("b", "c")])))
    graph.selected_edge = ("a", "b")
    shown = page(graph.state)["details"]
    rules = ["require", "forbid"]
    assert shown["actions"] == ["reverse", "delete"]
    assert shown["ways"] == [{"u": "a", "v": "b", "actions": rules}, {"u": "b", "v": "a", "actions": rules}]
    ask(graph, "require", "b", "a")
    directed = {(edge["u"], edge["v"]): edge["directed"] for edge in graph.view.edges}
    assert directed == {("b", "a"): True, ("b", "c"): False}
    assert graph.graph.edges == (("b", "a"), ("b", "c"))
    assert graph.status == "Required: b → a. The graph agrees with the knowledge."
    graph.selected_edge = ("b", "c")
    ask(graph, "forbid", "b", "c")
    assert graph.graph.edges == (("b", "a"), ("c", "b"))
    assert {edge["directed"] for edge in graph.view.edges if edge["kind"] != "forbidden"} == {True}
    ask(graph, "require", "a", "c")
    assert "The graph disagrees: required edge 'a' -> 'c' is missing" in graph.status
    assert graph.graph.edges == (("b", "a"), ("c", "b"))


def test_a_forbidden_edge_is_selected_and_made_free(asia: BayesianNetwork) -> None:
    graph = NetworkGraph(asia, knowledge=Knowledge(forbidden=[("asia", "lung")]))
    graph.selected_edge = ("asia", "lung")
    (shown,) = page(graph.state)["details"]["absent"]
    assert shown["reasons"][0] == "Knowledge: 'asia' -> 'lung' is forbidden."
    assert shown["actions"] == ["free"]
    ask(graph, "free", "asia", "lung")
    assert graph.knowledge == Knowledge()
    assert ("asia", "lung") not in kinds(graph)


def test_a_missing_edge_is_explained_by_the_score_that_it_would_change(graph: NetworkGraph, table: Table) -> None:
    found = why_not(graph, "asia", "lung")
    assert found["reasons"][0] == "It creates no cycle and breaks no rule."
    assert found["actions"] == ["add", "forbid"]
    more = Dag.from_edges(graph.graph.names, [*graph.graph.edges, ("asia", "lung")])
    change = score(more, table, "bic") - score(graph.graph, table, "bic")
    row = next(row for row in found["rows"] if row["label"] == "BIC/MDL")
    assert row == {"label": "BIC/MDL", "change": f"{change:+,.2f}".replace("-", "−"), "better": change > 0}
    assert change < 0


def test_a_missing_edge_is_explained_by_the_cycle_that_it_would_close(graph: NetworkGraph) -> None:
    found = why_not(graph, "dysp", "asia")
    assert "would close asia -> tub -> either -> dysp -> asia" in found["reasons"][0]
    assert (found["rows"], found["actions"]) == ([], ["forbid"])


def test_a_missing_edge_is_explained_by_the_rule_against_it(graph: NetworkGraph) -> None:
    graph.knowledge = TIERS | Knowledge(max_parents=2)
    assert why_not(graph, "xray", "bronc")["reasons"][0] == (
        "Knowledge: 'xray' -> 'bronc' leads from tier 3 back to tier 2."
    )
    assert why_not(graph, "smoke", "dysp")["reasons"][0] == "Knowledge: 'dysp' has more than 2 parents."
    ask(graph, "forbid", "asia", "lung")
    found = why_not(graph, "asia", "lung")
    assert (found["reasons"][0], found["actions"]) == ("Knowledge: 'asia' -> 'lung' is forbidden.", ["free"])


def test_the_menu_offers_knowledge_only_where_there_is_some(graph: NetworkGraph) -> None:
    def offered() -> bool:
        return any(control["id"] == "show_knowledge" for control in graph.view.toolbar["view"])

    assert not offered()
    graph.knowledge = TIERS
    assert offered()


def test_knowledge_that_does_not_fit_the_graph_is_refused(graph: NetworkGraph, asia: BayesianNetwork) -> None:
    with pytest.raises(ValueError, match="no variable 'smokes'; did you mean 'smoke'"):
        graph.knowledge = Knowledge(required=[("smokes", "lung")])
    assert graph.knowledge is None
    with pytest.raises(ValueError, match="only a directed graph"):
        NetworkGraph(essential_graph(asia.dag), knowledge=TIERS)


@pytest.mark.parametrize(
    ("knowledge", "words"),
    [
        (Knowledge(required=[("b", "c"), ("c", "a")]), "closes a cycle with required edges, a -> b -> c -> a"),
        (Knowledge(within=[("b", "c")]), "is outside `within`"),
        (Knowledge(max_parents={"b": 0}), "the maximum number of parents of 'b' is 0"),
        (Knowledge(required=[("c", "b")], max_parents=1), "of 'b' is 1, and as many others are required"),
        (Knowledge(required=[("a", "b")]), ""),
        (Knowledge(tiers=[["a"], ["b"]], forbidden=[("b", "a")]), ""),
    ],
)
def test_the_rule_against_an_edge_is_the_one_that_learners_keep(knowledge: Knowledge, words: str) -> None:
    rule = rule_against(knowledge, "a", "b")
    assert rule.endswith(words) if words else rule == ""
    assert bool(rule) == (not knowledge.resolved("abc").allowed[0, 1])


def test_the_graph_is_learned_again_under_the_knowledge_with_one_click(graph: NetworkGraph) -> None:
    assert control(graph, "learn") is None
    graph.observe_state("dysp", "yes")
    graph.view.positions = {"asia": [400.0, 300.0]}
    places = {node["name"]: (node["x"], node["y"]) for node in graph.view.nodes}
    ask(graph, "forbid", "smoke", "lung")
    assert graph.status.endswith(" is not allowed. “Learn again” finds a graph that agrees.")
    ask(graph, "require", "asia", "xray")
    press(graph, "learn")
    assert graph.wait(60)
    assert ("smoke", "lung") not in graph.graph.edges
    assert ("asia", "xray") in graph.graph.edges
    assert graph.graph == learn(graph.state.session.source, score="bic", knowledge=graph.knowledge)
    assert graph.evidence == {"dysp": "yes"}
    assert graph.view.positions == {"asia": [400.0, 300.0]}
    assert {node["name"]: (node["x"], node["y"]) for node in graph.view.nodes} == places
    assert graph.status.startswith("learn again · BIC/MDL ")
    press(graph, "learn")
    assert graph.wait(60)
    assert graph.status == "Learned again: the graph is the same."
    graph.knowledge = None
    graph.undo()
    assert ("smoke", "lung") in graph.graph.edges


def test_code_may_name_the_learner_and_needs_no_knowledge(graph: NetworkGraph) -> None:
    graph.learn("chow-liu", root="lung")
    assert graph.graph == learn(graph.state.session.source, "chow-liu", root="lung")
    graph.learn(score="aic")
    assert graph.graph == learn(graph.state.session.source, score="aic")
    with pytest.raises(ValueError, match="did you mean 'chow-liu'"):
        graph.learn("chow-lu")


def test_knowledge_that_the_learner_cannot_keep_is_reported_in_place(asia: BayesianNetwork, table: Table) -> None:
    graph = NetworkGraph(asia, table, knowledge=Knowledge(required=[("asia", "lung")]), score="ll")
    graph.knowledge = Knowledge(required=[("asia", "lung"), ("smoke", "lung"), ("tub", "lung")])
    press(graph, "learn")
    assert graph.wait(60)
    assert graph.failed
    assert graph.status.startswith("Not learned: ")
    assert graph.graph == asia.dag


def test_a_graph_without_data_or_directions_is_not_learned_again(asia: BayesianNetwork, table: Table) -> None:
    graph = NetworkGraph(asia, knowledge=TIERS)
    assert control(graph, "learn") is None
    with pytest.raises(ValueError, match="only a directed graph is learned again"):
        NetworkGraph(essential_graph(asia.dag), table).learn()


def test_an_owner_with_a_button_of_its_own_turns_that_of_the_graph_off(asia: BayesianNetwork, table: Table) -> None:
    graph = NetworkGraph(asia, table, knowledge=TIERS, learnable=False)
    assert control(graph, "learn") is None
    graph.learnable = True
    assert control(graph, "learn") is not None
