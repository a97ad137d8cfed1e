"""Optimised HPC: one graph and one cache for all targets.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures, Algorithms
1-5. The arrows and set operations that are missing in the printed text are restored; `OptHPC` lists ambiguous passages
and how they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from bnlab.citests.tester import Dep
from bnlab.search import Work
from bnlab.skeletons.hpc import HPCState, with_finders
from bnlab.skeletons.search import ByTarget, SkeletonProgress

SepSet: TypeAlias = Literal["pc", "mb"]
SEPSETS = ("pc", "mb")


def nodes(bits: int) -> Iterator[int]:
    """Nodes of a set, ascending.

    Examples
    --------
    >>> list(nodes(0b10110))
    [1, 2, 4]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


@dataclass(frozen=True)
class OptHPCState(HPCState):
    """State of an `OptHPC`.

    Attributes
    ----------
    out, into : tuple of int
        Nodes to which, and from which, each node has a directed link in the graph G, as bits. A pair without links has
        a known separator of fewer than two variables (section 3).
    swept : int
        Number of targets whose order-0 tests ran before all other tests (``zero_order_first``).
    """

    out: tuple[int, ...] = ()
    into: tuple[int, ...] = ()
    swept: int = 0


@dataclass(frozen=True, eq=False)
class OptHPC(ByTarget):
    """HPC of every variable, with a shared graph and a shared cache of tests of order 0 and 1.

    On data the result depends on the order of the variables, which share one graph; `bnlab.skeleton` chooses one from
    the data. With a d-separation oracle no true edge is lost; with ``sepset="mb"`` the result is the true skeleton.

    Parameters
    ----------
    tester, rule, unreliable, max_order
        See `HPC`; the published rule is in line 6 of Algorithm 1.
    zero_order_first : bool
        Run the order-0 tests of all targets before any other test (Algorithm 3, lines 1 to 3). As printed, each
        target runs them when its own search begins, so that early targets try nearly every variable as a separator.
    sepset : {"pc", "mb"}
        Search separators of spouses in the shrinking set of parents and children, as printed (Algorithm 5, line 18),
        or in the whole Markov blanket. The printed claim that the first always suffices fails for spouses that are
        descendants.
    cache : bool
        If False, every repeat of a test counts as a call; the result is the same.

    Notes
    -----
    Passages that the paper leaves open are read as follows. Adjacency counts links of either direction. A leaf (a
    target or neighbour with no other neighbour) is not tested. Sep in Algorithm 4, line 5, is of T and Y. A later
    v-structure overwrites a contradictory one, and no adjacency is lost by it. Algorithm 5 returns a blanket of fewer
    than two variables unchanged, and stops when a blanket recurs.

    Raises
    ------
    ValueError
        For fewer than two variables or an unknown option.
    """

    zero_order_first: bool = field(default=False, kw_only=True)
    sepset: SepSet = field(default="pc", kw_only=True)
    cache: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sepset not in SEPSETS:
            raise ValueError(f"sepset={self.sepset!r}: separators are sought in {' or '.join(map(repr, SEPSETS))}")

    @property
    def remember_below(self) -> int:
        """Size of sets from which results are not cached."""
        return 2 if self.cache else 0

    def init(self) -> OptHPCState:
        """State with a complete graph and an empty cache."""
        everything = (1 << self.n) - 1
        others = tuple(everything ^ 1 << v for v in range(self.n))
        return OptHPCState(out=others, into=others, swept=0 if self.zero_order_first else self.n)

    def step(self, state: OptHPCState) -> tuple[OptHPCState, SkeletonProgress]:
        """Run the order-0 tests of the next target, or find its neighbours after all of these are done."""
        if state.swept == self.n:
            return super().step(state)
        target = state.swept
        run = _Run(self, self.dep(state.calls), state)
        run.test_marginally(target)
        state = replace(run.state(), swept=target + 1, calls=run.dep.calls)
        return state, self.progress(state, target, ())

    def neighbours(self, dep: Dep, target: int, state: OptHPCState) -> tuple[list[int], OptHPCState]:
        """HPC* of one target (Algorithm 2)."""
        run = _Run(self, dep, state)
        own, finders = run.hpc(target)
        return with_finders(self, target, own, finders, run.state())

    def work(self, state: OptHPCState) -> Work:
        """Targets finished; the order-0 tests of a target count as another unit."""
        done, total, unit = super().work(state)
        return Work(done + state.swept, 2 * total, unit) if self.zero_order_first else Work(done, total, unit)


class _Run:
    """Search of one target, which changes its own copy of the graph. Sets of nodes are the bits of an integer."""

    def __init__(self, search: OptHPC, dep: Dep, state: OptHPCState) -> None:
        self.search, self.dep = search, dep
        self._before, self._out, self._into = state, list(state.out), list(state.into)

    def state(self) -> OptHPCState:
        """Return the state with the current graph."""
        return replace(self._before, out=tuple(self._out), into=tuple(self._into))

    def adjacent(self, t: int) -> int:
        """Nodes with a link from or to t: Adj(T, G)."""
        return self._out[t] | self._into[t]

    def link(self, a: int, b: int) -> None:
        """Add a -> b."""
        self._out[a] |= 1 << b
        self._into[b] |= 1 << a

    def unlink(self, a: int, b: int) -> None:
        """Remove a -> b."""
        self._out[a] &= ~(1 << b)
        self._into[b] &= ~(1 << a)

    def cut(self, a: int, b: int) -> None:
        """Remove both links."""
        self.unlink(a, b)
        self.unlink(b, a)

    def spouses_by(self, t: int, x: int) -> int:
        """Nodes y not adjacent to t with t -> x <- y and neither reverse link: Sps(T, X, G)."""
        arrows_into_x = self._into[x] & ~self._out[x]
        return arrows_into_x & ~self.adjacent(t) & ~(1 << t) if arrows_into_x >> t & 1 else 0

    def hpc(self, t: int) -> tuple[list[int], list[int]]:
        """HPC* (Algorithm 2): what t finds, and what finds t."""
        self.de_pcs(t)
        self.de_sps(t)
        pcs = scope = self.adjacent(t)
        for x in nodes(pcs):
            scope |= self.spouses_by(t, x)
        scope |= 1 << t
        pc = self.inter_iapc(t, scope)
        return pc, [x for x in nodes(pcs & ~as_bits(pc)) if t in self.inter_iapc(x, scope)]

    def test_marginally(self, t: int) -> None:
        """Remove the links to all nodes that are independent of t (Algorithm 3, lines 1 to 3)."""
        self.dep.prepare_group(t, nodes(self.adjacent(t)))
        for x in nodes(self.adjacent(t)):
            if self.dep(t, x) == 0:
                self.cut(t, x)

    def de_pcs(self, t: int) -> None:
        """DE-PCS* (Algorithm 3)."""
        self.test_marginally(t)
        for x in nodes(self.adjacent(t)):
            if self._separated_by_one(t, x):
                self.cut(t, x)

    def _separated_by_one(self, t: int, x: int) -> bool:
        """Whether one variable separates t from x, with common neighbours tested first; a leaf is not tested."""
        of_t = self.adjacent(t) & ~(1 << x)
        of_x = self.adjacent(x) & ~(1 << t)
        if not of_t or not of_x:
            return False
        sets = [(y,) for b in (of_t & of_x, of_t & ~of_x, of_x & ~of_t) for y in nodes(b)]
        return self.dep.separator(t, x, sets) is not None

    def de_sps(self, t: int) -> None:
        """DE-SPS* (Algorithm 4)."""
        for x in nodes(self.adjacent(t)):
            known = self.adjacent(t) | self.spouses_by(t, x) | 1 << t
            tests = []
            for y in nodes(self.adjacent(x) & ~known):
                # Sep(T, Y, C): every pair without links was found independent given fewer than two variables.
                separator = self.dep.calls.separators[min(t, y), max(t, y)]
                if separator != (x,):
                    tests.append((t, y, tuple(sorted((*separator, x)))))
            self.dep.prepare(tests)
            for _, y, z in tests:
                if self.dep(t, y, z) > 0:
                    for v in (t, y):  # a later v-structure overwrites a contradictory one
                        self.link(v, x)
                        self.unlink(x, v)
            self._review_spouses(t, x)

    def _review_spouses(self, t: int, x: int) -> None:
        """Remove y as a spouse if another one separates it from t (Algorithm 4, lines 10 to 14)."""
        spouses = self.spouses_by(t, x)
        for y in nodes(spouses):
            if self.dep.separator(t, y, [(x, z) for z in nodes(spouses & ~(1 << y))]) is not None:
                self.link(x, y)
                spouses &= ~(1 << y)

    def inter_iapc(self, t: int, scope: int) -> list[int]:
        """Inter-IAPC* (Algorithm 5)."""
        blanket = self._blanket(t, scope)
        if len(blanket) < 2:
            return blanket
        pc = list(blanket)
        for x in blanket:
            others = [v for v in (pc if self.search.sepset == "pc" else blanket) if v != x]
            z = self.dep.separator(t, x, self.search.subsets(others))
            if z is not None:
                pc.remove(x)
                if len(z) < 2:
                    self.cut(t, x)
        return pc

    def _blanket(self, t: int, scope: int) -> list[int]:
        blanket: list[int] = []
        seen: list[set[int]] = []
        while True:
            before = set(blanket)
            best = self._strongest(t, scope & ~as_bits([t, *blanket]), tuple(blanket))
            if best is None:
                return blanket
            blanket.append(best)
            self._shrink(t, blanket)
            if set(blanket) == before or set(blanket) in seen:
                return blanket
            seen.append(set(blanket))

    def _strongest(self, t: int, candidates: int, given: tuple[int, ...]) -> int | None:
        best, greatest = None, 0.0
        self.dep.prepare_group(t, nodes(candidates), given)
        for x in nodes(candidates):
            strength = self.dep(t, x, given)
            if strength > greatest:
                best, greatest = x, strength
            if strength == 0 and len(given) < 2:
                self.cut(t, x)
        return best

    def _shrink(self, t: int, blanket: list[int]) -> None:
        for x in list(blanket):
            others = tuple(v for v in blanket if v != x)
            if self.dep.separates(t, x, others):
                blanket.remove(x)
                if len(others) < 2:
                    self.cut(t, x)


def as_bits(members: Sequence[int]) -> int:
    """Set of nodes as the bits of an integer."""
    return sum(1 << v for v in members)
