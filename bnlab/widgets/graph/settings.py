"""Settings of a `NetworkGraph`: their controls, and how they draw its graph."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import Any

import numpy as np

from bnlab.figures.labels import score_label
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.widgets.base.controls import Control, button, menu, select, toggle
from bnlab.widgets.graph import content
from bnlab.widgets.graph.data import titles_of
from bnlab.widgets.graph.export import FILES
from bnlab.widgets.graph.traits import STRENGTHS, GraphTraits, strength_refused

STRONG = 80  # percentile of the gains from which edges have full width: gains differ by orders of magnitude
P_RANGE = (1.3, 20.0)  # -log10 p of the thinnest and of the thickest edge

Strengths = Mapping[tuple[str, str], float]


def strengths(panel: GraphTraits) -> Strengths | None:
    """Strength of every edge as `NetworkGraph.strength` says; None for none."""
    session, kind = panel._session, panel.strength
    if kind in ("none", "given"):
        return None if kind == "none" else session.given_strengths
    assert session.edge_strengths is not None
    return session.edge_strengths.values(session.dag, kind, panel.score)  # type: ignore[arg-type]


def drawing(panel: GraphTraits) -> dict[str, Any]:
    """Present graph, as arguments of `GraphView.set_graph`."""
    session, found = panel._session, strengths(panel)
    shown: Any = session.essential if panel.show_essential else session.graph
    reference = session.reference if panel.compare else None
    return {
        "graph": shown,
        "reference": content.comparable(reference, shown, essential=panel.show_essential),
        "node_kinds": dict.fromkeys(session.evidence, "evidence"),
        "titles": titles_of({v.name: v.states for v in session.variables or ()}),
        "bars": content.bars(session) if panel.bars else None,
        **({} if found is None else drawn_strengths(found, panel.strength, panel.score)),
    }


def drawn_strengths(strengths: Strengths, kind: str, score: str) -> dict[str, Any]:
    """Strengths as `GraphView.set_graph` takes them, with their label and range.

    Examples
    --------
    >>> drawn_strengths({("A", "B"): 0.001}, "p-value", "bic")["strengths"]
    {('A', 'B'): 3.0}
    """
    label, extent = "strength", None
    if kind == "mutual-information":
        label = "mutual information, nats"
    elif kind == "p-value":
        strengths = {edge: -log10(max(p, 1e-300)) + 0.0 for edge, p in strengths.items()}
        label, extent = "−log₁₀ of the p-value", P_RANGE
    elif kind == "gain":
        top = float(np.percentile([max(gain, 0.0) for gain in strengths.values()] or [0.0], STRONG))
        label, extent = f"gain in {score_label(score)}, nats", (0.0, top or 1.0)
    return {"strengths": strengths, "strength_label": label, "strength_range": extent}


def controls(panel: GraphTraits) -> list[Control]:
    """Controls above the graph."""
    session = panel._session
    shown: list[Control] = []
    if session.history is not None and panel.editable:
        shown.append(_step("undo", "↶ Undo", session.history.last))
        shown.append(_step("redo", "↷ Redo", session.history.next))
    if session.history is not None:
        tip = "Show the essential graph (CPDAG): only edges that all equivalent graphs share have a direction"
        shown.append(toggle("show_essential", "Essential graph", panel.show_essential, tip))
    if session.reference is not None:
        label = "Compare with true network" if session.reference.true else "Compare"
        shown.append(toggle("compare", label, panel.compare, f"Mark edges that differ from {session.reference.name}"))
    if session.infers:
        shown.append(toggle("bars", "Probabilities", panel.bars, "Show the state probabilities in the nodes"))
        tip = "Remove all observations"
        shown.append(button("clear", "Clear evidence", tip, enabled=bool(session.evidence)))
    kinds = [kind for kind in STRENGTHS if not strength_refused(session, kind)]
    if len(kinds) > 1:
        options = [(kind, STRENGTHS[kind]) for kind in kinds]
        shown.append(select("strength", "Edge strength", panel.strength, options, "Strong edges have thick lines"))
    if session.scores is not None:
        scores = [(name, score_label(name)) for name in PLAIN_SCORES]
        shown.append(select("score", "Score", panel.score, scores, "Score whose gain is the strength of an edge"))
    shown.append(button("reset", "Reset positions", "Compute the layout again"))
    files = [(kind, file.label) for kind, file in FILES.items() if kind != "bif" or session.infers]
    return [*shown, menu("export", "Export", files, "Save as a file")]


def _step(id: str, label: str, step: str) -> Control:
    tip = f"{id.capitalize()} {step}".replace("->", "→") if step else f"Nothing to {id}"
    return button(id, label, tip, enabled=bool(step))
