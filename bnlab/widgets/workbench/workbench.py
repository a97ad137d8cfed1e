"""Analyse data in one place: columns, states, networks, confidence of edges, report and notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bnlab._runtime.files import digest_of
from bnlab.analysis.preparation import Preparation
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.study import Study
from bnlab.data import Table
from bnlab.figures.report import Report
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import counted
from bnlab.widgets.base.worker import wait_all
from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.workbench.content import size_text, still_html
from bnlab.widgets.workbench.jobs import PageRequests, WorkbenchJobs
from bnlab.widgets.workbench.networks import WorkbenchNetworks
from bnlab.widgets.workbench.view import WorkbenchView


class Workbench(WorkbenchNetworks):
    """From data to networks, step by step. When a step fails, the results of earlier steps stay.

    Parameters
    ----------
    data : DataFrame, Table, str or path, optional
        Path of a file that `bnlab.load_frame` reads or of a saved session, or name of a data set in the catalogue.
        Without data, the page has a button to upload a file. A first preparation is suggested: see
        `Preparation.suggested`.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        If the data cannot be read.

    Examples
    --------
    >>> import bnlab
    >>> workbench = bnlab.Workbench("iris-bezdek")
    >>> workbench.set_role("class", "target")
    >>> workbench.cut("petal-length", "mdl")  # or cut_all, for every column of numbers
    >>> workbench.table
    Table: 150 rows, 5 variables, target 'class'
      sepal-length  3 states: '<=5.45', '(5.45, 6.25]', '>6.25'
      sepal-width   3 states: '<=2.85', '(2.85, 3.15]', '>3.15'
      petal-length  3 states: '<=2.45', '(2.45, 4.75]', '>4.75'
      petal-width   3 states: '<=0.8', '(0.8, 1.55]', '>1.55'
      class         3 states: 'Iris-setosa', 'Iris-versicolor', 'Iris-virginica'
    >>> len(workbench.learn("chow-liu").edges)
    4
    >>> workbench.bootstrap(replicates=5).graphs
    5
    >>> workbench.close()
    """

    def __init__(self, data: Any = None) -> None:
        super().__init__()
        self._view = WorkbenchView(self)
        self._jobs = WorkbenchJobs(self, self._view)
        self._requests = PageRequests(self, self._view, self._jobs)
        self.children = self._view.parts
        self._ready = True
        self._view.show()
        if isinstance(data, (str, Path)):
            self._jobs.read(str(data))
        elif data is not None:
            self._jobs.load(data)

    @property
    def frame(self) -> pd.DataFrame:
        """Data before the preparation; ValueError if there are none."""
        return self._session.frame

    @property
    def columns(self) -> pd.DataFrame:
        """Content of each column, from `bnlab.analysis.describe_columns`."""
        self._session.frame  # noqa: B018 - raises when there are no data
        assert self._session.kinds is not None
        return self._session.kinds

    @property
    def table(self) -> Table:
        """Data after the preparation; ValueError if there are none."""
        return self._session.ready

    @property
    def preparation(self) -> Preparation:
        """Preparation of the data; can be set."""
        return self._session.study.preparation

    @preparation.setter
    def preparation(self, preparation: Preparation) -> None:
        self._change(lambda now: PreparationEditor(now.frame, preparation))

    @property
    def study(self) -> Study:
        """Preparation, recipes and networks as one value."""
        return self._session.study

    @property
    def confidence(self) -> dict[str, EdgeConfidence]:
        """Confidence of edges by names of networks."""
        return dict(self._session.study.confidence)

    @property
    def graph(self) -> NetworkGraph | None:
        """Picture of the shown network."""
        return self._view.graph

    def load(self, data: Any) -> None:
        """Replace the data; parameter and errors are as for the class."""
        self._jobs.worker.call(lambda: self._jobs.load(data))

    def set_role(self, column: str, role: str) -> None:
        """Use a column as a variable ("use"), as the "target", or "leave out"; ValueError if a name is unknown."""
        self._change(lambda now: now.role(column, role))

    def set_date(self, column: str, part: str) -> None:
        """Use a part of the dates in a column: "year", "quarter", "month", "weekday", "hour" or a "decimal year".

        ValueError if the column has no dates, or the part is unknown.
        """
        self._change(lambda now: now.date(column, part))

    def cut(self, column: str, method: str = "quantile", bins: int = 3, *, at: Any = ()) -> None:
        """Cut a numeric column into intervals.

        Parameters
        ----------
        column : str
        method : {"quantile", "width", "mdl", ""}
            As for `bnlab.analysis.cut_points`; "" for no cuts.
        bins : int
            Number of intervals of the first two.
        at : sequence of float
            Cut points to use instead of a method.

        Raises
        ------
        ValueError
            If the cut points or the resulting table are not possible; nothing changes.
        """
        own = ", ".join(repr(float(point)) for point in at)
        self._change(lambda now: now.cut(column, "own" if own else method, bins, own))

    def cut_all(self, method: str = "quantile", bins: int = 3) -> None:
        """Cut every used numeric column, as for `cut`."""
        self._change(lambda now: now.cut_all(method, bins))

    def recode(self, column: str, states: Mapping[str, str]) -> None:
        """Rename, merge and order the states of a column.

        Parameters
        ----------
        column : str
        states : mapping of str to str
            New state of each current state, in the order of the new states; other states stay in their places. States
            with the same new state are merged. An empty mapping restores the states of the data.

        Raises
        ------
        ValueError
            If there is no such column or state; nothing changes.

        Examples
        --------
        >>> import pandas as pd
        >>> workbench = Workbench(pd.DataFrame({"smokes": ["ex", "never", "often"] * 4, "ill": list("yn") * 6}))
        >>> workbench.recode("smokes", {"never": "no", "ex": "yes", "often": "yes"})
        >>> workbench.table.variables[0].states
        ('no', 'yes')
        >>> workbench.close()
        """
        self._change(lambda now: now.recode(column, states))

    def suggest(self) -> None:
        """Reset to the suggested preparation."""
        self._change(lambda now: PreparationEditor.suggested(now.frame))

    def set_missing(self, policy: str) -> None:
        """Treat missing values as an "error" or as a "state" of their own, "drop" their rows, or "keep" them missing.

        Kept values are estimated while a network is learned (`bnlab.learners.StructuralEM`); scores need complete rows.
        """
        self._change(lambda now: now.missing(policy))

    def _change(self, change: Callable[[PreparationEditor], PreparationEditor]) -> None:
        self._session.frame  # noqa: B018 - raises when there are no data
        assert self._preparing is not None
        edits = self._next_edit(change(self._preparing))
        self._jobs.worker.call(lambda: self._jobs.prepare(edits))

    def stop(self) -> None:
        """Stop the running job, and wait for its end; the best result so far stays."""
        self._jobs.stop_and_wait()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs; False if something still runs after `timeout` seconds."""
        return wait_all(timeout, super().wait, self._jobs.worker.wait, self._view.measures.wait)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the session, which `Workbench.reopen` opens; data without a file are written into one beside it.

        No other file is replaced: data get a free name, and an older file with the session's name that this workbench
        neither opened nor saved is renamed to a free name.

        Parameters
        ----------
        path : str or path
        overwrite : bool
            Whether to replace an older file with that name in any case.

        Raises
        ------
        ValueError
            If there are no data, or the file is that of the data.
        FileExistsError
            If something else has changed the file since this workbench opened or saved it.
        OSError
            If a file cannot be written; an older file stays unchanged.
        """
        self._jobs.write("session", Path(path), "", overwrite)

    @classmethod
    def reopen(cls, path: str | Path, data: Any = None) -> Workbench:
        """Open a session that `save` wrote. (ipywidgets uses the name `open`.)

        Parameters
        ----------
        path : str or path
        data : as for the class, optional
            By default the data that the session names.

        Raises
        ------
        ValueError
            If the file is not a saved session; nothing in it is ever executed.
        """
        digest, study = digest_of(path), Study.open(path)
        workbench = cls()
        workbench._jobs.worker.call(lambda: workbench._jobs.open_file(Path(path), digest, study, data))
        return workbench

    def report(self, title: str = "Analysis") -> Report:
        """Report as one self-contained page."""
        return self._jobs.report(title)

    def export_report(self, path: str | Path, title: str = "Analysis", *, overwrite: bool = False) -> None:
        """Write the report as HTML; an older file and errors are as for `save`."""
        self._jobs.write("report", Path(path), title, overwrite)

    def export_notebook(self, path: str | Path, title: str = "Analysis", *, overwrite: bool = False) -> None:
        """Write a notebook that repeats every step; data, an older file and errors are as for `save`."""
        self._jobs.write("notebook", Path(path), title, overwrite)

    def close(self) -> None:
        """Stop the running job, and close every part."""
        self._jobs.stop.set()
        self._view.measures.close()
        with self._lock:
            if self._ready:
                self._view.close()
                super().close()

    def still(self) -> dict[str, Any]:
        """Columns, networks and their comparison."""
        with self._lock:
            return {"text/html": still_html(self._session, self.shown, self.status)}

    def __repr__(self) -> str:
        """Data and networks."""
        source = self._session.source
        if source is None:
            return "Workbench(no data yet)"
        networks = counted(len(self._session.study.graphs), "network")
        return f"Workbench({source.name}: {size_text(source.frame)}; {networks})"
