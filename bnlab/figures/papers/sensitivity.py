"""Sensitivity and "specificity", which is precision, of learned skeletons (Villanueva and Maciel 2012, Figure 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bnlab.figures.labels import algorithm_dash, algorithm_label, algorithm_style, algorithms_in_order, plain
from bnlab.figures.papers.panels import network_panels
from bnlab.figures.theme import translucent

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
    check_runs(records, NEEDED)
    points = records[NEEDED].assign(algorithm=records.algorithm.map(algorithm_label)).reset_index(drop=True)
    means = (
        points.groupby(["network", "algorithm", "rows"], sort=False)
        .agg(
            runs=("sn", "size"),
            sn=("sn", "mean"),
            sn_low=("sn", "min"),
            sn_high=("sn", "max"),
            sp=("sp", "mean"),
            sp_low=("sp", "min"),
            sp_high=("sp", "max"),
        )
        .reset_index()
        .sort_values("rows", kind="stable", ignore_index=True)
    )
    return SensitivityData(points, means)


def check_runs(records: pd.DataFrame, needed: list[str]) -> None:
    """Refuse records that lack a column or mix readings of one algorithm.

    Raises
    ------
    ValueError
        Naming the columns or the readings.
    """
    missing = [column for column in needed if column not in records]
    if missing:
        raise ValueError(f"the records lack the columns {', '.join(missing)}; they have {', '.join(records.columns)}.")
    if "reading" in records:
        mixed = records.groupby("algorithm").reading.nunique()
        if (mixed > 1).any():
            raise ValueError(
                f"the records mix readings of {', '.join(mixed.index[mixed > 1])}: select one, "
                "bnlab.experiments.villanueva2012.under(records, reading)."
            )


def sensitivity_figure(data: SensitivityData, *, title: str = "Sensitivity and “specificity”") -> go.Figure:
    """Draw a panel a network and a curve an algorithm, from the smallest samples to the largest.

    A click in the legend shows or hides an algorithm in all panels.

    Parameters
    ----------
    data : SensitivityData
    title : str
    """
    sizes = sorted(data.means.rows.unique())
    figure, places = network_panels(
        list(dict.fromkeys(data.means.network)),
        title,
        f"means at {', '.join(f'{size:,}' for size in sizes)} rows, larger marks for more rows · bars: from the least "
        "data set to the greatest · dots: data sets",
    )
    for name, place in places.items():
        for algorithm in algorithms_in_order(data.means.algorithm):
            chosen = [frame[(frame.network == name) & (frame.algorithm == algorithm)] for frame in data]
            if len(chosen[1]):
                figure.add_trace(_dots(chosen[0], algorithm), *place)
                figure.add_trace(_curve(chosen[1], algorithm, sizes, shown=place == (1, 1)), *place)
    figure.update_xaxes(nticks=6, zeroline=False)
    figure.update_yaxes(nticks=6, zeroline=False)
    figure.update_xaxes(title="Sp = TP / (TP + FP), precision", row=max(row for row, _ in places.values()))
    figure.update_yaxes(title="Sn = TP / (TP + FN)", col=1)
    return figure


def _curve(means: pd.DataFrame, algorithm: str, sizes: list[int], *, shown: bool) -> Any:
    import plotly.graph_objects as go

    colour, symbol = algorithm_style(algorithm)
    bars = {"type": "data", "symmetric": False, "thickness": 1, "width": 0, "color": translucent(colour, 0.5)}
    return go.Scatter(
        x=means.sp,
        y=means.sn,
        error_x={**bars, "array": means.sp_high - means.sp, "arrayminus": means.sp - means.sp_low},
        error_y={**bars, "array": means.sn_high - means.sn, "arrayminus": means.sn - means.sn_low},
        mode="lines+markers",
        name=plain(algorithm),
        legendgroup=algorithm,
        showlegend=shown,
        line={"width": 1.6, "color": colour, "dash": algorithm_dash(algorithm)},
        marker={"symbol": symbol, "size": [8 + 3 * sizes.index(size) for size in means.rows], "color": colour},
        customdata=means[["rows", "runs"]].to_numpy(),
        hovertemplate=(
            f"<b>{plain(algorithm)}</b>, %{{customdata[0]:,}} rows, mean of %{{customdata[1]}}"
            "<br>Sn %{y:.3f}, Sp (precision) %{x:.3f}<extra></extra>"
        ),
    )


def _dots(points: pd.DataFrame, algorithm: str) -> Any:
    import plotly.graph_objects as go

    colour, _ = algorithm_style(algorithm)
    return go.Scatter(
        x=points.sp,
        y=points.sn,
        mode="markers",
        legendgroup=algorithm,
        showlegend=False,
        marker={"size": 4, "color": colour, "opacity": 0.45, "line": {"width": 0}},
        customdata=points[["rows", "version"]].to_numpy(),
        hovertemplate=(
            f"{plain(algorithm)}, %{{customdata[0]:,}} rows, v%{{customdata[1]}}"
            "<br>Sn %{y:.3f}, Sp (precision) %{x:.3f}<extra></extra>"
        ),
    )
