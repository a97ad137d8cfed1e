"""What the reruns of both papers on classifiers share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bnlab.counts.types import IntArray
from bnlab.experiments.carvalho2009.rows import Fold
from bnlab.graphs import Dag
from bnlab.learners.types import ParentTuples

NO_CLASS = "none"
"""Column of test rows that got no class, and row of those whose class training never saw."""


def printed_accuracies(table: pd.DataFrame, item: str) -> pd.DataFrame:
    """A paper's table in the columns that `bnlab.experiments.rerun.beside` takes; `item` names what is compared."""
    return pd.DataFrame(
        {
            "group": table.dataset,
            "item": table[item],
            "published": table.accuracy,
            "low": table.accuracy - table.half_width,
            "high": table.accuracy + table.half_width,
        }
    )


def confusion(folds: Iterable[tuple[Fold, IntArray]]) -> pd.DataFrame:
    """Test rows of all folds by their class and the predicted one.

    Parameters
    ----------
    folds : iterable of (Fold, ndarray of int, shape (n_test,))
        Each with the predicted codes; a negative code is no class.

    Returns
    -------
    DataFrame of int
        Rows are the true classes, columns the predicted ones.
    """
    parts = [pd.crosstab(_named(fold, fold.labels), _named(fold, predicted)) for fold, predicted in folds]
    states = list(dict.fromkeys(name for part in parts for name in (*part.index, *part.columns)))
    order = [*sorted(name for name in states if name != NO_CLASS), *(name for name in states if name == NO_CLASS)]
    total = sum(part.reindex(index=order, columns=order, fill_value=0) for part in parts)
    assert isinstance(total, pd.DataFrame)
    kept = [name for name in order if name != NO_CLASS]
    rows = [*kept, *(name for name in order if name == NO_CLASS and total.loc[name].any())]
    columns = [*kept, *(name for name in order if name == NO_CLASS and total[name].any())]
    return total.loc[rows, columns].rename_axis(index="class", columns="predicted")


def _named(fold: Fold, codes: IntArray) -> IntArray:
    states = [*map(str, fold.train.variables[-1].states), NO_CLASS]
    return np.array(states, dtype=object)[np.where(codes < 0, -1, codes)]


def attribute_graph(fold: Fold, structure: ParentTuples) -> Dag:
    """Structure over the attributes alone: the class, one more parent of each, is left out.

    Raises
    ------
    ValueError
        If it has a cycle.
    """
    names = fold.train.names[:-1]
    return Dag(names, [[p for p in parents if p < len(names)] for parents in structure[: len(names)]])


def hits_in_words(hits: int, n_test: int) -> str:
    """Accuracy in words.

    Examples
    --------
    >>> hits_in_words(4153, 5000)
    '4,153 of 5,000 test rows right, 83.06 %'
    """
    return f"{hits:,} of {n_test:,} test rows right, {100 * hits / n_test:.2f} %"
