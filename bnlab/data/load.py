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
from bnlab.data.readers import SUFFIXES, read_file
from bnlab.data.table import Missing, Table
from bnlab.data.uci import CLASS, layouts, read_uci
from bnlab.data.variable import shortened

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.file_format import FileFormat

_MIN_VALUES, _IDENTIFIER_SHARE = 20, 0.9
"""A column of at least so many values, more than this share of them distinct, identifies rows."""


def load_data(
    source: str | os.PathLike[str] | pd.DataFrame,
    *,
    missing: Missing = "error",
    discretize: Literal["mdl", "quantile", "width"] | None = None,
    bins: int = 3,
    target: str | None = None,
    interventions: str | None = None,
    weights: str | None = None,
) -> Table:
    """Load discrete data from the catalogue, a file or a DataFrame.

    Parameters
    ----------
    source : str, path or DataFrame
        A name of the catalogue ("letter"), the path of a file, or a DataFrame. Files are text (.csv, .tsv, .txt),
        spreadsheets (.xlsx, .xls, .ods), .parquet, .feather, .sav or .dta. The format of a text file is detected:
        separator, decimal mark, encoding, and whether the first line names the columns; missing values are empty, NA,
        NaN or ?. Of a spreadsheet the sheet with the most cells is read. `load_frame` reads a file in a given format.
    missing : {"error", "drop", "state", "keep"}
        See `Table.from_pandas`. With "drop", incomplete rows are dropped before the discretization. In a DataFrame,
        None, NaN and NA are missing; text such as "?" is a state, unless ``df.replace("?", None)`` makes it missing.
    discretize : {"mdl", "quantile", "width"}, optional
        Cut continuous columns, using all rows: by Fayyad and Irani's method, which needs a target (`mdl_cuts`), into
        intervals with equal numbers of rows (`quantile_cuts`) or of equal width (`width_cuts`). In a data set of the
        catalogue these are the attributes that UCI calls numeric, including those of letter and satimage. To learn cuts
        from training rows only, use `MDLDiscretizer`.
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
    if discretize is not None:
        check_known(discretize, METHODS, f"discretize={discretize!r}")
    named = _is_name(source)
    frame = load_frame(source)
    frame, apart = _apart(frame, {"interventions": interventions, "weights": weights}, missing)
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
    table = Table.from_pandas(frame, missing=missing, target=target)
    if interventions is not None:
        table = table.with_interventions(apart["interventions"].astype(object).tolist())
    if weights is not None:
        table = table.with_weights(apart["weights"])
    identifying = tuple(v.name for v in table.variables if _identifies_rows(v.arity, table.n_rows, frame[v.name]))
    if identifying:
        raise ValueError(
            f"columns {shortened(identifying)} have another value in nearly every one of {table.n_rows:,} rows (or of "
            "those where a value is there): they say which row it is, and no score can learn from that. Leave them "
            "out, such as by .drop(columns=[...]) of the DataFrame that bnlab.load_frame reads; or declare their "
            'states by .astype("category").'
        )
    return table


def _apart(
    frame: pd.DataFrame, columns: Mapping[str, str | None], missing: Missing
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Frame without the columns that say something of the rows, and their values; incomplete rows may be dropped."""
    from bnlab.data.encode import complete_rows

    given = {option: column for option, column in columns.items() if column is not None}
    for option, column in given.items():
        if column not in frame.columns:
            raise ValueError(f"{option}={column!r}: no column is called so; {nearest(column, map(str, frame.columns))}")
    if not given:
        return frame, {}
    frame = frame.reset_index(drop=True)
    rest = frame.drop(columns=list(given.values()))
    if missing == "drop":
        rest = complete_rows(rest)
    return rest, {option: frame.loc[rest.index, column] for option, column in given.items()}


def _identifies_rows(arity: int, n_rows: int, column: pd.Series) -> bool:
    """Whether nearly all values of a column are distinct, and its states are not declared."""
    values = min(n_rows, int(column.count()))
    return values >= _MIN_VALUES and arity > _IDENTIFIER_SHARE * values and column.dtype.name != "category"


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
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        if columns is None:
            return load_data(data, missing=missing)
        wanted = set(columns)
        return Table.from_pandas(data[[name for name in data.columns if name in wanted]], missing=missing)
    if isinstance(data, (str, os.PathLike)):
        way_out = f"bnlab.load_data({str(data)!r}) reads a file, or a data set of the catalogue"
    else:
        way_out = (
            'pandas.DataFrame(data, columns=["A", "B", ...]) makes one of an array or a dict of columns, and '
            "net.sample(1000, seed=1) draws rows from a network"
        )
    raise TypeError(f"the data are of type {type(data).__name__}: a Table or a DataFrame is needed; {way_out}.")


def load_frame(source: str | os.PathLike[str] | pd.DataFrame, *, format: FileFormat | None = None) -> pd.DataFrame:
    r"""Load raw data from the catalogue or a file, before any discretization.

    Parameters
    ----------
    source : str, path or DataFrame
        As for `load_data`.
    format : FileFormat, optional
        Format of a text file or a spreadsheet; by default it is detected.

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
    if (path := as_path(source)) is not None:
        found = read_file(path, format=format)
        if found.guessed and found.format is not None:
            encoding = found.format.encoding
            warn_of_guess(path.name, encoding, "give bnlab.load_frame its format=bnlab.data.FileFormat(encoding=...).")
        return found.frame
    if format is not None:
        raise ValueError(f"format={format!r}: only files have one; leave it out.")
    if not isinstance(source, (str, os.PathLike)):
        from bnlab.data.encode import check_frame

        check_frame(source)
        return source
    name = str(source)
    if name.lower() in catalogue.names("network"):
        raise ValueError(
            f"{name!r} is a network, not a data set: sample from it, bnlab.load_network({name.lower()!r})"
            ".sample(10_000, seed=1)."
        )
    return read_uci(name)


def as_path(source: object) -> Path | None:
    """Path of a source that is a file; None for a name of the catalogue or a DataFrame."""
    if not isinstance(source, (str, os.PathLike)) or _is_name(source):
        return None
    path = Path(source)
    is_file = path.suffix.lower() in SUFFIXES or isinstance(source, os.PathLike) or os.path.exists(source)
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
    """Frame with continuous columns as intervals; with "drop", the cuts and the result are of complete rows only."""
    from bnlab.data.encode import check_policy, complete_rows, is_continuous, refuse_missing, refuse_unsuitable

    check_policy(missing)
    refuse_unsuitable(frame)
    if target is not None:
        check_known(target, frame.columns, f"no column is called {target!r}")
    if method == "mdl" and target is None:
        raise ValueError('discretize="mdl" learns its cuts from a class: name it, target="...".')
    if method == "mdl" and is_continuous(frame[target]):
        raise ValueError(f"the target {target!r} is continuous: a class has states. Cut it first, as by pandas.qcut.")
    gaps = [str(name) for name in frame.columns[frame.isna().any()]]
    if gaps and missing == "error":
        refuse_missing(gaps)
    if missing == "drop":
        frame = complete_rows(frame)
    if columns is None:
        columns = tuple(name for name in frame.columns if is_continuous(frame[name]))
    classes = None if target is None else frame[target]
    return with_intervals(frame, cuts_of_columns(frame, columns, method, bins=bins, y=classes))
