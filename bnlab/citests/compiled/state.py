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
    """Data, rules, results of the calls so far, and scratch memory.

    Attributes
    ----------
    arities, first, ones, words, below
        Of `MemorySource.bits`; then the codes, of `MemorySource.codes`.
    n_rows, unit, terms
        Of `kernels.g2_of_strata`; then the rules of `G2Tester`.
    gammaincc : int
        Address of scipy's function.
    if_not_performed, remember_below
        Of `Dep`.
    calls : ndarray of int64, shape (2,)
        Tests performed, and not.
    weakest, weakest_given, separator_size, separators
        Of `Calls`, by pair x < y; sets are the bits of words, a size of -1 stands for no set and infinity for no test.
    remembered : ndarray of float64, shape (pairs, n + 1)
        Strengths given each variable, and last given nothing; nan before they are computed.
    stop : ndarray of bool, shape (1,)
        Whether the search has been interrupted.
    known_keys, known
        A cache of recent strengths, for speed alone.
    """

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
    n_rows: int
    unit: float
    terms: IntArray
    rows_per_cell: float
    plain: bool
    log_alpha: float
    gammaincc: int
    if_not_performed: float
    remember_below: int
    calls: IntArray
    weakest: FloatArray
    weakest_given: Bits
    separator_size: IntArray
    separators: Bits
    remembered: FloatArray
    stop: NDArray[np.bool_]
    known_keys: Bits
    known: FloatArray
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
