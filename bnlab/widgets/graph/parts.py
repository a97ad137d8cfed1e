"""Parts of a `NetworkGraph`: picture, controls, and the inspector with the scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ipywidgets

from bnlab.graphs import Dag
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.graph import content
from bnlab.widgets.graph.inspector import NodeInspector
from bnlab.widgets.graph.settings import Settings, Values, drawn_strengths
from bnlab.widgets.graph.view import GraphView

AROUND = 74  # pixels of the view above and below its picture
WRAPPED = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden", "grid_gap": "6px 12px"}
PICTURE = {"flex": "1000 1 460px", "min_width": "0", "max_width": "100%"}
DETAILS = {"flex": "1 1 404px", "min_width": "0", "max_width": "100%"}


class GraphParts:
    """Widgets of a `NetworkGraph`, and how they show its session.

    Parameters
    ----------
    settings : Settings
    height : int
        Pixels.

    Attributes
    ----------
    view : GraphView
    controls : Controls
    inspector : NodeInspector
    children : list of widget
        From top to bottom.
    """

    def __init__(self, settings: Settings, height: int) -> None:
        self._settings, self._session = settings, settings.session
        self.view = GraphView(height=height)
        self.controls = Controls("Graph")
        self.inspector = NodeInspector(height=height + AROUND)
        picture = ipywidgets.VBox([self.view], layout=PICTURE)
        details = ipywidgets.VBox([self.inspector], layout=DETAILS)
        self.children = [self.controls, ipywidgets.Box([picture, details], layout=WRAPPED)]

    def edge(self, edge: tuple[str, str] | None) -> Mapping[str, Any] | None:
        """An edge as the picture shows it; None when it does not."""
        return next((shown for shown in self.view.edges if (shown["u"], shown["v"]) == edge), None)

    def draw(self, values: Values, *, relayout: bool = False) -> None:
        """Draw the present graph."""
        session, reference = self._session, self._settings.reference if values.compare else None
        shown: Any = session.essential() if values.show_essential else session.graph
        with self.view.hold_sync():
            self.view.set_graph(
                shown,
                content.comparable(reference, shown, essential=values.show_essential),
                **drawn_strengths(self._settings.strengths(values), values),
                node_kinds=dict.fromkeys(session.evidence, "evidence"),
                titles=content.titles(session),
                bars=content.bars(session) if values.bars else None,
                relayout=relayout,
            )
            self.view.editable = values.editable and isinstance(shown, Dag)

    def show_controls(self, values: Values) -> None:
        """Show the controls with their values."""
        self.controls.show([self._settings.controls(values)])

    def show_scores(self, chosen: str) -> None:
        """Show the scores of the graph, one of them chosen."""
        self.inspector.scores = content.score_table(self._session, chosen)

    def show_details(self, node: str | None, edge: tuple[str, str] | None) -> None:
        """Show the details of what is selected."""
        self.inspector.content = content.content(
            self._session, node, self.edge(edge), reference=self._settings.reference, editable=self.view.editable
        )
