"""A whole search's calls of dep(x, y, z) in compiled loops, for tests of a table in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import MemoryBudget
from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import run_interruptible
from bnlab.citests.compiled.state import FULL, DependenceState, Handle
from bnlab.citests.tester import NOT_PERFORMED, Pair, Unreliable
from bnlab.counts.types import FloatArray, IntArray

if TYPE_CHECKING:
    from bnlab.counts.memory import MemorySource

MAX_NODES = 1 << 16  # so that their numbers are of uint16
MAX_RESULTS = 1 << 31  # bytes of the results of all pairs
KNOWN = 1 << 13  # strengths in the cache, for speed alone; more of them where a test costs more than a page of memory
MANY_ROWS, KNOWN_OF_MANY_ROWS = 1 << 15, 1 << 16
TABLES, ROOM = 1 << 12, 1 << 17  # tables of the latest tests in the cache, and their cells
REMEMBERED, MAX_REMEMBERED = 1 << 20, 1 << 26  # strengths that have room at first and at most, of 16 bytes each
REMEMBERED_A_PAIR = 10  # and at first for each pair: tilings of ALARM of 370 to 3,700 variables need 5.6 to 8.8

T = TypeVar("T")
Separators: TypeAlias = Mapping[Pair, tuple[int, ...]]
Weakest: TypeAlias = Mapping[Pair, tuple[float, tuple[int, ...]]]


class TestRules(NamedTuple):
    """Rules of the tests of a `G2Tester`."""

    rows_per_cell: float  # below, a test may find dependence, but not independence
    fewest: float  # rows per cell below which it is not performed; positive
    plain: bool  # whether the degrees of freedom are the plain ones
    log_alpha: float
    log_separating: float  # not less than `log_alpha`; between them a test given variables decides nothing


class CompiledDep:
    """What `Dep` is to an algorithm in Python, for one that is compiled.

    `terms` are the number of rows, the unit and the terms of `bnlab.citests.compiled.g2.g2_of_strata`.
    """

    def __init__(
        self,
        source: MemorySource,
        terms: tuple[int, float, IntArray],
        rules: TestRules,
        unreliable: Unreliable,
        remember_below: int,
    ) -> None:
        from numba.extending import get_cython_function_address

        n, (n_rows, unit, each) = len(source.arities), terms
        pairs, largest = n * (n - 1) // 2, largest_set(source.arities, n_rows / rules.fewest)
        wanted = min(max(REMEMBERED, REMEMBERED_A_PAIR * pairs), 1.2 * pairs * (n + 1), MAX_REMEMBERED)
        remembered = 1 + int(wanted) if remember_below else 1
        key_bits = max(9, n.bit_length())
        arities = np.array(source.arities, dtype=np.int64)
        first, ones, words, below = source.bits()
        narrow, medium, wide, block, row = source.codes()
        depth = len(below) + 1
        room, cells = ROOM, int(n_rows / rules.fewest) + 1
        kept = KNOWN if n_rows < MANY_ROWS else KNOWN_OF_MANY_ROWS
        self.n = n
        self.order: Sequence[int] = range(n)
        self.state = DependenceState(
            arities=arities, first=first, ones=ones, words=words, below=below,
            narrow=narrow, medium=medium, wide=wide, block=block, row=row,
            n_rows=n_rows, unit=unit, terms=each, rows_per_cell=float(rules.rows_per_cell),
            fewest=float(rules.fewest), plain=rules.plain, log_alpha=rules.log_alpha,
            log_separating=rules.log_separating,
            gammaincc=get_cython_function_address("scipy.special.cython_special", "gammaincc"),
            if_not_performed=0.0 if unreliable == "independent" else NOT_PERFORMED, remember_below=remember_below,
            calls=np.zeros(3, dtype=np.int64),
            weakest=np.full(pairs, np.inf), weakest_size=np.empty(pairs, dtype=np.int8),
            weakest_given=np.empty((pairs, largest), dtype=np.uint16),
            separator_size=np.full(pairs, -1, dtype=np.int8), separators=np.empty((pairs, largest), dtype=np.uint16),
            remembered_keys=np.zeros(remembered, dtype=np.uint64), remembered=np.empty(remembered),
            stop=np.zeros(1, dtype=np.bool_), key_bits=key_bits, known_order=127 // key_bits - 2,
            known_keys=np.zeros((kept, 2), dtype=np.uint64), known=np.empty(kept),
            room=room, table_keys=np.zeros((TABLES, 2), dtype=np.uint64),
            table_begins=np.zeros(TABLES + 1, dtype=np.int64), tables=np.empty(room + cells, dtype=np.int64),
            members=np.empty(n + 2, dtype=np.int64), family=np.empty(n + 2, dtype=np.int64),
            begins=np.empty(cells, dtype=np.int64),
            buffer=np.empty((depth, words.shape[2]), dtype=np.uint64),
            work=np.empty((5, depth + 1), dtype=np.int64),
            column=np.empty(arities.max(), dtype=np.int64),
        )  # fmt: skip

    def run(self, search: Callable[..., T], *arguments: Any) -> T:
        """Call a function that runs compiled loops with a `Handle`; an interrupt ends these at their next test.

        A search that has more strengths to remember than have room begins again with more of it.

        Raises
        ------
        MemoryBudget
            When there is no more room.
        """
        while True:
            try:
                found = run_interruptible(self._run, search, *arguments)
                self.state = self.state._replace(remembered_keys=np.empty(0, np.uint64), remembered=np.empty(0))
                return found
            except RuntimeError:
                room = len(self.state.remembered)
                if self.state.calls[2] + 1 < FULL * room or not self.state.remember_below:
                    raise
                self._begin_again(8 * room)
            except BaseException:
                self.state.stop[0] = True
                raise

    def _begin_again(self, room: int) -> None:
        state = self.state
        if len(state.remembered) >= MAX_REMEMBERED:
            raise MemoryBudget(f"the search would have more than {int(FULL * MAX_REMEMBERED):,} strengths to remember")
        room = min(room, MAX_REMEMBERED)
        state.calls[:], state.weakest[:], state.separator_size[:], state.stop[:] = 0, np.inf, -1, False
        self.state = state._replace(remembered_keys=np.zeros(room, dtype=np.uint64), remembered=np.empty(room))

    def _run(self, search: Callable[..., T], *arguments: Any) -> T:
        from bnlab._runtime.stored import Stored
        from bnlab.citests.compiled import dependence as dep_kernels

        stored = Stored(self.state, dep_kernels.STATE_TYPE)
        return search(Handle(dep_kernels.compiled_ask(), stored.address, self.n), *arguments)

    def reordered(self, order: Sequence[int]) -> CompiledDep:
        """Let variable k be the one at place ``order[k]`` of the table, before any test; the results are of places."""
        at, state = list(order), self.state
        self.order = order
        first = state.first[at] if len(state.first) else state.first
        self.state = state._replace(arities=state.arities[at], first=first, block=state.block[at], row=state.row[at])
        return self

    def results(self) -> tuple[Weakest, Separators, int, int]:
        """Results of the calls: `weakest`, `separators`, `nsc` and `not_performed` of `Calls`."""
        state = self.state
        weak, apart = np.flatnonzero(np.isfinite(state.weakest)), np.flatnonzero(state.separator_size >= 0)
        given, strengths = state.weakest_given[weak], state.weakest[weak]
        weakest = LazyPairs(weak, state.weakest_size[weak], given, self.order, strengths)
        separators = LazyPairs(apart, state.separator_size[apart], state.separators[apart], self.order)
        nsc, not_performed, _ = state.calls.tolist()
        return weakest, separators, nsc, not_performed


class LazyPairs(Mapping[Pair, Any]):
    """Results of pairs of variables as a dictionary, which is made only when it is read.

    A value is the set of a row of `members`, of which the first `sizes` count, or the tuple of its strength and that
    set. Pairs are numbered as in `DependenceState`; variable k of them and of sets stands for variable ``order[k]``.
    """

    def __init__(
        self,
        pairs: IntArray,
        sizes: NDArray[np.int8],
        members: NDArray[np.uint16],
        order: Sequence[int],
        strengths: FloatArray | None = None,
    ) -> None:
        self._pairs, self._sizes, self._members, self._order = pairs, sizes, members, order
        self._strengths = strengths

    @cached_property
    def _entries(self) -> dict[Pair, Any]:
        order = np.asarray(self._order)
        begins = np.arange(len(order)) * (np.arange(len(order)) - 1) // 2
        above = np.searchsorted(begins, self._pairs, side="right") - 1
        x, y = np.sort([order[self._pairs - begins[above]], order[above]], axis=0).tolist()
        ends = np.cumsum(self._sizes, dtype=np.int64).tolist()
        flat = order[self._members[np.arange(self._members.shape[1]) < self._sizes[:, None]]].tolist()
        sets: Iterable[Any] = (tuple(sorted(flat[begin:end])) for begin, end in pairwise([0, *ends]))
        if self._strengths is not None:
            sets = zip(self._strengths.tolist(), sets, strict=True)
        return dict(zip(zip(x, y, strict=True), sets, strict=True))

    def __getitem__(self, pair: Pair) -> Any:
        return self._entries[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return repr(self._entries)

    def __reduce__(self) -> tuple[type[dict[Pair, Any]], tuple[dict[Pair, Any]]]:
        return dict, (self._entries,)


def largest_set(arities: Sequence[int], cells: float) -> int:
    """Size of the largest set given which a table has at most so many cells."""
    return min(len(arities), sum(arity < 2 for arity in arities) + int(log2(max(cells, 1))))
