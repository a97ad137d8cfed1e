"""Charts of searches that are drawn while they run: curves of scores, and a heat map of randomised policies."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from math import inf, isfinite
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from bnlab.figures.picture import Picture
from bnlab.figures.searches import convergence
from bnlab.figures.searches import policies as policy_figures
from bnlab.figures.searches.convergence import AXES, NATS, TRUTH, ConvergenceData, convergence_data
from bnlab.figures.searches.curve import Curve, FloatArray
from bnlab.figures.searches.lines import ScoreRange, key_traces, legend_entry, run_traces, score_range
from bnlab.figures.theme import BLUE
from bnlab.search import Trace
from bnlab.widgets.base.modules import modules, style
from bnlab.widgets.base.plotly_view import PlotlyView

if TYPE_CHECKING:
    import pandas as pd

CURSOR = {"color": BLUE, "width": 1.5}
FEW = 8  # iterations below which plotly would put ticks between integers
NEAR, WIDEST = 20, 1600
"""Distance from the mouse within which points have labels, and width of the widest chart, in pixels."""
MOST_POINTS = 500
"""Maximum points of a curve in the page; plotly.js can then draw eight curves ten times a second."""


class ConvergencePlot(PlotlyView):
    """Curves of one search or several, drawn while they grow.

    Python keeps every point. The page gets at most 500 points of each curve, including peaks; a zoom shows the others.
    In the page, a drag zooms, a double click shows everything, a click or the slider moves the cursor, and a click in
    the legend hides a run. With the chart in focus, the arrow keys go from point to point, Enter moves the cursor to
    the point, h hides a run and s shows all.

    Parameters
    ----------
    traces : mapping of str to Trace, optional
        Finished runs by name; `follow` adds more.
    baselines : mapping of str to float, optional
        Scores of other methods, drawn as lines.
    truth : float, optional
        Score of the true network, a line of its own.

    Examples
    --------
    >>> from bnlab.search import Progress
    >>> plot = ConvergencePlot(baselines={"k2": -7.5}, truth=-6.0)
    >>> plot.follow("chen", Curve()).add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    >>> plot.refresh()
    >>> plot
    ConvergencePlot(chen: 2 iterations, best -7.00)
    """

    _modules = modules("widgets/player/page/convergence_plot.js")
    _css = style("widgets/base/page/plotly_view.css", "widgets/base/page/controls.css")

    by = traitlets.Enum(tuple(AXES), "iteration").tag(sync=True)
    """Unit of the horizontal axis."""
    x_range = traitlets.List(traitlets.Float(), default_value=None, allow_none=True).tag(sync=True)
    """Range of the horizontal axis, [from, to] in the unit of `by`; None for everything."""
    moment = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
    """Iteration at the cursor; None to follow the search."""
    end = traitlets.Int(0, min=0).tag(sync=True)
    """Last iteration of the run in `focus`."""
    focus = traitlets.Unicode("")
    """Run that the cursor belongs to."""
    unit = traitlets.Unicode(NATS)
    """Quantity on the vertical axis; curves of other quantities are not drawn."""
    height = traitlets.Int(340, min=120)
    """Height of the chart in pixels."""

    def __init__(
        self,
        traces: Mapping[str, Trace] | None = None,
        *,
        baselines: Mapping[str, float] | None = None,
        truth: float | None = None,
        **options: Any,
    ) -> None:
        self.baselines = reference_lines(baselines, truth)
        self._runs: dict[str, Curve] = {}
        self._drawing = RLock()
        super().__init__({"data": [], "layout": {}}, **options)
        for name, trace in (traces or {}).items():
            self.follow(name, Curve.of(trace))
        self.refresh()

    def follow(self, name: str, curve: Curve) -> Curve:
        """Draw a curve from now on, in place of any with the same name; `refresh` shows its new points."""
        with self._drawing:
            self._runs[name] = curve
            if self.focus not in self._runs:
                self.focus = name
        return curve

    def forget(self, name: str) -> None:
        """Stop drawing a curve; `refresh` removes it from the page."""
        with self._drawing:
            del self._runs[name]
            if self.focus == name:
                self.focus = next(iter(self._runs), "")

    def refresh(self) -> None:
        """Send the page the current curves."""
        with self._drawing:
            traces: list[dict[str, Any]] = []
            places = {name: i for i, name in enumerate(self._runs)}
            drawn = self._drawn()
            points = {name: curve.drawn(self.by, self.x_range, MOST_POINTS) for name, curve in drawn.items()}
            for name, curve in drawn.items():
                traces += run_traces(name, places[name], points[name], curve.marks(), by=self.by, values=_packed)
            traces += key_traces(traces)
            if self.moment is not None:
                traces.append(legend_entry("Iteration shown", CURSOR))
            focus = self._runs.get(self.focus)
            around = score_range(points.values(), self.baselines.values())
            with self.hold_sync():
                most = max((len(one["score"]) for one in points.values()), default=0)
                self.figure = {"data": traces, "layout": self._layout(focus, around, most)}
                self.end = 0 if focus is None else int(_last(focus, "iteration"))
                ends = "; ".join(_end_text(name, curve) for name, curve in drawn.items())
                self.description = f"Convergence, {self.unit} against {self.by}. {ends or 'No run yet'}"

    def _layout(self, focus: Curve | None, around: ScoreRange | None, n_points: int) -> dict[str, Any]:
        look: dict[str, Any] = {"unit": self.unit, "height": self.height, "around": around}
        layout = convergence.convergence_layout(self.baselines, by=self.by, **look)
        # A click is near a point of the curve with the most points, but labels far from the mouse are not shown.
        layout |= {"hovermode": "x", "hoverdistance": max(NEAR, WIDEST // (2 * max(n_points, 1)))}
        # The page keeps its zoom until the range changes here.
        shown = {"uirevision": f"{self.by} {self.x_range}"}
        layout["xaxis"] |= shown | ({} if self.x_range is None else {"range": self.x_range})
        most = max((int(_last(curve, "iteration")) for curve in self._runs.values()), default=0)
        if self.by == "iteration" and most < FEW:
            # A step between ticks instead would draw a tick at each iteration of the range that the page still shows.
            layout["xaxis"] |= {"tickmode": "array", "tickvals": list(range(FEW + 1))}
        layout["yaxis"] |= shown | {"fixedrange": True}
        if self.moment is not None and focus is not None:
            x = float(self.moment if self.by == "iteration" else _at(focus, "iteration", self.moment, "seconds"))
            cursor = {"type": "line", "xref": "x", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
            layout["shapes"].append(cursor | {"line": CURSOR})
        return layout

    def data(self) -> ConvergenceData:
        """All points of all runs, for `bnlab.figures.convergence_figure`; empty before the first run."""
        return convergence_data(self._runs or {"": Curve()}, self.baselines)

    def picture(self) -> Picture:
        """Still picture of the drawn curves."""
        data = self.data()
        curves, events = (frame[frame["run"].isin(self._drawn())] for frame in (data.curves, data.events))
        return convergence.convergence_picture(data._replace(curves=curves, events=events), by=self.by, unit=self.unit)

    def to_frame(self) -> pd.DataFrame:
        """Every point of every run.

        Returns
        -------
        DataFrame with columns run, seed, iteration, seconds, score, best, bound
        """
        return self.data().curves

    @traitlets.validate("x_range")
    def _check_range(self, proposal: Any) -> list[float] | None:
        ends: list[float] | None = proposal["value"]
        if ends is not None and not (len(ends) == 2 and isfinite(ends[0]) and isfinite(ends[1]) and ends[0] < ends[1]):
            raise ValueError(f"x_range={ends!r}: give [from, to] with from less than to, or None for all.")
        return ends

    @traitlets.observe("by", "x_range", "moment", "focus")
    def _redraw(self, change: Any) -> None:
        if change["name"] == "by":
            self.x_range = None
        self.refresh()

    def _drawn(self) -> dict[str, Curve]:
        """Curves of the quantity on the axis; stages of the same work, such as "edges, order 1", count as the same."""
        stage = self.unit.partition(",")[0]
        return {name: c for name, c in self._runs.items() if c.unit is None or c.unit.partition(",")[0] == stage}

    @traitlets.observe("clicked")
    def _choose_moment(self, change: Any) -> None:
        """Move the cursor to a clicked point."""
        curve = self._runs.get(self.focus)
        if change["new"] is not None and curve is not None and len(curve):
            x = float(change["new"]["x"])
            moment = x if self.by == "iteration" else _at(curve, "seconds", x, "iteration")
            self.moment = int(min(max(round(moment), 0), self.end))
            # A second click on the same point is a change, too.
            self.clicked = None

    def __repr__(self) -> str:
        """Runs, their length and their best scores."""
        return f"ConvergencePlot({'; '.join(_end_text(name, curve) for name, curve in self._runs.items())})"

    def still(self) -> dict[str, Any]:
        """Picture of the curves."""
        return {"text/html": self.picture().to_html()}


def reference_lines(baselines: Mapping[str, float] | None, truth: float | None) -> dict[str, float]:
    """Lines of a chart: the true network and the baselines; ValueError for a score that is not finite."""
    lines = ({} if truth is None else {TRUTH: truth}) | dict(baselines or {})
    for name, score in lines.items():
        if not isfinite(score):
            raise ValueError(f"baseline {name!r}: {score!r} cannot be drawn; give a finite score.")
    return {str(name): float(score) for name, score in lines.items()}


def _last(curve: Curve, column: str) -> float:
    return float(curve.column(column)[-1]) if len(curve) else 0.0


def _end_text(name: str, curve: Curve) -> str:
    iterations = int(_last(curve, "iteration"))
    if not len(curve):
        return convergence.end_text(name, iterations, -inf)
    return convergence.end_text(name, iterations, _last(curve, "best"), _last(curve, "bound"))


def _at(curve: Curve, column: str, value: float, other: str) -> float:
    """Value of column `other` at the last point where `column` is at most `value`; 0 before the first point."""
    k = int(np.searchsorted(curve.column(column), value, side="right")) - 1
    return float(curve.column(other)[k]) if k >= 0 else 0.0


def _packed(values: FloatArray) -> dict[str, str]:
    """Array in the form that plotly.js reads fastest."""
    return {"dtype": "f8", "bdata": b64encode(np.ascontiguousarray(values).tobytes()).decode()}


class PolicyMap(PlotlyView):
    """Probability τ of every decision: one row per node, one column per child; settled edges are dots.

    Parameters
    ----------
    names : sequence of str
        Nodes.

    Examples
    --------
    >>> view = PolicyMap(["A", "B"])
    >>> view.show([[0.25, 0.75], [0.0, 1.0]])
    >>> view
    PolicyMap(2 of 2 decisions active, mean entropy 0.28 nats)
    """

    def __init__(self, names: Sequence[str], **options: Any) -> None:
        self.names = tuple(str(name) for name in names)
        self._data: policy_figures.PolicyData | None = None
        super().__init__({"data": [], "layout": {}}, description="No policies yet", **options)

    def show(self, policies: policy_figures.HasPolicies | ArrayLike) -> None:
        """Replace the policies; `policies` is as for `bnlab.figures.policies_data`.

        Raises
        ------
        ValueError
            If their number of nodes is another one.
        """
        self._data = policy_figures.policies_data(policies, self.names)
        with self.hold_sync():
            self.figure = policy_figures.policies_json(self._data, title="")
            self.description = policy_figures.policy_words(self._data)

    def data(self) -> policy_figures.PolicyData:
        """Shown policies, as tables.

        Raises
        ------
        ValueError
            If nothing has been shown yet.
        """
        if self._data is None:
            raise ValueError("there are no policies yet: call `show` first.")
        return self._data

    def to_frame(self) -> pd.DataFrame:
        """Probabilities: one row per node, one column per child, "none" last."""
        return self.data().tau

    def __repr__(self) -> str:
        """Number of active decisions and their mean entropy."""
        return f"PolicyMap({self.description})"

    def still(self) -> dict[str, Any]:
        """Picture of the policies."""
        if self._data is None:
            return {"text/html": f"<p>{escape(repr(self))}</p>"}
        return {"text/html": policy_figures.policies_picture(self._data).to_html()}
