"""Loading of data: a Table from a name of the catalogue, a file or a DataFrame."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bnlab._runtime.names import check_known, nearest
from bnlab.data import catalogue
from bnlab.data.discretize import METHODS, discretized, refuse_uncut
from bnlab.data.encodings import warn_of_guess
from bnlab.data.readers import SUFFIXES, read_file, suffix_of
from bnlab.data.table import Missing, Table
from bnlab.data.uci import CLASS, layouts, read_uci

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.file_format import FileFormat


def load_data(
    source: str | os.PathLike[str] | pd.DataFrame,
    *,
    missing: Missing = "error",
    discretize: Literal["mdl", "quantile", "width"] | None = None,
    bins: int = 3,
    target: str | None = None,
    interventions: str | None = None,
    weights: str | None = None,
    missing_marks: Sequence[str] | None = None,
) -> Table:
    """Load discrete data from the catalogue, a file or a DataFrame.

    Parameters
    ----------
    source : str, path or frame
        A name of the catalogue ("letter"), the path of a file, or a frame: of pandas, polars, pyarrow or any other
        package that narwhals knows, a dict of columns, or a NumPy array with named fields. Files are text (.csv, .tsv,
        .txt, also packed: .csv.gz, .zip with one file), spreadsheets (.xlsx, .xls, .ods), .parquet, .feather, .sav or
        .dta. The format of a text file is detected: separator, decimal mark, encoding, and whether the first line names
        the columns. Of a spreadsheet the sheet with the most cells is read. `load_frame` reads a file in a given
        format.
    missing : {"error", "drop", "state", "keep"}
        See `Table.from_pandas`. With "drop", incomplete rows are dropped before the discretization. In a DataFrame,
        None, NaN and NA are missing; text such as "?" is a state, unless ``df.replace("?", None)`` makes it missing.
    discretize : {"mdl", "quantile", "width"}, optional
        Cut continuous columns, and whole numbers of more than 20 different values, using all rows: by Fayyad and
        Irani's method, which needs a target (`mdl_cuts`), into intervals with equal numbers of rows (`quantile_cuts`)
        or of equal width (`width_cuts`). In a data set of the catalogue these are the attributes that UCI calls
        numeric, including those of letter and satimage. To learn cuts from training rows only, use `MDLDiscretizer`.
    bins : int
        Number of intervals of "quantile" and "width".
    target : str, optional
        Class column; by default "class" for data sets of the catalogue.
    interventions : str, optional
        Column that names the variable (or variables, separated by commas or semicolons) that was set from outside in
        each row, and is empty if the row was only observed. It does not become a variable but `Table.interventions`:
        scores leave such rows out of the counts of the families whose child they set.
    weights : str, optional
        Column of numbers that say how often each row counts, whole or not. It does not become a variable but
        `Table.weights`.
    missing_marks : sequence of str, optional
        Cells of text without a value. By default those of a text file or a spreadsheet are empty cells, NA, NaN, ?,
        and marks such as NULL, None, N/A, ``*``, - and . where the columns make sense without them
        (`bnlab.data.cells.missing_marks_of`); the table shows which occurred. In a DataFrame, by default only None,
        NaN and NA are missing.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If the name or target is unknown, the file is unreadable, columns are continuous without `discretize`, a column
        has another value in nearly every row, or as for `Table.from_pandas`.
    TypeError
        If columns have mixed or unsuitable types.
    OSError
        If the file does not exist or cannot be read.
    DataUnavailable
        If a data set of the catalogue is not on this computer and cannot be downloaded.

    Examples
    --------
    >>> load_data("iris-bezdek", discretize="mdl").select(["petal-length", "class"])
    Table: 150 rows, 2 variables, target 'class'
      petal-length  3 states: '<=2.45', '(2.45, 4.75]', '>4.75'
      class         3 states: 'Iris-setosa', 'Iris-versicolor', 'Iris-virginica'
    """
    from bnlab.data.encode import complete_rows

    if discretize is not None:
        check_known(discretize, METHODS, f"discretize={discretize!r}")
    named = isinstance(source, str) and source in layouts()
    frame, marks = _frame_and_marks(source, None, missing_marks)
    apart = {"interventions": interventions, "weights": weights}
    apart = {option: column for option, column in apart.items() if column is not None}
    for option, column in apart.items():
        if column not in frame.columns:
            raise ValueError(f"{option}={column!r}: no column is called so; {nearest(column, map(str, frame.columns))}")
    if apart:
        whole = frame.reset_index(drop=True)
        frame = whole.drop(columns=list(apart.values()))
    if missing == "drop":
        frame, missing = complete_rows(frame), "error"
    if named and target is None:
        target = CLASS
    if discretize is not None:
        if weights is not None:
            raise ValueError(
                f"weights={weights!r} with discretize={discretize!r}: cut points are of rows that count once. Cut the "
                "columns first, as by pandas.cut."
            )
        columns = layouts()[str(source)].numeric if named else None
        frame = discretized(frame, missing, target, columns, discretize, bins)
    table = Table.from_pandas(frame, missing=missing, target=target)
    if not named:
        refuse_uncut(frame, target)
    if interventions is not None:
        table = table.with_interventions(whole[interventions][frame.index].astype(object).tolist())
    if weights is not None:
        table = table.with_weights(whole[weights][frame.index])
    return table.with_missing_marks(marks)


def as_table(data: Table | pd.DataFrame, missing: Missing = "error", columns: Sequence[str] | None = None) -> Table:
    """Return a Table unchanged, or make the Table of a DataFrame as `load_data` does.

    Parameters
    ----------
    data : Table or DataFrame
    missing : {"error", "drop", "state", "keep"}
        As for `load_data`.
    columns : sequence of str, optional
        Of a DataFrame, other columns are left out, whatever they hold; by default all become variables.

    Raises
    ------
    TypeError
        If the data are neither; the message says how to make a Table of them.
    ValueError
        As for `load_data`.

    Examples
    --------
    >>> import pandas as pd
    >>> as_table(pd.DataFrame({"rain": ["no", "yes"], "grass": ["dry", "wet"]}))
    Table: 2 rows, 2 variables
      rain   2 states: 'no', 'yes'
      grass  2 states: 'dry', 'wet'
    """
    if isinstance(data, Table):
        return data
    if is_frame(data):
        frame = as_pandas(data)
        if columns is not None:
            frame = frame[[name for name in frame.columns if name in {*columns}]]
        table = Table.from_pandas(frame, missing=missing)
        if columns is None:
            refuse_uncut(frame, None)
        return table
    if isinstance(data, (str, os.PathLike)):
        way_out = f"bnlab.load_data({str(data)!r}) reads a file, or a data set of the catalogue"
    else:
        way_out = (
            'pandas.DataFrame(data, columns=["A", "B", ...]) makes one of an array without names, and '
            "net.sample(1000, seed=1) draws rows from a network"
        )
    raise TypeError(f"the data are of type {type(data).__name__}: a Table or a DataFrame is needed; {way_out}.")


def load_frame(
    source: str | os.PathLike[str] | pd.DataFrame,
    *,
    format: FileFormat | None = None,
    missing_marks: Sequence[str] | None = None,
) -> pd.DataFrame:
    r"""Load raw data from the catalogue or a file, before any discretization.

    Parameters
    ----------
    source : str, path or DataFrame
        As for `load_data`.
    format : FileFormat, optional
        Format of a text file or a spreadsheet; by default it is detected.
    missing_marks : sequence of str, optional
        As for `load_data`.

    Returns
    -------
    DataFrame
        In data of the catalogue, numeric attributes are floats (integers in letter and satimage); nominal attributes
        and the class, which is the last column, are categoricals.

    Raises
    ------
    ValueError, OSError, DataUnavailable
        As for `load_data`; also if the file cannot be read in the given format, or the source has no format.
    ImportError
        If the package that reads such files is missing; the message names it.

    Examples
    --------
    >>> from bnlab.data import FileFormat
    >>> path = getfixture("tmp_path") / "staedte.csv"
    >>> _ = path.write_text("Ort;Grad\nKöln;37,6\nBonn;38,1\n", encoding="utf-8")
    >>> load_frame(path)["Grad"].tolist()
    [37.6, 38.1]
    >>> load_frame(path, format=FileFormat(separator=";"))["Grad"].tolist()
    ['37,6', '38,1']
    """
    return _frame_and_marks(source, format, missing_marks)[0]


def _frame_and_marks(
    source: Any, format: FileFormat | None, missing_marks: Sequence[str] | None
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Frame of a source, and the marks of missing values that a file has."""
    if isinstance(missing_marks, str):
        raise ValueError(f"missing_marks={missing_marks!r}: give a list of texts, such as [{missing_marks!r}].")
    path = as_path(source)
    if format is not None and path is None:
        raise ValueError(f"format={format!r}: only files have one; leave it out.")
    if path is not None:
        found = read_file(path, format=format, missing_marks=missing_marks)
        if found.guessed and found.format is not None:
            encoding = found.format.encoding
            warn_of_guess(path.name, encoding, "give bnlab.load_frame its format=bnlab.data.FileFormat(encoding=...).")
        if found.format is not None:
            return found.frame, found.format.missing_marks or ()
        frame = found.frame
    elif isinstance(source, str):
        if source not in layouts() and source.lower() in catalogue.names(*catalogue.NETWORKS):
            raise ValueError(
                f"{source!r} is a network, not a data set: sample from it, bnlab.load_network({source.lower()!r})"
                ".sample(10_000, seed=1)."
            )
        frame = read_uci(source)
    else:
        from bnlab.data.encode import check_frame

        frame = as_pandas(source)
        check_frame(frame)
    return frame if missing_marks is None else frame.apply(_unmarked, marks=missing_marks), ()


def _unmarked(column: pd.Series, marks: Sequence[str]) -> pd.Series:
    """Column in which marks are missing values, and no categories."""
    if column.dtype.name == "category":
        return column.cat.set_categories([state for state in column.cat.categories if state not in marks])
    return column.mask(column.isin(list(marks)))


def as_path(source: object) -> Path | None:
    """Path of a source that is a file; None for a name of the catalogue or a DataFrame."""
    if not isinstance(source, (str, os.PathLike)) or (isinstance(source, str) and source in layouts()):
        return None
    path = Path(source)
    is_file = suffix_of(path) in SUFFIXES or isinstance(source, os.PathLike) or os.path.exists(source)
    return path if is_file else None


def is_frame(data: Any) -> bool:
    """Whether data are columns with names: a frame that narwhals knows, a mapping, or an array with named fields.

    Examples
    --------
    >>> is_frame({"a": [1, 2]}), is_frame([1, 2]), is_frame(np.zeros((2, 2)))
    (True, False, False)
    """
    import pandas as pd

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
    import pandas as pd

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
    import pandas as pd
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
