"""Details of what is selected in the picture of a graph."""

from __future__ import annotations

import traitlets

from bnlab.widgets.base.widget import PageWidget, page_file


class NodeInspector(PageWidget):
    """Shows the tables of `bnlab.figures.graphs.node_tables` beside a graph.

    Messages from the page: ``{"type": "evidence", "node", "state"}`` (index of a state, None to take it back),
    ``{"type": "select", "node"}`` and ``{"type": "edit", "action", "u", "v"}``, whose action may be a change of the
    knowledge, "require", "forbid" or "free".

    Examples
    --------
    >>> NodeInspector(content={"kind": "node", "title": "rain"})
    NodeInspector(node rain)
    """

    _esm = page_file("base/elements.js", "graph/inspector.js")
    _css = page_file("base/controls.css", "graph/inspector.css")

    content = traitlets.Dict({"kind": "none", "title": ""}).tag(sync=True)
    """What is selected: a dict with ``kind`` "none", "node" or "edge", ``title``, and what belongs to the kind."""
    scores = traitlets.Dict({"rows": []}).tag(sync=True)
    """Scores before and after the last change: ``rows``, ``caption``, ``chosen``."""
    height = traitlets.Int(560).tag(sync=True)
    """Pixels; longer contents scroll."""

    def __repr__(self) -> str:
        """What is selected."""
        return f"NodeInspector({self.content['kind']} {self.content['title']})"
