"""An interactive graph with its scores, probabilities and strengths; nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.base import CountSource
from bnlab.counts.source import DataLike, as_data, count_source
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.figures.graphs.network import Reference, edge_directions
from bnlab.figures.graphs.node_tables import EdgeStrengths
from bnlab.figures.scores.graph_scores import PLAIN_SCORES, GraphScores
from bnlab.graphs import Dag, Knowledge, Pdag, as_dag, as_graph
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.equivalence import any_member, class_of, member
from bnlab.graphs.foreign import foreign_edges
from bnlab.networks.fit import FamilyTables
from bnlab.networks.influence import InfluenceDiagram
from bnlab.networks.network import BayesianNetwork, free_parameters
from bnlab.networks.query.estimate import LikelihoodWeighting, inference_of
from bnlab.networks.query.evidence import Evidence, Finding, ImpossibleEvidence
from bnlab.networks.query.explain import Explanation
from bnlab.networks.query.inference import JunctionTree, Posterior
from bnlab.widgets.graph.data import Strengths, graph_data
from bnlab.widgets.graph.history import EditHistory, Version
from bnlab.widgets.graph.rules import broken_rule

NO_PROBABILITIES = "there are no probabilities: give a BayesianNetwork, or a Dag with data to fit it to."

CONSENSUS = "consensus graph"

FloatArray = NDArray[np.float64]
Shown: TypeAlias = "Dag | Pdag | InfluenceDiagram"


DERIVED = ("essential", "network", "inference", "prior", "explanation")


class GraphSession:
    """A graph with its history, scores, probabilities and strengths, each computed when first needed: a value.

    Its methods return other sessions. Parameters and errors are as for `NetworkGraph`.

    Attributes
    ----------
    given : Dag, Pdag or InfluenceDiagram
        The first graph.
    history : EditHistory or None
        None for a Pdag or an influence diagram, which cannot be edited.
    infers : bool
        Whether there are probabilities, in tables small enough for exact inference.
    knowledge : Knowledge or None
        Rules that changes of the graph must respect.
    unavailable : str
        Why there are no probabilities.
    """

    def __init__(
        self,
        graph: Any,
        data: DataLike | None = None,
        *,
        reference: Any = None,
        truth: Any = None,
        strengths: Strengths | EdgeConfidence | None = None,
    ) -> None:
        rows = None if data is None else as_data(data)
        if graph is None:
            graph = BayesianNetwork(Dag.empty(()), (), ()) if rows is None else Dag.empty(rows.names)
        self.confidence = graph if isinstance(graph, EdgeConfidence) else None
        # Of a consensus graph, the probability of each direction is shown.
        self.given = as_shown(graph if self.confidence is None else member(self.confidence.consensus()), rows)
        if isinstance(strengths, EdgeConfidence):
            self.confidence, strengths = strengths, None
            if set(self.confidence.names) != set(self.given.names):
                raise ValueError("strengths: the edge confidence is on other variables than the graph.")
        net = graph if isinstance(graph, BayesianNetwork) else None
        self.source = None if rows is None else _matched(rows, self.given.names, net)
        self.reference = Reference.of(reference, truth, self.given.names)
        self.given_strengths = None if strengths is None else graph_data(self.given, None, strengths).strengths
        self.history = EditHistory.begin(Version(self.given, net)) if isinstance(self.given, Dag) else None
        self.scores = GraphScores(self.source, PLAIN_SCORES) if self.source is not None and self.history else None
        self.edge_strengths = EdgeStrengths(self.scores) if self.scores else None
        self._tables = self._family_tables()
        self.evidence: dict[str, Any] = {}
        self.do: dict[str, Any] = {}
        self.knowledge: Knowledge | None = None
        self._posterior: Posterior | None = None
        self.infers, self.unavailable = False, NO_PROBABILITIES
        self._update()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the current nodes."""
        return self.graph.names

    @property
    def variables(self) -> tuple[Variable, ...] | None:
        """Current variables; None if neither network nor data give the states."""
        if self.history is not None and self.history.now.net is not None:
            return self.history.now.net.variables
        return None if self.source is None else self.source.variables

    @property
    def dag(self) -> Dag | None:
        """Current graph; None if it cannot be edited."""
        return None if self.history is None else self.history.dag

    @property
    def graph(self) -> Shown:
        """Current graph, of any kind."""
        return self.given if self.history is None else self.history.dag

    @property
    def drawn(self) -> Dag | Pdag:
        """Current graph; for an influence diagram its Dag."""
        return self.graph.dag if isinstance(self.graph, InfluenceDiagram) else self.graph

    @cached_property
    def essential(self) -> Pdag | None:
        """Class of the current graph, with the directions that the knowledge decides; None without a Dag."""
        return None if self.dag is None else class_of(self.dag, self.knowledge)

    @property
    def learned(self) -> bool:
        """Whether the current graph has edges whose direction the data from which it was learned do not decide."""
        return self.dag is not None and bool(self.dag.undecided)

    @cached_property
    def member(self) -> Dag | None:
        """One graph of a given equivalence class; None for another graph, or if the class has none."""
        return any_member(self.given) if isinstance(self.given, Pdag) else None

    @cached_property
    def network(self) -> BayesianNetwork | None:
        """Current graph with its probabilities, None without any; ValueError if a table would be too large."""
        return None if self._tables is None or self.dag is None else self._tables.network(self.dag)

    @cached_property
    def inference(self) -> JunctionTree | LikelihoodWeighting:
        """Inference in the network, by sampling if exact tables would be too large; ValueError if there is none."""
        return inference_of(self.tabled)

    @property
    def estimate_note(self) -> str:
        """Note that the probabilities are estimates, with their errors; "" if they are exact or there are none."""
        if self.posterior is None or not self.posterior.errors:
            return ""
        worst = max(float(errors.max()) for errors in self.posterior.errors.values())
        return (
            "Exact inference would need too large tables: probabilities are estimated from samples, with standard "
            f"errors of at most {worst:.3f}."
        )

    @property
    def n_parameters(self) -> int | None:
        """Number of free parameters of the current graph; None if neither network nor data give the states."""
        if self.dag is None or self.variables is None:
            return None
        return free_parameters(self.dag, [variable.arity for variable in self.variables])

    @cached_property
    def prior(self) -> Posterior | None:
        """Marginals without evidence; None if there are no probabilities."""
        return self.inference.posterior({}) if self.infers else None

    @property
    def posterior(self) -> Posterior | None:
        """Marginals given the evidence; None if there are no probabilities."""
        return self._posterior if self.evidence or self.do else self.prior

    @cached_property
    def explanation(self) -> Explanation | None:
        """Most probable states of all nodes given the evidence; None without exact inference."""
        if not self.infers or self.estimate_note or self.network is None:
            return None
        return self.network.most_probable(self.evidence, do=self.do or None)

    @property
    def learning_refused(self) -> str:
        """Why the graph cannot be learned again; "" if it can."""
        if self.history is None:
            return "learn: only a directed graph is learned again; give a Dag or a BayesianNetwork."
        if self.source is None:
            return "learn: there are no data to learn from: NetworkGraph(graph, data) has them."
        return ""

    @property
    def variables_fixed(self) -> str:
        """Why variables cannot be added, renamed or removed; "" if they can."""
        if self.history is None or self.history.now.net is None:
            return "the states of its nodes are unknown: give a network, or nothing, to change its variables."
        if self.source is not None:
            return "its variables are the columns of the data: NetworkGraph(network), without data, lets them change."
        if any(given is not None for given in (self.reference, self.confidence, self.given_strengths)):
            return "what it is compared with is on its variables: leave out reference, truth and strengths."
        return "" if self.knowledge is None else "the knowledge is about its variables: set `knowledge` to None before."

    def observed(self, evidence: Evidence, do: Mapping[str, Hashable]) -> GraphSession:
        """Session with other observations and interventions.

        Raises
        ------
        ValueError
            If they are unknown, impossible, or there are no probabilities.
        """
        new = copy(self)
        new._observe(evidence, do)
        return new

    def like(self, other: GraphSession) -> tuple[GraphSession, str]:
        """Session with the knowledge and possible evidence of another one, and a message if evidence is lost."""
        new = self.ruled(other.knowledge)
        try:
            return new.observed(self._known(other.evidence), self._known(other.do)), ""
        except ValueError as error:
            return new, f"Evidence cleared: {error}"

    def ruled(self, knowledge: Knowledge | None) -> GraphSession:
        """Session with other background knowledge."""
        new = copy(self)
        new.knowledge = knowledge
        vars(new).pop("essential", None)
        return new

    def changed(self, change: Callable[[EditHistory], EditHistory]) -> tuple[GraphSession, str]:
        """Session after an edit, another graph, undo or redo, and a message if evidence is lost.

        Raises
        ------
        ValueError
            If the graph cannot be edited, or would break a rule of the knowledge that it does not break now.
        """
        if self.history is None:
            if isinstance(self.given, InfluenceDiagram):
                raise ValueError("an influence diagram is only shown here: give a Dag or a BayesianNetwork to edit.")
            raise ValueError(
                "a partially directed graph is only shown here: NetworkGraph(bnlab.graphs.member(graph), "
                "show_essential=True) shows an equivalence class and lets you edit one of its graphs."
            )
        changed = change(self.history)
        if changed.dag.names != self.names and self.variables_fixed:
            raise ValueError(f"the variables stay: {self.variables_fixed}")
        if broken := broken_rule(self.knowledge, self.history.dag, changed.dag):
            raise ValueError(
                f"the knowledge forbids this change: {broken}. Remove the rule with “Free”, or assign other knowledge."
            )
        new = copy(self)
        new.history = changed
        if changed.now.net is not self.history.now.net:
            new._tables = new._family_tables()
            now = new_names(self.names, new.names)
            new.evidence, new.do = (
                new._known({now.get(name, name): finding for name, finding in given.items()})
                for given in (self.evidence, self.do)
            )
        return new, new._update()

    @property
    def tabled(self) -> BayesianNetwork:
        """Network whose tables and variables can be edited; ValueError if there is none."""
        if self.network is None:
            raise ValueError(NO_PROBABILITIES)
        return self.network

    def revised(self, net: BayesianNetwork, words: str) -> tuple[GraphSession, str]:
        """Session with another network on the same or other variables, and a message if evidence is lost."""
        return self.changed(lambda history: history.take(net, words))

    def cut(self, threshold: float) -> tuple[GraphSession, str]:
        """Session with the consensus graph at a threshold; one undo reverts all cuts since the last edit."""
        if self.confidence is None:
            raise ValueError("threshold: there are no probabilities of edges; give NetworkGraph an EdgeConfidence.")
        consensus = member(self.confidence.consensus(threshold))

        def replaced(history: EditHistory) -> EditHistory:
            before = history.undo() if history.last.startswith(CONSENSUS) else history
            return before.replace(consensus, f"{CONSENSUS} at {threshold:.0%}")

        return self.changed(replaced)

    @property
    def probabilities(self) -> dict[tuple[str, str], float]:
        """Probability that the ends of each edge of the current graph are joined."""
        assert self.confidence is not None
        index = {name: i for i, name in enumerate(self.confidence.names)}
        return {(u, v): float(self.confidence.strength[index[u], index[v]]) for u, v in edge_directions(self.drawn)}

    def direction(self, u: str, v: str) -> float:
        """Share of u -> v in the probability of an edge; one half if that probability is 0."""
        assert self.confidence is not None
        i, j = self.confidence.names.index(u), self.confidence.names.index(v)
        joined = self.confidence.strength[i, j]
        return float(self.confidence.arcs[i, j] / joined) if joined > 0 else 0.5

    def totals(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scores of the current graph, of the graph before the last change, and of the first graph."""
        assert self.scores is not None
        assert self.history is not None
        history = self.history
        versions = (history.now, history.before, history.start)
        now, before, start = (self.scores.total(version.dag) for version in versions)
        return now, before, start

    def _family_tables(self) -> FamilyTables | None:
        """Tables for graphs of the current variables; None if neither network nor data give any."""
        net = None if self.history is None else self.history.now.net
        return None if self.history is None or self.variables is None else FamilyTables(net, self.source)

    def _known(self, given: Evidence) -> dict[str, Any]:
        """Part of some evidence whose nodes and states there are."""
        states = {v.name: v.states for v in self.variables or ()}
        return {name: finding for name, finding in given.items() if _is_known(finding, states.get(name, ()))}

    def _observe(self, evidence: Evidence, do: Mapping[str, Hashable]) -> None:
        if (evidence or do) and not self.infers:
            raise ValueError(self.unavailable)
        if do:
            assert self.network is not None
            self._posterior = self.network.posterior(evidence, do=do)
        else:
            self._posterior = self.inference.posterior(evidence) if evidence else None
        self.evidence, self.do = dict(evidence), dict(do)
        vars(self).pop("explanation", None)

    def _update(self) -> str:
        """Begin inference for another graph; a message if the evidence is lost."""
        for name in DERIVED:
            vars(self).pop(name, None)
        if self._tables is None:
            return ""
        try:
            _ = self.inference
            self.infers, self.unavailable = True, ""
            self._observe(self.evidence, self.do)
        except ValueError as error:
            self.evidence, self.do = {}, {}
            if isinstance(error, ImpossibleEvidence):
                return f"Evidence cleared: {error}"
            self.infers, self.unavailable = False, str(error)
        return self.unavailable


def new_names(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """Names of variables after a step of the history by those before, which may rename one; {} if their number changed.

    Examples
    --------
    >>> new_names("ab", "ac"), new_names("ab", "a")
    ({'a': 'a', 'b': 'c'}, {})
    """
    return dict(zip(before, after, strict=True)) if len(before) == len(after) else {}


def as_shown(graph: Any, data: Table | CountSource | None = None) -> Shown:
    """Convert any kind of graph; pairs are on the variables of the data, or without data on those that they name."""
    if isinstance(graph, Pdag | InfluenceDiagram | Dag):
        return graph
    if isinstance(graph, BayesianNetwork):
        return graph.dag
    if isinstance(graph, str) or foreign_edges(graph) is not None or not isinstance(graph, Iterable):
        return as_graph(graph)
    edges = list(graph)
    return as_dag(edges, [*dict.fromkeys(name for edge in edges for name in edge)] if data is None else data.names)


def _matched(data: Table | CountSource, names: tuple[str, ...], net: BayesianNetwork | None) -> CountSource:
    """Counts with the columns of the graph in its order, and with the states of its network."""
    if not isinstance(data, Table):
        if data.names != names:
            raise ValueError(
                f"the data are on {', '.join(data.names)}, the graph on {', '.join(names)}: a count source has the "
                "variables of the graph, in its order."
            )
    elif net is not None:
        data = data if data.variables == net.variables else data.recoded(net.variables)
    elif data.names != names:
        data = data.select(names)
    return count_source(data)


def _is_known(finding: Finding, states: Sequence[Hashable]) -> bool:
    """Whether a variable has the states of a finding."""
    some = finding if isinstance(finding, Mapping | list | set) else [finding]
    return all(state in states for state in some)
