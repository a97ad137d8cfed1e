"""Widgets: state in traits that code can read, set and observe; drawing in the page.

``%load_ext bnlab.widgets`` makes notebooks show graphs and networks as pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnlab._runtime.lazy import attach

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from bnlab.widgets.base.plotly_view import PlotlyView
    from bnlab.widgets.board.experiment_board import ExperimentBoard
    from bnlab.widgets.explorer.edge_explorer import EdgeExplorer
    from bnlab.widgets.graph.network_graph import NetworkGraph
    from bnlab.widgets.graph.view import GraphView
    from bnlab.widgets.player.charts import ConvergencePlot, PolicyMap
    from bnlab.widgets.player.search_player import SearchPlayer
    from bnlab.widgets.scores.score_panel import ScorePanel
    from bnlab.widgets.workbench.workbench import Workbench

__all__ = [
    "ConvergencePlot",
    "EdgeExplorer",
    "ExperimentBoard",
    "GraphView",
    "NetworkGraph",
    "PlotlyView",
    "PolicyMap",
    "ScorePanel",
    "SearchPlayer",
    "Workbench",
    "load_ipython_extension",
    "unload_ipython_extension",
]
# A network is drawn without the modules of all other widgets.
__getattr__, __dir__ = attach(__name__, __file__)

PICTURED = [("bnlab.graphs.dag", "Dag"), ("bnlab.graphs.pdag", "Pdag"), ("bnlab.networks.network", "BayesianNetwork")]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Show graphs and networks as pictures from now on."""
    for module, name in PICTURED:
        shell.display_formatter.formatters["text/html"].for_type_by_name(module, name, _pictured)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Show graphs and networks as text again."""
    for module, name in PICTURED:
        shell.display_formatter.formatters["text/html"].pop(f"{module}.{name}", None)


def _pictured(graph: Any) -> str:
    from bnlab.figures.graphs.network import network_picture

    return network_picture(graph).to_html()
