"""Several networks under several scores: who is ahead, by how much, and at which nodes.

Raw scores are large and alike, so everything is drawn as a difference, in nats, on a scale that is logarithmic away
from zero: a difference of 3 and one of 30,000 are both seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._runtime.names import nearest
from bnlab.figures.labels import plain, row_texts
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.svg import shortened, text_width
from bnlab.figures.table import signed
from bnlab.figures.theme import AXIS, OCHRE, TEMPLATE, colour, symbol, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

LONGEST = 28
MOST_NODES = 15
ABOVE, BELOW, NOTE = 56, 66, 22
"""Pixels for the title, for the axis and for the line below the title."""
LEGEND_WIDTH = 420
PATTERNS = ("", "/", ".", "x", "-", "\\", "|", "+")
LIT = translucent(OCHRE, 0.25)
SAME = 1e-9
"""Differences no larger than this, relative to the scores, are rounding."""
FIRST_TICK = 0.1
"""Nats of the smallest tick: the label of a smaller one would touch that of 0."""


def differences_data(totals: pd.DataFrame, reference: str | None = None) -> pd.DataFrame:
    """Subtract a network's scores from those of all.

    Parameters
    ----------
    totals : DataFrame of float, shape (networks, scores)
        Nats; greater is better.
    reference : str, optional
        Network to measure from; by default the best one under each score.

    Returns
    -------
    DataFrame of float, shape (networks, scores)
        Nats; negative is worse than the reference.

    Raises
    ------
    ValueError
        If there is no such network.

    Examples
    --------
    >>> import pandas as pd
    >>> totals = pd.DataFrame({"bic": [-10.0, -12.0], "k2": [-9.0, -8.5]}, index=["a", "b"])
    >>> differences_data(totals).to_numpy().tolist()
    [[0.0, -0.5], [-2.0, 0.0]]
    >>> differences_data(totals, "a").loc["b"].tolist()
    [-2.0, 0.5]
    """
    base = totals.max() if reference is None else totals.loc[_known(reference, totals.index)]
    differences = totals - base
    return differences.where(differences.abs() > SAME * totals.abs().max(), 0.0)


def best_of(totals: pd.DataFrame) -> pd.DataFrame:
    """Which networks are best under each score, all of them where several have the same score.

    Parameters
    ----------
    totals : DataFrame of float, shape (networks, scores)
        Nats; greater is better.

    Returns
    -------
    DataFrame of bool, shape (networks, scores)
        True where `differences_data` from the best is 0: the difference is at most 1e-9 of the greatest score.

    Examples
    --------
    >>> import pandas as pd
    >>> best_of(pd.DataFrame({"bic": [-10.0, -10.0 - 1e-12, -12.0]}, index=["a", "b", "c"])).bic.tolist()
    [True, True, False]
    """
    return differences_data(totals) == 0


def contributions_data(local: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Subtract a network's local scores from those of all, and put the nodes that matter most first.

    Parameters
    ----------
    local : DataFrame of float, shape (nodes, networks)
        Local scores in nats.
    reference : str
        Network to measure from.

    Returns
    -------
    DataFrame of float, shape (nodes, other networks)
        Nats, by falling largest absolute difference; nodes that differ in no network are left out.

    Raises
    ------
    ValueError
        If there is no such network.
    """
    differences = local.sub(local[_known(reference, local.columns)], axis=0)
    differences = differences.where(differences.abs() > SAME * local.abs().max().max(), 0.0).drop(columns=reference)
    largest = differences.abs().max(axis=1)
    order = largest.sort_values(ascending=False, kind="stable").index
    return differences.loc[order][largest[order] > 0]


def _known(name: str, names: Any) -> str:
    if name not in names:
        raise ValueError(f"no network is called {name!r}; {nearest(name, map(str, names))}")
    return name


def stretched(values: ArrayLike) -> NDArray[np.float64]:
    """Differences on a symlog scale: sign(d) log10(1 + |d|).

    Examples
    --------
    >>> stretched([-9, 0, 99]).tolist()
    [-1.0, 0.0, 2.0]
    """
    d = np.asarray(values, dtype=np.float64)
    return np.asarray(np.sign(d) * np.log10(1 + np.abs(d)))


def ticks(low: float, high: float, most: int = 7) -> tuple[list[float], list[str]]:
    """Places and texts of ticks, 0 and powers of 10, for differences from `low` to `high` on the scale of `stretched`.

    Where all differences are smaller than the smallest tick, that one is beyond them.

    Examples
    --------
    >>> ticks(-2500, 20)[1], ticks(-3e6, 0, most=4)[1]
    (['−1k', '−100', '−10', '0', '10'], ['−1M', '−10k', '−100', '0'])
    >>> ticks(-0.02, 0)[1]
    ['−0.1', '0']
    """
    if max(-low, high) < FIRST_TICK:
        low, high = FIRST_TICK * np.sign(low), FIRST_TICK * np.sign(high)
    largest = max(-low, high)
    top = floor(log10(largest)) if largest > 0 else 0
    for step in range(1, top + 3):
        powers = [10.0**k for k in range(top, min(top, 1) - 1, -step)]
        values = [-p for p in powers if p <= -low] + [0.0] + [p for p in reversed(powers) if p <= high]
        if len(values) <= most:
            break
    return stretched(values).tolist(), [_short(v) for v in values]


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:,g}{letter}".replace("-", "−")
    return f"{value:g}".replace("-", "−")


def reach(values: ArrayLike) -> tuple[float, float]:
    """Least and greatest difference; zero is always between them."""
    differences = np.append(np.asarray(values, dtype=np.float64).ravel(), 0.0)
    return float(differences.min()), float(differences.max())


def axis_range(values: ArrayLike) -> list[float]:
    """Ends of an axis for differences, on the scale of `stretched`: wide enough for the smallest ticks."""
    low, high = stretched(reach(values)).tolist()
    room = max(0.08 * (high - low), 0.1)
    return [low - room, high + room]


def against(reference: str | None) -> str:
    """Say what differences are measured from."""
    return "the best network" if reference is None else f"“{shortened(reference, LONGEST)}”"


def differences_figure(
    data: pd.DataFrame,
    reference: str | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> go.Figure:
    """Draw how far each network is from the reference, a row of dots a score.

    Parameters
    ----------
    data : DataFrame
        From `differences_data`.
    reference : str, optional
        The one that was given there.
    labels : sequence of str, optional
        What the scores are called; their columns by default.
    order : sequence of str, optional
        All networks, so that each keeps its colour and shape when only some are shown.
    """
    import plotly.graph_objects as go

    return go.Figure(differences_json(data, reference, labels=labels, order=order))


def differences_picture(
    data: pd.DataFrame,
    reference: str | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> Picture:
    """Static picture of `differences_figure`, with its parameters."""
    columns = zip(labels or data.columns, data.columns, strict=True)
    words = [
        f"{label}: {'; '.join(f'{name} {signed(value)}' for name, value in data[column].items())}"
        for label, column in columns
    ]
    return still(differences_json(data, reference, labels=labels, order=order), words=f"in nats, {'. '.join(words)}")


def differences_json(
    data: pd.DataFrame,
    reference: str | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    legend: bool = True,
) -> dict[str, Any]:
    """JSON of `differences_figure`, made without plotly, whose checks take far longer than the rest."""
    rows = row_names(labels or data.columns)
    names = list(order or data.index)
    traces = [_dots(values, rows, str(name), names.index(name)) for name, values in _rows(data)]
    return _chart(traces, data.to_numpy(), rows, f"Difference from {plain(against(reference))}", "", legend)


def contributions_figure(
    data: pd.DataFrame,
    reference: str,
    score: str,
    *,
    order: Sequence[str] | None = None,
    most: int = MOST_NODES,
    hovered: str | None = None,
) -> go.Figure:
    """Draw which nodes make the difference to the reference, a group of bars a node, the largest first.

    Parameters
    ----------
    data : DataFrame
        From `contributions_data`.
    reference, score : str
        For the title.
    order : sequence of str, optional
        All networks, so that each keeps the colour it has in `differences_figure`.
    most : int
        Nodes to draw.
    hovered : str, optional
        Node to light up; it is drawn even if others differ by more, or if it does not differ.
    """
    import plotly.graph_objects as go

    return go.Figure(contributions_json(data, reference, score, order=order, most=most, hovered=hovered))


def contributions_json(
    data: pd.DataFrame,
    reference: str,
    score: str,
    *,
    order: Sequence[str] | None = None,
    most: int = MOST_NODES,
    hovered: str | None = None,
    legend: bool = True,
) -> dict[str, Any]:
    """JSON of `contributions_figure`, made without plotly, whose checks take far longer than the rest."""
    shown = shown_nodes(data, most, hovered)
    rows = row_names(shown.index)
    names = list(order or data.columns)
    traces = [_bars(values, rows, str(name), names.index(name)) for name, values in _rows(shown.T)]
    title = f"{plain(score)} by node, difference from {plain(against(reference))}"
    left_out = len(data) - len(shown.index.intersection(data.index))
    note = f"{left_out} more nodes differ, by less" if left_out else "nodes that are not shown do not differ"
    if not len(data):
        note = "no node differs" if len(data.columns) else "no other network is shown"
    figure = _chart(traces, shown.to_numpy(), rows, title, note, legend, height=28 + 8 * max(0, len(traces) - 2))
    layout = figure["layout"]
    layout |= {"barmode": "group", "bargap": 0.25, "bargroupgap": 0.05}
    # The first network of a group on top.
    layout["yaxis"] |= {"categoryarray": rows, "range": [len(rows) - 0.4, -0.6]}
    if hovered in shown.index:
        layout["shapes"] = [_band(list(shown.index).index(hovered))]
    return figure


def shown_nodes(data: pd.DataFrame, most: int = MOST_NODES, hovered: str | None = None) -> pd.DataFrame:
    """Rows of `data` that are drawn: the first ones, and the node that is lit up."""
    import pandas as pd

    shown = data.iloc[:most]
    if hovered is None or hovered in shown.index:
        return shown
    last = data.reindex([hovered], fill_value=0.0)
    return pd.concat([shown.iloc[: most - 1], last])


def row_names(names: Iterable[Any]) -> list[str]:
    """Texts for the rows of a chart; those that look alike when shortened stay apart."""
    return row_texts(plain(shortened(str(name), LONGEST)) for name in names)


def _rows(data: pd.DataFrame) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    return zip(data.index, data.to_numpy(), strict=True)


def _dots(values: NDArray[np.float64], rows: list[str], name: str, i: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": stretched(values).tolist(),
        "y": rows,
        "mode": "markers",
        "name": plain(shortened(name, LONGEST)),
        "marker": {"size": 10, "symbol": symbol(i), "color": colour(i), "opacity": 0.9},
        "customdata": [signed(v) for v in values],
        "hovertemplate": f"{plain(name)}<br>%{{y}}: %{{customdata}} nats<extra></extra>",
    }


def _bars(values: NDArray[np.float64], rows: list[str], name: str, i: int) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "x": stretched(values).tolist(),
        "y": rows,
        "name": plain(shortened(name, LONGEST)),
        "marker": {
            "color": colour(i),
            "pattern": {"shape": PATTERNS[i % len(PATTERNS)], "fillmode": "replace", "size": 6, "solidity": 0.55},
            "line": {"color": colour(i), "width": 1},
        },
        "customdata": [signed(v) for v in values],
        "hovertemplate": f"{plain(name)}<br>%{{y}}: %{{customdata}} nats<extra></extra>",
    }


def _band(row: int) -> dict[str, Any]:
    place = {"type": "rect", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row + 0.5}
    return {**place, "fillcolor": LIT, "line": {"width": 2, "color": OCHRE}}


def _chart(
    traces: list[dict[str, Any]],
    values: NDArray[np.float64],
    rows: list[str],
    title: str,
    note: str,
    legend: bool,
    height: int = 28,
) -> dict[str, Any]:
    places, texts = ticks(*reach(values))
    plot, above = height * max(len(rows), 1), ABOVE + (NOTE if note else 0)
    layout = {
        "template": TEMPLATE,
        "title": {"text": title, "subtitle": {"text": note, "font": {"size": 12}}},
        "height": plot + above + BELOW,
        "margin": {"t": above, "b": BELOW},
        "showlegend": False,
        "hovermode": "closest",
        "xaxis": {
            "tickvals": places,
            "ticktext": texts,
            "range": axis_range(values),
            "title": {"text": "Nats (symlog scale)"},
            "tickangle": 0,
            "zeroline": True,
            "zerolinecolor": AXIS,
            "zerolinewidth": 2,
        },
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": rows[::-1],
            "type": "category",
            "range": [-0.6, len(rows) - 0.4],
        },
    }
    return {
        "data": traces,
        "layout": layout | (legend_below([t["name"] for t in traces], plot, above) if legend else {}),
    }


def legend_below(names: Sequence[str], plot: float, above: float = ABOVE) -> dict[str, Any]:
    """Layout entries for a legend below the axis, as high as it may get, with the plot as high as it was.

    Parameters
    ----------
    names : sequence of str
    plot, above : float
        Pixels of the plot, and above it.
    """
    widest = max((text_width(name, 13) for name in names), default=0.0) + 60
    lines = ceil(len(names) / max(1, LEGEND_WIDTH // widest))
    below = BELOW + 12 + 20 * lines
    place = {"orientation": "h", "x": 0, "xanchor": "left", "y": -BELOW / plot, "yanchor": "top"}
    return {
        "showlegend": True,
        "legend": place,
        "height": round(plot + above + below),
        "margin": {"t": above, "b": below},
    }
