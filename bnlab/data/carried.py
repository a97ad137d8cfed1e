"""What rows carry beside their values: the variables that were set from outside in each, and how often each counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.names import nearest

Interventions: TypeAlias = Mapping[str, NDArray[np.bool_]]
"""For each variable that was set in some row, in their order: whether it was set in each row, shape (N,)."""


def interventions_of(
    targets: str | Sequence[Any] | Mapping[str, ArrayLike] | None, names: Sequence[str], n_rows: int
) -> Interventions:
    """Interventions from what `bnlab.data.Table.with_interventions` takes, with its errors.

    Parameters
    ----------
    targets : str, sequence of n_rows values, mapping, or None
    names : sequence of str
        The variables.
    n_rows : int

    Examples
    --------
    >>> some = interventions_of(["", "rain", "rain; grass"], ["grass", "rain"], 3)
    >>> some["rain"], some["grass"], texts_of(some)
    (array([False,  True,  True]), array([False, False,  True]), ['', 'rain', 'grass; rain'])
    """
    if targets is None:
        return {}
    if isinstance(targets, Mapping):
        for name in targets:
            if name not in names:
                raise ValueError(f"no variable is called {name!r}: {nearest(name, names)}")
        was_set = {name: _checked_flags(name, rows, n_rows) for name, rows in targets.items()}
        return {name: was_set[name] for name in names if name in was_set}
    values = [targets] * n_rows if isinstance(targets, str) else list(targets)
    if len(values) != n_rows:
        raise ValueError(f"{len(values)} interventions for {n_rows} rows: one for each row is needed.")
    known: dict[Any, set[str]] = {}
    found: dict[str, NDArray[np.bool_]] = {}
    for row, value in enumerate(values):
        key = value if isinstance(value, str) else tuple(value) if isinstance(value, (tuple, list, set)) else None
        if key is None and not _is_missing(value):
            raise ValueError(f"intervention {value!r} is no text: name the intervened variable of each row.")
        if key not in known:
            known[key] = _names(key, names)
        for name in known[key]:
            found.setdefault(name, np.zeros(n_rows, dtype=np.bool_))[row] = True
    return {name: found[name] for name in names if name in found}


def joined(parts: Sequence[tuple[Interventions, int]], names: Iterable[str]) -> Interventions:
    """Interventions of concatenated tables, from those of each table and its number of rows."""
    return {
        name: np.concatenate([part.get(name, np.zeros(n_rows, dtype=np.bool_)) for part, n_rows in parts])
        for name in names
        if any(name in part for part, _ in parts)
    }


def texts_of(interventions: Interventions) -> list[str]:
    """Names of the variables set in each row, separated by semicolons; empty if the row was only observed."""
    rows = zip(*(was_set.tolist() for was_set in interventions.values()), strict=True)
    return ["; ".join(compress(interventions, row)) for row in rows]


def experiments_of(interventions: Interventions, rows: NDArray[np.intp]) -> dict[frozenset[str], NDArray[np.intp]]:
    """Group some rows by the variables that were set in them; the empty set stands for rows that were only observed.

    Examples
    --------
    >>> some = interventions_of(["", "rain", "rain; grass", "rain"], ["grass", "rain"], 4)
    >>> {"+".join(sorted(names)): rows.tolist() for names, rows in experiments_of(some, np.arange(4)).items()}
    {'': [0], 'rain': [1, 3], 'grass+rain': [2]}
    """
    found: dict[frozenset[str], NDArray[np.intp]] = {frozenset(): rows}
    for name, was_set in interventions.items():
        for names, group in list(found.items()):
            there = was_set[group]
            found[names], found[names | {name}] = group[~there], group[there]
    return {names: group for names, group in found.items() if len(group)}


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _names(value: str | tuple[str, ...] | None, names: Sequence[str]) -> set[str]:
    if value is None:
        return set()
    if isinstance(value, str) and value not in names:
        value = tuple(part for part in map(str.strip, re.split("[,;]", value)) if part)
    found = {value} if isinstance(value, str) else set(value)
    for name in found:
        if name not in names:
            raise ValueError(f"intervention on {name!r}: no variable is called so; {nearest(name, names)}")
    return found


def _checked_flags(name: str, rows: ArrayLike, n_rows: int) -> NDArray[np.bool_]:
    """Whether a variable was set in each row; ValueError unless that is n_rows times true or false, or 1 or 0."""
    given = np.asarray(rows)
    if given.shape != (n_rows,):
        raise ValueError(f"interventions on {name!r}: shape {given.shape}, but one for each row is needed.")
    for row, value in enumerate(given.tolist()):
        if not isinstance(value, int | float) or value not in (0, 1):
            raise ValueError(f"interventions on {name!r}: {value!r} in row {row} is neither true nor false.")
    return given.astype(np.bool_)


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
