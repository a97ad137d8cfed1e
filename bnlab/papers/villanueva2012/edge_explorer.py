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
from bnlab.figures.contingency import contingency_table
from bnlab.figures.graphs.network import network_layout, network_picture
from bnlab.figures.labels import capitalised
from bnlab.graphs import skeleton
from bnlab.graphs.dag import counted
from bnlab.papers.villanueva2012 import ALGORITHMS, LABELS, NETWORKS, READINGS, ROWS, VERSIONS, sample
from bnlab.papers.villanueva2012.why import Explanation, Trace, causes
from bnlab.widgets.base.controls import Controls, named, select
from bnlab.widgets.base.panel import Panel, html_line, status_message
from bnlab.widgets.graph.view import GraphView

CLICK = "Select an edge, or choose two variables, to see why they are joined or not."


class EdgeExplorer(Panel):
    """Learned skeleton beside the true one, with the reason for every edge.

    A click on an edge, or two names in the lists, shows what the searches from both variables found, the deciding
    test, and its counts. If the study's samples are not available, rows are sampled from the bundled network, and a
    note says so.

    Parameters
    ----------
    network, rows, **settings
        First values of the traits; see below.

    Raises
    ------
    ValueError
        If a setting is unknown.

    Examples
    --------
    >>> from bnlab.papers import EdgeExplorer
    >>> explorer = EdgeExplorer("Child", 500, algorithm="mmpc")
    >>> explorer.edge = ["Age", "ChestXray"]
    >>> explorer.explanation.joined
    False
    >>> explorer.close()
    """

    _controls: Controls

    network = traitlets.Unicode("Alarm")
    """Network of the study."""
    rows = traitlets.Int(500)
    """Rows of the sample."""
    version = traitlets.Int(1)
    """Number of the sample of that size."""
    algorithm = traitlets.Unicode("opthpc")
    """Algorithm, as `bnlab.skeletons.make_search` names it."""
    reading = traitlets.Unicode("as printed")
    """Reading, as in `bnlab.papers.villanueva2012.READINGS`."""
    edge = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True)
    """Explained pair, joined or not; None if no pair is chosen."""

    def __init__(self, network: str = "Alarm", rows: int = 500, **settings: Any) -> None:
        super().__init__()
        edge = settings.pop("edge", None)
        self.set_known_traits({"network": network, "rows": rows, **settings})
        self._learn()
        self.edge = None if edge is None else list(edge)
        self._ends: list[str | None] = [None, None]
        self._build()
        self.observe(self._changed, list(CHOICES))
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
        known, _, _ = CHOICES[name]
        if isinstance(value, str):
            return known_name(value, known, name)
        if value not in known:
            raise ValueError(f"{name}={value!r}: there are {', '.join(map(str, known))}")
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
        """Learn with the current settings."""
        self._sample = sample(self.network, self.rows, self.version)
        reading = READINGS[self.reading]
        options = reading.options_of(self.algorithm, self.rows)
        self._trace = Trace(self._sample.table, self.algorithm, self._sample.dag, df=reading.df, **options)

    def _drawn(self) -> dict[str, Any]:
        """Learned skeleton, true skeleton and their layout, as arguments of a picture."""
        learned = self._trace.graph.to_pdag()
        layout = network_layout(self._sample.dag, learned)
        return {"graph": learned, "truth": skeleton(self._sample.dag), "layout": layout}

    def _build(self) -> None:
        self._controls = Controls("Skeleton")
        self._view = GraphView.from_graph(**self._drawn())
        self._summary, self._reason = ipywidgets.HTML(), ipywidgets.HTML(layout={"min_height": "4.5em"})
        self._contingency = html_line()
        self.children = [self._controls, self._summary, self._reason, self._view, self._contingency]
        self._ready = True
        self._show()
        self._controls.on_change(lambda name, value: self._later(lambda: self._choose(name, value)))
        self._view.observe(self._picked, "selected_edge")

    def _choose(self, name: str, value: Any) -> None:
        """Set a trait, or one end of the pair."""
        if name in CHOICES:
            self.set_trait(name, value)
            return
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
            self._view.set_graph(**self._drawn(), relayout=True)
            self._show_edge()

    def _show_edge(self, _: Any = None) -> None:
        with self._lock:
            self._show()
            self._report("")

    def _show(self) -> None:
        self._ends = [None, None] if self.edge is None else list(self.edge)
        self._show_controls()
        pair = self.edge or []
        shown = [[edge["u"], edge["v"]] for edge in self._view.edges]
        self._view.selected_edge = next((ends for ends in shown if {*ends} == {*pair}), None)
        self._view.selected = pair if self._view.selected_edge is None else []
        self._summary.value = f'<div style="line-height: 1.5">{"<br>".join(map(escape, self._facts()))}</div>'
        self._reason.value = f'<div aria-live="polite" style="line-height: 1.5">{escape(self._sentence())}</div>'
        self._contingency.value = self._table()

    def _show_controls(self) -> None:
        names = [(None, ""), *named(self._trace.names)]
        settings = [
            select(name, name.capitalize(), getattr(self, name), [(value, form(value)) for value in values], tip)
            for name, (values, form, tip) in CHOICES.items()
        ]
        ends = [
            select(name, name.capitalize(), end, names, f"{which} variable of the pair")
            for name, end, which in zip(("from", "to"), self._ends, ("First", "Second"), strict=True)
        ]
        self._controls.show([settings, ends, [status_message(self)]])

    def _facts(self) -> list[str]:
        """Errors and their causes, and a note if the rows are not those of the study."""
        errors = self._trace.errors()
        missing = sum(error.kind == "missing" for error in errors)
        right = len(self._trace.graph.pairs) - (len(errors) - missing)
        parts = [f"{row.edges} {row.kind}: {row.cause}" for row in causes(errors).itertuples()]
        found = f"{counted(right, 'right edge')}, {len(errors) - missing} extra, {missing} missing"
        return [f"{found}; {self._trace.graph.nsc:,} tests. {'; '.join(parts)}.", *filter(None, [self._sample.note])]

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
            f"{self.reading}): {' '.join(self._facts())}"
        )
        explained = self.explanation
        return head if explained is None else f"{head}\n{explained.sentence}"

    def still(self) -> dict[str, Any]:
        """Counts, reason, picture and table."""
        drawn = self._drawn()
        picture = network_picture(drawn.pop("graph"), highlight=self.edge or (), **drawn)
        words = "".join(f"<p>{escape(line)}</p>" for line in [*self._facts(), self._sentence()])
        return {"text/html": f"<div>{words}{picture.to_html()}{self._table()}</div>"}


CHOICES: dict[str, tuple[tuple[Any, ...], Callable[[Any], str], str]] = {
    "network": (NETWORKS, str, "Network that the rows come from"),
    "rows": (ROWS, "{:,}".format, "Rows of the sample"),
    "version": (VERSIONS, "v{}".format, "Number of the sample of this size in the study"),
    "algorithm": (ALGORITHMS, LABELS.__getitem__, "Algorithm that learns the skeleton"),
    "reading": (tuple(READINGS), capitalised, "Reading of what the paper leaves open"),
}
"""Values of each setting, their format in the list, and the tip of the list."""
