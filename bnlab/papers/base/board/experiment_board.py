"""Reported and reproduced numbers of a paper, with the runs behind them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets

from bnlab.graphs import Dag
from bnlab.papers.base.board.content import page, still
from bnlab.papers.base.board.state import Resized, Row, Run, RunSelected, State, StopRun
from bnlab.papers.base.board.update import begun, update
from bnlab.papers.base.experiment import Experiment, Network, Records, RunDetail
from bnlab.papers.base.forest import forest_figure
from bnlab.papers.base.grid import Cell
from bnlab.papers.base.processes import Processes
from bnlab.papers.base.tables import agreement, forest_table
from bnlab.papers.experiments import experiment_of
from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.parts import Composite, column, row, show_part
from bnlab.widgets.base.plotly_view import PlotlyView
from bnlab.widgets.base.pure import Set
from bnlab.widgets.graph.view import GraphView

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

TABLE, GRAPH = "0 1 auto", "1 1 480px"
"""Widths of the confusion matrix and of the network beside it, as values of the CSS property flex."""
GRAPH_HEIGHT = 420
BUTTONS = {"run": Run(), "run_selected": RunSelected(), "stop": StopRun()}


class ExperimentBoard(Composite):
    """Reported and reproduced numbers of a whole paper.

    The board has a table and a forest plot of every reported number, filters, and the runs, confusion matrix, network
    and code of the selected number. It can start missing runs. Each record is written when its run ends, so that a
    stopped or closed board continues where it was.

    Parameters
    ----------
    paper : str or Experiment
        "carvalho2009", "carvalho2007", "villanueva2012" or "matuszak2012".
    records : path-like, optional
        Folder of the paper's records, including new ones; without a folder, records are only in memory.
    variant : str, optional
        First value of the attribute; the first variant by default.
    processes : int
        Number of processes that run cells; with 0, cells run in this process, and a stop waits for the current cell.

    Attributes
    ----------
    variant : str
        Protocol of all runs, or the kind of reported numbers.
    group, item : str or None
        Shown group, such as a data set, and shown item, such as a score; None for all.
    verdict : str
        Shown rows: "all", "not run", or one of the paper's two verdicts, such as "agrees" and "differs".
    view : str
        "table" or "forest".
    selected : list of str, or None
        Selected row, [group, item]; None if no row is selected.
    shown_run : str or None
        Name of the shown run of the selected row; None if no row is selected.
    shown_network : str or None
        Name of the shown network of that run; None until its networks are known.
    runs : int
        Number of seeds or samples per row that `run` runs, counted from the first.
    running : bool
        Whether cells are running.
    progress : dict
        Progress of the current or last run: done, total, and left in seconds or None.
    status : str
        Last message; `failed` says whether it is an error.

    Raises
    ------
    ValueError
        If the paper or a setting is unknown, or the folder does not exist.

    Examples
    --------
    >>> from bnlab.papers import ExperimentBoard
    >>> board = ExperimentBoard("carvalho2009")
    >>> board.verdict = "not run"
    >>> len(board.to_frame())
    96
    >>> board.close()
    """

    update, page, still = staticmethod(update), staticmethod(page), staticmethod(still)
    public = (
        *("variant", "group", "item", "verdict", "view", "selected", "shown_run", "shown_network", "runs"),
        *("running", "progress", "status", "failed"),
    )

    def __init__(
        self,
        paper: str | Experiment,
        records: str | os.PathLike[str] | None = None,
        *,
        variant: str | None = None,
        processes: int = 1,
    ) -> None:
        rerun = experiment_of(paper) if isinstance(paper, str) else paper
        runner, details_runner = (Processes(processes), Processes(1)) if processes else (None, None)
        state = State(rerun, Records(rerun, records), runner, details_runner, rerun.variants[0])
        if variant is not None:
            state, _ = update(begun(state), Set("variant", variant))
        super().__init__(begun(state), children=self._built(rerun.title))
        self._show(page(self.state))
        for controls in (self.controls, self._choices, self._results):
            controls.on_change(self._used)
        self._forest.observe(self._point_clicked, "clicked")
        self._forest.observe(lambda change: self.handle(lambda: Resized(change["new"])), "room")

    @property
    def records(self) -> Records:
        """Records of the paper, with those of new runs."""
        records: Records = self.state.records
        return records

    @property
    def cell(self) -> Cell | None:
        """Cell of the shown run."""
        cell: Cell | None = self.state.cell
        return cell

    @property
    def run_detail(self) -> RunDetail | None:
        """Details of the shown run; None until they are recomputed."""
        detail: RunDetail | None = self.state.run_detail
        return detail

    @property
    def confusion(self) -> pd.DataFrame | None:
        """Confusion matrix of the shown run; None if it has none or is not recomputed yet."""
        return self.state.confusion

    @property
    def networks(self) -> list[str]:
        """Names of the networks of the shown run."""
        networks: list[str] = self.state.networks
        return networks

    @property
    def network(self) -> Network | None:
        """Shown network."""
        network: Network | None = self.state.network
        return network

    @property
    def code(self) -> str:
        """Python code that repeats the shown run; empty if no run is shown."""
        code: str = self.state.code
        return code

    def to_frame(self) -> pd.DataFrame:
        """Reported and reproduced numbers of the shown rows.

        Returns
        -------
        DataFrame
            As `bnlab.papers.base.experiment.Experiment.table`, without the texts.
        """
        return self.state.shown.drop(columns=["text", "note"]).reset_index(drop=True)

    def figure(self, **options: Any) -> go.Figure:
        """Forest plot of the shown rows; options as for `bnlab.papers.base.forest.forest_figure`."""
        return forest_figure(self.state.shown, **{**self.state.titles, **options})

    def run(self, rows: Sequence[Row] | None = None) -> None:
        """Run cells without a record in the background, `runs` seeds or samples per row.

        Parameters
        ----------
        rows : sequence of (group, item), optional
            All shown rows by default.

        Raises
        ------
        RuntimeError
            If cells are running already.
        """
        self.dispatch(Run(None if rows is None else tuple((group, item) for group, item in rows)))

    def run_selected(self) -> None:
        """Run the missing cells of the selected row; if there are none, recompute the shown run.

        Raises
        ------
        ValueError
            If no row is selected.
        """
        self.dispatch(RunSelected())

    def stop(self) -> None:
        """Stop running; finished runs have records."""
        self.dispatch(StopRun())

    def close(self) -> None:
        """Stop all runs and close the board with its parts."""
        super().close()
        for processes in (self.state.runner, self.state.details_runner):
            if processes is not None:
                processes.close()

    def _built(self, title: str) -> list[ipywidgets.Widget]:
        """Parts of the board from top to bottom."""
        self._heading, self._legend, self._words = (ipywidgets.HTML() for _ in range(3))
        self.controls, self._choices = Controls("Experiments"), Controls("Run")
        self._results, self._code = Controls(f"{title}: reported and reproduced"), Controls("Code")
        self._forest = PlotlyView({"data": [], "layout": {}}, description=f"{title}: forest plot", room=0)
        self._confusion = ipywidgets.HTML(layout={"overflow": "auto", "max_width": "100%"})
        self._confusion.tabbable = True  # arrow keys scroll it
        self._graph = GraphView.from_graph(Dag.empty(["?"]), height=GRAPH_HEIGHT)
        self._drawn: Network | None = None
        self._left, self._right = column(TABLE, self._confusion), column(GRAPH, self._graph)
        both = row(self._left, self._right)
        self._detail = ipywidgets.VBox([self._choices, both, self._code], layout={"width": "100%"})
        above = [self._heading, self.controls, self._results]
        return [*above, self._forest, self._legend, self._words, self._detail]

    def _show(self, page: Mapping[str, Any]) -> None:
        self._heading.value, self._legend.value, self._words.value = page["heading"], page["legend"], page["words"]
        self.controls.show(page["controls"])
        self._results.show(page["results"])
        self._choices.show(page["choices"])
        self._code.show(page["code"])
        forest, confusion, network = page["forest"], page["confusion"], page["network"]
        if forest is not None:
            self._forest.figure = forest
        self._confusion.value, self._left.layout.flex = confusion, "1 1 100%" if page["wide"] else TABLE
        if network is not None and network is not self._drawn:
            self._graph.set_graph(network.graph, truth=network.truth, kinds=network.kinds, relayout=True)
            self._drawn = network
        for part, shown in (
            (self._forest, forest is not None),
            (self._detail, page["code"] != []),
            (self._left, confusion != ""),
            (self._right, network is not None),
        ):
            show_part(part, shown)

    def _used(self, id: str, value: Any) -> None:
        """Do what a control asks for."""
        self.handle(lambda: BUTTONS.get(id) or Set(id, value))

    def _point_clicked(self, change: Any) -> None:
        if isinstance(place := (change["new"] or {}).get("customdata"), list):
            self.handle(lambda: Set("selected", place))

    def __repr__(self) -> str:
        """Settings, verdicts and the table."""
        rerun, shown = self.state.rerun, self.state.shown
        head = f"ExperimentBoard({rerun.title}; {self.variant}): {agreement(shown, rerun.verdicts)}"
        return f"{head}\n{forest_table(shown, corner=rerun.group_name).text}" if len(shown) else head
