"""Scores of one child's parents with each of some nodes added to them or removed.

The rows are split into the cells of the family: a parent configuration and a state of the child. The cells are then
crossed with the states of all candidates: by masks where the cells are few, else from the rows of the states. Of each
candidate one state is left out, which has what the others leave: from rows, its most frequent one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import NOBODY, ONE, ZERO, compiled, inner
from bnlab.engine.rows import cross, have_bits, popcount, write_masks
from bnlab.engine.score import LIKELIHOOD, fit

PLACES = 64  # states of the candidates of a group
MOST = 1 << 22  # counts of a group of more than one candidate
MASK_NS, WORD_NS, ROW_NS = 2.5, 0.1, 0.8  # costs of a cell by masks, of each of its words, of a row
SPLIT_MASKS, SPLIT_ROWS = 2.0, 8.0  # what it costs to make them, in these units


class Cells(NamedTuple):
    """Rows split by the states of a child and its parents; cells without rows are left out."""

    ends: np.ndarray  # (configurations + 1,) of the cells of each configuration
    counts: np.ndarray  # (cells,) uint32 rows of each cell
    masks: np.ndarray  # (cells, words), or none
    number: np.ndarray  # (N,) uint32 cell of each row, or the number of cells for a row of none; empty with masks
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
    return Cells(ends, found, masks[: cells.shape[0]], np.empty(0, dtype=np.uint32), one_row)


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
    return Cells(ends, found, no_masks, of_rows, one_row)


@inner
def varied(cells):
    """The cells of the configurations that have rows of several states of the child."""
    m = q = 0
    new, ends, counts = np.empty(cells.counts.shape[0], dtype=np.int64), cells.ends.copy(), cells.counts.copy()
    for j in range(cells.ends.shape[0] - 1):
        begin, end = cells.ends[j], cells.ends[j + 1]
        for c in range(begin, end):
            new[c] = NOBODY
            if end > begin + 1:
                new[c], counts[m] = m, cells.counts[c]
                for w in range(cells.masks.shape[1] if cells.masks.shape[0] else 0):
                    cells.masks[m, w] = cells.masks[c, w]
                m += 1
        if m > ends[q]:
            q += 1
            ends[q] = m
    for i in range(cells.number.shape[0]):
        c = new[cells.number[i]]
        cells.number[i] = c if c >= 0 else m
    return Cells(ends[: q + 1], counts[:m], cells.masks[:m], cells.number, cells.one_row)


@inner
def masks_of(table, cells):
    """Masks of cells from their rows."""
    m = cells.counts.shape[0]
    masks = np.zeros((m, table.bits.shape[1]), dtype=np.uint64)
    for i in range(cells.number.shape[0]):
        if cells.number[i] < m:
            masks[cells.number[i], i >> 6] |= np.uint64(1) << np.uint64(i & 63)
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
def with_last(cells, some, counts):
    """Write the counts of the states of a node from those of all but the last, which is what the others leave."""
    last = counts[some.shape[0]]
    for c in range(cells.counts.shape[0]):
        last[c] = cells.counts[c]
    for s in range(some.shape[0]):
        for c in range(cells.counts.shape[0]):
            counts[s, c] = some[s, c]
            last[c] -= counts[s, c]


@inner
def cross_rows(table, cells, z, counts, lane):
    """Count the states of a node in each cell, shape (states, cells); returns the number of states that occur.

    The first is the most frequent, which has the rows that the others leave. Half of the rows of another are counted in
    `lane`, (cells + 1,), because a count cannot be incremented again before the last increment is done.
    """
    m, found, of_rows, usual = cells.counts.shape[0], 1, cells.number, counts[0]
    for c in range(m):
        usual[c] = cells.counts[c]
    for s in range(table.places[z], table.places[z] + table.arities[z]):
        begin, end = table.ends[s], table.ends[s + 1]
        if begin == end:
            continue
        half, in_state = (end - begin) // 2, counts[found]
        first, second = table.others[begin : begin + half], table.others[begin + half : end]
        for c in range(m + 1):
            in_state[c] = lane[c] = 0
        for k in range(half):
            in_state[of_rows[first[k]]] += np.uint32(1)
            lane[of_rows[second[k]]] += np.uint32(1)
        if 2 * half < end - begin:
            lane[of_rows[second[half]]] += np.uint32(1)
        for c in range(m):
            in_state[c] += lane[c]
            usual[c] -= in_state[c]
        found += 1
    return found


@inner
def one_state(counts):
    """Counts of cells in the form of those that are crossed with a node, which has one state."""
    return counts.reshape((ONE, counts.shape[0]))


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
    own, found = fit(score, one_state(cells.counts), cells.ends, r, size / r), 0
    bounded = score.complexity.shape[0] == 0  # the complexity of many configurations can exceed that of few
    for i in range(candidates.shape[0]):
        z = candidates[i]
        r_z = table.arities[z]
        q = size / r * r_z
        if np.isnan(bounds[r_z]):
            bounds[r_z] = fit(score, one_state(cells.counts), ends, r, q) if bounded else np.inf
        if min(bounds[r_z], own + score.entropies[z]) - score.penalty * (r - 1) * q > least[z]:
            candidates[found] = z
            found += 1
    return found


@inner
def suits_masks(table, cells, candidates):
    """Whether masks of some cells cross the candidates in less time than their rows, or these are not listed."""
    if table.ends.shape[0] == 0:
        return True
    states, rows = SPLIT_MASKS, SPLIT_ROWS * table.codes.shape[1]
    for z in candidates:
        if table.first[z] < 0:
            return False
        states += table.arities[z] - 1
        rows += table.ends[table.places[z] + table.arities[z]] - table.ends[table.places[z]]
    return cells * states * (table.bits.shape[1] * WORD_NS + MASK_NS) < rows * ROW_NS


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
    return fit(score, one_state(found), ends, r, q) - score.penalty * (r - 1) * q


@inner
def add_values(table, score, cells, family, candidates, q, values):
    """Score a family of q configurations with each candidate as one more parent."""
    m, r, widest = cells.counts.shape[0], table.arities[family[-1]], ONE
    if cells.number.shape[0] and suits_masks(table, float(m), candidates):
        cells = Cells(cells.ends, cells.counts, masks_of(table, cells), cells.number[:0], cells.one_row)
    for z in candidates:
        widest = max(widest, table.arities[z])
    lane = np.empty(m + 1, dtype=np.uint32)
    counts, some = np.empty((widest, m + 1), dtype=np.uint32), np.empty((0, m), dtype=np.int64)
    end = at = ZERO
    for i in range(candidates.shape[0]):
        z = candidates[i]
        r_z = states = table.arities[z]
        if cells.number.shape[0]:
            states = cross_rows(table, cells, z, counts, lane)
        else:
            if i == end:
                end, at = group_end(table, candidates, i, m), ZERO
                some = cross_masks(table, cells, candidates[i:end])
            with_last(cells, some[at : at + r_z - 1], counts)
            at += r_z - 1
        values[z] = fit(score, counts[:states], cells.ends, r, q * r_z) - score.penalty * (r - 1) * q * r_z


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
    if have_bits(table, family) and suits_masks(table, q * r, candidates):
        cells = split_by_masks(table, family, np.int64(q) * r)
    else:
        cells = split_by_rows(table, family)
    values[child] = fit(score, one_state(cells.counts), cells.ends, r, q) - score.penalty * (r - 1) * q
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
