"""All scores of a graph that changes; each family is counted once, for all scores together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnlab.counts.base import batches_of
from bnlab.counts.cache import BoundedCache
from bnlab.counts.source import DataLike, count_source
from bnlab.counts.types import Family, FloatArray
from bnlab.graphs.dag import Dag
from bnlab.scores import LocalScore, make_score

PLAIN_SCORES = ("ll", "aic", "bic", "nml", "mit", "k2", "bdeu")
CACHED_FAMILIES = 1 << 16


class GraphScores:
    """Cached local scores of families under several scores.

    Parameters
    ----------
    data : Table, DataFrame or CountSource
    scores : sequence of str or LocalScore
        Scores that need no hyperparameters for each family.

    Attributes
    ----------
    scores : tuple of str
        Names of the scores, in the order of the last axis of all results.

    Raises
    ------
    ValueError
        If a score is unknown or needs hyperparameters for each family.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> bit = ("0", "1")
    >>> table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    >>> scores = GraphScores(table, ["ll", "aic"])
    >>> scores.total(Dag.from_edges("XY", [("X", "Y")])).round(3)
    array([-2.773, -5.773])
    """

    def __init__(self, data: DataLike, scores: Sequence[str | LocalScore] = PLAIN_SCORES) -> None:
        self.source = count_source(data)
        self._scores = [make_score(score) for score in scores]
        for score in self._scores:
            if score.needs_family:
                raise ValueError(f"score {score.name!r} has hyperparameters for each family: it is not shown here.")
        self.scores = tuple(score.name for score in self._scores)
        self._values: BoundedCache[Family, FloatArray] = BoundedCache(CACHED_FAMILIES)

    def local(self, families: Sequence[Family]) -> FloatArray:
        """Scores of families.

        Parameters
        ----------
        families : sequence of (child, parents)
            Indices, parents ascending.

        Returns
        -------
        ndarray of float64, shape (families, scores)
            Nats; greater is better.
        """
        if not families:
            return np.empty((0, len(self.scores)))
        return np.stack(self._values.find(families, lambda missing: list(self._evaluated(missing))))

    def total(self, dag: Dag) -> FloatArray:
        """Scores of a graph, ndarray of float64, shape (scores,), in nats."""
        total: FloatArray = self.local(list(enumerate(dag.parents))).sum(axis=0)
        return total

    def gain(self, dag: Dag, u: int, v: int) -> FloatArray:
        """Gain of each score by the edge u -> v of a graph: with it minus without it, shape (scores,), in nats."""
        with_it, without = self.local([(v, dag.parents[v]), (v, tuple(p for p in dag.parents[v] if p != u))])
        return np.asarray(with_it - without)

    def _evaluated(self, families: list[Family]) -> FloatArray:
        values = np.empty((len(families), len(self._scores)))
        for positions, batch in batches_of(self.source.count(families)):
            for s, score in enumerate(self._scores):
                values[positions, s] = score.batch(batch)
        return values
