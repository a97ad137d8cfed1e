"""Bitmaps of the states of a table's variables, built when they are first needed."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.fork import Locked
from bnlab._runtime.threads import Scratch, run_parallel
from bnlab.counts.types import IntArray

MAX_ARITY = 16  # so that only columns of uint8 have bitmaps
MAX_BITMAP_DEPTH = 16  # variables of a family
LANES = 8  # words that the kernels handle at once
BLOCK_WORDS = 512
SCRATCH_WORDS = 1 << 16  # of a block that is built and counted before the next one, to stay in the CPU cache

_TASKS_PER_THREAD = 2
_BLOCKS_AT_ONCE = 16  # blocks of rows that are built before Python handles Ctrl-C
_LIGHT_CODES = 1 << 20  # codes that are read in less time than it takes to wake a thread

_scratch = Scratch(np.uint64)
_EMPTY = np.empty(0, dtype=np.int64)

NO_BITS = _EMPTY, _EMPTY, np.empty((0, 0, 0), dtype=np.uint64), np.empty(0)
"""Value of `MemorySource.bits` if no variable has bitmaps."""


class Bitmaps(NamedTuple):
    """Arguments of the bit-sliced kernel.

    Attributes
    ----------
    first : ndarray of int64, shape (n,)
        Row of `words` with state 0 of a variable; its other states follow, except the last.
    ones : ndarray of int64, shape (rows,)
        Set bits of each bitmap.
    words : ndarray of uint64, shape (blocks, rows, width)
        Of all blocks of rows, or of the last one.
    """

    first: IntArray
    ones: IntArray
    words: NDArray[np.uint64]


class StateBitmaps(NamedTuple):
    """A table of few rows as one bitmap for each state of each variable, including the last.

    The states of variable v are ``codes[row[v]]``; its bitmaps begin at ``bits[first[v]]``, `width` words each.
    """

    codes: NDArray[np.uint8]
    row: IntArray
    arities: IntArray
    first: IntArray
    bits: NDArray[np.uint64]
    width: int


def state_bitmaps(codes: NDArray[np.uint8], arities: IntArray, threads: int = 1) -> StateBitmaps:
    """Bitmaps of all states of variables of at most `MAX_ARITY` states each; bits beyond the table are 0."""
    n, n_rows = codes.shape
    width = -(-n_rows // (64 * LANES)) * LANES
    first = np.cumsum(arities) - arities
    bits = np.empty((1, int(arities.sum()), width), dtype=np.uint64)
    # One extra state, because the kernel leaves out the last one.
    ones = np.empty(bits.shape[1], dtype=np.int64)
    _build(codes, np.arange(n), arities + 1, np.arange(n), Bitmaps(first, ones, bits), threads)
    return StateBitmaps(codes, np.arange(n), arities, first * width, bits.reshape(-1), width)


class BitmapStore(Locked):
    """Bitmaps of the variables of one table. Those of few states are rows of `narrow`, shape (m, N): v is row[v]."""

    def __init__(self, narrow: NDArray[np.uint8], row: IntArray, arities: IntArray, threads: int = 1) -> None:
        super().__init__()
        self._narrow, self._row, self._arities, self._threads = narrow, row, arities, threads
        self._kept: Bitmaps | None = None
        self._built: set[int] = set()
        self._n_possible = int((arities <= MAX_ARITY).sum())

    @property
    def complete(self) -> bool:
        """Whether every variable that can have bitmaps has them."""
        return len(self._built) == self._n_possible

    def scratch(self) -> Bitmaps:
        """Uninitialised bitmaps of one block of rows, valid until the next call in this thread."""
        first, ones, (_, rows, width) = self._layout(SCRATCH_WORDS)
        return Bitmaps(first, ones, _scratch.take(rows * width).reshape(1, rows, width))

    def kept(self, variables: Collection[int]) -> Bitmaps:
        """Bitmaps of all blocks of rows, which are built for those of `variables` that have none yet."""
        if self._kept is None or not self._built.issuperset(variables):
            with self._lock:
                self._build(self._built.union(variables))
        assert self._kept is not None
        return self._kept

    def _build(self, wanted: set[int]) -> None:
        if self._kept is None:
            first, ones, shape = self._layout()
            # Pages are touched only when a variable's bitmaps are built.
            self._kept = Bitmaps(first, ones, np.empty(shape, dtype=np.uint64))
        missing = np.array(sorted(wanted - self._built), dtype=np.int64)
        try:
            _build(self._narrow, self._row, self._arities, missing, self._kept, self._threads)
        except BaseException:
            self._kept, self._built = None, set()  # a thread may still be writing to them
            raise
        self._built = wanted

    def _layout(self, most_words: float = np.inf) -> tuple[IntArray, IntArray, tuple[int, int, int]]:
        """First bitmap of each variable, zeros for the set bits, and the shape of the words, limited per block."""
        states = (self._arities - 1) * (self._arities <= MAX_ARITY)
        ends = states.cumsum()
        # All blocks of rows have about equal size.
        size, rows = int(ends[-1]), -(-self._narrow.shape[1] // 64)
        most = int(max(LANES, min(BLOCK_WORDS, most_words // max(size, 1))))
        width = -(-rows // (-(-rows // most) * LANES)) * LANES
        return ends - states, np.zeros(size, dtype=np.int64), (-(-rows // width), size, width)


def _build(
    narrow: NDArray[np.uint8], row: IntArray, arities: IntArray, members: IntArray, bitmaps: Bitmaps, threads: int
) -> None:
    """Write the bitmaps of some variables, for all blocks of rows; each task has one variable or a few."""
    from bnlab.counts.engine import kernels

    def write(share: IntArray) -> None:
        blocks = len(bitmaps.words)
        for begin in range(0, blocks, _BLOCKS_AT_ONCE):
            end = min(begin + _BLOCKS_AT_ONCE, blocks)
            kernels.build_bitmaps(narrow, row, arities, share, tuple(bitmaps), begin, end)

    if threads == 1 or members.size * narrow.shape[1] <= _LIGHT_CODES:
        write(members)
    else:
        shares = np.array_split(members, min(len(members), _TASKS_PER_THREAD * threads))
        run_parallel([partial(write, share) for share in shares], threads)
