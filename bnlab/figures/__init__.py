"""Figures: records and graphs in, plotly figures, tables and pictures out; each with the data that it draws."""

from typing import TYPE_CHECKING

from bnlab._runtime.lazy import attach, exported

if TYPE_CHECKING:
    from bnlab.figures.confidence.calibration import reliability_figure as reliability_figure
    from bnlab.figures.confidence.chains import ChainsData as ChainsData
    from bnlab.figures.confidence.chains import chains_data as chains_data
    from bnlab.figures.confidence.chains import chains_figure as chains_figure
    from bnlab.figures.confidence.methods import methods_data as methods_data
    from bnlab.figures.confidence.methods import methods_figure as methods_figure
    from bnlab.figures.confidence.probabilities import probabilities_figure as probabilities_figure
    from bnlab.figures.gaps import gaps_figure as gaps_figure
    from bnlab.figures.graphs.influence import influence_classes as influence_classes
    from bnlab.figures.graphs.influence import influence_layout as influence_layout
    from bnlab.figures.graphs.influence import influence_picture as influence_picture
    from bnlab.figures.graphs.layout import Layout as Layout
    from bnlab.figures.graphs.layout import layered_layout as layered_layout
    from bnlab.figures.graphs.network import edge_classes as edge_classes
    from bnlab.figures.graphs.network import network_layout as network_layout
    from bnlab.figures.graphs.network import network_picture as network_picture
    from bnlab.figures.graphs.weighted import weighted_picture as weighted_picture
    from bnlab.figures.papers.accuracy import PAPER_FIGURES as PAPER_FIGURES
    from bnlab.figures.papers.accuracy import SeedData as SeedData
    from bnlab.figures.papers.accuracy import accuracy_data as accuracy_data
    from bnlab.figures.papers.accuracy import accuracy_figure as accuracy_figure
    from bnlab.figures.papers.accuracy import seeds_data as seeds_data
    from bnlab.figures.papers.accuracy import seeds_figure as seeds_figure
    from bnlab.figures.papers.forest import forest_figure as forest_figure
    from bnlab.figures.papers.forest import forest_picture as forest_picture
    from bnlab.figures.papers.skeletons import CostData as CostData
    from bnlab.figures.papers.skeletons import HybridData as HybridData
    from bnlab.figures.papers.skeletons import SensitivityData as SensitivityData
    from bnlab.figures.papers.skeletons import cost_data as cost_data
    from bnlab.figures.papers.skeletons import cost_figure as cost_figure
    from bnlab.figures.papers.skeletons import hybrid_data as hybrid_data
    from bnlab.figures.papers.skeletons import hybrid_figure as hybrid_figure
    from bnlab.figures.papers.skeletons import sensitivity_data as sensitivity_data
    from bnlab.figures.papers.skeletons import sensitivity_figure as sensitivity_figure
    from bnlab.figures.papers.tables import confusion_table as confusion_table
    from bnlab.figures.papers.tables import contingency_data as contingency_data
    from bnlab.figures.papers.tables import contingency_table as contingency_table
    from bnlab.figures.papers.tables import forest_table as forest_table
    from bnlab.figures.picture import Picture as Picture
    from bnlab.figures.picture import PictureRow as PictureRow
    from bnlab.figures.picture import row as row
    from bnlab.figures.plotly_svg.figure import still as still
    from bnlab.figures.queries.effects import EffectsData as EffectsData
    from bnlab.figures.queries.effects import effects_data as effects_data
    from bnlab.figures.queries.effects import effects_figure as effects_figure
    from bnlab.figures.queries.relevance import relevance_figure as relevance_figure
    from bnlab.figures.scores.differences import contributions_data as contributions_data
    from bnlab.figures.scores.differences import contributions_figure as contributions_figure
    from bnlab.figures.scores.differences import differences_data as differences_data
    from bnlab.figures.scores.differences import differences_figure as differences_figure
    from bnlab.figures.scores.differences import differences_picture as differences_picture
    from bnlab.figures.scores.ess import EssData as EssData
    from bnlab.figures.scores.ess import ess_data as ess_data
    from bnlab.figures.scores.ess import ess_figure as ess_figure
    from bnlab.figures.scores.ess import ess_picture as ess_picture
    from bnlab.figures.scores.network_scores import NetworkScores as NetworkScores
    from bnlab.figures.scores.sample_size import PrefixScores as PrefixScores
    from bnlab.figures.scores.sample_size import rows_figure as rows_figure
    from bnlab.figures.searches.convergence import ConvergenceData as ConvergenceData
    from bnlab.figures.searches.convergence import convergence_bands as convergence_bands
    from bnlab.figures.searches.convergence import convergence_data as convergence_data
    from bnlab.figures.searches.convergence import convergence_figure as convergence_figure
    from bnlab.figures.searches.convergence import convergence_picture as convergence_picture
    from bnlab.figures.searches.policies import PolicyData as PolicyData
    from bnlab.figures.searches.policies import policies_data as policies_data
    from bnlab.figures.searches.policies import policies_figure as policies_figure
    from bnlab.figures.searches.policies import policies_picture as policies_picture
    from bnlab.figures.table import HtmlTable as HtmlTable
    from bnlab.figures.table import html_table as html_table

__all__ = exported(__name__, __file__)
# All of them at once would take a second.
__getattr__, __dir__ = attach(__name__, __file__)
