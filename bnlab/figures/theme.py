"""Colours, fonts and layout of all figures, legible on light and on dark pages.

Each colour has a contrast of at least 3 to white and to near-black, as WCAG 2.2 requires for graphics (1.4.11). Readers
with deuteranopia, protanopia or tritanopia can distinguish any two. Shapes and dashes distinguish the same as colours.

References
----------
M. Okabe, K. Ito. Color universal design. 2008 (the hues).
G. M. Machado, M. M. Oliveira, L. A. F. Fernandes. A physiologically-based model for simulation of color vision
deficiency. IEEE Transactions on Visualization and Computer Graphics 15, 2009 (the test).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias

if TYPE_CHECKING:
    import plotly.graph_objects as go

BLUE = "#1b5de4"
VERMILLION = "#bd3009"
GREEN = "#1a6f56"
OCHRE = "#bf8a1c"
SKY = "#2b98ea"
VIOLET = "#8b42ab"
PINK = "#f048bb"
GREY = "#868686"

PALETTE = (BLUE, VERMILLION, GREEN, OCHRE, SKY, VIOLET, PINK, GREY)
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
GLYPHS = ("●", "■", "◆", "▲", "✚", "✖", "★", "⬢")
"""Characters that look like the symbols, for text."""

# Lines on the background of the page. No single grey is dark enough for text on light and dark pages.
TEXT = "#797979"
GRID = "rgba(128, 128, 128, 0.25)"
AXIS = "rgba(128, 128, 128, 0.6)"

# Text on our own background, which is the same on every page.
INK = "#16202c"
GROUND = "#ffffff"
PAPER = "#eef3fb"
OUTLINE = "#4a7ab5"
ACCENT = "#145ca4"
MUTED = "#616161"
RULE = "#e0e0e0"
"""Accent, quiet text and thin lines: those of the widgets in a light notebook."""
MARKED_PAPER = "#ffe9a8"
MARKED_OUTLINE = "#a86b00"

SMALL, SIZE, TITLE = 12, 13, 16
"""Sizes of texts in pixels, here and in the widgets: notes and labels, texts, and headings."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

_AXIS: dict[str, Any] = {
    "automargin": True,
    "gridcolor": GRID,
    "linecolor": AXIS,
    "tickcolor": AXIS,
    "zerolinecolor": AXIS,
    "zerolinewidth": 1,
    "showline": False,
    "ticks": "",
    "ticklabelstandoff": 4,
    "title": {"standoff": 10, "font": {"size": SIZE}},
}

TEMPLATE: dict[str, Any] = {
    "layout": {
        "font": {"family": FONT, "size": SIZE, "color": INK},
        "title": {
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"l": 12, "t": 14},
            "font": {"size": TITLE},
        },
        "paper_bgcolor": GROUND,
        "plot_bgcolor": GROUND,
        "colorway": list(PALETTE),
        "margin": {"l": 60, "r": 20, "t": 60, "b": 50},
        "hoverlabel": {
            "bgcolor": INK,
            "bordercolor": INK,
            "font": {"color": "#ffffff", "family": FONT},
            "align": "left",
        },
        "legend": {"bgcolor": "rgba(0, 0, 0, 0)", "tracegroupgap": 2},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "annotationdefaults": {"font": {"color": INK}},
    }
}


def colour(i: int) -> str:
    """Colour number `i`; colours repeat after the last."""
    return PALETTE[i % len(PALETTE)]


def symbol(i: int) -> str:
    """Plotly's name of marker shape number `i`; shapes repeat after the last."""
    return SYMBOLS[i % len(SYMBOLS)]


def glyph(i: int) -> str:
    """Character that looks like marker shape number `i`; shapes repeat after the last."""
    return GLYPHS[i % len(GLYPHS)]


def translucent(colour: str, opacity: float) -> str:
    """Colour given as #rrggbb, with an opacity.

    Examples
    --------
    >>> translucent("#1b5de4", 0.25)
    'rgba(27, 93, 228, 0.25)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


Chart: TypeAlias = "dict[str, Any]"
"""JSON of a plotly figure, with data and layout. Plotly's classes check every entry, which takes far longer."""

P = ParamSpec("P")

LEGEND_IN_LINES: dict[str, Any] = {"orientation": "h", "x": 0, "xanchor": "left", "yanchor": "top"}


def as_figure(name: str, build: Callable[P, Chart]) -> Callable[P, go.Figure]:
    """Turn a function that returns the JSON of a figure into a function, called `name`, that returns a plotly Figure.

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


def chart_layout(title: str, plot: float, *, above: float, below: float = 50, legend: bool = False) -> dict[str, Any]:
    """Layout of a chart: heights in pixels of the plot and of the margins above and below; the title may have tags.

    With `legend`, the legend is below the title.
    """
    height = round(plot + above + below)
    layout = {"template": TEMPLATE, "title": {"text": title}, "height": height, "margin": {"t": above, "b": below}}
    place = {"legend": LEGEND_IN_LINES | {"yref": "container", "y": 1 - 42 / height}} if legend else {}
    return {**layout, "hovermode": "closest", **place}


def scatter(mode: str, x: Any, y: Any, **entries: Any) -> dict[str, Any]:
    """Scatter trace of plotly."""
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **entries}


def colour_bar(title: str) -> dict[str, Any]:
    """Colour bar of a heat map."""
    look = {"thickness": 12, "len": 0.8, "outlinewidth": 1, "outlinecolor": GREY}
    return {"title": {"text": title, "font": {"size": SIZE}}, **look}


def hover(template: str, data: Any = None) -> dict[str, Any]:
    """Entries of a trace for its hover labels; the template may use `data`, one value per point, as customdata."""
    return {"hovertemplate": f"{template}<extra></extra>"} | ({} if data is None else {"customdata": data})
