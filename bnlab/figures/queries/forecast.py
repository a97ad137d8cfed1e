"""Forecasts of networks over time: the probable states of a variable at each time, after what was observed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bnlab._runtime.names import check_known
from bnlab.dynamic.beliefs import Beliefs
from bnlab.figures.labels import plain, row_labels
from bnlab.figures.theme import BLUE, TEXT, Chart, as_figure, chart_layout, hover, scatter, translucent

LONGEST, ROW, ABOVE, BELOW = 32, 44, 92, 60
LARGEST, LEAST = 20.0, 0.005
"""Size of the dot of a certain state, and the least probability that is drawn."""
MOST_TICKS = 20


class ForecastData(NamedTuple):
    """A forecast of one variable.

    Attributes
    ----------
    states : tuple of str
        In their order.
    observed : DataFrame with columns time, state
        Codes of the states of the history.
    interval : DataFrame with columns time, low, median, high
        Codes.
    probabilities : DataFrame with columns time, state, probability
    """

    states: tuple[str, ...]
    observed: pd.DataFrame
    interval: pd.DataFrame
    probabilities: pd.DataFrame


def forecast_data(
    beliefs: Beliefs, name: str, history: pd.DataFrame | None = None, *, level: float = 0.8
) -> ForecastData:
    """Forecast of one variable as tables.

    Parameters
    ----------
    beliefs : Beliefs
        From `DynamicNetwork.forecast`, `filter` or `smooth`.
    name : str
        The variable; the interval needs states that have an order.
    history : DataFrame, optional
        The rows that the forecast follows, from time 0 on.
    level : float
        Probability of the interval, at least.

    Raises
    ------
    ValueError
        If there is no such variable, a state of the history is unknown, or the level is not between 0 and 1.

    Examples
    --------
    >>> from bnlab.data import Variable
    >>> some = Beliefs((Variable("bp", ("low", "high")),), (2,), {"bp": np.array([[0.3, 0.7]])})
    >>> forecast_data(some, "bp", pd.DataFrame({"bp": ["low", "high"]})).interval
       time  low  median  high
    0     2    0       1     1
    """
    check_known(name, [v.name for v in beliefs.variables], f"no variable {name!r}")
    variable = next(v for v in beliefs.variables if v.name == name)
    low, median, high = beliefs.interval(name, level)
    table = beliefs.probabilities[name]
    column = [] if history is None or name not in history else history[name].tolist()
    seen = [(time, variable.code(state)) for time, state in enumerate(column) if not pd.isna(state)]
    cells = [(time, k, p) for time, row in zip(beliefs.times, table.tolist(), strict=True) for k, p in enumerate(row)]
    return ForecastData(
        tuple(map(str, variable.states)),
        pd.DataFrame(seen, columns=["time", "state"]),
        pd.DataFrame({"time": beliefs.times, "low": low, "median": median, "high": high}),
        pd.DataFrame(cells, columns=["time", "state", "probability"]),
    )


def forecast_json(data: ForecastData, *, title: str = "Forecast") -> Chart:
    """Draw what was observed, then the states by their probability, the median and the interval.

    Parameters
    ----------
    data : ForecastData
        From `forecast_data`.
    title : str
    """
    texts = row_labels(data.states, LONGEST)
    times = data.interval.time.tolist()
    low, high = (data.interval[end].to_numpy(dtype=np.float64) for end in ("low", "high"))
    # Half a row and half a step more, so that an interval of one state, or at one time, is seen.
    ends = [times[0] - 0.2, *times[1:-1], times[-1] + 0.2]
    above, below = ((level[[0, -1]] if len(times) == 1 else level).tolist() for level in (high + 0.3, low - 0.3))
    around = [*above, *below[::-1], above[0]]
    look = {"fill": "toself", "fillcolor": translucent(BLUE, 0.18), "line": {"width": 1, "color": BLUE}}
    band = scatter("lines", [*ends, *ends[::-1], ends[0]], around, name="Interval", hoverinfo="skip", **look)
    traces: list[dict[str, Any]] = [band]
    shown = data.probabilities[data.probabilities.probability >= LEAST]
    words = [f"{plain(data.states[k])}<br>{p:.1%}" for k, p in zip(shown.state, shown.probability, strict=True)]
    dots = {"size": (LARGEST * np.sqrt(shown.probability)).tolist(), "color": BLUE, "opacity": 0.7}
    at_state = hover("Time %{x}: %{customdata}", words)
    traces.append(
        scatter("markers", shown.time.tolist(), shown.state.tolist(), marker=dots, name="Probability", **at_state)
    )
    median = {"line": {"width": 2, "color": BLUE, "dash": "dash"}, "name": "Median", "hoverinfo": "skip"}
    traces.append(scatter("lines", times, data.interval["median"].tolist(), **median))
    if len(data.observed):
        seen = [plain(data.states[k]) for k in data.observed.state]
        drawn = {"line": {"width": 2, "color": TEXT}, "marker": {"size": 9, "color": TEXT}, "name": "Observed"}
        label = hover("Time %{x}: %{customdata}, observed", seen)
        times_seen, codes = (data.observed[column].tolist() for column in ("time", "state"))
        traces.append(scatter("lines+markers", times_seen, codes, **drawn, **label))
    rows = len(data.states)
    layout = chart_layout(plain(title), ROW * max(rows, 3), above=ABOVE, below=BELOW, legend=True)
    ticks = {"tickvals": list(range(rows)), "ticktext": list(texts), "range": [-0.6, rows - 0.4], "zeroline": False}
    shown_times = sorted({*times, *data.observed.time.tolist()})
    whole = {"tickvals": shown_times} if len(shown_times) <= MOST_TICKS else {}
    layout |= {"xaxis": {"title": {"text": "Time"}, "zeroline": False, **whole}, "yaxis": ticks}
    return {"data": traces, "layout": layout}


forecast_figure = as_figure("forecast_figure", forecast_json)
