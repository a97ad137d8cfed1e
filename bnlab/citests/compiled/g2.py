"""Compiled sums over contingency tables: the G2 statistic, its adjusted degrees of freedom, and its p-value.

G2 is four sums of f(n) = n ln(n / N), over the cells of the table and of its margins. They are taken in whole multiples
of a unit, so that G2 does not depend on the order of states and variables: two variables that determine each other tie
exactly, and the tie is decided by the rule for ties and not by rounding.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnlab._runtime.jit import inner, njit
from bnlab.citests.tester import NOT_PERFORMED
from bnlab.counts.engine.bitmaps import MAX_ARITY
from bnlab.counts.engine.kernels import count_joint

_NEGLIGIBLE = 1e-12  # of the greatest probability

COUNT_ROWS = -2.0
UNKNOWN_VARIABLE = -3.0
MAX_TERMS = 1 << 16
_TINY = 1e-300
_GREATEST_SUM = 2.0**60


@njit()
def unit_of(n_rows):
    """Multiples of the unit in 1 nat, a power of two: so many that no sum over a table of `n_rows` overflows."""
    return 2.0 ** np.floor(np.log2(_GREATEST_SUM / (n_rows * np.log(n_rows + 1.0) + 1.0)))


@njit()
def write_terms(n_rows, unit, terms):
    """Fill `terms` with f(n) for n = 0, 1, ..."""
    for n in range(terms.shape[0]):
        terms[n] = _new_term(n, n_rows, unit)


@inner
def _new_term(n, n_rows, unit):
    return np.int64(np.rint(n * np.log(n / n_rows) * unit)) if n else np.int64(0)


@inner
def _term(n, n_rows, unit, terms):
    return terms[np.uint64(n)] if n < terms.shape[0] else _new_term(n, n_rows, unit)


@njit()
def g2_of_strata(table, n_rows, unit, terms):
    """G2 and adjusted degrees of freedom of x and y given z, from counts of shape (strata of z, r_x, r_y).

    `n_rows` is the sum of the counts or more, the same for all tables whose results are to tie; `unit` and `terms` are
    `unit_of` and `write_terms` of it, these in part or none.
    """
    strata, r_x, r_y = table.shape
    begins = np.arange(strata) * (r_x * r_y)
    numbers = n_rows, unit, terms
    return g2_of_cells(table.copy().reshape(table.size), begins, (r_x, r_y), (r_y, 1), numbers, np.empty(r_y, np.int64))


@inner
def g2_of_cells(cells, begins, arities, strides, numbers, column):
    """As `g2_of_strata`, of strata that begin at some cells, in which the states of x and y are `strides` apart.

    `numbers` are the number of rows, the unit and the terms; `column` is memory for an integer for each state of y.
    """
    (r_x, r_y), (of_x, of_y), (n_rows, unit, terms) = arities, strides, numbers
    half = 0
    df = 0
    for begin in begins:
        for y in range(r_y):
            column[y] = 0
        here = total = rows_seen = 0
        for x in range(r_x):
            at = begin + x * of_x
            in_row = 0
            for y in range(r_y):
                n = cells[np.uint64(at)]
                at += of_y
                in_row += n
                column[y] += n
                here += _term(n, n_rows, unit, terms)
            total += in_row
            rows_seen += in_row > 0
            here -= _term(in_row, n_rows, unit, terms)
        if rows_seen < 2:
            continue
        columns_seen = 0
        for y in range(r_y):
            columns_seen += column[y] > 0
            here -= _term(column[y], n_rows, unit, terms)
        if columns_seen > 1:
            df += (rows_seen - 1) * (columns_seen - 1)
            half += here + _term(total, n_rows, unit, terms)
    return max(2.0 * (half / unit), 0.0), df


@njit()
def expected_of_strata(table, n_rows, unit, terms):
    """Mean of `g2_of_strata` if x and y are independent given z and the margins of each stratum are as they are."""
    strata, r_x, r_y = table.shape
    begins = np.arange(strata) * (r_x * r_y)
    cells, numbers = table.copy().reshape(table.size), (n_rows, unit, terms)
    return expected_of_cells(cells, begins, (r_x, r_y), (r_y, 1), numbers, np.empty(r_y, np.int64))


@inner
def expected_of_cells(cells, begins, arities, strides, numbers, column):
    """As `expected_of_strata`, of cells as those of `g2_of_cells`.

    A count is then hypergeometric, and G2 a sum of terms of one count each.
    """
    (r_x, r_y), (of_x, of_y), (n_rows, unit, terms) = arities, strides, numbers
    half = 0
    for begin in begins:
        total = greatest = 0
        for y in range(r_y):
            column[y] = 0
            for x in range(r_x):
                column[y] += cells[begin + x * of_x + y * of_y]
            total += column[y]
            greatest = max(greatest, column[y])
        if greatest == total:  # 0, too; numpy's max() takes a tenth of the first skeleton's wait
            continue
        here = _term(total, n_rows, unit, terms)
        for y in range(r_y):
            here -= _term(column[y], n_rows, unit, terms)
        for x in range(r_x):
            in_row = 0
            for y in range(r_y):
                in_row += cells[begin + x * of_x + y * of_y]
            if in_row == 0:
                continue
            here -= _term(in_row, n_rows, unit, terms)
            for y in range(r_y):
                if column[y] > 0:
                    smaller, greater = min(in_row, column[y]), max(in_row, column[y])
                    here += _expected_term(total, smaller, greater, n_rows, unit, terms)
        half += here
    return max(2.0 * (half / unit), 0.0)


@inner
def _expected_term(total, a, b, n_rows, unit, terms):
    """Mean of f(n) for the number n of `a` rows, drawn from `total`, that are among `b` of these."""
    low = max(0, a + b - total)
    mode = min(max((a + 1) * (b + 1) // (total + 2), low), a)
    weights, weighted = 1.0, float(_term(mode, n_rows, unit, terms))
    weight = 1.0
    for n in range(mode + 1, a + 1):
        weight *= (a - n + 1.0) * (b - n + 1.0) / (n * (total - a - b + n))
        if weight < _NEGLIGIBLE:
            break
        weights += weight
        weighted += weight * _term(n, n_rows, unit, terms)
    weight = 1.0
    for n in range(mode - 1, low - 1, -1):
        weight *= (n + 1.0) * (total - a - b + n + 1.0) / ((a - n) * (b - n))
        if weight < _NEGLIGIBLE:
            break
        weights += weight
        weighted += weight * _term(n, n_rows, unit, terms)
    return np.int64(np.rint(weighted / weights))


@njit()
def g2_given(arities, first_bitmap, ones, bitmaps, bits_below, n_rows, rows_per_cell, unit, terms, x, y, z):
    """As `g2_of_strata`, from bitmaps of every block of rows (see `bnlab.counts.engine.kernels.count_bitmaps`).

    The statistic is `NOT_PERFORMED` when the rows are fewer than `rows_per_cell` times the cells, and `COUNT_ROWS` when
    a table of so many variables does not have fewer cells than `bits_below`, or one of them has too many states. It is
    `UNKNOWN_VARIABLE` when one of them does not exist.
    """
    variables = np.empty(z.shape[0] + 2, dtype=np.int64)
    for k in range(z.shape[0]):  # `variables[:-2] = z` compiles for seconds: the texts of an error of shapes
        variables[k] = z[k]
    variables[-2], variables[-1] = x, y
    cells = 1.0  # as a float it cannot overflow
    states = 0
    for v in variables:
        if not 0 <= v < arities.shape[0]:
            return UNKNOWN_VARIABLE, 0
        cells *= arities[v]
        states = max(states, arities[v])
    if n_rows < rows_per_cell * cells:
        return NOT_PERFORMED, 0
    if states > MAX_ARITY or variables.shape[0] >= bits_below.shape[0] or cells >= bits_below[variables.shape[0]]:
        return COUNT_ROWS, 0
    table = count_joint(arities, first_bitmap, ones, bitmaps, n_rows, variables)
    r_x, r_y = arities[x], arities[y]
    begins = np.arange(0, table.shape[0], r_x * r_y)
    return g2_of_cells(table, begins, (r_x, r_y), (r_y, 1), (n_rows, unit, terms), np.empty(r_y, dtype=np.int64))


@njit()
def log_upper_gamma_ratio(a, x):
    """Logarithm of Gamma(a, x) / Gamma(a) for x well above a, by its continued fraction (modified Lentz)."""
    b = x + 1.0 - a
    c = 1.0 / _TINY
    d = 1.0 / b
    h = d
    for i in range(1, 10_000):
        numerator = -i * (i - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if d != 0.0 else _TINY)
        c = b + numerator / c
        c = c if c != 0.0 else _TINY
        h *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return -x + a * math.log(x) - math.lgamma(a) + math.log(h)


@njit()
def g2_of_pairs(tables, begins, n_rows, unit, terms):
    """G2 and adjusted degrees of freedom of many pairs; pair f has the rows ``begins[f]:begins[f + 1]`` of `tables`.

    A row counts the states of y under one state of x.
    """
    n_pairs = begins.shape[0] - 1
    statistics = np.empty(n_pairs)
    dfs = np.empty(n_pairs, dtype=np.int64)
    for f in range(n_pairs):
        pair = tables[begins[f] : begins[f + 1]]
        strata = pair.reshape((1, pair.shape[0], pair.shape[1]))
        statistics[f], dfs[f] = g2_of_strata(strata, n_rows, unit, terms)
    return statistics, dfs
