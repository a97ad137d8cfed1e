"""A whole search's calls of dep(x, y, z) in compiled loops, for tests of a table in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from bnlab._runtime.cached import cached_property
from bnlab._runtime.interrupts import run_interruptible
from bnlab.citests.compiled.state import Bits, DependenceState, Handle
from bnlab.citests.tester import NOT_PERFORMED, Pair, Unreliable
from bnlab.counts.types import FloatArray, IntArray

if TYPE_CHECKING:
    from bnlab.counts.memory import MemorySource

MAX_NODES = 512  # so that the results of all pairs fit into memory
KNOWN = 1 << 13  # strengths in the cache, for speed alone; more of them where a test costs more than a page of memory
MANY_ROWS, KNOWN_OF_MANY_ROWS = 1 << 15, 1 << 16
MAX_REMEMBERED = 1 << 24
MAX_WORDS = 16  # of an array, as numba describes it

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
        pairs, sets = (n, n), (n, n, -(-n // 64))
        arities = np.array(source.arities, dtype=np.int64)
        first, ones, words, below = source.bits()
        narrow, medium, wide, block, row = source.codes()
        depth = len(below) + 1
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
            calls=np.zeros(2, dtype=np.int64),
            weakest=np.full(pairs, np.inf), weakest_given=np.zeros(sets, dtype=np.uint64),
            separator_size=np.full(pairs, -1), separators=np.zeros(sets, dtype=np.uint64),
            remembered=np.full((n * (n - 1) // 2 if remember_below else 0, n + 1), np.nan),
            stop=np.zeros(1, dtype=np.bool_),
            known_keys=np.zeros((kept, 2), dtype=np.uint64), known=np.empty(kept),
            members=np.empty(n + 2, dtype=np.int64),
            cells=np.empty(int(n_rows / rules.fewest) + 1, dtype=np.int64),
            buffer=np.empty((depth, words.shape[2]), dtype=np.uint64),
            work=np.empty((5, depth + 1), dtype=np.int64),
            column=np.empty(arities.max(), dtype=np.int64),
        )  # fmt: skip

    def run(self, search: Callable[..., T], *arguments: Any) -> T:
        """Call a function that runs compiled loops with a `Handle`; an interrupt ends these at their next test."""
        try:
            return run_interruptible(self._run, search, *arguments)
        except BaseException:
            self.state.stop[0] = True
            raise

    def _run(self, search: Callable[..., T], *arguments: Any) -> T:
        from bnlab.citests.compiled import dependence as dep_kernels

        memory = np.empty(MAX_WORDS * len(self.state), dtype=np.int64)
        dep_kernels.store(memory, *self.state)  # a tuple's type takes numba longer to tell
        handle = Handle(dep_kernels.compiled_ask(), memory.ctypes.data, self.n)
        return search(handle, *arguments)

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
        weak, apart = np.isfinite(state.weakest), state.separator_size >= 0
        weakest = LazyPairs(weak.nonzero(), state.weakest_given[weak], self.order, state.weakest[weak])
        separators = LazyPairs(apart.nonzero(), state.separators[apart], self.order)
        nsc, not_performed = state.calls.tolist()
        return weakest, separators, nsc, not_performed


class LazyPairs(Mapping[Pair, Any]):
    """Results of pairs of variables as a dictionary, which is made only when it is read.

    A value is the set of a row of `sets`, of shape (pairs, words) and made of bits, or the tuple of its strength and
    that set. Variable k of the pairs and sets stands for variable ``order[k]``.
    """

    def __init__(
        self, pairs: tuple[IntArray, ...], sets: Bits, order: Sequence[int], strengths: FloatArray | None = None
    ) -> None:
        self._pairs, self._sets, self._order, self._strengths = pairs, sets, order, strengths

    @cached_property
    def _entries(self) -> dict[Pair, Any]:
        order = np.asarray(self._order)
        ends = np.sort([order[variables] for variables in self._pairs], axis=0)
        x, y = ends.tolist()
        sets: Iterable[Any] = _members(self._sets)
        if not isinstance(self._order, range):
            sets = (tuple(sorted(map(self._order.__getitem__, members))) for members in sets)
        if self._strengths is not None:
            sets = zip(self._strengths.tolist(), sets, strict=True)
        return dict(zip(zip(x, y, strict=True), sets, strict=True))

    def __getitem__(self, pair: Pair) -> Any:
        return self._entries[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._sets)

    def __repr__(self) -> str:
        return repr(self._entries)

    def __reduce__(self) -> tuple[type[dict[Pair, Any]], tuple[dict[Pair, Any]]]:
        return dict, (self._entries,)


def _members(sets: Bits) -> list[tuple[int, ...]]:
    """Sets as tuples, ascending, from their bits."""
    members = np.unpackbits(sets.astype("<u8", copy=False).view(np.uint8), axis=1, bitorder="little")
    ends = np.cumsum(members.sum(axis=1)).tolist()
    flat = tuple(np.nonzero(members)[1].tolist())
    return list(map(flat.__getitem__, map(slice, [0, *ends], ends)))
