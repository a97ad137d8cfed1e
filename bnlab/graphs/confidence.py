"""Confidence in edges from a bootstrap or a posterior over graphs, and the consensus graph.

References
----------
N. Friedman, M. Goldszmidt, A. Wyner. Data analysis with Bayesian networks: a bootstrap approach. UAI 1999.
M. Scutari, R. Nagarajan. Identifying significant edges in graphical models of molecular networks. Artificial
Intelligence in Medicine 57, 2013 (the threshold).
C. Meek. Causal inference and causal explanation with background knowledge. UAI 1995 (directions).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import as_learned
from bnlab.graphs.pdag import Pdag

if TYPE_CHECKING:
    import pandas as pd


class ChainTraces(NamedTuple):
    """Scores and convergence of the Markov chains that sampled graphs.

    Attributes
    ----------
    scores : ndarray of float64, shape (chains, draws)
        Score of each drawn DAG in nats, including the burn-in.
    burn_in : int
        Number of first draws of each chain that are discarded.
    draws : ndarray of int64, shape (k,)
        Numbers of draws after the burn-in at which R-hat was computed.
    r_hat : ndarray of float64, shape (k,)
        Greatest split R-hat of an edge after that number of draws.
    """

    scores: NDArray[np.float64]
    burn_in: int
    draws: NDArray[np.int64]
    r_hat: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class EdgeConfidence:
    """Confidence in each edge and each direction of it: shares of bootstrap graphs, or posterior probabilities.

    Attributes
    ----------
    names : tuple of str, length n
    arcs : ndarray of float, shape (n, n)
        [u, v] is the share or the probability of u -> v; an undirected edge counts one half each way.
    graphs : int
        Number of graphs that were learned or sampled; 0 for exact probabilities.
    method : {"bootstrap", "exact", "mcmc"}
    errors : ndarray of float, shape (n, n), optional
        Monte Carlo standard errors of `arcs`; by default those of independent graphs, and 0 without graphs. For "mcmc"
        plus an estimated bound of what was left out.
    diagnostics : mapping of str to float
        Diagnostics of the method; for "mcmc" see `bnlab.learners.posterior.PartitionSampler.result`.
    samples : ndarray of bool, shape (samples, n, n), optional
        Adjacency matrices of sampled DAGs.
    chains : ChainTraces, optional
        Scores and convergence of the Markov chains that sampled them.
    constant : tuple of str
        Variables of which the rows show one state. They have no edges, because the data are no evidence for or against
        any.
    """

    names: tuple[str, ...]
    arcs: NDArray[np.float64]
    graphs: int
    method: str = "bootstrap"
    errors: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    samples: NDArray[np.bool_] | None = None
    chains: ChainTraces | None = None
    constant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.errors):
            variance = np.maximum(self.arcs * (1 - self.arcs), 0.0)
            object.__setattr__(self, "errors", np.sqrt(variance / self.graphs) if self.graphs else 0 * variance)

    @property
    def strength(self) -> NDArray[np.float64]:
        """Share of the graphs in which u and v are joined, in either direction; shape (n, n), symmetric."""
        return self.arcs + self.arcs.T

    @property
    def threshold(self) -> float:
        """Least strength of a significant edge, as Scutari and Nagarajan (2013) estimate it.

        If all graphs agreed, every strength would be 0 or 1. The share of zeros is chosen to minimise the L1 distance
        between this distribution function and the observed one. That share of the pairs, the weakest, is insignificant.
        The threshold is 1 if every edge is in all graphs or in none.
        """
        strengths = np.sort(self._pairs())
        inner = np.unique(strengths[(strengths > 0) & (strengths < 1)])
        if not len(inner):
            return 1.0
        knots = np.concatenate(([0.0], inner, [1.0]))
        levels = np.searchsorted(strengths, knots[:-1], side="right") / len(strengths)
        order = np.argsort(levels, kind="stable")
        weights = np.cumsum(np.diff(knots)[order])
        level = levels[order][np.searchsorted(weights, weights[-1] / 2)]  # weighted median
        insignificant = round(level * len(strengths))
        return float(strengths[insignificant]) if insignificant < len(strengths) else 1.0

    def to_frame(self) -> pd.DataFrame:
        """Probability of each edge: rows are parents, columns children, shape (n, n)."""
        import pandas as pd

        return pd.DataFrame(self.arcs, index=pd.Index(self.names, name="parent"), columns=self.names)

    def edge_list(self) -> pd.DataFrame:
        """Edges that occur in any graph, the strongest first.

        Returns
        -------
        DataFrame
            u, v : str, the more frequent direction; strength : float, share of the graphs that join them; direction :
            float, share of u -> v among those.
        """
        import pandas as pd

        strength = self.strength
        rows = [
            (self.names[u], self.names[v], strength[u, v], self.arcs[u, v] / strength[u, v]) for u, v in self._ranked()
        ]
        return pd.DataFrame(rows, columns=["u", "v", "strength", "direction"])

    def consensus(self, threshold: float | None = None) -> Dag:
        """Graph of the edges that reach a threshold of strength, each in its more frequent direction.

        Edges are added from the strongest to the weakest. An edge that would close a cycle is reversed. Edges whose
        directions are equally frequent, and undirected ones, come last. Where possible, they are directed so that they
        form no v-structure with another edge, because no graph supports it. Those whose direction does not follow from
        others are undecided (`Dag.undecided`), and drawn without an arrowhead.

        Parameters
        ----------
        threshold : float, optional
            Between 0 and 1; `threshold` by default.

        Raises
        ------
        ValueError
            If the threshold is outside [0, 1].
        """
        least = self.threshold if threshold is None else threshold
        if not 0 <= least <= 1:
            raise ValueError(f"threshold={threshold!r}: a share of the graphs, so between 0 and 1.")
        strength = self.strength
        edges = [edge for edge in self._ranked() if strength[edge] >= least]
        known = [edge for edge in edges if not self._is_tied(*edge)]
        tied = [edge for edge in edges if self._is_tied(*edge)]
        open_edges = {(self.names[u], self.names[v]) for pair in tied for u, v in (pair, pair[::-1])}
        return as_learned(Dag(self.names, _direct_edges(len(self.names), known, tied)).with_undecided(open_edges))

    def strengths(self, threshold: float | None = None) -> dict[tuple[str, str], float]:
        """Confidence in each edge of the consensus graph, in its direction.

        Parameters
        ----------
        threshold : float, optional
            As for `consensus`.

        Raises
        ------
        ValueError
            As for `consensus`.
        """
        graph = self.consensus(threshold)
        return {
            (self.names[u], self.names[v]): float(self.arcs[u, v])
            for v, parents in enumerate(graph.parents)
            for u in parents
        }

    def probability(self, holds: Callable[[Dag], bool]) -> float:
        """Posterior probability of any property of a graph: its share among the sampled DAGs.

        Parameters
        ----------
        holds : callable
            Dag -> bool.

        Raises
        ------
        ValueError
            If no DAGs were sampled: only ``method="mcmc"`` samples them.

        Examples
        --------
        >>> import bnlab
        >>> data = bnlab.load_network("cancer").sample(1000, seed=1)
        >>> found = bnlab.edge_probabilities(data, method="mcmc", draws=200)
        >>> 0 <= found.probability(lambda dag: "Smoker" in dag.ancestors_of("Xray")) <= 1
        True
        """
        samples = self._samples()
        distinct, counts = np.unique(np.packbits(samples.reshape(len(samples), -1), axis=1), axis=0, return_counts=True)
        n = len(self.names)
        graphs = np.unpackbits(distinct, axis=1, count=n * n).reshape(-1, n, n)
        held = [bool(holds(Dag(self.names, [np.flatnonzero(column) for column in graph.T]))) for graph in graphs]
        return float(np.average(held, weights=counts))

    def dags(self, most: int | None = None) -> list[Dag]:
        """Sampled DAGs, chain after chain; an evenly spaced selection if there are more than `most`.

        Raises
        ------
        ValueError
            If no DAGs were sampled, or `most` is less than 1.
        """
        samples = self._samples()
        if most is not None and most < 1:
            raise ValueError(f"most={most}: at least 1 DAG.")
        number = len(samples) if most is None else min(most, len(samples))
        chosen = samples[np.linspace(0, len(samples) - 1, number).round().astype(np.int64)]
        return [Dag(self.names, [np.flatnonzero(column) for column in graph.T]) for graph in chosen]

    def ancestors(self) -> pd.DataFrame:
        """Probability of a directed path from each row to each column, among the sampled DAGs; shape (n, n).

        Raises
        ------
        ValueError
            If no DAGs were sampled.
        """
        import pandas as pd

        reaches = self._samples()
        for middle in range(len(self.names)):  # Warshall's algorithm, all graphs at once
            reaches = reaches | (reaches[:, :, middle, None] & reaches[:, None, middle, :])
        return pd.DataFrame(reaches.mean(axis=0), index=list(self.names), columns=list(self.names))

    def markov_blankets(self) -> pd.DataFrame:
        """Probability that each two variables are in each other's Markov blanket; shape (n, n), symmetric.

        Raises
        ------
        ValueError
            If no DAGs were sampled.
        """
        import pandas as pd

        samples = self._samples()
        children = samples.astype(np.float32)
        spouses = children @ children.transpose(0, 2, 1) > 0
        blankets = samples | samples.transpose(0, 2, 1) | spouses
        shares = np.where(np.eye(len(self.names), dtype=bool), 0.0, blankets.mean(axis=0))
        return pd.DataFrame(shares, index=list(self.names), columns=list(self.names))

    def _samples(self) -> NDArray[np.bool_]:
        if self.samples is None:
            raise ValueError(
                f"method={self.method!r} keeps no graphs, only the probabilities of edges: "
                "use bnlab.edge_probabilities(..., method='mcmc')."
            )
        return self.samples

    def __repr__(self) -> str:
        """Number of graphs, and number of edges that reach the threshold."""
        significant = int(np.sum(self._pairs() >= self.threshold))
        graphs = f"{self.graphs} graphs" if self.graphs else self.method
        alone = f"; constant and without edges: {', '.join(self.constant)}" if self.constant else ""
        return (
            f"EdgeConfidence({graphs}, {significant} edges with a confidence of at least {self.threshold:.0%}{alone})"
        )

    def _is_tied(self, u: int, v: int) -> bool:
        return bool(np.isclose(self.arcs[u, v], self.arcs[v, u]))

    def _pairs(self) -> NDArray[np.float64]:
        return self.strength[np.triu_indices(len(self.names), 1)]

    def _ranked(self) -> list[tuple[int, int]]:
        """Edges in the more frequent direction by falling strength, then by indices."""
        strength = self.strength
        pairs = np.argwhere(np.triu(strength > 0, 1)).tolist()
        pairs.sort(key=lambda pair: -strength[pair[0], pair[1]])
        return [(u, v) if self.arcs[u, v] >= self.arcs[v, u] else (v, u) for u, v in pairs]


def arcs_of(graph: Pdag) -> NDArray[np.float64]:
    """Matrix with 1 for u -> v, and one half each way for an undirected edge; shape (n, n)."""
    arcs = np.zeros((len(graph), len(graph)))
    for u, v in graph.directed:
        arcs[u, v] = 1.0
    for u, v in graph.undirected:
        arcs[u, v] = arcs[v, u] = 0.5
    return arcs


def _direct_edges(n: int, known: Sequence[tuple[int, int]], tied: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Parents of each of n nodes; directions propagate by the first rule of Meek (1995)."""
    reaches, joined = np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool)
    parents: list[list[int]] = [[] for _ in range(n)]
    undirected: list[set[int]] = [set() for _ in range(n)]
    for u, v in (*known, *tied):
        joined[u, v] = joined[v, u] = True
    for u, v in tied:
        undirected[u].add(v)
        undirected[v].add(u)

    def add_edge(u: int, v: int) -> tuple[int, int]:
        undirected[u].discard(v)
        undirected[v].discard(u)
        if reaches[v, u]:
            u, v = v, u
        parents[v].append(u)
        np.logical_or(reaches, np.outer(reaches[:, u], reaches[v]), out=reaches)
        return u, v

    added = deque([add_edge(*edge) for edge in known])
    for first, second in tied:
        while added:
            u, v = added.popleft()
            added.extend([add_edge(v, w) for w in sorted(undirected[v]) if not joined[u, w]])
        if second in undirected[first]:
            added.append(add_edge(first, second))
    return parents
