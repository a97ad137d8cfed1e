"""Sensitivity and cost of learned skeletons (Villanueva and Maciel 2012, Figures 1 and 2), and their use in a search.

The paper's "specificity" is precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnlab._runtime.names import check_known
from bnlab.figures.labels import (
    algorithm_dash,
    algorithm_label,
    algorithm_style,
    algorithms_in_order,
    capitalised,
)
from bnlab.figures.theme import GREY, PINK
from bnlab.papers.base.metrics import in_order_of
from bnlab.papers.base.panels import Layer, Style, check_records, panel_curves
from bnlab.papers.villanueva2012.hybrid import RESTRICTIONS, TRUTH, UNRESTRICTED

ACCURACY_COLUMNS = ["network", "algorithm", "rows", "version", "sn", "sp"]


class SensitivityData(NamedTuple):
    """Accuracies on data sets and their means.

    Attributes
    ----------
    points : DataFrame with columns network, algorithm, rows, version, sn, sp
        One row per data set.
    means : DataFrame with columns network, algorithm, rows, runs, sn, sn_low, sn_high, sp, sp_low, sp_high
        One row per size; low and high are the least and the greatest value of the data sets.
    """

    points: pd.DataFrame
    means: pd.DataFrame


def sensitivity_data(records: pd.DataFrame) -> SensitivityData:
    """Sn and Sp of every data set, and their means by network, algorithm and size.

    Parameters
    ----------
    records : DataFrame with columns network, algorithm, rows, version, sn, sp (0 to 1)
        Of one reading of each algorithm. sp is TP / (TP + FP), as the paper defines it: precision.

    Raises
    ------
    ValueError
        If a column is missing or an algorithm has several readings.
    """
    check_records(records, ACCURACY_COLUMNS)
    points = records[ACCURACY_COLUMNS].assign(algorithm=records.algorithm.map(algorithm_label)).reset_index(drop=True)
    summaries = {
        f"{value}{ending}": (value, summary)
        for value in ("sn", "sp")
        for ending, summary in (("", "mean"), ("_low", "min"), ("_high", "max"))
    }
    groups = points.groupby(["network", "algorithm", "rows"], sort=False)
    means = groups.agg(runs=("sn", "size"), **summaries).reset_index()
    return SensitivityData(points, means.sort_values("rows", kind="stable", ignore_index=True))


def sensitivity_figure(data: SensitivityData, *, title: str = "Sensitivity and “specificity”") -> go.Figure:
    """Draw one panel per network and one curve per algorithm, from the smallest samples to the largest.

    A click in the legend shows or hides an algorithm in all panels.

    Parameters
    ----------
    data : SensitivityData
    title : str
    """
    sizes = sorted(data.means.rows.unique())
    rows = ", ".join(f"{size:,}" for size in sizes)
    values = "Sn {row.sn:.3f}, Sp (precision) {row.sp:.3f}"
    dots = _with_texts(data.points, "{row.algorithm}, {row.rows:,} rows, v{row.version}\n" + values)
    means = _with_texts(data.means, "{row.algorithm}, {row.rows:,} rows, mean of {row.runs}\n" + values)
    for end in ("low", "high"):
        means[f"x_{end}"], means[f"y_{end}"] = means[f"sp_{end}"], means[f"sn_{end}"]
    means["size"] = [8 + 3 * sizes.index(size) for size in means.rows]
    small = {"size": 4, "opacity": 0.45, "symbol": "circle"}
    figure, places = panel_curves(
        means.panel,
        [Layer(dots, "markers", small, named=False), Layer(means)],
        _styles(means.series),
        title=title,
        subtitle=f"Means at {rows} rows, larger marks for more rows<br>Bars: from the least data set to the greatest · "
        "Dots: data sets",
    )
    figure.update_xaxes(nticks=6, zeroline=False)
    figure.update_yaxes(nticks=6, zeroline=False)
    figure.update_xaxes(title="Sp = TP / (TP + FP), precision", row=max(row for row, _ in places.values()))
    figure.update_yaxes(title="Sn = TP / (TP + FN)", col=1)
    return figure


def _with_texts(frame: pd.DataFrame, text: str) -> pd.DataFrame:
    texts = [text.format(row=row) for row in frame.itertuples()]
    return frame.assign(panel=frame.network, series=frame.algorithm, x=frame.sp, y=frame.sn, text=texts)


def _styles(algorithms: pd.Series) -> dict[str, Style]:
    """Style of each algorithm, in the order of the paper."""
    return {name: Style(*algorithm_style(name), algorithm_dash(name)) for name in algorithms_in_order(algorithms)}


COST_COLUMNS = ["network", "copies", "origin", "rows", "version", "algorithm", "variables"]

UNITS = {
    "nsc": ("Statistical calls (NSC)", "{:,.0f} calls"),
    "cpu": ("Processor time, seconds", "{:.3g} s"),
    "seconds": ("Time, seconds", "{:.3g} s"),
}


class CostData(NamedTuple):
    """Costs and their growth.

    Attributes
    ----------
    value : str
        Column of the records that is the cost.
    points : DataFrame with columns network, algorithm, variables, copies, origin, runs, cost, whole
        The cost is the mean over sizes of the mean over data sets of a size; whole is whether every size was run.
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
    check_records(records, [*COST_COLUMNS, value])
    keys = ["network", "algorithm", "variables", "copies", "origin"]
    labelled = records.assign(algorithm=records.algorithm.map(algorithm_label))
    by_size = labelled.groupby([*keys, "rows"], sort=False)[value].agg(["mean", "size"]).reset_index()
    points = by_size.groupby(keys, sort=False).agg(runs=("size", "sum"), cost=("mean", "mean"), sizes=("rows", "size"))
    points = in_order_of(points.reset_index(), ["network", "variables"], records.network.unique())
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
    """Draw cost over variables on logarithmic axes, one panel per network and one curve per algorithm.

    Parameters
    ----------
    data : CostData
    title : str
    """
    unit, form = UNITS[data.value]
    points = data.points.merge(data.slopes, how="left").rename(columns={"network": "panel", "algorithm": "series"})
    points["x"], points["y"] = points.variables, points.cost
    points["text"] = [
        f"{row.series}, grows as n^{row.slope:.2f}\n{row.variables} variables, {row.copies} × the network\n"
        f"{form.format(row.cost)}, mean of {row.runs} ({row.origin} samples)"
        for row in points.itertuples()
    ]
    styles, look = _styles(points.series), {"size": 9, "line": {"width": 1.6}}
    points["symbol"] = [styles[row.series].symbol + "-open" * (row.origin != "MMHC") for row in points.itertuples()]
    figure, places = panel_curves(
        points.panel,
        [Layer(points[points.whole], marker=look), Layer(points[~points.whole], "markers", look, named=False)],
        styles,
        title=title,
        subtitle="Points: the network and its tilings · Filled: samples of the MMHC study, open: drawn here<br>"
        "Off the curve: not every size",
    )
    for name, (row, column) in places.items():
        ticks = sorted(points.variables[points.panel == name].unique().tolist())
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[str(t) for t in ticks], row=row, col=column)
    figure.update_yaxes(type="log", dtick=1, exponentformat="none" if data.value != "nsc" else "power")
    figure.update_xaxes(title="Variables", row=max(row for row, _ in places.values()))
    figure.update_yaxes(title=unit, col=1)
    return figure


MEASURES = {
    "shd_cpdag": "SHD of essential graphs",
    "gap": "Score less the true graph's, nats per row",
    "sn": "Sn",
    "sp": "Sp",
}
SEARCH_LABELS = {"hill-climbing": "Hill climbing", "k2": "K2", "chen": "Chen's search"}

_STYLES = {UNRESTRICTED: Style(GREY, "circle-open", "dot"), TRUTH: Style(PINK, "star", "dot")}
_SIZES = (6, 9, 13)
_TICKS = [digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5)]


class HybridData(NamedTuple):
    """Means over samples, with the least and the greatest value.

    Attributes
    ----------
    measure : str
    points : DataFrame with columns panel, restriction, rows, seconds, value, low, high, samples
    """

    measure: str
    points: pd.DataFrame


def hybrid_data(records: pd.DataFrame, measure: str = "shd_cpdag", *, panel: str = "network") -> HybridData:
    """Means of a measure of quality and of the time, for each restriction and size.

    Parameters
    ----------
    records : DataFrame
        From `bnlab.papers.villanueva2012.hybrid.records_frame`, of one score.
    measure : {"shd_cpdag", "gap", "sn", "sp"}
    panel : {"network", "search"}
        Column whose values have a panel each; the records have one value of the other.

    Raises
    ------
    ValueError
        If the measure or the panel is unknown, or the records are empty or mix what the figure does not distinguish.
    """
    check_known(measure, MEASURES, f"measure={measure!r}")
    check_known(panel, ("network", "search"), f"panel={panel!r}")
    for key in ("score", "copies", "search" if panel == "network" else "network"):
        if records[key].nunique() != 1:
            found = ", ".join(map(repr, records[key].unique())) or "none"
            raise ValueError(f"the records have {found} for {key}: select one, records[records.{key} == ...].")
    groups = records.groupby([panel, "restriction", "rows"], sort=False)
    points = groups.agg(
        seconds=("seconds", "mean"),
        value=(measure, "mean"),
        low=(measure, "min"),
        high=(measure, "max"),
        samples=(measure, "size"),
    )
    return HybridData(measure, points.reset_index().rename(columns={panel: "panel"}))


def hybrid_figure(data: HybridData, *, title: str = "Search within a super-structure") -> go.Figure:
    """Draw quality against time, including that of the super-structure, one line per restriction in each panel.

    Parameters
    ----------
    data : HybridData
    title : str
    """
    sizes = sorted(data.points.rows.unique())
    marks = dict(zip(sizes, _SIZES, strict=True)) if len(sizes) == len(_SIZES) else dict.fromkeys(sizes, 9)
    key = ", ".join(f"{size:,}" for size in sizes) + " rows"
    subtitle = f"{key if len(sizes) == 1 else f'Small to large: {key}'} · Whiskers: all samples"
    points = data.points.sort_values("rows", kind="stable").rename(
        columns={"seconds": "x", "value": "y", "low": "y_low", "high": "y_high"}
    )
    points["panel"] = points.panel.replace(SEARCH_LABELS)
    points["series"] = points.restriction.map(_label)
    points["size"] = points.rows.map(marks)
    points["text"] = [
        f"{row.series}, {row.rows:,} rows\n{MEASURES[data.measure]} {row.y:.3g} "
        f"({row.y_low:.3g} to {row.y_high:.3g}, {row.samples} samples)\n{row.x:.3g} s"
        for row in points.itertuples()
    ]
    styles = {
        _label(name): _STYLES.get(name) or Style(*algorithm_style(algorithm_label(name))) for name in RESTRICTIONS
    }
    panels = data.points.panel.replace(SEARCH_LABELS)
    figure, places = panel_curves(panels, [Layer(points)], styles, title=title, subtitle=subtitle)
    figure.update_xaxes(type="log", tickvals=_TICKS, ticktext=[f"{tick:g}" for tick in _TICKS])
    for column, row in {column: row for row, column in places.values()}.items():
        figure.update_xaxes(title="Processor time, seconds", row=row, col=column)
    figure.update_yaxes(title=MEASURES[data.measure], col=1)
    return figure


def _label(restriction: str) -> str:
    if restriction == UNRESTRICTED:
        return capitalised(restriction)
    return "Within the truth" if restriction == TRUTH else f"Within {algorithm_label(restriction)}"
