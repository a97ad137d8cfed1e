"""What the compiled loops of `bnlab.citests.compiled.dependence` work on: data, rules, results and scratch memory."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.types import FloatArray, IntArray

FULL = 0.9
"""Part of the places of the hash table that may be taken."""

Bits: TypeAlias = NDArray[np.uint64]


class DependenceState(NamedTuple):
    """Data, rules, results of the calls so far, and scratch memory."""

    # Data: of `MemorySource.bits`, then of `MemorySource.codes`.
    arities: IntArray
    first: IntArray
    ones: IntArray
    words: Bits
    below: FloatArray
    narrow: NDArray[np.uint8]
    medium: NDArray[np.uint16]
    wide: NDArray[np.uint32]
    block: IntArray
    row: IntArray
    # Of `g2.g2_of_strata`.
    n_rows: int
    unit: float
    terms: IntArray
    # Rules: of `G2Tester`, the address of scipy's function, and of `Dep`.
    rows_per_cell: float
    fewest: float
    plain: bool
    log_alpha: float
    log_separating: float
    gammaincc: int
    if_not_performed: float
    remember_below: int
    # Results: of `Calls`, by pair x < y, which has the number y (y - 1) / 2 + x.
    calls: IntArray  # (3,) tests performed, and not; strengths remembered
    weakest: FloatArray  # (pairs,) infinity for no test
    weakest_size: NDArray[np.int8]
    weakest_given: NDArray[np.uint16]  # (pairs, greatest size)
    separator_size: NDArray[np.int8]  # (pairs,) -1 for no set
    separators: NDArray[np.uint16]
    remembered_keys: Bits  # a hash table of strengths given nothing or one variable; 0 is no key
    remembered: FloatArray
    stop: NDArray[np.bool_]  # (1,) whether the search has been interrupted
    # A cache of recent strengths, for speed alone: of tests whose indices fit into two words.
    key_bits: int
    known_order: int
    known_keys: Bits
    known: FloatArray
    # Tables of the latest tests: in a ring of `room` cells, a power of two, and beyond it one that does not fit there.
    room: int
    table_keys: Bits
    table_begins: IntArray  # of each table, counted on beyond the ring; at last of the next one
    tables: IntArray
    # Scratch memory.
    members: IntArray
    family: IntArray
    begins: IntArray
    buffer: Bits
    work: IntArray
    column: IntArray


class Handle(NamedTuple):
    """What compiled searches pass on to test: two addresses and the number of variables, without a reference count."""

    ask: int
    state: int
    n: int
