"""The source of the counts of some data."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from bnlab.counts.base import CountSource
from bnlab.counts.interventional import InterventionalSource
from bnlab.counts.memory import MemorySource

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.table import Table


DataLike: TypeAlias = "Table | pd.DataFrame | CountSource"

_sources: WeakKeyDictionary[Table, CountSource] = WeakKeyDictionary()


def as_data(data: DataLike) -> Table | CountSource:
    """Table or source itself, or the Table of a DataFrame; TypeError and ValueError as `bnlab.data.as_table` raises."""
    from bnlab.data.load import as_table
    from bnlab.data.table import Table

    if isinstance(data, MemorySource) or (not isinstance(data, Table) and isinstance(data, CountSource)):
        return data
    return as_table(data)


def count_source(data: DataLike) -> CountSource:
    """Source of the counts of a table; one table always gives the same source, so that its bitmaps are built once.

    TypeError and ValueError as `bnlab.data.as_table` raises.
    """
    from bnlab.data.table import Table

    data = as_data(data)
    if not isinstance(data, Table):
        return data
    source = _sources.get(data)
    if source is None:
        made = InterventionalSource(data) if data.interventions else MemorySource(data)
        source = _sources[data] = made
    return source
