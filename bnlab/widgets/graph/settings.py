"""Settings of a `NetworkGraph`: traits, their allowed values, their controls, and their effect on the drawing."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log10
from threading import Event
from typing import Any

import numpy as np
import traitlets

from bnlab._runtime.names import check_known, known_name
from bnlab.figures.labels import score_label
from bnlab.figures.scores.graph_scores import PLAIN_SCORES
from bnlab.graphs import Knowledge, as_dag
from bnlab.networks.influence import InfluenceDiagram
from bnlab.widgets.base.controls import Control, button, icon, select, slider, toggle, undo_and_redo
from bnlab.widgets.base.panel import Panel
from bnlab.widgets.graph import content
from bnlab.widgets.graph.data import titles_of
from bnlab.widgets.graph.files import FILES
from bnlab.widgets.graph.focus import neighbourhood, restricted
from bnlab.widgets.graph.rules import MOST_FORBIDDEN, edge_rules
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.view import HIGHLIGHTS, GraphView

STRENGTHS: dict[str, str] = {
    "none": "None",
    "given": "Given",
    "gain": "Score gain",
    "mutual-information": "Mutual information",
    "p-value": "p-value",
    "probability": "Probability",
}
SETTINGS = (
    *("show_essential", "compare", "bars", "strength", "score", "labels", "matters", "details", "show_knowledge"),
    "editable",
)
"""Traits that change the display of the graph; all except the last have a control."""


def strength_refused(session: GraphSession, kind: str) -> str:
    """Why the graph has no strengths of a kind; "" if it has."""
    if kind == "given" and session.given_strengths is None:
        return "strength='given': no strengths were given; NetworkGraph(..., strengths=...) takes them."
    if kind == "probability":
        lacks = session.confidence is None
        return "strength='probability': NetworkGraph takes it from an EdgeConfidence." if lacks else ""
    if kind not in ("none", "given") and session.scores is None:
        return f"strength={kind!r} is measured on data: NetworkGraph(graph, data) has them."
    return ""


NO_REFERENCE = "compare=True: there is no network to compare with; give NetworkGraph reference=... or truth=..."
NO_ESSENTIAL = "show_essential=True: only a directed graph has an essential graph."
REFUSED: dict[str, Callable[[GraphSession, Any], str]] = {
    "strength": strength_refused,
    "compare": lambda session, _: NO_REFERENCE if session.reference is None else "",
    "show_essential": lambda session, _: NO_ESSENTIAL if session.dag is None else "",
    "matters": lambda session, _: "" if session.infers else session.unavailable,
    "bars": lambda session, _: "" if session.infers else session.unavailable,
}
"""Why a trait cannot have a value that is neither None nor False; "" if it can."""


class GraphTraits(Panel):
    """Traits of a `NetworkGraph` with their checks."""

    graph = traitlets.Any()
    """Current graph: a Dag, or the given Pdag or influence diagram. The assignment of another Dag can be undone."""
    selected_node = traitlets.Unicode(None, allow_none=True)
    """Name of the selected node, or None."""
    selected_edge = traitlets.Tuple(default_value=None, allow_none=True)
    """Selected edge (u, v), or None."""
    evidence = traitlets.Dict()
    """Observed state of each observed node."""
    do = traitlets.Dict()
    """State of each node that is set by an intervention (`BayesianNetwork.do`) instead of observed."""
    score = traitlets.Unicode("bic")
    """Score that measures the gain of edges."""
    strength = traitlets.Enum(tuple(STRENGTHS), "none")
    """Kind of strength of edges."""
    highlight = traitlets.Enum(HIGHLIGHTS, "neighbours")
    """Nodes that are highlighted around a node."""
    show_essential = traitlets.Bool(False)
    """Whether the essential graph (CPDAG) is shown instead of the Dag."""
    compare = traitlets.Bool(False)
    """Whether edges are marked by comparison with the reference or the true network."""
    bars = traitlets.Bool(False)
    """Whether nodes show the probabilities of their states."""
    threshold = traitlets.Float(None, allow_none=True)
    """Least probability of an edge of the consensus graph; None without an `EdgeConfidence`."""
    labels = traitlets.Bool(False)
    """Whether edges show their strength as a number."""
    matters = traitlets.Bool(False)
    """Whether the details of a node list the information of other nodes about it (`bnlab.networks.what_matters`)."""
    knowledge = traitlets.Instance(Knowledge, allow_none=True)
    """Background knowledge, or None. A change of the graph that breaks one of its rules is refused."""
    show_knowledge = traitlets.Bool(True)
    """Whether the edges that the knowledge forbids are drawn."""
    details = traitlets.Bool(True)
    """Whether details of the selection are shown beside the graph."""
    focus = traitlets.Tuple(())
    """If not empty, only these nodes and those around them that `highlight` names are drawn."""
    editable = traitlets.Bool(True)
    """Whether the page can edit the graph; code always can."""
    learnable = traitlets.Bool(True)
    """Whether the page can learn an editable graph with data and knowledge again; code always can."""

    _session: GraphSession
    _view: GraphView
    _lost_evidence = ""
    _part: tuple[str, ...] = ()
    _stop_learning: Event | None = None

    @traitlets.validate(*SETTINGS, "selected_node")
    def _check(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        if name == "score":
            return known_name(value, PLAIN_SCORES, "score")
        if name == "editable":
            return bool(value) and self._session.dag is not None
        if name == "selected_node" and value is not None:
            check_known(value, self._session.names, f"selected_node={value!r}: no such node")
        if name in ("details", "labels", "show_knowledge", "selected_node"):
            return value
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

    @traitlets.validate("knowledge")
    def _check_knowledge(self, proposal: Any) -> Knowledge:
        value: Knowledge = proposal["value"]
        if self._session.dag is None:
            raise ValueError("knowledge: only a directed graph is compared with it; give a Dag or a BayesianNetwork.")
        value.resolved(self._session.names)
        return value

    @traitlets.validate("focus")
    def _check_focus(self, proposal: Any) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(proposal["value"]))
        if names and isinstance(self._session.given, InfluenceDiagram):
            raise ValueError("focus: an influence diagram is always drawn as a whole.")
        for name in names:
            check_known(name, self._session.names, f"focus: no node {name!r} in the graph")
        return names

    @traitlets.validate("threshold")
    def _check_threshold(self, proposal: Any) -> float | None:
        value: float | None = proposal["value"]
        if value is not None and not (self._session.confidence and value == self.threshold):
            self._lost_evidence = self._session.cut(value)
        return value

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: Any) -> dict[str, Any]:
        if proposal["value"] != self._session.evidence:
            self._session.observe(proposal["value"], self._session.do)
        return dict(self._session.evidence)

    @traitlets.validate("do")
    def _check_do(self, proposal: Any) -> dict[str, Any]:
        if proposal["value"] != self._session.do:
            self._session.observe(self._session.evidence, proposal["value"])
        return dict(self._session.do)

    @traitlets.validate("selected_edge")
    def _check_selected_edge(self, proposal: Any) -> tuple[str, str] | None:
        edge = None if proposal["value"] is None else tuple(proposal["value"])
        if edge is not None and self._view.edge(edge) is None:
            raise ValueError(f"selected_edge={edge!r}: no such edge is shown; give (u, v), or None.")
        return edge


STRONG = 80  # percentile of the gains at which edges reach full width, because gains differ by orders of magnitude
P_RANGE = (1.3, 20.0)  # -log10 p of the thinnest and of the thickest edge

Strengths = Mapping[tuple[str, str], float]


def strengths(panel: GraphTraits) -> Strengths | None:
    """Strength of every edge, of the kind `NetworkGraph.strength`; None for "none"."""
    session, kind = panel._session, panel.strength
    if kind == "probability":
        return session.probabilities
    if kind in ("none", "given"):
        return None if kind == "none" else session.given_strengths
    assert session.edge_strengths is not None
    return session.edge_strengths.values(session.dag, kind, panel.score)  # type: ignore[arg-type]


def drawing(panel: GraphTraits) -> dict[str, Any]:
    """Arguments of `GraphView.set_graph` that draw the current graph or its part in focus."""
    session, found = panel._session, strengths(panel)
    digits = ".0%" if panel.strength == "probability" else ".3g"
    shown: Any = session.essential if panel.show_essential else session.graph
    reference = session.reference if panel.compare else None
    drawn = {
        "graph": shown,
        "reference": content.comparable(reference, shown, essential=panel.show_essential),
        "node_kinds": dict.fromkeys(session.evidence, "evidence") | dict.fromkeys(session.do, "intervention"),
        "titles": titles_of({v.name: v.states for v in session.variables or ()}),
        "bars": content.bars(session) if panel.bars else None,
        "shares": _shares(panel),
        "rules": None if panel.show_essential else edge_rules(session.knowledge, session.drawn, panel.show_knowledge),
        "labels": {edge: f"{value:{digits}}" for edge, value in found.items()} if found and panel.labels else None,
        **({} if found is None else drawn_strengths(found, panel.strength, panel.score)),
    }
    if panel.focus:
        drawn = restricted(drawn, neighbourhood(session.drawn, panel.focus, panel.highlight))
    return drawn


def _shares(panel: GraphTraits) -> dict[tuple[str, str], float] | None:
    """Share of the direction of each edge if the strength is its probability; otherwise None."""
    if panel.strength != "probability" or panel.show_essential:
        return None
    return {(u, v): panel._session.direction(u, v) for u, v in panel._session.probabilities}


def drawn_strengths(strengths: Strengths, kind: str, score: str) -> dict[str, Any]:
    """Strengths with their label and range, as arguments of `GraphView.set_graph`.

    Examples
    --------
    >>> drawn_strengths({("A", "B"): 0.001}, "p-value", "bic")["strengths"]
    {('A', 'B'): 3.0}
    """
    label, extent = "Strength", None
    if kind == "mutual-information":
        label = "Mutual information, nats"
    elif kind == "probability":
        label, extent = "Probability", (0.0, 1.0)
    elif kind == "p-value":
        strengths = {edge: -log10(max(p, 1e-300)) + 0.0 for edge, p in strengths.items()}
        label, extent = "−log₁₀ of the p-value", P_RANGE
    elif kind == "gain":
        top = float(np.percentile([max(gain, 0.0) for gain in strengths.values()] or [0.0], STRONG))
        label, extent = f"Gain in {score_label(score)}, nats", (0.0, top or 1.0)
    return {"strengths": strengths, "strength_label": label, "strength_range": extent}


def toolbar(panel: GraphTraits) -> dict[str, list[Control]]:
    """Controls above the graph, in the form of `GraphView.toolbar`."""
    session = panel._session
    files = [(kind, file) for kind, file in FILES.items() if kind != "bif" or session.infers]
    return {
        "tools": _tools(panel),
        "view": _view_menu(panel),
        "save": [button(kind, file.label, f"Save as {file.name}") for kind, file in files],
    }


def offers_learning(panel: GraphTraits) -> bool:
    """Whether the page offers to learn the graph again."""
    session = panel._session
    return panel.learnable and panel.editable and session.knowledge is not None and not session.learning_refused


def _tools(panel: GraphTraits) -> list[Control]:
    session, shown = panel._session, []
    if session.history is not None and panel.editable:
        shown += undo_and_redo(session.history.last, session.history.next, icon)
    if session.infers:
        some = bool(session.evidence or session.do)
        shown.append(icon("clear", "Clear evidence", "Remove all observations and interventions", enabled=some))
    if offers_learning(panel):
        if panel._stop_learning is None:
            tip = "Learn the graph again from the data, as the knowledge says"
            shown.append(icon("learn", "Learn again", tip))
        else:
            shown.append(icon("learn", "Stop learning", "The graph stays as it is", picture="stop"))
    return shown


def _view_menu(panel: GraphTraits) -> list[Control]:
    session = panel._session
    shown = []
    if panel.threshold is not None:
        tip = "Least probability of an edge of the consensus graph"
        shown.append(slider("threshold", "Threshold", panel.threshold, tip, least=0, most=1, step=0.01))
    if not isinstance(session.given, InfluenceDiagram):
        tip = "Draw only the selected nodes and those around them that “Highlight” names (key F)"
        shown.append(toggle("focus", "Neighbourhood only", bool(panel.focus), tip))
    shown += [toggle("details", "Details", panel.details, "Show what is selected beside the graph")]
    if panel.strength != "none":
        shown.append(toggle("labels", "Edge labels", panel.labels, "Show the strength of edges as numbers"))
    if session.infers:
        tip = "Show in the details of a node how informative every other node is"
        shown.append(toggle("matters", "What matters", panel.matters, tip))
        shown.append(toggle("bars", "Probabilities", panel.bars, "Show the state probabilities in the nodes"))
    if session.history is not None:
        tip = "Show the essential graph (CPDAG): only edges that all equivalent graphs share have a direction"
        shown.append(toggle("show_essential", "Essential graph", panel.show_essential, tip))
    if session.knowledge is not None:
        tip = f"Draw the forbidden edges, up to {MOST_FORBIDDEN}, as dotted lines"
        shown.append(toggle("show_knowledge", "Knowledge", panel.show_knowledge, tip))
    if session.reference is not None:
        label = "Compare with true network" if session.reference.true else "Compare"
        shown.append(toggle("compare", label, panel.compare, f"Mark edges that differ from {session.reference.name}"))
    kinds = [kind for kind in STRENGTHS if not strength_refused(session, kind)]
    if len(kinds) > 1:
        options = [(kind, STRENGTHS[kind]) for kind in kinds]
        shown.append(select("strength", "Edge strength", panel.strength, options, "Strong edges have thick lines"))
    if session.scores is not None:
        scores = [(name, score_label(name)) for name in PLAIN_SCORES]
        shown.append(select("score", "Score", panel.score, scores, "Score whose gain is the strength of an edge"))
    return [*shown, button("reset", "Reset positions", "Compute the layout again")]
