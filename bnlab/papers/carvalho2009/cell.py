"""Evaluation of a cell: the trees of all scores from one pass over the counts, and the hits of their classifiers.

The trees are those of Carvalho 2009, Algorithms 5 to 7, and of possible errors in them. Each family is counted once for
all scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from bnlab.counts.base import CountSource
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import Family, FloatArray, IntArray
from bnlab.graphs.paths import children_of
from bnlab.learners.trees import optimal_branching
from bnlab.learners.types import ParentTuples
from bnlab.papers.carvalho2009.protocol import SCORES, Protocol
from bnlab.papers.carvalho2009.rows import Fold, classified, folds
from bnlab.scores.function import LocalScoreFunction

LIKELIHOODS = {"MIT(0.99)": 2.0}
"""Factor of the log-likelihood in a score, if it is not 1: MIT is 2 N I less its penalty."""


@dataclass(frozen=True, eq=False)
class EdgeScores:
    """Local scores of all pairs of n attributes under one score; [i, j] is the edge X_i -> X_j.

    Attributes
    ----------
    joined : ndarray of float64, shape (n, n)
        φ_j({X_i, C}); the diagonal is zero.
    alone : ndarray of float64, shape (n,)
        φ_j({C}).
    joined_without, alone_without : ndarray of float64
        φ_j({X_i}) and φ_j({}).
    """

    joined: FloatArray
    alone: FloatArray
    joined_without: FloatArray
    alone_without: FloatArray


def edge_scores(source: CountSource) -> dict[str, EdgeScores]:
    """Local scores of all pairs of attributes, for every score; the class is the last variable."""
    n = len(source.arities) - 1
    child, parent = np.nonzero(~np.eye(n, dtype=np.bool_))
    pairs = list(zip(child.tolist(), parent.tolist(), strict=True))
    families: list[Family] = [(i, (j, n)) for i, j in pairs] + [(i, (n,)) for i in range(n)]
    families += [(i, (j,)) for i, j in pairs] + [(i, ()) for i in range(n)]
    values = np.empty((len(SCORES), len(families)))
    for positions, batch in source.batches(families):
        for row, score in enumerate(SCORES.values()):
            values[row, positions] = score.batch(batch)
    found = {}
    for name, of_score in zip(SCORES, values, strict=True):
        joined, alone, joined_without, alone_without = np.split(of_score, np.cumsum([len(pairs), n, len(pairs)]))
        square, square_without = np.zeros((2, n, n))
        square[parent, child], square_without[parent, child] = joined, joined_without
        found[name] = EdgeScores(square, alone, square_without, alone_without)
    return found


def structures(edges: Mapping[str, EdgeScores], protocol: Protocol, draw: Sequence[int]) -> dict[str, ParentTuples]:
    """Parents of every variable, the class last, for each score.

    Parameters
    ----------
    edges : mapping from score to EdgeScores
    protocol : Protocol
    draw : sequence of int
        Seed of random trees.
    """
    found = {}
    for number, name in enumerate(edges):
        joined, alone = _weighted(edges, name, protocol)
        tree = _tree(_LookUp(joined, alone, _symmetric(name, protocol)), protocol, [*draw, number])
        n = len(alone)
        found[name] = (*((*parents, n) for parents in _arcs(tree, protocol)), ())
    return found


def _weighted(edges: Mapping[str, EdgeScores], name: str, protocol: Protocol) -> tuple[FloatArray, FloatArray]:
    """φ of every edge and of every attribute alone; their difference is the weight of the edge."""
    phi = edges[name]
    nothing, twice = np.zeros_like(phi.alone), 2 * LIKELIHOODS.get(name, 1.0)
    joined, alone = {
        "gain": (phi.joined, phi.alone),
        "no class": (phi.joined_without, phi.alone_without),
        "not subtracted": (phi.joined, nothing),
        "no class, not subtracted": (phi.joined_without, nothing),
        "class gained too": (phi.joined, phi.alone_without),
        "penalty added": (twice * edges["LL"].joined - phi.joined, twice * edges["LL"].alone - phi.alone),
    }[protocol.weights]
    if protocol.edges == "directed":
        return joined, alone
    weights = joined - alone
    chosen = {"i<j": np.triu(weights, 1), "j<i": np.tril(weights, -1)}
    if protocol.edges in chosen:
        one_way = chosen[protocol.edges]
        return one_way + one_way.T, nothing
    return np.maximum(weights, weights.T), nothing


def _symmetric(name: str, protocol: Protocol) -> bool:
    return protocol.weights in ("gain", "no class") and SCORES[name].score_equivalent


@dataclass(frozen=True, eq=False)
class _LookUp(LocalScoreFunction):
    """φ over attributes from a table of all pairs."""

    joined: FloatArray
    alone: FloatArray
    score_equivalent: bool

    def __call__(self, child: int, parents: tuple[int, ...], /) -> float:
        return float(self.many([(child, parents)])[0])

    def many(self, families: Sequence[Family]) -> FloatArray:
        """φ of many families of at most one parent."""
        return np.array([self.joined[p[0], i] if p else self.alone[i] for i, p in families])

    def negative(self) -> _LookUp:
        """The negative of φ, whose maximal tree is the minimal tree of φ."""
        return _LookUp(-self.joined, -self.alone, self.score_equivalent)


def _tree(phi: _LookUp, protocol: Protocol, draw: Sequence[int]) -> ParentTuples:
    n = len(phi.alone)
    grow: dict[str, Callable[[], ParentTuples]] = {
        "maximum": lambda: optimal_branching(phi, n),
        "minimum": lambda: optimal_branching(phi.negative(), n),
        "forest": lambda: optimal_branching(phi, n, spanning=False),
        "greedy": lambda: _greedy(phi),
        "random": lambda: _random_tree(n, draw),
        "naive Bayes": lambda: ((),) * n,
    }
    return grow[protocol.tree]()


def _greedy(phi: _LookUp) -> ParentTuples:
    weights = phi.joined - phi.alone
    np.fill_diagonal(weights, -np.inf)
    return tuple((int(best),) for best in weights.argmax(axis=0))


def _random_tree(n: int, draw: Sequence[int]) -> ParentTuples:
    weights = np.random.default_rng(draw).random((n, n))
    return optimal_branching(_LookUp(weights + weights.T, np.zeros(n), True), n)


def _arcs(tree: ParentTuples, protocol: Protocol) -> ParentTuples:
    return tree if protocol.arcs == "as learned" else children_of(tree)


def evaluate(protocols: Mapping[str, Protocol], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Results of one cell.

    Parameters
    ----------
    protocols : mapping from name to Protocol
    cell : mapping with dataset, protocol (a name) and seed

    Returns
    -------
    dict
        n_train (rows of one training part), n_test (test rows of all folds), hits (one number a score, in the order
        of `SCORES`) and seconds.
    """
    start = perf_counter()
    protocol = protocols[cell["protocol"]]
    learned = learned_folds(cell["dataset"], protocol, cell["seed"])
    hits = sum(fold_hits(fold, edges, protocol, [cell["seed"], k]) for k, (fold, edges) in enumerate(learned))
    return {
        "n_train": learned[0][0].train.n_rows,
        "n_test": sum(len(fold.labels) for fold, _ in learned),
        "hits": np.asarray(hits).tolist(),
        "seconds": round(perf_counter() - start, 2),
    }


def learned_folds(dataset: str, protocol: Protocol, seed: int) -> list[tuple[Fold, dict[str, EdgeScores]]]:
    """Folds and the scores of their edges; consecutive protocols with the same rows share them."""
    return _learned_folds(dataset, protocol.rows, seed)


@lru_cache(maxsize=16)
def _learned_folds(dataset: str, rows: Protocol, seed: int) -> list[tuple[Fold, dict[str, EdgeScores]]]:
    return [(fold, edge_scores(MemorySource(fold.train, threads=1))) for fold in folds(dataset, rows, seed)]


def fold_hits(fold: Fold, edges: Mapping[str, EdgeScores], protocol: Protocol, draw: list[int]) -> IntArray:
    """Number of test rows that the classifier of each score classifies correctly, shape (scores,)."""
    source = MemorySource(fold.train, threads=1)
    hits: dict[ParentTuples, int] = {}
    parents = structures(edges, protocol, draw)
    for structure in parents.values():
        if structure not in hits:
            hits[structure] = int((classified(source, fold, structure, protocol) == fold.labels).sum())
    return np.array([hits[parents[name]] for name in SCORES])
