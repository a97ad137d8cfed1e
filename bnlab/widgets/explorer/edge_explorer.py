"""Why an edge of a learned skeleton is in or out: pick a sample, an algorithm and an edge, and see the deciding test.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures.
"""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from threading import RLock
from typing import Any

import ipywidgets
import traitlets

from bnlab._runtime.names import nearest
from bnlab.experiments.villanueva2012 import ALGORITHMS, LABELS, NETWORKS, READINGS, ROWS, VERSIONS, sample
from bnlab.experiments.villanueva2012.why import Explanation, Trace, causes
from bnlab.figures.graphs.network import network_layout, network_picture
from bnlab.figures.papers.contingency import contingency_table
from bnlab.graphs import Pdag, skeleton
from bnlab.graphs.dag import counted
from bnlab.widgets.base.closing import close_parts
from bnlab.widgets.base.worker import Worker
from bnlab.widgets.graph.view import GraphView

CONTROL = {"width": "auto", "flex": "1 1 190px", "max_width": "280px"}
DESCRIPTION = {"description_width": "78px"}
CLICK = "Click an edge, or choose two variables, to see why they are joined or not."


class EdgeExplorer(ipywidgets.VBox):  # type: ignore[misc]
    """Learned skeleton against the true one, with the reason for every edge.

    A click on an edge, or two names in the lists, shows what the searches from its ends made of the pair, the test
    that decided, and the counts behind it.

    Parameters
    ----------
    network, rows, version, algorithm, reading, edge
        Where the controls stand first; see below.

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

    _placing = False
    _closed = False

    def __init__(
        self,
        network: str = "Alarm",
        rows: int = 500,
        version: int = 1,
        algorithm: str = "opthpc",
        reading: str = "as printed",
        edge: tuple[str, str] | list[str] | None = None,
    ) -> None:
        self._lock = RLock()
        self._worker = Worker(lambda: None)
        super().__init__()
        settings = {"network": network, "rows": rows, "version": version, "algorithm": algorithm, "reading": reading}
        for name, value in settings.items():
            self.set_trait(name, value)
        self._learn()
        self.set_trait("edge", None if edge is None else list(edge))
        self._build()
        self.observe(self._changed, list(settings))
        self.observe(self._point_out, "edge")

    @property
    def trace(self) -> Trace:
        """Learned skeleton with its tests."""
        return self._trace

    @property
    def explanation(self) -> Explanation | None:
        """Why the chosen pair is joined or is not; None when none is chosen."""
        return None if self.edge is None else self._trace.explain(*self.edge)

    def close(self) -> None:
        """Close the explorer with its parts."""
        self._closed = True
        super().close()
        close_parts(self)

    @traitlets.validate("network", "rows", "version", "algorithm", "reading")
    def _check_setting(self, proposal: Any) -> Any:
        value, allowed = proposal["value"], CHOICES[proposal["trait"].name]
        if value not in allowed:
            hint = nearest(value, allowed) if isinstance(value, str) else f"there are {', '.join(map(str, allowed))}"
            raise ValueError(f"{proposal['trait'].name}={value!r}: {hint}")
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
        self._choices: dict[str, Any] = {
            name: ipywidgets.Dropdown(
                options=[(_label(name, value), value) for value in values],
                value=getattr(self, name),
                description=name,
                tooltip=TIPS[name],
                layout=CONTROL,
                style=DESCRIPTION,
            )
            for name, values in CHOICES.items()
        }
        self._ends = tuple(
            ipywidgets.Dropdown(description=text, tooltip=tip, layout=CONTROL, style=DESCRIPTION)
            for text, tip in (("from", "One end of the pair"), ("to", "The other end of the pair"))
        )
        learned, true = self._graphs()
        self._view = GraphView.from_graph(learned, true, layout=network_layout(self._sample.dag, learned))
        self._summary = ipywidgets.HTML()
        self._reason = ipywidgets.HTML(layout={"min_height": "4.5em"})
        self._counts_behind = ipywidgets.HTML(layout={"overflow": "auto", "width": "100%"})
        self._status = ipywidgets.HTML()
        self._arrange()
        self._show()
        for name, choice in self._choices.items():
            choice.observe(partial(self._chosen, name), "value")
        for end in self._ends:
            end.observe(self._ends_chosen, "value")
        self._view.observe(self._picked, "selected_edge")

    def _arrange(self) -> None:
        wrapped = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden"}
        settings = ipywidgets.Box(list(self._choices.values()), layout=wrapped)
        ends = ipywidgets.Box(list(self._ends), layout=wrapped)
        self.children = [
            settings,
            self._status,
            self._summary,
            ends,
            self._reason,
            self._view,
            self._counts_behind,
        ]
        self.layout.width = "100%"
        self.add_class("bnlab-panel")

    def _chosen(self, name: str, change: Any) -> None:
        if change["new"] != getattr(self, name):
            self._later(lambda: self.set_trait(name, change["new"]))

    def _ends_chosen(self, _: Any) -> None:
        a, b = (end.value for end in self._ends)
        if not self._placing and a and b and a != b and [a, b] != self.edge:
            self._later(lambda: self.set_trait("edge", [a, b]))

    def _picked(self, change: Any) -> None:
        edge = change["new"]
        if not self._placing and edge is not None and set(edge) != set(self.edge or ()):
            self._later(lambda: self.set_trait("edge", list(edge)))

    def _later(self, job: Callable[[], None]) -> None:
        """Do a control's bidding in a thread, and say in the explorer what goes wrong."""

        def watched() -> None:
            with self._in_words():
                if not self._closed:
                    job()

        self._worker.submit(watched)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._status.value = f'<div role="alert">Not shown: {escape(str(error) or type(error).__name__)}</div>'

    def _changed(self, _: Any) -> None:
        with self._lock:
            self._status.value = '<div role="status">learning …</div>'
            self._learn()
            if self.edge is not None and not set(self.edge) <= set(self._trace.names):
                self.edge = None
            learned, true = self._graphs()
            layout = network_layout(self._sample.dag, learned)
            self._view.set_graph(learned, true, relayout=True, layout=layout)
            self._show()
            self._status.value = ""

    def _point_out(self, _: Any) -> None:
        with self._lock:
            self._show()
            self._status.value = ""

    def _show(self) -> None:
        self._placing = True
        try:
            self._place_controls()
        finally:
            self._placing = False
        self._summary.value = f'<div style="line-height: 1.5">{escape(self._counts())}</div>'
        self._reason.value = f'<div aria-live="polite" style="line-height: 1.5">{escape(self._sentence())}</div>'
        self._counts_behind.value = self._table()

    def _place_controls(self) -> None:
        for name, choice in self._choices.items():
            choice.value = getattr(self, name)
        for k, end in enumerate(self._ends):
            if end.options[1:] != self._trace.names:
                end.options = ("", *self._trace.names)
            end.value = "" if self.edge is None else self.edge[k]
        shown = [[edge["u"], edge["v"]] for edge in self._view.edges]
        self._view.selected_edge = next((e for e in shown if self.edge is not None and set(e) == set(self.edge)), None)

    def _counts(self) -> str:
        errors = self._trace.errors()
        missing = sum(error.kind == "missing" for error in errors)
        right = len(self._trace.graph.pairs) - (len(errors) - missing)
        parts = [f"{row.edges} {row.kind}: {row.cause}" for row in causes(errors).itertuples()]
        found = f"{counted(right, 'right edge')}, {len(errors) - missing} extra, {missing} missing"
        return f"{found}; {self._trace.graph.nsc:,} tests. {'; '.join(parts)}."

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

    def _repr_mimebundle_(self, **options: Any) -> Any:
        learned, true = self._graphs()
        picture = network_picture(
            learned, reference=true, highlight=self.edge or (), layout=network_layout(self._sample.dag, learned)
        )
        words = f"<p>{escape(self._counts())}</p><p>{escape(self._sentence())}</p>"
        html = f"<div>{words}{picture.to_html()}{self._table()}</div>"
        return {**super()._repr_mimebundle_(**options), "text/html": html, "text/plain": repr(self)}


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
    "version": "Sample of this size, as the study numbers them",
    "algorithm": "Algorithm that learns the skeleton",
    "reading": "How what print leaves open is read",
}
