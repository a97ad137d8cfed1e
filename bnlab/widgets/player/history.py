"""Past iterations of a search, stored in bounded memory."""

from __future__ import annotations

from bisect import bisect_right
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

    @property
    def iterations(self) -> list[int]:
        """Iterations whose graph is kept."""
        return self._graphs.iterations

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
    """Entries by iteration, thinned when they pass a number of bytes."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.iterations: list[int] = []
        self.entries: list[Any] = []
        self._bytes: list[int] = []
        self._total = 0

    def add(self, iteration: int, entry: Any, size: int) -> None:
        if self.iterations and self.iterations[-1] == iteration:
            self._total -= self._bytes.pop()
            self.iterations.pop()
            self.entries.pop()
        self.iterations.append(iteration)
        self.entries.append(entry)
        self._bytes.append(size)
        self._total += size
        if self._total > self.most and len(self.entries) > 2:
            last = len(self.entries) - 1
            keep = [k for k in range(len(self.entries)) if k % 2 == 0 or k == last]
            self.iterations = [self.iterations[k] for k in keep]
            self.entries = [self.entries[k] for k in keep]
            self._bytes = [self._bytes[k] for k in keep]
            self._total = sum(self._bytes)

    def at(self, iteration: int) -> tuple[int, Any]:
        if not self.entries:
            return -1, None
        k = max(bisect_right(self.iterations, iteration) - 1, 0)
        return self.iterations[k], self.entries[k]
