"""A network to view, query and edit: its graph, details of nodes and edges, marginals, and scores."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from bnlab.figures.graphs.network import Reference
from bnlab.graphs.editing import Action, Edit
from bnlab.widgets.base.panel import Panel
from bnlab.widgets.graph import content as contents
from bnlab.widgets.graph import export
from bnlab.widgets.graph.data import Strengths, graph_data
from bnlab.widgets.graph.parts import GraphParts
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.settings import STRENGTHS, Settings, Values
from bnlab.widgets.graph.view import HIGHLIGHTS, GraphView

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.counts.source import DataLike
    from bnlab.networks import BayesianNetwork

HEIGHT = 620
BARS_FOR = 12  # nodes up to which bars are shown from the start


class NetworkGraph(Panel):
    """Interactive graph with its probabilities, scores and strengths of edges.

    Probabilities are those of the given network. A family that an edit changes is fitted to the data, with one
    pseudo-count per cell; without data it gets its conditional distribution in the given network. A Dag with data is
    fitted to them; a Dag alone has no probabilities.

    Parameters
    ----------
    graph : Dag, BayesianNetwork, Pdag, InfluenceDiagram, networkx.DiGraph or iterable of (parent, child) names
        A Pdag or an influence diagram cannot be edited.
    data : Table, DataFrame or CountSource, optional
        Rows to score and fit with; other columns than the nodes are left out.
    reference : graph, or mapping of its name to it, optional
        Another network on these variables: edges are marked as in both, reversed, only
        here or only in the other one.
    truth : graph, optional
        The true network, instead of a reference: edges are marked as true, reversed, extra or missing.
    strengths : mapping of (str, str) to float, or DataFrame, optional
        Strength of edges in a unit of your own, such as their share among bootstrap samples.
    score : str
        Score that measures the gain of edges.
    editable : bool
        Whether the page offers to edit; code always can.
    bars : bool, optional
        Whether nodes show the probabilities of their states; by default those of networks of up to 12 nodes.
    height : int
        Pixels.

    Raises
    ------
    ValueError
        If graph, data or reference are on different variables, or a setting is unknown.
    TypeError
        If `graph` is not a graph, or the data cannot be counted.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> widget = NetworkGraph(asia())
    >>> widget.evidence = {"xray": "yes", "smoke": "yes"}
    >>> widget.marginals().loc[("lung", "yes")].round(3).to_dict()
    {'before': 0.055, 'after': 0.646}
    >>> widget.edit("add", "dysp", "asia")
    Traceback (most recent call last):
    ...
    ValueError: adding dysp -> asia would close asia -> tub -> either -> dysp -> asia: a Bayesian network has no cycle.
    """

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
    """Whether the page offers to edit."""

    _lost_evidence = ""

    def __init__(
        self,
        graph: Any,
        data: DataLike | None = None,
        *,
        reference: Any = None,
        truth: Any = None,
        strengths: Strengths | None = None,
        score: str = "bic",
        editable: bool = True,
        bars: bool | None = None,
        height: int = HEIGHT,
    ) -> None:
        self._session = session = GraphSession(graph, data)
        given = None if strengths is None else graph_data(session.graph, strengths=strengths).strengths
        self._settings = Settings(session, Reference.of(reference, truth, session.names), given)
        super().__init__()
        few = session.infers and len(session.names) <= BARS_FOR
        self.graph = session.graph
        self.score = score
        self.editable = editable
        self.compare = self._settings.reference is not None
        self.strength = "none" if strengths is None else "given"
        self.bars = few if bars is None else bars
        # Dimmed nodes would hide their probabilities.
        self.highlight = "none" if self.bars else "neighbours"
        self._build(height)
        self._ready = True

    @property
    def view(self) -> GraphView:
        """The picture, whose traits (positions, hovered, ...) can be read, set and observed too."""
        return self._view

    @property
    def network(self) -> BayesianNetwork | None:
        """Present graph with its probabilities; None when neither network nor data give them.

        Raises
        ------
        ValueError
            If a table of probabilities would be too large.
        """
        return self._session.network

    def edit(self, action: Action, u: str, v: str) -> None:
        """Add, delete or reverse an edge u -> v.

        Raises
        ------
        ValueError
            If a node is unknown, the edge is there already or is not there, or a cycle would close, which the message
            names; or if the graph cannot be edited.
        """
        self._step(lambda: self._session.edit(Edit(action, u, v)))

    def undo(self) -> None:
        """Undo the last change; ValueError when there is none."""
        self._step(self._session.undo)

    def redo(self) -> None:
        """Redo the last undone change; ValueError when there is none."""
        self._step(self._session.redo)

    def observe_state(self, node: str, state: Hashable) -> None:
        """Add one observation to the evidence; ValueError when it is unknown or impossible."""
        self.evidence = {**self.evidence, node: state}

    def clear_evidence(self) -> None:
        """Remove all observations."""
        self.evidence = {}

    def reset_positions(self) -> None:
        """Compute the layout again."""
        self._draw(relayout=True)

    def to_frame(self) -> pd.DataFrame:
        """Edges of the present graph, one a row.

        Returns
        -------
        DataFrame
            u, v, directed, class (in both, reversed or only here; true, reversed or extra where the true network is
            given; "" without a network to compare with) and strength (as the trait `strength` says; NaN for none). With
            data also gain (of the score chosen), mutual_information and
            p_value of the edges of a Dag.
        """
        return contents.edge_frame(
            self._session, self._settings.reference, self._settings.strengths(self._values()), self.score
        )

    def scores(self) -> pd.DataFrame:
        """Scores of the graph before and after the last change.

        Returns
        -------
        DataFrame of float, indexed by score
            before, after, difference, start, since_start; in nats. Without data it has no rows.
        """
        return contents.score_frame(self._session)

    def marginals(self) -> pd.DataFrame:
        """Marginals of all nodes before and after the evidence.

        Returns
        -------
        DataFrame of float, indexed by (node, state)

        Raises
        ------
        ValueError
            If there are no probabilities.
        """
        return contents.marginal_frame(self._session)

    def to_code(self) -> str:
        """Python code that builds the present graph."""
        return export.python_text(self._session)

    def to_bif(self) -> str:
        """Network in BIF; ValueError when there are no probabilities."""
        return export.bif_text(self._session)

    def to_graphml(self) -> str:
        """Graph in GraphML."""
        return export.graphml_text(self._session)

    def save(self, path: str | Path) -> None:
        """Write a file, of the kind of its suffix: .bif, .graphml, .py or .svg.

        Raises
        ------
        ValueError
            For another suffix, or if there are no probabilities to write as BIF.
        """
        export.save(self._session, path, picture=self._view.picture)

    def offer(self, kind: str) -> None:
        """Make the page save a file: "bif", "graphml" or "python".

        Raises
        ------
        ValueError
            If there is no such kind, or there are no probabilities to write as BIF.
        """
        name, text, mime = export.file_of(self._session, kind)
        self._parts.controls.offer(name, text, mime)
        self._report(f"Saved as {name}.")

    def still(self) -> dict[str, Any]:
        """Picture, evidence and scores."""
        return {"text/html": export.still_html(self._session, self._view.picture())}

    def _build(self, height: int) -> None:
        self._parts = parts = GraphParts(self._settings, height)
        self._view, self._controls, self._inspector = parts.view, parts.controls, parts.inspector
        self.children = parts.children
        self._draw()
        self._show_parts()
        self._view.on_msg(self._answer)
        self._inspector.on_msg(self._answer)
        self._controls.on_change(self._control)
        self._view.observe(self._picked, ["selected", "selected_edge"])
        traitlets.link((self, "highlight"), (self._view, "highlight"))
        traitlets.dlink((self, "status"), (self._view, "status"))

    def _answer(self, _: Any, request: Any, __: Any) -> None:
        """Process a request of the picture or the inspector."""
        with self._errors_shown(), self._lock:
            match request:
                case {"type": "edit", "action": action, "u": u, "v": v}:
                    if not self._view.editable:
                        raise ValueError("the graph cannot be edited as it is shown.")
                    self.edit(action, u, v)
                case {"type": "undo"}:
                    self.undo()
                case {"type": "redo"}:
                    self.redo()
                case {"type": "evidence", "node": node, "state": state}:
                    known = contents.variable(self._session, node)
                    others = {name: seen for name, seen in self.evidence.items() if name != node}
                    self.evidence = others if state is None else {**others, node: known.states[state]}
                case {"type": "select", "node": node}:
                    self.selected_node = node
                case {"type": "score", "score": score}:
                    self.score = score

    def _control(self, id: str, value: Any) -> None:
        """Process a change of a control."""
        actions: dict[str, Callable[[], None]] = {
            "undo": self.undo,
            "redo": self.redo,
            "reset": self.reset_positions,
            "clear": self.clear_evidence,
            "export": lambda: self.offer(value),
        }
        with self._errors_shown(), self._lock:
            if id in actions:
                actions[id]()
            elif id in Values._fields:
                self.set_trait(id, value)

    def _show_error(self, text: str) -> None:
        self.status = ""  # so that the same error is spoken again
        super()._show_error(text)

    @traitlets.validate(*Values._fields, "selected_node")
    def _check(self, proposal: Any) -> Any:
        return self._settings.checked(proposal["trait"].name, proposal["value"])

    @traitlets.validate("graph")
    def _check_graph(self, proposal: Any) -> Any:
        if proposal["value"] is not self._session.graph:
            self._lost_evidence = self._session.replace(proposal["value"])
        return self._session.graph

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: Any) -> dict[str, Any]:
        if proposal["value"] != self._session.evidence:
            self._session.observe(proposal["value"])
        return dict(self._session.evidence)

    @traitlets.validate("selected_edge")
    def _check_selected_edge(self, proposal: Any) -> tuple[str, str] | None:
        edge = proposal["value"]
        if edge is not None and self._parts.edge(tuple(edge)) is None:
            raise ValueError(f"selected_edge={edge!r}: no such edge is shown; give (u, v), or None.")
        return None if edge is None else tuple(edge)

    def _picked(self, _: Any) -> None:
        with self._errors_shown(), self._lock:
            edge, names = self._view.selected_edge, self._view.selected
            if edge is not None:
                self.selected_edge = tuple(edge)
            else:
                self.selected_edge = None
                self.selected_node = names[-1] if names else None

    @traitlets.observe(*Values._fields)
    def _setting_changed(self, change: Any) -> None:
        if self._ready:
            with self._lock:
                self._draw(relayout=change["name"] == "bars" and not self._view.positions)
                self._show_parts()

    @traitlets.observe("evidence")
    def _evidence_changed(self, _: Any) -> None:
        if self._ready:
            with self._lock:
                self._draw()
                self._show_parts()
                self._report(contents.evidence_text(self._session))

    @traitlets.observe("graph")
    def _graph_changed(self, _: Any) -> None:
        if self._ready:
            with self._lock:
                self._show_graph()

    @traitlets.observe("selected_node", "selected_edge")
    def _selection_changed(self, change: Any) -> None:
        if not self._ready:
            return
        with self._lock:
            other = "selected_edge" if change["name"] == "selected_node" else "selected_node"
            if change["new"] is not None:
                self.set_trait(other, None)
            node, edge = self.selected_node, self.selected_edge
            with self._view.hold_trait_notifications():
                if node is None or node not in self._view.selected:
                    self._view.selected = [] if node is None else [node]
                self._view.selected_edge = None if edge is None else list(edge)
            self._parts.show_details(self.selected_node, self.selected_edge)

    def _step(self, change: Callable[[], str]) -> None:
        with self._lock:
            self._lost_evidence = change()
            self.graph = self._session.graph

    def _show_graph(self) -> None:
        """Show the present graph in all parts."""
        self.evidence = dict(self._session.evidence)
        if not self._session.infers:
            self.bars = False
        self._draw()
        self._parts.show_scores(self.score)
        self._report(self._lost_evidence or contents.step_text(self._session, self.score))
        self._lost_evidence = ""
        # Last: it may compute marginals, which takes long in dense graphs.
        self._picked(None)
        self._show_parts()

    def _values(self) -> Values:
        return Values(**{name: getattr(self, name) for name in Values._fields})

    def _draw(self, *, relayout: bool = False) -> None:
        self._parts.draw(self._values(), relayout=relayout)

    def _show_parts(self) -> None:
        self._show_controls()
        self._parts.show_scores(self.score)
        self._parts.show_details(self.selected_node, self.selected_edge)

    def _show_controls(self) -> None:
        self._parts.show_controls(self._values())

    def __repr__(self) -> str:
        """Size of the graph, and the evidence."""
        given = f"; evidence {self.evidence}" if self.evidence else ""
        return f"NetworkGraph({contents.size_text(self._session)}{given})"
