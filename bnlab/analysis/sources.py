"""Where the data of a study come from: a path, a name of the catalogue, a frame, or an uploaded file."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from bnlab._runtime.files import digest_of, write_new
from bnlab.data.load import load_frame, read_file
from bnlab.data.table import Table

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".parquet", ".pq")


class Source(NamedTuple):
    """Data, and how to get them again.

    Attributes
    ----------
    frame : DataFrame
    path : str
        What `bnlab.load_frame` takes; empty for data that came from elsewhere.
    name : str
        To show.
    content : bytes or None
        Of a file that was sent, which is nowhere on this disk.
    digest : str
        SHA-256 of the file at that path if `keep_beside` wrote it; empty for a file of the user's.
    """

    frame: pd.DataFrame
    path: str
    name: str
    content: bytes | None = None
    digest: str = ""


def open_source(data: str | os.PathLike[str] | pd.DataFrame | Table) -> Source:
    """Read data.

    Parameters
    ----------
    data : str, path, DataFrame or Table
        As for `bnlab.load_frame`; a Table is taken as its DataFrame.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As for `bnlab.load_frame`.
    """
    if isinstance(data, Table):
        return Source(data.to_pandas(), "", "a Table")
    if not isinstance(data, (str, os.PathLike)):
        from bnlab.data.encode import check_frame

        check_frame(data)
        return Source(data, "", "a DataFrame")
    frame = load_frame(data)
    return Source(frame, str(data), Path(data).name)


def read_sent(name: str, content: bytes) -> Source:
    r"""Read an uploaded file; its name is only shown and determines the format.

    Raises
    ------
    ValueError
        As for `open_source`, or when the name ends neither in .csv nor in .parquet.

    Examples
    --------
    >>> read_sent("../pets.csv", b"pet,legs\ncat,4\nfish,0\n").frame["legs"].tolist()
    [4, 0]
    """
    if Path(name).suffix.lower() not in SUFFIXES:
        raise ValueError(f"{name!r}: a .csv or .parquet file is needed, with the names of the columns in it.")
    return Source(read_file(Path(name), content), "", name, content)


def keep_beside(source: Source, path: Path) -> Source:
    """Write data that are in no file beside one of this study; returns how to get them from there.

    No file is replaced: the data take a free name, unless a file has this very content. What was written before serves
    again while it is unchanged.

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    if source.path and (not source.digest or digest_of(source.path) == source.digest):
        return source
    suffix = Path(source.name).suffix.lower() if source.content is not None else ".csv"
    stem = re.sub(r"\.study$", "", path.stem)
    beside = write_new(path.with_name(f"{stem}-data{suffix}"), partial(_write_data, source))
    return source._replace(path=str(beside), digest=digest_of(beside) or "")


def _write_data(source: Source, file: IO[bytes]) -> None:
    if source.content is not None:
        file.write(source.content)
    else:
        source.frame.to_csv(file, index=False)
