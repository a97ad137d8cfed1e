"""Compiled scores of a family and its neighbours, counted at the same time: no table is stored.

The rows are split by the states of the parents, one parent after the other, into bitmaps (see
`bnlab.counts.engine.kernels`) and, if few are left, into lists. Configurations without rows are never visited, as in
an ADtree with leaf lists (Moore and Lee 1998). The rows of each configuration are then split by the states of every
candidate, and its score is updated at once.

References
----------
Moore and Lee (1998), Cached sufficient statistics for efficient machine learning with large datasets.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

from collections.abc import Sequence
from math import lgamma
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.jit import inner, njit
from bnlab.counts.engine.bitmaps import MAX_ARITY
from bnlab.counts.engine.vectors import TOGETHER, and_into, count_pairs, popcount
from bnlab.counts.memory import MemorySource
from bnlab.counts.types import FloatArray, IntArray
from bnlab.scores.compiled.dirichlet import log_gamma
from bnlab.scores.local import FREQUENT, LEAST_PRIOR, CountTerms, LocalScore

SPARE = 40  # tables that one family may need: two for itself, and two for each arity up to 16
_TABLES = 128  # tables of the terms of counts, one for each N' = ess / q; a family needs several
_WORD = 0.07  # ns for a word of an AND
_AND = 3.0  # ns to start one
_ROW = 3.0  # ns to read one row

# Rows of `levels`, one column a parent and the child: the variable, its next state, the rows of the configuration so
# far, those of them with a state that is left, and whether they are in a list.
_VARIABLE, _STATE, _ROWS, _LEFT, _LISTED = range(5)


class CompiledScore(NamedTuple):
    """A score of a table in memory for `score_neighbours`: bitmaps of the table, and the term of each count."""

    codes: NDArray[np.uint8]  # (n, N)
    row: IntArray  # (n,) which row of `codes` has the states of a variable
    arities: IntArray  # (n,)
    first: IntArray  # (n,) where in `bits` the bitmaps of a variable begin, one for each state
    bits: NDArray[np.uint64]
    width: int  # words of a bitmap
    few: int  # rows that are read one by one in the time of an AND of two bitmaps
    terms: FloatArray  # (tables * counts,) term of each count; with a prior, tables hold the frequent counts alone
    keys: FloatArray  # (tables, 3) of each table ess / N', N' and log Γ(N')
    used: IntArray  # (1,) number of tables that have a key
    of_rows: IntArray  # (greatest arity + 1,) without `ess`, table of N_ij for a child of r states; cells have table 0
    ess: float  # equivalent sample size, 0 for none
    penalty: float  # nats that a parameter costs
    log_odds: FloatArray  # (n, n) nats that an edge u -> v adds by a prior of structures; (0, 0) without one

    def permuted(self, order: Sequence[int]) -> CompiledScore:
        """Score with the variables in another order: variable k becomes ``order[k]``."""
        at = list(order)
        odds = self.log_odds[np.ix_(at, at)] if self.log_odds.size else self.log_odds
        return self._replace(row=self.row[at], arities=self.arities[at], first=self.first[at], log_odds=odds)

    def for_another_thread(self) -> CompiledScore:
        """Copy with tables of its own, if the score fills them while it counts."""
        if not self.ess:
            return self
        return self._replace(terms=self.terms.copy(), keys=self.keys.copy(), used=self.used.copy())


class OwnScore(local):
    """Compiled score with a copy for each thread."""

    def __init__(self, score: CompiledScore) -> None:
        self.score = score.for_another_thread()


@njit()
def score_neighbours(score, child, is_parent, wanted, values):
    """Score a family with each of some nodes added to its parents or removed from them, and unchanged.

    Its steps are inlined, because numba compiles every called function again with its caller. Its loops call no small
    functions, because numba counts the references to every array at each call, even at an inlined one.

    Parameters
    ----------
    score : CompiledScore
    child : int
    is_parent, wanted : ndarray of bool, shape (n,)
        The child is not among them.
    values : ndarray of float64, shape (n,)
        Filled in where `wanted`, and at the child with the score of the unchanged family.
    """
    codes, row, arities, first, bits, width, few, _, keys, used, _, ess, penalty, log_odds = score
    n, n_rows = codes.shape
    n_parents, n_nodes, widest = 0, 0, arities[child]
    nodes = np.empty(n, dtype=np.int64)
    for v in range(n):
        n_parents += is_parent[v]
        widest = max(widest, arities[v])
        if wanted[v] and not is_parent[v]:
            nodes[n_nodes] = v
            n_nodes += 1
    longest = max(few * (widest - 1), few)
    # Rows of the configuration of each level, followed by its parts by the states of the child.
    bitmaps = np.empty((n_parents + 1 + widest) * width, dtype=np.uint64)
    lists = np.empty((n_parents + 1 + widest, longest), dtype=np.int64)
    levels = np.empty((5, n_parents + 1), dtype=np.int64)
    counts, table = np.empty(widest, dtype=np.int64), np.empty(widest * widest, dtype=np.int64)
    chosen, sums = np.empty((2, n + 1), dtype=np.int64), np.empty(n + 1)
    _set_first(bitmaps, width, n_rows)
    for left_out in range(-1, n):
        # First the family with each added node, then the family without each parent.
        if left_out >= 0 and not (is_parent[left_out] and wanted[left_out]):
            continue
        if ess and used[0] + SPARE > keys.shape[0]:
            used[0] = 0
        last = 0 if left_out >= 0 else n_nodes
        depth = 0
        q = 1.0
        for v in range(n):
            if is_parent[v] and v != left_out:
                levels[_VARIABLE, depth] = v
                q *= arities[v]
                depth += 1
        levels[_VARIABLE, depth] = child
        for a in range(last + 1):
            sums[a] = 0.0
        _choose_tables(score, child, nodes[:last], q, chosen)
        level = n_cells = 0
        levels[_STATE, 0] = levels[_LISTED, 0] = 0
        levels[_ROWS, 0] = levels[_LEFT, 0] = n_rows
        while level >= 0:
            if levels[_LEFT, level]:
                part = level + 1 + (n_cells if level == depth else 0)
                # Find the rows with the next state of a parent or, at the last level, of the child.
                v, s = levels[_VARIABLE, level], levels[_STATE, level]
                levels[_STATE, level] += 1
                found = 0
                if levels[_LISTED, level]:
                    of_v = row[v]
                    for i in range(levels[_ROWS, level]):
                        if codes[of_v, lists[level, i]] == s:
                            lists[part, found] = lists[level, i]
                            found += 1
                else:
                    found = and_into(bitmaps, part * width, bitmaps, level * width, bits, first[v] + s * width, width)
                    if found <= (longest if level == depth else few):
                        _list_rows(bitmaps, part, width, lists)
                levels[_LEFT, level] -= found
                if found and level == depth:
                    counts[n_cells] = found
                    n_cells += 1
                elif found:
                    levels[_STATE, part], levels[_ROWS, part], levels[_LEFT, part] = 0, found, found
                    levels[_LISTED, part] = levels[_LISTED, level] or found <= few
                    level = part
                continue
            level -= 1
            if level + 1 < depth:
                continue
            parts = depth + 1, counts[:n_cells], bitmaps, lists
            _add_terms(score, parts, nodes[:last], chosen, table, sums)
            n_cells = 0
        cost = penalty * (arities[child] - 1)
        for a in range(last):
            values[nodes[a]] = sums[a] - cost * (q * arities[nodes[a]])
        values[left_out if left_out >= 0 else child] = sums[last] - cost * q
    if log_odds.shape[0]:
        _add_prior(log_odds, child, is_parent, wanted, values)


@njit(inline="always")
def _add_prior(log_odds, child, is_parent, wanted, values):
    """Add the prior of each family to its score."""
    prior = 0.0
    for v in range(is_parent.shape[0]):
        prior += log_odds[v, child] * is_parent[v]
    values[child] += prior
    for v in range(is_parent.shape[0]):
        if wanted[v]:
            values[v] += prior + (-log_odds[v, child] if is_parent[v] else log_odds[v, child])


@njit(inline="always")
def _choose_tables(score, child, nodes, q, chosen):
    """Write the tables of N_ijk and N_ij with each node, or none, as one more parent; without it, the family has q."""
    _, _, arities, _, _, _, _, terms, keys, used, of_rows, ess = score[:12]
    for a in range(nodes.shape[0] + 1):
        if ess == 0.0:
            chosen[0, a], chosen[1, a] = 0, of_rows[arities[child]]
        else:
            rows = q * arities[nodes[a]] if a < nodes.shape[0] else q
            chosen[0, a] = _table_of(rows * arities[child], terms, keys, used, ess)
            chosen[1, a] = _table_of(rows, terms, keys, used, ess)


@njit(inline="always")
def _set_first(bitmaps, width, n_rows):
    """Write a bitmap of all rows."""
    for w in range(width):
        inner = min(max(n_rows - 64 * w, 0), 64)
        bitmaps[w] = ~np.uint64(0) >> np.uint64(64 - inner) if inner else np.uint64(0)


@njit(inline="always")
def _add_terms(score, configuration, nodes, chosen, table, sums):
    """Add the terms of a configuration, split by the states of the child, with each node or none as one more parent."""
    codes, row, arities, first, bits, width, few, terms, keys = score[:9]
    begin, counts, bitmaps, lists = configuration
    n_cells, n_nodes = counts.shape[0], nodes.shape[0]
    tabled = terms.shape[0] // keys.shape[0]
    for a in range(n_nodes + 1):
        of_cells, of_totals = chosen[0, a], chosen[1, a]
        if n_cells == 1 and of_cells == of_totals:
            continue  # a certain state adds nothing
        # Count in each part the rows of each state of the node, or all of them.
        z = nodes[a] if a < n_nodes else 0
        r = arities[z] if a < n_nodes else 1
        for k in range(r * n_cells):
            table[k] = 0
        k = 0
        while k < n_cells:
            if counts[k] <= few * (r - 1):
                of_z = row[z]
                for i in range(counts[k]):
                    table[codes[of_z, lists[begin + k, i]] * n_cells + k] += 1
                k += 1
                continue
            parts = 1
            while parts < TOGETHER and k + parts < n_cells and counts[k + parts] > few * (r - 1):
                parts += 1
            for s in range(0, r - 1, TOGETHER):
                xs, ys = ((begin + k) * width, parts), (first[z] + s * width, min(TOGETHER, r - 1 - s))
                count_pairs(bitmaps, xs, bits, ys, width, (table, s * n_cells + k, n_cells))
            for _ in range(parts):
                left = counts[k]
                for s in range(k, (r - 1) * n_cells, n_cells):
                    left -= table[s]
                table[(r - 1) * n_cells + k] = left
                k += 1
        value = 0.0
        for j in range(r):
            total = 0
            inside = 0.0
            for k in range(j * n_cells, (j + 1) * n_cells):
                total += table[k]
                if table[k] < tabled:
                    inside += terms[of_cells * tabled + table[k]]
                else:
                    inside += log_gamma(table[k] + keys[of_cells, 1]) - keys[of_cells, 2]
            if total < tabled:
                value += inside - terms[of_totals * tabled + total]
            else:
                value += inside - (log_gamma(total + keys[of_totals, 1]) - keys[of_totals, 2])
        sums[a] += value


@inner
def _table_of(key, terms, keys, used, ess):
    for k in range(used[0]):
        if keys[k, 0] == key:
            return k
    k = used[0]
    prior = max(ess / key, LEAST_PRIOR)
    keys[k, 0], keys[k, 1], keys[k, 2] = key, prior, log_gamma(prior)
    used[0] += 1
    tabled = terms.shape[0] // keys.shape[0]
    for count in range(tabled):
        terms[k * tabled + count] = log_gamma(count + prior) - keys[k, 2]
    return k


@inner
def _list_rows(bitmaps, at, width, lists):
    """Write the numbers of the set bits of a bitmap to the list in the same place."""
    end = 0
    for w in range(width):
        word = bitmaps[at * width + w]
        while word:
            below = word - np.uint64(1)
            lists[at, end] = 64 * w + np.int64(popcount(~word & below))
            end += 1
            word &= below


def compiled_score(source: MemorySource, score: LocalScore, log_odds: FloatArray | None = None) -> CompiledScore | None:
    """Compiled score; None if the source has no bitmaps (see `MemorySource.states`) or the score is no sum over counts.

    `log_odds` is as in `CompiledScore`.
    """
    states = source.states()
    terms = None if states is None else score.terms(source.n_rows)
    if states is None or terms is None:
        return None
    few = max(1, int((states.width * _WORD + _AND) / _ROW))
    tables, of_rows = np.empty((_TABLES, FREQUENT)), np.zeros(MAX_ARITY + 1, dtype=np.int64)
    keys, used = np.zeros((_TABLES, 3)), np.zeros(1, dtype=np.int64)
    if not terms.ess:
        tables, keys = _term_tables(terms, set(source.arities), of_rows)
    odds = np.empty((0, 0)) if log_odds is None else log_odds
    costs = float(terms.ess), float(terms.penalty)  # integers would make numba compile everything again
    return CompiledScore(*states, few, tables.reshape(-1), keys, used, of_rows, *costs, odds)


def _term_tables(terms: CountTerms, arities: set[int], of_rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Tables and keys of the cells, and of the totals for each arity of the child unless these are the same."""
    tables, keys = np.empty((MAX_ARITY + 1, len(terms.cells))), np.zeros((MAX_ARITY + 1, 3))
    tables[0] = terms.cells
    keys[0] = 0.0, terms.prior, lgamma(terms.prior or 1.0)
    for r in arities:
        rows = terms.rows(r)
        if rows is not terms.cells:
            of_rows[r], tables[r] = r, rows
            keys[r] = 0.0, terms.prior * r, lgamma(terms.prior * r or 1.0)
    return tables, keys
