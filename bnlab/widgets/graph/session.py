"""A graph that is viewed and edited, with its scores, probabilities and strengths; nothing here draws."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.source import DataLike, as_data, count_source
from bnlab.figures.graphs.edge_strength import EdgeStrengths, Strength
from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.figures.scores.network_scores import PLAIN_SCORES
from bnlab.graphs import Dag, Pdag, as_dag, essential_graph
from bnlab.graphs.dag import is_networkx
from bnlab.graphs.editing import Edit, EditHistory
from bnlab.networks.fit import FamilyTables
from bnlab.networks.inference import ImpossibleEvidence, JunctionTree, Posterior
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnlab.data.variable import Variable

NO_PROBABILITIES = "there are no probabilities: give a BayesianNetwork, or a Dag with data to fit it to."

FloatArray = NDArray[np.float64]
Shown: TypeAlias = "Dag | Pdag | InfluenceDiagram"


class GraphSession:
    """A graph with its history, scores, probabilities and strengths; each is computed when it is first needed.

    Parameters
    ----------
    graph : Dag, BayesianNetwork, Pdag, InfluenceDiagram, networkx.DiGraph or iterable of (parent, child) names
    data : Table, DataFrame or CountSource, optional
        Holds all nodes; of a Table, other columns are left out, and states are matched to those of a network.

    Attributes
    ----------
    names : tuple of str
    variables : tuple of Variable or None
        None when neither network nor data give the states.
    source : CountSource or None
    scores : GraphScores or None
    history : EditHistory or None
        None for a Pdag or an influence diagram, which cannot be edited.
    evidence : dict of str to state
    infers : bool
        Whether there are probabilities, in tables small enough for exact inference.
    unavailable : str
        Why there are no probabilities.

    Raises
    ------
    ValueError
        If graph and data are on different variables.
    TypeError
        If `graph` is not a graph.
    """

    def __init__(self, graph: Any, data: DataLike | None = None) -> None:
        self.given = as_shown(graph, data)
        self.names: tuple[str, ...] = self.given.names
        net = graph if isinstance(graph, BayesianNetwork) else None
        self.source = None if data is None else count_source(_matched(data, self.names, net))
        self.history = EditHistory.begin(self.given) if isinstance(self.given, Dag) else None
        self.variables: tuple[Variable, ...] | None = (
            net.variables if net is not None else self.source.variables if self.source is not None else None
        )
        self.scores = GraphScores(self.source, PLAIN_SCORES) if self.source is not None and self.history else None
        self._strengths = EdgeStrengths(self.scores) if self.scores else None
        has_tables = self.history is not None and self.variables is not None
        self._tables = FamilyTables(net, self.source) if has_tables else None
        self._made: dict[str, tuple[Dag, Any]] = {}
        self.evidence: dict[str, Any] = {}
        self._posterior: Posterior | None = None
        self.infers = False
        self.unavailable = NO_PROBABILITIES
        self._infer()

    @property
    def dag(self) -> Dag | None:
        """Present graph, where it is one that can be edited."""
        return None if self.history is None else self.history.dag

    @property
    def graph(self) -> Shown:
        """Present graph, of any kind."""
        return self.given if self.history is None else self.history.dag

    @property
    def network(self) -> BayesianNetwork | None:
        """Present graph with its probabilities; None when neither network nor data give them.

        Raises
        ------
        ValueError
            If a table of probabilities would be too large.
        """
        tables = self._tables
        return None if tables is None else self._of_dag("network", tables.network)

    @property
    def n_parameters(self) -> int | None:
        """Number of free parameters of the present graph; None when neither network nor data give the states."""
        if self.dag is None or self.variables is None:
            return None
        arities = [variable.arity for variable in self.variables]
        return sum(
            prod(arities[p] for p in parents) * (r - 1) for parents, r in zip(self.dag.parents, arities, strict=True)
        )

    @property
    def prior(self) -> Posterior | None:
        """Marginals without evidence; None when there are no probabilities."""
        return self._of_dag("prior", lambda _: self._given({})) if self.infers else None

    @property
    def posterior(self) -> Posterior | None:
        """Marginals given the evidence; None when there are no probabilities."""
        return self._posterior if self.evidence else self.prior

    def observe(self, evidence: Mapping[str, Hashable]) -> None:
        """Replace the evidence.

        Raises
        ------
        ImpossibleEvidence
            (A ValueError.) If the evidence has probability 0.
        ValueError
            If a node or a state is unknown, or there are no probabilities.
        """
        if not self.infers:
            if evidence:
                raise ValueError(self.unavailable)
            return
        self._posterior = self._given(evidence) if evidence else None
        self.evidence = dict(evidence)

    def _tree(self) -> JunctionTree:
        net = self.network
        assert net is not None
        tree: JunctionTree = self._of_dag("tree", lambda _: JunctionTree(net))
        return tree

    def _given(self, evidence: Mapping[str, Hashable]) -> Posterior:
        return self._tree().posterior(evidence)

    def _infer(self) -> str:
        """Update inference after a change of the graph; returns a message when the evidence is lost."""
        if self._tables is None:
            return ""
        self.infers, self.unavailable = False, ""
        try:
            self._tree()
            self.infers = True
            if self.evidence:
                self._posterior = self._given(self.evidence)
        except ImpossibleEvidence as error:
            self.evidence = {}
            return f"Evidence cleared: {error}"
        except ValueError as error:
            self.evidence = {}
            self.unavailable = str(error)
            return self.unavailable
        return ""

    def essential(self) -> Pdag:
        """Essential graph of the present one."""
        found: Pdag = self._of_dag("essential", essential_graph)
        return found

    def strengths(self, kind: Strength, score: str) -> dict[tuple[str, str], float]:
        """Strength of every edge in data (see `EdgeStrengths.values`)."""
        assert self._strengths is not None
        assert self.history is not None
        return self._strengths.values(self.history.dag, kind, score)

    def strength(self, u: str, v: str) -> Any:
        """All numbers of one edge (see `EdgeStrengths.of`)."""
        assert self._strengths is not None
        assert self.history is not None
        dag = self.history.dag
        return self._strengths.of(dag, dag.index(u), dag.index(v))

    def totals(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scores of the present graph, of the one before the last change, and of the first."""
        assert self.scores is not None
        assert self.history is not None
        history = self.history
        return self.scores.total(history.dag), self.scores.total(history.before), self.scores.total(history.start)

    def edit(self, edit: Edit) -> str:
        """Change one edge; returns a message when the evidence is lost.

        Raises
        ------
        ValueError
            If the graph cannot be edited, or as for `bnlab.graphs.editing.edited`.
        """
        return self._go(self._editable().edit(edit))

    def replace(self, graph: Any) -> str:
        """Replace the graph by another one on the same variables.

        Raises
        ------
        ValueError, TypeError
            If it is not such a graph, or the graph cannot be edited.
        """
        return self._go(self._editable().replace(as_dag(graph, self.names)))

    def undo(self) -> str:
        """Go back one step; ValueError when there is none."""
        return self._go(self._editable().undo())

    def redo(self) -> str:
        """Go forward again; ValueError when nothing was undone."""
        return self._go(self._editable().redo())

    def _go(self, history: EditHistory) -> str:
        self.history = history
        return self._infer()

    def _editable(self) -> EditHistory:
        if self.history is None:
            kind = "an influence diagram" if isinstance(self.given, InfluenceDiagram) else "a partially directed graph"
            raise ValueError(f"{kind} is only shown here: give a Dag or a BayesianNetwork to edit.")
        return self.history

    def _of_dag(self, what: str, make: Any) -> Any:
        """Value of a function of the present graph, computed once per graph."""
        assert self.history is not None
        dag = self.history.dag
        kept = self._made.get(what)
        if kept is None or kept[0] is not dag:
            kept = self._made[what] = (dag, make(dag))
        return kept[1]


def as_shown(graph: Any, data: Any = None) -> Shown:
    """Read any kind of graph; pairs are on the variables of the data, or else on those that they name.

    Raises
    ------
    TypeError
        If it is no graph.
    """
    if isinstance(graph, Pdag | InfluenceDiagram | Dag):
        return graph
    if isinstance(graph, BayesianNetwork):
        return graph.dag
    if is_networkx(graph):
        return as_dag(graph)
    names = getattr(data, "names", None)
    if names is None and not isinstance(graph, str) and hasattr(graph, "__iter__"):
        graph = list(graph)
        names = list(dict.fromkeys(name for edge in graph for name in edge))
    return as_dag(graph, names)


def _matched(data: Any, names: tuple[str, ...], net: BayesianNetwork | None) -> Any:
    """Data with the columns of the graph in its order, and the states of its network."""
    from bnlab.data.table import Table

    data = as_data(data)
    if not isinstance(data, Table):
        source = count_source(data)
        if source.names != names:
            raise ValueError(
                f"the data are on {', '.join(source.names)}, the graph on {', '.join(names)}: a count source has the "
                "variables of the graph, in its order."
            )
        return source
    if net is not None:
        return data if data.variables == net.variables else data.recoded(net.variables)
    return data if data.names == names else data.select(names)
