"""What the compiled loops of `bnlab.citests.compiled.dependence` work on: data, rules, results and scratch memory."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnlab.counts.types import FloatArray, IntArray

KNOWN_ORDER = 12
"""Largest order of a test whose strength is cached: its indices, of 9 bits each, fit into two words."""

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
    # Results: of `Calls`, by pair x < y; sets are the bits of words.
    calls: IntArray  # (2,) tests performed, and not
    weakest: FloatArray  # infinity for no test
    weakest_given: Bits
    separator_size: IntArray  # -1 for no set
    separators: Bits
    remembered: FloatArray  # (pairs, n + 1) strengths given each variable, and last given nothing; nan for not known
    stop: NDArray[np.bool_]  # (1,) whether the search has been interrupted
    # A cache of recent strengths, for speed alone.
    known_keys: Bits
    known: FloatArray
    # Scratch memory.
    members: IntArray
    cells: IntArray
    buffer: Bits
    work: IntArray
    column: IntArray


class Handle(NamedTuple):
    """What compiled searches pass on to test: two addresses and the number of variables, without a reference count."""

    ask: int
    state: int
    n: int
