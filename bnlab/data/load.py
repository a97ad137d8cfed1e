"""Loading of data: a Table from a name of the catalogue, a file or a DataFrame."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bnlab._runtime.names import check_known, nearest
from bnlab.data import catalogue
from bnlab.data.discretize import METHODS, cuts_of_columns, with_intervals
from bnlab.data.encodings import warn_of_guess
from bnlab.data.readers import SUFFIXES, read_file, suffix_of
from bnlab.data.table import Missing, Table
from bnlab.data.uci import CLASS, layouts, read_uci
from bnlab.data.variable import shortened

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.file_format import FileFormat

_MIN_VALUES, _IDENTIFIER_SHARE = 20, 0.9
"""A column of at least so many values, more than this share of them distinct, identifies rows."""
_MANY_NUMBERS, _SHARE_OF_ROWS = 20, 0.02
"""Whole numbers of more different values than this, and than this share of the rows, are measurements."""


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
    named = _is_name(source)
    frame, marks = _frame_and_marks(source, None, missing_marks)
    frame, apart = _apart(frame, {"interventions": interventions, "weights": weights})
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
        frame = _discretized(frame, missing, target, columns, discretize, bins)
    table = _table_of(frame, missing, target, known=named)
    if interventions is not None:
        table = table.with_interventions(apart["interventions"][frame.index].astype(object).tolist())
    if weights is not None:
        table = table.with_weights(apart["weights"][frame.index])
    return table.with_missing_marks(marks)


def _table_of(frame: pd.DataFrame, missing: Missing, target: str | None = None, *, known: bool = False) -> Table:
    """Table of a frame; columns that look as if they held no states are refused, unless they are `known` to do so."""
    table = Table.from_pandas(frame, missing=missing, target=target)
    if not known:
        _refuse_measurements(frame, target)
        _refuse_identifiers(frame, table.names, target)
    return table


def _refuse_identifiers(frame: pd.DataFrame, names: Sequence[str], target: str | None) -> None:
    """Raise a ValueError that names columns whose values say which row it is, and the call that leaves them out."""
    found = [name for name in names if name != target and _identifies_rows(frame[name])]
    if found:
        raise ValueError(
            f"columns {shortened(tuple(found))} have another value in nearly every one of {len(frame):,} rows (or of "
            "those where a value is there): they say which row it is, and no score can learn from that. Leave them "
            f"out: bnlab.load_data(frame.drop(columns={found!r})), where frame = bnlab.load_frame(...); or cut numbers "
            'by .astype(float) and discretize="quantile"; or declare their states by .astype("category").'
        )


def _refuse_measurements(frame: pd.DataFrame, target: str | None) -> None:
    """Raise a ValueError that names columns of whole numbers with too many states."""
    found = []
    for name in frame:
        if name != target and is_whole_number(frame[name]) and not _identifies_rows(frame[name]):
            values = frame[name].nunique()
            if values > _MANY_NUMBERS and values > _SHARE_OF_ROWS * len(frame):
                found.append(name)
    if found:
        raise ValueError(
            f"columns {shortened(tuple(found))} hold more than {_MANY_NUMBERS} different whole numbers, and more than "
            f"{_SHARE_OF_ROWS:.0%} of the number of rows: they look like measurements. Cut them into intervals, "
            'discretize="quantile" (or "mdl" with a target); or declare each number a state by .astype("category"). '
            "bnlab.analysis.Preparation.suggested(frame) proposes what to do with every column."
        )


def _apart(frame: pd.DataFrame, columns: Mapping[str, str | None]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Frame without the columns that say something of the rows, and these columns."""
    given = {option: column for option, column in columns.items() if column is not None}
    for option, column in given.items():
        if column not in frame.columns:
            raise ValueError(f"{option}={column!r}: no column is called so; {nearest(column, map(str, frame.columns))}")
    if not given:
        return frame, {}
    frame = frame.reset_index(drop=True)
    return frame.drop(columns=list(given.values())), {option: frame[column] for option, column in given.items()}


def _identifies_rows(column: pd.Series) -> bool:
    """Whether nearly all values of a column are distinct, and its states are not declared."""
    values = int(column.count())
    if values < _MIN_VALUES or column.dtype.name == "category":
        return False
    return bool(column.nunique() > _IDENTIFIER_SHARE * values)


def is_whole_number(column: pd.Series) -> bool:
    """Whether a column holds whole numbers."""
    import pandas as pd

    return bool(pd.api.types.is_integer_dtype(column.dtype))


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
    from bnlab.data.frames import as_pandas, is_frame

    if is_frame(data):
        frame = as_pandas(data)
        if columns is not None:
            frame = frame[[name for name in frame.columns if name in {*columns}]]
        return _table_of(frame, missing, known=columns is not None)
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
    if (path := as_path(source)) is not None:
        found = read_file(path, format=format, missing_marks=missing_marks)
        if found.guessed and found.format is not None:
            encoding = found.format.encoding
            warn_of_guess(path.name, encoding, "give bnlab.load_frame its format=bnlab.data.FileFormat(encoding=...).")
        if found.format is not None:
            return found.frame, found.format.missing_marks or ()
        frame = found.frame
    elif format is not None:
        raise ValueError(f"format={format!r}: only files have one; leave it out.")
    elif isinstance(source, str):
        if source not in layouts() and source.lower() in catalogue.names(*catalogue.NETWORKS):
            raise ValueError(
                f"{source!r} is a network, not a data set: sample from it, bnlab.load_network({source.lower()!r})"
                ".sample(10_000, seed=1)."
            )
        frame = read_uci(source)
    else:
        from bnlab.data.encode import check_frame
        from bnlab.data.frames import as_pandas

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
    if not isinstance(source, (str, os.PathLike)) or _is_name(source):
        return None
    path = Path(source)
    is_file = suffix_of(path) in SUFFIXES or isinstance(source, os.PathLike) or os.path.exists(source)
    return path if is_file else None


def _is_name(source: object) -> bool:
    return isinstance(source, str) and source in layouts()


def _discretized(
    frame: pd.DataFrame,
    missing: Missing,
    target: str | None,
    columns: tuple[str, ...] | None,
    method: Literal["mdl", "quantile", "width"],
    bins: int,
) -> pd.DataFrame:
    """Frame with continuous columns as intervals."""
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
        whole = [name for name in frame.columns if name != target and is_whole_number(frame[name])]
        _refuse_identifiers(frame, whole, target)
        many = {name for name in whole if frame[name].nunique() > _MANY_NUMBERS}
        columns = tuple(name for name in frame.columns if name in many or is_continuous(frame[name]))
    classes = None if target is None else frame[target]
    return with_intervals(frame, cuts_of_columns(frame, columns, method, bins=bins, y=classes))
