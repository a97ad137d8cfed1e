"""Past iterations of a search, stored in bounded memory."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import Any, NamedTuple

from bnlab.search import Policies

GRAPH_BYTES = 64 << 20
POLICY_BYTES = 64 << 20
POINTER = 8
OVERHEAD = 120


class Moment(NamedTuple):
    """What is stored of an iteration: graph and policies, and the iterations at which they were noted."""

    iteration: int
    sketch: Any
    policies_iteration: int
    policies: Policies | None


class History:
    """Graph and policies after each step.

    Graphs are tuples that share their families, or arrays of bits: some 8 n + 120 bytes a step for n variables. Every
    step is kept until they take `graph_bytes` (64 MB by default: 160,000 steps of 37 variables, 8,000 of 1,000).
    Policies are matrices, 9 n² bytes: `policy_bytes` (64 MB) hold 5,000 steps of 37 variables. Beyond its bound every
    second entry but the last is given up, and again when it is full again; a moment in between then shows the entry
    before it.

    Examples
    --------
    >>> history = History()
    >>> history.note(0, ((), ()), None)
    >>> history.note(5, ((), (0,)), None)
    >>> history.at(4).sketch, history.at(9).iteration
    (((), ()), 5)
    """

    def __init__(self, *, graph_bytes: int = GRAPH_BYTES, policy_bytes: int = POLICY_BYTES) -> None:
        self._graphs = _Kept(graph_bytes)
        self._policies = _Kept(policy_bytes)
        self._families: dict[tuple[int, ...], tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Number of graphs kept."""
        return len(self._graphs.entries)

    def note(self, iteration: int, graph: Any, policies: Policies | None) -> None:
        """Keep what there is after a step; it must not be changed afterwards."""
        if isinstance(graph, tuple):
            graph = tuple(map(self._families.setdefault, graph, graph))
            self._graphs.add(iteration, graph, POINTER * len(graph) + OVERHEAD)
        elif graph is not None:
            self._graphs.add(iteration, graph, graph.nbytes + OVERHEAD)
        if policies is not None:
            edges = 0 if policies.edges is None else policies.edges.nbytes
            self._policies.add(iteration, policies, policies.tau.nbytes + edges + OVERHEAD)

    def at(self, iteration: int) -> Moment:
        """Last entries at or before an iteration; the first ones when there is none so early."""
        return Moment(*self._graphs.at(iteration), *self._policies.at(iteration))


class _Kept:
    """Entries (iteration, value, bytes), thinned when they pass a number of bytes."""

    def __init__(self, most: int) -> None:
        self.most, self.total = most, 0
        self.entries: list[tuple[int, Any, int]] = []

    def add(self, iteration: int, value: Any, size: int) -> None:
        if self.entries and self.entries[-1][0] == iteration:
            self.total -= self.entries.pop()[2]
        self.entries.append((iteration, value, size))
        self.total += size
        if self.total > self.most and len(self.entries) > 2:
            self.entries = [*self.entries[:-1:2], self.entries[-1]]
            self.total = sum(size for _, _, size in self.entries)

    def at(self, iteration: int) -> tuple[int, Any]:
        k = max(bisect_right(self.entries, iteration, key=itemgetter(0)) - 1, 0)
        return self.entries[k][:2] if self.entries else (-1, None)
