"""Heat map of the randomised policies of Chen's search, redrawn while the search learns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from bnlab.figures.searches.policies import (
    HasPolicies,
    PolicyData,
    policies_data,
    policies_figure,
    policies_json,
    policies_picture,
    policy_words,
)
from bnlab.widgets.base.plotly_view import PlotlyView

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


class PolicyMap(PlotlyView):
    """Probability τ of every decision: a row a node, a column a child; settled edges are dots.

    Parameters
    ----------
    names : sequence of str
        Nodes.

    Examples
    --------
    >>> view = PolicyMap(["A", "B"])
    >>> view.show([[0.25, 0.75], [0.0, 1.0]])
    >>> view
    PolicyMap(2 of 2 decisions active, mean entropy 0.28 nats)
    """

    def __init__(self, names: Sequence[str], **options: Any) -> None:
        self.names = tuple(str(name) for name in names)
        self._data: PolicyData | None = None
        super().__init__({"data": [], "layout": {}}, description="no policies yet", **options)

    def show(
        self,
        policies: HasPolicies | ArrayLike,
        *,
        active: Sequence[bool] | None = None,
        permanent: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        """Draw other policies; parameters as for `bnlab.figures.policies_data`.

        Raises
        ------
        ValueError
            If they are of another number of nodes.
        """
        self._data = policies_data(policies, self.names, active=active, permanent=permanent)
        with self.hold_sync():
            self.figure, self.description = policies_json(self._data), policy_words(self._data)

    def data(self) -> PolicyData:
        """What is shown, as tables.

        Raises
        ------
        ValueError
            If nothing has been shown yet.
        """
        if self._data is None:
            raise ValueError("there are no policies yet: call `show` first.")
        return self._data

    def to_frame(self) -> pd.DataFrame:
        """Probabilities, a row a node, a column a child, "none" last."""
        return self.data().tau

    def to_figure(self, **options: Any) -> go.Figure:
        """Plotly figure of the same; options as for `policies_figure`."""
        return policies_figure(self.data(), **options)

    def __repr__(self) -> str:
        """How much is still open."""
        return f"PolicyMap({self.description})"

    def still(self) -> dict[str, Any]:
        """Picture of the policies."""
        if self._data is None:
            return {"text/html": f"<p>{escape(repr(self))}</p>"}
        return {"text/html": policies_picture(self._data).to_html()}
