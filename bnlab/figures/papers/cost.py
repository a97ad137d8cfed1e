"""Cost of learning a skeleton against the number of variables (Villanueva and Maciel 2012, Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlab.figures.labels import algorithm_dash, algorithm_label, algorithm_style, algorithms_in_order
from bnlab.figures.papers.panels import Style, check_records, curve, panel_grid

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

NEEDED = ["network", "copies", "origin", "rows", "version", "algorithm", "variables"]

UNITS = {
    "nsc": ("statistical calls, NSC", "{:,.0f} calls"),
    "cpu": ("processor time, seconds", "{:.3g} s"),
    "seconds": ("time, seconds", "{:.3g} s"),
}


class CostData(NamedTuple):
    """Costs and how they grow.

    Attributes
    ----------
    value : str
        Column of the records that is the cost.
    points : DataFrame with columns network, algorithm, variables, copies, origin, runs, cost, whole
        Mean over the sizes of the means over the data sets of a size; whole: whether every size has been run.
    slopes : DataFrame with columns network, algorithm, slope
        Exponent b of cost = a variables^b, by least squares through the logarithms of the whole points.
    """

    value: str
    points: pd.DataFrame
    slopes: pd.DataFrame


def cost_data(records: pd.DataFrame, value: str = "nsc") -> CostData:
    """Mean cost of every network and tiling, and its growth.

    Parameters
    ----------
    records : DataFrame with columns network, copies, origin, rows, version, algorithm, variables and `value`
        Of one reading of each algorithm.
    value : {"nsc", "cpu", "seconds"}

    Raises
    ------
    ValueError
        If a column is missing or an algorithm has several readings.
    """
    import pandas as pd

    check_records(records, [*NEEDED, value])
    keys = ["network", "algorithm", "variables", "copies", "origin"]
    labelled = records.assign(algorithm=records.algorithm.map(algorithm_label))
    by_size = labelled.groupby([*keys, "rows"], sort=False)[value].agg(["mean", "size"]).reset_index()
    points = by_size.groupby(keys, sort=False).agg(runs=("size", "sum"), cost=("mean", "mean"), sizes=("rows", "size"))
    place = {name: i for i, name in enumerate(records.network.unique())}
    points = points.reset_index().sort_values(
        ["network", "variables"],
        key=lambda column: column.map(place) if column.name == "network" else column,
        kind="stable",
        ignore_index=True,
    )
    points["whole"] = points.pop("sizes") == records.rows.nunique()
    slopes = [
        {"network": network, "algorithm": algorithm, "slope": _slope(group)}
        for (network, algorithm), group in points[points.whole].groupby(["network", "algorithm"], sort=False)
    ]
    return CostData(value, points, pd.DataFrame(slopes, columns=["network", "algorithm", "slope"]))


def _slope(points: pd.DataFrame) -> float:
    if points.variables.nunique() < 2:
        return float("nan")
    return float(np.polyfit(np.log(points.variables), np.log(points.cost), 1)[0])


def cost_figure(data: CostData, *, title: str = "Cost of a super-structure") -> go.Figure:
    """Draw cost over variables on logarithmic axes, a panel a network and a curve an algorithm.

    Parameters
    ----------
    data : CostData
    title : str
    """
    figure, places = panel_grid(
        list(dict.fromkeys(data.points.network)),
        title=title,
        subtitle="points: the network and its tilings · filled: samples of the MMHC study, open: drawn here · "
        "off the curve: not every size",
    )
    unit, form = UNITS[data.value]
    points = data.points.merge(data.slopes, how="left").assign(x=data.points.variables, y=data.points.cost)
    points["text"] = [
        f"{row.algorithm}, grows as n^{row.slope:.2f}\n{row.variables} variables, {row.copies} × the network\n"
        f"{form.format(row.cost)}, mean of {row.runs} ({row.origin} samples)"
        for row in points.itertuples()
    ]
    for name, (row, column) in places.items():
        here = points[points.network == name]
        for algorithm in algorithms_in_order(points.algorithm):
            style = Style(*algorithm_style(algorithm), algorithm_dash(algorithm))
            own = here[here.algorithm == algorithm]
            own = own.assign(symbol=style.symbol + own.origin.map(lambda origin: "" if origin == "MMHC" else "-open"))
            look = {"size": 9, "line": {"width": 1.6, "color": style.colour}}
            shown = (row, column) == (1, 1)
            if len(own):
                figure.add_trace(curve(own[own.whole], algorithm, style, named=shown, marker=look), row, column)
                beside = curve(own[~own.whole], algorithm, style, mode="markers", named=False, marker=look)
                figure.add_trace(beside, row, column)
        ticks = sorted(here.variables.unique().tolist())
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[str(t) for t in ticks], row=row, col=column)
    figure.update_yaxes(type="log", dtick=1, exponentformat="none" if data.value != "nsc" else "power")
    figure.update_xaxes(title="variables", row=max(row for row, _ in places.values()))
    figure.update_yaxes(title=unit, col=1)
    return figure
