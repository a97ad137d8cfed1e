"""Figures, tables and pictures of records and graphs, and functions that return the data they draw."""

from typing import TYPE_CHECKING

from bnlab._runtime.lazy import attach

if TYPE_CHECKING:
    from bnlab.figures.confidence.chains import ChainsData, chains_data, chains_figure
    from bnlab.figures.confidence.methods import methods_data, methods_figure
    from bnlab.figures.confidence.probabilities import probabilities_figure
    from bnlab.figures.contingency import confusion_table, contingency_data, contingency_table
    from bnlab.figures.gaps import gaps_figure
    from bnlab.figures.graphs.influence import influence_classes, influence_layout, influence_picture
    from bnlab.figures.graphs.layout import Layout, layered_layout
    from bnlab.figures.graphs.network import edge_classes, network_layout, network_picture
    from bnlab.figures.graphs.slices import slices_layout
    from bnlab.figures.graphs.weighted import weighted_picture
    from bnlab.figures.picture import Picture, PictureRow, row
    from bnlab.figures.plotly_svg.figure import still
    from bnlab.figures.queries.effects import EffectsData, effects_data, effects_figure
    from bnlab.figures.queries.forecast import ForecastData, forecast_data, forecast_figure
    from bnlab.figures.queries.relevance import relevance_figure
    from bnlab.figures.queries.tornado import TornadoData, tornado_data, tornado_figure
    from bnlab.figures.queries.validation import calibration_figure, roc_figure
    from bnlab.figures.scores.differences import (
        contributions_data,
        contributions_figure,
        differences_data,
        differences_figure,
        differences_picture,
    )
    from bnlab.figures.scores.ess import EssData, ess_data, ess_figure, ess_picture
    from bnlab.figures.scores.network_scores import NetworkScores
    from bnlab.figures.scores.sample_size import PrefixScores, rows_figure
    from bnlab.figures.searches.convergence import (
        ConvergenceData,
        convergence_bands,
        convergence_data,
        convergence_figure,
        convergence_picture,
    )
    from bnlab.figures.searches.policies import PolicyData, policies_data, policies_figure, policies_picture
    from bnlab.figures.table import HtmlTable, html_table

__all__ = [
    "ChainsData",
    "ConvergenceData",
    "EffectsData",
    "EssData",
    "ForecastData",
    "HtmlTable",
    "Layout",
    "NetworkScores",
    "Picture",
    "PictureRow",
    "PolicyData",
    "PrefixScores",
    "TornadoData",
    "calibration_figure",
    "chains_data",
    "chains_figure",
    "confusion_table",
    "contingency_data",
    "contingency_table",
    "contributions_data",
    "contributions_figure",
    "convergence_bands",
    "convergence_data",
    "convergence_figure",
    "convergence_picture",
    "differences_data",
    "differences_figure",
    "differences_picture",
    "edge_classes",
    "effects_data",
    "effects_figure",
    "ess_data",
    "ess_figure",
    "ess_picture",
    "forecast_data",
    "forecast_figure",
    "gaps_figure",
    "html_table",
    "influence_classes",
    "influence_layout",
    "influence_picture",
    "layered_layout",
    "methods_data",
    "methods_figure",
    "network_layout",
    "network_picture",
    "policies_data",
    "policies_figure",
    "policies_picture",
    "probabilities_figure",
    "relevance_figure",
    "roc_figure",
    "row",
    "rows_figure",
    "slices_layout",
    "still",
    "tornado_data",
    "tornado_figure",
    "weighted_picture",
]

# To import all of them at once would take a second.
__getattr__, __dir__ = attach(__name__, __file__)
