"""Reproductions of four papers: protocol, runs, claims and charts of each; simulated networks over time; and studies.

Nothing else in the library imports this package.
"""

from typing import TYPE_CHECKING

from bnlab._runtime.lazy import attach

if TYPE_CHECKING:
    from bnlab.papers.base.board.experiment_board import ExperimentBoard
    from bnlab.papers.base.forest import forest_figure, forest_picture
    from bnlab.papers.base.tables import forest_table
    from bnlab.papers.carvalho2009.accuracy import (
        PAPER_FIGURES,
        SeedData,
        accuracy_data,
        accuracy_figure,
        seeds_data,
        seeds_figure,
    )
    from bnlab.papers.experiments import PAPERS, experiment_of
    from bnlab.papers.matuszak2012.chen_panel import ChenPanel
    from bnlab.papers.studies.calibration_chart import reliability_figure
    from bnlab.papers.villanueva2012.charts import (
        CostData,
        HybridData,
        SensitivityData,
        cost_data,
        cost_figure,
        hybrid_data,
        hybrid_figure,
        sensitivity_data,
        sensitivity_figure,
    )
    from bnlab.papers.villanueva2012.edge_explorer import EdgeExplorer

__all__ = [
    "PAPERS",
    "PAPER_FIGURES",
    "ChenPanel",
    "CostData",
    "EdgeExplorer",
    "ExperimentBoard",
    "HybridData",
    "SeedData",
    "SensitivityData",
    "accuracy_data",
    "accuracy_figure",
    "cost_data",
    "cost_figure",
    "experiment_of",
    "forest_figure",
    "forest_picture",
    "forest_table",
    "hybrid_data",
    "hybrid_figure",
    "reliability_figure",
    "seeds_data",
    "seeds_figure",
    "sensitivity_data",
    "sensitivity_figure",
]

# The code of a paper is imported when it is used.
__getattr__, __dir__ = attach(__name__, __file__)
