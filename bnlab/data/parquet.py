"""Parquet files that may be larger than memory, as a sequence of tables of some rows each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._runtime.files import check_readable
from bnlab._runtime.names import check_known
from bnlab._runtime.values import at_least
from bnlab.data.readers import errors_named
from bnlab.data.table import Table
from bnlab.data.variable import Variable, shortened

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1 << 18
_NEEDED = "give the path of a .csv or .parquet file."


class ParquetTables:
    """Tables of consecutive rows of a Parquet file or dataset, all with the same variables and states.

    The first pass finds the states, as `bnlab.load_data` does. Each further pass decodes the rows again, at most `rows`
    of them at a time.

    Parameters
    ----------
    path : str or path
        A file, or a folder of files.
    columns : sequence of str, optional
        Columns that become variables, in this order; by default all.
    rows : int
        Maximum number of rows of a table.

    Raises
    ------
    ValueError
        If the file cannot be read or has no rows, a column is unknown, named twice, continuous or has missing values,
        or `rows` is less than 1.
    TypeError
        If a column is of an unsuitable type, or `rows` is not an integer.
    FileNotFoundError, ImportError
        If there is no such file, or pyarrow is missing.

    Examples
    --------
    Counts add up, so a network can be learned from a file that is never in memory as a whole:

    >>> import bnlab
    >>> path = getfixture("tmp_path") / "asia.parquet"
    >>> bnlab.load_network("asia").sample(5000, seed=1).to_pandas().astype(str).to_parquet(path)
    >>> chunks = ParquetTables(path, rows=1000)
    >>> learned = bnlab.learn(bnlab.counts.ChunkedSource(chunks.tables), "hill-climbing")
    >>> learned == bnlab.learn(bnlab.load_data(path), "hill-climbing")
    True
    """

    def __init__(self, path: str | os.PathLike[str], *, columns: Sequence[str] | None = None, rows: int = ROWS) -> None:
        self._dataset, schema = _dataset(path)
        self._columns = _checked(list(schema.names) if columns is None else list(columns), schema)
        self._rows = at_least("rows", rows, 1)
        self._values = self._distinct(schema)
        self.variables = tuple(Variable(name, tuple(v.to_pylist())) for name, v in self._values.items())

    def tables(self) -> Iterator[Table]:
        """Make one pass over the rows."""
        for batch in self._batches():
            codes = [self._codes(batch.column(name), name) for name in self._columns]
            yield Table(self.variables, codes)

    def to_table(self) -> Table:
        """Read all rows into one table in memory, usually one byte per value."""
        total, start = self._dataset.count_rows(), 0
        for part in self.tables():
            if not start:
                whole = [(i, np.empty((len(i), total), block.dtype)) for i, block in part.blocks()]
            for (_, block), (_, piece) in zip(whole, part.blocks(), strict=True):
                block[:, start : start + part.n_rows] = piece
            start += part.n_rows
        return part.with_blocks(whole)

    def _batches(self) -> Iterator[Any]:
        import pyarrow.dataset as ds

        # With read-ahead, a scan would hold several row groups, whose sizes are unknown.
        frugal = {"batch_readahead": 0, "fragment_readahead": 0}
        scan = ds.ParquetFragmentScanOptions(pre_buffer=False)
        for batch in self._dataset.to_batches(
            columns=self._columns, batch_size=self._rows, fragment_scan_options=scan, **frugal
        ):
            if batch.num_rows:
                yield batch

    def _codes(self, column: pa.Array, name: str) -> np.ndarray[Any, Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        if not pa.types.is_dictionary(column.type):
            return np.asarray(pc.index_in(column, value_set=self._values[name]))
        codes = np.asarray(pc.index_in(column.dictionary, value_set=self._values[name]))
        codes = codes.astype(np.min_scalar_type(len(self._values[name]) - 1))
        indices = np.asarray(column.indices)
        if np.array_equal(codes, np.arange(len(codes))):
            return indices.astype(codes.dtype)
        return codes.take(indices)

    def _distinct(self, schema: pa.Schema) -> dict[str, pa.Array]:
        """Distinct values of each column: the categories of a dictionary in their order, other values sorted."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found: dict[str, pa.Array] = {}
        gaps = set()
        for batch in self._batches():
            for name in self._columns:
                column = batch.column(name)
                if column.null_count:
                    gaps.add(name)
                new = column.dictionary if pa.types.is_dictionary(column.type) else pc.unique(column)
                found[name] = pc.unique(pa.chunked_array([found[name], new])) if name in found else new
        if not found:
            raise ValueError("the Parquet data have no rows: a Table needs one at least.")
        if gaps:
            raise ValueError(
                f"columns {shortened(tuple(sorted(gaps)))} have missing values: fill them, for example with a state of "
                "their own, before the file is written."
            )
        return {
            name: values if pa.types.is_dictionary(schema.field(name).type) else values.take(pc.sort_indices(values))
            for name, values in found.items()
        }


def _dataset(path: str | os.PathLike[str]) -> tuple[Any, pa.Schema]:
    """Dataset of a path, and its stored schema."""
    check_readable(path, _NEEDED)
    with errors_named(path, ".parquet"):
        import pyarrow as pa
        import pyarrow.dataset as ds

        stored = ds.dataset(path, format="parquet")
        text = [field.name for field in stored.schema if pa.types.is_string(field.type)]
        # Text is usually stored as a dictionary. Reading it as one avoids making and looking up every string.
        return ds.dataset(path, format=ds.ParquetFileFormat(dictionary_columns=text)), stored.schema


def _checked(columns: list[str], schema: pa.Schema) -> list[str]:
    from bnlab.data.encode import kind_in_arrow

    continuous = []
    for name in columns:
        check_known(name, schema.names, f"no column is called {name!r}")
        if columns.count(name) > 1:
            raise ValueError(f"columns names {name!r} twice: name each column once.")
        held = kind_in_arrow(schema.field(name).type)
        if held == "floats":
            continuous.append(name)
        elif held is None:
            raise TypeError(
                f"column {name!r} is of type {schema.field(name).type}: a Table takes text, integers and booleans; "
                "leave it out with `columns`."
            )
    if continuous:
        raise ValueError(
            f"columns {shortened(tuple(continuous))} are continuous: write them as intervals "
            "(bnlab.data.discretize.to_intervals) before, or leave them out with `columns`."
        )
    return columns
