"""Sufficient statistics: the only code of the package that reads rows."""

from typing import Any

from bnlab.counts.family import Family, FamilyBatch, FamilyCounts
from bnlab.counts.source import CountSource, count_source

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


def __getattr__(name: str) -> Any:  # the kernels and Dask are loaded on first use
    if name == "MemorySource":
        from bnlab.counts.memory import MemorySource

        return MemorySource
    if name == "ChunkedSource":
        from bnlab.counts.chunked import ChunkedSource

        return ChunkedSource
    if name == "DaskSource":
        from bnlab.counts.cluster import DaskSource

        return DaskSource
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
