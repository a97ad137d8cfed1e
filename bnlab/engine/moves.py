"""Scores of one child's parents with each of some nodes added to them or removed.

The rows are split into the cells of the family: a parent configuration and a state of the child. The cells are then
crossed with the states of all candidates: by masks where the cells are few, else by histograms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import compiled, inner
from bnlab.engine.rows import append, cross, popcount, write_masks
from bnlab.engine.score import LIKELIHOOD, fit

PLACES = 64  # states of the candidates of a group
MOST = 1 << 22  # counts of a group of more than one candidate
FEW = 4096  # cells of a histogram of which there are four
MASK_NS, WORD_NS, ROW_NS = 2.5, 0.1, 0.6  # costs of a cell by masks, of each of its words, of a row of a histogram
SPLIT_MASKS, SPLIT_ROWS = 2.0, 8.0  # what it costs to make them, in these units


class Cells(NamedTuple):
    """Rows split by the states of a child and its parents; cells without rows are left out."""

    ends: np.ndarray  # (configurations + 1,) of the cells of each configuration
    counts: np.ndarray  # (1, cells) rows of each cell
    masks: np.ndarray  # (cells, words), or none
    rows: np.ndarray  # rows of the cells, unless there are masks
    number: np.ndarray  # uint32 cell of each of them


@inner
def number_rows(table, family, limit):
    """Number the joint states of some variables; returns the number of each row, and how many numbers there are.

    States that do not occur have no number where there would be more numbers than `limit`.
    """
    n_rows = table.codes.shape[1]
    number, size = np.zeros(n_rows, dtype=np.int64), 1
    for v in family:
        r, column = table.arities[v], table.codes[v]
        if size * r > limit:
            new, found = np.zeros(size, dtype=np.int64), 0
            for i in range(n_rows):
                if new[number[i]] == 0:
                    found += 1
                    new[number[i]] = found
                number[i] = new[number[i]] - 1
            size = found
        for i in range(n_rows):
            number[i] = number[i] * r + column[i]
        size *= r
    return number, size


@inner
def cells_of(counts, r, least):
    """The cells that have rows, and where those of each configuration end, from the counts of all.

    Configurations of fewer than `least` cells that have rows are left out.
    """
    size = counts.shape[0]
    cells, ends = np.empty(size, dtype=np.int64), np.zeros(size // r + 1, dtype=np.int64)
    m = q = 0
    for j in range(0, size, r):
        before = m
        for c in range(j, j + r):
            if counts[c]:
                cells[m] = c
                m += 1
        if m < before + least:
            m = before
        else:
            q += 1
            ends[q] = m
    found = np.empty((1, m), dtype=np.int64)
    for c in range(m):
        found[0, c] = counts[cells[c]]
    return cells[:m], ends[: q + 1], found


@inner
def split_by_masks(table, family, size, least):
    """Cells of a family of `size` cells as masks; `least` is that of `cells_of`."""
    words = table.bits.shape[1]
    masks, counts = np.empty((size, words), dtype=np.uint64), np.empty(size, dtype=np.int64)
    write_masks(table, family, 0, words, masks)
    for c in range(size):
        mask, total = masks[c], np.uint64(0)
        for w in range(words):
            total += popcount(mask[w])
        counts[c] = total
    cells, ends, found = cells_of(counts, table.arities[family[-1]], least)
    for c in range(cells.shape[0]):
        to, mask = masks[c], masks[cells[c]]
        for w in range(words):
            to[w] = mask[w]
    return Cells(ends, found, masks[: cells.shape[0]], np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32))


@inner
def split_by_rows(table, family, least):
    """Cells of a family as numbers of rows; `least` is that of `cells_of`."""
    n_rows = table.codes.shape[1]
    number, size = number_rows(table, family, 4 * n_rows)
    counts = np.zeros(size, dtype=np.int64)
    for i in range(n_rows):
        counts[number[i]] += 1
    cells, ends, found = cells_of(counts, table.arities[family[-1]], least)
    for c in range(size):
        counts[c] = -1
    for c in range(cells.shape[0]):
        counts[cells[c]] = c
    rows, of_rows, k = np.empty(n_rows, dtype=np.int64), np.empty(n_rows, dtype=np.uint32), 0
    for i in range(n_rows):
        if counts[number[i]] >= 0:
            rows[k], of_rows[k] = i, counts[number[i]]
            k += 1
    return Cells(ends, found, np.empty((0, table.bits.shape[1]), dtype=np.uint64), rows[:k], of_rows[:k])


@inner
def masks_of(table, cells):
    """Masks of cells from their rows."""
    masks = np.zeros((cells.counts.shape[1], table.bits.shape[1]), dtype=np.uint64)
    for i in range(cells.rows.shape[0]):
        masks[cells.number[i], cells.rows[i] >> 6] |= np.uint64(1) << np.uint64(cells.rows[i] & 63)
    return masks


@inner
def cross_masks(table, cells, group, counts):
    """Count the states of each node of a group, one after the other, in each cell: `counts` (states, cells)."""
    m, end, used = counts.shape[1], 0, 0
    places, to = np.empty(counts.shape[0], dtype=np.int64), np.empty(counts.shape[0], dtype=np.int64)
    for z in group:
        for s in range(table.arities[z] - 1):
            places[used], to[used] = table.first[z] + s, end + s
            used += 1
        end += table.arities[z]
        for c in range(m):
            counts[end - 1, c] = cells.counts[0, c]
    some = np.zeros((used, m), dtype=np.int64)
    cross(table.bits, places[:used], 0, table.bits.shape[1], cells.masks, some)
    end = used = 0
    for z in group:  # the last state is what the others leave
        end += table.arities[z]
        for _ in range(table.arities[z] - 1):
            for c in range(m):
                counts[to[used], c] = some[used, c]
                counts[end - 1, c] -= some[used, c]
            used += 1


@inner
def cross_rows(table, cells, group, counts):
    """As `cross_masks`, by a histogram of each node."""
    n_rows, m, end, widest = cells.rows.shape[0], counts.shape[1], 0, 1
    for z in group:
        widest = max(widest, table.arities[z])
    lanes = np.empty((4 if m <= FEW else 1, max(FEW, m * widest)), dtype=np.uint32)
    code = np.empty(n_rows, dtype=np.uint32)
    for z in group:
        r, column = table.arities[z], table.codes[z]
        step = 1 if m * r <= FEW else 0
        for lane in range(4 if step else 1):
            for c in range(m * r):
                lanes[lane, c] = 0
        if n_rows == column.shape[0]:
            for i in range(n_rows):
                code[i] = cells.number[i]
            append(column, np.uint32(r), code)
        else:
            for i in range(n_rows):
                code[i] = cells.number[i] * np.uint32(r) + column[cells.rows[i]]
        whole = n_rows // 4 * 4
        for i in range(0, whole, 4):
            for lane in range(4):
                lanes[lane * step, code[i + lane]] += 1
        for i in range(whole, n_rows):
            lanes[0, code[i]] += 1
        for c in range(m):
            for s in range(r):
                at = c * r + s
                counts[end + s, c] = lanes[0, at]
                if step:
                    counts[end + s, c] += lanes[1, at] + lanes[2, at] + lanes[3, at]
        end += r


@inner
def above_bound(table, score, cells, family, candidates, least):
    """Move the candidates whose scores can be above `least` to the front, and return how many they are.

    No parent leaves less to explain than one that tells all cells apart; and none adds more to a likelihood than its
    own entropy.
    """
    m, r, size = cells.counts.shape[1], table.arities[family[-1]], 1.0
    bounds, alone, ends = np.full(table.arities.max() + 1, np.nan), cells.counts, np.arange(m + 1)
    for v in family:
        size *= table.arities[v]
    own, found = fit(score, alone, cells.ends, r, size / r), 0
    bounded = score.complexity.shape[0] == 0  # the complexity of many configurations can exceed that of few
    for i in range(candidates.shape[0]):
        z = candidates[i]
        r_z = table.arities[z]
        q = size / r * r_z
        if np.isnan(bounds[r_z]):
            bounds[r_z] = fit(score, alone, ends, r, q) if bounded else np.inf
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
def add_values(table, score, family, candidates, least, margin, values):
    """Score a family, the child last, and those with each candidate as one more parent; see `toggles`."""
    child = family[-1]
    r, size = table.arities[child], 1.0
    for v in family:
        size *= table.arities[v]
    # The likelihood of a configuration with one state of the child cannot change.
    alike = 2 if score.kind == LIKELIHOOD and score.complexity.shape[0] == 0 else 1
    if table.first[family].min() >= 0 and suits_masks(table, size, table.codes.shape[1], candidates):
        cells = split_by_masks(table, family, int(size), alike)
    else:
        cells = split_by_rows(table, family, alike)
    q, penalty = size / r, score.penalty * (r - 1)
    values[child] = fit(score, cells.counts, cells.ends, r, q) - penalty * q
    for z in candidates:
        values[z] = -np.inf
        least[z] = max(least[z], values[child] + margin)
    if candidates.shape[0]:
        candidates = candidates[: above_bound(table, score, cells, family, candidates, least)]
    if suits_masks(table, cells.counts.shape[1], cells.rows.shape[0], candidates):
        nowhere = cells.rows[:0]
        cells = Cells(cells.ends, cells.counts, masks_of(table, cells), nowhere, cells.number[:0])
    begin = 0
    while begin < candidates.shape[0]:
        end, states = begin, 0
        while end < candidates.shape[0]:
            more = states + table.arities[candidates[end]]
            if end > begin and (more > PLACES or more * cells.counts.shape[1] > MOST):
                break
            states, end = more, end + 1
        counts = np.empty((states, cells.counts.shape[1]), dtype=np.int64)
        if cells.rows.shape[0]:
            cross_rows(table, cells, candidates[begin:end], counts)
        else:
            cross_masks(table, cells, candidates[begin:end], counts)
        at = 0
        for i in range(begin, end):
            z = candidates[i]
            r_z = table.arities[z]
            values[z] = fit(score, counts[at : at + r_z], cells.ends, r, q * r_z) - penalty * q * r_z
            at += r_z
        begin = end


@compiled
def toggles(table, score, child, is_parent, wanted, margin, values):
    """Write the score of a family to values[child], and with each node added or removed to its place.

    Only the values that matter are found: those above wanted[u], and above values[child] by more than `margin`. The
    others are -inf or true; where wanted[u] is infinite they stay as they are.
    """
    n = wanted.shape[0]
    family, candidates, least = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), wanted.copy()
    for without in range(-1, n):  # first the family with each added node, then without each parent
        if without >= 0 and not (is_parent[without] and wanted[without] < np.inf):
            continue
        k = m = 0
        for v in range(n):
            if is_parent[v] and v != without:
                family[k] = v
                k += 1
            elif wanted[v] < np.inf and not is_parent[v] and v != child and without < 0:
                candidates[m] = v
                m += 1
        family[k] = child
        own = values[child]
        add_values(table, score, family[: k + 1], candidates[:m], least, margin, values)
        if without >= 0:
            values[without], values[child] = values[child], own
