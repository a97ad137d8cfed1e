"""Base classes of the constraint-based learners: options, tests, progress, and the search by targets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MemoryBudget
from bnlab._runtime.cached import cached_property
from bnlab.citests.compiled.search import Separators, Weakest
from bnlab.citests.g2_tester import G2Tester
from bnlab.citests.tester import UNRELIABLE, Calls, Dep, Pair, Tester, Unreliable
from bnlab.graphs.edge_rules import Mask
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.search import Described, RunsAtOnce, Snapshot, Work
from bnlab.skeletons.reordered import Reordered
from bnlab.skeletons.super_structure import SuperStructure

Rule: TypeAlias = Literal["or", "and"]
RULES = ("or", "and")
Kernel: TypeAlias = Callable[..., NDArray[np.bool_]]

MAX_ORDER_UNDER_SKIP = 8


@dataclass(frozen=True)
class SkeletonProgress:
    """Information of one step.

    Attributes
    ----------
    done, total : int
        Units of work done so far and in all.
    doing : str
        Subject of this step: the name of a target, or an edge.
    found : tuple of str
        Neighbours found for the target.
    nsc : int
        Statistical calls so far.
    """

    done: int
    total: int
    doing: str
    found: tuple[str, ...]
    nsc: int


@dataclass(frozen=True, eq=False)
class SkeletonSearch(Described, RunsAtOnce[SuperStructure]):
    """Base of the constraint-based learners.

    Parameters
    ----------
    tester : Tester
    unreliable : {"independent", "skip"}
        Result of a test that has too few rows, see `bnlab.citests.tester.Dep`.
    max_order : int, optional
        Greatest size of a subset that is tested as a separator. By default there is no bound, because the minimum
        number of rows sets one; under "skip", where it does not, the default is 8.
    knowledge : Knowledge, optional
        Required pairs are joined and pairs without an allowed edge are not, independently of the tests. The tests are
        the same as without it. Rules of direction, such as tiers, have no effect on an undirected graph.

    Raises
    ------
    ValueError
        For fewer than two variables, an unknown option, or knowledge about other variables.
    """

    tester: Tester
    unreliable: Unreliable = field(default="independent", kw_only=True)
    max_order: int | None = field(default=None, kw_only=True)
    knowledge: Knowledge | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ValueError(f"{self.n} variable: a graph to be learned needs two at least")
        if self.unreliable not in UNRELIABLE:
            raise ValueError(f"unreliable={self.unreliable!r}: the rules are {', '.join(map(repr, UNRELIABLE))}")
        if self.max_order is not None and self.max_order < 0:
            raise ValueError(f"max_order={self.max_order}: a set has 0 variables or more; None sets no bound")
        _ = self._known

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.tester.names)

    @property
    def limit(self) -> int:
        """Greatest size of a set that is tested as a separator."""
        if self.max_order is None:
            return MAX_ORDER_UNDER_SKIP if self.unreliable == "skip" else self.n
        return self.max_order

    @property
    def remember_below(self) -> int:
        """Size of sets from which the algorithm's own cache has no results."""
        return 0

    def kernel(self) -> tuple[Kernel, tuple[Any, ...]] | None:
        """Compiled loops of the whole search, and their arguments after dep; None if there are none.

        They return a matrix of bool, with the neighbours found for each variable in its row.
        """
        return None

    def edges(self, found: Sequence[Sequence[int]]) -> set[Pair]:
        """Edges of the neighbours found for each variable."""
        return joined(found, "or")

    def pairs(self, found: Sequence[Sequence[int]]) -> set[Pair]:
        """Edges of the neighbours found for each variable, corrected by the knowledge."""
        edges = self.edges(found)
        if self._known is None:
            return edges
        required, possible = self._known
        return required | {pair for pair in edges if possible[pair]}

    @cached_property
    def _known(self) -> tuple[set[Pair], Mask] | None:
        """Pairs that must be joined, and whether each pair may be joined."""
        if self.knowledge is None:
            return None
        required, allowed, _ = self.knowledge.resolved(self.tester.names)
        joined = np.argwhere(np.triu(required | required.T)).tolist()
        return {(i, j) for i, j in joined}, allowed | allowed.T

    @property
    def compiles(self) -> bool:
        """Whether the search and its tester have compiled loops."""
        return self.kernel() is not None and isinstance(self.tester, (G2Tester, Reordered)) and self.tester.compiles

    def at_once(self) -> SuperStructure | None:
        """Result of all steps from compiled loops; None if the search or the tester has none."""
        kernel = self.kernel()
        if kernel is None or not isinstance(self.tester, (G2Tester, Reordered)):
            return None
        dep = self.tester.compiled_dep(self.unreliable, self.remember_below)
        if dep is None:
            return None
        loops, arguments = kernel
        try:
            found = [row.nonzero()[0].tolist() for row in dep.run(loops, *arguments)]
        except MemoryBudget:
            return None
        return self._structure(found, *dep.results())

    def dep(self, calls: Calls) -> Dep:
        """Degree of dependence that continues the calls of a state, without changing them."""
        return Dep(self.tester, calls.copy(), unreliable=self.unreliable, remember_below=self.remember_below)

    def structure(self, found: Sequence[Sequence[int]], calls: Calls) -> SuperStructure:
        """Graph of the neighbours found for each variable, with the results of the calls."""
        weakest, separators = calls.weakest.to_dict(), calls.separators.to_dict()
        if isinstance(self.tester, Reordered):
            weakest, separators = self.tester.weakest(weakest), self.tester.separators(separators)
        weakest, separators = dict(sorted(weakest.items())), dict(sorted(separators.items()))
        return self._structure(found, weakest, separators, calls.nsc, calls.not_performed)

    def _structure(
        self,
        found: Sequence[Sequence[int]],
        weakest: Weakest,
        separators: Separators,
        nsc: int,
        not_performed: int,
    ) -> SuperStructure:
        pairs = frozenset(self._column_pairs(found))
        return SuperStructure(self.variable_names(), pairs, weakest, separators, nsc, nsc, not_performed)

    def _column_pairs(self, found: Sequence[Sequence[int]]) -> set[Pair]:
        pairs = self.pairs(found)
        return set(map(self.tester.pair, pairs)) if isinstance(self.tester, Reordered) else pairs

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables, in the order of the columns."""
        return tuple((self.tester.tester if isinstance(self.tester, Reordered) else self.tester).names)

    def graph_of(self, sketch: Sequence[Sequence[int]], names: Sequence[str]) -> Pdag:
        """Undirected graph of the neighbours of each variable."""
        return Pdag(names, undirected=sorted(self._column_pairs(sketch)))

    def subsets(self, variables: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Subsets up to the greatest order, smallest first."""
        return subsets(variables, self.limit)


@dataclass(frozen=True)
class TargetState:
    """State of a search over targets.

    Attributes
    ----------
    found : tuple of tuple of int
        Neighbours of each finished target, in the order of the columns.
    costs : tuple of (int, int)
        For each of them, the tests performed and not performed.
    calls : Calls
        Never changed after the state is made.
    """

    found: tuple[tuple[int, ...], ...] = ()
    costs: tuple[tuple[int, int], ...] = ()
    calls: Calls = field(default_factory=Calls)


@dataclass(frozen=True, eq=False)
class ByTarget(SkeletonSearch, ABC):
    """A `Search` whose step finds the neighbours of the next target, in the order of the columns.

    Parameters
    ----------
    tester, unreliable, max_order
        See `SkeletonSearch`.
    rule : {"or", "and"}
        Join two variables if either finds the other, or only if both do; by default as published.

    Raises
    ------
    ValueError
        For fewer than two variables or an unknown option.
    """

    rule: Rule = field(default="or", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule not in RULES:
            raise ValueError(f"rule={self.rule!r}: the rules are {', '.join(map(repr, RULES))}")

    def init(self) -> Any:
        """State before the first target."""
        return TargetState()

    @abstractmethod
    def neighbours(self, dep: Dep, target: int, state: Any) -> tuple[Sequence[int], Any]:
        """Neighbours of a target, and the state with all other changes."""

    def step(self, state: Any) -> tuple[Any, SkeletonProgress]:
        """Find the neighbours of the next target."""
        target = len(state.found)
        dep = self.dep(state.calls)
        before = dep.calls.nsc, dep.calls.not_performed
        found, state = self.neighbours(dep, target, state)
        cost = dep.calls.nsc - before[0], dep.calls.not_performed - before[1]
        state = replace(state, found=(*state.found, tuple(found)), costs=(*state.costs, cost), calls=dep.calls)
        return state, self.progress(state, target, found)

    def is_done(self, state: Any) -> bool:
        """Whether every target is finished."""
        return len(state.found) == self.n

    def result(self, state: Any) -> SuperStructure:
        """Graph of the finished targets."""
        return self.structure(state.found, state.calls)

    def edges(self, found: Sequence[Sequence[int]]) -> set[Pair]:
        """Edges of the neighbours found for each target."""
        return joined(found, self.rule)

    def snapshot(self, state: Any) -> Snapshot:
        """Targets finished, and their neighbours."""
        return Snapshot(self.work(state), state.found)

    def work(self, state: Any) -> Work:
        """Number of finished targets, and of all."""
        return Work(len(state.found), self.n, "targets")

    def has_separator(self, dep: Dep, target: int, x: int, members: Sequence[int]) -> bool:
        """Whether a subset of the other members separates x from the target."""
        return any(dep.separates(target, x, z) for z in self.subsets([v for v in members if v != x]))

    def progress(self, state: Any, target: int, found: Iterable[int]) -> SkeletonProgress:
        """Information of a step."""
        names = self.tester.names
        done, total, _ = self.work(state)
        return SkeletonProgress(done, total, names[target], tuple(names[v] for v in sorted(found)), state.calls.nsc)


def subsets(variables: Sequence[int], max_order: int) -> Iterator[tuple[int, ...]]:
    """Subsets of at most `max_order` variables, by size, then in the order of `variables`.

    Examples
    --------
    >>> list(subsets([3, 1, 2], 2))
    [(), (3,), (1,), (2,), (3, 1), (3, 2), (1, 2)]
    """
    for size in range(min(len(variables), max_order) + 1):
        yield from combinations(variables, size)


def joined(found: Sequence[Sequence[int]], rule: Rule) -> set[Pair]:
    """Edges of the finished targets, found from one end ("or") or from both ends ("and").

    Examples
    --------
    >>> sorted(joined([(1, 2), (0,), ()], "or")), sorted(joined([(1, 2), (0,), ()], "and"))
    ([(0, 1), (0, 2)], [(0, 1)])
    """
    links = {(t, x) for t, neighbours in enumerate(found) for x in neighbours}
    if rule == "and":
        links = {(t, x) for t, x in links if (x, t) in links}
    return {(min(link), max(link)) for link in links}
