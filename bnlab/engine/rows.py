"""The rows of a table as bitmaps, one for each state of each variable, and the counts of families from them.

A count is the number of set bits in the AND of two masks: of some parents' states, and of the states of the other
parents and the child. A family of many cells is counted by a histogram of fused codes instead. Cells are in mixed
radix order: the first parent counts most, the child least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import ZERO, compiled, inner

LANES = 8  # bitmaps have a multiple of so many words, the number that a processor may take at once
BLOCK = 4096  # rows whose fused codes stay in the CPU's first cache
WORDS = 256  # words of the masks of a family that stay there
FEW = 4096  # cells of a histogram for which there are four histograms
MAX_STATES = 64  # of a variable with bitmaps: 8 bytes a row
MAX_BYTES = 1 << 28  # of the bitmaps of a table
CELL_NS, WORD_NS, ROW_NS = (
    12.0,
    0.105,
    0.5,
)  # costs of a cell from bitmaps, of each of its words, of a row of a histogram

_0, _1, _2, _4, _56 = (np.uint64(k) for k in (0, 1, 2, 4, 56))
_ODD, _PAIRS, _FOURS, _BYTES = (
    np.uint64(k) for k in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101)
)


class Table(NamedTuple):
    """A table of n variables and N rows."""

    codes: np.ndarray  # (n, N) unsigned: state of each variable in each row
    arities: np.ndarray  # (n,) int64
    first: np.ndarray  # (n,) int64: bitmap of state 0 of each variable, its other states follow; -1 without bitmaps
    bits: np.ndarray  # (bitmaps, words) uint64: bit b of word w is row 64 w + b
    ones: np.ndarray  # (bitmaps,) int64: rows in each state
    others: np.ndarray  # uint32: rows in each state of each variable but its most frequent; see `with_others`
    ends: np.ndarray  # (states + 1,) int64: where those of each state end in `others`
    places: np.ndarray  # (n,) int64: state s of a variable has the rows from ends[place + s] on


def table_of(codes: np.ndarray, arities: np.ndarray, *, bitmaps: bool = True) -> Table:
    """Table from an array of shape (n, N); `bitmaps` can be left out, and are if they would need much memory."""
    arities = np.asarray(arities, dtype=np.int64)
    states = arities * (arities <= MAX_STATES)
    if not bitmaps or states.sum() * codes.shape[1] > 8 * MAX_BYTES:
        states[:] = 0
    first = np.where(states > 0, np.cumsum(states) - states, -1)
    bits = np.zeros((states.sum(), -(-codes.shape[1] // (64 * LANES)) * LANES), dtype=np.uint64)
    ones = np.empty(len(bits), dtype=np.int64)
    fill_bits(read_only(codes), arities, first, bits, ones)
    none = np.empty(0, dtype=np.int64)
    return Table(read_only(codes), arities, first, bits, ones, none.astype(np.uint32), none, np.zeros_like(arities))


def with_others(table: Table) -> Table:
    """Table with the rows of all states but the most frequent of each variable, 4 bytes each."""
    others, sizes = [np.empty(0, dtype=np.uint32)], [np.zeros(1, dtype=np.int64)]
    for column, r, first in zip(table.codes, table.arities, table.first, strict=True):
        counts = table.ones[first : first + r].copy() if first >= 0 else np.bincount(column, minlength=r)
        usual = counts.argmax()
        counts[usual] = 0
        rows = np.flatnonzero(column != usual)
        others.append(rows[np.argsort(column[rows], kind="stable")].astype(np.uint32))
        sizes.append(counts.astype(np.int64))
    places = np.cumsum(table.arities) - table.arities
    return table._replace(others=np.concatenate(others), ends=np.cumsum(np.concatenate(sizes)), places=places)


def reordered(table: Table, order: np.ndarray) -> Table:
    """Table whose variable k is variable ``order[k]``."""
    return table._replace(
        codes=read_only(table.codes[order]),
        arities=table.arities[order],
        first=table.first[order],
        places=table.places[order],
    )


def read_only(codes: np.ndarray) -> np.ndarray:
    """Read-only view: all tables have one type, or functions would be compiled for each combination."""
    view = codes.view()
    view.flags.writeable = False
    return view


@inner
def popcount(word):
    """Set bits of a uint64; LLVM knows this formula and replaces it by the processor's own instruction."""
    word = word - ((word >> _1) & _ODD)
    word = (word & _PAIRS) + ((word >> _2) & _PAIRS)
    return (((word + (word >> _4)) & _FOURS) * _BYTES) >> _56


@compiled
def fill_bits(codes, arities, first, bits, ones):
    """Write the bitmaps of all states of the variables that have bitmaps."""
    n_rows = codes.shape[1]
    whole = n_rows // 64
    for v in range(codes.shape[0]):
        if first[v] < 0:
            continue
        column, last = codes[v], first[v] + arities[v] - 1
        left = bits[last]  # rows whose state is not among those before: in the end, of the last one
        for w in range(whole):
            left[w] = ~_0
        if 64 * whole < n_rows:
            left[whole] = (_1 << np.uint64(n_rows - 64 * whole)) - _1
        ones[last] = n_rows
        for state in range(arities[v] - 1):
            at = first[v] + state
            total = _0
            for w in range(whole):
                word = _0
                for b in range(64):
                    word |= np.uint64(column[64 * w + b] == state) << np.uint64(b)
                bits[at, w] = word
                left[w] &= ~word
                total += popcount(word)
            if 64 * whole < n_rows:
                word = _0
                for b in range(n_rows - 64 * whole):
                    word |= np.uint64(column[64 * whole + b] == state) << np.uint64(b)
                bits[at, whole] = word
                left[whole] &= ~word
                total += popcount(word)
            ones[at] = total
            ones[last] -= np.int64(total)


@inner
def have_bits(table, variables):
    """Whether all of some variables have bitmaps."""
    least = 0
    for v in variables:
        least = min(least, table.first[v])
    return least == 0


@inner
def cross(bits, places, begin, width, masks, counts):
    """Add to counts[i, j] the rows in both of ``bits[places[i], begin:]`` and ``masks[j]``, of `width` words.

    Four counts at a time, so that each word that is read serves two of them.
    """
    n, m = counts.shape
    for j in range(0, m, 2):
        h = min(j + 1, m - 1)
        a, b = masks[j, :width], masks[h, :width]
        for i in range(0, n, 2):
            k = min(i + 1, n - 1)
            c, d = bits[places[i], begin : begin + width], bits[places[k], begin : begin + width]
            ac = ad = bc = bd = _0
            for w in range(width):
                ac += popcount(a[w] & c[w])
                ad += popcount(a[w] & d[w])
                bc += popcount(b[w] & c[w])
                bd += popcount(b[w] & d[w])
            counts[i, j] += np.int64(ac)
            if h > j:
                counts[i, h] += np.int64(bc)
            if k > i:
                counts[k, j] += np.int64(ad)
                if h > j:
                    counts[k, h] += np.int64(bd)


@inner
def write_masks(table, family, begin, width, masks):
    """Write the masks of all joint states of some variables, of `width` words from `begin` on."""
    end = 1
    for w in range(width):
        masks[0, w] = ~_0
    for v in family:
        r = table.arities[v]
        for old in range(end - 1, -1, -1):  # the last first, because the first state of the first replaces it
            before = masks[old, :width]
            for s in range(r - 1, -1, -1):
                new, state = masks[old * r + s, :width], table.bits[table.first[v] + s, begin : begin + width]
                for w in range(width):
                    new[w] = before[w] & state[w]
        end *= r


@inner
def halves(arities, family):
    """Number of variables on the left side, for about as many masks on each side, and the number of masks there."""
    cells = 1
    for v in family:
        cells *= arities[v]
    at, left = 0, 1
    while at < family.shape[0] - 1 and left * left * arities[family[at]] <= cells:
        left *= arities[family[at]]
        at += 1
    return at, left


@inner
def append(column, r, code):
    """Add a digit to mixed radix codes; apart from its caller, because it is then compiled to vector instructions."""
    for i in range(code.shape[0]):
        code[i] = code[i] * r + column[i]


@inner
def count_by_rows(table, family, code, lanes, out):
    """Count a family into `out` by a histogram; `code` (`BLOCK`,) uint32 and `lanes` (4, `FEW`) are scratch memory.

    There are four tables of few cells, because a cell cannot be incremented again before the last increment is done.
    """
    n_rows, few = table.codes.shape[1], out.shape[0] <= FEW
    for cell in range(out.shape[0] if few else 0):
        lanes[0, cell] = lanes[1, cell] = lanes[2, cell] = lanes[3, cell] = 0
    for begin in range(0, n_rows, BLOCK):
        here = code[: min(BLOCK, n_rows - begin)]
        for i in range(here.shape[0]):
            here[i] = 0
        for v in family:
            append(table.codes[v, begin : begin + here.shape[0]], np.uint32(table.arities[v]), here)
        whole = here.shape[0] // 4 * 4 if few else 0
        for i in range(0, whole, 4):
            for lane in range(4):
                lanes[lane, here[i + lane]] += 1
        for i in range(whole, here.shape[0]):
            out[here[i]] += 1
    for cell in range(out.shape[0] if few else 0):
        out[cell] += lanes[0, cell] + lanes[1, cell] + lanes[2, cell] + lanes[3, cell]


@compiled
def count(table, variables, begins, places, cells):
    """Count families: ``variables[begins[f]:begins[f + 1]]``, the child last, into ``cells[places[f]:places[f + 1]]``.

    At most 2**32 cells each.
    """
    words, most = table.bits.shape[1], 1
    few = table.codes.shape[1] * ROW_NS / (words * WORD_NS + CELL_NS)  # cells for which bitmaps are the faster way
    for f in range(begins.shape[0] - 1):
        most = max(most, places[f + 1] - places[f])
    size = min(most, int(few) + 1)
    left, right = np.empty((size, WORDS), dtype=np.uint64), np.empty((size, WORDS), dtype=np.uint64)
    every, lanes, code = np.arange(size), np.empty((4, FEW), dtype=np.uint32), np.empty(BLOCK, dtype=np.uint32)
    for c in range(cells.shape[0]):
        cells[c] = 0
    for begin in range(0, words, WORDS):
        width = min(WORDS, words - begin)
        for f in range(begins.shape[0] - 1):
            family, out = variables[begins[f] : begins[f + 1]], cells[places[f] : places[f + 1]]
            if out.shape[0] < few and have_bits(table, family):
                at, a = halves(table.arities, family)
                write_masks(table, family[:at], begin, width, left)
                write_masks(table, family[at:], begin, width, right)
                cross(left, every[:a], ZERO, width, right, out.reshape(a, out.shape[0] // a))
            elif begin == 0:
                count_by_rows(table, family, code, lanes, out)
