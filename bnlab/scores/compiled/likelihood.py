"""Compiled sum of the log-likelihood over tables."""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np

from bnlab._runtime.jit import njit


@njit()
def log_likelihoods(table, first):
    """Sum of N_ijk log(N_ijk / N_ij) over each family of a `FamilyBatch`."""
    n_families, r = first.shape[0], table.shape[1]
    values = np.empty(n_families)
    for f in range(n_families):
        value = 0.0
        for j in range(first[f], first[f + 1] if f + 1 < n_families else table.shape[0]):
            total = greatest = 0
            for k in range(r):
                total += table[j, k]
                greatest = max(greatest, table[j, k])
            if greatest == total:
                continue  # without rows, or with one state alone, the term is 0
            for k in range(r):
                count = table[j, k]
                if count > 0:
                    value += count * np.log(count / total)
        values[f] = value
    return values
