"""Counts of families with so many parent configurations that only those that occur are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.budget import check_memory
from bnlab.counts.types import Family, FamilyCounts

BYTES_A_CELL = 16
"""In its own table and in the table of its batch."""


def count_sparse(family: Family, column: Callable[[int], NDArray[Any]], arities: Sequence[int]) -> FamilyCounts:
    """Count a family by sorting the codes of its parent configurations.

    Parameters
    ----------
    family : (child, parents)
        Indices.
    column : callable
        Returns the codes of a variable, shape (rows,).
    arities : sequence of int
        Of all variables.

    Raises
    ------
    ValueError
        If the parent configurations are too many to number, or those that occur need too much memory.

    Examples
    --------
    >>> columns = np.array([[0, 1, 1], [5, 0, 5]])
    >>> count_sparse((0, (1,)), columns.__getitem__, (2, 9)).configurations.tolist()
    [0, 5]
    """
    child, parents = family
    outcome, r = column(child), arities[child]
    codes = np.zeros(len(outcome), dtype=np.int64)
    parent_arities = tuple(arities[p] for p in parents)
    reach = 1
    for parent, arity in zip(parents, parent_arities, strict=True):
        reach *= arity
        if reach > np.iinfo(np.int64).max:
            raise ValueError(
                f"family {family}: {reach:.3g} or more parent configurations are too many to number "
                f"(the limit is 2**63); use fewer parents"
            )
        codes *= arity
        codes += column(parent)
    configurations, where = np.unique(codes, return_inverse=True)
    check_memory(
        BYTES_A_CELL * len(configurations) * r,
        f"a table of the {len(configurations):,} parent configurations that occur in family {family}, over {r:,} "
        "states of the child,",
        "use fewer parents, or variables of fewer states",
    )
    table = np.bincount(where.ravel() * r + outcome, minlength=len(configurations) * r).reshape(-1, r)
    return FamilyCounts(table.astype(np.int64, copy=False), configurations, parent_arities)
