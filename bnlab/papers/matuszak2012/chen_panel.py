"""Chen's search with a control for each of its settings: how β, ε, B and Q change the convergence of a run.

M. Matuszak and J. Miekisz (2012), Stochastic techniques in influence diagrams for learning Bayesian network structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from typing import Any

from bnlab._runtime.names import known_name
from bnlab.figures.searches.curve import Curve
from bnlab.learners import paper_search
from bnlab.learners.learn import learn
from bnlab.networks import load_network
from bnlab.papers.matuszak2012.cell import sampled
from bnlab.papers.matuszak2012.readings import PAPER_SETTINGS
from bnlab.papers.matuszak2012.records import percent_gap
from bnlab.scores import LocalScores, local_scores
from bnlab.search import Trace
from bnlab.widgets.base.controls import Controls, Lines, number, select, slider
from bnlab.widgets.base.core import check_known_fields
from bnlab.widgets.base.parts import Composite, status_message
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Told
from bnlab.widgets.player.charts import ConvergencePlot

REPORTED, CHOSEN = "settings of the paper", "these settings"
SETTINGS = ("beta", "epsilon", "B", "Q", "seed")
SLIDERS = {
    "beta": ("β", "Learning rate: larger learns faster and less reliably", 1e-7, 1e-1),
    "epsilon": ("ε", "A decision becomes permanent if its probability exceeds 1 − ε", 1e-4, 0.5),
    "B": ("B", "Iterations between new instances of the network", 1, 10_000),
    "Q": ("Q", "Iterations after which the nodes must decide", 10, 100_000),
}
"""Label, tip, and ends of the slider of each setting."""


@dataclass(frozen=True)
class Ran:
    """A finished run: its curve, and how far two of its networks are behind the true one, in percent."""

    curve: Curve
    gap: float
    """Of the decided network."""
    best: float
    """Of the best one of the first Q iterations."""


@dataclass(frozen=True)
class State:
    """State of the panel; all fields but `runs` and `shown` are public."""

    network: str = "simple"
    beta: float = 1e-3
    epsilon: float = 0.01
    B: int = 100
    Q: int = 500
    seed: int = 0
    status: str = "Running …"
    failed: bool = False
    shown: str = "simple"
    """Network of the runs."""
    runs: Mapping[str, Ran] = field(default_factory=dict, repr=False)
    """By "settings of the paper" and "these settings"."""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the search."""
        return {name: getattr(self, name) for name in SETTINGS}


class Done(Message):
    """The runs of a network have ended."""

    network: str
    runs: Mapping[str, Ran]


class Run(Effect, channel="run", failure="Not run"):
    """Run the search with the settings of the paper and with chosen ones."""

    network: str
    settings: Mapping[str, Any]

    def run(self, send: Callable[[Message], None], stopped: Callable[[], bool]) -> Done | None:
        """Both runs, unless others are wanted by now."""
        found = followed(self.network, self.settings, stopped)
        return None if found is None else Done(self.network, {REPORTED: reported(self.network), CHOSEN: found})


@cache
def families(network: str) -> tuple[LocalScores, Mapping[str, float]]:
    """K2 scores of families in the rows of a network, and of the whole true network and of the Chow-Liu tree."""
    table = sampled(network, 0)
    phi = local_scores(table, "k2")
    true, tree = load_network(network).dag.parents, learn(table, "chow-liu").parents
    return phi, {"true network": phi.total(true), "Chow-Liu": phi.total(tree)}


@cache
def reported(network: str) -> Ran:
    """Run with the settings of the paper."""
    found = followed(network, PAPER_SETTINGS[network], lambda: False)
    assert found is not None
    return found


def followed(network: str, settings: Mapping[str, Any], stopped: Callable[[], bool]) -> Ran | None:
    """Run with some settings; None if it is stopped."""
    phi, others = families(network)
    search, trace = paper_search(phi, phi.n, **settings), Trace()
    last = search.init()
    for state in trace.follow(search, last):
        last = state
        if stopped():
            return None
    true, first = others["true network"], trace.scores[: settings.get("Q", State.Q)]
    return Ran(Curve.of(trace), percent_gap(phi.total(search.result(last)), true), percent_gap(first.max(), true))


def checked(name: str, value: Any) -> Any:
    """Value of a public field; ValueError or TypeError if it is not possible."""
    if name == "network":
        return known_name(value, tuple(PAPER_SETTINGS), "network")
    paper_search(lambda child, parents: 0.0, 2, **{name: value})
    return value


def update(state: State, message: Any) -> tuple[State, Sequence[Any]]:
    """Next state and effects."""
    match message:
        case Set("network", value):
            network = checked("network", value)
            new = replace(state, network=network, **PAPER_SETTINGS[network])
        case Set(name, value) if name in SETTINGS:
            new = replace(state, **{name: checked(name, value)})
        case Told(text):
            return replace(state, status=text, failed=True), []
        case Done(network, runs):
            ran, made = runs[CHOSEN], len(runs[CHOSEN].curve)
            words = (
                f"{made:,} iterations. The decided network is {ran.gap:.2f} % behind the true one, the best of the "
                f"first {state.Q:,} iterations {ran.best:.2f} %."
            )
            return replace(state, status=words, failed=False, shown=network, runs=runs), []
        case Failed():
            return state, []
        case _:
            raise TypeError(f"{message!r} is no message of this panel.")
    if new == state:
        return state, []
    return replace(new, status="Running …", failed=False), [Run(new.network, new.settings)]


def page(state: State) -> Mapping[str, Any]:
    """What the page shows: the controls, and the runs with their reference scores."""
    return {"controls": lines(state), "runs": state.runs, "baselines": families(state.shown)[1] if state.runs else {}}


def lines(state: State) -> Lines:
    """Controls of the settings, and the status."""
    sliders = [
        slider(name, label, getattr(state, name), tip, least=least, most=most, step=0.25, log=True)
        for name, (label, tip, least, most) in SLIDERS.items()
    ]
    labels = [("simple", "7 nodes"), ("alarm", "ALARM, 37 nodes")]
    network = select("network", "Network", state.network, labels, "The paper's settings are taken for it")
    seed = number("seed", "Seed", state.seed, "Seed of the search; the rows stay the same")
    told = status_message(state.status, failed=state.failed)
    return [[network, seed], sliders[:2], sliders[2:], [told]]


class ChenPanel(Composite):
    """Convergence of one run with chosen settings beside one with the settings of the paper, on 100,000 rows.

    Every change of a setting makes a new run, for which `wait` waits. A change of the network takes the paper's
    settings for it.

    Parameters
    ----------
    network : "simple" or "alarm"
    **settings
        First values of beta, epsilon, B, Q and seed.

    Attributes
    ----------
    network : str
        Network that the rows come from.
    beta : float
        Learning rate β of equation 4.
    epsilon : float
        A decision becomes permanent if 1 - τ < ε.
    B, Q : int
        Iterations between new instances, and after which the nodes must decide.
    seed : int
        Seed of the search; the rows stay the same.
    status : str
        What the run reached; `failed` says whether it is an error.

    Raises
    ------
    ValueError, TypeError
        If a setting is unknown or out of range.

    Examples
    --------
    >>> from bnlab.papers import ChenPanel
    >>> panel = ChenPanel("simple", beta=0.01)
    >>> panel.gap < 1
    True
    >>> panel.close()
    """

    update, page = staticmethod(update), staticmethod(page)
    public = ("network", *SETTINGS, "status", "failed")

    plot: ConvergencePlot
    """Chart of both runs."""
    _shown_runs: Mapping[str, Ran] | None = None

    def __init__(self, network: str = "simple", **settings: Any) -> None:
        check_known_fields("ChenPanel", settings, SETTINGS)
        network = checked("network", network)
        given = {name: checked(name, value) for name, value in settings.items()}
        state = State(network, **{**PAPER_SETTINGS[network], **given})
        self.controls, self.plot = Controls("Settings of Chen's search"), ConvergencePlot()
        super().__init__(state, Run(network, state.settings), children=[self.controls, self.plot])
        self.controls.on_change(self._used)
        self.wait()
        self._show(page(self.state))

    @property
    def gap(self) -> float:
        """How far the K2 score of the decided network is behind that of the true one, in percent."""
        gap: float = self.state.runs[CHOSEN].gap
        return gap

    def _show(self, page: Mapping[str, Any]) -> None:
        self.controls.show(page["controls"])
        if page["runs"] is not self._shown_runs:
            self._shown_runs = page["runs"]
            self.plot.baselines = dict(page["baselines"])
            for name, ran in page["runs"].items():
                self.plot.follow(name, ran.curve)
            self.plot.refresh()

    def _used(self, id: str, value: Any) -> None:
        self.handle(lambda: Set(id, round(value or 0) if id in ("B", "Q", "seed") else value))

    def _html(self) -> str:
        return f"<div><p>{escape(repr(self))}</p>{self.plot.picture().to_html()}</div>"

    def __repr__(self) -> str:
        """Settings, and what the run reached."""
        settings = ", ".join(f"{name}={getattr(self, name):g}" for name in SETTINGS)
        return f"ChenPanel({self.network}, {settings}): {self.status}"
