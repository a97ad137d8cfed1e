"""Several networks under several scores: which is best, by how much, and at which nodes.

Raw scores are large and similar, so figures show differences in nats, on a symlog scale: a difference of 3 and one of
30,000 are both visible.

References
----------
Kass and Raftery (1995), Bayes factors (the categories of evidence).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, floor, log
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlab._runtime.names import check_known, known_name
from bnlab.figures.labels import plain, row_labels
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.scores.symlog import ABOVE, BELOW, LONGEST, add_legend, difference_axis, series, symlog
from bnlab.figures.svg import shortened
from bnlab.figures.table import signed
from bnlab.figures.theme import AXIS, OCHRE, Chart, as_figure, chart_layout, colour, scatter, symbol, translucent
from bnlab.scores.make import SCORE_TABLE

MOST_NODES = 15
NOTE = 22
"""Pixels of the note below the title."""
PATTERNS = ("", "/", ".", "x", "-", "\\", "|", "+")
HIGHLIGHT = translucent(OCHRE, 0.25)
SAME = 1e-9
"""Differences no larger than this, relative to the scores, are rounding."""
MEANING = (
    "A log Bayes factor of d says that the data are exp(d) times as probable under the one network as under the other, "
    "with the parameters of both averaged over the prior of that score; K2, BD, BDe and BDeu are such probabilities, "
    "the other scores are not."
)
STRENGTHS = ((1.0, "hardly worth a mention"), (3.0, "positive"), (5.0, "strong"), (float("inf"), "very strong"))
WRITTEN_OUT = 1e6


def differences_data(totals: pd.DataFrame, reference: str | None = None) -> pd.DataFrame:
    """Subtract a network's scores from those of all.

    Parameters
    ----------
    totals : DataFrame of float, shape (networks, scores)
        Nats; greater is better.
    reference : str, optional
        Network to compare with; by default the best one under each score.

    Returns
    -------
    DataFrame of float, shape (networks, scores)
        Nats; negative is worse than the reference.

    Raises
    ------
    ValueError
        If there is no such network.

    Examples
    --------
    >>> import pandas as pd
    >>> totals = pd.DataFrame({"bic": [-10.0, -12.0], "k2": [-9.0, -8.5]}, index=["a", "b"])
    >>> differences_data(totals).to_numpy().tolist()
    [[0.0, -0.5], [-2.0, 0.0]]
    >>> differences_data(totals, "a").loc["b"].tolist()
    [-2.0, 0.5]
    """
    base = totals.max() if reference is None else totals.loc[_known(reference, totals.index)]
    differences = totals - base
    return differences.where(differences.abs() > SAME * totals.abs().max(), 0.0)


def contributions_data(local: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Subtract a network's local scores from those of all, and sort the nodes by largest difference.

    Parameters
    ----------
    local : DataFrame of float, shape (nodes, networks)
        Local scores in nats.
    reference : str
        Network to compare with.

    Returns
    -------
    DataFrame of float, shape (nodes, other networks)
        Nats, by decreasing largest absolute difference; nodes that differ in no network are left out.

    Raises
    ------
    ValueError
        If there is no such network.
    """
    differences = local.sub(local[_known(reference, local.columns)], axis=0)
    differences = differences.where(differences.abs() > SAME * local.abs().max().max(), 0.0).drop(columns=reference)
    largest = differences.abs().max(axis=1)
    order = largest.sort_values(ascending=False, kind="stable").index
    return differences.loc[order][largest[order] > 0]


def _known(name: str, names: Any) -> str:
    check_known(name, names, f"no network is called {name!r}")
    return name


def against(reference: str | None, best: str = "the best network") -> str:
    """Name of the reference of differences, for a title."""
    return best if reference is None else f"“{shortened(reference, LONGEST)}”"


def differences_json(
    data: pd.DataFrame,
    reference: str | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    legend: bool = True,
) -> Chart:
    """Draw the difference of each network from the reference, one row of dots per score.

    Parameters
    ----------
    data : DataFrame
        From `differences_data`.
    reference : str, optional
        The reference that was given there.
    labels : sequence of str, optional
        Labels of the scores; by default the columns.
    order : sequence of str, optional
        All networks, so that each keeps its colour and shape when only some are shown.
    legend : bool
        Whether a legend is drawn below.
    """
    rows = row_labels(labels or data.columns, LONGEST)
    names = list(order or data.index)
    traces = []
    for name, values in _rows(data):
        i = names.index(str(name))
        marker = {"size": 10, "symbol": symbol(i), "color": colour(i)}
        traces.append(scatter("markers", symlog(values).tolist(), rows, **series(name, values, "%{y}"), marker=marker))
    return _chart(traces, data, rows, f"Difference from {plain(against(reference))}", legend=legend)


differences_figure = as_figure("differences_figure", differences_json)


def differences_picture(
    data: pd.DataFrame,
    reference: str | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
) -> Picture:
    """Static picture of `differences_figure`, with its parameters."""
    columns = zip(labels or data.columns, data.columns, strict=True)
    words = [
        f"{label}: {'; '.join(f'{name} {signed(value)}' for name, value in data[column].items())}"
        for label, column in columns
    ]
    return still(differences_json(data, reference, labels=labels, order=order), words=f"in nats, {'. '.join(words)}")


def contributions_json(
    data: pd.DataFrame,
    reference: str,
    score: str,
    *,
    order: Sequence[str] | None = None,
    most: int = MOST_NODES,
    hovered: str | None = None,
    legend: bool = True,
) -> Chart:
    """Draw the contribution of each node to the difference from the reference, one group of bars per node.

    Parameters
    ----------
    data : DataFrame
        From `contributions_data`.
    reference, score : str
        For the title.
    order : sequence of str, optional
        All networks, so that each keeps the colour it has in `differences_figure`.
    most : int
        Maximum number of nodes.
    hovered : str, optional
        Node to highlight; it is drawn even if others differ by more, or if it does not differ.
    legend : bool
        Whether a legend is drawn below.
    """
    shown = shown_nodes(data, most, hovered)
    rows = row_labels(shown.index, LONGEST)
    names = list(order or data.columns)
    traces = []
    for name, values in _rows(shown.T):
        i = names.index(str(name))
        pattern = {"shape": PATTERNS[i % len(PATTERNS)], "fillmode": "replace", "size": 6, "solidity": 0.55}
        marker = {"color": colour(i), "pattern": pattern, "line": {"color": colour(i), "width": 1}}
        place = {"type": "bar", "orientation": "h", "x": symlog(values).tolist(), "y": rows, "marker": marker}
        traces.append(series(name, values, "%{y}") | place)
    title = f"{plain(score)} by node, difference from {plain(against(reference))}"
    left_out = len(data) - len(shown.index.intersection(data.index))
    note = f"{left_out} more nodes differ, by less" if left_out else "Nodes that are not shown do not differ"
    if not len(data):
        note = "No node differs" if len(data.columns) else "No other network is shown"
    figure = _chart(traces, shown, rows, title, note, legend=legend, height=28 + 8 * max(0, len(traces) - 2))
    layout = figure["layout"]
    layout |= {"barmode": "group", "bargap": 0.25, "bargroupgap": 0.05}
    # The first network of a group on top.
    layout["yaxis"] |= {"categoryarray": rows, "range": [len(rows) - 0.4, -0.6]}
    if hovered in shown.index:
        row = list(shown.index).index(hovered)
        place = {"type": "rect", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row + 0.5}
        layout["shapes"] = [place | {"fillcolor": HIGHLIGHT, "line": {"width": 2, "color": OCHRE}}]
    return figure


contributions_figure = as_figure("contributions_figure", contributions_json)


def shown_nodes(data: pd.DataFrame, most: int = MOST_NODES, hovered: str | None = None) -> pd.DataFrame:
    """Rows of `data` that are drawn: the first ones, and the highlighted node."""
    shown = data.iloc[:most]
    if hovered is None or hovered in shown.index:
        return shown
    last = data.reindex([hovered], fill_value=0.0)
    return pd.concat([shown.iloc[: most - 1], last])


def _rows(data: pd.DataFrame) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    return zip(data.index, data.to_numpy(), strict=True)


def _chart(
    traces: list[dict[str, Any]],
    data: pd.DataFrame,
    rows: list[str],
    title: str,
    note: str = "",
    *,
    legend: bool,
    height: int = 28,
) -> Chart:
    layout = chart_layout(title, height * max(len(rows), 1), above=ABOVE + NOTE * bool(note), below=BELOW)
    layout["title"]["subtitle"] = {"text": note, "font": {"size": 12}}
    zero = {"tickangle": 0, "zeroline": True, "zerolinecolor": AXIS, "zerolinewidth": 2}
    layout["xaxis"] = difference_axis(data.to_numpy(), "Nats (symlog scale)") | zero
    names = {"categoryorder": "array", "categoryarray": rows[::-1], "type": "category"}
    layout["yaxis"] = names | {"range": [-0.6, len(rows) - 0.4]}
    return add_legend(traces, layout, legend=legend)


def bayesian(scores: Iterable[str]) -> list[str]:
    """Names of the scores that are log-probabilities of the data.

    Examples
    --------
    >>> bayesian(["bic", "k2", "mit", "bdeu"])
    ['k2', 'bdeu']
    """
    return [name for name in scores if SCORE_TABLE[known_name(name, SCORE_TABLE, "score")].make.bayesian]


def strength(log_factor: float) -> str:
    """Category of the evidence that a log Bayes factor gives (Kass and Raftery 1995).

    Examples
    --------
    >>> strength(0.5), strength(-4.0)
    ('hardly worth a mention', 'strong')
    """
    return next(word for limit, word in STRENGTHS if abs(log_factor) < limit)


def times(log_factor: float) -> str:
    """Bayes factor as text, from its logarithm, which is 0 or greater.

    Examples
    --------
    >>> times(0.0), times(3.0), times(2000.0)
    ('1 times', '20.1 times', '10^868 times')
    """
    if log_factor < log(WRITTEN_OUT):
        factor = float(f"{exp(log_factor):.3g}")
        return f"{factor:,.0f} times" if factor >= 100 else f"{factor:g} times"
    return f"10^{floor(log_factor / log(10))} times"
