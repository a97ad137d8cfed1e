"""Weights of rows: how often each row counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_weights(weights: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Weights as a read-only array, of int64 if all are whole numbers, else of float64.

    Raises
    ------
    ValueError
        If there is not one number for each row, or one is negative, infinite or missing, or all are 0.

    Examples
    --------
    >>> checked_weights([2.0, 1.0], 2), checked_weights([0.5, 1.0], 2)
    (array([2, 1]), array([0.5, 1. ]))
    """
    try:
        given = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("weights: one number for each row is needed, and some are none.") from None
    if given.shape != (n_rows,):
        raise ValueError(f"weights of shape {given.shape} for {n_rows:,} rows: one for each row is needed.")
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        raise ValueError(f"row {wrong[0]} has the weight {given[wrong[0]]}: a weight is a number, at least 0.")
    if n_rows and not given.any():
        raise ValueError("all weights are zero: some row must count.")
    found: NDArray[Any] = given.astype(np.int64) if (given == np.floor(given)).all() and given.sum() < 2**53 else given
    found.flags.writeable = False
    return found
