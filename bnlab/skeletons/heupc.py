"""The PC algorithm with a heuristic order of its tests: a reconstruction.

M. Wang, Z. Chen and S. Cloutier (2007), A hybrid Bayesian network learning method for constructing gene networks,
Computational Biology and Chemistry 31, 361-372, call their first stage "algorithmHPC"; E. Villanueva and C. D. Maciel
(2012) call it HeuPC. Only its abstract was available, so this is the PC algorithm with the third heuristic of P.
Spirtes, C. Glymour and R. Scheines (2000), section 5.4.2: weakest edges first, strongest conditioning variables
first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from bnlab.citests.tester import Calls, Dep, Pair
from bnlab.search import Snapshot, Work
from bnlab.skeletons.search import SkeletonProgress, SkeletonSearch
from bnlab.skeletons.super_structure import SuperStructure


@dataclass(frozen=True)
class HeuPCState:
    """State of a `HeuPC`.

    Attributes
    ----------
    neighbours : tuple of frozenset of int
        Graph of the remaining edges.
    strength : tuple of tuple of float
        w[x][y], dependence given nothing; one row for each variable that was tested with all later ones.
    order : int
        Size of the sets that are tested.
    waiting : tuple of (int, int)
        Edges that remain to be tested at this order, weakest first.
    done, total : int
        Steps made, and total known so far; the total grows when an order begins.
    calls : Calls
        Never changed after the state is made.
    at_start : tuple of frozenset of int
        Graph before the current order, from which a stable search takes the sets.
    """

    neighbours: tuple[frozenset[int], ...]
    strength: tuple[tuple[float, ...], ...]
    order: int
    waiting: tuple[Pair, ...]
    done: int
    total: int
    calls: Calls
    at_start: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True, eq=False)
class HeuPC(SkeletonSearch):
    """PC by orders: a `Search` whose step tests one variable with all later ones, and then one edge at one order.

    With a d-separation oracle and no bound on the order the result is the true skeleton, with a bound a superset.

    Parameters
    ----------
    tester, unreliable, max_order
        See `SkeletonSearch`.
    stable : bool
        Whether all sets of an order are of neighbours before it, so that the edges found do not depend on the order of
        the tests (D. Colombo and M. H. Maathuis, Order-independent constraint-based causal structure learning, JMLR
        15, 2014).
    """

    stable: bool = field(default=False, kw_only=True)

    def init(self) -> HeuPCState:
        """State without an edge, before the first test."""
        return HeuPCState((frozenset(),) * self.n, (), 0, (), 0, self.n, Calls())

    def step(self, state: HeuPCState) -> tuple[HeuPCState, SkeletonProgress]:
        """Test the next variable with all later ones, or test the next edge."""
        dep = self.dep(state.calls)
        if len(state.strength) < self.n:
            changes, doing = self._test_marginally(dep, state)
        else:
            changes, doing = self._test_edge(dep, state)
        state = replace(state, calls=dep.calls, done=state.done + 1, **changes)
        if len(state.strength) == self.n and not state.waiting:
            state = self._begin_order(state)
        return state, SkeletonProgress(state.done, state.total, doing, (), dep.calls.nsc)

    def is_done(self, state: HeuPCState) -> bool:
        """Whether no vertex has enough neighbours for another order."""
        return len(state.strength) == self.n and not state.waiting

    def result(self, state: HeuPCState) -> SuperStructure:
        """Graph of the remaining edges."""
        return self.structure(_sorted(state.neighbours), state.calls)

    def snapshot(self, state: HeuPCState) -> Snapshot:
        """Work of the current order, which tests all edges again, and the neighbours of each variable."""
        work = Work(state.done, state.total, f"{'edges' if state.order else 'variables'}, order {state.order}")
        return Snapshot(work, _sorted(state.neighbours))

    def _test_marginally(self, dep: Dep, state: HeuPCState) -> tuple[dict[str, Any], str]:
        x = len(state.strength)
        dep.prepare_group(x, range(x + 1, self.n))
        row = [state.strength[y][x] for y in range(x)] + [0.0] + [dep(x, y) for y in range(x + 1, self.n)]
        later = frozenset(y for y in range(x + 1, self.n) if row[y] > 0)
        graph = [ys | {x} if y in later else ys for y, ys in enumerate(state.neighbours)]
        graph[x] |= later
        return {"neighbours": tuple(graph), "strength": (*state.strength, tuple(row))}, self.tester.names[x]

    def _begin_order(self, state: HeuPCState) -> HeuPCState:
        """State at the start of the next order, or the same state if no vertex has enough neighbours."""
        order = state.order + 1
        if order > self.limit or all(len(ys) <= order for ys in state.neighbours):
            return state
        edges = sorted(self.edges(_sorted(state.neighbours)), key=lambda e: (state.strength[e[0]][e[1]], e))
        total = state.done + len(edges)
        return replace(state, order=order, waiting=tuple(edges), total=total, at_start=state.neighbours)

    def _test_edge(self, dep: Dep, state: HeuPCState) -> tuple[dict[str, Any], str]:
        (x, y), waiting = state.waiting[0], state.waiting[1:]
        doing = f"{self.tester.names[x]} - {self.tester.names[y]}, order {state.order}"
        if dep.separator(x, y, self._sets(state, x, y)) is not None:
            graph = list(state.neighbours)
            graph[x], graph[y] = graph[x] - {y}, graph[y] - {x}
            return {"neighbours": tuple(graph), "waiting": waiting}, doing
        return {"waiting": waiting}, doing

    def _sets(self, state: HeuPCState, x: int, y: int) -> Iterator[tuple[int, ...]]:
        """Sets of neighbours of the end with fewer neighbours, then of the other end, strongest first; no set twice."""
        tried: frozenset[int] = frozenset()
        near = state.at_start if self.stable else state.neighbours
        for u in sorted((x, y), key=lambda end: len(near[end])):
            others, strength = near[u] - {x, y}, state.strength[u]
            for z in combinations(sorted(others, key=lambda v: (-strength[v], v)), state.order):
                if not tried.issuperset(z):
                    yield z
            tried = others


def _sorted(neighbours: Sequence[frozenset[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted(nodes)) for nodes in neighbours)
