"""UCI data sets as DataFrames with named columns.

`uci.csv` describes the format of the files. Attribute names are those of the .names and .doc files of the data, in
lower case with hyphens. The class column is always the last and called "class". Numeric attributes are floats, except
in letter and satimage, whose values are small integers. Nominal attributes and the class are categoricals of the values
that occur in the files.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from bnlab._runtime.names import nearest
from bnlab.data.catalogue import entries, fetch
from bnlab.data.catalogue import names as catalogue_names

if TYPE_CHECKING:
    import pandas as pd

CLASS = "class"


@dataclass(frozen=True)
class Layout:
    """Format of the files of one data set, which are read one after the other.

    `columns` are in the order of the file. Attributes that are not `nominal` are numeric; they are integers if `whole`.
    `separator` is "comma", or "blank" for any number of blanks. `skip` lines precede the data. `id_column` holds row
    numbers.
    """

    files: tuple[str, ...]
    columns: tuple[str, ...]
    nominal: tuple[str, ...] = ()
    separator: str = "comma"
    skip: int = 0
    whole: bool = False
    id_column: str | None = None

    @property
    def numeric(self) -> tuple[str, ...]:
        """Attributes that UCI calls numeric."""
        return tuple(name for name in self.columns if name not in (*self.nominal, CLASS, self.id_column))


@cache
def layouts() -> dict[str, Layout]:
    """Format of each data set that has files in the catalogue."""
    text = files("bnlab.data").joinpath("uci.csv").read_text(encoding="utf-8")
    return {line["name"]: _layout(line) for line in csv.DictReader(io.StringIO(text))}


def _layout(line: dict[str, str]) -> Layout:
    columns = tuple(line["columns"].split())
    attributes = tuple(name for name in columns if name != CLASS)
    return Layout(
        tuple(entry.file for entry in entries() if (entry.kind, entry.name) == ("uci", line["name"])),
        columns,
        attributes if line["nominal"] == "all" else tuple(line["nominal"].split()),
        line["separator"],
        int(line["skip"]),
        line["whole"] == "yes",
        line["id_column"] or None,
    )


def read_uci(name: str, *, keep_id: bool = False) -> pd.DataFrame:
    """Read a data set by its name; ValueError for an unknown name.

    "?" becomes a missing value; the zeros of diabetes that denote missing values do not change. `keep_id` keeps the row
    numbers of glass (its file is sorted by class, so that they determine the class).
    """
    import pandas as pd

    layout = layouts().get(name)
    if keep_id and (layout is None or layout.id_column is None):
        raise ValueError(f"keep_id=True: {name!r} has no column of row numbers (glass has).")
    if layout is None:
        if name in catalogue_names("mmhc"):
            raise ValueError(f"{name!r} is many samples of one network: take one by bnlab.data.mmhc_sample({name!r}).")
        raise ValueError(
            f"no data set is called {name!r}: {nearest(name, layouts())} (A file ends in .csv, .xlsx or the like.)"
        )
    parts = [_read_text(file, layout) for file in layout.files]
    frame = pd.concat(parts, ignore_index=True)
    columns = {column: _typed(frame[column], column in layout.numeric, layout.whole) for column in frame}
    if layout.id_column is not None:
        row_number = columns.pop(layout.id_column)
        if keep_id:
            columns = {layout.id_column: row_number.cat.rename_categories(int).astype("int64"), **columns}
    label = columns.pop(CLASS)
    return pd.DataFrame({**columns, CLASS: label})


def _read_text(file: str, layout: Layout) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(
        fetch(file),
        sep=r"\s+" if layout.separator == "blank" else ",",
        header=None,
        names=list(layout.columns),
        skiprows=layout.skip,
        dtype=str,
        na_values=["?"],
        keep_default_na=False,
    )


def _typed(column: pd.Series, numeric: bool, whole: bool) -> pd.Series:
    import pandas as pd

    if numeric:
        return column.astype("int64" if whole else "float64")
    try:
        numbers = pd.to_numeric(column)
    except ValueError:
        return column.astype("category")
    return numbers.astype("Int64").astype("category")
