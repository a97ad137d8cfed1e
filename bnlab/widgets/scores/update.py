"""State of a score panel, its messages and effects, and the state that follows a message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from bnlab._runtime.names import check_known
from bnlab.learners.exact.optimum import Optimum
from bnlab.scores import make_score
from bnlab.widgets.base.gap import STARTING, optimum
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Stop, Told
from bnlab.widgets.scores.content import Chart, ScoreContent, Settings

Question: TypeAlias = tuple[str, float, float, int]
"""What an optimum depends on: score, ess, alpha and number of rows."""


@dataclass(frozen=True)
class State:
    """State of a score panel. Fields from `ess` to `hovered` are public."""

    content: ScoreContent = field(repr=False)
    ess: float = 1.0
    alpha: float = 0.99
    n_rows: int = 1
    reference: str | None = None
    score: str = "bdeu"
    selected: tuple[str, ...] = ()
    hovered: str | None = None
    parts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Computed parts of the page by name; they are of older settings while `computing`."""
    computing: bool = True
    search: str | None = None
    """Progress of the exact search; None if none is running."""
    optima: Mapping[Question, Optimum] = field(default_factory=dict, repr=False)
    status: str = ""
    """Error of the last message, while `failed`."""
    failed: bool = False

    @property
    def settings(self) -> Settings:
        """Settings that change the numbers."""
        return Settings(self.ess, self.alpha, self.n_rows, self.reference, self.score, self.selected)

    @property
    def question(self) -> Question:
        """Question that an exact search would answer now."""
        return self.score, self.ess, self.alpha, self.n_rows


class Show(Message):
    """Show or hide a network."""

    network: str
    shown: bool


class Click(Message):
    """A point of a chart was clicked: the score, ess or number of rows there is chosen."""

    chart: Chart
    index: int | None
    x: Any = None


class Point(Message):
    """A bar of the nodes' chart came under the mouse, or none is any more."""

    index: int | None


class FindOptimum(Message):
    """Start the exact search."""


class StopOptimum(Message):
    """Stop the exact search."""


class Part(Message):
    """A part of the page for some settings was computed."""

    settings: Settings
    name: str
    value: Any


class Complete(Message):
    """All parts of the page for some settings were computed, with a highlighted node."""

    settings: Settings
    hovered: str | None


class Searching(Message):
    """How far the exact search is."""

    text: str


class Found(Message):
    """The exact search has ended."""

    question: Question
    optimum: Optimum


class Compute(Effect, channel="parts", failure="Not shown"):
    """Compute the parts of the page, the quick ones first."""

    content: ScoreContent
    settings: Settings
    hovered: str | None = None

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Complete | None:
        """Send the parts one by one, until other settings are wanted."""
        for name, compute in self._parts():
            if stopped():
                return None
            value = compute()
            if name:
                send(Part(self.settings, name, value))
        return Complete(self.settings, self.hovered)

    def _parts(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        content, settings = self.content, self.settings
        yield "tables", partial(content.tables, settings)
        yield "best", partial(content.best, settings)
        yield "scores", partial(content.drawn, "scores", settings)
        yield "ess", partial(content.drawn, "ess", settings)
        yield "order", partial(content.nodes, settings)
        yield "nodes", partial(content.drawn, "nodes", settings._replace(hovered=self.hovered))
        yield "sentence", partial(content.sentence, settings)
        for n in content.scores.sizes:
            yield "", partial(content.scores.at, n)  # counts rows for a second or more, if there are many
        yield "rows", partial(content.drawn, "rows", settings)


class Highlight(Effect, channel="highlight", failure="Not shown"):
    """Draw the nodes' chart with the highlighted node."""

    content: ScoreContent
    settings: Settings
    hovered: str | None

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Part | None:
        """The chart, unless another node is wanted by now."""
        if stopped():
            return None
        return Part(self.settings, "nodes", self.content.drawn("nodes", self.settings._replace(hovered=self.hovered)))


class Search(Effect, channel="optimum", failure="No distance to the optimum"):
    """Search the best network of all."""

    content: ScoreContent
    settings: Settings
    question: Question

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Found:
        """Best network, or the bound after a minute or a stop."""
        search = self.content.gap_search(self.settings)
        found = optimum(search, lambda words: send(Searching(words)), stopped)
        return Found(self.question, found)


def checked(state: State, name: str, value: Any) -> Any:
    """Value of a public field; ValueError if it is not possible."""
    content = state.content
    match name:
        case "ess" | "alpha":
            make_score({"ess": "bdeu", "alpha": "mit"}[name], **{name: value})
            return float(value)
        case "n_rows":
            return content.scores.checked(value)
        case "score":
            return content.scores.all.known_score(value)
        case "selected":
            names = (value,) if isinstance(value, str) else value
            for network in names:
                check_known(network, content.networks, f"selected: no network {network!r} in the panel")
            if not names:
                raise ValueError("selected: no network is left to show; keep at least one.")
            return tuple(network for network in content.networks if network in names)
        case "reference" if value is not None:
            check_known(value, content.networks, f"reference={value!r}: no such network in the panel")
        case "hovered" if value is not None:
            check_known(value, content.scores.all.nodes, f"hovered={value!r}: no such node in the data")
        case "reference" | "hovered":
            return None
        case _:
            raise ValueError(f"{name!r} is no setting of a score panel.")
    return str(value)


def well(state: State, **values: Any) -> State:
    """State with other values, and without an error before."""
    return replace(state, status="", failed=False, **values)


def update(state: State, message: Any) -> tuple[State, Sequence[Any]]:
    """Next state and effects."""
    match message:
        case Set("hovered", node):
            new = well(state, hovered=checked(state, "hovered", node))
            return new, [] if new.hovered == state.hovered else [Highlight(new.content, new.settings, new.hovered)]
        case Set(name, value):
            new = well(state, **{name: checked(state, name, value)})
            if new.settings == state.settings:
                return new, []
            return replace(new, computing=True), [Compute(new.content, new.settings, new.hovered)]
        case Show(network, shown):
            others = tuple(name for name in state.selected if name != network)
            return update(state, Set("selected", (*others, network) if shown else others))
        case Click("scores", int(index)):
            return update(state, Set("score", state.content.scores.all.scores[index]))
        case Click("ess", _, x):
            return update(state, Set("ess", float(x)))
        case Click("rows", _, x):
            return update(state, Set("n_rows", round(x)))
        case Point(index):
            # The chart itself stays: a bar that moves away from the mouse would not be under it any more.
            order = state.parts.get("order", ())
            return replace(state, hovered=None if index is None or index >= len(order) else order[index]), []
        case Part(settings) | Complete(settings) if settings != state.settings:
            return state, []  # of earlier settings
        case Part(_, name, value):
            return replace(state, parts={**state.parts, name: value}), []
        case Complete(_, hovered):
            new = replace(state, computing=False)
            return new, [] if hovered == new.hovered else [Highlight(new.content, new.settings, new.hovered)]
        case FindOptimum() if state.search is not None:
            raise RuntimeError("an exact search is running already: `stop` it first, or `wait`.")
        case FindOptimum():
            known = {question: optimum for question, optimum in state.optima.items() if question != state.question}
            new = well(state, search=STARTING, optima=known)
            return new, [Search(state.content, state.settings, state.question)]
        case StopOptimum():
            return state, [Stop("optimum")]
        case Searching(text):
            return replace(state, search=text), []
        case Found(question, optimum):
            return replace(state, search=None, optima={**state.optima, question: optimum}), []
        case Failed(Search()):
            return replace(state, search=None), []
        case Failed(Compute(_, settings)) if settings == state.settings:
            return replace(state, computing=False), []
        case Told(text):
            return replace(state, status=text, failed=True), []
        case Failed() | Click():
            return state, []
    raise TypeError(f"{message!r} is no message of a score panel.")
