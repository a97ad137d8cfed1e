"""Settings of a score panel as traits, and its numbers for them as frames and figures."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets

from bnlab._runtime.names import check_known
from bnlab.scores import make_score
from bnlab.widgets.base.panel import Panel
from bnlab.widgets.scores.content import CHARTS, Chart, ScoreContent, Settings

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


class ScoreTraits(Panel):
    """Traits and numbers of a `ScorePanel`, without its page."""

    ess = traitlets.Float(1.0)
    """Equivalent sample size of BDeu and BDe."""
    alpha = traitlets.Float(0.99)
    """Confidence level of MIT."""
    n_rows = traitlets.Int(1)
    """Number of first rows that are scored."""
    reference = traitlets.Unicode(None, allow_none=True)
    """Network that scores are compared with; None for the best shown network under each score."""
    score = traitlets.Unicode("bdeu")
    """Score of the node chart, of the sample size chart and of the summary."""
    selected = traitlets.Tuple()
    """Names of the shown networks, in the order of `networks`."""
    hovered = traitlets.Unicode(None, allow_none=True)
    """Highlighted node, here and in linked graphs."""

    _content: ScoreContent

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the networks."""
        return self._content.networks

    def to_frame(self) -> pd.DataFrame:
        """Scores of the shown networks at the current ess, alpha and number of rows.

        Returns
        -------
        DataFrame of float, shape (networks, scores)
            Nats; greater is better.
        """
        return self._content.frame(self._settings())

    def switches(self) -> pd.DataFrame:
        """Best network in each interval of ess; the ends of the intervals are found by bisection.

        Returns
        -------
        DataFrame
            network, from, to (ess) and equal (names of networks with the same score at every ess).
        """
        return self._content.over_ess(self._settings()).to_frame()

    def figure(self, chart: Chart = "ess") -> go.Figure:
        """One of the charts as a plotly figure.

        Parameters
        ----------
        chart : "ess", "scores", "nodes" or "rows"

        Raises
        ------
        ValueError
            If there is no such chart.
        """
        import plotly.graph_objects as go

        check_known(chart, CHARTS, f"chart={chart!r}")
        return go.Figure(self._content.chart(chart, self._settings()))

    @traitlets.validate("ess", "alpha")
    def _check_parameter(self, proposal: Any) -> float:
        name, value = proposal["trait"].name, proposal["value"]
        make_score({"ess": "bdeu", "alpha": "mit"}[name], **{name: value})
        return float(value)

    @traitlets.validate("n_rows")
    def _check_rows(self, proposal: Any) -> int:
        return self._content.scores.checked(proposal["value"])

    @traitlets.validate("reference", "hovered")
    def _check_name(self, proposal: Any) -> str | None:
        name, trait = proposal["value"], proposal["trait"].name
        what, where, names = {
            "reference": ("network", "panel", self.networks),
            "hovered": ("node", "data", self._content.scores.all.nodes),
        }[trait]
        if name is not None:
            check_known(name, names, f"{trait}={name!r}: no such {what} in the {where}")
        return None if name is None else str(name)

    @traitlets.validate("score")
    def _check_score(self, proposal: Any) -> str:
        return self._content.scores.all.known_score(proposal["value"])

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> tuple[str, ...]:
        names = proposal["value"]
        for name in names:
            check_known(name, self.networks, f"selected: no network {name!r} in the panel")
        if not names:
            raise ValueError("selected: no network is left to show; keep at least one.")
        return tuple(name for name in self.networks if name in names)

    def _settings(self) -> Settings:
        return Settings(self.ess, self.alpha, self.n_rows, self.reference, self.score, self.selected, self.hovered)
