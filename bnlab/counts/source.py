"""Sources of the counts of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from bnlab.counts.base import CountSource
from bnlab.counts.interventional import InterventionalSource
from bnlab.counts.memory import MemorySource
from bnlab.counts.weighted import WeightedSource

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.table import Table


DataLike: TypeAlias = "Table | pd.DataFrame | CountSource"

_sources: WeakKeyDictionary[Table, CountSource] = WeakKeyDictionary()


def as_data(data: DataLike) -> Table | CountSource:
    """Return a Table or source unchanged, a DataFrame as a Table; errors are those of `bnlab.data.as_table`."""
    from bnlab.data.load import as_table

    return data if isinstance(data, CountSource) else as_table(data)


def count_source(data: DataLike) -> CountSource:
    """Source of the counts of a table; one table always gives the same source, so that its bitmaps are built once.

    TypeError and ValueError as for `bnlab.data.as_table`.
    """
    from bnlab.data.table import Table

    data = as_data(data)
    if not isinstance(data, Table):
        return data
    source = _sources.get(data)
    if source is None:
        source = _sources[data] = source_of(data)
    return source


def source_of(table: Table, **options: Any) -> CountSource:
    """Make the source that honours what a table carries; options are those of `MemorySource`, where it counts.

    Raises
    ------
    ValueError
        If values are missing: `bnlab.counts.AvailableCases` counts such tables.
    """
    if table.weights is not None:
        return WeightedSource(table)
    return InterventionalSource(table, **options) if table.interventions else MemorySource(table, **options)
