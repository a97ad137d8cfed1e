"""Held-out predictions of a target: ROC curves and calibration curves of learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnlab.figures.labels import plain
from bnlab.figures.theme import GREY, PALETTE, SYMBOLS, Chart, as_figure, chart_layout, hover, scatter

if TYPE_CHECKING:
    import pandas as pd

PLOT, ABOVE, BELOW = 340, 100, 60
DASHES = ("solid", "dash", "dot", "dashdot")


def roc_json(frame: pd.DataFrame, *, title: str = "") -> Chart:
    """Draw a curve per learner: the share of true positives over the share of false ones.

    Parameters
    ----------
    frame : DataFrame
        From `bnlab.analysis.CrossValidation.roc`.
    title : str
        By default it names the target and its state.
    """
    traces = [_diagonal("Chance")]
    for number, (learner, own) in enumerate(frame.groupby("learner", sort=False)):
        labels = [
            f"{plain(str(learner))}<br>From a probability of {row.threshold:.3g}<br>"
            f"{row.true_positive_rate:.1%} of the rows with the state<br>"
            f"{row.false_positive_rate:.1%} of the others"
            for row in own.itertuples()
        ]
        x, y = own.false_positive_rate.tolist(), own.true_positive_rate.tolist()
        line = {"color": PALETTE[number % len(PALETTE)], "dash": DASHES[number % len(DASHES)], "width": 2}
        look = {"line": line, "name": plain(str(learner)), "showlegend": True}
        traces.append(scatter("lines", x, y, **look, **hover("%{customdata}", labels)))
    return {"data": traces, "layout": _layout(frame, title or "ROC of {}", "False positive rate", "True positive rate")}


roc_figure = as_figure("roc_figure", roc_json)


def calibration_json(frame: pd.DataFrame, *, title: str = "") -> Chart:
    """Draw how often a state occurs over its predicted probability: on the diagonal, predictions mean what they say.

    Parameters
    ----------
    frame : DataFrame
        From `bnlab.analysis.CrossValidation.calibration`. Bars are 95 % intervals.
    title : str
        By default it names the target and its state.
    """
    traces = [_diagonal("Calibrated")]
    for number, (learner, own) in enumerate(frame.groupby("learner", sort=False)):
        labels = [
            f"{plain(str(learner))}<br>Predicted {row.predicted:.3f}, observed {row.observed:.3f} "
            f"({row.low:.3f} to {row.high:.3f})<br>{row.rows:,.0f} rows"
            for row in own.itertuples()
        ]
        ink = PALETTE[number % len(PALETTE)]
        above, below = (own.high - own.observed).tolist(), (own.observed - own.low).tolist()
        bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1, "color": ink}
        look: dict[str, Any] = {
            "error_y": bars,
            "line": {"color": ink, "dash": DASHES[number % len(DASHES)]},
            "marker": {"color": ink, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 7},
            "name": plain(str(learner)),
            "showlegend": True,
        }
        x, y = own.predicted.tolist(), own.observed.tolist()
        traces.append(scatter("lines+markers", x, y, **look, **hover("%{customdata}", labels)))
    heading = title or "Calibration of {}"
    return {"data": traces, "layout": _layout(frame, heading, "Predicted probability", "Observed frequency")}


calibration_figure = as_figure("calibration_figure", calibration_json)


def _diagonal(name: str) -> dict[str, Any]:
    line = {"color": GREY, "dash": "dot", "width": 1}
    return scatter("lines", [0, 1], [0, 1], line=line, name=name, hoverinfo="skip", showlegend=True)


def _layout(frame: pd.DataFrame, title: str, x: str, y: str) -> dict[str, Any]:
    heading = title.replace("{}", f"{frame.target.iloc[0]} = {frame.state.iloc[0]}")
    layout = chart_layout(plain(heading), PLOT, above=ABOVE, below=BELOW, legend=True)
    ends = {"range": [-0.02, 1.02]}
    return layout | {"xaxis": {"title": {"text": x}, **ends}, "yaxis": {"title": {"text": y}, **ends}}
