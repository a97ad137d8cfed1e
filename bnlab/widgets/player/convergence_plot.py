"""Live curves of searches: score against iterations or seconds, with lines to measure against."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from threading import RLock
from typing import TYPE_CHECKING, Any

import traitlets

from bnlab.figures.searches.convergence import convergence_figure, convergence_picture
from bnlab.figures.searches.curve import Curve
from bnlab.figures.searches.runs import AXES, TRUTH, ConvergenceData, Traces, convergence_data
from bnlab.figures.theme import colour, glyph
from bnlab.search import Trace
from bnlab.widgets.base.page_file import page_file
from bnlab.widgets.base.page_widget import PageWidget

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

MOST_POINTS = 1000


class ConvergencePlot(PageWidget):
    """Curves of one search or several, drawn while they grow.

    Every point is kept; of each curve at most 1,000 are sent to the page, peaks among them, and a zoom shows the rest.
    In the page: a drag zooms, a double click shows all again, a click or the slider moves the moment; with the picture
    in focus the arrow keys move the moment, + and - zoom, 0 shows all, End follows the search again.

    Parameters
    ----------
    traces : Trace, or mapping of str to Trace or sequence of Trace, optional
        Finished runs; more are added with `follow`.
    baselines : mapping of str to float, optional
        Scores of other methods, drawn as lines.
    truth : float, optional
        Score of the true network, a line of its own.
    names : sequence of str, optional
        Variables, for the edges of the marks.

    Examples
    --------
    >>> from bnlab.search import Progress
    >>> plot = ConvergencePlot(baselines={"k2": -7.5}, truth=-6.0)
    >>> plot.follow("chen", Curve()).add(Progress(2, (-9.0, -7.0), -7.0), seconds=0.5)
    >>> plot.refresh()
    >>> plot
    ConvergencePlot(chen: 2 iterations, best -7.00)
    """

    _esm = page_file(
        "base/problem.js",
        "base/elements.js",
        "player/convergence_numbers.js",
        "player/convergence_chart.js",
        "player/convergence_plot.js",
    )
    _css = page_file("base/controls.css", "player/convergence_plot.css")

    curves = traitlets.List(traitlets.Dict()).tag(sync=True)
    """What is drawn: name, colour, glyph, points, end (last iteration) and seconds, and columns as bytes of float64."""
    marks = traitlets.Dict().tag(sync=True)
    """For each run its permanent edges and new starts: mark, iteration, seconds, score, text."""
    baselines = traitlets.Dict().tag(sync=True)
    """Scores drawn as lines, by name; that of the true network is called "true network"."""
    by = traitlets.Enum(tuple(AXES), "iteration").tag(sync=True)
    """What the curves are drawn against."""
    hidden = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Runs that are switched off in the legend."""
    x_range = traitlets.List(traitlets.Float(), default_value=None, allow_none=True).tag(sync=True)
    """Part that is shown, [from, to] in the unit of `by`; None for all of it."""
    moment = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
    """Iteration at the cursor; None to follow the search."""
    focus = traitlets.Unicode("").tag(sync=True)
    """Run that the moment is of."""
    unit = traitlets.Unicode("score in nats").tag(sync=True)
    """What the curves are of."""
    description = traitlets.Unicode().tag(sync=True)
    """Text alternative."""
    height = traitlets.Int(320, min=120).tag(sync=True)
    """Height of the picture in pixels."""

    def __init__(
        self,
        traces: Traces | None = None,
        *,
        baselines: Mapping[str, float] | None = None,
        truth: float | None = None,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        self._runs: dict[str, Curve] = {}
        self._marked: dict[str, tuple[int, Any]] = {}
        self._drawing = RLock()
        super().__init__(baselines=_lines(baselines, truth), **options)
        for name, curve in _by_name(traces, names).items():
            self.follow(name, curve)
        self.refresh()

    def follow(self, name: str, curve: Curve) -> Curve:
        """Draw a curve from now on, in place of the one that had its name; `refresh` shows what is new in it."""
        with self._drawing:
            self._runs[name] = curve
            self._marked.pop(name, None)
            if self.focus not in self._runs:
                self.focus = name
        return curve

    def forget(self, name: str) -> None:
        """Draw a curve no more; `refresh` takes it away."""
        with self._drawing:
            del self._runs[name]
            self._marked.pop(name, None)
            if self.focus == name:
                self.focus = next(iter(self._runs), "")

    def refresh(self) -> None:
        """Send the page what is to be drawn now."""
        with self._drawing:
            drawn, ended = [], []
            for i, (name, curve) in enumerate(self._runs.items()):
                drawn.append(
                    {"name": name, "colour": colour(i), "glyph": glyph(i), "points": len(curve)}
                    | {"end": _last(curve, "iteration"), "seconds_end": _last(curve, "seconds")}
                    | curve.drawn(self.by, self.x_range, MOST_POINTS)
                )
                ended.append(_said(name, curve))
            with self.hold_sync():
                self.curves = drawn
                self.description = "; ".join(ended) or "no run yet"
                self._refresh_marks()

    def data(self) -> ConvergenceData:
        """All points of all runs, for `bnlab.figures.convergence_figure`; empty where there is no run yet."""
        return convergence_data(self._runs or {"": Curve()}, self.baselines)

    def to_frame(self) -> pd.DataFrame:
        """Every point of every run.

        Returns
        -------
        DataFrame with columns run, seed, iteration, seconds, score, best
        """
        return self.data().curves

    def figure(self, **options: Any) -> go.Figure:
        """Plotly figure of the same curves; options as for `convergence_figure`."""
        return convergence_figure(self.data(), **{"by": self.by, **options})

    @traitlets.validate("x_range")
    def _check_range(self, proposal: Any) -> list[float] | None:
        ends: list[float] | None = proposal["value"]
        if ends is not None and not (len(ends) == 2 and isfinite(ends[0]) and isfinite(ends[1]) and ends[0] < ends[1]):
            raise ValueError(f"x_range={ends!r}: give [from, to] with from less than to, or None for all.")
        return ends

    @traitlets.observe("by")
    def _turned(self, _: Any) -> None:
        self.x_range = None
        self.refresh()

    @traitlets.observe("x_range")
    def _zoomed(self, _: Any) -> None:
        self.refresh()

    def _refresh_marks(self) -> None:
        """Marks are sent again only when there are new ones."""
        changed = False
        for name, curve in self._runs.items():
            count = len(curve.events)
            if self._marked.get(name, (-1, []))[0] != count:
                self._marked[name] = (count, curve.marks())
                changed = True
        if changed:
            self.marks = {name: self._marked[name][1] for name in self._runs}

    def __repr__(self) -> str:
        """Runs, their length and their best scores."""
        return f"ConvergencePlot({'; '.join(_said(name, curve) for name, curve in self._runs.items())})"

    def still(self) -> dict[str, Any]:
        """Picture of the curves."""
        return {"text/html": convergence_picture(self.data(), by=self.by).to_html()}


def _lines(baselines: Mapping[str, float] | None, truth: float | None) -> dict[str, float]:
    lines = ({} if truth is None else {TRUTH: truth}) | dict(baselines or {})
    for name, score in lines.items():
        if not isfinite(score):
            raise ValueError(f"baseline {name!r}: {score!r} cannot be drawn; give a finite score.")
    return {str(name): float(score) for name, score in lines.items()}


def _by_name(traces: Traces | None, names: Sequence[str] | None) -> dict[str, Curve]:
    """Curves of the traces, those of several seeds under names of their own."""
    if traces is None:
        return {}
    runs = {"search": traces} if isinstance(traces, Trace | Curve) else traces
    found: dict[str, Trace | Curve] = {}
    for name, given in runs.items():
        if isinstance(given, Trace | Curve):
            found[name] = given
        else:
            found |= {f"{name}, seed {seed}": trace for seed, trace in enumerate(given)}
    return {name: one if isinstance(one, Curve) else Curve.of(one, names) for name, one in found.items()}


def _last(curve: Curve, column: str) -> float:
    return float(curve.column(column)[-1]) if len(curve) else 0.0


def _said(name: str, curve: Curve) -> str:
    best = f", best {_last(curve, 'best'):,.2f}" if len(curve) else ""
    return f"{name}: {int(_last(curve, 'iteration')):,} iterations{best}"
