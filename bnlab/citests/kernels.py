"""Compiled sums over contingency tables: the G2 statistic and its adjusted degrees of freedom."""

# mypy: allow-untyped-defs
from __future__ import annotations

import math

import numpy as np

from bnlab._jit import njit
from bnlab.citests.tester import NOT_PERFORMED
from bnlab.counts.bitmaps import MAX_ARITY
from bnlab.counts.kernels import count_joint

COUNT_ROWS = -2.0
_TINY = 1e-300


@njit()
def g2_of_strata(table):
    """G2 and adjusted degrees of freedom of x and y given z, from counts of shape (strata of z, r_x, r_y).

    The sum is compensated (Neumaier), so that it does not depend on the order of states and variables: two variables
    that determine each other tie exactly, and the tie is decided by the rule for ties and not by rounding.
    """
    n_strata, r_x, r_y = table.shape
    row = np.empty(r_x, dtype=np.int64)
    column = np.empty(r_y, dtype=np.int64)
    half = 0.0
    lost = 0.0
    df = 0
    for z in range(n_strata):
        column[:] = 0
        total = 0
        rows_seen = 0
        for x in range(r_x):
            in_row = 0
            for y in range(r_y):
                in_row += table[z, x, y]
                column[y] += table[z, x, y]
            row[x] = in_row
            total += in_row
            rows_seen += in_row > 0
        columns_seen = 0
        for y in range(r_y):
            columns_seen += column[y] > 0
        if rows_seen < 2 or columns_seen < 2:
            continue
        df += (rows_seen - 1) * (columns_seen - 1)
        for x in range(r_x):
            if row[x] > 0:
                for y in range(r_y):
                    n = table[z, x, y]
                    if n > 0:
                        term = n * np.log(float(n) * float(total) / (float(row[x]) * float(column[y])))
                        new = half + term
                        lost += (half - new) + term if abs(half) >= abs(term) else (term - new) + half
                        half = new
    return max(2.0 * (half + lost), 0.0), df


@njit()
def g2_given(arities, first_bitmap, ones, bitmaps, bits_below, n_rows, rows_per_cell, x, y, z):
    """As `g2_of_strata`, from bitmaps of every block of rows (see `bnlab.counts.kernels.count_bitmaps`).

    The statistic is `NOT_PERFORMED` when the rows are fewer than `rows_per_cell` times the cells, and `COUNT_ROWS` when
    a table of so many variables does not have fewer cells than `bits_below`, or one of them has too many states.
    """
    variables = np.empty(z.shape[0] + 2, dtype=np.int64)
    variables[:-2] = z
    variables[-2], variables[-1] = x, y
    cells = 1.0  # as a float it cannot overflow
    states = 0
    for v in variables:
        cells *= arities[v]
        states = max(states, arities[v])
    if n_rows < rows_per_cell * cells:
        return NOT_PERFORMED, 0
    if states > MAX_ARITY or variables.shape[0] >= bits_below.shape[0] or cells >= bits_below[variables.shape[0]]:
        return COUNT_ROWS, 0
    codes = np.empty((0, n_rows), dtype=np.uint8)  # which only tell the number of rows
    none = np.empty(0, dtype=np.int64)
    table = count_joint(codes, none, arities, none, first_bitmap, ones, bitmaps, variables)
    return g2_of_strata(table.reshape((table.shape[0] // (arities[x] * arities[y]), arities[x], arities[y])))


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
def g2_of_pairs(tables, begins):
    """G2 and adjusted degrees of freedom of many pairs; pair f has the rows ``begins[f]:begins[f + 1]`` of `tables`.

    A row counts the states of y under one state of x.
    """
    n_pairs = begins.shape[0] - 1
    statistics = np.empty(n_pairs)
    dfs = np.empty(n_pairs, dtype=np.int64)
    for f in range(n_pairs):
        pair = tables[begins[f] : begins[f + 1]]
        statistics[f], dfs[f] = g2_of_strata(pair.reshape((1, pair.shape[0], pair.shape[1])))
    return statistics, dfs
