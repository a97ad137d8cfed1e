"""A plotly figure as a light widget: each page gets plotly.js once, and a change of the figure only redraws it."""
# mypy: allow-untyped-decorators

from __future__ import annotations

import json
from html import escape, unescape
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import traitlets

from bnlab.figures.plotly_svg.figure import still
from bnlab.widgets.base.modules import modules, style
from bnlab.widgets.base.plotly_js import plotly_js, title_of
from bnlab.widgets.base.widget import PageWidget

if TYPE_CHECKING:
    import plotly.graph_objects as go

PLOTLY_MIME = "application/vnd.plotly.v1+json"


def figure_json(figure: Any) -> dict[str, Any]:
    """Figure as plain JSON values; TypeError if it is neither a plotly figure nor a dict."""
    if isinstance(figure, dict):
        return figure
    from plotly.basedatatypes import BaseFigure

    if not isinstance(figure, BaseFigure):
        raise TypeError(f"figure={figure!r}: give a plotly Figure, or its JSON as a dict.")
    return dict(json.loads(figure.to_json()))


class PlotlyView(PageWidget):
    """Plotly figure in the colours of JupyterLab's theme, as wide as its container.

    With the chart in focus, the arrow keys go from point to point and show and speak the label, Enter selects the point
    as a click does, + and - zoom, 0 shows everything, h hides a curve and s shows all curves.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure or dict
    description : str
        Text alternative; by default the title of the current figure.

    Examples
    --------
    >>> view = PlotlyView({"data": [{"y": [1, 2]}], "layout": {"title": {"text": "Two points"}}})
    >>> view.description
    'Two points'
    >>> view.figure = {"data": [], "layout": {}}  # redraws every view of it
    """

    _modules = modules("widgets/base/page/plotly_view.js")
    _css = style("widgets/base/page/plotly_view.css")
    # A page keeps a copy of plotly.js for each version.
    _plotly_version = traitlets.Unicode(version("plotly")).tag(sync=True)

    figure = traitlets.Any().tag(sync=True)
    """Figure as JSON; a plotly Figure that is assigned becomes JSON."""
    description = traitlets.Unicode().tag(sync=True)
    """Text alternative."""
    clicked = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    """Point that was clicked last: trace, trace_index, index, x, y, customdata."""
    hovered = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    """Point under the mouse, or None."""
    room = traitlets.Int(None, allow_none=True).tag(sync=True)
    """Width in pixels, in steps of 50: 0 before it is known, None if it is not measured."""

    def __init__(self, figure: go.Figure | dict[str, Any], *, description: str | None = None, **options: Any) -> None:
        drawn = figure_json(figure)
        super().__init__(
            figure=drawn,
            description=title_of(drawn) if description is None else description,
            **options,
        )
        self.on_msg(self._answer)

    @traitlets.validate("figure")
    def _check_figure(self, proposal: Any) -> dict[str, Any]:
        return figure_json(proposal["value"])

    @traitlets.observe("figure")
    def _describe(self, change: Any) -> None:
        """Update the description to the new title if it was the old title."""
        if isinstance(change["old"], dict) and self.description == title_of(change["old"]):
            self.description = title_of(change["new"])

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and content.get("type") == "plotly":
            self.send({"type": "plotly"}, buffers=[plotly_js()])

    def __repr__(self) -> str:
        """Title and curves."""
        names = [unescape(str(trace.get("name", ""))) for trace in self.figure.get("data", [])]
        shown = ", ".join(dict.fromkeys(filter(None, names)))
        return f"PlotlyView({self.description}{': ' if self.description and shown else ''}{shown})"

    def still(self) -> dict[str, Any]:
        """The figure, and a picture of it for pages without plotly, or its text if no picture can be drawn."""
        try:
            html = still(self.figure).to_html()
        except (ValueError, KeyError):
            html = f"<p>{escape(repr(self))}</p>"
        return {"text/html": html, PLOTLY_MIME: self.figure}
