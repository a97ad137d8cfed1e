"""Controls and views of an experiment board, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets
import pandas as pd

from bnlab.experiments.rerun import Rerun
from bnlab.figures.papers.confusion import confusion_table
from bnlab.graphs import Dag
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.board.code import BoardCode
from bnlab.widgets.board.table import BoardTable
from bnlab.widgets.graph.view import GraphView

ALL = "all"
NOT_RUN = "not run"
VIEWS = {"table": "table", "forest plot": "forest"}
CONTROL = {"width": "auto", "flex": "1 1 168px", "max_width": "300px"}
DESCRIPTION = {"description_width": "68px"}
WRAPPED = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden", "align_items": "center"}
BESIDE = {**WRAPPED, "align_items": "flex-start"}
HALF = {"flex": "1 1 400px", "min_width": "0", "max_width": "100%"}
WIDE = 14  # columns of a confusion matrix from which on it has a line of its own
GRAPH_HEIGHT = 420
COMPUTED = "Test rows by class and prediction, computed anew: the records keep the hits alone."


class BoardParts:
    """Widgets of a board; the board gives them their values and listens to them.

    Parameters
    ----------
    rerun : Rerun
    table : DataFrame
        From `Rerun.table`.
    variant : str
    """

    def __init__(self, rerun: Rerun, table: pd.DataFrame, variant: str) -> None:
        groups, items = (list(dict.fromkeys(table[name])) for name in ("group", "item"))
        self.heading, self.progress, self.status = (ipywidgets.HTML() for _ in range(3))
        self.choices: dict[str, Any] = {
            "variant": dropdown(rerun.variant_name, rerun.variants, variant, "How everything is run"),
            "group": dropdown(rerun.group_name, with_all(groups), "", "Which rows are shown"),
            "item": dropdown(rerun.item_name, with_all(items), "", "Which columns are shown"),
            "verdict": dropdown("rerun", [ALL, *rerun.verdicts, NOT_RUN], ALL, "Cells of which verdict are shown"),
            "view": dropdown("view", list(VIEWS.items()), "table", "Table or forest plot"),
            "shown_run": dropdown("run", [], None, f"Which {rerun.run_name} is looked at"),
            "shown_network": dropdown("network", [], None, "Which network is drawn"),
        }
        self.runs = ipywidgets.BoundedIntText(
            1,
            min=1,
            max=10_000,
            description=f"{rerun.run_name}s",
            layout={"width": "118px"},
            style={"description_width": "initial"},
        )
        self.runs.tooltip = f"How many {rerun.run_name}s of each cell of the table are run, counted from the first"
        self.buttons = {
            "run_selected": _button("Run selected", "Run what the chosen cell lacks; if nothing, its shown run again"),
            "run": _button("Run all shown", "Run what the shown cells lack"),
            "stop": _button("Stop", "Stop now; what has ended is kept"),
        }
        self.cells = BoardTable(corner=rerun.group_name, description=f"{rerun.title}: printed and rerun")
        self.forest = PlotlyView({"data": [], "layout": {}}, description=f"{rerun.title}: forest plot")
        self.words = ipywidgets.HTML()
        self.confusion = ipywidgets.HTML(layout={"overflow": "auto", "max_width": "100%"})
        self.confusion.tabbable = True  # its own scroll bar answers to arrows
        self.graph = GraphView.from_graph(Dag.empty(["?"]), height=GRAPH_HEIGHT)
        self.code = BoardCode()
        self._arrange()
        self.show(self.choices["variant"], len(rerun.variants) > 1)

    def _arrange(self) -> None:
        close = ("shown_run", "shown_network")
        filters = ipywidgets.Box([c for name, c in self.choices.items() if name not in close], layout=WRAPPED)
        controls = ipywidgets.Box([self.runs, *self.buttons.values()], layout=WRAPPED)
        chosen = ipywidgets.Box([self.choices[name] for name in close], layout=WRAPPED)
        self.left, self.right = (ipywidgets.VBox([part], layout=HALF) for part in (self.confusion, self.graph))
        both = ipywidgets.Box([self.left, self.right], layout=BESIDE)
        self.close = ipywidgets.VBox([chosen, both, self.code], layout={"width": "100%"})
        self.children = [
            *(self.heading, filters, controls, self.progress, self.status),
            *(self.cells, self.forest, self.words, self.close),
        ]

    def show_confusion(self, counts: pd.DataFrame | None) -> None:
        """Show a confusion matrix, or that there is none."""
        self.show(self.left, counts is not None)
        if counts is not None:
            self.confusion.value = confusion_table(counts, caption=COMPUTED).html
            self.left.layout.flex = "1 1 100%" if len(counts.columns) > WIDE else HALF["flex"]

    def show(self, part: Any, shown: bool) -> None:
        """Have a part in its place, or take it out of sight."""
        part.layout.display = None if shown else "none"


def dropdown(name: str, options: Sequence[Any], value: Any, tip: str) -> Any:
    """List to choose from."""
    made = ipywidgets.Dropdown(options=options, description=name, tooltip=tip, layout=CONTROL, style=DESCRIPTION)
    made.value = value
    return made


def with_all(names: Sequence[str]) -> list[tuple[str, str]]:
    """Options of a filter: "" for all, as a list shows nothing where None is chosen again, and each name."""
    return [(ALL, ""), *((name, name) for name in names)]


def _button(text: str, tip: str) -> Any:
    return ipywidgets.Button(description=text, tooltip=tip, layout={"width": "auto"})
