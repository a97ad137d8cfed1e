"""Two searches in sequence: the second is made from the result of the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bnlab.learners.types import ParentTuples, Phi, ScoreSearch
from bnlab.search import Snapshot


class ChainState(NamedTuple):
    """State of the first search, and of the second once the first is done."""

    first: Any
    second: Any = None


@dataclass(frozen=True, eq=False)
class Chain(ScoreSearch):
    """Two searches in sequence as one search, whose result is a network.

    Parameters
    ----------
    first : ScoreSearch
    then : callable
        Makes the second search from the result of the first. Its result is the parents of each variable.

    Examples
    --------
    >>> from bnlab.learners import CkGSearch, GrowingTree
    >>> from bnlab.search import run
    >>> phi = lambda child, parents: {2: 1.0 + 2.0 * (parents == (0, 1)), 1: 2.0}.get(child, 0.0) * bool(parents)
    >>> tree = GrowingTree(phi, 3, root=0)
    >>> run(Chain(tree, lambda found: CkGSearch(phi, found, 2, order="bfs")))
    ((), (0,), (0, 1))
    """

    first: Any
    then: Callable[[Any], Any]
    _latest: list[tuple[Any, Any]] = field(default_factory=list, init=False, repr=False)

    @property
    def phi(self) -> Phi:  # type: ignore[override]
        """Local score of the first search."""
        phi: Phi = self.first.phi
        return phi

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of variables."""
        return int(self.first.n)

    def init(self) -> ChainState:
        """State before the first search."""
        return self._next(self.first.init())

    def step(self, state: ChainState) -> tuple[ChainState, Any]:
        """Make a step of the present search, with the information of that step."""
        search, present = self._present(state)
        after, info = search.step(present)
        return (self._next(after) if state.second is None else ChainState(state.first, after)), info

    def is_done(self, state: ChainState) -> bool:
        """Whether the second search is done."""
        return state.second is not None and bool(self._second(state.first).is_done(state.second))

    def result(self, state: ChainState) -> ParentTuples:
        """Result of the second search so far; before it that of the first if it is a network, else no edges."""
        search, present = self._present(state)
        found: Any = search.result(present)
        if len(found) < self.n or any(not isinstance(u, int) for parents in found for u in parents):
            return ((),) * self.n
        network: ParentTuples = found
        return network

    def snapshot(self, state: ChainState) -> Snapshot:
        """Snapshot of the present search."""
        search, present = self._present(state)
        found: Snapshot = search.snapshot(present)
        return found

    def _present(self, state: ChainState) -> tuple[Any, Any]:
        """Present search, and its state."""
        return (self.first, state.first) if state.second is None else (self._second(state.first), state.second)

    def _next(self, first: Any) -> ChainState:
        return ChainState(first, self._second(first).init()) if self.first.is_done(first) else ChainState(first)

    def _second(self, first: Any) -> Any:
        if not self._latest or self._latest[0][0] is not first:
            self._latest[:] = [(first, self.then(self.first.result(first)))]
        return self._latest[0][1]
