"""Codes of feature matrices, with `UNSEEN` for values that are not in the training data, and `MISSING`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils import column_or_1d

from bnlab.counts.types import IntArray
from bnlab.data.carried import checked_weights
from bnlab.data.encode import codes_in, is_whole
from bnlab.data.table import Table
from bnlab.data.variable import Variable

UNSEEN, MISSING = -1, -2


def training_table(frame: pd.DataFrame, y: Any, sample_weight: Any = None) -> Table:
    """Table of the attributes followed by the class, whose name is that of `y` or "class".

    Rows of weight 0 are left out, so that the values that only they have are unseen.

    Categorical columns keep their declared states; so does a categorical `y`. Whole numbers in `y` become integers.

    Raises
    ------
    ValueError
        If a column is continuous, the class is missing in a row or has a single state, or an attribute has the name of
        the class.
    """
    labels = _as_series(y)
    name = labels.name if isinstance(labels.name, str) else "class"
    if name in frame.columns:
        raise ValueError(f"an attribute is called {name!r}, as the class is: rename it or leave it out")
    if len(labels) != len(frame):
        raise ValueError(f"X has {len(frame)} rows and y {len(labels)}: each row needs one class")
    weights = None if sample_weight is None else checked_weights(sample_weight, len(frame))
    if weights is not None:
        kept = weights > 0
        frame, labels, weights = frame[kept], labels[kept], weights[kept]
    try:
        table = Table.from_pandas(frame.assign(**{name: labels.set_axis(frame.index)}), missing="keep", target=name)
    except (TypeError, ValueError):
        _refuse_missing(frame, labels, name)
        raise
    if table.has_gaps:
        _refuse_missing(frame, labels, name)
    classes = table.column(name)
    if (classes == classes[0]).all():
        only = table.variables[-1].states[classes[0]]
        raise ValueError(f"every row is of one class, {only!r}: a classifier needs rows of at least two classes")
    return table.with_weights(weights)


def _refuse_missing(frame: pd.DataFrame, labels: pd.Series, name: str) -> None:
    """Refuse a class that is missing in some rows, and an attribute that is missing in all of them."""
    if labels.isna().any():
        raise ValueError(f"the class {name!r} is missing in {labels.isna().sum():,} rows: leave these rows out")
    never = [column for column, values in frame.items() if values.array.isna().all()]
    if never:
        raise ValueError(f"the attribute {never[0]!r} is missing in every row: leave it out")


def as_frame(X: Any) -> pd.DataFrame:
    """DataFrame of a feature matrix; columns of whole numbers become integers.

    Columns are named x0, x1, ... for an array, and for a DataFrame if none of its names is a string.

    Raises
    ------
    ValueError
        If X has no rows or no columns, is complex, or has an infinite value.
    TypeError
        If X is sparse.
    """
    frame = X if isinstance(X, pd.DataFrame) else _as_matrix(X)
    if 0 in frame.shape:
        what = "feature" if len(frame) else "sample"
        raise ValueError(f"Found array with 0 {what}(s) (shape={frame.shape}) while a minimum of 1 is required.")
    if any(dtype.kind == "f" for dtype in frame.dtypes):
        frame = frame.apply(_whole_as_nullable)
    if any(isinstance(name, str) for name in frame.columns):
        return frame
    return frame.set_axis([f"x{j}" for j in range(frame.shape[1])], axis=1)


def _as_matrix(X: Any) -> pd.DataFrame:
    if issparse(X):
        raise TypeError("sparse data were passed as X: the classifiers take arrays and DataFrames; use X.toarray()")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimensions: rows and columns are needed. Reshape your data.")
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: attributes are strings, integers, booleans or categoricals")
    return pd.DataFrame(array).infer_objects()


def _whole_as_nullable(column: pd.Series) -> pd.Series:
    """Column of floats as nullable integers if all known values are whole; other columns unchanged."""
    if column.dtype.kind != "f":
        return column
    if np.isinf(column.dropna()).any():
        raise ValueError(f"X contains infinity in column {column.name!r}: a missing value is NaN, None or pandas.NA")
    return column.astype("Int64") if is_whole(column) else column


def _as_series(y: Any) -> pd.Series:
    """Class of each row; a column vector is accepted with a warning."""
    if y is None:
        raise ValueError("the classifier requires y to be passed, but the target y is None")
    if not isinstance(y, pd.DataFrame | pd.Series | pd.Index | pd.Categorical | list | tuple):
        y = np.asarray(y)
        if y.ndim == 0:
            value = repr(y.item())
            raise ValueError(f"y={value} should be a 1d array, one class a row: if it names a column, pass X[{value}]")
    if np.ndim(y) != 1:
        column = column_or_1d(y, warn=True)
        y = y.iloc[:, 0] if isinstance(y, pd.DataFrame) else column
    labels = pd.Series(y).reset_index(drop=True)
    if labels.dtype.kind != "f" or labels.isna().any() or np.isinf(labels).any():
        return labels
    if is_whole(labels):
        return labels.astype(np.int64)
    # The checks of scikit-learn look for the first words.
    raise ValueError(
        f"Unknown label type: continuous. The class {labels.name or 'y'!r} has values such as {labels[0]!r}, and a "
        "class has states: cut it into some first, such as by pandas.qcut(y, 3).astype(str)."
    )


def encode(frame: pd.DataFrame, variables: Sequence[Variable]) -> IntArray:
    """Codes of the attributes' values.

    Returns
    -------
    ndarray of int64, shape (n_attributes, N)
        `UNSEEN` if the value is none of the variable's states, by equality or by text, `MISSING` if it is missing.

    Raises
    ------
    ValueError
        If X has other columns than the training data.
    """
    names = [v.name for v in variables]
    if frame.shape[1] != len(names):
        raise ValueError(
            f"X has {frame.shape[1]} features, but the classifier is expecting {len(names)} features as input"
        )
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ValueError(f"X lacks the columns {missing} that the classifier was trained on")
    return np.stack([codes_in(frame[v.name], v.find, MISSING) for v in variables])
