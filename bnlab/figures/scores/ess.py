"""How the best network changes with the equivalent sample size of BDeu and BDe, and where exactly.

References
----------
Silander, Kontkanen and Myllymäki (2007), On sensitivity of the MAP Bayesian network structure to the equivalent sample
size parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import ceil, exp, floor, log, log10
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnlab.figures.labels import plain
from bnlab.figures.picture import Picture
from bnlab.figures.plotly_svg.figure import still
from bnlab.figures.scores.differences import SAME
from bnlab.figures.scores.symlog import LONGEST, add_legend, curves_chart, difference_axis, symlog, upright
from bnlab.figures.svg import shortened, text_width
from bnlab.figures.theme import Chart, as_figure, colour, translucent

FloatArray: TypeAlias = NDArray[np.float64]
TotalsAt: TypeAlias = Callable[[float], ArrayLike]

TITLE = "BDeu over the equivalent sample size"
MARKERS = 12
NARROWEST = 0.05
"""Minimum share of the ess axis between two switches whose ess is written."""
TOP, RIBBON = 1.015, 0.085
"""Lower edge of the ribbon and its height, as shares of the plot's height."""
ABOVE_RIBBON = 96
PLOT_WIDTH = 360.0
"""Minimum width of the axis in pixels; names of winners that need more are left out."""


class EssData(NamedTuple):
    """Networks over the equivalent sample size.

    Attributes
    ----------
    differences : DataFrame of float, shape (ess, networks)
        Nats behind the best network at each ess.
    winners : list of (str, float, float)
        Best network of each range of ess, with the ends of the range, in order.
    equal : dict of str to tuple of str
        For each winner, the other networks with the same score at every ess.
    """

    differences: pd.DataFrame
    winners: list[tuple[str, float, float]]
    equal: dict[str, tuple[str, ...]]

    def to_frame(self) -> pd.DataFrame:
        """Best network of each range of ess.

        Returns
        -------
        DataFrame
            network, from, to (ess) and equal (names of the networks with the same score), one row per range.
        """
        rows = [(name, low, high, ", ".join(self.equal.get(name, ()))) for name, low, high in self.winners]
        return pd.DataFrame(rows, columns=["network", "from", "to", "equal"])

    def winner(self, name: str) -> str:
        """Name of a winner with those of its equals."""
        return " = ".join((name, *self.equal.get(name, ())))


def ess_data(totals: pd.DataFrame, at: TotalsAt | None = None) -> EssData:
    """Find the best network at each ess, and where it changes.

    Parameters
    ----------
    totals : DataFrame of float, shape (ess, networks)
        Scores in nats; the index holds the ess, ascending.
    at : callable (ess) to array_like of shape (networks,), optional
        Scores at any ess, such as `NetworkScores.at_ess`. Switches are then found by bisection, to 10 digits, also of
        a network that is best only between two rows of `totals`. Otherwise scores are linear in log ess between rows.

    Examples
    --------
    >>> import pandas as pd
    >>> totals = pd.DataFrame({"a": [3.0, 2.0, 1.0], "b": [1.0, 1.0, 4.0]}, index=[1, 10, 100])
    >>> ess_data(totals).winners
    [('a', 1.0, 17.78), ('b', 17.78, 100.0)]
    >>> [(name, round(to, 6)) for name, _, to in ess_data(totals, lambda ess: [3 - ess / 20, 1 + ess / 50]).winners]
    [('a', 28.571429), ('b', 100.0)]
    """
    names = [str(name) for name in totals.columns]
    ess, values = totals.index.to_numpy(dtype=np.float64), totals.to_numpy(dtype=np.float64)
    first = _first_equals(values)
    leaders = first[values.argmax(axis=1)].tolist()
    x = np.log(ess)
    found = _Leaders(at or (lambda e: [np.interp(log(e), x, column) for column in values.T]), first)
    places = list(zip(x.tolist(), leaders, strict=True))
    if at:
        places = sorted(places + found.hidden(x, values, leaders))
    switches = [switch for before, after in pairwise(places) for switch in found.between(*before, *after)]
    edges = [float(ess[0]), *(exp(place) for place, _ in switches), float(ess[-1])]
    if not at:
        edges = [float(f"{edge:.4g}") for edge in edges]
    order = [leaders[0], *(leader for _, leader in switches)]
    winners = [(names[i], low, high) for i, (low, high) in zip(order, pairwise(edges), strict=True)]
    equal = {names[i]: tuple(names[j] for j in np.flatnonzero(first == i) if j != i) for i in order}
    return EssData(totals.sub(totals.max(axis=1), axis=0), winners, {k: v for k, v in equal.items() if v})


def _first_equals(values: FloatArray) -> NDArray[np.int64]:
    """For each network, the first with the same scores everywhere, up to rounding, as Markov-equivalent ones have."""
    close = np.abs(values[:, :, None] - values[:, None, :]) <= SAME * np.abs(values).max()
    return np.asarray(close.all(axis=0).argmax(axis=1), dtype=np.int64)


class _Leaders:
    """Search along x = log ess for the places where the lead changes."""

    def __init__(self, at: TotalsAt, first: NDArray[np.int64]) -> None:
        self._at, self._first = at, first

    def _totals(self, x: float) -> FloatArray:
        return np.asarray(self._at(exp(x)), dtype=np.float64)

    def _ahead(self, a: int, b: int) -> Callable[[float], float]:
        """Score of network a minus that of b, at any x."""
        return lambda x: float(np.subtract(*self._totals(x)[[a, b]]))

    def _leader(self, x: float, *others: int) -> tuple[int, bool]:
        """Best network at x, and whether it is better there than all of `others`."""
        totals = self._totals(x)
        c = int(self._first[totals.argmax()])
        return c, bool(totals[c] - totals[[*others]].max() > SAME * np.abs(totals).max())

    def between(self, low: float, a: int, high: float, b: int) -> list[tuple[float, int]]:
        """Switches (x, new leader) between `low`, where a leads, and `high`, where b does."""
        if a == b:
            return []
        from scipy.optimize import brentq

        ahead = self._ahead(a, b)
        place = low if ahead(low) <= 0 else high if ahead(high) >= 0 else float(brentq(ahead, low, high, xtol=1e-11))
        c, is_third = self._leader(place, a, b)
        if not is_third or not low < place < high:
            return [(place, b)]
        return [*self.between(low, a, place, c), *self.between(place, c, high, b)]

    def hidden(self, x: FloatArray, values: FloatArray, leaders: Sequence[int]) -> list[tuple[float, int]]:
        """Places where a network leads only between two points, within the range of another network."""
        from scipy.optimize import minimize_scalar

        found = []
        for i in range(1, len(x) - 1):
            leader = leaders[i]
            if leaders[i - 1 : i + 2] != [leader] * 3:
                continue
            # Networks that are nearest to the leader at the middle of three points, and near enough to pass it there.
            before, here, after = values[i - 1 : i + 2] - values[i - 1 : i + 2, [leader]]
            near = (here >= before) & (here >= after) & (here + 2 * (here - np.minimum(before, after)) > 0)
            for c in np.flatnonzero(near).tolist():
                if c == self._first[c] != leader:
                    behind, bounds = self._ahead(leader, c), (float(x[i - 1]), float(x[i + 1]))
                    place = float(minimize_scalar(behind, bounds=bounds, method="bounded").x)
                    best, is_ahead = self._leader(place, leader)
                    found += [(place, best)] * is_ahead
        return found


def ess_words(data: EssData, most: int = 6) -> str:
    """Sentence that names the best network of each range of ess.

    Examples
    --------
    >>> import pandas as pd
    >>> ess_words(ess_data(pd.DataFrame({"a": [3.0, 1.0], "b": [1.0, 3.0]}, index=[1, 100])))
    '“a” is best up to ess 10, then “b”'
    """
    winners = [f"“{data.winner(name)}”" for name, _, _ in data.winners]
    ends = [written_ess(high) for _, _, high in data.winners]
    if len(winners) == 1:
        return f"{winners[0]} is best at every ess"
    if len(winners) > most:
        low = written_ess(data.winners[0][1])
        return f"the best network changes {len(winners) - 1} times between ess {low} and {ends[-1]}"
    parts = [f"{name} up to ess {end}" for name, end in zip(winners[1:-1], ends[1:-1], strict=True)]
    return ", then ".join([f"{winners[0]} is best up to ess {ends[0]}", *parts, winners[-1]])


def written_ess(ess: float) -> str:
    """Equivalent sample size in three digits.

    Examples
    --------
    >>> written_ess(0.012345), written_ess(12345.6), written_ess(1.0)
    ('0.0123', '12,300', '1')
    """
    rounded = float(f"{ess:.3g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"


def ess_json(
    data: EssData,
    *,
    title: str = TITLE,
    ess: float | None = None,
    order: Iterable[str] | None = None,
    legend: bool = True,
) -> Chart:
    """Draw each network's distance to the best over ess, below a ribbon that names the winner of each range.

    Parameters
    ----------
    data : EssData
    title : str
    ess : float, optional
        Current value, to mark.
    order : iterable of str, optional
        All networks, so that each keeps the colour it has in `differences_figure`.
    legend : bool
        Whether a legend is drawn below.
    """
    everyone = list(order or map(str, data.differences.columns))
    grid = data.differences.index.to_numpy(dtype=np.float64)
    chart = curves_chart(data.differences, everyone, "ess %{x:.3~g}", plain(title), above=ABOVE_RIBBON)
    for trace in chart["data"]:
        trace["marker"]["maxdisplayed"] = MARKERS
    least = float(data.differences.to_numpy().min())
    ground = min(float(symlog(least)), -0.1)
    powers = [10.0**k for k in range(ceil(log10(grid[0]) - 1e-9), floor(log10(grid[-1]) + 1e-9) + 1)]
    x_axis: dict[str, Any] = {"type": "log", "range": np.log10(grid[[0, -1]]).tolist(), "tickvals": powers}
    x_axis |= {"ticktext": list(map(written_ess, powers)), "title": {"text": "Equivalent sample size (ess)"}}
    y_axis = difference_axis(least, "Nats behind the best (symlog scale)") | {"range": [1.08 * ground, -0.06 * ground]}
    shapes, notes = _ribbon(data, everyone)
    if ess is not None and grid[0] <= ess <= grid[-1]:
        shapes.append(upright(ess, TOP, width=2))
        text = f"ess = {written_ess(ess)}"
        # On the side where it crosses no line of a switch.
        room = (text_width(text, 12) + 6) / PLOT_WIDTH * log10(grid[-1] / grid[0])
        crosses = any(0 < log10(high / ess) < room for _, _, high in data.winners[:-1])
        side = {"xanchor": "right", "xshift": -3} if crosses else {"xanchor": "left", "xshift": 3}
        notes.append({**_note(ess, text), "y": 0, "yanchor": "bottom", **side})
    chart["layout"]["margin"]["r"] = 34
    chart["layout"] |= {"shapes": shapes, "annotations": notes, "xaxis": x_axis, "yaxis": y_axis}
    return add_legend(chart["data"], chart["layout"], legend=legend)


ess_figure = as_figure("ess_figure", ess_json)


def ess_picture(data: EssData, *, title: str = TITLE, order: Iterable[str] | None = None) -> Picture:
    """Static picture of `ess_figure`, with its parameters."""
    return still(ess_json(data, title=title, order=order), words=f"in this range {ess_words(data, most=12)}")


def _ribbon(data: EssData, order: Sequence[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and texts of the ranges of the winners and of the switches between them."""
    shapes, notes = [], []
    whole = log10(data.winners[-1][2] / data.winners[0][1]) or 1.0
    for name, low, high in data.winners:
        hue = colour(order.index(name))
        box = {"type": "rect", "xref": "x", "yref": "paper", "x0": low, "x1": high, "y0": TOP, "y1": TOP + RIBBON}
        shapes.append({**box, "fillcolor": translucent(hue, 0.25), "line": {"width": 1.5, "color": hue}})
        text = shortened(data.winner(name), LONGEST)
        if log10(high / low) / whole * PLOT_WIDTH > text_width(text, 12) + 6:
            middle = {**_note((low * high) ** 0.5, plain(text)), "y": TOP + RIBBON / 2, "yanchor": "middle"}
            notes.append({**middle, "hovertext": f"{plain(data.winner(name))} wins"})
    written = -np.inf
    for _, _, high in data.winners[:-1]:
        shapes.append(upright(high, TOP, width=1.5, dash="dot"))
        if log10(high) - written >= NARROWEST * whole:
            written = log10(high)
            notes.append({**_note(high, written_ess(high)), "y": TOP + RIBBON, "yanchor": "bottom"})
    return shapes, notes


def _note(ess: float, text: str) -> dict[str, Any]:
    return {"x": log10(ess), "yref": "paper", "text": text, "showarrow": False, "font": {"size": 12}}
