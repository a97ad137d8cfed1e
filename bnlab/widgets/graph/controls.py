"""Which controls stand above a `NetworkGraph`, and how strengths of edges are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import Any

import numpy as np

from bnlab.figures.labels import score_label
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.widgets.graph.export import FILES
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.toolbar import button, choice, menu, toggle

SETTINGS = ("show_essential", "compare", "bars", "strength", "score")
STRENGTH_WORDS = {
    "none": "none",
    "given": "as given",
    "gain": "score gain",
    "mutual-information": "mutual information",
    "p-value": "p-value",
}
# Gains differ by orders of magnitude: from this share of the edges on all are drawn as strong as can be.
STRONG = 80
P_RANGE = (1.3, 20.0)  # -log10 p of the weakest and of the strongest edge


def controls(
    session: GraphSession, settings: Mapping[str, Any], *, compares: bool, given: bool, editable: bool
) -> list[dict[str, Any]]:
    """Controls that make sense for a session, as `GraphToolbar` takes them.

    Parameters
    ----------
    session : GraphSession
    settings : mapping
        Values of `SETTINGS`.
    compares, given, editable : bool
        Whether there is a reference, are strengths given, is editing offered.
    """
    shown: list[dict[str, Any]] = []
    history = session.history
    if history is not None and editable:
        shown.append(_step("undo", "↶ Undo", history.last))
        shown.append(_step("redo", "↷ Redo", history.next))
    if history is not None:
        tip = "Show the essential graph (CPDAG): only edges that all equivalent graphs share have a direction"
        shown.append(toggle("show_essential", "Essential graph", settings["show_essential"], tip))
    if compares:
        shown.append(toggle("compare", "Compare", settings["compare"], "Mark edges against the reference"))
    infers = session.infers
    if infers:
        shown.append(toggle("bars", "Probabilities", settings["bars"], "Draw the probabilities of states in the nodes"))
        shown.append(button("clear", "Clear evidence", "Forget all observed states", enabled=bool(session.evidence)))
    shown += _strength_choices(session, settings, given)
    shown.append(button("reset", "Reset positions", "Place all nodes anew"))
    kinds = [kind for kind in FILES if kind != "bif" or infers]
    shown.append(menu("export", "Export", [(FILES[kind].label, kind) for kind in kinds], "Save as a file"))
    return shown


def _step(id: str, label: str, step: str) -> dict[str, Any]:
    tip = f"{id.capitalize()} {step}".replace("->", "→") if step else f"Nothing to {id}"
    return button(id, label, tip, enabled=bool(step))


def _strength_choices(session: GraphSession, settings: Mapping[str, Any], given: bool) -> list[dict[str, Any]]:
    measured = ["gain", "mutual-information", "p-value"] if session.scores is not None else []
    kinds = ["none", *(["given"] if given else []), *measured]
    if len(kinds) == 1:
        return []
    options = [(STRENGTH_WORDS[kind], kind) for kind in kinds]
    tip = "Strong edges are drawn thick"
    shown = [choice("strength", "Edge strength", settings["strength"], options, tip)]
    if measured:
        scores = [(score_label(name), name) for name in PLAIN_SCORES]
        tip = "Score whose gain is the strength of an edge"
        shown.append(choice("score", "Score", settings["score"], scores, tip))
    return shown


def drawn_strengths(values: Mapping[tuple[str, str], float] | None, kind: str, score: str) -> dict[str, Any]:
    """Strengths as `GraphView.set_graph` takes them, with their label and range.

    Examples
    --------
    >>> drawn_strengths({("A", "B"): 0.001}, "p-value", "bic")["strengths"]
    {('A', 'B'): 3.0}
    """
    if values is None:
        return {}
    if kind == "p-value":
        exponents = {edge: -log10(max(p, 1e-300)) + 0.0 for edge, p in values.items()}
        return {"strengths": exponents, "strength_label": "−log₁₀ of the p-value", "strength_range": P_RANGE}
    if kind == "gain":
        top = float(np.percentile([max(gain, 0.0) for gain in values.values()] or [0.0], STRONG))
        label = f"gain in {score_label(score)}, nats"
        return {"strengths": values, "strength_label": label, "strength_range": (0.0, top or 1.0)}
    label = "mutual information, nats" if kind == "mutual-information" else "strength"
    return {"strengths": values, "strength_label": label}
