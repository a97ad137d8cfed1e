"""Exploring one's own data: what the columns are, how they become states, what was learned, and how to do it again."""

from bnlab.analysis.agreement import distances, edge_agreement
from bnlab.analysis.columns import ColumnPreview, column_preview, describe_columns
from bnlab.analysis.preparation import Preparation, cut_points
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.study import Study

__all__ = [
    "ColumnPreview",
    "Preparation",
    "Recipe",
    "Study",
    "column_preview",
    "cut_points",
    "describe_columns",
    "distances",
    "edge_agreement",
]
