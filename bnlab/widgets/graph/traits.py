"""State of a `NetworkGraph` as traits, and which values they may have."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from bnlab._runtime.names import known_name, nearest
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.graphs import as_dag
from bnlab.widgets.base.panel import Panel
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.view import HIGHLIGHTS, GraphView

STRENGTHS: dict[str, str] = {
    "none": "none",
    "given": "given",
    "gain": "score gain",
    "mutual-information": "mutual information",
    "p-value": "p-value",
}
SETTINGS = ("show_essential", "compare", "bars", "strength", "score", "editable")
"""Traits that change how the graph is drawn; all but the last have a control."""


def strength_refused(session: GraphSession, kind: str) -> str:
    if kind == "given" and session.given_strengths is None:
        return "strength='given': no strengths were given; NetworkGraph(..., strengths=...) takes them."
    if kind not in ("none", "given") and session.scores is None:
        return f"strength={kind!r} is measured on data: NetworkGraph(graph, data) has them."
    return ""


def _node_refused(session: GraphSession, name: str) -> str:
    return "" if name in session.names else f"selected_node={name!r}: no such node; {nearest(name, session.names)}"


NO_REFERENCE = "compare=True: there is no network to compare with; give NetworkGraph reference=... or truth=..."
NO_ESSENTIAL = "show_essential=True: only a directed graph has an essential graph."
REFUSED: dict[str, Callable[[GraphSession, Any], str]] = {
    "selected_node": _node_refused,
    "strength": strength_refused,
    "compare": lambda session, _: NO_REFERENCE if session.reference is None else "",
    "show_essential": lambda session, _: NO_ESSENTIAL if session.dag is None else "",
    "bars": lambda session, _: "" if session.infers else session.unavailable,
}
"""Why a trait cannot have a value that is neither None nor False; "" when it can."""


class GraphTraits(Panel):
    """Part of `NetworkGraph` that has no parts to show."""

    graph = traitlets.Any()
    """Present graph: a Dag, or the Pdag or influence diagram given. Assigning another Dag can be undone."""
    selected_node = traitlets.Unicode(None, allow_none=True)
    """Name of the selected node, or None."""
    selected_edge = traitlets.Tuple(default_value=None, allow_none=True)
    """Selected edge (u, v), or None."""
    evidence = traitlets.Dict()
    """Observed state of each observed node."""
    score = traitlets.Unicode("bic")
    """Score that measures the gain of edges."""
    strength = traitlets.Enum(tuple(STRENGTHS), "none")
    """What the strength of edges is."""
    highlight = traitlets.Enum(HIGHLIGHTS, "neighbours")
    """What is highlighted around a node."""
    show_essential = traitlets.Bool(False)
    """Whether the essential graph (CPDAG) is shown instead of the Dag."""
    compare = traitlets.Bool(False)
    """Whether edges are marked by comparison with the reference or the true network."""
    bars = traitlets.Bool(False)
    """Whether nodes show the probabilities of their states."""
    editable = traitlets.Bool(True)
    """Whether the page offers to edit; code always can."""

    _session: GraphSession
    _view: GraphView
    _lost_evidence = ""

    @traitlets.validate(*SETTINGS, "selected_node")
    def _check(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        if name == "score":
            return known_name(value, PLAIN_SCORES, "score")
        if name == "editable":
            return bool(value) and self._session.dag is not None
        reason = value not in (None, False) and REFUSED[name](self._session, value)
        if reason:
            raise ValueError(reason)
        return value

    @traitlets.validate("graph")
    def _check_graph(self, proposal: Any) -> Any:
        session, given = self._session, proposal["value"]
        if given is not session.graph:
            self._lost_evidence = session.change(lambda history: history.replace(as_dag(given, session.names)))
        return session.graph

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: Any) -> dict[str, Any]:
        if proposal["value"] != self._session.evidence:
            self._session.observe(proposal["value"])
        return dict(self._session.evidence)

    @traitlets.validate("selected_edge")
    def _check_selected_edge(self, proposal: Any) -> tuple[str, str] | None:
        edge = None if proposal["value"] is None else tuple(proposal["value"])
        if edge is not None and self._view.edge(edge) is None:
            raise ValueError(f"selected_edge={edge!r}: no such edge is shown; give (u, v), or None.")
        return edge
