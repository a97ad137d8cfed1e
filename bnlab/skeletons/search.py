"""Base classes of the constraint-based learners: options, tests, progress, and the search by targets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.values import check_optional_counts
from bnlab.citests.g2_tester import G2Tester
from bnlab.citests.tester import UNRELIABLE, Calls, Dep, Pair, Tester, Unreliable
from bnlab.graphs.edge_rules import Mask
from bnlab.graphs.knowledge import Knowledge
from bnlab.graphs.pdag import Pdag
from bnlab.search import Described, Snapshot, Work
from bnlab.skeletons.super_structure import SuperStructure

Rule: TypeAlias = Literal["or", "and"]
RULES = ("or", "and")

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
class SkeletonSearch(Described):
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
    TypeError
        If an option is of the wrong type.
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
        check_optional_counts(0, max_order=self.max_order)
        if self.knowledge is not None and not isinstance(self.knowledge, Knowledge):
            raise TypeError(f"knowledge is a {type(self.knowledge).__name__}: give a bnlab.Knowledge.")
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

    def dep(self, calls: Calls) -> Dep:
        """Degree of dependence that continues the calls of a state, without changing them."""
        return Dep(self.tester, calls.copy(), unreliable=self.unreliable, remember_below=self.remember_below)

    def structure(self, found: Sequence[Sequence[int]], calls: Calls) -> SuperStructure:
        """Graph of the neighbours found for each variable, with the results of the calls."""
        column = self._columns

        def columns(variables: Iterable[int]) -> tuple[int, ...]:
            return tuple(sorted(column[v] for v in variables))

        weakest = {self._pair(pair): (least, columns(z)) for pair, (least, z) in calls.weakest.to_dict().items()}
        separators = {self._pair(pair): columns(z) for pair, z in calls.separators.to_dict().items()}
        return SuperStructure(
            self.variable_names(),
            frozenset(map(self._pair, self.pairs(found))),
            dict(sorted(weakest.items())),
            dict(sorted(separators.items())),
            calls.nsc,
            calls.nsc,
            calls.not_performed,
        )

    @cached_property
    def _columns(self) -> Sequence[int]:
        """Column of each variable: they differ if the tester has its variables in another order."""
        return self.tester.columns if isinstance(self.tester, G2Tester) else range(self.n)

    def _pair(self, pair: Pair) -> Pair:
        i, j = self._columns[pair[0]], self._columns[pair[1]]
        return (i, j) if i < j else (j, i)

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables, in the order of the columns."""
        names = dict(zip(self._columns, self.tester.names, strict=True))
        return tuple(names[column] for column in range(self.n))

    def graph_of(self, sketch: Sequence[Sequence[int]], names: Sequence[str]) -> Pdag:
        """Undirected graph of the neighbours of each variable."""
        return Pdag(names, undirected=sorted(map(self._pair, self.pairs(sketch))))

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
        return dep.separator(target, x, self.subsets([v for v in members if v != x])) is not None

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
