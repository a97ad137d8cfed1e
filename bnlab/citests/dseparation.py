"""D-separation as a test of independence without errors, as with unlimited data.

J. Pearl (1988), Probabilistic Reasoning in Intelligent Systems, section 3.3; the criterion is read from the moral
graph of ancestors (S. L. Lauritzen, A. P. Dawid, B. N. Larsen and H.-G. Leimer, 1990, Networks 20, 491-505).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from bnlab.graphs.dag import Dag, GraphLike, as_dag

MEMO = 1 << 17


class DSeparation:
    """Tester that reads the true graph.

    Parameters
    ----------
    graph : Dag or networkx.DiGraph
    strength : callable, optional
        Positive strength of a dependence, a function of (x, y, z) with x < y and z ascending; 1 by default. If a
        learner is proved correct, its result with this oracle must not depend on the strength.

    Examples
    --------
    >>> oracle = DSeparation(Dag.from_edges("XYZ", [("X", "Z"), ("Y", "Z")]))
    >>> oracle.strength(0, 1, ()), oracle.strength(0, 1, (2,))
    (0.0, 1.0)
    """

    def __init__(self, graph: GraphLike, strength: Callable[[int, int, tuple[int, ...]], float] | None = None) -> None:
        self.dag: Dag = as_dag(graph)
        self.names = self.dag.names
        self._dependence = strength or (lambda x, y, z: 1.0)
        self._parents = [sum(1 << p for p in parents) for parents in self.dag.parents]
        self._children = [0] * len(self.names)
        self._ancestors = [0] * len(self.names)
        for v in self.dag.topological_order:
            self._ancestors[v] = 1 << v
            for p in self.dag.parents[v]:
                self._children[p] |= 1 << v
                self._ancestors[v] |= self._ancestors[p]
        self._cached = lru_cache(maxsize=MEMO)(self._strength)

    def strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        """0 if z d-separates x and y, otherwise the strength of the dependence (see `Tester.strength`)."""
        return self._cached(x, y, z) if x < y else self._cached(y, x, z)

    def _strength(self, x: int, y: int, z: tuple[int, ...]) -> float:
        return 0.0 if self._separated(x, y, z) else self._dependence(x, y, z)

    def _separated(self, x: int, y: int, z: tuple[int, ...]) -> bool:
        """Whether z blocks every path from x to y in the moral graph of the ancestors of all three."""
        given = sum(1 << v for v in z)
        ancestors = self._ancestors[x] | self._ancestors[y]
        for v in z:
            ancestors |= self._ancestors[v]
        reached = frontier = 1 << x
        while frontier:
            v = frontier.bit_length() - 1
            frontier ^= 1 << v
            children = self._children[v] & ancestors
            neighbours = self._parents[v] | children
            while children:
                child = children.bit_length() - 1
                children ^= 1 << child
                neighbours |= self._parents[child]
            if neighbours >> y & 1:
                return False
            new = neighbours & ~reached & ~given
            reached |= new
            frontier |= new
        return True
