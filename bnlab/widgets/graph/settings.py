"""Settings of a `NetworkGraph`: which values they may have, their controls, and how they draw its graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log10
from typing import Any, NamedTuple

import numpy as np

from bnlab._runtime.names import known_name, nearest
from bnlab.figures.labels import score_label
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.widgets.base.controls import Control, button, menu, select, toggle
from bnlab.widgets.graph import content
from bnlab.widgets.graph.data import titles_of
from bnlab.widgets.graph.export import FILES
from bnlab.widgets.graph.session import GraphSession

STRENGTHS: dict[str, str] = {
    "none": "none",
    "given": "given",
    "gain": "score gain",
    "mutual-information": "mutual information",
    "p-value": "p-value",
}
STRONG = 80  # percentile of the gains from which edges have full width: gains differ by orders of magnitude
P_RANGE = (1.3, 20.0)  # -log10 p of the thinnest and of the thickest edge

Strengths = Mapping[tuple[str, str], float]


class Values(NamedTuple):
    """Values of the settings: traits of `NetworkGraph` of the same names."""

    show_essential: bool
    compare: bool
    bars: bool
    strength: str
    score: str
    editable: bool


def checked(session: GraphSession, name: str, value: Any) -> Any:
    """Value of a trait of `NetworkGraph`.

    Raises
    ------
    ValueError
        If the graph or the data do not support this value.
    """
    if name == "score":
        return known_name(value, PLAIN_SCORES, "score")
    if name == "editable":
        return bool(value) and session.dag is not None
    reason = value not in (None, False) and REFUSED[name](session, value)
    if reason:
        raise ValueError(reason)
    return value


def _strength_refused(session: GraphSession, kind: str) -> str:
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
    "strength": _strength_refused,
    "compare": lambda session, _: NO_REFERENCE if session.reference is None else "",
    "show_essential": lambda session, _: NO_ESSENTIAL if session.dag is None else "",
    "bars": lambda session, _: "" if session.infers else session.unavailable,
}
"""Why a trait cannot have a value that is neither None nor False; "" when it can."""


def strengths(session: GraphSession, values: Values) -> Strengths | None:
    """Strength of every edge as `NetworkGraph.strength` says; None for none."""
    if values.strength in ("none", "given"):
        return None if values.strength == "none" else session.given_strengths
    assert session.edge_strengths is not None
    return session.edge_strengths.values(session.dag, values.strength, values.score)  # type: ignore[arg-type]


def drawing(session: GraphSession, values: Values) -> dict[str, Any]:
    """Present graph, as arguments of `GraphView.set_graph`."""
    shown: Any = session.essential if values.show_essential else session.graph
    reference = session.reference if values.compare else None
    found = strengths(session, values)
    return {
        "graph": shown,
        "reference": content.comparable(reference, shown, essential=values.show_essential),
        "node_kinds": dict.fromkeys(session.evidence, "evidence"),
        "titles": titles_of({v.name: v.states for v in session.variables or ()}),
        "bars": content.bars(session) if values.bars else None,
        **({} if found is None else drawn_strengths(found, values)),
    }


def drawn_strengths(strengths: Strengths, values: Values) -> dict[str, Any]:
    """Strengths as `GraphView.set_graph` takes them, with their label and range.

    Examples
    --------
    >>> values = Values(False, False, False, strength="p-value", score="bic", editable=True)
    >>> drawn_strengths({("A", "B"): 0.001}, values)["strengths"]
    {('A', 'B'): 3.0}
    """
    label, extent = "strength", None
    if values.strength == "mutual-information":
        label = "mutual information, nats"
    elif values.strength == "p-value":
        strengths = {edge: -log10(max(p, 1e-300)) + 0.0 for edge, p in strengths.items()}
        label, extent = "−log₁₀ of the p-value", P_RANGE
    elif values.strength == "gain":
        top = float(np.percentile([max(gain, 0.0) for gain in strengths.values()] or [0.0], STRONG))
        label, extent = f"gain in {score_label(values.score)}, nats", (0.0, top or 1.0)
    return {"strengths": strengths, "strength_label": label, "strength_range": extent}


def controls(session: GraphSession, values: Values) -> list[Control]:
    """Controls above the graph."""
    shown: list[Control] = []
    if session.history is not None and values.editable:
        shown.append(_step("undo", "↶ Undo", session.history.last))
        shown.append(_step("redo", "↷ Redo", session.history.next))
    if session.history is not None:
        tip = "Show the essential graph (CPDAG): only edges that all equivalent graphs share have a direction"
        shown.append(toggle("show_essential", "Essential graph", values.show_essential, tip))
    if session.reference is not None:
        label = "Compare with true network" if session.reference.true else "Compare"
        shown.append(toggle("compare", label, values.compare, f"Mark edges that differ from {session.reference.name}"))
    if session.infers:
        shown.append(toggle("bars", "Probabilities", values.bars, "Show the state probabilities in the nodes"))
        tip = "Remove all observations"
        shown.append(button("clear", "Clear evidence", tip, enabled=bool(session.evidence)))
    kinds = [kind for kind in STRENGTHS if not _strength_refused(session, kind)]
    if len(kinds) > 1:
        options = [(kind, STRENGTHS[kind]) for kind in kinds]
        shown.append(select("strength", "Edge strength", values.strength, options, "Strong edges have thick lines"))
    if session.scores is not None:
        scores = [(name, score_label(name)) for name in PLAIN_SCORES]
        shown.append(select("score", "Score", values.score, scores, "Score whose gain is the strength of an edge"))
    shown.append(button("reset", "Reset positions", "Compute the layout again"))
    files = [(kind, file.label) for kind, file in FILES.items() if kind != "bif" or session.infers]
    return [*shown, menu("export", "Export", files, "Save as a file")]


def _step(id: str, label: str, step: str) -> Control:
    tip = f"{id.capitalize()} {step}".replace("->", "→") if step else f"Nothing to {id}"
    return button(id, label, tip, enabled=bool(step))
