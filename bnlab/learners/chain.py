"""Two searches in a row, the second of which is made from what the first found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bnlab._runtime.cached import cached_property
from bnlab.graphs.dag import Dag
from bnlab.learners.types import ParentTuples
from bnlab.search import Described, Snapshot, run


class ChainState(NamedTuple):
    """State of the first search, and of the second once that is done."""

    first: Any
    second: Any = None


@dataclass(frozen=True, eq=False)
class Chain(Described):
    """One search and then another, as one whose result is a network.

    Parameters
    ----------
    first : Search
    then : callable
        From the result of the first to the second search, whose result is the parents of each variable.
    n : int
        Number of variables.

    Examples
    --------
    >>> from bnlab.learners import CkGSearch, GrowingTree
    >>> from bnlab.search import run
    >>> phi = lambda child, parents: {2: 1.0 + 2.0 * (parents == (0, 1)), 1: 2.0}.get(child, 0.0) * bool(parents)
    >>> tree = GrowingTree(phi, 3, root=0)
    >>> run(Chain(tree, lambda found: CkGSearch(phi, found, 2, order="bfs"), 3))
    ((), (0,), (0, 1))
    """

    first: Any
    then: Callable[[Any], Any]
    n: int
    _made: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def init(self) -> ChainState:
        """Before the first search."""
        return self._on(self.first.init())

    def step(self, state: ChainState) -> tuple[ChainState, Any]:
        """Make a step of the present search; its information is that of the step."""
        search, present = self.present(state)
        after, info = search.step(present)
        return (self._on(after) if state.second is None else ChainState(state.first, after)), info

    def at_once(self) -> ParentTuples:
        """Result of both searches, each run at once where it can."""
        found: ParentTuples = run(self.then(run(self.first)))
        return found

    def is_done(self, state: ChainState) -> bool:
        """Whether the second search is done."""
        return state.second is not None and bool(self._second(state.first).is_done(state.second))

    def result(self, state: ChainState) -> ParentTuples:
        """What the second search has found; before it what the first has, if that is a network."""
        search, present = self.present(state)
        found: Any = search.result(present)
        if state.second is None and not _is_network(found, self.n):
            return self._nothing
        network: ParentTuples = found
        return network

    def present(self, state: ChainState) -> tuple[Any, Any]:
        """Search that is going on, and its state."""
        if state.second is None:
            return self.first, state.first
        return self._second(state.first), state.second

    def snapshot(self, state: ChainState) -> Snapshot:
        """What the search that is going on shows."""
        search, present = self.present(state)
        found: Snapshot = search.snapshot(present)
        return found

    def graph_of(self, sketch: Any, names: Sequence[str]) -> Dag:
        """DAG of a sketch of either search."""
        return Dag(names, sketch)

    def variable_names(self) -> tuple[str, ...] | None:
        """Names of the variables, where the first search knows them."""
        names: tuple[str, ...] | None = self.first.variable_names()
        return names

    def score_of(self, parents: Sequence[Sequence[int]]) -> float | None:
        """Score of a network, as the first search scores networks."""
        score: float | None = self.first.score_of(parents)
        return score

    @cached_property
    def _nothing(self) -> ParentTuples:
        return ((),) * self.n

    def _on(self, first: Any) -> ChainState:
        return ChainState(first, self._second(first).init()) if self.first.is_done(first) else ChainState(first)

    def _second(self, first: Any) -> Any:
        kept = self._made.get("second")
        if kept is None or kept[0] is not first:
            kept = self._made["second"] = (first, self.then(self.first.result(first)))
        return kept[1]


def _is_network(found: Any, n: int) -> bool:
    return len(found) == n and all(isinstance(u, int) for parents in found for u in parents)
