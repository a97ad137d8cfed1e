"""The network graph as tables of cases, without a widget, a page or a thread."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bnlab.data import Table
from bnlab.graphs import Dag, Knowledge
from bnlab.graphs.equivalence import as_learned
from bnlab.networks import BayesianNetwork
from bnlab.widgets.base.pure import Failed, Set, Stop, Told
from bnlab.widgets.graph.changes import hint_text
from bnlab.widgets.graph.page import page
from bnlab.widgets.graph.requests import message_of
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.state import (
    Change,
    ClearEvidence,
    Close,
    Focus,
    Learn,
    Learned,
    LearnOrStop,
    Observe,
    ResetPositions,
    Select,
    State,
    StopLearning,
    Switch,
    Try,
    UndoEdit,
    Weigh,
)
from bnlab.widgets.graph.update import Learning, begun, update
from tests.widgets.graph.acting import after

EDGE = ("smoke", "lung")


@pytest.fixture(scope="module")
def states(asia: BayesianNetwork, table: Table) -> dict[str, State]:
    """States by name: with data, without, a partly directed graph, and one with evidence and an edit."""
    data = begun(GraphSession(asia, table), None, bars=True)
    bare = begun(GraphSession(asia.dag), None, bars=False)
    changed = after(data, Observe("xray", 0), Change("delete", "asia", "tub"), Select(["lung"]))
    looked = begun(GraphSession(asia.dag, truth=asia), None, bars=False)
    ruled = after(data, Set("knowledge", Knowledge(forbidden=[EDGE])))
    learned = begun(GraphSession(as_learned(asia.dag), table), None, bars=True)
    edited = after(learned, Change("delete", *EDGE, by_page=True))
    return {
        "data": data,
        "bare": bare,
        "changed": changed,
        "compared": looked,
        "ruled": ruled,
        "learned": learned,
        "edited": edited,
    }


def edges(state: State) -> int:
    return len(state.data.marks())


@pytest.mark.parametrize(
    ("state", "message", "expected"),
    [
        ("data", Select(["lung"]), {"selected_node": "lung", "selected_edge": None}),
        ("data", Select(["lung", "dysp"]), {"selected_node": "dysp", "selected": ("lung", "dysp")}),
        ("data", Select([], list(EDGE)), {"selected_edge": EDGE, "selected": ()}),
        ("data", Set("selected_edge", EDGE), {"selected_edge": EDGE, "selected_node": None}),
        ("changed", Set("selected_node", None), {"selected": ()}),
        ("changed", Set("selected_edge", EDGE), {"selected": (), "selected_edge": EDGE}),
        ("changed", Set("selected_edge", None), {"selected": ("lung",), "selected_edge": None}),
        ("data", Change("delete", *EDGE), {"status": "delete smoke → lung · BIC/MDL"}),
        ("data", Change("forbid", *EDGE, by_page=True), {"knowledge": Knowledge(forbidden=[EDGE])}),
        ("changed", UndoEdit(), {"evidence": {"xray": "yes"}, "status": "Initial graph"}),
        ("data", Observe("xray", 0), {"evidence": {"xray": "yes"}, "status": "Given xray = yes (probability 0.11"}),
        ("data", Observe("xray", 1, do=True), {"do": {"xray": "no"}, "evidence": {}}),
        ("data", Weigh("xray", 0, 1), {"evidence": {"xray": "yes"}}),
        ("changed", Weigh("xray", 0, 0), {"evidence": {"xray": {"yes": 0.0, "no": 1.0}}}),
        ("changed", Observe("xray", None), {"evidence": {}, "status": "No evidence."}),
        ("changed", Observe("xray", 1, do=True), {"evidence": {}, "do": {"xray": "no"}}),
        ("changed", ClearEvidence(), {"evidence": {}, "status": "No evidence."}),
        ("data", Set("evidence", {"smoke": "no"}), {"evidence": {"smoke": "no"}}),
        ("data", Set("score", "BDeu"), {"score": "bdeu"}),
        ("data", Set("strength", "gain"), {"strength": "gain"}),
        ("data", Set("bars", False), {"bars": False}),
        ("data", Set("show_essential", True), {"show_essential": True, "can_edit": True}),
        ("data", Set("editable", False), {"can_edit": False}),
        ("learned", Select(["lung"]), {"show_essential": True, "can_edit": True, "selected_node": "lung"}),
        ("learned", Set("show_essential", False), {"show_essential": False}),
        (
            "learned",
            Change("delete", *EDGE, by_page=True),
            {"show_essential": False, "status": "delete smoke → lung · "},
        ),
        ("learned", Change("forbid", *EDGE, by_page=True), {"show_essential": True}),
        ("edited", UndoEdit(), {"show_essential": True}),
        ("edited", Set("show_essential", True), {"show_essential": True}),
        ("data", Set("status", "Hello."), {"status": "Hello.", "failed": False}),
        ("data", Told("Not done."), {"status": "Not done.", "failed": True}),
        ("data", Set("focus", ["lung"]), {"focus": ("lung",), "status": "3 of 8 nodes: neighbours of lung"}),
        ("changed", Focus(), {"focus": ("lung",)}),
        ("data", Focus("dysp"), {"focus": ("dysp",)}),
        ("data", ResetPositions(), {"layout": 1}),
        ("data", StopLearning(), {"stopping": True, "status": "Stopping …"}),
    ],
)
def test_each_message_leads_to_its_state(
    states: dict[str, State], state: str, message: Any, expected: dict[str, Any]
) -> None:
    end, _ = update(states[state], message)
    for name, value in expected.items():
        found = getattr(end, name)
        assert found.startswith(value) if name == "status" else found == value


@pytest.mark.parametrize(
    ("state", "message", "words"),
    [
        ("data", Set("selected_node", "lungs"), "did you mean 'lung'"),
        ("data", Set("selected_edge", ("asia", "lung")), "no such edge is shown"),
        ("data", Select([], ["lung", "smoke"]), "no such edge is shown"),
        ("data", Set("score", "bich"), "did you mean 'bic'"),
        ("data", Set("strength", "given"), "no strengths were given"),
        ("data", Set("highlight", "parents"), "highlight"),
        ("data", Set("compare", True), "no network to compare with"),
        ("bare", Set("bars", True), "give a BayesianNetwork"),
        ("bare", Set("strength", "gain"), "measured on data"),
        ("bare", Observe("lung", 0), "its states are unknown"),
        ("bare", Learn(), r"there are no data to learn from: NetworkGraph\(graph, data\) has them"),
        ("bare", Set("threshold", 0.5), "give NetworkGraph an EdgeConfidence"),
        ("data", Set("focus", ["lnug"]), "did you mean 'lung'"),
        ("data", Focus(), "select the node"),
        ("data", Change("add", "dysp", "asia"), "would close asia -> tub -> either -> dysp -> asia"),
        ("data", Change("bend", *EDGE), "bend"),
        ("data", UndoEdit(), "nothing to undo: this is where editing began"),
        ("data", UndoEdit(redo=True), "nothing to redo: no step has been undone"),
        ("ruled", Change("add", "smoke", "xray", by_page=True), ""),
        ("data", Set("session", None), "no message"),
        ("data", Set("evidence", {"xray": "maybe"}), "no state 'maybe'"),
    ],
)
def test_what_cannot_be_is_refused(states: dict[str, State], state: str, message: Any, words: str) -> None:
    if words:
        with pytest.raises(ValueError, match=words):
            update(states[state], message)
    else:
        assert edges(update(states[state], message)[0]) == edges(states[state]) + 1


def test_what_is_drawn_is_always_that_of_the_settings(states: dict[str, State]) -> None:
    data, compared = states["data"], states["compared"]
    assert (edges(data), edges(states["changed"]), edges(after(states["changed"], UndoEdit()))) == (8, 7, 8)
    assert set(compared.data.classes.values()) == {"true"}
    assert not after(compared, Set("compare", False)).data.classes
    part = after(data, Set("focus", ["lung"]))
    assert part.data.graph.names == ("smoke", "lung", "either")
    assert after(part, Set("highlight", "ancestors")).data.graph.names == ("smoke", "lung")
    assert after(part, Set("focus", ())).data == data.data
    assert after(data, Select(["lung"])).data is data.data


def test_a_selection_is_requested_until_something_has_happened(states: dict[str, State]) -> None:
    data = replace(states["data"], status=hint_text(states["data"]))
    for chosen in (Select(["lung"]), Select([], EDGE)):
        assert "Select a node or edge" not in after(data, chosen).status
        assert "Select a node or edge" in after(data, chosen, Select([])).status
    assert after(states["changed"], Select([])).status == states["changed"].status


def test_a_selection_that_is_no_longer_drawn_ends(states: dict[str, State]) -> None:
    chosen = after(states["data"], Select([], EDGE))
    assert after(chosen, Change("delete", *EDGE)).selected_edge is None
    part = after(states["data"], Set("focus", ["asia"]))
    moved = after(part, Set("selected_node", "dysp"))
    assert (moved.focus, moved.selected_node) == (("dysp",), "dysp")


def test_learning_begins_ends_or_is_stopped(states: dict[str, State]) -> None:
    learning, (effect,) = update(states["ruled"], LearnOrStop())
    assert isinstance(effect, Learning)
    assert (learning.learning, learning.status) == (True, "Learning …")
    stopping, effects = update(learning, LearnOrStop())
    assert effects == [Stop("learn")]
    result = effect.run(print, lambda: False)
    assert after(stopping, result).status == "Stopped: the graph is as before."
    done = after(learning, result)
    assert not done.learning
    assert EDGE not in done.session.drawn.edges
    with pytest.raises(ValueError, match="the knowledge forbids this change"):
        update(done, UndoEdit())  # back to a graph that the knowledge forbids
    assert effect.run(print, lambda: True).graph is None
    assert after(learning, Failed(effect, ValueError())).learning is False
    same = after(replace(learning, session=done.session), Learned(done.session, result.graph))
    assert same.status == "Learned again: the graph is the same."


def test_another_graph_keeps_selection_settings_and_evidence(states: dict[str, State], table: Table) -> None:
    fewer = Dag.from_edges(table.names, [EDGE])
    switched = after(states["changed"], Set("strength", "gain"), Switch(GraphSession(fewer, table), None))
    assert (switched.graph, switched.evidence, switched.selected_node) == (fewer, {"xray": "yes"}, "lung")
    assert (switched.strength, edges(switched)) == ("gain", 1)
    bare = after(switched, Switch(GraphSession(fewer), None))
    assert (bare.strength, bare.bars) == ("none", False)


@pytest.mark.parametrize(
    ("request_of_the_page", "message"),
    [
        ({"type": "edit", "action": "add", "u": "a", "v": "b"}, Change("add", "a", "b", by_page=True)),
        ({"type": "undo"}, UndoEdit()),
        ({"type": "redo"}, UndoEdit(redo=True)),
        ({"type": "evidence", "node": "a", "state": 1}, Observe("a", 1)),
        ({"type": "do", "node": "a", "state": None}, Observe("a", None, do=True)),
        ({"type": "weigh", "node": "a", "state": 1, "p": 0.3}, Weigh("a", 1, 0.3)),
        ({"type": "try", "u": "a", "v": "b"}, Try(("a", "b"))),
        ({"type": "focus", "node": "a"}, Focus("a")),
        ({"type": "select", "node": "a"}, Set("selected_node", "a")),
        ({"type": "close"}, Close()),
        ({"type": "control", "id": "redo", "value": True}, UndoEdit(redo=True)),
        ({"type": "control", "id": "bars", "value": False}, Set("bars", False)),
        ({"type": "control", "id": "threshold", "value": 50}, Set("threshold", 0.5)),
        ({"type": "control", "id": "focus", "value": False}, Focus(wanted=False)),
        ({"type": "control", "id": "learn", "value": True}, LearnOrStop()),
        ({"type": "control", "id": "reset", "value": True}, ResetPositions()),
        ({"type": "control", "id": "clear", "value": True}, ClearEvidence()),
        ({"type": "fit"}, None),
    ],
)
def test_requests_of_the_page_are_messages(request_of_the_page: dict[str, Any], message: Any) -> None:
    assert message_of(request_of_the_page) == message


@pytest.mark.parametrize(
    ("state", "messages", "kind", "title", "beside"),
    [
        ("data", [], "none", "Nothing selected", False),
        ("changed", [], "node", "lung", True),
        ("changed", [Set("details", False)], "node", "lung", False),
        ("data", [Select([], EDGE)], "edge", "smoke → lung", True),
        ("data", [Select(EDGE)], "edge", "smoke → lung", True),
        ("data", [Select(["asia", "xray"])], "pair", "asia, xray", True),
        ("data", [Select(["asia", "xray", "lung"])], "node", "lung", True),
    ],
)
def test_details_are_those_of_the_selection(
    states: dict[str, State], state: str, messages: list[Any], kind: str, title: str, beside: bool
) -> None:
    shown = page(after(states[state], *messages))
    assert (shown["details"]["kind"], shown["details"]["title"], shown["beside"]) == (kind, title, beside)


def test_the_toolbar_offers_what_is_possible(states: dict[str, State]) -> None:
    def enabled(state: State) -> dict[str, bool]:
        return {one["id"]: one["enabled"] for one in page(state)["toolbar"]["tools"]}

    assert enabled(states["data"]) == {"undo": False, "redo": False, "clear": False}
    assert enabled(states["changed"]) == {"undo": True, "redo": False, "clear": True}
    assert page(states["changed"])["toolbar"]["tools"][0]["tip"] == "Undo delete asia → tub"
    assert enabled(states["bare"]) == {"undo": False, "redo": False}
    assert "learn" in enabled(states["ruled"])
    assert [one["id"] for one in page(states["bare"])["toolbar"]["save"]] == ["html", "graphml", "python"]
    for selected in (Select(["lung"]), Select([], EDGE)):
        assert enabled(after(states["data"], selected)) == enabled(states["data"]), "a selection moves no tool"
