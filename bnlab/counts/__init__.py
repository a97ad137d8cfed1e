"""Sufficient statistics: the only code of the package that reads rows."""

from bnlab.counts.family import Family, FamilyBatch, FamilyCounts
from bnlab.counts.source import CountSource, count_source

__all__ = ["CountSource", "Family", "FamilyBatch", "FamilyCounts", "count_source"]
