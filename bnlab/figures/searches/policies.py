"""Randomised policies of the decision nodes in Chen's search, as heat maps.

References
----------
M. Matuszak, J. Miekisz. Stochastic techniques in influence diagrams for learning Bayesian network structure.
ICAISC 2012, section 3 (policies τ_i).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bnlab.counts.types import FloatArray
from bnlab.figures.labels import capitalised, plain
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.theme import (
    BLUE,
    GREY,
    LEGEND_IN_LINES,
    OCHRE,
    SIZE,
    SMALL,
    TEMPLATE,
    Chart,
    as_figure,
    colour_bar,
    hover,
    scatter,
    translucent,
)

NONE = "none"
LONGEST = 20
MOST_COLUMNS = 3
SCALE = [[k / 8, translucent(OCHRE, round((k / 8) ** 0.5, 3))] for k in range(9)]
"""Colours of probabilities: opacity grows with the square root, so that small ones are visible."""


@runtime_checkable
class HasPolicies(Protocol):
    """State of a search with randomised policies.

    Attributes
    ----------
    tau : ndarray of float, shape (n, n)
        [i, j] for i -> j, [i, i] for no edge; rows sum to one.
    active : sequence of bool, length n
        Which decisions are still open.
    permanent : iterable of (int, int)
        Settled edges.
    """

    @property
    def tau(self) -> FloatArray: ...
    @property
    def active(self) -> Sequence[bool]: ...
    @property
    def permanent(self) -> Iterable[tuple[int, int]]: ...


class PolicyData(NamedTuple):
    """Policies at one moment.

    Attributes
    ----------
    tau : DataFrame of float, shape (nodes, nodes + 1)
        Probability that the decision node of a row chooses the child of a column, with "none" as the last column; nan
        where a node would choose itself. Rows sum to one.
    entropy : Series of float, by node
        Nats; 0 if a decision is certain, the log of the number of options if all are equally probable.
    active : Series of bool, by node
        Which decisions are still open.
    permanent : tuple of (str, str)
        Edges that are settled.
    """

    tau: pd.DataFrame
    entropy: pd.Series[float]
    active: pd.Series[bool]
    permanent: tuple[tuple[str, str], ...] = ()


def policies_data(
    policies: HasPolicies | ArrayLike,
    names: Sequence[str] | None = None,
) -> PolicyData:
    """Policies as tables, with their entropies.

    Parameters
    ----------
    policies : ChenState or another state with policies, or array_like of float, shape (n, n)
        A matrix has [i, j] for i -> j and [i, i] for no edge. Then all decisions are active, and no edge is settled.
    names : sequence of str, optional
        Nodes; by default X1, X2, ...

    Raises
    ------
    ValueError
        If the matrix is not square, or its size is not the number of names.

    Examples
    --------
    >>> data = policies_data([[0.25, 0.75], [0.0, 1.0]], ["A", "B"])
    >>> data.tau.loc["A"].tolist(), data.entropy.round(3).tolist()
    ([nan, 0.75, 0.25], [0.562, 0.0])
    """
    state = policies if isinstance(policies, HasPolicies) else None
    tau = np.asarray(policies if state is None else state.tau, dtype=np.float64)
    if tau.ndim != 2 or tau.shape[0] != tau.shape[1]:
        raise ValueError(f"policies have the shape {tau.shape}: they are a square matrix, a row for each node.")
    n = len(tau)
    known = [f"X{i + 1}" for i in range(n)] if names is None else [str(name) for name in names]
    if len(known) != n:
        raise ValueError(f"{len(known)} names for the policies of {n} nodes: give one for each.")
    settled = () if state is None else tuple((known[u], known[v]) for u, v in state.permanent)
    table = pd.DataFrame(with_none(tau), index=known, columns=[*known, NONE])
    flag = pd.Series([True] * n if state is None else list(state.active), index=known, dtype=bool)
    entropy = np.abs((tau * np.log(np.where(tau > 0, tau, 1.0))).sum(axis=1))
    return PolicyData(table, pd.Series(entropy, index=known), flag, settled)


def with_none(tau: ArrayLike) -> FloatArray:
    """Matrix with the probabilities of no edge as a last column, and nan on its diagonal; shape (n, n + 1)."""
    table = np.asarray(tau, dtype=np.float64)
    spread = np.hstack([table, np.diag(table)[:, None]])
    np.fill_diagonal(spread, np.nan)
    return spread


def policies_json(
    data: PolicyData | Mapping[str, PolicyData], *, title: str = "Policies of the decision nodes"
) -> Chart:
    """Draw policies as heat maps, one panel per moment: the darker a cell, the more probable the decision.

    Rows of closed decisions are blank, and settled edges are dots. A single moment has bars with the entropy of each
    decision.

    Parameters
    ----------
    data : PolicyData, or mapping of str to PolicyData
        Several moments are given by name; they have the same nodes.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    moments = {"": data} if isinstance(data, PolicyData) else dict(data)
    if not moments:
        raise ValueError("no policies to draw: give the policies of at least one moment.")
    columns = min(MOST_COLUMNS, len(moments))
    rows = -(-len(moments) // columns)
    n = max(len(one.tau) for one in moments.values())
    head = 38 if title else 4
    above = head + (54 if rows * columns == 1 else 70)
    height = rows * max(240, 13 * n + 130) + above + 8
    layout: dict[str, Any] = {
        "template": TEMPLATE,
        "title": {"text": plain(title)},
        "height": height,
        "margin": {"t": above, "r": 20},
        "legend": LEGEND_IN_LINES | {"yref": "container", "y": 1 - head / height},
        "annotations": [],
    }
    traces: list[dict[str, Any]] = []
    wide = (1 - 0.02 * (columns - 1)) / columns if len(moments) > 1 else 0.9
    gap = 156 / height if rows > 1 else 0.0
    tall = (1 - gap * (rows - 1)) / rows
    for k, (name, one) in enumerate(moments.items()):
        row, column = divmod(k, columns)
        number = str(k + 1) if k else ""
        left, top = column * (wide + 0.02), 1 - row * (tall + gap)
        layout |= _axes(one, number, (left, left + wide), (top - tall, top))
        layout[f"xaxis{number}"]["title"] = {"text": "Chosen child" if row == rows - 1 else ""}
        layout[f"yaxis{number}"] |= {"title": {"text": "Decision of"}} if column == 0 else {"showticklabels": False}
        heading = {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom", "showarrow": False}
        entropy = capitalised(_entropy_words(one))
        text = f"{plain(name)}<br>{entropy}" if name else entropy
        place = {"x": left + wide / 2, "y": top, "yshift": 2, "font": {"size": SMALL if name else SIZE}}
        layout["annotations"].append({**heading, **place, "text": text})
        axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces += [_heat(one, shown=k == 0) | axes, _settled(one, shown=k == 0) | axes]
    if len(moments) == 1:
        highest = log(max(n, 2))
        look = {"title": {"text": "Entropy"}, "tickvals": [0, highest], "ticktext": ["0", f"{highest:.1f}"]}
        layout["xaxis2"] = look | {"domain": [0.92, 1.0], "range": [0, highest], "showgrid": False}
        traces.append(_entropies(one))
    return {"data": traces, "layout": layout}


policies_figure = as_figure("policies_figure", policies_json)


def policies_picture(data: PolicyData, *, title: str = "Policies of the decision nodes") -> Picture:
    """Static picture of `policies_figure` at one moment."""
    settled = ", ".join(f"{u} → {v}" for u, v in data.permanent)
    return still(policies_json(data, title=title), words=f"{policy_words(data)}; permanent: {settled or 'none'}")


def policy_words(data: PolicyData) -> str:
    """Number of active decisions and their mean entropy, as text."""
    return f"{int(data.active.sum())} of {len(data.active)} decisions active, {_entropy_words(data)}"


def _entropy_words(data: PolicyData) -> str:
    active = data.entropy[data.active]
    return f"mean entropy {active.mean():.2f} nats" if len(active) else "all decided"


def _axes(data: PolicyData, number: str, across: tuple[float, float], along: tuple[float, float]) -> dict[str, Any]:
    labels = [plain(str(name), LONGEST) for name in data.tau.columns]
    n = len(labels)
    look = {"showgrid": False, "zeroline": False, "tickfont": {"size": 10}, "tickmode": "array"}
    ticks = {"tickvals": list(range(n)), "ticktext": labels}
    rows = {"tickvals": list(range(n - 1)), "ticktext": labels[:-1]}
    x = {"domain": list(across), "anchor": f"y{number}", "tickangle": -90, "range": [-0.5, n - 0.5], **ticks}
    y = {"domain": list(along), "anchor": f"x{number}", "range": [n - 1.5, -0.5], **rows}
    return {f"xaxis{number}": look | x, f"yaxis{number}": look | y}


def _heat(data: PolicyData, *, shown: bool) -> dict[str, Any]:
    names = [plain(str(name)) for name in data.tau.columns]
    places = list(range(len(names)))
    tau = [
        [None if not active or value != value else value for value in row]
        for row, active in zip(data.tau.to_numpy().tolist(), data.active, strict=True)
    ]
    words = hover("%{customdata}<br>τ = %{z:.3f}", [[f"{row} → {child}" for child in names] for row in names[:-1]])
    scale = {"zmin": 0, "zmax": 1, "colorscale": SCALE, "showscale": shown, "colorbar": colour_bar("τ")}
    cells = {"z": tau, "x": places, "y": places[:-1], "xgap": 1, "ygap": 1, "hoverongaps": False}
    return {"type": "heatmap", **cells, **scale, **words}


def _settled(data: PolicyData, *, shown: bool) -> dict[str, Any]:
    place = {name: i for i, name in enumerate(data.tau.index)}
    # A point without a place keeps the entry in the legend.
    nowhere: list[Any] = [None]
    x = [place[v] for _, v in data.permanent] or nowhere
    y = [place[u] for u, _ in data.permanent] or nowhere
    words = hover("%{customdata}<br>Permanent edge", [f"{plain(u)} → {plain(v)}" for u, v in data.permanent])
    look = {"marker": {"size": 7, "color": BLUE, "symbol": "circle"}, "name": "Permanent edge"}
    return scatter("markers", x, y, **words, **look, legendgroup="permanent", showlegend=shown)


def _entropies(data: PolicyData) -> dict[str, Any]:
    """Bars of the entropy of each decision, 0 if it is closed."""
    words = hover("%{customdata}<br>Entropy %{x:.2f} nats", [plain(str(name)) for name in data.entropy.index])
    bars = {"x": data.entropy.where(data.active, 0.0).tolist(), "y": list(range(len(data.entropy)))}
    look = {"orientation": "h", "xaxis": "x2", "yaxis": "y", "marker": {"color": GREY}}
    return {"type": "bar", **bars, **look, **words, "name": "Entropy", "showlegend": False}
