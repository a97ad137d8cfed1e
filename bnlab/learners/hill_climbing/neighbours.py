"""Scores of families and of all families that differ from each of them by one parent, under rules of edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from bnlab.graphs.edge_rules import EdgeRules
from bnlab.learners.types import Family, Floats, evaluate
from bnlab.scores.function import LocalScoreFunction, toggled

if TYPE_CHECKING:
    from bnlab.scores.table_scores import TableScores

MAX_SCORES = 1 << 22
"""Maximum number of scores in the cache, which is emptied beyond that."""


class Neighbours:
    """Scores by compiled code where φ has a compiled form, else by φ itself.

    Parameters
    ----------
    phi : LocalScoreFunction
    edges : EdgeRules
    """

    def __init__(self, phi: LocalScoreFunction, edges: EdgeRules) -> None:
        self.phi, self.edges = phi, edges
        self.n = len(edges.allowed)
        self._compiled = phi.compiled() if phi.n == self.n else None
        free = (edges.allowed & ~edges.required).T
        self._wanted, self._free = np.where(free, -np.inf, np.inf), free.sum(axis=1).tolist()
        self._limits, self._required = edges.limits.tolist(), edges.required
        self._rows: dict[Family, Floats] = {}

    def permuted(self, order: Sequence[int], phi: LocalScoreFunction) -> Neighbours:
        """The same in another order: variable k becomes ``order[k]``; `phi` is the score in that order.

        Rows of families without parents are kept.
        """
        other, at = Neighbours(phi, self.edges.permuted(order)), np.array(order)
        for k, v in enumerate(order):
            if (v, ()) in self._rows:
                other._rows[k, ()] = self._rows[v, ()][at]
        return other

    def __contains__(self, family: Family) -> bool:
        """Whether the scores of a family and of those that differ by one parent are in the cache."""
        return family in self._rows

    def of_sample(self, n_rows: int) -> TableScores | None:
        """`TableScores.of_sample`, if φ has a compiled form."""
        return self._compiled.of_sample(n_rows) if self._compiled is not None else None

    def rows(self, families: Sequence[Family], ahead: Callable[[], Sequence[Family]] | None = None) -> list[Floats]:
        """As `scores`, from a cache.

        Parameters
        ----------
        families : sequence of (child, parents)
        ahead : callable, optional
            Returns families that are scored as well if some of the others must be.
        """
        missing = [family for family in families if family not in self._rows]
        if missing:
            if (len(self._rows) + len(missing)) * self.n > MAX_SCORES:
                self._rows, missing = {}, list(families)
            elif ahead is not None:
                missing += ahead()
            self._rows.update(zip(missing, self.scores(missing), strict=True))
        return [self._rows[family] for family in families]

    def scores(self, families: Sequence[Family], least: Floats | None = None, margin: float = -np.inf) -> Floats:
        """Score of each family, and its scores with each node added to the parents or removed.

        Parameters
        ----------
        families : sequence of (child, parents)
        least : ndarray of float64, shape (families, n), optional
            Scores above these matter; others may be returned as -inf. Nodes of which it is infinite are not added.
        margin : float
            Added nodes matter if they gain more than this.

        Returns
        -------
        ndarray of float64, shape (families, n)
            The score of the family itself is at the child; -inf where a change is impossible or breaks the rules.

        Raises
        ------
        ValueError
            If a score is nan or infinite.
        """
        if self._compiled is None:
            return self._by_phi(families, least)
        children = [child for child, _ in families]
        wanted = self._wanted[children]
        for row, (child, parents) in enumerate(families):
            if len(parents) >= self._limits[child]:
                wanted[row] = np.inf
            for u in parents:
                wanted[row, u] = np.inf if self._required[u, child] else -np.inf
        if least is not None:
            np.maximum(wanted, least, out=wanted)
        values = self._compiled.toggles(families, wanted, margin)
        self.phi.misses += len(children) + sum(self._free[child] for child in children)
        own = [float(row[child]) for row, child in zip(values, children, strict=True)]
        if not all(map(isfinite, own)) or isnan(values.max()):
            return self._by_phi(families)  # raises the error that names the family
        return values

    def _by_phi(self, families: Sequence[Family], least: Floats | None = None) -> Floats:
        required, allowed, limits = self.edges
        neighbours = []
        for k, (child, parents) in enumerate(families):
            matters = allowed[:, child] if least is None else allowed[:, child] & (least[k] < np.inf)
            free = np.flatnonzero(matters).tolist() if len(parents) < limits[child] else ()
            neighbours.append(tuple(u for u in sorted({*free, *parents}) if not required[u, child]))
        values = np.full((len(families), self.n), -np.inf)
        for row, (child, parents), others, scores in zip(
            values, families, neighbours, self.phi.toggled(families, neighbours), strict=True
        ):
            if not np.isfinite(scores).all():
                evaluate(self.phi, [*((child, toggled(parents, u)) for u in others), (child, parents)])
            row[[*others, child]] = scores
        return values
