"""Chen's search with a control for each of its settings: how β, ε, B and Q change the convergence of a run.

M. Matuszak and J. Miekisz (2012), Stochastic techniques in influence diagrams for learning Bayesian network structure.
"""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

import traitlets

from bnlab._runtime.names import known_name
from bnlab.figures.searches.curve import Curve
from bnlab.learners import paper_search
from bnlab.learners.learn import learn
from bnlab.networks import load_network
from bnlab.papers.matuszak2012.cell import sampled
from bnlab.papers.matuszak2012.readings import PAPER_SETTINGS
from bnlab.papers.matuszak2012.records import percent_gap
from bnlab.scores import local_scores
from bnlab.search import Trace
from bnlab.widgets.base.controls import Controls, number, select, slider
from bnlab.widgets.base.panel import Panel, status_message
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


class ChenPanel(Panel):
    """Convergence of one run with chosen settings beside one with the settings of the paper, on 100,000 rows.

    Every change of a setting makes a new run. A change of the network takes the paper's settings for it.

    Parameters
    ----------
    network : "simple" or "alarm"
    **settings
        First values of beta, epsilon, B, Q and seed.

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

    _controls: Controls

    network = traitlets.Unicode("simple")
    """Network that the rows come from."""
    beta = traitlets.Float(1e-3)
    """Learning rate β of equation 4."""
    epsilon = traitlets.Float(0.01)
    """A decision becomes permanent if 1 - τ < ε."""
    B = traitlets.Int(100)
    """Iterations between new instances."""
    Q = traitlets.Int(500)
    """Iterations after which the nodes must decide."""
    seed = traitlets.Int(0)
    """Seed of the search; the rows stay the same."""
    plot: ConvergencePlot
    """Chart of both runs."""

    _taking_settings = False
    """Whether the settings of the paper are being taken, before one run with all of them."""

    def __init__(self, network: str = "simple", **settings: Any) -> None:
        super().__init__()
        self.network = network
        self.set_known_traits({**PAPER_SETTINGS[self.network], **settings})
        self.plot = ConvergencePlot()
        self._controls = Controls("Settings of Chen's search")
        self.children = [self._controls, self.plot]
        self._ready = True
        self._load()
        self._run()
        self.observe(self._changed, ["network", *SETTINGS])
        self._controls.on_change(lambda name, value: self._later(partial(self._choose, name, value)))

    @property
    def gap(self) -> float:
        """How far the K2 score of the decided network is behind that of the true one, in percent."""
        return self._gap

    @traitlets.validate("network")
    def _check_network(self, proposal: Any) -> str:
        return known_name(proposal["value"], tuple(PAPER_SETTINGS), "network")

    @traitlets.validate(*SETTINGS)
    def _check_setting(self, proposal: Any) -> Any:
        paper_search(lambda child, parents: 0.0, 2, **{proposal["trait"].name: proposal["value"]})
        return proposal["value"]

    def _load(self) -> None:
        """Take the rows of the network, and run the search with the paper's settings."""
        table = sampled(self.network, 0)
        self._phi = local_scores(table, "k2")
        self._true = self._phi.total(load_network(self.network).dag.parents)
        tree = learn(table, "chow-liu").parents
        self.plot.baselines = {"true network": self._true, "Chow-Liu": self._phi.total(tree)}
        self._follow(REPORTED, PAPER_SETTINGS[self.network])

    def _run(self) -> None:
        """Run the search with the present settings."""
        trace, self._gap = self._follow(CHOSEN, {name: getattr(self, name) for name in SETTINGS})
        best = percent_gap(trace.scores[: self.Q].max(), self._true)
        self._report(
            f"{len(trace.scores):,} iterations. The decided network is {self._gap:.2f} % behind the true one, the best "
            f"of the first {self.Q:,} iterations {best:.2f} %."
        )

    def _follow(self, name: str, settings: Mapping[str, Any]) -> tuple[Trace, float]:
        """Run the search to its end and draw its curve; also the gap of its network in percent."""
        search, trace = paper_search(self._phi, self._phi.n, **settings), Trace()
        found = search.result(trace.run(search))
        self.plot.follow(name, Curve.of(trace))
        self.plot.refresh()
        return trace, percent_gap(self._phi.total(found), self._true)

    def _choose(self, name: str, value: Any) -> None:
        """Set a trait that a control shows."""
        self.set_trait(name, round(value or 0) if name in ("B", "Q", "seed") else value)
        self._show_controls()

    def _changed(self, change: Any) -> None:
        if self._taking_settings:
            return
        with self._lock:
            self._report("Running …")
            if change["name"] == "network":
                self._taking_settings = True
                try:
                    self.set_known_traits(PAPER_SETTINGS[self.network])
                finally:
                    self._taking_settings = False
                self._load()
            self._run()

    def _show_controls(self) -> None:
        sliders = [
            slider(name, label, getattr(self, name), tip, least=least, most=most, step=0.25, log=True)
            for name, (label, tip, least, most) in SLIDERS.items()
        ]
        labels = [("simple", "7 nodes"), ("alarm", "ALARM, 37 nodes")]
        network = select("network", "Network", self.network, labels, "The paper's settings are taken for it")
        seed = number("seed", "Seed", self.seed, "Seed of the search; the rows stay the same")
        self._controls.show([[network, seed], sliders[:2], sliders[2:], [status_message(self)]])

    def __repr__(self) -> str:
        """Settings, and what the run reached."""
        settings = ", ".join(f"{name}={getattr(self, name):g}" for name in SETTINGS)
        return f"ChenPanel({self.network}, {settings}): {self.status}"

    def still(self) -> dict[str, Any]:
        """What the run reached, and its curve."""
        return {"text/html": f"<div><p>{escape(repr(self))}</p>{self.plot.picture().to_html()}</div>"}
