"""What a super-structure saves and costs a search: quality against time, with and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bnlab._runtime.names import nearest
from bnlab.experiments.hybrid import RESTRICTIONS, TRUTH, UNRESTRICTED
from bnlab.figures.labels import algorithm_label, algorithm_style
from bnlab.figures.papers.panels import Layer, Style, panel_curves
from bnlab.figures.theme import GREY, PINK

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

MEASURES = {
    "shd_cpdag": "SHD of essential graphs",
    "gap": "score less the true graph's, nats a row",
    "sn": "Sn",
    "sp": "Sp",
}
SEARCH_LABELS = {"hill-climbing": "hill climbing", "k2": "K2", "chen": "Chen's search"}

_STYLES = {UNRESTRICTED: Style(GREY, "circle-open", "dot"), TRUTH: Style(PINK, "star", "dot")}
_SIZES = (6, 9, 13)
_TICKS = [digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5)]


class HybridData(NamedTuple):
    """Means over the samples, with the least and the greatest.

    Attributes
    ----------
    measure : str
    points : DataFrame with columns panel, restriction, rows, seconds, value, low, high, samples
    """

    measure: str
    points: pd.DataFrame


def hybrid_data(records: pd.DataFrame, measure: str = "shd_cpdag", *, panel: str = "network") -> HybridData:
    """Mean of a measure of quality, and of the time, of each restriction and size.

    Parameters
    ----------
    records : DataFrame
        From `bnlab.experiments.hybrid.records_frame`, of one score.
    measure : {"shd_cpdag", "gap", "sn", "sp"}
    panel : {"network", "search"}
        What has a panel each; the records are of one value of the other.

    Raises
    ------
    ValueError
        For an unknown measure or panel, no records, or records that mix what the figure does not distinguish.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure={measure!r}: {nearest(measure, MEASURES)}")
    if panel not in ("network", "search"):
        raise ValueError(f"panel={panel!r}: panels are of a 'network' or of a 'search' each")
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
    """Draw the quality against the time, that of the super-structure included: a panel each, a line a restriction.

    Parameters
    ----------
    data : HybridData
    title : str
    """
    sizes = sorted(data.points.rows.unique())
    marks = dict(zip(sizes, _SIZES, strict=True)) if len(sizes) == len(_SIZES) else dict.fromkeys(sizes, 9)
    key = ", ".join(f"{size:,}" for size in sizes) + " rows"
    subtitle = f"{key if len(sizes) == 1 else f'small to large: {key}'} · whiskers: all samples"
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
        figure.update_xaxes(title="processor seconds", row=row, col=column)
    figure.update_yaxes(title=MEASURES[data.measure], col=1)
    return figure


def _label(restriction: str) -> str:
    if restriction == UNRESTRICTED:
        return restriction
    return "within the truth" if restriction == TRUTH else f"within {algorithm_label(restriction)}"
