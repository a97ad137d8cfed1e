"""Why an edge was kept or dropped: choose a sample, an algorithm and an edge, and see the deciding test.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures.
"""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets
import traitlets

from bnlab._runtime.names import known_name
from bnlab.experiments.villanueva2012 import ALGORITHMS, LABELS, NETWORKS, READINGS, ROWS, VERSIONS, sample
from bnlab.experiments.villanueva2012.why import Explanation, Trace, causes
from bnlab.figures.graphs.network import network_layout, network_picture
from bnlab.figures.papers.contingency import contingency_table
from bnlab.graphs import Pdag, skeleton
from bnlab.graphs.dag import counted
from bnlab.widgets.base.controls import Controls, Lines, select
from bnlab.widgets.base.panel import Panel, html_line
from bnlab.widgets.graph.view import GraphView

CLICK = "Select an edge, or choose two variables, to see why they are joined or not."


class EdgeExplorer(Panel):
    """Learned skeleton against the true one, with the reason for every edge.

    A click on an edge, or two names in the lists, shows what the searches from both variables found, the deciding
    test, and its counts.

    Parameters
    ----------
    network, rows, version, algorithm, reading, edge
        First values of the traits; see below.

    Raises
    ------
    ValueError
        If a setting is unknown.

    Examples
    --------
    >>> from bnlab.widgets import EdgeExplorer
    >>> explorer = EdgeExplorer("Child", 500, algorithm="mmpc")  # doctest: +SKIP
    >>> explorer.edge = ["Age", "Sick"]  # doctest: +SKIP
    >>> explorer.explanation.joined  # doctest: +SKIP
    False
    """

    network = traitlets.Unicode("Alarm")
    """Network of the study."""
    rows = traitlets.Int(500)
    """Rows of the sample."""
    version = traitlets.Int(1)
    """Sample of that size."""
    algorithm = traitlets.Unicode("opthpc")
    """Algorithm, as `bnlab.skeletons.make_search` names it."""
    reading = traitlets.Unicode("as printed")
    """Reading, as in `bnlab.experiments.villanueva2012.READINGS`."""
    edge = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True)
    """Pair that is explained, joined or not; None for none."""

    def __init__(
        self,
        network: str = "Alarm",
        rows: int = 500,
        version: int = 1,
        algorithm: str = "opthpc",
        reading: str = "as printed",
        edge: tuple[str, str] | list[str] | None = None,
    ) -> None:
        super().__init__()
        settings = {"network": network, "rows": rows, "version": version, "algorithm": algorithm, "reading": reading}
        for name, value in settings.items():
            self.set_trait(name, value)
        self._learn()
        self.set_trait("edge", None if edge is None else list(edge))
        self._ends: list[str | None] = [None, None]
        self._build()
        self.observe(self._changed, list(settings))
        self.observe(self._show_edge, "edge")

    @property
    def trace(self) -> Trace:
        """Learned skeleton with its tests."""
        return self._trace

    @property
    def explanation(self) -> Explanation | None:
        """Why the chosen pair is joined or is not; None when none is chosen."""
        return None if self.edge is None else self._trace.explain(*self.edge)

    @traitlets.validate("network", "rows", "version", "algorithm", "reading")
    def _check_setting(self, proposal: Any) -> Any:
        value, name = proposal["value"], proposal["trait"].name
        if isinstance(value, str):
            return known_name(value, CHOICES[name], name)
        if value not in CHOICES[name]:
            raise ValueError(f"{name}={value!r}: there are {', '.join(map(str, CHOICES[name]))}")
        return value

    @traitlets.validate("edge")
    def _check_edge(self, proposal: Any) -> list[str] | None:
        edge: list[str] | None = proposal["value"]
        if edge is None:
            return None
        if len(edge) != 2:
            raise ValueError(f"edge={edge!r}: give the two names, or None")
        self._trace.explain(*edge)
        return edge

    def _learn(self) -> None:
        """Learn under the present settings; a chosen pair stays if the network has it."""
        self._sample = sample(self.network, self.rows, self.version)
        reading = READINGS[self.reading]
        options = reading.options_of(self.algorithm, self.rows)
        self._trace = Trace(self._sample.table, self.algorithm, self._sample.dag, df=reading.df, **options)

    def _graphs(self) -> tuple[Pdag, Pdag]:
        return self._trace.graph.to_pdag(), skeleton(self._sample.dag)

    def _build(self) -> None:
        learned, true = self._graphs()
        self._controls = Controls("Skeleton")
        self._view = GraphView.from_graph(learned, truth=true, layout=network_layout(self._sample.dag, learned))
        self._status_line, self._summary = ipywidgets.HTML(), ipywidgets.HTML()
        self._reason = ipywidgets.HTML(layout={"min_height": "4.5em"})
        self._counts_behind = html_line()
        self.children = [
            *(self._controls, self._status_line, self._summary, self._reason),
            *(self._view, self._counts_behind),
        ]
        self._ready = True
        self._show()
        self._controls.on_change(self._chosen)
        self._view.observe(self._picked, "selected_edge")

    def _chosen(self, name: str, value: Any) -> None:
        if name in CHOICES:
            self._later(lambda: self.set_trait(name, value))
        else:
            self._later(lambda: self._choose_end(name, value))

    def _choose_end(self, name: str, value: str | None) -> None:
        self._ends[name == "to"] = value
        a, b = self._ends
        if a and b and a != b:
            self.edge = [a, b]
        self._show_controls()

    def _picked(self, change: Any) -> None:
        edge = change["new"]
        if edge is not None and set(edge) != set(self.edge or ()):
            self._later(lambda: self.set_trait("edge", list(edge)))

    def _changed(self, _: Any) -> None:
        with self._lock:
            self._report("Learning …")
            self._learn()
            if self.edge is not None and not set(self.edge) <= set(self._trace.names):
                self.edge = None
            learned, true = self._graphs()
            layout = network_layout(self._sample.dag, learned)
            self._view.set_graph(learned, truth=true, relayout=True, layout=layout)
            self._show()
            self._report("")

    def _show_edge(self, _: Any) -> None:
        with self._lock:
            self._show()
            self._report("")

    def _show(self) -> None:
        self._ends = [None, None] if self.edge is None else list(self.edge)
        self._show_controls()
        shown = [[edge["u"], edge["v"]] for edge in self._view.edges]
        self._view.selected_edge = next((e for e in shown if self.edge is not None and set(e) == set(self.edge)), None)
        self._summary.value = f'<div style="line-height: 1.5">{escape(self._counts())}</div>'
        self._reason.value = f'<div aria-live="polite" style="line-height: 1.5">{escape(self._sentence())}</div>'
        self._counts_behind.value = self._table()

    def _show_controls(self) -> None:
        assert self._controls is not None
        self._controls.show(self._lines())

    def _lines(self) -> Lines:
        names = [(None, ""), *((name, name) for name in self._trace.names)]
        return [
            [
                select(name, name, getattr(self, name), [(value, _label(name, value)) for value in values], TIPS[name])
                for name, values in CHOICES.items()
            ],
            [
                select("from", "from", self._ends[0], names, "First variable of the pair"),
                select("to", "to", self._ends[1], names, "Second variable of the pair"),
            ],
        ]

    def _counts(self) -> str:
        errors = self._trace.errors()
        missing = sum(error.kind == "missing" for error in errors)
        right = len(self._trace.graph.pairs) - (len(errors) - missing)
        parts = [f"{row.edges} {row.kind}: {row.cause}" for row in causes(errors).itertuples()]
        found = f"{counted(right, 'right edge')}, {len(errors) - missing} extra, {missing} missing"
        return f"{found}; {self._trace.graph.nsc:,} tests. {'; '.join(parts)}. {self._sample.note}".rstrip()

    def _sentence(self) -> str:
        explained = self.explanation
        return CLICK if explained is None else explained.sentence

    def _table(self) -> str:
        explained = self.explanation
        if explained is None or explained.test is None:
            return ""
        return contingency_table(explained.test, self._sample.table).html

    def __repr__(self) -> str:
        """Settings, counts and the sentence."""
        head = (
            f"EdgeExplorer({self.network}, {self.rows:,} rows, v{self.version}, {LABELS[self.algorithm]}, "
            f"{self.reading}): {self._counts()}"
        )
        explained = self.explanation
        return head if explained is None else f"{head}\n{explained.sentence}"

    def still(self) -> dict[str, Any]:
        """Counts, reason, picture and table."""
        learned, true = self._graphs()
        picture = network_picture(
            learned, truth=true, highlight=self.edge or (), layout=network_layout(self._sample.dag, learned)
        )
        words = f"<p>{escape(self._counts())}</p><p>{escape(self._sentence())}</p>"
        return {"text/html": f"<div>{words}{picture.to_html()}{self._table()}</div>"}


def _label(setting: str, value: Any) -> str:
    forms: dict[str, Callable[[Any], str]] = {
        "algorithm": LABELS.__getitem__,
        "rows": "{:,}".format,
        "version": "v{}".format,
    }
    return forms.get(setting, str)(value)


CHOICES: dict[str, tuple[Any, ...]] = {
    "network": NETWORKS,
    "rows": ROWS,
    "version": VERSIONS,
    "algorithm": ALGORITHMS,
    "reading": tuple(READINGS),
}

TIPS = {
    "network": "Network that the rows come from",
    "rows": "Rows of the sample",
    "version": "Number of the sample of this size in the study",
    "algorithm": "Algorithm that learns the skeleton",
    "reading": "Reading of what the paper leaves open",
}
