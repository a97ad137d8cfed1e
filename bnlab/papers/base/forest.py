"""Forest plot of a paper's reported and reproduced numbers, one panel per group, as many side by side as fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from bnlab.figures.labels import capitalised, plain
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.theme import (
    BLUE,
    GREY,
    LEGEND_IN_LINES,
    OCHRE,
    TEMPLATE,
    VERMILLION,
    Chart,
    as_figure,
    hover,
    scatter,
    translucent,
)
from bnlab.papers.base.tables import agreement

MOST_COLUMNS = 3
WIDTH, STILL_WIDTH = 1100.0, 900.0
LONGEST = 30
LETTER, GAP, LEAST = 7.2, 26.0, 150.0
"""Pixels of a letter of a row's name, between two panels, and at least of the chart of a panel."""
ROW, ABOVE, BELOW, LEFT, RIGHT = 22, 34, 44, 8, 12
TITLE, LEGEND, ENTRY = 40, 40, 20


def forest_json(
    table: pd.DataFrame,
    *,
    title: str = "",
    unit: str = "",
    verdicts: tuple[str, str] = ("agrees", "differs"),
    width: float = WIDTH,
    selected: tuple[str, str] | None = None,
) -> Chart:
    """Draw reported intervals as bars, reproduced numbers as points, and the range of their runs as lines.

    Parameters
    ----------
    table : DataFrame
        From `bnlab.papers.base.experiment.Experiment.table`, all of it or some rows; each group has a panel.
    title, unit : str
    verdicts : (str, str)
        Verbs for a number that is reproduced, and for one that is not.
    width : float
        Pixels; as many panels are side by side as fit.
    selected : (group, item), optional
        Row to mark with a ring.
    """
    from plotly.subplots import make_subplots

    table = table.assign(words=[plain(words(row)) for row in table.itertuples()])
    panels = [(str(group), rows) for group, rows in table.groupby("group", sort=False)]
    names = LETTER * min(LONGEST, max((len(str(item)) for item in table["item"]), default=0)) + 8
    columns = max(1, min(MOST_COLUMNS, len(panels), int(width / (names + LEAST + GAP))))
    bands = [panels[k : k + columns] for k in range(0, len(panels), columns)] or [[]]
    heights = [max((len(rows) for _, rows in band), default=1) for band in bands]
    left = min(names, 0.55 * width / columns) + LEFT
    # In one column, the legend does not fit into one line.
    above = TITLE * bool(title) + (LEGEND if columns > 1 else ENTRY * 5 + 16)
    inner = ROW * sum(heights) + (ABOVE + BELOW) * (len(bands) - 1)
    height = above + ABOVE + inner + BELOW
    layout: dict[str, Any] = make_subplots(
        rows=len(bands),
        cols=columns,
        row_heights=heights,
        specs=[[{}] * len(band) + [None] * (columns - len(band)) for band in bands] if panels else None,
        subplot_titles=[f"<b>{plain(group)}</b>" for group, _ in panels],
        horizontal_spacing=(left + GAP - LEFT) / (width - left - RIGHT) if columns > 1 else 0,
        vertical_spacing=(ABOVE + BELOW) / inner if len(bands) > 1 else 0,
    ).layout.to_plotly_json()
    legend_y = 1 - (TITLE * bool(title) + 4) / height
    layout |= {
        "template": TEMPLATE,
        "title": {"text": plain(title)},
        "height": height,
        "margin": {"t": above + ABOVE, "b": BELOW, "l": left, "r": RIGHT},
        "legend": LEGEND_IN_LINES | {"xref": "container", "y": legend_y, "yref": "container"},
        "hovermode": "closest",
    }
    data = _legend(verdicts)
    for number, (group, rows) in enumerate(panels, start=1):
        suffix = "" if number == 1 else str(number)
        x_axis, y_axis = layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"]
        layout["annotations"][number - 1] |= {"x": x_axis["domain"][0], "xanchor": "left", "font": {"size": 13}}
        low, high = float(rows[["low", "least"]].min().min()), float(rows[["high", "greatest"]].max().max())
        room = 0.05 * (high - low) or 1.0
        last = plain(capitalised(unit)) if number + columns > len(panels) else ""
        x_axis |= {"range": [low - room, high + room], "nticks": 5, "title": {"text": last, "font": {"size": 12}}}
        # Each panel has names of rows, because panels may have different items.
        items = [str(item) for item in rows["item"]]
        y_axis |= {
            "type": "category",
            "range": [len(items) - 0.4, len(items) - 0.6 - heights[(number - 1) // columns]],
            "categoryorder": "array",
            "categoryarray": list(map(plain, items)),
            "tickvals": list(map(plain, items)),
            "ticktext": [plain(item, LONGEST) for item in items],
            "automargin": False,
        }
        axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        ring = rows[(rows["item"] == selected[1]) & (group == selected[0])] if selected else rows[:0]
        data += [trace | axes for trace in _traces(rows, ring, verdicts)]
    return {"data": data, "layout": layout}


forest_figure = as_figure("forest_figure", forest_json)


def forest_picture(
    table: pd.DataFrame, *, title: str = "", unit: str = "", verdicts: tuple[str, str] = ("agrees", "differs")
) -> Picture:
    """Static picture of `forest_figure`, with its parameters."""
    figure = forest_json(table, title=title, unit=unit, verdicts=verdicts, width=STILL_WIDTH)
    details = "; ".join(words(row) for row in table.itertuples())
    return still(figure, words=agreement(table, verdicts), details=details, width=STILL_WIDTH)


_INTERVAL = {"width": 10, "color": translucent(GREY, 0.4)}
_PUBLISHED = {"symbol": "line-ns-open", "size": 10, "line": {"width": 2, "color": GREY}, "color": GREY}


def _point(inside: bool) -> dict[str, Any]:
    return {"symbol": "circle" if inside else "x", "size": 8, "color": BLUE if inside else VERMILLION}


def _legend(verdicts: tuple[str, str]) -> list[dict[str, Any]]:
    """Entries that belong to no panel."""
    styles: list[tuple[str, str, dict[str, Any]]] = [
        ("Reported interval", "lines", {"line": _INTERVAL}),
        ("Reported", "markers", {"marker": _PUBLISHED}),
        (f"Reproduced: {verdicts[0]}", "markers", {"marker": _point(True)}),
        (f"Reproduced: {verdicts[1]}", "markers", {"marker": _point(False)}),
        ("Range of the runs", "lines", {"line": {"width": 2, "color": GREY}}),
    ]
    shown: dict[str, Any] = {"hoverinfo": "skip", "showlegend": True}
    return [scatter(mode, [None], [None], name=name, **shown, **look) for name, mode, look in styles]


def _traces(rows: pd.DataFrame, ring: pd.DataFrame, verdicts: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Traces of one panel."""
    run = rows[rows.rerun.notna()]
    if len(ring):
        marker = {"symbol": "circle-open", "size": 19, "color": OCHRE, "line": {"width": 2.5, "color": OCHRE}}
        yield _points(ring, ring.rerun.fillna(ring.published), marker) | {"hoverinfo": "skip"}
    yield _lines(rows, "low", "high", _INTERVAL)
    yield _lines(run, "least", "greatest", {"width": 2, "color": translucent(GREY, 0.9)})
    yield _points(rows, rows.published, _PUBLISHED) | {"name": "Reported"}
    for inside, verdict in zip((True, False), verdicts, strict=True):
        chosen = run[[value is inside for value in run.inside]]
        if len(chosen):
            yield _points(chosen, chosen.rerun, _point(inside)) | {"name": f"Reproduced: {verdict}"}


def _points(rows: pd.DataFrame, x: pd.Series, marker: dict[str, Any]) -> dict[str, Any]:
    y = [plain(item) for item in rows["item"]]
    label = {"text": rows.words.tolist(), "customdata": rows[["group", "item"]].to_numpy().tolist()}
    return scatter("markers", x.astype(float).tolist(), y, marker=marker, showlegend=False) | label | hover("%{text}")


def _lines(rows: pd.DataFrame, low: str, high: str, line: dict[str, Any]) -> dict[str, Any]:
    x = [
        value for ends in zip(rows[low].astype(float), rows[high].astype(float), strict=True) for value in (*ends, None)
    ]
    y = [plain(item) for item in rows["item"] for _ in range(3)]
    return scatter("lines", x, y, line=line, showlegend=False, hoverinfo="skip")


def words(row: Any) -> str:
    """Description of a row."""
    head = f"{row.group}, {row.item}: reported {row.published:g}"
    if row.inside is None:
        return f"{head}, not run"
    return f"{head}, reproduced {row.rerun:.4g} ({row.note})"
