"""Frames of any package as DataFrames of pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def is_frame(data: Any) -> bool:
    """Whether data are columns with names: a frame that narwhals knows, a mapping, or an array with named fields.

    Examples
    --------
    >>> is_frame({"a": [1, 2]}), is_frame([1, 2]), is_frame(np.zeros((2, 2)))
    (True, False, False)
    """
    if isinstance(data, (pd.DataFrame, Mapping)):
        return True
    if isinstance(data, np.ndarray):
        return data.dtype.names is not None
    import narwhals as nw

    return isinstance(nw.from_native(data, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def as_pandas(data: Any) -> pd.DataFrame:
    """Convert a frame; a DataFrame of pandas, and what is no frame, is returned unchanged.

    Whole numbers with missing values stay whole numbers, and categories keep their order.

    Examples
    --------
    >>> as_pandas({"a": [1, 2], "b": ["x", "y"]}).columns.tolist()
    ['a', 'b']
    """
    if isinstance(data, pd.DataFrame) or not is_frame(data):
        return data
    if isinstance(data, Mapping):
        texts = [name for name, column in data.items() if isinstance(column, str)]
        if texts:
            raise ValueError(
                f"column {texts[0]!r} is {data[texts[0]]!r}: a column is a list with a value for each row."
            )
        return pd.DataFrame(data)
    if isinstance(data, np.ndarray):
        fields = {name: data[name] for name in data.dtype.names or ()}
        return pd.DataFrame({name: values.astype(values.dtype.newbyteorder("=")) for name, values in fields.items()})
    import narwhals as nw

    frame = nw.from_native(data)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame.to_arrow().to_pandas(types_mapper=_nullable().get)


def _nullable() -> dict[Any, Any]:
    """Types of pandas for types of Arrow, in which values can be missing."""
    import pyarrow as pa

    return {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.float32(): pd.Float32Dtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.string(): pd.StringDtype(),
        pa.large_string(): pd.StringDtype(),
    }
