"""Randomised policies of the decision nodes in Chen's search, as heat maps that sharpen while it learns.

References
----------
M. Matuszak, J. Miekisz. Stochastic techniques in influence diagrams for learning Bayesian network structure.
ICAISC 2012, section 3 (policies τ_i).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnlab.figures.labels import plain
from bnlab.figures.svg import shortened
from bnlab.figures.theme import BLUE, GREY, OCHRE, TEMPLATE, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

FloatArray: TypeAlias = NDArray[np.float64]

NONE = "none"
LONGEST = 20
ABREAST = 3
SCALE = [[k / 8, translucent(OCHRE, round((k / 8) ** 0.5, 3))] for k in range(9)]
"""Of probabilities: small ones are seen as well, as the ink goes with the square root."""


class PolicyData(NamedTuple):
    """Policies at one moment.

    Attributes
    ----------
    tau : DataFrame of float, shape (nodes, nodes + 1)
        Probability that the decision node of a row chooses the child of a column, "none" last; nan where a node would
        choose itself. Rows sum to one.
    entropy : Series of float, by node
        Nats; 0 once a decision is certain, log of the number of options while nothing is known.
    active : Series of bool, by node
        Which decisions are still to be taken.
    permanent : tuple of (str, str)
        Edges that are settled.
    """

    tau: pd.DataFrame
    entropy: pd.Series[float]
    active: pd.Series[bool]
    permanent: tuple[tuple[str, str], ...] = ()


def policies_data(
    policies: Any,
    names: Sequence[str] | None = None,
    *,
    active: Sequence[bool] | None = None,
    permanent: Iterable[tuple[int, int]] | None = None,
) -> PolicyData:
    """Policies as tables, with their entropies.

    Parameters
    ----------
    policies : ChenState, or array_like of float, shape (n, n)
        Anything with `tau`, or a matrix: [i, j] for i -> j, [i, i] for no edge.
    names : sequence of str, optional
        Nodes; by default X1, X2, ...
    active : sequence of bool, optional
        By default those of the state, or all.
    permanent : iterable of (int, int), optional
        Settled edges; by default those of the state, or none.

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
    import pandas as pd

    tau = np.asarray(getattr(policies, "tau", policies), dtype=np.float64)
    if tau.ndim != 2 or tau.shape[0] != tau.shape[1]:
        raise ValueError(f"policies have the shape {tau.shape}: they are a square matrix, a row for each node.")
    n = len(tau)
    known = [f"X{i + 1}" for i in range(n)] if names is None else [str(name) for name in names]
    if len(known) != n:
        raise ValueError(f"{len(known)} names for the policies of {n} nodes: give one for each.")
    flags = active if active is not None else getattr(policies, "active", [True] * n)
    edges = permanent if permanent is not None else getattr(policies, "permanent", ())
    settled = tuple((known[u], known[v]) for u, v in edges)
    table = pd.DataFrame(with_none(tau), index=known, columns=[*known, NONE])
    flag = pd.Series(list(flags), index=known, dtype=bool)
    return PolicyData(table, pd.Series(entropies(tau), index=known), flag, settled)


def with_none(tau: ArrayLike) -> FloatArray:
    """Matrix with the probabilities of no edge in a last column, and nan on its diagonal; shape (n, n + 1)."""
    table = np.asarray(tau, dtype=np.float64)
    spread = np.hstack([table, np.diag(table)[:, None]])
    np.fill_diagonal(spread, np.nan)
    return spread


def entropies(tau: ArrayLike) -> FloatArray:
    """Entropy of each row in nats.

    Examples
    --------
    >>> entropies([[0.5, 0.5], [0.0, 1.0]]).round(4)
    array([0.6931, 0.    ])
    """
    table = np.asarray(tau, dtype=np.float64)
    logs = np.log(table, out=np.zeros_like(table), where=table > 0)
    return np.asarray(np.abs((table * logs).sum(axis=1)))


def policies_figure(
    data: PolicyData | Mapping[str, PolicyData], *, title: str = "Policies of the decision nodes"
) -> go.Figure:
    """Draw policies as heat maps, a panel a moment: the darker, the more probable the decision.

    Rows of decisions that are over are left blank; settled edges are dots.

    Parameters
    ----------
    data : PolicyData, or mapping of str to PolicyData
        With several, on the same nodes, each under its name.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    from plotly.subplots import make_subplots

    moments = {"": data} if isinstance(data, PolicyData) else dict(data)
    if not moments:
        raise ValueError("no policies to draw: give the policies of at least one moment.")
    columns = min(ABREAST, len(moments))
    rows = -(-len(moments) // columns)
    n = max(len(one.tau) for one in moments.values())
    panel = max(240, 13 * n + 130)
    height = rows * panel + 100
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[_heading(name, one) for name, one in moments.items()],
        shared_yaxes=True,
        horizontal_spacing=0.02,
        vertical_spacing=140 / height if rows > 1 else 0,
    )
    look = {"showgrid": False, "zeroline": False, "tickfont": {"size": 10}, "tickmode": "array"}
    for k, one in enumerate(moments.values()):
        place = {"row": k // columns + 1, "col": k % columns + 1}
        labels = [plain(shortened(str(name), LONGEST)) for name in one.tau.columns]
        figure.add_trace(_heat(one, shown=k == 0), **place)
        figure.add_trace(_settled(one, shown=k == 0), **place)
        n_columns = len(labels)
        figure.update_xaxes(
            tickangle=-90,
            range=[-0.5, n_columns - 0.5],
            tickvals=list(range(n_columns)),
            ticktext=labels,
            **look,
            **place,
        )
        figure.update_yaxes(
            range=[n_columns - 1.5, -0.5], tickvals=list(range(n_columns - 1)), ticktext=labels[:-1], **look, **place
        )
    figure.update_annotations(font={"size": 13}, yshift=2)
    figure.update_yaxes(title="decision of", col=1)
    figure.update_xaxes(title="child that is chosen", row=rows)
    figure.update_layout(template=TEMPLATE, title=plain(title), height=height, margin={"t": 92, "r": 20})
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "yref": "container", "y": 1 - 38 / height, "yanchor": "top"}
    )
    return figure


def _heading(name: str, data: PolicyData) -> str:
    active = data.entropy[data.active]
    words = f"mean entropy {active.mean():.2f} nats" if len(active) else "all decided"
    return f"{plain(name)}: {words}" if name else words


def _heat(data: PolicyData, *, shown: bool) -> Any:
    import plotly.graph_objects as go

    full = [plain(str(name)) for name in data.tau.columns]
    words = [[[row, child, entropy] for child in full] for row, entropy in zip(full[:-1], data.entropy, strict=True)]
    places = list(range(len(full)))
    return go.Heatmap(
        z=data.tau.where(data.active, axis=0).to_numpy(),
        x=places,
        y=places[:-1],
        customdata=words,
        zmin=0,
        zmax=1,
        colorscale=SCALE,
        showscale=shown,
        colorbar={"title": {"text": "τ"}, "thickness": 12, "len": 0.8, "outlinewidth": 1, "outlinecolor": GREY},
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate=(
            "%{customdata[0]} → %{customdata[1]}<br>τ = %{z:.3f}<br>entropy %{customdata[2]:.2f} nats<extra></extra>"
        ),
    )


def _settled(data: PolicyData, *, shown: bool) -> Any:
    import plotly.graph_objects as go

    place = {name: i for i, name in enumerate(data.tau.index)}
    points: list[tuple[int | None, int | None]] = [(place[v], place[u]) for u, v in data.permanent]
    points = points or [(None, None)]
    return go.Scatter(
        # A point that is not there keeps the entry in the legend.
        x=[x for x, _ in points],
        y=[y for _, y in points],
        mode="markers",
        marker={"size": 7, "color": BLUE, "symbol": "circle"},
        customdata=[f"{plain(u)} → {plain(v)}" for u, v in data.permanent],
        hovertemplate="%{customdata}<br>permanent edge<extra></extra>",
        name="permanent edge",
        legendgroup="permanent",
        showlegend=shown,
    )
