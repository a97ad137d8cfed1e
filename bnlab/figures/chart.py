"""What charts share: plotly's figure of a chart that is made as JSON, layout and legend."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias

from bnlab.figures.theme import TEMPLATE

if TYPE_CHECKING:
    import plotly.graph_objects as go

Chart: TypeAlias = "dict[str, Any]"
"""JSON of a plotly figure: its data and its layout. Plotly's own classes check every entry, which takes far longer."""

P = ParamSpec("P")

LEGEND_IN_LINES: dict[str, Any] = {"orientation": "h", "x": 0, "xanchor": "left", "yanchor": "top"}


def as_figure(name: str, build: Callable[P, Chart]) -> Callable[P, go.Figure]:
    """Function of another name that returns a plotly Figure of what a function returns as JSON.

    Examples
    --------
    >>> from inspect import signature
    >>> empty_figure = as_figure("empty_figure", lambda title="": {"data": [], "layout": {"title": title}})
    >>> empty_figure.__name__, str(signature(empty_figure))
    ('empty_figure', "(title='') -> 'go.Figure'")
    """

    @wraps(build)
    def figure(*args: P.args, **kwargs: P.kwargs) -> go.Figure:
        import plotly.graph_objects as go

        return go.Figure(build(*args, **kwargs))

    figure.__name__ = figure.__qualname__ = name
    figure.__signature__ = signature(build).replace(return_annotation="go.Figure")  # type: ignore[attr-defined]
    return figure


def chart_layout(title: str, plot: float, *, above: float, below: float) -> dict[str, Any]:
    """Layout of a chart; the title may hold tags of plotly, and the sizes are pixels of the plot and around it."""
    size = {"height": round(plot + above + below), "margin": {"t": above, "b": below}}
    return {"template": TEMPLATE, "title": {"text": title}, **size, "hovermode": "closest"}


def scatter(mode: str, x: Any, y: Any, **entries: Any) -> dict[str, Any]:
    """Scatter trace of plotly."""
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **entries}


def hover(template: str, data: Any = None) -> dict[str, Any]:
    """Entries of a trace for the label under the mouse; the template may use the data of each point as customdata."""
    return {"hovertemplate": f"{template}<extra></extra>"} | ({} if data is None else {"customdata": data})
