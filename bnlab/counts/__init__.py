"""Sufficient statistics: the only code of the package that reads rows."""

from typing import TYPE_CHECKING

from bnlab._runtime.lazy import attach
from bnlab.counts.base import CountSource
from bnlab.counts.source import count_source
from bnlab.counts.types import Family, FamilyBatch, FamilyCounts

if TYPE_CHECKING:
    from bnlab.counts import information as information
    from bnlab.counts.chunked import ChunkedSource
    from bnlab.counts.dask import DaskSource
    from bnlab.counts.incomplete import AvailableCases
    from bnlab.counts.memory import MemorySource

__all__ = [
    "AvailableCases",
    "ChunkedSource",
    "CountSource",
    "DaskSource",
    "Family",
    "FamilyBatch",
    "FamilyCounts",
    "MemorySource",
    "count_source",
]

# The kernels and Dask are loaded on first use.
__getattr__, __dir__ = attach(__name__, __file__)
