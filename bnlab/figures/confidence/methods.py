"""Comparison of two methods of edge probabilities, such as a posterior and the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pandas as pd

from bnlab.figures.labels import plain
from bnlab.figures.theme import BLUE, GREY, VERMILLION, Chart, as_figure, chart_layout, hover, scatter, translucent
from bnlab.graphs.checks import check_same_variables
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import GraphLike, as_dag

HEIGHT, MARGIN = 500, 0.03
KINDS = {True: ("Edge of the true network", VERMILLION, "diamond"), False: ("Other pair", BLUE, "circle")}
"""Name, colour and marker of edges of the true network and of other pairs."""


def methods_data(methods: Mapping[str, EdgeConfidence], *, truth: GraphLike | None = None) -> pd.DataFrame:
    """Probabilities of each ordered pair of variables by two methods.

    Parameters
    ----------
    methods : mapping of str to EdgeConfidence
        Two, by name, on the same variables.
    truth : Dag, networkx.DiGraph or anything with a `dag`, optional
        True network.

    Returns
    -------
    DataFrame
        Columns parent, child, each method with its probabilities, "error of " each, and true (bool; False without a
        true network). Pairs with less than 0.0005 by both methods are left out, but for edges of the true network.

    Raises
    ------
    ValueError
        If there are not two methods, or their variables differ.

    Examples
    --------
    >>> import bnlab
    >>> net = bnlab.load_network("cancer")
    >>> data = net.sample(1000, seed=1)
    >>> methods = {name: bnlab.edge_probabilities(data, name) for name in ("exact", "bootstrap")}
    >>> methods_data(methods, truth=net).columns.tolist()
    ['parent', 'child', 'exact', 'bootstrap', 'error of exact', 'error of bootstrap', 'true']
    """
    if len(methods) != 2:
        raise ValueError(f"{len(methods)} methods: this chart compares two.")
    names = next(iter(methods.values())).names
    for found in methods.values():
        check_same_variables(found.names, names)
    dag = None if truth is None else as_dag(truth)
    if dag is not None:
        check_same_variables(dag.names, names)
    edges = set() if dag is None else set(dag.edges)
    rows = []
    for u, v in permutations(names, 2):
        places = [(found.names.index(u), found.names.index(v)) for found in methods.values()]
        values = [float(found.arcs[place]) for found, place in zip(methods.values(), places, strict=True)]
        errors = [float(found.errors[place]) for found, place in zip(methods.values(), places, strict=True)]
        if max(values) >= 0.0005 or (u, v) in edges:
            rows.append((u, v, *values, *errors, (u, v) in edges))
    return pd.DataFrame(rows, columns=["parent", "child", *methods, *(f"error of {name}" for name in methods), "true"])


def methods_json(
    methods: Mapping[str, EdgeConfidence], *, truth: GraphLike | None = None, title: str = "Two methods"
) -> Chart:
    """Draw one point per ordered pair of variables: its probability by one method over that by the other.

    Parameters
    ----------
    methods, truth
        As for `methods_data`; the first method is on the horizontal axis.
    title : str

    Raises
    ------
    ValueError
        As for `methods_data`.
    """
    data = methods_data(methods, truth=truth)
    first, second = methods
    x, y, x_error, y_error = data.columns[2:6]
    diagonal = {"line": {"width": 1.2, "color": GREY, "dash": "dash"}, "hoverinfo": "skip", "showlegend": False}
    traces: list[dict[str, Any]] = [scatter("lines", [0, 1], [0, 1], **diagonal)]
    for is_true, (name, ink, shape) in KINDS.items():
        own = data[data.true == is_true]
        if not len(own):
            continue
        pairs = [f"{plain(u)} → {plain(v)}" for u, v in zip(own.parent, own.child, strict=True)]
        words = hover(f"%{{customdata}}<br>{plain(first)} %{{x:.3f}}<br>{plain(second)} %{{y:.3f}}", pairs)
        bars = {"type": "data", "thickness": 1, "width": 0, "color": translucent(ink, 0.5)}
        around = {
            "error_x": bars | {"array": own[x_error].tolist()},
            "error_y": bars | {"array": own[y_error].tolist()},
        }
        marker = {"size": 9, "symbol": shape, "color": ink, "opacity": 0.75}
        look = {"marker": marker, "name": name, "showlegend": truth is not None}
        traces.append(scatter("markers", own[x].tolist(), own[y].tolist(), **look, **around, **words))
    axis = {"range": [-MARGIN, 1 + MARGIN], "zeroline": False}
    layout = chart_layout(plain(title), HEIGHT - 142, above=92, legend=True) | {
        "xaxis": axis | {"title": {"text": f"Probability ({plain(first)})"}},
        "yaxis": axis | {"title": {"text": f"Probability ({plain(second)})"}},
    }
    return {"data": traces, "layout": layout}


methods_figure = as_figure("methods_figure", methods_json)
