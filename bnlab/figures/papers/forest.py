"""Forest plot of a paper's reported and reproduced numbers, a panel a group, as many side by side as fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from bnlab.figures.labels import plain
from bnlab.figures.papers.forest_table import comparison_rows
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.svg import shortened
from bnlab.figures.theme import BLUE, GREY, OCHRE, TEMPLATE, VERMILLION, translucent

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ABREAST = 3
WIDTH, STILL_WIDTH = 1100.0, 900.0
LONGEST = 30
LETTER, GAP, LEAST = 7.2, 26.0, 150.0
"""Pixels of a letter of a row's name, between two panels, and of a panel's chart at least."""
ROW, ABOVE, BELOW, LEFT, RIGHT = 22, 34, 44, 8, 12
TITLE, LEGEND, ENTRY = 40, 40, 20


class Panel(NamedTuple):
    """One group: its rows from top to bottom, and the numbers from left to right."""

    group: str
    rows: pd.DataFrame
    low: float
    high: float


def forest_panels(table: pd.DataFrame) -> list[Panel]:
    """Panels of a forest plot.

    Parameters
    ----------
    table : DataFrame
        From `bnlab.experiments.experiment.Experiment.table`, all of it or some rows.

    Returns
    -------
    list of Panel
        Groups in their order, each with the range that holds its intervals and runs.
    """
    return [Panel(str(group), rows, *_extent(rows)) for group, rows in table.groupby("group", sort=False)]


def _extent(rows: pd.DataFrame) -> tuple[float, float]:
    low = float(rows[["low", "least"]].min(skipna=True).min())
    high = float(rows[["high", "greatest"]].max(skipna=True).max())
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def forest_figure(
    table: pd.DataFrame,
    *,
    title: str = "",
    unit: str = "",
    verdicts: tuple[str, str] = ("inside", "outside"),
    width: float = WIDTH,
    selected: tuple[str, str] | None = None,
) -> go.Figure:
    """Draw reported intervals as bars, reproduced numbers as points, and the range of their runs as lines.

    Parameters
    ----------
    table : DataFrame
        From `bnlab.experiments.experiment.Experiment.table`.
    title, unit : str
    verdicts : (str, str)
        Names for a number that is reproduced, and for one that is not.
    width : float
        Pixels; as many panels stand side by side as fit.
    selected : (group, item), optional
        Row with a ring.
    """
    import plotly.graph_objects as go

    return go.Figure(forest_json(table, title=title, unit=unit, verdicts=verdicts, width=width, selected=selected))


def forest_picture(
    table: pd.DataFrame, *, title: str = "", unit: str = "", verdicts: tuple[str, str] = ("inside", "outside")
) -> Picture:
    """Static picture of `forest_figure`, with its parameters."""
    inside, run = sum(value is True for value in table.inside), int(table.rerun.notna().sum())
    figure = forest_json(table, title=title, unit=unit, verdicts=verdicts, width=STILL_WIDTH)
    details = "; ".join(words(row) for row in table.itertuples())
    return still(
        figure, words=f"{inside} of {run} reproduced numbers {verdicts[0]}", details=details, width=STILL_WIDTH
    )


def comparison_figure(data: pd.DataFrame, *, title: str = "Reported intervals and reproduced accuracies") -> go.Figure:
    """Forest plot of accuracies, a panel a data set.

    Parameters
    ----------
    data : DataFrame
        As for `bnlab.figures.papers.forest_table.comparison_rows`.
    title : str
    """
    return forest_figure(comparison_rows(data), title=title, unit="correctly classified, %")


def forest_json(
    table: pd.DataFrame,
    *,
    title: str = "",
    unit: str = "",
    verdicts: tuple[str, str] = ("inside", "outside"),
    width: float = WIDTH,
    selected: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Plotly figure as plain values, faster than by its classes; parameters as for `forest_figure`."""
    from plotly.subplots import make_subplots

    panels = forest_panels(table.assign(words=[plain(words(row)) for row in table.itertuples()]))
    names = LETTER * min(LONGEST, max((len(str(item)) for item in table["item"]), default=0)) + 8
    columns = max(1, min(ABREAST, len(panels), int(width / (names + LEAST + GAP))))
    bands = [panels[k : k + columns] for k in range(0, len(panels), columns)] or [[]]
    rows = [max((len(panel.rows) for panel in band), default=1) for band in bands]
    left = min(names, 0.55 * width / columns) + LEFT
    # Where panels are below each other there is no room for a legend of one line.
    above = TITLE * bool(title) + (LEGEND if columns > 1 else ENTRY * 5 + 16)
    inner = ROW * sum(rows) + (ABOVE + BELOW) * (len(bands) - 1)
    height = above + ABOVE + inner + BELOW
    layout: dict[str, Any] = make_subplots(
        rows=len(bands),
        cols=columns,
        row_heights=rows,
        specs=[[{}] * len(band) + [None] * (columns - len(band)) for band in bands] if panels else None,
        subplot_titles=[f"<b>{plain(panel.group)}</b>" for panel in panels],
        horizontal_spacing=(left + GAP - LEFT) / (width - left - RIGHT) if columns > 1 else 0,
        vertical_spacing=(ABOVE + BELOW) / inner if len(bands) > 1 else 0,
    ).layout.to_plotly_json()
    layout |= {
        "template": TEMPLATE,
        "title": {"text": plain(title)},
        "height": height,
        "margin": {"t": above + ABOVE, "b": BELOW, "l": left, "r": RIGHT},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1 - (TITLE * bool(title) + 4) / height,
            "yref": "container",
            "yanchor": "top",
        },
        "hovermode": "closest",
    }
    data: list[dict[str, Any]] = []
    for number, panel in enumerate(panels, start=1):
        suffix = "" if number == 1 else str(number)
        x_axis, y_axis = layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"]
        layout["annotations"][number - 1] |= {"x": x_axis["domain"][0], "xanchor": "left", "font": {"size": 13}}
        last = unit if number + columns > len(panels) else ""
        x_axis |= {"range": [panel.low, panel.high], "nticks": 5, "title": {"text": plain(last), "font": {"size": 12}}}
        # Names of rows stand before each panel, for items are not the same in all of them.
        items = [str(item) for item in panel.rows["item"]]
        y_axis |= {
            "type": "category",
            "range": [len(items) - 0.4, len(items) - 0.6 - rows[(number - 1) // columns]],
            "categoryorder": "array",
            "categoryarray": list(map(plain, items)),
            "tickvals": list(map(plain, items)),
            "ticktext": [plain(shortened(item, LONGEST)) for item in items],
            "automargin": False,
        }
        data += _traces(panel, {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}, verdicts, selected)
    return {"data": [*_legend(verdicts), *data], "layout": layout}


_INTERVAL = {"width": 10, "color": translucent(GREY, 0.4)}
_PUBLISHED = {"symbol": "line-ns-open", "size": 10, "line": {"width": 2, "color": GREY}, "color": GREY}


def _point(inside: bool) -> dict[str, Any]:
    return {"symbol": "circle" if inside else "x", "size": 8, "color": BLUE if inside else VERMILLION}


def _legend(verdicts: tuple[str, str]) -> list[dict[str, Any]]:
    """Entries that belong to no panel."""
    styles: list[tuple[str, dict[str, Any]]] = [
        ("reported interval", {"mode": "lines", "line": _INTERVAL}),
        ("reported", {"mode": "markers", "marker": _PUBLISHED}),
        (f"reproduced, {verdicts[0]}", {"mode": "markers", "marker": _point(True)}),
        (f"reproduced, {verdicts[1]}", {"mode": "markers", "marker": _point(False)}),
        ("range of the runs", {"mode": "lines", "line": {"width": 2, "color": GREY}}),
    ]
    return [
        {"type": "scatter", "x": [None], "y": [None], "name": name, "hoverinfo": "skip", "showlegend": True, **style}
        for name, style in styles
    ]


def _traces(
    panel: Panel, axes: dict[str, str], verdicts: tuple[str, str], selected: tuple[str, str] | None
) -> Iterator[dict[str, Any]]:
    rows = panel.rows
    shared = {"type": "scatter", "showlegend": False, **axes}
    run = rows[rows.rerun.notna()]
    ring = rows[rows["item"] == selected[1]] if selected is not None and selected[0] == panel.group else rows[:0]
    if len(ring):
        x = ring.rerun.where(ring.rerun.notna(), ring.published)
        marker = {"symbol": "circle-open", "size": 19, "color": OCHRE, "line": {"width": 2.5, "color": OCHRE}}
        yield {**shared, **_points(ring, x), "mode": "markers", "marker": marker, "hoverinfo": "skip"}
    yield {**shared, **_lines(rows, "low", "high"), "line": _INTERVAL}
    yield {**shared, **_lines(run, "least", "greatest"), "line": {"width": 2, "color": translucent(GREY, 0.9)}}
    yield {**shared, **_points(rows, rows.published), "mode": "markers", "marker": _PUBLISHED, "name": "reported"}
    for inside in (True, False):
        chosen = run[[value is inside for value in run.inside]]
        if len(chosen):
            name = f"reproduced, {verdicts[not inside]}"
            yield {**shared, **_points(chosen, chosen.rerun), "mode": "markers", "marker": _point(inside), "name": name}


def _points(rows: pd.DataFrame, x: pd.Series) -> dict[str, Any]:
    return {
        "x": [float(value) for value in x],
        "y": [plain(item) for item in rows["item"]],
        "customdata": [[group, item] for group, item in zip(rows.group, rows["item"], strict=True)],
        "text": rows.words.tolist(),
        "hovertemplate": "%{text}<extra></extra>",
    }


def _lines(rows: pd.DataFrame, low: str, high: str) -> dict[str, Any]:
    ends = zip(rows[low], rows[high], strict=True)
    return {
        "x": [value for pair in ends for value in (float(pair[0]), float(pair[1]), None)],
        "y": [plain(item) for item in rows["item"] for _ in range(3)],
        "mode": "lines",
        "hoverinfo": "skip",
    }


def words(row: Any) -> str:
    """A row in words."""
    head = f"{row.group}, {row.item}: reported {row.published:g}"
    if row.inside is None:
        return f"{head}, not run"
    return f"{head}, reproduced {row.rerun:.4g} ({row.note})"
