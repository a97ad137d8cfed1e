"""Heat map of the randomised policies of Chen's search, which sharpens while the search learns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from bnlab.figures.searches.policies import PolicyData, entropies, policies_data, policies_figure, with_none
from bnlab.figures.searches.policies_picture import policies_picture
from bnlab.figures.theme import BLUE, OCHRE
from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


class PolicyMap(PageWidget):
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

    _esm = page_file("base/problem.js", "base/elements.js", "player/policy_map.js")
    _css = page_file("player/policy_map.css")
    _colours = traitlets.Dict({"open": OCHRE, "settled": BLUE}).tag(sync=True)

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Nodes, in the order of rows and columns; the last column is "none"."""
    tau = traitlets.Bytes().tag(sync=True)
    """Probabilities as float32, shape (n, n + 1); nan where a node would choose itself."""
    entropy = traitlets.Bytes().tag(sync=True)
    """Entropy of each row in nats, as float32."""
    active = traitlets.List(traitlets.Bool()).tag(sync=True)
    """Which decisions are still to be taken."""
    permanent = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    """Settled edges [u, v]."""
    description = traitlets.Unicode("no policies yet").tag(sync=True)
    """Text alternative."""

    def __init__(self, names: Sequence[str], **options: Any) -> None:
        super().__init__(names=[str(name) for name in names], **options)

    def show(
        self, policies: Any, *, active: Sequence[bool] | None = None, permanent: Sequence[tuple[int, int]] | None = None
    ) -> None:
        """Draw other policies; parameters as for `bnlab.figures.policies_data`.

        Raises
        ------
        ValueError
            If they are of another number of nodes.
        """
        tau = np.asarray(getattr(policies, "tau", policies), dtype=np.float64)
        n = len(self.names)
        if tau.shape != (n, n):
            raise ValueError(f"policies have the shape {tau.shape}: for {n} nodes it is ({n}, {n}).")
        flags = [bool(flag) for flag in (active if active is not None else getattr(policies, "active", [True] * n))]
        edges = permanent if permanent is not None else getattr(policies, "permanent", ())
        spread = entropies(tau)
        self._given = tau, flags, tuple((int(u), int(v)) for u, v in edges)
        going = spread[flags]
        rest = f"mean entropy {going.mean():.2f} nats" if len(going) else "all decided"
        with self.hold_sync():
            self.tau = with_none(tau).astype(np.float32).tobytes()
            self.entropy = spread.astype(np.float32).tobytes()
            self.active, self.permanent = flags, [list(edge) for edge in self._given[2]]
            self.description = f"{len(going)} of {n} decisions active, {rest}"

    def data(self) -> PolicyData:
        """What is shown, as tables.

        Raises
        ------
        ValueError
            If nothing has been shown yet.
        """
        if not self.tau:
            raise ValueError("no policies to tell of: call `show` first.")
        tau, active, permanent = self._given
        return policies_data(tau, self.names, active=active, permanent=permanent)

    def to_frame(self) -> pd.DataFrame:
        """Probabilities, a row a node, a column a child, "none" last."""
        return self.data().tau

    def figure(self, **options: Any) -> go.Figure:
        """Plotly figure of the same; options as for `policies_figure`."""
        return policies_figure(self.data(), **options)

    def __repr__(self) -> str:
        """How much is still open."""
        return f"PolicyMap({self.description})"

    def still(self) -> dict[str, Any]:
        """Picture of the policies."""
        return {"text/html": policies_picture(self.data()).to_html() if self.tau else f"<p>{escape(repr(self))}</p>"}
