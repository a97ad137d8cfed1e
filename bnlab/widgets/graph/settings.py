"""Settings of a `NetworkGraph`: which values they may have, their controls, and how strengths of edges are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log10
from typing import Any, NamedTuple

import numpy as np

from bnlab._runtime.names import known_name, nearest
from bnlab.figures.graphs.network import Reference
from bnlab.figures.labels import score_label
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.widgets.base.controls import Control, button, menu, select, toggle
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


@dataclass(frozen=True)
class Settings:
    """Settings that make sense for a graph with its data.

    Attributes
    ----------
    session : GraphSession
    reference : Reference or None
        Network to compare with.
    given : mapping of (str, str) to float, or None
        Strengths of edges in the caller's unit.
    """

    session: GraphSession
    reference: Reference | None
    given: Strengths | None

    def checked(self, name: str, value: Any) -> Any:
        """Value of a trait of `NetworkGraph`.

        Raises
        ------
        ValueError
            If the graph or the data do not support this value.
        """
        checks: dict[str, Callable[[Any], Any]] = {
            "selected_node": self._checked_node,
            "score": lambda score: known_name(score, PLAIN_SCORES, "score"),
            "strength": self._checked_strength,
            "editable": lambda editable: bool(editable) and self.session.dag is not None,
        }
        return checks[name](value) if name in checks else self._checked_switch(name, bool(value))

    def _checked_node(self, name: str | None) -> str | None:
        if name is not None and name not in self.session.names:
            raise ValueError(f"selected_node={name!r}: no such node; {nearest(name, self.session.names)}")
        return name

    def _checked_strength(self, kind: str) -> str:
        if kind == "given" and self.given is None:
            raise ValueError("strength='given': no strengths were given; NetworkGraph(..., strengths=...) takes them.")
        if kind not in ("none", "given") and self.session.scores is None:
            raise ValueError(f"strength={kind!r} is measured on data: NetworkGraph(graph, data) has them.")
        return kind

    def _checked_switch(self, name: str, value: bool) -> bool:
        if value and name == "compare" and self.reference is None:
            raise ValueError(
                "compare=True: there is no network to compare with; give NetworkGraph reference=... or truth=..."
            )
        if value and name == "show_essential" and self.session.dag is None:
            raise ValueError("show_essential=True: only a directed graph has an essential graph.")
        if value and name == "bars" and not self.session.infers:
            raise ValueError(self.session.unavailable)
        return value

    def strengths(self, values: Values) -> Strengths | None:
        """Strength of every edge as `NetworkGraph.strength` says; None for none."""
        if values.strength in ("none", "given"):
            return None if values.strength == "none" else self.given
        return self.session.strengths(values.strength, values.score)  # type: ignore[arg-type]

    def controls(self, values: Values) -> list[Control]:
        """Controls above the graph."""
        shown: list[Control] = []
        session, reference = self.session, self.reference
        if session.history is not None and values.editable:
            shown.append(_step("undo", "↶ Undo", session.history.last))
            shown.append(_step("redo", "↷ Redo", session.history.next))
        if session.history is not None:
            tip = "Show the essential graph (CPDAG): only edges that all equivalent graphs share have a direction"
            shown.append(toggle("show_essential", "Essential graph", values.show_essential, tip))
        if reference is not None:
            label = "Compare with true network" if reference.true else "Compare"
            shown.append(toggle("compare", label, values.compare, f"Mark edges that differ from {reference.name}"))
        if session.infers:
            tip = "Show the state probabilities in the nodes"
            shown.append(toggle("bars", "Probabilities", values.bars, tip))
            tip = "Remove all observations"
            shown.append(button("clear", "Clear evidence", tip, enabled=bool(session.evidence)))
        shown += self._strength_controls(values)
        shown.append(button("reset", "Reset positions", "Compute the layout again"))
        kinds = [kind for kind in FILES if kind != "bif" or session.infers]
        shown.append(menu("export", "Export", [(kind, FILES[kind].label) for kind in kinds], "Save as a file"))
        return shown

    def _strength_controls(self, values: Values) -> list[Control]:
        measured = ["gain", "mutual-information", "p-value"] if self.session.scores is not None else []
        kinds = ["none", *(["given"] if self.given is not None else []), *measured]
        if len(kinds) == 1:
            return []
        options = [(kind, STRENGTHS[kind]) for kind in kinds]
        tip = "Strong edges have thick lines"
        shown = [select("strength", "Edge strength", values.strength, options, tip)]
        if measured:
            scores = [(name, score_label(name)) for name in PLAIN_SCORES]
            tip = "Score whose gain is the strength of an edge"
            shown.append(select("score", "Score", values.score, scores, tip))
        return shown


def _step(id: str, label: str, step: str) -> Control:
    tip = f"{id.capitalize()} {step}".replace("->", "→") if step else f"Nothing to {id}"
    return button(id, label, tip, enabled=bool(step))


def drawn_strengths(strengths: Strengths | None, values: Values) -> dict[str, Any]:
    """Strengths as `GraphView.set_graph` takes them, with their label and range.

    Examples
    --------
    >>> values = Values(False, False, False, strength="p-value", score="bic", editable=True)
    >>> drawn_strengths({("A", "B"): 0.001}, values)["strengths"]
    {('A', 'B'): 3.0}
    """
    if strengths is None:
        return {}
    kind = values.strength
    if kind == "p-value":
        exponents = {edge: -log10(max(p, 1e-300)) + 0.0 for edge, p in strengths.items()}
        return {"strengths": exponents, "strength_label": "−log₁₀ of the p-value", "strength_range": P_RANGE}
    if kind == "gain":
        top = float(np.percentile([max(gain, 0.0) for gain in strengths.values()] or [0.0], STRONG))
        label = f"gain in {score_label(values.score)}, nats"
        return {"strengths": strengths, "strength_label": label, "strength_range": (0.0, top or 1.0)}
    label = "mutual information, nats" if kind == "mutual-information" else "strength"
    return {"strengths": strengths, "strength_label": label}
