"""State of a `NetworkGraph` as traits, and what they may be."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ipywidgets
import traitlets

from bnlab._runtime.names import known_name, nearest
from bnlab.figures.graphs.network import Reference
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.view import HIGHLIGHTS


class NetworkTraits(ipywidgets.VBox):  # type: ignore[misc]
    """Traits of `NetworkGraph`; a value that the graph or the data do not bear raises a ValueError."""

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
    strength = traitlets.Enum(("none", "gain", "mutual-information", "p-value", "given"), "none")
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
    """Whether the page offers to edit."""
    status = traitlets.Unicode()
    """Last message, in the line below the graph."""

    _session: GraphSession
    _reference: Reference | None
    _given: Mapping[tuple[str, str], float] | None
    _lost = ""

    def _edges_shown(self) -> list[tuple[str, str]]:
        raise NotImplementedError

    @traitlets.validate("graph")
    def _check_graph(self, proposal: Any) -> Any:
        if proposal["value"] is not self._session.graph:
            self._lost = self._session.replace(proposal["value"])
        return self._session.graph

    @traitlets.validate("selected_node")
    def _check_selected_node(self, proposal: Any) -> str | None:
        name: str | None = proposal["value"]
        if name is not None and name not in self._session.names:
            raise ValueError(f"selected_node={name!r}: no such node; {nearest(name, self._session.names)}")
        return name

    @traitlets.validate("selected_edge")
    def _check_selected_edge(self, proposal: Any) -> tuple[str, str] | None:
        edge = proposal["value"]
        if edge is not None and tuple(edge) not in self._edges_shown():
            raise ValueError(f"selected_edge={edge!r}: no such edge is shown; give (u, v), or None.")
        return None if edge is None else tuple(edge)

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: Any) -> dict[str, Any]:
        if proposal["value"] != self._session.evidence:
            self._session.observe(proposal["value"])
        return dict(self._session.evidence)

    @traitlets.validate("score")
    def _check_score(self, proposal: Any) -> str:
        return known_name(proposal["value"], PLAIN_SCORES, "score")

    @traitlets.validate("strength")
    def _check_strength(self, proposal: Any) -> str:
        kind: str = proposal["value"]
        if kind == "given" and self._given is None:
            raise ValueError("strength='given': no strengths were given; NetworkGraph(..., strengths=...) takes them.")
        if kind not in ("none", "given") and self._session.scores is None:
            raise ValueError(f"strength={kind!r} is measured on data: NetworkGraph(graph, data) has them.")
        return kind

    @traitlets.validate("compare")
    def _check_compare(self, proposal: Any) -> bool:
        if proposal["value"] and self._reference is None:
            raise ValueError(
                "compare=True: there is no network to compare with; give NetworkGraph reference=... or truth=..."
            )
        return bool(proposal["value"])

    @traitlets.validate("show_essential")
    def _check_essential(self, proposal: Any) -> bool:
        if proposal["value"] and self._session.dag is None:
            raise ValueError("show_essential=True: only a directed graph has an essential graph.")
        return bool(proposal["value"])

    @traitlets.validate("bars")
    def _check_bars(self, proposal: Any) -> bool:
        if proposal["value"] and not self._session.infers:
            raise ValueError(self._session.unavailable)
        return bool(proposal["value"])

    @traitlets.validate("editable")
    def _check_editable(self, proposal: Any) -> bool:
        return bool(proposal["value"]) and self._session.dag is not None
