"""Several networks under several scores: who is ahead, by how much, at which nodes, and at which ess.

Raw scores are large and alike, so everything is drawn as a difference, in nats, on a scale that is logarithmic away
from zero: a difference of 3 and one of 30,000 are both seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab._names import nearest
from bnlab.figures.labels import plain
from bnlab.figures.svg import shortened
from bnlab.figures.table import signed
from bnlab.figures.theme import AXIS, TEMPLATE, colour, symbol

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

LONGEST = 28
MOST_NODES = 15
LABELLED = 0.12
"""Share of the ess axis that a winner needs for its name to find room."""
SAME = 1e-9
"""Differences no larger than this, relative to the scores, are rounding."""


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
    return _without_rounding(totals - base, totals)


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
    differences = _without_rounding(differences, local).drop(columns=reference)
    largest = differences.abs().max(axis=1)
    order = largest.sort_values(ascending=False, kind="stable").index
    return differences.loc[order][largest[order] > 0]


def _known(name: str, names: Any) -> str:
    if name not in names:
        raise ValueError(f"no network is called {name!r}; {nearest(name, map(str, names))}")
    return name


def _without_rounding(differences: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    return differences.where(differences.abs() > SAME * scores.abs().max().max(), 0.0)


class EssData(NamedTuple):
    """Networks over the equivalent sample size.

    Attributes
    ----------
    differences : DataFrame of float, shape (ess, networks)
        Nats behind the best network at each ess.
    winners : list of (str, float, float)
        Network that is best, from one ess to another, in order.
    """

    differences: pd.DataFrame
    winners: list[tuple[str, float, float]]


def ess_data(totals: pd.DataFrame) -> EssData:
    """Find the best network at each ess, and where it changes.

    Parameters
    ----------
    totals : DataFrame of float, shape (ess, networks)
        Scores in nats; the index holds the ess, ascending.

    Examples
    --------
    >>> import pandas as pd
    >>> ess_data(pd.DataFrame({"a": [3.0, 2.0, 1.0], "b": [1.0, 1.0, 4.0]}, index=[1, 10, 100])).winners
    [('a', 1.0, 17.78), ('b', 17.78, 100.0)]
    """
    differences = totals.sub(totals.max(axis=1), axis=0)
    best = differences.to_numpy().argmax(axis=1)
    ess = totals.index.to_numpy(dtype=np.float64)
    starts = [0, *(np.flatnonzero(np.diff(best)) + 1).tolist()]
    edges = [float(ess[0]), *(_crossing(totals, ess, i, best) for i in starts[1:]), float(ess[-1])]
    winners = [
        (str(totals.columns[best[start]]), low, high)
        for start, low, high in zip(starts, edges[:-1], edges[1:], strict=True)
    ]
    return EssData(differences, winners)


def _crossing(totals: pd.DataFrame, ess: NDArray[np.float64], i: int, best: NDArray[np.int64]) -> float:
    """Place between points i - 1 and i where the lead changes, by straight lines over log ess."""
    pair = totals.to_numpy()[i - 1 : i + 1][:, [best[i - 1], best[i]]]
    before, after = pair[:, 0] - pair[:, 1]
    share = before / (before - after) if before != after else 0.5
    at = np.exp(np.log(ess[i - 1]) + share * (np.log(ess[i]) - np.log(ess[i - 1])))
    return float(f"{at:.4g}")


def stretched(values: ArrayLike) -> NDArray[np.float64]:
    """Differences on the scale that is logarithmic away from zero: sign(d) log10(1 + |d|).

    Examples
    --------
    >>> stretched([-9, 0, 99]).tolist()
    [-1.0, 0.0, 2.0]
    """
    d = np.asarray(values, dtype=np.float64)
    return np.asarray(np.sign(d) * np.log10(1 + np.abs(d)))


def ticks(low: float, high: float, most: int = 7) -> tuple[list[float], list[str]]:
    """Places and texts of ticks, 0 and powers of 10, for differences from `low` to `high` on the scale of `stretched`.

    Examples
    --------
    >>> ticks(-2500, 20)[1], ticks(-3e6, 0, most=4)[1]
    (['−1k', '−100', '−10', '0', '10'], ['−1M', '−10k', '−100', '0'])
    """
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


def against(reference: str | None) -> str:
    """Say what differences are measured from."""
    return "the best network" if reference is None else f"“{shortened(reference, LONGEST)}”"


def differences_figure(
    data: pd.DataFrame, reference: str | None = None, *, labels: Sequence[str] | None = None
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
    """
    import plotly.graph_objects as go

    return go.Figure(differences_json(data, reference, labels=labels))


def differences_json(
    data: pd.DataFrame, reference: str | None = None, *, labels: Sequence[str] | None = None
) -> dict[str, Any]:
    """JSON of `differences_figure`, made without plotly, whose checks take far longer than the rest."""
    rows = [plain(shortened(str(s), LONGEST)) for s in (labels or data.columns)]
    traces = [_dots(values, rows, str(name), i) for i, (name, values) in enumerate(_rows(data))]
    return _chart(traces, data.to_numpy(), rows, f"Difference from {plain(against(reference))}")


def contributions_figure(
    data: pd.DataFrame,
    reference: str,
    score: str,
    *,
    order: Sequence[str] | None = None,
    most: int = MOST_NODES,
) -> go.Figure:
    """Draw which nodes make the difference to the reference, a row of dots a node, the largest first.

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
    """
    import plotly.graph_objects as go

    return go.Figure(contributions_json(data, reference, score, order=order, most=most))


def contributions_json(
    data: pd.DataFrame,
    reference: str,
    score: str,
    *,
    order: Sequence[str] | None = None,
    most: int = MOST_NODES,
) -> dict[str, Any]:
    """JSON of `contributions_figure`, made without plotly, whose checks take far longer than the rest."""
    shown = data.iloc[:most]
    rows = [plain(shortened(str(node), LONGEST)) for node in shown.index]
    names = list(order or data.columns)
    traces = [_dots(values, rows, str(name), names.index(name)) for name, values in _rows(shown.T)]
    title = f"{plain(score)} by node, difference from {plain(against(reference))}"
    left_out = len(data) - len(shown)
    note = f"{left_out} more nodes differ, by less" if left_out else "all other nodes have the same parents"
    return _chart(traces, shown.to_numpy(), rows, title, note if len(data) else "no node has other parents")


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


def _chart(
    traces: list[dict[str, Any]], values: NDArray[np.float64], rows: list[str], title: str, note: str = ""
) -> dict[str, Any]:
    places, texts = ticks(*reach(values))
    low, high = stretched(reach(values)).tolist()
    room = max(0.08 * (high - low), 0.1)
    layout = {
        "template": TEMPLATE,
        "title": {"text": title, "subtitle": {"text": note, "font": {"size": 12}}},
        "height": max(180, 28 * len(rows) + 146) + (20 if note else 0),
        "margin": {"t": 100 if note else 80},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
        "hovermode": "closest",
        "xaxis": {
            "tickvals": places,
            "ticktext": texts,
            "range": [low - room, high + room],
            "title": {"text": "nats, logarithmic away from zero"},
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
    return {"data": traces, "layout": layout}


def ess_figure(data: EssData, *, title: str = "BDeu over the equivalent sample size") -> go.Figure:
    """Draw each network's distance to the best over ess, with the stretch that each wins named.

    Parameters
    ----------
    data : EssData
    title : str
    """
    import plotly.graph_objects as go

    names = list(data.differences.columns)
    ess = data.differences.index.to_numpy(dtype=np.float64)
    figure = go.Figure()
    for i, name in enumerate(names):
        values = data.differences[name].to_numpy()
        figure.add_trace(
            go.Scatter(
                x=ess,
                y=stretched(values),
                mode="lines+markers",
                name=plain(shortened(str(name), LONGEST)),
                line={"color": colour(i), "width": 2},
                marker={"symbol": symbol(i), "size": 6},
                customdata=[signed(v) for v in values],
                hovertemplate=f"{plain(str(name))}<br>ess %{{x:.4g}}: %{{customdata}} nats<extra></extra>",
            )
        )
    for _, _, high in data.winners[:-1]:
        figure.add_vline(high, line={"dash": "dot", "width": 1.5, "color": AXIS})
    whole = log10(ess[-1] / ess[0])
    for name, low, high in data.winners:
        if log10(high / low) < LABELLED * whole:
            continue
        figure.add_annotation(
            x=(log10(low) + log10(high)) / 2,
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            text=f"{plain(shortened(name, LONGEST))} wins",
        )
    places, texts = ticks(float(data.differences.to_numpy().min()), 0.0)
    figure.update_layout(
        template=TEMPLATE,
        title=plain(title),
        height=400,
        margin={"t": 80},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.18, "yanchor": "top"},
    )
    figure.update_xaxes(type="log", title="equivalent sample size (ess)")
    figure.update_yaxes(tickvals=places, ticktext=texts, title="nats behind the best")
    return figure
