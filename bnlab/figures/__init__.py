"""Figures: records and graphs in, plotly figures, tables and pictures out; each with the data that it draws."""

from typing import TYPE_CHECKING

from bnlab._lazy import attach
from bnlab.figures.forest_picture import forest_picture
from bnlab.figures.forest_table import forest_table

if TYPE_CHECKING:
    from bnlab.figures.accuracy import PAPER_FIGURES, accuracy_data, accuracy_figure
    from bnlab.figures.comparison import comparison_data, comparison_figure, comparison_matrix, comparison_table
    from bnlab.figures.confusion import confusion_figure, confusion_table
    from bnlab.figures.contingency import contingency_data, contingency_table
    from bnlab.figures.convergence import ConvergenceData, convergence_bands, convergence_data, convergence_figure
    from bnlab.figures.cost import CostData, cost_data, cost_figure
    from bnlab.figures.forest import forest_figure
    from bnlab.figures.hybrid import HybridData, hybrid_data, hybrid_figure
    from bnlab.figures.influence import influence_classes, influence_layout, influence_picture
    from bnlab.figures.layout import Layout, layered_layout
    from bnlab.figures.network import edge_classes, network_layout, network_picture
    from bnlab.figures.network_scores import NetworkScores
    from bnlab.figures.picture import Picture, PictureRow, row
    from bnlab.figures.policies import PolicyData, policies_data, policies_figure
    from bnlab.figures.score_bayes import bayes_factors_data
    from bnlab.figures.score_ess import EssData, ess_data, ess_figure
    from bnlab.figures.score_ess_picture import ess_picture
    from bnlab.figures.score_picture import differences_picture
    from bnlab.figures.score_rows import PrefixScores, rows_data, rows_figure
    from bnlab.figures.scores import contributions_data, contributions_figure, differences_data, differences_figure
    from bnlab.figures.seeds import SeedData, seeds_data, seeds_figure
    from bnlab.figures.sensitivity import SensitivityData, sensitivity_data, sensitivity_figure
    from bnlab.figures.table import HtmlTable, html_table
    from bnlab.figures.weighted import weighted_picture

__all__ = [
    "PAPER_FIGURES",
    "ConvergenceData",
    "CostData",
    "EssData",
    "HtmlTable",
    "HybridData",
    "Layout",
    "NetworkScores",
    "Picture",
    "PictureRow",
    "PolicyData",
    "PrefixScores",
    "SeedData",
    "SensitivityData",
    "accuracy_data",
    "accuracy_figure",
    "bayes_factors_data",
    "comparison_data",
    "comparison_figure",
    "comparison_matrix",
    "comparison_table",
    "confusion_figure",
    "confusion_table",
    "contingency_data",
    "contingency_table",
    "contributions_data",
    "contributions_figure",
    "convergence_bands",
    "convergence_data",
    "convergence_figure",
    "cost_data",
    "cost_figure",
    "differences_data",
    "differences_figure",
    "differences_picture",
    "edge_classes",
    "ess_data",
    "ess_figure",
    "ess_picture",
    "forest_figure",
    "forest_picture",
    "forest_table",
    "html_table",
    "hybrid_data",
    "hybrid_figure",
    "influence_classes",
    "influence_layout",
    "influence_picture",
    "layered_layout",
    "network_layout",
    "network_picture",
    "policies_data",
    "policies_figure",
    "row",
    "rows_data",
    "rows_figure",
    "seeds_data",
    "seeds_figure",
    "sensitivity_data",
    "sensitivity_figure",
    "weighted_picture",
]

# All of them at once would take a second; two have the name of their module, which would stand for them.
__getattr__, __dir__ = attach(
    __name__,
    {
        "PAPER_FIGURES": "accuracy",
        "ConvergenceData": "convergence",
        "CostData": "cost",
        "EssData": "score_ess",
        "HtmlTable": "table",
        "HybridData": "hybrid",
        "Layout": "layout",
        "NetworkScores": "network_scores",
        "Picture": "picture",
        "PictureRow": "picture",
        "PolicyData": "policies",
        "PrefixScores": "score_rows",
        "SeedData": "seeds",
        "SensitivityData": "sensitivity",
        "accuracy_data": "accuracy",
        "accuracy_figure": "accuracy",
        "bayes_factors_data": "score_bayes",
        "comparison_data": "comparison",
        "comparison_figure": "comparison",
        "comparison_matrix": "comparison",
        "comparison_table": "comparison",
        "confusion_figure": "confusion",
        "confusion_table": "confusion",
        "contingency_data": "contingency",
        "contingency_table": "contingency",
        "contributions_data": "scores",
        "contributions_figure": "scores",
        "convergence_bands": "convergence",
        "convergence_data": "convergence",
        "convergence_figure": "convergence",
        "cost_data": "cost",
        "cost_figure": "cost",
        "differences_data": "scores",
        "differences_figure": "scores",
        "differences_picture": "score_picture",
        "edge_classes": "network",
        "ess_data": "score_ess",
        "ess_figure": "score_ess",
        "ess_picture": "score_ess_picture",
        "forest_figure": "forest",
        "html_table": "table",
        "hybrid_data": "hybrid",
        "hybrid_figure": "hybrid",
        "influence_classes": "influence",
        "influence_layout": "influence",
        "influence_picture": "influence",
        "layered_layout": "layout",
        "network_layout": "network",
        "network_picture": "network",
        "policies_data": "policies",
        "policies_figure": "policies",
        "row": "picture",
        "rows_data": "score_rows",
        "rows_figure": "score_rows",
        "seeds_data": "seeds",
        "seeds_figure": "seeds",
        "sensitivity_data": "sensitivity",
        "sensitivity_figure": "sensitivity",
        "weighted_picture": "weighted",
    },
)
