"""Compiled scores of a family and its neighbours, counted on the way: no table is written out.

The rows are split by the states of the parents, one parent after the other, into bitmaps (see
`bnlab.counts.engine.kernels`) and, where few are left, into lists. Configurations without rows are never visited, as in
an ADtree with leaf lists (Moore and Lee 1998). The rows of each configuration then meet the states of every candidate,
and add to its score at once.

References
----------
Moore and Lee (1998), Cached sufficient statistics for efficient machine learning with large datasets.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit
from bnlab.counts.engine.vectors import and_count, and_into, popcount
from bnlab.scores.compiled.dirichlet import log_gamma

LEAST = 1e-300  # log-gamma is infinite for the denormal numbers below
SPARE = 40  # tables that one family may ask for: two for itself, and two for each arity up to 16


@njit()
def score_neighbours(
    codes, arities, first, bits, width, few, terms, keys, used, of_rows, ess, penalty, child, is_parent, asked, values
):
    """Score a family with each of some nodes made, or no more, a parent; and as it is, in the place of the child.

    It is one long function because whatever a function calls is compiled again with it.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, N)
    arities : ndarray of int64, shape (n,)
    first : ndarray of int64, shape (n,)
        Where in `bits` the bitmaps of a variable begin, one for each state, of `width` words each.
    bits : ndarray of uint64
    width, few : int
        Words of a bitmap; rows that are looked at one by one in the time of an AND of two bitmaps.
    terms : ndarray of float64, shape (tables * counts,)
        What each count adds, one table after the other: of all counts, or of the frequent ones if there is a prior.
    keys : ndarray of float64, shape (tables, 3)
        Of each table ess / N', N' and log Γ(N').
    used : ndarray of int64, shape (1,)
        Number of tables that have a key.
    of_rows : ndarray of int64, shape (greatest arity + 1,)
        Without `ess` the table of what N_ij takes away, for a child of r states; cells have table 0.
    ess, penalty : float
        Equivalent sample size, 0 for none; nats that a parameter costs.
    child : int
    is_parent, asked : ndarray of bool, shape (n,)
        The child is not among them.
    values : ndarray of float64, shape (n,)
        Filled in where `asked`, and at the child.
    """
    n, n_rows = codes.shape
    tabled = terms.shape[0] // keys.shape[0]
    depth, n_nodes, widest = 0, 0, arities[child]
    nodes = np.empty(n, dtype=np.int64)
    for v in range(n):
        depth += is_parent[v]
        widest = max(widest, arities[v])
        if asked[v] and not is_parent[v]:
            nodes[n_nodes] = v
            n_nodes += 1
    longest = max(few * (widest - 1), few)
    # Rows of each level's configuration so far and, beyond, of its parts by the states of the child.
    bitmaps = np.empty((depth + 1 + widest) * width, dtype=np.uint64)
    lists = np.empty((depth + 1 + widest) * longest, dtype=np.int64)
    family, state = np.empty(depth + 1, dtype=np.int64), np.empty(depth + 1, dtype=np.int64)
    inside, rest = np.empty(depth + 1, dtype=np.int64), np.empty(depth + 1, dtype=np.int64)
    listed = np.empty(depth + 1, dtype=np.bool_)
    counts, table = np.empty(widest, dtype=np.int64), np.empty(widest * widest, dtype=np.int64)
    chosen, sums = np.empty((2, n + 1), dtype=np.int64), np.empty(n + 1)
    for w in range(width):
        inner = min(max(n_rows - 64 * w, 0), 64)
        bitmaps[w] = ~np.uint64(0) >> np.uint64(64 - inner) if inner else np.uint64(0)
    for left_out in range(-1, n):
        # The family with all that is added to it; then the family without each parent.
        if left_out >= 0 and not (is_parent[left_out] and asked[left_out]):
            continue
        if ess and used[0] + SPARE > keys.shape[0]:
            used[0] = 0
        last = 0 if left_out >= 0 else n_nodes
        depth = 0
        q = 1.0
        for v in range(n):
            if is_parent[v] and v != left_out:
                family[depth] = v
                q *= arities[v]
                depth += 1
        family[depth] = child
        for a in range(last + 1):
            sums[a] = 0.0
            if ess == 0.0:
                chosen[0, a], chosen[1, a] = 0, of_rows[arities[child]]
            else:
                rows = q * arities[nodes[a]] if a < last else q
                chosen[0, a] = _table_of(rows * arities[child], terms, keys, used, ess)
                chosen[1, a] = _table_of(rows, terms, keys, used, ess)
        level = n_cells = 0
        state[0], listed[0] = 0, False
        inside[0] = rest[0] = n_rows
        while level >= 0:
            if rest[level]:
                # Find the rows that hold the next state, of a parent or at last of the child.
                v, s = family[level], state[level]
                state[level] += 1
                part = level + 1 + (n_cells if level == depth else 0)
                found = 0
                if listed[level]:
                    for i in range(level * longest, level * longest + inside[level]):
                        if codes[v, lists[i]] == s:
                            lists[part * longest + found] = lists[i]
                            found += 1
                else:
                    found = and_into(bitmaps, part * width, bitmaps, level * width, bits, first[v] + s * width, width)
                    if found <= (longest if level == depth else few):
                        _list_rows(bitmaps, part, width, lists, part * longest)
                if found == 0:
                    continue
                rest[level] -= found
                if level == depth:
                    counts[n_cells] = found
                    n_cells += 1
                else:
                    listed[part] = listed[level] or found <= few
                    level = part
                    state[level] = 0
                    inside[level] = rest[level] = found
                continue
            level -= 1
            if level + 1 < depth:
                continue
            # The configuration is parted by the states of the child: part it by those of each node as well.
            for a in range(last + 1):
                of_cells, of_totals = chosen[0, a], chosen[1, a]
                if n_cells == 1 and of_cells == of_totals:
                    continue  # what is certain adds nothing
                z = nodes[a] if a < last else child
                r = arities[z] if a < last else 1
                for k in range(r * n_cells):
                    table[k] = 0
                for k in range(n_cells):
                    left, part = counts[k], depth + 1 + k
                    if left <= few * (r - 1):
                        for i in range(part * longest, part * longest + left):
                            table[codes[z, lists[i]] * n_cells + k] += 1
                        continue
                    for s in range(r - 1):
                        found = and_count(bitmaps, part * width, bits, first[z] + s * width, width)
                        table[s * n_cells + k] = found
                        left -= found
                    table[(r - 1) * n_cells + k] = left
                value = 0.0
                for j in range(r):
                    total = 0
                    row = 0.0
                    for k in range(j * n_cells, (j + 1) * n_cells):
                        total += table[k]
                        if table[k] < tabled:
                            row += terms[of_cells * tabled + table[k]]
                        else:
                            row += log_gamma(table[k] + keys[of_cells, 1]) - keys[of_cells, 2]
                    if total < tabled:
                        value += row - terms[of_totals * tabled + total]
                    else:
                        value += row - (log_gamma(total + keys[of_totals, 1]) - keys[of_totals, 2])
                sums[a] += value
            n_cells = 0
        cost = penalty * (arities[child] - 1)
        for a in range(last):
            values[nodes[a]] = sums[a] - cost * (q * arities[nodes[a]])
        values[left_out if left_out >= 0 else child] = sums[last] - cost * q


@njit()
def _table_of(key, terms, keys, used, ess):
    for k in range(used[0]):
        if keys[k, 0] == key:
            return k
    k = used[0]
    prior = max(ess / key, LEAST)
    keys[k, 0], keys[k, 1], keys[k, 2] = key, prior, log_gamma(prior)
    used[0] += 1
    tabled = terms.shape[0] // keys.shape[0]
    for count in range(tabled):
        terms[k * tabled + count] = log_gamma(count + prior) - keys[k, 2]
    return k


@njit()
def _list_rows(bitmaps, at, width, out, end):
    """Write the numbers of the set bits to `out` from `end` on."""
    for w in range(width):
        word = bitmaps[at * width + w]
        while word:
            below = word - np.uint64(1)
            out[end] = 64 * w + np.int64(popcount(~word & below))
            end += 1
            word &= below
