"""A network to view, query and edit: its graph, details of nodes and edges, marginals, and scores."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from bnlab._runtime.names import known_name
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.editing import Action, Edit, EditHistory
from bnlab.widgets.base.panel import column, row
from bnlab.widgets.graph import content, files, settings
from bnlab.widgets.graph.data import Strengths
from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.learning import LearnedGraph
from bnlab.widgets.graph.rules import RULES, with_rule
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.settings import SETTINGS
from bnlab.widgets.graph.view import GraphView

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.counts.source import DataLike
    from bnlab.networks import BayesianNetwork

HEIGHT = 620
AROUND = 74  # pixels of the view above and below its picture
BARS_FOR = 12  # maximum number of nodes for bars by default
LABELS_FOR = 40  # maximum number of nodes for labels of edge probabilities by default
PICTURE, DETAILS = "1000 1 460px", "1 1 404px"


class NetworkGraph(LearnedGraph):
    """Interactive graph with its probabilities, scores and strengths of edges.

    Probabilities are those of the given network. A family that an edit changes is fitted to the data, with one
    pseudo-count per cell; without data it gets its conditional distribution in the given network. A Dag with data is
    fitted to the data; a Dag alone has no probabilities.

    For large graphs, `focus` draws and lays out only some nodes and their neighbourhood.

    Parameters
    ----------
    graph : Dag, BayesianNetwork, Pdag, InfluenceDiagram, networkx.DiGraph or iterable of (parent, child) names
        A Pdag or an influence diagram cannot be edited. For an `EdgeConfidence` from any method, the consensus graph is
        shown: `threshold` changes it, and edges fade with their probability.
    data : Table, DataFrame or CountSource, optional
        Rows for scores and fits; columns that are not nodes are ignored.
    reference : graph, or mapping of its name to it, optional
        Another network on these variables: edges are marked as in both, reversed, only
        here or only in the other one.
    truth : graph, optional
        The true network, instead of a reference: edges are marked as true, reversed, extra or missing.
    strengths : mapping of (str, str) to float, DataFrame or EdgeConfidence, optional
        Strength of edges in any unit; for an `EdgeConfidence` their probabilities, in percent.
    bars : bool, optional
        Whether nodes show the probabilities of their states; by default those of networks of up to 12 nodes.
    height : int
        Pixels.
    **traits
        First values of other traits, such as score, editable and knowledge.

    Raises
    ------
    ValueError
        If graph, data or reference are on different variables, or a setting is unknown.
    TypeError
        If `graph` is not a graph, the data cannot be counted, or there is no such trait.

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

    def __init__(
        self,
        graph: Any,
        data: DataLike | None = None,
        *,
        reference: Any = None,
        truth: Any = None,
        strengths: Strengths | EdgeConfidence | None = None,
        bars: bool | None = None,
        height: int = HEIGHT,
        **traits: Any,
    ) -> None:
        self._session = session = GraphSession(graph, data, reference=reference, truth=truth, strengths=strengths)
        super().__init__()
        few = session.infers and len(session.names) <= BARS_FOR
        self.editable = True
        self._take(graph)
        self.bars = few if bars is None else bars
        # On dimmed nodes, probabilities would be hard to read.
        self.highlight = "none" if self.bars else "neighbours"
        self.set_known_traits(traits)
        self.graph = session.graph  # a threshold among the traits has changed it
        self._build(height)
        self._ready = True

    @property
    def view(self) -> GraphView:
        """Picture of the graph; its traits (positions, hovered, ...) can be read, set and observed."""
        return self._view

    @property
    def network(self) -> BayesianNetwork | None:
        """Current graph with its probabilities; None if neither network nor data give them.

        Raises
        ------
        ValueError
            If a table of probabilities would be too large.
        """
        return self._session.network

    def switch(
        self,
        graph: Any,
        data: DataLike | None = None,
        *,
        reference: Any = None,
        truth: Any = None,
        strengths: Strengths | EdgeConfidence | None = None,
    ) -> None:
        """Show another graph in place of this one; common nodes keep their positions and their evidence.

        The history of edits is cleared, and so is evidence that is impossible in the other network.

        Parameters and errors are as for the class.
        """
        session = GraphSession(graph, data, reference=reference, truth=truth, strengths=strengths)
        with self._lock:
            cleared = session.take_evidence(self._session) if self._ready else ""
            session.knowledge = self.knowledge
            self._session, self._ready = session, False
            try:
                self.selected_node = self.selected_node if self.selected_node in session.names else None
                self._take(graph)
                self.evidence, self.do = dict(session.evidence), dict(session.do)
                self.editable &= session.dag is not None
                self.show_essential &= session.dag is not None
                self.bars, self.matters = self.bars and session.infers, self.matters and session.infers
            finally:
                self._ready = True
            self._draw()
            self._report(cleared or content.hint_text(session, editable=self._view.editable))
            self._show_parts()

    def _take(self, graph: Any) -> None:
        """Show the graph of the session with its given strengths; otherwise keep the kind of strength if possible."""
        session = self._session
        self.threshold = graph.threshold if isinstance(graph, EdgeConfidence) else None
        self.graph, self.compare = session.graph, session.reference is not None
        if session.confidence is not None:
            self.strength, self.labels = "probability", len(session.names) <= LABELS_FOR
        elif session.given_strengths is not None:
            self.strength = "given"
        elif settings.strength_refused(session, self.strength):
            self.strength = "none"

    def edit(self, action: Action, u: str, v: str) -> None:
        """Add, delete or reverse an edge u -> v.

        Raises
        ------
        ValueError
            If a node is unknown, the edge exists already or does not exist, the edge would close a cycle, which the
            message names, or the graph cannot be edited.
        """
        self._change(lambda history: history.edit(Edit(action, u, v)))

    def undo(self) -> None:
        """Undo the last change; ValueError if there is none."""
        self._change(EditHistory.undo)

    def redo(self) -> None:
        """Redo the last undone change; ValueError if there is none."""
        self._change(EditHistory.redo)

    def observe_state(self, node: str, state: Hashable) -> None:
        """Add one observation to the evidence; ValueError if it is unknown or impossible."""
        self.evidence = {**self.evidence, node: state}

    def clear_evidence(self) -> None:
        """Remove all observations and interventions."""
        self._observe({}, {})

    def reset_positions(self) -> None:
        """Compute the layout again."""
        self._draw(relayout=True)

    def to_frame(self) -> pd.DataFrame:
        """Edges of the current graph, one per row.

        Returns
        -------
        DataFrame
            u, v, directed, class (in both, reversed or only here; true, reversed or extra with a true network; ""
            without a network to compare with) and strength (the kind of the trait `strength`; NaN for none). With data,
            also gain (of the chosen score), mutual_information and p_value of the edges of a Dag.
        """
        return content.edge_frame(self._session, settings.strengths(self), self.score)

    def scores(self) -> pd.DataFrame:
        """Scores of the graph before and after the last change.

        Returns
        -------
        DataFrame of float, indexed by score
            before, after, difference, start, since_start; in nats. Without data, no rows.
        """
        return content.score_frame(self._session)

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
        return content.marginal_frame(self._session)

    def to_code(self) -> str:
        """Python code that builds the current graph."""
        return files.python_text(self._session)

    def save(self, path: str | Path) -> None:
        """Write a file in the format of its suffix: .bif, .graphml, .py or .svg.

        Raises
        ------
        ValueError
            For another suffix, or if there are no probabilities to write as BIF.
        """
        files.save(self._session, path, picture=self._view.picture)

    def offer(self, kind: str) -> None:
        """Make the page save a file: "bif", "graphml" or "python".

        Raises
        ------
        ValueError
            If there is no such kind, or there are no probabilities to write as BIF.
        """
        file = files.FILES[known_name(kind, files.FILES, "kind of file")]
        self._view.offer(file.name, file.text(self._session), file.mime)
        self._report(f"Saved as {file.name}.")

    def still(self) -> dict[str, Any]:
        """Picture, evidence and scores."""
        return {"text/html": content.still_html(self._session, self._view.picture())}

    def _build(self, height: int) -> None:
        self._view, self._inspector = GraphView(height=height), NodeInspector(height=height + AROUND)
        self._beside = column(DETAILS, self._inspector)
        self.children = [row(column(PICTURE, self._view), self._beside)]
        self.add_class("bn-panel")
        self._draw()
        self._show_parts()
        self.status = content.hint_text(self._session, editable=self._view.editable)
        for part in (self._view, self._inspector):
            part.on_msg(self._answer)
        self._view.observe(self._picked, ["selected", "selected_edge"])
        traitlets.link((self, "highlight"), (self._view, "highlight"))
        traitlets.dlink((self, "status"), (self._view, "status"))

    def _answer(self, _: Any, request: Mapping[str, Any], __: Any) -> None:
        """Run the request of the picture, the inspector or a control."""
        kind = request["id"] if request["type"] == "control" else request["type"]
        if kind in REQUESTS:
            with self._errors_shown(), self._lock:
                REQUESTS[kind](self, request)

    def _edit_shown(self, action: Any, u: str, v: str) -> None:
        """Edit the graph, or the rules of the knowledge."""
        if not self._view.editable:
            raise ValueError("the graph cannot be edited as it is shown.")
        if action in RULES:
            self.knowledge = with_rule(self.knowledge, action, u, v)
        else:
            self.edit(action, u, v)

    def _observe(self, evidence: Mapping[str, Hashable], do: Mapping[str, Hashable]) -> None:
        """Replace observations and interventions together."""
        self._session.observe(evidence, do)
        self.evidence, self.do = dict(evidence), dict(do)

    def _observe_code(self, node: str, state: int | None, *, do: bool = False) -> None:
        """Observe or set a state by its index; None removes the node's evidence."""
        known = content.variable(self._session, node)
        seen, done = ({n: s for n, s in given.items() if n != node} for given in (self.evidence, self.do))
        if state is not None:
            (done if do else seen)[node] = known.states[state]
        self._observe(seen, done)

    def _show_error(self, text: str) -> None:
        self.status = ""  # so that screen readers speak the same error again
        super()._show_error(text)
        self._view.send({"type": "restore"})

    def _focus_on(self, request: Mapping[str, Any]) -> None:
        """Draw only the neighbourhood of a node or of the selection; draw all nodes if it is drawn already."""
        wanted = (request["node"],) if "node" in request else tuple(self._view.selected or self.selected_edge or ())
        if not wanted and not self.focus:
            raise ValueError("select the node whose neighbourhood is to be drawn.")
        self.focus = () if wanted == self.focus or request.get("value") is False else wanted
        self._view.send({"type": "fit"})

    def _change(self, change: Callable[[EditHistory], EditHistory]) -> None:
        with self._lock:
            self._lost_evidence = self._session.change(change)
            self.graph = self._session.graph

    def __repr__(self) -> str:
        """Size of the graph, and the evidence."""
        given = f"; evidence {self.evidence}" if self.evidence else ""
        given += f"; do {self.do}" if self.do else ""
        return f"NetworkGraph({content.size_text(self._session)}{given})"


REQUESTS: Mapping[str, Callable[[NetworkGraph, Mapping[str, Any]], object]] = {
    "edit": lambda panel, given: panel._edit_shown(given["action"], given["u"], given["v"]),
    "undo": lambda panel, _: panel.undo(),
    "redo": lambda panel, _: panel.redo(),
    "learn": lambda panel, _: panel._learn_or_stop(),
    "reset": lambda panel, _: panel.reset_positions(),
    "evidence": lambda panel, given: panel._observe_code(given["node"], given["state"]),
    "do": lambda panel, given: panel._observe_code(given["node"], given["state"], do=True),
    "clear": lambda panel, _: panel.clear_evidence(),
    "focus": lambda panel, given: panel._focus_on(given),
    "select": lambda panel, given: panel.set_trait("selected_node", given["node"]),
    "close": lambda panel, _: (panel.set_trait("selected_node", None), panel.set_trait("selected_edge", None)),
    "threshold": lambda panel, given: panel.set_trait("threshold", given["value"]),
    **{kind: lambda panel, given: panel.offer(given["id"]) for kind in files.FILES},
    **{name: lambda panel, given: panel.set_trait(given["id"], given["value"]) for name in SETTINGS},
}
"""Actions by the type of a message from the picture or the inspector, or by the id of a control."""
