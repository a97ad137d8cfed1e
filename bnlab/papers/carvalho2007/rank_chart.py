"""Mean ranks of classifiers over data sets, with bars that join those without a significant difference.

References
----------
J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006, section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from bnlab.figures.labels import plain
from bnlab.figures.theme import GREY, TEMPLATE, colour, hover, scatter, translucent
from bnlab.papers.carvalho2007.significance import critical_difference, mean_ranks


class RankData(NamedTuple):
    """Mean ranks of classifiers in tables of accuracies over the same number of data sets.

    Attributes
    ----------
    ranks : DataFrame
        One row per table, one column per classifier; 1 is the best.
    groups : DataFrame with columns table, best, worst
        Best and worst mean rank of the largest groups that differ by less than the critical difference.
    difference : float
        Critical difference of the Nemenyi test at 5 %.
    datasets : int
    """

    ranks: pd.DataFrame
    groups: pd.DataFrame
    difference: float
    datasets: int


def mean_ranks_data(tables: Mapping[str, pd.DataFrame]) -> RankData:
    """Mean ranks of classifiers in each table.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Accuracies, one row per data set, one column per classifier.

    Raises
    ------
    ValueError
        If the tables differ in shape.
    """
    shapes = {table.shape for table in tables.values()}
    if len(shapes) != 1:
        raise ValueError(f"tables of the shapes {sorted(shapes)}: all need the same data sets and classifiers.")
    datasets, classifiers = shapes.pop()
    difference = critical_difference(classifiers, datasets)
    ranks = pd.DataFrame({name: mean_ranks(table) for name, table in tables.items()}).T
    bars = [(name, best, worst) for name, row in ranks.iterrows() for best, worst in _groups(sorted(row), difference)]
    return RankData(ranks, pd.DataFrame(bars, columns=["table", "best", "worst"]), difference, datasets)


def _groups(ranks: list[float], difference: float) -> list[tuple[float, float]]:
    """Largest groups of two or more sorted ranks that lie within the difference.

    Examples
    --------
    >>> _groups([1.0, 1.5, 2.2, 4.0], 1.3)
    [(1.0, 2.2)]
    """
    found: list[tuple[float, float]] = []
    for best in ranks:
        worst = max(rank for rank in ranks if rank - best < difference)
        if worst > best and (not found or worst > found[-1][1]):
            found.append((best, worst))
    return found


def mean_ranks_figure(data: RankData) -> go.Figure:
    """Draw mean ranks as points on one axis per table, the best on the right."""
    tables, classifiers = list(data.ranks.index), list(data.ranks.columns)
    height = {table: len(tables) - 1 - place for place, table in enumerate(tables)}
    line = {"width": 6, "color": translucent(GREY, 0.7)}
    bars = [
        scatter("lines", [bar.best, bar.worst], [height[table] - 0.16 * below] * 2, line=line, hoverinfo="skip")
        for table, group in data.groups.groupby("table", sort=False)
        for below, bar in enumerate(group.itertuples(), start=1)
    ]
    points = []
    for place, name in enumerate(classifiers):
        names = {"text": [plain(name)] * len(tables), "textposition": "top center", **hover("%{text}: %{x:.2f}")}
        marker = {"size": 11, "color": colour(place)}
        points.append(scatter("markers+text", data.ranks[name], list(height.values()), marker=marker, **names))
    ticks = {"tickvals": list(height.values()), "ticktext": [plain(name) for name in tables]}
    layout = {
        "template": TEMPLATE,
        "title": f"Mean ranks over {data.datasets} data sets; critical difference {data.difference:.2f}",
        "height": 90 + 80 * len(tables),
        "showlegend": False,
        "xaxis": {"title": "Mean rank", "range": [len(classifiers) + 0.05, 0.95]},
        "yaxis": ticks | {"range": [-0.5, len(tables) - 0.4]},
    }
    return go.Figure([*bars, *points], layout)
