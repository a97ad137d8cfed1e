"""Scores of one child's parents with each of some nodes added to them or removed.

The rows are split into the cells of the family: a parent configuration and a state of the child. The cells are then
crossed with the states of all candidates: by masks where the cells are few, else by histograms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import NOBODY, ONE, ZERO, compiled, inner
from bnlab.engine.rows import append, cross, have_bits, popcount, write_masks
from bnlab.engine.score import LIKELIHOOD, fit

PLACES = 64  # states of the candidates of a group
MOST = 1 << 22  # counts of a group of more than one candidate
FEW = 4096  # cells of a histogram of which there are four
MASK_NS, WORD_NS, ROW_NS = 2.5, 0.1, 0.6  # costs of a cell by masks, of each of its words, of a row of a histogram
SPLIT_MASKS, SPLIT_ROWS = 2.0, 8.0  # what it costs to make them, in these units


class Cells(NamedTuple):
    """Rows split by the states of a child and its parents; cells without rows are left out."""

    ends: np.ndarray  # (configurations + 1,) of the cells of each configuration
    counts: np.ndarray  # (cells,) uint32 rows of each cell
    masks: np.ndarray  # (cells, words), or none
    rows: np.ndarray  # rows of the cells, unless there are masks
    number: np.ndarray  # uint32 cell of each of them
    one_row: np.ndarray  # (cells,) a row of each cell


@inner
def number_rows(table, family, without, rows, limit):
    """Number the joint states of a family without one of its variables; returns the numbers of rows, and how many.

    States that do not occur have no number where there would be more numbers than `limit`.
    """
    number, size = np.zeros(rows.shape[0], dtype=np.int64), 1
    for v in family:
        if v == without:
            continue
        r, column = table.arities[v], table.codes[v]
        if size * r > limit:
            new, found = np.zeros(size, dtype=np.int64), 0
            for i in range(rows.shape[0]):
                if new[number[i]] == 0:
                    found += 1
                    new[number[i]] = found
                number[i] = new[number[i]] - 1
            size = found
        for i in range(rows.shape[0]):
            number[i] = number[i] * r + column[rows[i]]
        size *= r
    return number, size


@inner
def cells_of(counts, r):
    """The cells that have rows, where those of each configuration end, and their counts, from the counts of all."""
    size = counts.shape[0]
    cells, ends = np.empty(size, dtype=np.int64), np.zeros(size // r + 1, dtype=np.int64)
    m = q = 0
    for j in range(0, size, r):
        for c in range(j, j + r):
            if counts[c]:
                cells[m] = c
                m += 1
        if m > ends[q]:
            q += 1
            ends[q] = m
    found = np.empty(m, dtype=np.uint32)
    for c in range(m):
        found[c] = counts[cells[c]]
    return cells[:m], ends[: q + 1], found


@inner
def split_by_masks(table, family, size):
    """Cells of a family of `size` cells as masks."""
    words = table.bits.shape[1]
    masks, counts = np.empty((size, words), dtype=np.uint64), np.empty(size, dtype=np.int64)
    write_masks(table, family, ZERO, words, masks)
    for c in range(size):
        mask, total = masks[c], np.uint64(0)
        for w in range(words):
            total += popcount(mask[w])
        counts[c] = total
    cells, ends, found = cells_of(counts, table.arities[family[-1]])
    one_row = np.empty(cells.shape[0], dtype=np.int64)
    for c in range(cells.shape[0]):
        to, mask = masks[c], masks[cells[c]]
        for w in range(words):
            to[w] = mask[w]
        w = 0
        while to[w] == 0:
            w += 1
        one_row[c] = 64 * w + np.int64(popcount(~to[w] & (to[w] - np.uint64(1))))  # the zeros before its first bit
    nowhere, of_none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32)
    return Cells(ends, found, masks[: cells.shape[0]], nowhere, of_none, one_row)


@inner
def split_by_rows(table, family):
    """Cells of a family as numbers of rows."""
    n_rows = table.codes.shape[1]
    rows = np.arange(n_rows)
    number, size = number_rows(table, family, NOBODY, rows, 4 * n_rows)
    counts = np.zeros(size, dtype=np.int64)
    for i in range(n_rows):
        counts[number[i]] += 1
    cells, ends, found = cells_of(counts, table.arities[family[-1]])
    for c in range(cells.shape[0]):
        counts[cells[c]] = c
    of_rows, one_row = np.empty(n_rows, dtype=np.uint32), np.empty(cells.shape[0], dtype=np.int64)
    for i in range(n_rows):
        of_rows[i] = counts[number[i]]
        one_row[of_rows[i]] = i
    no_masks = np.empty((0, table.bits.shape[1]), dtype=np.uint64)
    return Cells(ends, found, no_masks, rows, of_rows, one_row)


@inner
def varied(cells):
    """The cells of the configurations that have rows of several states of the child."""
    m = q = 0
    new, ends, counts = np.empty(cells.counts.shape[0], dtype=np.int64), cells.ends.copy(), cells.counts.copy()
    for j in range(cells.ends.shape[0] - 1):
        begin, end = cells.ends[j], cells.ends[j + 1]
        for c in range(begin, end):
            new[c] = -1
            if end > begin + 1:
                new[c], counts[m] = m, cells.counts[c]
                for w in range(cells.masks.shape[1] if cells.masks.shape[0] else 0):
                    cells.masks[m, w] = cells.masks[c, w]
                m += 1
        if m > ends[q]:
            q += 1
            ends[q] = m
    k = 0
    for i in range(cells.rows.shape[0]):
        c = new[cells.number[i]]
        if c >= 0:
            cells.rows[k], cells.number[k] = cells.rows[i], c
            k += 1
    return Cells(ends[: q + 1], counts[:m], cells.masks[:m], cells.rows[:k], cells.number[:k], cells.one_row)


@inner
def masks_of(table, cells):
    """Masks of cells from their rows."""
    masks = np.zeros((cells.counts.shape[0], table.bits.shape[1]), dtype=np.uint64)
    for i in range(cells.rows.shape[0]):
        masks[cells.number[i], cells.rows[i] >> 6] |= np.uint64(1) << np.uint64(cells.rows[i] & 63)
    return masks


@inner
def cross_masks(table, cells, group):
    """Count the states of the nodes of a group in each cell, shape (states, cells), without the last of each node."""
    states = used = ZERO
    for z in group:
        states += table.arities[z] - 1
    places = np.empty(states, dtype=np.int64)
    for z in group:
        for s in range(table.arities[z] - 1):
            places[used] = table.first[z] + s
            used += 1
    counts = np.zeros((states, cells.masks.shape[0]), dtype=np.int64)
    cross(table.bits, places, ZERO, table.bits.shape[1], cells.masks, counts)
    return counts


@inner
def with_last(cells, some, at, r, counts):
    """Write the counts of the r states of a node from those of all but the last, which is what the others leave."""
    k = 0
    for c in range(cells.counts.shape[0]):
        left = cells.counts[c]
        for s in range(at, at + r - 1):
            counts[k] = some[s, c]
            left -= counts[k]
            k += 1
        counts[k] = left
        k += 1


@inner
def cross_rows(table, cells, z, code, lanes, counts):
    """Count the states of a node in each cell by a histogram.

    There are four of few cells, because a cell cannot be incremented again before the last increment is done.
    """
    n_rows, r, column = code.shape[0], np.uint32(table.arities[z]), table.codes[z]
    size = cells.counts.shape[0] * r
    if n_rows == column.shape[0]:
        for i in range(n_rows):
            code[i] = cells.number[i]
        append(column, r, code)
    else:
        for i in range(n_rows):
            code[i] = cells.number[i] * r + column[cells.rows[i]]
    for c in range(size):
        counts[c] = 0
    whole = n_rows // 4 * 4 if size <= FEW else 0
    if whole:
        for lane in range(4):
            for c in range(size):
                lanes[lane, c] = 0
    for i in range(0, whole, 4):
        for lane in range(4):
            lanes[lane, code[i + lane]] += 1
    for i in range(whole, n_rows):
        counts[code[i]] += 1
    if whole:
        for c in range(size):
            counts[c] += lanes[0, c] + lanes[1, c] + lanes[2, c] + lanes[3, c]


@inner
def above_bound(table, score, cells, family, candidates, least):
    """Move the candidates whose scores can be above `least` to the front, and return how many they are.

    No parent leaves less to explain than one that tells all cells apart; and none adds more to a likelihood than its
    own entropy.
    """
    m, r, size, widest = cells.counts.shape[0], table.arities[family[-1]], 1.0, ZERO
    for v in family:
        size *= table.arities[v]
    for z in candidates:
        widest = max(widest, table.arities[z])
    bounds, ends = np.empty(widest + 1), np.empty(m + 1, dtype=np.int64)
    for r_z in range(widest + 1):
        bounds[r_z] = np.nan
    for c in range(m + 1):
        ends[c] = c
    own, found = fit(score, cells.counts, ONE, cells.ends, r, size / r), 0
    bounded = score.complexity.shape[0] == 0  # the complexity of many configurations can exceed that of few
    for i in range(candidates.shape[0]):
        z = candidates[i]
        r_z = table.arities[z]
        q = size / r * r_z
        if np.isnan(bounds[r_z]):
            bounds[r_z] = fit(score, cells.counts, ONE, ends, r, q) if bounded else np.inf
        if min(bounds[r_z], own + score.entropies[z]) - score.penalty * (r - 1) * q > least[z]:
            candidates[found] = z
            found += 1
    return found


@inner
def suits_masks(table, cells, rows, candidates):
    """Whether masks of some cells cross the candidates in less time than histograms of some rows."""
    states = SPLIT_MASKS
    for z in candidates:
        if table.first[z] < 0:
            return False
        states += table.arities[z] - 1
    by_masks = cells * states * (table.bits.shape[1] * WORD_NS + MASK_NS)
    return by_masks < rows * (candidates.shape[0] + SPLIT_ROWS) * ROW_NS


@inner
def group_end(table, candidates, begin, cells):
    """End of the candidates from `begin` on that are crossed together: few states and counts, but at least one."""
    end, states = begin, 0
    while end < candidates.shape[0]:
        states += table.arities[candidates[end]] - 1
        if end > begin and (states > PLACES or states * cells > MOST):
            break
        end += 1
    return end


@inner
def value_without(table, score, cells, family, parent, q):
    """Score of a family of q configurations without a parent, from the cells of the family."""
    m, r = cells.counts.shape[0], table.arities[family[-1]]
    number, size = number_rows(table, family, parent, cells.one_row, 4 * m)
    counts, q = np.zeros(size, dtype=np.int64), q / table.arities[parent]
    for c in range(m):
        counts[number[c]] += cells.counts[c]
    _, ends, found = cells_of(counts, r)
    return fit(score, found, ONE, ends, r, q) - score.penalty * (r - 1) * q


@inner
def add_values(table, score, cells, family, candidates, q, values):
    """Score a family of q configurations with each candidate as one more parent."""
    m, r, widest = cells.counts.shape[0], table.arities[family[-1]], ONE
    if suits_masks(table, float(m), cells.rows.shape[0], candidates):
        cells = Cells(cells.ends, cells.counts, masks_of(table, cells), cells.rows[:0], cells.number[:0], cells.one_row)
    for z in candidates:
        widest = max(widest, table.arities[z])
    counts, some = np.empty(m * widest, dtype=np.uint32), np.empty((0, m), dtype=np.int64)
    n_rows = cells.rows.shape[0]
    code, lanes = np.empty(n_rows, dtype=np.uint32), np.empty((4, FEW if n_rows else 0), dtype=np.uint32)
    end = at = ZERO
    for i in range(candidates.shape[0]):
        z = candidates[i]
        r_z = table.arities[z]
        if n_rows:
            cross_rows(table, cells, z, code, lanes, counts)
        else:
            if i == end:
                end, at = group_end(table, candidates, i, m), ZERO
                some = cross_masks(table, cells, candidates[i:end])
            with_last(cells, some, at, r_z, counts)
            at += r_z - 1
        values[z] = fit(score, counts, r_z, cells.ends, r, q * r_z) - score.penalty * (r - 1) * q * r_z


@compiled
def toggles(table, score, child, is_parent, wanted, margin, values):
    """Write the score of a family to values[child], and with each node added or removed to its place.

    Only the values that matter are found: those above wanted[u], and above values[child] by more than `margin`. The
    others are -inf or true; where wanted[u] is infinite they stay as they are.
    """
    n, r, q = wanted.shape[0], table.arities[child], 1.0
    family, candidates, least = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), wanted.copy()
    k = m = 0
    for v in range(n):
        if is_parent[v]:
            family[k], q = v, q * table.arities[v]
            k += 1
        elif wanted[v] < np.inf and v != child:
            candidates[m] = v
            m += 1
    family[k] = child
    family, candidates = family[: k + 1], candidates[:m]
    if have_bits(table, family) and suits_masks(table, q * r, table.codes.shape[1], candidates):
        cells = split_by_masks(table, family, np.int64(q) * r)
    else:
        cells = split_by_rows(table, family)
    values[child] = fit(score, cells.counts, ONE, cells.ends, r, q) - score.penalty * (r - 1) * q
    for u in family[:-1]:
        if wanted[u] < np.inf:
            values[u] = value_without(table, score, cells, family, u, q)
    for z in candidates:
        values[z] = -np.inf
        least[z] = max(least[z], values[child] + margin)
    if candidates.shape[0]:
        if score.kind == LIKELIHOOD and score.complexity.shape[0] == 0:
            cells = varied(cells)  # the likelihood of a configuration with one state of the child cannot change
        candidates = candidates[: above_bound(table, score, cells, family, candidates, least)]
        add_values(table, score, cells, family, candidates, q, values)
