"""Widgets: state in traits that code can read, set and observe; drawing in the page.

In a notebook, `import bnlab` lets graphs and networks show as pictures, comparisons and scores as tables.
`unload_ipython_extension(get_ipython())` shows them as text again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bnlab._runtime.lazy import attach

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from bnlab.widgets.base.plotly_view import PlotlyView
    from bnlab.widgets.graph.network_graph import NetworkGraph
    from bnlab.widgets.graph.view import GraphView
    from bnlab.widgets.player.charts import ConvergencePlot, PolicyMap
    from bnlab.widgets.player.search_player import SearchPlayer
    from bnlab.widgets.scores.score_panel import ScorePanel
    from bnlab.widgets.workbench.workbench import Workbench

__all__ = [
    "ConvergencePlot",
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

_SHOWN = {
    ("bnlab.graphs.dag", "Dag"): "graph_html",
    ("bnlab.graphs.pdag", "Pdag"): "graph_html",
    ("bnlab.networks.network", "BayesianNetwork"): "graph_html",
    ("bnlab.graphs.knowledge", "Knowledge"): "knowledge_html",
    ("bnlab.graphs.confidence", "EdgeConfidence"): "confidence_html",
    ("bnlab.graphs.comparison", "Comparison"): "comparison_html",
    ("bnlab.scores.local", "LocalScore"): "score_html",
}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Show graphs and networks as pictures, comparisons and scores as tables; `import bnlab` does it in a notebook."""
    for (module, name), shown in _SHOWN.items():
        shell.display_formatter.formatters["text/html"].for_type_by_name(module, name, partial(_html, shown))


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Show them as text again."""
    for module, name in _SHOWN:
        shell.display_formatter.formatters["text/html"].pop(f"{module}.{name}", None)


def _html(shown: str, value: Any) -> str | None:
    from bnlab.figures import plain

    html: str | None = getattr(plain, shown)(value)
    return html
