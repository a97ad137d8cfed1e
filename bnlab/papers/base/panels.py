"""Shared parts of the figures of papers: panels with one curve per series, whiskers, and checks of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnlab.figures.labels import plain
from bnlab.figures.theme import LEGEND_IN_LINES, PALETTE, TEMPLATE, colour, hover, symbol, translucent

Places = dict[str, tuple[int, int]]
"""Row and column of each panel, from 1."""


def panel_grid(
    names: Sequence[str],
    columns: int = 2,
    *,
    title: str,
    subtitle: str = "",
    row: float = 330,
    spacing: float = 0.09,
    shared: bool = False,
    entries: int = 0,
) -> tuple[go.Figure, Places]:
    """Empty panels, one per name, at most `columns` side by side; and the row and column of each, from 1.

    Parameters
    ----------
    row : float
        Height of a row of panels, pixels.
    spacing : float
        Distance between two columns, as a share of the width.
    shared : bool
        Whether the panels of a row share their y axis.
    entries : int
        Entries of the legend. There is room for two lines of five; more entries get more room.
    """
    columns = min(columns, max(1, len(names)))
    rows = max(1, -(-len(names) // columns))
    legend = 42 + (24 + 16 * subtitle.count("<br>") if subtitle else 0)
    above = legend + 68 + 20 * max(0, -(-entries // 5) - 2)
    height = rows * row + above + 14
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[plain(name).replace("\n", "<br>") for name in names],
        shared_yaxes=shared,
        horizontal_spacing=spacing,
        vertical_spacing=84 / height,
    )
    figure.update_layout(
        template=TEMPLATE,
        title={"text": plain(title), "subtitle": {"text": subtitle, "font": {"size": 12}}},
        height=height,
        margin={"t": above, "r": 12},
        hovermode="closest",
        legend=LEGEND_IN_LINES | {"y": 1 - legend / height, "yref": "container"},
    )
    figure.update_annotations(font={"size": 13}, yshift=2)
    return figure, {name: (i // columns + 1, i % columns + 1) for i, name in enumerate(names)}


class Style(NamedTuple):
    """Look of a curve."""

    colour: str
    symbol: str
    dash: str = "solid"


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """Style of each name, by its position among the names; where colours repeat, symbols differ.

    Examples
    --------
    >>> [style.symbol for style in styles_of("ab").values()]
    ['circle', 'square']
    """
    distinct = enumerate(dict.fromkeys(names))
    return {name: Style(colour(i), symbol(i + i // len(PALETTE))) for i, name in distinct}


class Layer(NamedTuple):
    """Points of all panels that are drawn in the same way.

    Attributes
    ----------
    points : DataFrame with columns panel, series, and those of `curve`
    mode : str
        As in plotly.
    marker : dict, optional
        As in plotly, without colour and symbol.
    named : bool
        Whether the legend shows these traces.
    """

    points: pd.DataFrame
    mode: str = "lines+markers"
    marker: dict[str, Any] | None = None
    named: bool = True


def panel_curves(
    panels: Iterable[str], layers: Sequence[Layer], styles: Mapping[str, Style], **options: Any
) -> tuple[go.Figure, Places]:
    """Panels with one curve per series and layer; the result and the options are those of `panel_grid`.

    Parameters
    ----------
    panels : iterable of str
        Names, which may repeat.
    layers : sequence of Layer
        Layers of one series are drawn over each other in this order.
    styles : mapping of str to Style
        Style of each series, in the order of the legend, which shows a series once.
    """
    figure, places = panel_grid(list(dict.fromkeys(panels)), entries=len(styles), **options)
    shown: set[str] = set()
    for panel, place in places.items():
        for series, style in styles.items():
            for layer in layers:
                own = layer.points[(layer.points.panel == panel) & (layer.points.series == series)]
                if len(own):
                    named = layer.named and series not in shown
                    shown |= {series} if named else set()
                    trace = curve(own, series, style, mode=layer.mode, named=named, marker=layer.marker)
                    figure.add_trace(trace, *place)
    return figure, places


def curve(
    points: pd.DataFrame,
    name: str,
    style: Style,
    *,
    mode: str = "lines+markers",
    named: bool = True,
    marker: dict[str, Any] | None = None,
    **more: Any,
) -> go.Scatter:
    """One series of points as a trace.

    Parameters
    ----------
    points : DataFrame with columns x, y and text (of the tooltip)
        Columns x_low and x_high, or y_low and y_high, are the ends of whiskers. Columns size and symbol replace those
        of the marker.
    name : str
        In the legend, where it shows and hides all traces of this name.
    mode, marker, **more
        As in plotly, `marker` without colour and symbol.
    named : bool
        Whether the legend shows this trace.
    """
    look = {"size": 8, "symbol": style.symbol, "color": style.colour, **(marker or {})}
    look |= {column: points[column].tolist() for column in ("size", "symbol") if column in points}
    if "line" in look:
        look["line"] = {"color": style.colour, **look["line"]}
    for axis in "xy":
        if f"{axis}_low" in points:
            more[f"error_{axis}"] = {
                "type": "data",
                "symmetric": False,
                "array": points[f"{axis}_high"] - points[axis],
                "arrayminus": points[axis] - points[f"{axis}_low"],
                "thickness": 1,
                "width": 2,
                "color": translucent(style.colour, 0.6),
            }
    return go.Scatter(
        x=points.x,
        y=points.y,
        mode=mode,
        name=plain(name),
        legendgroup=name,
        showlegend=named,
        line={"width": 1.6, "color": style.colour, "dash": style.dash},
        marker=look,
        text=[plain(text).replace("\n", "<br>") for text in points.text],
        **hover("%{text}"),
        **more,
    )


def check_records(records: pd.DataFrame, needed: Sequence[str]) -> None:
    """Raise ValueError for records that lack a column, mix protocols, or mix readings of one algorithm."""
    missing = [column for column in needed if column not in records]
    if missing:
        raise ValueError(f"the records lack the columns {', '.join(missing)}; they have {', '.join(records.columns)}.")
    if "protocol" in records and records.protocol.nunique() > 1:
        protocols = ", ".join(sorted(map(repr, records.protocol.unique())))
        raise ValueError(f"the records mix the protocols {protocols}: select one, records[records.protocol == ...].")
    if "algorithm" in needed and "reading" in records:
        mixed = records.groupby("algorithm").reading.nunique()
        if (mixed > 1).any():
            raise ValueError(
                f"the records mix readings of {', '.join(mixed.index[mixed > 1])}: select one, "
                "bnlab.papers.villanueva2012.under(records, reading)."
            )
