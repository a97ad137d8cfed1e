"""Searches that find the neighbours of one target after the other, and then join them into one graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab.citests.compiled.search import CompiledDep
from bnlab.citests.tester import UNRELIABLE, Calls, Dep, Pair, Tester, Unreliable
from bnlab.graphs.pdag import Pdag
from bnlab.search import Described, Snapshot, Work
from bnlab.skeletons.super_structure import SuperStructure

Rule: TypeAlias = Literal["or", "and"]
RULES = ("or", "and")

MAX_ORDER_UNDER_SKIP = 8


@dataclass(frozen=True)
class SkeletonProgress:
    """What a step has done, for whoever watches.

    Attributes
    ----------
    done, total : int
        Units of work done so far and in all.
    doing : str
        What this step was about: the name of a target, or an edge.
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


@dataclass(frozen=True)
class TargetState:
    """Where a search over targets stands.

    Attributes
    ----------
    found : tuple of tuple of int
        Neighbours of each target done, in the order of the columns.
    costs : tuple of (int, int)
        For each of them, the tests performed and not performed.
    calls : Calls
        Never changed once it is in a state.
    """

    found: tuple[tuple[int, ...], ...] = ()
    costs: tuple[tuple[int, int], ...] = ()
    calls: Calls = field(default_factory=Calls)


S = TypeVar("S", bound=TargetState)


class ByTarget(Described, ABC, Generic[S]):
    """A `Search` whose step finds the neighbours of the next target, in the order of the columns.

    Parameters
    ----------
    tester : Tester
    rule : {"or", "and"}, optional
        Join two variables when either finds the other, or only when both do; by default as published.
    unreliable : {"independent", "skip"}
        What a test answers that too few rows forbid, see `bnlab.citests.tester.Dep`.
    max_order : int, optional
        Greatest set that is tried where subsets are searched for a separator. By default there is no bound, because
        the demand for rows gives one, and 8 under "skip", where it does not.

    Raises
    ------
    ValueError
        For fewer than two variables or an unknown option.
    """

    published_rule: ClassVar[Rule]
    remember_below = 0

    def __init__(
        self,
        tester: Tester,
        *,
        rule: Rule | None = None,
        unreliable: Unreliable = "independent",
        max_order: int | None = None,
    ) -> None:
        check_search(tester, unreliable, max_order)
        if rule is not None and rule not in RULES:
            raise ValueError(f"rule={rule!r}: the rules are {', '.join(map(repr, RULES))}")
        self.tester = tester
        self.n = len(tester.names)
        self.rule: Rule = rule or self.published_rule
        self.unreliable: Unreliable = unreliable
        self.max_order = bound_of(max_order, unreliable, self.n)

    @abstractmethod
    def init(self) -> S:
        """State before the first target."""

    @abstractmethod
    def neighbours(self, dep: Dep, target: int, state: S) -> tuple[Sequence[int], S]:
        """Neighbours of a target, and the state with whatever else has changed."""

    def step(self, state: S) -> tuple[S, SkeletonProgress]:
        """Find the neighbours of the next target."""
        target = len(state.found)
        dep = self.dep(state)
        before = dep.calls.nsc, dep.calls.not_performed
        found, state = self.neighbours(dep, target, state)
        cost = dep.calls.nsc - before[0], dep.calls.not_performed - before[1]
        state = replace(state, found=(*state.found, tuple(found)), costs=(*state.costs, cost), calls=dep.calls)
        return state, self.progress(state, target, found)

    def is_done(self, state: S) -> bool:
        """Whether every target has had its turn."""
        return len(state.found) == self.n

    def result(self, state: S) -> SuperStructure:
        """Graph so far: of the targets that have had their turn."""
        return SuperStructure.of(self.tester.names, joined(state.found, self.rule), state.calls)

    def at_once(self) -> SuperStructure | None:
        """Result of all steps, by compiled loops where the class itself and the tester have them; else None."""
        if "kernel" not in vars(type(self)):
            return None
        dep = compiled_dep(self.tester, self.unreliable, self.remember_below)
        if dep is None:
            return None
        links = dep.run(*self.kernel())
        links = links & links.T if self.rule == "and" else links | links.T
        return SuperStructure.told(self.tester.names, pairs_of(links), *dep.told())

    def kernel(self) -> tuple[Any, ...]:
        """Compiled search over all targets, and what it takes after dep; it returns who finds whom as a matrix."""
        raise NotImplementedError

    def snapshot(self, state: S) -> Snapshot:
        """Targets finished, and their neighbours."""
        return Snapshot(self.work(state), tuple(map(tuple, state.found)))

    def work(self, state: S) -> Work:
        """Targets finished, of all."""
        return Work(len(state.found), self.n, "targets")

    def graph_of(self, sketch: Sequence[Sequence[int]], names: Sequence[str]) -> Pdag:
        """Undirected graph of the neighbours of each target."""
        return Pdag(names, undirected=sorted(joined(sketch, self.rule)))

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(self.tester.names)

    def dep(self, state: S) -> Dep:
        """Degree of dependence that counts on from a state, and leaves the state as it is."""
        return Dep(self.tester, state.calls.copy(), unreliable=self.unreliable, remember_below=self.remember_below)

    def progress(self, state: S, target: int, found: Sequence[int]) -> SkeletonProgress:
        """What a step has done."""
        names = self.tester.names
        done, total, _ = self.work(state)
        return SkeletonProgress(done, total, names[target], tuple(names[v] for v in sorted(found)), state.calls.nsc)

    def subsets(self, variables: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Subsets up to the greatest order, small ones first."""
        return subsets(variables, self.max_order)


class TargetsAlone(ByTarget[TargetState]):
    """Searches whose targets leave nothing to later ones but what was found for them."""

    def init(self) -> TargetState:
        """State before the first target."""
        return TargetState()

    def neighbours(self, dep: Dep, target: int, state: TargetState) -> tuple[Sequence[int], TargetState]:
        """Neighbours of a target, and the state as it was."""
        return self.found(dep, target, state.found), state

    @abstractmethod
    def found(self, dep: Dep, target: int, before: Sequence[Sequence[int]]) -> Sequence[int]:
        """Neighbours of a target; `before` holds those of the targets before it."""


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
    """Edges of the targets that have had their turn, one way ("or") or both ways ("and").

    Examples
    --------
    >>> sorted(joined([(1, 2), (0,), ()], "or")), sorted(joined([(1, 2), (0,), ()], "and"))
    ([(0, 1), (0, 2)], [(0, 1)])
    """
    links = {(t, x) for t, neighbours in enumerate(found) for x in neighbours}
    if rule == "and":
        links = {(t, x) for t, x in links if (x, t) in links}
    return {(min(link), max(link)) for link in links}


def pairs_of(joined: NDArray[np.bool_]) -> list[Pair]:
    """Edges of a graph given as a symmetric matrix.

    Examples
    --------
    >>> pairs_of(np.array([[False, True], [True, False]]))
    [(0, 1)]
    """
    x, y = np.triu(joined, 1).nonzero()
    return list(zip(x.tolist(), y.tolist(), strict=True))


def check_search(tester: Tester, unreliable: str, max_order: int | None) -> None:
    """Refuse what no search of this folder can start with."""
    if len(tester.names) < 2:
        raise ValueError(f"{len(tester.names)} variable: a graph to be learned needs two at least")
    if unreliable not in UNRELIABLE:
        raise ValueError(f"unreliable={unreliable!r}: the rules are {', '.join(map(repr, UNRELIABLE))}")
    if max_order is not None and max_order < 0:
        raise ValueError(f"max_order={max_order}: a set has 0 variables or more; None sets no bound")


def compiled_dep(tester: Tester, unreliable: Unreliable, remember_below: int = 0) -> CompiledDep | None:
    """What a compiled search may ask in place of `Dep`, of a tester that has it; else None."""
    make = getattr(tester, "compiled_dep", None)
    return None if make is None else make(unreliable, remember_below)


def bound_of(max_order: int | None, unreliable: str, n: int) -> int:
    """Greatest order that a search may try."""
    if max_order is None:
        return MAX_ORDER_UNDER_SKIP if unreliable == "skip" else n
    return max_order
