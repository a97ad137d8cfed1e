"""A network to look at, ask and edit: its graph, all about nodes and edges, posteriors, and scores before and after."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from bnlab.graphs import Dag
from bnlab.graphs.editing import Action, Edit
from bnlab.widgets.base.closing import close_parts
from bnlab.widgets.graph import content as contents
from bnlab.widgets.graph import controls, export, requests
from bnlab.widgets.graph.data import Strengths, graph_data
from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.session import GraphSession, as_reference
from bnlab.widgets.graph.toolbar import GraphToolbar
from bnlab.widgets.graph.traits import NetworkTraits
from bnlab.widgets.graph.view import GraphView

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.counts import CountSource
    from bnlab.data import Table
    from bnlab.networks import BayesianNetwork

HEIGHT = 620
AROUND = 74  # pixels that the view needs above and below its picture
BARS_FOR = 12  # nodes up to which bars are drawn from the start
WRAPPED = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden", "grid_gap": "6px 12px"}
PICTURE = {"flex": "1000 1 460px", "min_width": "0", "max_width": "100%"}
PANEL = {"flex": "1 1 404px", "min_width": "0", "max_width": "100%"}


class NetworkGraph(NetworkTraits):
    """Graph to click on and to edit, with what the network and the data say about it.

    Probabilities are those of the network given. A family that editing changes is fitted to the data, with one
    pseudo-count a cell; without data it gets the conditional distribution that it has in the network given. A Dag with
    data is fitted to them; a Dag alone has no probabilities.

    Parameters
    ----------
    graph : Dag, BayesianNetwork, Pdag, InfluenceDiagram, networkx.DiGraph or iterable of (parent, child) names
        A Pdag or an influence diagram is only looked at.
    data : Table or CountSource, optional
        Rows to score and fit with; other columns than the nodes are left out.
    reference : graph, optional
        Another graph on these variables: edges are told apart as true, reversed, extra or missing.
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

    _ready = False

    def __init__(
        self,
        graph: Any,
        data: Table | CountSource | None = None,
        *,
        reference: Any = None,
        strengths: Strengths | None = None,
        score: str = "bic",
        editable: bool = True,
        bars: bool | None = None,
        height: int = HEIGHT,
    ) -> None:
        self._session = session = GraphSession(graph, data)
        self._reference = None if reference is None else as_reference(reference, session.names)
        self._given = None if strengths is None else graph_data(session.graph, strengths=strengths).strengths
        self._lock = RLock()
        super().__init__()
        self.layout.width = "100%"
        few = session.infers and len(session.names) <= BARS_FOR
        self.graph = session.graph
        self.score = score
        self.editable = editable
        self.compare = reference is not None
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
        """Present graph with its probabilities; None when neither network nor data tell them.

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
            names; or if the graph is only to be looked at.
        """
        self._step(lambda: self._session.edit(Edit(action, u, v)))

    def undo(self) -> None:
        """Take the last change back; ValueError when there is none."""
        self._step(self._session.undo)

    def redo(self) -> None:
        """Make the change again that was undone; ValueError when there is none."""
        self._step(self._session.redo)

    def observe_state(self, node: str, state: Hashable) -> None:
        """Add one observation to the evidence; ValueError when it is unknown or impossible."""
        self.evidence = {**self.evidence, node: state}

    def clear_evidence(self) -> None:
        """Forget all observations."""
        self.evidence = {}

    def reset_positions(self) -> None:
        """Place all nodes anew."""
        self._draw(relayout=True)

    def to_frame(self) -> pd.DataFrame:
        """Edges of the present graph, one a row.

        Returns
        -------
        DataFrame
            u, v, directed, class (against the reference: true, reversed or extra; "" without one) and strength (as the
            trait `strength` says; NaN for none). With data also gain (of the score chosen), mutual_information and
            p_value of the edges of a Dag.
        """
        return contents.edge_frame(self._session, self._reference, self._strengths(), self.score)

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
        """Python code that builds the present graph again."""
        return export.python_text(self._session)

    def to_bif(self) -> str:
        """Network in BIF; ValueError when there are no probabilities."""
        return export.bif_text(self._session)

    def to_graphml(self) -> str:
        """Graph in GraphML."""
        return export.graphml_text(self._session)

    def save(self, path: str | Path) -> None:
        """Write a file, of the kind that its suffix says: .bif, .graphml, .py or .svg.

        Raises
        ------
        ValueError
            If the suffix is another one, or there are no probabilities to write as BIF.
        """
        export.save(self._session, path, picture=self._view.picture)

    def offer(self, kind: str) -> None:
        """Have the page save a file: "bif", "graphml" or "python".

        Raises
        ------
        ValueError
            If there is no such kind, or there are no probabilities to write as BIF.
        """
        name, text, mime = export.file_of(self._session, kind)
        self._toolbar.offer(name, text, mime)
        self.status = f"Saved as {name}."

    def close(self) -> None:
        """Close the widget with all its parts."""
        if not self._ready:
            return
        self._ready = False
        self._view.on_msg(self._asked, remove=True)
        self._inspector.on_msg(self._asked, remove=True)
        self._toolbar.on_msg(self._controlled, remove=True)
        super().close()
        close_parts(self)

    def _build(self, height: int) -> None:
        self._view = GraphView(height=height)
        self._toolbar = GraphToolbar()
        self._inspector = NodeInspector(height=height + AROUND)
        picture = ipywidgets.VBox([self._view], layout=PICTURE)
        panel = ipywidgets.VBox([self._inspector], layout=PANEL)
        body = ipywidgets.Box([picture, panel], layout=WRAPPED)
        self.children = [self._toolbar, body]
        self._draw()
        self._show_panel()
        self._view.on_msg(self._asked)
        self._inspector.on_msg(self._asked)
        self._toolbar.on_msg(self._controlled)
        self._view.observe(self._picked, ["selected", "selected_edge"])
        traitlets.link((self, "highlight"), (self._view, "highlight"))
        traitlets.dlink((self, "status"), (self._view, "status"))

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        with self._in_words():
            requests.answer(self, self._session, content)

    def _controlled(self, _: Any, content: Any, __: Any) -> None:
        with self._in_words():
            requests.control(self, content)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Say below the graph what goes wrong in a callback, where an exception would not be seen."""
        try:
            with self._lock:
                yield
        except Exception as error:
            # The same words once more are spoken again.
            self.status = ""
            self.status = str(error) or type(error).__name__
            if self._ready:
                self._show_controls()

    def _picked(self, _: Any) -> None:
        with self._in_words():
            edge, names = self._view.selected_edge, self._view.selected
            if edge is not None:
                self.selected_edge = tuple(edge)
            else:
                self.selected_edge = None
                self.selected_node = names[-1] if names else None

    @traitlets.observe("score", "strength", "show_essential", "compare", "bars", "editable")
    def _setting_changed(self, change: Any) -> None:
        if self._ready:
            with self._lock:
                self._draw(relayout=change["name"] == "bars" and not self._view.positions)
                self._show_panel()

    @traitlets.observe("evidence")
    def _evidence_changed(self, _: Any) -> None:
        if self._ready:
            with self._lock:
                self._draw()
                self._show_panel()
                self.status = contents.evidence_words(self._session)

    @traitlets.observe("graph")
    def _graph_changed(self, _: Any) -> None:
        if self._ready:
            with self._lock:
                self._follow()

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
            self._show_content()

    def _edges_shown(self) -> list[tuple[str, str]]:
        return [(edge["u"], edge["v"]) for edge in self._view.edges]

    def _step(self, change: Callable[[], str]) -> None:
        with self._lock:
            self._lost = change()
            self.graph = self._session.graph

    def _follow(self) -> None:
        """Bring everything up to the present graph."""
        self.evidence = dict(self._session.evidence)
        if not self._session.infers:
            self.bars = False
        self._draw()
        self._show_scores()
        self.status = self._lost or contents.step_words(self._session, self.score)
        self._lost = ""
        # Last, for it may ask for marginals, which take long in dense graphs.
        self._picked(None)
        self._show_panel()

    def _strengths(self) -> Mapping[tuple[str, str], float] | None:
        if self.strength == "none":
            return None
        return self._given if self.strength == "given" else self._session.strengths(self.strength, self.score)

    def _draw(self, *, relayout: bool = False) -> None:
        shown: Any = self._session.essential() if self.show_essential else self._session.graph
        with self._view.hold_sync():
            self._view.set_graph(
                shown,
                contents.comparable(self._reference, shown, essential=self.show_essential) if self.compare else None,
                **controls.drawn_strengths(self._strengths(), self.strength, self.score),
                node_kinds=dict.fromkeys(self.evidence, "evidence"),
                titles=contents.titles(self._session),
                bars=contents.bars(self._session) if self.bars else None,
                relayout=relayout,
            )
            self._view.editable = self.editable and isinstance(shown, Dag)

    def _show_panel(self) -> None:
        self._show_controls()
        self._show_scores()
        self._show_content()

    def _show_scores(self) -> None:
        self._inspector.scores = contents.score_table(self._session, self.score)

    def _show_controls(self) -> None:
        self._toolbar.controls = controls.controls(
            self._session,
            {name: getattr(self, name) for name in controls.SETTINGS},
            compares=self._reference is not None,
            given=self._given is not None,
            editable=self.editable,
        )

    def _show_content(self) -> None:
        edge = next((e for e in self._view.edges if (e["u"], e["v"]) == self.selected_edge), None)
        self._inspector.content = contents.content(
            self._session, self.selected_node, edge, editable=self._view.editable
        )

    def __repr__(self) -> str:
        """Size of the graph, and the evidence."""
        given = f"; evidence {self.evidence}" if self.evidence else ""
        return f"NetworkGraph({contents.size_words(self._session)}{given})"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        still = {"text/html": export.still_html(self._session, self._view.picture()), "text/plain": repr(self)}
        return {**(super()._repr_mimebundle_(**options) or {}), **still}
