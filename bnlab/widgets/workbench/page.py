"""What the page of a workbench shows: forms, pictures of networks, a running search, and the comparison."""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict

from bnlab.data.table import Table
from bnlab.graphs import Dag, Knowledge, Pdag
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.equivalence import any_member
from bnlab.networks.fit import fit
from bnlab.widgets.base.controls import Lines
from bnlab.widgets.workbench import content
from bnlab.widgets.workbench.edges import edge_heads, edge_lines
from bnlab.widgets.workbench.knowledge import knowledge_html, knowledge_lines, limit_lines
from bnlab.widgets.workbench.results import network_lines
from bnlab.widgets.workbench.source import data_lines
from bnlab.widgets.workbench.state import File, Sketch, State

FORMS = {
    "data": "Data",
    "columns": "Columns",
    "details": "Details",
    "patterns": "Patterns of missing values",
    "knowledge": "Background knowledge",
    "limits": "Maximum numbers of parents",
    "learn": "Learn a network",
    "findings": "Findings",
    "list": "Networks",
    "trust": "Edge confidence",
    "edges": "Edges",
    "files": "Save and export",
    "steps": "Workbench",
}
"""Forms, and their labels."""
PROBABLE = 60
"""Maximum number of variables of a network whose picture has probabilities."""
BARS = 8
"""Maximum number of states of nodes that show probabilities."""


class Network(NamedTuple):
    """Network that is drawn, compared with another one."""

    name: str
    graph: Dag | Pdag
    confidence: EdgeConfidence | None
    table: Table | None
    other: str | None
    other_graph: Dag | Pdag | None

    def arguments(self) -> tuple[Any, Any, dict[str, Any]]:
        """Arguments of its `NetworkGraph`."""
        graph, table = any_member(self.graph) or self.graph, self.table if len(self.graph) <= PROBABLE else None
        reference = None
        if self.other is not None and self.other_graph is not None:
            reference = {self.other: any_member(self.other_graph) or self.other_graph}
        rest = {"reference": reference, "strengths": self.confidence}
        if table is not None and table.has_gaps:
            # The picture needs complete rows to count; `fit` does not.
            return fit(graph, table), None, rest
        return graph, table, rest

    def traits(self) -> dict[str, Any]:
        """First traits of its `NetworkGraph`."""
        table = self.table
        few = table is not None and table.n_variables <= PROBABLE and max(table.arities) <= BARS
        return {"bars": None if few else False, "learnable": False}

    def is_drawn_as(self, other: Network | None) -> bool:
        """Whether a picture of the other one is one of this."""
        parts = () if other is None else zip(self, other, strict=True)
        return other is not None and all(a is b or (isinstance(a, str) and a == b) for a, b in parts)


class Page(TypedDict):
    """What the page shows."""

    step: str
    forms: dict[str, Lines]
    details: str
    rules: str
    knowledge: Knowledge
    networks: tuple[Network | None, Network | None]
    comparison: str
    sketch: Sketch | None
    offered: File | None


def page(state: State) -> Page:
    """What the page shows."""
    return {
        "step": state.step,
        "forms": forms(state),
        "details": "Details" if state.column is None else f"Details of {state.column}",
        "rules": knowledge_html(state.knowledge),
        "knowledge": state.knowledge,
        "networks": networks(state),
        "comparison": state.comparison if len(state.session.study.graphs) > 1 else "",
        "sketch": state.sketch,
        "offered": state.offered,
    }


def forms(state: State) -> dict[str, Lines]:
    """Controls of all forms, of shown steps and of others."""
    found = state.session.study.confidence.get(str(state.shown))
    selected = None if state.pictured is None else state.pictured.selected
    return {
        "steps": content.step_lines(state),
        "data": data_lines(state),
        "columns": (),
        "details": (),
        "patterns": (),
        **state.column_forms,
        "knowledge": knowledge_lines(state),
        "limits": limit_lines(state),
        "learn": content.learn_lines(state),
        "findings": content.finding_lines(state),
        "list": network_lines(state),
        "trust": content.trust_lines(state),
        "edges": edge_lines(state.edges, edge_heads(state.edges, found), state.order, selected),
        "files": content.file_lines(state),
    }


def networks(state: State) -> tuple[Network | None, Network | None]:
    """Network that is drawn, and the one beside it."""
    shown, other = state.shown, state.reference
    if shown is None:
        return None, None
    return network(state, shown, other), network(state, other, shown) if other is not None and state.beside else None


def network(state: State, name: str, other: str | None) -> Network:
    """Network of a state, compared with another one."""
    study, table = state.session.study, state.session.table
    against = None if other is None else study.graphs[other]
    confidence = study.confidence.get(name)
    return Network(name, study.graphs[name], confidence, table, other, against)
