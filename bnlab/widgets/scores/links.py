"""Hovering a node in one widget highlights it in another."""

from __future__ import annotations

from typing import Any

from bnlab.widgets.graph.network_graph import NetworkGraph
from bnlab.widgets.graph.view import GraphView


class HoverLink:
    """Keeps the trait `hovered` of two widgets equal, for names that the first one has.

    Parameters
    ----------
    panel : HasTraits
        With `hovered`, a name or None.
    view : HasTraits
        With `hovered`; a name that is not among `names` counts as None for the panel.
    names : collection of str
        Nodes of the panel.

    Examples
    --------
    >>> import traitlets
    >>> class Pointed(traitlets.HasTraits):
    ...     hovered = traitlets.Unicode(None, allow_none=True)
    >>> a, b = Pointed(), Pointed()
    >>> link = HoverLink(a, b, ["X"])
    >>> b.hovered = "X"
    >>> a.hovered
    'X'
    """

    def __init__(self, panel: Any, view: Any, names: Any) -> None:
        self.view = view
        self._panel, self._names = panel, frozenset(names)
        panel.observe(self._there, "hovered")
        view.observe(self._here, "hovered")

    def close(self) -> None:
        """Remove the link."""
        for widget, follow in ((self._panel, self._there), (self.view, self._here)):
            if widget.has_trait("hovered"):
                widget.unobserve(follow, "hovered")

    def _there(self, change: Any) -> None:
        elsewhere = change["new"] is None and self.view.hovered not in self._names
        if self.view.hovered != change["new"] and not elsewhere:
            self.view.hovered = change["new"]

    def _here(self, change: Any) -> None:
        name = change["new"] if change["new"] in self._names else None
        if self._panel.hovered != name and (name is not None or change["old"] == self._panel.hovered):
            self._panel.hovered = name


def hovered_view(graph: Any) -> GraphView:
    """View of a graph, whose trait `hovered` can be linked.

    Raises
    ------
    TypeError
        If there is none.
    """
    view = graph.view if isinstance(graph, NetworkGraph) else graph
    if not isinstance(view, GraphView):
        raise TypeError(f"{type(graph).__name__} has no nodes to hover: link a NetworkGraph or a GraphView.")
    return view
