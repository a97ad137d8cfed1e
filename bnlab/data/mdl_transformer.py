"""MDL discretization as a scikit-learn transformer; see `bnlab.data.discretize` for the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bnlab.data.discretize import cuts_of_columns, with_intervals
from bnlab.data.encode import is_continuous
from bnlab.data.variable import shortened


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Continuous columns to intervals (Fayyad and Irani 1993), learned from the class.

    Parameters
    ----------
    columns : sequence of str, optional
        Columns to discretize; by default the columns of floats. Other columns do not change.

    Attributes
    ----------
    cuts_ : dict of str to ndarray
        Cut points of each discretized column, ascending.
    feature_names_in_ : ndarray of str
        Columns seen by `fit`; those of an array are called x0, x1, ...
    n_features_in_ : int

    Examples
    --------
    >>> X = pd.DataFrame({"size": [1.0, 2, 3, 4, 6, 7, 8, 9], "colour": list("rgrgrgrg")})
    >>> discretizer = MDLDiscretizer().fit(X, list("aaaabbbb"))
    >>> discretizer.transform(X)["size"].cat.categories.tolist()
    ['<=5', '>5']
    """

    def __init__(self, columns: Sequence[str] | None = None) -> None:
        self.columns = columns

    def fit(self, X: pd.DataFrame | ArrayLike, y: ArrayLike) -> MDLDiscretizer:
        """Find the cut points.

        Parameters
        ----------
        X : DataFrame or array_like of float, shape (N, n)
        y : array_like, shape (N,)
            Class.

        Raises
        ------
        ValueError
            If y is None, X lacks a column, or values are infinite.
        """
        if y is None:
            raise ValueError("y is None: MDLDiscretizer learns its cuts from the class.")
        frame = _as_frame(X)
        if self.columns is None:
            chosen = [name for name in frame.columns if is_continuous(frame[name])]
        else:
            chosen = list(self.columns)
        unknown = tuple(name for name in chosen if name not in frame.columns)
        if unknown:
            raise ValueError(f"columns {shortened(unknown)} are not in X, which has {shortened(tuple(frame.columns))}.")
        self.cuts_ = cuts_of_columns(frame, chosen, "mdl", y=y)
        self.feature_names_in_ = np.asarray(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        return self

    def transform(self, X: pd.DataFrame | ArrayLike) -> pd.DataFrame:
        """Replace values by intervals.

        Returns
        -------
        DataFrame of shape (N, n)
            All intervals of `fit` are categories, whether or not they occur in these rows; NaN stays missing.

        Raises
        ------
        ValueError
            If the columns are not those of `fit`.
        """
        check_is_fitted(self, "cuts_")
        frame = _as_frame(X)
        if list(frame.columns) != list(self.feature_names_in_):
            raise ValueError(
                f"X has the columns {shortened(tuple(frame.columns))}; "
                f"fit has seen {shortened(tuple(self.feature_names_in_))}."
            )
        return with_intervals(frame, self.cuts_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _as_frame(X: pd.DataFrame | ArrayLike) -> pd.DataFrame:
    if isinstance(X, pd.DataFrame):
        return X
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"X has {array.ndim} dimension(s): a table of shape (N, n) is needed.")
    return pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])
