"""Compiled sum of the log-likelihood over tables."""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit


@njit()
def log_likelihoods(cells, begins, arity):
    """Sum of N_ijk log(N_ijk / N_ij) over the cells of each family f, a row of ``arity[f]`` a parent configuration.

    Its cells begin at ``begins[f]`` and end where those of the next family begin.
    """
    n_families = begins.shape[0]
    values = np.empty(n_families)
    for f in range(n_families):
        value = 0.0
        r = arity[f]
        for row in range(begins[f], begins[f + 1] if f + 1 < n_families else cells.shape[0], r):
            total = 0
            for k in range(r):
                total += cells[row + k]
            for k in range(r):
                count = cells[row + k]
                if 0 < count < total:
                    value += count * np.log(count / total)
        values[f] = value
    return values
