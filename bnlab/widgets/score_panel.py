"""Panel that compares networks under every score while ess and alpha move (scores of Carvalho 2009, section 2.1)."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html import escape
from math import ceil, floor, log10
from threading import RLock
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from bnlab._names import nearest
from bnlab.figures.labels import SCORE_LABELS
from bnlab.figures.network_scores import NetworkScores
from bnlab.figures.score_picture import differences_picture
from bnlab.figures.scores import contributions_data, contributions_json, differences_data, differences_json
from bnlab.figures.table import GOOD, HtmlTable, html_table
from bnlab.graphs.dag import counted
from bnlab.scores import make_score
from bnlab.widgets.plotly_view import PlotlyView

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.counts import CountSource
    from bnlab.data import Table
    from bnlab.figures.network_scores import AnyNetwork
    from bnlab.scores.dirichlet import Hyperparameters, PriorNetwork

BEST_MARK = "★"
BEST = "the best network"
CONTROL = {"flex": "1 1 300px", "width": "auto", "max_width": "420px"}
COLUMN = {"flex": "1 1 420px", "min_width": "0", "max_width": "100%"}
DESCRIPTION = {"description_width": "104px"}


class ScorePanel(ipywidgets.VBox):  # type: ignore[misc]
    """Every score of several networks, as differences, with the nodes that make them.

    Families are counted once; a slider evaluates only the formulas that depend on it.

    Parameters
    ----------
    data : Table or CountSource
    networks : mapping of str to Dag, networkx.DiGraph, (parent, child) pairs, or anything with a `dag`
        On the variables of the data, in any order.
    ess, alpha, reference, score
        Where the controls stand first; see below.
    prior : BayesianNetwork, optional
        Prior network of BDe, which is shown only with one.
    hyper : float, array_like or callable, optional
        Hyperparameters of BD, which is shown only with them.

    Raises
    ------
    ValueError
        If there is no network, one is on other variables than the data, or a setting is out of range.
    TypeError
        If the name of a network is not a string, or the data cannot be counted.

    Examples
    --------
    >>> from bnlab.data import Table, Variable
    >>> bit = ("0", "1")
    >>> table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 0, 1, 1], [0, 0, 1, 1]])
    >>> panel = ScorePanel(table, {"apart": [], "joined": [("X", "Y")]})
    >>> panel.ess = 4
    >>> panel.to_frame()["bdeu"].round(3).to_dict()
    {'apart': -6.3, 'joined': -5.347}
    """

    ess = traitlets.Float(1.0)
    """Equivalent sample size of BDeu and BDe."""
    alpha = traitlets.Float(0.99)
    """Confidence level of MIT."""
    reference = traitlets.Unicode(None, allow_none=True)
    """Network that differences are measured from; None for the best one under each score."""
    score = traitlets.Unicode("bdeu")
    """Score whose nodes are shown."""

    _parts: tuple[Any, ...] = ()

    def __init__(
        self,
        data: Table | CountSource,
        networks: Mapping[str, AnyNetwork],
        *,
        ess: float = 1.0,
        alpha: float = 0.99,
        reference: str | None = None,
        score: str = "bdeu",
        prior: PriorNetwork | None = None,
        hyper: Hyperparameters | Any = None,
    ) -> None:
        self._scores = NetworkScores(data, networks, prior=prior, hyper=hyper)
        self._lock = RLock()
        super().__init__()
        self.set_trait("ess", ess)
        self.set_trait("alpha", alpha)
        self.set_trait("reference", reference)
        self.set_trait("score", score)
        self._build()
        self.observe(self._changed, ["ess", "alpha", "reference", "score"])

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the networks."""
        return tuple(self._scores.networks)

    @property
    def scores(self) -> tuple[str, ...]:
        """Names of the scores, as `bnlab.scores.make_score` takes them."""
        return self._scores.scores

    def to_frame(self) -> pd.DataFrame:
        """Scores at the present ess and alpha.

        Returns
        -------
        DataFrame of float, shape (networks, scores)
            Nats; greater is better.
        """
        return self._scores.totals(ess=self.ess, alpha=self.alpha)

    def differences(self) -> pd.DataFrame:
        """Scores less those of the reference, or of the best network, as the chart shows them.

        Returns
        -------
        DataFrame of float, shape (networks, scores)
        """
        return differences_data(self.to_frame(), self.reference)

    def contributions(self, score: str | None = None) -> pd.DataFrame:
        """Local scores, what each node adds to the score of each network.

        Parameters
        ----------
        score : str, optional
            The one chosen in the panel by default.

        Returns
        -------
        DataFrame of float, shape (nodes, networks)
            Nats; greater is better. Columns add up to those of `to_frame`.

        Raises
        ------
        ValueError
            If the panel has no such score.
        """
        return self._scores.local(self.score if score is None else score, ess=self.ess, alpha=self.alpha)

    def close(self) -> None:
        """Close the panel with its charts and controls."""
        for widget in self._parts:
            widget.close()
        super().close()

    @traitlets.validate("ess")
    def _check_ess(self, proposal: Any) -> float:
        make_score("bdeu", ess=proposal["value"])
        return float(proposal["value"])

    @traitlets.validate("alpha")
    def _check_alpha(self, proposal: Any) -> float:
        make_score("mit", alpha=proposal["value"])
        return float(proposal["value"])

    @traitlets.validate("reference")
    def _check_reference(self, proposal: Any) -> str | None:
        name: str | None = proposal["value"]
        if name is not None and name not in self.networks:
            raise ValueError(f"reference={name!r}: no such network in the panel; {nearest(name, self.networks)}")
        return name

    @traitlets.validate("score")
    def _check_score(self, proposal: Any) -> str:
        name: str = proposal["value"]
        if name not in self.scores:
            raise ValueError(f"score={name!r}: no such score in the panel; {nearest(name, self.scores)}")
        return name

    def _label(self, score: str) -> str:
        if score == "mit":
            return f"{_kind(score)}({self.alpha:g})"
        if score in ("bdeu", "bde"):
            ess = f"{self.ess:,.0f}" if self.ess >= 1000 else f"{self.ess:.3g}"
            return f"{_kind(score)}({ess})"
        return _kind(score)

    def _build(self) -> None:
        shared = {"layout": {"flex": "1 1 auto", "width": "auto", "min_width": "0"}, "style": DESCRIPTION}
        self._sliders: dict[str, Any] = {
            "ess": ipywidgets.FloatLogSlider(1, min=-2, max=4, step=0.05, readout=False, **shared),
            "alpha": ipywidgets.FloatSlider(0.99, min=0.5, max=0.999, step=0.001, readout=False, **shared),
        }
        self._numbers_typed: dict[str, Any] = {
            name: ipywidgets.FloatText(layout={"width": "90px", "flex": "0 0 auto"}) for name in self._sliders
        }
        # An option whose value is None would count as nothing chosen.
        references = [(name, i) for i, name in enumerate([BEST, *self.networks])]
        self._choices: dict[str, Any] = {
            "reference": ipywidgets.Dropdown(options=references, **shared),
            "score": ipywidgets.Dropdown(options=[(_kind(s), s) for s in self.scores], **shared),
        }
        for name, (text, tip) in _TEXTS.items():
            control = self._sliders.get(name) or self._choices[name]
            control.description, control.tooltip = text, tip
        for name, typed in self._numbers_typed.items():
            typed.tooltip = f"{name}, as a number"
        self._ahead = PlotlyView(self._differences_figure())
        self._nodes = PlotlyView(self._contributions_figure())
        self._table = ipywidgets.HTML(layout={"overflow": "auto", "width": "100%"})
        self._status = ipywidgets.HTML()
        self._arrange()
        self._place_controls()
        self._show_table()
        for name, slider in self._sliders.items():
            slider.observe(partial(self._slid, name), "value")
            self._numbers_typed[name].observe(partial(self._chosen, name), "value")
        for name, choice in self._choices.items():
            choice.observe(partial(self._chosen, name), "value")
        self._ahead.observe(self._picked, "clicked")

    def _arrange(self) -> None:
        """Controls in a row, two charts beside each other, both wrapping where the page is narrow, and the table."""
        pairs = [ipywidgets.HBox([self._sliders[name], self._numbers_typed[name]]) for name in self._sliders]
        columns = [ipywidgets.VBox([self._ahead]), ipywidgets.VBox([self._nodes])]
        settings = [*pairs, *self._choices.values()]
        for setting in settings:
            setting.layout = CONTROL
        for column in columns:
            column.layout = COLUMN
        wrapped = {"flex_flow": "row wrap", "width": "100%", "overflow": "hidden"}
        self.children = [
            ipywidgets.Box(settings, layout=wrapped),
            self._status,
            ipywidgets.Box(columns, layout=wrapped),
            self._table,
        ]
        self.layout.width = "100%"
        parts = [*self._sliders.values(), *self._numbers_typed.values(), self._ahead, self._nodes]
        self._parts = (*parts, *settings, *columns, *self.children)

    def _slid(self, name: str, change: Any) -> None:
        """Follow a slider, but not where the page only rounds a value that code or keys have set to its steps."""
        slider = self._sliders[name]
        now, new = getattr(self, name), change["new"]
        way = abs(log10(new / now)) if name == "ess" else abs(new - now)
        if way > slider.step / 2:
            self._chosen(name, change)

    def _chosen(self, name: str, change: Any) -> None:
        """Carry a control's value over, from whatever thread the kernel runs callbacks in."""
        value = change["new"]
        if name == "reference":
            value = None if value == 0 else self.networks[value - 1]
        if value != getattr(self, name):
            with self._in_words():
                self.set_trait(name, value)

    def _picked(self, change: Any) -> None:
        """Show the nodes of the score whose row was clicked."""
        with self._in_words():
            if change["new"] is not None:
                self.score = self.scores[change["new"]["index"]]

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Say in the panel what goes wrong in a callback, where an exception would not be seen."""
        try:
            yield
        except Exception as error:
            self._status.value = f'<div role="alert">Not shown: {escape(str(error) or type(error).__name__)}</div>'
            self._place_controls()

    def _changed(self, change: Any) -> None:
        with self._lock:
            self._place_controls()
            if change["name"] != "score":
                self._ahead.figure = self._differences_figure()
            if change["name"] in ("ess", "alpha"):
                self._show_table()
            self._nodes.figure = self._contributions_figure()
            self._status.value = ""

    def _place_controls(self) -> None:
        """Put each control where its trait stands; a range that is too short for it grows."""
        ess, alpha = self._sliders["ess"], self._sliders["alpha"]
        ess.min, ess.max = min(ess.min, floor(log10(self.ess))), max(ess.max, ceil(log10(self.ess)))
        alpha.min, alpha.max = min(alpha.min, self.alpha), max(alpha.max, self.alpha)
        self._choices["score"].value = self.score
        self._choices["reference"].value = 0 if self.reference is None else 1 + self.networks.index(self.reference)
        for name in self._sliders:
            self._sliders[name].value = self._numbers_typed[name].value = getattr(self, name)

    def _differences_figure(self) -> Any:
        return differences_json(self.differences(), self.reference, labels=[self._label(s) for s in self.scores])

    def _contributions_figure(self) -> Any:
        reference = self.reference or str(self.to_frame()[self.score].idxmax())
        data = contributions_data(self.contributions(), reference)
        return contributions_json(data, reference, self._label(self.score), order=self.networks)

    def _show_table(self) -> None:
        self._table.value = self._numbers().html

    def _numbers(self) -> HtmlTable:
        """Table of the scores, a row each as in the chart beside it."""
        totals = self.to_frame().T
        texts = totals.map(lambda value: f"{value:,.2f}".replace("-", "−"))
        texts = texts.where(totals.lt(totals.max(axis=1), axis=0), lambda text: f"{BEST_MARK}\u00a0" + text)
        texts.insert(0, "score", [self._label(score) for score in self.scores], allow_duplicates=True)
        return html_table(
            texts,
            right=list(totals.columns),
            grounds=lambda _, text: GOOD if text.startswith(BEST_MARK) else None,
            caption=f"In nats, greater is better; {BEST_MARK} is the best of its row. "
            f"{counted(len(self._scores.nodes), 'variable')}, {self._scores.n_rows:,} rows.",
        )

    def __repr__(self) -> str:
        """Settings and scores."""
        against = "" if self.reference is None else f", reference={self.reference!r}"
        return (
            f"ScorePanel(ess={self.ess:g}, alpha={self.alpha:g}, score={self.score!r}{against})\n"
            f"{self.to_frame().round(2).to_string()}"
        )

    def _repr_mimebundle_(self, **options: Any) -> Any:
        labels = [self._label(score) for score in self.scores]
        picture = differences_picture(self.differences(), self.reference, labels=labels)
        still = {"text/html": f"<div>{picture.to_html()}{self._numbers().html}</div>", "text/plain": repr(self)}
        return {**super()._repr_mimebundle_(**options), **still}


def _kind(score: str) -> str:
    """Name of a score without its parameter."""
    return {"bde": "BDe", "bd": "BD"}.get(score) or SCORE_LABELS[score].partition("(")[0]


_TEXTS = {
    "ess": ("ess", "Equivalent sample size of BDeu and BDe: how many rows the prior is worth"),
    "alpha": ("alpha", "Confidence level of the tests in MIT"),
    "reference": ("difference from", "Network that scores are measured from"),
    "score": ("by node", "Score whose nodes are shown; a click on its row does the same"),
}
