"""Tallies of families with many cells: a score only needs how often each count occurs (see `TallyBatch`)."""

# mypy: allow-untyped-defs
from __future__ import annotations

from typing import Any

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab._runtime.threads import Scratch
from bnlab.counts.engine.kernels import fuse_codes
from bnlab.counts.types import Families, IntArray

TABLE_CELLS = 1 << 17
BLOCK_ROWS = 2048
LANES = 4  # parallel tallies, so that equal counts in a row do not wait for each other
_DISTINCT = 1 << 16
_KEPT_CELLS = 1 << 20

_scratch = Scratch(np.uint32)


def tally(
    codes: tuple[Any, ...], arities: IntArray, families: Families, order: IntArray
) -> list[tuple[int, int, IntArray, IntArray, IntArray]]:
    """Tally the families in `order`, as many at a time as fit in memory; `codes` are those of a `MemorySource`.

    Returns (begin, end, counts, times, first): for families ``order[begin:end]`` the arrays of a `TallyBatch`.
    """
    n_rows = max(column.shape[1] for column in codes[:3])
    # Every family fits once the parent configurations that occur are numbered.
    size = max(TABLE_CELLS, n_rows * int(arities.max()))
    two = _scratch.take(2 * size) if size <= _KEPT_CELLS else np.empty(2 * size, dtype=np.uint32)
    parts = []
    begin = 0
    while begin < len(order):
        found = np.empty((2, _DISTINCT), dtype=np.int64)
        ends = np.zeros((len(order) - begin, 2), dtype=np.int64)
        flat = families.variables, families.begins
        done = tally_families(codes, arities, *flat, order[begin:], two.reshape(2, size), found, ends)
        bounds = ends[:done].ravel()
        used = bounds[-1]
        parts.append((begin, begin + done, found[0, :used], found[1, :used], np.append(0, bounds[:-1])))
        begin += done
    return parts


@njit()
def tally_families(codes, arities, variables, begins, order, tables, found, ends):
    """Tally the families in `order` until `found` may be too small for the next one; returns how many are done.

    Of family ``order[i]`` the counts N_ijk > 0 and the numbers of cells that hold each are written to the rows of
    `found` up to ``ends[i, 0]``, then N_ij and the numbers of configurations up to ``ends[i, 1]``. `tables` (uint32)
    have room for N_ijk and N_ij if there are no more configurations than rows.
    """
    table, sums, counts, times = tables[0], tables[1], found[0], found[1]
    n_rows = max(codes[0].shape[1], codes[1].shape[1], codes[2].shape[1])
    code = np.empty(n_rows, dtype=np.uint32)
    cell = np.empty(BLOCK_ROWS, dtype=np.uint32)
    tally = np.zeros((2, n_rows + 1, LANES), dtype=np.uint32)
    most_distinct = 2 * (np.int64(np.sqrt(2.0 * n_rows)) + 1)
    end = 0
    for i in range(order.shape[0]):
        family = variables[begins[order[i]] : begins[order[i] + 1]]
        parents, child = family[:-1], family[-1:]
        r = np.int64(arities[family[-1]])
        q = _configurations(arities, parents)
        if end + most_distinct > counts.shape[0]:
            return i
        numbered = q * r > table.shape[0]
        if numbered:
            q = _number_configurations(codes, arities, parents, table, code)
        q_seen = np.int64(q)
        # A table of few cells is tallied after it is counted, a larger one at the same time.
        few_cells, few_sums = q_seen * r <= n_rows // 2, q_seen <= n_rows // 2
        table[: q_seen * r] = 0
        sums[:q_seen] = 0
        for begin in range(0, n_rows, BLOCK_ROWS):
            width = min(BLOCK_ROWS, n_rows - begin)
            if numbered:
                configuration = code[begin : begin + width]
            else:
                configuration = code[:width]
                configuration[:] = 0
                fuse_codes(codes, arities, parents, begin, configuration)
            for k in range(width):
                cell[k] = configuration[k]
            fuse_codes(codes, arities, child, begin, cell[:width])
            if few_cells:
                _count(cell[:width], table)
                continue
            _count_and_tally(cell[:width], table, tally[0])
            if few_sums:
                _count(configuration, sums)
            else:
                _count_and_tally(configuration, sums, tally[1])
        if few_cells:
            _sum_rows(table, r, sums[:q_seen])
            _tally_counts(table[: q_seen * r], tally[0])
        if few_sums:
            _tally_counts(sums[:q_seen], tally[1])
        end = _write(tally[0], not few_cells, counts, times, end)
        ends[i, 0] = end
        end = _write(tally[1], not few_sums, counts, times, end)
        ends[i, 1] = end
    return order.shape[0]


@inner
def _count_and_tally(cells, table, tally):
    """Count cells, and tally how many cells have reached each count."""
    for k in range(cells.shape[0]):
        count = table[cells[k]] + np.uint32(1)
        table[cells[k]] = count
        tally[count, k % LANES] += np.uint32(1)


@inner
def _count(cells, table):
    for k in range(cells.shape[0]):
        table[cells[k]] += np.uint32(1)


@inner
def _sum_rows(table, r, sums):
    """Sums of the rows of a table, each of `r` cells."""
    for j in range(sums.shape[0]):
        total = np.uint32(0)
        for k in range(j * r, j * r + r):
            total += table[k]
        sums[j] = total


@inner
def _tally_counts(table, tally):
    """Tally how many cells have each count."""
    for k in range(table.shape[0]):
        tally[table[k], k % LANES] += np.uint32(1)


@inner
def _write(tally, reached, counts, times, end):
    """Write how many cells have each count, and clear the tally; returns the new end.

    With `reached`, the tally also includes cells that have gone on from a count to a greater one.
    """
    left = tally.shape[0] - 1
    _clear_sum(tally, 0)
    count = 1
    cells = _clear_sum(tally, 1)
    while left > 0:
        further = _clear_sum(tally, count + 1) if count + 1 < tally.shape[0] else np.int64(0)
        exact = cells - further if reached else cells
        if exact > 0:
            counts[end] = count
            times[end] = exact
            end += 1
            left -= count * exact
        cells = further
        count += 1
    return end


@inner
def _clear_sum(tally, count):
    """Sum of a tally over its lanes, which are set to zero."""
    total = np.int64(0)
    for lane in range(LANES):
        total += tally[count, lane]
        tally[count, lane] = 0
    return total


@inner
def _configurations(arities, parents):
    q = 1.0
    for p in parents:
        q *= arities[p]
    return q


@inner
def _number_configurations(codes, arities, parents, table, code):
    """Number the parent configurations that occur and write those of all rows to `code`; returns how many there are."""
    code[:] = 0
    q = 1.0
    for at in range(parents.shape[0]):
        arity = arities[parents[at]]
        if q * arity > table.shape[0]:
            q = _renumber(np.int64(q), table, code)
        fuse_codes(codes, arities, parents[at : at + 1], 0, code)
        q *= arity
    return float(_renumber(np.int64(q), table, code))


@inner
def _renumber(size, table, code):
    """Replace codes below `size` by the order of their first occurrence; returns the number of distinct ones."""
    table[:size] = 0
    found = np.uint32(0)
    for i in range(code.shape[0]):
        number = table[code[i]]
        if number == 0:
            found += np.uint32(1)
            number = table[code[i]] = found
        code[i] = number - np.uint32(1)
    return float(found)
