"""Settings of a `NetworkGraph`: their allowed values, their controls, and their effect on the drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import log10
from typing import Any

import numpy as np

from bnlab.figures.graphs import node_tables
from bnlab.figures.graphs.network import open_edges
from bnlab.figures.labels import score_label
from bnlab.figures.scores.graph_scores import PLAIN_SCORES
from bnlab.graphs import Dag, member
from bnlab.networks.influence import InfluenceDiagram
from bnlab.widgets.base.controls import Control, button, icon, select, slider, toggle, undo_and_redo
from bnlab.widgets.graph.data import Appearance, GraphData, graph_data, titles_of
from bnlab.widgets.graph.details import known_code
from bnlab.widgets.graph.exports import FILES
from bnlab.widgets.graph.focus import LARGE, modules, neighbourhood, restricted
from bnlab.widgets.graph.rules import MOST_FORBIDDEN, edge_rules
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.state import State

STRENGTHS: dict[str, str] = {
    "none": "None",
    "given": "Given",
    "gain": "Score gain",
    "mutual-information": "Mutual information",
    "p-value": "p-value",
    "probability": "Probability",
}
FOUND = "share of the bootstrap samples"
"""What the probability of an edge is if it comes from a bootstrap."""
SETTINGS = (
    *("show_essential", "show_member", "compare", "bars", "strength", "score", "labels", "matters", "sensitivity"),
    *("explanation", "edit_tables", "details", "show_knowledge", "editable"),
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


INFERRED = ("bars", "matters", "sensitivity", "edit_tables")
"""Fields that need probabilities."""
NO_REFERENCE = "compare=True: there is no network to compare with; give NetworkGraph reference=... or truth=..."
NO_ESSENTIAL = "show_essential=True: only a directed graph has an essential graph."
NO_MEMBER = "show_member=True: only an equivalence class (a Pdag) has members, and contradictory tests give it none."
REFUSED: dict[str, Callable[[GraphSession, Any], str]] = {
    "strength": strength_refused,
    "compare": lambda session, _: NO_REFERENCE if session.reference is None else "",
    "show_essential": lambda session, _: NO_ESSENTIAL if session.dag is None else "",
    "show_member": lambda session, _: NO_MEMBER if session.member is None else "",
    "explanation": lambda session, _: session.estimate_note if session.infers else session.unavailable,
    **dict.fromkeys(INFERRED, lambda session, _: "" if session.infers else session.unavailable),
}
"""Why a trait cannot have a value that is neither None nor False; "" if it can."""


ESSENTIAL = "Essential graph"
ESSENTIAL_TIP = "Only edges whose direction all equivalent graphs share have an arrowhead (CPDAG)"
STRONG = 80  # percentile of the gains at which edges reach full width, because gains differ by orders of magnitude
P_RANGE = (1.3, 20.0)  # -log10 p of the thinnest and of the thickest edge
Strengths = Mapping[tuple[str, str], float]


def strengths(state: State) -> Strengths | None:
    """Strength of every edge, of the kind `NetworkGraph.strength`; None for "none"."""
    session, kind = state.session, state.strength
    if kind == "probability":
        return session.probabilities
    if kind in ("none", "given"):
        return None if kind == "none" else session.given_strengths
    assert session.edge_strengths is not None
    return session.edge_strengths.values(session.dag, kind, state.score)  # type: ignore[arg-type]


def drawing(state: State) -> GraphData:
    """The current graph as it is drawn, or its part in focus."""
    session, found = state.session, strengths(state)
    digits = ".0%" if state.strength == "probability" else ".3g"
    known = session.confidence if state.strength == "probability" else None
    kind = FOUND if known is not None and known.method == "bootstrap" else state.strength
    essential = session.essential if state.show_essential else None
    # Without its mark, a learned graph is drawn with all arrowheads.
    given: Any = session.member if state.show_member else session.graph
    shown: Any = essential or (member(given) if isinstance(given, Dag) else given)
    reference = session.reference if state.compare else None
    drawn = {
        "graph": shown,
        "ranks": session.dag if essential else None,  # so that nodes stay where they are without “Essential graph”
        "reference": None if reference is None else reference.comparable(shown, essential=state.show_essential),
        "kinds": open_edges(essential, essential=True) if essential and reference is None else None,
        "node_kinds": dict.fromkeys(session.evidence, "evidence") | dict.fromkeys(session.do, "intervention"),
        "titles": titles_of({v.name: v.states for v in session.variables or ()}),
        "bars": bars(session, explained=state.explanation) if state.bars else None,
        "shares": _shares(state),
        "rules": edge_rules(session.knowledge, session.drawn, state.show_knowledge),
        "labels": {edge: f"{value:{digits}}" for edge, value in found.items()} if found and state.labels else None,
        **({} if found is None else drawn_strengths(found, kind, state.score)),
    }
    if state.focus:
        drawn = restricted(drawn, neighbourhood(session.drawn, state.focus, state.highlight))
    graph, reference, values, ranks = (drawn.pop(name, None) for name in ("graph", "reference", "strengths", "ranks"))
    return replace(graph_data(graph, reference, values, Appearance(**drawn)), ranks=ranks)


def _shares(state: State) -> dict[tuple[str, str], float] | None:
    """Share of the direction of each edge if the strength is its probability; otherwise None."""
    if state.strength != "probability" or state.show_essential:
        return None
    return {(u, v): state.session.direction(u, v) for u, v in state.session.probabilities}


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
    elif kind in (FOUND, "probability"):
        label, extent = kind.capitalize(), (0.0, 1.0)
    elif kind == "p-value":
        strengths = {edge: -log10(max(p, 1e-300)) + 0.0 for edge, p in strengths.items()}
        label, extent = "−log₁₀ of the p-value", P_RANGE
    elif kind == "gain":
        top = float(np.percentile([max(gain, 0.0) for gain in strengths.values()] or [0.0], STRONG))
        label, extent = f"Gain in {score_label(score)}, nats", (0.0, top or 1.0)
    return {"strengths": strengths, "strength_label": label, "strength_range": extent}


def toolbar(state: State) -> dict[str, list[Control]]:
    """Controls above the graph, in the form of `GraphView.toolbar`."""
    session = state.session
    files = [(kind, file) for kind, file in FILES.items() if kind != "bif" or session.infers]
    return {
        "tools": _tools(state),
        "view": _view_menu(state),
        "below": _threshold(state),
        "save": [button(kind, file.label, f"Save as {file.name}") for kind, file in files],
    }


def offers_learning(state: State) -> bool:
    """Whether the page offers to learn the graph again."""
    session = state.session
    return state.learnable and state.editable and session.knowledge is not None and not session.learning_refused


def _tools(state: State) -> list[Control]:
    session, shown = state.session, []
    if session.history is not None and state.editable:
        shown += undo_and_redo(session.history.last, session.history.next, icon)
    if state.can_add:
        shown.append(icon("add", "Add a variable", "Add a variable to the network"))
    if session.infers:
        some = bool(session.evidence or session.do)
        shown.append(icon("clear", "Clear evidence", "Remove all observations and interventions", enabled=some))
    if offers_learning(state):
        if not state.learning:
            tip = "Learn the graph again from the data, as the knowledge says"
            shown.append(icon("learn", "Learn again", tip))
        else:
            shown.append(icon("learn", "Stop learning", "The graph stays as it is", picture="stop"))
    return shown


def _threshold(state: State) -> list[Control]:
    """Slider of the threshold, in percent; nothing without edge probabilities."""
    if state.threshold is None:
        return []
    tip = "Least probability of an edge of the consensus graph"
    percent = round(100 * state.threshold, 1)
    return [slider("threshold", "Edges with a probability of at least (%)", percent, tip, least=0, most=100, step=1)]


def _view_menu(state: State) -> list[Control]:
    session = state.session
    shown = []
    if not isinstance(session.given, InfluenceDiagram):
        tip = "Draw only the selected nodes and those around them that “Highlight” names (key F)"
        shown.append(toggle("focus", "Neighbourhood only", bool(state.focus), tip))
        if len(session.names) >= LARGE:
            found = modules(session.drawn)
            options = [("", "all"), *((name, f"{name} and {len(group) - 1} more") for name, group in found.items())]
            value = next((name for name, group in found.items() if group == state.focus), "")
            tip = "Draw only one group of nodes with many edges among them, and those around it"
            shown.append(select("module", "Module", value, options, tip))
    shown += [toggle("details", "Details", state.details, "Show what is selected beside the graph")]
    if state.strength != "none":
        shown.append(toggle("labels", "Edge labels", state.labels, "Show the strength of edges as numbers"))
    if session.infers:
        tip = "Show in the details of a node how far each probability of the network moves its own"
        shown.append(toggle("sensitivity", "Sensitivity", state.sensitivity, tip))
        tip = "Mark the states of all nodes that are most probable together, given the evidence"
        if not session.estimate_note:
            shown.append(toggle("explanation", "Most probable explanation", state.explanation, tip))
        shown.append(toggle("bars", "Probabilities", state.bars, "Show the state probabilities in the nodes"))
    if session.history is not None:
        shown.append(toggle("show_essential", ESSENTIAL, state.show_essential, ESSENTIAL_TIP))
    if session.member is not None and session.given.undirected:  # type: ignore[union-attr]
        shown.append(toggle("show_class", ESSENTIAL, not state.show_member, ESSENTIAL_TIP))
    if session.knowledge is not None:
        tip = f"Draw the forbidden edges, up to {MOST_FORBIDDEN}, as dotted lines"
        shown.append(toggle("show_knowledge", "Knowledge", state.show_knowledge, tip))
    if session.reference is not None:
        label = "Compare with true network" if session.reference.true else "Compare"
        shown.append(toggle("compare", label, state.compare, f"Mark edges that differ from {session.reference.name}"))
    kinds = [kind for kind in STRENGTHS if not strength_refused(session, kind)]
    if len(kinds) > 1:
        options = [(kind, STRENGTHS[kind]) for kind in kinds]
        shown.append(select("strength", "Edge strength", state.strength, options, "Strong edges have thick lines"))
    if session.scores is not None:
        scores = [(name, score_label(name)) for name in PLAIN_SCORES]
        shown.append(select("score", "Score", state.score, scores, "Score whose gain is the strength of an edge"))
    return [*shown, button("reset", "Reset positions", "Compute the layout again")]


def bars(session: GraphSession, *, explained: bool = False) -> dict[str, dict[str, Any]] | None:
    """Bars of all nodes with their values before the evidence; nodes with very many states have none.

    With `explained`, "best" is the state in the most probable explanation.
    """
    prior, posterior, given = session.prior, session.posterior, {**session.evidence, **session.do}
    if prior is None or posterior is None or session.variables is None:
        return None
    found = session.explanation if explained else None
    best = {} if found is None else found.states
    return {
        v.name: {
            "best": v.code(best[v.name]) if v.name in best else None,
            "states": list(map(str, v.states)),
            "p": posterior.marginals[v.name].tolist(),
            "set": known_code(v, given),
            "before": prior.marginals[v.name].tolist() if given else None,
        }
        for v in session.variables
        if v.arity <= node_tables.MOST_STATES
    }
