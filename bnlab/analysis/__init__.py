"""Analysis of user data: columns, their preparation, learned networks, and code that repeats every step."""

from bnlab.analysis.agreement import distances, edge_agreement
from bnlab.analysis.columns import ColumnPreview, column_preview, describe_columns
from bnlab.analysis.findings import Sentence, findings
from bnlab.analysis.preparation import Preparation, cut_points
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.study import Study
from bnlab.analysis.validation import cross_validate
from bnlab.analysis.validation_result import CrossValidation

__all__ = [
    "ColumnPreview",
    "CrossValidation",
    "Preparation",
    "Recipe",
    "Sentence",
    "Study",
    "column_preview",
    "cross_validate",
    "cut_points",
    "describe_columns",
    "distances",
    "edge_agreement",
    "findings",
]
