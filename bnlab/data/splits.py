"""Random splits of rows into training and test rows: holdout and folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.interrupts import run_interruptible
from bnlab._runtime.values import at_least

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]


def holdout(n: int, train: int, seed: int, stratify: ArrayLike | None = None) -> list[Split]:
    """Split n rows at random into `train` training rows and the other, test rows.

    Parameters
    ----------
    n, train : int
        0 < train < n.
    seed : int
    stratify : array_like of shape (n,), optional
        Labels that both parts have in the same proportions, up to one row each.

    Returns
    -------
    list of one (train_rows, test_rows)
        ndarrays of int, ascending.

    Raises
    ------
    ValueError
        If a part would be empty, the seed is negative, or `stratify` has another length.

    Examples
    --------
    >>> [(train, test)] = holdout(6, 4, seed=1, stratify=list("aaabbb"))
    >>> len(train), len(test)
    (4, 2)
    """
    if not 0 < train < n:
        raise ValueError(f"train={train} of n={n} rows: at least one row must be left on each side.")
    order = _shuffled(n, n, seed, stratify)
    # Every (n / train)-th row of the order: rows of one label are adjacent, so each label gets its share.
    chosen = np.diff(np.arange(n + 1) * train // n).astype(bool)
    in_train = np.empty(n, dtype=np.bool_)
    in_train[order] = chosen
    return [(np.flatnonzero(in_train), np.flatnonzero(~in_train))]


def five_fold(
    n: int, seed: int, stratify: ArrayLike | None = None, k: int = 5, *, every_row: bool = False
) -> list[Split]:
    """Split n rows into k folds of floor(n / k) rows for cross-validation; random remaining rows are left out.

    Parameters
    ----------
    n : int
    seed : int
    stratify : array_like of shape (n,), optional
        Labels that all folds have in the same proportions, up to one row each.
    k : int
        2 <= k <= n.
    every_row : bool
        Whether the remaining rows are distributed too, so that the sizes of the folds differ by one at most.

    Returns
    -------
    list of k (train_rows, test_rows)
        ndarrays of int, ascending.

    Raises
    ------
    ValueError
        If k is out of range, the seed is negative, or `stratify` has another length.

    Examples
    --------
    >>> [len(test) for _, test in five_fold(214, seed=0)]
    [42, 42, 42, 42, 42]
    >>> [len(test) for _, test in five_fold(214, seed=0, every_row=True)]
    [43, 43, 43, 43, 42]
    """
    if not 2 <= k <= n:
        raise ValueError(f"k={k} folds of n={n} rows: k must lie between 2 and the number of rows.")
    order = _shuffled(n, n if every_row else n - n % k, seed, stratify)
    fold = np.full(n, -1)
    fold[order] = np.arange(len(order)) % k
    return [(np.flatnonzero((fold >= 0) & (fold != j)), np.flatnonzero(fold == j)) for j in range(k)]


def _shuffled(n: int, keep: int, seed: int, stratify: ArrayLike | None) -> Rows:
    """Random order of `keep` of the n rows, grouped by label if labels are given."""
    rng = np.random.default_rng(at_least("seed", seed, 0))
    order: Rows = run_interruptible(rng.permutation, n)[:keep]
    if stratify is None:
        return order
    labels = np.asarray(stratify)
    if labels.shape != (n,):
        raise ValueError(f"stratify has the shape {labels.shape} for n={n} rows: one label a row is needed.")
    codes = run_interruptible(np.unique, labels, return_inverse=True)[1]
    grouped: Rows = order[run_interruptible(np.argsort, codes[order], kind="stable")]
    return grouped
