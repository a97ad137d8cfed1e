"""Feature matrices to codes of known states; a value that training never saw has no code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bnlab.counts.family import IntArray
from bnlab.data.table import Table
from bnlab.data.variable import Variable

UNSEEN = -1


def training_table(X: Any, y: Any) -> Table:
    """Table of the attributes followed by the class, whose name is that of `y` or "class".

    Categorical columns keep their declared states; so does a categorical `y`.

    Raises
    ------
    ValueError
        When a column is continuous or has missing values, when the class has a single state, or when an
        attribute bears the name of the class.
    """
    frame = as_frame(X)
    labels = pd.Series(y).reset_index(drop=True)
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) else "class"
    if name in frame.columns:
        raise ValueError(f"an attribute is called {name!r}, as the class is: rename it or leave it out")
    if len(labels) != len(frame):
        raise ValueError(f"X has {len(frame)} rows and y {len(labels)}: each row needs one class")
    table = Table.from_pandas(frame.reset_index(drop=True).assign(**{name: labels}), target=name)
    states = np.unique(table.column(name))
    if len(states) < 2:
        only = table.variables[-1].states[states[0]]
        raise ValueError(f"every row is of the class {only!r}: a classifier needs rows of at least two classes")
    return table


def as_frame(X: Any) -> pd.DataFrame:
    """DataFrame of a feature matrix; an array's columns become x0, x1, ..., its whole numbers integers."""
    if isinstance(X, pd.DataFrame):
        return X
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimensions: rows and columns are needed. Reshape your data.")
    frame = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        return frame.astype(np.int64)
    return frame


def encode(X: Any, variables: Sequence[Variable]) -> IntArray:
    """Codes of the attributes' values.

    Returns
    -------
    ndarray of int64, shape (n_attributes, N)
        `UNSEEN` where the value (or a missing one) is none of the variable's states.

    Raises
    ------
    ValueError
        When X has other columns than the training data.
    """
    frame = as_frame(X)
    names = [v.name for v in variables]
    if frame.shape[1] != len(names):
        raise ValueError(
            f"X has {frame.shape[1]} features, but the classifier is expecting {len(names)} features as input"
        )
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ValueError(f"X lacks the columns {missing} that the classifier was trained on")
    return np.stack([_codes(frame[v.name], v) for v in variables]) if names else np.empty((0, len(frame)), np.int64)


def _codes(column: pd.Series, variable: Variable) -> IntArray:
    states = pd.Index(variable.states, dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):
        positions = states.get_indexer(column.cat.categories.astype(object))
        codes = np.append(positions, UNSEEN)[column.cat.codes.to_numpy()]
    elif column.dtype.kind in "iub":
        distinct, where = np.unique(column.to_numpy(), return_inverse=True)
        codes = states.get_indexer(distinct.astype(object))[where]
    else:
        codes = states.get_indexer(column.astype(object))
    return np.asarray(codes, dtype=np.int64)
