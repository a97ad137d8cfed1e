"""Average causal effects: their range over equivalent graphs, and over probable graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from bnlab.figures.labels import plain, row_labels
from bnlab.figures.theme import BLUE, GREY, VERMILLION, Chart, as_figure, chart_layout, hover, scatter

LONGEST, ROW, ABOVE, BELOW = 44, 34, 92, 60
SIZES = (6.0, 16.0)
DIGITS = 10


class EffectsData(NamedTuple):
    """Effects in rows of a chart.

    Attributes
    ----------
    values : DataFrame with columns row, effect, share
        Distinct effects of each row, and the share of its graphs, or sets of parents, with this effect.
    rows : DataFrame with columns row, low, mean, high, true
        Range of each row; mean over graphs, nan if they have no weights; the known effect, nan if there is none.
    """

    values: pd.DataFrame
    rows: pd.DataFrame


def effects_data(
    effects: Mapping[str, pd.DataFrame | float], *, true: Mapping[str, float] | None = None
) -> EffectsData:
    """Effects as tables.

    Parameters
    ----------
    effects : mapping of str to DataFrame or float
        For each row, by name, the result of `bnlab.networks.possible_effects`, `effects_over_graphs` or
        `causal_effect`. The range over graphs covers the equivalence class of each graph.
    true : mapping of str to float, optional
        Known effects, by the same names.

    Raises
    ------
    ValueError
        If there is no effect, or a known effect has no row.

    Examples
    --------
    >>> from bnlab.networks import asia, possible_effects
    >>> found = possible_effects(asia(), "smoke", "bronc", to="yes", reference="no", of="yes")
    >>> effects_data({"smoke": found}, true={"smoke": 0.3}).rows.round(2)
         row  low  mean  high  true
    0  smoke  0.0   NaN   0.3   0.3
    """
    known = dict(true or {})
    if not effects or set(known) - set(effects):
        wrong = f"{next(iter(set(known) - set(effects)))!r} is no row" if effects else "there is no effect to draw"
        raise ValueError(f"{wrong}: give a mapping of names to effects, and known effects by the same names.")
    values, rows = [], []
    for name, given in effects.items():
        frame = given if isinstance(given, pd.DataFrame) else pd.DataFrame({"effect": [float(given)]})
        shares = frame.effect.round(DIGITS).value_counts(normalize=True).sort_index()
        values += [(name, effect, share) for effect, share in shares.items()]
        over_graphs = "low" in frame
        low, high = (frame.low, frame.high) if over_graphs else (frame.effect, frame.effect)
        mean = frame.effect.mean() if over_graphs else float("nan")
        rows.append((name, low.min(), mean, high.max(), known.get(name, float("nan"))))
    return EffectsData(
        pd.DataFrame(values, columns=["row", "effect", "share"]),
        pd.DataFrame(rows, columns=["row", "low", "mean", "high", "true"]),
    )


def effects_json(
    effects: Mapping[str, pd.DataFrame | float],
    *,
    true: Mapping[str, float] | None = None,
    title: str = "Average causal effects",
) -> Chart:
    """Draw one row per effect: its range as a line, each value as a dot whose size is its share, and the known effect.

    Parameters
    ----------
    effects, true
        As for `effects_data`.
    title : str

    Raises
    ------
    ValueError
        As for `effects_data`.
    """
    data = effects_data(effects, true=true)
    texts = dict(zip(data.rows.row, row_labels(data.rows.row, LONGEST), strict=True))
    traces: list[dict[str, Any]] = []
    for row in data.rows.itertuples():
        line = {"line": {"width": 3, "color": GREY}, "showlegend": False, "hoverinfo": "skip"}
        traces.append(scatter("lines", [row.low, row.high], [texts[row.row]] * 2, **line))
    least, most = SIZES
    labels = [f"{plain(row.row)}<br>Effect {row.effect:.3f} in {row.share:.0%}" for row in data.values.itertuples()]
    sizes = (least + (most - least) * data.values.share**0.5).tolist()
    dots = {"marker": {"size": sizes, "color": BLUE, "opacity": 0.7}, "name": "Possible effect"}
    at = [texts[name] for name in data.values.row]
    traces.append(scatter("markers", data.values.effect.tolist(), at, **dots, **hover("%{customdata}", labels)))
    marks = (
        ("mean", "Mean over graphs", "line-ns-open", BLUE, 20),
        ("true", "Known effect", "diamond-open", VERMILLION, 13),
    )
    for column, name, shape, ink, size in marks:
        own = data.rows[data.rows[column].notna()]
        if not len(own):
            continue
        marker = {"size": size, "symbol": shape, "color": ink, "line": {"width": 2.5, "color": ink}}
        words = hover(f"{name} %{{x:.3f}}")
        at = [texts[row] for row in own.row]
        traces.append(scatter("markers", own[column].tolist(), at, marker=marker, name=name, **words))
    layout = chart_layout(plain(title), ROW * max(len(texts), 2), above=ABOVE, below=BELOW, legend=True)
    zero = {"type": "line", "x0": 0, "x1": 0, "xref": "x", "yref": "paper", "y0": 0, "y1": 1}
    layout |= {
        "xaxis": {"title": {"text": "Average causal effect"}, "zeroline": False},
        "yaxis": {"type": "category", "categoryorder": "array", "categoryarray": list(texts.values())[::-1]},
        "shapes": [zero | {"line": {"width": 1.2, "color": GREY, "dash": "dash"}, "layer": "below"}],
    }
    return {"data": traces, "layout": layout}


effects_figure = as_figure("effects_figure", effects_json)
