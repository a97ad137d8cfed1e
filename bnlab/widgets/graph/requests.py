"""What the page of a `NetworkGraph` asks for, done with the widget's own methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bnlab.widgets.graph import content as contents
from bnlab.widgets.graph import controls
from bnlab.widgets.graph.session import GraphSession

if TYPE_CHECKING:
    from bnlab.widgets.graph.network_graph import NetworkGraph

Asked = Mapping[str, Any]


def answer(graph: NetworkGraph, session: GraphSession, asked: Asked) -> None:
    """Do what the picture or the panel asks for; what it may not ask for raises a ValueError."""
    answers: dict[str, Callable[[], None]] = {
        "edit": lambda: _edit(graph, asked),
        "undo": graph.undo,
        "redo": graph.redo,
        "evidence": lambda: _observe(graph, session, asked),
        "select": lambda: graph.set_trait("selected_node", asked["node"]),
        "score": lambda: graph.set_trait("score", asked["score"]),
    }
    if found := answers.get(asked["type"]):
        found()


def control(graph: NetworkGraph, asked: Asked) -> None:
    """Do what the toolbar asks for."""
    actions: dict[str, Callable[[], None]] = {
        "undo": graph.undo,
        "redo": graph.redo,
        "reset": graph.reset_positions,
        "clear": graph.clear_evidence,
        "export": lambda: graph.offer(asked["value"]),
    }
    name = asked["id"]
    if name in actions:
        actions[name]()
    elif name in controls.SETTINGS:
        graph.set_trait(name, asked["value"])


def _edit(graph: NetworkGraph, asked: Asked) -> None:
    if not graph.view.editable:
        raise ValueError("the graph cannot be edited as it is shown.")
    graph.edit(asked["action"], asked["u"], asked["v"])


def _observe(graph: NetworkGraph, session: GraphSession, asked: Asked) -> None:
    node, state = asked["node"], asked["state"]
    others = {name: seen for name, seen in graph.evidence.items() if name != node}
    known = contents.variable(session, node)
    graph.evidence = others if state is None else {**others, node: known.states[state]}
