"""Why an edge was kept or dropped: choose a sample, an algorithm and an edge, and see the deciding test.

E. Villanueva and C. D. Maciel (2012), Optimized algorithm for learning Bayesian network super-structures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, TypeAlias

import ipywidgets

from bnlab._runtime.names import check_known, known_name
from bnlab.figures.contingency import contingency_table
from bnlab.figures.graphs.network import network_layout, network_picture
from bnlab.figures.labels import capitalised
from bnlab.graphs import skeleton
from bnlab.graphs.dag import counted
from bnlab.papers.villanueva2012 import ALGORITHMS, LABELS, NETWORKS, READINGS, ROWS, VERSIONS, sample
from bnlab.papers.villanueva2012.protocol import Sample, tiling
from bnlab.papers.villanueva2012.why import Explanation, Trace, causes
from bnlab.widgets.base.controls import Controls, Lines, named, select
from bnlab.widgets.base.core import check_known_fields
from bnlab.widgets.base.parts import Composite, html_line, status_message
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Told
from bnlab.widgets.graph.view import GraphView

CLICK = "Select an edge, or choose two variables, to see why they are joined or not."
CHOICES: dict[str, tuple[tuple[Any, ...], Callable[[Any], str], str]] = {
    "network": (NETWORKS, str, "Network that the rows come from"),
    "rows": (ROWS, "{:,}".format, "Rows of the sample"),
    "version": (VERSIONS, "v{}".format, "Number of the sample of this size in the study"),
    "algorithm": (ALGORITHMS, LABELS.__getitem__, "Algorithm that learns the skeleton"),
    "reading": (tuple(READINGS), capitalised, "Reading of what the paper leaves open"),
}
"""Values of each setting, their format in the list, and the tip of the list."""
Settings: TypeAlias = tuple[str, int, int, str, str]
"""Network, rows, version, algorithm and reading."""


@dataclass(frozen=True)
class Learned:
    """Skeleton that was learned with some settings."""

    settings: Settings
    sample: Sample
    trace: Trace

    @classmethod
    def of(cls, settings: Settings) -> Learned:
        """Learn with these settings."""
        network, rows, version, algorithm, name = settings
        drawn, reading = sample(network, rows, version), READINGS[name]
        options = reading.options_of(algorithm, rows)
        return cls(settings, drawn, Trace(drawn.table, algorithm, drawn.dag, df=reading.df, **options))

    def drawn(self) -> dict[str, Any]:
        """Learned skeleton, true skeleton and their layout, as arguments of a picture."""
        learned, dag = self.trace.graph.to_pdag(), self.sample.dag
        return {"graph": learned, "truth": skeleton(dag), "layout": network_layout(dag, learned)}

    def facts(self) -> list[str]:
        """Errors and their causes, and a note if the rows are not those of the study."""
        errors, graph = self.trace.errors(), self.trace.graph
        missing = sum(error.kind == "missing" for error in errors)
        right = len(graph.pairs) - (len(errors) - missing)
        parts = [f"{row.edges} {row.kind}: {row.cause}" for row in causes(errors).itertuples()]
        found = f"{counted(right, 'right edge')}, {len(errors) - missing} extra, {missing} missing"
        return [f"{found}; {graph.nsc:,} tests. {'; '.join(parts)}.", *filter(None, [self.sample.note])]


@dataclass(frozen=True)
class State:
    """State of an explorer; fields from `network` to `failed` are public."""

    network: str = "Alarm"
    rows: int = 500
    version: int = 1
    algorithm: str = "opthpc"
    reading: str = "as printed"
    edge: list[str] | None = None
    status: str = ""
    failed: bool = False
    ends: tuple[str | None, str | None] = (None, None)
    """Chosen ends of the pair in the lists."""
    learned: Learned | None = field(default=None, repr=False)
    """Of earlier settings while the explorer learns."""

    @property
    def settings(self) -> Settings:
        """Settings that change the skeleton."""
        return self.network, self.rows, self.version, self.algorithm, self.reading

    @property
    def explanation(self) -> Explanation | None:
        """Why the chosen pair is joined or is not; None when none is chosen or its skeleton is not learned yet."""
        if self.edge is None or self.learned is None or self.learned.settings != self.settings:
            return None
        return self.learned.trace.explain(*self.edge)

    @property
    def sentence(self) -> str:
        """Why the chosen pair is joined or is not, or how to choose one."""
        explained = self.explanation
        return CLICK if explained is None else explained.sentence


class ChooseEnd(Message):
    """One end of the pair is chosen in its list, the second one if `second`."""

    second: bool
    name: str | None


class Done(Message):
    """A skeleton was learned."""

    learned: Learned


class Learn(Effect, channel="learn"):
    """Learn the skeleton of some settings."""

    settings: Settings

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Done | None:
        """The skeleton, unless another is wanted by now."""
        return None if stopped() else Done(Learned.of(self.settings))


def checked(name: str, value: Any) -> Any:
    """Value of a setting; ValueError if it is not possible."""
    known, _, _ = CHOICES[name]
    if isinstance(value, str):
        return known_name(value, known, name)
    if value not in known:
        raise ValueError(f"{name}={value!r}: there are {', '.join(map(str, known))}")
    return value


def checked_edge(network: str, edge: Sequence[str] | None) -> list[str] | None:
    """Pair of variables of a network; ValueError if it is none."""
    if edge is None:
        return None
    if isinstance(edge, str) or len(edge) != 2 or edge[0] == edge[1]:
        raise ValueError(f"edge={edge!r}: give the names of two variables, or None")
    for name in edge:
        check_known(name, tiling(network, 1).dag.names, f"edge: no variable {name!r} in {network}")
    return list(edge)


def update(state: State, message: Any) -> tuple[State, Sequence[Any]]:
    """Next state and effects."""
    match message:
        case Set("edge", value):
            edge = checked_edge(state.network, value)
            ends = (None, None) if edge is None else (edge[0], edge[1])
            return replace(state, edge=edge, ends=ends, failed=False, status="" if state.failed else state.status), []
        case Set(name, value) if name in CHOICES:
            new = replace(state, **{name: checked(name, value)})
            if new.settings == state.settings:
                return state, []
            if new.edge is not None and not {*new.edge} <= {*tiling(new.network, 1).dag.names}:
                new = replace(new, edge=None, ends=(None, None))
            return replace(new, status="Learning …", failed=False), [Learn(new.settings)]
        case ChooseEnd(second, name):
            a, b = (state.ends[0], name) if second else (name, state.ends[1])
            if a and b and a != b:
                return update(state, Set("edge", [a, b]))
            return replace(state, ends=(a, b)), []
        case Done(learned) if learned.settings == state.settings:
            return replace(state, learned=learned, status="", failed=False), []
        case Told(text):
            return replace(state, status=text, failed=True), []
        case Done() | Failed():
            return state, []
    raise TypeError(f"{message!r} is no message of an edge explorer.")


def page(state: State) -> Mapping[str, Any]:
    """What the page shows: controls, texts, the table of the deciding test, and the skeleton with the chosen pair."""
    explained, learned = state.explanation, state.learned
    test = None if explained is None else explained.test
    return {
        "controls": lines(state),
        "facts": [] if learned is None else learned.facts(),
        "sentence": state.sentence,
        "table": "" if test is None or learned is None else contingency_table(test, learned.sample.table).html,
        "learned": learned,
        "edge": state.edge,
    }


def lines(state: State) -> Lines:
    """Lists of the settings and of the ends of the pair, and the status."""
    names = [(None, ""), *named(tiling(state.network, 1).dag.names)]
    settings = [
        select(name, name.capitalize(), getattr(state, name), [(value, form(value)) for value in values], tip)
        for name, (values, form, tip) in CHOICES.items()
    ]
    ends = [
        select(name, name.capitalize(), end, names, f"{which} variable of the pair")
        for name, end, which in zip(("from", "to"), state.ends, ("First", "Second"), strict=True)
    ]
    return [settings, ends, [status_message(state.status, failed=state.failed)]]


def still(state: State) -> str:
    """Counts, reason, picture and table."""
    shown = page(state)
    drawn = shown["learned"].drawn()
    picture = network_picture(drawn.pop("graph"), highlight=state.edge or (), **drawn)
    words = "".join(f"<p>{escape(line)}</p>" for line in [*shown["facts"], shown["sentence"]])
    return f"<div>{words}{picture.to_html()}{shown['table']}</div>"


class EdgeExplorer(Composite):
    """Learned skeleton beside the true one, with the reason for every edge.

    A click on an edge, or two names in the lists, shows what the searches from both variables found, the deciding
    test, and its counts. If the study's samples are not available, rows are sampled from the bundled network, and a
    note says so. A change of a setting learns again in the background; `trace` and `explanation` wait for it.

    Parameters
    ----------
    network, rows, **settings
        First values of the attributes.

    Attributes
    ----------
    network : str
        Network of the study.
    rows : int
        Rows of the sample.
    version : int
        Number of the sample of that size.
    algorithm : str
        Algorithm, as `bnlab.skeletons.make_search` names it.
    reading : str
        Reading, as in `bnlab.papers.villanueva2012.READINGS`.
    edge : list of str, or None
        Explained pair, joined or not; None if no pair is chosen.
    status : str
        Last message; `failed` says whether it is an error.

    Raises
    ------
    ValueError, TypeError
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

    update, page, still = staticmethod(update), staticmethod(page), staticmethod(still)
    public = (*CHOICES, "edge", "status", "failed")

    def __init__(self, network: str = "Alarm", rows: int = 500, **settings: Any) -> None:
        check_known_fields("EdgeExplorer", settings, (*CHOICES, "edge"))
        given = {"network": network, "rows": rows, **settings}
        edge = given.pop("edge", None)
        state = State(**{name: checked(name, value) for name, value in given.items()})
        self._drawn = learned = Learned.of(state.settings)
        state, _ = update(replace(state, learned=learned), Set("edge", edge))
        self.controls, self.view = Controls("Skeleton"), GraphView.from_graph(**learned.drawn())
        self._summary, self._reason = ipywidgets.HTML(), ipywidgets.HTML(layout={"min_height": "4.5em"})
        self._contingency = html_line()
        parts = [self.controls, self._summary, self._reason, self.view, self._contingency]
        super().__init__(state, children=parts)
        self._show(page(state))
        self.controls.on_change(self._used)
        self.view.observe(self._picked, "selected_edge")

    @property
    def trace(self) -> Trace:
        """Learned skeleton with its tests."""
        self.wait()
        trace: Trace = self.state.learned.trace
        return trace

    @property
    def explanation(self) -> Explanation | None:
        """Why the chosen pair is joined or is not; None when none is chosen."""
        self.wait()
        explained: Explanation | None = self.state.explanation
        return explained

    def _show(self, page: Mapping[str, Any]) -> None:
        view, pair = self.view, page["edge"] or []
        if page["learned"] is not self._drawn:
            self._drawn = page["learned"]
            view.set_graph(**self._drawn.drawn(), relayout=True)
        self.controls.show(page["controls"])
        shown = [[edge["u"], edge["v"]] for edge in view.edges]
        view.selected_edge = next((ends for ends in shown if {*ends} == {*pair}), None)
        names = {node["name"] for node in view.nodes}
        view.selected = pair if view.selected_edge is None and {*pair} <= names else []
        self._summary.value = f'<div style="line-height: 1.5">{"<br>".join(map(escape, page["facts"]))}</div>'
        self._reason.value = f'<div aria-live="polite" style="line-height: 1.5">{escape(page["sentence"])}</div>'
        self._contingency.value = page["table"]

    def _used(self, id: str, value: Any) -> None:
        self.handle(lambda: Set(id, value) if id in CHOICES else ChooseEnd(id == "to", value))

    def _picked(self, change: Any) -> None:
        edge = change["new"]
        if edge is not None and {*edge} != {*(self.edge or ())}:
            self.handle(lambda: Set("edge", list(edge)))

    def __repr__(self) -> str:
        """Settings, counts and the sentence."""
        state, explained = self.state, self.state.explanation
        head = (
            f"EdgeExplorer({state.network}, {state.rows:,} rows, v{state.version}, {LABELS[state.algorithm]}, "
            f"{state.reading}): {' '.join(state.learned.facts())}"
        )
        return head if explained is None else f"{head}\n{explained.sentence}"
