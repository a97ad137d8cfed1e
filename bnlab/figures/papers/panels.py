"""Panels of one figure in rows, each with its name, below a common title and legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bnlab.figures.labels import plain
from bnlab.figures.theme import TEMPLATE

if TYPE_CHECKING:
    import plotly.graph_objects as go


class Sizes(NamedTuple):
    """Sizes in pixels, but for `between`, a share of the width.

    Attributes
    ----------
    row : float
        Height of a row of panels.
    above : float
        Height of title and legend.
    legend : float
        Distance of the legend from the top.
    below : float
        Distance between two rows.
    between : float
        Distance between two columns.
    """

    row: float
    above: float
    legend: float
    below: float
    between: float


NETWORKS = Sizes(row=330, above=136, legend=66, below=84, between=0.09)


def panel_grid(
    names: list[str], columns: int, sizes: Sizes, *, title: str, subtitle: str = "", shared: bool = False
) -> tuple[go.Figure, dict[str, tuple[int, int]]]:
    """Empty panels, one a name.

    Parameters
    ----------
    names : list of str
    columns : int
        Panels side by side at most.
    sizes : Sizes
    title, subtitle : str
    shared : bool
        Whether the panels of a row share their y axis.

    Returns
    -------
    figure : plotly.graph_objects.Figure
    places : dict of str to (int, int)
        Row and column of each panel, from 1.
    """
    from plotly.subplots import make_subplots

    columns = min(columns, max(1, len(names)))
    rows = max(1, -(-len(names) // columns))
    height = rows * sizes.row + sizes.above + 14
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[plain(name) for name in names],
        shared_yaxes=shared,
        horizontal_spacing=sizes.between,
        vertical_spacing=sizes.below / height,
    )
    legend: dict[str, Any] = {"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "yanchor": "top"}
    figure.update_layout(
        template=TEMPLATE,
        title={"text": plain(title), "subtitle": {"text": subtitle, "font": {"size": 12}}},
        height=height,
        margin={"t": sizes.above, "r": 12},
        hovermode="closest",
        legend=legend | {"y": 1 - sizes.legend / height},
    )
    figure.update_annotations(font={"size": 13}, yshift=2)
    return figure, {name: (i // columns + 1, i % columns + 1) for i, name in enumerate(names)}


def network_panels(names: list[str], title: str, subtitle: str) -> tuple[go.Figure, dict[str, tuple[int, int]]]:
    """Empty panels, two side by side, one a network."""
    return panel_grid(names, 2, NETWORKS, title=title, subtitle=subtitle)
