"""Chart of missing values: which are missing together, in how many rows, and how often each variable is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnlab.data.gaps import patterns_of
from bnlab.figures.labels import plain
from bnlab.figures.theme import BLUE, VERMILLION, Chart, as_figure, chart_layout, hover, translucent

if TYPE_CHECKING:
    import pandas as pd

    from bnlab.data.table import Table

ROW, BARS = 22, 80
"""Heights in pixels of the row of a pattern, and of the bars above the variables."""
LONGEST = 14
"""Maximum length of the name of a variable, in characters."""
SCALE = [[0, translucent(VERMILLION, 0.07)], [1, translucent(VERMILLION, 1)]]


def gaps_json(data: Table | pd.DataFrame, *, patterns: int = 15, variables: int = 40) -> Chart:
    """Draw the patterns of missing values: one row per pattern, one column per variable, dark where values are missing.

    Bars above show how often each variable is missing. Bars on the right show how many rows have each pattern.

    Parameters
    ----------
    data : Table or DataFrame
        A Table has missing values only if it is loaded with ``missing="keep"``.
    patterns, variables : int
        Maximum numbers drawn: of the most frequent patterns, and of the variables with the most missing values.

    Raises
    ------
    TypeError
        If the data are neither a Table nor a DataFrame.
    ValueError
        If no value is missing.
    """
    found = patterns_of(data)
    if not found.names:
        raise ValueError('no value is missing: there is nothing to draw. Load the data with missing="keep".')
    shares = (100 * found.rows @ found.missing[:, :variables] / len(data)).tolist()
    counts, n_missing = found.rows[:patterns].tolist(), found.n_missing[:patterns].tolist()
    row_labels = [f"{count:,} ({count / len(data):.1%})" for count in counts]
    labels = [plain(name) for name in found.names[:variables]]
    columns, rows = list(range(len(labels))), list(range(len(counts)))
    cells = found.missing[:patterns, :variables]
    notes = [
        [f"{label}: {'missing' if cell else 'observed'}" for label, cell in zip(labels, row, strict=True)]
        for row in cells
    ]
    heat = {"type": "heatmap", "x": columns, "y": rows, "z": cells.astype(int).tolist(), "zmin": 0, "zmax": 1}
    heat |= {"colorscale": SCALE, "showscale": False, "xgap": 2, "ygap": 2, **hover("%{customdata}", notes)}
    words = [f"{label}: {share:.1f} % of the rows" for label, share in zip(labels, shares, strict=True)]
    above = _bars(columns, shares, {"yaxis": "y2", "orientation": "v"}, words)
    words = [
        f"{missing} values missing: {count:,} rows, {count / len(data):.1%}"
        for missing, count in zip(n_missing, counts, strict=True)
    ]
    beside = _bars(counts, rows, {"xaxis": "x2", "orientation": "h"}, words)

    n_patterns = len(found.rows)
    count = f"the {len(rows)} most frequent of {n_patterns:,}" if len(rows) < n_patterns else f"{n_patterns:,} in all"
    of_variables = f", {len(labels)} of {len(found.names)} variables" if len(labels) < len(found.names) else ""
    plot = ROW * len(rows) + BARS
    top = ROW * len(rows) / plot
    layout = chart_layout(f"Patterns of missing values: {count}{of_variables}", plot, above=60, below=120)
    bare = {"showgrid": False, "zeroline": False}
    short = [plain(name, LONGEST) for name in found.names[:variables]]
    names_below = {"tickvals": columns, "ticktext": short, "tickangle": -90}
    rows_left = {"tickvals": rows, "ticktext": row_labels, **bare}
    layout |= {
        "showlegend": False,
        "barmode": "overlay",
        "xaxis": {"domain": [0, 0.8], "range": [-0.5, len(columns) - 0.5], "anchor": "y", **names_below, **bare},
        "yaxis": {"domain": [0, top - 0.02], "range": [len(rows) - 0.5, -0.5], "title": {"text": "Rows"}, **rows_left},
        "yaxis2": {"domain": [top + 0.02, 1], "anchor": "x", "title": {"text": "Missing, %"}, "nticks": 3},
        "xaxis2": {
            "domain": [0.82, 1],
            "anchor": "y",
            "title": {"text": "Rows"},
            "nticks": 3,
            "separatethousands": True,
        },
    }
    return {"data": [heat, above, beside], "layout": layout}


def _bars(x: list[Any], y: list[Any], place: dict[str, Any], words: list[str]) -> dict[str, Any]:
    return {"type": "bar", "x": x, "y": y, "marker": {"color": BLUE}, **place, **hover("%{customdata}", words)}


gaps_figure = as_figure("gaps_figure", gaps_json)
