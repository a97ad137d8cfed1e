"""Batches of G2 tests: of one variable with many others given the same set, or given one set after the other.

G2 is a sum of the terms n ln(n / N) of counts n. The terms are taken in whole multiples of a unit, so that G2 does not
depend on the order of states and variables: two variables that determine each other tie exactly, and the rule for ties
decides instead of rounding.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log
from typing import NamedTuple

import numpy as np

from bnlab.engine.compiled import ZERO, compiled, inner
from bnlab.engine.rows import append, cross, have_bits, write_masks

MAX_TERMS = 1 << 16  # terms in memory
CELLS_TOGETHER = 1 << 15  # cells of the tables of tests that are made together
NEGLIGIBLE = 1e-12  # of the greatest probability
GREATEST_SUM = 2.0**60
TINY = 1e-300
NOT_PERFORMED, UNDECIDED = -1.0, -2.0  # strength of a test with too few rows, and of one that decides nothing
FEW_ROWS_PER_DF, LOG_FEW_ROWS_ALPHA = 10.0, log(0.15)  # what a test with too few rows needs to find independence
MASK_NS, WORD_NS, ROW_NS = 2.5, 0.1, 0.6  # costs of a cell by masks, of each of its words, of a row of a histogram


class Terms(NamedTuple):
    """Terms of counts n among N rows, in units."""

    n_rows: int
    unit: float  # units in a nat, a power of two: so many that no sum overflows
    of_counts: np.ndarray  # (at most N + 1,) int64: terms of 0, 1, ...


@lru_cache(maxsize=16)
def terms_of(n_rows: int) -> Terms:
    """Terms for tables of `n_rows` rows."""
    unit = float(2.0 ** np.floor(np.log2(GREATEST_SUM / (n_rows * np.log(n_rows + 1.0) + 1.0))))
    counts = np.arange(min(n_rows + 1, MAX_TERMS), dtype=np.float64)
    counts[1:] *= np.log(counts[1:] / n_rows)
    return Terms(n_rows, unit, np.rint(counts * unit).astype(np.int64))


class G2Rules(NamedTuple):
    """How a test decides: see `bnlab.citests.G2Tester`."""

    plain: bool  # degrees of freedom of the declared states, not of those that occur
    rows_per_cell: float  # a test given a set that has fewer has too few rows
    least: float  # rows per cell below which no test is performed
    mean_below: float  # rows per cell below which the degrees of freedom are the mean of G2
    mean_below_given: float  # the same for tests given a set
    log_alpha: float
    log_separating: float


@compiled
def g2_batch(table, terms, rules, variables, begins, stop, results):
    """Make tests; test i has the variables ``variables[begins[i]:begins[i + 1]]``: a set, then x, then y.

    Written to ``results[i]`` are G2 in nats, its degrees of freedom, and the strength of dependence. Tests that follow
    each other with the same set and x are counted together. With `stop`, none is made after the first of strength 0.
    Returns how many were made.
    """
    m, last = begins.shape[0] - 1, 0
    others = np.empty(m, dtype=np.int64)
    while last < m:
        first, family = last, variables[begins[last] : begins[last + 1] - 1]
        size, states = np.int64(1), np.int64(0)
        for v in family:
            size *= table.arities[v]
        while last < m and is_same(family, variables[begins[last] : begins[last + 1] - 1]):
            y = variables[begins[last + 1] - 1]
            if states and (states + table.arities[y]) * size > CELLS_TOGETHER:
                break
            others[last], states = y, states + table.arities[y]
            last += 1
        counts = count_group(table, family, size, others[first:last], states)
        at, r_x = 0, table.arities[family[-1]]
        for i in range(first, last):
            of_y = counts[at : at + table.arities[others[i]]]
            at += of_y.shape[0]
            cells = size * of_y.shape[0]
            # One by one: numba takes two seconds to compile the assignment of a tuple to a row.
            results[i, 0], results[i, 1], results[i, 2] = outcome(of_y, r_x, cells, family.shape[0] > 1, terms, rules)
            if stop and results[i, 2] == 0.0:
                return i + 1
    return m


@compiled
def outcome(counts, r_x, cells, given, terms, rules):
    """G2 in nats, its degrees of freedom, and the strength of dependence, from counts as for `g2`.

    `cells` are those of the whole table; the counts may leave out strata without rows.
    """
    r_y = counts.shape[0]
    statistic, df = g2(counts, r_x, terms)
    freedom, rows_per_cell = float(df), terms.n_rows / cells
    if rules.plain:
        freedom = (r_x - 1.0) * (r_y - 1.0) * (cells // (r_x * r_y))
    elif rows_per_cell < (rules.mean_below_given if given else rules.mean_below):
        freedom = expected_g2(counts, r_x, terms)
    return statistic, freedom, strength(statistic, freedom, rows_per_cell, given, terms.n_rows, rules)


@inner
def strength(statistic, df, rows_per_cell, given, n_rows, rules):
    """Strength of dependence: -ln p, 0 for independence, `NOT_PERFORMED` or `UNDECIDED`."""
    few_rows = given and rows_per_cell < rules.rows_per_cell
    if df == 0.0 and given and rules.least < rules.rows_per_cell:
        return NOT_PERFORMED if few_rows else UNDECIDED
    log_p = log_p_value(statistic, df)
    if log_p <= rules.log_alpha:
        return -log_p
    if few_rows:
        has_power = df * FEW_ROWS_PER_DF <= n_rows
        return 0.0 if has_power and log_p > LOG_FEW_ROWS_ALPHA else NOT_PERFORMED
    return UNDECIDED if given and log_p <= rules.log_separating else 0.0


@compiled
def log_p_value(statistic, df):
    """Logarithm of the upper tail of chi-square, ln(Γ(a, x) / Γ(a)) for a = df / 2 and x = statistic / 2.

    By a series for the lower tail up to x = a + 1, and by a continued fraction (modified Lentz) above it.
    """
    a, x = df / 2.0, statistic / 2.0
    if a == 0.0 or x <= 0.0:
        return 0.0
    front = a * np.log(x) - x - lgamma(a)
    if x < a + 1.0:
        term = total = 1.0 / a
        k = a
        while term > total * 1e-17:
            k += 1.0
            term *= x / k
            total += term
        return np.log1p(-total * np.exp(front))
    b = x + 1.0 - a
    c, d = 1.0 / TINY, 1.0 / b
    h = d
    for i in range(1, 10_000):
        numerator = -i * (i - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if d != 0.0 else TINY)
        c = b + numerator / c
        c = c if c != 0.0 else TINY
        h *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return front + np.log(h)


@inner
def is_same(a, b):
    """Whether two arrays are equal."""
    if a.shape[0] != b.shape[0]:
        return False
    same = True
    for i in range(a.shape[0]):
        same = same and a[i] == b[i]
    return same


@inner
def count_group(table, family, size, others, states):
    """Rows with each of all `states` of some variables in each of the `size` joint states of a family.

    The result has shape (states, size); the last variable of the family varies fastest.
    """
    n_rows, words = table.codes.shape[1], table.bits.shape[1]
    counts = np.zeros((states, size), dtype=np.int64)
    by_masks = size * (states + 2.0) * (words * WORD_NS + MASK_NS)
    by_rows = n_rows * (others.shape[0] + 0.3 * family.shape[0]) * ROW_NS
    if by_masks < by_rows and have_bits(table, family) and have_bits(table, others):
        masks, places = np.empty((size, words), dtype=np.uint64), np.empty(states, dtype=np.int64)
        at = 0
        for y in others:
            for s in range(table.arities[y]):
                places[at] = table.first[y] + s
                at += 1
        write_masks(table, family, ZERO, words, masks)
        cross(table.bits, places, ZERO, words, masks, counts)
        return counts
    cells, code = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows, dtype=np.uint32)
    for v in family:
        append(table.codes[v], np.uint32(table.arities[v]), cells)
    at = 0
    for y in others:
        flat, column = counts[at : at + table.arities[y]].reshape(-1), table.codes[y]
        for i in range(n_rows):
            code[i] = column[i] * np.uint32(size) + cells[i]
        for i in range(n_rows):
            flat[code[i]] += 1
        at += table.arities[y]
    return counts


@inner
def term(n, terms):
    """Term of a count."""
    if n < terms.of_counts.shape[0]:
        return terms.of_counts[n]
    return np.int64(np.rint(n * np.log(n / terms.n_rows) * terms.unit))


@inner
def add_margins(counts, begin, in_cell, in_state):
    """Write the rows of each state of x and of y in the stratum that begins with this cell."""
    for x in range(in_cell.shape[0]):
        in_cell[x] = 0
    for s in range(counts.shape[0]):
        total = np.int64(0)
        for x in range(in_cell.shape[0]):
            in_cell[x] += counts[s, begin + x]
            total += counts[s, begin + x]
        in_state[s] = total


@compiled
def g2(counts, r_x, terms):
    """G2 in nats and its adjusted degrees of freedom.

    Row s of `counts` (states of y, cells) has the counts of state s of y in each cell; the cells are joint states of
    the given variables and x, which has `r_x` states and varies fastest. A stratum is a joint state of the given ones.
    """
    in_cell, in_state = np.empty(r_x, dtype=np.int64), np.empty(counts.shape[0], dtype=np.int64)
    half = df = np.int64(0)
    for begin in range(0, counts.shape[1], r_x):
        add_margins(counts, begin, in_cell, in_state)
        here = rows = seen_x = seen_y = np.int64(0)
        for x in range(r_x):
            rows += in_cell[x]
            seen_x += in_cell[x] > 0
            here -= term(in_cell[x], terms)
        if seen_x < 2:
            continue
        for s in range(counts.shape[0]):
            if in_state[s] > 0:
                seen_y += 1
                here -= term(in_state[s], terms)
                for c in range(begin, begin + r_x):
                    here += term(counts[s, c], terms)
        if seen_y > 1:
            df += (seen_x - 1) * (seen_y - 1)
            half += here + term(rows, terms)
    return max(2.0 * (half / terms.unit), 0.0), df


@inner
def distinct(margins, values, times):
    """Write the distinct margins that are not 0, and how often each occurs; returns how many they are."""
    m = 0
    for margin in margins:
        k = 0
        while k < m and values[k] != margin:
            k += 1
        if k == m and margin > 0:
            values[k], times[k] = margin, 0
            m += 1
        if margin > 0:
            times[k] += 1
    return m


@compiled
def expected_g2(counts, r_x, terms):
    """Mean of `g2` if x and y are independent in each stratum, with the margins as they are.

    A count is then hypergeometric, and G2 is a sum of terms of one count each. In strata of few rows most margins are
    equal, so the mean of each term is found once for all cells with the same margins.
    """
    r_y = counts.shape[0]
    half, in_cell, in_state = np.int64(0), np.empty(r_x, dtype=np.int64), np.empty(r_y, dtype=np.int64)
    of_x, times_x = np.empty(r_x, dtype=np.int64), np.empty(r_x, dtype=np.int64)
    of_y, times_y = np.empty(r_y, dtype=np.int64), np.empty(r_y, dtype=np.int64)
    for begin in range(0, counts.shape[1], r_x):
        add_margins(counts, begin, in_cell, in_state)
        n_x, n_y = distinct(in_cell, of_x, times_x), distinct(in_state, of_y, times_y)
        if n_y == 0 or (n_y == 1 and times_y[0] == 1):
            continue
        rows = here = np.int64(0)
        for i in range(n_x):
            rows += times_x[i] * of_x[i]
            here -= times_x[i] * term(of_x[i], terms)
        for k in range(n_y):
            here -= times_y[k] * term(of_y[k], terms)
            for i in range(n_x):
                a, b = min(of_x[i], of_y[k]), max(of_x[i], of_y[k])
                here += times_x[i] * times_y[k] * expected_term(rows, a, b, terms)
        half += here + term(rows, terms)
    return max(2.0 * (half / terms.unit), 0.0)


@inner
def expected_term(rows, a, b, terms):
    """Mean of the term of n, where n of `a` rows, drawn from all rows, are among `b` of these."""
    low = max(0, a + b - rows)
    mode = min(max((a + 1) * (b + 1) // (rows + 2), low), a)
    weights, weighted, weight = 1.0, float(term(mode, terms)), 1.0
    for n in range(mode + 1, a + 1):
        weight *= (a - n + 1.0) * (b - n + 1.0) / (n * (rows - a - b + n))
        if weight < NEGLIGIBLE:
            break
        weights += weight
        weighted += weight * term(n, terms)
    weight = 1.0
    for n in range(mode - 1, low - 1, -1):
        weight *= (n + 1.0) * (rows - a - b + n + 1.0) / ((a - n) * (b - n))
        if weight < NEGLIGIBLE:
            break
        weights += weight
        weighted += weight * term(n, terms)
    return np.int64(np.rint(weighted / weights))
