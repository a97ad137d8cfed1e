"""Figures: records and graphs in, plotly figures, tables and pictures out; each with the data that it draws."""

from bnlab.figures.accuracy import PAPER_FIGURES, accuracy_data, accuracy_figure
from bnlab.figures.comparison import comparison_data, comparison_figure, comparison_matrix, comparison_table
from bnlab.figures.layout import Layout, layered_layout
from bnlab.figures.network import edge_classes, network_layout, network_picture
from bnlab.figures.network_scores import NetworkScores
from bnlab.figures.picture import Picture, PictureRow, row
from bnlab.figures.score_picture import differences_picture
from bnlab.figures.scores import (
    EssData,
    contributions_data,
    contributions_figure,
    differences_data,
    differences_figure,
    ess_data,
    ess_figure,
)
from bnlab.figures.seeds import SeedData, seeds_data, seeds_figure
from bnlab.figures.table import HtmlTable, html_table
from bnlab.figures.weighted import weighted_picture

__all__ = [
    "PAPER_FIGURES",
    "EssData",
    "HtmlTable",
    "Layout",
    "NetworkScores",
    "Picture",
    "PictureRow",
    "SeedData",
    "accuracy_data",
    "accuracy_figure",
    "comparison_data",
    "comparison_figure",
    "comparison_matrix",
    "comparison_table",
    "contributions_data",
    "contributions_figure",
    "differences_data",
    "differences_figure",
    "differences_picture",
    "edge_classes",
    "ess_data",
    "ess_figure",
    "html_table",
    "layered_layout",
    "network_layout",
    "network_picture",
    "row",
    "seeds_data",
    "seeds_figure",
    "weighted_picture",
]
