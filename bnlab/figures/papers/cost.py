"""Cost of learning a skeleton against the number of variables (Villanueva and Maciel 2012, Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnlab.figures.labels import algorithm_dash, algorithm_label, algorithm_style, algorithms_in_order, plain
from bnlab.figures.papers.panels import network_panels
from bnlab.figures.papers.sensitivity import check_runs

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

    check_runs(records, [*NEEDED, value])
    keys = ["network", "algorithm", "variables", "copies", "origin"]
    labelled = records.assign(algorithm=records.algorithm.map(algorithm_label))
    by_size = labelled.groupby([*keys, "rows"], sort=False)[value].agg(["mean", "size"]).reset_index()
    points = (
        by_size.groupby(keys, sort=False)
        .agg(runs=("size", "sum"), cost=("mean", "mean"), sizes=("rows", "size"))
        .reset_index()
    )
    order = {name: i for i, name in enumerate(records.network.unique())}
    points = points.sort_values("variables", kind="stable").sort_values(
        "network", key=lambda names: names.map(order), kind="stable", ignore_index=True
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
    figure, places = network_panels(
        list(dict.fromkeys(data.points.network)),
        title,
        "points: the network and its tilings · filled: samples of the MMHC study, open: own tilings · "
        "off the curve: not every size",
    )
    for name, place in places.items():
        for algorithm in algorithms_in_order(data.points.algorithm):
            points = data.points[(data.points.network == name) & (data.points.algorithm == algorithm)]
            slope = data.slopes[(data.slopes.network == name) & (data.slopes.algorithm == algorithm)].slope
            if len(points):
                exponent = float(slope.iloc[0]) if len(slope) else float("nan")
                figure.add_traces(
                    list(_curves(points, algorithm, exponent, data.value, shown=place == (1, 1))), *_at(place)
                )
        ticks = sorted(data.points[data.points.network == name].variables.unique().tolist())
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[str(t) for t in ticks], row=place[0], col=place[1])
    figure.update_yaxes(type="log", dtick=1, exponentformat="none" if data.value != "nsc" else "power")
    figure.update_xaxes(title="variables", row=max(row for row, _ in places.values()))
    figure.update_yaxes(title=UNITS[data.value][0], col=1)
    return figure


def _at(place: tuple[int, int]) -> tuple[list[int], list[int]]:
    return [place[0]] * 2, [place[1]] * 2


def _curves(points: pd.DataFrame, algorithm: str, slope: float, value: str, *, shown: bool) -> tuple[Any, Any]:
    """Curve through the whole points, and the others without a line."""
    import plotly.graph_objects as go

    colour, symbol = algorithm_style(algorithm)

    def trace(part: pd.DataFrame, mode: str, named: bool) -> Any:
        return go.Scatter(
            x=part.variables,
            y=part.cost,
            mode=mode,
            name=plain(algorithm),
            legendgroup=algorithm,
            showlegend=named,
            line={"width": 1.6, "color": colour, "dash": algorithm_dash(algorithm)},
            marker={
                "symbol": [symbol if origin == "MMHC" else f"{symbol}-open" for origin in part.origin],
                "size": 9,
                "color": colour,
                "line": {"width": 1.6, "color": colour},
            },
            customdata=[
                [UNITS[value][1].format(cost), copies, origin, runs]
                for cost, copies, origin, runs in zip(part.cost, part.copies, part.origin, part.runs, strict=True)
            ],
            hovertemplate=(
                f"<b>{plain(algorithm)}</b>, grows as n^{slope:.2f}<br>%{{x}} variables, %{{customdata[1]}} × the "
                "network<br>%{customdata[0]}, mean of %{customdata[3]} (%{customdata[2]} samples)<extra></extra>"
            ),
        )

    return trace(points[points.whole], "lines+markers", shown), trace(points[~points.whole], "markers", False)
