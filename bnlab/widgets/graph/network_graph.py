"""A network to view, query and edit: its graph, details of nodes and edges, marginals, and scores."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlab._runtime.files import replace_file
from bnlab._runtime.names import known_name
from bnlab.graphs import Dag
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.editing import Action
from bnlab.widgets.base.core import Stateful, check_known_fields, error_text
from bnlab.widgets.base.pure import Set, Told
from bnlab.widgets.graph import exports, texts
from bnlab.widgets.graph.changes import hint_text
from bnlab.widgets.graph.data import Strengths
from bnlab.widgets.graph.display import GraphDisplay
from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.page import Page, page
from bnlab.widgets.graph.requests import TYPED, message_of
from bnlab.widgets.graph.saved import saved_page
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.settings import strengths
from bnlab.widgets.graph.state import (
    AddVariable,
    Change,
    ClearEvidence,
    Learn,
    Mistyped,
    NewVariable,
    RemoveVariable,
    RenameVariable,
    ResetPositions,
    Select,
    SetTable,
    Switch,
    UndoEdit,
)
from bnlab.widgets.graph.tables import noisy_table, noisy_words
from bnlab.widgets.graph.update import begun, update
from bnlab.widgets.graph.view import GraphView

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from bnlab.counts.source import DataLike
    from bnlab.networks import BayesianNetwork

HEIGHT = 620
BARS_FOR = 12  # maximum number of nodes for bars by default


class NetworkGraph(Stateful):
    """Interactive graph with its probabilities, scores and strengths of edges.

    Probabilities are those of the given network. A family that an edit changes is fitted to the data, with one
    pseudo-count per cell; without data it gets its conditional distribution in the given network. A Dag with data is
    fitted to the data; a Dag alone has no probabilities. A typed table belongs to the given network from then on.

    For large graphs, `focus` draws and lays out only some nodes and their neighbourhood. From 100 nodes on, nodes have
    the colours of modules (groups with many edges among them), one of which the menu View draws.

    Parameters
    ----------
    graph : Dag, BayesianNetwork, Pdag, InfluenceDiagram, networkx.DiGraph or iterable of pairs of names, optional
        By default an empty network to draw: variables are added in the page or by `add_variable`, edges by dragging,
        and tables, which are uniform at first, are typed. With data, a graph of its columns without edges.
        A Pdag or an influence diagram cannot be edited; to edit one graph of an equivalence class, give
        `bnlab.graphs.member` with ``show_essential=True``. For an
        `EdgeConfidence` from any method, the consensus graph is shown: `threshold` changes it, and edges fade with
        their probability.
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
        Maximum height of the picture in pixels.
    **traits
        First values of the attributes, which are traits that can be set and observed.

    Attributes
    ----------
    graph : Dag, Pdag or InfluenceDiagram
        Current graph. The assignment of another Dag can be undone.
    selected_node : str or None
    selected_edge : (str, str) or None
    evidence : dict
        Observed states, and likelihoods of states, as for `BayesianNetwork.posterior`. A click on the bar of a state
        observes it; a bar that is dragged gets the likelihood with which its probability is where it was dropped.
    do : dict
        States that are set by an intervention (`BayesianNetwork.do`).
    score : str
        Score that measures the gain of edges.
    strength : {"none", "given", "gain", "mutual-information", "p-value", "probability"}
    highlight : {"none", "neighbours", "markov-blanket", "ancestors", "descendants"}
        Nodes that are highlighted around a node.
    show_essential : bool
        Whether the essential graph (CPDAG) is shown instead of the Dag; at first for graphs that were learned
        (`Dag.undecided`), which a change of an edge ends.
    show_member : bool
        Whether one graph of the equivalence class is shown instead of a Pdag.
    compare : bool
        Whether edges are marked by comparison with the reference or the true network.
    bars, labels, details : bool
        Whether nodes show the probabilities of their states, edges their strength as a number, and whether details of
        the selection are shown beside the graph.
    matters : bool
        Whether the tab "What matters" of a node is open: the information of other nodes about it
        (`bnlab.networks.what_matters`).
    sensitivity : bool
        Whether the details of a node list the probabilities of the network that move its own the most
        (`bnlab.networks.sensitivity`).
    edit_tables : bool
        Whether the details of a node let its probabilities be typed: of what is typed in a row, the others are rescaled
        in proportion. `set_table` does the same from code.
    explanation : bool
        Whether the states that are most probable together, given the evidence, are marked and listed
        (`BayesianNetwork.most_probable`).
    threshold : float or None
        Least probability of an edge of the consensus graph; None without an `EdgeConfidence`.
    knowledge : Knowledge or None
        Background knowledge. A change of the graph that breaks one of its rules is refused.
    show_knowledge : bool
        Whether the edges that the knowledge forbids are drawn.
    focus : tuple of str
        If not empty, only these nodes and those around them that `highlight` names are drawn.
    editable, learnable : bool
        Whether the page can edit the graph, and learn it again from data and knowledge; code always can.
    status : str
        Last message; `failed` says whether it is an error.

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

    update, page = staticmethod(update), staticmethod(page)
    public = (
        *("graph", "selected_node", "selected_edge", "evidence", "do", "score", "strength", "highlight", "compare"),
        *("show_essential", "show_member", "bars", "threshold", "labels", "matters", "sensitivity", "knowledge"),
        *("explanation", "edit_tables", "show_knowledge", "details", "focus", "editable", "learnable"),
        *("status", "failed"),
    )

    def __init__(
        self,
        graph: Any = None,
        data: DataLike | None = None,
        *,
        reference: Any = None,
        truth: Any = None,
        strengths: Strengths | EdgeConfidence | None = None,
        bars: bool | None = None,
        height: int = HEIGHT,
        **traits: Any,
    ) -> None:
        check_known_fields("NetworkGraph", traits, self.public)
        session = GraphSession(graph, data, reference=reference, truth=truth, strengths=strengths)
        few = session.infers and len(session.names) <= BARS_FOR
        state = begun(session, threshold_of(graph), bars=few if bars is None else bars)
        for name, value in traits.items():
            state, _ = update(state, Set(name, value))
        state = replace(state, status=hint_text(state))
        self._display = GraphDisplay(height)
        super().__init__(state, children=[self._display.box])
        self.add_class("bn-panel")
        self._show(page(state))
        for part in (self.view, self.inspector):
            part.on_msg(self._answer)
        self.view.observe(self._picked, ["selected", "selected_edge", "highlight"])

    @property
    def view(self) -> GraphView:
        """Picture of the graph; its traits (positions, hovered, ...) can be read, set and observed."""
        return self._display.view

    @property
    def inspector(self) -> NodeInspector:
        """Details of the selection, beside the picture."""
        return self._display.inspector

    @property
    def dag(self) -> Dag:
        """Current graph, so that a drawn network is accepted wherever a graph is; AttributeError if it is no Dag."""
        if not isinstance(self.state.graph, Dag):
            raise AttributeError("the graph is not directed: use the trait `graph`.")
        return self.state.graph

    @property
    def network(self) -> BayesianNetwork | None:
        """Current graph with its probabilities; None if neither network nor data give them.

        Raises
        ------
        ValueError
            If a table of probabilities would be too large.
        """
        network: BayesianNetwork | None = self.state.session.network
        return network

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
        self.dispatch(Switch(session, threshold_of(graph)))

    def edit(self, action: Action, u: str, v: str) -> None:
        """Add, delete or reverse an edge u -> v.

        Raises
        ------
        ValueError
            If a node is unknown, the edge exists already or does not exist, the edge would close a cycle, which the
            message names, or the graph cannot be edited.
        """
        self.dispatch(Change(action, u, v))

    def set_table(self, node: str, table: ArrayLike) -> None:
        """Give a node another table of probabilities, which can be undone and stays while the node keeps its parents.

        Parameters
        ----------
        node : str
        table : array_like, one axis for each parent, and the last for the states
            As `BayesianNetwork.cpt` returns it.

        Raises
        ------
        ValueError
            If there are no probabilities, or as for `BayesianNetwork`.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> widget = NetworkGraph(asia())
        >>> widget.set_table("smoke", [0.2, 0.8])
        >>> widget.network.cpt("smoke")
        array([0.2, 0.8])
        """
        self.dispatch(SetTable(node, table))

    def set_noisy_or(
        self, node: str, effects: Mapping[str, float], *, leak: float = 0.0, on: Mapping[str, Hashable] | None = None
    ) -> None:
        """Give a node the table of a noisy-OR, which can be undone; see `bnlab.networks.noisy_or`.

        Raises
        ------
        ValueError
            If there are no probabilities, or as for `bnlab.networks.noisy_or`.

        Examples
        --------
        >>> from bnlab.networks import asia
        >>> widget = NetworkGraph(asia())
        >>> widget.set_noisy_or("dysp", {"bronc": 0.8, "either": 0.7}, leak=0.1)
        >>> widget.network.cpt("dysp")[..., 0].round(3)
        array([[0.946, 0.82 ],
               [0.73 , 0.1  ]])
        """
        table = noisy_table(self.state.session.tabled, node, effects, leak=leak, on=on)
        self.dispatch(SetTable(node, table, noisy_words(node)))

    def add_variable(self, name: str, states: Sequence[Hashable] = ("yes", "no")) -> None:
        """Add a variable, without edges and with equally probable states, which can be undone.

        Raises
        ------
        ValueError
            If the name is empty or another variable has it, there are fewer than two different states, or the variables
            are those of data or of another graph.

        Examples
        --------
        >>> widget = NetworkGraph()
        >>> widget.add_variable("rain")
        >>> widget.add_variable("wet", ("dry", "moist", "soaked"))
        >>> widget.edit("add", "rain", "wet")
        >>> widget.set_table("wet", [[0.1, 0.3, 0.6], [0.7, 0.2, 0.1]])
        >>> widget.network
        BayesianNetwork(2 nodes, 1 edge, 5 free parameters: [rain][wet|rain])
        """
        self.dispatch(AddVariable(name, tuple(states)))

    def rename_variable(self, node: str, name: str) -> None:
        """Give a variable another name, which can be undone; ValueError as for `add_variable`."""
        self.dispatch(RenameVariable(node, name))

    def remove_variable(self, node: str) -> None:
        """Remove a variable with its edges, which can be undone; ValueError as for `add_variable`.

        Its children get their distributions given their other parents.
        """
        self.dispatch(RemoveVariable(node))

    def undo(self) -> None:
        """Undo the last change; ValueError if there is none."""
        self.dispatch(UndoEdit())

    def redo(self) -> None:
        """Redo the last undone change; ValueError if there is none."""
        self.dispatch(UndoEdit(redo=True))

    def observe_state(self, node: str, state: Hashable) -> None:
        """Add one observation to the evidence; ValueError if it is unknown or impossible."""
        self.dispatch(Set("evidence", {**self.state.evidence, node: state}))

    def clear_evidence(self) -> None:
        """Remove all observations and interventions."""
        self.dispatch(ClearEvidence())

    def reset_positions(self) -> None:
        """Compute the layout again."""
        self.dispatch(ResetPositions())

    def learn(self, algorithm: str | None = None, **options: Any) -> None:
        """Learn the graph again from the data, under the background knowledge; positions and evidence stay.

        This can be undone like an edit, unless the previous graph breaks the knowledge.

        Parameters
        ----------
        algorithm : str, optional
            As for `bnlab.learn`; by default the learner recommended for the size of the data, with the trait `score`.
        **options
            Other arguments of `bnlab.learn`, such as score.

        Raises
        ------
        ValueError
            If there are no data, the graph is not a Dag, or as for `bnlab.learn`.
        TypeError
            As for `bnlab.learn`.

        Examples
        --------
        >>> from bnlab.graphs import Knowledge
        >>> from bnlab.networks import cancer
        >>> from bnlab.widgets import NetworkGraph
        >>> widget = NetworkGraph(cancer(), cancer().sample(5000, seed=0))
        >>> widget.knowledge = Knowledge(forbidden=[("Cancer", "Xray")])
        >>> widget.learn()
        >>> ("Cancer", "Xray") in widget.graph.edges
        False
        """
        self.call(Learn(algorithm, options))

    def to_frame(self) -> pd.DataFrame:
        """Edges of the current graph, one per row.

        Returns
        -------
        DataFrame
            u, v, directed (False where the essential graph is shown and has no direction), class (in both, reversed or
            only here; true, reversed or extra with a true network; "" without a network to compare with) and strength
            (the kind of the trait `strength`; NaN for none). With data, also gain (of the chosen score),
            mutual_information and p_value of the edges of a Dag.
        """
        state = self.state
        return exports.edge_frame(state.session, strengths(state), state.score, essential=state.show_essential)

    def scores(self) -> pd.DataFrame:
        """Scores of the graph before and after the last change.

        Returns
        -------
        DataFrame of float, indexed by score
            before, after, difference, start, since_start; in nats. Without data, no rows.
        """
        return exports.score_frame(self.state.session)

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
        return exports.marginal_frame(self.state.session)

    def to_code(self) -> str:
        """Python code that builds the current graph."""
        return exports.python_text(self.state.session)

    def save(self, path: str | Path) -> None:
        """Write a file in the format of its suffix: .bif, .graphml, .py, .svg or, as `save_html`, .html.

        Raises
        ------
        ValueError
            For another suffix, or if there are no probabilities to write as BIF.
        """
        exports.save(self.state.session, path, picture=self.view.picture, page=self._page)

    def save_html(self, path: str | Path, title: str = "Network") -> None:
        """Write one HTML file with a live copy of the graph as it is shown, for readers without Python.

        It is drawn, zoomed, dragged and selected as here, with the details of every node and edge. Probabilities given
        evidence and interventions are computed in the page, exactly, if the cliques of the network have at most 2**20
        cells; those of a larger network stay as they are. Nothing is fetched, and the graph cannot be edited.

        Parameters
        ----------
        path : str or Path
            An older file is replaced.
        title : str

        Raises
        ------
        OSError
            If the file cannot be written; an older one is then as it was.
        """
        replace_file(path, self._page(title))

    def offer(self, kind: str) -> None:
        """Make the page save a file: "html", "bif", "graphml" or "python".

        Raises
        ------
        ValueError
            If there is no such kind, or there are no probabilities to write as BIF.
        """
        file = exports.FILES[known_name(kind, exports.FILES, "kind of file")]
        self.view.offer(file.name, exports.text_of(kind, self.state.session, self._page), file.mime)
        self.dispatch(Set("status", f"Saved as {file.name}."))

    def _page(self, title: str = "Network") -> str:
        return saved_page(self.state, self.view, title)

    def _show(self, page: Page) -> None:  # type: ignore[override]
        self._display.show(page, self.state)

    def _tell(self, what: str, error: Exception) -> None:
        self.dispatch(Set("status", ""))  # so that screen readers speak the same error again
        self.dispatch(Told(f"{what or 'Not done'}: {error_text(error)}"))
        self.view.send({"type": "restore"})

    def _picked(self, change: Any) -> None:
        """Take what was selected in the picture, or how it highlights."""
        if self._display.is_showing:
            return
        if change["name"] == "highlight":
            self.handle(lambda: Set("highlight", change["new"]))
        else:
            self.handle(lambda: Select(tuple(self.view.selected), self.view.selected_edge))

    def _answer(self, _: Any, request: Mapping[str, Any], __: Any) -> None:
        """Do what the picture, the inspector or a control asks for."""
        if request.get("type") == "control" and request["id"] in exports.FILES:
            try:
                self.offer(request["id"])
            except ValueError as error:
                self._tell("", error)
        elif isinstance(message := message_of(request), TYPED):
            try:
                self.dispatch(message)
            except ValueError as error:
                self.dispatch(Set("status", ""))  # as in `_tell`
                self.dispatch(Mistyped(f"Not done: {error}", message))
        elif message is not None:
            self.handle(lambda: message)
            if isinstance(message, NewVariable):
                self.inspector.send({"type": "focus"})

    def _html(self) -> str:
        return exports.still_html(self.state.session, self.view.picture())

    def _display_(self) -> Any:
        """What marimo shows."""
        return self._display.marimo_html()

    def __repr__(self) -> str:
        """Size of the graph, and the evidence."""
        session = self.state.session
        given = f"; evidence {session.evidence}" if session.evidence else ""
        given += f"; do {session.do}" if session.do else ""
        return f"NetworkGraph({texts.size_text(session)}{given})"


def threshold_of(graph: Any) -> float | None:
    """Threshold of an `EdgeConfidence`; None for a graph."""
    return graph.threshold if isinstance(graph, EdgeConfidence) else None
