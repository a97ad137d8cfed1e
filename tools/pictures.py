"""Pictures of the charts in notebooks, for places without plotly: code hosts, nbconvert, a reader without a kernel."""

from __future__ import annotations

from nbformat import NotebookNode

from bnlab.figures import still

PLOTLY = "application/vnd.plotly.v1+json"
PAGE_WIDTH = 1100
"""Pixels of a page of JupyterLab; narrower places shrink a picture."""


def add_pictures(notebook: NotebookNode) -> NotebookNode:
    """Put a picture beside each stored chart, as HTML: JupyterLab still prefers the chart, other readers show it.

    Raises
    ------
    ValueError
        If a chart holds something that `bnlab.figures.still` does not draw.
    """
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if PLOTLY in output.get("data", {}):
                output.data["text/html"] = still(dict(output.data[PLOTLY]), width=PAGE_WIDTH).to_html()
                output.data.pop("image/png", None)
    return notebook
