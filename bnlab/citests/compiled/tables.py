"""Tables of counts, each counted once for all tests of the same variables that follow soon.

x and y given z, x and z given y, and y and z given x need one table. A search by OptHPC makes three tests of each two
sets of variables.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.counts.engine.bitmaps import MAX_ARITY
from bnlab.counts.engine.kernels import count_histograms, joint_into

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, whose products have well-mixed high bits


@inner
def key_of(variables, key_bits, slots):
    """Two words for variables whose numbers fit into them, and a place for these among `slots`, a power of two."""
    bits = np.uint64(key_bits)
    low, high = np.uint64(1), np.uint64(0)
    for v in variables:
        high = high << bits | low >> (np.uint64(64) - bits)
        low = low << bits | np.uint64(v)
    return low, high, np.int64((low * GOLDEN ^ high) * GOLDEN >> np.uint64(48)) & (slots - 1)


@njit(inline="always")
def joint_table(dep, family, size):
    """Count some variables, and return where in ``dep.tables`` their table begins, until the next call.

    Parameters
    ----------
    dep : DependenceState
    family : ndarray of int64
        Two variables or more, those of fewer states first, so that a set has one order; the last one counts least.
    size : int
        Number of cells.
    """
    m = family.shape[0]
    is_kept = m <= dep.known_order + 2 and 4 * size <= dep.room
    at = _kept(dep, family, 0) if is_kept else -1
    if at >= 0:
        return at
    bits, memory = (dep.first, dep.ones, dep.words), (dep.buffer, dep.work)
    if dep.arities[family[m - 1]] > MAX_ARITY or m >= dep.below.shape[0] or size >= dep.below[m]:
        at = _keep(dep, family, size) if is_kept else dep.room
        ends = np.empty(2, dtype=np.int64)
        ends[0], ends[1] = 0, m
        codes = dep.narrow, dep.medium, dep.wide, dep.block, dep.row
        count_histograms(codes, dep.arities, ends[:1], family, ends, dep.tables[at : at + size], ends[:1])
    else:
        # From the largest table that is there of the last variables, or of the last two, to that of all.
        begin = 1
        while is_kept and begin < m - 1:
            at = _kept(dep, family[begin:], 2 * size)
            if at >= 0:
                break
            begin += 1
        while begin:
            begin -= 1
            rest, size = at, 1
            for v in family[begin:]:
                size *= dep.arities[v]
            at = _keep(dep, family[begin:], size) if is_kept else dep.room
            joint_into(dep.arities, bits, dep.n_rows, family[begin:], memory, dep.tables, at, rest)
    return at


@inner
def _kept(dep, family, more):
    """Where the table of some variables begins; -1 where it is not there, or not when `more` cells are written."""
    low, high, slot = key_of(family, dep.key_bits, dep.table_keys.shape[0])
    begin, end = dep.table_begins[slot], dep.table_begins[-1]
    if dep.table_keys[slot, 0] != low or dep.table_keys[slot, 1] != high or begin + dep.room < end + more:
        return -1
    return begin & (dep.room - 1)


@inner
def _keep(dep, family, size):
    """Where the table of some variables is to begin, in the place of the oldest ones."""
    low, high, slot = key_of(family, dep.key_bits, dep.table_keys.shape[0])
    begin = dep.table_begins[-1]
    if (begin & (dep.room - 1)) + size > dep.room:
        begin = (begin | (dep.room - 1)) + 1
    dep.table_keys[slot, 0], dep.table_keys[slot, 1], dep.table_begins[slot] = low, high, begin
    dep.table_begins[-1] = begin + size
    return begin & (dep.room - 1)
