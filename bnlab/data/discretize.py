"""Discretization: supervised, by recursive minimal entropy with an MDL stop, or unsupervised, into bins.

U. M. Fayyad and K. B. Irani (1993), Multi-interval discretization of continuous-valued attributes for classification
learning, IJCAI-93, 1022-1027.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import log2
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.budget import check_memory
from bnlab._runtime.interrupts import run_interruptible
from bnlab._runtime.names import check_known
from bnlab.data.variable import shortened

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("mdl", "quantile", "width")
_MIN_VALUES, _IDENTIFIER_SHARE = 20, 0.9
"""A column of at least so many values, more than this share of them distinct, identifies rows."""
_MANY_NUMBERS, _SHARE_OF_ROWS = 20, 0.02
"""Whole numbers of more different values than this, and than this share of the rows, are measurements."""
BYTES_A_COUNT = 40
"""Memory of each value for each class, measured."""
BYTES_A_BIN = 48


def mdl_cuts(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Cut points of one attribute by recursive minimal entropy.

    A set S is cut at the boundary point T of least class information entropy E(A, T; S) (ties: the smallest T) if
    Gain(A, T; S) > (log2(N - 1) + Δ(A, T; S)) / N, with Δ = log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2)) and
    entropies in bits. Both parts are then cut in the same way.

    Parameters
    ----------
    x : array_like of float, shape (N,)
        Attribute; rows where it is NaN are left out.
    y : array_like, shape (N,)
        Class; rows where it is None or NaN are left out.

    Returns
    -------
    ndarray of float, shape (number of cuts,)
        Ascending, midway between neighbouring values; a value equal to a cut lies to its left.

    Raises
    ------
    ValueError
        If x has infinite values or the shapes differ.

    Examples
    --------
    >>> mdl_cuts([1, 2, 3, 4, 6, 7, 8, 9], list("aaaabbbb"))
    array([5.])
    """
    values, counts = _class_counts(x, y)
    if len(values) < 2:
        return np.empty(0)
    first = _block_starts(counts)
    prefix = np.zeros((len(first) + 1, counts.shape[1]), dtype=np.int64)
    prefix[1:] = np.cumsum(np.add.reduceat(counts, first, axis=0), axis=0)
    n = np.arange(prefix[-1].sum() + 1)
    n_log_n = n * np.log2(np.maximum(n, 1))
    cuts: list[int] = []
    pending = [(0, len(first))]
    while pending:
        low, high = pending.pop()
        cut = _accepted_cut(prefix[low : high + 1] - prefix[low], n_log_n)
        if cut is not None:
            cuts.append(low + cut)
            pending += [(low, low + cut), (low + cut, high)]
    ends = first[sorted(cuts)].astype(np.intp)
    return _midpoints(values[ends - 1], values[ends])


def quantile_cuts(x: ArrayLike, bins: int) -> NDArray[np.float64]:
    """Cut points for intervals with about the same number of rows.

    Each cut lies midway between two neighbouring values, at the boundary whose share of the rows is nearest to k / bins
    (ties: the smaller value). Boundaries that coincide count once, so that frequent values give fewer intervals.

    Parameters
    ----------
    x : array_like of float, shape (N,)
        NaN is left out.
    bins : int
        At least 2.

    Returns
    -------
    ndarray of float, shape (at most bins - 1,)
        Ascending; a value equal to a cut lies to its left.

    Raises
    ------
    ValueError
        If x has infinite values or bins is less than 2.

    Examples
    --------
    >>> quantile_cuts([1, 2, 3, 4, 100, 200], 3)
    array([ 2.5, 52. ])
    """
    values, counts = run_interruptible(np.unique, _finite(x, bins), return_counts=True)
    if len(values) < 2:
        return np.empty(0)
    below = np.cumsum(counts)[:-1]
    wanted = counts.sum() * np.arange(1, bins) / bins
    above = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    under = np.maximum(above - 1, 0)
    ends = np.unique(np.where(wanted - below[under] <= below[above] - wanted, under, above))
    return _midpoints(values[ends], values[ends + 1])


def width_cuts(x: ArrayLike, bins: int) -> NDArray[np.float64]:
    """Cut points for intervals of equal width between the least and the greatest value.

    Parameters
    ----------
    x : array_like of float, shape (N,)
        NaN is left out.
    bins : int
        At least 2.

    Returns
    -------
    ndarray of float, shape (bins - 1,), or (0,) if all values are equal

    Raises
    ------
    ValueError
        If x has infinite values or bins is less than 2.

    Examples
    --------
    >>> width_cuts([0, 1, 9], 3)
    array([3., 6.])
    """
    values = _finite(x, bins)
    if len(values) == 0 or values.min() == values.max():
        return np.empty(0)
    low, high = values.min(), values.max()
    share = np.arange(1, bins) / bins
    return np.unique(low * (1 - share) + high * share)


def find_cuts(x: ArrayLike, method: str, *, bins: int = 3, y: ArrayLike | None = None) -> NDArray[np.float64]:
    """Cut points by the named method: "mdl" (for the classes `y`), "quantile" or "width" (into `bins` intervals).

    ValueError if the method is unknown or "mdl" has no classes; also as for the function of the method.
    """
    check_known(method, METHODS, f"method={method!r}")
    if method != "mdl":
        return quantile_cuts(x, bins) if method == "quantile" else width_cuts(x, bins)
    if y is None:
        raise ValueError('"mdl" learns its cuts from a class: name it, target="..."; "quantile" and "width" need none.')
    return mdl_cuts(x, y)


def _finite(x: ArrayLike, bins: int) -> NDArray[np.float64]:
    """Values without NaN."""
    if isinstance(bins, bool) or not isinstance(bins, (int, np.integer)) or bins < 2:
        raise ValueError(f"bins={bins!r}: a whole number of intervals, at least 2.")
    check_memory(BYTES_A_BIN * bins, f"{bins:,} intervals", "ask for fewer")
    values = _not_infinite(x)
    return values[~np.isnan(values)]


def _not_infinite(x: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(x, dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError("it is infinite in some rows, and a cut needs finite neighbours: make these missing first.")
    return values


def _class_counts(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct values in ascending order, and their number of rows of each class, shape (values, classes)."""
    import pandas as pd

    values = _not_infinite(x)
    labels, classes = pd.factorize(np.asarray(y, dtype=object if isinstance(y, list | tuple) else None))
    if values.ndim != 1 or values.shape != labels.shape:
        raise ValueError(f"x has the shape {values.shape} and y {labels.shape}: one value and one class a row.")
    known = ~np.isnan(values) & (labels >= 0)
    distinct, place = run_interruptible(np.unique, values[known], return_inverse=True)
    k = max(len(classes), 1)
    check_memory(
        BYTES_A_COUNT * len(distinct) * k,
        f"cuts between {len(distinct):,} values of {k:,} classes",
        "take a class of few states, or intervals that ask for none (quantile_cuts, width_cuts)",
    )
    cells = np.bincount(place.reshape(-1) * k + labels[known], minlength=len(distinct) * k)
    return distinct, cells.reshape(len(distinct), k)


def _block_starts(counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """First value of each block; only the ends of blocks are boundary points (Fayyad and Irani, Definition 2)."""
    pure = (counts > 0).sum(axis=1) == 1
    label = counts.argmax(axis=1)
    same = pure[1:] & pure[:-1] & (label[1:] == label[:-1])
    return np.concatenate([[0], np.flatnonzero(~same) + 1])


def _accepted_cut(prefix: NDArray[np.int64], n_log_n: NDArray[np.float64]) -> int | None:
    """Best cut of a set of blocks, as the number of blocks on its left; None if the MDL criterion rejects it.

    `prefix`, shape (blocks + 1, classes), has the class counts of the first 0, 1, ... blocks; `n_log_n[n]` is
    n log2 n.
    """
    if len(prefix) < 3:
        return None
    left, total = prefix[1:-1], prefix[-1]
    right = total - left

    def scaled_entropy(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """N Ent(S) in bits, along the last axis."""
        result: NDArray[np.float64] = n_log_n[counts.sum(axis=-1)] - n_log_n[counts].sum(axis=-1)
        return result

    left_entropy, right_entropy, entropy = (scaled_entropy(c) for c in (left, right, total))
    best = int(np.argmin(left_entropy + right_entropy))
    n, n1, n2 = (int(c.sum()) for c in (total, left[best], right[best]))
    k, k1, k2 = (int((c > 0).sum()) for c in (total, left[best], right[best]))
    ent, ent1, ent2 = float(entropy) / n, float(left_entropy[best]) / n1, float(right_entropy[best]) / n2
    gain = ent - (n1 * ent1 + n2 * ent2) / n
    delta = log2(3**k - 2) - (k * ent - k1 * ent1 - k2 * ent2)
    return best + 1 if gain > (log2(n - 1) + delta) / n else None


def _midpoints(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):  # of values that are 2**1024 apart
        middle = a + (b - a) / 2
    return np.where(middle < b, middle, a)


def interval_names(cuts: Sequence[float] | NDArray[np.float64]) -> tuple[str, ...]:
    """Names of the intervals between cut points.

    Examples
    --------
    >>> interval_names([2.45, 4.9])
    ('<=2.45', '(2.45, 4.9]', '>4.9')
    >>> interval_names([])
    ('any',)
    """
    if len(cuts) == 0:
        return ("any",)
    texts = [f"{cut:.12g}" for cut in cuts]
    if len(set(texts)) < len(texts):
        texts = [repr(float(cut)) for cut in cuts]
    inner = (f"({a}, {b}]" for a, b in itertools.pairwise(texts))
    return (f"<={texts[0]}", *inner, f">{texts[-1]}")


def to_intervals(x: ArrayLike, cuts: NDArray[np.float64]) -> pd.Categorical:
    """Ordered categorical of the intervals between the cuts, all of which are categories; NaN stays missing."""
    import pandas as pd

    values = np.asarray(x, dtype=np.float64)
    codes = np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="left"))
    return pd.Categorical.from_codes(codes, categories=list(interval_names(cuts)), ordered=True)


def cuts_of_columns(
    df: pd.DataFrame, columns: Sequence[str], method: str, *, bins: int = 3, y: ArrayLike | None = None
) -> dict[str, NDArray[np.float64]]:
    """Cut points of several columns of a DataFrame; other parameters as for `find_cuts`."""
    cuts = {}
    for name in columns:
        try:
            cuts[name] = find_cuts(df[name].to_numpy(dtype=np.float64, na_value=np.nan), method, bins=bins, y=y)
        except ValueError as error:
            raise ValueError(f"column {name!r}: {error}") from None
    return cuts


def with_intervals(df: pd.DataFrame, cuts: dict[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Replace the columns named in `cuts` by categoricals."""
    import pandas as pd

    columns = {name: df[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in cuts}
    return df.assign(**{n: pd.Series(to_intervals(values, cuts[n]), df.index) for n, values in columns.items()})


def discretized(
    frame: pd.DataFrame, missing: str, target: str | None, columns: Sequence[str] | None, method: str, bins: int
) -> pd.DataFrame:
    """Frame with the named columns, by default those that are continuous or hold many whole numbers, as intervals."""
    from bnlab.data.encode import check_policy, is_continuous, refuse_missing, refuse_unsuitable

    check_policy(missing)
    refuse_unsuitable(frame)
    if target is not None:
        check_known(target, frame.columns, f"no column is called {target!r}")
    if method == "mdl" and target is None:
        raise ValueError('discretize="mdl" learns its cuts from a class: name it, target="...".')
    if method == "mdl" and is_continuous(frame[target]):
        raise ValueError(f"the target {target!r} is continuous: a class has states. Cut it first, as by pandas.qcut.")
    if missing == "error" and len(gaps := frame.columns[frame.isna().any()]):
        refuse_missing(gaps)
    if columns is None:
        continuous = {name for name in frame.columns if is_continuous(frame[name])}
        whole = [name for name in frame.columns if name != target and _holds_whole_numbers(frame[name])]
        _refuse_identifiers([name for name in whole if _identifies_rows(frame[name])], len(frame))
        many = {name for name in whole if frame[name].nunique() > _MANY_NUMBERS}
        columns = [name for name in frame.columns if name in continuous | many]
    classes = None if target is None else frame[target]
    return with_intervals(frame, cuts_of_columns(frame, columns, method, bins=bins, y=classes))


def refuse_uncut(frame: pd.DataFrame, target: str | None) -> None:
    """Raise a ValueError that names columns other than the target that look as if they held no states.

    They hold many whole numbers, or their values say which row it is.
    """
    columns = [name for name in frame.columns if name != target]
    identifiers = [name for name in columns if _identifies_rows(frame[name])]
    most = max(_MANY_NUMBERS, _SHARE_OF_ROWS * len(frame))
    numbers = [name for name in columns if name not in identifiers and _holds_whole_numbers(frame[name])]
    found = [name for name in numbers if frame[name].nunique() > most]
    if found:
        raise ValueError(
            f"columns {shortened(tuple(found))} hold more than {_MANY_NUMBERS} different whole numbers, and more than "
            f"{_SHARE_OF_ROWS:.0%} of the number of rows: they look like measurements. Cut them into intervals, "
            'discretize="quantile" (or "mdl" with a target); or declare each number a state by .astype("category"). '
            "bnlab.analysis.Preparation.suggested(frame) proposes what to do with every column."
        )
    _refuse_identifiers(identifiers, len(frame))


def _refuse_identifiers(found: Sequence[str], n_rows: int) -> None:
    """Raise a ValueError that names columns whose values say which row it is, and the call that leaves them out."""
    if found:
        raise ValueError(
            f"columns {shortened(tuple(found))} have another value in nearly every one of {n_rows:,} rows (or of "
            "those where a value is there): they say which row it is, and no score can learn from that. Leave them "
            f"out: bnlab.load_data(frame.drop(columns={found!r})), where frame = bnlab.load_frame(...); or cut numbers "
            'by .astype(float) and discretize="quantile"; or declare their states by .astype("category").'
        )


def _identifies_rows(column: pd.Series) -> bool:
    """Whether nearly all values of a column are distinct, and its states are not declared."""
    values = int(column.count())
    if values < _MIN_VALUES or column.dtype.name == "category":
        return False
    return bool(column.nunique() > _IDENTIFIER_SHARE * values)


def _holds_whole_numbers(column: pd.Series) -> bool:
    import pandas as pd

    return bool(pd.api.types.is_integer_dtype(column.dtype))
