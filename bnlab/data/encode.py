"""Encoding of DataFrame columns as integer codes: discrete columns, their states, and missing values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab._runtime.interrupts import run_interruptible
from bnlab._runtime.names import check_known
from bnlab._runtime.threads import available_cores
from bnlab.data.variable import Variable, shortened

if TYPE_CHECKING:
    import pyarrow as pa

SignedCodes = NDArray[np.signedinteger[Any]]
Encoded = tuple[tuple[Hashable, ...], SignedCodes]
COMPLETE = ("error", "drop", "state")
"""Ways to treat missing values that leave none."""
_POLICIES = (*COMPLETE, "keep")
_ROWS_OF_A_TASK = 4096  # fewer rows take less time than starting a thread
_SAMPLE = 4096  # rows that are checked for repeated text objects
_EXACT = 2.0**53  # floats below this size represent all whole numbers exactly
_NUMBERS = (Real, Decimal, np.floating)
_TIMES = (date, time, timedelta, pd.Period, pd.Interval)


def encode(df: pd.DataFrame, missing: str) -> tuple[list[Variable], list[SignedCodes], bool]:
    """Variables and codes of a DataFrame, and whether no value is missing; see `Table.from_pandas` for the rules."""
    check_policy(missing)
    check_frame(df)
    all_categorical = all(isinstance(dtype, pd.CategoricalDtype) for dtype in df.dtypes)
    if not all_categorical:
        refuse_continuous(df)
        refuse_unsuitable(df)
    if missing == "drop":
        df = complete_rows(df)
    names, columns = list(df.columns), [column for _, column in df.items()]
    if all_categorical or len(df) < _ROWS_OF_A_TASK:
        encoded = dict(zip(names, map(_encoded_column, names, columns), strict=True))
    else:
        pool = ThreadPoolExecutor(available_cores())  # pyarrow encodes text without the interpreter lock
        try:
            encoded = dict(zip(names, pool.map(_encoded_column, names, columns), strict=True))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    unknown = [name for name, (states, codes) in encoded.items() if not _are_known(codes, len(states))]
    gaps = [name for name in unknown if encoded[name][1].min() < 0]
    if gaps and missing == "error":
        refuse_missing(gaps)
    for name in gaps:
        if not encoded[name][0] and missing == "keep":
            raise ValueError(
                f"column {name!r} has no value in any row, so that it has no states: leave it out, or declare them by "
                ".astype(pandas.CategoricalDtype([...]))."
            )
        states, codes = _with_missing_state(encoded[name])
        encoded[name] = states[:-1] if missing == "keep" else states, codes
    variables = [Variable(name, states) for name, (states, _) in encoded.items()]
    return variables, [codes for _, codes in encoded.values()], not unknown


def _are_known(codes: SignedCodes, arity: int) -> bool:
    """Whether each code is of a state, in one pass: read as unsigned integers, negative codes are large."""
    return bool(codes.view(f"u{codes.itemsize}").max() < arity)


def check_policy(missing: str) -> None:
    """Raise a ValueError for an unknown way to treat missing values."""
    check_known(missing, _POLICIES, f"missing={missing!r}")


def check_frame(df: pd.DataFrame) -> None:
    """Raise an error unless this is a DataFrame with rows and columns whose names are distinct strings."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"a pandas DataFrame is needed, not a {type(df).__name__}.")
    wrong = tuple(name for name in df.columns if not isinstance(name, str))
    if wrong:
        raise TypeError(
            f"column names {shortened(wrong)} are not strings: name the columns, for example df.columns = "
            "[str(c) for c in df.columns]."
        )
    if df.columns.has_duplicates:
        twice = tuple(df.columns[df.columns.duplicated()].unique())
        raise ValueError(f"two columns are called {shortened(twice)}: names must differ.")
    if 0 in df.shape:
        raise ValueError(
            f"the DataFrame has {df.shape[0]} rows and {df.shape[1]} columns: a Table needs one of each at least."
        )


def refuse_missing(names: Iterable[str]) -> None:
    """Raise the error for missing values in the named columns."""
    raise ValueError(
        f"columns {shortened(tuple(names))} have missing values: make a Table with bnlab.load_data(df, missing=...), "
        '"drop" (complete rows only), "state" (one more state) or "keep" (they stay missing, which bnlab.learn, '
        "bnlab.networks.fit and bnlab.networks.impute take)."
    )


def complete_rows(df: pd.DataFrame) -> pd.DataFrame:
    """Rows without missing values; ValueError if there is none."""
    complete = df.dropna()
    if len(complete) == 0:
        gaps = df.isna().sum()
        worst = tuple(map(str, gaps[gaps == gaps.max()].index))
        raise ValueError(
            f'none of the {len(df)} rows is complete: choose missing="state" or leave columns out, first those with '
            f"the most missing values ({gaps.max()} each): {shortened(worst)}."
        )
    return complete


def refuse_continuous(df: pd.DataFrame) -> None:
    """Raise a ValueError that names the continuous columns and suggests discretization, if there are any."""
    kinds = zip(df.columns, df.dtypes, strict=True)
    names = tuple(str(name) for name, dtype in kinds if _is_loose(dtype) and is_continuous(df[name]))
    if not names:
        return
    whole = tuple(name for name in names if is_whole(df[name]))
    cast = (
        f" Columns {shortened(whole)} hold whole numbers only; if these are states, cast them with .astype(int) "
        '(.astype("Int64") where values are missing).'
    )
    raise ValueError(
        f"columns {shortened(names)} are continuous (floats), and a Table holds discrete states: discretize "
        'them, for example bnlab.load_data(x, discretize="mdl", target="class") (or "quantile" where there is no '
        "class), or bnlab.data.MDLDiscretizer in a pipeline before a classifier; or leave them out."
        + (cast if whole else "")
    )


def refuse_unsuitable(df: pd.DataFrame) -> None:
    """Raise a TypeError that names a column of unsuitable dtype and the way out, if there is one."""
    for name, dtype in zip(df.columns, df.dtypes, strict=True):
        if is_unsuitable(dtype):
            _refuse(str(name), f"is of dtype {dtype}")


def _refuse(name: str, why: str) -> NoReturn:
    raise TypeError(
        f"column {name!r} {why}: a Table takes strings, integers, booleans and categoricals; make it one, for example "
        'with .astype(str) or .astype("category"), or leave it out.'
    )


def is_unsuitable(dtype: Any) -> bool:
    """Whether a column of this dtype holds neither names nor numbers, such as dates or lists."""
    if isinstance(dtype, pd.ArrowDtype):
        return kind_in_arrow(dtype.pyarrow_dtype) is None
    return dtype.kind in "mMc" or isinstance(dtype, (pd.PeriodDtype, pd.IntervalDtype))


def are_times(kind: type) -> bool:
    """Whether objects of this type are dates, times, or intervals."""
    return issubclass(kind, _TIMES)


def kind_in_arrow(kind: pa.DataType) -> str | None:
    """Kind of the values of an Arrow type, "states", "floats" or None (others); for a dictionary, of its entries."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "floats"
    states = (
        *(pa.types.is_integer, pa.types.is_boolean, pa.types.is_null, pa.types.is_string, pa.types.is_large_string),
        *(pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary),
    )
    return "states" if any(is_kind(kind) for is_kind in states) else None


def is_continuous(column: pd.Series) -> bool:
    """Whether a column holds floats or decimals; False if all values are missing."""
    if not _is_loose(column.dtype):
        return False
    if column.dtype != np.dtype(object):
        return bool(column.notna().any())
    first = next((value for value in column if not pd.api.types.is_scalar(value) or not pd.isna(value)), "")
    if isinstance(first, str):
        return False
    types = _types(_distinct_objects(column.to_numpy())[1])
    numbers = all(issubclass(t, _NUMBERS) for t in types)
    return numbers and not all(issubclass(t, Integral) for t in types)


def _is_loose(dtype: Any) -> bool:
    """Whether a column of this dtype can hold floats: its dtype is a float, or Python objects."""
    if isinstance(dtype, pd.ArrowDtype):
        return kind_in_arrow(dtype.pyarrow_dtype) == "floats"
    return bool(dtype.kind == "f" or dtype == np.dtype(object))


def is_whole(column: pd.Series) -> bool:
    """Whether a column of floats holds only whole numbers that floats represent exactly."""
    values = column.dropna().to_numpy(dtype=np.float64)
    return bool((np.abs(values) < _EXACT).all() and (values == np.floor(values)).all())


def _encoded_column(name: str, column: pd.Series) -> Encoded:
    """States and codes of one column; -1 is a missing value."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categorical: Any = column.array
        return listed(categorical.categories), categorical.codes
    if isinstance(dtype, pd.SparseDtype):
        return _encoded_column(name, column.sparse.to_dense())
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        return _encoded_numbers(column.to_numpy())
    if isinstance(dtype, pd.StringDtype) and dtype.storage == "pyarrow":
        return _encoded_arrow(column)
    if dtype == "object" or isinstance(dtype, pd.StringDtype):
        return _encoded_objects(name, column.to_numpy(dtype=object))
    try:
        codes, uniques = pd.factorize(column)
    except (TypeError, ValueError, NotImplementedError):  # of a dtype of another package
        _refuse(name, f"is of dtype {dtype}")
    return _sorted_states(name, [] if column.isna().all() else uniques.tolist(), codes)


def codes_in(column: pd.Series, find: Callable[[Hashable], int], missing: int) -> NDArray[np.int64]:
    """Codes of a column by a function that finds the code of a state; `missing` for a missing value."""
    positions, values = run_interruptible(pd.factorize, column)
    found = [find(value.item() if isinstance(value, np.generic) else value) for value in values]
    codes: NDArray[np.int64] = np.array([*found, missing], np.int64)[positions]
    return codes


def listed(states: pd.Index) -> tuple[Hashable, ...]:
    """States as Python objects; Arrow converts its own strings, because pandas would convert them one by one."""
    if isinstance(states.dtype, pd.StringDtype) and states.dtype.storage == "pyarrow":
        import pyarrow as pa

        return tuple(pa.array(states.array).to_pylist())
    return tuple(states.tolist())


def _encoded_numbers(values: NDArray[Any]) -> Encoded:
    """States and codes of integers and booleans, by a table over their range if that is small."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 256:
        states, codes = np.unique(values, return_inverse=True)
        return tuple(states.tolist()), codes.reshape(-1)
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    offsets = wide - wide.dtype.type(low)
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[offsets] = True
    ranks = (np.cumsum(seen) - 1).astype(_signed(high - low + 1))
    kind = bool if values.dtype == np.bool_ else int
    return tuple(kind(low + offset) for offset in np.flatnonzero(seen).tolist()), ranks[offsets]


def _encoded_arrow(column: pd.Series) -> Encoded:
    """Text in Arrow: looked up among the states of the first rows or, if there are others, of all rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.array(column)
    if isinstance(text, pa.ChunkedArray):
        text = text.combine_chunks()
    for rows in (text[:_SAMPLE], text):
        states = sorted(rows.drop_null().unique().to_pylist())
        found = pc.index_in(text, value_set=pa.array(states, text.type))
        if found.null_count == text.null_count:
            break
    return tuple(states), np.asarray(found.fill_null(-1) if found.null_count else found)


def _encoded_objects(name: str, values: NDArray[np.object_]) -> Encoded:
    if len(set(map(id, values[:_SAMPLE]))) > _SAMPLE // 2 and set(map(type, values)) == {str}:
        codes, uniques = pd.factorize(values)
        return _sorted_states(name, list(uniques), codes)
    which, objects = _distinct_objects(values)
    types = _types(objects)
    if len(types) > 1:
        kinds = ", ".join(sorted(t.__name__ for t in types))
        raise TypeError(
            f"column {name!r} mixes values of the types {kinds}: cast it to one, for example with .astype(str)."
        )
    for kind in filter(are_times, types):
        _refuse(name, f"holds {kind.__name__} values")
    try:
        codes, uniques = pd.factorize(objects)
    except TypeError as error:
        raise TypeError(f"column {name!r} holds values that cannot be states: {error}.") from None
    states, codes = _sorted_states(name, list(uniques), codes)
    return states, codes[which]


def _distinct_objects(values: NDArray[np.object_]) -> tuple[SignedCodes, NDArray[np.object_]]:
    """Index of the object of each row, and the distinct objects.

    Most columns of text repeat a few objects, and comparing addresses is ten times faster than hashing text.
    """
    values = np.ascontiguousarray(values)
    addresses = np.ndarray(values.shape, dtype=np.uintp, buffer=values.data)
    which, distinct = pd.factorize(addresses)
    rows = np.empty(len(distinct), dtype=np.intp)
    rows[which[::-1]] = np.arange(len(values) - 1, -1, -1)
    return which, values[rows]


def _types(objects: NDArray[np.object_]) -> set[type]:
    known = objects[~np.asarray(pd.isna(objects))]
    return {type(value.item() if isinstance(value, np.generic) else value) for value in known}


def _sorted_states(name: str, states: list[Any], codes: SignedCodes) -> Encoded:
    try:
        order = sorted(range(len(states)), key=states.__getitem__)
    except TypeError:
        raise TypeError(
            f"column {name!r} holds {type(states[0]).__name__} values, which have no order: make it a pandas "
            "categorical, whose order counts."
        ) from None
    rank = np.empty(len(states) + 1, dtype=_signed(len(states)))
    rank[order] = np.arange(len(states))
    rank[-1] = -1
    return tuple(states[k] for k in order), rank[codes]


def _with_missing_state(encoded: Encoded) -> Encoded:
    states, codes = encoded
    label, number = "missing", 2
    while label in states:
        label, number = f"missing_{number}", number + 1
    return (*states, label), np.where(codes < 0, len(states), codes.astype(np.int64))


def _signed(arity: int) -> np.dtype[Any]:
    """Smallest signed dtype for the codes of `arity` states and -1."""
    return np.min_scalar_type(-arity - 1)
