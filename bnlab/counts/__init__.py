"""Sufficient statistics: the only code of the package that reads rows."""

from typing import TYPE_CHECKING

from bnlab._lazy import attach
from bnlab.counts.family import Family, FamilyBatch, FamilyCounts
from bnlab.counts.source import CountSource, count_source

if TYPE_CHECKING:
    from bnlab.counts.chunked import ChunkedSource
    from bnlab.counts.cluster import DaskSource
    from bnlab.counts.memory import MemorySource

__all__ = [
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
__getattr__, __dir__ = attach(__name__, {"ChunkedSource": "chunked", "DaskSource": "cluster", "MemorySource": "memory"})
