"""Details of the selection in the picture of a graph."""

from __future__ import annotations

import traitlets

from bnlab.widgets.base.modules import modules, style
from bnlab.widgets.base.widget import PageWidget


class NodeInspector(PageWidget):
    """Shows the tables of `bnlab.figures.graphs.node_tables` beside a graph.

    Messages from the page: ``{"type": "evidence", "node", "state"}`` (index of a state, or None to remove the
    evidence), ``{"type": "target", "state"}`` (state of the sensitivity), ``{"type": "select", "node"}`` and
    ``{"type": "edit", "action", "u", "v"}``, whose action may be a change of the knowledge: "require", "forbid" or
    "free". What is typed is text: ``{"type": "probabilities", "node", "row", "state", "text"}``, ``{"type": "noisy-or",
    "node", "effects", "leak"}``, ``{"type": "variable", "name", "states"}`` and ``{"type": "rename", "node", "name"}``;
    ``{"type": "remove", "node"}`` removes a variable, and ``{"type": "rows", "first"}`` turns the pages of a table.

    Examples
    --------
    >>> NodeInspector(content={"kind": "node", "title": "rain"})
    NodeInspector(node rain)
    """

    _modules = modules("widgets/graph/page/inspector.js")
    _css = style("widgets/base/page/controls.css", "widgets/graph/page/inspector.css")

    content = traitlets.Dict({"kind": "none", "title": ""}).tag(sync=True)
    """Details of the selection: a dict with ``kind`` "none", "node" or "edge", ``title``, and keys of that kind."""
    scores = traitlets.Dict({"rows": []}).tag(sync=True)
    """Scores before and after the last change: ``rows``, ``caption``, ``chosen``."""
    height = traitlets.Int(560).tag(sync=True)
    """Height in pixels; longer content scrolls."""

    def __repr__(self) -> str:
        """Kind and title of the selection."""
        return f"NodeInspector({self.content['kind']} {self.content['title']})"
