"""Sensitivity and "specificity", which is precision, of learned skeletons (Villanueva and Maciel 2012, Figure 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bnlab.figures.labels import algorithm_dash, algorithm_label, algorithm_style, algorithms_in_order
from bnlab.figures.papers.panels import Style, check_records, curve, panel_grid

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

NEEDED = ["network", "algorithm", "rows", "version", "sn", "sp"]


class SensitivityData(NamedTuple):
    """Data sets and their means.

    Attributes
    ----------
    points : DataFrame with columns network, algorithm, rows, version, sn, sp
        A row a data set.
    means : DataFrame with columns network, algorithm, rows, runs, sn, sn_low, sn_high, sp, sp_low, sp_high
        A row a size; low and high are the least and the greatest of the data sets.
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
    check_records(records, NEEDED)
    points = records[NEEDED].assign(algorithm=records.algorithm.map(algorithm_label)).reset_index(drop=True)
    summaries = {
        f"{value}{ending}": (value, summary)
        for value in ("sn", "sp")
        for ending, summary in (("", "mean"), ("_low", "min"), ("_high", "max"))
    }
    groups = points.groupby(["network", "algorithm", "rows"], sort=False)
    means = groups.agg(runs=("sn", "size"), **summaries).reset_index()
    return SensitivityData(points, means.sort_values("rows", kind="stable", ignore_index=True))


def sensitivity_figure(data: SensitivityData, *, title: str = "Sensitivity and “specificity”") -> go.Figure:
    """Draw a panel a network and a curve an algorithm, from the smallest samples to the largest.

    A click in the legend shows or hides an algorithm in all panels.

    Parameters
    ----------
    data : SensitivityData
    title : str
    """
    sizes = sorted(data.means.rows.unique())
    rows = ", ".join(f"{size:,}" for size in sizes)
    figure, places = panel_grid(
        list(dict.fromkeys(data.means.network)),
        title=title,
        subtitle=f"means at {rows} rows, larger marks for more rows · bars: from the least data set to the greatest · "
        "dots: data sets",
    )
    values = "Sn {row.sn:.3f}, Sp (precision) {row.sp:.3f}"
    dots = _drawn(data.points, "{row.algorithm}, {row.rows:,} rows, v{row.version}\n" + values)
    means = _drawn(data.means, "{row.algorithm}, {row.rows:,} rows, mean of {row.runs}\n" + values)
    for end in ("low", "high"):
        means[f"x_{end}"], means[f"y_{end}"] = means[f"sp_{end}"], means[f"sn_{end}"]
    means["size"] = [8 + 3 * sizes.index(size) for size in means.rows]
    for name, place in places.items():
        for algorithm in algorithms_in_order(data.means.algorithm):
            own, mean = (frame[(frame.network == name) & (frame.algorithm == algorithm)] for frame in (dots, means))
            if len(mean):
                style = Style(*algorithm_style(algorithm), algorithm_dash(algorithm))
                small = {"size": 4, "opacity": 0.45, "symbol": "circle"}
                figure.add_trace(curve(own, algorithm, style, mode="markers", named=False, marker=small), *place)
                figure.add_trace(curve(mean, algorithm, style, named=place == (1, 1)), *place)
    figure.update_xaxes(nticks=6, zeroline=False)
    figure.update_yaxes(nticks=6, zeroline=False)
    figure.update_xaxes(title="Sp = TP / (TP + FP), precision", row=max(row for row, _ in places.values()))
    figure.update_yaxes(title="Sn = TP / (TP + FN)", col=1)
    return figure


def _drawn(frame: pd.DataFrame, text: str) -> pd.DataFrame:
    return frame.assign(x=frame.sp, y=frame.sn, text=[text.format(row=row) for row in frame.itertuples()])
